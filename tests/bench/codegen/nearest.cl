/* The nearest of the centres, which all work-items read alike. */
kernel void nearest(global const float4 *restrict points, global const float4 *restrict centres,
		    global int *restrict out, int count)
{
	int i = get_global_id(0), best = 0;
	float4 me = points[i];
	float least = INFINITY;
	for (int k = 0; k < count; k++) {
		float4 d = me - centres[k];
		float square = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, d.w * d.w)));
		if (square < least) {
			least = square;
			best = k;
		}
	}
	out[i] = best;
}
