/* Inside the SPIR-V reader: images' kinds, as OpenCL C has them.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_IMAGE_H
#define CULVERT_FRONTEND_SPIRV_IMAGE_H

#include "frontend/spirv_reader.h"

/* Whether OpenCL C has images of such a type. */
bool spirv_image_is_supported(const struct spirv_type *type);
/* "image2d_t" and "read_only": what clGetKernelArgInfo says of an image that is supported. */
const char *spirv_image_name(const struct spirv_type *type);
const char *spirv_image_access(const struct spirv_type *type);

#endif
