/* Accesses of which some may race.  A program may have millions of races between the same two instructions: those that
 * are only counted, since such a race has been reported, take few steps. */
#include "config.h"

#include "softcuda/check/whole_lanes.h"

#include <string.h>

static bool is_known(const struct lanes *lanes, uint64_t before, bool wrote)
{
	const struct check_group *group = lanes->whole->group;
	/* It would have to be compared what is written. */
	if (wrote && lanes->writes && group->job->options & CHECK_BENIGN)
		return false;
	return check_race_is_known(group->job, lanes->whole->op, before >= lanes->order.first, record_site(before),
				   wrote);
}

/* --- one place ---------- */

/* Notes reads of a cell by lanes one after the other, the first of which has this record, as check_lanes_touch_one
 * would for each: once both of the cell's reads are of this warp's present epoch or of other work-groups, only the same
 * lanes replace them. */
static void read_cell(const struct lanes *lanes, const struct page *page, size_t i, uint64_t record, uint32_t count)
{
	const uint32_t lane = record_lane(record);
	uint64_t *read[2] = {&page->read[0][i], &page->read[1][i]};
	uint32_t next = 0;
	for (; next < count && (cells_over(*read[0], &lanes->order) || cells_over(*read[1], &lanes->order)); next++) {
		const bool own = *read[0] >= lanes->order.first && record_lane(*read[0]) == lane + next;
		*read[own || cells_over(*read[0], &lanes->order) ? 0 : 1] =
			record + ((uint64_t)next << RECORD_LANE_SHIFT);
	}
	for (unsigned k = 0; k < 2; k++) {
		const uint32_t other = record_lane(*read[k]) - lane;
		if (*read[k] >= lanes->order.first && other >= next && other < count &&
		    !(k && ((*read[0] ^ *read[1]) & RECORD_LANE_MASK) == 0))
			*read[k] = record + ((uint64_t)other << RECORD_LANE_SHIFT);
	}
}

bool check_lanes_read_same(const struct lanes *lanes, const struct check_run *run, uint64_t record)
{
	uint32_t cell_B, count = run->count, races = 0;
	size_t index;
	for (uint64_t at = run->place; count && at < run->place + lanes->whole->size_B; at += cell_B) {
		const struct page *page = check_lanes_cell(lanes, at, &index, &cell_B);
		if (!page)
			return false;
		const uint64_t write = page->write[index];
		const bool right = cells_over(write, &lanes->order);
		if (!right && (!lanes->whole->is_last || !is_known(lanes, write, true)))
			return false;
		read_cell(lanes, page, index, record, count);
		if (right)
			continue;
		/* One race of an access is enough: its other cells are not looked at.  The lane that wrote has none. */
		const uint32_t own = record_lane(write) - record_lane(record);
		const bool has_own = write >= lanes->order.first && own < count;
		races += count - has_own;
		record += (uint64_t)(has_own ? own : 0) << RECORD_LANE_SHIFT;
		count = has_own;
	}
	lanes->whole->group->job->found += races;
	return true;
}

/* --- lane by lane ---------- */

/* More cells are not accessed quickly. */
enum { CELLS_MAX = 16 };

struct one_cell {
	const struct page *page;
	size_t index;
};

/* An access of a lane. */
struct one_access {
	uint64_t record;
	uint32_t count;
	struct one_cell cells[CELLS_MAX];
};

/* A race: with which record, and of which cell. */
struct one_race {
	uint64_t before;
	uint32_t cell;
	bool wrote;
};

/* False: the cells cannot be accessed quickly. */
static bool find_cells(const struct lanes *lanes, uint64_t place, struct one_access *access)
{
	const uint64_t end = place + lanes->whole->size_B;
	uint32_t cell_B;
	access->count = 0;
	for (uint64_t at = place; at < end; at += cell_B) {
		struct one_cell *cell = &access->cells[access->count];
		if (access->count == CELLS_MAX)
			return false;
		cell->page = check_lanes_cell(lanes, at, &cell->index, &cell_B);
		if (!cell->page)
			return false;
		access->count++;
	}
	return true;
}

static bool find_race(const struct lanes *lanes, const struct one_access *access, struct one_race *race)
{
	for (race->cell = 0; race->cell < access->count; race->cell++) {
		const struct page *page = access->cells[race->cell].page;
		const size_t i = access->cells[race->cell].index;
		race->wrote = true;
		race->before = page->write[i];
		if (!cells_ordered(race->before, access->record, &lanes->order))
			return true;
		race->wrote = false;
		for (unsigned k = 0; k < 2 && lanes->writes; k++) {
			race->before = page->read[k][i];
			if (!cells_ordered(race->before, access->record, &lanes->order))
				return true;
		}
	}
	return false;
}

static void note_cell(const struct lanes *lanes, const struct one_cell *cell, uint64_t record)
{
	const struct page *page = cell->page;
	const size_t i = cell->index;
	if (lanes->writes) {
		page->write[i] = record;
		page->read[0][i] = page->read[1][i] = 0;
		return;
	}
	for (unsigned k = 0; k < 2; k++) {
		if (!cells_ordered(page->read[k][i], record, &lanes->order))
			continue;
		page->read[k][i] = record;
		return;
	}
}

bool check_lanes_touch_one(const struct lanes *lanes, uint64_t place, uint64_t record)
{
	struct one_access access = {.record = record};
	struct one_race race;
	if (!find_cells(lanes, place, &access))
		return false;
	const bool found = find_race(lanes, &access, &race);
	if (found && !is_known(lanes, race.before, race.wrote))
		return false;
	lanes->whole->group->job->found += found;
	/* What is read behind a cell with a race is not noted. */
	const uint32_t end = found && !lanes->writes ? race.cell + 1 : access.count;
	for (uint32_t i = 0; i < end; i++)
		note_cell(lanes, &access.cells[i], record);
	return true;
}

/* Sets the places of all lanes of an access; 0 of others. */
static void lane_places(const struct check_whole *whole, uint64_t *places)
{
	memset(places, 0, LANES * sizeof(*places));
	for (uint32_t r = 0; r < whole->run_count; r++)
		for (uint32_t i = 0; i < whole->runs[r].count; i++)
			places[whole->runs[r].lane + i] = whole->runs[r].place + (uint64_t)i * whole->runs[r].step_B;
	for (uint32_t i = 0; i < whole->one_count; i++)
		places[whole->one_lane[i]] = whole->one_place[i];
}

bool check_lanes_race(const struct check_whole *whole, uint32_t l, uint64_t *places, bool *known)
{
	if (!*known)
		lane_places(whole, places);
	*known = true;
	return check_race(whole->warp, whole->op, whole->mask, l, places, whole->size_B);
}

bool check_lanes_touch(const struct lanes *lanes, const struct check_run *run)
{
	const struct check_whole *whole = lanes->whole;
	uint64_t places[LANES];
	bool known = false;
	for (uint32_t i = 0; i < run->count; i++) {
		const uint32_t l = run->lane + i;
		if (check_lanes_touch_one(lanes, run->place + (uint64_t)i * run->step_B,
			       lanes->record + ((uint64_t)l << RECORD_LANE_SHIFT)))
			continue;
		if (!check_lanes_race(whole, l, places, &known))
			return false;
	}
	return true;
}
