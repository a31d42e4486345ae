#include "config.h"

#include "frontend/lower.h"

/* Remainders and quotients from which the same instruction computes the next ones: in a loop, such as `v = v % 1000003
 * + k`, in a function that is called with its own result, or by way of a private variable.  libnvvm unrolls the loop
 * and expands the calls, and so makes the chains that lower_product.c and lower_division.c look for: up to sm_90, eight
 * steps inside another loop may not be compiled in minutes.  So inline PTX moves the result. */

enum {
	PLACES_MAX = 128,
	USES_MAX = 500, /* that are looked at for one result */
	SUMS_MAX = 8
};

/* Values that depend on one, or on which one depends.  A pointer stands for the private memory behind it. */
struct flow {
	LLVMValueRef places[PLACES_MAX];
	unsigned count, uses;
};

static void flow_add(struct flow *flow, LLVMValueRef place)
{
	for (unsigned i = 0; i < flow->count; i++)
		if (flow->places[i] == place)
			return;
	if (flow->count < PLACES_MAX)
		flow->places[flow->count++] = place;
}

/* The first and the next use of a value; NULL: there is none, or enough were looked at. */
static LLVMUseRef first_use(struct flow *flow, LLVMValueRef value)
{
	return flow->uses++ < USES_MAX ? LLVMGetFirstUse(value) : NULL;
}

static LLVMUseRef next_use(struct flow *flow, LLVMUseRef use)
{
	return flow->uses++ < USES_MAX ? LLVMGetNextUse(use) : NULL;
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* The variable, parameter or other value of which a pointer is a part; NULL: not of private memory. */
static LLVMValueRef base_of(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	const bool is_private = is_pointer(pointer) &&
				LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == LOWER_SPACE_GENERIC;
	return is_private && (LLVMIsAAllocaInst(pointer) || LLVMIsAArgument(pointer)) ? pointer : NULL;
}

/* The function that a call calls, if it is defined here. */
static LLVMValueRef callee_of(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
	return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static unsigned parameter_number(LLVMValueRef parameter)
{
	unsigned number = 0;
	LLVMValueRef it = LLVMGetFirstParam(LLVMGetParamParent(parameter));
	for (; it != parameter; it = LLVMGetNextParam(it))
		number++;
	return number;
}

/* What a user of a parameter's function gives it in a call; NULL: it is no such call, or has too few arguments. */
static LLVMValueRef argument_for(LLVMValueRef parameter, LLVMValueRef user)
{
	const unsigned number = parameter_number(parameter);
	const bool calls = callee_of(user) == LLVMGetParamParent(parameter);
	return calls && number < LLVMGetNumArgOperands(user) ? LLVMGetOperand(user, number) : NULL;
}

/* --- what depends on a value ------------------------------------------------------------------ */

static void add_memory(struct flow *flow, LLVMValueRef pointer)
{
	LLVMValueRef base = base_of(pointer);
	if (!base)
		return;
	flow_add(flow, base);
	if (!LLVMIsAArgument(base))
		return;
	LLVMUseRef use = first_use(flow, LLVMGetParamParent(base));
	for (; use; use = next_use(flow, use)) {
		LLVMValueRef argument = argument_for(base, LLVMGetUser(use));
		LLVMValueRef its = argument ? base_of(argument) : NULL;
		if (its)
			flow_add(flow, its);
	}
}

static void add_results(struct flow *flow, LLVMValueRef function)
{
	for (LLVMUseRef use = first_use(flow, function); use; use = next_use(flow, use))
		if (callee_of(LLVMGetUser(use)) == function)
			flow_add(flow, LLVMGetUser(use));
}

static void add_parameters(struct flow *flow, LLVMValueRef call, LLVMValueRef argument)
{
	LLVMValueRef callee = callee_of(call);
	const unsigned count = callee ? LLVMCountParams(callee) : 0;
	for (unsigned i = 0; i < count && i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetOperand(call, i) == argument)
			flow_add(flow, LLVMGetParam(callee, i));
}

static void add_user(struct flow *flow, LLVMValueRef value, LLVMValueRef user)
{
	if (!LLVMIsAInstruction(user))
		return;
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMLoad:
		flow_add(flow, user);
		break;
	case LLVMStore:
		if (LLVMGetOperand(user, 0) == value)
			add_memory(flow, LLVMGetOperand(user, 1));
		break;
	case LLVMCall:
		add_parameters(flow, user, value);
		break;
	case LLVMRet:
		add_results(flow, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
		break;
	case LLVMGetElementPtr:
		if (is_pointer(value))
			flow_add(flow, user);
		break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPHI:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMExtractValue:
	case LLVMInsertValue:
		flow_add(flow, user);
		break;
	default:
		break;
	}
}

/* Whether the instruction depends on a value, which may be its own. */
static bool depends_on(LLVMValueRef i, LLVMValueRef value)
{
	struct flow flow = {.count = 0};
	flow_add(&flow, value);
	for (unsigned place = 0; place < flow.count; place++) {
		LLVMUseRef use = first_use(&flow, flow.places[place]);
		for (; use; use = next_use(&flow, use)) {
			if (LLVMGetUser(use) == i)
				return true;
			add_user(&flow, flow.places[place], LLVMGetUser(use));
		}
	}
	return false;
}

/* --- on what a value depends ------------------------------------------------------------------ */

static void add_arguments(struct flow *flow, LLVMValueRef parameter, bool *known)
{
	LLVMValueRef function = LLVMGetParamParent(parameter);
	for (LLVMUseRef use = first_use(flow, function); use; use = next_use(flow, use)) {
		LLVMValueRef argument = argument_for(parameter, LLVMGetUser(use));
		if (argument)
			flow_add(flow, argument);
	}
	*known = *known && LLVMGetFirstUse(function);
}

/* What is stored to a private variable, if its uses are loads and stores of parts of it. */
static void add_stored(struct flow *flow, LLVMValueRef pointer, bool *known)
{
	for (LLVMUseRef use = first_use(flow, pointer); use; use = next_use(flow, use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer)
			flow_add(flow, LLVMGetOperand(user, 0));
		else if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user))
			add_stored(flow, user, known);
		else if (!LLVMIsALoadInst(user))
			*known = false;
	}
}

static void add_origins(struct flow *flow, LLVMValueRef value, bool *known)
{
	if (LLVMIsAConstant(value))
		return;
	if (LLVMIsAArgument(value)) {
		add_arguments(flow, value, known);
	} else if (LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			flow_add(flow, LLVMGetIncomingValue(value, i));
	} else if (LLVMIsABinaryOperator(value) || LLVMIsACastInst(value) || LLVMIsASelectInst(value) ||
		   LLVMIsACmpInst(value)) {
		for (int i = 0; i < LLVMGetNumOperands(value); i++)
			flow_add(flow, LLVMGetOperand(value, (unsigned)i));
	} else {
		LLVMValueRef base = LLVMIsALoadInst(value) ? base_of(LLVMGetOperand(value, 0)) : NULL;
		if (base && LLVMIsAAllocaInst(base))
			add_stored(flow, base, known);
		else
			*known = false;
	}
}

/* Whether libnvvm may find the value out, as in `stage = (stage + 1) % 3` in an unrolled loop. */
static bool is_of_constants(LLVMValueRef value)
{
	struct flow flow = {.count = 0};
	bool known = true;
	flow_add(&flow, value);
	for (unsigned place = 0; known && place < flow.count; place++)
		add_origins(&flow, flow.places[place], &known);
	return known && flow.count < PLACES_MAX && flow.uses < USES_MAX;
}

/* --- which results are moved ------------------------------------------------------------------ */

static bool is_cast(LLVMValueRef value)
{
	return LLVMIsATruncInst(value) || LLVMIsAZExtInst(value) || LLVMIsASExtInst(value);
}

static LLVMValueRef without_casts(LLVMValueRef value)
{
	while (is_cast(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

/* Whether another sum or product of the divided value becomes a part of the next one. sums: how many are looked at. */
static bool is_used_twice(LLVMValueRef i, LLVMValueRef value, unsigned *sums)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use && *sums; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (user == i || !LLVMIsAInstruction(user))
			continue;
		if (is_cast(user) && is_used_twice(i, user, sums))
			return true;
		const LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
		if (opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMMul)
			continue;
		--*sums;
		if (depends_on(i, user))
			return true;
	}
	return false;
}

static bool is_product(LLVMValueRef value)
{
	return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMMul;
}

/* Whether libnvvm's expression of the quotient has its operand twice or is a divided product. */
static bool grows(LLVMValueRef i)
{
	unsigned sums = SUMS_MAX;
	LLVMValueRef divided = without_casts(LLVMGetOperand(i, 0));
	if (is_product(divided))
		return true;
	if (LLVMIsABinaryOperator(divided) && LLVMGetInstructionOpcode(divided) == LLVMAdd &&
	    (is_product(LLVMGetOperand(divided, 0)) || is_product(LLVMGetOperand(divided, 1))))
		return true;
	return is_used_twice(i, divided, &sums);
}

static bool is_to_be_moved(LLVMValueRef i)
{
	if (!fe_is_division(i) || is_of_constants(i) || !depends_on(i, i))
		return false;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMURem:
	case LLVMSRem:
		return true;
	case LLVMLShr:
	case LLVMAShr:
		return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) && grows(i);
	default:
		return grows(i);
	}
}

enum fe_status fe_lower_cycles(struct lowering *lowering)
{
	fe_each_instruction(lowering, is_to_be_moved, fe_move_result);
	return FE_OK;
}

/* A quotient of which only a byte or a short is kept: from sm_100 on, libnvvm follows these alone, and the time doubles
 * with each turn of the loop. */
static bool is_narrow_to_be_moved(LLVMValueRef i)
{
	const LLVMUseRef use = LLVMIsABinaryOperator(i) ? LLVMGetFirstUse(i) : NULL;
	LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
	const LLVMTypeRef narrow = user && LLVMIsATruncInst(user) ? LLVMTypeOf(user) : NULL;
	return narrow && LLVMGetTypeKind(narrow) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(narrow) < 32 &&
	       is_to_be_moved(i);
}

enum fe_status fe_lower_narrow_cycles(struct lowering *lowering)
{
	fe_each_instruction(lowering, is_narrow_to_be_moved, fe_move_result);
	return FE_OK;
}
