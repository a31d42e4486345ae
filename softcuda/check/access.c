/* An access, as each of the checks looks at it. */
#include "config.h"

#include "softcuda/check/job.h"

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = check_of(warp->group)->job->options & CHECK_ACCESSES;
	if (options)
		options = check_of(warp->group)->job->whole->access(warp, op, mask, size_B, place, options);
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
	const struct check_job *check = check_of(warp->group)->job;
	const unsigned options = check->options & CHECK_ACCESSES;
	return !options || !check->whole->row(warp, op, mask, size_B, place, step_B, options);
}

bool check_rows(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
		uint32_t step_B)
{
	const struct check_job *check = check_of(warp->group)->job;
	const unsigned options = check->options & CHECK_ACCESSES;
	return !options || !check->whole->rows(warp, op, row, size_B, place, step_B, options);
}

bool check_compare(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place)
{
	const struct check_job *check = check_of(warp->group)->job;
	const unsigned options = check->options & CHECK_ACCESSES;
	return !options || check->whole->compare(warp, op, mask, size_B, place, options);
}

bool check_compared(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
		    const uint64_t *place)
{
	const struct check_job *check = check_of(warp->group)->job;
	return !(check->options & CHECK_RACE) || check->whole->compared(warp, op, mask, wrote, size_B, place);
}

bool check_shared(struct warp *warp, const struct op *op, uint32_t slot)
{
	struct check_group *group = check_of(warp->group);
	const unsigned options = group->job->options & CHECK_ACCESSES;
	const bool right = !options || !group->job->whole->shared(warp, op, slot, options);
	/* Machine code has room again. */
	if (!(options & CHECK_RACE))
		check_put_off_forget(group);
	return right;
}
