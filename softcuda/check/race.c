/* Accesses of different work-items to the same bytes, at least one of them a
 * write, without an order between them. */
#include "config.h"

#include "softcuda/check/job.h"

/* A record in parts (check/shadow.h). */
struct record {
	uint32_t group, epoch, site;
	uint16_t lane;
	uint8_t kind;             /* enum record_kind */
	bool there;               /* false: no access yet */
};

/* What a cell has. */
struct cell {
	struct record write, read[2], atomic[2];
};

struct access {
	struct check_group *group;
	struct warp *warp;
	const struct op *op;
	unsigned l;
	uint32_t mask;                    /* all lanes of the access, and their places */
	const uint64_t *places;
	uint64_t place;
	uint32_t size_B;
	bool shared, writes;
	const struct check_clocks *clocks;        /* of the memory that is accessed */
	struct record record;
};

/* Whether the access writes: a compare-exchange that will fail only reads. */
static bool will_write(const struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		       uint32_t size_B)
{
	return !check_is_load(op) &&
	       (!op->compares || !memcmp((const void *)(uintptr_t)place,
					 op_bank(warp, op->x[1]) + (size_t)l * size_B, size_B));
}

/* Whether the two accesses are ordered.  A copy by the work-group is not made by any one work-item: it has no order
 * to a work-item's own accesses until the copy is waited for. */
static bool ordered(const struct access *access, const struct record *before)
{
	const struct record *now = &access->record;
	if (before->group == now->group && before->lane == now->lane)
		return !((before->kind ^ now->kind) & RECORD_COPY) ||
		       check_clocks_met(access->clocks, now->lane, before->epoch);
	return check_clocks_ordered(access->clocks, now->lane, before->group, before->lane,
				    before->epoch);
}

/* Whether an earlier access and this one are without an order. */
static bool conflicts(const struct access *access, const struct record *before)
{
	const struct record *now = &access->record;
	uint8_t both = before->kind & now->kind, either = before->kind | now->kind;
	if (!before->there)
		return false;
	if (both & RECORD_ATOMIC && (before->group == now->group || !(either & RECORD_NARROW)))
		return false;
	return !ordered(access, before);
}

/* --- writes of equal values ---------- */

/* The bytes that lane l of a store writes to place; NULL for other accesses, and if they are in no register. */
static const char *stored(const struct access *access, unsigned l, uint32_t byte)
{
	const struct op *op = access->op;
	if (!check_is_store(op) || !op->vector)
		return NULL;
	uint32_t element_B = access->size_B / op->vector;
	uint32_t lane_B = element_B < 2 ? 2 : element_B;
	return op_bank(access->warp, op->x[byte / element_B]) + (size_t)l * lane_B +
	       byte % element_B;
}

static bool writes_equal(const struct access *access, const struct record *before)
{
	const struct record *now = &access->record;
	const uint32_t other_lane = before->lane % LANES;
	/* A lane that is looked at before this one, and not the same lane at an earlier time. */
	bool together = before->site == now->site && before->group == now->group &&
			before->epoch == now->epoch && before->lane / LANES == now->lane / LANES &&
			other_lane < access->l && access->mask >> other_lane & 1 &&
			access->places[other_lane] == access->place;
	for (uint32_t i = 0; i < access->size_B; i++) {
		const char *mine = stored(access, access->l, i);
		if (!mine)
			return false;
		/* Lanes of one store have not changed the memory yet. */
		const char *other = together ? stored(access, other_lane, i) :
				    (const char *)(uintptr_t)(access->place + i);
		if (*mine != *other)
			return false;
	}
	return true;
}

/* --- reports ---------- */

static const char *verb(uint8_t kind, bool writes)
{
	return kind & RECORD_COPY ? writes ? "write of a copy" : "read of a copy" :
	       kind & RECORD_ATOMIC ? writes ? "atomic write" : "atomic read" :
	       writes ? "write" : "read";
}

/* Appends where and by whom an access was made, with `by` in between. */
static void describe_record(const struct check_job *check, const struct record *record, const char *by,
			    struct bytes *text)
{
	const uint32_t *grid = check->job->launch->grid, *block = check->job->launch->block;
	const struct code *code;
	const struct op *op = check_site_op(check, record->site, &code);
	exec_describe_line(check->job, code, op, text);
	bytes_printf(text, "%swork-group (%u,%u,%u), work-item (%u,%u,%u)", by,
		     record->group % grid[0], record->group / grid[0] % grid[1],
		     record->group / grid[0] / grid[1], record->lane % block[0],
		     record->lane / block[0] % block[1], record->lane / block[0] / block[1]);
}

static void describe_before(const struct check_job *check, const struct record *before, bool writes,
			    struct bytes *text)
{
	bytes_printf(text, "%s at ", verb(before->kind, writes));
	describe_record(check, before, " by ", text);
}

static const char *kind_of(bool same_group)
{
	static const char in_group[] = "race in a work-group", between[] = "race between work-groups";
	return same_group ? in_group : between;
}

static uint64_t key_of(uint32_t site, bool wrote)
{
	return (uint64_t)site << 1 | wrote;
}

bool check_race_is_known(struct check_job *check, const struct op *op, bool same_group, uint32_t site, bool wrote)
{
	return check_is_known(check, op, kind_of(same_group), key_of(site, wrote));
}

static void report(const struct access *access, const struct record *before, bool wrote)
{
	struct check_group *group = access->group;
	struct bytes other = BYTES_INIT, where = BYTES_INIT;
	const char *kind = kind_of(before->group == access->record.group);
	bool equal = wrote && access->writes && writes_equal(access, before);
	if (equal && group->job->options & CHECK_BENIGN)
		return;
	/* A program may have millions of races at one place: they are described only if the text is printed. */
	if (!check_find(group, access->warp, access->op, kind, key_of(before->site, wrote)))
		return;
	describe_before(group->job, before, wrote, &other);
	exec_describe_memory(access->warp, access->l, access->place, &where);
	check_tell(group, access->warp, access->op, access->l, kind,
		   "%s%s of %u bytes at %s, with no order to the %s", verb(access->record.kind, access->writes),
		   equal ? " of an equal value" : "", access->size_B, check_text(&where), check_text(&other));
	bytes_finish(&where);
	bytes_finish(&other);
}

/* --- cells ---------- */

static struct record unpack(const struct epochs *epochs, uint64_t record)
{
	struct record parts = {.there = record, .epoch = record_epoch(record), .site = record_site(record),
			       .lane = (uint16_t)record_lane(record), .kind = (uint8_t)(record & RECORD_KINDS)};
	if (record)
		parts.group = epochs_group(epochs, parts.epoch);
	return parts;
}

static uint64_t pack(const struct record *parts)
{
	return parts->there ? record_of(parts->epoch, parts->site, parts->lane, parts->kind) : 0;
}

static void load_cell(const struct epochs *epochs, const struct page *page, size_t i, struct cell *cell)
{
	cell->write = unpack(epochs, page->write[i]);
	for (unsigned k = 0; k < 2; k++) {
		cell->read[k] = unpack(epochs, page->read[k][i]);
		cell->atomic[k] = unpack(epochs, page->atomic[k] ? page->atomic[k][i] : 0);
	}
}

/* False when out of memory. */
static bool store_cell(struct page *page, size_t i, const struct cell *cell)
{
	if (cell->atomic[0].there && !shadow_want_atomic(page))
		return false;
	page->write[i] = pack(&cell->write);
	for (unsigned k = 0; k < 2; k++) {
		page->read[k][i] = pack(&cell->read[k]);
		if (page->atomic[k])
			page->atomic[k][i] = pack(&cell->atomic[k]);
	}
	return true;
}

/* Whether the earlier access need not be kept: every later access without an order to it also has none to this one,
 * because it is of the same lane or ordered before this one. */
static bool follows(const struct access *access, const struct record *before)
{
	return !before->there || ordered(access, before);
}

/* Notes a read; it replaces one that need not be kept. */
static void note_read(const struct access *access, struct cell *cell)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!follows(access, &cell->read[i]))
			continue;
		cell->read[i] = access->record;
		return;
	}
}

/* Notes a write.  Other lanes may access the place atomically at the same time, but not necessarily what the writer
 * did before.  Of atomic writes the latest is kept and one of another lane: a lane that made the latest has no order
 * to the other. */
static void note_write(const struct access *access, struct cell *cell)
{
	if (access->record.kind & RECORD_ATOMIC) {
		if (!follows(access, &cell->atomic[0]))
			cell->atomic[1] = cell->atomic[0];
		else if (follows(access, &cell->atomic[1]))
			cell->atomic[1].there = false;
		cell->atomic[0] = access->record;
		return;
	}
	memset(cell, 0, sizeof(*cell));
	cell->write = access->record;
}

/* The conflicting atomic, or NULL.  Atomics of one place are ordered among themselves: what is ordered after the
 * latest is ordered after all.  The last work-group resets its counter that way, with a fence or a barrier after its
 * own atomic, which orders nothing without one. */
static const struct record *conflicting_atomic(const struct access *access, const struct cell *cell)
{
	const struct record *latest = &cell->atomic[0], *now = &access->record;
	bool just_now = latest->there && latest->group == now->group &&
			latest->lane == now->lane && latest->epoch == now->epoch;
	const struct record *decides = just_now ? &cell->atomic[1] : latest;
	return conflicts(access, decides) ? decides : NULL;
}

/* true: a race was found and reported. */
static bool touch(const struct access *access, struct cell *cell)
{
	const struct record *found = conflicts(access, &cell->write) ? &cell->write :
				     conflicting_atomic(access, cell);
	bool wrote = found;
	for (unsigned i = 0; i < 2 && access->writes && !found; i++)
		if (conflicts(access, &cell->read[i]))
			found = &cell->read[i];
	if (found)
		report(access, found, wrote);
	if (access->writes)
		note_write(access, cell);
	else
		note_read(access, cell);
	return found;
}

static bool touch_all(const struct access *access, struct shadow *shadow)
{
	uint64_t end = access->place + access->size_B, at = access->place;
	bool found = false;
	while (at < end) {
		struct page *page = shadow_page(shadow, at);
		bool words = !(at % SHADOW_WORD_B) && end - at >= SHADOW_WORD_B;
		if (!page || (!words && !shadow_split(page)))
			return false;
		uint32_t step_B = page->bytes ? 1 : SHADOW_WORD_B;
		const size_t index = at % SHADOW_PAGE_B / step_B;
		const uint32_t block = (uint32_t)(index / SHADOW_BLOCK);
		struct cell cell;
		if (!page->bytes && !shadow_part(page, block, block + 1))
			return false;
		load_cell(&access->group->job->epochs, page, index, &cell);
		/* One report for an access is enough. */
		if (!found)
			found = touch(access, &cell);
		else if (access->writes)
			note_write(access, &cell);
		if (!store_cell(page, index, &cell))
			return false;
		at += step_B;
	}
	return true;
}

/* --- what synchronises ---------- */

static bool synchronise_in(const struct access *access, struct shadow *shadow, unsigned memory)
{
	const struct op *op = access->op;
	struct check_clocks *clocks = &access->group->clocks[memory];
	uint32_t lane = access->record.lane;
	bool acquires = op->mode == ORDER_ACQUIRE || op->mode == ORDER_ACQ_REL ||
			op->mode == ORDER_SC;
	bool releases = op->mode == ORDER_RELEASE || op->mode == ORDER_ACQ_REL ||
			op->mode == ORDER_SC;
	const struct sync *seen = shadow_sync_find(shadow, access->place);
	if (seen && !check_is_store(op) &&
	    (!check_clocks_acquire(clocks, lane, &seen->wide[memory], op->narrow, acquires) ||
	     !check_clocks_acquire(clocks, lane, &seen->narrow[memory], true, acquires)))
		return false;
	if (!access->writes || (!releases && !clocks->lanes[lane].released && !seen))
		return true;
	struct sync *sync = shadow_sync(shadow, access->place);
	return sync && check_clocks_release(clocks, lane, &sync->wide[memory],
					    &sync->narrow[memory], op->narrow, releases,
					    check_is_store(op));
}

/* An atomic may order both kinds of memory, whichever it is in. */
static bool synchronise(const struct access *access, struct shadow *shadow)
{
	return synchronise_in(access, shadow, CHECK_LOCAL_MEMORY) &&
	       synchronise_in(access, shadow, CHECK_GLOBAL_MEMORY);
}

/* Whether the lane makes a copy for its group; a work-item that is alone in its group makes copies itself. */
static bool is_copying(const struct warp *warp, uint32_t lane)
{
	return check_of(warp->group)->copies.lanes[lane].copying && warp->group->thread_count > 1;
}

bool check_race(struct warp *warp, const struct op *op, uint32_t mask, unsigned l, const uint64_t *places,
		uint32_t size_B)
{
	return check_race_as(warp, op, mask, l, places, size_B, will_write(warp, op, l, places[l], size_B));
}

bool check_race_as(struct warp *warp, const struct op *op, uint32_t mask, unsigned l, const uint64_t *places,
		   uint32_t size_B, bool writes)
{
	const uint64_t place = places[l];
	struct check_group *group = check_of(warp->group);
	uint64_t offset_B;
	enum place_space space = exec_place(warp, l, place, &offset_B);
	if (space == PLACE_LOCAL || space == PLACE_PARAM || group->job->epochs.exhausted)
		return true;
	struct access access = {
		.group = group, .warp = warp, .op = op, .l = l, .mask = mask, .places = places, .place = place,
		.size_B = size_B, .shared = space == PLACE_SHARED,
		.writes = writes
	};
	uint32_t lane = warp->index * LANES + l;
	if (!check_put_off_none(group))
		return false;
	if (access.shared)
		check_put_off_mark(group, access.writes, offset_B, size_B);
	access.clocks = &group->clocks[access.shared ? CHECK_LOCAL_MEMORY : CHECK_GLOBAL_MEMORY];
	access.record = (struct record){
		.group = group->number, .epoch = check_clocks_epoch(access.clocks, lane),
		.site = check_site(group->job, warp, op), .lane = (uint16_t)lane,
		.there = true,
		.kind = (uint8_t)((check_is_atomic(op) ? RECORD_ATOMIC : 0) |
				  (op->narrow ? RECORD_NARROW : 0) |
				  (is_copying(warp, lane) ? RECORD_COPY : 0))
	};
	struct shadow *shadow = access.shared ? &group->shared : &group->job->global;
	return (touch_all(&access, shadow) &&
		(!check_is_atomic(op) || synchronise(&access, shadow))) ||
	       check_fail_memory(warp, op, 1u << l);
}

/* --- work-groups of different threads ---------- */

/* An access by a work-group that a thread has run. */
struct party {
	struct check_job *check;
	const struct record *record;
	bool writes;
};

/* Whether two accesses by different work-groups, which nothing orders, are a race, if one of them writes. */
static bool are_race(const struct record *a, const struct record *b)
{
	return a->there && b->there && !(a->kind & b->kind & RECORD_ATOMIC && !((a->kind | b->kind) & RECORD_NARROW));
}

/* The kinds of records of a cell, by number: writes are below CELL_WRITES. */
enum { CELL_WRITES = 3, CELL_RECORDS = 5 };

static const struct record *record_number(const struct cell *cell, unsigned number)
{
	const struct record *const records[CELL_RECORDS] = {
		&cell->write, &cell->atomic[0], &cell->atomic[1], &cell->read[0], &cell->read[1]
	};
	return records[number];
}

/* Finds a race between what two threads' work-groups have done with a cell. */
static bool find_race(const struct cell *first, const struct cell *second, struct party *a, struct party *b)
{
	for (unsigned i = 0; i < CELL_RECORDS; i++)
		for (unsigned k = 0; k < (i < CELL_WRITES ? CELL_RECORDS : CELL_WRITES); k++) {
			a->record = record_number(first, i);
			b->record = record_number(second, k);
			a->writes = i < CELL_WRITES;
			b->writes = k < CELL_WRITES;
			if (are_race(a->record, b->record))
				return true;
		}
	return false;
}

/* As if the work-groups had run in the order of the grid. */
static void report_parties(const struct party *a, const struct party *b, uint64_t place, uint32_t size_B)
{
	const struct party *before = a->record->group < b->record->group ? a : b, *now = before == a ? b : a;
	struct check_job *check = now->check;
	const char *kind = kind_of(false);
	const struct code *code;
	const struct op *op = check_site_op(check, now->record->site, &code);
	struct bytes text = BYTES_INIT;
	if (!check_find_in(check, code, op, kind, key_of(before->record->site, before->writes)))
		return;
	bytes_printf(&text, "softcuda: %s: kernel '%s', ", kind, check->job->code->name);
	describe_record(check, now->record, ", ", &text);
	bytes_printf(&text, ": %s of %u bytes at ", verb(now->record->kind, now->writes), size_B);
	exec_describe_global(check->job, place, &text);
	bytes_append_string(&text, ", with no order to the ");
	describe_before(before->check, before->record, before->writes, &text);
	bytes_append_char(&text, '\n');
	check_write(&text);
	bytes_finish(&text);
}

/* Whether cells i and i + 1 have the same accesses. */
static bool goes_on(const struct page *page, size_t i)
{
	bool same = page->write[i] == page->write[i + 1];
	for (unsigned k = 0; k < 2; k++)
		same &= page->read[k][i] == page->read[k][i + 1] &&
			(!page->atomic[k] || page->atomic[k][i] == page->atomic[k][i + 1]);
	return same;
}

size_t check_race_between(struct check_job *first, const struct page *first_page, struct check_job *second,
			  const struct page *second_page, uint64_t address, size_t i, size_t end)
{
	const uint32_t step_B = first_page->bytes ? 1 : SHADOW_WORD_B;
	struct party a = {.check = first}, b = {.check = second};
	struct cell first_cell, second_cell;
	size_t last = i;
	load_cell(&first->epochs, first_page, i, &first_cell);
	load_cell(&second->epochs, second_page, i, &second_cell);
	while (last + 1 < end && goes_on(first_page, last) && goes_on(second_page, last))
		last++;
	if (find_race(&first_cell, &second_cell, &a, &b))
		report_parties(&a, &b, address + i * step_B, (uint32_t)(last + 1 - i) * step_B);
	return last + 1;
}
