/* An access, as each of the checks looks at it. */
#include "config.h"

#include "softcuda/check/job.h"

/* The checks that look at accesses. */
enum { CHECK_ACCESSES = CHECK_MEMORY | CHECK_UNINIT | CHECK_RACE };

/* Looks at all lanes at once, after check_whole_find.  Returns which of the checks do not know whether all is right. */
static unsigned look_at_whole(struct check_whole *whole, unsigned checks)
{
	const bool noted = !(checks & (CHECK_MEMORY | CHECK_UNINIT)) || check_whole_noted(whole);
	const bool inside = !(checks & CHECK_MEMORY) || check_whole_bounds(whole);
	/* Outside of a variable, notes about bytes must not be changed before that is reported. */
	if (noted && inside && (!(checks & CHECK_UNINIT) || check_whole_written(whole)))
		checks &= ~(CHECK_MEMORY | CHECK_UNINIT);
	if (checks & CHECK_RACE && check_whole_race(whole))
		checks &= ~CHECK_RACE;
	return checks;
}

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = check_of(warp->group)->job->options & CHECK_ACCESSES;
	struct check_run runs[LANES];
	struct check_whole whole = {.warp = warp, .op = op, .mask = mask, .size_B = size_B, .place = place,
				    .cells = check_of(warp->group)->job->cells, .runs = runs};
	if (options && check_whole_find(&whole))
		options = look_at_whole(&whole, options);
	for (uint32_t rest = options ? mask : 0; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if ((options & CHECK_MEMORY && !check_bounds(warp, op, l, place[l], size_B)) ||
		    (options & (CHECK_MEMORY | CHECK_UNINIT) && !check_noted(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_UNINIT && !check_written(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_RACE && !check_race(warp, op, mask, l, place, size_B)))
			return false;
	}
	return true;
}

bool check_row(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place, uint32_t step_B)
{
	const unsigned options = check_of(warp->group)->job->options & CHECK_ACCESSES;
	struct check_run runs[LANES];
	struct check_whole whole = {.warp = warp, .op = op, .mask = mask, .size_B = size_B,
				    .cells = check_of(warp->group)->job->cells, .runs = runs};
	return !options || (check_whole_find_row(&whole, place, step_B) && !look_at_whole(&whole, options));
}

bool check_rows(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
		uint32_t step_B)
{
	const unsigned options = check_of(warp->group)->job->options & CHECK_ACCESSES;
	struct check_run runs[LANES];
	struct check_whole whole = {.warp = warp, .op = op, .mask = MASK_ALL, .size_B = size_B,
				    .cells = check_of(warp->group)->job->cells, .runs = runs};
	return !options || (check_whole_find_rows(&whole, row, place, step_B) && !look_at_whole(&whole, options));
}
