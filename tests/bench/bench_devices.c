/* Group devices: several GPUs in one context: a buffer that kernels on two of them use in
 * turn, copies from one to another and from each to the next at the same time, and a job that
 * they share.  cuda_devices.c is its twin. */
#include "config.h"

#include "tests/bench/opencl.h"

#include <stdio.h>

enum { MOST_DEVICES = 4, HOPS = 20, ROUNDS = 40000 };

static const char source[] =
	"kernel void touch(global uint *counter) { counter[0] += 1; }\n"
	"kernel void chew(global float *data, uint rounds)\n"
	"{\n"
	"	float v = data[get_global_id(0)];\n"
	"	for (uint i = 0; i < rounds; i++)\n"
	"		v = fma(v, 0.999f, 0.001f);\n"
	"	data[get_global_id(0)] = v;\n"
	"}\n";

static cl_command_queue queues[MOST_DEVICES];

struct moved {
	size_t size_B;
	cl_mem from, to;
	cl_kernel touch;
	cl_uint touches;
};

static void touch(struct moved *moved, unsigned device, const cl_event *after, cl_event *event)
{
	opencl_launch(queues[device], moved->touch, 1, 1, after ? 1 : 0, after, event);
	moved->touches++;
}

/* --- two devices -------------------------------------------------------------------------- */

static double hop_us(void *context)
{
	struct moved *moved = context;
	cl_event events[HOPS + 1];
	touch(moved, 0, NULL, &events[0]);
	CL_OK(clWaitForEvents(1, &events[0]));
	const double start_us = bench_us();
	for (unsigned i = 1; i <= HOPS; i++) {
		touch(moved, i % 2, &events[i - 1], &events[i]);
		CL_OK(clFlush(queues[i % 2]));
	}
	CL_OK(clWaitForEvents(1, &events[HOPS]));
	const double spent_us = bench_us() - start_us;
	for (unsigned i = 0; i <= HOPS; i++)
		CL_OK(clReleaseEvent(events[i]));
	return spent_us / HOPS;
}

/* The newest bytes are made anew on the first each time. */
static double copy_GBps(void *context)
{
	struct moved *moved = context;
	touch(moved, 0, NULL, NULL);
	CL_OK(clFinish(queues[0]));
	const double start_us = bench_us();
	CL_OK(clEnqueueCopyBuffer(queues[1], moved->from, moved->to, 0, 0, moved->size_B, 0, NULL,
				  NULL));
	CL_OK(clFinish(queues[1]));
	return (double)moved->size_B / (bench_us() - start_us) * 1e-3;
}

static void measure_moves(size_t size_B, size_t named_B)
{
	const cl_uint zero = 0;
	cl_uint counted = 0;
	char hop[80], copy[80];
	snprintf(hop, sizeof(hop), "a buffer used in turn, a hop, %s", bench_size(named_B));
	snprintf(copy, sizeof(copy), "copy from one to another, %s", bench_size(named_B));
	if (opencl.device_count < 2) {
		rows_skip("devices", hop, "one device");
		rows_skip("devices", copy, "one device");
		return;
	}
	struct moved moved = {size_B, opencl_buffer(CL_MEM_READ_WRITE, size_B),
			      opencl_buffer(CL_MEM_READ_WRITE, size_B), NULL, 0};
	moved.touch = opencl_kernel("touch", 1, &moved.from);
	CL_OK(clEnqueueFillBuffer(queues[0], moved.from, &zero, 4, 0, size_B, 0, NULL, NULL));
	CL_OK(clFinish(queues[0]));
	bench_row("devices", hop, "us", LOWER, hop_us, &moved);
	bench_row("devices", copy, "GB/s", HIGHER, copy_GBps, &moved);
	CL_OK(clEnqueueReadBuffer(queues[1], moved.to, CL_TRUE, 0, 4, &counted, 0, NULL, NULL));
	if (counted != moved.touches)
		bench_fail(__FILE__, __LINE__, "a touch was lost", (int)counted);
	CL_OK(clReleaseKernel(moved.touch));
	CL_OK(clReleaseMemObject(moved.from));
	CL_OK(clReleaseMemObject(moved.to));
}

/* --- from each to the next ------------------------------------------------------------------ */

struct ring {
	unsigned devices;
	size_t size_B;
	cl_mem from[MOST_DEVICES], to[MOST_DEVICES];
	cl_kernel touches[MOST_DEVICES];
	cl_uint touched;
};

/* Of all together.  The newest bytes are made anew where they come from each time. */
static double ring_GBps(void *context)
{
	struct ring *ring = context;
	const unsigned count = ring->devices;
	for (unsigned i = 0; i < count; i++) {
		opencl_launch(queues[i], ring->touches[i], 1, 1, 0, NULL, NULL);
		CL_OK(clFinish(queues[i]));
	}
	ring->touched++;
	const double start_us = bench_us();
	for (unsigned i = 0; i < count; i++) {
		const cl_command_queue next = queues[(i + 1) % count];
		CL_OK(clEnqueueCopyBuffer(next, ring->from[i], ring->to[i], 0, 0, ring->size_B, 0,
					  NULL, NULL));
		CL_OK(clFlush(next));
	}
	for (unsigned i = 0; i < count; i++)
		CL_OK(clFinish(queues[i]));
	return (double)ring->size_B * count / (bench_us() - start_us) * 1e-3;
}

static void ring_end(struct ring *ring)
{
	for (unsigned i = 0; i < ring->devices; i++) {
		cl_uint counted = 0;
		CL_OK(clEnqueueReadBuffer(queues[(i + 1) % ring->devices], ring->to[i], CL_TRUE, 0, 4,
					  &counted, 0, NULL, NULL));
		if (counted != ring->touched)
			bench_fail(__FILE__, __LINE__, "a touch was lost", (int)counted);
		CL_OK(clReleaseKernel(ring->touches[i]));
		CL_OK(clReleaseMemObject(ring->from[i]));
		CL_OK(clReleaseMemObject(ring->to[i]));
	}
}

static void measure_ring(unsigned devices)
{
	const cl_uint zero = 0;
	struct ring ring = {.devices = devices, .size_B = bench_pick(256 << 20, 256 << 20, 4096)};
	char name[64];
	snprintf(name, sizeof(name), "copies from each of %u to the next, 256 MiB", devices);
	if (devices > opencl.device_count) {
		rows_skip("devices", name, "there are not so many");
		return;
	}
	for (unsigned i = 0; i < devices; i++) {
		ring.from[i] = opencl_buffer(CL_MEM_READ_WRITE, ring.size_B);
		ring.to[i] = opencl_buffer(CL_MEM_READ_WRITE, ring.size_B);
		ring.touches[i] = opencl_kernel("touch", 1, &ring.from[i]);
		CL_OK(clEnqueueFillBuffer(queues[i], ring.from[i], &zero, 4, 0, ring.size_B, 0, NULL,
					  NULL));
		CL_OK(clFinish(queues[i]));
	}
	bench_row("devices", name, "GB/s", HIGHER, ring_GBps, &ring);
	ring_end(&ring);
}

/* --- a job that they share ------------------------------------------------------------------ */

struct job {
	unsigned devices;
	size_t items;                   /* of each */
	cl_mem mems[MOST_DEVICES];
	cl_kernel kernels[MOST_DEVICES];
};

static double job_ms(void *context)
{
	const struct job *job = context;
	const double start_us = bench_us();
	for (unsigned i = 0; i < job->devices; i++) {
		opencl_launch(queues[i], job->kernels[i], job->items, 256, 0, NULL, NULL);
		CL_OK(clFlush(queues[i]));
	}
	for (unsigned i = 0; i < job->devices; i++)
		CL_OK(clFinish(queues[i]));
	return (bench_us() - start_us) * 1e-3;
}

static void measure_job(unsigned devices)
{
	const size_t items = bench_pick(1 << 24, 1 << 24, 1 << 12);
	const cl_uint rounds = (cl_uint)bench_pick(ROUNDS, ROUNDS, 4);
	const float zero = 0;
	struct job job = {.devices = devices, .items = items / devices};
	char name[64];
	snprintf(name, sizeof(name), "a job shared by %u", devices);
	if (devices > opencl.device_count) {
		rows_skip("devices", name, "there are not so many");
		return;
	}
	for (unsigned i = 0; i < devices; i++) {
		job.mems[i] = opencl_buffer(CL_MEM_READ_WRITE, job.items * sizeof(float));
		CL_OK(clEnqueueFillBuffer(queues[i], job.mems[i], &zero, sizeof(zero), 0,
					  job.items * sizeof(float), 0, NULL, NULL));
		job.kernels[i] = opencl_kernel("chew", 1, &job.mems[i]);
		CL_OK(clSetKernelArg(job.kernels[i], 1, sizeof(rounds), &rounds));
	}
	bench_row("devices", name, "ms", LOWER, job_ms, &job);
	for (unsigned i = 0; i < devices; i++) {
		CL_OK(clReleaseKernel(job.kernels[i]));
		CL_OK(clReleaseMemObject(job.mems[i]));
	}
}

int main(int argc, char **argv)
{
	static const size_t sizes_B[] = {256 << 10, 8 << 20, 256 << 20};
	bench_start(argc, argv);
	opencl_open("devices", source, MOST_DEVICES);
	for (unsigned i = 0; i < opencl.device_count; i++)
		queues[i] = opencl_queue(i, 0);
	for (unsigned i = 0; i < 3; i++)
		measure_moves(bench.tiny ? 4096 : sizes_B[i], sizes_B[i]);
	for (unsigned devices = 2; devices <= MOST_DEVICES; devices *= 2)
		measure_ring(devices);
	for (unsigned devices = 1; devices <= MOST_DEVICES; devices *= 2)
		measure_job(devices);
	for (unsigned i = 0; i < opencl.device_count; i++)
		CL_OK(clReleaseCommandQueue(queues[i]));
	return opencl_close();
}
