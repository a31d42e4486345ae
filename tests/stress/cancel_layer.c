/* A layer for cancel.sh, between a program and the loader.  In every thread a cancellation is pending
 * all the time, and may act only while a call of the platform is under way: a call that comes by a place
 * where a thread can be cancelled ends the process, and says which it was.
 *
 * The program's own code runs with cancellation put off, so that only calls are tried.  Counts go to
 * the file that CANCEL_COUNT names. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "icd/include/cuda_interop.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"
#include "icd/include/khr_unified_svm.h"
#include "icd/include/nv_create_buffer.h"

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOUND = 66 };

static cl_icd_dispatch table;
static const cl_icd_dispatch *next;
static atomic_ulong calls;
static _Thread_local unsigned depth;
static _Thread_local int pending;

static void cancelled(void *name)
{
	char text[160];
	int state;
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	const int size_B = snprintf(text, sizeof(text), "a thread was cancelled within %s\n",
				    (const char *)name);
	(void)!write(STDERR_FILENO, text, (size_t)size_B);
	_exit(FOUND);
}

static void enter(void)
{
	int state;
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (!pending) {
		pending = 1;
		(void)pthread_cancel(pthread_self());
	}
	atomic_fetch_add(&calls, 1);
	/* A callback's calls are within another call. */
	if (!depth++)
		(void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
}

static void leave(void)
{
	int state;
	depth--;
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
}

#define STATUS(name, parameters, arguments) CORE(cl_int, name, parameters, arguments)
#define MAKE(type, name, parameters, arguments) CORE(type, name, parameters, arguments)
#define ENQUEUE(name, parameters, arguments) CORE(cl_int, name, parameters, arguments)
#define LAUNCH(name, parameters, arguments) CORE(cl_int, name, parameters, arguments)
#define MAP(name, parameters, arguments) CORE(void *, name, parameters, arguments)

#define WRAP(type, name, target, parameters, arguments)                                           \
	static type CL_API_CALL tried_##name parameters                                           \
	{                                                                                         \
		type result;                                                                      \
		pthread_cleanup_push(cancelled, (void *)#name);                                   \
		enter();                                                                          \
		result = target arguments;                                                        \
		leave();                                                                          \
		pthread_cleanup_pop(0);                                                           \
		return result;                                                                    \
	}
#define CORE(type, name, parameters, arguments)                                                   \
	WRAP(type, name, next->name, parameters, arguments)
#include "base/calls.def"
#undef CORE

#define MAKE_CALL(type, name, function, parameters, arguments)                                    \
	CALL(type, name, function, parameters, arguments)
#define ENQUEUE_CALL(name, function, parameters, arguments)                                       \
	CALL(cl_int, name, function, parameters, arguments)
/* Calls that are found by name, and makers of queues and pointers: next_NAME is what the platform said. */
#define CALL(type, name, function, parameters, arguments)                                         \
	static type(CL_API_CALL *next_##name) parameters;                                         \
	WRAP(type, name, next_##name, parameters, arguments)
#define LAUNCH_CALL(name, function, parameters, arguments)                                        \
	CALL(cl_int, name, function, parameters, arguments)
#define VOID_CALL(name, function, parameters, arguments)                                          \
	static void(CL_API_CALL *next_##name) parameters;                                         \
	static void CL_API_CALL tried_##name parameters                                           \
	{                                                                                         \
		pthread_cleanup_push(cancelled, (void *)#name);                                   \
		enter();                                                                          \
		next_##name arguments;                                                            \
		leave();                                                                          \
		pthread_cleanup_pop(0);                                                           \
	}
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL

/* What stands for the platform's function of that name. */
static void *found(const char *name, void *function)
{
#define CALL(type, name_, target, parameters, arguments)                                          \
	if (!strcmp(name, #name_)) {                                                              \
		memcpy(&next_##name_, &function, sizeof(function));                               \
		return (void *)tried_##name_;                                                     \
	}
#define LAUNCH_CALL(name_, target, parameters, arguments) CALL(cl_int, name_, target, parameters, arguments)
#define VOID_CALL(name_, target, parameters, arguments) CALL(void, name_, target, parameters, arguments)
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL
	return function;
}

static void *CL_API_CALL tried_address(cl_platform_id platform, const char *name)
{
	void *function = next->clGetExtensionFunctionAddressForPlatform(platform, name);
	return function ? found(name, function) : NULL;
}

static void fill_table(void)
{
#define CORE(type, name, parameters, arguments)                                                   \
	if (table.name)                                                                           \
		table.name = tried_##name;
#include "base/calls.def"
#undef CORE
#define OTHER(name)                                                                               \
	next_##name = next->name;                                                                 \
	table.name = tried_##name;
	OTHER(clCreateCommandQueue)
	OTHER(clCreateCommandQueueWithProperties)
	OTHER(clSVMAlloc)
	OTHER(clSVMFree)
#undef OTHER
	table.clGetExtensionFunctionAddressForPlatform = tried_address;
}

static void at_end(void)
{
	const char *path = getenv("CANCEL_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "%lu\n", atomic_load(&calls));
	fclose(file);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size_B, void *value,
					       size_t *size_B_out)
{
	static const char own_name[] = "cancel";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const bool is_name = name == CL_LAYER_NAME;
	const size_t needed_B = is_name ? sizeof(own_name) : sizeof(version);
	if ((!is_name && name != CL_LAYER_API_VERSION) || (value && size_B < needed_B))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, is_name ? (const void *)own_name : &version, needed_B);
	if (size_B_out)
		*size_B_out = needed_B;
	return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
					    cl_uint *count_out, const cl_icd_dispatch **layer_out)
{
	const cl_uint own_count = sizeof(table) / sizeof(void *);
	if (!target || !count_out || !layer_out || next)
		return CL_INVALID_VALUE;
	const cl_uint shared = count < own_count ? count : own_count;
	memcpy(&table, target, shared * sizeof(void *));
	next = target;
	fill_table();
	(void)atexit(at_end);
	*count_out = shared;
	*layer_out = &table;
	return CL_SUCCESS;
}
