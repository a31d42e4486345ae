constant float weights[9] = {0.02f, 0.06f, 0.12f, 0.18f, 0.24f, 0.18f, 0.12f, 0.06f, 0.02f};

kernel void blur(global const float *restrict in, global float *restrict out, int n)
{
	local float line[256 + 8];
	int lane = get_local_id(0), i = get_global_id(0);
	line[lane + 4] = in[i];
	if (lane < 4) {
		line[lane] = i >= 4 ? in[i - 4] : 0;
		line[lane + 260] = i + 256 < n ? in[i + 256] : 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0;
	for (int k = 0; k < 9; k++)
		sum = fma(weights[k], line[lane + k], sum);
	out[i] = sum;
}
