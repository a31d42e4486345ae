/* convert_T<_sat><_mode> between all scalar types and their vectors (OpenCL C 3.0, 6.3.3). */
#include "config.h"

#include "tests/builtins/family.h"
#include "tests/builtins/points.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODES = 5, VARIANTS = 2 * MODES, SHOWN_MAX = 3, WIDTHS = 5 };

static const unsigned widths[WIDTHS] = {2, 3, 4, 8, 16};
static const char *const mode_suffix[MODES] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
static const enum rounding mode_rounding[MODES] = {
	ROUND_NEAREST, ROUND_NEAREST, ROUND_TO_ZERO, ROUND_UP, ROUND_DOWN
};

static bool is_there(const struct device *device, enum type type)
{
	return type != TYPE_HALF || device->has_half;
}

/* Every second variant saturates, which only integers do. */
static bool variant_exists(enum type to, unsigned variant)
{
	return !(variant % 2) || !type_is_real(to);
}

static void variant_name(enum type to, unsigned width, unsigned variant, char name[48])
{
	const char *saturate = variant % 2 ? "_sat" : "", *mode = mode_suffix[variant / 2];
	if (width > 1)
		snprintf(name, 48, "convert_%s%u%s%s", type_name(to), width, saturate, mode);
	else
		snprintf(name, 48, "convert_%s%s%s", type_name(to), saturate, mode);
}

/* What comes out; false: nothing is promised. */
static bool convert(enum type to, enum type from, struct number x, unsigned variant,
		    struct number *result)
{
	unsigned mode = variant / 2;
	bool saturate = variant % 2;
	*result = x;
	if (type_is_real(to)) {
		result->real = real_round(to, x.real, mode_rounding[mode]);
		return true;
	}
	if (!type_is_real(from) && !saturate) {
		*result = number_from_bits(to, x.u);
		return true;
	}
	/* 6.3.3.3: NaN should become zero where it saturates. */
	if (isnan(x.real)) {
		*result = number_from_bits(to, 0);
		return saturate;
	}
	long double least = number_least(to).real, greatest = number_greatest(to).real, whole;
	enum rounding rounding = mode ? mode_rounding[mode] : ROUND_TO_ZERO;
	whole = rounding == ROUND_TO_ZERO ? truncl(x.real) : rounding == ROUND_UP ? ceill(x.real) :
		rounding == ROUND_DOWN ? floorl(x.real) : rintl(x.real);
	if (whole < least || whole > greatest) {
		*result = whole < least ? number_least(to) : number_greatest(to);
		return saturate;
	}
	*result = number_from_bits(to, whole < 0 ? -(uint64_t)-whole : (uint64_t)whole);
	return true;
}

/* -- the program: all conversions to one type -------------------------------------------------- */

static void write_scalar(struct bytes *text, enum type to, enum type from)
{
	char name[48];
	bytes_printf(text, "kernel void scalar_%s(global const %s *a, global %s *o)\n{\n"
			   "\tsize_t g = get_global_id(0);\n", type_name(from), type_name(from),
		     type_name(to));
	for (unsigned variant = 0; variant < VARIANTS; variant++) {
		if (!variant_exists(to, variant))
			continue;
		variant_name(to, 1, variant, name);
		bytes_printf(text, "\to[%u + g] = %s(a[g]);\n", variant * POINTS, name);
	}
	bytes_append_string(text, "}\n");
}

/* Without saturation nothing is promised beyond the range: the forms may differ there. */
static void write_range(struct bytes *text, enum type to, enum type from, unsigned variant,
			unsigned element)
{
	if (type_is_real(from) && !type_is_real(to) && !(variant % 2))
		bytes_printf(text, "x.s%x > (%s)%.1Lf && x.s%x < (%s)%.1Lf && ", element,
			     type_name(from), number_least(to).real, element, type_name(from),
			     number_greatest(to).real);
}

static void write_vector(struct bytes *text, enum type to, enum type from, unsigned width)
{
	char name[48];
	bytes_printf(text, "kernel void vector_%s_%u(global const %s *a, global const %s *o, "
			   "global uint *bad)\n{\n\tsize_t g = get_global_id(0);\n"
			   "\t%s%u x = vload%u(g, a);\n\t%s%u r;\n",
		     type_name(from), width, type_name(from), type_name(to), type_name(from), width,
		     width, type_name(to), width);
	for (unsigned variant = 0; variant < VARIANTS; variant++) {
		if (!variant_exists(to, variant))
			continue;
		variant_name(to, width, variant, name);
		bytes_printf(text, "\tr = %s(x);\n", name);
		for (unsigned e = 0; e < width; e++) {
			bytes_append_string(text, "\tif (");
			write_range(text, to, from, variant, e);
			bytes_printf(text, "differs(r.s%x, o[%u + g * %u])) "
					   "atomic_min(bad, %uu + (uint)g * %u);\n",
				     e, variant * POINTS + e, width, variant * POINTS + e, width);
		}
	}
	bytes_append_string(text, "}\n");
}

static cl_program build(struct device *device, const struct depth *depth, enum type to)
{
	struct bytes text = BYTES_INIT;
	cl_program program = NULL;
	const char *bits = type_name(type_unsigned(to));
	if (type_is_real(to))
		bytes_printf(&text, "int differs(%s x, %s y)\n{ return as_%s(x) != as_%s(y) && "
				    "!(x != x && y != y); }\n",
			     type_name(to), type_name(to), bits, bits);
	else
		bytes_printf(&text, "int differs(%s x, %s y) { return x != y; }\n", type_name(to),
			     type_name(to));
	for (int from = 0; from < SCALAR_TYPES; from++) {
		if (!is_there(device, (enum type)from))
			continue;
		write_scalar(&text, to, (enum type)from);
		for (unsigned w = 0; w < WIDTHS; w++)
			if (!depth->quick || widths[w] == 3 || widths[w] == 4)
				write_vector(&text, to, (enum type)from, widths[w]);
	}
	if (bytes_failed(&text))
		family_fail("out of memory");
	else
		program = device_build(device, bytes_string(&text), false);
	bytes_finish(&text);
	return program;
}

/* -- comparing --------------------------------------------------------------------------------- */

static bool is_right(enum type to, struct number got, struct number expected)
{
	if (!type_is_real(to))
		return got.u == expected.u;
	return (isnan(got.real) && isnan(expected.real)) ||
	       (got.real == expected.real && !signbit(got.real) == !signbit(expected.real));
}

static void compare(enum type to, enum type from, unsigned variant, const void *points,
		    const void *results)
{
	char name[48], shown[3][80];
	size_t wrong = 0;
	variant_name(to, 1, variant, name);
	family_count(1, POINTS);
	for (unsigned i = 0; i < POINTS; i++) {
		struct number x = number_load(from, points, i), expected;
		struct number got = number_load(to, results, (size_t)variant * POINTS + i);
		if (!convert(to, from, x, variant, &expected) || is_right(to, got, expected))
			continue;
		if (type_is_real(to))
			number_store(to, &expected.u, 0, expected);
		if (wrong++ < SHOWN_MAX)
			family_fail("%s(%s) of %s: got %s, expected %s", name, type_name(from),
				    number_show(from, x, shown[0]), number_show(to, got, shown[1]),
				    number_show(to, expected, shown[2]));
	}
	if (wrong > SHOWN_MAX)
		family_fail("... %zu points of %s(%s) in all", wrong, name, type_name(from));
}

static void run_vector(struct device *device, cl_program program, enum type to, enum type from,
		       unsigned width, cl_mem buffers[3])
{
	char kernel[48], name[48];
	cl_uint bad = (cl_uint)-1;
	snprintf(kernel, sizeof(kernel), "vector_%s_%u", type_name(from), width);
	buffers[2] = device_buffer(device, sizeof(bad), &bad);
	family_count(0, POINTS * (type_is_real(to) ? MODES : VARIANTS));
	if (buffers[2] &&
	    device_run(device, program, kernel, buffers, 3, POINTS / width, 0) &&
	    device_read(device, buffers[2], sizeof(bad), &bad) && bad != (cl_uint)-1) {
		variant_name(to, width, bad / POINTS, name);
		family_fail("%s(%s%u): element %u of point %u differs from the scalar form", name,
			    type_name(from), width, bad % POINTS % width, bad % POINTS);
	}
	if (buffers[2])
		clReleaseMemObject(buffers[2]);
}

static void test_pair(struct device *device, const struct depth *depth, cl_program program,
		      enum type to, enum type from)
{
	size_t results_B = (size_t)VARIANTS * POINTS * type_size_B(to);
	void *points = malloc(POINTS * 8), *results = malloc(results_B);
	cl_mem buffers[3] = {NULL, NULL, NULL};
	char kernel[48];
	snprintf(kernel, sizeof(kernel), "scalar_%s", type_name(from));
	if (points && results) {
		points_fill(from, 0, 1, points);
		buffers[0] = device_buffer(device, POINTS * type_size_B(from), points);
		buffers[1] = device_buffer(device, results_B, NULL);
	}
	if (buffers[0] && buffers[1] &&
	    device_run(device, program, kernel, buffers, 2, POINTS, 0) &&
	    device_read(device, buffers[1], results_B, results)) {
		for (unsigned variant = 0; variant < VARIANTS; variant++)
			if (variant_exists(to, variant))
				compare(to, from, variant, points, results);
		for (unsigned w = 0; w < WIDTHS; w++)
			if (!depth->quick || widths[w] == 3 || widths[w] == 4)
				run_vector(device, program, to, from, widths[w], buffers);
	}
	for (int i = 0; i < 2; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	free(points);
	free(results);
}

void convert_family(struct device *device, const struct depth *depth)
{
	for (int to = 0; to < SCALAR_TYPES; to++) {
		if (!is_there(device, (enum type)to))
			continue;
		cl_program program = build(device, depth, (enum type)to);
		if (!program)
			continue;
		for (int from = 0; from < SCALAR_TYPES; from++)
			if (is_there(device, (enum type)from))
				test_pair(device, depth, program, (enum type)to, (enum type)from);
		clReleaseProgram(program);
	}
}
