/* Protects: softcuda's calls that fail on purpose (CULVERT_SOFT_FAULT) and its
 * counts (CULVERT_SOFT_COUNT). */
#include "config.h"

#include "tests/unit/soft_setup.h"

#include <sys/wait.h>
#include <unistd.h>

static const char rules[] =
	"cuMemAlloc_v2:2:OUT_OF_MEMORY,"
	"cuMemHost*:*:NOT_PERMITTED,"
	"cuMemsetD32Async:2+:UNKNOWN:dev=1,"
	"cuMemsetD8Async:1:ILLEGAL_ADDRESS:async:dev=1,"
	"cuStreamCreate:2:LAUNCH_FAILED:sticky";

/* What cuInit says in a process of its own that has other rules; -1: it died. */
static int init_with(const char *text, const char *count_path)
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		int count;
		setenv("CULVERT_SOFT_FAULT", text, 1);
		setenv("CULVERT_SOFT_COUNT", count_path, 1);
		int result = (int)cuInit(0);
		cuDeviceGetCount(&count);
		cuDeviceGetCount(&count);
		exit(result);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* The first test, while this process has not read its options. */
static void reading(void)
{
	static const char *const wrong[] = {
		"cuInit", "cuInit:1", ":1:UNKNOWN", "cuInit:0:UNKNOWN", "cuInit:x:UNKNOWN",
		"cuInit:1-:UNKNOWN", "cuInit:1:CUDA_ERROR_UNKNOWN", "cuInit:1:NO_SUCH",
		"cuInit:1:UNKNOWN:twice", "cuInit:1:UNKNOWN:dev=", "cuInit:1:UNKNOWN:dev=16",
		"cuFoo:1:UNKNOWN,,cuInit:1:UNKNOWN", ":cuInit:1:UNKNOWN",
		"cuMemsetD8Async:1:DROP:sticky", "cuMemsetD8Async:1:DROP:async",
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK_EQ(init_with(wrong[i], ""), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(init_with("", ""), CUDA_SUCCESS);
	CHECK_EQ(init_with("cuInit:2:NO_DEVICE", ""), CUDA_SUCCESS);
	/* Results that were never written are no results: such calls are not dropped. */
	CHECK_EQ(init_with("cu*:*:DROP", ""), CUDA_SUCCESS);
	CHECK_EQ(init_with("cuDev*:1:UNKNOWN,cuI?it:1:NO_DEVICE", ""), CUDA_ERROR_NO_DEVICE);
}

static void counts(void)
{
	char path[64], text[2048] = "";
	snprintf(path, sizeof(path), "t_soft_fault.%ld", (long)getpid());
	CHECK_EQ(init_with("cuDeviceGetCount:2:UNKNOWN", path), CUDA_SUCCESS);
	FILE *file = fopen(path, "r");
	REQUIRE(file);
	CHECK(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	unlink(path);
	CHECK(strstr(text, "call cuDeviceGetCount 2\n") != NULL);
	CHECK(strstr(text, "call cuInit 1\n") != NULL);
	CHECK(strstr(text, "faults injected 1\n") != NULL);
	CHECK(strstr(text, "live contexts 0\n") != NULL);
	CHECK(strstr(text, "live device_allocations 0\n") != NULL);
}

static void by_count(void)
{
	CUdeviceptr address[3] = {0};
	void *pointer = NULL;
	REQUIRE(set_up());
	CHECK_EQ(cuMemAlloc_v2(&address[0], 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc_v2(&address[1], 64), CUDA_ERROR_OUT_OF_MEMORY);
	CHECK_EQ(cuMemAlloc_v2(&address[2], 64), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(address[0]), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(address[2]), CUDA_SUCCESS);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(cuMemHostAlloc(&pointer, 64, 0), CUDA_ERROR_NOT_PERMITTED);
	CHECK(!pointer);
}

/* Device 1 has rules that device 0 has not; then its fill kills it. */
static void by_device(void)
{
	CUdeviceptr address[DEVICES];
	REQUIRE(set_up());
	for (int i = 0; i < DEVICES; i++) {
		CHECK_EQ(cuCtxSetCurrent(contexts[i]), CUDA_SUCCESS);
		CHECK_EQ(cuMemAlloc_v2(&address[i], 64), CUDA_SUCCESS);
		CHECK_EQ(cuMemsetD32Async(address[i], 1, 16, NULL), CUDA_SUCCESS);
		for (int again = 0; again < 2; again++)
			CHECK_EQ(cuMemsetD32Async(address[i], 1, 16, NULL),
				 i ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS);
		CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
	}
	CHECK_EQ(cuMemsetD8Async(address[1], 1, 64, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuMemsetD8Async(address[1], 1, 64, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_EQ(cuCtxSetCurrent(contexts[0]), CUDA_SUCCESS);
	CHECK_EQ(cuMemsetD8Async(address[0], 1, 64, NULL), CUDA_SUCCESS);
	CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
	CHECK_EQ(cuMemFree_v2(address[0]), CUDA_SUCCESS);
}

/* What waits behind a gate ends when the context gets its fault. */
static void sticky(void)
{
	CUdeviceptr address;
	CUstream streams[2];
	CUevent event;
	struct gate gate;
	REQUIRE(set_up());
	CHECK_EQ(cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	CHECK_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
	CHECK_EQ(cuMemAlloc_v2(&address, 64), CUDA_SUCCESS);
	gate_put(&gate, streams[0]);
	CHECK_EQ(sem_wait(&gate.reached), 0);
	CHECK_EQ(cuMemsetD8Async(address, 1, 64, streams[0]), CUDA_SUCCESS);
	CHECK_EQ(cuEventRecord(event, streams[0]), CUDA_SUCCESS);
	CHECK_EQ(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING), CUDA_ERROR_LAUNCH_FAILED);
	gate_open(&gate);
	CHECK_EQ(cuStreamSynchronize(streams[0]), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_EQ(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_EQ(cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING), CUDA_ERROR_LAUNCH_FAILED);
}

__attribute__((constructor)) static void prepare(void)
{
	setenv("CULVERT_SOFT_FAULT", rules, 1);
}

TEST_MAIN(TEST(reading), TEST(counts), TEST(by_count), TEST(by_device), TEST(sticky))
