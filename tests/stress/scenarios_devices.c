/* Ordering scenarios: one context over several devices, and where the newest bytes are. */
#include "config.h"

#include "tests/stress/scenario.h"

#include <stdlib.h>
#include <string.h>

/* Two readers on one device wait for the writer on another, not for each other. */
static void scenario_26_second_reader(void)
{
	cl_command_queue writer = queue_on(0), readers[2] = {queue_on(1), queue_on(1)};
	cl_mem mem = buffer_of(1), outs[2] = {buffer_of(0), buffer_of(0)};
	cl_event written;
	change(writer, "held", mem, 6, 0, NULL, &written);
	for (unsigned i = 0; i < 2; i++)
		derive(readers[i], "copy", mem, NULL, outs[i], 1, &written, NULL);
	for (unsigned i = 0; i < 2; i++)
		expect(readers[1 - i], outs[1 - i], 7, 0, NULL);
	end_queues(1, &writer);
	end_queues(2, readers);
	release_events(1, &written);
	release_mems(3, (cl_mem[]){mem, outs[0], outs[1]});
}

/* A partial write on one device leaves the other's newest bytes around it. */
static void scenario_27_partial_writes(void)
{
	const cl_uint value = 9;
	const size_t rect_at[3] = {16, 4, 0}, from[3] = {0, 0, 0}, region[3] = {16, 4, 1};
	cl_uint words[8];
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem mem = buffer_of(1), source = buffer_of(8);
	cl_event newest, changed[3];
	for (unsigned i = 0; i < 8; i++)
		words[i] = 7;
	change(near, "held", mem, 2, 0, NULL, &newest);
	CHECK_OK(clEnqueueWriteBuffer(far, mem, CL_FALSE, 8 * 4, sizeof(words), words, 1, &newest,
				      &changed[0]));
	CHECK_OK(clEnqueueFillBuffer(far, mem, &value, 4, 20 * 4, 4 * 4, 1, &newest, &changed[1]));
	/* Rows of 64 bytes: words 4 to 7 of the rows 4 to 7. */
	CHECK_OK(clEnqueueCopyBufferRect(far, source, mem, from, rect_at, region, 64, 0, 64, 0, 1,
					 &newest, &changed[2]));
	for (unsigned i = 0; i < 2; i++) {
		cl_command_queue queue = i ? far : near;
		expect_words(queue, mem, 0, 8, 3, 3, changed);
		expect_words(queue, mem, 8, 8, 7, 3, changed);
		expect_words(queue, mem, 16, 4, 3, 3, changed);
		expect_words(queue, mem, 20, 4, 9, 3, changed);
		for (unsigned row = 4; row < 8; row++) {
			expect_words(queue, mem, row * 16, 4, 3, 3, changed);
			expect_words(queue, mem, row * 16 + 4, 4, 8, 3, changed);
			expect_words(queue, mem, row * 16 + 8, 8, 3, 3, changed);
		}
	}
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(1, &newest);
	release_events(3, changed);
	release_mems(2, (cl_mem[]){mem, source});
}

/* Copies and reads on a device that has not got the newest bytes yet. */
static void scenario_28_copies_from_afar(void)
{
	cl_uint got[WORDS] = {0};
	cl_command_queue near = queue_on(0), far = queue_on(1), in = NULL;
	cl_mem source = buffer_of(1), target = buffer_of(0), other = buffer_of(10);
	cl_event newest, copied, read;
	change(near, "held", source, 4, 0, NULL, &newest);
	change(near, "add", other, 1, 0, NULL, NULL);
	change(far, "add", target, 1, 0, NULL, NULL);
	CHECK_OK(clEnqueueCopyBuffer(far, source, target, 0, 0, SIZE_B, 1, &newest, &copied));
	change(far, "mul", target, 2, 0, NULL, NULL);
	CHECK_OK(clEnqueueReadBuffer(far, source, CL_FALSE, 0, SIZE_B, got, 1, &newest, &read));
	CHECK_OK(clGetEventInfo(read, CL_EVENT_COMMAND_QUEUE, sizeof(in), &in, NULL));
	CHECK(in == far);
	CHECK_OK(clWaitForEvents(1, &read));
	CHECK(words_are(got, WORDS, 5));
	expect(far, target, 10, 0, NULL);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(3, (cl_event[]){newest, copied, read});
	release_mems(3, (cl_mem[]){source, target, other});
}

/* Sub-buffers: disjoint ones at the same time on two devices, overlapping ones in the
 * order of events, with ends that are not aligned. */
static void scenario_29_views(void)
{
	enum { PARTS = 3 };
	cl_uint words[PARTS * WORDS];
	cl_command_queue queues[3] = {queue_on(0), queue_on(1), queue_on(2)};
	for (unsigned i = 0; i < PARTS * WORDS; i++)
		words[i] = 1;
	cl_mem mem = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem low = view_of(mem, 0, SIZE_B), high = view_of(mem, SIZE_B, SIZE_B);
	cl_mem wide = view_of(mem, 0, SIZE_B + 20), rest = view_of(mem, SIZE_B, SIZE_B + 36);
	cl_event done[4];
	change(queues[0], "held", low, 1, 0, NULL, &done[0]);
	change(queues[1], "add", high, 2, 0, NULL, &done[1]);
	change_words(queues[2], "mul", wide, 10, WORDS + 5, 2, done, &done[2]);
	change_words(queues[0], "add", rest, 100, WORDS + 9, 1, &done[2], &done[3]);
	expect_words(queues[2], mem, 0, WORDS, 20, 1, &done[3]);
	expect_words(queues[1], mem, WORDS, 5, 130, 1, &done[3]);
	expect_words(queues[2], mem, WORDS + 5, WORDS - 5, 103, 1, &done[3]);
	expect_words(queues[0], mem, 2 * WORDS, 9, 101, 1, &done[3]);
	expect_words(queues[2], mem, 2 * WORDS + 9, WORDS - 9, 1, 1, &done[3]);
	end_queues(3, queues);
	release_events(4, done);
	release_mems(5, (cl_mem[]){low, high, wide, rest, mem});
}

/* A move of one part is no wider than that part. */
static void scenario_30_narrow_moves(void)
{
	cl_uint words[2 * WORDS];
	cl_command_queue near = queue_on(0), far = queue_on(1);
	for (unsigned i = 0; i < 2 * WORDS; i++)
		words[i] = 1;
	cl_mem mem = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem low = view_of(mem, 0, SIZE_B), high = view_of(mem, SIZE_B, SIZE_B);
	cl_event first, moved, written;
	change_words(near, "add", mem, 1, 2 * WORDS, 0, NULL, &first);
	change(far, "mul", low, 10, 1, &first, &moved);
	change(near, "mul", high, 7, 1, &first, &written);
	expect_words(far, mem, 0, WORDS, 20, 2, (cl_event[]){moved, written});
	expect_words(far, mem, WORDS, WORDS, 14, 2, (cl_event[]){moved, written});
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(3, (cl_event[]){first, moved, written});
	release_mems(3, (cl_mem[]){low, high, mem});
}

/* Memory of one device moved to another time after time, the source given back at
 * once: whatever stages the bytes must not be used again too early. */
static void scenario_31_warp(void)
{
	enum { TIMES = 6 };
	cl_mem temporary[TIMES], kept[TIMES];
	cl_command_queue near = queue_on(0), far = queue_on(1 + scene.seed % (scene.devices - 1));
	cl_event made, moved[TIMES];
	for (cl_uint i = 0; i < TIMES; i++) {
		temporary[i] = buffer_of(i);
		kept[i] = buffer_of(99);
		/* Held: what is done by the time of the copy is not waited for. */
		change(near, "held", temporary[i], 50, 0, NULL, &made);
		CHECK_OK(clEnqueueCopyBuffer(far, temporary[i], kept[i], 0, 0, SIZE_B, 1, &made,
					     NULL));
		change(far, "held", kept[i], 1, 0, NULL, &moved[i]);
		CHECK_OK(clReleaseMemObject(temporary[i]));
		release_events(1, &made);
	}
	for (cl_uint i = 0; i < TIMES; i++)
		expect(near, kept[i], i + 51, 1, &moved[i]);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(TIMES, moved);
	release_mems(TIMES, kept);
}

/* There and back between all devices. */
static void scenario_32_peers(void)
{
	cl_command_queue queues[SCENARIO_DEVICES];
	cl_mem mem = buffer_of(1);
	cl_event last = NULL, event;
	for (cl_uint i = 0; i < scene.devices; i++)
		queues[i] = queue_on(i);
	for (cl_uint i = 0; i < 3 * scene.devices; i++) {
		change(queues[i % scene.devices], "add", mem, i, last != NULL, &last, &event);
		if (last)
			release_events(1, &last);
		last = event;
	}
	const cl_uint times = 3 * scene.devices;
	expect(queues[0], mem, 1 + times * (times - 1) / 2, 1, &last);
	end_queues(scene.devices, queues);
	release_events(1, &last);
	release_mems(1, &mem);
}

/* A buffer in use everywhere is released; nobody waits, and new ones are not harmed. */
static void scenario_36_release(void)
{
	cl_command_queue queues[3] = {queue_on(0), queue_on(0), queue_on(1)};
	cl_mem mem = buffer_of(1), outs[3], next[3];
	cl_event moved[3];
	for (unsigned i = 0; i < 3; i++)
		outs[i] = buffer_of(0);
	const uint64_t waits = calls_of("cu*Synchronize");
	change(queues[0], "add", mem, 2, 0, NULL, &moved[0]);
	for (unsigned i = 0; i < 3; i++)
		derive(queues[i], "held_copy", mem, NULL, outs[i], 1, &moved[0],
		       i ? &moved[i] : NULL);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK(calls_of("cu*Synchronize") == waits);
	for (unsigned i = 0; i < 3; i++) {
		next[i] = buffer_of(60 + i);
		change(queues[i], "add", next[i], 5, 0, NULL, NULL);
	}
	for (unsigned i = 0; i < 3; i++) {
		expect(queues[i], outs[i], 3, 0, NULL);
		expect(queues[i], next[i], 65 + i, 0, NULL);
	}
	end_queues(3, queues);
	release_events(3, moved);
	release_mems(3, outs);
	release_mems(3, next);
}

/* Commands that wait for the host take the newest bytes of their turn, and what two
 * devices only read goes over once. */
static void scenario_37_once(void)
{
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem mem = buffer_of(1), outs[4];
	cl_event user = user_event(), written, done[4];
	for (unsigned i = 0; i < 4; i++)
		outs[i] = buffer_of(0);
	/* Where the copies go to is there. */
	for (unsigned i = 0; i < 4; i++)
		change(i % 2 ? near : far, "add", outs[i], 0, 0, NULL, NULL);
	change(near, "add", mem, 1, 0, NULL, NULL);
	CHECK_OK(clFinish(near));
	CHECK_OK(clFinish(far));
	const uint64_t copies = calls_of("cuMemcpy*");
	change(near, "add", mem, 1, 1, &user, &written);
	for (unsigned i = 0; i < 4; i++)
		derive(i % 2 ? near : far, "copy", mem, NULL, outs[i], 1, &written, &done[i]);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(4, done));
	CHECK(!scene.soft || calls_of("cuMemcpy*") == copies + 1);
	for (unsigned i = 0; i < 4; i++)
		expect(near, outs[i], 3, 0, NULL);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(2, (cl_event[]){user, written});
	release_events(4, done);
	release_mems(1, &mem);
	release_mems(4, outs);
}

/* Copies from one device's memory to another's: where a pool is open to the other device the
 * driver needs not be told whose it is. */
static uint64_t copies_over(void)
{
	return calls_of("cuMemcpyPeer*") + calls_of("cuMemcpyDtoD*");
}

/* Whether softcuda acts as this kind of machine. */
static bool acts_as(const char *kind)
{
	const char *machine = getenv("CULVERT_SOFT_MACHINE");
	return machine && !strcmp(machine, kind);
}

/* A copy takes bytes from the device that has them, whose own they stay: one copy goes over,
 * and who writes them there next waits for it, as does who frees them. */
static void scenario_57_copies_leave_the_source(void)
{
	enum { TIMES = 3 };
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem source = buffer_of(1), targets[TIMES];
	cl_event newest, copied[TIMES];
	for (unsigned i = 0; i < TIMES; i++) {
		targets[i] = buffer_of(0);
		change(far, "add", targets[i], 0, 0, NULL, NULL);
	}
	change(near, "add", source, 0, 0, NULL, NULL);
	CHECK_OK(clFinish(near));
	CHECK_OK(clFinish(far));
	const uint64_t over = copies_over(), all = calls_of("cuMemcpy*");
	for (cl_uint i = 0; i < TIMES; i++) {
		change(near, "held", source, 1, i != 0, &copied[i ? i - 1 : 0], &newest);
		CHECK_OK(clEnqueueCopyBuffer(far, source, targets[i], 0, 0, SIZE_B, 1, &newest,
					     &copied[i]));
		release_events(1, &newest);
	}
	/* Under WSL 2, devices do not reach each other: each copy is two, through host memory. */
	const bool counted = scene.soft && !acts_as("wsl");
	CHECK(!counted || copies_over() == over + TIMES);
	CHECK(!counted || calls_of("cuMemcpy*") == all + TIMES);
	CHECK_OK(clReleaseMemObject(source));
	for (cl_uint i = 0; i < TIMES; i++)
		expect(far, targets[i], i + 2, 1, &copied[i]);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(TIMES, copied);
	release_mems(TIMES, targets);
}

/* Leaves the newest bytes of three parts of source on a device each: 10, 20 and 30 more. */
static void change_parts(const cl_command_queue queues[3], cl_mem source, cl_mem views[3],
			 cl_event parts[3])
{
	for (cl_uint i = 0; i < 3; i++) {
		views[i] = view_of(source, i * SIZE_B, SIZE_B);
		change(queues[i], "held", views[i], 10 * (i + 1), 0, NULL, &parts[i]);
	}
}

/* Parts whose newest bytes are on different devices, copied at once: what is around them in
 * the target is left alone. */
static void scenario_58_copies_of_parts(void)
{
	cl_uint words[3 * WORDS];
	cl_command_queue queues[3] = {queue_on(0), queue_on(1), queue_on(2)};
	cl_event parts[3], copied;
	for (unsigned i = 0; i < 3 * WORDS; i++)
		words[i] = 1;
	cl_mem source = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem target = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem views[3];
	change_parts(queues, source, views, parts);
	CHECK_OK(clEnqueueCopyBuffer(queues[1], source, target, 40, 80, 2 * SIZE_B, 3, parts,
				     &copied));
	/* Word w of the target is word w - 10 of the source. */
	expect_words(queues[2], target, 0, 20, 1, 1, &copied);
	expect_words(queues[2], target, 20, WORDS - 10, 11, 1, &copied);
	expect_words(queues[0], target, WORDS + 10, WORDS, 21, 1, &copied);
	expect_words(queues[1], target, 2 * WORDS + 10, 10, 31, 1, &copied);
	expect_words(queues[1], target, 2 * WORDS + 20, WORDS - 20, 1, 1, &copied);
	for (cl_uint i = 0; i < 3; i++)
		expect_words(queues[i], source, i * WORDS, WORDS, 10 * (i + 1) + 1, 3, parts);
	end_queues(3, queues);
	release_events(3, parts);
	release_events(1, &copied);
	release_mems(3, views);
	release_mems(2, (cl_mem[]){source, target});
}

/* Boxes of a queue's copy: half of each row of 16 words, of so many rows, from the first one on. */
static void copy_halves(cl_command_queue queue, cl_mem from, cl_mem to, size_t rows,
			const cl_event *after, cl_uint count, cl_event *event_out)
{
	const size_t origin[3] = {0, 0, 0}, region[3] = {32, rows / 4, 4};
	CHECK_OK(clEnqueueCopyBufferRect(queue, from, to, origin, origin, region, 64, 16 * rows, 64,
					 16 * rows, count, after, event_out));
}

/* Half of each row is one number, and half another. */
static void expect_halves(cl_command_queue queue, cl_mem mem, size_t rows, cl_uint left,
			  cl_uint right, const cl_event *after)
{
	cl_uint words[4 * WORDS];
	bool good = true;
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 64 * rows, words, 1, after, NULL));
	for (size_t i = 0; i < 16 * rows; i++)
		good = good && words[i] == (i % 16 < 8 ? left : right);
	CHECK(good);
}

/* As scenario 57, of boxes. */
static void scenario_61_boxes_leave_the_source(void)
{
	enum { TIMES = 3, ROWS = WORDS / 16 };
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem source = buffer_of(1), targets[TIMES];
	cl_event newest, copied[TIMES];
	for (unsigned i = 0; i < TIMES; i++) {
		targets[i] = buffer_of(0);
		change(far, "add", targets[i], 0, 0, NULL, NULL);
	}
	change(near, "add", source, 0, 0, NULL, NULL);
	CHECK_OK(clFinish(near));
	CHECK_OK(clFinish(far));
	const uint64_t over = calls_of("cuMemcpy3DPeer*"), all = calls_of("cuMemcpy*");
	for (cl_uint i = 0; i < TIMES; i++) {
		change(near, "held", source, 1, i != 0, &copied[i ? i - 1 : 0], &newest);
		copy_halves(far, source, targets[i], ROWS, &newest, 1, &copied[i]);
		release_events(1, &newest);
	}
	const bool counted = scene.soft && !acts_as("wsl");
	CHECK(!counted || calls_of("cuMemcpy3DPeer*") == over + TIMES);
	CHECK(!counted || calls_of("cuMemcpy*") == all + TIMES);
	CHECK_OK(clReleaseMemObject(source));
	for (cl_uint i = 0; i < TIMES; i++)
		expect_halves(far, targets[i], ROWS, i + 2, 0, &copied[i]);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(TIMES, copied);
	release_mems(TIMES, targets);
}

/* Boxes whose rows have their newest bytes on different devices. */
static void scenario_61_boxes_of_parts(void)
{
	enum { ROWS = 4 * WORDS / 16 };
	cl_uint words[4 * WORDS];
	cl_command_queue queues[3] = {queue_on(0), queue_on(1), queue_on(2)};
	cl_event parts[3], copied;
	for (unsigned i = 0; i < 4 * WORDS; i++)
		words[i] = 1;
	cl_mem source = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem target = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem views[3];
	change_parts(queues, source, views, parts);
	copy_halves(queues[1], source, target, ROWS, parts, 3, &copied);
	/* 16 words are a row. */
	CHECK_OK(clEnqueueReadBuffer(queues[2], target, CL_TRUE, 0, sizeof(words), words, 1,
				     &copied, NULL));
	bool good = true;
	for (unsigned i = 0; i < 4 * WORDS; i++)
		good = good &&
		       words[i] == (i % 16 < 8 && i < 3 * WORDS ? 10 * (i / WORDS + 1) + 1 : 1);
	CHECK(good);
	for (cl_uint i = 0; i < 3; i++)
		expect_words(queues[i], source, i * WORDS, WORDS, 10 * (i + 1) + 1, 3, parts);
	end_queues(3, queues);
	release_events(3, parts);
	release_events(1, &copied);
	release_mems(3, views);
	release_mems(2, (cl_mem[]){source, target});
}

/* add on the half of mem from the offset on. */
static void add_half(cl_command_queue queue, cl_mem mem, size_t offset, cl_uint n,
		     const cl_event *after, cl_event *event_out)
{
	const size_t half = WORDS / 2;
	cl_kernel kernel = kernel_named("add");
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(n), &n));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &half, NULL, 1, after,
					event_out));
	CHECK_OK(clReleaseKernel(kernel));
}

/* Two queues of a device, a half of a buffer each; both come after the copy from another device
 * that one of them brought, and neither after the other. */
static void extra_halves(void)
{
	cl_command_queue near = queue_on(0), far[2] = {queue_on(1), queue_on(1)};
	cl_mem mem = buffer_of(5);
	cl_event ready, done[2];
	change(near, "add", mem, 1, 0, NULL, &ready);
	for (unsigned i = 0; i < 2; i++)
		add_half(far[i], mem, i * (WORDS / 2), 2 + i, &ready, &done[i]);
	expect_words(near, mem, 0, WORDS / 2, 8, 2, done);
	expect_words(near, mem, WORDS / 2, WORDS / 2, 9, 2, done);
	end_queues(1, &near);
	end_queues(2, far);
	release_events(1, &ready);
	release_events(2, done);
	release_mems(1, &mem);
}

/* A buffer in so many pieces that they are joined on one device: what is in them comes along, also
 * what two commands have written that nothing orders. */
static void extra_many_pieces(void)
{
	enum { PIECES = 96 };
	cl_command_queue near = queue_on(0), far[3] = {queue_on(1), queue_on(1), queue_on(1)};
	cl_uint words[2 * WORDS] = {0}, values[PIECES];
	cl_event done[2];
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = 5;
	cl_mem mem = buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, sizeof(words), words);
	cl_mem view = view_of(mem, 0, SIZE_B);
	change_words(far[0], "held", view, 1, WORDS / 2, 0, NULL, &done[0]);
	cl_event none = user_event();
	CHECK_OK(clSetUserEventStatus(none, CL_COMPLETE));
	add_half(far[1], view, WORDS / 2, 2, &none, &done[1]);
	for (cl_uint i = 0; i < PIECES; i++)
		values[i] = i;
	for (cl_uint i = 0; i < PIECES; i++)
		CHECK_OK(clEnqueueWriteBuffer((i + scene.seed) % 2 ? near : far[2], mem, CL_FALSE,
					      SIZE_B + i * 4, 4, &values[i], 0, NULL, NULL));
	let_go();
	CHECK_OK(clFinish(near));
	CHECK_OK(clFinish(far[2]));
	expect_words(near, mem, 0, WORDS / 2, 6, 2, done);
	expect_words(near, mem, WORDS / 2, WORDS / 2, 7, 2, done);
	for (cl_uint i = 0; i < PIECES; i++)
		expect_words(near, mem, WORDS + i, 1, i, 0, NULL);
	end_queues(1, &near);
	end_queues(3, far);
	release_events(2, done);
	release_events(1, &none);
	release_mems(2, (cl_mem[]){view, mem});
}

static const struct scenario scenarios[] = {
	{26, "bytes are valid after their copy, not before", scenario_26_second_reader,
	 ",hold:DtoD", 0, 2, false},
	{27, "a partial write keeps what is around it", scenario_27_partial_writes, ",hold:held", 0,
	 2, false},
	{28, "copies and reads get the newest bytes, in their own queue",
	 scenario_28_copies_from_afar, ",hold:held", 0, 2, false},
	{29, "views of one buffer on several devices", scenario_29_views, ",hold:held", 0, 3,
	 false},
	{30, "a move is as wide as its part", scenario_30_narrow_moves, ",hold:DtoD", 0, 2, false},
	{31, "moves back to back, the source released", scenario_31_warp, ",hold:held", 0, 2,
	 false},
	{32, "moves where devices do not reach each other", scenario_32_peers, ",peer:off", 0, 2,
	 false},
	{32, "moves where peer access spoils bytes", scenario_32_peers, ",peer:corrupt", 0, 2,
	 false},
	{32, "moves with peer access", scenario_32_peers, NULL, 0, 2, false},
	{36, "released in use: not waited for, not too early", scenario_36_release,
	 ",hold:held_copy,sync:none", 0, 2, false},
	{57, "a copy leaves its source where it is", scenario_57_copies_leave_the_source,
	 ",hold:DtoD,hold:held,sync:none", 0, 2, false},
	{58, "a copy of parts that are on several devices", scenario_58_copies_of_parts,
	 ",hold:DtoD,hold:held", 0, 3, false},
	{58, "the same where devices do not reach each other", scenario_58_copies_of_parts,
	 ",hold:held,peer:off", 0, 3, false},
	{61, "a copied box leaves its source where it is", scenario_61_boxes_leave_the_source,
	 ",hold:DtoD,hold:held,sync:none", 0, 2, false},
	{61, "a box of parts that are on several devices", scenario_61_boxes_of_parts,
	 ",hold:DtoD,hold:held", 0, 3, false},
	{61, "the same where devices do not reach each other", scenario_61_boxes_of_parts,
	 ",hold:held,peer:off", 0, 3, false},
	{37, "the newest bytes of one's turn, moved once", scenario_37_once, NULL, 0, 2, false},
	{60, "a buffer in too many pieces", extra_many_pieces, ",keep:held", 0, 2, false},
	{59, "two halves of a buffer from another device", extra_halves, ",hold:DtoD", 0, 2, false},
};

SCENARIO_MAIN("scenarios_devices", "4")
