/* What went wrong elsewhere, told in OpenCL: CuPy's inverse of prepared data, Warp's
 * arrays moved between GPUs, Numba's copies and kernels on three streams. */
#include "config.h"

#include "tests/stress/scenario.h"

/* --- CuPy: data prepared in one place, chained kernels in another ---------------------------- */

/* Gauss and Jordan's way, a launch for each column: exact for these matrices. */
static const char inverse_source[] =
"kernel void prepare(global float *a, uint n)\n"
"{\n"
"	uint r = get_global_id(1), c = get_global_id(0);\n"
"	a[r * 2 * n + c] = c < n ? (c == r ? 2 : c == r + 1 ? 1 : 0) : (c - n == r);\n"
"}\n"
"kernel void factors(global const float *a, global float *f, uint n, uint k)\n"
"{ uint r = get_global_id(0); f[r] = a[r * 2 * n + k] / a[k * 2 * n + k]; }\n"
"kernel void eliminate(global float *a, global const float *f, uint n, uint k)\n"
"{\n"
"	uint r = get_global_id(1), c = get_global_id(0);\n"
"	if (r != k)\n"
"		a[r * 2 * n + c] -= f[r] * a[k * 2 * n + c];\n"
"}\n"
"kernel void divide(global const float *a, global float *out, uint n)\n"
"{\n"
"	uint r = get_global_id(1), c = get_global_id(0);\n"
"	out[r * n + c] = a[r * 2 * n + n + c] / a[r * 2 * n + r];\n"
"}\n";

enum { MOST = 12 };

static cl_program inverse_program;

static void run2(cl_command_queue queue, const char *name, cl_mem a, cl_mem b, cl_uint n, cl_uint k,
		 const size_t global[2], const cl_event *after, cl_event *event_out)
{
	cl_uint at = 0;
	cl_kernel kernel = kernel_make(inverse_program, name);
	CHECK_OK(clSetKernelArg(kernel, at++, sizeof(a), &a));
	if (b)
		CHECK_OK(clSetKernelArg(kernel, at++, sizeof(b), &b));
	CHECK_OK(clSetKernelArg(kernel, at++, sizeof(n), &n));
	if (k != n)
		CHECK_OK(clSetKernelArg(kernel, at, sizeof(k), &k));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, global[1] ? 2 : 1, NULL, global, NULL,
					after != NULL, after, event_out));
	CHECK_OK(clReleaseKernel(kernel));
}

static cl_mem memory(size_t size_B)
{
	return buffer_make(scene.context, 0, size_B, NULL);
}

/* The inverse of 2 on the diagonal and 1 above: +-2^-(c - r + 1). */
static void invert(cl_command_queue first, cl_command_queue second, cl_uint n)
{
	cl_mem a = memory(n * 2 * n * 4), out = memory(n * n * 4);
	float inverse[MOST * MOST];
	cl_event ready = NULL;
	run2(first, "prepare", a, NULL, n, n, (size_t[]){2 * n, n}, NULL, &ready);
	CHECK_OK(clEnqueueMarkerWithWaitList(second, 1, &ready, NULL));
	for (cl_uint k = 0; k < n; k++) {
		cl_mem f = memory(n * 4);
		run2(second, "factors", a, f, n, k, (size_t[]){n, 0}, NULL, NULL);
		run2(second, "eliminate", a, f, n, k, (size_t[]){2 * n, n}, NULL, NULL);
		CHECK_OK(clReleaseMemObject(f));
	}
	run2(second, "divide", a, out, n, n, (size_t[]){n, n}, NULL, NULL);
	CHECK_OK(clReleaseMemObject(a));
	buffer_read(second, out, inverse, n * n * 4);
	bool good = true;
	for (cl_uint r = 0; r < n; r++) {
		float expected = 0.5f;
		for (cl_uint c = 0; c < n; c++) {
			good &= inverse[r * n + c] == (c < r ? 0 : expected);
			expected *= c < r ? 1 : -0.5f;
		}
	}
	CHECK(good);
	release_events(1, &ready);
	release_mems(1, &out);
}

static void story_cupy(void)
{
	cl_command_queue queues[2] = {queue_on(0), queue_on(0)};
	if (!inverse_program)
		inverse_program = api_test_build(scene.context, scene.test.device, inverse_source,
						 "");
	if (!inverse_program)
		return;
	invert(queues[0], queues[1], 3);
	invert(queues[1], queues[0], MOST);
	end_queues(2, queues);
}

/* --- Warp: arrays made on one GPU and moved to another --------------------------------------- */

/* staging: the application's own, of two slots, used again and again. */
static void move(cl_uint to, cl_uint *staging)
{
	enum { TIMES = 4 };
	cl_command_queue near = queue_on(0), far = queue_on(to);
	cl_mem arrived[TIMES];
	cl_event used[TIMES] = {NULL}, made;
	for (cl_uint i = 0; i < TIMES; i++) {
		cl_uint *slot = staging + i % 2 * WORDS;
		cl_mem source = buffer_of(i);
		arrived[i] = buffer_of(77);
		change(near, "add", source, 10, 0, NULL, &made);
		/* A slot is free when what was read from it has gone. */
		cl_event waits[2] = {made, i > 1 ? used[i - 2] : made}, read;
		CHECK_OK(clEnqueueReadBuffer(near, source, CL_FALSE, 0, SIZE_B, slot, 2, waits,
					     &read));
		CHECK_OK(clReleaseMemObject(source));
		CHECK_OK(clEnqueueWriteBuffer(far, arrived[i], CL_FALSE, 0, SIZE_B, slot, 1, &read,
					      &used[i]));
		change(far, "held", arrived[i], 100, 0, NULL, NULL);
		release_events(2, (cl_event[]){made, read});
	}
	for (cl_uint i = 0; i < TIMES; i++)
		expect(far, arrived[i], i + 110, 0, NULL);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(TIMES, used);
	release_mems(TIMES, arrived);
}

static void story_warp(void)
{
	static cl_uint pageable[2 * WORDS];
	cl_int code;
	cl_command_queue queue = queue_on(0);
	const cl_uint to = 1 + scene.seed % (scene.devices - 1);
	cl_mem pinned = buffer_make(scene.context, CL_MEM_ALLOC_HOST_PTR, 2 * SIZE_B, NULL);
	cl_uint *staging = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					      2 * SIZE_B, 0, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		move(to, staging);
		CHECK_OK(clEnqueueUnmapMemObject(queue, pinned, staging, 0, NULL, NULL));
	}
	move(to, pageable);
	end_queues(1, &queue);
	release_mems(1, &pinned);
}

/* --- Numba: copy in, kernel, copy out, each in a stream of its own --------------------------- */

static void recipe(bool ordered)
{
	cl_command_queue queues[3] = {queue_on(0), queue_on(0), queue_on(0)};
	cl_mem mem = buffer_of(1);
	cl_uint in[WORDS], out[WORDS] = {0};
	cl_event copied = NULL, changed, read = NULL;
	for (unsigned i = 0; i < WORDS; i++)
		in[i] = 5;
	CHECK_OK(clEnqueueWriteBuffer(queues[0], mem, CL_FALSE, 0, SIZE_B, in, 0, NULL, &copied));
	change(queues[1], "add", mem, 3, ordered, &copied, &changed);
	CHECK_OK(clEnqueueReadBuffer(queues[2], mem, CL_FALSE, 0, SIZE_B, out, ordered,
				     ordered ? &changed : NULL, &read));
	CHECK_OK(clWaitForEvents(1, &read));
	if (ordered)
		CHECK(words_are(out, WORDS, 8));
	end_queues(3, queues);
	release_events(3, (cl_event[]){copied, changed, read});
	release_mems(1, &mem);
}

static void story_numba(void)
{
	recipe(true);
}

/* Not a program that OpenCL gives a meaning to: the oracle says so, on each schedule. */
static void story_numba_without_events(void)
{
	scene.reports_expected = scene.soft;
	recipe(false);
}

static const struct scenario scenarios[] = {
	{43, "CuPy: an inverse of data that another queue prepared", story_cupy, NULL, 0, 0, false},
	{44, "Warp: arrays moved between devices through staging", story_warp, ",hold:held", 0, 2,
	 false},
	{46, "Numba: three queues, ordered by events", story_numba, ",hold:add", 0, 0, false},
	{47, "Numba: three queues and no events, which is reported", story_numba_without_events,
	 NULL, 0, 0, false},
};

SCENARIO_MAIN("scenarios_stories", "4")
