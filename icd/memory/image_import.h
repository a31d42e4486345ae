/* Images in memory of another API or process (cl_khr_external_memory): 2D images with a linear layout
 * (CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR), which are made of an internal buffer, and
 * images in the GPU's own layout (cl_culvert_external_image), which are CUDA arrays.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_IMAGE_IMPORT_H
#define CULVERT_ICD_IMAGE_IMPORT_H

#include "icd/memory/image.h"

/* request: has properties; only its pointers have been checked.  On success the memory object owns the file descriptor.
 * Returns the errors that the specification lists for clCreateImageWithProperties. */
cl_int ocl_image_import(struct ocl_image_request *request, cl_mem *mem_out);

#endif
