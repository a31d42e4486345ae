#include "config.h"

#include "frontend/spirv/metadata.h"

#include "frontend/spirv/object.h"
#include "frontend/spirv/value.h"

#include <llvm-c/DebugInfo.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- lists of the LLVM/SPIR-V translator --------------------------------------------------------------------- */

/* Whether a list belongs to a kernel with a longer name: that of the kernel "a.b" is no list of the kernel "a".  names
 * is the string from the kernel's name on; kernel_B is the length of the shorter name. */
static bool is_longer_name(const struct spirv_reader *reader, const char *names, size_t kernel_B)
{
	for (size_t i = 0; i < reader->entry_count; i++) {
		const char *other = reader->entries[i].name;
		size_t other_B = strlen(other);
		if (other_B > kernel_B && !strncmp(names, other, other_B) && names[other_B] == '.')
			return true;
	}
	return false;
}

/* A list that the translator writes as an OpString: the text after "kernel_arg_type.KERNEL.", which has count elements
 * that end in commas.  NULL: there is none, or type names contain commas, so that the elements cannot be told apart. */
static const char *list_of(const struct spirv_reader *reader, const char *what, const char *kernel, size_t count)
{
	const struct spirv_module *module = reader->module;
	const size_t what_B = strlen(what), kernel_B = strlen(kernel);
	for (size_t at = SPIRV_HEADER_WORDS; at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		const char *text = i.op == SpvOpString ? spirv_string(i, 2) : NULL;
		if (i.op == SpvOpFunction)
			break;
		if (!text || strncmp(text, what, what_B) || strncmp(text + what_B, kernel, kernel_B) ||
		    text[what_B + kernel_B] != '.' || is_longer_name(reader, text + what_B, kernel_B))
			continue;
		text += what_B + kernel_B + 1;
		size_t commas = 0;
		for (const char *c = text; *c; c++)
			commas += *c == ',';
		return commas == count ? text : NULL;
	}
	return NULL;
}

/* Appends the next element of a list, and moves *list behind it. */
static void put_listed(struct bytes *text, const char **list)
{
	size_t size_B = strcspn(*list, ",");
	bytes_append(text, *list, size_B);
	*list += size_B + ((*list)[size_B] == ',');
}

/* --- types and qualifiers ------------------------------------------------------------------------------------ */

/* Appends the name of a struct: LLVM calls a struct pair "struct.pair". */
static void put_struct(struct bytes *text, const char *name)
{
	static const char *const kinds[] = {"struct.", "union.", "class."};
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t size_B = strlen(kinds[i]);
		if (strncmp(name, kinds[i], size_B))
			continue;
		bytes_append(text, name, size_B - 1);
		bytes_append_char(text, ' ');
		name += size_B;
		break;
	}
	bytes_append_string(text, name ? name : "struct");
}

static void put_number(struct bytes *text, const struct spirv_type *type)
{
	static const char *const integers[] = {"uchar", "ushort", "uint", "ulong"};
	static const char *const reals[] = {"", "half", "float", "double"};
	const unsigned width = type->bits == 8 ? 0 : type->bits == 16 ? 1 : type->bits == 32 ? 2 : 3;
	if (type->class == SPIRV_BOOL)
		bytes_append_string(text, type->lanes > 1 ? "char" : "bool");
	else
		bytes_append_string(text, type->class == SPIRV_INT ? integers[width] : reals[width]);
	if (type->lanes > 1)
		bytes_printf(text, "%u", type->lanes);
}

/* Appends a type as OpenCL C spells it.  SPIR-V's integers have no sign; they are spelled as unsigned ones. */
static void put_type(struct spirv_reader *reader, struct bytes *text, uint32_t id, unsigned deep)
{
	enum { MOST_DEEP = 32 };
	const struct spirv_instruction made = spirv_of(reader->module, id);
	const struct spirv_type *type = made.count && deep <= MOST_DEEP ? reader->made[id] : NULL;
	if (!type)
		return;
	switch (type->class) {
	case SPIRV_BOOL:
	case SPIRV_INT:
	case SPIRV_FLOAT: put_number(text, type); break;
	case SPIRV_BFLOAT:
		bytes_append_string(text, "bfloat16");
		if (type->lanes > 1)
			bytes_printf(text, "_%u", type->lanes);
		break;
	case SPIRV_POINTER:
		put_type(reader, text, type->pointee, deep + 1);
		bytes_append_char(text, '*');
		break;
	case SPIRV_ARRAY:
		put_type(reader, text, type->element->id, deep + 1);
		bytes_printf(text, "[%" PRIu64 "]", type->length);
		break;
	case SPIRV_VOID: bytes_append_string(text, "void"); break;
	case SPIRV_SAMPLER: bytes_append_string(text, "sampler_t"); break;
	case SPIRV_EVENT: bytes_append_string(text, "event_t"); break;
	case SPIRV_RESERVATION: bytes_append_string(text, "reserve_id_t"); break;
	/* The access qualifier is another query. */
	case SPIRV_IMAGE: bytes_append_string(text, spirv_image_name(type)); break;
	case SPIRV_STRUCT: put_struct(text, spirv_facts(reader->module, id)->name); break;
	case SPIRV_OPAQUE: put_struct(text, spirv_string(made, 2)); break;
	default: break;
	}
}

static void put_qualifiers(struct spirv_reader *reader, struct bytes *text, const struct spirv_parameter *parameter)
{
	const struct spirv_facts *facts = spirv_facts(reader->module, parameter->id);
	if (parameter->type->class == SPIRV_PIPE)
		bytes_append_string(text, "pipe");
	if (parameter->passing != SPIRV_DIRECT || parameter->type->class != SPIRV_POINTER)
		return;
	/* OpenCL 3.0 API, 5.9.4: a pointer to constant memory is const.  NoWrite does not mean const in the source:
	 * translators write it for all pointers through which nothing is written. */
	const bool constant = parameter->type->storage == SpvStorageClassUniformConstant;
	bytes_printf(text, "%s%s%s", constant ? "const " : "", facts->no_alias ? "restrict " : "",
		     facts->is_volatile ? "volatile" : "");
}

/* --- metadata of arguments ----------------------------------------------------------------------------------- */

/* The metadata that Clang writes for each argument of a kernel. */
enum { NAME, TYPE, BASE_TYPE, QUALIFIERS, ACCESS, KINDS };
static const char *const kinds[KINDS] = {
	"kernel_arg_name", "kernel_arg_type", "kernel_arg_base_type", "kernel_arg_type_qual",
	"kernel_arg_access_qual",
};

struct answers {
	struct spirv_reader *reader;
	const struct spirv_parameter *parameters;
	unsigned count;
	const char *names, *types, *qualifiers;    /* the translator's lists; NULL: there is none */
};

/* Appends the metadata of one kind for a parameter; false: it is not known. */
static bool answer(struct answers *answers, unsigned kind, const struct spirv_parameter *parameter,
		   struct bytes *text)
{
	struct spirv_reader *reader = answers->reader;
	const struct spirv_type *type = parameter->type;
	const char *name = spirv_facts(reader->module, parameter->id)->name;
	const uint32_t shown = parameter->passing == SPIRV_BY_VALUE ? type->pointee : type->id;
	switch (kind) {
	case NAME:
		if (answers->names)
			put_listed(text, &answers->names);
		else
			bytes_append_string(text, name ? name : "");
		return text->size_B != 0;
	case TYPE:
		if (answers->types)
			put_listed(text, &answers->types);
		else
			put_type(reader, text, shown, 0);
		return text->size_B != 0;
	case BASE_TYPE: put_type(reader, text, shown, 0); return true;
	case QUALIFIERS:
		if (answers->qualifiers)
			put_listed(text, &answers->qualifiers);
		else
			put_qualifiers(reader, text, parameter);
		return true;
	default:
		bytes_append_string(text, type->class == SPIRV_IMAGE ? spirv_image_access(type)
				    : type->class != SPIRV_PIPE      ? "none"
				    : type->made.words[2] == SpvAccessQualifierWriteOnly ? "write_only"
											 : "read_only");
		return true;
	}
}

static void set_node(struct spirv_reader *reader, LLVMValueRef kernel, const char *kind, LLVMMetadataRef *operands,
		     size_t count)
{
	LLVMGlobalSetMetadata(kernel,
			      LLVMGetMDKindIDInContext(reader->context, kind, (unsigned)strlen(kind)),
			      LLVMMDNodeInContext2(reader->context, operands, count));
}

static bool set_answers(struct answers *answers, LLVMValueRef kernel, unsigned kind)
{
	struct spirv_reader *reader = answers->reader;
	LLVMMetadataRef *strings = calloc((size_t)answers->count + 1, sizeof(*strings));
	bool good = strings ? true : spirv_no_memory(reader);
	for (unsigned i = 0; good && i < answers->count; i++) {
		struct bytes text = BYTES_INIT;
		const bool is_known = answer(answers, kind, &answers->parameters[i], &text);
		if (bytes_failed(&text))
			good = spirv_no_memory(reader);
		else if (is_known)
			strings[i] = LLVMMDStringInContext2(reader->context, bytes_string(&text), text.size_B);
		bytes_finish(&text);
	}
	if (good)
		set_node(reader, kernel, kinds[kind], strings, answers->count);
	free(strings);
	return good;
}

/* Adds the address spaces, by which library.cpp tells Clang's kernels from functions. */
static bool set_spaces(struct spirv_reader *reader, const struct spirv_parameter *parameters, unsigned count,
		       LLVMValueRef kernel)
{
	/* OpenCL's numbers (Clang's ArgInfoAddressSpace). */
	enum { PRIVATE = 0, GLOBAL = 1, CONSTANT = 2, LOCAL = 3 };
	LLVMMetadataRef *spaces = calloc((size_t)count + 1, sizeof(*spaces));
	if (!spaces)
		return spirv_no_memory(reader);
	for (unsigned i = 0; i < count; i++) {
		const struct spirv_type *type = parameters[i].type;
		const bool is_global = type->class == SPIRV_IMAGE || type->class == SPIRV_PIPE;
		const uint32_t storage = type->class == SPIRV_POINTER ? type->storage : SPIRV_NONE;
		const unsigned space = is_global || storage == SpvStorageClassCrossWorkgroup ? GLOBAL
				       : storage == SpvStorageClassUniformConstant           ? CONSTANT
				       : storage == SpvStorageClassWorkgroup                 ? LOCAL
											     : PRIVATE;
		spaces[i] = LLVMValueAsMetadata(spirv_number(reader, 32, space));
	}
	set_node(reader, kernel, "kernel_arg_addr_space", spaces, count);
	free(spaces);
	return true;
}

/* --- metadata of execution modes ----------------------------------------------------------------------------- */

static bool set_sizes(struct spirv_reader *reader, LLVMValueRef kernel, const char *kind,
		      const struct spirv_size *size)
{
	LLVMMetadataRef sizes[3];
	if (!size->is_given)
		return true;
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t value = size->by_id ? spirv_operand(reader, size->size[i], 0) : size->size[i];
		if (!value)
			return spirv_fail(reader, "the size of a work-group is no constant, or 0");
		sizes[i] = LLVMValueAsMetadata(spirv_number(reader, 32, value));
	}
	set_node(reader, kernel, kind, sizes, 3);
	return true;
}

/* Adds VecTypeHint (SPIR-V 1.6, 3.6): the low half of its operand is the type of elements, the high half their
 * number. */
static void set_vector_hint(struct spirv_reader *reader, LLVMValueRef kernel, uint32_t hint)
{
	const unsigned kind = hint & 0xffff, lanes = hint >> 16;
	LLVMTypeRef types[] = {
		spirv_int(reader, 8), spirv_int(reader, 16), spirv_int(reader, 32), spirv_int(reader, 64),
		LLVMHalfTypeInContext(reader->context), LLVMFloatTypeInContext(reader->context),
		LLVMDoubleTypeInContext(reader->context),
	};
	if (kind >= sizeof(types) / sizeof(*types) || lanes > 16)
		return;
	LLVMMetadataRef operands[] = {
		LLVMValueAsMetadata(LLVMGetUndef(spirv_vector(types[kind], lanes))),
		LLVMValueAsMetadata(spirv_number(reader, 32, kind < 4)),
	};
	set_node(reader, kernel, "vec_type_hint", operands, 2);
}

static bool set_modes(struct spirv_reader *reader, const struct spirv_entry *entry, LLVMValueRef kernel)
{
	if (entry->sub_group_size) {
		LLVMMetadataRef size = LLVMValueAsMetadata(spirv_number(reader, 32, entry->sub_group_size));
		set_node(reader, kernel, "intel_reqd_sub_group_size", &size, 1);
	}
	if (entry->has_vector_hint)
		set_vector_hint(reader, kernel, entry->vector_hint);
	return set_sizes(reader, kernel, "reqd_work_group_size", &entry->local_size) &&
	       set_sizes(reader, kernel, "work_group_size_hint", &entry->local_size_hint);
}

/* --- parameters ---------------------------------------------------------------------------------------------- */

/* Checks that a kernel may have a parameter (OpenCL C 3.0, 6.11); false with a message. */
static bool check_parameter(struct spirv_reader *reader, const struct spirv_parameter *parameter)
{
	const struct spirv_type *type = parameter->type;
	if (type->class == SPIRV_BOOL || type->class == SPIRV_BARRIER)
		return spirv_fail(reader, "the parameter %" PRIu32 " of a kernel is of a type that no argument has",
				  parameter->id);
	if (type->class != SPIRV_POINTER || parameter->passing == SPIRV_BY_VALUE ||
	    type->storage == SpvStorageClassCrossWorkgroup || type->storage == SpvStorageClassWorkgroup ||
	    type->storage == SpvStorageClassUniformConstant)
		return true;
	return spirv_fail(reader, "the parameter %" PRIu32 " of a kernel is a pointer to private memory, or a generic "
			  "one", parameter->id);
}

/* Adds the alignment of a pointer's target.  For local memory, which the host allocates for the kernel, the decoration
 * Alignment counts as well: LLVM's SPIR-V back end writes pointers to bytes if it does not know the type.  False with a
 * message. */
static bool align_pointer(struct spirv_reader *reader, const struct spirv_parameter *parameter,
			  LLVMValueRef kernel, unsigned index)
{
	const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	const struct spirv_type *type = spirv_pointee(reader, parameter->type);
	unsigned align_B = type && type->memory ? type->align_B : 0;
	if (!type)
		return false;
	if (align_B && parameter->type->storage == SpvStorageClassWorkgroup &&
	    !spirv_alignment(reader, parameter->id, align_B, &align_B))
		return false;
	if (align_B)
		LLVMAddAttributeAtIndex(kernel, index,
					LLVMCreateEnumAttribute(reader->context, kind, align_B));
	return true;
}

bool spirv_kernel_describe(struct spirv_reader *reader, const struct spirv_entry *entry,
			   const struct spirv_parameter *parameters, unsigned count, LLVMValueRef kernel)
{
	struct answers answers = {
		.reader = reader, .parameters = parameters, .count = count,
		.names = list_of(reader, "kernel_arg_name.", entry->name, count),
		.types = list_of(reader, "kernel_arg_type.", entry->name, count),
		.qualifiers = list_of(reader, "kernel_arg_type_qual.", entry->name, count),
	};
	for (unsigned i = 0; i < count; i++) {
		if (!check_parameter(reader, &parameters[i]))
			return false;
		if (parameters[i].passing == SPIRV_DIRECT && parameters[i].type->class == SPIRV_POINTER &&
		    !align_pointer(reader, &parameters[i], kernel, i + 1))
			return false;
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (!set_answers(&answers, kernel, kind))
			return false;
	return set_spaces(reader, parameters, count, kernel) && set_modes(reader, entry, kernel);
}

/* A source file. */
struct file {
	LLVMMetadataRef node;       /* NULL: not made yet */
	LLVMMetadataRef function, scope;   /* the last function with lines in the file, and their scope */
};

struct spirv_line_table {
	LLVMDIBuilderRef builder;
	LLVMMetadataRef unit;
	LLVMMetadataRef type;       /* of all functions: their parameters are not described */
	LLVMMetadataRef function;   /* the one that is being built; NULL: it has no lines */
	struct spirv_line start;    /* its first line, which instructions without a line get */
	struct file *files;         /* by the id of the OpString with the file's name; 0: there is none */
};

/* --- source lines: files ------------------------------------------------------------------------------------- */

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

/* --- source lines: the tables -------------------------------------------------------------------------------- */

/* The file of the first OpLine; 0: there is none. */
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

/* Notes the version of the tables: LLVM drops those of another version. */
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

/* --- source lines: instructions ------------------------------------------------------------------------------ */

/* The scope of lines in a file: the function itself, or a block of it that is in another file. */
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

/* Gives the line to instructions that are built from now on.  In a function with lines each instruction has one: LLVM
 * demands it of calls, and PTX has no line 0. */
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

/* The value of a constant that may not be built yet; 0 if it is no integer. */
static uint32_t number_of(const struct spirv_reader *reader, uint32_t id)
{
	uint64_t bits;
	return spirv_constant_bits(reader->module, id, &bits) ? (uint32_t)bits : 0;
}

/* Reads DebugLine: its source, and constants for the first and last line and column. */
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
