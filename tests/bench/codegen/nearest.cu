extern "C" __global__ void nearest(const float4 *__restrict__ points,
				   const float4 *__restrict__ centres, int *__restrict__ out,
				   int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	float4 me = points[i];
	float least = __int_as_float(0x7f800000);
	for (int k = 0; k < count; k++) {
		float4 c = centres[k];
		float dx = me.x - c.x, dy = me.y - c.y, dz = me.z - c.z, dw = me.w - c.w;
		float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, dw * dw)));
		if (square < least) {
			least = square;
			best = k;
		}
	}
	out[i] = best;
}
