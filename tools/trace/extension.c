/* The functions of extensions, which programs find by name.  They are recorded for Culvert's own platform alone: other
 * platforms may have provisional ones with other parameters under the same names. */
#include "config.h"

#include "tools/trace/wrappers.h"

#include "base/lock.h"
#include "icd/include/cl_culvert.h"
#include "icd/include/cuda_interop.h"
#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"
#include "icd/include/khr_unified_svm.h"
#include "icd/include/nv_create_buffer.h"

#include <stdbool.h>
#include <string.h>

static struct lock lock = LOCK_INIT(LOCK_RANK_LOG);

/* A command buffer can be enqueued without naming a queue. */
static cl_command_queue queue_of(cl_event event)
{
	cl_command_queue queue = NULL;
	trace_next->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL);
	return queue;
}

/* next_NAME: the platform's function; set once, before a program has trace_NAME. */
#define CALL(type, name, function, parameters, arguments)                                         \
	static type(CL_API_CALL *next_##name) parameters;                                         \
	TRACE_CALL(type, name, next_##name, parameters, arguments)
#define LAUNCH_CALL(name, function, parameters, arguments)                                        \
	CALL(cl_int, name, function, parameters, arguments)
#define VOID_CALL(name, function, parameters, arguments)                                          \
	static void(CL_API_CALL *next_##name) parameters;                                         \
	TRACE_VOID(name, next_##name, parameters, arguments)
#define MAKE_CALL(type, name, function, parameters, arguments)                                    \
	static type(CL_API_CALL *next_##name) parameters;                                         \
	TRACE_MAKE(type, name, next_##name, parameters, arguments)
#define ENQUEUE_CALL(name, function, parameters, arguments)                                       \
	static cl_int(CL_API_CALL *next_##name) parameters;                                       \
	TRACE_COMMAND(name, next_##name, queue_of(own_event), NULL, parameters, arguments)
#include "base/extension_calls.def"
#undef CALL
#undef LAUNCH_CALL
#undef VOID_CALL
#undef MAKE_CALL
#undef ENQUEUE_CALL

static const struct row {
	const char *name;
	void *traced;
	void *next;                              /* &next_NAME */
} rows[] = {
#define ROW(name) {#name, (void *)trace_##name, (void *)&next_##name},
#define CALL(type, name, function, parameters, arguments) ROW(name)
#define LAUNCH_CALL(name, function, parameters, arguments) ROW(name)
#define VOID_CALL(name, function, parameters, arguments) ROW(name)
#define MAKE_CALL(type, name, function, parameters, arguments) ROW(name)
#define ENQUEUE_CALL(name, function, parameters, arguments) ROW(name)
#include "base/extension_calls.def"
};

static bool is_ours(cl_platform_id platform)
{
	char suffix[16] = "";
	return !trace_next->clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof(suffix), suffix, NULL) &&
	       !strcmp(suffix, "CULVERT");
}

/* The row's function, which calls function from now on.  There is one platform of ours: later calls say the same. */
static void *traced(const struct row *row, void *function)
{
	void *next;
	lock_take(&lock);
	memcpy(&next, row->next, sizeof(next));
	if (!next)
		memcpy(row->next, &function, sizeof(function));
	lock_drop(&lock);
	return row->traced;
}

void *CL_API_CALL trace_extension(cl_platform_id platform, const char *name)
{
	void *function = trace_next->clGetExtensionFunctionAddressForPlatform(platform, name);
	if (!function || !is_ours(platform))
		return function;
	if (!strcmp(name, "clCreateCommandQueueWithPropertiesKHR"))
		return trace_queue_maker();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return traced(&rows[i], function);
	return function;
}

void trace_extension_slots(cl_icd_dispatch *table)
{
	if (table->clSVMAlloc) {
		next_clSVMAlloc = trace_next->clSVMAlloc;
		table->clSVMAlloc = trace_clSVMAlloc;
	}
	if (table->clSVMFree) {
		next_clSVMFree = trace_next->clSVMFree;
		table->clSVMFree = trace_clSVMFree;
	}
	if (table->clGetExtensionFunctionAddressForPlatform)
		table->clGetExtensionFunctionAddressForPlatform = trace_extension;
}
