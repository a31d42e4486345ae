/* CUDA IPC: memory of cuMemAlloc that other processes map.
 *
 * An allocation moves into a memfd, at the address where it is, when a handle of it is first asked
 * for.  A handle names this process, the descriptor in it and the file behind that; another process
 * opens it by /proc, which the kernel allows to the same user alone.  Nothing is left behind when
 * both are gone.
 *
 * As on hardware, memory of pools, managed memory and mappings of cuMemMap have no such handle, a
 * process does not open its own handles, and one that is opened again is the same mapping, counted.
 * Allocations that come from the heap (driver/memory.c) have none either, which is softcuda's alone:
 * CUDA shares all of the block that a small allocation is part of. */
#include "config.h"

#include "base/log.h"
#include "base/page.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/machine.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[8] = "softIPC";

struct ipc_handle {
	char magic[8];
	uint64_t size_B, inode;
	int32_t process, fd;
};

_Static_assert(sizeof(struct ipc_handle) <= sizeof(CUipcMemHandle), "a handle has 64 bytes");

/* --- moving into a file ---------- */

static bool page_round(uint64_t size_B, uint64_t *rounded_B_out)
{
	*rounded_B_out = host_pages_B(size_B);
	return *rounded_B_out >= size_B;
}

static bool write_all(int fd, const char *bytes, uint64_t size_B)
{
	uint64_t done_B = 0;
	while (done_B < size_B) {
		const ssize_t got_B = pwrite(fd, bytes + done_B, size_B - done_B, (off_t)done_B);
		if (got_B <= 0)
			return false;
		done_B += (uint64_t)got_B;
	}
	return true;
}

/* Replaces the allocation's memory by that of a file, with the same bytes at the same address.  Nothing that runs
 * may access it meanwhile. */
static CUresult move_locked(struct soft_allocation *allocation)
{
	void *at = (void *)(uintptr_t)allocation->start;
	uint64_t size_B;
	if (!page_round(allocation->size_B, &size_B))
		return CUDA_ERROR_OUT_OF_MEMORY;
	const int fd = memfd_create("softcuda-ipc", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	if (ftruncate(fd, (off_t)size_B) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) ||
	    !write_all(fd, at, allocation->size_B) ||
	    mmap(at, size_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		close(fd);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	allocation->ipc_fd = fd;
	allocation->ipc_exported = true;
	return CUDA_SUCCESS;
}

static CUresult handle_fill(const struct soft_allocation *allocation, CUipcMemHandle *handle_out)
{
	struct ipc_handle handle = {.process = (int32_t)getpid(), .fd = allocation->ipc_fd,
				    .size_B = allocation->size_B};
	struct stat status;
	if (fstat(allocation->ipc_fd, &status))
		return CUDA_ERROR_OPERATING_SYSTEM;
	handle.inode = (uint64_t)status.st_ino;
	memcpy(handle.magic, MAGIC, sizeof(MAGIC));
	memset(handle_out, 0, sizeof(*handle_out));
	memcpy(handle_out->reserved, &handle, sizeof(handle));
	return CUDA_SUCCESS;
}

/* NULL: address is not the start of an allocation of cuMemAlloc. */
static struct soft_allocation *shareable_locked(CUdeviceptr address)
{
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	return allocation && allocation->start == address && !allocation->freeing &&
			       soft_memory_is_ipc_capable(allocation)
		       ? allocation : NULL;
}

static CUresult get_locked(CUipcMemHandle *handle_out, CUdeviceptr address)
{
	if (!handle_out || !shareable_locked(address))
		return CUDA_ERROR_INVALID_VALUE;
	if (soft_machine() == SOFT_MACHINE_WSL)
		return CUDA_ERROR_NOT_SUPPORTED;
	soft_schedule_quiet_locked();
	/* The lock was dropped during the wait, so the allocation is looked up again. */
	struct soft_allocation *allocation = shareable_locked(address);
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	if (!allocation->mapping_B) {
		log_err("softcuda: cuIpcGetMemHandle: an allocation of %llu bytes is too small to be "
			"shared", (unsigned long long)allocation->size_B);
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	const CUresult result = allocation->ipc_exported ? CUDA_SUCCESS : move_locked(allocation);
	return result == CUDA_SUCCESS ? handle_fill(allocation, handle_out) : result;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle_out, CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, get_locked(handle_out, address));
}

/* --- in another process ---------- */

/* -1: the process has ended, has freed the memory, or belongs to another user. */
static int file_open(const struct ipc_handle *handle)
{
	char path[64];
	struct stat status;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)handle->process, (int)handle->fd);
	const int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* The number may be that of another file by now. */
	if (fcntl(fd, F_GET_SEALS) != (F_SEAL_SHRINK | F_SEAL_GROW) || fstat(fd, &status) ||
	    (uint64_t)status.st_ino != handle->inode || (uint64_t)status.st_size < handle->size_B) {
		close(fd);
		return -1;
	}
	return fd;
}

static CUresult map_locked(struct soft_context *context, const struct ipc_handle *handle,
			   CUdeviceptr *address_out)
{
	struct soft_allocation *allocation;
	uint64_t size_B;
	const int fd = handle->size_B && page_round(handle->size_B, &size_B) ? file_open(handle) : -1;
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	void *at = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = soft_memory_share_locked(context, context->device, (uint64_t)(uintptr_t)at,
						   handle->size_B, at, size_B, &allocation);
	if (result != CUDA_SUCCESS) {
		munmap(at, size_B);
		return result;
	}
	/* It is closed by cuIpcCloseMemHandle, not by cuMemFree. */
	allocation->mapped = true;
	allocation->ipc_inode = handle->inode;
	allocation->ipc_opens = 1;
	*address_out = allocation->start;
	return CUDA_SUCCESS;
}

static CUresult open_locked(struct soft_context *context, CUdeviceptr *address_out,
			    const CUipcMemHandle *cu_handle, unsigned flags)
{
	struct ipc_handle handle;
	memcpy(&handle, cu_handle->reserved, sizeof(handle));
	if (!address_out || flags & ~(unsigned)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ||
	    memcmp(handle.magic, MAGIC, sizeof(MAGIC)))
		return CUDA_ERROR_INVALID_VALUE;
	if (handle.process == (int32_t)getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	struct soft_allocation *open = soft_memory_opened_locked(context, handle.inode);
	if (!open)
		return map_locked(context, &handle, address_out);
	open->ipc_opens++;
	*address_out = open->start;
	return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address_out, CUipcMemHandle handle, unsigned int flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, open_locked(context, address_out, &handle, flags));
}

static CUresult close_locked(struct soft_context *context, CUdeviceptr address)
{
	struct soft_allocation *allocation = soft_memory_lookup_locked(address);
	if (!allocation || allocation->start != address || !allocation->ipc_opens ||
	    allocation->freeing)
		return CUDA_ERROR_INVALID_VALUE;
	if (--allocation->ipc_opens)
		return CUDA_SUCCESS;
	return soft_memory_end_locked(context, allocation, "cuIpcCloseMemHandle");
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, close_locked(context, address));
}
