/* The analysis of a kernel that precedes code generation: its values, how each value differs from lane to lane, and
 * the order in which its blocks run.
 *
 * A part is `width` consecutive lanes of a warp, which compiled code runs as vectors.  A web is a value of the
 * program: the definitions and uses of a register that are connected by reaching definitions.  An entry is a place
 * where compiled code can begin: the start of the kernel, or the op behind a barrier.  A region is the code that can
 * be reached from an entry without passing a barrier; the compiler makes a function of each region.
 *
 * plan_create fills a struct plan, which is only read afterwards; the caller ends with plan_finish.  The functions are
 * not thread-safe: a plan belongs to one thread. */
#ifndef CULVERT_SOFTCUDA_JIT_PLAN_H
#define CULVERT_SOFTCUDA_JIT_PLAN_H

#include "base/bytes.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/jit/verb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_NONE = 0x7fffffff, PLAN_GUARD = OP_OPERANDS, PLAN_USES = OP_OPERANDS + 1 };
/* The number of low bits that are 0 in an address that is aligned for each access: up to 32 bytes. */
enum { PLAN_ALIGNED = 5 };

/* How a value differs between the lanes of a part.  The analysis changes a web's kind only to a later one. */
enum web_kind {
	WEB_UNKNOWN,              /* not known yet */
	WEB_LINEAR,               /* `stride` more from each lane to the next; stride 0: equal in all lanes */
	WEB_VARYING               /* any value in each lane */
};

struct web {
	uint32_t slot;            /* offset of its register in the frame's registers */
	char width;               /* a letter, as in op_row.shape */
	uint8_t kind;             /* enum web_kind */
	int64_t stride;
	/* The same within a row of the work-group (plan.row), of a varying web; row_wraps: one or more of its lanes may
	 * be multiples of 1 << 32 off, as are all behind them in the row then. */
	uint8_t row_kind;
	bool row_wraps;
	int64_t row_stride;
	bool at_start;            /* live at the start of the kernel: some path reads it before it is written, as 0 */
	bool any_nan;             /* f32: a NaN in it may have any bits; code that uses them makes it PTX's NaN */
	bool is_private;          /* it is probably a generic address in private memory */
	uint32_t parameter;       /* offset of the kernel parameter that it is an address from, or PLAN_NONE */
	uint8_t zeros;            /* low bits that are known to be 0, up to PLAN_ALIGNED: of its difference to that
				   * parameter, if there is one, or else of the value itself */
	bool is_offset;           /* an address of accesses: it is kept as an offset in the parameter's memory */
};

enum plan_end {
	END_FALLS,                /* control continues with the next block */
	END_BRANCH,               /* lanes go to target; with a guard, those that it excludes go to next */
	END_EXIT,                 /* lanes end; with a guard, those that it excludes go to next */
	END_BARRIER               /* lanes wait, and then go to next */
};

struct plan_block {
	uint32_t first, end;      /* its ops are [first, end) */
	enum plan_end kind;       /* what its last op does */
	uint32_t next, target;    /* successors, or PLAN_NONE */
	uint32_t entry;           /* END_BARRIER: number of the entry behind the barrier */
};

/* A place where compiled code can begin. */
struct plan_entry {
	uint32_t block;
	uint32_t barrier;         /* the barrier's op before it; PLAN_NONE for the start of the kernel */
};

/* A step of a region: a block, or the latch of a loop.  A latch is an additional node behind the last block of a loop,
 * in which the lanes that take the loop's back edges gather before the next iteration. */
struct plan_node {
	uint32_t block;           /* a latch: the block of the loop's header */
	bool latch;
	uint32_t header;          /* a latch: the node of the loop's header */
	bool may_be_empty;        /* control may reach it although no lane is to run it */
	uint64_t *pending;        /* set of nodes where lanes may wait while it runs */
	uint64_t *kept;           /* set of webs that these waiting lanes need */
};

struct plan_region {
	uint32_t node_count, words;       /* words: size of a set of nodes, in uint64_t */
	struct plan_node *nodes;
	uint64_t *scratch;                /* memory for a set of nodes */
	uint32_t *node_of;                /* block -> its node; PLAN_NONE if the region does not have it */
	uint32_t *latch_of;               /* header of a loop -> the loop's latch; else PLAN_NONE */
};

struct plan {
	const struct soft_program *program;
	const struct code *code;
	uint32_t width;           /* number of lanes of a part */
	uint32_t row;             /* so many of them, one after the other, are in one row of the work-group */
	bool watched;             /* a watcher is told of accesses, fences and meetings (exec/watch.h) */
	bool line;                /* blocks have one dimension */
	bool full;                /* each part has all its lanes when a group starts */
	bool linear;              /* %tid.x grows by one from lane to lane of a part; %tid.y and .z are equal */
	bool by_row;              /* what differs in a row is being found out: spread.c */
	struct jit_verb *verbs;   /* by op */
	const struct op_row **rows;       /* by op */
	uint32_t *use, *def;      /* webs by op * PLAN_USES + operand, op * OP_OPERANDS + operand; or PLAN_NONE */
	struct web *webs;
	uint32_t web_count, web_words;    /* web_words: size of a set of webs, in uint64_t */
	struct plan_block *blocks;
	uint32_t block_count;
	uint32_t *block_of;       /* op -> its block */
	uint32_t *live_at, *live; /* block b -> webs live at its start: live[live_at[b]] to live[live_at[b + 1] - 1] */
	struct plan_entry *entries;
	uint32_t entry_count;
	struct plan_region *regions;      /* by entry */
	bool together;            /* some ops need all lanes of a warp: shuffles, votes, bar.warp.sync */
	bool calls;               /* the interpreter's handlers execute some ops */
	bool may_wait;            /* a loop may wait for another work-item: it uses what atomic or volatile accesses
				   * read */
};

/* Makes a plan of a kernel's code, for a host whose vectors have `native` lanes of 32 bits, and for launches whose
 * blocks `rows` describes (compile_order.rows); watched: for launches that are watched.  Returns false, with the reason
 * in why, if the compiler cannot compile the kernel or memory ran out.  plan_finish has to be called in any case. */
bool plan_create(struct plan *plan, const struct soft_program *program, const struct code *code, uint32_t native,
		 uint32_t rows, bool watched, struct bytes *why);
void plan_finish(struct plan *plan);
/* What the kernel may write (compiled.written). */
uint64_t plan_written(const struct plan *plan);

/* The steps of plan_create, in their order.  They return false when out of memory; one with the argument why also
 * returns false, with the reason in why, if the compiler cannot compile the kernel. */
bool plan_find_verbs(struct plan *plan, struct bytes *why);
bool plan_find_blocks(struct plan *plan, struct bytes *why);
bool plan_find_webs(struct plan *plan);
bool plan_find_regions(struct plan *plan, struct bytes *why);
bool plan_find_kinds(struct plan *plan);
/* After plan_find_kinds: sets what webs have of rows. */
void plan_find_rows(struct plan *plan);
/* After plan_find_kinds: sets what webs have of addresses. */
void plan_find_addresses(struct plan *plan);

/* Whether parts of one lane are estimated to be faster than those of the plan's width, and possible. */
bool plan_is_better_single(const struct plan *plan);
/* Makes parts one lane: every value is uniform then. */
void plan_make_single(struct plan *plan);

/* Computes pending, may_be_empty and kept of a region's nodes from the kinds of the guards.  It is called again when
 * more guards have become varying: the sets of nodes only grow. */
void plan_lay_out(const struct plan *plan, struct plan_region *region);

/* Stores the nodes that the last op of node n leads to, and returns their number, at most 2.  The target of a loop's
 * back edge is the loop's latch, not its header. */
unsigned plan_targets(const struct plan *plan, const struct plan_region *region, uint32_t n, uint32_t *targets);
/* The node that runs after node `from` when lanes go to the targets: the first, in the order of nodes, of the targets
 * and of the nodes where lanes wait already.  PLAN_NONE if there is none: the region ends.  The set of all others, in
 * which lanes wait then, is stored in rest. */
uint32_t plan_step(const struct plan_region *region, uint32_t from, const uint32_t *targets, unsigned count,
		   uint64_t *rest);

/* Sets `set` to the webs that are live before op, which belongs to block. */
void plan_live_before(const struct plan *plan, uint32_t block, uint32_t op, uint64_t *set);

/* Stores operand k of op, as a number of `bits` bits.  False if the operand is no constant. */
bool plan_constant(const struct plan *plan, const struct op *op, unsigned k, unsigned bits, uint64_t *value_out);

/* As plan_constant, also of a register of 32 bits to which only that number is assigned.  After plan_find_webs. */
bool plan_known(const struct plan *plan, uint32_t op, unsigned k, uint64_t *value_out);

/* Whether any op reads a result of this one.  After plan_find_webs. */
bool plan_is_read(const struct plan *plan, uint32_t op);

/* Whether a shuffle has all lanes read from one lane: operand 2 names it, and is equal in all of them. */
bool plan_is_broadcast(const struct plan *plan, uint32_t op);

/* Whether the guard of a block's last op may differ between lanes. */
bool plan_splits(const struct plan *plan, uint32_t block);

static inline bool plan_has(const uint64_t *set, uint32_t bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

static inline void plan_add(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void plan_remove(uint64_t *set, uint32_t bit)
{
	set[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static inline bool plan_is_uniform(const struct web *web)
{
	return web->kind == WEB_LINEAR && !web->stride;
}

/* Whether operand k of op is a register. */
static inline bool plan_is_register(const struct op *op, unsigned k)
{
	return (op->reads | op->writes) >> k & 1 && op->x[k] != OPERAND_NONE &&
	       op->x[k] >> OPERAND_BANK_SHIFT == BANK_REGISTER;
}

#endif
