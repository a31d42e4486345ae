#include "config.h"

#include "tests/ulp/measure.h"
#include "tests/builtins/family.h"
#include "tests/ulp/exhaust.h"
#include "tests/ulp/sample.h"

#include "base/bytes.h"

#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Points of one launch. */
enum { CHUNK = 1 << 20, THREADS_MAX = 256 };

unsigned measure_arguments(const struct measurement *measurement, enum type types[3])
{
	const char *letters = measurement->function->arguments;
	unsigned count = (unsigned)strlen(letters);
	for (unsigned i = 0; i < count; i++)
		types[i] = letters[i] == 'i' ? TYPE_INT : measurement->type;
	return count;
}

/* -- on the device ---------------------------------------------------------------------------- */

static cl_program build(struct device *device, const struct measurement *measurement)
{
	static const char names[] = "xyz";
	struct bytes text = BYTES_INIT;
	enum type types[3];
	const char *type = type_name(measurement->type);
	unsigned count = measure_arguments(measurement, types);
	bytes_append_string(&text, "kernel void evaluate(");
	for (unsigned i = 0; i < count; i++)
		bytes_printf(&text, "global const %s *a%u, ", type_name(types[i]), i);
	bytes_printf(&text, "global %s *o)\n{\n\tsize_t g = get_global_id(0);\n", type);
	for (unsigned i = 0; i < count; i++)
		bytes_printf(&text, "\t%s %c = a%u[g];\n", type_name(types[i]), names[i], i);
	bytes_printf(&text, "\to[g] = %s;\n}\n", measurement->function->call);
	cl_program program = NULL;
	if (bytes_failed(&text))
		family_fail("out of memory");
	else
		program = device_build_with(device, bytes_string(&text),
					    measurement->relaxed ? "-cl-fast-relaxed-math" : "");
	bytes_finish(&text);
	return program;
}

/* Room for one chunk. */
struct chunk {
	void *arguments[3];
	void *results;
	size_t count;
};

static bool run_chunk(struct device *device, cl_program program, const struct measurement *m,
		      struct chunk *chunk)
{
	enum type types[3];
	unsigned count = measure_arguments(m, types);
	cl_mem buffers[4] = {NULL, NULL, NULL, NULL};
	bool good = true;
	for (unsigned i = 0; i < count && good; i++)
		good = (buffers[i] = device_buffer(device, chunk->count * type_size_B(types[i]),
						   chunk->arguments[i])) != NULL;
	size_t results_B = chunk->count * type_size_B(m->type);
	good = good && (buffers[count] = device_buffer(device, results_B, NULL)) &&
	       device_run(device, program, "evaluate", buffers, count + 1, chunk->count, 0) &&
	       device_read(device, buffers[count], results_B, chunk->results);
	for (unsigned i = 0; i < 4; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	return good;
}

/* -- comparing -------------------------------------------------------------------------------- */

/* One thread's part of a chunk, and the worst it found. */
struct part {
	pthread_t thread;
	const struct chunk *chunk;
	size_t first, end;
	struct measurement worst;
};

static double value_at(enum type type, const void *data, size_t index)
{
	float f;
	double d;
	switch (type) {
	case TYPE_FLOAT:
		memcpy(&f, (const char *)data + index * sizeof(f), sizeof(f));
		return f;
	case TYPE_DOUBLE:
		memcpy(&d, (const char *)data + index * sizeof(d), sizeof(d));
		return d;
	default:
		return (double)number_load(type, data, index).real;
	}
}

static bool is_subnormal(enum type type, long double x)
{
	return x != 0 && fabsl(x) < real_normal(type);
}

/* Arguments of which nothing is promised. */
static bool is_outside(const struct measurement *m, const struct arguments *a, long double exact)
{
	char letter = *m->function->arguments;
	if (letter == 'a' && !(fabs(a->x) <= 65536))
		return true;
	if (letter == 'c' && !(fabs(a->x) <= M_PI))
		return true;
	/* OpenCL 3.0 API, 5.8.6.2: with -cl-finite-math-only, which -cl-fast-relaxed-math is too,
	 * neither arguments nor results are infinite or NaN. */
	if (!m->relaxed)
		return false;
	/* It is -cl-denorms-are-zero too, for single and double precision. */
	if (m->type != TYPE_HALF && (is_subnormal(m->type, a->x) || is_subnormal(m->type, a->y) ||
				     is_subnormal(m->type, a->z) || is_subnormal(m->type, exact)))
		return true;
	return !isfinite(a->x) || !isfinite(a->y) || !isfinite(a->z) ||
	       !isfinite(real_round(m->type, exact, ROUND_NEAREST));
}

/* A result so near to subnormal that what is allowed reaches there may be zero (7.5.3). */
static long double error_of(const struct measurement *m, const struct arguments *a, double got,
			    long double exact)
{
	const long double ulps = real_ulps(m->type, got, exact);
	if (!m->bound || !isfinite(ulps) || !isfinite(exact))
		return ulps;
	const long double unit = real_unit(m->type, exact);
	long double allowed = m->bound->allowed(a, (double)exact, (double)unit);
	if (fabsl(exact) - allowed < real_normal(m->type))
		allowed = fmaxl(allowed, fabsl(exact));
	return ulps * unit / allowed;
}

static void compare_point(struct part *part, size_t i)
{
	struct measurement *worst = &part->worst;
	const struct function *function = worst->function;
	enum type types[3], type = worst->type;
	unsigned count = measure_arguments(worst, types);
	double values[3] = {0, 0, 0};
	for (unsigned k = 0; k < count; k++)
		values[k] = value_at(types[k], part->chunk->arguments[k], i);
	struct arguments a = {values[0], values[1], values[2], 0};
	if (count > 1 && types[1] == TYPE_INT)
		a.n = (int)values[1];
	double got = value_at(type, part->chunk->results, i);
	/* In double only MPFR knows more than the device; else it is asked about what looks worse
	 * than all before. */
	long double exact = type == TYPE_DOUBLE ? NAN : function->fast(&a);
	if (type == TYPE_FLOAT && !worst->bound && worst->error >= 0.5L &&
	    (float)exact == (float)got)
		return;
	if (type != TYPE_DOUBLE && exact != UNKNOWN &&
	    error_of(worst, &a, got, exact) <= worst->error)
		return;
	exact = function->exact(&a);
	long double error = error_of(worst, &a, got, exact);
	if (error <= worst->error || is_outside(worst, &a, exact))
		return;
	worst->error = error;
	worst->exact = exact;
	worst->got = number_load(type, part->chunk->results, i);
	for (unsigned k = 0; k < count; k++)
		worst->arguments[k] = number_load(types[k], part->chunk->arguments[k], i);
}

static void *compare_part(void *data)
{
	struct part *part = data;
	for (size_t i = part->first; i < part->end; i++)
		compare_point(part, i);
	mpfr_free_cache();
	return NULL;
}

static void compare_chunk(const struct depth_of_measure *depth, struct measurement *m,
			  const struct chunk *chunk)
{
	struct part parts[THREADS_MAX];
	unsigned threads = depth->threads < THREADS_MAX ? depth->threads : THREADS_MAX;
	size_t each = (chunk->count + threads - 1) / threads;
	bool started[THREADS_MAX];
	for (unsigned t = 0; t < threads; t++) {
		size_t first = t * each < chunk->count ? t * each : chunk->count;
		size_t end = first + each < chunk->count ? first + each : chunk->count;
		parts[t] = (struct part){.chunk = chunk, .first = first, .end = end, .worst = *m};
		started[t] = threads > 1 &&
			     !pthread_create(&parts[t].thread, NULL, compare_part, &parts[t]);
		if (!started[t])
			compare_part(&parts[t]);
	}
	for (unsigned t = 0; t < threads; t++) {
		if (started[t])
			pthread_join(parts[t].thread, NULL);
		/* The first of equal ones, however many threads there are. */
		if (parts[t].worst.error > m->error)
			*m = parts[t].worst;
	}
}

/* -- all of it -------------------------------------------------------------------------------- */

static bool prepare(struct chunk *chunk)
{
	bool good = (chunk->results = malloc(CHUNK * sizeof(double))) != NULL;
	for (int i = 0; i < 3; i++)
		good = (chunk->arguments[i] = malloc(CHUNK * sizeof(double))) && good;
	return good;
}

static bool measure_points(struct device *device, const struct depth_of_measure *depth,
			   struct measurement *m, cl_program program, struct chunk *chunk)
{
	enum type types[3];
	unsigned count = measure_arguments(m, types);
	bool is_all = count == 1 && m->type == TYPE_HALF;
	uint64_t points = is_all ? SAMPLE_HALVES : depth->points, done = 0;
	for (; done < points; done += chunk->count) {
		chunk->count = points - done < CHUNK ? (size_t)(points - done) : CHUNK;
		for (unsigned k = 0; k < count; k++)
			sample_fill(m->type, types[k], k, is_all, done, chunk->count,
				    chunk->arguments[k]);
		if (!run_chunk(device, program, m, chunk))
			return false;
		compare_chunk(depth, m, chunk);
	}
	m->points = points;
	return true;
}

/* Those that the device itself finds worst. */
static bool measure_worst(struct device *device, const struct depth_of_measure *depth,
			  struct measurement *m, cl_program program, struct chunk *chunk)
{
	if (!depth->stride || !exhaust_can(m))
		return true;
	chunk->count = exhaust(device, m, depth->stride, chunk->arguments[0]);
	if (!chunk->count || !run_chunk(device, program, m, chunk))
		return false;
	compare_chunk(depth, m, chunk);
	m->points = (UINT64_C(1) << 32) / depth->stride;
	return true;
}

bool measure(struct device *device, const struct depth_of_measure *depth,
	     struct measurement *measurement)
{
	struct chunk chunk = {0};
	cl_program program = build(device, measurement);
	bool good = program && prepare(&chunk);
	measurement->error = 0;
	measurement->points = 0;
	if (program && !good)
		family_fail("out of memory");
	good = good && measure_points(device, depth, measurement, program, &chunk) &&
	       measure_worst(device, depth, measurement, program, &chunk);
	for (int i = 0; i < 3; i++)
		free(chunk.arguments[i]);
	free(chunk.results);
	if (program)
		clReleaseProgram(program);
	return good;
}
