kernel void histogram(global const uint *restrict in, global uint *restrict out, int n)
{
	local uint bins[256];
	int lane = get_local_id(0);
	bins[lane] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
		uint four = in[i];
		atomic_inc(&bins[four & 255]);
		atomic_inc(&bins[four >> 8 & 255]);
		atomic_inc(&bins[four >> 16 & 255]);
		atomic_inc(&bins[four >> 24]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&out[lane], bins[lane]);
}
