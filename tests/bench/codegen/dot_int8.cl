kernel void dot_int8(global const char4 *restrict a, global const char4 *restrict b,
		     global int *restrict out, int fours)
{
	int row = get_global_id(0);
	int sum = 0;
	for (int i = 0; i < fours; i++) {
		char4 p = a[i * get_global_size(0) + row], q = b[i];
		sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
	}
	out[row] = sum;
}
