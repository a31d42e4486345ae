/* Protects: cl_culvert_cuda_interop: CUDA's own work among our commands is ordered as
 * the contract says, and CUDA's handles are those of our objects. */
#include "config.h"

#include "icd/include/cl_culvert.h"
#include "tests/api/cuda_library.h"
#include "tests/api/fixture.h"

#include <cuda.h>
#include <dlfcn.h>

enum { COUNT = 256, SIZE_B = COUNT * (int)sizeof(cl_uint) };

#define OURS(OUR)                                                                                 \
	OUR(clGetCudaContextCULVERT) OUR(clGetCudaStreamCULVERT) OUR(clGetCudaEventCULVERT)       \
	OUR(clGetCudaPointerCULVERT) OUR(clGetCudaModuleCULVERT) OUR(clGetCudaFunctionCULVERT)    \
	OUR(clCreateBufferFromCudaPointerCULVERT) OUR(clEnqueueCudaWorkCULVERT)
#define CALLS(CALL)                                                                               \
	CALL(cuCtxGetCurrent, (CUcontext *))                                                      \
	CALL(cuCtxSetCurrent, (CUcontext))                                                        \
	CALL(cuStreamCreate, (CUstream *, unsigned))                                              \
	CALL(cuStreamDestroy_v2, (CUstream))                                                      \
	CALL(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                    \
	CALL(cuStreamSynchronize, (CUstream))                                                     \
	CALL(cuModuleLoadData, (CUmodule *, const void *))                                        \
	CALL(cuModuleUnload, (CUmodule))                                                          \
	CALL(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                         \
	CALL(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,       \
			      unsigned, unsigned, CUstream, void **, void **))                    \
	CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                              \
	CALL(cuMemFree_v2, (CUdeviceptr))                                                         \
	CALL(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))                         \
	CALL(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))

static struct {
#define OUR(name) name##_fn name;
	OURS(OUR)
#undef OUR
} ours;

static struct {
#define CALL(name, parameters) CUresult (*name) parameters;
	CALLS(CALL)
#undef CALL
} cu;

static struct api_test test;
static CUfunction add;

#define CU_OK(call) CHECK((call) == CUDA_SUCCESS)

static const char ptx[] =
	".version 6.4\n.target sm_70\n.address_size 64\n"
	/* data[i] += value, for i < 256 */
	".visible .entry add(.param .u64 data, .param .u32 value) {\n"
	".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [data]; ld.param.u32 %r1, [value]; cvta.to.global.u64 %d1, %d1;\n"
	"mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
	"ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3; ret;\n}\n";

static const char source[] =
	"kernel void twice(global uint *data) { data[get_global_id(0)] *= 2; }\n"
	"kernel void put(global uint *data, uint value) { data[get_local_id(0)] = value; }\n";

static bool functions_find(void)
{
	void *library = cuda_library(NULL);
	if (!library)
		return false;
#define CALL(name, parameters)                                                                    \
	*(void **)&cu.name = dlsym(library, #name);                                               \
	if (!cu.name)                                                                             \
		return false;
	CALLS(CALL)
#undef CALL
#define OUR(name)                                                                                 \
	*(void **)&ours.name = clGetExtensionFunctionAddressForPlatform(test.platform, #name);    \
	if (!ours.name)                                                                           \
		return false;
	OURS(OUR)
#undef OUR
	return true;
}

static void fill(cl_command_queue queue, cl_mem mem, cl_uint value, cl_event *event)
{
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &value, sizeof(value), 0, SIZE_B, 0, NULL,
				     event));
}

static void expect(cl_command_queue queue, cl_mem mem, cl_uint value, cl_uint waits,
		   const cl_event *list)
{
	cl_uint out[COUNT] = {0};
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, SIZE_B, out, waits, list, NULL));
	CHECK(out[0] == value && out[COUNT - 1] == value);
	if (out[0] != value)
		printf("  %u, not %u\n", out[0], value);
}

/* --- the stream of a queue ------------------------------------------------------------------- */

static void launch_add(CUstream stream, cl_ulong pointer, unsigned value)
{
	void *parameters[] = {&pointer, &value};
	CU_OK(cu.cuLaunchKernel(add, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL));
}

/* What is put into the stream has its place among the commands; clFinish, events and the
 * release of memory know of it. */
static void stream_of_a_queue(void)
{
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL),
	       b = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	CUstream other;
	cl_event event;
	void *stream, *cu_event;
	cl_ulong pointer = 0;
	unsigned out[COUNT] = {0};
	CHECK_OK(ours.clGetCudaStreamCULVERT(queue, &stream));
	CHECK_OK(ours.clGetCudaPointerCULVERT(a, test.device, &pointer));
	fill(queue, a, 5, NULL);
	launch_add(stream, pointer, 2);
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, SIZE_B, 0, NULL, NULL));
	expect(queue, b, 7, 0, NULL);
	/* Nothing of ours is left to wait for: clFinish waits for the kernel. */
	CU_OK(cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	launch_add(stream, pointer, 3);
	CHECK_OK(clFinish(queue));
	CU_OK(cu.cuMemcpyDtoHAsync_v2(out, pointer, SIZE_B, other));
	CU_OK(cu.cuStreamSynchronize(other));
	CHECK(out[0] == 10 && out[COUNT - 1] == 10);
	/* A marker's event follows what is ahead, also twice with nothing of ours between. */
	for (unsigned turn = 0; turn < 2; turn++) {
		launch_add(stream, pointer, 1);
		CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
		CHECK_OK(ours.clGetCudaEventCULVERT(event, &cu_event));
		CU_OK(cu.cuStreamWaitEvent(other, cu_event, 0));
		CU_OK(cu.cuMemcpyDtoHAsync_v2(out, pointer, SIZE_B, other));
		CU_OK(cu.cuStreamSynchronize(other));
		CHECK(out[0] == 11 + turn && out[COUNT - 1] == 11 + turn);
		CHECK_OK(clReleaseEvent(event));
	}
	/* Freed behind it. */
	launch_add(stream, pointer, 1);
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clFinish(queue));
	CU_OK(cu.cuStreamDestroy_v2(other));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* --- work as a command ------------------------------------------------------------------------ */

struct work {
	unsigned value, calls;
	void *context;
};

static void CL_CALLBACK add_work(void *stream, const cl_ulong *pointers, void *data)
{
	struct work *work = data;
	CUcontext current = NULL;
	CU_OK(cu.cuCtxGetCurrent(&current));
	CHECK(current == work->context);
	launch_add(stream, pointers[0], work->value);
	/* Left current: the caller's comes back all the same. */
	CU_OK(cu.cuCtxSetCurrent(NULL));
	work->calls++;
}

static void CL_CALLBACK copy_work(void *stream, const cl_ulong *pointers, void *data)
{
	const cl_ulong source_pointer = pointers[1];
	(void)data;
	CU_OK(cu.cuMemsetD32Async(pointers[0], 0, COUNT, stream));
	launch_add(stream, pointers[0], 40);
	launch_add(stream, source_pointer, 0);
}

static void work_among_commands(void)
{
	cl_command_queue queue = queue_make(test.context, test.device,
					    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL),
	       b = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	struct work work = {.value = 3};
	cl_event events[3];
	CHECK_OK(ours.clGetCudaContextCULVERT(test.context, test.device, &work.context, NULL));
	fill(queue, a, 10, &events[0]);
	CHECK_OK(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &work, 1, &a, NULL, 1, &events[0],
					       &events[1]));
	CHECK(work.calls == 1);
	CHECK_OK(clEnqueueCopyBuffer(queue, a, b, 0, 0, SIZE_B, 1, &events[1], &events[2]));
	expect(queue, b, 13, 1, &events[2]);
	const cl_mem both[2] = {b, a};
	const cl_mem_flags uses[2] = {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE};
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK_OK(ours.clEnqueueCudaWorkCULVERT(queue, copy_work, NULL, 2, both, uses, 1,
					       &events[2], &events[0]));
	expect(queue, b, 40, 1, &events[0]);
	for (int i = 0; i < 3; i++)
		CHECK_OK(clReleaseEvent(events[i]));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseMemObject(b));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* Behind a user event the work is called when its turn has come, once; after a failed
 * event it is not. */
static void work_in_line(void)
{
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	struct work work = {.value = 1}, never = {.value = 1};
	cl_int code;
	cl_event gate = clCreateUserEvent(test.context, &code), event, failed;
	void *cu_event;
	CHECK_OK(code);
	CHECK_OK(ours.clGetCudaContextCULVERT(test.context, test.device, &work.context, NULL));
	fill(queue, a, 1, NULL);
	CHECK_OK(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &work, 1, &a, NULL, 1, &gate,
					       &event));
	CHECK(!work.calls);
	CHECK_CODE(ours.clGetCudaEventCULVERT(event, &cu_event), CL_INVALID_OPERATION);
	CHECK_CODE(ours.clGetCudaEventCULVERT(gate, &cu_event), CL_INVALID_OPERATION);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	expect(queue, a, 2, 0, NULL);
	CHECK(work.calls == 1);
	failed = clCreateUserEvent(test.context, &code);
	CHECK_OK(clSetUserEventStatus(failed, -5));
	CHECK_OK(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &never, 1, &a, NULL, 1, &failed,
					       NULL));
	CHECK_OK(clFinish(queue));
	CHECK(!never.calls);
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseEvent(event));
	CHECK_OK(clReleaseEvent(failed));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* The newest bytes come to the device of the work, and what it wrote goes from there. */
static void work_and_residency(void)
{
	if (test.device_count < 2)
		return;
	cl_context context = context_make(2, test.devices);
	cl_command_queue first = queue_make(context, test.devices[0], 0);
	cl_command_queue second = queue_make(context, test.devices[1], 0);
	cl_mem a = buffer_make(context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	struct work work = {.value = 4};
	cl_event events[2];
	CHECK_OK(ours.clGetCudaContextCULVERT(context, test.devices[0], &work.context, NULL));
	fill(second, a, 20, &events[0]);
	CHECK_OK(ours.clEnqueueCudaWorkCULVERT(first, add_work, &work, 1, &a, NULL, 1, &events[0],
					       &events[1]));
	expect(second, a, 24, 1, &events[1]);
	CHECK_OK(clReleaseEvent(events[0]));
	CHECK_OK(clReleaseEvent(events[1]));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseCommandQueue(first));
	CHECK_OK(clReleaseCommandQueue(second));
	CHECK_OK(clReleaseContext(context));
}

/* --- memory, modules, functions ------------------------------------------------------------------ */

static void buffer_from_a_pointer(void)
{
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	CUdeviceptr pointer = 0;
	unsigned out[COUNT] = {0};
	void *stream;
	cl_ulong same = 0;
	cl_int code;
	CU_OK(cu.cuMemAlloc_v2(&pointer, 2 * SIZE_B));
	cl_mem mem = ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0,
							       SIZE_B, pointer, &code);
	CHECK_OK(code);
	CHECK_OK(ours.clGetCudaPointerCULVERT(mem, test.device, &same));
	CHECK(same == pointer);
	fill(queue, mem, 6, NULL);
	cl_uint *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					     SIZE_B, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(mapped[COUNT - 1] == 6);
	for (int i = 0; i < COUNT; i++)
		mapped[i] = 8;
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	/* Releasing the buffer leaves the memory. */
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(ours.clGetCudaStreamCULVERT(queue, &stream));
	CU_OK(cu.cuMemcpyDtoHAsync_v2(out, pointer, SIZE_B, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	CHECK(out[0] == 8 && out[COUNT - 1] == 8);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0,
								  4 * SIZE_B, pointer, &code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0, 16,
								  pointer + 4, &code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0, 16,
								  (cl_ulong)(uintptr_t)&out, &code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0, 0,
								  pointer, &code),
			code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device,
								  CL_MEM_USE_HOST_PTR, 16, pointer,
								  &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(
				test.context, test.device, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16,
				pointer, &code), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, test.device, 0, 16,
								  0, &code),
			code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(ours.clCreateBufferFromCudaPointerCULVERT(test.context, NULL, 0, 16,
								  pointer, &code),
			code, CL_INVALID_DEVICE);
	CU_OK(cu.cuMemFree_v2(pointer));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void code_of_a_program(void)
{
	cl_command_queue queue = queue_make(test.context, test.device, 0);
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	void *module = NULL, *function = NULL, *stream;
	CUfunction same = NULL;
	cl_ulong pointer = 0;
	unsigned value = 99;
	cl_kernel kernel = kernel_make(program, "put");
	CHECK_OK(ours.clGetCudaModuleCULVERT(program, test.device, &module));
	CHECK_OK(ours.clGetCudaFunctionCULVERT(kernel, test.device, &function));
	CU_OK(cu.cuModuleGetFunction(&same, module, "put"));
	CHECK(same && same == function);
	CHECK_OK(ours.clGetCudaStreamCULVERT(queue, &stream));
	CHECK_OK(ours.clGetCudaPointerCULVERT(a, test.device, &pointer));
	void *parameters[] = {&pointer, &value};
	CU_OK(cu.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL));
	expect(queue, a, 99, 0, NULL);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseCommandQueue(queue));
}

static void code_errors(void)
{
	cl_program program = api_test_build(test.context, test.device, source, NULL);
	const char *text = source;
	void *handle;
	cl_program unbuilt = api_test_program(test.context, text);
	cl_kernel kernel = kernel_make(program, "put");
	CHECK_CODE(ours.clGetCudaModuleCULVERT(NULL, test.device, &handle), CL_INVALID_PROGRAM);
	CHECK_CODE(ours.clGetCudaModuleCULVERT(program, NULL, &handle), CL_INVALID_DEVICE);
	CHECK_CODE(ours.clGetCudaModuleCULVERT(program, test.device, NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clGetCudaModuleCULVERT(unbuilt, test.device, &handle),
		   CL_INVALID_PROGRAM_EXECUTABLE);
	CHECK_CODE(ours.clGetCudaFunctionCULVERT(NULL, test.device, &handle), CL_INVALID_KERNEL);
	CHECK_CODE(ours.clGetCudaFunctionCULVERT(kernel, NULL, &handle), CL_INVALID_DEVICE);
	CHECK_CODE(ours.clGetCudaFunctionCULVERT(kernel, test.device, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseProgram(unbuilt));
}

/* A device that the context has not is not its own. */
static void devices_of_others(cl_mem mem)
{
	cl_ulong pointer;
	void *handle;
	if (test.device_count < 2)
		return;
	CHECK_CODE(ours.clGetCudaContextCULVERT(test.context, test.devices[1], &handle, NULL),
		   CL_INVALID_DEVICE);
	CHECK_CODE(ours.clGetCudaPointerCULVERT(mem, test.devices[1], &pointer),
		   CL_INVALID_DEVICE);
}

static void errors(void)
{
	cl_command_queue queue = queue_make(test.context, test.device,
					    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem a = buffer_make(test.context, CL_MEM_READ_WRITE, SIZE_B, NULL);
	const cl_mem_flags wrong = CL_MEM_COPY_HOST_PTR;
	struct work work = {0};
	cl_ulong pointer;
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
	void *handle;
	int ordinal = -1;
	cl_mem image = image_make(test.context, 0, &format, &desc, NULL);
	cl_event user = user_event_make(test.context);
	CHECK_CODE(ours.clGetCudaContextCULVERT(NULL, test.device, &handle, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_CODE(ours.clGetCudaContextCULVERT(test.context, NULL, &handle, NULL),
		   CL_INVALID_DEVICE);
	CHECK_OK(ours.clGetCudaContextCULVERT(test.context, test.device, NULL, &ordinal));
	CHECK(ordinal >= 0);
	CHECK_CODE(ours.clGetCudaStreamCULVERT(NULL, &handle), CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(ours.clGetCudaStreamCULVERT(queue, NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clGetCudaStreamCULVERT(queue, &handle), CL_INVALID_OPERATION);
	CHECK_CODE(ours.clGetCudaEventCULVERT(NULL, &handle), CL_INVALID_EVENT);
	CHECK_CODE(ours.clGetCudaPointerCULVERT(NULL, test.device, &pointer),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(ours.clGetCudaPointerCULVERT(a, NULL, &pointer), CL_INVALID_DEVICE);
	CHECK_CODE(ours.clGetCudaPointerCULVERT(a, test.device, NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clGetCudaPointerCULVERT(image, test.device, &pointer),
		   CL_INVALID_MEM_OBJECT);
	CHECK_CODE(ours.clGetCudaEventCULVERT(user, NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clEnqueueCudaWorkCULVERT(NULL, add_work, &work, 1, &a, NULL, 0, NULL, NULL),
		   CL_INVALID_COMMAND_QUEUE);
	CHECK_CODE(ours.clEnqueueCudaWorkCULVERT(queue, NULL, &work, 1, &a, NULL, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &work, 0, &a, NULL, 0, NULL,
						 NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &work, 1, &a, &wrong, 0, NULL,
						 NULL), CL_INVALID_VALUE);
	CHECK_CODE(ours.clEnqueueCudaWorkCULVERT(queue, add_work, &work, 1, &a, NULL, 1, NULL,
						 NULL), CL_INVALID_EVENT_WAIT_LIST);
	CHECK(!work.calls);
	code_errors();
	devices_of_others(a);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(user));
	CHECK_OK(clReleaseMemObject(image));
	CHECK_OK(clReleaseMemObject(a));
	CHECK_OK(clReleaseCommandQueue(queue));
}

int main(void)
{
	CUmodule module = NULL;
	void *context = NULL;
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "cuda_interop"))
		return API_TEST_SKIP;
	if (!functions_find())
		return api_test_skip(&test);
	CHECK_OK(ours.clGetCudaContextCULVERT(test.context, test.device, &context, NULL));
	CU_OK(cu.cuCtxSetCurrent(context));
	CU_OK(cu.cuModuleLoadData(&module, ptx));
	CU_OK(cu.cuModuleGetFunction(&add, module, "add"));
	stream_of_a_queue();
	work_among_commands();
	work_in_line();
	work_and_residency();
	buffer_from_a_pointer();
	code_of_a_program();
	errors();
	CUcontext current = NULL;
	CU_OK(cu.cuCtxGetCurrent(&current));
	CHECK(current == context);
	CU_OK(cu.cuModuleUnload(module));
	return api_test_end(&test);
}
