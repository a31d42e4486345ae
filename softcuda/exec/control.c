/* Branches, calls, ends, barriers, fences. */
#include "config.h"

#include "softcuda/exec/barrier.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

OP_HEAD(op_bra)
{
	(void)warp;
	(void)mask;
	return op->mode == BRANCH_POLLS ? FLOW_POLL : FLOW_JUMP;
}

OP_HEAD(op_nop)
{
	(void)warp;
	(void)op;
	(void)mask;
	return FLOW_NEXT;
}

OP_HEAD(op_brx)
{
	const struct branch_table *table = &warp->frame->code->tables[op->target];
	const lane_u32 *index = OPERAND(const lane_u32, 1);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (index[l] >= table->count)
			return exec_fault(warp, op, 1u << l, CUDA_ERROR_ILLEGAL_INSTRUCTION,
					  "brx.idx with %u of %u targets", index[l],
					  table->count);
		warp->lane_pc[l] = table->targets[index[l]];
	}
	return FLOW_SCHEDULE;
}

static char *local_at(const struct warp *warp, unsigned l, uint64_t offset_B)
{
	return warp->local + (size_t)l * warp->local_stride_B + offset_B;
}

static enum flow call(struct warp *warp, const struct op *op, uint32_t mask, uint32_t callee)
{
	const struct call_site *site = &warp->frame->code->sites[op->target];
	const struct code *code = &warp->group->job->program->codes[callee];
	if (!code->defined || code->parameter_count != site->argument_count ||
	    code->result_count != site->result_count)
		return exec_fault(warp, op, mask, CUDA_ERROR_ILLEGAL_INSTRUCTION,
				  "call of '%s' does not fit its parameters", code->name);
	struct frame *frame = warp_frame_create(warp, callee, warp->frame);
	if (!frame)
		return exec_fault(warp, op, mask, CUDA_ERROR_HARDWARE_STACK_ERROR,
				  "no room for the stack of '%s' at depth %u", code->name,
				  warp->frame->depth + 1);
	frame->site = site;
	frame->lanes = mask;
	frame->return_pc = warp->pc + 1;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		for (uint32_t i = 0; i < site->argument_count; i++) {
			uint32_t from_B = site->arguments[i].size_B;
			uint32_t size_B = code->parameters[i].size_B;
			memcpy(local_at(warp, l, frame->local_B + code->parameters[i].offset_B),
			       local_at(warp, l, warp->frame->local_B + site->arguments[i].from_B),
			       from_B < size_B ? from_B : size_B);
		}
		warp->lane_frame[l] = frame;
		warp->lane_pc[l] = 0;
	}
	WATCH(warp->group->job, call, warp, frame, mask);
	return FLOW_SCHEDULE;
}

OP_HEAD(op_call)
{
	return call(warp, op, mask, warp->frame->code->sites[op->target].callee);
}

/* Lanes that call different functions do so one function after the other; the others stay at the call. */
OP_HEAD(op_call_indirect)
{
	const lane_u64 *address = OPERAND(const lane_u64, 1);
	uint64_t value = address[exec_lowest(mask)];
	uint32_t index = (uint32_t)value, same = 0;
	if ((value & WINDOW_MASK) != WINDOW_CODE ||
	    index >= warp->group->job->program->code_count)
		return exec_fault(warp, op, mask, CUDA_ERROR_INVALID_PC,
				  "call of 0x%llx, which is no function",
				  (unsigned long long)value);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		warp->lane_pc[l] = warp->pc;
		same |= address[l] == value ? 1u << l : 0;
	}
	return call(warp, op, same, index);
}

static void lanes_end(struct warp *warp, uint32_t mask)
{
	struct group *group = warp->group;
	warp->live &= ~mask;
	group->live_count -= (uint32_t)__builtin_popcount(mask);
	if (!group->live_count)
		WATCH(group->job, group_over, group);
	/* Lanes that were waiting for these lanes check again. */
	warp->meeting = 0;
	for (uint32_t id = 0; id < BARRIERS; id++)
		if (group->barriers[id].arrived && !group->barriers[id].expected)
			group_barrier_check(group, id);
}

OP_HEAD(op_exit)
{
	(void)op;
	for (struct frame *frame = warp->frame, *parent; frame; frame = parent) {
		parent = frame->parent;
		warp_frame_leave(warp, frame, mask);
	}
	lanes_end(warp, mask);
	return FLOW_SCHEDULE;
}

OP_HEAD(op_ret)
{
	struct frame *frame = warp->frame, *parent = frame->parent;
	const struct call_site *site = frame->site;
	if (!parent)
		return op_exit(warp, op, mask);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		for (uint32_t i = 0; i < site->result_count; i++) {
			uint32_t to_B = site->results[i].size_B;
			uint32_t size_B = frame->code->results[i].size_B;
			memcpy(local_at(warp, l, parent->local_B + site->results[i].to_B),
			       local_at(warp, l, frame->local_B +
					frame->code->results[i].offset_B),
			       to_B < size_B ? to_B : size_B);
		}
		warp->lane_frame[l] = parent;
		warp->lane_pc[l] = frame->return_pc;
	}
	WATCH(warp->group->job, leave, warp, frame, mask);
	warp_frame_leave(warp, frame, mask);
	return FLOW_SCHEDULE;
}

OP_HEAD(op_trap)
{
	return exec_fault(warp, op, mask, CUDA_ERROR_LAUNCH_FAILED, "trap");
}

OP_HEAD(op_fence)
{
	WATCH(warp->group->job, fence, warp, op, mask);
	atomic_thread_fence(memory_order_seq_cst);
	return FLOW_NEXT;
}

static void arrive(struct warp *warp, const struct op *op, uint32_t lanes, uint32_t id,
		   uint32_t expected)
{
	struct barrier *barrier = &warp->group->barriers[id];
	bool reduces = op->mode == BARRIER_POPC || op->mode == BARRIER_AND ||
		       op->mode == BARRIER_OR;
	uint32_t votes = reduces ? op_predicate(warp, op->x[3]) & lanes : 0;
	if (!barrier->arrived)
		barrier->all = true;
	if (op->mode == BARRIER_ARRIVE)
		WATCH(warp->group->job, arrive, warp, lanes, id);
	barrier->arrived += (uint32_t)__builtin_popcount(lanes);
	barrier->expected = expected;
	barrier->popc += (uint32_t)__builtin_popcount(votes);
	barrier->any |= votes != 0;
	barrier->all &= votes == lanes;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		warp->lane_barrier[l] = id;
		warp->lane_pc[l] = warp->pc + (op->mode == BARRIER_ARRIVE);
	}
	if (op->mode != BARRIER_ARRIVE)
		warp->parked |= lanes;
	group_barrier_check(warp->group, id);
}

/* The number may differ from lane to lane, as a register may hold it.  imm is 1 for barrier.cluster. */
OP_HEAD(op_bar)
{
	const lane_u32 *id = OPERAND(const lane_u32, 1);
	const lane_u32 *count = op->reads & 4 ? OPERAND(const lane_u32, 2) : NULL;
	for (uint32_t rest = mask; rest;) {
		unsigned first = exec_lowest(rest);
		uint32_t same = 0, expected = count ? count[first] : 0;
		if (id[first] >= BARRIER_OF_CLUSTER + (op->imm ? 1u : 0u) || (count && (!expected || expected % LANES)))
			return exec_fault(warp, op, rest, CUDA_ERROR_ILLEGAL_INSTRUCTION,
					  "barrier %u with %u work-items", id[first], expected);
		for (uint32_t r = rest; r; r &= r - 1) {
			unsigned l = exec_lowest(r);
			if (id[l] == id[first] && (!count || count[l] == expected))
				same |= 1u << l;
		}
		rest &= ~same;
		arrive(warp, op, same, id[first], expected);
	}
	return FLOW_SCHEDULE;
}

/* Lanes may meet at different bar.warp.sync of the same members: each goes on
 * from its own. */
OP_HEAD(op_bar_warp)
{
	uint32_t met = exec_meet(warp, op, mask, 1, true);
	return met ? exec_meet_done(warp, mask, met) : FLOW_SCHEDULE;
}

static const struct op_row rows[] = {
	{"_bra", "", op_bra}, {"_brx", "", op_brx}, {"_nop", "", op_nop},
	{"_call", "", op_call}, {"_call.indirect", "", op_call_indirect},
	{"_ret", "", op_ret}, {"_exit", "", op_exit}, {"_trap", "", op_trap},
	{"_fence", "", op_fence}, {"_bar", "", op_bar}, {"_bar.warp", "", op_bar_warp}
};

EXEC_TABLE(exec_rows_control)
