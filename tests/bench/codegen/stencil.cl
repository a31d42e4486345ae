kernel void stencil(global const float *restrict in, global float *restrict out, int width,
		    int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	int i = y * width + x;
	if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
		return;
	out[i] = 0.5f * in[i] +
		 0.125f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
