kernel void saxpy(global const float *x, global float *y, float scale, ulong n)
{
	for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
		y[i] = fma(scale, x[i], y[i]);
}
