/* vload_half, vloada_half, vstore_half and vstorea_half (OpenCL C 3.0, 6.15.7): all halves are
 * loaded, the points of float and double are stored with every rounding. */
#include "config.h"

#include "tests/builtins/points.h"
#include "tests/builtins/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HALVES = 1 << 16, MODES = 5, SHOWN_MAX = 3, WIDTHS = 6 };

static const unsigned widths[WIDTHS] = {1, 2, 3, 4, 8, 16};
static const char *const mode_suffix[MODES] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
static const enum rounding mode_rounding[MODES] = {
	ROUND_NEAREST, ROUND_NEAREST, ROUND_TO_ZERO, ROUND_UP, ROUND_DOWN
};

static bool same_real(long double a, long double b)
{
	return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* -- loads ---------------------------------------------------------------------------------- */

static void compare_loads(const float *loaded)
{
	size_t wrong = 0;
	for (unsigned i = 0; i < HALVES; i++) {
		long double expected = number_from_bits(TYPE_HALF, i).real;
		if (!same_real(loaded[i], expected) && wrong++ < SHOWN_MAX)
			family_fail("vload_half of 0x%04x: got %.9g, expected %.9Lg", i,
				    (double)loaded[i], expected);
	}
	family_count(1, HALVES);
	if (wrong > SHOWN_MAX)
		family_fail("... %zu halves in all", wrong);
}

static void test_loads(struct device *device)
{
	static const char source[] =
		"kernel void load(global const half *a, global float *o)\n"
		"{ size_t g = get_global_id(0); o[g] = vload_half(g, a); }\n";
	uint16_t *halves = malloc(HALVES * sizeof(*halves));
	float *loaded = malloc(HALVES * sizeof(*loaded));
	cl_program program = device_build(device, source, false);
	cl_mem buffers[2] = {NULL, NULL};
	if (halves && loaded && program) {
		for (unsigned i = 0; i < HALVES; i++)
			halves[i] = (uint16_t)i;
		buffers[0] = device_buffer(device, HALVES * sizeof(*halves), halves);
		buffers[1] = device_buffer(device, HALVES * sizeof(*loaded), NULL);
	}
	if (buffers[0] && buffers[1] &&
	    device_run(device, program, "load", buffers, 2, HALVES, 0) &&
	    device_read(device, buffers[1], HALVES * sizeof(*loaded), loaded))
		compare_loads(loaded);
	for (int i = 0; i < 2; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	if (program)
		clReleaseProgram(program);
	free(halves);
	free(loaded);
}

/* The other forms against the scalar one; $x is "a" for the aligned forms, $y the step. */
#define LOADS(space, base) \
	"	" space " const half *p = (" space " const half *)" base ";\n" \
	"	float$n v = vload$x_half$n(g, p);\n" \
	"	$[CHECK(same(v.s$h, vload_half(g * $y + $e, p)) || isnan(v.s$h));\n$]"
static const char load_global[] = LOADS("global", "data");
static const char load_constant[] = LOADS("constant", "table");
static const char load_local[] =
	"	local uint4 l[256];\n"
	"	for (int i = (int)g; i < 256; i += 64) l[i] = ((global const uint4 *)data)[i];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n" LOADS("local", "l");
static const char load_private[] =
	"	uint4 a[8];\n"
	"	for (int i = 0; i < 8; i++) a[i] = ((global const uint4 *)data)[i + g];\n"
	"	const half *p = (const half *)a;\n"
	"	float$n v = vload$x_half$n(g % 2, p);\n"
	"	$[CHECK(same(v.s$h, vload_half(g % 2 * $y + $e, p)) || isnan(v.s$h));\n$]";

/* Stores to other memory against stores to global memory; $x is all of the name after "vstore". */
static const char store_local[] =
	"	local uint4 there[64 * 2];\n"
	"	local half *h = (local half *)there;\n"
	"	global half *q = (global half *)out + g * $y;\n"
	"	$T$n v = vload$n(g, (global const $T *)data);\n"
	"	vstore$x(v, g, h);\n"
	"	vstore$x(v, g, (global half *)out);\n"
	"	$[CHECK(same(vload_half(g * $y + $e, h), vload_half($e, q)) ||"
	" isnan(vload_half($e, q)));\n$]";
static const char store_private[] =
	"	uint4 there[4];\n"
	"	half *h = (half *)there;\n"
	"	global half *q = (global half *)out + g * $y;\n"
	"	$T$n v = vload$n(g, (global const $T *)data);\n"
	"	vstore$x(v, g % 2, h);\n"
	"	vstore$x(v, g, (global half *)out);\n"
	"	$[CHECK(same(vload_half(g % 2 * $y + $e, h), vload_half($e, q)) ||"
	" isnan(vload_half($e, q)));\n$]";

static void add_stores(struct probes *probes, unsigned width, const char *aligned, const char *step)
{
	for (int mode = 0; mode < 2 * MODES; mode++) {
		char name[32];
		enum type type = mode % 2 ? TYPE_DOUBLE : TYPE_FLOAT;
		snprintf(name, sizeof(name), "%s_half%u%s", aligned, width, mode_suffix[mode / 2]);
		struct template store = {type, width, name, step};
		probes_add(probes, &store, "vstore$x of $T to local", store_local);
		probes_add(probes, &store, "vstore$x of $T to private", store_private);
	}
}

static void add_probes(struct probes *probes)
{
	static const char *const steps[WIDTHS] = {"1", "2", "3", "4", "8", "16"};
	for (unsigned w = 1; w < WIDTHS; w++) {
		for (int aligned = 0; aligned < 2; aligned++) {
			/* The aligned form of three steps by four. */
			const char *step = aligned && widths[w] == 3 ? "4" : steps[w];
			struct template load = {TYPE_FLOAT, widths[w], aligned ? "a" : "", step};
			probes_add(probes, &load, "vload$x_half$n from global", load_global);
			probes_add(probes, &load, "vload$x_half$n from constant", load_constant);
			probes_add(probes, &load, "vload$x_half$n from local", load_local);
			probes_add(probes, &load, "vload$x_half$n from private", load_private);
			add_stores(probes, widths[w], aligned ? "a" : "", step);
		}
	}
}

/* -- stores --------------------------------------------------------------------------------- */

/* One way to store: all points, as vectors of one width. */
struct way {
	enum type type;
	unsigned width, mode;
	bool aligned;
};

static void way_name(const struct way *way, char name[48])
{
	char number[12] = "";
	if (way->width > 1)
		snprintf(number, sizeof(number), "%u", way->width);
	snprintf(name, 48, "vstore%s_half%s%s", way->aligned ? "a" : "", number,
		 mode_suffix[way->mode]);
}

static void write_way(struct bytes *text, const struct way *way)
{
	char name[48];
	const char *type = type_name(way->type);
	way_name(way, name);
	bytes_printf(text, "kernel void %s_%s(global const %s *a, global half *o)\n"
			   "{ size_t g = get_global_id(0); %s(", name, type, type, name);
	if (way->width > 1)
		bytes_printf(text, "vload%u(g, a), g, o); }\n", way->width);
	else
		bytes_append_string(text, "a[g], g, o); }\n");
}

static void compare_stores(const struct way *way, const void *points, const uint16_t *stored)
{
	char name[48], shown[3][80];
	size_t wrong = 0;
	unsigned step = way->aligned && way->width == 3 ? 4 : way->width;
	way_name(way, name);
	for (unsigned i = 0; i < POINTS; i++) {
		struct number x = number_load(way->type, points, i), expected = {0, 0, 0};
		size_t at = (size_t)i / way->width * step + i % way->width;
		struct number got = number_load(TYPE_HALF, stored, at);
		expected.real = real_round(TYPE_HALF, x.real, mode_rounding[way->mode]);
		if (!same_real(got.real, expected.real) && wrong++ < SHOWN_MAX)
			family_fail("%s of %s %s: got %s, expected %s", name, type_name(way->type),
				    number_show(way->type, x, shown[0]),
				    number_show(TYPE_HALF, got, shown[1]),
				    number_show(TYPE_HALF, expected, shown[2]));
	}
	family_count(1, POINTS);
	if (wrong > SHOWN_MAX)
		family_fail("... %zu points of %s of %s in all", wrong, name, type_name(way->type));
}

static void run_way(struct device *device, cl_program program, const struct way *way,
		    const void *points)
{
	uint16_t stored[2 * POINTS];
	char name[48], kernel[64];
	way_name(way, name);
	snprintf(kernel, sizeof(kernel), "%s_%s", name, type_name(way->type));
	cl_mem buffers[2] = {device_buffer(device, POINTS * type_size_B(way->type), points),
			     device_buffer(device, sizeof(stored), NULL)};
	if (buffers[0] && buffers[1] &&
	    device_run(device, program, kernel, buffers, 2, POINTS / way->width, 0) &&
	    device_read(device, buffers[1], sizeof(stored), stored))
		compare_stores(way, points, stored);
	for (int i = 0; i < 2; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
}

static void test_stores(struct device *device, enum type type)
{
	static unsigned char points[POINTS * 8];
	struct way ways[2 * WIDTHS * MODES];
	struct bytes text = BYTES_INIT;
	size_t count = 0;
	points_fill(type, 0, 1, points);
	for (unsigned w = 0; w < WIDTHS; w++)
		for (unsigned mode = 0; mode < MODES; mode++)
			for (int aligned = 0; aligned < (widths[w] == 1 ? 1 : 2); aligned++)
				ways[count++] = (struct way){type, widths[w], mode, aligned != 0};
	for (size_t i = 0; i < count; i++)
		write_way(&text, &ways[i]);
	cl_program program = bytes_failed(&text) ? NULL :
			     device_build(device, bytes_string(&text), false);
	for (size_t i = 0; program && i < count; i++)
		run_way(device, program, &ways[i], points);
	if (program)
		clReleaseProgram(program);
	bytes_finish(&text);
}

void half_family(struct device *device, const struct depth *depth)
{
	struct probes probes;
	(void)depth;
	test_loads(device);
	test_stores(device, TYPE_FLOAT);
	test_stores(device, TYPE_DOUBLE);
	probes_init(&probes, device, false);
	add_probes(&probes);
	probes_finish(&probes);
}
