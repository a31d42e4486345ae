extern "C" __global__ void monte_carlo(unsigned *__restrict__ hits, unsigned seed, int tries)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	uint4 state = make_uint4(seed ^ i, i * 362436069u + 1, 521288629u, 88675123u);
	unsigned inside = 0;
	for (int k = 0; k < tries; k++) {
		float point[2];
		for (int d = 0; d < 2; d++) {
			unsigned t = state.x ^ state.x << 11;
			state.x = state.y;
			state.y = state.z;
			state.z = state.w;
			state.w = state.w ^ state.w >> 19 ^ t ^ t >> 8;
			point[d] = (state.w >> 8) * 0x1p-24f;
		}
		inside += fmaf(point[0], point[0], point[1] * point[1]) < 1;
	}
	hits[i] = inside;
}
