/* Checks the parameters of clCreateImage (OpenCL 3.0 API, 5.3.1).
 *
 * Thread-safe: the functions change only the request. */
#ifndef CULVERT_ICD_IMAGE_CHECK_H
#define CULVERT_ICD_IMAGE_CHECK_H

#include "icd/memory/image.h"

/* Checks everything except the context and the properties.  Fills in the pitches that desc leaves out, and the flags
 * that a memory object from which the image is made determines. */
cl_int ocl_image_check(struct ocl_image_request *request);

/* Checks the row pitch of a 2D image in linear memory, or fills it in: it is a multiple of unit times
 * CL_DEVICE_IMAGE_PITCH_ALIGNMENT bytes.  CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR. */
cl_int ocl_image_rows_take(struct ocl_image_request *request, uint32_t unit);

#endif
