#include "config.h"

#include "frontend/element_address.h"

#include <string.h>

enum {
	DEPTH_MAX = 8,          /* how many instructions deep values are looked at */
	INCOMING_MAX = 4,       /* of how many values a merge may be one that is looked at */
	CALLS_MAX = 3,          /* how many calls deep parameters are looked at, */
	USES_MAX = 16,          /* and how many uses of their functions */
	WARP_SIZE = 32
};

/* An address while it is taken apart.  Each merge of two values that is met takes the next bit of choices. */
struct sum {
	struct element_address *address;
	unsigned choices, merges;
	bool too_many;
};

static bool is_integer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
}

/* The low 32 bits of the results of such casts are those of the operand. */
static bool keeps_word(LLVMValueRef cast)
{
	const LLVMOpcode opcode = LLVMGetInstructionOpcode(cast);
	if (opcode != LLVMSExt && opcode != LLVMZExt && opcode != LLVMTrunc)
		return false;
	LLVMValueRef operand = LLVMGetOperand(cast, 0);
	return is_integer(operand) && is_integer(cast) && LLVMGetIntTypeWidth(LLVMTypeOf(operand)) >= 32 &&
	       LLVMGetIntTypeWidth(LLVMTypeOf(cast)) >= 32;
}

static const char *called_name(LLVMValueRef call)
{
	size_t length;
	LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

static bool reads_register(LLVMValueRef value)
{
	return !strncmp(called_name(value), "llvm.nvvm.read.ptx.sreg.", 24);
}

static bool is_computed(LLVMValueRef value)
{
	return LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsAGetElementPtrInst(value);
}

/* Whether two values are the same, or computed in the same way from the same ones: Clang writes "y * width + x" as
 * often as the source has it. */
static bool are_same(LLVMValueRef one, LLVMValueRef other, unsigned depth)
{
	if (one == other)
		return true;
	if (depth > DEPTH_MAX || !LLVMIsAInstruction(one) || !LLVMIsAInstruction(other) ||
	    LLVMGetInstructionOpcode(one) != LLVMGetInstructionOpcode(other) || LLVMTypeOf(one) != LLVMTypeOf(other))
		return false;
	if (reads_register(one))
		return LLVMIsACallInst(other) && LLVMGetCalledValue(one) == LLVMGetCalledValue(other);
	const int operands = LLVMGetNumOperands(one);
	if (!is_computed(one) || operands != LLVMGetNumOperands(other))
		return false;
	if (LLVMIsAGetElementPtrInst(one) &&
	    LLVMGetGEPSourceElementType(one) != LLVMGetGEPSourceElementType(other))
		return false;
	for (unsigned i = 0; i < (unsigned)operands; i++)
		if (!are_same(LLVMGetOperand(one, i), LLVMGetOperand(other, i), depth + 1))
			return false;
	return true;
}

static void add_term(struct sum *sum, LLVMValueRef value, uint32_t scale_B)
{
	struct element_address *address = sum->address;
	unsigned i = 0;
	while (i < address->count && !are_same(address->terms[i].value, value, 0))
		i++;
	if (i == ADDRESS_TERMS_MAX) {
		sum->too_many = true;
		return;
	}
	if (i == address->count)
		address->terms[address->count++] = (struct address_term){value, 0};
	address->terms[i].scale_B += scale_B;
	if (!address->terms[i].scale_B)
		address->terms[i] = address->terms[--address->count];
}

/* Whether a value depends on another, as far as it is looked at, or may do so. */
static bool depends_on(LLVMValueRef value, LLVMValueRef other, unsigned depth)
{
	if (value == other)
		return true;
	if (depth > DEPTH_MAX / 2 || !LLVMIsAInstruction(value))
		return false;
	for (unsigned i = 0; !LLVMIsAPHINode(value) && i < (unsigned)LLVMGetNumOperands(value); i++)
		if (depends_on(LLVMGetOperand(value, i), other, depth + 1))
			return true;
	if (LLVMIsAPHINode(value) && LLVMCountIncoming(value) > INCOMING_MAX)
		return true;
	for (unsigned i = 0; LLVMIsAPHINode(value) && i < LLVMCountIncoming(value); i++)
		if (depends_on(LLVMGetIncomingValue(value, i), other, depth + 1))
			return true;
	return false;
}

/* One of the two values of a select, or of a phi that is not a loop's; NULL: the value is no such merge, or there are
 * no choices left. */
static LLVMValueRef chosen(struct sum *sum, LLVMValueRef value)
{
	LLVMValueRef arms[2];
	if (LLVMIsASelectInst(value)) {
		arms[0] = LLVMGetOperand(value, 1);
		arms[1] = LLVMGetOperand(value, 2);
	} else if (LLVMIsAPHINode(value) && LLVMCountIncoming(value) == 2) {
		arms[0] = LLVMGetIncomingValue(value, 0);
		arms[1] = LLVMGetIncomingValue(value, 1);
		if (depends_on(arms[0], value, 0) || depends_on(arms[1], value, 0))
			return NULL;
	} else {
		return NULL;
	}
	if (1u << sum->merges == ADDRESS_FORMS_MAX)
		return NULL;
	return arms[sum->choices >> sum->merges++ & 1];
}

static void add_index(struct sum *sum, LLVMValueRef value, uint32_t scale_B, unsigned depth);

/* Adds an instruction that computes an index from others. false: the result is a term of its own. */
static bool add_computed(struct sum *sum, LLVMValueRef value, uint32_t scale_B, unsigned depth)
{
	LLVMValueRef one = LLVMGetOperand(value, 0);
	LLVMValueRef other = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
	const bool by_constant = other && LLVMIsAConstantInt(other);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAdd:
		add_index(sum, one, scale_B, depth + 1);
		add_index(sum, other, scale_B, depth + 1);
		return true;
	case LLVMSub:
		add_index(sum, one, scale_B, depth + 1);
		add_index(sum, other, 0u - scale_B, depth + 1);
		return true;
	case LLVMMul:
		if (by_constant)
			add_index(sum, one, scale_B * (uint32_t)LLVMConstIntGetZExtValue(other), depth + 1);
		return by_constant;
	case LLVMShl:
		if (by_constant && LLVMConstIntGetZExtValue(other) < 32)
			add_index(sum, one, scale_B << LLVMConstIntGetZExtValue(other), depth + 1);
		return by_constant && LLVMConstIntGetZExtValue(other) < 32;
	default:
		if (keeps_word(value))
			add_index(sum, one, scale_B, depth + 1);
		return keeps_word(value);
	}
}

static void add_index(struct sum *sum, LLVMValueRef value, uint32_t scale_B, unsigned depth)
{
	if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64) {
		sum->address->offset_B += scale_B * (uint32_t)LLVMConstIntGetSExtValue(value);
		return;
	}
	LLVMValueRef arm = depth <= DEPTH_MAX ? chosen(sum, value) : NULL;
	if (arm)
		add_index(sum, arm, scale_B, depth + 1);
	else if (depth > DEPTH_MAX || !LLVMIsAInstruction(value) || !is_computed(value) ||
		 !add_computed(sum, value, scale_B, depth))
		add_term(sum, value, scale_B);
}

/* Adds the indices of a pointer into arrays. false: the type has members of different types. */
static bool add_indices(struct sum *sum, LLVMTargetDataRef layout, LLVMValueRef element)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
	const unsigned operands = (unsigned)LLVMGetNumOperands(element);
	for (unsigned i = 1; i < operands; i++) {
		if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
			return false;
		type = i > 1 ? LLVMGetElementType(type) : type;
		add_index(sum, LLVMGetOperand(element, i), (uint32_t)LLVMABISizeOfType(layout, type), 0);
	}
	return true;
}

static void take_apart(struct sum *sum, LLVMTargetDataRef layout, LLVMValueRef pointer)
{
	for (;;) {
		const struct element_address before = *sum->address;
		if (LLVMIsABitCastInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer)) {
			pointer = LLVMGetOperand(pointer, 0);
		} else if (LLVMIsAGetElementPtrInst(pointer) && add_indices(sum, layout, pointer)) {
			pointer = LLVMGetOperand(pointer, 0);
		} else {
			*sum->address = before;
			sum->address->base = pointer;
			return;
		}
	}
}

unsigned fe_element_address(LLVMTargetDataRef layout, LLVMValueRef pointer,
			    struct element_address forms_out[ADDRESS_FORMS_MAX])
{
	unsigned forms = 1;
	for (unsigned choices = 0; choices < forms; choices++) {
		struct sum sum = {&forms_out[choices], choices, 0, false};
		*sum.address = (struct element_address){0};
		take_apart(&sum, layout, pointer);
		if (sum.too_many)
			return 0;
		if (1u << sum.merges > forms)
			forms = 1u << sum.merges;
	}
	return forms;
}

bool fe_element_distance(const struct element_address *one, const struct element_address *other,
			 struct element_address *difference_out)
{
	if (!are_same(one->base, other->base, 0))
		return false;
	struct sum sum = {difference_out, 0, 0, false};
	*difference_out = *other;
	difference_out->offset_B -= one->offset_B;
	for (unsigned i = 0; i < one->count; i++)
		add_term(&sum, one->terms[i].value, 0u - one->terms[i].scale_B);
	return !sum.too_many;
}

/* -- what terms are --------------------------------------------------------------------------- */

/* Whether some call of a parameter's function gives it such a value. */
static bool is_given(LLVMValueRef parameter, bool (*is_such)(LLVMValueRef, unsigned), unsigned depth)
{
	LLVMValueRef function = LLVMGetParamParent(parameter);
	unsigned number = 0, uses = 0;
	while (LLVMGetParam(function, number) != parameter)
		number++;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use && uses < USES_MAX; use = LLVMGetNextUse(use), uses++) {
		LLVMValueRef call = LLVMGetUser(use);
		if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == function &&
		    number < LLVMGetNumArgOperands(call) && is_such(LLVMGetOperand(call, number), depth + 1))
			return true;
	}
	return false;
}

static bool counts(LLVMValueRef value, unsigned depth);

static bool term_counts(LLVMValueRef value, unsigned depth)
{
	const char *name = called_name(value);
	if (LLVMIsAArgument(value))
		return is_given(value, counts, depth);
	if (!strcmp(name, "llvm.nvvm.read.ptx.sreg.tid.x") || !strcmp(name, "llvm.nvvm.read.ptx.sreg.laneid"))
		return true;
	if (!LLVMIsABinaryOperator(value) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
		return false;
	const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	return (opcode == LLVMAnd || opcode == LLVMURem || opcode == LLVMSRem) &&
	       counts(LLVMGetOperand(value, 0), depth + 1);
}

static bool counts(LLVMValueRef value, unsigned depth)
{
	struct element_address address = {0};
	struct sum sum = {&address, 0, 0, false};
	if (depth > CALLS_MAX)
		return false;
	add_index(&sum, value, 1, 0);
	for (unsigned i = 0; i < address.count; i++)
		if (address.terms[i].scale_B == 1 && term_counts(address.terms[i].value, depth))
			return true;
	return false;
}

bool fe_counts_work_items(LLVMValueRef term)
{
	return term_counts(term, 0);
}

/* Whether each turn of a loop halves or doubles a value. */
static bool is_halved(LLVMValueRef value)
{
	for (unsigned i = 0; LLVMIsAPHINode(value) && i < LLVMCountIncoming(value); i++) {
		LLVMValueRef next = LLVMGetIncomingValue(value, i);
		if (!LLVMIsABinaryOperator(next) || LLVMGetOperand(next, 0) != value)
			continue;
		const LLVMOpcode opcode = LLVMGetInstructionOpcode(next);
		if (opcode == LLVMLShr || opcode == LLVMAShr || opcode == LLVMShl || opcode == LLVMUDiv ||
		    opcode == LLVMSDiv || opcode == LLVMMul)
			return true;
	}
	return false;
}

static bool is_small(LLVMValueRef value, unsigned depth)
{
	if (LLVMIsAArgument(value))
		return depth <= CALLS_MAX && is_given(value, is_small, depth);
	return LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
	       LLVMConstIntGetZExtValue(value) < WARP_SIZE;
}

bool fe_is_step_of_exchange(LLVMValueRef term)
{
	return is_halved(term) || is_small(term, 0);
}
