#include "config.h"

#include "softcuda/check/watch.h"

#include "base/options.h"
#include "softcuda/check/footprint.h"
#include "softcuda/check/job.h"

#include <stdlib.h>

static bool begin(struct job *job)
{
	struct watched_job *watched = calloc(1, sizeof(*watched));
	job->watched = watched;
	if (!watched || !check_job_create(job) || !footprint_create(job))
		return false;
	job->threads_max = watched->footprint ? 1 : watched->check ? check_threads(watched->check) : 0;
	return true;
}

static void free_spare(struct check_job *check)
{
	if (check && check->spare)
		check_group_free(check->spare);
}

static void end(struct job *job)
{
	struct watched_job *watched = watched_of(job);
	if (!watched)
		return;
	footprint_finish(watched->footprint);
	free_spare(watched->check);
	for (unsigned i = 0; i < watched->other_count; i++)
		free_spare(watched->others[i]);
	check_job_destroy(job);
	free(watched);
	job->watched = NULL;
}

static void group_end(struct group *group)
{
	check_group_destroy(check_of(group));
	group->watched = NULL;
}

static void fault(const struct job *job, const struct bytes *text)
{
	struct bytes line = BYTES_INIT;
	(void)job;
	bytes_printf(&line, "softcuda: fault: %s", bytes_string(text));
	check_write(&line);
	bytes_finish(&line);
}

/* NULL: the launch is not traced. */
static struct soft_trace *trace_of(const struct warp *warp)
{
	return warp->group->job->launch->watch_data;
}

static void trace_global(struct warp *warp, uint32_t mask, uint32_t size_B, unsigned kind, const uint64_t *address)
{
	if (trace_of(warp))
		soft_trace_mark_lanes(trace_of(warp), kind, mask, size_B, address);
}

/* Whether an op accesses no memory but that of the launch and its work-groups, which is not traced. */
static bool is_own(const struct op *op)
{
	return op->space == SPACE_SHARED || op->space == SPACE_LOCAL || op->space == SPACE_PARAM;
}

/* Of a generic address, only the place says which memory it is in. */
static void trace_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, unsigned kind,
			 const uint64_t *place)
{
	if (!trace_of(warp) || is_own(op))
		return;
	for (uint32_t rest = op->space == SPACE_GENERIC ? mask : 0; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		uint64_t offset_B;
		if (exec_place(warp, l, place[l], &offset_B) != PLACE_GLOBAL)
			mask &= ~(1u << l);
	}
	trace_global(warp, mask, size_B, kind, place);
}

/* Machine code passes only places of the work-group's local memory, by ops that name it, and of global memory. */
static bool look_at_row(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place,
			uint32_t step_B)
{
	if (trace_of(warp) && !is_own(op))
		soft_trace_mark_row(trace_of(warp), op->writes ? SOFT_ACCESS_READ : SOFT_ACCESS_WRITE, mask, size_B,
				    place, step_B);
	return !check_of(warp->group) || check_row(warp, op, mask, size_B, place, step_B);
}

/* A trace is told by look_at_access, which is called if this does not know. */
static bool look_at_rows(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
			 uint32_t step_B)
{
	return !trace_of(warp) && (!check_of(warp->group) || check_rows(warp, op, row, size_B, place, step_B));
}

static bool look_at_shared(struct warp *warp, const struct op *op, uint32_t slot)
{
	return !check_of(warp->group) || check_shared(warp, op, slot);
}

static bool look_before_compare(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
				const uint64_t *place)
{
	return !trace_of(warp) && (!check_of(warp->group) || check_compare(warp, op, mask, size_B, place));
}

static bool note_compared(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
			  const uint64_t *place)
{
	return !check_of(warp->group) || check_compared(warp, op, mask, wrote, size_B, place);
}

static unsigned find_quiet(struct job *job, const struct compiled *compiled, struct range *range)
{
	return job->launch->watch_data ? 0 : check_quiet(job, compiled, range);
}

static bool look_at_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			   unsigned kind, const uint64_t *place)
{
	trace_access(warp, op, mask, size_B, kind, place);
	if (watched_of(warp->group->job)->footprint)
		footprint_mark(warp, mask, size_B, kind, place);
	return !check_of(warp->group) || check_access(warp, op, mask, size_B, place);
}

/* Accesses to images are not part of a footprint. */
static bool look_at_texel(struct warp *warp, const struct op *op, unsigned l, unsigned kind, uint64_t place,
			  uint32_t size_B)
{
	uint64_t places[LANES] = {0};
	places[l] = place;
	trace_global(warp, 1u << l, size_B, kind, places);
	return !check_of(warp->group) || check_access(warp, op, 1u << l, size_B, places);
}

/* A footprint needs to know of parameters, which machine code does not tell of. */
static bool compiles(const struct job *job)
{
	return !watched_of(job)->footprint;
}

/* Machine code need not tell of the memory of a work-group that is only traced. */
static bool begin_light(struct group *group)
{
	group->quiet_shared = group->quiet_private = SOFT_ACCESS_READ | SOFT_ACCESS_WRITE;
	return true;
}

/* For launches that are traced, or whose footprint is recorded, without checks. */
static const struct exec_watch light = {
	.begin = begin, .end = end, .compiles = compiles, .group_begin = begin_light, .missed = trace_global,
	.access = look_at_access, .row = look_at_row, .texel = look_at_texel
};

static const struct exec_watch full = {
	.begin = begin, .end = end, .over = check_between, .compiles = compiles,
	.group_begin = check_group_create, .group_end = group_end,
	.in_order = true, .group_over = check_end, .fault = fault, .missed = trace_global, .access = look_at_access,
	.row = look_at_row, .rows = look_at_rows, .shared = look_at_shared, .compare = look_before_compare,
	.compared = note_compared, .quiet = find_quiet, .late = check_late,
	.texel = look_at_texel,
	.outside = check_outside, .describe_private = check_describe_private,
	.call = check_call, .leave = check_return, .fence = check_fence, .arrive = check_arrive,
	.barrier = check_barrier, .barrier_of_all = check_barrier_of_all, .members = check_members, .meet = check_meet,
	.shuffle = check_shuffle, .note_barrier = check_note_barrier,
	.note_copy_what = check_note_copy_what, .note_copy = check_note_copy,
	.note_copied = check_note_copied, .note_wait = check_note_wait,
	.note_index = check_note_index, .note_private = check_note_private
};

const struct exec_watch *watch_for(const struct soft_trace *trace)
{
	if (check_options())
		return &full;
	return trace || *option_string(OPTION_SOFT_FOOTPRINT) ? &light : NULL;
}
