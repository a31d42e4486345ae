/* A graph of flow: blocks of code and which may come behind which.  Finds what can be reached, dominators,
 * loops, and an order in which each block is behind those that lead to it, but for the ways back of loops, and
 * each loop lies in one piece.
 *
 * Usage: flow_create from a list of edges, read what it has found, flow_order if an order is wanted,
 * flow_finish.  Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_EXEC_FLOW_H
#define CULVERT_SOFTCUDA_EXEC_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_NOBODY = 0x7fffffff };

struct flow_edge {
	uint32_t from, to;
};

/* Blocks are numbers below count; the flow begins at block 0. */
struct flow_graph {
	uint32_t count;
	size_t edge_count;
	uint32_t *after_at, *after;       /* block -> its successors: after[after_at[b]...] */
	uint32_t *before_at, *before;     /* the same of predecessors */
	uint32_t *number, *sorted;        /* block -> its number from the start, FLOW_NOBODY: not reached; and back */
	uint32_t reached;
	uint32_t *dominator;
	bool reducible;                   /* each way back goes to a block that dominates where it comes from */
	/* What flow_order finds. */
	uint32_t *loop, *outer;           /* block -> header of its innermost loop; header -> of the next */
	uint32_t *order, placed;          /* all blocks; those that are not reached come last */
	uint32_t *left;                   /* header -> blocks of the loop that have no place yet */
	uint32_t *waits;                  /* block -> edges from blocks that have no place yet */
	uint32_t *ready, *next;           /* header, or count -> blocks that may come next, the lowest first */
	uint32_t *memory;
};

/* False when out of memory; there is something to finish all the same. */
bool flow_create(struct flow_graph *flow, uint32_t count, const struct flow_edge *edges, size_t edge_count);
void flow_finish(struct flow_graph *flow);

/* Whether an edge goes back to a block that the flow has passed. */
bool flow_goes_back(const struct flow_graph *flow, uint32_t from, uint32_t to);

/* Orders the blocks of a reducible flow; false when out of memory. */
bool flow_order(struct flow_graph *flow);

#endif
