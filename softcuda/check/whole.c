/* Accesses that are right in all lanes of a warp, which nearly all are: each check looks at all lanes at once, and
 * notes the access if it finds nothing to report.  Otherwise it changes nothing, and looks at each lane by itself
 * (check/access.c), which is slower and finds the same. */
#include "config.h"

#include "softcuda/check/whole.h"

#include "softcuda/check/again.h"
#include "softcuda/check/notes.h"
#include "softcuda/exec/compiled.h"

#include <string.h>

/* For what each access passes: a call takes a good part of the time. */
#define INLINE static inline __attribute__((always_inline))

/* --- where the lanes are ---------- */

/* A read of several runs is kept, in case it repeats. */
enum { RUNS_SEVERAL = 3 };

/* The number of bits that are 1, from bit `first` up. */
static uint32_t count_ones(uint32_t bits, uint32_t first)
{
	return (uint32_t)__builtin_ctzll(~((uint64_t)bits >> first));
}

/* The lanes, as bits, that access the same place as the lane before, and the place behind that. */
INLINE void find_neighbours(const struct check_whole *whole, uint32_t *equal_out, uint32_t *next_out)
{
	const uint64_t *place = whole->place, step_B = whole->size_B;
	check_eight equal = {0}, next = {0};
	for (uint32_t first = 1; first < LANES; first += CHECK_EIGHT) {
		/* The last eight overlap those before. */
		const uint32_t from = first + CHECK_EIGHT <= LANES ? first : LANES - CHECK_EIGHT;
		check_eight here, before, bits;
		memcpy(&here, place + from, sizeof(here));
		memcpy(&before, place + from - 1, sizeof(before));
		for (uint32_t i = 0; i < CHECK_EIGHT; i++)
			bits[i] = UINT64_C(1) << (from + i);
		equal |= (check_eight)(here == before) & bits;
		next |= (check_eight)(here - before == step_B) & bits;
	}
	const uint32_t both = whole->mask & whole->mask << 1;
	*equal_out = check_any_of(&equal) & both;
	*next_out = check_any_of(&next) & both;
}

/* Finds the runs of the lanes in mask.  The places of other lanes do not matter. */
INLINE void find_runs(struct check_whole *whole, uint32_t equal, uint32_t next)
{
	const uint64_t *place = whole->place;
	whole->one_count = whole->run_count = 0;
	for (uint64_t rest = whole->mask; rest;) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
		const uint32_t nexts = count_ones(next, lane + 1), equals = count_ones(equal, lane + 1);
		const uint32_t count = 1 + nexts + equals;
		whole->runs[whole->run_count++] =
			(struct check_run){place[lane], lane, count, equals ? 0 : whole->size_B};
		rest &= ~UINT64_C(0) << (lane + count);
	}
}

/* Sets start and end around the bytes of all runs. */
INLINE void find_extent(struct check_whole *whole)
{
	uint64_t low = UINT64_MAX, high = 0;
	if (whole->run_count == 1) {
		whole->start = whole->runs[0].place;
		whole->end = whole->start + check_run_B(whole, &whole->runs[0]);
		return;
	}
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		const uint64_t last = run->place + (uint64_t)(run->count - 1) * run->step_B;
		low = run->place < low ? run->place : low;
		high = last > high ? last : high;
	}
	whole->start = low;
	whole->end = high + whole->size_B;
}

/* --- the checks ---------- */

INLINE bool hits_shared(const struct warp *warp, uint64_t start, uint64_t end)
{
	const uint64_t shared = (uint64_t)(uintptr_t)warp->group->shared;
	return start < shared + warp->group->job->shared_B && shared < end;
}

INLINE bool hits_local(const struct warp *warp, uint64_t start, uint64_t end)
{
	const uint64_t local = (uint64_t)(uintptr_t)warp->local;
	return local && start < local + (uint64_t)LANES * warp->local_stride_B && local < end;
}

INLINE bool hits_parameters(const struct job *job, uint64_t start, uint64_t end)
{
	const uint64_t parameters = (uint64_t)(uintptr_t)job->launch->parameters;
	return parameters && start < parameters + job->launch->function->parameter_size_B && parameters < end;
}

/* Sets the space of an access outside of private memory, of which start and end are known.  False if the lanes do not
 * access one kind of memory. */
INLINE bool find_space(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct job *job = warp->group->job;
	const uint64_t shared = (uint64_t)(uintptr_t)warp->group->shared, start = whole->start, end = whole->end;
	const uint64_t parameters = (uint64_t)(uintptr_t)job->launch->parameters;
	const bool in_shared = hits_shared(warp, start, end), in_parameters = hits_parameters(job, start, end);
	whole->space = in_shared ? PLACE_SHARED : in_parameters ? PLACE_PARAM : PLACE_GLOBAL;
	if (in_shared)
		return start >= shared && end <= shared + job->shared_B;
	if (hits_local(warp, start, end))
		return false;
	return !in_parameters ||
	       (start >= parameters && end <= parameters + job->launch->function->parameter_size_B);
}

INLINE bool starts_in_shared(const struct warp *warp, uint32_t mask, const uint64_t *place)
{
	const uint64_t shared = (uint64_t)(uintptr_t)warp->group->shared;
	return place[exec_lowest(mask)] - shared < warp->group->job->shared_B;
}

/* Takes the lanes of an access one by one, if that is right. */
static bool take_ones(struct check_whole *whole, const uint64_t *place, bool ascend)
{
	const bool in_shared = starts_in_shared(whole->warp, whole->mask, place);
	/* Without the places of all lanes, reads of shared memory are looked at again, as runs. */
	if (whole->size_B != SHADOW_WORD_B || check_is_atomic(whole->op) ||
	    (in_shared && check_is_load(whole->op) && !whole->place) || !check_whole_find_ones(whole, place, ascend))
		return false;
	if (find_space(whole) && whole->space == (in_shared ? PLACE_SHARED : PLACE_GLOBAL))
		return true;
	whole->one_count = 0;
	return false;
}

/* Takes the lanes of an access of global memory to be looked at in turn, if that is right. */
static bool take_few(struct check_whole *whole, const uint64_t *place)
{
	if ((whole->size_B >= SHADOW_WORD_B && (uint32_t)__builtin_popcount(whole->mask) > CHECK_LANES_FEW) ||
	    check_is_atomic(whole->op) || starts_in_shared(whole->warp, whole->mask, place))
		return false;
	check_whole_find_few(whole, place);
	whole->is_few = find_space(whole) && whole->space == PLACE_GLOBAL;
	if (!whole->is_few)
		whole->one_count = 0;
	return whole->is_few;
}

/* The same of an atomic. */
static bool take_atomic(struct check_whole *whole, const uint64_t *place)
{
	if (check_whole_take_atomic(whole, place) && find_space(whole) && whole->space != PLACE_PARAM)
		return true;
	whole->one_count = 0;
	return false;
}

/* Whether all lanes access consecutive places. */
INLINE bool is_one_run(const struct check_whole *whole)
{
	const uint64_t *place = whole->place, step_B = whole->size_B;
	uint64_t differ = 0;
	if (whole->mask != MASK_ALL)
		return false;
	for (uint32_t l = 1; l < LANES; l++)
		differ |= (place[l] - place[l - 1]) ^ step_B;
	return !differ;
}

/* Finds what the lanes of an access access.  False if that is not one kind of memory. */
static bool find_access(struct check_whole *whole)
{
	struct warp *warp = whole->warp;
	const uint64_t local = (uint64_t)(uintptr_t)warp->local;
	if (!whole->size_B)
		return false;
	if (local && whole->place[exec_lowest(whole->mask)] - local < (uint64_t)LANES * warp->local_stride_B) {
		whole->space = PLACE_LOCAL;
		return check_local_fits(warp) && check_whole_read_private(whole);
	}
	if (check_is_atomic(whole->op) && take_atomic(whole, whole->place))
		return true;
	if (is_one_run(whole)) {
		whole->runs[0] = (struct check_run){whole->place[0], 0, LANES, whole->size_B};
		whole->run_count = 1;
		find_extent(whole);
		return find_space(whole);
	}
	uint32_t equal, next;
	find_neighbours(whole, &equal, &next);
	const uint32_t runs = (uint32_t)__builtin_popcount(whole->mask & ~(equal | next));
	/* Few words, too, may be accessed again and again (check/again.h). */
	const bool apart = runs == (uint32_t)__builtin_popcount(whole->mask);
	if ((runs >= CHECK_RUNS_MANY || apart) &&
	    (take_few(whole, whole->place) || (runs > 1 && take_ones(whole, whole->place, false))))
		return true;
	find_runs(whole, equal, next);
	find_extent(whole);
	return find_space(whole);
}

/* The same for lanes in a row. */
static bool find_row(struct check_whole *whole, uint64_t place, uint32_t step_B)
{
	const uint32_t lane = exec_lowest(whole->mask), count = (uint32_t)__builtin_popcount(whole->mask);
	if (whole->mask >> lane != MASK_ALL >> (LANES - count)) {
		uint64_t places[LANES];
		for (uint32_t l = 0; l < LANES; l++)
			places[l] = place + (uint64_t)l * step_B;
		return step_B && (take_few(whole, places) || take_ones(whole, places, true));
	}
	if (!whole->size_B)
		return false;
	whole->runs[0] = (struct check_run){place + (uint64_t)lane * step_B, lane, count, step_B};
	whole->run_count = 1;
	whole->start = whole->runs[0].place;
	whole->end = whole->start + (uint64_t)(count - 1) * step_B + whole->size_B;
	return find_space(whole);
}

/* The same for rows of `row` lanes. */
static bool find_rows(struct check_whole *whole, uint32_t row, const uint64_t *place, uint32_t step_B)
{
	if (!whole->size_B)
		return false;
	for (uint32_t lane = 0; lane < LANES; lane += row)
		whole->runs[whole->run_count++] = (struct check_run){place[lane / row], lane, row, step_B};
	/* One row may continue the one before. */
	const struct check_run *first = &whole->runs[0];
	uint64_t apart = 0;
	for (uint32_t i = 1; i < whole->run_count; i++)
		apart |= whole->runs[i].place ^ (first->place + (uint64_t)i * row * step_B);
	if (!apart) {
		whole->runs[0].count = LANES;
		whole->run_count = 1;
	}
	find_extent(whole);
	return find_space(whole);
}

/* Whether a program's constant overlaps a range. */
INLINE bool constant_is_hit(const struct job *job, uint64_t start, uint64_t end)
{
	const struct soft_program *program = job->program;
	for (uint32_t i = 0; i < program->variable_count; i++) {
		const uint64_t address = job->launch->variable_addresses[i];
		if (program->variables[i].constant && start < address + program->variables[i].size_B && address < end)
			return true;
	}
	return false;
}

/* Finds the variable of shared memory that contains an access, as offsets, and keeps it for the next access.  NULL:
 * there is none. */
INLINE const struct range *find_shared(const struct check_whole *whole)
{
	const struct job *job = whole->warp->group->job;
	struct check_job *check = whole->group->job;
	const uint64_t shared = (uint64_t)(uintptr_t)whole->warp->group->shared;
	const uint64_t start = whole->start - shared, end = whole->end - shared;
	struct range range;
	for (uint32_t i = 0; i < CHECK_NOTES; i++)
		if (start >= check->recent_shared[i].start && end <= check->recent_shared[i].end)
			return &check->recent_shared[i];
	for (uint32_t i = 0; i < job->program->shared_count; i++) {
		if (!exec_shared_extent(job, i, &range) || start < range.start || end > range.end)
			continue;
		struct range *kept = &check->recent_shared[check->next_shared++ % CHECK_NOTES];
		*kept = range;
		return kept;
	}
	return NULL;
}

INLINE bool is_inside(const struct check_whole *whole)
{
	switch (whole->space) {
	case PLACE_SHARED:
		return find_shared(whole);
	case PLACE_LOCAL:
		return check_whole_inside_private(whole);
	case PLACE_PARAM:
		return check_is_load(whole->op);
	default:
		return check_is_load(whole->op) ||
		       !constant_is_hit(whole->warp->group->job, whole->start, whole->end);
	}
}

INLINE bool has_unwritten(const uint8_t *notes, uint64_t size_B)
{
	uint64_t found = 0, i = 0;
	/* One of the highest bits of bytes is set if and only if a byte is 0. */
	_Static_assert(!BYTE_UNWRITTEN, "notes of unwritten bytes are 0");
	for (uint64_t eight; i + sizeof(eight) <= size_B; i += sizeof(eight)) {
		memcpy(&eight, notes + i, sizeof(eight));
		found |= (eight - check_each_byte) & ~eight & check_each_byte << 7;
	}
	for (; i < size_B; i++)
		found |= !notes[i];
	return found;
}

/* Has a range of shared memory be what was found last to be written as a whole, with what was found before if they are
 * next to each other. */
static void keep_grown(struct check_group *group, const struct range *range)
{
	struct range *last = &group->grown;
	if (range->start <= last->end && last->start <= range->end) {
		last->start = range->start < last->start ? range->start : last->start;
		last->end = range->end > last->end ? range->end : last->end;
	} else {
		*last = *range;
	}
}

/* Whether all words that lanes read one by one have been written. */
static bool ones_written(const struct check_whole *whole)
{
	enum { MOST_B = 4096 };
	struct check_group *group = whole->group;
	const uint64_t shared = (uint64_t)(uintptr_t)whole->warp->group->shared;
	const struct range range = {whole->start - shared, whole->end - shared};
	typedef uint32_t __attribute__((may_alias)) word_notes;
	uint32_t unwritten = 0;
	if (range.start >= group->grown.start && range.end <= group->grown.end)
		return true;
	if (check_is_atomic(whole->op) && range.end - range.start <= MOST_B &&
	    !has_unwritten(group->written + range.start, range.end - range.start)) {
		keep_grown(group, &range);
		return true;
	}
	for (uint32_t k = 0; k < whole->size_B / SHADOW_WORD_B; k++)
		for (uint32_t i = 0; i < whole->one_count; i++) {
			const uint8_t *notes = group->written + (whole->one_place[i] - shared);
			const uint32_t four = ((const word_notes *)(const void *)notes)[k];
			unwritten |= (four - (uint32_t)check_each_byte) & ~four & (uint32_t)check_each_byte << 7;
		}
	return !unwritten;
}

/* The same for shared memory. */
INLINE bool written_shared(const struct check_whole *whole)
{
	const uint64_t shared = (uint64_t)(uintptr_t)whole->warp->group->shared;
	if (whole->one_count && !check_is_store(whole->op))
		return ones_written(whole);
	if (check_is_load(whole->op) && check_is_dense(whole) &&
	    !has_unwritten(whole->group->written + (whole->start - shared), whole->end - whole->start))
		return true;
	for (uint64_t at = 0; at < whole->size_B; at += SHADOW_WORD_B)
		for (uint32_t i = 0; i < whole->one_count; i++) {
			uint8_t *notes = whole->group->written + (whole->one_place[i] - shared);
			memset(notes + at, BYTE_WRITTEN, SHADOW_WORD_B);
		}
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		uint8_t *notes = whole->group->written + (run->place - shared);
		if (check_is_store(whole->op))
			memset(notes, BYTE_WRITTEN, check_run_B(whole, run));
		else if (has_unwritten(notes, check_run_B(whole, run)))
			return false;
	}
	return true;
}

INLINE bool is_written(const struct check_whole *whole)
{
	/* What a store copies may not have been written. */
	if (whole->group->locals[whole->warp->index].copied_count)
		return false;
	switch (whole->space) {
	case PLACE_SHARED:
		return written_shared(whole);
	case PLACE_LOCAL:
		return check_whole_written_private(whole);
	default:
		return true;
	}
}

/* --- all checks ---------- */

INLINE unsigned look_for_races(struct check_whole *whole, unsigned checks)
{
	/* The operands of a store are known where the places of all lanes are. */
	whole->is_last = checks == CHECK_RACE && (whole->place || check_is_load(whole->op));
	return checks & CHECK_RACE && check_whole_race(whole) ? checks & ~(unsigned)CHECK_RACE : checks;
}

INLINE unsigned look(struct check_whole *whole, unsigned checks)
{
	if (whole->group->job->still_count && check_whole_is_still(whole))
		return 0;
	const bool noted = !(checks & (CHECK_MEMORY | CHECK_UNINIT)) || whole->space != PLACE_GLOBAL ||
			   check_whole_noted(whole);
	const bool inside = !(checks & CHECK_MEMORY) || is_inside(whole);
	/* Outside of a variable, notes about bytes must not be changed before that is reported. */
	if (noted && inside && (!(checks & CHECK_UNINIT) || is_written(whole)))
		checks &= ~(unsigned)(CHECK_MEMORY | CHECK_UNINIT);
	checks = look_for_races(whole, checks);
	/* An access without the places of all lanes is looked at again if anything is left. */
	if (whole->is_flagged && !(checks & (whole->place ? CHECK_MEMORY : CHECK_ACCESSES)))
		whole->group->job->found += (uint32_t)__builtin_popcount(whole->mask);
	return checks;
}

static void begin(struct check_whole *whole, struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B)
{
	whole->warp = warp;
	whole->group = check_of(warp->group);
	whole->op = op;
	whole->mask = mask;
	whole->size_B = size_B;
	whole->run_count = whole->one_count = 0;
	whole->again = NULL;
	whole->reads = check_is_load(op);
	whole->decided = !op->compares;
	whole->place = NULL;
	whole->is_told = whole->is_put_off = whole->is_flagged = false;
	whole->has_holes = whole->is_own = whole->is_few = false;
}

static unsigned look_at_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			       const uint64_t *place, unsigned checks)
{
	struct check_whole whole;
	begin(&whole, warp, op, mask, size_B);
	whole.place = place;
	const bool is_atomic = check_is_atomic(op), in_shared = starts_in_shared(warp, mask, place);
	const bool keeps = again_keeps(&whole.group->job->global);
	if (!is_atomic && (in_shared ? check_whole_repeats(warp, op, mask, size_B, place) :
				       keeps && check_whole_again(warp, op, mask, place)))
		return 0;
	if (whole.group->job->still_count && check_whole_reads_still(warp, op, mask, size_B, place))
		return 0;
	const unsigned left = find_access(&whole) ? look(&whole, checks) : checks;
	if (whole.is_put_off && !left && (whole.one_count || whole.run_count >= RUNS_SEVERAL))
		check_whole_keep_repeat(&whole);
	/* Only a store begins it. */
	if (whole.one_count && !left && !is_atomic && (keeps || check_is_store(op)))
		check_whole_keep_again(&whole);
	return left;
}

/* Whether a warp's access to consecutive elements is the usual one, and has nothing to report. */
INLINE bool look_at_elements(const struct warp *warp, const struct op *op, uint32_t size_B, uint64_t place,
			     unsigned checks)
{
	const struct check_group *group = check_of(warp->group);
	const bool writes = check_is_store(op);
	const uint64_t all_B = (uint64_t)LANES * size_B, end = place + all_B;
	if (place % size_B || group->job->still_count || group->locals[warp->index].copied_count ||
	    check_is_atomic(op) || (writes && constant_is_hit(group->job->job, place, end)))
		return false;
	const bool right = checks & (CHECK_MEMORY | CHECK_UNINIT) ?
			   check_whole_noted_elements(group->job, place, all_B, writes) :
			   !hits_shared(warp, place, end) && !hits_local(warp, place, end) &&
			   !hits_parameters(group->job->job, place, end);
	return right && (!(checks & CHECK_RACE) || check_whole_touch_elements(warp, op, size_B, place));
}

static unsigned look_at_row(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place,
			    uint32_t step_B, unsigned checks)
{
	struct check_whole whole;
	const bool words = size_B == SHADOW_WORD_B || size_B == 2 * SHADOW_WORD_B || size_B == 4 * SHADOW_WORD_B;
	if (mask == MASK_ALL && step_B == size_B && words && look_at_elements(warp, op, size_B, place, checks))
		return 0;
	begin(&whole, warp, op, mask, size_B);
	return find_row(&whole, place, step_B) ? look(&whole, checks) : checks;
}

static unsigned look_at_rows(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B,
			     const uint64_t *place, uint32_t step_B, unsigned checks)
{
	struct check_whole whole;
	begin(&whole, warp, op, MASK_ALL, size_B);
	return find_rows(&whole, row, place, step_B) ? look(&whole, checks) : checks;
}

/* --- compare-exchanges ---------- */

static bool look_before_compare(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
				const uint64_t *place, unsigned checks)
{
	struct check_whole whole;
	begin(&whole, warp, op, mask, size_B);
	whole.place = place;
	return take_atomic(&whole, place) && (!(checks & CHECK_RACE) || check_whole_may_compare(&whole)) &&
	       !look(&whole, checks & ~(unsigned)CHECK_RACE);
}

static bool note_compared(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
			  const uint64_t *place)
{
	const uint32_t parts[2] = {mask & wrote, mask & ~wrote};
	for (unsigned i = 0; i < 2; i++) {
		struct check_whole whole;
		if (!parts[i])
			continue;
		begin(&whole, warp, op, parts[i], size_B);
		whole.reads = i == 1;
		whole.decided = true;
		/* Only memory can be missing. */
		if (!take_atomic(&whole, place) || !check_whole_race(&whole))
			return check_fail_memory(warp, op, parts[i]);
	}
	return true;
}

/* --- shared memory, as machine code tells of it ---------- */

/* A range that is open for another read, and contains this one; NULL: none of the last ones does. */
static const struct memory_slot *find_open(const struct check_whole *whole)
{
	const struct check_group *group = whole->group;
	for (unsigned i = 0; i < CHECK_OPEN_LAST; i++) {
		const uint32_t slot = group->open_last[i];
		const struct memory_slot *other = &group->group->slots[slot];
		if (group->open >> slot & 1 && whole->start >= other->start &&
		    whole->end <= other->start + other->size_B)
			return other;
	}
	return NULL;
}

/* Whether machine code may read around a read without the checker being called.  If it takes a while to find out where,
 * the read must be the second one since the last barrier, or follow one of the same variable. */
static bool may_open(const struct check_whole *whole, uint32_t slot, unsigned checks)
{
	struct check_group *group = whole->group;
	const uint32_t now = checks & CHECK_RACE ? group->clocks[CHECK_LOCAL_MEMORY].now : 1;
	const uint64_t start = whole->start - (uint64_t)(uintptr_t)group->group->shared;
	const struct range *variable = checks & CHECK_MEMORY ? find_shared(whole) : NULL;
	const uint64_t mark = variable ? variable->start + 1 : 1;
	struct memory_slot *to = &group->group->slots[slot];
	const bool again = to->range.start == now || (group->asked_epoch == now && group->asked == mark);
	const bool known = start - group->grown.start < group->grown.end - group->grown.start;
	const bool unchanged = !(checks & CHECK_RACE) || group->put_off.latest != now;
	group->asked_epoch = now;
	group->asked = mark;
	to->range.start = now;
	return ((known && unchanged) || again) && (!(checks & CHECK_RACE) || whole->is_put_off);
}

/* What of shared memory is written around a range of it, inside of another one, at most. */
static struct range grow(const uint8_t *written, struct range range, const struct range *most)
{
	enum { STEP_B = 64 };
	while (range.end + STEP_B <= most->end && !has_unwritten(written + range.end, STEP_B))
		range.end += STEP_B;
	while (range.end < most->end && written[range.end])
		range.end++;
	while (range.start >= most->start + STEP_B && !has_unwritten(written + range.start - STEP_B, STEP_B))
		range.start -= STEP_B;
	while (range.start > most->start && written[range.start - 1])
		range.start--;
	return range;
}

/* The same; what was found before is not looked at again. */
static struct range find_written(struct check_group *group, struct range range, const struct range *most)
{
	const struct range *last = &group->grown;
	if (most->start >= last->start && most->end <= last->end)
		return *most;
	range = grow(group->written, range, most);
	keep_grown(group, &range);
	return range;
}

/* The part around a range of shared memory, inside of `most`, to whose chunks nobody has written in this epoch. */
static struct range find_unchanged(const struct check_group *group, const struct range *range, const struct range *most)
{
	const struct check_put_off *put_off = &group->put_off;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	uint64_t first = range->start / CHECK_CHUNK_B, end = (range->end - 1) / CHECK_CHUNK_B + 1;
	if (put_off->latest != now)
		return *most;
	while (first * CHECK_CHUNK_B > most->start && put_off->written[first - 1] != now &&
	       put_off->direct[first - 1] != now && put_off->atomic[first - 1] != now)
		first--;
	while (end * CHECK_CHUNK_B < most->end && put_off->written[end] != now && put_off->direct[end] != now &&
	       put_off->atomic[end] != now)
		end++;
	return (struct range){
		first * CHECK_CHUNK_B > most->start ? first * CHECK_CHUNK_B : most->start,
		end * CHECK_CHUNK_B < most->end ? end * CHECK_CHUNK_B : most->end
	};
}

static void open_slot(struct check_group *group, uint32_t slot, uint64_t start, uint64_t size_B)
{
	struct memory_slot *to = &group->group->slots[slot];
	struct range *opened = &group->opened;
	to->start = start;
	to->size_B = size_B;
	if (!group->open)
		*opened = (struct range){start, start};
	opened->start = start < opened->start ? start : opened->start;
	opened->end = start + size_B > opened->end ? start + size_B : opened->end;
	group->open |= UINT64_C(1) << slot;
	const uint64_t offset_B = start - (uint64_t)(uintptr_t)group->group->shared;
	const uint64_t granules = check_granules(group, offset_B, offset_B + size_B);
	group->open_granules |= granules;
	group->put_off.unmarked |= granules;
}

/* Opens a range, as addresses, in a variable for a read, and for others that were in the variable when they were opened
 * the last time: most of them come soon. */
static void open_all(struct check_group *group, uint32_t slot, const struct range *variable, const struct range *range)
{
	const struct compiled *compiled = group->group->compiled;
	const uint64_t mark = variable->start + 1;
	struct memory_slot *slots = group->group->slots;
	slots[slot].range.end = mark;
	for (uint32_t i = 0; i < compiled->slot_count && i < CHECK_OPEN_MAX; i++)
		if (slots[i].range.end == mark && compiled->slot_parameter[i] == COMPILED_SHARED)
			open_slot(group, i, range->start, range->end - range->start);
}

/* Whether a read of a slot is at another place than the last one, around which nothing more was written. */
static bool is_close_by(struct check_group *group, uint32_t slot, uint64_t start)
{
	enum { TRIES = 16 };
	struct check_close_by *last = &group->close_by[slot];
	return last->start && last->start != start + 1 && ++last->others % TRIES;
}

/* Has the bytes around a read that have all been written, but not since the last barrier, up to the ends of its
 * variable, be read without the checker being called, until it closes that again (check_close): reads there have
 * nothing to report, and are put off. */
static void open_around(const struct check_whole *whole, uint32_t slot, unsigned checks)
{
	enum { MOST_B = 4096 };
	struct check_group *group = whole->group;
	const uint64_t shared = (uint64_t)(uintptr_t)group->group->shared;
	const struct range all = {0, group->group->job->shared_B};
	const struct range *variable = checks & CHECK_MEMORY ? find_shared(whole) : &all;
	/* Between the rows of an access, it is not known what is written. */
	const struct check_run *run = &whole->runs[0];
	struct range open = {run->place - shared, run->place - shared + check_run_B(whole, run)};
	if (!variable || is_close_by(group, slot, open.start))
		return;
	const uint64_t least = open.start > MOST_B ? open.start - MOST_B : 0, most = open.end + MOST_B;
	struct range around = {variable->start > least ? variable->start : least,
			       variable->end < most ? variable->end : most};
	if (checks & CHECK_RACE)
		around = find_unchanged(group, &open, &around);
	const struct range before = open;
	open = checks & CHECK_UNINIT ? find_written(group, open, &around) : around;
	const bool grew = open.start != before.start || open.end != before.end;
	const bool is_all = open.start == variable->start && open.end == variable->end;
	struct check_close_by *last = &group->close_by[slot];
	const bool repeats = last->start == before.start + 1;
	last->start = grew || is_all ? 0 : before.start + 1;
	if (last->start && !repeats)
		return;
	open_all(group, slot, variable, &(struct range){shared + open.start, shared + open.end});
	group->open_last[group->open_next++ % CHECK_OPEN_LAST] = (uint8_t)slot;
}

/* As look, for one run. */
static unsigned look_at_run(struct check_whole *whole, unsigned checks)
{
	enum { USUAL_B = LANES * SHADOW_WORD_B };
	struct check_group *group = whole->group;
	uint8_t *notes = group->written + (whole->start - (uint64_t)(uintptr_t)group->group->shared);
	const uint64_t size_B = whole->end - whole->start;
	bool right = !(checks & CHECK_MEMORY) || find_shared(whole);
	if (right && checks & CHECK_UNINIT) {
		right = !group->locals[whole->warp->index].copied_count;
		if (right && check_is_store(whole->op) && size_B == USUAL_B)
			memset(notes, BYTE_WRITTEN, USUAL_B);
		else if (right && check_is_store(whole->op))
			memset(notes, BYTE_WRITTEN, size_B);
		else if (right)
			right = size_B == USUAL_B ? !has_unwritten(notes, USUAL_B) : !has_unwritten(notes, size_B);
	}
	if (right)
		checks &= ~(unsigned)(CHECK_MEMORY | CHECK_UNINIT);
	return look_for_races(whole, checks);
}

/* Whether all words of lanes in mask were written; of a store, notes that they are. */
static bool words_written(const struct check_whole *whole, uint64_t place)
{
	typedef uint32_t __attribute__((may_alias)) word_notes;
	const struct check_group *group = whole->group;
	const uint32_t first = whole->runs[0].lane, count = whole->runs[0].count, mask = whole->mask >> first;
	uint8_t *bytes = group->written + (place - (uint64_t)(uintptr_t)group->group->shared);
	word_notes *notes = (word_notes *)(void *)bytes;
	const uint32_t written = (uint32_t)check_each_byte;
	uint32_t all = written;
	for (uint32_t i = 0; i < count && !whole->reads; i++)
		notes[i] = mask >> i & 1 ? written : notes[i];
	for (uint32_t i = 0; i < count && whole->reads; i++)
		all &= mask >> i & 1 ? notes[i] : written;
	return all == written;
}

/* Looks at words of which not all lanes of a row access theirs, and puts the access off.  False: it has to be looked at
 * in another way. */
static bool look_at_holes(struct check_whole *whole, const struct shared_access *told, unsigned checks)
{
	const uint32_t lanes = told->lanes, low = exec_lowest(lanes);
	const uint32_t high = LANES - 1 - (uint32_t)__builtin_clz(lanes);
	if (told->row < LANES || told->size_B != SHADOW_WORD_B || told->step_B != SHADOW_WORD_B ||
	    told->place[0] % SHADOW_WORD_B || lanes >> low == MASK_ALL >> (LANES - 1 - (high - low)))
		return false;
	whole->runs[0] = (struct check_run){
		told->place[0] + (uint64_t)low * SHADOW_WORD_B, low, high - low + 1, SHADOW_WORD_B
	};
	whole->run_count = 1;
	whole->has_holes = true;
	find_extent(whole);
	if ((checks & CHECK_MEMORY && !find_shared(whole)) ||
	    (checks & CHECK_UNINIT && (whole->group->locals[whole->warp->index].copied_count ||
				       !words_written(whole, whole->start))) ||
	    (checks & CHECK_RACE && !check_whole_put_off(whole))) {
		whole->has_holes = false;
		whole->run_count = 0;
	}
	return whole->has_holes;
}

static unsigned look_at_shared(struct warp *warp, const struct op *op, uint32_t slot, unsigned checks)
{
	const struct shared_access *told = warp->group->shared_next;
	struct check_whole whole;
	begin(&whole, warp, op, told->lanes, told->size_B);
	whole.is_told = true;
	whole.space = PLACE_SHARED;
	if (look_at_holes(&whole, told, checks))
		return 0;
	if (!check_is_store(op) || !check_told_ones(&whole, told)) {
		whole.run_count = check_told_runs(told, whole.runs);
		find_extent(&whole);
	}
	const unsigned left = whole.run_count == 1 ? look_at_run(&whole, checks) : look(&whole, checks);
	if (left || slot >= CHECK_OPEN_MAX || whole.is_own)
		return left;
	const struct memory_slot *other = find_open(&whole);
	if (other) {
		warp->group->slots[slot].range.end = other->range.end;
		open_slot(whole.group, slot, other->start, other->size_B);
	} else if (may_open(&whole, slot, checks)) {
		open_around(&whole, slot, checks);
	}
	return left;
}

extern const struct check_whole_functions EXEC_LEVELED(check_whole_table);
const struct check_whole_functions EXEC_LEVELED(check_whole_table) = {
	.access = look_at_access, .row = look_at_row, .rows = look_at_rows,
	.shared = look_at_shared, .compare = look_before_compare, .compared = note_compared,
	.note_put_off = check_whole_note_put_off
};
