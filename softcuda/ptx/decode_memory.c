/* ld, st, atom, red and their hints. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <string.h>

struct access {
	enum ptx_space space;
	enum access_order order;
	const struct ptx_type *type;
	const char *operation;    /* of an atomic */
	uint32_t vector;
	bool narrow;              /* .cta */
	bool policy;              /* a cache policy is the last operand */
	bool noftz;               /* of half atomics: says what is so anyway */
};

static bool parse_space(const char *part, struct access *access)
{
	static const struct { const char *name; enum ptx_space space; } spaces[] = {
		{"global", SPACE_GLOBAL}, {"const", SPACE_CONST}, {"shared", SPACE_SHARED},
		{"shared::cta", SPACE_SHARED}, {"local", SPACE_LOCAL}, {"param", SPACE_PARAM},
		{"param::entry", SPACE_PARAM}, {"param::func", SPACE_PARAM}
	};
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		if (!strcmp(spaces[i].name, part)) {
			access->space = spaces[i].space;
			return true;
		}
	}
	return false;
}

static bool parse_order(const char *part, struct access *access)
{
	static const struct { const char *name; enum access_order order; } orders[] = {
		{"weak", ORDER_WEAK}, {"relaxed", ORDER_RELAXED}, {"volatile", ORDER_RELAXED},
		{"mmio", ORDER_RELAXED}, {"acquire", ORDER_ACQUIRE}, {"release", ORDER_RELEASE},
		{"acq_rel", ORDER_ACQ_REL}
	};
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		if (!strcmp(orders[i].name, part)) {
			access->order = orders[i].order;
			return true;
		}
	}
	return false;
}

/* Scopes and caches: all of our memory is coherent for all of the system. */
static bool is_hint(const char *part)
{
	static const char *const hints[] = {
		"cluster", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"
	};
	if (!strncmp(part, "L1::", 4) || !strncmp(part, "L2::", 4))
		return true;
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (!strcmp(hints[i], part))
			return true;
	return false;
}

static bool is_operation(const char *part)
{
	static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", "exch",
						 "cas", "inc", "dec"};
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (!strcmp(operations[i], part))
			return true;
	return false;
}

static bool parse_access(struct ptx_parser *parser, const struct ptx_parts *parts,
			 struct access *access)
{
	*access = (struct access){.vector = 1};
	for (unsigned i = 1; i < parts->count; i++) {
		const char *part = parts->part[i];
		access->policy |= !strcmp(part, "L2::cache_hint");
		if (parse_space(part, access) || parse_order(part, access) || is_hint(part))
			continue;
		if (!strcmp(part, "cta"))
			access->narrow = true;
		else if (is_operation(part))
			access->operation = part;
		else if (!strcmp(part, "v2") || !strcmp(part, "v4") || !strcmp(part, "v8"))
			access->vector = (uint32_t)(part[1] - '0');
		else if (!strcmp(part, "noftz"))
			access->noftz = true;
		else if (i + 1 != parts->count || !(access->type = ptx_type_find(part)))
			return ptx_unknown(parser);
	}
	return access->type ? true : ptx_unknown(parser);
}

static const char *access_row(const struct access *access, bool load)
{
	switch (access->type->size_B) {
	case 1:
		return !load ? "_st.1" : access->type->kind == 's' ? "_ld.1s" : "_ld.1u";
	case 2:
		return load ? "_ld.2" : "_st.2";
	case 4:
		return load ? "_ld.4" : "_st.4";
	case 8:
		return load ? "_ld.8" : "_st.8";
	default:
		return load ? "_ld.16" : "_st.16";
	}
}

/* Up to four elements in one op. */
static bool emit_access(struct ptx_parser *parser, const struct access *access, bool load,
			const uint32_t *data, uint32_t count, const struct ptx_address *address,
			int64_t offset)
{
	struct op *op = ptx_emit(parser, exec_table_find(access_row(access, load))->run);
	if (!op)
		return false;
	for (uint32_t i = 0; i < count; i++)
		op->x[i] = data[i];
	op->x[MEMORY_ADDRESS] = address->x;
	op->imm = address->offset + offset;
	op->address_32 = address->address_32;
	op->space = address->space;
	op->mode = (uint8_t)access->order;
	op->narrow = access->narrow;
	op->vector = (uint8_t)count;
	uint8_t elements = (uint8_t)((1u << count) - 1);
	op->writes = load ? elements : 0;
	op->reads = (uint8_t)(1u << MEMORY_ADDRESS | (load ? 0 : elements));
	return true;
}

/* A 256-bit access takes two ops: the address is copied first, for the first
 * half may overwrite it. */
static bool emit_wide(struct ptx_parser *parser, const struct access *access, bool load,
		      const uint32_t *data, struct ptx_address *address)
{
	if (load) {
		uint32_t both[2] = {ptx_temporary(parser, 'l'), address->x};
		if (address->address_32)
			return ptx_unknown(parser);
		if (!ptx_emit_row(parser, "_zll", both, 2))
			return false;
		address->x = both[0];
	}
	return emit_access(parser, access, load, data, 4, address, 0) &&
	       emit_access(parser, access, load, data + 4, 4, address, 4 * access->type->size_B);
}

/* A copy of the address, which a first element may overwrite. */
static bool keep_address(struct ptx_parser *parser, struct ptx_address *address)
{
	const bool narrow = address->address_32;
	uint32_t both[2] = {ptx_temporary(parser, narrow ? 'w' : 'l'), address->x};
	if (!ptx_emit_row(parser, narrow ? "_zww" : "_zll", both, 2))
		return false;
	address->x = both[0];
	return true;
}

/* Puts the byte of this number into an element's register, if there is memory. */
static bool emit_byte(struct ptx_parser *parser, const struct access *access, uint32_t number, uint32_t data,
		      const struct ptx_address *address, int64_t offset)
{
	const char *row = access->type->size_B == 2 ? "_ld.byte.2" : access->type->size_B == 4 ? "_ld.byte.4" :
										 "_ld.byte.8";
	struct op *op = ptx_emit(parser, exec_table_find(row)->run);
	if (!op)
		return false;
	op->x[0] = data;
	op->x[MEMORY_ADDRESS] = address->x;
	op->imm = address->offset + offset + number;
	op->address_32 = address->address_32;
	op->space = address->space;
	op->vector = (uint8_t)number;
	op->writes = 1;
	op->reads = (uint8_t)(1u << MEMORY_ADDRESS | 1);
	return true;
}

/* The bytes of an element from number first on, whose places in the register are 0 so far. This is no access of the
 * program's, except for the bytes that are used. */
static bool emit_other_bytes(struct ptx_parser *parser, const struct access *access, uint32_t used, uint32_t first,
			     uint32_t data, const struct ptx_address *address, int64_t offset)
{
	struct access byte = *access;
	byte.type = ptx_type_find("u8");
	for (uint32_t i = first; i < access->type->size_B; i++) {
		if (used >> i & 1) {
			const uint32_t accessed = ptx_temporary(parser, byte.type->width);
			if (!emit_access(parser, &byte, true, &accessed, 1, address, offset + i))
				return false;
		}
		if (!emit_byte(parser, access, i, data, address, offset))
			return false;
	}
	return true;
}

/* An element of which a mask says what bytes are used: the first of them together, then all others, because libnvvm's
 * masks are of one load and stay where it is used for another one as well. */
static bool emit_used_bytes(struct ptx_parser *parser, const struct access *access, uint32_t used,
			    uint32_t data, const struct ptx_address *address, int64_t offset)
{
	const char width = access->type->width;
	struct access part = *access;
	uint32_t first_B = used & 1;
	while (first_B && !(~used & ((1u << 2 * first_B) - 1)))
		first_B *= 2;
	part.type = ptx_type_find(first_B <= 1 ? "u8" : first_B == 2 ? "u16" : "u32");
	uint32_t both[2] = {data, first_B ? ptx_temporary(parser, part.type->width) : ptx_constant(parser, width, 0)};
	const char extend[] = {'_', 'z', first_B ? part.type->width : width, width, '\0'};
	return (!first_B || emit_access(parser, &part, true, &both[1], 1, address, offset)) &&
	       ptx_emit_row(parser, extend, both, 2) &&
	       emit_other_bytes(parser, access, used, first_B, data, address, offset);
}

/* The next op goes where nothing reads its register. */
static bool note_unneeded(struct ptx_parser *parser)
{
	const uint32_t number = ptx_op_count(parser);
	bytes_append(&parser->unneeded, &number, sizeof(number));
	return !bytes_failed(&parser->unneeded) || ptx_fail_memory(parser);
}

/* A load of which a mask says what is used: element by element. One that is not used at all is loaded only if something
 * reads it. */
static bool emit_used(struct ptx_parser *parser, const struct access *access, const uint32_t *data,
		      uint32_t count, struct ptx_address *address)
{
	const uint32_t size_B = access->type->size_B;
	if (!keep_address(parser, address))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t all = (1u << size_B) - 1, used = parser->used_bytes >> i * size_B & all;
		const int64_t offset = (int64_t)i * size_B;
		if (!used && !note_unneeded(parser))
			return false;
		if (!(!used || used == all ? emit_access(parser, access, true, &data[i], 1, address, offset)
					   : emit_used_bytes(parser, access, used, data[i], address, offset)))
			return false;
	}
	return true;
}

static bool decode_access(struct ptx_parser *parser, struct access *access, bool load)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const struct ptx_operand *value = &operands[load ? 0 : 1];
	struct ptx_address address;
	uint32_t data[8];
	char width = access->type->width;
	if (!ptx_operand_count(parser, 2u + access->policy) ||
	    !ptx_address_operand(parser, &operands[load ? 1 : 0], access->space, &address))
		return false;
	if (!load && (address.space == SPACE_PARAM || address.space == SPACE_CONST))
		return ptx_fail(parser, parser->instruction.line, "'%s' writes what is read only",
				parser->instruction.mnemonic);
	const struct ptx_operand *elements = value->kind == PTX_VECTOR ? value->elements : value;
	uint32_t count = value->kind == PTX_VECTOR ? value->count : 1;
	if (count != access->vector || access->type->size_B * count > 32 ||
	    (width == 'q' && count > 1))
		return ptx_unknown(parser);
	for (uint32_t i = 0; i < count; i++) {
		data[i] = load ? ptx_destination_loose(parser, &elements[i], width) :
				 ptx_source_loose(parser, &elements[i], width);
		if (data[i] == OPERAND_NONE)
			return false;
	}
	/* Of 16 bytes as one register a part cannot be loaded. */
	const bool masked = load && parser->used_bytes && width != 'q';
	if (masked ? !emit_used(parser, access, data, count, &address) :
	    count == 8 ? !emit_wide(parser, access, load, data, &address) :
	    !emit_access(parser, access, load, data, count, &address, 0))
		return false;
	for (uint32_t i = 0; load && i < count; i++)
		if (!ptx_extend(parser, &elements[i], width, access->type->kind == 's', data[i]))
			return false;
	return true;
}

bool ptx_decode_memory(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const char *name = parts->part[0];
	struct access access;
	if (!strcmp(name, "prefetch") || !strcmp(name, "prefetchu") ||
	    !strcmp(name, "discard") || !strcmp(name, "applypriority"))
		return true;
	if (!parse_access(parser, parts, &access))
		return false;
	if (access.operation || access.noftz)
		return ptx_unknown(parser);
	return decode_access(parser, &access, name[0] == 'l');
}

/* Element i of a vector, or what is none. */
static const struct ptx_operand *element_of(const struct ptx_operand *operand, uint32_t i)
{
	return operand->kind == PTX_VECTOR ? &operand->elements[i] : operand;
}

static uint32_t element_count(const struct ptx_operand *operand)
{
	return operand->kind == PTX_VECTOR ? operand->count : 1;
}

/* One element of an atomic; x: destination, operand, and cas' second one.  The first one's
 * access stands for them all, as their place is aligned as a whole. */
static bool emit_atomic(struct ptx_parser *parser, const struct access *access, const uint32_t *x,
			const struct ptx_address *address, uint32_t element)
{
	char name[32];
	snprintf(name, sizeof(name), "_atom.%s.%s", access->operation, access->type->name);
	const struct op_row *row = exec_table_find(name);
	const bool swaps = x[2] != OPERAND_NONE;
	if (!row)
		return ptx_unknown(parser);
	struct op *op = ptx_emit(parser, row->run);
	if (!op)
		return false;
	memcpy(op->x, x, 3 * sizeof(*x));
	op->x[MEMORY_ADDRESS] = address->x;
	op->imm = address->offset + (int64_t)element * access->type->size_B;
	op->address_32 = address->address_32;
	op->space = address->space;
	op->mode = (uint8_t)access->order;
	op->narrow = access->narrow;
	op->compares = swaps;
	op->vector = (uint8_t)(element ? 1 : access->vector);
	op->writes = 1;
	op->reads = (uint8_t)(1u << MEMORY_ADDRESS | 1u << 1 | (swaps ? 1u << 2 : 0));
	return true;
}

/* Each element is an atomic of its own ("the access is not guaranteed to be atomic as a
 * whole", PTX ISA 9.0, 9.7.13.15). */
static bool decode_elements(struct ptx_parser *parser, const struct access *access,
			    const struct ptx_operand *to, const struct ptx_operand *from,
			    struct ptx_address *address)
{
	const bool swaps = !strcmp(access->operation, "cas");
	const char width = access->type->width;
	if (element_count(from) != access->vector || (to && element_count(to) != access->vector) ||
	    (swaps && access->vector > 1))
		return ptx_unknown(parser);
	if (access->vector > 1 && !keep_address(parser, address))
		return false;
	uint32_t x[8][3];
	for (uint32_t i = 0; i < access->vector; i++) {
		x[i][0] = to ? ptx_destination(parser, element_of(to, i), width) :
			  ptx_temporary(parser, width);
		x[i][1] = ptx_source(parser, element_of(from, i), width);
		x[i][2] = swaps ? ptx_source(parser, &from[1], width) : OPERAND_NONE;
		if (x[i][0] == OPERAND_NONE || x[i][1] == OPERAND_NONE ||
		    (swaps && x[i][2] == OPERAND_NONE))
			return false;
		/* And a later one's operand. */
		uint32_t both[2] = {ptx_temporary(parser, width), x[i][1]};
		char move[] = {'_', 'z', width, width, '\0'};
		if (access->vector > 1 && !ptx_emit_row(parser, move, both, 2))
			return false;
		x[i][1] = access->vector > 1 ? both[0] : x[i][1];
	}
	for (uint32_t i = 0; i < access->vector; i++)
		if (!emit_atomic(parser, access, x[i], address, i))
			return false;
	return true;
}

bool ptx_decode_atomic(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	const bool returns = !strcmp(parts->part[0], "atom");
	struct ptx_address address;
	struct access access;
	if (!parse_access(parser, parts, &access))
		return false;
	/* Of f16 and bf16 there is min and max of vectors alone. */
	const bool small = access.type->kind == 'h' || access.type->kind == 'B' ||
			   access.type->kind == 'x' || access.type->kind == 'y';
	if (!access.operation || access.type->size_B * access.vector > 16 ||
	    (access.vector > 1 && !small && access.type->kind != 'f') ||
	    (access.vector == 1 && small && access.operation[0] == 'm'))
		return ptx_unknown(parser);
	const uint32_t first = returns ? 2 : 1, sources = strcmp(access.operation, "cas") ? 1 : 2;
	if (!ptx_operand_count(parser, first + sources + access.policy) ||
	    !ptx_address_operand(parser, &operands[first - 1], access.space, &address))
		return false;
	if (address.space == SPACE_PARAM || address.space == SPACE_CONST)
		return ptx_unknown(parser);
	return decode_elements(parser, &access, returns ? &operands[0] : NULL, &operands[first],
			       &address);
}
