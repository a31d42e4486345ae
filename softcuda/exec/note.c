/* Instructions that no GPU has: what the builtin library and the frontend tell the checker of a
 * program that is built to be checked (frontend/builtins/note.h).  The result is a register that
 * nobody reads, except for the event of a copy. */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

#define FOR_LANES(l, mask)                                                             \
	for (uint32_t rest_ = (mask), l; rest_ && (l = exec_lowest(rest_), 1); rest_ &= rest_ - 1)

/* culvert.barrier nothing, flags */
OP_HEAD(note_barrier)
{
	const lane_u32 *flags = OPERAND(const lane_u32, 1);
	WATCH(warp->group->job, note_barrier, warp, mask, flags);
	return FLOW_NEXT;
}

/* culvert.copy.what nothing, target, source, count: of the culvert.copy that follows */
OP_HEAD(note_copy_what)
{
	const lane_u64 *target = OPERAND(const lane_u64, 1), *source = OPERAND(const lane_u64, 2);
	const lane_u64 *count = OPERAND(const lane_u64, 3);
	FOR_LANES(l, mask)
		WATCH(warp->group->job, note_copy_what, warp, l, target[l], source[l], count[l]);
	return FLOW_NEXT;
}

/* culvert.copy event, stride, size of an element, event before */
OP_HEAD(note_copy)
{
	const lane_u64 *stride = OPERAND(const lane_u64, 1), *before = OPERAND(const lane_u64, 3);
	const lane_u32 *size_B = OPERAND(const lane_u32, 2);
	lane_u64 *event = OPERAND(lane_u64, 0);
	FOR_LANES(l, mask) {
		uint64_t number = before[l];
		if (!WATCH_ASK(warp->group->job, note_copy, warp, op, l, stride[l], size_B[l], &number))
			return FLOW_FAULT;
		event[l] = number;
	}
	return FLOW_NEXT;
}

/* culvert.copied nothing, 0 */
OP_HEAD(note_copied)
{
	(void)op;
	FOR_LANES(l, mask)
		WATCH(warp->group->job, note_copied, warp, l);
	return FLOW_NEXT;
}

/* culvert.wait nothing, event */
OP_HEAD(note_wait)
{
	const lane_u64 *event = OPERAND(const lane_u64, 1);
	FOR_LANES(l, mask)
		WATCH(warp->group->job, note_wait, warp, op, l, event[l]);
	return FLOW_NEXT;
}

/* culvert.index nothing, index, count: an index is outside of its array of count elements */
OP_HEAD(note_index)
{
	const lane_u64 *index = OPERAND(const lane_u64, 1), *count = OPERAND(const lane_u64, 2);
	FOR_LANES(l, mask)
		WATCH(warp->group->job, note_index, warp, op, l, (int64_t)index[l], count[l]);
	return FLOW_NEXT;
}

/* culvert.private nothing, address, size: op->imm names a variable in private memory, before and
 * behind which VARIABLE_GAP_B bytes are nobody's */
OP_HEAD(note_private)
{
	const lane_u64 *address = OPERAND(const lane_u64, 1), *size_B = OPERAND(const lane_u64, 2);
	return WATCH_ASK(warp->group->job, note_private, warp, op, mask, address, size_B) ? FLOW_NEXT
											  : FLOW_FAULT;
}

static const struct op_row rows[] = {
	{"culvert.barrier", "ww", note_barrier}, {"culvert.copy.what", "wlll", note_copy_what},
	{"culvert.copy", "llwl", note_copy}, {"culvert.copied", "ww", note_copied},
	{"culvert.wait", "wl", note_wait}, {"culvert.index", "wll", note_index},
	{"culvert.private", "wll", note_private}
};

EXEC_TABLE(exec_rows_note)
