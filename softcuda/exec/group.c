#include "config.h"

#include "softcuda/exec/access.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/barrier.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/exec/level.h"
#include "softcuda/exec/warp.h"
#include "softcuda/exec/watch.h"

#include <stdarg.h>
#include <stdlib.h>

/* SHARED_ALIGN_B: of a work-group's shared memory, so that rows of its words are in as few lines of the cache, and
 * blocks of the race checker (check/shadow.h), as can be. */
enum { WARP_TURN = 1 << 14, SHARED_ALIGN_B = 128 };
/* One in so many barriers of a group is looked for machine code at. */
enum { LOOKED_EACH = 8 };

static void warp_init(struct warp *warp, struct group *group, uint32_t index)
{
	const uint32_t *block = group->job->launch->block;
	uint32_t first = index * LANES;
	warp->group = group;
	warp->watched = group->job->watch;
	warp->access = warp->watched ? exec_level()->access_watched : exec_level()->access_plain;
	warp->index = index;
	warp->banks.bank[BANK_CONSTANT] = group->job->program->constants;
	warp->banks.bank[BANK_LAUNCH] = group->job->constants;
	uint32_t x = first % block[0], y = first / block[0] % block[1];
	uint32_t z = first / block[0] / block[1];
	for (uint32_t l = 0; l < LANES; l++) {
		warp->tid[0][l] = x;
		warp->tid[1][l] = y;
		warp->tid[2][l] = z;
		if (++x == block[0]) {
			x = 0;
			z += ++y == block[1];
			y = y == block[1] ? 0 : y;
		}
	}
}

static bool warp_start(struct warp *warp)
{
	uint32_t lanes = warp->group->thread_count - warp->index * LANES;
	struct frame *frame = warp->base;
	if (!frame)
		frame = warp->base = warp_frame_create(warp, warp->group->job->code_index, NULL);
	if (!frame)
		return false;
	for (unsigned l = 0; frame->tops && l < LANES; l++)
		frame->tops[l] = frame->extent_B;
	if (frame->code->reads_unset)
		memset(frame->registers, 0, frame->code->register_B);
	warp->live = lanes >= LANES ? MASK_ALL : (1u << lanes) - 1;
	warp->parked = warp->meeting = warp->carry = 0;
	memset(warp->lane_pc, 0, sizeof(warp->lane_pc));
	warp->turn = 0;
	memset(warp->lane_turn, 0, sizeof(warp->lane_turn));
	frame->lanes = warp->live;
	warp->copies.count = 0;
	memset(warp->copies.groups, 0, sizeof(warp->copies.groups));
	for (uint32_t l = 0; l < LANES; l++)
		warp->lane_frame[l] = frame;
	return true;
}

struct group *group_create(struct job *job)
{
	const uint32_t *block = job->launch->block;
	struct group *group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->job = job;
	group->thread_count = block[0] * block[1] * block[2];
	group->warp_count = (group->thread_count + LANES - 1) / LANES;
	group->free_frames = calloc(job->program->code_count, sizeof(struct frame *));
	group->shared = aligned_alloc(SHARED_ALIGN_B, ((size_t)job->shared_B / SHARED_ALIGN_B + 1) * SHARED_ALIGN_B);
	group->warps = calloc(group->warp_count, sizeof(*group->warps));
	if (!group->free_frames || !group->shared || !group->warps) {
		group_destroy(group);
		return NULL;
	}
	for (uint32_t i = 0; i < group->warp_count; i++)
		warp_init(&group->warps[i], group, i);
	return group;
}

bool group_start(struct group *group, const uint32_t ctaid[3])
{
	memcpy(group->ctaid, ctaid, sizeof(group->ctaid));
	group->live_count = group->thread_count;
	group->next_warp = 0;
	group->was_left = false;
	memset(group->shared, 0, group->job->shared_B);
	const struct compiled *compiled =
		group->job->late ? NULL : atomic_load_explicit(&group->job->compiled, memory_order_acquire);
	if (compiled)
		return compiled_group_start(group, compiled);
	memset(group->barriers, 0, sizeof(group->barriers));
	group->compiled = NULL;
	group->as_started = false;
	for (uint32_t i = 0; i < group->warp_count; i++)
		if (!warp_start(&group->warps[i]))
			return false;
	WATCH(group->job, group_end, group);
	group_clear_local(group);
	return WATCH_ASK(group->job, group_begin, group);
}

static void warp_finish(struct warp *warp)
{
	/* Lanes that have ended by a fault still have their frames. */
	for (unsigned l = 0; l < LANES; l++) {
		struct frame *frame = warp->live >> l & 1 ? warp->lane_frame[l] : NULL;
		while (frame) {
			struct frame *parent = frame->parent;
			if (frame->lanes >> l & 1)
				warp_frame_leave(warp, frame, 1u << l);
			frame = parent;
		}
	}
	free(warp->copies.items);
	free(warp->local);
	free(warp->base);
}

void group_destroy(struct group *group)
{
	if (!group)
		return;
	for (uint32_t i = 0; group->warps && i < group->warp_count; i++)
		if (group->warps[i].group)
			warp_finish(&group->warps[i]);
	for (uint32_t i = 0; group->free_frames && i < group->job->program->code_count; i++) {
		for (struct frame *frame = group->free_frames[i], *next; frame; frame = next) {
			next = frame->parent;
			free(frame);
		}
	}
	WATCH(group->job, group_end, group);
	compiled_group_finish(group);
	free(group->free_frames);
	free(group->warps);
	free(group->shared);
	free(group);
}

static void release_lane(struct warp *warp, const struct barrier *barrier, unsigned l)
{
	const struct frame *frame = warp->lane_frame[l];
	const struct op *op = &frame->code->ops[warp->lane_pc[l]];
	if (op->writes) {
		lane_u32 *to = (lane_u32 *)(void *)(frame->registers +
						    (op->x[0] & OPERAND_OFFSET_MASK));
		bool bit = op->mode == BARRIER_AND ? barrier->all : barrier->any;
		if (op->mode == BARRIER_POPC)
			to[l] = barrier->popc;
		else
			*to = (*to & ~(1u << l)) | (uint32_t)bit << l;
	}
	warp->lane_pc[l]++;
	warp->parked &= ~(1u << l);
}

/* At a barrier that all work-items of a group have passed: has machine code continue the group, if there is some by
 * now.  Otherwise a work-group that runs for long, of which others may be as many as there are threads, would be
 * interpreted to its end.  Code that has left the group to the interpreter would do so again, which costs little only
 * where it left a loop that does nothing but wait. */
static void change_over(struct group *group)
{
	struct job *job = group->job;
	if (!job->tier || job->watch || group->was_left || group->live_count != group->thread_count)
		return;
	if (++group->passed_count % LOOKED_EACH == 0)
		job->look(job);
	const struct compiled *compiled = atomic_load_explicit(&job->compiled, memory_order_acquire);
	if (compiled)
		compiled_group_take(group, compiled);
}

void group_barrier_check(struct group *group, uint32_t id)
{
	struct barrier *barrier = &group->barriers[id];
	uint32_t expected = barrier->expected ? barrier->expected : group->live_count;
	if (!barrier->arrived || barrier->arrived < expected)
		return;
	WATCH(group->job, barrier, group, id);
	for (uint32_t i = 0; i < group->warp_count; i++) {
		struct warp *warp = &group->warps[i];
		for (uint32_t rest = warp->parked; rest; rest &= rest - 1) {
			unsigned l = exec_lowest(rest);
			if (warp->lane_barrier[l] == id)
				release_lane(warp, barrier, l);
		}
	}
	memset(barrier, 0, sizeof(*barrier));
	if (!id)
		change_over(group);
}

static void describe_waiting(const struct warp *warp, struct bytes *text)
{
	for (unsigned l = 0; l < LANES; l++) {
		const struct frame *frame = warp->lane_frame[l];
		if (!(warp->live >> l & 1) || text->size_B > 1500)
			continue;
		bytes_printf(text, "; work-item (%u,%u,%u) waits at ", warp->tid[0][l],
			     warp->tid[1][l], warp->tid[2][l]);
		exec_describe_line(warp->group->job, frame->code,
				   &frame->code->ops[warp->lane_pc[l]], text);
		bytes_append_string(text, " for ");
		if (warp->parked >> l & 1)
			bytes_printf(text, "barrier %u", warp->lane_barrier[l]);
		else
			bytes_printf(text, "lanes %08x of its warp", warp->lane_members[l]);
	}
}

static void report_deadlock(struct group *group)
{
	struct bytes text = BYTES_INIT;
	struct warp *first = NULL;
	for (uint32_t i = 0; i < group->warp_count; i++) {
		struct warp *warp = &group->warps[i];
		if (!warp->live)
			continue;
		first = first ? first : warp;
		describe_waiting(warp, &text);
	}
	unsigned l = exec_lowest(first->live);
	first->frame = first->lane_frame[l];
	exec_fault(first, &first->frame->code->ops[first->lane_pc[l]], 1u << l,
		   CUDA_ERROR_LAUNCH_TIMEOUT, "a barrier can never complete: %u of %u "
		   "work-items have not ended%s", group->live_count, group->thread_count,
		   bytes_string(&text));
	bytes_finish(&text);
}

/* Runs the group's warps in turn; no other function decides about the order within a group. */
enum group_state group_run(struct group *group, uint64_t budget)
{
	const uint64_t warp_turn = group->job->in_turn ? LONG_TURN : WARP_TURN;
	uint32_t idle = 0;
	while (group->live_count && budget) {
		if (group->compiled) {
			const enum group_state state = compiled_group_run(group);
			if (state != GROUP_RUNS)
				return state;
			continue;
		}
		struct warp *warp = &group->warps[group->next_warp];
		uint64_t turn = budget < warp_turn ? budget : warp_turn, left = turn;
		group->next_warp = (group->next_warp + 1) % group->warp_count;
		if (warp->live & ~warp->parked & ~warp->meeting) {
			if (!warp_run(warp, &left))
				return GROUP_FAULT;
			budget -= turn - left;
			idle = 0;
		} else if (++idle > group->warp_count) {
			report_deadlock(group);
			return GROUP_FAULT;
		}
		if (atomic_load_explicit(&group->job->stop, memory_order_relaxed))
			return GROUP_FAULT;
	}
	return group->live_count ? GROUP_RUNS : GROUP_DONE;
}
