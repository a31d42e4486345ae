#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"
#include "frontend/print_conversion.h"

#include <stdlib.h>
#include <string.h>

/* printf becomes a record in a buffer that the launch provides and the host prints.
 * Every call gets a function of its own, which takes the arguments, reserves room
 * and stores them; docs/kernel-abi.md has the record.  Literals stay on the host:
 * the record holds their index.  Other strings are copied into the record. */

enum { LITERAL_STEPS_MAX = 64, TEXT_MAX_B = 65535 };

struct printing {
	struct lowering *lowering;
	LLVMValueRef call;
	LLVMTypeRef i8, i32, i64, pointer;       /* a pointer to global memory */
	struct abi_format format;                /* owned until the abi gets it */
	LLVMValueRef *literals;                  /* the constants of STRING arguments */
};

/* --- literals --------------------------------------------------------------------------- */

static bool is_lifetime(LLVMValueRef instruction)
{
	static const char prefix[] = "llvm.lifetime.";
	size_t size_B;
	if (!LLVMIsACallInst(instruction) || !LLVMIsAFunction(LLVMGetCalledValue(instruction)))
		return false;
	return !strncmp(LLVMGetValueName2(LLVMGetCalledValue(instruction), &size_B), prefix,
			sizeof(prefix) - 1);
}

/* Returns the value of a private variable that is assigned once. */
static LLVMValueRef only_value(LLVMValueRef variable)
{
	LLVMValueRef value = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsALoadInst(user) || is_lifetime(user))
			continue;
		if (value || !LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable)
			return NULL;
		value = LLVMGetOperand(user, 0);
	}
	return value;
}

static LLVMValueRef constant_initializer(LLVMValueRef variable)
{
	return LLVMIsGlobalConstant(variable) ? LLVMGetInitializer(variable) : NULL;
}

/* Returns the pointer that this one was computed from; NULL if that cannot be told here. */
static LLVMValueRef pointer_source(LLVMValueRef value)
{
	if (LLVMIsALoadInst(value)) {
		LLVMValueRef from = LLVMGetOperand(value, 0);
		if (LLVMIsAAllocaInst(from))
			return only_value(from);
		return LLVMIsAGlobalVariable(from) ? constant_initializer(from) : NULL;
	}
	if (LLVMIsAAddrSpaceCastInst(value) ||
	    (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast))
		return LLVMGetOperand(value, 0);
	return NULL;
}

static bool is_text(LLVMValueRef constant)
{
	LLVMTypeRef type = LLVMTypeOf(constant);
	return LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
	       LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 8 &&
	       (LLVMIsAConstantDataArray(constant) || LLVMIsNull(constant));
}

/* Returns the constant that the pointer is known to point to, or a null pointer; else NULL. */
static LLVMValueRef literal_of(LLVMValueRef value)
{
	for (unsigned step = 0; value && step < LITERAL_STEPS_MAX; step++) {
		if (LLVMIsAGlobalVariable(value)) {
			LLVMValueRef constant = constant_initializer(value);
			return constant && is_text(constant) ? constant : NULL;
		}
		if (LLVMIsAConstantPointerNull(value))
			return value;
		value = pointer_source(value);
	}
	return NULL;
}

static bool copy_text(struct abi_format *format, LLVMValueRef literal)
{
	size_t size_B = 0;
	const char *text =
		LLVMIsAConstantDataArray(literal) ? LLVMGetAsString(literal, &size_B) : "";
	const char *end = memchr(text, '\0', size_B);
	if (end)
		size_B = (size_t)(end - text);
	format->text = malloc(size_B + 1);
	if (!format->text)
		return false;
	memcpy(format->text, text, size_B);
	format->text[size_B] = '\0';
	format->text_size_B = (uint32_t)size_B;
	return true;
}

/* Becomes the owner of format, also where it fails. */
static bool add_format(struct abi_program *abi, struct abi_format *format, uint32_t *index_out)
{
	struct abi_format *formats =
		realloc(abi->formats, (abi->format_count + 1) * sizeof(*formats));
	if (formats) {
		abi->formats = formats;
		*index_out = abi->format_count;
		formats[abi->format_count++] = *format;
	} else {
		free(format->text);
		free(format->arguments);
	}
	*format = (struct abi_format){0};
	return formats != NULL;
}

/* --- arguments -------------------------------------------------------------------------- */

static enum fe_status refuse(const struct printing *printing, const char *what)
{
	LLVMValueRef function = fe_parent_function(printing->call);
	bytes_printf(printing->lowering->log, "error: printf in function '%s': %s\n",
		     fe_function_name(function), what);
	return FE_COMPILE_FAILED;
}

static bool number_argument(LLVMTypeRef type, struct abi_print_argument *argument)
{
	argument->lanes = 1;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		argument->lanes = LLVMGetVectorSize(type);
		type = LLVMGetElementType(type);
	}
	argument->kind = ABI_PRINT_REAL;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		argument->kind = ABI_PRINT_INTEGER;
		argument->element_B = LLVMGetIntTypeWidth(type) / 8;
		return LLVMGetIntTypeWidth(type) % 8 == 0 && argument->element_B <= 8;
	case LLVMHalfTypeKind:
		argument->element_B = 2;
		return true;
	case LLVMFloatTypeKind:
		argument->element_B = 4;
		return true;
	case LLVMDoubleTypeKind:
		argument->element_B = 8;
		return true;
	default:
		return false;
	}
}

static bool is_byval(LLVMValueRef call, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	return LLVMGetCallSiteEnumAttribute(call, index + 1, kind) != NULL;
}

static enum fe_status take_argument(struct printing *printing, unsigned index, bool is_string)
{
	struct abi_print_argument *argument = &printing->format.arguments[index];
	LLVMValueRef value = LLVMGetOperand(printing->call, index + 1);
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
		return number_argument(type, argument) ? FE_OK :
			refuse(printing, "an argument's type cannot be printed");
	if (is_byval(printing->call, index + 1))
		return refuse(printing, "a struct cannot be printed");
	*argument = (struct abi_print_argument){ABI_PRINT_POINTER, 8, 1, 0};
	if (!is_string)
		return FE_OK;
	printing->literals[index] = literal_of(value);
	argument->kind = printing->literals[index] ? ABI_PRINT_STRING : ABI_PRINT_TEXT;
	argument->element_B = 4;
	return FE_OK;
}

static enum fe_status take_arguments(struct printing *printing)
{
	struct abi_format *format = &printing->format;
	const char *at = format->text, *end = at + format->text_size_B;
	struct abi_conversion conversion;
	bool more = true;
	for (unsigned i = 0; i < format->argument_count; i++) {
		do {
			more = more && abi_conversion_find(at, end, &conversion);
			at = more ? conversion.text + conversion.text_size_B : end;
		} while (more && conversion.letter == '%');
		enum fe_status status =
			take_argument(printing, i, more && conversion.letter == 's');
		if (status)
			return status;
	}
	abi_format_arrange(format);
	return FE_OK;
}

/* --- the function ------------------------------------------------------------------------- */

static LLVMValueRef number(LLVMTypeRef type, uint64_t value)
{
	return LLVMConstInt(type, value, false);
}

/* The address that lies offset bytes (i64) beyond base (i64). */
static LLVMValueRef address_at(const struct printing *printing, LLVMValueRef base,
			       LLVMValueRef offset_B)
{
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMValueRef sum = offset_B ? LLVMBuildAdd(builder, base, offset_B, "") : base;
	return LLVMBuildIntToPtr(builder, sum, printing->pointer, "");
}

static void store(const struct printing *printing, LLVMValueRef value, LLVMValueRef record,
		  uint32_t offset_B)
{
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMValueRef offset = number(printing->i64, offset_B);
	LLVMValueRef stored = LLVMBuildStore(builder, value, address_at(printing, record, offset));
	LLVMSetAlignment(stored, offset_B % 8 ? 4 : 8);
}

static LLVMBasicBlockRef add_block(const struct printing *printing, LLVMValueRef function)
{
	return LLVMAppendBasicBlockInContext(printing->lowering->context, function, "");
}

static LLVMValueRef add_function(const struct printing *printing, const char *name,
				 LLVMTypeRef type)
{
	LLVMValueRef function = LLVMAddFunction(printing->lowering->module, name, type);
	unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(printing->lowering->context, kind, 0));
	return function;
}

static void begin_block(const struct printing *printing, LLVMBasicBlockRef block)
{
	LLVMPositionBuilderAtEnd(printing->lowering->builder, block);
	LLVMSetCurrentDebugLocation2(printing->lowering->builder, NULL);
}

/* i32 size of the text at a pointer, which may be null; limited, as it may never end. */
static LLVMValueRef make_text_size(const struct printing *printing, LLVMTypeRef pointer)
{
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMTypeRef type = LLVMFunctionType(printing->i32, &pointer, 1, false);
	LLVMValueRef function = add_function(printing, "__culvert_text_size", type);
	LLVMValueRef text = LLVMGetParam(function, 0);
	LLVMBasicBlockRef entry = add_block(printing, function);
	LLVMBasicBlockRef look = add_block(printing, function);
	LLVMBasicBlockRef next = add_block(printing, function);
	LLVMBasicBlockRef end = add_block(printing, function);
	LLVMBasicBlockRef from[] = {entry, next, look};
	begin_block(printing, entry);
	LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, text, ""), end, look);
	begin_block(printing, look);
	LLVMValueRef size = LLVMBuildPhi(builder, printing->i32, "");
	LLVMValueRef at = LLVMBuildGEP2(builder, printing->i8, text, &size, 1, "");
	LLVMValueRef c = LLVMBuildLoad2(builder, printing->i8, at, "");
	LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, c, ""), end, next);
	begin_block(printing, next);
	LLVMValueRef larger = LLVMBuildAdd(builder, size, number(printing->i32, 1), "");
	LLVMValueRef full = LLVMBuildICmp(builder, LLVMIntEQ, larger,
					  number(printing->i32, TEXT_MAX_B), "");
	LLVMBuildCondBr(builder, full, end, look);
	LLVMValueRef start[] = {number(printing->i32, 0), larger};
	LLVMAddIncoming(size, start, from, 2);
	begin_block(printing, end);
	LLVMValueRef result = LLVMBuildPhi(builder, printing->i32, "");
	LLVMValueRef sizes[] = {number(printing->i32, 0), larger, size};
	LLVMAddIncoming(result, sizes, from, 3);
	LLVMBuildRet(builder, result);
	return function;
}

/* Builds the size of the record (i64): its fixed part and its texts. sizes: those of the TEXT arguments. */
static LLVMValueRef measure(const struct printing *printing, LLVMValueRef function,
			    LLVMValueRef *sizes)
{
	const struct abi_format *format = &printing->format;
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMValueRef texts_B = NULL;
	for (unsigned i = 0; i < format->argument_count; i++) {
		if (format->arguments[i].kind != ABI_PRINT_TEXT)
			continue;
		LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
		LLVMValueRef text = LLVMGetParam(function, i);
		LLVMValueRef callee = make_text_size(printing, LLVMTypeOf(text));
		begin_block(printing, here);
		sizes[i] = LLVMBuildCall2(builder, LLVMGlobalGetValueType(callee), callee, &text,
					  1, "");
		texts_B = texts_B ? LLVMBuildAdd(builder, texts_B, sizes[i], "") : sizes[i];
	}
	LLVMValueRef fixed_B = number(printing->i64, format->record_B);
	if (!texts_B)
		return fixed_B;
	LLVMValueRef more_B = LLVMBuildZExt(builder, texts_B, printing->i64, "");
	more_B = LLVMBuildAdd(builder, more_B, number(printing->i64, ABI_PRINT_UNIT_B - 1), "");
	more_B = LLVMBuildAnd(builder, more_B,
			      number(printing->i64, ~(uint64_t)(ABI_PRINT_UNIT_B - 1)), "");
	return LLVMBuildAdd(builder, more_B, fixed_B, "");
}

static void store_arguments(const struct printing *printing, LLVMValueRef function,
			    LLVMValueRef record, LLVMValueRef *sizes)
{
	const struct abi_format *format = &printing->format;
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMValueRef text_B = number(printing->i64, format->record_B);
	for (unsigned i = 0; i < format->argument_count; i++) {
		LLVMValueRef value = LLVMGetParam(function, i);
		if (format->arguments[i].kind == ABI_PRINT_POINTER)
			value = LLVMBuildPtrToInt(builder, value, printing->i64, "");
		if (format->arguments[i].kind != ABI_PRINT_TEXT) {
			store(printing, value, record, format->arguments[i].offset_B);
			continue;
		}
		LLVMValueRef size_B = LLVMBuildZExt(builder, sizes[i], printing->i64, "");
		store(printing, sizes[i], record, format->arguments[i].offset_B);
		LLVMBuildMemCpy(builder, address_at(printing, record, text_B), 1, value, 1, size_B);
		text_B = LLVMBuildAdd(builder, text_B, size_B, "");
	}
}

static LLVMValueRef hidden_buffer(const struct printing *printing)
{
	static const char name[] = "__culvert_hidden_printf_buffer";
	LLVMTypeRef type = LLVMFunctionType(printing->i64, NULL, 0, false);
	LLVMValueRef source = LLVMGetNamedFunction(printing->lowering->module, name);
	if (!source)
		source = LLVMAddFunction(printing->lowering->module, name, type);
	return LLVMBuildCall2(printing->lowering->builder, type, source, NULL, 0, "");
}

/* Each caller reserves for itself, and adds even when there is no room: whoever
 * comes later finds none either, so the records have no gaps.  The one that begins
 * inside the buffer and ends beyond it writes its head, for the reader to stop at. */
static void build_body(const struct printing *printing, LLVMValueRef function, uint32_t index,
		       LLVMValueRef *sizes)
{
	LLVMBuilderRef builder = printing->lowering->builder;
	LLVMBasicBlockRef entry = add_block(printing, function);
	LLVMBasicBlockRef head = add_block(printing, function);
	LLVMBasicBlockRef body = add_block(printing, function);
	LLVMBasicBlockRef full = add_block(printing, function);
	begin_block(printing, entry);
	LLVMValueRef record_B = measure(printing, function, sizes);
	LLVMValueRef buffer = hidden_buffer(printing);
	LLVMValueRef start_B = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd,
						  address_at(printing, buffer, NULL), record_B,
						  LLVMAtomicOrderingMonotonic, false);
	LLVMValueRef capacity_B = LLVMBuildLoad2(
		builder, printing->i64,
		address_at(printing, buffer,
			   number(printing->i64, offsetof(struct abi_print_header, capacity_B))),
		"");
	LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, start_B, capacity_B, ""), head,
			full);
	begin_block(printing, head);
	LLVMValueRef records =
		LLVMBuildAdd(builder, buffer,
			     number(printing->i64, sizeof(struct abi_print_header)), "");
	LLVMValueRef record = LLVMBuildAdd(builder, records, start_B, "");
	store(printing, number(printing->i32, index), record, 0);
	store(printing, LLVMBuildTrunc(builder, record_B, printing->i32, ""), record, 4);
	LLVMValueRef end_B = LLVMBuildAdd(builder, start_B, record_B, "");
	LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULE, end_B, capacity_B, ""), body,
			full);
	begin_block(printing, body);
	store_arguments(printing, function, record, sizes);
	LLVMBuildRet(builder, number(printing->i32, 0));
	begin_block(printing, full);
	/* OpenCL C 3.0, 6.15.14: -1 when it could not be printed. */
	LLVMBuildRet(builder, number(printing->i32, UINT32_MAX));
}

/* --- a call --------------------------------------------------------------------------------- */

/* Builds the arguments that the function gets; a literal is passed as its index. */
static bool gather_arguments(struct printing *printing, LLVMValueRef *arguments,
			     LLVMTypeRef *types)
{
	for (unsigned i = 0; i < printing->format.argument_count; i++) {
		struct abi_format literal = {0};
		uint32_t index = ABI_PRINT_NULL;
		arguments[i] = LLVMGetOperand(printing->call, i + 1);
		if (printing->literals[i]) {
			if (!LLVMIsAConstantPointerNull(printing->literals[i]) &&
			    (!copy_text(&literal, printing->literals[i]) ||
			     !add_format(printing->lowering->abi, &literal, &index)))
				return false;
			arguments[i] = number(printing->i32, index);
		}
		types[i] = LLVMTypeOf(arguments[i]);
	}
	return true;
}

/* values has room for three lists with an item for every argument each. */
static enum fe_status replace_call(struct printing *printing, LLVMValueRef *values)
{
	const unsigned count = printing->format.argument_count;
	LLVMValueRef *arguments = values, *sizes = values + count;
	LLVMTypeRef *types = calloc(count + 1, sizeof(*types));
	uint32_t index;
	if (!types || !gather_arguments(printing, arguments, types)) {
		free(types);
		return FE_NO_MEMORY;
	}
	/* The format comes after the literals that gathering the arguments added. */
	index = printing->lowering->abi->format_count;
	LLVMTypeRef type = LLVMFunctionType(printing->i32, types, count, false);
	free(types);
	LLVMValueRef function = add_function(printing, "__culvert_printf", type);
	build_body(printing, function, index, sizes);
	LLVMPositionBuilderBefore(printing->lowering->builder, printing->call);
	LLVMValueRef call = LLVMBuildCall2(printing->lowering->builder, type, function, arguments,
					   count, "");
	LLVMReplaceAllUsesWith(printing->call, call);
	LLVMInstructionEraseFromParent(printing->call);
	return add_format(printing->lowering->abi, &printing->format, &index) ? FE_OK :
		FE_NO_MEMORY;
}

static enum fe_status lower_call(struct printing *printing)
{
	LLVMValueRef literal = literal_of(LLVMGetOperand(printing->call, 0));
	const unsigned count = LLVMGetNumArgOperands(printing->call) - 1;
	if (!literal || LLVMIsAConstantPointerNull(literal))
		return refuse(printing, "the format is not a string literal");
	LLVMValueRef *values = calloc(3 * (size_t)count + 1, sizeof(*values));
	printing->format.arguments = calloc(count + 1, sizeof(*printing->format.arguments));
	printing->format.argument_count = count;
	enum fe_status status = FE_NO_MEMORY;
	if (values && printing->format.arguments && copy_text(&printing->format, literal)) {
		printing->literals = values + 2 * count;
		status = take_arguments(printing);
		if (!status)
			status = replace_call(printing, values);
	}
	free(values);
	free(printing->format.text);
	free(printing->format.arguments);
	return status;
}

/* A function printf that has a body is the program's own. */
static LLVMValueRef find_printf(const struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, "printf");
	return function && LLVMIsDeclaration(function) &&
			       LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) ?
		function : NULL;
}

enum fe_status fe_lower_printf(struct lowering *lowering)
{
	LLVMValueRef function = find_printf(lowering);
	LLVMUseRef use;
	while (function && (use = LLVMGetFirstUse(function)) != NULL) {
		struct printing printing = {
			.lowering = lowering,
			.call = fe_use_call(use),
			.i8 = LLVMInt8TypeInContext(lowering->context),
			.i32 = LLVMInt32TypeInContext(lowering->context),
			.i64 = LLVMInt64TypeInContext(lowering->context),
			.pointer = LLVMPointerTypeInContext(lowering->context, LOWER_SPACE_GLOBAL),
		};
		if (!printing.call) {
			bytes_append_string(lowering->log,
					    "error: printf can only be called; its address cannot be used\n");
			return FE_COMPILE_FAILED;
		}
		enum fe_status status = lower_call(&printing);
		if (status)
			return status;
	}
	if (function)
		LLVMDeleteFunction(function);
	return FE_OK;
}
