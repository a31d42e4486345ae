/* Where the lanes of a warp took different ways, those whose place in the program is lowest go first
 * (exec/warp.c), so that they come to where the others wait.  Compilers put what is seldom needed out of
 * the way, behind the text that it goes back to: the lanes that did not need it would go on without the
 * others, where a GPU's wait at the place that both ways lead to.  So blocks are put into another
 * order where a branch leads back in the text and is no loop's: each behind those that lead to it,
 * a loop's all together, otherwise as in the text.  What has loops with several ways in stays as it is. */
#include "config.h"

#include "softcuda/ptx/blocks.h"
#include "softcuda/ptx/lex.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0x7fffffff };

struct layout {
	struct ptx_blocks graph;
	uint32_t edge_count;
	uint32_t *after_at, *after;       /* block -> its successors: after[after_at[b]...] */
	uint32_t *before_at, *before;     /* the same of predecessors */
	uint32_t *number, *sorted;        /* block -> place from the start, NONE: not reached; and back */
	uint32_t reached;
	uint32_t *dominator;
	uint32_t *loop, *outer;           /* block -> header of its innermost loop; header -> of the next */
	uint32_t *left;                   /* header -> blocks of the loop that have no place */
	uint32_t *waits;                  /* block -> edges from blocks that have no place */
	uint32_t *ready, *next;           /* header, or count -> blocks that may come next, first of the text first */
	uint32_t *order, placed;
	uint32_t *memory;
};

static bool count_edge(void *context, uint32_t block, uint32_t successor)
{
	struct layout *l = context;
	(void)block;
	(void)successor;
	l->edge_count++;
	return false;
}

static bool count_ends(void *context, uint32_t block, uint32_t successor)
{
	struct layout *l = context;
	l->after_at[block + 1]++;
	l->before_at[successor + 1]++;
	return false;
}

static bool add_edge(void *context, uint32_t block, uint32_t successor)
{
	struct layout *l = context;
	l->after[l->after_at[block]++] = successor;
	l->before[l->before_at[successor]++] = block;
	return false;
}

static void for_each_edge(struct layout *l, ptx_visit *visit)
{
	for (uint32_t b = 0; b < l->graph.count; b++)
		ptx_blocks_successors(&l->graph, b, visit, l);
}

/* False when out of memory. */
static bool take_lists(struct layout *l)
{
	uint32_t **const lists[] = {&l->after_at, &l->before_at, &l->number, &l->sorted, &l->dominator,
				    &l->loop, &l->outer, &l->left, &l->waits, &l->ready, &l->next,
				    &l->order};
	enum { LISTS = sizeof(lists) / sizeof(*lists) };
	const size_t each = l->graph.count + 1u;
	for_each_edge(l, count_edge);
	l->memory = calloc(LISTS * each + 2 * (size_t)l->edge_count, sizeof(*l->memory));
	if (!l->memory)
		return false;
	for (size_t i = 0; i < LISTS; i++)
		*lists[i] = l->memory + i * each;
	l->after = l->memory + LISTS * each;
	l->before = l->after + l->edge_count;
	return true;
}

static void find_edges(struct layout *l)
{
	const uint32_t n = l->graph.count;
	for_each_edge(l, count_ends);
	for (uint32_t b = 0; b < n; b++) {
		l->after_at[b + 1] += l->after_at[b];
		l->before_at[b + 1] += l->before_at[b];
	}
	for_each_edge(l, add_edge);
	/* Each start has moved to its end, which is the next one's start. */
	memmove(l->after_at + 1, l->after_at, n * sizeof(*l->after_at));
	memmove(l->before_at + 1, l->before_at, n * sizeof(*l->before_at));
	l->after_at[0] = l->before_at[0] = 0;
}

/* Numbers blocks so that each but a loop's header has a greater number than one that leads to it. */
static void number_blocks(struct layout *l)
{
	uint32_t *stack = l->order, *cursor = l->waits, depth = 0;
	uint32_t last = l->graph.count;
	for (uint32_t b = 0; b < l->graph.count; b++) {
		l->number[b] = NONE;
		cursor[b] = l->after_at[b];
	}
	stack[depth++] = 0;
	l->number[0] = 0;
	while (depth) {
		uint32_t b = stack[depth - 1];
		if (cursor[b] == l->after_at[b + 1]) {
			l->sorted[--last] = b;
			depth--;
			continue;
		}
		uint32_t to = l->after[cursor[b]++];
		if (l->number[to] == NONE) {
			l->number[to] = 0;
			stack[depth++] = to;
		}
	}
	l->reached = l->graph.count - last;
	memmove(l->sorted, l->sorted + last, l->reached * sizeof(*l->sorted));
	for (uint32_t i = 0; i < l->reached; i++)
		l->number[l->sorted[i]] = i;
}

static uint32_t common_dominator(const struct layout *l, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (l->number[a] > l->number[b])
			a = l->dominator[a];
		else
			b = l->dominator[b];
	}
	return a;
}

/* Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm". */
static void find_dominators(struct layout *l)
{
	for (uint32_t b = 0; b < l->graph.count; b++)
		l->dominator[b] = NONE;
	l->dominator[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < l->reached; i++) {
			uint32_t b = l->sorted[i], found = NONE;
			for (uint32_t e = l->before_at[b]; e < l->before_at[b + 1]; e++) {
				uint32_t from = l->before[e];
				if (l->number[from] != NONE && l->dominator[from] != NONE)
					found = found == NONE ? from
							      : common_dominator(l, found, from);
			}
			changed |= l->dominator[b] != found;
			l->dominator[b] = found;
		}
	}
}

static bool goes_back(const struct layout *l, uint32_t from, uint32_t to)
{
	return l->number[to] <= l->number[from];
}

/* Whether another order is needed, and there is one. */
static bool is_out_of_order(const struct layout *l)
{
	bool needed = false;
	for (uint32_t i = 0; i < l->reached; i++) {
		uint32_t b = l->sorted[i];
		for (uint32_t e = l->after_at[b]; e < l->after_at[b + 1]; e++) {
			uint32_t to = l->after[e];
			if (!goes_back(l, b, to))
				needed |= to < b;
			else if (common_dominator(l, b, to) != to)
				return false;
		}
	}
	return needed;
}

static void push_before(const struct layout *l, uint32_t b, uint32_t *stack, uint32_t *depth)
{
	for (uint32_t e = l->before_at[b]; e < l->before_at[b + 1]; e++)
		if (l->number[l->before[e]] != NONE)
			stack[(*depth)++] = l->before[e];
}

/* What leads to a way back of the loop without the header is the loop's.  stack: room for all edges twice. */
static void find_loop(struct layout *l, uint32_t header, uint32_t *stack)
{
	uint32_t depth = 0;
	for (uint32_t e = l->before_at[header]; e < l->before_at[header + 1]; e++)
		if (l->number[l->before[e]] != NONE && goes_back(l, l->before[e], header))
			stack[depth++] = l->before[e];
	if (!depth)
		return;
	l->loop[header] = header;
	while (depth) {
		uint32_t b = stack[--depth];
		if (l->loop[b] == NONE) {
			l->loop[b] = header;
			push_before(l, b, stack, &depth);
			continue;
		}
		/* The outermost loop that is known of it is one of this one's. */
		for (b = l->loop[b]; l->outer[b] != NONE;)
			b = l->outer[b];
		if (b == header)
			continue;
		l->outer[b] = header;
		push_before(l, b, stack, &depth);
	}
}

/* False when out of memory. */
static bool find_loops(struct layout *l)
{
	uint32_t *stack = malloc((2 * (size_t)l->edge_count + 1) * sizeof(*stack));
	if (!stack)
		return false;
	for (uint32_t b = 0; b < l->graph.count; b++)
		l->loop[b] = l->outer[b] = NONE;
	for (uint32_t i = l->reached; i-- > 0;)
		find_loop(l, l->sorted[i], stack);
	for (uint32_t i = 0; i < l->reached; i++)
		for (uint32_t h = l->loop[l->sorted[i]]; h != NONE; h = l->outer[h])
			l->left[h]++;
	free(stack);
	return true;
}

static void make_ready(struct layout *l, uint32_t b)
{
	uint32_t within = l->loop[b] == b ? l->outer[b] : l->loop[b];
	uint32_t *at = &l->ready[within == NONE ? l->graph.count : within];
	while (*at != NONE && *at < b)
		at = &l->next[*at];
	l->next[b] = *at;
	*at = b;
}

static void count_waits(struct layout *l)
{
	memset(l->waits, 0, l->graph.count * sizeof(*l->waits));
	for (uint32_t i = 0; i < l->reached; i++) {
		uint32_t b = l->sorted[i];
		for (uint32_t e = l->after_at[b]; e < l->after_at[b + 1]; e++)
			l->waits[l->after[e]] += !goes_back(l, b, l->after[e]);
	}
}

/* Each block behind those that lead to it; once a loop has begun, all of it. */
static void order_blocks(struct layout *l)
{
	uint32_t current = NONE;
	count_waits(l);
	for (uint32_t i = 0; i <= l->graph.count; i++)
		l->ready[i] = NONE;
	make_ready(l, 0);
	while (true) {
		uint32_t *ready = &l->ready[current == NONE ? l->graph.count : current];
		uint32_t b = *ready;
		if (b == NONE)
			break;
		*ready = l->next[b];
		l->order[l->placed++] = b;
		for (uint32_t e = l->after_at[b]; e < l->after_at[b + 1]; e++)
			if (!goes_back(l, b, l->after[e]) && !--l->waits[l->after[e]])
				make_ready(l, l->after[e]);
		for (uint32_t h = l->loop[b]; h != NONE; h = l->outer[h])
			l->left[h]--;
		current = l->loop[b] == b ? b : current;
		while (current != NONE && !l->left[current])
			current = l->outer[current];
	}
	for (uint32_t b = 0; b < l->graph.count; b++)
		if (l->number[b] == NONE)
			l->order[l->placed++] = b;
}

/* Where a block that went on to the next one of the text is followed by another, a branch is put in. */
static bool rewrite(struct layout *l, struct ptx_parser *parser, struct code *code)
{
	const size_t most = (size_t)code->op_count + l->graph.count;
	struct op *ops = arena_take(parser->arena, most * sizeof(*ops));
	struct source_place *places = arena_take(parser->arena, most * sizeof(*places));
	uint32_t *first = l->waits, count = 0;
	if (!ops || !places)
		return false;
	for (uint32_t i = 0; i < l->graph.count; i++) {
		uint32_t b = l->order[i];
		const struct ptx_block *block = &l->graph.blocks[b];
		first[b] = count;
		memcpy(ops + count, code->ops + block->first,
		       (block->end - block->first) * sizeof(*ops));
		memcpy(places + count, code->places + block->first,
		       (block->end - block->first) * sizeof(*places));
		count += block->end - block->first;
		if (!ptx_block_falls(&l->graph, b) ||
		    (i + 1 < l->graph.count && l->order[i + 1] == b + 1))
			continue;
		ops[count] = (struct op){
			.run = l->graph.bra, .guard = OPERAND_NONE, .line = ops[count - 1].line,
			.target = l->graph.blocks[b + 1].first
		};
		places[count] = places[count - 1];
		count++;
	}
	for (uint32_t i = 0; i < count; i++)
		if (ops[i].run == l->graph.bra)
			ops[i].target = first[l->graph.of[ops[i].target]];
	for (uint32_t t = 0; t < code->table_count; t++)
		for (uint32_t i = 0; i < code->tables[t].count; i++)
			code->tables[t].targets[i] = first[l->graph.of[code->tables[t].targets[i]]];
	code->ops = ops;
	code->places = places;
	code->op_count = count;
	return true;
}

bool ptx_layout(struct ptx_parser *parser, struct code *code)
{
	struct layout l = {.placed = 0};
	if (!code->op_count)
		return true;
	bool right = ptx_blocks_find(&l.graph, code->ops, code->op_count, code->tables) &&
		     take_lists(&l);
	if (right) {
		find_edges(&l);
		number_blocks(&l);
		find_dominators(&l);
		if (is_out_of_order(&l)) {
			right = find_loops(&l);
			if (right)
				order_blocks(&l);
			if (right && l.placed == l.graph.count)
				right = rewrite(&l, parser, code);
		}
	}
	free(l.memory);
	ptx_blocks_finish(&l.graph);
	return right ? true : ptx_fail_memory(parser);
}
