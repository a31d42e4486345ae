/* Which operations happened before which: compact vector clocks.
 *
 * Each lane has an epoch, which each access notes and each synchronization advances.  Epochs are drawn from a counter
 * of the launch, so that each belongs to one group.  What a lane knows of others:
 *
 * 	floor     of all lanes of its group: everything up to this epoch.  A barrier
 * 	          of the whole group raises it, which is the common case
 * 	row       of the lanes of its warp
 * 	others    of each lane of its group; made when a part of the group first
 * 	          synchronizes
 * 	foreign   of lanes and groups elsewhere
 *
 * Fences and atomics: what a lane does before a fence is released by its next atomic access after the fence; a lane
 * that reads it by an atomic access acquires it at its next fence.  Ordered accesses do both at once.
 *
 * A struct clocks distinguishes up to CLOCKS_LANES lanes of a group; with more of them it claims to know the whole
 * group: a race may then be missed, but none is reported wrongly.
 *
 * Not thread-safe: one owner.  Functions return false when out of memory. */
#ifndef CULVERT_SOFTCUDA_CHECK_CLOCK_H
#define CULVERT_SOFTCUDA_CHECK_CLOCK_H

#include "softcuda/exec/op.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLOCKS_LANES = 64 };
#define CLOCKS_ALL 0xffffffffu

struct clock_entry {
	uint32_t group, lane, epoch;      /* lane CLOCKS_ALL: the group's floor */
};

/* Sorted by group, then lane, so that a group's floor is its last entry. */
struct clocks {
	struct clock_entry *entries;
	size_t count;
};

void clocks_finish(struct clocks *clocks);
/* Adds to `to` what entries (sorted) say, except about one group. */
bool clocks_join(struct clocks *to, const struct clock_entry *entries, size_t count,
		 uint32_t except_group);
/* The last known epoch of a lane. */
uint32_t clocks_known(const struct clocks *clocks, uint32_t group, uint32_t lane);

enum { EPOCHS_MAX = (1 << 29) - 1 };

/* The epochs of a launch. */
struct epochs {
	uint32_t last, limit;             /* the latest that was drawn; the latest that may be, up to EPOCHS_MAX */
	struct epoch_run {
		uint32_t first, group;    /* from this one up to the next run's, they are this group's */
	} *runs;
	size_t run_count, run_capacity;
	bool exhausted;                   /* there are no more: races cannot be found any longer */
};

void epochs_finish(struct epochs *epochs);
/* The group that has drawn an epoch. */
uint32_t epochs_group(const struct epochs *epochs, uint32_t epoch);
/* Whether no other group has drawn epochs since this one, which a group has drawn. */
static inline bool epochs_alone(const struct epochs *epochs, uint32_t epoch)
{
	return epochs->runs[epochs->run_count - 1].first <= epoch;
}

struct lane_clock {
	uint32_t epoch, floor;            /* floor 0: no barrier yet */
	uint32_t released;                /* its epoch before its last fence; 0: no fence yet */
	bool released_wide;
	uint32_t row[LANES];
	uint32_t *others;                 /* by lane of the group; NULL */
	struct clocks foreign;
	struct clocks pending;            /* read by atomics but not acquired: for the next fence */
};

struct arrivals {
	uint32_t floor;
	uint32_t *others;
	struct clocks foreign;
};

enum { CLOCK_BARRIERS = 17 };

struct check_clocks {
	uint32_t group;                   /* the group's number */
	uint32_t first, now;              /* its first and its latest epoch */
	struct epochs *epochs;            /* of the launch */
	uint32_t lane_count;
	bool dirty;                       /* more was done with them than barriers of the whole group */
	uint32_t floor;                   /* of all lanes, whose epoch is `now`, unless dirty: then as lanes say */
	struct lane_clock *lanes;
	struct arrivals arrivals[CLOCK_BARRIERS];
};

/* Sets the clocks of a work-group that begins; they are zeros, or those of a work-group of the same size that has
 * ended. */
bool check_clocks_init(struct check_clocks *clocks, struct epochs *epochs, uint32_t group, uint32_t lane_count);
void check_clocks_finish(struct check_clocks *clocks);

static inline uint32_t check_clocks_epoch(const struct check_clocks *clocks, uint32_t lane)
{
	return clocks->dirty ? clocks->lanes[lane].epoch : clocks->now;
}

static inline uint32_t check_clocks_floor(const struct check_clocks *clocks, uint32_t lane)
{
	return clocks->dirty ? clocks->lanes[lane].floor : clocks->floor;
}

/* Whether what lane `other` of `group` did at epoch happened before the present operation of lane. */
bool check_clocks_ordered(const struct check_clocks *clocks, uint32_t lane, uint32_t group,
			  uint32_t other, uint32_t epoch);

/* Whether lane has passed a barrier since epoch. */
bool check_clocks_met(const struct check_clocks *clocks, uint32_t lane, uint32_t epoch);

/* All remaining lanes have met at a barrier. */
bool check_clocks_barrier_all(struct check_clocks *clocks);
/* Some lanes have met: bit l % 32 of members[l / 32].  What the lanes that arrived at barrier id have done counts,
 * too. */
bool check_clocks_barrier_some(struct check_clocks *clocks, const uint32_t *members,
			       uint32_t id);
bool check_clocks_arrive(struct check_clocks *clocks, uint32_t lane, uint32_t id);
/* Lanes of one warp, whose first lane is first, have met. */
bool check_clocks_meet(struct check_clocks *clocks, uint32_t first, uint32_t met);
bool check_clocks_fence(struct check_clocks *clocks, uint32_t lane, bool narrow);

/* An atomic read of what was released there, which is acquired now or at the next fence. */
bool check_clocks_acquire(struct check_clocks *clocks, uint32_t lane,
			  const struct clocks *released, bool narrow, bool now);
/* An atomic write. replaces: it is a store, which ends what other lanes have released there.  The release goes to
 * wide or, if the scope is the group, to own. */
bool check_clocks_release(struct check_clocks *clocks, uint32_t lane, struct clocks *wide,
			  struct clocks *own, bool narrow, bool now, bool replaces);

#endif
