/* What an op does, as the compiler sees it: a verb with attributes, which verb_of parses from the name of the op's row
 * in the interpreter's tables: "add.rn.ftz.f32", "_cmp.lt.u32", "_ld.4", "%tid.x".
 *
 * The interpreter has a row for each form of each instruction; a verb stands for a family of such forms.  An op of no
 * family that the compiler knows gets VERB_CALL: compiled code calls the interpreter's handler for it.
 *
 * verb_of is thread-safe. */
#ifndef CULVERT_SOFTCUDA_JIT_VERB_H
#define CULVERT_SOFTCUDA_JIT_VERB_H

#include "softcuda/exec/op.h"

#include <stdbool.h>
#include <stdint.h>

enum verb {
	VERB_CALL,                /* the interpreter's handler executes it */
	VERB_NONE,                /* no operation */
	VERB_BRANCH, VERB_EXIT, VERB_BARRIER, VERB_FENCE,
	VERB_TOGETHER,            /* the handler executes it once the lanes in operand `members` have met */
	VERB_MEET,                /* lanes meet as for VERB_TOGETHER, and do nothing else */
	/* What lanes do once they have met, in machine code.  part: enum shuffle (exec/shuffle.h), enum vote or enum
	 * redux; is_signed: of REDUX_MIN and REDUX_MAX. */
	VERB_SHUFFLE, VERB_VOTE, VERB_REDUX,
	VERB_REFUSE,              /* the compiler does not compile kernels that have it */
	/* Integer operations.  Attributes: bits, is_signed. */
	VERB_ADD, VERB_SUB, VERB_MUL, VERB_MUL_HIGH, VERB_MUL_WIDE, VERB_MAD, VERB_MAD_HIGH, VERB_MAD_WIDE,
	VERB_DIV, VERB_REM, VERB_MIN, VERB_MAX, VERB_ABS, VERB_NEG, VERB_AND, VERB_OR, VERB_XOR, VERB_NOT,
	VERB_CNOT, VERB_SHL, VERB_SHR, VERB_POPC, VERB_CLZ, VERB_BREV, VERB_LOP3, VERB_SHF, VERB_PRMT, VERB_BFE,
	VERB_BFI,
	VERB_DOT_BYTES,           /* dp4a.  is_signed, to_signed: the bytes of operands 1 and 2 */
	/* Copies and selections.  from, bits: widths of the source and of the result.  VERB_CHOOSE is slct. */
	VERB_EXTEND, VERB_SELECT, VERB_CHOOSE, VERB_PACK, VERB_UNPACK,
	/* Operations on predicates. */
	VERB_PRED_AND, VERB_PRED_OR, VERB_PRED_XOR, VERB_PRED_NOT, VERB_PRED_MOVE,
	/* Comparisons.  Attributes: relation, bits of both sides; is_signed, or ftz and unordered. */
	VERB_COMPARE, VERB_COMPARE_FLOAT,
	/* Floating-point operations.  Attributes: bits, ftz, sat, and part (see verb.c). */
	VERB_FADD, VERB_FSUB, VERB_FMUL, VERB_FMA, VERB_FDIV, VERB_RCP, VERB_SQRT, VERB_RSQRT, VERB_FMIN, VERB_FMAX,
	VERB_FABS, VERB_FNEG, VERB_COPYSIGN,
	VERB_EX2, VERB_LG2, VERB_SIN, VERB_COS,
	/* rcp and rsqrt of f64 that read and write only the upper half of the operand and the result. */
	VERB_RCP_HIGH, VERB_RSQRT_HIGH,
	/* Arithmetic of f16, or of f16x2 where bits is 32.  part: VERB_FADD to VERB_FMA, VERB_FMIN, VERB_FMAX,
	 * VERB_FABS or VERB_FNEG; ftz, sat. */
	VERB_HALF,
	/* Conversions.  from_float, from, is_signed: the source; is_float, bits, to_signed: the result.  The
	 * modifiers are in op->mode. */
	VERB_CONVERT,
	/* Conversions from f16 to f32, and from f32 to f16. */
	VERB_HALF_TO_FLOAT, VERB_FLOAT_TO_HALF,
	/* Memory accesses.  size_B: size of an element; is_signed: bytes are sign-extended. */
	VERB_LOAD, VERB_STORE,
	/* Atomics on integers.  part: enum atomic; size_B, bits; is_signed: of ATOMIC_MIN and ATOMIC_MAX. */
	VERB_ATOMIC,
	/* Reads of special registers.  Attribute: special. */
	VERB_SPECIAL,
	/* Addresses.  VERB_WINDOW converts an address in shared (part: local) memory to a generic address, or, if
	 * is_signed is set, back.  VERB_LOCAL_ADDRESS gives an address in the frame's local memory. */
	VERB_WINDOW, VERB_LOCAL_ADDRESS
};

enum relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE, RELATION_NUM,
		RELATION_NAN };

enum special {
	SPECIAL_TID_X, SPECIAL_TID_Y, SPECIAL_TID_Z, SPECIAL_NTID_X, SPECIAL_NTID_Y, SPECIAL_NTID_Z,
	SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_CTAID_Z, SPECIAL_NCTAID_X, SPECIAL_NCTAID_Y, SPECIAL_NCTAID_Z,
	SPECIAL_LANEID, SPECIAL_WARPID, SPECIAL_NWARPID, SPECIAL_ZERO, SPECIAL_ONE,
	SPECIAL_LANES_EQ, SPECIAL_LANES_LT, SPECIAL_LANES_LE, SPECIAL_LANES_GT, SPECIAL_LANES_GE
};

/* VOTE_ACTIVE is activemask, which waits for no lane. */
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, VOTE_ACTIVE };

enum redux { REDUX_ADD, REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_MIN, REDUX_MAX };

enum atomic { ATOMIC_ADD, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_EXCH, ATOMIC_CAS };

struct jit_verb {
	uint8_t verb;             /* enum verb */
	uint8_t bits;             /* width of the result, or of both sides of a comparison */
	uint8_t from;             /* width of the source of a conversion or copy */
	bool is_float, from_float;
	bool is_signed, to_signed;
	bool ftz, sat;
	bool unordered;           /* a comparison that is true if an operand is NaN */
	bool left, wraps;         /* shf: shifts to the left; uses the amount modulo 32 */
	uint8_t relation, special, part;
	uint8_t rounding;         /* of a sum or product of f32: CONVERT_RZ, CONVERT_RM or CONVERT_RP
				   * (exec/convert.h); or 0: to nearest */
	uint8_t members;          /* index of the operand with the mask of the lanes that meet */
	uint16_t size_B;
};

/* Whether lanes run an op of this verb together. */
static inline bool verb_meets(const struct jit_verb *verb)
{
	return verb->verb >= VERB_TOGETHER && verb->verb <= VERB_REDUX;
}

/* The verb and its attributes of an op of this row. */
struct jit_verb verb_of(const struct op_row *row);

#endif
