/* Shared virtual memory: allocations, every command on them, kernels that follow pointers,
 * buffers over it, and the errors of each. */
#include "config.h"

#include "tests/api/fixture.h"

#include <stdatomic.h>
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
"kernel void count(global atomic_int *p, global int *old, int turns) {\n"
"	for (int i = 0; i < turns; i++) {\n"
"		int seen = atomic_load(p + 2);\n"
"		atomic_fetch_add(p, 1);\n"
"		atomic_fetch_add_explicit(p + 1, 1, memory_order_release);\n"
"		while (!atomic_compare_exchange_strong(p + 2, &seen, seen + 1))\n"
"			;\n"
"		atomic_inc(old);\n"
"	}\n"
"}\n"
"kernel void is_null(global int *p, global int *out) { *out = p == 0; }\n";

struct node {
	cl_int value;
	struct node *next;
};

enum { COUNT = 4096, SIZE_B = COUNT * sizeof(cl_int) };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_device_svm_capabilities can;

static cl_int *coarse_make(void)
{
	cl_int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE_B, 0);
	CHECK(p != NULL);
	return p;
}

static bool all_are(const cl_int *p, size_t count, cl_int value)
{
	for (size_t i = 0; i < count; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void launch_add(cl_kernel kernel, cl_int *p, cl_int k, size_t count)
{
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, p));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	launch_1d(queue, kernel, count);
}

static void map(void *p, size_t size_B, cl_map_flags flags)
{
	CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, flags, p, size_B, 0, NULL, NULL));
}

static void unmap(void *p)
{
	CHECK_OK(clEnqueueSVMUnmap(queue, p, 0, NULL, NULL));
}

/* --- allocations -------------------------------------------------------------------------- */

static void test_alloc(void)
{
	cl_ulong most_B = 0;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B,
				 NULL));
	CHECK(!clSVMAlloc(NULL, CL_MEM_READ_WRITE, 64, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, most_B + 1, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_USE_HOST_PTR, 64, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 3));
	CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 1u << 31));
	for (cl_uint align = 1; align <= 2 << 20; align *= 2) {
		void *p = clSVMAlloc(context, 0, 3, align);
		CHECK(p && !((uintptr_t)p % align));
		clSVMFree(context, p);
	}
	/* The default alignment is that of the largest type, long16. */
	void *p = clSVMAlloc(context, CL_MEM_READ_ONLY, 1, 0);
	CHECK(p && !((uintptr_t)p % sizeof(cl_long16)));
	/* What was not allocated is left alone, as is a second free. */
	clSVMFree(context, (char *)p + 1);
	clSVMFree(context, NULL);
	clSVMFree(NULL, p);
	clSVMFree(context, p);
	clSVMFree(context, p);
}

/* Together more than the device's memory: what does not fit is still right, or refused. */
static void test_much(void)
{
	enum { MOST = 64 };
	cl_ulong most_B = 0;
	cl_int *all[MOST];
	size_t count = 0;
	cl_kernel kernel = kernel_make(program, "add");
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most_B), &most_B,
				 NULL));
	/* On a real device this would take all of the machine's memory. */
	if (most_B > (cl_ulong)8 << 30)
		most_B = 64 << 20;
	for (; count < 3; count++) {
		all[count] = clSVMAlloc(context, CL_MEM_READ_WRITE, most_B / 4 * 3, 0);
		if (!all[count])
			break;
		map(all[count], SIZE_B, CL_MAP_WRITE_INVALIDATE_REGION);
		memset(all[count], 0, SIZE_B);
		unmap(all[count]);
		launch_add(kernel, all[count], (cl_int)count + 1, COUNT);
		map(all[count], SIZE_B, CL_MAP_READ);
		CHECK(all_are(all[count], COUNT, (cl_int)count + 1));
		unmap(all[count]);
	}
	CHECK(count > 0);
	CHECK_OK(clFinish(queue));
	while (count--)
		clSVMFree(context, all[count]);
	CHECK_OK(clReleaseKernel(kernel));
}

/* --- coarse and fine grain ------------------------------------------------------------------ */

static void test_coarse(void)
{
	cl_kernel kernel = kernel_make(program, "add");
	cl_int *p = coarse_make();
	map(p, SIZE_B, CL_MAP_WRITE_INVALIDATE_REGION);
	for (int i = 0; i < COUNT; i++)
		p[i] = 7;
	unmap(p);
	launch_add(kernel, p, 3, COUNT);
	/* From the middle on, by a pointer into the allocation. */
	launch_add(kernel, p + 1000, 5, 24);
	map(p + 500, 1000 * sizeof(*p), CL_MAP_READ | CL_MAP_WRITE);
	CHECK(all_are(p + 500, 500, 10) && all_are(p + 1000, 24, 15) &&
	      all_are(p + 1024, 476, 10));
	p[500] = 1;
	unmap(p + 500);
	launch_add(kernel, p, 1, COUNT);
	map(p, SIZE_B, CL_MAP_READ);
	CHECK(p[499] == 11 && p[500] == 2 && p[501] == 11 && p[1023] == 16 && p[4095] == 11);
	unmap(p);
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_fine(void)
{
	cl_kernel kernel = kernel_make(program, "add");
	if (!(can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
		return;
	cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
	for (int turn = 0; turn < 2; turn++) {
		cl_int *p = clSVMAlloc(context, flags, SIZE_B, 0);
		CHECK(p != NULL);
		for (int i = 0; i < COUNT; i++)
			p[i] = i;
		launch_add(kernel, p, 100, COUNT);
		CHECK_OK(clFinish(queue));
		CHECK(p[0] == 100 && p[COUNT - 1] == COUNT + 99);
		clSVMFree(context, p);
		if (!(can & CL_DEVICE_SVM_ATOMICS))
			break;
		flags |= CL_MEM_SVM_ATOMICS;
	}
	CHECK_OK(clReleaseKernel(kernel));
}

/* The functions without a scope, and those of OpenCL C 1.x, are atomic for the host, too: programs that share counters
 * with it use them, although only memory_scope_all_svm_devices promises that (OpenCL C 3.0, 6.15.12.5). */
static void test_counted_by_both(void)
{
	enum { COUNTERS = 4, GROUPS = 8, ITEMS = 64, TURNS = 100 };
	cl_kernel kernel = kernel_make(program, "count");
	const size_t global = GROUPS * ITEMS, local = ITEMS;
	const cl_int turns = TURNS;
	cl_int status = CL_QUEUED, counted = 0;
	cl_event done;
	if (!(can & CL_DEVICE_SVM_ATOMICS))
		return;
	atomic_int *p = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
				   COUNTERS * sizeof(*p), 0);
	CHECK(p != NULL);
	if (!p)
		return;
	for (int i = 0; i < COUNTERS; i++)
		atomic_store(&p[i], 0);
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, p));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 1, p + COUNTERS - 1));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(turns), &turns));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &done));
	CHECK_OK(clFlush(queue));
	while (status > CL_COMPLETE) {
		for (int i = 0; i < COUNTERS; i++)
			atomic_fetch_add(&p[i], 1);
		counted++;
		CHECK_OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	}
	CHECK_OK(clFinish(queue));
	for (int i = 0; i < COUNTERS; i++)
		CHECK(atomic_load(&p[i]) == GROUPS * ITEMS * TURNS + counted);
	clSVMFree(context, p);
	CHECK_OK(clReleaseEvent(done));
	CHECK_OK(clReleaseKernel(kernel));
}

/* --- kernels -------------------------------------------------------------------------------- */

static void test_pointers(void)
{
	enum { NODES = 20 };
	const size_t one = 1;
	struct node *nodes[NODES];
	cl_kernel kernel = kernel_make(program, "sum");
	cl_int code;
	cl_int *out = coarse_make();
	for (int i = 0; i < NODES; i++) {
		nodes[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(struct node), 0);
		CHECK(nodes[i] != NULL);
		map(nodes[i], sizeof(struct node), CL_MAP_WRITE);
		nodes[i]->value = 1 << i;
		nodes[i]->next = i ? nodes[i - 1] : NULL;
		unmap(nodes[i]);
	}
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, nodes[NODES - 1]));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 1, out));
	CHECK_OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(nodes), nodes));
	cl_kernel clone = clCloneKernel(kernel, &code);
	CHECK_OK(code);
	CHECK_OK(clReleaseKernel(kernel));
	launch_1d(queue, clone, one);
	map(out, sizeof(*out), CL_MAP_READ);
	CHECK(out[0] == (1 << NODES) - 1);
	unmap(out);
	CHECK_OK(clFinish(queue));
	for (int i = 0; i < NODES; i++)
		clSVMFree(context, nodes[i]);
	clSVMFree(context, out);
	CHECK_OK(clReleaseKernel(clone));
}

static void test_kernel_errors(void)
{
	const size_t one = 1;
	cl_kernel kernel = kernel_make(program, "is_null"), add = kernel_make(program, "add");
	cl_int local = 0, *p = coarse_make();
	void *pointers[] = {p, NULL, &local};
	cl_bool no = CL_FALSE, yes = CL_TRUE;
	const bool system = can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
	CHECK_CODE(clSetKernelArgSVMPointer(NULL, 0, p), CL_INVALID_KERNEL);
	CHECK_CODE(clSetKernelArgSVMPointer(kernel, 2, p), CL_INVALID_ARG_INDEX);
	CHECK_CODE(clSetKernelArgSVMPointer(add, 1, p), CL_INVALID_ARG_VALUE);
	/* cl_khr_unified_svm: any pointer may be set. */
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, &local));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, p + COUNT));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, NULL));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 1, p));
	launch_1d(queue, kernel, one);
	map(p, sizeof(*p), CL_MAP_READ);
	CHECK(p[0] == 1);
	unmap(p);
#define INFO(name, size, value) clSetKernelExecInfo(kernel, name, size, value)
	CHECK_CODE(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL),
		   CL_INVALID_KERNEL);
	CHECK_CODE(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(p), NULL), CL_INVALID_VALUE);
	CHECK_CODE(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, 9, pointers), CL_INVALID_VALUE);
	CHECK_OK(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(pointers), pointers));
	CHECK_OK(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, 2 * sizeof(p), pointers));
	CHECK_OK(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
	CHECK_CODE(INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no), CL_INVALID_VALUE);
	CHECK_CODE(INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(no), NULL),
		   CL_INVALID_VALUE);
	CHECK_OK(INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(no), &no));
	CHECK_CODE(INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes),
		   system ? CL_SUCCESS : CL_INVALID_OPERATION);
	CHECK_CODE(INFO(0x1234, sizeof(no), &no), CL_INVALID_VALUE);
#undef INFO
	/* An argument that was freed is none any more; one in the list is of no account. */
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	CHECK_CODE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
		   CL_INVALID_KERNEL_ARGS);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseKernel(add));
}

/* --- copies and fills ------------------------------------------------------------------------ */

static void test_copy_fill(void)
{
	static cl_int host[COUNT], back[COUNT];
	cl_int *a = coarse_make(), *b = coarse_make();
	const cl_int nine = 9;
	const cl_int2 pair = {{1, 2}};
	for (int i = 0; i < COUNT; i++)
		host[i] = i * 3;
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, a, host, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, b, SIZE_B, 0, NULL, NULL));
	CHECK(!memcmp(back, host, SIZE_B));
	/* Within one allocation, and parts of it. */
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, a + 2000, a + 10, 400, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemFill(queue, b, &pair, sizeof(pair), 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemFill(queue, b + 16, &nine, sizeof(nine), 16, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemFill(queue, b + 20, &nine, 1, 3, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, a, SIZE_B, 0, NULL, NULL));
	CHECK(back[1999] == 5997 && !memcmp(back + 2000, host + 10, 400) && back[2100] == 6300);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back, b, SIZE_B, 0, NULL, NULL));
	CHECK(back[0] == 1 && back[1] == 2 && back[14] == 1 && back[15] == 2);
	CHECK(all_are(back + 16, 4, 9) && back[20] == 0x90909 && back[21] == 63);
	/* Between two pieces of the host's memory, in its turn. */
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, back, b, 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, host, back, 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, a, host, 64, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemFill(queue, host, &pair, sizeof(pair), 16, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, back + 100, a, 64, 0, NULL, NULL));
	CHECK(back[100] == 1 && back[115] == 2 && host[0] == 1 && host[3] == 2 && host[4] == 1);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, a, host, 0, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemFill(queue, a, &nine, sizeof(nine), 0, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	clSVMFree(context, a);
	clSVMFree(context, b);
}

/* An allocation as the host's side of a command on a buffer: its bytes are those of the
 * commands before, whatever the host would see when the command is enqueued. */
static void test_as_host_memory(void)
{
	static cl_int back[COUNT];
	cl_kernel kernel = kernel_make(program, "add");
	cl_int *p = coarse_make();
	const cl_int zero = 0;
	cl_mem mem = buffer_make(context, 0, SIZE_B, NULL);
	CHECK_OK(clEnqueueSVMMemFill(queue, p, &zero, sizeof(zero), SIZE_B, 0, NULL, NULL));
	launch_add(kernel, p, 4, COUNT);
	CHECK_OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, SIZE_B, p, 0, NULL, NULL));
	launch_add(kernel, p, 4, COUNT);
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, 64, p, 0, NULL, NULL));
	buffer_read(queue, mem, back, SIZE_B);
	CHECK(all_are(back, COUNT, 4));
	map(p, SIZE_B, CL_MAP_READ);
	CHECK(all_are(p, 16, 4) && all_are(p + 16, COUNT - 16, 8));
	unmap(p);
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* --- buffers over it -------------------------------------------------------------------------- */

static void test_buffers(void)
{
	cl_kernel kernel = kernel_make(program, "add");
	cl_int code, *p = coarse_make();
	const cl_int zero = 0, k = 6;
	const size_t count = COUNT / 2;
	const cl_buffer_region region = {512, 1024};
	cl_bool uses = CL_FALSE;
	size_t offset_B = 7;
	void *host = NULL;
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, SIZE_B + 1, p, &code), code,
			CL_INVALID_BUFFER_SIZE);
	CHECK_NO_OBJECT(clCreateBuffer(context, CL_MEM_USE_HOST_PTR, SIZE_B, p + 1, &code), code,
			CL_INVALID_BUFFER_SIZE);
	cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR, SIZE_B / 2, p + COUNT / 2);
	cl_mem sub = sub_buffer_make(mem, 0, &region);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
	CHECK(uses == CL_TRUE);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_USES_SVM_POINTER, sizeof(uses), &uses, NULL));
	CHECK(uses == CL_TRUE);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_OFFSET, sizeof(offset_B), &offset_B, NULL));
	CHECK(offset_B == 0);
	CHECK_OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof(offset_B), &offset_B, NULL));
	CHECK(offset_B == 512);
	CHECK_OK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof(host), &host, NULL));
	CHECK(host == p + COUNT / 2);
	CHECK_OK(clEnqueueSVMMemFill(queue, p, &zero, sizeof(zero), SIZE_B, 0, NULL, NULL));
	/* By the buffer, then by the pointer, then by the sub-buffer: the same bytes. */
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	launch_1d(queue, kernel, count);
	launch_add(kernel, p, 1, COUNT);
	const size_t sub_count = 256;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(sub), &sub));
	launch_1d(queue, kernel, sub_count);
	cl_int *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
					    SIZE_B / 2, 0, NULL, NULL, &code);
	CHECK_OK(code);
	CHECK(mapped == p + COUNT / 2);
	CHECK(all_are(p, COUNT / 2, 1) && all_are(mapped, 128, 7) &&
	      all_are(mapped + 128, 256, 8) && all_are(mapped + 384, COUNT / 2 - 384, 7));
	CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
	CHECK_OK(clReleaseMemObject(sub));
	/* The buffer keeps the memory, should it be freed too early. */
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	cl_int first = 0;
	buffer_read(queue, mem, &first, sizeof(first));
	CHECK(first == 7);
	CHECK_OK(clReleaseMemObject(mem));
	CHECK_OK(clReleaseKernel(kernel));
}

/* --- order and lifetime ------------------------------------------------------------------------ */

struct freed {
	_Atomic int calls;
	cl_uint count;
	void *pointers[4];
};

static void CL_CALLBACK note_free(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
	struct freed *freed = data;
	cl_context its = NULL;
	CHECK(of == queue);
	CHECK_OK(clGetCommandQueueInfo(of, CL_QUEUE_CONTEXT, sizeof(its), &its, NULL));
	freed->count = count;
	for (cl_uint i = 0; i < count && i < 4; i++) {
		freed->pointers[i] = pointers[i];
		clSVMFree(its, pointers[i]);
	}
	freed->calls++;
}

/* Everything waits behind a user event; the arguments are taken when enqueued. */
static void test_deferred(void)
{
	static cl_int back[COUNT];
	struct freed freed = {0};
	cl_kernel kernel = kernel_make(program, "add");
	cl_int code, status, *a = coarse_make(), *b = coarse_make();
	const cl_int zero = 0, k = 2;
	const size_t count = COUNT;
	cl_event gate = clCreateUserEvent(context, &code), done;
	CHECK_OK(code);
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, a));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	CHECK_OK(clEnqueueSVMMemFill(queue, a, &zero, sizeof(zero), SIZE_B, 1, &gate, NULL));
	launch_1d(queue, kernel, count);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, b, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, (const void *[]){b}, NULL, 0, 0, NULL, NULL));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, back, b, SIZE_B, 0, NULL, NULL));
	void *pointers[2] = {a, b};
	CHECK_OK(clEnqueueSVMFree(queue, 2, pointers, note_free, &freed, 0, NULL, &done));
	pointers[0] = pointers[1] = NULL;
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, NULL));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	CHECK(status > CL_COMPLETE && freed.calls == 0);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clWaitForEvents(1, &done));
	CHECK(freed.calls == 1 && freed.count == 2 && freed.pointers[0] == a &&
	      freed.pointers[1] == b);
	CHECK(all_are(back, COUNT, 2));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseEvent(done));
}

/* Freed while commands still use it, which is a mistake: nothing breaks. */
static void test_early_free(void)
{
	cl_kernel kernel = kernel_make(program, "add");
	cl_event gate = user_event_make(context);
	cl_int *p = coarse_make();
	const cl_int zero = 0, k = 1;
	const size_t count = COUNT;
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, p));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(k), &k));
	CHECK_OK(clEnqueueSVMMemFill(queue, p, &zero, sizeof(zero), SIZE_B, 0, NULL, NULL));
	for (int i = 0; i < 20; i++)
		launch_1d(queue, kernel, count);
	launch_1d_after(queue, kernel, count, 1, &gate, NULL);
	clSVMFree(context, p);
	CHECK_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseEvent(gate));
	CHECK_OK(clReleaseKernel(kernel));
}

static void test_types(void)
{
	static const cl_command_type types[] = {
		CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MAP,
		CL_COMMAND_SVM_UNMAP, CL_COMMAND_SVM_MIGRATE_MEM, CL_COMMAND_SVM_FREE,
		CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMFILL,
	};
	cl_event events[8];
	cl_int *p = coarse_make(), host[8] = {0};
	void *pointers[] = {p};
	const size_t size_B = 256;
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, p, host, sizeof(host), 0, NULL, &events[0]));
	CHECK_OK(clEnqueueSVMMemFill(queue, p, host, 4, 64, 0, NULL, &events[1]));
	CHECK_OK(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, p, 64, 0, NULL, &events[2]));
	CHECK_OK(clEnqueueSVMUnmap(queue, p, 0, NULL, &events[3]));
	CHECK_OK(clEnqueueSVMMigrateMem(queue, 1, (const void **)pointers, &size_B,
					CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &events[4]));
	CHECK_OK(clEnqueueSVMFree(queue, 1, pointers, NULL, NULL, 0, NULL, &events[5]));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, host, host + 4, 16, 0, NULL, &events[6]));
	CHECK_OK(clEnqueueSVMMemFill(queue, host, "abcd", 4, 16, 0, NULL, &events[7]));
	CHECK_OK(clWaitForEvents(8, events));
	for (int i = 0; i < 8; i++) {
		cl_command_type type = 0;
		CHECK_OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof(type), &type,
					NULL));
		CHECK(type == types[i]);
		CHECK_OK(clReleaseEvent(events[i]));
	}
	CHECK(!memcmp(host, "abcdabcdabcdabcd", 16));
}

/* --- errors ------------------------------------------------------------------------------------ */

static void test_fill_errors(cl_int *p)
{
	const cl_int host[64] = {0};
#define FILL(to, pattern, pattern_size, size)                                                    \
	clEnqueueSVMMemFill(queue, to, pattern, pattern_size, size, 0, NULL, NULL)
	CHECK_CODE(FILL(NULL, host, 4, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, NULL, 4, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 0, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 3, 9), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 256, 256), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 4, 9), CL_INVALID_VALUE);
	CHECK_CODE(FILL((char *)p + 2, host, 4, 8), CL_INVALID_VALUE);
	CHECK_CODE(FILL(p, host, 4, SIZE_B + 4), CL_INVALID_VALUE);
#undef FILL
}

static void test_command_errors(cl_context other)
{
	cl_int host[64] = {0}, *p = coarse_make();
	void *pointers[] = {p};
	const void *outside[] = {p, host};
	const size_t long_B[] = {SIZE_B + 1};
	cl_event foreign = user_event_make(other);
#define COPY(to, from, size) clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, NULL, NULL)
	CHECK_CODE(COPY(NULL, p, 4), CL_INVALID_VALUE);
	CHECK_CODE(COPY(p, NULL, 4), CL_INVALID_VALUE);
	CHECK_CODE(COPY(p, p + 1, 8), CL_MEM_COPY_OVERLAP);
	CHECK_CODE(COPY(p + 1, p, 8), CL_MEM_COPY_OVERLAP);
	CHECK_CODE(COPY(p + COUNT - 1, host, 8), CL_INVALID_VALUE);
	CHECK_OK(COPY(p + 1, p, 4));
#undef COPY
	test_fill_errors(p);
#define MAP(flags, to, size) clEnqueueSVMMap(queue, CL_TRUE, flags, to, size, 0, NULL, NULL)
	CHECK_CODE(MAP(CL_MAP_READ, NULL, 4), CL_INVALID_VALUE);
	CHECK_CODE(MAP(CL_MAP_READ, p, 0), CL_INVALID_VALUE);
	CHECK_CODE(MAP(1 << 10, p, 4), CL_INVALID_VALUE);
	CHECK_CODE(MAP(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, p, 4), CL_INVALID_VALUE);
	CHECK_CODE(MAP(CL_MAP_READ, p, SIZE_B + 1), CL_INVALID_VALUE);
#undef MAP
	CHECK_CODE(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
#define MIGRATE(count, list, sizes, flags)                                                       \
	clEnqueueSVMMigrateMem(queue, count, list, sizes, flags, 0, NULL, NULL)
	CHECK_CODE(MIGRATE(0, outside, NULL, 0), CL_INVALID_VALUE);
	CHECK_CODE(MIGRATE(1, NULL, NULL, 0), CL_INVALID_VALUE);
	/* Memory of the system may be migrated where the device can access it (cl_khr_unified_svm). */
	CHECK_CODE(MIGRATE(2, outside, NULL, 0), can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM ? CL_SUCCESS : CL_INVALID_VALUE);
	CHECK_CODE(MIGRATE(1, outside, long_B, 0), CL_INVALID_VALUE);
	CHECK_CODE(MIGRATE(1, outside, NULL, 1 << 5), CL_INVALID_VALUE);
	CHECK_OK(MIGRATE(1, outside, NULL, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED));
#undef MIGRATE
#define FREE(count, list) clEnqueueSVMFree(queue, count, list, NULL, NULL, 0, NULL, NULL)
	CHECK_CODE(FREE(0, pointers), CL_INVALID_VALUE);
	CHECK_CODE(FREE(1, NULL), CL_INVALID_VALUE);
	CHECK_OK(FREE(0, NULL));
#undef FREE
#define LISTS(call, ...)                                                                         \
	CHECK_CODE(call(__VA_ARGS__, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);                \
	CHECK_CODE(call(__VA_ARGS__, 0, &foreign, NULL), CL_INVALID_EVENT_WAIT_LIST);            \
	CHECK_CODE(call(__VA_ARGS__, 1, &foreign, NULL), CL_INVALID_CONTEXT)
	LISTS(clEnqueueSVMMemcpy, queue, CL_FALSE, p, host, 4);
	LISTS(clEnqueueSVMMemFill, queue, p, host, 4, 4);
	LISTS(clEnqueueSVMMap, queue, CL_FALSE, CL_MAP_READ, p, 4);
	LISTS(clEnqueueSVMUnmap, queue, p);
	LISTS(clEnqueueSVMMigrateMem, queue, 1, outside, NULL, 0);
	LISTS(clEnqueueSVMFree, queue, 1, pointers, NULL, NULL);
#undef LISTS
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	CHECK_OK(clSetUserEventStatus(foreign, CL_COMPLETE));
	CHECK_OK(clReleaseEvent(foreign));
}

/* One address for all devices: each adds in its turn, by kernels, copies and maps. */
static void test_devices(const struct api_test *test)
{
	cl_int code;
	const cl_context own_context = context;
	const cl_command_queue own_queue = queue;
	const cl_program own_program = program;
	context = context_make(test->device_count, test->devices);
	program = api_test_build(context, device, source, "-cl-std=CL2.0");
	cl_kernel kernel = kernel_make(program, "add");
	cl_int *a = coarse_make(), *b = coarse_make();
	cl_mem mem = buffer_make(context, CL_MEM_USE_HOST_PTR, SIZE_B, b);
	memset(a, 0, SIZE_B);
	for (cl_uint i = 0; i < test->device_count; i++) {
		queue = queue_make(context, test->devices[i], 0);
		launch_add(kernel, a, 1, COUNT);
		CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, SIZE_B, 0, NULL, NULL));
		launch_add(kernel, b, 10, COUNT);
		map(a, SIZE_B, CL_MAP_READ | CL_MAP_WRITE);
		cl_int *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE_B, 0,
						    NULL, NULL, &code);
		CHECK_OK(code);
		CHECK(mapped == b && all_are(b, COUNT, 2 * (cl_int)i + 11));
		for (int at = 0; at < COUNT; at++)
			a[at]++;
		CHECK_OK(clEnqueueUnmapMemObject(queue, mem, mapped, 0, NULL, NULL));
		unmap(a);
		CHECK_OK(clFinish(queue));
		CHECK_OK(clReleaseCommandQueue(queue));
	}
	CHECK_OK(clReleaseMemObject(mem));
	clSVMFree(context, a);
	clSVMFree(context, b);
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseContext(context));
	context = own_context;
	queue = own_queue;
	program = own_program;
}

/* A blocking command behind one that failed. */
static void test_failed_wait(void)
{
	cl_int *p = coarse_make(), host[4];
	cl_event gate = user_event_make(context);
	CHECK_OK(clSetUserEventStatus(gate, -5));
	CHECK_CODE(clEnqueueSVMMemcpy(queue, CL_TRUE, p, host, 16, 1, &gate, NULL),
		   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_CODE(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, 16, 1, &gate, NULL),
		   CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_OK(clFinish(queue));
	clSVMFree(context, p);
	CHECK_OK(clReleaseEvent(gate));
}

static void run_all(const struct api_test *test)
{
	cl_context other = context_make(1, &device);
	test_alloc();
	test_much();
	test_coarse();
	test_fine();
	test_counted_by_both();
	test_pointers();
	test_kernel_errors();
	test_copy_fill();
	test_as_host_memory();
	test_buffers();
	test_deferred();
	test_early_free();
	test_types();
	test_command_errors(other);
	test_failed_wait();
	test_devices(test);
	CHECK_OK(clReleaseContext(other));
}

int main(void)
{
	struct api_test test;
	/* The software driver shows as many devices as it is asked for. */
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	if (!api_test_start(&test, "svm"))
		return API_TEST_SKIP;
	context = test.context;
	device = test.device;
	CHECK_OK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, NULL));
	if (!can) {
		printf("svm: SKIP: the device has none\n");
		return API_TEST_SKIP;
	}
	queue = queue_make(context, device, 0);
	program = api_test_build(context, device, source, "-cl-std=CL2.0");
	if (program) {
		run_all(&test);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
