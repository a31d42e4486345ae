/* Finds the branches of loops that do nothing but wait for what other work-items do. */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/ptx/program.h"

#include <string.h>

/* Longer loops have something to do. */
enum { POLL_OPS_MAX = 48 };

static bool is_register(uint32_t operand)
{
	return operand != OPERAND_NONE && operand >> OPERAND_BANK_SHIFT == BANK_REGISTER;
}

/* Whether op assigns the register; always: in each lane that comes there, also if op has a guard. */
static bool assigns(const struct op *op, uint32_t operand, bool always)
{
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (op->writes >> k & 1 && op->x[k] == operand)
			return !always || op->guard == OPERAND_NONE;
	return false;
}

/* Whether a register that ops[at] reads may have its value from the iteration before. */
static bool is_carried(const struct op *ops, uint32_t first, uint32_t last, uint32_t at, uint32_t operand)
{
	if (!is_register(operand))
		return false;
	for (uint32_t i = first; i < at; i++)
		if (assigns(&ops[i], operand, true))
			return false;
	for (uint32_t i = first; i <= last; i++)
		if (assigns(&ops[i], operand, false))
			return true;
	return false;
}

/* Whether ops[at] may be in a loop that only waits: it writes memory at most with a result, as atomics do, and reads no
 * value of the iteration before. */
static bool may_poll(const struct op *ops, uint32_t first, uint32_t last, uint32_t at)
{
	static const char *const without_result[] = {"_bra", "_nop", "_fence", "_membar"};
	const struct op *op = &ops[at];
	const struct op_row *row = exec_table_row(op->run);
	bool right = row && op->writes && strncmp(row->name, "_call", 5) != 0 && !exec_table_meets(op);
	for (size_t i = 0; row && i < sizeof(without_result) / sizeof(without_result[0]); i++)
		right |= !strncmp(row->name, without_result[i], strlen(without_result[i]));
	for (unsigned k = 0; right && k < OP_OPERANDS; k++)
		right = !(op->reads >> k & 1) || !is_carried(ops, first, last, at, op->x[k]);
	return right && !is_carried(ops, first, last, at, op->guard);
}

static bool polls(const struct op *ops, uint32_t first, uint32_t last)
{
	bool waits = false;
	for (uint32_t i = first; i <= last; i++) {
		if (!may_poll(ops, first, last, i))
			return false;
		waits |= exec_table_waits(&ops[i]);
	}
	return waits;
}

void ptx_polls_mark(struct code *code)
{
	op_run *const bra = exec_table_find("_bra")->run;
	for (uint32_t i = 0; i < code->op_count; i++) {
		struct op *op = &code->ops[i];
		if (op->run == bra && op->target <= i && i - op->target < POLL_OPS_MAX &&
		    polls(code->ops, op->target, i))
			op->mode = BRANCH_POLLS;
	}
}
