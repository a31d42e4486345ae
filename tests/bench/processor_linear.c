/* Linear algebra and transforms: products of matrices in three ways, a sparse matrix, Fourier's. */
#include "config.h"

#include "tests/bench/processor.h"

#include <math.h>
#include <stdlib.h>

static size_t size;

/* --- products of matrices: C = A B, of size * size floats ------------------------------------ */

static void matrix_buffers(void)
{
	size = bench_pick(384, 256, 64);
	float *a = processor_units(size * size, 0), *b = processor_units(size * size, 1u << 20);
	processor_buffer(0, size * size * sizeof(float), a);
	processor_buffer(1, size * size * sizeof(float), b);
	processor_buffer(2, size * size * sizeof(float), NULL);
	free(a);
	free(b);
}

/* One element in 97. */
static void matrix_check(void)
{
	float *c = processor_read(2, size * size * sizeof(float));
	for (size_t place = 0; place < size * size; place += 97) {
		double sum = 0;
		for (size_t k = 0; k < size; k++)
			sum += (double)processor_unit((uint32_t)(place / size * size + k)) *
			       processor_unit((1u << 20) + (uint32_t)(k * size + place % size));
		processor_expect("product of matrices", place, c[place], sum, 1e-4);
	}
	free(c);
}

static void matrix_start(void)
{
	matrix_buffers();
	processor_kernel(0, "product", "012");
	processor_uint(0, 3, (cl_uint)size);
}

static void matrix_run(void)
{
	processor_launch(0, 2, (size_t[]){size, size}, (size_t[]){16, 16});
}

static void matrix_run_registers(void)
{
	processor_launch(0, 2, (size_t[]){size / 4, size / 4}, (size_t[]){16, 16});
}

static const char matrix_naive[] =
	"kernel void product(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	const uint x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0;\n"
	"	for (uint k = 0; k < n; k++)\n"
	"		sum += a[y * n + k] * b[k * n + x];\n"
	"	c[y * n + x] = sum;\n"
	"}\n";

static const char matrix_tiled[] =
	"kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
	"void product(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float p[16][16], q[16][16];\n"
	"	const uint i = get_local_id(0), j = get_local_id(1);\n"
	"	const uint x = get_global_id(0), y = get_global_id(1);\n"
	"	float sum = 0;\n"
	"	for (uint t = 0; t < n; t += 16) {\n"
	"		p[j][i] = a[y * n + t + i];\n"
	"		q[j][i] = b[(t + j) * n + x];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint k = 0; k < 16; k++)\n"
	"			sum += p[j][k] * q[k][i];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[y * n + x] = sum;\n"
	"}\n";

/* A work-group makes 64 * 64 elements, a work-item 4 * 4 of them. */
static const char matrix_registers[] =
	"kernel __attribute__((reqd_work_group_size(16, 16, 1)))\n"
	"void product(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float p[16][64], q[16][64];\n"
	"	const uint i = get_local_id(0), j = get_local_id(1), l = j * 16 + i;\n"
	"	const uint x = get_group_id(0) * 64, y = get_group_id(1) * 64;\n"
	"	float sum[4][4] = {{0}};\n"
	"	for (uint t = 0; t < n; t += 16) {\n"
	"		for (uint s = 0; s < 4; s++) {\n"
	"			const uint m = s * 256 + l;\n"
	"			p[m & 15][m >> 4] = a[(y + (m >> 4)) * n + t + (m & 15)];\n"
	"			q[m >> 6][m & 63] = b[(t + (m >> 6)) * n + x + (m & 63)];\n"
	"		}\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint k = 0; k < 16; k++) {\n"
	"			float u[4], v[4];\n"
	"			for (uint s = 0; s < 4; s++) {\n"
	"				u[s] = p[k][j + 16 * s];\n"
	"				v[s] = q[k][i + 16 * s];\n"
	"			}\n"
	"			for (uint r = 0; r < 4; r++)\n"
	"				for (uint s = 0; s < 4; s++)\n"
	"					sum[r][s] += u[r] * v[s];\n"
	"		}\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	for (uint r = 0; r < 4; r++)\n"
	"		for (uint s = 0; s < 4; s++)\n"
	"			c[(y + j + 16 * r) * n + x + i + 16 * s] = sum[r][s];\n"
	"}\n";

/* --- a sparse matrix by a vector: rows of 1 to 31 elements --------------------------------------- */

static const char sparse[] =
	"kernel void spmv(global const uint *start, global const uint *column,\n"
	"		  global const float *value, global const float *x, global float *y)\n"
	"{\n"
	"	const uint row = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	for (uint i = start[row]; i < start[row + 1]; i++)\n"
	"		sum += value[i] * x[column[i]];\n"
	"	y[row] = sum;\n"
	"}\n";

static uint32_t sparse_count(uint32_t row)
{
	return 1 + processor_random(row) % 31;
}

static uint32_t sparse_column(uint32_t row, uint32_t i)
{
	return processor_random(row * 32 + i + 7) % (uint32_t)size;
}

static void sparse_start(void)
{
	size = bench_pick(1 << 16, 1 << 15, 1 << 10);
	uint32_t *start = processor_allocate((size + 1) * sizeof(*start));
	start[0] = 0;
	for (uint32_t row = 0; row < size; row++)
		start[row + 1] = start[row] + sparse_count(row);
	const uint32_t count = start[size];
	uint32_t *column = processor_allocate(count * sizeof(*column));
	float *value = processor_units(count, 0), *x = processor_units(size, 1u << 24);
	for (uint32_t row = 0; row < size; row++)
		for (uint32_t i = start[row]; i < start[row + 1]; i++)
			column[i] = sparse_column(row, i - start[row]);
	processor_buffer(0, (size + 1) * sizeof(*start), start);
	processor_buffer(1, count * sizeof(*column), column);
	processor_buffer(2, count * sizeof(*value), value);
	processor_buffer(3, size * sizeof(*x), x);
	processor_buffer(4, size * sizeof(float), NULL);
	processor_kernel(0, "spmv", "01234");
	free(start);
	free(column);
	free(value);
	free(x);
}

static void sparse_run(void)
{
	processor_line(0, size, 128);
}

static void sparse_check(void)
{
	float *y = processor_read(4, size * sizeof(float));
	uint32_t at = 0;
	for (uint32_t row = 0; row < size; row++) {
		double sum = 0;
		for (uint32_t i = 0; i < sparse_count(row); i++)
			sum += (double)processor_unit(at++) *
			       processor_unit((1u << 24) + sparse_column(row, i));
		processor_expect("sparse matrix by vector", row, y[row], sum, 1e-5);
	}
	free(y);
}

/* --- Fourier's transform: Stockham's passes of radix 2, one launch each ---------------------------- */

static const char fourier[] =
	"kernel void pass(global const float2 *from, global float2 *to, uint half_size, uint width)\n"
	"{\n"
	"	const uint i = get_global_id(0), k = i & (width - 1);\n"
	"	const float angle = -M_PI_F * (float)k / (float)width;\n"
	"	const float2 w = (float2)(native_cos(angle), native_sin(angle));\n"
	"	const float2 u = from[i], v = from[i + half_size];\n"
	"	const float2 t = (float2)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);\n"
	"	const uint at = ((i - k) << 1) + k;\n"
	"	to[at] = u + t;\n"
	"	to[at + width] = u - t;\n"
	"}\n";

static unsigned fourier_passes;

static void fourier_start(void)
{
	fourier_passes = (unsigned)bench_pick(17, 15, 10);
	size = (size_t)1 << fourier_passes;
	float *values = processor_units(2 * size, 0);
	processor_buffer(0, 2 * size * sizeof(float), values);
	processor_buffer(1, 2 * size * sizeof(float), NULL);
	processor_buffer(2, 2 * size * sizeof(float), NULL);
	free(values);
	processor_kernel(0, "pass", "01");
	processor_kernel(1, "pass", "12");
	processor_kernel(2, "pass", "21");
	for (unsigned i = 0; i < 3; i++)
		processor_uint(i, 2, (cl_uint)(size / 2));
}

static void fourier_run(void)
{
	for (unsigned pass = 0; pass < fourier_passes; pass++) {
		const unsigned kernel = pass ? 1 + (pass - 1) % 2 : 0;
		processor_uint(kernel, 3, 1u << pass);
		processor_line(kernel, size / 2, 128);
	}
}

/* Three frequencies, by the definition. */
static void fourier_check(void)
{
	const unsigned last = fourier_passes % 2 ? 1 : 2;
	float *values = processor_read(last, 2 * size * sizeof(float));
	for (size_t k = 0; k < size; k += size / 3) {
		double re = 0, im = 0;
		for (size_t i = 0; i < size; i++) {
			const double angle = -2 * 3.14159265358979323846 *
					     (double)(i * k % size) / (double)size;
			const double x = processor_unit((uint32_t)(2 * i));
			const double y = processor_unit((uint32_t)(2 * i + 1));
			re += x * cos(angle) - y * sin(angle);
			im += x * sin(angle) + y * cos(angle);
		}
		processor_expect("Fourier transform", 2 * k, values[2 * k] / sqrt((double)size),
				 re / sqrt((double)size), 1e-3);
		processor_expect("Fourier transform", 2 * k + 1,
				 values[2 * k + 1] / sqrt((double)size), im / sqrt((double)size),
				 1e-3);
	}
	free(values);
}

const struct processor_case processor_linear[] = {
	{"matrix product", matrix_naive, matrix_start, matrix_run, matrix_check},
	{"matrix product, tiles", matrix_tiled, matrix_start, matrix_run, matrix_check},
	{"matrix product, tiles and registers", matrix_registers, matrix_start,
	 matrix_run_registers, matrix_check},
	{"sparse matrix by vector", sparse, sparse_start, sparse_run, sparse_check},
	{"Fourier transform", fourier, fourier_start, fourier_run, fourier_check},
	{NULL, NULL, NULL, NULL, NULL}
};
