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
