/* What commands cost in calls of the CUDA driver, and that to enqueue is never to wait. */
#include "config.h"

#include "tests/stress/scenario.h"

enum { TIMES = 64 };

/* Calls that do something: a look at the current context, and its change, put nothing
 * into a stream and ask it nothing. */
static uint64_t calls_that_work(void)
{
	return calls_of("cu*") - calls_of("cuCtxGetCurrent") - calls_of("cuCtxSetCurrent");
}

/* Of one launch, by what it is asked for: 1, and 2 with an event. */
static void count_launches(void)
{
	cl_command_queue queue = queue_on(0);
	cl_mem mem = buffer_of(0);
	cl_kernel kernel = kernel_named("add");
	const cl_uint one = 1;
	cl_event events[TIMES];
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(one), &one));
	/* The first time the module is loaded, events are made, and a size is chosen. */
	for (unsigned i = 0; i < TIMES; i++)
		enqueue(queue, kernel, WORDS, 0, NULL, &events[i]);
	CHECK_OK(clFinish(queue));
	release_events(TIMES, events);
	uint64_t before = calls_that_work();
	const uint64_t contexts = calls_of("cuCtx*");
	for (unsigned i = 0; i < TIMES; i++)
		enqueue(queue, kernel, WORDS, 0, NULL, NULL);
	CHECK(!scene.soft || calls_that_work() == before + TIMES);
	/* Looked at, set, and set back. */
	CHECK(calls_of("cuCtx*") <= contexts + 3 * TIMES);
	before = calls_that_work();
	const uint64_t created = calls_of("cu*Create*"), changes = calls_of("cuCtxSetCurrent");
	for (unsigned i = 0; i < TIMES; i++)
		enqueue(queue, kernel, WORDS, 0, NULL, &events[i]);
	CHECK(!scene.soft || calls_that_work() == before + 2 * TIMES);
	/* Set and set back once, around launch and record. */
	CHECK(calls_of("cuCtxSetCurrent") <= changes + 2 * TIMES);
	CHECK(calls_of("cu*Create*") == created);
	CHECK_OK(clReleaseKernel(kernel));
	expect(queue, mem, 3 * TIMES, 0, NULL);
	end_queues(1, &queue);
	release_events(TIMES, events);
	release_mems(1, &mem);
}

/* Once warm, rounds of everything create nothing and allocate nothing but buffers. */
static void count_steady_state(void)
{
	uint64_t created = 0, waits = 0, loaded = 0;
	for (unsigned round = 0; round < 6; round++) {
		cl_command_queue queues[2] = {queue_on(0), queue_on(1)};
		cl_mem mem = buffer_of(round), out = buffer_of(0);
		cl_event events[3];
		change(queues[0], "add", mem, 1, 0, NULL, &events[0]);
		change(queues[1], "mul", mem, 2, 1, &events[0], &events[1]);
		CHECK_OK(clEnqueueCopyBuffer(queues[0], mem, out, 0, 0, SIZE_B, 1, &events[1],
					     &events[2]));
		expect(queues[1], out, 2 * (round + 1), 1, &events[2]);
		end_queues(2, queues);
		release_events(3, events);
		release_mems(2, (cl_mem[]){mem, out});
		if (round == 2) {
			created = calls_of("cuEventCreate*") + calls_of("cuStreamCreate*");
			loaded = calls_of("cuModule*");
			waits = calls_of("cuCtxSynchronize");
		}
	}
	CHECK(calls_of("cuEventCreate*") + calls_of("cuStreamCreate*") == created);
	CHECK(calls_of("cuModule*") == loaded);
	CHECK(calls_of("cuCtxSynchronize") == waits);
}

/* Everything that can be enqueued stands behind a kernel that does not run: whoever
 * waits for it would wait for ever. */
static void count_no_waits(void)
{
	static const size_t at[3] = {0, 0, 0}, region[3] = {16, 2, 1};
	const cl_uint seven = 7;
	cl_command_queue queue = queue_on(0), other = queue_on(0);
	cl_mem mem = buffer_of(1), out = buffer_of(0), brief = buffer_of(3);
	cl_mem half = view_of(mem, 0, SIZE_B);
	cl_event events[11];
	cl_uint words[WORDS] = {0};
	cl_int code;
	unsigned count = 0;
	cl_mem pinned = buffer_make(scene.context, CL_MEM_ALLOC_HOST_PTR, SIZE_B, NULL);
	cl_uint *host = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					   SIZE_B, 0, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	const uint64_t waits = calls_of("cu*Synchronize");
	change(queue, "held", mem, 1, 0, NULL, &events[count++]);
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, SIZE_B, host, 0, NULL,
				     &events[count++]));
	CHECK_OK(clEnqueueWriteBuffer(queue, out, CL_FALSE, 0, SIZE_B, host, 0, NULL,
				      &events[count++]));
	CHECK_OK(clEnqueueWriteBuffer(queue, out, CL_FALSE, 0, SIZE_B, words, 0, NULL,
				      &events[count++]));
	CHECK_OK(clEnqueueFillBuffer(queue, out, &seven, 4, 0, SIZE_B, 0, NULL,
				     &events[count++]));
	CHECK_OK(clEnqueueCopyBuffer(queue, mem, out, 0, 0, SIZE_B / 2, 0, NULL,
				     &events[count++]));
	CHECK_OK(clEnqueueCopyBufferRect(queue, mem, out, at, at, region, 32, 0, 32, 0, 0, NULL,
					 &events[count++]));
	CHECK_OK(clEnqueueMigrateMemObjects(queue, 1, &out, 0, 0, NULL, &events[count++]));
	CHECK_OK(clEnqueueMarkerWithWaitList(other, 1, &events[0], &events[count++]));
	CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, &events[count++]));
	derive(other, "copy", brief, NULL, half, 1, &events[count - 1], &events[count]);
	count++;
	release_mems(1, &brief);
	CHECK_OK(clFlush(queue));
	CHECK(calls_of("cu*Synchronize") == waits);
	for (unsigned i = 0; i < count && scene.soft; i++)
		CHECK(status_of(events[i]) > CL_COMPLETE);
	let_go();
	CHECK_OK(clWaitForEvents(count, events));
	CHECK(words_are(host, WORDS, 2));
	CHECK_OK(clEnqueueUnmapMemObject(queue, pinned, host, 0, NULL, NULL));
	end_queues(2, (cl_command_queue[]){queue, other});
	release_events(count, events);
	release_mems(4, (cl_mem[]){half, mem, out, pinned});
}

/* Creating and releasing buffers, used or not, costs an allocation and a free. */
static void count_buffers(void)
{
	cl_command_queue queue = queue_on(0);
	uint64_t before = 0;
	for (unsigned i = 0; i < 4 + TIMES; i++) {
		/* Pools and streams are there. */
		if (i == 4)
			before = calls_that_work();
		cl_mem mem = buffer_make(scene.context, 0, 1 << 20, NULL);
		CHECK_OK(clReleaseMemObject(mem));
	}
	/* Taken, seen to be there, given back. */
	CHECK(calls_that_work() <= before + 3 * TIMES);
	end_queues(1, &queue);
}

/* The program of a source, which is compiled once. */
static cl_program program_of(const char *source, unsigned slot)
{
	static struct {
		size_t size_B;
		unsigned char *data;
	} built[2];
	cl_int code;
	cl_program program;
	if (built[slot].data) {
		program = clCreateProgramWithBinary(scene.context, 1, scene.test.devices,
						    &built[slot].size_B,
						    (const unsigned char **)&built[slot].data,
						    NULL, &code);
		CHECK_OK(code);
		CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
		return program;
	}
	program = api_test_program(scene.context, source);
	CHECK_OK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(built[slot].size_B),
				  &built[slot].size_B, NULL));
	built[slot].data = malloc(built[slot].size_B ? built[slot].size_B : 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(built[slot].data),
				  &built[slot].data, NULL));
	return program;
}

static cl_uint bumped(cl_command_queue queue, cl_program program)
{
	const size_t one = 1;
	cl_uint value = 0;
	cl_kernel kernel = kernel_make(program, "bump");
	cl_mem mem = buffer_make(scene.context, 0, sizeof(value), NULL);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d(queue, kernel, one);
	buffer_read(queue, mem, &value, sizeof(value));
	release_mems(1, &mem);
	CHECK_OK(clReleaseKernel(kernel));
	return value;
}

/* Program objects of the same code have one module for each device, which stays as long as
 * one of them; those with variables of their own have one each. */
static void count_modules(void)
{
	cl_command_queue queue = queue_on(0);
	cl_program first = program_of("kernel void bump(global uint *out) { *out = 7; }", 0);
	CHECK(bumped(queue, first) == 7);
	uint64_t before = calls_of("cuModuleLoad*");
	cl_program twin = program_twin(first);
	CHECK(bumped(queue, twin) == 7);
	CHECK_OK(clReleaseProgram(first));
	CHECK(bumped(queue, twin) == 7);
	CHECK_OK(clReleaseProgram(twin));
	CHECK(calls_of("cuModuleLoad*") == before);
	cl_program own = program_of("global uint count = 5;\n"
				    "kernel void bump(global uint *out) { *out = ++count; }", 1);
	CHECK(bumped(queue, own) == 6);
	cl_program own_twin = program_twin(own);
	CHECK(bumped(queue, own_twin) == 6);
	CHECK(bumped(queue, own) == 7);
	CHECK(bumped(queue, own_twin) == 7);
	CHECK_OK(clReleaseProgram(own));
	CHECK_OK(clReleaseProgram(own_twin));
	end_queues(1, &queue);
}

static const struct scenario scenarios[] = {
	{51, "a launch is one call, and two with an event", count_launches, NULL, 0, 0, false},
	{52, "nothing is made once all is there", count_steady_state, NULL, 0, 2, false},
	{53, "to enqueue is not to wait", count_no_waits, ",keep:held", 0, 0, false},
	{54, "a buffer is taken and given back without a wait", count_buffers, NULL, 0, 0, false},
	{55, "the same code is loaded once", count_modules, NULL, 0, 0, false},
};

SCENARIO_MAIN("scenarios_counts", "2")
