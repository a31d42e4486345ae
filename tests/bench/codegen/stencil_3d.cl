/* Marches along z and keeps three planes in registers. */
kernel void stencil_3d(global const float *restrict in, global float *restrict out, int n, int depth)
{
	int x = get_global_id(0), y = get_global_id(1);
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
