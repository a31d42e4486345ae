/* Names and texts of results. */
#include "config.h"

#include "softcuda/driver/schedule.h"

CUresult cuGetErrorName(CUresult error, const char **name_out)
{
	if (!name_out)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)error) {
#define RESULT(number, name, text) \
	case (number):             \
		*name_out = #name; \
		return CUDA_SUCCESS;
#include "softcuda/driver/result.def"
#undef RESULT
	default:
		*name_out = NULL;
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuGetErrorString(CUresult error, const char **text_out)
{
	if (!text_out)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)error) {
#define RESULT(number, name, text) \
	case (number):             \
		*text_out = (text); \
		return CUDA_SUCCESS;
#include "softcuda/driver/result.def"
#undef RESULT
	default:
		*text_out = NULL;
		return CUDA_ERROR_INVALID_VALUE;
	}
}
