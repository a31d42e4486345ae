/* Group half on CUDA, by cuBLAS: bench_half.c says what the row means.  cuBLAS is opened when the program runs:
 * BENCH_CUBLAS names the library, libcublas.so.13 or libcublas.so.12 by default.  Without one, or without a GPU, the
 * row is skipped. */
#include "config.h"

#include "tests/bench/cuda.h"
#include "tests/bench/half_check.h"

#include <dlfcn.h>

/* cuBLAS library, "cublasGemmEx": cublasOperation_t, cudaDataType_t, cublasComputeType_t, cublasGemmAlgo_t. */
enum { OP_N = 0, R_32F = 0, R_16F = 2, COMPUTE_32F = 68, GEMM_DEFAULT = -1 };
struct cublas_handle;

static struct {
	int (*create)(struct cublas_handle **handle);
	int (*destroy)(struct cublas_handle *handle);
	int (*multiply)(struct cublas_handle *handle, int a_op, int b_op, int m, int n, int k, const void *alpha,
			const void *a, int a_type, int a_stride, const void *b, int b_type, int b_stride,
			const void *beta, void *c, int c_type, int c_stride, int compute, int algorithm);
} cublas;

/* Why there is no cuBLAS; NULL: it is open. */
static const char *open_cublas(void)
{
	const char *named = getenv("BENCH_CUBLAS");
	/* cuBLAS' code is for GPUs: on a software device, it computes nothing and reports no error. */
	if (bench.tiny)
		return "the device is software";
	void *library = dlopen(named ? named : "libcublas.so.13", RTLD_NOW);
	if (!library && !named)
		library = dlopen("libcublas.so.12", RTLD_NOW);
	if (!library)
		return "there is no cuBLAS";
	*(void **)&cublas.create = dlsym(library, "cublasCreate_v2");
	*(void **)&cublas.destroy = dlsym(library, "cublasDestroy_v2");
	*(void **)&cublas.multiply = dlsym(library, "cublasGemmEx");
	return cublas.create && cublas.destroy && cublas.multiply ? NULL : "the library is not cuBLAS";
}

struct product {
	struct cublas_handle *handle;
	CUdeviceptr a, b, c;
	size_t n;
};

/* cuBLAS' matrices are column-major: the transposed product is that of the factors in the other order. */
static double measure(void *context)
{
	const struct product *product = context;
	const int n = (int)product->n;
	const float one = 1, zero = 0;
	const double start_us = bench_us();
	for (unsigned i = 0; i < HALF_LAUNCHES; i++) {
		const int status = cublas.multiply(product->handle, OP_N, OP_N, n, n, n, &one, (void *)product->b,
						   R_16F, n, (void *)product->a, R_16F, n, &zero, (void *)product->c,
						   R_32F, n, COMPUTE_32F, GEMM_DEFAULT);
		if (status)
			bench_fail(__FILE__, __LINE__, "cublasGemmEx", status);
	}
	CU_OK(cu.cuCtxSynchronize());
	return half_rate(product->n, bench_us() - start_us);
}

static void run(struct product *product)
{
	const size_t size_B = product->n * product->n * sizeof(uint16_t);
	CUstream stream = cuda_stream();
	struct half_data data = half_make(product->n);
	product->a = cuda_memory(size_B);
	product->b = cuda_memory(size_B);
	product->c = cuda_memory(2 * size_B);
	CU_OK(cu.cuMemcpyHtoDAsync_v2(product->a, data.a, size_B, stream));
	CU_OK(cu.cuMemcpyHtoDAsync_v2(product->b, data.b, size_B, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	bench_row("half", HALF_ROW, "TFLOP/s", HIGHER, measure, product);
	CU_OK(cu.cuMemcpyDtoHAsync_v2(data.c, product->c, 2 * size_B, stream));
	CU_OK(cu.cuStreamSynchronize(stream));
	half_check(&data, product->n);
	half_end(&data);
	CU_OK(cu.cuMemFree_v2(product->a));
	CU_OK(cu.cuMemFree_v2(product->b));
	CU_OK(cu.cuMemFree_v2(product->c));
	CU_OK(cu.cuStreamDestroy_v2(stream));
}

int main(int argc, char **argv)
{
	bench_start(argc, argv);
	cuda_open("half", 1);
	struct product product = {.n = bench_pick(4096, 4096, 256)};
	const char *missing = open_cublas();
	if (!missing && cublas.create(&product.handle))
		missing = "cuBLAS finds no GPU";
	if (missing) {
		rows_skip("half", HALF_ROW, missing);
		return cuda_close();
	}
	run(&product);
	cublas.destroy(product.handle);
	return cuda_close();
}
