#include <cuda_fp16.h>
#define TILE 16

extern "C" __global__ void matrix_f16(const half *__restrict__ a, const half2 *__restrict__ b,
				      half2 *__restrict__ c, int n)
{
	__shared__ half tile_a[TILE][TILE];
	__shared__ half2 tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * blockDim.x + x, row = blockIdx.y * blockDim.y + y;
	half2 sum = __float2half2_rn(0);
	for (int start = 0; start < n; start += TILE) {
		tile_a[y][x] = a[row * n + start + x];
		tile_b[y][x] = b[(start + y) * (n / 2) + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum = __hfma2(__half2half2(tile_a[y][k]), tile_b[k][x], sum);
		__syncthreads();
	}
	c[row * (n / 2) + column] = sum;
}
