/* A host that has an LLVM and a libclang of its own, whatever their version, and uses both before, beside and after
 * what it does with OpenCL: for another_llvm.sh, which builds it with those that it finds.
 *
 *	another_llvm              both, and OpenCL
 *	another_llvm shutdown     also calls LLVMShutdown before it uses OpenCL again
 *	another_llvm refused      OpenCL refuses to load a compiler beside the host's, and says so; all else works
 *	another_llvm alone        without OpenCL: whether the host works by itself */
#include "tests/api/api_test.h"

#ifdef HAVE_LIBCLANG
#include <clang-c/Index.h>
#endif
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 6, VALUE = 42 };

static struct api_test test;
static atomic_bool over;
static atomic_uint beside;

/* --- the host's own compilers ----------------------------------------------------------------- */

static LLVMTargetMachineRef machine_make(void)
{
	char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
	LLVMTargetRef target = NULL;
	LLVMTargetMachineRef machine = NULL;
	if (!LLVMGetTargetFromTriple(triple, &target, &message))
		machine = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault,
						  LLVMRelocPIC, LLVMCodeModelDefault);
	LLVMDisposeMessage(message);
	LLVMDisposeMessage(triple);
	return machine;
}

/* 6 * 7, by way of memory: what is left of it are optimised code and an object file. */
static void use_llvm(void)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("host", context);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMValueRef function = LLVMAddFunction(module, "f", LLVMFunctionType(word, NULL, 0, 0));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	char *message = NULL;
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
	LLVMValueRef place = LLVMBuildAlloca(builder, word, "place");
	LLVMBuildStore(builder, LLVMConstInt(word, 6, 0), place);
	LLVMValueRef six = LLVMBuildLoad2(builder, word, place, "six");
	LLVMBuildRet(builder, LLVMBuildMul(builder, six, LLVMConstInt(word, 7, 0), "product"));
	CHECK(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message));
	LLVMDisposeMessage(message);
	LLVMTargetMachineRef machine = machine_make();
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	CHECK(machine && !LLVMRunPasses(module, "default<O2>", machine, options));
	char *text = LLVMPrintModuleToString(module);
	CHECK(strstr(text, "ret i32 42") != NULL);
	LLVMDisposeMessage(text);
	LLVMMemoryBufferRef object = NULL;
	CHECK(!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object));
	CHECK(object && LLVMGetBufferSize(object) > 64);
	LLVMDisposeMemoryBuffer(object);
	LLVMDisposePassBuilderOptions(options);
	LLVMDisposeTargetMachine(machine);
	LLVMDisposeBuilder(builder);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}

#ifndef HAVE_LIBCLANG
static void use_libclang(void)
{
}
#else
/* A source with one mistake, which libclang names. */
static void use_libclang(void)
{
	static const char source[] = "int f(int a) { return a + missing; }\n";
	struct CXUnsavedFile file = {"host.c", source, sizeof(source) - 1};
	CXIndex index = clang_createIndex(0, 0);
	CXTranslationUnit unit = clang_parseTranslationUnit(index, "host.c", NULL, 0, &file, 1, 0);
	CHECK(unit && clang_getNumDiagnostics(unit) == 1);
	CXDiagnostic diagnostic = clang_getDiagnostic(unit, 0);
	CXString words = clang_getDiagnosticSpelling(diagnostic);
	CHECK(strstr(clang_getCString(words), "undeclared identifier 'missing'") != NULL);
	clang_disposeString(words);
	clang_disposeDiagnostic(diagnostic);
	clang_disposeTranslationUnit(unit);
	clang_disposeIndex(index);
}
#endif

static void *use_both(void *unused)
{
	(void)unused;
	while (!atomic_load(&over)) {
		use_llvm();
		use_libclang();
		atomic_fetch_add(&beside, 1);
	}
	return NULL;
}

/* --- OpenCL --------------------------------------------------------------------------------------- */

static cl_int value_of(cl_program program)
{
	const size_t one = 1;
	cl_int code, value = -1;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	cl_command_queue queue = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_mem buffer = api_test_zeros(test.context, 1);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK_OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(kernel));
	return value;
}

/* A program that nobody has built, and one with a mistake. */
static void use_opencl(void)
{
	static unsigned number;
	char source[160], log[4096] = "";
	const char *wrong = "kernel void k(global int *p) { *p = missing; }\n";
	cl_int code;
	snprintf(source, sizeof(source), "kernel void k(global int *p) { *p = %d; } // %u %p\n", VALUE,
		 number++, (void *)&source);
	cl_program program = api_test_build(test.context, test.device, source, "");
	CHECK(program && value_of(program) == VALUE);
	CHECK_OK(clReleaseProgram(program));
	program = clCreateProgramWithSource(test.context, 1, &wrong, NULL, &code);
	CHECK_OK(code);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	CHECK_OK(clGetProgramBuildInfo(program, test.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
	CHECK(strstr(log, "undeclared identifier 'missing'") != NULL);
	CHECK_OK(clReleaseProgram(program));
}

/* What the build of a new program says that cannot be compiled in this process. */
static void refuse_opencl(void)
{
	const char *source = "kernel void k(global int *p) { *p = 7; }\n";
	char log[4096] = "";
	cl_int code;
	cl_program program = clCreateProgramWithSource(test.context, 1, &source, NULL, &code);
	CHECK_OK(code);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
	CHECK_OK(clGetProgramBuildInfo(program, test.device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL));
	if (!CHECK(strstr(log, "has an LLVM of its own") && strstr(log, "CULVERT_COMPILER=process")))
		printf("the log: %s\n", log);
	CHECK_OK(clReleaseProgram(program));
	use_llvm();
	use_libclang();
}

int main(int argc, char **argv)
{
	const bool ends = argc > 1 && !strcmp(argv[1], "shutdown");
	pthread_t thread;
	LLVMInitializeNativeTarget();
	LLVMInitializeNativeAsmPrinter();
	use_llvm();
	use_libclang();
	if (argc > 1 && !strcmp(argv[1], "alone"))
		return api_test_failures ? 1 : 0;
	if (!api_test_start(&test, "another_llvm"))
		return API_TEST_SKIP;
	if (argc > 1 && !strcmp(argv[1], "refused")) {
		refuse_opencl();
		return api_test_end(&test);
	}
	use_opencl();
	CHECK(!pthread_create(&thread, NULL, use_both, NULL));
	for (unsigned i = 0; i < ROUNDS || atomic_load(&beside) < 2; i++)
		use_opencl();
	atomic_store(&over, true);
	CHECK(!pthread_join(thread, NULL));
	printf("%u rounds of the host's compilers beside OpenCL\n", atomic_load(&beside));
	if (ends)
		LLVMShutdown();
	else
		use_llvm();
	use_opencl();
	return api_test_end(&test);
}
