/* Modules of SPIR-V, mutated: what is taken becomes text, and what is not is refused with a word
 * on why.  What a module is told by its bytes alone: the same text each time. */
#include "config.h"

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

/* Every outcome has a meaning, and the same each time. */
static bool holds(const struct bytes *il)
{
	struct bytes log = BYTES_INIT, constants = BYTES_INIT, text = BYTES_INIT,
		     again = BYTES_INIT;
	enum fe_status checked = fe_spirv_check(il->data, il->size_B, &log);
	enum fe_status listed = fe_spirv_constants(il->data, il->size_B, &constants, &log);
	const struct fe_spirv_constant *list =
		(const struct fe_spirv_constant *)(const void *)constants.data;
	size_t count = constants.size_B / sizeof(*list);
	enum fe_status written = fe_spirv_source(il->data, il->size_B, list, count, &text, &log);
	enum fe_status rewritten = fe_spirv_source(il->data, il->size_B, list, count, &again, &log);
	bool good = written == rewritten && (!checked || written) &&
		    ((!checked && !listed && !written) || log.size_B) &&
		    (written || (text.size_B == again.size_B &&
				 !memcmp(bytes_string(&text), bytes_string(&again), text.size_B)));
	for (size_t i = 0; i < count; i++)
		good = good && (list[i].size_B == 1 || list[i].size_B == 2 || list[i].size_B == 4 ||
				list[i].size_B == 8);
	if (!good)
		printf("checked %d, constants %d, written %d and %d: %s\n", (int)checked,
		       (int)listed, (int)written, (int)rewritten, bytes_string(&log));
	bytes_finish(&log);
	bytes_finish(&constants);
	bytes_finish(&text);
	bytes_finish(&again);
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
	if (fuzz_number(fuzz, 4)) {
		bytes_append(&bad, good.data, good.size_B);
		mutate_words(fuzz, &bad);
	} else {
		fuzz_mutate(fuzz, &good, &bad);
	}
	/* Of its own size, so that a sanitizer sees what is read behind it. */
	struct bytes exact = {.size_B = bad.size_B, .data = malloc(bad.size_B ? bad.size_B : 1)};
	if (exact.data)
		memcpy(exact.data, bytes_string(&bad), bad.size_B);
	bool held = exact.data && holds(&exact);
	free(exact.data);
	bytes_finish(&good);
	bytes_finish(&bad);
	return held;
}

int main(int argc, char **argv)
{
	return fuzz_main(argc, argv, run);
}
