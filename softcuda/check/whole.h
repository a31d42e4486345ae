/* The checks of all lanes of a warp at a time, compiled for each level of x86-64 (exec/level.h): check/whole.c and
 * check/whole_race.c.  Only these two include this file; others call them by check_job.whole. */
#ifndef CULVERT_SOFTCUDA_CHECK_WHOLE_H
#define CULVERT_SOFTCUDA_CHECK_WHOLE_H

#include "softcuda/check/job.h"
#include "softcuda/exec/table.h"

/* Consecutive lanes that access places step_B apart, which is the size of an access, or all the same place (0). */
struct check_run {
	uint64_t place;           /* of the first lane */
	uint32_t lane, count, step_B;
};

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
	/* Instead of many short runs: lanes that access different words of global memory, in the order of these; 0:
	 * there are runs. */
	uint32_t one_count;
	uint32_t one_lane[LANES];
	uint64_t one_place[LANES];        /* multiples of SHADOW_WORD_B, which is the size of the access */
};

/* The number of bytes that a run accesses. */
static inline uint64_t check_run_B(const struct check_whole *whole, const struct check_run *run)
{
	return (uint64_t)(run->count - 1) * run->step_B + whole->size_B;
}

/* Looks for races.  False: it is not decided whether there is one, and the checks for each lane have to look. */
#define check_whole_race EXEC_LEVELED(check_whole_race)
bool check_whole_race(struct check_whole *whole);
/* As check_whole_functions.note_put_off. */
#define check_whole_note_put_off EXEC_LEVELED(check_whole_note_put_off)
bool check_whole_note_put_off(struct check_group *group);

#endif
