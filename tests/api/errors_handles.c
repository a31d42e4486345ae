/* Every clRetain* and clRelease*, with a handle of another type. */
#include "config.h"

#include "tests/api/errors.h"

#define RETAIN_RELEASE(object, code, handle)                                                      \
	do {                                                                                      \
		ERROR_CODE(clRetain##object, code, 1, clRetain##object(handle));                  \
		ERROR_CODE(clRelease##object, code, 1, clRelease##object(handle));                \
	} while (0)

void errors_handles(void)
{
	RETAIN_RELEASE(Device, CL_INVALID_DEVICE, world.wrong_device);
	RETAIN_RELEASE(Context, CL_INVALID_CONTEXT, world.wrong_context);
	RETAIN_RELEASE(CommandQueue, CL_INVALID_COMMAND_QUEUE, world.wrong_queue);
	RETAIN_RELEASE(MemObject, CL_INVALID_MEM_OBJECT, world.wrong_mem);
	RETAIN_RELEASE(Sampler, CL_INVALID_SAMPLER, world.wrong_sampler);
	RETAIN_RELEASE(Program, CL_INVALID_PROGRAM, world.wrong_program);
	RETAIN_RELEASE(Kernel, CL_INVALID_KERNEL, world.wrong_kernel);
	RETAIN_RELEASE(Event, CL_INVALID_EVENT, world.wrong_event);
}
