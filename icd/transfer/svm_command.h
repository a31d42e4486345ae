/* Commands on pointers, which the functions of SVM and USM (svm.h) share.
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
	cl_event *event;                 /* NULL: the application does not want one */
};

/* A range of an SVM or USM allocation, or of other memory of the host. */
struct ocl_range {
	cl_mem mem;                      /* ref held: the allocation; NULL: other memory of the host */
	size_t offset_B, size_B;         /* in the allocation */
	void *pointer;                   /* the first byte */
};

/* Finds the allocation that a range is in.  CL_INVALID_VALUE when it begins in an allocation and ends outside. */
cl_int ocl_range_find(cl_context context, const void *pointer, size_t size_B,
		      struct ocl_range *range);
void ocl_range_touch(struct ocl_command *command, const struct ocl_range *range,
		     enum ocl_access_mode mode);

cl_int ocl_order_enqueue(const struct ocl_order *order, struct ocl_command *command);
/* Enqueues a function that the host runs when the commands before it are complete; the arguments are copied. */
cl_int ocl_order_run(const struct ocl_order *order, void (CL_CALLBACK *run)(void *),
		     const void *arguments, size_t size_B);

/* OpenCL 3.0 API, 5.6.2: CL_INVALID_VALUE without a pointer, CL_MEM_COPY_OVERLAP.  The copies and fills of SVM take
 * NULL when size_B is 0 (cl_khr_unified_svm). */
cl_int ocl_order_copy(const struct ocl_order *order, void *to, const void *from, size_t size_B);
/* 5.6.2: CL_INVALID_VALUE if to is NULL or not aligned to the pattern's size, if pattern is NULL, if its size is not a
 * power of two up to 128, and if size_B is not a multiple of that size. */
cl_int ocl_order_fill(const struct ocl_order *order, void *to, const void *pattern,
		      size_t pattern_B, size_t size_B);
/* Make such a copy or fill as a command to be recorded, for memory that is in allocations: CL_INVALID_VALUE for other
 * memory of the host, because no device has system SVM.  The caller has to release the references of accesses, also
 * when an error is returned. */
cl_int ocl_svm_make_copy(struct ocl_command *command, struct ocl_access accesses[2],
			 cl_command_queue queue, void *to, const void *from, size_t size_B);
cl_int ocl_svm_make_fill(struct ocl_command *command, struct ocl_access accesses[1],
			 cl_command_queue queue, void *to, const void *pattern, size_t pattern_B,
			 size_t size_B);

/* Adds a range to a command of the kind ocl_command_migrate; size_B 0: the whole allocation.  CL_INVALID_VALUE for a
 * range that is in no allocation.  The caller has to release the access's reference. */
cl_int ocl_migrate_touch(struct ocl_command *command, const void *pointer, size_t size_B);

#endif
