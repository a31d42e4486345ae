#!/usr/bin/python3
"""Protects: clFFT, unchanged from the distribution: transforms of many lengths, of one to three dimensions,
complex and real, single and double, in and out of place, beside NumPy's in double precision."""
import ctypes
import os
import sys

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

try:
    import numpy
    import pyopencl
    fft = ctypes.CDLL("libclFFT.so.2")
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
random = numpy.random.default_rng(5)

# clFFT.h's names.
SINGLE, DOUBLE = 1, 2
COMPLEX, HERMITIAN, REAL = 1, 3, 5
IN_PLACE, OUT_OF_PLACE = 1, 2
FORWARD, BACKWARD = -1, 1
# Roundoffs for each step; NumPy's own count, too, in double precision.
MOST = {SINGLE: 1.0, DOUBLE: 2.0}
ROUNDOFF = {SINGLE: 2.0 ** -24, DOUBLE: 2.0 ** -53}
COMPLEX_TYPE = {SINGLE: numpy.complex64, DOUBLE: numpy.complex128}
REAL_TYPE = {SINGLE: numpy.float32, DOUBLE: numpy.float64}


def call(function, *arguments):
    status = getattr(fft, function)(*arguments)
    if status != 0:
        raise RuntimeError("%s: clFFT says %d" % (function, status))


class Plan:
    """A transform of arrays of this SHAPE, BATCH of them one after the other."""

    def __init__(self, shape, batch, precision, layouts, place):
        self.handle = ctypes.c_size_t()
        lengths = (ctypes.c_size_t * len(shape))(*reversed(shape))
        call("clfftCreateDefaultPlan", ctypes.byref(self.handle), ctypes.c_void_p(context.int_ptr), len(shape), lengths)
        call("clfftSetPlanPrecision", self.handle, precision)
        call("clfftSetLayout", self.handle, *layouts)
        call("clfftSetResultLocation", self.handle, place)
        call("clfftSetPlanBatchSize", self.handle, ctypes.c_size_t(batch))
        if layouts != (COMPLEX, COMPLEX):
            self.distances(shape, layouts)
        on_queue = ctypes.c_void_p(queue.int_ptr)
        call("clfftBakePlan", self.handle, 1, ctypes.byref(on_queue), None, None)

    def distances(self, shape, layouts):
        """Strides of what is real, and of its half of a spectrum, both without gaps."""
        half = shape[:-1] + (shape[-1] // 2 + 1,)
        for layout, put in zip(layouts, ("In", "Out")):
            of = shape if layout == REAL else half
            strides, step = [], 1
            for length in reversed(of):
                strides.append(step)
                step *= length
            call("clfftSetPlan%sStride" % put, self.handle, len(of), (ctypes.c_size_t * len(of))(*strides))
            setattr(self, put, step)
        call("clfftSetPlanDistance", self.handle, ctypes.c_size_t(self.In), ctypes.c_size_t(self.Out))

    def run(self, direction, given, result=None):
        """What becomes of GIVEN, in RESULT's shape and type, or in its own place."""
        flags = pyopencl.mem_flags
        source = pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=given)
        out = numpy.empty_like(given) if result is None else result
        target = None if result is None else pyopencl.Buffer(context, flags.READ_WRITE, result.nbytes)
        on_queue, inputs = ctypes.c_void_p(queue.int_ptr), ctypes.c_void_p(source.int_ptr)
        outputs = ctypes.c_void_p(target.int_ptr if target else None)
        call("clfftEnqueueTransform", self.handle, direction, 1, ctypes.byref(on_queue), 0, None, None,
             ctypes.byref(inputs), ctypes.byref(outputs) if target else None, None)
        pyopencl.enqueue_copy(queue, out, target or source)
        call("clfftDestroyPlan", ctypes.byref(self.handle))
        return out


def error(got, wanted, precision, count):
    """The root mean square of the error beside that of the values, in roundoffs for each of the log2(COUNT)
    steps that a transform takes: it grows no faster in any that is computed well."""
    size, wrong = (numpy.sqrt(numpy.mean(numpy.abs(of) ** 2)) for of in (wanted, got - wanted))
    return wrong / size / ROUNDOFF[precision] / numpy.log2(count)


def values(shape, kind):
    if numpy.issubdtype(kind, numpy.complexfloating):
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(kind)
    return random.standard_normal(shape).astype(kind)


def complex_case(shape, batch, precision, place, direction):
    given = values((batch,) + shape, COMPLEX_TYPE[precision])
    axes = tuple(range(1, len(shape) + 1))
    wide = given.astype(numpy.complex128)
    wanted = numpy.fft.fftn(wide, axes=axes) if direction == FORWARD else numpy.fft.ifftn(wide, axes=axes)
    plan = Plan(shape, batch, precision, (COMPLEX, COMPLEX), place)
    got = plan.run(direction, given, numpy.empty_like(given) if place == OUT_OF_PLACE else None)
    return error(got, wanted, precision, numpy.prod(shape))


def real_case(shape, batch, precision, direction):
    axes = tuple(range(1, len(shape) + 1))
    given = values((batch,) + shape, REAL_TYPE[precision])
    spectrum = numpy.fft.rfftn(given.astype(numpy.float64), axes=axes)
    if direction == FORWARD:
        plan = Plan(shape, batch, precision, (REAL, HERMITIAN), OUT_OF_PLACE)
        got = plan.run(FORWARD, given, numpy.empty(spectrum.shape, COMPLEX_TYPE[precision]))
        return error(got, spectrum, precision, numpy.prod(shape))
    plan = Plan(shape, batch, precision, (HERMITIAN, REAL), OUT_OF_PLACE)
    got = plan.run(BACKWARD, spectrum.astype(COMPLEX_TYPE[precision], order="C"), numpy.empty_like(given))
    return error(got, given.astype(numpy.float64), precision, numpy.prod(shape))


class Setup(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 3), ("flags", ctypes.c_uint64)]


major, minor, patch = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_uint32()
call("clfftGetVersion", ctypes.byref(major), ctypes.byref(minor), ctypes.byref(patch))
version = "%d.%d.%d" % (major.value, minor.value, patch.value)
call("clfftSetup", ctypes.byref(Setup((major.value, minor.value, patch.value), 0)))
cases = []
for precision in (SINGLE, DOUBLE):
    letter = "single" if precision == SINGLE else "double"
    # Powers of each radix, a product of five, one that takes more than a kernel, planes and a solid.
    for shape, batch in (((64,), 5), ((243,), 3), ((625,), 2), ((343,), 2), ((121,), 2), ((169,), 2), ((2310,), 2),
                         ((8192,), 1), ((32, 48), 2), ((15, 14), 3), ((8, 12, 10), 2)):
        place = IN_PLACE if batch == 2 else OUT_OF_PLACE
        for direction, way in ((FORWARD, "forward"), (BACKWARD, "backward")):
            cases.append(("complex %s %s %s" % (letter, "x".join(map(str, shape)), way),
                          complex_case, (shape, batch, precision, place, direction)))
    for shape, batch in (((128,), 3), ((150,), 2), ((24, 32), 2), ((6, 10, 16), 1)):
        for direction, way in ((FORWARD, "forward"), (BACKWARD, "backward")):
            cases.append(("real %s %s %s" % (letter, "x".join(map(str, shape)), way),
                          real_case, (shape, batch, precision, direction)))
right = 0
for what, case, arguments in cases:
    try:
        seen = case(*arguments)
        good = bool(seen < MOST[arguments[2]])
        said = "%.2f roundoffs a step" % seen
    except (RuntimeError, pyopencl.Error) as failed:
        good, said = False, str(failed)
    right += good
    print("  %-40s %s%s" % (what, said, "" if good else ": WRONG"))
call("clfftTeardown")
print("clFFT %s on %s: %d of %d transforms right" % (version, device.name, right, len(cases)))
sys.exit(right != len(cases))
