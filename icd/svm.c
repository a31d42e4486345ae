#include "config.h"

#include "icd/svm.h"

#include "icd/mem.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <time.h>

struct ocl_svm_entry {
	cl_mem mem;                      /* the application's share of it */
	struct ocl_svm svm;
};

int ocl_svm_table_init(struct ocl_svm_table *table)
{
	ocl_users_init(&table->indirect);
	atomic_init(&table->waiting, 0);
	return lock_init(&table->lock, LOCK_RANK_CONTEXT);
}

/* Allocations hold their context: there are none left. */
void ocl_svm_table_finish(struct ocl_svm_table *table)
{
	spans_finish(&table->spans);
	ocl_users_finish(&table->indirect);
	lock_finish(&table->lock);
}

/* --- what devices can -------------------------------------------------------------------- */

/* Without managed memory for both sides at once there is pinned memory: the host's, seen by
 * every device; but then a device's atomics are not the host's. */
cl_device_svm_capabilities ocl_svm_capabilities(const struct gpu_caps *caps)
{
	cl_device_svm_capabilities can = 0;
	if (caps->can_map_host)
		can = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	if (can && caps->concurrent_managed)
		can |= CL_DEVICE_SVM_ATOMICS;
	if (can && caps->concurrent_managed && caps->pageable_access)
		can |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	return can;
}

cl_device_svm_capabilities ocl_svm_common(const struct _cl_context *context)
{
	cl_device_svm_capabilities can = ocl_svm_capabilities(context->devices[0]->caps);
	for (cl_uint i = 1; i < context->device_count; i++)
		can &= ocl_svm_capabilities(context->devices[i]->caps);
	return can;
}

cl_device_svm_capabilities ocl_svm_any(const struct _cl_context *context)
{
	cl_device_svm_capabilities can = 0;
	for (cl_uint i = 0; i < context->device_count; i++)
		can |= ocl_svm_capabilities(context->devices[i]->caps);
	return can;
}

/* Over the bus a device's atomics are its own alone; those on managed memory are the
 * system's, and every device sees it. */
cl_bitfield ocl_usm_capabilities(const struct gpu_caps *caps, cl_device_info name)
{
	const cl_bitfield own = CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL |
				CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
	const cl_bitfield pinned = own | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
	const cl_bitfield all = pinned | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
	if (!caps->can_map_host)
		return name == CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL ? own : 0;
	switch (name) {
	case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
		return pinned;
	case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
		return own;
	case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
		return caps->concurrent_managed && caps->pageable_access ? all : 0;
	default:
		return caps->concurrent_managed ? all : pinned;
	}
}

/* --- the table ------------------------------------------------------------------------------ */

static struct ocl_svm_entry *find_locked(const struct ocl_svm_table *table, const void *pointer)
{
	const struct span *span = spans_find(&table->spans, (uintptr_t)pointer);
	return span ? span->owner : NULL;
}

cl_mem ocl_svm_take(cl_context context, const void *pointer, bool usm)
{
	struct ocl_svm_table *table = &context->svm;
	cl_mem mem = NULL;
	lock_take(&table->lock);
	struct ocl_svm_entry *entry = find_locked(table, pointer);
	if (entry && entry->svm.pointer == pointer && usm == (entry->svm.kind != OCL_SVM_SVM)) {
		mem = entry->mem;
		spans_remove_owner(&table->spans, entry);
		free(entry);
	}
	lock_drop(&table->lock);
	return mem;
}

cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out)
{
	cl_mem mem = NULL;
	lock_take(&context->svm.lock);
	const struct ocl_svm_entry *entry = find_locked(&context->svm, pointer);
	if (entry) {
		mem = entry->mem;
		object_ref(mem);
		*offset_B_out = (uintptr_t)pointer - (uintptr_t)entry->svm.pointer;
	}
	lock_drop(&context->svm.lock);
	return mem;
}

bool ocl_svm_describe(cl_context context, const void *pointer, struct ocl_svm *svm_out)
{
	lock_take(&context->svm.lock);
	const struct ocl_svm_entry *entry = find_locked(&context->svm, pointer);
	if (entry)
		*svm_out = entry->svm;
	lock_drop(&context->svm.lock);
	return entry;
}

/* --- allocations ------------------------------------------------------------------------------ */

/* Where one may be.  What must have the host's atomics too is managed or not at all. */
static unsigned places_of(const struct _cl_context *context, const struct ocl_svm *svm)
{
	switch (svm->kind) {
	case OCL_SVM_HOST:
		return OCL_PLACE_PINNED;
	case OCL_SVM_DEVICE:
		return OCL_PLACE_DEVICE;
	case OCL_SVM_SHARED:
		return ocl_svm_common(context) & CL_DEVICE_SVM_ATOMICS ? OCL_PLACE_MANAGED
								       : OCL_PLACE_PINNED;
	default:
		return svm->flags & CL_MEM_SVM_ATOMICS ? OCL_PLACE_MANAGED
						       : OCL_PLACE_MANAGED | OCL_PLACE_PINNED;
	}
}

static cl_int storage_create(cl_context context, const struct ocl_svm *svm,
			     struct ocl_storage **storage_out)
{
	const bool coarse = svm->kind == OCL_SVM_SVM &&
			    !(svm->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER);
	const int owner = svm->device ? ocl_context_device_index(context, svm->device) : 0;
	cl_int error = ocl_storage_create_shared(context, svm->size_B, places_of(context, svm),
						 (uint32_t)owner, coarse, storage_out);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
}

static cl_int enter(cl_context context, cl_mem mem, const struct ocl_svm *svm)
{
	const uintptr_t start = (uintptr_t)svm->pointer;
	struct ocl_svm_entry *entry = malloc(sizeof(*entry));
	if (!entry)
		return CL_OUT_OF_HOST_MEMORY;
	*entry = (struct ocl_svm_entry){mem, *svm};
	lock_take(&context->svm.lock);
	const bool entered = spans_insert(&context->svm.spans, start, start + svm->size_B, entry);
	lock_drop(&context->svm.lock);
	if (!entered)
		free(entry);
	return entered ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int ocl_svm_alloc(cl_context context, struct ocl_svm *svm)
{
	struct ocl_storage *storage;
	cl_int error = storage_create(context, svm, &storage);
	if (error)
		return error;
	cl_mem mem = ocl_mem_create_svm(context, CL_MEM_READ_WRITE, storage);
	if (!mem) {
		ocl_storage_destroy(storage);
		return CL_OUT_OF_HOST_MEMORY;
	}
	svm->pointer = mem->host_pointer;
	error = enter(context, mem, svm);
	if (error)
		(void)object_release(mem, &ocl_mem_type);
	return error;
}

void ocl_svm_free(cl_context context, const void *pointer)
{
	cl_mem mem = ocl_svm_take(context, pointer, false);
	if (mem)
		(void)object_release(mem, &ocl_mem_type);
}

/* Commands in line hold what they use, and are counted when they may use anything.  Those
 * of command buffers hold it for as long as the application keeps the buffer. */
static void wait_submitted(cl_context context, const struct _cl_mem *mem)
{
	enum { SHORTEST_NS = 20000, LONGEST_NS = 1000000 };
	struct timespec pause = {0, SHORTEST_NS};
	while (atomic_load(&mem->base.refs) > 1 + atomic_load(&mem->recorded) ||
	       atomic_load(&context->svm.waiting)) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LONGEST_NS)
			pause.tv_nsec *= 2;
	}
}

void ocl_svm_wait(cl_context context, cl_mem mem)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	wait_submitted(context, mem);
	ocl_storage_collect(mem->storage, &witnesses);
	ocl_users_collect(&context->svm.indirect, &witnesses);
	/* What a lost device does not finish is not waited for. */
	for (uint32_t i = 0; i < witnesses.count; i++)
		(void)gpu_event_wait(witnesses.events[i]);
	ocl_witnesses_finish(&witnesses);
}
