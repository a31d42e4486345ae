extern "C" __global__ void vector(const float4 *__restrict__ a, const float4 *__restrict__ x,
				  float *__restrict__ y, int fours)
{
	__shared__ float part[128];
	int lane = threadIdx.x;
	const float4 *row = a + (size_t)blockIdx.x * fours;
	float sum = 0;
	for (int i = lane; i < fours; i += blockDim.x) {
		float4 p = row[i], q = x[i];
		sum = fmaf(p.x, q.x, fmaf(p.y, q.y, fmaf(p.z, q.z, fmaf(p.w, q.w, sum))));
	}
	part[lane] = sum;
	for (int step = 64; step > 0; step /= 2) {
		__syncthreads();
		if (lane < step)
			part[lane] += part[lane + step];
	}
	if (lane == 0)
		y[blockIdx.x] = part[0];
}
