// Kernels that require sizes of their work-groups, so that functions which they call know them, too.

// A copy by the work-group is as many asynchronous copies as each work-item has to make, without a loop or a size.
//from 80 cp\.async\.cg\.shared\.global .*, 16;
//copies 4
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void copy_of_known_size(global const float4 *a, global float4 *b)
{
	local float4 tile[256];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 256, 256, 0);
	wait_group_events(1, &e);
	b[get_local_id(0)] = tile[get_local_id(0) ^ 1];
}

// The rounds are the same for all work-items, and the rest is for some of them.
//from 80 cp\.async\.cg\.shared\.global .*, 16;
//copies 4
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void copy_with_a_rest(global const float4 *a, global float4 *b)
{
	local float4 tile[200];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 200, 200, 0);
	wait_group_events(1, &e);
	b[get_local_id(0)] = tile[get_local_id(0) ^ 1];
}

// Another size than that of the others, which call the same functions.
//copies 2
kernel __attribute__((reqd_work_group_size(16, 8, 1))) void copy_of_another_size(global const float4 *a, global float4 *b)
{
	local float4 tile[256];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 256, 256, 0);
	wait_group_events(1, &e);
	b[get_local_id(0)] = tile[get_local_id(0) ^ 1];
}

// No size is known here.
//has %ntid
kernel void copy_of_any_size(global const float4 *a, global float4 *b)
{
	local float4 tile[256];
	event_t e = async_work_group_copy(tile, a + get_group_id(0) * 256, 256, 0);
	wait_group_events(1, &e);
	b[get_local_id(0)] = tile[get_local_id(0) ^ 1];
}
