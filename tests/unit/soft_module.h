/* Programs for tests of softcuda's executor by itself: a device with a few allocations, and modules whose
 * variables lie in it.  One thread; a failure of the harness itself ends the program. */
#ifndef CULVERT_TESTS_SOFT_MODULE_H
#define CULVERT_TESTS_SOFT_MODULE_H

#include "softcuda/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOCATIONS = 16, VARIABLES = 16 };
static struct { uint64_t start, end; } allocations[ALLOCATIONS];
static unsigned allocation_count;

static inline bool device_find(const struct soft_launch *launch, uint64_t address, uint64_t *start_out,
			       uint64_t *end_out)
{
	(void)launch;
	for (unsigned i = 0; i < allocation_count; i++) {
		if (address < allocations[i].start || address >= allocations[i].end)
			continue;
		*start_out = allocations[i].start;
		*end_out = allocations[i].end;
		return true;
	}
	return false;
}

/* There are no images, and nothing is known of memory. */
static inline void device_describe(uint64_t address, struct bytes *text, uint64_t *start_out, uint64_t *end_out)
{
	(void)address;
	(void)text;
	*start_out = *end_out = 0;
}

static inline enum soft_image_state device_find_image(const struct soft_launch *launch, uint64_t object,
						      struct soft_image *image_out)
{
	(void)launch;
	(void)object;
	(void)image_out;
	return SOFT_IMAGE_UNKNOWN;
}

static const struct soft_memory device_memory = {
	.find = device_find, .describe = device_describe, .find_image = device_find_image
};

static inline void *device_take(size_t size_B)
{
	char *memory = calloc(1, size_B + 1);
	if (!memory || allocation_count == ALLOCATIONS) {
		printf("out of memory\n");
		exit(1);
	}
	allocations[allocation_count].start = (uint64_t)(uintptr_t)memory;
	allocations[allocation_count++].end = (uint64_t)(uintptr_t)memory + size_B;
	return memory;
}

static inline void device_reset(void)
{
	while (allocation_count)
		free((void *)(uintptr_t)allocations[--allocation_count].start);
}

struct module {
	struct soft_program *program;
	uint64_t addresses[VARIABLES];
	struct bytes log;         /* of the parse, then of the last launch */
};

/* Which calls module_load makes part of kernels. */
static enum ptx_flat module_flat;

static inline CUresult module_load(struct module *module, const char *ptx)
{
	uint32_t count;
	memset(module, 0, sizeof(*module));
	CUresult result = ptx_parse(ptx, strlen(ptx), false, module_flat, 90, &module->log, &module->program);
	if (result != CUDA_SUCCESS)
		return result;
	const struct soft_variable *variables = soft_program_variables(module->program, &count);
	for (uint32_t i = 0; i < count && i < VARIABLES; i++) {
		void *memory = device_take(variables[i].size_B);
		if (variables[i].initial)
			memcpy(memory, variables[i].initial, variables[i].size_B);
		module->addresses[i] = (uint64_t)(uintptr_t)memory;
	}
	soft_program_relocate(module->program, module->addresses);
	return CUDA_SUCCESS;
}

static inline void module_finish(struct module *module)
{
	soft_program_destroy(module->program);
	bytes_finish(&module->log);
	device_reset();
}

static bool cooperative;             /* how run launches */

static inline CUresult run(struct module *module, const char *name, uint32_t groups, uint32_t threads,
		    uint32_t dynamic_shared_B, const void *parameters)
{
	bytes_finish(&module->log);
	struct soft_launch launch = {
		.function = soft_program_function(module->program, name),
		.grid = {groups, 1, 1}, .block = {threads, 1, 1},
		.dynamic_shared_B = dynamic_shared_B, .parameters = parameters,
		.cooperative = cooperative, .memory = &device_memory,
		.variable_addresses = module->addresses, .sm = 90, .multiprocessor_count = 4
	};
	if (!launch.function) {
		printf("no entry '%s'\n", name);
		return CUDA_ERROR_NOT_FOUND;
	}
	return soft_launch_run(&launch, &module->log);
}

#endif
