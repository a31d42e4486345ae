#include "config.h"

#include "backend/gpu_image_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays --- */

/* CL_OUT_OF_RESOURCES cannot happen for a gpu_texel that its header allows. */
CUarray_format gpu_texel_format(const struct gpu_texel *texel)
{
	/* CU_AD_FORMAT_UNORM_INT_101010_2, which CUDA's headers before version 13 do not define. */
	if (texel->packed)
		return (CUarray_format)0x50;
	if (texel->channel == GPU_CHANNEL_FLOAT)
		return texel->channel_B == 2 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
	const bool is_signed = texel->channel == GPU_CHANNEL_SIGNED;
	switch (texel->channel_B) {
	case 1:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
	case 2:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
	default:
		return is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
	}
}

CUDA_ARRAY3D_DESCRIPTOR gpu_array_descriptor(const struct gpu_array *array)
{
	const struct gpu_texel *texel = &array->texel;
	const struct gpu_extent *extent = &array->extent;
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	memset(&descriptor, 0, sizeof(descriptor));
	descriptor.Width = extent->width;
	descriptor.Height = extent->height;
	descriptor.Depth = extent->depth;
	descriptor.Format = gpu_texel_format(texel);
	descriptor.NumChannels = texel->channels;
	descriptor.Flags = CUDA_ARRAY3D_SURFACE_LDST | (extent->layered ? CUDA_ARRAY3D_LAYERED : 0);
	return descriptor;
}

static CUresult allocate(struct gpu_array *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	const uint32_t levels = array->extent.levels;
	return levels ? cuda.cuMipmappedArrayCreate(&array->cu_mipmap, descriptor, levels)
		      : cuda.cuArray3DCreate_v2(&array->level[0].cu_array, descriptor);
}

cl_int gpu_array_find_levels(struct gpu_array *array)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < gpu_extent_levels(&array->extent) && !error; i++)
		error = gpu_check(array->device,
				  cuda.cuMipmappedArrayGetLevel(&array->level[i].cu_array, array->cu_mipmap, i));
	return error;
}

/* The context is current.  If memory is short, frees that are pending are waited for. */
static cl_int create(struct gpu_array *array)
{
	struct gpu_device *device = array->device;
	const CUDA_ARRAY3D_DESCRIPTOR descriptor = gpu_array_descriptor(array);
	gpu_defer_reap(device);
	CUresult cu_result = allocate(array, &descriptor);
	if (cu_result == CUDA_ERROR_OUT_OF_MEMORY) {
		gpu_memory_make_room(device);
		cu_result = allocate(array, &descriptor);
	}
	cl_int error = gpu_memory_check(device, cu_result,
					array->extent.levels ? "cuMipmappedArrayCreate" : "cuArray3DCreate");
	if (error || !array->cu_mipmap)
		return error;
	error = gpu_array_find_levels(array);
	if (error)
		(void)gpu_check(device, cuda.cuMipmappedArrayDestroy(array->cu_mipmap));
	return error;
}

struct gpu_array *gpu_array_new(struct gpu_device *device, const struct gpu_texel *texel,
				const struct gpu_extent *extent)
{
	const uint32_t levels = gpu_extent_levels(extent);
	struct gpu_array *array = calloc(1, sizeof(*array) + levels * sizeof(array->level[0]));
	if (!array)
		return NULL;
	array->device = device;
	array->texel = *texel;
	array->extent = *extent;
	for (uint32_t i = 0; i < levels; i++)
		atomic_init(&array->level[i].surface, 0);
	return array;
}

cl_int gpu_array_create(struct gpu_device *device, const struct gpu_texel *texel,
			const struct gpu_extent *extent, struct gpu_array **array_out)
{
	struct gpu_scope scope;
	struct gpu_array *array = gpu_array_new(device, texel, extent);
	if (!array)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = gpu_enter_new(device, &scope);
	if (!error) {
		error = create(array);
		gpu_leave(&scope);
	}
	if (error) {
		free(array);
		return error;
	}
	*array_out = array;
	return CL_SUCCESS;
}

static void array_end(struct gpu_device *device, void *object)
{
	struct gpu_array *array = object;
	struct gpu_scope scope;
	/* The memory of a lost device is freed with its context. */
	if (!gpu_enter(device, &scope)) {
		for (uint32_t i = 0; i < gpu_extent_levels(&array->extent); i++) {
			const uint64_t surface = atomic_load(&array->level[i].surface);
			if (surface)
				(void)gpu_check(device, cuda.cuSurfObjectDestroy(surface));
		}
		(void)gpu_check(device, array->cu_mipmap ? cuda.cuMipmappedArrayDestroy(array->cu_mipmap)
							 : cuda.cuArrayDestroy(array->level[0].cu_array));
		if (array->cu_external)
			(void)gpu_check(device, cuda.cuDestroyExternalMemory(array->cu_external));
		gpu_leave(&scope);
	}
	free(array);
}

static uint64_t size_B(const struct gpu_array *array)
{
	return gpu_extent_texels(&array->extent, gpu_extent_levels(&array->extent)) * gpu_texel_B(&array->texel);
}

void gpu_array_destroy(struct gpu_array *array, struct gpu_event *const *after, uint32_t count)
{
	if (array)
		gpu_defer_quiet(array->device, array_end, array, size_B(array), after, count);
}

/* If two threads make it, one destroys its own again. */
cl_int gpu_array_surface(struct gpu_array *array, uint32_t level, uint64_t *surface_out)
{
	struct gpu_device *device = array->device;
	struct gpu_scope scope;
	CUDA_RESOURCE_DESC resource;
	CUsurfObject made = 0;
	uint64_t surface = atomic_load(&array->level[level].surface);
	if (!surface) {
		cl_int error = gpu_enter_new(device, &scope);
		if (error)
			return error;
		memset(&resource, 0, sizeof(resource));
		resource.resType = CU_RESOURCE_TYPE_ARRAY;
		resource.res.array.hArray = array->level[level].cu_array;
		error = gpu_check(device, cuda.cuSurfObjectCreate(&made, &resource));
		if (!error && atomic_compare_exchange_strong(&array->level[level].surface, &surface, made))
			surface = made;
		else if (!error)
			(void)gpu_check(device, cuda.cuSurfObjectDestroy(made));
		gpu_leave(&scope);
		if (error)
			return error;
	}
	*surface_out = surface;
	return CL_SUCCESS;
}

/* --- textures --- */

static CUDA_RESOURCE_DESC resource_of(const struct gpu_texture_source *source)
{
	CUDA_RESOURCE_DESC resource;
	memset(&resource, 0, sizeof(resource));
	if (source->all_levels) {
		resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
		resource.res.mipmap.hMipmappedArray = source->array->cu_mipmap;
	} else if (source->array) {
		resource.resType = CU_RESOURCE_TYPE_ARRAY;
		resource.res.array.hArray = source->array->level[0].cu_array;
	} else if (source->height) {
		resource.resType = CU_RESOURCE_TYPE_PITCH2D;
		resource.res.pitch2D.devPtr = source->address;
		resource.res.pitch2D.format = gpu_texel_format(&source->texel);
		resource.res.pitch2D.numChannels = source->texel.channels;
		resource.res.pitch2D.width = source->width;
		resource.res.pitch2D.height = source->height;
		resource.res.pitch2D.pitchInBytes = source->row_pitch_B;
	} else {
		resource.resType = CU_RESOURCE_TYPE_LINEAR;
		resource.res.linear.devPtr = source->address;
		resource.res.linear.format = gpu_texel_format(&source->texel);
		resource.res.linear.numChannels = source->texel.channels;
		resource.res.linear.sizeInBytes = source->width * gpu_texel_B(&source->texel);
	}
	return resource;
}

static CUaddress_mode address_mode(const struct gpu_sampler *sampler)
{
	switch (sampler->addressing) {
	case GPU_ADDRESSING_CLAMP_TO_EDGE:
		return CU_TR_ADDRESS_MODE_CLAMP;
	/* Repetition needs normalized coordinates in CUDA and in OpenCL. */
	case GPU_ADDRESSING_REPEAT:
		return sampler->normalized ? CU_TR_ADDRESS_MODE_WRAP : CU_TR_ADDRESS_MODE_CLAMP;
	case GPU_ADDRESSING_MIRRORED_REPEAT:
		return sampler->normalized ? CU_TR_ADDRESS_MODE_MIRROR : CU_TR_ADDRESS_MODE_CLAMP;
	default:
		return CU_TR_ADDRESS_MODE_BORDER;
	}
}

static CUDA_TEXTURE_DESC texture_of(const struct gpu_texture_source *source,
				    const struct gpu_sampler *sampler)
{
	const struct gpu_texel *texel = &source->texel;
	CUDA_TEXTURE_DESC texture;
	const bool fractions = texel->channel == GPU_CHANNEL_FLOAT || texel->normalized;
	memset(&texture, 0, sizeof(texture));
	for (unsigned i = 0; i < 3; i++)
		texture.addressMode[i] = address_mode(sampler);
	/* Integers cannot be interpolated. */
	texture.filterMode = sampler->linear && fractions ? CU_TR_FILTER_MODE_LINEAR
							  : CU_TR_FILTER_MODE_POINT;
	if (!fractions)
		texture.flags |= CU_TRSF_READ_AS_INTEGER;
	if (sampler->normalized)
		texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
	if (texel->srgb)
		texture.flags |= CU_TRSF_SRGB;
	if (source->all_levels) {
		texture.mipmapFilterMode = sampler->mip_linear && fractions ? CU_TR_FILTER_MODE_LINEAR
									    : CU_TR_FILTER_MODE_POINT;
		texture.maxMipmapLevelClamp = (float)(source->array->extent.levels - 1);
	}
	return texture;
}

cl_int gpu_texture_create(struct gpu_device *device, const struct gpu_texture_source *source,
			  const struct gpu_sampler *sampler, uint64_t *texture_out)
{
	const CUDA_RESOURCE_DESC resource = resource_of(source);
	const CUDA_TEXTURE_DESC texture = texture_of(source, sampler);
	struct gpu_scope scope;
	CUtexObject made = 0;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	error = gpu_check(device, cuda.cuTexObjectCreate(&made, &resource, &texture, NULL));
	gpu_leave(&scope);
	if (!error)
		*texture_out = made;
	return error;
}

static void texture_end(struct gpu_device *device, void *object)
{
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuTexObjectDestroy((CUtexObject)(uintptr_t)object));
	gpu_leave(&scope);
}

void gpu_texture_destroy(struct gpu_device *device, uint64_t texture,
			 struct gpu_event *const *after, uint32_t count)
{
	if (texture)
		gpu_defer(device, texture_end, (void *)(uintptr_t)texture, after, count);
}
