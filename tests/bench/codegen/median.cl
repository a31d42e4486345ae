/* The median of nine by sorting a private array. */
kernel void median(global const float *restrict in, global float *restrict out, int width,
		   int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	float v[9];
	for (int k = 0; k < 9; k++)
		v[k] = in[(y + k / 3 - 1) * width + x + k % 3 - 1];
	for (int i = 0; i < 5; i++) {
		for (int j = i + 1; j < 9; j++) {
			float low = fmin(v[i], v[j]), high = fmax(v[i], v[j]);
			v[i] = low;
			v[j] = high;
		}
	}
	out[y * width + x] = v[4];
}
