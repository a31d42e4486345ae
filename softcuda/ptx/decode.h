/* Instructions -> ops.  See ptx/parse.h for errors and thread-safety.
 *
 * Most instructions are a row of the handlers' tables, found by the whole
 * mnemonic; the families whose modifiers multiply have decoders of their own. */
#ifndef CULVERT_SOFTCUDA_PTX_DECODE_H
#define CULVERT_SOFTCUDA_PTX_DECODE_H

#include "softcuda/exec/table.h"
#include "softcuda/ptx/parse.h"

/* Decodes parser->instruction and appends its ops. */
bool ptx_decode(struct ptx_parser *parser);

/* Appends an op guarded as the instruction is; NULL when out of memory.  Valid
 * until the next op is appended. */
struct op *ptx_emit(struct ptx_parser *parser, op_run *run);
/* The same without the guard: for what prepares operands, which harms nobody. */
struct op *ptx_emit_bare(struct ptx_parser *parser, op_run *run);

/* Operand encodings during decoding: BANK_REGISTER with a virtual number, or a
 * constant's place; OPERAND_NONE after ptx_fail. */
uint32_t ptx_temporary(struct ptx_parser *parser, char width);
uint32_t ptx_constant(struct ptx_parser *parser, char width, uint64_t value);
uint32_t ptx_source(struct ptx_parser *parser, const struct ptx_operand *operand, char width);
/* The same, for instructions that take any register at least as wide. */
uint32_t ptx_source_loose(struct ptx_parser *parser, const struct ptx_operand *operand,
			  char width);
/* Of exactly this width; a sink gets a temporary. */
uint32_t ptx_destination(struct ptx_parser *parser, const struct ptx_operand *operand,
			 char width);
/* For results narrower than their register: emit to the returned temporary, then
 * call ptx_extend with it. */
uint32_t ptx_destination_loose(struct ptx_parser *parser, const struct ptx_operand *operand,
			       char width);
bool ptx_extend(struct ptx_parser *parser, const struct ptx_operand *operand, char width,
		bool is_signed, uint32_t temporary);
/* Appends an op of a row with given operands. */
bool ptx_emit_row(struct ptx_parser *parser, const char *name, const uint32_t *operands,
		  unsigned count);

bool ptx_unknown(struct ptx_parser *parser);
bool ptx_operand_count(struct ptx_parser *parser, uint32_t count);

/* A mnemonic's parts: "ld.global.u32" -> 3 words. */
enum { PTX_PARTS = 14 };
struct ptx_parts {
	char text[PTX_MNEMONIC];
	const char *part[PTX_PARTS];
	unsigned count;
};
bool ptx_split(struct ptx_parser *parser, struct ptx_parts *parts);

/* Types of ld, st, cvt and atom. */
struct ptx_type {
	const char *name;
	char width;               /* of the register that holds it */
	uint8_t size_B;
	char kind;                /* u s f b, h half, B bfloat */
};
/* NULL when name is not a scalar type. */
const struct ptx_type *ptx_type_find(const char *name);

/* The families with decoders of their own. */
bool ptx_decode_mov(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_logic(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_compare(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_convert(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_cvta(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_memory(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_atomic(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_stack(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_branch(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_call(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_barrier(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_warp(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_isspacep(struct ptx_parser *parser, const struct ptx_parts *parts);
/* Whether it is one of the video instructions, which have many names. */
bool ptx_is_video(const char *verb);
bool ptx_decode_video(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_copy(struct ptx_parser *parser, const struct ptx_parts *parts);
/* Of cp.async.bulk: bytes have come for an mbarrier. */
bool ptx_decode_bulk_arrive(struct ptx_parser *parser, const struct ptx_operand *object,
			    const struct ptx_operand *size_B);
bool ptx_decode_bulk(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_cluster(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_copy_arrive(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_matrix(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_mbarrier(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_policy(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_texture(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_surface(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_query(struct ptx_parser *parser, const struct ptx_parts *parts);
/* ptx/decode_note.c; the pragma is read by the parser. */
bool ptx_decode_note(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_note_variable(struct ptx_parser *parser, const char *text, size_t size_B);
/* ptx/decode_wgmma.c */
bool ptx_decode_wgmma(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_register_count(struct ptx_parser *parser, const struct ptx_parts *parts);
bool ptx_decode_hint(struct ptx_parser *parser, const struct ptx_parts *parts);

/* Parameters in registers: from the frame at a function's start, and results into it
 * before it returns. */
bool ptx_formals_load(struct ptx_parser *parser);
bool ptx_formals_store(struct ptx_parser *parser);

/* An address [base + offset] into op's operand and imm; before the op is emitted. */
struct ptx_address {
	uint32_t x;
	int64_t offset;
	bool address_32;
	uint8_t space;            /* enum ptx_space: a .func's param is local */
};
bool ptx_address_operand(struct ptx_parser *parser, const struct ptx_operand *operand,
			 enum ptx_space space, struct ptx_address *address_out);

#endif
