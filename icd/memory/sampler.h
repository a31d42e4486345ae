/* Samplers (cl_sampler): their settings, and how these are encoded for kernels.
 *
 * Thread-safe: constant after creation. */
#ifndef CULVERT_ICD_SAMPLER_H
#define CULVERT_ICD_SAMPLER_H

#include "icd/memory/context.h"

extern const struct object_type ocl_sampler_type;

struct ocl_sampler_settings {
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	/* Of mipmapped images: the filter between levels, and what the level of detail is limited to. */
	cl_filter_mode mip_filter;
	cl_float lod_min, lod_max;
};

/* OpenCL 3.0 API, 5.7.1: the defaults of the properties. */
#define OCL_SAMPLER_DEFAULTS {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, CL_FILTER_NEAREST, 0.0f, CL_FLT_MAX}

struct _cl_sampler {
	struct object base;
	cl_context context;              /* ref held */
	struct ocl_sampler_settings settings;
	cl_sampler_properties *properties; /* owned, with the final 0; NULL if none were given */
	size_t property_count;           /* with the final 0 */
	uint32_t bits;                   /* the settings as kernels get them: enum abi_sampler */
};

/* Checks the settings: CL_INVALID_VALUE.  properties: for clGetSamplerInfo, or NULL. */
cl_int ocl_sampler_create(cl_context context, const struct ocl_sampler_settings *settings,
			  const cl_sampler_properties *properties, cl_sampler *sampler_out);

#endif
