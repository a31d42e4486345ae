/* The calls of texture and surface objects. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/array.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/device.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/object.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <stdlib.h>

/* --- resources ---------- */

static bool attribute_allows(const struct soft_device *device, CUdevice_attribute attribute,
			     uint64_t value)
{
	int limit;
	return soft_device_attribute(device, attribute, &limit) == CUDA_SUCCESS &&
	       value <= (uint64_t)limit;
}

static bool attribute_aligns(const struct soft_device *device, CUdevice_attribute attribute,
			     uint64_t value)
{
	int unit;
	return soft_device_attribute(device, attribute, &unit) == CUDA_SUCCESS &&
	       value % (uint64_t)unit == 0;
}

static CUresult set_format(struct soft_image *image, CUarray_format format, unsigned channels)
{
	struct soft_format is;
	if (!soft_format_find(format, channels, &is))
		return CUDA_ERROR_INVALID_VALUE;
	image->kind = (uint8_t)is.kind;
	image->channel_B = is.channel_B;
	image->channels = is.channels;
	image->packed = is.packed;
	return CUDA_SUCCESS;
}

static CUresult set_found_array_locked(struct object *object, struct soft_array *array)
{
	struct soft_image *image = &object->image;
	image->dimensions = array->dimensions;
	image->layered = array->layered;
	image->start = soft_array_start(array);
	image->pitch_B = array->pitch_B;
	image->slice_B = array->slice_B;
	image->size[0] = (uint32_t)array->descriptor.Width;
	image->size[1] = (uint32_t)array->height;
	image->size[2] = array->layered ? 1 : (uint32_t)array->depth;
	image->layers = array->layered ? (uint32_t)array->depth : 1;
	CUresult result = set_format(image, array->descriptor.Format, array->descriptor.NumChannels);
	if (result != CUDA_SUCCESS)
		return result;
	object->array = array;
	array->refs++;
	return CUDA_SUCCESS;
}

static CUresult set_array_locked(struct object *object)
{
	struct soft_array *array;
	if (!object->resource.res.array.hArray)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_array_find_locked(object->resource.res.array.hArray, &array);
	return result == CUDA_SUCCESS ? set_found_array_locked(object, array) : result;
}

static CUresult set_mipmap_locked(struct object *object)
{
	struct soft_array *array;
	if (!object->resource.res.mipmap.hMipmappedArray)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_mipmap_find_locked(object->resource.res.mipmap.hMipmappedArray, &array);
	if (result != CUDA_SUCCESS)
		return result;
	object->image.levels = array->levels;
	return set_found_array_locked(object, array);
}

static CUresult set_linear_locked(struct object *object, const struct soft_device *device)
{
	struct soft_image *image = &object->image;
	const uint64_t start = object->resource.res.linear.devPtr;
	CUresult result = set_format(image, object->resource.res.linear.format,
				     object->resource.res.linear.numChannels);
	if (result != CUDA_SUCCESS)
		return result;
	uint64_t width = object->resource.res.linear.sizeInBytes / image_texel_B(image);
	object->extent_B = width * image_texel_B(image);
	if (!attribute_aligns(device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, start) ||
	    !attribute_allows(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, width) ||
	    !soft_memory_range_locked(start, object->extent_B ? object->extent_B : 1))
		return CUDA_ERROR_INVALID_VALUE;
	image->dimensions = 1;
	image->buffer = true;
	image->start = start;
	image->pitch_B = image->slice_B = object->extent_B;
	image->size[0] = (uint32_t)width;
	image->size[1] = image->size[2] = image->layers = 1;
	return CUDA_SUCCESS;
}

static CUresult set_pitch_locked(struct object *object, const struct soft_device *device)
{
	struct soft_image *image = &object->image;
	const uint64_t start = object->resource.res.pitch2D.devPtr;
	const uint64_t width = object->resource.res.pitch2D.width;
	const uint64_t height = object->resource.res.pitch2D.height;
	const uint64_t pitch_B = object->resource.res.pitch2D.pitchInBytes;
	CUresult result = set_format(image, object->resource.res.pitch2D.format,
				     object->resource.res.pitch2D.numChannels);
	if (result != CUDA_SUCCESS)
		return result;
	if (!width || !height ||
	    !attribute_aligns(device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, start) ||
	    !attribute_aligns(device, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, pitch_B) ||
	    !attribute_allows(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, width) ||
	    !attribute_allows(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
			      height) ||
	    !attribute_allows(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
			      pitch_B) ||
	    pitch_B == 0)
		return CUDA_ERROR_INVALID_VALUE;
	object->extent_B = (height - 1) * pitch_B + width * image_texel_B(image);
	if (!soft_memory_range_locked(start, object->extent_B))
		return CUDA_ERROR_INVALID_VALUE;
	image->dimensions = 2;
	image->start = start;
	image->pitch_B = pitch_B;
	image->slice_B = height * pitch_B;
	image->size[0] = (uint32_t)width;
	image->size[1] = (uint32_t)height;
	image->size[2] = image->layers = 1;
	return CUDA_SUCCESS;
}

static CUresult set_resource_locked(struct object *object, const struct soft_device *device)
{
	if (object->resource.flags)
		return CUDA_ERROR_INVALID_VALUE;
	switch (object->resource.resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		return set_array_locked(object);
	case CU_RESOURCE_TYPE_LINEAR:
		return set_linear_locked(object, device);
	case CU_RESOURCE_TYPE_PITCH2D:
		return set_pitch_locked(object, device);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return set_mipmap_locked(object);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* --- samplers ---------- */

static bool whole(const struct soft_image *image)
{
	return image->kind == TEXEL_UINT || image->kind == TEXEL_SINT;
}

static CUresult set_sampler(struct soft_image *image, const CUDA_TEXTURE_DESC *texture)
{
	const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
			       CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
	/* "Note that for CUDA mipmapped array, this flag must be set." */
	if (texture->flags & ~known || texture->filterMode > CU_TR_FILTER_MODE_LINEAR ||
	    texture->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR ||
	    (image->levels && !(texture->flags & CU_TRSF_NORMALIZED_COORDINATES)))
		return CUDA_ERROR_INVALID_VALUE;
	/* "This suppresses the default behavior of having the texture promote integer data to floating point data";
	 * 32-bit integers are never promoted. */
	if (!(texture->flags & CU_TRSF_READ_AS_INTEGER) && whole(image) && image->channel_B < 4)
		image->kind = image->kind == TEXEL_UINT ? TEXEL_UNORM : TEXEL_SNORM;
	image->normalized = texture->flags & CU_TRSF_NORMALIZED_COORDINATES;
	/* The flag has no effect for other formats. */
	image->srgb = texture->flags & CU_TRSF_SRGB && image->kind == TEXEL_UNORM &&
		      image->channel_B == 1;
	image->filter = texture->filterMode == CU_TR_FILTER_MODE_LINEAR && !image->buffer;
	for (unsigned d = 0; d < 3; d++) {
		unsigned mode = texture->addressMode[d];
		if (mode > CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		/* "Wrap and mirror are only supported for normalized coordinates"; otherwise the mode is clamp.
		 * Outside of linear memory zero is read. */
		if (!image->normalized && mode != CU_TR_ADDRESS_MODE_BORDER)
			mode = CU_TR_ADDRESS_MODE_CLAMP;
		image->address[d] = image->buffer ? IMAGE_BORDER : (uint8_t)mode;
		image->border[d] = image->buffer ? 0 : texture->borderColor[d];
	}
	image->border[3] = image->buffer ? 0 : texture->borderColor[3];
	/* Integers are not interpolated. */
	image->mip_filter = texture->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && !whole(image);
	image->lod_bias = texture->mipmapLevelBias;
	image->lod_min = texture->minMipmapLevelClamp;
	image->lod_max = texture->maxMipmapLevelClamp;
	return CUDA_SUCCESS;
}

/* --- objects ---------- */

/* texture: NULL for a surface. */
static CUresult create_locked(struct soft_context *context, unsigned long long *value_out,
			      const CUDA_RESOURCE_DESC *resource,
			      const CUDA_TEXTURE_DESC *texture)
{
	struct object *object = calloc(1, sizeof(*object));
	if (!object)
		return CUDA_ERROR_OUT_OF_MEMORY;
	object->context = context;
	object->resource = *resource;
	object->image.surface = !texture;
	CUresult result = set_resource_locked(object, context->device);
	if (result == CUDA_SUCCESS && texture) {
		object->texture = *texture;
		result = set_sampler(&object->image, texture);
	}
	/* A hardware driver accepts a surface on an array without CUDA_ARRAY3D_SURFACE_LDST. */
	if (result == CUDA_SUCCESS && !texture &&
	    !(object->array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))
		log_warn("softcuda: cuSurfObjectCreate: the array was not created for surfaces");
	if (result == CUDA_SUCCESS && !soft_object_insert_locked(object))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS) {
		if (object->array)
			soft_array_unref_locked(object->array);
		free(object);
		return result;
	}
	list_append(&context->objects, &object->link);
	*value_out = object->image.object;
	return CUDA_SUCCESS;
}

static CUresult create_texture_locked(struct soft_context *context, CUtexObject *value_out,
				      const CUDA_RESOURCE_DESC *resource,
				      const CUDA_TEXTURE_DESC *texture,
				      const CUDA_RESOURCE_VIEW_DESC *view)
{
	if (!value_out || !resource || !texture)
		return CUDA_ERROR_INVALID_VALUE;
	if (view) {
		log_err("softcuda: cuTexObjectCreate: resource views are not supported");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return create_locked(context, value_out, resource, texture);
}

CUresult cuTexObjectCreate(CUtexObject *value_out, const CUDA_RESOURCE_DESC *resource,
			   const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
	SOFT_CALL(SOFT_NEED_CONTEXT,
		  create_texture_locked(context, value_out, resource, texture, view));
}

static CUresult create_surface_locked(struct soft_context *context, CUsurfObject *value_out,
				      const CUDA_RESOURCE_DESC *resource)
{
	if (!value_out || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	return create_locked(context, value_out, resource, NULL);
}

CUresult cuSurfObjectCreate(CUsurfObject *value_out, const CUDA_RESOURCE_DESC *resource)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, create_surface_locked(context, value_out, resource));
}

static CUresult destroy_locked(uint64_t value, bool surface)
{
	if (!value)
		return CUDA_SUCCESS;
	struct object *object = soft_object_find_locked(value, surface);
	if (!object)
		return CUDA_ERROR_INVALID_VALUE;
	soft_object_destroy_locked(object);
	return CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, destroy_locked(value, false));
}

CUresult cuSurfObjectDestroy(CUsurfObject value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, destroy_locked(value, true));
}

static CUresult resource_locked(CUDA_RESOURCE_DESC *resource_out, uint64_t value, bool surface)
{
	const struct object *object = soft_object_find_locked(value, surface);
	if (!object || !resource_out)
		return CUDA_ERROR_INVALID_VALUE;
	*resource_out = object->resource;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource_out, CUtexObject value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, resource_locked(resource_out, value, false));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource_out, CUsurfObject value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, resource_locked(resource_out, value, true));
}

static CUresult texture_locked(CUDA_TEXTURE_DESC *texture_out, uint64_t value)
{
	const struct object *object = soft_object_find_locked(value, false);
	if (!object || !texture_out)
		return CUDA_ERROR_INVALID_VALUE;
	*texture_out = object->texture;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture_out, CUtexObject value)
{
	SOFT_CALL(SOFT_NEED_CONTEXT, texture_locked(texture_out, value));
}

/* "If no resource view was set for the object, an error is returned": resource views are not supported. */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view_out, CUtexObject value)
{
	(void)view_out;
	(void)value;
	SOFT_CALL(SOFT_NEED_CONTEXT, CUDA_ERROR_INVALID_VALUE);
}
