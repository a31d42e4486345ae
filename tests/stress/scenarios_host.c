/* Ordering scenarios: the host's bytes, arguments, maps and pointers. */
#include "config.h"

#include "tests/stress/scenario.h"

/* Created from pageable memory that is written over at once, used at once. */
static void scenario_01_copied_at_creation(void)
{
	enum { ALL = 1 << 18 };
	static cl_uint words[ALL];
	cl_command_queue queue = queue_on(0);
	for (unsigned i = 0; i < ALL; i++)
		words[i] = 5;
	cl_mem mem = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem end = view_of(mem, sizeof(words) - SIZE_B, SIZE_B);
	change(queue, "add", end, 2, 0, NULL, NULL);
	memset(words, 0xee, sizeof(words));
	expect(queue, end, 7, 0, NULL);
	end_queues(1, &queue);
	release_mems(2, (cl_mem[]){end, mem});
}

/* Data that one queue prepared, kernels with helper uploads on another, the helpers
 * released between. */
static void scenario_02_helpers(void)
{
	cl_command_queue first = queue_on(0), second = queue_on(0);
	cl_uint prepared[WORDS];
	cl_event ready;
	for (unsigned i = 0; i < WORDS; i++)
		prepared[i] = 3;
	cl_mem data = buffer_of(0), next = buffer_of(0);
	CHECK_OK(clEnqueueWriteBuffer(first, data, CL_FALSE, 0, SIZE_B, prepared, 0, NULL,
				      &ready));
	CHECK_OK(clEnqueueBarrierWithWaitList(second, 1, &ready, NULL));
	for (cl_uint i = 0; i < 4; i++) {
		cl_mem helper = buffer_of(i);
		derive(second, "sum", i & 1 ? next : data, helper, i & 1 ? data : next, 0, NULL,
		       NULL);
		CHECK_OK(clReleaseMemObject(helper));
	}
	expect(second, data, 3 + 0 + 1 + 2 + 3, 0, NULL);
	end_queues(2, (cl_command_queue[]){first, second});
	release_events(1, &ready);
	release_mems(2, (cl_mem[]){data, next});
}

/* One kernel object, two queues, other arguments each time. */
static void scenario_03_arguments(void)
{
	enum { TIMES = 4 };
	cl_command_queue queues[2] = {queue_on(0), queue_on(0)};
	cl_kernel kernel = kernel_named("held_table");
	cl_mem tables[TIMES], outs[TIMES];
	for (cl_uint i = 0; i < TIMES; i++) {
		cl_uint large[32];
		for (unsigned k = 0; k < 32; k++)
			large[k] = 100 * i;
		tables[i] = buffer_of(i + 1);
		outs[i] = buffer_of(0);
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &tables[i]));
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(large), large));
		CHECK_OK(clSetKernelArg(kernel, 2, SIZE_B, NULL));
		CHECK_OK(clSetKernelArg(kernel, 3, sizeof(cl_mem), &outs[i]));
		enqueue(queues[i % 2], kernel, WORDS, 0, NULL, NULL);
	}
	CHECK_OK(clReleaseKernel(kernel));
	for (cl_uint i = 0; i < TIMES; i++)
		expect(queues[i % 2], outs[i], 101 * i + 1, 0, NULL);
	end_queues(2, queues);
	release_mems(TIMES, tables);
	release_mems(TIMES, outs);
}

/* What a read brings, the write behind it takes: host is that memory. */
static void read_then_write(cl_uint *host)
{
	cl_command_queue queue = queue_on(0);
	cl_mem from = buffer_of(1), to = buffer_of(0);
	memset(host, 0, SIZE_B);
	change(queue, "held", from, 6, 0, NULL, NULL);
	CHECK_OK(clEnqueueReadBuffer(queue, from, CL_FALSE, 0, SIZE_B, host, 0, NULL, NULL));
	CHECK_OK(clEnqueueWriteBuffer(queue, to, CL_FALSE, 0, SIZE_B, host, 0, NULL, NULL));
	change(queue, "add", to, 3, 0, NULL, NULL);
	expect(queue, to, 10, 0, NULL);
	end_queues(1, &queue);
	release_mems(2, (cl_mem[]){from, to});
}

static void scenario_04_host_between(void)
{
	cl_uint pageable[WORDS];
	cl_int code;
	read_then_write(pageable);
	cl_command_queue queue = queue_on(0);
	cl_mem pinned = buffer_make(scene.context, CL_MEM_ALLOC_HOST_PTR, SIZE_B, NULL);
	cl_uint *words = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					    SIZE_B, 0, NULL, NULL, &code);
	if (CHECK_OK(code)) {
		read_then_write(words);
		CHECK_OK(clEnqueueUnmapMemObject(queue, pinned, words, 0, NULL, NULL));
	}
	end_queues(1, &queue);
	release_mems(1, &pinned);
}

/* What a blocked command needs is its own, whatever the program gives back. */
static void scenario_22_captured(void)
{
	cl_command_queue queue = queue_on(0), other = queue_on(0);
	cl_mem from = buffer_of(9), to = buffer_of(0), wrong = buffer_of(1);
	cl_kernel kernel = kernel_named("copy");
	cl_event user = user_event(), done;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
	enqueue(queue, kernel, WORDS, 1, &user, &done);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(wrong), &wrong));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(wrong), &wrong));
	CHECK_OK(clReleaseKernel(kernel));
	release_mems(2, (cl_mem[]){from, wrong});
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	expect(other, to, 9, 1, &done);
	end_queues(1, &other);
	release_events(2, (cl_event[]){user, done});
	release_mems(1, &to);
}

/* The shadow of an invalidating map may still be read by the unmap before it. */
static void invalidate(cl_command_queue first, cl_command_queue second, bool lists)
{
	cl_mem mem = buffer_of(0), outs[2] = {buffer_of(0), buffer_of(0)};
	cl_command_queue queues[2] = {first, second};
	cl_event unmapped[2], copied[2], mapped;
	cl_int code;
	for (cl_uint turn = 0; turn < 2; turn++) {
		const cl_uint waits = turn && lists;
		cl_uint *words = clEnqueueMapBuffer(queues[turn], mem, CL_FALSE,
						    CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE_B,
						    waits, waits ? &copied[0] : NULL, &mapped,
						    &code);
		if (!CHECK_OK(code))
			return;
		CHECK_OK(clWaitForEvents(1, &mapped));
		for (unsigned i = 0; i < WORDS; i++)
			words[i] = 40 + turn;
		CHECK_OK(clEnqueueUnmapMemObject(queues[turn], mem, words, 0, NULL,
						 &unmapped[turn]));
		derive(queues[turn], "copy", mem, NULL, outs[turn], 1, &unmapped[turn],
		       &copied[turn]);
		release_events(1, &mapped);
	}
	expect(first, outs[0], 40, 1, &copied[0]);
	expect(second, outs[1], 41, 1, &copied[1]);
	release_events(4, (cl_event[]){unmapped[0], unmapped[1], copied[0], copied[1]});
	release_mems(3, (cl_mem[]){mem, outs[0], outs[1]});
}

static void scenario_33_invalidating_maps(void)
{
	cl_command_queue queues[2] = {queue_on(0), queue_on(0)};
	invalidate(queues[0], queues[0], false);
	invalidate(queues[0], queues[1], true);
	end_queues(2, queues);
}

/* Several windows on one buffer, with kernels of another device around them. */
static void scenario_34_windows(void)
{
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem mem = buffer_of(1), out = buffer_of(0);
	cl_event unmapped, copied;
	cl_int code;
	cl_uint *words = clEnqueueMapBuffer(near, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					    SIZE_B, 0, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	for (unsigned i = 0; i < WORDS; i++)
		words[i] += 10;
	CHECK_OK(clEnqueueUnmapMemObject(near, mem, words, 0, NULL, &unmapped));
	change(far, "mul", mem, 2, 1, &unmapped, NULL);
	CHECK_OK(clFinish(far));
	const cl_uint *all = clEnqueueMapBuffer(near, mem, CL_TRUE, CL_MAP_READ, 0, SIZE_B, 0,
						NULL, NULL, &code);
	CHECK_OK(code);
	const cl_uint *half = clEnqueueMapBuffer(far, mem, CL_TRUE, CL_MAP_READ, SIZE_B / 2,
						 SIZE_B / 2, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clEnqueueUnmapMemObject(near, mem, (void *)all, 0, NULL, NULL));
	derive(near, "held_copy", mem, NULL, out, 0, NULL, &copied);
	CHECK(words_are(half, WORDS / 2, 22));
	CHECK_OK(clEnqueueUnmapMemObject(far, mem, (void *)half, 0, NULL, NULL));
	expect(far, out, 22, 1, &copied);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(2, (cl_event[]){unmapped, copied});
	release_mems(2, (cl_mem[]){mem, out});
}

static cl_event last_use;
static atomic_int destroyed;

static void CL_CALLBACK poison(cl_mem mem, void *data)
{
	(void)mem;
	CHECK(status_of(last_use) == CL_COMPLETE);
	memset(data, 0xdd, SIZE_B);
	atomic_fetch_add(&destroyed, 1);
}

/* Two buffers on one page; one is released in the middle of its work, and its memory
 * is written over when it is gone. */
static void scenario_35_host_pointers(void)
{
	static cl_uint page[2][WORDS];
	cl_command_queue queue = queue_on(0), other = queue_on(0);
	cl_mem mems[2], out = buffer_of(0);
	for (cl_uint i = 0; i < 2; i++) {
		for (unsigned k = 0; k < WORDS; k++)
			page[i][k] = 7 + i;
		mems[i] = buffer_make(scene.context, CL_MEM_USE_HOST_PTR, SIZE_B, page[i]);
	}
	atomic_store(&destroyed, 0);
	CHECK_OK(clSetMemObjectDestructorCallback(mems[0], poison, page[0]));
	derive(queue, "held_copy", mems[0], NULL, out, 0, NULL, &last_use);
	CHECK_OK(clReleaseMemObject(mems[0]));
	change(other, "add", mems[1], 5, 0, NULL, NULL);
	expect(other, mems[1], 13, 0, NULL);
	expect(queue, out, 7, 0, NULL);
	CHECK(soon(&destroyed, 1));
	end_queues(2, (cl_command_queue[]){queue, other});
	release_events(1, &last_use);
	release_mems(2, (cl_mem[]){mems[1], out});
}

static const struct scenario scenarios[] = {
	{1, "a buffer's first bytes are there before its first use", scenario_01_copied_at_creation,
	 ",late", 0, 0, false},
	{2, "helper uploads between chained kernels, released at once", scenario_02_helpers, NULL,
	 0, 0, false},
	{3, "each launch has the arguments that it was given", scenario_03_arguments,
	 ",hold:held_table:1", 0, 0, false},
	{4, "a write takes the host's bytes at its turn", scenario_04_host_between, ",hold:held", 0,
	 0, false},
	{22, "a blocked command keeps what it was enqueued with", scenario_22_captured, NULL, 0, 0,
	 false},
	{33, "a map never writes what an unmap still reads", scenario_33_invalidating_maps,
	 ",hold:HtoD", 0, 0, false},
	{34, "windows that overlap, and kernels of two devices", scenario_34_windows,
	 ",hold:held_copy", 0, 2, false},
	{35, "host memory is given back after its last use", scenario_35_host_pointers,
	 ",hold:held_copy", 0, 0, false},
};

SCENARIO_MAIN("scenarios_host", "3")
