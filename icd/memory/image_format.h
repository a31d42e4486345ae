/* Image formats: which there are, and what a texel is in each (OpenCL 3.0 API, 5.3.1).
 *
 * Thread-safe: a constant table, and what a device's driver takes. */
#ifndef CULVERT_ICD_IMAGE_FORMAT_H
#define CULVERT_ICD_IMAGE_FORMAT_H

#include "backend/gpu_image.h"

#include <CL/cl.h>
#include <stdbool.h>

enum { OCL_TEXEL_MAX_B = 16, OCL_FORMATS_MAX = 128 };

/* CL_INVALID_IMAGE_FORMAT_DESCRIPTOR when format is NULL or no format of the
 * specification's. */
cl_int ocl_image_format_check(const cl_image_format *format);

/* CL_IMAGE_FORMAT_NOT_SUPPORTED when images of this type, used as flags say, cannot have
 * the format, which is one of the specification's, on every device of the context that has
 * images.  May make CUDA's contexts. */
cl_int ocl_image_format_supported(const struct _cl_context *context,
				  const cl_image_format *format, cl_mem_object_type type,
				  cl_mem_flags flags);

/* A supported format's. */
struct gpu_texel ocl_image_format_texel(const cl_image_format *format);

/* The size of one texel. */
static inline uint32_t ocl_image_format_B(const cl_image_format *format)
{
	const struct gpu_texel texel = ocl_image_format_texel(format);
	return gpu_texel_B(&texel);
}

/* All that are supported, at most OCL_FORMATS_MAX. */
cl_uint ocl_image_formats(const struct _cl_context *context, cl_mem_object_type type,
			  cl_mem_flags flags, cl_image_format *formats);

/* Whether a 2D image of one order may be made from one of the other (5.3.1, "creating a
 * 2D image from another 2D image object"). */
bool ocl_image_orders_match(cl_channel_order from, cl_channel_order to);

/* The bytes of a texel of a color, as clEnqueueFillImage takes it (5.3.5): four floats,
 * ints or unsigned ints by the format's type, or one float of a depth. */
void ocl_image_format_pack(const cl_image_format *format, const void *color,
			   unsigned char texel_out[OCL_TEXEL_MAX_B]);

#endif
