extern "C" __global__ void stencil_3d(const float *__restrict__ in, float *__restrict__ out, int n,
				      int depth)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
		return;
	int plane = n * n, i = y * n + x;
	float below = in[i], here = in[i + plane];
	for (int z = 1; z < depth - 1; z++) {
		i += plane;
		float above = in[i + plane];
		out[i] = here - 0.1f * (6 * here - below - above - in[i - 1] - in[i + 1] -
					in[i - n] - in[i + n]);
		below = here;
		here = above;
	}
}
