#include "config.h"

#include "frontend/spirv_argument.h"
#include "frontend/spirv_function.h"
#include "frontend/spirv_pipe.h"
#include "frontend/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing --- */

/* A module of a few bytes may ask for formats or constants again and again: what is longer than
 * any program of sense is no text. */
enum { MOST_TEXT_B = 1 << 28 };

void spirv_put(struct spirv_writer *writer, const char *format, ...)
{
	if (writer->out->size_B > MOST_TEXT_B)
		writer->out->failed = true;
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(writer->out, format, arguments);
	va_end(arguments);
}

enum spirv_written spirv_fail(struct spirv_writer *writer, unsigned op, const char *format, ...)
{
	const char *name = spirv_id(writer->module, writer->function)->name;
	const size_t start = writer->log->size_B;
	bytes_printf(writer->log, "SPIR-V: instruction %u", op);
	if (writer->function)
		bytes_printf(writer->log, " in function %" PRIu32 " %s", writer->function,
			     name ? name : "");
	bytes_append_string(writer->log, ": ");
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(writer->log, format, arguments);
	va_end(arguments);
	if (writer->log->data)
		fe_symbol_clean(writer->log->data + start, writer->log->size_B - start);
	bytes_append_string(writer->log, "\n");
	return SPIRV_FAILED;
}

unsigned spirv_temporary(struct spirv_writer *writer)
{
	return ++writer->temporaries;
}

static bool is_shared(const struct spirv_writer *writer, uint32_t number)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	return id->linkage != SPIRV_INTERNAL && id->linkage_name;
}

void spirv_label(struct spirv_writer *writer, uint32_t number)
{
	const char *name = spirv_id(writer->module, number)->linkage_name;
	if (!is_shared(writer, number))
		return;
	spirv_put(writer, " __asm__(\"" SYMBOL_NAME);
	fe_symbol_escape(writer->out, name, strlen(name));
	spirv_put(writer, "\")");
}

/* One of several weak definitions is what all modules use that are linked. */
const char *spirv_linkage_words(const struct spirv_writer *writer, uint32_t number)
{
	if (!is_shared(writer, number))
		return "static ";
	switch (spirv_id(writer->module, number)->linkage) {
	case SPIRV_IMPORT:
		return "extern ";
	case SPIRV_ONCE:
		return "__attribute__((weak)) ";
	default:
		return "";
	}
}

bool spirv_is_comment(const struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	if ((words[0] & SpvOpCodeMask) != SpvOpExtInst || count < 5)
		return false;
	return writer->module->openclstd != words[3];
}

enum spirv_written spirv_instruction(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	static enum spirv_written (*const files[])(struct spirv_writer *, const uint32_t *,
						   unsigned) = {
		spirv_arithmetic, spirv_memory, spirv_composite, spirv_conversion, spirv_extended,
		spirv_atomic, spirv_group, spirv_image, spirv_pipe,
	};
	if (spirv_is_comment(writer, words, count))
		return SPIRV_WRITTEN;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		enum spirv_written written = files[i](writer, words, count);
		if (written != SPIRV_OTHER)
			return written;
	}
	return spirv_fail(writer, words[0] & SpvOpCodeMask, "not supported");
}

/* --- a module's parts --- */

struct parts {
	struct spirv_entry *entries;
	size_t entry_count;
	struct spirv_function *functions;
	size_t function_count;
	bool exact;                 /* an entry point asks for ContractionOff */
};

static void parts_finish(struct parts *parts)
{
	for (size_t i = 0; i < parts->function_count; i++)
		free(parts->functions[i].locals);
	free(parts->functions);
	free(parts->entries);
}

/* Counts first: both lists are made at once. */
static bool parts_make(const struct spirv_module *module, struct parts *parts)
{
	size_t entries = 1, functions = 1;
	for (size_t at = 5; at < module->word_count; at += module->words[at] >> SpvWordCountShift) {
		unsigned op = module->words[at] & SpvOpCodeMask;
		entries += op == SpvOpEntryPoint;
		functions += op == SpvOpFunction;
	}
	parts->entries = calloc(entries, sizeof(*parts->entries));
	parts->functions = calloc(functions, sizeof(*parts->functions));
	return parts->entries && parts->functions;
}

static enum spirv_written add_entry(struct spirv_writer *writer, struct parts *parts,
				    const uint32_t *words, unsigned count)
{
	const char *name = (const char *)(words + 3);
	if (count < 4 || !memchr(name, 0, (count - 3) * sizeof(*words)))
		return spirv_fail(writer, SpvOpEntryPoint, "a name that does not end");
	if (words[1] != SpvExecutionModelKernel)
		return spirv_fail(writer, SpvOpEntryPoint, "%s is no kernel", name);
	parts->entries[parts->entry_count++] = (struct spirv_entry){words[2], name};
	return SPIRV_WRITTEN;
}

static void add_function(const struct spirv_module *module, struct parts *parts, size_t at)
{
	struct spirv_function *function = &parts->functions[parts->function_count++];
	function->id = module->words[at + 2];
	function->at = at;
	while (at < module->word_count) {
		unsigned op = module->words[at] & SpvOpCodeMask;
		function->has_body |= op == SpvOpLabel;
		at += module->words[at] >> SpvWordCountShift;
		if (op == SpvOpFunctionEnd)
			break;
	}
	function->end = at;
}

static enum spirv_written read_size(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count, bool by_id, struct spirv_sizes *sizes)
{
	if (count < 6)
		return spirv_fail(writer, words[0] & SpvOpCodeMask, "%u words", count);
	sizes->by_id = by_id;
	memcpy(sizes->size, words + 3, sizeof(sizes->size));
	return SPIRV_WRITTEN;
}

static enum spirv_written read_mode(struct spirv_writer *writer, struct parts *parts,
				    const uint32_t *words, unsigned count)
{
	bool by_id = (words[0] & SpvOpCodeMask) == SpvOpExecutionModeId;
	struct spirv_function *function =
		count > 2 ? spirv_function_find(parts->functions, parts->function_count, words[1])
			  : NULL;
	if (!function)
		return spirv_fail(writer, words[0] & SpvOpCodeMask, "of no function");
	switch (words[2]) {
	case SpvExecutionModeLocalSize:
	case SpvExecutionModeLocalSizeId:
		return read_size(writer, words, count, by_id, &function->local_size);
	case SpvExecutionModeLocalSizeHint:
	case SpvExecutionModeLocalSizeHintId:
		return read_size(writer, words, count, by_id, &function->local_size_hint);
	case SpvExecutionModeSubgroupSize:
		function->sub_group_size = count > 3 ? words[3] : 0;
		break;
	case SpvExecutionModeContractionOff: parts->exact = true; break;
	/* What the program promises of its launches (SPV_INTEL_kernel_attributes). */
	case SpvExecutionModeMaxWorkgroupSizeINTEL:
	case SpvExecutionModeMaxWorkDimINTEL:
	case SpvExecutionModeNoGlobalOffsetINTEL:
	case SpvExecutionModeVecTypeHint:
	case SpvExecutionModeDenormPreserve:
	case SpvExecutionModeSignedZeroInfNanPreserve:
	case SpvExecutionModeRoundingModeRTE: break;
	default:
		return spirv_fail(writer, words[0] & SpvOpCodeMask, "execution mode %" PRIu32
				  " is not supported", words[2]);
	}
	return SPIRV_WRITTEN;
}

static int by_name(const void *a_, const void *b_)
{
	const struct spirv_entry *const *a = a_, *const *b = b_;
	return strcmp((*a)->name, (*b)->name);
}

/* SPIR-V 1.6, 2.16.1: no two kernels of one name. */
static enum spirv_written check_entries(struct spirv_writer *writer, const struct parts *parts)
{
	enum spirv_written written = SPIRV_WRITTEN;
	const struct spirv_entry **sorted = calloc(parts->entry_count + 1, sizeof(*sorted));
	if (!sorted) {
		writer->out->failed = true;
		return SPIRV_FAILED;
	}
	for (size_t i = 0; i < parts->entry_count; i++)
		sorted[i] = &parts->entries[i];
	qsort(sorted, parts->entry_count, sizeof(*sorted), by_name);
	for (size_t i = 1; i < parts->entry_count && written == SPIRV_WRITTEN; i++)
		if (!by_name(&sorted[i - 1], &sorted[i]))
			written = spirv_fail(writer, SpvOpEntryPoint, "two kernels have the name '%s'",
					     sorted[i]->name);
	free(sorted);
	return written;
}

static enum spirv_written read_parts(struct spirv_writer *writer, struct parts *parts)
{
	const struct spirv_module *module = writer->module;
	enum spirv_written written = SPIRV_WRITTEN;
	size_t end = 0;
	for (size_t at = 5; written == SPIRV_WRITTEN && at < module->word_count;
	     at += module->words[at] >> SpvWordCountShift) {
		const uint32_t *words = module->words + at;
		unsigned op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
		if (op == SpvOpEntryPoint)
			written = add_entry(writer, parts, words, count);
		else if (op == SpvOpFunction && at >= end) {
			add_function(module, parts, at);
			end = parts->functions[parts->function_count - 1].end;
		}
	}
	for (size_t at = 5; written == SPIRV_WRITTEN && at < module->word_count;
	     at += module->words[at] >> SpvWordCountShift) {
		unsigned op = module->words[at] & SpvOpCodeMask;
		if (op == SpvOpExecutionMode || op == SpvOpExecutionModeId)
			written = read_mode(writer, parts, module->words + at,
					    module->words[at] >> SpvWordCountShift);
	}
	writer->entries = parts->entries;
	writer->entry_count = parts->entry_count;
	return written == SPIRV_WRITTEN ? check_entries(writer, parts) : written;
}

/* --- the text --- */

/* Constants are macros and go first, for a type may have one as its length; what has a type in the
 * text, variables and samplers, goes behind the types. */
static enum spirv_written put_constants(struct spirv_writer *writer, bool with_type)
{
	const struct spirv_module *module = writer->module;
	enum spirv_written written = SPIRV_WRITTEN;
	for (size_t at = 5; written != SPIRV_FAILED && at < module->word_count;
	     at += module->words[at] >> SpvWordCountShift) {
		unsigned op = module->words[at] & SpvOpCodeMask;
		if (op == SpvOpFunction)
			break;
		if ((op == SpvOpVariable || op == SpvOpConstantSampler) == with_type)
			written = spirv_constant(writer, module->words + at,
						 module->words[at] >> SpvWordCountShift);
	}
	return written == SPIRV_FAILED ? written : SPIRV_WRITTEN;
}

static enum spirv_written put_functions(struct spirv_writer *writer, struct parts *parts)
{
	enum spirv_written written = SPIRV_WRITTEN;
	bool changed = true, memory = true;
	for (size_t i = 0; memory && i < parts->function_count; i++)
		memory = spirv_function_scan(writer, &parts->functions[i]);
	while (memory && changed) {
		changed = false;
		for (size_t i = 0; memory && i < parts->function_count; i++)
			memory = spirv_function_inherit(writer, parts->functions,
							parts->function_count,
							&parts->functions[i], &changed);
	}
	writer->out->failed |= !memory;
	for (size_t i = 0; written == SPIRV_WRITTEN && i < parts->function_count; i++)
		written = spirv_function_declare(writer, &parts->functions[i]);
	for (size_t i = 0; written == SPIRV_WRITTEN && i < parts->function_count; i++)
		if (parts->functions[i].has_body)
			written = spirv_function_define(writer, parts->functions,
							parts->function_count,
							&parts->functions[i], NULL);
	for (size_t i = 0; written == SPIRV_WRITTEN && i < parts->entry_count; i++) {
		const struct spirv_entry *entry = &parts->entries[i];
		const struct spirv_function *function = spirv_function_find(
			parts->functions, parts->function_count, entry->function);
		written = function && function->has_body
				  ? spirv_function_define(writer, parts->functions,
							  parts->function_count, function, entry)
				  : spirv_fail(writer, SpvOpEntryPoint, "%s has no body", entry->name);
		if (written == SPIRV_WRITTEN)
			spirv_arguments(writer, function, entry);
	}
	return written;
}

static enum spirv_written put_module(struct spirv_writer *writer, struct parts *parts)
{
	enum spirv_written written = read_parts(writer, parts);
	if (written != SPIRV_WRITTEN)
		return written;
	spirv_put(writer, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
	/* SPIR-V 1.6, 3.6: without ContractionOff operations may be contracted. */
	spirv_put(writer, "#pragma clang fp contract(%s)\n", parts->exact ? "off" : "fast");
	written = put_constants(writer, false);
	if (written == SPIRV_WRITTEN)
		written = spirv_types(writer);
	if (written == SPIRV_WRITTEN)
		written = put_constants(writer, true);
	return written == SPIRV_WRITTEN ? put_functions(writer, parts) : written;
}

enum fe_status fe_spirv_source(const void *il, size_t size_B,
			       const struct fe_spirv_constant *constants, size_t count,
			       struct bytes *source, struct bytes *log)
{
	struct spirv_module module;
	struct parts parts = {0};
	struct bytes text = BYTES_INIT;
	enum fe_status status = spirv_read(il, size_B, &module, log);
	if (status != FE_OK)
		return status;
	struct spirv_writer writer = {
		.module = &module, .out = &text, .log = log,
		.constants = constants, .constant_count = count,
	};
	if (!parts_make(&module, &parts))
		status = FE_NO_MEMORY;
	else if (put_module(&writer, &parts) != SPIRV_WRITTEN)
		status = FE_COMPILE_FAILED;
	if (bytes_failed(&text))
		status = FE_NO_MEMORY;
	if (status == FE_OK)
		bytes_append(source, bytes_string(&text), text.size_B);
	if (status == FE_OK && bytes_failed(source))
		status = FE_NO_MEMORY;
	bytes_finish(&text);
	parts_finish(&parts);
	spirv_finish(&module);
	return status;
}
