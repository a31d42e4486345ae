#define TILE 16

kernel void matrix(global const float *restrict a, global const float *restrict b,
		   global float *restrict c, int n)
{
	local float tile_a[TILE][TILE], tile_b[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_global_id(0), row = get_global_id(1);
	float sum = 0;
	for (int start = 0; start < n; start += TILE) {
		tile_a[y][x] = a[row * n + start + x];
		tile_b[y][x] = b[(start + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum = fma(tile_a[y][k], tile_b[k][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
