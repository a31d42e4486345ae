/* cp.async, which copies from global to shared memory asynchronously, and the instructions that commit and wait for
 * copies.
 *
 * A copy is carried out when its lane waits for it.  That is the latest time that PTX allows, so that a program
 * without the wait reads the old data.  When memory for the list of copies runs out, a copy is carried out at once,
 * unless the launch is checked for reads before the wait: then it ends. */
#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"
#include "softcuda/exec/watch.h"

#include <stdlib.h>

/* Carries out a copy. */
static void arrive(const struct exec_copy *copy)
{
	/* A copy that reads nothing may have no source. */
	if (copy->read_B)
		memcpy(copy->to, copy->from, copy->read_B);
	memset(copy->to + copy->read_B, 0, copy->size_B - copy->read_B);
}

/* Carries out a copy of a launch with a watcher.  The watcher is told of the write for a second time, as an access by
 * the copy's own instruction.  False if the watcher reports a fault. */
static bool arrive_watched(struct warp *warp, const struct exec_copy *copy)
{
	struct frame *frame = warp->frame, issued = {.code = copy->code};
	uint64_t place[LANES] = {0};
	place[copy->lane] = (uint64_t)(uintptr_t)copy->to;
	warp->frame = &issued;
	const bool allowed = WATCH_ASK(warp->group->job, access, warp, copy->op, 1u << copy->lane, copy->size_B,
				       SOFT_ACCESS_WRITE, place);
	warp->frame = frame;
	arrive(copy);
	return allowed;
}

/* Appends a copy to the warp's list, and tells a watcher that its write has its effect later.  False: a fault was
 * noted. */
static bool remember(struct warp *warp, const struct exec_copy *copy)
{
	enum { CAPACITY = 64 };
	struct exec_copies *copies = &warp->copies;
	if (copies->count == copies->capacity) {
		const uint32_t capacity = copies->capacity ? 2 * copies->capacity : CAPACITY;
		struct exec_copy *items = realloc(copies->items, capacity * sizeof(*items));
		if (!items && watch_in_order(warp->group->job)) {
			exec_fault(warp, copy->op, 1u << copy->lane, CUDA_ERROR_OUT_OF_MEMORY,
				   "no host memory for the list of copies");
			return false;
		}
		if (!items) {
			arrive(copy);
			return true;
		}
		copies->items = items;
		copies->capacity = capacity;
	}
	copies->items[copies->count++] = *copy;
	WATCH(warp->group->job, late, warp, copy->lane, (uint64_t)(uintptr_t)copy->to, copy->size_B);
	return true;
}

/* cp.async.  x[0] is the number of bytes that are read, the rest being filled with zeros; x[1] is the source address;
 * x[2] is not an operand but the number of bytes that are written.  A watcher sees a store, followed by loads;
 * op->vector is 0, since the data are in no register. */
OP_HEAD(cp_async)
{
	const lane_u32 *read_B = OPERAND(const lane_u32, 0);
	uint32_t size_B = op->x[2];
	uint64_t to[LANES];
	struct op source = *op;
	source.x[MEMORY_ADDRESS] = op->x[1];
	source.space = SPACE_GLOBAL;
	source.address_32 = false;
	source.writes = 1;
	source.reads = 1u << MEMORY_ADDRESS;
	if (!exec_access(warp, op, mask, size_B, SOFT_ACCESS_WRITE, to))
		return FLOW_FAULT;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		bool whole = read_B[l] >= size_B;
		uint64_t first[LANES] = {0}, last[LANES];
		/* The source's alignment is checked only if all bytes are read; else the first and last byte are
		 * accessed. */
		source.imm = 0;
		if (read_B[l] && !exec_access(warp, &source, 1u << l, whole ? size_B : 1,
					      SOFT_ACCESS_READ, first))
			return FLOW_FAULT;
		source.imm = whole ? 0 : (int64_t)read_B[l] - 1;
		if (read_B[l] && !whole &&
		    !exec_access(warp, &source, 1u << l, 1, SOFT_ACCESS_READ, last))
			return FLOW_FAULT;
		if (!remember(warp, &(struct exec_copy){
				.op = op, .code = warp->frame->code, .to = (char *)(uintptr_t)to[l],
				.from = (const char *)(uintptr_t)first[l], .size_B = size_B,
				.read_B = whole ? size_B : read_B[l], .lane = l,
				.group = warp->copies.groups[l] }))
			return FLOW_FAULT;
	}
	return FLOW_NEXT;
}

OP_HEAD(cp_async_commit)
{
	(void)op;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		warp->copies.groups[exec_lowest(rest)]++;
	return FLOW_NEXT;
}

/* Whether a wait of the lanes in mask, for all but each lane's newest `open` groups, includes this copy. */
static bool is_awaited(const struct exec_copies *copies, const struct exec_copy *copy, uint32_t mask, uint64_t open)
{
	return mask >> copy->lane & 1 && copy->group + open < copies->groups[copy->lane];
}

/* Waits for copies.  imm is the number of newest groups of each lane that need not be complete; -1 waits for all
 * copies, committed or not. */
OP_HEAD(cp_async_wait)
{
	struct exec_copies *copies = &warp->copies;
	uint32_t kept = 0;
	bool allowed = true;
	for (uint32_t i = 0; i < copies->count; i++) {
		const struct exec_copy copy = copies->items[i];
		const bool awaited = op->imm < 0 ? mask >> copy.lane & 1 :
				     is_awaited(copies, &copy, mask, (uint64_t)op->imm);
		if (!awaited)
			copies->items[kept++] = copy;
		else if (!warp->watched)
			arrive(&copy);
		else
			allowed = arrive_watched(warp, &copy) && allowed;
	}
	copies->count = kept;
	return allowed ? FLOW_NEXT : FLOW_FAULT;
}

/* cp.async.bulk, which is carried out at once, the earliest time that PTX allows.  x[0] is the number of bytes, x[1]
 * the source address, op->mode its space.  PTX ISA: the size and both addresses are multiples of 16. */
OP_HEAD(cp_async_bulk)
{
	enum { PIECE_B = 16 };
	const lane_u32 *size_B = OPERAND(const lane_u32, 0);
	struct op to = *op, from = *op;
	uint64_t target[LANES], source[LANES];
	from.x[MEMORY_ADDRESS] = op->x[1];
	from.space = op->mode;
	from.address_32 = false;
	from.imm = 0;
	from.writes = 1;
	from.reads = 1u << MEMORY_ADDRESS;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const uint32_t lane = 1u << exec_lowest(rest);
		const unsigned l = exec_lowest(rest);
		if (size_B[l] % PIECE_B)
			return exec_fault(warp, op, lane, CUDA_ERROR_ILLEGAL_INSTRUCTION, "a bulk copy of %u bytes",
					  size_B[l]);
		for (uint32_t at = 0; at < size_B[l]; at += PIECE_B) {
			to.imm = op->imm + at;
			from.imm = at;
			if (!exec_access(warp, &to, lane, PIECE_B, SOFT_ACCESS_WRITE, target) ||
			    !exec_access(warp, &from, lane, PIECE_B, SOFT_ACCESS_READ, source))
				return FLOW_FAULT;
			memcpy((void *)(uintptr_t)target[l], (const void *)(uintptr_t)source[l], PIECE_B);
		}
	}
	return FLOW_NEXT;
}

static const struct op_row rows[] = {
	{"_cp.async.bulk", "", cp_async_bulk}, {"_cp.async", "", cp_async},
	{"_cp.async.commit", "", cp_async_commit}, {"_cp.async.wait", "", cp_async_wait}
};

EXEC_TABLE(exec_rows_copy)
