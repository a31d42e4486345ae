#include "config.h"

#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

#include "base/cache_line.h"

#include <stdlib.h>

enum {
	/* Instructions that a path runs while other lanes of the warp could run. */
	PATH_TURN = 4096,
	/* What an iteration of a loop that only waits takes of a turn, besides its instructions: after some of them,
	 * others may do what it waits for. */
	POLL = 1 << 10,
	/* Instructions after which a lane that could run is preferred for a turn: a loop with branches may never end
	 * its turn. */
	PATIENCE = 1 << 16,
	CALL_DEPTH_MAX = 20000
};

static unsigned oldest_of(const struct warp *warp, uint32_t lanes)
{
	unsigned oldest = exec_lowest(lanes);
	for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		oldest = warp->lane_turn[l] < warp->lane_turn[oldest] ? l : oldest;
	}
	return oldest;
}

/* Of the lanes that can run, the one with the deepest frame and the lowest pc. */
static unsigned first_of(const struct warp *warp, uint32_t lanes)
{
	unsigned leader = exec_lowest(lanes);
	for (uint32_t rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		uint32_t depth = warp->lane_frame[l]->depth;
		uint32_t leader_depth = warp->lane_frame[leader]->depth;
		if (depth > leader_depth || (depth == leader_depth &&
					     warp->lane_pc[l] < warp->lane_pc[leader]))
			leader = l;
	}
	return leader;
}

/* Chooses the lanes that run next; no other function decides about the order within a warp. preferred: one of these
 * lanes is chosen if it can run; oldest: the lane that has waited longest is.  Sets warp->frame and pc. *merge_out:
 * the lowest pc above it at which lanes of the same frame wait.  Returns the lanes; 0: none can run. */
static uint32_t choose(struct warp *warp, bool oldest, uint32_t preferred, uint32_t *merge_out)
{
	uint32_t ready = warp->live & ~warp->parked & ~warp->meeting;
	if (!ready)
		return 0;
	const uint32_t leaders = ready & preferred ? ready & preferred : ready;
	unsigned leader = oldest ? oldest_of(warp, leaders) : first_of(warp, leaders);
	struct frame *frame = warp->lane_frame[leader];
	uint32_t pc = warp->lane_pc[leader], chosen = 0, merge = PC_NONE;
	for (uint32_t rest = ready; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (warp->lane_frame[l] != frame)
			continue;
		if (warp->lane_pc[l] == pc)
			chosen |= 1u << l;
		else if (warp->lane_pc[l] > pc && warp->lane_pc[l] < merge)
			merge = warp->lane_pc[l];
	}
	/* The turn ends where other lanes wait, at merge or in another frame. */
	warp->frame = frame;
	warp->pc = pc;
	warp->banks.bank[BANK_REGISTER] = frame->registers;
	*merge_out = merge;
	return chosen;
}

/* Whether all lanes can run and are at one place, which is the usual case and needs no choice. */
static bool is_together(const struct warp *warp)
{
	const uint32_t pc = warp->lane_pc[0];
	const struct frame *frame = warp->lane_frame[0];
	uint32_t others = 0;
	uintptr_t other_frames = 0;
	if ((warp->live & ~warp->parked & ~warp->meeting) != MASK_ALL)
		return false;
	for (unsigned l = 0; l < LANES; l++) {
		others |= warp->lane_pc[l] ^ pc;
		other_frames |= (uintptr_t)warp->lane_frame[l] ^ (uintptr_t)frame;
	}
	return !others && !other_frames;
}

static void set_pc(struct warp *warp, uint32_t lanes, uint32_t pc)
{
	if (lanes == MASK_ALL) {
		for (unsigned l = 0; l < LANES; l++)
			warp->lane_pc[l] = pc;
		return;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		warp->lane_pc[exec_lowest(rest)] = pc;
}

enum path_end { PATH_CHOOSE, PATH_TURN_OVER, PATH_FAULT };

/* Runs the chosen lanes together from warp->pc on. */
static enum path_end run_path(struct warp *warp, uint32_t mask, uint32_t merge, uint64_t turn,
			      uint64_t *used)
{
	const struct op *ops = warp->frame->code->ops;
	uint32_t pc = warp->pc;
	uint64_t left = turn;
	enum path_end end = PATH_CHOOSE;
	while (left) {
		const struct op *op = &ops[pc];
		uint32_t active = mask;
		left--;
		if (op->guard != OPERAND_NONE) {
			uint32_t guard = op_predicate(warp, op->guard);
			active &= op->guard_negated ? ~guard : guard;
			if (!active) {
				if (++pc >= merge)
					goto park;
				continue;
			}
		}
		warp->pc = pc;
		switch (op->run(warp, op, active)) {
		case FLOW_NEXT:
			pc++;
			break;
		case FLOW_POLL:
			left -= left < POLL ? left : POLL;
			/* fallthrough */
		case FLOW_JUMP:
			if (active != mask) {
				set_pc(warp, active, op->target);
				set_pc(warp, mask & ~active, pc + 1);
				goto done;
			}
			pc = op->target;
			break;
		case FLOW_SCHEDULE:
			set_pc(warp, mask & ~active, pc + 1);
			goto done;
		case FLOW_FAULT:
			end = PATH_FAULT;
			goto done;
		}
		if (pc >= merge)
			goto park;
	}
	end = PATH_TURN_OVER;
park:
	set_pc(warp, mask, pc);
done:
	*used += turn - left;
	return end;
}

/* Which lanes are preferred, until when, and when that is decided again. */
struct preference {
	uint32_t lanes;
	uint64_t until, again;
};

static void prefer(const struct warp *warp, struct preference *preference)
{
	const uint64_t now = warp->turn, patience = warp->group->job->in_turn ? LONG_TURN : PATIENCE;
	if (preference->lanes && now >= preference->until)
		preference->lanes = 0;
	if (now < preference->again)
		return;
	preference->again = now + patience / 4;
	uint32_t ready = warp->live & ~warp->parked & ~warp->meeting;
	if (!ready)
		return;
	unsigned oldest = oldest_of(warp, ready);
	if (now - warp->lane_turn[oldest] < patience)
		return;
	preference->until = now + PATH_TURN;
	for (uint32_t rest = ready; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (warp->lane_turn[l] == warp->lane_turn[oldest])
			preference->lanes |= 1u << l;
	}
}

/* All lanes continue from their place. */
static void run_together(struct warp *warp, uint32_t *merge_out)
{
	warp->frame = warp->lane_frame[0];
	warp->pc = warp->lane_pc[0];
	warp->banks.bank[BANK_REGISTER] = warp->frame->registers;
	*merge_out = PC_NONE;
}

/* Notes that these lanes have just run. */
static void note_turn(struct warp *warp, uint32_t lanes)
{
	if (lanes == MASK_ALL) {
		for (unsigned l = 0; l < LANES; l++)
			warp->lane_turn[l] = warp->turn;
		return;
	}
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		warp->lane_turn[exec_lowest(rest)] = warp->turn;
}

bool warp_run(struct warp *warp, uint64_t *budget)
{
	const uint64_t path_turn = warp->group->job->in_turn ? LONG_TURN : PATH_TURN;
	bool oldest = false;
	struct preference preference = {0, 0, warp->turn};
	while (*budget) {
		uint32_t merge, lanes = MASK_ALL;
		if (is_together(warp)) {
			run_together(warp, &merge);
		} else {
			prefer(warp, &preference);
			lanes = choose(warp, oldest, preference.lanes, &merge);
		}
		uint64_t used = 0, turn = *budget;
		if (!lanes)
			return true;
		uint32_t others = warp->live & ~warp->parked & ~warp->meeting & ~lanes;
		if (others && turn > path_turn)
			turn = path_turn;
		enum path_end end = run_path(warp, lanes, merge, turn, &used);
		*budget -= used;
		/* A path that ended its turn without meeting others may be waiting for lanes that have not had a
		 * turn. */
		warp->turn += used;
		note_turn(warp, lanes & ~warp->put_off);
		warp->put_off = 0;
		oldest = end == PATH_TURN_OVER && others;
		if (end == PATH_FAULT)
			return false;
		if (warp->group->compiled)
			return true;
	}
	return true;
}

bool warp_grow_local(struct warp *warp, uint64_t needed_B)
{
	/* An odd number of cache lines, so that what lanes have at the same offset is not all in the same few sets of a
	 * cache. */
	uint64_t stride_B = CACHE_LINE_B;
	if (needed_B > LOCAL_MAX_B)
		return false;
	if (needed_B <= warp->local_stride_B)
		return true;
	while (stride_B < needed_B)
		stride_B = 2 * stride_B | CACHE_LINE_B;
	char *local = calloc(LANES, stride_B);
	if (!local)
		return false;
	for (unsigned l = 0; l < LANES && warp->local; l++)
		memcpy(local + l * stride_B, warp->local + (size_t)l * warp->local_stride_B,
		       warp->local_stride_B);
	free(warp->local);
	warp->local = local;
	warp->local_stride_B = (uint32_t)stride_B;
	return true;
}

static void clear_local(struct warp *warp)
{
	const size_t size_B = warp->dirty_end_B - warp->dirty_start_B;
	if (warp->local && (!warp->dirty_known || 2 * size_B > warp->local_stride_B))
		memset(warp->local, 0, (size_t)LANES * warp->local_stride_B);
	else
		for (unsigned l = 0; warp->local && size_B && l < LANES; l++)
			memset(warp->local + (size_t)l * warp->local_stride_B + warp->dirty_start_B, 0, size_B);
	warp->dirty_known = false;
}

void group_clear_local(struct group *group)
{
	const struct code *code = group->job->code;
	const bool has_local = code->local_B || code->site_count || code->calls_indirectly || code->moves_stack;
	for (uint32_t i = 0; has_local && i < group->warp_count; i++)
		clear_local(&group->warps[i]);
}

enum { STACK_ALIGN_B = 16 };

struct frame *warp_frame_create(struct warp *warp, uint32_t code_index, struct frame *parent)
{
	struct group *group = warp->group;
	const struct code *code = &group->job->program->codes[code_index];
	uint32_t depth = parent ? parent->depth + 1 : 0;
	uint64_t local_B = parent ? parent->extent_B : 0;
	/* PTX ISA 9.0, 5.4.5: a variable's address is a multiple of its .align, in functions too. */
	const uint64_t align_B = code->local_align_B > STACK_ALIGN_B ? code->local_align_B
								     : STACK_ALIGN_B;
	local_B = (local_B + align_B - 1) & ~(align_B - 1);
	if (depth > CALL_DEPTH_MAX)
		return NULL;
	if (code->local_B && !warp_grow_local(warp, local_B + code->local_B))
		return NULL;
	struct frame *frame = group->free_frames[code_index];
	if (frame) {
		group->free_frames[code_index] = frame->parent;
	} else {
		enum { HEAD_B = 128 };
		_Static_assert(sizeof(struct frame) <= HEAD_B, "a frame's head");
		const size_t registers_B = ((size_t)code->register_B + 63) & ~(size_t)63;
		const size_t tops_B = code->moves_stack ? LANES * sizeof(*frame->tops) : 0;
		size_t size_B = HEAD_B + registers_B + tops_B;
		frame = aligned_alloc(64, size_B);
		if (!frame)
			return NULL;
		memset(frame, 0, size_B);
		frame->registers = (char *)frame + HEAD_B;
		if (tops_B)
			frame->tops = (void *)(frame->registers + registers_B);
	}
	frame->parent = parent;
	frame->code = code;
	frame->site = NULL;
	frame->depth = depth;
	frame->local_B = (uint32_t)local_B;
	frame->extent_B = (uint32_t)local_B + code->local_B;
	for (unsigned l = 0; frame->tops && l < LANES; l++)
		frame->tops[l] = frame->extent_B;
	return frame;
}

void warp_frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes)
{
	frame->lanes &= ~lanes;
	if (frame->lanes || frame == warp->base)
		return;
	struct frame **list =
		&warp->group->free_frames[frame->code - warp->group->job->program->codes];
	frame->parent = *list;
	*list = frame;
}

/* The lanes of mask whose word is value. */
static uint32_t with_value(const lane_u32 *words, uint32_t value, uint32_t mask)
{
	uint32_t lanes = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		lanes |= words[l] == value ? 1u << l : 0;
	}
	return lanes;
}

uint32_t exec_meet(struct warp *warp, const struct op *op, uint32_t mask, unsigned members,
		   bool anywhere)
{
	const lane_u32 *wanted = OPERAND(const lane_u32, members);
	uint32_t value = wanted[exec_lowest(mask)], here = with_value(wanted, value, mask);
	/* Of lanes with other members, those that have not run for longest meet first; the others do not count as
	 * having run.  Otherwise, lanes that come here again and again could always meet before one that never does. */
	if (here != mask) {
		value = wanted[oldest_of(warp, mask)];
		here = with_value(wanted, value, mask);
		warp->put_off = mask & ~here;
	}
	const uint32_t needed = value & warp->live;
	WATCH(warp->group->job, members, warp, op, mask, wanted);
	if (here == mask && !(needed & ~mask)) {
		WATCH(warp->group->job, meet, warp, mask);
		return mask;
	}
	/* Lanes that come with other members meet by themselves, and try again immediately. */
	set_pc(warp, mask, warp->pc);
	uint32_t there = here;
	for (uint32_t rest = warp->meeting; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		bool same = warp->lane_members[l] == value &&
			    (anywhere || (warp->lane_frame[l]->code == warp->frame->code &&
					  warp->lane_pc[l] == warp->pc));
		there |= same ? 1u << l : 0;
	}
	if (!(needed & ~there)) {
		warp->meeting &= ~there;
		WATCH(warp->group->job, meet, warp, there);
		return there;
	}
	warp->meeting |= here;
	for (uint32_t rest = here; rest; rest &= rest - 1)
		warp->lane_members[exec_lowest(rest)] = value;
	return 0;
}

enum flow exec_meet_done(struct warp *warp, uint32_t mask, uint32_t met)
{
	if (met == mask)
		return FLOW_NEXT;
	for (uint32_t rest = met; rest; rest &= rest - 1)
		warp->lane_pc[exec_lowest(rest)]++;
	return FLOW_SCHEDULE;
}
