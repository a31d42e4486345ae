#define TILE 16

extern "C" __global__ void matrix(const float *__restrict__ a, const float *__restrict__ b,
				  float *__restrict__ c, int n)
{
	__shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * blockDim.x + x, row = blockIdx.y * blockDim.y + y;
	float sum = 0;
	for (int start = 0; start < n; start += TILE) {
		tile_a[y][x] = a[row * n + start + x];
		tile_b[y][x] = b[(start + y) * n + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
		__syncthreads();
	}
	c[row * n + column] = sum;
}
