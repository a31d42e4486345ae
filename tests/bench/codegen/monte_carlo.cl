kernel void monte_carlo(global uint *restrict hits, uint seed, int tries)
{
	uint i = get_global_id(0);
	uint4 state = (uint4)(seed ^ i, i * 362436069u + 1, 521288629u, 88675123u);
	uint inside = 0;
	for (int k = 0; k < tries; k++) {
		float point[2];
		for (int d = 0; d < 2; d++) {
			uint t = state.x ^ state.x << 11;
			state.xyz = state.yzw;
			state.w = state.w ^ state.w >> 19 ^ t ^ t >> 8;
			point[d] = (state.w >> 8) * 0x1p-24f;
		}
		inside += fma(point[0], point[0], point[1] * point[1]) < 1;
	}
	hits[i] = inside;
}
