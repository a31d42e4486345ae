/* Words of shared memory that one work-item alone accesses between two barriers, as in x[l] += x[l + 32]: such accesses
 * are put off although some of them write (struct check_put_off).  Which work-item has accessed each word is only found
 * out where a chunk is accessed again, from what has been put off. */
#include "config.h"

#include "softcuda/check/whole.h"

#include <string.h>

/* The parts of an element of put_off.owner, from the lowest bit: whether the word was written; whether several
 * work-items have read it; the lane in its work-group; the number of the epoch. */
enum { OWNER_WRITTEN = 1, OWNER_MANY = 2, OWNER_LANE_SHIFT = 2, OWNER_EPOCH_SHIFT = 12, OWNER_LANE = 1 << 2 };

/* A word for each lane from some lane on, side by side, of which those in `lanes` are accessed. */
struct words {
	uint32_t *owner;          /* of the first one; there are LANES elements from here on */
	uint32_t lanes;
	uint32_t now;             /* what the first one's element is if only its lane reads it */
};

static inline bool is_of_epoch(uint32_t owner, uint32_t now)
{
	return !((owner ^ now) >> OWNER_EPOCH_SHIFT);
}

static inline bool is_of_lane(uint32_t owner, uint32_t now)
{
	return !((owner ^ now) >> OWNER_LANE_SHIFT);
}

/* Whether an element does not hinder a lane's access: of other lanes it has nothing, or reads if this is one, too. */
static inline uint32_t is_free(uint32_t owner, uint32_t now, bool writes)
{
	const uint32_t wrong = writes ? UINT32_MAX : OWNER_WRITTEN, many = writes ? OWNER_MANY : 0;
	const uint32_t of_epoch = is_of_epoch(owner, now), of_other = !is_of_lane(owner, now);
	const uint32_t is_wrong = (owner & wrong) != 0, are_many = (owner & many) != 0;
	return !(of_epoch & ((of_other & is_wrong) | are_many));
}

static inline uint32_t noted(uint32_t owner, uint32_t now, bool writes)
{
	const uint32_t again = is_of_lane(owner, now) ? owner : owner | OWNER_MANY;
	return writes ? now | OWNER_WRITTEN : is_of_epoch(owner, now) ? again : now;
}

/* All lanes are looked at, so that loops become vectors. */
static bool words_may(const struct words *words, bool writes)
{
	const uint32_t *owner = words->owner, lanes = words->lanes, first = words->now;
	uint32_t bad = 0;
	for (uint32_t i = 0; i < LANES; i++)
		bad |= lanes >> i & !is_free(owner[i], first + i * OWNER_LANE, writes);
	return !bad;
}

static void words_note(const struct words *words, bool writes)
{
	uint32_t *owner = words->owner;
	const uint32_t lanes = words->lanes, first = words->now;
	for (uint32_t i = 0; i < LANES; i++) {
		const uint32_t next = noted(owner[i], first + i * OWNER_LANE, writes);
		owner[i] = lanes >> i & 1 ? next : owner[i];
	}
}

/* The number of the present epoch among those that the elements can have. */
static uint32_t epoch_number(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	if (put_off->owner_epoch == now)
		return put_off->owner_number;
	put_off->owner_epoch = now;
	if (++put_off->owner_number == 1u << (32 - OWNER_EPOCH_SHIFT)) {
		memset(put_off->owner, 0, check_put_off_words(group->group->job) * sizeof(*put_off->owner));
		put_off->owner_number = 1;
	}
	return put_off->owner_number;
}

/* What is done with the words of an access: what it does itself is known, and whether it is compared with what others
 * have done, and noted. */
struct taking {
	struct check_group *group;
	uint32_t warp, size_B;
	bool writes, compares, notes;
};

/* Takes words that one lane accesses, or several ones, which read. */
static bool take_same(const struct taking *taking, uint32_t *owner, uint32_t count, uint32_t now, bool several)
{
	uint32_t free = 1;
	for (uint32_t i = 0; i < count && taking->compares; i++)
		free &= is_free(owner[i], now, taking->writes) & !(several && is_of_epoch(owner[i], now) &&
								      owner[i] & OWNER_WRITTEN);
	for (uint32_t i = 0; i < count && free && taking->notes; i++)
		owner[i] = noted(owner[i], now, taking->writes) | (several ? OWNER_MANY : 0);
	return free;
}

/* Takes the lanes of a run that are set in `lanes`, from the run's first one on.  False: another lane has accessed a
 * word of theirs. */
static bool take_run(const struct taking *taking, const struct check_run *run, uint32_t lanes)
{
	struct check_group *group = taking->group;
	uint32_t *owners = group->put_off.owner;
	const uint64_t start = run->place - (uint64_t)(uintptr_t)group->group->shared;
	const uint32_t lane = taking->warp * LANES + run->lane;
	const uint32_t now = epoch_number(group) << OWNER_EPOCH_SHIFT | lane << OWNER_LANE_SHIFT;
	if (taking->size_B == SHADOW_WORD_B && run->step_B == SHADOW_WORD_B && start % SHADOW_WORD_B == 0) {
		const struct words words = {&owners[start / SHADOW_WORD_B], lanes, now};
		if (taking->compares && !words_may(&words, taking->writes))
			return false;
		if (taking->notes)
			words_note(&words, taking->writes);
		return true;
	}
	const bool several = !run->step_B && lanes & (lanes - 1);
	if (several && taking->writes)
		return false;
	for (uint32_t rest = lanes; rest; rest = several ? 0 : rest & (rest - 1)) {
		const uint32_t i = exec_lowest(rest);
		const uint64_t at = start + (uint64_t)i * run->step_B, last = at + taking->size_B - 1;
		if (!take_same(taking, &owners[at / SHADOW_WORD_B],
			       (uint32_t)(last / SHADOW_WORD_B - at / SHADOW_WORD_B) + 1,
			       now + (i << OWNER_LANE_SHIFT), several))
			return false;
	}
	return true;
}

/* Takes words of lanes, of which there are `count`.  False: another lane has accessed one of them. */
static bool take_ones(const struct taking *taking, const uint16_t *word, const uint32_t *lane, uint32_t count)
{
	uint32_t *owner = taking->group->put_off.owner, free = 1;
	const uint32_t first = epoch_number(taking->group) << OWNER_EPOCH_SHIFT |
			       taking->warp * LANES << OWNER_LANE_SHIFT;
	for (uint32_t i = 0; i < count && taking->compares; i++)
		free &= is_free(owner[word[i]], first + lane[i] * OWNER_LANE, taking->writes);
	for (uint32_t i = 0; i < count && free && taking->notes; i++)
		owner[word[i]] = noted(owner[word[i]], first + lane[i] * OWNER_LANE, taking->writes);
	return free;
}

/* The lanes of a run, as take_run wants them. */
static uint32_t all_lanes(const struct check_run *run)
{
	return MASK_ALL >> (LANES - run->count);
}

static void note_scatters(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const struct op *ops = group->group->job->code->ops;
	for (; put_off->scatter_owned < put_off->scatter_count; put_off->scatter_owned++) {
		const struct check_scatter *scatter = &put_off->scatters[put_off->scatter_owned];
		const struct taking taking = {
			.group = group, .warp = scatter->warp, .size_B = SHADOW_WORD_B,
			.writes = !check_is_load(&ops[scatter->op]), .notes = true
		};
		uint32_t lane[LANES], count = 0;
		for (uint32_t rest = scatter->lanes; rest; rest &= rest - 1)
			lane[count++] = exec_lowest(rest);
		(void)take_ones(&taking, scatter->word, lane, count);
	}
}

static void note_owners(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const struct op *ops = group->group->job->code->ops;
	for (const uint32_t count = check_put_off_count(group); put_off->owned < count; put_off->owned++) {
		const struct shared_access *later = &put_off->accesses[put_off->owned];
		const struct taking taking = {
			.group = group, .warp = later->warp, .size_B = later->size_B,
			.writes = !check_is_load(&ops[later->op]), .notes = true
		};
		for (uint32_t first = 0; first < LANES; first += later->row) {
			const uint32_t lanes = later->lanes >> first & MASK_ALL >> (LANES - later->row);
			if (!lanes)
				continue;
			const uint32_t low = exec_lowest(lanes);
			const struct check_run run = {
				.place = later->place[first / later->row] + (uint64_t)low * later->step_B,
				.lane = first + low, .step_B = later->step_B
			};
			(void)take_run(&taking, &run, lanes >> low);
		}
	}
	note_scatters(group);
}

void check_whole_keep_owners(struct check_group *group)
{
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	if (group->put_off.owner_epoch == now)
		note_owners(group);
	else if (check_puts_off_plain(group))
		group->put_off.owner_lost = now;
}

static bool take_whole_ones(const struct taking *taking, const struct check_whole *whole)
{
	const uint64_t shared = (uint64_t)(uintptr_t)whole->group->group->shared;
	uint16_t word[LANES];
	for (uint32_t i = 0; i < LANES; i++)
		word[i] = (uint16_t)((whole->one_place[i] - shared) / SHADOW_WORD_B);
	return take_ones(taking, word, whole->one_lane, whole->one_count);
}

bool check_whole_owns(const struct check_whole *whole)
{
	const struct taking taking = {
		.group = whole->group, .warp = whole->warp->index, .size_B = whole->size_B, .writes = !whole->reads,
		.compares = true, .notes = !whole->reads
	};
	bool right = whole->group->put_off.owner_lost != whole->group->clocks[CHECK_LOCAL_MEMORY].now;
	if (right)
		note_owners(whole->group);
	if (right && whole->one_count)
		return take_whole_ones(&taking, whole);
	for (uint32_t i = 0; right && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		right = take_run(&taking, run, whole->has_holes ? whole->mask >> run->lane : all_lanes(run));
	}
	return right;
}
