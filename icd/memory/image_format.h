/* Image formats: which are supported, and how a texel is stored in each (OpenCL 3.0 API, 5.3.1).
 *
 * Thread-safe: a constant table, and queries of the driver. */
#ifndef CULVERT_ICD_IMAGE_FORMAT_H
#define CULVERT_ICD_IMAGE_FORMAT_H

#include "backend/gpu_image.h"

#include <CL/cl.h>
#include <stdbool.h>

enum { OCL_TEXEL_MAX_B = 16, OCL_FORMATS_MAX = 128 };

/* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR when format is NULL or not a format of the specification. */
cl_int ocl_image_format_check(const cl_image_format *format);

/* CL_IMAGE_FORMAT_NOT_SUPPORTED unless images of this type can have the format.  format: passed
 * ocl_image_format_check. */
cl_int ocl_image_format_supported(const cl_image_format *format, cl_mem_object_type type);

/* How a texel of a supported format is stored in arrays.  May create CUDA contexts, as the next function. */
struct gpu_texel ocl_image_format_texel(const struct _cl_context *context,
					const cl_image_format *format);
/* How it is packed in all other memory, if no array has the format; word_B is 0 if arrays have it. */
struct gpu_packing ocl_image_format_packing(const struct _cl_context *context,
					    const cl_image_format *format);

/* The size of one texel, except in arrays of packed formats; of a group of texels if several share bytes, and how many
 * these are, otherwise 1. */
uint32_t ocl_image_format_B(const cl_image_format *format);
uint32_t ocl_image_format_group(const cl_image_format *format);

/* Writes all supported formats to formats, at most OCL_FORMATS_MAX; returns their number.  read_write: those that one
 * kernel can both read and write. */
cl_uint ocl_image_formats(const struct _cl_context *context, cl_mem_object_type type, bool read_write,
			  cl_image_format *formats);

/* Whether a 2D image of channel order to may be made from a 2D image of order from (5.3.1, "creating a 2D image from
 * another 2D image object"). */
bool ocl_image_orders_match(cl_channel_order from, cl_channel_order to);

/* Converts a color to the bytes of a texel.  color: as clEnqueueFillImage takes it (5.3.5): four floats, ints or
 * unsigned ints, depending on the format's data type, or one float for a depth format. */
void ocl_image_format_pack(const cl_image_format *format, const void *color,
			   unsigned char texel_out[OCL_TEXEL_MAX_B]);

#endif
