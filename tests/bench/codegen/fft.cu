__device__ float2 times(float2 a, float2 b)
{
	return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ float2 plus(float2 a, float2 b)
{
	return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 minus(float2 a, float2 b)
{
	return make_float2(a.x - b.x, a.y - b.y);
}

extern "C" __global__ void fft(const float2 *__restrict__ in, float2 *__restrict__ out, int n,
			       int step)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int k = i & (step - 1);
	int quarter = n / 4;
	float angle = -6.28318530718f / (4 * step) * k;
	float2 w1 = make_float2(__cosf(angle), __sinf(angle));
	float2 w2 = times(w1, w1), w3 = times(w1, w2);
	float2 a = in[i], b = times(in[i + quarter], w1);
	float2 c = times(in[i + 2 * quarter], w2), d = times(in[i + 3 * quarter], w3);
	float2 s = plus(a, c), t = minus(a, c), u = plus(b, d);
	float2 v = make_float2(b.y - d.y, d.x - b.x);
	int to = (i - k) * 4 + k;
	out[to] = plus(s, u);
	out[to + step] = plus(t, v);
	out[to + 2 * step] = minus(s, u);
	out[to + 3 * step] = minus(t, v);
}
