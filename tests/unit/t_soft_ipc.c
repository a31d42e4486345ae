/* Protects: CUDA IPC on softcuda: what one process writes the other reads, both ways, also where the
 * memory had its contents before its handle was asked for; a handle opened twice is one mapping, and
 * one of memory that was freed opens nothing; what cannot be shared is refused, as CUDA does; under WSL 2,
 * nothing can be shared. */
#include "config.h"

#include "tests/unit/soft_setup.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1 << 20, SIZE_B = 4 * WORDS, ODD_B = 70001 };

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)
#define INVALID(call) CHECK_EQ(call, CUDA_ERROR_INVALID_VALUE)

static int partner;                     /* the other process's end of a socket */

static void give(const void *bytes, size_t size_B)
{
	CHECK_EQ(send(partner, bytes, size_B, MSG_NOSIGNAL), (ssize_t)size_B);
}

static void take(void *bytes, size_t size_B)
{
	CHECK_EQ(recv(partner, bytes, size_B, MSG_WAITALL), (ssize_t)size_B);
}

static unsigned word_at(CUdeviceptr address)
{
	unsigned word = 0;
	OK(cuMemcpyDtoH(&word, address, 4));
	return word;
}

/* --- the process that opens --------------------------------------------------------------------- */

static void open_twice(CUipcMemHandle handle)
{
	CUdeviceptr one = 0, other = 0, start = 0;
	size_t size_B = 0;
	OK(cuIpcOpenMemHandle(&one, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuIpcOpenMemHandle(&other, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	CHECK_EQ(one, other);
	OK(cuMemGetAddressRange(&start, &size_B, one + 5));
	CHECK(start == one && size_B == SIZE_B);
	INVALID(cuMemFree(one));
	INVALID(cuIpcCloseMemHandle(one + 4));
	OK(cuIpcCloseMemHandle(one));
	CHECK_EQ(word_at(one), 11);
	CHECK_EQ(word_at(one + SIZE_B - 4), 11);
	OK(cuMemsetD32(one + 4, 22, 1));
	OK(cuCtxSynchronize());
	give("w", 1);
	char go;
	take(&go, 1);
	CHECK_EQ(word_at(one + 8), 33);
	OK(cuIpcCloseMemHandle(one));
	INVALID(cuIpcCloseMemHandle(one));
	unsigned word;
	INVALID(cuMemcpyDtoH(&word, one, 4));
	give("c", 1);
	take(&go, 1);
	/* The other has freed it. */
	INVALID(cuIpcOpenMemHandle(&one, handle, 0));
}

static int opener(void)
{
	CUipcMemHandle handle;
	CUdeviceptr address = 0;
	CHECK(set_up());
	take(&handle, sizeof(handle));
	INVALID(cuIpcOpenMemHandle(&address, handle, 2));
	open_twice(handle);
	take(&handle, sizeof(handle));
	OK(cuIpcOpenMemHandle(&address, handle, 0));
	unsigned char last = 0;
	OK(cuMemcpyDtoH(&last, address + ODD_B - 1, 1));
	CHECK_EQ(last, 44);
	INVALID(cuMemcpyDtoH(&last, address + ODD_B, 1));
	OK(cuIpcCloseMemHandle(address));
	memset(&handle, 0, sizeof(handle));
	INVALID(cuIpcOpenMemHandle(&address, handle, 0));
	return test_failures ? 1 : 0;
}

/* --- the process that exports ------------------------------------------------------------------- */

static pid_t opener_start(void)
{
	int sockets[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return -1;
	/* The driver does not live on in a child: it has not begun yet. */
	const pid_t child = fork();
	partner = sockets[child == 0];
	close(sockets[child != 0]);
	if (!child) {
		const int status = opener();
		fflush(stdout);
		_exit(status);
	}
	return child;
}

static void exported(void)
{
	CUipcMemHandle handle, again;
	CUdeviceptr address, odd;
	struct gate gate;
	CUstream stream;
	char byte;
	OK(cuMemAlloc(&address, SIZE_B));
	OK(cuMemsetD32(address, 11, WORDS));
	OK(cuCtxSynchronize());
	/* What waits for the host does not hold it up, and a copy that is queued finds the memory. */
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	gate_put(&gate, stream);
	OK(cuMemsetD32Async(address + 8, 33, 1, stream));
	OK(cuIpcGetMemHandle(&handle, address));
	OK(cuIpcGetMemHandle(&again, address));
	CHECK(!memcmp(&handle, &again, sizeof(handle)));
	CHECK_EQ(cuIpcOpenMemHandle(&odd, handle, 0), CUDA_ERROR_INVALID_CONTEXT);
	give(&handle, sizeof(handle));
	take(&byte, 1);
	CHECK_EQ(word_at(address + 4), 22);
	gate_open(&gate);
	OK(cuStreamSynchronize(stream));
	CHECK_EQ(word_at(address + 8), 33);
	OK(cuStreamDestroy(stream));
	give("g", 1);
	take(&byte, 1);
	OK(cuMemFree(address));
	give("f", 1);
	OK(cuMemAlloc(&odd, ODD_B));
	OK(cuMemsetD8(odd, 44, ODD_B));
	OK(cuCtxSynchronize());
	OK(cuIpcGetMemHandle(&handle, odd));
	give(&handle, sizeof(handle));
}

static bool is_machine(const char *name)
{
	const char *machine = getenv("CULVERT_SOFT_MACHINE");
	return machine && !strcmp(machine, name);
}

static void two_processes(void)
{
	if (is_machine("wsl"))
		SKIP("WSL 2 has no CUDA IPC: see `refused`");
	const pid_t child = opener_start();
	int status = -1;
	REQUIRE(child > 0);
	CHECK(set_up());
	exported();
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	close(partner);
}

static unsigned capable(CUdeviceptr address)
{
	unsigned answer = 7;
	OK(cuPointerGetAttribute(&answer, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, address));
	return answer;
}

static void refused(void)
{
	CUipcMemHandle handle;
	CUdeviceptr plain, small, pooled, managed;
	void *host;
	CHECK(set_up());
	OK(cuMemAlloc(&plain, SIZE_B));
	OK(cuMemAlloc(&small, 256));
	OK(cuMemAllocAsync(&pooled, SIZE_B, NULL));
	OK(cuMemAllocManaged(&managed, SIZE_B, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemAllocHost(&host, SIZE_B));
	const bool wsl = is_machine("wsl");
	CHECK(capable(plain) == !wsl && capable(pooled) == 0 && capable(managed) == 0);
	if (wsl)
		CHECK_EQ(cuIpcGetMemHandle(&handle, plain), CUDA_ERROR_NOT_SUPPORTED);
	INVALID(cuIpcGetMemHandle(NULL, plain));
	INVALID(cuIpcGetMemHandle(&handle, plain + 256));
	INVALID(cuIpcGetMemHandle(&handle, 0));
	INVALID(cuIpcGetMemHandle(&handle, pooled));
	INVALID(cuIpcGetMemHandle(&handle, managed));
	INVALID(cuIpcGetMemHandle(&handle, (CUdeviceptr)(uintptr_t)host));
	/* A small one is from the heap, but where kernels can access the heap. */
	const char *option = getenv("CULVERT_SOFT_PAGEABLE");
	const bool pageable = is_machine("coherent") || (option && !strcmp(option, "1"));
	CHECK_EQ(cuIpcGetMemHandle(&handle, small), pageable && !wsl ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
	INVALID(cuIpcCloseMemHandle(plain));
	OK(cuMemFreeHost(host));
	OK(cuMemFree(managed));
	OK(cuMemFreeAsync(pooled, NULL));
	OK(cuMemFree(small));
	OK(cuMemFree(plain));
}

int main(void)
{
	static const struct test_case cases[] = {TEST(two_processes), TEST(refused)};
	setenv("CULVERT_SOFT_DEVICES", "2", 1);
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
