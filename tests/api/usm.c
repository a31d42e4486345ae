/* cl_intel_unified_shared_memory: the three kinds of memory, queries, kernels with direct and
 * indirect access, copies between all kinds, blocking frees, and the errors of each call. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static const char source[] =
"typedef struct node { int value; global struct node *next; } node;\n"
"kernel void add(global int *p, int k) { p[get_global_id(0)] += k; }\n"
"kernel void sum(global node *head, global int *out) {\n"
"	int s = 0;\n"
"	for (; head; head = head->next) s += head->value;\n"
"	*out = s;\n"
"}\n"
"kernel void address(global int *p, global ulong *out) { *out = (ulong)p; }\n";

struct node {
	cl_int value;
	struct node *next;
};

enum { COUNT = 4096, SIZE_B = COUNT * sizeof(cl_int) };
enum { HOST, DEVICE, SHARED, KINDS };

/* The functions of the extension, as the application finds them. */
#define FUNCTIONS(F)                                                                             \
	F(clHostMemAllocINTEL) F(clDeviceMemAllocINTEL) F(clSharedMemAllocINTEL)                 \
	F(clMemFreeINTEL) F(clMemBlockingFreeINTEL) F(clGetMemAllocInfoINTEL)                    \
	F(clSetKernelArgMemPointerINTEL) F(clEnqueueMemFillINTEL) F(clEnqueueMemcpyINTEL)        \
	F(clEnqueueMigrateMemINTEL) F(clEnqueueMemAdviseINTEL)
#include "tests/api/extension_functions.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static void *memory_align(int kind, size_t size_B, cl_uint align_B)
{
	cl_int code = 12345;
	void *p = kind == HOST ? clHostMemAllocINTEL_(context, NULL, size_B, align_B, &code)
		: kind == DEVICE
			? clDeviceMemAllocINTEL_(context, device, NULL, size_B, align_B, &code)
			: clSharedMemAllocINTEL_(context, device, NULL, size_B, align_B, &code);
	CHECK_OK(code);
	CHECK(p && !((uintptr_t)p % (align_B ? align_B : sizeof(cl_long16))));
	return p;
}

static void *memory_make(int kind, size_t size_B)
{
	return memory_align(kind, size_B, 0);
}

static bool all_are(const cl_int *p, size_t count, cl_int value)
{
	for (size_t i = 0; i < count; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void launch_add(cl_kernel kernel, cl_int *p, cl_int k)
{
	const size_t count = COUNT;
	CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 0, p));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	launch_1d(queue, kernel, count);
}

/* --- devices and allocations ---------------------------------------------------------------- */

static void test_capabilities(void)
{
	const cl_device_info names[] = {
		CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
		CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
		CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
		CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
	};
	for (int i = 0; i < 5; i++) {
		cl_device_unified_shared_memory_capabilities_intel can = ~(cl_bitfield)0;
		size_t size_B = 0;
		CHECK_OK(clGetDeviceInfo(device, names[i], sizeof(can), &can, &size_B));
		CHECK(size_B == sizeof(can) && can < 16);
		/* "Device: Access: Required"; what can do more can do that. */
		CHECK(can & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL ||
		      (!can && names[i] != CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL));
	}
}

static void check_info(const void *at, cl_unified_shared_memory_type_intel type, void *base,
		       size_t size_B, cl_device_id of, cl_mem_alloc_flags_intel flags)
{
	cl_unified_shared_memory_type_intel its_type = 0;
	void *its_base = &its_type;
	size_t its_size_B = 1;
	cl_device_id its_device = device;
	cl_mem_alloc_flags_intel its_flags = 77;
#define INFO(name, value)                                                                        \
	CHECK_OK(clGetMemAllocInfoINTEL_(context, at, name, sizeof(value), &(value), NULL))
	INFO(CL_MEM_ALLOC_TYPE_INTEL, its_type);
	INFO(CL_MEM_ALLOC_BASE_PTR_INTEL, its_base);
	INFO(CL_MEM_ALLOC_SIZE_INTEL, its_size_B);
	INFO(CL_MEM_ALLOC_DEVICE_INTEL, its_device);
	INFO(CL_MEM_ALLOC_FLAGS_INTEL, its_flags);
#undef INFO
	CHECK(its_type == type && its_base == base && its_size_B == size_B && its_device == of &&
	      its_flags == flags);
}

static void test_info(void)
{
	const cl_mem_properties_intel properties[] = {
		CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0,
	};
	cl_int code, local;
	char *host = memory_make(HOST, 100), *on_device = memory_make(DEVICE, 200);
	char *shared = clSharedMemAllocINTEL_(context, NULL, properties, 300, 64, &code);
	CHECK_OK(code);
	void *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
	check_info(host, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL, 0);
	check_info(host + 99, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL, 0);
	check_info(on_device + 5, CL_MEM_TYPE_DEVICE_INTEL, on_device, 200, device, 0);
	check_info(shared, CL_MEM_TYPE_SHARED_INTEL, shared, 300, NULL,
		   CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL);
	check_info(&local, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
	check_info(NULL, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
	check_info(svm, CL_MEM_TYPE_UNKNOWN_INTEL, NULL, 0, NULL, 0);
	CHECK_CODE(clGetMemAllocInfoINTEL_(NULL, host, CL_MEM_ALLOC_TYPE_INTEL, 0, NULL, NULL),
		   CL_INVALID_CONTEXT);
	CHECK_CODE(clGetMemAllocInfoINTEL_(context, host, 1, 0, NULL, NULL), CL_INVALID_VALUE);
	CHECK_CODE(clGetMemAllocInfoINTEL_(context, host, CL_MEM_ALLOC_SIZE_INTEL, 1, &local, NULL),
		   CL_INVALID_VALUE);
	/* Each kind is freed by its own call. */
	CHECK_CODE(clMemFreeINTEL_(context, svm), CL_INVALID_VALUE);
	CHECK_CODE(clMemFreeINTEL_(context, host + 1), CL_INVALID_VALUE);
	CHECK_CODE(clMemFreeINTEL_(context, &local), CL_INVALID_VALUE);
	CHECK_CODE(clMemFreeINTEL_(NULL, host), CL_INVALID_CONTEXT);
	CHECK_CODE(clMemBlockingFreeINTEL_(NULL, host), CL_INVALID_CONTEXT);
	CHECK_CODE(clMemBlockingFreeINTEL_(context, svm), CL_INVALID_VALUE);
	CHECK_OK(clMemFreeINTEL_(context, NULL));
	CHECK_OK(clMemBlockingFreeINTEL_(context, NULL));
	clSVMFree(context, host);
	check_info(host, CL_MEM_TYPE_HOST_INTEL, host, 100, NULL, 0);
	clSVMFree(context, svm);
	CHECK_OK(clMemFreeINTEL_(context, host));
	CHECK_CODE(clMemFreeINTEL_(context, host), CL_INVALID_VALUE);
	CHECK_OK(clMemFreeINTEL_(context, on_device));
	CHECK_OK(clMemBlockingFreeINTEL_(context, shared));
}

static void test_alloc_errors(void)
{
	cl_int code;
	cl_ulong most_B = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B,
				 NULL));
	const cl_mem_properties_intel both[] = {
		CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL |
			CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0,
	};
	const cl_mem_properties_intel placed[] = {
		CL_MEM_ALLOC_FLAGS_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0,
	};
	const cl_mem_properties_intel twice[] = {
		CL_MEM_ALLOC_FLAGS_INTEL, 0, CL_MEM_ALLOC_FLAGS_INTEL, 0, 0,
	};
	const cl_mem_properties_intel unknown[] = {0x1234, 1, 0};
	const cl_mem_properties_intel flags[] = {CL_MEM_ALLOC_FLAGS_INTEL, 1 << 9, 0};
#define HOST_OF(c, p, s, a) clHostMemAllocINTEL_(c, p, s, a, &code)
#define DEVICE_OF(c, d, p, s, a) clDeviceMemAllocINTEL_(c, d, p, s, a, &code)
#define SHARED_OF(c, d, p, s, a) clSharedMemAllocINTEL_(c, d, p, s, a, &code)
	CHECK_NO_OBJECT(HOST_OF(NULL, NULL, 64, 0), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(DEVICE_OF(NULL, device, NULL, 64, 0), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(SHARED_OF(NULL, device, NULL, 64, 0), code, CL_INVALID_CONTEXT);
	CHECK_NO_OBJECT(DEVICE_OF(context, NULL, NULL, 64, 0), code, CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(DEVICE_OF(context, (cl_device_id)context, NULL, 64, 0), code,
			CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(SHARED_OF(context, (cl_device_id)context, NULL, 64, 0), code,
			CL_INVALID_DEVICE);
	CHECK_NO_OBJECT(HOST_OF(context, NULL, 64, 3), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(DEVICE_OF(context, device, NULL, 64, 4 << 20), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(SHARED_OF(context, device, NULL, 64, 6), code, CL_INVALID_VALUE);
	CHECK_NO_OBJECT(HOST_OF(context, NULL, 0, 0), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(HOST_OF(context, NULL, most_B + 1, 0), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(DEVICE_OF(context, device, NULL, 0, 0), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(DEVICE_OF(context, device, NULL, most_B + 1, 0), code,
			CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(SHARED_OF(context, NULL, NULL, 0, 0), code, CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(SHARED_OF(context, NULL, NULL, most_B + 1, 0), code,
			CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(HOST_OF(context, unknown, 64, 0), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(HOST_OF(context, twice, 64, 0), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(HOST_OF(context, flags, 64, 0), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(HOST_OF(context, placed, 64, 0), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(DEVICE_OF(context, device, placed, 64, 0), code, CL_INVALID_PROPERTY);
	CHECK_NO_OBJECT(SHARED_OF(context, device, both, 64, 0), code, CL_INVALID_PROPERTY);
#undef HOST_OF
#undef DEVICE_OF
#undef SHARED_OF
	void *p = memory_make(DEVICE, SIZE_B);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, p, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, p, &code), code,
			CL_INVALID_HOST_PTR);
	CHECK_OK(clMemFreeINTEL_(context, p));
}

/* --- kernels and copies ------------------------------------------------------------------------ */

static void test_kernels(void)
{
	static cl_int back[COUNT];
	cl_kernel kernel = kernel_make(program, "add");
	for (int kind = 0; kind < KINDS; kind++) {
		cl_int *p = memory_make(kind, SIZE_B);
		const cl_int five = 5;
		CHECK_OK(clEnqueueMemFillINTEL_(queue, p, &five, sizeof(five), SIZE_B, 0, NULL,
						NULL));
		launch_add(kernel, p, 3);
		CHECK_OK(clEnqueueMigrateMemINTEL_(queue, p, SIZE_B, 0, 0, NULL, NULL));
		CHECK_OK(clEnqueueMemAdviseINTEL_(queue, p, SIZE_B, 0, 0, NULL, NULL));
		CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_TRUE, back, p, SIZE_B, 0, NULL, NULL));
		CHECK(all_are(back, COUNT, 8));
		if (kind != DEVICE) {
			CHECK(all_are(p, COUNT, 8));
			p[7] = 100;
			launch_add(kernel, p, 1);
			CHECK_OK(clFinish(queue));
			CHECK(p[6] == 9 && p[7] == 101);
		}
		CHECK_OK(clMemFreeINTEL_(context, p));
	}
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_copies(void)
{
	static cl_int from[COUNT], to[COUNT];
	cl_int *a[KINDS], *b[KINDS];
	for (int kind = 0; kind < KINDS; kind++) {
		a[kind] = memory_make(kind, SIZE_B);
		b[kind] = memory_make(kind, SIZE_B);
	}
	for (int i = 0; i < KINDS * KINDS; i++) {
		cl_int *first = a[i / KINDS], *second = b[i % KINDS];
		for (int at = 0; at < COUNT; at++)
			from[at] = at * 9 + i;
		CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_FALSE, first, from, SIZE_B, 0, NULL,
					       NULL));
		CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_FALSE, second, first, SIZE_B, 0, NULL,
					       NULL));
		CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_TRUE, to, second, SIZE_B, 0, NULL, NULL));
		CHECK(!memcmp(to, from, SIZE_B));
	}
	CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_TRUE, to, from + 2048, 4096, 0, NULL, NULL));
	CHECK(!memcmp(to, from + 2048, 4096));
	for (int kind = 0; kind < KINDS; kind++) {
		CHECK_OK(clMemFreeINTEL_(context, a[kind]));
		CHECK_OK(clMemFreeINTEL_(context, b[kind]));
	}
}

/* Memory from pages on, as chipStar and SYCL's aligned_alloc ask for it: every byte is the program's,
 * also between its neighbours. */
static void test_alignments(void)
{
	enum { LEAST_B = 256, MOST_B = 2 << 20, NEIGHBOURS = 3 };
	static cl_int back[COUNT];
	cl_int *p[NEIGHBOURS];
	for (int kind = 0; kind < KINDS; kind++) {
		for (cl_uint align_B = LEAST_B; align_B <= MOST_B; align_B *= 2) {
			for (cl_int i = 0; i < NEIGHBOURS; i++) {
				p[i] = memory_align(kind, SIZE_B, align_B);
				CHECK_OK(clEnqueueMemFillINTEL_(queue, p[i], &i, sizeof(i), SIZE_B,
								0, NULL, NULL));
			}
			for (cl_int i = 0; i < NEIGHBOURS; i++) {
				CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_TRUE, back, p[i], SIZE_B,
							       0, NULL, NULL));
				CHECK(all_are(back, COUNT, i));
				CHECK_OK(clMemFreeINTEL_(context, p[i]));
			}
		}
	}
}

/* A list whose nodes are of all kinds, which the kernel reaches from the first. */
static void test_indirect(void)
{
	enum { NODES = 12 };
	const cl_bool yes = CL_TRUE;
	const size_t one = 1;
	struct node *nodes[NODES], node = {0, NULL};
	cl_kernel kernel = kernel_make(program, "sum");
	cl_int *out = memory_make(HOST, sizeof(*out));
	for (int i = 0; i < NODES; i++) {
		nodes[i] = memory_make(i % KINDS, sizeof(node));
		node.value = 1 << i;
		node.next = i ? nodes[i - 1] : NULL;
		CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_TRUE, nodes[i], &node, sizeof(node), 0,
					       NULL, NULL));
	}
#define EXEC(name, size, value) clSetKernelExecInfo(kernel, name, size, value)
	CHECK_OK(EXEC(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof(nodes), nodes));
	CHECK_OK(EXEC(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, sizeof(yes), &yes));
	CHECK_OK(EXEC(CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof(yes), &yes));
	CHECK_OK(EXEC(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof(yes), &yes));
	CHECK_CODE(EXEC(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, 1, &yes),
		   CL_INVALID_VALUE);
	CHECK_CODE(EXEC(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, sizeof(nodes), NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(EXEC(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, NULL));
#undef EXEC
	CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 0, nodes[NODES - 1]));
	CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 1, out));
	launch_1d(queue, kernel, one);
	CHECK_OK(clReleaseKernel(kernel));
	for (int i = 0; i < NODES; i++)
		CHECK_OK(clMemBlockingFreeINTEL_(context, nodes[i]));
	CHECK(*out == (1 << NODES) - 1);
	CHECK_OK(clMemBlockingFreeINTEL_(context, out));
}

static void *open_later(void *gate)
{
	usleep(30000);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	return NULL;
}

/* The memory is used by a kernel that is not told of it, and is in no stream yet: the free
 * waits for that kernel, and for one that has it as an argument. */
static void test_blocking_free(void)
{
	const cl_bool yes = CL_TRUE;
	const size_t one = 1;
	pthread_t thread;
	for (int turn = 0; turn < 2; turn++) {
		struct node *head = memory_make(HOST, sizeof(*head));
		struct node *next = memory_make(SHARED, sizeof(*next));
		cl_int *out = memory_make(HOST, sizeof(*out));
		cl_kernel kernel = kernel_make(program, "sum");
		*head = (struct node){1, next};
		*next = (struct node){10, NULL};
		*out = 0;
		CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
					     sizeof(yes), &yes));
		CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 0, head));
		CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 1, out));
		cl_event gate = user_event_make(context);
		launch_1d_after(queue, kernel, one, 1, &gate, NULL);
		CHECK(!pthread_create(&thread, NULL, open_later, gate));
		CHECK_OK(clMemBlockingFreeINTEL_(context, turn ? (void *)head : (void *)next));
		CHECK(*(volatile cl_int *)out == 11);
		CHECK(!pthread_join(thread, NULL));
		CHECK_OK(clMemFreeINTEL_(context, turn ? (void *)next : (void *)head));
		CHECK_OK(clMemFreeINTEL_(context, out));
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clReleaseEvent(gate));
	}
}

/* Version 1.1.0: "any pointer value is valid and may be set as an argument". */
static void test_arguments(void)
{
	const size_t one = 1;
	cl_kernel kernel = kernel_make(program, "address"), add = kernel_make(program, "add");
	cl_ulong *out = memory_make(HOST, sizeof(*out));
	cl_int local;
	char *p = memory_make(DEVICE, 64);
	const void *values[] = {NULL, p, p + 13, p + 64, &local, (void *)(uintptr_t)0x123456789abc};
	CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 1, out));
	for (int i = 0; i < 6; i++) {
		*out = 1;
		CHECK_OK(clSetKernelArgMemPointerINTEL_(kernel, 0, values[i]));
		launch_1d(queue, kernel, one);
		CHECK_OK(clFinish(queue));
		CHECK(*out == (uintptr_t)values[i]);
	}
	CHECK_CODE(clSetKernelArgMemPointerINTEL_(NULL, 0, p), CL_INVALID_KERNEL);
	CHECK_CODE(clSetKernelArgMemPointerINTEL_(kernel, 2, p), CL_INVALID_ARG_INDEX);
	CHECK_CODE(clSetKernelArgMemPointerINTEL_(add, 1, p), CL_INVALID_ARG_VALUE);
	CHECK_OK(clMemFreeINTEL_(context, p));
	CHECK_OK(clMemFreeINTEL_(context, out));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(add));
}

static void test_command_errors(void)
{
	static const cl_command_type types[] = {
		CL_COMMAND_MEMFILL_INTEL, CL_COMMAND_MEMCPY_INTEL, CL_COMMAND_MIGRATEMEM_INTEL,
		CL_COMMAND_MEMADVISE_INTEL,
	};
	cl_event events[4];
	cl_int host[64] = {0}, *p = memory_make(SHARED, SIZE_B);
#define FILL(to, pattern, pattern_size, size)                                                    \
	clEnqueueMemFillINTEL_(queue, to, pattern, pattern_size, size, 0, NULL, NULL)
	CHECK_CODE(FILL(NULL, host, 4, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, NULL, 4, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 3, 9), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 256, 256), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 4, 9), CL_INVALID_VALUE);
	CHECK_CODE(FILL((char *)p + 2, host, 4, 8), CL_INVALID_VALUE);
#undef FILL
#define COPY(to, from, size) clEnqueueMemcpyINTEL_(queue, CL_TRUE, to, from, size, 0, NULL, NULL)
	CHECK_CODE(COPY(NULL, p, 4), CL_INVALID_VALUE);
	CHECK_CODE(COPY(p, NULL, 4), CL_INVALID_VALUE);
	CHECK_CODE(COPY(p, p + 1, 8), CL_MEM_COPY_OVERLAP);
#undef COPY
	CHECK_CODE(clEnqueueMigrateMemINTEL_(queue, p, 64, 1 << 7, 0, NULL, NULL),
		   CL_INVALID_VALUE);
	CHECK_CODE(clEnqueueMemAdviseINTEL_(queue, p, 64, 0x4321, 0, NULL, NULL),
		   CL_INVALID_VALUE);
#define BAD(call, ...)                                                                           \
	CHECK_CODE(call(NULL, __VA_ARGS__, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);            \
	CHECK_CODE(call(queue, __VA_ARGS__, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST)
	BAD(clEnqueueMemFillINTEL_, p, host, 4, 8);
	BAD(clEnqueueMemcpyINTEL_, CL_FALSE, p, host, 8);
	BAD(clEnqueueMigrateMemINTEL_, p, 8, 0);
	BAD(clEnqueueMemAdviseINTEL_, p, 8, 0);
#undef BAD
	CHECK_OK(clEnqueueMemFillINTEL_(queue, p, host, 4, 64, 0, NULL, &events[0]));
	CHECK_OK(clEnqueueMemcpyINTEL_(queue, CL_FALSE, p, host, 64, 0, NULL, &events[1]));
	CHECK_OK(clEnqueueMigrateMemINTEL_(queue, p, 64, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL,
					   &events[2]));
	CHECK_OK(clEnqueueMemAdviseINTEL_(queue, p, 64, 0, 0, NULL, &events[3]));
	CHECK_OK(clWaitForEvents(4, events));
	for (int i = 0; i < 4; i++) {
		cl_command_type type = 0;
		CHECK_OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof(type), &type,
					NULL));
		CHECK(type == types[i]);
		CHECK_OK(clReleaseEvent(events[i]));
	}
	CHECK_OK(clMemFreeINTEL_(context, p));
}

/* Memory of the host and shared memory under a buffer: the host's memory like any other. */
static void test_buffers(void)
{
	cl_int code;
	for (int kind = 0; kind < KINDS; kind++) {
		if (kind == DEVICE)
			continue;
		cl_int *p = memory_make(kind, SIZE_B);
		const cl_int k = 2;
		const size_t count = COUNT;
		memset(p, 0, SIZE_B);
		cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR, SIZE_B, p);
		cl_kernel kernel = kernel_make(program, "add");
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
		CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
		launch_1d(queue, kernel, count);
		CHECK(clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE_B, 0, NULL,
					 NULL, &code) == p);
		CHECK_OK(code);
		CHECK(all_are(p, COUNT, 2));
		CHECK_OK(clEnqueueUnmapMemObject(queue, mem, p, 0, NULL, NULL));
		CHECK_OK(clFinish(queue));
		CHECK_OK(clReleaseMemObject(mem));
		CHECK_OK(clReleaseKernel(kernel));
		CHECK_OK(clMemBlockingFreeINTEL_(context, p));
	}
}

int main(void)
{
	struct api_test test;
	char extensions[8192] = "";
	if (!api_test_start(&test, "usm"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions,
				 NULL));
	if (!strstr(extensions, "cl_intel_unified_shared_memory")) {
		printf("usm: SKIP: the device has none\n");
		return API_TEST_SKIP;
	}
	queue = queue_make(context, device, 0);
	program = api_test_build(context, device, source, "-cl-std=CL2.0");
	if (program && functions_find(test.platform)) {
		test_capabilities();
		test_info();
		test_alloc_errors();
		test_kernels();
		test_copies();
		test_alignments();
		test_indirect();
		test_blocking_free();
		test_arguments();
		test_command_errors();
		test_buffers();
	}
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
