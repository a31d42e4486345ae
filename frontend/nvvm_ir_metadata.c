#include "config.h"

#include "frontend/nvvm_ir_debug.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* Kinds that have the same meaning in both dialects and help the optimizer. */
static const char *const kind_names[] = {
	"tbaa", "llvm.loop", "range", "invariant.load", "alias.scope", "noalias", "nontemporal",
	"unpredictable",
};
_Static_assert(sizeof(kind_names) / sizeof(*kind_names) == IR_METADATA_KINDS, "one id each");

/* A function's lines in a file that is not the function's own: what it includes, or #line and OpLine name. */
struct ir_line_place {
	struct ir_line_place *next;
	LLVMMetadataRef file;
	uint32_t subprogram;        /* node of the function */
};

void fe_ir_metadata_init(struct ir_printer *printer)
{
	for (unsigned i = 0; i < IR_METADATA_KINDS; i++)
		printer->metadata_kinds[i] = LLVMGetMDKindIDInContext(
			printer->context, kind_names[i], (unsigned)strlen(kind_names[i]));
	printer->is_full_debug = fe_ir_debug_is_full(printer->module);
}

void fe_ir_metadata_finish(struct ir_printer *printer)
{
	for (struct ir_line_place *next, *place = printer->line_places; place; place = next) {
		next = place->next;
		free(place);
	}
}

static uint32_t node_id(struct ir_printer *printer, const void *key)
{
	return fe_ir_id(printer, &printer->nodes, key);
}

static bool is_tuple(LLVMValueRef value)
{
	return LLVMIsAMDNode(value) &&
	       LLVMGetMetadataKind(LLVMValueAsMetadata(value)) == LLVMMDTupleMetadataKind;
}

static void print_node_operand(struct ir_printer *printer, LLVMValueRef operand)
{
	unsigned size_B;
	if (operand && LLVMIsAMDString(operand)) {
		const char *string = LLVMGetMDString(operand, &size_B);
		fe_ir_print(printer, "!");
		fe_ir_quoted(printer, string, size_B);
	} else if (operand && is_tuple(operand)) {
		fe_ir_print(printer, "!%u", node_id(printer, LLVMValueAsMetadata(operand)));
	} else if (operand && LLVMIsConstant(operand)) {
		fe_ir_print(printer, "%V", operand);
	} else {
		fe_ir_print(printer, "null");
	}
}

/* Source positions among the properties of a loop are left out: line tables do not need them, and their form differs
 * between dialects. */
static bool is_position(LLVMValueRef operand)
{
	return operand && LLVMIsAMDNode(operand) && !is_tuple(operand);
}

static void print_node(struct ir_printer *printer, LLVMMetadataRef node)
{
	LLVMValueRef value = LLVMMetadataAsValue(printer->context, node);
	unsigned count = LLVMGetMDNodeNumOperands(value);
	LLVMValueRef *operands = calloc(count + 1, sizeof(*operands));
	if (!operands) {
		printer->failed = true;
		return;
	}
	LLVMGetMDNodeOperands(value, operands);
	bool names_itself = count && operands[0] && LLVMIsAMDNode(operands[0]) &&
			    LLVMValueAsMetadata(operands[0]) == node;
	fe_ir_print(printer, "!%u = %s!{", node_id(printer, node),
		    names_itself ? "distinct " : "");
	const char *separator = "";
	for (unsigned i = 0; i < count; i++) {
		if (is_position(operands[i]))
			continue;
		fe_ir_print(printer, separator);
		print_node_operand(printer, operands[i]);
		separator = ", ";
	}
	fe_ir_print(printer, "}\n");
	free(operands);
}

/* The nodes that every line table refers to. */
enum line_node { LINE_UNIT, LINE_FILE, LINE_TYPE, LINE_RESULT };

static uint32_t line_node(struct ir_printer *printer, enum line_node which)
{
	return node_id(printer, &printer->line_keys[which]);
}

static uint32_t subprogram_node(struct ir_printer *printer, LLVMValueRef function)
{
	return node_id(printer, function);
}

static uint32_t subprogram_file_node(struct ir_printer *printer, LLVMValueRef function)
{
	return node_id(printer, (const char *)function + 1);
}

void fe_ir_function_lines(struct ir_printer *printer, LLVMValueRef function)
{
	LLVMMetadataRef described = LLVMGetSubprogram(function);
	printer->has_lines = described != NULL;
	if (printer->is_full_debug && described) {
		/* If two functions were merged into one, the node belongs to the first. */
		printer->has_lines = !fe_set_has(&printer->line_functions, described);
		printer->subprogram = node_id(printer, described);
		(void)fe_ir_id(printer, &printer->line_functions, described);
		if (printer->has_lines)
			fe_ir_print(printer, " !dbg !%u", printer->subprogram);
		return;
	}
	if (!described)
		return;
	(void)fe_ir_id(printer, &printer->line_functions, function);
	printer->subprogram = subprogram_node(printer, function);
	fe_ir_print(printer, " !dbg !%u", printer->subprogram);
}

static void print_compile_unit(struct ir_printer *printer)
{
	uint32_t file = line_node(printer, LINE_FILE);
	uint32_t result = line_node(printer, LINE_RESULT);
	fe_ir_print(printer,
		    "!%u = distinct !DICompileUnit(language: DW_LANG_C99, file: !%u, "
		    "producer: \"Culvert\", isOptimized: true, runtimeVersion: 0, "
		    "emissionKind: DebugDirectivesOnly)\n",
		    line_node(printer, LINE_UNIT), file);
	fe_ir_print(printer,
		    "!%u = !DIFile(filename: \"<program>\", directory: \"\")\n"
		    "!%u = !DISubroutineType(types: !%u)\n!%u = !{null}\n",
		    file, line_node(printer, LINE_TYPE), result, result);
}

static void print_file(struct ir_printer *printer, uint32_t node, LLVMMetadataRef file)
{
	unsigned size_B = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &size_B) : "";
	fe_ir_print(printer, "!%u = !DIFile(filename: ", node);
	fe_ir_quoted(printer, name, size_B);
	fe_ir_print(printer, ", directory: \"\")\n");
}

static void print_subprogram(struct ir_printer *printer, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	uint32_t file_node = subprogram_file_node(printer, function);
	size_t name_B;
	const char *name = LLVMGetValueName2(function, &name_B);
	unsigned line = LLVMDISubprogramGetLine(subprogram);
	fe_ir_print(printer, "!%u = distinct !DISubprogram(name: ",
		    subprogram_node(printer, function));
	fe_ir_quoted(printer, name, name_B);
	fe_ir_print(printer,
		    ", scope: !%u, file: !%u, line: %u, type: !%u, isLocal: false, "
		    "isDefinition: true, scopeLine: %u, isOptimized: true, unit: !%u)\n",
		    file_node, file_node, line, line_node(printer, LINE_TYPE), line,
		    line_node(printer, LINE_UNIT));
	print_file(printer, file_node, LLVMDIScopeGetFile(subprogram));
}

static uint32_t line_place_node(struct ir_printer *printer, const struct ir_line_place *place)
{
	return node_id(printer, (const char *)place + 1);
}

/* The line place of the function that is being printed. */
static struct ir_line_place *find_line_place(const struct ir_printer *printer, LLVMMetadataRef file)
{
	struct ir_line_place *place = printer->line_places;
	while (place && place->subprogram == printer->subprogram && place->file != file)
		place = place->next;
	return place && place->subprogram == printer->subprogram ? place : NULL;
}

/* Nothing is inlined before libnvvm, so every position lies in the function itself, if not in its file. */
static uint32_t line_scope(struct ir_printer *printer, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
	if (!file || file == LLVMDIScopeGetFile(LLVMGetSubprogram(printer->function)))
		return printer->subprogram;
	struct ir_line_place *place = find_line_place(printer, file);
	if (!place) {
		place = malloc(sizeof(*place));
		if (!place) {
			printer->failed = true;
			return printer->subprogram;
		}
		*place = (struct ir_line_place){printer->line_places, file, printer->subprogram};
		printer->line_places = place;
	}
	return line_place_node(printer, place);
}

static void print_line_places(struct ir_printer *printer)
{
	for (const struct ir_line_place *place = printer->line_places; place; place = place->next)
		fe_ir_print(printer, "!%u = !DILexicalBlockFile(scope: !%u, file: !%u, discriminator: 0)\n",
			    line_place_node(printer, place), place->subprogram,
			    node_id(printer, place->file));
}

static void print_position(struct ir_printer *printer, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	if (!location || !printer->has_lines)
		return;
	uint32_t scope = printer->is_full_debug ? node_id(printer, LLVMDILocationGetScope(location))
						: line_scope(printer, LLVMDILocationGetScope(location));
	fe_ir_print(printer, ", !dbg !DILocation(line: %u, column: %u, scope: !%u)",
		    LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), scope);
}

void fe_ir_instruction_metadata(struct ir_printer *printer, LLVMValueRef instruction)
{
	if (!LLVMHasMetadata(instruction))
		return;
	size_t count;
	LLVMValueMetadataEntry *entries =
		LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction, &count);
	for (unsigned i = 0; i < count; i++) {
		unsigned kind = LLVMValueMetadataEntriesGetKind(entries, i);
		for (unsigned known = 0; known < IR_METADATA_KINDS; known++) {
			if (printer->metadata_kinds[known] != kind)
				continue;
			LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
			fe_ir_print(printer, ", !%s !%u", kind_names[known],
				    node_id(printer, node));
		}
	}
	LLVMDisposeValueMetadataEntries(entries);
	print_position(printer, instruction);
}

static bool is_line_key(const struct ir_printer *printer, const void *item)
{
	for (unsigned i = 0; i < sizeof(printer->line_keys); i++) {
		if (item == &printer->line_keys[i])
			return true;
	}
	return (uintptr_t)item & 1;
}

/* Writes the compile units that functions refer to; each of the linked programs has its own. */
static void print_units(struct ir_printer *printer)
{
	const char *separator = "";
	for (uint32_t i = 0; i < printer->nodes.count; i++) {
		LLVMMetadataRef node = (LLVMMetadataRef)(uintptr_t)printer->nodes.items[i];
		if (is_line_key(printer, node) ||
		    LLVMGetMetadataKind(node) != LLVMDICompileUnitMetadataKind)
			continue;
		fe_ir_print(printer, "%s!%u", separator, i);
		separator = ", ";
	}
}

static void print_named(struct ir_printer *printer)
{
	uint32_t version = printer->node_count++;
	/* Of the IR, and of its debug information: libnvvm takes IR whose debug version is not newer than its own,
	 * which is 3.1 up to CUDA 12.4 at least, and nothing that is printed needs 3.2. */
	fe_ir_print(printer, "!nvvmir.version = !{!%u}\n!%u = !{i32 2, i32 0, i32 3, i32 1}\n",
		    version, version);
	if (!printer->line_functions.count)
		return;
	uint32_t flag = printer->node_count++;
	fe_ir_print(printer, "!llvm.dbg.cu = !{");
	if (printer->is_full_debug)
		print_units(printer);
	else
		fe_ir_print(printer, "!%u", line_node(printer, LINE_UNIT));
	fe_ir_print(printer, "}\n!llvm.module.flags = !{!%u}\n"
			     "!%u = !{i32 2, !\"Debug Info Version\", i32 3}\n", flag, flag);
}

static bool is_file(const void *item)
{
	return LLVMGetMetadataKind((LLVMMetadataRef)(uintptr_t)item) == LLVMDIFileMetadataKind;
}

void fe_ir_metadata_define(struct ir_printer *printer)
{
	if (printer->line_functions.count && !printer->is_full_debug)
		print_compile_unit(printer);
	print_line_places(printer);
	/* The set grows meanwhile, because nodes refer to further nodes. */
	for (uint32_t i = 0; i < printer->nodes.count; i++) {
		const void *item = printer->nodes.items[i];
		if (printer->is_full_debug &&
		    fe_ir_debug_node(printer, (LLVMMetadataRef)(uintptr_t)item))
			continue;
		if (fe_set_has(&printer->line_functions, item))
			print_subprogram(printer, (LLVMValueRef)(uintptr_t)item);
		else if (!is_line_key(printer, item) && is_file(item))
			print_file(printer, i, (LLVMMetadataRef)(uintptr_t)item);
		else if (!is_line_key(printer, item))
			print_node(printer, (LLVMMetadataRef)(uintptr_t)item);
	}
	printer->node_count = printer->nodes.count;
	print_named(printer);
}
