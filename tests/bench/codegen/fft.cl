/* One radix-4 pass of a Stockham transform: `step` is 4 to the power of the passes done. */
float2 times(float2 a, float2 b)
{
	return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel void fft(global const float2 *restrict in, global float2 *restrict out, int n, int step)
{
	int i = get_global_id(0);
	int k = i & (step - 1);
	int quarter = n / 4;
	float angle = -6.28318530718f / (4 * step) * k;
	float2 w1 = (float2)(native_cos(angle), native_sin(angle));
	float2 w2 = times(w1, w1), w3 = times(w1, w2);
	float2 a = in[i], b = times(in[i + quarter], w1);
	float2 c = times(in[i + 2 * quarter], w2), d = times(in[i + 3 * quarter], w3);
	float2 s = a + c, t = a - c, u = b + d, v = (float2)(b.y - d.y, d.x - b.x);
	int to = (i - k) * 4 + k;
	out[to] = s + u;
	out[to + step] = t + v;
	out[to + 2 * step] = s - u;
	out[to + 3 * step] = t - v;
}
