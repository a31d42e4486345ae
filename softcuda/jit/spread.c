/* How values differ between the lanes of a part: equal in all lanes (uniform), growing by a stride from lane to lane
 * (linear), or varying.
 *
 * This is a data-flow analysis on a lattice, iterated to a fixed point.  Every web is unknown at first, and an op's
 * result follows from its operands; a web whose definitions disagree becomes varying.  A web is also varying if some
 * lanes define it while other lanes wait and need its old value.  The nodes at which lanes wait depend on which guards
 * are varying, so that region.c's part of the analysis is repeated when webs have changed. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/shuffle.h"

/* The kind and stride of an operand or a result, as in struct web; wraps: as web.row_wraps. */
struct spread {
	uint8_t kind;
	bool wraps;
	int64_t stride;
};

static const struct spread unknown = {WEB_UNKNOWN, false, 0}, alike = {WEB_LINEAR, false, 0};
static const struct spread varying = {WEB_VARYING, false, 0};

static struct spread of_operand(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	if (web == PLAN_NONE)
		return plan_is_register(&plan->code->ops[i], k) ? varying : alike;
	const struct web *w = &plan->webs[web];
	return plan->by_row && w->kind == WEB_VARYING ? (struct spread){w->row_kind, w->row_wraps, w->row_stride} :
							(struct spread){w->kind, false, w->stride};
}

bool plan_constant(const struct plan *plan, const struct op *op, unsigned k, unsigned bits, uint64_t *value_out)
{
	const uint32_t x = op->x[k];
	if (!(op->reads >> k & 1) || x == OPERAND_NONE || x >> OPERAND_BANK_SHIFT != BANK_CONSTANT)
		return false;
	*value_out = 0;
	memcpy(value_out, plan->program->constants + (x & OPERAND_OFFSET_MASK), bits / 8);
	return true;
}

bool plan_known(const struct plan *plan, uint32_t op, unsigned k, uint64_t *value_out)
{
	const uint32_t web = plan->use[(size_t)op * PLAN_USES + k];
	bool found = false;
	if (web == PLAN_NONE)
		return plan_constant(plan, &plan->code->ops[op], k, 32, value_out);
	if (plan->webs[web].at_start || plan->webs[web].width != 'w')
		return false;
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		const struct jit_verb *verb = &plan->verbs[i];
		uint64_t value;
		bool defines = false;
		for (unsigned d = 0; d < OP_OPERANDS; d++)
			defines |= plan->def[(size_t)i * OP_OPERANDS + d] == web;
		if (!defines)
			continue;
		if (verb->verb != VERB_EXTEND || verb->from != 32 || plan->code->ops[i].guard != OPERAND_NONE ||
		    !plan_constant(plan, &plan->code->ops[i], 1, 32, &value) || (found && value != *value_out))
			return false;
		*value_out = value;
		found = true;
	}
	return found;
}

bool plan_is_broadcast(const struct plan *plan, uint32_t op)
{
	const struct jit_verb *verb = &plan->verbs[op];
	const struct spread by = of_operand(plan, op, 2);
	uint64_t segments;
	return verb->verb == VERB_SHUFFLE && verb->part == SHUFFLE_IDX && by.kind == WEB_LINEAR && !by.stride &&
	       plan_known(plan, op, 3, &segments) && (segments & 0x1f1f) == 31;
}

/* A linear value of `bits` bits: the stride is truncated to that width. */
static struct spread linear(int64_t stride, unsigned bits)
{
	if (bits == 32)
		stride = (int32_t)stride;
	/* A scalar saves nothing for 16 bits: values with a stride count as varying. */
	return bits == 16 && stride ? varying : (struct spread){WEB_LINEAR, false, stride};
}

/* A value of 32 bits, extended to 64.  In a row, code checks whether it wraps around where that matters (emit_rows.c):
 * from the first and the last lane, so that it may do so once. */
static struct spread lengthened(const struct plan *plan, struct spread s)
{
	enum { STRIDE_MAX = 1 << 20 };
	if (!plan->by_row || s.kind != WEB_LINEAR || !s.stride)
		return s;
	s.wraps = true;
	return s.stride > STRIDE_MAX || s.stride < -STRIDE_MAX ? varying : s;
}

/* a + sign * b. */
static struct spread sum(struct spread a, struct spread b, int64_t sign, unsigned bits)
{
	if (a.kind == WEB_UNKNOWN || b.kind == WEB_UNKNOWN)
		return unknown;
	/* What two values wrap around might make up for each other at the end of a row. */
	if (a.kind == WEB_VARYING || b.kind == WEB_VARYING || (a.wraps && b.wraps))
		return varying;
	struct spread s = linear((int64_t)((uint64_t)a.stride + (uint64_t)sign * (uint64_t)b.stride), bits);
	s.wraps = bits == 64 && (a.wraps || b.wraps);
	return s;
}

/* The result of an op that is uniform if all operands are, and else varying. */
static struct spread elementwise(const struct plan *plan, uint32_t i)
{
	const struct op *op = &plan->code->ops[i];
	struct spread result = alike;
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		if (!(op->reads >> k & 1))
			continue;
		const struct spread s = of_operand(plan, i, k);
		if (s.kind == WEB_VARYING || s.stride || s.wraps)
			return varying;
		if (s.kind == WEB_UNKNOWN)
			result = unknown;
	}
	return result;
}

/* The product of x[1] and x[2], which have `from` bits; the product has `bits`.  It is linear if one operand is linear
 * and the other is a constant, uniform if both are uniform, and else varying. */
static struct spread product(const struct plan *plan, uint32_t i, unsigned from, unsigned bits)
{
	const struct op *op = &plan->code->ops[i];
	const bool is_signed = plan->verbs[i].is_signed;
	for (unsigned k = 1; k <= 2; k++) {
		struct spread other = of_operand(plan, i, 3 - k), s;
		uint64_t value;
		if (!plan_constant(plan, op, k, from, &value))
			continue;
		other = from < bits ? lengthened(plan, other) : other;
		if (other.kind != WEB_LINEAR)
			return other;
		const int64_t factor = from == 32 && is_signed ? (int32_t)value : (int64_t)value;
		s = linear((int64_t)((uint64_t)other.stride * (uint64_t)factor), bits);
		s.wraps = other.wraps;
		return s;
	}
	const struct spread a = of_operand(plan, i, 1), b = of_operand(plan, i, 2);
	if (a.kind == WEB_VARYING || b.kind == WEB_VARYING || a.stride || b.stride || a.wraps || b.wraps)
		return varying;
	return a.kind == WEB_UNKNOWN || b.kind == WEB_UNKNOWN ? unknown : alike;
}

/* x[1] shifted left by x[2]: linear if x[1] is linear and x[2] is a constant. */
static struct spread shifted(const struct plan *plan, uint32_t i)
{
	const struct spread a = of_operand(plan, i, 1);
	const unsigned bits = plan->verbs[i].bits;
	uint64_t by;
	if (a.kind != WEB_LINEAR || !plan_constant(plan, &plan->code->ops[i], 2, 32, &by) || by >= bits)
		return elementwise(plan, i);
	struct spread s = linear((int64_t)((uint64_t)a.stride << by), bits);
	s.wraps = a.wraps;
	return s;
}

/* x[1] extended or truncated from `from` to `bits` bits.  An extension from 32 to 64 bits keeps the stride if no
 * lane's value overflows 32 bits, which compiled code checks (emit_extended_line).  A stride of 16-bit values is not
 * kept. */
static struct spread extended(const struct plan *plan, uint32_t i, unsigned from, unsigned bits)
{
	struct spread a = of_operand(plan, i, 1), s;
	if (a.kind != WEB_LINEAR || from < 32 || bits < 32)
		return elementwise(plan, i);
	a = from < bits ? lengthened(plan, a) : a;
	if (a.kind != WEB_LINEAR)
		return a;
	s = linear(a.stride, bits);
	s.wraps = bits == 64 && a.wraps;
	return s;
}

static struct spread converted(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	if (verb->is_float || verb->from_float || plan->code->ops[i].mode)
		return elementwise(plan, i);
	return extended(plan, i, verb->from, verb->bits);
}

/* selp: linear if both values have one stride and the predicate is uniform. */
static struct spread selected(const struct plan *plan, uint32_t i)
{
	const struct spread a = of_operand(plan, i, 1), b = of_operand(plan, i, 2), p = of_operand(plan, i, 3);
	if (p.kind == WEB_LINEAR && a.kind == WEB_LINEAR && b.kind == WEB_LINEAR && a.stride == b.stride &&
	    !a.wraps && !b.wraps)
		return a;
	return elementwise(plan, i);
}

static struct spread special(const struct plan *plan, const struct jit_verb *verb)
{
	if (verb->special == SPECIAL_LANEID)
		return linear(1, 32);
	if (verb->special == SPECIAL_TID_X)
		return plan->linear || plan->by_row ? linear(1, 32) : varying;
	if (verb->special == SPECIAL_TID_Y || verb->special == SPECIAL_TID_Z)
		return plan->linear || plan->by_row ? alike : varying;
	return verb->special >= SPECIAL_LANES_EQ ? varying : alike;
}

/* The result of a load: uniform if the address is, unless it may be in private memory, which each lane has for
 * itself. */
static struct spread loaded(const struct plan *plan, uint32_t i)
{
	const struct op *op = &plan->code->ops[i];
	const struct spread address = of_operand(plan, i, MEMORY_ADDRESS);
	if (op->space == SPACE_LOCAL || address.kind == WEB_VARYING || address.stride)
		return varying;
	/* A generic address may point to private memory. */
	return op->space == SPACE_GENERIC ? varying : address;
}

/* The results of a shuffle: uniform if all lanes read from one.  Otherwise, the value is uniform if that which is read
 * is; but not the predicate. */
static struct spread shuffled(const struct plan *plan, uint32_t i)
{
	const struct spread read = of_operand(plan, i, 1), by = of_operand(plan, i, 2);
	if (read.kind == WEB_UNKNOWN || by.kind == WEB_UNKNOWN)
		return unknown;
	if (plan_is_broadcast(plan, i))
		return alike;
	return read.kind == WEB_LINEAR && !read.stride && plan->def[(size_t)i * OP_OPERANDS + 5] == PLAN_NONE ? alike
													      : varying;
}

/* What op i's result is, from its operands and without its guard. */
static struct spread result_of(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	switch ((enum verb)verb->verb) {
	case VERB_ADD:
		return sum(of_operand(plan, i, 1), of_operand(plan, i, 2), 1, verb->bits);
	case VERB_SUB:
		return sum(of_operand(plan, i, 1), of_operand(plan, i, 2), -1, verb->bits);
	case VERB_MUL:
		return product(plan, i, verb->bits, verb->bits);
	case VERB_MAD:
		return sum(product(plan, i, verb->bits, verb->bits), of_operand(plan, i, 3), 1, verb->bits);
	case VERB_MUL_WIDE:
		return verb->bits == 32 ? product(plan, i, 32, 64) : elementwise(plan, i);
	case VERB_MAD_WIDE:
		return verb->bits == 32 ? sum(product(plan, i, 32, 64), of_operand(plan, i, 3), 1, 64)
					: elementwise(plan, i);
	case VERB_SHL:
		return shifted(plan, i);
	case VERB_EXTEND:
		return extended(plan, i, verb->from, verb->bits);
	case VERB_CONVERT:
		return converted(plan, i);
	case VERB_SELECT:
		return selected(plan, i);
	case VERB_SPECIAL:
		return special(plan, verb);
	case VERB_LOAD:
		return loaded(plan, i);
	case VERB_SHUFFLE:
		return shuffled(plan, i);
	case VERB_VOTE:
	case VERB_REDUX:
		return alike;
	case VERB_CALL:
	case VERB_TOGETHER:
	case VERB_ATOMIC:
		return varying;
	default:
		return elementwise(plan, i);
	}
}

/* Lowers a web in the lattice to the meet of what it is and s; true if that changes it. */
static bool lower(struct web *web, struct spread s)
{
	if (s.kind == WEB_UNKNOWN || web->kind == WEB_VARYING)
		return false;
	if (web->kind == WEB_UNKNOWN) {
		web->kind = s.kind;
		web->stride = s.stride;
		return true;
	}
	if (s.kind == web->kind && s.stride == web->stride)
		return false;
	web->kind = WEB_VARYING;
	web->stride = 0;
	return true;
}

static bool lower_definitions(struct plan *plan, uint32_t i, struct spread s)
{
	bool changed = false;
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
		if (web != PLAN_NONE)
			changed |= lower(&plan->webs[web], s);
	}
	return changed;
}

/* Applies all ops once; true if a web has changed.  Results of an op with a varying guard are varying. */
static bool pass(struct plan *plan)
{
	bool changed = false;
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		const uint32_t guard = plan->use[(size_t)i * PLAN_USES + PLAN_GUARD];
		struct spread s = result_of(plan, i);
		if (guard != PLAN_NONE && plan->webs[guard].kind == WEB_VARYING)
			s = varying;
		changed |= lower_definitions(plan, i, s);
	}
	return changed;
}

/* Makes the webs varying that a node's block defines while waiting lanes need their old values; true if one has
 * changed. */
static bool spread_kept(struct plan *plan, const struct plan_region *region, const struct plan_node *node)
{
	const struct plan_block *block = &plan->blocks[node->block];
	bool changed = false;
	(void)region;
	for (uint32_t i = block->first; i < block->end && !node->latch; i++)
		for (unsigned k = 0; k < OP_OPERANDS; k++) {
			const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
			if (web != PLAN_NONE && plan_has(node->kept, web))
				changed |= lower(&plan->webs[web], varying);
		}
	return changed;
}

/* Lays out all regions for the guards that are varying now, and applies spread_kept; true if a web has changed. */
static bool spread_waiting(struct plan *plan)
{
	bool changed = false;
	for (uint32_t e = 0; e < plan->entry_count; e++) {
		struct plan_region *region = &plan->regions[e];
		plan_lay_out(plan, region);
		for (uint32_t n = 0; n < region->node_count; n++)
			changed |= spread_kept(plan, region, &region->nodes[n]);
	}
	return changed;
}

/* --- rows ---------- */

/* As result_of, for the lanes of a row.  What is loaded, or comes from other lanes, may differ where it may differ in a
 * part. */
static struct spread result_in_row(const struct plan *plan, uint32_t i)
{
	const uint8_t verb = plan->verbs[i].verb;
	const uint32_t guard = plan->use[(size_t)i * PLAN_USES + PLAN_GUARD];
	const bool splits = guard != PLAN_NONE && plan->webs[guard].kind == WEB_VARYING;
	return splits || verb == VERB_LOAD || verb == VERB_SHUFFLE || verb == VERB_VOTE || verb == VERB_REDUX
		       ? varying : result_of(plan, i);
}

/* As lower, of what a web is in a row. */
static bool lower_in_row(struct web *web, struct spread s)
{
	if (s.kind == WEB_UNKNOWN || web->row_kind == WEB_VARYING)
		return false;
	if (web->row_kind == s.kind && web->row_stride == s.stride && (web->row_wraps || !s.wraps))
		return false;
	if (web->row_kind != WEB_UNKNOWN && (web->row_kind != s.kind || web->row_stride != s.stride))
		s = varying;
	web->row_kind = s.kind;
	web->row_stride = s.stride;
	web->row_wraps |= s.wraps;
	return true;
}

/* Lowers the webs that some lanes define while others wait and need their old values. */
static void lower_kept(struct plan *plan)
{
	for (uint32_t e = 0; e < plan->entry_count; e++)
		for (uint32_t n = 0; n < plan->regions[e].node_count; n++)
			for (uint32_t i = 0; i < plan->web_words; i++)
				for (uint64_t rest = plan->regions[e].nodes[n].kept[i]; rest; rest &= rest - 1)
					lower_in_row(&plan->webs[i * 64 + (uint32_t)__builtin_ctzll(rest)], varying);
}

void plan_find_rows(struct plan *plan)
{
	plan->by_row = true;
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (plan->webs[w].at_start)
			lower_in_row(&plan->webs[w], alike);
	lower_kept(plan);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < plan->code->op_count; i++)
			for (unsigned k = 0; k < OP_OPERANDS; k++) {
				const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
				if (web != PLAN_NONE)
					changed |= lower_in_row(&plan->webs[web], result_in_row(plan, i));
			}
	}
	plan->by_row = false;
}

/* --- NaN ---------- */

/* Whether an op is an f32 operation that treats all NaNs alike.  If its result is a NaN, the bits of that NaN do not
 * matter until they are used: code that uses them makes it PTX's NaN first. */
static bool is_careless(const struct jit_verb *verb)
{
	return verb->verb >= VERB_FADD && verb->verb <= VERB_FNEG && verb->bits == 32;
}

/* Whether an op copies the bits of an operand of 32 bits to its result. */
static bool is_copy(const struct jit_verb *verb)
{
	return (verb->verb == VERB_EXTEND && verb->bits == 32 && verb->from == 32) ||
	       (verb->verb == VERB_SELECT && verb->bits == 32) || verb->verb == VERB_SHUFFLE;
}

/* Whether operand k may be a NaN: true unless it is a constant that is none. */
static bool is_nan(const struct plan *plan, const struct op *op, unsigned k)
{
	uint64_t value;
	return !plan_constant(plan, op, k, 32, &value) || (value & 0x7fffffff) > 0x7f800000;
}

/* Whether a copy of operand k may be in a web with any_nan: the operand is in such a web itself, or is no NaN. */
static bool may_be_any(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	if (web != PLAN_NONE)
		return plan->webs[web].any_nan;
	return !is_nan(plan, &plan->code->ops[i], k);
}

/* Whether op i's result may be in a web with any_nan. */
static bool makes_any_nan(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	if (is_careless(verb))
		return true;
	if (!is_copy(verb))
		return false;
	return may_be_any(plan, i, 1) && (verb->verb != VERB_SELECT || may_be_any(plan, i, 2));
}

/* Sets web.any_nan: true for the webs all of whose definitions allow it. */
static void find_any_nan(struct plan *plan)
{
	for (uint32_t w = 0; w < plan->web_count; w++)
		plan->webs[w].any_nan = plan->webs[w].width == 'w' && !plan->webs[w].at_start;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < plan->code->op_count; i++)
			for (unsigned k = 0; k < OP_OPERANDS; k++) {
				const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
				if (web == PLAN_NONE || !plan->webs[web].any_nan || makes_any_nan(plan, i))
					continue;
				plan->webs[web].any_nan = false;
				changed = true;
			}
	}
}

bool plan_find_kinds(struct plan *plan)
{
	/* A web that may be read before it is written begins as 0 in all lanes. */
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (plan->webs[w].at_start)
			lower(&plan->webs[w], alike);
	do {
		while (pass(plan))
			;
	} while (spread_waiting(plan));
	/* Webs that are still unknown are written by no op that can be reached. */
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (plan->webs[w].kind == WEB_UNKNOWN)
			lower(&plan->webs[w], varying);
	find_any_nan(plan);
	return true;
}
