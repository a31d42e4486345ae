/*
 * Instructions of tensor cores: ldmatrix, which loads the registers of a matrix, and mma, which multiplies them.
 */
#ifndef CULVERT_BUILTIN_MATRIX_H
#define CULVERT_BUILTIN_MATRIX_H

#include "frontend/builtins/sub_group.h"

/* Whether the device has the larger shapes of mma; folded by the frontend (lower_device.c). */
extern bool __culvert_hidden_sm_80(void);

#define MATRIX BUILTIN __attribute__((convergent))

/*
 * Local memory has an instruction for matrices of 8 by 8 elements of 16 bits, which transposes them if it has to: lane
 * 8 i + j gives the address of line j of matrix i, which becomes register i.
 */
#define LOAD_TILES(suffix) \
	TOGETHER uint4 load_tiles##suffix(const __local ushort *line) \
	{ \
		uint x, y, z, w; \
		__asm__ __volatile__("ldmatrix.sync.aligned.m8n8.x4" PTX##suffix ".shared.b16 {%0, %1, %2, %3}, [%4];" \
				     : "=r"(x), "=r"(y), "=r"(z), "=r"(w) \
				     : "l"(line) \
				     : "memory"); \
		return (uint4)(x, y, z, w); \
	}
#define PTX_straight ""
#define PTX_transposed ".trans"
LOAD_TILES(_straight)
LOAD_TILES(_transposed)

/* Adds the product of 16 rows and 8 columns, of which a lane has four sums. */
#define MMA(name, ptx, A, a, B, b, C, constraint, ...) \
	TOGETHER C name(A x, B y, C c) \
	{ \
		__asm__ __volatile__("mma.sync.aligned." ptx " {%0, %1, %2, %3}, {" a "}, {" b "}, {%0, %1, %2, %3};" \
				     : "+" constraint(c.x), "+" constraint(c.y), "+" constraint(c.z), \
				       "+" constraint(c.w) \
				     : __VA_ARGS__); \
		return c; \
	}
#define MMA_4(name, ptx) \
	MMA(name, ptx, uint4, "%4, %5, %6, %7", uint2, "%8, %9", float4, "f", "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), \
	    "r"(y.x), "r"(y.y))
#define MMA_BYTES(name, types) \
	MMA(name, "m16n8k16.row.col.s32." types ".s32", uint2, "%4, %5", uint, "%6", int4, "r", "r"(x.x), "r"(x.y), \
	    "r"(y))
MMA_4(mma_half, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_4(mma_bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_4(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(mma_half_8, "m16n8k8.row.col.f32.f16.f16.f32", uint2, "%4, %5", uint, "%6", float4, "f", "r"(x.x), "r"(x.y), "r"(y))
MMA_BYTES(mma_char_char, "s8.s8")
MMA_BYTES(mma_char_uchar, "s8.u8")
MMA_BYTES(mma_uchar_char, "u8.s8")
MMA_BYTES(mma_uchar_uchar, "u8.u8")

/* Sums of two registers, or of one lane's two. */
#define MMA_2(name, ptx, A, a, B, b, C, constraint, ...) \
	TOGETHER C name(A x, B y, C c) \
	{ \
		__asm__ __volatile__("mma.sync.aligned." ptx " {%0, %1}, {" a "}, {" b "}, {%0, %1};" \
				     : "+" constraint(c.x), "+" constraint(c.y) \
				     : __VA_ARGS__); \
		return c; \
	}
#define MMA_ROWS(name, types) \
	MMA_2(name, "m8n8k16.row.col.s32." types ".s32", uint, "%2", uint, "%3", int2, "r", "r"(x), "r"(y))
MMA_2(mma_half_sums, "m16n8k16.row.col.f16.f16.f16.f16", uint4, "%2, %3, %4, %5", uint2, "%6, %7", uint2, "r", "r"(x.x),
      "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y))
MMA_2(mma_half_sums_8, "m16n8k8.row.col.f16.f16.f16.f16", uint2, "%2, %3", uint, "%4", uint2, "r", "r"(x.x), "r"(x.y),
      "r"(y))
MMA_2(mma_double, "m8n8k4.row.col.f64.f64.f64.f64", double, "%2", double, "%3", double2, "d", "d"(x), "d"(y))
MMA_ROWS(mma_rows_char_char, "s8.s8")
MMA_ROWS(mma_rows_char_uchar, "s8.u8")
MMA_ROWS(mma_rows_uchar_char, "u8.s8")
MMA_ROWS(mma_rows_uchar_uchar, "u8.u8")

/* Eight columns.  Devices before compute capability 8.0 multiply half as many elements at once. */
TOGETHER float4 columns_half(uint4 a, uint2 b, float4 c)
{
	if (__culvert_hidden_sm_80())
		return mma_half(a, b, c);
	return mma_half_8(a.zw, b.y, mma_half_8(a.xy, b.x, c));
}

TOGETHER uint2 columns_half(uint4 a, uint2 b, uint2 c)
{
	if (__culvert_hidden_sm_80())
		return mma_half_sums(a, b, c);
	return mma_half_sums_8(a.zw, b.y, mma_half_sums_8(a.xy, b.x, c));
}

#define COLUMNS_BYTES(kinds) \
	TOGETHER int4 columns_##kinds(uint2 a, uint b, int4 c) \
	{ \
		if (__culvert_hidden_sm_80()) \
			return mma_##kinds(a, b, c); \
		return (int4)(mma_rows_##kinds(a.x, b, c.xy), mma_rows_##kinds(a.y, b, c.zw)); \
	}
COLUMNS_BYTES(char_char)
COLUMNS_BYTES(char_uchar)
COLUMNS_BYTES(uchar_char)
COLUMNS_BYTES(uchar_uchar)

#endif
