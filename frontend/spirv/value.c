#include "config.h"

#include "frontend/spirv/value.h"

#include "frontend/llvm_compat.h"
#include "frontend/module.h"
#include "frontend/symbol.h"

#include <inttypes.h>
#include <string.h>

/* --- errors -------------------------------------------------------------------------------------------------- */

/* Appends the source line: " (file.cl:12)". */
static void put_line(struct spirv_reader *reader)
{
	const struct spirv_instruction file = spirv_of(reader->module, reader->line.file);
	const char *name = file.op == SpvOpString ? spirv_string(file, 2) : NULL;
	bytes_printf(reader->log, " (%.200s:%" PRIu32 ")", name ? name : "line", reader->line.line);
}

/* Appends the instruction and the function that are being built. */
static void put_place(struct spirv_reader *reader)
{
	const struct spirv_instruction now = reader->now;
	const char *name = spirv_facts(reader->module, reader->function)->name;
	bytes_printf(reader->log, "SPIR-V: %s", now.count ? spirv_opcode_name(now.op).text : "module");
	/* The instruction inside of an OpSpecConstantOp is a copy, which is not in the module's words. */
	if (now.count && !reader->expression_depth)
		bytes_printf(reader->log, " at word %zu", (size_t)(now.words - reader->module->words));
	if (reader->function)
		bytes_printf(reader->log, " in function %" PRIu32 "%s%.200s", reader->function,
			     name ? " " : "", name ? name : "");
	if (reader->line.line)
		put_line(reader);
	bytes_append_string(reader->log, ": ");
}

bool spirv_fail(struct spirv_reader *reader, const char *format, ...)
{
	const size_t start = reader->log->size_B;
	put_place(reader);
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(reader->log, format, arguments);
	va_end(arguments);
	if (reader->log->data)
		fe_symbol_clean(reader->log->data + start, reader->log->size_B - start);
	bytes_append_string(reader->log, "\n");
	return false;
}

bool spirv_no_memory(struct spirv_reader *reader)
{
	reader->no_memory = true;
	return false;
}

/* --- ids ----------------------------------------------------------------------------------------------------- */

static bool is_type(unsigned op)
{
	return (op >= SpvOpTypeVoid && op <= SpvOpTypePipe) || op == SpvOpTypeNamedBarrier ||
	       op == SPIRV_OP_TYPE_MATRIX;
}

static bool is_constant(unsigned op)
{
	return op == SpvOpUndef || (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp);
}

/* Builds a type or constant that is defined after its use: the LLVM/SPIR-V translator up to 15 writes the operands of
 * OpSpecConstantOp behind it.  False with a message, if that fails.  True if there is nothing to build. */
static bool make_ahead(struct spirv_reader *reader, uint32_t id)
{
	enum { DEEPEST = 64 };
	const struct spirv_instruction now = reader->now, made = spirv_of(reader->module, id);
	const unsigned depth = reader->expression_depth;
	if (reader->body || !(is_type(made.op) || is_constant(made.op)) ||
	    made.words >= reader->module->words + reader->globals_end)
		return true;
	if (reader->ahead == DEEPEST)
		return spirv_fail(reader, "the definition of the id %" PRIu32 " needs itself, or is too deep", id);
	reader->expression_depth = 0;
	reader->ahead++;
	const bool good = reader->build(reader, made);
	reader->ahead--;
	reader->expression_depth = depth;
	reader->now = now;
	return good;
}

const struct spirv_type *spirv_type(struct spirv_reader *reader, uint32_t id)
{
	const unsigned op = spirv_of(reader->module, id).op;
	if (is_type(op) && !reader->made[id] && !make_ahead(reader, id))
		return NULL;
	if (!is_type(op) || !reader->made[id]) {
		spirv_fail(reader, "the id %" PRIu32 " is not a type that stands before", id);
		return NULL;
	}
	return reader->made[id];
}

const struct spirv_type *spirv_pointee(struct spirv_reader *reader, const struct spirv_type *pointer)
{
	if (pointer->class != SPIRV_POINTER || pointer->lanes != 1) {
		spirv_fail(reader, "the type %" PRIu32 " is no pointer", pointer->id);
		return NULL;
	}
	return spirv_type(reader, pointer->pointee);
}

/* SPIR-V 1.6, 2.16.1: "each consumption of a Result <id> must appear in the scope of its definition". */
static bool is_in_scope(const struct spirv_reader *reader, uint32_t home)
{
	const struct spirv_body *body = reader->body;
	return !home || (body && body->enter[home] <= body->enter[body->block] &&
			 body->leave[body->block] <= body->leave[home]);
}

/* Makes a constant sampler in the function that is being built, as Clang does: by a call of the function that
 * kernel_image.c and lower_image.c look for. */
static LLVMValueRef make_sampler(struct spirv_reader *reader, LLVMValueRef bits)
{
	static const char name[] = "__translate_sampler_initializer";
	LLVMTypeRef word = spirv_int(reader, 32);
	LLVMTypeRef type = LLVMFunctionType(spirv_ptr(reader, SPIRV_CONSTANT), &word, 1, false);
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, name);
	if (!reader->body) {
		spirv_fail(reader, "a sampler is no part of a constant");
		return NULL;
	}
	if (!function)
		function = LLVMAddFunction(reader->llvm, name, type);
	LLVMBasicBlockRef block = spirv_at_entry(reader);
	LLVMValueRef sampler = LLVMBuildCall2(reader->builder, type, function, &bits, 1, "");
	spirv_back(reader, block);
	return sampler;
}

LLVMValueRef spirv_value(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	if (!made.count) {
		spirv_fail(reader, "nothing defines the id %" PRIu32, id);
		return NULL;
	}
	if (made.op == SpvOpVariable && !reader->made[id] &&
	    spirv_facts(reader->module, id)->builtin != SPIRV_NONE) {
		const uint32_t number = spirv_facts(reader->module, id)->builtin;
		const char *name = spirv_name(SPIRV_NAME_BUILTIN, number);
		spirv_fail(reader, "the built-in variable %s (%" PRIu32 ") is not supported here", name ? name : "",
			   number);
		return NULL;
	}
	if (!reader->made[id] && !make_ahead(reader, id))
		return NULL;
	if (is_type(made.op) || !reader->made[id]) {
		spirv_fail(reader, "the id %" PRIu32 ", of %s, is no value that is defined before", id,
			   spirv_opcode_name(made.op).text);
		return NULL;
	}
	if (!is_in_scope(reader, reader->homes[id])) {
		spirv_fail(reader, "the id %" PRIu32 " is used where its definition does not lead", id);
		return NULL;
	}
	if (reader->may_stand && !reader->may_stand(reader, id))
		return NULL;
	return made.op == SpvOpConstantSampler ? make_sampler(reader, reader->made[id]) : reader->made[id];
}

const struct spirv_type *spirv_type_of(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	bool has_result = false, has_type = false;
	spirv_has_result(made.op, &has_result, &has_type);
	if (!made.count || !has_type) {
		spirv_fail(reader, "the id %" PRIu32 " has no type", id);
		return NULL;
	}
	return spirv_type(reader, made.words[1]);
}

LLVMValueRef spirv_value_of(struct spirv_reader *reader, uint32_t id, LLVMTypeRef type)
{
	LLVMValueRef value = spirv_value(reader, id);
	if (value && LLVMTypeOf(value) != type) {
		spirv_fail(reader, "the operand %" PRIu32 " has another type than the instruction needs", id);
		return NULL;
	}
	return value;
}

LLVMValueRef spirv_value_as(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type)
{
	const struct spirv_type *own = spirv_type_of(reader, id);
	LLVMValueRef value = own ? spirv_value(reader, id) : NULL;
	if (!value)
		return NULL;
	if (own->value == type->value && own->memory == type->memory && spirv_matrix_is_alike(own, type) &&
	    (spirv_is_aggregate(type) || LLVMTypeOf(value) == type->value))
		return value;
	spirv_fail(reader, "the operand %" PRIu32 " has another type than belongs there", id);
	return NULL;
}

LLVMValueRef spirv_pointer(struct spirv_reader *reader, uint32_t id)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	/* Clang casts reservations and events to pointers and back. */
	if (value && type->class != SPIRV_POINTER && type->class != SPIRV_RESERVATION &&
	    type->class != SPIRV_EVENT) {
		spirv_fail(reader, "the operand %" PRIu32 " is no pointer", id);
		return NULL;
	}
	return value;
}

/* Whether a value has the LLVM type of a SPIR-V type's values.  Pointers into built-in variables are private pointers,
 * whatever their storage class is in the module (global.h). */
static bool fits(const struct spirv_type *type, LLVMValueRef value)
{
	LLVMTypeRef own = LLVMTypeOf(value);
	const bool is_pointer = LLVMGetTypeKind(own) == LLVMPointerTypeKind;
	if (spirv_is_aggregate(type))
		return is_pointer || own == type->memory;
	return own == type->value || (is_pointer && type->class == SPIRV_POINTER &&
				      LLVMGetPointerAddressSpace(own) == SPIRV_PRIVATE);
}

bool spirv_define(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef value)
{
	if (!value)
		return false;
	if (!op->type || !op->result || !fits(op->type, value))
		return spirv_fail(reader, "the result type does not fit the operands");
	reader->made[op->result] = value;
	reader->homes[op->result] = reader->body ? reader->body->block : 0;
	return true;
}

bool spirv_alignment(struct spirv_reader *reader, uint32_t id, unsigned natural_B, unsigned *align_B_out)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, id);
	uint64_t wanted_B = facts->alignment_B;
	if (facts->alignment_id) {
		LLVMValueRef value = spirv_value(reader, facts->alignment_id);
		if (!value)
			return false;
		if (!LLVMIsAConstantInt(value))
			return spirv_fail(reader, "an alignment is a constant");
		wanted_B = LLVMConstIntGetZExtValue(value);
	}
	if (wanted_B & (wanted_B - 1) || wanted_B > SPIRV_MOST_ALIGN_B)
		return spirv_fail(reader, "%" PRIu64 " is no alignment", wanted_B);
	*align_B_out = wanted_B > natural_B ? (unsigned)wanted_B : natural_B;
	return true;
}

uint32_t spirv_operand(const struct spirv_reader *reader, uint32_t id, uint32_t other)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	LLVMValueRef value = made.count && !is_type(made.op) && made.op != SpvOpLabel ? reader->made[id] : NULL;
	if (!value || !LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
		return other;
	return (uint32_t)LLVMConstIntGetZExtValue(value);
}

/* --- small types and constants ------------------------------------------------------------------------------- */

bool spirv_is_number(const struct spirv_type *type)
{
	return type->class == SPIRV_INT || type->class == SPIRV_FLOAT;
}

bool spirv_is_aggregate(const struct spirv_type *type)
{
	return type->class == SPIRV_STRUCT || type->class == SPIRV_ARRAY;
}

LLVMTypeRef spirv_int(const struct spirv_reader *reader, unsigned bits)
{
	return LLVMIntTypeInContext(reader->context, bits);
}

LLVMTypeRef spirv_ptr(const struct spirv_reader *reader, unsigned space)
{
	return LLVMPointerTypeInContext(reader->context, space);
}

LLVMTypeRef spirv_vector(LLVMTypeRef element, unsigned lanes)
{
	return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMValueRef spirv_number(const struct spirv_reader *reader, unsigned bits, uint64_t value)
{
	return LLVMConstInt(spirv_int(reader, bits), value, false);
}

LLVMValueRef spirv_splat(LLVMTypeRef type, uint64_t value)
{
	enum { MOST_LANES = 16 };
	LLVMValueRef lanes[MOST_LANES];
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMConstInt(type, value, false);
	const unsigned count = LLVMGetVectorSize(type);
	for (unsigned i = 0; i < count && i < MOST_LANES; i++)
		lanes[i] = LLVMConstInt(LLVMGetElementType(type), value, false);
	return LLVMConstVector(lanes, count);
}

/* --- fast math ----------------------------------------------------------------------------------------------- */

/* The LLVM flags of an FPFastMathMode (SPIR-V 1.6, 3.15, and SPV_INTEL_fp_fast_math_mode). */
static unsigned flags_of(uint32_t mode)
{
	unsigned flags = 0;
	if (mode & SpvFPFastMathModeNotNaNMask)
		flags |= LLVMFastMathNoNaNs;
	if (mode & SpvFPFastMathModeNotInfMask)
		flags |= LLVMFastMathNoInfs;
	if (mode & SpvFPFastMathModeNSZMask)
		flags |= LLVMFastMathNoSignedZeros;
	if (mode & SpvFPFastMathModeAllowRecipMask)
		flags |= LLVMFastMathAllowReciprocal;
	if (mode & SpvFPFastMathModeAllowContractFastINTELMask)
		flags |= LLVMFastMathAllowContract;
	if (mode & SpvFPFastMathModeAllowReassocINTELMask)
		flags |= LLVMFastMathAllowReassoc;
	if (mode & SpvFPFastMathModeFastMask)
		flags |= LLVMFastMathAll;
	return flags;
}

LLVMValueRef spirv_fast(struct spirv_reader *reader, uint32_t id, LLVMValueRef value)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, id);
	unsigned flags = reader->fast_math;
	if (!value || !LLVMIsAInstruction(value) || !LLVMCanValueUseFastMathFlags(value))
		return value;
	if (facts->fast_math != SPIRV_NONE)
		flags |= flags_of(facts->fast_math);
	/* SPIR-V 1.6, 3.6: operations may be contracted unless an entry point has the mode ContractionOff. */
	if (facts->no_contraction)
		flags &= ~(unsigned)LLVMFastMathAllowContract;
	else if (reader->contracts)
		flags |= LLVMFastMathAllowContract;
	LLVMSetFastMathFlags(value, (LLVMFastMathFlags)flags);
	return value;
}

/* --- private memory ------------------------------------------------------------------------------------------ */

/* Moves the builder behind the last variable in the entry block. */
static void stand_behind_variables(struct spirv_reader *reader)
{
	const struct spirv_body *body = reader->body;
	LLVMValueRef next = body->last_variable ? LLVMGetNextInstruction(body->last_variable)
						: LLVMGetFirstInstruction(body->entry);
	if (next)
		LLVMPositionBuilderBefore(reader->builder, next);
	else
		LLVMPositionBuilderAtEnd(reader->builder, body->entry);
}

LLVMBasicBlockRef spirv_block_behind(struct spirv_reader *reader)
{
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(reader->context, reader->body->function, "");
	LLVMMoveBasicBlockAfter(block, LLVMGetInsertBlock(reader->builder));
	return block;
}

LLVMValueRef spirv_alloca(struct spirv_reader *reader, LLVMTypeRef type, unsigned align_B)
{
	LLVMBasicBlockRef block = LLVMGetInsertBlock(reader->builder);
	stand_behind_variables(reader);
	LLVMValueRef variable = LLVMBuildAlloca(reader->builder, type, "");
	LLVMSetAlignment(variable, align_B);
	reader->body->last_variable = variable;
	LLVMPositionBuilderAtEnd(reader->builder, block);
	return variable;
}

LLVMBasicBlockRef spirv_at_entry(struct spirv_reader *reader)
{
	LLVMBasicBlockRef block = LLVMGetInsertBlock(reader->builder);
	LLVMPositionBuilderAtEnd(reader->builder, reader->body->entry);
	return block;
}

void spirv_back(struct spirv_reader *reader, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(reader->builder, block);
}

/* --- values in memory ---------------------------------------------------------------------------------------- */

LLVMValueRef spirv_to_memory(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value)
{
	if (type->class != SPIRV_BOOL)
		return value;
	return LLVMBuildZExt(reader->builder, value, type->memory, "");
}

LLVMValueRef spirv_from_memory(struct spirv_reader *reader, const struct spirv_type *type,
			       LLVMValueRef value)
{
	if (type->class != SPIRV_BOOL)
		return value;
	return LLVMBuildICmp(reader->builder, LLVMIntNE, value, LLVMConstNull(type->memory), "");
}

void spirv_copy(struct spirv_reader *reader, LLVMValueRef to, unsigned to_align_B, LLVMValueRef from,
		unsigned from_align_B, LLVMValueRef size, bool is_volatile)
{
	LLVMValueRef call = LLVMBuildMemCpy(reader->builder, to, to_align_B, from, from_align_B, size);
	if (is_volatile)
		LLVMSetOperand(call, 3, spirv_number(reader, 1, 1));
}

LLVMValueRef spirv_load(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef pointer,
			unsigned align_B, bool is_volatile)
{
	align_B = align_B ? align_B : type->align_B;
	if (spirv_is_aggregate(type)) {
		LLVMValueRef copy = spirv_alloca(reader, type->memory, type->align_B);
		spirv_copy(reader, copy, type->align_B, pointer, align_B,
			   spirv_number(reader, 64, type->size_B), is_volatile);
		return copy;
	}
	LLVMValueRef value = LLVMBuildLoad2(reader->builder, type->memory, pointer, "");
	LLVMSetAlignment(value, align_B);
	LLVMSetVolatile(value, is_volatile);
	return spirv_from_memory(reader, type, value);
}

bool spirv_store(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
		 LLVMValueRef pointer, unsigned align_B, bool is_volatile)
{
	align_B = align_B ? align_B : type->align_B;
	if (spirv_is_aggregate(type)) {
		LLVMValueRef from = spirv_memory_of(reader, type, value);
		if (!from)
			return false;
		spirv_copy(reader, pointer, align_B, from, type->align_B,
			   spirv_number(reader, 64, type->size_B), is_volatile);
		return true;
	}
	value = spirv_to_memory(reader, type, value);
	LLVMValueRef store = LLVMBuildStore(reader->builder, value, pointer);
	LLVMSetAlignment(store, align_B);
	LLVMSetVolatile(store, is_volatile);
	return true;
}

LLVMValueRef spirv_memory_of(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return value;
	LLVMValueRef constant = LLVMAddGlobalInAddressSpace(reader->llvm, type->memory,
							    "culvert.constant", SPIRV_CONSTANT);
	LLVMSetInitializer(constant, value);
	LLVMSetGlobalConstant(constant, true);
	LLVMSetLinkage(constant, LLVMInternalLinkage);
	LLVMSetAlignment(constant, type->align_B);
	return constant;
}

LLVMValueRef spirv_private(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return value;
	if (!reader->body) {
		spirv_fail(reader, "an aggregate that is no constant");
		return NULL;
	}
	LLVMValueRef copy = spirv_alloca(reader, type->memory, type->align_B);
	spirv_copy(reader, copy, type->align_B, spirv_memory_of(reader, type, value), type->align_B,
		   spirv_number(reader, 64, type->size_B), false);
	return copy;
}

/* --- attributes ---------------------------------------------------------------------------------------------- */

static LLVMAttributeRef attribute(struct spirv_reader *reader, const char *name)
{
	const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMCreateEnumAttribute(reader->context, kind, 0);
}

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

void spirv_mark_function(struct spirv_reader *reader, LLVMValueRef function)
{
	LLVMAddAttributeAtIndex(function, whole, attribute(reader, "convergent"));
	LLVMAddAttributeAtIndex(function, whole, attribute(reader, "nounwind"));
}

void spirv_mark_call(struct spirv_reader *reader, LLVMValueRef call)
{
	LLVMAddCallSiteAttribute(call, whole, attribute(reader, "convergent"));
	LLVMAddCallSiteAttribute(call, whole, attribute(reader, "nounwind"));
}

void spirv_mark_extended(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			 const char *name)
{
	if (LLVMIsACallInst(function_or_call))
		LLVMAddCallSiteAttribute(function_or_call, index, attribute(reader, name));
	else
		LLVMAddAttributeAtIndex(function_or_call, index, attribute(reader, name));
}

/* --- names --------------------------------------------------------------------------------------------------- */

/* A longer name that is not linked is dropped: only messages and debuggers show it. */
enum { MOST_NAME_B = 256 };

/* Whether a function or variable cannot have a name in LLVM's module, because LLVM, the lowering, libnvvm or the
 * builtin library use it. */
static bool is_reserved(const char *name)
{
	static const char *const starts[] = {
		"llvm.", "\1", "culvert.", "__culvert", "__nv", "__ubsan_", "__cxa_", "__assertfail",
		"__translate_sampler_initializer", "_Z6printf",
	};
	if (!*name || !strcmp(name, "printf"))
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (fe_symbol_starts(name, starts[i]))
			return true;
	return fe_builtin_symbol(name);
}

static LLVMValueRef find(const struct spirv_reader *reader, const char *symbol)
{
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, symbol);
	return function ? function : LLVMGetNamedGlobal(reader->llvm, symbol);
}

/* Whether a linked value may have a symbol.  A value with internal linkage that has it is renamed. */
static bool make_room(const struct spirv_reader *reader, const char *symbol)
{
	static const char other[] = "culvert.text";
	LLVMValueRef taken = find(reader, symbol);
	if (taken && LLVMGetLinkage(taken) != LLVMInternalLinkage)
		return false;
	if (taken)
		LLVMSetValueName2(taken, other, sizeof(other) - 1);
	return true;
}

static bool name_linked(struct spirv_reader *reader, LLVMValueRef value, const char *name)
{
	struct bytes symbol = BYTES_INIT;
	if (is_reserved(name) || !make_room(reader, name))
		bytes_append_string(&symbol, SYMBOL_LINKED);
	bytes_append_string(&symbol, name);
	const bool stored = !bytes_failed(&symbol);
	if (stored)
		LLVMSetValueName2(value, bytes_string(&symbol), symbol.size_B);
	bytes_finish(&symbol);
	return stored || spirv_no_memory(reader);
}

bool spirv_name_value(struct spirv_reader *reader, LLVMValueRef value, uint32_t id)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, id);
	if (facts->linkage != SPIRV_INTERNAL && facts->linkage_name)
		return name_linked(reader, value, facts->linkage_name);
	const char *name = facts->name ? facts->name : "";
	if (strnlen(name, MOST_NAME_B) < MOST_NAME_B && !is_reserved(name))
		LLVMSetValueName2(value, name, strlen(name));
	else
		LLVMSetValueName2(value, "culvert.text", strlen("culvert.text"));
	return true;
}
