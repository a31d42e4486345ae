/* Commands on pointers: what the doors of SVM and of USM (svm.h) share.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_SVM_COMMAND_H
#define CULVERT_ICD_SVM_COMMAND_H

#include "icd/order/queue.h"

/* How a command is enqueued; the queue and the wait list are checked. */
struct ocl_order {
	cl_command_queue queue;
	cl_command_type type;
	bool blocking;
	cl_uint count;
	const cl_event *events;
	cl_event *event;                 /* NULL: none is wanted */
};

/* A range of an allocation, or memory of the host's: then mem is NULL. */
struct ocl_range {
	cl_mem mem;                      /* a reference */
	size_t offset_B, size_B;
	void *pointer;
};

/* CL_INVALID_VALUE when it begins in an allocation and ends outside. */
cl_int ocl_range_find(cl_context context, const void *pointer, size_t size_B,
		      struct ocl_range *range);
void ocl_range_touch(struct ocl_command *command, const struct ocl_range *range,
		     enum ocl_access_mode mode);

cl_int ocl_order_enqueue(const struct ocl_order *order, struct ocl_command *command);
/* Work of the host in its turn; the arguments are copied. */
cl_int ocl_order_run(const struct ocl_order *order, void (CL_CALLBACK *run)(void *),
		     const void *arguments, size_t size_B);

/* OpenCL 3.0 API, 5.6.2: CL_INVALID_VALUE without a pointer, CL_MEM_COPY_OVERLAP. */
cl_int ocl_order_copy(const struct ocl_order *order, void *to, const void *from, size_t size_B);
/* 5.6.2: CL_INVALID_VALUE without a pointer aligned to the pattern, without a pattern, unless
 * its size is a power of two up to 128, and for a size that is no multiple of that. */
cl_int ocl_order_fill(const struct ocl_order *order, void *to, const void *pattern,
		      size_t pattern_B, size_t size_B);
/* The same as commands to be recorded, with both sides in allocations: CL_INVALID_VALUE for
 * memory of the host's, as no device has system SVM.  The references of accesses are the
 * caller's to give back, whatever is returned. */
cl_int ocl_svm_make_copy(struct ocl_command *command, struct ocl_access accesses[2],
			 cl_command_queue queue, void *to, const void *from, size_t size_B);
cl_int ocl_svm_make_fill(struct ocl_command *command, struct ocl_access accesses[1],
			 cl_command_queue queue, void *to, const void *pattern, size_t pattern_B,
			 size_t size_B);

/* Adds a range to a command of the kind ocl_command_migrate; size 0: all of the allocation.
 * CL_INVALID_VALUE for a range in none.  The reference is the caller's to give back. */
cl_int ocl_migrate_touch(struct ocl_command *command, const void *pointer, size_t size_B);

#endif
