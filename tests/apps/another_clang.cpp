/* A host into which another Clang is linked as static libraries: for another_llvm.sh.  It runs the compiler up to LLVM
 * IR before, between and after builds of OpenCL programs.  Static Clang has no C interface. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

struct action final : clang::EmitLLVMOnlyAction {
	action(llvm::LLVMContext *context, unsigned *functions)
		: EmitLLVMOnlyAction(context), functions(functions) {}

	void EndSourceFileAction() override
	{
		EmitLLVMOnlyAction::EndSourceFileAction();
		if (std::unique_ptr<llvm::Module> module = takeModule())
			for (const llvm::Function &function : *module)
				*functions += !function.isDeclaration();
	}

	unsigned *functions;
};

/* How many functions the host's own Clang made of three. */
unsigned use_clang()
{
	llvm::LLVMContext context;
	unsigned functions = 0;
	const bool good = clang::tooling::runToolOnCodeWithArgs(
		std::make_unique<action>(&context, &functions),
		"int f(int a) { return a * 2; } int g(void) { return f(3); } int h(void) { return g(); }\n",
		{"-O1"}, "host.c");
	return good ? functions : 0;
}

struct opencl {
	cl_platform_id platform = nullptr;
	cl_device_id device = nullptr;
	cl_context context = nullptr;
	cl_command_queue queue = nullptr;
};

bool find(opencl *found)
{
	cl_platform_id platforms[32];
	cl_uint count = 0;
	if (clGetPlatformIDs(32, platforms, &count))
		return false;
	for (cl_uint i = 0; i < count && i < 32; i++) {
		char name[256] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, nullptr);
		if (std::strstr(name, "Culvert"))
			found->platform = platforms[i];
	}
	if (!found->platform || clGetDeviceIDs(found->platform, CL_DEVICE_TYPE_ALL, 1, &found->device, nullptr))
		return false;
	found->context = clCreateContext(nullptr, 1, &found->device, nullptr, nullptr, nullptr);
	found->queue = clCreateCommandQueue(found->context, found->device, 0, nullptr);
	return found->context && found->queue;
}

/* What a kernel stores that is built anew each time; -1: nothing was built or run. */
cl_int stored(const opencl &cl, int number)
{
	const std::string text = "kernel void k(global int *p) { *p = " + std::to_string(number) + "; }";
	const char *source = text.c_str();
	const size_t one = 1;
	cl_int code, value = -1;
	cl_program program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &code);
	code = clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
	cl_kernel kernel = clCreateKernel(program, "k", nullptr);
	cl_mem buffer = clCreateBuffer(cl.context, 0, sizeof(value), nullptr, nullptr);
	code |= clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	code |= clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
	code |= clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, nullptr, nullptr);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	return code ? -1 : value;
}

} // namespace

int main()
{
	opencl cl;
	if (use_clang() != 3) {
		std::puts("the host's Clang does not work by itself");
		return 77;
	}
	if (!find(&cl))
		return 77;
	for (int i = 1; i < 5; i++) {
		const cl_int value = stored(cl, i);
		const unsigned functions = use_clang();
		if (value == i && functions == 3)
			continue;
		std::printf("FAIL: round %d: the kernel stored %d, Clang made %u functions\n", i, value, functions);
		return 1;
	}
	clReleaseCommandQueue(cl.queue);
	clReleaseContext(cl.context);
	std::puts("another_clang: PASS");
	return 0;
}
