kernel void mandelbrot(global uint *restrict out, int width, float scale)
{
	int column = get_global_id(0), row = get_global_id(1);
	float cx = fma((float)column, scale, -2.0f), cy = fma((float)row, scale, -1.0f);
	float x = 0, y = 0;
	uint steps = 0;
	while (steps < 256 && fma(x, x, y * y) <= 4) {
		float next = fma(x, x, fma(-y, y, cx));
		y = fma(2 * x, y, cy);
		x = next;
		steps++;
	}
	out[row * width + column] = steps;
}
