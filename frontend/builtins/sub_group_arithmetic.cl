/*
 * Scans and reductions over the work-items that call them, in a sub-group or in clusters of it
 * (cl_khr_subgroup_non_uniform_arithmetic, cl_khr_subgroup_clustered_reduce; OpenCL C 3.0,
 * 6.15.19.2 and 6.15.19.3).
 *
 * `lanes` execute this together, or all come by; `among`, of these, are the ones that this lane's result is made
 * of.
 */
#include "frontend/builtins/sub_group.h"

/* The next lane of `among` below this one; this one where there is none. */
HELPER uint lane_before(uint among)
{
	uint below = among & lanes_below();
	return below ? last_lane(below) : lane();
}

HELPER bool is_first(uint among)
{
	return !(among & lanes_below());
}

/*
 * The inclusive scan over lanes with gaps.  `from` is the lane whose value is still missing next:
 * taking that lane's own `from` over doubles the distance each time, and a lane that has all points
 * at itself.  The number of steps is the same for all lanes that are here.
 */
#define SCAN_AMONG(W, operation) \
	TOGETHER W scan_among_##operation(W x, uint lanes, uint among, uint most) \
	{ \
		uint from = lane_before(among), count = (uint)__builtin_popcount(lanes); \
		bool done = is_first(among); \
		count = count < most ? count : most; \
		for (uint step = 1; step < count; step *= 2) { \
			W more = move_idx(x, from, lanes); \
			uint next = move_idx(done ? lane() | 32u : from, from, lanes); \
			x = done ? x : combine_##operation(more, x); \
			done = done || next & 32u; \
			from = done ? lane() : next; \
		} \
		return x; \
	} \
	TOGETHER W last_among_##operation(W scanned, uint lanes, uint among) \
	{ \
		return move_idx(scanned, last_lane(among), lanes); \
	} \
	TOGETHER W before_among_##operation(W scanned, W identity, uint lanes) \
	{ \
		W before = move_idx(scanned, lane_before(lanes), lanes); \
		return is_first(lanes) ? identity : before; \
	}
#define REDUCE_AMONG(W, operation) \
	TOGETHER W reduce_among_##operation(W x, uint lanes, uint among, uint most) \
	{ \
		x = scan_among_##operation(x, lanes, among, most); \
		return last_among_##operation(x, lanes, among); \
	}
#define REDUCE_AMONG_REDUX(W, operation) \
	TOGETHER W reduce_among_##operation(W x, uint lanes, uint among, uint most) \
	{ \
		W y; \
		if (__culvert_hidden_sm_80()) { \
			if (most == SUB_GROUP_SIZE) \
				return redux_##operation(x, lanes); \
		} \
		y = scan_among_##operation(x, lanes, among, most); \
		return last_among_##operation(y, lanes, among); \
	}
#define AMONG_BITWISE(operation) \
	SCAN_AMONG(int, operation) \
	SCAN_AMONG(uint, operation) \
	SCAN_AMONG(long, operation) \
	SCAN_AMONG(ulong, operation) \
	REDUCE_AMONG_REDUX(int, operation) \
	REDUCE_AMONG_REDUX(uint, operation) \
	REDUCE_AMONG(long, operation) \
	REDUCE_AMONG(ulong, operation)
#define AMONG_REALS(operation) \
	SCAN_AMONG(float, operation) \
	SCAN_AMONG(double, operation) \
	REDUCE_AMONG(float, operation) \
	REDUCE_AMONG(double, operation)
AMONG_BITWISE(add)
AMONG_REALS(add)
AMONG_BITWISE(min)
AMONG_REALS(min)
AMONG_BITWISE(max)
AMONG_REALS(max)
AMONG_BITWISE(and)
AMONG_BITWISE(or)
AMONG_BITWISE(xor)
/* There is no redux for products. */
FOR_COMBINED(SCAN_AMONG, mul)
FOR_COMBINED(REDUCE_AMONG, mul)

#define ACTIVE(T, W, operation, identity, NAME, LANES) \
	SUB_GROUP T NAME##_non_uniform_reduce_##operation(T x) \
	{ \
		uint lanes = LANES; \
		return (T)reduce_among_##operation((W)x, lanes, lanes, SUB_GROUP_SIZE); \
	} \
	SUB_GROUP T NAME##_non_uniform_scan_inclusive_##operation(T x) \
	{ \
		uint lanes = LANES; \
		return (T)scan_among_##operation((W)x, lanes, lanes, SUB_GROUP_SIZE); \
	} \
	SUB_GROUP T NAME##_non_uniform_scan_exclusive_##operation(T x) \
	{ \
		uint lanes = LANES; \
		W scanned = scan_among_##operation((W)x, lanes, lanes, SUB_GROUP_SIZE); \
		return (T)before_among_##operation(scanned, (W)(identity), lanes); \
	} \
	SUB_GROUP T NAME##_clustered_reduce_##operation(T x, uint size) \
	{ \
		uint lanes = LANES, among = lanes & cluster_lanes(size); \
		return (T)reduce_among_##operation((W)x, lanes, among, size); \
	}
#define ARITHMETIC(T, W, zero, one, greatest, least, NAME, LANES) \
	ACTIVE(T, W, add, zero, NAME, LANES) \
	ACTIVE(T, W, mul, one, NAME, LANES) \
	ACTIVE(T, W, min, greatest, NAME, LANES) \
	ACTIVE(T, W, max, least, NAME, LANES)
#define BITWISE(T, W, zero, one, greatest, least, NAME, LANES) \
	ACTIVE(T, W, and, (T)~(T)0, NAME, LANES) \
	ACTIVE(T, W, or, 0, NAME, LANES) \
	ACTIVE(T, W, xor, 0, NAME, LANES)
#define FORMS(NAME, LANES) \
	FOR_NARROW_IDENTITIES(ARITHMETIC, NAME, LANES) \
	FOR_WIDE_IDENTITIES(ARITHMETIC, NAME, LANES) \
	FOR_REAL_IDENTITIES(ARITHMETIC, NAME, LANES) \
	FOR_NARROW_IDENTITIES(BITWISE, NAME, LANES) \
	FOR_WIDE_IDENTITIES(BITWISE, NAME, LANES)
FORMS(sub_group, active_lanes())
/* Where all work-items of the sub-group are known to come by (sub_group_active.cl). */
FORMS(__culvert_converged_sub_group, all_lanes())

/* Logic is one vote: what is left is to count the votes of the right lanes. */
HELPER int count_and(uint votes, uint among)
{
	return (votes & among) == among;
}

HELPER int count_or(uint votes, uint among)
{
	return (votes & among) != 0;
}

HELPER int count_xor(uint votes, uint among)
{
	return __builtin_popcount(votes & among) & 1;
}

#define LOGICAL(operation, NAME, LANES) \
	SUB_GROUP int NAME##_non_uniform_reduce_logical_##operation(int predicate) \
	{ \
		uint lanes = LANES; \
		return count_##operation(ballot(predicate, lanes), lanes); \
	} \
	SUB_GROUP int NAME##_non_uniform_scan_inclusive_logical_##operation(int predicate) \
	{ \
		uint lanes = LANES; \
		uint among = lanes & of_sub_group((uint)__nvvm_read_ptx_sreg_lanemask_le()); \
		return count_##operation(ballot(predicate, lanes), among); \
	} \
	SUB_GROUP int NAME##_non_uniform_scan_exclusive_logical_##operation(int predicate) \
	{ \
		uint lanes = LANES; \
		return count_##operation(ballot(predicate, lanes), lanes & lanes_below()); \
	} \
	SUB_GROUP int NAME##_clustered_reduce_logical_##operation(int predicate, uint size) \
	{ \
		uint lanes = LANES; \
		return count_##operation(ballot(predicate, lanes), lanes & cluster_lanes(size)); \
	}
#define LOGICALS(NAME, LANES) \
	LOGICAL(and, NAME, LANES) \
	LOGICAL(or, NAME, LANES) \
	LOGICAL(xor, NAME, LANES)
LOGICALS(sub_group, active_lanes())
LOGICALS(__culvert_converged_sub_group, all_lanes())
