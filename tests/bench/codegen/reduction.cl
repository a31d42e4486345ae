kernel void reduction(global const float *restrict in, global float *restrict sums, int n)
{
	local float part[256];
	int lane = get_local_id(0);
	float sum = 0;
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		sum += in[i];
	part[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int half_size = 128; half_size > 0; half_size /= 2) {
		if (lane < half_size)
			part[lane] += part[lane + half_size];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		sums[get_group_id(0)] = part[0];
}
