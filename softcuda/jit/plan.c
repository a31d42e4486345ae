#include "config.h"

#include "softcuda/jit/plan.h"

#include "softcuda/exec/barrier.h"
#include "softcuda/exec/compile_wire.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"

#include <stdlib.h>

/* The compiler refuses kernels above these limits, since its time grows faster than the size of the kernel. */
enum { OPS_MAX = 40000, BLOCKS_MAX = 4000, ENTRIES_MAX = 1000 };

static bool refuse(struct bytes *why, const char *reason)
{
	bytes_append_string(why, reason);
	return false;
}

/* --- verbs ---------- */

/* Whether an operand of op is a register of 128 bits. */
static bool is_wide(const struct plan *plan, const struct op *op)
{
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (plan_is_register(op, k) &&
		    plan->code->register_widths[op->x[k] / 4] == 'q')
			return true;
	return false;
}

/* Updates the plan's flags for an op, and its verb where the handler has to execute the op because of its mode. */
static void note_verb(struct plan *plan, const struct op *op, struct jit_verb *verb)
{
	if (verb_meets(verb))
		plan->together = true;
	/* The handler tells the watcher. */
	if (plan->watched && verb_meets(verb) && verb->verb != VERB_MEET)
		verb->verb = VERB_TOGETHER;
	if (plan->watched && verb->verb == VERB_FENCE)
		verb->verb = VERB_CALL;
	/* Volatile accesses, and accesses with a memory order, are left to the handler, except those of memory that
	 * only the group's own thread accesses. */
	const bool own = op->mode == ORDER_RELAXED && (op->space == SPACE_SHARED || op->space == SPACE_LOCAL);
	if ((verb->verb == VERB_LOAD || verb->verb == VERB_STORE) && op->mode != ORDER_WEAK && !own)
		verb->verb = VERB_CALL;
	/* On other memory, the host has no such operation. */
	if (verb->verb == VERB_ATOMIC && verb->is_float && op->space != SPACE_SHARED)
		verb->verb = VERB_CALL;
}

/* Whether the compiler accepts an op.  It refuses guards on barriers and on ops at which lanes meet: these would need
 * blocks of their own. */
static bool is_allowed(const struct op *op, const struct jit_verb *verb)
{
	return verb->verb != VERB_REFUSE &&
	       (op->guard == OPERAND_NONE ||
		(verb->verb != VERB_BARRIER && !verb_meets(verb)));
}

bool plan_find_verbs(struct plan *plan, struct bytes *why)
{
	const struct code *code = plan->code;
	plan->verbs = calloc(code->op_count + 1u, sizeof(*plan->verbs));
	plan->rows = calloc(code->op_count + 1u, sizeof(*plan->rows));
	if (!plan->verbs || !plan->rows)
		return refuse(why, "no memory");
	for (uint32_t i = 0; i < code->op_count; i++) {
		const struct op_row *row = plan->rows[i] = exec_table_row(code->ops[i].run);
		if (!row)
			return refuse(why, "an op that is in no table");
		plan->verbs[i] = verb_of(row);
		note_verb(plan, &code->ops[i], &plan->verbs[i]);
		/* Registers of 128 bits are not webs and would stay in the frame, where registers share places: saving
		 * a web's vector for all lanes could overwrite one. */
		if (is_wide(plan, &code->ops[i]))
			return refuse(why, "registers of 128 bits");
		plan->calls |= plan->verbs[i].verb == VERB_CALL;
		if (!is_allowed(&code->ops[i], &plan->verbs[i])) {
			bytes_printf(why, "'%s' in PTX line %u", row->name, code->ops[i].line);
			return false;
		}
	}
	return true;
}

/* --- blocks ---------- */

/* Sets marks[i] for each op i that begins a basic block. */
static void mark_leaders(const struct plan *plan, uint32_t *marks)
{
	const struct code *code = plan->code;
	marks[0] = 1;
	for (uint32_t i = 0; i < code->op_count; i++) {
		const uint8_t verb = plan->verbs[i].verb;
		if (verb == VERB_BRANCH)
			marks[code->ops[i].target] = 1;
		if (verb == VERB_BRANCH || verb == VERB_EXIT || verb == VERB_BARRIER)
			marks[i + 1] = 1;
	}
}

/* Finds how block b ends, and its successors. */
static void end_block(struct plan *plan, uint32_t b)
{
	struct plan_block *block = &plan->blocks[b];
	const struct op *op = &plan->code->ops[block->end - 1];
	const uint8_t verb = plan->verbs[block->end - 1].verb;
	const bool guarded = op->guard != OPERAND_NONE;
	block->kind = verb == VERB_BRANCH ? END_BRANCH : verb == VERB_EXIT ? END_EXIT :
		      verb == VERB_BARRIER ? END_BARRIER : END_FALLS;
	block->next = block->target = block->entry = PLAN_NONE;
	if (block->kind == END_FALLS || block->kind == END_BARRIER || guarded)
		block->next = b + 1;
	if (block->kind == END_BRANCH)
		block->target = plan->block_of[op->target];
}

static bool find_entries(struct plan *plan, struct bytes *why)
{
	plan->entries = calloc(plan->block_count + 1u, sizeof(*plan->entries));
	if (!plan->entries)
		return refuse(why, "no memory");
	plan->entries[plan->entry_count++] = (struct plan_entry){0, PLAN_NONE};
	for (uint32_t b = 0; b < plan->block_count; b++) {
		struct plan_block *block = &plan->blocks[b];
		/* bar.arrive is refused below: lanes do not wait at it, but compiled code waits at every barrier. */
		if (block->kind != END_BARRIER)
			continue;
		if (block->next >= plan->block_count || plan->entry_count == ENTRIES_MAX)
			return refuse(why, "too many barriers, or one at the end");
		if (plan->code->ops[block->end - 1].mode == BARRIER_ARRIVE)
			return refuse(why, "bar.arrive");
		block->entry = plan->entry_count;
		plan->entries[plan->entry_count++] = (struct plan_entry){block->next, block->end - 1};
	}
	return true;
}

bool plan_find_blocks(struct plan *plan, struct bytes *why)
{
	const uint32_t count = plan->code->op_count;
	plan->blocks = calloc(count + 1u, sizeof(*plan->blocks));
	plan->block_of = calloc(count + 2u, sizeof(*plan->block_of));
	if (!plan->blocks || !plan->block_of)
		return refuse(why, "no memory");
	mark_leaders(plan, plan->block_of);
	for (uint32_t i = 0; i < count; i++) {
		if (plan->block_of[i])
			plan->blocks[plan->block_count++].first = i;
		plan->block_of[i] = plan->block_count - 1;
		plan->blocks[plan->block_count - 1].end = i + 1;
	}
	if (plan->block_count > BLOCKS_MAX)
		return refuse(why, "too many blocks");
	for (uint32_t b = 0; b < plan->block_count; b++) {
		end_block(plan, b);
		if (plan->blocks[b].next == plan->block_count)
			return refuse(why, "it runs off its end");
	}
	return find_entries(plan, why);
}

/* --- waiting ---------- */

bool plan_is_read(const struct plan *plan, uint32_t op)
{
	for (unsigned d = 0; d < OP_OPERANDS; d++) {
		const uint32_t web = plan->def[(size_t)op * OP_OPERANDS + d];
		for (size_t u = 0; web != PLAN_NONE && u < (size_t)plan->code->op_count * PLAN_USES; u++)
			if (plan->use[u] == web)
				return true;
	}
	return false;
}

/* Sets reached[b] for each block b that can come after this one; stack: memory for as many numbers as blocks. */
static void reach(const struct plan *plan, uint32_t from, bool *reached, uint32_t *stack)
{
	uint32_t count = 0;
	stack[count++] = from;
	while (count) {
		const struct plan_block *block = &plan->blocks[stack[--count]];
		const uint32_t after[2] = {block->next, block->target};
		for (unsigned i = 0; i < 2; i++)
			if (after[i] != PLAN_NONE && !reached[after[i]]) {
				reached[after[i]] = true;
				stack[count++] = after[i];
			}
	}
}

/* Sets may_wait: a loop may wait for what another work-item does if it has an op that sees that, and the op's result is
 * used.  With a watcher, such an op is enough, since the interpreter's order of warps depends on that.  False when out
 * of memory. */
static bool find_waits(struct plan *plan)
{
	bool *reached = calloc(plan->block_count, sizeof(*reached));
	uint32_t *stack = calloc(plan->block_count + 1u, sizeof(*stack));
	const bool right = reached && stack;
	for (uint32_t i = 0; right && i < plan->code->op_count && !plan->may_wait; i++) {
		const uint8_t verb = plan->verbs[i].verb;
		if (!exec_table_waits(&plan->code->ops[i]))
			continue;
		if (plan->watched) {
			plan->may_wait = true;
			break;
		}
		if ((verb == VERB_ATOMIC || verb == VERB_STORE) && !plan_is_read(plan, i))
			continue;
		memset(reached, 0, plan->block_count * sizeof(*reached));
		reach(plan, plan->block_of[i], reached, stack);
		plan->may_wait = reached[plan->block_of[i]];
	}
	free(reached);
	free(stack);
	return right;
}

/* --- the plan ---------- */

/* Chooses the number of lanes of a part.  A part is a whole warp if ops need all lanes of a warp, or a watcher does.
 * Else it has as many lanes as the host's vectors, or, down to LEAST, fewer if that makes it divide a block's rows,
 * so that the lanes of a part lie in one row. */
static void choose_width(struct plan *plan, uint32_t native, uint32_t rows)
{
	enum { LEAST = 4, CALLS_MAX = 1000 };
	/* A call of a handler takes as long for some lanes of a warp as for all: with calls, whole warps are
	 * better.  In a large kernel, calls take a small part of the time, and twice as many vectors live in all of
	 * its blocks, for which LLVM takes longer. */
	const bool calls = plan->calls && rows % LANES == 0 && plan->code->op_count <= CALLS_MAX;
	plan->width = plan->together || plan->watched || calls ? LANES : native;
	while (!plan->together && !plan->watched && plan->width > LEAST && rows % plan->width)
		plan->width /= 2;
	plan->linear = rows % plan->width == 0;
	if (!plan->linear && !plan->together && !plan->watched)
		plan->width = native;
}

/* The number of lane registers, of 32 bits, of the varying values that are live before an op. */
static uint32_t varying_before(const struct plan *plan, uint32_t block, uint32_t op, uint64_t *set)
{
	uint32_t count = 0;
	plan_live_before(plan, block, op, set);
	for (uint32_t i = 0; i < plan->web_words; i++)
		for (uint64_t rest = set[i]; rest; rest &= rest - 1) {
			const struct web *web = &plan->webs[i * 64 + (uint32_t)__builtin_ctzll(rest)];
			if (web->kind == WEB_VARYING && web->width != 'p')
				count += web->width == 'l' ? 2 : 1;
		}
	return count;
}

/* Makes a part a whole warp where the values that vary fit into the host's registers nevertheless: what is done once
 * for a part, such as tests of addresses, is then done less often.  Leaves the width as it is when out of memory. */
static void widen(struct plan *plan, uint32_t native, uint32_t rows)
{
	/* Vectors of more than 8 lanes are those of AVX-512, which has 32 registers; others have 16 or more. */
	const uint32_t registers = native > 8 ? 32 : 16, each = LANES / native;
	uint64_t *set = rows % LANES || plan->width != native ? NULL : calloc(plan->web_words, sizeof(*set));
	uint32_t most = 0;
	for (uint32_t b = 0; set && b < plan->block_count; b++)
		for (uint32_t op = plan->blocks[b].first; op < plan->blocks[b].end; op++) {
			const uint32_t now = varying_before(plan, b, op, set);
			most = now > most ? now : most;
		}
	if (set && most * each <= registers)
		plan->width = LANES;
	free(set);
}

bool plan_create(struct plan *plan, const struct soft_program *program, const struct code *code, uint32_t native,
		 uint32_t rows, bool watched, struct bytes *why)
{
	*plan = (struct plan){.program = program, .code = code, .watched = watched};
	const bool ragged = rows == COMPILE_LINE;
	plan->line = ragged || rows == COMPILE_WHOLE_LINE;
	rows = plan->line ? LANES : rows;
	if (!code->op_count || code->op_count > OPS_MAX)
		return refuse(why, "its size");
	if (!plan_find_verbs(plan, why))
		return false;
	choose_width(plan, native, rows);
	if (!plan_find_blocks(plan, why))
		return false;
	if (!plan_find_webs(plan) || !find_waits(plan) || !plan_find_regions(plan, why) || !plan_find_kinds(plan))
		return why->size_B ? false : refuse(why, "no memory");
	plan_find_addresses(plan);
	if (plan_is_better_single(plan))
		plan_make_single(plan);
	else
		widen(plan, native, rows);
	plan->row = plan->linear || rows > plan->width ? plan->width : rows;
	plan->full = plan->width == 1 || (!ragged && rows % plan->width == 0);
	if (plan->row > 1 && plan->row < plan->width)
		plan_find_rows(plan);
	return true;
}

void plan_finish(struct plan *plan)
{
	for (uint32_t e = 0; plan->regions && e < plan->entry_count; e++) {
		struct plan_region *region = &plan->regions[e];
		if (region->nodes)
			free(region->nodes[0].pending);
		free(region->nodes);
		free(region->node_of);
	}
	free(plan->regions);
	free(plan->verbs);
	free(plan->rows);
	free(plan->use);
	free(plan->def);
	free(plan->webs);
	free(plan->blocks);
	free(plan->block_of);
	free(plan->live_at);
	free(plan->live);
	free(plan->entries);
}
