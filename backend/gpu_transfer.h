/* Transfers between host memory and device memory.  gpu_transfer_plan alone decides in which way the bytes are copied;
 * gpu_transfer_to_device and gpu_transfer_to_host copy them in that way.
 *
 * Thread-safe. */
#ifndef CULVERT_BACKEND_GPU_TRANSFER_H
#define CULVERT_BACKEND_GPU_TRANSFER_H

#include "backend/gpu.h"

enum gpu_direction { GPU_TO_DEVICE, GPU_TO_HOST };

enum gpu_transfer_way {
	/* For pinned memory: the driver's asynchronous copy, whose call returns at once. */
	GPU_TRANSFER_PINNED,
	/* All others are for pageable memory.  A few bytes to the device: the driver reads them before its call
	 * returns, and waits for nothing. */
	GPU_TRANSFER_SMALL,
	/* To the host, for a caller that waits: into a slot, which is pinned memory, from which the caller copies the
	 * bytes when they have arrived. */
	GPU_TRANSFER_SLOT,
	/* To the device: the calling thread copies into slots, so that the call takes no longer than a memcpy. */
	GPU_TRANSFER_STAGED,
	/* Through slots, by several threads that copy piece by piece; to the host the copy is complete on return. */
	GPU_TRANSFER_RELAYED,
	/* Large transfers: by several threads, each with slots and a stream of its own; complete on return. */
	GPU_TRANSFER_SHARED,
	/* By the driver, which first waits for everything before it in the stream, using a whole core. */
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
	bool early;                      /* it can be put into a stream in which earlier operations still run */
};

/* slot_out: for a caller that can copy out of a slot.  It is set to a slot, which the caller releases
 * (gpu_slot_release), if the way is GPU_TRANSFER_SLOT, otherwise to NULL.  slot_out NULL: that way is not chosen. */
struct gpu_transfer_plan gpu_transfer_plan(struct gpu_device *device,
					   const struct gpu_transfer *transfer,
					   struct gpu_slot **slot_out);
/* A plan for boxes of bytes within the range: GPU_TRANSFER_PINNED or GPU_TRANSFER_DRIVER. */
struct gpu_transfer_plan gpu_transfer_plan_box(struct gpu_device *device, const void *host,
					       uint64_t size_B);
/* A plan for memory that is treated as pageable, whether it is pinned or not. */
struct gpu_transfer_plan gpu_transfer_plan_pageable(const struct gpu_transfer *transfer);

/* Whether a transfer through slots would find enough free slots now. */
bool gpu_transfer_has_room(struct gpu_device *device, uint64_t size_B);

/* Copy the bytes.  If the plan's early is not set, everything in stream is complete.  If there are no slots, streams or
 * threads, the next best way is used.  No lock may be held when pageable memory is copied. */
cl_int gpu_transfer_to_device(struct gpu_stream *stream, enum gpu_transfer_way way, gpu_address to,
			      const void *from, uint64_t size_B);
cl_int gpu_transfer_to_host(struct gpu_stream *stream, enum gpu_transfer_way way, void *to,
			    gpu_address from, uint64_t size_B);

#endif
