/* Accesses of private memory by all lanes of a warp. */
#include "config.h"

#include "softcuda/check/whole.h"

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

bool check_whole_read_private(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct check_local *local = &whole->group->locals[warp->index];
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

bool check_whole_inside_private(const struct check_whole *whole)
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

bool check_whole_written_private(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	struct check_local *local = &whole->group->locals[warp->index];
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
