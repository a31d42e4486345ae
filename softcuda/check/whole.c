/* Accesses that are right in all lanes of a warp, which nearly all are: each check looks at all lanes at once, and
 * notes the access if it finds nothing to report.  Otherwise it changes nothing, and looks at each lane by itself
 * (check/access.c), which is slower and finds the same. */
#include "config.h"

#include "softcuda/check/job.h"

#include <string.h>

/* --- where the lanes are ---------- */

static bool overlaps(const struct check_whole *whole, uint64_t start, uint64_t size_B)
{
	return whole->start < start + size_B && start < whole->end;
}

/* Adds lanes that access places step_B apart to the runs. */
static void add_run(struct check_whole *whole, uint64_t place, uint32_t lane, uint32_t count, uint32_t step_B)
{
	struct check_run *last = whole->run_count ? &whole->runs[whole->run_count - 1] : NULL;
	if (last && last->lane + last->count == lane) {
		const bool equal = place == last->place;
		const bool next = place == last->place + (uint64_t)last->count * whole->size_B;
		const bool fits = (last->count == 1 || !last->step_B) && (count == 1 || !step_B) && equal;
		if (fits || ((last->count == 1 || last->step_B) && (count == 1 || step_B) && next)) {
			last->step_B = fits ? 0 : whole->size_B;
			last->count += count;
			return;
		}
	}
	whole->runs[whole->run_count++] = (struct check_run){place, lane, count, step_B};
}

enum { PART = 8, PARTS = LANES / PART };

/* Adds the lanes of the warp to the runs, those of each part by its pattern (check/cells.h). */
static void find_runs(struct check_whole *whole, unsigned patterns)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		const bool same = patterns >> i & 1, next = patterns >> (i + PARTS) & 1;
		if (same || next) {
			add_run(whole, whole->place[i * PART], i * PART, PART, same ? 0 : whole->size_B);
			continue;
		}
		for (uint32_t l = i * PART; l < (i + 1) * PART; l++)
			if (whole->mask >> l & 1)
				add_run(whole, whole->place[l], l, 1, whole->size_B);
	}
}

/* Sets start and end around the bytes of all runs. */
static void find_extent_of_runs(struct check_whole *whole)
{
	uint64_t low = UINT64_MAX, high = 0;
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		const uint64_t last = run->place + (uint64_t)(run->count - 1) * run->step_B;
		low = run->place < low ? run->place : low;
		high = last > high ? last : high;
	}
	whole->start = low;
	whole->end = high + whole->size_B;
}

/* Sets start and end around the bytes of all lanes, and the runs if they are found at once. */
static void find_extent(struct check_whole *whole)
{
	const unsigned patterns = whole->mask == MASK_ALL ? whole->cells->patterns(whole->place, whole->size_B) : 0;
	const bool regular = ((patterns | patterns >> PARTS) & ((1u << PARTS) - 1)) == (1u << PARTS) - 1;
	uint64_t low = UINT64_MAX, high = 0;
	if (regular) {
		find_runs(whole, patterns);
		find_extent_of_runs(whole);
		return;
	}
	for (uint32_t rest = whole->mask; rest; rest &= rest - 1) {
		const uint64_t at = whole->place[exec_lowest(rest)];
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	whole->start = low;
	whole->end = high + whole->size_B;
}

void check_whole_want_runs(struct check_whole *whole)
{
	if (!whole->run_count)
		find_runs(whole, 0);
}

/* The number of bytes that a run accesses. */
static uint64_t run_B(const struct check_whole *whole, const struct check_run *run)
{
	return (uint64_t)(run->count - 1) * run->step_B + whole->size_B;
}

/* --- private memory ---------- */

/* The lanes, as bits, for which all bits, or any, of size_B elements are set. */
static uint32_t every(const uint32_t *bits, uint32_t size_B)
{
	uint32_t found = MASK_ALL;
	for (uint32_t i = 0; i < size_B; i++)
		found &= bits[i];
	return found;
}

static uint32_t either(const uint32_t *bits, uint32_t size_B)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < size_B; i++)
		found |= bits[i];
	return found;
}

/* The offset of lane l's access in its private memory. */
static uint64_t private_offset(const struct check_whole *whole, unsigned l)
{
	const struct warp *warp = whole->warp;
	return whole->place[l] - (uint64_t)(uintptr_t)warp->local - (uint64_t)l * warp->local_stride_B;
}

/* Reads what is known of the bytes that the lanes access.  False if an access leaves its lane's memory. */
static bool read_private(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	const uint64_t stride_B = warp->local_stride_B, first = private_offset(whole, exec_lowest(whole->mask));
	uint64_t offset[LANES], differ = 0;
	for (unsigned l = 0; l < LANES; l++) {
		offset[l] = whole->mask >> l & 1 ? private_offset(whole, l) : first;
		differ |= offset[l] ^ first;
	}
	struct check_private private = {.low = first, .high = first, .same = !differ, .written = true};
	for (uint32_t rest = differ ? whole->mask : whole->mask & -whole->mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		const uint32_t lanes = differ ? 1u << l : whole->mask;
		if (offset[l] > stride_B || stride_B - offset[l] < whole->size_B)
			return false;
		private.low = offset[l] < private.low ? offset[l] : private.low;
		private.high = offset[l] > private.high ? offset[l] : private.high;
		private.written &= !(lanes & ~every(local->written + offset[l], whole->size_B));
		private.in_gap |= lanes & either(local->gap + offset[l], whole->size_B);
	}
	whole->private = private;
	return true;
}

/* Whether all lanes' bytes are in one variable of a frame and, in a program with gaps, outside of these. */
static bool inside_private(const struct check_whole *whole)
{
	struct range range;
	if (whole->private.in_gap)
		return false;
	for (const struct frame *frame = whole->warp->frame; frame; frame = frame->parent)
		for (uint32_t i = 0; i < frame->code->local_count; i++)
			if (exec_frame_extent(frame, i, &range) && whole->private.low >= range.start &&
			    whole->private.high + whole->size_B <= range.end)
				return true;
	return false;
}

/* Whether all bytes that the lanes read have been written; notes those that they write. */
static bool written_private(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	if (whole->private.written || !check_is_store(whole->op))
		return whole->private.written;
	if (whole->private.same)
		check_local_set(local, whole->mask, whole->private.low, whole->size_B, BYTE_WRITTEN);
	for (uint32_t rest = whole->private.same ? 0 : whole->mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		check_local_set(local, 1u << l, private_offset(whole, l), whole->size_B, BYTE_WRITTEN);
	}
	return true;
}

/* --- the checks ---------- */

/* Sets the space of an access outside of private memory, of which start and end are known.  False if the lanes do not
 * access one kind of memory. */
static bool find_space(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct job *job = warp->group->job;
	const uint64_t shared = (uint64_t)(uintptr_t)warp->group->shared, local = (uint64_t)(uintptr_t)warp->local;
	const uint64_t parameters = (uint64_t)(uintptr_t)job->launch->parameters;
	const uint64_t parameter_B = job->launch->function->parameter_size_B;
	const bool in_shared = overlaps(whole, shared, job->shared_B);
	const bool in_parameters = parameters && overlaps(whole, parameters, parameter_B);
	whole->space = in_shared ? PLACE_SHARED : in_parameters ? PLACE_PARAM : PLACE_GLOBAL;
	if (in_shared)
		return whole->start >= shared && whole->end <= shared + job->shared_B;
	if (local && overlaps(whole, local, (uint64_t)LANES * warp->local_stride_B))
		return false;
	return !in_parameters || (whole->start >= parameters && whole->end <= parameters + parameter_B);
}

bool check_whole_find(struct check_whole *whole)
{
	struct warp *warp = whole->warp;
	const uint64_t local = (uint64_t)(uintptr_t)warp->local;
	if (!whole->size_B)
		return false;
	if (local && whole->place[exec_lowest(whole->mask)] - local < (uint64_t)LANES * warp->local_stride_B) {
		whole->space = PLACE_LOCAL;
		return check_local_fits(warp) && read_private(whole);
	}
	find_extent(whole);
	return find_space(whole);
}

bool check_whole_find_row(struct check_whole *whole, uint64_t place, uint32_t step_B)
{
	const uint32_t lane = exec_lowest(whole->mask), count = (uint32_t)__builtin_popcount(whole->mask);
	if (!whole->size_B || whole->mask >> lane != MASK_ALL >> (LANES - count))
		return false;
	whole->runs[0] = (struct check_run){place + (uint64_t)lane * step_B, lane, count, step_B};
	whole->run_count = 1;
	whole->start = whole->runs[0].place;
	whole->end = whole->start + (uint64_t)(count - 1) * step_B + whole->size_B;
	return find_space(whole);
}

bool check_whole_find_rows(struct check_whole *whole, uint32_t row, const uint64_t *place, uint32_t step_B)
{
	if (!whole->size_B)
		return false;
	for (uint32_t lane = 0; lane < LANES; lane += row)
		add_run(whole, place[lane / row], lane, row, step_B);
	find_extent_of_runs(whole);
	return find_space(whole);
}

static bool constant_is_hit(const struct check_whole *whole)
{
	const struct job *job = whole->warp->group->job;
	for (uint32_t i = 0; i < job->program->variable_count; i++)
		if (job->program->variables[i].constant &&
		    overlaps(whole, job->launch->variable_addresses[i], job->program->variables[i].size_B))
			return true;
	return false;
}

/* Finds the variable of shared memory that contains an offset, and keeps it for the next access. */
static bool inside_shared(const struct check_whole *whole)
{
	const struct job *job = whole->warp->group->job;
	struct check_job *check = check_of(whole->warp->group)->job;
	const uint64_t shared = (uint64_t)(uintptr_t)whole->warp->group->shared;
	const uint64_t start = whole->start - shared, end = whole->end - shared;
	struct range range;
	for (uint32_t i = 0; i < CHECK_NOTES; i++)
		if (start >= check->recent_shared[i].start && end <= check->recent_shared[i].end)
			return true;
	for (uint32_t i = 0; i < job->program->shared_count; i++) {
		if (!exec_shared_extent(job, i, &range) || start < range.start || end > range.end)
			continue;
		check->recent_shared[check->next_shared++ % CHECK_NOTES] = range;
		return true;
	}
	return false;
}

bool check_whole_bounds(const struct check_whole *whole)
{
	switch (whole->space) {
	case PLACE_SHARED:
		return inside_shared(whole);
	case PLACE_LOCAL:
		return inside_private(whole);
	case PLACE_PARAM:
		return check_is_load(whole->op);
	default:
		return check_is_load(whole->op) || !constant_is_hit(whole);
	}
}

/* Finds what is noted of the memory that contains all lanes' bytes, and keeps it for the next access.  NULL: nothing is
 * known of it. */
static const struct soft_notes *find_notes(const struct check_whole *whole)
{
	struct check_job *check = check_of(whole->warp->group)->job;
	struct soft_notes *notes = NULL;
	for (unsigned i = 0; i < CHECK_NOTES; i++) {
		notes = &check->notes[i];
		if (whole->start >= notes->start && whole->end <= notes->end)
			return notes;
	}
	notes = &check->notes[check->next_notes++ % CHECK_NOTES];
	if (!check->job->launch->memory->notes(whole->start, notes))
		*notes = (struct soft_notes){0};
	return whole->start >= notes->start && whole->end <= notes->end ? notes : NULL;
}

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

/* Eight notes at a time.  Other launches may write notes of the same memory meanwhile, so that all accesses are
 * atomic. */
typedef uint64_t __attribute__((may_alias)) eight_notes;

static bool is_eight(const atomic_uchar *notes, uint64_t size_B)
{
	return size_B >= sizeof(eight_notes) && (uintptr_t)notes % sizeof(eight_notes) == 0;
}

bool check_all_written(const atomic_uchar *notes, uint64_t size_B)
{
	for (uint64_t i = 0, step; i < size_B; i += step) {
		const bool eight = is_eight(notes + i, size_B - i);
		step = eight ? sizeof(eight_notes) : 1;
		const eight_notes *several = (const eight_notes *)(const void *)(notes + i);
		if (eight ? __atomic_load_n(several, __ATOMIC_RELAXED) != each_byte :
			    !atomic_load_explicit(&notes[i], memory_order_relaxed))
			return false;
	}
	return true;
}

static void set_written(atomic_uchar *notes, uint64_t size_B)
{
	for (uint64_t i = 0, step; i < size_B; i += step) {
		const bool eight = is_eight(notes + i, size_B - i);
		step = eight ? sizeof(eight_notes) : 1;
		if (eight)
			__atomic_store_n((eight_notes *)(void *)(notes + i), each_byte, __ATOMIC_RELAXED);
		else
			atomic_store_explicit(&notes[i], 1, memory_order_relaxed);
	}
}

bool check_whole_noted(struct check_whole *whole)
{
	const bool reads = !check_is_store(whole->op), writes = !check_is_load(whole->op);
	if (whole->space != PLACE_GLOBAL)
		return true;
	const struct soft_notes *notes = find_notes(whole);
	if (!notes || (reads && !notes->readable) || (writes && !notes->writable))
		return false;
	if (!notes->written)
		return true;
	check_whole_want_runs(whole);
	for (uint32_t i = 0; reads && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		if (!check_all_written(notes->written + (run->place - notes->start), run_B(whole, run)))
			return false;
	}
	for (uint32_t i = 0; writes && i < whole->run_count; i++)
		set_written(notes->written + (whole->runs[i].place - notes->start), run_B(whole, &whole->runs[i]));
	return true;
}

/* The same for shared memory. */
static bool written_shared(struct check_whole *whole)
{
	const struct group *group = whole->warp->group;
	uint8_t *written = check_of(group)->written;
	const uint64_t shared = (uint64_t)(uintptr_t)group->shared;
	check_whole_want_runs(whole);
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		uint8_t *notes = written + (run->place - shared);
		if (check_is_store(whole->op))
			memset(notes, BYTE_WRITTEN, run_B(whole, run));
		else if (memchr(notes, BYTE_UNWRITTEN, run_B(whole, run)))
			return false;
	}
	return true;
}

bool check_whole_written(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	/* What a store copies may not have been written. */
	if (check_of(warp->group)->locals[warp->index].copied_count)
		return false;
	switch (whole->space) {
	case PLACE_SHARED:
		return written_shared(whole);
	case PLACE_LOCAL:
		return written_private(whole);
	default:
		return true;
	}
}
