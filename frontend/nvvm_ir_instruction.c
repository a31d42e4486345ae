#include "config.h"

#include "frontend/nvvm_ir.h"

static uint32_t new_temporary(struct ir_printer *printer)
{
	return printer->temporary_count++;
}

struct ir_place fe_ir_place(struct ir_printer *printer, LLVMValueRef pointer, LLVMTypeRef pointee)
{
	struct ir_place place = { .pointer = pointer, .pointee = pointee };
	if (LLVMIsAGlobalVariable(pointer) && LLVMGlobalGetValueType(pointer) == pointee) {
		place.form = IR_PLACE_GLOBAL;
	} else if (fe_ir_type_is_byte(pointee)) {
		place.form = IR_PLACE_BYTES;
	} else {
		place.form = IR_PLACE_CAST;
		place.temporary = new_temporary(printer);
		fe_ir_print(printer, "  %i = bitcast %V to %p\n", place.temporary, pointer,
			    pointee, fe_ir_address_space(LLVMTypeOf(pointer)));
	}
	return place;
}

struct ir_place fe_ir_wide_place(struct ir_printer *printer, LLVMValueRef pointer)
{
	struct ir_place place = { .pointer = pointer, .form = IR_PLACE_NUMBER };
	place.temporary = new_temporary(printer);
	fe_ir_print(printer, "  %i = ptrtoint %V to i64\n", place.temporary, pointer);
	return place;
}

void fe_ir_fast_math(struct ir_printer *printer, LLVMValueRef instruction)
{
	static const struct {
		LLVMFastMathFlags flag;
		const char *name;
	} flags[] = {
		{ LLVMFastMathAllowReassoc, " reassoc" },
		{ LLVMFastMathNoNaNs, " nnan" },
		{ LLVMFastMathNoInfs, " ninf" },
		{ LLVMFastMathNoSignedZeros, " nsz" },
		{ LLVMFastMathAllowReciprocal, " arcp" },
		{ LLVMFastMathAllowContract, " contract" },
		{ LLVMFastMathApproxFunc, " afn" },
	};
	if (!LLVMCanValueUseFastMathFlags(instruction))
		return;
	LLVMFastMathFlags set = LLVMGetFastMathFlags(instruction);
	if (set == LLVMFastMathAll) {
		fe_ir_print(printer, " fast");
		return;
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		if (set & flags[i].flag)
			fe_ir_print(printer, flags[i].name);
	}
}

static void print_binary(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	fe_ir_print(printer, "%r%s", i, fe_ir_binary_name(opcode));
	switch (opcode) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
		fe_ir_print(printer, "%s%s", LLVMGetNUW(i) ? " nuw" : "",
			    LLVMGetNSW(i) ? " nsw" : "");
		break;
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMLShr:
	case LLVMAShr:
		fe_ir_print(printer, LLVMGetExact(i) ? " exact" : "");
		break;
	default:
		fe_ir_fast_math(printer, i);
		break;
	}
	fe_ir_print(printer, " %V, %v", LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
}

static void print_cast(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	LLVMValueRef from = LLVMGetOperand(i, 0);
	LLVMTypeRef type = LLVMTypeOf(i);
	const char *name = fe_ir_cast_name(opcode);
	/* Constant and global are one space here, so a cast between them changes nothing. */
	if (opcode == LLVMAddrSpaceCast && fe_ir_type_is(type, LLVMPointerTypeKind) &&
	    fe_ir_address_space(LLVMTypeOf(from)) == fe_ir_address_space(type))
		name = "bitcast";
	fe_ir_print(printer, "%r%s %V to %t", i, name, from, type);
}

/* NVVM IR has no fneg; a subtraction from -0.0 is also compiled to neg.f32. */
static void print_negation(struct ir_printer *printer, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	bool vector = fe_ir_type_is(type, LLVMVectorTypeKind);
	LLVMTypeRef scalar = vector ? LLVMGetElementType(type) : type;
	const char *zero = fe_ir_type_is(scalar, LLVMHalfTypeKind) ? "0xH8000" : "-0.0";
	fe_ir_print(printer, "%rfsub", i);
	fe_ir_fast_math(printer, i);
	fe_ir_print(printer, " %t ", type);
	if (vector) {
		unsigned count = LLVMGetVectorSize(type);
		for (unsigned element = 0; element < count; element++)
			fe_ir_print(printer, "%s%t %s", element ? ", " : "<", scalar, zero);
		fe_ir_print(printer, ">");
	} else {
		fe_ir_print(printer, "%s", zero);
	}
	fe_ir_print(printer, ", %v", LLVMGetOperand(i, 0));
}

static void print_alloca(struct ir_printer *printer, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMGetAllocatedType(i);
	LLVMValueRef count = LLVMGetOperand(i, 0);
	uint32_t typed = new_temporary(printer);
	fe_ir_print(printer, "  %i = alloca %t", typed, type);
	if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1)
		fe_ir_print(printer, ", %V", count);
	fe_ir_print(printer, ", align %u\n", LLVMGetAlignment(i));
	unsigned space = fe_ir_address_space(LLVMTypeOf(i));
	if (space)
		fe_ir_error(printer, "a private variable in address space %u", space);
	fe_ir_print(printer, "%rbitcast %p %i to %t", i, type, space, typed, LLVMTypeOf(i));
}

static void print_gep(struct ir_printer *printer, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef base = LLVMGetOperand(i, 0);
	if (!fe_ir_type_is(type, LLVMPointerTypeKind)) {
		fe_ir_error(printer, "address arithmetic on a vector of pointers");
		return;
	}
	LLVMTypeRef source = LLVMGetGEPSourceElementType(i);
	LLVMTypeRef result = fe_ir_gep_result(i);
	struct ir_place place = fe_ir_place(printer, base, source);
	bool cast = !fe_ir_type_is_byte(result);
	uint32_t typed = cast ? new_temporary(printer) : 0;
	if (cast)
		fe_ir_print(printer, "  %i = ", typed);
	else
		fe_ir_print(printer, "%r", i);
	fe_ir_print(printer, "getelementptr %s%t, %a", LLVMIsInBounds(i) ? "inbounds " : "",
		    source, &place);
	unsigned count = (unsigned)LLVMGetNumOperands(i);
	for (unsigned operand = 1; operand < count; operand++)
		fe_ir_print(printer, ", %V", LLVMGetOperand(i, operand));
	if (cast)
		fe_ir_print(printer, "\n%rbitcast %p %i to %t", i, result,
			    fe_ir_address_space(type), typed, type);
}

static bool is_atomic(struct ir_printer *printer, LLVMValueRef i, const char *what)
{
	if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
		return false;
	fe_ir_error(printer, "an atomic %s", what);
	return true;
}

static void print_load(struct ir_printer *printer, LLVMValueRef i)
{
	if (is_atomic(printer, i, "load"))
		return;
	struct ir_place place = fe_ir_place(printer, LLVMGetOperand(i, 0), LLVMTypeOf(i));
	fe_ir_print(printer, "%rload %s%t, %a, align %u", i,
		    LLVMGetVolatile(i) ? "volatile " : "", LLVMTypeOf(i), &place,
		    LLVMGetAlignment(i));
}

static void print_store(struct ir_printer *printer, LLVMValueRef i)
{
	if (is_atomic(printer, i, "store"))
		return;
	LLVMValueRef value = LLVMGetOperand(i, 0);
	struct ir_place place = fe_ir_place(printer, LLVMGetOperand(i, 1), LLVMTypeOf(value));
	fe_ir_print(printer, "  store %s%V, %a, align %u", LLVMGetVolatile(i) ? "volatile " : "",
		    value, &place, LLVMGetAlignment(i));
}

static void print_compare(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	static const char *const real[] = {
		[LLVMRealPredicateFalse] = "false", [LLVMRealOEQ] = "oeq", [LLVMRealOGT] = "ogt",
		[LLVMRealOGE] = "oge", [LLVMRealOLT] = "olt", [LLVMRealOLE] = "ole",
		[LLVMRealONE] = "one", [LLVMRealORD] = "ord", [LLVMRealUNO] = "uno",
		[LLVMRealUEQ] = "ueq", [LLVMRealUGT] = "ugt", [LLVMRealUGE] = "uge",
		[LLVMRealULT] = "ult", [LLVMRealULE] = "ule", [LLVMRealUNE] = "une",
		[LLVMRealPredicateTrue] = "true",
	};
	if (opcode == LLVMICmp) {
		fe_ir_print(printer, "%ricmp %s", i, fe_ir_predicate_name(LLVMGetICmpPredicate(i)));
	} else {
		fe_ir_print(printer, "%rfcmp", i);
		fe_ir_fast_math(printer, i);
		fe_ir_print(printer, " %s", real[LLVMGetFCmpPredicate(i)]);
	}
	fe_ir_print(printer, " %V, %v", LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
}

static void print_phi(struct ir_printer *printer, LLVMValueRef i)
{
	unsigned count = LLVMCountIncoming(i);
	fe_ir_print(printer, "%rphi %t", i, LLVMTypeOf(i));
	for (unsigned from = 0; from < count; from++)
		fe_ir_print(printer, "%s[ %v, %b ]", from ? ", " : " ",
			    LLVMGetIncomingValue(i, from), LLVMGetIncomingBlock(i, from));
}

static void print_shuffle(struct ir_printer *printer, LLVMValueRef i)
{
	unsigned count = LLVMGetNumMaskElements(i);
	fe_ir_print(printer, "%rshufflevector %V, %V, <%u x i32> <", i, LLVMGetOperand(i, 0),
		    LLVMGetOperand(i, 1), count);
	for (unsigned element = 0; element < count; element++) {
		int from = LLVMGetMaskValue(i, element);
		fe_ir_print(printer, element ? ", i32 " : "i32 ");
		if (from == LLVMGetUndefMaskElem())
			fe_ir_print(printer, "undef");
		else
			fe_ir_print(printer, "%u", (unsigned)from);
	}
	fe_ir_print(printer, ">");
}

static void print_element(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	if (opcode == LLVMExtractElement)
		fe_ir_print(printer, "%rextractelement %V, %V", i, LLVMGetOperand(i, 0),
			    LLVMGetOperand(i, 1));
	else
		fe_ir_print(printer, "%rinsertelement %V, %V, %V", i, LLVMGetOperand(i, 0),
			    LLVMGetOperand(i, 1), LLVMGetOperand(i, 2));
}

static void print_field(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	if (opcode == LLVMExtractValue)
		fe_ir_print(printer, "%rextractvalue %V", i, LLVMGetOperand(i, 0));
	else
		fe_ir_print(printer, "%rinsertvalue %V, %V", i, LLVMGetOperand(i, 0),
			    LLVMGetOperand(i, 1));
	const unsigned *indices = LLVMGetIndices(i);
	unsigned count = LLVMGetNumIndices(i);
	for (unsigned index = 0; index < count; index++)
		fe_ir_print(printer, ", %u", indices[index]);
}

static void print_branch(struct ir_printer *printer, LLVMValueRef i)
{
	if (LLVMIsConditional(i))
		fe_ir_print(printer, "  br %V, label %b, label %b", LLVMGetCondition(i),
			    LLVMGetSuccessor(i, 0), LLVMGetSuccessor(i, 1));
	else
		fe_ir_print(printer, "  br label %b", LLVMGetSuccessor(i, 0));
}

static void print_switch(struct ir_printer *printer, LLVMValueRef i)
{
	unsigned count = LLVMGetNumSuccessors(i);
	fe_ir_print(printer, "  switch %V, label %b [", LLVMGetOperand(i, 0),
		    LLVMGetSwitchDefaultDest(i));
	for (unsigned successor = 1; successor < count; successor++)
		fe_ir_print(printer, " %V, label %b", LLVMGetSwitchCaseValue(i, successor),
			    LLVMGetSuccessor(i, successor));
	fe_ir_print(printer, " ]");
}

static void print_return(struct ir_printer *printer, LLVMValueRef i)
{
	if (LLVMGetNumOperands(i))
		fe_ir_print(printer, "  ret %V", LLVMGetOperand(i, 0));
	else
		fe_ir_print(printer, "  ret void");
}

static void print_unknown(struct ir_printer *printer, LLVMValueRef i)
{
	char *text = LLVMPrintValueToString(i);
	fe_ir_error(printer, "instruction%s", text);
	LLVMDisposeMessage(text);
}

static void print_other(struct ir_printer *printer, LLVMValueRef i, LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMSelect:
		fe_ir_print(printer, "%rselect %V, %V, %V", i, LLVMGetOperand(i, 0),
			    LLVMGetOperand(i, 1), LLVMGetOperand(i, 2));
		break;
	case LLVMPHI:
		print_phi(printer, i);
		break;
	case LLVMExtractElement:
	case LLVMInsertElement:
		print_element(printer, i, opcode);
		break;
	case LLVMShuffleVector:
		print_shuffle(printer, i);
		break;
	case LLVMExtractValue:
	case LLVMInsertValue:
		print_field(printer, i, opcode);
		break;
	case LLVMBr:
		print_branch(printer, i);
		break;
	case LLVMSwitch:
		print_switch(printer, i);
		break;
	case LLVMRet:
		print_return(printer, i);
		break;
	case LLVMUnreachable:
		fe_ir_print(printer, "  unreachable");
		break;
	case LLVMCall:
		fe_ir_call(printer, i);
		break;
	default:
		print_unknown(printer, i);
		break;
	}
}

/* Writes one instruction, with its casts before it and one line's end after it. */
void fe_ir_instruction(struct ir_printer *printer, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	switch (opcode) {
	case LLVMFNeg:
		print_negation(printer, i);
		break;
	case LLVMAlloca:
		print_alloca(printer, i);
		break;
	case LLVMGetElementPtr:
		print_gep(printer, i);
		break;
	case LLVMLoad:
		print_load(printer, i);
		break;
	case LLVMStore:
		print_store(printer, i);
		break;
	case LLVMICmp:
	case LLVMFCmp:
		print_compare(printer, i, opcode);
		break;
	default:
		if (fe_ir_binary_name(opcode))
			print_binary(printer, i, opcode);
		else if (fe_ir_cast_name(opcode))
			print_cast(printer, i, opcode);
		else
			print_other(printer, i, opcode);
		break;
	}
	fe_ir_instruction_metadata(printer, i);
	fe_ir_print(printer, "\n");
}
