/* Calls that are not supported: each fails with a message that names it.
 *
 * This file does not include <cuda.h>: the functions ignore their arguments, which in the calling conventions of
 * x86-64 and aarch64 are removed by the caller, so one type serves for all of them. */
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
