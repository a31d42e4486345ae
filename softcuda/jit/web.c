/* Webs, the values of a program, and their live ranges.
 *
 * Registers share places in the frame (ptx/registers.c), so that a place, called a slot here, holds many values one
 * after the other.  A web consists of definitions and uses: a definition is in one web with the uses that it reaches,
 * and with the other definitions that reach these uses.
 *
 * Webs are the sets of a union-find structure.  Its nodes are the definitions, and one node for each slot that is live
 * at the start of a block, as a phi would be: a definition reaches a use in another block by way of such nodes. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include <stdlib.h>

/* The state of plan_find_webs. */
struct finder {
	struct plan *plan;
	uint32_t slot_count, words;  /* words: size of a set of slots, in uint64_t */
	uint32_t *slot_of;        /* offset / 4 -> number of the slot + 1; 0 if no register begins there */
	uint32_t *offset;         /* slot -> its offset in the frame's registers */
	uint64_t *in, *defined;   /* by block: sets of slots that are live at its start; that it defines */
	uint32_t *in_node;        /* by block: the first of its nodes for live slots */
	uint32_t *parent;         /* node -> its parent in the union-find structure */
	uint32_t node_count, node_room;
	uint32_t *now;            /* slot -> the node whose value it holds, at the op that is visited */
};

static uint32_t *operand_def(const struct plan *plan, uint32_t op, unsigned k)
{
	return &plan->def[(size_t)op * OP_OPERANDS + k];
}

static uint32_t *operand_use(const struct plan *plan, uint32_t op, unsigned k)
{
	return &plan->use[(size_t)op * PLAN_USES + k];
}

static uint32_t slot(const struct finder *f, uint32_t offset)
{
	return f->slot_of[offset / 4] - 1;
}

/* Whether an op uses the old value of operand k: the op reads it, or the op has a guard, so that lanes which the guard
 * excludes keep it. */
static bool reads(const struct op *op, unsigned k)
{
	return plan_is_register(op, k) &&
	       ((op->reads >> k & 1) || (op->guard != OPERAND_NONE && op->writes >> k & 1));
}

static bool writes(const struct op *op, unsigned k)
{
	return plan_is_register(op, k) && op->writes >> k & 1;
}

/* --- liveness of slots ---------- */

static void find_slots(struct finder *f)
{
	const struct code *code = f->plan->code;
	for (uint32_t i = 0; i < code->register_B / 4; i++)
		if (code->register_widths[i] && code->register_widths[i] != 'q') {
			f->offset[f->slot_count] = i * 4;
			f->slot_of[i] = ++f->slot_count;
		}
	f->words = (f->slot_count + 63) / 64 + 1;
}

/* Makes a slot live at the start of a block that uses it, unless the block has defined it before. */
static void note_use(struct finder *f, uint32_t block, uint32_t offset)
{
	const uint32_t s = slot(f, offset);
	if (!plan_has(f->defined + (size_t)block * f->words, s))
		plan_add(f->in + (size_t)block * f->words, s);
}

/* Whether the register at this offset has webs: all have but those of 128 bits. */
static bool is_value(const struct finder *f, uint32_t offset)
{
	return f->slot_of[offset / 4] != 0;
}

/* Finds the slots that a block uses before it defines them, and those that it defines. */
static void find_local(struct finder *f, uint32_t block)
{
	const struct plan_block *b = &f->plan->blocks[block];
	for (uint32_t i = b->first; i < b->end; i++) {
		const struct op *op = &f->plan->code->ops[i];
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (reads(op, k) && is_value(f, op->x[k]))
				note_use(f, block, op->x[k]);
		if (op->guard != OPERAND_NONE)
			note_use(f, block, op->guard);
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (writes(op, k) && is_value(f, op->x[k]))
				plan_add(f->defined + (size_t)block * f->words, slot(f, op->x[k]));
	}
}

/* Adds the slots that are live at the start of a successor, and that block does not define; true if some are new. */
static bool flow_back(struct finder *f, uint32_t block, uint32_t successor)
{
	uint64_t *in = f->in + (size_t)block * f->words, changed = 0;
	const uint64_t *defined = f->defined + (size_t)block * f->words;
	if (successor == PLAN_NONE)
		return false;
	for (uint32_t w = 0; w < f->words; w++) {
		const uint64_t more = f->in[(size_t)successor * f->words + w] & ~defined[w] & ~in[w];
		in[w] |= more;
		changed |= more;
	}
	return changed;
}

static void find_liveness(struct finder *f)
{
	const struct plan *plan = f->plan;
	for (uint32_t b = 0; b < plan->block_count; b++)
		find_local(f, b);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = plan->block_count; b-- > 0;) {
			changed |= flow_back(f, b, plan->blocks[b].next);
			changed |= flow_back(f, b, plan->blocks[b].target);
		}
	}
}

/* --- webs ---------- */

static uint32_t find_root(struct finder *f, uint32_t node)
{
	while (f->parent[node] != node) {
		f->parent[node] = f->parent[f->parent[node]];
		node = f->parent[node];
	}
	return node;
}

static void join(struct finder *f, uint32_t a, uint32_t b)
{
	a = find_root(f, a);
	b = find_root(f, b);
	f->parent[a > b ? a : b] = a > b ? b : a;
}

/* Makes a node that is a set of its own; false when out of memory. */
static bool new_node(struct finder *f, uint32_t *node_out)
{
	if (f->node_count == f->node_room) {
		const uint32_t room = f->node_room ? 2 * f->node_room : 1024;
		uint32_t *parent = realloc(f->parent, room * sizeof(*parent));
		if (!parent)
			return false;
		f->parent = parent;
		f->node_room = room;
	}
	f->parent[f->node_count] = f->node_count;
	*node_out = f->node_count++;
	return true;
}

/* The number of elements of a set that are less than bit. */
static uint32_t rank(const uint64_t *set, uint32_t bit)
{
	uint32_t count = 0;
	for (uint32_t w = 0; w < bit / 64; w++)
		count += (uint32_t)__builtin_popcountll(set[w]);
	return count + (uint32_t)__builtin_popcountll(set[bit / 64] & ((UINT64_C(1) << bit % 64) - 1));
}

/* The node of a slot that is live at the start of a block. */
static uint32_t in_node(const struct finder *f, uint32_t block, uint32_t s)
{
	return f->in_node[block] + rank(f->in + (size_t)block * f->words, s);
}

static bool add_in_nodes(struct finder *f)
{
	for (uint32_t b = 0; b < f->plan->block_count; b++) {
		uint32_t node;
		f->in_node[b] = f->node_count;
		for (uint32_t s = 0; s < f->slot_count; s++)
			if (plan_has(f->in + (size_t)b * f->words, s) && !new_node(f, &node))
				return false;
	}
	return true;
}

/* Sets the nodes of an op's operands.  A guarded definition is joined with the old value, which some lanes may
 * keep. */
static bool walk_op(struct finder *f, uint32_t i)
{
	const struct op *op = &f->plan->code->ops[i];
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (reads(op, k) && is_value(f, op->x[k]))
			*operand_use(f->plan, i, k) = f->now[slot(f, op->x[k])];
	if (op->guard != OPERAND_NONE)
		*operand_use(f->plan, i, PLAN_GUARD) = f->now[slot(f, op->guard)];
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		uint32_t node;
		if (!writes(op, k) || !is_value(f, op->x[k]))
			continue;
		if (!new_node(f, &node))
			return false;
		if (op->guard != OPERAND_NONE)
			join(f, node, f->now[slot(f, op->x[k])]);
		*operand_def(f->plan, i, k) = node;
		f->now[slot(f, op->x[k])] = node;
	}
	return true;
}

/* Joins the values at the end of a block with the nodes for the live slots of its successor. */
static void join_successor(struct finder *f, uint32_t successor)
{
	if (successor == PLAN_NONE)
		return;
	const uint64_t *in = f->in + (size_t)successor * f->words;
	for (uint32_t s = 0; s < f->slot_count; s++)
		if (plan_has(in, s))
			join(f, f->now[s], in_node(f, successor, s));
}

static bool walk_block(struct finder *f, uint32_t b)
{
	const struct plan_block *block = &f->plan->blocks[b];
	const uint64_t *in = f->in + (size_t)b * f->words;
	for (uint32_t s = 0; s < f->slot_count; s++)
		f->now[s] = plan_has(in, s) ? in_node(f, b, s) : PLAN_NONE;
	for (uint32_t i = block->first; i < block->end; i++)
		if (!walk_op(f, i))
			return false;
	join_successor(f, block->next);
	join_successor(f, block->target);
	return true;
}

/* --- numbers of webs ---------- */

/* Numbers the roots of the union-find structure, each of which becomes a web.  False when out of memory. */
static bool number_webs(struct finder *f, uint32_t *number)
{
	struct plan *plan = f->plan;
	for (uint32_t n = 0; n < f->node_count; n++)
		number[n] = find_root(f, n) == n ? plan->web_count++ : PLAN_NONE;
	plan->webs = calloc(plan->web_count + 1u, sizeof(*plan->webs));
	plan->web_words = plan->web_count / 64 + 1;
	return plan->webs != NULL;
}

/* Replaces a node by its web, and notes the web's place. */
static void set_web(struct finder *f, const uint32_t *number, uint32_t *node, uint32_t offset)
{
	if (*node == PLAN_NONE)
		return;
	*node = number[find_root(f, *node)];
	struct web *web = &f->plan->webs[*node];
	web->slot = offset;
	web->width = f->plan->code->register_widths[offset / 4];
}

static void set_operands(struct finder *f, const uint32_t *number)
{
	const struct plan *plan = f->plan;
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		const struct op *op = &plan->code->ops[i];
		for (unsigned k = 0; k < OP_OPERANDS; k++) {
			set_web(f, number, operand_use(plan, i, k), op->x[k]);
			set_web(f, number, operand_def(plan, i, k), op->x[k]);
		}
		set_web(f, number, operand_use(plan, i, PLAN_GUARD), op->guard);
	}
}

/* Fills plan->live and live_at; webs live at the start of block 0 get at_start.  False when out of memory. */
static bool list_live(struct finder *f, const uint32_t *number)
{
	struct plan *plan = f->plan;
	const uint32_t total = f->in_node[plan->block_count - 1] +
			       rank(f->in + (size_t)(plan->block_count - 1) * f->words, f->slot_count);
	plan->live_at = calloc(plan->block_count + 1u, sizeof(*plan->live_at));
	plan->live = calloc(total + 1u, sizeof(*plan->live));
	if (!plan->live_at || !plan->live)
		return false;
	for (uint32_t b = 0; b < plan->block_count; b++) {
		uint32_t at = plan->live_at[b];
		for (uint32_t s = 0; s < f->slot_count; s++) {
			if (!plan_has(f->in + (size_t)b * f->words, s))
				continue;
			uint32_t node = in_node(f, b, s);
			set_web(f, number, &node, f->offset[s]);
			plan->live[at++] = node;
			if (!b)
				plan->webs[node].at_start = true;
		}
		plan->live_at[b + 1] = at;
	}
	return true;
}

static bool find(struct finder *f)
{
	struct plan *plan = f->plan;
	find_slots(f);
	f->in = calloc((size_t)plan->block_count * f->words, sizeof(*f->in));
	f->defined = calloc((size_t)plan->block_count * f->words, sizeof(*f->defined));
	f->now = calloc(f->slot_count + 1u, sizeof(*f->now));
	if (!f->in || !f->defined || !f->now)
		return false;
	find_liveness(f);
	if (!add_in_nodes(f))
		return false;
	for (uint32_t b = 0; b < plan->block_count; b++)
		if (!walk_block(f, b))
			return false;
	uint32_t *number = malloc((f->node_count + 1u) * sizeof(*number));
	const bool right = number && number_webs(f, number);
	if (right)
		set_operands(f, number);
	const bool listed = right && list_live(f, number);
	free(number);
	return listed;
}

bool plan_find_webs(struct plan *plan)
{
	const size_t ops = plan->code->op_count, words = plan->code->register_B / 4 + 1u;
	struct finder f = {
		.plan = plan, .slot_of = calloc(words, sizeof(uint32_t)),
		.offset = calloc(words, sizeof(uint32_t)),
		.in_node = calloc(plan->block_count + 1u, sizeof(uint32_t))
	};
	plan->use = malloc((ops + 1) * PLAN_USES * sizeof(*plan->use));
	plan->def = malloc((ops + 1) * OP_OPERANDS * sizeof(*plan->def));
	bool right = f.slot_of && f.offset && f.in_node && plan->use && plan->def;
	if (right) {
		for (size_t i = 0; i < (ops + 1) * PLAN_USES; i++)
			plan->use[i] = PLAN_NONE;
		for (size_t i = 0; i < (ops + 1) * OP_OPERANDS; i++)
			plan->def[i] = PLAN_NONE;
		right = find(&f);
	}
	free(f.slot_of);
	free(f.offset);
	free(f.in_node);
	free(f.in);
	free(f.defined);
	free(f.now);
	free(f.parent);
	return right;
}

/* --- liveness of webs ---------- */

static void add_live(const struct plan *plan, uint32_t block, uint64_t *set)
{
	if (block == PLAN_NONE)
		return;
	for (uint32_t i = plan->live_at[block]; i < plan->live_at[block + 1]; i++)
		plan_add(set, plan->live[i]);
}

void plan_live_before(const struct plan *plan, uint32_t block, uint32_t op, uint64_t *set)
{
	const struct plan_block *b = &plan->blocks[block];
	memset(set, 0, plan->web_words * sizeof(*set));
	add_live(plan, b->next, set);
	add_live(plan, b->target, set);
	for (uint32_t i = b->end; i-- > op;) {
		const bool guarded = plan->code->ops[i].guard != OPERAND_NONE;
		for (unsigned k = 0; k < OP_OPERANDS && !guarded; k++)
			if (*operand_def(plan, i, k) != PLAN_NONE)
				plan_remove(set, *operand_def(plan, i, k));
		for (unsigned k = 0; k < PLAN_USES; k++)
			if (*operand_use(plan, i, k) != PLAN_NONE)
				plan_add(set, *operand_use(plan, i, k));
	}
}
