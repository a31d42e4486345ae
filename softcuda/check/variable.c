/* Private variables: a program that is built to be checked says where each of them is. */
#include "config.h"

#include "softcuda/check/job.h"

#include <stdlib.h>

bool check_local_fits(struct warp *warp)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
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

bool check_note_private(struct warp *warp, const struct op *op, uint32_t mask,
			const lane_u64 *address, const lane_u64 *size_B)
{
	struct check_local *local = &check_of(warp->group)->locals[warp->index];
	if (!check_local_fits(warp))
		return check_fail_memory(warp, op, mask);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned l = exec_lowest(rest);
		const struct check_variable variable = {
			.start_B = address[l] & ~WINDOW_MASK,
			.size_B = size_B[l] & ~CHECK_VECTOR, .vector = size_B[l] & CHECK_VECTOR,
			.name = (const char *)(intptr_t)op->imm
		};
		const uint64_t end_B = variable.start_B + variable.size_B;
		if (end_B < variable.start_B || variable.start_B < VARIABLE_GAP_B ||
		    end_B + VARIABLE_GAP_B > local->stride_B)
			continue;
		uint8_t *bytes = local->written + (size_t)l * local->stride_B;
		for (uint64_t i = variable.start_B; i < end_B; i++)
			bytes[i] = bytes[i] == BYTE_GAP ? BYTE_UNWRITTEN : bytes[i];
		memset(bytes + variable.start_B - VARIABLE_GAP_B, BYTE_GAP, VARIABLE_GAP_B);
		memset(bytes + end_B, BYTE_GAP, VARIABLE_GAP_B);
		/* All lanes have the same variables at the same places. */
		if (l == exec_lowest(mask))
			keep(local, &variable);
	}
	return true;
}

bool check_in_gap(const struct warp *warp, unsigned l, uint64_t offset_B, uint32_t size_B)
{
	const struct check_local *local = &check_of(warp->group)->locals[warp->index];
	return local->written && offset_B + size_B <= local->stride_B &&
	       memchr(local->written + (size_t)l * local->stride_B + offset_B, BYTE_GAP, size_B);
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
