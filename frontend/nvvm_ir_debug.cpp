#include "config.h"

#include "frontend/nvvm_ir_debug.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>
#if LLVM_VERSION_MAJOR >= 19
#include <llvm/IR/DebugProgramInstruction.h>
#endif

namespace {

/* Writes one definition: its fields with commas between them. */
class node_writer {
public:
	node_writer(ir_printer *printer, const llvm::Metadata *node, const char *name,
		    bool distinct = false)
		: printer(printer)
	{
		fe_ir_print(printer, "!%u = %s!%s(", number(node), distinct ? "distinct " : "", name);
	}

	~node_writer() { fe_ir_print(printer, ")\n"); }

	node_writer(const node_writer &) = delete;
	node_writer &operator=(const node_writer &) = delete;

	void text(const char *field, llvm::StringRef value, bool always = false)
	{
		if (value.empty() && !always)
			return;
		begin(field);
		fe_ir_quoted(printer, value.data(), value.size());
	}

	void word(const char *field, llvm::StringRef value)
	{
		begin(field);
		fe_ir_print(printer, "%s", value.str().c_str());
	}

	void natural(const char *field, uint64_t value, bool always = false)
	{
		if (!value && !always)
			return;
		begin(field);
		fe_ir_print(printer, "%l", value);
	}

	void flag(const char *field, bool value)
	{
		word(field, value ? "true" : "false");
	}

	void node(const char *field, const llvm::Metadata *value)
	{
		if (!value)
			return;
		begin(field);
		reference(value);
	}

	/* Writes a list of nodes in place; a missing node, such as that of void, is written as null. */
	void list(const char *field, const llvm::MDNode *values)
	{
		begin(field);
		fe_ir_print(printer, "!{");
		for (unsigned i = 0; values && i < values->getNumOperands(); i++) {
			fe_ir_print(printer, i ? ", " : "");
			reference(values->getOperand(i).get());
		}
		fe_ir_print(printer, "}");
	}

private:
	uint32_t number(const llvm::Metadata *node)
	{
		return fe_ir_id(printer, &printer->nodes, node);
	}

	void reference(const llvm::Metadata *value)
	{
		if (value)
			fe_ir_print(printer, "!%u", number(value));
		else
			fe_ir_print(printer, "null");
	}

	void begin(const char *field)
	{
		fe_ir_print(printer, "%s%s: ", separator, field);
		separator = ", ";
	}

	ir_printer *printer;
	const char *separator = "";
};

/* A program is a string, whose file Clang calls "<kernel>"; its first function is in the file that a #line names. */
const llvm::DIFile *file_of(const ir_printer *printer, const llvm::DICompileUnit *unit)
{
	for (const llvm::Function &function : *llvm::unwrap(printer->module)) {
		const llvm::DISubprogram *description = function.getSubprogram();
		if (description && description->getUnit() == unit && description->getFile())
			return description->getFile();
	}
	return unit->getFile();
}

void write_unit(ir_printer *printer, const llvm::DICompileUnit *unit)
{
	node_writer writer(printer, unit, "DICompileUnit", true);
	writer.word("language", "DW_LANG_C99");
	writer.node("file", file_of(printer, unit));
	writer.text("producer", "Culvert", true);
	writer.flag("isOptimized", false);
	writer.natural("runtimeVersion", 0, true);
	writer.word("emissionKind", "FullDebug");
}

/* Writes the file that a debugger opens, with its folder if Clang knows it. */
void write_file(ir_printer *printer, const llvm::DIFile *file)
{
	node_writer writer(printer, file, "DIFile");
	writer.text("filename", file->getFilename(), true);
	writer.text("directory", file->getDirectory(), true);
}

/* Returns the name of a function's code; empty if it has none in this module. */
llvm::StringRef code_name(const ir_printer *printer, const llvm::DISubprogram *description)
{
	for (const llvm::Function &function : *llvm::unwrap(printer->module))
		if (function.getSubprogram() == description)
			return function.getName();
	return description->getLinkageName();
}

/* The linkage name is there for C, too, as nvcc writes it: compute-sanitizer finds functions by it. */
void write_function(ir_printer *printer, const llvm::DISubprogram *function)
{
	node_writer writer(printer, function, "DISubprogram", true);
	writer.text("name", function->getName());
	writer.text("linkageName", code_name(printer, function));
	writer.node("scope", function->getFile());
	writer.node("file", function->getFile());
	writer.natural("line", function->getLine());
	writer.node("type", function->getType());
	writer.flag("isLocal", false);
	writer.flag("isDefinition", true);
	writer.natural("scopeLine", function->getScopeLine());
	writer.word("flags", "DIFlagPrototyped");
	writer.flag("isOptimized", false);
	writer.node("unit", function->getUnit());
	writer.list("retainedNodes", nullptr);
}

void write_block(ir_printer *printer, const llvm::DILexicalBlock *block)
{
	node_writer writer(printer, block, "DILexicalBlock", true);
	writer.node("scope", block->getScope());
	writer.node("file", block->getFile());
	writer.natural("line", block->getLine());
	writer.natural("column", block->getColumn());
}

void write_block_file(ir_printer *printer, const llvm::DILexicalBlockFile *block)
{
	node_writer writer(printer, block, "DILexicalBlockFile");
	writer.node("scope", block->getScope());
	writer.node("file", block->getFile());
	writer.natural("discriminator", 0, true);
}

void write_variable(ir_printer *printer, const llvm::DILocalVariable *variable)
{
	node_writer writer(printer, variable, "DILocalVariable");
	writer.text("name", variable->getName());
	writer.natural("arg", variable->getArg());
	writer.node("scope", variable->getScope());
	writer.node("file", variable->getFile());
	writer.natural("line", variable->getLine());
	writer.node("type", variable->getType());
}

void write_basic(ir_printer *printer, const llvm::DIBasicType *type)
{
	node_writer writer(printer, type, "DIBasicType");
	writer.word("tag", llvm::dwarf::TagString(type->getTag()));
	writer.text("name", type->getName());
	writer.natural("size", type->getSizeInBits());
	if (type->getEncoding())
		writer.word("encoding", llvm::dwarf::AttributeEncodingString(type->getEncoding()));
}

/* Types that DWARF tells by their tag: pointers, members, typedefs and qualifiers. */
void write_derived(ir_printer *printer, const llvm::DIDerivedType *type)
{
	node_writer writer(printer, type, "DIDerivedType");
	writer.word("tag", llvm::dwarf::TagString(type->getTag()));
	writer.text("name", type->getName());
	if (type->getTag() == llvm::dwarf::DW_TAG_member)
		writer.node("scope", type->getScope());
	writer.node("file", type->getFile());
	writer.natural("line", type->getLine());
	if (type->getBaseType())
		writer.node("baseType", type->getBaseType());
	else
		writer.word("baseType", "null");
	writer.natural("size", type->getSizeInBits());
	writer.natural("align", type->getAlignInBits());
	writer.natural("offset", type->getOffsetInBits());
}

void write_composite(ir_printer *printer, const llvm::DICompositeType *type)
{
	node_writer writer(printer, type, "DICompositeType", type->isDistinct());
	writer.word("tag", llvm::dwarf::TagString(type->getTag()));
	writer.text("name", type->getName());
	writer.node("file", type->getFile());
	writer.natural("line", type->getLine());
	writer.node("baseType", type->getBaseType());
	writer.natural("size", type->getSizeInBits());
	writer.natural("align", type->getAlignInBits());
	if (type->isVector())
		writer.word("flags", "DIFlagVector");
	else if (type->isForwardDecl())
		writer.word("flags", "DIFlagFwdDecl");
	writer.list("elements", type->getElements().get());
}

void write_range(ir_printer *printer, const llvm::DISubrange *range)
{
	node_writer writer(printer, range, "DISubrange");
	auto *count = llvm::dyn_cast_if_present<llvm::ConstantAsMetadata>(range->getRawCountNode());
	auto *number = count ? llvm::dyn_cast<llvm::ConstantInt>(count->getValue()) : nullptr;
	if (number && !number->isNegative())
		writer.natural("count", number->getZExtValue(), true);
	else
		writer.word("count", "-1");
}

void write_enumerator(ir_printer *printer, const llvm::DIEnumerator *enumerator)
{
	node_writer writer(printer, enumerator, "DIEnumerator");
	llvm::SmallString<32> value;
	enumerator->getValue().toString(value, 10, !enumerator->isUnsigned());
	writer.text("name", enumerator->getName(), true);
	writer.word("value", value);
	if (enumerator->isUnsigned())
		writer.flag("isUnsigned", true);
}

void write_signature(ir_printer *printer, const llvm::DISubroutineType *type)
{
	node_writer writer(printer, type, "DISubroutineType");
	writer.list("types", type->getTypeArray().get());
}

#if LLVM_VERSION_MAJOR >= 19

/* Describes a variable that lies in memory, at this address or at the address stored there; other variables
 * are not described. */
const char *expression_text(const llvm::DIExpression *expression)
{
	if (!expression->getNumElements())
		return "!DIExpression()";
	return expression->getNumElements() == 1 &&
			       expression->getElement(0) == llvm::dwarf::DW_OP_deref
		       ? "!DIExpression(DW_OP_deref)"
		       : nullptr;
}

void write_declare(ir_printer *printer, llvm::DbgVariableRecord &record)
{
	llvm::Value *address = record.isDbgDeclare() ? record.getAddress() : nullptr;
	const llvm::DILocation *place = record.getDebugLoc();
	const char *expression = expression_text(record.getExpression());
	if (!address || !place || !expression || llvm::isa<llvm::UndefValue>(address) ||
	    place->getScope()->getSubprogram() != record.getFunction()->getSubprogram())
		return;
	printer->has_declares = true;
	fe_ir_print(printer, "  call void @llvm.dbg.declare(metadata %V, metadata !%u, metadata %s), "
			     "!dbg !DILocation(line: %u, column: %u, scope: !%u)\n",
		    llvm::wrap(address),
		    fe_ir_id(printer, &printer->nodes, record.getVariable()), expression,
		    place->getLine(), place->getColumn(),
		    fe_ir_id(printer, &printer->nodes, place->getScope()));
}

#endif

} // namespace

bool fe_ir_debug_is_full(LLVMModuleRef module)
{
	for (const llvm::Function &function : *llvm::unwrap(module)) {
		const llvm::DISubprogram *described = function.getSubprogram();
		if (described && described->getUnit() &&
		    described->getUnit()->getEmissionKind() == llvm::DICompileUnit::FullDebug)
			return true;
	}
	return false;
}

bool fe_ir_debug_node(ir_printer *printer, LLVMMetadataRef node)
{
	const llvm::Metadata *metadata = llvm::unwrap(node);
	switch (metadata->getMetadataID()) {
#define WRITE(type, write)                                             \
	case llvm::Metadata::type##Kind:                               \
		write(printer, llvm::cast<llvm::type>(metadata));      \
		return true
	WRITE(DICompileUnit, write_unit);
	WRITE(DIFile, write_file);
	WRITE(DISubprogram, write_function);
	WRITE(DILexicalBlock, write_block);
	WRITE(DILexicalBlockFile, write_block_file);
	WRITE(DILocalVariable, write_variable);
	WRITE(DIBasicType, write_basic);
	WRITE(DIDerivedType, write_derived);
	WRITE(DICompositeType, write_composite);
	WRITE(DISubrange, write_range);
	WRITE(DIEnumerator, write_enumerator);
	WRITE(DISubroutineType, write_signature);
#undef WRITE
	default:
		return false;
	}
}

void fe_ir_debug_variables(ir_printer *printer, LLVMValueRef instruction)
{
#if LLVM_VERSION_MAJOR >= 19
	auto *i = llvm::unwrap<llvm::Instruction>(instruction);
	for (llvm::DbgVariableRecord &record : llvm::filterDbgVars(i->getDbgRecordRange()))
		write_declare(printer, record);
#else
	/* In these versions variables are described by calls, which the passes do not know, so Clang is not
	 * asked for them. */
	(void)printer;
	(void)instruction;
#endif
}
