/* Protects: binary semaphores (cl_khr_semaphore): work behind a wait comes after the work
 * ahead of its signal, in other queues, behind user events, on other devices, and when the
 * wait is enqueued first; queries; errors. */
#include "config.h"

#include "tests/api/fixture.h"

enum { COUNT = 4096, SIZE_B = COUNT * (int)sizeof(cl_uint) };
enum { DEVICE_LIST = 0x2053 };

static const char source[] =
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n";

static struct api_test test;

static struct {
	cl_semaphore_khr(CL_API_CALL *create)(cl_context, const cl_semaphore_properties_khr *,
					      cl_int *);
	cl_int(CL_API_CALL *retain)(cl_semaphore_khr);
	cl_int(CL_API_CALL *release)(cl_semaphore_khr);
	cl_int(CL_API_CALL *info)(cl_semaphore_khr, cl_semaphore_info_khr, size_t, void *,
				  size_t *);
	cl_int(CL_API_CALL *signal)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
				    const cl_semaphore_payload_khr *, cl_uint, const cl_event *,
				    cl_event *);
	cl_int(CL_API_CALL *wait)(cl_command_queue, cl_uint, const cl_semaphore_khr *,
				  const cl_semaphore_payload_khr *, cl_uint, const cl_event *,
				  cl_event *);
	cl_int(CL_API_CALL *handle)(cl_semaphore_khr, cl_device_id,
				    cl_external_semaphore_handle_type_khr, size_t, void *,
				    size_t *);
} sem;

static bool entry_find(void)
{
	static const char *const names[] = {
		"clCreateSemaphoreWithPropertiesKHR", "clRetainSemaphoreKHR",
		"clReleaseSemaphoreKHR", "clGetSemaphoreInfoKHR", "clEnqueueSignalSemaphoresKHR",
		"clEnqueueWaitSemaphoresKHR", "clGetSemaphoreHandleForTypeKHR",
	};
	unsigned char *place = (unsigned char *)&sem;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = clGetExtensionFunctionAddressForPlatform(test.platform, names[i]);
		if (!found)
			return false;
		memcpy(place + i * sizeof(found), &found, sizeof(found));
	}
	return true;
}

/* A context with what the stories need. */
struct bench {
	cl_context context;
	cl_program program;
	cl_kernel add;
	cl_command_queue a, b;           /* b: out of order */
	cl_mem mem;
};

static struct bench bench_make(cl_uint count, const cl_device_id *devices)
{
	static const cl_queue_properties out_of_order[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0,
	};
	struct bench bench = {0};
	cl_int code;
	bench.context = context_make(count, devices);
	bench.program = api_test_build(bench.context, devices[0], source, NULL);
	bench.add = kernel_make(bench.program, "add");
	bench.a = queue_make(bench.context, devices[0], 0);
	bench.b = clCreateCommandQueueWithProperties(bench.context, devices[count - 1],
						     out_of_order, &code);
	CHECK_OK(code);
	bench.mem = buffer_make(bench.context, 0, SIZE_B, NULL);
	return bench;
}

static void bench_release(struct bench *bench)
{
	CHECK_OK(clReleaseMemObject(bench->mem));
	CHECK_OK(clReleaseCommandQueue(bench->a));
	CHECK_OK(clReleaseCommandQueue(bench->b));
	CHECK_OK(clReleaseKernel(bench->add));
	CHECK_OK(clReleaseProgram(bench->program));
	CHECK_OK(clReleaseContext(bench->context));
}

static cl_semaphore_khr semaphore_make(cl_context context)
{
	static const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_TYPE_KHR,
							   CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	cl_int code;
	cl_semaphore_khr semaphore = sem.create(context, list, &code);
	CHECK_OK(code);
	CHECK(semaphore != NULL);
	return semaphore;
}

static void add(const struct bench *bench, cl_command_queue queue, cl_uint value, cl_uint count,
		const cl_event *events, cl_event *event)
{
	const size_t global = COUNT;
	CHECK_OK(clSetKernelArg(bench->add, 0, sizeof(cl_mem), &bench->mem));
	CHECK_OK(clSetKernelArg(bench->add, 1, sizeof(value), &value));
	launch_1d_after(queue, bench->add, global, count, events, event);
}

static void expect(const struct bench *bench, cl_command_queue queue, cl_uint value)
{
	cl_uint out[COUNT] = {0};
	buffer_read(queue, bench->mem, out, SIZE_B);
	CHECK(out[0] == value && out[COUNT - 1] == value);
}

static cl_ulong payload_of(cl_semaphore_khr semaphore)
{
	cl_semaphore_payload_khr payload = 99;
	CHECK_OK(sem.info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof(payload), &payload, NULL));
	return payload;
}

/* To and fro between two queues; each direction has its semaphore, used again and again. */
static void ping_pong(struct bench *bench)
{
	const cl_uint zero = 0;
	cl_semaphore_khr there = semaphore_make(bench->context), back = semaphore_make(bench->context);
	CHECK_OK(clEnqueueFillBuffer(bench->a, bench->mem, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
	for (cl_uint i = 1; i <= 10; i++) {
		cl_event waited = NULL, added = NULL;
		add(bench, bench->a, i, 0, NULL, NULL);
		CHECK_OK(sem.signal(bench->a, 1, &there, NULL, 0, NULL, NULL));
		CHECK_OK(sem.wait(bench->b, 1, &there, NULL, 0, NULL, &waited));
		add(bench, bench->b, 100 * i, 1, &waited, &added);
		CHECK_OK(sem.signal(bench->b, 1, &back, NULL, 1, &added, NULL));
		CHECK_OK(sem.wait(bench->a, 1, &back, NULL, 0, NULL, NULL));
		CHECK_OK(clReleaseEvent(waited));
		CHECK_OK(clReleaseEvent(added));
	}
	expect(bench, bench->a, 5555);
	CHECK_OK(clFinish(bench->b));
	CHECK(payload_of(there) == 0 && payload_of(back) == 0);
	CHECK_OK(sem.release(there));
	CHECK_OK(sem.release(back));
}

/* Nothing runs until the user event is set; the semaphores are released at once. */
static void behind_user_event(struct bench *bench)
{
	const cl_uint zero = 0;
	cl_int code;
	cl_event gate = clCreateUserEvent(bench->context, &code), waited;
	cl_command_type type = 0;
	cl_semaphore_khr both[2] = {semaphore_make(bench->context),
				    semaphore_make(bench->context)};
	CHECK_OK(code);
	CHECK_OK(clEnqueueFillBuffer(bench->a, bench->mem, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
	add(bench, bench->a, 3, 1, &gate, NULL);
	CHECK_OK(sem.signal(bench->a, 2, both, NULL, 0, NULL, NULL));
	CHECK_OK(sem.wait(bench->b, 2, both, NULL, 0, NULL, &waited));
	CHECK(payload_of(both[0]) == 0);
	CHECK_OK(clGetEventInfo(waited, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_SEMAPHORE_WAIT_KHR);
	add(bench, bench->b, 4, 1, &waited, NULL);
	CHECK_OK(sem.release(both[0]));
	CHECK_OK(sem.release(both[1]));
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(bench->b));
	expect(bench, bench->a, 7);
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseEvent(waited));
}

static void wait_first(struct bench *bench)
{
	const cl_uint zero = 0;
	cl_int status = 0;
	cl_event waited, signaled;
	cl_command_type type = 0;
	cl_semaphore_khr semaphore = semaphore_make(bench->context);
	CHECK_OK(clEnqueueFillBuffer(bench->a, bench->mem, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(sem.wait(bench->b, 1, &semaphore, NULL, 0, NULL, &waited));
	add(bench, bench->b, 10, 1, &waited, NULL);
	CHECK_OK(clGetEventInfo(waited, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	CHECK(status > CL_COMPLETE);
	add(bench, bench->a, 1, 0, NULL, NULL);
	CHECK_OK(sem.signal(bench->a, 1, &semaphore, NULL, 0, NULL, &signaled));
	CHECK_OK(clGetEventInfo(signaled, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	CHECK(type == CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
	CHECK_OK(clFinish(bench->b));
	expect(bench, bench->a, 11);
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(clReleaseEvent(waited));
	CHECK_OK(clReleaseEvent(signaled));
	/* The signal that never comes ends the wait. */
	CHECK_OK(sem.wait(bench->b, 1, &semaphore, NULL, 0, NULL, &waited));
	CHECK_OK(sem.release(semaphore));
	CHECK_CODE(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clReleaseEvent(waited));
}

/* The wait of a signal that failed fails. */
static void failed_signal(struct bench *bench)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(bench->context, &code), waited;
	cl_semaphore_khr semaphore = semaphore_make(bench->context);
	CHECK_OK(code);
	CHECK_OK(sem.signal(bench->a, 1, &semaphore, NULL, 1, &gate, NULL));
	CHECK_OK(sem.wait(bench->b, 1, &semaphore, NULL, 0, NULL, &waited));
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clWaitForEvents(1, &waited), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_CODE(sem.signal(bench->a, 1, &semaphore, NULL, 1, &gate, NULL),
		   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_CODE(sem.wait(bench->a, 1, &semaphore, NULL, 1, &gate, NULL),
		   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clReleaseEvent(waited));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(sem.release(semaphore));
}

static void queries(struct bench *bench)
{
	const cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, DEVICE_LIST,
		(cl_semaphore_properties_khr)(uintptr_t)test.device, 0, 0,
	};
	cl_semaphore_properties_khr got[8];
	cl_semaphore_type_khr type = 0;
	cl_device_id device = NULL;
	cl_context context = NULL;
	cl_uint number = 0;
	size_t size = 0;
	cl_int code;
	cl_semaphore_khr semaphore = sem.create(bench->context, list, &code);
	CHECK_OK(code);
	CHECK_OK(sem.info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof(got), got, &size));
	CHECK(size == sizeof(list) && !memcmp(got, list, size));
	CHECK_OK(sem.info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof(type), &type, &size));
	CHECK(type == CL_SEMAPHORE_TYPE_BINARY_KHR && size == sizeof(type));
	CHECK_OK(sem.info(semaphore, DEVICE_LIST, sizeof(device), &device, &size));
	CHECK(device == test.device && size == sizeof(device));
	CHECK_OK(sem.info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof(context), &context, NULL));
	CHECK(context == bench->context);
	CHECK_OK(sem.retain(semaphore));
	CHECK_OK(sem.info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, 4, &number, NULL));
	CHECK(number == 2);
	CHECK_OK(sem.release(semaphore));
	CHECK_CODE(sem.info(semaphore, 1, 4, &number, NULL), CL_INVALID_VALUE);
	CHECK_CODE(sem.info(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &number, NULL), CL_INVALID_VALUE);
	CHECK_CODE(sem.info(NULL, CL_SEMAPHORE_TYPE_KHR, 4, &number, NULL),
		   CL_INVALID_SEMAPHORE_KHR);
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(sem.signal(bench->a, 1, &semaphore, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(bench->a));
	CHECK(payload_of(semaphore) == 1);
	CHECK_OK(sem.wait(bench->a, 1, &semaphore, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(bench->a));
	CHECK(payload_of(semaphore) == 0);
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof(type), &type,
				 NULL));
	CHECK(type == CL_SEMAPHORE_TYPE_BINARY_KHR);
	CHECK_OK(clGetPlatformInfo(test.platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof(type),
				   &type, NULL));
	CHECK(type == CL_SEMAPHORE_TYPE_BINARY_KHR);
	/* None was created to be exported. */
	CHECK_CODE(sem.handle(semaphore, test.device, 0x2055, sizeof(number), &number, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(sem.handle(NULL, test.device, 0x2055, sizeof(number), &number, NULL),
		   CL_INVALID_SEMAPHORE_KHR);
	CHECK_CODE(sem.handle(semaphore, NULL, 0x2055, sizeof(number), &number, NULL),
		   CL_INVALID_DEVICE);
	CHECK_OK(sem.release(semaphore));
}

static void creation_errors(struct bench *bench)
{
	const cl_semaphore_properties_khr device =
		(cl_semaphore_properties_khr)(uintptr_t)test.device;
	const cl_semaphore_properties_khr good[] = {CL_SEMAPHORE_TYPE_KHR,
						    CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	const cl_semaphore_properties_khr none[] = {0}, name[] = {1, 1, 0};
	const cl_semaphore_properties_khr kind[] = {CL_SEMAPHORE_TYPE_KHR, 9, 0};
	const cl_semaphore_properties_khr twice[] = {CL_SEMAPHORE_TYPE_KHR, 1,
						     CL_SEMAPHORE_TYPE_KHR, 1, 0};
	const cl_semaphore_properties_khr no_type[] = {DEVICE_LIST, device, 0, 0};
	const cl_semaphore_properties_khr empty[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICE_LIST, 0, 0};
	const cl_semaphore_properties_khr two[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICE_LIST, device,
						   device, 0, 0};
	const cl_semaphore_properties_khr unshared[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
		CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, 0,
	};
	cl_int code;
	/* A list of no types is one. */
	cl_semaphore_khr made = sem.create(bench->context, unshared, &code);
	if (CHECK_OK(code))
		CHECK_OK(sem.release(made));
	CHECK_NO_OBJECT(sem.create(NULL, good, &code), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(sem.create(bench->context, NULL, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(sem.create(bench->context, none, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(sem.create(bench->context, no_type, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(sem.create(bench->context, name, &code), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(sem.create(bench->context, kind, &code), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(sem.create(bench->context, twice, &code), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(sem.create(bench->context, empty, &code), code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(sem.create(bench->context, two, &code), code, CL_INVALID_DEVICE);
	CHECK_CODE(sem.retain(NULL), CL_INVALID_SEMAPHORE_KHR);
	CHECK_CODE(sem.release(NULL), CL_INVALID_SEMAPHORE_KHR);
}

static void command_errors(struct bench *bench)
{
	cl_int(CL_API_CALL *const both[2])(cl_command_queue, cl_uint, const cl_semaphore_khr *,
					   const cl_semaphore_payload_khr *, cl_uint,
					   const cl_event *, cl_event *) = {sem.signal, sem.wait};
	cl_semaphore_khr semaphore = semaphore_make(bench->context), none = NULL;
	cl_semaphore_khr stranger = semaphore_make(test.context);
	cl_event event = NULL;
	for (int i = 0; i < 2; i++) {
		CHECK_CODE(both[i](NULL, 1, &semaphore, NULL, 0, NULL, NULL),
			   CL_INVALID_COMMAND_QUEUE);
		CHECK_CODE(both[i](bench->a, 0, &semaphore, NULL, 0, NULL, NULL),
			   CL_INVALID_VALUE);
		CHECK_CODE(both[i](bench->a, 1, &none, NULL, 0, NULL, NULL),
			   CL_INVALID_SEMAPHORE_KHR);
		CHECK_CODE(both[i](bench->a, 1, &stranger, NULL, 0, NULL, NULL),
			   CL_INVALID_CONTEXT);
		CHECK_CODE(both[i](bench->a, 1, &semaphore, NULL, 1, NULL, NULL),
			   CL_INVALID_EVENT_WAIT_LIST);
		CHECK_CODE(both[i](bench->a, 1, &semaphore, NULL, 0, &event, NULL),
			   CL_INVALID_EVENT_WAIT_LIST);
		CHECK_CODE(both[i](bench->a, 1, &semaphore, NULL, 1, &event, NULL),
			   CL_INVALID_EVENT_WAIT_LIST);
	}
	CHECK_OK(sem.release(semaphore));
	CHECK_OK(sem.release(stranger));
}

/* Between two devices of a context a semaphore is for one. */
static void two_devices(void)
{
	struct bench bench = bench_make(2, test.devices);
	cl_semaphore_properties_khr list[] = {
		CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, DEVICE_LIST,
		(cl_semaphore_properties_khr)(uintptr_t)test.devices[1], 0, 0,
	};
	cl_int code;
	cl_semaphore_khr semaphore = sem.create(bench.context, list, &code);
	CHECK_OK(code);
	CHECK_CODE(sem.signal(bench.a, 1, &semaphore, NULL, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(sem.wait(bench.a, 1, &semaphore, NULL, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_OK(sem.signal(bench.b, 1, &semaphore, NULL, 0, NULL, NULL));
	CHECK_OK(sem.wait(bench.b, 1, &semaphore, NULL, 0, NULL, NULL));
	CHECK_OK(clFinish(bench.b));
	CHECK_OK(sem.release(semaphore));
	list[2] = 0;
	CHECK_NO_OBJECT(sem.create(bench.context, list, &code), code, CL_INVALID_PROPERTY);
	list[2] = DEVICE_LIST;
	CHECK_NO_OBJECT(sem.create(test.context, list, &code), code, CL_INVALID_DEVICE);
	bench_release(&bench);
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "semaphores"))
		return API_TEST_SKIP;
	if (!entry_find())
		return api_test_skip(&test);
	struct bench bench = bench_make(1, &test.device);
	ping_pong(&bench);
	behind_user_event(&bench);
	wait_first(&bench);
	failed_signal(&bench);
	queries(&bench);
	creation_errors(&bench);
	command_errors(&bench);
	bench_release(&bench);
	if (test.device_count > 1)
		two_devices();
	return api_test_end(&test);
}
