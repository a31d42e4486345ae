/* cl_khr_semaphore, and the commands of cl_khr_external_memory. */
#include "config.h"

#include "tests/api/errors_record.h"

#include <unistd.h>

static clCreateSemaphoreWithPropertiesKHR_fn create_fn;
static clEnqueueSignalSemaphoresKHR_fn signal_fn;
static clEnqueueWaitSemaphoresKHR_fn wait_fn;
static clReleaseSemaphoreKHR_fn release;
static clGetSemaphoreHandleForTypeKHR_fn handle_fn;
static cl_semaphore_khr wrong;

enum { DEVICE_HANDLE_LIST = 0x2053 };

static cl_semaphore_khr create(cl_context context, const cl_semaphore_properties_khr *properties)
{
	return create_fn(context, properties, &error_code);
}

static void creation(void)
{
	const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
						      CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	const cl_semaphore_properties_khr unknown[] = {CL_SEMAPHORE_TYPE_KHR,
						       CL_SEMAPHORE_TYPE_BINARY_KHR, 0x7777, 1, 0};
	const cl_semaphore_properties_khr bad_type[] = {CL_SEMAPHORE_TYPE_KHR, 0x7777, 0};
	const cl_semaphore_properties_khr twice[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0,
	};
	const cl_semaphore_properties_khr typeless[] = {DEVICE_HANDLE_LIST,
							(uintptr_t)world.device, 0, 0};
	const cl_semaphore_properties_khr no_device[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, DEVICE_HANDLE_LIST,
		(uintptr_t)world.wrong_device, 0, 0,
	};
	const cl_semaphore_properties_khr empty_list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, DEVICE_HANDLE_LIST, 0, 0,
	};
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_CONTEXT, 1,
		     create(world.wrong_context, binary));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     create(world.context, unknown));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     create(world.context, bad_type));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     create(world.context, twice));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_DEVICE, 1,
		     create(world.context, no_device));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_DEVICE, 1,
		     create(world.context, empty_list));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_VALUE, 1,
		     create(world.context, NULL));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_VALUE, 2,
		     create(world.context, typeless));
}

/* Handles (cl_khr_external_semaphore_opaque_fd). */
static void handles(void)
{
	enum { OPAQUE_FD = 0x2055 };
	const cl_semaphore_properties_khr exported[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	const cl_semaphore_properties_khr two_types[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, OPAQUE_FD, 0, 0,
	};
	const cl_semaphore_properties_khr bad_type[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0x7777, 0, 0,
	};
	int fd = -1;
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_VALUE, 3,
		     create(world.context, two_types));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     create(world.context, bad_type));
	cl_semaphore_khr semaphore = create(world.context, exported);
	REQUIRE(semaphore);
#define HANDLE(code, condition, ...)                                                              \
	ERROR_CODE(clGetSemaphoreHandleForTypeKHR, code, condition, handle_fn(__VA_ARGS__, NULL))
	REQUIRE(!handle_fn(semaphore, world.device, OPAQUE_FD, sizeof(fd), &fd, NULL));
	const cl_semaphore_properties_khr twice[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		OPAQUE_FD, (cl_semaphore_properties_khr)fd,
		OPAQUE_FD, (cl_semaphore_properties_khr)fd, 0,
	};
	const cl_semaphore_properties_khr both_ways[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		OPAQUE_FD, (cl_semaphore_properties_khr)fd,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, OPAQUE_FD, 0, 0,
	};
	const cl_semaphore_properties_khr no_handle[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		OPAQUE_FD, (cl_semaphore_properties_khr)-1, 0,
	};
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 2,
		     create(world.context, twice));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_OPERATION, 1,
		     create(world.context, both_ways));
	ERROR_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, 1,
		     create(world.context, no_handle));
	HANDLE(CL_INVALID_SEMAPHORE_KHR, 1, wrong, world.device, OPAQUE_FD, sizeof(fd), &fd);
	HANDLE(CL_INVALID_DEVICE, 1, semaphore, world.wrong_device, OPAQUE_FD, sizeof(fd), &fd);
	if (world.other)
		HANDLE(CL_INVALID_DEVICE, 2, semaphore, world.other, OPAQUE_FD, sizeof(fd), &fd);
	else
		error_absent("clGetSemaphoreHandleForTypeKHR", CL_INVALID_DEVICE, 2);
	HANDLE(CL_INVALID_VALUE, 1, semaphore, world.device, 0x7777, sizeof(fd), &fd);
	HANDLE(CL_INVALID_VALUE, 2, semaphore, world.device, OPAQUE_FD, sizeof(fd) - 1, &fd);
	REQUIRE(!release(semaphore));
	close(fd);
}

/* --- commands ------------------------------------------------------------------------------------ */

struct use {
	cl_command_queue queue;
	cl_uint count;
	const cl_semaphore_khr *semaphores;
	cl_uint event_count;
	const cl_event *events;
};

static cl_int signal_semaphores(const struct use *use)
{
	return signal_fn(use->queue, use->count, use->semaphores, NULL, use->event_count,
			 use->events, NULL);
}

static cl_int wait_semaphores(const struct use *use)
{
	return wait_fn(use->queue, use->count, use->semaphores, NULL, use->event_count,
		       use->events, NULL);
}

#define BOTH(code, condition, ...)                                                                \
	do {                                                                                      \
		struct use use = {world.queue, 1, &semaphore, 0, NULL};                           \
		__VA_ARGS__;                                                                      \
		ERROR_CODE(clEnqueueSignalSemaphoresKHR, code, condition,                         \
			   signal_semaphores(&use));                                              \
		ERROR_CODE(clEnqueueWaitSemaphoresKHR, code, condition, wait_semaphores(&use));   \
	} while (0)

static void commands(cl_semaphore_khr semaphore)
{
	const cl_event wrong_list[] = {world.done, world.wrong_event};
	BOTH(CL_INVALID_COMMAND_QUEUE, 1, use.queue = world.wrong_queue);
	BOTH(CL_INVALID_VALUE, 1, use.count = 0);
	BOTH(CL_INVALID_SEMAPHORE_KHR, 1, use.semaphores = &wrong);
	BOTH(CL_INVALID_CONTEXT, 1, use.queue = world.foreign_queue);
	BOTH(CL_INVALID_EVENT_WAIT_LIST, 1, use.event_count = 1);
	BOTH(CL_INVALID_EVENT_WAIT_LIST, 2, use.events = wrong_list);
	BOTH(CL_INVALID_EVENT_WAIT_LIST, 3, use.event_count = 2; use.events = wrong_list);
	BOTH(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 1, use.event_count = 1;
	     use.events = &world.failed);
}

/* A semaphore of one device of two, on a queue of the other one. */
static void other_device(void)
{
	cl_int code;
	if (!world.other) {
		error_absent("clEnqueueSignalSemaphoresKHR", CL_INVALID_COMMAND_QUEUE, 2);
		error_absent("clEnqueueWaitSemaphoresKHR", CL_INVALID_COMMAND_QUEUE, 2);
		error_absent("clGetSemaphoreHandleForTypeKHR", CL_INVALID_DEVICE, 3);
		return;
	}
	const cl_device_id both[] = {world.device, world.other};
	const cl_semaphore_properties_khr properties[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, DEVICE_HANDLE_LIST,
		(uintptr_t)world.device, 0, 0,
	};
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &code);
	REQUIRE(!code);
	cl_command_queue queue = clCreateCommandQueue(context, world.other, 0, &code);
	REQUIRE(!code);
	cl_semaphore_khr semaphore = create_fn(context, properties, &code);
	REQUIRE(!code);
	BOTH(CL_INVALID_COMMAND_QUEUE, 2, use.queue = queue);
	ERROR_CODE(clGetSemaphoreHandleForTypeKHR, CL_INVALID_DEVICE, 3,
		   handle_fn(semaphore, world.other, 0x2055, 0, NULL, NULL));
	REQUIRE(!release(semaphore));
	REQUIRE(!clReleaseCommandQueue(queue));
	REQUIRE(!clReleaseContext(context));
}

/* --- external memory ----------------------------------------------------------------------------- */

typedef cl_int(CL_API_CALL *external_fn)(cl_command_queue, cl_uint, const cl_mem *, cl_uint,
					 const cl_event *, cl_event *);

/* Without memory objects they are commands like others. */
static void external(const char *name)
{
	const cl_event wrong_list[] = {world.done, world.wrong_event};
	external_fn call;
	*(void **)&call = error_function(name);
#define EXTERNAL(code, condition, ...)                                                            \
	error_case(name, code, condition, call(__VA_ARGS__, NULL), __FILE__, __LINE__)
	EXTERNAL(CL_INVALID_COMMAND_QUEUE, 1, world.wrong_queue, 0, NULL, 0, NULL);
	EXTERNAL(CL_INVALID_VALUE, 1, world.queue, 0, &world.buffer, 0, NULL);
	EXTERNAL(CL_INVALID_VALUE, 1, world.queue, 1, NULL, 0, NULL);
	EXTERNAL(CL_INVALID_MEM_OBJECT, 1, world.queue, 1, &world.buffer, 0, NULL);
	EXTERNAL(CL_INVALID_MEM_OBJECT, 1, world.queue, 1, &world.wrong_mem, 0, NULL);
	EXTERNAL(CL_INVALID_EVENT_WAIT_LIST, 1, world.queue, 0, NULL, 1, NULL);
	EXTERNAL(CL_INVALID_EVENT_WAIT_LIST, 2, world.queue, 0, NULL, 0, wrong_list);
	EXTERNAL(CL_INVALID_EVENT_WAIT_LIST, 3, world.queue, 0, NULL, 2, wrong_list);
	EXTERNAL(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, 1, world.queue, 0, NULL, 1,
		 &world.failed);
#undef EXTERNAL
}

void errors_semaphore(void)
{
	external("clEnqueueAcquireExternalMemObjectsKHR");
	external("clEnqueueReleaseExternalMemObjectsKHR");
	const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR,
						      CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	clGetSemaphoreInfoKHR_fn info;
	clRetainSemaphoreKHR_fn retain;
	*(void **)&create_fn = error_function("clCreateSemaphoreWithPropertiesKHR");
	*(void **)&signal_fn = error_function("clEnqueueSignalSemaphoresKHR");
	*(void **)&wait_fn = error_function("clEnqueueWaitSemaphoresKHR");
	*(void **)&release = error_function("clReleaseSemaphoreKHR");
	*(void **)&retain = error_function("clRetainSemaphoreKHR");
	*(void **)&info = error_function("clGetSemaphoreInfoKHR");
	*(void **)&handle_fn = error_function("clGetSemaphoreHandleForTypeKHR");
	wrong = (cl_semaphore_khr)world.queue;
	creation();
	handles();
	cl_semaphore_khr semaphore = create(world.context, binary);
	REQUIRE(semaphore);
	commands(semaphore);
	other_device();
	ERROR_CODE(clRetainSemaphoreKHR, CL_INVALID_SEMAPHORE_KHR, 1, retain(wrong));
	ERROR_CODE(clReleaseSemaphoreKHR, CL_INVALID_SEMAPHORE_KHR, 1, release(wrong));
	ERROR_CODE(clGetSemaphoreInfoKHR, CL_INVALID_SEMAPHORE_KHR, 1,
		   info(wrong, CL_SEMAPHORE_TYPE_KHR, 4, error_bytes, NULL));
	ERROR_CODE(clGetSemaphoreInfoKHR, CL_INVALID_VALUE, 1,
		   info(semaphore, 0x7777, 4, error_bytes, NULL));
	ERROR_CODE(clGetSemaphoreInfoKHR, CL_INVALID_VALUE, 1,
		   info(semaphore, CL_SEMAPHORE_TYPE_KHR, 3, error_bytes, NULL));
	REQUIRE(!release(semaphore));
}
