#include "config.h"

#include "softcuda/check/cells.h"

#include "softcuda/check/shadow.h"
#include "softcuda/exec/level.h"

#define INLINE static inline __attribute__((always_inline))

/* 1 if there is no access, or one that is ordered before all accesses now; else 0.  Numbers are combined without
 * branches, so that the loops become loops over vectors. */
INLINE unsigned is_over(uint64_t record, const struct cells_order *order)
{
	return !record | (record - order->first < order->span);
}

/* 1 if an access of the group is by the same lane as another; else 0. */
INLINE unsigned is_own(uint64_t record, uint64_t now, const struct cells_order *order)
{
	return (record >= order->first) & !((record ^ now) & RECORD_LANE_MASK);
}

INLINE uint64_t record_at(const struct cells *cells, unsigned i, unsigned shift, unsigned step)
{
	return cells->record + ((uint64_t)(i >> shift) * step << RECORD_LANE_SHIFT);
}

INLINE bool read_cells(const struct cells *cells, struct cells_order order, unsigned count, unsigned shift,
		       unsigned step)
{
	const uint64_t *restrict write = cells->write;
	uint64_t *restrict first = cells->read[0], *restrict second = cells->read[1];
	uint64_t bad = 0, any = 0;
	for (unsigned i = 0; i < count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool over = is_over(write[i], &order) | is_own(write[i], now, &order);
		const bool replaces = is_over(first[i], &order) | is_own(first[i], now, &order);
		bad |= over ? 0 : 1;
		any |= replaces ? 0 : 1;
		first[i] = replaces ? now : first[i];
	}
	/* Where the first read is of another lane, this one becomes the second. */
	for (unsigned i = 0; any && i < count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool replaces = (first[i] != now) &
				      (is_over(second[i], &order) | is_own(second[i], now, &order));
		second[i] = replaces ? now : second[i];
	}
	return !bad;
}

INLINE bool write_cells(const struct cells *cells, struct cells_order order, unsigned count, unsigned shift,
		       unsigned step)
{
	uint64_t *restrict write = cells->write, *restrict first = cells->read[0], *restrict second = cells->read[1];
	uint64_t bad = 0;
	for (unsigned i = 0; i < count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool over = (is_over(write[i], &order) | is_own(write[i], now, &order)) &
				  (is_over(first[i], &order) | is_own(first[i], now, &order)) &
				  (is_over(second[i], &order) | is_own(second[i], now, &order));
		bad |= over ? 0 : 1;
	}
	for (unsigned i = 0; !bad && i < count; i++) {
		write[i] = record_at(cells, i, shift, step);
		first[i] = second[i] = 0;
	}
	return !bad;
}

/* Most accesses are of a word by each lane of a warp, or of half a warp. */
#define WITH_USUAL_COUNTS(function, cells, order)                                         \
	((cells)->step == SHADOW_BLOCK && (cells)->count == 4 ? function(cells, *(order), 4, 0, SHADOW_BLOCK) : \
	 (cells)->step == SHADOW_BLOCK && (cells)->count == 2 ? function(cells, *(order), 2, 0, SHADOW_BLOCK) : \
	 (cells)->shift || (cells)->step != 1 || (cells)->count % 8 ?                      \
	 function(cells, *(order), (cells)->count, (cells)->shift, (cells)->step) :        \
	 (cells)->count == 32 ? function(cells, *(order), 32, 0, 1) :                      \
	 (cells)->count == 16 ? function(cells, *(order), 16, 0, 1) :                      \
	 (cells)->count == 8 ? function(cells, *(order), 8, 0, 1) :                        \
	 function(cells, *(order), (cells)->count, 0, 1))

static bool read_all(const struct cells *cells, const struct cells_order *order)
{
	return WITH_USUAL_COUNTS(read_cells, cells, order);
}

static bool write_all(const struct cells *cells, const struct cells_order *order)
{
	return WITH_USUAL_COUNTS(write_cells, cells, order);
}

static unsigned find_patterns(const uint64_t *places, uint64_t step)
{
	unsigned found = 0;
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t *part = places + (size_t)i * 8, first = part[0];
		uint64_t same = 0, next = 0;
		for (unsigned l = 0; l < 8; l++) {
			same |= part[l] ^ first;
			next |= part[l] ^ (first + l * step);
		}
		found |= (unsigned)!same << i | (unsigned)!next << (i + 4);
	}
	return found;
}

extern const struct cells_functions EXEC_LEVELED(cells_table);
const struct cells_functions EXEC_LEVELED(cells_table) = {
	.read = read_all, .write = write_all, .patterns = find_patterns
};
