/* Protects: softcuda's side of the CUDA driver API: modules, linking, launches,
 * faults, names, and the end of a process with work in its streams. */
#include "config.h"

#include "tests/unit/soft_setup.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
	".version 7.8\n"
	".target sm_75\n"
	".address_size 64\n"
	".visible .global .align 4 .b8 table[16] = {1, 2, 3, 4};\n"
	".visible .entry vadd(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
	"{\n"
	"\t.reg .pred %p<2>;\n\t.reg .b32 %r<6>;\n\t.reg .f32 %f<4>;\n\t.reg .b64 %rd<8>;\n"
	"\tld.param.u64 %rd1, [a];\n\tld.param.u64 %rd2, [b];\n\tld.param.u64 %rd3, [c];\n"
	"\tld.param.u32 %r1, [n];\n"
	"\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n"
	"\tmad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"\tsetp.ge.u32 %p1, %r5, %r1;\n\t@%p1 bra DONE;\n"
	"\tmul.wide.u32 %rd4, %r5, 4;\n"
	"\tadd.s64 %rd5, %rd1, %rd4;\n\tadd.s64 %rd6, %rd2, %rd4;\n\tadd.s64 %rd7, %rd3, %rd4;\n"
	"\tld.global.f32 %f1, [%rd5];\n\tld.global.f32 %f2, [%rd6];\n"
	"\tadd.f32 %f3, %f1, %f2;\n\tst.global.f32 [%rd7], %f3;\n"
	"DONE:\n\tret;\n"
	"}\n"
	".visible .entry poke(.param .u64 where)\n"
	"{\n"
	"\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<2>;\n"
	"\tld.param.u64 %rd1, [where];\n\tmov.u32 %r1, 1;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n"
	"}\n";

/* --- modules and launches --------------------------------------------------------------- */

static void modules(void)
{
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	size_t size_B, offset_B;
	char log[256] = "";
	unsigned char bytes[16];
	int value;
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
	REQUIRE(set_up());
	CHECK_EQ(cuModuleLoadDataEx(&module, ".version 7.8\n.target sm_75\n.address_size 64\n"
				    "nonsense;\n", 2, options, values), CUDA_ERROR_INVALID_PTX);
	CHECK(log[0]);
	CHECK_EQ((uintptr_t)values[1], strlen(log));
	CHECK_EQ(cuModuleLoadData(&module, "\177ELF\2\1\1"), CUDA_ERROR_NO_BINARY_FOR_GPU);
	CHECK_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
	REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
	CHECK_EQ(cuModuleGetFunction(&function, module, "missing"), CUDA_ERROR_NOT_FOUND);
	CHECK_EQ(cuModuleGetFunction(&function, module, "vadd"), CUDA_SUCCESS);
	CHECK_EQ(cuFuncGetParamInfo(function, 3, &offset_B, &size_B), CUDA_SUCCESS);
	CHECK_EQ(offset_B, 24);
	CHECK_EQ(size_B, 4);
	CHECK_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
		 CUDA_SUCCESS);
	CHECK_EQ(value, 1024);
	CHECK_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				    227 * 1024), CUDA_SUCCESS);
	CHECK_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
				    227 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuModuleGetGlobal(&address, &size_B, module, "table"), CUDA_SUCCESS);
	CHECK_EQ(size_B, 16);
	CHECK_EQ(cuMemcpyDtoH(bytes, address, 16), CUDA_SUCCESS);
	CHECK_EQ(bytes[3], 4);
	CHECK_EQ(bytes[4], 0);
	CHECK_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
	CHECK_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
		 CUDA_ERROR_INVALID_HANDLE);
}

static void linking(void)
{
	CUlinkState state;
	CUmodule module;
	void *image;
	size_t size_B;
	char log[256] = "", *copy;
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
				  CU_JIT_OPTIMIZATION_LEVEL};
	void *values[] = {log, (void *)(uintptr_t)sizeof(log), (void *)(uintptr_t)3};
	REQUIRE(set_up());
	REQUIRE(cuLinkCreate(3, options, values, &state) == CUDA_SUCCESS);
	CHECK_EQ(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t) "junk", 5, "junk.ptx",
			       0, NULL, NULL), CUDA_ERROR_INVALID_PTX);
	CHECK(strstr(log, "junk.ptx"));
	CHECK_EQ(cuLinkDestroy(state), CUDA_SUCCESS);

	REQUIRE(cuLinkCreate(0, NULL, NULL, &state) == CUDA_SUCCESS);
	REQUIRE(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof(ptx), "a.ptx",
			      0, NULL, NULL) == CUDA_SUCCESS);
	REQUIRE(cuLinkComplete(state, &image, &size_B) == CUDA_SUCCESS);
	copy = malloc(size_B);
	REQUIRE(copy);
	memcpy(copy, image, size_B);
	CHECK_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
	CHECK_EQ(cuModuleLoadData(&module, copy), CUDA_SUCCESS);
	CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
	copy[size_B / 2] ^= 1;
	CHECK_EQ(cuModuleLoadData(&module, copy), CUDA_ERROR_INVALID_IMAGE);
	free(copy);
}

enum { COUNT = 1000 };

/* What is wrong with a launch is told at once and spoils nothing. */
static void wrong_launches(CUfunction vadd, CUstream stream, void **parameters)
{
	CUstream foreign;
	char packed[20] = {0};
	size_t packed_B = sizeof(packed);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_B, CU_LAUNCH_PARAM_END};
	CHECK_EQ(cuLaunchKernel(vadd, 0, 1, 1, 1, 1, 1, 0, stream, parameters, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuLaunchKernel(vadd, 1, 65536, 1, 1, 1, 1, 0, stream, parameters, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuLaunchKernel(vadd, 1, 1, 1, 1024, 2, 1, 0, stream, parameters, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuLaunchKernel(vadd, 1, 1, 1, 1, 1, 1, 49 * 1024, stream, parameters, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuLaunchKernel(vadd, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	/* Shorter than the parameters are. */
	CHECK_EQ(cuLaunchKernel(vadd, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuLaunchKernel((CUfunction)stream, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL),
		 CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuLaunchCooperativeKernel(vadd, 100000, 1, 1, 128, 1, 1, 0, stream, parameters),
		 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
	CHECK_EQ(cuCtxPushCurrent(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK_EQ(cuLaunchKernel(vadd, 1, 1, 1, 1, 1, 1, 0, foreign, parameters, NULL),
		 CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(cuStreamDestroy(foreign), CUDA_SUCCESS);
	CHECK_EQ(cuCtxPopCurrent(NULL), CUDA_SUCCESS);
}

static void launches(void)
{
	CUmodule module;
	CUfunction vadd;
	CUdeviceptr a, b, c;
	CUstream stream;
	float x[COUNT], y[COUNT], sum[COUNT];
	uint32_t count = COUNT;
	void *parameters[] = {&a, &b, &c, &count};
	struct { CUdeviceptr a, b, c; uint32_t count; } packed;
	size_t packed_B = 28;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_B, CU_LAUNCH_PARAM_END};
	REQUIRE(set_up());
	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)i;
		y[i] = (float)(2 * i);
	}
	REQUIRE(cuMemAlloc(&a, sizeof(x)) == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&b, sizeof(x)) == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&c, sizeof(x)) == CUDA_SUCCESS);
	REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
	REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
	REQUIRE(cuModuleGetFunction(&vadd, module, "vadd") == CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoDAsync(a, x, sizeof(x), stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyHtoDAsync(b, y, sizeof(y), stream), CUDA_SUCCESS);
	CHECK_EQ(cuLaunchKernel(vadd, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL),
		 CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoHAsync(sum, c, sizeof(sum), stream), CUDA_SUCCESS);
	CHECK_EQ(sum[COUNT - 1], 3 * (COUNT - 1));
	CHECK_EQ(cuMemsetD8Async(c, 0, sizeof(x), stream), CUDA_SUCCESS);
	packed.a = a;
	packed.b = b;
	packed.c = c;
	packed.count = COUNT;
	CHECK_EQ(cuLaunchKernel(vadd, 8, 1, 1, 128, 1, 1, 0, stream, NULL, extra), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoHAsync(sum, c, sizeof(sum), stream), CUDA_SUCCESS);
	CHECK_EQ(sum[7], 21);

	wrong_launches(vadd, stream, parameters);
	CHECK_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
	/* A module may go while its kernels are in a stream. */
	CHECK_EQ(cuMemsetD8Async(c, 0, sizeof(x), stream), CUDA_SUCCESS);
	CHECK_EQ(cuLaunchKernel(vadd, 8, 1, 1, 128, 1, 1, 0, stream, NULL, extra), CUDA_SUCCESS);
	CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
	CHECK_EQ(cuMemcpyDtoHAsync(sum, c, sizeof(sum), stream), CUDA_SUCCESS);
	CHECK_EQ(sum[9], 27);
	CHECK_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(b), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(c), CUDA_SUCCESS);
}

static size_t shared_of(int threads)
{
	return (size_t)threads * 100;
}

static void libraries_and_occupancy(void)
{
	CUlibrary library;
	CUkernel kernel;
	CUfunction function;
	unsigned count;
	int grid, block, blocks;
	REQUIRE(set_up());
	REQUIRE(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) == CUDA_SUCCESS);
	CHECK_EQ(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
	CHECK_EQ(count, 2);
	CHECK_EQ(cuLibraryGetKernel(&kernel, library, "vadd"), CUDA_SUCCESS);
	CHECK_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
	CHECK_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0),
		 CUDA_SUCCESS);
	CHECK(block >= 32 && block <= 1024 && block % 32 == 0);
	CHECK(grid >= 4);
	CHECK_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, shared_of, 0, 100),
		 CUDA_SUCCESS);
	CHECK(block <= 100);
	CHECK_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0),
		 CUDA_SUCCESS);
	CHECK_EQ(blocks, 2);
	CHECK_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 100 * 1024),
		 CUDA_SUCCESS);
	CHECK_EQ(blocks, 2);
	CHECK_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
	CHECK_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}

/* A fault stays until the context is reset, and stays in its context. */
static void faults(void)
{
	CUmodule module;
	CUfunction poke;
	CUdeviceptr a, bad;
	CUevent event;
	void *parameters[] = {&bad};
	REQUIRE(set_up());
	REQUIRE(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
	REQUIRE(cuModuleGetFunction(&poke, module, "poke") == CUDA_SUCCESS);
	REQUIRE(cuMemAlloc(&a, 64) == CUDA_SUCCESS);
	REQUIRE(cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS);
	bad = a;
	CHECK_EQ(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
	bad = a + 64;
	CHECK_EQ(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuMemAlloc(&a, 64), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuStreamQuery(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuEventQuery(event), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuEventDestroy(event), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuCtxSetCurrent(contexts[1]), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc(&a, 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
	CHECK_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
	contexts[0] = NULL;
	REQUIRE(set_up());
	CHECK_EQ(cuMemAlloc(&a, 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree(a), CUDA_SUCCESS);
}

/* --- names ------------------------------------------------------------------------ */

static void names(void)
{
	void *first = NULL, *second = NULL;
	CUdriverProcAddressQueryResult status;
	REQUIRE(set_up());
	CHECK_EQ(cuGetProcAddress("cuMemAlloc", &first, 13000, 0, &status), CUDA_SUCCESS);
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
	CHECK(first);
	CHECK_EQ(cuGetProcAddress("cuCtxDestroy", &first, 3020, 0, &status), CUDA_SUCCESS);
	CHECK_EQ(cuGetProcAddress("cuCtxDestroy", &second, 12000, 0, &status), CUDA_SUCCESS);
	CHECK(first != second);
	CHECK_EQ(cuGetProcAddress("cuLaunchKernelEx", &first, 11000, 0, &status),
		 CUDA_ERROR_NOT_FOUND);
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	CHECK(!first);
	CHECK_EQ(cuGetProcAddress("cuNoSuchThing", &first, 13000, 0, &status),
		 CUDA_ERROR_NOT_FOUND);
	CHECK_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	CHECK_EQ(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
		 CUDA_ERROR_NOT_SUPPORTED);
}

/* Nothing that the OpenCL driver may call is missing. */
static void surface(void)
{
	static const char *const wanted[] = {
#define CUDA_SYMBOL(name, need, parameters) #name,
#include "backend/cuda_symbols.def"
#undef CUDA_SYMBOL
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!dlsym(RTLD_DEFAULT, wanted[i])) {
			printf("softcuda has no %s\n", wanted[i]);
			test_failures++;
		}
}

/* --- the end ---------------------------------------------------------------------- */

/* The exit status of what run does in a child; -1: killed, or it hangs. */
static int child_status(void (*run)(void))
{
	fflush(stdout);
	pid_t child = fork();
	if (!child)
		run();
	for (int i = 0; i < 1000; i++) {
		int status;
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		sleep_ms(10);
	}
	return -1;
}

static void use_after_fork(void)
{
	int count;
	CUdeviceptr a;
	exit(cuMemAlloc(&a, 16) == CUDA_ERROR_NOT_INITIALIZED &&
	     cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
	     cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
}

static void run_again(void)
{
	setenv("CULVERT_TEST_LEAVE", "1", 1);
	execl("/proc/self/exe", "t_soft_launch", (char *)NULL);
	_exit(99);
}

static void forks_and_ends(void)
{
	REQUIRE(set_up());
	CHECK_EQ(child_status(use_after_fork), 0);
	/* A process that ends with full streams. */
	CHECK_EQ(child_status(run_again), 0);
}

static void sleep_long(void *unused)
{
	(void)unused;
	sleep_ms(1000000);
}

/* In the second process of forks_and_ends: leaves in the middle of work. */
static void leave(void)
{
	CUstream stream, stuck;
	CUdeviceptr a;
	static char bytes[1 << 16];
	if (!set_up() || cuStreamCreate(&stream, 0) != CUDA_SUCCESS ||
	    cuStreamCreate(&stuck, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
	    cuMemAlloc(&a, sizeof(bytes)) != CUDA_SUCCESS ||
	    cuMemsetD32(a, 0, 4) != CUDA_SUCCESS || cuCtxSynchronize() != CUDA_SUCCESS ||
	    cuStreamWaitValue32(stuck, a, 1, CU_STREAM_WAIT_VALUE_EQ) != CUDA_SUCCESS ||
	    cuLaunchHostFunc(stream, sleep_long, NULL) != CUDA_SUCCESS)
		exit(1);
	for (int i = 0; i < 100; i++)
		if (cuMemcpyHtoDAsync(a, bytes, sizeof(bytes), stream) != CUDA_SUCCESS)
			exit(2);
	exit(0);
}

__attribute__((constructor)) static void prepare(void)
{
	if (getenv("CULVERT_TEST_LEAVE"))
		leave();
}

TEST_MAIN(TEST(modules), TEST(linking), TEST(launches), TEST(libraries_and_occupancy),
	  TEST(faults), TEST(names), TEST(surface), TEST(forks_and_ends))
