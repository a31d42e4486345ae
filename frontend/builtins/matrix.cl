/*
 * Products of matrices that a sub-group holds together, by tensor cores: docs/cl_culvert_matrix.md.
 *
 * The elements of a work-item are the registers of mma, so that every one of them exists once and does not depend on how
 * the matrix lay in memory (PTX ISA, "Matrix Fragments for mma").  A register has elements that are neighbours along k,
 * the dimension that the product sums over, of one line: a row of a, or a column of b.
 */
#define cl_culvert_matrix
#include "frontend/builtins/sub_group.h"

#include "frontend/builtins/declarations.h"
#include "frontend/builtins/matrix.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The line of a work-item's registers in a tile of eight, and its place among the four along k. */
HELPER uint line_of_lane(void)
{
	return lane() >> 2;
}

HELPER uint place_of_lane(void)
{
	return lane() & 3;
}

/* -- loads of a and b -------------------------------------------------------------------------- */

/* Whether neighbours along k are neighbours in memory. */
#define ALONG_a(layout) ((layout) == CULVERT_MATRIX_ROW_MAJOR)
#define ALONG_b(layout) ((layout) != CULVERT_MATRIX_ROW_MAJOR)

/* Loads one register of a lane: n elements at the line and from k on. */
#define LOAD_REGISTERS(space) \
	__attribute__((unused)) HELPER uint load_register(const space uchar *p, bool along, ulong stride, uint line, uint place, uint k) \
	{ \
		uint word = 0; \
		k += 4 * place; \
		if (along) \
			return *(const space uint *)(p + line * stride + k); \
		for (uint i = 0; i < 4; i++) \
			word |= (uint)p[(k + i) * stride + line] << 8 * i; \
		return word; \
	} \
	__attribute__((unused)) HELPER uint load_register(const space ushort *p, bool along, ulong stride, uint line, uint place, uint k) \
	{ \
		k += 2 * place; \
		if (along) \
			return *(const space uint *)(p + line * stride + k); \
		return p[k * stride + line] | (uint)p[(k + 1) * stride + line] << 16; \
	} \
	__attribute__((unused)) HELPER uint load_register(const space uint *p, bool along, ulong stride, uint line, uint place, uint k) \
	{ \
		k += place; \
		return along ? p[line * stride + k] : p[k * stride + line]; \
	} \
	__attribute__((unused)) HELPER ulong load_register(const space ulong *p, bool along, ulong stride, uint line, uint place, uint k) \
	{ \
		k += place; \
		return along ? p[line * stride + k] : p[k * stride + line]; \
	}
LOAD_REGISTERS(__global)
LOAD_REGISTERS(__local)
LOAD_REGISTERS()

/* All registers: of a the one for the second eight rows follows, of b the one for the next k. */
#define LOADS_OF(space) \
	HELPER uint2 load_a(const space uchar *p, bool along, ulong s) \
	{ \
		const uint g = line_of_lane(), t = place_of_lane(); \
		return (uint2)(load_register(p, along, s, g, t, 0), load_register(p, along, s, g + 8, t, 0)); \
	} \
	HELPER uint2 load_b(const space uchar *p, bool along, ulong s) \
	{ \
		return load_a(p, along, s); \
	} \
	HELPER ulong load_a(const space ulong *p, bool along, ulong s) \
	{ \
		return load_register(p, along, s, line_of_lane(), place_of_lane(), 0); \
	} \
	HELPER ulong load_b(const space ulong *p, bool along, ulong s) \
	{ \
		return load_a(p, along, s); \
	} \
	LOADS_OF_TILES(space, uint, 4)
#define LOADS_OF_TILES(space, P, depth) \
	HELPER uint4 load_a(const space P *p, bool along, ulong s) \
	{ \
		const uint g = line_of_lane(), t = place_of_lane(); \
		return (uint4)(load_register(p, along, s, g, t, 0), load_register(p, along, s, g + 8, t, 0), \
			       load_register(p, along, s, g, t, depth), \
			       load_register(p, along, s, g + 8, t, depth)); \
	} \
	HELPER uint4 load_b(const space P *p, bool along, ulong s) \
	{ \
		const uint g = line_of_lane(), t = place_of_lane(); \
		return (uint4)(load_register(p, along, s, g, t, 0), load_register(p, along, s, g, t, depth), \
			       load_register(p, along, s, g + 8, t, 0), \
			       load_register(p, along, s, g + 8, t, depth)); \
	}
LOADS_OF(__global)
LOADS_OF(__local)
LOADS_OF()
LOADS_OF_TILES(__global, ushort, 8)
LOADS_OF_TILES(, ushort, 8)

/* The lines of the matrices: down_first where the second matrix is below the first one, else right of it. */
HELPER const __local ushort *tile_line(const __local ushort *p, ulong stride, bool down_first)
{
	const uint l = lane(), second = l >> 3 & 1, fourth = l >> 4;
	const uint down = 8 * (down_first ? second : fourth), right = 8 * (down_first ? fourth : second);
	return p + ((l & 7) + down) * stride + right;
}

TOGETHER uint4 load_a(const __local ushort *p, bool along, ulong s)
{
	return along ? load_tiles_straight(tile_line(p, s, true)) : load_tiles_transposed(tile_line(p, s, false));
}

TOGETHER uint4 load_b(const __local ushort *p, bool along, ulong s)
{
	return along ? load_tiles_straight(tile_line(p, s, false)) : load_tiles_transposed(tile_line(p, s, true));
}

/* BITS: the type as which elements travel; E: a work-item's elements. */
#define LOAD_INPUT(role, space, T, name, BITS, E) \
	MATRIX culvert_matrix_##role##_##name culvert_matrix_load_##role##_##name(const space T *p, uint layout, \
										   size_t stride) \
	{ \
		return as_type(E, load_##role((const space BITS *)p, ALONG_##role(layout), stride)); \
	}
#define LOAD_INPUTS(T, name, BITS, E) \
	LOAD_INPUT(a, __global, T, name, BITS, E) \
	LOAD_INPUT(b, __global, T, name, BITS, E) \
	LOAD_INPUT(a, __local, T, name, BITS, E) \
	LOAD_INPUT(b, __local, T, name, BITS, E) \
	LOAD_INPUT(a, , T, name, BITS, E) \
	LOAD_INPUT(b, , T, name, BITS, E)
LOAD_INPUTS(half, half, ushort, half8)
LOAD_INPUTS(ushort, bfloat16, ushort, ushort8)
LOAD_INPUTS(float, tf32, uint, float4)
LOAD_INPUTS(char, char, uchar, char8)
LOAD_INPUTS(uchar, uchar, uchar, uchar8)
LOAD_INPUTS(double, double, ulong, double)

/* -- sums -------------------------------------------------------------------------------------- */

/* A lane has pairs of neighbours in a row, of tiles of 8 by 8: below each other first. */
#define SUM_MEMORY(space, T) \
	HELPER T##2 load_pair(const space T *p, uint layout, ulong stride, uint row, uint column) \
	{ \
		row += line_of_lane(); \
		column += 2 * place_of_lane(); \
		if (layout == CULVERT_MATRIX_ROW_MAJOR) \
			return *(const space T##2 *)(p + row * stride + column); \
		return (T##2)(p[column * stride + row], p[(column + 1) * stride + row]); \
	} \
	HELPER void store_pair(space T *p, uint layout, ulong stride, uint row, uint column, T##2 pair) \
	{ \
		row += line_of_lane(); \
		column += 2 * place_of_lane(); \
		if (layout == CULVERT_MATRIX_ROW_MAJOR) { \
			*(space T##2 *)(p + row * stride + column) = pair; \
		} else { \
			p[column * stride + row] = pair.x; \
			p[(column + 1) * stride + row] = pair.y; \
		} \
	}
#define SUM_OF_FOUR(space, T, name) \
	SUM_MEMORY(space, T) \
	MATRIX culvert_matrix_c_##name culvert_matrix_load_c_##name(const space T *p, uint layout, size_t stride) \
	{ \
		return (T##8)(load_pair(p, layout, stride, 0, 0), load_pair(p, layout, stride, 8, 0), \
			      load_pair(p, layout, stride, 0, 8), load_pair(p, layout, stride, 8, 8)); \
	} \
	MATRIX void culvert_matrix_store(space T *p, culvert_matrix_c_##name c, uint layout, size_t stride) \
	{ \
		store_pair(p, layout, stride, 0, 0, c.s01); \
		store_pair(p, layout, stride, 8, 0, c.s23); \
		store_pair(p, layout, stride, 0, 8, c.s45); \
		store_pair(p, layout, stride, 8, 8, c.s67); \
	}
#define SUM_OF_ONE(space, T, name) \
	SUM_MEMORY(space, T) \
	MATRIX culvert_matrix_c_##name culvert_matrix_load_c_##name(const space T *p, uint layout, size_t stride) \
	{ \
		return load_pair(p, layout, stride, 0, 0); \
	} \
	MATRIX void culvert_matrix_store(space T *p, culvert_matrix_c_##name c, uint layout, size_t stride) \
	{ \
		store_pair(p, layout, stride, 0, 0, c); \
	}
#define SUMS(SUM, T) \
	SUM(__global, T, T) \
	SUM(__local, T, T) \
	SUM(, T, T)
SUMS(SUM_OF_FOUR, half)
SUMS(SUM_OF_FOUR, float)
SUMS(SUM_OF_FOUR, int)
SUMS(SUM_OF_ONE, double)

/* -- products ---------------------------------------------------------------------------------- */

/* All 16 columns: A and B are the registers of a and b, C the sums of eight columns. */
#define MULADD(a_name, b_name, c_name, columns, A, B, C) \
	MATRIX culvert_matrix_c_##c_name culvert_matrix_muladd(culvert_matrix_a_##a_name a, \
							       culvert_matrix_b_##b_name b, \
							       culvert_matrix_c_##c_name c) \
	{ \
		const A x = as_type(A, a); \
		const B y = as_type(B, b); \
		c.lo = SUMS_AS_##c_name(columns(x, y.lo, as_type(C, c.lo))); \
		c.hi = SUMS_AS_##c_name(columns(x, y.hi, as_type(C, c.hi))); \
		return c; \
	}
#define SUMS_AS_half(x) as_type(half4, x)
#define SUMS_AS_float(x) (x)
#define SUMS_AS_int(x) (x)
MULADD(half, half, float, columns_half, uint4, uint4, float4)
MULADD(half, half, half, columns_half, uint4, uint4, uint2)
MULADD(bfloat16, bfloat16, float, mma_bfloat16, uint4, uint4, float4)
MULADD(tf32, tf32, float, mma_tf32, uint4, uint4, float4)
MULADD(char, char, int, columns_char_char, uint2, uint2, int4)
MULADD(char, uchar, int, columns_char_uchar, uint2, uint2, int4)
MULADD(uchar, char, int, columns_uchar_char, uint2, uint2, int4)
MULADD(uchar, uchar, int, columns_uchar_uchar, uint2, uint2, int4)

MATRIX culvert_matrix_c_double culvert_matrix_muladd(culvert_matrix_a_double a, culvert_matrix_b_double b,
						     culvert_matrix_c_double c)
{
	return mma_double(a, b, c);
}

/* -- for SPIR-V -------------------------------------------------------------------------------- */

/* Products and loads of which the reader of SPIR-V composes those of its matrices (frontend/spirv/matrix.c). */
#define PRODUCT(name, A, B, C, columns) \
	MATRIX C __culvert_matrix_product_##name(A a, B b, C c) \
	{ \
		return columns(a, b, c); \
	}
PRODUCT(half, uint4, uint2, float4, columns_half)
PRODUCT(half, uint4, uint2, uint2, columns_half)
PRODUCT(bfloat16, uint4, uint2, float4, mma_bfloat16)
PRODUCT(tf32, uint4, uint2, float4, mma_tf32)
PRODUCT(double, double, double, double2, mma_double)
PRODUCT(char_char, uint2, uint, int4, columns_char_char)
PRODUCT(char_uchar, uint2, uint, int4, columns_char_uchar)
PRODUCT(uchar_char, uint2, uint, int4, columns_uchar_char)
PRODUCT(uchar_uchar, uint2, uint, int4, columns_uchar_uchar)

#define TILES(way) \
	MATRIX uint4 __culvert_matrix_tiles_##way(const __local ushort *line) \
	{ \
		return load_tiles_##way(line); \
	}
TILES(straight)
TILES(transposed)

/* The place of a work-item in a matrix.  Its name tells that its caller needs sub-groups of 32, also where the reader
 * composes loads and stores of nothing else (frontend/sub_group_sizes.cpp). */
PURE uint __culvert_matrix_lane(void)
{
	return (uint)__nvvm_read_ptx_sreg_laneid();
}
