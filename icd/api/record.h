/* Checks that the functions which record commands share: their first and last parameters are the same
 * (khr_command_buffer.h).
 *
 * Thread-safe: the function only reads. */
#ifndef CULVERT_ICD_RECORD_H
#define CULVERT_ICD_RECORD_H

#include "icd/graph/command_buffer.h"

/* Checks the parameters that all functions except clCommandNDRangeKernelKHR have: no properties are defined, and the
 * commands have no mutable handle.  *queue: the function's; NULL becomes the buffer's only queue. */
cl_int ocl_record_check(cl_command_buffer_khr buffer, cl_command_queue *queue,
			const cl_command_properties_khr *properties,
			const struct ocl_sync_list *list, const void *mutable_handle);

#define OCL_RECORD_LIST {num_sync_points_in_wait_list, sync_point_wait_list}
#define OCL_RECORD_CHECK                                                                          \
	ocl_record_check(command_buffer, &command_queue, properties, &list, mutable_handle)

#endif
