/* Functions of OpenCL that call target, and write down the call and, for a command, what becomes of it.  Parameters are
 * named as in base/calls.def and base/extension_calls.def. */
#ifndef CULVERT_TOOLS_TRACE_WRAPPERS_H
#define CULVERT_TOOLS_TRACE_WRAPPERS_H

#include "tools/trace/trace.h"

#include "base/clock.h"

/* A pointer that is returned is no error code. */
#define TRACE_CALL(type, name, target, parameters, arguments)                                     \
	static type CL_API_CALL trace_##name parameters                                           \
	{                                                                                         \
		uint64_t start_ns = host_now_ns();                                                \
		type result = target arguments;                                                   \
		trace_call(#name, start_ns, _Generic(result, cl_int: result, default: CL_SUCCESS)); \
		return result;                                                                    \
	}
#define TRACE_VOID(name, target, parameters, arguments)                                           \
	static void CL_API_CALL trace_##name parameters                                           \
	{                                                                                         \
		uint64_t start_ns = host_now_ns();                                                \
		target arguments;                                                                 \
		trace_call(#name, start_ns, CL_SUCCESS);                                          \
	}
#define TRACE_MAKE(type, name, target, parameters, arguments)                                     \
	static type CL_API_CALL trace_##name parameters                                           \
	{                                                                                         \
		cl_int own_code = CL_SUCCESS, *wanted = code;                                     \
		code = &own_code;                                                                 \
		uint64_t start_ns = host_now_ns();                                                \
		type made = target arguments;                                                     \
		trace_call(#name, start_ns, own_code);                                            \
		if (wanted)                                                                       \
			*wanted = own_code;                                                       \
		return made;                                                                      \
	}
/* queue: the command's, an expression.  kernel: of a launch, or NULL. */
#define TRACE_COMMAND(name, target, queue, kernel, parameters, arguments)                         \
	static cl_int CL_API_CALL trace_##name parameters                                         \
	{                                                                                         \
		cl_event own_event = NULL, *wanted = event;                                       \
		event = &own_event;                                                               \
		uint64_t start_ns = host_now_ns();                                                \
		cl_int result = target arguments;                                                 \
		trace_call(#name, start_ns, result);                                              \
		if (result)                                                                       \
			return result;                                                            \
		trace_enqueued(#name, queue, kernel, own_event);                                  \
		if (wanted)                                                                       \
			*wanted = own_event;                                                      \
		else                                                                              \
			trace_next->clReleaseEvent(own_event);                                    \
		return result;                                                                    \
	}

#endif
