/* Much memory and little arithmetic: streams, stencils, sums. */
#include "config.h"

#include "tests/bench/processor.h"

#include <stdlib.h>
#include <string.h>

static size_t size;

/* --- streams: three arrays, as BabelStream's kernels have them ------------------------------------- */

static const char streams[] =
	"kernel void copy(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	c[i] = a[i];\n"
	"}\n"
	"kernel void scale(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	c[i] = 0.4f * a[i];\n"
	"}\n"
	"kernel void add(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n"
	"kernel void triad(global const float *a, global const float *b, global float *c)\n"
	"{\n"
	"	const size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + 0.4f * b[i];\n"
	"}\n";


static void streams_start(const char *kernel)
{
	size = bench_pick(1 << 20, 1 << 18, 1 << 12);
	float *a = processor_units(size, 0), *b = processor_units(size, 1u << 24);
	processor_buffer(0, size * sizeof(float), a);
	processor_buffer(1, size * sizeof(float), b);
	processor_buffer(2, size * sizeof(float), NULL);
	processor_kernel(0, kernel, "012");
	free(a);
	free(b);
}

static void streams_run(void)
{
	for (unsigned i = 0; i < 4; i++)
		processor_line(0, size, 256);
}

static void streams_check(float first, float second)
{
	float *c = processor_read(2, size * sizeof(float));
	for (size_t i = 0; i < size; i++)
		processor_expect("stream", i, c[i],
				 (double)first * processor_unit((uint32_t)i) +
				 (double)second * processor_unit((1u << 24) + (uint32_t)i), 1e-6);
	free(c);
}

static void copy_start(void) { streams_start("copy"); }
static void copy_check(void) { streams_check(1, 0); }
static void scale_start(void) { streams_start("scale"); }
static void scale_check(void) { streams_check(0.4f, 0); }
static void add_start(void) { streams_start("add"); }
static void add_check(void) { streams_check(1, 1); }
static void triad_start(void) { streams_start("triad"); }
static void triad_check(void) { streams_check(1, 0.4f); }

/* --- stencils ------------------------------------------------------------------------------------------ */

static const char stencil_2d[] =
	"kernel void stencil(global const float *from, global float *to, uint n)\n"
	"{\n"
	"	const uint x = get_global_id(0), y = get_global_id(1), i = y * n + x;\n"
	"	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)\n"
	"		to[i] = from[i];\n"
	"	else\n"
	"		to[i] = 0.5f * from[i] + 0.125f * (from[i - 1] + from[i + 1] +\n"
	"						   from[i - n] + from[i + n]);\n"
	"}\n";

static void stencil_start(void)
{
	size = bench_pick(1024, 512, 64);
	float *values = processor_units(size * size, 0);
	processor_buffer(0, size * size * sizeof(float), values);
	processor_buffer(1, size * size * sizeof(float), NULL);
	processor_kernel(0, "stencil", "01");
	processor_uint(0, 2, (cl_uint)size);
	free(values);
}

static void stencil_run(void)
{
	for (unsigned i = 0; i < 4; i++)
		processor_launch(0, 2, (size_t[]){size, size}, (size_t[]){32, 8});
}

static double stencil_at(size_t x, size_t y)
{
	return processor_unit((uint32_t)(y * size + x));
}

static void stencil_check(void)
{
	float *to = processor_read(1, size * size * sizeof(float));
	for (size_t y = 0; y < size; y++)
		for (size_t x = 0; x < size; x++) {
			double value = stencil_at(x, y);
			if (x && y && x < size - 1 && y < size - 1)
				value = 0.5 * value +
					0.125 * (stencil_at(x - 1, y) + stencil_at(x + 1, y) +
						 stencil_at(x, y - 1) + stencil_at(x, y + 1));
			processor_expect("stencil", y * size + x, to[y * size + x], value, 1e-6);
		}
	free(to);
}

/* Of 3 dimensions, in planes: a work-item walks along z and keeps what it has read. */
static const char stencil_3d[] =
	"kernel void stencil(global const float *from, global float *to, uint n)\n"
	"{\n"
	"	const uint x = get_global_id(0), y = get_global_id(1);\n"
	"	if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1)\n"
	"		return;\n"
	"	uint i = n * n + y * n + x;\n"
	"	float below = from[i - n * n], here = from[i];\n"
	"	for (uint z = 1; z < n - 1; z++, i += n * n) {\n"
	"		const float above = from[i + n * n];\n"
	"		to[i] = 0.4f * here + 0.1f * (below + above + from[i - 1] + from[i + 1] +\n"
	"					      from[i - n] + from[i + n]);\n"
	"		below = here;\n"
	"		here = above;\n"
	"	}\n"
	"}\n";

static void volume_start(void)
{
	size = bench_pick(96, 64, 16);
	const size_t count = size * size * size;
	float *values = processor_units(count, 0);
	processor_buffer(0, count * sizeof(float), values);
	processor_buffer(1, count * sizeof(float), values);
	processor_kernel(0, "stencil", "01");
	processor_uint(0, 2, (cl_uint)size);
	free(values);
}

static void volume_run(void)
{
	processor_launch(0, 2, (size_t[]){size, size}, (size_t[]){16, 8});
}

static void volume_check(void)
{
	const size_t n = size, count = n * n * n;
	float *to = processor_read(1, count * sizeof(float));
	for (size_t i = 0; i < count; i++) {
		const size_t x = i % n, y = i / n % n, z = i / n / n;
		double value = processor_unit((uint32_t)i);
		if (x && y && z && x < n - 1 && y < n - 1 && z < n - 1) {
			const size_t near[] = {i - 1, i + 1, i - n, i + n, i - n * n, i + n * n};
			double sum = 0;
			for (unsigned k = 0; k < 6; k++)
				sum += processor_unit((uint32_t)near[k]);
			value = 0.4 * value + 0.1 * sum;
		}
		processor_expect("stencil, 3D", i, to[i], value, 1e-6);
	}
	free(to);
}

/* --- sums ------------------------------------------------------------------------------------------------ */

static const char reduction[] =
	"kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
	"void reduce(global const float *a, global const float *b, global float *sums, uint n)\n"
	"{\n"
	"	local float part[256];\n"
	"	const uint l = get_local_id(0);\n"
	"	float sum = 0;\n"
	"	for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"		sum += a[i] * b[i];\n"
	"	part[l] = sum;\n"
	"	for (uint s = 128; s; s >>= 1) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (l < s)\n"
	"			part[l] += part[l + s];\n"
	"	}\n"
	"	if (!l)\n"
	"		sums[get_group_id(0)] = part[0];\n"
	"}\n";

enum { REDUCTION_GROUPS = 256 };

static void reduction_start(void)
{
	streams_start("reduce");
	processor_uint(0, 3, (cl_uint)size);
}

static void reduction_run(void)
{
	for (unsigned i = 0; i < 4; i++)
		processor_line(0, REDUCTION_GROUPS * 256, 256);
}

static void reduction_check(void)
{
	float *sums = processor_read(2, REDUCTION_GROUPS * sizeof(float));
	double sum = 0, expected = 0;
	for (size_t i = 0; i < REDUCTION_GROUPS; i++)
		sum += sums[i];
	for (size_t i = 0; i < size; i++)
		expected += (double)processor_unit((uint32_t)i) *
			    processor_unit((1u << 24) + (uint32_t)i);
	processor_expect("dot product", 0, sum, expected, 1e-5);
	free(sums);
}

/* Each work-group's prefix sums, then those of the groups, then both together. */
static const char scan[] =
	"kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
	"void scan(global const uint *in, global uint *out, global uint *totals)\n"
	"{\n"
	"	local uint part[2][256];\n"
	"	const uint l = get_local_id(0), i = get_global_id(0);\n"
	"	uint at = 0;\n"
	"	part[0][l] = in[i];\n"
	"	for (uint s = 1; s < 256; s <<= 1) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		part[at ^ 1][l] = part[at][l] + (l >= s ? part[at][l - s] : 0);\n"
	"		at ^= 1;\n"
	"	}\n"
	"	out[i] = part[at][l];\n"
	"	if (l == 255)\n"
	"		totals[get_group_id(0)] = part[at][l];\n"
	"}\n"
	"kernel void offsets(global uint *totals, uint n)\n"
	"{\n"
	"	uint sum = 0;\n"
	"	for (uint i = 0; i < n; i++) {\n"
	"		const uint own = totals[i];\n"
	"		totals[i] = sum;\n"
	"		sum += own;\n"
	"	}\n"
	"}\n"
	"kernel void add(global const uint *totals, global uint *out)\n"
	"{\n"
	"	out[get_global_id(0)] += totals[get_group_id(0)];\n"
	"}\n";

static void scan_start(void)
{
	size = bench_pick(1 << 19, 1 << 18, 1 << 12);
	uint32_t *values = processor_allocate(size * sizeof(*values));
	for (size_t i = 0; i < size; i++)
		values[i] = processor_random((uint32_t)i);
	processor_buffer(0, size * sizeof(*values), values);
	processor_buffer(1, size * sizeof(*values), NULL);
	processor_buffer(2, size / 256 * sizeof(*values), NULL);
	processor_kernel(0, "scan", "012");
	processor_kernel(1, "offsets", "2");
	processor_kernel(2, "add", "21");
	processor_uint(1, 1, (cl_uint)(size / 256));
	free(values);
}

static void scan_run(void)
{
	processor_line(0, size, 256);
	processor_line(1, 1, 1);
	processor_line(2, size, 256);
}

static void scan_check(void)
{
	uint32_t *out = processor_read(1, size * sizeof(*out)), sum = 0;
	for (size_t i = 0; i < size; i++) {
		sum += processor_random((uint32_t)i);
		processor_expect("prefix sums", i, out[i], sum, 0);
	}
	free(out);
}

const struct processor_case processor_memory[] = {
	{"stream, copy", streams, copy_start, streams_run, copy_check},
	{"stream, scale", streams, scale_start, streams_run, scale_check},
	{"stream, add", streams, add_start, streams_run, add_check},
	{"stream, triad", streams, triad_start, streams_run, triad_check},
	{"dot product", reduction, reduction_start, reduction_run, reduction_check},
	{"prefix sums", scan, scan_start, scan_run, scan_check},
	{"stencil, 2D", stencil_2d, stencil_start, stencil_run, stencil_check},
	{"stencil, 3D", stencil_3d, volume_start, volume_run, volume_check},
	{NULL, NULL, NULL, NULL, NULL}
};
