#!/usr/bin/python3
"""Protects: PyOpenCL, unchanged from the distribution: array arithmetic, a kernel
of one's own, reductions, waiting for events."""
import os
import sys

# Read at import.  What other builds left in the user's cache is not the test's business.
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

try:
    import numpy
    import pyopencl
    import pyopencl.array
    import pyopencl.reduction
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

name = os.environ.get("APP_PLATFORM", "Culvert")
platform = next((p for p in pyopencl.get_platforms() if name in p.name), None)
if platform is None or not platform.get_devices():
    print("skipped: no", name, "device")
    sys.exit(77)

context = pyopencl.Context(platform.get_devices()[:1])
queue = pyopencl.CommandQueue(
    context, properties=pyopencl.command_queue_properties.PROFILING_ENABLE)
random = numpy.random.default_rng(1)
a = random.random(5000, dtype=numpy.float32)
b = random.random(5000, dtype=numpy.float32)
on_device = [pyopencl.array.to_device(queue, x) for x in (a, b)]

total = (2 * on_device[0] + on_device[1] / 3 - 1).get()
# A quotient may be 2.5 ulp off (OpenCL C 3.0, 7.4), and what is near 0 has no more digits than what it was made of.
assert numpy.allclose(total, 2 * a + b / 3 - 1, rtol=1e-6, atol=1e-6), "array arithmetic"

numbers = pyopencl.array.arange(queue, 0, 1000, dtype=numpy.int32)
assert int(pyopencl.array.sum(numbers).get()) == 499500, "a reduction"
dot = pyopencl.reduction.ReductionKernel(
    context, numpy.float64, neutral="0", reduce_expr="a+b", map_expr="(double)x[i]*y[i]",
    arguments="__global const float *x, __global const float *y")(*on_device).get()
assert abs(dot - float(a.astype(numpy.float64) @ b.astype(numpy.float64))) < 1e-9 * 5000, "a dot product"

program = pyopencl.Program(context, """
    kernel void gather(global const float *from, global float *to, uint n)
    {
        uint i = get_global_id(0);
        to[i] = from[(i * 7u + 3u) % n];
    }""").build()
result = pyopencl.array.empty(queue, 5000, numpy.float32)
first = program.gather(queue, (5000,), None, on_device[0].data, result.data, numpy.uint32(5000))
host = numpy.empty_like(a)
second = pyopencl.enqueue_copy(queue, host, result.data, wait_for=[first], is_blocking=False)
pyopencl.wait_for_events([first, second])
assert numpy.array_equal(host, a[(numpy.arange(5000) * 7 + 3) % 5000]), "a kernel of one's own"
assert first.command_execution_status == pyopencl.command_execution_status.COMPLETE
assert first.profile.queued <= first.profile.submit <= first.profile.start <= first.profile.end

try:
    pyopencl.Program(context, "kernel void broken(global int *p) { p[0] = undeclared; }").build()
except pyopencl.RuntimeError as error:
    assert "undeclared" in str(error), "the build log names the mistake"
else:
    raise AssertionError("a broken program was built")
print(platform.name, "-", platform.get_devices()[0].name, "- all right")
