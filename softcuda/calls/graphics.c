/* The calls that share objects of OpenGL.  As with NVIDIA's driver, the OpenGL context has to be current in the thread
 * that calls ("CUDA C++ Programming Guide", OpenGL Interoperability). */
#include "config.h"

#include "softcuda/calls/graphics.h"

#include "base/log.h"
#include "softcuda/calls/array.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/egl_image.h"
#include "softcuda/driver/graphics.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"

#include <stdlib.h>
#include <string.h>

/* CU_GL_DEVICE_LIST_ALL, _CURRENT_FRAME and _NEXT_FRAME. */
enum { LIST_ALL = 1, LIST_CURRENT_FRAME = 2, LIST_NEXT_FRAME = 3 };

/* Every device can share with every context; a frame is drawn by the first. */
static CUresult devices_get(unsigned *count_out, CUdevice *devices_out, unsigned capacity, unsigned list)
{
	struct opengl gl;
	if (!count_out || (capacity && !devices_out) || list < LIST_ALL || list > LIST_NEXT_FRAME)
		return CUDA_ERROR_INVALID_VALUE;
	const CUresult result = soft_graphics_context(&gl);
	if (result != CUDA_SUCCESS)
		return result;
	*count_out = list == LIST_ALL ? soft_driver.device_count : 1;
	for (unsigned i = 0; i < *count_out && i < capacity; i++)
		devices_out[i] = (CUdevice)i;
	return CUDA_SUCCESS;
}

CUresult cuGLGetDevices_v2(unsigned int *count_out, CUdevice *devices_out, unsigned int capacity,
			   unsigned int list)
{
	struct soft_context *context = NULL;
	CUresult result = soft_enter(__func__, SOFT_NEED_INIT, &context);
	if (result != CUDA_SUCCESS)
		return soft_turned_back(result);
	lock_drop(&soft_driver.lock);
	result = devices_get(count_out, devices_out, capacity, list);
	lock_take(&soft_driver.lock);
	return soft_leave(__func__, result);
}

/* --- registration ---------- */

/* The object exists and can be shared; called without the lock. */
static CUresult buffer_check(unsigned name)
{
	struct opengl gl;
	const CUresult result = soft_graphics_context(&gl);
	if (result != CUDA_SUCCESS)
		return result;
	return opengl_buffer_B(&gl, name) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult image_check(unsigned name, unsigned target)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	struct opengl_image image;
	switch (target) {
	case OPENGL_TEXTURE_2D:
	case OPENGL_TEXTURE_RECTANGLE:
	case OPENGL_TEXTURE_CUBE_MAP:
	case OPENGL_TEXTURE_3D:
	case OPENGL_TEXTURE_2D_ARRAY:
	case OPENGL_RENDERBUFFER:
		return soft_graphics_part_describe(target, name, 0, 0, &descriptor, &image);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult register_locked(struct soft_context *context, CUgraphicsResource *resource_out,
				unsigned name, unsigned target, unsigned flags)
{
	const unsigned access = CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY | CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;
	const unsigned known = access | (target ? CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST |
						  CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER : 0);
	if (!resource_out || flags & ~known || (flags & access) == access)
		return CUDA_ERROR_INVALID_VALUE;
	/* The context stays, while the lock is not held. */
	context->refs++;
	lock_drop(&soft_driver.lock);
	CUresult result = target ? image_check(name, target) : buffer_check(name);
	lock_take(&soft_driver.lock);
	struct soft_graphics *resource = NULL;
	if (result == CUDA_SUCCESS && !context->alive)
		result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (result == CUDA_SUCCESS) {
		resource = soft_graphics_create_locked(context, name, target, flags);
		result = resource ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (resource)
		*resource_out = resource->handle;
	soft_context_unref_locked(context);
	return result;
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *resource_out, unsigned int buffer, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, register_locked(context, resource_out, buffer, 0, flags));
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *resource_out, unsigned int image,
				   unsigned int target, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  target ? register_locked(context, resource_out, image, target, flags)
			 : CUDA_ERROR_INVALID_VALUE);
}

/* The array goes before the texture. */
static void egl_end_locked(struct soft_graphics *resource)
{
	struct soft_graphics_part gone = *list_entry(resource->parts.next, struct soft_graphics_part, link);
	soft_graphics_end_locked(resource);
	lock_drop(&soft_driver.lock);
	soft_egl_end(&gone);
	lock_take(&soft_driver.lock);
}

static CUresult unregister_locked(CUgraphicsResource cu_resource)
{
	struct soft_graphics *resource;
	CUresult result = soft_graphics_find_locked(cu_resource, &resource);
	if (result != CUDA_SUCCESS)
		return result;
	/* A copy that runs uses the part of an EGL image. */
	if (!resource->egl) {
		soft_graphics_end_locked(resource);
		return CUDA_SUCCESS;
	}
	soft_schedule_quiet_locked();
	result = soft_graphics_find_locked(cu_resource, &resource);
	if (result == CUDA_SUCCESS)
		egl_end_locked(resource);
	return result;
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource cu_resource)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, unregister_locked(cu_resource));
}

static CUresult map_flags_locked(CUgraphicsResource cu_resource, unsigned flags)
{
	struct soft_graphics *resource;
	CUresult result = soft_graphics_find_locked(cu_resource, &resource);
	if (result == CUDA_SUCCESS && resource->mapped)
		result = CUDA_ERROR_ALREADY_MAPPED;
	if (result == CUDA_SUCCESS && flags > CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		resource->flags = flags;
	return result;
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource cu_resource, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, map_flags_locked(cu_resource, flags));
}

/* Gives the part an array, and the resource the part. */
static CUresult part_place_locked(struct soft_graphics *resource, struct soft_graphics_part *part,
				  const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	CUresult result = soft_array_create_locked(resource->context, &part->cu_array, descriptor);
	if (result == CUDA_SUCCESS)
		result = soft_array_find_locked(part->cu_array, &part->array);
	if (result != CUDA_SUCCESS)
		return result;
	part->array->refs++;
	list_append(&resource->parts, &part->link);
	return CUDA_SUCCESS;
}

/* --- EGL images ---------- */

static void egl_part_free_locked(struct soft_graphics_part *part)
{
	lock_drop(&soft_driver.lock);
	if (part && part->egl_texture)
		soft_egl_end(part);
	free(part);
	lock_take(&soft_driver.lock);
}

/* Gives the part an array, and the resource the part; frees the part otherwise. */
static CUresult egl_part_place_locked(struct soft_graphics *resource, struct soft_graphics_part *part,
				      const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	const CUresult result = part_place_locked(resource, part, descriptor);
	if (result != CUDA_SUCCESS) {
		egl_part_free_locked(part);
		return result;
	}
	part->array->allocation->egl = part;
	soft_memory_written(part->array->allocation->start, part->array->allocation->size_B);
	return CUDA_SUCCESS;
}

static CUresult egl_register_locked(struct soft_context *context, CUgraphicsResource *resource_out, void *image,
				    unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	struct soft_graphics *resource = NULL;
	if (!resource_out || flags > CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD)
		return CUDA_ERROR_INVALID_VALUE;
	context->refs++;
	lock_drop(&soft_driver.lock);
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	struct soft_graphics_part *part = calloc(1, sizeof(*part));
	if (part) {
		part->egl_image = image;
		result = soft_egl_begin(part, &descriptor);
	}
	lock_take(&soft_driver.lock);
	if (result == CUDA_SUCCESS && !context->alive)
		result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (result == CUDA_SUCCESS)
		resource = soft_graphics_create_locked(context, 0, 0, flags);
	if (resource) {
		resource->egl = true;
		result = egl_part_place_locked(resource, part, &descriptor);
		if (result == CUDA_SUCCESS)
			*resource_out = resource->handle;
		else
			soft_graphics_end_locked(resource);
	} else {
		egl_part_free_locked(part);
		result = result == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : result;
	}
	soft_context_unref_locked(context);
	return result;
}

CUresult cuGraphicsEGLRegisterImage(CUgraphicsResource *resource_out, void *image, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, egl_register_locked(context, resource_out, image, flags));
}

/* As NVIDIA's driver names them. */
static int egl_color(unsigned channels)
{
	return channels == 4 ? 0x0E : channels == 2 ? 0x11 : 0x52;
}

static CUresult egl_frame_locked(struct soft_egl_frame *frame_out, CUgraphicsResource cu_resource, unsigned index,
				 unsigned level)
{
	struct soft_graphics *resource;
	CUresult result = soft_graphics_find_locked(cu_resource, &resource);
	if (result != CUDA_SUCCESS)
		return result;
	if (!frame_out || !resource->egl || index || level)
		return CUDA_ERROR_INVALID_VALUE;
	const struct soft_graphics_part *part = list_entry(resource->parts.next, struct soft_graphics_part, link);
	const CUDA_ARRAY3D_DESCRIPTOR *descriptor = &part->array->descriptor;
	memset(frame_out, 0, sizeof(*frame_out));
	frame_out->planes.arrays[0] = part->cu_array;
	frame_out->width = (unsigned)descriptor->Width;
	frame_out->height = (unsigned)descriptor->Height;
	frame_out->plane_count = 1;
	frame_out->channels = descriptor->NumChannels;
	frame_out->color = egl_color(descriptor->NumChannels);
	frame_out->format = descriptor->Format;
	return CUDA_SUCCESS;
}

CUresult cuGraphicsResourceGetMappedEglFrame(struct soft_egl_frame *frame_out, CUgraphicsResource cu_resource,
					     unsigned int index, unsigned int level)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, egl_frame_locked(frame_out, cu_resource, index, level));
}

/* --- map ---------- */

/* While a resource is busy the lock may be dropped; it and its memory stay. */
static void busy_begin_locked(struct soft_graphics *resource, struct soft_allocation *allocation)
{
	resource->busy = true;
	resource->refs++;
	if (allocation)
		soft_memory_pin_locked(allocation);
	lock_drop(&soft_driver.lock);
}

/* CUDA_ERROR_CONTEXT_IS_DESTROYED: that has happened meanwhile.  The caller still has its reference. */
static CUresult busy_end_locked(struct soft_graphics *resource, struct soft_allocation *allocation)
{
	lock_take(&soft_driver.lock);
	resource->busy = false;
	if (allocation)
		soft_memory_unpin_locked(allocation);
	return resource->context ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* The size of the data store now; CUDA_ERROR_INVALID_HANDLE: there is none. */
static CUresult buffer_size_locked(struct soft_graphics *resource, uint64_t *size_B_out)
{
	struct opengl gl;
	busy_begin_locked(resource, NULL);
	CUresult result = soft_graphics_context(&gl);
	if (result == CUDA_SUCCESS)
		*size_B_out = opengl_buffer_B(&gl, resource->name);
	if (result == CUDA_SUCCESS && !*size_B_out)
		result = CUDA_ERROR_INVALID_HANDLE;
	const CUresult ended = busy_end_locked(resource, NULL);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

static CUresult buffer_map_locked(struct soft_graphics *resource)
{
	uint64_t size_B;
	CUresult result = buffer_size_locked(resource, &size_B);
	if (result == CUDA_SUCCESS)
		result = soft_memory_alloc_locked(resource->context, SOFT_MEMORY_DEVICE, size_B, NULL,
						  &resource->allocation);
	if (result != CUDA_SUCCESS)
		return result;
	struct soft_allocation *allocation = resource->allocation;
	busy_begin_locked(resource, allocation);
	result = soft_graphics_buffer_read(resource->name, (void *)(uintptr_t)allocation->start, size_B);
	soft_memory_written(allocation->start, size_B);
	const CUresult ended = busy_end_locked(resource, allocation);
	if (ended == CUDA_SUCCESS && result != CUDA_SUCCESS)
		soft_graphics_empty_locked(resource);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

static CUresult image_map_locked(struct soft_graphics *resource)
{
	struct opengl gl;
	busy_begin_locked(resource, NULL);
	CUresult result = soft_graphics_context(&gl);
	const CUresult ended = busy_end_locked(resource, NULL);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

/* A buffer is read now; parts of images, when they are asked for. */
static CUresult map_one_locked(struct soft_graphics *resource)
{
	const CUresult result = resource->target ? image_map_locked(resource) : buffer_map_locked(resource);
	if (result == CUDA_SUCCESS)
		resource->mapped = true;
	return result;
}

static CUresult resources_check_locked(unsigned count, const CUgraphicsResource *cu_resources, bool mapped)
{
	struct soft_graphics *resource;
	CUresult result = count && !cu_resources ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
		result = soft_graphics_find_locked(cu_resources[i], &resource);
		if (result == CUDA_SUCCESS && resource->egl)
			result = CUDA_ERROR_UNKNOWN;
		if (result == CUDA_SUCCESS && resource->mapped != mapped)
			result = mapped ? CUDA_ERROR_NOT_MAPPED : CUDA_ERROR_ALREADY_MAPPED;
	}
	return result;
}

static CUresult map_locked(struct soft_context *context, unsigned count,
			   const CUgraphicsResource *cu_resources, CUstream cu_stream)
{
	struct soft_stream *stream;
	struct soft_graphics *resource;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		result = resources_check_locked(count, cu_resources, false);
	unsigned done = 0;
	for (; done < count && result == CUDA_SUCCESS; done++) {
		result = soft_graphics_find_locked(cu_resources[done], &resource);
		if (result == CUDA_SUCCESS && resource->mapped)
			result = CUDA_ERROR_ALREADY_MAPPED;
		if (result == CUDA_SUCCESS)
			result = map_one_locked(resource);
		if (result != CUDA_SUCCESS)
			break;
	}
	/* All are mapped or none. */
	while (result != CUDA_SUCCESS && done-- > 0)
		if (soft_graphics_find_locked(cu_resources[done], &resource) == CUDA_SUCCESS)
			soft_graphics_empty_locked(resource);
	return result;
}

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *cu_resources, CUstream cu_stream)
{
	SOFT_STREAM_CALL(cu_stream, map_locked(context, count, cu_resources, cu_stream));
}

static CUresult pointer_locked(CUdeviceptr *address_out, size_t *size_B_out, CUgraphicsResource cu_resource)
{
	struct soft_graphics *resource;
	CUresult result = soft_graphics_find_locked(cu_resource, &resource);
	if (result != CUDA_SUCCESS)
		return result;
	if (!resource->mapped)
		return CUDA_ERROR_NOT_MAPPED;
	if (resource->target)
		return CUDA_ERROR_NOT_MAPPED_AS_POINTER;
	if (address_out)
		*address_out = resource->allocation->start;
	if (size_B_out)
		*size_B_out = resource->allocation->size_B;
	return CUDA_SUCCESS;
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *address_out, size_t *size_B_out,
					       CUgraphicsResource cu_resource)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, pointer_locked(address_out, size_B_out, cu_resource));
}

/* Makes the part's array and reads its texels. */
static CUresult part_fill_locked(struct soft_graphics *resource, struct soft_graphics_part *part,
				 const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	CUresult result = part_place_locked(resource, part, descriptor);
	if (result != CUDA_SUCCESS) {
		free(part);
		return result;
	}
	struct soft_allocation *allocation = part->array->allocation;
	busy_begin_locked(resource, allocation);
	result = soft_graphics_part_read(resource, part, (void *)(uintptr_t)allocation->start);
	soft_memory_written(allocation->start, allocation->size_B);
	const CUresult ended = busy_end_locked(resource, allocation);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

static struct soft_graphics_part *part_find(struct soft_graphics *resource, unsigned index, unsigned level)
{
	struct list *link, *next;
	list_for_each(link, next, &resource->parts) {
		struct soft_graphics_part *part = list_entry(link, struct soft_graphics_part, link);
		if (part->index == index && part->level == level)
			return part;
	}
	return NULL;
}

static CUresult part_make_locked(struct soft_graphics *resource, unsigned index, unsigned level,
				 CUarray *cu_array_out)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	struct soft_graphics_part *part = calloc(1, sizeof(*part));
	if (!part)
		return CUDA_ERROR_OUT_OF_MEMORY;
	part->index = index;
	part->level = level;
	busy_begin_locked(resource, NULL);
	CUresult result = soft_graphics_part_describe(resource->target, resource->name, index, level,
						      &descriptor, &part->image);
	const CUresult ended = busy_end_locked(resource, NULL);
	result = ended != CUDA_SUCCESS ? ended : result;
	if (result == CUDA_SUCCESS) {
		if (resource->flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST)
			descriptor.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
		result = part_fill_locked(resource, part, &descriptor);
		if (result == CUDA_SUCCESS)
			*cu_array_out = part->cu_array;
	} else {
		free(part);
	}
	soft_graphics_unref_locked(resource);
	return result;
}

static CUresult array_locked(CUarray *cu_array_out, CUgraphicsResource cu_resource, unsigned index,
			     unsigned level)
{
	struct soft_graphics *resource;
	CUresult result = soft_graphics_find_locked(cu_resource, &resource);
	if (result != CUDA_SUCCESS)
		return result;
	if (!cu_array_out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!resource->mapped)
		return CUDA_ERROR_NOT_MAPPED;
	if (!resource->target)
		return CUDA_ERROR_NOT_MAPPED_AS_ARRAY;
	const struct soft_graphics_part *part = part_find(resource, index, level);
	if (!part)
		return part_make_locked(resource, index, level, cu_array_out);
	*cu_array_out = part->cu_array;
	return CUDA_SUCCESS;
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray *cu_array_out, CUgraphicsResource cu_resource,
					     unsigned int index, unsigned int level)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, array_locked(cu_array_out, cu_resource, index, level));
}

/* --- unmap ---------- */

static CUresult buffer_write_locked(struct soft_graphics *resource)
{
	struct soft_allocation *allocation = resource->allocation;
	busy_begin_locked(resource, allocation);
	CUresult result = soft_graphics_buffer_write(resource->name, (void *)(uintptr_t)allocation->start,
						     allocation->size_B);
	const CUresult ended = busy_end_locked(resource, allocation);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

static CUresult part_write_locked(struct soft_graphics *resource, struct soft_graphics_part *part)
{
	struct soft_allocation *allocation = part->array->allocation;
	busy_begin_locked(resource, allocation);
	CUresult result = soft_graphics_part_write(resource, part, (void *)(uintptr_t)allocation->start);
	const CUresult ended = busy_end_locked(resource, allocation);
	soft_graphics_unref_locked(resource);
	return ended != CUDA_SUCCESS ? ended : result;
}

static CUresult write_back_locked(struct soft_graphics *resource)
{
	struct list *link, *next;
	CUresult result = CUDA_SUCCESS;
	if (resource->flags & CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY)
		return CUDA_SUCCESS;
	if (resource->allocation)
		result = buffer_write_locked(resource);
	list_for_each(link, next, &resource->parts) {
		if (result != CUDA_SUCCESS)
			break;
		result = part_write_locked(resource, list_entry(link, struct soft_graphics_part, link));
	}
	return result;
}

/* "Any CUDA work issued in stream before cuGraphicsUnmapResources() will complete before any subsequently issued
 * graphics work begins." */
static CUresult unmap_locked(struct soft_context *context, unsigned count,
			     const CUgraphicsResource *cu_resources, CUstream cu_stream)
{
	struct soft_stream *stream;
	struct opengl gl;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	if (result == CUDA_SUCCESS)
		result = resources_check_locked(count, cu_resources, true);
	if (result != CUDA_SUCCESS)
		return result;
	lock_drop(&soft_driver.lock);
	result = soft_graphics_context(&gl);
	lock_take(&soft_driver.lock);
	if (result != CUDA_SUCCESS)
		return result;
	result = soft_stream_wait_locked(stream);
	for (unsigned i = 0; i < count; i++) {
		struct soft_graphics *resource;
		if (soft_graphics_find_locked(cu_resources[i], &resource) != CUDA_SUCCESS)
			continue;
		resource->refs++;
		if (result == CUDA_SUCCESS)
			result = write_back_locked(resource);
		if (resource->context)
			soft_graphics_empty_locked(resource);
		soft_graphics_unref_locked(resource);
	}
	return result;
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *cu_resources, CUstream cu_stream)
{
	SOFT_STREAM_CALL(cu_stream, unmap_locked(context, count, cu_resources, cu_stream));
}
