/* Analysis of a control-flow graph: reachable blocks, dominators, reducibility and loops, and an order of the blocks
 * in which each block comes after its predecessors, except along back edges, and in which each loop is contiguous.
 *
 * Usage: flow_create from a list of edges; flow_order if loops and the order are needed; flow_finish in any case.  The
 * functions are not thread-safe: a graph belongs to one thread. */
#ifndef CULVERT_SOFTCUDA_EXEC_FLOW_H
#define CULVERT_SOFTCUDA_EXEC_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_NOBODY = 0x7fffffff };

struct flow_edge {
	uint32_t from, to;
};

/* A control-flow graph.  Blocks are numbers below count; block 0 is the start. */
struct flow_graph {
	uint32_t count;
	size_t edge_count;
	uint32_t *after_at, *after;       /* successors of block b: after[after_at[b]] to after[after_at[b + 1] - 1] */
	uint32_t *before_at, *before;     /* predecessors of block b, laid out like its successors */
	uint32_t *number, *sorted;        /* block -> number in reverse postorder, or FLOW_NOBODY; number -> block */
	uint32_t reached;                 /* number of blocks that can be reached from the start */
	uint32_t *dominator;              /* block -> its immediate dominator; block 0 -> 0 */
	bool reducible;                   /* the target of each back edge dominates its source */
	/* Results of flow_order, and its working memory. */
	uint32_t *loop, *outer;           /* block -> header of innermost loop; header -> that of the outer loop */
	uint32_t *order, placed;          /* all blocks in their order, unreachable ones last; number of them */
	uint32_t *left;                   /* header -> number of blocks of the loop that are not in order yet */
	uint32_t *waits;                  /* block -> number of forward edges from blocks that are not in order yet */
	uint32_t *ready, *next;           /* lists: header (count: no loop) -> first ready block; block -> next one */
	uint32_t *memory;                 /* the allocation that all arrays are in */
};

/* Builds and analyses a graph.  False when out of memory; flow_finish may be called then, too. */
bool flow_create(struct flow_graph *flow, uint32_t count, const struct flow_edge *edges, size_t edge_count);
void flow_finish(struct flow_graph *flow);

/* Whether an edge between reachable blocks is a back edge. */
bool flow_goes_back(const struct flow_graph *flow, uint32_t from, uint32_t to);

/* Finds the loops and the order of the blocks of a reducible graph.  False when out of memory. */
bool flow_order(struct flow_graph *flow);

#endif
