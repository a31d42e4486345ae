#include "config.h"

#include "base/cancel.h"
#include "base/log.h"
#include "icd/api/icd.h"
#include "icd/compile/job_cache.h"
#include "icd/object/platform.h"
#include "icd/program/module.h"

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
						 cl_uint *num_platforms)
{
	/* OpenCL 3.0 API, 4.1: CL_INVALID_VALUE for a list with 0 entries, or when both results are NULL. */
	if ((platforms && !num_entries) || (!platforms && !num_platforms))
		return CL_INVALID_VALUE;
	log_options();
	if (platforms)
		platforms[0] = ocl_platform();
	if (num_platforms)
		*num_platforms = 1;
	return CL_SUCCESS;
}

OCL_EXPORT CL_API_ENTRY cl_int CL_API_CALL
clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
		  void *param_value, size_t *param_value_size_ret)
{
	/* OpenCL 3.0 API, 4.1: the behaviour for a NULL platform is implementation-defined; here it means our
	 * platform. */
	cl_int error = platform ? ocl_platform_check(platform) : CL_SUCCESS;
	if (error)
		return error;
	const struct info_out out = {param_value_size, param_value, param_value_size_ret};
	return ocl_platform_info(param_name, &out);
}

static void forget(void)
{
	const int before = cancel_hold();
	ocl_jobs_forget();
	ocl_modules_forget();
	cancel_restore(before);
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
	/* OpenCL 3.0 API, 5.8.8: a hint to release the compiler's resources: the code of earlier builds in memory. */
	cl_int error = ocl_platform_check(platform);
	if (!error)
		forget();
	return error;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
	forget();
	return CL_SUCCESS;
}
