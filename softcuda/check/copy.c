/* Copies by the whole work-group, and waiting for them: OpenCL C 3.0, 6.15.11.
 *
 * All work-items make the same copies with the same arguments, and wait for the same events.  A
 * copy's number in its work-item says which copy of the others it is; the event that stands for it
 * is the number plus one, or the event that it is added to. */
#include "config.h"

#include "softcuda/check/job.h"

#include <stdlib.h>

void check_copies_finish(struct check_copies *copies)
{
	free(copies->copies);
	free(copies->lanes);
}

static struct lane_copies *lane_of(const struct warp *warp, unsigned l)
{
	struct check_copies *copies = &check_of(warp->group)->copies;
	copies->used = true;
	return &copies->lanes[warp->index * LANES + l];
}

void check_note_copy_what(struct warp *warp, unsigned l, uint64_t target, uint64_t source,
			  uint64_t count)
{
	struct lane_copies *lane = lane_of(warp, l);
	lane->what = (struct copy){.target = target, .source = source, .count = count};
}

void check_note_copied(struct warp *warp, unsigned l)
{
	lane_of(warp, l)->copying = false;
}

static bool is_event(const struct lane_copies *lane, uint64_t event)
{
	return event && event <= lane->made;
}

static void report_event(struct warp *warp, const struct op *op, unsigned l, const char *verb,
			 uint64_t event)
{
	if (check_of(warp->group)->job->options & CHECK_BARRIER)
		check_report(check_of(warp->group), warp, op, l, "wait for no event", 0,
			     "%s 0x%llx, which is no event of a copy", verb,
			     (unsigned long long)event);
}

/* --- the copies of the group ---------- */

static bool copies_add(struct check_copies *copies, const struct copy *copy)
{
	if (copies->count == copies->capacity) {
		uint32_t capacity = copies->capacity ? 2 * copies->capacity : 16;
		struct copy *grown = realloc(copies->copies, capacity * sizeof(*grown));
		if (!grown)
			return false;
		copies->copies = grown;
		copies->capacity = capacity;
	}
	copies->copies[copies->count++] = *copy;
	return true;
}

static void describe_lane(const struct check_group *group, uint32_t lane, struct bytes *text)
{
	const struct warp *warp = &group->group->warps[lane / LANES];
	unsigned l = lane % LANES;
	bytes_printf(text, "work-item (%u,%u,%u)", warp->tid[0][l], warp->tid[1][l],
		     warp->tid[2][l]);
}

/* How two copies differ, in words; NULL: they do not. */
static const char *difference(const struct copy *a, const struct copy *b)
{
	return a->target != b->target ? "another target" :
	       a->source != b->source ? "another source" :
	       a->count != b->count ? "another number of elements" :
	       a->stride != b->stride ? "another stride" :
	       a->size_B != b->size_B ? "elements of another size" :
	       a->event != b->event ? "another event" : NULL;
}

static void compare(struct warp *warp, const struct op *op, unsigned l, const struct copy *first,
		    const struct copy *copy)
{
	struct check_group *group = check_of(warp->group);
	const char *what = difference(first, copy);
	if (!what || !(group->job->options & CHECK_BARRIER))
		return;
	struct bytes text = BYTES_INIT;
	const struct code *code;
	const struct op *other = check_site_op(group->job, first->site, &code);
	describe_lane(group, first->lane, &text);
	bytes_append_string(&text, ", at ");
	exec_describe_line(group->job->job, code, other, &text);
	check_report(group, warp, op, l, "divergent copy", 0,
		     "async_work_group_copy with %s than %s", what, check_text(&text));
	bytes_finish(&text);
}

bool check_note_copy(struct warp *warp, const struct op *op, unsigned l, uint64_t stride,
		     uint32_t size_B, uint64_t *event)
{
	struct check_group *group = check_of(warp->group);
	struct check_copies *copies = &group->copies;
	struct lane_copies *lane = lane_of(warp, l);
	struct copy *copy = &lane->what;
	check_close(group);
	if (*event && !is_event(lane, *event)) {
		report_event(warp, op, l, "the copy is added to", *event);
		*event = 0;
	}
	copy->stride = stride;
	copy->size_B = size_B;
	copy->event = *event ? *event : lane->made + 1;
	copy->site = check_site(group->job, warp, op);
	copy->lane = warp->index * LANES + l;
	copy->waited = false;
	if (lane->made < copies->count)
		compare(warp, op, l, &copies->copies[lane->made], copy);
	else if (!copies_add(copies, copy))
		return check_fail_memory(warp, op, 1u << l);
	lane->made++;
	lane->copying = true;
	*event = copy->event;
	return true;
}

/* --- waiting ---------- */

void check_note_wait(struct warp *warp, const struct op *op, unsigned l, uint64_t event)
{
	struct lane_copies *lane = lane_of(warp, l);
	if (!is_event(lane, event)) {
		report_event(warp, op, l, "waits for", event);
		return;
	}
	/* A sum, because the order of the events does not matter. */
	lane->waits += event * UINT64_C(0x9e3779b97f4a7c15);
	struct check_copies *copies = &check_of(warp->group)->copies;
	for (uint32_t i = 0; i < copies->count; i++)
		copies->copies[i].waited |= copies->copies[i].event == event;
}

/* For a lane that is not running, its frame is needed to find the place. */
static void report_at(struct check_group *group, uint32_t lane, const struct op *op,
		      const struct code *code, const char *kind, const struct bytes *text)
{
	struct warp *warp = &group->group->warps[lane / LANES];
	struct frame *frame = warp->frame, place = {.code = code};
	warp->frame = &place;
	check_report(group, warp, op, lane % LANES, kind, 0, "%s", check_text(text));
	warp->frame = frame;
}

static void report_count(struct check_group *group, uint32_t lane, uint32_t other)
{
	const struct check_copies *copies = &group->copies;
	bool more = copies->lanes[lane].made > copies->lanes[other].made;
	uint32_t who = more ? lane : other, least = more ? other : lane;
	const struct copy *copy = &copies->copies[copies->lanes[least].made];
	struct bytes text = BYTES_INIT;
	const struct code *code;
	const struct op *op = check_site_op(group->job, copy->site, &code);
	bytes_append_string(&text, "an async_work_group_copy that does not take place in ");
	describe_lane(group, least, &text);
	report_at(group, who, op, code, "divergent copy", &text);
	bytes_finish(&text);
}

static bool is_member(const uint32_t *members, uint32_t lane)
{
	return members[lane / LANES] >> lane % LANES & 1;
}

void check_copies_barrier(struct check_group *group, const uint32_t *members, struct warp *warp,
			  const struct op *op)
{
	struct check_copies *copies = &group->copies;
	const uint32_t lane_count = group->group->warp_count * LANES;
	uint32_t first = lane_count, made = lane_count, waits = lane_count;
	for (uint32_t i = 0; i < lane_count && copies->count; i++) {
		if (!is_member(members, i))
			continue;
		first = first < lane_count ? first : i;
		if (copies->lanes[i].made != copies->lanes[first].made && made == lane_count)
			made = i;
		if (copies->lanes[i].waits != copies->lanes[first].waits && waits == lane_count)
			waits = i;
	}
	if (group->job->options & CHECK_BARRIER && made < lane_count)
		report_count(group, first, made);
	else if (group->job->options & CHECK_BARRIER && waits < lane_count) {
		struct bytes text = BYTES_INIT;
		bytes_append_string(&text, "waits for other events than ");
		describe_lane(group, waits, &text);
		report_at(group, first, op, warp->lane_frame[first % LANES]->code,
			  "divergent wait", &text);
		bytes_finish(&text);
	}
	for (uint32_t i = 0; i < lane_count && copies->count; i++) {
		if (!is_member(members, i))
			continue;
		copies->lanes[i].waits = 0;
		/* One report is enough. */
		if (made < lane_count)
			copies->lanes[i].made = copies->count;
	}
}

void check_end(struct group *group)
{
	struct check_group *check = check_of(group);
	struct check_copies *copies = &check->copies;
	const struct code *code;
	if (!(check->job->options & CHECK_BARRIER))
		return;
	for (uint32_t i = 0; i < group->thread_count && copies->count; i++) {
		if (copies->lanes[i].made == copies->lanes[0].made)
			continue;
		report_count(check, 0, i);
		return;
	}
	for (uint32_t i = 0; i < copies->count; i++) {
		const struct copy *copy = &copies->copies[i];
		struct bytes text = BYTES_INIT;
		if (copy->waited)
			continue;
		bytes_append_string(&text, "the work-group ended without waiting for this copy");
		const struct op *op = check_site_op(check->job, copy->site, &code);
		report_at(check, copy->lane, op, code, "unwaited copy", &text);
		bytes_finish(&text);
	}
}
