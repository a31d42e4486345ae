/* The extensions and OpenCL C features that queries list: those of the API (base/extensions.def) and those of the
 * compiler (frontend/features.def).  Thread-safe. */
#ifndef CULVERT_ICD_EXTENSION_H
#define CULVERT_ICD_EXTENSION_H

#include "base/bytes.h"

enum ocl_extension_place {
	OCL_EXTENSION_PLATFORM = 1,
	OCL_EXTENSION_DEVICE = 2,
	OCL_EXTENSION_GRAPHICS = 4,      /* listed only where the CUDA driver can share with OpenGL */
	OCL_EXTENSION_EGL = 8            /* listed only where it can share EGL images */
};

/* The list of the platform, whose devices may not be known yet, has the extensions that some GPU has. */
#define OCL_EXTENSIONS_ANY_SM (~0u)

/* sm: the device's compute capability (10 * major + minor), or OCL_EXTENSIONS_ANY_SM. */
/* Appends the names of the extensions, separated by spaces. */
void ocl_extensions_text(enum ocl_extension_place place, unsigned sm, struct bytes *text);
/* Appends the extensions as an array of cl_name_version. */
void ocl_extensions_versions(enum ocl_extension_place place, unsigned sm, struct bytes *list);
/* Appends the OpenCL C 3.0 feature macros as an array of cl_name_version. */
void ocl_features_versions(unsigned sm, struct bytes *list);

#endif
