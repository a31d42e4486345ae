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
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Whether the device has the larger shapes of mma; folded by the frontend (lower_device.c). */
extern bool __culvert_hidden_sm_80(void);

#define MATRIX BUILTIN __attribute__((convergent))

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
	MMA(name, "m16n8k16.row.col.s32." types ".s32", uint2, "%4, %5", uint, "%6", int4, "r", "r"(x.x), "r"(x.y), "r"(y))
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
