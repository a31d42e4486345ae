#include "config.h"

#include "frontend/spirv/function.h"

#include "frontend/spirv/flow.h"
#include "frontend/spirv/global.h"
#include "frontend/spirv/metadata.h"
#include "frontend/module.h"
#include "frontend/symbol.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Calling convention of kernels in LLVM (llvm::CallingConv::SPIR_KERNEL). */
enum { KERNEL_CONVENTION = 76 };

/* --- entry points and modes ---------------------------------------------------------------------------------- */

/* Reads OpEntryPoint into the reader's entries, which have room for it. */
static bool add_entry(struct spirv_reader *reader, struct spirv_instruction i)
{
	const char *name = spirv_string(i, 3);
	if (!name)
		return spirv_fail(reader, "the name does not end");
	if (i.words[1] != SpvExecutionModelKernel)
		return spirv_fail(reader, "%s is no kernel; modules for graphics are not supported", name);
	reader->entries[reader->entry_count++] = (struct spirv_entry){.function = i.words[2], .name = name};
	return true;
}

static bool take_sizes(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_size *size)
{
	if (i.count != 6)
		return spirv_fail(reader, "%u words, and not 6", i.count);
	size->is_given = true;
	size->by_id = i.op == SpvOpExecutionModeId;
	memcpy(size->size, i.words + 3, sizeof(size->size));
	return true;
}

/* Whether a mode has no effect: promises about launches (SPV_INTEL_kernel_attributes), and floating-point behaviour
 * that is always as the mode asks. */
static bool is_ignored(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeMaxWorkgroupSizeINTEL:
	case SpvExecutionModeMaxWorkDimINTEL:
	case SpvExecutionModeNoGlobalOffsetINTEL:
	case SpvExecutionModeDenormPreserve:
	case SpvExecutionModeSignedZeroInfNanPreserve:
	case SpvExecutionModeRoundingModeRTE:
	case SpvExecutionModeContractionOff: return true;
	default: return false;
	}
}

static bool take_mode(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_entry *entry)
{
	const char *name = spirv_name(SPIRV_NAME_MODE, i.words[2]);
	switch (i.words[2]) {
	case SpvExecutionModeLocalSize:
	case SpvExecutionModeLocalSizeId: return take_sizes(reader, i, &entry->local_size);
	case SpvExecutionModeLocalSizeHint:
	case SpvExecutionModeLocalSizeHintId: return take_sizes(reader, i, &entry->local_size_hint);
	case SpvExecutionModeSubgroupSize: entry->sub_group_size = i.count > 3 ? i.words[3] : 0; return true;
	case SpvExecutionModeRoundingModeRTZ:
		entry->toward_zero |= i.count > 3 ? i.words[3] & (16 | 32 | 64) : 0;
		return true;
	case SpvExecutionModeVecTypeHint:
		entry->has_vector_hint = i.count > 3;
		entry->vector_hint = i.count > 3 ? i.words[3] : 0;
		return true;
	default: break;
	}
	if (i.words[2] == SpvExecutionModeContractionOff)
		reader->contracts = false;
	return is_ignored(i.words[2]) ||
	       spirv_fail(reader, "the execution mode %s (%" PRIu32 ") is not supported", name ? name : "",
			  i.words[2]);
}

/* Reads OpExecutionMode and OpExecutionModeId.  If several kernels have the same function, each gets the mode. */
static bool add_mode(struct spirv_reader *reader, struct spirv_instruction i)
{
	bool is_known = false, good = true;
	for (size_t k = 0; good && i.count > 2 && k < reader->entry_count; k++) {
		if (reader->entries[k].function != i.words[1])
			continue;
		is_known = true;
		good = take_mode(reader, i, &reader->entries[k]);
	}
	return good && (is_known || spirv_fail(reader, "the id is no entry point"));
}

static int by_name(const void *a_, const void *b_)
{
	const struct spirv_entry *const *a = a_, *const *b = b_;
	return strcmp((*a)->name, (*b)->name);
}

/* Sets the rounding mode, which all kernels of a module must have, as they may call the same functions.  False with a
 * message. */
static bool set_rounding(struct spirv_reader *reader)
{
	reader->toward_zero = reader->entry_count ? reader->entries[0].toward_zero : 0;
	for (size_t i = 1; i < reader->entry_count; i++)
		if (reader->entries[i].toward_zero != reader->toward_zero)
			return spirv_fail(reader, "kernels of one module with and without RoundingModeRTZ are not "
					  "supported");
	return true;
}

/* Checks that kernels have different names (SPIR-V 1.6, 2.16.1).  False with a message. */
static bool check_entries(struct spirv_reader *reader)
{
	const struct spirv_entry **sorted = calloc(reader->entry_count + 1, sizeof(*sorted));
	bool good = sorted ? true : spirv_no_memory(reader);
	reader->now = (struct spirv_instruction){reader->module->words, SpvOpEntryPoint, 1};
	for (size_t i = 0; good && i < reader->entry_count; i++)
		sorted[i] = &reader->entries[i];
	if (good)
		qsort(sorted, reader->entry_count, sizeof(*sorted), by_name);
	for (size_t i = 1; good && i < reader->entry_count; i++)
		if (!by_name(&sorted[i - 1], &sorted[i]))
			good = spirv_fail(reader, "two kernels have the name '%s'", sorted[i]->name);
	free(sorted);
	return good;
}

/* --- finding functions --------------------------------------------------------------------------------------- */

/* The function with an id; NULL: the id is none. */
static struct spirv_function *function_of(const struct spirv_reader *reader, uint32_t id)
{
	const uint32_t number = spirv_of(reader->module, id).op == SpvOpFunction ? reader->homes[id] : 0;
	return number ? &reader->functions[number - 1] : NULL;
}

/* Allocates the lists of entry points and functions, for as many as the module has. */
static bool make_lists(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	size_t entries = 1, functions = 1;
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count) {
		const unsigned op = spirv_at(module, at).op;
		entries += op == SpvOpEntryPoint;
		functions += op == SpvOpFunction;
	}
	reader->entries = calloc(entries, sizeof(*reader->entries));
	reader->functions = calloc(functions, sizeof(*reader->functions));
	return (reader->entries && reader->functions) || spirv_no_memory(reader);
}

/* Adds the function that begins at word *at_inout, which moves to its OpFunctionEnd; false with a message. */
static bool add_function(struct spirv_reader *reader, size_t *at_inout)
{
	const struct spirv_module *module = reader->module;
	struct spirv_function *function = &reader->functions[reader->function_count];
	size_t at = *at_inout;
	reader->now = spirv_at(module, at);
	if (reader->now.count != 5)
		return spirv_fail(reader, "%u words, and not 5", reader->now.count);
	*function = (struct spirv_function){.id = module->words[at + 2], .at = at, .line = reader->line};
	for (at += 5; at < module->word_count; at += spirv_at(module, at).count) {
		const unsigned op = spirv_at(module, at).op;
		if (!function->line.line)
			(void)spirv_debug_read(reader, spirv_at(module, at), &function->line);
		function->has_body |= op == SpvOpLabel;
		if (op == SpvOpFunction)
			return spirv_fail(reader, "another function begins before this one ends");
		if (op != SpvOpFunctionEnd)
			continue;
		function->end = at + spirv_at(module, at).count;
		reader->homes[function->id] = (uint32_t)++reader->function_count;
		*at_inout = at;
		return true;
	}
	return spirv_fail(reader, "the function does not end");
}

/* Notes that the function which an OpFunctionCall calls is wanted. */
static void note_call(struct spirv_reader *reader, struct spirv_instruction i)
{
	struct spirv_function *called = i.count > 3 ? function_of(reader, i.words[3]) : NULL;
	if (called)
		called->is_wanted = true;
}

/* Finds out which functions are wanted besides kernels. */
static void note_entries(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	for (size_t i = 0; i < reader->function_count; i++)
		reader->functions[i].is_wanted = true;
	for (size_t i = 0; i < reader->entry_count; i++) {
		struct spirv_function *function = function_of(reader, reader->entries[i].function);
		if (function)
			function->is_wanted = spirv_facts(module, function->id)->linkage != SPIRV_INTERNAL;
	}
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count)
		if (spirv_at(module, at).op == SpvOpFunctionCall)
			note_call(reader, spirv_at(module, at));
}

bool spirv_functions_find(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	bool good = make_lists(reader);
	for (size_t at = SPIRV_HEADER_WORDS; good && at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		reader->now = i;
		(void)spirv_debug_read(reader, i, &reader->line);
		if (i.op == SpvOpEntryPoint)
			good = add_entry(reader, i);
		else if (i.op == SpvOpFunction)
			good = add_function(reader, &at);
	}
	for (size_t at = SPIRV_HEADER_WORDS; good && at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		reader->now = i;
		if (i.op == SpvOpExecutionMode || i.op == SpvOpExecutionModeId)
			good = add_mode(reader, i);
	}
	reader->line = (struct spirv_line){0};
	if (good)
		note_entries(reader);
	return good && check_entries(reader) && set_rounding(reader);
}

void spirv_functions_finish(struct spirv_reader *reader)
{
	free(reader->entries);
	free(reader->functions);
	reader->entries = NULL;
	reader->functions = NULL;
}

/* --- parameters ---------------------------------------------------------------------------------------------- */

/* Sets the type and the alignment of a parameter that is passed as a copy; false with a message. */
static bool find_carried(struct spirv_reader *reader, struct spirv_parameter *parameter)
{
	const struct spirv_type *type = parameter->type;
	parameter->passing = SPIRV_AGGREGATE;
	if (!spirv_is_aggregate(type)) {
		parameter->passing = SPIRV_BY_VALUE;
		type = spirv_pointee(reader, type);
	}
	if (!type)
		return false;
	if (!type->memory)
		return spirv_fail(reader, "the parameter %" PRIu32 " points to nothing that can be copied",
				  parameter->id);
	if (type->size_B > UINT32_MAX)
		return spirv_fail(reader,
				  "the parameter %" PRIu32 " of %" PRIu64 " bytes is too large to be passed by value",
				  parameter->id, type->size_B);
	parameter->carried = type->memory;
	return spirv_alignment(reader, parameter->id, type->align_B, &parameter->align_B);
}

static bool find_parameter(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_parameter *parameter)
{
	if (i.count != 3)
		return spirv_fail(reader, "%u words, and not 3", i.count);
	*parameter = (struct spirv_parameter){.id = i.words[2], .type = spirv_type(reader, i.words[1])};
	const struct spirv_type *type = parameter->type;
	const bool by_value = type && type->class == SPIRV_POINTER &&
			      type->value == spirv_ptr(reader, SPIRV_PRIVATE) &&
			      spirv_facts(reader->module, parameter->id)->by_value;
	if (!type)
		return false;
	return (!by_value && !spirv_is_aggregate(type)) || find_carried(reader, parameter);
}

/* The parameters of a function, which the caller frees; NULL with a message. */
static struct spirv_parameter *find_parameters(struct spirv_reader *reader, const struct spirv_function *function)
{
	const struct spirv_module *module = reader->module;
	const unsigned count = function->type->part_count;
	struct spirv_parameter *parameters = calloc((size_t)count + 1, sizeof(*parameters));
	unsigned found = 0;
	bool good = parameters ? true : spirv_no_memory(reader);
	for (size_t at = function->at; good && at < function->end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		if (i.op == SpvOpLabel)
			break;
		if (i.op != SpvOpFunctionParameter)
			continue;
		reader->now = i;
		good = found < count ? find_parameter(reader, i, &parameters[found])
				     : spirv_fail(reader, "the function's type has fewer parameters");
		if (good && parameters[found].type != function->type->parts[found])
			good = spirv_fail(reader, "the function's type has another parameter in this place");
		found++;
	}
	if (good && found < count)
		good = spirv_fail(reader, "the function's type has more parameters");
	if (good)
		return parameters;
	free(parameters);
	return NULL;
}

static LLVMTypeRef passed_type(const struct spirv_reader *reader, const struct spirv_parameter *parameter)
{
	return parameter->passing == SPIRV_DIRECT ? parameter->type->value : spirv_ptr(reader, SPIRV_PRIVATE);
}

static void add_attribute(LLVMValueRef function_or_call, unsigned index, LLVMAttributeRef attribute)
{
	if (LLVMIsACallInst(function_or_call))
		LLVMAddCallSiteAttribute(function_or_call, index, attribute);
	else
		LLVMAddAttributeAtIndex(function_or_call, index, attribute);
}

/* Whether values of a type are extended to 32 bits when they are passed.  Integers have no sign in SPIR-V, and are
 * extended as unsigned ones. */
static bool is_narrow(const struct spirv_type *type)
{
	return type->lanes == 1 && (type->class == SPIRV_BOOL || (type->class == SPIRV_INT && type->bits < 32));
}

/* Adds the attributes of a parameter to an LLVM function or call; index counts from 1. */
static void mark_parameter(struct spirv_reader *reader, LLVMValueRef function_or_call, unsigned index,
			  const struct spirv_parameter *parameter)
{
	const unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	const unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
	if (parameter->passing == SPIRV_DIRECT) {
		if (is_narrow(parameter->type))
			spirv_mark_extended(reader, function_or_call, index, "zeroext");
		return;
	}
	add_attribute(function_or_call, index,
		      LLVMCreateTypeAttribute(reader->context, byval, parameter->carried));
	add_attribute(function_or_call, index,
		      LLVMCreateEnumAttribute(reader->context, align, parameter->align_B));
}

/* --- declarations -------------------------------------------------------------------------------------------- */

/* Makes the LLVM function of a function; NULL: no memory. */
static LLVMValueRef make_function(struct spirv_reader *reader, const struct spirv_function *function,
				  const struct spirv_parameter *parameters, const char *name)
{
	const struct spirv_type *returned = function->type->returned;
	const unsigned count = function->type->part_count;
	LLVMTypeRef *types = calloc((size_t)count + 1, sizeof(LLVMTypeRef));
	if (!types)
		return spirv_no_memory(reader), NULL;
	for (unsigned i = 0; i < count; i++)
		types[i] = passed_type(reader, &parameters[i]);
	LLVMTypeRef result = spirv_is_aggregate(returned) ? returned->memory : returned->value;
	LLVMValueRef made = LLVMAddFunction(reader->llvm, name, LLVMFunctionType(result, types, count, false));
	free(types);
	spirv_mark_function(reader, made);
	if (is_narrow(returned))
		spirv_mark_extended(reader, made, LLVMAttributeReturnIndex, "zeroext");
	for (unsigned i = 0; i < count; i++) {
		mark_parameter(reader, made, i + 1, &parameters[i]);
		if (spirv_facts(reader->module, parameters[i].id)->no_alias &&
		    parameters[i].type->class == SPIRV_POINTER && parameters[i].passing == SPIRV_DIRECT)
			spirv_mark_extended(reader, made, i + 1, "noalias");
	}
	return made;
}

/* Adds the attributes of a function with a body: one for the passes that look for SPIR-V, and those that Clang adds if
 * it does not optimize. */
static void mark_body(struct spirv_reader *reader, LLVMValueRef made)
{
	static const char name[] = FE_ATTRIBUTE_IL;
	const unsigned whole = (unsigned)LLVMAttributeFunctionIndex;
	add_attribute(made, whole, LLVMCreateStringAttribute(reader->context, name, sizeof(name) - 1, "", 0));
	if (reader->codegen->optimization)
		return;
	spirv_mark_extended(reader, made, whole, "noinline");
	spirv_mark_extended(reader, made, whole, "optnone");
}

static bool set_linkage(struct spirv_reader *reader, const struct spirv_function *function)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, function->id);
	if (facts->linkage == SPIRV_IMPORT && function->has_body)
		return spirv_fail(reader, "the function is imported, and has a body");
	if (!function->has_body && facts->linkage != SPIRV_IMPORT)
		return spirv_fail(reader, "the function has no body, and is not imported");
	if (facts->linkage == SPIRV_INTERNAL)
		LLVMSetLinkage(function->value, LLVMInternalLinkage);
	else if (facts->linkage == SPIRV_ONCE)
		LLVMSetLinkage(function->value, LLVMWeakODRLinkage);
	return true;
}

static bool declare(struct spirv_reader *reader, struct spirv_function *function)
{
	const struct spirv_instruction made = spirv_at(reader->module, function->at);
	reader->now = made;
	reader->function = function->id;
	function->type = spirv_type(reader, made.words[4]);
	if (!function->type)
		return false;
	if (function->type->class != SPIRV_FUNCTION || function->type->returned->id != made.words[1])
		return spirv_fail(reader, "the function's type is another one");
	if (!function->is_wanted)
		return true;
	struct spirv_parameter *parameters = find_parameters(reader, function);
	if (!parameters)
		return false;
	function->value = make_function(reader, function, parameters, "");
	free(parameters);
	reader->now = made;
	if (!function->value || !set_linkage(reader, function))
		return false;
	if (function->has_body)
		mark_body(reader, function->value);
	if (made.words[3] & SpvFunctionControlDontInlineMask)
		spirv_mark_extended(reader, function->value, (unsigned)LLVMAttributeFunctionIndex, "noinline");
	return spirv_name_value(reader, function->value, function->id);
}

/* --- bodies -------------------------------------------------------------------------------------------------- */

static void name_parameter(struct spirv_reader *reader, LLVMValueRef parameter, uint32_t id)
{
	enum { MOST_NAME_B = 256 };
	const char *name = spirv_facts(reader->module, id)->name;
	if (name && strnlen(name, MOST_NAME_B) < MOST_NAME_B)
		LLVMSetValueName2(parameter, name, strlen(name));
}

/* Forgets the values of a function, which are not visible in others. */
static void forget_values(struct spirv_reader *reader, const struct spirv_function *function)
{
	const struct spirv_module *module = reader->module;
	size_t at = function->at + spirv_at(module, function->at).count;
	for (; at < function->end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		bool has_result = false, has_type = false;
		spirv_has_result(i.op, &has_result, &has_type);
		if (!has_result)
			continue;
		reader->made[i.words[has_type ? 2 : 1]] = NULL;
		reader->homes[i.words[has_type ? 2 : 1]] = 0;
	}
}

/* Builds the body of an LLVM function; false with a message. */
static bool build_body(struct spirv_reader *reader, const struct spirv_function *function,
		       const struct spirv_parameter *parameters, LLVMValueRef made, const char *name)
{
	struct spirv_body body = {.function = made, .block = 1};
	static const uint32_t whole[] = {0, 0};
	body.enter = body.leave = whole;
	body.entry = LLVMAppendBasicBlockInContext(reader->context, made, "");
	reader->body = &body;
	LLVMPositionBuilderAtEnd(reader->builder, body.entry);
	spirv_debug_function(reader, function->line, name, made);
	for (unsigned i = 0; i < function->type->part_count; i++) {
		LLVMValueRef parameter = LLVMGetParam(made, i);
		name_parameter(reader, parameter, parameters[i].id);
		reader->made[parameters[i].id] = parameter;
		reader->homes[parameters[i].id] = 1;
	}
	const bool good = spirv_inputs_begin(reader, function->at, function->end) &&
			  spirv_flow_build(reader, function->at, function->end, function->type->returned);
	spirv_inputs_end(reader);
	reader->body = NULL;
	forget_values(reader, function);
	return good;
}

static bool build_function(struct spirv_reader *reader, const struct spirv_function *function)
{
	reader->function = function->id;
	reader->now = spirv_at(reader->module, function->at);
	struct spirv_parameter *parameters = find_parameters(reader, function);
	const char *name = spirv_facts(reader->module, function->id)->name;
	const bool good = parameters &&
			  build_body(reader, function, parameters, function->value, name ? name : "");
	free(parameters);
	return good;
}

static bool build_kernel(struct spirv_reader *reader, const struct spirv_entry *entry)
{
	const struct spirv_function *function = function_of(reader, entry->function);
	struct bytes symbol = BYTES_INIT;
	reader->function = entry->function;
	if (!function || !function->has_body)
		return spirv_fail(reader, "the kernel %s has no body", entry->name);
	reader->now = spirv_at(reader->module, function->at);
	if (function->type->returned->class != SPIRV_VOID)
		return spirv_fail(reader, "a kernel returns nothing");
	for (unsigned i = 0; i < function->type->part_count; i++)
		if (function->type->parts[i]->holds_matrix)
			return spirv_fail(
				reader,
				"no argument of a kernel is a cooperative matrix; pass a pointer to its elements");
	struct spirv_parameter *parameters = find_parameters(reader, function);
	if (!parameters)
		return false;
	bytes_append_string(&symbol, SYMBOL_KERNEL);
	bytes_append_string(&symbol, entry->name);
	LLVMValueRef kernel = make_function(reader, function, parameters, bytes_string(&symbol));
	bool good = kernel && (!bytes_failed(&symbol) || spirv_no_memory(reader));
	bytes_finish(&symbol);
	if (good) {
		LLVMSetFunctionCallConv(kernel, KERNEL_CONVENTION);
		mark_body(reader, kernel);
		good = spirv_kernel_describe(reader, entry, parameters, function->type->part_count, kernel) &&
		       build_body(reader, function, parameters, kernel, entry->name);
	}
	free(parameters);
	return good;
}

bool spirv_functions_build(struct spirv_reader *reader)
{
	bool good = true;
	for (size_t i = 0; good && i < reader->function_count; i++)
		good = declare(reader, &reader->functions[i]);
	for (size_t i = 0; good && i < reader->function_count; i++)
		if (reader->functions[i].value && reader->functions[i].has_body)
			good = build_function(reader, &reader->functions[i]);
	for (size_t i = 0; good && i < reader->entry_count; i++)
		good = build_kernel(reader, &reader->entries[i]);
	reader->function = 0;
	return good;
}

/* --- calls --------------------------------------------------------------------------------------------------- */

/* The arguments of a call, in the form in which they are passed; false with a message. */
static bool find_arguments(struct spirv_reader *reader, const struct spirv_op *op,
			   const struct spirv_parameter *parameters, LLVMValueRef *arguments, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		arguments[i] = spirv_value_as(reader, op->words[i + 4], parameters[i].type);
		if (arguments[i] && parameters[i].passing == SPIRV_AGGREGATE)
			arguments[i] = spirv_private(reader, parameters[i].type, arguments[i]);
		if (!arguments[i])
			return false;
	}
	return true;
}

static bool define_result(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef call)
{
	if (op->type->class == SPIRV_VOID)
		return true;
	if (is_narrow(op->type))
		spirv_mark_extended(reader, call, LLVMAttributeReturnIndex, "zeroext");
	if (!spirv_is_aggregate(op->type))
		return spirv_define(reader, op, spirv_fast(reader, op->result, call));
	LLVMValueRef memory = spirv_alloca(reader, op->type->memory, op->type->align_B);
	LLVMSetAlignment(LLVMBuildStore(reader->builder, call, memory), op->type->align_B);
	return spirv_define(reader, op, memory);
}

static bool build_call_with(struct spirv_reader *reader, const struct spirv_op *op,
			    const struct spirv_function *called, const struct spirv_parameter *parameters,
			    LLVMValueRef *arguments)
{
	const unsigned count = called->type->part_count;
	if (!find_arguments(reader, op, parameters, arguments, count))
		return false;
	LLVMValueRef call = LLVMBuildCall2(reader->builder, LLVMGlobalGetValueType(called->value),
					   called->value, arguments, count, "");
	spirv_mark_call(reader, call);
	for (unsigned i = 0; i < count; i++)
		mark_parameter(reader, call, i + 1, &parameters[i]);
	return define_result(reader, op, call);
}

static bool build_call(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_function *called = function_of(reader, op->words[3]);
	if (!called || !called->value)
		return spirv_fail(reader, "the id %" PRIu32 " is no function", op->words[3]);
	if (op->count - 4 != called->type->part_count || op->type != called->type->returned)
		return spirv_fail(reader, "the function has other parameters, or another result");
	const struct spirv_instruction now = reader->now;
	struct spirv_parameter *parameters = find_parameters(reader, called);
	reader->now = now;
	LLVMValueRef *arguments = calloc((size_t)op->count, sizeof(LLVMValueRef));
	const bool good = parameters && (arguments || spirv_no_memory(reader)) &&
			  build_call_with(reader, op, called, parameters, arguments);
	free(arguments);
	free(parameters);
	return good;
}

const struct spirv_row spirv_call_rows[] = {
	{SpvOpFunctionCall, 4, 0, 0, build_call},
	{0, 0, 0, 0, NULL},
};
