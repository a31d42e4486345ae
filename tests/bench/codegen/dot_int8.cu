extern "C" __global__ void dot_int8(const char4 *__restrict__ a, const char4 *__restrict__ b,
				    int *__restrict__ out, int fours)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	int sum = 0;
	for (int i = 0; i < fours; i++) {
		char4 p = a[i * (size_t)(gridDim.x * blockDim.x) + row], q = b[i];
		sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
	}
	out[row] = sum;
}
