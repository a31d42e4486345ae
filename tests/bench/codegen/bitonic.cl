kernel void bitonic(global const uint *restrict in, global uint *restrict out)
{
	local uint keys[512];
	uint lane = get_local_id(0);
	size_t start = get_group_id(0) * 512;
	keys[lane] = in[start + lane];
	keys[lane + 256] = in[start + lane + 256];
	for (uint size = 2; size <= 512; size *= 2) {
		for (uint stride = size / 2; stride > 0; stride /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint at = 2 * lane - (lane & (stride - 1));
			uint low = keys[at], high = keys[at + stride];
			bool down = lane & (size / 2);
			if (low > high != down) {
				keys[at] = high;
				keys[at + stride] = low;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[start + lane] = keys[lane];
	out[start + lane + 256] = keys[lane + 256];
}
