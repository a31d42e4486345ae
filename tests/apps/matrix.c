/* matrix [N [RUNS]]: an N x N float matrix product in 16 x 16 tiles of local memory,
 * checked against the processor in double.  The time is the best of RUNS (5).
 *
 * Every element is checked: C x = A (B x) for several random vectors x costs
 * N*N work each (Freivalds), and 64 elements are compared one by one. */
#include "config.h"

#include "tests/apps/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] =
	"#define T 16\n"
	"kernel __attribute__((reqd_work_group_size(T, T, 1)))\n"
	"void multiply(global const float *a, global const float *b, global float *c, uint n)\n"
	"{\n"
	"	local float ta[T][T], tb[T][T];\n"
	"	uint x = get_local_id(0), y = get_local_id(1);\n"
	"	uint column = get_global_id(0), row = get_global_id(1);\n"
	"	float sum = 0.0f;\n"
	"	for (uint t = 0; t < n; t += T) {\n"
	"		ta[y][x] = a[row * n + t + x];\n"
	"		tb[y][x] = b[(t + y) * n + column];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		for (uint k = 0; k < T; k++)\n"
	"			sum += ta[y][k] * tb[k][x];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"	c[row * n + column] = sum;\n"
	"}\n";

static unsigned random_state = 12345;

static float random_float(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (float)(random_state >> 8) / 8388608.0f - 1.0f;
}

static void times(const float *matrix, const double *x, double *y, size_t n)
{
	for (size_t row = 0; row < n; row++) {
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += matrix[row * n + k] * x[k];
		y[row] = sum;
	}
}

/* The largest difference in units of the rounding error that a sum of n products
 * of numbers in [-1, 1] may have. */
static double worst_row(const float *a, const float *b, const float *c, size_t n)
{
	double *x = malloc(n * sizeof(*x)), *bx = malloc(n * sizeof(*x));
	double *abx = malloc(n * sizeof(*x)), *cx = malloc(n * sizeof(*x));
	double worst = INFINITY;
	if (x && bx && abx && cx) {
		worst = 0;
		for (int round = 0; round < 4; round++) {
			for (size_t i = 0; i < n; i++)
				x[i] = random_float();
			times(b, x, bx, n);
			times(a, bx, abx, n);
			times(c, x, cx, n);
			for (size_t i = 0; i < n; i++)
				worst = fmax(worst, fabs(cx[i] - abx[i]));
		}
	}
	free(x);
	free(bx);
	free(abx);
	free(cx);
	return worst / ((double)n * sqrt((double)n) * 6e-8);
}

static double worst_element(const float *a, const float *b, const float *c, size_t n)
{
	double worst = 0;
	for (int i = 0; i < 64; i++) {
		size_t row = (size_t)((random_float() + 1) / 2 * (float)(n - 1));
		size_t column = (size_t)((random_float() + 1) / 2 * (float)(n - 1));
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += (double)a[row * n + k] * b[k * n + column];
		worst = fmax(worst, fabs(sum - c[row * n + column]));
	}
	return worst / ((double)n * 6e-8);
}

static cl_mem buffer(struct app *app, size_t size_B, float *values)
{
	cl_int error;
	cl_mem mem = clCreateBuffer(app->context, CL_MEM_COPY_HOST_PTR, size_B, values, &error);
	app_check(error, "clCreateBuffer");
	return mem;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 0) : 256;
	size_t runs = argc > 2 ? strtoul(argv[2], NULL, 0) : 5;
	if (!n || n % 16 || n > 16384 || !runs) {
		fprintf(stderr, "usage: matrix [N [RUNS]]    N a multiple of 16\n");
		return 2;
	}
	size_t size_B = n * n * sizeof(float);
	float *a = malloc(size_B), *b = malloc(size_B), *c = malloc(size_B);
	if (!a || !b || !c)
		return 2;
	for (size_t i = 0; i < n * n; i++) {
		a[i] = random_float();
		b[i] = random_float();
		c[i] = NAN; /* what no kernel wrote shows */
	}
	struct app app;
	app_start(&app, source, "");
	cl_mem mems[3] = {buffer(&app, size_B, a), buffer(&app, size_B, b), buffer(&app, size_B, c)};
	cl_kernel kernel = app_kernel(&app, "multiply");
	cl_uint width = (cl_uint)n;
	for (cl_uint i = 0; i < 3; i++)
		app_check(clSetKernelArg(kernel, i, sizeof(cl_mem), &mems[i]), "clSetKernelArg");
	app_check(clSetKernelArg(kernel, 3, sizeof(width), &width), "clSetKernelArg");
	double seconds = INFINITY;
	for (size_t run = 0; run < runs; run++) {
		cl_event event;
		app_check(clEnqueueNDRangeKernel(app.queue, kernel, 2, NULL, (size_t[]){n, n},
						 (size_t[]){16, 16}, 0, NULL, &event), "the launch");
		seconds = fmin(seconds, app_seconds(event));
	}
	app_check(clEnqueueReadBuffer(app.queue, mems[2], CL_TRUE, 0, size_B, c, 0, NULL, NULL),
		  "reading the result");
	double row = worst_row(a, b, c, n), element = worst_element(a, b, c, n);
	int right = row < 1 && element < 1;
	printf("%s, %s: %zu x %zu product in %.3f ms, %s\n", app.platform_name, app.device_name, n, n,
	       seconds * 1e3, right ? "verified" : "WRONG");
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(mems[i]);
	clReleaseKernel(kernel);
	app_finish(&app);
	free(a);
	free(b);
	free(c);
	return !right;
}
