__device__ float normal(float d)
{
	float k = 1 / (1 + 0.2316419f * fabsf(d));
	float sum = k * (0.31938153f +
			 k * (-0.356563782f +
			      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	float density = 0.39894228040143267794f * expf(-0.5f * d * d) * sum;
	return d > 0 ? 1 - density : density;
}

extern "C" __global__ void black_scholes(const float *__restrict__ prices,
					 const float *__restrict__ strikes,
					 const float *__restrict__ years,
					 float *__restrict__ calls, float *__restrict__ puts,
					 float rate, float volatility)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 5 + 25 * prices[i], x = 1 + 99 * strikes[i], t = 0.25f + 9.75f * years[i];
	float root = sqrtf(t);
	float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
	float d2 = d1 - volatility * root;
	float n1 = normal(d1), n2 = normal(d2);
	float discounted = x * expf(-rate * t);
	calls[i] = s * n1 - discounted * n2;
	puts[i] = discounted * (1 - n2) - s * (1 - n1);
}
