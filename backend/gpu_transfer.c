#include "config.h"

#include "backend/gpu_transfer.h"

#include "backend/gpu_internal.h"

/* The driver copies up to so much pageable memory before its call returns, without waiting for the stream. */
enum { DRIVER_STAGES_B = 1 << 16 };

static struct gpu_transfer_plan plan_to_device(const struct gpu_transfer *transfer)
{
	const uint64_t size_B = transfer->size_B;
	if (size_B <= DRIVER_STAGES_B)
		return (struct gpu_transfer_plan){GPU_TRANSFER_SMALL, .early = true};
	if (gpu_relay_is_shared(size_B))
		return (struct gpu_transfer_plan){GPU_TRANSFER_RELAYED, .early = true};
	/* If only one thread copies, the driver is faster.  Slots are then used only for calls that must not block. */
	if (size_B <= GPU_STAGED_MAX_B && !transfer->blocking)
		return (struct gpu_transfer_plan){GPU_TRANSFER_STAGED, .early = true};
	return (struct gpu_transfer_plan){gpu_pageable_is_shared(size_B) ? GPU_TRANSFER_SHARED
									 : GPU_TRANSFER_DRIVER,
		.early = false};
}

static struct gpu_transfer_plan plan_to_host(const struct gpu_transfer *transfer)
{
	const uint64_t size_B = transfer->size_B;
	if (gpu_relay_is_shared(size_B))
		return (struct gpu_transfer_plan){GPU_TRANSFER_RELAYED, .early = false};
	return (struct gpu_transfer_plan){gpu_pageable_is_shared(size_B) ? GPU_TRANSFER_SHARED
									 : GPU_TRANSFER_DRIVER,
		.early = false};
}

struct gpu_transfer_plan gpu_transfer_plan_pageable(const struct gpu_transfer *transfer)
{
	return transfer->direction == GPU_TO_DEVICE ? plan_to_device(transfer)
						    : plan_to_host(transfer);
}

struct gpu_transfer_plan gpu_transfer_plan(struct gpu_device *device,
					   const struct gpu_transfer *transfer,
					   struct gpu_slot **slot_out)
{
	if (slot_out)
		*slot_out = NULL;
	if (gpu_host_is_pinned(device, transfer->host, transfer->size_B))
		return (struct gpu_transfer_plan){GPU_TRANSFER_PINNED, .early = true};
	/* A copy into a slot does not block in the stream; the caller waits only for its end. */
	if (slot_out && transfer->blocking && transfer->size_B <= GPU_SLOT_B &&
	    !gpu_relay_is_shared(transfer->size_B)) {
		*slot_out = gpu_slot_take(device);
		if (*slot_out)
			return (struct gpu_transfer_plan){GPU_TRANSFER_SLOT, .early = true};
	}
	return gpu_transfer_plan_pageable(transfer);
}

struct gpu_transfer_plan gpu_transfer_plan_box(struct gpu_device *device, const void *host,
					       uint64_t size_B)
{
	if (gpu_host_is_pinned(device, host, size_B))
		return (struct gpu_transfer_plan){GPU_TRANSFER_PINNED, .early = true};
	return (struct gpu_transfer_plan){GPU_TRANSFER_DRIVER, .early = false};
}

cl_int gpu_transfer_to_device(struct gpu_stream *stream, enum gpu_transfer_way way, gpu_address to,
			      const void *from, uint64_t size_B)
{
	cl_int error;
	switch (way) {
	case GPU_TRANSFER_STAGED:
		/* If the stream is idle, the driver's copy does not wait either. */
		if (gpu_stream_reached(stream, gpu_stream_last(stream)))
			break;
		return gpu_relay_to_device(stream, to, from, size_B);
	case GPU_TRANSFER_RELAYED:
		return gpu_relay_to_device(stream, to, from, size_B);
	case GPU_TRANSFER_SHARED:
		if (gpu_pageable_to_device(stream->device, to, from, size_B, &error))
			return error;
		break;
	default:
		break;
	}
	return gpu_copy_to_device(stream, to, from, size_B);
}

cl_int gpu_transfer_to_host(struct gpu_stream *stream, enum gpu_transfer_way way, void *to,
			    gpu_address from, uint64_t size_B)
{
	cl_int error;
	if (way == GPU_TRANSFER_RELAYED && gpu_relay_to_host(stream, to, from, size_B, &error))
		return error;
	if ((way == GPU_TRANSFER_RELAYED || way == GPU_TRANSFER_SHARED) &&
	    gpu_pageable_to_host(stream->device, to, from, size_B, &error))
		return error;
	return gpu_copy_to_host(stream, to, from, size_B);
}
