kernel void scan(global const uint *restrict in, global uint *restrict out)
{
	local uint sums[256];
	int lane = get_local_id(0);
	int i = get_global_id(0);
	uint sum = in[i];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < 256; step *= 2) {
		uint before = lane >= step ? sums[lane - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += before;
		sums[lane] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = sum;
}
