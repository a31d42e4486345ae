/* Shared virtual memory: allocations at one address for the host and all devices.
 *
 * An allocation is a buffer without a handle over shared storage (residency.h), so that
 * commands use, keep and free it as they do every buffer.  A table in the context finds
 * it by its addresses.  What is in use by commands when it is freed goes after them.
 *
 * Memory that was allocated with fine grain, and all that had to be pinned, is used by
 * both sides at any time; coarse-grained managed memory is moved as a whole.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SVM_H
#define CULVERT_ICD_SVM_H

#include "base/lock.h"

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_caps;
struct ocl_svm_entry;

struct ocl_svm_table {
	struct lock lock;                /* guards the rest */
	struct ocl_svm_entry *entries;   /* by address; owned */
	size_t count, capacity;
};

/* Largest alignment that can be asked for: that of the largest data type. */
enum { OCL_SVM_ALIGN_B = 128 };

int ocl_svm_table_init(struct ocl_svm_table *table);
void ocl_svm_table_finish(struct ocl_svm_table *table);

cl_device_svm_capabilities ocl_svm_capabilities(const struct gpu_caps *caps);
/* What all devices of context can, and what one of them can. */
cl_device_svm_capabilities ocl_svm_common(const struct _cl_context *context);
cl_device_svm_capabilities ocl_svm_any(const struct _cl_context *context);

/* clSVMAlloc, with checked flags and size.  NULL: there is none. */
void *ocl_svm_alloc(cl_context context, cl_svm_mem_flags flags, size_t size_B);
/* Does nothing for what is not the start of an allocation. */
void ocl_svm_free(cl_context context, const void *pointer);

/* The allocation that pointer is in; the caller gets a reference. NULL: it is in none. */
cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out);

#endif
