extern "C" __global__ void mandelbrot(unsigned *__restrict__ out, int width, float scale)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	float cx = fmaf(column, scale, -2.0f), cy = fmaf(row, scale, -1.0f);
	float x = 0, y = 0;
	unsigned steps = 0;
	while (steps < 256 && fmaf(x, x, y * y) <= 4) {
		float next = fmaf(x, x, fmaf(-y, y, cx));
		y = fmaf(2 * x, y, cy);
		x = next;
		steps++;
	}
	out[row * width + column] = steps;
}
