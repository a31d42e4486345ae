/* Memsets of 1, 2 and 4 bytes, in lines and in rectangles. */
#include "config.h"

#include "softcuda/calls/door.h"
#include "softcuda/calls/graph.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <string.h>

struct fill {
	uint64_t address, pitch_B, width, height;  /* width in elements */
	uint32_t value;
	unsigned element_B;
};

struct fill_operation {
	struct soft_operation base;
	struct fill fill;
	struct soft_allocation *allocation;
};

static void fill_row(void *row, const struct fill *fill)
{
	const uint16_t value16 = (uint16_t)fill->value;
	if (fill->element_B == 1)
		memset(row, (int)(fill->value & 0xff), fill->width);
	else if (fill->element_B == 2)
		for (uint64_t i = 0; i < fill->width; i++)
			((uint16_t *)row)[i] = value16;
	else
		for (uint64_t i = 0; i < fill->width; i++)
			((uint32_t *)row)[i] = fill->value;
}

static CUresult fill_run(struct soft_operation *operation, struct bytes *report)
{
	const struct fill_operation *fill = (struct fill_operation *)operation;
	lock_take(&soft_driver.lock);
	bool lost = fill->allocation->freed;
	lock_drop(&soft_driver.lock);
	if (lost) {
		bytes_append_string(report, "a memset accesses memory that was freed before the "
					    "memset ran");
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	}
	for (uint64_t y = 0; y < fill->fill.height; y++) {
		const uint64_t row = fill->fill.address + y * fill->fill.pitch_B;
		fill_row((void *)(uintptr_t)row, &fill->fill);
		soft_memory_written(row, fill->fill.width * fill->fill.element_B);
	}
	return CUDA_SUCCESS;
}

static void fill_finish_locked(struct soft_operation *operation)
{
	soft_memory_unpin_locked(((struct fill_operation *)operation)->allocation);
}

static const struct soft_operation_type fill_type = {
	.name = "memset",
	.run = fill_run,
	.finish_locked = fill_finish_locked,
};

static bool fill_extent(const struct fill *fill, uint64_t *size_B_out)
{
	if (fill->width > UINT64_MAX / fill->element_B)
		return false;
	uint64_t row_B = fill->width * fill->element_B;
	if (fill->height > 1 && (fill->pitch_B < row_B || fill->pitch_B % fill->element_B ||
				 fill->height - 1 > (UINT64_MAX - row_B) / fill->pitch_B))
		return false;
	*size_B_out = (fill->height - 1) * fill->pitch_B + row_B;
	return true;
}

/* allocation_out: NULL when there is nothing to fill. */
static CUresult fill_check_locked(const struct fill *fill, struct soft_allocation **allocation_out)
{
	uint64_t size_B;
	*allocation_out = NULL;
	if (!fill->width || !fill->height)
		return CUDA_SUCCESS;
	struct soft_allocation *allocation = soft_memory_lookup_locked(fill->address);
	if (!allocation || fill->address % fill->element_B || !fill_extent(fill, &size_B) ||
	    !soft_memory_range_locked(fill->address, size_B))
		return CUDA_ERROR_INVALID_VALUE;
	*allocation_out = allocation;
	return CUDA_SUCCESS;
}

static CUresult fill_submit_locked(struct soft_stream *stream, const struct fill *fill,
				   struct soft_allocation *allocation)
{
	struct fill_operation *operation = soft_operation_create(&fill_type, sizeof(*operation));
	if (!operation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	operation->fill = *fill;
	operation->allocation = allocation;
	soft_memory_pin_locked(allocation);
	for (uint64_t y = 0; soft_oracle_on() && y < fill->height; y++)
		soft_oracle_declare_locked(&operation->base, allocation,
					   fill->address + y * fill->pitch_B,
					   fill->width * fill->element_B, SOFT_ACCESS_WRITE);
	return soft_operation_submit_locked(&operation->base, stream);
}

static CUresult fill_locked(struct soft_context *context, const struct fill *fill,
			    CUstream cu_stream, bool synchronous)
{
	struct soft_allocation *allocation;
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		result = fill_check_locked(fill, &allocation);
	if (result != CUDA_SUCCESS || !allocation)
		return result;
	/* Only a memset of host memory is complete when the call returns. */
	const bool wait = synchronous && allocation->kind != SOFT_MEMORY_DEVICE;
	result = fill_submit_locked(stream, fill, allocation);
	return result == CUDA_SUCCESS && wait ? soft_stream_wait_locked(stream) : result;
}

CUresult soft_fill_node_locked(const CUDA_MEMSET_NODE_PARAMS *node, struct soft_stream *stream)
{
	const struct fill fill = {
		.address = node->dst, .pitch_B = node->pitch, .width = node->width,
		.height = node->height, .value = node->value, .element_B = node->elementSize,
	};
	struct soft_allocation *allocation;
	if (fill.element_B != 1 && fill.element_B != 2 && fill.element_B != 4)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = fill_check_locked(&fill, &allocation);
	if (result != CUDA_SUCCESS || !allocation || !stream)
		return result;
	return fill_submit_locked(stream, &fill, allocation);
}

#define FILL(name, type, bits)                                                              \
	CUresult cuMemset##name##_v2(CUdeviceptr to, type value, size_t count)              \
	{                                                                                   \
		const struct fill fill = {to, 0, count, 1, value, (bits) / 8};              \
		SOFT_CALL(SOFT_NEED_CONTEXT, fill_locked(context, &fill, NULL, true));      \
	}                                                                                   \
	CUresult cuMemset##name##Async(CUdeviceptr to, type value, size_t count,            \
				       CUstream cu_stream)                                  \
	{                                                                                   \
		const struct fill fill = {to, 0, count, 1, value, (bits) / 8};              \
		SOFT_CALL(SOFT_NEED_CONTEXT, fill_locked(context, &fill, cu_stream, false)); \
	}

#define FILL_2D(name, type, bits)                                                           \
	CUresult cuMemset##name##_v2(CUdeviceptr to, size_t pitch_B, type value,            \
				     size_t width, size_t height)                           \
	{                                                                                   \
		const struct fill fill = {to, pitch_B, width, height, value, (bits) / 8};   \
		SOFT_CALL(SOFT_NEED_CONTEXT, fill_locked(context, &fill, NULL, true));      \
	}                                                                                   \
	CUresult cuMemset##name##Async(CUdeviceptr to, size_t pitch_B, type value,          \
				       size_t width, size_t height, CUstream cu_stream)     \
	{                                                                                   \
		const struct fill fill = {to, pitch_B, width, height, value, (bits) / 8};   \
		SOFT_CALL(SOFT_NEED_CONTEXT, fill_locked(context, &fill, cu_stream, false)); \
	}

FILL(D8, unsigned char, 8)
FILL(D16, unsigned short, 16)
FILL(D32, unsigned int, 32)
FILL_2D(D2D8, unsigned char, 8)
FILL_2D(D2D16, unsigned short, 16)
FILL_2D(D2D32, unsigned int, 32)

#undef FILL
#undef FILL_2D
