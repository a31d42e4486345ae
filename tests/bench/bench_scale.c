/* Group scale: what one operation costs among 1 to a million events and user
 * events, 1 to 100,000 buffers, on 1 to 64 queues and in 1 to 64 threads; and the host memory
 * of an object.  cuda_scale.c is its twin. */
#include "config.h"

#include "tests/bench/opencl.h"
#include "tests/bench/scale.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_QUEUES = 64, LAUNCHES = 20000, BUFFER_B = 4096 };

static const char source[] =
	"kernel void empty() {}\n"
	"kernel void touch(global uint *counter) { counter[0] += 1; }\n";

static cl_command_queue queues[MOST_QUEUES];
static cl_kernel empties[MOST_QUEUES], touch;
static cl_event *events;
static cl_mem *buffers;
static unsigned launches;
/* What memory is measured of, and is no event or buffer. */
static union {
	cl_command_queue queue;
	cl_kernel kernel;
	cl_program program;
} *objects;

static void launch(unsigned queue, cl_event *event)
{
	opencl_launch(queues[queue], empties[queue], 1, 1, 0, NULL, event);
}

/* --- events ------------------------------------------------------------------------------ */

/* A launch whose event is kept until there are so many. */
static double event_us(unsigned count)
{
	const unsigned rounds = count < launches ? launches / count : 1;
	double spent_us = 0;
	for (unsigned round = 0; round < rounds; round++) {
		const double start_us = bench_us();
		for (unsigned i = 0; i < count; i++)
			launch(0, &events[i]);
		spent_us += bench_us() - start_us;
		CL_OK(clFinish(queues[0]));
		for (unsigned i = 0; i < count; i++)
			CL_OK(clReleaseEvent(events[i]));
	}
	return spent_us / ((double)rounds * count);
}

/* One command that waits for so many events of another queue; for each of them. */
static double wait_list_us(unsigned count)
{
	const unsigned rounds = count < launches ? launches / count / 10 + 1 : 1;
	double spent_us = 0;
	for (unsigned i = 0; i < count; i++)
		launch(0, &events[i]);
	for (unsigned round = 0; round < rounds; round++) {
		const double start_us = bench_us();
		CL_OK(clEnqueueMarkerWithWaitList(queues[1], count, events, NULL));
		spent_us += bench_us() - start_us;
		CL_OK(clFinish(queues[1]));
	}
	CL_OK(clFinish(queues[0]));
	for (unsigned i = 0; i < count; i++)
		CL_OK(clReleaseEvent(events[i]));
	return spent_us / ((double)rounds * count);
}

/* So many user events, each with a launch that waits for it, are made, and then set in their
 * order; of each, until the last launch has run. */
static double user_event_us(unsigned count)
{
	const unsigned rounds = count < launches ? launches / count / 10 + 1 : 1;
	const double start_us = bench_us();
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < count; i++) {
			cl_int code;
			events[i] = clCreateUserEvent(opencl.context, &code);
			CL_OK(code);
			opencl_launch(queues[0], empties[0], 1, 1, 1, &events[i], NULL);
		}
		CL_OK(clFlush(queues[0]));
		for (unsigned i = 0; i < count; i++) {
			CL_OK(clSetUserEventStatus(events[i], CL_COMPLETE));
			CL_OK(clReleaseEvent(events[i]));
		}
		CL_OK(clFinish(queues[0]));
	}
	return (bench_us() - start_us) / ((double)rounds * count);
}

/* --- buffers ------------------------------------------------------------------------------ */

static void make_buffers(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buffers[i] = opencl_buffer(CL_MEM_READ_WRITE, BUFFER_B);
}

static void release_buffers(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		CL_OK(clReleaseMemObject(buffers[i]));
}

static void touch_buffer(unsigned i)
{
	CL_OK(clSetKernelArg(touch, 0, sizeof(cl_mem), &buffers[i]));
	opencl_launch(queues[0], touch, 1, 1, 0, NULL, NULL);
}

/* A launch on one of so many buffers that are all in use. */
static double buffer_us(unsigned count)
{
	make_buffers(count);
	for (unsigned i = 0; i < count; i++)
		touch_buffer(i);
	CL_OK(clFinish(queues[0]));
	const double start_us = bench_us();
	for (unsigned i = 0; i < launches; i++)
		touch_buffer((unsigned)(i * 7919ull % count));
	const double spent_us = bench_us() - start_us;
	CL_OK(clFinish(queues[0]));
	release_buffers(count);
	return spent_us / launches;
}

/* --- queues and threads -------------------------------------------------------------------- */

static double queue_us(unsigned count)
{
	const double start_us = bench_us();
	for (unsigned i = 0; i < launches; i++)
		launch(i % count, NULL);
	const double spent_us = bench_us() - start_us;
	for (unsigned i = 0; i < count; i++)
		CL_OK(clFinish(queues[i]));
	return spent_us / launches;
}

static void give_share(void *context, unsigned index)
{
	const unsigned share = launches / *(const unsigned *)context;
	for (unsigned i = 0; i < share; i++)
		launch(index, NULL);
	CL_OK(clFinish(queues[index]));
}

/* A queue each; of all threads together. */
static double thread_us(unsigned count)
{
	return bench_threads_us(count, give_share, &count) / (launches / count * count);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void settle(void)
{
	CL_OK(clFinish(queues[0]));
}

static void make_event(unsigned i)
{
	launch(0, &events[i]);
}

static void release_event(unsigned i)
{
	CL_OK(clReleaseEvent(events[i]));
}

static void make_user_event(unsigned i)
{
	cl_int code;
	events[i] = clCreateUserEvent(opencl.context, &code);
	CL_OK(code);
}

static void release_user_event(unsigned i)
{
	CL_OK(clSetUserEventStatus(events[i], CL_COMPLETE));
	CL_OK(clReleaseEvent(events[i]));
}

static void make_buffer(unsigned i)
{
	buffers[i] = opencl_buffer(CL_MEM_READ_WRITE, BUFFER_B);
}

static void make_used_buffer(unsigned i)
{
	make_buffer(i);
	touch_buffer(i);
}

static void release_buffer(unsigned i)
{
	CL_OK(clReleaseMemObject(buffers[i]));
}

static void make_queue(unsigned i)
{
	objects[i].queue = opencl_queue(0, 0);
	opencl_launch(objects[i].queue, empties[0], 1, 1, 0, NULL, NULL);
	CL_OK(clFinish(objects[i].queue));
}

static void release_queue(unsigned i)
{
	CL_OK(clReleaseCommandQueue(objects[i].queue));
}

static void make_kernel(unsigned i)
{
	objects[i].kernel = clCreateKernel(opencl.program, "touch", NULL);
	CL_OK(clSetKernelArg(objects[i].kernel, 0, sizeof(cl_mem), &buffers[0]));
	opencl_launch(queues[0], objects[i].kernel, 1, 1, 0, NULL, NULL);
}

static void release_kernel(unsigned i)
{
	CL_OK(clReleaseKernel(objects[i].kernel));
}

/* Each has a source of its own, and is on the device. */
static void make_program(unsigned i)
{
	static unsigned number;
	char text[128];
	const char *line = text;
	cl_int code;
	snprintf(text, sizeof(text),
		 "kernel void touch(global uint *counter) { counter[0] += %u; }", ++number);
	objects[i].program = clCreateProgramWithSource(opencl.context, 1, &line, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(objects[i].program, 1, opencl.devices, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(objects[i].program, "touch", &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]));
	opencl_launch(queues[0], kernel, 1, 1, 0, NULL, NULL);
	CL_OK(clFinish(queues[0]));
	CL_OK(clReleaseKernel(kernel));
}

static void release_program(unsigned i)
{
	CL_OK(clReleaseProgram(objects[i].program));
}

static void measure_memory(void)
{
	const unsigned many = (unsigned)bench_pick(50000, 20000, 100);
	const unsigned few = (unsigned)bench_pick(MOST_QUEUES, MOST_QUEUES, 4);
	const struct scale_kind kinds[] = {
		{"a kept event", many, make_event, settle, release_event},
		{"a user event", many, make_user_event, settle, release_user_event},
		{"a buffer", many / 10, make_buffer, settle, release_buffer},
		{"a buffer in use", many / 10, make_used_buffer, settle, release_buffer},
		{"a queue in use", few, make_queue, settle, release_queue},
	};
	const struct scale_kind with_a_buffer[] = {
		{"a kernel", many / 10, make_kernel, settle, release_kernel},
		{"a program", few, make_program, settle, release_program},
	};
	objects = calloc(many, sizeof(*objects));
	if (!objects)
		bench_fail(__FILE__, __LINE__, "calloc", 0);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		scale_memory(&kinds[i]);
	make_used_buffer(0);
	for (unsigned i = 0; i < sizeof(with_a_buffer) / sizeof(with_a_buffer[0]); i++)
		scale_memory(&with_a_buffer[i]);
	release_buffer(0);
	free(objects);
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	opencl_open("scale", source, 1);
	const unsigned most_events = (unsigned)bench_pick(1000000, 100000, 100);
	const unsigned most_buffers = (unsigned)bench_pick(100000, 10000, 100);
	launches = (unsigned)bench_pick(LAUNCHES, LAUNCHES, 128);
	events = calloc(most_events, sizeof(cl_event));
	buffers = calloc(most_buffers, sizeof(cl_mem));
	if (!events || !buffers)
		bench_fail(__FILE__, __LINE__, "calloc", 0);
	touch = opencl_kernel("touch", 0, NULL);
	for (unsigned i = 0; i < MOST_QUEUES; i++) {
		queues[i] = opencl_queue(0, 0);
		empties[i] = opencl_kernel("empty", 0, NULL);
	}
	measure_memory();
	scale_rows("a launch and its event among so many", 10, most_events, event_us);
	scale_rows("an event of a wait list of so many", 10, most_events / 10, wait_list_us);
	scale_rows("a launch on one of so many buffers", 10, most_buffers, buffer_us);
	scale_rows("a launch on queues in turn, so many", 2, MOST_QUEUES, queue_us);
	scale_rows("a launch by threads, so many", 2, MOST_QUEUES, thread_us);
	scale_rows("a launch behind one of so many user events", 10, most_events, user_event_us);
	for (unsigned i = 0; i < MOST_QUEUES; i++) {
		CL_OK(clReleaseKernel(empties[i]));
		CL_OK(clReleaseCommandQueue(queues[i]));
	}
	CL_OK(clReleaseKernel(touch));
	free(events);
	free(buffers);
	return opencl_close();
}
