/* Protects: semaphores of other APIs in softcuda: a wait ends when the other side signals, each signal
 * is for one wait, errors are CUDA's, and what a program does wrong is reported. */
#include "config.h"

#include "softcuda/control.h"
#include "tests/api/fifo.h"
#include "tests/unit/soft_setup.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)

enum { PATIENCE_MS = 30000 };

static char report[] = "/tmp/t_soft_semaphore-XXXXXX";

__attribute__((constructor)) static void watch(void)
{
	const int fd = mkstemp(report);
	if (fd >= 0)
		close(fd);
	setenv("CULVERT_SOFT_REPORT", report, 1);
}

/* Whether text was reported since the last look. */
static bool reported(const char *text)
{
	char all[4096] = "";
	FILE *file = fopen(report, "r+");
	if (!file)
		return false;
	const size_t size_B = fread(all, 1, sizeof(all) - 1, file);
	const bool found = *text ? strstr(all, text) != NULL : !size_B;
	CHECK_EQ(ftruncate(fileno(file), 0), 0);
	fclose(file);
	return found;
}

/* The same of what comes by itself, however long that takes here. */
static bool reported_soon(const char *text)
{
	bool found = false;
	for (int i = 0; i < PATIENCE_MS && !found; i++) {
		sleep_ms(1);
		found = reported(text);
	}
	return found;
}

static CUresult import(int fd, CUexternalSemaphore *semaphore_out)
{
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle;
	memset(&handle, 0, sizeof(handle));
	handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
	handle.handle.fd = fd;
	return cuImportExternalSemaphore(semaphore_out, &handle);
}

static CUresult put_signal(CUexternalSemaphore semaphore, CUstream stream)
{
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters;
	memset(&parameters, 0, sizeof(parameters));
	return cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 1, stream);
}

static CUresult put_wait(CUexternalSemaphore semaphore, CUstream stream)
{
	CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS parameters;
	memset(&parameters, 0, sizeof(parameters));
	return cuWaitExternalSemaphoresAsync(&semaphore, &parameters, 1, stream);
}

static bool signaled(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, 0) == 1;
}

static void other_side(void)
{
	CUexternalSemaphore semaphore;
	CUstream stream, other;
	char byte;
	CHECK(set_up());
	const int fd = fifo_open(), seen = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	OK(import(fd, &semaphore));
	OK(put_wait(semaphore, stream));
	OK(cuStreamSynchronize(other));
	sleep_ms(20);
	CHECK_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	CHECK_EQ(write(seen, "s", 1), 1);
	OK(cuStreamSynchronize(stream));
	CHECK(!signaled(seen));
	OK(put_signal(semaphore, stream));
	OK(cuStreamSynchronize(stream));
	CHECK_EQ(read(seen, &byte, 1), 1);
	CHECK(!signaled(seen));
	CHECK(reported(""));
	OK(cuDestroyExternalSemaphore(semaphore));
	/* The descriptor was the driver's. */
	CHECK(fcntl(fd, F_GETFD) < 0);
	OK(cuStreamDestroy(stream));
	OK(cuStreamDestroy(other));
	close(seen);
}

/* How many of the first two are done. */
static int ended_of(const CUstream *streams)
{
	return (cuStreamQuery(streams[0]) == CUDA_SUCCESS) +
	       (cuStreamQuery(streams[1]) == CUDA_SUCCESS);
}

/* One signal lets one of two waits go. */
static void one_wait(void)
{
	CUexternalSemaphore semaphore;
	CUstream streams[3];
	CHECK(set_up());
	for (int i = 0; i < 3; i++)
		OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	OK(import(fifo_open(), &semaphore));
	OK(put_wait(semaphore, streams[0]));
	OK(put_wait(semaphore, streams[1]));
	OK(put_signal(semaphore, streams[2]));
	OK(cuStreamSynchronize(streams[2]));
	for (int i = 0; i < PATIENCE_MS && !ended_of(streams); i++)
		sleep_ms(1);
	/* Time for the other to be wrong in. */
	sleep_ms(20);
	CHECK_EQ(ended_of(streams), 1);
	OK(put_signal(semaphore, streams[2]));
	for (int i = 0; i < 3; i++) {
		OK(cuStreamSynchronize(streams[i]));
		OK(cuStreamDestroy(streams[i]));
	}
	OK(cuDestroyExternalSemaphore(semaphore));
}

static void mistakes(void)
{
	CUexternalSemaphore semaphore;
	CUstream stream;
	CHECK(set_up());
	const int fd = fifo_open(), seen = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(import(fd, &semaphore));
	(void)reported("");
	OK(put_signal(semaphore, stream));
	OK(put_signal(semaphore, stream));
	OK(cuStreamSynchronize(stream));
	CHECK(reported("signaled already"));
	OK(put_wait(semaphore, stream));
	OK(cuStreamSynchronize(stream));
	CHECK(reported(""));
	CHECK_EQ(culvert_soft_schedule("stuck:50"), 0);
	OK(put_wait(semaphore, stream));
	CHECK(reported_soon("nobody signals it"));
	OK(cuDestroyExternalSemaphore(semaphore));
	CHECK(reported("still in streams"));
	CHECK_EQ(write(seen, "s", 1), 1);
	OK(cuStreamSynchronize(stream));
	CHECK_EQ(culvert_soft_schedule(""), 0);
	OK(cuStreamDestroy(stream));
	close(seen);
}

static void errors(void)
{
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle;
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters;
	CUexternalSemaphore semaphore;
	int ends[2];
	CHECK(set_up());
	memset(&handle, 0, sizeof(handle));
	memset(&parameters, 0, sizeof(parameters));
	handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;
	CHECK_EQ(cuImportExternalSemaphore(&semaphore, &handle), CUDA_ERROR_NOT_SUPPORTED);
	CHECK_EQ(cuImportExternalSemaphore(&semaphore, NULL), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(import(-1, &semaphore), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(import(ends[0], &semaphore), CUDA_ERROR_INVALID_HANDLE);
	close(ends[0]);
	close(ends[1]);
	OK(import(fifo_open(), &semaphore));
	CHECK_EQ(cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 0, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(cuSignalExternalSemaphoresAsync(&semaphore, NULL, 1, NULL),
		 CUDA_ERROR_INVALID_VALUE);
	/* Of another context. */
	OK(cuCtxSetCurrent(contexts[1]));
	CHECK_EQ(put_wait(semaphore, NULL), CUDA_ERROR_INVALID_HANDLE);
	OK(cuCtxSetCurrent(contexts[0]));
	OK(cuDestroyExternalSemaphore(semaphore));
	CHECK_EQ(cuDestroyExternalSemaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
	CHECK_EQ(put_signal(semaphore, NULL), CUDA_ERROR_INVALID_HANDLE);
	unlink(report);
}

int main(void)
{
	static const struct test_case cases[] = {TEST(other_side), TEST(one_wait),
						 TEST(mistakes), TEST(errors)};
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
