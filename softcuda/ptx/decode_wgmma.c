/* wgmma, the products of four warps, and setmaxnreg.  exec/wgmma.h says how they are divided into ops. */
#include "config.h"

#include "softcuda/exec/wgmma.h"
#include "softcuda/ptx/decode_matrix.h"

#include <stdio.h>
#include <string.h>

/* Both need a target of this compute capability alone. */
static bool require_hopper(struct ptx_parser *parser)
{
	const struct soft_program *program = parser->program;
	if (program->target == 90 && program->target_only)
		return true;
	return ptx_fail(parser, parser->instruction.line, "'%s' requires .target sm_90a",
			parser->instruction.mnemonic);
}

/* An instruction and its operands: d, a, b, scale-d and, of floats, the scales of a and b and what is transposed. */
struct product {
	struct matrix_product tile;       /* of a warp's rows and eight columns */
	unsigned columns;
	uint8_t size_B, sum_B;            /* of elements */
	bool a_in_registers;
	bool negated[2], transposed[2];   /* a, b */
};

enum { COLUMNS = 8, COLUMNS_MAX = 256 };

static bool is_half(enum matrix_type type)
{
	return type == MATRIX_F16 || type == MATRIX_BF16;
}

static bool is_float8(enum matrix_type type)
{
	return type == MATRIX_E4M3 || type == MATRIX_E5M2;
}

static bool is_byte(enum matrix_type type)
{
	return type == MATRIX_S8 || type == MATRIX_U8;
}

/* PTX ISA, "Matrix Shape" of wgmma: of k, 32 bytes; integers do not have all multiples of 8 columns. */
static bool columns_are_known(unsigned columns, bool bytes)
{
	return columns && columns <= COLUMNS_MAX && columns % COLUMNS == 0 &&
	       (!bytes || columns % 16 == 0 || columns == 8 || columns == 24);
}

/* wgmma.mma_async.sync.aligned.m64n256k16{.satfinite}.f32.f16.f16 */
static bool parse_product(const struct ptx_parts *parts, struct product *product)
{
	unsigned n, k;
	char rest;
	const bool saturates = parts->count == 9 && !strcmp(parts->part[5], "satfinite");
	if ((parts->count != 8 && !saturates) || sscanf(parts->part[4], "m64n%3uk%2u%c", &n, &k, &rest) != 2)
		return false;
	const unsigned at = parts->count - 3;
	const struct matrix_format *d = matrix_format_find(parts->part[at]);
	const struct matrix_format *a = matrix_format_find(parts->part[at + 1]);
	const struct matrix_format *b = matrix_format_find(parts->part[at + 2]);
	if (!d || !a || !b)
		return false;
	const bool bytes = is_byte(a->type), half = is_half(a->type), float8 = is_float8(a->type);
	if ((!bytes && !half && !float8 && a->type != MATRIX_TF32) ||
	    (bytes ? !is_byte(b->type) : float8 ? !is_float8(b->type) : a != b) || k * a->size_B != 32 ||
	    !columns_are_known(n, bytes) || (saturates && !bytes))
		return false;
	if (d->type != (bytes ? MATRIX_S32 : MATRIX_F32) &&
	    !((a->type == MATRIX_F16 || float8) && d->type == MATRIX_F16))
		return false;
	product->columns = n;
	product->size_B = a->size_B;
	product->sum_B = d->size_B;
	product->tile = (struct matrix_product){
		.m = WGMMA_ROWS, .n = COLUMNS, .k = (uint8_t)k, .a = (uint8_t)a->type, .b = (uint8_t)b->type,
		.c = (uint8_t)d->type, .d = (uint8_t)d->type, .flags = saturates ? MATRIX_SATURATES : 0
	};
	return true;
}

/* A scale is 1 or -1, a transposition 0 or 1. */
static bool parse_constant(const struct ptx_operand *operand, int64_t plain, int64_t other, bool *is_other_out)
{
	const int64_t value = (int64_t)operand->value;
	*is_other_out = value == other;
	return operand->kind == PTX_INTEGER && (value == plain || value == other);
}

/* What is behind scale-d. */
static bool parse_constants(const struct ptx_instruction *in, struct product *product)
{
	const bool half = is_half(product->tile.a), floats = !is_byte(product->tile.a);
	product->a_in_registers = in->count > 1 && in->operands[1].kind == PTX_VECTOR;
	const uint32_t count = !floats ? 4 : !half ? 6 : product->a_in_registers ? 7 : 8;
	if (in->count != count)
		return false;
	for (unsigned i = 0; floats && i < 2; i++)
		if (!parse_constant(&in->operands[4 + i], 1, -1, &product->negated[i]))
			return false;
	if (half && !product->a_in_registers && !parse_constant(&in->operands[6], 0, 1, &product->transposed[0]))
		return false;
	return !half || parse_constant(&in->operands[count - 1], 0, 1, &product->transposed[1]);
}

static bool emit_load(struct ptx_parser *parser, const struct product *product, bool b, unsigned tile)
{
	const struct wgmma_load load = {
		.role = b ? MATRIX_B : MATRIX_A, .size_B = product->size_B, .k = product->tile.k,
		.first = (uint8_t)tile, .transposed = product->transposed[b],
		.negated = product->negated[b]
	};
	const uint32_t descriptor = ptx_source(parser, &parser->instruction.operands[1 + b], 'l');
	const uint32_t address = ptx_temporary(parser, 'l');
	struct op *op = descriptor == OPERAND_NONE || address == OPERAND_NONE ? NULL :
			ptx_emit(parser, exec_table_find("_wgmma.load")->run);
	if (!op)
		return false;
	op->x[0] = address;
	op->x[1] = descriptor;
	op->writes = 1;
	op->reads = 2;
	memcpy(&op->imm, &load, sizeof(load));
	return true;
}

/* a's registers, four for each lane; a scale of -1 changes the signs. */
static bool emit_registers(struct ptx_parser *parser, const struct product *product)
{
	enum { COUNT = 4 };
	uint32_t x[COUNT];
	const struct ptx_operand *registers = matrix_registers(parser, &parser->instruction.operands[1], COUNT);
	if (!registers)
		return false;
	for (unsigned i = 0; i < COUNT; i++) {
		if ((x[i] = ptx_source(parser, &registers[i], 'w')) == OPERAND_NONE)
			return false;
		if (!product->negated[0])
			continue;
		const uint32_t changed[3] = {ptx_temporary(parser, 'w'), x[i],
					     ptx_constant(parser, 'w', wgmma_signs(product->size_B, 4))};
		if (!ptx_emit_row(parser, "xor.b32", changed, 3))
			return false;
		x[i] = changed[0];
	}
	return matrix_emit_slots(parser, "_matrix.stage", x, COUNT, MATRIX_SLOT_A, false);
}

/* What is added to the products: a register, or 0 where scale-d is false. */
static uint32_t emit_sum(struct ptx_parser *parser, const struct ptx_operand *scale, const struct ptx_operand *sum)
{
	const uint32_t zero = ptx_constant(parser, 'w', 0);
	if (scale->kind == PTX_INTEGER)
		return scale->value ? ptx_source(parser, sum, 'w') : zero;
	const uint32_t x[4] = {ptx_temporary(parser, 'w'), ptx_source(parser, sum, 'w'), zero,
			       ptx_source(parser, scale, 'p')};
	return x[1] != OPERAND_NONE && x[3] != OPERAND_NONE && ptx_emit_row(parser, "selp.b32", x, 4) ? x[0] :
	       OPERAND_NONE;
}

/* Eight columns; sums: their registers. */
static bool emit_tile(struct ptx_parser *parser, const struct product *product, const struct ptx_operand *sums,
		      unsigned count, unsigned tile)
{
	uint32_t before[4], after[4];
	for (unsigned i = 0; i < count; i++) {
		before[i] = emit_sum(parser, &parser->instruction.operands[3], &sums[i]);
		after[i] = ptx_destination(parser, &sums[i], 'w');
		if (before[i] == OPERAND_NONE || after[i] == OPERAND_NONE)
			return false;
	}
	return matrix_emit_slots(parser, "_matrix.stage", before, count, MATRIX_SLOT_C, false) &&
	       emit_load(parser, product, true, tile) && matrix_emit_multiply(parser, &product->tile) &&
	       matrix_emit_slots(parser, "_matrix.take", after, count, MATRIX_SLOT_C, false);
}

static bool decode_product(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	struct product product = {0};
	if (!parse_product(parts, &product) || !parse_constants(&parser->instruction, &product))
		return ptx_unknown(parser);
	const unsigned count = product.sum_B, tiles = product.columns / COLUMNS;
	const struct ptx_operand *sums = matrix_registers(parser, &parser->instruction.operands[0], count * tiles);
	if (!sums || !require_hopper(parser) ||
	    !(product.a_in_registers ? emit_registers(parser, &product) : emit_load(parser, &product, false, 0)))
		return false;
	for (unsigned tile = 0; tile < tiles; tile++)
		if (!emit_tile(parser, &product, sums + tile * count, count, tile))
			return false;
	return true;
}

/* wgmma.fence, commit_group, and wait_group with a number. */
bool ptx_decode_wgmma(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	if (parts->count < 4 || strcmp(parts->part[2], "sync") || strcmp(parts->part[3], "aligned"))
		return ptx_unknown(parser);
	if (!strcmp(parts->part[1], "mma_async"))
		return decode_product(parser, parts);
	const bool waits = !strcmp(parts->part[1], "wait_group");
	if (parts->count != 4 || (!waits && strcmp(parts->part[1], "fence") && strcmp(parts->part[1], "commit_group")))
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, waits) || !require_hopper(parser))
		return false;
	return !waits || parser->instruction.operands[0].kind == PTX_INTEGER || ptx_unknown(parser);
}

/* setmaxnreg.inc.sync.aligned.u32 or .dec: PTX ISA, "in the range 24 to 256 (both inclusive) and a multiple of 8". */
bool ptx_decode_register_count(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *number = parser->instruction.operands;
	if (parts->count != 5 || (strcmp(parts->part[1], "inc") && strcmp(parts->part[1], "dec")) ||
	    strcmp(parts->part[2], "sync") || strcmp(parts->part[3], "aligned") || strcmp(parts->part[4], "u32") ||
	    !ptx_operand_count(parser, 1) || number->kind != PTX_INTEGER || number->value < 24 || number->value > 256 ||
	    number->value % 8)
		return ptx_unknown(parser);
	return require_hopper(parser);
}
