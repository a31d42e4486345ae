#include "config.h"

#include "icd/api/doors.h"

#include "base/cancel.h"

#define STATUS(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define MAKE(type, name, parameters, arguments) CALL(type, name, name, parameters, arguments)
#define ENQUEUE(name, parameters, arguments) CALL(cl_int, name, name, parameters, arguments)
#define LAUNCH(name, parameters, arguments) LAUNCH_CALL(name, name, parameters, arguments)
#define MAP(name, parameters, arguments) CALL(void *, name, name, parameters, arguments)
#define MAKE_CALL(type, name, function, parameters, arguments)                                    \
	CALL(type, name, function, parameters, arguments)
#define ENQUEUE_CALL(name, function, parameters, arguments)                                       \
	CALL(cl_int, name, function, parameters, arguments)

#define CALL(type, name, function, parameters, arguments)                                         \
	type CL_API_CALL door_##name parameters                                                   \
	{                                                                                         \
		const int before = cancel_hold();                                                 \
		type result = function arguments;                                                 \
		cancel_restore(before);                                                           \
		return result;                                                                    \
	}
#define LAUNCH_CALL(name, function, parameters, arguments)                                        \
	CALL(cl_int, name, function, parameters, arguments)
#define VOID_CALL(name, function, parameters, arguments)                                          \
	void CL_API_CALL door_##name parameters                                                   \
	{                                                                                         \
		const int before = cancel_hold();                                                 \
		function arguments;                                                               \
		cancel_restore(before);                                                           \
	}
#include "base/calls.def"
#include "base/extension_calls.def"
