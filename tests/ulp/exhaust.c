#include "config.h"

#include "tests/ulp/exhaust.h"
#include "tests/builtins/family.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

bool exhaust_can(const struct measurement *m)
{
	enum type types[3];
	return m->type == TYPE_FLOAT && measure_arguments(m, types) == 1;
}

/* Bits are looked at, for with relaxed mathematics nothing is NaN.  What float cannot hold counts
 * as the first power of two beyond. */
static const char helpers[] =
	"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
	"bool is_nan(float x) { return (as_uint(x) & 0x7fffffff) > 0x7f800000; }\n"
	"bool is_wide_nan(double x)\n"
	"{ return (as_ulong(x) & 0x7fffffffffffffffL) > 0x7ff0000000000000L; }\n"
	"double clamped(double x) { return fmax(fmin(x, 0x1p128), -0x1p128); }\n"
	"double unit_of(double exact)\n"
	"{\n"
	"	int exponent = (int)(as_ulong(exact) >> 52 & 2047) - 1023;\n"
	"	exponent = min(max(exponent, -126), 127) - 23;\n"
	"	return as_double((ulong)(1023 + exponent) << 52);\n"
	"}\n"
	"float error_of(float got, double exact, double allowed)\n"
	"{\n"
	"	if (is_nan(got) || is_wide_nan(exact))\n"
	"		return is_nan(got) && is_wide_nan(exact) ? 0.0f : 0x1p127f;\n"
	"	double error = fabs(clamped(got) - clamped(exact)) / allowed;\n"
	"	return error < 0x1p126 ? (float)error : 0x1p126f;\n"
	"}\n"
	"bool is_normal(uint bits)\n"
	"{ bits &= 0x7fffffff; return bits >= 0x00800000 && bits < 0x7f800000; }\n";

/* The same function in double: half_ and native_ have no such form. */
static void write_exact(struct bytes *text, const char *call)
{
	static const char *const prefixes[] = {"half_", "native_"};
	for (int i = 0; i < 2; i++)
		if (!strncmp(call, prefixes[i], strlen(prefixes[i])))
			call += strlen(prefixes[i]);
	bytes_append_string(text, !strcmp(call, "recip(x)") ? "1 / x" : call);
}

/* The domain that functions.def gives. */
static const char *domain(const struct measurement *m)
{
	switch (*m->function->arguments) {
	case 'a':
		return "!(fabs(x) <= 65536.0f)";
	case 'c':
		return "!(fabs(x) <= 3.1415927f)";
	default:
		return "false";
	}
}

static cl_program build(struct device *device, const struct measurement *m)
{
	struct bytes text = BYTES_INIT;
	bytes_append_string(&text, helpers);
	bytes_printf(&text, "float approximate(float x) { return %s; }\n", m->function->call);
	bytes_append_string(&text, "double exact(double x) { return ");
	write_exact(&text, m->function->call);
	/* What measure.c does with a bound. */
	bytes_printf(&text, "; }\ndouble allowed(double x, double r, double u)\n{ return %s; }\n",
		     m->bound ? m->bound->source : "u");
	bytes_append_string(&text, m->bound ?
		     "double reaching(double e, double r)\n"
		     "{ return fabs(r) - e < 0x1p-126 ? fmax(e, fabs(r)) : e; }\n" :
		     "double reaching(double e, double r) { return e; }\n");
	bytes_printf(&text,
		     "kernel void look(global float *errors, global uint *where,\n"
		     "		 global const ulong *range)\n"
		     "{\n"
		     "	float worst = -1.0f;\n"
		     "	uint at = 0;\n"
		     "	size_t g = get_global_id(0);\n"
		     "	for (ulong n = range[0] + g; n < range[1]; n += get_global_size(0)) {\n"
		     "		uint bits = (uint)(n * range[2]);\n"
		     "		float x = as_float(bits), got = approximate(x);\n"
		     "		double right = exact((double)x);\n"
		     "		if (%s || (%d && !(is_normal(bits) &&\n"
		     "				   is_normal(as_uint((float)right)))))\n"
		     "			continue;\n"
		     "		float error = error_of(got, right,\n"
		     "			reaching(allowed(x, right, unit_of(right)), right));\n"
		     "		if (error > worst) { worst = error; at = bits; }\n"
		     "	}\n"
		     "	if (worst > errors[g]) { errors[g] = worst; where[g] = at; }\n"
		     "}\n", domain(m), m->relaxed);
	cl_program program = NULL;
	if (bytes_failed(&text))
		family_fail("out of memory");
	else
		program = device_build_with(device, bytes_string(&text),
					    m->relaxed ? "-cl-fast-relaxed-math" : "");
	bytes_finish(&text);
	return program;
}

/* In parts, so that no launch is long. */
static bool look(struct device *device, cl_program program, cl_mem buffers[3], size_t items,
		 uint64_t stride)
{
	const uint64_t numbers = (UINT64_C(1) << 32) / stride, part = UINT64_C(1) << 28;
	bool good = true;
	for (uint64_t n = 0; n < numbers && good; n += part) {
		cl_ulong range[3] = {n, n + part < numbers ? n + part : numbers, stride};
		buffers[2] = device_buffer(device, sizeof(range), range);
		good = buffers[2] &&
		       device_run(device, program, "look", buffers, 3, items, 0);
		if (buffers[2])
			clReleaseMemObject(buffers[2]);
	}
	return good;
}

size_t exhaust(struct device *device, const struct measurement *m, uint64_t stride,
	       uint32_t *worst_out)
{
	/* Each work-item keeps the worst of its numbers. */
	const uint64_t numbers = (UINT64_C(1) << 32) / stride;
	const size_t items = numbers < EXHAUST_MOST ? (size_t)numbers : EXHAUST_MOST;
	float *errors = malloc(items * sizeof(*errors));
	cl_program program = build(device, m);
	cl_mem buffers[3] = {NULL, NULL, NULL};
	bool good = errors && program;
	for (size_t i = 0; good && i < items; i++)
		errors[i] = -1;
	good = good && (buffers[0] = device_buffer(device, items * sizeof(*errors), errors)) &&
	       (buffers[1] = device_buffer(device, items * sizeof(*worst_out), NULL)) &&
	       look(device, program, buffers, items, stride) &&
	       device_read(device, buffers[1], items * sizeof(*worst_out), worst_out);
	if (!errors)
		family_fail("out of memory");
	for (int i = 0; i < 2; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	if (program)
		clReleaseProgram(program);
	free(errors);
	return good ? items : 0;
}
