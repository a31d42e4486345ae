/* Where the lanes of a warp took different ways, those whose place in the program is lowest go first
 * (exec/warp.c), so that they come to where the others wait.  Compilers put what is seldom needed out of
 * the way, behind the text that it goes back to: the lanes that did not need it would go on without the
 * others, where a GPU's wait at the place that both ways lead to.  So blocks are put into another
 * order where a branch leads back in the text and is no loop's: each behind those that lead to it,
 * a loop's all together, otherwise as in the text.  What has loops with several ways in stays as it is. */
#include "config.h"

#include "softcuda/exec/flow.h"
#include "softcuda/ptx/blocks.h"
#include "softcuda/ptx/lex.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

struct edges {
	struct flow_edge *list;
	size_t count;
};

static bool count_edge(void *context, uint32_t block, uint32_t successor)
{
	struct edges *edges = context;
	(void)block;
	(void)successor;
	edges->count++;
	return false;
}

static bool add_edge(void *context, uint32_t block, uint32_t successor)
{
	struct edges *edges = context;
	edges->list[edges->count++] = (struct flow_edge){block, successor};
	return false;
}

static void for_each_edge(const struct ptx_blocks *graph, ptx_visit *visit, struct edges *edges)
{
	edges->count = 0;
	for (uint32_t b = 0; b < graph->count; b++)
		ptx_blocks_successors(graph, b, visit, edges);
}

/* False when out of memory. */
static bool find_flow(const struct ptx_blocks *graph, struct flow_graph *flow)
{
	struct edges edges = {NULL, 0};
	for_each_edge(graph, count_edge, &edges);
	edges.list = malloc((edges.count + 1) * sizeof(*edges.list));
	if (!edges.list)
		return false;
	for_each_edge(graph, add_edge, &edges);
	const bool right = flow_create(flow, graph->count, edges.list, edges.count);
	free(edges.list);
	return right;
}

/* Whether a branch that is no loop's leads back in the text. */
static bool is_out_of_order(const struct flow_graph *flow)
{
	for (uint32_t i = 0; i < flow->reached; i++) {
		const uint32_t b = flow->sorted[i];
		for (uint32_t e = flow->after_at[b]; e < flow->after_at[b + 1]; e++)
			if (!flow_goes_back(flow, b, flow->after[e]) && flow->after[e] < b)
				return true;
	}
	return false;
}

/* Where a block that went on to the next one of the text is followed by another, a branch is put in. */
static bool rewrite(struct ptx_blocks *graph, const struct flow_graph *flow, struct ptx_parser *parser,
		    struct code *code)
{
	const size_t most = (size_t)code->op_count + graph->count;
	struct op *ops = arena_take(parser->arena, most * sizeof(*ops));
	struct source_place *places = arena_take(parser->arena, most * sizeof(*places));
	uint32_t *first = flow->waits, count = 0;
	if (!ops || !places)
		return false;
	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t b = flow->order[i];
		const struct ptx_block *block = &graph->blocks[b];
		first[b] = count;
		memcpy(ops + count, code->ops + block->first,
		       (block->end - block->first) * sizeof(*ops));
		memcpy(places + count, code->places + block->first,
		       (block->end - block->first) * sizeof(*places));
		count += block->end - block->first;
		if (!ptx_block_falls(graph, b) ||
		    (i + 1 < graph->count && flow->order[i + 1] == b + 1))
			continue;
		ops[count] = (struct op){
			.run = graph->bra, .guard = OPERAND_NONE, .line = ops[count - 1].line,
			.target = graph->blocks[b + 1].first
		};
		places[count] = places[count - 1];
		count++;
	}
	for (uint32_t i = 0; i < count; i++)
		if (ops[i].run == graph->bra)
			ops[i].target = first[graph->of[ops[i].target]];
	for (uint32_t t = 0; t < code->table_count; t++)
		for (uint32_t i = 0; i < code->tables[t].count; i++)
			code->tables[t].targets[i] = first[graph->of[code->tables[t].targets[i]]];
	code->ops = ops;
	code->places = places;
	code->op_count = count;
	return true;
}

bool ptx_layout(struct ptx_parser *parser, struct code *code)
{
	struct ptx_blocks graph;
	struct flow_graph flow = {0};
	if (!code->op_count)
		return true;
	bool right = ptx_blocks_find(&graph, code->ops, code->op_count, code->tables) &&
		     find_flow(&graph, &flow);
	if (right && flow.reducible && is_out_of_order(&flow)) {
		right = flow_order(&flow);
		if (right && flow.placed == graph.count)
			right = rewrite(&graph, &flow, parser, code);
	}
	flow_finish(&flow);
	ptx_blocks_finish(&graph);
	return right ? true : ptx_fail_memory(parser);
}
