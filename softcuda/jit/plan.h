/* What a kernel's code becomes before there is any IR: values, how they spread over lanes, and the order in which
 * blocks run.
 *
 * A part is `width` consecutive lanes of a warp, which compiled code runs as vectors.  A web is a value of the
 * program: definitions and uses of a register that belong together.  An entry is a place where compiled code can
 * begin: the start of the kernel, and the op behind each barrier.  A region is the code that can be reached from an entry
 * without passing a barrier; each is a function of its own.
 *
 * Built once, then read.  Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_JIT_PLAN_H
#define CULVERT_SOFTCUDA_JIT_PLAN_H

#include "base/bytes.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/jit/verb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_NONE = 0x7fffffff, PLAN_GUARD = OP_OPERANDS, PLAN_USES = OP_OPERANDS + 1 };

/* How a value spreads over the lanes of a part, from what needs least room to what needs most. */
enum web_kind {
	WEB_UNKNOWN,              /* nothing is known yet */
	WEB_LINEAR,               /* that of the first lane, and `stride` more for each further one; 0: all alike */
	WEB_VARYING               /* anything */
};

struct web {
	uint32_t slot;            /* its offset in the frame's registers */
	char width;               /* as in op_row.shape */
	uint8_t kind;             /* enum web_kind */
	int64_t stride;
	bool at_start;            /* some way reads it before it is written: then it is 0 */
	bool any_nan;             /* f32: a NaN in it may have any bits; who looks at them makes it the one NaN */
	uint32_t parameter;       /* the offset of the kernel parameter that an address is made from; PLAN_NONE */
};

enum plan_end {
	END_FALLS,                /* goes on with the next block */
	END_BRANCH,               /* to target; with a guard: else to the next */
	END_EXIT,                 /* lanes end; with a guard: the others go on with the next */
	END_BARRIER               /* lanes wait, and go on with the next */
};

struct plan_block {
	uint32_t first, end;      /* ops */
	enum plan_end kind;       /* what its last op does */
	uint32_t next, target;    /* blocks; PLAN_NONE */
	uint32_t entry;           /* END_BARRIER: where it goes on */
};

/* Where compiled code can begin. */
struct plan_entry {
	uint32_t block;
	uint32_t barrier;         /* the op before it; PLAN_NONE: the start */
};

/* A step of a region: a block, or the latch of a loop, where lanes meet that go back to its header. */
struct plan_node {
	uint32_t block;           /* of a latch: the header's */
	bool latch;
	uint32_t header;          /* node of the loop's header, of a latch */
	bool may_be_empty;        /* it may be come to without lanes */
	uint64_t *pending;        /* nodes where lanes may wait meanwhile, as bits */
	uint64_t *kept;           /* webs that lanes that wait need, as bits */
};

struct plan_region {
	uint32_t node_count, words;       /* words of a set of nodes */
	struct plan_node *nodes;
	uint64_t *scratch;                /* room for a set of nodes */
	uint32_t *node_of;                /* block -> node; PLAN_NONE: not in this region */
	uint32_t *latch_of;               /* block -> the latch of the loop that it is the header of */
};

struct plan {
	const struct soft_program *program;
	const struct code *code;
	uint32_t width;           /* lanes of a part */
	bool linear;              /* a part's lanes differ in %tid.x alone, by one from lane to lane */
	struct jit_verb *verbs;   /* by op */
	const struct op_row **rows;       /* by op */
	uint32_t *use, *def;      /* webs: op * PLAN_USES + operand, op * OP_OPERANDS + operand; PLAN_NONE */
	struct web *webs;
	uint32_t web_count, web_words;    /* words of a set of webs */
	struct plan_block *blocks;
	uint32_t block_count;
	uint32_t *block_of;       /* op -> block */
	uint32_t *live_at, *live; /* block -> webs that are alive at its start: live[live_at[b]...] */
	struct plan_entry *entries;
	uint32_t entry_count;
	struct plan_region *regions;      /* by entry */
	bool together;            /* lanes of the warp do something together */
	bool calls;               /* some ops are done by the interpreter's handlers */
	bool may_wait;            /* a loop of it may wait for what other work-items do */
};

/* Makes a plan of an entry's code, for hosts whose vectors have `native` lanes of 32 bits and blocks whose first
 * dimension is a multiple of `rows`, a power of two.  False, with the reason in why: it is nothing for the
 * compiler, or memory ran out.  There is something to finish in any case. */
bool plan_create(struct plan *plan, const struct compiled_host *host, const struct soft_program *program,
		 const struct code *code, uint32_t native, uint32_t rows, struct bytes *why);
void plan_finish(struct plan *plan);

/* The parts of plan_create, in order; false when out of memory or, with a reason in why, for other reasons. */
bool plan_find_verbs(struct plan *plan, const struct compiled_host *host, struct bytes *why);
bool plan_find_blocks(struct plan *plan, struct bytes *why);
bool plan_find_webs(struct plan *plan);
bool plan_find_regions(struct plan *plan, struct bytes *why);
bool plan_find_kinds(struct plan *plan);

/* Lays a region out for what is known of kinds now: more lanes may split than the last time, not fewer. */
void plan_lay_out(const struct plan *plan, struct plan_region *region);

/* The nodes that the last op of node n leads to, the latch of a loop in the place of its header; how many. */
unsigned plan_targets(const struct plan *plan, const struct plan_region *region, uint32_t n, uint32_t *targets);
/* The node that runs behind node `from` when lanes go to the targets: the first of these and of where lanes wait
 * already; PLAN_NONE: the region ends.  rest: the others, in which lanes wait then. */
uint32_t plan_step(const struct plan_region *region, uint32_t from, const uint32_t *targets, unsigned count,
		   uint64_t *rest);

/* Sets `set` to the webs that are alive before op, which is in block. */
void plan_live_before(const struct plan *plan, uint32_t block, uint32_t op, uint64_t *set);

/* Operand k of op as a number of so many bits; false: it is no constant. */
bool plan_constant(const struct plan *plan, const struct op *op, unsigned k, unsigned bits, uint64_t *value_out);

/* The guard of a block's last op splits the lanes. */
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
