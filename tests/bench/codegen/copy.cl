kernel void copy(global const float4 *restrict from, global float4 *restrict to)
{
	size_t i = get_global_id(0);
	to[i] = from[i];
}
