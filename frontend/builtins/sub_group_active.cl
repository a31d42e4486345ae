/*
 * Sub-group functions for the work-items that call them, be it all or not: votes, ballots, shuffles
 * and rotations (cl_khr_subgroup_non_uniform_vote, _ballot, _shuffle, _shuffle_relative, _rotate;
 * OpenCL C 3.0, 6.15.19.1 and 6.15.19.4 to 7).
 */
#include "frontend/builtins/sub_group.h"

/* -- votes ------------------------------------------------------------------------------------- */

SUB_GROUP int sub_group_elect(void)
{
	return lane() == first_lane(active_lanes());
}

SUB_GROUP int sub_group_non_uniform_all(int predicate)
{
	uint lanes = active_lanes();
	return ballot(predicate, lanes) == lanes;
}

SUB_GROUP int sub_group_non_uniform_any(int predicate)
{
	return ballot(predicate, active_lanes()) != 0;
}

/* Reals are compared as such: zeros of both signs are equal, a NaN is not even equal to itself. */
#define ALL_EQUAL(T, unused) \
	SUB_GROUP int sub_group_non_uniform_all_equal(T x) \
	{ \
		uint lanes = active_lanes(); \
		T first = move_idx(x, first_lane(lanes), lanes); \
		return ballot(first == x, lanes) == lanes; \
	}
FOR_SCALARS(ALL_EQUAL, )

/* -- ballots ----------------------------------------------------------------------------------- */

#define BROADCAST(T, unused) \
	SUB_GROUP T sub_group_non_uniform_broadcast(T x, uint index) \
	{ \
		return move_idx(x, index, active_lanes()); \
	} \
	SUB_GROUP T sub_group_broadcast_first(T x) \
	{ \
		uint lanes = active_lanes(); \
		return move_idx(x, first_lane(lanes), lanes); \
	} \
	BROADCAST_VECTORS(T, sub_group_non_uniform_broadcast)
FOR_SCALARS(BROADCAST, )

SUB_GROUP uint4 sub_group_ballot(int predicate)
{
	return (uint4)(ballot(predicate, active_lanes()), 0, 0, 0);
}

PURE int sub_group_inverse_ballot(uint4 value)
{
	return (int)(value.x >> lane() & 1);
}

PURE int sub_group_ballot_bit_extract(uint4 value, uint index)
{
	return (int)(value.x >> (index & 31) & 1);
}

PURE uint sub_group_ballot_bit_count(uint4 value)
{
	return (uint)__builtin_popcount(value.x);
}

PURE uint sub_group_ballot_inclusive_scan(uint4 value)
{
	uint below = (uint)__nvvm_read_ptx_sreg_lanemask_le();
	return (uint)__builtin_popcount(value.x & below);
}

PURE uint sub_group_ballot_exclusive_scan(uint4 value)
{
	return (uint)__builtin_popcount(value.x & lanes_below());
}

PURE uint sub_group_ballot_find_lsb(uint4 value)
{
	return first_lane(value.x);
}

PURE uint sub_group_ballot_find_msb(uint4 value)
{
	return last_lane(value.x);
}

#define MASK(kind) \
	PURE uint4 get_sub_group_##kind##_mask(void) \
	{ \
		return (uint4)((uint)__nvvm_read_ptx_sreg_lanemask_##kind(), 0, 0, 0); \
	}
MASK(eq)
MASK(ge)
MASK(gt)
MASK(le)
MASK(lt)

/* -- shuffles and rotations -------------------------------------------------------------------- */

#define SHUFFLES(T, unused) \
	SUB_GROUP T sub_group_shuffle(T x, uint index) \
	{ \
		return move_idx(x, index, active_lanes()); \
	} \
	SUB_GROUP T sub_group_shuffle_xor(T x, uint mask) \
	{ \
		return move_bfly(x, mask, active_lanes()); \
	} \
	SUB_GROUP T sub_group_shuffle_up(T x, uint delta) \
	{ \
		return move_up(x, delta, active_lanes()); \
	} \
	SUB_GROUP T sub_group_shuffle_down(T x, uint delta) \
	{ \
		return move_down(x, delta, active_lanes()); \
	} \
	SUB_GROUP T sub_group_rotate(T x, int delta) \
	{ \
		return move_idx(x, lane() + (uint)delta, active_lanes()); \
	} \
	SUB_GROUP T sub_group_clustered_rotate(T x, int delta, uint size) \
	{ \
		uint within = size - 1; \
		uint from = (lane() & ~within) | ((lane() + (uint)delta) & within); \
		return move_idx(x, from, active_lanes()); \
	}
FOR_SCALARS(SHUFFLES, )
