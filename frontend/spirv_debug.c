#include "config.h"

#include "frontend/spirv_debug.h"

#include <llvm-c/DebugInfo.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

#include <stdlib.h>
#include <string.h>

/* A file that lines are in. */
struct file {
	LLVMMetadataRef node;       /* NULL: not made yet */
	LLVMMetadataRef function, scope;   /* the last function that has lines there, and their scope */
};

struct spirv_line_table {
	LLVMDIBuilderRef builder;
	LLVMMetadataRef unit;
	LLVMMetadataRef type;       /* of all functions: nothing is said of their parameters */
	LLVMMetadataRef function;   /* NULL: nothing is said of its lines */
	struct spirv_line start;    /* of the function: what has no line has that one */
	struct file *files;         /* by the id of the OpString with a file's name; 0: of none */
};

/* --- files --------------------------------------------------------------------------------------------------- */

static struct file *file_of(struct spirv_reader *reader, uint32_t id)
{
	struct spirv_line_table *lines = reader->lines;
	const struct spirv_instruction made = spirv_of(reader->module, id);
	const char *name = made.op == SpvOpString ? spirv_string(made, 2) : NULL;
	struct file *file = &lines->files[name ? id : 0];
	if (!name)
		name = "<spirv>";
	if (!file->node)
		file->node = LLVMDIBuilderCreateFile(lines->builder, name, strlen(name), "", 0);
	return file;
}

/* --- tables --------------------------------------------------------------------------------------------------- */

/* The first file that some line is in; 0: there is none. */
static uint32_t first_file(const struct spirv_module *module)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		if (i.op == SpvOpLine && i.count > 2)
			return i.words[1];
	}
	return 0;
}

static void make_unit(struct spirv_reader *reader, LLVMMetadataRef file)
{
	static const char producer[] = "Culvert";
	struct spirv_line_table *lines = reader->lines;
	lines->unit = LLVMDIBuilderCreateCompileUnit(
		lines->builder, LLVMDWARFSourceLanguageC99, file, producer, sizeof(producer) - 1, true, "", 0, 0,
		"", 0, LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
	lines->type = LLVMDIBuilderCreateSubroutineType(lines->builder, file, NULL, 0, LLVMDIFlagZero);
}

/* LLVM drops tables of another version when it reads them. */
static void set_version(struct spirv_reader *reader)
{
	static const char name[] = "Debug Info Version";
	LLVMMetadataRef version =
		LLVMValueAsMetadata(spirv_number(reader, 32, LLVMDebugMetadataVersion()));
	LLVMAddModuleFlag(reader->llvm, LLVMModuleFlagBehaviorWarning, name, sizeof(name) - 1, version);
}

bool spirv_debug_begin(struct spirv_reader *reader)
{
	if (!reader->codegen->line_info)
		return true;
	struct spirv_line_table *lines = calloc(1, sizeof(*reader->lines));
	if (lines)
		lines->files = calloc((size_t)reader->module->bound + 1, sizeof(*lines->files));
	if (!lines || !lines->files) {
		free(lines);
		return spirv_no_memory(reader);
	}
	reader->lines = lines;
	lines->builder = LLVMCreateDIBuilder(reader->llvm);
	make_unit(reader, file_of(reader, first_file(reader->module))->node);
	set_version(reader);
	return true;
}

void spirv_debug_end(struct spirv_reader *reader)
{
	struct spirv_line_table *lines = reader->lines;
	if (!lines)
		return;
	LLVMDIBuilderFinalize(lines->builder);
	LLVMDisposeDIBuilder(lines->builder);
	free(lines->files);
	free(lines);
	reader->lines = NULL;
}

/* --- lines ----------------------------------------------------------------------------------------------------- */

/* The function's scope for lines of a file: itself, or a part that is in another file. */
static LLVMMetadataRef scope_in(struct spirv_reader *reader, uint32_t id)
{
	struct spirv_line_table *lines = reader->lines;
	if (id == lines->start.file)
		return lines->function;
	struct file *file = file_of(reader, id);
	if (file->function != lines->function)
		file->scope = LLVMDIBuilderCreateLexicalBlockFile(lines->builder, lines->function, file->node, 0);
	file->function = lines->function;
	return file->scope;
}

/* What is built from now on has the line.  All that is in a function with lines has one, for LLVM wants calls to
 * have it, and PTX has no place for a line 0. */
static void set_line(struct spirv_reader *reader)
{
	const struct spirv_line_table *lines = reader->lines;
	if (!lines || !reader->body)
		return;
	const struct spirv_line line = reader->line.line ? reader->line : lines->start;
	LLVMMetadataRef location = NULL;
	if (lines->function)
		location = LLVMDIBuilderCreateDebugLocation(reader->context, line.line, line.column,
							    scope_in(reader, line.file), NULL);
	LLVMSetCurrentDebugLocation2(reader->builder, location);
}

void spirv_debug_function(struct spirv_reader *reader, struct spirv_line start, const char *name,
			  LLVMValueRef function)
{
	struct spirv_line_table *lines = reader->lines;
	reader->line = (struct spirv_line){0};
	if (!lines)
		return;
	lines->start = start;
	lines->function = NULL;
	if (start.line) {
		LLVMMetadataRef file = file_of(reader, start.file)->node;
		lines->function = LLVMDIBuilderCreateFunction(
			lines->builder, file, name, strlen(name), "", 0, file, start.line, lines->type, false,
			true, start.line, LLVMDIFlagZero, true);
		LLVMSetSubprogram(function, lines->function);
	}
	set_line(reader);
}

void spirv_debug_block(struct spirv_reader *reader)
{
	reader->line = (struct spirv_line){0};
	set_line(reader);
}

/* The constant may be one that is not made yet: functions are looked at before. */
static uint32_t number_of(const struct spirv_reader *reader, uint32_t id)
{
	uint64_t bits;
	return spirv_constant_bits(reader->module, id, &bits) ? (uint32_t)bits : 0;
}

/* DebugLine: its source, and constants for the first and last line and column. */
static bool read_debug_line(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_line *line)
{
	enum { SOURCE = 5, LINE = 6, COLUMN = 8, WORDS = 10 };
	const struct spirv_instruction source = i.count >= WORDS ? spirv_of(reader->module, i.words[SOURCE])
								 : (struct spirv_instruction){0};
	if (source.op != SpvOpExtInst || source.count < 6)
		return false;
	*line = (struct spirv_line){
		.file = source.words[5],
		.line = number_of(reader, i.words[LINE]),
		.column = number_of(reader, i.words[COLUMN]),
	};
	return true;
}

bool spirv_debug_read(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_line *line_out)
{
	const bool is_debug = i.op == SpvOpExtInst && i.count > 4 && reader->module->shader_debug &&
			      i.words[3] == reader->module->shader_debug;
	if (i.op == SpvOpLine && i.count > 3) {
		*line_out = (struct spirv_line){i.words[1], i.words[2], i.words[3]};
		return true;
	}
	if (is_debug && i.words[4] == NonSemanticShaderDebugInfo100DebugLine)
		return read_debug_line(reader, i, line_out);
	*line_out = (struct spirv_line){0};
	return i.op == SpvOpNoLine || (is_debug && i.words[4] == NonSemanticShaderDebugInfo100DebugNoLine);
}

void spirv_debug_line(struct spirv_reader *reader, struct spirv_instruction i)
{
	struct spirv_line line;
	if (!spirv_debug_read(reader, i, &line))
		return;
	reader->line = line;
	set_line(reader);
}
