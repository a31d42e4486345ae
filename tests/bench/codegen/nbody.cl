kernel void nbody(global const float4 *restrict bodies, global float4 *restrict forces, int n)
{
	local float4 tile[256];
	int i = get_global_id(0), lane = get_local_id(0);
	float4 me = bodies[i];
	float x = 0, y = 0, z = 0;
	for (int start = 0; start < n; start += 256) {
		tile[lane] = bodies[start + lane];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < 256; k++) {
			float4 other = tile[k];
			float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
			float square = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f)));
			float inverse = rsqrt(square);
			float pull = other.w * inverse * inverse * inverse;
			x = fma(dx, pull, x);
			y = fma(dy, pull, y);
			z = fma(dz, pull, z);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	forces[i] = (float4)(x, y, z, 0);
}
