extern "C" __global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int width,
				   int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * width + x;
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	out[i] = 0.5f * in[i] +
		 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
