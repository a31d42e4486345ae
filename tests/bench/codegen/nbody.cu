extern "C" __global__ void nbody(const float4 *__restrict__ bodies, float4 *__restrict__ forces,
				 int n)
{
	__shared__ float4 tile[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x;
	float4 me = bodies[i];
	float x = 0, y = 0, z = 0;
	for (int start = 0; start < n; start += 256) {
		tile[lane] = bodies[start + lane];
		__syncthreads();
		for (int k = 0; k < 256; k++) {
			float4 other = tile[k];
			float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
			float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
			float inverse = rsqrtf(square);
			float pull = other.w * inverse * inverse * inverse;
			x = fmaf(dx, pull, x);
			y = fmaf(dy, pull, y);
			z = fmaf(dz, pull, z);
		}
		__syncthreads();
	}
	forces[i] = make_float4(x, y, z, 0);
}
