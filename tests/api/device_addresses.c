/* Protects: addresses of buffers on devices (cl_ext_buffer_device_address): kernels see the
 * address that the query gives, pointers in memory and as arguments reach the buffer, with
 * its newest bytes, on each device of a context; errors. */
#include "config.h"

#include "tests/api/fixture.h"

enum { COUNT = 256, SIZE_B = COUNT * (int)sizeof(cl_uint) };
enum { PRIVATE_ADDRESS = 0x5000, ADDRESS = 0x5001, DEVICE_PTRS = 0x5002 };

static const char source[] =
	"kernel void tell(global uint *from, global ulong *to) { *to = (ulong)from; }\n"
	"kernel void through(global uint *global *cell)\n"
	"{ (*cell)[get_global_id(0)] += 1; }\n"
	"kernel void add(global uint *to, uint value) { to[get_global_id(0)] += value; }\n"
	"kernel void number(ulong to) { ((global uint *)to)[get_global_id(0)] += 1000; }\n";

static struct api_test test;

static cl_int(CL_API_CALL *set_pointer)(cl_kernel, cl_uint, cl_ulong);

static cl_mem addressed_make(cl_context context, cl_mem_flags flags, void *pointer)
{
	static const cl_mem_properties list[] = {PRIVATE_ADDRESS, CL_TRUE, 0};
	cl_int code;
	cl_mem mem = clCreateBufferWithProperties(context, list, flags, SIZE_B, pointer, &code);
	CHECK_OK(code);
	return mem;
}

static void expect(cl_command_queue queue, cl_mem mem, cl_uint first, cl_uint last)
{
	cl_uint out[COUNT] = {0};
	buffer_read(queue, mem, out, SIZE_B);
	CHECK(out[0] == first && out[COUNT - 1] == last);
}

struct kernels {
	cl_kernel tell, through, add;
};

/* What address the device knows mem by, and each way in which a kernel may take it. */
static void by_address(cl_command_queue queue, const struct kernels *kernels, cl_mem mem,
		       cl_mem cell, cl_ulong address)
{
	const size_t global = COUNT, half = COUNT / 2, one = 1;
	cl_ulong seen = 0;
	const cl_uint value = 100;
	CHECK_OK(clSetKernelArg(kernels->tell, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernels->tell, 1, sizeof(cell), &cell));
	launch_1d(queue, kernels->tell, one);
	buffer_read(queue, cell, &seen, 8);
	CHECK(seen && seen == address);
	/* The kernel's word is still in the cell: a pointer in memory. */
	CHECK_OK(clSetKernelArg(kernels->through, 0, sizeof(cell), &cell));
	CHECK_OK(clSetKernelExecInfo(kernels->through, DEVICE_PTRS, sizeof(seen), &address));
	launch_1d(queue, kernels->through, global);
	/* A pointer to the middle, as an argument. */
	CHECK_OK(set_pointer(kernels->add, 0, address + SIZE_B / 2));
	CHECK_OK(clSetKernelArg(kernels->add, 1, sizeof(value), &value));
	launch_1d(queue, kernels->add, half);
	CHECK_OK(clFinish(queue));
}

/* With the memory on any device: it was filled by the first, and each adds to it. */
static void each_device(cl_uint count)
{
	const cl_uint ten = 10;
	const size_t half = COUNT / 2;
	struct kernels kernels;
	cl_ulong addresses[API_TEST_MOST_DEVICES] = {0};
	cl_command_queue queues[API_TEST_MOST_DEVICES] = {0};
	size_t size = 0;
	cl_context context = context_make(count, test.devices);
	cl_program program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
	kernels.tell = kernel_make(program, "tell");
	kernels.through = kernel_make(program, "through");
	kernels.add = kernel_make(program, "add");
	cl_mem mem = addressed_make(context, 0, NULL);
	cl_mem cell = buffer_make(context, 0, sizeof(cl_ulong), NULL);
	CHECK_OK(clGetMemObjectInfo(mem, ADDRESS, sizeof(addresses), addresses, &size));
	CHECK(size == count * sizeof(cl_ulong));
	for (cl_uint i = 0; i < count; i++) {
		queues[i] = queue_make(context, test.devices[i], 0);
	}
	CHECK_OK(clEnqueueFillBuffer(queues[0], mem, &ten, 4, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[0]));
	for (cl_uint i = 0; i < count; i++)
		by_address(queues[i], &kernels, mem, cell, addresses[i]);
	expect(queues[0], mem, 10 + count, 10 + 101 * count);
	/* Gone: the launch says so. */
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_CODE(clEnqueueNDRangeKernel(queues[0], kernels.add, 1, NULL, &half, NULL, 0, NULL,
					  NULL),
		   CL_INVALID_KERNEL_ARGS);
	for (cl_uint i = 0; i < count; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseMemObject(cell));
	CHECK_OK(clReleaseKernel(kernels.tell));
	CHECK_OK(clReleaseKernel(kernels.through));
	CHECK_OK(clReleaseKernel(kernels.add));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
}

/* The address is a number to the kernel, which has no argument that is memory: what it says it
 * reaches has its newest bytes before, from whatever device, and what it wrote is the newest. */
static void by_number(cl_uint count)
{
	const cl_uint seven = 7;
	const size_t global = COUNT;
	cl_ulong addresses[API_TEST_MOST_DEVICES] = {0};
	cl_command_queue queues[API_TEST_MOST_DEVICES] = {0};
	cl_context context = context_make(count, test.devices);
	cl_program program = api_test_build(context, test.device, source, "-cl-std=CL3.0");
	cl_kernel number = kernel_make(program, "number");
	cl_mem mem = addressed_make(context, 0, NULL);
	CHECK_OK(clGetMemObjectInfo(mem, ADDRESS, sizeof(addresses), addresses, NULL));
	for (cl_uint i = 0; i < count; i++) {
		queues[i] = queue_make(context, test.devices[i], 0);
	}
	CHECK_OK(clEnqueueFillBuffer(queues[0], mem, &seven, 4, 0, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(queues[0]));
	CHECK_OK(clSetKernelExecInfo(number, DEVICE_PTRS, count * sizeof(cl_ulong), addresses));
	for (cl_uint i = count; i-- > 0;) {
		CHECK_OK(clSetKernelArg(number, 0, sizeof(cl_ulong), &addresses[i]));
		launch_1d(queues[i], number, global);
		CHECK_OK(clFinish(queues[i]));
	}
	expect(queues[count - 1], mem, 7 + 1000 * count, 7 + 1000 * count);
	for (cl_uint i = 0; i < count; i++)
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(number));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
}

/* Over SVM the address is the pointer. */
static void over_svm(void)
{
	cl_device_svm_capabilities svm = 0;
	cl_ulong address = 0;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm,
				 NULL));
	if (!svm)
		return;
	void *pointer = clSVMAlloc(test.context, CL_MEM_READ_WRITE, SIZE_B, 0);
	CHECK(pointer != NULL);
	cl_mem mem = addressed_make(test.context, CL_MEM_USE_HOST_PTR, pointer);
	CHECK_OK(clGetMemObjectInfo(mem, ADDRESS, sizeof(address), &address, NULL));
	CHECK(address == (cl_ulong)(uintptr_t)pointer);
	CHECK_OK(clReleaseMemObject(mem));
	clSVMFree(test.context, pointer);
}

static void errors(void)
{
	static const cl_mem_properties twice[] = {PRIVATE_ADDRESS, 1, PRIVATE_ADDRESS, 1, 0};
	static const cl_mem_properties wrong[] = {PRIVATE_ADDRESS, 7, 0};
	static const cl_mem_properties no[] = {PRIVATE_ADDRESS, CL_FALSE, 0};
	cl_ulong address = 0;
	cl_int code;
	cl_program program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	cl_kernel add = clCreateKernel(program, "add", &code);
	cl_mem mem = addressed_make(test.context, 0, NULL);
	cl_mem plain = clCreateBufferWithProperties(test.context, no, 0, SIZE_B, NULL, &code);
	CHECK_OK(code);
	CHECK_NO_OBJECT(clCreateBufferWithProperties(test.context, twice, 0, SIZE_B, NULL, &code),
			code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(clCreateBufferWithProperties(test.context, wrong, 0, SIZE_B, NULL, &code),
			code, CL_INVALID_PROPERTY);
	CHECK_CODE(clGetMemObjectInfo(plain, ADDRESS, sizeof(address), &address, NULL),
		   CL_INVALID_OPERATION);
	CHECK_CODE(clGetMemObjectInfo(mem, ADDRESS, 4, &address, NULL), CL_INVALID_VALUE);
	CHECK_CODE(set_pointer(NULL, 0, 0), CL_INVALID_KERNEL);
	CHECK_CODE(set_pointer(add, 2, 0), CL_INVALID_ARG_INDEX);
	CHECK_CODE(set_pointer(add, 1, 0), CL_INVALID_ARG_INDEX);
	/* Any number is legal until it is followed. */
	CHECK_OK(set_pointer(add, 0, 8));
	CHECK_OK(clSetKernelExecInfo(add, DEVICE_PTRS, sizeof(address), &address));
	CHECK_OK(clSetKernelExecInfo(add, DEVICE_PTRS, 0, NULL));
	CHECK_CODE(clSetKernelExecInfo(add, DEVICE_PTRS, 3, &address), CL_INVALID_VALUE);
	CHECK_CODE(clSetKernelExecInfo(add, DEVICE_PTRS, 8, NULL), CL_INVALID_VALUE);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseMemObject(plain));
	CHECK_OK(clReleaseKernel(add));
	CHECK_OK(clReleaseProgram(program));
}

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "device_addresses"))
		return API_TEST_SKIP;
	*(void **)&set_pointer = clGetExtensionFunctionAddressForPlatform(
		test.platform, "clSetKernelArgDevicePointerEXT");
	if (!set_pointer)
		return api_test_skip(&test);
	for (cl_uint count = 1; count <= 2 && count <= test.device_count; count++) {
		each_device(count);
		by_number(count);
	}
	over_svm();
	errors();
	return api_test_end(&test);
}
