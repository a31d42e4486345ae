/* Protects: softcuda as older drivers: what a release of CUDA lacks is missing: functions, attributes, newer PTX,
 * newer GPUs.  Which release brought what: NVIDIA's <cuda.h> and <cudaTypedefs.h> of 12.0 to 13.0, and the
 * release notes of the PTX ISA. */
#include "config.h"

#include "softcuda/control.h"
#include "tests/unit/test.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct known {
	const char *driver;
	int version, ptx;                    /* the newest PTX, 10 * major + minor */
};

/* The options are read once: each release has a process of its own. */
static void in_child(const char *driver, const char *sm, void (*run)(const struct known *),
		     const struct known *known)
{
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_DRIVER", driver, 1);
		setenv("CULVERT_SOFT_SM", sm, 1);
		setenv("CULVERT_SOFT_DEVICES", "2", 1);
		run(known);
		fflush(stdout);
		_exit(test_failures ? 1 : 0);
	}
	int status = -1;
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

static bool has(CUdevice_attribute attribute)
{
	int value;
	const CUresult result = cuDeviceGetAttribute(&value, attribute, 0);
	CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE);
	return result == CUDA_SUCCESS;
}

static CUresult load_ptx(int ptx, unsigned parameters_B)
{
	char text[256];
	CUmodule module;
	snprintf(text, sizeof(text), ".version %d.%d\n.target sm_75\n.address_size 64\n"
		 ".visible .entry k(.param .align 8 .b8 a[%u]) { ret; }\n", ptx / 10, ptx % 10, parameters_B);
	const CUresult result = cuModuleLoadData(&module, text);
	if (result == CUDA_SUCCESS)
		CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
	return result;
}

static void check_functions(int version)
{
	void *prefetch = NULL, *newer = NULL;
	CUdriverProcAddressQueryResult status;
	CHECK_EQ(culvert_soft_lacks("cuMemAlloc_v2"), 0);
	CHECK_EQ(culvert_soft_lacks("cuGraphAddKernelNode_v2"), version < 12000);
	CHECK_EQ(culvert_soft_lacks("cuMemPrefetchAsync"), 0);
	CHECK_EQ(culvert_soft_lacks("cuMemPrefetchAsync_v2"), version < 12020);
	CHECK_EQ(culvert_soft_lacks("cuFuncGetName"), version < 12030);
	CHECK_EQ(culvert_soft_lacks("cuKernelGetLibrary"), version < 12050);
	CHECK_EQ(culvert_soft_lacks("cuStreamGetDevice"), version < 12080);
	/* Who asks for the newest gets what there is. */
	CHECK_EQ(cuGetProcAddress("cuMemPrefetchAsync", &prefetch, 8000, 0, &status), CUDA_SUCCESS);
	CHECK_EQ(cuGetProcAddress("cuMemPrefetchAsync", &newer, 13000, 0, &status), CUDA_SUCCESS);
	CHECK_EQ(prefetch == newer, version < 12020);
	CHECK_EQ(cuGetProcAddress("cuFuncLoad", &newer, 13000, 0, &status),
		 version < 12040 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS);
	CHECK_EQ(status, version < 12040 ? CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND :
					   CU_GET_PROC_ADDRESS_SUCCESS);
}

static void check_release(const struct known *known)
{
	CUcontext context;
	int version = 0;
	REQUIRE(cuInit(0) == CUDA_SUCCESS);
	CHECK_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
	CHECK_EQ(version, known->version);
	check_functions(version);
	CHECK(has(CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS));
	/* Numbers, for an older <cuda.h> has no names of them. */
	CHECK_EQ(has((CUdevice_attribute)132), version >= 12010); /* MULTICAST_SUPPORTED */
	CHECK_EQ(has((CUdevice_attribute)134), version >= 12020); /* HOST_NUMA_ID */
	CHECK_EQ(has((CUdevice_attribute)139), version >= 12080); /* GPU_PCI_DEVICE_ID */
	CHECK_EQ(has((CUdevice_attribute)144), version >= 13000); /* HOST_MEMORY_POOLS_SUPPORTED */
	REQUIRE(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
	REQUIRE(cuCtxSetCurrent(context) == CUDA_SUCCESS);
	CHECK_EQ(load_ptx(known->ptx, 4096), CUDA_SUCCESS);
	CHECK_EQ(load_ptx(64, 4096), CUDA_SUCCESS);
	CHECK_EQ(load_ptx(known->ptx + 1, 4096), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
	/* PTX ISA 8.1 raised the limit of 4352 bytes. */
	CHECK_EQ(load_ptx(known->ptx, 4353), known->ptx < 81 ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS);
	CHECK_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

static void releases(void)
{
	static const struct known known[] = {
		{"11.8", 11080, 78}, {"12.0", 12000, 80}, {"12.1", 12010, 81}, {"12040", 12040, 84},
		{"12.8", 12080, 87}, {"13.0", 13000, 90}, {"", 13000, 90},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		in_child(known[i].driver, "75", check_release, &known[i]);
}

static void check_newest_gone(const struct known *known)
{
	int count, major = 0;
	(void)known;
	REQUIRE(cuInit(0) == CUDA_SUCCESS);
	CHECK_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
	CHECK_EQ(count, 1);
	CHECK_EQ(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
	CHECK_EQ(major, 9);
}

static void check_no_device(const struct known *known)
{
	(void)known;
	CHECK_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

static void check_refused(const struct known *known)
{
	(void)known;
	CHECK_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE);
}

static void check_all(const struct known *known)
{
	int count;
	(void)known;
	REQUIRE(cuInit(0) == CUDA_SUCCESS);
	CHECK_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
	CHECK_EQ(count, 2);
}

/* sm_100 and sm_120 came with 12.8, sm_103 and sm_121 with 12.9, sm_110 with 13.0. */
static void newer_devices(void)
{
	in_child("12.4", "100,90", check_newest_gone, NULL);
	in_child("12.4", "120,121", check_no_device, NULL);
	in_child("12.8", "100,120", check_all, NULL);
	in_child("12.8", "103,90", check_newest_gone, NULL);
	in_child("12.9", "103,121", check_all, NULL);
	in_child("12.9", "110,90", check_newest_gone, NULL);
	in_child("13.0", "110,121", check_all, NULL);
}

static void no_release(void)
{
	in_child("12.95", "90", check_refused, NULL);
	in_child("new", "90", check_refused, NULL);
	in_child("12.4 ", "90", check_refused, NULL);
}

TEST_MAIN(TEST(releases), TEST(newer_devices), TEST(no_release))
