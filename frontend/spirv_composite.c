/* Vectors, structs and arrays as values, and their parts. */
#include "config.h"

#include "frontend/spirv_module.h"

#include <inttypes.h>

/* Appends the part's name; its type, or 0 where there is none. */
static uint32_t part(struct spirv_writer *writer, struct bytes *text, uint32_t type, uint32_t index)
{
	const struct spirv_id *id = spirv_id(writer->module, type);
	switch (id->words ? id->op : 0) {
	case SpvOpTypeStruct:
		bytes_printf(text, ".m%" PRIu32, index);
		return index < id->count - 2u ? id->words[index + 2] : 0;
	case SpvOpTypeArray:
		bytes_printf(text, ".e[%" PRIu32 "]", index);
		return id->words[2];
	case SpvOpTypeVector:
		bytes_printf(text, ".s%" PRIx32, index);
		return index < spirv_shape(writer->module, type).lanes ? id->words[2] : 0;
	default: return 0;
	}
}

/* The path that literals from words[from] on describe in a value of type; false where there is no
 * such part.  of_bools: it ends in a vector of bools, whose elements are chars. */
static bool path(struct spirv_writer *writer, struct bytes *text, uint32_t type,
		 const uint32_t *words, unsigned from, unsigned count, bool *of_bools)
{
	*of_bools = false;
	for (unsigned i = from; i < count && type; i++) {
		struct spirv_shape shape = spirv_shape(writer->module, type);
		*of_bools = shape.class == SPIRV_BOOL && shape.lanes > 1;
		type = part(writer, text, type, words[i]);
	}
	return type != 0;
}

static enum spirv_written write_extract(struct spirv_writer *writer, const uint32_t *words,
					unsigned count)
{
	struct bytes text = BYTES_INIT;
	bool of_bools;
	bool there = path(writer, &text, spirv_id(writer->module, words[3])->type, words, 4, count,
			  &of_bools);
	if (there)
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 "%s%s;\n", words[2], words[3],
			  bytes_string(&text), of_bools ? " != 0" : "");
	writer->out->failed |= bytes_failed(&text);
	bytes_finish(&text);
	return there ? SPIRV_WRITTEN
		     : spirv_fail(writer, SpvOpCompositeExtract, "id %" PRIu32 " has no such part",
				  words[3]);
}

static enum spirv_written write_insert(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count)
{
	struct bytes text = BYTES_INIT;
	bool of_bools;
	bool there = path(writer, &text, words[1], words, 5, count, &of_bools);
	if (there && writer->in_constant) {
		/* One expression, which functions may use, though no variable can begin with it. */
		unsigned x = spirv_temporary(writer);
		spirv_put(writer, "v%" PRIu32 " = ({ t%" PRIu32 " x%u = v%" PRIu32
				  "; x%u%s = %sv%" PRIu32 "; x%u; });\n",
			  words[2], words[1], x, words[4], x, bytes_string(&text),
			  of_bools ? "-(char)" : "", words[3], x);
	} else if (there)
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 "; v%" PRIu32 "%s = %sv%" PRIu32 ";\n",
			  words[2], words[4], words[2], bytes_string(&text),
			  of_bools ? "-(char)" : "", words[3]);
	writer->out->failed |= bytes_failed(&text);
	bytes_finish(&text);
	return there ? SPIRV_WRITTEN
		     : spirv_fail(writer, SpvOpCompositeInsert, "id %" PRIu32 " has no such part",
				  words[4]);
}

static void write_construct(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	if (shape.lanes == 1) {
		for (unsigned i = 3; i < count; i++)
			spirv_put(writer, shape.class == SPIRV_ARRAY ? "v%" PRIu32 ".e[%u] = v%" PRIu32 ";%s"
								     : "v%" PRIu32 ".m%u = v%" PRIu32 ";%s",
				  words[2], i - 3, words[i], i + 1 < count ? " " : "\n");
		return;
	}
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(", words[2], words[1]);
	for (unsigned i = 3; i < count; i++) {
		struct spirv_shape own = spirv_value_shape(writer->module, words[i]);
		spirv_put(writer, "%s%sv%" PRIu32, i > 3 ? ", " : "",
			  own.class == SPIRV_BOOL && own.lanes == 1 ? "-(char)" : "", words[i]);
	}
	spirv_put(writer, ");\n");
}

static enum spirv_written write_shuffle(struct spirv_writer *writer, const uint32_t *words,
					unsigned count)
{
	unsigned first = spirv_value_shape(writer->module, words[3]).lanes;
	unsigned second = spirv_value_shape(writer->module, words[4]).lanes;
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(", words[2], words[1]);
	for (unsigned i = 5; i < count; i++) {
		/* SPIR-V 1.6, 3.49.12: 0xffffffff: any value will do. */
		uint32_t lane = words[i] == UINT32_MAX ? 0 : words[i];
		if (lane >= first + second)
			return spirv_fail(writer, SpvOpVectorShuffle, "component %" PRIu32, lane);
		spirv_put(writer, "%sv%" PRIu32 ".s%x", i > 5 ? ", " : "",
			  words[lane < first ? 3 : 4], lane < first ? lane : lane - first);
	}
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}

static void write_dynamic(struct spirv_writer *writer, unsigned op, const uint32_t *words)
{
	bool of_bools = spirv_value_shape(writer->module, words[3]).class == SPIRV_BOOL;
	if (op == SpvOpVectorExtractDynamic)
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 "[v%" PRIu32 "]%s;\n", words[2], words[3],
			  words[4], of_bools ? " != 0" : "");
	else
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 "; v%" PRIu32 "[v%" PRIu32 "] = %sv%" PRIu32
			  ";\n", words[2], words[3], words[2], words[5], of_bools ? "-(char)" : "",
			  words[4]);
}

/* OpCopyLogical (SPIR-V 1.4): to a type with the same parts, which lies in memory alike. */
static void write_copy(struct spirv_writer *writer, unsigned op, const uint32_t *words)
{
	enum spirv_class class = spirv_shape(writer->module, words[1]).class;
	if (op == SpvOpCopyObject || (class != SPIRV_STRUCT && class != SPIRV_ARRAY))
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 ";\n", words[2], words[3]);
	else
		spirv_put(writer, "__builtin_memcpy(&v%" PRIu32 ", &v%" PRIu32 ", sizeof(v%" PRIu32
			  "));\n", words[2], words[3], words[2]);
}

static void write_undefined(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	bool compound = shape.class == SPIRV_STRUCT || shape.class == SPIRV_ARRAY;
	if (shape.class != SPIRV_OPAQUE)
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")%s;\n", words[2], words[1],
			  compound ? "{}" : shape.lanes > 1 ? "(0)" : "0");
}

enum spirv_written spirv_composite(struct spirv_writer *writer, const uint32_t *words,
				   unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask, least = 4;
	switch (op) {
	case SpvOpUndef: least = 3; break;
	case SpvOpCompositeConstruct:
	case SpvOpCompositeExtract:
	case SpvOpCopyObject:
	case SpvOpCopyLogical: break;
	case SpvOpCompositeInsert:
	case SpvOpVectorShuffle:
	case SpvOpVectorExtractDynamic: least = 5; break;
	case SpvOpVectorInsertDynamic: least = 6; break;
	default: return SPIRV_OTHER;
	}
	if (count < least)
		return spirv_fail(writer, op, "%u words", count);
	switch (op) {
	case SpvOpUndef: write_undefined(writer, words); break;
	case SpvOpCompositeConstruct: write_construct(writer, words, count); break;
	case SpvOpCompositeExtract: return write_extract(writer, words, count);
	case SpvOpCompositeInsert: return write_insert(writer, words, count);
	case SpvOpVectorShuffle: return write_shuffle(writer, words, count);
	case SpvOpVectorExtractDynamic:
	case SpvOpVectorInsertDynamic: write_dynamic(writer, op, words); break;
	default: write_copy(writer, op, words);
	}
	return SPIRV_WRITTEN;
}
