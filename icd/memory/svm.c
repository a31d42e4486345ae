#include "config.h"

#include "icd/memory/svm.h"

#include "icd/memory/mem.h"

#include <stdlib.h>
#include <time.h>

/* --- what devices can -------------------------------------------------------------------- */

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

/* --- allocations ------------------------------------------------------------------------------ */

/* The kinds of memory that the allocation may use.  Atomics together with the host need managed memory. */
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
	const uint32_t owner = svm->device ? ocl_context_place(context, svm->device) : 0;
	cl_int error = ocl_storage_create_shared(context, svm->size_B, places_of(context, svm),
						 owner, svm->align_B, coarse, storage_out);
	return error == CL_MEM_OBJECT_ALLOCATION_FAILURE ? CL_OUT_OF_RESOURCES : error;
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
	error = ocl_svm_enter(context, mem, svm);
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

/* Waits until all commands that use the allocation are submitted.  A deferred command has a reference to what it
 * uses, and is counted in waiting if it may use any USM.  Recorded commands are not waited for: they keep their
 * references as long as the command buffer exists. */
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
	ocl_stream_set_collect(&context->svm.indirect, &witnesses);
	/* An error means that the device is lost; its work need not be waited for. */
	for (uint32_t i = 0; i < witnesses.count; i++)
		(void)gpu_event_wait(witnesses.events[i]);
	ocl_witnesses_finish(&witnesses);
}
