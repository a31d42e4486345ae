#include "config.h"

#include "frontend/spirv_input.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a built-in variable is in OpenCL C: a function of a dimension, or of nothing, with a result of the
 * size of addresses, of 32 bits, or of four times 32 bits. */
enum form { BY_DIMENSION, SIZE, WORD, MASK };

/* From a built-in variable to a pointer into it. */
enum { MOST_STEPS = 64 };

static const struct builtin {
	uint32_t number;
	const char *function;
	enum form form;
} builtins[] = {
	{SpvBuiltInWorkDim, "get_work_dim", WORD},
	{SpvBuiltInGlobalSize, "get_global_size", BY_DIMENSION},
	{SpvBuiltInGlobalInvocationId, "get_global_id", BY_DIMENSION},
	{SpvBuiltInWorkgroupSize, "get_local_size", BY_DIMENSION},
	{SpvBuiltInEnqueuedWorkgroupSize, "get_enqueued_local_size", BY_DIMENSION},
	{SpvBuiltInLocalInvocationId, "get_local_id", BY_DIMENSION},
	{SpvBuiltInNumWorkgroups, "get_num_groups", BY_DIMENSION},
	{SpvBuiltInWorkgroupId, "get_group_id", BY_DIMENSION},
	{SpvBuiltInGlobalOffset, "get_global_offset", BY_DIMENSION},
	{SpvBuiltInGlobalLinearId, "get_global_linear_id", SIZE},
	{SpvBuiltInLocalInvocationIndex, "get_local_linear_id", SIZE},
	{SpvBuiltInSubgroupSize, "get_sub_group_size", WORD},
	{SpvBuiltInSubgroupMaxSize, "get_max_sub_group_size", WORD},
	{SpvBuiltInNumSubgroups, "get_num_sub_groups", WORD},
	{SpvBuiltInNumEnqueuedSubgroups, "get_enqueued_num_sub_groups", WORD},
	{SpvBuiltInSubgroupId, "get_sub_group_id", WORD},
	{SpvBuiltInSubgroupLocalInvocationId, "get_sub_group_local_id", WORD},
	{SpvBuiltInSubgroupEqMask, "get_sub_group_eq_mask", MASK},
	{SpvBuiltInSubgroupGeMask, "get_sub_group_ge_mask", MASK},
	{SpvBuiltInSubgroupGtMask, "get_sub_group_gt_mask", MASK},
	{SpvBuiltInSubgroupLeMask, "get_sub_group_le_mask", MASK},
	{SpvBuiltInSubgroupLtMask, "get_sub_group_lt_mask", MASK},
};

bool spirv_is_input(const struct spirv_module *module, uint32_t id)
{
	return spirv_of(module, id).op == SpvOpVariable &&
	       spirv_facts(module, id)->builtin != SPIRV_NONE;
}

/* The id that a pointer is made of, in a step that keeps it a pointer to the same variable, also where the step is
 * a constant; 0: it is made in no such step. */
static uint32_t base_of(struct spirv_instruction made)
{
	const bool is_constant = made.op == SpvOpSpecConstantOp && made.count > 3;
	const unsigned at = is_constant ? 4 : 3;
	switch (is_constant ? made.words[3] & SpvOpCodeMask : made.op) {
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain:
	case SpvOpBitcast:
	case SpvOpCopyObject:
	case SpvOpPtrCastToGeneric: return made.count > at ? made.words[at] : 0;
	default: return 0;
	}
}

bool spirv_points_to_input(const struct spirv_module *module, uint32_t id)
{
	for (unsigned steps = 0; id && steps < MOST_STEPS; steps++) {
		if (spirv_is_input(module, id))
			return true;
		id = base_of(spirv_of(module, id));
	}
	return false;
}

bool spirv_is_input_constant(const struct spirv_module *module, uint32_t id)
{
	unsigned steps = 0;
	for (; steps < MOST_STEPS && spirv_of(module, id).op == SpvOpSpecConstantOp; steps++)
		id = base_of(spirv_of(module, id));
	return steps && spirv_is_input(module, id);
}

/* --- values --------------------------------------------------------------------------------------------------- */

/* The variable's type and what it is; NULL where it is not supported, or of another type. */
static const struct spirv_type *find(struct spirv_reader *reader, uint32_t id,
				     const struct builtin **builtin_out)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	const uint32_t number = spirv_facts(reader->module, id)->builtin;
	const struct spirv_type *pointer = spirv_type(reader, made.words[1]);
	const struct spirv_type *type = pointer ? spirv_pointee(reader, pointer) : NULL;
	*builtin_out = NULL;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (builtins[i].number == number)
			*builtin_out = &builtins[i];
	if (!type || !*builtin_out || type->class != SPIRV_INT)
		return NULL;
	const enum form form = (*builtin_out)->form;
	return type->lanes == (form == BY_DIMENSION ? 3 : form == MASK ? 4 : 1) ? type : NULL;
}

static const struct spirv_type *look(struct spirv_reader *reader, uint32_t id,
				     const struct builtin **builtin_out)
{
	const uint32_t number = spirv_facts(reader->module, id)->builtin;
	const struct spirv_type *type = find(reader, id, builtin_out);
	const char *name = spirv_name(SPIRV_NAME_BUILTIN, number);
	if (!type && !*builtin_out)
		spirv_fail(reader, "the built-in variable %s (%" PRIu32 ") is not supported", name ? name : "",
			   number);
	else if (!type)
		spirv_fail(reader, "the built-in variable %s has another type than it must have", name ? name : "");
	return type;
}

static LLVMValueRef call(struct spirv_reader *reader, const struct builtin *builtin, uint32_t dimension)
{
	const struct spirv_argument argument = spirv_constant_argument(reader, 32, 'j', dimension);
	LLVMTypeRef word = spirv_int(reader, 32);
	LLVMTypeRef result = builtin->form == WORD   ? word
			     : builtin->form == MASK ? LLVMVectorType(word, 4)
						     : spirv_int(reader, 64);
	return spirv_call(reader, builtin->function, result, &argument, builtin->form == BY_DIMENSION);
}

/* One dimension, as wide as the variable's elements. */
static LLVMValueRef call_as(struct spirv_reader *reader, const struct builtin *builtin, uint32_t dimension,
			    const struct spirv_type *type)
{
	LLVMValueRef value = call(reader, builtin, dimension);
	LLVMTypeRef wanted = builtin->form == BY_DIMENSION ? type->element->value : type->value;
	return value ? LLVMBuildIntCast2(reader->builder, value, wanted, false, "") : NULL;
}

LLVMValueRef spirv_input_value(struct spirv_reader *reader, uint32_t id)
{
	const struct builtin *builtin;
	const struct spirv_type *type = look(reader, id, &builtin);
	if (!type)
		return NULL;
	if (builtin->form != BY_DIMENSION)
		return call_as(reader, builtin, 0, type);
	LLVMValueRef value = LLVMGetUndef(type->value);
	for (unsigned i = 0; i < type->lanes && value; i++) {
		LLVMValueRef part = call_as(reader, builtin, i, type);
		value = part ? LLVMBuildInsertElement(reader->builder, value, part,
						      spirv_number(reader, 32, i), "") : NULL;
	}
	return value;
}

LLVMValueRef spirv_input_element(struct spirv_reader *reader, uint32_t id, uint32_t index)
{
	const struct builtin *builtin;
	const struct spirv_type *type = look(reader, id, &builtin);
	if (!type)
		return NULL;
	if (index >= type->lanes || type->lanes == 1) {
		spirv_fail(reader, "the built-in variable has no element %" PRIu32, index);
		return NULL;
	}
	if (builtin->form == BY_DIMENSION)
		return call_as(reader, builtin, index, type);
	LLVMValueRef value = spirv_input_value(reader, id);
	return value ? LLVMBuildExtractElement(reader->builder, value, spirv_number(reader, 32, index), "")
		     : NULL;
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

struct spirv_input {
	struct spirv_input *next;
	uint32_t id;                /* of a variable with a private one in its place; 0: none */
	LLVMValueRef value;         /* that was loaded as a whole; NULL: none */
};

static bool note(struct spirv_reader *reader, uint32_t id, LLVMValueRef value)
{
	struct spirv_input *input = malloc(sizeof(*input));
	if (!input)
		return spirv_no_memory(reader);
	*input = (struct spirv_input){reader->body->inputs, id, value};
	reader->body->inputs = input;
	return true;
}

bool spirv_input_note(struct spirv_reader *reader, LLVMValueRef value)
{
	return note(reader, 0, value);
}

/* The private variable in the place of a built-in one. */
static bool make_private(struct spirv_reader *reader, uint32_t id)
{
	LLVMBasicBlockRef block = spirv_at_entry(reader);
	LLVMValueRef value = spirv_input_value(reader, id);
	const struct spirv_type *type = value ? spirv_pointee(reader, spirv_type_of(reader, id)) : NULL;
	bool good = type != NULL;
	if (good) {
		LLVMValueRef variable = spirv_alloca(reader, type->memory, type->align_B);
		reader->made[id] = variable;
		reader->homes[id] = 0;
		good = spirv_store(reader, type, value, variable, 0, false) && note(reader, id, NULL);
	}
	spirv_back(reader, block);
	return good;
}

/* A constant address in a built-in variable, and those that it is made of, from the variable on. */
static bool make_constant(struct spirv_reader *reader, uint32_t id)
{
	uint32_t steps[MOST_STEPS];
	unsigned count = 0;
	const struct spirv_instruction now = reader->now;
	for (; !reader->made[id] && !spirv_is_input(reader->module, id); id = base_of(spirv_of(reader->module, id)))
		steps[count++] = id;
	bool good = reader->made[id] || make_private(reader, id);
	while (good && count) {
		LLVMBasicBlockRef block = spirv_at_entry(reader);
		const uint32_t made = steps[--count];
		good = spirv_operation_build(reader, spirv_of(reader->module, made)) && note(reader, made, NULL);
		reader->homes[made] = 0;
		spirv_back(reader, block);
	}
	reader->now = now;
	return good;
}

static bool make_word(struct spirv_reader *reader, struct spirv_instruction i, unsigned k)
{
	const struct builtin *builtin;
	const uint32_t id = i.words[k];
	if (spirv_is_input_constant(reader->module, id))
		return reader->made[id] || make_constant(reader, id);
	if (!spirv_is_input(reader->module, id) || reader->made[id] || (i.op == SpvOpLoad && k == 3) ||
	    !find(reader, id, &builtin))
		return true;
	return make_private(reader, id);
}

/* A word that is a number and no id may be mistaken for one: then the variable is made for nothing. */
bool spirv_inputs_begin(struct spirv_reader *reader, size_t at, size_t end)
{
	for (; at < end; at += spirv_at(reader->module, at).count) {
		const struct spirv_instruction i = spirv_at(reader->module, at);
		reader->now = i;
		for (unsigned k = 1; k < i.count; k++)
			if (!make_word(reader, i, k))
				return false;
	}
	return true;
}

/* Of a vector that was put together of calls. */
static void erase_unused(LLVMValueRef value)
{
	while (value && LLVMIsAInstruction(value) && !LLVMGetFirstUse(value)) {
		LLVMValueRef before = NULL, part = NULL;
		if (LLVMIsAInsertElementInst(value)) {
			before = LLVMGetOperand(value, 0);
			part = LLVMGetOperand(value, 1);
		} else if (LLVMIsACastInst(value)) {
			before = LLVMGetOperand(value, 0);
		}
		LLVMInstructionEraseFromParent(value);
		if (part)
			erase_unused(part);
		value = before;
	}
}

void spirv_inputs_end(struct spirv_reader *reader)
{
	for (struct spirv_input *next, *input = reader->body->inputs; input; input = next) {
		next = input->next;
		if (input->id)
			reader->made[input->id] = NULL;
		else
			erase_unused(input->value);
		free(input);
	}
	reader->body->inputs = NULL;
}
