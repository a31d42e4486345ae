/* A function's ops as blocks, and which comes behind which.
 * Memory: the lists are ptx_blocks_finish's to free.  Not thread-safe: the parse's owner. */
#ifndef CULVERT_SOFTCUDA_PTX_BLOCKS_H
#define CULVERT_SOFTCUDA_PTX_BLOCKS_H

#include "softcuda/exec/program.h"

struct ptx_block {
	uint32_t first, end;      /* ops */
};

struct ptx_blocks {
	const struct op *ops;
	uint32_t op_count;
	const struct branch_table *tables;
	op_run *bra, *brx, *ret, *exit;
	struct ptx_block *blocks; /* in the order of the text */
	uint32_t *of;             /* op -> block */
	uint32_t count;
};

/* False when out of memory; there is something to finish all the same. */
bool ptx_blocks_find(struct ptx_blocks *graph, const struct op *ops, uint32_t op_count,
		     const struct branch_table *tables);
void ptx_blocks_finish(struct ptx_blocks *graph);

/* Whether a block may go on to the one behind it in the text. */
bool ptx_block_falls(const struct ptx_blocks *graph, uint32_t block);

/* Calls visit for each successor, one that is named twice twice; whether any call was true. */
typedef bool ptx_visit(void *context, uint32_t block, uint32_t successor);
bool ptx_blocks_successors(const struct ptx_blocks *graph, uint32_t block, ptx_visit *visit,
			   void *context);

#endif
