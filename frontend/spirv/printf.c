#include "config.h"

#include "frontend/spirv/printf.h"

#include <inttypes.h>
#include <stdlib.h>

/* In OpenCL C the format is a literal (3.0, 6.15.14).  In SPIR-V it is a pointer into an initialized array of bytes in
 * constant memory; with SPV_EXT_relaxed_printf_string_address_space also in global memory that is not written, and by a
 * generic or private pointer. */

/* FORMAT is the index of the word with the format. */
enum { FORMAT = 5, MOST_STEPS = 64, MOST_TEXTS = 32, MOST_VISITS = 256, MOST_TEXT_B = 1 << 20 };

/* A string: a constant array of bytes, from one of its elements on. */
struct text {
	uint32_t variable;
	uint32_t array;             /* id of its initial value */
	uint64_t from;              /* index of the first byte */
};

/* The strings that a format may be.  There are several if an optimizer merged calls. */
struct texts {
	struct text text[MOST_TEXTS];
	size_t count;
	unsigned visits;            /* number of values that were looked at */
};

/* The opcode and the operands of an instruction, which may be inside of an OpSpecConstantOp. */
struct step {
	unsigned op;
	const uint32_t *operands;
	unsigned count;
};

static struct step step_of(struct spirv_instruction made)
{
	struct step step = {0, NULL, 0};
	if (made.count < 4)
		return step;
	step = (struct step){made.op, made.words + 3, made.count - 3};
	if (made.op == SpvOpSpecConstantOp && made.count > 4)
		step = (struct step){made.words[3], made.words + 4, made.count - 4};
	return step;
}

/* Adds the indices of an access chain, from a first one on, to *from.  All but the last must be 0, since they select
 * the array.  False: they are not, or are not constant. */
static bool add_indices(const struct spirv_module *module, struct step step, unsigned first, uint64_t *from)
{
	for (unsigned i = first; i < step.count; i++) {
		uint64_t index;
		if (!spirv_integer(module, step.operands[i], &index) || (index && i + 1 < step.count))
			return false;
		*from += index;
	}
	return true;
}

/* Whether a variable always has its initial value. */
static bool is_constant(const struct spirv_module *module, uint32_t variable, uint32_t storage)
{
	return storage == SpvStorageClassUniformConstant ||
	       (storage == SpvStorageClassCrossWorkgroup && spirv_facts(module, variable)->no_write);
}

/* The string to which a pointer points; false: it is not known. */
static bool find_text(const struct spirv_module *module, uint32_t pointer, struct text *text)
{
	text->from = 0;
	for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
		const struct step step = step_of(spirv_of(module, pointer));
		switch (step.op) {
		case SpvOpVariable:
			text->variable = pointer;
			text->array = step.count > 1 ? step.operands[1] : 0;
			return step.count > 1 && is_constant(module, pointer, step.operands[0]);
		case SpvOpBitcast:
		case SpvOpCopyObject:
		case SpvOpPtrCastToGeneric:
		case SpvOpGenericCastToPtr:
		case SpvOpGenericCastToPtrExplicit: break;
		case SpvOpAccessChain:
		case SpvOpInBoundsAccessChain:
		case SpvOpPtrAccessChain:
		case SpvOpInBoundsPtrAccessChain:
			if (!add_indices(module, step, 1, &text->from))
				return false;
			break;
		default: return false;
		}
		pointer = step.operands[0];
	}
	return false;
}

/* The byte of a string's array at an index; false: it is behind the end, or the array is not one of bytes. */
static bool byte_at(const struct spirv_module *module, struct text text, uint64_t at, char *byte)
{
	const struct spirv_instruction array = spirv_of(module, text.array);
	uint64_t value;
	*byte = 0;
	if (array.op == SpvOpConstantNull)
		return true;
	if ((array.op != SpvOpConstantComposite && array.op != SpvOpSpecConstantComposite) ||
	    at >= array.count - 3u)
		return false;
	const struct spirv_instruction element = spirv_of(module, array.words[3 + at]);
	if (element.count < 3 || spirv_scalar_bits(module, element.words[1]) != 8 ||
	    !spirv_integer(module, array.words[3 + at], &value))
		return false;
	*byte = (char)value;
	return true;
}

/* Appends the bytes of a string, with its NUL, to out, which may be NULL; false: the string does not end. */
static bool read_text(const struct spirv_module *module, struct text text, struct bytes *out)
{
	char byte = 1;
	for (uint64_t at = text.from; byte; at++) {
		if (at < text.from || at - text.from > MOST_TEXT_B || !byte_at(module, text, at, &byte))
			return false;
		if (out)
			bytes_append_char(out, byte);
	}
	return true;
}

/* --- formats that may be one of several strings -------------------------------------------------------------- */

/* Adds the string to which a pointer points; false: it is not known. */
static bool add_text(const struct spirv_module *module, uint32_t pointer, struct texts *texts)
{
	struct text text;
	if (!find_text(module, pointer, &text) || !read_text(module, text, NULL))
		return false;
	for (size_t i = 0; i < texts->count; i++)
		if (texts->text[i].variable == text.variable && texts->text[i].from == text.from)
			return true;
	if (texts->count == MOST_TEXTS)
		return false;
	texts->text[texts->count++] = text;
	return true;
}

static bool find_texts(const struct spirv_reader *reader, uint32_t pointer, struct texts *texts);

/* Whether an instruction that names a variable does not store another value in it. */
static bool is_harmless(const struct spirv_module *module, struct spirv_instruction i)
{
	return i.op == SpvOpLoad || i.op == SpvOpLifetimeStart || i.op == SpvOpLifetimeStop ||
	       i.op == SpvOpName || (i.op == SpvOpVariable && i.count == 4) ||
	       /* Instructions for debuggers. */
	       (i.op == SpvOpExtInst && i.count > 3 && i.words[3] != module->openclstd);
}

/* Adds the strings whose addresses are stored in a variable of the function, as in code that is not optimized; false:
 * not all stores are known. */
static bool find_stored(const struct spirv_reader *reader, uint32_t variable, struct texts *texts)
{
	const struct spirv_module *module = reader->module;
	size_t at = module->ids[reader->function].at;
	for (; at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		if (i.op == SpvOpFunctionEnd)
			break;
		if (i.op == SpvOpStore && i.count > 2 && i.words[1] == variable) {
			if (i.words[2] == variable || !find_texts(reader, i.words[2], texts))
				return false;
			continue;
		}
		for (unsigned k = 1; k < i.count && !is_harmless(module, i); k++)
			if (i.words[k] == variable)
				return false;
	}
	return texts->count != 0;
}

/* Whether a pointer is to a variable of a function. */
static bool is_local_variable(const struct spirv_module *module, uint32_t id)
{
	const struct spirv_instruction made = spirv_of(module, id);
	return made.op == SpvOpVariable && made.count > 3 && made.words[3] == SpvStorageClassFunction;
}

/* Adds the strings to which a pointer may point, through OpSelect, OpPhi and variables; false: some are not known, or
 * there are too many. */
static bool find_texts(const struct spirv_reader *reader, uint32_t pointer, struct texts *texts)
{
	const struct spirv_instruction made = spirv_of(reader->module, pointer);
	if (++texts->visits > MOST_VISITS)
		return false;
	if (made.op == SpvOpLoad && made.count > 3 && is_local_variable(reader->module, made.words[3]))
		return find_stored(reader, made.words[3], texts);
	if (made.op != SpvOpSelect && made.op != SpvOpPhi)
		return add_text(reader->module, pointer, texts);
	const unsigned first = made.op == SpvOpSelect ? 4 : 3, step = made.op == SpvOpSelect ? 1 : 2;
	for (unsigned i = first; i < made.count; i += step)
		if (!find_texts(reader, made.words[i], texts))
			return false;
	return texts->count != 0;
}

/* --- calls --------------------------------------------------------------------------------------------------- */

/* The declaration of printf, which takes any number of arguments. */
static LLVMValueRef find_function(struct spirv_reader *reader)
{
	static const char name[] = "printf";
	LLVMTypeRef format = spirv_ptr(reader, SPIRV_CONSTANT);
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, name);
	if (function)
		return function;
	function = LLVMAddFunction(reader->llvm, name, LLVMFunctionType(spirv_int(reader, 32), &format, 1, true));
	spirv_mark_function(reader, function);
	return function;
}

/* An argument as C passes it to a variadic function (C99, 6.5.2.2); NULL with a message. */
static LLVMValueRef promote(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (!value)
		return NULL;
	if (spirv_is_aggregate(type)) {
		spirv_fail(reader, "a struct or array cannot be printed");
		return NULL;
	}
	if (type->class == SPIRV_BOOL)
		value = spirv_to_memory(reader, type, value);
	if (type->lanes == 1 && type->class == SPIRV_FLOAT && type->bits < 64)
		return LLVMBuildFPExt(reader->builder, value, LLVMDoubleTypeInContext(reader->context), "");
	if (type->lanes == 1 && type->bits < 32 && type->class != SPIRV_POINTER)
		return LLVMBuildIntCast2(reader->builder, value, spirv_int(reader, 32), false, "");
	return value;
}

/* Builds a call of printf with a string as the format; arguments[0] is set to it.  NULL: no memory. */
static LLVMValueRef call(struct spirv_reader *reader, struct text text, LLVMValueRef *arguments, unsigned count)
{
	struct bytes string = BYTES_INIT;
	LLVMValueRef function = find_function(reader), result = NULL;
	if (read_text(reader->module, text, &string) && !bytes_failed(&string)) {
		LLVMValueRef value = LLVMConstStringInContext(reader->context, string.data,
							      (unsigned)string.size_B, true);
		LLVMValueRef literal = LLVMAddGlobalInAddressSpace(reader->llvm, LLVMTypeOf(value),
								   "culvert.format", SPIRV_CONSTANT);
		LLVMSetInitializer(literal, value);
		LLVMSetGlobalConstant(literal, true);
		LLVMSetLinkage(literal, LLVMInternalLinkage);
		arguments[0] = literal;
		result = LLVMBuildCall2(reader->builder, LLVMGlobalGetValueType(function), function, arguments,
					count, "");
		spirv_mark_call(reader, result);
	} else {
		spirv_no_memory(reader);
	}
	bytes_finish(&string);
	return result;
}

/* A bool: whether the format points to a string. */
static LLVMValueRef is_text(struct spirv_reader *reader, LLVMValueRef format, struct text text)
{
	LLVMTypeRef word = spirv_int(reader, 64);
	LLVMValueRef start = LLVMBuildPtrToInt(reader->builder, reader->made[text.variable], word, "");
	LLVMValueRef place = LLVMBuildAdd(reader->builder, start, spirv_number(reader, 64, text.from), "");
	LLVMValueRef given = LLVMBuildPtrToInt(reader->builder, format, word, "");
	return LLVMBuildICmp(reader->builder, LLVMIntEQ, given, place, "");
}

/* Builds a call for each string, of which comparisons of the format's pointer select one.  The last string needs no
 * comparison.  NULL: no memory. */
static LLVMValueRef choose(struct spirv_reader *reader, LLVMValueRef format, const struct texts *texts,
			   LLVMValueRef *arguments, unsigned count)
{
	LLVMValueRef results[MOST_TEXTS];
	LLVMBasicBlockRef from[MOST_TEXTS], end = texts->count > 1 ? spirv_block_behind(reader) : NULL;
	for (size_t i = 0; i < texts->count; i++) {
		LLVMBasicBlockRef other = NULL;
		if (i + 1 < texts->count) {
			other = spirv_block_behind(reader);
			LLVMBasicBlockRef own = spirv_block_behind(reader);
			LLVMBuildCondBr(reader->builder, is_text(reader, format, texts->text[i]), own, other);
			LLVMPositionBuilderAtEnd(reader->builder, own);
		}
		results[i] = call(reader, texts->text[i], arguments, count);
		from[i] = LLVMGetInsertBlock(reader->builder);
		if (!results[i] || !end)
			return results[i];
		LLVMBuildBr(reader->builder, end);
		if (other)
			LLVMPositionBuilderAtEnd(reader->builder, other);
	}
	LLVMPositionBuilderAtEnd(reader->builder, end);
	LLVMValueRef result = LLVMBuildPhi(reader->builder, spirv_int(reader, 32), "");
	LLVMAddIncoming(result, results, from, (unsigned)texts->count);
	return result;
}

bool spirv_build_printf(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct texts texts = {.count = 0, .visits = 0};
	if (op->count <= FORMAT)
		return spirv_fail(reader, "printf without a format");
	LLVMValueRef format = spirv_pointer(reader, op->words[FORMAT]);
	if (!format)
		return false;
	if (!find_texts(reader, op->words[FORMAT], &texts))
		return spirv_fail(reader, "the format of printf is no constant string");
	for (size_t i = 0; i < texts.count; i++)
		if (!reader->made[texts.text[i].variable])
			return spirv_fail(reader, "the format of printf is no constant string");
	const unsigned count = op->count - FORMAT;
	LLVMValueRef *arguments = calloc(count + 1, sizeof(LLVMValueRef));
	bool good = arguments ? true : spirv_no_memory(reader);
	for (unsigned i = 1; good && i < count; i++) {
		arguments[i] = promote(reader, op->words[FORMAT + i]);
		good = arguments[i] != NULL;
	}
	if (good)
		good = spirv_define(reader, op, choose(reader, format, &texts, arguments, count));
	free(arguments);
	return good;
}
