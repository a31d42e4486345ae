#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_crew.h"

#include "base/page.h"

#include <string.h>

/* Large copies of pageable memory.  The driver copies such memory through pinned memory of its own, with one thread,
 * which reaches a third of the bus's bandwidth.  Here several threads copy, each with a stream and two slots: the
 * thread copies one slot while the GPU copies the other. */

enum { LEAST_B = 1 << 20, TURNS = 2, PARTS_PER_THREAD = 2, THREADS_MAX = GPU_SLOTS / TURNS };
/* The size of a part is what suits the bus, unless that makes too few parts. */
enum { PARTS = 8, PART_LEAST_B = 1 << 18, PART_MOST_B = GPU_SLOT_B };

struct copy {
	struct gpu_crew_job job;
	struct gpu_device *device;
	bool to_host;
	unsigned char *host;             /* the application's memory; written only if to_host */
	gpu_address address;
	uint64_t size_B, part_B;
	_Atomic uint64_t begun_B;        /* bytes of parts that threads have begun */
	_Atomic uint64_t done_B;         /* bytes that were copied */
	atomic_int error;                /* the first error of any thread */
};

/* A slot, and the part that is copied through it. */
struct passage {
	struct gpu_slot *slot;
	struct gpu_event *copied;        /* owned: after the copy; NULL: the slot is not used */
	uint64_t at_B, size_B;
};

static void fail(struct copy *copy, cl_int error)
{
	int none = CL_SUCCESS;
	atomic_compare_exchange_strong(&copy->error, &none, error);
}

static bool part_take(struct copy *copy, struct passage *passage)
{
	if (atomic_load(&copy->error))
		return false;
	passage->at_B = atomic_fetch_add(&copy->begun_B, copy->part_B);
	if (passage->at_B >= copy->size_B)
		return false;
	const uint64_t left_B = copy->size_B - passage->at_B;
	passage->size_B = left_B < copy->part_B ? left_B : copy->part_B;
	return true;
}

static cl_int passage_begin(const struct copy *copy, struct passage *passage,
			    struct gpu_stream *stream)
{
	const gpu_address address = copy->address + passage->at_B;
	unsigned char *memory = gpu_slot_memory(passage->slot);
	cl_int error;
	if (copy->to_host) {
		error = gpu_copy_to_host(stream, memory, address, passage->size_B);
	} else {
		gpu_copy_past_caches(memory, copy->host + passage->at_B, passage->size_B);
		error = gpu_copy_to_device(stream, address, memory, passage->size_B);
	}
	return error ? error : gpu_event_record(stream, false, &passage->copied);
}

static void passage_end(struct copy *copy, struct passage *passage)
{
	if (!passage->copied)
		return;
	const cl_int error = gpu_event_wait(passage->copied);
	gpu_event_unref(passage->copied);
	passage->copied = NULL;
	if (error) {
		fail(copy, error);
		return;
	}
	if (copy->to_host)
		memcpy(copy->host + passage->at_B, gpu_slot_memory(passage->slot), passage->size_B);
	atomic_fetch_add(&copy->done_B, passage->size_B);
}

static void share_copy(struct copy *copy, struct gpu_stream *stream, struct passage *passages)
{
	unsigned turn = 0;
	bool more = true;
	while (more) {
		struct passage *passage = &passages[turn++ % TURNS];
		passage_end(copy, passage);
		more = part_take(copy, passage);
		const cl_int error = more ? passage_begin(copy, passage, stream) : CL_SUCCESS;
		if (error)
			fail(copy, error);
	}
	for (unsigned i = 0; i < TURNS; i++)
		passage_end(copy, &passages[turn++ % TURNS]);
}

static void slots_release(struct gpu_device *device, const struct passage *passages,
			  struct gpu_event *after)
{
	for (unsigned i = 0; i < TURNS; i++)
		if (passages[i].slot)
			gpu_slot_release(device, passages[i].slot, after);
}

static bool slots_take(struct gpu_device *device, struct passage *passages)
{
	bool all = true;
	for (unsigned i = 0; i < TURNS && all; i++) {
		passages[i].slot = gpu_slot_take(device);
		all = passages[i].slot;
	}
	if (!all)
		slots_release(device, passages, NULL);
	return all;
}

/* Copies parts until there are none.  If this thread gets no slots or no stream, the other threads copy everything. */
static void copy_work(struct gpu_crew_job *job)
{
	struct copy *copy = (struct copy *)job;
	struct passage passages[TURNS] = {0};
	struct gpu_event *tail = NULL;
	struct gpu_stream *stream;
	if (!slots_take(copy->device, passages))
		return;
	if (gpu_stream_acquire(copy->device, 0, &stream)) {
		slots_release(copy->device, passages, NULL);
		return;
	}
	share_copy(copy, stream, passages);
	/* After an error, copies may still be running; if no event can be recorded after them the slots are not used
	 * again. */
	if (gpu_stream_is_known_done(stream) || !gpu_event_record(stream, false, &tail))
		slots_release(copy->device, passages, tail);
	gpu_event_unref(tail);
	gpu_stream_release(stream);
}

uint64_t gpu_pageable_part_B(uint64_t size_B, uint64_t page_B)
{
	const uint64_t part_B = (size_B / PARTS + page_B - 1) / page_B * page_B;
	return part_B < PART_LEAST_B ? PART_LEAST_B : part_B > PART_MOST_B ? PART_MOST_B : part_B;
}

static unsigned threads_most(void)
{
	const unsigned threads = gpu_crew_size();
	return threads < THREADS_MAX ? threads : THREADS_MAX;
}

bool gpu_pageable_is_shared(uint64_t size_B)
{
	return size_B >= LEAST_B && threads_most() >= 2;
}

/* false: nothing was copied; the caller uses the driver's copy. */
static bool copy_shared(struct copy *copy, cl_int *error_out)
{
	const unsigned size = threads_most();
	if (!gpu_pageable_is_shared(copy->size_B))
		return false;
	copy->part_B = gpu_pageable_part_B(copy->size_B, host_page_B());
	const uint64_t useful = copy->size_B / copy->part_B / PARTS_PER_THREAD;
	copy->job.work = copy_work;
	gpu_slots_prepare(copy->device);
	gpu_crew_run(&copy->job, useful < size ? (unsigned)useful - 1 : size - 1);
	*error_out = atomic_load(&copy->error);
	/* Without slots or streams for any thread nothing was copied. */
	return *error_out || atomic_load(&copy->done_B) == copy->size_B;
}

bool gpu_pageable_to_device(struct gpu_device *device, gpu_address to, const void *from,
			    uint64_t size_B, cl_int *error_out)
{
	struct copy copy = {.device = device, .host = (unsigned char *)(uintptr_t)from,
			    .address = to, .size_B = size_B};
	return copy_shared(&copy, error_out);
}

bool gpu_pageable_to_host(struct gpu_device *device, void *to, gpu_address from, uint64_t size_B,
			  cl_int *error_out)
{
	struct copy copy = {.device = device, .to_host = true, .host = to, .address = from,
			    .size_B = size_B};
	return copy_shared(&copy, error_out);
}
