/* Group devices as CUDA's driver API does it, with peer access where there is any:
 * bench_devices.c says what the rows mean. */
#include "config.h"

#include "tests/bench/cuda.h"

#include <stdio.h>

enum { MOST_DEVICES = 4, HOPS = 20, ROUNDS = 40000 };

static CUstream streams[MOST_DEVICES];
static CUfunction touches[MOST_DEVICES], chews[MOST_DEVICES];

struct moved {
	size_t size_B;
	CUdeviceptr memory[2];          /* one on each device */
	CUevent events[2];
};

/* Where there is no peer access the copies go through the host: slower, and right. */
static void enable_peers(void)
{
	for (unsigned i = 0; i < cuda.device_count; i++) {
		cuda_use(i);
		for (unsigned k = 0; k < cuda.device_count; k++)
			if (i != k)
				(void)cu.cuCtxEnablePeerAccess(cuda.contexts[k], 0);
	}
}

static void touch(struct moved *moved, unsigned device)
{
	void *arguments[] = {&moved->memory[device]};
	cuda_use(device);
	cuda_launch(streams[device], touches[device], 1, 1, arguments);
}

static void copy(struct moved *moved, unsigned from, unsigned to, CUstream stream)
{
	CU_OK(cu.cuMemcpyPeerAsync(moved->memory[to], cuda.contexts[to], moved->memory[from],
				   cuda.contexts[from], moved->size_B, stream));
}

/* --- two devices -------------------------------------------------------------------------- */

static double hop_us(void *context)
{
	struct moved *moved = context;
	touch(moved, 0);
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	const double start_us = bench_us();
	for (unsigned i = 1; i <= HOPS; i++) {
		const unsigned to = i % 2, from = 1 - to;
		cuda_use(from);
		copy(moved, from, to, streams[from]);
		CU_OK(cu.cuEventRecord(moved->events[from], streams[from]));
		CU_OK(cu.cuStreamWaitEvent(streams[to], moved->events[from], 0));
		touch(moved, to);
	}
	CU_OK(cu.cuStreamSynchronize(streams[HOPS % 2]));
	return (bench_us() - start_us) / HOPS;
}

static double copy_GBps(void *context)
{
	struct moved *moved = context;
	touch(moved, 0);
	CU_OK(cu.cuStreamSynchronize(streams[0]));
	cuda_use(1);
	const double start_us = bench_us();
	copy(moved, 0, 1, streams[1]);
	CU_OK(cu.cuStreamSynchronize(streams[1]));
	return (double)moved->size_B / (bench_us() - start_us) * 1e-3;
}

static void measure_moves(size_t size_B, size_t named_B)
{
	struct moved moved = {.size_B = size_B};
	char hop[80], copy[80];
	snprintf(hop, sizeof(hop), "a buffer used in turn, a hop, %s", bench_size(named_B));
	snprintf(copy, sizeof(copy), "copy from one to another, %s", bench_size(named_B));
	if (cuda.device_count < 2) {
		rows_skip("devices", hop, "one device");
		rows_skip("devices", copy, "one device");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		cuda_use(i);
		moved.memory[i] = cuda_memory(size_B);
		moved.events[i] = cuda_event();
	}
	bench_row("devices", hop, "us", LOWER, hop_us, &moved);
	bench_row("devices", copy, "GB/s", HIGHER, copy_GBps, &moved);
	for (unsigned i = 0; i < 2; i++) {
		cuda_use(i);
		CU_OK(cu.cuMemFree_v2(moved.memory[i]));
		CU_OK(cu.cuEventDestroy_v2(moved.events[i]));
	}
}

/* --- from each to the next ------------------------------------------------------------------ */

struct ring {
	unsigned devices;
	size_t size_B;
	CUdeviceptr from[MOST_DEVICES], to[MOST_DEVICES];
};

static double ring_GBps(void *context)
{
	struct ring *ring = context;
	const unsigned count = ring->devices;
	for (unsigned i = 0; i < count; i++) {
		void *arguments[] = {&ring->from[i]};
		cuda_use(i);
		cuda_launch(streams[i], touches[i], 1, 1, arguments);
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	}
	const double start_us = bench_us();
	for (unsigned i = 0; i < count; i++) {
		const unsigned next = (i + 1) % count;
		cuda_use(next);
		CU_OK(cu.cuMemcpyPeerAsync(ring->to[i], cuda.contexts[next], ring->from[i],
					   cuda.contexts[i], ring->size_B, streams[next]));
	}
	for (unsigned i = 0; i < count; i++)
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	return (double)ring->size_B * count / (bench_us() - start_us) * 1e-3;
}

static void measure_ring(unsigned devices)
{
	struct ring ring = {.devices = devices, .size_B = bench_pick(256 << 20, 256 << 20, 4096)};
	char name[64];
	snprintf(name, sizeof(name), "copies from each of %u to the next, 256 MiB", devices);
	if (devices > cuda.device_count) {
		rows_skip("devices", name, "there are not so many");
		return;
	}
	for (unsigned i = 0; i < devices; i++) {
		cuda_use(i);
		ring.from[i] = cuda_memory(ring.size_B);
		cuda_use((i + 1) % devices);
		ring.to[i] = cuda_memory(ring.size_B);
	}
	bench_row("devices", name, "GB/s", HIGHER, ring_GBps, &ring);
	for (unsigned i = 0; i < devices; i++) {
		cuda_use(i);
		CU_OK(cu.cuMemFree_v2(ring.from[i]));
		cuda_use((i + 1) % devices);
		CU_OK(cu.cuMemFree_v2(ring.to[i]));
	}
}

/* --- a job that they share ------------------------------------------------------------------ */

struct job {
	unsigned devices;
	size_t items;
	CUdeviceptr memory[MOST_DEVICES];
};

static double job_ms(void *context)
{
	struct job *job = context;
	unsigned rounds = (unsigned)bench_pick(ROUNDS, ROUNDS, 4);
	const double start_us = bench_us();
	for (unsigned i = 0; i < job->devices; i++) {
		void *arguments[] = {&job->memory[i], &rounds};
		cuda_use(i);
		cuda_launch(streams[i], chews[i], job->items, 256, arguments);
	}
	for (unsigned i = 0; i < job->devices; i++)
		CU_OK(cu.cuStreamSynchronize(streams[i]));
	return (bench_us() - start_us) * 1e-3;
}

static void measure_job(unsigned devices)
{
	const size_t items = bench_pick(1 << 24, 1 << 24, 1 << 12);
	struct job job = {.devices = devices, .items = items / devices};
	char name[64];
	snprintf(name, sizeof(name), "a job shared by %u", devices);
	if (devices > cuda.device_count) {
		rows_skip("devices", name, "there are not so many");
		return;
	}
	for (unsigned i = 0; i < devices; i++) {
		cuda_use(i);
		job.memory[i] = cuda_memory(job.items * sizeof(float));
		CU_OK(cu.cuMemsetD32Async(job.memory[i], 0, job.items, streams[i]));
	}
	bench_row("devices", name, "ms", LOWER, job_ms, &job);
	for (unsigned i = 0; i < devices; i++) {
		cuda_use(i);
		CU_OK(cu.cuMemFree_v2(job.memory[i]));
	}
}

int main(int argc, char **argv)
{
	static const size_t sizes_B[] = {256 << 10, 8 << 20, 256 << 20};
	bench_start(argc, argv);
	cuda_open("devices", MOST_DEVICES);
	for (unsigned i = 0; i < cuda.device_count; i++) {
		cuda_use(i);
		streams[i] = cuda_stream();
		touches[i] = cuda_function(i, "touch");
		chews[i] = cuda_function(i, "chew");
	}
	enable_peers();
	for (unsigned i = 0; i < 3; i++)
		measure_moves(bench.tiny ? 4096 : sizes_B[i], sizes_B[i]);
	for (unsigned devices = 2; devices <= MOST_DEVICES; devices *= 2)
		measure_ring(devices);
	for (unsigned devices = 1; devices <= MOST_DEVICES; devices *= 2)
		measure_job(devices);
	for (unsigned i = 0; i < cuda.device_count; i++) {
		cuda_use(i);
		CU_OK(cu.cuStreamDestroy_v2(streams[i]));
	}
	return cuda_close();
}
