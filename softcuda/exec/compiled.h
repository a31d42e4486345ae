/* Kernels that are compiled to machine code of the host, and how such code runs a work-group.
 *
 * A part is a fixed number of consecutive lanes of a warp.  Compiled code runs parts of a work-group from an entry,
 * which is the start of the kernel or the instruction behind a barrier, until they end or wait at the next barrier.
 * Where compiled code cannot continue, the interpreter runs the rest of the work-group.  Where the interpreter began,
 * as the code was not there yet, the code continues from a barrier on.
 *
 * In a launch that is watched (exec/watch.h), a part is a warp, and the watcher is told the same as by the interpreter.
 * If it has to be in the same order, parts run one after the other, and where one is left to the interpreter, it
 * continues with those that have not run.
 *
 * The results of compiled code are equal, bit for bit, to those of the interpreter.  Thread-safety: a struct compiled
 * is immutable once made; a group belongs to the thread that runs it. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILED_H
#define CULVERT_SOFTCUDA_EXEC_COMPILED_H

#include "softcuda/exec/warp.h"

/* The state of a part (group.at): the number of the entry where it continues, with COMPILED_WAITS added if it waits at
 * the barrier before that entry; or COMPILED_DONE, or COMPILED_LEFT. */
enum {
	COMPILED_WAITS = 0x8000,
	COMPILED_DONE = 0x7fff,   /* all lanes of the part have ended */
	COMPILED_LEFT = 0x7ffe,   /* the interpreter has to continue the part */
	/* Further results of compiled_run: */
	COMPILED_MIXED = 0x7ffd,  /* the parts are in different states */
	COMPILED_FAULT = 0x7ffc,  /* a fault was noted, or the launch is to stop */
	/* Number of iterations of a part's loops after which the function tired is called. */
	COMPILED_TURNS = 4096,
	/* An iteration of a loop that only waits (BRANCH_POLLS) counts for so many. */
	COMPILED_POLL = 16,
	/* The argument may_leave of tired: the part may be left to the interpreter; it may also wait for another
	 * work-group; and it does nothing else. */
	COMPILED_MAY_LEAVE = 1, COMPILED_MAY_WAIT = 2, COMPILED_POLLS = 3
};

/* Runs the parts [first, end) of a group, all of which are at this entry.  Returns their state afterwards,
 * COMPILED_MIXED if it is not one for all or, of plain code, not COMPILED_DONE, or COMPILED_FAULT.  Plain code then
 * runs the group->ahead next groups in the grid's row, for each of which it adds 1 to group->ctaid[0] and takes 1 from
 * group->ahead, up to one that does not end in COMPILED_DONE, or until the launch is to stop. */
typedef uint32_t compiled_run(struct group *group, uint32_t first, uint32_t end);

/* A register whose value is equal in all lanes of a part, or grows by a constant stride from lane to lane.  While the
 * part waits at a barrier, only the value of the part's first lane is in the frame. */
struct compiled_linear {
	uint32_t slot;            /* offset of the register in the frame */
	uint32_t size_B;          /* size of one lane's value: 2, 4 or 8 */
	int64_t stride;
};

struct compiled_entry {
	compiled_run *run;
	uint32_t barrier;         /* index of the barrier's instruction before it; unused for entry 0 */
	bool plain;               /* the barrier is barrier 0, for all work-items, without a reduction */
	uint32_t linear_count;
	struct compiled_linear *linear;   /* such registers while a part waits before this entry */
};

/* The value of slot_parameter for a slot whose memory is not known to come from a kernel parameter. */
enum { COMPILED_NO_PARAMETER = 0x7fffffff };
/* The same for a slot of a read of shared memory. */
enum { COMPILED_SHARED = 0x7ffffffe };

/* compiled.written: bit i for each pointer parameter at offset 8 * i whose memory the kernel may write, and this bit if
 * it may also write other memory than that of parameters and of the work-group. */
#define COMPILED_WRITES_ELSEWHERE (UINT64_C(1) << 63)
enum { COMPILED_WRITTEN_MAX = 62 };

/* The functions that compiled code calls. */
#define COMPILED_FUNCTIONS(EXECUTOR, LIBRARY) \
	/* uint32_t (struct warp *, uint32_t op, uint32_t lanes): runs the handler of the op with this number for \
	 * these lanes.  Returns 1 if a fault was noted, else 0. */ \
	EXECUTOR(call) \
	/* uint32_t (struct warp *, uint32_t op, uint32_t lanes, uint32_t slot): as call, for an access of \
	 * global memory; stores the range of memory that was accessed in the slot. */ \
	EXECUTOR(access) \
	/* void (struct group *, uint32_t part, uint32_t live): tells that the interpreter will continue a part; live: \
	 * the lanes that have not ended, as bits of the warp. */ \
	EXECUTOR(leaving) \
	/* void (struct warp *, uint32_t lanes, uint32_t pc): tells, after leaving, that the interpreter will continue \
	 * these lanes at pc. */ \
	EXECUTOR(leave) \
	/* void (struct warp *, uint32_t lanes): tells that some lanes of a part have ended, but not all. */ \
	EXECUTOR(end) \
	/* uint32_t (struct group *, uint32_t may_leave): called when loops have run for COMPILED_TURNS iterations. \
	 * Returns 0: continue; 1, only if may_leave is set: leave the part to the interpreter, which also lets other \
	 * work-groups run; 2: the launch is to stop. */ \
	EXECUTOR(tired) \
	/* void (uint64_t *x, const uint64_t *y, uint32_t count): divides each of x, none by 0. */ \
	EXECUTOR(divide) \
	/* void (const uint64_t *place, const uint16_t *values, uint32_t lanes, uint32_t size_B): stores the lower \
	 * size_B bytes, 1 or 2, of each lane's value at its place, in the order of the lanes. */ \
	EXECUTOR(store) \
	/* uint32_t (struct warp *, uint32_t op, uint32_t lanes, const uint64_t place[LANES], uint32_t size_B): \
	 * in a launch that is watched, has the watcher look at an access of size_B bytes in each lane, whose places \
	 * in the host's memory are valid.  Returns 1 if a fault was noted. */ \
	EXECUTOR(look) \
	/* The same of a compare-exchange, which it makes. */ \
	EXECUTOR(compare) \
	/* uint32_t (struct warp *, uint32_t op, uint32_t lanes, uint64_t place, uint32_t size_B, \
	 * uint32_t step_B): as look, for places that are step_B apart (0 or size_B), from lane 0's on.  Returns 1 if \
	 * `look` has to be called. */ \
	EXECUTOR(look_row) \
	/* uint32_t (struct warp *, uint32_t op, const uint64_t *place, uint32_t row, uint32_t size_B, \
	 * uint32_t step_B): the same for all lanes, of which each `row` are step_B apart, from one of LANES / row \
	 * places on. */ \
	EXECUTOR(look_rows) \
	/* uint32_t (struct warp *, uint32_t slot): the same for an access of shared memory, which is at \
	 * group.shared_next; slot: of a read. */ \
	EXECUTOR(look_shared) \
	/* Functions of the C library that LLVM calls where the processor has no instruction for an operation. */ \
	LIBRARY(fma) LIBRARY(fmaf) LIBRARY(floor) LIBRARY(floorf) LIBRARY(ceil) LIBRARY(ceilf) LIBRARY(trunc) \
	LIBRARY(truncf) LIBRARY(roundeven) LIBRARY(roundevenf) LIBRARY(sqrt) LIBRARY(sqrtf) LIBRARY(memcpy) \
	LIBRARY(memset)
#define COMPILED_FUNCTION_ONE(name) + 1
enum { COMPILED_FUNCTION_COUNT = 0 COMPILED_FUNCTIONS(COMPILED_FUNCTION_ONE, COMPILED_FUNCTION_ONE) };

/* Their addresses, in this order. */
extern void *const compiled_functions[COMPILED_FUNCTION_COUNT];

/* A place in the image of machine code that gets the address of a function before the code runs. */
struct compiled_link {
	uint32_t offset_B;        /* of its 8 bytes */
	uint32_t function;        /* index in compiled_functions */
};

struct compiled {
	const struct code *code;
	uint32_t width;           /* lanes of a part */
	bool may_wait;            /* a loop may wait for another work-group */
	uint64_t written;         /* what it may write: see COMPILED_WRITES_ELSEWHERE */
	bool plain; /* it runs a group in one call, leaves the state of its warps and the lanes of its parts unchanged,
				   * and does not store that a part has ended */
	uint32_t entry_count;
	struct compiled_entry *entries;
	uint32_t slot_count;      /* number of ranges of memory that the code caches (group.slots) */
	uint32_t *slot_parameter; /* by slot: offset of the parameter that points to the memory */
	uint32_t link_count;
	struct compiled_link *links;
	void *memory;             /* the pages with the machine code */
	size_t code_B;            /* size of the machine code */
};

/* Prepares a group, whose memory the caller has cleared, to be run by compiled code from the start of the kernel.
 * False when out of memory. */
bool compiled_group_start(struct group *group, const struct compiled *compiled);
/* Has compiled code continue a group that the interpreter has run to a barrier, all work-items of which are released
 * now and none has ended: group->compiled is set then.  It is not if the code has no entry there, registers are not as
 * the code expects them, or out of memory. */
void compiled_group_take(struct group *group, const struct compiled *compiled);
/* The number of groups that it has done so with, for tests. */
extern atomic_uint_fast64_t compiled_taken_count;
/* Runs a group, after compiled_group_start or compiled_group_take, until it ends.  GROUP_RUNS: the interpreter has to
 * continue the group; the state of its warps is as the interpreter needs it. */
enum group_state compiled_group_run(struct group *group);
/* Frees the memory that compiled_group_start allocated, if any. */
void compiled_group_finish(struct group *group);

#endif
