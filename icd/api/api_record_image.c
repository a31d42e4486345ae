/* Recording commands with images and with shared virtual memory (cl_khr_command_buffer). */
#include "config.h"

#include "icd/api/enqueue.h"
#include "icd/api/record.h"
#include "icd/transfer/svm_command.h"

/* --- images ---------------------------------------------------------------------------------- */

cl_int CL_API_CALL ocl_record_copy_image(OCL_RECORD_FIRST, cl_mem src_image, cl_mem dst_image,
					 const size_t *src_origin, const size_t *dst_origin,
					 const size_t *region, OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = enqueue_make_copy_image(&command, accesses, command_queue,
						src_image, dst_image, src_origin, dst_origin,
						region);
	return error ? error : ocl_command_buffer_record(command_buffer, &command, &list, NULL,
							 sync_point);
}

cl_int CL_API_CALL ocl_record_fill_image(OCL_RECORD_FIRST, cl_mem image, const void *fill_color,
					 const size_t *origin, const size_t *region,
					 OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = enqueue_make_fill_image(&command, accesses, command_queue, image,
						fill_color, origin, region);
	return error ? error : ocl_command_buffer_record(command_buffer, &command, &list, NULL,
							 sync_point);
}

static cl_int image_buffer_record(cl_command_buffer_khr buffer, cl_command_queue queue,
				  const struct enqueue_image_buffer *given, bool to_image,
				  const struct ocl_sync_list *list, cl_sync_point_khr *point)
{
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = enqueue_make_image_buffer(&command, accesses, queue, given,
						 to_image);
	return error ? error : ocl_command_buffer_record(buffer, &command, list, NULL, point);
}

cl_int CL_API_CALL ocl_record_copy_buffer_to_image(OCL_RECORD_FIRST, cl_mem src_buffer,
						   cl_mem dst_image, size_t src_offset,
						   const size_t *dst_origin, const size_t *region,
						   OCL_RECORD_LAST)
{
	const struct enqueue_image_buffer given = {dst_image, src_buffer, dst_origin, region,
						   src_offset};
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	cl_int error = OCL_RECORD_CHECK;
	return error ? error : image_buffer_record(command_buffer, command_queue, &given, true, &list,
						   sync_point);
}

cl_int CL_API_CALL ocl_record_copy_image_to_buffer(OCL_RECORD_FIRST, cl_mem src_image,
						   cl_mem dst_buffer, const size_t *src_origin,
						   const size_t *region, size_t dst_offset,
						   OCL_RECORD_LAST)
{
	const struct enqueue_image_buffer given = {src_image, dst_buffer, src_origin, region,
						   dst_offset};
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	cl_int error = OCL_RECORD_CHECK;
	return error ? error : image_buffer_record(command_buffer, command_queue, &given, false, &list,
						   sync_point);
}

/* --- shared virtual memory --------------------------------------------------------------------- */

/* clEnqueueSVMMemcpy: CL_INVALID_OPERATION when the device does not support SVM. */
static cl_int svm_check(cl_command_queue queue)
{
	return ocl_svm_capabilities(queue->device->caps) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Releases the references of the unrecorded command; the recorded copy has its own. */
static void accesses_unref(const struct ocl_command *command)
{
	for (uint32_t i = 0; i < command->access_count; i++)
		object_unref(command->accesses[i].mem);
}

cl_int CL_API_CALL ocl_record_svm_copy(OCL_RECORD_FIRST, void *dst_ptr, const void *src_ptr,
				       size_t size, OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[2];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = svm_check(command_queue);
	if (error)
		return error;
	error = ocl_svm_make_copy(&command, accesses, command_queue, dst_ptr, src_ptr,
				  size);
	if (!error)
		error = ocl_command_buffer_record(command_buffer, &command, &list, NULL,
						  sync_point);
	accesses_unref(&command);
	return error;
}

cl_int CL_API_CALL ocl_record_svm_fill(OCL_RECORD_FIRST, void *svm_ptr, const void *pattern,
				       size_t pattern_size, size_t size, OCL_RECORD_LAST)
{
	const struct ocl_sync_list list = OCL_RECORD_LIST;
	struct ocl_access accesses[1];
	struct ocl_command command;
	cl_int error = OCL_RECORD_CHECK;
	if (!error)
		error = svm_check(command_queue);
	if (error)
		return error;
	error = ocl_svm_make_fill(&command, accesses, command_queue, svm_ptr, pattern,
				  pattern_size, size);
	if (!error)
		error = ocl_command_buffer_record(command_buffer, &command, &list, NULL,
						  sync_point);
	accesses_unref(&command);
	return error;
}
