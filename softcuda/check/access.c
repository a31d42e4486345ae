/* An access, as each of the checks looks at it. */
#include "config.h"

#include "softcuda/check/job.h"

/* The checks that look at accesses. */
enum { CHECK_ACCESSES = CHECK_MEMORY | CHECK_UNINIT | CHECK_RACE };

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = check_of(warp->group)->job->options;
	struct check_run runs[LANES];
	struct check_whole whole = {.warp = warp, .op = op, .mask = mask, .size_B = size_B, .place = place,
				    .cells = check_of(warp->group)->job->cells, .runs = runs};
	if (options & CHECK_ACCESSES && check_whole_find(&whole)) {
		const bool noted = !(options & (CHECK_MEMORY | CHECK_UNINIT)) || check_whole_noted(&whole);
		const bool inside = !(options & CHECK_MEMORY) || check_whole_bounds(&whole);
		/* Outside of a variable, notes about bytes must not be changed before that is reported. */
		if (noted && inside && (!(options & CHECK_UNINIT) || check_whole_written(&whole)))
			options &= ~(CHECK_MEMORY | CHECK_UNINIT);
		if (options & CHECK_RACE && check_whole_race(&whole))
			options &= ~CHECK_RACE;
	}
	if (!(options & CHECK_ACCESSES))
		return true;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if ((options & CHECK_MEMORY && !check_bounds(warp, op, l, place[l], size_B)) ||
		    (options & (CHECK_MEMORY | CHECK_UNINIT) && !check_noted(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_UNINIT && !check_written(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_RACE && !check_race(warp, op, mask, l, place, size_B)))
			return false;
	}
	return true;
}
