/* Matrices that the lanes of a warp hold together: mma, wmma, wgmma and ldmatrix.
 *
 * An instruction has more operands than an op.  Its decoder makes ops that put the registers of a, b and c into the
 * warp's slots, one that multiplies, and ops that take the results.
 *
 * Each lane holds some elements of a matrix.  Which ones these are is what the PTX ISA, "Matrix Fragments for mma",
 * says of each shape of mma.  It says nothing of wmma; there the same rule is used for its larger shapes.
 *
 * Thread-safety: as exec/op.h. */
#ifndef CULVERT_SOFTCUDA_EXEC_MATRIX_H
#define CULVERT_SOFTCUDA_EXEC_MATRIX_H

#include <stdint.h>

enum matrix_type {
	MATRIX_F16,
	MATRIX_BF16,
	MATRIX_TF32,
	MATRIX_F32,
	MATRIX_F64,
	MATRIX_S8,
	MATRIX_U8,
	MATRIX_S32,
	MATRIX_E4M3,
	MATRIX_E5M2
};

enum matrix_role { MATRIX_A, MATRIX_B, MATRIX_C };

/* A matrix of an m x k by k x n product; the result is a MATRIX_C.  An index numbers the elements of one lane. */
struct matrix_part {
	uint8_t role;             /* enum matrix_role */
	uint8_t m, n, k;
	uint8_t size_B;           /* of an element */
	uint8_t column_major;     /* in memory, or what a part of four products is said to be */
	uint8_t index;            /* of the element that _matrix.place finds */
	uint8_t is_four;          /* mma.m8n8k4 of f16: four products, each of eight lanes */
};
_Static_assert(sizeof(struct matrix_part) <= sizeof(int64_t), "travels in op->imm");

enum matrix_flag {
	MATRIX_SATURATES = 1,     /* sums of integers do not wrap */
	MATRIX_IS_FOUR = 2,
	MATRIX_A_COLUMNS = 4,     /* of four products: a, and b, are column-major */
	MATRIX_B_COLUMNS = 8
};

/* What _matrix.multiply does, in op->imm. */
struct matrix_product {
	uint8_t m, n, k;
	uint8_t a, b, c, d;       /* enum matrix_type */
	uint8_t flags;            /* enum matrix_flag */
};
_Static_assert(sizeof(struct matrix_product) == sizeof(int64_t), "travels in op->imm");

/* Where the registers of a, b and c, and then those of d, are in warp->matrix. */
enum { MATRIX_SLOT_A = 0, MATRIX_SLOT_B = 16, MATRIX_SLOT_C = 24, MATRIX_SLOTS = 32 };

/* The operand with the lanes that _matrix.multiply and _matrix.row wait for: all. */
enum { MATRIX_MEMBERS = 4 };

/* How many elements of the matrix a lane has. */
static inline unsigned matrix_elements(const struct matrix_part *part)
{
	const unsigned size = part->role == MATRIX_A ? part->m * part->k :
			      part->role == MATRIX_B ? part->k * part->n : part->m * part->n;
	return size / (part->is_four ? 8 : 32);
}

/* Which of four products is the lane's. */
static inline unsigned matrix_quarter(const struct matrix_part *part, unsigned l)
{
	return part->is_four ? l % 16 / 4 : 0;
}

/* How many elements a 32-bit register holds, or a 64-bit one of an f64. */
static inline unsigned matrix_per_register(unsigned size_B)
{
	return size_B < 4 ? 4 / size_B : 1;
}

struct matrix_position {
	unsigned row, column;
};

/* PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
static inline struct matrix_position matrix_position_of_four(const struct matrix_part *part, unsigned l, unsigned index)
{
	const unsigned place = l % 4, half = l < 16 ? 0 : 4;
	if (part->role == MATRIX_B)
		return part->column_major ? (struct matrix_position){index, place + half} :
		       (struct matrix_position){place, index + half};
	if (part->role == MATRIX_A && part->column_major)
		return (struct matrix_position){index + half, place};
	if (part->role == MATRIX_A || part->size_B == 2)
		return (struct matrix_position){place + half, index};
	return (struct matrix_position){(l & 1) + (index & 2) + half, (index & 4) + (l & 2) + (index & 1)};
}

/* A lane has two neighbours of a row of c, and the elements of one register of a row of a and of a column of b.  The
 * registers of a lane belong to tiles of eight rows of a and c and of eight columns of b. */
static inline struct matrix_position matrix_position(const struct matrix_part *part, unsigned l, unsigned index)
{
	const unsigned group = l >> 2, place = l & 3, rows = part->m / 8;
	if (part->is_four)
		return matrix_position_of_four(part, l, index);
	if (part->role == MATRIX_C) {
		const unsigned tile = index / 2;
		return (struct matrix_position){group + 8 * (tile % rows), 2 * place + index % 2 + 8 * (tile / rows)};
	}
	const unsigned per = matrix_per_register(part->size_B), tile = index / per, depth = 4 * per;
	const unsigned along = per * place + index % per;
	if (part->role == MATRIX_A)
		return (struct matrix_position){group + 8 * (tile % rows), along + depth * (tile / rows)};
	const unsigned tiles = part->k / depth;
	return (struct matrix_position){along + depth * (tile % tiles), group + 8 * (tile / tiles)};
}

#endif
