/* Images that another API has allocated in the GPU's own layout. */
#include "config.h"

#include "backend/gpu_external.h"
#include "backend/gpu_image_internal.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* CUDA maps a mipmapped array, also of an image with one level. */
static CUresult map(struct gpu_array *array, const struct gpu_foreign_image *foreign)
{
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC mapping;
	memset(&mapping, 0, sizeof(mapping));
	mapping.offset = foreign->offset_B;
	mapping.arrayDesc = gpu_array_descriptor(array);
	mapping.arrayDesc.Flags |= foreign->color_attachment ? CUDA_ARRAY3D_COLOR_ATTACHMENT : 0;
	mapping.numLevels = gpu_extent_levels(&array->extent);
	return cuda.cuExternalMemoryGetMappedMipmappedArray(&array->cu_mipmap, array->cu_external, &mapping);
}

static cl_int refuse(const struct gpu_array *array, const struct gpu_foreign_image *foreign, CUresult cu_result,
		     const char *call)
{
	const struct gpu_extent *extent = &array->extent;
	const cl_int error = gpu_external_refusal(array->device, cu_result, call);
	if (error == CL_INVALID_PROPERTY)
		log_info("an image of %llu x %llu x %llu texels of %u bytes, with %u levels, cannot be imported from "
			 "file descriptor %d, at offset %llu of an allocation of %llu bytes%s: %s returned %s",
			 (unsigned long long)extent->width, (unsigned long long)(extent->height ? extent->height : 1),
			 (unsigned long long)(extent->depth ? extent->depth : 1), gpu_texel_B(&array->texel),
			 gpu_extent_levels(extent),
			 foreign->fd, (unsigned long long)foreign->offset_B, (unsigned long long)foreign->allocation_B,
			 foreign->dedicated ? " (dedicated)" : "", call, gpu_error_find(cu_result)->name);
	return error;
}

/* The context is current. */
static cl_int import(struct gpu_array *array, const struct gpu_foreign_image *foreign)
{
	struct gpu_device *device = array->device;
	const unsigned flags = foreign->dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
	if (!cuda.cuExternalMemoryGetMappedMipmappedArray) {
		log_info("an image of another API cannot be imported: the CUDA driver has no "
			 "cuExternalMemoryGetMappedMipmappedArray");
		return CL_INVALID_PROPERTY;
	}
	CUresult cu_result = gpu_external_import_foreign(foreign->fd, foreign->allocation_B, flags,
							 &array->cu_external);
	if (cu_result != CUDA_SUCCESS)
		return refuse(array, foreign, cu_result, "cuImportExternalMemory");
	cu_result = map(array, foreign);
	cl_int error = cu_result == CUDA_SUCCESS
			       ? gpu_array_find_levels(array)
			       : refuse(array, foreign, cu_result, "cuExternalMemoryGetMappedMipmappedArray");
	if (!error)
		return CL_SUCCESS;
	if (cu_result == CUDA_SUCCESS)
		(void)gpu_check(device, cuda.cuMipmappedArrayDestroy(array->cu_mipmap));
	(void)gpu_check(device, cuda.cuDestroyExternalMemory(array->cu_external));
	return error;
}

cl_int gpu_array_import(struct gpu_device *device, const struct gpu_foreign_image *foreign,
			const struct gpu_texel *texel, const struct gpu_extent *extent,
			struct gpu_array **array_out)
{
	struct gpu_scope scope;
	struct gpu_array *array = gpu_array_new(device, texel, extent);
	if (!array)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = import(array, foreign);
		gpu_leave(&scope);
	}
	if (error)
		free(array);
	else
		*array_out = array;
	return error;
}
