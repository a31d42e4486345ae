/* What an op does, taken apart from the name of its row: "add.rn.ftz.f32", "_cmp.lt.u32", "_ld.4", "%tid.x".
 *
 * The interpreter's tables name each form of each instruction; the compiler knows families.  What is no family of its
 * own is VERB_CALL: compiled code calls the interpreter's handler for it. */
#ifndef CULVERT_SOFTCUDA_JIT_VERB_H
#define CULVERT_SOFTCUDA_JIT_VERB_H

#include "softcuda/exec/op.h"

#include <stdbool.h>
#include <stdint.h>

enum verb {
	VERB_CALL,                /* by the handler */
	VERB_NONE,                /* nothing to do */
	VERB_BRANCH, VERB_EXIT, VERB_BARRIER, VERB_FENCE,
	VERB_TOGETHER,            /* by the handler, when the lanes that it names are there: members */
	VERB_MEET,                /* nothing but that */
	VERB_REFUSE,              /* nothing for the compiler */
	/* Integers: bits, is_signed. */
	VERB_ADD, VERB_SUB, VERB_MUL, VERB_MUL_HIGH, VERB_MUL_WIDE, VERB_MAD, VERB_MAD_HIGH, VERB_MAD_WIDE,
	VERB_DIV, VERB_REM, VERB_MIN, VERB_MAX, VERB_ABS, VERB_NEG, VERB_AND, VERB_OR, VERB_XOR, VERB_NOT,
	VERB_CNOT, VERB_SHL, VERB_SHR, VERB_POPC, VERB_CLZ, VERB_BREV, VERB_LOP3, VERB_SHF, VERB_PRMT, VERB_BFE,
	VERB_BFI,
	/* Copies: from and bits are the widths. */
	VERB_EXTEND, VERB_SELECT, VERB_CHOOSE, VERB_PACK, VERB_UNPACK,
	/* Predicates. */
	VERB_PRED_AND, VERB_PRED_OR, VERB_PRED_XOR, VERB_PRED_NOT, VERB_PRED_MOVE,
	/* Comparisons. */
	VERB_COMPARE, VERB_COMPARE_FLOAT,
	/* Floats: bits, ftz, sat. */
	VERB_FADD, VERB_FSUB, VERB_FMUL, VERB_FMA, VERB_FDIV, VERB_RCP, VERB_SQRT, VERB_RSQRT, VERB_FMIN, VERB_FMAX,
	VERB_FABS, VERB_FNEG, VERB_COPYSIGN,
	VERB_EX2, VERB_LG2, VERB_SIN, VERB_COS,
	/* Conversions: from_float, from, is_signed of the source; to_float, bits, to_signed; op->mode. */
	VERB_CONVERT,
	/* Memory: size_B of an element, is_signed of bytes. */
	VERB_LOAD, VERB_STORE,
	/* Special registers: special. */
	VERB_SPECIAL,
	/* Addresses: those of the window, or plain ones; is_signed: from generic ones. */
	VERB_WINDOW, VERB_LOCAL_ADDRESS
};

enum relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE, RELATION_NUM,
		RELATION_NAN };

enum special {
	SPECIAL_TID_X, SPECIAL_TID_Y, SPECIAL_TID_Z, SPECIAL_NTID_X, SPECIAL_NTID_Y, SPECIAL_NTID_Z,
	SPECIAL_CTAID_X, SPECIAL_CTAID_Y, SPECIAL_CTAID_Z, SPECIAL_NCTAID_X, SPECIAL_NCTAID_Y, SPECIAL_NCTAID_Z,
	SPECIAL_LANEID, SPECIAL_WARPID, SPECIAL_NWARPID, SPECIAL_ZERO, SPECIAL_ONE
};

struct jit_verb {
	uint8_t verb;             /* enum verb */
	uint8_t bits;             /* of the result, or of both sides of a comparison */
	uint8_t from;             /* bits of what is converted or extended */
	bool is_float, from_float;
	bool is_signed, to_signed;
	bool ftz, sat;
	bool unordered;           /* a comparison that a NaN makes true */
	bool left, wraps;         /* of shf */
	uint8_t relation, special, part;
	uint8_t members;          /* the operand that names them */
	uint16_t size_B;
};

/* What an op of a row does. */
struct jit_verb verb_of(const struct op_row *row);

#endif
