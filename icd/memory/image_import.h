/* Images in memory of another API or process (cl_khr_external_memory): 2D images whose rows lie one
 * behind the other (CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR), made
 * of a buffer that nobody sees.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_IMAGE_IMPORT_H
#define CULVERT_ICD_IMAGE_IMPORT_H

#include "icd/memory/image.h"

/* request: its properties are not empty; nothing of it is checked but that format and desc are
 * there.  The descriptor is taken over on success.  The specification's codes. */
cl_int ocl_image_import(struct ocl_image_request *request, cl_mem *mem_out);

#endif
