/* The calls of green contexts: the multiprocessors of a device, divided into groups, and streams that run on some of
 * them.
 *
 * Each architecture has a least number of multiprocessors in a group and a step for larger groups, which CUDA's
 * manual lists.  A caller that does not need clusters of blocks can have smaller ones. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/event.h"
#include "softcuda/driver/green.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/cuda.h"

#include <stdlib.h>
#include <string.h>

#if CUDA_VERSION >= 12040

/* Older CUDA headers have the call but not the names of its flags. */
enum { IGNORE_COSCHEDULING = 1, LARGEST_CLUSTERS = 2 };

/* The driver's own part of a CUdevResource. */
struct inner {
	uint64_t multiprocessors;            /* a bit for each */
	uint64_t split;                      /* number of the call that made the group; 0: none */
	uint32_t magic;
	uint32_t device;
};
enum { MAGIC = 0x53465247 };
_Static_assert(sizeof(struct inner) <= sizeof(((CUdevResource *)NULL)->_internal_padding),
	       "the part has room for it");

/* The result of cuDevResourceGenerateDesc.  It is freed when a green context is made from it, or never. */
struct resources {
	unsigned device;
	uint64_t multiprocessors;
};

static unsigned count_of(uint64_t multiprocessors)
{
	return (unsigned)__builtin_popcountll(multiprocessors);
}

/* The least size of a group, and the step between sizes. */
struct steps {
	unsigned least, step;
};

static struct steps steps_of(const struct soft_device *device, unsigned flags)
{
	if (device->sm >= 90 && !(flags & IGNORE_COSCHEDULING))
		return (struct steps){8, 8};
	return (struct steps){device->sm >= 80 && device->sm < 90 ? 4 : 2, 2};
}

static void resource_fill(CUdevResource *resource, const struct soft_device *device, uint64_t set,
			  uint64_t split, unsigned flags)
{
	const struct inner inner = {
		.multiprocessors = set, .split = split, .magic = MAGIC, .device = device->index,
	};
	memset(resource, 0, sizeof(*resource));
	memcpy(resource->_internal_padding, &inner, sizeof(inner));
	resource->type = set ? CU_DEV_RESOURCE_TYPE_SM : CU_DEV_RESOURCE_TYPE_INVALID;
	resource->sm.smCount = count_of(set);
#if CUDA_VERSION >= 13000
	const struct steps steps = steps_of(device, flags);
	resource->sm.minSmPartitionSize = steps.least;
	resource->sm.smCoscheduledAlignment = steps.step;
#else
	(void)flags;
#endif
}

static CUresult resource_read(const CUdevResource *resource, struct inner *inner_out)
{
	if (resource->type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	memcpy(inner_out, resource->_internal_padding, sizeof(*inner_out));
	return inner_out->magic == MAGIC && inner_out->device < soft_driver.device_count
		       ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- what there is ---------- */

static uint64_t all_of(const struct soft_device *device)
{
	return device->multiprocessors < 64 ? ((uint64_t)1 << device->multiprocessors) - 1
					    : UINT64_MAX;
}

static CUresult get_locked(const struct soft_device *device, uint64_t set, CUdevResource *resource,
			   CUdevResourceType type)
{
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	resource_fill(resource, device, set, 0, 0);
	return CUDA_SUCCESS;
}

static CUresult get_of_device_locked(CUdevice cu_device, CUdevResource *resource,
				     CUdevResourceType type)
{
	struct soft_device *device;
	CUresult result = soft_device_find_locked(cu_device, &device);
	return result == CUDA_SUCCESS ? get_locked(device, all_of(device), resource, type) : result;
}

CUresult cuDeviceGetDevResource(CUdevice cu_device, CUdevResource *resource, CUdevResourceType type)
{
	SOFT_CALL(SOFT_NEED_INIT, get_of_device_locked(cu_device, resource, type));
}

static CUresult get_of_context_locked(CUcontext cu_context, CUdevResource *resource,
				      CUdevResourceType type)
{
	struct soft_context *context;
	CUresult result = soft_context_find_locked(cu_context, &context);
	if (result != CUDA_SUCCESS)
		return result;
	const struct soft_green *green = soft_green_find_converted_locked(cu_context);
	return get_locked(context->device, green ? green->multiprocessors : all_of(context->device),
			  resource, type);
}

CUresult cuCtxGetDevResource(CUcontext cu_context, CUdevResource *resource, CUdevResourceType type)
{
	SOFT_CALL(SOFT_NEED_INIT, get_of_context_locked(cu_context, resource, type));
}

static CUresult find_locked(CUgreenCtx cu_green, struct soft_green **green_out)
{
	struct soft_green *green = soft_handle_find_locked(SOFT_KIND_GREEN, cu_green);
	if (!green)
		return CUDA_ERROR_INVALID_CONTEXT;
	*green_out = green;
	return green->context ? green->context->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static CUresult get_of_green_locked(CUgreenCtx cu_green, CUdevResource *resource,
				    CUdevResourceType type)
{
	struct soft_green *green;
	CUresult result = find_locked(cu_green, &green);
	return result == CUDA_SUCCESS ? get_locked(green->context->device, green->multiprocessors,
						   resource, type)
				      : result;
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx cu_green, CUdevResource *resource,
				  CUdevResourceType type)
{
	SOFT_CALL(SOFT_NEED_INIT, get_of_green_locked(cu_green, resource, type));
}

/* --- splitting ---------- */

/* Takes the count multiprocessors with the lowest numbers out of the set. */
static uint64_t take_lowest(uint64_t *set, unsigned count)
{
	uint64_t taken = 0;
	for (; count && *set; count--) {
		const uint64_t lowest = *set & -*set;
		taken |= lowest;
		*set &= ~lowest;
	}
	return taken;
}

static CUresult split_locked(CUdevResource *groups, unsigned *count, const CUdevResource *input,
			     CUdevResource *remaining, unsigned flags, unsigned least)
{
	struct inner inner;
	if (!count || !input || flags & ~(unsigned)(IGNORE_COSCHEDULING | LARGEST_CLUSTERS))
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = resource_read(input, &inner);
	if (result != CUDA_SUCCESS)
		return result;
	/* CUDA's manual: a group can be split again only after a green context was made from it. */
	if (inner.split)
		return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
	if (least > count_of(inner.multiprocessors))
		return CUDA_ERROR_INVALID_VALUE;
	const struct soft_device *device = &soft_driver.devices[inner.device];
	const struct steps steps = steps_of(device, flags);
	unsigned size = (least + steps.step - 1) / steps.step * steps.step;
	if (size < steps.least)
		size = steps.least;
	unsigned made = count_of(inner.multiprocessors) / size;
	if (!made)
		return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
	if (groups && made > *count)
		made = *count;
	const uint64_t split = groups ? ++soft_driver.next_id : 0;
	uint64_t left = inner.multiprocessors;
	for (unsigned i = 0; groups && i < made; i++)
		resource_fill(&groups[i], device, take_lowest(&left, size), split, flags);
	if (groups && remaining)
		resource_fill(remaining, device, left, split, flags);
	*count = made;
	return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *groups, unsigned int *count,
				     const CUdevResource *input, CUdevResource *remaining,
				     unsigned int flags, unsigned int least)
{
	SOFT_CALL(SOFT_NEED_INIT, split_locked(groups, count, input, remaining, flags, least));
}

/* Joins groups, which must be of one split and one device, and all different. */
static CUresult join_groups(const CUdevResource *groups, unsigned count, struct resources *joined)
{
	uint64_t split = 0;
	for (unsigned i = 0; i < count; i++) {
		struct inner inner;
		CUresult result = resource_read(&groups[i], &inner);
		if (result != CUDA_SUCCESS)
			return result;
		if (i && (inner.device != joined->device || inner.split != split || !split ||
			  inner.multiprocessors & joined->multiprocessors))
			return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
		joined->device = inner.device;
		joined->multiprocessors |= inner.multiprocessors;
		split = inner.split;
	}
	return CUDA_SUCCESS;
}

static CUresult describe_locked(CUdevResourceDesc *cu_resources_out, const CUdevResource *groups,
				unsigned count)
{
	struct resources joined = {0};
	if (!cu_resources_out || !groups || !count)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = join_groups(groups, count, &joined);
	if (result != CUDA_SUCCESS)
		return result;
	struct resources *resources = malloc(sizeof(*resources));
	if (!resources)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*resources = joined;
	*cu_resources_out = soft_handle_create_locked(SOFT_KIND_RESOURCES, resources);
	if (*cu_resources_out)
		return CUDA_SUCCESS;
	free(resources);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *cu_resources_out, CUdevResource *groups,
				   unsigned int count)
{
	SOFT_CALL(SOFT_NEED_INIT, describe_locked(cu_resources_out, groups, count));
}

/* --- life ---------- */

static struct soft_stream *stream_make_locked(struct soft_green *green, int priority)
{
	struct soft_stream *stream =
		soft_stream_create_locked(green->context, CU_STREAM_NON_BLOCKING, priority);
	if (!stream)
		return NULL;
	stream->green = green;
	stream->multiprocessors = green->multiprocessors;
	return stream;
}

static void green_free_locked(struct soft_green *green)
{
	soft_handle_destroy_locked(green->handle);
	soft_handle_destroy_locked(green->converted);
	list_remove(&green->link);
	free(green);
}

static CUresult green_make_locked(struct soft_context *context, uint64_t multiprocessors,
				  struct soft_green **green_out)
{
	struct soft_green *green = calloc(1, sizeof(*green));
	if (!green)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list_init(&green->link);
	green->context = context;
	green->multiprocessors = multiprocessors;
	green->id = ++soft_driver.next_id;
	green->handle = soft_handle_create_locked(SOFT_KIND_GREEN, green);
	green->converted = soft_handle_create_locked(SOFT_KIND_GREEN_CONVERTED, green);
	if (green->handle && green->converted)
		green->first = stream_make_locked(green, 0);
	if (!green->first) {
		green_free_locked(green);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	green->first->refs++;
	list_append(&context->greens, &green->link);
	*green_out = green;
	return CUDA_SUCCESS;
}

static CUresult create_locked(CUgreenCtx *cu_green_out, CUdevResourceDesc cu_resources,
			      CUdevice cu_device, unsigned flags)
{
	struct soft_device *device;
	struct soft_context *primary;
	struct soft_green *green;
	struct resources *resources = soft_handle_find_locked(SOFT_KIND_RESOURCES, cu_resources);
	CUresult result = soft_device_find_locked(cu_device, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (!cu_green_out || flags != CU_GREEN_CTX_DEFAULT_STREAM || !resources ||
	    resources->device != device->index)
		return CUDA_ERROR_INVALID_VALUE;
	result = soft_primary_retain_locked(device, &primary);
	if (result != CUDA_SUCCESS)
		return result;
	result = green_make_locked(primary, resources->multiprocessors, &green);
	if (result != CUDA_SUCCESS) {
		(void)soft_primary_release_locked(device);
		return result;
	}
	soft_handle_destroy_locked(cu_resources);
	free(resources);
	*cu_green_out = green->handle;
	return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *cu_green_out, CUdevResourceDesc cu_resources,
			  CUdevice cu_device, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_INIT, create_locked(cu_green_out, cu_resources, cu_device, flags));
}

/* Streams that were not destroyed cannot be used any more, but complete their work. */
static void streams_orphan_locked(struct soft_green *green)
{
	struct list *link, *next;
	list_for_each(link, next, &green->context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		if (stream->green != green)
			continue;
		stream->green = NULL;
		stream->orphaned = true;
	}
}

static CUresult destroy_locked(CUgreenCtx cu_green)
{
	struct soft_green *green = soft_handle_find_locked(SOFT_KIND_GREEN, cu_green);
	if (!green)
		return CUDA_ERROR_INVALID_CONTEXT;
	struct soft_context *context = green->context;
	if (context) {
		streams_orphan_locked(green);
		soft_stream_retire_locked(green->first);
	}
	soft_stream_unref_locked(green->first);
	green_free_locked(green);
	return context ? soft_primary_release_locked(context->device) : CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx cu_green)
{
	SOFT_CALL(SOFT_NEED_INIT, destroy_locked(cu_green));
}

static CUresult convert_locked(CUcontext *cu_context_out, CUgreenCtx cu_green)
{
	struct soft_green *green;
	CUresult result = find_locked(cu_green, &green);
	if (result == CUDA_SUCCESS && !cu_context_out)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*cu_context_out = green->converted;
	return result;
}

CUresult cuCtxFromGreenCtx(CUcontext *cu_context_out, CUgreenCtx cu_green)
{
	SOFT_CALL(SOFT_NEED_INIT, convert_locked(cu_context_out, cu_green));
}

#if CUDA_VERSION >= 13000
static CUresult id_locked(CUgreenCtx cu_green, unsigned long long *id_out)
{
	struct soft_green *green = soft_green_current_locked();
	CUresult result = cu_green ? find_locked(cu_green, &green) : CUDA_SUCCESS;
	if (result == CUDA_SUCCESS && !green)
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS && !id_out)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*id_out = green->id;
	return result;
}

CUresult cuGreenCtxGetId(CUgreenCtx cu_green, unsigned long long *id_out)
{
	SOFT_CALL(SOFT_NEED_INIT, id_locked(cu_green, id_out));
}
#endif

/* --- streams ---------- */

static const struct soft_operation_type gather_type = {.name = "green context"};

#if CUDA_VERSION >= 12050
/* cuGreenCtxWaitEvent concerns all future work: a new stream also waits for those events. */
static CUresult follow_waits_locked(struct soft_green *green, struct soft_stream *stream)
{
	if (!green->waited_for)
		return CUDA_SUCCESS;
	struct soft_operation *after = soft_operation_create(&gather_type, sizeof(*after));
	if (!after)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = soft_operation_wait_for_locked(after, green->first, green->waited_for);
	if (result == CUDA_SUCCESS)
		return soft_operation_submit_locked(after, stream);
	soft_operation_destroy_locked(after);
	return result;
}

static CUresult stream_create_locked(CUstream *cu_stream_out, CUgreenCtx cu_green, unsigned flags,
				     int priority)
{
	struct soft_green *green;
	CUresult result = find_locked(cu_green, &green);
	if (result != CUDA_SUCCESS)
		return result;
	if (!cu_stream_out || flags != CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	struct soft_stream *stream = stream_make_locked(green, priority);
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->handle = soft_handle_create_locked(SOFT_KIND_STREAM, stream);
	if (!stream->handle) {
		soft_stream_unref_locked(stream);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	result = follow_waits_locked(green, stream);
	if (result == CUDA_SUCCESS)
		*cu_stream_out = stream->handle;
	else
		soft_stream_retire_locked(stream);
	return result;
}

CUresult cuGreenCtxStreamCreate(CUstream *cu_stream_out, CUgreenCtx cu_green, unsigned int flags,
				int priority)
{
	SOFT_CALL(SOFT_NEED_INIT, stream_create_locked(cu_stream_out, cu_green, flags, priority));
}
#endif

static CUresult stream_green_locked(struct soft_context *context, CUstream cu_stream,
				    CUgreenCtx *cu_green_out)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS && !cu_green_out)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*cu_green_out = stream->green ? stream->green->handle : NULL;
	return result;
}

CUresult cuStreamGetGreenCtx(CUstream cu_stream, CUgreenCtx *cu_green_out)
{
	SOFT_STREAM_CALL(cu_stream, stream_green_locked(context, cu_stream, cu_green_out));
}

/* --- events of all that is in one ---------- */

/* Puts an operation into the default stream that waits for the work in all other streams. */
static CUresult gather_locked(struct soft_green *green)
{
	struct list *link, *next;
	struct soft_operation *gather = soft_operation_create(&gather_type, sizeof(*gather));
	CUresult result = gather ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	list_for_each(link, next, &green->context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		if (stream->green == green && stream != green->first && result == CUDA_SUCCESS)
			result = soft_operation_wait_for_locked(gather, stream, stream->submitted);
	}
	if (result == CUDA_SUCCESS)
		return soft_operation_submit_locked(gather, green->first);
	if (gather)
		soft_operation_destroy_locked(gather);
	return result;
}

static CUresult record_locked(CUgreenCtx cu_green, CUevent cu_event)
{
	struct soft_green *green;
	struct soft_event *event;
	CUresult result = find_locked(cu_green, &green);
	if (result == CUDA_SUCCESS)
		result = soft_event_find_locked(cu_event, &event);
	if (result == CUDA_SUCCESS && event->context != green->context)
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = gather_locked(green);
	return result == CUDA_SUCCESS ? soft_event_record_locked(event, green->first) : result;
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx cu_green, CUevent cu_event)
{
	SOFT_CALL(SOFT_NEED_INIT, record_locked(cu_green, cu_event));
}

static CUresult wait_locked(CUgreenCtx cu_green, CUevent cu_event)
{
	struct soft_green *green;
	struct soft_event *event;
	struct list *link, *next;
	CUresult result = find_locked(cu_green, &green);
	if (result == CUDA_SUCCESS)
		result = soft_event_find_locked(cu_event, &event);
	if (result != CUDA_SUCCESS)
		return result;
	list_for_each(link, next, &green->context->streams) {
		struct soft_stream *stream = list_entry(link, struct soft_stream, link);
		if (stream->green == green && result == CUDA_SUCCESS)
			result = soft_event_await_locked(event, stream);
	}
	if (result == CUDA_SUCCESS)
		green->waited_for = green->first->submitted;
	return result;
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx cu_green, CUevent cu_event)
{
	SOFT_CALL(SOFT_NEED_INIT, wait_locked(cu_green, cu_event));
}

#endif
