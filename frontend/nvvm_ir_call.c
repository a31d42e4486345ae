#include "config.h"

#include "frontend/local_pointers.h"
#include "frontend/nvvm_ir.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

/* Intrinsics that libnvvm accepts, in every version and for every GPU.  For an unknown name libnvvm would generate a
 * call of an external function, which only the assembler reports; therefore no others are written. lower_intrinsic.c
 * has replaced those for which there is an alternative. */
static const char *const native_intrinsics[] = {
	"llvm.bitreverse", "llvm.bswap", "llvm.convert.from.fp16",
	"llvm.convert.to.fp16", "llvm.copysign", "llvm.ctlz", "llvm.ctpop", "llvm.cttz", "llvm.fma", "llvm.fmuladd",
	"llvm.fshl", "llvm.fshr", "llvm.lifetime.end",
	"llvm.lifetime.start", "llvm.maxnum", "llvm.memcpy", "llvm.memmove", "llvm.memset",
	"llvm.minnum", "llvm.sadd.with.overflow", "llvm.smul.with.overflow", "llvm.sqrt",
	"llvm.ssub.with.overflow", "llvm.trap", "llvm.uadd.with.overflow",
	"llvm.umul.with.overflow", "llvm.usub.with.overflow",
	"llvm.nvvm.add", "llvm.nvvm.bar.sync", "llvm.nvvm.bar.warp.sync", "llvm.nvvm.barrier",
	"llvm.nvvm.barrier0", "llvm.nvvm.bitcast", "llvm.nvvm.ceil", "llvm.nvvm.cos",
	"llvm.nvvm.d2f", "llvm.nvvm.d2i", "llvm.nvvm.d2ll", "llvm.nvvm.d2ui", "llvm.nvvm.d2ull",
	"llvm.nvvm.div", "llvm.nvvm.ex2", "llvm.nvvm.f2h", "llvm.nvvm.f2i", "llvm.nvvm.f2ll",
	"llvm.nvvm.f2ui", "llvm.nvvm.f2ull", "llvm.nvvm.fabs", "llvm.nvvm.floor",
	"llvm.nvvm.fma", "llvm.nvvm.fmax", "llvm.nvvm.fmin", "llvm.nvvm.i2d", "llvm.nvvm.i2f",
	"llvm.nvvm.lg2", "llvm.nvvm.ll2d", "llvm.nvvm.ll2f", "llvm.nvvm.lohi",
	"llvm.nvvm.match", "llvm.nvvm.membar", "llvm.nvvm.mul", "llvm.nvvm.mul24",
	"llvm.nvvm.mulhi", "llvm.nvvm.prmt", "llvm.nvvm.rcp", "llvm.nvvm.read.ptx.sreg",
	"llvm.nvvm.round", "llvm.nvvm.rsqrt", "llvm.nvvm.sad", "llvm.nvvm.saturate",
	"llvm.nvvm.shfl", "llvm.nvvm.sin", "llvm.nvvm.sqrt", "llvm.nvvm.trunc",
	"llvm.nvvm.ui2d", "llvm.nvvm.ui2f", "llvm.nvvm.ull2d", "llvm.nvvm.ull2f",
	"llvm.nvvm.vote",
};

const char *fe_ir_native_intrinsic(size_t index)
{
	return index < sizeof(native_intrinsics) / sizeof(*native_intrinsics)
		       ? native_intrinsics[index] : NULL;
}

static bool is_native(const char *name)
{
	for (size_t i = 0; i < sizeof(native_intrinsics) / sizeof(*native_intrinsics); i++) {
		size_t size_B = strlen(native_intrinsics[i]);
		if (!strncmp(name, native_intrinsics[i], size_B) &&
		    (name[size_B] == '.' || !name[size_B]))
			return true;
	}
	return false;
}

static void print_asm(struct ir_printer *printer, LLVMValueRef code)
{
	size_t text_B, constraints_B;
	const char *text = LLVMGetInlineAsmAsmString(code, &text_B);
	const char *constraints = LLVMGetInlineAsmConstraintString(code, &constraints_B);
	fe_ir_print(printer, LLVMGetInlineAsmHasSideEffects(code) ? "asm sideeffect " : "asm ");
	fe_ir_quoted(printer, text, text_B);
	fe_ir_print(printer, ", ");
	fe_ir_quoted(printer, constraints, constraints_B);
	/* An output or input in memory has no form in this dialect. */
	if (memchr(constraints, '*', constraints_B))
		fe_ir_error(printer, "inline asm with a memory operand (\"m\")");
}

/* Whether the callee can be written; otherwise the reason goes to the log. */
static bool check_callee(struct ir_printer *printer, LLVMValueRef call, LLVMValueRef callee)
{
	if (LLVMIsAInlineAsm(callee))
		return true;
	if (!LLVMIsAFunction(callee)) {
		fe_ir_error(printer, "a call through a pointer");
		return false;
	}
	size_t size_B;
	const char *name = LLVMGetValueName2(callee, &size_B);
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee))) {
		fe_ir_error(printer, "a call of %s, which takes any number of arguments", name);
		return false;
	}
	if (LLVMGlobalGetValueType(callee) != LLVMGetCalledFunctionType(call)) {
		fe_ir_error(printer, "a call of %s with other types than it has", name);
		return false;
	}
	if (fe_ir_name_is_intrinsic(callee) && !is_native(name)) {
		fe_ir_error(printer, "intrinsic %s", name);
		return false;
	}
	return true;
}

static void print_argument(struct ir_printer *printer, LLVMValueRef call, unsigned index,
			   const struct ir_place *place)
{
	LLVMValueRef argument = LLVMGetOperand(call, index);
	LLVMTypeRef pointee;
	enum ir_passing passing = fe_ir_passing(printer, call, index, &pointee);
	if (place->form == IR_PLACE_NUMBER) {
		fe_ir_print(printer, "i64 %i", place->temporary);
		return;
	}
	if (passing == IR_PASS_PLAIN) {
		fe_ir_type(printer, LLVMTypeOf(argument));
		fe_ir_value_attributes(printer, call, index + 1);
		fe_ir_print(printer, " %v", argument);
		return;
	}
	fe_ir_pointer_type(printer, pointee, fe_ir_address_space(LLVMTypeOf(argument)));
	fe_ir_passing_keyword(printer, passing, pointee);
	fe_ir_value_attributes(printer, call, index + 1);
	switch (place->form) {
	case IR_PLACE_CAST:
		fe_ir_print(printer, " %i", place->temporary);
		break;
	case IR_PLACE_GLOBAL:
		fe_ir_print(printer, " ");
		fe_ir_global_name(printer, argument);
		break;
	case IR_PLACE_BYTES:
	case IR_PLACE_NUMBER:
		fe_ir_print(printer, " %v", argument);
		break;
	}
}

bool fe_ir_lacks_size(LLVMValueRef function)
{
	static const char prefix[] = "llvm.lifetime.";
	size_t size_B;
	return !strncmp(LLVMGetValueName2(function, &size_B), prefix, sizeof(prefix) - 1) &&
	       LLVMCountParams(function) == 1;
}

/* Lifetime intrinsics have a size before the variable. The size is -1, the whole variable, where the operand
 * is no variable. */
static void print_lifetime_size(struct ir_printer *printer, LLVMValueRef variable)
{
	if (!LLVMIsAAllocaInst(variable)) {
		fe_ir_print(printer, "i64 -1, ");
		return;
	}
	LLVMModuleRef module = LLVMGetGlobalParent(printer->function);
	LLVMTypeRef type = LLVMGetAllocatedType(variable);
	fe_ir_print(printer, "i64 %l, ",
		    (uint64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(module), type));
}

static void print_call(struct ir_printer *printer, LLVMValueRef call, LLVMValueRef callee,
		       const struct ir_place *places)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	if (fe_ir_type_is(type, LLVMVoidTypeKind))
		fe_ir_print(printer, "  ");
	else
		fe_ir_print(printer, "%r", call);
	fe_ir_print(printer, LLVMIsTailCall(call) ? "tail call" : "call");
	fe_ir_fast_math(printer, call);
	fe_ir_value_attributes(printer, call, (unsigned)LLVMAttributeReturnIndex);
	fe_ir_print(printer, " %t ", type);
	if (LLVMIsAInlineAsm(callee))
		print_asm(printer, callee);
	else
		fe_ir_global_name(printer, callee);
	fe_ir_print(printer, "(");
	if (LLVMIsAFunction(callee) && fe_ir_lacks_size(callee))
		print_lifetime_size(printer, LLVMGetOperand(call, 0));
	unsigned count = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < count; i++) {
		fe_ir_print(printer, i ? ", " : "");
		print_argument(printer, call, i, &places[i]);
	}
	fe_ir_print(printer, ")");
	fe_ir_function_attributes(printer, call, false);
}

void fe_ir_call(struct ir_printer *printer, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!check_callee(printer, call, callee))
		return;
	unsigned count = LLVMGetNumArgOperands(call);
	struct ir_place *places = calloc(count + 1, sizeof(*places));
	if (!places) {
		printer->failed = true;
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef pointee;
		if (fe_ir_passing(printer, call, i, &pointee) != IR_PASS_PLAIN)
			places[i] = fe_ir_place(printer, LLVMGetOperand(call, i), pointee);
		/* Inline PTX has registers of 64 bits for addresses. */
		else if (printer->local_is_narrow && LLVMIsAInlineAsm(callee) &&
			 fe_is_local_pointer(LLVMTypeOf(LLVMGetOperand(call, i))))
			places[i] = fe_ir_wide_place(printer, LLVMGetOperand(call, i));
	}
	print_call(printer, call, callee, places);
	free(places);
}
