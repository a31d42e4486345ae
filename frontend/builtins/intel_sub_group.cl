/*
 * The functions of cl_intel_subgroups 1.0, cl_intel_subgroups_char 1.0, cl_intel_subgroups_short 1.1 and
 * cl_intel_subgroups_long 1.0 that the extensions of Khronos do not have: shuffles of two values and of vectors,
 * collective functions of narrow integers by another name, and reads and writes of blocks.
 *
 * As in sub_group_active.cl, each shuffle is there twice: for the work-items that are together, and as
 * __culvert_converged_*, which frontend/converged_calls.c puts in its place where all work-items call it.
 */
#include "frontend/builtins/image.h"
#include "frontend/builtins/sub_group.h"

/* -- shuffles ---------------------------------------------------------------------------------- */

/* The values of two arguments are put in a row: a work-item gets the one that is delta behind its own in the first
 * argument of shuffle_down, or delta before its own in the second argument of shuffle_up. */
#define SHUFFLES(T, NAME, LANES) \
	SHUFFLES_OF_ONE(T, NAME, LANES) \
	SUB_GROUP T NAME##_shuffle_down(T current, T next, uint delta) \
	{ \
		const uint lanes = LANES, at = lane() + delta; \
		const T near = move_idx(current, at, lanes), far = move_idx(next, at, lanes); \
		return at < SUB_GROUP_SIZE ? near : far; \
	} \
	SUB_GROUP T NAME##_shuffle_up(T previous, T current, uint delta) \
	{ \
		const uint lanes = LANES, at = lane() - delta; \
		const T near = move_idx(current, at, lanes), far = move_idx(previous, at, lanes); \
		return at < SUB_GROUP_SIZE ? near : far; \
	}
FOR_SCALARS(SHUFFLES, intel_sub_group, active_lanes())
FOR_SCALARS(SHUFFLES, __culvert_converged_intel_sub_group, EVERY_LANE)

/* Vectors, half by half; those of three elements by two and one. */
#define SHUFFLE_HALVES(T, N, HALF, OTHER, low, high, NAME) \
	SUB_GROUP T##N NAME##_shuffle(T##N x, uint index) \
	{ \
		return (T##N)(NAME##_shuffle(x.low, index), NAME##_shuffle(x.high, index)); \
	} \
	SUB_GROUP T##N NAME##_shuffle_xor(T##N x, uint mask) \
	{ \
		return (T##N)(NAME##_shuffle_xor(x.low, mask), NAME##_shuffle_xor(x.high, mask)); \
	} \
	SUB_GROUP T##N NAME##_shuffle_down(T##N a, T##N b, uint delta) \
	{ \
		return (T##N)(NAME##_shuffle_down(a.low, b.low, delta), \
			      NAME##_shuffle_down(a.high, b.high, delta)); \
	} \
	SUB_GROUP T##N NAME##_shuffle_up(T##N a, T##N b, uint delta) \
	{ \
		return (T##N)(NAME##_shuffle_up(a.low, b.low, delta), \
			      NAME##_shuffle_up(a.high, b.high, delta)); \
	}
#define SHUFFLE_VECTORS(T, NAME) \
	SHUFFLE_HALVES(T, 2, , , x, y, NAME) \
	SHUFFLE_HALVES(T, 3, 2, , xy, z, NAME) \
	SHUFFLE_HALVES(T, 4, 2, 2, lo, hi, NAME) \
	SHUFFLE_HALVES(T, 8, 4, 4, lo, hi, NAME) \
	SHUFFLE_HALVES(T, 16, 8, 8, lo, hi, NAME)
#define FOR_SHUFFLED_VECTORS(NAME) \
	SHUFFLE_VECTORS(char, NAME) \
	SHUFFLE_VECTORS(uchar, NAME) \
	SHUFFLE_VECTORS(short, NAME) \
	SHUFFLE_VECTORS(ushort, NAME) \
	SHUFFLE_VECTORS(int, NAME) \
	SHUFFLE_VECTORS(uint, NAME) \
	SHUFFLE_VECTORS(float, NAME)
FOR_SHUFFLED_VECTORS(intel_sub_group)
FOR_SHUFFLED_VECTORS(__culvert_converged_intel_sub_group)

/* -- collective functions of narrow integers --------------------------------------------------- */

#define COLLECTIVE(T, name) \
	SUB_GROUP T sub_group_##name(T x); \
	SUB_GROUP T intel_sub_group_##name(T x) \
	{ \
		return sub_group_##name(x); \
	}
#define COLLECTIVES(T, operation) \
	COLLECTIVE(T, reduce_##operation) \
	COLLECTIVE(T, scan_exclusive_##operation) \
	COLLECTIVE(T, scan_inclusive_##operation)
#define NARROW(T) \
	SUB_GROUP T sub_group_broadcast(T x, uint index); \
	SUB_GROUP T intel_sub_group_broadcast(T x, uint index) \
	{ \
		return sub_group_broadcast(x, index); \
	} \
	COLLECTIVES(T, add) \
	COLLECTIVES(T, min) \
	COLLECTIVES(T, max)
NARROW(char)
NARROW(uchar)
NARROW(short)
NARROW(ushort)

/* -- blocks of buffers ------------------------------------------------------------------------- */

/*
 * Values of consecutive work-items are adjacent; component n of all of them begins n times the maximum size of a
 * sub-group behind component 0.
 */
#define BLOCK(T, N, SUFFIX) \
	SUB_GROUP T##N intel_sub_group_block_read##SUFFIX(const global T *p) \
	{ \
		union { \
			T item[sizeof(T##N) / sizeof(T)]; \
			T##N whole; \
		} data; \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T##N) / sizeof(T); n++) \
			data.item[n] = p[lane() + n * SUB_GROUP_SIZE]; \
		return data.whole; \
	} \
	SUB_GROUP void intel_sub_group_block_write##SUFFIX(global T *p, T##N data) \
	{ \
		union { \
			T##N whole; \
			T item[sizeof(T##N) / sizeof(T)]; \
		} parts = {data}; \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T##N) / sizeof(T); n++) \
			p[lane() + n * SUB_GROUP_SIZE] = parts.item[n]; \
	}

/* -- blocks of images -------------------------------------------------------------------------- */

/*
 * Bytes of an image, without conversion; each component is in a row of its own.  "Out-of-bounds reads will return the
 * edge image element", and "out-of-bounds writes will be ignored", for elements of four bytes.  A read may begin at any
 * byte.  A surface is accessed by at most as many bytes as an element has.
 */
HELPER int clamp_row(image_ptr image, int y)
{
	const int last = (int)FIELD(image, height) - 1;
	y = y < last ? y : last;
	return y > 0 ? y : 0;
}

/* The byte of the edge element that is read for a byte outside of a row; one inside is itself. */
HELPER int clamp_byte(image_ptr image, int x_B)
{
	const int width_B = (int)(FIELD(image, width) * FIELD(image, element_B));
	const int edge_B = width_B > 4 ? width_B - 4 : 0;
	x_B = x_B < 0 ? x_B & 3 : x_B >= width_B ? edge_B + (x_B & 3) : x_B;
	return x_B < width_B ? x_B : width_B - 1;
}

/* T bytes from a byte on, which are in one row of the image and are aligned. */
#define FETCH_PART(T, letter, W, form) \
	HELPER T fetch_part(image_ptr image, int x_B, int y, T *part) \
	{ \
		const ulong linear = FIELD(image, data), surface = FIELD(image, surface); \
		W loaded; \
		if (linear) \
			return *(const global T *)(linear + (ulong)y * FIELD(image, row_pitch_B) + (uint)x_B); \
		__asm__ __volatile__("suld.b.2d." form ".zero {%0}, [%1, {%2, %3}];" \
				     : "=" letter(loaded) \
				     : "l"(surface), "r"(x_B), "r"(y) \
				     : "memory"); \
		return (T)loaded; \
	}
FETCH_PART(uchar, "h", ushort, "b8")
FETCH_PART(ushort, "h", ushort, "b16")
FETCH_PART(uint, "r", uint, "b32")

HELPER void load_part(image_ptr image, int x_B, int y, uchar *part)
{
	*part = fetch_part(image, clamp_byte(image, x_B), clamp_row(image, y), part);
}

#define LOAD_PART(T) \
	HELPER void load_part(image_ptr image, int x_B, int y, T *part) \
	{ \
		const int first_B = clamp_byte(image, x_B), row = clamp_row(image, y); \
		uchar byte; \
		if (FIELD(image, element_B) >= sizeof(T) && !(x_B & (sizeof(T) - 1))) { \
			*part = fetch_part(image, first_B, row, part); \
			return; \
		} \
		*part = 0; \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T); n++) \
		{ \
			byte = fetch_part(image, clamp_byte(image, x_B + (int)n), row, &byte); \
			*part |= (T)((T)byte << 8 * n); \
		} \
	}
LOAD_PART(ushort)
LOAD_PART(uint)

HELPER void load_part(image_ptr image, int x_B, int y, ulong *part)
{
	uint low, high;
	load_part(image, x_B, y, &low);
	load_part(image, x_B + 4, y, &high);
	*part = low | (ulong)high << 32;
}

HELPER bool is_inside(image_ptr image, int x_B, int y)
{
	return (uint)x_B < FIELD(image, width) * FIELD(image, element_B) && (uint)y < FIELD(image, height);
}

#define PUT_PART(T, letter, W, form) \
	HELPER void put_part(image_ptr image, int x_B, int y, T part) \
	{ \
		const ulong linear = FIELD(image, data), surface = FIELD(image, surface); \
		if (linear) { \
			*(global T *)(linear + (ulong)y * FIELD(image, row_pitch_B) + (uint)x_B) = part; \
			return; \
		} \
		__asm__ __volatile__("sust.b.2d." form ".zero [%0, {%1, %2}], {%3};" \
				     : \
				     : "l"(surface), "r"(x_B), "r"(y), letter((W)part) \
				     : "memory"); \
	}
PUT_PART(uchar, "h", ushort, "b8")
PUT_PART(ushort, "h", ushort, "b16")
PUT_PART(uint, "r", uint, "b32")

HELPER void store_part(image_ptr image, int x_B, int y, uchar part)
{
	if (is_inside(image, x_B, y))
		put_part(image, x_B, y, part);
}

#define STORE_PART(T) \
	HELPER void store_part(image_ptr image, int x_B, int y, T part) \
	{ \
		if (FIELD(image, element_B) >= sizeof(T)) { \
			if (is_inside(image, x_B, y)) \
				put_part(image, x_B, y, part); \
			return; \
		} \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T); n++) \
			store_part(image, x_B + (int)n, y, (uchar)(part >> 8 * n)); \
	}
STORE_PART(ushort)
STORE_PART(uint)

HELPER void store_part(image_ptr image, int x_B, int y, ulong part)
{
	store_part(image, x_B, y, (uint)part);
	store_part(image, x_B + 4, y, (uint)(part >> 32));
}

#define BLOCK_READ_IMAGE(access, T, N, SUFFIX) \
	SUB_GROUP T##N intel_sub_group_block_read##SUFFIX(access image2d_t image, int2 place_B) \
	{ \
		const image_ptr p = address_of(image); \
		union { \
			T item[sizeof(T##N) / sizeof(T)]; \
			T##N whole; \
		} data; \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T##N) / sizeof(T); n++) \
			load_part(p, place_B.x + (int)(lane() * sizeof(T)), place_B.y + (int)n, &data.item[n]); \
		return data.whole; \
	}
#define BLOCK_WRITE_IMAGE(access, T, N, SUFFIX) \
	SUB_GROUP void intel_sub_group_block_write##SUFFIX(access image2d_t image, int2 place_B, T##N data) \
	{ \
		const image_ptr p = address_of(image); \
		union { \
			T##N whole; \
			T item[sizeof(T##N) / sizeof(T)]; \
		} parts = {data}; \
		_Pragma("unroll") for (uint n = 0; n < sizeof(T##N) / sizeof(T); n++) \
			store_part(p, place_B.x + (int)(lane() * sizeof(T)), place_B.y + (int)n, parts.item[n]); \
	}
#define BLOCKS_OF(T, N, SUFFIX) \
	BLOCK(T, N, SUFFIX) \
	BLOCK_READ_IMAGE(read_only, T, N, SUFFIX) \
	BLOCK_READ_IMAGE(read_write, T, N, SUFFIX) \
	BLOCK_WRITE_IMAGE(write_only, T, N, SUFFIX) \
	BLOCK_WRITE_IMAGE(read_write, T, N, SUFFIX)
#define BLOCKS(T, LETTERS) \
	BLOCKS_OF(T, , LETTERS) \
	BLOCKS_OF(T, 2, LETTERS##2) \
	BLOCKS_OF(T, 4, LETTERS##4) \
	BLOCKS_OF(T, 8, LETTERS##8)
BLOCKS(uint, )
BLOCKS(uint, _ui)
BLOCKS(uchar, _uc)
BLOCKS_OF(uchar, 16, _uc16)
BLOCKS(ushort, _us)
BLOCKS_OF(ushort, 16, _us16)
BLOCKS(ulong, _ul)
