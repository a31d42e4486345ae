/* Who looks on at a launch: a table of functions that the executor calls where something happens that a
 * checker, the oracle or a footprint wants to know of.
 *
 * A launch names its table (soft_launch.watch), or NULL, as most do: then the executor tests one pointer and
 * calls nothing.  Any entry may be NULL.  A watched launch may stay on the thread that launches it, or be run by few
 * threads (job.threads_max, which begin sets).
 *
 * The table is constant; job.watched and group.watched are the watcher's own. */
#ifndef CULVERT_SOFTCUDA_EXEC_WATCH_H
#define CULVERT_SOFTCUDA_EXEC_WATCH_H

#include "softcuda/exec/warp.h"

/* What an access does.  Strong: atomics, and accesses with an order or volatile; two of these on the same
 * bytes are no race. */
enum {
	SOFT_ACCESS_READ = 1,
	SOFT_ACCESS_WRITE = 2,
	SOFT_ACCESS_READ_STRONG = 4,
	SOFT_ACCESS_WRITE_STRONG = 8,
	SOFT_ACCESS_KINDS = 4,
	SOFT_ACCESS_MASK = (1 << SOFT_ACCESS_KINDS) - 1,
	SOFT_ACCESS_LOAD = 1 << SOFT_ACCESS_KINDS   /* besides one that reads: by ld (exec_access) */
};

struct compiled;

struct exec_watch {
	/* A launch begins; false: out of memory.  It ends, or could not begin. */
	bool (*begin)(struct job *job);
	void (*end)(struct job *job);
	/* All work-groups have ended, or the launch has failed; it can still fail (job.result). */
	void (*over)(struct job *job);
	/* Whether machine code may run the launch; NULL: it may not. */
	bool (*compiles)(const struct job *job);
	/* It matters in which order the watcher is told.  Otherwise, warps of a work-group may run in any order, and a
	 * work-group may go over from machine code to the interpreter at any time. */
	bool in_order;
	/* The same as begin and end, of a work-group. */
	bool (*group_begin)(struct group *group);
	void (*group_end)(struct group *group);
	/* All work-items of a group have ended by themselves. */
	void (*group_over)(struct group *group);
	/* The launch's first fault, as a line of text. */
	void (*fault)(const struct job *job, const struct bytes *text);

	/* Lanes have tried to access global memory, and one of their addresses is wrong.  kind: of SOFT_ACCESS_*. */
	void (*missed)(struct warp *warp, uint32_t mask, uint32_t size_B, unsigned kind,
		       const uint64_t *address);
	/* An access whose places are allowed, in host memory; false: it is wrong after all, and a fault was
	 * noted. */
	bool (*access)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, unsigned kind,
		       const uint64_t *place);
	/* For machine code: an access of lanes whose places are step_B apart, which is size_B or 0; place: that of lane
	 * 0.  True: it is right, and the watcher knows of it.  False: access has to be told. */
	bool (*row)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place,
		    uint32_t step_B);
	/* The same for all lanes of a warp, of which each `row` are in a row; place: of each row's first lane. */
	bool (*rows)(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
		     uint32_t step_B);
	/* The same for the access of shared memory at group.shared_next.  slot: of a read, the one in group.slots. */
	bool (*shared)(struct warp *warp, const struct op *op, uint32_t slot);
	/* For machine code, of a compare-exchange that is about to be made.  False: access has to be told of each lane,
	 * just before it compares; NULL: always. */
	bool (*compare)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place);
	/* It was made, and the lanes of `wrote` have written.  False: a fault was noted. */
	bool (*compared)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
			 const uint64_t *place);
	/* For machine code, compiled: which accesses in this range, a whole allocation, need not be told of while it
	 * runs the launch: SOFT_ACCESS_READ, SOFT_ACCESS_WRITE, both or 0.  If that holds only up to an earlier end,
	 * the range is shortened to there. */
	unsigned (*quiet)(struct job *job, const struct compiled *compiled, struct range *range);
	/* Lane l's write of size_B bytes at place, which access was told of, has its effect only later: access is
	 * told again then. */
	void (*late)(struct warp *warp, unsigned l, uint64_t place, uint32_t size_B);
	/* The same of texels, for one lane. */
	bool (*texel)(struct warp *warp, const struct op *op, unsigned l, unsigned kind, uint64_t place,
		      uint32_t size_B);
	/* Lane l uses a surface outside of it; text says where. */
	void (*outside)(struct warp *warp, const struct op *op, unsigned l, const char *text);
	/* Appends ", 8 bytes into VARIABLE of 64 bytes" for an offset in private memory; false: it knows of no
	 * variable there. */
	bool (*describe_private)(const struct warp *warp, uint64_t offset_B, struct bytes *text);

	/* Lanes have entered a frame, or are about to leave it. */
	void (*call)(struct warp *warp, const struct frame *frame, uint32_t lanes);
	void (*leave)(struct warp *warp, const struct frame *frame, uint32_t lanes);

	void (*fence)(struct warp *warp, const struct op *op, uint32_t mask);
	/* bar.arrive, before the barrier counts the lanes. */
	void (*arrive)(struct warp *warp, uint32_t lanes, uint32_t id);
	/* A barrier is complete; who waits there is about to go on. */
	void (*barrier)(struct group *group, uint32_t id);
	/* For machine code: all work-items of a group, none of which has ended, wait at the same op.  True: the watcher
	 * knows of it.  False: barrier has to be told. */
	bool (*barrier_of_all)(struct group *group, const struct op *op);
	/* The operand that names members, as lanes have it; the lanes that have met; a shuffle, in which lane
	 * l reads lane from[l]. */
	void (*members)(struct warp *warp, const struct op *op, uint32_t mask, const lane_u32 *members);
	void (*meet)(struct warp *warp, uint32_t met);
	void (*shuffle)(struct warp *warp, const struct op *op, uint32_t met, const uint32_t *from);

	/* What a program that is built to be checked says of itself, for lanes or lane l (exec/note.c): the flags of
	 * the barrier that it comes to; a copy by the work-group that begins (false: no memory, a fault is
	 * noted) and is over, *event being the event to add it to and then its own; an event that it waits
	 * for; an index outside of its array of count elements; variables in private memory (false as
	 * above). */
	void (*note_barrier)(struct warp *warp, uint32_t mask, const lane_u32 *flags);
	void (*note_copy_what)(struct warp *warp, unsigned l, uint64_t target, uint64_t source, uint64_t count);
	bool (*note_copy)(struct warp *warp, const struct op *op, unsigned l, uint64_t stride, uint32_t size_B,
			  uint64_t *event);
	void (*note_copied)(struct warp *warp, unsigned l);
	void (*note_wait)(struct warp *warp, const struct op *op, unsigned l, uint64_t event);
	void (*note_index)(struct warp *warp, const struct op *op, unsigned l, int64_t index, uint64_t count);
	bool (*note_private)(struct warp *warp, const struct op *op, uint32_t mask, const lane_u64 *address,
			     const lane_u64 *size_B);
};

static inline bool watch_in_order(const struct job *job)
{
	return job->watch && job->watch->in_order;
}

/* Tells the watcher of a job, if there is one that wants to know. */
#define WATCH(job, what, ...)                                                 \
	do {                                                                  \
		const struct exec_watch *watch_ = (job)->watch;               \
		if (watch_ && watch_->what)                                   \
			watch_->what(__VA_ARGS__);                            \
	} while (0)

/* Asks it: true where there is none, or it does not want to know. */
#define WATCH_ASK(job, what, ...)                                             \
	(!(job)->watch || !(job)->watch->what || (job)->watch->what(__VA_ARGS__))

#endif
