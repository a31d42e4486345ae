/* What random kernels (kernels_make.h) start with.  LOCAL is the size of a work-group. */
#pragma OPENCL FP_CONTRACT OFF
#define OVER __attribute__((overloadable))

/* --- pointers: generic ones where there are any, and where not, as on PoCL 3.1, what a work-item
 * alone has in local memory is private --- */
#ifdef __opencl_c_generic_address_space
#define GENERIC(SPACE)
#define LOCAL_OWN local
#define ANY(T) T
#define TO_ANY(T, POINTER) ((T *)(POINTER))
#else
#define GENERIC(SPACE) SPACE
#define LOCAL_OWN private
/* To PoCL 3.1 all spaces are one. */
#define ANY(T) private T
#define TO_ANY(T, POINTER) ((private T *)(ulong)(POINTER))
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* --- reals without NaNs, whose sign and payload OpenCL leaves open --- */
float OVER plain(float x) { return isnan(x) ? 1.0f : x; }
double OVER plain(double x) { return isnan(x) ? 1.0 : x; }
#define PLAIN(T, ONE) T OVER plain(T x) { return select(x, (T)(ONE), isnan(x)); }
#define PLAINS(T, ONE) \
	PLAIN(T##2, ONE) PLAIN(T##3, ONE) PLAIN(T##4, ONE) PLAIN(T##8, ONE) PLAIN(T##16, ONE)
PLAINS(float, 1.0f)
PLAINS(double, 1.0)

/* --- products with powers of two: PoCL 3.1's ldexp of vectors rounds subnormal results twice, that of scalars once --- */
#define SCALED(T) \
	T OVER scaled(T x, int k) { return ldexp(x, k); } \
	T##2 OVER scaled(T##2 x, int2 k) { return (T##2)(scaled(x.x, k.x), scaled(x.y, k.y)); } \
	T##3 OVER scaled(T##3 x, int3 k) { return (T##3)(scaled(x.xy, k.xy), scaled(x.z, k.z)); } \
	T##4 OVER scaled(T##4 x, int4 k) { return (T##4)(scaled(x.lo, k.lo), scaled(x.hi, k.hi)); } \
	T##8 OVER scaled(T##8 x, int8 k) { return (T##8)(scaled(x.lo, k.lo), scaled(x.hi, k.hi)); } \
	T##16 OVER scaled(T##16 x, int16 k) { return (T##16)(scaled(x.lo, k.lo), scaled(x.hi, k.hi)); }
SCALED(float)
SCALED(double)

/* --- one number of all that was computed --- */
#define FOLD(T, BITS) \
	ulong OVER fold(ulong sum, T x) \
	{ return rotate(sum, 7UL) * 0x9e3779b97f4a7c15UL + (ulong)(BITS); } \
	ulong OVER fold(ulong sum, T##2 x) { return fold(fold(sum, x.x), x.y); } \
	ulong OVER fold(ulong sum, T##3 x) { return fold(fold(sum, x.xy), x.z); } \
	ulong OVER fold(ulong sum, T##4 x) { return fold(fold(sum, x.lo), x.hi); } \
	ulong OVER fold(ulong sum, T##8 x) { return fold(fold(sum, x.lo), x.hi); } \
	ulong OVER fold(ulong sum, T##16 x) { return fold(fold(sum, x.lo), x.hi); }
FOLD(char, x)
FOLD(uchar, x)
FOLD(short, x)
FOLD(ushort, x)
FOLD(int, x)
FOLD(uint, x)
FOLD(long, x)
FOLD(ulong, x)
FOLD(float, as_uint(plain(x)))
FOLD(double, as_ulong(plain(x)))

/* --- groups: the platform's functions, or the same by way of local memory --- */
/* All work-items call them at the same place; scratch_T has LOCAL elements. */
#define ADDED(a, b) ((a) + (b))
#define COLLECT(T, NAME, ZERO, WITH) \
	T NAME##_##T(local T *scratch, T x, uint from, uint to) \
	{ \
		scratch[get_local_id(0)] = x; \
		barrier(CLK_LOCAL_MEM_FENCE); \
		T result = ZERO; \
		for (uint i = from; i < to; i++) \
			result = WITH(result, scratch[i]); \
		barrier(CLK_LOCAL_MEM_FENCE); \
		return result; \
	}
#define COLLECTS(T, LEAST, MOST) \
	COLLECT(T, by_add, 0, ADDED) COLLECT(T, by_min, MOST, min) COLLECT(T, by_max, LEAST, max)
COLLECTS(int, INT_MIN, INT_MAX)
COLLECTS(uint, 0, UINT_MAX)
COLLECTS(long, LONG_MIN, LONG_MAX)
COLLECTS(ulong, 0, ULONG_MAX)
#define LID ((uint)get_local_id(0))
#define SUB_FIRST (LID & ~31u)
#ifdef __opencl_c_work_group_collective_functions
#define WORK_REDUCE(T, OP, x) work_group_reduce_##OP(x)
#define WORK_SCAN_INCLUSIVE(T, OP, x) work_group_scan_inclusive_##OP(x)
#define WORK_SCAN_EXCLUSIVE(T, OP, x) work_group_scan_exclusive_##OP(x)
#define WORK_BROADCAST(T, x, from) work_group_broadcast(x, from)
#define WORK_ANY(x) (work_group_any(x) ? 1 : 0)
#define WORK_ALL(x) (work_group_all(x) ? 1 : 0)
#else
#define WORK_REDUCE(T, OP, x) by_##OP##_##T(scratch_##T, x, 0, LOCAL)
#define WORK_SCAN_INCLUSIVE(T, OP, x) by_##OP##_##T(scratch_##T, x, 0, LID + 1)
#define WORK_SCAN_EXCLUSIVE(T, OP, x) by_##OP##_##T(scratch_##T, x, 0, LID)
#define WORK_BROADCAST(T, x, from) by_add_##T(scratch_##T, x, from, (from) + 1)
#define WORK_ANY(x) (by_max_uint(scratch_uint, (x) != 0, 0, LOCAL) ? 1 : 0)
#define WORK_ALL(x) (by_min_uint(scratch_uint, (x) != 0, 0, LOCAL) ? 1 : 0)
#endif
/* Sub-groups have 32 work-items. */
#define FROM_ITEM(T, x, at) by_add_##T(scratch_##T, x, SUB_FIRST + (at), SUB_FIRST + (at) + 1)
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#define SUB_REDUCE(T, OP, x) sub_group_reduce_##OP(x)
#define SUB_SCAN_INCLUSIVE(T, OP, x) sub_group_scan_inclusive_##OP(x)
#define SUB_SCAN_EXCLUSIVE(T, OP, x) sub_group_scan_exclusive_##OP(x)
#define SUB_BROADCAST(T, x, from) sub_group_broadcast(x, from)
#define SUB_ANY(x) (sub_group_any(x) ? 1 : 0)
#define SUB_ALL(x) (sub_group_all(x) ? 1 : 0)
#else
#define SUB_REDUCE(T, OP, x) by_##OP##_##T(scratch_##T, x, SUB_FIRST, SUB_FIRST + 32)
#define SUB_SCAN_INCLUSIVE(T, OP, x) by_##OP##_##T(scratch_##T, x, SUB_FIRST, LID + 1)
#define SUB_SCAN_EXCLUSIVE(T, OP, x) by_##OP##_##T(scratch_##T, x, SUB_FIRST, LID)
#define SUB_BROADCAST(T, x, from) FROM_ITEM(T, x, from)
#define SUB_ANY(x) (by_max_uint(scratch_uint, (x) != 0, SUB_FIRST, SUB_FIRST + 32) ? 1 : 0)
#define SUB_ALL(x) (by_min_uint(scratch_uint, (x) != 0, SUB_FIRST, SUB_FIRST + 32) ? 1 : 0)
#endif
#if defined(cl_khr_subgroup_shuffle)
/* "The return value is undefined if the work item with sub-group local ID equal to index is inactive" (OpenCL C 3.1,
 * general purpose shuffle functions), and work-items that diverged need not be together again: the barrier makes all of
 * the sub-group active. */
#define MEET_AND(T, CALL, x, y) \
	({ \
		T x_ = x; \
		uint y_ = y; \
		sub_group_barrier(CLK_LOCAL_MEM_FENCE); \
		CALL(x_, y_); \
	})
#define SUB_SHUFFLE(T, x, at) MEET_AND(T, sub_group_shuffle, x, at)
#define SUB_SHUFFLE_XOR(T, x, mask) MEET_AND(T, sub_group_shuffle_xor, x, mask)
#else
#define SUB_SHUFFLE(T, x, at) FROM_ITEM(T, x, at)
#define SUB_SHUFFLE_XOR(T, x, mask) FROM_ITEM(T, x, (LID & 31) ^ (mask))
#endif

/* --- operations of halves: a float's result, rounded once more, is what a half's would be, for a
 * float has more than twice the bits of a half and two more --- */
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HALVES(N) \
	float##N OVER half_add(float##N a, float##N b) \
	{ return plain(convert_float##N(convert_half##N##_rte(a) + convert_half##N##_rte(b))); } \
	float##N OVER half_subtract(float##N a, float##N b) \
	{ return plain(convert_float##N(convert_half##N##_rte(a) - convert_half##N##_rte(b))); } \
	float##N OVER half_multiply(float##N a, float##N b) \
	{ return plain(convert_float##N(convert_half##N##_rte(a) * convert_half##N##_rte(b))); } \
	int##N OVER half_less(float##N a, float##N b) \
	{ return convert_int##N(convert_half##N##_rte(a) < convert_half##N##_rte(b)); }
#else
#define HALVES(N) \
	float##N OVER rounded(float##N x) \
	{ \
		ushort##N place; \
		vstore_half##N##_rte(x, 0, (private half *)&place); \
		return vload_half##N(0, (private half *)&place); \
	} \
	float##N OVER half_add(float##N a, float##N b) \
	{ return plain(rounded(rounded(a) + rounded(b))); } \
	float##N OVER half_subtract(float##N a, float##N b) \
	{ return plain(rounded(rounded(a) - rounded(b))); } \
	float##N OVER half_multiply(float##N a, float##N b) \
	{ return plain(rounded(rounded(a) * rounded(b))); } \
	int##N OVER half_less(float##N a, float##N b) { return rounded(a) < rounded(b); }
#endif
HALVES()
HALVES(2)
HALVES(3)
HALVES(4)
HALVES(8)
HALVES(16)
