/* What clCreateImage is given, checked (OpenCL 3.0 API, 5.3.1).
 *
 * Thread-safe: they only read. */
#ifndef CULVERT_ICD_IMAGE_CHECK_H
#define CULVERT_ICD_IMAGE_CHECK_H

#include "icd/memory/image.h"

/* All but the context and the properties; fills in what desc leaves out and takes what
 * flags leave out from the memory object that the image is made of. */
cl_int ocl_image_check(struct ocl_image_request *request);

/* Of a 2D image in linear memory: the row pitch, which is filled in, is a multiple of unit times
 * CL_DEVICE_IMAGE_PITCH_ALIGNMENT bytes.  CL_INVALID_IMAGE_DESCRIPTOR,
 * CL_INVALID_IMAGE_FORMAT_DESCRIPTOR. */
cl_int ocl_image_rows_take(struct ocl_image_request *request, uint32_t unit);

#endif
