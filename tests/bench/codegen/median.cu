extern "C" __global__ void median(const float *__restrict__ in, float *__restrict__ out, int width,
				  int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	float v[9];
	for (int k = 0; k < 9; k++)
		v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
	for (int i = 0; i < 5; i++) {
		for (int j = i + 1; j < 9; j++) {
			float low = fminf(v[i], v[j]), high = fmaxf(v[i], v[j]);
			v[i] = low;
			v[j] = high;
		}
	}
	out[y * width + x] = v[4];
}
