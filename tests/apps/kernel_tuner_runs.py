#!/usr/bin/python3
"""Protects: Kernel Tuner, which builds a kernel with many sets of macros and sizes of work-groups, measures each by
events, and compares what it computes with a reference: sums, products of matrices in tiles, a convolution in local
memory and one over constant memory, each set a result.  APP_PYTHON is a Python that has kernel_tuner, numpy and pyopencl."""
import sys

from results import Results, device, started

started()
try:
    import numpy
    import pyopencl
    import kernel_tuner
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

found = device()
number = pyopencl.get_platforms().index(found.platform)
random = numpy.random.default_rng(3)

ADD = """
kernel void add(global float *c, global const float *a, global const float *b, int n)
{
	for (int i = get_global_id(0) * per_item; i < (get_global_id(0) + 1) * per_item && i < n; i++)
		c[i] = a[i] + b[i];
}
"""
PRODUCT = """
kernel void product(global float *c, global const float *a, global const float *b)
{
	local float left[block_size_y][block_size_x], right[block_size_x][block_size_x];
	int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
	float sum = 0;
	for (int k = 0; k < WIDTH; k += block_size_x) {
		left[y][x] = a[row * WIDTH + k + x];
		for (int i = y; i < block_size_x; i += block_size_y)
			right[i][x] = b[(k + i) * WIDTH + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		#pragma unroll unroll_by
		for (int i = 0; i < block_size_x; i++)
			sum += left[y][i] * right[i][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * WIDTH + column] = sum;
}
"""
CONVOLUTION = """
kernel void convolution(global float *out, global const float *in, constant float *weights)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= WIDTH - 4 || y >= WIDTH - 4)
		return;
	float sum = 0;
#if by_rows
	for (int j = 0; j < 5; j++)
		for (int i = 0; i < 5; i++)
#else
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
#endif
			sum += in[(y + j) * WIDTH + x + i] * weights[j * 5 + i];
	out[y * WIDTH + x] = sum;
}
"""
REDUCTION = """
kernel void total(global float *out, global const float *in, int n)
{
	local float part[block_size_x];
	float sum = 0;
	for (int i = get_local_id(0); i < n; i += block_size_x)
		sum += in[i];
	part[get_local_id(0)] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int half_ = block_size_x / 2; half_; half_ /= 2) {
		if (get_local_id(0) < half_)
			part[get_local_id(0)] += part[get_local_id(0) + half_];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (!get_local_id(0))
		*out = part[0];
}
"""


def real(*shape):
    return random.random(shape).astype(numpy.float32)


def tuned(name, text, size, arguments, answer, macros, many, **more):
    """Whether each set of MACROS, MANY, was built, ran and gave the answer."""
    results, _ = kernel_tuner.tune_kernel(name, text, size, arguments, macros, answer=answer, atol=1e-3, lang="OpenCL",
                                          platform=number, device=0, iterations=2, quiet=True, verbose=False, **more)
    return len(results) == many and all(isinstance(result["time"], float) for result in results)


a, b = real(1000), real(1000)
width = 64
left, right = real(width, width), real(width, width)
weights = real(25)
WIDTH = {"WIDTH": [width]}
convolved = numpy.zeros((width, width), numpy.float32)
for j in range(5):
    for i in range(5):
        convolved[:width - 4, :width - 4] += left[j:j + width - 4, i:i + width - 4] * weights[j * 5 + i]

results = Results()
results.add("sums, 12 sets", lambda: tuned(
    "add", ADD, 1000, [numpy.zeros_like(a), a, b, numpy.int32(1000)], [a + b, None, None, None],
    {"block_size_x": [32, 64, 96, 256], "per_item": [1, 2, 5]}, 12, grid_div_x=["block_size_x"]))
results.add("products in tiles, 18 sets", lambda: tuned(
    "product", PRODUCT, (width, width), [numpy.zeros_like(left), left, right], [left @ right, None, None],
    dict(WIDTH, block_size_x=[8, 16, 32], block_size_y=[2, 4, 8], unroll_by=[1, 4]), 18))
results.add("convolution, 12 sets", lambda: tuned(
    "convolution", CONVOLUTION, (width, width), [numpy.zeros_like(left), left, weights], [convolved, None, None],
    dict(WIDTH, block_size_x=[16, 32, 48], block_size_y=[1, 4], by_rows=[0, 1]), 12))
results.add("sum of all, 6 sets", lambda: tuned(
    "total", REDUCTION, 1, [numpy.zeros(1, numpy.float32), a, numpy.int32(1000)], [numpy.array([a.sum()]), None, None],
    {"block_size_x": [32, 64, 128, 256, 512, 1024]}, 6, grid_div_x=[]))
for strategy in ("random_sample", "greedy_mls", "genetic_algorithm"):
    results.add("by " + strategy, lambda strategy=strategy: kernel_tuner.tune_kernel(
        "add", ADD, 1000, [numpy.zeros_like(a), a, b, numpy.int32(1000)],
        {"block_size_x": [32, 64, 96, 256], "per_item": [1, 2, 5]}, answer=[a + b, None, None, None], lang="OpenCL",
        platform=number, device=0, iterations=2, quiet=True, grid_div_x=["block_size_x"], strategy=strategy,
        strategy_options={"max_fevals": 5})[0])
results.add("one launch", lambda: numpy.allclose(kernel_tuner.run_kernel(
    "total", REDUCTION, 1, [numpy.zeros(1, numpy.float32), a, numpy.int32(1000)], {"block_size_x": 128}, lang="OpenCL",
    platform=number, device=0, grid_div_x=[])[0], a.sum(), rtol=1e-5))
results.end("Kernel Tuner", kernel_tuner.__version__, found.name, "runs")
