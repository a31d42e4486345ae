#include "config.h"

#include "frontend/spirv_barrier.h"
#include "frontend/spirv_call.h"

#include <inttypes.h>

/* Named barriers (SPIR-V 1.6, 3.49.20; cl_khr_subgroup_named_barrier), which OpenCL C has no
 * functions for: PTX's numbered barriers.  Number 0 is the work-group's own.  In the text such a
 * barrier is a uint2, of its number and of how many lanes meet there. */

/* Barriers of a block, PTX ISA 8.8, 9.7.13.1, without the work-group's. */
enum { MOST_BARRIERS = 15 };

static bool is_entry(const struct spirv_writer *writer, uint32_t function)
{
	for (size_t i = 0; i < writer->entry_count; i++)
		if (writer->entries[i].function == function)
			return true;
	return false;
}

/* The number of the barrier that an instruction makes, from 1 on.  Functions that kernels may share
 * have numbers of their own in the module; those of a kernel, which nobody calls (SPIR-V 1.6,
 * 2.16.1), are behind these.  Each is made once by a work-group: the specification has no way to
 * take one back. */
static unsigned number_of(const struct spirv_writer *writer, const uint32_t *barrier)
{
	const struct spirv_module *module = writer->module;
	unsigned shared = 0, own = 0;
	uint32_t function = 0;
	for (size_t at = 5; at < module->word_count; at += module->words[at] >> SpvWordCountShift) {
		const uint32_t *words = module->words + at;
		unsigned op = words[0] & SpvOpCodeMask;
		if (op == SpvOpFunction && words[0] >> SpvWordCountShift > 2)
			function = words[2];
		if (op != SpvOpNamedBarrierInitialize)
			continue;
		bool in_entry = is_entry(writer, function);
		shared += !in_entry;
		own += in_entry && function == writer->function && words <= barrier;
		if (words == barrier && !in_entry)
			return shared;
	}
	return shared + own;
}

static enum spirv_written write_initialize(struct spirv_writer *writer, const uint32_t *words,
					   unsigned count)
{
	if (count < 4)
		return spirv_fail(writer, SpvOpNamedBarrierInitialize, "too few words");
	unsigned number = number_of(writer, words);
	if (number > MOST_BARRIERS)
		return spirv_fail(writer, SpvOpNamedBarrierInitialize,
				  "more than %d named barriers", MOST_BARRIERS);
	spirv_put(writer, "v%" PRIu32 " = (uint2)(%u, v%" PRIu32 " * get_max_sub_group_size());\n",
		  words[2], number, words[3]);
	return SPIRV_WRITTEN;
}

/* The barrier orders the accesses of those who meet among themselves; a wider scope takes a fence
 * on each side, as in work_group_barrier(). */
static enum spirv_written write_wait(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	if (count < 4)
		return spirv_fail(writer, SpvOpMemoryNamedBarrier, "too few words");
	uint32_t scope = spirv_scope(writer, words[2], SpvScopeCrossDevice);
	bool is_wide = scope == SpvScopeCrossDevice || scope == SpvScopeDevice;
	if (is_wide)
		spirv_put_fence(writer, words[2], words[3]);
	spirv_put(writer, "__asm__ volatile(\"barrier.sync %%0, %%1;\" : : \"r\"(v%" PRIu32
			  ".s0), \"r\"(v%" PRIu32 ".s1) : \"memory\");\n", words[1], words[1]);
	if (is_wide)
		spirv_put_fence(writer, words[2], words[3]);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_named_barrier(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count)
{
	switch (words[0] & SpvOpCodeMask) {
	case SpvOpNamedBarrierInitialize:
		return write_initialize(writer, words, count);
	case SpvOpMemoryNamedBarrier:
		return write_wait(writer, words, count);
	default:
		return SPIRV_OTHER;
	}
}
