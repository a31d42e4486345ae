/* PTX text as a program binary, as NVIDIA's platform takes it: written in the manner of OpenCL's
 * compilers (.ptr .global) and of nvcc (plain u64); what is wrong with it, and what its launches
 * cannot have. */
#include "config.h"

#include "tests/api/fixture.h"

#define HEAD ".version 6.4\n.target sm_70\n.address_size 64\n"
#define INDEX \
	"	mov.u32 %r1, %ctaid.x;\n	mov.u32 %r2, %ntid.x;\n	mov.u32 %r3, %tid.x;\n" \
	"	mad.lo.s32 %r4, %r1, %r2, %r3;\n	mul.wide.u32 %rd9, %r4, 4;\n"
#define REGISTERS "	.reg .b32 %r<9>;\n	.reg .b64 %rd<12>;\n"

/* out[i] = in[i] * factor */
static const char scale[] = HEAD
"// a comment with .entry in it\n"
".entry scale(\n	.param .u64 .ptr .global .align 4 scale_param_0,\n"
"	.param .u64 .ptr .global .align 4 scale_param_1,\n	.param .u32 scale_param_2\n)\n"
"{\n" REGISTERS INDEX
"	ld.param.u64 %rd1, [scale_param_0];\n	ld.param.u64 %rd2, [scale_param_1];\n"
"	ld.param.u32 %r5, [scale_param_2];\n"
"	add.s64 %rd3, %rd1, %rd9;\n	add.s64 %rd4, %rd2, %rd9;\n"
"	ld.global.u32 %r6, [%rd4];\n	mul.lo.s32 %r6, %r6, %r5;\n"
"	st.global.u32 [%rd3], %r6;\n	ret;\n}\n";

/* out[i] = (uint)wide + s.a + s.b, and a counter of the program's own */
static const char mixed[] = HEAD
".visible .global .align 4 .u32 calls = 100;\n"
".visible .entry mixed(\n	.param .u64 mixed_param_0,\n	.param .u64 mixed_param_1,\n"
"	.param .align 8 .b8 mixed_param_2[16]\n)\n.reqntid 16, 1, 1\n"
"{\n" REGISTERS INDEX
"	ld.param.u64 %rd1, [mixed_param_0];\n	ld.param.u64 %rd2, [mixed_param_1];\n"
"	ld.param.u32 %r5, [mixed_param_2];\n	ld.param.u64 %rd5, [mixed_param_2+8];\n"
"	cvta.to.global.u64 %rd3, %rd1;\n	add.s64 %rd3, %rd3, %rd9;\n"
"	cvt.u32.u64 %r6, %rd2;\n	cvt.u32.u64 %r7, %rd5;\n"
"	add.s32 %r6, %r6, %r5;\n	add.s32 %r6, %r6, %r7;\n"
"	ld.global.u32 %r8, [calls];\n	add.s32 %r6, %r6, %r8;\n"
"	st.global.u32 [%rd3], %r6;\n	ret;\n}\n";

enum { COUNT = 32 };

static struct api_test test;
static cl_command_queue queue;

static cl_int load(const char *text, size_t size_B, cl_program *program_out)
{
	cl_int status = 1, code;
	const unsigned char *binary = (const unsigned char *)text;
	*program_out = clCreateProgramWithBinary(test.context, 1, &test.device, &size_B, &binary,
						 &status, &code);
	CHECK(status == code);
	return code;
}

static cl_program built(const char *text, size_t size_B)
{
	cl_program program;
	if (!CHECK_OK(load(text, size_B, &program)))
		exit(1);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	return program;
}

static cl_mem numbers(void)
{
	cl_uint values[COUNT];
	for (cl_uint i = 0; i < COUNT; i++)
		values[i] = i;
	return buffer_make(test.context, CL_MEM_COPY_HOST_PTR, sizeof(values), values);
}

/* mem[i] == i * factor + sum */
static bool holds(cl_mem mem, cl_uint factor, cl_uint sum)
{
	cl_uint values[COUNT] = {0};
	bool good = true;
	buffer_read(queue, mem, values, sizeof(values));
	for (cl_uint i = 0; i < COUNT; i++)
		good &= values[i] == i * factor + sum;
	return good;
}

static cl_int enqueue(cl_kernel kernel, size_t offset, size_t global, size_t local)
{
	return clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, local ? &local : NULL, 0,
				      NULL, NULL);
}

static void test_scale(cl_program program)
{
	const cl_uint factor = 3;
	cl_uint count = 0;
	char name[16];
	cl_kernel kernel = kernel_make(program, "scale");
	cl_mem in = numbers(), out = numbers();
	CHECK_OK(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, NULL));
	CHECK(count == 3);
	CHECK_CODE(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL),
		   CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
	CHECK_CODE(clSetKernelArg(kernel, 2, 8, &out), CL_INVALID_ARG_SIZE);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(in), &in));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(factor), &factor));
	CHECK_OK(enqueue(kernel, 0, COUNT, 8));
	CHECK(holds(out, 3, 0));
	CHECK_OK(enqueue(kernel, 0, COUNT, 0));
	CHECK(holds(out, 3, 0) && holds(in, 1, 0));
	/* Its ids are the GPU's: nothing would add an offset, and groups are all of one size. */
	CHECK_CODE(enqueue(kernel, 4, COUNT, 8), CL_INVALID_GLOBAL_OFFSET);
	CHECK_CODE(enqueue(kernel, 0, COUNT, 12), CL_INVALID_WORK_GROUP_SIZE);
	CHECK_OK(clReleaseMemObject(in));
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_mixed(void)
{
	cl_program program = built(mixed, sizeof(mixed));
	const cl_ulong wide = ((cl_ulong)1 << 40) + 7;
	const struct {
		cl_uint a;
		cl_ulong b;
	} both = {20, 3};
	size_t required[3], variables_B = 0;
	cl_kernel kernel = kernel_make(program, "mixed");
	cl_mem out = numbers();
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, test.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					  sizeof(required), required, NULL));
	CHECK(required[0] == 16 && required[1] == 1 && required[2] == 1);
	CHECK_OK(clGetProgramBuildInfo(program, test.device,
				       CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
				       sizeof(variables_B), &variables_B, NULL));
	CHECK(variables_B == 4);
	/* The first u64 becomes a global address, the second does not. */
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(out), &out));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(wide), &wide));
	CHECK_CODE(clSetKernelArg(kernel, 2, 12, &both), CL_INVALID_ARG_SIZE);
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(both), &both));
	CHECK_CODE(enqueue(kernel, 0, COUNT, 8), CL_INVALID_WORK_GROUP_SIZE);
	CHECK_OK(enqueue(kernel, 0, COUNT, 0));
	CHECK(holds(out, 0, 7 + 20 + 3 + 100));
	CHECK_OK(clReleaseMemObject(out));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
}

/* What such a program gives as its binary is whole. */
static void test_again(void)
{
	cl_program program = built(scale, strlen(scale)), again;
	size_t size_B = 0;
	test_scale(program);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size_B), &size_B, NULL));
	unsigned char *binary = malloc(size_B);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL));
	CHECK_OK(clReleaseProgram(program));
	again = built((const char *)binary, size_B);
	test_scale(again);
	CHECK_OK(clReleaseProgram(again));
	free(binary);
}

static void test_wrong(void)
{
	static const char *const refused[] = {
		".version 6.4\n.target sm_999\n.entry k()\n{\n	ret;\n}\n",
		".version 6.4\n.entry k()\n{\n	ret;\n}\n",
		HEAD ".entry k(.param .u64 .ptr .shared .align 4 p)\n{\n	ret;\n}\n",
		HEAD ".entry k(.param .u64 p)\n{\n	ret;\n",
		HEAD ".entry k(.param .u64 p",
		HEAD ".global .texref t;\n.entry k()\n{\n	ret;\n}\n",
	};
	static const char broken[] = HEAD ".entry k()\n{\n	nonsense.u32 %r1, 7;\n	ret;\n}\n";
	cl_program program;
	size_t size_B = 0;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		CHECK_CODE(load(refused[i], strlen(refused[i]), &program), CL_INVALID_BINARY);
	CHECK_OK(load(broken, strlen(broken), &program));
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	CHECK_OK(clGetProgramBuildInfo(program, test.device, CL_PROGRAM_BUILD_LOG, 0, NULL,
				       &size_B));
	CHECK(size_B > 1);
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	if (!api_test_start(&test, "program_ptx"))
		return API_TEST_SKIP;
	queue = queue_make(test.context, test.device, 0);
	test_mixed();
	test_again();
	test_wrong();
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
