#include "config.h"

#include "tests/footprint/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* One work-group after the other, and of a group one work-item after the other, each on a stack of
 * its own, until it ends or comes to a barrier. */

enum { STACK_B = 1 << 20, ITEMS_MAX = 1024 };

struct item {
	ucontext_t context;
	size_t id[3];
	bool done;
};

static struct {
	const struct reference_launch *launch;
	void *arguments[ARGUMENTS_MAX];
	struct item items[ITEMS_MAX];
	struct item *item; /* that runs */
	ucontext_t scheduler;
	size_t group[3], groups[3], local[3];
	uint64_t group_number;
	char *stacks;
} run;

/* PoCL's library asks for these by name. */
static size_t local_id_x, local_id_y, local_id_z, group_id_x, group_id_y, group_id_z;

static void barrier(void)
{
	swapcontext(&run.item->context, &run.scheduler);
}

static size_t below(uint32_t dimension, const size_t *of, size_t otherwise)
{
	return dimension < 3 ? of[dimension] : otherwise;
}

static size_t global_id(uint32_t d)
{
	return d < 3 ? run.launch->offset[d] + run.group[d] * run.launch->local[d] +
			       run.item->id[d]
		     : 0;
}

static size_t local_id(uint32_t d)
{
	return below(d, run.item->id, 0);
}

static size_t group_id(uint32_t d)
{
	return below(d, run.group, 0);
}

static size_t global_size(uint32_t d)
{
	return below(d, run.launch->global, 1);
}

static size_t local_size(uint32_t d)
{
	return below(d, run.local, 1);
}

static size_t group_count(uint32_t d)
{
	return below(d, run.groups, 1);
}

static size_t global_offset(uint32_t d)
{
	return below(d, run.launch->offset, 0);
}

static size_t global_linear_id(void)
{
	const size_t *size = run.launch->global, *offset = run.launch->offset;
	return ((global_id(2) - offset[2]) * size[1] + global_id(1) - offset[1]) * size[0] +
	       global_id(0) - offset[0];
}

static size_t local_linear_id(void)
{
	const size_t *id = run.item->id;
	return (id[2] * run.local[1] + id[1]) * run.local[0] + id[0];
}

static uint32_t dimensions(void)
{
	return run.launch->dimensions;
}

static void fence(void)
{
}

/* What is printed is no footprint. */
static int print(void)
{
	return 0;
}

void reference_note_access(const void *address, uint64_t size_B, uint32_t kind)
{
	reference_mark(run.group_number, (uint32_t)local_linear_id(), address, size_B, kind);
}

/* Each work-item copies all of it: they bring the same bytes.  What is not local has the stride. */
static void copy(char *to, const char *from, size_t count, size_t size_B, size_t stride)
{
	bool to_local = reference_is_local(to);
	for (size_t i = 0; i < count; i++) {
		char *there = to + i * (to_local ? 1 : stride) * size_B;
		const char *here = from + i * (to_local ? stride : 1) * size_B;
		reference_note_access(here, size_B, NOTE_READ);
		reference_note_access(there, size_B, NOTE_WRITE);
		memcpy(there, here, size_B);
	}
}

const struct reference_symbol reference_symbols[] = {
	{"reference_global_id", (void *)global_id},
	{"reference_local_id", (void *)local_id},
	{"reference_group_id", (void *)group_id},
	{"reference_global_size", (void *)global_size},
	{"reference_local_size", (void *)local_size},
	{"reference_group_count", (void *)group_count},
	{"reference_global_offset", (void *)global_offset},
	{"reference_global_linear_id", (void *)global_linear_id},
	{"reference_local_linear_id", (void *)local_linear_id},
	{"reference_dimensions", (void *)dimensions},
	{"reference_barrier", (void *)barrier},
	{"reference_fence", (void *)fence},
	{"reference_print", (void *)print},
	{"reference_copy", (void *)copy},
	{"reference_note_access", (void *)reference_note_access},
	{"pocl.barrier", (void *)barrier},
	{"_local_id_x", &local_id_x},
	{"_local_id_y", &local_id_y},
	{"_local_id_z", &local_id_z},
	{"_group_id_x", &group_id_x},
	{"_group_id_y", &group_id_y},
	{"_group_id_z", &group_id_z},
	{NULL, NULL},
};

static void item_main(void)
{
	run.launch->kernel->run(run.arguments);
	run.item->done = true;
	swapcontext(&run.item->context, &run.scheduler);
}

static void resume(struct item *item)
{
	run.item = item;
	local_id_x = item->id[0];
	local_id_y = item->id[1];
	local_id_z = item->id[2];
	group_id_x = run.group[0];
	group_id_y = run.group[1];
	group_id_z = run.group[2];
	swapcontext(&run.scheduler, &item->context);
}

/* Each goes on to its next barrier.  False: all have ended. */
static bool turn(size_t count)
{
	bool more = false;
	for (size_t i = 0; i < count; i++) {
		if (run.items[i].done)
			continue;
		resume(&run.items[i]);
		more = true;
	}
	return more;
}

static void run_group(void)
{
	size_t count = run.local[0] * run.local[1] * run.local[2];
	for (size_t i = 0; i < count; i++) {
		struct item *item = &run.items[i];
		*item = (struct item){.id = {i % run.local[0], i / run.local[0] % run.local[1],
					     i / run.local[0] / run.local[1]}};
		getcontext(&item->context);
		item->context.uc_stack.ss_sp = run.stacks + i * STACK_B;
		item->context.uc_stack.ss_size = STACK_B;
		makecontext(&item->context, item_main, 0);
	}
	while (turn(count))
		;
}

/* Local arguments lie one behind the other, each aligned as what it points at. */
static size_t place_local_arguments(char *start)
{
	const struct reference_launch *launch = run.launch;
	size_t at = 0;
	static char *pointers[ARGUMENTS_MAX];
	for (unsigned i = 0; i < launch->kernel->argument_count; i++) {
		if (launch->kernel->kinds[i] != REFERENCE_LOCAL)
			continue;
		size_t align_B = launch->kernel->aligns_B[i];
		at = (at + align_B - 1) / align_B * align_B;
		pointers[i] = start + at;
		run.arguments[i] = &pointers[i];
		at += launch->sizes_B[i];
	}
	return at;
}

static void run_groups(void)
{
	const struct reference_launch *launch = run.launch;
	size_t *group = run.group;
	run.group_number = 0;
	for (group[2] = 0; group[2] < run.groups[2]; group[2]++)
		for (group[1] = 0; group[1] < run.groups[1]; group[1]++)
			for (group[0] = 0; group[0] < run.groups[0]; group[0]++) {
				for (unsigned d = 0; d < 3; d++) {
					size_t rest = launch->global[d] - group[d] * launch->local[d];
					run.local[d] = rest < launch->local[d] ? rest
									       : launch->local[d];
				}
				run_group();
				run.group_number++;
			}
}

bool reference_run(const struct reference_launch *launch)
{
	static char local_arguments[1 << 17] __attribute__((aligned(128)));
	static void *pointers[ARGUMENTS_MAX];
	run.launch = launch;
	if (!run.stacks)
		run.stacks = mmap(NULL, (size_t)ITEMS_MAX * STACK_B, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (run.stacks == MAP_FAILED ||
	    launch->local[0] * launch->local[1] * launch->local[2] > ITEMS_MAX)
		return false;
	for (unsigned d = 0; d < 3; d++)
		run.groups[d] = (launch->global[d] + launch->local[d] - 1) / launch->local[d];
	for (unsigned i = 0; i < launch->kernel->argument_count; i++) {
		pointers[i] = launch->values[i];
		run.arguments[i] = launch->kernel->kinds[i] == REFERENCE_VALUE ? launch->values[i]
									      : &pointers[i];
	}
	size_t local_B = place_local_arguments(local_arguments);
	if (local_B > sizeof(local_arguments))
		return false;
	reference_marks_begin(launch, local_arguments, local_B);
	run_groups();
	reference_marks_end();
	return true;
}
