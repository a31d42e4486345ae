/* Private variables: a program that is built to be checked says where each of them is. */
#include "config.h"

#include "softcuda/check/job.h"

#include "softcuda/exec/watch.h"

#include <stdlib.h>

bool check_local_fits(struct warp *warp)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	if (local->stride_B == warp->local_stride_B)
		return true;
	const size_t size_B = warp->local_stride_B;
	uint32_t *written = calloc(2 * size_B, sizeof(*written));
	if (!written)
		return false;
	/* All counts as written if nobody wants to know. */
	if (!(check_of(warp->group)->job->options & CHECK_UNINIT))
		memset(written, 0xff, size_B * sizeof(*written));
	if (local->written) {
		memcpy(written, local->written, local->stride_B * sizeof(*written));
		memcpy(written + size_B, local->gap, local->stride_B * sizeof(*written));
	}
	free(local->written);
	local->written = written;
	local->gap = written + size_B;
	local->stride_B = warp->local_stride_B;
	check_local_tell(warp);
	return true;
}

/* Something is noted of these bytes. */
static void use(struct check_local *local, uint64_t start_B, uint64_t end_B)
{
	const bool first = local->used.start == local->used.end;
	local->used.start = first || start_B < local->used.start ? start_B : local->used.start;
	local->used.end = end_B > local->used.end ? end_B : local->used.end;
}

/* What a store copies may not have been written, so that stores are looked at while a copy may be on its way; and loads
 * of global memory, which may replace what is on its way. */
void check_local_tell(struct warp *warp)
{
	/* More notes than these are cleared for each work-group only if some are set. */
	enum { STORES_MAX_B = 64 };
	struct check_group *group = check_of(warp->group);
	struct check_local *local = &group->locals[warp->index];
	const struct code *code = warp->group->job->code;
	const struct local_variable *variable = code->local_count == 1 ? &code->locals[0] : NULL;
	const bool known = variable && !local->copied_count &&
			   (uint64_t)variable->offset_B + variable->size_B <= local->stride_B;
	group->told = NULL;
	warp->not_quiet = local->copied_count ? SOFT_ACCESS_READ : 0;
	warp->private_written = local->written;
	warp->private_start_B = known ? variable->offset_B : 0;
	warp->private_B = known ? variable->size_B : 0;
	warp->private_stores = known && variable->size_B <= STORES_MAX_B &&
			       group->job->options & CHECK_UNINIT;
	if (warp->private_stores)
		use(local, variable->offset_B, (uint64_t)variable->offset_B + variable->size_B);
}

uint8_t check_local_note(const struct check_local *local, unsigned l, uint64_t offset_B)
{
	return local->gap[offset_B] >> l & 1 ? BYTE_GAP :
	       local->written[offset_B] >> l & 1 ? BYTE_WRITTEN : BYTE_UNWRITTEN;
}

/* Sets, or clears, the bits of lanes in notes. */
static void set_notes(uint32_t *notes, uint32_t lanes, uint64_t size_B, bool set)
{
	if (lanes == MASK_ALL)
		memset(notes, set ? 0xff : 0, size_B * sizeof(*notes));
	for (uint64_t i = 0; lanes != MASK_ALL && i < size_B; i++)
		notes[i] = set ? notes[i] | lanes : notes[i] & ~lanes;
}

void check_local_set(struct check_local *local, uint32_t lanes, uint64_t offset_B, uint64_t size_B, uint8_t note)
{
	use(local, offset_B, offset_B + size_B);
	set_notes(local->written + offset_B, lanes, size_B, note == BYTE_WRITTEN);
	set_notes(local->gap + offset_B, lanes, size_B, note == BYTE_GAP);
}

static bool overlaps(const struct check_variable *a, const struct check_variable *b)
{
	return a->start_B < b->start_B + b->size_B && b->start_B < a->start_B + a->size_B;
}

/* Keeps the variable instead of earlier ones at the same place, whose functions have returned. */
static void keep(struct check_local *local, const struct check_variable *variable)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < local->variable_count; i++)
		if (!overlaps(&local->variables[i], variable))
			local->variables[kept++] = local->variables[i];
	local->variable_count = kept;
	if (kept < CHECK_VARIABLES)
		local->variables[local->variable_count++] = *variable;
	else
		local->variables[local->next_variable++ % CHECK_VARIABLES] = *variable;
}

/* Notes a variable of lanes, and the gaps around it.  False: it is not in their memory. */
static bool note_variable(struct check_local *local, uint32_t lanes, const struct check_variable *variable, bool wanted)
{
	const uint64_t end_B = variable->start_B + variable->size_B;
	if (end_B < variable->start_B || variable->start_B < VARIABLE_GAP_B ||
	    end_B + VARIABLE_GAP_B > local->stride_B)
		return false;
	/* Bytes in a gap are not written.  Those around the variable are noted as used, and with them its own. */
	set_notes(local->gap + variable->start_B, lanes, variable->size_B, false);
	if (!wanted)
		set_notes(local->written + variable->start_B, lanes, variable->size_B, true);
	check_local_set(local, lanes, variable->start_B - VARIABLE_GAP_B, VARIABLE_GAP_B, BYTE_GAP);
	check_local_set(local, lanes, end_B, VARIABLE_GAP_B, BYTE_GAP);
	return true;
}

bool check_note_private(struct warp *warp, const struct op *op, uint32_t mask,
			const lane_u64 *address, const lane_u64 *size_B)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	const bool wanted = check_of(warp->group)->job->options & CHECK_UNINIT;
	const unsigned first = exec_lowest(mask);
	if (!check_local_fits(warp))
		return check_fail_memory(warp, op, mask);
	/* All lanes have the same variables, and nearly always at the same places. */
	for (uint32_t rest = mask, lanes; rest; rest &= ~lanes) {
		const unsigned l = exec_lowest(rest);
		const struct check_variable variable = {
			.start_B = address[l] & ~WINDOW_MASK,
			.size_B = size_B[l] & ~CHECK_VECTOR, .vector = size_B[l] & CHECK_VECTOR,
			.name = (const char *)(intptr_t)op->imm
		};
		lanes = 0;
		for (unsigned k = 0; k < LANES; k++)
			lanes |= (uint32_t)(address[k] == address[l] && size_B[k] == size_B[l]) << k;
		lanes &= rest;
		if (note_variable(local, lanes, &variable, wanted) && l == first)
			keep(local, &variable);
	}
	return true;
}

bool check_in_gap(const struct warp *warp, unsigned l, uint64_t offset_B, uint32_t size_B)
{
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	uint32_t gap = 0;
	for (uint32_t i = 0; local->written && offset_B + size_B <= local->stride_B && i < size_B; i++)
		gap |= local->gap[offset_B + i];
	return gap >> l & 1;
}

const struct check_variable *check_variable_at(const struct warp *warp, uint64_t offset_B)
{
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	const struct check_variable *nearest = NULL;
	for (uint32_t i = 0; i < local->variable_count; i++) {
		const struct check_variable *variable = &local->variables[i];
		uint64_t before_B = variable->start_B - offset_B;
		uint64_t behind_B = offset_B - variable->start_B - variable->size_B;
		if (offset_B - variable->start_B < variable->size_B)
			return variable;
		if (before_B - 1 < VARIABLE_GAP_B || behind_B < VARIABLE_GAP_B)
			nearest = variable;
	}
	return nearest;
}

bool check_describe_private(const struct warp *warp, uint64_t offset_B, struct bytes *text)
{
	const struct check_variable *variable = check_variable_at(warp, offset_B);
	if (!variable)
		return false;
	const struct range extent = {variable->start_B, variable->start_B + variable->size_B};
	exec_describe_in(text, &extent, offset_B, "the private variable ",
			 variable->name ? variable->name : "without a name");
	return true;
}
