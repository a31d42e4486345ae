#include "config.h"

#include "softcuda/exec/flow.h"

#include <stdlib.h>
#include <string.h>

/* Allocates all arrays of the graph at once; false when out of memory. */
static bool take_lists(struct flow_graph *f)
{
	uint32_t **const lists[] = {&f->after_at, &f->before_at, &f->number, &f->sorted, &f->dominator,
				    &f->loop, &f->outer, &f->left, &f->waits, &f->ready, &f->next,
				    &f->order};
	enum { LISTS = sizeof(lists) / sizeof(*lists) };
	const size_t each = f->count + 1u;
	f->memory = calloc(LISTS * each + 2 * f->edge_count, sizeof(*f->memory));
	if (!f->memory)
		return false;
	for (size_t i = 0; i < LISTS; i++)
		*lists[i] = f->memory + i * each;
	f->after = f->memory + LISTS * each;
	f->before = f->after + f->edge_count;
	return true;
}

/* Turns counts, of which that of block b is at[b + 1], into the indices at which the blocks' lists begin. */
static void sum_up(uint32_t *at, uint32_t count)
{
	for (uint32_t b = 0; b < count; b++)
		at[b + 1] += at[b];
}

/* Fills the lists of successors and predecessors.  waits and left serve as working memory. */
static void find_edges(struct flow_graph *f, const struct flow_edge *edges)
{
	uint32_t *after_next = f->waits, *before_next = f->left;
	for (size_t i = 0; i < f->edge_count; i++) {
		f->after_at[edges[i].from + 1]++;
		f->before_at[edges[i].to + 1]++;
	}
	sum_up(f->after_at, f->count);
	sum_up(f->before_at, f->count);
	memcpy(after_next, f->after_at, f->count * sizeof(*after_next));
	memcpy(before_next, f->before_at, f->count * sizeof(*before_next));
	for (size_t i = 0; i < f->edge_count; i++) {
		f->after[after_next[edges[i].from]++] = edges[i].to;
		f->before[before_next[edges[i].to]++] = edges[i].from;
	}
	memset(f->left, 0, f->count * sizeof(*f->left));
}

/* Numbers the blocks that can be reached in reverse postorder of a depth-first search: an edge that is no back edge
 * leads from a lower number to a greater one.  order and waits serve as working memory. */
static void number_nodes(struct flow_graph *f)
{
	uint32_t *stack = f->order, *cursor = f->waits, depth = 0;
	uint32_t last = f->count;
	for (uint32_t b = 0; b < f->count; b++) {
		f->number[b] = FLOW_NOBODY;
		cursor[b] = f->after_at[b];
	}
	stack[depth++] = 0;
	f->number[0] = 0;
	while (depth) {
		uint32_t b = stack[depth - 1];
		if (cursor[b] == f->after_at[b + 1]) {
			f->sorted[--last] = b;
			depth--;
			continue;
		}
		uint32_t to = f->after[cursor[b]++];
		if (f->number[to] == FLOW_NOBODY) {
			f->number[to] = 0;
			stack[depth++] = to;
		}
	}
	f->reached = f->count - last;
	memmove(f->sorted, f->sorted + last, f->reached * sizeof(*f->sorted));
	for (uint32_t i = 0; i < f->reached; i++)
		f->number[f->sorted[i]] = i;
}

/* The closest block that dominates both a and b. */
static uint32_t common_dominator(const struct flow_graph *f, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (f->number[a] > f->number[b])
			a = f->dominator[a];
		else
			b = f->dominator[b];
	}
	return a;
}

/* Finds the immediate dominators, with the algorithm of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
 * Algorithm". */
static void find_dominators(struct flow_graph *f)
{
	for (uint32_t b = 0; b < f->count; b++)
		f->dominator[b] = FLOW_NOBODY;
	f->dominator[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < f->reached; i++) {
			uint32_t b = f->sorted[i], found = FLOW_NOBODY;
			for (uint32_t e = f->before_at[b]; e < f->before_at[b + 1]; e++) {
				uint32_t from = f->before[e];
				if (f->number[from] != FLOW_NOBODY && f->dominator[from] != FLOW_NOBODY)
					found = found == FLOW_NOBODY ? from
							      : common_dominator(f, found, from);
			}
			changed |= f->dominator[b] != found;
			f->dominator[b] = found;
		}
	}
}

bool flow_goes_back(const struct flow_graph *f, uint32_t from, uint32_t to)
{
	return f->number[to] <= f->number[from];
}

/* Pushes the predecessors of a block that can be reached. */
static void push_before(const struct flow_graph *f, uint32_t b, uint32_t *stack, uint32_t *depth)
{
	for (uint32_t e = f->before_at[b]; e < f->before_at[b + 1]; e++)
		if (f->number[f->before[e]] != FLOW_NOBODY)
			stack[(*depth)++] = f->before[e];
}

/* Finds the natural loop of a header, if it has back edges: the header, and all blocks from which the source of a back
 * edge can be reached without passing the header.  Inner loops have been found before.  stack has room for twice the
 * number of edges. */
static void find_loop(struct flow_graph *f, uint32_t header, uint32_t *stack)
{
	uint32_t depth = 0;
	for (uint32_t e = f->before_at[header]; e < f->before_at[header + 1]; e++)
		if (f->number[f->before[e]] != FLOW_NOBODY && flow_goes_back(f, f->before[e], header))
			stack[depth++] = f->before[e];
	if (!depth)
		return;
	f->loop[header] = header;
	while (depth) {
		uint32_t b = stack[--depth];
		if (f->loop[b] == FLOW_NOBODY) {
			f->loop[b] = header;
			push_before(f, b, stack, &depth);
			continue;
		}
		/* b is in a loop already.  The outermost such loop is inside this one, or is this one. */
		for (b = f->loop[b]; f->outer[b] != FLOW_NOBODY;)
			b = f->outer[b];
		if (b == header)
			continue;
		f->outer[b] = header;
		push_before(f, b, stack, &depth);
	}
}

/* Finds all loops, inner ones first, and counts their blocks; false when out of memory. */
static bool find_loops(struct flow_graph *f)
{
	uint32_t *stack = malloc((2 * (size_t)f->edge_count + 1) * sizeof(*stack));
	if (!stack)
		return false;
	for (uint32_t b = 0; b < f->count; b++)
		f->loop[b] = f->outer[b] = FLOW_NOBODY;
	for (uint32_t i = f->reached; i-- > 0;)
		find_loop(f, f->sorted[i], stack);
	for (uint32_t i = 0; i < f->reached; i++)
		for (uint32_t h = f->loop[f->sorted[i]]; h != FLOW_NOBODY; h = f->outer[h])
			f->left[h]++;
	free(stack);
	return true;
}

/* Adds a block to the list of those that may come next in the loop around it; the list is sorted by number of
 * block. */
static void make_ready(struct flow_graph *f, uint32_t b)
{
	uint32_t within = f->loop[b] == b ? f->outer[b] : f->loop[b];
	uint32_t *at = &f->ready[within == FLOW_NOBODY ? f->count : within];
	while (*at != FLOW_NOBODY && *at < b)
		at = &f->next[*at];
	f->next[b] = *at;
	*at = b;
}

/* Counts the forward edges to each block. */
static void count_waits(struct flow_graph *f)
{
	memset(f->waits, 0, f->count * sizeof(*f->waits));
	for (uint32_t i = 0; i < f->reached; i++) {
		uint32_t b = f->sorted[i];
		for (uint32_t e = f->after_at[b]; e < f->after_at[b + 1]; e++)
			f->waits[f->after[e]] += !flow_goes_back(f, b, f->after[e]);
	}
}

/* Puts the blocks in order: each comes after its predecessors, except along back edges, and the blocks of a loop
 * follow each other without others between. */
static void order_nodes(struct flow_graph *f)
{
	uint32_t current = FLOW_NOBODY;
	count_waits(f);
	for (uint32_t i = 0; i <= f->count; i++)
		f->ready[i] = FLOW_NOBODY;
	make_ready(f, 0);
	while (true) {
		uint32_t *ready = &f->ready[current == FLOW_NOBODY ? f->count : current];
		uint32_t b = *ready;
		if (b == FLOW_NOBODY)
			break;
		*ready = f->next[b];
		f->order[f->placed++] = b;
		for (uint32_t e = f->after_at[b]; e < f->after_at[b + 1]; e++)
			if (!flow_goes_back(f, b, f->after[e]) && !--f->waits[f->after[e]])
				make_ready(f, f->after[e]);
		for (uint32_t h = f->loop[b]; h != FLOW_NOBODY; h = f->outer[h])
			f->left[h]--;
		current = f->loop[b] == b ? b : current;
		while (current != FLOW_NOBODY && !f->left[current])
			current = f->outer[current];
	}
	for (uint32_t b = 0; b < f->count; b++)
		if (f->number[b] == FLOW_NOBODY)
			f->order[f->placed++] = b;
}

/* Whether the target of each back edge dominates its source. */
static bool is_reducible(const struct flow_graph *f)
{
	for (uint32_t i = 0; i < f->reached; i++) {
		const uint32_t b = f->sorted[i];
		for (uint32_t e = f->after_at[b]; e < f->after_at[b + 1]; e++)
			if (flow_goes_back(f, b, f->after[e]) &&
			    common_dominator(f, b, f->after[e]) != f->after[e])
				return false;
	}
	return true;
}

bool flow_create(struct flow_graph *flow, uint32_t count, const struct flow_edge *edges, size_t edge_count)
{
	*flow = (struct flow_graph){.count = count, .edge_count = edge_count};
	if (!take_lists(flow))
		return false;
	find_edges(flow, edges);
	number_nodes(flow);
	find_dominators(flow);
	flow->reducible = is_reducible(flow);
	return true;
}

void flow_finish(struct flow_graph *flow)
{
	free(flow->memory);
	flow->memory = NULL;
}

bool flow_order(struct flow_graph *flow)
{
	if (!find_loops(flow))
		return false;
	order_nodes(flow);
	return true;
}
