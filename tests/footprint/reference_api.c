#include "config.h"

#include "tests/footprint/reference.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <string.h>

/* As much of OpenCL as tests/kernels/runner and tests/fuzz/fuzz_kernels call.  What is not here is
 * not in the table, and a program that calls it ends. */

static cl_icd_dispatch dispatch;

#define EXPORTED __attribute__((visibility("default"))) CL_API_ENTRY

struct _cl_platform_id { cl_icd_dispatch *dispatch; };
struct _cl_device_id { cl_icd_dispatch *dispatch; };
struct _cl_context { cl_icd_dispatch *dispatch; };
struct _cl_command_queue { cl_icd_dispatch *dispatch; };
struct _cl_mem { cl_icd_dispatch *dispatch; void *start; size_t size_B; };
struct _cl_program {
	cl_icd_dispatch *dispatch;
	struct bytes source;
	struct reference_program *built;
	bool good;
};
struct _cl_kernel {
	cl_icd_dispatch *dispatch;
	const struct reference_kernel *kernel;
	const struct reference_program *program;
	void *values[ARGUMENTS_MAX];     /* what was set: bytes, owned */
	size_t sizes_B[ARGUMENTS_MAX];
	bool set[ARGUMENTS_MAX];
};

static struct _cl_platform_id platform = {&dispatch};
static struct _cl_device_id device = {&dispatch};
static struct _cl_context context = {&dispatch};
static struct _cl_command_queue queue = {&dispatch};

static cl_int answer(const void *data, size_t data_B, size_t size_B, void *value, size_t *size_out)
{
	if (size_out)
		*size_out = data_B;
	if (value && size_B < data_B)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, data, data_B);
	return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size_B, void *value, size_t *size_out)
{
	return answer(text, strlen(text) + 1, size_B, value, size_out);
}

static cl_int tell(cl_int *error_out, cl_int error)
{
	if (error_out)
		*error_out = error;
	return error;
}

/* --- platform, device, context, queue --------------------------------------------------------- */

EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms,
						       cl_uint *count_out)
{
	if (count_out)
		*count_out = 1;
	if (platforms && count)
		*platforms = &platform;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL platform_info(cl_platform_id of, cl_platform_info name, size_t size_B,
					void *value, size_t *size_out)
{
	(void)of;
	switch (name) {
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		return answer_text("Reference", size_B, value, size_out);
	case CL_PLATFORM_VERSION:
		return answer_text("OpenCL 3.0 Reference", size_B, value, size_out);
	case CL_PLATFORM_PROFILE:
		return answer_text("FULL_PROFILE", size_B, value, size_out);
	case CL_PLATFORM_EXTENSIONS:
		return answer_text("cl_khr_icd", size_B, value, size_out);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return answer_text("REFERENCE", size_B, value, size_out);
	default:
		return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL device_ids(cl_platform_id of, cl_device_type type, cl_uint count,
				     cl_device_id *devices, cl_uint *count_out)
{
	(void)of, (void)type;
	if (count_out)
		*count_out = 1;
	if (devices && count)
		*devices = &device;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL device_info(cl_device_id of, cl_device_info name, size_t size_B,
				      void *value, size_t *size_out)
{
	static const cl_name_version features[] = {
		{CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
		{CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
		{CL_MAKE_VERSION(3, 0, 0), "__opencl_c_generic_address_space"},
		{CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"},
	};
	(void)of;
	if (name == CL_DEVICE_EXTENSIONS)
		return answer_text("cl_khr_fp64 cl_khr_byte_addressable_store "
				   "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics",
				   size_B, value, size_out);
	if (name == CL_DEVICE_OPENCL_C_FEATURES)
		return answer(features, sizeof(features), size_B, value, size_out);
	if (name == CL_DEVICE_NAME)
		return answer_text("Reference", size_B, value, size_out);
	if (name == CL_DEVICE_VERSION)
		return answer_text("OpenCL 3.0 Reference", size_B, value, size_out);
	return CL_INVALID_VALUE;
}

static cl_context CL_API_CALL create_context(
	const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
	cl_int *error)
{
	(void)properties, (void)count, (void)devices, (void)notify, (void)data;
	tell(error, CL_SUCCESS);
	return &context;
}

static cl_command_queue CL_API_CALL create_queue(cl_context of, cl_device_id its,
						 const cl_queue_properties *properties,
						 cl_int *error)
{
	(void)of, (void)its, (void)properties;
	tell(error, CL_SUCCESS);
	return &queue;
}

static cl_command_queue CL_API_CALL create_old_queue(cl_context of, cl_device_id its,
						     cl_command_queue_properties properties,
						     cl_int *error)
{
	(void)properties;
	return create_queue(of, its, NULL, error);
}

static cl_int CL_API_CALL release_context(cl_context of)
{
	(void)of;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue of)
{
	(void)of;
	return CL_SUCCESS;
}

/* --- memory ----------------------------------------------------------------------------------- */

static cl_mem CL_API_CALL create_buffer(cl_context of, cl_mem_flags flags, size_t size_B,
					void *data, cl_int *error)
{
	(void)of;
	cl_mem mem = calloc(1, sizeof(*mem));
	/* Apart by more than any access is wide. */
	char *start = aligned_alloc(4096, (size_B + 2 * 4096 - 1) / 4096 * 4096);
	if (!mem || !start) {
		free(mem);
		free(start);
		tell(error, CL_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	*mem = (struct _cl_mem){&dispatch, start, size_B};
	if (data && flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR))
		memcpy(start, data, size_B);
	tell(error, CL_SUCCESS);
	return mem;
}

static cl_mem CL_API_CALL create_image(cl_context of, cl_mem_flags flags,
				       const cl_image_format *format, const cl_image_desc *desc,
				       void *data, cl_int *error)
{
	(void)of, (void)flags, (void)format, (void)desc, (void)data;
	tell(error, CL_INVALID_OPERATION);
	return NULL;
}

static cl_mem CL_API_CALL create_pipe(cl_context of, cl_mem_flags flags, cl_uint packet_B,
				      cl_uint count, const cl_pipe_properties *properties,
				      cl_int *error)
{
	(void)of, (void)flags, (void)packet_B, (void)count, (void)properties;
	tell(error, CL_INVALID_OPERATION);
	return NULL;
}

static cl_sampler CL_API_CALL create_sampler(cl_context of, cl_bool normalized,
					     cl_addressing_mode mode, cl_filter_mode filter,
					     cl_int *error)
{
	(void)of, (void)normalized, (void)mode, (void)filter;
	tell(error, CL_INVALID_OPERATION);
	return NULL;
}

static cl_int CL_API_CALL release_mem(cl_mem mem)
{
	free(mem->start);
	free(mem);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue of, cl_mem mem, cl_bool blocks,
				      size_t offset_B, size_t size_B, void *to, cl_uint count,
				      const cl_event *events, cl_event *event)
{
	(void)of, (void)blocks, (void)count, (void)events, (void)event;
	memcpy(to, (char *)mem->start + offset_B, size_B);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue of)
{
	(void)of;
	return CL_SUCCESS;
}

/* --- programs --------------------------------------------------------------------------------- */

static cl_program CL_API_CALL create_program(cl_context of, cl_uint count, const char **strings,
					     const size_t *lengths, cl_int *error)
{
	(void)of;
	cl_program program = calloc(1, sizeof(*program));
	if (!program) {
		tell(error, CL_OUT_OF_HOST_MEMORY);
		return NULL;
	}
	program->dispatch = &dispatch;
	for (cl_uint i = 0; i < count; i++)
		bytes_append(&program->source, strings[i],
			     lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
	tell(error, CL_SUCCESS);
	return program;
}

static cl_program CL_API_CALL create_program_of_il(cl_context of, const void *il, size_t size_B,
						   cl_int *error)
{
	(void)of, (void)il, (void)size_B;
	tell(error, CL_INVALID_OPERATION);
	return NULL;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
					const cl_device_id *devices, const char *options,
					void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	(void)count, (void)devices, (void)notify, (void)data;
	program->built = calloc(1, sizeof(*program->built));
	if (!program->built)
		return CL_OUT_OF_HOST_MEMORY;
	program->good = reference_build(program->built, bytes_string(&program->source),
					options ? options : "");
	return program->good ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id of,
				     cl_program_build_info name, size_t size_B, void *value,
				     size_t *size_out)
{
	(void)of;
	return name == CL_PROGRAM_BUILD_LOG
		       ? answer_text(program->built ? bytes_string(&program->built->log) : "",
				     size_B, value, size_out)
		       : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL program_info(cl_program program, cl_program_info name, size_t size_B,
				       void *value, size_t *size_out)
{
	(void)program, (void)name, (void)size_B, (void)value, (void)size_out;
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL release_program(cl_program program)
{
	if (program->built)
		reference_unload(program->built);
	free(program->built);
	bytes_finish(&program->source);
	free(program);
	return CL_SUCCESS;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error)
{
	cl_kernel kernel = program->good ? calloc(1, sizeof(*kernel)) : NULL;
	for (unsigned i = 0; kernel && i < program->built->kernel_count; i++) {
		if (strcmp(program->built->kernels[i].name, name))
			continue;
		kernel->dispatch = &dispatch;
		kernel->program = program->built;
		kernel->kernel = &program->built->kernels[i];
		tell(error, CL_SUCCESS);
		return kernel;
	}
	free(kernel);
	tell(error, CL_INVALID_KERNEL_NAME);
	return NULL;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint i, size_t size_B,
				       const void *value)
{
	if (i >= kernel->kernel->argument_count)
		return CL_INVALID_ARG_INDEX;
	free(kernel->values[i]);
	/* Aligned as any type may be, a struct with a vector of 16 doubles too. */
	kernel->values[i] = aligned_alloc(128, (size_B + 128) / 128 * 128);
	if (!kernel->values[i])
		return CL_OUT_OF_HOST_MEMORY;
	if (value)
		memcpy(kernel->values[i], value, size_B);
	kernel->sizes_B[i] = size_B;
	kernel->set[i] = true;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	for (unsigned i = 0; i < ARGUMENTS_MAX; i++)
		free(kernel->values[i]);
	free(kernel);
	return CL_SUCCESS;
}

/* As large as divides, where the program leaves it open. */
static void choose_sizes(struct reference_launch *launch, const size_t *global,
			 const size_t *local, const size_t *offset)
{
	for (unsigned d = 0; d < 3; d++) {
		bool used = d < launch->dimensions;
		launch->global[d] = used ? global[d] : 1;
		launch->offset[d] = used && offset ? offset[d] : 0;
		size_t required = launch->kernel->required[d];
		size_t size = d ? 1 : 256;
		while (launch->global[d] % size)
			size--;
		launch->local[d] = used && local ? local[d] : required ? required : size;
	}
}

static cl_int CL_API_CALL enqueue(cl_command_queue of, cl_kernel kernel, cl_uint dimensions,
				  const size_t *offset, const size_t *global, const size_t *local,
				  cl_uint count, const cl_event *events, cl_event *event)
{
	(void)of, (void)count, (void)events, (void)event;
	struct reference_launch *launch = calloc(1, sizeof(*launch));
	if (!launch)
		return CL_OUT_OF_HOST_MEMORY;
	launch->program = kernel->program;
	launch->kernel = kernel->kernel;
	launch->dimensions = dimensions;
	bool good = true;
	for (unsigned i = 0; i < kernel->kernel->argument_count; i++) {
		good = good && kernel->set[i];
		cl_mem mem = NULL;
		launch->values[i] = kernel->values[i];
		launch->sizes_B[i] = kernel->sizes_B[i];
		if (kernel->kernel->kinds[i] != REFERENCE_GLOBAL || !kernel->set[i])
			continue;
		memcpy(&mem, kernel->values[i], sizeof(mem));
		launch->values[i] = mem ? mem->start : NULL;
		launch->sizes_B[i] = mem ? mem->size_B : 0;
	}
	choose_sizes(launch, global, local, offset);
	cl_int error = !good			? CL_INVALID_KERNEL_ARGS
		       : reference_run(launch) ? CL_SUCCESS
						: CL_OUT_OF_RESOURCES;
	free(launch);
	return error;
}

static cl_icd_dispatch dispatch = {
	.clGetPlatformIDs = clIcdGetPlatformIDsKHR,
	.clGetPlatformInfo = platform_info,
	.clGetDeviceIDs = device_ids,
	.clGetDeviceInfo = device_info,
	.clCreateContext = create_context,
	.clReleaseContext = release_context,
	.clCreateCommandQueue = create_old_queue,
	.clCreateCommandQueueWithProperties = create_queue,
	.clReleaseCommandQueue = release_queue,
	.clCreateBuffer = create_buffer,
	.clCreateImage = create_image,
	.clCreatePipe = create_pipe,
	.clCreateSampler = create_sampler,
	.clReleaseMemObject = release_mem,
	.clEnqueueReadBuffer = read_buffer,
	.clFinish = finish,
	.clCreateProgramWithSource = create_program,
	.clCreateProgramWithIL = create_program_of_il,
	.clBuildProgram = build_program,
	.clGetProgramBuildInfo = build_info,
	.clGetProgramInfo = program_info,
	.clReleaseProgram = release_program,
	.clCreateKernel = create_kernel,
	.clSetKernelArg = set_argument,
	.clReleaseKernel = release_kernel,
	.clEnqueueNDRangeKernel = enqueue,
};

EXPORTED void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	return !strcmp(name, "clIcdGetPlatformIDsKHR") ? (void *)clIcdGetPlatformIDsKHR
	       : !strcmp(name, "clGetPlatformInfo")    ? (void *)platform_info
						       : NULL;
}
