#include "config.h"

#include "frontend/nvvm_ir_debug.h"

#include <string.h>

enum { SPACE_LOCAL = 3 };

static const char *linkage_name(LLVMValueRef global)
{
	switch (LLVMGetLinkage(global)) {
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage:
		return " internal";
	case LLVMLinkOnceAnyLinkage:
		return " linkonce";
	case LLVMLinkOnceODRLinkage:
		return " linkonce_odr";
	case LLVMWeakAnyLinkage:
		return " weak";
	case LLVMWeakODRLinkage:
		return " weak_odr";
	case LLVMCommonLinkage:
		return " common";
	default:
		return "";
	}
}

/* llvm.used, llvm.global_ctors and similar variables are only for linkers. */
static bool is_bookkeeping(LLVMValueRef variable)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(variable, &size_B);
	return size_B > 5 && !memcmp(name, "llvm.", 5);
}

static void print_variable(struct ir_printer *printer, LLVMValueRef variable)
{
	LLVMValueRef initializer = LLVMGetInitializer(variable);
	unsigned space = fe_ir_address_space(LLVMTypeOf(variable));
	if (LLVMIsThreadLocal(variable))
		fe_ir_error(printer, "a thread-local variable");
	fe_ir_global_name(printer, variable);
	fe_ir_print(printer, " =%s", initializer ? linkage_name(variable) : " external");
	if (space)
		fe_ir_print(printer, " addrspace(%u)", space);
	fe_ir_print(printer, " %s %t", LLVMIsGlobalConstant(variable) ? "constant" : "global",
		    LLVMGlobalGetValueType(variable));
	if (initializer) {
		/* Local memory is not initialized; libnvvm requires the initializer undef. */
		if (space == SPACE_LOCAL)
			fe_ir_print(printer, " undef");
		else
			fe_ir_print(printer, " %v", initializer);
	}
	if (LLVMGetAlignment(variable))
		fe_ir_print(printer, ", align %u", LLVMGetAlignment(variable));
	fe_ir_print(printer, "\n");
}

static void print_parameters(struct ir_printer *printer, LLVMValueRef function, bool named)
{
	unsigned count = LLVMCountParams(function);
	fe_ir_print(printer, fe_ir_lacks_size(function) ? "(i64, " : "(");
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef parameter = LLVMGetParam(function, i);
		LLVMTypeRef type = LLVMTypeOf(parameter), pointee;
		enum ir_passing passing = fe_ir_passing(printer, function, i, &pointee);
		fe_ir_print(printer, i ? ", " : "");
		if (passing == IR_PASS_PLAIN)
			fe_ir_type(printer, type);
		else
			fe_ir_pointer_type(printer, pointee, fe_ir_address_space(type));
		fe_ir_passing_keyword(printer, passing, pointee);
		fe_ir_value_attributes(printer, function, i + 1);
		if (named && passing == IR_PASS_PLAIN)
			fe_ir_print(printer, " %v", parameter);
		else if (named)
			fe_ir_print(printer, " %%a%u", i);
	}
	fe_ir_print(printer, ")");
}

static bool is_kernel(const struct abi_program *abi, LLVMValueRef function)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(function, &size_B);
	for (uint32_t i = 0; i < abi->kernel_count; i++) {
		if (!strcmp(abi->kernels[i].entry, name))
			return true;
	}
	return false;
}

static void print_head(struct ir_printer *printer, const char *keyword, const char *linkage,
		       LLVMValueRef function)
{
	fe_ir_print(printer, "\n%s%s", keyword, linkage);
	fe_ir_value_attributes(printer, function, (unsigned)LLVMAttributeReturnIndex);
	fe_ir_print(printer, " %t ", LLVMGetReturnType(LLVMGlobalGetValueType(function)));
	fe_ir_global_name(printer, function);
}

static void print_declaration(struct ir_printer *printer, LLVMValueRef function)
{
	/* A function that cannot be written is reported at its call. */
	if (!LLVMGetFirstUse(function) || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		return;
	print_head(printer, "declare", "", function);
	print_parameters(printer, function, false);
	if (!fe_ir_name_is_intrinsic(function))
		fe_ir_function_attributes(printer, function, false);
	fe_ir_print(printer, "\n");
}

/* In the text a parameter points to its type; the body uses i8 pointers. */
static void print_parameter_casts(struct ir_printer *printer, LLVMValueRef function)
{
	unsigned count = LLVMCountParams(function);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef parameter = LLVMGetParam(function, i);
		LLVMTypeRef type = LLVMTypeOf(parameter), pointee;
		if (fe_ir_passing(printer, function, i, &pointee) == IR_PASS_PLAIN)
			continue;
		fe_ir_print(printer, "%rbitcast %p %%a%u to %t\n", parameter, pointee,
			    fe_ir_address_space(type), i, type);
	}
}

static void print_definition(struct ir_printer *printer, LLVMValueRef function, bool kernel)
{
	printer->function = function;
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		fe_ir_error(printer, "a function that takes any number of arguments");
	print_head(printer, "define", linkage_name(function), function);
	print_parameters(printer, function, true);
	fe_ir_function_attributes(printer, function, kernel);
	fe_ir_function_lines(printer, function);
	fe_ir_print(printer, " {\n");
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (bool first = true; block; block = LLVMGetNextBasicBlock(block), first = false) {
		fe_ir_print(printer, "b%u:\n",
			    fe_ir_value_id(printer, LLVMBasicBlockAsValue(block)));
		if (first)
			print_parameter_casts(printer, function);
		LLVMValueRef i = LLVMGetFirstInstruction(block);
		for (; i; i = LLVMGetNextInstruction(i)) {
			if (printer->is_full_debug && printer->has_lines)
				fe_ir_debug_variables(printer, i);
			fe_ir_instruction(printer, i);
		}
	}
	fe_ir_print(printer, "}\n");
	printer->function = NULL;
}

/* Whether the intrinsic is also declared for global memory: both have one name in the text, which must declare it
 * only once. */
static bool has_global_twin(struct ir_printer *printer, LLVMValueRef function)
{
	size_t size_B;
	const char *name = LLVMGetValueName2(function, &size_B);
	char twin_name[128];
	if (!fe_ir_name_is_intrinsic(function) || !strstr(name, ".p4") ||
	    size_B >= sizeof(twin_name))
		return false;
	memcpy(twin_name, name, size_B + 1);
	for (char *at = twin_name; (at = strstr(at, ".p4")) != NULL; at += 3)
		at[2] = '1';
	LLVMValueRef twin = LLVMGetNamedFunction(printer->module, twin_name);
	return twin && LLVMGetFirstUse(twin);
}

static void print_functions(struct ir_printer *printer, const struct abi_program *abi)
{
	LLVMValueRef function = LLVMGetFirstFunction(printer->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		if (!LLVMIsDeclaration(function))
			print_definition(printer, function, is_kernel(abi, function));
		else if (!has_global_twin(printer, function))
			print_declaration(printer, function);
	}
}

static void print_annotation(struct ir_printer *printer, const struct abi_kernel *kernel,
			     LLVMValueRef function, uint32_t node)
{
	/* If work-groups need not be uniform, those at the edges are smaller. */
	const char *key = kernel->uniform_groups ? "reqntid" : "maxntid";
	const uint32_t *local = kernel->required_local;
	fe_ir_print(printer, "!%u = !{", node);
	fe_ir_function_type(printer, function);
	fe_ir_print(printer, "* ");
	fe_ir_global_name(printer, function);
	fe_ir_print(printer, ", !\"kernel\", i32 1");
	if (local[0])
		fe_ir_print(printer,
			    ", !\"%sx\", i32 %u, !\"%sy\", i32 %u, !\"%sz\", i32 %u",
			    key, local[0], key, local[1], key, local[2]);
	fe_ir_print(printer, "}\n");
}

static void print_annotations(struct ir_printer *printer, const struct abi_program *abi)
{
	uint32_t first = printer->node_count;
	for (uint32_t i = 0; i < abi->kernel_count; i++) {
		const struct abi_kernel *kernel = &abi->kernels[i];
		LLVMValueRef function = LLVMGetNamedFunction(printer->module, kernel->entry);
		if (function && !LLVMIsDeclaration(function))
			print_annotation(printer, kernel, function, printer->node_count++);
		else
			fe_ir_error(printer, "kernel %s, which is not in the module", kernel->name);
	}
	if (printer->node_count == first)
		return;
	fe_ir_print(printer, "!nvvm.annotations = !{");
	for (uint32_t node = first; node < printer->node_count; node++)
		fe_ir_print(printer, "%s!%u", node > first ? ", " : "", node);
	fe_ir_print(printer, "}\n");
}

static void print_body(struct ir_printer *printer, const struct abi_program *abi)
{
	LLVMValueRef variable = LLVMGetFirstGlobal(printer->module);
	for (; variable; variable = LLVMGetNextGlobal(variable)) {
		if (!is_bookkeeping(variable))
			print_variable(printer, variable);
	}
	print_functions(printer, abi);
	if (printer->has_declares)
		fe_ir_print(printer, "declare void @llvm.dbg.declare(metadata, metadata, metadata)\n");
	fe_ir_print(printer, "\n");
	fe_ir_metadata_define(printer);
	print_annotations(printer, abi);
}

/* The structs are known after the body is written, but have to be declared before it. */
static void print_module(struct ir_printer *printer, const struct abi_program *abi,
			 struct bytes *text)
{
	struct bytes body = BYTES_INIT;
	printer->text = &body;
	print_body(printer, abi);
	printer->text = text;
	fe_ir_head(printer);
	fe_ir_types_define(printer);
	bytes_append(text, bytes_string(&body), body.size_B);
	if (bytes_failed(&body) || bytes_failed(text))
		printer->failed = true;
	bytes_finish(&body);
}

static void printer_finish(struct ir_printer *printer)
{
	fe_set_finish(&printer->values);
	fe_set_finish(&printer->types);
	fe_set_finish(&printer->names);
	fe_set_finish(&printer->nodes);
	fe_set_finish(&printer->line_functions);
	fe_ir_metadata_finish(printer);
}

enum fe_status fe_module_print(const struct fe_module *module, const struct abi_program *abi,
			       const struct fe_compile_job *target, struct bytes *text_out,
			       struct bytes *log)
{
	struct bytes text = BYTES_INIT;
	struct ir_printer printer = {
		.context = module->context,
		.module = module->module,
		.log = log,
		.sm = target->sm,
		.nvvm_lacks = target->nvvm_lacks,
		.typed_byval = nvvm_reads_newer_dialect(target->sm, target->nvvm_lacks),
	};
	fe_ir_attributes_init(&printer);
	fe_ir_metadata_init(&printer);
	fe_ir_layout_init(&printer);
	print_module(&printer, abi, &text);

	enum fe_status status = FE_OK;
	if (printer.failed)
		status = FE_NO_MEMORY;
	else if (printer.error_count)
		status = FE_INTERNAL;
	printer_finish(&printer);
	if (status == FE_OK)
		bytes_move(text_out, &text);
	bytes_finish(&text);
	return status;
}
