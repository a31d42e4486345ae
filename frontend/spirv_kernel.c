/* Entry points and what is told of their arguments. */
#include "config.h"

#include "frontend/spirv_function.h"

#include "frontend/spirv_call.h"
#include "frontend/spirv_image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- entry points and modes --------------------------------------------------------------------------------- */

bool spirv_entry_add(struct spirv_reader *reader, struct spirv_instruction i)
{
	const char *name = spirv_string(i, 3);
	if (!name)
		return spirv_fail(reader, "the name does not end");
	if (i.words[1] != SpvExecutionModelKernel)
		return spirv_fail(reader, "%s is no kernel; modules for graphics are not supported", name);
	reader->entries[reader->entry_count++] = (struct spirv_entry){.function = i.words[2], .name = name};
	return true;
}

static bool take_sizes(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_size *size)
{
	if (i.count != 6)
		return spirv_fail(reader, "%u words, and not 6", i.count);
	size->is_given = true;
	size->by_id = i.op == SpvOpExecutionModeId;
	memcpy(size->size, i.words + 3, sizeof(size->size));
	return true;
}

/* Modes that change nothing here: what the program promises of its launches (SPV_INTEL_kernel_attributes), and
 * how floating-point numbers behave in any case. */
static bool is_ignored(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeMaxWorkgroupSizeINTEL:
	case SpvExecutionModeMaxWorkDimINTEL:
	case SpvExecutionModeNoGlobalOffsetINTEL:
	case SpvExecutionModeDenormPreserve:
	case SpvExecutionModeSignedZeroInfNanPreserve:
	case SpvExecutionModeRoundingModeRTE:
	case SpvExecutionModeContractionOff: return true;
	default: return false;
	}
}

static bool take_mode(struct spirv_reader *reader, struct spirv_instruction i, struct spirv_entry *entry)
{
	const char *name = spirv_name(SPIRV_NAME_MODE, i.words[2]);
	switch (i.words[2]) {
	case SpvExecutionModeLocalSize:
	case SpvExecutionModeLocalSizeId: return take_sizes(reader, i, &entry->local_size);
	case SpvExecutionModeLocalSizeHint:
	case SpvExecutionModeLocalSizeHintId: return take_sizes(reader, i, &entry->local_size_hint);
	case SpvExecutionModeSubgroupSize: entry->sub_group_size = i.count > 3 ? i.words[3] : 0; return true;
	case SpvExecutionModeVecTypeHint:
		entry->has_vector_hint = i.count > 3;
		entry->vector_hint = i.count > 3 ? i.words[3] : 0;
		return true;
	default: break;
	}
	if (i.words[2] == SpvExecutionModeContractionOff)
		reader->contracts = false;
	return is_ignored(i.words[2]) ||
	       spirv_fail(reader, "the execution mode %s (%" PRIu32 ") is not supported", name ? name : "",
			  i.words[2]);
}

/* A function may be several kernels, of which each has the mode. */
bool spirv_entry_mode(struct spirv_reader *reader, struct spirv_instruction i)
{
	bool is_known = false, good = true;
	for (size_t k = 0; good && i.count > 2 && k < reader->entry_count; k++) {
		if (reader->entries[k].function != i.words[1])
			continue;
		is_known = true;
		good = take_mode(reader, i, &reader->entries[k]);
	}
	return good && (is_known || spirv_fail(reader, "the id is no entry point"));
}

static int by_name(const void *a_, const void *b_)
{
	const struct spirv_entry *const *a = a_, *const *b = b_;
	return strcmp((*a)->name, (*b)->name);
}

/* SPIR-V 1.6, 2.16.1: no two entry points of one execution model have the same name. */
bool spirv_entries_check(struct spirv_reader *reader)
{
	const struct spirv_entry **sorted = calloc(reader->entry_count + 1, sizeof(*sorted));
	bool good = sorted ? true : spirv_no_memory(reader);
	reader->now = (struct spirv_instruction){reader->module->words, SpvOpEntryPoint, 1};
	for (size_t i = 0; good && i < reader->entry_count; i++)
		sorted[i] = &reader->entries[i];
	if (good)
		qsort(sorted, reader->entry_count, sizeof(*sorted), by_name);
	for (size_t i = 1; good && i < reader->entry_count; i++)
		if (!by_name(&sorted[i - 1], &sorted[i]))
			good = spirv_fail(reader, "two kernels have the name '%s'", sorted[i]->name);
	free(sorted);
	return good;
}

/* --- lists that a translator leaves ------------------------------------------------------------------------- */

/* Whether the list is a kernel's whose name begins with this one's and a point: "a.b" is no list of a's. */
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

/* What an OpString has behind "kernel_arg_type.KERNEL.", of which count ends in commas; NULL where there is
 * none, or where commas are in the types' names as well. */
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

/* Appends the next of a list. */
static void put_listed(struct bytes *text, const char **list)
{
	size_t size_B = strcspn(*list, ",");
	bytes_append(text, *list, size_B);
	*list += size_B + ((*list)[size_B] == ',');
}

/* --- what the module itself says ------------------------------------------------------------------------------ */

/* "struct.pair" is how LLVM calls a struct pair. */
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

/* As OpenCL C spells it.  SPIR-V's integers have no sign, and are unsigned here. */
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
	/* The access is an answer of its own. */
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
	/* OpenCL 3.0 API, 5.9.4: what constant points to is const.  NoWrite is no word of
	 * the source's: a translator says it of all that is not written. */
	const bool constant = parameter->type->storage == SpvStorageClassUniformConstant;
	bytes_printf(text, "%s%s%s", constant ? "const " : "", facts->no_alias ? "restrict " : "",
		     facts->is_volatile ? "volatile" : "");
}

/* --- the answers as metadata ------------------------------------------------------------------------------------ */

/* What Clang writes about each argument of a kernel. */
enum { NAME, TYPE, BASE_TYPE, QUALIFIERS, ACCESS, KINDS };
static const char *const kinds[KINDS] = {
	"kernel_arg_name", "kernel_arg_type", "kernel_arg_base_type", "kernel_arg_type_qual",
	"kernel_arg_access_qual",
};

struct answers {
	struct spirv_reader *reader;
	const struct spirv_parameter *parameters;
	unsigned count;
	const char *names, *types, *qualifiers;    /* a translator's lists; NULL: none */
};

/* Appends one answer; false: nothing is known. */
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

/* The address spaces, by which Clang's kernels are told from functions (library.cpp). */
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

/* --- what was asked for by modes ---------------------------------------------------------------------------------- */

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

/* SPIR-V 1.6, 3.6: the low half of VecTypeHint's operand is the kind of elements, the high half their number. */
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

/* --- parameters ------------------------------------------------------------------------------------------------------ */

/* OpenCL C 3.0, 6.11: what a kernel's arguments may be. */
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

/* What a pointer points to lies as its type wants it, and local memory that is given to the kernel as its
 * Alignment says too: LLVM's back end for SPIR-V writes pointers to bytes where it does not know to what. */
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
