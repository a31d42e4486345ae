/* What the software device reports of buffers: kernels that read what nobody has written, write to
 * CL_MEM_READ_ONLY or read CL_MEM_WRITE_ONLY; races over them; and nothing of right ones.  Kernels are interpreted,
 * and run as machine code. */
#include "config.h"

#include "tests/api/fixture.h"

#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 64, SIZE_B = COUNT * sizeof(cl_int) };

static const char source[] =
	"kernel void add(global int *from, global int *to)\n"
	"{ int i = get_global_id(0); to[i] = from[i] + 1; }\n"
	"kernel void copy(global int *from, global int *to)\n"
	"{ int i = get_global_id(0); to[i] = from[i]; }\n"
	"kernel void in_turn(global int *from, global int *to, global int *other)\n"
	"{ int i = get_global_id(0), sum = 0; for (int n = 0; n < 2; n++) {\n"
	"global int *p = n ? from : other; sum += p[i]; } to[i] = sum; }\n"
	"int get(global const int *p, int i) { return p[i]; }\n"
	"kernel void two(global int *from, global int *to, global int *other)\n"
	"{ int i = get_global_id(0); to[i] = get(from, i); to[i + 32] = get(other, i); }\n"
	"kernel void later(global int *from, global int *to, global int *other)\n"
	"{ int i = get_local_id(0); for (int n = 0; n < 2; n++) {\n"
	"global int *p = n || i >= 16 ? other : from; int v = p[i];\n"
	"if (n) to[i] = v; } }\n"
	"kernel void backwards(global const int *from, global int *end)\n"
	"{ int i = get_local_id(0); end[-1 - i] = from[i]; }\n"
	"kernel void swizzle(global int4 *from, global int4 *to)\n"
	"{ if (get_global_id(0) < 16) to[get_global_id(0)].wzyx = from[get_global_id(0)]; }\n"
	"kernel void again(global int *from, global int *to)\n"
	"{ int i = get_global_id(0), sum = 0;\n"
	"for (int n = 0; n < 3; n++) { sum += from[i * 5 & 63]; to[n] = sum; } }\n"
	"kernel void aside(global int *from, global int *to)\n"
	"{ int i = get_global_id(0), sum = 0; for (int n = 0; n < 3; n++) { global int *p = from + (i * 5 & 63);\n"
	"if (n == 2 && i == 31) p = to + i; sum += *p; } to[i] = sum; }\n"
	"kernel void turn(global int *to)\n"
	"{ int i = get_global_id(0); to[i] += to[63 - i]; }\n"
	"kernel void sparse(global int *from, global int *to)\n"
	"{ int i = get_global_id(0); if (i % 8 == 3) to[i * 11 & 63] = from[i * 11 & 63]; }\n"
	"kernel void sparse_bytes(global char *from, global char *to)\n"
	"{ int i = get_global_id(0) * 17 & 255;\n"
	"to[i] = 1; if (i % 4 == 1) to[i] = from[i] + 1; }\n"
	"kernel void count(global int *from, global int *to)\n"
	"{ atomic_inc(to + get_global_id(0)); }\n"
	"kernel void scatter(global int *to)\n"
	"{ atomic_add(to + get_global_id(0) * 5 % 64, 1); }\n"
	"kernel void scatter_wide(global long *to)\n"
	"{ atom_xchg(to + get_global_id(0) * 5 % 32, 1l); }\n"
	"struct wide { double3 a; int16 b; };\n"
	"kernel void members(global struct wide *to)\n"
	"{ if (!get_global_id(0)) { to[0].a = 1; to[0].b = 2; } }\n"
	"kernel void whole(global struct wide *from, global struct wide *to)\n"
	"{ if (!get_global_id(0)) { struct wide w = from[0]; w.b += 1; to[0] = w; } }\n";

static char report_path[] = "/tmp/checked-buffers-XXXXXX";
static struct api_test test;
static cl_program program;
static cl_command_queue queue;
static off_t seen_B;

/* What was reported since the last time. */
static const char *reported(void)
{
	static char text[1 << 16];
	FILE *file = fopen(report_path, "r");
	size_t size_B = 0;
	if (file && !fseeko(file, seen_B, SEEK_SET))
		size_B = fread(text, 1, sizeof(text) - 1, file);
	if (file)
		fclose(file);
	text[size_B] = '\0';
	seen_B += (off_t)size_B;
	return text;
}

static bool is_silent(void)
{
	const char *text = reported();
	if (*text)
		printf("reported: %s\n", text);
	return !*text;
}

/* What is released at the end, since the checks need buffers that exist side by side. */
static cl_mem kept[64];
static unsigned kept_count;

static cl_mem keep(cl_mem memory)
{
	kept[kept_count++] = memory;
	return memory;
}

/* Releases the last ones, until first is released. */
static void release_from(cl_mem first)
{
	cl_mem last = NULL;
	while (kept_count && last != first) {
		last = kept[--kept_count];
		CHECK_OK(clReleaseMemObject(last));
	}
}

static cl_mem buffer(cl_mem_flags flags)
{
	static cl_int values[COUNT];
	return keep(buffer_make(test.context, flags, SIZE_B,
				flags & CL_MEM_COPY_HOST_PTR ? values : NULL));
}

static void run(const char *name, cl_mem from, cl_mem to)
{
	const size_t count = COUNT;
	cl_kernel kernel = kernel_make(program, name);
	if (from)
		CHECK_OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
	CHECK_OK(clSetKernelArg(kernel, from ? 1 : 0, sizeof(to), &to));
	launch_1d(queue, kernel, count);
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseKernel(kernel));
}

static void check_unwritten(void)
{
	cl_mem to = buffer(0), fresh = buffer(0);
	run("add", fresh, to);
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	run("copy", buffer(0), to);
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	run("count", to, buffer(0));
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	release_from(fresh);
	/* The memory may be the same. */
	fresh = buffer(0);
	run("add", fresh, to);
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	/* A kernel wrote it. */
	run("add", to, buffer(0));
	CHECK(is_silent());
}

/* Atomics on scattered words, which read and write them. */
static void check_atomics(void)
{
	const cl_int value = 3;
	const char *const kernels[] = {"scatter", "scatter_wide"};
	cl_mem to = NULL;
	for (unsigned i = 0; i < 2; i++) {
		/* The second time, the memory may be the same. */
		to = buffer(0);
		CHECK_OK(clEnqueueFillBuffer(queue, to, &value, sizeof(value), 0, SIZE_B - 8, 0, NULL, NULL));
		run(kernels[i], NULL, to);
		CHECK(strstr(reported(), "uninitialised read") != NULL);
		CHECK_OK(clEnqueueFillBuffer(queue, to, &value, sizeof(value), SIZE_B - 8, 8, 0, NULL, NULL));
		run(kernels[i], NULL, to);
		CHECK(is_silent());
		release_from(to);
	}
	run("scatter", NULL, buffer(CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR));
	CHECK(strstr(reported(), "read of write-only memory") != NULL);
	run("scatter", NULL, buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR));
	CHECK(strstr(reported(), "write to read-only memory") != NULL);
}

static void check_written_by_host(void)
{
	const cl_int value = 3;
	const size_t origin[3] = {0}, region[3] = {16, 16, 1};
	static cl_int bytes[COUNT];
	cl_int code;
	cl_mem to = buffer(0), filled = buffer(0), written = buffer(0), rect = buffer(0), mapped = buffer(0),
	       copied = buffer(0), used;
	CHECK_OK(clEnqueueFillBuffer(queue, filled, &value, sizeof(value), 0, SIZE_B, 0, NULL, NULL));
	run("add", filled, to);
	CHECK_OK(clEnqueueWriteBuffer(queue, written, CL_TRUE, 0, SIZE_B, bytes, 0, NULL, NULL));
	run("add", written, to);
	CHECK_OK(clEnqueueWriteBufferRect(queue, rect, CL_TRUE, origin, origin, region, 16, 0, 16, 0, bytes, 0,
					  NULL, NULL));
	run("add", rect, to);
	void *pointer = clEnqueueMapBuffer(queue, mapped, CL_TRUE, CL_MAP_WRITE, 0, SIZE_B, 0, NULL, NULL, &code);
	CHECK_OK(code);
	memset(pointer, 0, SIZE_B);
	CHECK_OK(clEnqueueUnmapMemObject(queue, mapped, pointer, 0, NULL, NULL));
	run("add", mapped, to);
	CHECK_OK(clEnqueueCopyBuffer(queue, mapped, copied, 0, 0, SIZE_B, 0, NULL, NULL));
	run("add", copied, to);
	used = keep(buffer_make(test.context, CL_MEM_USE_HOST_PTR, SIZE_B, bytes));
	run("add", used, to);
	CHECK(is_silent());
}

/* Few work-items, or bytes, far apart: what they read, and that of what they have written. */
static void check_sparse(void)
{
	const char *const kernels[] = {"sparse", "sparse_bytes"};
	for (unsigned i = 0; i < 2; i++) {
		cl_mem to = buffer(0);
		run(kernels[i], buffer(CL_MEM_COPY_HOST_PTR), to);
		CHECK(is_silent());
		run(kernels[i], to, buffer(CL_MEM_COPY_HOST_PTR));
		CHECK(is_silent());
		run("add", to, buffer(0));
		CHECK(strstr(reported(), "uninitialised read") != NULL);
		to = buffer(0);
		run(kernels[i], to, buffer(0));
		CHECK(strstr(reported(), "uninitialised read") != NULL);
		release_from(to);
	}
	run("sparse", buffer(CL_MEM_COPY_HOST_PTR), buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR));
	CHECK(strstr(reported(), "write to read-only memory") != NULL);
}

/* Padding goes where its structure goes. */
static void check_structures(void)
{
	cl_int code;
	cl_mem one = clCreateBuffer(test.context, 0, 256, NULL, &code), other = buffer(0);
	CHECK_OK(code);
	keep(one);
	run("members", NULL, one);
	run("whole", one, other);
	CHECK(is_silent());
}

static void check_flags(void)
{
	cl_mem from = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR), to = buffer(CL_MEM_WRITE_ONLY);
	cl_int value = 1;
	run("add", from, to);
	run("swizzle", from, to);
	CHECK_OK(clEnqueueFillBuffer(queue, from, &value, sizeof(value), 0, SIZE_B, 0, NULL, NULL));
	buffer_read(queue, to, &value, sizeof(value));
	CHECK(is_silent());
	run("add", to, buffer(0));
	CHECK(strstr(reported(), "read of write-only memory") != NULL);
	run("add", buffer(CL_MEM_COPY_HOST_PTR), from);
	CHECK(strstr(reported(), "write to read-only memory") != NULL);
	/* Each access counts, and each race: of 64 work-items with 63 before them. */
	run("again", to, from);
	CHECK(strstr(reported(), "kernel 'again': 573 reports in total, 3 printed") != NULL);
	/* What may not be read may have other errors, too. */
	run("turn", NULL, buffer(CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR));
	const char *both = reported();
	CHECK(strstr(both, "read of write-only memory") != NULL && strstr(both, "race in a work-group") != NULL);
	run("again", buffer(CL_MEM_WRITE_ONLY), buffer(0));
	both = reported();
	CHECK(strstr(both, "read of write-only memory") != NULL && strstr(both, "uninitialised read") != NULL);
	/* Only one work-item reads something else, in one of the turns. */
	run("aside", buffer(CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR), buffer(0));
	both = reported();
	CHECK(strstr(both, "kernel 'aside': 192 reports in total, 2 printed") && strstr(both, "uninitialised read"));
	/* What comes in its place is another buffer. */
	release_from(from);
	from = buffer(CL_MEM_COPY_HOST_PTR);
	run("add", from, from);
	CHECK(is_silent());
}

static void run_three(const char *name, cl_mem from, cl_mem to, cl_mem other)
{
	const size_t count = 32;
	cl_kernel kernel = kernel_make(program, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(from), &from));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(to), &to));
	CHECK_OK(clSetKernelArg(kernel, 2, sizeof(other), &other));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &count, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK_OK(clReleaseKernel(kernel));
}

/* A pointer that refers to two buffers in turn: there is nothing to report of the first one. */
static void check_in_turn(void)
{
	const cl_mem wrong[] = {buffer(0), buffer(CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR)};
	cl_mem other = buffer(CL_MEM_COPY_HOST_PTR), to = buffer(0);
	const char *const expected[] = {"uninitialised read", "read of write-only memory"};
	for (unsigned i = 0; i < 2; i++) {
		run_three("in_turn", wrong[i], to, other);
		CHECK(strstr(reported(), expected[i]) != NULL);
	}
}

/* Two calls of a function, which is inlined, are not a copy of a structure. */
static void check_inlined(void)
{
	cl_mem written = buffer(CL_MEM_COPY_HOST_PTR), to = buffer(0);
	run_three("two", buffer(0), to, written);
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	run_three("two", written, to, buffer(0));
	CHECK(strstr(reported(), "uninitialised read") != NULL);
	run_three("two", written, to, written);
	CHECK(is_silent());
}

/* A value that is copied takes the place of one that was read there before, and not copied. */
static void check_replaced(void)
{
	cl_mem other = buffer(CL_MEM_COPY_HOST_PTR);
	run_three("later", buffer(0), buffer(0), other);
	CHECK(is_silent());
}

/* A kernel that writes from the end of memory backwards, and reads it from the start. */
static void check_end(void)
{
	const size_t count = COUNT;
	const cl_int value = 7;
	cl_int *memory = clSVMAlloc(test.context, CL_MEM_READ_WRITE, SIZE_B, 0);
	cl_kernel kernel = kernel_make(program, "backwards");
	CHECK(memory != NULL);
	CHECK_OK(clEnqueueSVMMemFill(queue, memory, &value, sizeof(value), SIZE_B, 0, NULL, NULL));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 0, memory));
	CHECK_OK(clSetKernelArgSVMPointer(kernel, 1, memory + COUNT));
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &count, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(strstr(reported(), "race in a work-group") != NULL);
	CHECK_OK(clReleaseKernel(kernel));
	clSVMFree(test.context, memory);
}

/* The exit code of the whole test in a process of its own. */
static int run_with(const char *jit)
{
	int status = -1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_JIT", jit, 1);
		execl("/proc/self/exe", "checked_buffers", jit, (char *)NULL);
		_exit(127);
	}
	const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
	if (!ended || WEXITSTATUS(status))
		printf("with CULVERT_SOFT_JIT=%s: status %d\n", jit, status);
	return ended ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const char *cuda = getenv("CULVERT_CUDA");
	(void)argv;
	if (cuda && strcmp(cuda, "soft"))
		return API_TEST_SKIP;
	if (argc < 2) {
		const int interpreted = run_with("off"), compiled = run_with("always");
		return interpreted ? interpreted : compiled;
	}
	int file = mkstemp(report_path);
	if (file < 0)
		return API_TEST_SKIP;
	close(file);
	setenv("CULVERT_SOFT_CHECK", "memory,uninit,race", 1);
	setenv("CULVERT_SOFT_REPORT", report_path, 1);
	if (!api_test_start(&test, "checked_buffers"))
		return API_TEST_SKIP;
	program = api_test_build(test.context, test.device, source, "");
	queue = queue_make(test.context, test.device, 0);
	check_unwritten();
	check_atomics();
	check_written_by_host();
	check_sparse();
	check_structures();
	check_flags();
	check_in_turn();
	check_inlined();
	check_replaced();
	check_end();
	release_from(NULL);
	unlink(report_path);
	return api_test_end(&test);
}
