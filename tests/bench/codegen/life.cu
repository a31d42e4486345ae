extern "C" __global__ void life(const unsigned char *__restrict__ in,
				unsigned char *__restrict__ out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int around = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			around += in[((y + dy) & (height - 1)) * width + ((x + dx) & (width - 1))] & 1;
	int me = in[y * width + x] & 1;
	out[y * width + x] = around == 3 || (me && around == 4);
}
