/* The geometric functions of OpenCL C 3.0, 6.15.5 with the bounds of 7.4, on vectors of moderate
 * numbers, of huge ones, of tiny ones, and of special ones. */
#include "config.h"

#include "tests/builtins/family.h"
#include "tests/builtins/points.h"

#include "base/bytes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VECTORS = 512, OUT = 24, SHOWN_MAX = 4 };
/* Where each result lies among the OUT numbers of one pair of vectors. */
enum {
	AT_LENGTH, AT_DISTANCE, AT_DOT, AT_FAST_LENGTH, AT_FAST_DISTANCE, AT_NORMALIZE = 8,
	AT_FAST_NORMALIZE = 12, AT_CROSS = 16
};

struct geometry {
	enum type type;
	unsigned width;
	unsigned char p[VECTORS * 4 * 8], q[VECTORS * 4 * 8], out[VECTORS * OUT * 8];
	size_t shown;
};

/* Each vector is of one magnitude, with components of their own; one in 16 has a special one. */
static long double component(enum type type, uint64_t vector, uint64_t seed)
{
	static const long double specials[] = {0, -0.0L, INFINITY, NAN, -INFINITY, 0, 1, -1};
	uint64_t kind = points_random(vector), bits = points_random(seed);
	long double r = ldexpl(bits >> 11, -52) - 1;
	int highest = type == TYPE_HALF ? 15 : type == TYPE_FLOAT ? 127 : 1023;
	int lowest = type == TYPE_HALF ? -18 : type == TYPE_FLOAT ? -140 : -1060;
	if (kind % 16 == 0 && bits % 2)
		return specials[(bits >> 1) % 8];
	if (kind % 16 == 1)
		return ldexpl(r, highest);
	if (kind % 16 == 2)
		return ldexpl(r, lowest);
	if (kind % 16 == 3)
		return ldexpl(r, (int)(bits % (type == TYPE_HALF ? 30 : 200)) -
				 (type == TYPE_HALF ? 15 : 100));
	return ldexpl(r, (int)(kind >> 8) % (type == TYPE_HALF ? 8 : 16));
}

static void write_kernel(struct bytes *text, enum type type, unsigned width)
{
	const char *t = type_name(type);
	char vector[16];
	snprintf(vector, sizeof(vector), width > 1 ? "%s%u" : "%s", t, width);
	bytes_printf(text, "kernel void k_%s_%u(global const %s *a, global const %s *b, "
			   "global %s *o)\n{\n\tsize_t g = get_global_id(0);\n"
			   "\to += g * %d;\n", t, width, t, t, t, OUT);
	if (width > 1)
		bytes_printf(text, "\t%s p = vload%u(g, a), q = vload%u(g, b);\n", vector, width,
			     width);
	else
		bytes_printf(text, "\t%s p = a[g], q = b[g];\n", vector);
	bytes_printf(text, "\to[%d] = length(p);\n\to[%d] = distance(p, q);\n"
			   "\to[%d] = dot(p, q);\n", AT_LENGTH, AT_DISTANCE, AT_DOT);
	bytes_printf(text, "\t%s n = normalize(p);\n", vector);
	for (unsigned e = 0; e < width; e++)
		bytes_printf(text, width > 1 ? "\to[%u] = n.s%x;\n" : "\to[%u] = n;\n",
			     AT_NORMALIZE + e, e);
	if (type == TYPE_FLOAT) {
		bytes_printf(text, "\to[%d] = fast_length(p);\n\to[%d] = fast_distance(p, q);\n"
				   "\t%s f = fast_normalize(p);\n",
			     AT_FAST_LENGTH, AT_FAST_DISTANCE, vector);
		for (unsigned e = 0; e < width; e++)
			bytes_printf(text, width > 1 ? "\to[%u] = f.s%x;\n" : "\to[%u] = f;\n",
				     AT_FAST_NORMALIZE + e, e);
	}
	if (width >= 3) {
		bytes_printf(text, "\t%s c = cross(p, q);\n", vector);
		for (unsigned e = 0; e < width; e++)
			bytes_printf(text, "\to[%u] = c.s%x;\n", AT_CROSS + e, e);
	}
	bytes_append_string(text, "}\n");
}

/* What holds for the type: 7.4 has a table for each. */
static long double bound_of(enum type type, long double in_half, long double in_float,
			    long double in_double)
{
	return type == TYPE_HALF ? in_half : type == TYPE_FLOAT ? in_float : in_double;
}

static void check(struct geometry *geometry, unsigned v, const char *name, unsigned at,
		  long double exact, long double ulps, long double absolute)
{
	struct number got = number_load(geometry->type, geometry->out, (size_t)v * OUT + at);
	long double error = real_ulps(geometry->type, got.real, exact);
	struct bytes text = BYTES_INIT;
	char shown[80];
	family_count(0, 1);
	if (error <= ulps || fabsl(got.real - exact) <= absolute || geometry->shown++ >= SHOWN_MAX)
		return;
	for (unsigned e = 0; e < geometry->width; e++)
		bytes_printf(&text, " %s", number_show(geometry->type, number_load(geometry->type,
				geometry->p, v * geometry->width + e), shown));
	bytes_append_string(&text, " and");
	for (unsigned e = 0; e < geometry->width; e++)
		bytes_printf(&text, " %s", number_show(geometry->type, number_load(geometry->type,
				geometry->q, v * geometry->width + e), shown));
	family_fail("%s of %s%u, component %u of%s: got %s, expected %.17Lg, %.2Lf ulp", name,
		    type_name(geometry->type), geometry->width, at % 4, bytes_string(&text),
		    number_show(geometry->type, got, shown), exact, error);
	bytes_finish(&text);
}

static long double norm(const long double *p, unsigned width)
{
	long double sum = 0;
	bool infinite = false;
	for (unsigned e = 0; e < width; e++) {
		infinite |= isinf(p[e]);
		sum += p[e] * p[e];
	}
	return infinite ? INFINITY : sqrtl(sum);
}

/* 6.15.5: an infinite component counts as 1 with its sign, finite ones beside it as 0. */
static void check_normalize(struct geometry *geometry, unsigned v, const long double *p)
{
	unsigned n = geometry->width;
	bool infinite = false, nan = false;
	long double sides = 0, length = norm(p, n), least = FLT_MIN;
	for (unsigned e = 0; e < n; e++) {
		infinite |= isinf(p[e]);
		nan |= isnan(p[e]);
		sides += isinf(p[e]) ? 1 : 0;
	}
	for (unsigned e = 0; e < n; e++) {
		long double finite = length == 0 ? p[e] : p[e] / length;
		long double exact = nan ? NAN : !infinite ? finite :
				    isinf(p[e]) ? copysignl(1 / sqrtl(sides), p[e]) : 0;
		check(geometry, v, "normalize", AT_NORMALIZE + e, exact,
		      bound_of(geometry->type, 1, 2, 4.5L) + n, 0);
		/* fast_normalize multiplies by half_rsqrt of the squares' sum, which must not
		 * overflow nor go below the normal numbers. */
		if (geometry->type == TYPE_FLOAT && !nan && !infinite &&
		    length * length < FLT_MAX && length * length > 4 * least)
			check(geometry, v, "fast_normalize", AT_FAST_NORMALIZE + e, exact, 8192 + n,
			      FLT_MIN);
	}
}

static void check_cross(struct geometry *geometry, unsigned v, const long double *p,
			const long double *q, long double bound)
{
	static const unsigned next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
	for (unsigned e = 0; e < 3; e++)
		check(geometry, v, "cross", AT_CROSS + e,
		      p[next[e]] * q[last[e]] - p[last[e]] * q[next[e]], 0.5L, bound);
	if (geometry->width == 4)
		check(geometry, v, "cross", AT_CROSS + 3, 0, 0, 0);
}

static void check_vectors(struct geometry *geometry, unsigned v)
{
	bool is_float = geometry->type == TYPE_FLOAT, finite = true, nan = false;
	unsigned n = geometry->width;
	long double p[4], q[4], between[4], dot = 0, greatest = 0;
	enum type type = geometry->type;
	long double unit = bound_of(type, 0x1p-10L, FLT_EPSILON, DBL_EPSILON);
	long double most = bound_of(type, 65504, FLT_MAX, DBL_MAX);
	for (unsigned e = 0; e < n; e++) {
		p[e] = number_load(geometry->type, geometry->p, v * n + e).real;
		q[e] = number_load(geometry->type, geometry->q, v * n + e).real;
		between[e] = p[e] - q[e];
		dot += p[e] * q[e];
		greatest = fmaxl(greatest, fmaxl(fabsl(p[e]), fabsl(q[e])));
		finite &= isfinite(p[e]) && isfinite(q[e]);
		nan |= isnan(p[e]);
	}
	/* Beside an infinity a NaN may be taken either way. */
	if (!nan)
		check(geometry, v, "length", AT_LENGTH, norm(p, n),
		      bound_of(type, 0.25L + 0.5L * n, 2.75L + 0.5L * n, 5.5L + n), 0);
	check_normalize(geometry, v, p);
	if (!finite)
		return;
	long double square = greatest * greatest, tiny = real_unit(geometry->type, 0);
	if (2 * greatest < most)
		check(geometry, v, "distance", AT_DISTANCE, norm(between, n),
		      bound_of(type, 0, 2.5L, 5.5L) + 2 * n, 0);
	if (n * square >= most)
		return;
	check(geometry, v, "dot", AT_DOT, dot, 0.5L, square * (2 * n - 1) * unit + n * tiny);
	if (n >= 3)
		check_cross(geometry, v, p, q, square * 3 * unit + 2 * tiny);
	if (is_float && 4 * n * square < most) {
		check(geometry, v, "fast_length", AT_FAST_LENGTH, norm(p, n), 8191.5L + n,
		      0x1p-62L);
		check(geometry, v, "fast_distance", AT_FAST_DISTANCE, norm(between, n),
		      8191.5L + 2 * n, 0x1p-62L);
	}
}

static void test_vectors(struct device *device, struct geometry *geometry)
{
	char name[32];
	size_t size_B = type_size_B(geometry->type);
	geometry->shown = 0;
	for (unsigned i = 0; i < VECTORS * geometry->width; i++) {
		unsigned v = i / geometry->width;
		number_store(geometry->type, geometry->p, i,
			     number_from_real(component(geometry->type, v, i)));
		number_store(geometry->type, geometry->q, i,
			     number_from_real(component(geometry->type, v, i + 100000)));
	}
	struct bytes text = BYTES_INIT;
	write_kernel(&text, geometry->type, geometry->width);
	snprintf(name, sizeof(name), "k_%s_%u", type_name(geometry->type), geometry->width);
	cl_program program = device_build(device, bytes_string(&text), false);
	cl_mem buffers[3] = {device_buffer(device, sizeof(geometry->p), geometry->p),
			     device_buffer(device, sizeof(geometry->q), geometry->q),
			     device_buffer(device, sizeof(geometry->out), NULL)};
	if (program && buffers[0] && buffers[1] && buffers[2] &&
	    device_run(device, program, name, buffers, 3, VECTORS, 0) &&
	    device_read(device, buffers[2], VECTORS * OUT * size_B, geometry->out)) {
		family_count(geometry->width >= 3 ? 5 : 4, 0);
		for (unsigned v = 0; v < VECTORS; v++)
			check_vectors(geometry, v);
		if (geometry->shown > SHOWN_MAX)
			family_fail("... %zu in all with %s%u", geometry->shown,
				    type_name(geometry->type), geometry->width);
	}
	for (int i = 0; i < 3; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	if (program)
		clReleaseProgram(program);
	bytes_finish(&text);
}

void geometric_family(struct device *device, const struct depth *depth)
{
	(void)depth;
	struct geometry *geometry = malloc(sizeof(*geometry));
	if (!geometry) {
		family_fail("out of memory");
		return;
	}
	for (int type = TYPE_FLOAT; type <= TYPE_HALF; type++) {
		if (type == TYPE_HALF && !device->has_half)
			continue;
		for (unsigned width = 1; width <= 4; width++) {
			geometry->type = (enum type)type;
			geometry->width = width;
			test_vectors(device, geometry);
		}
	}
	free(geometry);
}
