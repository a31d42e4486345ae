#include "config.h"

#include "icd/compile/job.h"

void ocl_outcome_finish(struct ocl_outcome *outcome)
{
	ocl_code_unref(outcome->code);
	fe_inputs_finish(&outcome->inputs);
	bytes_finish(&outcome->log);
	*outcome = (struct ocl_outcome)OCL_OUTCOME_INIT;
}

/* The errors by which the specification calls the same failure in different functions. */
struct error_names {
	cl_int options, failure, unavailable;
};

static const struct error_names error_names[] = {
	[OCL_JOB_SOURCE] = {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE,
			    CL_COMPILER_NOT_AVAILABLE},
	[OCL_JOB_BINARY] = {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE,
			    CL_COMPILER_NOT_AVAILABLE},
	[OCL_JOB_COMPILE] = {CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE,
			     CL_COMPILER_NOT_AVAILABLE},
	[OCL_JOB_LINK] = {CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE,
			  CL_LINKER_NOT_AVAILABLE},
};

cl_int ocl_job_frontend_error(enum ocl_job_kind kind, enum fe_status status)
{
	const struct error_names *names = &error_names[kind];
	switch (status) {
	case FE_OK:
		return CL_SUCCESS;
	case FE_INVALID_OPTIONS:
		return names->options;
	case FE_NO_MEMORY:
		return CL_OUT_OF_HOST_MEMORY;
	case FE_UNAVAILABLE:
		return names->unavailable;
	case FE_COMPILE_FAILED:
	case FE_LINK_FAILED:
	case FE_INTERNAL:
		break;
	}
	return names->failure;
}

cl_int ocl_job_backend_error(enum ocl_job_kind kind, cl_int error)
{
	const struct error_names *names = &error_names[kind];
	if (error == CL_BUILD_PROGRAM_FAILURE)
		return names->failure;
	if (error == CL_COMPILER_NOT_AVAILABLE)
		return names->unavailable;
	return error;
}
