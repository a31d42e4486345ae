/*
 * What the files of sub-group functions share.
 *
 * A sub-group is a warp: the hardware forms warps over the linear local id, which is the numbering
 * that OpenCL C 3.0, 6.15.1 gives sub-groups, so the local id within the sub-group is the lane.
 *
 * Kernels can require sub-groups of 8 or 16 work-items (cl_intel_required_subgroup_size), which are parts of a warp.
 * For them, the files that `narrow_sources` in local.mk lists are compiled again, with CULVERT_SUB_GROUP_SIZE.  Lanes
 * and sets of lanes are those of the sub-group here in any case, from 0 on; of_warp() and of_sub_group() convert sets
 * from and to those of PTX.
 *
 * Lanes meet in PTX that names its members.  Functions that all work-items of the sub-group call
 * name them all, however the warp is divided at the moment; functions for "active" work-items name
 * those that are here together.  All of it is volatile: the same instruction elsewhere has other
 * members, and must be neither merged nor moved.
 */
#ifndef CULVERT_BUILTIN_SUB_GROUP_H
#define CULVERT_BUILTIN_SUB_GROUP_H

#include "frontend/builtins/builtin.h"

#ifdef CULVERT_SUB_GROUP_SIZE
#define SUB_GROUP_SIZE CULVERT_SUB_GROUP_SIZE
#else
#define SUB_GROUP_SIZE 32u
#endif
#define EVERY_LANE (~0u >> (32u - SUB_GROUP_SIZE))
#define TOGETHER HELPER __attribute__((convergent, unused))
#define SUB_GROUP BUILTIN __attribute__((convergent))

PURE size_t get_local_linear_id(void);
PURE size_t get_local_size(uint dimension);

/* -- who is there ------------------------------------------------------------------------------ */

#if SUB_GROUP_SIZE == 32
#define of_warp(lanes) (lanes)
#define of_sub_group(lanes) (lanes)

HELPER __attribute__((unused)) uint lane(void)
{
	return (uint)__nvvm_read_ptx_sreg_laneid();
}
#else
/* The lane of the warp at which the sub-group begins. */
HELPER __attribute__((unused)) uint start_in_warp(void)
{
	return (uint)__nvvm_read_ptx_sreg_laneid() & ~(SUB_GROUP_SIZE - 1);
}

HELPER __attribute__((unused)) uint of_warp(uint lanes)
{
	return lanes << start_in_warp();
}

HELPER __attribute__((unused)) uint of_sub_group(uint lanes)
{
	return lanes >> start_in_warp() & EVERY_LANE;
}

HELPER __attribute__((unused)) uint lane(void)
{
	return (uint)__nvvm_read_ptx_sreg_laneid() & (SUB_GROUP_SIZE - 1);
}
#endif

HELPER __attribute__((unused)) uint lanes_below(void)
{
	return of_sub_group((uint)__nvvm_read_ptx_sreg_lanemask_lt());
}

HELPER __attribute__((unused)) uint group_size(void)
{
	return (uint)get_local_size(0) * (uint)get_local_size(1) * (uint)get_local_size(2);
}

/* Only the last sub-group of a work-group may be smaller. */
HELPER __attribute__((unused)) uint sub_group_size(void)
{
	uint rest = group_size() - ((uint)get_local_linear_id() & ~(SUB_GROUP_SIZE - 1));
	return rest < SUB_GROUP_SIZE ? rest : SUB_GROUP_SIZE;
}

/* The lanes of the sub-group. */
HELPER __attribute__((unused)) uint all_lanes(void)
{
	return ~0u >> (32u - sub_group_size());
}

/* The lanes that execute this together. */
TOGETHER uint active_lanes(void)
{
	uint lanes;
	__asm__ __volatile__("activemask.b32 %0;" : "=r"(lanes));
	return of_sub_group(lanes);
}

HELPER __attribute__((unused)) uint first_lane(uint lanes)
{
	return (uint)__builtin_ctz(lanes);
}

HELPER __attribute__((unused)) uint last_lane(uint lanes)
{
	return 31u - (uint)__builtin_clz(lanes);
}

/* The lanes of this lane's cluster; the size is a power of two, at most the sub-group's. */
HELPER __attribute__((unused)) uint cluster_lanes(uint size)
{
	uint lanes = ~0u >> ((32u - size) & 31);
	return lanes << (lane() & ~(size - 1) & 31);
}

TOGETHER uint ballot(int predicate, uint lanes)
{
	uint result;
	__asm__ __volatile__("{\n\t"
			     ".reg .pred p;\n\t"
			     "setp.ne.s32 p, %1, 0;\n\t"
			     "vote.sync.ballot.b32 %0, p, %2;\n\t"
			     "}"
			     : "=r"(result)
			     : "r"(predicate), "r"(of_warp(lanes)));
	return of_sub_group(result);
}

/* -- moving values ----------------------------------------------------------------------------- */

/* PTX's last operand of shfl: the part of the warp that a lane can be in, and the last lane of it, or the first one. */
#if SUB_GROUP_SIZE == 32
#define LAST_IN_PART "31"
#define FIRST_IN_PART "0"
#elif SUB_GROUP_SIZE == 16
#define LAST_IN_PART "0x101f"
#define FIRST_IN_PART "0x1000"
#else
#define LAST_IN_PART "0x181f"
#define FIRST_IN_PART "0x1800"
#endif

/* The value of the lane that `by` and this lane give; lanes: who takes part. */
#define PTX_MOVE(kind, bound) \
	TOGETHER uint move_##kind(uint x, uint by, uint lanes) \
	{ \
		uint y; \
		__asm__ __volatile__("shfl.sync." #kind ".b32 %0, %1, %2, " bound ", %3;" \
				     : "=r"(y) \
				     : "r"(x), "r"(by), "r"(of_warp(lanes))); \
		return y; \
	}
PTX_MOVE(idx, LAST_IN_PART)
PTX_MOVE(up, FIRST_IN_PART)
PTX_MOVE(down, LAST_IN_PART)
PTX_MOVE(bfly, LAST_IN_PART)

#define MOVE_NARROW(T, kind) \
	TOGETHER T move_##kind(T x, uint by, uint lanes) \
	{ \
		return (T)move_##kind((uint)x, by, lanes); \
	}
#define MOVE_32(T, kind) \
	TOGETHER T move_##kind(T x, uint by, uint lanes) \
	{ \
		return as_type(T, move_##kind(as_type(uint, x), by, lanes)); \
	}
#define MOVE_64(T, kind) \
	TOGETHER T move_##kind(T x, uint by, uint lanes) \
	{ \
		uint2 words = as_type(uint2, x); \
		words.x = move_##kind(words.x, by, lanes); \
		words.y = move_##kind(words.y, by, lanes); \
		return as_type(T, words); \
	}
#define MOVES(kind) \
	MOVE_NARROW(char, kind) \
	MOVE_NARROW(uchar, kind) \
	MOVE_NARROW(short, kind) \
	MOVE_NARROW(ushort, kind) \
	MOVE_32(int, kind) \
	MOVE_32(float, kind) \
	MOVE_64(long, kind) \
	MOVE_64(ulong, kind) \
	MOVE_64(double, kind) \
	TOGETHER half move_##kind(half x, uint by, uint lanes) \
	{ \
		return as_type(half, move_##kind(as_type(ushort, x), by, lanes)); \
	}
MOVES(idx)
MOVES(up)
MOVES(down)
MOVES(bfly)

/* The shuffles of one value, for the lanes that take part. */
#define SHUFFLES_OF_ONE(T, NAME, LANES) \
	SUB_GROUP T NAME##_shuffle(T x, uint index) \
	{ \
		return move_idx(x, index, LANES); \
	} \
	SUB_GROUP T NAME##_shuffle_xor(T x, uint mask) \
	{ \
		return move_bfly(x, mask, LANES); \
	}

/* M(type, ...) for every scalar type. */
#define FOR_SCALARS(M, ...) \
	M(char, __VA_ARGS__) \
	M(uchar, __VA_ARGS__) \
	M(short, __VA_ARGS__) \
	M(ushort, __VA_ARGS__) \
	M(int, __VA_ARGS__) \
	M(uint, __VA_ARGS__) \
	M(long, __VA_ARGS__) \
	M(ulong, __VA_ARGS__) \
	M(half, __VA_ARGS__) \
	M(float, __VA_ARGS__) \
	M(double, __VA_ARGS__)

/* The vector forms of f(x, index), element by element. */
#define BROADCAST_VECTORS(T, f) \
	SUB_GROUP T##2 f(T##2 x, uint index) { return (T##2)(f(x.x, index), f(x.y, index)); } \
	SUB_GROUP T##3 f(T##3 x, uint index) \
	{ \
		return (T##3)(f(x.x, index), f(x.y, index), f(x.z, index)); \
	} \
	SUB_GROUP T##4 f(T##4 x, uint index) { return (T##4)(f(x.lo, index), f(x.hi, index)); } \
	SUB_GROUP T##8 f(T##8 x, uint index) { return (T##8)(f(x.lo, index), f(x.hi, index)); } \
	SUB_GROUP T##16 f(T##16 x, uint index) { return (T##16)(f(x.lo, index), f(x.hi, index)); }

/* -- combining values -------------------------------------------------------------------------- */

#define COMBINE_INTEGER(T) \
	HELPER __attribute__((unused)) T combine_add(T a, T b) { return a + b; } \
	HELPER __attribute__((unused)) T combine_mul(T a, T b) { return a * b; } \
	HELPER __attribute__((unused)) T combine_min(T a, T b) { return b < a ? b : a; } \
	HELPER __attribute__((unused)) T combine_max(T a, T b) { return a < b ? b : a; } \
	HELPER __attribute__((unused)) T combine_and(T a, T b) { return a & b; } \
	HELPER __attribute__((unused)) T combine_or(T a, T b) { return a | b; } \
	HELPER __attribute__((unused)) T combine_xor(T a, T b) { return a ^ b; }
COMBINE_INTEGER(int)
COMBINE_INTEGER(uint)
COMBINE_INTEGER(long)
COMBINE_INTEGER(ulong)

/* The hardware's minimum and maximum: a number where only one of the two is a NaN. */
#define COMBINE_REAL(T, f) \
	HELPER __attribute__((unused)) T combine_add(T a, T b) { return a + b; } \
	HELPER __attribute__((unused)) T combine_mul(T a, T b) { return a * b; } \
	HELPER __attribute__((unused)) T combine_min(T a, T b) { return __nvvm_fmin_##f(a, b); } \
	HELPER __attribute__((unused)) T combine_max(T a, T b) { return __nvvm_fmax_##f(a, b); }
COMBINE_REAL(float, f)
COMBINE_REAL(double, d)

/*
 * Identities, OpenCL C 3.0, 6.15.19.  What is narrower than 32 bits is combined in W, 32 bits wide,
 * and cut off in the end: sums and products are right in their low bits, and the others stay within
 * the narrow type.
 */
#define SMALLEST(T) ((T)((T)1 << (8 * sizeof(T) - 1)))
/* M(T, W, add, mul, min, max) */
#define FOR_REAL_IDENTITIES(M, ...) \
	M(half, float, 0, 1, __builtin_inff(), -__builtin_inff(), __VA_ARGS__) \
	M(float, float, 0, 1, __builtin_inff(), -__builtin_inff(), __VA_ARGS__) \
	M(double, double, 0, 1, __builtin_inf(), -__builtin_inf(), __VA_ARGS__)
#define SIGNED_IDENTITIES(M, T, W, ...) \
	M(T, W, 0, 1, (T)~SMALLEST(T), SMALLEST(T), __VA_ARGS__)
#define UNSIGNED_IDENTITIES(M, T, W, ...) M(T, W, 0, 1, (T)~(T)0, 0, __VA_ARGS__)
#define FOR_WIDE_IDENTITIES(M, ...) \
	SIGNED_IDENTITIES(M, int, int, __VA_ARGS__) \
	UNSIGNED_IDENTITIES(M, uint, uint, __VA_ARGS__) \
	SIGNED_IDENTITIES(M, long, long, __VA_ARGS__) \
	UNSIGNED_IDENTITIES(M, ulong, ulong, __VA_ARGS__)
#define FOR_NARROW_IDENTITIES(M, ...) \
	SIGNED_IDENTITIES(M, char, int, __VA_ARGS__) \
	UNSIGNED_IDENTITIES(M, uchar, uint, __VA_ARGS__) \
	SIGNED_IDENTITIES(M, short, int, __VA_ARGS__) \
	UNSIGNED_IDENTITIES(M, ushort, uint, __VA_ARGS__)

/* M(W, operation) for the types that values are combined in. */
#define FOR_COMBINED(M, operation) \
	M(int, operation) \
	M(uint, operation) \
	M(long, operation) \
	M(ulong, operation) \
	M(float, operation) \
	M(double, operation)

/* Whether the GPU that is compiled for has redux.sync; the frontend folds it (lower_device.c). */
extern bool __culvert_hidden_sm_80(void);

#define PTX_REDUX(T, operation, text) \
	TOGETHER T redux_##operation(T x, uint lanes) \
	{ \
		T y; \
		__asm__ __volatile__("redux.sync." text " %0, %1, %2;" \
				     : "=r"(y) \
				     : "r"(x), "r"(of_warp(lanes))); \
		return y; \
	}
#define PTX_REDUXES(T, kind) \
	PTX_REDUX(T, add, "add." kind) \
	PTX_REDUX(T, min, "min." kind) \
	PTX_REDUX(T, max, "max." kind) \
	PTX_REDUX(T, and, "and.b32") \
	PTX_REDUX(T, or, "or.b32") \
	PTX_REDUX(T, xor, "xor.b32")
PTX_REDUXES(int, "s32")
PTX_REDUXES(uint, "u32")

/* -- by all lanes of the sub-group ------------------------------------------------------------- */

/*
 * The inclusive scan: after each step a lane has combined twice as many.  `lanes` has no gap, so
 * the lane that is `by` further down is there whenever its number is not negative.
 */
#define SCAN_STEP(operation, by) \
	if (by < SUB_GROUP_SIZE) { \
		from = move_up(x, by, lanes); \
		x = at >= by ? combine_##operation(from, x) : x; \
	}
#define SCAN_ALL(W, operation) \
	TOGETHER W scan_all_##operation(W x, uint lanes) \
	{ \
		uint at = lane(); \
		W from; \
		SCAN_STEP(operation, 1) \
		SCAN_STEP(operation, 2) \
		SCAN_STEP(operation, 4) \
		SCAN_STEP(operation, 8) \
		SCAN_STEP(operation, 16) \
		return x; \
	} \
	TOGETHER W shift_all_##operation(W scanned, W identity, uint lanes) \
	{ \
		W before = move_up(scanned, 1, lanes); \
		return lane() ? before : identity; \
	}
#define REDUCE_ALL(W, operation) \
	TOGETHER W reduce_all_##operation(W x, uint lanes) \
	{ \
		return move_idx(scan_all_##operation(x, lanes), last_lane(lanes), lanes); \
	}
#define REDUCE_ALL_REDUX(W, operation) \
	TOGETHER W reduce_all_##operation(W x, uint lanes) \
	{ \
		W y; \
		if (__culvert_hidden_sm_80()) \
			y = redux_##operation(x, lanes); \
		else \
			y = move_idx(scan_all_##operation(x, lanes), last_lane(lanes), lanes); \
		return y; \
	}

#define ALL_OPERATIONS(operation) \
	FOR_COMBINED(SCAN_ALL, operation) \
	REDUCE_ALL_REDUX(int, operation) \
	REDUCE_ALL_REDUX(uint, operation) \
	REDUCE_ALL(long, operation) \
	REDUCE_ALL(ulong, operation) \
	REDUCE_ALL(float, operation) \
	REDUCE_ALL(double, operation)

#endif
