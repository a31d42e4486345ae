/* Accesses that are right in all lanes of a warp, which nearly all are: each check looks at all lanes at once, and
 * notes the access if it finds nothing to report.  Otherwise it changes nothing, and looks at each lane by itself
 * (check/access.c), which is slower and finds the same. */
#include "config.h"

#include "softcuda/check/job.h"

#include "softcuda/exec/memory.h"

#include <string.h>

/* --- where the lanes are ---------- */

static bool overlaps(const struct check_whole *whole, uint64_t start, uint64_t size_B)
{
	return whole->start < start + size_B && start < whole->end;
}

/* Sets start and end around the bytes of all lanes.  Often all lanes access one place, or places side by side. */
static void find_extent(struct check_whole *whole)
{
	const uint64_t *place = whole->place, first = place[exec_lowest(whole->mask)], step = whole->size_B;
	uint64_t low = first, high = first, apart = 0, different = 0;
	for (unsigned l = 0; whole->mask == MASK_ALL && l < LANES; l++) {
		apart |= place[l] ^ (first + l * step);
		different |= place[l] ^ first;
	}
	whole->adjacent = whole->mask == MASK_ALL && !apart;
	if (whole->adjacent)
		high = first + (LANES - 1) * step;
	const bool decided = whole->mask == MASK_ALL && (!apart || !different);
	for (uint32_t rest = decided ? 0 : whole->mask; rest; rest &= rest - 1) {
		const uint64_t at = place[exec_lowest(rest)];
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	whole->start = low;
	whole->end = high + step;
}

/* --- private memory ---------- */

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

static inline __attribute__((always_inline)) void add_notes(struct check_notes *notes, const uint8_t *written,
							    uint32_t size_B)
{
	for (uint32_t i = 0; i < size_B; i += sizeof(uint64_t)) {
		const uint32_t part_B = size_B - i < sizeof(uint64_t) ? size_B - i : sizeof(uint64_t);
		uint64_t bytes = 0;
		memcpy(&bytes, written + i, part_B);
		notes->either |= bytes;
		/* Bytes behind the last one count as written. */
		notes->every &= part_B < sizeof(bytes) ? bytes | each_byte << 8 * part_B : bytes;
	}
}

/* size_B is a constant in every caller, so that reading notes is one instruction. */
static inline __attribute__((always_inline)) bool read_lanes(const struct check_whole *whole, uint32_t size_B,
							     struct check_notes *notes_out)
{
	const struct warp *warp = whole->warp;
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	const uint64_t stride_B = warp->local_stride_B, base = (uint64_t)(uintptr_t)warp->local;
	struct check_notes notes = {0, UINT64_MAX, UINT64_MAX, 0};
	for (uint32_t rest = whole->mask; rest; rest &= rest - 1) {
		const unsigned l = exec_lowest(rest);
		const uint64_t offset_B = whole->place[l] - base - l * stride_B;
		if (offset_B > stride_B || stride_B - offset_B < size_B)
			return false;
		notes.low = offset_B < notes.low ? offset_B : notes.low;
		notes.high = offset_B > notes.high ? offset_B : notes.high;
		add_notes(&notes, local->written + l * stride_B + offset_B, size_B);
	}
	*notes_out = notes;
	return true;
}

/* Reads what is known of the bytes that the lanes access.  False if an access leaves its lane's memory. */
static bool read_private(const struct check_whole *whole, struct check_notes *notes)
{
	switch (whole->size_B) {
	case 1:
		return read_lanes(whole, 1, notes);
	case 4:
		return read_lanes(whole, 4, notes);
	case 8:
		return read_lanes(whole, 8, notes);
	case 16:
		return read_lanes(whole, 16, notes);
	default:
		return read_lanes(whole, whole->size_B, notes);
	}
}

/* Whether all lanes' bytes are in one variable of the frame and, in a program with gaps, outside of these. */
static bool inside_private(const struct check_whole *whole)
{
	const struct frame *frame = whole->warp->frame;
	struct range range;
	if (frame->parent || frame->tops || whole->notes.either & each_byte * BYTE_GAP)
		return false;
	for (uint32_t i = 0; i < frame->code->local_count; i++)
		if (exec_frame_extent(frame, i, &range) && whole->notes.low >= range.start &&
		    whole->notes.high + whole->size_B <= range.end)
			return true;
	return false;
}

/* Whether all bytes that the lanes read have been written; notes those that they write. */
static bool written_private(const struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	const uint64_t base = (uint64_t)(uintptr_t)warp->local;
	const bool all = !(whole->notes.either & ~each_byte) && whole->notes.every == each_byte;
	if (!check_is_store(whole->op))
		return all;
	for (uint32_t rest = all ? 0 : whole->mask; rest; rest &= rest - 1)
		memset(local->written + (whole->place[exec_lowest(rest)] - base), BYTE_WRITTEN, whole->size_B);
	return true;
}

/* --- the checks ---------- */

/* Finds the memory that all lanes access.  False if they do not access one kind of memory. */
static bool find_place(struct check_whole *whole)
{
	const struct warp *warp = whole->warp;
	const struct job *job = warp->group->job;
	const uint64_t shared = (uint64_t)(uintptr_t)warp->group->shared, local = (uint64_t)(uintptr_t)warp->local;
	const uint64_t parameters = (uint64_t)(uintptr_t)job->launch->parameters;
	const uint64_t parameter_B = job->launch->function->parameter_size_B;
	const uint64_t local_B = (uint64_t)LANES * warp->local_stride_B;
	find_extent(whole);
	const bool in_shared = overlaps(whole, shared, job->shared_B);
	const bool in_local = local && overlaps(whole, local, local_B);
	const bool in_parameters = parameters && overlaps(whole, parameters, parameter_B);
	whole->space = in_shared ? PLACE_SHARED : in_local ? PLACE_LOCAL : in_parameters ? PLACE_PARAM : PLACE_GLOBAL;
	if (in_shared)
		return whole->start >= shared && whole->end <= shared + job->shared_B;
	if (in_local)
		return whole->start >= local && whole->end <= local + local_B && check_local_fits(whole->warp) &&
		       read_private(whole, &whole->notes);
	return !in_parameters || (whole->start >= parameters && whole->end <= parameters + parameter_B);
}

bool check_whole_find(struct check_whole *whole)
{
	return whole->size_B && find_place(whole);
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
	struct range *recent = &check_of(whole->warp->group)->job->recent_shared;
	const uint64_t shared = (uint64_t)(uintptr_t)whole->warp->group->shared;
	const uint64_t start = whole->start - shared, end = whole->end - shared;
	struct range range;
	if (start >= recent->start && end <= recent->end)
		return true;
	for (uint32_t i = 0; i < job->program->shared_count; i++) {
		if (!exec_shared_extent(job, i, &range) || start < range.start || end > range.end)
			continue;
		*recent = range;
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

bool check_whole_noted(const struct check_whole *whole)
{
	const struct soft_memory *memory = whole->warp->group->job->launch->memory;
	return whole->space != PLACE_GLOBAL ||
	       memory->touch_range(whole->start, whole->end - whole->start, !check_is_store(whole->op),
				   !check_is_load(whole->op), whole->adjacent);
}

/* The same for shared memory.  What lies between the lanes' bytes has to be written, too. */
static bool written_shared(const struct check_whole *whole)
{
	enum { RANGE_MAX_B = 2048 };
	const struct group *group = whole->warp->group;
	uint8_t *written = check_of(group)->written;
	const uint64_t shared = (uint64_t)(uintptr_t)group->shared, size_B = whole->end - whole->start;
	if (!check_is_store(whole->op))
		return size_B <= RANGE_MAX_B && !memchr(written + (whole->start - shared), BYTE_UNWRITTEN, size_B);
	if (whole->adjacent)
		memset(written + (whole->start - shared), BYTE_WRITTEN, size_B);
	for (uint32_t rest = whole->adjacent ? 0 : whole->mask; rest; rest &= rest - 1)
		memset(written + (whole->place[exec_lowest(rest)] - shared), BYTE_WRITTEN, whole->size_B);
	return true;
}

bool check_whole_written(const struct check_whole *whole)
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
