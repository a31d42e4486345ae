/* The order in which the blocks of a region run, and the nodes at which lanes wait meanwhile.
 *
 * Where lanes diverge, compiled code runs all paths, one after the other, each with the lanes that take it.  Blocks
 * run in an order in which each comes after its predecessors, and lanes that do not run a block wait at the block that
 * they go to next.  A branch that all lanes take in the same direction remains a branch, but it jumps no further than
 * to the first block where lanes wait (Moll and Hack, "Partial Control-Flow Linearization", PLDI 2018).  Lanes that
 * take a back edge of a loop gather in the loop's latch, a node behind the loop's last block. */
#include "config.h"

#include "softcuda/exec/flow.h"
#include "softcuda/jit/plan.h"

#include <stdlib.h>

bool plan_splits(const struct plan *plan, uint32_t block)
{
	const uint32_t last = plan->blocks[block].end - 1;
	const uint32_t guard = plan->use[(size_t)last * PLAN_USES + PLAN_GUARD];
	return guard != PLAN_NONE && plan->webs[guard].kind == WEB_VARYING;
}

/* --- nodes ---------- */

/* The state of the search for a region's nodes. */
struct walker {
	const struct plan *plan;
	struct plan_region *region;
	uint32_t *block;          /* number within the region -> block */
	uint32_t *compact;        /* block -> number within the region, or PLAN_NONE */
	uint32_t count;           /* number of blocks of the region */
	struct flow_edge *edges;
	size_t edge_count;
	struct flow_graph flow;
};

/* Adds a block to the region, if it is not there yet. */
static void reach(struct walker *w, uint32_t block)
{
	if (w->compact[block] != PLAN_NONE)
		return;
	w->compact[block] = w->count;
	w->block[w->count++] = block;
}

/* The blocks that control goes to behind a block, or PLAN_NONE; behind a barrier, to none. */
static void find_successors(const struct walker *w, uint32_t block, uint32_t to[2])
{
	const struct plan_block *b = &w->plan->blocks[block];
	to[0] = b->kind == END_BARRIER ? PLAN_NONE : b->next;
	to[1] = b->target;
}

/* Numbers the blocks that were reached: the entry first, the others in the order of the text, in which the interpreter
 * prefers paths. */
static void number(struct walker *w, uint32_t entry)
{
	uint32_t count = 0;
	w->block[count++] = entry;
	for (uint32_t b = 0; b < w->plan->block_count; b++)
		if (b != entry && w->compact[b] != PLAN_NONE)
			w->block[count++] = b;
	for (uint32_t i = 0; i < count; i++)
		w->compact[w->block[i]] = i;
}

/* Collects the blocks that can be reached from an entry without passing a barrier, and the edges between them. */
static void collect(struct walker *w, uint32_t entry)
{
	uint32_t to[2];
	reach(w, entry);
	for (uint32_t i = 0; i < w->count; i++) {
		find_successors(w, w->block[i], to);
		for (unsigned k = 0; k < 2; k++)
			if (to[k] != PLAN_NONE)
				reach(w, to[k]);
	}
	number(w, entry);
	for (uint32_t i = 0; i < w->count; i++) {
		find_successors(w, w->block[i], to);
		for (unsigned k = 0; k < 2; k++)
			if (to[k] != PLAN_NONE)
				w->edges[w->edge_count++] = (struct flow_edge){i, w->compact[to[k]]};
	}
}

/* Whether a block is in the loop with this header, or in a loop inside it. */
static bool in_loop(const struct flow_graph *flow, uint32_t node, uint32_t header)
{
	uint32_t h = flow->loop[node];
	while (h != FLOW_NOBODY && h != header)
		h = flow->outer[h];
	return h == header;
}

/* Adds the latches of the loops whose last block has index i in the order, inner loops first. */
static void add_latches(struct walker *w, uint32_t i)
{
	const struct flow_graph *flow = &w->flow;
	struct plan_region *region = w->region;
	for (uint32_t h = flow->loop[flow->order[i]]; h != FLOW_NOBODY; h = flow->outer[h]) {
		if (i + 1 < w->count && in_loop(flow, flow->order[i + 1], h))
			return;
		region->latch_of[w->block[h]] = region->node_count;
		region->nodes[region->node_count++] = (struct plan_node){
			.block = w->block[h], .latch = true, .header = region->node_of[w->block[h]]
		};
	}
}

static bool make_nodes(struct walker *w)
{
	struct plan_region *region = w->region;
	const uint32_t blocks = w->plan->block_count;
	region->nodes = calloc(2 * (size_t)w->count + 1, sizeof(*region->nodes));
	region->node_of = malloc(2 * (blocks + 1) * sizeof(*region->node_of));
	if (!region->nodes || !region->node_of)
		return false;
	region->latch_of = region->node_of + blocks + 1;
	for (uint32_t b = 0; b < 2 * (blocks + 1); b++)
		region->node_of[b] = PLAN_NONE;
	for (uint32_t i = 0; i < w->count; i++) {
		const uint32_t block = w->block[w->flow.order[i]];
		region->node_of[block] = region->node_count;
		region->nodes[region->node_count++] = (struct plan_node){.block = block};
		add_latches(w, i);
	}
	region->words = region->node_count / 64 + 1;
	const size_t each = region->words + w->plan->web_words;
	uint64_t *sets = calloc(region->node_count * each + region->words, sizeof(*sets));
	for (uint32_t n = 0; sets && n < region->node_count; n++) {
		region->nodes[n].pending = sets + n * region->words;
		region->nodes[n].kept = sets + (size_t)region->node_count * region->words +
					(size_t)n * w->plan->web_words;
	}
	if (sets)
		region->scratch = sets + region->node_count * each;
	return sets != NULL;
}

static bool find_region(struct walker *w, uint32_t entry, struct bytes *why)
{
	for (uint32_t b = 0; b < w->plan->block_count; b++)
		w->compact[b] = PLAN_NONE;
	w->count = 0;
	w->edge_count = 0;
	collect(w, entry);
	bool right = flow_create(&w->flow, w->count, w->edges, w->edge_count);
	if (right && !w->flow.reducible)
		bytes_append_string(why, "a loop with several ways in");
	right = right && w->flow.reducible && flow_order(&w->flow) && make_nodes(w);
	flow_finish(&w->flow);
	return right;
}

bool plan_find_regions(struct plan *plan, struct bytes *why)
{
	const size_t count = plan->block_count + 1u;
	struct walker w = {
		.plan = plan, .block = malloc(count * sizeof(uint32_t)),
		.compact = malloc(count * sizeof(uint32_t)), .edges = malloc(2 * count * sizeof(struct flow_edge))
	};
	plan->regions = calloc(plan->entry_count, sizeof(*plan->regions));
	bool right = plan->regions && w.block && w.compact && w.edges;
	for (uint32_t e = 0; right && e < plan->entry_count; e++) {
		w.region = &plan->regions[e];
		right = find_region(&w, plan->entries[e].block, why);
	}
	free(w.block);
	free(w.compact);
	free(w.edges);
	return right;
}

/* --- the nodes at which lanes wait ---------- */

/* Adds the elements of a set to another one; true if some were not in it. */
static bool set_or(uint64_t *to, const uint64_t *from, uint32_t words)
{
	uint64_t changed = 0;
	for (uint32_t w = 0; w < words; w++) {
		changed |= from[w] & ~to[w];
		to[w] |= from[w];
	}
	return changed;
}

/* The lowest element of a set, or PLAN_NONE. */
static uint32_t lowest(const uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (set[w])
			return w * 64 + (uint32_t)__builtin_ctzll(set[w]);
	return PLAN_NONE;
}

uint32_t plan_step(const struct plan_region *region, uint32_t from, const uint32_t *targets, unsigned count,
		   uint64_t *rest)
{
	memcpy(rest, region->nodes[from].pending, region->words * sizeof(*rest));
	for (unsigned i = 0; i < count; i++)
		plan_add(rest, targets[i]);
	const uint32_t to = lowest(rest, region->words);
	if (to != PLAN_NONE)
		plan_remove(rest, to);
	return to;
}

unsigned plan_targets(const struct plan *plan, const struct plan_region *region, uint32_t n, uint32_t *targets)
{
	const struct plan_node *node = &region->nodes[n];
	const struct plan_block *block = &plan->blocks[node->block];
	unsigned count = 0;
	if (node->latch || block->kind == END_BARRIER)
		return 0;
	const uint32_t to[2] = {block->next, block->target};
	for (unsigned k = 0; k < 2; k++) {
		if (to[k] == PLAN_NONE)
			continue;
		const uint32_t target = region->node_of[to[k]];
		targets[count++] = target > n ? target : region->latch_of[to[k]];
	}
	return count;
}

/* The state of plan_lay_out's iteration to a fixed point. */
struct layer {
	const struct plan *plan;
	struct plan_region *region;
	uint64_t *rest;
	bool changed;
};

/* Propagates what is known to the node that runs after node n when lanes go to the targets (plan_step).  That node may
 * be empty unless sure is set, which says that some lanes go to the targets, and it is the only target. */
static void go(struct layer *l, uint32_t n, const uint32_t *targets, unsigned count, bool sure)
{
	struct plan_region *region = l->region;
	const uint32_t to = plan_step(region, n, targets, count, l->rest);
	if (to == PLAN_NONE)
		return;
	struct plan_node *node = &region->nodes[to];
	l->changed |= set_or(node->pending, l->rest, region->words);
	if (!(sure && count == 1 && to == targets[0]) && !node->may_be_empty)
		node->may_be_empty = l->changed = true;
}

static void visit(struct layer *l, uint32_t n)
{
	struct plan_region *region = l->region;
	struct plan_node *node = &region->nodes[n];
	uint32_t targets[2];
	if (node->latch) {
		/* Some lanes begin another iteration; or, if the latch is empty, all have left the loop. */
		l->changed |= set_or(region->nodes[node->header].pending, node->pending, region->words);
		if (node->may_be_empty)
			go(l, n, NULL, 0, false);
		return;
	}
	const unsigned count = plan_targets(l->plan, region, n, targets);
	const bool splits = plan_splits(l->plan, node->block);
	const bool exits = l->plan->blocks[node->block].kind == END_EXIT;
	if (splits || !count) {
		go(l, n, targets, count, false);
	} else {
		for (unsigned i = 0; i < count; i++)
			go(l, n, &targets[i], 1, true);
		/* A guard that is equal in all lanes: either all lanes of the node end here, or none. */
		if (exits)
			go(l, n, NULL, 0, false);
	}
	if (node->may_be_empty)
		go(l, n, NULL, 0, false);
}

/* Adds the webs that are live at the start of a block. */
static void keep(const struct plan *plan, uint32_t block, uint64_t *kept)
{
	for (uint32_t i = plan->live_at[block]; i < plan->live_at[block + 1]; i++)
		plan_add(kept, plan->live[i]);
}

/* Sets kept of each node: the webs that are live at the nodes where lanes wait. */
static void find_kept(const struct plan *plan, struct plan_region *region)
{
	for (uint32_t n = 0; n < region->node_count; n++) {
		const struct plan_node *node = &region->nodes[n];
		memset(node->kept, 0, plan->web_words * sizeof(*node->kept));
		for (uint32_t w = 0; w < region->words; w++)
			for (uint64_t rest = node->pending[w]; rest; rest &= rest - 1)
				keep(plan, region->nodes[w * 64 + (uint32_t)__builtin_ctzll(rest)].block,
				     node->kept);
	}
}

void plan_lay_out(const struct plan *plan, struct plan_region *region)
{
	struct layer l = {plan, region, region->scratch, true};
	while (l.changed) {
		l.changed = false;
		for (uint32_t n = 0; n < region->node_count; n++)
			visit(&l, n);
	}
	find_kept(plan, region);
}
