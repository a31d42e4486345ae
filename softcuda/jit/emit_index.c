/* Accesses of elements by an index: which have the same one. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/memory.h"

bool emit_is_access(const struct emitter *e, uint32_t op)
{
	const uint8_t verb = e->plan->verbs[op].verb;
	return (verb == VERB_LOAD || verb == VERB_STORE) && e->plan->code->ops[op].space != SPACE_PARAM;
}

/* The last op before op `before`, among those that are emitted, which assigns a web; PLAN_NONE if there is none. */
static uint32_t definition_of(const struct emitter *e, uint32_t web, uint32_t before)
{
	for (uint32_t i = before; i-- > e->again_first;)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (e->plan->def[(size_t)i * OP_OPERANDS + k] == web)
				return i;
	return PLAN_NONE;
}

static uint32_t operand_web(const struct emitter *e, uint32_t op, unsigned k)
{
	return e->plan->use[(size_t)op * PLAN_USES + k];
}

uint32_t emit_definition_by(const struct emitter *e, uint32_t web, uint32_t before, enum verb verb, unsigned bits)
{
	const uint32_t op = web == PLAN_NONE ? PLAN_NONE : definition_of(e, web, before);
	if (op == PLAN_NONE || e->plan->verbs[op].verb != verb || e->plan->verbs[op].bits != bits ||
	    e->plan->code->ops[op].guard != OPERAND_NONE)
		return PLAN_NONE;
	return op;
}

/* Whether a web has the value of a parameter, everywhere. */
static bool is_parameter(const struct emitter *e, uint32_t web)
{
	const struct plan *plan = e->plan;
	if (web == PLAN_NONE || plan->webs[web].parameter == PLAN_NONE || plan->webs[web].at_start)
		return false;
	for (uint32_t i = 0; i < plan->code->op_count; i++)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (plan->def[(size_t)i * OP_OPERANDS + k] == web &&
			    (k || plan->verbs[i].verb != VERB_LOAD || plan->code->ops[i].space != SPACE_PARAM))
				return false;
	return true;
}

/* The op that multiplies an index by total_B for the address of an access; PLAN_NONE if the address is not a parameter
 * and such a product. */
static uint32_t product_of(const struct emitter *e, uint32_t access, unsigned total_B)
{
	uint64_t size_B;
	const uint32_t sum = emit_definition_by(e, operand_web(e, access, MEMORY_ADDRESS), access, VERB_ADD, 64);
	if (sum == PLAN_NONE)
		return PLAN_NONE;
	const unsigned k = is_parameter(e, operand_web(e, sum, 1)) ? 1 : 2;
	if (!is_parameter(e, operand_web(e, sum, k)))
		return PLAN_NONE;
	const uint32_t product = emit_definition_by(e, operand_web(e, sum, 3 - k), sum, VERB_MUL_WIDE, 32);
	if (product == PLAN_NONE || !plan_constant(e->plan, &e->plan->code->ops[product], 2, 32, &size_B) ||
	    size_B != total_B)
		return PLAN_NONE;
	return product;
}

bool emit_find_index(const struct emitter *e, uint32_t access, struct emit_index *index)
{
	const struct op *op = &e->plan->code->ops[access];
	const unsigned total_B = op->vector * e->plan->verbs[access].size_B;
	const uint32_t web = operand_web(e, access, MEMORY_ADDRESS);
	if (!emit_is_access(e, access) || web == PLAN_NONE || !e->plan->webs[web].is_offset)
		return false;
	const uint32_t product = product_of(e, access, total_B);
	uint64_t more;
	if (product == PLAN_NONE || op->imm < 0 || op->imm % total_B || op->imm / total_B > EMIT_INDEX_MORE)
		return false;
	*index = (struct emit_index){.is_signed = e->plan->verbs[product].is_signed,
				     .web = operand_web(e, product, 1), .more = (uint32_t)op->imm / total_B};
	uint32_t user = product;
	const uint32_t sum = emit_definition_by(e, index->web, product, VERB_ADD, 32);
	if (sum != PLAN_NONE && plan_constant(e->plan, &e->plan->code->ops[sum], 2, 32, &more) &&
	    more <= EMIT_INDEX_MORE && operand_web(e, sum, 1) != PLAN_NONE) {
		index->web = operand_web(e, sum, 1);
		index->more += (uint32_t)more;
		user = sum;
	}
	if (index->web == PLAN_NONE)
		return false;
	index->definition = definition_of(e, index->web, user);
	return index->definition == definition_of(e, index->web, access);
}

bool emit_same_index(const struct emit_index *a, const struct emit_index *b)
{
	return a->web == b->web && a->definition == b->definition && a->is_signed == b->is_signed;
}

value emit_if_counts(const struct emitter *e, value number)
{
	return e->counts ? LLVMBuildSelect(e->builder, e->counts, number, emit_number(e, number, 0), "") : number;
}
