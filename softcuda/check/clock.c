#include "config.h"

#include "softcuda/check/clock.h"

#include <stdlib.h>

/* --- sets of epochs ---------- */

void clocks_finish(struct clocks *clocks)
{
	free(clocks->entries);
	*clocks = (struct clocks){0};
}

static int compare(const struct clock_entry *a, const struct clock_entry *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->lane < b->lane ? -1 : a->lane > b->lane;
}

/* If too many lanes of a group are known, they become one entry for the whole group. */
static size_t collapse(struct clock_entry *entries, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0, end; i < count; i = end) {
		uint32_t latest = 0;
		for (end = i; end < count && entries[end].group == entries[i].group; end++)
			latest = entries[end].epoch > latest ? entries[end].epoch : latest;
		if (end - i > CLOCKS_LANES + 1) {
			entries[kept++] = (struct clock_entry){entries[i].group, CLOCKS_ALL,
							       latest};
			continue;
		}
		for (size_t k = i; k < end; k++)
			entries[kept++] = entries[k];
	}
	return kept;
}

bool clocks_join(struct clocks *to, const struct clock_entry *entries, size_t count,
		 uint32_t except_group)
{
	struct clock_entry *joined;
	size_t i = 0, k = 0, size = 0;
	if (!count)
		return true;
	joined = malloc((to->count + count) * sizeof(*joined));
	if (!joined)
		return false;
	while (i < to->count || k < count) {
		if (k < count && entries[k].group == except_group) {
			k++;
			continue;
		}
		int order = i == to->count ? 1 : k == count ? -1 :
			    compare(&to->entries[i], &entries[k]);
		joined[size] = order <= 0 ? to->entries[i] : entries[k];
		if (!order && entries[k].epoch > joined[size].epoch)
			joined[size].epoch = entries[k].epoch;
		size++;
		i += order <= 0;
		k += order >= 0;
	}
	free(to->entries);
	to->entries = joined;
	to->count = collapse(joined, size);
	return true;
}

static uint32_t find(const struct clocks *clocks, uint32_t group, uint32_t lane)
{
	const struct clock_entry wanted = {group, lane, 0};
	size_t low = 0, high = clocks->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(&clocks->entries[middle], &wanted);
		if (!order)
			return clocks->entries[middle].epoch;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

uint32_t clocks_known(const struct clocks *clocks, uint32_t group, uint32_t lane)
{
	if (!clocks->count)
		return 0;
	uint32_t one = find(clocks, group, lane), all = find(clocks, group, CLOCKS_ALL);
	return one > all ? one : all;
}

/* --- epochs ---------- */

void epochs_finish(struct epochs *epochs)
{
	free(epochs->runs);
}

uint32_t epochs_group(const struct epochs *epochs, uint32_t epoch)
{
	const struct epoch_run *last = &epochs->runs[epochs->run_count - 1];
	size_t low = 0, high = epochs->run_count;
	if (epoch >= last->first)
		return last->group;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (epochs->runs[middle].first <= epoch)
			low = middle;
		else
			high = middle;
	}
	return epochs->runs[low].group;
}

/* Adds a run for a group that draws the next epoch. */
static bool add_run(struct epochs *epochs, uint32_t group)
{
	if (epochs->run_count && epochs->runs[epochs->run_count - 1].group == group)
		return true;
	if (epochs->run_count == epochs->run_capacity) {
		const size_t capacity = epochs->run_capacity ? 2 * epochs->run_capacity : 64;
		struct epoch_run *runs = realloc(epochs->runs, capacity * sizeof(*runs));
		if (!runs)
			return false;
		epochs->runs = runs;
		epochs->run_capacity = capacity;
	}
	epochs->runs[epochs->run_count++] = (struct epoch_run){epochs->last + 1, group};
	return true;
}

/* Draws an epoch. */
static bool advance(struct check_clocks *clocks)
{
	struct epochs *epochs = clocks->epochs;
	epochs->exhausted |= epochs->last == epochs->limit;
	if (epochs->exhausted)
		return true;
	if (!add_run(epochs, clocks->group))
		return false;
	clocks->now = ++epochs->last;
	return true;
}

/* --- a group's lanes ---------- */

/* Frees what the lanes and barriers own. */
static void clocks_clear(struct check_clocks *clocks)
{
	for (uint32_t l = 0; clocks->lanes && l < clocks->lane_count; l++) {
		free(clocks->lanes[l].others);
		clocks_finish(&clocks->lanes[l].foreign);
		clocks_finish(&clocks->lanes[l].pending);
	}
	for (unsigned i = 0; i < CLOCK_BARRIERS; i++) {
		free(clocks->arrivals[i].others);
		clocks_finish(&clocks->arrivals[i].foreign);
	}
	memset(clocks->arrivals, 0, sizeof(clocks->arrivals));
}

bool check_clocks_init(struct check_clocks *clocks, struct epochs *epochs, uint32_t group, uint32_t lane_count)
{
	if (clocks->dirty) {
		clocks_clear(clocks);
		memset(clocks->lanes, 0, lane_count * sizeof(*clocks->lanes));
	}
	if (!clocks->lanes)
		clocks->lanes = calloc(lane_count, sizeof(*clocks->lanes));
	clocks->group = group;
	clocks->lane_count = lane_count;
	clocks->epochs = epochs;
	clocks->dirty = false;
	clocks->floor = 0;
	if (!clocks->lanes || !advance(clocks))
		return false;
	clocks->first = clocks->now;
	return true;
}

/* Lanes are about to know different things. */
static void go_apart(struct check_clocks *clocks)
{
	for (uint32_t l = 0; !clocks->dirty && l < clocks->lane_count; l++) {
		clocks->lanes[l].epoch = clocks->now;
		clocks->lanes[l].floor = clocks->floor;
	}
	clocks->dirty = true;
}

void check_clocks_finish(struct check_clocks *clocks)
{
	clocks_clear(clocks);
	free(clocks->lanes);
	clocks->lanes = NULL;
}

bool check_clocks_ordered(const struct check_clocks *clocks, uint32_t lane, uint32_t group,
			  uint32_t other, uint32_t epoch)
{
	const struct lane_clock *mine = &clocks->lanes[lane];
	if (group != clocks->group)
		return clocks_known(&mine->foreign, group, other) >= epoch;
	return other == lane || epoch <= check_clocks_floor(clocks, lane) ||
	       (other / LANES == lane / LANES && epoch <= mine->row[other % LANES]) ||
	       (mine->others && epoch <= mine->others[other]);
}

bool check_clocks_met(const struct check_clocks *clocks, uint32_t lane, uint32_t epoch)
{
	const struct lane_clock *mine = &clocks->lanes[lane];
	return epoch <= check_clocks_floor(clocks, lane) || (mine->others && epoch <= mine->others[lane]);
}

static bool want_others(const struct check_clocks *clocks, uint32_t **others)
{
	if (!*others)
		*others = calloc(clocks->lane_count, sizeof(**others));
	return *others != NULL;
}

static void raise(uint32_t *epoch, uint32_t to)
{
	*epoch = to > *epoch ? to : *epoch;
}

/* What all lanes that meet know together. */
struct meeting {
	uint32_t floor;
	uint32_t *others;                 /* NULL: no lane has any */
	uint32_t row[LANES];
	struct clocks foreign;
};

static bool meeting_add(const struct check_clocks *clocks, struct meeting *meeting,
			const struct lane_clock *lane)
{
	raise(&meeting->floor, lane->floor);
	if (lane->others) {
		if (!want_others(clocks, &meeting->others))
			return false;
		for (uint32_t u = 0; u < clocks->lane_count; u++)
			raise(&meeting->others[u], lane->others[u]);
	}
	return clocks_join(&meeting->foreign, lane->foreign.entries, lane->foreign.count,
			   clocks->group);
}

static bool meeting_give(const struct check_clocks *clocks, const struct meeting *meeting,
			 struct lane_clock *lane)
{
	lane->floor = meeting->floor;
	if (meeting->others) {
		if (!want_others(clocks, &lane->others))
			return false;
		memcpy(lane->others, meeting->others,
		       clocks->lane_count * sizeof(*lane->others));
	}
	return clocks_join(&lane->foreign, meeting->foreign.entries, meeting->foreign.count,
			   clocks->group);
}

static void meeting_finish(struct meeting *meeting)
{
	free(meeting->others);
	clocks_finish(&meeting->foreign);
}

bool check_clocks_barrier_all(struct check_clocks *clocks)
{
	if (!clocks->dirty) {
		clocks->floor = clocks->now;
		return advance(clocks);
	}
	struct meeting meeting = {0};
	bool right = true;
	for (uint32_t l = 0; right && l < clocks->lane_count; l++)
		right = clocks_join(&meeting.foreign, clocks->lanes[l].foreign.entries,
				    clocks->lanes[l].foreign.count, clocks->group);
	const uint32_t floor = clocks->now;
	right = right && advance(clocks);
	for (uint32_t l = 0; right && l < clocks->lane_count; l++) {
		struct lane_clock *lane = &clocks->lanes[l];
		lane->floor = floor;
		lane->epoch = clocks->now;
		right = !meeting.foreign.count ||
			clocks_join(&lane->foreign, meeting.foreign.entries, meeting.foreign.count, clocks->group);
	}
	meeting_finish(&meeting);
	return right;
}

static bool is_member(const uint32_t *members, uint32_t lane)
{
	return members[lane / LANES] >> lane % LANES & 1;
}

/* A lane's own epoch and what it knows of its warp, as others that all can read. */
static void spread(const struct check_clocks *clocks, uint32_t *others, uint32_t lane)
{
	uint32_t first = lane / LANES * LANES;
	for (uint32_t k = 0; k < LANES && first + k < clocks->lane_count; k++)
		raise(&others[first + k], clocks->lanes[lane].row[k]);
	raise(&others[lane], clocks->lanes[lane].epoch);
}

bool check_clocks_barrier_some(struct check_clocks *clocks, const uint32_t *members, uint32_t id)
{
	go_apart(clocks);
	struct arrivals *arrivals = &clocks->arrivals[id];
	struct meeting meeting = {.floor = arrivals->floor, .others = arrivals->others,
				  .foreign = arrivals->foreign};
	*arrivals = (struct arrivals){0};
	bool right = want_others(clocks, &meeting.others);
	for (uint32_t l = 0; right && l < clocks->lane_count; l++) {
		if (!is_member(members, l))
			continue;
		right = meeting_add(clocks, &meeting, &clocks->lanes[l]);
		spread(clocks, meeting.others, l);
	}
	right = right && advance(clocks);
	for (uint32_t l = 0; right && l < clocks->lane_count; l++) {
		if (!is_member(members, l))
			continue;
		right = meeting_give(clocks, &meeting, &clocks->lanes[l]);
		clocks->lanes[l].epoch = clocks->now;
	}
	meeting_finish(&meeting);
	return right;
}

bool check_clocks_arrive(struct check_clocks *clocks, uint32_t lane, uint32_t id)
{
	go_apart(clocks);
	struct arrivals *arrivals = &clocks->arrivals[id];
	struct lane_clock *mine = &clocks->lanes[lane];
	struct meeting meeting = {.floor = arrivals->floor, .others = arrivals->others,
				  .foreign = arrivals->foreign};
	bool right = want_others(clocks, &meeting.others) && meeting_add(clocks, &meeting, mine);
	if (right)
		spread(clocks, meeting.others, lane);
	*arrivals = (struct arrivals){meeting.floor, meeting.others, meeting.foreign};
	right = right && advance(clocks);
	mine->epoch = clocks->now;
	return right;
}

bool check_clocks_meet(struct check_clocks *clocks, uint32_t first, uint32_t met)
{
	go_apart(clocks);
	struct meeting meeting = {0};
	bool right = true;
	for (uint32_t rest = met; right && rest; rest &= rest - 1) {
		unsigned l = (unsigned)__builtin_ctz(rest);
		const struct lane_clock *lane = &clocks->lanes[first + l];
		right = meeting_add(clocks, &meeting, lane);
		for (unsigned k = 0; k < LANES; k++)
			raise(&meeting.row[k], lane->row[k]);
		raise(&meeting.row[l], lane->epoch);
	}
	right = right && advance(clocks);
	for (uint32_t rest = met; right && rest; rest &= rest - 1) {
		struct lane_clock *lane = &clocks->lanes[first + (unsigned)__builtin_ctz(rest)];
		right = meeting_give(clocks, &meeting, lane);
		memcpy(lane->row, meeting.row, sizeof(lane->row));
		lane->epoch = clocks->now;
	}
	meeting_finish(&meeting);
	return right;
}

/* --- fences and atomics ---------- */

static bool learn(struct check_clocks *clocks, uint32_t lane, const struct clocks *released,
		  bool narrow)
{
	struct lane_clock *mine = &clocks->lanes[lane];
	for (size_t i = 0; i < released->count; i++) {
		const struct clock_entry *entry = &released->entries[i];
		if (entry->group != clocks->group || entry->lane == lane)
			continue;
		if (entry->lane == CLOCKS_ALL)
			raise(&mine->floor, entry->epoch);
		else if (entry->lane / LANES == lane / LANES)
			raise(&mine->row[entry->lane % LANES], entry->epoch);
		else if (want_others(clocks, &mine->others))
			raise(&mine->others[entry->lane], entry->epoch);
		else
			return false;
	}
	return narrow || clocks_join(&mine->foreign, released->entries, released->count,
				     clocks->group);
}

bool check_clocks_fence(struct check_clocks *clocks, uint32_t lane, bool narrow)
{
	go_apart(clocks);
	struct lane_clock *mine = &clocks->lanes[lane];
	bool right = learn(clocks, lane, &mine->pending, narrow);
	if (!narrow)
		clocks_finish(&mine->pending);
	mine->released = mine->epoch;
	mine->released_wide = !narrow;
	right = right && advance(clocks);
	mine->epoch = clocks->now;
	return right;
}

bool check_clocks_acquire(struct check_clocks *clocks, uint32_t lane,
			  const struct clocks *released, bool narrow, bool now)
{
	go_apart(clocks);
	if (now)
		return learn(clocks, lane, released, narrow);
	/* No group has this number, so that the own group is pending like all others. */
	return clocks_join(&clocks->lanes[lane].pending, released->entries, released->count,
			   CLOCKS_ALL);
}

/* Publishes all that a lane knows of its group and has done up to epoch. */
static bool publish(const struct check_clocks *clocks, uint32_t lane, uint32_t epoch,
		    struct clocks *to)
{
	const struct lane_clock *mine = &clocks->lanes[lane];
	uint32_t first = lane / LANES * LANES;
	struct clock_entry *entries = malloc((clocks->lane_count + 1) * sizeof(*entries));
	size_t count = 0;
	if (!entries)
		return false;
	for (uint32_t u = 0; u < clocks->lane_count; u++) {
		uint32_t known = u == lane ? epoch : u - first < LANES ? mine->row[u - first] : 0;
		if (mine->others)
			raise(&known, mine->others[u]);
		if (known > mine->floor)
			entries[count++] = (struct clock_entry){clocks->group, u, known};
	}
	entries[count++] = (struct clock_entry){clocks->group, CLOCKS_ALL, mine->floor};
	bool right = clocks_join(to, entries, count, CLOCKS_ALL) &&
		     clocks_join(to, mine->foreign.entries, mine->foreign.count, CLOCKS_ALL);
	free(entries);
	return right;
}

bool check_clocks_release(struct check_clocks *clocks, uint32_t lane, struct clocks *wide,
			  struct clocks *own, bool narrow, bool now, bool replaces)
{
	go_apart(clocks);
	struct lane_clock *mine = &clocks->lanes[lane];
	uint32_t epoch = now ? mine->epoch : mine->released;
	if (replaces) {
		clocks_finish(wide);
		clocks_finish(own);
	}
	if (!epoch)
		return true;
	bool to_all = !narrow && (now || mine->released_wide);
	bool right = publish(clocks, lane, epoch, to_all ? wide : own);
	if (now)
		right = right && advance(clocks);
	mine->epoch = clocks->now;
	return right;
}
