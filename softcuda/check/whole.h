/* The checks of all lanes of a warp at a time, compiled for each level of x86-64 (exec/level.h): check/whole.c,
 * check/whole_again.c, check/whole_atomic.c, check/whole_few.c, check/whole_lanes.c, check/whole_later.c,
 * check/whole_narrow.c, check/whole_noted.c, check/whole_ones.c, check/whole_own.c, check/whole_private.c,
 * check/whole_race.c, check/whole_runs.c and check/whole_scatter.c.  Only these include this file; others call
 * them by check_job.whole. */
#ifndef CULVERT_SOFTCUDA_CHECK_WHOLE_H
#define CULVERT_SOFTCUDA_CHECK_WHOLE_H

#include "softcuda/check/job.h"
#include "softcuda/exec/table.h"

/* With as many runs, lanes are taken one by one; so many lanes are looked at in turn. */
enum { CHECK_RUNS_MANY = 5, CHECK_LANES_FEW = 8 };

/* Consecutive lanes that access places step_B apart, which is the size of an access, or all the same place (0). */
struct check_run {
	uint64_t place;           /* of the first lane */
	uint32_t lane, count, step_B;
};

/* Numbers of eight lanes, as a vector. */
enum { CHECK_EIGHT = 8 };
typedef uint64_t __attribute__((vector_size(CHECK_EIGHT * sizeof(uint64_t)))) check_eight;

static inline __attribute__((always_inline)) uint32_t check_any_of(const check_eight *bits)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < CHECK_EIGHT; i++)
		any |= (*bits)[i];
	return (uint32_t)any;
}

/* What private memory has of the bytes that lanes access. */
struct check_private {
	uint64_t low, high;       /* the least and the greatest offset of a lane's access */
	bool same;                /* the offset is the same in all lanes */
	bool written, in_gap;     /* all bytes were written; some are in a gap */
};

/* An access of all lanes in mask. */
struct check_whole {
	struct warp *warp;
	struct check_group *group;        /* the warp's */
	const struct op *op;
	uint32_t mask, size_B;
	const uint64_t *place;            /* the address of each lane; NULL: the runs are known */
	enum place_space space;           /* of all lanes */
	/* Of private memory: */
	struct check_private private;
	/* Of other memory: all lanes' accesses, and the range around them. */
	uint64_t start, end;
	uint32_t run_count;
	struct check_run runs[LANES];
	/* Instead of many short runs: lanes that access different words of global or shared memory; or those of an
	 * atomic, whose words need not differ; 0: there are runs. */
	uint32_t one_count;
	uint32_t one_lane[LANES];
	uint64_t one_place[LANES];        /* multiples of the size of the access unless is_few: SHADOW_WORD_B or, of an
					   * atomic, twice that */
	bool one_word;            /* all lanes of an atomic access the same one */
	/* These lanes are few, or access less than a word each, and are looked at in turn.  The space is global, and
	 * what they access need not differ. */
	bool is_few;
	uint64_t row_place;       /* of lane 0, if these lanes' places are as far apart as in a row; 0: they are not */
	struct again_set *again;          /* what keeps these accesses of them; NULL: nothing */
	bool reads;               /* the access only reads */
	bool decided;             /* that is known: it is no compare-exchange that has not been made yet */
	/* Whether machine code has stored the access at group.shared_next; whether it was put off. */
	bool is_told, is_put_off;
	bool is_own;              /* of a read that is put off: its lanes have written to its chunks */
	bool has_holes;           /* not all lanes of the only run, which machine code has told of, access */
	/* Whether nothing else has to look at the access lane by lane, so that races are reported at once.  What a
	 * store writes is known then. */
	bool is_last;
	bool is_flagged;          /* the flags of a buffer forbid the access, which has been reported before */
};

/* The number of bytes that a run accesses. */
static inline uint64_t check_run_B(const struct check_whole *whole, const struct check_run *run)
{
	return (uint64_t)(run->count - 1) * run->step_B + whole->size_B;
}

/* Whether the range around all lanes' bytes is so small that it is looked at as a whole, instead of run by run. */
static inline bool check_is_dense(const struct check_whole *whole)
{
	return whole->end - whole->start <= (uint64_t)2 * LANES * whole->size_B;
}

/* Whether all lanes access, and are as one row: they are one, or the second of two continues the first. */
static inline bool check_told_is_row(const struct shared_access *told)
{
	const uint32_t row = told->row;
	return told->lanes == MASK_ALL && (row == LANES || (row == LANES / 2 && told->step_B &&
		told->place[1] == told->place[0] + (uint64_t)row * told->step_B));
}

/* Finds the runs of an access that machine code has told of, or that was put off; their number. */
static inline uint32_t check_told_runs(const struct shared_access *told, struct check_run *runs)
{
	uint32_t count = 0;
	const uint32_t row = told->row, log2_row = exec_lowest(row);
	if (check_told_is_row(told)) {
		runs[0] = (struct check_run){told->place[0], 0, LANES, told->step_B};
		return 1;
	}
	for (uint64_t rest = told->lanes; rest;) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(rest), first = lane & ~(row - 1);
		const uint32_t most = first + row - lane, ones = (uint32_t)__builtin_ctzll(~(rest >> lane));
		const uint32_t next = ones < most ? ones : most;
		const uint64_t place = told->place[lane >> log2_row] + (uint64_t)(lane - first) * told->step_B;
		struct check_run *last = count ? &runs[count - 1] : NULL;
		rest &= ~UINT64_C(0) << (lane + next);
		/* One row may continue the one before. */
		if (last && told->step_B && last->lane + last->count == lane &&
		    last->place + (uint64_t)last->count * told->step_B == place)
			last->count += next;
		else
			runs[count++] = (struct check_run){place, lane, next, told->step_B};
	}
	return count;
}

/* Takes lanes of a row one by one, if they are many runs of different words.  False: they are not. */
static inline bool check_told_ones(struct check_whole *whole, const struct shared_access *told)
{
	const uint32_t lanes = told->lanes;
	if (told->row < LANES || told->size_B != SHADOW_WORD_B || told->step_B != SHADOW_WORD_B ||
	    told->place[0] % SHADOW_WORD_B || __builtin_popcount(lanes & ~(lanes << 1)) < CHECK_RUNS_MANY)
		return false;
	whole->one_count = 0;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		const uint32_t l = exec_lowest(rest);
		whole->one_lane[whole->one_count] = l;
		whole->one_place[whole->one_count++] = told->place[0] + (uint64_t)l * SHADOW_WORD_B;
	}
	whole->start = whole->one_place[0];
	whole->end = whole->one_place[whole->one_count - 1] + SHADOW_WORD_B;
	return true;
}

/* Reads what is known of the bytes that lanes access in private memory.  False if an access leaves its lane's. */
#define check_whole_read_private EXEC_LEVELED(check_whole_read_private)
bool check_whole_read_private(struct check_whole *whole);
/* Whether all lanes' bytes are in one variable of a frame and, in a program with gaps, outside of these. */
#define check_whole_inside_private EXEC_LEVELED(check_whole_inside_private)
bool check_whole_inside_private(const struct check_whole *whole);
/* Whether all bytes that the lanes read have been written; notes those that they write. */
#define check_whole_written_private EXEC_LEVELED(check_whole_written_private)
bool check_whole_written_private(const struct check_whole *whole);
/* Whether a buffer's flags allow an access of global memory, or what they forbid is only counted (is_flagged), and all
 * bytes that the lanes read have been written; notes those that they write. */
#define check_whole_noted EXEC_LEVELED(check_whole_noted)
bool check_whole_noted(struct check_whole *whole);
/* Whether a read is of memory that kernels may not read (check_job.stills), and only that is wrong, which need only be
 * counted: counts it then. */
#define check_whole_reads_still EXEC_LEVELED(check_whole_reads_still)
bool check_whole_reads_still(const struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			     const uint64_t *place);
/* The same of an access whose start and end are known. */
#define check_whole_is_still EXEC_LEVELED(check_whole_is_still)
bool check_whole_is_still(const struct check_whole *whole);
/* Takes the lanes in mask one by one.  False if they do not access different words.  ascend: they are known to do it,
 * in that order. */
#define check_whole_find_ones EXEC_LEVELED(check_whole_find_ones)
bool check_whole_find_ones(struct check_whole *whole, const uint64_t *place, bool ascend);
/* Takes the lanes in mask, of one place each, to be looked at in turn. */
#define check_whole_find_few EXEC_LEVELED(check_whole_find_few)
void check_whole_find_few(struct check_whole *whole, const uint64_t *place);
/* Notes the runs of an access, or its lanes one by one, if no race is possible or the access is_last.  False: that is
 * not decided, as of check_whole_race. */
#define check_whole_touch EXEC_LEVELED(check_whole_touch)
bool check_whole_touch(struct check_whole *whole);
/* Whether an access repeats one that was put off since the last barrier, with nothing in between that matters, so that
 * there is nothing to look at: notes that it has been repeated.  Nobody else has accessed what was written then: that
 * would have had all that was put off be noted. */
#define check_whole_repeats EXEC_LEVELED(check_whole_repeats)
bool check_whole_repeats(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place);
/* Keeps an access of several runs that was put off, so that it is known when it repeats. */
#define check_whole_keep_repeat EXEC_LEVELED(check_whole_keep_repeat)
void check_whole_keep_repeat(const struct check_whole *whole);
/* Whether an access of global memory repeats one that is kept in a set (check/again.h), with nothing in between that
 * matters, so that there is nothing to look at: keeps it, too. */
#define check_whole_again EXEC_LEVELED(check_whole_again)
bool check_whole_again(struct warp *warp, const struct op *op, uint32_t mask, const uint64_t *place);
/* Keeps the access of lanes to different words, as record, if earlier ones of the same lanes to the same words are
 * kept; otherwise notes those that others keep of the words. */
#define check_whole_keeps EXEC_LEVELED(check_whole_keeps)
bool check_whole_keeps(struct check_whole *whole, uint64_t record);
/* After an access of lanes to different words in which nothing was wrong: sees whether it is to be kept the next
 * time. */
#define check_whole_keep_again EXEC_LEVELED(check_whole_keep_again)
void check_whole_keep_again(const struct check_whole *whole);
/* Whether no other lane has accessed a word of the runs of an access of shared memory since the last barrier, as far as
 * accesses are put off, or all have read it, as this one.  A write is noted as one that is put off. */
#define check_whole_owns EXEC_LEVELED(check_whole_owns)
bool check_whole_owns(const struct check_whole *whole);
/* Notes for it what is put off, before that is forgotten; or that this is not known until the next barrier, if nobody
 * has asked since the last one. */
#define check_whole_keep_owners EXEC_LEVELED(check_whole_keep_owners)
void check_whole_keep_owners(struct check_group *group);
/* Whether lanes that are taken one by one can be put off, if nobody else has accessed their words. */
#define check_whole_may_scatter EXEC_LEVELED(check_whole_may_scatter)
bool check_whole_may_scatter(const struct check_whole *whole);
/* Puts them off. */
#define check_whole_scatter EXEC_LEVELED(check_whole_scatter)
void check_whole_scatter(const struct check_whole *whole);
/* Marks the chunks of the reads that were put off so; those of writes are marked. */
#define check_whole_mark_scatters EXEC_LEVELED(check_whole_mark_scatters)
void check_whole_mark_scatters(struct check_group *group);
/* The places of one, by lane; those of other lanes are not set. */
#define check_whole_scatter_places EXEC_LEVELED(check_whole_scatter_places)
void check_whole_scatter_places(const struct check_group *group, const struct check_scatter *scatter, uint64_t *place);
/* Puts the access of shared memory at group.shared_next off, which has_holes.  False: it is not put off, and nothing is
 * noted. */
#define check_whole_put_off EXEC_LEVELED(check_whole_put_off)
bool check_whole_put_off(struct check_whole *whole);
/* Looks for races, and reports them if the access is_last.  False: it is not decided whether there is one, and the
 * checks for each lane have to look. */
#define check_whole_race EXEC_LEVELED(check_whole_race)
bool check_whole_race(struct check_whole *whole);
/* Takes the lanes of an atomic one by one, and sets start and end.  False: they do not access words. */
#define check_whole_take_atomic EXEC_LEVELED(check_whole_take_atomic)
bool check_whole_take_atomic(struct check_whole *whole, const uint64_t *place);
/* Whether an atomic of shared memory is one that can be put off, and orders nothing. */
#define check_whole_may_keep_atomic EXEC_LEVELED(check_whole_may_keep_atomic)
bool check_whole_may_keep_atomic(const struct check_whole *whole);
/* Puts it off.  There is room for it, and nothing else has accessed its chunks since the last barrier. */
#define check_whole_keep_atomic EXEC_LEVELED(check_whole_keep_atomic)
void check_whole_keep_atomic(const struct check_whole *whole);
/* Marks the chunks of the atomics that are put off. */
#define check_whole_mark_atomics EXEC_LEVELED(check_whole_mark_atomics)
void check_whole_mark_atomics(struct check_group *group);
/* Takes the lanes of an atomic that was put off. */
#define check_whole_take_kept EXEC_LEVELED(check_whole_take_kept)
void check_whole_take_kept(struct check_whole *whole, const struct check_atomic *kept);
/* As check_whole_touch, for an atomic. */
#define check_whole_touch_atomic EXEC_LEVELED(check_whole_touch_atomic)
bool check_whole_touch_atomic(const struct check_whole *whole);
/* Whether it will note an atomic whether its lanes write or only read. */
#define check_whole_may_touch_atomic EXEC_LEVELED(check_whole_may_touch_atomic)
bool check_whole_may_touch_atomic(const struct check_whole *whole);
/* Whether a compare-exchange will have no race, whatever each lane finds: check_whole_race will note it then. */
#define check_whole_may_compare EXEC_LEVELED(check_whole_may_compare)
bool check_whole_may_compare(struct check_whole *whole);
/* As check_whole_functions.note_put_off. */
#define check_whole_note_put_off EXEC_LEVELED(check_whole_note_put_off)
bool check_whole_note_put_off(struct check_group *group);

/* The usual access, of a warp to consecutive elements of a buffer, of 1, 2 or 4 words, which a load or a store that is
 * no atomic accesses.  False: whether there is something to report has to be found out in another way; nothing is noted
 * then, except that reads may be, and what stores write.
 *
 * Whether memory that was accessed before contains all bytes, the buffer's flags allow that, and those that are read
 * were written. */
#define check_whole_noted_elements EXEC_LEVELED(check_whole_noted_elements)
bool check_whole_noted_elements(const struct check_job *check, uint64_t start, uint64_t size_B, bool writes);
/* Whether there is no race. */
#define check_whole_touch_elements EXEC_LEVELED(check_whole_touch_elements)
bool check_whole_touch_elements(const struct warp *warp, const struct op *op, uint32_t size_B, uint64_t place);

#endif
