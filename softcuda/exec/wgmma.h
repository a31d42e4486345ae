/* Matrices that wgmma reads from shared memory.
 *
 * wgmma multiplies 64 rows for four warps.  Each warp has 16 of the rows and their sums, in the registers that mma
 * has for them.  So a warp does its part by itself, as products of mma's shape with eight columns each; nothing is
 * exchanged between warps.  The decoder makes an op that fills the slots of a, and for each eight columns ops that fill
 * those of b and c, multiply, and take the sums.
 *
 * A product is carried out when it is issued, the earliest time that PTX allows; fences and waits have no effect.
 *
 * Thread-safety: as exec/op.h. */
#ifndef CULVERT_SOFTCUDA_EXEC_WGMMA_H
#define CULVERT_SOFTCUDA_EXEC_WGMMA_H

#include <stdint.h>

/* What _wgmma.load does, in op->imm.  x[0] is a 64-bit register for addresses, x[1] the descriptor. */
struct wgmma_load {
	uint8_t role;             /* MATRIX_A or MATRIX_B */
	uint8_t size_B;           /* of an element */
	uint8_t k;
	uint8_t first;            /* column of b / 8 */
	uint8_t transposed;       /* neighbours along m or n, not along k, are neighbours in memory */
	uint8_t negated;          /* the scale is -1 */
	uint8_t padding[2];
};
_Static_assert(sizeof(struct wgmma_load) == sizeof(int64_t), "travels in op->imm");

/* Rows of a warp, and warps of a warpgroup. */
enum { WGMMA_ROWS = 16, WGMMA_WARPS = 4 };

/* The signs of the floats of this size that are in count_B bytes, 4 at most. */
static inline uint32_t wgmma_signs(unsigned size_B, unsigned count_B)
{
	const uint32_t signs = size_B == 1 ? 0x80808080u : size_B == 2 ? 0x80008000u : 1u << 31;
	return count_B < 4 ? signs & ((1u << 8 * count_B) - 1) : signs;
}

#endif
