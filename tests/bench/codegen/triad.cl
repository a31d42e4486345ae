kernel void triad(global double *restrict a, global const double *restrict b,
		  global const double *restrict c, double scale, int n)
{
	int i = get_global_id(0);
	if (i < n)
		a[i] = b[i] + scale * c[i];
}
