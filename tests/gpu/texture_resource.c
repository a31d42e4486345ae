/* What is sampled: formats, shapes, memory and objects. */
#include "config.h"

#include "tests/gpu/texture_case.h"

const struct format formats[FORMATS] = {
	{"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, 'i'}, {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, 'i'},
	{"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, 'i'}, {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, 'i'},
	{"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, 'w'}, {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, 'w'},
	{"f16", CU_AD_FORMAT_HALF, 2, 'f'}, {"f32", CU_AD_FORMAT_FLOAT, 4, 'f'}
};
const struct normalized_format normalized_formats[NORMALIZED_FORMATS] = {
	{{"unorm8", CU_AD_FORMAT_UNORM_INT8X1, 1, 'n'}, 1},
	{{"unorm8", CU_AD_FORMAT_UNORM_INT8X4, 1, 'n'}, 4},
	{{"unorm16", CU_AD_FORMAT_UNORM_INT16X2, 2, 'n'}, 2},
	{{"snorm8", CU_AD_FORMAT_SNORM_INT8X4, 1, 'n'}, 4},
	{{"snorm16", CU_AD_FORMAT_SNORM_INT16X1, 2, 'n'}, 1}
};

const struct shape shapes[RESOURCES] = {
	{"1d", "1d", ON_ARRAY, 1, {13, 0, 0}, 0}, {"2d", "2d", ON_ARRAY, 2, {7, 5, 0}, 0},
	{"3d", "3d", ON_ARRAY, 3, {5, 4, 3}, 0}, {"a1d", "a1d", ON_ARRAY, 1, {13, 0, 0}, 3},
	{"a2d", "a2d", ON_ARRAY, 2, {7, 5, 0}, 3}, {"linear", "1d", ON_LINEAR, 1, {13, 0, 0}, 0},
	{"pitch", "2d", ON_PITCH, 2, {7, 5, 0}, 0}
};

/* Random texels; floats between -100 and 100 unless wild, then any bits. */
void fill_texels(const struct format *format, size_t size_B, bool wild)
{
	for (size_t i = 0; i < size_B; i += format->channel_B) {
		uint32_t word = random_word();
		float real = (float)(random_unit() * 200 - 100);
		if (format->kind == 'f' && !wild && format->channel_B == 4)
			word = bits_of(real);
		/* A half with a moderate exponent. */
		if (format->kind == 'f' && !wild && format->channel_B == 2)
			word = (word & 0x83ff) | (12 + word % 9) << 10;
		memcpy(texels + i, &word, format->channel_B);
	}
}

CUresult array_fill(const struct resource *resource, bool read)
{
	CUDA_MEMCPY3D copy = {
		.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = resource->row_B,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = resource->array,
		.WidthInBytes = resource->row_B
	};
	copy.Height = resource->shape->size[1] ? resource->shape->size[1] : 1;
	copy.Depth = resource->rows / copy.Height;
	copy.srcHeight = copy.Height;
	if (read) {
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = texels;
		copy.dstPitch = copy.srcPitch;
		copy.dstHeight = copy.srcHeight;
		copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.srcArray = resource->array;
		copy.srcPitch = copy.srcHeight = 0;
	}
	return cuda.copy_3d(&copy);
}

CUresult resource_create(struct resource *resource, const struct shape *shape,
				const struct format *format, unsigned channels, unsigned flags)
{
	const unsigned texel_B = format->channel_B * channels;
	const size_t depth = shape->layers ? shape->layers : shape->size[2];
	*resource = (struct resource){.shape = shape, .row_B = (size_t)shape->size[0] * texel_B};
	resource->rows = (shape->size[1] ? shape->size[1] : 1) * (depth ? depth : 1);
	if (shape->place == ON_ARRAY) {
		const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
			.Width = shape->size[0], .Height = shape->size[1], .Depth = depth,
			.Format = format->format, .NumChannels = channels,
			.Flags = flags | (shape->layers ? CUDA_ARRAY3D_LAYERED : 0)
		};
		CUresult result = cuda.array_create(&resource->array, &descriptor);
		resource->descriptor.resType = CU_RESOURCE_TYPE_ARRAY;
		resource->descriptor.res.array.hArray = resource->array;
		return result ? result : array_fill(resource, false);
	}
	const size_t pitch_B = shape->place == ON_PITCH ? 512 : resource->row_B;
	CUresult result = cuda.take(&resource->memory, pitch_B * resource->rows);
	for (size_t y = 0; !result && y < resource->rows; y++)
		result = cuda.write(resource->memory + y * pitch_B, texels + y * resource->row_B,
				    resource->row_B);
	if (shape->place == ON_LINEAR) {
		resource->descriptor.resType = CU_RESOURCE_TYPE_LINEAR;
		resource->descriptor.res.linear.devPtr = resource->memory;
		resource->descriptor.res.linear.format = format->format;
		resource->descriptor.res.linear.numChannels = channels;
		resource->descriptor.res.linear.sizeInBytes = resource->row_B;
	} else {
		resource->descriptor.resType = CU_RESOURCE_TYPE_PITCH2D;
		resource->descriptor.res.pitch2D.devPtr = resource->memory;
		resource->descriptor.res.pitch2D.format = format->format;
		resource->descriptor.res.pitch2D.numChannels = channels;
		resource->descriptor.res.pitch2D.width = shape->size[0];
		resource->descriptor.res.pitch2D.height = shape->size[1];
		resource->descriptor.res.pitch2D.pitchInBytes = pitch_B;
	}
	return result;
}

void resource_destroy(struct resource *resource)
{
	if (resource->array)
		cuda.array_destroy(resource->array);
	if (resource->memory)
		cuda.give(resource->memory);
}

CUresult texture_create(CUtexObject *object, const struct resource *resource,
			       const struct sampler *sampler)
{
	const CUaddress_mode address = (CUaddress_mode)sampler->address;
	CUDA_TEXTURE_DESC descriptor = {
		.addressMode = {address, address, address},
		.filterMode = sampler->filter ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
		.flags = sampler->flags |
			 (sampler->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0)
	};
	memcpy(descriptor.borderColor, sampler->border, sizeof(sampler->border));
	return cuda.texture_create(object, &resource->descriptor, &descriptor, NULL);
}
