/* cuGetProcAddress: functions by name and version; and the functions that a release does not have. */
#include "config.h"

#include "softcuda/calls/graphics.h"
#include "softcuda/control.h"
#include "softcuda/driver/release.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"
#include "softcuda/exec/image.h"

#include <string.h>

/* The header's macros would map some names to those for another default stream. */
#undef cuStreamGetDevice

typedef void (*function)(void);

struct symbol {
	const char *name;
	int version;
	const char *function_name;
	function function;
};

static const struct symbol symbols[] = {
#define SYMBOL(name, version, function_) {#name, (version), #function_, (function)(function_)},
#include "softcuda/calls/symbol.def"
#undef SYMBOL
};

/* ISO C has no conversion between pointers to functions and pointers to objects. */
static void function_store(void **function_out, function wanted)
{
	_Static_assert(sizeof(wanted) == sizeof(*function_out), "POSIX says so");
	memcpy(function_out, &wanted, sizeof(wanted));
}

/* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM asks for functions with a default stream for each thread, which are
 * not supported. */
static CUresult find(const char *name, int version, cuuint64_t flags, void **function_out,
		     CUdriverProcAddressQueryResult *status_out)
{
	const struct symbol *best = NULL;
	bool known = false;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *symbol = &symbols[i];
		if (strcmp(symbol->name, name) && strcmp(symbol->function_name, name))
			continue;
		if (symbol->version > soft_release())
			continue;
		known = true;
		if (symbol->version > version)
			continue;
		if (!best || symbol->version >= best->version)
			best = symbol;
	}
	if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		best = NULL;
	if (best) {
		function_store(function_out, best->function);
		*status_out = CU_GET_PROC_ADDRESS_SUCCESS;
		return CUDA_SUCCESS;
	}
	*function_out = NULL;
	*status_out = known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
			    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress_v2(const char *name, void **function_out, int version, cuuint64_t flags,
			     CUdriverProcAddressQueryResult *status_out)
{
	CUdriverProcAddressQueryResult unused;
	if (!name || !function_out)
		return CUDA_ERROR_INVALID_VALUE;
	return find(name, version, flags, function_out, status_out ? status_out : &unused);
}

CUresult cuGetProcAddress(const char *name, void **function_out, int version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(name, function_out, version, flags, NULL);
}

int culvert_soft_lacks(const char *function_name)
{
	/* An invalid release is reported by cuInit. */
	if (!soft_release())
		return 0;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!strcmp(symbols[i].function_name, function_name))
			return symbols[i].version > soft_release();
	return 0;
}
