#include "config.h"

#include "softcuda/exec/compiled.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/watch.h"

#include "base/clock.h"
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The time after which compiled code leaves a loop that may wait for another work-group to the interpreter, and the
 * time if the loop does nothing else. */
static const uint64_t patience_ns = 10000000, poll_patience_ns = 50000;
/* The same in a launch that is watched in order, where it must not depend on the time: the number of calls of tired for
 * a work-group, also without such a loop. */
enum { WATCHED_PATIENCE = 256 };

/* --- functions that compiled code calls (COMPILED_FUNCTIONS) ---------- */

/* Has the warp be at an instruction, and returns that. */
static const struct op *go_to(struct warp *warp, uint32_t op)
{
	warp->frame = warp->base;
	warp->pc = op;
	return &warp->base->code->ops[op];
}

static uint32_t call(struct warp *warp, uint32_t number, uint32_t lanes)
{
	const struct op *op = go_to(warp, number);
	warp->banks.bank[BANK_REGISTER] = warp->base->registers;
	warp->group->as_started = false;
	return op->run(warp, op, lanes) != FLOW_NEXT;
}

/* The code goes on comparing addresses with the range that was in the slot when it began to run, and then reads what is
 * quiet anew.  So where a slot has had ranges of several allocations, only what is quiet in all of them is quiet. */
static void fill_slot(struct group *group, const struct compiled *compiled, uint32_t slot, const struct range *range)
{
	const struct exec_watch *watch = group->job->watch;
	const struct memory_slot old = group->slots[slot];
	struct memory_slot filled = {.range = *range};
	filled.start = (range->start + SLOT_ALIGNED_B - 1) & ~(uint64_t)(SLOT_ALIGNED_B - 1);
	filled.size_B = filled.start < range->end ? range->end - filled.start : 0;
	if (watch && watch->quiet)
		filled.quiet = watch->quiet(group->job, compiled, &filled.range);
	if (old.range.end)
		filled.quiet &= old.quiet;
	group->slots[slot] = filled;
}

/* The handler looks up the memory and leaves its range in the group's ranges, from where this function copies it. */
static uint32_t access(struct warp *warp, uint32_t op, uint32_t lanes, uint32_t slot)
{
	struct group *group = warp->group;
	if (call(warp, op, lanes))
		return 1;
	const struct range *recent = &group->ranges[group->recent_range];
	if (recent->end)
		fill_slot(group, group->compiled, slot, recent);
	return 0;
}

static void leaving(struct group *group, uint32_t part, uint32_t live)
{
	const uint32_t width = group->compiled->width;
	group->part_lanes[part] = live >> part * width % LANES;
}

static void leave(struct warp *warp, uint32_t lanes, uint32_t pc)
{
	for (unsigned l = 0; l < LANES && lanes == MASK_ALL; l++)
		warp->lane_pc[l] = pc;
	if (lanes == MASK_ALL)
		return;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		warp->lane_pc[exec_lowest(rest)] = pc;
}

static void end(struct warp *warp, uint32_t lanes)
{
	warp->group->as_started = false;
	warp->live &= ~lanes;
}

static uint32_t tired(struct group *group, uint32_t may_leave)
{
	if (atomic_load_explicit(&group->job->stop, memory_order_relaxed))
		return 2;
	if (watch_in_order(group->job))
		return ++group->tired_count >= WATCHED_PATIENCE || may_leave >= COMPILED_MAY_WAIT;
	if (may_leave < COMPILED_MAY_WAIT)
		return 0;
	const uint64_t now = host_now_ns();
	if (!group->since_ns)
		group->since_ns = now;
	const bool polls = may_leave == COMPILED_POLLS;
	const bool leaves = now - group->since_ns > (polls ? poll_patience_ns : patience_ns);
	group->only_waits = leaves && polls;
	/* The other work-group's thread may have no processor now. */
	if (polls && !leaves)
		sched_yield();
	return leaves;
}

static void divide(uint64_t *x, const uint64_t *y, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		x[i] /= y[i];
}

static void store(const uint64_t *place, const uint16_t *values, uint32_t lanes, uint32_t size_B)
{
	for (unsigned l = 0; l < LANES && lanes == MASK_ALL && size_B == 1; l++)
		*(unsigned char *)(uintptr_t)place[l] = (unsigned char)values[l];
	if (lanes == MASK_ALL && size_B == 1)
		return;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		if (size_B == 1)
			*(unsigned char *)(uintptr_t)place[l] = (unsigned char)values[l];
		else
			memcpy((void *)(uintptr_t)place[l], &values[l], sizeof(values[l]));
	}
}

/* As exec_access_watched calls the watcher for the interpreter. */
static uint32_t look(struct warp *warp, uint32_t number, uint32_t lanes, const uint64_t *place, uint32_t size_B)
{
	const struct op *op = go_to(warp, number);
	const bool is_atomic = op->writes && op->reads & 2, is_weak = op->mode == ORDER_WEAK;
	const unsigned kind = is_atomic ? SOFT_ACCESS_READ_STRONG | SOFT_ACCESS_WRITE_STRONG :
			      op->writes ? is_weak ? SOFT_ACCESS_READ : SOFT_ACCESS_READ_STRONG :
			      is_weak ? SOFT_ACCESS_WRITE : SOFT_ACCESS_WRITE_STRONG;
	return !WATCH_ASK(warp->group->job, access, warp, op, lanes, size_B, kind, place);
}

static uint32_t look_row(struct warp *warp, uint32_t number, uint32_t lanes, uint64_t place, uint32_t size_B,
			 uint32_t step_B)
{
	const struct exec_watch *watch = warp->group->job->watch;
	const struct op *op = go_to(warp, number);
	return watch && (!watch->row || !watch->row(warp, op, lanes, size_B, place, step_B));
}

static uint32_t look_rows(struct warp *warp, uint32_t number, const uint64_t *place, uint32_t row, uint32_t size_B,
			  uint32_t step_B)
{
	const struct exec_watch *watch = warp->group->job->watch;
	const struct op *op = go_to(warp, number);
	return watch && (!watch->rows || !watch->rows(warp, op, row, size_B, place, step_B));
}

static uint32_t look_shared(struct warp *warp, uint32_t slot)
{
	const struct exec_watch *watch = warp->group->job->watch;
	const struct op *op = go_to(warp, warp->group->shared_next->op);
	return watch && (!watch->shared || !watch->shared(warp, op, slot));
}

/* Makes a compare-exchange of lanes in turn; the lanes that have written, as bits.  Only the group's own thread
 * accesses shared memory. */
#define COMPARE(type)                                                                                    \
	static bool compare_one_##type(type *at, type *old, type value, bool shared)                     \
	{                                                                                                \
		if (!shared)                                                                             \
			return __atomic_compare_exchange_n(at, old, value, 0, __ATOMIC_SEQ_CST,          \
							   __ATOMIC_SEQ_CST);                            \
		const type there = *at;                                                                  \
		const bool is_equal = there == *old;                                                     \
		*at = is_equal ? value : there;                                                          \
		*old = there;                                                                            \
		return is_equal;                                                                         \
	}                                                                                                \
	static uint32_t compare_##type(const struct warp *warp, const struct op *op, uint32_t lanes,     \
				       const uint64_t *place)                                            \
	{                                                                                                \
		const type *compared = OPERAND(const type, 1), *value = OPERAND(const type, 2);          \
		type *result = OPERAND(type, 0);                                                         \
		uint32_t wrote = 0;                                                                      \
		for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                    \
			const unsigned l = exec_lowest(rest);                                            \
			type old = compared[l];                                                          \
			wrote |= (uint32_t)compare_one_##type((type *)(uintptr_t)place[l], &old,         \
							      value[l], op->space == SPACE_SHARED) << l; \
			result[l] = old;                                                                 \
		}                                                                                        \
		return wrote;                                                                            \
	}

COMPARE(lane_u32)
COMPARE(lane_u64)

static uint32_t compare(struct warp *warp, uint32_t number, uint32_t lanes, const uint64_t *place,
			uint32_t size_B)
{
	const struct exec_watch *watch = warp->group->job->watch;
	const struct op *op = go_to(warp, number);
	warp->banks.bank[BANK_REGISTER] = warp->base->registers;
	if (!watch->compare || !watch->compare(warp, op, lanes, size_B, place))
		return op->run(warp, op, lanes) != FLOW_NEXT;
	const uint32_t wrote = size_B == sizeof(uint64_t) ? compare_lane_u64(warp, op, lanes, place) :
							    compare_lane_u32(warp, op, lanes, place);
	return !watch->compared(warp, op, lanes, wrote, size_B, place);
}

#define FUNCTION_ADDRESS(name) (void *)name,

void *const compiled_functions[COMPILED_FUNCTION_COUNT] = {
	COMPILED_FUNCTIONS(FUNCTION_ADDRESS, FUNCTION_ADDRESS)
};

/* --- a group's memory for compiled code ---------- */

static uint32_t part_count(const struct group *group, const struct compiled *compiled)
{
	return (group->thread_count + compiled->width - 1) / compiled->width;
}

/* The lanes of a part of which none has ended, as bits, the first as bit 0. */
static uint32_t whole_part(const struct group *group, uint32_t part, uint32_t width)
{
	const uint32_t left = group->thread_count - part * width, count = left < width ? left : width;
	return count == LANES ? MASK_ALL : (1u << count) - 1;
}

/* Looks up the memory that the kernel's pointer parameters point to, before the code runs. */
static void fill_slots(struct group *group, const struct compiled *compiled)
{
	const struct soft_launch *launch = group->job->launch;
	for (uint32_t i = 0; i < compiled->slot_count; i++) {
		const uint32_t offset_B = compiled->slot_parameter[i];
		struct range range;
		uint64_t address;
		if (offset_B == COMPILED_NO_PARAMETER || offset_B == COMPILED_SHARED ||
		    offset_B + sizeof(address) > launch->function->parameter_size_B)
			continue;
		memcpy(&address, (const char *)launch->parameters + offset_B, sizeof(address));
		if (launch->memory->find(launch, address, &range.start, &range.end))
			fill_slot(group, compiled, i, &range);
	}
}

/* Has the watcher be told of all reads of shared memory, until it says otherwise. */
static void clear_slots(struct group *group, const struct compiled *compiled)
{
	for (uint32_t i = 0; i < compiled->slot_count; i++)
		if (compiled->slot_parameter[i] == COMPILED_SHARED)
			group->slots[i].size_B = 0;
}

void compiled_group_finish(struct group *group)
{
	free(group->at);
	free(group->part_lanes);
	free(group->slots);
	group->at = NULL;
	group->part_lanes = NULL;
	group->slots = NULL;
	group->room_for = NULL;
	group->ready = group->as_started = false;
}

/* Allocates what a group needs to be run by this code, unless it has that already; false when out of memory. */
static bool make_room(struct group *group, const struct compiled *compiled)
{
	const uint32_t parts = part_count(group, compiled);
	if (group->room_for == compiled)
		return true;
	compiled_group_finish(group);
	group->at = calloc(parts, sizeof(*group->at));
	group->part_lanes = calloc(parts, sizeof(*group->part_lanes));
	group->slots = calloc(compiled->slot_count + 1u, sizeof(*group->slots));
	if (!group->at || !group->part_lanes || !group->slots)
		return false;
	fill_slots(group, compiled);
	group->room_for = compiled;
	return true;
}

/* --- the start ---------- */

static bool start_warp(struct warp *warp)
{
	const uint32_t lanes = warp->group->thread_count - warp->index * LANES;
	if (!warp->base)
		warp->base = warp_frame_create(warp, warp->group->job->code_index, NULL);
	if (!warp->base)
		return false;
	warp->banks.bank[BANK_REGISTER] = warp->base->registers;
	warp->live = lanes >= LANES ? MASK_ALL : (1u << lanes) - 1;
	warp->parked = warp->meeting = warp->carry = 0;
	for (unsigned l = 0; warp->watched && !warp->group->in_base && l < LANES; l++)
		warp->lane_frame[l] = warp->base;
	return true;
}

/* Has a group be as one that has run nothing.  False when out of memory. */
static bool start_warps(struct group *group)
{
	memset(group->barriers, 0, sizeof(group->barriers));
	for (uint32_t i = 0; i < group->warp_count; i++)
		if (!start_warp(&group->warps[i]))
			return false;
	group->in_base = true;
	return true;
}

bool compiled_group_start(struct group *group, const struct compiled *compiled)
{
	const uint32_t parts = part_count(group, compiled);
	if (!make_room(group, compiled))
		return false;
	group->since_ns = 0;
	group->tired_count = 0;
	group->compiled = compiled;
	if (group->ready)
		return true;
	if (!group->as_started && !start_warps(group))
		return false;
	for (uint32_t p = 0; p < parts; p++) {
		/* Plain code stores only how parts stand that have not ended. */
		group->at[p] = compiled->plain ? COMPILED_DONE : 0;
		group->part_lanes[p] = whole_part(group, p, compiled->width);
	}
	group->ready = compiled->plain;
	if (group->job->watch)
		clear_slots(group, compiled);
	WATCH(group->job, group_end, group);
	group_clear_local(group);
	if (!WATCH_ASK(group->job, group_begin, group))
		return false;
	group->as_started = true;
	return true;
}

/* --- handing a group over to the interpreter ---------- */

/* Computes all lanes of a linear register of a part that waits, from the first lane: the interpreter needs all of
 * them. */
static void spread(struct warp *warp, uint32_t first, uint32_t width, const struct compiled_linear *linear)
{
	char *lanes = warp->base->registers + linear->slot;
	uint64_t value = 0;
	memcpy(&value, lanes + (size_t)first * linear->size_B, linear->size_B);
	for (uint32_t l = 1; l < width; l++) {
		value += (uint64_t)linear->stride;
		memcpy(lanes + (size_t)(first + l) * linear->size_B, &value, linear->size_B);
	}
}

/* Sets where the interpreter has to continue the lanes of a part that has not run from its entry on. */
static void hand_over_entry(struct warp *warp, uint32_t live, uint32_t number, const struct compiled_entry *entry)
{
	if (!number && warp->base->code->reads_unset)
		memset(warp->base->registers, 0, warp->base->code->register_B);
	leave(warp, live, number ? entry->barrier + 1 : 0);
}

/* Sets the pc of a part's lanes, and their registers, to where the interpreter has to continue.  Returns the lanes
 * that have not ended, as bits of the warp. */
static uint32_t hand_over_part(struct group *group, struct warp *warp, uint32_t part)
{
	const struct compiled *compiled = group->compiled;
	const uint32_t first = part * compiled->width % LANES, at = group->at[part];
	const uint32_t live = group->part_lanes[part] << first;
	if (at == COMPILED_DONE)
		return 0;
	if (at == COMPILED_LEFT)
		return live;
	/* The part waits at a barrier, whose own instruction the interpreter continues with, or has not begun to run
	 * from there. */
	const uint32_t number = at & ~(uint32_t)COMPILED_WAITS;
	const struct compiled_entry *entry = &compiled->entries[number];
	for (uint32_t i = 0; i < entry->linear_count; i++)
		spread(warp, first, compiled->width, &entry->linear[i]);
	if (at & COMPILED_WAITS)
		leave(warp, live, entry->barrier);
	else
		hand_over_entry(warp, live, number, entry);
	return live;
}

/* Hands all parts of a group over to the interpreter. */
static void hand_over(struct group *group)
{
	const uint32_t parts = part_count(group, group->compiled), each = LANES / group->compiled->width;
	group->live_count = 0;
	for (uint32_t i = 0; i < group->warp_count; i++) {
		struct warp *warp = &group->warps[i];
		warp->live = 0;
		for (uint32_t p = i * each; p < (i + 1) * each && p < parts; p++)
			warp->live |= hand_over_part(group, warp, p);
		group->live_count += (uint32_t)__builtin_popcount(warp->live);
		warp->base->lanes = warp->live;
		warp->turn = 0;
		memset(warp->lane_turn, 0, sizeof(warp->lane_turn));
		for (unsigned l = 0; l < LANES; l++)
			warp->lane_frame[l] = warp->base;
	}
	group->compiled = NULL;
	group->in_base = group->as_started = false;
	group->was_left = !group->only_waits;
	group->only_waits = false;
}

/* --- taking a group over from the interpreter ---------- */

/* Whether the lanes of a part have what compiled code expects in a linear register, of which it loads the first lane's
 * value.  It leaves a part to the interpreter where such a value wraps around between two lanes. */
static bool is_linear(const struct warp *warp, uint32_t first, uint32_t lanes, const struct compiled_linear *linear)
{
	const char *at = warp->base->registers + linear->slot;
	const uint64_t size_mask = linear->size_B < 8 ? (UINT64_C(1) << 8 * linear->size_B) - 1 : UINT64_MAX;
	uint64_t expected = 0;
	memcpy(&expected, at + (size_t)first * linear->size_B, linear->size_B);
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		uint64_t found = 0;
		memcpy(&found, at + (size_t)(first + exec_lowest(rest)) * linear->size_B, linear->size_B);
		if (found != expected)
			return false;
		expected = (expected + (uint64_t)linear->stride) & size_mask;
	}
	return true;
}

/* The entry behind a plain barrier from which all lanes of the group are to continue; 0 if there is none. */
static uint32_t common_entry(const struct group *group, const struct compiled *compiled)
{
	const uint32_t pc = group->warps[0].lane_pc[0];
	uint32_t number = 1;
	while (number < compiled->entry_count &&
	       !(compiled->entries[number].plain && compiled->entries[number].barrier + 1 == pc))
		number++;
	if (number >= compiled->entry_count)
		return 0;
	for (uint32_t i = 0; i < group->warp_count; i++) {
		const struct warp *warp = &group->warps[i];
		for (uint32_t rest = warp->live; rest; rest &= rest - 1) {
			const unsigned l = exec_lowest(rest);
			if (warp->lane_pc[l] != pc || warp->lane_frame[l] != warp->base)
				return 0;
		}
		if (warp->parked || warp->meeting)
			return 0;
	}
	return number;
}

static bool is_as_expected(const struct group *group, const struct compiled *compiled,
			   const struct compiled_entry *entry)
{
	for (uint32_t p = 0; p < part_count(group, compiled); p++) {
		const struct warp *warp = &group->warps[p * compiled->width / LANES];
		const uint32_t lanes = whole_part(group, p, compiled->width);
		for (uint32_t i = 0; i < entry->linear_count; i++)
			if (!is_linear(warp, p * compiled->width % LANES, lanes, &entry->linear[i]))
				return false;
	}
	return true;
}

atomic_uint_fast64_t compiled_taken_count;

void compiled_group_take(struct group *group, const struct compiled *compiled)
{
	const uint32_t number = common_entry(group, compiled);
	if (!number || !is_as_expected(group, compiled, &compiled->entries[number]) || !make_room(group, compiled))
		return;
	group->since_ns = 0;
	group->tired_count = 0;
	group->ready = group->as_started = false;
	group->compiled = compiled;
	for (uint32_t p = 0; p < part_count(group, compiled); p++) {
		group->at[p] = (uint16_t)number;
		group->part_lanes[p] = whole_part(group, p, compiled->width);
	}
	for (uint32_t i = 0; i < group->warp_count; i++)
		group->warps[i].banks.bank[BANK_REGISTER] = group->warps[i].base->registers;
	atomic_fetch_add_explicit(&compiled_taken_count, 1, memory_order_relaxed);
}

/* --- launches that are watched ---------- */

/* Tells the watcher of a barrier if all work-items of the group wait there.  False: barrier has to be told. */
static bool tell_barrier_of_all(struct group *group, uint32_t parts)
{
	const struct exec_watch *watch = group->job->watch;
	const struct compiled_entry *entry = &group->compiled->entries[group->at[0] & ~COMPILED_WAITS];
	uint32_t left = group->thread_count;
	for (uint32_t p = 0; p < parts; p++) {
		if (group->at[p] != group->at[0])
			return false;
		/* To count bits is a call here. */
		const uint32_t lanes = group->part_lanes[p];
		left -= lanes == MASK_ALL ? LANES : (uint32_t)__builtin_popcount(lanes);
	}
	return !left && watch->barrier_of_all &&
	       watch->barrier_of_all(group, &group->compiled->code->ops[entry->barrier]);
}

/* Tells the watcher of a barrier that all parts wait at.  The warps are as they are in the interpreter at that time. */
static void tell_barrier(struct group *group, uint32_t parts)
{
	if (tell_barrier_of_all(group, parts))
		return;
	group->as_started = false;
	group->live_count = 0;
	for (uint32_t p = 0; p < parts; p++) {
		struct warp *warp = &group->warps[p];
		warp->live = warp->parked = group->at[p] == COMPILED_DONE ? 0 : group->part_lanes[p];
		memset(warp->lane_barrier, 0, sizeof(warp->lane_barrier));
		if (warp->live)
			leave(warp, warp->live, group->compiled->entries[group->at[p] & ~COMPILED_WAITS].barrier);
		group->live_count += (uint32_t)__builtin_popcount(warp->live);
	}
	WATCH(group->job, barrier, group, 0);
	for (uint32_t p = 0; p < parts; p++)
		group->warps[p].parked = 0;
}

/* Runs part `first` and those behind it that are at the same entry, in one call of its code.  *next_out: the first one
 * that was not run, since it is elsewhere, or watched code has left the one before to the interpreter.  False for a
 * fault. */
static bool run_some(struct group *group, uint32_t first, uint32_t parts, uint32_t *next_out)
{
	const uint32_t at = group->at[first];
	uint32_t next = first + 1;
	while (next < parts && group->at[next] == at)
		next++;
	*next_out = next;
	if (at >= COMPILED_FAULT)
		return true;
	const uint32_t state = group->compiled->entries[at].run(group, first, next);
	for (uint32_t p = first; p < next && state != COMPILED_DONE; p++)
		if (group->at[p] == COMPILED_LEFT)
			*next_out = next = p + 1;
	return state != COMPILED_FAULT;
}

/* Runs the parts in turn, up to one that is left to the interpreter, which continues with the same warp.  The order is
 * the interpreter's: the warp that comes to a barrier last goes on first.  False for a fault. */
static bool run_in_turn(struct group *group, uint32_t parts, bool *left_out)
{
	const uint32_t start = group->next_warp;
	*left_out = false;
	for (unsigned turn = 0; turn < 2 && !*left_out; turn++) {
		const uint32_t end = turn ? start : parts;
		for (uint32_t first = turn ? 0 : start, next; first < end && !*left_out; first = next) {
			const bool runs = group->at[first] < COMPILED_FAULT;
			if (!run_some(group, first, end, &next))
				return false;
			const uint32_t last = next - 1, at = group->at[last];
			*left_out = at == COMPILED_LEFT;
			if (runs)
				group->next_warp = at != COMPILED_DONE ? last : next % parts;
		}
	}
	return true;
}

/* --- the run ---------- */

/* What a group does once all its parts wait, have ended or were left to the interpreter. */
enum standing { STANDING_DONE, STANDING_GOES_ON, STANDING_LEFT };

/* If all parts wait at plain barriers or have ended, lets those that wait continue.  STANDING_LEFT if one was left to
 * the interpreter or waits at another kind of barrier. */
static enum standing pass_barrier(struct group *group, uint32_t parts)
{
	enum standing standing = STANDING_DONE;
	for (uint32_t p = 0; p < parts; p++) {
		const uint32_t at = group->at[p];
		if (at == COMPILED_DONE)
			continue;
		if (at == COMPILED_LEFT || !group->compiled->entries[at & ~COMPILED_WAITS].plain)
			return STANDING_LEFT;
		standing = STANDING_GOES_ON;
	}
	if (standing == STANDING_GOES_ON && watch_in_order(group->job))
		tell_barrier(group, parts);
	for (uint32_t p = 0; p < parts && standing == STANDING_GOES_ON; p++)
		if (group->at[p] != COMPILED_DONE)
			group->at[p] &= (uint16_t)~COMPILED_WAITS;
	return standing;
}

/* Runs all parts that can run.  False for a fault. */
static bool run_parts(struct group *group, uint32_t parts)
{
	for (uint32_t first = 0, next; first < parts; first = next)
		if (!run_some(group, first, parts, &next))
			return false;
	return true;
}

enum group_state compiled_group_run(struct group *group)
{
	const uint32_t parts = part_count(group, group->compiled);
	if (group->ready) {
		const uint32_t state = group->compiled->entries[0].run(group, 0, parts);
		group->ahead = 0;
		if (state == COMPILED_DONE)
			return GROUP_DONE;
		group->ready = false;
		if (state == COMPILED_FAULT)
			return GROUP_FAULT;
	}
	for (;;) {
		bool left = false;
		if (!(watch_in_order(group->job) ? run_in_turn(group, parts, &left) : run_parts(group, parts)) ||
		    atomic_load_explicit(&group->job->stop, memory_order_relaxed))
			return GROUP_FAULT;
		const enum standing standing = left ? STANDING_LEFT : pass_barrier(group, parts);
		if (standing == STANDING_DONE) {
			group->live_count = 0;
			WATCH(group->job, group_over, group);
			return GROUP_DONE;
		}
		if (standing == STANDING_LEFT) {
			hand_over(group);
			return GROUP_RUNS;
		}
	}
}
