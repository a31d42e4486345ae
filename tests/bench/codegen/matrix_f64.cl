/* Each work-item computes 4 x 4 elements in registers. */
#define TILE 64
#define DEPTH 8

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matrix_f64(global const double *restrict a, global const double *restrict b,
		global double *restrict c, int n)
{
	local double tile_a[DEPTH][TILE], tile_b[DEPTH][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int item = y * 16 + x;
	int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
	double sum[4][4] = {{0}};
	for (int start = 0; start < n; start += DEPTH) {
		for (int i = item; i < TILE * DEPTH; i += 256) {
			tile_a[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + start + i % DEPTH];
			tile_b[i / TILE][i % TILE] = b[(start + i / TILE) * n + column + i % TILE];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < DEPTH; k++)
			for (int i = 0; i < 4; i++)
				for (int j = 0; j < 4; j++)
					sum[i][j] = fma(tile_a[k][y + i * 16], tile_b[k][x + j * 16],
							sum[i][j]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			c[(row + y + i * 16) * n + column + x + j * 16] = sum[i][j];
}
