/* Transfers between the host's memory and a device's: gpu_transfer_plan alone decides which way the bytes go,
 * gpu_transfer_to_device and gpu_transfer_to_host go it.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_TRANSFER_H
#define CULVERT_BACKEND_GPU_TRANSFER_H

#include "backend/gpu.h"

enum gpu_direction { GPU_TO_DEVICE, GPU_TO_HOST };

enum gpu_transfer_way {
	/* Pinned memory: the driver copies when the stream gets there, and the call returns at once. */
	GPU_TRANSFER_PINNED,
	/* The rest is for pageable memory.  A few bytes to the device: the driver takes them before its call
	 * returns, waiting for nothing. */
	GPU_TRANSFER_SMALL,
	/* To the host, for a caller who waits: into a slot, which is pinned; the caller copies the bytes out of
	 * it when they have arrived. */
	GPU_TRANSFER_SLOT,
	/* To the device: the calling thread copies into slots, so that the call takes no longer than a memcpy. */
	GPU_TRANSFER_STAGED,
	/* By way of slots, several threads copying piece by piece; to the host it is done on return. */
	GPU_TRANSFER_RELAYED,
	/* Large ones: several threads, each with slots and a stream of its own; done on return. */
	GPU_TRANSFER_SHARED,
	/* By the driver, which waits for all that is ahead in the stream, with a core at full load. */
	GPU_TRANSFER_DRIVER
};

struct gpu_transfer {
	enum gpu_direction direction;
	const void *host;                /* the range in the host's memory; written to if TO_HOST */
	uint64_t size_B;                 /* not 0 */
	bool blocking;                   /* the caller waits for the end of the transfer */
};

struct gpu_transfer_plan {
	enum gpu_transfer_way way;
	bool early;                      /* it may be put into a stream before what is ahead there is done */
};

/* slot_out: for a caller who copies out of a slot himself; gets one, the caller's until gpu_slot_release, or
 * NULL where the way is not by SLOT.  NULL: the caller does not. */
struct gpu_transfer_plan gpu_transfer_plan(struct gpu_device *device,
					   const struct gpu_transfer *transfer,
					   struct gpu_slot **slot_out);
/* The same for boxes of bytes, rows of which lie within the range: PINNED or DRIVER. */
struct gpu_transfer_plan gpu_transfer_plan_box(struct gpu_device *device, const void *host,
					       uint64_t size_B);
/* The same without a look at whether the memory is pinned: it is taken for pageable. */
struct gpu_transfer_plan gpu_transfer_plan_pageable(const struct gpu_transfer *transfer);

/* Whether a transfer that was planned to go by way of slots would find some now. */
bool gpu_transfer_has_room(struct gpu_device *device, uint64_t size_B);

/* Where the plan is not early nothing that is ahead in stream matters any more.  Without slots, streams or
 * threads the next best way is gone.  No lock may be held where pageable memory is copied. */
cl_int gpu_transfer_to_device(struct gpu_stream *stream, enum gpu_transfer_way way, gpu_address to,
			      const void *from, uint64_t size_B);
cl_int gpu_transfer_to_host(struct gpu_stream *stream, enum gpu_transfer_way way, void *to,
			    gpu_address from, uint64_t size_B);

#endif
