#include "config.h"

#include "icd/api/icd.h"

#include "base/cancel.h"
#include "icd/api/doors.h"
#include "icd/api/loader.h"
#include "icd/api/ranges.h"
#include "icd/object/platform.h"

#include <pthread.h>
#include <string.h>

/* cl_khr_icd 2.0 recognises a driver by the tag in these two slots.  A loader of version 1.0 finds the first
 * function by its exported name, and implements the second itself. */
#define TAG_AS_FUNCTION(result, ...) ((result(CL_API_CALL *)(__VA_ARGS__))CL_ICD2_TAG_KHR)
#define TAG_clGetPlatformIDs TAG_AS_FUNCTION(cl_int, cl_uint, cl_platform_id *, cl_uint *)
#define TAG_clUnloadCompiler TAG_AS_FUNCTION(cl_int, void)

static const struct ocl_dispatch dispatch = {
#define ENTRY(name) .slots.name = door_##name,
#define DIRECT(name) .slots.name = name,
#define TAGGED(name) .slots.name = TAG_##name,
#define UNSUPPORTED(name) .slots.name = name,
#define SLOT_ALIAS(name_, same) .slots.name_ = door_##same,
#define ALIAS(name, same)
#define SUGGEST(name, same) .OCL_SLOT_SUGGEST = (void *)door_##name,
#define EXTENSION(name)
#define LOADER(name)
#include "icd/api/entrypoints.def"
#undef ENTRY
#undef DIRECT
#undef TAGGED
#undef UNSUPPORTED
#undef SLOT_ALIAS
#undef ALIAS
#undef SUGGEST
#undef EXTENSION
#undef LOADER
};

struct entry_point {
	const char *name;
	void *function;
	bool slot_only;
};

static const struct entry_point entry_points[] = {
#define ENTRY(name) {#name, (void *)door_##name, false},
#define DIRECT(name) {#name, (void *)name, false},
#define TAGGED(name) {#name, (void *)name, false},
#define UNSUPPORTED(name) {#name, (void *)name, true},
#define SLOT_ALIAS(name, same) {#name, (void *)door_##same, true},
#define ALIAS(name, same) {#name, (void *)door_##name, false},
#define SUGGEST(name, same) {#name, (void *)door_##name, false},
#define EXTENSION(name) {#name, (void *)door_##name, false},
#define LOADER(name) {#name, (void *)name, false},
#include "icd/api/entrypoints.def"
#undef ENTRY
#undef DIRECT
#undef TAGGED
#undef UNSUPPORTED
#undef SLOT_ALIAS
#undef ALIAS
#undef SUGGEST
#undef EXTENSION
#undef LOADER
};

static void *entry_point_find(const char *name, bool slots)
{
	if (!name)
		return NULL;
	for (size_t i = 0; i < sizeof(entry_points) / sizeof(entry_points[0]); i++) {
		const struct entry_point *entry = &entry_points[i];
		if (!strcmp(entry->name, name))
			return entry->slot_only && !slots ? NULL : entry->function;
	}
	return NULL;
}

/* The dispatch table of all objects; set by dispatch_begin(). */
static const cl_icd_dispatch *given;

static void dispatch_give(void)
{
	const cl_icd_dispatch *watched = ranges_dispatch(&dispatch);
	given = watched ? watched : &dispatch.slots;
	ocl_platform_set_dispatch(given);
}

/* Sets the dispatch table of all objects: the one with NVTX ranges if there is a profiler.  An application can reach
 * the platform and the calls that create objects only through functions of this file, which call this first. */
static void dispatch_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int before = cancel_hold();
	pthread_once(&once, dispatch_give);
	cancel_restore(before);
}

/* The function of that name: the one with an NVTX range if there is a profiler. */
static void *function_find(const char *name, bool slots)
{
	dispatch_begin();
	void *function = entry_point_find(name, slots);
	void *shown = function ? ranges_function(name) : NULL;
	return shown ? shown : function;
}

OCL_EXPORT CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
	return function_find(func_name, false);
}

OCL_EXPORT CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name)
{
	/* OpenCL 3.0 Extensions, 1.3: NULL when the platform is not a valid one. */
	if (ocl_platform_check(platform))
		return NULL;
	return function_find(func_name, false);
}

OCL_EXPORT CL_API_ENTRY void *CL_API_CALL
clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name)
{
	/* cl_khr_icd 2.0: every entry point of the platform, including the core functions; NULL for an unknown name
	 * or another platform. */
	if (ocl_platform_check(platform))
		return NULL;
	return function_find(func_name, true);
}

OCL_EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
								  cl_platform_id *platforms,
								  cl_uint *num_platforms)
{
	/* cl_khr_icd: as clGetPlatformIDs.  The platform is returned even without a device. */
	dispatch_begin();
	return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

/* The dispatch data for a loader with the bug that loader.h describes: the dispatch table, with a function in every
 * slot. */
static struct ocl_dispatch loader_dispatch;

static void loader_dispatch_fill(void)
{
	loader_dispatch = dispatch;
	loader_dispatch.slots = *given;
#define ENTRY(name)
#define DIRECT(name)
#define TAGGED(name) loader_dispatch.slots.name = name;
#define UNSUPPORTED(name)
#define SLOT_ALIAS(name, same)
#define ALIAS(name, same)
#define SUGGEST(name, same)
#define EXTENSION(name)
#define LOADER(name)
#include "icd/api/entrypoints.def"
#undef ENTRY
#undef DIRECT
#undef TAGGED
#undef UNSUPPORTED
#undef SLOT_ALIAS
#undef ALIAS
#undef SUGGEST
#undef EXTENSION
#undef LOADER
}

OCL_EXPORT CL_API_ENTRY cl_int CL_API_CALL
clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	cl_int error = ocl_platform_check(platform);
	if (error)
		return error;
	/* That loader's dispatch data is only a dispatch table; this one has the same functions and does not move. */
	if (ocl_loader_moves_dispatch_data(__builtin_return_address(0))) {
		dispatch_begin();
		pthread_once(&once, loader_dispatch_fill);
		dispatch_data = &loader_dispatch;
	}
	ocl_platform_set_dispatch_data(dispatch_data);
	return CL_SUCCESS;
}
