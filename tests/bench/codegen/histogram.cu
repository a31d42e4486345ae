extern "C" __global__ void histogram(const unsigned *__restrict__ in, unsigned *__restrict__ out,
				     int n)
{
	__shared__ unsigned bins[256];
	int lane = threadIdx.x;
	bins[lane] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned four = in[i];
		atomicAdd(&bins[four & 255], 1);
		atomicAdd(&bins[four >> 8 & 255], 1);
		atomicAdd(&bins[four >> 16 & 255], 1);
		atomicAdd(&bins[four >> 24], 1);
	}
	__syncthreads();
	atomicAdd(&out[lane], bins[lane]);
}
