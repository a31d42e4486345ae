/* Group half: the product of two 4096 x 4096 matrices of halves, summed in float, by tensor cores (cl_culvert_matrix).
 * cuda_half.c is its twin, with cuBLAS. */
#include "config.h"

#include "tests/bench/half_check.h"
#include "tests/bench/half_source.h"
#include "tests/bench/opencl.h"

#include <CL/cl_ext.h>

enum { ROWS = 128, COLUMNS = 256, ITEMS = 256 };
/* What the kernels need; the second aligns it to 1024 bytes. */
enum { NARROW_B = 3 * (128 * 72 + 64 * 264) * 2, WIDE_B = 4 * (128 + 256) * 64 * 2 + 1024 };

struct product {
	cl_command_queue queue;
	cl_kernel kernel;
	size_t n;
};

static double measure(void *context)
{
	const struct product *product = context;
	const size_t n = product->n, local = ITEMS, global = n / ROWS * (n / COLUMNS) * ITEMS;
	const double start_us = bench_us();
	for (unsigned i = 0; i < HALF_LAUNCHES; i++)
		CL_OK(clEnqueueNDRangeKernel(product->queue, product->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
	CL_OK(clFinish(product->queue));
	return half_rate(n, bench_us() - start_us);
}

static void run(size_t n, size_t local_B)
{
	const size_t size_B = n * n * sizeof(uint16_t);
	const cl_uint width = (cl_uint)n;
	struct product product = {opencl_queue(0, 0), NULL, n};
	struct half_data data = half_make(n);
	const cl_mem buffers[] = {opencl_buffer(CL_MEM_READ_WRITE, size_B), opencl_buffer(CL_MEM_READ_WRITE, size_B),
				  opencl_buffer(CL_MEM_READ_WRITE, 2 * size_B)};
	product.kernel = opencl_kernel("product", 3, buffers);
	CL_OK(clSetKernelArg(product.kernel, 3, sizeof(width), &width));
	CL_OK(clSetKernelArg(product.kernel, 4, local_B, NULL));
	CL_OK(clEnqueueWriteBuffer(product.queue, buffers[0], CL_TRUE, 0, size_B, data.a, 0, NULL, NULL));
	CL_OK(clEnqueueWriteBuffer(product.queue, buffers[1], CL_TRUE, 0, size_B, data.b, 0, NULL, NULL));
	bench_row("half", HALF_ROW, "TFLOP/s", HIGHER, measure, &product);
	CL_OK(clEnqueueReadBuffer(product.queue, buffers[2], CL_TRUE, 0, 2 * size_B, data.c, 0, NULL, NULL));
	half_check(&data, n);
	half_end(&data);
	for (unsigned i = 0; i < 3; i++)
		CL_OK(clReleaseMemObject(buffers[i]));
	CL_OK(clReleaseKernel(product.kernel));
	CL_OK(clReleaseCommandQueue(product.queue));
}

int main(int argc, char **argv)
{
	cl_ulong local_B = 0;
	cl_uint major = 0;
	bench_start(argc, argv);
	opencl_choose(1);
	opencl_rows_begin("half");
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_B), &local_B, NULL));
	if (!opencl_has("cl_culvert_matrix")) {
		rows_skip("half", HALF_ROW, "the platform has no matrices");
	} else if (local_B < NARROW_B) {
		rows_skip("half", HALF_ROW, "the device has less local memory");
	} else {
		CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof(major), &major,
				      NULL));
		const bool wide = major == 9 && local_B >= WIDE_B;
		opencl_build(wide ? wide_source : narrow_source, opencl_newest_language());
		run(bench_pick(4096, 4096, 256), wide ? WIDE_B : NARROW_B);
	}
	return opencl_close();
}
