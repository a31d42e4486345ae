/* Updating launches of a command buffer (cl_khr_command_buffer_mutable_dispatch). */
#include "config.h"

#include "icd/graph/mutable_command.h"
#include "icd/object/info_rows.h"

_Static_assert(sizeof(struct ocl_mutable_config) == 72, "cl_mutable_dispatch_config_khr");

static cl_int update_check(cl_command_buffer_khr buffer, cl_uint count, const cl_uint *types,
			   const void *const *configs)
{
	cl_int error = object_check(buffer, &ocl_command_buffer_type);
	if (error)
		return error;
	/* clUpdateMutableCommandsKHR: CL_INVALID_OPERATION for a buffer that was not created
	 * with CL_COMMAND_BUFFER_MUTABLE_KHR. */
	if (!(buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR))
		return CL_INVALID_OPERATION;
	if (!types != !count || !configs != !count)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (types[i] != OCL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG || !configs[i])
			return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

cl_int CL_API_CALL ocl_update_mutable_commands(cl_command_buffer_khr command_buffer,
					       cl_uint num_configs, const cl_uint *config_types,
					       const void **configs)
{
	cl_int error = update_check(command_buffer, num_configs, config_types, configs);
	return error ? error : ocl_mutable_update(
		command_buffer, num_configs, (const struct ocl_mutable_config *const *)configs);
}

cl_int CL_API_CALL ocl_mutable_command_info(cl_mutable_command_khr handle, cl_uint param_name,
					    size_t param_value_size, void *param_value,
					    size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(handle, &ocl_mutable_command_type);
	if (error)
		return error;
	const struct ocl_mutable_range *range = &handle->now.range;
	switch (param_name) {
#include "icd/graph/mutable_command_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
