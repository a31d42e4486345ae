#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_crew.h"

#include <string.h>

/* Large copies of pageable memory.  The driver moves such through pinned memory of its own,
 * one thread copying: that is a third of what the bus can do.  Here several threads do so,
 * each with a stream and a slot, whose halves take turns: one is copied by the thread while
 * the GPU copies the other. */

enum { LEAST_B = 1 << 20, PART_B = GPU_SLOT_B / 2, HALVES = 2, PARTS_PER_THREAD = 2 };

struct copy {
	struct gpu_crew_job job;
	struct gpu_device *device;
	bool to_host;
	unsigned char *host;             /* only read unless to_host */
	gpu_address address;
	uint64_t size_B;
	_Atomic uint64_t begun_B;        /* what threads have taken */
	_Atomic uint64_t done_B;
	atomic_int error;                /* the first */
};

/* A part on its way through one half of a slot. */
struct passage {
	unsigned char *half;
	struct gpu_event *copied;        /* owned; NULL: nothing is on its way */
	uint64_t at_B, size_B;
};

static void fail(struct copy *copy, cl_int err)
{
	int none = CL_SUCCESS;
	atomic_compare_exchange_strong(&copy->error, &none, err);
}

static bool part_take(struct copy *copy, struct passage *passage)
{
	if (atomic_load(&copy->error))
		return false;
	passage->at_B = atomic_fetch_add(&copy->begun_B, PART_B);
	if (passage->at_B >= copy->size_B)
		return false;
	const uint64_t left_B = copy->size_B - passage->at_B;
	passage->size_B = left_B < PART_B ? left_B : PART_B;
	return true;
}

static cl_int passage_begin(const struct copy *copy, struct passage *passage,
			    struct gpu_stream *stream)
{
	const gpu_address address = copy->address + passage->at_B;
	cl_int err;
	if (copy->to_host) {
		err = gpu_copy_to_host(stream, passage->half, address, passage->size_B);
	} else {
		memcpy(passage->half, copy->host + passage->at_B, passage->size_B);
		err = gpu_copy_to_device(stream, address, passage->half, passage->size_B);
	}
	return err ? err : gpu_event_record(stream, false, &passage->copied);
}

static void passage_end(struct copy *copy, struct passage *passage)
{
	if (!passage->copied)
		return;
	const cl_int err = gpu_event_wait(passage->copied);
	gpu_event_unref(passage->copied);
	passage->copied = NULL;
	if (err) {
		fail(copy, err);
		return;
	}
	if (copy->to_host)
		memcpy(copy->host + passage->at_B, passage->half, passage->size_B);
	atomic_fetch_add(&copy->done_B, passage->size_B);
}

static void share_copy(struct copy *copy, struct gpu_stream *stream, struct gpu_slot *slot)
{
	unsigned char *memory = gpu_slot_memory(slot);
	struct passage passages[HALVES] = {{.half = memory}, {.half = memory + PART_B}};
	unsigned turn = 0;
	bool more = true;
	while (more) {
		struct passage *passage = &passages[turn++ % HALVES];
		passage_end(copy, passage);
		more = part_take(copy, passage);
		const cl_int err = more ? passage_begin(copy, passage, stream) : CL_SUCCESS;
		if (err)
			fail(copy, err);
	}
	for (unsigned i = 0; i < HALVES; i++)
		passage_end(copy, &passages[turn++ % HALVES]);
}

/* What a thread lacks others do. */
static void copy_work(struct gpu_crew_job *job)
{
	struct copy *copy = (struct copy *)job;
	struct gpu_event *tail = NULL;
	struct gpu_stream *stream;
	struct gpu_slot *slot = gpu_slot_take(copy->device);
	if (!slot)
		return;
	if (gpu_stream_acquire(copy->device, 0, &stream)) {
		gpu_slot_release(copy->device, slot, NULL);
		return;
	}
	share_copy(copy, stream, slot);
	/* After a failure something may still be on its way; without a witness of it the slot
	 * stays taken. */
	if (gpu_stream_is_known_done(stream) || !gpu_event_record(stream, false, &tail))
		gpu_slot_release(copy->device, slot, tail);
	gpu_event_unref(tail);
	gpu_stream_release(stream);
}

/* false: nothing was copied, and the driver may try. */
static bool copy_shared(struct copy *copy, cl_int *err_out)
{
	const uint64_t parts = (copy->size_B + PART_B - 1) / PART_B;
	const uint64_t useful = parts / PARTS_PER_THREAD;
	const unsigned size = gpu_crew_size();
	if (size < 2 || copy->size_B < LEAST_B)
		return false;
	copy->job.work = copy_work;
	gpu_crew_run(&copy->job, useful < size ? (unsigned)useful - 1 : size - 1);
	*err_out = atomic_load(&copy->error);
	/* No slot or no stream for anybody. */
	return *err_out || atomic_load(&copy->done_B) == copy->size_B;
}

cl_int gpu_copy_to_device_pageable(struct gpu_stream *stream, gpu_address to, const void *from,
				   uint64_t size_B)
{
	struct copy copy = {.device = stream->device, .host = (unsigned char *)(uintptr_t)from,
			    .address = to, .size_B = size_B};
	cl_int err = CL_SUCCESS;
	if (copy_shared(&copy, &err))
		return err;
	return gpu_copy_to_device(stream, to, from, size_B);
}

cl_int gpu_copy_to_host_pageable(struct gpu_stream *stream, void *to, gpu_address from,
				 uint64_t size_B)
{
	struct copy copy = {.device = stream->device, .to_host = true, .host = to,
			    .address = from, .size_B = size_B};
	cl_int err = CL_SUCCESS;
	if (copy_shared(&copy, &err))
		return err;
	return gpu_copy_to_host(stream, to, from, size_B);
}
