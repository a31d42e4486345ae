/* One decoded PTX instruction, and what its handler needs to run it.
 *
 * A warp is 32 lanes in step.  A register is an array of 32 lanes of its own
 * width (2, 4, 8 or 16 bytes); a predicate is one uint32_t with a bit per lane.  An
 * operand is a byte offset into one of three banks: the frame's registers, the
 * program's constants (every immediate, spread over 32 lanes), and the launch's
 * constants (addresses that are known at launch only).  So a handler reads all
 * its operands alike and never asks what they are.
 *
 * Handlers compute all 32 lanes into a local array, which compilers turn into
 * vector code, and then put the active lanes: an inactive lane's rubbish in
 * costs nothing, as nothing here traps.
 *
 * Thread-safety: ops are immutable once decoded; a warp belongs to one thread. */
#ifndef CULVERT_SOFTCUDA_EXEC_OP_H
#define CULVERT_SOFTCUDA_EXEC_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 32, OP_OPERANDS = 6 };
#define MASK_ALL 0xffffffffu

/* The registers' memory is read as whatever type an instruction names, so the
 * lane types must be exempt from the rule that memory has one type. */
typedef uint8_t __attribute__((may_alias)) lane_u8;
typedef uint16_t __attribute__((may_alias)) lane_u16;
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef uint64_t __attribute__((may_alias)) lane_u64;
typedef int8_t __attribute__((may_alias)) lane_s8;
typedef int16_t __attribute__((may_alias)) lane_s16;
typedef int32_t __attribute__((may_alias)) lane_s32;
typedef int64_t __attribute__((may_alias)) lane_s64;
typedef float __attribute__((may_alias)) lane_f32;
typedef double __attribute__((may_alias)) lane_f64;

enum operand_bank { BANK_REGISTER, BANK_CONSTANT, BANK_LAUNCH, BANK_COUNT };
#define OPERAND_BANK_SHIFT 30
#define OPERAND_OFFSET_MASK 0x3fffffffu
#define OPERAND_NONE 0xffffffffu

struct warp;
struct op;

enum flow {
	FLOW_NEXT,       /* go on with the next instruction */
	FLOW_JUMP,       /* the active lanes go to op->target */
	FLOW_POLL,       /* the same in a loop that only waits for what other work-items do */
	FLOW_SCHEDULE,   /* the handler has set the active lanes' pc and frame */
	FLOW_FAULT       /* the group has a fault noted */
};

/* The mode of a branch whose loop only waits for what other work-items do. */
enum { BRANCH_POLLS = 1 };

typedef enum flow op_run(struct warp *warp, const struct op *op, uint32_t mask);

struct op {
	op_run *run;
	uint32_t x[OP_OPERANDS];  /* destination first */
	uint32_t guard;           /* predicate operand, or OPERAND_NONE */
	uint32_t line;            /* of the PTX */
	uint32_t target;          /* pc of a branch; index of a table or call site */
	uint8_t writes;           /* bit i: x[i] is a register that is written */
	uint8_t reads;            /* bit i: x[i] is an operand that is read */
	uint8_t vector;           /* of ld/st: elements */
	uint8_t space;            /* enum ptx_space */
	uint8_t mode;             /* a family's own modifiers */
	bool guard_negated;
	bool address_32;          /* the address operand is 32 bits wide */
	bool compares;            /* of atomics: it writes only where it finds x[1] */
	bool narrow;              /* of atomics and fences: of the work-group only (.cta) */
	int64_t imm;              /* offset of an address; a family's own datum */
};

/* What every handler sees of its warp; see exec/warp.h for the rest. */
struct warp_banks {
	char *bank[BANK_COUNT];
};

static inline char *op_bank(const struct warp *warp, uint32_t operand)
{
	const struct warp_banks *banks = (const struct warp_banks *)(const void *)warp;
	return banks->bank[operand >> OPERAND_BANK_SHIFT] + (operand & OPERAND_OFFSET_MASK);
}

/* Operand i as lanes of a type; x[0] is the destination. */
#define OPERAND(type, i) ((type *)(void *)op_bank(warp, op->x[i]))

static const uint32_t op_lane_bit[LANES] = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7,
	1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31
};

static inline void op_put_16(void *to, const uint16_t *r, uint32_t mask)
{
	if (mask == MASK_ALL) {
		memcpy(to, r, LANES * sizeof(*r));
		return;
	}
	lane_u16 *d = to;
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask >> l & 1 ? r[l] : d[l];
}

static inline void op_put_32(void *to, const uint32_t *r, uint32_t mask)
{
	if (mask == MASK_ALL) {
		memcpy(to, r, LANES * sizeof(*r));
		return;
	}
	lane_u32 *d = to;
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask & op_lane_bit[l] ? r[l] : d[l];
}

static inline void op_put_64(void *to, const uint64_t *r, uint32_t mask)
{
	if (mask == MASK_ALL) {
		memcpy(to, r, LANES * sizeof(*r));
		return;
	}
	lane_u64 *d = to;
	for (unsigned l = 0; l < LANES; l++)
		d[l] = mask >> l & 1 ? r[l] : d[l];
}

static inline void op_put_predicate(void *to, uint32_t r, uint32_t mask)
{
	lane_u32 *d = to;
	*d = (*d & ~mask) | (r & mask);
}

static inline uint32_t op_predicate(const struct warp *warp, uint32_t operand)
{
	return *(const lane_u32 *)(const void *)op_bank(warp, operand);
}

/* The parts that handler definitions are made of.  A body computes r from the
 * lanes a[l], b[l], c[l]; `lanes` is the type that the registers are read as,
 * `put` one of 16, 32, 64. */
#define OP_UINT_16 uint16_t
#define OP_UINT_32 uint32_t
#define OP_UINT_64 uint64_t
#define OP_HEAD(name) \
	static enum flow name(struct warp *warp, const struct op *op, uint32_t mask)
#define OP_RESULT(put, expression)                                            \
	OP_UINT_##put result[LANES];                                          \
	for (unsigned l = 0; l < LANES; l++)                                  \
		result[l] = (OP_UINT_##put)(expression);                      \
	op_put_##put(OPERAND(void, 0), result, mask);                         \
	return FLOW_NEXT;
#define OP_UNARY(name, lanes, put, expression)                                \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		OP_RESULT(put, expression)                                    \
	}
#define OP_BINARY(name, lanes, put, expression)                               \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lanes *b = OPERAND(const lanes, 2);                     \
		OP_RESULT(put, expression)                                    \
	}
#define OP_TERNARY(name, lanes, put, expression)                              \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lanes *b = OPERAND(const lanes, 2);                     \
		const lanes *c = OPERAND(const lanes, 3);                     \
		OP_RESULT(put, expression)                                    \
	}
/* A comparison: a predicate comes out. */
#define OP_COMPARE(name, lanes, expression)                                   \
	OP_HEAD(name)                                                         \
	{                                                                     \
		const lanes *a = OPERAND(const lanes, 1);                     \
		const lanes *b = OPERAND(const lanes, 2);                     \
		uint32_t bits[LANES], result = 0;                             \
		for (unsigned l = 0; l < LANES; l++)                          \
			bits[l] = (expression) ? op_lane_bit[l] : 0;          \
		for (unsigned l = 0; l < LANES; l++)                          \
			result |= bits[l];                                    \
		op_put_predicate(OPERAND(void, 0), result, mask);             \
		return FLOW_NEXT;                                             \
	}

/* How the decoder finds handlers: the whole mnemonic, and the operands' widths
 * as letters: p predicate, h 16, w 32, l 64, q 128 bits; the destination first. */
struct op_row {
	const char *name;
	const char *shape;
	op_run *run;
};

#endif
