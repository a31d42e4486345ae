extern "C" __global__ void scan(const unsigned *__restrict__ in, unsigned *__restrict__ out)
{
	__shared__ unsigned sums[256];
	int lane = threadIdx.x;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = in[i];
	sums[lane] = sum;
	__syncthreads();
	for (int step = 1; step < 256; step *= 2) {
		unsigned before = lane >= step ? sums[lane - step] : 0;
		__syncthreads();
		sum += before;
		sums[lane] = sum;
		__syncthreads();
	}
	out[i] = sum;
}
