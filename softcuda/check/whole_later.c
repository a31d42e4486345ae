/* Accesses of shared memory that are put off (struct check_put_off), and the decision which races are looked for at
 * once. */
#include "config.h"

#include "softcuda/check/whole.h"

#include <string.h>

/* The number of an op of the kernel, which is not a part of an instruction. */
static uint32_t op_number(const struct warp *warp, const struct op *op)
{
	return (uint32_t)(op - warp->base->code->ops);
}

static uint64_t shared_offset(const struct check_group *group, uint64_t place)
{
	return place - (uint64_t)(uintptr_t)group->group->shared;
}

/* Whether bytes are in a chunk for which one of these epochs is the present one. */
static inline bool range_has_chunk(const struct check_whole *whole, uint64_t place, uint64_t size_B,
				   const uint32_t *epochs)
{
	const uint32_t now = whole->group->clocks[CHECK_LOCAL_MEMORY].now;
	const uint64_t start = shared_offset(whole->group, place), end = start + size_B;
	const uint64_t last = (end - 1) / CHECK_CHUNK_B;
	uint64_t c = start / CHECK_CHUNK_B;
	uint32_t any = 0;
	for (; c + CHECK_CHUNKS <= last + 1; c += CHECK_CHUNKS)
		for (unsigned k = 0; k < CHECK_CHUNKS; k++)
			any |= epochs[c + k] == now;
	for (; c <= last; c++)
		any |= epochs[c] == now;
	return any;
}

/* The same of a run. */
static inline bool has_chunk(const struct check_whole *whole, const struct check_run *run, const uint32_t *epochs)
{
	return range_has_chunk(whole, run->place, check_run_B(whole, run), epochs);
}

/* The same of lanes that are taken one by one. */
static bool ones_have_chunk(const struct check_whole *whole, const uint32_t *epochs)
{
	const uint32_t now = whole->group->clocks[CHECK_LOCAL_MEMORY].now;
	uint32_t any = 0;
	for (uint32_t i = 0; i < whole->one_count; i++)
		any |= epochs[shared_offset(whole->group, whole->one_place[i]) / CHECK_CHUNK_B] == now;
	return any;
}

/* The same of all lanes. */
static bool has_chunks(const struct check_whole *whole, const uint32_t *epochs)
{
	enum { NEAR_B = 4 * CHECK_CHUNKS * CHECK_CHUNK_B };
	/* Several runs side by side are looked at as one first. */
	const uint64_t size_B = whole->end - whole->start;
	if (whole->run_count > 1 && size_B <= NEAR_B && !range_has_chunk(whole, whole->start, size_B, epochs))
		return false;
	if (whole->one_count)
		return ones_have_chunk(whole, epochs);
	for (uint32_t i = 0; i < whole->run_count; i++)
		if (has_chunk(whole, &whole->runs[i], epochs))
			return true;
	return false;
}

/* What put_off.distance is to have of the chunks of lanes side by side; offset_B: of the word of a lane, by its number
 * in the work-group. */
static inline uint32_t distance_of(uint64_t offset_B, uint32_t lane, uint32_t size_B, uint32_t step_B)
{
	const bool words = size_B == SHADOW_WORD_B && step_B == SHADOW_WORD_B && offset_B % SHADOW_WORD_B == 0;
	return words ? (uint32_t)(offset_B / SHADOW_WORD_B - lane) & INT32_MAX : (uint32_t)CHECK_MIXED;
}

/* The same of a run. */
static inline uint32_t distance_of_run(const struct check_whole *whole, const struct check_run *run)
{
	return distance_of(shared_offset(whole->group, run->place), whole->warp->index * LANES + run->lane,
			   whole->size_B, run->step_B);
}

/* Marks chunks as accessed, of which there are `count`.  Not 0: one has been accessed in this epoch, and not all of its
 * lanes may have the same distance. */
static inline uint32_t mark_some(uint32_t *restrict accessed, uint32_t *restrict distances, unsigned count,
				 uint32_t now, uint32_t distance)
{
	uint32_t any = 0;
	for (unsigned k = 0; k < count; k++) {
		const uint32_t again = accessed[k] == now ? UINT32_MAX : 0, differs = again & (distances[k] ^ distance);
		any |= differs | (again & distance & (uint32_t)CHECK_MIXED);
		distances[k] = differs ? (uint32_t)CHECK_MIXED : distance;
		accessed[k] = now;
	}
	return any;
}

/* The same of the chunks of bytes [start, end), which are not empty; whether none has been accessed so. */
static inline bool mark_chunks(struct check_put_off *put_off, uint64_t start, uint64_t end, uint32_t now,
			       uint32_t distance)
{
	const uint64_t last = (end - 1) / CHECK_CHUNK_B;
	uint64_t c = start / CHECK_CHUNK_B;
	uint32_t any = 0;
	for (; c + CHECK_CHUNKS <= last + 1; c += CHECK_CHUNKS)
		any |= mark_some(put_off->accessed + c, put_off->distance + c, CHECK_CHUNKS, now, distance);
	for (; c <= last; c++)
		any |= mark_some(put_off->accessed + c, put_off->distance + c, 1, now, distance);
	return !any;
}

/* Marks the chunks of the accesses that are put off; those of writes are marked. */
static void mark_later(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const struct op *ops = group->group->job->code->ops;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	for (const uint32_t count = check_put_off_count(group); put_off->marked < count; put_off->marked++) {
		const struct shared_access *later = &put_off->accesses[put_off->marked];
		if (!check_is_load(&ops[later->op]) || !later->lanes)
			continue;
		put_off->latest_plain = now;
		const uint32_t row_lanes = check_told_is_row(later) ? LANES : later->row;
		for (uint32_t first = 0; first < LANES; first += row_lanes) {
			const uint32_t lanes = later->lanes >> first & MASK_ALL >> (LANES - row_lanes);
			const uint32_t low = lanes ? exec_lowest(lanes) : 0;
			const uint32_t high = lanes ? LANES - 1 - (uint32_t)__builtin_clz(lanes) : 0;
			/* What is between lanes of a row counts, too: then more is noted than need be. */
			const uint64_t row = shared_offset(group, later->place[first / row_lanes]);
			const uint64_t start = row + (uint64_t)low * later->step_B;
			const uint64_t end = row + (uint64_t)high * later->step_B + later->size_B;
			const uint32_t distance = distance_of(row, later->warp * LANES + first, later->size_B,
							      later->step_B);
			if (lanes)
				(void)mark_chunks(put_off, start, end, now, distance);
		}
	}
	if (put_off->atomic_marked < put_off->atomic_count)
		check_whole_mark_atomics(group);
	if (put_off->scatter_marked < put_off->scatter_count)
		check_whole_mark_scatters(group);
}

/* Whether some of an access's chunks have been accessed since the last barrier by something that is not put off, and
 * conflicts with it, or by an atomic. */
static bool has_direct(const struct check_whole *whole)
{
	const struct check_put_off *put_off = &whole->group->put_off;
	const uint32_t now = whole->group->clocks[CHECK_LOCAL_MEMORY].now;
	return (put_off->latest_direct == now && has_chunks(whole, put_off->direct)) ||
	       (!whole->reads && put_off->latest_direct_read == now && has_chunks(whole, put_off->direct_read)) ||
	       (put_off->latest_atomic == now && has_chunks(whole, put_off->atomic));
}

/* Whether the latest access that is put off so is a read of the same warp, as of what is replaced: then it is soon
 * found out who has accessed the words. */
static bool follows_scatter(const struct check_whole *whole)
{
	const struct check_put_off *put_off = &whole->group->put_off;
	const struct op *ops = whole->group->group->job->code->ops;
	if (!put_off->scatter_count)
		return false;
	const struct check_scatter *last = &put_off->scatters[put_off->scatter_count - 1];
	return last->warp == whole->warp->index && check_is_load(&ops[last->op]);
}

/* Marks the chunks of a write, if none of them has been accessed since the last barrier, not even by another of its own
 * lanes; or if its words have not been accessed by other lanes.  False: neither. */
static bool mark_alone(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const bool follows = whole->one_count && follows_scatter(whole);
	const uint64_t granules = check_granules(group, shared_offset(group, whole->start),
						 shared_offset(group, whole->end));
	bool right = true;
	const bool marks = !follows && put_off->unmarked & granules;
	if (marks)
		mark_later(group);
	else if (put_off->atomic_marked < put_off->atomic_count)
		check_whole_mark_atomics(group);
	const uint32_t now = check_put_off_writes(group, shared_offset(group, whole->start),
						  shared_offset(group, whole->end));
	if (marks)
		put_off->unmarked = group->open_granules;
	put_off->latest_plain = now;
	if (whole->one_count)
		return !has_direct(whole) && ((!follows && !has_chunks(whole, put_off->accessed)) ||
					      check_whole_owns(whole));
	for (uint32_t i = 0; i < whole->run_count; i++)
		if (whole->runs[i].count > 1 && !whole->runs[i].step_B)
			return false;
	/* Of several runs, one may be in a chunk of another one. */
	for (uint32_t i = 0; i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		const uint64_t start = shared_offset(group, run->place), end = start + check_run_B(whole, run);
		right &= mark_chunks(put_off, start, end, now, distance_of_run(whole, run));
		check_put_off_epochs(put_off->written, now, start, end - start);
	}
	return !has_direct(whole) && (right || check_whole_owns(whole));
}

/* Whether a read is only of chunks whose words have been accessed by the same lanes, if by any. */
static bool reads_alone(const struct check_whole *whole)
{
	const struct check_group *group = whole->group;
	const struct check_run *run = &whole->runs[0];
	bool right = whole->run_count == 1;
	if (!right)
		return false;
	const uint64_t start = shared_offset(group, run->place), end = start + check_run_B(whole, run);
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now, distance = distance_of_run(whole, run);
	for (uint64_t c = start / CHECK_CHUNK_B; c <= (end - 1) / CHECK_CHUNK_B; c++)
		right &= group->put_off.accessed[c] == now && group->put_off.distance[c] == distance;
	return right && distance != (uint32_t)CHECK_MIXED;
}

/* Whether a read is of what the same lanes have just written, and is put off: then nobody else has accessed that.  This
 * is found out sooner than by check_whole_owns. */
static bool follows_write(const struct check_whole *whole)
{
	enum { LATEST = 4 };
	const struct check_group *group = whole->group;
	const struct check_run *run = &whole->runs[0];
	if (whole->run_count != 1)
		return false;
	const uint32_t lanes = MASK_ALL >> (LANES - run->count) << run->lane, count = check_put_off_count(group);
	bool found = false;
	for (uint32_t i = count > LATEST ? count - LATEST : 0; i < count; i++) {
		const struct shared_access *wrote = &group->put_off.accesses[i];
		found |= check_is_store(&group->group->job->code->ops[wrote->op]) &&
			 wrote->warp == whole->warp->index && wrote->row == LANES && !(lanes & ~wrote->lanes) &&
			 wrote->size_B == whole->size_B && wrote->step_B == run->step_B &&
			 wrote->place[0] + (uint64_t)run->lane * run->step_B == run->place;
	}
	return found;
}

/* Whether nobody has written to a chunk of a read in this epoch, or only its own lanes to their words. */
static bool is_unwritten(struct check_whole *whole)
{
	const struct check_put_off *put_off = &whole->group->put_off;
	if (put_off->atomic_marked < put_off->atomic_count)
		check_whole_mark_atomics(whole->group);
	whole->is_own = follows_write(whole);
	if (whole->is_own)
		return true;
	if (has_direct(whole))
		return false;
	whole->is_own = has_chunks(whole, put_off->written);
	if (whole->is_own && reads_alone(whole))
		return true;
	return !whole->is_own || check_whole_owns(whole);
}

/* Puts an access of shared memory off if its chunks have not been accessed since the last barrier, or if all such
 * accesses are reads or the lanes' own.  False: it is not put off. */
static bool put_off(struct check_whole *whole)
{
	enum { ROWS = 4 };        /* of a write: more take longer to put off than to note */
	const struct warp *warp = whole->warp;
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const struct check_clocks *clocks = &group->clocks[CHECK_LOCAL_MEMORY];
	const bool reads = check_is_load(whole->op);
	const uint32_t added = whole->is_told ? 1 : whole->run_count;
	if ((whole->one_count && !check_whole_may_scatter(whole)) || check_is_atomic(whole->op) || clocks->dirty ||
	    warp->frame != warp->base || check_is_part(warp->base->code, whole->op) ||
	    check_put_off_count(group) + added > CHECK_LATER_MAX || (!reads && whole->run_count > ROWS))
		return false;
	if (!(reads ? put_off->latest != clocks->now || is_unwritten(whole) : mark_alone(whole)))
		return false;
	if (reads)
		put_off->unmarked |= check_granules(group, shared_offset(group, whole->start),
						    shared_offset(group, whole->end));
	if (whole->one_count)
		check_whole_scatter(whole);
	for (uint32_t i = 0; !whole->is_told && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		group->group->shared_next[i] = (struct shared_access){
			.op = op_number(warp, whole->op), .warp = warp->index,
			.lanes = MASK_ALL >> (LANES - run->count) << run->lane, .row = LANES,
			.size_B = (uint8_t)whole->size_B, .step_B = (uint8_t)run->step_B,
			.place = {run->place - (uint64_t)run->lane * run->step_B}
		};
	}
	group->group->shared_next += added;
	whole->is_put_off = true;
	return true;
}

/* Whether an atomic can be put off: nothing else has accessed its chunks since the last barrier. */
static bool may_put_off_atomic(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const struct check_put_off *put_off = &group->put_off;
	if (check_puts_off_plain(group))
		mark_later(group);
	return (put_off->latest_plain != group->clocks[CHECK_LOCAL_MEMORY].now ||
		(!has_chunks(whole, put_off->accessed) && !has_chunks(whole, put_off->direct_read) &&
		 !has_chunks(whole, put_off->direct))) && check_whole_may_keep_atomic(whole);
}

static bool put_off_atomic(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	if (!whole->decided || !may_put_off_atomic(whole) ||
	    (group->put_off.atomic_count == CHECK_ATOMICS_MAX && !check_put_off_none(group)))
		return false;
	check_whole_keep_atomic(whole);
	return true;
}

/* As check_put_off_mark, for lanes that are taken one by one: each one's word is in one chunk. */
static void mark_ones(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	uint32_t *epochs = whole->reads ? put_off->direct_read : put_off->direct;
	put_off->latest_plain = now;
	if (whole->reads)
		put_off->latest_direct_read = now;
	else
		put_off->latest_direct = check_put_off_writes(group, shared_offset(group, whole->start),
							      shared_offset(group, whole->end));
	for (uint32_t i = 0; i < whole->one_count; i++)
		epochs[shared_offset(group, whole->one_place[i]) / CHECK_CHUNK_B] = now;
}

/* Before an access of shared memory that is not put off: others of the same chunks come first.  False: a fault was
 * noted. */
static bool come_first(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const struct check_put_off *put_off = &group->put_off;
	const bool writes = !whole->reads;
	mark_later(group);
	if (((check_puts_off_plain(group) && has_chunks(whole, put_off->accessed)) ||
	     (put_off->atomic_count && has_chunks(whole, put_off->atomic))) && !check_put_off_none(group))
		return false;
	if (whole->one_count)
		mark_ones(whole);
	for (uint32_t i = 0; i < whole->run_count; i++)
		check_put_off_mark(group, writes, shared_offset(group, whole->runs[i].place),
				   check_run_B(whole, &whole->runs[i]));
	return true;
}

/* --- accesses that repeat ---------- */

/* Where a repeat is kept, if it is: that of the first place in this generation at which the op was, and others. */
static struct check_repeat *repeat_of(struct check_group *group, const struct warp *warp, const struct op *op)
{
	return &group->repeats.items[((uintptr_t)op / sizeof(*op) + warp->index * (uintptr_t)17) % CHECK_REPEATS_FIRST];
}

static struct check_repeat *other_repeat_of(struct check_group *group, const struct warp *warp, const struct op *op,
					    uint64_t first)
{
	const uintptr_t number = (uintptr_t)op / sizeof(*op) * 7 + warp->index * (uintptr_t)17;
	return &group->repeats.items[CHECK_REPEATS_FIRST +
				     (number + first / SHADOW_WORD_B) % (CHECK_REPEATS - CHECK_REPEATS_FIRST)];
}

/* The places of one that is kept. */
static uint64_t *places_of(struct check_group *group, const struct check_repeat *repeat)
{
	return group->repeats.place[repeat - group->repeats.items];
}

/* Whether an access is the one that is kept. */
static bool is_kept(struct check_group *group, const struct check_repeat *repeat, const struct check_repeat *now,
		    const uint64_t *place)
{
	const uint64_t *kept = places_of(group, repeat);
	uint64_t differ = 0;
	if (!repeat->kept || repeat->generation != group->repeats.generation || repeat->op != now->op ||
	    repeat->warp != now->warp || repeat->mask != now->mask || repeat->size_B != now->size_B)
		return false;
	for (uint32_t l = 0; l < LANES; l++)
		differ |= now->mask >> l & 1 ? kept[l] ^ place[l] : 0;
	return !differ;
}

bool check_whole_repeats(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place)
{
	struct check_group *group = check_of(warp->group);
	const struct check_repeat now = {.op = op, .warp = warp->index, .mask = mask, .size_B = size_B};
	struct check_repeat *repeat = repeat_of(group, warp, op);
	const struct check_clocks *clocks = &group->clocks[CHECK_LOCAL_MEMORY];
	if (!is_kept(group, repeat, &now, place)) {
		repeat = other_repeat_of(group, warp, op, place[exec_lowest(mask)]);
		if (!is_kept(group, repeat, &now, place))
			return false;
	}
	if (clocks->dirty || group->copies.count || group->locals[warp->index].copied_count ||
	    !epochs_alone(&group->job->epochs, clocks->first))
		return false;
	repeat->behind = check_put_off_count(group);
	repeat->order = ++group->repeats.order;
	return true;
}

void check_whole_keep_repeat(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const uint64_t first = whole->place[exec_lowest(whole->mask)];
	struct check_repeat *repeat = repeat_of(group, whole->warp, whole->op);
	if (repeat->generation == group->repeats.generation &&
	    (repeat->op != whole->op || repeat->warp != whole->warp->index || repeat->first != first))
		repeat = other_repeat_of(group, whole->warp, whole->op, first);
	/* One that has been repeated has to be noted. */
	if (repeat->generation == group->repeats.generation && repeat->order)
		return;
	/* Most do not repeat: only the second one of the same begin is kept as a whole. */
	const bool again = repeat->generation == group->repeats.generation && repeat->op == whole->op &&
			   repeat->warp == whole->warp->index && repeat->first == first;
	repeat->op = whole->op;
	repeat->warp = whole->warp->index;
	repeat->mask = whole->mask;
	repeat->size_B = whole->size_B;
	repeat->generation = group->repeats.generation;
	repeat->first = first;
	repeat->order = 0;
	repeat->kept = again;
	if (again)
		memcpy(places_of(group, repeat), whole->place, LANES * sizeof(*whole->place));
}

/* Finds those that have been repeated, in the order in which each was the last time; their number. */
static uint32_t find_repeats(const struct check_group *group, const struct check_repeat **found)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < CHECK_REPEATS && group->repeats.order; i++) {
		const struct check_repeat *repeat = &group->repeats.items[i];
		uint32_t to = count;
		if (repeat->generation != group->repeats.generation || !repeat->order)
			continue;
		for (; to && found[to - 1]->order > repeat->order; to--)
			found[to] = found[to - 1];
		found[to] = repeat;
		count++;
	}
	return count;
}

/* --- noting what was put off ---------- */

/* Notes an access whose runs are known, or else lane by lane. */
static bool note(struct check_whole *whole)
{
	struct warp *warp = whole->warp;
	struct frame *frame = warp->frame;
	uint64_t places[LANES] = {0};
	bool right = true;
	warp->frame = warp->base;
	const bool touched = check_whole_touch(whole);
	for (uint32_t i = 0; !touched && i < whole->one_count; i++)
		places[whole->one_lane[i]] = whole->one_place[i];
	for (uint32_t i = 0; !touched && i < whole->run_count; i++)
		for (uint32_t k = 0; k < whole->runs[i].count; k++)
			places[whole->runs[i].lane + k] = whole->runs[i].place + (uint64_t)k * whole->runs[i].step_B;
	for (uint32_t rest = touched ? 0 : whole->mask; right && rest; rest &= rest - 1)
		right = check_race_as(warp, whole->op, whole->mask, exec_lowest(rest), places, whole->size_B,
				      !whole->reads);
	warp->frame = frame;
	return right;
}

static void begin_note(struct check_whole *whole, struct check_group *group, uint32_t warp, const struct op *op,
		       uint32_t lanes, uint32_t size_B)
{
	whole->warp = &group->group->warps[warp];
	whole->group = group;
	whole->op = op;
	whole->mask = lanes;
	whole->size_B = size_B;
	whole->space = PLACE_SHARED;
	whole->one_count = 0;
	whole->again = NULL;
	whole->reads = check_is_load(op);
	whole->decided = true;
	whole->place = NULL;
	whole->is_last = true;
	whole->has_holes = whole->is_own = whole->is_few = false;
}

static bool note_later(struct check_group *group, const struct shared_access *later)
{
	struct check_whole whole;
	begin_note(&whole, group, later->warp, &group->group->job->code->ops[later->op], later->lanes, later->size_B);
	whole.run_count = check_told_ones(&whole, later) ? 0 : check_told_runs(later, whole.runs);
	return note(&whole);
}

static bool note_repeat(struct check_group *group, const struct check_repeat *repeat)
{
	struct check_whole whole;
	const uint64_t *place = places_of(group, repeat);
	begin_note(&whole, group, repeat->warp, repeat->op, repeat->mask, repeat->size_B);
	whole.run_count = 0;
	const bool ones = repeat->size_B == SHADOW_WORD_B && check_whole_find_ones(&whole, place, false);
	for (uint32_t rest = ones ? 0 : repeat->mask; rest; rest &= rest - 1) {
		const uint32_t l = exec_lowest(rest);
		whole.runs[whole.run_count++] = (struct check_run){place[l], l, 1, repeat->size_B};
	}
	return note(&whole);
}

static bool note_scatter(struct check_group *group, const struct check_scatter *scatter)
{
	struct check_whole whole;
	uint64_t place[LANES];
	begin_note(&whole, group, scatter->warp, &group->group->job->code->ops[scatter->op], scatter->lanes,
		   SHADOW_WORD_B);
	whole.run_count = 0;
	check_whole_scatter_places(group, scatter, place);
	(void)check_whole_find_ones(&whole, place, false);
	return note(&whole);
}

static bool note_atomic(struct check_group *group, const struct check_atomic *kept)
{
	struct check_whole whole;
	begin_note(&whole, group, kept->warp, &group->group->job->code->ops[kept->op], kept->lanes, kept->size_B);
	whole.run_count = 0;
	whole.reads = kept->reads;
	check_whole_take_kept(&whole, kept);
	return note(&whole);
}

/* Those that are not among the accesses, in their order. */
struct others {
	const struct check_repeat *repeats[CHECK_REPEATS];
	uint32_t repeat, repeat_count, scatter, scatter_count;
};

/* Notes the next ones that were put off after so many accesses. */
static bool note_others(struct check_group *group, struct others *others, uint32_t behind)
{
	bool right = true;
	while (right) {
		const struct check_repeat *repeat = others->repeat < others->repeat_count ?
			others->repeats[others->repeat] : NULL;
		const struct check_scatter *scatter = others->scatter < others->scatter_count ?
			&group->put_off.scatters[others->scatter] : NULL;
		if (repeat && repeat->behind == behind && (!scatter || repeat->order < scatter->order)) {
			right = note_repeat(group, repeat);
			others->repeat++;
		} else if (scatter && scatter->behind == behind) {
			right = note_scatter(group, scatter);
			others->scatter++;
		} else {
			break;
		}
	}
	return right;
}

/* Atomics and other accesses that are put off are in different chunks, so that the order between them does not
 * matter. */
bool check_whole_note_put_off(struct check_group *group)
{
	/* Nothing is kept as a repeat before all is noted, so that these stay as they are. */
	struct others others = {.scatter_count = group->put_off.scatter_count};
	const uint32_t count = check_put_off_count(group), atomic_count = group->put_off.atomic_count;
	bool right = true;
	others.repeat_count = find_repeats(group, others.repeats);
	mark_later(group);
	check_whole_keep_owners(group);
	check_put_off_forget(group);
	for (uint32_t i = 0; right && i <= count; i++) {
		right = note_others(group, &others, i);
		if (right && i < count)
			right = note_later(group, &group->put_off.accesses[i]);
	}
	for (uint32_t i = 0; right && i < atomic_count; i++)
		right = note_atomic(group, &group->put_off.atomics[i]);
	return right;
}

/* --- all accesses ---------- */

bool check_whole_race(struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const bool shared = whole->space == PLACE_SHARED;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	if (whole->space == PLACE_LOCAL || whole->space == PLACE_PARAM || group->job->epochs.exhausted)
		return true;
	if (group->copies.count || !epochs_alone(&group->job->epochs, clocks->first))
		return false;
	if (shared && (check_is_atomic(whole->op) ? put_off_atomic(whole) : put_off(whole)))
		return true;
	if (shared && !come_first(whole))
		return false;
	return check_whole_touch(whole);
}

bool check_whole_put_off(struct check_whole *whole)
{
	const struct check_group *group = whole->group;
	return group->job->epochs.exhausted ||
	       (!group->copies.count && epochs_alone(&group->job->epochs, group->clocks[CHECK_LOCAL_MEMORY].first) &&
		put_off(whole));
}

bool check_whole_may_compare(struct check_whole *whole)
{
	struct check_group *group = whole->group;
	const bool shared = whole->space == PLACE_SHARED;
	const struct check_clocks *clocks = &group->clocks[shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	if (group->job->epochs.exhausted)
		return true;
	if (group->copies.count || !epochs_alone(&group->job->epochs, clocks->first))
		return false;
	return (shared && may_put_off_atomic(whole)) ||
	       ((!shared || come_first(whole)) && check_whole_may_touch_atomic(whole));
}
