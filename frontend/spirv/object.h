/* Images and pipes: the kinds of images that OpenCL C has.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_OBJECT_H
#define CULVERT_FRONTEND_SPIRV_OBJECT_H

#include "frontend/spirv/type.h"

/* Whether OpenCL C has images of a type, which is of the class SPIRV_IMAGE. */
bool spirv_image_is_supported(const struct spirv_type *type);
/* The name of a supported type ("image2d_t") and its access qualifier ("read_only"), as clGetKernelArgInfo returns
 * them. */
const char *spirv_image_name(const struct spirv_type *type);
const char *spirv_image_access(const struct spirv_type *type);

#endif
