/* Dot products of bytes, cl_khr_integer_dot_product (OpenCL C 3.0, 6.15.3): one dp4a each. */
#include "frontend/builtins/builtin.h"

PURE int add_sat(int x, int y);
PURE uint add_sat(uint x, uint y);

/* kind: signs of the two vectors as OpenCL's names have them.  A dot product that a program adds to
 * something is a call of __culvert_dot_acc (frontend/dot_products.c). */
#define DOT(R, A, B, kind, result, types) \
	__attribute__((always_inline, const)) R __culvert_dot_acc_##kind(uint a, uint b, R sum) \
	{ \
		R total; \
		__asm__("dp4a." types " %0, %1, %2, %3;" \
			: "=r"(total) : "r"(a), "r"(b), "r"(sum)); \
		return total; \
	} \
	PURE R dot_4x8packed_##kind##_##result(uint a, uint b) \
	{ \
		return __culvert_dot_acc_##kind(a, b, 0); \
	} \
	PURE R dot_acc_sat_4x8packed_##kind##_##result(uint a, uint b, R sum) \
	{ \
		return add_sat(dot_4x8packed_##kind##_##result(a, b), sum); \
	} \
	PURE R dot(A a, B b) \
	{ \
		return dot_4x8packed_##kind##_##result(as_type(uint, a), as_type(uint, b)); \
	} \
	PURE R dot_acc_sat(A a, B b, R sum) \
	{ \
		return add_sat(dot(a, b), sum); \
	}
DOT(uint, uchar4, uchar4, uu, uint, "u32.u32")
DOT(int, char4, char4, ss, int, "s32.s32")
DOT(int, uchar4, char4, us, int, "u32.s32")
DOT(int, char4, uchar4, su, int, "s32.u32")
