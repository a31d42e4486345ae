/* Protects: command buffers that use more than buffers (cl_khr_command_buffer): images and
 * samplers, shared virtual memory, the output of printf.  Each is enqueued several times, in
 * two queues, and on either of two devices where the bytes have to be brought. */
#include "config.h"

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

enum { SIDE = 8, TEXELS = SIDE * SIDE, SIZE_B = TEXELS * (int)sizeof(cl_uint), COUNT = 64 };

struct more {                            /* what command_buffer_entry lacks */
	cl_int(CL_API_CALL *copy_image)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
					const size_t *, const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *fill_image)(RECORD_FIRST, cl_mem, const void *, const size_t *,
					const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *to_image)(RECORD_FIRST, cl_mem, cl_mem, size_t, const size_t *,
				      const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *to_buffer)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
				       const size_t *, size_t, RECORD_LAST);
	cl_int(CL_API_CALL *svm_copy)(RECORD_FIRST, void *, const void *, size_t, RECORD_LAST);
	cl_int(CL_API_CALL *svm_fill)(RECORD_FIRST, void *, const void *, size_t, size_t,
				      RECORD_LAST);
	mutable_update update;
};

static const char source[] =
	"kernel void twice(read_only image2d_t from, sampler_t sampler, write_only image2d_t to)\n"
	"{ const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"  write_imageui(to, at, 2 * read_imageui(from, sampler, at - 1)); }\n"
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n"
	"kernel void through(global uint *global *from) { (*from)[get_global_id(0)] += 1; }\n"
	"kernel void says(global uint *to) { printf(\"says %u\\n\", to[0]++); }\n"
	"kernel void much(uint calls)\n"
	"{ for (uint i = 0; i < calls; i++) printf(\"%02d %05u\\n\", (int)get_global_id(0), i); }\n";

static struct command_buffer_entry cb;
static struct more more;
static struct api_test test;
static cl_context context;
static cl_program program;
static cl_command_queue queues[2];

static bool more_find(cl_platform_id platform)
{
	static const char *const names[] = {
		"clCommandCopyImageKHR", "clCommandFillImageKHR", "clCommandCopyBufferToImageKHR",
		"clCommandCopyImageToBufferKHR", "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR",
		"clUpdateMutableCommandsKHR",
	};
	unsigned char *place = (unsigned char *)&more;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
		if (!found)
			return false;
		memcpy(place + i * sizeof(found), &found, sizeof(found));
	}
	return true;
}

static cl_command_buffer_khr start(cl_command_queue queue)
{
	static const cl_command_buffer_properties_khr list[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
								1 << 1, 0};
	cl_int code;
	cl_command_buffer_khr buffer = cb.create(1, &queue, list, &code);
	CHECK_OK(code);
	return buffer;
}

/* --- images ----------------------------------------------------------------------------------- */

static cl_mem square_make(void)
{
	static const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
	return image_2d_make(context, CL_MEM_READ_WRITE, &format, SIDE, SIDE, NULL);
}

static const size_t origin[3] = {0, 0, 0}, whole[3] = {SIDE, SIDE, 1};

/* From a buffer to an image, one texel filled, twice shifted into another, a row of that
 * copied, and to a buffer. */
static cl_command_buffer_khr images_record(cl_mem from, cl_mem to, cl_mem a, cl_mem b)
{
	static const size_t at[3] = {3, 2, 0}, one[3] = {1, 1, 1}, row[3] = {SIDE, 1, 1};
	static const size_t last[3] = {0, SIDE - 1, 0}, second[3] = {0, 1, 0};
	static const size_t global[2] = {SIDE, SIDE};
	const cl_uint color[4] = {1000, 0, 0, 0};
	cl_int code;
	cl_command_buffer_khr buffer = start(queues[0]);
	cl_kernel twice = kernel_make(program, "twice");
	cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP,
					     CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
	CHECK_OK(more.to_image(buffer, NULL, NULL, from, a, 0, origin, whole, 0, NULL, NULL,
			       NULL));
	CHECK_OK(more.fill_image(buffer, NULL, NULL, a, color, at, one, 0, NULL, NULL, NULL));
	CHECK_OK(clSetKernelArg(twice, 0, sizeof(a), &a));
	CHECK_OK(clSetKernelArg(twice, 1, sizeof(sampler), &sampler));
	CHECK_OK(clSetKernelArg(twice, 2, sizeof(b), &b));
	CHECK_OK(cb.launch(buffer, NULL, NULL, twice, 2, NULL, global, NULL, 0, NULL, NULL, NULL));
	CHECK_OK(more.copy_image(buffer, NULL, NULL, b, b, second, last, row, 0, NULL, NULL,
				 NULL));
	CHECK_OK(more.to_buffer(buffer, NULL, NULL, b, to, origin, whole, 0, 0, NULL, NULL, NULL));
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseKernel(twice));
	CHECK_OK(cb.finalize(buffer));
	return buffer;
}

static void images_expect(cl_mem to, const cl_uint *given)
{
	cl_uint out[TEXELS] = {0};
	unsigned wrong = 0;
	buffer_read(queues[0], to, out, SIZE_B);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			const int row = y == SIDE - 1 ? 1 : y;
			cl_uint value = 0;
			if (x && row)
				value = x == 4 && row == 3 ? 1000
							   : given[(row - 1) * SIDE + x - 1];
			wrong += out[y * SIDE + x] != 2 * value;
		}
	CHECK(!wrong);
}

static void images(void)
{
	cl_mem from = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL),
	       to = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	cl_mem a = square_make(), b = square_make();
	cl_command_buffer_khr buffer = images_record(from, to, a, b);
	cl_uint given[TEXELS];
	for (cl_uint turn = 0; turn < 3; turn++) {
		const cl_uint zero = 0;
		for (cl_uint i = 0; i < TEXELS; i++)
			given[i] = turn * 100 + i;
		CHECK_OK(clEnqueueWriteBuffer(queues[1], from, CL_TRUE, 0, SIZE_B, given, 0, NULL,
					      NULL));
		CHECK_OK(clEnqueueFillBuffer(queues[1], to, &zero, 4, 0, SIZE_B, 0, NULL, NULL));
		CHECK_OK(clFinish(queues[1]));
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		images_expect(to, given);
	}
	/* What is recorded keeps what it needs. */
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	images_expect(to, given);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseMemObject(from));
	CHECK_OK(clReleaseMemObject(to));
}

/* An image argument that is exchanged: its descriptor is made for the change. */
static void image_update(void)
{
	static const size_t global[2] = {SIDE, SIDE};
	static const command_properties fields[] = {0x12B1, 8, 0};
	const cl_uint type = 0, colors[2][4] = {{5}, {9}};
	cl_mem from[2] = {square_make(), square_make()}, to = square_make();
	cl_kernel twice = kernel_make(program, "twice");
	cl_mutable_command_khr handle;
	cl_command_buffer_khr buffer = start(queues[0]);
	cl_uint out[TEXELS] = {0};
	cl_int code;
	cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
					     CL_FILTER_NEAREST, &code);
	CHECK_OK(code);
	for (int i = 0; i < 2; i++)
		CHECK_OK(clEnqueueFillImage(queues[0], from[i], colors[i], origin, whole, 0, NULL,
					    NULL));
	CHECK_OK(clSetKernelArg(twice, 0, sizeof(cl_mem), &from[0]));
	CHECK_OK(clSetKernelArg(twice, 1, sizeof(sampler), &sampler));
	CHECK_OK(clSetKernelArg(twice, 2, sizeof(to), &to));
	CHECK_OK(cb.launch(buffer, NULL, fields, twice, 2, NULL, global, NULL, 0, NULL, NULL,
			   &handle));
	CHECK_OK(cb.finalize(buffer));
	for (int i = 0; i < 2; i++) {
		const struct mutable_argument argument = {0, sizeof(cl_mem), &from[i]};
		const struct mutable_config config = {
			.command = handle, .num_args = 1, .args = &argument};
		const void *configs[1] = {&config};
		CHECK_OK(more.update(buffer, 1, &type, configs));
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		CHECK_OK(clEnqueueReadImage(queues[0], to, CL_TRUE, origin, whole, 0, 0, out, 0,
					    NULL, NULL));
		CHECK(out[0] == 2 * colors[i][0] && out[TEXELS - 1] == 2 * colors[i][0]);
		CHECK_OK(clReleaseMemObject(from[i]));
	}
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseMemObject(to));
	CHECK_OK(clReleaseSampler(sampler));
	CHECK_OK(clReleaseKernel(twice));
}

static void image_errors(void)
{
	static const size_t far[3] = {SIDE, 0, 0};
	const cl_uint color[4] = {0};
	cl_command_buffer_khr buffer = start(queues[0]);
	cl_mem image = square_make(), mem = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	cl_mutable_command_khr handle;
	cl_sync_point_khr point = 7;
	CHECK_CODE(more.fill_image(NULL, NULL, NULL, image, color, origin, whole, 0, NULL, NULL,
				   NULL), CL_INVALID_COMMAND_BUFFER_KHR);
	CHECK_CODE(more.fill_image(buffer, queues[1], NULL, image, color, origin, whole, 0, NULL,
				   NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, mem, color, origin, whole, 0, NULL, NULL,
				   NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, image, NULL, origin, whole, 0, NULL, NULL,
				   NULL), CL_INVALID_VALUE);
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, image, color, far, whole, 0, NULL, NULL,
				   NULL), CL_INVALID_VALUE);
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, image, color, origin, whole, 1, &point,
				   NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, image, color, origin, whole, 0, NULL, NULL,
				   &handle), CL_INVALID_VALUE);
	CHECK_CODE(more.copy_image(buffer, NULL, NULL, image, image, origin, origin, whole, 0,
				   NULL, NULL, NULL), CL_MEM_COPY_OVERLAP);
	CHECK_CODE(more.copy_image(buffer, NULL, NULL, image, mem, origin, origin, whole, 0, NULL,
				   NULL, NULL), CL_INVALID_MEM_OBJECT);
	CHECK_CODE(more.to_image(buffer, NULL, NULL, mem, image, 4, origin, whole, 0, NULL, NULL,
				 NULL), CL_INVALID_VALUE);
	CHECK_CODE(more.to_buffer(buffer, NULL, NULL, image, mem, origin, whole, 4, 0, NULL, NULL,
				  NULL), CL_INVALID_VALUE);
	CHECK_OK(cb.finalize(buffer));
	CHECK_CODE(more.fill_image(buffer, NULL, NULL, image, color, origin, whole, 0, NULL, NULL,
				   NULL), CL_INVALID_OPERATION);
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(mem));
}

/* --- shared virtual memory ---------------------------------------------------------------------- */

static cl_uint *svm_make(size_t size)
{
	cl_uint *pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
	CHECK(pointer != NULL);
	return pointer;
}

static void svm_expect(cl_uint *pointer, cl_uint first, cl_uint last)
{
	CHECK_OK(clEnqueueSVMMap(queues[0], CL_TRUE, CL_MAP_READ, pointer, COUNT * 4, 0, NULL,
				 NULL));
	CHECK(pointer[0] == first);
	CHECK(pointer[COUNT - 1] == last);
	CHECK_OK(clEnqueueSVMUnmap(queues[0], pointer, 0, NULL, NULL));
}

static void svm_commands(void)
{
	static const cl_uint pattern[2] = {4, 7};
	cl_uint *a = svm_make(COUNT * 4), *b = svm_make(COUNT * 4);
	cl_command_buffer_khr buffer = start(queues[0]);
	cl_uint host[COUNT];
	CHECK_OK(more.svm_fill(buffer, NULL, NULL, a, pattern, 8, COUNT * 4, 0, NULL, NULL, NULL));
	CHECK_OK(more.svm_copy(buffer, NULL, NULL, b + 1, a, COUNT * 4 - 4, 0, NULL, NULL, NULL));
	CHECK_OK(more.svm_copy(buffer, NULL, NULL, b, a + 1, 4, 0, NULL, NULL, NULL));
	CHECK_OK(more.svm_copy(buffer, NULL, NULL, b, a, 0, 0, NULL, NULL, NULL));
	CHECK_CODE(more.svm_copy(buffer, NULL, NULL, NULL, a, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(more.svm_copy(buffer, NULL, NULL, a + 1, a, 8, 0, NULL, NULL, NULL),
		   CL_MEM_COPY_OVERLAP);
	CHECK_CODE(more.svm_copy(buffer, NULL, NULL, b, a + 1, COUNT * 4, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	/* No device has system SVM. */
	CHECK_CODE(more.svm_copy(buffer, NULL, NULL, b, host, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(more.svm_fill(buffer, NULL, NULL, host, pattern, 4, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(more.svm_fill(buffer, NULL, NULL, a, pattern, 3, 3, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(more.svm_fill(buffer, NULL, NULL, a + 1, pattern, 8, 8, 0, NULL, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(more.svm_fill(buffer, queues[1], NULL, a, pattern, 4, 4, 0, NULL, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_OK(cb.finalize(buffer));
	for (int turn = 0; turn < 2; turn++) {
		const cl_uint zero = 0;
		CHECK_OK(clEnqueueSVMMemFill(queues[0], b, &zero, 4, COUNT * 4, 0, NULL, NULL));
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
		svm_expect(b, 7, 4);
	}
	CHECK_OK(clFinish(queues[0]));
	CHECK_OK(cb.release(buffer));
	clSVMFree(context, a);
	clSVMFree(context, b);
}

/* A pointer argument, what is behind it, and both exchanged. */
static void svm_arguments(void)
{
	const size_t global = COUNT;
	const cl_uint type = 0, zero = 0;
	cl_uint *numbers[2], **cells[2];
	cl_kernel through = kernel_make(program, "through");
	cl_mutable_command_khr handle;
	cl_command_buffer_khr buffer = start(queues[0]);
	for (int i = 0; i < 2; i++) {
		numbers[i] = svm_make(COUNT * 4);
		cells[i] = (cl_uint **)svm_make(sizeof(void *));
		CHECK_OK(clEnqueueSVMMemFill(queues[0], numbers[i], &zero, 4, COUNT * 4, 0, NULL,
					     NULL));
		CHECK_OK(clEnqueueSVMMemcpy(queues[0], CL_TRUE, cells[i], &numbers[i],
					    sizeof(void *), 0, NULL, NULL));
	}
	CHECK_OK(clSetKernelArgSVMPointer(through, 0, cells[0]));
	CHECK_OK(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *),
				     &numbers[0]));
	CHECK_OK(cb.launch(buffer, NULL, NULL, through, 1, NULL, &global, NULL, 0, NULL, NULL,
			   &handle));
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	svm_expect(numbers[0], 1, 1);
	const struct mutable_argument argument = {0, 0, cells[1]}, stranger = {0, 0, &zero};
	const struct mutable_exec_info info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(void *),
					       &numbers[1]};
	const struct mutable_exec_info wrong = {CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &numbers[1]};
	struct mutable_config config = {.command = handle,
					.num_svm_args = 1,
					.svm_args = &argument,
					.num_exec_infos = 1,
					.exec_infos = &wrong};
	const void *configs[1] = {&config};
	CHECK_CODE(more.update(buffer, 1, &type, configs), CL_INVALID_VALUE);
	config.exec_infos = &info;
	config.svm_args = &stranger;
	/* Any pointer may be set for a kernel (cl_khr_unified_svm). */
	CHECK_OK(more.update(buffer, 1, &type, configs));
	config.svm_args = &argument;
	CHECK_OK(more.update(buffer, 1, &type, configs));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	svm_expect(numbers[0], 1, 1);
	svm_expect(numbers[1], 2, 2);
	CHECK_OK(clFinish(queues[0]));
	CHECK_OK(cb.release(buffer));
	for (int i = 0; i < 2; i++) {
		clSVMFree(context, numbers[i]);
		clSVMFree(context, cells[i]);
	}
	CHECK_OK(clReleaseKernel(through));
}

/* A blocking free waits for what is enqueued, not for what is only recorded. */
static void blocking_free(void)
{
	const size_t global = COUNT;
	const cl_uint value = 3;
	const cl_bool yes = CL_TRUE;
	cl_int code;
	void *(CL_API_CALL *alloc)(cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint,
				   cl_int *);
	cl_int(CL_API_CALL *release)(cl_context, void *);
	*(void **)&alloc = clGetExtensionFunctionAddressForPlatform(test.platform,
								    "clDeviceMemAllocINTEL");
	*(void **)&release = clGetExtensionFunctionAddressForPlatform(test.platform,
								      "clMemBlockingFreeINTEL");
	if (!alloc || !release)
		return;
	void *memory = alloc(context, test.device, NULL, COUNT * 4, 0, &code);
	CHECK_OK(code);
	cl_kernel add = kernel_make(program, "add");
	cl_command_buffer_khr buffer = start(queues[0]);
	CHECK_OK(clSetKernelArgSVMPointer(add, 0, memory));
	CHECK_OK(clSetKernelArg(add, 1, 4, &value));
	CHECK_OK(clSetKernelExecInfo(add, 0x4201 /* INDIRECT_DEVICE_ACCESS_INTEL */, sizeof(yes),
				     &yes));
	CHECK_OK(cb.launch(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL, NULL, NULL));
	CHECK_OK(cb.finalize(buffer));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(release(context, memory));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseKernel(add));
}

/* --- printf -------------------------------------------------------------------------------------- */

static int caught, real_stdout;

static bool stdout_catch(void)
{
	char path[] = "/tmp/culvert-command-buffer-XXXXXX";
	fflush(stdout);
	caught = mkstemp(path);
	if (caught < 0)
		return false;
	unlink(path);
	real_stdout = dup(STDOUT_FILENO);
	return real_stdout >= 0 && dup2(caught, STDOUT_FILENO) >= 0;
}

/* What was written; the caller's to free. */
static char *stdout_give_back(void)
{
	fflush(stdout);
	dup2(real_stdout, STDOUT_FILENO);
	close(real_stdout);
	const off_t end = lseek(caught, 0, SEEK_END);
	char *text = calloc(1, (size_t)end + 1);
	if (text && pread(caught, text, (size_t)end, 0) != end)
		text[0] = '\0';
	close(caught);
	return text;
}

static unsigned lines_of(const char *text, const char *line)
{
	unsigned count = 0;
	while ((text = strstr(text, line))) {
		count++;
		text += strlen(line);
	}
	return count;
}

/* Two launches that print in one buffer, enqueued thrice in one queue and then in the other,
 * without waiting in between. */
static void prints(void)
{
	const size_t one = 1;
	const cl_uint ten = 10;
	cl_mem mem = buffer_make(context, CL_MEM_READ_WRITE, 4, NULL);
	cl_kernel says = kernel_make(program, "says");
	cl_command_buffer_khr buffer = start(queues[0]);
	CHECK_OK(clEnqueueFillBuffer(queues[0], mem, &ten, 4, 0, 4, 0, NULL, NULL));
	CHECK_OK(clSetKernelArg(says, 0, sizeof(mem), &mem));
	for (int i = 0; i < 2; i++)
		CHECK_OK(cb.launch(buffer, NULL, NULL, says, 1, NULL, &one, NULL, 0, NULL, NULL,
				   NULL));
	CHECK_OK(cb.finalize(buffer));
	if (!CHECK(stdout_catch()))
		return;
	cl_event last;
	for (int turn = 0; turn < 3; turn++)
		CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, turn == 2 ? &last : NULL));
	CHECK_OK(cb.enqueue(1, &queues[1], buffer, 1, &last, NULL));
	CHECK_OK(clFinish(queues[1]));
	CHECK_OK(clFinish(queues[0]));
	char *text = stdout_give_back();
	if (CHECK(text != NULL))
		for (int i = 10; i < 18; i++) {
			char line[16];
			snprintf(line, sizeof(line), "says %d\n", i);
			CHECK(lines_of(text, line) == 1);
		}
	free(text);
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clReleaseKernel(says));
	CHECK_OK(clReleaseMemObject(mem));
}

/* More than is fetched at once, and more launches than a queue has buffers. */
static void prints_much(void)
{
	const size_t items = 16;
	const cl_uint calls = 300;
	cl_kernel much = kernel_make(program, "much");
	cl_command_buffer_khr buffer = start(queues[0]);
	CHECK_OK(clSetKernelArg(much, 0, sizeof(calls), &calls));
	for (int i = 0; i < 11; i++)
		CHECK_OK(cb.launch(buffer, NULL, NULL, much, 1, NULL, &items, NULL, 0, NULL, NULL,
				   NULL));
	CHECK_OK(cb.finalize(buffer));
	if (!CHECK(stdout_catch()))
		return;
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
	CHECK_OK(cb.release(buffer));
	CHECK_OK(clFinish(queues[0]));
	char *text = stdout_give_back();
	if (CHECK(text != NULL)) {
		CHECK(lines_of(text, "\n") == 2 * 11 * items * calls);
		CHECK(lines_of(text, "07 00299\n") == 22);
	}
	free(text);
	CHECK_OK(clReleaseKernel(much));
}

/* --- two devices ------------------------------------------------------------------------------- */

static void two_devices(void)
{
	cl_context before = context;
	cl_program program_before = program;
	const cl_command_queue queues_before[2] = {queues[0], queues[1]};
	context = context_make(2, test.devices);
	program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
	for (int i = 0; i < 2; i++) {
		queues[i] = queue_make(context, test.devices[i], 0);
	}
	images();
	for (int i = 0; i < 2; i++) {
		CHECK_OK(clReleaseCommandQueue(queues[i]));
		queues[i] = queues_before[i];
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	program = program_before;
	context = before;
}

int main(void)
{
	cl_bool has_images = CL_FALSE;
	cl_device_svm_capabilities svm = 0;
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "command_buffer_memory"))
		return API_TEST_SKIP;
	if (!command_buffer_entry_find(test.platform, &cb) || !more_find(test.platform))
		return api_test_skip(&test);
	context = test.context;
	program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
	if (!program)
		return api_test_end(&test);
	for (int i = 0; i < 2; i++) {
		queues[i] = queue_make(context, test.device, 0);
	}
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_IMAGE_SUPPORT, sizeof(has_images),
				 &has_images, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm,
				 NULL));
	if (has_images) {
		images();
		image_update();
		image_errors();
		if (test.device_count > 1)
			two_devices();
	}
	if (svm) {
		svm_commands();
		svm_arguments();
	}
	blocking_free();
	prints();
	prints_much();
	for (int i = 0; i < 2; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseProgram(program));
	return api_test_end(&test);
}
