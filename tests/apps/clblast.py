#!/usr/bin/python3
"""Protects: CLBlast, unchanged from the distribution: matrix products of three precisions,
and routines of the levels 1, 2 and 3, beside NumPy's BLAS in higher precision."""
import ctypes
import os
import sys

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

try:
    import numpy
    import pyopencl
    blas = ctypes.CDLL("libclblast.so.1")
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
random = numpy.random.default_rng(3)
size = ctypes.c_size_t

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
LEFT, LOWER, NON_UNIT = 141, 122, 131
# Letter, type, the scalars' type in C, the unit roundoff.
SINGLE = ("S", numpy.float32, ctypes.c_float, 2.0 ** -24)
DOUBLE = ("D", numpy.float64, ctypes.c_double, 2.0 ** -53)
HALF = ("H", numpy.float16, ctypes.c_uint16, 2.0 ** -11)


def scalar(precision, value):
    """A number as the C interface takes it; a half travels as its bits."""
    if precision is HALF:
        return ctypes.c_uint16(int(numpy.float16(value).view(numpy.uint16)))
    return precision[2](value)


def buffer(array):
    flags = pyopencl.mem_flags
    return pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)


def handle(memory):
    return ctypes.c_void_p(memory.int_ptr)


def call(routine, *arguments):
    """Calls a routine on the queue and waits for what it enqueued."""
    on_queue = ctypes.c_void_p(queue.int_ptr)
    status = getattr(blas, "CLBlast" + routine)(*arguments, ctypes.byref(on_queue), None)
    assert status == 0, "%s: CLBlast says %d" % (routine, status)
    queue.finish()


def read(memory, like):
    result = numpy.empty_like(like)
    pyopencl.enqueue_copy(queue, result, memory)
    return result.astype(numpy.longdouble)


results = []


def note(what, good, seen):
    results.append(good)
    print("  %-28s %s%s" % (what, seen, "" if good else ": WRONG"))


def near(what, got, wanted, bound):
    """bound: the rounding error that each element may have."""
    worst = float(numpy.max(numpy.abs(got - wanted) / bound))
    note(what, numpy.isfinite(worst) and worst <= 1, "%.3f of the allowed error" % worst)


def matrix(precision, rows, columns):
    return random.uniform(-1, 1, (rows, columns)).astype(precision[1])


def gemm(precision, m, n, k, transposed):
    """C = alpha A B + beta C.  A sum of k products in any order is off by at most about
    k units of roundoff of the sum of their magnitudes (Higham, section 3.1)."""
    a = matrix(precision, m, k)
    b = matrix(precision, n, k) if transposed else matrix(precision, k, n)
    c = matrix(precision, m, n)
    memory = [buffer(x) for x in (a, b, c)]
    call(precision[0] + "gemm", ROW_MAJOR, PLAIN, TRANSPOSED if transposed else PLAIN,
         size(m), size(n), size(k), scalar(precision, 1.5), handle(memory[0]), size(0), size(k),
         handle(memory[1]), size(0), size(b.shape[1]), scalar(precision, 0.5),
         handle(memory[2]), size(0), size(n))
    exact = [x.astype(numpy.longdouble) for x in (a, b.T if transposed else b, c)]
    magnitude = 1.5 * numpy.abs(exact[0]) @ numpy.abs(exact[1]) + 0.5 * numpy.abs(exact[2])
    near("%sgemm %d x %d x %d%s" % (precision[0], m, n, k, " B transposed" if transposed else ""),
         read(memory[2], c), 1.5 * exact[0] @ exact[1] + 0.5 * exact[2],
         (k + 4) * precision[3] * magnitude)


def gemv(precision, m, n):
    a, x, y = matrix(precision, m, n), matrix(precision, 1, n)[0], matrix(precision, 1, m)[0]
    memory = [buffer(v) for v in (a, x, y)]
    call(precision[0] + "gemv", ROW_MAJOR, PLAIN, size(m), size(n), scalar(precision, 2),
         handle(memory[0]), size(0), size(n), handle(memory[1]), size(0), size(1),
         scalar(precision, -1), handle(memory[2]), size(0), size(1))
    exact = [v.astype(numpy.longdouble) for v in (a, x, y)]
    near("%sgemv %d x %d" % (precision[0], m, n), read(memory[2], y), 2 * exact[0] @ exact[1] - exact[2],
         (n + 4) * precision[3] * (2 * numpy.abs(exact[0]) @ numpy.abs(exact[1]) + numpy.abs(exact[2])))


def trsm(precision, n, columns):
    """A X = B with A lower triangular; the residual is the measure (Higham, section 8.1)."""
    a = numpy.tril(matrix(precision, n, n)) + (4 * numpy.eye(n)).astype(precision[1])
    b = matrix(precision, n, columns)
    memory = [buffer(a), buffer(b)]
    call(precision[0] + "trsm", ROW_MAJOR, LEFT, LOWER, PLAIN, NON_UNIT, size(n), size(columns),
         scalar(precision, 1), handle(memory[0]), size(0), size(n), handle(memory[1]), size(0),
         size(columns))
    x = read(memory[1], b)
    exact = a.astype(numpy.longdouble)
    near("%strsm %d x %d" % (precision[0], n, columns), exact @ x, b.astype(numpy.longdouble),
         4 * n * precision[3] * (numpy.abs(exact) @ numpy.abs(x) + 1))


def vectors(precision, n):
    x, y = matrix(precision, 1, n)[0], matrix(precision, 1, n)[0]
    exact = [v.astype(numpy.longdouble) for v in (x, y)]
    memory = [buffer(v) for v in (x, y)]
    answer = buffer(numpy.zeros(1, precision[1]))
    call(precision[0] + "dot", size(n), handle(answer), size(0), handle(memory[0]), size(0), size(1),
         handle(memory[1]), size(0), size(1))
    near("%sdot %d" % (precision[0], n), read(answer, x[:1]), exact[0] @ exact[1],
         n * precision[3] * (numpy.abs(exact[0]) @ numpy.abs(exact[1])))
    index = buffer(numpy.zeros(1, numpy.uint32))
    call("i%samax" % precision[0].lower() if hasattr(blas, "CLBlasti%samax" % precision[0].lower())
         else "i" + precision[0] + "amax", size(n), handle(index), size(0), handle(memory[0]), size(0), size(1))
    found = int(read(index, numpy.zeros(1, numpy.uint32))[0])
    note("I%samax %d" % (precision[0].lower(), n), found == int(numpy.argmax(numpy.abs(x))), "at %d" % found)
    call(precision[0] + "axpy", size(n), scalar(precision, 0.25), handle(memory[0]), size(0), size(1),
         handle(memory[1]), size(0), size(1))
    near("%saxpy %d" % (precision[0], n), read(memory[1], y), exact[1] + exact[0] / 4,
         2 * precision[3] * (numpy.abs(exact[1]) + numpy.abs(exact[0])))


def version():
    """The library does not say; its file's name does, and a package's metadata."""
    for line in open("/proc/self/maps"):
        if "libclblast.so." in line:
            return os.path.realpath(line.split()[-1]).split(".so.")[1]
    return "?"


precisions = [SINGLE]
if "cl_khr_fp64" in device.extensions:
    precisions.append(DOUBLE)
if "cl_khr_fp16" in device.extensions:
    precisions.append(HALF)
for chosen in precisions:
    # Small ones take CLBlast's direct kernel, others its tiled one; the odd sizes are padded.
    gemm(chosen, 33, 29, 41, False)
    gemm(chosen, 64, 48, 32, True)
    gemv(chosen, 70, 90)
    vectors(chosen, 3000)
    if chosen is not HALF:
        trsm(chosen, 40, 24)
print("CLBlast %s on %s: %d of %d routines right" % (version(), device.name, sum(results), len(results)))
sys.exit(not all(results))
