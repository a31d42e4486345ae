/* How values spread over the lanes of a part: all lanes alike, by a stride from lane to lane, or anything.
 *
 * It is assumed of every value that all lanes have it alike, until an op shows otherwise; then what depends on that is looked at
 * again, until nothing changes.  A value that some lanes get while others wait and need the old one is
 * anything, too; and where lanes wait follows from which guards lanes have unlike. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/memory.h"

/* What an operand is. */
struct spread {
	uint8_t kind;
	int64_t stride;
};

static const struct spread unknown = {WEB_UNKNOWN, 0}, alike = {WEB_LINEAR, 0}, varying = {WEB_VARYING, 0};

static struct spread of_operand(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	if (web == PLAN_NONE)
		return plan_is_register(&plan->code->ops[i], k) ? varying : alike;
	return (struct spread){plan->webs[web].kind, plan->webs[web].stride};
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

/* A stride as a value of so many bits has it. */
static struct spread linear(int64_t stride, unsigned bits)
{
	if (bits == 32)
		stride = (int32_t)stride;
	/* Of 16 bits there is nothing to gain. */
	return bits == 16 && stride ? varying : (struct spread){WEB_LINEAR, stride};
}

static struct spread sum(struct spread a, struct spread b, int64_t sign, unsigned bits)
{
	if (a.kind == WEB_UNKNOWN || b.kind == WEB_UNKNOWN)
		return unknown;
	if (a.kind == WEB_VARYING || b.kind == WEB_VARYING)
		return varying;
	return linear((int64_t)((uint64_t)a.stride + (uint64_t)sign * (uint64_t)b.stride), bits);
}

/* All operands are alike, or the result is anything. */
static struct spread elementwise(const struct plan *plan, uint32_t i)
{
	const struct op *op = &plan->code->ops[i];
	struct spread result = alike;
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		if (!(op->reads >> k & 1))
			continue;
		const struct spread s = of_operand(plan, i, k);
		if (s.kind == WEB_VARYING || s.stride)
			return varying;
		if (s.kind == WEB_UNKNOWN)
			result = unknown;
	}
	return result;
}

/* x[1] by x[2], of which one is a constant, or both are alike in all lanes. */
static struct spread product(const struct plan *plan, uint32_t i, unsigned from, unsigned bits)
{
	const struct op *op = &plan->code->ops[i];
	const bool is_signed = plan->verbs[i].is_signed;
	for (unsigned k = 1; k <= 2; k++) {
		const struct spread other = of_operand(plan, i, 3 - k);
		uint64_t value;
		if (!plan_constant(plan, op, k, from, &value))
			continue;
		if (other.kind != WEB_LINEAR)
			return other;
		const int64_t factor = from == 32 && is_signed ? (int32_t)value : (int64_t)value;
		return linear((int64_t)((uint64_t)other.stride * (uint64_t)factor), bits);
	}
	const struct spread a = of_operand(plan, i, 1), b = of_operand(plan, i, 2);
	if (a.kind == WEB_VARYING || b.kind == WEB_VARYING || a.stride || b.stride)
		return varying;
	return a.kind == WEB_UNKNOWN || b.kind == WEB_UNKNOWN ? unknown : alike;
}

static struct spread shifted(const struct plan *plan, uint32_t i)
{
	const struct spread a = of_operand(plan, i, 1);
	const unsigned bits = plan->verbs[i].bits;
	uint64_t by;
	if (a.kind != WEB_LINEAR || !plan_constant(plan, &plan->code->ops[i], 2, 32, &by) || by >= bits)
		return elementwise(plan, i);
	return linear((int64_t)((uint64_t)a.stride << by), bits);
}

/* From 32 to 64 bits a stride stays, if nothing runs over between the first lane and the last: compiled code
 * looks at that.  Of 16 bits and to them there is nothing to gain. */
static struct spread extended(const struct plan *plan, uint32_t i, unsigned from, unsigned bits)
{
	const struct spread a = of_operand(plan, i, 1);
	return a.kind == WEB_LINEAR && from >= 32 && bits >= 32 ? linear(a.stride, bits) : elementwise(plan, i);
}

static struct spread converted(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	if (verb->is_float || verb->from_float || plan->code->ops[i].mode)
		return elementwise(plan, i);
	return extended(plan, i, verb->from, verb->bits);
}

static struct spread selected(const struct plan *plan, uint32_t i)
{
	const struct spread a = of_operand(plan, i, 1), b = of_operand(plan, i, 2), p = of_operand(plan, i, 3);
	if (p.kind == WEB_LINEAR && a.kind == WEB_LINEAR && b.kind == WEB_LINEAR && a.stride == b.stride)
		return a;
	return elementwise(plan, i);
}

static struct spread special(const struct plan *plan, const struct jit_verb *verb)
{
	if (verb->special == SPECIAL_LANEID)
		return linear(1, 32);
	if (verb->special == SPECIAL_TID_X)
		return plan->linear ? linear(1, 32) : varying;
	if (verb->special == SPECIAL_TID_Y || verb->special == SPECIAL_TID_Z)
		return plan->linear ? alike : varying;
	return alike;
}

/* Private memory is each lane's own. */
static struct spread loaded(const struct plan *plan, uint32_t i)
{
	const struct op *op = &plan->code->ops[i];
	const struct spread address = of_operand(plan, i, MEMORY_ADDRESS);
	if (op->space == SPACE_LOCAL || address.kind == WEB_VARYING || address.stride)
		return varying;
	/* A generic address may be private memory's. */
	return op->space == SPACE_GENERIC ? varying : address;
}

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
	case VERB_CALL:
	case VERB_TOGETHER:
		return varying;
	default:
		return elementwise(plan, i);
	}
}

/* False when nothing is new. */
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

/* What all ops make of what is known. */
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

/* What some lanes get while others need the old value. */
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

/* --- NaN ---------- */

/* Ops of f32 that take every NaN alike, and whose own results are found to be NaN by whoever needs the bits. */
static bool is_careless(const struct jit_verb *verb)
{
	return verb->verb >= VERB_FADD && verb->verb <= VERB_FNEG && verb->bits == 32;
}

/* Copies hand bits on as they are. */
static bool is_copy(const struct jit_verb *verb)
{
	return (verb->verb == VERB_EXTEND && verb->bits == 32 && verb->from == 32) ||
	       (verb->verb == VERB_SELECT && verb->bits == 32);
}

static bool is_nan(const struct plan *plan, const struct op *op, unsigned k)
{
	uint64_t value;
	return !plan_constant(plan, op, k, 32, &value) || (value & 0x7fffffff) > 0x7f800000;
}

/* Whether an operand that a copy hands on may stay as it is, or is no NaN. */
static bool may_be_any(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	if (web != PLAN_NONE)
		return plan->webs[web].any_nan;
	return !is_nan(plan, &plan->code->ops[i], k);
}

static bool makes_any_nan(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	if (is_careless(verb))
		return true;
	if (!is_copy(verb))
		return false;
	return may_be_any(plan, i, 1) && (verb->verb != VERB_SELECT || may_be_any(plan, i, 2));
}

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

/* --- parameters ---------- */

/* The parameter whose value an operand comes from by sums. */
static uint32_t parameter_of(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	return web == PLAN_NONE ? PLAN_NONE : plan->webs[web].parameter;
}

static uint32_t made_of(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	const struct op *op = &plan->code->ops[i];
	const uint32_t a = parameter_of(plan, i, 1), b = parameter_of(plan, i, 2), c = parameter_of(plan, i, 3);
	uint64_t offset;
	if (verb->verb == VERB_LOAD && op->space == SPACE_PARAM && verb->size_B == 8 && op->vector == 1 &&
	    plan_constant(plan, op, MEMORY_ADDRESS, 64, &offset))
		return (uint32_t)(offset + (uint64_t)op->imm);
	if ((verb->verb == VERB_ADD && verb->bits == 64) || (verb->verb == VERB_SUB && verb->bits == 64))
		return a != PLAN_NONE ? a : verb->verb == VERB_ADD ? b : PLAN_NONE;
	if (verb->verb == VERB_EXTEND && verb->bits == 64 && verb->from == 64)
		return a;
	return verb->verb == VERB_MAD_WIDE ? c : PLAN_NONE;
}

/* Addresses of one parameter are looked up together; a guess that is wrong costs a look-up, nothing else. */
static void find_parameters(struct plan *plan)
{
	for (uint32_t w = 0; w < plan->web_count; w++)
		plan->webs[w].parameter = PLAN_NONE;
	for (unsigned round = 0; round < 8; round++)
		for (uint32_t i = 0; i < plan->code->op_count; i++) {
			const uint32_t web = plan->def[(size_t)i * OP_OPERANDS];
			if (web != PLAN_NONE && plan->webs[web].parameter == PLAN_NONE)
				plan->webs[web].parameter = made_of(plan, i);
		}
}

bool plan_find_kinds(struct plan *plan)
{
	/* What is read before it is written is 0 in all lanes. */
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (plan->webs[w].at_start)
			lower(&plan->webs[w], alike);
	do {
		while (pass(plan))
			;
	} while (spread_waiting(plan));
	/* What nothing writes that can be reached. */
	for (uint32_t w = 0; w < plan->web_count; w++)
		if (plan->webs[w].kind == WEB_UNKNOWN)
			lower(&plan->webs[w], varying);
	find_any_nan(plan);
	find_parameters(plan);
	return true;
}
