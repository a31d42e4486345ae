#include "config.h"

#include "frontend/spirv_printf.h"

#include <inttypes.h>
#include <string.h>

/* OpenCL C 3.0, 6.15.14: the format is a literal.  In SPIR-V it is a pointer into an array of bytes
 * in constant memory, with an initialiser; in other memory, that nobody writes to, and by other pointers with
 * SPV_EXT_relaxed_printf_string_address_space. */

/* FORMAT: words before it. */
enum { FORMAT = 5, MOST_STEPS = 64, MOST_TEXTS = 32, MOST_VISITS = 256 };

/* A constant array of bytes, from some element on. */
struct text {
	uint32_t variable;
	const struct spirv_id *array;
	uint64_t from;
};

/* What a format may be: several where optimisers made one call of many. */
struct texts {
	struct text text[MOST_TEXTS];
	size_t count;
	unsigned visits;            /* of values on the way to them */
};

/* An instruction's operands, also of one that OpSpecConstantOp does. */
struct step {
	unsigned op;
	const uint32_t *operands;
	unsigned count;
};

static struct step step_of(const struct spirv_id *id)
{
	struct step step = {0, NULL, 0};
	if (!id->words || id->count < 4)
		return step;
	step = (struct step){id->op, id->words + 3, id->count - 3u};
	if (id->op == SpvOpSpecConstantOp && id->count > 4)
		step = (struct step){id->words[3], id->words + 4, id->count - 4u};
	return step;
}

/* The sum of a chain's indices from one on: only the last may count, those before it choose the
 * array. */
static bool add_indices(const struct spirv_writer *writer, struct step step, unsigned first,
			uint64_t *from)
{
	for (unsigned i = first; i < step.count; i++) {
		uint64_t index;
		if (!spirv_integer(writer, step.operands[i], &index) ||
		    (index && i + 1 < step.count))
			return false;
		*from += index;
	}
	return true;
}

/* Whether a variable has always what it has at first. */
static bool is_constant(const struct spirv_id *variable, uint32_t storage)
{
	return storage == SpvStorageClassUniformConstant ||
	       (storage == SpvStorageClassCrossWorkgroup && variable->no_write);
}

/* The constant array that a pointer points into; false: it is not known, or none. */
static bool find_text(const struct spirv_writer *writer, uint32_t pointer, struct text *text)
{
	text->from = 0;
	for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
		const struct spirv_id *id = spirv_id(writer->module, pointer);
		struct step step = step_of(id);
		switch (step.op) {
		case SpvOpVariable:
			text->variable = pointer;
			text->array = step.count > 1 ? spirv_id(writer->module, step.operands[1])
						     : NULL;
			return step.count > 1 && text->array->words && is_constant(id, step.operands[0]);
		case SpvOpBitcast:
		case SpvOpCopyObject:
		case SpvOpPtrCastToGeneric:
		case SpvOpGenericCastToPtr:
		case SpvOpGenericCastToPtrExplicit:
			break;
		case SpvOpAccessChain:
		case SpvOpInBoundsAccessChain:
		case SpvOpPtrAccessChain:
		case SpvOpInBoundsPtrAccessChain:
			if (!add_indices(writer, step, 1, &text->from))
				return false;
			break;
		default:
			return false;
		}
		pointer = step.operands[0];
	}
	return false;
}

/* The byte at a place; false beyond the array's end, and for what is no array of bytes. */
static bool byte_at(const struct spirv_writer *writer, struct text text, uint64_t at, char *byte)
{
	const struct spirv_id *array = text.array;
	uint64_t value;
	*byte = 0;
	if (array->op == SpvOpConstantNull)
		return true;
	if ((array->op != SpvOpConstantComposite && array->op != SpvOpSpecConstantComposite) ||
	    at >= array->count - 3u)
		return false;
	uint32_t element = array->words[3 + at];
	struct spirv_shape shape = spirv_value_shape(writer->module, element);
	if (shape.class != SPIRV_INT || shape.bits != 8 ||
	    !spirv_integer(writer, element, &value))
		return false;
	*byte = (char)value;
	return true;
}

static void put_character(struct spirv_writer *writer, char c)
{
	static const char plain[] = " !#%&()*+,-./:;<=>@[]^_{|}~";
	bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
	if (is_word || (c && strchr(plain, c)))
		spirv_put(writer, "%c", c);
	else
		spirv_put(writer, "\\%03o", (unsigned char)c);
}

/* Whether the text ends, so that it is a string. */
static bool is_string(const struct spirv_writer *writer, struct text text)
{
	char byte = 1;
	for (uint64_t at = text.from; byte; at++)
		if (at < text.from || !byte_at(writer, text, at, &byte))
			return false;
	return true;
}

static void put_literal(struct spirv_writer *writer, struct text text)
{
	char byte;
	spirv_put(writer, "\"");
	for (uint64_t at = text.from; byte_at(writer, text, at, &byte) && byte; at++)
		put_character(writer, byte);
	spirv_put(writer, "\"");
}

/* --- which of several --- */

static bool add_text(const struct spirv_writer *writer, uint32_t pointer, struct texts *texts)
{
	struct text text;
	if (!find_text(writer, pointer, &text) || !is_string(writer, text))
		return false;
	for (size_t i = 0; i < texts->count; i++)
		if (texts->text[i].variable == text.variable && texts->text[i].from == text.from)
			return true;
	if (texts->count == MOST_TEXTS)
		return false;
	texts->text[texts->count++] = text;
	return true;
}

static bool find_texts(const struct spirv_writer *writer, uint32_t pointer, struct texts *texts);

/* All that is stored in a variable of the function, as unoptimised code does; false where somebody else
 * may store as well. */
static bool find_stored(const struct spirv_writer *writer, uint32_t variable, struct texts *texts)
{
	const struct spirv_id *function = spirv_id(writer->module, writer->function);
	const uint32_t *words = function->words, *end = writer->module->words +
							writer->module->word_count;
	for (; words && words < end; words += words[0] >> SpvWordCountShift) {
		unsigned op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
		if (op == SpvOpFunctionEnd)
			break;
		if (op == SpvOpStore && count > 2 && words[1] == variable) {
			if (words[2] == variable || !find_texts(writer, words[2], texts))
				return false;
			continue;
		}
		bool harmless = op == SpvOpLoad || op == SpvOpLifetimeStart ||
				op == SpvOpLifetimeStop ||
				(op == SpvOpVariable && count == 4) ||
				/* What debuggers are told. */
				(op == SpvOpExtInst && count > 3 &&
				 words[3] != writer->module->openclstd);
		for (unsigned i = 1; i < count && !harmless; i++)
			if (words[i] == variable)
				return false;
	}
	return texts->count != 0;
}

/* All that a pointer may be, through OpSelect, OpPhi and variables; false: not all of it are strings,
 * or these are too many, or go in circles. */
static bool find_texts(const struct spirv_writer *writer, uint32_t pointer, struct texts *texts)
{
	if (++texts->visits > MOST_VISITS)
		return false;
	const struct spirv_id *id = spirv_id(writer->module, pointer);
	if (id->words && id->op == SpvOpLoad && id->count > 3 &&
	    spirv_storage(writer->module, spirv_id(writer->module, id->words[3])->type) ==
		    SpvStorageClassFunction)
		return find_stored(writer, id->words[3], texts);
	bool chosen = id->words && (id->op == SpvOpSelect || id->op == SpvOpPhi);
	if (!chosen)
		return add_text(writer, pointer, texts);
	unsigned first = id->op == SpvOpSelect ? 4 : 3, step = id->op == SpvOpSelect ? 1 : 2;
	for (unsigned i = first; i < id->count; i += step)
		if (!find_texts(writer, id->words[i], texts))
			return false;
	return texts->count != 0;
}

/* "v7 == &string ? printf(...) : ", for each but the last. */
static void put_choice(struct spirv_writer *writer, uint32_t format, struct text text)
{
	spirv_put(writer, "(ulong)v%" PRIu32 " == (ulong)v%" PRIu32 " + %" PRIu64 " ? ", format, text.variable,
		  text.from);
}

enum spirv_written spirv_printf(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	struct texts texts = {.count = 0, .visits = 0};
	if (count <= FORMAT)
		return spirv_fail(writer, SpvOpExtInst, "printf without a format");
	if (!find_texts(writer, words[FORMAT], &texts))
		return spirv_fail(writer, SpvOpExtInst, "a format of printf that is no constant");
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(", words[2], words[1]);
	for (size_t i = 0; i < texts.count; i++) {
		if (i + 1 < texts.count)
			put_choice(writer, words[FORMAT], texts.text[i]);
		spirv_put(writer, "printf(");
		put_literal(writer, texts.text[i]);
		for (unsigned k = FORMAT + 1; k < count; k++)
			spirv_put(writer, ", v%" PRIu32, words[k]);
		spirv_put(writer, i + 1 < texts.count ? ") : " : ")");
	}
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}
