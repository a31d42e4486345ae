/* Where addresses come from: the kernel parameter that an address is computed from by additions, private memory, and
 * how addresses are aligned. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/memory.h"

/* --- parameters and private memory ---------- */

/* The offset of the parameter that operand k was computed from by additions, or PLAN_NONE. */
static uint32_t parameter_of(const struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	return web == PLAN_NONE ? PLAN_NONE : plan->webs[web].parameter;
}

/* The offset of the parameter that op i's result is computed from by additions, or PLAN_NONE. */
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

/* Whether op i's result is an address in private memory, or computed from one by additions. */
static bool is_private(const struct plan *plan, uint32_t i)
{
	const struct jit_verb *verb = &plan->verbs[i];
	bool operands[3];
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t web = plan->use[(size_t)i * PLAN_USES + k + 1];
		operands[k] = web != PLAN_NONE && plan->webs[web].is_private;
	}
	if (verb->verb == VERB_WINDOW)
		return verb->part && !verb->is_signed;
	if (verb->bits != 64)
		return verb->verb == VERB_MAD_WIDE && operands[2];
	return (verb->verb == VERB_ADD && (operands[0] || operands[1])) ||
	       ((verb->verb == VERB_SUB || verb->verb == VERB_EXTEND) && operands[0]) ||
	       (verb->verb == VERB_MAD_WIDE && operands[2]);
}

/* Sets web.is_private.  As with parameters, a wrong guess costs time only. */
static void find_private(struct plan *plan)
{
	for (unsigned round = 0; round < 8; round++)
		for (uint32_t i = 0; i < plan->code->op_count; i++) {
			const uint32_t web = plan->def[(size_t)i * OP_OPERANDS];
			if (web != PLAN_NONE)
				plan->webs[web].is_private |= is_private(plan, i);
		}
}

/* Sets web.parameter.  Accesses at addresses from one parameter share a slot, in which the range of memory is cached.
 * A wrong guess is harmless: it costs another look-up of the memory. */
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

/* --- alignment ---------- */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The number of low bits, at most PLAN_ALIGNED, that are known to be 0 in operand k of op i, which has `bits` bits. */
static unsigned zeros_of(const struct plan *plan, uint32_t i, unsigned k, unsigned bits)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	uint64_t number;
	if (web != PLAN_NONE)
		return plan->webs[web].parameter == PLAN_NONE ? plan->webs[web].zeros : 0;
	if (!plan_constant(plan, &plan->code->ops[i], k, bits, &number))
		return 0;
	return number ? least((unsigned)__builtin_ctzll(number), PLAN_ALIGNED) : PLAN_ALIGNED;
}

/* As zeros_of, of the difference of the operand and the parameter that the result is computed from, if it is computed
 * from that; or else of the operand. */
static unsigned zeros_behind(const struct plan *plan, uint32_t i, unsigned k, uint32_t parameter, bool *found)
{
	const uint32_t web = plan->use[(size_t)i * PLAN_USES + k];
	if (*found || parameter == PLAN_NONE || web == PLAN_NONE || plan->webs[web].parameter != parameter)
		return zeros_of(plan, i, k, 64);
	*found = true;
	return plan->webs[web].zeros;
}

/* The zeros of a product of operands 1 and 2. */
static unsigned product_zeros(const struct plan *plan, uint32_t i)
{
	const unsigned bits = plan->verbs[i].bits;
	return least(zeros_of(plan, i, 1, bits) + zeros_of(plan, i, 2, bits), PLAN_ALIGNED);
}

static unsigned shifted_zeros(const struct plan *plan, uint32_t i)
{
	uint64_t by;
	if (!plan_constant(plan, &plan->code->ops[i], 2, 32, &by))
		return 0;
	return by >= PLAN_ALIGNED ? PLAN_ALIGNED : least(zeros_of(plan, i, 1, plan->verbs[i].bits) + (unsigned)by,
							 PLAN_ALIGNED);
}

/* The zeros of op i's result; of its difference to a parameter that it is computed from. */
static unsigned result_zeros(const struct plan *plan, uint32_t i, uint32_t parameter)
{
	const struct jit_verb *verb = &plan->verbs[i];
	bool found = false;
	switch ((enum verb)verb->verb) {
	case VERB_LOAD:
		return parameter == PLAN_NONE ? 0 : PLAN_ALIGNED;
	case VERB_ADD:
	case VERB_SUB: {
		if (verb->bits < 64)
			return least(zeros_of(plan, i, 1, verb->bits), zeros_of(plan, i, 2, verb->bits));
		const unsigned first = zeros_behind(plan, i, 1, parameter, &found);
		return least(first, zeros_behind(plan, i, 2, parameter, &found));
	}
	case VERB_MUL:
	case VERB_MUL_WIDE:
		return product_zeros(plan, i);
	case VERB_MAD:
		return least(product_zeros(plan, i), zeros_of(plan, i, 3, verb->bits));
	case VERB_MAD_WIDE:
		return verb->bits != 32 ? 0 : least(product_zeros(plan, i),
						    zeros_behind(plan, i, 3, parameter, &found));
	case VERB_SHL:
		return shifted_zeros(plan, i);
	case VERB_EXTEND:
		return verb->from == 64 && verb->bits == 64 ? zeros_behind(plan, i, 1, parameter, &found)
							    : zeros_of(plan, i, 1, verb->from);
	default:
		return 0;
	}
}

/* Lowers web.zeros to what a definition has; whether that changes it. */
static bool lower_zeros(struct plan *plan, uint32_t i, unsigned k)
{
	const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
	if (web == PLAN_NONE)
		return false;
	struct web *w = &plan->webs[web];
	const bool right = !k && plan->code->ops[i].vector <= 1 &&
			   (w->parameter == PLAN_NONE || made_of(plan, i) == w->parameter);
	const unsigned zeros = right ? result_zeros(plan, i, w->parameter) : 0;
	if (zeros >= w->zeros)
		return false;
	w->zeros = (uint8_t)zeros;
	return true;
}

static void find_zeros(struct plan *plan)
{
	bool changed = true;
	for (uint32_t w = 0; w < plan->web_count; w++)
		plan->webs[w].zeros = plan->webs[w].at_start && plan->webs[w].parameter != PLAN_NONE ? 0 : PLAN_ALIGNED;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < plan->code->op_count; i++)
			for (unsigned k = 0; k < OP_OPERANDS; k++)
				changed |= lower_zeros(plan, i, k);
	}
}

/* --- offsets ---------- */

/* Sets web.is_offset: of the webs with addresses of loads and stores. */
static void find_offsets(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->code->op_count; i++) {
		const struct op *op = &plan->code->ops[i];
		const uint8_t verb = plan->verbs[i].verb;
		const uint32_t web = plan->use[(size_t)i * PLAN_USES + MEMORY_ADDRESS];
		if ((verb != VERB_LOAD && verb != VERB_STORE) || web == PLAN_NONE ||
		    (op->space != SPACE_GLOBAL && op->space != SPACE_GENERIC))
			continue;
		struct web *w = &plan->webs[web];
		w->is_offset |= w->width == 'l' && !w->is_private && w->parameter != PLAN_NONE &&
				w->parameter <= plan->code->parameter_size_B &&
				plan->code->parameter_size_B - w->parameter >= sizeof(uint64_t);
	}
}

void plan_find_addresses(struct plan *plan)
{
	find_parameters(plan);
	find_private(plan);
	find_zeros(plan);
	find_offsets(plan);
}
