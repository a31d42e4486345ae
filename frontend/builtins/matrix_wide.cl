/*
 * Products of four sub-groups with factors in local memory: docs/cl_culvert_matrix.md.
 *
 * Hopper GPUs have wgmma, which reads both factors from local memory.  PTX ISA, "Shared Memory Matrix Layout": lines of
 * 128 bytes, in which the index of 16 bytes is combined with that of the line ("128-Byte swizzling"), so that neither
 * eight lines nor a line meet in banks.  A block of 64 lines of 64 elements is eight patterns of 1024 bytes.  On other
 * GPUs, ldmatrix loads the same blocks for mma.
 */
#define cl_culvert_matrix
#include "frontend/builtins/sub_group.h"

#include "frontend/builtins/async.h"
#include "frontend/builtins/declarations.h"
#include "frontend/builtins/matrix.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Whether the device has wgmma; folded by the frontend (lower_device.c). */
extern bool __culvert_hidden_sm_90a(void);

enum { BLOCK = 64, BLOCK_B = BLOCK * BLOCK * 2, PATTERN_B = 1024, STEP = 16 };

PURE uint culvert_matrix_wide_place(uint line, uint column)
{
	return line * BLOCK + (column ^ (line & 7) << 3);
}

/* The copies and stores that work-items have made are there for the products of all, which read by another way. */
MATRIX void culvert_matrix_wide_barrier(uint stages)
{
	wait_for_older_stages(stages);
	if (__culvert_hidden_sm_90a())
		__asm__ __volatile__("fence.proxy.async.shared::cta;" : : : "memory");
	__nvvm_bar_sync(0);
}

/* -- wgmma ------------------------------------------------------------------------------------- */

/* Start, distance of blocks and of patterns in units of 16 bytes; the mode of swizzling. */
HELPER ulong descriptor(const __local ushort *block)
{
	return ((uint)(ulong)block & 0x3ffff) >> 4 | (ulong)(BLOCK_B >> 4) << 16 | (ulong)(PATTERN_B >> 4) << 32 |
	       1ul << 62;
}

#define TEN(tens) \
	"%" #tens "0, %" #tens "1, %" #tens "2, %" #tens "3, %" #tens "4, %" #tens "5, %" #tens "6, %" #tens "7, " \
	"%" #tens "8, %" #tens "9, "
#define REGISTERS_32 TEN() TEN(1) TEN(2) "%30, %31"
#define REGISTERS_64 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63"
#define REGISTERS_128 \
	TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) \
	"%120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(i) \
	"+f"(c[i].s0), "+f"(c[i].s1), "+f"(c[i].s2), "+f"(c[i].s3), "+f"(c[i].s4), "+f"(c[i].s5), "+f"(c[i].s6), \
	"+f"(c[i].s7)
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 1), SUMS_8(i + 2), SUMS_8(i + 3)
#define SUMS_64(i) SUMS_32(i), SUMS_32(i + 4)
#define SUMS_128(i) SUMS_64(i), SUMS_64(i + 8)

#define MULTIPLY(columns, registers, type, flags, a, b) \
	"wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type " {" REGISTERS_##registers "}, %[" a "], " \
	"%[" b "], 1, 1, 1, " flags "; "
/* The four steps along k of a block.  Nothing of the compiler comes between them. */
#define STEPS(name, columns, registers, type, flags) \
	TOGETHER void name(__private float8 *c, ulong a, ulong a_step, ulong b, ulong b_step) \
	{ \
		__asm__ __volatile__("wgmma.fence.sync.aligned; " \
				     MULTIPLY(columns, registers, type, flags, "a0", "b0") \
				     MULTIPLY(columns, registers, type, flags, "a1", "b1") \
				     MULTIPLY(columns, registers, type, flags, "a2", "b2") \
				     MULTIPLY(columns, registers, type, flags, "a3", "b3") \
				     "wgmma.commit_group.sync.aligned;" \
				     : SUMS_##registers(0) \
				     : [a0] "l"(a), [a1] "l"(a + a_step), [a2] "l"(a + 2 * a_step), \
				       [a3] "l"(a + 3 * a_step), [b0] "l"(b), [b1] "l"(b + b_step), \
				       [b2] "l"(b + 2 * b_step), [b3] "l"(b + 3 * b_step) \
				     : "memory"); \
	}
/* The flags say whether neighbours along k are not neighbours in memory.  A step along k is a part of the lines, or some
 * of the lines. */
#define ALONG_STEP (STEP * 2 >> 4)
#define ACROSS_STEP (STEP * BLOCK * 2 >> 4)
#define PRODUCTS(columns, registers, type) \
	STEPS(steps_00_##columns##_##type, columns, registers, #type, "0, 0") \
	STEPS(steps_01_##columns##_##type, columns, registers, #type, "0, 1") \
	STEPS(steps_10_##columns##_##type, columns, registers, #type, "1, 0") \
	STEPS(steps_11_##columns##_##type, columns, registers, #type, "1, 1") \
	TOGETHER void multiply_##columns##_##type(__private float8 *c, ulong a, bool a_along, ulong b, bool b_along) \
	{ \
		if (a_along && b_along) \
			steps_00_##columns##_##type(c, a, ALONG_STEP, b, ALONG_STEP); \
		else if (a_along) \
			steps_01_##columns##_##type(c, a, ALONG_STEP, b, ACROSS_STEP); \
		else if (b_along) \
			steps_10_##columns##_##type(c, a, ACROSS_STEP, b, ALONG_STEP); \
		else \
			steps_11_##columns##_##type(c, a, ACROSS_STEP, b, ACROSS_STEP); \
	}

/* -- mma --------------------------------------------------------------------------------------- */

/* As tile_line, of a block. */
HELPER const __local ushort *block_line(const __local ushort *block, uint line, uint column, bool down_first)
{
	const uint l = lane(), second = l >> 3 & 1, fourth = l >> 4;
	const uint down = 8 * (down_first ? second : fourth), right = 8 * (down_first ? fourth : second);
	return block + culvert_matrix_wide_place(line + (l & 7) + down, column + right);
}

TOGETHER uint4 block_load_a(const __local ushort *block, bool along, uint row, uint k)
{
	return along ? load_tiles_straight(block_line(block, row, k, true)) :
		       load_tiles_transposed(block_line(block, k, row, false));
}

TOGETHER uint4 block_load_b(const __local ushort *block, bool along, uint k, uint column)
{
	return along ? load_tiles_straight(block_line(block, column, k, false)) :
		       load_tiles_transposed(block_line(block, k, column, true));
}

#define NARROW(columns, type, multiply) \
	TOGETHER void narrow_##columns##_##type(__private float8 *c, const __local ushort *a, bool a_along, \
						const __local ushort *b, bool b_along) \
	{ \
		const uint row = (uint)get_local_linear_id() / 32 % 4 * 16; \
		for (uint k = 0; k < BLOCK; k += STEP) { \
			const uint4 x = block_load_a(a, a_along, row, k); \
			__attribute__((opencl_unroll_hint)) \
			for (uint j = 0; j < columns / 16; j++) { \
				const uint4 y = block_load_b(b + j / 4 * BLOCK * BLOCK, b_along, k, j % 4 * 16); \
				c[j].lo = multiply(x, y.lo, c[j].lo); \
				c[j].hi = multiply(x, y.hi, c[j].hi); \
			} \
		} \
	}

/* -- functions --------------------------------------------------------------------------------- */

#define MULADD(columns, registers, T, type, multiply) \
	PRODUCTS(columns, registers, type) \
	NARROW(columns, type, multiply) \
	MATRIX void culvert_matrix_wide_muladd_##columns(__private culvert_matrix_c_float *c, const __local T *a, \
							 uint layout_a, const __local T *b, uint layout_b) \
	{ \
		const bool a_along = layout_a == CULVERT_MATRIX_ROW_MAJOR; \
		const bool b_along = layout_b != CULVERT_MATRIX_ROW_MAJOR; \
		const __local ushort *x = (const __local ushort *)a, *y = (const __local ushort *)b; \
		if (__culvert_hidden_sm_90a()) \
			multiply_##columns##_##type(c, descriptor(x), a_along, descriptor(y), b_along); \
		else \
			narrow_##columns##_##type(c, x, a_along, y, b_along); \
	}
#define WIDE(columns, registers) \
	MULADD(columns, registers, half, f16, columns_half) \
	MULADD(columns, registers, ushort, bf16, mma_bfloat16) \
	MATRIX void culvert_matrix_wide_wait_##columns(__private culvert_matrix_c_float *c, uint products) \
	{ \
		if (__culvert_hidden_sm_90a()) { \
			wait_for_products(products); \
			__asm__ __volatile__("" : SUMS_##registers(0) : : "memory"); \
		} \
	}

/* The sums that a product has not computed yet are operands behind the wait, so that nothing reads them before it. */
#define WAIT_BUT_PRODUCTS(products) \
	case products: \
		__asm__ __volatile__("wgmma.wait_group.sync.aligned " #products ";" : : : "memory"); \
		break;
TOGETHER void wait_for_products(uint products)
{
	switch (products) {
		WAIT_BUT_PRODUCTS(1)
		WAIT_BUT_PRODUCTS(2)
		WAIT_BUT_PRODUCTS(3)
	default: __asm__ __volatile__("wgmma.wait_group.sync.aligned 0;" : : : "memory");
	}
}

WIDE(64, 32)
WIDE(128, 64)
WIDE(256, 128)
