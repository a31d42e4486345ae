/* The start of a real program: CLBlast, as distributions have it, from its first call to right
 * results of a sum of vectors, a product with a matrix and a product of matrices.  It builds
 * its kernels as they are first needed, and keeps none of them for another process. */
#include "config.h"

#include "tests/bench/build/clblast.h"
#include "tests/bench/opencl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, ROW_MAJOR = 101, PLAIN = 111 };

/* As its C interface has them. */
static struct {
	int (*CLBlastSaxpy)(size_t n, float alpha, cl_mem x, size_t x_offset, size_t x_step, cl_mem y,
			    size_t y_offset, size_t y_step, cl_command_queue *queue, cl_event *event);
	int (*CLBlastSgemv)(int layout, int form, size_t m, size_t n, float alpha, cl_mem a,
			    size_t a_offset, size_t a_step, cl_mem x, size_t x_offset, size_t x_step,
			    float beta, cl_mem y, size_t y_offset, size_t y_step,
			    cl_command_queue *queue, cl_event *event);
	int (*CLBlastSgemm)(int layout, int a_form, int b_form, size_t m, size_t n, size_t k,
			    float alpha, cl_mem a, size_t a_offset, size_t a_step, cl_mem b,
			    size_t b_offset, size_t b_step, float beta, cl_mem c, size_t c_offset,
			    size_t c_step, cl_command_queue *queue, cl_event *event);
} blas;

/* POSIX lets a function's address travel in a void pointer. */
static bool resolve(void *library, const char *name, void *function_out)
{
	void *address = dlsym(library, name);
	memcpy(function_out, &address, sizeof(address));
	return address != NULL;
}

static bool open_library(void)
{
	void *library = dlopen("libclblast.so.1", RTLD_NOW);
	return library && resolve(library, "CLBlastSaxpy", &blas.CLBlastSaxpy) &&
	       resolve(library, "CLBlastSgemv", &blas.CLBlastSgemv) &&
	       resolve(library, "CLBlastSgemm", &blas.CLBlastSgemm);
}

/* Whether so many numbers of mem are value: small whole ones, which are exact. */
static bool all_are(cl_command_queue queue, cl_mem mem, size_t count, float value)
{
	static float numbers[N * N];
	CL_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, count * sizeof(float), numbers, 0, NULL,
				  NULL));
	for (size_t i = 0; i < count; i++)
		if (numbers[i] != value)
			return false;
	return true;
}

static cl_mem ones(cl_command_queue queue)
{
	const float one = 1;
	const cl_mem mem = opencl_buffer(CL_MEM_READ_WRITE, N * N * sizeof(float));
	CL_OK(clEnqueueFillBuffer(queue, mem, &one, sizeof(one), 0, N * N * sizeof(float), 0, NULL,
				  NULL));
	return mem;
}

/* y = 2x + y, then y = Ax + y, and C = AB + C: of ones alone. */
static bool compute(cl_command_queue queue, cl_mem a, cl_mem b, cl_mem c)
{
	return !blas.CLBlastSaxpy(N, 2, a, 0, 1, b, 0, 1, &queue, NULL) &&
	       all_are(queue, b, N, 3) &&
	       !blas.CLBlastSgemv(ROW_MAJOR, PLAIN, N, N, 1, a, 0, N, a, 0, 1, 1, b, 0, 1, &queue,
				  NULL) &&
	       all_are(queue, b, N, N + 3) &&
	       !blas.CLBlastSgemm(ROW_MAJOR, PLAIN, PLAIN, N, N, N, 1, a, 0, N, a, 0, N, 1, c, 0, N,
				  &queue, NULL) &&
	       all_are(queue, c, N * N, N + 1);
}

double clblast_ms(void)
{
	if (!open_library()) {
		fputs("libclblast.so.1 is not there\n", stderr);
		return -1;
	}
	cl_command_queue queue = opencl_queue(0, 0);
	const cl_mem a = ones(queue), b = ones(queue), c = ones(queue);
	CL_OK(clFinish(queue));
	const double start_us = bench_us();
	const bool right = compute(queue, a, b, c);
	const double took_ms = (bench_us() - start_us) / 1e3;
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseMemObject(c));
	CL_OK(clReleaseCommandQueue(queue));
	if (!right)
		fputs("CLBlast: a routine failed, or its result is wrong\n", stderr);
	return right ? took_ms : -1;
}
