extern "C" __global__ void saxpy(const float *x, float *y, float scale, unsigned long long n)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
	     i += (size_t)gridDim.x * blockDim.x)
		y[i] = fmaf(scale, x[i], y[i]);
}
