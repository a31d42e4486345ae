#include "config.h"

#include "frontend/spirv_argument.h"
#include "frontend/symbol.h"

#include <inttypes.h>
#include <string.h>

/* --- lists that a translator leaves --- */

/* Whether the list is a kernel's whose name begins with this one's and a point: "a.b" is no list of a's. */
static bool is_longer_name(const struct spirv_writer *writer, const char *names, size_t kernel_B)
{
	for (size_t i = 0; i < writer->entry_count; i++) {
		const char *other = writer->entries[i].name;
		size_t other_B = strlen(other);
		if (other_B > kernel_B && !strncmp(names, other, other_B) && names[other_B] == '.')
			return true;
	}
	return false;
}

/* What an OpString has behind "kernel_arg_type.KERNEL.", of which count ends in commas; NULL where there is
 * none, or where commas are in the types' names as well. */
static const char *list_of(const struct spirv_writer *writer, const char *what, const char *kernel,
			   size_t count)
{
	const struct spirv_module *module = writer->module;
	const size_t what_B = strlen(what), kernel_B = strlen(kernel);
	for (size_t at = 5; at < module->word_count; at += module->words[at] >> SpvWordCountShift) {
		const uint32_t *words = module->words + at;
		const char *text = (const char *)(words + 2);
		unsigned op = words[0] & SpvOpCodeMask, words_count = words[0] >> SpvWordCountShift;
		if (op == SpvOpFunction)
			break;
		if (op != SpvOpString || words_count < 3 ||
		    !memchr(text, 0, (words_count - 2) * sizeof(*words)) ||
		    strncmp(text, what, what_B) || strncmp(text + what_B, kernel, kernel_B) ||
		    text[what_B + kernel_B] != '.' || is_longer_name(writer, text + what_B, kernel_B))
			continue;
		text += what_B + kernel_B + 1;
		size_t commas = 0;
		for (const char *c = text; *c; c++)
			commas += *c == ',';
		return commas == count ? text : NULL;
	}
	return NULL;
}

/* Any byte goes into a string of OpenCL C as it is or by its number. */
static void put_bytes(struct spirv_writer *writer, const char *bytes, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++) {
		unsigned char c = (unsigned char)bytes[i];
		bool plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?';
		spirv_put(writer, plain ? "%c" : "\\%03o", c);
	}
}

/* The next of a list. */
static void put_listed(struct spirv_writer *writer, const char **list)
{
	size_t size_B = strcspn(*list, ",");
	put_bytes(writer, *list, size_B);
	*list += size_B + ((*list)[size_B] == ',');
}

/* --- what the module itself says --- */

/* "struct.pair" is how LLVM calls a struct pair. */
static void put_struct(struct spirv_writer *writer, const char *name)
{
	static const char *const kinds[] = {"struct.", "union.", "class."};
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t size_B = strlen(kinds[i]);
		if (strncmp(name, kinds[i], size_B))
			continue;
		put_bytes(writer, name, size_B - 1);
		spirv_put(writer, " ");
		name += size_B;
		break;
	}
	if (name)
		put_bytes(writer, name, strlen(name));
	else
		spirv_put(writer, "struct");
}

/* As OpenCL C spells it.  SPIR-V's integers have no sign, and are unsigned here. */
static void put_type(struct spirv_writer *writer, uint32_t type, unsigned deep)
{
	enum { MOST_DEEP = 32 };
	const struct spirv_id *id = spirv_id(writer->module, type);
	struct spirv_shape shape = spirv_shape(writer->module, type);
	char image[48];
	if (deep > MOST_DEEP)
		return;
	if (shape.class == SPIRV_POINTER) {
		put_type(writer, spirv_pointee(writer->module, type), deep + 1);
		spirv_put(writer, "*");
	} else if (shape.class == SPIRV_ARRAY && id->count > 3) {
		uint64_t length = 0;
		put_type(writer, id->words[2], deep + 1);
		if (spirv_integer(writer, id->words[3], &length))
			spirv_put(writer, "[%" PRIu64 "]", length);
		else
			spirv_put(writer, "[]");
	} else if (spirv_is_scalar(shape)) {
		spirv_put(writer, "%s", spirv_unsigned_name(shape).text);
	} else if (shape.class == SPIRV_VOID) {
		spirv_put(writer, "void");
	} else if (id->op == SpvOpTypeSampler) {
		spirv_put(writer, "sampler_t");
	} else if (id->op == SpvOpTypeImage &&
		   spirv_image_name(writer->module, type, image, sizeof(image))) {
		/* The access is an answer of its own. */
		spirv_put(writer, "%s", strchr(image, ' ') + 1);
	} else if (shape.class == SPIRV_STRUCT) {
		put_struct(writer, id->name);
	} else if (id->op == SpvOpTypeOpaque && id->count > 2 &&
		   memchr(id->words + 2, 0, (id->count - 2u) * sizeof(*id->words))) {
		put_struct(writer, (const char *)(id->words + 2));
	}
}

static void put_qualifiers(struct spirv_writer *writer, const struct spirv_id *parameter)
{
	if (spirv_id(writer->module, parameter->type)->op == SpvOpTypePipe)
		spirv_put(writer, "pipe");
	if (parameter->by_value || !spirv_pointee(writer->module, parameter->type))
		return;
	/* OpenCL 3.0 API, 5.9.4: what constant points to is const.  NoWrite is no word of
	 * the source's: a translator says it of all that is not written. */
	bool constant = spirv_storage(writer->module, parameter->type) ==
			SpvStorageClassUniformConstant;
	spirv_put(writer, "%s%s%s", constant ? "const " : "",
		  parameter->no_alias ? "restrict " : "", parameter->is_volatile ? "volatile" : "");
}

static size_t count_parameters(const struct spirv_writer *writer,
			       const struct spirv_function *function)
{
	const uint32_t *all = writer->module->words;
	size_t count = 0;
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift)
		count += (all[at] & SpvOpCodeMask) == SpvOpFunctionParameter;
	return count;
}

void spirv_arguments(struct spirv_writer *writer, const struct spirv_function *function,
		     const struct spirv_entry *entry)
{
	const uint32_t *all = writer->module->words;
	size_t count = count_parameters(writer, function);
	const char *names = list_of(writer, "kernel_arg_name.", entry->name, count);
	const char *types = list_of(writer, "kernel_arg_type.", entry->name, count);
	const char *qualifiers = list_of(writer, "kernel_arg_type_qual.", entry->name, count);
	const size_t number = (size_t)(entry - writer->entries);
	spirv_put(writer, "constant char n%zu[] __asm__(\"" SPIRV_ARGUMENTS SPIRV_KERNEL "%zu.", number, number);
	fe_symbol_escape(writer->out, entry->name, strlen(entry->name));
	spirv_put(writer, "\") = \"\"");
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift) {
		if ((all[at] & SpvOpCodeMask) != SpvOpFunctionParameter)
			continue;
		const struct spirv_id *id = spirv_id(writer->module, all[at + 2]);
		spirv_put(writer, "\n\"");
		if (names)
			put_listed(writer, &names);
		else if (id->name)
			put_bytes(writer, id->name, strlen(id->name));
		spirv_put(writer, "\\000");
		if (types)
			put_listed(writer, &types);
		else
			put_type(writer, id->by_value ? spirv_pointee(writer->module, id->type)
						      : id->type, 0);
		spirv_put(writer, "\\000");
		if (qualifiers)
			put_listed(writer, &qualifiers);
		else
			put_qualifiers(writer, id);
		spirv_put(writer, "\\000\"");
	}
	spirv_put(writer, ";\n");
}
