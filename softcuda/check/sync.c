/* A work-group that is checked, and the operations of its work-items on which they have to agree. */
#include "config.h"

#include "softcuda/check/job.h"
#include "softcuda/check/spare.h"

#include <stdlib.h>

/* Allocates what a work-group of the job needs; false when out of memory. */
static bool allocate(struct check_group *check, const struct group *group)
{
	const uint32_t lanes = group->warp_count * LANES, chunks = group->job->shared_B / CHECK_CHUNK_B + 1;
	check->warp_count = group->warp_count;
	check->written = malloc(group->job->shared_B ? group->job->shared_B : 1);
	check->locals = calloc(group->warp_count, sizeof(*check->locals));
	check->orders = malloc(lanes);
	check->copies.lanes = calloc(lanes, sizeof(*check->copies.lanes));
	check->put_off.written = calloc(6 * (size_t)chunks, sizeof(*check->put_off.written));
	check->put_off.accessed = check->put_off.written ? check->put_off.written + chunks : NULL;
	check->put_off.direct = check->put_off.written ? check->put_off.accessed + chunks : NULL;
	check->put_off.atomic = check->put_off.written ? check->put_off.direct + chunks : NULL;
	check->put_off.direct_read = check->put_off.written ? check->put_off.atomic + chunks : NULL;
	check->put_off.distance = check->put_off.written ? check->put_off.direct_read + chunks : NULL;
	check->put_off.owner = calloc(check_put_off_words(group->job), sizeof(*check->put_off.owner));
	/* A granule has whole chunks. */
	for (check->granule = 5; group->job->shared_B > UINT64_C(64) << check->granule;)
		check->granule++;
	if (group->job->shared_B) {
		check->put_off.accesses = spare_take(SPARE_LATER);
		check->put_off.atomics = spare_take(SPARE_ATOMICS);
		check->put_off.scatters = spare_take(SPARE_SCATTERS);
		if (!check->put_off.accesses || !check->put_off.atomics || !check->put_off.scatters)
			return false;
	}
	return check->written && check->locals && check->orders && check->copies.lanes && check->put_off.written &&
	       check->put_off.owner;
}

/* Only races are looked for by what is ordered. */
static bool orders_matter(const struct check_group *check)
{
	return check->job->options & CHECK_RACE;
}

/* Forgets what is noted of a warp's private memory and of what it copies, and tells machine code so.  True: the warp
 * has no memory for such notes. */
static bool begin_warp(const struct check_group *check, struct warp *warp)
{
	struct check_local *local = &check->locals[warp->index];
	if (local->stride_B != warp->local_stride_B) {
		free(local->written);
		local->written = NULL;
		local->stride_B = 0;
	} else if (local->written) {
		const size_t size_B = (local->used.end - local->used.start) * sizeof(*local->written);
		memset(local->written + local->used.start, check->job->options & CHECK_UNINIT ? 0 : 0xff, size_B);
		memset(local->gap + local->used.start, 0, size_B);
	}
	local->used = (struct range){0, 0};
	for (unsigned l = 0; l < LANES && local->copied_count; l++)
		local->copied[l].count = 0;
	local->copied_count = local->variable_count = local->next_variable = 0;
	check_local_tell(warp);
	return !local->written;
}

/* The same of all warps, unless nothing was noted since that was done for the work-group before. */
static void begin_private(struct check_group *check, struct group *group)
{
	bool none = true;
	if (check->told == group && group->told_by == check)
		return;
	for (uint32_t i = 0; i < group->warp_count; i++)
		none &= begin_warp(check, &group->warps[i]);
	check->told = none ? group : NULL;
	group->told_by = check;
}

/* Forgets what the work-group before has done. */
static bool begin(struct check_group *check, struct group *group)
{
	const uint32_t lanes = group->warp_count * LANES;
	check->group = group;
	check->open = check->open_granules = 0;
	check->grown = (struct range){0, 0};
	memset(check->written, BYTE_UNWRITTEN, group->job->shared_B);
	memset(check->orders, ORDERS_ALL, lanes);
	if (check->copies.used)
		memset(check->copies.lanes, 0, lanes * sizeof(*check->copies.lanes));
	check->copies.used = false;
	check->copies.count = 0;
	check_put_off_forget(check);
	group->shared_end = check->put_off.accesses ? check->put_off.accesses + CHECK_LATER_MAX : NULL;
	begin_private(check, group);
	check_quiet_group(group);
	shadow_clear(&check->shared);
	check->begun = true;
	for (unsigned m = 0; m < CHECK_MEMORIES && check->begun && orders_matter(check); m++)
		check->begun = check_clocks_init(&check->clocks[m], &check->job->epochs, check->number, lanes);
	return check->begun;
}

bool check_group_create(struct group *group)
{
	const uint32_t *grid = group->job->launch->grid;
	const uint32_t number = group->ctaid[0] + grid[0] * (group->ctaid[1] + grid[1] * group->ctaid[2]);
	struct check_job *job = check_job_of(group->job, number);
	const bool is_new = job && !job->spare;
	struct check_group *check = is_new ? calloc(1, sizeof(*check)) : job ? job->spare : NULL;
	if (!check)
		return false;
	job->spare = NULL;
	group->watched = check;
	check->job = job;
	check->group = group;
	check->number = number;
	return (!is_new || allocate(check, group)) && begin(check, group);
}

/* Tells where private memory has to be cleared for the next work-group: all writes are noted if it is asked what was
 * written, and nothing else puts arguments of functions there. */
static void tell_dirty(const struct check_group *check)
{
	const struct code *code = check->job->job->code;
	const bool alone = code->local_B && !code->site_count && !code->calls_indirectly && !code->moves_stack;
	const bool known = check->begun && check->job->options & CHECK_UNINIT && alone;
	for (uint32_t i = 0; known && i < check->warp_count; i++) {
		struct warp *warp = &check->group->warps[i];
		const struct range *used = &check->locals[i].used;
		warp->dirty_known = true;
		warp->dirty_start_B = (uint32_t)used->start;
		warp->dirty_end_B = (uint32_t)used->end;
	}
}

void check_group_destroy(struct check_group *check)
{
	if (!check)
		return;
	tell_dirty(check);
	/* A work-group that could not begin is not whole. */
	if (!check->job->spare && check->begun) {
		check->job->spare = check;
		return;
	}
	check_group_free(check);
}

void check_group_free(struct check_group *check)
{
	for (uint32_t i = 0; check->locals && i < check->warp_count; i++) {
		free(check->locals[i].written);
		for (unsigned l = 0; l < LANES; l++)
			free(check->locals[i].copied[l].items);
	}
	shadow_finish(&check->shared);
	for (unsigned m = 0; m < CHECK_MEMORIES; m++)
		check_clocks_finish(&check->clocks[m]);
	check_copies_finish(&check->copies);
	spare_give_back(SPARE_LATER, check->put_off.accesses);
	spare_give_back(SPARE_ATOMICS, check->put_off.atomics);
	spare_give_back(SPARE_SCATTERS, check->put_off.scatters);
	free(check->put_off.written);
	free(check->put_off.owner);
	free(check->orders);
	free(check->locals);
	free(check->written);
	free(check);
}

static const struct op *next_op(const struct warp *warp, unsigned l)
{
	return &warp->lane_frame[l]->code->ops[warp->lane_pc[l]];
}

/* Notes what lanes have done, before they may know different things of each other.  False: that does not matter, or
 * a fault was noted. */
static bool prepare_orders(struct check_group *check)
{
	return orders_matter(check) && check_put_off_none(check);
}

/* If the clocks ran out of memory, reports that as a fault of a remaining lane. */
static void require(struct warp *warp, const struct op *op, uint32_t lanes, bool right)
{
	if (!right)
		check_fail_memory(warp, op, lanes);
}

void check_fence(struct warp *warp, const struct op *op, uint32_t mask)
{
	struct check_group *check = check_of(warp->group);
	for (uint32_t rest = prepare_orders(check) ? mask : 0; rest; rest &= rest - 1)
		for (unsigned m = 0; m < CHECK_MEMORIES; m++)
			require(warp, op, mask,
				check_clocks_fence(&check->clocks[m],
						   warp->index * LANES + exec_lowest(rest),
						   op->narrow));
}

void check_arrive(struct warp *warp, uint32_t lanes, uint32_t id)
{
	struct check_group *check = check_of(warp->group);
	for (uint32_t rest = prepare_orders(check) ? lanes : 0; rest; rest &= rest - 1)
		for (unsigned m = 0; m < CHECK_MEMORIES; m++)
			require(warp, &warp->frame->code->ops[warp->pc], lanes,
				check_clocks_arrive(&check->clocks[m],
						    warp->index * LANES + exec_lowest(rest), id));
}

void check_meet(struct warp *warp, uint32_t met)
{
	struct check_group *check = check_of(warp->group);
	const bool matter = prepare_orders(check);
	for (unsigned m = 0; m < CHECK_MEMORIES && matter; m++)
		require(warp, &warp->frame->code->ops[warp->pc], met,
			check_clocks_meet(&check->clocks[m], warp->index * LANES,
					  met));
}

/* --- barriers ---------- */

struct waiting {
	uint32_t members[32];             /* a bit for each lane, a word for each warp */
	uint32_t count;
	struct warp *warp;                /* the first warp that waits, and where */
	unsigned l;
	const struct op *op;
	struct warp *other_warp;          /* a warp that waits elsewhere; NULL: there is none */
	unsigned other_l;
};

/* Whether all lanes of a warp wait at the barrier, and at the same op. */
static bool waits_together(const struct warp *warp, uint32_t id)
{
	uint32_t differ = warp->parked ^ MASK_ALL;
	uintptr_t frames = 0;
	for (unsigned l = 0; l < LANES; l++) {
		differ |= (warp->lane_barrier[l] ^ id) | (warp->lane_pc[l] ^ warp->lane_pc[0]);
		frames |= (uintptr_t)warp->lane_frame[l] ^ (uintptr_t)warp->lane_frame[0];
	}
	return !differ && !frames;
}

static void find_waiting(struct group *group, uint32_t id, struct waiting *waiting)
{
	memset(waiting, 0, sizeof(*waiting));
	for (uint32_t i = 0; i < group->warp_count; i++) {
		struct warp *warp = &group->warps[i];
		if (waiting->op && waits_together(warp, id) && next_op(warp, 0) == waiting->op) {
			waiting->members[i] = MASK_ALL;
			waiting->count += LANES;
			continue;
		}
		for (uint32_t rest = warp->parked; rest; rest &= rest - 1) {
			unsigned l = exec_lowest(rest);
			if (warp->lane_barrier[l] != id)
				continue;
			waiting->members[i] |= 1u << l;
			waiting->count++;
			if (!waiting->op) {
				waiting->warp = warp;
				waiting->l = l;
				waiting->op = next_op(warp, l);
			} else if (next_op(warp, l) != waiting->op && !waiting->other_warp) {
				waiting->other_warp = warp;
				waiting->other_l = l;
			}
		}
	}
}

/* For a warp that is not running, its frame is needed to find the place. */
static void report_waiting(struct group *group, const struct waiting *waiting,
			   const struct bytes *text)
{
	struct warp *warp = waiting->warp;
	struct frame *frame = warp->frame;
	warp->frame = warp->lane_frame[waiting->l];
	check_report(check_of(group), warp, waiting->op, waiting->l, "divergent barrier", 0, "%s",
		     check_text(text));
	warp->frame = frame;
}

static void check_divergence(struct group *group, const struct waiting *waiting)
{
	struct bytes text = BYTES_INIT;
	const struct warp *other = waiting->other_warp;
	if (group->live_count < group->thread_count) {
		bytes_printf(&text, "%u of %u work-items ended without reaching the barrier",
			     group->thread_count - group->live_count, group->thread_count);
		report_waiting(group, waiting, &text);
	} else if (other) {
		unsigned l = waiting->other_l;
		bytes_printf(&text, "work-item (%u,%u,%u) reached another barrier, at ",
			     other->tid[0][l], other->tid[1][l], other->tid[2][l]);
		exec_describe_line(group->job, other->lane_frame[l]->code, next_op(other, l),
				   &text);
		report_waiting(group, waiting, &text);
	}
	bytes_finish(&text);
}

/* The kinds of memory that a barrier with these flags orders. */
static unsigned ordered_by(uint32_t flags)
{
	/* CLK_...; an image may lie in a buffer. */
	enum { LOCAL_MEM_FENCE = 1, GLOBAL_MEM_FENCE = 2, IMAGE_MEM_FENCE = 4 };
	return (flags & LOCAL_MEM_FENCE ? 1u << CHECK_LOCAL_MEMORY : 0) |
	       (flags & (GLOBAL_MEM_FENCE | IMAGE_MEM_FENCE) ? 1u << CHECK_GLOBAL_MEMORY : 0);
}

void check_note_barrier(struct warp *warp, uint32_t mask, const lane_u32 *flags)
{
	uint8_t *orders = &check_of(warp->group)->orders[warp->index * LANES];
	uint32_t differ = mask ^ MASK_ALL;
	for (unsigned l = 0; l < LANES; l++)
		differ |= flags[l] ^ flags[0];
	if (!differ)
		memset(orders, (int)ordered_by(flags[0]), LANES);
	for (uint32_t rest = differ ? mask : 0; rest; rest &= rest - 1)
		orders[exec_lowest(rest)] = (uint8_t)ordered_by(flags[exec_lowest(rest)]);
}

/* Those that all lanes of a warp want to be ordered. */
static unsigned all_orders(const uint8_t *orders)
{
	uint8_t all = ORDERS_ALL;
	for (unsigned l = 0; l < LANES; l++)
		all &= orders[l];
	return all;
}

/* The kinds of memory that all lanes waiting at a barrier want it to order. */
static unsigned take_orders(struct check_group *check, const uint32_t *members)
{
	unsigned all = ORDERS_ALL;
	for (uint32_t i = 0; i < check->group->warp_count; i++) {
		uint8_t *orders = &check->orders[i * LANES];
		if (members[i] == MASK_ALL) {
			all &= all_orders(orders);
			memset(orders, ORDERS_ALL, LANES);
			continue;
		}
		for (uint32_t rest = members[i]; rest; rest &= rest - 1) {
			all &= orders[exec_lowest(rest)];
			orders[exec_lowest(rest)] = ORDERS_ALL;
		}
	}
	return all;
}

bool check_barrier_of_all(struct group *group, const struct op *op)
{
	struct check_group *check = check_of(group);
	struct warp *first = &group->warps[0];
	unsigned orders = ORDERS_ALL;
	if (check->copies.count)
		return false;
	/* Lanes that the last warp does not have want all to be ordered. */
	for (uint32_t i = 0; i < group->warp_count; i++)
		orders &= all_orders(&check->orders[i * LANES]);
	memset(check->orders, ORDERS_ALL, group->warp_count * LANES);
	if (orders >> CHECK_LOCAL_MEMORY & 1)
		check_put_off_forget(check);
	for (unsigned m = 0; m < CHECK_MEMORIES && orders_matter(check); m++)
		if (orders >> m & 1)
			require(first, op, 1, check_clocks_barrier_all(&check->clocks[m]));
	if (check->job->epochs.exhausted)
		check_close(check);
	return true;
}

void check_barrier(struct group *group, uint32_t id)
{
	struct check_group *check = check_of(group);
	struct waiting waiting;
	check_close(check);
	find_waiting(group, id, &waiting);
	if (!waiting.count)
		return;
	bool all = waiting.count == group->live_count;
	if (check->job->options & CHECK_BARRIER && !group->barriers[id].expected)
		check_divergence(group, &waiting);
	check_copies_barrier(check, waiting.members, waiting.warp, waiting.op);
	unsigned orders = take_orders(check, waiting.members);
	if (all && orders >> CHECK_LOCAL_MEMORY & 1)
		check_put_off_forget(check);
	const bool matter = all ? orders_matter(check) : prepare_orders(check);
	for (unsigned m = 0; m < CHECK_MEMORIES && matter; m++)
		if (orders >> m & 1)
			require(waiting.warp, waiting.op, 1u << waiting.l,
				all ? check_clocks_barrier_all(&check->clocks[m]) :
				check_clocks_barrier_some(&check->clocks[m], waiting.members,
							  id));
}

/* --- members ---------- */

void check_members(struct warp *warp, const struct op *op, uint32_t mask,
		   const lane_u32 *members)
{
	struct check_group *check = check_of(warp->group);
	uint32_t lanes = warp->group->thread_count - warp->index * LANES;
	uint32_t ended = (lanes >= LANES ? MASK_ALL : (1u << lanes) - 1) & ~warp->live;
	if (!(check->job->options & CHECK_BARRIER))
		return;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (!(members[l] >> l & 1))
			check_report(check, warp, op, l, "wrong members", 0,
				     "the lane %u is not among the members %08x that it names", l,
				     members[l]);
		else if (members[l] & ended)
			check_report(check, warp, op, l, "wrong members", 1,
				     "the members %08x name lanes %08x, which have ended",
				     members[l], members[l] & ended);
	}
}

void check_shuffle(struct warp *warp, const struct op *op, uint32_t met, const uint32_t *from)
{
	struct check_group *check = check_of(warp->group);
	if (!(check->job->options & CHECK_BARRIER))
		return;
	for (uint32_t rest = met; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if (!(met >> from[l] & 1))
			check_report(check, warp, op, l, "wrong members", 2,
				     "lane %u reads from lane %u, which takes no part (%08x do)",
				     l, from[l], met);
	}
}
