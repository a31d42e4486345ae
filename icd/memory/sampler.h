/* Samplers (cl_sampler): three settings, and their encoding for kernels.
 *
 * Thread-safe: constant after creation. */
#ifndef CULVERT_ICD_SAMPLER_H
#define CULVERT_ICD_SAMPLER_H

#include "icd/memory/context.h"

extern const struct object_type ocl_sampler_type;

struct _cl_sampler {
	struct object base;
	cl_context context;              /* ref held */
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	cl_sampler_properties *properties; /* owned, with the final 0; NULL if none were given */
	size_t property_count;           /* with the final 0 */
	uint32_t bits;                   /* the settings as kernels get them: enum abi_sampler */
};

/* Checks the three settings: CL_INVALID_VALUE.  properties: for clGetSamplerInfo, or NULL. */
cl_int ocl_sampler_create(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
			  cl_filter_mode filter, const cl_sampler_properties *properties,
			  cl_sampler *sampler_out);

#endif
