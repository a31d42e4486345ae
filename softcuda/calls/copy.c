/* Copies of every kind: all are boxes of rows, some with one row only.
 *
 * What a copy means for the host's thread follows the kinds of its two sides:
 * pageable bytes to the device are read before an asynchronous call returns,
 * pageable bytes from the device are there when it returns, all else happens
 * in the stream's order. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/calls/graph.h"
#include "softcuda/control.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/egl_image.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/pool.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The largest pageable source that is copied to a buffer first, so that the caller can continue.  A source is not
 * copied if the copy can start immediately: to wait for that is faster.  Nor is a larger one, which would need too
 * much memory. */
static const uint64_t staged_max_B = (uint64_t)64 << 20;
static const uint64_t staged_idle_max_B = (uint64_t)1 << 20;

struct side {
	uint64_t address;                    /* of the box's first byte */
	uint64_t pitch_B, slice_B;
	bool device_only;                    /* the caller says that it is device memory */
	struct soft_allocation *allocation;  /* NULL: pageable host memory */
	bool array;                          /* it is an array: it was checked, and its allocation is known */
};

struct box {
	struct side to, from;
	uint64_t width_B, height, depth;
};

struct copy_operation {
	struct soft_operation base;
	struct box box;
	char *staged;                        /* owned: the buffer to which from points; or NULL */
	bool spoilt;                         /* peer access between the devices corrupts bytes */
	bool sampled;                        /* sum and writes are set */
	uint64_t sum, writes;                /* of the source, when the copy was submitted */
};

/* --- running ---------- */

static void move_box(const struct box *box)
{
	for (uint64_t z = 0; z < box->depth; z++)
		for (uint64_t y = 0; y < box->height; y++) {
			uint64_t to = box->to.address + z * box->to.slice_B + y * box->to.pitch_B;
			uint64_t from = box->from.address + z * box->from.slice_B +
					y * box->from.pitch_B;
			memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from,
				box->width_B);
		}
}

static void note_box(const struct box *box)
{
	for (uint64_t z = 0; z < box->depth && !box->to.array; z++)
		for (uint64_t y = 0; y < box->height; y++)
			soft_memory_written(box->to.address + z * box->to.slice_B +
					    y * box->to.pitch_B, box->width_B);
}

/* A checksum of the source (FNV-1a over words of eight bytes). */
static uint64_t sum_source(const struct box *box)
{
	uint64_t sum = 0xcbf29ce484222325u;
	for (uint64_t z = 0; z < box->depth; z++)
		for (uint64_t y = 0; y < box->height; y++) {
			const char *row = (const char *)(uintptr_t)(box->from.address +
								    z * box->from.slice_B +
								    y * box->from.pitch_B);
			for (uint64_t x = 0, word = 0; x < box->width_B; x += 8, word = 0) {
				memcpy(&word, row + x, box->width_B - x < 8 ? box->width_B - x : 8);
				sum = (sum ^ word) * 0x100000001b3u;
			}
		}
	return sum;
}

/* Writes of host threads are not observed, but a changed checksum shows them. */
static void check_source(struct copy_operation *copy)
{
	const struct soft_allocation *source = copy->box.from.allocation;
	if (!copy->sampled || sum_source(&copy->box) == copy->sum)
		return;
	lock_take(&soft_driver.lock);
	if (soft_oracle_writes_locked(source) == copy->writes)
		soft_oracle_report_rewritten_locked(&copy->base, source);
	lock_drop(&soft_driver.lock);
}

static bool gone(const struct side *side)
{
	return side->allocation && side->allocation->freed;
}

/* freed is written under the lock; the bytes stay mapped in either case. */
/* The number of bytes that copies have moved since the start, on the host and on devices. */
static _Atomic uint64_t moved_B;

uint64_t culvert_soft_copied(void)
{
	return atomic_load(&moved_B);
}

/* The memory of an EGL image is up to date before it is used, and the image after that. */
static CUresult egl_read(const struct box *box)
{
	const struct soft_allocation *from = box->from.allocation, *to = box->to.allocation;
	CUresult result = CUDA_SUCCESS;
	if (from && from->egl)
		result = soft_egl_read(from->egl, (void *)(uintptr_t)from->start);
	/* The copy may write a part only. */
	if (to && to->egl && result == CUDA_SUCCESS)
		result = soft_egl_read(to->egl, (void *)(uintptr_t)to->start);
	return result;
}

static CUresult egl_write(const struct box *box)
{
	const struct soft_allocation *to = box->to.allocation;
	return to && to->egl ? soft_egl_write(to->egl, (void *)(uintptr_t)to->start) : CUDA_SUCCESS;
}

static CUresult copy_run(struct soft_operation *operation, struct bytes *report)
{
	struct copy_operation *copy = (struct copy_operation *)operation;
	lock_take(&soft_driver.lock);
	bool lost = gone(&copy->box.to) || gone(&copy->box.from);
	lock_drop(&soft_driver.lock);
	if (lost) {
		bytes_printf(report, "a copy of %llu bytes accesses memory that was freed before "
			     "the copy ran", (unsigned long long)copy->box.width_B);
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	}
	check_source(copy);
	CUresult result = egl_read(&copy->box);
	if (result == CUDA_SUCCESS) {
		move_box(&copy->box);
		result = egl_write(&copy->box);
	}
	if (result != CUDA_SUCCESS) {
		bytes_printf(report, "a copy cannot use an EGL image");
		return result;
	}
	atomic_fetch_add(&moved_B, copy->box.width_B * copy->box.height * copy->box.depth);
	note_box(&copy->box);
	if (copy->spoilt)
		*(unsigned char *)(uintptr_t)copy->box.to.address ^= 1;
	return CUDA_SUCCESS;
}

static void copy_finish_locked(struct soft_operation *operation)
{
	struct copy_operation *copy = (struct copy_operation *)operation;
	if (copy->box.to.allocation)
		soft_memory_unpin_locked(copy->box.to.allocation);
	if (copy->box.from.allocation)
		soft_memory_unpin_locked(copy->box.from.allocation);
	free(copy->staged);
}

static const struct soft_operation_type copy_type = {
	.name = "copy",
	.run = copy_run,
	.finish_locked = copy_finish_locked,
};

/* --- checking ---------- */

/* a * b + c without overflow. */
static bool multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *sum_out)
{
	if ((b && a > UINT64_MAX / b) || a * b > UINT64_MAX - c)
		return false;
	*sum_out = a * b + c;
	return true;
}

static CUresult side_resolve_locked(struct side *side, const struct box *box)
{
	uint64_t extent_B;
	if (side->array)
		return CUDA_SUCCESS;
	if (!multiply_add(box->height - 1, side->pitch_B, box->width_B, &extent_B) ||
	    !multiply_add(box->depth - 1, side->slice_B, extent_B, &extent_B) ||
	    !side->address)
		return CUDA_ERROR_INVALID_VALUE;
	side->allocation = soft_memory_lookup_locked(side->address);
	if (!side->allocation)
		return side->device_only ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	if (soft_memory_range_locked(side->address, extent_B))
		return CUDA_SUCCESS;
	/* Host memory of which only a part is registered counts as pageable. */
	if (side->allocation->kind != SOFT_MEMORY_REGISTERED || side->device_only)
		return CUDA_ERROR_INVALID_VALUE;
	side->allocation = NULL;
	return CUDA_SUCCESS;
}

static bool on_device(const struct side *side)
{
	return side->allocation && (side->allocation->kind == SOFT_MEMORY_DEVICE ||
				    side->allocation->kind == SOFT_MEMORY_MANAGED || side->array);
}

static bool pinned(const struct side *side)
{
	return side->allocation && !on_device(side);
}

/* --- submitting ---------- */

static const char *label(const struct box *box)
{
	if (on_device(&box->from))
		return on_device(&box->to) ? "DtoD" : "DtoH";
	return on_device(&box->to) ? "HtoD" : "HtoH";
}

static void declare_locked(struct copy_operation *copy, const struct side *side, unsigned kind)
{
	const struct box *box = &copy->box;
	for (uint64_t z = 0; side->allocation && z < box->depth; z++)
		for (uint64_t y = 0; y < box->height; y++)
			soft_oracle_declare_locked(&copy->base, side->allocation,
						   side->address + z * side->slice_B +
							   y * side->pitch_B,
						   box->width_B, kind);
}

static bool pool_is_open(const struct soft_allocation *allocation, const struct soft_device *to)
{
	return allocation->pool && allocation->pool->access & (uint32_t)1 << to->index;
}

/* Whether the copy is corrupted: it is between two devices with corrupting peer access of their contexts or pools. */
static bool spoilt(const struct soft_stream *stream, const struct box *box)
{
	if (soft_sched.peer != SOFT_PEER_CORRUPT || !on_device(&box->to) || !on_device(&box->from))
		return false;
	const struct soft_allocation *to = box->to.allocation, *from = box->from.allocation;
	return to->device != from->device &&
	       (stream->context->peers || pool_is_open(to, from->device) ||
		pool_is_open(from, to->device));
}

/* Prepares the copy; takes a checksum of a pinned source that the host could overwrite too early.  Pinned memory can
 * be read without the lock. */
static void prepare_locked(struct copy_operation *copy, const struct soft_stream *stream, bool wait)
{
	copy->base.label = label(&copy->box);
	copy->spoilt = spoilt(stream, &copy->box);
	if (!soft_oracle_on())
		return;
	declare_locked(copy, &copy->box.to, SOFT_ACCESS_WRITE);
	declare_locked(copy, &copy->box.from, SOFT_ACCESS_READ);
	copy->sampled = !wait && pinned(&copy->box.from);
	if (!copy->sampled)
		return;
	copy->writes = soft_oracle_writes_locked(copy->box.from.allocation);
	lock_drop(&soft_driver.lock);
	copy->sum = sum_source(&copy->box);
	lock_take(&soft_driver.lock);
}

static bool stage(struct copy_operation *copy, uint64_t most_B)
{
	struct box *box = &copy->box;
	uint64_t rows, size_B;
	if (!multiply_add(box->height, box->depth, 0, &rows) ||
	    !multiply_add(rows, box->width_B, 0, &size_B) || size_B > most_B)
		return false;
	copy->staged = malloc(size_B);
	if (!copy->staged)
		return false;
	struct box gather = *box;
	gather.to.address = (uint64_t)(uintptr_t)copy->staged;
	gather.to.pitch_B = box->width_B;
	gather.to.slice_B = box->width_B * box->height;
	gather.to.array = false;
	move_box(&gather);
	box->from = gather.to;
	box->from.allocation = NULL;
	return true;
}

/* Copies a pageable source to a buffer, without the lock. *wait_out: that was not possible, so the caller has to
 * wait for the copy itself. */
static CUresult stage_locked(struct soft_stream *stream, struct copy_operation *copy,
			     bool *wait_out)
{
	uint64_t most_B = soft_stream_idle(stream) ? staged_idle_max_B : staged_max_B;
	lock_drop(&soft_driver.lock);
	*wait_out = !stage(copy, most_B);
	lock_take(&soft_driver.lock);
	return CUDA_SUCCESS;
}

/* box stays the caller's. synchronous: the call is not one of the Async functions. */
static CUresult box_submit_locked(struct soft_stream *stream, const struct box *box,
				  bool synchronous)
{
	struct copy_operation *copy = soft_operation_create(&copy_type, sizeof(*copy));
	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	copy->box = *box;
	if (box->to.allocation)
		soft_memory_pin_locked(box->to.allocation);
	if (box->from.allocation)
		soft_memory_pin_locked(box->from.allocation);
	stream->refs++;
	bool wait = synchronous && !(on_device(&box->to) && on_device(&box->from));
	CUresult result = CUDA_SUCCESS;
	/* CUDA only guarantees that pageable memory has been read when the call returns. */
	if (soft_sched.late && !box->from.allocation && on_device(&box->to))
		wait = false;
	prepare_locked(copy, stream, wait);
	if (!box->to.allocation)
		wait = true;
	else if (!box->from.allocation && !wait)
		result = stage_locked(stream, copy, &wait);
	if (result == CUDA_SUCCESS && !stream->context)
		result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (result != CUDA_SUCCESS) {
		soft_operation_destroy_locked(&copy->base);
		soft_stream_unref_locked(stream);
		return result;
	}
	result = soft_operation_submit_locked(&copy->base, stream);
	if (result == CUDA_SUCCESS && wait)
		result = soft_stream_wait_locked(stream);
	soft_stream_unref_locked(stream);
	return result;
}

static CUresult copy_box_locked(struct soft_context *context, struct box *box,
				CUstream cu_stream, bool synchronous)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result != CUDA_SUCCESS || !box->width_B || !box->height || !box->depth)
		return result;
	result = side_resolve_locked(&box->to, box);
	if (result == CUDA_SUCCESS)
		result = side_resolve_locked(&box->from, box);
	return result == CUDA_SUCCESS ? box_submit_locked(stream, box, synchronous) : result;
}

/* --- one row ---------- */

enum direction { TO_DEVICE, TO_HOST, ON_DEVICE, ANYWHERE };

static CUresult copy_row_locked(struct soft_context *context, enum direction direction,
				uint64_t to, uint64_t from, uint64_t size_B, CUstream cu_stream,
				bool synchronous)
{
	struct box box = {
		.to = {.address = to,
		       .device_only = direction == TO_DEVICE || direction == ON_DEVICE},
		.from = {.address = from,
			 .device_only = direction == TO_HOST || direction == ON_DEVICE},
		.width_B = size_B, .height = 1, .depth = 1,
	};
	return copy_box_locked(context, &box, cu_stream, synchronous);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, copy_row_locked(context, TO_DEVICE, to,
						     (uint64_t)(uintptr_t)from, size_B, NULL,
						     true));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, copy_row_locked(context, TO_HOST, (uint64_t)(uintptr_t)to,
						     from, size_B, NULL, true));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  copy_row_locked(context, ON_DEVICE, to, from, size_B, NULL, true));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  copy_row_locked(context, ANYWHERE, to, from, size_B, NULL, true));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size_B, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, copy_row_locked(context, TO_DEVICE, to,
						     (uint64_t)(uintptr_t)from, size_B, cu_stream,
						     false));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size_B, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, copy_row_locked(context, TO_HOST, (uint64_t)(uintptr_t)to,
						     from, size_B, cu_stream, false));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size_B, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  copy_row_locked(context, ON_DEVICE, to, from, size_B, cu_stream, false));
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size_B, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  copy_row_locked(context, ANYWHERE, to, from, size_B, cu_stream, false));
}

/* --- between devices ---------- */

static CUresult peers_find_locked(CUcontext cu_to, CUcontext cu_from)
{
	struct soft_context *to, *from;
	CUresult result = soft_context_find_locked(cu_to, &to);
	if (result == CUDA_SUCCESS)
		result = soft_context_find_locked(cu_from, &from);
	if (result == CUDA_SUCCESS)
		result = to->fault != CUDA_SUCCESS ? to->fault : from->fault;
	return result;
}

/* The call without a stream waits for all work of both contexts. */
static CUresult peers_wait_locked(CUcontext cu_to, CUcontext cu_from)
{
	struct soft_context *peer;
	CUresult result = soft_context_find_locked(cu_to, &peer);
	if (result == CUDA_SUCCESS)
		result = soft_context_wait_locked(peer);
	if (result == CUDA_SUCCESS)
		result = soft_context_find_locked(cu_from, &peer);
	return result == CUDA_SUCCESS ? soft_context_wait_locked(peer) : result;
}

static CUresult copy_peer_locked(struct soft_context *context, struct box *box, CUcontext cu_to,
				 CUcontext cu_from, CUstream cu_stream, bool synchronous)
{
	CUresult result = peers_find_locked(cu_to, cu_from);
	if (result == CUDA_SUCCESS && synchronous)
		result = peers_wait_locked(cu_to, cu_from);
	if (result == CUDA_SUCCESS)
		result = copy_box_locked(context, box, cu_stream, synchronous);
	if (result == CUDA_SUCCESS && synchronous)
		result = soft_stream_wait_locked(context->legacy);
	return result;
}

static CUresult copy_peer_row(const char *call, CUdeviceptr to, CUcontext cu_to, CUdeviceptr from,
			      CUcontext cu_from, size_t size_B, CUstream cu_stream,
			      bool synchronous)
{
	struct soft_context *context = NULL;
	struct box box = {
		.to = {.address = to, .device_only = true},
		.from = {.address = from, .device_only = true},
		.width_B = size_B, .height = 1, .depth = 1,
	};
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	return result != CUDA_SUCCESS
		       ? soft_turned_back(result)
		       : soft_leave(call, copy_peer_locked(context, &box, cu_to, cu_from,
							   cu_stream, synchronous));
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext cu_to, CUdeviceptr from, CUcontext cu_from,
		      size_t size_B)
{
	return copy_peer_row(__func__, to, cu_to, from, cu_from, size_B, NULL, true);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext cu_to, CUdeviceptr from, CUcontext cu_from,
			   size_t size_B, CUstream cu_stream)
{
	return copy_peer_row(__func__, to, cu_to, from, cu_from, size_B, cu_stream, false);
}

/* --- boxes ---------- */

/* One side of a copy, as the structs of 2D and 3D copies describe it. */
struct place {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x_B, y, z, pitch_B, height;
};

/* Checks a side that is an array: bounds are the array's; "x and the width must be multiples of the array element's
 * size".  In a dimension that the array does not have, only 0 is valid. */
static CUresult side_array_locked(struct side *side, const struct place *place,
				  const struct box *box)
{
	struct soft_array *array;
	CUresult result = soft_array_find_locked(place->array, &array);
	if (result != CUDA_SUCCESS)
		return result;
	uint64_t row_B = array->descriptor.Width * array->element_B;
	if (place->x_B % array->element_B || box->width_B % array->element_B ||
	    place->x_B > row_B || box->width_B > row_B - place->x_B ||
	    place->y > array->height || box->height > array->height - place->y ||
	    place->z > array->depth || box->depth > array->depth - place->z)
		return CUDA_ERROR_INVALID_VALUE;
	side->array = true;
	side->allocation = array->allocation;
	side->pitch_B = array->pitch_B;
	side->slice_B = array->slice_B;
	side->address = soft_array_start(array) + place->z * array->slice_B +
			place->y * array->pitch_B + place->x_B;
	return CUDA_SUCCESS;
}

/* Driver API, cuMemcpy2D and cuMemcpy3D: a pitch is at least x plus the width, and at most
 * CU_DEVICE_ATTRIBUTE_MAX_PITCH; a height is at least y plus that of the box. */
static bool pitches_fit(uint64_t pitch_B, uint64_t height, const struct place *place,
			const struct box *box)
{
	return place->x_B <= pitch_B && box->width_B <= pitch_B - place->x_B &&
	       place->pitch_B <= SOFT_PITCH_MAX_B && place->y <= height &&
	       box->height <= height - place->y;
}

static CUresult side_place_locked(struct side *side, const struct place *place,
				  const struct box *box)
{
	uint64_t pitch_B = place->pitch_B ? place->pitch_B : place->x_B + box->width_B;
	uint64_t height = place->height ? place->height : place->y + box->height;
	uint64_t offset_B;
	if (place->type == CU_MEMORYTYPE_ARRAY)
		return side_array_locked(side, place, box);
	if ((place->type != CU_MEMORYTYPE_HOST && place->type != CU_MEMORYTYPE_DEVICE &&
	     place->type != CU_MEMORYTYPE_UNIFIED) ||
	    !pitches_fit(pitch_B, height, place, box) ||
	    !multiply_add(pitch_B, height, 0, &side->slice_B) ||
	    !multiply_add(side->slice_B, place->z, place->x_B, &offset_B) ||
	    !multiply_add(pitch_B, place->y, offset_B, &offset_B))
		return CUDA_ERROR_INVALID_VALUE;
	side->pitch_B = pitch_B;
	side->device_only = place->type == CU_MEMORYTYPE_DEVICE;
	side->address = place->type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)place->host
							  : place->device;
	if (!side->address || side->address > UINT64_MAX - offset_B)
		return CUDA_ERROR_INVALID_VALUE;
	side->address += offset_B;
	return CUDA_SUCCESS;
}

static CUresult places_to_box_locked(struct box *box, const struct place *to,
				     const struct place *from)
{
	CUresult result = side_place_locked(&box->to, to, box);
	return result == CUDA_SUCCESS ? side_place_locked(&box->from, from, box) : result;
}

static CUresult copy_places(const char *call, struct box *box, const struct place *to,
			    const struct place *from, CUstream cu_stream, bool synchronous)
{
	struct soft_context *context = NULL;
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (result != CUDA_SUCCESS)
		return soft_turned_back(result);
	result = places_to_box_locked(box, to, from);
	if (result == CUDA_SUCCESS)
		result = copy_box_locked(context, box, cu_stream, synchronous);
	return soft_leave(call, result);
}

static CUresult copy_2d(const char *call, const CUDA_MEMCPY2D *copy, CUstream cu_stream,
			bool synchronous)
{
	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	struct box box = {.width_B = copy->WidthInBytes, .height = copy->Height, .depth = 1};
	const struct place to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice,
				 copy->dstArray, copy->dstXInBytes, copy->dstY, 0,
				 copy->dstPitch, 0};
	const struct place from = {copy->srcMemoryType, copy->srcHost, copy->srcDevice,
				   copy->srcArray, copy->srcXInBytes, copy->srcY, 0,
				   copy->srcPitch, 0};
	return copy_places(call, &box, &to, &from, cu_stream, synchronous);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(__func__, copy, NULL, true);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(__func__, copy, NULL, true);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream cu_stream)
{
	return copy_2d(__func__, copy, cu_stream, false);
}

CUresult soft_copy_node_locked(const CUDA_MEMCPY3D *copy, struct soft_stream *stream)
{
	struct box box = {.width_B = copy->WidthInBytes,
			  .height = copy->Height, .depth = copy->Depth};
	const struct place to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice,
				 copy->dstArray, copy->dstXInBytes, copy->dstY, copy->dstZ,
				 copy->dstPitch, copy->dstHeight};
	const struct place from = {copy->srcMemoryType, copy->srcHost, copy->srcDevice,
				   copy->srcArray, copy->srcXInBytes, copy->srcY, copy->srcZ,
				   copy->srcPitch, copy->srcHeight};
	/* A node of a graph must not be empty. */
	if (copy->srcLOD || copy->dstLOD || !box.width_B || !box.height || !box.depth)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = places_to_box_locked(&box, &to, &from);
	if (result == CUDA_SUCCESS)
		result = side_resolve_locked(&box.to, &box);
	if (result == CUDA_SUCCESS)
		result = side_resolve_locked(&box.from, &box);
	if (result != CUDA_SUCCESS)
		return result;
	if (!box.to.allocation || !box.from.allocation) {
		log_err("softcuda: a graph's copy of pageable memory is not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return stream ? box_submit_locked(stream, &box, false) : CUDA_SUCCESS;
}

static CUresult copy_3d(const char *call, const CUDA_MEMCPY3D *copy, CUstream cu_stream,
			bool synchronous)
{
	if (!copy || copy->srcLOD || copy->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	struct box box = {.width_B = copy->WidthInBytes,
			  .height = copy->Height, .depth = copy->Depth};
	const struct place to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice,
				 copy->dstArray, copy->dstXInBytes, copy->dstY, copy->dstZ,
				 copy->dstPitch, copy->dstHeight};
	const struct place from = {copy->srcMemoryType, copy->srcHost, copy->srcDevice,
				   copy->srcArray, copy->srcXInBytes, copy->srcY, copy->srcZ,
				   copy->srcPitch, copy->srcHeight};
	return copy_places(call, &box, &to, &from, cu_stream, synchronous);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	return copy_3d(__func__, copy, NULL, true);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream cu_stream)
{
	return copy_3d(__func__, copy, cu_stream, false);
}

static CUresult copy_3d_peer(const char *call, const CUDA_MEMCPY3D_PEER *copy, CUstream cu_stream,
			     bool synchronous)
{
	struct soft_context *context = NULL;
	if (!copy || copy->srcLOD || copy->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	struct box box = {.width_B = copy->WidthInBytes,
			  .height = copy->Height, .depth = copy->Depth};
	const struct place to = {copy->dstMemoryType, copy->dstHost, copy->dstDevice,
				 copy->dstArray, copy->dstXInBytes, copy->dstY, copy->dstZ,
				 copy->dstPitch, copy->dstHeight};
	const struct place from = {copy->srcMemoryType, copy->srcHost, copy->srcDevice,
				   copy->srcArray, copy->srcXInBytes, copy->srcY, copy->srcZ,
				   copy->srcPitch, copy->srcHeight};
	CUresult result = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (result != CUDA_SUCCESS)
		return soft_turned_back(result);
	result = places_to_box_locked(&box, &to, &from);
	if (result == CUDA_SUCCESS)
		result = copy_peer_locked(context, &box, copy->dstContext, copy->srcContext,
					  cu_stream, synchronous);
	return soft_leave(call, result);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	return copy_3d_peer(__func__, copy, NULL, true);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream cu_stream)
{
	return copy_3d_peer(__func__, copy, cu_stream, false);
}
