/* The checker: what CULVERT_SOFT_CHECK asks for; check/watch.c passes it to the executor.
 *
 * These functions are called where something happens that a checker has to know, only in launches that are checked.
 * An error is reported as a text (check_write) and counted; only accesses without a valid place end the launch.
 *
 * 	memory   gaps around buffers, __local variables and frames; freed memory is
 * 	         kept aside; writes to what is constant
 * 	uninit   reads of local and private memory that was not written
 * 	race     accesses without an order between work-items (check/clock.h)
 * 	barrier  barriers that not all work-items reach, wrong members of shuffles, copies by
 * 	         the work-group that differ between work-items, or that are not waited for
 *
 * Thread-safety: each thread that runs work-groups of a launch owns a check_job of its own, and those groups'
 * check_groups (check/threads.c). */
#ifndef CULVERT_SOFTCUDA_CHECK_H
#define CULVERT_SOFTCUDA_CHECK_H

#include "softcuda/check/option.h"
#include "softcuda/exec/warp.h"

struct check_group;
struct check_job;

/* Writes a complete report to where reports go. */
void check_write(const struct bytes *text);

/* Sets the job's check (check/job.h); NULL if nothing is checked. false: out of memory. */
bool check_job_create(struct job *job);
/* Says how much was found, and frees what all threads know of the job. */
void check_job_destroy(struct job *job);
/* Sets the group's check.  false: out of memory.  check_group_destroy keeps one for the next group of the launch. */
bool check_group_create(struct group *group);
void check_group_destroy(struct check_group *check);

/* Checks an access whose places are valid. false: it is an error, and a fault was noted. */
bool check_access(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
		  const uint64_t *place);
/* The same if lane l's place is `place` + l * step_B; step_B: size_B, or 0.  False: it may be an error, and
 * check_access has to look at it. */
bool check_row(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place, uint32_t step_B);
/* The same for all lanes, of which each `row` are step_B apart, from a place of their own on. */
bool check_rows(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
		uint32_t step_B);
/* The same for the access of shared memory at group.shared_next.  slot: as exec_watch.shared. */
bool check_shared(struct warp *warp, const struct op *op, uint32_t slot);
/* As exec_watch.compare and exec_watch.compared. */
bool check_compare(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place);
bool check_compared(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
		    const uint64_t *place);
/* As exec_watch.quiet. */
unsigned check_quiet(struct job *job, const struct compiled *compiled, struct range *range);
/* What lane l is to write at a place will be there only later: until then nobody has written it. */
void check_late(struct warp *warp, unsigned l, uint64_t place, uint32_t size_B);
/* Lane l accesses a surface outside of its bounds; text says where. */
void check_outside(struct warp *warp, const struct op *op, unsigned l, const char *text);
/* Appends ", 8 bytes into the private variable x of 64 bytes"; false: no variable is known there. */
bool check_describe_private(const struct warp *warp, uint64_t offset_B, struct bytes *text);

/* Lanes have entered frame, or are about to leave it. */
void check_call(struct warp *warp, const struct frame *frame, uint32_t lanes);
void check_return(struct warp *warp, const struct frame *frame, uint32_t lanes);

void check_fence(struct warp *warp, const struct op *op, uint32_t mask);
/* bar.arrive; called before the barrier counts the lanes. */
void check_arrive(struct warp *warp, uint32_t lanes, uint32_t id);
/* A barrier is complete; the lanes that wait there are about to continue. */
void check_barrier(struct group *group, uint32_t id);
/* As exec_watch.barrier_of_all. */
bool check_barrier_of_all(struct group *group, const struct op *op);
/* The operand that names the members of an operation, as each lane has it. */
void check_members(struct warp *warp, const struct op *op, uint32_t mask,
		   const lane_u32 *members);
/* Information from a program that is built to be checked, for lane l: the flags of the next barrier; a copy by the
 * work-group that begins (false: out of memory, a fault was noted), or ends, *event being the event to which it is
 * added and then its own; an event that is waited for. */
void check_note_barrier(struct warp *warp, uint32_t mask, const lane_u32 *flags);
void check_note_copy_what(struct warp *warp, unsigned l, uint64_t target, uint64_t source,
			  uint64_t count);
bool check_note_copy(struct warp *warp, const struct op *op, unsigned l, uint64_t stride,
		     uint32_t size_B, uint64_t *event);
void check_note_copied(struct warp *warp, unsigned l);
void check_note_wait(struct warp *warp, const struct op *op, unsigned l, uint64_t event);
/* An index outside of an array of count elements, which may be part of something larger. */
void check_note_index(struct warp *warp, const struct op *op, unsigned l, int64_t index,
		      uint64_t count);
/* A variable in private memory. false: out of memory, a fault was noted. */
bool check_note_private(struct warp *warp, const struct op *op, uint32_t mask,
			const lane_u64 *address, const lane_u64 *size_B);
/* All lanes of a group have ended. */
void check_end(struct group *group);
/* Lanes of a warp have met. */
void check_meet(struct warp *warp, uint32_t met);
/* A shuffle: from[l] is the lane that lane l reads. */
void check_shuffle(struct warp *warp, const struct op *op, uint32_t met, const uint32_t *from);

#endif
