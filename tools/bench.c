/* culvert bench: what a device reaches, in a few seconds.  tests/bench compares with others. */
#include "config.h"

#include "base/clock.h"
#include "tools/json.h"
#include "tools/opencl.h"
#include "tools/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOVED_B = 32 << 20, ITEMS = 512 * 512, TURNS = 64, CHAINS = 4, ROUNDS = 3 };

/* A measurement is made longer until it takes that long. */
static const double LEAST_S = 0.02;

static const char source[] =
	"kernel void empty(void) { }\n"
	"kernel void multiply(global float *out, float a, uint turns)\n"
	"{\n"
	"	float x = get_local_id(0), y = x + 1, z = x + 2, w = x + 3;\n"
	"	for (uint i = 0; i < turns; i++) {\n"
	"		x = fma(x, a, 1.0f);\n"
	"		y = fma(y, a, 1.0f);\n"
	"		z = fma(z, a, 1.0f);\n"
	"		w = fma(w, a, 1.0f);\n"
	"	}\n"
	"	out[get_global_id(0)] = x + y + z + w;\n"
	"}\n";

struct bench {
	struct opencl opencl;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel empty, multiply;
	cl_mem first, second;            /* MOVED_B each */
	unsigned *host;                  /* the same */
	unsigned builds;
};

struct request {
	uint64_t device;
	bool json;
};

static double now_s(void)
{
	return (double)host_now_ns() * 1e-9;
}

/* --- what is measured: so many times, to the end ------------------------------------- */

static cl_int launch(const struct bench *bench, cl_kernel kernel, size_t items)
{
	return bench->opencl.call->clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &items, NULL,
							  0, NULL, NULL);
}

static cl_int launches_and_finishes(struct bench *bench, uint64_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++) {
		error = launch(bench, bench->empty, 1);
		if (!error)
			error = bench->opencl.call->clFinish(bench->queue);
	}
	return error;
}

static cl_int launches(struct bench *bench, uint64_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++)
		error = launch(bench, bench->empty, 1);
	return error ? error : bench->opencl.call->clFinish(bench->queue);
}

/* Each is another program, by a name that it does not use. */
static cl_int builds(struct bench *bench, uint64_t count)
{
	const cl_icd_dispatch *call = bench->opencl.call;
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++) {
		const char *text = source;
		char options[64];
		cl_program program =
			call->clCreateProgramWithSource(bench->context, 1, &text, NULL, &error);
		if (error)
			break;
		snprintf(options, sizeof(options), "-DBUILD_%u", bench->builds++);
		error = call->clBuildProgram(program, 1, &bench->device, options, NULL, NULL);
		call->clReleaseProgram(program);
	}
	return error;
}

static cl_int writes(struct bench *bench, uint64_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++)
		error = bench->opencl.call->clEnqueueWriteBuffer(
			bench->queue, bench->first, CL_TRUE, 0, MOVED_B, bench->host, 0, NULL, NULL);
	return error;
}

static cl_int copies(struct bench *bench, uint64_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++)
		error = bench->opencl.call->clEnqueueCopyBuffer(
			bench->queue, bench->first, bench->second, 0, 0, MOVED_B, 0, NULL, NULL);
	return error ? error : bench->opencl.call->clFinish(bench->queue);
}

static cl_int reads(struct bench *bench, uint64_t count)
{
	cl_int error = CL_SUCCESS;
	for (uint64_t i = 0; i < count && !error; i++)
		error = bench->opencl.call->clEnqueueReadBuffer(
			bench->queue, bench->second, CL_TRUE, 0, MOVED_B, bench->host, 0, NULL, NULL);
	return error;
}

static cl_int multiplications(struct bench *bench, uint64_t count)
{
	const cl_icd_dispatch *call = bench->opencl.call;
	const float half = 0.5f;
	const cl_uint turns = (cl_uint)(count * TURNS);
	cl_int error = call->clSetKernelArg(bench->multiply, 0, sizeof(cl_mem), &bench->second);
	if (!error)
		error = call->clSetKernelArg(bench->multiply, 1, sizeof(half), &half);
	if (!error)
		error = call->clSetKernelArg(bench->multiply, 2, sizeof(turns), &turns);
	if (!error)
		error = launch(bench, bench->multiply, ITEMS);
	return error ? error : call->clFinish(bench->queue);
}

static const struct row {
	const char *name, *unit;
	cl_int (*run)(struct bench *bench, uint64_t count);
	double scale;                    /* what one is, in the unit: in a second, or of one */
	bool time;                       /* a time of one, else a rate */
} rows[] = {
	{"launch and finish", "us", launches_and_finishes, 1e6, true},
	{"launches", "k/s", launches, 1e-3, false},
	{"build of a small program", "ms", builds, 1e3, true},
	{"write of 32 MiB", "GB/s", writes, MOVED_B * 1e-9, false},
	{"copy of 32 MiB, read and written", "GB/s", copies, 2 * MOVED_B * 1e-9, false},
	{"read of 32 MiB", "GB/s", reads, MOVED_B * 1e-9, false},
	{"arithmetic, float", "GFLOP/s", multiplications, 2e-9 * CHAINS * TURNS * ITEMS, false},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* The best of some rounds.  Many enough to take a while, and as many in each round. */
static cl_int measure(struct bench *bench, const struct row *row, double *value_out)
{
	uint64_t count = 1;
	double best_s = 0;
	for (unsigned round = 0; round < ROUNDS;) {
		const double begin_s = now_s();
		cl_int error = row->run(bench, count);
		const double took_s = now_s() - begin_s;
		if (error)
			return error;
		if (!round && took_s < LEAST_S && count < 1 << 20) {
			count *= 2;
			continue;
		}
		if (!round++ || took_s < best_s)
			best_s = took_s;
	}
	*value_out = row->time ? best_s / (double)count * row->scale
			       : (double)count / best_s * row->scale;
	return CL_SUCCESS;
}

/* --- whether it was done --------------------------------------------------------------- */

static void fill(struct bench *bench)
{
	for (unsigned i = 0; i < MOVED_B / sizeof(*bench->host); i++)
		bench->host[i] = i * 2654435761u;
}

/* What was written, copied and read is as it was; what was multiplied is what it tends to. */
static bool is_right(const struct bench *bench, const struct row *row)
{
	if (row->run == reads)
		for (unsigned i = 0; i < MOVED_B / sizeof(*bench->host); i++)
			if (bench->host[i] != i * 2654435761u)
				return false;
	if (row->run != multiplications)
		return true;
	float sum = 0;
	cl_int error = bench->opencl.call->clEnqueueReadBuffer(
		bench->queue, bench->second, CL_TRUE, (ITEMS - 1) * sizeof(sum), sizeof(sum), &sum, 0,
		NULL, NULL);
	return !error && fabsf(sum - 2 * CHAINS) < 1e-3f;
}

/* --- the command ------------------------------------------------------------------------ */

static cl_int prepare(struct bench *bench)
{
	const cl_icd_dispatch *call = bench->opencl.call;
	const char *text = source;
	cl_int error;
	bench->context = call->clCreateContext(NULL, 1, &bench->device, NULL, NULL, &error);
	if (!error)
		bench->queue = call->clCreateCommandQueue(bench->context, bench->device, 0, &error);
	if (!error)
		bench->program = call->clCreateProgramWithSource(bench->context, 1, &text, NULL, &error);
	if (!error)
		error = call->clBuildProgram(bench->program, 1, &bench->device, "", NULL, NULL);
	if (!error)
		bench->empty = call->clCreateKernel(bench->program, "empty", &error);
	if (!error)
		bench->multiply = call->clCreateKernel(bench->program, "multiply", &error);
	if (!error)
		bench->first = call->clCreateBuffer(bench->context, 0, MOVED_B, NULL, &error);
	if (!error)
		bench->second = call->clCreateBuffer(bench->context, 0, MOVED_B, NULL, &error);
	return error;
}

static void release(struct bench *bench)
{
	const cl_icd_dispatch *call = bench->opencl.call;
	if (bench->second)
		call->clReleaseMemObject(bench->second);
	if (bench->first)
		call->clReleaseMemObject(bench->first);
	if (bench->multiply)
		call->clReleaseKernel(bench->multiply);
	if (bench->empty)
		call->clReleaseKernel(bench->empty);
	if (bench->program)
		call->clReleaseProgram(bench->program);
	if (bench->queue)
		call->clReleaseCommandQueue(bench->queue);
	if (bench->context)
		call->clReleaseContext(bench->context);
	free(bench->host);
}

static bool run_rows(struct bench *bench, double values[ROWS])
{
	for (unsigned i = 0; i < ROWS; i++) {
		tool_progress("measuring", i, ROWS);
		cl_int error = measure(bench, &rows[i], &values[i]);
		if (!error && is_right(bench, &rows[i]))
			continue;
		tool_progress("measuring", ROWS, ROWS);
		tool_error("%s: %s", rows[i].name, error ? opencl_error(error) : "wrong result");
		return false;
	}
	tool_progress("measuring", ROWS, ROWS);
	return true;
}

static bool print(const struct bench *bench, const double values[ROWS], bool as_json)
{
	char *device = opencl_device_string(&bench->opencl, bench->device, CL_DEVICE_NAME);
	struct json json = JSON_INIT;
	json_open(&json, NULL, '{');
	json_string(&json, "device", device);
	json_open(&json, "rows", '[');
	if (!as_json)
		printf("%s\n", device ? device : "");
	for (unsigned i = 0; i < ROWS; i++) {
		if (!as_json)
			printf("%-36s %12.4g %s\n", rows[i].name, values[i], rows[i].unit);
		json_open(&json, NULL, '{');
		json_string(&json, "name", rows[i].name);
		json_string(&json, "unit", rows[i].unit);
		json_string(&json, "better", rows[i].time ? "lower" : "higher");
		json_real(&json, "value", values[i]);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	free(device);
	if (as_json)
		return json_print(&json);
	bytes_finish(&json.text);
	return true;
}

static bool take(void *state, int letter, const char *value)
{
	struct request *request = state;
	if (letter == 'j')
		return request->json = true;
	if (tool_number(value, &request->device))
		return true;
	tool_usage("--device: '%s' is not a number", value);
	return false;
}

static int bench_device(struct bench *bench, bool as_json)
{
	double values[ROWS];
	bench->host = malloc(MOVED_B);
	if (!bench->host) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	fill(bench);
	cl_int error = prepare(bench);
	if (error)
		tool_error("the device: %s", opencl_error(error));
	return !error && run_rows(bench, values) && print(bench, values, as_json) ? TOOL_OK
										  : TOOL_FAILED;
}

int tool_bench(int argc, char **argv)
{
	struct request request = {0};
	struct bench bench = {0};
	struct bytes why = BYTES_INIT;
	int at = tool_options(TOOL_bench, argc, argv, false, take, &request);
	if (at < 0)
		return -1 - at;
	if (at < argc)
		return tool_usage("unexpected argument: %s", argv[at]);
	/* Builds are measured, and nothing of them is worth keeping. */
	bool open = !setenv("CULVERT_CACHE", "off", 1) && opencl_open(&bench.opencl, &why);
	if (!open)
		tool_error("%s", bytes_string(&why));
	else
		bench.device = opencl_device(&bench.opencl, request.device);
	bytes_finish(&why);
	int code = TOOL_UNAVAILABLE;
	if (bench.device) {
		code = bench_device(&bench, request.json);
		release(&bench);
	}
	opencl_close(&bench.opencl);
	return code;
}
