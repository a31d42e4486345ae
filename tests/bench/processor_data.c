/* Data that moves: sorting, counting, filters of pictures. */
#include "config.h"

#include "tests/bench/processor.h"

#include <stdlib.h>

static size_t size;

/* --- Batcher's bitonic sort: a launch for each step ------------------------------------------------------ */

static const char bitonic[] =
	"kernel void fill(global const uint *from, global uint *to)\n"
	"{\n"
	"	to[get_global_id(0)] = from[get_global_id(0)];\n"
	"}\n"
	"kernel void exchange(global uint *keys, uint width, uint distance)\n"
	"{\n"
	"	const uint i = get_global_id(0);\n"
	"	const uint low = (i & ~(distance - 1)) * 2 + (i & (distance - 1));\n"
	"	const uint a = keys[low], b = keys[low + distance];\n"
	"	if ((a > b) == ((low & width) == 0)) {\n"
	"		keys[low] = b;\n"
	"		keys[low + distance] = a;\n"
	"	}\n"
	"}\n";

static void sort_start(void)
{
	size = bench_pick(1 << 15, 1 << 14, 1 << 10);
	uint32_t *keys = processor_allocate(size * sizeof(*keys));
	for (size_t i = 0; i < size; i++)
		keys[i] = processor_random((uint32_t)i);
	processor_buffer(0, size * sizeof(*keys), keys);
	processor_buffer(1, size * sizeof(*keys), NULL);
	processor_kernel(0, "fill", "01");
	processor_kernel(1, "exchange", "1");
	free(keys);
}

static void sort_run(void)
{
	processor_line(0, size, 128);
	for (cl_uint width = 2; width <= size; width *= 2)
		for (cl_uint distance = width / 2; distance; distance /= 2) {
			processor_uint(1, 1, width);
			processor_uint(1, 2, distance);
			processor_line(1, size / 2, 128);
		}
}

static int compare_keys(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void sort_check(void)
{
	uint32_t *keys = processor_read(1, size * sizeof(*keys));
	uint32_t *expected = processor_allocate(size * sizeof(*expected));
	for (size_t i = 0; i < size; i++)
		expected[i] = processor_random((uint32_t)i);
	qsort(expected, size, sizeof(*expected), compare_keys);
	for (size_t i = 0; i < size; i++)
		processor_expect("sort", i, keys[i], expected[i], 0);
	free(keys);
	free(expected);
}

/* --- how often each value of 8 bits occurs, by atomics ------------------------------------------------------ */

static const char histogram[] =
	"kernel void clear(global uint *counts)\n"
	"{\n"
	"	counts[get_global_id(0)] = 0;\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
	"void count(global const uint *values, global uint *counts, uint n)\n"
	"{\n"
	"	local uint own[256];\n"
	"	const uint l = get_local_id(0);\n"
	"	own[l] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {\n"
	"		const uint v = values[i];\n"
	"		atomic_inc(&own[v & 255]);\n"
	"		atomic_inc(&own[v >> 8 & 255]);\n"
	"		atomic_inc(&own[v >> 16 & 255]);\n"
	"		atomic_inc(&own[v >> 24]);\n"
	"	}\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	atomic_add(&counts[l], own[l]);\n"
	"}\n";

static void histogram_start(void)
{
	size = bench_pick(1 << 19, 1 << 17, 1 << 12);
	uint32_t *values = processor_allocate(size * sizeof(*values));
	for (size_t i = 0; i < size; i++)
		values[i] = processor_random((uint32_t)i);
	processor_buffer(0, size * sizeof(*values), values);
	processor_buffer(1, 256 * sizeof(*values), NULL);
	processor_kernel(0, "clear", "1");
	processor_kernel(1, "count", "01");
	processor_uint(1, 2, (cl_uint)size);
	free(values);
}

static void histogram_run(void)
{
	processor_line(0, 256, 256);
	processor_line(1, 64 * 256, 256);
}

static void histogram_check(void)
{
	uint32_t *counts = processor_read(1, 256 * sizeof(*counts)), expected[256] = {0};
	for (size_t i = 0; i < size; i++)
		for (unsigned b = 0; b < 32; b += 8)
			expected[processor_random((uint32_t)i) >> b & 255]++;
	for (size_t i = 0; i < 256; i++)
		processor_expect("histogram", i, counts[i], expected[i], 0);
	free(counts);
}

/* --- filters of a picture of 4 channels of 8 bits in a buffer: a Gaussian of 5 * 5, and Sobel's edges ---------- */

static const char filters[] =
	"float4 pixel(global const uchar4 *image, int x, int y, int n)\n"
	"{\n"
	"	return convert_float4(image[clamp(y, 0, n - 1) * n + clamp(x, 0, n - 1)]);\n"
	"}\n"
	"kernel void blur(global const uchar4 *from, global uchar4 *to, int n)\n"
	"{\n"
	"	const int x = get_global_id(0), y = get_global_id(1);\n"
	"	const float weight[5] = {1, 4, 6, 4, 1};\n"
	"	float4 sum = 0;\n"
	"	for (int j = 0; j < 5; j++)\n"
	"		for (int i = 0; i < 5; i++)\n"
	"			sum += weight[i] * weight[j] * pixel(from, x + i - 2, y + j - 2, n);\n"
	"	to[y * n + x] = convert_uchar4_sat_rte(sum * 0.00390625f);\n"
	"}\n"
	"kernel void edges(global const uchar4 *from, global uchar4 *to, int n)\n"
	"{\n"
	"	const int x = get_global_id(0), y = get_global_id(1);\n"
	"	const float4 a = pixel(from, x - 1, y - 1, n), b = pixel(from, x, y - 1, n);\n"
	"	const float4 c = pixel(from, x + 1, y - 1, n), d = pixel(from, x - 1, y, n);\n"
	"	const float4 e = pixel(from, x + 1, y, n), f = pixel(from, x - 1, y + 1, n);\n"
	"	const float4 g = pixel(from, x, y + 1, n), h = pixel(from, x + 1, y + 1, n);\n"
	"	const float4 u = c + 2.0f * e + h - a - 2.0f * d - f;\n"
	"	const float4 v = f + 2.0f * g + h - a - 2.0f * b - c;\n"
	"	to[y * n + x] = convert_uchar4_sat_rte(fabs(u) + fabs(v));\n"
	"}\n";

static void picture_start(const char *kernel)
{
	size = bench_pick(512, 256, 64);
	uint32_t *pixels = processor_allocate(size * size * sizeof(*pixels));
	for (size_t i = 0; i < size * size; i++)
		pixels[i] = processor_random((uint32_t)i);
	processor_buffer(0, size * size * sizeof(*pixels), pixels);
	processor_buffer(1, size * size * sizeof(*pixels), NULL);
	processor_kernel(0, kernel, "01");
	processor_uint(0, 2, (cl_uint)size);
	free(pixels);
}

static void picture_run(void)
{
	processor_launch(0, 2, (size_t[]){size, size}, (size_t[]){16, 16});
}

static int inside(int at)
{
	return at < 0 ? 0 : at >= (int)size ? (int)size - 1 : at;
}

static int channel_at(int x, int y, unsigned channel)
{
	const uint32_t place = (uint32_t)inside(y) * (uint32_t)size + (uint32_t)inside(x);
	return processor_random(place) >> 8 * channel & 255;
}

static double blurred(int x, int y, unsigned channel)
{
	static const int weight[5] = {1, 4, 6, 4, 1};
	int sum = 0;
	for (int j = 0; j < 5; j++)
		for (int i = 0; i < 5; i++)
			sum += weight[i] * weight[j] * channel_at(x + i - 2, y + j - 2, channel);
	/* Ties go to the even number. */
	const int whole = sum / 256, rest = sum % 256;
	return whole + (rest > 128 || (rest == 128 && whole % 2));
}

static double edge(int x, int y, unsigned channel)
{
	int u = 0, v = 0;
	for (int k = -1; k <= 1; k++) {
		const int weight = k ? 1 : 2;
		u += weight * (channel_at(x + 1, y + k, channel) - channel_at(x - 1, y + k, channel));
		v += weight * (channel_at(x + k, y + 1, channel) - channel_at(x + k, y - 1, channel));
	}
	const int sum = abs(u) + abs(v);
	return sum > 255 ? 255 : sum;
}

static void picture_check(double (*expected)(int x, int y, unsigned channel))
{
	uint8_t *pixels = processor_read(1, 4 * size * size);
	for (int y = 0; y < (int)size; y++)
		for (int x = 0; x < (int)size; x++)
			for (unsigned channel = 0; channel < 4; channel++) {
				const size_t at = ((size_t)y * size + (size_t)x) * 4 + channel;
				processor_expect("picture", at, pixels[at],
						 expected(x, y, channel), 0);
			}
	free(pixels);
}

static void blur_start(void) { picture_start("blur"); }
static void blur_check(void) { picture_check(blurred); }
static void edges_start(void) { picture_start("edges"); }
static void edges_check(void) { picture_check(edge); }

const struct processor_case processor_data[] = {
	{"sort", bitonic, sort_start, sort_run, sort_check},
	{"histogram", histogram, histogram_start, histogram_run, histogram_check},
	{"picture, blur", filters, blur_start, picture_run, blur_check},
	{"picture, edges", filters, edges_start, picture_run, edges_check},
	{NULL, NULL, NULL, NULL, NULL}
};
