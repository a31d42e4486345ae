/* The kernels of the CUDA twins: each does what the kernel of its name in bench_*.c does. */
#include <cuda_fp16.h>

extern "C" __global__ void empty()
{
}

extern "C" __global__ void four(unsigned *a, unsigned *b, unsigned c, unsigned d)
{
	if (c == d)
		a[0] = b[0];
}

extern "C" __global__ void sixteen(unsigned *a, unsigned *b, unsigned *c, unsigned *d, unsigned *e,
				   unsigned *f, unsigned *g, unsigned *h, unsigned i, unsigned j,
				   unsigned k, unsigned l, unsigned m, unsigned n, unsigned o,
				   unsigned p)
{
	if (i + j + k + l + m + n + o == p)
		a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
}

extern "C" __global__ void work(unsigned *out, unsigned rounds)
{
	unsigned v = out[0];
	for (unsigned i = 0; i < rounds; i++)
		v = v * 3 + (v >> 2);
	out[0] = v;
}

extern "C" __global__ void chew(float *data, unsigned rounds)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float v = data[i];
	for (unsigned k = 0; k < rounds; k++)
		v = fmaf(v, 0.999f, 0.001f);
	data[i] = v;
}

enum { T = 16 };

extern "C" __global__ void __launch_bounds__(T *T)
naive(const float *a, const float *b, float *c, unsigned n)
{
	const unsigned x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
	float sum = 0.0f;
	for (unsigned k = 0; k < n; k++)
		sum += a[y * n + k] * b[k * n + x];
	c[y * n + x] = sum;
}

extern "C" __global__ void __launch_bounds__(T *T)
tiled(const float *a, const float *b, float *c, unsigned n)
{
	__shared__ float ta[T][T], tb[T][T];
	const unsigned x = threadIdx.x, y = threadIdx.y;
	const unsigned column = blockIdx.x * T + x, row = blockIdx.y * T + y;
	float sum = 0.0f;
	for (unsigned t = 0; t < n; t += T) {
		ta[y][x] = a[row * n + t + x];
		tb[y][x] = b[(t + y) * n + column];
		__syncthreads();
		for (unsigned k = 0; k < T; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

/* --- group kernels --------------------------------------------------------------------- */

static __device__ unsigned global_id()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

#define STREAM(type, suffix)                                                                   \
	extern "C" __global__ void copy_##suffix(const type *b, type *a)                       \
	{                                                                                      \
		const size_t i = global_id();                                                  \
		a[i] = b[i];                                                                   \
	}                                                                                      \
	extern "C" __global__ void triad_##suffix(const type *b, const type *c, type *a)       \
	{                                                                                      \
		const size_t i = global_id();                                                  \
		a[i] = b[i] + (type)0.5 * c[i];                                                \
	}

STREAM(float, f32)
STREAM(double, f64)

#define PEAK(name, type, first, op)                                                            \
	extern "C" __global__ void name(type *out, unsigned seed, unsigned rounds)             \
	{                                                                                      \
		const type b = first(seed), a = first(seed + 1);                               \
		(void)b;                                                                       \
		type x0 = first(threadIdx.x), x1 = x0 + a, x2 = x1 + a, x3 = x2 + a;           \
		type x4 = x3 + a, x5 = x4 + a, x6 = x5 + a, x7 = x6 + a;                       \
		for (unsigned i = 0; i < rounds; i++) {                                        \
			x0 = op(x0), x1 = op(x1), x2 = op(x2), x3 = op(x3);                    \
			x4 = op(x4), x5 = op(x5), x6 = op(x6), x7 = op(x7);                    \
		}                                                                              \
		out[global_id()] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;                      \
	}

#define HALF2(n) __half2half2(__uint2half_rn(n))
#define HMAD(x) __hfma2(x, a, b)
#define MAD(x) fma(x, a, b)
#define IMAD(x) ((x) * a + b)
#define DOT(x) __dp4a(x, a, x)

PEAK(peak_half, __half2, HALF2, HMAD)
PEAK(peak_float, float, (float), MAD)
PEAK(peak_double, double, (double), MAD)
PEAK(peak_int, int, (int), IMAD)
PEAK(peak_dot, int, (int), DOT)

extern "C" __global__ void local_reads(float4 *out, unsigned rounds)
{
	__shared__ float4 tile[256];
	const unsigned lid = threadIdx.x;
	float4 sum = make_float4(0, 0, 0, 0);
	tile[lid] = make_float4(lid, lid, lid, lid);
	__syncthreads();
	for (unsigned i = 0; i < rounds; i++) {
		const float4 read = tile[(lid + i) & 255];
		sum.x += read.x;
		sum.y += read.y;
		sum.z += read.z;
		sum.w += read.w;
	}
	out[global_id()] = sum;
}

extern "C" __global__ void atomic_spread(unsigned *counters, unsigned mask, unsigned rounds)
{
	const unsigned gid = global_id();
	for (unsigned i = 0; i < rounds; i++)
		atomicAdd(&counters[(gid * 33 + i * 4099) & mask], 1);
}

extern "C" __global__ void atomic_local(unsigned *counters, unsigned rounds)
{
	__shared__ unsigned bins[256];
	const unsigned lid = threadIdx.x;
	bins[lid] = 0;
	__syncthreads();
	for (unsigned i = 0; i < rounds; i++)
		atomicAdd(&bins[(lid * 17 + i * 29) & 255], 1);
	__syncthreads();
	atomicAdd(&counters[lid], bins[lid]);
}

extern "C" __global__ void texels(cudaTextureObject_t image, float4 *out, unsigned rounds)
{
	const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
	const float x = column + 0.25f, y = row + 0.25f;
	float4 sum = make_float4(0, 0, 0, 0);
	for (unsigned i = 0; i < rounds; i++) {
		const float4 read = tex2D<float4>(image, x + (i & 3), y + (i >> 2));
		sum.x += read.x;
		sum.y += read.y;
		sum.z += read.z;
		sum.w += read.w;
	}
	out[row * gridDim.x * blockDim.x + column] = sum;
}

extern "C" __global__ void touch(unsigned *counter)
{
	counter[0] += 1;
}
