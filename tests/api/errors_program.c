/* Programs (OpenCL 3.0 API, 5.8). */
#include "config.h"

#include "tests/api/errors.h"
#include "tests/api/il_module.h"

#include <stdlib.h>

typedef void(CL_CALLBACK *notify_fn)(cl_program, void *);

static void CL_CALLBACK notify(cl_program program, void *user)
{
	(void)program;
	(void)user;
}

static cl_program of_source(const char *text)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(world.context, 1, &text, NULL, &code);
	REQUIRE(!code);
	return program;
}

static void release(cl_program program)
{
	REQUIRE(!clReleaseProgram(program));
}

/* --- creation --------------------------------------------------------------------------- */

static void sources(void)
{
	const char *text = "", *none[] = {"", NULL};
	ERROR_OBJECT(clCreateProgramWithSource, CL_INVALID_CONTEXT, 1,
		     clCreateProgramWithSource(world.wrong_context, 1, &text, NULL, &error_code));
	ERROR_OBJECT(clCreateProgramWithSource, CL_INVALID_VALUE, 1,
		     clCreateProgramWithSource(world.context, 0, &text, NULL, &error_code));
	ERROR_OBJECT(clCreateProgramWithSource, CL_INVALID_VALUE, 1,
		     clCreateProgramWithSource(world.context, 1, NULL, NULL, &error_code));
	ERROR_OBJECT(clCreateProgramWithSource, CL_INVALID_VALUE, 1,
		     clCreateProgramWithSource(world.context, 2, none, NULL, &error_code));
}

static void intermediate_language(void)
{
	const size_t size_B = sizeof(il_module);
	const cl_ulong value = 0;
	ERROR_OBJECT(clCreateProgramWithIL, CL_INVALID_CONTEXT, 1,
		     clCreateProgramWithIL(world.wrong_context, il_module, size_B, &error_code));
	ERROR_OBJECT(clCreateProgramWithIL, CL_INVALID_VALUE, 1,
		     clCreateProgramWithIL(world.context, NULL, size_B, &error_code));
	ERROR_OBJECT(clCreateProgramWithIL, CL_INVALID_VALUE, 1,
		     clCreateProgramWithIL(world.context, il_module, 0, &error_code));
	ERROR_OBJECT(clCreateProgramWithIL, CL_INVALID_VALUE, 2,
		     clCreateProgramWithIL(world.context, error_bytes, 16, &error_code));
	ERROR_OBJECT(clCreateProgramWithIL, CL_INVALID_VALUE, 2,
		     clCreateProgramWithIL(world.context, il_module, size_B - 2, &error_code));
	cl_program program = clCreateProgramWithIL(world.context, il_module, size_B, &error_code);
	REQUIRE(!error_code);
	ERROR_CODE(clSetProgramSpecializationConstant, CL_INVALID_PROGRAM, 1,
		   clSetProgramSpecializationConstant(world.wrong_program, 4, 4, &value));
	ERROR_CODE(clSetProgramSpecializationConstant, CL_INVALID_PROGRAM, 1,
		   clSetProgramSpecializationConstant(world.program, 4, 4, &value));
	ERROR_CODE(clSetProgramSpecializationConstant, CL_INVALID_SPEC_ID, 1,
		   clSetProgramSpecializationConstant(program, 2, 4, &value));
	ERROR_CODE(clSetProgramSpecializationConstant, CL_INVALID_VALUE, 1,
		   clSetProgramSpecializationConstant(program, 4, 8, &value));
	ERROR_CODE(clSetProgramSpecializationConstant, CL_INVALID_VALUE, 1,
		   clSetProgramSpecializationConstant(program, 4, 4, NULL));
	REQUIRE(!clSetProgramSpecializationConstant(program, 4, 4, &value));
	release(program);
}

static void built_in_kernels(void)
{
	const cl_device_id wrong[] = {world.device, world.wrong_device};
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_CONTEXT, 1,
		     clCreateProgramWithBuiltInKernels(world.wrong_context, 1, &world.device, "a",
						       &error_code));
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, 1,
		     clCreateProgramWithBuiltInKernels(world.context, 1, NULL, "a", &error_code));
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, 1,
		     clCreateProgramWithBuiltInKernels(world.context, 0, &world.device, "a",
						       &error_code));
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, 2,
		     clCreateProgramWithBuiltInKernels(world.context, 1, &world.device, NULL,
						       &error_code));
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_VALUE, 2,
		     clCreateProgramWithBuiltInKernels(world.context, 1, &world.device, "a",
						       &error_code));
	ERROR_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_DEVICE, 1,
		     clCreateProgramWithBuiltInKernels(world.context, 2, wrong, "a",
						       &error_code));
}

static cl_program of_binary(cl_uint count, const cl_device_id *devices, const size_t *lengths,
			    const unsigned char **binaries)
{
	return clCreateProgramWithBinary(world.context, count, devices, lengths, binaries, NULL,
					 &error_code);
}

static void binaries(void)
{
	const unsigned char *bytes = (const unsigned char *)error_bytes, *none = NULL;
	const unsigned char *two[] = {bytes, bytes};
	const cl_device_id wrong[] = {world.device, world.wrong_device};
	const size_t length = 64, empty = 0, lengths[] = {64, 64};
	cl_int status = 0;
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_CONTEXT, 1,
		     clCreateProgramWithBinary(world.wrong_context, 1, &world.device, &length,
					       &bytes, NULL, &error_code));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 1,
		     of_binary(1, NULL, &length, &bytes));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 1,
		     of_binary(0, &world.device, &length, &bytes));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 2,
		     of_binary(1, &world.device, NULL, &bytes));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 2,
		     of_binary(1, &world.device, &length, NULL));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 2,
		     of_binary(1, &world.device, &empty, &bytes));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_VALUE, 2,
		     of_binary(1, &world.device, &length, &none));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_DEVICE, 1,
		     of_binary(2, wrong, lengths, two));
	ERROR_OBJECT(clCreateProgramWithBinary, CL_INVALID_BINARY, 1,
		     clCreateProgramWithBinary(world.context, 1, &world.device, &length, &bytes,
					       &status, &error_code));
	REQUIRE(status == CL_INVALID_BINARY);
}

/* --- building ----------------------------------------------------------------------------- */

static cl_int build(cl_program program, const char *options)
{
	return clBuildProgram(program, 0, NULL, options, NULL, NULL);
}

/* The callback of a build: user is an event for its end. */
static void CL_CALLBACK finish(cl_program program, void *user)
{
	(void)program;
	REQUIRE(!clSetUserEventStatus(user, CL_COMPLETE));
}

static void build_arguments(void)
{
	const cl_device_id wrong[] = {world.device, world.wrong_device};
	ERROR_CODE(clBuildProgram, CL_INVALID_PROGRAM, 1, build(world.wrong_program, ""));
	ERROR_CODE(clBuildProgram, CL_INVALID_VALUE, 1,
		   clBuildProgram(world.unbuilt, 1, NULL, "", NULL, NULL));
	ERROR_CODE(clBuildProgram, CL_INVALID_VALUE, 1,
		   clBuildProgram(world.unbuilt, 0, &world.device, "", NULL, NULL));
	ERROR_CODE(clBuildProgram, CL_INVALID_VALUE, 2,
		   clBuildProgram(world.unbuilt, 0, NULL, "", NULL, error_bytes));
	ERROR_CODE(clBuildProgram, CL_INVALID_DEVICE, 1,
		   clBuildProgram(world.unbuilt, 2, wrong, "", NULL, NULL));
	ERROR_CODE(clBuildProgram, CL_INVALID_BUILD_OPTIONS, 1,
		   build(world.unbuilt, "-no-such-option"));
	ERROR_CODE(clBuildProgram, CL_INVALID_OPERATION, 2, build(world.program, ""));
}

static void builds_that_fail(void)
{
	cl_program broken = of_source("kernel void k(global int *a) { a[0] = no_such_name; }");
	ERROR_CODE(clBuildProgram, CL_BUILD_PROGRAM_FAILURE, 1, build(broken, ""));
	ERROR_CODE(clCompileProgram, CL_COMPILE_PROGRAM_FAILURE, 1,
		   clCompileProgram(broken, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	release(broken);
}

/* While a build goes on that takes much longer than the calls here. */
static void builds_at_once(void)
{
	cl_program program = of_source(
		"kernel void k(global float *a) { float x = a[0]; \n"
		"#pragma unroll\n"
		"for (int i = 0; i < 16; i++) x = sin(x) + pow(x, a[i]); a[0] = x; }");
	cl_int code;
	cl_event built = clCreateUserEvent(world.context, &code);
	REQUIRE(!code);
	REQUIRE(!clBuildProgram(program, 0, NULL, "", finish, built));
	ERROR_CODE(clBuildProgram, CL_INVALID_OPERATION, 1, build(program, ""));
	ERROR_CODE(clCompileProgram, CL_INVALID_OPERATION, 1,
		   clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_OPERATION, 1,
		     clLinkProgram(world.context, 0, NULL, "", 1, &program, NULL, NULL,
				   &error_code));
	REQUIRE(!clWaitForEvents(1, &built));
	REQUIRE(!clReleaseEvent(built));
	release(program);
}

/* --- compiling and linking ------------------------------------------------------------------ */

static cl_int compile(cl_program program, cl_uint count, const cl_program *headers,
		      const char **names)
{
	return clCompileProgram(program, 0, NULL, "", count, headers, names, NULL, NULL);
}

static void compile_arguments(void)
{
	const cl_device_id wrong[] = {world.device, world.wrong_device};
	const char *name = "a.h";
	ERROR_CODE(clCompileProgram, CL_INVALID_PROGRAM, 1,
		   compile(world.wrong_program, 0, NULL, NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_CONTEXT, 1,
		   compile(world.unbuilt, 1, &world.foreign_program, &name));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 1,
		   clCompileProgram(world.unbuilt, 1, NULL, "", 0, NULL, NULL, NULL, NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 1,
		   clCompileProgram(world.unbuilt, 0, &world.device, "", 0, NULL, NULL, NULL,
				    NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 2,
		   compile(world.unbuilt, 0, &world.unbuilt, NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 2, compile(world.unbuilt, 0, NULL, &name));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 2,
		   compile(world.unbuilt, 1, &world.unbuilt, NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 2, compile(world.unbuilt, 1, NULL, &name));
	ERROR_CODE(clCompileProgram, CL_INVALID_VALUE, 3,
		   clCompileProgram(world.unbuilt, 0, NULL, "", 0, NULL, NULL, NULL,
				    error_bytes));
	ERROR_CODE(clCompileProgram, CL_INVALID_DEVICE, 1,
		   clCompileProgram(world.unbuilt, 2, wrong, "", 0, NULL, NULL, NULL, NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_COMPILER_OPTIONS, 1,
		   clCompileProgram(world.unbuilt, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL,
				    NULL));
	ERROR_CODE(clCompileProgram, CL_INVALID_OPERATION, 2,
		   compile(world.program, 0, NULL, NULL));
}

static cl_program link(cl_uint count, const cl_program *programs, const char *options)
{
	return clLinkProgram(world.context, 0, NULL, options, count, programs, NULL, NULL,
			     &error_code);
}

static void link_arguments(cl_program compiled)
{
	const cl_device_id wrong[] = {world.device, world.wrong_device};
	const cl_program invalid[] = {compiled, world.wrong_program};
	const cl_program foreign[] = {compiled, world.foreign_program};
	ERROR_OBJECT(clLinkProgram, CL_INVALID_CONTEXT, 1,
		     clLinkProgram(world.wrong_context, 0, NULL, "", 1, &compiled, NULL, NULL,
				   &error_code));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_CONTEXT, 2, link(2, foreign, ""));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 1,
		     clLinkProgram(world.context, 1, NULL, "", 1, &compiled, NULL, NULL,
				   &error_code));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 1,
		     clLinkProgram(world.context, 0, &world.device, "", 1, &compiled, NULL, NULL,
				   &error_code));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 2, link(0, NULL, ""));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 2, link(0, &compiled, ""));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 2, link(1, NULL, ""));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_VALUE, 3,
		     clLinkProgram(world.context, 0, NULL, "", 1, &compiled, NULL, error_bytes,
				   &error_code));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_PROGRAM, 1, link(2, invalid, ""));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_DEVICE, 1,
		     clLinkProgram(world.context, 2, wrong, "", 1, &compiled, NULL, NULL,
				   &error_code));
	ERROR_OBJECT(clLinkProgram, CL_INVALID_LINKER_OPTIONS, 1,
		     link(1, &compiled, "-no-such-option"));
	/* 5.8.7: a program that was not compiled. */
	ERROR_OBJECT(clLinkProgram, CL_INVALID_OPERATION, 2, link(1, &world.unbuilt, ""));
}

static void links(void)
{
	cl_program compiled = of_source("int f(int); kernel void k(global int *a) { a[0] = f(1); }");
	REQUIRE(!compile(compiled, 0, NULL, NULL));
	link_arguments(compiled);
	/* Nobody defines f. */
	cl_int code;
	cl_program linked = clLinkProgram(world.context, 0, NULL, "", 1, &compiled, NULL, NULL,
					  &code);
	ERROR_CODE(clLinkProgram, CL_LINK_PROGRAM_FAILURE, 1, code);
	if (linked)
		release(linked);
	release(compiled);
	/* What clLinkProgram made is not built again. */
	compiled = of_source("kernel void k(global int *a) { a[0] = 1; }");
	REQUIRE(!compile(compiled, 0, NULL, NULL));
	linked = link(1, &compiled, "");
	REQUIRE(linked);
	ERROR_CODE(clBuildProgram, CL_INVALID_OPERATION, 3, build(linked, ""));
	release(linked);
	release(compiled);
}

/* A program of another one's binary. */
static cl_program of_binary_of(cl_program other)
{
	size_t size_B = 0;
	cl_int code;
	REQUIRE(!clGetProgramInfo(other, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *bytes = malloc(size_B);
	REQUIRE(bytes);
	REQUIRE(!clGetProgramInfo(other, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	const unsigned char *binary = bytes;
	cl_program program = clCreateProgramWithBinary(world.context, 1, &world.device, &size_B,
						       &binary, NULL, &code);
	REQUIRE(!code);
	free(bytes);
	return program;
}

static void of_binaries(void)
{
	cl_program executable = of_binary_of(world.program);
	ERROR_CODE(clCompileProgram, CL_INVALID_OPERATION, 3, compile(executable, 0, NULL, NULL));
	REQUIRE(!build(executable, ""));
	release(executable);
	/* An object is no executable. */
	cl_program compiled = of_source("kernel void k(global int *a) { a[0] = 1; }");
	REQUIRE(!compile(compiled, 0, NULL, NULL));
	cl_program object = of_binary_of(compiled);
	ERROR_CODE(clBuildProgram, CL_INVALID_BINARY, 1, build(object, ""));
	release(object);
	release(compiled);
}

static void callbacks(void)
{
	ERROR_CODE(clSetProgramReleaseCallback, CL_INVALID_PROGRAM, 1,
		   clSetProgramReleaseCallback(world.wrong_program, notify, NULL));
	ERROR_CODE(clSetProgramReleaseCallback, CL_INVALID_OPERATION, 1,
		   clSetProgramReleaseCallback(world.program, notify, NULL));
}

void errors_program(void)
{
	sources();
	intermediate_language();
	built_in_kernels();
	binaries();
	build_arguments();
	builds_that_fail();
	builds_at_once();
	compile_arguments();
	links();
	of_binaries();
	callbacks();
}
