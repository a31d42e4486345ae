/* Virtual memory management: memory that processes share.
 *
 * Physical memory is a memfd, sealed against a change of its size; a shareable handle is a
 * file descriptor of it.
 *
 * A mapping becomes an allocation when access to it is set, for one device. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/calls/sealed.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/managed.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULARITY_B = 2 << 20 };

/* The physical memory of a CUmemGenericAllocationHandle; it lives on while it is mapped. */
struct physical {
	void *handle;                        /* NULL: released */
	struct soft_device *device;
	int fd;
	uint64_t size_B;
	bool counted;                        /* it was created here and counts in the device's used_B */
	unsigned refs;                       /* the handle, and mappings */
};

struct mapping {
	struct list link;                    /* in reservation.mappings */
	uint64_t start, size_B;
	struct physical *physical;
	struct soft_allocation *allocation;  /* NULL: no device has access */
};

struct reservation {
	struct list link;
	uint64_t start, size_B;
	struct list mappings;
};

/* Guarded by the driver's lock. */
static struct list reservations = {&reservations, &reservations};

/* --- physical memory ---------- */

static void physical_unref_locked(struct physical *physical)
{
	if (--physical->refs)
		return;
	if (physical->counted)
		physical->device->used_B -= physical->size_B;
	close(physical->fd);
	free(physical);
}

/* On success it owns fd. */
static CUresult physical_make_locked(struct soft_device *device, int fd, uint64_t size_B,
				     bool counted, CUmemGenericAllocationHandle *handle_out)
{
	struct physical *physical = calloc(1, sizeof(*physical));
	if (!physical)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*physical = (struct physical){.device = device, .fd = fd, .size_B = size_B,
				      .counted = counted, .refs = 1};
	physical->handle = soft_handle_create_locked(SOFT_KIND_PHYSICAL, physical);
	if (!physical->handle) {
		free(physical);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (counted)
		device->used_B += size_B;
	*handle_out = (CUmemGenericAllocationHandle)(uintptr_t)physical->handle;
	return CUDA_SUCCESS;
}

static struct physical *physical_find_locked(CUmemGenericAllocationHandle handle)
{
	return soft_handle_find_locked(SOFT_KIND_PHYSICAL, (void *)(uintptr_t)handle);
}

static CUresult properties_check_locked(const CUmemAllocationProp *properties,
					struct soft_device **device_out)
{
	if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
	     properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
		return CUDA_ERROR_INVALID_VALUE;
	return soft_device_find_locked(properties->location.id, device_out);
}

static CUresult granularity_locked(size_t *granularity_B_out, const CUmemAllocationProp *properties)
{
	struct soft_device *device;
	if (!granularity_B_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = properties_check_locked(properties, &device);
	if (result == CUDA_SUCCESS)
		*granularity_B_out = GRANULARITY_B;
	return result;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity_B_out,
				       const CUmemAllocationProp *properties,
				       CUmemAllocationGranularity_flags option)
{
	(void)option;
	SOFT_CALL(SOFT_NEED_INIT, granularity_locked(granularity_B_out, properties));
}

static CUresult create_locked(CUmemGenericAllocationHandle *handle_out, size_t size_B,
			      const CUmemAllocationProp *properties, unsigned long long flags)
{
	struct soft_device *device;
	if (!handle_out || !size_B || size_B % GRANULARITY_B || flags)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = properties_check_locked(properties, &device);
	if (result != CUDA_SUCCESS)
		return result;
	if (!soft_managed_makes_room_locked(device, size_B))
		return CUDA_ERROR_OUT_OF_MEMORY;
	int fd = memfd_create("softcuda", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = ftruncate(fd, (off_t)size_B) ||
				 fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)
			 ? CUDA_ERROR_OUT_OF_MEMORY
			 : physical_make_locked(device, fd, size_B, true, handle_out);
	if (result != CUDA_SUCCESS)
		close(fd);
	return result;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle_out, size_t size_B,
		     const CUmemAllocationProp *properties, unsigned long long flags)
{
	SOFT_CALL(SOFT_NEED_INIT, create_locked(handle_out, size_B, properties, flags));
}

static CUresult release_locked(CUmemGenericAllocationHandle handle)
{
	struct physical *physical = physical_find_locked(handle);
	if (!physical)
		return CUDA_ERROR_INVALID_VALUE;
	soft_handle_destroy_locked(physical->handle);
	physical->handle = NULL;
	physical_unref_locked(physical);
	return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	SOFT_CALL(SOFT_NEED_INIT, release_locked(handle));
}

/* --- handles for other processes ---------- */

static CUresult export_locked(void *fd_out, CUmemGenericAllocationHandle handle,
			      CUmemAllocationHandleType type, unsigned long long flags)
{
	const struct physical *physical = physical_find_locked(handle);
	if (!fd_out || !physical || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	const int fd = fcntl(physical->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	*(int *)fd_out = fd;
	return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *fd_out, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType type, unsigned long long flags)
{
	SOFT_CALL(SOFT_NEED_INIT, export_locked(fd_out, handle, type, flags));
}

static CUresult import_locked(struct soft_context *context,
			      CUmemGenericAllocationHandle *handle_out, int fd,
			      CUmemAllocationHandleType type)
{
	const uint64_t size_B = soft_sealed_size_B(fd, F_SEAL_SHRINK | F_SEAL_GROW);
	if (!handle_out || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !size_B)
		return CUDA_ERROR_INVALID_VALUE;
	/* A copy of the file descriptor, which stays the caller's. */
	const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	CUresult result = physical_make_locked(context->device, own, size_B, false, handle_out);
	if (result != CUDA_SUCCESS)
		close(own);
	return result;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle_out, void *fd,
					CUmemAllocationHandleType type)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  import_locked(context, handle_out, (int)(intptr_t)fd, type));
}

/* --- addresses ---------- */

static bool addresses_clear(uint64_t start, uint64_t size_B)
{
	return mmap((void *)(uintptr_t)start, size_B, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* The address hint is ignored. */
static CUresult reserve_locked(CUdeviceptr *start_out, size_t size_B, size_t alignment_B,
			       unsigned long long flags)
{
	if (!start_out || !size_B || size_B % GRANULARITY_B || flags ||
	    alignment_B & (alignment_B - 1) || size_B > SIZE_MAX - GRANULARITY_B)
		return CUDA_ERROR_INVALID_VALUE;
	if (alignment_B > GRANULARITY_B)
		return CUDA_ERROR_NOT_SUPPORTED;
	struct reservation *reservation = calloc(1, sizeof(*reservation));
	char *at = mmap(NULL, size_B + GRANULARITY_B, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const size_t before_B = -(uintptr_t)at % GRANULARITY_B;
	/* What is mapped there is accessible for the host even before cuMemSetAccess. */
	if (!reservation || at == MAP_FAILED ||
	    !soft_pageable_own((uint64_t)(uintptr_t)(at + before_B), size_B, reservation)) {
		free(reservation);
		if (at != MAP_FAILED)
			munmap(at, size_B + GRANULARITY_B);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (before_B)
		munmap(at, before_B);
	munmap(at + before_B + size_B, GRANULARITY_B - before_B);
	reservation->start = (uint64_t)(uintptr_t)(at + before_B);
	reservation->size_B = size_B;
	list_init(&reservation->mappings);
	list_append(&reservations, &reservation->link);
	*start_out = reservation->start;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *start_out, size_t size_B, size_t alignment_B,
			     CUdeviceptr hint, unsigned long long flags)
{
	(void)hint;
	SOFT_CALL(SOFT_NEED_INIT, reserve_locked(start_out, size_B, alignment_B, flags));
}

/* The reservation that contains the whole range, or NULL. */
static struct reservation *reservation_find_locked(uint64_t start, uint64_t size_B)
{
	struct list *link, *next;
	list_for_each(link, next, &reservations) {
		struct reservation *found = list_entry(link, struct reservation, link);
		if (start >= found->start && start - found->start <= found->size_B &&
		    size_B <= found->size_B - (start - found->start))
			return found;
	}
	return NULL;
}

static CUresult address_free_locked(CUdeviceptr start, size_t size_B)
{
	struct reservation *reservation = reservation_find_locked(start, size_B);
	if (!reservation || reservation->start != start || reservation->size_B != size_B ||
	    !list_empty(&reservation->mappings))
		return CUDA_ERROR_INVALID_VALUE;
	soft_pageable_disown(reservation);
	munmap((void *)(uintptr_t)start, size_B);
	list_remove(&reservation->link);
	free(reservation);
	return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr start, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_INIT, address_free_locked(start, size_B));
}

/* --- mappings ---------- */

static struct mapping *mapping_find_locked(uint64_t start, uint64_t size_B)
{
	struct reservation *reservation = reservation_find_locked(start, size_B);
	struct list *link, *next;
	if (!reservation)
		return NULL;
	list_for_each(link, next, &reservation->mappings) {
		struct mapping *mapping = list_entry(link, struct mapping, link);
		if (mapping->start == start && mapping->size_B == size_B)
			return mapping;
	}
	return NULL;
}

/* The file descriptor of the memfd, in the place of one of a dma-buf.  Only a whole mapping has one, because a memfd
 * cannot describe a part of itself. */
static CUresult range_handle_locked(void *handle, CUdeviceptr start, size_t size_B, CUmemRangeHandleType type,
				    unsigned long long flags)
{
	const struct mapping *mapping = mapping_find_locked(start, size_B);
	if (!handle || type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD)
		return CUDA_ERROR_INVALID_VALUE;
	if (!mapping || flags) {
		log_err("softcuda: cuMemGetHandleForAddressRange: only a whole mapping of cuMemMap has a handle");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	const int fd = fcntl(mapping->physical->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	*(int *)handle = fd;
	return CUDA_SUCCESS;
}

CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr start, size_t size_B, CUmemRangeHandleType type,
				       unsigned long long flags)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, range_handle_locked(handle, start, size_B, type, flags));
}

static bool is_mapped_locked(const struct reservation *reservation, uint64_t start, uint64_t size_B)
{
	const struct list *link;
	for (link = reservation->mappings.next; link != &reservation->mappings; link = link->next) {
		const struct mapping *mapping = list_entry(link, struct mapping, link);
		if (mapping->start < start + size_B && start < mapping->start + mapping->size_B)
			return true;
	}
	return false;
}

static CUresult map_locked(CUdeviceptr start, size_t size_B, size_t offset_B,
			   CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	struct physical *physical = physical_find_locked(handle);
	struct reservation *reservation = reservation_find_locked(start, size_B);
	/* "offset: currently must be zero." */
	if (!physical || !reservation || !size_B || size_B % GRANULARITY_B ||
	    start % GRANULARITY_B || offset_B || flags || size_B > physical->size_B ||
	    is_mapped_locked(reservation, start, size_B))
		return CUDA_ERROR_INVALID_VALUE;
	struct mapping *mapping = calloc(1, sizeof(*mapping));
	if (!mapping || mmap((void *)(uintptr_t)start, size_B, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_FIXED, physical->fd, 0) == MAP_FAILED) {
		free(mapping);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*mapping = (struct mapping){.start = start, .size_B = size_B, .physical = physical};
	physical->refs++;
	list_append(&reservation->mappings, &mapping->link);
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr start, size_t size_B, size_t offset_B,
		  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	SOFT_CALL(SOFT_NEED_INIT, map_locked(start, size_B, offset_B, handle, flags));
}

/* Sets read and write access to one mapping for its own device. */
static CUresult access_locked(CUdeviceptr start, size_t size_B, const CUmemAccessDesc *access,
			      size_t count)
{
	struct mapping *mapping = mapping_find_locked(start, size_B);
	if (!mapping || !access || count != 1 ||
	    access->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (access->location.id != (int)mapping->physical->device->index ||
	    access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (mapping->allocation)
		return CUDA_SUCCESS;
	/* It belongs to no context. */
	CUresult result = soft_memory_share_locked(NULL, mapping->physical->device, start, size_B, NULL, 0,
						   &mapping->allocation);
	if (result == CUDA_SUCCESS)
		mapping->allocation->mapped = true;
	return result;
}

CUresult cuMemSetAccess(CUdeviceptr start, size_t size_B, const CUmemAccessDesc *access,
			size_t count)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, access_locked(start, size_B, access, count));
}

/* Waits for work in streams, as cuMemFree does; CUDA does not promise that. */
static CUresult unmap_locked(struct soft_context *context, CUdeviceptr start, size_t size_B)
{
	struct mapping *mapping = mapping_find_locked(start, size_B);
	CUresult result = CUDA_SUCCESS;
	if (!mapping || (mapping->allocation && mapping->allocation->freeing))
		return CUDA_ERROR_INVALID_VALUE;
	if (mapping->allocation) {
		mapping->allocation->freeing = true;
		if (soft_sched.sync != SOFT_SYNC_NONE)
			result = soft_context_wait_locked(context);
		soft_oracle_free_locked(mapping->allocation, "cuMemUnmap");
		soft_memory_free_locked(mapping->allocation);
	}
	if (!addresses_clear(start, size_B))
		return CUDA_ERROR_OPERATING_SYSTEM;
	list_remove(&mapping->link);
	physical_unref_locked(mapping->physical);
	free(mapping);
	return result;
}

CUresult cuMemUnmap(CUdeviceptr start, size_t size_B)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, unmap_locked(context, start, size_B));
}
