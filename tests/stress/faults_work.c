#include "config.h"

#include "tests/stress/faults.h"

#include "icd/include/cl_culvert.h"

#include <CL/cl_ext.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1024, SIZE_B = N * 4, PATIENCE_US = 20000000, STEP_US = 200 };

static const char source[] =
"constant float table[4] = {1, 2, 3, 4};\n"
"kernel void scale(global float *a, float f) { a[get_global_id(0)] *= f; }\n"
"kernel void tabled(global float *a) { size_t i = get_global_id(0); a[i] += table[i % 4]; }\n"
"kernel void sum(global const float *a, global float *out, local float *part)\n"
"{\n"
"	size_t l = get_local_id(0);\n"
"	part[l] = a[get_global_id(0)];\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	for (size_t n = get_local_size(0) / 2; n; n /= 2) {\n"
"		if (l < n)\n"
"			part[l] += part[l + n];\n"
"		barrier(CLK_LOCAL_MEM_FENCE);\n"
"	}\n"
"	if (!l)\n"
"		out[get_group_id(0)] = part[0];\n"
"}\n"
"kernel void big(global uint *out)\n"
"{\n"
"	local uint large[16000];\n"
"	size_t l = get_local_id(0);\n"
"	large[l * 100] = l;\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	out[get_global_id(0)] = large[(63 - l) * 100];\n"
"}\n"
"kernel void doubled(read_only image2d_t from, sampler_t sampler, write_only image2d_t to)\n"
"{\n"
"	int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
"	write_imagef(to, at, 2 * read_imagef(from, sampler, at));\n"
"}\n"
"#define AT (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)\n"
"kernel void layers_put(write_only image2d_array_t to) { write_imagef(to, AT, (float4)(5)); }\n"
"kernel void layers_double(read_only image2d_array_t from, global float4 *to)\n"
"{ to[get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2))] =\n"
"	2 * read_imagef(from, AT); }\n";

/* --- events ---------- */

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
	struct faults_run *run = data;
	(void)event;
	(void)status;
	atomic_fetch_add(&run->told, 1);
}

/* Where the next command's event goes; each third gets a callback by keep. */
static cl_event *slot(struct faults_run *run)
{
	run->events[run->event_count] = NULL;
	return &run->events[run->event_count];
}

/* After a command that was given slot(run). */
static cl_event keep(struct faults_run *run, const char *call, cl_int code, int line)
{
	cl_event event = run->events[run->event_count];
	if (faults_note(run, call, code, line)) {
		if (event)
			faults_wrong(run, "an event of a command that failed", line);
		return NULL;
	}
	if (!event) {
		faults_wrong(run, "no event", line);
		return NULL;
	}
	if (run->event_count % 3 == 0 &&
	    !TRY(clSetEventCallback(event, CL_COMPLETE, tell, run)))
		run->registered++;
	if (run->event_count < FAULTS_EVENTS - 1)
		run->event_count++;
	return event;
}
#define KEEP(call) keep(run, #call, (call), __LINE__)

static void check_event(struct faults_run *run, cl_event event)
{
	cl_int status = 12345;
	cl_ulong start = 0, end = 0;
	TRY(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			   NULL));
	WRONG_UNLESS(status <= 0);
	if (status < 0) {
		run->errors++;
		return;
	}
	/* Half of the queues do not measure. */
	if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start,
				    NULL))
		return;
	if (!TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
					 NULL)))
		WRONG_UNLESS(end >= start);
}

/* All that was enqueued has ended, and is given back. */
static void settle(struct faults_run *run)
{
	if (run->event_count)
		TRY(clWaitForEvents(run->event_count, run->events));
	for (unsigned i = 0; i < run->event_count; i++) {
		check_event(run, run->events[i]);
		TRY(clReleaseEvent(run->events[i]));
	}
	run->event_count = 0;
	for (unsigned us = 0; us < PATIENCE_US && atomic_load(&run->told) < run->registered;
	     us += STEP_US)
		usleep(STEP_US);
	WRONG_UNLESS(atomic_load(&run->told) == run->registered);
}

static bool any_failed(struct faults_run *run)
{
	for (unsigned i = 0; i < run->event_count; i++) {
		cl_int status = 0;
		TRY(clGetEventInfo(run->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
				   sizeof(status), &status, NULL));
		if (status < 0)
			return true;
	}
	return false;
}

/* Numbers that arrived are right unless something said that it went wrong. */
static void check_floats(struct faults_run *run, const float *got, unsigned count, float first,
			 float step, int line)
{
	if (run->errors || any_failed(run))
		return;
	for (unsigned i = 0; i < count; i++)
		if (got[i] != first + step * (float)i) {
			printf("[%u] is %g\n", i, (double)got[i]);
			faults_wrong(run, "data", line);
			return;
		}
}

/* --- objects ---------- */

static cl_mem buffer(struct faults_run *run, cl_mem_flags flags, size_t size_B, void *host)
{
	cl_int code = 12345;
	cl_mem mem = clCreateBuffer(run->context, flags, size_B, host, &code);
	NOTE(clCreateBuffer, code);
	WRONG_UNLESS((mem != NULL) == (code == CL_SUCCESS));
	return mem;
}

static void drop(struct faults_run *run, cl_mem mem)
{
	if (mem)
		TRY(clReleaseMemObject(mem));
}

static cl_command_queue queue_of(struct faults_run *run, int device,
				 cl_command_queue_properties properties)
{
	cl_int code = 12345;
	cl_command_queue_properties has = 0;
	TRY(clGetDeviceInfo(run->devices[device], CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof(has),
			    &has, NULL));
	cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties & has, 0};
	cl_command_queue queue = clCreateCommandQueueWithProperties(
		run->context, run->devices[device], list, &code);
	NOTE(clCreateCommandQueueWithProperties, code);
	WRONG_UNLESS((queue != NULL) == (code == CL_SUCCESS));
	return queue;
}

static void end_queue(struct faults_run *run, cl_command_queue queue)
{
	if (!queue)
		return;
	TRY(clFinish(queue));
	TRY(clReleaseCommandQueue(queue));
}

static cl_kernel kernel_of(struct faults_run *run, cl_program program, const char *name)
{
	cl_int code = 12345;
	if (!program)
		return NULL;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	NOTE(clCreateKernel, code);
	WRONG_UNLESS((kernel != NULL) == (code == CL_SUCCESS));
	return kernel;
}

static void drop_kernel(struct faults_run *run, cl_kernel kernel)
{
	if (kernel)
		TRY(clReleaseKernel(kernel));
}

/* A build that failed by what is in the program says why, for one device at least. */
static void check_log(struct faults_run *run, cl_program program, cl_int code)
{
	char log[4096] = "";
	bool told = false;
	for (int i = 0; i < FAULTS_DEVICES; i++) {
		if (!TRY(clGetProgramBuildInfo(program, run->devices[i], CL_PROGRAM_BUILD_LOG,
					       sizeof(log), log, NULL)) && *log) {
			printf("log: %s\n", log);
			told = true;
		}
	}
	WRONG_UNLESS(told || code != CL_BUILD_PROGRAM_FAILURE);
}

/* Released and NULL when it cannot be built; a second try may follow. */
static cl_program built(struct faults_run *run, cl_program program)
{
	if (!program)
		return NULL;
	cl_int code = TRY(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	if (!code)
		return program;
	check_log(run, program, code);
	TRY(clReleaseProgram(program));
	return NULL;
}

static cl_program from_source(struct faults_run *run)
{
	cl_int code = 12345;
	const char *text = source;
	cl_program program = clCreateProgramWithSource(run->context, 1, &text, NULL, &code);
	NOTE(clCreateProgramWithSource, code);
	return built(run, program);
}

static cl_program from_binaries(struct faults_run *run, cl_program made)
{
	size_t sizes_B[FAULTS_DEVICES] = {0};
	unsigned char *binaries[FAULTS_DEVICES] = {NULL};
	cl_int code = 12345;
	cl_program program = NULL;
	if (!made || TRY(clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof(sizes_B), sizes_B,
					  NULL)))
		return NULL;
	for (int i = 0; i < FAULTS_DEVICES; i++)
		binaries[i] = malloc(sizes_B[i] + 1);
	if (!TRY(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL))) {
		program = clCreateProgramWithBinary(run->context, FAULTS_DEVICES, run->devices,
						    sizes_B, (const unsigned char **)binaries,
						    NULL, &code);
		NOTE(clCreateProgramWithBinary, code);
	}
	for (int i = 0; i < FAULTS_DEVICES; i++)
		free(binaries[i]);
	return built(run, program);
}

/* --- commands ---------- */

/* scale, tabled or any other kernel that takes a buffer first. */
static cl_event launch(struct faults_run *run, cl_command_queue queue, cl_kernel kernel,
		       cl_mem mem, const size_t *local, cl_event after)
{
	const size_t global = N;
	if (!queue || !kernel || !mem)
		return NULL;
	if (TRY(clSetKernelArg(kernel, 0, sizeof(mem), &mem)))
		return NULL;
	return KEEP(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local, after ? 1 : 0,
					   after ? &after : NULL, slot(run)));
}

static void read_floats(struct faults_run *run, cl_command_queue queue, cl_mem mem, float first,
			float step, int line)
{
	static float got[N];
	if (!queue || !mem)
		return;
	memset(got, 0, sizeof(got));
	if (!TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE_B, got, 0, NULL, NULL)))
		check_floats(run, got, N, first, step, line);
}

static void fill_host(float *floats, float first, float step)
{
	for (unsigned i = 0; i < N; i++)
		floats[i] = first + step * (float)i;
}

/* Writes, reads, fills, copies, all of them in rows too. */
static void work_buffers(struct faults_run *run, cl_command_queue queue)
{
	static float floats[N];
	static const size_t at[3] = {0, 0, 0}, region[3] = {64, 8, 2};
	static const char pattern[128] = {1};
	static const size_t pattern_sizes_B[] = {1, 2, 4, 8, 16, 128};
	cl_int code = 12345;
	fill_host(floats, 1, 1);
	cl_mem one = buffer(run, CL_MEM_COPY_HOST_PTR, SIZE_B, floats);
	cl_mem two = buffer(run, CL_MEM_READ_WRITE, SIZE_B, NULL);
	if (queue && one && two) {
		const cl_buffer_region part = {0, SIZE_B / 2};
		read_floats(run, queue, one, 1, 1, __LINE__);
		KEEP(clEnqueueWriteBuffer(queue, two, CL_FALSE, 0, SIZE_B, floats, 0, NULL,
					  slot(run)));
		for (unsigned i = 0; i < sizeof(pattern_sizes_B) / sizeof(size_t); i++)
			KEEP(clEnqueueFillBuffer(queue, two, pattern, pattern_sizes_B[i], 0,
						 SIZE_B, 0, NULL, slot(run)));
		KEEP(clEnqueueCopyBuffer(queue, one, two, 0, 0, SIZE_B, 0, NULL, slot(run)));
		KEEP(clEnqueueCopyBufferRect(queue, one, two, at, at, region, 128, 1024, 128, 1024,
					     0, NULL, slot(run)));
		KEEP(clEnqueueWriteBufferRect(queue, two, CL_FALSE, at, at, region, 128, 1024, 128,
					      1024, floats, 0, NULL, slot(run)));
		read_floats(run, queue, two, 1, 1, __LINE__);
		TRY(clEnqueueReadBufferRect(queue, two, CL_TRUE, at, at, region, 128, 1024, 128,
					    1024, floats, 0, NULL, NULL));
		check_floats(run, floats, N, 1, 1, __LINE__);
		cl_mem half = clCreateSubBuffer(one, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
		NOTE(clCreateSubBuffer, code);
		if (half)
			KEEP(clEnqueueCopyBuffer(queue, two, half, 0, 0, SIZE_B / 2, 0, NULL,
						 slot(run)));
		drop(run, half);
	}
	settle(run);
	drop(run, one);
	drop(run, two);
}

/* Pinned memory, the caller's own memory, and windows on them. */
static void work_maps(struct faults_run *run, cl_command_queue queue, cl_mem_flags flags)
{
	static _Alignas(4096) float own[N];
	cl_int code = 12345;
	cl_mem mem = buffer(run, flags, SIZE_B, flags & CL_MEM_USE_HOST_PTR ? own : NULL);
	if (!queue || !mem) {
		drop(run, mem);
		return;
	}
	float *window = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
					   SIZE_B, 0, NULL, NULL, &code);
	if (!NOTE(clEnqueueMapBuffer, code)) {
		fill_host(window, 5, 2);
		KEEP(clEnqueueUnmapMemObject(queue, mem, window, 0, NULL, slot(run)));
	}
	KEEP(clEnqueueMigrateMemObjects(queue, 1, &mem, 0, 0, NULL, slot(run)));
	window = clEnqueueMapBuffer(queue, mem, CL_FALSE, CL_MAP_READ, 0, SIZE_B, 0, NULL,
				    slot(run), &code);
	cl_event mapped = keep(run, "clEnqueueMapBuffer", code, __LINE__);
	if (mapped) {
		if (!TRY(clWaitForEvents(1, &mapped)))
			check_floats(run, window, N, 5, 2, __LINE__);
		KEEP(clEnqueueUnmapMemObject(queue, mem, window, 0, NULL, slot(run)));
	}
	TRY(clFlush(queue));
	settle(run);
	drop(run, mem);
}

/* Advice about memory, which changes no results. */
static void advise(struct faults_run *run, cl_command_queue queue, void *shared)
{
	cl_platform_id platform = NULL;
	clEnqueueMemAdviseINTEL_fn clEnqueueMemAdviseINTEL_ = NULL;
	if (TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL)))
		return;
	void *found = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemAdviseINTEL");
	memcpy(&clEnqueueMemAdviseINTEL_, &found, sizeof(found));
	WRONG_UNLESS(found);
	if (!found)
		return;
	KEEP(clEnqueueMemAdviseINTEL_(queue, shared, SIZE_B, CL_MEM_ADVICE_SET_PREFERRED_DEVICE_CULVERT, 0, NULL,
				      slot(run)));
	KEEP(clEnqueueMemAdviseINTEL_(queue, shared, SIZE_B, 0, 0, NULL, slot(run)));
}

/* Memory at one address: filled, mapped, copied, and freed in its turn. */
static void work_shared(struct faults_run *run, cl_command_queue queue)
{
	static const float five = 5;
	float back[N] = {0};
	void *pointers[1];
	float *shared = clSVMAlloc(run->context, CL_MEM_READ_WRITE, SIZE_B, 0);
	if (!queue || !shared) {
		run->errors++;
		clSVMFree(run->context, shared);
		return;
	}
	const unsigned errors = run->errors;
	KEEP(clEnqueueSVMMemFill(queue, shared, &five, sizeof(five), SIZE_B, 0, NULL, slot(run)));
	KEEP(clEnqueueSVMMigrateMem(queue, 1, (const void *[]){shared}, NULL, 0, 0, NULL,
				    slot(run)));
	advise(run, queue, shared);
	if (!TRY(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, SIZE_B, 0, NULL, NULL)))
		KEEP(clEnqueueSVMUnmap(queue, shared, 0, NULL, slot(run)));
	if (!TRY(clEnqueueSVMMemcpy(queue, CL_TRUE, back, shared, SIZE_B, 0, NULL, NULL)) &&
	    run->errors == errors)
		check_floats(run, back, N, 5, 0, __LINE__);
	settle(run);
	pointers[0] = shared;
	if (TRY(clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, NULL)) ||
	    TRY(clFinish(queue)))
		clSVMFree(run->context, shared);
}

/* Transfers that nobody waits for, of a size that goes by way of pinned memory and of
 * one that does not, ordered by barriers. */
static void work_transfers(struct faults_run *run, cl_command_queue queue)
{
	enum { MIDDLE = 1 << 16, MOST = (4 << 18) + N };
	static float from[MOST], to[MOST];
	cl_mem mem = buffer(run, CL_MEM_READ_WRITE, sizeof(from), NULL);
	if (!queue || !mem) {
		drop(run, mem);
		return;
	}
	fill_host(from, 3, 1);
	for (unsigned i = 0; i < 2; i++) {
		const size_t size_B = (i ? MOST : MIDDLE) * sizeof(float);
		memset(to, 0, size_B);
		KEEP(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, size_B, from, 0, NULL,
					  slot(run)));
		KEEP(clEnqueueBarrierWithWaitList(queue, 0, NULL, slot(run)));
		KEEP(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, size_B, to, 0, NULL, slot(run)));
		KEEP(clEnqueueMarkerWithWaitList(queue, 0, NULL, slot(run)));
		TRY(clFinish(queue));
		check_floats(run, to, N, 3, 1, __LINE__);
		settle(run);
	}
	/* Large enough to be pinned in part. */
	cl_int code = 12345;
	float *part = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE_B,
					 0, NULL, NULL, &code);
	if (!NOTE(clEnqueueMapBuffer, code)) {
		check_floats(run, part, N, 3, 1, __LINE__);
		KEEP(clEnqueueUnmapMemObject(queue, mem, part, 0, NULL, slot(run)));
	}
	settle(run);
	drop(run, mem);
}

/* What only the driver of Windows knows is asked of the driver. */
static void work_names(struct faults_run *run)
{
	cl_bool valid = CL_TRUE;
	TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_LUID_VALID_KHR, sizeof(valid), &valid, NULL));
}

/* A buffer of which, once it is released, not all stays with the process. */
static void work_much(struct faults_run *run, cl_command_queue queue)
{
	cl_ulong memory_B = 0;
	if (!queue || TRY(clGetDeviceInfo(run->devices[0], CL_DEVICE_GLOBAL_MEM_SIZE,
					  sizeof(memory_B), &memory_B, NULL)))
		return;
	cl_mem mem = buffer(run, CL_MEM_READ_WRITE, (size_t)(memory_B / 16), NULL);
	if (mem)
		TRY(clEnqueueFillBuffer(queue, mem, "much", 4, 0, 64, 0, NULL, NULL));
	TRY(clFinish(queue));
	drop(run, mem);
}

static void work_kernels(struct faults_run *run, cl_command_queue queue, cl_program program)
{
	static float floats[N];
	static const size_t local = 64;
	const float factor = 2;
	cl_kernel scale = kernel_of(run, program, "scale"), sum = kernel_of(run, program, "sum");
	cl_kernel big = kernel_of(run, program, "big"), tabled = kernel_of(run, program, "tabled");
	size_t most = 0;
	fill_host(floats, 1, 1);
	cl_mem mem = buffer(run, CL_MEM_COPY_HOST_PTR, SIZE_B, floats);
	cl_mem out = buffer(run, CL_MEM_WRITE_ONLY, SIZE_B, NULL);
	/* Asked of the module, which may be loaded for it. */
	for (int i = 0; i < FAULTS_DEVICES && scale; i++)
		TRY(clGetKernelWorkGroupInfo(scale, run->devices[i], CL_KERNEL_WORK_GROUP_SIZE,
					     sizeof(most), &most, NULL));
	if (scale && !TRY(clSetKernelArg(scale, 1, sizeof(factor), &factor))) {
		launch(run, queue, scale, mem, NULL, NULL);
		launch(run, queue, scale, mem, &local, NULL);
	}
	read_floats(run, queue, mem, 4, 4, __LINE__);
	if (sum && out && !TRY(clSetKernelArg(sum, 1, sizeof(out), &out)) &&
	    !TRY(clSetKernelArg(sum, 2, local * 4, NULL))) {
		launch(run, queue, sum, mem, &local, NULL);
		if (queue && !TRY(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 64, floats, 0, NULL,
						      NULL)))
			check_floats(run, floats, 16, 8320, 16384, __LINE__);
	}
	launch(run, queue, big, out, &local, NULL);
	launch(run, queue, tabled, mem, &local, NULL);
	settle(run);
	drop_kernel(run, scale);
	drop_kernel(run, sum);
	drop_kernel(run, big);
	drop_kernel(run, tabled);
	drop(run, mem);
	drop(run, out);
}

/* Commands of two queues and two devices that wait for each other, and for us. */
static void work_order(struct faults_run *run, cl_command_queue const queues[3],
		       cl_program program)
{
	static float floats[N];
	const float factor = 2;
	cl_int code = 12345;
	cl_kernel scale = kernel_of(run, program, "scale");
	fill_host(floats, 1, 1);
	cl_mem mem = buffer(run, CL_MEM_COPY_HOST_PTR, SIZE_B, floats);
	cl_mem more = buffer(run, CL_MEM_COPY_HOST_PTR, SIZE_B, floats);
	cl_event user = clCreateUserEvent(run->context, &code);
	NOTE(clCreateUserEvent, code);
	const bool ready = scale && !TRY(clSetKernelArg(scale, 1, sizeof(factor), &factor));
	/* Enough waits, also where those that are not needed are left out. */
	for (int i = 0; i < 12 && ready; i++) {
		launch(run, queues[2], scale, more, NULL,
		       launch(run, queues[0], scale, more, NULL, NULL));
		settle(run);
	}
	if (ready && user) {
		cl_event first = launch(run, queues[0], scale, mem, NULL, user);
		cl_event second = launch(run, queues[2], scale, mem, NULL, first);
		cl_event third = launch(run, queues[1], scale, mem, NULL, second);
		if (third && queues[2])
			KEEP(clEnqueueMarkerWithWaitList(queues[2], 1, &third, slot(run)));
		if (queues[2])
			KEEP(clEnqueueBarrierWithWaitList(queues[2], 0, NULL, slot(run)));
		for (int i = 0; i < 3; i++)
			if (queues[i])
				TRY(clFlush(queues[i]));
		TRY(clSetUserEventStatus(user, CL_COMPLETE));
		if (third)
			read_floats(run, queues[1], mem, 8, 8, __LINE__);
	}
	settle(run);
	if (user)
		TRY(clReleaseEvent(user));
	drop_kernel(run, scale);
	drop(run, mem);
	drop(run, more);
}

/* Whether the device still does what it is asked. */
static void serve(struct faults_run *run, int device, cl_command_queue queue)
{
	static float floats[N];
	const unsigned before = run->errors;
	fill_host(floats, 3, 1);
	cl_mem mem = buffer(run, 0, SIZE_B, NULL);
	if (queue && mem) {
		KEEP(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, SIZE_B, floats, 0, NULL,
					  slot(run)));
		read_floats(run, queue, mem, 3, 1, __LINE__);
	}
	settle(run);
	drop(run, mem);
	run->served[device] = queue && run->errors == before;
}

/* --- all of it ---------- */

static bool find(struct faults_run *run)
{
	cl_platform_id platforms[8];
	cl_uint count = 0, devices = 0;
	char name[64];
	if (clGetPlatformIDs(8, platforms, &count))
		return false;
	for (cl_uint i = 0; i < count && i < 8; i++) {
		if (TRY(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name,
					  NULL)) || !strstr(name, "Culvert"))
			continue;
		return !clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, FAULTS_DEVICES,
				       run->devices, &devices) && devices == FAULTS_DEVICES;
	}
	return false;
}

static void CL_CALLBACK complain(const char *text, const void *data, size_t size_B, void *user)
{
	(void)data;
	(void)size_B;
	(void)user;
	printf("context: %s\n", text);
}

static void work_in_context(struct faults_run *run)
{
	cl_command_queue queues[3] = {
		queue_of(run, 0, CL_QUEUE_PROFILING_ENABLE), queue_of(run, 1, 0),
		queue_of(run, 0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
	};
	work_names(run);
	work_buffers(run, queues[0]);
	work_buffers(run, queues[1]);
	work_transfers(run, queues[0]);
	work_transfers(run, queues[2]);
	work_maps(run, queues[0], 0);
	work_maps(run, queues[0], CL_MEM_ALLOC_HOST_PTR);
	work_maps(run, queues[1], CL_MEM_USE_HOST_PTR);
	work_much(run, queues[0]);
	work_shared(run, queues[0]);
	work_shared(run, queues[1]);
	cl_program program = from_source(run), again = from_binaries(run, program);
	work_kernels(run, queues[0], program);
	work_kernels(run, queues[1], again);
	work_order(run, queues, program);
	faults_images(run, queues[0], program);
	faults_images(run, queues[1], again);
	faults_commands(run, queues[0]);
	faults_external(run, queues[0]);
	faults_types(run, queues[0]);
	faults_il(run, queues[1]);
	if (program)
		TRY(clReleaseProgram(program));
	if (again)
		TRY(clReleaseProgram(again));
	for (int i = 0; i < 3; i++)
		end_queue(run, queues[i]);
}

/* Memory objects are destroyed by another thread if the host's memory is still in use, and contexts after them. */
static atomic_uint contexts_begun, contexts_ended;

static void CL_CALLBACK context_ended(cl_context context, void *unused)
{
	(void)context;
	(void)unused;
	atomic_fetch_add(&contexts_ended, 1);
}

static bool begin(struct faults_run *run, cl_uint count, const cl_device_id *devices)
{
	cl_int code = 12345;
	run->context = clCreateContext(NULL, count, devices, complain, NULL, &code);
	NOTE(clCreateContext, code);
	WRONG_UNLESS((run->context != NULL) == (code == CL_SUCCESS));
	if (run->context && !clSetContextDestructorCallback(run->context, context_ended, NULL))
		atomic_fetch_add(&contexts_begun, 1);
	return run->context;
}

void faults_work(struct faults_run *run)
{
	memset(run, 0, sizeof(*run));
	run->no_platform = !find(run);
	if (run->no_platform || !begin(run, FAULTS_DEVICES, run->devices))
		return;
	work_in_context(run);
	TRY(clReleaseContext(run->context));
	/* A GPU that shares the host's memory uses such memory of a context of one device where it is. */
	if (!begin(run, 1, run->devices))
		return;
	cl_command_queue queue = queue_of(run, 0, 0);
	work_maps(run, queue, CL_MEM_USE_HOST_PTR);
	end_queue(run, queue);
	TRY(clReleaseContext(run->context));
}

void faults_serve(struct faults_run *run)
{
	memset(run, 0, sizeof(*run));
	run->no_platform = !find(run);
	for (int i = 0; !run->no_platform && i < FAULTS_DEVICES; i++) {
		if (!begin(run, 1, &run->devices[i]))
			continue;
		cl_command_queue queue = queue_of(run, i, 0);
		serve(run, i, queue);
		end_queue(run, queue);
		TRY(clReleaseContext(run->context));
	}
}

/* A buffer of which the memory is allocated; NULL: it cannot be.  A fill that fails for another reason has allocated
 * it. */
static cl_mem backed(cl_context context, cl_command_queue queue, size_t size_B)
{
	cl_int code = 12345;
	cl_mem mem = clCreateBuffer(context, 0, size_B, NULL, &code);
	if (!mem)
		return NULL;
	code = clEnqueueFillBuffer(queue, mem, "full", 4, 0, 64, 0, NULL, NULL);
	if (code != CL_MEM_OBJECT_ALLOCATION_FAILURE)
		return mem;
	clReleaseMemObject(mem);
	return NULL;
}

/* Takes all memory of a device, buffer by buffer: the driver then frees what it keeps for later allocations.  Where a
 * buffer may be as large as all memory, none of that size fits if a block was lost; so half of it is tried next.  The
 * memory of a last, small buffer is allocated once these buffers are freed.  False: a call fails. */
static bool exhaust(cl_context context, cl_device_id device)
{
	enum { MOST = 64 };
	cl_mem mems[MOST] = {NULL};
	cl_ulong size_B = 0;
	unsigned count = 0;
	cl_int code = clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(size_B), &size_B, NULL);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
	if (code || !queue)
		return false;
	while (count < MOST && size_B > SIZE_B) {
		mems[count] = backed(context, queue, (size_t)size_B);
		if (mems[count])
			count++;
		else if (count)
			break;
		else
			size_B /= 2;
	}
	bool good = count && count < MOST && !clFinish(queue);
	while (count)
		clReleaseMemObject(mems[--count]);
	cl_mem last = backed(context, queue, SIZE_B);
	good &= last && !clFinish(queue);
	if (last)
		clReleaseMemObject(last);
	clReleaseCommandQueue(queue);
	return good;
}

bool faults_exhaust(void)
{
	static struct faults_run run;
	bool good = find(&run);
	for (unsigned us = 0; us < PATIENCE_US && atomic_load(&contexts_ended) < atomic_load(&contexts_begun);
	     us += STEP_US)
		usleep(STEP_US);
	if (atomic_load(&contexts_ended) < atomic_load(&contexts_begun))
		printf("WRONG: %u of %u contexts still exist\n",
		       atomic_load(&contexts_begun) - atomic_load(&contexts_ended), atomic_load(&contexts_begun));
	for (int i = 0; good && i < FAULTS_DEVICES; i++) {
		cl_context context = clCreateContext(NULL, 1, &run.devices[i], NULL, NULL, NULL);
		good = context && exhaust(context, run.devices[i]);
		if (context)
			clReleaseContext(context);
	}
	return good;
}
