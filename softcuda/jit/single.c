/* Parts of one lane.
 *
 * In a loop that lanes leave at different times, and that mostly loads from addresses that vary, vectors are of no use:
 * processors gather one element after the other, also for lanes that have left the loop.  Code for one lane has
 * only scalars, and its branches are branches.  This file estimates which is faster. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/memory.h"

/* Estimated costs for one lane, in tenths of a cycle: of an op and of an access that is tested, in code for one lane;
 * of an op on a vector, of an access of consecutive addresses, and of a gather. */
enum { SINGLE_OP = 3, SINGLE_ACCESS = 15, VECTOR_OP = 1, VECTOR_ACCESS = 2, VECTOR_GATHER = 25 };

/* Of the lanes of a part, about half still run in a loop that lanes leave at different times; and a loop has as many
 * iterations. */
enum { APART = 2, ITERATIONS = 16 };

/* Whether code for one lane would be right: no watcher sees whole warps, and there are no ops that lanes execute
 * together, none for which the interpreter's handlers or private memory need a vector of lanes, and no atomics, which
 * cannot be run a second time (emit_twice.c). */
static bool can_be_single(const struct plan *plan)
{
	if (plan->together || plan->calls || plan->may_wait || plan->watched || plan->code->local_B)
		return false;
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		const uint8_t verb = plan->verbs[i].verb, space = plan->code->ops[i].space;
		if (verb == VERB_ATOMIC)
			return false;
		if ((verb == VERB_LOAD || verb == VERB_STORE) && (space == SPACE_LOCAL || space == SPACE_GENERIC))
			return false;
	}
	return true;
}

static bool varies(const struct plan *plan, uint32_t op, unsigned k)
{
	const uint32_t web = plan->use[(size_t)op * PLAN_USES + k];
	return web != PLAN_NONE && plan->webs[web].kind == WEB_VARYING;
}

/* Whether a block's last op branches on a comparison of numbers that grow from lane to lane, or are equal in all lanes,
 * such as the work-item's number plus the grid's size times a counter, and the number of elements: lanes then leave a
 * loop in the same iteration, or in two that follow each other. */
static bool compares_linear(const struct plan *plan, const struct plan_block *block)
{
	const uint32_t guard = plan->use[(size_t)(block->end - 1) * PLAN_USES + PLAN_GUARD];
	for (uint32_t op = block->end - 1; op-- > block->first;)
		if (plan->def[(size_t)op * OP_OPERANDS] == guard)
			return plan->verbs[op].verb == VERB_COMPARE && !varies(plan, op, 1) && !varies(plan, op, 2);
	return false;
}

/* Whether lanes may leave the loop of a latch in different iterations. */
static bool is_left_apart(const struct plan *plan, const struct plan_region *region, uint32_t latch)
{
	uint32_t targets[2];
	for (uint32_t n = region->nodes[latch].header; n < latch; n++) {
		if (region->nodes[n].latch || !plan_splits(plan, region->nodes[n].block) ||
		    compares_linear(plan, &plan->blocks[region->nodes[n].block]))
			continue;
		const unsigned count = plan_targets(plan, region, n, targets);
		for (unsigned i = 0; i < count; i++)
			if (targets[i] > latch || targets[i] < region->nodes[latch].header)
				return true;
		if (plan->blocks[region->nodes[n].block].kind == END_EXIT)
			return true;
	}
	return false;
}

struct cost {
	uint64_t single, vector;
};

static void add_op(const struct plan *plan, uint32_t op, uint64_t times, bool apart, struct cost *cost)
{
	const uint8_t verb = plan->verbs[op].verb;
	const bool access = verb == VERB_LOAD || verb == VERB_STORE;
	uint64_t vector = VECTOR_OP;
	if (access && plan->code->ops[op].space == SPACE_PARAM)
		return;
	if (access)
		vector = varies(plan, op, MEMORY_ADDRESS) ? VECTOR_GATHER : VECTOR_ACCESS;
	cost->single += times * (access ? SINGLE_ACCESS : SINGLE_OP);
	cost->vector += times * vector * (apart ? APART : 1);
}

/* Adds the costs of a region, each of whose nodes is in `depth` loops, `apart` of which lanes leave at different
 * times. */
static bool add_region(const struct plan *plan, const struct plan_region *region, struct cost *cost)
{
	bool any = false;
	for (uint32_t n = 0; n < region->node_count; n++) {
		uint64_t times = 1;
		bool apart = false;
		if (region->nodes[n].latch)
			continue;
		for (uint32_t l = n + 1; l < region->node_count; l++) {
			if (!region->nodes[l].latch || region->nodes[l].header > n)
				continue;
			times = times < UINT32_MAX ? times * ITERATIONS : times;
			apart |= is_left_apart(plan, region, l);
		}
		any |= apart;
		const struct plan_block *block = &plan->blocks[region->nodes[n].block];
		for (uint32_t op = block->first; op < block->end; op++)
			add_op(plan, op, times, apart, cost);
	}
	return any;
}

bool plan_is_better_single(const struct plan *plan)
{
	struct cost cost = {0, 0};
	bool apart = false;
	if (!can_be_single(plan))
		return false;
	for (uint32_t e = 0; e < plan->entry_count; e++)
		apart |= add_region(plan, &plan->regions[e], &cost);
	return apart && cost.single < cost.vector;
}

void plan_make_single(struct plan *plan)
{
	plan->width = 1;
	plan->linear = true;
	for (uint32_t w = 0; w < plan->web_count; w++) {
		plan->webs[w].kind = WEB_LINEAR;
		plan->webs[w].stride = 0;
	}
	/* No guard varies any more, so lanes wait nowhere. */
	for (uint32_t e = 0; e < plan->entry_count; e++) {
		struct plan_region *region = &plan->regions[e];
		for (uint32_t n = 0; n < region->node_count; n++) {
			region->nodes[n].may_be_empty = false;
			memset(region->nodes[n].pending, 0, region->words * sizeof(*region->nodes[n].pending));
		}
		plan_lay_out(plan, region);
	}
}
