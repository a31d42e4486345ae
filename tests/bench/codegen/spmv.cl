kernel void spmv(global const uint *restrict starts, global const uint *restrict columns,
		 global const float *restrict values, global const float *restrict x,
		 global float *restrict y, int rows)
{
	int row = get_global_id(0);
	if (row >= rows)
		return;
	float sum = 0;
	for (uint i = starts[row]; i < starts[row + 1]; i++)
		sum = fma(values[i], x[columns[i]], sum);
	y[row] = sum;
}
