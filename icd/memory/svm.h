/* Shared virtual memory: allocations that have the same address on the host and on all devices, made by clSVMAlloc,
 * cl_intel_unified_shared_memory (USM) or cl_khr_unified_svm.
 *
 * An allocation is an internal buffer with shared storage (residency.h), so that commands use, retain and release it
 * like every buffer.  A table in the context finds it by address.  If commands use an allocation when it is freed,
 * its memory is freed after them.
 *
 * The host and the devices may use fine-grained memory, pinned memory and USM at the same time; coarse-grained managed
 * memory is moved as a whole; the host cannot use USM of a device.
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
	struct spans spans;              /* their owners are struct ocl_svm_entry, which the table owns */
	struct ocl_stream_set indirect;       /* streams with kernels that may use any allocation */
	atomic_uint waiting;             /* launches of such kernels that are not in a stream yet */
};

/* The largest alignment that can be requested.  cl_intel_unified_shared_memory 1.0 requires 128, the alignment of the
 * largest data type; programs also request that of pages, which other platforms support. */
enum { OCL_SVM_ALIGN_MAX_B = 2 << 20 };

/* The memory: that of clSVMAlloc, or of clHostMemAllocINTEL and so on; clSVMAllocWithPropertiesKHR makes all. */
enum ocl_svm_kind { OCL_SVM_SVM, OCL_SVM_HOST, OCL_SVM_DEVICE, OCL_SVM_SHARED };

/* The parameters of an allocation, and its address once it is made. */
struct ocl_svm {
	enum ocl_svm_kind kind;
	cl_device_id device;             /* of OCL_SVM_DEVICE, and of OCL_SVM_SHARED if one is given; else NULL */
	bool usm;                        /* made by cl_intel_unified_shared_memory, whose calls describe and free it */
	cl_uint type;                    /* unless usm: enum ocl_svm_type */
	cl_bitfield flags;               /* OCL_SVM_SVM: cl_svm_mem_flags; usm: cl_mem_alloc_flags_intel */
	cl_bitfield access;              /* cl_svm_alloc_access_flags_khr: what the application says it will not do */
	cl_ulong properties[7];          /* cl_svm_alloc_properties_khr, as they were given, with the 0 at the end */
	cl_uint property_count;          /* 0: none were given */
	size_t size_B;
	cl_uint align_B;                 /* a power of two, or 0 */
	void *pointer;                   /* its first byte */
};

int ocl_svm_table_init(struct ocl_svm_table *table);
void ocl_svm_table_finish(struct ocl_svm_table *table);

/* The SVM capabilities that all devices of the context have, and those that at least one device has. */
cl_device_svm_capabilities ocl_svm_common(const struct _cl_context *context);
cl_device_svm_capabilities ocl_svm_any(const struct _cl_context *context);

/* Allocates memory and sets svm->pointer; the caller has checked the parameters.  CL_OUT_OF_RESOURCES without device
 * memory, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_svm_alloc(cl_context context, struct ocl_svm *svm);
/* Adds an allocation, whose pointer is set, to the table.  mem: its buffer; the table owns the application's reference
 * to it. */
cl_int ocl_svm_enter(cl_context context, cl_mem mem, const struct ocl_svm *svm);
/* Removes the allocation that starts at pointer from the table, and gives the caller the application's reference to its
 * buffer.  NULL: there is none, or the functions for which usm stands did not make it. */
cl_mem ocl_svm_take(cl_context context, const void *pointer, bool usm);
/* clSVMFree. */
void ocl_svm_free(cl_context context, const void *pointer);
/* Waits until no command uses the allocation of mem, directly or indirectly. */
void ocl_svm_wait(cl_context context, cl_mem mem);

/* The buffer of the allocation that contains pointer, with a reference; NULL: none. */
cl_mem ocl_svm_find(cl_context context, const void *pointer, size_t *offset_B_out);
/* Describes the allocation that contains pointer; false: there is none. */
bool ocl_svm_describe(cl_context context, const void *pointer, struct ocl_svm *svm_out);

#endif
