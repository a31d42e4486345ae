/*
 * Sub-groups: who is in them, barriers, and functions that all their work-items call (OpenCL C 3.0,
 * 6.15.1, 6.15.8 and 6.15.19), with the types of cl_khr_subgroup_extended_types.
 */
#include "frontend/builtins/sub_group.h"

PURE size_t get_enqueued_local_size(uint dimension);

HELPER uint groups_of(uint work_items)
{
	return (work_items + SUB_GROUP_SIZE - 1) / SUB_GROUP_SIZE;
}

PURE uint get_sub_group_size(void)
{
	return sub_group_size();
}

/* The size that all sub-groups but the last of a work-group have, whatever the work-group's. */
PURE uint get_max_sub_group_size(void)
{
	return SUB_GROUP_SIZE;
}

PURE uint get_num_sub_groups(void)
{
	return groups_of(group_size());
}

PURE uint get_enqueued_num_sub_groups(void)
{
	return groups_of((uint)get_enqueued_local_size(0) * (uint)get_enqueued_local_size(1) *
			 (uint)get_enqueued_local_size(2));
}

PURE uint get_sub_group_id(void)
{
	return (uint)get_local_linear_id() / SUB_GROUP_SIZE;
}

PURE uint get_sub_group_local_id(void)
{
	return lane();
}

/* bar.warp.sync orders the accesses of its members to all memory among themselves. */
HELPER __attribute__((convergent)) void meet(void)
{
	__asm__ __volatile__("bar.warp.sync %0;" : : "r"(of_warp(all_lanes())) : "memory");
}

SUB_GROUP void sub_group_barrier(cl_mem_fence_flags flags)
{
	(void)flags;
	meet();
}

#define PTX_FENCE(text) __asm__ __volatile__(text : : : "memory")
/* A wider scope than the sub-group asks for a fence on each side of the barrier. */
SUB_GROUP void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
	(void)flags;
	switch (scope) {
	case memory_scope_work_group:
		PTX_FENCE("fence.acq_rel.cta;");
		meet();
		PTX_FENCE("fence.acq_rel.cta;");
		break;
	case memory_scope_device:
		PTX_FENCE("fence.acq_rel.gpu;");
		meet();
		PTX_FENCE("fence.acq_rel.gpu;");
		break;
	case memory_scope_all_svm_devices:
		PTX_FENCE("fence.acq_rel.sys;");
		meet();
		PTX_FENCE("fence.acq_rel.sys;");
		break;
	default:
		meet();
		break;
	}
}

SUB_GROUP int sub_group_all(int predicate)
{
	uint lanes = all_lanes();
	return ballot(predicate, lanes) == lanes;
}

SUB_GROUP int sub_group_any(int predicate)
{
	return ballot(predicate, all_lanes()) != 0;
}

#define BROADCAST(T, unused) \
	SUB_GROUP T sub_group_broadcast(T x, uint index) \
	{ \
		return move_idx(x, index, all_lanes()); \
	} \
	BROADCAST_VECTORS(T, sub_group_broadcast)
FOR_SCALARS(BROADCAST, )

ALL_OPERATIONS(add)
ALL_OPERATIONS(min)
ALL_OPERATIONS(max)

#define UNIFORM(T, W, operation, identity) \
	SUB_GROUP T sub_group_reduce_##operation(T x) \
	{ \
		return (T)reduce_all_##operation((W)x, all_lanes()); \
	} \
	SUB_GROUP T sub_group_scan_inclusive_##operation(T x) \
	{ \
		return (T)scan_all_##operation((W)x, all_lanes()); \
	} \
	SUB_GROUP T sub_group_scan_exclusive_##operation(T x) \
	{ \
		uint lanes = all_lanes(); \
		return (T)shift_all_##operation(scan_all_##operation((W)x, lanes), (W)(identity), \
						lanes); \
	}
#define UNIFORMS(T, W, zero, one, greatest, least, unused) \
	UNIFORM(T, W, add, zero) \
	UNIFORM(T, W, min, greatest) \
	UNIFORM(T, W, max, least)
FOR_NARROW_IDENTITIES(UNIFORMS, )
FOR_WIDE_IDENTITIES(UNIFORMS, )
FOR_REAL_IDENTITIES(UNIFORMS, )
