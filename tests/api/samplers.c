/* Samplers: creation, queries, counts, and the errors of their pages. */
#include "config.h"

#include "tests/api/api_test.h"

static const cl_addressing_mode addressings[] = {
	CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
	CL_ADDRESS_MIRRORED_REPEAT,
};

static void check_values(cl_sampler sampler, cl_bool normalized, cl_addressing_mode addressing,
			 cl_filter_mode filter)
{
	cl_bool is_normalized = 77;
	cl_addressing_mode its_addressing = 77;
	cl_filter_mode its_filter = 77;
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(is_normalized),
				  &is_normalized, NULL));
	CHECK(is_normalized == normalized);
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(its_addressing),
				  &its_addressing, NULL));
	CHECK(its_addressing == addressing);
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(its_filter), &its_filter,
				  NULL));
	CHECK(its_filter == filter);
}

static void test_all(cl_context context)
{
	cl_int code;
	for (unsigned i = 0; i < 20; i++) {
		const cl_bool normalized = i & 1;
		const cl_filter_mode filter = i & 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
		/* OpenCL 3.0 API, 5.7.1: repetition is for normalized coordinates. */
		if (!normalized && i / 4 > 2)
			continue;
		cl_sampler sampler = clCreateSampler(context, normalized, addressings[i / 4],
						     filter, &code);
		if (!CHECK_OK(code))
			continue;
		check_values(sampler, normalized, addressings[i / 4], filter);
		CHECK_OK(clReleaseSampler(sampler));
	}
	CHECK_NO_OBJECT(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &code),
			code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(clCreateSampler(context, CL_TRUE, CL_FILTER_LINEAR, CL_FILTER_LINEAR,
					&code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP,
					&code),
			code, CL_INVALID_VALUE);
}

static void test_properties(cl_context context)
{
	const cl_sampler_properties some[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
	const cl_sampler_properties all[] = {
		CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE,
		CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE, 0,
	};
	const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
					       CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
	const cl_sampler_properties unknown[] = {0x1234, 1, 0};
	const cl_sampler_properties bad[] = {CL_SAMPLER_ADDRESSING_MODE, 5, 0};
	cl_sampler_properties told[8] = {77};
	size_t size = 99;
	cl_int code;
	cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &code);
	CHECK_OK(code);
	/* 5.7.1: what is not given is normalized, clamped and nearest. */
	check_values(sampler, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof(told), told, &size));
	CHECK(size == 0);
	CHECK_OK(clReleaseSampler(sampler));
	sampler = clCreateSamplerWithProperties(context, some, &code);
	CHECK_OK(code);
	check_values(sampler, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
	CHECK_OK(clReleaseSampler(sampler));
	sampler = clCreateSamplerWithProperties(context, all, &code);
	CHECK_OK(code);
	check_values(sampler, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR);
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof(told), told, &size));
	CHECK(size == sizeof(all) && !memcmp(told, all, sizeof(all)));
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_NO_OBJECT(clCreateSamplerWithProperties(NULL, NULL, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(clCreateSamplerWithProperties(context, twice, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateSamplerWithProperties(context, unknown, &code), code,
			CL_INVALID_VALUE);
	CHECK_NO_OBJECT(clCreateSamplerWithProperties(context, bad, &code), code, CL_INVALID_VALUE);
}

static void test_counts(cl_context context)
{
	cl_uint count = 0;
	cl_context its = NULL;
	cl_int code;
	cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR,
					     &code);
	CHECK_OK(code);
	CHECK_OK(clRetainSampler(sampler));
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(count), &count,
				  NULL));
	CHECK(count == 2);
	CHECK_OK(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(its), &its, NULL));
	CHECK(its == context);
	CHECK_CODE(clGetSamplerInfo(sampler, 0x1234, sizeof(count), &count, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, 1, &its, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_CODE(clRetainSampler(NULL), CL_INVALID_SAMPLER);
	CHECK_CODE(clReleaseSampler(NULL), CL_INVALID_SAMPLER);
	CHECK_CODE(clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, 0, NULL, NULL), CL_INVALID_SAMPLER);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "samplers"))
		return API_TEST_SKIP;
	test_all(test.context);
	test_properties(test.context);
	test_counts(test.context);
	return api_test_end(&test);
}
