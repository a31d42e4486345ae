#define TILE 64
#define DEPTH 8

extern "C" __global__ void __launch_bounds__(256)
matrix_f64(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, int n)
{
	__shared__ double tile_a[DEPTH][TILE], tile_b[DEPTH][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int item = y * 16 + x;
	int column = blockIdx.x * TILE, row = blockIdx.y * TILE;
	double sum[4][4] = {{0}};
	for (int start = 0; start < n; start += DEPTH) {
		for (int i = item; i < TILE * DEPTH; i += 256) {
			tile_a[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + start + i % DEPTH];
			tile_b[i / TILE][i % TILE] = b[(start + i / TILE) * n + column + i % TILE];
		}
		__syncthreads();
		for (int k = 0; k < DEPTH; k++)
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					sum[i][j] = fma(tile_a[k][y + i * 16], tile_b[k][x + j * 16],
							sum[i][j]);
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			c[(row + y + i * 16) * n + column + x + j * 16] = sum[i][j];
}
