/* Which memory a kernel may write: what tells a watcher that nothing in a launch writes some memory.
 *
 * For each 64-bit value, the parameters whose values may be a part of it are found.  A store writes the memory that
 * these point to, as OpenCL demands: an address that is computed from a pointer is one in the pointer's object.
 * Addresses that are loaded from memory or come from an op that is not known here may be any. */
#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/memory.h"

#include <stdlib.h>

/* A set of what a value may be computed from: parameters, as in compiled.written, and these. */
#define ELSEWHERE COMPILED_WRITES_ELSEWHERE
#define OF_GROUP (UINT64_C(1) << 62)          /* shared or private memory */

struct origins {
	const struct plan *plan;
	uint64_t *of_web;
};

static uint64_t of_parameter(const struct plan *plan, const struct op *op, uint32_t size_B)
{
	uint64_t offset_B;
	if (!plan_constant(plan, op, MEMORY_ADDRESS, 64, &offset_B))
		return ELSEWHERE;
	offset_B += (uint64_t)op->imm;
	const uint64_t number = offset_B / sizeof(uint64_t);
	const bool is_pointer = size_B == sizeof(uint64_t) && op->vector == 1 && !(offset_B % sizeof(uint64_t));
	return is_pointer && number < COMPILED_WRITTEN_MAX ? UINT64_C(1) << number : ELSEWHERE;
}

/* What operand k of op i may be computed from. */
static uint64_t of_operand(const struct origins *origins, uint32_t i, unsigned k)
{
	const struct op *op = &origins->plan->code->ops[i];
	const uint32_t web = origins->plan->use[(size_t)i * PLAN_USES + k];
	if (web != PLAN_NONE)
		return origins->of_web[web];
	/* The launch's constants are addresses of variables. */
	return op->x[k] >> OPERAND_BANK_SHIFT == BANK_LAUNCH ? ELSEWHERE : 0;
}

/* What a 64-bit result of op i may be computed from. */
static uint64_t of_result(const struct origins *origins, uint32_t i)
{
	const struct plan *plan = origins->plan;
	const struct op *op = &plan->code->ops[i];
	uint64_t all = 0;
	switch (plan->verbs[i].verb) {
	case VERB_LOAD:
		if (op->space == SPACE_PARAM)
			return of_parameter(plan, op, plan->verbs[i].size_B);
		return ELSEWHERE;
	case VERB_CALL: case VERB_TOGETHER: case VERB_ATOMIC: case VERB_PACK: case VERB_REFUSE:
		return ELSEWHERE;
	case VERB_WINDOW: case VERB_LOCAL_ADDRESS:
		return OF_GROUP;
	default:
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (op->reads >> k & 1)
				all |= of_operand(origins, i, k);
		return all;
	}
}

/* Adds to the webs what op i's results may be computed from; false if nothing is new.  Values of 32 bits and less are
 * no addresses. */
static bool add(struct origins *origins, uint32_t i)
{
	const struct plan *plan = origins->plan;
	bool new = false;
	for (unsigned k = 0; k < OP_OPERANDS; k++) {
		const uint32_t web = plan->def[(size_t)i * OP_OPERANDS + k];
		if (web == PLAN_NONE || plan->webs[web].width != 'l')
			continue;
		const uint64_t all = origins->of_web[web] | of_result(origins, i);
		new |= all != origins->of_web[web];
		origins->of_web[web] = all;
	}
	return new;
}

static bool begins(const struct plan *plan, uint32_t i, const char *start)
{
	return !strncmp(plan->rows[i]->name, start, strlen(start));
}

/* What op i may write, besides shared and private memory. */
static uint64_t written_by(const struct origins *origins, uint32_t i)
{
	const struct plan *plan = origins->plan;
	const struct op *op = &plan->code->ops[i];
	const uint8_t verb = plan->verbs[i].verb;
	if (verb != VERB_STORE && verb != VERB_ATOMIC && verb != VERB_CALL)
		return 0;
	if (verb == VERB_CALL && (begins(plan, i, "_sust") || begins(plan, i, "_sured") || begins(plan, i, "_cp.")))
		return ELSEWHERE;
	if (verb == VERB_CALL && !begins(plan, i, "_st") && !begins(plan, i, "_atom"))
		return 0;
	if (op->space == SPACE_SHARED || op->space == SPACE_LOCAL)
		return 0;
	const uint64_t of = of_operand(origins, i, MEMORY_ADDRESS);
	return of ? of & ~OF_GROUP : ELSEWHERE;
}

uint64_t plan_written(const struct plan *plan)
{
	struct origins origins = {plan, calloc(plan->web_count + 1u, sizeof(*origins.of_web))};
	uint64_t written = 0;
	if (!origins.of_web)
		return ELSEWHERE;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t i = 0; i < plan->code->op_count; i++)
			again |= add(&origins, i);
	}
	for (uint32_t i = 0; i < plan->code->op_count; i++)
		written |= written_by(&origins, i);
	free(origins.of_web);
	return written;
}
