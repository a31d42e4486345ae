#define TILE 32

kernel void transpose(global const float *restrict in, global float *restrict out, int n)
{
	local float tile[TILE][TILE + 1];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
	for (int k = 0; k < TILE; k += 8)
		tile[y + k][x] = in[(row + y + k) * n + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < TILE; k += 8)
		out[(column + y + k) * n + row + x] = tile[x][y + k];
}
