/* Samplers (OpenCL 3.0 API, 5.7). */
#include "config.h"

#include "icd/memory/image.h"
#include "icd/memory/sampler.h"
#include "icd/object/info_rows.h"

#include <string.h>

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
	struct ocl_sampler_settings settings = OCL_SAMPLER_DEFAULTS;
	cl_sampler sampler = NULL;
	cl_int error = context_check(context);
	settings.normalized = normalized_coords;
	settings.addressing = addressing_mode;
	settings.filter = filter_mode;
	if (!error)
		error = ocl_sampler_create(context, &settings, NULL, &sampler);
	return sampler_return(error, sampler, errcode_ret);
}

/* A cl_float in a property: its 32 bits are the lowest. */
static cl_float float_of(cl_sampler_properties property)
{
	const uint32_t bits = (uint32_t)property;
	cl_float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Gives the bit that stands for the property; 0 for an unknown one or an invalid value. */
static unsigned property_take(cl_sampler_properties name, cl_sampler_properties value,
			      struct ocl_sampler_settings *settings)
{
	switch (name) {
	case CL_SAMPLER_NORMALIZED_COORDS:
		settings->normalized = (cl_bool)value;
		/* The property's 64 bits are compared, not those of a cl_bool, which could be valid by accident. */
		return value == CL_TRUE || value == CL_FALSE ? 1 : 0;
	case CL_SAMPLER_ADDRESSING_MODE:
		settings->addressing = (cl_addressing_mode)value;
		return 2;
	case CL_SAMPLER_FILTER_MODE:
		settings->filter = (cl_filter_mode)value;
		return 4;
	case CL_SAMPLER_MIP_FILTER_MODE:
		settings->mip_filter = (cl_filter_mode)value;
		return 8;
	case CL_SAMPLER_LOD_MIN:
		settings->lod_min = float_of(value);
		return 16;
	case CL_SAMPLER_LOD_MAX:
		settings->lod_max = float_of(value);
		return 32;
	default:
		return 0;
	}
}

/* 5.7.1: CL_INVALID_VALUE for an unknown name, one that is given twice, or an invalid value. */
static cl_int properties_take(const cl_sampler_properties *list, struct ocl_sampler_settings *settings)
{
	unsigned seen = 0;
	for (; list && *list; list += 2) {
		const unsigned bit = property_take(list[0], list[1], settings);
		if (!bit || seen & bit)
			return CL_INVALID_VALUE;
		seen |= bit;
	}
	return CL_SUCCESS;
}

CL_API_ENTRY cl_sampler CL_API_CALL
clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *sampler_properties,
			      cl_int *errcode_ret)
{
	struct ocl_sampler_settings settings = OCL_SAMPLER_DEFAULTS;
	cl_sampler sampler = NULL;
	cl_int error = context_check(context);
	if (!error)
		error = properties_take(sampler_properties, &settings);
	if (!error)
		error = ocl_sampler_create(context, &settings, sampler_properties, &sampler);
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
