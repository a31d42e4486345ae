/* mma, wmma and ldmatrix.  exec/matrix.h says how they are divided into ops. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode_matrix.h"

#include <stdio.h>
#include <string.h>

const struct matrix_format *matrix_format_find(const char *name)
{
	static const struct matrix_format formats[] = {
		{"f16", MATRIX_F16, 2}, {"bf16", MATRIX_BF16, 2}, {"tf32", MATRIX_TF32, 4},
		{"f32", MATRIX_F32, 4}, {"f64", MATRIX_F64, 8}, {"s8", MATRIX_S8, 1},
		{"u8", MATRIX_U8, 1}, {"s32", MATRIX_S32, 4}, {"e4m3", MATRIX_E4M3, 1}, {"e5m2", MATRIX_E5M2, 1}
	};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/* Types that a and b can have: one for all floats of a kind, and one for integers of both signs. */
enum kind { KIND_NONE, KIND_HALF, KIND_TF32, KIND_F64, KIND_INTEGER, KIND_FLOAT8 };

static enum kind kind_of(enum matrix_type type)
{
	switch (type) {
	case MATRIX_F16:
	case MATRIX_BF16:
		return KIND_HALF;
	case MATRIX_TF32:
		return KIND_TF32;
	case MATRIX_F64:
		return KIND_F64;
	case MATRIX_S8:
	case MATRIX_U8:
		return KIND_INTEGER;
	case MATRIX_E4M3:
	case MATRIX_E5M2:
		return KIND_FLOAT8;
	default:
		return KIND_NONE;
	}
}

/* The shapes of mma and of wmma. */
static bool shape_is_known(bool wmma, enum kind kind, unsigned m, unsigned n, unsigned k)
{
	static const struct { bool wmma; uint8_t kind, m, n, k; } shapes[] = {
		{false, KIND_HALF, 8, 8, 4}, {false, KIND_HALF, 16, 8, 8}, {false, KIND_HALF, 16, 8, 16},
		{false, KIND_TF32, 16, 8, 4},
		{false, KIND_TF32, 16, 8, 8}, {false, KIND_F64, 8, 8, 4}, {false, KIND_F64, 16, 8, 4},
		{false, KIND_F64, 16, 8, 8}, {false, KIND_F64, 16, 8, 16}, {false, KIND_FLOAT8, 16, 8, 16},
		{false, KIND_FLOAT8, 16, 8, 32}, {false, KIND_INTEGER, 8, 8, 16}, {false, KIND_INTEGER, 16, 8, 16},
		{false, KIND_INTEGER, 16, 8, 32}, {true, KIND_HALF, 16, 16, 16}, {true, KIND_HALF, 32, 8, 16},
		{true, KIND_HALF, 8, 32, 16}, {true, KIND_INTEGER, 16, 16, 16}, {true, KIND_INTEGER, 32, 8, 16},
		{true, KIND_INTEGER, 8, 32, 16}, {true, KIND_TF32, 16, 16, 8}, {true, KIND_F64, 8, 8, 4}
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].wmma == wmma && shapes[i].kind == kind && shapes[i].m == m && shapes[i].n == n &&
		    shapes[i].k == k)
			return true;
	return false;
}

/* Whether sums of products of a kind can have the type. */
static bool sum_is_known(enum kind kind, enum matrix_type a, enum matrix_type sum)
{
	switch (kind) {
	case KIND_HALF:
		return sum == MATRIX_F32 || (sum == MATRIX_F16 && a == MATRIX_F16);
	case KIND_TF32:
		return sum == MATRIX_F32;
	case KIND_F64:
		return sum == MATRIX_F64;
	case KIND_FLOAT8:
		return sum == MATRIX_F32 || sum == MATRIX_F16;
	default:
		return kind == KIND_INTEGER && sum == MATRIX_S32;
	}
}

/* ptxas refuses what came with a later compute capability than that of the target. */
static bool require_target(struct ptx_parser *parser, unsigned sm)
{
	if (parser->program->target >= sm)
		return true;
	return ptx_fail(parser, parser->instruction.line, "'%s' requires .target sm_%u or higher",
			parser->instruction.mnemonic, sm);
}

/* PTX ISA, "Target ISA Notes" of wmma.mma and mma. */
static bool check_target(struct ptx_parser *parser, const struct matrix_part *shape, bool wmma, enum matrix_type a)
{
	if (kind_of(a) == KIND_FLOAT8)
		return require_target(parser, 89);
	if (a == MATRIX_F64 && shape->m == 16)
		return require_target(parser, 90);
	if (a == MATRIX_BF16 || a == MATRIX_TF32 || a == MATRIX_F64 ||
	    (!wmma && shape->m == 16 && (kind_of(a) == KIND_INTEGER || shape->k == 16)))
		return require_target(parser, 80);
	if (wmma)
		return require_target(parser, kind_of(a) == KIND_INTEGER ? 72 : 70);
	return require_target(parser, shape->k == 4 ? 70 : 75);
}

/* "m16n8k16" */
static bool parse_shape(const char *text, struct matrix_part *part)
{
	unsigned m, n, k;
	char rest;
	if (sscanf(text, "m%2un%2uk%2u%c", &m, &n, &k, &rest) != 3)
		return false;
	part->m = (uint8_t)m;
	part->n = (uint8_t)n;
	part->k = (uint8_t)k;
	return true;
}

static bool parse_layout(const char *text, bool *column_major)
{
	*column_major = !strcmp(text, "col");
	return *column_major || !strcmp(text, "row");
}

static unsigned distinct_registers(const struct matrix_part *part)
{
	return matrix_elements(part) / matrix_per_register(part->size_B);
}

/* wmma has 8 registers for a and b of f16 in each shape.  Those beyond what the elements need repeat the others. */
static unsigned all_registers(const struct matrix_part *part, bool wmma, enum matrix_type type)
{
	return wmma && type == MATRIX_F16 && part->role != MATRIX_C ? 8 : distinct_registers(part);
}

const struct ptx_operand *matrix_registers(struct ptx_parser *parser, const struct ptx_operand *operand,
					      unsigned count)
{
	const bool vector = operand->kind == PTX_VECTOR;
	if ((vector ? operand->count : 1) == count)
		return vector ? operand->elements : operand;
	ptx_fail(parser, parser->instruction.line, "'%s' with %u registers where it has %u",
		 parser->instruction.mnemonic, vector ? operand->count : 1, count);
	return NULL;
}

/* --- products --- */

/* Up to four in one op. */
bool matrix_emit_slots(struct ptx_parser *parser, const char *row, const uint32_t *x, unsigned count, unsigned slot,
		       bool wide)
{
	const bool take = !strcmp(row, "_matrix.take");
	for (unsigned first = 0; first < count; first += 4) {
		const unsigned some = count - first < 4 ? count - first : 4;
		struct op *op = ptx_emit(parser, exec_table_find(row)->run);
		if (!op)
			return false;
		memcpy(op->x, x + first, some * sizeof(*x));
		op->vector = (uint8_t)some;
		op->mode = wide;
		op->imm = slot + first * (wide ? 2 : 1);
		*(take ? &op->writes : &op->reads) = (uint8_t)((1u << some) - 1);
	}
	return true;
}

static bool stage(struct ptx_parser *parser, const struct ptx_operand *operand, const struct matrix_part *part,
		  bool wmma, enum matrix_type type)
{
	static const uint8_t slots[] = {MATRIX_SLOT_A, MATRIX_SLOT_B, MATRIX_SLOT_C};
	const unsigned count = distinct_registers(part);
	const struct ptx_operand *registers = matrix_registers(parser, operand, all_registers(part, wmma, type));
	uint32_t x[8];
	if (!registers)
		return false;
	for (unsigned i = 0; i < count; i++)
		if ((x[i] = ptx_source(parser, &registers[i], part->size_B == 8 ? 'l' : 'w')) == OPERAND_NONE)
			return false;
	return matrix_emit_slots(parser, "_matrix.stage", x, count, slots[part->role], part->size_B == 8);
}

bool matrix_emit_multiply(struct ptx_parser *parser, const struct matrix_product *product)
{
	const uint32_t all = ptx_constant(parser, 'w', MASK_ALL);
	struct op *op = all == OPERAND_NONE ? NULL : ptx_emit(parser, exec_table_find("_matrix.multiply")->run);
	if (!op)
		return false;
	op->x[MATRIX_MEMBERS] = all;
	op->reads = 1u << MATRIX_MEMBERS;
	memcpy(&op->imm, product, sizeof(*product));
	return true;
}

/* d, a, b, c; formats in this order. */
static bool emit_product(struct ptx_parser *parser, struct matrix_part shape,
			 const struct matrix_format *const formats[4], bool wmma, unsigned flags)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	struct matrix_part d = shape;
	d.role = MATRIX_C;
	d.size_B = formats[0]->size_B;
	const unsigned count = distinct_registers(&d);
	uint32_t x[8];
	if (!ptx_operand_count(parser, 4))
		return false;
	const struct ptx_operand *results = matrix_registers(parser, &operands[0], count);
	for (unsigned i = 0; results && i < count; i++)
		if ((x[i] = ptx_destination(parser, &results[i], d.size_B == 8 ? 'l' : 'w')) == OPERAND_NONE)
			return false;
	for (uint8_t role = MATRIX_A; results && role <= MATRIX_C; role++) {
		shape.role = role;
		shape.size_B = formats[1 + role]->size_B;
		if (!stage(parser, &operands[1 + role], &shape, wmma, formats[1 + role]->type))
			return false;
	}
	const struct matrix_product product = {
		.m = shape.m, .n = shape.n, .k = shape.k, .a = (uint8_t)formats[1]->type,
		.b = (uint8_t)formats[2]->type, .c = (uint8_t)formats[3]->type, .d = (uint8_t)formats[0]->type,
		.flags = (uint8_t)flags,
	};
	return results && matrix_emit_multiply(parser, &product) &&
	       matrix_emit_slots(parser, "_matrix.take", x, count, MATRIX_SLOT_C, d.size_B == 8);
}

/* The types at the end: of d, a, b and c; wmma of f16 names those of d and c alone. */
static bool parse_formats(const struct ptx_parts *parts, unsigned at, bool wmma, const struct matrix_format *formats[4])
{
	const unsigned count = parts->count - at;
	if (count != 4 && !(wmma && count == 2))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const char *name = count == 4 ? parts->part[at + i] :
				   i == 0 ? parts->part[at] : i == 3 ? parts->part[at + 1] : "f16";
		if (!(formats[i] = matrix_format_find(name)))
			return false;
	}
	return true;
}

/* PTX ISA, mma: of m8n8k4, "when .ctype is .f32, .dtype must also be .f32". */
static bool are_four_known(const struct matrix_format *const formats[4])
{
	return formats[1]->type == MATRIX_F16 && (formats[3]->type == MATRIX_F16 || formats[0]->type == MATRIX_F32);
}

/* wmma.mma.sync.aligned.alayout.blayout.shape or mma.sync.aligned.shape.row.col, and then the types.  m8n8k4 of f16 has
 * all layouts. */
static bool decode_product(struct ptx_parser *parser, struct ptx_parts *parts, bool wmma)
{
	const unsigned at = wmma ? 4 : 3;
	const struct matrix_format *formats[4];
	struct matrix_part shape = {0};
	bool a_columns, b_columns, saturates = false;
	if (parts->count < at + 5 || strcmp(parts->part[at - 2], "sync") || strcmp(parts->part[at - 1], "aligned"))
		return ptx_unknown(parser);
	const unsigned layout = wmma ? at : at + 1;
	if (!parse_layout(parts->part[layout], &a_columns) || !parse_layout(parts->part[layout + 1], &b_columns) ||
	    !parse_shape(parts->part[wmma ? at + 2 : at], &shape))
		return ptx_unknown(parser);
	unsigned next = at + 3;
	if (wmma && !strcmp(parts->part[parts->count - 1], "satfinite")) {
		saturates = true;
		parts->count--;
	} else if (!strcmp(parts->part[next], "satfinite") || !strcmp(parts->part[next], "rn")) {
		saturates = parts->part[next++][0] == 's';
	}
	if (!parse_formats(parts, next, wmma, formats))
		return ptx_unknown(parser);
	const enum kind kind = kind_of(formats[1]->type);
	const bool mixes = kind == KIND_INTEGER || kind == KIND_FLOAT8;
	shape.is_four = kind == KIND_HALF && shape.k == 4;
	if (!shape_is_known(wmma, kind, shape.m, shape.n, shape.k) ||
	    (mixes ? kind_of(formats[2]->type) != kind : formats[2] != formats[1]) ||
	    !sum_is_known(kind, formats[1]->type, formats[0]->type) ||
	    !sum_is_known(kind, formats[1]->type, formats[3]->type) || (saturates && kind != KIND_INTEGER) ||
	    (!wmma && (shape.is_four ? !are_four_known(formats) : a_columns || !b_columns)))
		return ptx_unknown(parser);
	const unsigned flags = (saturates ? MATRIX_SATURATES : 0u) | (shape.is_four ? MATRIX_IS_FOUR : 0u) |
			       (a_columns ? MATRIX_A_COLUMNS : 0u) | (b_columns ? MATRIX_B_COLUMNS : 0u);
	return check_target(parser, &shape, wmma, formats[1]->type) &&
	       emit_product(parser, shape, formats, wmma, flags);
}

/* --- memory --- */

/* A matrix in memory. */
struct place {
	struct matrix_part part;
	struct ptx_address address;  /* of its first element */
	uint32_t base, stride;       /* registers of 64 and 32 bits: the address, and elements from line to line */
};

static struct op *emit_access(struct ptx_parser *parser, bool load, unsigned size_B, uint32_t data, uint32_t address,
			      const struct ptx_address *of)
{
	static const char *const loads[] = {"_ld.1u", "_ld.2", "_ld.4", "_ld.8"};
	static const char *const stores[] = {"_st.1", "_st.2", "_st.4", "_st.8"};
	const unsigned which = size_B == 8 ? 3 : size_B / 2;
	struct op *op = ptx_emit(parser, exec_table_find(load ? loads[which] : stores[which])->run);
	if (!op)
		return NULL;
	op->x[0] = data;
	op->x[MEMORY_ADDRESS] = address;
	op->imm = of->offset;
	op->space = of->space;
	op->mode = ORDER_WEAK;
	op->vector = 1;
	op->writes = load;
	op->reads = (uint8_t)(1u << MEMORY_ADDRESS | !load);
	return op;
}

/* The address of an element, in a register that it returns. */
static uint32_t emit_place(struct ptx_parser *parser, const struct place *place, unsigned index)
{
	struct matrix_part part = place->part;
	const uint32_t x = ptx_temporary(parser, 'l');
	struct op *op = x == OPERAND_NONE ? NULL : ptx_emit(parser, exec_table_find("_matrix.place")->run);
	if (!op)
		return OPERAND_NONE;
	part.index = (uint8_t)index;
	op->x[0] = x;
	op->x[1] = place->base;
	op->x[2] = place->stride;
	op->writes = 1;
	op->reads = 1u << 1 | 1u << 2;
	memcpy(&op->imm, &part, sizeof(part));
	return x;
}

/* Moves one of the elements of a register into it or out of it. */
static bool emit_pack(struct ptx_parser *parser, bool pack, uint32_t whole, uint32_t part, unsigned size_B,
		      unsigned index)
{
	struct op *op = ptx_emit(parser, exec_table_find(pack ? "_matrix.pack" : "_matrix.unpack")->run);
	if (!op)
		return false;
	op->x[0] = pack ? whole : part;
	op->x[1] = pack ? part : whole;
	op->vector = (uint8_t)(8 * size_B);
	op->imm = 8 * size_B * index;
	op->writes = 1;
	op->reads = pack ? 3 : 2;
	return true;
}

/* Whether the elements of a register lie side by side in memory. */
static bool is_contiguous(const struct matrix_part *part)
{
	return matrix_per_register(part->size_B) == 1 || (part->role == MATRIX_B) == part->column_major;
}

/* One register to memory or from it, at once or element by element. */
static bool move_register(struct ptx_parser *parser, const struct place *place, bool load, uint32_t x,
			  unsigned number)
{
	const unsigned size_B = place->part.size_B, per = matrix_per_register(size_B);
	if (is_contiguous(&place->part)) {
		const uint32_t address = emit_place(parser, place, number * per);
		return address != OPERAND_NONE &&
		       emit_access(parser, load, size_B * per, x, address, &place->address);
	}
	for (unsigned i = 0; i < per; i++) {
		const uint32_t address = emit_place(parser, place, number * per + i);
		const uint32_t part = ptx_temporary(parser, 'h');
		if (address == OPERAND_NONE || part == OPERAND_NONE ||
		    (!load && !emit_pack(parser, false, x, part, size_B, i)) ||
		    !emit_access(parser, load, size_B, part, address, &place->address) ||
		    (load && !emit_pack(parser, true, x, part, size_B, i)))
			return false;
	}
	return true;
}

/* A copy of a register: what the instruction loads may be loaded over it. */
static uint32_t copy(struct ptx_parser *parser, const char *row, char width, uint32_t x)
{
	uint32_t both[2] = {ptx_temporary(parser, width), x};
	return ptx_emit_row(parser, row, both, 2) ? both[0] : OPERAND_NONE;
}

/* The address and, if it is there, the distance of rows or columns; they are side by side otherwise. */
static bool parse_place(struct ptx_parser *parser, const struct ptx_operand *address,
			const struct ptx_operand *stride, enum ptx_space space, struct place *place)
{
	const struct matrix_part *part = &place->part;
	const unsigned rows = part->role == MATRIX_B ? part->k : part->m;
	const unsigned columns = part->role == MATRIX_A ? part->k : part->n;
	if (!ptx_address_operand(parser, address, space, &place->address))
		return false;
	const uint32_t given = stride ? ptx_source(parser, stride, 'w') :
			       ptx_constant(parser, 'w', part->column_major ? rows : columns);
	if (given == OPERAND_NONE)
		return false;
	place->stride = copy(parser, "_zww", 'w', given);
	place->base = copy(parser, place->address.address_32 ? "_zwl" : "_zll", 'l', place->address.x);
	return place->stride != OPERAND_NONE && place->base != OPERAND_NONE;
}

static bool parse_space(const char *text, enum ptx_space *space)
{
	if (!strcmp(text, "global"))
		*space = SPACE_GLOBAL;
	else if (!strcmp(text, "shared") || !strcmp(text, "shared::cta"))
		*space = SPACE_SHARED;
	else
		return false;
	return true;
}

/* wmma.load.a.sync.aligned.layout.shape{.space}.type, or wmma.store.d of this form: what is before the operands. */
static bool parse_transfer(const struct ptx_parts *parts, bool load, struct matrix_part *part, enum ptx_space *space,
			   const struct matrix_format **format_out)
{
	const char *role = parts->part[2];
	const bool spaced = parts->count == 9;
	bool columns;
	if ((parts->count != 8 && !spaced) || !role[0] || role[1] || strcmp(parts->part[3], "sync") ||
	    strcmp(parts->part[4], "aligned") || !strchr(load ? "abc" : "d", role[0]) ||
	    !parse_layout(parts->part[5], &columns) || !parse_shape(parts->part[6], part) ||
	    (spaced && !parse_space(parts->part[7], space)))
		return false;
	const struct matrix_format *format = matrix_format_find(parts->part[parts->count - 1]);
	if (!format)
		return false;
	part->role = role[0] == 'a' ? MATRIX_A : role[0] == 'b' ? MATRIX_B : MATRIX_C;
	part->size_B = format->size_B;
	part->column_major = columns;
	*format_out = format;
	if (part->role != MATRIX_C)
		return shape_is_known(true, kind_of(format->type), part->m, part->n, part->k);
	for (enum kind kind = KIND_HALF; kind <= KIND_INTEGER; kind++)
		if (shape_is_known(true, kind, part->m, part->n, part->k) &&
		    sum_is_known(kind, MATRIX_F16, format->type))
			return true;
	return false;
}

/* d, [address] {, stride}, or [address], s {, stride}. */
static bool decode_transfer(struct ptx_parser *parser, const struct ptx_parts *parts, bool load)
{
	const struct ptx_instruction *in = &parser->instruction;
	enum ptx_space space = SPACE_GENERIC;
	struct place place = {.part = {0}};
	const struct matrix_format *format;
	uint32_t x[8];
	if (!parse_transfer(parts, load, &place.part, &space, &format))
		return ptx_unknown(parser);
	if (!check_target(parser, &place.part, true, format->type) || (in->count != 3 && !ptx_operand_count(parser, 2)))
		return false;
	const unsigned distinct = distinct_registers(&place.part);
	const unsigned count = all_registers(&place.part, true, format->type);
	const char width = place.part.size_B == 8 ? 'l' : 'w';
	const struct ptx_operand *registers = matrix_registers(parser, &in->operands[load ? 0 : 1], count);
	if (!registers || !parse_place(parser, &in->operands[load ? 1 : 0], in->count == 3 ? &in->operands[2] : NULL,
				       space, &place))
		return false;
	for (unsigned i = 0; i < count; i++) {
		x[i] = load ? ptx_destination(parser, &registers[i], width) : ptx_source(parser, &registers[i], width);
		if (x[i] == OPERAND_NONE)
			return false;
	}
	for (unsigned i = 0; i < distinct; i++)
		if (!move_register(parser, &place, load, x[i], i))
			return false;
	for (unsigned i = distinct; load && i < count; i++)
		if (!ptx_emit_row(parser, "_zww", (const uint32_t[]){x[i], x[i % distinct]}, 2))
			return false;
	return true;
}

/* --- ldmatrix --- */

/* The address of what a lane loads of a matrix, whose rows' addresses are in the lanes' slots. */
static uint32_t emit_row(struct ptx_parser *parser, unsigned matrix, bool transposed, unsigned part)
{
	const uint32_t all = ptx_constant(parser, 'w', MASK_ALL), x = ptx_temporary(parser, 'l');
	struct op *op = all == OPERAND_NONE || x == OPERAND_NONE ? NULL :
			ptx_emit(parser, exec_table_find("_matrix.row")->run);
	if (!op)
		return OPERAND_NONE;
	op->x[MATRIX_MEMBERS] = all;
	op->reads = 1u << MATRIX_MEMBERS;
	op->vector = (uint8_t)matrix;
	op->mode = (uint8_t)part;
	op->imm = transposed;
	return matrix_emit_slots(parser, "_matrix.take", &x, 1, 2, true) ? x : OPERAND_NONE;
}

static bool load_rows(struct ptx_parser *parser, const struct ptx_address *address, unsigned matrix, bool transposed,
		      uint32_t x)
{
	if (!transposed) {
		const uint32_t row = emit_row(parser, matrix, false, 0);
		return row != OPERAND_NONE && emit_access(parser, true, 4, x, row, address);
	}
	for (unsigned part = 0; part < 2; part++) {
		const uint32_t row = emit_row(parser, matrix, true, part), half = ptx_temporary(parser, 'h');
		if (row == OPERAND_NONE || half == OPERAND_NONE ||
		    !emit_access(parser, true, 2, half, row, address) ||
		    !emit_pack(parser, true, x, half, 2, part))
			return false;
	}
	return true;
}

/* ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p] */
static bool decode_rows(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	const unsigned count = parts->count > 4 && parts->part[4][0] == 'x' ? (unsigned)(parts->part[4][1] - '0') : 0;
	unsigned next = 5;
	enum ptx_space space = SPACE_GENERIC;
	struct ptx_address address;
	uint32_t x[4];
	if ((count != 1 && count != 2 && count != 4) || parts->part[4][2] || strcmp(parts->part[1], "sync") ||
	    strcmp(parts->part[2], "aligned") || strcmp(parts->part[3], "m8n8"))
		return ptx_unknown(parser);
	const bool transposed = next < parts->count && !strcmp(parts->part[next], "trans");
	next += transposed;
	if (next < parts->count && parse_space(parts->part[next], &space))
		next++;
	if (next + 1 != parts->count || strcmp(parts->part[next], "b16") || space == SPACE_GLOBAL)
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, 2) || !require_target(parser, 75))
		return false;
	const struct ptx_operand *registers = matrix_registers(parser, &in->operands[0], count);
	if (!registers || !ptx_address_operand(parser, &in->operands[1], space, &address))
		return false;
	for (unsigned i = 0; i < count; i++)
		if ((x[i] = ptx_destination(parser, &registers[i], 'w')) == OPERAND_NONE)
			return false;
	const uint32_t base = copy(parser, address.address_32 ? "_zwl" : "_zll", 'l', address.x);
	const uint32_t start[3] = {ptx_temporary(parser, 'l'), base,
				   ptx_constant(parser, 'l', (uint64_t)address.offset)};
	const uint32_t rows = start[0];
	address.offset = 0;
	if (!ptx_emit_row(parser, "add.s64", start, 3) ||
	    !matrix_emit_slots(parser, "_matrix.stage", &rows, 1, 0, true))
		return false;
	for (unsigned i = 0; i < count; i++)
		if (!load_rows(parser, &address, i, transposed, x[i]))
			return false;
	return true;
}

bool ptx_decode_matrix(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	struct ptx_parts copied = *parts;
	if (!strcmp(parts->part[0], "ldmatrix"))
		return decode_rows(parser, parts);
	if (!strcmp(parts->part[0], "mma"))
		return decode_product(parser, &copied, false);
	const char *verb = parts->count > 1 ? parts->part[1] : "";
	if (!strcmp(verb, "mma"))
		return decode_product(parser, &copied, true);
	const bool load = !strcmp(verb, "load");
	return load || !strcmp(verb, "store") ? decode_transfer(parser, parts, load) : ptx_unknown(parser);
}
