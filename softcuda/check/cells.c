#include "config.h"

#include "softcuda/check/cells.h"

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t record_at(const struct cells *cells, unsigned i, unsigned shift, unsigned step)
{
	return cells->record + ((uint64_t)(i >> shift) * step << RECORD_LANE_SHIFT);
}

/* Cells [from, end) of `count` cells, which is a constant, so that loops become vectors. */
struct part {
	unsigned count, from, end;
};

INLINE bool read_cells(const struct cells *cells, struct cells_order order, struct part part, unsigned shift,
		       unsigned step)
{
	const uint64_t *restrict write = cells->write;
	uint64_t *restrict first = cells->read[0], *restrict second = cells->read[1];
	uint64_t bad = 0, any = 0;
	for (unsigned i = 0; i < part.count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool in = (i >= part.from) & (i < part.end);
		const bool over = cells_ordered(write[i], now, &order);
		const bool replaces = cells_ordered(first[i], now, &order);
		bad |= (in & !over) ? 1 : 0;
		any |= (in & !replaces) ? 1 : 0;
		first[i] = (in & replaces) ? now : first[i];
	}
	/* Where the first read is of another lane, this one becomes the second. */
	for (unsigned i = 0; any && i < part.count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool replaces = (i >= part.from) & (i < part.end) & (first[i] != now) &
				      cells_ordered(second[i], now, &order);
		second[i] = replaces ? now : second[i];
	}
	return !bad;
}

INLINE bool write_cells(const struct cells *cells, struct cells_order order, struct part part, unsigned shift,
			unsigned step)
{
	uint64_t *restrict write = cells->write, *restrict first = cells->read[0], *restrict second = cells->read[1];
	uint64_t bad = 0;
	for (unsigned i = 0; i < part.count; i++) {
		const uint64_t now = record_at(cells, i, shift, step);
		const bool in = (i >= part.from) & (i < part.end);
		const bool over = cells_ordered(write[i], now, &order) &
				  cells_ordered(first[i], now, &order) &
				  cells_ordered(second[i], now, &order);
		bad |= (in & !over) ? 1 : 0;
	}
	for (unsigned i = 0; !bad && i < part.count; i++) {
		const bool in = (i >= part.from) & (i < part.end);
		write[i] = in ? record_at(cells, i, shift, step) : write[i];
		first[i] = in ? 0 : first[i];
		second[i] = in ? 0 : second[i];
	}
	return !bad;
}

/* Most accesses are of a word by each lane of a warp, or of half a warp. */
#define WHOLE(size) ((struct part){size, 0, size})
#define WITH_USUAL_COUNTS(function, cells, order)                                              \
	((cells)->step == SHADOW_BLOCK && (cells)->count == 4 ?                                \
		 function(cells, *(order), WHOLE(4), 0, SHADOW_BLOCK) :                        \
	 (cells)->step == SHADOW_BLOCK && (cells)->count == 2 ?                                \
		 function(cells, *(order), WHOLE(2), 0, SHADOW_BLOCK) :                        \
	 (cells)->step == SHADOW_BLOCK && (cells)->count == 1 ?                                \
		 function(cells, *(order), WHOLE(1), 0, SHADOW_BLOCK) :                        \
	 (cells)->shift || (cells)->step != 1 || (cells)->count % SHADOW_BLOCK ?               \
		 function(cells, *(order), WHOLE((cells)->count), (cells)->shift, (cells)->step) : \
	 (cells)->count == 32 ? function(cells, *(order), WHOLE(32), 0, 1) :                   \
	 (cells)->count == 16 ? function(cells, *(order), WHOLE(16), 0, 1) :                   \
	 (cells)->count == 8 ? function(cells, *(order), WHOLE(8), 0, 1) :                     \
				 function(cells, *(order), WHOLE((cells)->count), 0, 1))

bool cells_read(const struct cells *cells, const struct cells_order *order)
{
	return WITH_USUAL_COUNTS(read_cells, cells, order);
}

bool cells_write(const struct cells *cells, const struct cells_order *order)
{
	return WITH_USUAL_COUNTS(write_cells, cells, order);
}

bool cells_read_part(const struct cells *cells, const struct cells_order *order, unsigned from, unsigned end)
{
	return read_cells(cells, *order, (struct part){SHADOW_BLOCK, from, end}, cells->shift, 1);
}

bool cells_write_part(const struct cells *cells, const struct cells_order *order, unsigned from, unsigned end)
{
	return write_cells(cells, *order, (struct part){SHADOW_BLOCK, from, end}, cells->shift, 1);
}

/* --- words one by one ---------- */

INLINE uint64_t record_of_one(const struct cells_ones *ones, uint32_t i)
{
	return ones->record + ((uint64_t)ones->lane[i] << RECORD_LANE_SHIFT);
}

/* Whether an access to cell i is over, or the lane's own.  kind: SHADOW_WRITE, SHADOW_READ or SHADOW_READ_2. */
INLINE unsigned is_free(const struct cells_ones *ones, uint32_t i, unsigned kind, const struct cells_order *order)
{
	const uint64_t record = ones->write[kind * SHADOW_WORDS + ones->cell[i]];
	return cells_ordered(record, record_of_one(ones, i), order);
}

bool cells_read_ones(const struct cells_ones *ones, const struct cells_order *given)
{
	const struct cells_order order = *given;
	uint64_t *first = ones->write + SHADOW_WORDS, *second = first + SHADOW_WORDS;
	uint64_t bad = 0, others = 0;
	for (uint32_t i = 0; i < ones->count; i++) {
		bad |= !is_free(ones, i, SHADOW_WRITE, &order);
		others |= !is_free(ones, i, SHADOW_READ, &order);
	}
	if (bad)
		return false;
	for (uint32_t i = 0; !others && i < ones->count; i++)
		first[ones->cell[i]] = record_of_one(ones, i);
	/* Where the first read is of another lane, this one becomes the second. */
	for (uint32_t i = 0; others && i < ones->count; i++) {
		if (is_free(ones, i, SHADOW_READ, &order))
			first[ones->cell[i]] = record_of_one(ones, i);
		else if (is_free(ones, i, SHADOW_READ_2, &order))
			second[ones->cell[i]] = record_of_one(ones, i);
	}
	return true;
}

bool cells_write_ones(const struct cells_ones *ones, const struct cells_order *given)
{
	const struct cells_order order = *given;
	uint64_t bad = 0;
	for (uint32_t i = 0; i < ones->count; i++)
		bad |= !(is_free(ones, i, SHADOW_WRITE, &order) & is_free(ones, i, SHADOW_READ, &order) &
			 is_free(ones, i, SHADOW_READ_2, &order));
	for (uint32_t i = 0; !bad && i < ones->count; i++) {
		uint64_t *cell = ones->write + ones->cell[i];
		cell[0] = record_of_one(ones, i);
		cell[SHADOW_WORDS] = cell[2 * SHADOW_WORDS] = 0;
	}
	return !bad;
}
