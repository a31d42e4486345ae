/* Samplers (OpenCL 3.0 API, 5.7). */
#include "config.h"

#include "tests/api/errors.h"

static cl_sampler create(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
			 cl_filter_mode filter)
{
	return clCreateSampler(context, normalized, addressing, filter, &error_code);
}

static cl_sampler create_with(cl_context context, const cl_sampler_properties *properties)
{
	return clCreateSamplerWithProperties(context, properties, &error_code);
}

void errors_sampler(void)
{
	const cl_sampler_properties unknown[] = {0x7777, 1, 0};
	const cl_sampler_properties bad_value[] = {CL_SAMPLER_FILTER_MODE, 0x7777, 0};
	const cl_sampler_properties bad_mode[] = {CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR, 0};
	const cl_sampler_properties bad_bool[] = {CL_SAMPLER_NORMALIZED_COORDS, 7, 0};
	/* Not cut to the 32 bits of a cl_bool. */
	const cl_sampler_properties long_bool[] = {
		CL_SAMPLER_NORMALIZED_COORDS, (cl_sampler_properties)1 << 32, 0,
	};
	const cl_sampler_properties twice[] = {
		CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
		CL_FILTER_LINEAR, 0,
	};
	ERROR_OBJECT(clCreateSampler, CL_INVALID_CONTEXT, 1,
		     create(world.wrong_context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR));
	ERROR_OBJECT(clCreateSampler, CL_INVALID_VALUE, 1,
		     create(world.context, CL_TRUE, CL_FILTER_LINEAR, CL_FILTER_LINEAR));
	ERROR_OBJECT(clCreateSampler, CL_INVALID_VALUE, 1,
		     create(world.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP));
	ERROR_OBJECT(clCreateSampler, CL_INVALID_VALUE, 1,
		     create(world.context, 7, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_CONTEXT, 1,
		     create_with(world.wrong_context, NULL));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, unknown));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, bad_value));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, bad_mode));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, bad_bool));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, long_bool));
	ERROR_OBJECT(clCreateSamplerWithProperties, CL_INVALID_VALUE, 1,
		     create_with(world.context, twice));
}
