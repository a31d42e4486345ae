/* Checks the parameters of clCreateImage (OpenCL 3.0 API, 5.3.1).
 *
 * Thread-safe: the functions change only the request. */
#ifndef CULVERT_ICD_IMAGE_CHECK_H
#define CULVERT_ICD_IMAGE_CHECK_H

#include "icd/memory/image.h"

/* Checks everything except the context and the properties.  Fills in the pitches that desc leaves out, and the flags
 * that a memory object from which the image is made determines. */
cl_int ocl_image_check(struct ocl_image_request *request);

/* Checks the row pitch of a 2D image in imported memory, or fills it in: it is a multiple of what CUDA's textures
 * need.  CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR. */
cl_int ocl_image_rows_take(struct ocl_image_request *request);

/* What addresses and slice pitches are multiples of, in bytes: the size of a texel, or 1 if texels share bytes.
 * format: NULL stands for all formats, here and in the next function. */
uint32_t ocl_image_unit_B(const cl_image_format *format);

/* The alignment of row pitches of images of this type that are made of buffers: CL_DEVICE_IMAGE_PITCH_ALIGNMENT texels
 * for 2D images, which kernels use in place then, and for an unknown type, 0; otherwise a texel.  If texels share
 * bytes, it is 1. */
size_t ocl_image_row_alignment_B(const struct _cl_context *context, cl_mem_object_type type,
				 const cl_image_format *format);

#endif
