/* Reads of local and private memory that nobody has written, and the part of
 * check_access that all checks share. */
#include "config.h"

#include "backend/softcuda/check_job.h"

#include <stdlib.h>

/* A warp's private memory may have grown; its content has moved with it. */
static bool local_fits(struct warp *warp, struct check_local *local)
{
	if (local->stride_B == warp->local_stride_B)
		return true;
	uint8_t *written = calloc(LANES, warp->local_stride_B);
	if (!written)
		return false;
	for (size_t l = 0; l < LANES && local->written; l++)
		memcpy(written + l * warp->local_stride_B,
		       local->written + l * local->stride_B, local->stride_B);
	free(local->written);
	local->written = written;
	local->stride_B = warp->local_stride_B;
	return true;
}

/* Elements by themselves: a vector of three is read as four, and structures are
 * copied with their padding.  So only what has no written byte at all counts. */
static int find_unwritten(const uint8_t *written, uint32_t element_B, uint32_t count)
{
	for (uint32_t e = 0; e < count; e++) {
		if (count == 4 && e == 3)
			break;
		if (!memchr(written + (size_t)e * element_B, 1, element_B))
			return (int)e;
	}
	return -1;
}

bool check_written(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		   uint32_t size_B)
{
	struct check_group *group = warp->group->check;
	struct check_local *local = &group->locals[warp->index];
	uint64_t offset_B;
	enum check_space space = check_place(warp, l, place, &offset_B);
	if (space != CHECK_SPACE_SHARED && space != CHECK_SPACE_LOCAL)
		return true;
	if (space == CHECK_SPACE_LOCAL && !local_fits(warp, local))
		return check_fail_memory(warp, op, 1u << l);
	uint8_t *written = space == CHECK_SPACE_SHARED ? group->written + offset_B :
			   local->written + (size_t)l * local->stride_B + offset_B;
	if (check_is_store(op)) {
		memset(written, 1, size_B);
		return true;
	}
	int e = find_unwritten(written, size_B / op->vector, op->vector);
	if (e >= 0) {
		struct bytes text = BYTES_INIT;
		check_describe_place(warp, l, place + (uint32_t)e * (size_B / op->vector), &text);
		check_report(group, warp, op, l, "uninitialised read", 0,
			     "%s memory that nobody has written%s",
			     space == CHECK_SPACE_SHARED ? "local" : "private",
			     bytes_string(&text));
		bytes_finish(&text);
	}
	/* Once is enough, and an atomic writes. */
	memset(written, 1, size_B);
	return true;
}

/* Arguments and results are copied whole, with what they have of padding. */
static void mark(struct warp *warp, uint32_t lanes, uint32_t start_B, uint32_t size_B,
		 uint8_t value)
{
	struct check_local *local = &warp->group->check->locals[warp->index];
	if (!local_fits(warp, local) || (uint64_t)start_B + size_B > local->stride_B)
		return;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		memset(local->written + (size_t)exec_lowest(rest) * local->stride_B + start_B,
		       value, size_B);
}

void check_call(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct code *code = frame->code;
	mark(warp, lanes, frame->local_B, code->local_B, 0);
	for (uint32_t i = 0; i < code->parameter_count; i++)
		mark(warp, lanes, frame->local_B + code->parameters[i].offset_B,
		     code->parameters[i].size_B, 1);
}

void check_return(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	const struct call_site *site = frame->site;
	for (uint32_t i = 0; i < site->result_count; i++)
		mark(warp, lanes, frame->parent->local_B + site->results[i].to_B,
		     site->results[i].size_B, 1);
}

bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place)
{
	unsigned options = warp->group->check->job->options;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		if ((options & CHECK_MEMORY && !check_bounds(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_UNINIT && !check_written(warp, op, l, place[l], size_B)) ||
		    (options & CHECK_RACE && !check_race(warp, op, l, place[l], size_B)))
			return false;
	}
	return true;
}
