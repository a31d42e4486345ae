/* Samplers: three numbers, and the bits that kernels know them by.
 *
 * Thread-safe: immutable. */
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
	size_t property_count;
	uint32_t bits;                   /* enum abi_sampler */
};

/* The three are checked here: CL_INVALID_VALUE.  properties: to be told again, or NULL. */
cl_int ocl_sampler_create(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
			  cl_filter_mode filter, const cl_sampler_properties *properties,
			  cl_sampler *sampler_out);

#endif
