#include "config.h"

#include "icd/transfer/svm_command.h"

#include "icd/memory/svm.h"
#include "icd/order/native.h"

#include <string.h>

cl_int ocl_range_find(cl_context context, const void *pointer, size_t size_B,
		      struct ocl_range *range)
{
	range->pointer = (void *)(uintptr_t)pointer;
	range->size_B = size_B;
	range->mem = ocl_svm_find(context, pointer, &range->offset_B);
	if (!range->mem || size_B <= range->mem->size_B - range->offset_B)
		return CL_SUCCESS;
	object_unref(range->mem);
	range->mem = NULL;
	return CL_INVALID_VALUE;
}

void ocl_range_touch(struct ocl_command *command, const struct ocl_range *range,
		     enum ocl_access_mode mode)
{
	ocl_command_touch(command, range->mem, range->offset_B, range->size_B, mode);
}

cl_int ocl_order_enqueue(const struct ocl_order *order, struct ocl_command *command)
{
	return ocl_queue_enqueue(command, order->blocking, order->count, order->events,
				 order->event);
}

/* Enqueues a function of the driver as a native kernel (native.h). */
cl_int ocl_order_run(const struct ocl_order *order, void (CL_CALLBACK *run)(void *),
		     const void *arguments, size_t size_B)
{
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_native, order->queue, order->type, NULL);
	cl_int error = ocl_native_create(run, arguments, size_B, 0, NULL, NULL,
					 &command.u.native);
	if (error)
		return error;
	error = ocl_order_enqueue(order, &command);
	ocl_native_unref(command.u.native);
	return error;
}

/* cl_khr_unified_svm: clEnqueueSVMMemcpy and clEnqueueSVMMemFill take any pointers with size 0, and do nothing. */
static cl_int nothing_enqueue(const struct ocl_order *order)
{
	struct ocl_command command;
	ocl_command_init(&command, &ocl_command_marker, order->queue, order->type, NULL);
	return ocl_order_enqueue(order, &command);
}

/* --- copies ------------------------------------------------------------------------------------ */

struct host_copy {
	void *to;
	const void *from;
	size_t size_B;
};

static void CL_CALLBACK host_copy_run(void *arguments)
{
	const struct host_copy *copy = arguments;
	memcpy(copy->to, copy->from, copy->size_B);
}

/* Describes the copy as a command on buffers; at least one side is an SVM or USM allocation. */
static void copy_describe(struct ocl_command *command, const struct ocl_range *to,
			  const struct ocl_range *from, bool blocking)
{
	struct ocl_transfer *transfer = &command->u.transfer;
	const struct ocl_range *host = !to->mem ? to : !from->mem ? from : NULL;
	transfer->size_B = to->size_B;
	if (host) {
		const struct gpu_transfer asked = {host == to ? GPU_TO_HOST : GPU_TO_DEVICE,
						   host->pointer, host->size_B, blocking};
		transfer->plan = gpu_transfer_plan(command->queue->device->gpu, &asked, NULL);
	}
	if (!to->mem)
		transfer->host.to = to->pointer;
	else
		transfer->host.from = from->pointer;
	command->kind = !to->mem ? &ocl_command_read
				 : !from->mem ? &ocl_command_write : &ocl_command_copy;
	if (from->mem)
		ocl_range_touch(command, from, OCL_ACCESS_READ);
	if (to->mem)
		ocl_range_touch(command, to, OCL_ACCESS_WRITE);
}

static cl_int copy_enqueue(const struct ocl_order *order, const struct ocl_range *to,
			   const struct ocl_range *from)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	if (!to->mem && !from->mem && to->size_B) {
		const struct host_copy copy = {to->pointer, from->pointer, to->size_B};
		return ocl_order_run(order, host_copy_run, &copy, sizeof(copy));
	}
	ocl_command_init(&command, &ocl_command_marker, order->queue, order->type, accesses);
	if (to->size_B)
		copy_describe(&command, to, from, order->blocking);
	return ocl_order_enqueue(order, &command);
}

/* Also if an error is returned, the caller owns the references in to and from. */
static cl_int copy_ranges_find(cl_context context, void *to_pointer, const void *from_pointer,
			       size_t size_B, struct ocl_range *to, struct ocl_range *from)
{
	const uintptr_t to_at = (uintptr_t)to_pointer, from_at = (uintptr_t)from_pointer;
	to->mem = from->mem = NULL;
	if (!to_pointer || !from_pointer)
		return CL_INVALID_VALUE;
	if ((to_at > from_at ? to_at - from_at : from_at - to_at) < size_B)
		return CL_MEM_COPY_OVERLAP;
	cl_int error = ocl_range_find(context, to_pointer, size_B, to);
	return error ? error : ocl_range_find(context, from_pointer, size_B, from);
}

cl_int ocl_order_copy(const struct ocl_order *order, void *to_pointer, const void *from_pointer,
		      size_t size_B)
{
	struct ocl_range to, from;
	if (!size_B && order->type == CL_COMMAND_SVM_MEMCPY)
		return nothing_enqueue(order);
	cl_int error = copy_ranges_find(order->queue->context, to_pointer, from_pointer, size_B,
					&to, &from);
	if (!error)
		error = copy_enqueue(order, &to, &from);
	object_unref(to.mem);
	object_unref(from.mem);
	return error;
}

cl_int ocl_svm_make_copy(struct ocl_command *command, struct ocl_access accesses[2],
			 cl_command_queue queue, void *to_pointer, const void *from_pointer,
			 size_t size_B)
{
	struct ocl_range to, from;
	ocl_command_init(command, &ocl_command_marker, queue, CL_COMMAND_SVM_MEMCPY, accesses);
	cl_int error = copy_ranges_find(queue->context, to_pointer, from_pointer, size_B, &to,
					&from);
	if (!error && (!to.mem || !from.mem))
		error = CL_INVALID_VALUE;
	if (!error && size_B) {
		copy_describe(command, &to, &from, false);
		return CL_SUCCESS;
	}
	object_unref(to.mem);
	object_unref(from.mem);
	return error;
}

/* --- fills ------------------------------------------------------------------------------------- */

struct host_fill {
	unsigned char *to;
	size_t size_B, pattern_B;
	unsigned char pattern[128];
};

static void CL_CALLBACK host_fill_run(void *arguments)
{
	const struct host_fill *fill = arguments;
	for (size_t at_B = 0; at_B < fill->size_B; at_B += fill->pattern_B)
		memcpy(fill->to + at_B, fill->pattern, fill->pattern_B);
}

static void fill_describe(struct ocl_command *command, const struct ocl_range *range,
			  const void *pattern, size_t pattern_B)
{
	command->kind = &ocl_command_fill;
	memcpy(command->u.fill.pattern, pattern, pattern_B);
	command->u.fill.pattern_B = (uint32_t)pattern_B;
	command->u.fill.size_B = range->size_B;
	ocl_range_touch(command, range, OCL_ACCESS_WRITE);
}

static cl_int fill_enqueue(const struct ocl_order *order, const struct ocl_range *range,
			   const void *pattern, size_t pattern_B)
{
	struct ocl_access accesses[1];
	struct ocl_command command;
	if (!range->mem && range->size_B) {
		struct host_fill fill = {range->pointer, range->size_B, pattern_B, {0}};
		memcpy(fill.pattern, pattern, pattern_B);
		return ocl_order_run(order, host_fill_run, &fill, sizeof(fill));
	}
	ocl_command_init(&command, &ocl_command_marker, order->queue, order->type, accesses);
	if (range->size_B)
		fill_describe(&command, range, pattern, pattern_B);
	return ocl_order_enqueue(order, &command);
}

static bool pattern_is_valid(const void *pattern, size_t pattern_B)
{
	return pattern && pattern_B && pattern_B <= 128 && !(pattern_B & (pattern_B - 1));
}

static cl_int fill_range_find(cl_context context, void *to, const void *pattern,
			      size_t pattern_B, size_t size_B, struct ocl_range *range)
{
	if (!pattern_is_valid(pattern, pattern_B))
		return CL_INVALID_VALUE;
	if (!to || (uintptr_t)to % pattern_B || size_B % pattern_B)
		return CL_INVALID_VALUE;
	return ocl_range_find(context, to, size_B, range);
}

cl_int ocl_svm_make_fill(struct ocl_command *command, struct ocl_access accesses[1],
			 cl_command_queue queue, void *to, const void *pattern, size_t pattern_B,
			 size_t size_B)
{
	struct ocl_range range;
	ocl_command_init(command, &ocl_command_marker, queue, CL_COMMAND_SVM_MEMFILL, accesses);
	cl_int error = fill_range_find(queue->context, to, pattern, pattern_B, size_B, &range);
	if (error)
		return error;
	if (range.mem && size_B) {
		fill_describe(command, &range, pattern, pattern_B);
		return CL_SUCCESS;
	}
	error = range.mem ? CL_SUCCESS : CL_INVALID_VALUE;
	object_unref(range.mem);
	return error;
}

cl_int ocl_order_fill(const struct ocl_order *order, void *to, const void *pattern,
		      size_t pattern_B, size_t size_B)
{
	struct ocl_range range;
	if (!to && !size_B && pattern_is_valid(pattern, pattern_B) && order->type == CL_COMMAND_SVM_MEMFILL)
		return nothing_enqueue(order);
	cl_int error = fill_range_find(order->queue->context, to, pattern, pattern_B, size_B,
				       &range);
	if (error)
		return error;
	error = fill_enqueue(order, &range, pattern, pattern_B);
	object_unref(range.mem);
	return error;
}

/* --- migration --------------------------------------------------------------------------------- */

cl_int ocl_migrate_touch(struct ocl_command *command, const void *pointer, size_t size_B)
{
	struct ocl_range range;
	cl_int error = ocl_range_find(command->queue->context, pointer, size_B, &range);
	if (!error && !range.mem)
		error = CL_INVALID_VALUE;
	if (error)
		return error;
	if (!size_B) {
		range.offset_B = 0;
		range.size_B = range.mem->size_B;
	}
	ocl_range_touch(command, &range, OCL_ACCESS_READ);
	return CL_SUCCESS;
}
