/* A matrix times a vector, a work-group for each row. */
kernel void vector(global const float4 *restrict a, global const float4 *restrict x,
		   global float *restrict y, int fours)
{
	local float part[128];
	int lane = get_local_id(0);
	global const float4 *row = a + get_group_id(0) * fours;
	float sum = 0;
	for (int i = lane; i < fours; i += get_local_size(0)) {
		float4 p = row[i], q = x[i];
		sum = fma(p.x, q.x, fma(p.y, q.y, fma(p.z, q.z, fma(p.w, q.w, sum))));
	}
	part[lane] = sum;
	for (int step = 64; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step)
			part[lane] += part[lane + step];
	}
	if (lane == 0)
		y[get_group_id(0)] = part[0];
}
