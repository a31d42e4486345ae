/* cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: the buffers themselves, and
 * what all commands that they record have in common. */
#include "config.h"

#include "tests/api/errors_record.h"
#include "tests/api/fixture.h"

struct recorder recorder;
struct record right;

static cl_command_buffer_khr finalized, wrong_buffer, of_two;
static cl_command_queue second;
static void *svm;
static const size_t zero[3], one[3] = {1, 1, 1};

static void recorder_find(void)
{
	static const char *const names[] = {
		"clCreateCommandBufferKHR", "clRetainCommandBufferKHR",
		"clReleaseCommandBufferKHR", "clFinalizeCommandBufferKHR",
		"clEnqueueCommandBufferKHR", "clGetCommandBufferInfoKHR",
		"clUpdateMutableCommandsKHR", "clGetMutableCommandInfoKHR",
		"clCommandBarrierWithWaitListKHR", "clCommandCopyBufferKHR",
		"clCommandCopyBufferRectKHR", "clCommandFillBufferKHR",
		"clCommandNDRangeKernelKHR", "clCommandCopyImageKHR", "clCommandFillImageKHR",
		"clCommandCopyImageToBufferKHR", "clCommandCopyBufferToImageKHR",
		"clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR", "clRemapCommandBufferKHR",
	};
	_Static_assert(sizeof(recorder) == sizeof(names), "a name for each function");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = error_function(names[i]);
		memcpy((char *)&recorder + i * sizeof(found), &found, sizeof(found));
	}
}

static cl_command_buffer_khr create(const cl_properties *properties)
{
	return recorder.create(1, &world.queue, properties, &error_code);
}

/* --- making and running ------------------------------------------------------------------------ */

static void creation(void)
{
	const cl_command_queue two[] = {world.queue, world.queue}, mixed[] = {world.queue, world.foreign_queue};
	const cl_properties unknown[] = {0x7777, 1, 0};
	const cl_properties bad_bits[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1u << 20, 0};
	const cl_properties twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR,
				       0, 0};
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_COMMAND_QUEUE, 1,
		     recorder.create(1, &world.wrong_queue, NULL, &error_code));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_CONTEXT, 1,
		     recorder.create(2, mixed, NULL, &error_code));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 1,
		     recorder.create(0, two, NULL, &error_code));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 2,
		     recorder.create(1, NULL, NULL, &error_code));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 3, create(unknown));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 3, create(bad_bits));
	ERROR_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 3, create(twice));
	ERROR_CODE(clRetainCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   recorder.retain(wrong_buffer));
	ERROR_CODE(clReleaseCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   recorder.release(wrong_buffer));
	ERROR_CODE(clFinalizeCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   recorder.finalize(wrong_buffer));
	ERROR_CODE(clFinalizeCommandBufferKHR, CL_INVALID_OPERATION, 1,
		   recorder.finalize(finalized));
	ERROR_CODE(clGetCommandBufferInfoKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   recorder.info(wrong_buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 4, error_bytes,
				 NULL));
	ERROR_CODE(clGetCommandBufferInfoKHR, CL_INVALID_VALUE, 1,
		   recorder.info(finalized, 0x7777, 4, error_bytes, NULL));
	ERROR_CODE(clGetCommandBufferInfoKHR, CL_INVALID_VALUE, 1,
		   recorder.info(finalized, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 3, error_bytes,
				 NULL));
}

static cl_int enqueue(cl_uint count, cl_command_queue *queues, cl_command_buffer_khr buffer)
{
	return recorder.enqueue(count, queues, buffer, 0, NULL, NULL);
}

static cl_int enqueue_after(cl_uint count, const cl_event *events)
{
	return recorder.enqueue(0, NULL, finalized, count, events, NULL);
}

static void other_device(void)
{
	cl_int code;
	if (!world.other) {
		error_absent("clEnqueueCommandBufferKHR", CL_INVALID_DEVICE, 1);
		return;
	}
	cl_context context = clCreateContext(NULL, 1, &world.other, NULL, NULL, &code);
	REQUIRE(!code);
	cl_command_queue queue = clCreateCommandQueue(context, world.other, 0, &code);
	REQUIRE(!code);
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_DEVICE, 1, enqueue(1, &queue, finalized));
	REQUIRE(!clReleaseCommandQueue(queue));
	REQUIRE(!clReleaseContext(context));
}

static void running(void)
{
	const cl_event wrong[] = {world.done, world.wrong_event};
	cl_command_queue two[] = {world.queue, world.queue};
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   enqueue(0, NULL, wrong_buffer));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_OPERATION, 1,
		   enqueue(0, NULL, right.buffer));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_VALUE, 1, enqueue(1, NULL, finalized));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_VALUE, 1, enqueue(0, two, finalized));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_VALUE, 2, enqueue(2, two, finalized));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_COMMAND_QUEUE, 1,
		   enqueue(1, &world.wrong_queue, finalized));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_CONTEXT, 1,
		   enqueue(1, &world.foreign_queue, finalized));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_CONTEXT, 2,
		   enqueue_after(1, &world.foreign_event));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_EVENT_WAIT_LIST, 1,
		   enqueue_after(1, NULL));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_EVENT_WAIT_LIST, 1,
		   enqueue_after(0, wrong));
	ERROR_CODE(clEnqueueCommandBufferKHR, CL_INVALID_EVENT_WAIT_LIST, 1,
		   enqueue_after(2, wrong));
	other_device();
}

static cl_command_buffer_khr remap(cl_bool automatic, cl_uint count, const cl_command_queue *queues)
{
	return recorder.remap(finalized, automatic, count, queues, 0, NULL, NULL, &error_code);
}

static void copies(void)
{
	const cl_command_queue two[] = {world.queue, world.queue};
	cl_mutable_command_khr handle = (cl_mutable_command_khr)world.queue, copy = NULL;
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		     recorder.remap(wrong_buffer, CL_FALSE, 1, two, 0, NULL, NULL, &error_code));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 1, remap(CL_FALSE, 0, two));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 1, remap(CL_FALSE, 1, NULL));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 2, remap(CL_FALSE, 2, two));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 3,
		     recorder.remap(finalized, CL_FALSE, 1, two, 1, NULL, &copy, &error_code));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 3,
		     recorder.remap(finalized, CL_FALSE, 1, two, 1, &handle, NULL, &error_code));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 3,
		     recorder.remap(finalized, CL_FALSE, 1, two, 0, &handle, &copy, &error_code));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_VALUE, 4,
		     recorder.remap(finalized, CL_FALSE, 1, two, 1, &handle, &copy, &error_code));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_COMMAND_QUEUE, 1, remap(CL_FALSE, 1, &world.wrong_queue));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_CONTEXT, 1, remap(CL_FALSE, 1, &world.foreign_queue));
	ERROR_OBJECT(clRemapCommandBufferKHR, CL_INVALID_OPERATION, 2, remap(CL_TRUE, 1, two));
}

/* --- changing ------------------------------------------------------------------------------------ */

static void updates(void)
{
	const cl_properties flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 1, 0};
	const cl_uint type = 0, bad_type = 0x7777;
	const void *config = error_bytes, *none = NULL;
	cl_mutable_command_khr handle = NULL;
	cl_int code;
	cl_command_buffer_khr mutable_buffer = recorder.create(1, &world.queue, flags, &code);
	REQUIRE(!code);
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_COMMAND_BUFFER_KHR, 1,
		   recorder.update(wrong_buffer, 0, NULL, NULL));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_OPERATION, 1,
		   recorder.update(mutable_buffer, 0, NULL, NULL));
	REQUIRE(!recorder.launch(mutable_buffer, NULL, NULL, world.kernel, 1, NULL, one, NULL, 0,
				 NULL, NULL, &handle));
	REQUIRE(!recorder.finalize(mutable_buffer));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_OPERATION, 2,
		   recorder.update(finalized, 0, NULL, NULL));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 1,
		   recorder.update(mutable_buffer, 1, NULL, &config));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 1,
		   recorder.update(mutable_buffer, 0, &type, NULL));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 2,
		   recorder.update(mutable_buffer, 1, &type, NULL));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 2,
		   recorder.update(mutable_buffer, 0, NULL, &config));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 3,
		   recorder.update(mutable_buffer, 1, &bad_type, &config));
	ERROR_CODE(clUpdateMutableCommandsKHR, CL_INVALID_VALUE, 4,
		   recorder.update(mutable_buffer, 1, &type, &none));
	ERROR_CODE(clGetMutableCommandInfoKHR, CL_INVALID_MUTABLE_COMMAND_KHR, 1,
		   recorder.command_info((cl_mutable_command_khr)world.queue,
					 CL_MUTABLE_DISPATCH_KERNEL_KHR, 8, error_bytes, NULL));
	ERROR_CODE(clGetMutableCommandInfoKHR, CL_INVALID_VALUE, 1,
		   recorder.command_info(handle, 0x7777, 8, error_bytes, NULL));
	ERROR_CODE(clGetMutableCommandInfoKHR, CL_INVALID_VALUE, 1,
		   recorder.command_info(handle, CL_MUTABLE_DISPATCH_KERNEL_KHR, 7, error_bytes,
					 NULL));
	REQUIRE(!recorder.release(mutable_buffer));
}

/* --- what all commands have in common ---------------------------------------------------------------- */

static cl_int barrier(const struct record *record)
{
	return recorder.barrier(FIRST(record), LAST(record));
}

static cl_int copy(const struct record *record)
{
	return recorder.copy(FIRST(record), world.buffer, world.buffer2, 0, 0, 4, LAST(record));
}

static cl_int copy_rect(const struct record *record)
{
	return recorder.copy_rect(FIRST(record), world.buffer, world.buffer2, zero, zero, one, 0,
				  0, 0, 0, LAST(record));
}

static cl_int fill(const struct record *record)
{
	return recorder.fill(FIRST(record), world.buffer, error_bytes, 4, 0, 4, LAST(record));
}

static cl_int launch(const struct record *record)
{
	return recorder.launch(FIRST(record), world.kernel, 1, NULL, one, NULL, LAST(record));
}

static cl_int copy_image(const struct record *record)
{
	return recorder.copy_image(FIRST(record), world.image, world.image2, zero, zero, one,
				   LAST(record));
}

static cl_int fill_image(const struct record *record)
{
	return recorder.fill_image(FIRST(record), world.image, error_bytes, zero, one,
				   LAST(record));
}

static cl_int image_to_buffer(const struct record *record)
{
	return recorder.image_to_buffer(FIRST(record), world.image, world.buffer, zero, one, 0,
					LAST(record));
}

static cl_int buffer_to_image(const struct record *record)
{
	return recorder.buffer_to_image(FIRST(record), world.buffer, world.image, 0, zero, one,
					LAST(record));
}

static cl_int svm_copy(const struct record *record)
{
	return recorder.svm_copy(FIRST(record), svm, (char *)svm + 64, 4, LAST(record));
}

static cl_int svm_fill(const struct record *record)
{
	return recorder.svm_fill(FIRST(record), svm, error_bytes, 4, 4, LAST(record));
}

static const struct command {
	const char *name;
	cl_int (*call)(const struct record *);
	bool has_handle;                 /* a place for a handle is no error */
	unsigned own_contexts;           /* number of conditions for CL_INVALID_CONTEXT before that for the queue */
} commands[] = {
	{"clCommandBarrierWithWaitListKHR", barrier, false, 0},
	{"clCommandCopyBufferKHR", copy, false, 1},
	{"clCommandCopyBufferRectKHR", copy_rect, false, 1},
	{"clCommandFillBufferKHR", fill, false, 1},
	{"clCommandNDRangeKernelKHR", launch, true, 1},
	{"clCommandCopyImageKHR", copy_image, false, 1},
	{"clCommandFillImageKHR", fill_image, false, 1},
	{"clCommandCopyImageToBufferKHR", image_to_buffer, false, 1},
	{"clCommandCopyBufferToImageKHR", buffer_to_image, false, 1},
	{"clCommandSVMMemcpyKHR", svm_copy, false, 0},
	{"clCommandSVMMemFillKHR", svm_fill, false, 0},
};

#define COMMON(code, condition, ...)                                                              \
	do {                                                                                      \
		struct record record = right;                                                     \
		__VA_ARGS__;                                                                      \
		error_case(command->name, code, condition, command->call(&record), __FILE__,      \
			   __LINE__);                                                             \
	} while (0)

static void command_check(const struct command *command)
{
	const cl_properties unknown[] = {0x7777, 1, 0};
	const cl_sync_point_khr no_point = 0x7777, zero = 0;
	cl_mutable_command_khr handle = NULL;
	error_require(!command->call(&right), command->name, __FILE__, __LINE__);
	COMMON(CL_INVALID_COMMAND_QUEUE, 2, record.queue = world.wrong_queue);
	COMMON(CL_INVALID_COMMAND_QUEUE, 2, record.queue = second);
	COMMON(CL_INVALID_COMMAND_QUEUE, 2, record.buffer = of_two);
	COMMON(CL_INVALID_CONTEXT, command->own_contexts + 1, record.queue = world.foreign_queue);
	COMMON(CL_INVALID_COMMAND_BUFFER_KHR, 1, record.buffer = wrong_buffer);
	COMMON(CL_INVALID_OPERATION, 1, record.buffer = finalized);
	COMMON(CL_INVALID_VALUE, 1, record.properties = unknown);
	if (!command->has_handle)
		COMMON(CL_INVALID_VALUE, 2, record.handle = &handle);
	COMMON(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, 1, record.count = 1);
	COMMON(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, 1, record.points = &no_point);
	COMMON(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, 1, record.count = 1;
	       record.points = &no_point);
	COMMON(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, 1, record.count = 1; record.points = &zero);
}

void errors_command_buffer(void)
{
	recorder_find();
	wrong_buffer = (cl_command_buffer_khr)world.queue;
	right = (struct record){.buffer = create(NULL)};
	finalized = create(NULL);
	REQUIRE(right.buffer && finalized && !recorder.finalize(finalized));
	svm = clSVMAlloc(world.context, CL_MEM_READ_WRITE, 4096, 0);
	REQUIRE(svm);
	const cl_command_queue two[] = {world.queue, second = queue_make(world.context, world.device, 0)};
	of_two = recorder.create(2, two, NULL, &error_code);
	REQUIRE(of_two);
	creation();
	running();
	copies();
	updates();
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		command_check(&commands[i]);
	record_buffers();
	record_images();
	record_immutable();
	record_launches();
	record_svm();
	REQUIRE(!clFinish(world.queue));
	REQUIRE(!recorder.release(right.buffer));
	REQUIRE(!recorder.release(finalized));
	REQUIRE(!recorder.release(of_two));
	REQUIRE(!clReleaseCommandQueue(second));
	clSVMFree(world.context, svm);
}
