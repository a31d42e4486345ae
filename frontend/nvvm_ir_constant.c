#include "config.h"

#include "frontend/nvvm_ir.h"

#include <math.h>
#include <string.h>

const char *fe_ir_cast_name(LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMTrunc:         return "trunc";
	case LLVMZExt:          return "zext";
	case LLVMSExt:          return "sext";
	case LLVMFPToUI:        return "fptoui";
	case LLVMFPToSI:        return "fptosi";
	case LLVMUIToFP:        return "uitofp";
	case LLVMSIToFP:        return "sitofp";
	case LLVMFPTrunc:       return "fptrunc";
	case LLVMFPExt:         return "fpext";
	case LLVMPtrToInt:      return "ptrtoint";
	case LLVMIntToPtr:      return "inttoptr";
	case LLVMBitCast:       return "bitcast";
	case LLVMAddrSpaceCast: return "addrspacecast";
	default:                return NULL;
	}
}

const char *fe_ir_predicate_name(LLVMIntPredicate predicate)
{
	static const char *const names[] = {
		[LLVMIntEQ] = "eq",   [LLVMIntNE] = "ne",   [LLVMIntUGT] = "ugt",
		[LLVMIntUGE] = "uge", [LLVMIntULT] = "ult", [LLVMIntULE] = "ule",
		[LLVMIntSGT] = "sgt", [LLVMIntSGE] = "sge", [LLVMIntSLT] = "slt",
		[LLVMIntSLE] = "sle",
	};
	return names[predicate];
}

const char *fe_ir_binary_name(LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMAdd:  return "add";
	case LLVMSub:  return "sub";
	case LLVMMul:  return "mul";
	case LLVMUDiv: return "udiv";
	case LLVMSDiv: return "sdiv";
	case LLVMURem: return "urem";
	case LLVMSRem: return "srem";
	case LLVMShl:  return "shl";
	case LLVMLShr: return "lshr";
	case LLVMAShr: return "ashr";
	case LLVMAnd:  return "and";
	case LLVMOr:   return "or";
	case LLVMXor:  return "xor";
	case LLVMFAdd: return "fadd";
	case LLVMFSub: return "fsub";
	case LLVMFMul: return "fmul";
	case LLVMFDiv: return "fdiv";
	case LLVMFRem: return "frem";
	default:       return NULL;
	}
}

/* Returns the type that a GEP points to: its source type followed through its indices. */
LLVMTypeRef fe_ir_gep_result(LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	unsigned count = (unsigned)LLVMGetNumOperands(gep);
	for (unsigned i = 2; i < count; i++) {
		if (fe_ir_type_is(type, LLVMStructTypeKind)) {
			LLVMValueRef index = LLVMGetOperand(gep, i);
			type = LLVMStructGetTypeAtIndex(
				type, (unsigned)LLVMConstIntGetZExtValue(index));
		} else {
			type = LLVMGetElementType(type);
		}
	}
	return type;
}

/* Writes LLVM's own text of the constant without its type. It serves for literals whose form is the same in
 * all versions. */
static void print_as_llvm(struct ir_printer *printer, LLVMValueRef literal)
{
	char *text = LLVMPrintValueToString(literal);
	const char *space = strchr(text, ' ');
	bytes_append_string(printer->text, space ? space + 1 : text);
	LLVMDisposeMessage(text);
}

static void print_integer(struct ir_printer *printer, LLVMValueRef constant, LLVMTypeRef type)
{
	unsigned width = LLVMGetIntTypeWidth(type);
	if (width == 1)
		fe_ir_print(printer, LLVMConstIntGetZExtValue(constant) ? "true" : "false");
	else if (width <= 64)
		bytes_printf(printer->text, "%lld", LLVMConstIntGetSExtValue(constant));
	else
		print_as_llvm(printer, constant);
}

static void print_real(struct ir_printer *printer, LLVMValueRef constant, LLVMTypeRef type)
{
	LLVMBool loses;
	double value = LLVMConstRealGetDouble(constant, &loses);
	uint64_t bits;
	if (fe_ir_type_is(type, LLVMHalfTypeKind) && printer->nvvm_lacks & NVVM_LACKS_HALF) {
		LLVMTypeRef integer = LLVMInt16TypeInContext(printer->context);
		print_integer(printer, LLVMConstBitCast(constant, integer), integer);
		return;
	}
	/* Asking for a NaN as a double may quieten it; half has a form of its own. */
	if (fe_ir_type_is(type, LLVMHalfTypeKind) || isnan(value)) {
		print_as_llvm(printer, constant);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	bytes_printf(printer->text, "0x%016llX", (unsigned long long)bits);
}

uint64_t fe_ir_part_count(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMArrayTypeKind:
		return LLVMGetArrayLength2(type);
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type);
	default:
		return LLVMCountStructElementTypes(type);
	}
}

static void print_elements(struct ir_printer *printer, LLVMValueRef constant, LLVMTypeRef type)
{
	static const char *const brackets[][2] = {
		{ "{ ", " }" }, { "<{ ", " }>" }, { "[", "]" }, { "<", ">" },
	};
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	const char *const *around = brackets[0];
	if (kind == LLVMArrayTypeKind)
		around = brackets[2];
	else if (kind == LLVMVectorTypeKind)
		around = brackets[3];
	else if (LLVMIsPackedStruct(type))
		around = brackets[1];
	uint64_t count = fe_ir_part_count(type);
	fe_ir_print(printer, around[0]);
	for (uint64_t i = 0; i < count; i++)
		fe_ir_print(printer, "%s%V", i ? ", " : "",
			    LLVMGetAggregateElement(constant, (unsigned)i));
	fe_ir_print(printer, around[1]);
}

static void print_aggregate(struct ir_printer *printer, LLVMValueRef constant, LLVMTypeRef type)
{
	if (fe_ir_type_is(type, LLVMArrayTypeKind) && LLVMIsAConstantDataSequential(constant) &&
	    LLVMIsConstantString(constant)) {
		size_t size_B;
		const char *string = LLVMGetAsString(constant, &size_B);
		fe_ir_print(printer, "c");
		fe_ir_quoted(printer, string, size_B);
	} else {
		print_elements(printer, constant, type);
	}
}

/* Writes a global as i8 addrspace(n)*. */
static void print_global(struct ir_printer *printer, LLVMValueRef global)
{
	unsigned space = fe_ir_address_space(LLVMTypeOf(global));
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	LLVMTypeRef byte = LLVMInt8TypeInContext(printer->context);
	if (LLVMIsAGlobalVariable(global) && fe_ir_type_is_byte(type)) {
		fe_ir_global_name(printer, global);
		return;
	}
	fe_ir_print(printer, "bitcast (");
	if (LLVMIsAFunction(global)) {
		fe_ir_function_type(printer, global);
		fe_ir_print(printer, "* ");
	} else {
		fe_ir_print(printer, "%p ", type, space);
	}
	fe_ir_global_name(printer, global);
	fe_ir_print(printer, " to %p)", byte, space);
}

static void print_gep(struct ir_printer *printer, LLVMValueRef gep, LLVMTypeRef type)
{
	LLVMValueRef base = LLVMGetOperand(gep, 0);
	LLVMTypeRef source = LLVMGetGEPSourceElementType(gep);
	LLVMTypeRef result = fe_ir_gep_result(gep);
	unsigned space = fe_ir_address_space(type);
	unsigned count = (unsigned)LLVMGetNumOperands(gep);
	bool cast = !fe_ir_type_is_byte(result);

	if (cast)
		fe_ir_print(printer, "bitcast (%p ", result, space);
	fe_ir_print(printer, "getelementptr %s(%t, %p ", LLVMIsInBounds(gep) ? "inbounds " : "",
		    source, source, space);
	if (LLVMIsAGlobalVariable(base) && LLVMGlobalGetValueType(base) == source)
		fe_ir_global_name(printer, base);
	else if (fe_ir_type_is_byte(source))
		fe_ir_print(printer, "%v", base);
	else
		fe_ir_print(printer, "bitcast (%V to %p)", base, source, space);
	for (unsigned i = 1; i < count; i++)
		fe_ir_print(printer, ", %V", LLVMGetOperand(gep, i));
	fe_ir_print(printer, ")");
	if (cast)
		fe_ir_print(printer, " to %t)", type);
}

static void print_expression(struct ir_printer *printer, LLVMValueRef expression, LLVMTypeRef type)
{
	LLVMOpcode opcode = LLVMGetConstOpcode(expression);
	LLVMValueRef first = LLVMGetOperand(expression, 0);
	LLVMTypeRef from = LLVMTypeOf(first);
	if (opcode == LLVMAddrSpaceCast && LLVMIsAConstantPointerNull(first)) {
		/* The conversion of NULL to another address space is NULL, which is 0 in each of them; the
		 * hardware's conversion of addresses would not result in 0. */
		fe_ir_print(printer, "null");
	} else if (opcode == LLVMGetElementPtr && fe_ir_type_is(type, LLVMPointerTypeKind)) {
		print_gep(printer, expression, type);
	} else if (opcode == LLVMAddrSpaceCast && fe_ir_type_is(from, LLVMPointerTypeKind) &&
		   fe_ir_address_space(from) == fe_ir_address_space(type)) {
		fe_ir_print(printer, "%v", first);
	} else if (fe_ir_cast_name(opcode)) {
		fe_ir_print(printer, "%s (%V to %t)", fe_ir_cast_name(opcode), first, type);
	} else if (fe_ir_binary_name(opcode)) {
		fe_ir_print(printer, "%s (%V, %V)", fe_ir_binary_name(opcode), first,
			    LLVMGetOperand(expression, 1));
	} else if (opcode == LLVMExtractElement) {
		/* An element of a bitcast of a constant vector: Clang folds it only if the type stays the same. */
		fe_ir_print(printer, "extractelement (%V, %V)", first, LLVMGetOperand(expression, 1));
	} else {
		char *text = LLVMPrintValueToString(expression);
		fe_ir_error(printer, "constant expression %s", text);
		LLVMDisposeMessage(text);
		fe_ir_print(printer, "undef");
	}
}

void fe_ir_constant(struct ir_printer *printer, LLVMValueRef constant)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (LLVMIsAFunction(constant) || LLVMIsAGlobalVariable(constant)) {
		print_global(printer, constant);
	} else if (LLVMIsUndef(constant)) {     /* poison is a kind of undef for this test */
		fe_ir_print(printer, "undef");
	} else if (LLVMIsAConstantPointerNull(constant)) {
		fe_ir_print(printer, "null");
	} else if (LLVMIsAConstantAggregateZero(constant)) {
		fe_ir_print(printer, "zeroinitializer");
	} else if (LLVMIsAConstantExpr(constant)) {
		print_expression(printer, constant, type);
	} else if (kind == LLVMIntegerTypeKind) {
		print_integer(printer, constant, type);
	} else if (kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind ||
		   kind == LLVMDoubleTypeKind) {
		print_real(printer, constant, type);
	} else if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind ||
		   kind == LLVMStructTypeKind) {
		print_aggregate(printer, constant, type);
	} else {
		char *text = LLVMPrintValueToString(constant);
		fe_ir_error(printer, "constant %s", text);
		LLVMDisposeMessage(text);
		fe_ir_print(printer, "undef");
	}
}
