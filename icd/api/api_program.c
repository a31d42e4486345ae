#include "config.h"

#include "icd/program/program.h"

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

static cl_program program_return(cl_int error, cl_program program, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return program;
}

/* CL_INVALID_VALUE for a list without a length or a length without a list, CL_INVALID_DEVICE for a device that is
 * not in the context. */
static cl_int devices_check(cl_context context, cl_uint count, const cl_device_id *devices)
{
	if ((count == 0) != (devices == NULL))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (ocl_context_device_index(context, devices[i]) < 0)
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

/* Checks the devices, which have to be the program's, and the callback: OpenCL 3.0 API, 5.8.4: CL_INVALID_VALUE for
 * user_data without pfn_notify. */
static cl_int build_arguments_check(cl_program program, cl_uint count, const cl_device_id *devices,
				    program_notify notify, const void *user_data)
{
	cl_int error = object_check(program, &ocl_program_type);
	if (error)
		return error;
	if ((count == 0) != (devices == NULL) || (!notify && user_data))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (ocl_program_device_index(program, devices[i]) < 0)
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
							      const char **strings,
							      const size_t *lengths,
							      cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	/* OpenCL 3.0 API, 5.8.1: CL_INVALID_VALUE for no strings or a NULL one. */
	if (!error && (!count || !strings))
		error = CL_INVALID_VALUE;
	for (cl_uint i = 0; !error && i < count; i++)
		if (!strings[i])
			error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_program_create_source(context, count, strings, lengths, &program);
	return program_return(error, program, errcode_ret);
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithBinary(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
			  const size_t *lengths, const unsigned char **binaries,
			  cl_int *binary_status, cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	/* OpenCL 3.0 API, 5.8.1: CL_INVALID_VALUE for missing lists. */
	if (!error && (!device_list || !num_devices || !lengths || !binaries))
		error = CL_INVALID_VALUE;
	if (!error)
		error = devices_check(context, num_devices, device_list);
	if (!error)
		error = ocl_program_create_binary(context, num_devices, device_list, lengths,
						  binaries, binary_status, &program);
	return program_return(error, program, errcode_ret);
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
				  const cl_device_id *device_list, const char *kernel_names,
				  cl_int *errcode_ret)
{
	cl_int error = object_check(context, &ocl_context_type);
	if (!error && (!device_list || !num_devices || !kernel_names))
		error = CL_INVALID_VALUE;
	if (!error)
		error = devices_check(context, num_devices, device_list);
	/* OpenCL 3.0 API, 5.8.1: CL_INVALID_VALUE for a name that none of the devices supports.  Our devices have no
	 * built-in kernels. */
	return program_return(error ? error : CL_INVALID_VALUE, NULL, errcode_ret);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il,
							  size_t length, cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int error = object_check(context, &ocl_context_type);
	/* OpenCL 3.0 API, 5.8.1: CL_INVALID_VALUE if il is NULL or length 0. */
	if (!error && (!il || !length))
		error = CL_INVALID_VALUE;
	if (!error)
		error = ocl_program_create_il(context, il, length, &program);
	return program_return(error, program, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program program)
{
	return object_retain(program, &ocl_program_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
	return object_release(program, &ocl_program_type);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num_devices,
					       const cl_device_id *device_list,
					       const char *options, program_notify pfn_notify,
					       void *user_data)
{
	cl_int error = build_arguments_check(program, num_devices, device_list, pfn_notify,
					     user_data);
	if (error)
		return error;
	const struct ocl_notify notify = {pfn_notify, user_data};
	return ocl_program_build(program, num_devices, device_list, options ? options : "",
				 &notify);
}

static cl_int headers_check(cl_context context, const struct ocl_headers *headers)
{
	/* OpenCL 3.0 API, 5.8.6: CL_INVALID_VALUE for a number without lists, or lists without a number. */
	if ((headers->count == 0) != (headers->programs == NULL) ||
	    (headers->count == 0) != (headers->names == NULL))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < headers->count; i++) {
		cl_int error = object_check(headers->programs[i], &ocl_program_type);
		if (error)
			return error;
		/* 5.8.6: CL_INVALID_CONTEXT for a header program of another context. */
		if (headers->programs[i]->context != context)
			return CL_INVALID_CONTEXT;
		if (!headers->programs[i]->source || !headers->names[i])
			return CL_INVALID_VALUE;
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
		 const char *options, cl_uint num_input_headers, const cl_program *input_headers,
		 const char **header_include_names, program_notify pfn_notify, void *user_data)
{
	const struct ocl_notify notify = {pfn_notify, user_data};
	struct ocl_headers headers = {num_input_headers, input_headers, header_include_names};
	cl_int error = build_arguments_check(program, num_devices, device_list, pfn_notify,
					     user_data);
	/* OpenCL 3.0 API, 5.8.6: headers "are ignored" for a program created with IL. */
	if (!error && ocl_program_is_il(program))
		headers = (struct ocl_headers){0};
	if (!error)
		error = headers_check(program->context, &headers);
	if (error)
		return error;
	return ocl_program_compile(program, num_devices, device_list, options ? options : "",
				   &headers, &notify);
}

static cl_int link_arguments_check(cl_context context, cl_uint device_count,
				   const cl_device_id *devices, cl_uint input_count,
				   const cl_program *inputs, program_notify notify,
				   const void *user_data)
{
	cl_int error = object_check(context, &ocl_context_type);
	/* OpenCL 3.0 API, 5.8.7: CL_INVALID_VALUE without input programs. */
	if (!error && (!input_count || !inputs || (!notify && user_data)))
		error = CL_INVALID_VALUE;
	for (cl_uint i = 0; !error && i < input_count; i++) {
		error = object_check(inputs[i], &ocl_program_type);
		/* 5.8.7: CL_INVALID_CONTEXT for an input program of another context. */
		if (!error && inputs[i]->context != context)
			error = CL_INVALID_CONTEXT;
	}
	return error ? error : devices_check(context, device_count, devices);
}

CL_API_ENTRY cl_program CL_API_CALL
clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
	      const char *options, cl_uint num_input_programs, const cl_program *input_programs,
	      program_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
	cl_program program = NULL;
	cl_int error = link_arguments_check(context, num_devices, device_list, num_input_programs,
					    input_programs, pfn_notify, user_data);
	const struct ocl_link link = {num_devices, device_list, options ? options : "",
				      num_input_programs, input_programs};
	const struct ocl_notify notify = {pfn_notify, user_data};
	if (!error)
		error = ocl_program_link(context, &link, &notify, &program);
	return program_return(error, program, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info param_name,
						 size_t param_value_size, void *param_value,
						 size_t *param_value_size_ret)
{
	cl_int error = object_check(program, &ocl_program_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_program_info(program, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
						      cl_program_build_info param_name,
						      size_t param_value_size, void *param_value,
						      size_t *param_value_size_ret)
{
	cl_int error = object_check(program, &ocl_program_type);
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_program_build_info(program, device, param_name, &out);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
							    program_notify pfn_notify,
							    void *user_data)
{
	(void)pfn_notify;
	(void)user_data;
	/* OpenCL 3.0 API, 5.8.3: CL_INVALID_OPERATION when no device supports
	 * destructors of program scope variables. */
	cl_int error = object_check(program, &ocl_program_type);
	return error ? error : CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program,
								   cl_uint spec_id,
								   size_t spec_size,
								   const void *spec_value)
{
	cl_int error = object_check(program, &ocl_program_type);
	return error ? error
		     : ocl_program_set_constant(program, spec_id, spec_size, spec_value);
}
