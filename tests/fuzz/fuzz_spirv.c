/* Modules of SPIR-V, mutated: what is taken becomes LLVM IR, and what is not is refused with a word
 * on why.  LLVM's verifier finds nothing wrong in what was built. */
#include "config.h"

#include "frontend/frontend.h"
#include "frontend/options.h"
#include "frontend/spirv.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exchanges words for others of the module, for small numbers, or moves some. */
static void mutate_words(struct fuzz *fuzz, struct bytes *module)
{
	size_t count = module->size_B / 4;
	for (uint32_t n = 1 + fuzz_number(fuzz, 4); n && count > 6; n--) {
		uint32_t word, at = 5 + fuzz_number(fuzz, (uint32_t)count - 5);
		uint32_t from = 5 + fuzz_number(fuzz, (uint32_t)count - 5);
		memcpy(&word, module->data + 4 * (size_t)from, 4);
		if (fuzz_number(fuzz, 2))
			word = fuzz_number(fuzz, 64);
		else if (!fuzz_number(fuzz, 4))
			word = UINT32_MAX - fuzz_number(fuzz, 3);
		memcpy(module->data + 4 * (size_t)at, &word, 4);
	}
}

/* The word of the module that an instruction begins at, by its number; 0: there are not so many. */
static size_t instruction_at(const uint32_t *words, size_t count, uint32_t number)
{
	size_t at = 5;
	while (at < count && number-- && words[at] >> 16)
		at += words[at] >> 16;
	return at < count ? at : 0;
}

/* Gives instructions other operands, or another opcode of as many words: most of what comes out is still a
 * module, and goes further than words that are exchanged anywhere. */
static void mutate_instructions(struct fuzz *fuzz, struct bytes *module)
{
	uint32_t *words = (uint32_t *)(void *)module->data;
	const size_t count = module->size_B / 4;
	uint32_t instructions = 0;
	for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16)
		instructions++;
	for (uint32_t n = 1 + fuzz_number(fuzz, 3); n && instructions; n--) {
		const size_t to = instruction_at(words, count, fuzz_number(fuzz, instructions));
		const size_t from = instruction_at(words, count, fuzz_number(fuzz, instructions));
		const uint32_t length = to ? words[to] >> 16 : 0, other = from ? words[from] >> 16 : 0;
		if (!length || !other)
			continue;
		if (length == other && !fuzz_number(fuzz, 3))
			words[to] = words[from];
		else if (length > 3 && other > 1 && to + length <= count && from + other <= count)
			words[to + 3 + fuzz_number(fuzz, length - 3)] =
				fuzz_number(fuzz, 4) ? words[from + 1 + fuzz_number(fuzz, other - 1)]
						     : fuzz_number(fuzz, 64);
		else if (length > 1 && other > 1 && to + length <= count && from + other <= count &&
			 !fuzz_number(fuzz, 4))
			words[to + 1] = words[from + 1];
	}
}

/* The outcome of a compile has a meaning, and says so in the log. */
static bool compiles(const struct bytes *module, const char *options, struct bytes *log)
{
	struct fe_options parsed;
	if (fe_options_parse_il(options, &parsed, log))
		return false;
	const struct fe_compile_job job = {
		.source = bytes_string(module), .source_size_B = module->size_B, .options = &parsed,
		.sm = 90, .max_local_B = 48 << 10, .from_il = true,
	};
	struct bytes object = BYTES_INIT;
	const enum fe_status status = fe_compile(&job, &object, log);
	fe_options_finish(&parsed);
	const bool invalid = log->size_B && strstr(log->data, "invalid LLVM IR");
	const bool good = status ? status == FE_COMPILE_FAILED && log->size_B : object.size_B != 0;
	if (!good || invalid)
		printf("compiled with '%s': %d: %s\n", options, (int)status, bytes_string(log));
	bytes_finish(&object);
	return good && !invalid;
}

/* Every outcome has a meaning. */
static bool holds(const struct bytes *il, const char *options)
{
	struct bytes log = BYTES_INIT, constants = BYTES_INIT, module = BYTES_INIT, text = BYTES_INIT;
	enum fe_status checked = fe_spirv_check(il->data, il->size_B, &log);
	enum fe_status listed = fe_spirv_constants(il->data, il->size_B, &constants, &log);
	const struct fe_spirv_constant *list =
		(const struct fe_spirv_constant *)(const void *)constants.data;
	size_t count = constants.size_B / sizeof(*list);
	enum fe_status copied = fe_spirv_specialize(il->data, il->size_B, list, count, &module, &log);
	bool good = checked == listed && checked == copied && (!checked || log.size_B) &&
		    (copied || module.size_B == il->size_B);
	for (size_t i = 0; i < count; i++)
		good = good && (list[i].size_B == 1 || list[i].size_B == 2 || list[i].size_B == 4 ||
				list[i].size_B == 8);
	if (!good)
		printf("checked %d, constants %d, specialized %d: %s\n", (int)checked, (int)listed,
		       (int)copied, bytes_string(&log));
	if (good && !copied)
		good = compiles(&module, options, &text);
	bytes_finish(&log);
	bytes_finish(&constants);
	bytes_finish(&module);
	bytes_finish(&text);
	return good;
}

static bool run(struct fuzz *fuzz)
{
	struct bytes good = BYTES_INIT, bad = BYTES_INIT;
	const char *file = fuzz->files[fuzz_number(fuzz, (uint32_t)fuzz->file_count)];
	if (bytes_read_file(&good, file)) {
		printf("%s cannot be read\n", file);
		return false;
	}
	const uint32_t way = fuzz_number(fuzz, 8);
	if (way)
		bytes_append(&bad, good.data, good.size_B);
	if (way > 2)
		mutate_instructions(fuzz, &bad);
	else if (way)
		mutate_words(fuzz, &bad);
	else
		fuzz_mutate(fuzz, &good, &bad);
	/* Of its own size, so that a sanitizer sees what is read behind it. */
	struct bytes exact = {.size_B = bad.size_B, .data = malloc(bad.size_B ? bad.size_B : 1)};
	if (exact.data)
		memcpy(exact.data, bytes_string(&bad), bad.size_B);
	static const char *const options[] = {"", "-g", "-cl-opt-disable", "-cl-fast-relaxed-math"};
	bool held = exact.data && holds(&exact, options[fuzz_number(fuzz, 4)]);
	free(exact.data);
	bytes_finish(&good);
	bytes_finish(&bad);
	return held;
}

int main(int argc, char **argv)
{
	return fuzz_main(argc, argv, run);
}
