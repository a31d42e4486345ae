extern "C" __global__ void dot_sum(const char4 *__restrict__ a, const char4 *__restrict__ b,
				   int *__restrict__ out, int fours)
{
	const int *words = (const int *)a, *column = (const int *)b;
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	int sum = 0;
	for (int i = 0; i < fours; i++)
		sum = __dp4a(words[i * (size_t)(gridDim.x * blockDim.x) + row], column[i], sum);
	out[row] = sum;
}
