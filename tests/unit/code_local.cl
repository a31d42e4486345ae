/* As code.cl, in a program without halves, where local pointers have 32 bits. */
#define I get_global_id(0)

//has ld\.shared\.u32 .*\[%r[0-9]+\+32\]
//lacks ld\.shared\.u32 .*\[%rd|add\.s32 .*, 8;
kernel void narrow_local_pointers(global uint *a, uint i)
{
	local uint tile[64];
	tile[get_local_id(0)] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	a[I] = tile[i] + tile[i + 8];
}

local uint *behind(local uint *tile, uint i)
{
	return tile + i;
}

uint sum_of_two(local uint *tile, uint i)
{
	return *behind(tile, i) + *behind(tile, i + 8);
}

// So are they where functions take and return pointers.
//has ld\.shared\.u32 .*\[%r[0-9]+\+32\]
//lacks ld\.shared\.u32 .*\[%rd|add\.s32 .*, 8;
kernel void local_pointers_to_functions(global uint *a, uint i)
{
	local uint tile[64];
	tile[get_local_id(0)] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	a[I] = sum_of_two(tile, i);
}

// Copies by the work-group go by the GPU's asynchronous ones: sixteen bytes where addresses allow, else an element.
//from 80 cp\.async\.cg\.shared\.global .*, 16;
//from 80 cp\.async\.ca\.shared\.global .*, 4;
//from 80 cp\.async\.wait_all
kernel void copy_of_floats(global const float *a, global float *b)
{
	local float tile[256];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 256, 256, 0);
	wait_group_events(1, &e);
	b[I] = tile[255 - get_local_id(0)];
}

//from 80 cp\.async\.cg\.shared\.global .*, 16;
//lacks cp\.async\.ca
kernel void copy_of_vectors(global const float4 *a, global float4 *b)
{
	local float4 tile[256];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 256, 256, 0);
	wait_group_events(1, &e);
	b[I] = tile[255 - get_local_id(0)];
}

//from 80 cp\.async\.ca\.shared\.global .*, 8;
kernel void strided_copy(global const float2 *a, global float2 *b, int stride)
{
	local float2 tile[256];
	event_t e = async_work_group_strided_copy(tile, a + get_group_id(0) * 256, 256, stride, 0);
	wait_group_events(1, &e);
	b[I] = tile[255 - get_local_id(0)];
}

// To global memory there is none.
//lacks cp\.async\.c[ag]
kernel void copy_to_global(global float *b)
{
	local float tile[256];
	tile[get_local_id(0)] = 255 - get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	event_t e = async_work_group_copy(b + get_group_id(0) * 256, tile, 256, 0);
	wait_group_events(1, &e);
}
