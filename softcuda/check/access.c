/* An access, as each of the checks looks at it. */
#include "config.h"

#include "softcuda/check/job.h"

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = check_of(warp->group)->job->options;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if ((options & CHECK_MEMORY && !check_bounds(warp, op, l, place[l], size_B)) ||
		    (options & (CHECK_MEMORY | CHECK_UNINIT) && !check_noted(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_UNINIT && !check_written(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_RACE && !check_race(warp, op, l, place[l], size_B)))
			return false;
	}
	return true;
}
