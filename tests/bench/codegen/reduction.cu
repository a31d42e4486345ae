extern "C" __global__ void reduction(const float *__restrict__ in, float *__restrict__ sums, int n)
{
	__shared__ float part[256];
	int lane = threadIdx.x;
	float sum = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	part[lane] = sum;
	__syncthreads();
	for (int half_size = 128; half_size > 0; half_size /= 2) {
		if (lane < half_size)
			part[lane] += part[lane + half_size];
		__syncthreads();
	}
	if (lane == 0)
		sums[blockIdx.x] = part[0];
}
