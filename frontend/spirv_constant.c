/* Constants and variables of a module: a macro each, so that values are written alike everywhere. */
#include "config.h"

#include "frontend/spirv_module.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The value that clSetProgramSpecializationConstant gave, if any. */
static const struct fe_spirv_constant *given(const struct spirv_writer *writer,
					     const struct spirv_id *id)
{
	if (id->spec_id == SPIRV_NONE)
		return NULL;
	for (size_t i = 0; i < writer->constant_count; i++)
		if (writer->constants[i].id == id->spec_id)
			return &writer->constants[i];
	return NULL;
}

static bool is_scalar_constant(unsigned op)
{
	return op == SpvOpConstant || op == SpvOpSpecConstant || op == SpvOpConstantTrue ||
	       op == SpvOpConstantFalse || op == SpvOpSpecConstantTrue ||
	       op == SpvOpSpecConstantFalse;
}

/* The bits as the module has them: SPIR-V 1.6, 2.2.1: the low word first, and a narrow integer
 * is extended to a word. */
static uint64_t own_bits(const struct spirv_module *module, const struct spirv_id *id)
{
	unsigned bits = spirv_shape(module, id->type).bits;
	if (id->op == SpvOpConstantTrue || id->op == SpvOpSpecConstantTrue)
		return 1;
	uint64_t value = id->count > 3 ? id->words[3] : 0;
	if (bits == 64 && id->count > 4)
		return value | (uint64_t)id->words[4] << 32;
	return bits < 32 ? value & ((1u << bits) - 1) : value;
}

static uint64_t bits_of(const struct spirv_writer *writer, const struct spirv_id *id)
{
	const struct fe_spirv_constant *constant = given(writer, id);
	return constant ? constant->value : own_bits(writer->module, id);
}

bool spirv_integer(const struct spirv_writer *writer, uint32_t number, uint64_t *value_out)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	struct spirv_shape shape = spirv_shape(writer->module, id->type);
	bool null = id->op == SpvOpConstantNull;
	if (!id->words || (shape.class != SPIRV_INT && shape.class != SPIRV_BOOL) ||
	    shape.lanes != 1 || (!null && !is_scalar_constant(id->op)))
		return false;
	*value_out = null ? 0 : bits_of(writer, id);
	return true;
}

enum fe_status fe_spirv_constants(const void *il, size_t size_B, struct bytes *constants,
				  struct bytes *log)
{
	struct spirv_module module;
	enum fe_status status = spirv_read(il, size_B, &module, log);
	if (status != FE_OK)
		return status;
	for (uint32_t i = 0; i < module.bound; i++) {
		const struct spirv_id *id = &module.ids[i];
		if (id->spec_id == SPIRV_NONE || !id->words || !is_scalar_constant(id->op))
			continue;
		struct spirv_shape shape = spirv_shape(&module, id->type);
		/* Of no such type: what is built of the module fails with that. */
		if (shape.lanes != 1 || !spirv_is_scalar(shape))
			continue;
		const struct fe_spirv_constant constant = {
			.id = id->spec_id,
			.size_B = shape.bits / 8,
			.value = own_bits(&module, id),
		};
		bytes_append(constants, &constant, sizeof(constant));
	}
	spirv_finish(&module);
	return bytes_failed(constants) ? FE_NO_MEMORY : FE_OK;
}

/* --- reals --- */

/* A real of `bits` with `mantissa` bits of fraction, exactly: hexadecimal, since printf() would
 * write the locale's decimal point. */
static void put_real(struct spirv_writer *writer, uint64_t value, unsigned bits, unsigned mantissa)
{
	static const char *const suffix[] = {"h", "f", ""};
	const char *end = suffix[bits == 16 ? 0 : bits == 32 ? 1 : 2];
	const char *type = bits == 16 ? "half" : bits == 32 ? "float" : "double";
	unsigned exponent_bits = bits - mantissa - 1;
	uint64_t fraction = value & (((uint64_t)1 << mantissa) - 1);
	int exponent = (int)(value >> mantissa & ((1u << exponent_bits) - 1));
	int bias = (1 << (exponent_bits - 1)) - 1;
	const char *sign = value >> (bits - 1) & 1 ? "-" : "";
	if (exponent == 2 * bias + 1 && fraction)
		spirv_put(writer, "((%s)%s__builtin_nan(\"0x%" PRIx64 "\"))", type, sign,
			  fraction << (52 - mantissa));
	else if (exponent == 2 * bias + 1)
		spirv_put(writer, "((%s)%s__builtin_inf())", type, sign);
	else
		spirv_put(writer, "(%s0x%" PRIx64 "p%d%s)", sign,
			  exponent ? fraction | (uint64_t)1 << mantissa : fraction,
			  (exponent ? exponent : 1) - bias - (int)mantissa, end);
}

static void put_scalar(struct spirv_writer *writer, const struct spirv_id *id)
{
	struct spirv_shape shape = spirv_shape(writer->module, id->type);
	uint64_t value = bits_of(writer, id);
	if (shape.class == SPIRV_FLOAT)
		put_real(writer, value, shape.bits, shape.bits == 16 ? 10 : shape.bits == 32 ? 23 : 52);
	else if (shape.class == SPIRV_BOOL)
		spirv_put(writer, "((bool)%d)", value != 0);
	else
		spirv_put(writer, "((t%" PRIu32 ")0x%" PRIx64 "%s)", id->type, value,
			  shape.bits == 64 ? "ul" : "u");
}

/* --- composites: v as a value, i as an initialiser --- */

static bool is_vector(const struct spirv_shape *shape)
{
	return shape->lanes > 1;
}

/* What goes on behind the words of a composite constant, of which an instruction has 65535 at most: all that
 * follows at once (SPV_INTEL_long_composites). */
static void put_continued(struct spirv_writer *writer, const struct spirv_id *id, char prefix)
{
	const struct spirv_module *module = writer->module;
	size_t at = (size_t)(id->words - module->words) + id->count;
	for (; at < module->word_count; at += module->words[at] >> SpvWordCountShift) {
		const uint32_t *words = module->words + at;
		const unsigned op = words[0] & SpvOpCodeMask;
		if (op != SpvOpConstantCompositeContinuedINTEL && op != SpvOpSpecConstantCompositeContinuedINTEL)
			break;
		for (unsigned i = 1; i < words[0] >> SpvWordCountShift; i++)
			spirv_put(writer, ", %c%" PRIu32, prefix, words[i]);
	}
}

static void put_parts(struct spirv_writer *writer, const struct spirv_id *id, char prefix)
{
	for (unsigned i = 3; i < id->count; i++)
		spirv_put(writer, "%s%c%" PRIu32, i > 3 ? ", " : "", prefix, id->words[i]);
	put_continued(writer, id, prefix);
}

static void put_composite(struct spirv_writer *writer, uint32_t number, const struct spirv_id *id)
{
	struct spirv_shape shape = spirv_shape(writer->module, id->type);
	const char *open = shape.class == SPIRV_ARRAY ? "{{" : "{";
	const char *close = shape.class == SPIRV_ARRAY ? "}}" : "}";
	if (is_vector(&shape)) {
		spirv_put(writer, "#define v%" PRIu32 " ((t%" PRIu32 ")(", number, id->type);
		for (unsigned i = 3; i < id->count; i++)
			spirv_put(writer, "%s%sv%" PRIu32, i > 3 ? ", " : "",
				  shape.class == SPIRV_BOOL ? "-(char)" : "", id->words[i]);
		spirv_put(writer, "))\n#define i%" PRIu32 " v%" PRIu32 "\n", number, number);
		return;
	}
	spirv_put(writer, "#define i%" PRIu32 " %s", number, open);
	put_parts(writer, id, 'i');
	spirv_put(writer, "%s\n#define v%" PRIu32 " ((t%" PRIu32 ")i%" PRIu32 ")\n", close, number,
		  id->type, number);
}

static void put_null(struct spirv_writer *writer, uint32_t number, const struct spirv_id *id)
{
	struct spirv_shape shape = spirv_shape(writer->module, id->type);
	bool compound = shape.class == SPIRV_STRUCT || shape.class == SPIRV_ARRAY;
	if (shape.class == SPIRV_OPAQUE || shape.class == SPIRV_UNKNOWN)
		return;
	if (compound)
		spirv_put(writer, "#define i%" PRIu32 " {}\n#define v%" PRIu32 " ((t%" PRIu32 "){})\n",
			  number, number, id->type);
	else
		spirv_put(writer, "#define v%" PRIu32 " ((t%" PRIu32 ")%s)\n#define i%" PRIu32
				  " v%" PRIu32 "\n",
			  number, id->type, is_vector(&shape) ? "(0)" : "0", number, number);
}

/* An expression of constants: the statement that the instruction would be, without its target. */
static enum spirv_written put_operation(struct spirv_writer *writer, uint32_t number,
					const struct spirv_id *id)
{
	enum { MOST_WORDS = 64 };
	uint32_t words[MOST_WORDS];
	if (id->count < 5 || id->count > MOST_WORDS)
		return spirv_fail(writer, id->op, "%u words", id->count);
	unsigned count = id->count - 1u;
	words[0] = (uint32_t)count << SpvWordCountShift | (id->words[3] & SpvOpCodeMask);
	words[1] = id->words[1];
	words[2] = id->words[2];
	memcpy(words + 3, id->words + 4, (count - 3) * sizeof(*words));
	struct bytes statement = BYTES_INIT, *out = writer->out;
	writer->out = &statement;
	writer->in_constant = true;
	enum spirv_written written = spirv_instruction(writer, words, count);
	writer->in_constant = false;
	writer->out = out;
	const char *text = strstr(bytes_string(&statement), " = ");
	/* Of an expression with statements in it the last one. */
	const char *end = !text ? NULL : text[3] == '(' && text[4] == '{' ? strrchr(text, ';')
									   : strchr(text, ';');
	if (bytes_failed(&statement))
		out->failed = true;
	else if (written == SPIRV_WRITTEN && end && !strcmp(end, ";\n"))
		spirv_put(writer, "#define v%" PRIu32 " (%.*s)\n#define i%" PRIu32 " v%" PRIu32 "\n",
			  number, (int)(end - text - 3), text + 3, number, number);
	else if (written != SPIRV_FAILED)
		written = spirv_fail(writer, words[0] & SpvOpCodeMask, "no expression of constants");
	bytes_finish(&statement);
	return written;
}

/* --- samplers and variables --- */

static enum spirv_written put_sampler(struct spirv_writer *writer, uint32_t number,
				      const struct spirv_id *id)
{
	static const char *const addressing[] = {
		"CLK_ADDRESS_NONE", "CLK_ADDRESS_CLAMP_TO_EDGE", "CLK_ADDRESS_CLAMP",
		"CLK_ADDRESS_REPEAT", "CLK_ADDRESS_MIRRORED_REPEAT",
	};
	if (id->count < 6 || id->words[3] > 4)
		return spirv_fail(writer, id->op, "an unknown addressing mode");
	spirv_put(writer, "constant sampler_t g%" PRIu32 " = %s | %s | %s;\n", number,
		  addressing[id->words[3]],
		  id->words[4] ? "CLK_NORMALIZED_COORDS_TRUE" : "CLK_NORMALIZED_COORDS_FALSE",
		  id->words[5] ? "CLK_FILTER_LINEAR" : "CLK_FILTER_NEAREST");
	spirv_put(writer, "#define v%" PRIu32 " g%" PRIu32 "\n", number, number);
	return SPIRV_WRITTEN;
}

/* Alignment, or AlignmentId, which is a constant that may be an expression. */
void spirv_alignment(struct spirv_writer *writer, const struct spirv_id *id)
{
	if (id->alignment_id)
		spirv_put(writer, "__attribute__((aligned(v%" PRIu32 "))) ", id->alignment_id);
	else if (id->alignment_B && !(id->alignment_B & (id->alignment_B - 1)))
		spirv_put(writer, "__attribute__((aligned(%" PRIu32 "))) ", id->alignment_B);
}

static enum spirv_written put_variable(struct spirv_writer *writer, uint32_t number,
				       const struct spirv_id *id)
{
	uint32_t storage = id->count > 3 ? id->words[3] : 0, initial = id->count > 4 ? id->words[4] : 0;
	uint32_t pointee = spirv_pointee(writer->module, id->type);
	if (id->count < 4)
		return spirv_fail(writer, id->op, "%u words", id->count);
	/* What a function sees as variables of its own (spirv_function.c). */
	if (storage == SpvStorageClassInput || storage == SpvStorageClassWorkgroup || id->is_input)
		return SPIRV_WRITTEN;
	if (storage != SpvStorageClassUniformConstant && storage != SpvStorageClassCrossWorkgroup)
		return spirv_fail(writer, id->op, "a variable of storage class %" PRIu32, storage);
	if (spirv_shape(writer->module, pointee).class == SPIRV_OPAQUE) {
		/* A pointer to a sampler is the sampler. */
		spirv_put(writer, "#define v%" PRIu32 " v%" PRIu32 "\n", number, initial);
		return initial ? SPIRV_WRITTEN : spirv_fail(writer, id->op, "a sampler without value");
	}
	const char *space = storage == SpvStorageClassUniformConstant ? "constant" : "global";
	spirv_put(writer, "%s", spirv_linkage_words(writer, number));
	spirv_alignment(writer, id);
	spirv_put(writer, "%s t%" PRIu32 " g%" PRIu32, space, pointee, number);
	spirv_label(writer, number);
	if (id->linkage != SPIRV_IMPORT) {
		if (initial && spirv_id(writer->module, initial)->op == SpvOpVariable)
			spirv_put(writer, " = v%" PRIu32, initial);
		else if (initial)
			spirv_put(writer, " = i%" PRIu32, initial);
		else if (storage == SpvStorageClassUniformConstant)
			spirv_put(writer, " = (t%" PRIu32 "){}", pointee);
	}
	spirv_put(writer, ";\n#define v%" PRIu32 " (&g%" PRIu32 ")\n#define i%" PRIu32 " v%" PRIu32
			  "\n", number, number, number, number);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_constant(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	if (count < 3)
		return SPIRV_OTHER;
	uint32_t number = words[2];
	const struct spirv_id *id = spirv_id(writer->module, number);
	if (is_scalar_constant(op)) {
		spirv_put(writer, "#define v%" PRIu32 " ", number);
		put_scalar(writer, id);
		spirv_put(writer, "\n#define i%" PRIu32 " v%" PRIu32 "\n", number, number);
		return SPIRV_WRITTEN;
	}
	switch (op) {
	case SpvOpConstantComposite:
	case SpvOpSpecConstantComposite: put_composite(writer, number, id); return SPIRV_WRITTEN;
	case SpvOpUndef:
	case SpvOpConstantNull: put_null(writer, number, id); return SPIRV_WRITTEN;
	case SpvOpConstantSampler: return put_sampler(writer, number, id);
	case SpvOpSpecConstantOp: return put_operation(writer, number, id);
	case SpvOpVariable: return put_variable(writer, number, id);
	default: return SPIRV_OTHER;
	}
}
