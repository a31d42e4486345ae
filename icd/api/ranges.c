#include "config.h"

#include "icd/api/ranges.h"

#ifdef HAVE_NVTX
#include "base/cancel.h"
#include "base/log.h"
#include "icd/include/cl_culvert.h"
#include "icd/include/cuda_interop.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"
#include "icd/include/khr_unified_svm.h"
#include "icd/include/nv_create_buffer.h"
#include "icd/program/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Static injection would need a weak symbol, which the library would export. */
#define NVTX_SUPPORT_STATIC_INJECTION_LIBRARY 0
#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>

/* Set by ranges_dispatch(). */
static nvtxDomainHandle_t domain;
static struct ocl_dispatch table;

static void range_begin(const char *name)
{
	nvtxEventAttributes_t range = {
		.version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.messageType = NVTX_MESSAGE_TYPE_ASCII,
		.message.ascii = name,
	};
	nvtxDomainRangePushEx(domain, &range);
}

enum { MOST_B = 1024 };

/* Replaces control characters by blanks, and removes an incomplete UTF-8 character at the end of a name that was
 * cut. */
static void make_printable(char *text)
{
	size_t size_B = strlen(text), last = size_B;
	for (size_t i = 0; i < size_B; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = ' ';
	if (size_B < MOST_B - 1)
		return;
	while (last && ((unsigned char)text[last - 1] & 0xc0) == 0x80)
		last--;
	if (last && (unsigned char)text[last - 1] >= 0xc0)
		text[last - 1] = '\0';
}

static void range_begin_launch(const char *name, cl_kernel kernel)
{
	char text[MOST_B];
	bool valid = !object_check(kernel, &ocl_kernel_type);
	snprintf(text, sizeof(text), "%s%s%s", name, valid ? " " : "", valid ? kernel->name : "");
	make_printable(text);
	range_begin(text);
}

static void range_end(void)
{
	nvtxDomainRangePop(domain);
}

/* --- the wrapped calls ------------------------------------------------------------------ */

/* The lists of calls have two kinds of rows: launches, whose ranges name the kernel, and all others.  LAUNCH_CALL
 * and CALL are defined anew for each use of the lists. */
#define STATUS(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define MAKE(type, name, parameters, arguments) CALL(type, name, name, parameters, arguments)
#define ENQUEUE(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define LAUNCH(name, parameters, arguments) LAUNCH_CALL(name, name, parameters, arguments)
#define MAP(name, parameters, arguments) CALL(void *, name, name, parameters, arguments)
#define MAKE_CALL(type, name, function, parameters, arguments)                                    \
	CALL(type, name, function, parameters, arguments)
#define ENQUEUE_CALL(name, function, parameters, arguments)                                       \
	CALL(cl_int, name, function, parameters, arguments)

#define WRAP(type, name, begin, function, parameters, arguments)                                  \
	static type CL_API_CALL range_##name parameters                                           \
	{                                                                                         \
		const int before = cancel_hold();                                                 \
		begin;                                                                            \
		type result = function arguments;                                                 \
		range_end();                                                                      \
		cancel_restore(before);                                                           \
		return result;                                                                    \
	}
#define CALL(type, name, function, parameters, arguments)                                         \
	WRAP(type, name, range_begin(#name), function, parameters, arguments)
#define LAUNCH_CALL(name, function, parameters, arguments)                                        \
	WRAP(cl_int, name, range_begin_launch(#name, kernel), function, parameters, arguments)
#define VOID_CALL(name, function, parameters, arguments)                                          \
	static void CL_API_CALL range_##name parameters                                           \
	{                                                                                         \
		const int before = cancel_hold();                                                 \
		range_begin(#name);                                                               \
		function arguments;                                                               \
		range_end();                                                                      \
		cancel_restore(before);                                                           \
	}
#include "base/calls.def"
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL

static const struct wrapped {
	const char *name;
	void *function;
} wrapped[] = {
#define CALL(type, name, function, parameters, arguments) {#name, (void *)range_##name},
#define LAUNCH_CALL(name, function, parameters, arguments) {#name, (void *)range_##name},
#define VOID_CALL(name, function, parameters, arguments) {#name, (void *)range_##name},
#include "base/calls.def"
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL
};

static void fill_table(const struct ocl_dispatch *plain)
{
	table = *plain;
#define CALL(type, name_, function, parameters, arguments) table.slots.name_ = range_##name_;
#define LAUNCH_CALL(name_, function, parameters, arguments) table.slots.name_ = range_##name_;
#include "base/calls.def"
#undef CALL
#undef LAUNCH_CALL
	table.slots.clCreateCommandQueue = range_clCreateCommandQueue;
	table.slots.clCreateCommandQueueWithProperties = range_clCreateCommandQueueWithProperties;
	table.slots.clGetKernelSubGroupInfoKHR = range_clGetKernelSubGroupInfo;
	table.slots.clSVMAlloc = range_clSVMAlloc;
	table.slots.clSVMFree = range_clSVMFree;
	table.OCL_SLOT_SUGGEST = (void *)range_clGetKernelSuggestedLocalWorkSize;
}

#undef STATUS
#undef MAKE
#undef ENQUEUE
#undef LAUNCH
#undef MAP

/* --- who listens --------------------------------------------------------------------------- */

const cl_icd_dispatch *ranges_dispatch(const struct ocl_dispatch *plain)
{
	/* The variable names a library to load; a set-user-ID program must not take it from its caller. */
	const char *path = secure_getenv("NVTX_INJECTION64_PATH");
	if (!path || !*path)
		return NULL;
	domain = nvtxDomainCreateA("Culvert");
	if (!domain) {
		log_info("ranges: %s did not accept a profiler's callbacks", path);
		return NULL;
	}
	fill_table(plain);
	log_info("ranges: reporting calls to %s", path);
	return &table.slots;
}

void *ranges_function(const char *name)
{
	if (!domain)
		return NULL;
	for (size_t i = 0; i < sizeof(wrapped) / sizeof(wrapped[0]); i++)
		if (!strcmp(wrapped[i].name, name))
			return wrapped[i].function;
	return NULL;
}
#else
const cl_icd_dispatch *ranges_dispatch(const struct ocl_dispatch *plain)
{
	(void)plain;
	return NULL;
}

void *ranges_function(const char *name)
{
	(void)name;
	return NULL;
}
#endif
