#include "config.h"

#include "frontend/nvvm_ir.h"

#include <stdlib.h>

enum { SPACE_GLOBAL = 1, SPACE_CONSTANT = 4 };

unsigned fe_ir_address_space(LLVMTypeRef pointer_type)
{
	unsigned space = LLVMGetPointerAddressSpace(pointer_type);
	return space == SPACE_CONSTANT ? SPACE_GLOBAL : space;
}

bool fe_ir_type_is(LLVMTypeRef type, LLVMTypeKind kind)
{
	return LLVMGetTypeKind(type) == kind;
}

bool fe_ir_type_is_byte(LLVMTypeRef type)
{
	return fe_ir_type_is(type, LLVMIntegerTypeKind) && LLVMGetIntTypeWidth(type) == 8;
}

static void print_fields(struct ir_printer *printer, LLVMTypeRef type)
{
	bool packed = LLVMIsPackedStruct(type);
	unsigned count = LLVMCountStructElementTypes(type);
	fe_ir_print(printer, packed ? "<{" : "{");
	for (unsigned i = 0; i < count; i++)
		fe_ir_print(printer, "%s%t", i ? ", " : " ", LLVMStructGetTypeAtIndex(type, i));
	fe_ir_print(printer, packed ? " }>" : " }");
}

static void print_struct(struct ir_printer *printer, LLVMTypeRef type)
{
	if (LLVMIsLiteralStruct(type)) {
		print_fields(printer, type);
		return;
	}
	fe_ir_print(printer, "%%T%u", fe_ir_id(printer, &printer->types, type));
}

static void print_function(struct ir_printer *printer, LLVMTypeRef type)
{
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *parameters = calloc(count + 1, sizeof(*parameters));
	if (!parameters) {
		printer->failed = true;
		return;
	}
	LLVMGetParamTypes(type, parameters);
	fe_ir_print(printer, "%t (", LLVMGetReturnType(type));
	for (unsigned i = 0; i < count; i++)
		fe_ir_print(printer, "%s%t", i ? ", " : "", parameters[i]);
	fe_ir_print(printer, ")");
	free(parameters);
}

void fe_ir_pointer_type(struct ir_printer *printer, LLVMTypeRef pointee, unsigned space)
{
	fe_ir_type(printer, pointee);
	if (space)
		fe_ir_print(printer, " addrspace(%u)", space);
	fe_ir_print(printer, "*");
}

void fe_ir_type(struct ir_printer *printer, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
		fe_ir_print(printer, "void");
		break;
	case LLVMHalfTypeKind:
		/* lower_half_bits.c has replaced what computes with them. */
		fe_ir_print(printer, printer->nvvm_lacks & NVVM_LACKS_HALF ? "i16" : "half");
		break;
	case LLVMFloatTypeKind:
		fe_ir_print(printer, "float");
		break;
	case LLVMDoubleTypeKind:
		fe_ir_print(printer, "double");
		break;
	case LLVMIntegerTypeKind:
		fe_ir_print(printer, "i%u", LLVMGetIntTypeWidth(type));
		break;
	case LLVMPointerTypeKind:
		fe_ir_print(printer, "%p", LLVMInt8TypeInContext(printer->context),
			    fe_ir_address_space(type));
		break;
	case LLVMArrayTypeKind:
		fe_ir_print(printer, "[%l x %t]", (uint64_t)LLVMGetArrayLength2(type),
			    LLVMGetElementType(type));
		break;
	case LLVMVectorTypeKind:
		fe_ir_print(printer, "<%u x %t>", LLVMGetVectorSize(type),
			    LLVMGetElementType(type));
		break;
	case LLVMStructTypeKind:
		print_struct(printer, type);
		break;
	case LLVMFunctionTypeKind:
		print_function(printer, type);
		break;
	default: {
		char *name = LLVMPrintTypeToString(type);
		fe_ir_error(printer, "type %s", name);
		LLVMDisposeMessage(name);
		fe_ir_print(printer, "i8");
		break;
	}
	}
}

/* The type with which the text declares the function: byval and sret parameters point to the type that they pass,
 * those of IR_PASS_TYPED to the type of their elements. */
void fe_ir_function_type(struct ir_printer *printer, LLVMValueRef function)
{
	unsigned count = LLVMCountParams(function);
	fe_ir_print(printer, "%t (", LLVMGetReturnType(LLVMGlobalGetValueType(function)));
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
		LLVMTypeRef pointee;
		fe_ir_print(printer, i ? ", " : "");
		if (fe_ir_passing(printer, function, i, &pointee) == IR_PASS_PLAIN)
			fe_ir_type(printer, type);
		else
			fe_ir_pointer_type(printer, pointee, fe_ir_address_space(type));
	}
	fe_ir_print(printer, ")");
}

void fe_ir_types_define(struct ir_printer *printer)
{
	/* The set grows meanwhile, because fields may refer to further structs. */
	for (uint32_t i = 0; i < printer->types.count; i++) {
		LLVMTypeRef type = (LLVMTypeRef)(uintptr_t)printer->types.items[i];
		fe_ir_print(printer, "%%T%u = type ", i);
		if (LLVMIsOpaqueStruct(type))
			fe_ir_print(printer, "opaque");
		else
			print_fields(printer, type);
		fe_ir_print(printer, "\n");
	}
}
