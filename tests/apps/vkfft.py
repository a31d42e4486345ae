#!/usr/bin/python3
"""Protects: VkFFT by way of pyvkfft, unchanged: it writes its kernels anew for every length, here for transforms
of one to three dimensions, complex, real and of cosines, of lengths with small factors, primes and long ones,
beside NumPy's in double precision."""
import os
import sys

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "yes"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

try:
    import numpy
    import pyopencl
    import pyopencl.array
    import pyvkfft.version
    from pyvkfft.opencl import VkFFTApp
except (ImportError, OSError) as error:
    print("skipped:", error)
    sys.exit(77)

name = os.environ.get("APP_PLATFORM", "Culvert")
platform = next((p for p in pyopencl.get_platforms() if name in p.name), None)
if platform is None or not platform.get_devices():
    print("skipped: no", name, "device")
    sys.exit(77)
device = platform.get_devices()[0]
context = pyopencl.Context([device])
queue = pyopencl.CommandQueue(context)
random = numpy.random.default_rng(7)
# Roundoffs for each step; NumPy's own count, too, in double precision.  A length with a large prime factor is done
# by a convolution, which has more steps: 263 has 1.04 to 1.06 on an H200, on NVIDIA's platform and PoCL, too.
MOST = {"single": 1.25, "double": 2.0}
ROUNDOFF = {"single": 2.0 ** -24, "double": 2.0 ** -53}
REAL = {"single": numpy.float32, "double": numpy.float64}
COMPLEX = {"single": numpy.complex64, "double": numpy.complex128}


def error(got, wanted, precision, count):
    """The root mean square of the error beside that of the values, in roundoffs for each of the log2(COUNT)
    steps that a transform takes: it grows no faster in any that is computed well."""
    size, wrong = (numpy.sqrt(numpy.mean(numpy.abs(of) ** 2)) for of in (wanted, got - wanted))
    return wrong / size / ROUNDOFF[precision] / numpy.log2(count)


def complex_case(shape, dimensions, precision, direction, in_place):
    given = (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(COMPLEX[precision])
    application = VkFFTApp(shape, given.dtype, queue, ndim=dimensions, inplace=in_place, norm=1)
    source = pyopencl.array.to_device(queue, given)
    target = source if in_place else pyopencl.array.empty_like(source)
    (application.fft if direction == "forward" else application.ifft)(source, target)
    axes = tuple(range(-dimensions, 0))
    wide = given.astype(numpy.complex128)
    wanted = (numpy.fft.fftn if direction == "forward" else numpy.fft.ifftn)(wide, axes=axes)
    return error(target.get(), wanted, precision, numpy.prod(shape[-dimensions:]))


def real_case(shape, dimensions, precision, direction):
    given = random.standard_normal(shape).astype(REAL[precision])
    axes = tuple(range(-dimensions, 0))
    spectrum = numpy.fft.rfftn(given.astype(numpy.float64), axes=axes)
    application = VkFFTApp(shape, given.dtype, queue, ndim=dimensions, inplace=False, r2c=True, norm=1)
    real = pyopencl.array.to_device(queue, given)
    half = pyopencl.array.to_device(queue, spectrum.astype(COMPLEX[precision], order="C"))
    count = numpy.prod(shape[-dimensions:])
    if direction == "forward":
        return error(application.fft(real, half).get(), spectrum, precision, count)
    return error(application.ifft(half, real).get(), given.astype(numpy.float64), precision, count)


def cosine_case(length, precision):
    """The second kind, by its definition: twice the sum of x[n] cos(pi k (2n + 1) / 2N)."""
    given = random.standard_normal((3, length)).astype(REAL[precision])
    n = numpy.arange(length)
    turns = numpy.outer(2 * n + 1, n) % (4 * length)
    wanted = given.astype(numpy.float64) @ (2 * numpy.cos(numpy.pi / (2 * length) * turns))
    application = VkFFTApp(given.shape, given.dtype, queue, ndim=1, inplace=False, dct=2, norm=1)
    source = pyopencl.array.to_device(queue, given)
    return error(application.fft(source, pyopencl.array.empty_like(source)).get(), wanted, precision, length)


cases = []
for precision in ("single", "double"):
    # Small factors; a prime by Rader's way and one by Bluestein's; one that takes several kernels; planes; a solid.
    for shape, dimensions in (((3, 64), 1), ((2, 2310), 1), ((2, 127), 1), ((2, 263), 1), ((1, 16384), 1),
                              ((2, 15, 52), 2), ((12, 10, 14), 3)):
        for direction in ("forward", "backward"):
            cases.append(("complex %s %s %s" % (precision, "x".join(map(str, shape)), direction),
                          complex_case, (shape, dimensions, precision, direction, len(shape) == 2)))
    for shape, dimensions in (((3, 128), 1), ((2, 90), 1), ((24, 26), 2), ((6, 10, 16), 3)):
        for direction in ("forward", "backward"):
            cases.append(("real %s %s %s" % (precision, "x".join(map(str, shape)), direction),
                          real_case, (shape, dimensions, precision, direction)))
    for length in (32, 75):
        cases.append(("cosines %s %d" % (precision, length), cosine_case, (length, precision)))
right = 0
for what, case, arguments in cases:
    try:
        seen = case(*arguments)
        good = bool(seen < MOST[what.split()[1]])
        said = "%.2f roundoffs a step" % seen
    except (RuntimeError, pyopencl.Error) as failed:
        good, said = False, str(failed)
    right += good
    print("  %-36s %s%s" % (what, said, "" if good else ": WRONG"), flush=True)
print("VkFFT %s on %s: %d of %d transforms right"
      % (pyvkfft.version.vkfft_version(), device.name, right, len(cases)))
sys.exit(right != len(cases))
