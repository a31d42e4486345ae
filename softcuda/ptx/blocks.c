#include "config.h"

#include "softcuda/ptx/blocks.h"

#include "softcuda/ptx/decode.h"

#include <stdlib.h>

/* of first marks leaders. */
static void mark_leaders(struct ptx_blocks *graph)
{
	graph->of[0] = 1;
	for (uint32_t i = 0; i < graph->op_count; i++) {
		const struct op *op = &graph->ops[i];
		bool jumps = op->run == graph->bra || op->run == graph->brx;
		if (op->run == graph->bra)
			graph->of[op->target] = 1;
		for (uint32_t t = 0; op->run == graph->brx && t < graph->tables[op->target].count; t++)
			graph->of[graph->tables[op->target].targets[t]] = 1;
		if ((jumps || op->run == graph->ret || op->run == graph->exit) &&
		    i + 1 < graph->op_count)
			graph->of[i + 1] = 1;
	}
}

bool ptx_blocks_find(struct ptx_blocks *graph, const struct op *ops, uint32_t op_count,
		     const struct branch_table *tables)
{
	*graph = (struct ptx_blocks){
		.ops = ops, .op_count = op_count, .tables = tables,
		.bra = exec_table_find("_bra")->run, .brx = exec_table_find("_brx")->run,
		.ret = exec_table_find("_ret")->run, .exit = exec_table_find("_exit")->run,
		.blocks = calloc(op_count + 1u, sizeof(*graph->blocks)),
		.of = calloc(op_count + 1u, sizeof(*graph->of))
	};
	if (!graph->blocks || !graph->of)
		return false;
	mark_leaders(graph);
	for (uint32_t i = 0; i < op_count; i++) {
		if (graph->of[i])
			graph->blocks[graph->count++].first = i;
		graph->of[i] = graph->count - 1;
		graph->blocks[graph->count - 1].end = i + 1;
	}
	return true;
}

void ptx_blocks_finish(struct ptx_blocks *graph)
{
	free(graph->blocks);
	free(graph->of);
}

bool ptx_block_falls(const struct ptx_blocks *graph, uint32_t block)
{
	const struct op *op = &graph->ops[graph->blocks[block].end - 1];
	return block + 1 < graph->count &&
	       (op->guard != OPERAND_NONE ||
		(op->run != graph->bra && op->run != graph->brx && op->run != graph->ret &&
		 op->run != graph->exit));
}

bool ptx_blocks_successors(const struct ptx_blocks *graph, uint32_t block, ptx_visit *visit,
			   void *context)
{
	const struct op *op = &graph->ops[graph->blocks[block].end - 1];
	bool any = false;
	if (op->run == graph->bra)
		any |= visit(context, block, graph->of[op->target]);
	for (uint32_t t = 0; op->run == graph->brx && t < graph->tables[op->target].count; t++)
		any |= visit(context, block, graph->of[graph->tables[op->target].targets[t]]);
	if (ptx_block_falls(graph, block))
		any |= visit(context, block, block + 1);
	return any;
}
