#include "config.h"

#include "frontend/nvvm_ir.h"

#include <stdlib.h>
#include <string.h>

/* Attributes that both dialects have with the same meaning.  Not optnone: it requires noinline, which kernels must
 * not have, and libnvvm's optimization level has the same effect. */
static const char *const function_names[] = {
	"alwaysinline", "cold", "convergent", "inlinehint", "minsize", "noduplicate", "noinline",
	"norecurse", "noreturn", "nounwind", "optsize", "readnone", "readonly", "speculatable",
	"writeonly",
};

static const char *const value_names[] = {
	"noalias", "nocapture", "nonnull", "readnone", "readonly", "signext", "writeonly",
	"zeroext",
};

static unsigned kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void know_names(struct ir_printer *printer, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned kind = kind_of(names[i]);
		if (kind && kind < IR_ATTRIBUTE_KINDS)
			printer->attribute_names[kind] = names[i];
	}
}

void fe_ir_attributes_init(struct ir_printer *printer)
{
	know_names(printer, function_names, sizeof(function_names) / sizeof(*function_names));
	know_names(printer, value_names, sizeof(value_names) / sizeof(*value_names));
	printer->attribute_noinline = kind_of("noinline");
	printer->attribute_optnone = kind_of("optnone");
	printer->attribute_memory = kind_of("memory");
	printer->attribute_align = kind_of("align");
	printer->attribute_dereferenceable = kind_of("dereferenceable");
	printer->attribute_byval = kind_of("byval");
	printer->attribute_sret = kind_of("sret");
}

static bool is_function(LLVMValueRef function_or_call)
{
	return LLVMIsAFunction(function_or_call) != NULL;
}

static LLVMAttributeRef find_attribute(LLVMValueRef function_or_call, unsigned index, unsigned kind)
{
	if (!kind)
		return NULL;
	if (is_function(function_or_call))
		return LLVMGetEnumAttributeAtIndex(function_or_call, index, kind);
	return LLVMGetCallSiteEnumAttribute(function_or_call, index, kind);
}

/* Returns the type of a parameter's elements if the parameter is declared with it; otherwise NULL. */
static LLVMTypeRef element_type(LLVMValueRef function_or_call, unsigned index)
{
	if (!is_function(function_or_call) ||
	    !LLVMGetStringAttributeAtIndex(function_or_call, index + 1, FE_TYPED_PARAMETER,
					   (unsigned)strlen(FE_TYPED_PARAMETER)))
		return NULL;
	LLVMUseRef use = LLVMGetFirstUse(LLVMGetParam(function_or_call, index));
	LLVMValueRef element = use ? LLVMIsAGetElementPtrInst(LLVMGetUser(use)) : NULL;
	return element ? LLVMGetGEPSourceElementType(element) : NULL;
}

enum ir_passing fe_ir_passing(struct ir_printer *printer, LLVMValueRef function_or_call,
			      unsigned index, LLVMTypeRef *pointee_out)
{
	LLVMAttributeRef attribute =
		find_attribute(function_or_call, index + 1, printer->attribute_byval);
	enum ir_passing passing = IR_PASS_BYVAL;
	if (!attribute) {
		attribute = find_attribute(function_or_call, index + 1, printer->attribute_sret);
		passing = IR_PASS_SRET;
	}
	if (!attribute) {
		*pointee_out = element_type(function_or_call, index);
		return *pointee_out ? IR_PASS_TYPED : IR_PASS_PLAIN;
	}
	*pointee_out = LLVMGetTypeAttributeValue(attribute);
	return passing;
}

void fe_ir_passing_keyword(struct ir_printer *printer, enum ir_passing passing,
			   LLVMTypeRef pointee)
{
	if (passing != IR_PASS_BYVAL && passing != IR_PASS_SRET)
		return;
	fe_ir_print(printer, passing == IR_PASS_BYVAL ? " byval" : " sret");
	if (printer->typed_byval)
		fe_ir_print(printer, "(%t)", pointee);
}

/* Returns the enum attributes at an index; NULL if there are none. */
static LLVMAttributeRef *list_attributes(struct ir_printer *printer, LLVMValueRef function_or_call,
					 unsigned index, unsigned *count_out)
{
	bool function = is_function(function_or_call);
	unsigned count = function ? LLVMGetAttributeCountAtIndex(function_or_call, index)
				  : LLVMGetCallSiteAttributeCount(function_or_call, index);
	if (!count)
		return NULL;
	LLVMAttributeRef *attributes = calloc(count, sizeof(*attributes));
	if (!attributes) {
		printer->failed = true;
		return NULL;
	}
	if (function)
		LLVMGetAttributesAtIndex(function_or_call, index, attributes);
	else
		LLVMGetCallSiteAttributes(function_or_call, index, attributes);
	unsigned kept = 0;
	for (unsigned i = 0; i < count; i++) {
		if (LLVMIsEnumAttribute(attributes[i]))
			attributes[kept++] = attributes[i];
	}
	*count_out = kept;
	return attributes;
}

static const char *attribute_name(const struct ir_printer *printer, unsigned kind,
				  const char *const *names, size_t count)
{
	const char *name = kind < IR_ATTRIBUTE_KINDS ? printer->attribute_names[kind] : NULL;
	for (size_t i = 0; name && i < count; i++) {
		if (!strcmp(names[i], name))
			return name;
	}
	return NULL;
}

void fe_ir_value_attributes(struct ir_printer *printer, LLVMValueRef function_or_call,
			    unsigned index)
{
	unsigned count = 0;
	LLVMAttributeRef *attributes = list_attributes(printer, function_or_call, index, &count);
	for (unsigned i = 0; i < count; i++) {
		unsigned kind = LLVMGetEnumAttributeKind(attributes[i]);
		uint64_t value = LLVMGetEnumAttributeValue(attributes[i]);
		const char *name = attribute_name(printer, kind, value_names,
						  sizeof(value_names) / sizeof(*value_names));
		if (kind == printer->attribute_align)
			fe_ir_print(printer, " align %l", value);
		else if (kind == printer->attribute_dereferenceable)
			fe_ir_print(printer, " dereferenceable(%l)", value);
		else if (name)
			fe_ir_print(printer, " %s", name);
	}
	free(attributes);
}

/* memory(...) holds two bits (1 may read, 2 may write) for each kind of place. */
static void print_memory(struct ir_printer *printer, uint64_t value)
{
	enum { READ = 1, WRITE = 2 };
	uint64_t argument = value & 3, inaccessible = value >> 2 & 3, other = value >> 4;
	while (other > 3)       /* later LLVMs split places off "other" */
		other = (other & 3) | other >> 2;
	uint64_t any = argument | inaccessible | other;
	if (!any) {
		fe_ir_print(printer, " readnone");
		return;
	}
	if (!(any & WRITE))
		fe_ir_print(printer, " readonly");
	else if (!(any & READ))
		fe_ir_print(printer, " writeonly");
	if (!other && !inaccessible)
		fe_ir_print(printer, " argmemonly");
	else if (!other && !argument)
		fe_ir_print(printer, " inaccessiblememonly");
	else if (!other)
		fe_ir_print(printer, " inaccessiblemem_or_argmemonly");
}

void fe_ir_function_attributes(struct ir_printer *printer, LLVMValueRef function_or_call,
			       bool is_kernel)
{
	unsigned count = 0;
	unsigned index = (unsigned)LLVMAttributeFunctionIndex;
	LLVMAttributeRef *attributes = list_attributes(printer, function_or_call, index, &count);
	bool may_inline = is_kernel || find_attribute(function_or_call, index,
						      printer->attribute_optnone);
	for (unsigned i = 0; i < count; i++) {
		unsigned kind = LLVMGetEnumAttributeKind(attributes[i]);
		const char *name = attribute_name(printer, kind, function_names,
						  sizeof(function_names) / sizeof(*function_names));
		if (printer->attribute_memory && kind == printer->attribute_memory)
			print_memory(printer, LLVMGetEnumAttributeValue(attributes[i]));
		else if (name && !(may_inline && kind == printer->attribute_noinline))
			fe_ir_print(printer, " %s", name);
	}
	free(attributes);
}
