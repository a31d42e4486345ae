/* Kernels as machine code of the host, and how such code runs a work-group.
 *
 * A part is a number of consecutive lanes of a warp.  Compiled code runs parts of a work-group from an entry, which is
 * the start of the kernel or the instruction behind a barrier, until they end or wait at the next barrier.  What it
 * cannot do at all it leaves to the interpreter, which then runs the rest of the work-group.
 *
 * Compiled code gives the bits that the interpreter gives.  Thread-safety: struct compiled is immutable once made; a
 * group belongs to the thread that runs it. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILED_H
#define CULVERT_SOFTCUDA_EXEC_COMPILED_H

#include "softcuda/exec/warp.h"

/* How a part stands: the number of an entry, with COMPILED_WAITS if it waits at the barrier before that entry; or one
 * of the others. */
enum {
	COMPILED_WAITS = 0x8000,
	COMPILED_DONE = 0x7fff,   /* all of its lanes have ended */
	COMPILED_LEFT = 0x7ffe,   /* the interpreter goes on with it */
	/* What a run of several parts returns besides: */
	COMPILED_MIXED = 0x7ffd,  /* they do not all stand alike */
	COMPILED_FAULT = 0x7ffc,
	/* Turns of a part's loops until compiled_tired is called. */
	COMPILED_TURNS = 4096
};

/* Runs those of the parts [first, end) of a group that stand at the entry.  Returns how all of them stand then. */
typedef uint32_t compiled_run(struct group *group, uint32_t first, uint32_t end);

/* A value that all lanes of a part have alike, or that grows by a stride from lane to lane: only the first lane's
 * register holds it while the part waits at a barrier. */
struct compiled_linear {
	uint32_t slot;            /* offset of the register in the frame */
	uint32_t size_B;          /* of a lane's register: 2, 4 or 8 */
	int64_t stride;
};

struct compiled_entry {
	compiled_run *run;
	uint32_t barrier;         /* index of the instruction before it; of the first entry nothing */
	bool plain;               /* barrier 0 of all work-items, which does nothing else */
	uint32_t linear_count;
	struct compiled_linear *linear;   /* what is so while a part waits before this entry */
};

/* The value of slot_parameter where no kernel parameter leads to the memory of a slot. */
enum { COMPILED_NO_PARAMETER = 0x7fffffff };

struct compiled {
	const struct code *code;
	uint32_t width;           /* lanes of a part */
	uint32_t entry_count;
	struct compiled_entry *entries;
	uint32_t slot_count;      /* memory that the code looks up */
	uint32_t *slot_parameter; /* by slot: the offset of the parameter that is a pointer to that memory */
	size_t code_B;            /* size of the machine code */
	void *owner;              /* the compiler's own */
};

/* What compiled code calls, and what the compiler asks. */
struct compiled_host {
	const struct op_row *(*row)(op_run *run);
	/* Runs op's handler for lanes; 1: a fault was noted. */
	uint32_t (*call)(struct warp *warp, const struct op *op, uint32_t lanes);
	/* The same for an access of global memory, after which the slot knows that memory. */
	uint32_t (*access)(struct warp *warp, const struct op *op, uint32_t lanes, uint32_t slot);
	/* The interpreter is about to go on with a part, of which these lanes of its warp have not ended. */
	void (*leaving)(struct group *group, uint32_t part, uint32_t live);
	/* It goes on with these of them at pc. */
	void (*leave)(struct warp *warp, uint32_t lanes, uint32_t pc);
	/* Some lanes of a warp have ended, not all. */
	void (*end)(struct warp *warp, uint32_t lanes);
	/* A loop has had many turns.  0: go on; 1: leave it to the interpreter, which lets other work-groups have
	 * a turn (only where may_leave is set); 2: the launch is to stop. */
	uint32_t (*tired)(struct group *group, uint32_t may_leave);
	/* What ex2, lg2, sin and cos of f32 are computed with. */
	double (*ex2)(double x);
	double (*lg2)(double x);
	double (*sin)(double x);
	double (*cos)(double x);
};

/* All of it but row. */
extern const struct compiled_host compiled_host;

/* Makes a group whose memory is cleared one that compiled code runs from the start; false when out of memory. */
bool compiled_group_start(struct group *group, const struct compiled *compiled);
/* Runs it until it ends.  GROUP_RUNS: the interpreter has to go on; all that it keeps of warps is in order. */
enum group_state compiled_group_run(struct group *group);
void compiled_group_finish(struct group *group);

#endif
