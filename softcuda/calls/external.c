/* Memory of other APIs: memfds (softcuda/calls/sealed.h), as buffers or as images in the layout of softcuda's
 * arrays. */
#include "config.h"

#include "base/page.h"
#include "softcuda/calls/array.h"
#include "softcuda/calls/door.h"
#include "softcuda/calls/sealed.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/state.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct external {
	void *handle;
	struct soft_device *device;
	int fd;
	uint64_t size_B;
};

static CUresult external_import_locked(struct soft_context *context,
				       CUexternalMemory *external_out,
				       const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *description)
{
	if (!external_out || !description ||
	    description->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
	    description->flags & ~CUDA_EXTERNAL_MEMORY_DEDICATED)
		return CUDA_ERROR_INVALID_VALUE;
	const uint64_t size_B = soft_sealed_size_B(description->handle.fd,
					      F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	if (!size_B || !description->size || description->size > size_B)
		return CUDA_ERROR_INVALID_VALUE;
	struct external *external = calloc(1, sizeof(*external));
	if (!external)
		return CUDA_ERROR_OUT_OF_MEMORY;
	external->device = context->device;
	/* The driver now owns the file descriptor. */
	external->fd = description->handle.fd;
	external->size_B = description->size;
	external->handle = soft_handle_create_locked(SOFT_KIND_EXTERNAL, external);
	if (!external->handle) {
		free(external);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*external_out = external->handle;
	return CUDA_SUCCESS;
}

CUresult cuImportExternalMemory(CUexternalMemory *external_out,
				const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *description)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, external_import_locked(context, external_out, description));
}

/* Maps a range of the memory as an allocation of the context, which frees it. */
static CUresult range_share_locked(struct soft_context *context, const struct external *external, uint64_t offset_B,
				   uint64_t size_B, struct soft_allocation **allocation_out)
{
	const uint64_t before_B = offset_B % host_page_B();
	char *at = mmap(NULL, before_B + size_B, PROT_READ | PROT_WRITE, MAP_SHARED, external->fd,
			(off_t)(offset_B - before_B));
	if (at == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = soft_memory_share_locked(context, external->device, (uint64_t)(uintptr_t)(at + before_B),
						   size_B, at, before_B + size_B, allocation_out);
	if (result != CUDA_SUCCESS)
		munmap(at, before_B + size_B);
	return result;
}

static bool is_within(const struct external *external, uint64_t offset_B, uint64_t size_B)
{
	return offset_B <= external->size_B && size_B <= external->size_B - offset_B;
}

/* A mapping stays until cuMemFree, even if the external memory is destroyed before. */
static CUresult external_map_locked(struct soft_context *context, CUdeviceptr *start_out,
				    CUexternalMemory cu_external,
				    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *description)
{
	const struct external *external =
		soft_handle_find_locked(SOFT_KIND_EXTERNAL, cu_external);
	struct soft_allocation *allocation;
	if (!start_out || !external || !description || !description->size || description->flags ||
	    description->offset % host_page_B() ||
	    !is_within(external, description->offset, description->size))
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = range_share_locked(context, external, description->offset, description->size, &allocation);
	if (result == CUDA_SUCCESS)
		*start_out = allocation->start;
	return result;
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *start_out, CUexternalMemory cu_external,
					 const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *description)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  external_map_locked(context, start_out, cu_external, description));
}

/* The layout is that of softcuda's own arrays, which begin at such a multiple. */
enum { IMAGE_ALIGNMENT_B = 512 };

/* "numLevels: must match", and cannot exceed what the size allows.  CUDA_ARRAY3D_COLOR_ATTACHMENT says what the other
 * API does with the image, on which the layout does not depend here. */
static CUresult external_image_locked(struct soft_context *context, CUmipmappedArray *mipmap_out,
				      CUexternalMemory cu_external,
				      const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description)
{
	const struct external *external = soft_handle_find_locked(SOFT_KIND_EXTERNAL, cu_external);
	struct soft_allocation *allocation;
	struct soft_array *base;
	uint64_t size_B;
	if (!mipmap_out || !external || !description || !description->numLevels ||
	    description->offset % IMAGE_ALIGNMENT_B)
		return CUDA_ERROR_INVALID_VALUE;
	CUDA_ARRAY3D_DESCRIPTOR descriptor = description->arrayDesc;
	descriptor.Flags &= ~(unsigned)CUDA_ARRAY3D_COLOR_ATTACHMENT;
	CUresult result = soft_mipmap_begin_locked(context, &descriptor, description->numLevels, &base, &size_B);
	if (result != CUDA_SUCCESS)
		return result;
	if (base->levels == description->numLevels && is_within(external, description->offset, size_B))
		result = range_share_locked(context, external, description->offset, size_B, &allocation);
	else
		result = CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS) {
		soft_mipmap_drop_locked(base);
		return result;
	}
	allocation->kind = SOFT_MEMORY_ARRAY;
	return soft_mipmap_finish_locked(context, base, allocation, mipmap_out);
}

CUresult cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap_out, CUexternalMemory cu_external,
						 const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, external_image_locked(context, mipmap_out, cu_external, description));
}

static CUresult external_destroy_locked(CUexternalMemory cu_external)
{
	struct external *external = soft_handle_find_locked(SOFT_KIND_EXTERNAL, cu_external);
	if (!external)
		return CUDA_ERROR_INVALID_VALUE;
	soft_handle_destroy_locked(external->handle);
	close(external->fd);
	free(external);
	return CUDA_SUCCESS;
}

CUresult cuDestroyExternalMemory(CUexternalMemory cu_external)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, external_destroy_locked(cu_external));
}
