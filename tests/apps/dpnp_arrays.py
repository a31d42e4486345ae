#!/usr/bin/python3
"""Protects: dpnp, NumPy's functions for SYCL, as its wheel is: Intel's SYCL runtime by way of OpenCL, its kernels
as SPIR-V of DPC++, memory all USM: arithmetic of every type, reductions, scans, sorts and products of matrices of
integers, beside NumPy's results."""
import sys

import sycl

dpctl = sycl.started("dpctl", "dpnp", "numpy")
import dpnp
import numpy

found = sycl.device()
queue = dpctl.SyclQueue(found)
random = numpy.random.default_rng(7)
TYPES = ["i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"]


def numbers(kind, shape=1000):
    if kind[0] in "iu":
        return random.integers(1, 100, shape).astype(kind)
    real = random.random(shape) + 0.5
    return (real + 1j * random.random(shape) if kind[0] == "c" else real).astype(kind)


def near(got, wanted, times=1.0):
    """As far away as sums in another order are."""
    if wanted.dtype.kind not in "fc":
        return bool((got == wanted).all())
    single = wanted.dtype in (numpy.float32, numpy.complex64)
    return bool(numpy.allclose(got, wanted, rtol=times * (2e-5 if single else 1e-12), atol=0))


def both(function, *arrays):
    """What dpnp and what NumPy make of it."""
    got = dpnp.asnumpy(function(dpnp, *(dpnp.asarray(a, sycl_queue=queue) for a in arrays)))
    return got, numpy.asarray(function(numpy, *arrays))


cases = []


def case(what, function, *arrays, times=1.0):
    cases.append((what, lambda: near(*both(function, *arrays), times)))


for kind in TYPES:
    a, b = numbers(kind), numbers(kind)
    case("arithmetic of " + kind, lambda m, a, b: a * b + a - b, a, b)
    case("sum of " + kind, lambda m, a: m.sum(a), a)
    case("rows and columns of " + kind, lambda m, a: m.sum(a, axis=0) * m.sum(a, axis=1)[:20], numbers(kind, (25, 20)))
    case("cumsum of " + kind, lambda m, a: m.cumsum(a), a)
    case("sort of " + kind, lambda m, a: m.sort(a), a)
    case("argsort of " + kind, lambda m, a: m.take(a, m.argsort(a)), a)
    case("views of " + kind, lambda m, a: a.reshape(20, 50)[::-1, 1::3].T + 0, a)
    case("where of " + kind, lambda m, a, b: m.where(a.real > b.real, a, b), a, b)
    # Those of floats are oneMKL's, which knows no GPU but Intel's.
    if kind[0] in "iu":
        case("product of matrices of " + kind, lambda m, a, b: m.matmul(a, b), numbers(kind, (17, 23)),
             numbers(kind, (23, 19)))
for kind in ("f4", "f8"):
    a = numbers(kind)
    for what in ("sin", "exp", "log", "sqrt", "tanh", "cbrt", "log1p", "arctan"):
        case(what + " of " + kind, lambda m, a, what=what: getattr(m, what)(a), a)
    case("cumprod of " + kind, lambda m, a: m.cumprod(a), numbers(kind, 100), times=10)
    case("maximum and its place of " + kind, lambda m, a: m.max(a) + m.argmax(a), a)
    case("mean and deviation of " + kind, lambda m, a: m.mean(a) + m.std(a), a, times=10)
case("numbers in order that are asked for", lambda m, a, b: m.searchsorted(m.sort(a), b), numbers("f8"), numbers("f8"))
case("what differs", lambda m, a: m.unique(a), numbers("i4"))
case("a histogram", lambda m, a: m.histogram(a, bins=16, range=(0.0, 2.0))[0], numbers("f8"))

right = 0
for what, check in cases:
    try:
        fine = check()
    except Exception as error:
        fine, what = False, "%s: %s" % (what, str(error).splitlines()[0][:200])
    right += fine
    if not fine:
        print("wrong:", what)
print("dpnp %s on %s: %d of %d results right" % (dpnp.__version__, found.name, right, len(cases)))
sys.exit(right != len(cases))
