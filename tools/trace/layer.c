/* The table of calls that goes before the platforms' own. */
#include "config.h"

#include "tools/trace/wrappers.h"

#include <CL/cl_layer.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define STATUS(name, parameters, arguments)                                                       \
	TRACE_CALL(cl_int, name, trace_next->name, parameters, arguments)
#define MAKE(type, name, parameters, arguments)                                                   \
	TRACE_MAKE(type, name, trace_next->name, parameters, arguments)
#define ENQUEUE(name, parameters, arguments)                                                      \
	TRACE_COMMAND(name, trace_next->name, queue, NULL, parameters, arguments)
#define LAUNCH(name, parameters, arguments)                                                       \
	TRACE_COMMAND(name, trace_next->name, queue, kernel, parameters, arguments)
#define MAP(name, parameters, arguments)                                                          \
	static void *CL_API_CALL trace_##name parameters                                          \
	{                                                                                         \
		cl_event own_event = NULL, *wanted = event;                                       \
		cl_int own_code = CL_SUCCESS, *wanted_code = code;                                \
		event = &own_event;                                                               \
		code = &own_code;                                                                 \
		uint64_t start_ns = host_now_ns();                                                \
		void *mapped = trace_next->name arguments;                                        \
		trace_call(#name, start_ns, own_code);                                            \
		if (wanted_code)                                                                  \
			*wanted_code = own_code;                                                  \
		if (own_code)                                                                     \
			return mapped;                                                            \
		trace_enqueued(#name, queue, NULL, own_event);                                    \
		if (wanted)                                                                       \
			*wanted = own_event;                                                      \
		else                                                                              \
			trace_next->clReleaseEvent(own_event);                                    \
		return mapped;                                                                    \
	}
#include "base/calls.def"
#undef STATUS
#undef MAKE
#undef ENQUEUE
#undef LAUNCH
#undef MAP

/* --- queues: all of them with profiling ------------------------------------------------ */

static cl_command_queue CL_API_CALL
trace_clCreateCommandQueue(cl_context context, cl_device_id device,
			   cl_command_queue_properties properties, cl_int *code)
{
	cl_int own_code = CL_SUCCESS;
	uint64_t start_ns = host_now_ns();
	cl_command_queue queue = trace_next->clCreateCommandQueue(
		context, device, properties | CL_QUEUE_PROFILING_ENABLE, &own_code);
	trace_call("clCreateCommandQueue", start_ns, own_code);
	if (queue)
		trace_queue_made(queue, device);
	if (code)
		*code = own_code;
	return queue;
}

/* The program's list, a list of pairs that 0 ends, with the bit for profiling in it. */
static cl_queue_properties *with_profiling(const cl_queue_properties *properties)
{
	size_t count = 0;
	bool set = false;
	while (properties && properties[count])
		count += 2;
	cl_queue_properties *list = calloc(count + 3, sizeof(*list));
	for (size_t i = 0; list && i < count; i += 2) {
		list[i] = properties[i];
		list[i + 1] = properties[i + 1];
		if (list[i] == CL_QUEUE_PROPERTIES) {
			list[i + 1] |= CL_QUEUE_PROFILING_ENABLE;
			set = true;
		}
	}
	if (list && !set) {
		list[count] = CL_QUEUE_PROPERTIES;
		list[count + 1] = CL_QUEUE_PROFILING_ENABLE;
	}
	return list;
}

static cl_command_queue CL_API_CALL
trace_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
					 const cl_queue_properties *properties, cl_int *code)
{
	cl_int own_code = CL_SUCCESS;
	cl_queue_properties *list = with_profiling(properties);
	uint64_t start_ns = host_now_ns();
	cl_command_queue queue = trace_next->clCreateCommandQueueWithProperties(
		context, device, list ? list : properties, &own_code);
	trace_call("clCreateCommandQueueWithProperties", start_ns, own_code);
	free(list);
	if (queue)
		trace_queue_made(queue, device);
	if (code)
		*code = own_code;
	return queue;
}

void *trace_queue_maker(void)
{
	return (void *)trace_clCreateCommandQueueWithProperties;
}

/* --- the layer -------------------------------------------------------------------------- */

static cl_icd_dispatch table;

static void at_end(void)
{
	trace_harvest();
	trace_flush();
}

static void fill_table(void)
{
	/* What a loader does not have must not seem to be there. */
#define WATCH(name)                                                                               \
	if (table.name)                                                                           \
		table.name = trace_##name;
#define STATUS(name, parameters, arguments) WATCH(name)
#define MAKE(type, name, parameters, arguments) WATCH(name)
#define ENQUEUE(name, parameters, arguments) WATCH(name)
#define LAUNCH(name, parameters, arguments) WATCH(name)
#define MAP(name, parameters, arguments) WATCH(name)
#include "base/calls.def"
#undef STATUS
#undef MAKE
#undef ENQUEUE
#undef LAUNCH
#undef MAP
	WATCH(clCreateCommandQueue)
	WATCH(clCreateCommandQueueWithProperties)
#undef WATCH
	trace_extension_slots(&table);
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size_B,
						      void *value, size_t *size_B_out)
{
	static const char own_name[] = "culvert-trace";
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	bool is_name = name == CL_LAYER_NAME;
	size_t needed_B = is_name ? sizeof(own_name) : sizeof(version);
	if ((!is_name && name != CL_LAYER_API_VERSION) || (value && size_B < needed_B))
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, is_name ? (const void *)own_name : &version, needed_B);
	if (size_B_out)
		*size_B_out = needed_B;
	return CL_SUCCESS;
}

EXPORT CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
						   cl_uint *count_out,
						   const cl_icd_dispatch **layer_out)
{
	const cl_uint own_count = sizeof(table) / sizeof(void *);
	if (!target || !count_out || !layer_out)
		return CL_INVALID_VALUE;
	if (trace_next)
		return CL_INVALID_OPERATION;
	/* A loader that is older than our headers has a shorter table. */
	cl_uint shared = count < own_count ? count : own_count;
	memcpy(&table, target, shared * sizeof(void *));
	trace_next = target;
	fill_table();
	trace_open();
	atexit(at_end);
	*count_out = shared;
	*layer_out = &table;
	return CL_SUCCESS;
}
