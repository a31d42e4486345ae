/*
 * Functions of the whole work-group, OpenCL C 3.0, 6.15.16, and those of
 * cl_khr_work_group_uniform_arithmetic.
 *
 * Votes are one instruction.  The others go through the sub-groups first, then leave one value for
 * each in local memory, from which every sub-group takes what it needs: two barriers, of which the
 * first keeps one function's values from the next one's.
 */
#include "frontend/builtins/sub_group.h"

/* Room for a value of each of the 32 sub-groups; the frontend makes it (lower_device.c). */
extern __attribute__((const)) __local ulong *__culvert_hidden_scratch(void);

#define SLOT(T, at) ((__local T *)(__culvert_hidden_scratch() + (at)))

SUB_GROUP int work_group_all(int predicate)
{
	return __nvvm_bar0_and(predicate);
}

SUB_GROUP int work_group_any(int predicate)
{
	return __nvvm_bar0_or(predicate);
}

HELPER uint sub_groups(void)
{
	return (group_size() + SUB_GROUP_SIZE - 1) / SUB_GROUP_SIZE;
}

HELPER uint sub_group(void)
{
	return (uint)get_local_linear_id() / SUB_GROUP_SIZE;
}

/* The value of the work-item with a linear local id. */
#define FETCH(T) \
	TOGETHER T fetch(T x, uint id) \
	{ \
		if (sub_groups() == 1) \
			return move_idx(x, id, all_lanes()); \
		__nvvm_bar_sync(0); \
		if ((uint)get_local_linear_id() == id) \
			*SLOT(T, 0) = x; \
		__nvvm_bar_sync(0); \
		return *SLOT(T, 0); \
	}
FETCH(int)
FETCH(uint)
FETCH(long)
FETCH(ulong)
FETCH(half)
FETCH(float)
FETCH(double)

#define BROADCAST(T) \
	SUB_GROUP T work_group_broadcast(T a, size_t x) \
	{ \
		return fetch(a, (uint)x); \
	} \
	SUB_GROUP T work_group_broadcast(T a, size_t x, size_t y) \
	{ \
		return fetch(a, (uint)(y * get_local_size(0) + x)); \
	} \
	SUB_GROUP T work_group_broadcast(T a, size_t x, size_t y, size_t z) \
	{ \
		return fetch(a, (uint)((z * get_local_size(1) + y) * get_local_size(0) + x)); \
	}
BROADCAST(int)
BROADCAST(uint)
BROADCAST(long)
BROADCAST(ulong)
BROADCAST(half)
BROADCAST(float)
BROADCAST(double)

ALL_OPERATIONS(add)
ALL_OPERATIONS(min)
ALL_OPERATIONS(max)
/* There is no redux for products. */
FOR_COMBINED(SCAN_ALL, mul)
FOR_COMBINED(REDUCE_ALL, mul)

#define FOR_BITS(M, operation) \
	M(int, operation) \
	M(uint, operation) \
	M(long, operation) \
	M(ulong, operation)
#define ALL_BITWISE(operation) \
	FOR_BITS(SCAN_ALL, operation) \
	REDUCE_ALL_REDUX(int, operation) \
	REDUCE_ALL_REDUX(uint, operation) \
	REDUCE_ALL(long, operation) \
	REDUCE_ALL(ulong, operation)
ALL_BITWISE(and)
ALL_BITWISE(or)
ALL_BITWISE(xor)

/*
 * leave: each sub-group's total, for all to see.  gather: the first `count` totals combined, count
 * not 0.  Only the last sub-group can have fewer lanes than there are totals; it takes them one by
 * one.
 */
#define GROUP_STEPS(W, operation) \
	TOGETHER void leave_##operation(W scanned, uint lanes) \
	{ \
		__nvvm_bar_sync(0); \
		if (lane() == last_lane(lanes)) \
			*SLOT(W, sub_group()) = scanned; \
		__nvvm_bar_sync(0); \
	} \
	TOGETHER W gather_##operation(W filler, uint count, uint lanes) \
	{ \
		if (lanes == ~0u) { \
			W total = lane() < count ? *SLOT(W, lane()) : filler; \
			return move_idx(scan_all_##operation(total, lanes), count - 1, lanes); \
		} \
		W total = *SLOT(W, 0); \
		for (uint i = 1; i < count; i++) \
			total = combine_##operation(total, *SLOT(W, i)); \
		return total; \
	} \
	TOGETHER W reduce_group_##operation(W x) \
	{ \
		uint lanes = all_lanes(), count = sub_groups(); \
		x = reduce_all_##operation(x, lanes); \
		if (count > 1) { \
			leave_##operation(x, lanes); \
			x = gather_##operation(x, count, lanes); \
		} \
		return x; \
	} \
	TOGETHER W scan_group_##operation(W x) \
	{ \
		uint lanes = all_lanes(), mine = sub_group(); \
		x = scan_all_##operation(x, lanes); \
		if (sub_groups() > 1) { \
			leave_##operation(x, lanes); \
			if (mine) \
				x = combine_##operation(gather_##operation(x, mine, lanes), x); \
		} \
		return x; \
	} \
	TOGETHER W shift_group_##operation(W x, W identity) \
	{ \
		uint lanes = all_lanes(), mine = sub_group(); \
		W scanned = scan_all_##operation(x, lanes), before = identity; \
		x = shift_all_##operation(scanned, identity, lanes); \
		if (sub_groups() > 1) { \
			leave_##operation(scanned, lanes); \
			if (mine) { \
				before = gather_##operation(x, mine, lanes); \
				x = lane() ? combine_##operation(before, x) : before; \
			} \
		} \
		return x; \
	}
FOR_COMBINED(GROUP_STEPS, add)
FOR_COMBINED(GROUP_STEPS, min)
FOR_COMBINED(GROUP_STEPS, max)
FOR_COMBINED(GROUP_STEPS, mul)
FOR_BITS(GROUP_STEPS, and)
FOR_BITS(GROUP_STEPS, or)
FOR_BITS(GROUP_STEPS, xor)

#define COLLECTIVE(T, W, operation, identity) \
	SUB_GROUP T work_group_reduce_##operation(T x) \
	{ \
		return (T)reduce_group_##operation((W)x); \
	} \
	SUB_GROUP T work_group_scan_inclusive_##operation(T x) \
	{ \
		return (T)scan_group_##operation((W)x); \
	} \
	SUB_GROUP T work_group_scan_exclusive_##operation(T x) \
	{ \
		return (T)shift_group_##operation((W)x, (W)(identity)); \
	}
#define COLLECTIVES(T, W, zero, one, greatest, least, unused) \
	COLLECTIVE(T, W, add, zero) \
	COLLECTIVE(T, W, min, greatest) \
	COLLECTIVE(T, W, max, least) \
	COLLECTIVE(T, W, mul, one)
FOR_WIDE_IDENTITIES(COLLECTIVES, )
FOR_REAL_IDENTITIES(COLLECTIVES, )

#define COLLECTIVE_BITS(T) \
	COLLECTIVE(T, T, and, ~(T)0) \
	COLLECTIVE(T, T, or, 0) \
	COLLECTIVE(T, T, xor, 0)
COLLECTIVE_BITS(int)
COLLECTIVE_BITS(uint)
COLLECTIVE_BITS(long)
COLLECTIVE_BITS(ulong)

/* Logic is that of one bit; what all or any say is a vote. */
#define COLLECTIVE_LOGIC(operation, reduced, identity) \
	SUB_GROUP int work_group_reduce_logical_##operation(int predicate) \
	{ \
		return reduced; \
	} \
	SUB_GROUP int work_group_scan_inclusive_logical_##operation(int predicate) \
	{ \
		return scan_group_##operation((int)(predicate != 0)); \
	} \
	SUB_GROUP int work_group_scan_exclusive_logical_##operation(int predicate) \
	{ \
		return shift_group_##operation((int)(predicate != 0), identity); \
	}
COLLECTIVE_LOGIC(and, work_group_all(predicate), 1)
COLLECTIVE_LOGIC(or, work_group_any(predicate), 0)
COLLECTIVE_LOGIC(xor, reduce_group_xor((int)(predicate != 0)), 0)
