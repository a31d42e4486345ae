/* Protects: fine-grain system SVM, where the device has it (3.0 API, 5.6.1): kernels and commands
 * use memory of malloc, of the stack and of the program by the host's own pointers, also
 * indirectly and for atomics while the host uses it. */
#include "config.h"

#include "tests/api/fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { COUNT = 5000, SIZE_B = COUNT * (int)sizeof(cl_int), NODES = 300 };
enum { SHARED_SYSTEM_CAPABILITIES = 0x4194 };

static const char source[] =
	"typedef struct node { int value; global struct node *next; } node;\n"
	"kernel void add(global int *p, int k) { p[get_global_id(0)] += k; }\n"
	"kernel void sum(global node *head, global int *out) {\n"
	"	int s = 0;\n"
	"	for (; head; head = head->next) { s += head->value; head->value = -1; }\n"
	"	*out = s;\n"
	"}\n"
	"kernel void count(global atomic_int *to) {\n"
	"	atomic_fetch_add_explicit(to, 1, memory_order_relaxed, memory_scope_all_svm_devices);\n"
	"}\n";

struct node {
	cl_int value;
	struct node *next;
};

static struct api_test test;
static cl_command_queue queue;
static cl_program program;
static cl_int of_the_program[COUNT];

static void check_all(const cl_int *p, cl_int value)
{
	bool good = true;
	for (int i = 0; i < COUNT; i++)
		good = good && p[i] == value + i;
	CHECK(good);
}

/* The host writes, the kernel adds, the host reads: no map, no copy. */
static void one_place(cl_int *p)
{
	cl_kernel add = kernel_make(program, "add");
	const cl_int k = 70000;
	for (int i = 0; i < COUNT; i++)
		p[i] = i;
	CHECK_OK(clSetKernelArgSVMPointer(add, 0, p));
	CHECK_OK(clSetKernelArg(add, 1, sizeof(k), &k));
	launch_1d(queue, add, COUNT);
	launch_1d(queue, add, COUNT);
	CHECK_OK(clFinish(queue));
	check_all(p, 2 * k);
	CHECK_OK(clReleaseKernel(add));
}

static void places(void)
{
	cl_int of_the_stack[COUNT];
	cl_int *of_malloc = malloc(SIZE_B);
	cl_int *of_mmap = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);
	one_place(of_malloc);
	one_place(of_malloc);
	one_place(of_the_stack);
	one_place(of_the_program);
	CHECK(of_mmap != MAP_FAILED);
	one_place(of_mmap);
	munmap(of_mmap, SIZE_B);
	free(of_malloc);
}

/* A list whose parts the kernel finds for itself. */
static void indirect(void)
{
	const cl_bool yes = CL_TRUE;
	cl_kernel sum = kernel_make(program, "sum");
	struct node *head = NULL;
	cl_int out = 0, wanted = 0;
	for (cl_int i = 0; i < NODES; i++) {
		struct node *node = malloc(sizeof(*node));
		*node = (struct node){i * i, head};
		head = node;
		wanted += i * i;
	}
	CHECK_OK(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes),
				     &yes));
	CHECK_OK(clSetKernelArgSVMPointer(sum, 0, head));
	CHECK_OK(clSetKernelArgSVMPointer(sum, 1, &out));
	launch_1d(queue, sum, 1);
	CHECK_OK(clFinish(queue));
	CHECK(out == wanted);
	while (head) {
		struct node *next = head->next;
		CHECK(head->value == -1);
		free(head);
		head = next;
	}
	CHECK_OK(clReleaseKernel(sum));
}

/* Small pieces of the heap, between small allocations of the device's, which may be in the same pages there. */
static void between_buffers(void)
{
	enum { PIECES = 40, INTS = 16 };
	cl_kernel add = kernel_make(program, "add");
	cl_int *pieces[PIECES], *svm[PIECES];
	const cl_int k = 9;
	for (int i = 0; i < PIECES; i++) {
		svm[i] = clSVMAlloc(test.context, CL_MEM_READ_WRITE, (size_t)(i + 1) * sizeof(cl_int), 0);
		pieces[i] = calloc(INTS, sizeof(cl_int));
		CHECK(svm[i] && pieces[i]);
		if (i % 3 == 2)
			clSVMFree(test.context, svm[i - 1]);
	}
	CHECK_OK(clSetKernelArg(add, 1, sizeof(k), &k));
	for (int i = 0; i < PIECES; i++) {
		CHECK_OK(clSetKernelArgSVMPointer(add, 0, pieces[i]));
		launch_1d(queue, add, INTS);
	}
	CHECK_OK(clFinish(queue));
	for (int i = 0; i < PIECES; i++) {
		for (int j = 0; j < INTS; j++)
			CHECK(pieces[i][j] == k);
		free(pieces[i]);
		if (i % 3 != 1 || i == PIECES - 1)
			clSVMFree(test.context, svm[i]);
	}
	CHECK_OK(clReleaseKernel(add));
}

static void CL_CALLBACK free_it(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
	(void)of;
	CHECK(count == 1);
	free(pointers[0]);
	atomic_store((atomic_int *)data, 1);
}

/* The commands for SVM take such pointers, too, and keep their order with kernels. */
static void commands(void)
{
	static atomic_int freed;
	const cl_int k = 5, pattern = 3;
	cl_kernel add = kernel_make(program, "add");
	cl_int *a = malloc(SIZE_B), *b = malloc(SIZE_B);
	cl_int *svm = clSVMAlloc(test.context, CL_MEM_READ_WRITE, SIZE_B, 0);
	void *given[1];
	for (int i = 0; i < COUNT; i++)
		a[i] = i;
	CHECK_OK(clSetKernelArg(add, 1, sizeof(k), &k));
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, svm, a, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clSetKernelArgSVMPointer(add, 0, svm));
	launch_1d(queue, add, COUNT);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, svm, SIZE_B, 0, NULL, NULL));
	CHECK_OK(clSetKernelArgSVMPointer(add, 0, b));
	launch_1d(queue, add, COUNT);
	CHECK_OK(clEnqueueSVMMemcpy(queue, CL_TRUE, a, b, SIZE_B, 0, NULL, NULL));
	check_all(a, 2 * k);
	CHECK_OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, b, SIZE_B, 0, NULL, NULL));
	b[1] = 77;
	CHECK_OK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
	launch_1d(queue, add, COUNT);
	CHECK_OK(clFinish(queue));
	CHECK(b[1] == 77 + k);
	CHECK_OK(clEnqueueSVMMemFill(queue, b, &pattern, sizeof(pattern), SIZE_B, 0, NULL, NULL));
	launch_1d(queue, add, COUNT);
	CHECK_OK(clFinish(queue));
	CHECK(b[0] == pattern + k && b[COUNT - 1] == pattern + k);
	given[0] = b;
	CHECK_OK(clEnqueueSVMFree(queue, 1, given, free_it, &freed, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(atomic_load(&freed) == 1);
	clSVMFree(test.context, svm);
	free(a);
	CHECK_OK(clReleaseKernel(add));
}

static atomic_int *counter;
static atomic_bool counting;

static void *host_counts(void *data)
{
	int *own = data;
	while (atomic_load(&counting)) {
		atomic_fetch_add(counter, 1);
		++*own;
	}
	return NULL;
}

/* Both count at once, and none is lost. */
static void atomics(void)
{
	cl_kernel count = kernel_make(program, "count");
	pthread_t thread;
	int own = 0;
	counter = malloc(sizeof(*counter));
	atomic_init(counter, 0);
	atomic_store(&counting, true);
	CHECK_OK(clSetKernelArgSVMPointer(count, 0, counter));
	CHECK(!pthread_create(&thread, NULL, host_counts, &own));
	for (int i = 0; i < 10; i++)
		launch_1d(queue, count, COUNT);
	CHECK_OK(clFinish(queue));
	atomic_store(&counting, false);
	CHECK(!pthread_join(thread, NULL));
	CHECK(atomic_load(counter) == own + 10 * COUNT);
	free(counter);
	CHECK_OK(clReleaseKernel(count));
}

int main(void)
{
	cl_device_svm_capabilities can = 0;
	cl_bitfield usm = 0;
	setenv("CULVERT_SOFT_PAGEABLE", "1", 0);
	if (!api_test_start(&test, "system SVM"))
		return API_TEST_SKIP;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can), &can, NULL));
	CHECK_OK(clGetDeviceInfo(test.device, SHARED_SYSTEM_CAPABILITIES, sizeof(usm), &usm, NULL));
	/* Both extensions speak of the same memory. */
	CHECK(!(can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) == !usm);
	if (!(can & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)) {
		printf("no fine-grain system SVM\n");
		return api_test_skip(&test);
	}
	CHECK(can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
	queue = queue_make(test.context, test.device, 0);
	program = api_test_build(test.context, test.device, source, "-cl-std=CL3.0");
	places();
	indirect();
	between_buffers();
	commands();
	if (can & CL_DEVICE_SVM_ATOMICS)
		atomics();
	CHECK_OK(clReleaseProgram(program));
	CHECK_OK(clReleaseCommandQueue(queue));
	return api_test_end(&test);
}
