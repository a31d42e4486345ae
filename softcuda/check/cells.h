/* Accesses of many cells at a time (check/shadow.h): what the race checker does most, compiled for each level of x86-64
 * (exec/level.h).
 *
 * The functions are for a work-group whose lanes know of each other only what barriers of the whole group have ordered,
 * and which has run without others in between since it began: then comparing records as numbers decides what is
 * ordered.  Thread-safety: as of the cells. */
#ifndef CULVERT_SOFTCUDA_CHECK_CELLS_H
#define CULVERT_SOFTCUDA_CHECK_CELLS_H

#include "softcuda/check/shadow.h"
#include "softcuda/exec/table.h"

#include <stdbool.h>
#include <stdint.h>

/* What has an order to the present access. */
struct cells_order {
	uint64_t first;           /* records of the group itself are not below this one */
	uint64_t span;            /* those in [first, first + span) are ordered before all accesses now */
};

/* 1 if there is no access, or one that is ordered before all accesses now; else 0.  Numbers are combined without
 * branches, so that loops over records become loops over vectors. */
static inline unsigned cells_over(uint64_t record, const struct cells_order *order)
{
	return !record | (record - order->first < order->span);
}

/* 1 if an access is of the group, and by the same lane as the record `now`; else 0. */
static inline unsigned cells_own(uint64_t record, uint64_t now, const struct cells_order *order)
{
	return (record >= order->first) & !((record ^ now) & RECORD_LANE_MASK);
}

/* 1 if an access has an order to that of the record `now`, or if there is none; else 0. */
static inline unsigned cells_ordered(uint64_t record, uint64_t now, const struct cells_order *order)
{
	return cells_over(record, order) | cells_own(record, now, order);
}

/* Cells side by side, each of which a lane accesses. */
struct cells {
	uint64_t *write, *read[2];
	unsigned count;
	uint64_t record;          /* of the lane that accesses the first cell */
	unsigned shift;           /* each lane accesses 1 << shift cells */
	unsigned step;            /* by which the lane grows from those to the next ones: 1 unless a cell stands for
				   * several */
};

/* Note reads, or writes, of cells without atomic writes.  False: there may be a race; of writes, none is noted then. */
#define cells_read EXEC_LEVELED(cells_read)
#define cells_write EXEC_LEVELED(cells_write)
bool cells_read(const struct cells *cells, const struct cells_order *order);
bool cells_write(const struct cells *cells, const struct cells_order *order);
/* The same of cells [from, end) of a block: those are cells->write[from] and so on.  cells->record: of what lane would
 * access the block's first cell; count and step have no meaning. */
#define cells_read_part EXEC_LEVELED(cells_read_part)
#define cells_write_part EXEC_LEVELED(cells_write_part)
bool cells_read_part(const struct cells *cells, const struct cells_order *order, unsigned from, unsigned end);
bool cells_write_part(const struct cells *cells, const struct cells_order *order, unsigned from, unsigned end);

/* Different words, each of which one lane accesses. */
struct cells_ones {
	uint64_t record;          /* of the warp's first lane */
	uint32_t count;
	const uint32_t *lane;
	uint64_t *write;          /* of a page; the reads are SHADOW_WORDS and twice as many records behind */
	int64_t cell[LANES];      /* where each one is from there, also those of other pages */
};

/* As cells_read and cells_write. */
#define cells_read_ones EXEC_LEVELED(cells_read_ones)
#define cells_write_ones EXEC_LEVELED(cells_write_ones)
bool cells_read_ones(const struct cells_ones *ones, const struct cells_order *order);
bool cells_write_ones(const struct cells_ones *ones, const struct cells_order *order);

#endif
