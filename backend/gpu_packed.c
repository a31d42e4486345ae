#include "config.h"

#include "backend/gpu_image_internal.h"

#include "base/log.h"

#include <string.h>

/* Which uses of CU_AD_FORMAT_UNORM_INT_101010_2 a driver supports is not documented.  All of them are tried with
 * objects of a few bytes; a refusal is no error.  The objects are destroyed when the device is idle, because the
 * driver waits for all kernels then. */

enum { SIDE = 4, NOT_TRIED = 0, NO, YES };

static const struct gpu_texel packed = {
	.channel = GPU_CHANNEL_UNSIGNED, .channel_B = 1, .channels = 4, .normalized = true,
	.packed = true,
};

static bool takes_texture(const CUDA_RESOURCE_DESC *resource)
{
	CUDA_TEXTURE_DESC texture;
	CUtexObject made = 0;
	memset(&texture, 0, sizeof(texture));
	texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
	const CUresult cu_result = cuda.cuTexObjectCreate(&made, resource, &texture, NULL);
	if (cu_result == CUDA_SUCCESS)
		(void)cuda.cuTexObjectDestroy(made);
	return cu_result == CUDA_SUCCESS;
}

static bool takes_surface(const CUDA_RESOURCE_DESC *resource)
{
	CUsurfObject made = 0;
	const CUresult cu_result = cuda.cuSurfObjectCreate(&made, resource);
	if (cu_result == CUDA_SUCCESS)
		(void)cuda.cuSurfObjectDestroy(made);
	return cu_result == CUDA_SUCCESS;
}

static void array_end(struct gpu_device *device, void *array)
{
	struct gpu_scope scope;
	if (gpu_enter(device, &scope))
		return;
	(void)gpu_check(device, cuda.cuArrayDestroy(array));
	gpu_leave(&scope);
}

static bool takes_array(struct gpu_device *device, uint64_t height, uint64_t depth, unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR descriptor;
	CUDA_RESOURCE_DESC resource;
	memset(&descriptor, 0, sizeof(descriptor));
	memset(&resource, 0, sizeof(resource));
	descriptor.Width = SIDE;
	descriptor.Height = height;
	descriptor.Depth = depth;
	descriptor.Format = gpu_texel_format(&packed);
	descriptor.NumChannels = packed.channels;
	descriptor.Flags = CUDA_ARRAY3D_SURFACE_LDST | flags;
	resource.resType = CU_RESOURCE_TYPE_ARRAY;
	if (cuda.cuArray3DCreate_v2(&resource.res.array.hArray, &descriptor) != CUDA_SUCCESS)
		return false;
	const bool takes = takes_texture(&resource) && takes_surface(&resource);
	gpu_defer_quiet(device, array_end, resource.res.array.hArray, 0, NULL, 0);
	return takes;
}

static bool takes_linear(struct gpu_device *device)
{
	gpu_address address;
	CUDA_RESOURCE_DESC resource;
	const size_t pitch_B = device->caps.texture_pitch_B > SIDE * 4
				       ? device->caps.texture_pitch_B : SIDE * 4;
	memset(&resource, 0, sizeof(resource));
	resource.resType = CU_RESOURCE_TYPE_PITCH2D;
	resource.res.pitch2D.format = gpu_texel_format(&packed);
	resource.res.pitch2D.numChannels = packed.channels;
	resource.res.pitch2D.width = SIDE;
	resource.res.pitch2D.height = SIDE;
	resource.res.pitch2D.pitchInBytes = pitch_B;
	if (gpu_memory_alloc(device, SIDE * pitch_B, &address))
		return false;
	resource.res.pitch2D.devPtr = address;
	const bool takes = takes_texture(&resource);
	gpu_memory_free(device, address, NULL, 0);
	return takes;
}

/* If two threads try at the same time, both get the same result. */
bool gpu_device_packs_texels(struct gpu_device *device)
{
	struct gpu_scope scope;
	int known = atomic_load(&device->packs_texels);
	if (known != NOT_TRIED)
		return known == YES;
	if (gpu_enter_new(device, &scope))
		return false;
	const bool takes = takes_array(device, SIDE, 0, 0) && takes_array(device, SIDE, SIDE, 0) &&
			   takes_array(device, SIDE, 2, CUDA_ARRAY3D_LAYERED) &&
			   takes_array(device, 0, 2, CUDA_ARRAY3D_LAYERED) &&
			   takes_array(device, 0, 0, 0) && takes_linear(device);
	gpu_leave(&scope);
	log_info("device %u: packed image formats are %s", device->index,
		 takes ? "supported" : "not supported");
	atomic_store(&device->packs_texels, takes ? YES : NO);
	return takes;
}
