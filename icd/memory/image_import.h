/* Images in memory of another API or process (cl_khr_external_memory): 2D images with a linear layout
 * (CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR), which are made of an internal buffer, and
 * images in the GPU's own layout (cl_culvert_external_image), which are CUDA arrays.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_IMAGE_IMPORT_H
#define CULVERT_ICD_IMAGE_IMPORT_H

#include "icd/memory/image.h"

/* Whether images in the GPU's own layout can have the format, which is one that images can have.  Packed formats are
 * converted to another one for kernels, and depth images have a layout of their own: neither is an array of the format.
 * May create CUDA contexts. */
bool ocl_image_import_has_format(const struct _cl_context *context, const cl_image_format *format);

/* request: has properties; only its pointers have been checked.  On success the memory object owns the file descriptor.
 * Returns the errors that the specification lists for clCreateImageWithProperties. */
cl_int ocl_image_import(struct ocl_image_request *request, cl_mem *mem_out);

#endif
