#define TILE 32

extern "C" __global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int n)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE, row = blockIdx.y * TILE;
	for (int k = 0; k < TILE; k += 8)
		tile[y + k][x] = in[(row + y + k) * n + column + x];
	__syncthreads();
	for (int k = 0; k < TILE; k += 8)
		out[(column + y + k) * n + row + x] = tile[x][y + k];
}
