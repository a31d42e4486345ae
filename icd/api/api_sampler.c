/* Samplers (OpenCL 3.0 API, 5.7). */
#include "config.h"

#include "icd/memory/image.h"
#include "icd/memory/sampler.h"
#include "icd/object/info_rows.h"

static cl_sampler sampler_return(cl_int error, cl_sampler sampler, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = error;
	return error ? NULL : sampler;
}

static cl_int context_check(cl_context context)
{
	cl_int error = object_check(context, &ocl_context_type);
	/* 5.7.1: CL_INVALID_OPERATION when no device of the context supports images. */
	if (!error && !ocl_context_has_images(context))
		error = CL_INVALID_OPERATION;
	return error;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
						    cl_addressing_mode addressing_mode,
						    cl_filter_mode filter_mode,
						    cl_int *errcode_ret)
{
	cl_sampler sampler = NULL;
	cl_int error = context_check(context);
	if (!error)
		error = ocl_sampler_create(context, normalized_coords, addressing_mode,
					   filter_mode, NULL, &sampler);
	return sampler_return(error, sampler, errcode_ret);
}

struct sampler_values {
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
};

/* 5.7.1: CL_INVALID_VALUE for an unknown name, one that is given twice, or an invalid value. */
static cl_int properties_take(const cl_sampler_properties *list, struct sampler_values *values)
{
	unsigned seen = 0;
	for (; list && *list; list += 2) {
		unsigned bit;
		switch (list[0]) {
		case CL_SAMPLER_NORMALIZED_COORDS:
			bit = 1;
			/* The property's 64 bits are compared, not those of a cl_bool, which could be valid by
			 * accident. */
			if (list[1] != CL_TRUE && list[1] != CL_FALSE)
				return CL_INVALID_VALUE;
			values->normalized = (cl_bool)list[1];
			break;
		case CL_SAMPLER_ADDRESSING_MODE:
			bit = 2;
			values->addressing = (cl_addressing_mode)list[1];
			break;
		case CL_SAMPLER_FILTER_MODE:
			bit = 4;
			values->filter = (cl_filter_mode)list[1];
			break;
		default:
			return CL_INVALID_VALUE;
		}
		if (seen & bit)
			return CL_INVALID_VALUE;
		seen |= bit;
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *sampler_properties,
			      cl_int *errcode_ret)
{
	/* 5.7.1, table 35: the defaults of the properties. */
	struct sampler_values values = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
	cl_sampler sampler = NULL;
	cl_int error = context_check(context);
	if (!error)
		error = properties_take(sampler_properties, &values);
	if (!error)
		error = ocl_sampler_create(context, values.normalized, values.addressing,
					   values.filter, sampler_properties, &sampler);
	return sampler_return(error, sampler, errcode_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
	return object_retain(sampler, &ocl_sampler_type);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
	return object_release(sampler, &ocl_sampler_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
						 size_t param_value_size, void *param_value,
						 size_t *param_value_size_ret)
{
	const struct info_out *out =
		&(const struct info_out){param_value_size, param_value, param_value_size_ret};
	cl_int error = object_check(sampler, &ocl_sampler_type);
	if (error)
		return error;
	switch (param_name) {
#include "icd/memory/sampler_info.def"
	default:
		return CL_INVALID_VALUE;
	}
}
