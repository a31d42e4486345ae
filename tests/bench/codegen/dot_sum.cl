kernel void dot_sum(global const char4 *restrict a, global const char4 *restrict b,
		    global int *restrict out, int fours)
{
	int row = get_global_id(0);
	int sum = 0;
	for (int i = 0; i < fours; i++)
		sum += dot(a[i * get_global_size(0) + row], b[i]);
	out[row] = sum;
}
