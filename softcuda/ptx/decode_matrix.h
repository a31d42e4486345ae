/* What the decoders of mma and wgmma share.  See ptx/decode.h for errors and thread-safety. */
#ifndef CULVERT_SOFTCUDA_PTX_DECODE_MATRIX_H
#define CULVERT_SOFTCUDA_PTX_DECODE_MATRIX_H

#include "softcuda/exec/matrix.h"
#include "softcuda/ptx/decode.h"

struct matrix_format {
	const char *name;
	enum matrix_type type;
	uint8_t size_B;
};

/* NULL when no matrix has elements of the type. */
const struct matrix_format *matrix_format_find(const char *name);

/* The elements of a vector operand, or the operand itself, if there are `count`. */
const struct ptx_operand *matrix_registers(struct ptx_parser *parser, const struct ptx_operand *operand,
					   unsigned count);

/* Ops of the row _matrix.stage, which put registers into slots, or _matrix.take, which takes them from there; wide: a
 * register of 64 bits has two slots. */
bool matrix_emit_slots(struct ptx_parser *parser, const char *row, const uint32_t *x, unsigned count, unsigned slot,
		       bool wide);
bool matrix_emit_multiply(struct ptx_parser *parser, const struct matrix_product *product);

#endif
