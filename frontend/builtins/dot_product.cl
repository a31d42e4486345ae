/* Dot products of bytes, cl_khr_integer_dot_product (OpenCL C 3.0, 6.15.3): one dp4a each. */
#include "frontend/builtins/builtin.h"

PURE int add_sat(int x, int y);

/* Whether the GPU adds with saturation in one instruction; folded by the frontend
 * (lower_device.c). */
extern bool __culvert_hidden_sm_120(void);

/* kind: signs of the two vectors as OpenCL's names have them.  A dot product that a program adds to
 * something is a call of __culvert_dot_acc (frontend/dot_products.c). */
#define DOT_ACC(R, kind, types) \
	__attribute__((always_inline, const)) R __culvert_dot_acc_##kind(uint a, uint b, R sum) \
	{ \
		R total; \
		__asm__("dp4a." types " %0, %1, %2, %3;" \
			: "=r"(total) : "r"(a), "r"(b), "r"(sum)); \
		return total; \
	}
DOT_ACC(uint, uu, "u32.u32")
DOT_ACC(int, ss, "s32.s32")
DOT_ACC(int, us, "u32.s32")
DOT_ACC(int, su, "s32.u32")

/* -- saturating sums --------------------------------------------------------------------------- */

/* Of a dot product it is known, here and by no compiler, that it is below 2^18.  So a sum that
 * wrapped shows in three instructions without the product itself: five instructions together, and
 * three of uint, where add_sat() of a product makes six and four. */

HELPER uint saturated_uu(uint a, uint b, uint sum)
{
	uint total = __culvert_dot_acc_uu(a, b, sum);
	return total < sum ? 0xffffffffu : total;
}

/* The total wrapped where sum was beyond 2^30, up or down, and the total is on the other side of
 * 0: the sign of (sum + 2^30) & (sum ^ total), which the PTX compiler does not make one lop3 by
 * itself.  The highest byte of such a sum is the limit's, 0x7f or 0x80, and all other bits of the
 * limit are the total's sign: prmt takes byte 3 of the second, and three times the sign of byte 3
 * of the first. */
#define SATURATED_SUM(kind) \
	HELPER int saturated_##kind(uint a, uint b, int sum) \
	{ \
		int total, limit, wrapped; \
		if (__culvert_hidden_sm_120()) \
			return add_sat(__culvert_dot_acc_##kind(a, b, 0), sum); \
		total = __culvert_dot_acc_##kind(a, b, sum); \
		__asm__("lop3.b32 %0, %1, %2, %3, 0x60;" \
			: "=r"(wrapped) : "r"((uint)sum + 0x40000000u), "r"(sum), "r"(total)); \
		__asm__("prmt.b32 %0, %1, %2, 0x7bbb;" : "=r"(limit) : "r"(total), "r"(sum)); \
		return wrapped < 0 ? limit : total; \
	}
SATURATED_SUM(ss)
SATURATED_SUM(us)
SATURATED_SUM(su)

/* -- OpenCL's functions ------------------------------------------------------------------------ */

#define DOT(R, A, B, kind, result) \
	PURE R dot_4x8packed_##kind##_##result(uint a, uint b) \
	{ \
		return __culvert_dot_acc_##kind(a, b, 0); \
	} \
	PURE R dot_acc_sat_4x8packed_##kind##_##result(uint a, uint b, R sum) \
	{ \
		return saturated_##kind(a, b, sum); \
	} \
	PURE R dot(A a, B b) \
	{ \
		return __culvert_dot_acc_##kind(as_type(uint, a), as_type(uint, b), 0); \
	} \
	PURE R dot_acc_sat(A a, B b, R sum) \
	{ \
		return saturated_##kind(as_type(uint, a), as_type(uint, b), sum); \
	}
DOT(uint, uchar4, uchar4, uu, uint)
DOT(int, char4, char4, ss, int)
DOT(int, uchar4, char4, us, int)
DOT(int, char4, uchar4, su, int)

/* -- ARM's names for some of them, cl_arm_integer_dot_product_* ------------------------------- */

#define ARM_DOT(R, A, kind) \
	PURE R arm_dot(A a, A b) \
	{ \
		return __culvert_dot_acc_##kind(as_type(uint, a), as_type(uint, b), 0); \
	} \
	PURE R arm_dot_acc(A a, A b, R sum) \
	{ \
		return __culvert_dot_acc_##kind(as_type(uint, a), as_type(uint, b), sum); \
	} \
	PURE R arm_dot_acc_sat(A a, A b, R sum) \
	{ \
		return saturated_##kind(as_type(uint, a), as_type(uint, b), sum); \
	}
ARM_DOT(uint, uchar4, uu)
ARM_DOT(int, char4, ss)

/* The sum wraps. */
PURE uint arm_dot_acc(ushort2 a, ushort2 b, uint sum)
{
	return sum + (uint)a.x * b.x + (uint)a.y * b.y;
}

PURE int arm_dot_acc(short2 a, short2 b, int sum)
{
	return (int)((uint)sum + (uint)(a.x * b.x) + (uint)(a.y * b.y));
}
