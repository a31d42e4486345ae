#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define TILE 16

/* Two columns to a work-item. */
kernel void matrix_f16(global const half *restrict a, global const half2 *restrict b,
		       global half2 *restrict c, int n)
{
	local half tile_a[TILE][TILE];
	local half2 tile_b[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_global_id(0), row = get_global_id(1);
	half2 sum = 0;
	for (int start = 0; start < n; start += TILE) {
		tile_a[y][x] = a[row * n + start + x];
		tile_b[y][x] = b[(start + y) * (n / 2) + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum = fma((half2)tile_a[y][k], tile_b[k][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * (n / 2) + column] = sum;
}
