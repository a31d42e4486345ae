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

// What a work-item reads of others of its warp, without a barrier, stays behind what those store.
//has st\.volatile\.shared.*\[%r[0-9]+\]
//has ld\.volatile\.shared.*\[%r[0-9]+\+32\]
//has ld\.volatile\.shared.*\[%r[0-9]+\+16\]
kernel void exchange_in_warp(global float *a)
{
	local float tile[256];
	int i = get_local_id(0);
	tile[i] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	if ((i & 31) < 16) tile[i] += tile[i + 16];
	if ((i & 31) < 8) tile[i] += tile[i + 8];
	if ((i & 31) < 4) tile[i] += tile[i + 4];
	a[I] = tile[i];
}

// With barriers, or where each work-item has a row or a column of its own, accesses are plain ones.
//lacks volatile
kernel void exchange_by_barriers(global float *a)
{
	local float tile[256];
	int i = get_local_id(0);
	tile[i] = a[I];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int n = 128; n > 0; n /= 2) {
		if (i < n)
			tile[i] += tile[i + n];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	a[I] = tile[i];
}

//lacks volatile
kernel void rows_and_columns_of_its_own(global float *a, int columns)
{
	local float rows[64 * 4], tile[64 * 4];
	int i = get_local_id(0);
	for (int n = 0; n < 4; n++) {
		rows[4 * i + n] = a[4 * I + n];
		tile[64 * n + i] = rows[4 * i + (n + 1) % 4];
	}
	rows[4 * i] += rows[4 * i + 1] * columns;
	tile[64 + i] += tile[i] * columns;
	tile[columns * 2 + i] += tile[columns + i];
	for (int n = 0; n < 4; n++)
		a[4 * I + n] = rows[4 * i + n] + tile[64 * n + i];
}
