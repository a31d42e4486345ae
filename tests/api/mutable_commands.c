/* Protects: launches changed between enqueues of their command buffer
 * (cl_khr_command_buffer_mutable_dispatch): later enqueues see a change, earlier ones do
 * not, and a call with an error changes nothing. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

enum { COUNT = 512, SIZE_B = COUNT * (int)sizeof(cl_uint) };
enum { INVALID_MUTABLE_COMMAND = -1141, STATE_FINALIZED = 2 };

static const char source[] =
	"kernel void put(global uint *to, uint value)\n"
	"{ to[get_global_id(0)] = value + get_local_size(0) * 1000; }\n";

static struct command_buffer_entry cb;
static struct api_test test;
static cl_command_queue queue;
static cl_kernel put;
static cl_mem a, b;

static mutable_update update;
static cl_int(CL_API_CALL *info)(cl_mutable_command_khr, cl_uint, size_t, void *, size_t *);

static cl_command_buffer_khr start(cl_bitfield flags)
{
	const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(1, &queue, list, &code);
	CHECK_OK(code);
	return buffer;
}

static cl_mutable_command_khr record(cl_command_buffer_khr buffer, cl_mem mem, cl_uint value,
				     cl_bitfield fields, size_t global, size_t local)
{
	const command_properties list[] = {MUTABLE_FIELDS, fields, 0};
	cl_mutable_command_khr handle = NULL;
	CHECK_OK(clSetKernelArg(put, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(put, 1, sizeof(value), &value));
	CHECK_OK(cb.launch(buffer, NULL, list, put, 1, NULL, &global, local ? &local : NULL, 0,
			   NULL, NULL, &handle));
	CHECK(handle);
	return handle;
}

static cl_int change_value(cl_command_buffer_khr buffer, cl_mutable_command_khr handle,
			   cl_uint value)
{
	const struct mutable_argument argument = {1, sizeof(value), &value};
	const struct mutable_config config = {.command = handle, .num_args = 1, .args = &argument};
	return mutable_change(update, buffer, &config);
}

static void clear(void)
{
	const cl_uint zero = 0;
	CHECK_OK(clEnqueueFillBuffer(queue, a, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueFillBuffer(queue, b, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
}

static cl_uint value_at(cl_mem mem, size_t index)
{
	cl_uint value = 12345;
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
	return value;
}

static void each_field(void)
{
	const size_t global = 256, offset = 100, local = 32, ragged = 40;
	cl_command_buffer_khr buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR);
	cl_mutable_command_khr handle = record(
		buffer, a, 1, MUTABLE_OFFSET | MUTABLE_GLOBAL | MUTABLE_LOCAL | MUTABLE_ARGUMENTS,
		128, 64);
	size_t got = 0, size = 0;
	CHECK_OK(cb.finalize(buffer));
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(change_value(buffer, handle, 7));
	const struct mutable_argument argument = {0, sizeof(b), &b};
	struct mutable_config config = {.command = handle,
					.num_args = 1,
					.args = &argument,
					.work_dim = 1,
					.offset = &offset,
					.global = &global,
					.local = &local};
	CHECK_OK(mutable_change(update, buffer, &config));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(value_at(a, 0) == 64001 && value_at(a, 127) == 64001 && value_at(a, 128) == 0);
	CHECK(value_at(b, 99) == 0 && value_at(b, 100) == 32007 && value_at(b, 355) == 32007);
	CHECK(value_at(b, 356) == 0);
	CHECK_OK(info(handle, 0x12A6, sizeof(got), &got, &size));
	CHECK(got == 256 && size == sizeof(got));
	/* Another number of grids cannot be, for work-groups stay uniform. */
	config = (struct mutable_config){.command = handle, .global = &ragged};
	CHECK_CODE(mutable_change(update, buffer, &config), CL_INVALID_OPERATION);
	CHECK_OK(cb.release(buffer));
}

/* What waits in line launches what the buffer was when it was enqueued. */
static void earlier_enqueues_stay(void)
{
	cl_command_buffer_khr buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR);
	cl_mutable_command_khr handle = record(buffer, a, 1, MUTABLE_ARGUMENTS, 64, 64);
	cl_event gate = user_event_make(test.context);
	CHECK_OK(cb.finalize(buffer));
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 1, &gate, NULL));
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(change_value(buffer, handle, 2));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(value_at(b, 0) == 64001);
	CHECK(value_at(a, 0) == 64002);
	CHECK_OK(clReleaseEvent(gate));
}

/* An argument that is replaced is let go; the kernel's own values are as they were. */
static void arguments_are_let_go(void)
{
	cl_int code;
	cl_mem old = clCreateBuffer(test.context, 0, SIZE_B, NULL, &code);
	cl_command_buffer_khr buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR);
	const struct mutable_argument argument = {0, sizeof(b), &b};
	cl_mutable_command_khr handle = record(buffer, old, 5, MUTABLE_ARGUMENTS, 64, 64);
	const struct mutable_config config = {.command = handle, .num_args = 1, .args = &argument};
	const size_t global = 64;
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(clSetKernelArg(put, 0, sizeof(a), &a));
	CHECK_OK(mutable_change(update, buffer, &config));
	CHECK_OK(clReleaseMemObject(old));
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(value_at(b, 0) == 64005 && value_at(a, 0) == 0);
	CHECK_OK(clEnqueueNDRangeKernel(queue, put, 1, NULL, &global, &global, 0, NULL, NULL));
	CHECK(value_at(a, 0) == 64005);
	CHECK_OK(cb.release(buffer));
}

static void arguments_come_later(void)
{
	const command_properties list[] = {MUTABLE_FIELDS, MUTABLE_ARGUMENTS, 0};
	const cl_uint value = 9;
	const struct mutable_argument arguments[2] = {{0, sizeof(a), &a},
						      {1, sizeof(value), &value}};
	cl_command_buffer_khr buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR);
	cl_command_buffer_state_khr state = 99;
	cl_mutable_command_khr handle;
	const size_t global = 64;
	cl_program program;
	CHECK_OK(clGetKernelInfo(put, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL));
	cl_kernel unset = kernel_make(program, "put");
	CHECK_CODE(cb.launch(buffer, NULL, NULL, unset, 1, NULL, &global, &global, 0, NULL, NULL,
			     &handle), CL_INVALID_KERNEL_ARGS);
	CHECK_OK(cb.launch(buffer, NULL, list, unset, 1, NULL, &global, &global, 0, NULL, NULL,
			   &handle));
	CHECK_OK(clReleaseKernel(unset));
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof(state), &state, NULL));
	CHECK(state == STATE_FINALIZED);
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	struct mutable_config config = {.command = handle, .num_args = 1, .args = arguments};
	CHECK_OK(mutable_change(update, buffer, &config));
	CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
	config.args = arguments + 1;
	CHECK_OK(mutable_change(update, buffer, &config));
	CHECK_OK(cb.info(buffer, CL_COMMAND_BUFFER_STATE_KHR, sizeof(state), &state, NULL));
	CHECK(state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(value_at(a, 63) == 64009);
	CHECK_OK(cb.release(buffer));
}

static void errors(void)
{
	cl_command_buffer_khr buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR), fixed = start(0);
	cl_mutable_command_khr handle = record(buffer, a, 1, MUTABLE_ARGUMENTS, 64, 64);
	cl_mutable_command_khr other = record(buffer, b, 1, MUTABLE_GLOBAL, 64, 64);
	cl_mutable_command_khr stranger = record(fixed, a, 1, MUTABLE_ARGUMENTS, 64, 64);
	const command_properties unknown[] = {MUTABLE_FIELDS, 64, 0};
	const cl_uint types[2] = {0, 0}, bad = 5, value = 3;
	const struct mutable_argument good = {1, 4, &value}, wrong = {1, 3, &value},
				      beyond = {7, 4, &value};
	const size_t global = 64;
	struct mutable_config first = {.command = handle, .num_args = 1, .args = &good},
			      second = first;
	const void *configs[2] = {&first, &second};
	CHECK_CODE(update(NULL, 1, types, configs), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(update(buffer, 1, types, configs), CL_INVALID_OPERATION);
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.finalize(fixed));
	CHECK_CODE(update(fixed, 1, types, configs), CL_INVALID_OPERATION);
	CHECK_CODE(update(buffer, 1, NULL, configs), CL_INVALID_VALUE);
	CHECK_CODE(update(buffer, 1, types, NULL), CL_INVALID_VALUE);
	CHECK_CODE(update(buffer, 0, types, NULL), CL_INVALID_VALUE);
	CHECK_CODE(update(buffer, 1, &bad, configs), CL_INVALID_VALUE);
	configs[1] = NULL;
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_VALUE);
	CHECK_OK(update(buffer, 0, NULL, NULL));
	/* The first is good, the second is not: nothing is changed. */
	configs[1] = &second;
	second.args = &wrong;
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_ARG_SIZE);
	second.args = &beyond;
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_ARG_INDEX);
	second.command = other;
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	second.command = stranger;
	CHECK_CODE(update(buffer, 2, types, configs), INVALID_MUTABLE_COMMAND);
	second = (struct mutable_config){.command = handle, .num_args = 1};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_VALUE);
	second = (struct mutable_config){.command = handle, .global = &global};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	second = (struct mutable_config){.command = handle, .local = &global};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	second = (struct mutable_config){.command = handle, .offset = &global};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	second = (struct mutable_config){
		.command = handle, .num_exec_infos = 1, .exec_infos = (const void *)&global};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	second = (struct mutable_config){.command = handle, .num_svm_args = 1};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_VALUE);
	second = (struct mutable_config){.command = handle, .exec_infos = (const void *)&global};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_VALUE);
	second = (struct mutable_config){.command = handle, .work_dim = 2};
	CHECK_CODE(update(buffer, 2, types, configs), CL_INVALID_OPERATION);
	clear();
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK(value_at(a, 0) == 64001);
	CHECK_CODE(info(NULL, 0x12A4, 4, NULL, NULL), INVALID_MUTABLE_COMMAND);
	CHECK_CODE(info(handle, 1, 4, NULL, NULL), CL_INVALID_VALUE);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(cb.release(fixed));
	buffer = start(CL_COMMAND_BUFFER_MUTABLE_KHR);
	CHECK_CODE(cb.launch(buffer, NULL, unknown, put, 1, NULL, &global, NULL, 0, NULL, NULL,
			     NULL), CL_INVALID_VALUE);
	CHECK_OK(cb.release(buffer));
}

int main(void)
{
	if (!api_test_start(&test, "mutable_commands"))
		return API_TEST_SKIP;
	*(void **)&update = clGetExtensionFunctionAddressForPlatform(test.platform,
								     "clUpdateMutableCommandsKHR");
	*(void **)&info = clGetExtensionFunctionAddressForPlatform(test.platform,
								   "clGetMutableCommandInfoKHR");
	if (!command_buffer_entry_find(test.platform, &cb) || !update || !info)
		return api_test_skip(&test);
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	if (!program)
		return api_test_end(&test);
	queue = queue_make(test.context, test.device, 0);
	put = kernel_make(program, "put");
	a = buffer_make(test.context, 0, SIZE_B, NULL);
	b = buffer_make(test.context, 0, SIZE_B, NULL);
	each_field();
	earlier_enqueues_stay();
	arguments_are_let_go();
	arguments_come_later();
	errors();
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseKernel(put));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
