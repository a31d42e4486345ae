#include "config.h"

#include "tools/run_image.h"

#include <CL/cl_ext.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	const char *word;
	unsigned value, more;    /* more: channels of an order, bytes of a data type */
	char kind;               /* of a data type: struct element's */
};

static const struct name orders[] = {
	{"r", CL_R, 1, 0}, {"a", CL_A, 1, 0}, {"rg", CL_RG, 2, 0}, {"ra", CL_RA, 2, 0},
	{"rgb", CL_RGB, 3, 0}, {"rgba", CL_RGBA, 4, 0}, {"bgra", CL_BGRA, 4, 0},
	{"argb", CL_ARGB, 4, 0}, {"abgr", CL_ABGR, 4, 0}, {"intensity", CL_INTENSITY, 1, 0},
	{"luminance", CL_LUMINANCE, 1, 0}, {"depth", CL_DEPTH, 1, 0}, {"srgba", CL_sRGBA, 4, 0},
	{"sbgra", CL_sBGRA, 4, 0},
};
/* Real numbers that are stored as integers are given as these. */
static const struct name data_types[] = {
	{"unorm8", CL_UNORM_INT8, 1, 'u'}, {"unorm16", CL_UNORM_INT16, 2, 'u'},
	{"snorm8", CL_SNORM_INT8, 1, 'i'}, {"snorm16", CL_SNORM_INT16, 2, 'i'},
	{"int8", CL_SIGNED_INT8, 1, 'i'}, {"int16", CL_SIGNED_INT16, 2, 'i'},
	{"int32", CL_SIGNED_INT32, 4, 'i'}, {"uint8", CL_UNSIGNED_INT8, 1, 'u'},
	{"uint16", CL_UNSIGNED_INT16, 2, 'u'}, {"uint32", CL_UNSIGNED_INT32, 4, 'u'},
	{"half", CL_HALF_FLOAT, 2, 'f'}, {"float", CL_FLOAT, 4, 'f'},
	{"unorm101010", CL_UNORM_INT_101010, 4, 'u'},
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The row of a word that ends at end; NULL: there is none. */
static const struct name *find(const struct name *rows, size_t count, const char *word,
			       const char *end)
{
	const size_t length = (size_t)(end - word);
	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i].word) == length && !strncmp(rows[i].word, word, length))
			return &rows[i];
	return NULL;
}

static bool parse_format(const char *text, const char *end, struct run_image *image,
			 struct element *element)
{
	const char *dash = memchr(text, '-', (size_t)(end - text));
	const struct name *order = dash ? find(orders, COUNT(orders), text, dash) : NULL;
	const struct name *type = order ? find(data_types, COUNT(data_types), dash + 1, end) : NULL;
	if (!type)
		return false;
	const bool packed = type->value == CL_UNORM_INT_101010;
	image->format = (cl_image_format){order->value, type->value};
	*element = (struct element){type->kind, type->more, packed ? 1 : order->more, 0};
	element->size_B = element->scalar_B * element->lanes;
	/* Three channels of their own bytes are no format of OpenCL's. */
	return order->value != CL_RGB || packed;
}

/* "64x48" up to end, as many numbers as there are. */
static unsigned parse_size(const char *text, const char *end, size_t size[3])
{
	unsigned count = 0;
	while (count < 3 && *text >= '0' && *text <= '9') {
		char *after;
		errno = 0;
		const unsigned long long number = strtoull(text, &after, 10);
		if (errno || !number || number > 1 << 30)
			return 0;
		size[count++] = (size_t)number;
		if (after == end)
			return count;
		if (*after != 'x')
			return 0;
		text = after + 1;
	}
	return 0;
}

/* Sizes of each kind, and of which the last is an array's. */
static const struct kind {
	const char *type;
	cl_mem_object_type object;
	unsigned sizes;
	bool layers;
} kinds[] = {
	{"image1d_t", CL_MEM_OBJECT_IMAGE1D, 1, false},
	{"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, false},
	{"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, true},
	{"image2d_t", CL_MEM_OBJECT_IMAGE2D, 2, false},
	{"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, 2, false},
	{"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, true},
	{"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, true},
	{"image3d_t", CL_MEM_OBJECT_IMAGE3D, 3, false},
};

static void describe(const struct kind *kind, const size_t size[3], struct run_image *image)
{
	cl_image_desc *desc = &image->desc;
	*desc = (cl_image_desc){.image_type = kind->object, .image_width = size[0]};
	const unsigned plain = kind->sizes - (kind->layers ? 1 : 0);
	if (plain > 1)
		desc->image_height = size[1];
	if (plain > 2)
		desc->image_depth = size[2];
	if (kind->layers)
		desc->image_array_size = size[plain];
	for (unsigned i = 0; i < 3; i++)
		image->region[i] = i < kind->sizes ? size[i] : 1;
	image->texels = image->region[0] * image->region[1] * image->region[2];
}

bool run_image_parse(const char *type, const char *word, struct run_image *image,
		     struct element *element_out, const char **content_out)
{
	static const char start[] = "image:";
	size_t size[3], k = 0;
	*image = (struct run_image){.texels = 0};
	while (k < COUNT(kinds) && strcmp(kinds[k].type, type))
		k++;
	if (k == COUNT(kinds) || strncmp(word, start, strlen(start)))
		return false;
	const char *format = word + strlen(start), *format_end = strchr(format, ':');
	if (!format_end || !parse_format(format, format_end, image, element_out))
		return false;
	const char *size_end = format_end + 1 + strcspn(format_end + 1, ":");
	if (parse_size(format_end + 1, size_end, size) != kinds[k].sizes)
		return false;
	describe(&kinds[k], size, image);
	*content_out = *size_end ? size_end + 1 : "zero";
	return image->texels <= (UINT64_C(1) << 40) / element_out->size_B;
}

cl_mem run_image_create(struct run_image *image, const struct opencl *opencl, cl_context context,
			struct bytes *value, cl_int *error_out)
{
	const cl_icd_dispatch *call = opencl->call;
	const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
	if (image->desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return call->clCreateImage(context, flags, &image->format, &image->desc, value->data,
					   error_out);
	image->buffer = call->clCreateBuffer(context, flags, value->size_B, value->data, error_out);
	if (!image->buffer)
		return NULL;
	image->desc.buffer = image->buffer;
	return call->clCreateImage(context, CL_MEM_READ_WRITE, &image->format, &image->desc, NULL,
				   error_out);
}

cl_int run_image_read(const struct run_image *image, const struct opencl *opencl,
		      cl_command_queue queue, cl_mem memory, struct bytes *value)
{
	static const size_t origin[3];
	return opencl->call->clEnqueueReadImage(queue, memory, CL_TRUE, origin, image->region, 0, 0,
						value->data, 0, NULL, NULL);
}

unsigned run_image_shape(const struct run_image *image, size_t sizes_out[3])
{
	const cl_image_desc *desc = &image->desc;
	const size_t sizes[] = {desc->image_array_size, desc->image_depth, desc->image_height,
				desc->image_width};
	unsigned count = 0;
	for (unsigned i = 0; i < 4; i++)
		if (sizes[i])
			sizes_out[count++] = sizes[i];
	return count;
}

const char *run_image_size(const struct run_image *image)
{
	static char text[96];
	size_t sizes[3];
	const unsigned count = run_image_shape(image, sizes);
	int at = 0;
	for (unsigned i = count; i-- > 0;)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%zu%s", sizes[i], i ? "x" : "");
	return text;
}

/* --- samplers ------------------------------------------------------------------------ */

bool run_sampler_parse(const char *word, struct run_sampler *sampler)
{
	static const struct name addressings[] = {
		{"none", CL_ADDRESS_NONE, 0, 0}, {"clamp", CL_ADDRESS_CLAMP, 0, 0},
		{"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE, 0, 0}, {"repeat", CL_ADDRESS_REPEAT, 0, 0},
		{"mirrored_repeat", CL_ADDRESS_MIRRORED_REPEAT, 0, 0}};
	static const struct name filters[] = {{"nearest", CL_FILTER_NEAREST, 0, 0},
					      {"linear", CL_FILTER_LINEAR, 0, 0}};
	static const struct name coordinates[] = {{"normalized", CL_TRUE, 0, 0},
						  {"unnormalized", CL_FALSE, 0, 0}};
	static const char start[] = "sampler:";
	*sampler = (struct run_sampler){CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST};
	if (!strcmp(word, "sampler"))
		return true;
	word += strncmp(word, start, strlen(start)) ? 0 : strlen(start);
	for (const char *end = ","; *end; word = end + (*end == ',')) {
		const struct name *row;
		end = word + strcspn(word, ",");
		if ((row = find(addressings, COUNT(addressings), word, end)))
			sampler->addressing = row->value;
		else if ((row = find(filters, COUNT(filters), word, end)))
			sampler->filter = row->value;
		else if ((row = find(coordinates, COUNT(coordinates), word, end)))
			sampler->normalized = row->value;
		else
			return false;
	}
	return true;
}
