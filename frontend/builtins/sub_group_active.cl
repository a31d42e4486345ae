/*
 * Sub-group functions for the work-items that call them, be it all or not: votes, ballots, shuffles
 * and rotations (cl_khr_subgroup_non_uniform_vote, _ballot, _shuffle, _shuffle_relative, _rotate;
 * OpenCL C 3.0, 6.15.19.1 and 6.15.19.4 to 7).
 *
 * Each is there twice: as programs call it, for the lanes that are here together, and as
 * __culvert_converged_*, which frontend/converged_calls.c puts in its place where all work-items of
 * the sub-group are known to come by.  That one waits for all of them, however the warp is divided.  It
 * names lanes that the last sub-group of a work-group may not have: PTX waits for those that have not
 * exited, and no function here takes a value from the others or counts them.
 */
#include "frontend/builtins/sub_group.h"

/* -- votes ------------------------------------------------------------------------------------- */

#define VOTES(NAME, LANES) \
	SUB_GROUP int NAME##_elect(void) \
	{ \
		return lane() == first_lane(LANES); \
	} \
	SUB_GROUP int NAME##_non_uniform_all(int predicate) \
	{ \
		return ballot(!predicate, LANES) == 0; \
	} \
	SUB_GROUP int NAME##_non_uniform_any(int predicate) \
	{ \
		return ballot(predicate, LANES) != 0; \
	}
VOTES(sub_group, active_lanes())
VOTES(__culvert_converged_sub_group, EVERY_LANE)

/* Reals are compared as such: zeros of both signs are equal, a NaN is not even equal to itself. */
#define ALL_EQUAL(T, NAME, LANES) \
	SUB_GROUP int NAME##_non_uniform_all_equal(T x) \
	{ \
		uint lanes = LANES; \
		T first = move_idx(x, first_lane(lanes), lanes); \
		return ballot(!(first == x), lanes) == 0; \
	}
FOR_SCALARS(ALL_EQUAL, sub_group, active_lanes())
FOR_SCALARS(ALL_EQUAL, __culvert_converged_sub_group, EVERY_LANE)

/* -- ballots ----------------------------------------------------------------------------------- */

#define BROADCAST(T, NAME, LANES) \
	SUB_GROUP T NAME##_non_uniform_broadcast(T x, uint index) \
	{ \
		return move_idx(x, index, LANES); \
	} \
	SUB_GROUP T NAME##_broadcast_first(T x) \
	{ \
		uint lanes = LANES; \
		return move_idx(x, first_lane(lanes), lanes); \
	} \
	BROADCAST_VECTORS(T, NAME##_non_uniform_broadcast)
FOR_SCALARS(BROADCAST, sub_group, active_lanes())
FOR_SCALARS(BROADCAST, __culvert_converged_sub_group, EVERY_LANE)

#define BALLOT(NAME, LANES) \
	SUB_GROUP uint4 NAME##_ballot(int predicate) \
	{ \
		return (uint4)(ballot(predicate, LANES), 0, 0, 0); \
	}
BALLOT(sub_group, active_lanes())
BALLOT(__culvert_converged_sub_group, EVERY_LANE)

/* cl_khr_subgroup_ballot: only the bits of the sub-group's work-items count. */
#if SUB_GROUP_SIZE == 32
#define SEEN(value) (value).x
#else
#define SEEN(value) ((value).x & EVERY_LANE)
#endif

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
	return (uint)__builtin_popcount(SEEN(value));
}

PURE uint sub_group_ballot_inclusive_scan(uint4 value)
{
	uint below = of_sub_group((uint)__nvvm_read_ptx_sreg_lanemask_le());
	return (uint)__builtin_popcount(value.x & below);
}

PURE uint sub_group_ballot_exclusive_scan(uint4 value)
{
	return (uint)__builtin_popcount(value.x & lanes_below());
}

PURE uint sub_group_ballot_find_lsb(uint4 value)
{
	return first_lane(SEEN(value));
}

PURE uint sub_group_ballot_find_msb(uint4 value)
{
	return last_lane(SEEN(value));
}

#define MASK(kind) \
	PURE uint4 get_sub_group_##kind##_mask(void) \
	{ \
		return (uint4)(of_sub_group((uint)__nvvm_read_ptx_sreg_lanemask_##kind()), 0, 0, 0); \
	}
MASK(eq)
MASK(ge)
MASK(gt)
MASK(le)
MASK(lt)

/* -- shuffles and rotations -------------------------------------------------------------------- */

#define SHUFFLES(T, NAME, LANES) \
	SHUFFLES_OF_ONE(T, NAME, LANES) \
	SUB_GROUP T NAME##_shuffle_up(T x, uint delta) \
	{ \
		return move_up(x, delta, LANES); \
	} \
	SUB_GROUP T NAME##_shuffle_down(T x, uint delta) \
	{ \
		return move_down(x, delta, LANES); \
	} \
	SUB_GROUP T NAME##_rotate(T x, int delta) \
	{ \
		return move_idx(x, lane() + (uint)delta, LANES); \
	} \
	SUB_GROUP T NAME##_clustered_rotate(T x, int delta, uint size) \
	{ \
		uint within = size - 1; \
		uint from = (lane() & ~within) | ((lane() + (uint)delta) & within); \
		return move_idx(x, from, LANES); \
	}
FOR_SCALARS(SHUFFLES, sub_group, active_lanes())
FOR_SCALARS(SHUFFLES, __culvert_converged_sub_group, EVERY_LANE)
