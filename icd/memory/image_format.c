#include "config.h"

#include "icd/memory/image_format.h"

#include "icd/memory/image.h"

/* Headers of December 2023 define CL_DEPTH_STENCIL and its type only in this file. */
#include <CL/cl_gl.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* cl_ext_image_raw10_raw12, for headers that lack it. */
#ifndef CL_UNSIGNED_INT_RAW10_EXT
#define CL_UNSIGNED_INT_RAW10_EXT 0x10E3
#define CL_UNSIGNED_INT_RAW12_EXT 0x10E4
#endif

struct type_row {
	cl_channel_type type;
	enum gpu_channel channel;
	uint32_t channel_B;
	bool normalized;
};

static const struct type_row types[] = {
	{CL_SNORM_INT8, GPU_CHANNEL_SIGNED, 1, true},
	{CL_SNORM_INT16, GPU_CHANNEL_SIGNED, 2, true},
	{CL_UNORM_INT8, GPU_CHANNEL_UNSIGNED, 1, true},
	{CL_UNORM_INT16, GPU_CHANNEL_UNSIGNED, 2, true},
	{CL_SIGNED_INT8, GPU_CHANNEL_SIGNED, 1, false},
	{CL_SIGNED_INT16, GPU_CHANNEL_SIGNED, 2, false},
	{CL_SIGNED_INT32, GPU_CHANNEL_SIGNED, 4, false},
	{CL_UNSIGNED_INT8, GPU_CHANNEL_UNSIGNED, 1, false},
	{CL_UNSIGNED_INT16, GPU_CHANNEL_UNSIGNED, 2, false},
	{CL_UNSIGNED_INT32, GPU_CHANNEL_UNSIGNED, 4, false},
	{CL_HALF_FLOAT, GPU_CHANNEL_FLOAT, 2, false},
	{CL_FLOAT, GPU_CHANNEL_FLOAT, 4, false},
	/* Four bytes into which CUDA packs four channels. */
	{CL_UNORM_INT_101010, GPU_CHANNEL_UNSIGNED, 1, true},
};

struct packed_row {
	cl_channel_type type;
	cl_channel_order order;
	struct gpu_packing packing;
};

/* OpenCL 3.0 API, 5.3.1.1: "For CL_UNORM_SHORT_565, R is in bits 15:11, G is in bits 10:5 and B is in bits 4:0", and so
 * on.  The channels of CL_RGB are in CUDA's order (below). */
static const struct packed_row packed_rows[] = {
	{CL_UNORM_SHORT_565, CL_RGB, {2, {0, 5, 11, 0}, {5, 6, 5, 0}, 0}},
	{CL_UNORM_SHORT_555, CL_RGB, {2, {0, 5, 10, 0}, {5, 5, 5, 0}, 0}},
	{CL_UNORM_INT_101010, CL_RGB, {4, {0, 10, 20, 0}, {10, 10, 10, 0}, 0}},
	{CL_UNORM_INT_101010_2, CL_RGBA, {4, {22, 12, 2, 0}, {10, 10, 10, 2}, 0}},
	/* "Each 4 consecutive pixels are packed into 5 bytes", "each 2 ... into 3 bytes". */
	{CL_UNSIGNED_INT_RAW10_EXT, CL_R, {5, {0}, {10}, 4}},
	{CL_UNSIGNED_INT_RAW12_EXT, CL_R, {3, {0}, {12}, 2}},
};

/* OpenCL 3.0 API, 5.3.1, "Image Format Mapping": the data types that can be used with a channel order. */
enum takes { TAKES_ALL, TAKES_FRACTIONS, TAKES_BYTES, TAKES_UNORM8, TAKES_DEPTH, TAKES_PACKED };

struct order_row {
	cl_channel_order order;
	uint32_t channels;
	enum takes takes;
	uint8_t color[4];                /* for each channel, which component of a color it is */
};

static const struct order_row orders[] = {
	{CL_RGBA, 4, TAKES_ALL, {0, 1, 2, 3}},
	{CL_R, 1, TAKES_ALL, {0}},
	{CL_RG, 2, TAKES_ALL, {0, 1}},
	{CL_A, 1, TAKES_ALL, {3}},
	{CL_RA, 2, TAKES_ALL, {0, 3}},
	{CL_INTENSITY, 1, TAKES_FRACTIONS, {0}},
	{CL_LUMINANCE, 1, TAKES_FRACTIONS, {0}},
	{CL_BGRA, 4, TAKES_BYTES, {2, 1, 0, 3}},
	{CL_ARGB, 4, TAKES_BYTES, {3, 0, 1, 2}},
	{CL_ABGR, 4, TAKES_BYTES, {3, 2, 1, 0}},
	{CL_DEPTH, 1, TAKES_DEPTH, {0}},
	{CL_sRGBA, 4, TAKES_UNORM8, {0, 1, 2, 3}},
	{CL_sBGRA, 4, TAKES_UNORM8, {2, 1, 0, 3}},
	/* In CUDA's packed format the first channel is in the lowest bits, where OpenCL has blue. */
	{CL_RGB, 4, TAKES_PACKED, {2, 1, 0, 3}},
};

/* Channel orders of the specification that no CUDA array supports. */
static const cl_channel_order other_orders[] = {CL_Rx, CL_RGx, CL_RGBx, CL_sRGB, CL_sRGBx,
						CL_DEPTH_STENCIL};
static const cl_channel_type other_types[] = {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555,
					      CL_UNORM_INT24, CL_UNORM_INT_101010_2,
					      CL_UNSIGNED_INT_RAW10_EXT, CL_UNSIGNED_INT_RAW12_EXT};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct type_row *type_find(cl_channel_type type)
{
	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (types[i].type == type)
			return &types[i];
	return NULL;
}

static const struct order_row *order_find(cl_channel_order order)
{
	for (size_t i = 0; i < COUNT_OF(orders); i++)
		if (orders[i].order == order)
			return &orders[i];
	return NULL;
}

static const struct packed_row *packed_find(const cl_image_format *format)
{
	for (size_t i = 0; i < COUNT_OF(packed_rows); i++)
		if (packed_rows[i].type == format->image_channel_data_type &&
		    packed_rows[i].order == format->image_channel_order)
			return &packed_rows[i];
	return NULL;
}

static bool order_takes(const struct order_row *order, const struct type_row *type)
{
	if (type->type == CL_UNORM_INT_101010)
		return order->takes == TAKES_PACKED;
	switch (order->takes) {
	case TAKES_ALL:
		return true;
	case TAKES_FRACTIONS:
		return type->normalized || type->channel == GPU_CHANNEL_FLOAT;
	case TAKES_BYTES:
		return type->channel_B == 1;
	case TAKES_UNORM8:
		return type->type == CL_UNORM_INT8;
	case TAKES_DEPTH:
		return type->type == CL_UNORM_INT16 || type->type == CL_FLOAT;
	case TAKES_PACKED:
		return false;
	}
	return false;
}

static bool order_takes_other(const struct order_row *order, cl_channel_type type)
{
	if (order->takes == TAKES_PACKED)
		return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555;
	/* cl_ext_image_raw10_raw12: "the channel order must be CL_R". */
	if (type == CL_UNSIGNED_INT_RAW10_EXT || type == CL_UNSIGNED_INT_RAW12_EXT)
		return order->order == CL_R;
	return order->order == CL_RGBA && type == CL_UNORM_INT_101010_2;
}

static bool is_other_order(cl_channel_order order)
{
	for (size_t i = 0; i < COUNT_OF(other_orders); i++)
		if (other_orders[i] == order)
			return true;
	return false;
}

static bool is_other_type(cl_channel_type type)
{
	for (size_t i = 0; i < COUNT_OF(other_types); i++)
		if (other_types[i] == type)
			return true;
	return false;
}

cl_int ocl_image_format_check(const cl_image_format *format)
{
	if (!format)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	const struct order_row *order = order_find(format->image_channel_order);
	const struct type_row *type = type_find(format->image_channel_data_type);
	if (!order && !is_other_order(format->image_channel_order))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!type && !is_other_type(format->image_channel_data_type))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	/* 5.3.1: each channel order can be used with certain data types only; the packed types with CL_RGB and
	 * CL_RGBx, CL_UNORM_INT_101010_2 with CL_RGBA. */
	if (order && type)
		return order_takes(order, type) ? CL_SUCCESS : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (order && !order_takes_other(order, format->image_channel_data_type))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	return CL_SUCCESS;
}

static bool context_packs_texels(const struct _cl_context *context)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (context->devices[i]->images &&
		    !gpu_device_packs_texels(context->devices[i]->gpu))
			return false;
	return true;
}

cl_int ocl_image_format_supported(const cl_image_format *format, cl_mem_object_type type)
{
	const struct order_row *order = order_find(format->image_channel_order);
	const bool planes = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	/* CUDA has no textures of such linear memory. */
	if (packed_find(format) && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return CL_SUCCESS;
	if (!order || !type_find(format->image_channel_data_type))
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	/* OpenCL C has depth images of these two types only. */
	if (order->takes == TAKES_DEPTH && !planes)
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	/* An image1d_buffer_t is not read through the texture hardware, which converts sRGB. */
	if (order->takes == TAKES_UNORM8 && type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return CL_IMAGE_FORMAT_NOT_SUPPORTED;
	return order->takes == TAKES_PACKED ? CL_IMAGE_FORMAT_NOT_SUPPORTED : CL_SUCCESS;
}

/* Of a format that CUDA's arrays have. */
static struct gpu_texel native_texel(const cl_image_format *format)
{
	const struct order_row *order = order_find(format->image_channel_order);
	const struct type_row *type = type_find(format->image_channel_data_type);
	return (struct gpu_texel){
		.channel = type->channel,
		.channel_B = type->channel_B,
		.channels = order->channels,
		.normalized = type->normalized,
		.srgb = order->takes == TAKES_UNORM8,
		.packed = order->takes == TAKES_PACKED,
	};
}

struct gpu_packing ocl_image_format_packing(const struct _cl_context *context,
					    const cl_image_format *format)
{
	const struct packed_row *row = packed_find(format);
	const bool native = row && row->type == CL_UNORM_INT_101010 && context_packs_texels(context);
	return row && !native ? row->packing : (struct gpu_packing){0};
}

uint32_t ocl_image_format_B(const cl_image_format *format)
{
	const struct packed_row *row = packed_find(format);
	const struct gpu_texel texel = row ? (struct gpu_texel){0} : native_texel(format);
	return row ? row->packing.word_B : gpu_texel_B(&texel);
}

uint32_t ocl_image_format_group(const cl_image_format *format)
{
	const struct packed_row *row = packed_find(format);
	return row && row->packing.group ? row->packing.group : 1;
}

struct gpu_texel ocl_image_format_texel(const struct _cl_context *context,
					const cl_image_format *format)
{
	const struct gpu_packing packing = ocl_image_format_packing(context, format);
	if (packing.group)
		return (struct gpu_texel){.channel = GPU_CHANNEL_UNSIGNED, .channel_B = 2, .channels = 1};
	if (packing.word_B)
		return (struct gpu_texel){.channel = GPU_CHANNEL_FLOAT, .channel_B = 4, .channels = 4};
	return native_texel(format);
}

static cl_uint packed_formats(const struct _cl_context *context, cl_mem_object_type type, bool read_write,
			      cl_image_format *formats)
{
	cl_uint count = 0;
	for (size_t i = 0; i < COUNT_OF(packed_rows); i++) {
		const cl_image_format format = {packed_rows[i].order, packed_rows[i].type};
		if (!ocl_image_format_supported(&format, type) &&
		    !(read_write && ocl_image_format_packing(context, &format).word_B))
			formats[count++] = format;
	}
	return count;
}

cl_uint ocl_image_formats(const struct _cl_context *context, cl_mem_object_type type, bool read_write,
			  cl_image_format *formats)
{
	cl_uint count = packed_formats(context, type, read_write, formats);
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		for (size_t j = 0; j < COUNT_OF(types); j++) {
			const cl_image_format format = {orders[i].order, types[j].type};
			if (!order_takes(&orders[i], &types[j]) || packed_find(&format) ||
			    ocl_image_format_supported(&format, type))
				continue;
			formats[count++] = format;
		}
	}
	return count;
}

bool ocl_image_orders_match(cl_channel_order from, cl_channel_order to)
{
	static const cl_channel_order pairs[][2] = {
		{CL_BGRA, CL_sBGRA}, {CL_sBGRA, CL_BGRA}, {CL_RGBA, CL_sRGBA},
		{CL_sRGBA, CL_RGBA}, {CL_R, CL_DEPTH},    {CL_DEPTH, CL_R},
	};
	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		if (pairs[i][0] == from && pairs[i][1] == to)
			return true;
	return false;
}

/* --- one texel (OpenCL C 3.0, 8.3) ---------------------------------------------------- */

static float clamped(float value, float low)
{
	/* A NaN becomes 0. */
	if (!(value >= low))
		return value < low ? low : 0;
	return value > 1 ? 1 : value;
}

/* Rounds to nearest even, also subnormal values and overflows. */
static uint16_t half_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
	const uint32_t size = bits & 0x7FFFFFFF;
	if (size > 0x7F800000)
		return sign | 0x7E00;
	if (size >= 0x47800000)
		return sign | 0x7C00;
	if (size < 0x38800000) {
		/* In units of the smallest half, 2^-24. */
		const float units = ldexpf(fabsf(value), 24);
		return sign | (uint16_t)rintf(units);
	}
	const uint32_t rounded = size - 0x38000000 + 0x0FFF + (size >> 13 & 1);
	return sign | (uint16_t)(rounded >> 13);
}

/* Converts a linear value to sRGB (OpenCL C 3.0, 8.3.5). */
static float srgb_of(float value)
{
	value = clamped(value, 0);
	return value < 0.0031308F ? 12.92F * value : 1.055F * powf(value, 1 / 2.4F) - 0.055F;
}

static void put_channel(unsigned char *to, uint32_t value, uint32_t size_B)
{
	for (uint32_t i = 0; i < size_B; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

static uint32_t fraction_of(const struct type_row *type, float value)
{
	const float most = (float)((1u << (8 * type->channel_B -
					   (type->channel == GPU_CHANNEL_SIGNED))) - 1);
	const bool is_signed = type->channel == GPU_CHANNEL_SIGNED;
	return (uint32_t)(int32_t)rintf(clamped(value, is_signed ? -1 : 0) * most);
}

static uint32_t float_of(const struct type_row *type, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return type->channel_B == 2 ? half_of(value) : bits;
}

/* Saturates to the channel's range. */
static uint32_t integer_of(const struct type_row *type, uint32_t bits)
{
	const unsigned width = 8 * type->channel_B;
	if (width == 32)
		return bits;
	if (type->channel == GPU_CHANNEL_UNSIGNED)
		return bits >> width ? (1u << width) - 1 : bits;
	const int32_t value = (int32_t)bits, most = (1 << (width - 1)) - 1;
	return (uint32_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}

static void pack_word(const struct packed_row *row, const struct order_row *order, const void *color,
		      unsigned char *texel_out)
{
	float parts[4];
	uint32_t word = 0;
	memcpy(parts, color, sizeof(parts));
	for (unsigned i = 0; i < 4; i++) {
		const float most = (float)((1u << row->packing.bits[i]) - 1);
		word |= (uint32_t)rintf(clamped(parts[order->color[i]], 0) * most) << row->packing.shift[i];
	}
	put_channel(texel_out, word, row->packing.word_B);
}

/* A group whose texels all have the color. */
static void pack_group(const struct gpu_packing *packing, const void *color, unsigned char *group_out)
{
	const uint32_t low = packing->bits[0] - 8u, most = (1u << packing->bits[0]) - 1;
	uint32_t value;
	memcpy(&value, color, sizeof(value));
	value = value > most ? most : value;
	group_out[packing->group] = 0;
	for (uint32_t i = 0; i < packing->group; i++) {
		group_out[i] = (unsigned char)(value >> low);
		group_out[packing->group] |= (unsigned char)((value & ((1u << low) - 1)) << i * low);
	}
}

void ocl_image_format_pack(const cl_image_format *format, const void *color,
			   unsigned char texel_out[OCL_TEXEL_MAX_B])
{
	const struct order_row *order = order_find(format->image_channel_order);
	const struct type_row *type = type_find(format->image_channel_data_type);
	const struct packed_row *packed = packed_find(format);
	if (packed && packed->packing.group) {
		pack_group(&packed->packing, color, texel_out);
		return;
	}
	if (packed) {
		pack_word(packed, order, color, texel_out);
		return;
	}
	const bool whole = type->channel != GPU_CHANNEL_FLOAT && !type->normalized;
	for (uint32_t i = 0; i < order->channels; i++) {
		const unsigned part = order->color[i];
		uint32_t bits;
		float value;
		memcpy(&bits, (const unsigned char *)color + 4 * part, sizeof(bits));
		memcpy(&value, &bits, sizeof(value));
		if (order->takes == TAKES_UNORM8 && part < 3)
			value = srgb_of(value);
		bits = whole ? integer_of(type, bits)
			     : type->normalized ? fraction_of(type, value) : float_of(type, value);
		put_channel(texel_out + i * type->channel_B, bits, type->channel_B);
	}
}
