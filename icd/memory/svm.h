/* Shared virtual memory: allocations at one address for the host and all devices, by
 * clSVMAlloc or cl_intel_unified_shared_memory (USM).
 *
 * An allocation is a buffer without a handle over shared storage (residency.h), so that
 * commands use, keep and free it as they do every buffer.  A table in the context finds
 * it by its addresses.  What is in use by commands when it is freed goes after them.
 *
 * Memory that was allocated with fine grain, that had to be pinned, or that is USM, is used
 * by both sides at any time; coarse-grained managed memory is moved as a whole; USM of a
 * device is not for the host.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SVM_H
#define CULVERT_ICD_SVM_H

#include "base/lock.h"
#include "base/spans.h"
#include "icd/memory/stream_set.h"

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct ocl_svm_table {
	struct lock lock;                /* guards spans */
	struct spans spans;              /* of struct ocl_svm_entry, owned */
	struct ocl_stream_set indirect;       /* kernels that may use any allocation */
	atomic_uint waiting;             /* launches of such that are in no stream yet */
};

/* The largest alignment that can be asked for.  cl_intel_unified_shared_memory 1.0 promises 128,
 * that of the largest data type; programs ask for pages, as they may elsewhere. */
enum { OCL_SVM_ALIGN_MAX_B = 2 << 20 };

/* By which call it was allocated, and where it may be. */
enum ocl_svm_kind { OCL_SVM_SVM, OCL_SVM_HOST, OCL_SVM_DEVICE, OCL_SVM_SHARED };

/* What is asked for, and what is known of an allocation afterwards. */
struct ocl_svm {
	enum ocl_svm_kind kind;
	cl_device_id device;             /* DEVICE, perhaps SHARED; else NULL */
	cl_bitfield flags;               /* SVM: cl_svm_mem_flags; else cl_mem_alloc_flags_intel */
	size_t size_B;
	cl_uint align_B;                 /* a power of two, or 0 */
	void *pointer;                   /* afterwards: its first byte */
};

int ocl_svm_table_init(struct ocl_svm_table *table);
void ocl_svm_table_finish(struct ocl_svm_table *table);

/* What all devices of context can, and what one of them can. */
cl_device_svm_capabilities ocl_svm_common(const struct _cl_context *context);
cl_device_svm_capabilities ocl_svm_any(const struct _cl_context *context);

/* Everything is checked; sets svm->pointer.  CL_OUT_OF_RESOURCES where there is no room,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_svm_alloc(cl_context context, struct ocl_svm *svm);
/* Enters an allocation, whose pointer is set, in the table; mem: the application's share of it. */
cl_int ocl_svm_enter(cl_context context, cl_mem mem, const struct ocl_svm *svm);
/* Takes the allocation that starts at pointer out of the table; NULL: there is none, or it
 * is of clSVMAlloc and usm is not what was asked for.  The application's share is the
 * caller's. */
cl_mem ocl_svm_take(cl_context context, const void *pointer, bool usm);
/* clSVMFree. */
void ocl_svm_free(cl_context context, const void *pointer);
/* Waits until no command uses mem any more, nor may use it indirectly. */
void ocl_svm_wait(cl_context context, cl_mem mem);

/* The allocation that pointer is in; the caller gets a reference. NULL: it is in none. */
cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out);
/* What it is; false: there is none. */
bool ocl_svm_describe(cl_context context, const void *pointer, struct ocl_svm *svm_out);

#endif
