extern "C" __global__ void spmv(const unsigned *__restrict__ starts,
				const unsigned *__restrict__ columns,
				const float *__restrict__ values, const float *__restrict__ x,
				float *__restrict__ y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0;
	for (unsigned i = starts[row]; i < starts[row + 1]; i++)
		sum = fmaf(values[i], x[columns[i]], sum);
	y[row] = sum;
}
