/* mma, wmma and ldmatrix: how fragments lie in registers and in memory, and products. */
#include "config.h"

#include "softcuda/exec/matrix.h"

#include "softcuda/exec/fault.h"
#include "softcuda/exec/half.h"
#include "softcuda/exec/real.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

#include <math.h>

/* The most elements of a matrix: 32 x 16. */
enum { ELEMENTS_MAX = 512 };
/* ldmatrix: the size of a row, and the alignment of its address. */
enum { ROW_B = 16 };

/* --- registers and slots --- */

/* op->vector registers to the slots from op->imm on; a 64-bit one has two slots. */
OP_HEAD(stage)
{
	for (unsigned i = 0; i < op->vector; i++) {
		const uint32_t slot = (uint32_t)op->imm + i * (op->mode + 1u);
		if (!op->mode) {
			op_put_32(warp->matrix[slot], OPERAND(const uint32_t, i), mask);
			continue;
		}
		const lane_u64 *wide = OPERAND(const lane_u64, i);
		for (uint32_t rest = mask; rest; rest &= rest - 1) {
			const unsigned l = exec_lowest(rest);
			warp->matrix[slot][l] = (uint32_t)wide[l];
			warp->matrix[slot + 1][l] = (uint32_t)(wide[l] >> 32);
		}
	}
	return FLOW_NEXT;
}

OP_HEAD(take)
{
	for (unsigned i = 0; i < op->vector; i++) {
		const uint32_t slot = (uint32_t)op->imm + i * (op->mode + 1u);
		uint64_t wide[LANES];
		if (!op->mode) {
			op_put_32(OPERAND(void, i), warp->matrix[slot], mask);
			continue;
		}
		for (unsigned l = 0; l < LANES; l++)
			wide[l] = warp->matrix[slot][l] | (uint64_t)warp->matrix[slot + 1][l] << 32;
		op_put_64(OPERAND(void, i), wide, mask);
	}
	return FLOW_NEXT;
}

/* op->vector bits of a 32-bit register from bit op->imm on. */
OP_HEAD(pack)
{
	const lane_u16 *part = OPERAND(const lane_u16, 1);
	lane_u32 *whole = OPERAND(lane_u32, 0);
	const uint32_t bits = ((1u << op->vector) - 1) << op->imm;
	uint32_t result[LANES];
	for (unsigned l = 0; l < LANES; l++)
		result[l] = (whole[l] & ~bits) | ((uint32_t)part[l] << op->imm & bits);
	op_put_32(whole, result, mask);
	return FLOW_NEXT;
}

OP_UNARY(unpack, lane_u32, 16, a[l] >> op->imm & ((1u << op->vector) - 1))

/* --- places in memory --- */

/* The address of an element: x[1] is that of the matrix, x[2] the elements from row to row, or from column to
 * column. */
OP_HEAD(place)
{
	const lane_u64 *base = OPERAND(const lane_u64, 1);
	const lane_u32 *stride = OPERAND(const lane_u32, 2);
	struct matrix_part part;
	uint64_t result[LANES];
	memcpy(&part, &op->imm, sizeof(part));
	for (unsigned l = 0; l < LANES; l++) {
		const struct matrix_position at = matrix_position(&part, l, part.index);
		const unsigned line = part.column_major ? at.column : at.row;
		const unsigned within = part.column_major ? at.row : at.column;
		result[l] = base[l] + ((uint64_t)line * stride[l] + within) * part.size_B;
	}
	op_put_64(OPERAND(void, 0), result, mask);
	return FLOW_NEXT;
}

static uint32_t meet_all(struct warp *warp, const struct op *op, uint32_t mask)
{
	const uint32_t met = exec_meet(warp, op, mask, MATRIX_MEMBERS, false);
	if (met && met != MASK_ALL)
		exec_fault(warp, op, met, CUDA_ERROR_ILLEGAL_INSTRUCTION,
			   "a matrix instruction of lanes %08x of a warp: all 32 have to take part", met);
	return met;
}

/* ldmatrix: the slots from 0 on have the low words of each lane's row address, those from 1 on the high ones.  The
 * address of the element that the lane loads of matrix op->vector; transposed: of part op->mode of its two. */
OP_HEAD(row)
{
	const uint32_t met = meet_all(warp, op, mask);
	if (met != MASK_ALL)
		return met ? FLOW_FAULT : FLOW_SCHEDULE;
	for (unsigned l = 0; l < LANES; l++) {
		const unsigned group = l >> 2, place = l & 3;
		const unsigned line = op->imm ? 2 * place + op->mode : group, within = op->imm ? group : 2 * place;
		const unsigned from = 8u * op->vector + line;
		if (warp->matrix[0][from] % ROW_B)
			return exec_fault(warp, op, 1u << from, CUDA_ERROR_MISALIGNED_ADDRESS,
					  "misaligned address of a row: not a multiple of 16 bytes");
		const uint64_t address = (warp->matrix[0][from] | (uint64_t)warp->matrix[1][from] << 32) + 2 * within;
		warp->matrix[2][l] = (uint32_t)address;
		warp->matrix[3][l] = (uint32_t)(address >> 32);
	}
	return exec_meet_done(warp, mask, met);
}

/* --- products --- */

static double element_get(const struct warp *warp, enum matrix_type type, unsigned slot, unsigned index, unsigned l)
{
	uint32_t bits;
	uint64_t wide;
	float real;
	double value;
	switch (type) {
	case MATRIX_F16:
		return half_to_f64((uint16_t)(warp->matrix[slot + index / 2][l] >> 16 * (index % 2)));
	case MATRIX_BF16:
		return bfloat_to_f64((uint16_t)(warp->matrix[slot + index / 2][l] >> 16 * (index % 2)));
	case MATRIX_S8:
		return (int8_t)(warp->matrix[slot + index / 4][l] >> 8 * (index % 4));
	case MATRIX_U8:
		return (uint8_t)(warp->matrix[slot + index / 4][l] >> 8 * (index % 4));
	case MATRIX_E4M3:
		return e4m3_to_f64((uint8_t)(warp->matrix[slot + index / 4][l] >> 8 * (index % 4)));
	case MATRIX_E5M2:
		return e5m2_to_f64((uint8_t)(warp->matrix[slot + index / 4][l] >> 8 * (index % 4)));
	case MATRIX_S32:
		return (int32_t)warp->matrix[slot + index][l];
	case MATRIX_F64:
		wide = warp->matrix[slot + 2 * index][l] | (uint64_t)warp->matrix[slot + 2 * index + 1][l] << 32;
		memcpy(&value, &wide, sizeof(value));
		return value;
	default:
		/* The lower 13 bits of a tf32 do not count. */
		bits = warp->matrix[slot + index][l] & (type == MATRIX_TF32 ? ~0x1fffu : ~0u);
		memcpy(&real, &bits, sizeof(real));
		return real;
	}
}

static uint32_t integer_bits(double sum, bool saturates)
{
	const int64_t whole = (int64_t)sum;
	if (saturates && whole > INT32_MAX)
		return INT32_MAX;
	if (saturates && whole < INT32_MIN)
		return 0x80000000u;
	return (uint32_t)whole;
}

static uint32_t float_bits(double sum)
{
	const float real = (float)sum;
	uint32_t bits;
	memcpy(&bits, &real, sizeof(bits));
	return real != real ? NAN_32 : bits;
}

static void element_put(struct warp *warp, const struct matrix_product *product, unsigned slot, unsigned index,
			unsigned l, double sum)
{
	uint32_t *to = &warp->matrix[slot + index][l];
	uint64_t wide;
	if (product->d == MATRIX_F64) {
		memcpy(&wide, &sum, sizeof(wide));
		warp->matrix[slot + 2 * index][l] = (uint32_t)wide;
		warp->matrix[slot + 2 * index + 1][l] = (uint32_t)(wide >> 32);
	} else if (product->d == MATRIX_F16) {
		to = &warp->matrix[slot + index / 2][l];
		const uint32_t bits = half_from_f64(sum, HALF_RN);
		*to = index % 2 ? (*to & 0xffff) | bits << 16 : (*to & 0xffff0000) | bits;
	} else if (product->d == MATRIX_S32) {
		*to = integer_bits(sum, product->flags & MATRIX_SATURATES);
	} else {
		*to = float_bits(sum);
	}
}

static const uint8_t sizes_B[] = {
	[MATRIX_F16] = 2, [MATRIX_BF16] = 2, [MATRIX_TF32] = 4, [MATRIX_F32] = 4, [MATRIX_F64] = 8,
	[MATRIX_S8] = 1, [MATRIX_U8] = 1, [MATRIX_S32] = 4, [MATRIX_E4M3] = 1, [MATRIX_E5M2] = 1
};

static struct matrix_part part_of(const struct matrix_product *product, enum matrix_role role, enum matrix_type type)
{
	return (struct matrix_part){
		.role = (uint8_t)role, .m = product->m, .n = product->n, .k = product->k, .size_B = sizes_B[type],
		.column_major = role == MATRIX_A ? !!(product->flags & MATRIX_A_COLUMNS) :
				!!(product->flags & MATRIX_B_COLUMNS),
		.is_four = !!(product->flags & MATRIX_IS_FOUR)
	};
}

/* The matrix as rows of its columns; four matrices one after the other. */
static void gather(const struct warp *warp, const struct matrix_part *part, enum matrix_type type, unsigned slot,
		   unsigned columns, double *to)
{
	const unsigned rows = part->role == MATRIX_B ? part->k : part->m;
	for (unsigned l = 0; l < LANES; l++) {
		for (unsigned i = 0; i < matrix_elements(part); i++) {
			const struct matrix_position at = matrix_position(part, l, i);
			const unsigned row = matrix_quarter(part, l) * rows + at.row;
			to[row * columns + at.column] = element_get(warp, type, slot, i, l);
		}
	}
}

/* The products of all types but f64 are exact in double, and so are sums of integers.  Those of floats are rounded to
 * the result's type once, at the end; the ISA leaves their order and precision open, "at least" that of the type. */
static double dot(const struct matrix_product *product, const double *a, const double *b, double sum)
{
	for (unsigned i = 0; i < product->k; i++, b += product->n)
		sum = product->a == MATRIX_F64 ? fma(a[i], *b, sum) : sum + a[i] * *b;
	return sum;
}

/* Finds all of c before any of d is put, as they share slots and may have types of different sizes. */
OP_HEAD(multiply)
{
	double a[ELEMENTS_MAX], b[ELEMENTS_MAX], c[ELEMENTS_MAX];
	struct matrix_product product;
	const uint32_t met = meet_all(warp, op, mask);
	if (met != MASK_ALL)
		return met ? FLOW_FAULT : FLOW_SCHEDULE;
	memcpy(&product, &op->imm, sizeof(product));
	const struct matrix_part at = part_of(&product, MATRIX_A, product.a);
	const struct matrix_part bt = part_of(&product, MATRIX_B, product.b);
	const struct matrix_part ct = part_of(&product, MATRIX_C, product.c);
	const struct matrix_part dt = part_of(&product, MATRIX_C, product.d);
	gather(warp, &at, product.a, MATRIX_SLOT_A, product.k, a);
	gather(warp, &bt, product.b, MATRIX_SLOT_B, product.n, b);
	gather(warp, &ct, product.c, MATRIX_SLOT_C, product.n, c);
	for (unsigned l = 0; l < LANES; l++) {
		const unsigned quarter = matrix_quarter(&dt, l);
		for (unsigned i = 0; i < matrix_elements(&dt); i++) {
			const struct matrix_position p = matrix_position(&dt, l, i);
			const unsigned row = quarter * product.m + p.row;
			element_put(warp, &product, MATRIX_SLOT_C, i, l,
				    dot(&product, a + row * product.k, b + quarter * product.k * product.n + p.column,
					c[row * product.n + p.column]));
		}
	}
	return exec_meet_done(warp, mask, met);
}

static const struct op_row rows[] = {
	{"_matrix.stage", "", stage}, {"_matrix.take", "", take}, {"_matrix.pack", "", pack},
	{"_matrix.unpack", "", unpack}, {"_matrix.place", "", place}, {"_matrix.row", "", row},
	{"_matrix.multiply", "", multiply}
};

EXEC_TABLE(exec_rows_matrix)
