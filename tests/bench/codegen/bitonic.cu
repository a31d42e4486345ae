extern "C" __global__ void bitonic(const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
	__shared__ unsigned keys[512];
	unsigned lane = threadIdx.x;
	size_t start = (size_t)blockIdx.x * 512;
	keys[lane] = in[start + lane];
	keys[lane + 256] = in[start + lane + 256];
	for (unsigned size = 2; size <= 512; size *= 2) {
		for (unsigned stride = size / 2; stride > 0; stride /= 2) {
			__syncthreads();
			unsigned at = 2 * lane - (lane & (stride - 1));
			unsigned low = keys[at], high = keys[at + stride];
			bool down = lane & (size / 2);
			if (low > high != down) {
				keys[at] = high;
				keys[at + stride] = low;
			}
		}
	}
	__syncthreads();
	out[start + lane] = keys[lane];
	out[start + lane + 256] = keys[lane + 256];
}
