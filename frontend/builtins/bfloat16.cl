/*
 * Conversions between floats and the bits of bfloat16 numbers (cl_intel_bfloat16_conversions 1.0), rounded to the
 * nearest even number.
 */
#include "frontend/builtins/builtin.h"

/* Whether the GPU that is compiled for has cvt.rn.bf16; the frontend folds it (lower_device.c). */
extern bool __culvert_hidden_sm_80(void);

/* Rounds in integers, for GPUs without the instruction.  A NaN becomes the one that the instruction returns. */
HELPER ushort round_to_bfloat16(float x)
{
	const uint bits = as_type(uint, x), odd = bits >> 16 & 1;
	const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
	return is_nan ? (ushort)0x7fff : (ushort)((bits + 0x7fff + odd) >> 16);
}

PURE ushort intel_convert_bfloat16_as_ushort(float x)
{
	ushort y;
	if (__culvert_hidden_sm_80())
		__asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
	else
		y = round_to_bfloat16(x);
	return y;
}

PURE float intel_convert_as_bfloat16_float(ushort x)
{
	return as_type(float, (uint)x << 16);
}

#define VECTORS(N, LOWER, UPPER, low, high) \
	PURE ushort##N intel_convert_bfloat16##N##_as_ushort##N(float##N x) \
	{ \
		return (ushort##N)(intel_convert_bfloat16##LOWER##_as_ushort##LOWER(x.low), \
				   intel_convert_bfloat16##UPPER##_as_ushort##UPPER(x.high)); \
	} \
	PURE float##N intel_convert_as_bfloat16##N##_float##N(ushort##N x) \
	{ \
		return (float##N)(intel_convert_as_bfloat16##LOWER##_float##LOWER(x.low), \
				  intel_convert_as_bfloat16##UPPER##_float##UPPER(x.high)); \
	}
VECTORS(2, , , x, y)
VECTORS(3, 2, , xy, z)
VECTORS(4, 2, 2, lo, hi)
VECTORS(8, 4, 4, lo, hi)
VECTORS(16, 8, 8, lo, hi)
