/* Kernels and their arguments (OpenCL 3.0 API, 5.9). */
#include "config.h"

#include "tests/api/errors.h"

#include "tests/api/api_test.h"

static cl_kernel good_kernel(const char *name)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(world.program, name, &code);
	REQUIRE(!code);
	return kernel;
}

static void creation(void)
{
	cl_kernel kernels[8];
	cl_uint count = 0;
	ERROR_OBJECT(clCreateKernel, CL_INVALID_PROGRAM, 1,
		     clCreateKernel(world.wrong_program, "axpy", &error_code));
	ERROR_OBJECT(clCreateKernel, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		     clCreateKernel(world.unbuilt, "axpy", &error_code));
	ERROR_OBJECT(clCreateKernel, CL_INVALID_KERNEL_NAME, 1,
		     clCreateKernel(world.program, "no_such_kernel", &error_code));
	ERROR_OBJECT(clCreateKernel, CL_INVALID_VALUE, 1,
		     clCreateKernel(world.program, NULL, &error_code));
	ERROR_CODE(clCreateKernelsInProgram, CL_INVALID_PROGRAM, 1,
		   clCreateKernelsInProgram(world.wrong_program, 8, kernels, &count));
	ERROR_CODE(clCreateKernelsInProgram, CL_INVALID_PROGRAM_EXECUTABLE, 1,
		   clCreateKernelsInProgram(world.unbuilt, 8, kernels, &count));
	ERROR_CODE(clCreateKernelsInProgram, CL_INVALID_VALUE, 1,
		   clCreateKernelsInProgram(world.program, 1, kernels, &count));
	ERROR_OBJECT(clCloneKernel, CL_INVALID_KERNEL, 1,
		     clCloneKernel(world.wrong_kernel, &error_code));
}

/* Two devices whose builds give a kernel other arguments. */
static void definitions(void)
{
	const char *text = "kernel void k(global int *a, TYPE b) { a[0] = (int)b; }";
	cl_int code;
	if (!world.other) {
		error_absent("clCreateKernel", CL_INVALID_KERNEL_DEFINITION, 1);
		return;
	}
	const cl_device_id both[] = {world.device, world.other};
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &code);
	REQUIRE(!code);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	REQUIRE(!code);
	REQUIRE(!clBuildProgram(program, 1, &both[0], "-DTYPE=int", NULL, NULL));
	REQUIRE(!clBuildProgram(program, 1, &both[1], "-DTYPE=long", NULL, NULL));
	ERROR_OBJECT(clCreateKernel, CL_INVALID_KERNEL_DEFINITION, 1,
		     clCreateKernel(program, "k", &error_code));
	REQUIRE(!clReleaseProgram(program));
	REQUIRE(!clReleaseContext(context));
}

/* --- arguments ------------------------------------------------------------------------------ */

static void buffer_arguments(cl_kernel kernel)
{
	const cl_mem none = NULL;
	const cl_int number = 1;
	ERROR_CODE(clSetKernelArg, CL_INVALID_KERNEL, 1,
		   clSetKernelArg(world.wrong_kernel, 0, sizeof(cl_mem), &world.buffer));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_INDEX, 1,
		   clSetKernelArg(kernel, 2, sizeof(number), &number));
	ERROR_CODE(clSetKernelArg, CL_INVALID_CONTEXT, 1,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.foreign_buffer));
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 3,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.wrong_mem));
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 4,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.image));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_SIZE, 1,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem) - 4, &world.buffer));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_SIZE, 5, clSetKernelArg(kernel, 1, 8, &none));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_SIZE, 5, clSetKernelArg(kernel, 1, 2, &none));
	/* 5.9.2: a buffer may be NULL. */
	REQUIRE(!clSetKernelArg(kernel, 0, sizeof(cl_mem), &none));
	REQUIRE(!clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
}

static cl_mem image_with(cl_mem_flags flags)
{
	const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8,
	};
	cl_int code;
	cl_mem image = clCreateImage(world.context, flags, &rgba, &desc, NULL, &code);
	REQUIRE(!code);
	return image;
}

static void image_arguments(cl_kernel kernel)
{
	const cl_mem none = NULL;
	cl_mem reads = image_with(CL_MEM_READ_ONLY), writes = image_with(CL_MEM_WRITE_ONLY);
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 1,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL));
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 2,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &none));
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 4,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.buffer));
	ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 4,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.image3d));
	ERROR_CODE(clSetKernelArg, CL_INVALID_CONTEXT, 1,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &world.foreign_image));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_SIZE, 1,
		   clSetKernelArg(kernel, 0, 4, &world.image));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_VALUE, 1,
		   clSetKernelArg(kernel, 0, sizeof(cl_mem), &writes));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_VALUE, 2,
		   clSetKernelArg(kernel, 1, sizeof(cl_mem), &reads));
	REQUIRE(!clReleaseMemObject(reads));
	REQUIRE(!clReleaseMemObject(writes));
}

/* 5.9.2: an image argument takes images of its own type only. */
static void image_types(void)
{
	static const struct {
		const char *name;
		cl_image_desc desc;
		bool depth;
	} kinds[] = {
		{"image1d_t", {CL_MEM_OBJECT_IMAGE1D, .image_width = 4}, false},
		{"image1d_array_t", {CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4,
				     .image_array_size = 2}, false},
		{"image1d_buffer_t", {CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4}, false},
		{"image2d_t", {CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, false},
		{"image2d_array_t", {CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4,
				     .image_height = 4, .image_array_size = 2}, false},
		{"image3d_t", {CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4,
			       .image_depth = 2}, false},
		{"image2d_depth_t", {CL_MEM_OBJECT_IMAGE2D, .image_width = 4,
				     .image_height = 4}, true},
		{"image2d_array_depth_t", {CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4,
					   .image_height = 4, .image_array_size = 2}, true},
	};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	static const cl_image_format color = {CL_RGBA, CL_FLOAT}, depth = {CL_DEPTH, CL_FLOAT};
	char text[2048] = "";
	cl_mem images[KINDS];
	cl_int code;
	for (unsigned i = 0; i < KINDS; i++) {
		const size_t used = strlen(text);
		cl_image_desc desc = kinds[i].desc;
		if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
			desc.mem_object = world.buffer;
		snprintf(text + used, sizeof(text) - used,
			 "kernel void k%u(read_only %s i) { (void)get_image_width(i); }\n", i,
			 kinds[i].name);
		images[i] = clCreateImage(world.context, 0, kinds[i].depth ? &depth : &color, &desc,
					  NULL, &code);
		REQUIRE(!code);
	}
	cl_program program = api_test_build(world.context, world.device, text, "");
	for (unsigned i = 0; i < KINDS; i++) {
		char name[8];
		snprintf(name, sizeof(name), "k%u", i);
		cl_kernel kernel = clCreateKernel(program, name, &code);
		REQUIRE(!code && !clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[i]));
		for (unsigned k = 0; k < KINDS; k++)
			if (k != i)
				ERROR_CODE(clSetKernelArg, CL_INVALID_MEM_OBJECT, 4,
					   clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[k]));
		REQUIRE(!clReleaseKernel(kernel));
	}
	REQUIRE(!clReleaseProgram(program));
	for (unsigned i = 0; i < KINDS; i++)
		REQUIRE(!clReleaseMemObject(images[i]));
}

static void sampler_arguments(cl_kernel kernel)
{
	const cl_sampler none = NULL;
	ERROR_CODE(clSetKernelArg, CL_INVALID_SAMPLER, 1,
		   clSetKernelArg(kernel, 2, sizeof(cl_sampler), &world.wrong_sampler));
	ERROR_CODE(clSetKernelArg, CL_INVALID_SAMPLER, 1,
		   clSetKernelArg(kernel, 2, sizeof(cl_sampler), &none));
	ERROR_CODE(clSetKernelArg, CL_INVALID_SAMPLER, 1,
		   clSetKernelArg(kernel, 2, sizeof(cl_sampler), NULL));
	ERROR_CODE(clSetKernelArg, CL_INVALID_CONTEXT, 1,
		   clSetKernelArg(kernel, 2, sizeof(cl_sampler), &world.foreign_sampler));
	ERROR_CODE(clSetKernelArg, CL_INVALID_ARG_SIZE, 2,
		   clSetKernelArg(kernel, 2, 4, &world.sampler));
}

static void local_arguments(void)
{
	cl_kernel kernel = good_kernel("locals");
	/* 5.9.2: since OpenCL 3.1 it may have no bytes. */
	REQUIRE(!clSetKernelArg(kernel, 0, 0, NULL));
	REQUIRE(!clSetKernelArg(kernel, 0, 64, NULL));
	REQUIRE(!clReleaseKernel(kernel));
}

/* --- pointers and the rest -------------------------------------------------------------------- */

static void pointers(cl_kernel kernel)
{
	clSetKernelArgMemPointerINTEL_fn set;
	*(void **)&set = error_function("clSetKernelArgMemPointerINTEL");
	ERROR_CODE(clSetKernelArgSVMPointer, CL_INVALID_KERNEL, 1,
		   clSetKernelArgSVMPointer(world.wrong_kernel, 0, NULL));
	ERROR_CODE(clSetKernelArgSVMPointer, CL_INVALID_ARG_INDEX, 1,
		   clSetKernelArgSVMPointer(kernel, 2, NULL));
	ERROR_CODE(clSetKernelArgSVMPointer, CL_INVALID_ARG_VALUE, 1,
		   clSetKernelArgSVMPointer(kernel, 1, NULL));
	ERROR_CODE(clSetKernelArgMemPointerINTEL, CL_INVALID_KERNEL, 1,
		   set(world.wrong_kernel, 0, NULL));
	ERROR_CODE(clSetKernelArgMemPointerINTEL, CL_INVALID_ARG_INDEX, 1, set(kernel, 2, NULL));
	ERROR_CODE(clSetKernelArgMemPointerINTEL, CL_INVALID_ARG_VALUE, 1, set(kernel, 1, NULL));
}

/* cl_ext_buffer_device_address: argument 1 of the kernel is a number. */
static void addresses(cl_kernel kernel)
{
	enum { ADDRESS = 0x5001 };
	cl_int(CL_API_CALL *set)(cl_kernel, cl_uint, cl_ulong);
	*(void **)&set = error_function("clSetKernelArgDevicePointerEXT");
	ERROR_CODE(clSetKernelArgDevicePointerEXT, CL_INVALID_KERNEL, 1,
		   set(world.wrong_kernel, 0, 0));
	ERROR_CODE(clSetKernelArgDevicePointerEXT, CL_INVALID_ARG_INDEX, 1, set(kernel, 2, 0));
	ERROR_CODE(clSetKernelArgDevicePointerEXT, CL_INVALID_ARG_INDEX, 2, set(kernel, 1, 0));
	ERROR_CODE(clGetMemObjectInfo, CL_INVALID_OPERATION, 1,
		   clGetMemObjectInfo(world.buffer, ADDRESS, sizeof(error_bytes), error_bytes,
				      NULL));
}

static void exec_info(cl_kernel kernel)
{
	void *pointer = NULL;
	ERROR_CODE(clSetKernelExecInfo, CL_INVALID_KERNEL, 1,
		   clSetKernelExecInfo(world.wrong_kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS,
				       sizeof(pointer), &pointer));
	ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
		   clSetKernelExecInfo(kernel, 0x7777, sizeof(pointer), &pointer));
	ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
		   clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointer),
				       NULL));
	ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
		   clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &pointer));
	ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
		   clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1,
				       &pointer));
	/* Those that take one truth value: of its size, and there. */
	static const cl_kernel_exec_info truths[] = {
		CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
		CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
		CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
		CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
	};
	for (unsigned i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
			   clSetKernelExecInfo(kernel, truths[i], sizeof(cl_bool) - 1, &pointer));
		ERROR_CODE(clSetKernelExecInfo, CL_INVALID_VALUE, 1,
			   clSetKernelExecInfo(kernel, truths[i], sizeof(cl_bool), NULL));
	}
}

/* CL_TRUE for fine-grained system memory, on a device without it. */
static void system_memory(cl_kernel kernel)
{
	const cl_bool yes = CL_TRUE;
	cl_device_svm_capabilities has = 0;
	REQUIRE(!clGetDeviceInfo(world.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(has), &has,
				 NULL));
	if (has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
		error_absent("clSetKernelExecInfo", CL_INVALID_OPERATION, 2);
	else
		ERROR_CODE(clSetKernelExecInfo, CL_INVALID_OPERATION, 2,
			   clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
					       sizeof(yes), &yes));
}

void errors_kernel(void)
{
	cl_kernel axpy = good_kernel("axpy"), image = good_kernel("image");
	creation();
	definitions();
	buffer_arguments(axpy);
	image_arguments(image);
	image_types();
	sampler_arguments(image);
	local_arguments();
	pointers(axpy);
	addresses(axpy);
	exec_info(axpy);
	system_memory(axpy);
	REQUIRE(!clReleaseKernel(axpy));
	REQUIRE(!clReleaseKernel(image));
}
