/* Warps and work-groups while they run.
 *
 * Every lane has its own pc and its own frame: lanes diverge and meet as they
 * like.  warp_run picks the lanes that share the deepest frame and the lowest
 * pc there and runs them in step up to where others wait; so lanes meet again
 * where paths join, with no analysis of the flow.  A path that runs for long
 * while others could run too is put aside, so that a lane may spin for another.
 *
 * A group is run by one thread at a time, which owns all of it; only the job is
 * shared, and global memory, which atomics reach with the host's own. */
#ifndef CULVERT_SOFTCUDA_EXEC_WARP_H
#define CULVERT_SOFTCUDA_EXEC_WARP_H

#include "base/bytes.h"
#include "base/lock.h"
#include "softcuda/exec/barrier.h"
#include "softcuda/exec/copy.h"
#include "softcuda/exec/image.h"
#include "softcuda/exec/matrix.h"
#include "softcuda/exec/program.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BARRIERS = BARRIER_OF_CLUSTER + 1, RANGES = 4, IMAGES = 4, PC_NONE = 0x7fffffff };

/* One call of a function by some lanes of a warp. */
struct frame {
	struct frame *parent;             /* or the next in the list of free ones */
	const struct code *code;
	const struct call_site *site;     /* in the parent's code */
	uint32_t return_pc;
	uint32_t lanes;                   /* that have not returned yet */
	uint32_t depth;
	uint32_t local_B;                 /* where its local memory starts */
	uint32_t extent_B;                /* where all that was ever its own ends */
	uint32_t *tops;                   /* of a code that moves its stack: a lane's end of it */
	char *registers;
};

struct group;

/* See exec/access.h. */
typedef bool exec_access_way(struct warp *warp, const struct op *op, uint32_t mask,
			     uint32_t size_B, unsigned kind, uint64_t *place);

struct warp {
	struct warp_banks banks;          /* first: see op_bank */
	struct group *group;
	exec_access_way *access;          /* chosen by the launch */
	bool watched;                     /* somebody looks on (exec/watch.h) */
	struct frame *frame;              /* of the path that runs */
	struct frame *base;               /* of the kernel itself; the warp's for good */
	uint32_t pc;                      /* of the instruction that runs */
	uint32_t index;                   /* in the group */
	uint32_t live;                    /* lanes that have not ended */
	uint32_t parked;                  /* lanes that wait at a barrier */
	uint32_t meeting;                 /* lanes that wait for lanes of their warp */
	uint32_t put_off;                 /* lanes that came to where others with other members met first */
	uint32_t carry;                   /* add.cc's flag, a bit per lane */
	char *local;                      /* LANES * local_stride_B */
	uint32_t local_stride_B;
	/* For machine code of a watched launch: a word for each offset in local memory, with the bits of those lanes
	 * whose accesses to their byte there the watcher need not be told of.  That holds only for accesses inside the
	 * kernel's only variable there, of private_B bytes from private_start_B on; 0 bytes: for none.  If
	 * private_stores is not 0, the code itself sets the bits of the lanes that store there. */
	uint32_t *private_written;
	uint32_t private_start_B, private_B, private_stores;
	uint64_t not_quiet;               /* what the watcher is to be told of even where memory_slot.quiet has it */
	/* At the end of a work-group, a watcher may know that only bytes from the first of these offsets to the second
	 * one of each lane's local memory have been written. */
	bool dirty_known;
	uint32_t dirty_start_B, dirty_end_B;
	uint32_t lane_pc[LANES];
	struct frame *lane_frame[LANES];
	uint32_t lane_barrier[LANES];     /* where parked */
	uint32_t lane_members[LANES];     /* whom meeting lanes wait for */
	uint64_t turn;                    /* instructions that it has executed */
	uint64_t lane_turn[LANES];        /* when it last ran; the oldest goes next */
	bool probes;                      /* an access that has no place to go is no fault */
	uint32_t tid[3][LANES];
	uint32_t image[IMAGE_SLOTS][LANES];  /* coordinates: enum image_slot */
	uint32_t matrix[MATRIX_SLOTS][LANES];  /* registers of a matrix instruction (exec/matrix.h) */
	struct exec_copies copies;        /* cp.async that nobody has waited for */
};

struct barrier {
	uint32_t arrived;
	uint32_t expected;                /* 0: all threads that have not ended */
	uint32_t popc;
	bool all, any;
};

struct range {
	uint64_t start, end;
};

/* Memory that compiled code has looked up.  It counts from the first address that is a multiple of SLOT_ALIGNED_B,
 * which the size of no access exceeds.
 *
 * Machine code that is watched also has a slot for each read of shared memory.  The watcher stores in start and size_B
 * where it need not be called for that read: the code then only adds the read to those before group.shared_next.  Its
 * range is the watcher's own. */
enum { SLOT_ALIGNED_B = 32 };
struct memory_slot {
	struct range range;
	uint64_t start, size_B;           /* that address, and how much memory there is from there on */
	uint64_t quiet;                   /* what the watcher need not be told of there (exec_watch.quiet) */
};

/* An access of shared memory by lanes of a warp, as machine code tells a watcher of it: lane l accesses size_B bytes at
 * place[l / row] + l % row * step_B. */
enum { SHARED_ROWS = 4 };
struct shared_access {
	uint32_t op;                      /* its number in the kernel's code */
	uint32_t warp;                    /* the warp's index */
	uint32_t lanes;                   /* as bits */
	uint8_t row;                      /* LANES, or a fraction of it */
	uint8_t size_B, step_B;           /* step_B: size_B or 0 */
	uint8_t unused;
	uint64_t place[SHARED_ROWS];
};

/* A launch while it runs. */
struct job {
	const struct soft_launch *launch;
	const struct soft_program *program;
	const struct code *code;
	uint32_t code_index;
	char *constants;                  /* BANK_LAUNCH */
	uint32_t shared_B;                /* static and dynamic */
	uint64_t id;                      /* %gridid */
	atomic_bool stop;
	/* guarded by lock: the first fault */
	struct lock lock;
	CUresult result;
	struct bytes *report;
	atomic_bool read_close;           /* it has been logged that zeros were read outside of a buffer */
	_Atomic(const struct compiled *) compiled;  /* machine code that new groups run; NULL: none yet */
	bool late;                        /* groups run it only from their first barriers on */
	struct tier *tier;                /* what decides about that; NULL: nobody (exec/tier.h) */
	void (*look)(struct job *job);    /* tier_look, if there is a tier */
	/* Of the tier: the launching thread, and when it began, by the clock and in its processor time. */
	pthread_t launcher;
	uint64_t since_ns, since_thread_ns;
	const struct exec_watch *watch;   /* NULL: nobody looks on */
	void *watched;                    /* the watcher's own */
	unsigned threads_max;             /* the number of threads that may run it; 0: any number */
	/* It is watched in order, and no work-item waits for another but at a barrier.  Warps then run up to there,
	 * unless they run for very long, so that the watcher sees the same order whether the kernel is compiled or
	 * not. */
	bool in_turn;
};

struct group {
	struct job *job;
	void *watched;                    /* the watcher's own */
	const void *told_by;              /* the same; it is kept when the work-group has ended */
	struct group *next;               /* in its worker's list */
	uint32_t ctaid[3];
	uint32_t thread_count, live_count, warp_count;
	uint32_t next_warp;
	uint32_t passed_count;            /* barriers that all work-items have passed, interpreted */
	char *shared;
	struct warp *warps;
	struct barrier barriers[BARRIERS];
	struct range ranges[RANGES];
	uint32_t next_range, recent_range;
	struct soft_image images[IMAGES]; /* found for this launch */
	uint32_t next_image;
	struct frame **free_frames;       /* by function */
	/* Of a group that is compiled (exec/compiled.h). */
	const struct compiled *compiled;  /* NULL: the interpreter runs it */
	const struct compiled *room_for;  /* the code that the three have room for */
	uint32_t ahead;                   /* how many of the next work-groups in the grid's row the code runs, too */
	bool in_base;                     /* of a watched launch: lane_frame of all lanes is the warp's base */
	bool as_started;                  /* its warps and barriers are as compiled_group_start left them */
	bool only_waits;                  /* that code leaves it in a loop that does nothing but wait */
	bool was_left;                    /* that code has left this work-group to the interpreter elsewhere */
	bool ready;                       /* it can run that code again, since it is as compiled_group_start made it */
	uint16_t *at;                     /* by part: how it stands */
	uint32_t *part_lanes;             /* by part: lanes that have not ended, the part's first as bit 0 */
	struct memory_slot *slots;
	uint64_t quiet_shared, quiet_private;     /* as memory_slot.quiet, of these memories; the watcher sets them */
	/* Where machine code writes the next access of shared memory that it tells the watcher of, and where there is
	 * room for only one more; the watcher's own.  NULL if there is no shared memory. */
	struct shared_access *shared_next, *shared_end;
	uint64_t since_ns;                /* when it began to run, once that has been asked for */
	uint32_t tired_count;             /* calls of compiled code's function tired, if it is watched */
};

enum group_state { GROUP_DONE, GROUP_RUNS, GROUP_FAULT };

/* The number of instructions after which another path, warp or work-group runs if job.in_turn is set. */
enum { LONG_TURN = 1 << 22 };

/* Room for a group of the job; NULL when out of memory. */
struct group *group_create(struct job *job);
void group_destroy(struct group *group);
/* Makes it the group ctaid, nothing run yet: a new one, or one that is done.  All
 * it owns reads as zeros.  False when out of memory. */
bool group_start(struct group *group, const uint32_t ctaid[3]);
/* Runs about budget instructions. */
enum group_state group_run(struct group *group, uint64_t budget);
/* Lets go who waits at a barrier, if all have come. */
void group_barrier_check(struct group *group, uint32_t id);

/* Runs until no lane can, machine code is to continue the group, a fault (false), or the budget is used up. */
bool warp_run(struct warp *warp, uint64_t *budget);
/* Room for needed_B bytes of each lane's local memory; false: there is none. */
bool warp_grow_local(struct warp *warp, uint64_t needed_B);
/* Sets all bytes of local memory of a group's warps to 0, after what a work-group has stored there (dirty_known). */
void group_clear_local(struct group *group);
struct frame *warp_frame_create(struct warp *warp, uint32_t code, struct frame *parent);
void warp_frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes);

/* For .sync instructions: the lanes that run op now, all that it waits for being
 * there; 0 when the active lanes have to wait.  members is the operand's index;
 * anywhere: at whatever instruction, as bar.warp.sync.  Lanes that are returned may have frames of
 * their own.  The caller ends with exec_meet_done. */
uint32_t exec_meet(struct warp *warp, const struct op *op, uint32_t mask, unsigned members,
		   bool anywhere);
enum flow exec_meet_done(struct warp *warp, uint32_t mask, uint32_t met);

static inline unsigned exec_lowest(uint32_t mask)
{
	return (unsigned)__builtin_ctz(mask);
}

#endif
