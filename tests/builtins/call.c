#include "config.h"

#include "tests/builtins/call.h"
#include "tests/builtins/points.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program holds so many functions: building costs about the same for each, and a failure to
 * build is still easy to look at. */
enum { BATCH = 24, SHOWN_MAX = 4, WIDTHS = 5 };

static const unsigned widths[WIDTHS] = {2, 3, 4, 8, 16};
/* The memory that a second result goes to, by width: every address space has its turn. */
static const char *const second_space[WIDTHS] = {"private", "global", "local", "private", "global"};

/* A function with the types filled in. */
struct form {
	const struct function *function;
	enum type type, result, second;
	enum type arguments[3];
	unsigned argument_count;
	bool truth;                /* the vector forms say -1 where the scalar says 1 */
};

struct batch {
	struct device *device;
	const struct depth *depth;
	struct form forms[BATCH];
	size_t count;
	cl_program scalars, vectors;
};

static enum type type_of_letter(enum type generic, char letter)
{
	switch (letter) {
	case 'i':
	case 'r':
		return TYPE_INT;
	case 'u':
		return type_unsigned(generic);
	case 's':
		return type_signed(generic);
	case 'w':
		return type_wider(generic);
	default:
		return generic;
	}
}

static struct form form_of(const struct function *function, enum type type)
{
	struct form form = {function, type, TYPE_NONE, TYPE_NONE,
			    {TYPE_NONE, TYPE_NONE, TYPE_NONE}, 0, false};
	const char *at = function->signature;
	form.result = type_of_letter(type, *at);
	form.truth = *at == 'r';
	for (at += 2; *at && *at != '+'; at++)
		form.arguments[form.argument_count++] = type_of_letter(type, *at);
	if (*at)
		form.second = type_of_letter(type, at[1]);
	return form;
}

/* -- the programs --------------------------------------------------------------------------- */

/* The call with its arguments given as texts; expressions have $1, $2, $3 for them. */
static void write_call(struct bytes *text, const struct form *form, const char *const arguments[3],
		       const char *second)
{
	const char *name = form->function->name;
	if (strchr(name, '$')) {
		for (; *name; name++) {
			if (*name == '$')
				bytes_append_string(text, arguments[*++name - '1']);
			else
				bytes_append_char(text, *name);
		}
		return;
	}
	bytes_printf(text, "%s(", name);
	for (unsigned i = 0; i < form->argument_count; i++)
		bytes_printf(text, "%s%s", i ? ", " : "", arguments[i]);
	bytes_printf(text, "%s%s)", second ? ", " : "", second ? second : "");
}

static void write_parameters(struct bytes *text, const char *kind, size_t n, unsigned width)
{
	bytes_printf(text, "kernel void %s%zu_%u(global const void *a0, global const void *a1, "
			   "global const void *a2, global void *o, global void *q, "
			   "global uint *bad, global void *scratch)\n{\n"
			   "\tsize_t g = get_global_id(0);\n",
		     kind, n, width);
}

static void write_scalar(struct bytes *text, const struct form *form, size_t n)
{
	static const char *const arguments[3] = {"x", "y", "z"};
	write_parameters(text, "scalar", n, 1);
	for (unsigned i = 0; i < form->argument_count; i++)
		bytes_printf(text, "\t%s %s = ((global const %s *)a%u)[g];\n",
			     type_name(form->arguments[i]), arguments[i],
			     type_name(form->arguments[i]), i);
	if (form->second != TYPE_NONE)
		bytes_printf(text, "\t%s second;\n", type_name(form->second));
	bytes_printf(text, "\t((global %s *)o)[g] = ", type_name(form->result));
	write_call(text, form, arguments, form->second != TYPE_NONE ? "&second" : NULL);
	if (form->second != TYPE_NONE)
		bytes_printf(text, ";\n\t((global %s *)q)[g] = second", type_name(form->second));
	bytes_append_string(text, ";\n}\n");
}

static void write_vector_arguments(struct bytes *text, const struct form *form, unsigned width)
{
	for (unsigned i = 0; i < form->argument_count; i++) {
		const char *type = type_name(form->arguments[i]);
		bytes_printf(text, "\t%s%u x%u = vload%u(g, (global const %s *)a%u);\n", type,
			     width, i, width, type, i);
	}
}

/* Notes the least point where a vector's element is not the scalar's result. */
static void write_comparison(struct bytes *text, enum type type, unsigned width, const char *vector,
			     const char *scalars, bool truth)
{
	for (unsigned e = 0; e < width; e++) {
		bytes_printf(text, "\tif (differs_%s(%s.s%x, %s", type_name(type), vector, e,
			     truth ? "-" : "");
		bytes_printf(text, "((global const %s *)%s)[g * %u + %u]))",
			     type_name(truth ? TYPE_INT : type), scalars, width, e);
		bytes_printf(text, " atomic_min(bad, (uint)g * %u + %u);\n", width, e);
	}
}

static void write_second(struct bytes *text, const char *space, const char *type, unsigned width)
{
	if (!strcmp(space, "private"))
		bytes_printf(text, "\t%s%u there, *second = &there;\n", type, width);
	else if (!strcmp(space, "local"))
		bytes_printf(text, "\tlocal %s%u there[64];\n\tlocal %s%u *second = there + "
				   "get_local_id(0);\n", type, width, type, width);
	else
		bytes_printf(text, "\tglobal %s%u *second = (global %s%u *)scratch + g;\n", type,
			     width, type, width);
}

static void write_vector(struct bytes *text, const struct form *form, size_t n, unsigned w)
{
	static const char *const arguments[3] = {"x0", "x1", "x2"};
	enum type result = form->truth ? type_signed(form->type) : form->result;
	unsigned width = widths[w];
	bool has_second = form->second != TYPE_NONE;
	write_parameters(text, "vector", n, width);
	if (has_second)
		write_second(text, second_space[w], type_name(form->second), width);
	bytes_printf(text, "\tif (g >= %u)\n\t\treturn;\n", POINTS / width);
	write_vector_arguments(text, form, width);
	bytes_printf(text, "\t%s%u r = ", type_name(result), width);
	write_call(text, form, arguments, has_second ? "second" : NULL);
	bytes_append_string(text, ";\n");
	write_comparison(text, result, width, "r", "o", form->truth);
	if (has_second) {
		bytes_printf(text, "\t%s%u r2 = *second;\n", type_name(form->second), width);
		write_comparison(text, form->second, width, "r2", "q", false);
	}
	bytes_append_string(text, "}\n");
}

/* Some arguments scalar: what the form with vectors gives when the scalar is spread. */
static void write_mixed(struct bytes *text, const struct form *form, size_t n, unsigned width)
{
	const char *mixed[3], *spread[3];
	static const char *const x[3] = {"x0", "x1", "x2"};
	static const char *const s[3] = {"s0", "s1", "s2"};
	write_parameters(text, "mixed", n, width);
	bytes_printf(text, "\tif (g >= %u)\n\t\treturn;\n", POINTS / width);
	write_vector_arguments(text, form, width);
	for (unsigned i = 0; i < form->argument_count; i++) {
		const char *type = type_name(form->arguments[i]);
		bool is_scalar = form->function->mixed[i] == 's';
		mixed[i] = is_scalar ? s[i] : x[i];
		spread[i] = x[i];
		if (is_scalar)
			bytes_printf(text, "\t%s s%u = x%u.s1;\n\tx%u = (%s%u)s%u;\n", type, i, i,
				     i, type, width, i);
	}
	bytes_printf(text, "\t%s%u r = ", type_name(form->result), width);
	write_call(text, form, mixed, NULL);
	bytes_printf(text, ", v = ");
	write_call(text, form, spread, NULL);
	bytes_append_string(text, ";\n");
	for (unsigned e = 0; e < width; e++)
		bytes_printf(text, "\tif (differs_%s(r.s%x, v.s%x))"
				   " atomic_min(bad, (uint)g * %u + %u);\n",
			     type_name(form->result), e, e, width, e);
	bytes_append_string(text, "}\n");
}

static void write_helpers(const struct batch *batch, struct bytes *text)
{
	if (batch->device->has_half)
		bytes_append_string(text,
			"int differs_half(half a, half b)\n"
			"{ return as_ushort(a) != as_ushort(b) && !(a != a && b != b); }\n");
	for (int t = 0; t < INTEGER_TYPES; t++) {
		const char *type = type_name((enum type)t);
		bytes_printf(text, "int differs_%s(%s a, %s b) { return a != b; }\n", type, type,
			     type);
	}
	bytes_append_string(text,
		"int differs_float(float a, float b)\n"
		"{ return as_uint(a) != as_uint(b) && !(a != a && b != b); }\n"
		"int differs_double(double a, double b)\n"
		"{ return as_ulong(a) != as_ulong(b) && !(a != a && b != b); }\n");
}

static bool width_is_wanted(const struct batch *batch, unsigned w)
{
	return !batch->depth->quick || widths[w] == 3 || widths[w] == 4;
}

static cl_program build(struct batch *batch, struct bytes *text)
{
	cl_program program = NULL;
	if (bytes_failed(text))
		family_fail("out of memory");
	else
		program = device_build(batch->device, bytes_string(text), true);
	bytes_finish(text);
	return program;
}

static bool build_batch(struct batch *batch)
{
	struct bytes scalars = BYTES_INIT, vectors = BYTES_INIT;
	write_helpers(batch, &vectors);
	for (size_t n = 0; n < batch->count; n++) {
		const struct form *form = &batch->forms[n];
		write_scalar(&scalars, form, n);
		for (unsigned w = 0; w < WIDTHS; w++) {
			if (!width_is_wanted(batch, w))
				continue;
			write_vector(&vectors, form, n, w);
			if (form->function->mixed)
				write_mixed(&vectors, form, n, widths[w]);
		}
	}
	batch->scalars = build(batch, &scalars);
	batch->vectors = build(batch, &vectors);
	return batch->scalars && batch->vectors;
}

/* -- comparing -------------------------------------------------------------------------------- */

struct run {
	unsigned char *arguments[3], *result, *second;
	cl_mem buffers[7];
	size_t shown;
};

static void show_arguments(struct bytes *text, const struct form *form, const struct run *run,
			   unsigned point)
{
	char shown[80];
	bytes_printf(text, "%s %s(", type_name(form->result), form->function->name);
	for (unsigned i = 0; i < form->argument_count; i++)
		bytes_printf(text, "%s%s", i ? ", " : "", type_name(form->arguments[i]));
	bytes_append_string(text, ") of");
	for (unsigned i = 0; i < form->argument_count; i++)
		bytes_printf(text, "%s %s", i ? "," : "",
			     number_show(form->arguments[i],
					 number_load(form->arguments[i], run->arguments[i], point),
					 shown));
}

static void complain(const struct form *form, struct run *run, unsigned point, const char *what,
		     enum type type, struct number got, struct number expected, long double ulps)
{
	struct bytes text = BYTES_INIT;
	char shown[80];
	if (run->shown++ >= SHOWN_MAX)
		return;
	show_arguments(&text, form, run, point);
	bytes_printf(&text, ": %s %s", what, number_show(type, got, shown));
	bytes_printf(&text, ", expected %s", number_show(type, expected, shown));
	if (type_is_real(type))
		bytes_printf(&text, ", %.2Lf ulp", ulps);
	family_fail("%s", bytes_string(&text));
	bytes_finish(&text);
}

static bool zeros_differ(long double a, long double b)
{
	return a == 0 && b == 0 && !signbit(a) != !signbit(b);
}

static bool real_is_right(enum type type, long double got, long double exact, long double bound,
			  const struct call *call, long double *ulps_out)
{
	long double target = bound == 0 ? real_round(type, exact, ROUND_NEAREST) : exact;
	*ulps_out = real_ulps(type, got, target);
	if (zeros_differ(got, exact) && !call->any_zero_sign)
		return false;
	return *ulps_out <= bound || fabsl(got - exact) <= call->absolute;
}

static bool number_is_right(enum type type, struct number got, struct number expected,
			    long double bound, const struct call *call, long double *ulps_out)
{
	if (type_is_real(type))
		return real_is_right(type, got.real, expected.real, bound, call, ulps_out);
	*ulps_out = 0;
	return got.u == number_from_bits(type, expected.u).u;
}

static long double bound_of(const struct form *form)
{
	return form->function->ulps[form->type == TYPE_DOUBLE ? 1 : form->type == TYPE_HALF ? 2 : 0];
}

static void compare_point(const struct form *form, struct run *run, unsigned point)
{
	struct call call = {.type = form->type};
	long double bound = bound_of(form), ulps, ulps_other;
	for (unsigned i = 0; i < form->argument_count; i++)
		call.a[i] = number_load(form->arguments[i], run->arguments[i], point);
	form->function->reference(&call);
	struct number got = number_load(form->result, run->result, point);
	bool right = call.any_result ||
		     number_is_right(form->result, got, call.result, bound, &call, &ulps);
	if (!right && call.has_other)
		right = number_is_right(form->result, got, call.other, bound, &call, &ulps_other);
	if (!right) {
		if (type_is_real(form->result))
			number_store(form->result, &call.result.u, 0, call.result);
		complain(form, run, point, "got", form->result, got, call.result, ulps);
	}
	if (form->second == TYPE_NONE || call.any_second)
		return;
	got = number_load(form->second, run->second, point);
	if (!number_is_right(form->second, got, call.second, bound, &call, &ulps)) {
		if (type_is_real(form->second))
			number_store(form->second, &call.second.u, 0, call.second);
		complain(form, run, point, "through the pointer", form->second, got, call.second,
			 ulps);
	}
}

static void compare_scalars(const struct form *form, struct run *run)
{
	if (!form->function->reference || bound_of(form) < 0)
		return;
	for (unsigned point = 0; point < POINTS; point++)
		compare_point(form, run, point);
	if (run->shown > SHOWN_MAX)
		family_fail("... %zu of %u points of %s %s in all", run->shown, POINTS,
			    type_name(form->type), form->function->name);
}

/* Runs one vector kernel; `kind` is its name without number and width. */
static void run_vector(struct batch *batch, size_t n, struct run *run, const char *kind,
		       unsigned width)
{
	const struct form *form = &batch->forms[n];
	uint32_t bad = UINT32_MAX;
	char name[64];
	snprintf(name, sizeof(name), "%s%zu_%u", kind, n, width);
	run->buffers[5] = device_buffer(batch->device, sizeof(bad), &bad);
	size_t global = (POINTS / width + 63) / 64 * 64;
	if (run->buffers[5] &&
	    device_run(batch->device, batch->vectors, name, run->buffers, 7, global, 64) &&
	    device_read(batch->device, run->buffers[5], sizeof(bad), &bad) && bad != UINT32_MAX) {
		struct bytes text = BYTES_INIT;
		show_arguments(&text, form, run, bad);
		family_fail("%s: the %s form of width %u differs", bytes_string(&text), kind,
			    width);
		bytes_finish(&text);
	}
	if (run->buffers[5])
		clReleaseMemObject(run->buffers[5]);
	run->buffers[5] = NULL;
	family_count(0, POINTS);
}

static bool prepare_run(struct device *device, const struct form *form, struct run *run)
{
	static const size_t most_B = POINTS * 8;
	memset(run, 0, sizeof(*run));
	bool good = (run->result = malloc(most_B)) && (run->second = malloc(most_B));
	for (unsigned i = 0; good && i < form->argument_count; i++) {
		good = (run->arguments[i] = calloc(1, most_B)) != NULL;
		if (!good)
			break;
		points_fill(form->arguments[i], i, form->argument_count, run->arguments[i]);
		good = (run->buffers[i] = device_buffer(device, most_B, run->arguments[i])) != NULL;
	}
	if (!good)
		return false;
	/* Vectors of three take the room of four where they are stored whole. */
	run->buffers[3] = device_buffer(device, most_B, NULL);
	run->buffers[4] = device_buffer(device, most_B, NULL);
	run->buffers[6] = device_buffer(device, most_B * 2, NULL);
	return run->buffers[3] && run->buffers[4] && run->buffers[6];
}

static void finish_run(struct run *run)
{
	for (int i = 0; i < 7; i++)
		if (run->buffers[i])
			clReleaseMemObject(run->buffers[i]);
	for (int i = 0; i < 3; i++)
		free(run->arguments[i]);
	free(run->result);
	free(run->second);
}

static void test_form(struct batch *batch, size_t n)
{
	const struct form *form = &batch->forms[n];
	struct run run;
	char name[32];
	snprintf(name, sizeof(name), "scalar%zu_1", n);
	if (!prepare_run(batch->device, form, &run)) {
		family_fail("%s: no memory", form->function->name);
	} else if (device_run(batch->device, batch->scalars, name, run.buffers, 7, POINTS, 0) &&
		   device_read(batch->device, run.buffers[3], POINTS * type_size_B(form->result),
			       run.result) &&
		   (form->second == TYPE_NONE ||
		    device_read(batch->device, run.buffers[4], POINTS * type_size_B(form->second),
				run.second))) {
		family_count(1, POINTS);
		compare_scalars(form, &run);
		for (unsigned w = 0; w < WIDTHS; w++) {
			if (!width_is_wanted(batch, w))
				continue;
			run_vector(batch, n, &run, "vector", widths[w]);
			if (form->function->mixed)
				run_vector(batch, n, &run, "mixed", widths[w]);
		}
	}
	finish_run(&run);
}

static void test_batch(struct batch *batch)
{
	if (batch->count && build_batch(batch))
		for (size_t n = 0; n < batch->count; n++)
			test_form(batch, n);
	if (batch->scalars)
		clReleaseProgram(batch->scalars);
	if (batch->vectors)
		clReleaseProgram(batch->vectors);
	batch->scalars = batch->vectors = NULL;
	batch->count = 0;
}

void call_test(struct device *device, const struct depth *depth, const struct function *functions,
	       size_t count, unsigned types)
{
	struct batch *batch = calloc(1, sizeof(*batch));
	if (!batch) {
		family_fail("out of memory");
		return;
	}
	batch->device = device;
	batch->depth = depth;
	if (!device->has_half)
		types &= ~(unsigned)TYPES_HALF;
	for (int type = 0; type < SCALAR_TYPES; type++) {
		for (size_t f = 0; f < count; f++) {
			if (!(functions[f].types & types & 1u << type))
				continue;
			batch->forms[batch->count++] = form_of(&functions[f], (enum type)type);
			if (batch->count == BATCH)
				test_batch(batch);
		}
	}
	test_batch(batch);
	free(batch);
}
