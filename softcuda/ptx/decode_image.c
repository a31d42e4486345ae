/* tex, tld4, suld, sust, sured, txq, suq and istypep on bindless objects: the
 * object is a 64-bit register.  Coordinates go to the warp's slots by an op of
 * their own, as they are too many for one; a level of detail or gradients have another. */
#include "config.h"

#include "softcuda/exec/image.h"
#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

#include <string.h>

static bool parse_geometry(const char *part, struct image_mode *mode)
{
	static const struct { const char *name; uint8_t dimensions; bool layered; } shapes[] = {
		{"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true},
		{"a2d", 2, true}
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (strcmp(shapes[i].name, part))
			continue;
		mode->dimensions = shapes[i].dimensions;
		mode->layered = shapes[i].layered;
		return true;
	}
	return false;
}

static bool is_cache(const char *part)
{
	static const char *const names[] = {"ca", "cg", "cs", "cv", "wb", "wt"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], part))
			return true;
	return false;
}

/* The operand [object] or [object, coordinates]: its register. */
static uint32_t object_operand(struct ptx_parser *parser, const struct ptx_operand *operand)
{
	struct ptx_operand object = *operand;
	if (object.kind != PTX_REGISTER || object.width != 'l' || object.offset) {
		ptx_fail(parser, parser->instruction.line,
			 "'%s': only texture and surface objects in 64-bit registers are known",
			 parser->instruction.mnemonic);
		return OPERAND_NONE;
	}
	object.address = false;
	return ptx_source(parser, &object, 'l');
}

struct staging {
	uint32_t x[OP_OPERANDS];
	uint64_t slots;
	unsigned count;
};

static bool stage(struct ptx_parser *parser, struct staging *staging,
		  const struct ptx_operand *operand, enum image_slot slot)
{
	uint32_t x = ptx_source(parser, operand, 'w');
	if (x == OPERAND_NONE)
		return false;
	if (staging->count == OP_OPERANDS)
		return ptx_unknown(parser);
	staging->x[staging->count] = x;
	staging->slots |= (uint64_t)slot << 8 * staging->count++;
	return true;
}

/* The layer first, then x, y, z; a vector of three is written as one of four. */
static bool stage_coordinates(struct ptx_parser *parser, struct staging *staging,
			      const struct ptx_operand *operand, const struct image_mode *mode)
{
	if (!operand)
		return ptx_unknown(parser);
	const struct ptx_operand *elements = operand->kind == PTX_VECTOR ? operand->elements :
					     operand;
	uint32_t count = operand->kind == PTX_VECTOR ? operand->count : 1, next = 0;
	uint32_t wanted = mode->dimensions + mode->layered;
	if (count != wanted && !(wanted == 3 && count == 4))
		return ptx_fail(parser, parser->instruction.line, "'%s' with %u coordinates",
				parser->instruction.mnemonic, count);
	if (mode->layered && !stage(parser, staging, &elements[next++], IMAGE_SLOT_LAYER))
		return false;
	for (unsigned d = 0; d < mode->dimensions; d++)
		if (!stage(parser, staging, &elements[next++], IMAGE_SLOT_X + d))
			return false;
	return true;
}

/* The components of an operand, which may be a scalar, into slots from `slot` on. */
static bool stage_vector(struct ptx_parser *parser, struct staging *staging,
			 const struct ptx_operand *operand, const struct image_mode *mode, enum image_slot slot)
{
	const struct ptx_operand *elements = operand->kind == PTX_VECTOR ? operand->elements :
					     operand;
	uint32_t count = operand->kind == PTX_VECTOR ? operand->count : 1;
	if (count < mode->dimensions)
		return ptx_unknown(parser);
	for (unsigned d = 0; d < mode->dimensions; d++)
		if (!stage(parser, staging, &elements[d], slot + d))
			return false;
	return true;
}

static bool emit_staging(struct ptx_parser *parser, const struct staging *staging)
{
	struct op *op = ptx_emit_bare(parser, exec_table_find("_image.stage")->run);
	if (!op)
		return false;
	memcpy(op->x, staging->x, staging->count * sizeof(staging->x[0]));
	op->vector = (uint8_t)staging->count;
	op->imm = (int64_t)staging->slots;
	op->reads = (uint8_t)((1u << staging->count) - 1);
	return true;
}

static struct op *emit(struct ptx_parser *parser, const char *row, const struct image_mode *mode,
		       uint32_t object)
{
	struct op *op = ptx_emit(parser, exec_table_find(row)->run);
	if (!op)
		return NULL;
	op->x[MEMORY_ADDRESS] = object;
	op->space = SPACE_GLOBAL;
	op->reads = 1u << MEMORY_ADDRESS;
	memcpy(&op->imm, mode, sizeof(*mode));
	return op;
}

/* Elements of a vector operand, or the operand itself. */
static const struct ptx_operand *elements_of(const struct ptx_operand *operand,
					     uint32_t *count_out)
{
	*count_out = operand->kind == PTX_VECTOR ? operand->count : 1;
	return operand->kind == PTX_VECTOR ? operand->elements : operand;
}

/* --- tex and tld4 ---------- */

/* Everything behind the name; types last: what comes out, what goes in. */
static bool parse_texture(struct ptx_parser *parser, const struct ptx_parts *parts,
			  struct image_mode *mode)
{
	static const char component[] = "rgba";
	bool gather = parts->part[0][1] == 'l', shaped = false;
	unsigned count = parts->count;
	if (count < 5)
		return ptx_unknown(parser);
	const char *out = parts->part[count - 2], *in = parts->part[count - 1];
	bool half = !strcmp(out, "f16x2"), real = !strcmp(in, "f32");
	const char *vector = half ? "v2" : "v4";
	if (strcmp(parts->part[count - 3], vector) || (!real && strcmp(in, "s32")) ||
	    (!half && strcmp(out, "f32") && strcmp(out, "s32") && strcmp(out, "u32")) ||
	    (gather && (half || !real)))
		return ptx_unknown(parser);
	for (unsigned i = 1; i < count - 3; i++) {
		const char *part = parts->part[i];
		const char *found = part[0] && !part[1] ? strchr(component, part[0]) : NULL;
		if (parse_geometry(part, mode))
			shaped = true;
		else if (gather && found)
			mode->component = (uint8_t)(found - component);
		else if (!gather && !strcmp(part, "level"))
			mode->component = IMAGE_LOD_LEVEL;
		else if (!gather && real && !strcmp(part, "grad"))
			mode->component = IMAGE_LOD_GRADIENTS;
		else if (gather || strcmp(part, "base"))
			return ptx_unknown(parser);
	}
	mode->real = real;
	mode->element_B = half ? 2 : 4;
	return (shaped && !(gather && mode->dimensions != 2)) || ptx_unknown(parser);
}

/* Stages the operands behind the coordinates: a level, or two gradients (PTX ISA, tex). */
static bool stage_lod(struct ptx_parser *parser, const struct image_mode *mode)
{
	const struct ptx_operand *operands = &parser->instruction.operands[2];
	struct staging staging = {.count = 0};
	if (mode->component == IMAGE_LOD_LEVEL)
		return stage(parser, &staging, &operands[0], IMAGE_SLOT_LOD) && emit_staging(parser, &staging);
	return stage_vector(parser, &staging, &operands[0], mode, IMAGE_SLOT_DX) &&
	       stage_vector(parser, &staging, &operands[1], mode, IMAGE_SLOT_DY) &&
	       emit_staging(parser, &staging);
}

bool ptx_decode_texture(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	struct image_mode mode = {0};
	struct staging staging = {.count = 0};
	const bool gather = parts->part[0][1] == 'l';
	uint32_t x[4], count;
	if (!parse_texture(parser, parts, &mode))
		return false;
	/* Level or gradients. */
	const unsigned lods = gather ? 0 : mode.component;
	mode.offset = in->count == 3u + lods;
	mode.edge = lods ? IMAGE_EDGE_CLAMP : IMAGE_ZERO;
	if (!mode.offset && !ptx_operand_count(parser, 2u + lods))
		return false;
	const struct ptx_operand *elements = elements_of(&in->operands[0], &count);
	/* An offset is a vector; a scalar there would be a depth to compare with. */
	if (count != (mode.element_B == 2 ? 2 : 4) || in->operands[0].pair ||
	    (mode.offset && mode.dimensions > 1 && in->operands[2 + lods].kind != PTX_VECTOR))
		return ptx_unknown(parser);
	uint32_t object = object_operand(parser, &in->operands[1]);
	if (object == OPERAND_NONE ||
	    !stage_coordinates(parser, &staging, in->operands[1].pair, &mode) ||
	    (mode.offset &&
	     !stage_vector(parser, &staging, &in->operands[2 + lods], &mode, IMAGE_SLOT_OFFSET_X)) ||
	    (lods && !stage_lod(parser, &mode)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if ((x[i] = ptx_destination(parser, &elements[i], 'w')) == OPERAND_NONE)
			return false;
	if (!emit_staging(parser, &staging))
		return false;
	struct op *op = emit(parser, gather ? "_tld4" : "_tex", &mode, object);
	if (!op)
		return false;
	memcpy(op->x, x, count * sizeof(x[0]));
	op->vector = (uint8_t)count;
	op->writes = (uint8_t)((1u << count) - 1);
	return true;
}

/* --- suld, sust and sured ---------- */

struct surface {
	struct image_mode mode;
	const struct ptx_type *type;
	uint32_t vector;
};

static bool parse_reduction(const char *part, struct surface *surface)
{
	static const struct { const char *name; enum image_reduction reduction; } names[] = {
		{"add", IMAGE_ADD}, {"min", IMAGE_MIN}, {"max", IMAGE_MAX}, {"and", IMAGE_AND},
		{"or", IMAGE_OR}
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, part))
			continue;
		surface->mode.component = (uint8_t)names[i].reduction;
		return true;
	}
	return false;
}

static bool parse_edge(const char *part, struct image_mode *mode)
{
	static const char *const names[] = {"trap", "clamp", "zero"};
	for (uint8_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], part))
			continue;
		mode->edge = i;
		return true;
	}
	return false;
}

static bool parse_surface(struct ptx_parser *parser, const struct ptx_parts *parts,
			  struct surface *surface)
{
	bool reduces = !strcmp(parts->part[0], "sured"), shaped = false, edged = false;
	*surface = (struct surface){.vector = 1};
	for (unsigned i = 1; i < parts->count; i++) {
		const char *part = parts->part[i];
		if (parse_geometry(part, &surface->mode))
			shaped = true;
		else if (parse_edge(part, &surface->mode))
			edged = true;
		else if (!strcmp(part, "p"))
			surface->mode.formatted = true;
		else if (!reduces && (!strcmp(part, "v2") || !strcmp(part, "v4")))
			surface->vector = (uint32_t)(part[1] - '0');
		else if (strcmp(part, "b") && !(reduces && parse_reduction(part, surface)) &&
			 !(!reduces && is_cache(part)) &&
			 !(surface->type = ptx_type_find(part)))
			return ptx_unknown(parser);
	}
	if (!shaped || !edged || !surface->type)
		return ptx_unknown(parser);
	const char kind = surface->type->kind;
	const uint8_t size_B = surface->type->size_B;
	if (reduces && kind == 's' && surface->mode.component == IMAGE_MIN)
		surface->mode.component = IMAGE_MIN_SIGNED;
	if (reduces && kind == 's' && surface->mode.component == IMAGE_MAX)
		surface->mode.component = IMAGE_MAX_SIGNED;
	surface->mode.element_B = size_B;
	/* An access is of 16 bytes at most. */
	return (surface->vector * size_B <= 16 &&
		(!reduces || (size_B >= 4 && !surface->mode.layered)) &&
		(kind == 'b' || (reduces && (kind == 'u' || kind == 's')))) ||
	       ptx_unknown(parser);
}

static const char *surface_row(const struct surface *surface, const char *name)
{
	static const char *const loads[] = {"_suld.1", "_suld.2", "_suld.4", "_suld.8"};
	static const char *const stores[] = {"_sust.1", "_sust.2", "_sust.4", "_sust.8"};
	const unsigned rank = (unsigned)__builtin_ctz(surface->mode.element_B);
	if (!strcmp(name, "sured"))
		return "_sured";
	if (!strcmp(name, "suld"))
		return surface->mode.formatted ? NULL : loads[rank];
	if (!surface->mode.formatted)
		return stores[rank];
	return surface->mode.element_B == 4 ? "_sust.p" : NULL;
}

bool ptx_decode_surface(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_instruction *in = &parser->instruction;
	bool load = !strcmp(parts->part[0], "suld");
	struct staging staging = {.count = 0};
	struct surface surface;
	uint32_t x[4], count;
	if (!parse_surface(parser, parts, &surface) || !ptx_operand_count(parser, 2))
		return false;
	const char *row = surface_row(&surface, parts->part[0]);
	const struct ptx_operand *place = &in->operands[load ? 1 : 0];
	const struct ptx_operand *elements = elements_of(&in->operands[load ? 0 : 1], &count);
	const char width = surface.type->width;
	if (!row || count != surface.vector)
		return ptx_unknown(parser);
	uint32_t object = object_operand(parser, place);
	if (object == OPERAND_NONE ||
	    !stage_coordinates(parser, &staging, place->pair, &surface.mode))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		x[i] = load ? ptx_destination_loose(parser, &elements[i], width) :
			      ptx_source_loose(parser, &elements[i], width);
		if (x[i] == OPERAND_NONE)
			return false;
	}
	if (!emit_staging(parser, &staging))
		return false;
	struct op *op = emit(parser, row, &surface.mode, object);
	if (!op)
		return false;
	memcpy(op->x, x, count * sizeof(x[0]));
	op->vector = (uint8_t)count;
	/* To the race checker a reduction is atomic. */
	op->mode = !strcmp(parts->part[0], "sured") ? ORDER_RELAXED : ORDER_WEAK;
	uint8_t bits = (uint8_t)((1u << count) - 1);
	op->writes = load ? bits : 0;
	op->reads |= load ? 0 : bits;
	for (uint32_t i = 0; load && i < count; i++)
		if (!ptx_extend(parser, &elements[i], width, false, x[i]))
			return false;
	return true;
}

/* --- txq, suq and istypep ---------- */

static bool parse_query(const char *part, struct image_mode *mode)
{
	static const struct { const char *name; enum image_query query; } names[] = {
		{"width", IMAGE_QUERY_WIDTH}, {"height", IMAGE_QUERY_HEIGHT},
		{"depth", IMAGE_QUERY_DEPTH}
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, part))
			continue;
		mode->component = (uint8_t)names[i].query;
		return true;
	}
	return false;
}

static bool decode_istypep(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	static const char *const names[] = {"texref", "surfref", "samplerref"};
	const struct image_mode mode = {0};
	uint8_t kind = 0;
	while (kind < 3 && (parts->count != 2 || strcmp(parts->part[1], names[kind])))
		kind++;
	if (kind == 3)
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, 2))
		return false;
	uint32_t object = object_operand(parser, &parser->instruction.operands[1]);
	uint32_t x = ptx_destination(parser, &parser->instruction.operands[0], 'p');
	if (object == OPERAND_NONE || x == OPERAND_NONE)
		return false;
	struct op *op = emit(parser, "_image.istype", &mode, object);
	if (!op)
		return false;
	op->x[0] = x;
	op->vector = kind;
	op->writes = 1;
	return true;
}

bool ptx_decode_query(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	bool surface = parts->part[0][0] == 's';
	struct image_mode mode = {0};
	if (parts->part[0][0] == 'i')
		return decode_istypep(parser, parts);
	if (parts->count != 3 || strcmp(parts->part[2], "b32") ||
	    !parse_query(parts->part[1], &mode))
		return ptx_unknown(parser);
	if (!ptx_operand_count(parser, 2))
		return false;
	uint32_t object = object_operand(parser, &parser->instruction.operands[1]);
	uint32_t x = ptx_destination(parser, &parser->instruction.operands[0], 'w');
	if (object == OPERAND_NONE || x == OPERAND_NONE)
		return false;
	struct op *op = emit(parser, "_image.query", &mode, object);
	if (!op)
		return false;
	op->x[0] = x;
	op->vector = surface;
	op->writes = 1;
	return true;
}
