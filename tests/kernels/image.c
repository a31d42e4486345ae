#include "config.h"

#include "tests/kernels/image.h"
#include "tests/kernels/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct word {
	const char *text;
	cl_uint value;
	int detail;
};

static const struct word shapes[] = {
	{"1d", CL_MEM_OBJECT_IMAGE1D, 1},
	{"1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2},
	{"1d_buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1},
	{"2d", CL_MEM_OBJECT_IMAGE2D, 2},
	{"2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3},
	{"3d", CL_MEM_OBJECT_IMAGE3D, 3},
	{NULL, 0, 0}
};

static const struct word orders[] = {
	{"r", CL_R, 1}, {"a", CL_A, 1}, {"rg", CL_RG, 2}, {"ra", CL_RA, 2}, {"rgba", CL_RGBA, 4},
	{"bgra", CL_BGRA, 4}, {"argb", CL_ARGB, 4}, {"abgr", CL_ABGR, 4},
	{"intensity", CL_INTENSITY, 1}, {"luminance", CL_LUMINANCE, 1},
	{"depth", CL_DEPTH, 1}, {"srgba", CL_sRGBA, 4},
	{"sbgra", CL_sBGRA, 4}, {"rgb", CL_RGB, 1}, {NULL, 0, 0}
};

static const struct word channels[] = {
	{"unorm8", CL_UNORM_INT8, ELEMENT_UCHAR}, {"unorm16", CL_UNORM_INT16, ELEMENT_USHORT},
	{"snorm8", CL_SNORM_INT8, ELEMENT_CHAR}, {"snorm16", CL_SNORM_INT16, ELEMENT_SHORT},
	{"int8", CL_SIGNED_INT8, ELEMENT_CHAR}, {"int16", CL_SIGNED_INT16, ELEMENT_SHORT},
	{"int32", CL_SIGNED_INT32, ELEMENT_INT}, {"uint8", CL_UNSIGNED_INT8, ELEMENT_UCHAR},
	{"uint16", CL_UNSIGNED_INT16, ELEMENT_USHORT},
	{"uint32", CL_UNSIGNED_INT32, ELEMENT_UINT}, {"half", CL_HALF_FLOAT, ELEMENT_HALF},
	{"float", CL_FLOAT, ELEMENT_FLOAT}, {"unorm10", CL_UNORM_INT_101010, ELEMENT_UINT},
	{"unorm10_2", CL_UNORM_INT_101010_2, ELEMENT_UINT}, {"unorm565", CL_UNORM_SHORT_565, ELEMENT_USHORT},
	{"unorm555", CL_UNORM_SHORT_555, ELEMENT_USHORT},
	{NULL, 0, 0}
};

static const struct word *take_one_of(const char **at, const struct word *words)
{
	for (; words->text; words++)
		if (take_word(at, words->text))
			return words;
	return NULL;
}

static bool take_name(const char **at, char name[64])
{
	while (isspace((unsigned char)**at))
		++*at;
	size_t length = name_length(*at);
	if (!length || length >= 64)
		return false;
	memcpy(name, *at, length);
	name[length] = '\0';
	*at += length;
	return true;
}

static size_t take_size(const char **at)
{
	char *end;
	size_t size = strtoul(*at, &end, 0);
	*at = end;
	return size;
}

static void set_sizes(struct image *image, const size_t sizes[3], int count)
{
	cl_image_desc *desc = &image->desc;
	bool is_array = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
			desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	for (int i = 0; i < 3; i++)
		image->region[i] = sizes[i];
	desc->image_width = sizes[0];
	desc->image_height = count - is_array > 1 ? sizes[1] : 0;
	desc->image_depth = count - is_array > 2 ? sizes[2] : 0;
	desc->image_array_size = is_array ? sizes[count - 1] : 0;
}

bool image_parse(const char **at, struct image *image_out)
{
	struct image image = {.name = ""};
	size_t sizes[3] = {1, 1, 1};
	const struct word *shape = take_one_of(at, shapes);
	if (!shape || !take_name(at, image.name))
		return false;
	const struct word *order = take_one_of(at, orders);
	const struct word *channel = order ? take_one_of(at, channels) : NULL;
	if (!channel)
		return false;
	for (int i = 0; i < shape->detail; i++) {
		sizes[i] = take_size(at);
		if (!sizes[i])
			return false;
	}
	image.desc.image_type = shape->value;
	image.format.image_channel_order = order->value;
	image.format.image_channel_data_type = channel->value;
	image.type = (enum element_type)channel->detail;
	/* A packed texel is one element. */
	image.channels = channel->value == CL_UNORM_INT_101010_2 ? 1 : (size_t)order->detail;
	set_sizes(&image, sizes, shape->detail);
	if (take_word(at, "levels"))
		image.desc.num_mip_levels = (cl_uint)take_size(at);
	if (take_word(at, "of") && !take_name(at, image.buffer))
		return false;
	if (take_word(at, "pitch"))
		image.desc.image_row_pitch = take_size(at);
	*image_out = image;
	return true;
}

/* The region of a level, whose sizes are halves, rounded down, of those of the level before; the layers stay. */
static void level_region(const struct image *image, cl_uint level, size_t region[3])
{
	const bool layers[3] = {false, image->desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
				image->desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY};
	for (unsigned i = 0; i < 3; i++) {
		region[i] = layers[i] ? image->region[i] : image->region[i] >> level;
		region[i] = region[i] ? region[i] : 1;
	}
}

static cl_uint level_count(const struct image *image)
{
	return image->desc.num_mip_levels ? image->desc.num_mip_levels : 1;
}

static size_t level_channels(const struct image *image, cl_uint level)
{
	size_t region[3];
	level_region(image, level, region);
	return region[0] * region[1] * region[2] * image->channels;
}

size_t image_count(const struct image *image)
{
	size_t count = 0;
	for (cl_uint level = 0; level < level_count(image); level++)
		count += level_channels(image, level);
	return count;
}

/* Copies the levels from or to data one by one.  The place of the level in an origin is that behind the image's
 * dimensions (cl_khr_mipmap_image). */
static cl_int levels_copy(cl_command_queue queue, const struct image *image, cl_mem mem, unsigned char *data,
			  bool write)
{
	const cl_mem_object_type type = image->desc.image_type;
	const unsigned place = type == CL_MEM_OBJECT_IMAGE1D ? 1 :
			       type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D ? 2 : 3;
	cl_int error = CL_SUCCESS;
	for (cl_uint level = 0; level < level_count(image) && !error; level++) {
		size_t origin[4] = {0}, region[3];
		level_region(image, level, region);
		if (image->desc.num_mip_levels > 1)
			origin[place] = level;
		if (write)
			error = clEnqueueWriteImage(queue, mem, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
		else
			error = clEnqueueReadImage(queue, mem, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
		data += level_channels(image, level) * element_size_B(image->type);
	}
	return error;
}

/* A buffer for an image that is made of one, and none was named: the image keeps it. */
static cl_mem create_buffer(cl_context context, const struct image *image, void *data,
			    cl_int *error_out)
{
	return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
			      image_count(image) * element_size_B(image->type), data, error_out);
}

/* Whether all devices of the context write sRGB. */
static bool image_srgb_writes(cl_context context)
{
	cl_image_format formats[256];
	cl_uint count = 0;
	clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count);
	for (cl_uint i = 0; i < count && i < 256; i++)
		if (formats[i].image_channel_order == CL_sRGBA)
			return true;
	return false;
}

/* A mipmapped image has no contents at first. */
static cl_mem mipmapped_create(cl_command_queue queue, cl_context context, const struct image *image, void *data,
			       cl_int *error_out)
{
	cl_mem mem = clCreateImage(context, CL_MEM_READ_WRITE, &image->format, &image->desc, NULL, error_out);
	if (mem && data)
		*error_out = levels_copy(queue, image, mem, data, true);
	return mem;
}

cl_mem image_create(cl_command_queue queue, cl_context context, const struct image *image, cl_mem buffer, void *data,
		    cl_int *error_out)
{
	if (image->desc.num_mip_levels > 1)
		return mipmapped_create(queue, context, image, data, error_out);
	cl_image_desc desc = image->desc;
	cl_mem own = NULL;
	if (!buffer && desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
		buffer = own = create_buffer(context, image, data, error_out);
		if (!own)
			return NULL;
	}
	/* sRGB is only for reading without cl_khr_srgb_image_writes. */
	bool is_srgb = image->format.image_channel_order == CL_sRGBA ||
		       image->format.image_channel_order == CL_sBGRA;
	cl_mem_flags flags = (is_srgb && !image_srgb_writes(context) ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE) |
			     CL_MEM_COPY_HOST_PTR;
	desc.mem_object = buffer;
	cl_mem mem = clCreateImage(context, buffer ? 0 : flags, &image->format, &desc,
				   buffer ? NULL : data, error_out);
	if (own)
		clReleaseMemObject(own);
	return mem;
}

cl_int image_read(cl_command_queue queue, const struct image *image, cl_mem mem, void *data)
{
	return levels_copy(queue, image, mem, data, false);
}

static cl_sampler_properties float_property(const char **at)
{
	char *end;
	const float value = strtof(*at, &end);
	cl_uint bits;
	*at = end;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The rest of a sampler's words, behind "levels". */
static cl_sampler mip_sampler_create(cl_context context, const char **at, cl_uint addressing, cl_uint filter,
				     cl_int *error_out)
{
	const cl_uint mip_filter = take_word(at, "linear") ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
	const cl_sampler_properties lowest = float_property(at), greatest = float_property(at);
	const cl_sampler_properties properties[] = {
		CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE, addressing,
		CL_SAMPLER_FILTER_MODE, filter, CL_SAMPLER_MIP_FILTER_MODE, mip_filter,
		CL_SAMPLER_LOD_MIN, lowest, CL_SAMPLER_LOD_MAX, greatest, 0
	};
	return clCreateSamplerWithProperties(context, properties, error_out);
}

cl_sampler sampler_create(cl_context context, const char **at, cl_int *error_out)
{
	static const struct word addressings[] = {
		{"none", CL_ADDRESS_NONE, 0}, {"edge", CL_ADDRESS_CLAMP_TO_EDGE, 0},
		{"clamp", CL_ADDRESS_CLAMP, 0}, {"repeat", CL_ADDRESS_REPEAT, 0},
		{"mirror", CL_ADDRESS_MIRRORED_REPEAT, 0}, {NULL, 0, 0}
	};
	static const struct word filters[] = {
		{"nearest", CL_FILTER_NEAREST, 0}, {"linear", CL_FILTER_LINEAR, 0}, {NULL, 0, 0}
	};
	const struct word *addressing = take_one_of(at, addressings);
	const struct word *filter = take_one_of(at, filters);
	bool normalized = take_word(at, "normalized");
	if (take_word(at, "levels"))
		return mip_sampler_create(context, at, addressing ? addressing->value : CL_ADDRESS_NONE,
					  filter ? filter->value : CL_FILTER_NEAREST, error_out);
	return clCreateSampler(context, normalized,
			       addressing ? addressing->value : CL_ADDRESS_NONE,
			       filter ? filter->value : CL_FILTER_NEAREST, error_out);
}
