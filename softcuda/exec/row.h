/* Rows: the addresses of a whole warp that lie side by side or are all the same, which is what most loads and
 * stores of most kernels have.  A row is checked once and moved by one copy, where other accesses are
 * checked and moved lane by lane (exec/access.h).
 *
 * Only for launches that nobody watches, weak accesses, and a warp with all its lanes. */
#ifndef CULVERT_SOFTCUDA_EXEC_ROW_H
#define CULVERT_SOFTCUDA_EXEC_ROW_H

#include "softcuda/exec/memory.h"
#include "softcuda/exec/warp.h"

enum row_kind {
	ROW_NONE,         /* another access, or one whose place has to be looked up */
	ROW_SAME,         /* all lanes have the address of the first */
	ROW_NEXT          /* each lane's bytes are behind those of the lane before */
};

struct row {
	enum row_kind kind;
	char *place;      /* of the first lane, in host memory */
};

/* The kind of a row, and its first address without op's offset.  size_B is a constant in every caller. */
static inline __attribute__((always_inline)) enum row_kind
row_find(const struct warp *warp, const struct op *op, uint32_t size_B, uint64_t *first_out)
{
	uint64_t same = 0, next = 0;
	if (op->address_32) {
		const lane_u32 *address = OPERAND(const lane_u32, MEMORY_ADDRESS);
		const uint32_t first = address[0];
		for (uint32_t l = 0; l < LANES; l++) {
			same |= address[l] - first;
			next |= (address[l] - first) ^ l * size_B;
		}
		*first_out = first;
	} else {
		const lane_u64 *address = OPERAND(const lane_u64, MEMORY_ADDRESS);
		const uint64_t first = address[0];
		for (uint64_t l = 0; l < LANES; l++) {
			same |= address[l] - first;
			next |= (address[l] - first) ^ l * size_B;
		}
		*first_out = first;
	}
	return !next ? ROW_NEXT : !same ? ROW_SAME : ROW_NONE;
}

/* Whether all extent_B bytes are in memory that the launch has found already. */
static inline bool row_in_range(const struct group *group, uint64_t address, uint32_t extent_B)
{
	for (uint32_t i = 0; i < RANGES; i++)
		if (address >= group->ranges[i].start &&
		    address - group->ranges[i].start <= group->ranges[i].end - group->ranges[i].start &&
		    group->ranges[i].end - address >= extent_B)
			return true;
	return false;
}

/* A place in a window of limit_B bytes; NULL: not all of it is inside. */
static inline char *row_in_window(char *base, uint64_t limit_B, uint64_t address, uint32_t extent_B)
{
	return address <= limit_B && limit_B - address >= extent_B ? base + address : NULL;
}

static inline __attribute__((always_inline)) struct row
exec_row(const struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B)
{
	const struct group *group = warp->group;
	struct row row = {ROW_NONE, NULL};
	uint64_t first;
	if (mask != MASK_ALL || warp->watched)
		return row;
	const enum row_kind kind = row_find(warp, op, size_B, &first);
	const uint32_t extent_B = kind == ROW_NEXT ? LANES * size_B : size_B;
	const uint64_t address = op->address_32 ? (uint32_t)(first + (uint64_t)op->imm)
						: first + (uint64_t)op->imm;
	if (kind == ROW_NONE || (address & (size_B - 1)))
		return row;
	if (op->space == SPACE_SHARED)
		row.place = row_in_window(group->shared, group->job->shared_B, (uint32_t)address, extent_B);
	else if (op->space == SPACE_PARAM)
		row.place = row_in_window((char *)(uintptr_t)group->job->launch->parameters,
					  group->job->launch->function->parameter_size_B, address,
					  extent_B);
	else if (op->space != SPACE_LOCAL && row_in_range(group, address, extent_B))
		row.place = (char *)(uintptr_t)address;
	row.kind = row.place ? kind : ROW_NONE;
	return row;
}

#endif
