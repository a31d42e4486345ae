#!/usr/bin/python3
"""Protects: dpnp, NumPy's functions for SYCL, as its wheel is: Intel's SYCL runtime by way of OpenCL, its kernels
as SPIR-V of DPC++, memory all USM: arithmetic of every type, reductions, scans, sorts and products of matrices of
integers, beside NumPy's results; and what oneMKL computes on any GPU: linear algebra beside NumPy's, and random numbers
beside its generator's definition."""
import math
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

# What oneMKL computes with kernels for any GPU.
for kind in ("f4", "f8", "c8", "c16"):
    # One far from singular, and one that equals its own conjugate transpose.
    square = numbers(kind, (12, 12)) + 12 * numpy.eye(12, dtype=kind)
    symmetric = square @ square.conj().T
    case("equations of " + kind, lambda m, a, b: m.linalg.solve(a, b), square, numbers(kind, 12), times=10)
    case("sets of equations of " + kind, lambda m, a, b: m.linalg.solve(m.stack([a, a + 1]), m.stack([b, b])), square,
         numbers(kind, (12, 3)), times=10)
    case("an inverse of " + kind, lambda m, a: m.linalg.inv(a), square, times=10)
    case("a determinant of " + kind, lambda m, a: m.linalg.det(a), square, times=10)
    case("eigenvalues of " + kind, lambda m, a: m.linalg.eigvalsh(a), symmetric, times=10)
    case("singular values of " + kind, lambda m, a: m.linalg.svd(a)[1], square, times=10)
    case("Q times R of " + kind, lambda m, a, kind=kind: a if m is numpy else m.asarray(
        numpy.matmul(*map(dpnp.asnumpy, m.linalg.qr(a))), sycl_queue=queue), square, times=10)
for kind in ("f4", "f8"):
    case("product of vectors of " + kind, lambda m, a, b: m.dot(a, b), numbers(kind), numbers(kind))


def uniform(seed, count=2000):
    """The numbers of oneMKL's generator MCG59, which dpnp uses on GPUs: x, then x * 13^13 mod 2^59, of 2^59."""
    numbers = []
    for _ in range(count):
        numbers.append(seed / 2 ** 59)
        seed = seed * 13 ** 13 % 2 ** 59
    return numpy.array(numbers)


def normal(seed):
    """Box and Muller's, both numbers of a pair."""
    radius, angle = numpy.sqrt(-2 * numpy.log(uniform(seed)[0::2])), 2 * math.pi * uniform(seed)[1::2]
    return numpy.stack([radius * numpy.sin(angle), radius * numpy.cos(angle)], axis=1).reshape(-1)


def random_case(what, got, wanted, tolerance):
    cases.append((what, lambda: bool((abs(dpnp.asnumpy(got(dpnp.random.RandomState(12345, sycl_queue=queue))) -
                                          wanted) <= tolerance).all())))


random_case("random numbers", lambda state: state.rand(2000), uniform(12345), 0)
random_case("random floats", lambda state: state.uniform(-2, 5, size=2000, dtype=numpy.float32),
            7 * uniform(12345) - 2, 1e-6)
random_case("random integers", lambda state: state.randint(3, 1000, size=2000), numpy.floor(997 * uniform(12345) + 3), 0)
random_case("random numbers of a normal distribution", lambda state: state.normal(size=2000), normal(12345), 1e-12)

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
