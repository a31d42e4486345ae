/* Group half: the product of two 4096 x 4096 matrices of halves, summed in float, by tensor cores (cl_culvert_matrix).
 * cuda_half.c is its twin, with cuBLAS. */
#include "config.h"

#include "tests/bench/half_check.h"
#include "tests/bench/opencl.h"

/* Eight sub-groups compute 128 x 256 elements, each 64 x 64.  Three tiles of each factor are in local memory, two of
 * them on their way; rows have eight more elements than a tile, so that loads do not meet in banks.  Registers are
 * loaded while those before are multiplied, also those of the next tile.  Work-groups beside each other share rows in
 * the second-level cache. */
static const char source[] =
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	"enum { ROWS = 128, COLUMNS = 256, DEPTH = 64, STEPS = DEPTH / 16, STAGES = 3, ITEMS = 256, BAND = 8 };\n"
	"enum { WIDE_A = DEPTH + 8, WIDE_B = COLUMNS + 8, TILE_A = ROWS * WIDE_A, TILE_B = DEPTH * WIDE_B };\n"
	"\n"
	"/* Each work-item copies 16 bytes, some rows apart. */\n"
	"void tile(local half *to, uint wide, global const half *from, uint n, uint rows, uint columns)\n"
	"{\n"
	"	const uint item = get_local_id(0), x = item % (columns / 8) * 8, y = item / (columns / 8);\n"
	"	const uint step = ITEMS / (columns / 8);\n"
	"	to += y * wide + x;\n"
	"	from += (size_t)y * n + x;\n"
	"	__attribute__((opencl_unroll_hint))\n"
	"	for (uint i = 0; i < rows / step; i++)\n"
	"		culvert_copy_async((local uint4 *)(to + i * step * wide), "
	"(global const uint4 *)(from + (size_t)i * step * n));\n"
	"}\n"
	"void load(culvert_matrix_a_half x[4], culvert_matrix_b_half y[4], const local half *pa, "
	"const local half *pb)\n"
	"{\n"
	"	for (uint i = 0; i < 4; i++)\n"
	"		x[i] = culvert_matrix_load_a_half(pa + i * 16 * WIDE_A, CULVERT_MATRIX_ROW_MAJOR, WIDE_A);\n"
	"	for (uint j = 0; j < 4; j++)\n"
	"		y[j] = culvert_matrix_load_b_half(pb + j * 16, CULVERT_MATRIX_ROW_MAJOR, WIDE_B);\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))\n"
	"void product(global const half *a, global const half *b, global float *c, uint n, local half *memory)\n"
	"{\n"
	"	local half *ta = memory, *tb = memory + STAGES * TILE_A;\n"
	"	const uint sub = get_local_id(0) / 32, row = sub / 4 * 64, column = sub % 4 * 64;\n"
	"	const uint group = get_group_id(0), band = group / (BAND * (n / COLUMNS)), "
	"in = group % (BAND * (n / COLUMNS));\n"
	"	const uint first_row = (band * BAND + in % BAND) * ROWS, first_column = in / BAND * COLUMNS;\n"
	"	culvert_matrix_c_float sums[16];\n"
	"	culvert_matrix_a_half x[2][4];\n"
	"	culvert_matrix_b_half y[2][4];\n"
	"	a += (size_t)first_row * n;\n"
	"	b += first_column;\n"
	"	c += (size_t)(first_row + row) * n + first_column + column;\n"
	"	for (uint i = 0; i < 16; i++)\n"
	"		sums[i] = 0;\n"
	"	for (uint s = 0; s < STAGES - 1; s++) {\n"
	"		tile(ta + s * TILE_A, WIDE_A, a, n, ROWS, DEPTH);\n"
	"		tile(tb + s * TILE_B, WIDE_B, b, n, DEPTH, COLUMNS);\n"
	"		culvert_commit_group_copies();\n"
	"		a += DEPTH;\n"
	"		b += (size_t)DEPTH * n;\n"
	"	}\n"
	"	culvert_wait_group_events(0, 0, STAGES - 2);\n"
	"	load(x[0], y[0], ta + row * WIDE_A, tb + column);\n"
	"	for (uint k = 0, now = 0; k < n / DEPTH; k++) {\n"
	"		const uint free = (now + STAGES - 1) % STAGES;\n"
	"		if (k + STAGES - 1 < n / DEPTH) {\n"
	"			tile(ta + free * TILE_A, WIDE_A, a, n, ROWS, DEPTH);\n"
	"			tile(tb + free * TILE_B, WIDE_B, b, n, DEPTH, COLUMNS);\n"
	"		}\n"
	"		culvert_commit_group_copies();\n"
	"		a += DEPTH;\n"
	"		b += (size_t)DEPTH * n;\n"
	"		__attribute__((opencl_unroll_hint))\n"
	"		for (uint kk = 0; kk < STEPS; kk++) {\n"
	"			const uint next = (kk + 1) % STEPS;\n"
	"			if (!next) {\n"
	"				culvert_wait_group_events(0, 0, STAGES - 2);\n"
	"				now = (now + 1) % STAGES;\n"
	"			}\n"
	"			load(x[next % 2], y[next % 2], ta + now * TILE_A + row * WIDE_A + next * 16,\n"
	"			     tb + now * TILE_B + column + next * 16 * WIDE_B);\n"
	"			for (uint i = 0; i < 16; i++)\n"
	"				sums[i] = culvert_matrix_muladd(x[kk % 2][i / 4], y[kk % 2][i % 4], sums[i]);\n"
	"		}\n"
	"	}\n"
	"	for (uint i = 0; i < 16; i++)\n"
	"		culvert_matrix_store(c + (size_t)(i / 4 * 16) * n + i % 4 * 16, sums[i], "
	"CULVERT_MATRIX_ROW_MAJOR, n);\n"
	"}\n";
enum { ROWS = 128, COLUMNS = 256, ITEMS = 256, LOCAL_B = 3 * (128 * 72 + 64 * 264) * 2 };

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

static void run(size_t n)
{
	const size_t size_B = n * n * sizeof(uint16_t);
	const cl_uint width = (cl_uint)n;
	struct product product = {opencl_queue(0, 0), NULL, n};
	struct half_data data = half_make(n);
	const cl_mem buffers[] = {opencl_buffer(CL_MEM_READ_WRITE, size_B), opencl_buffer(CL_MEM_READ_WRITE, size_B),
				  opencl_buffer(CL_MEM_READ_WRITE, 2 * size_B)};
	product.kernel = opencl_kernel("product", 3, buffers);
	CL_OK(clSetKernelArg(product.kernel, 3, sizeof(width), &width));
	CL_OK(clSetKernelArg(product.kernel, 4, LOCAL_B, NULL));
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
	bench_start(argc, argv);
	opencl_choose(1);
	opencl_rows_begin("half");
	CL_OK(clGetDeviceInfo(opencl.devices[0], CL_DEVICE_LOCAL_MEM_SIZE, sizeof(local_B), &local_B, NULL));
	if (!opencl_has("cl_culvert_matrix")) {
		rows_skip("half", HALF_ROW, "the platform has no matrices");
	} else if (local_B < LOCAL_B) {
		rows_skip("half", HALF_ROW, "the device has less local memory");
	} else {
		opencl_build(source, opencl_newest_language());
		run(bench_pick(4096, 4096, 256));
	}
	return opencl_close();
}
