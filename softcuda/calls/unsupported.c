/* The calls that are not covered: each names itself and fails.
 *
 * This file leaves <cuda.h> out on purpose: the functions take no notice of
 * their arguments, which under the calling conventions of x86-64 and aarch64
 * are the caller's to clean up, so one form does for all of them. */
#include "config.h"

#include "base/log.h"

enum { NOT_SUPPORTED = 801 };        /* CUDA_ERROR_NOT_SUPPORTED */

static int unsupported(const char *call)
{
	log_err("softcuda: %s is not supported", call);
	return NOT_SUPPORTED;
}

#pragma GCC visibility push(default)
#define UNSUPPORTED(function) int function(void);
#include "softcuda/calls/unsupported.def"
#undef UNSUPPORTED
#pragma GCC visibility pop

#define UNSUPPORTED(function)                  \
	int function(void)                     \
	{                                      \
		return unsupported(#function); \
	}
#include "softcuda/calls/unsupported.def"
#undef UNSUPPORTED
