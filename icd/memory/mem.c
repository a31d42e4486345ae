#include "config.h"

#include "icd/memory/mem.h"

#include "base/cancel.h"
#include "base/zeroed.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/gl_object.h"
#include "icd/memory/image.h"
#include "icd/memory/svm.h"
#include "icd/object/properties.h"
#include "icd/thread/complete.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct mem_destructor {
	struct mem_destructor *next;
	void (CL_CALLBACK *notify)(cl_mem, void *);
	void *data;
};

_Static_assert(offsetof(struct _cl_mem, base) == 0, "a handle starts with its object");

cl_int ocl_mem_check(cl_mem mem, const struct _cl_context *context)
{
	cl_int error = object_check(mem, &ocl_mem_type);
	if (error)
		return error;
	return mem->context == context && ocl_mem_is_buffer(mem) ? CL_SUCCESS
								 : CL_INVALID_MEM_OBJECT;
}

/* Allocates a struct, or takes a spare one.  All fields are zero except base and life, which may still be read by
 * kernels that have a name of an earlier object (mem.h). */
static cl_mem mem_alloc(cl_context context)
{
	cl_mem mem = ocl_mem_spare_take(context);
	if (!mem)
		return zeroed(sizeof(*mem));
	const size_t kept_B = offsetof(struct _cl_mem, context);
	memset((char *)mem + kept_B, 0, sizeof(*mem) - kept_B);
	return mem;
}

size_t ocl_mem_offset_B(const struct _cl_mem *mem)
{
	return mem->parent && !mem->image ? mem->origin_B - mem->parent->origin_B : 0;
}

bool ocl_mem_uses_svm(const struct _cl_mem *mem)
{
	while (mem->parent)
		mem = mem->parent;
	return mem->svm;
}

/* --- creation -------------------------------------------------------------------- */

static struct _cl_mem *mem_new(cl_context context, cl_mem_flags flags, size_t size_B)
{
	struct _cl_mem *mem = mem_alloc(context);
	if (!mem)
		return NULL;
	object_init(&mem->base, &ocl_mem_type);
	mem->type = CL_MEM_OBJECT_BUFFER;
	mem->flags = flags;
	mem->size_B = size_B;
	atomic_init(&mem->holders, 1);
	object_ref(context);
	mem->context = context;
	return mem;
}

static enum ocl_content content_of(cl_mem_flags flags)
{
	if (flags & CL_MEM_USE_HOST_PTR)
		return OCL_CONTENT_SHARE;
	return flags & CL_MEM_COPY_HOST_PTR ? OCL_CONTENT_COPY : OCL_CONTENT_UNDEFINED;
}

/* OpenCL 3.0 API, 5.2.1: a buffer with CL_MEM_USE_HOST_PTR in memory from clSVMAlloc uses the allocation's storage.
 * CL_INVALID_BUFFER_SIZE when the buffer is longer than the allocation, also with CL_MEM_COPY_HOST_PTR.  USM counts
 * as ordinary host memory, except that of a device (cl_intel_unified_shared_memory does not say). */
static cl_int host_memory_take(struct _cl_mem *mem, const void *host_pointer)
{
	struct ocl_svm svm;
	if (!ocl_svm_describe(mem->context, host_pointer, &svm))
		return CL_SUCCESS;
	if (svm.kind == OCL_SVM_DEVICE)
		return CL_INVALID_HOST_PTR;
	if (svm.kind != OCL_SVM_SVM)
		return CL_SUCCESS;
	if (mem->size_B > svm.size_B - ((const char *)host_pointer - (const char *)svm.pointer))
		return CL_INVALID_BUFFER_SIZE;
	if (!(mem->flags & CL_MEM_USE_HOST_PTR))
		return CL_SUCCESS;
	mem->svm = ocl_svm_find(mem->context, host_pointer, &mem->origin_B);
	if (!mem->svm)
		return CL_INVALID_HOST_PTR; /* another thread has freed it */
	mem->storage = mem->svm->storage;
	return CL_SUCCESS;
}

cl_mem ocl_mem_create_svm(cl_context context, cl_mem_flags flags, struct ocl_storage *storage)
{
	struct _cl_mem *mem = mem_new(context, flags, storage->size_B);
	if (!mem)
		return NULL;
	mem->storage = storage;
	mem->host_pointer = storage->shadow;
	return mem;
}

/* Makes the storage from memory that is imported, or that can be exported. */
static cl_int external_take(struct _cl_mem *mem, const struct ocl_mem_properties *properties)
{
	cl_device_id device = mem->context->devices[properties->device];
	struct gpu_external *external;
	gpu_address address;
	cl_int error = properties->is_exportable
			       ? gpu_external_create(device->gpu, properties->exported, mem->size_B,
						     &external, &address)
			       : gpu_external_import(device->gpu, &properties->handle, mem->size_B,
						     &external, &address);
	if (error)
		return error;
	error = ocl_storage_adopt(mem->context, mem->size_B, ocl_context_place(mem->context, device), address, external,
				  &mem->storage);
	if (error) {
		gpu_external_release(device->gpu, external, NULL, 0);
		return error;
	}
	mem->external_device = device;
	mem->is_exportable = properties->is_exportable;
	mem->exported = properties->exported;
	return CL_SUCCESS;
}

/* Whether the host and all devices of the context share one memory, so that both can use a buffer without a copy. */
static bool has_one_memory(const struct _cl_context *context)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (!context->devices[i]->caps->integrated || !context->devices[i]->caps->can_map_host)
			return false;
	return true;
}

/* Whether devices can use the memory in place: it has to be aligned as vectors of OpenCL C are (OpenCL C 3.0,
 * 6.3.5), and as textures are, because images may be made from the buffer. */
static bool is_aligned(const struct _cl_context *context, const void *pointer)
{
	const uint32_t texture_B = context->devices[0]->caps->texture_align_B;
	return (uintptr_t)pointer % (texture_B > OCL_STORAGE_ALIGN_B ? texture_B : OCL_STORAGE_ALIGN_B) == 0;
}

/* Makes a storage that devices and the host use in place, so that a map copies nothing; false: such memory is not
 * available, and bytes have to be copied. */
static bool storage_create_mapped(struct _cl_mem *mem, void *host_pointer)
{
	cl_context context = mem->context;
	cl_int error = CL_INVALID_VALUE;
	if (!(mem->flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR)) || !has_one_memory(context))
		return false;
	if (mem->flags & CL_MEM_ALLOC_HOST_PTR)
		error = ocl_storage_create_shared(context, mem->size_B, OCL_PLACE_PINNED, 0, 0, false, &mem->storage);
	else if (context->gpu_count == 1 && is_aligned(context, host_pointer))
		error = ocl_storage_take_host(context, mem->size_B, host_pointer, &mem->storage);
	if (!error && mem->flags & CL_MEM_COPY_HOST_PTR)
		memcpy(mem->storage->shadow, host_pointer, mem->size_B);
	return !error;
}

cl_int ocl_mem_create(cl_context context, const struct ocl_mem_properties *properties,
		      cl_mem_flags flags, size_t size_B, void *host_pointer, cl_mem *mem_out)
{
	struct _cl_mem *mem = mem_new(context, flags, size_B);
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = CL_SUCCESS;
	mem->property_count = properties->count;
	if (properties->count)
		error = ocl_properties_copy_words(properties->list, properties->count,
						  &mem->properties);
	if (!error && host_pointer)
		error = host_memory_take(mem, host_pointer);
	if (!error && ocl_mem_properties_share(properties))
		error = external_take(mem, properties);
	else if (!error && !mem->svm && !storage_create_mapped(mem, host_pointer))
		error = ocl_storage_create(context, size_B, content_of(flags), host_pointer,
					   flags & CL_MEM_ALLOC_HOST_PTR, &mem->storage);
	if (!error && !mem->svm && !ocl_mem_properties_share(properties) &&
	    flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY))
		ocl_storage_restrict(mem->storage, flags & CL_MEM_READ_ONLY, flags & CL_MEM_WRITE_ONLY);
	if (!error && properties->has_addresses) {
		error = ocl_address_enter(mem);
		mem->has_addresses = !error;
	}
	if (error) {
		object_unref(mem);
		return error;
	}
	if (flags & CL_MEM_USE_HOST_PTR)
		mem->host_pointer = host_pointer;
	*mem_out = mem;
	return CL_SUCCESS;
}

cl_int ocl_mem_create_pinned(cl_context context, cl_mem_flags flags, size_t size_B,
			     const void *from, cl_mem *mem_out)
{
	struct _cl_mem *mem = mem_new(context, flags, size_B);
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_storage_create_shared(context, size_B, OCL_PLACE_PINNED, 0, 0, false,
						 &mem->storage);
	if (error) {
		object_unref(mem);
		return error;
	}
	if (from)
		memcpy(mem->storage->shadow, from, size_B);
	*mem_out = mem;
	return CL_SUCCESS;
}

static uint64_t pipe_packets_at_B(cl_uint max_packets)
{
	const uint64_t words_B = 2 * sizeof(uint64_t) * (uint64_t)max_packets;
	return (sizeof(struct abi_pipe) + words_B + ABI_PIPE_ALIGN_B - 1) / ABI_PIPE_ALIGN_B *
	       ABI_PIPE_ALIGN_B;
}

uint64_t ocl_mem_pipe_B(cl_uint packet_B, cl_uint max_packets)
{
	return pipe_packets_at_B(max_packets) + (uint64_t)packet_B * max_packets;
}

cl_int ocl_mem_create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_B,
			   cl_uint max_packets, cl_mem *mem_out)
{
	const uint64_t size_B = ocl_mem_pipe_B(packet_B, max_packets);
	struct _cl_mem *mem = mem_new(context, flags, size_B);
	struct abi_pipe *pipe = calloc(1, size_B);
	cl_int error = mem && pipe ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	if (!error) {
		mem->type = CL_MEM_OBJECT_PIPE;
		mem->packet_B = pipe->packet_B = packet_B;
		mem->max_packets = pipe->max_packets = max_packets;
		pipe->packets_at_B = pipe_packets_at_B(max_packets);
		error = ocl_storage_create(context, size_B, OCL_CONTENT_COPY, pipe, false,
					   &mem->storage);
	}
	free(pipe);
	if (!error)
		*mem_out = mem;
	else if (mem)
		object_unref(mem);
	return error;
}

cl_int ocl_mem_create_at(cl_context context, cl_mem_flags flags, size_t size_B, uint32_t device,
			 gpu_address address, cl_mem *mem_out)
{
	struct _cl_mem *mem = mem_new(context, flags, size_B);
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_storage_adopt(context, size_B, device, address, NULL, &mem->storage);
	if (error)
		object_unref(mem);
	else
		*mem_out = mem;
	return error;
}

cl_int ocl_mem_new_image(cl_context context, const cl_mem_properties *properties,
			 cl_mem_flags flags, struct ocl_image *image, cl_mem *mem_out)
{
	struct _cl_mem *mem = mem_new(context, flags, 0);
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_properties_copy(properties, &mem->properties, &mem->property_count);
	if (error) {
		object_unref(mem);
		return error;
	}
	mem->type = image->type;
	mem->image = image;
	*mem_out = mem;
	return CL_SUCCESS;
}

void ocl_mem_share(cl_mem mem, cl_mem parent)
{
	object_ref(parent);
	mem->parent = parent;
	mem->storage = parent->storage;
	mem->origin_B = parent->origin_B;
}

cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region,
			  cl_mem *mem_out)
{
	struct _cl_mem *mem = mem_new(parent->context, flags, region->size);
	if (!mem)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_mem_share(mem, parent);
	mem->origin_B = parent->origin_B + region->origin;
	if (parent->host_pointer)
		mem->host_pointer = (unsigned char *)parent->host_pointer + region->origin;
	*mem_out = mem;
	return CL_SUCCESS;
}

cl_int ocl_mem_add_destructor(cl_mem mem, void (CL_CALLBACK *notify)(cl_mem, void *), void *data)
{
	struct mem_destructor *destructor = malloc(sizeof(*destructor));
	if (!destructor)
		return CL_OUT_OF_HOST_MEMORY;
	destructor->notify = notify;
	destructor->data = data;
	lock_take(&mem->storage->lock);
	destructor->next = mem->destructors;
	mem->destructors = destructor;
	lock_drop(&mem->storage->lock);
	return CL_SUCCESS;
}

/* --- the end ---------------------------------------------------------------------- */

static void maps_drop(struct _cl_mem *mem)
{
	struct list *link, *next;
	struct list dropped;
	list_init(&dropped);
	lock_take(&mem->storage->lock);
	list_for_each(link, next, &mem->storage->maps) {
		if (list_entry(link, struct ocl_map, link)->mem != mem)
			continue;
		list_remove(link);
		list_append(&dropped, link);
	}
	lock_drop(&mem->storage->lock);
	list_for_each(link, next, &dropped) {
		list_remove(link);
		ocl_map_unref(list_entry(link, struct ocl_map, link));
	}
}

/* Gives up the struct of an object that was destroyed; the context may keep it as a spare one. */
static void struct_leave(struct _cl_mem *mem)
{
	cl_context context = mem->context;
	ocl_mem_drop(mem);
	object_unref(context);
}

static void destructors_run(struct _cl_mem *mem)
{
	struct mem_destructor *destructor = mem->destructors;
	const int before = cancel_hold();
	while (destructor) {
		struct mem_destructor *next = destructor->next;
		destructor->notify(mem, destructor->data);
		free(destructor);
		destructor = next;
	}
	cancel_restore(before);
}

/* Destroys the object, whose bytes nothing uses any more. */
static void mem_end(struct _cl_mem *mem)
{
	/* From the callbacks on, or from the return of the release on, the application may free its memory. */
	if (!mem->parent && !mem->svm)
		ocl_storage_let_go(mem->storage);
	if (mem->destructors)
		destructors_run(mem);
	if (mem->image)
		mem->image->destroy(mem);
	if (!mem->parent && !mem->svm)
		ocl_storage_destroy(mem->storage);
	object_unref(mem->parent);
	object_unref(mem->svm);
	free(mem->properties);
	struct_leave(mem);
}

/* A memory object that is destroyed once its last transfers are complete. */
struct mem_finalizer {
	struct ocl_after after;
	struct _cl_mem *mem;
};

static void finalizer_run(struct ocl_delivery *delivery)
{
	struct mem_finalizer *finalizer = list_entry(delivery, struct mem_finalizer,
						     after.delivery);
	ocl_witnesses_finish(&finalizer->after.witnesses);
	mem_end(finalizer->mem);
	free(finalizer);
}

/* Destroys mem once all witnesses have happened; the witnesses are moved. */
static void mem_end_later(struct _cl_mem *mem, struct ocl_witnesses *witnesses)
{
	struct mem_finalizer *finalizer = calloc(1, sizeof(*finalizer));
	if (!finalizer || ocl_complete_start()) {
		free(finalizer);
		for (uint32_t i = 0; i < witnesses->count; i++)
			(void)gpu_event_wait(witnesses->events[i]);
		ocl_witnesses_finish(witnesses);
		mem_end(mem);
		return;
	}
	finalizer->mem = mem;
	finalizer->after.witnesses = *witnesses;
	finalizer->after.delivery.run = finalizer_run;
	/* Freeing pinned memory may wait for the device; a worker thread does that, so that callbacks are not
	 * delayed. */
	finalizer->after.by_worker = !mem->destructors;
	ocl_complete_after(&finalizer->after);
}

static void mem_destroy(struct object *object)
{
	struct _cl_mem *mem = (struct _cl_mem *)object;
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	if (mem->has_addresses)
		ocl_address_leave(mem);
	if (mem->gl)
		mem->gl->destroy(mem->gl);
	if (!mem->storage) {
		if (mem->image)
		mem->image->destroy(mem);
		free(mem->properties);
		struct_leave(mem);
		return;
	}
	if (atomic_load(&mem->map_count))
		maps_drop(mem);
	/* OpenCL 3.0 API, 5.5.1: the callbacks say that the host memory may be used again, and the pinned shadow is
	 * freed; both have to wait for the last transfer.  Device memory need not: it is freed in the order of the
	 * streams. */
	if (mem->destructors || (!mem->parent && !mem->svm && mem->storage->shadow_owner) ||
	    (mem->image && mem->image->shadow_owner))
		ocl_storage_collect(mem->storage, &witnesses);
	if (witnesses.count)
		mem_end_later(mem, &witnesses);
	else
		mem_end(mem);
}

const struct object_type ocl_mem_type = {"memory object", CL_INVALID_MEM_OBJECT, mem_destroy};

/* --- mapped regions ------------------------------------------------------------------ */

void ocl_map_ref(struct ocl_map *map)
{
	atomic_fetch_add_explicit(&map->refs, 1, memory_order_relaxed);
}

void ocl_map_unref(struct ocl_map *map)
{
	if (map && atomic_fetch_sub_explicit(&map->refs, 1, memory_order_acq_rel) == 1)
		free(map);
}

/* Maps of one image overlap only if their boxes do. */
static bool maps_meet(const struct ocl_map *a, const struct ocl_map *b)
{
	if (a->lo_B >= b->hi_B || b->lo_B >= a->hi_B)
		return false;
	if (!a->mem->image || a->mem != b->mem)
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (a->origin[i] >= b->origin[i] + b->region[i] ||
		    b->origin[i] >= a->origin[i] + a->region[i])
			return false;
	return true;
}

static bool map_conflicts_locked(const struct ocl_storage *storage, const struct ocl_map *map)
{
	const struct list *link;
	if (!(map->flags & OCL_MAP_WRITES))
		return false;
	for (link = storage->maps.next; link != &storage->maps; link = link->next) {
		const struct ocl_map *other = list_entry(link, struct ocl_map, link);
		if (other->flags & OCL_MAP_WRITES && maps_meet(map, other))
			return true;
	}
	return false;
}

struct ocl_map *ocl_map_new(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
			       void *shadow)
{
	struct ocl_map *map = calloc(1, sizeof(*map));
	if (!map)
		return NULL;
	list_init(&map->link);
	atomic_init(&map->refs, 2);
	atomic_init(&map->ready, false);
	map->mem = mem;
	map->flags = flags;
	map->lo_B = mem->origin_B + offset_B;
	map->hi_B = map->lo_B + size_B;
	map->pointer = shadow ? (unsigned char *)shadow + map->lo_B : NULL;
	return map;
}

cl_int ocl_map_add(struct ocl_map *map)
{
	cl_mem mem = map->mem;
	lock_take(&mem->storage->lock);
	const bool conflicts = map_conflicts_locked(mem->storage, map);
	if (!conflicts) {
		list_append(&mem->storage->maps, &map->link);
		atomic_fetch_add(&mem->map_count, 1);
	}
	lock_drop(&mem->storage->lock);
	if (conflicts)
		free(map);
	return conflicts ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int ocl_map_create(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		      struct ocl_map **map_out)
{
	void *shadow;
	cl_int error = ocl_storage_shadow(mem->storage, mem->origin_B + offset_B,
					  mem->origin_B + offset_B + size_B, &shadow);
	if (error)
		return error;
	*map_out = ocl_map_new(mem, flags, offset_B, size_B, shadow);
	if (!*map_out)
		return CL_OUT_OF_HOST_MEMORY;
	ocl_map_unref(*map_out);
	return CL_SUCCESS;
}

cl_int ocl_mem_map(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		   struct ocl_map **map_out)
{
	const uint64_t lo_B = mem->origin_B + offset_B;
	void *shadow;
	cl_int error = ocl_storage_shadow(mem->storage, lo_B, lo_B + size_B, &shadow);
	if (error)
		return error;
	struct ocl_map *map = ocl_map_new(mem, flags, offset_B, size_B, shadow);
	if (!map)
		return CL_OUT_OF_HOST_MEMORY;
	error = ocl_map_add(map);
	if (!error)
		*map_out = map;
	return error;
}

struct ocl_map *ocl_mem_unmap(cl_mem mem, const void *pointer)
{
	struct ocl_map *found = NULL;
	struct list *link, *next;
	lock_take(&mem->storage->lock);
	list_for_each(link, next, &mem->storage->maps) {
		struct ocl_map *map = list_entry(link, struct ocl_map, link);
		if (map->mem != mem || map->pointer != pointer)
			continue;
		list_remove(link);
		atomic_fetch_sub(&mem->map_count, 1);
		found = map;
		break;
	}
	lock_drop(&mem->storage->lock);
	return found;
}

void ocl_mem_unmap_undo(struct ocl_map *map)
{
	lock_take(&map->mem->storage->lock);
	list_prepend(&map->mem->storage->maps, &map->link);
	atomic_fetch_add(&map->mem->map_count, 1);
	lock_drop(&map->mem->storage->lock);
}

void ocl_mem_map_undo(struct ocl_map *map)
{
	lock_take(&map->mem->storage->lock);
	/* Another thread may have unmapped the pointer already. */
	const bool listed = !list_empty(&map->link);
	if (listed) {
		list_remove(&map->link);
		atomic_fetch_sub(&map->mem->map_count, 1);
	}
	lock_drop(&map->mem->storage->lock);
	if (listed)
		ocl_map_unref(map);
}
