/* Semaphores of other APIs: binary ones, by opaque file descriptors.
 *
 * What another API would export is a FIFO that is open for both directions: a byte in it
 * is the payload.  Who is on the other side signals by write(2) of one byte and waits by
 * poll(2) and read(2): since the import it does not block, in duplicates of the descriptor
 * either. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/check/report_file.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct semaphore {
	CUexternalSemaphore handle;          /* NULL once it is destroyed */
	struct soft_context *context;        /* only to compare with */
	int fd;
	unsigned refs;                       /* the handle, and operations in streams */
};

static void semaphore_unref_locked(struct semaphore *semaphore)
{
	if (--semaphore->refs)
		return;
	close(semaphore->fd);
	free(semaphore);
}

/* --- import ---------- */

static bool is_semaphore(int fd)
{
	struct stat status;
	const int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR && !fstat(fd, &status) &&
	       S_ISFIFO(status.st_mode) && !fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static CUresult import_locked(struct soft_context *context, CUexternalSemaphore *semaphore_out,
			      const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description)
{
	if (!semaphore_out || !description || description->flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (description->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!is_semaphore(description->handle.fd))
		return CUDA_ERROR_INVALID_HANDLE;
	struct semaphore *semaphore = calloc(1, sizeof(*semaphore));
	if (!semaphore)
		return CUDA_ERROR_OUT_OF_MEMORY;
	semaphore->handle = soft_handle_create_locked(SOFT_KIND_SEMAPHORE, semaphore);
	if (!semaphore->handle) {
		free(semaphore);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	semaphore->context = context;
	/* The driver now owns the file descriptor. */
	semaphore->fd = description->handle.fd;
	semaphore->refs = 1;
	*semaphore_out = semaphore->handle;
	return CUDA_SUCCESS;
}

CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore_out,
				   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *description)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, import_locked(context, semaphore_out, description));
}

/* CUDA requires that all signals and waits are complete. */
static CUresult destroy_locked(CUexternalSemaphore cu_semaphore)
{
	struct semaphore *semaphore =
		soft_handle_find_locked(SOFT_KIND_SEMAPHORE, cu_semaphore);
	if (!semaphore)
		return CUDA_ERROR_INVALID_HANDLE;
	if (semaphore->refs > 1)
		soft_report("softcuda: ordering: cuDestroyExternalSemaphore: %u signals or waits "
			    "of it are still in streams\n", semaphore->refs - 1);
	soft_handle_destroy_locked(semaphore->handle);
	semaphore->handle = NULL;
	semaphore_unref_locked(semaphore);
	return CUDA_SUCCESS;
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore cu_semaphore)
{
	SOFT_CALL(SOFT_NEED_FAULTY, destroy_locked(cu_semaphore));
}

/* --- use ---------- */

struct semaphore_operation {
	struct soft_operation base;
	struct semaphore *semaphore;
};

enum { LOOK_MS = 1 };

static bool given_up(const struct soft_operation *operation)
{
	lock_take(&soft_driver.lock);
	const bool over = soft_driver.stopping ||
			  operation->stream->context->fault != CUDA_SUCCESS;
	lock_drop(&soft_driver.lock);
	return over;
}

static bool readable(int fd, int timeout_ms)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, timeout_ms) == 1 && (polled.revents & POLLIN);
}

/* The worker thread waits meanwhile, as for a value in memory.  Another process may take the signal first. */
static CUresult wait_run(struct soft_operation *operation, struct bytes *report)
{
	const struct semaphore *semaphore = ((struct semaphore_operation *)operation)->semaphore;
	const uint64_t start_ns = soft_now_ns();
	bool is_reported = false;
	char byte;
	(void)report;
	while (!given_up(operation)) {
		if (readable(semaphore->fd, LOOK_MS) && read(semaphore->fd, &byte, 1) == 1)
			break;
		if (is_reported || soft_now_ns() - start_ns < soft_sched.stuck_ns)
			continue;
		is_reported = true;
		soft_report("softcuda: ordering: stream %llu waits for an external semaphore, and "
			    "nobody signals it\n", (unsigned long long)operation->stream->id);
	}
	return CUDA_SUCCESS;
}

/* A semaphore that is already signaled stays so; to signal it again is an error of the program. */
static CUresult signal_run(struct soft_operation *operation, struct bytes *report)
{
	const struct semaphore *semaphore = ((struct semaphore_operation *)operation)->semaphore;
	const char byte = 1;
	(void)report;
	if (readable(semaphore->fd, 0))
		soft_report("softcuda: ordering: stream %llu signals an external semaphore that is "
			    "signaled already\n", (unsigned long long)operation->stream->id);
	else if (write(semaphore->fd, &byte, 1) != 1)
		log_err("softcuda: an external semaphore cannot be signaled");
	return CUDA_SUCCESS;
}

static void operation_finish_locked(struct soft_operation *operation)
{
	semaphore_unref_locked(((struct semaphore_operation *)operation)->semaphore);
}

static const struct soft_operation_type wait_type = {
	.name = "semaphore wait",
	.run = wait_run,
	.waits_for_host = true,
	.finish_locked = operation_finish_locked,
};
static const struct soft_operation_type signal_type = {
	.name = "semaphore signal",
	.run = signal_run,
	.finish_locked = operation_finish_locked,
};

static CUresult submit_locked(const struct soft_operation_type *type, struct semaphore *semaphore,
			      struct soft_stream *stream)
{
	struct semaphore_operation *operation = soft_operation_create(type, sizeof(*operation));
	if (!operation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	operation->semaphore = semaphore;
	semaphore->refs++;
	return soft_operation_submit_locked(&operation->base, stream);
}

/* All semaphores are checked before the first operation is put into the stream. */
static CUresult use_locked(struct soft_context *context, const CUexternalSemaphore *cu_semaphores,
			   unsigned count, CUstream cu_stream,
			   const struct soft_operation_type *type)
{
	struct soft_stream *stream;
	CUresult result = soft_stream_find_locked(context, cu_stream, &stream);
	for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
		const struct semaphore *semaphore =
			soft_handle_find_locked(SOFT_KIND_SEMAPHORE, cu_semaphores[i]);
		if (!semaphore || semaphore->context != stream->context)
			result = CUDA_ERROR_INVALID_HANDLE;
	}
	for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
		result = submit_locked(type, soft_handle_find_locked(SOFT_KIND_SEMAPHORE,
								     cu_semaphores[i]), stream);
	return result;
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *cu_semaphores,
					 const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *parameters,
					 unsigned int count, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  cu_semaphores && parameters && count
			  ? use_locked(context, cu_semaphores, count, cu_stream, &signal_type)
			  : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *cu_semaphores,
				       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *parameters,
				       unsigned int count, CUstream cu_stream)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  cu_semaphores && parameters && count
			  ? use_locked(context, cu_semaphores, count, cu_stream, &wait_type)
			  : CUDA_ERROR_INVALID_VALUE);
}
