/* The internals of the checker.
 *
 * All findings go through check_report, which prints each place in the program once for each kind of error and
 * counts the others. */
#ifndef CULVERT_SOFTCUDA_CHECK_JOB_H
#define CULVERT_SOFTCUDA_CHECK_JOB_H

#include "softcuda/check/check.h"
#include "softcuda/check/clock.h"
#include "softcuda/check/shadow.h"
#include "softcuda/exec/fault.h"
#include "softcuda/exec/memory.h"
#include "softcuda/exec/place.h"

#include "base/lock.h"

enum {
	SEEN_MAX = 64,            /* number of places that are distinguished */
	PRINTED_MAX = 32,         /* reports of one launch that are printed */
	CHECK_NOTES = 4,
	CHECK_QUIETS = 16,
	CHECK_STILLS = 4,
	CHECK_KNOWN = 64
};

/* The checks that look at accesses. */
enum { CHECK_ACCESSES = CHECK_MEMORY | CHECK_UNINIT | CHECK_RACE };

/* What check_quiet has found of a range of memory. */
struct check_quiet {
	const struct compiled *compiled;
	struct range range;
	uint64_t quiet_end;       /* of the part that it was found of */
	unsigned quiet;
};

/* Look at the accesses of all lanes of a warp at once.  They return which of `checks` do not know whether all is right,
 * and have reported and noted nothing: those have to look at each lane.  The others have found that it is right, and
 * noted it. */
struct check_whole_functions {
	unsigned (*access)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			   const uint64_t *place, unsigned checks);
	/* Of lanes in a row outside of private memory; place: that of lane 0, if it takes part. */
	unsigned (*row)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, uint64_t place,
			uint32_t step_B, unsigned checks);
	/* Of all lanes, in several rows; place: of the first lane of each. */
	unsigned (*rows)(struct warp *warp, const struct op *op, uint32_t row, uint32_t size_B, const uint64_t *place,
			 uint32_t step_B, unsigned checks);
	/* Of shared memory, at group.shared_next.  slot: as exec_watch.shared. */
	unsigned (*shared)(struct warp *warp, const struct op *op, uint32_t slot, unsigned checks);
	/* A compare-exchange that is about to be made, and that nobody else looks at.  False: it may have an error, if
	 * not in each lane, and nothing was noted. */
	bool (*compare)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B, const uint64_t *place,
			unsigned checks);
	/* It was made, and the lanes of `wrote` have written.  False: a fault was noted. */
	bool (*compared)(struct warp *warp, const struct op *op, uint32_t mask, uint32_t wrote, uint32_t size_B,
			 const uint64_t *place);
	/* Notes the accesses that are put off.  False: a fault was noted. */
	bool (*note_put_off)(struct check_group *group);
};

/* For this processor. */
const struct check_whole_functions *check_whole_functions(void);

/* The errors that all threads of a launch have found. */
struct check_findings {
	struct lock lock;         /* for whoever changes them */
	_Atomic(uint64_t) seen[SEEN_MAX];
	atomic_uint seen_count, printed;
};

/* What a thread that runs work-groups of a launch knows of it. */
struct check_job {
	struct job *job;
	pthread_t thread;
	struct check_findings *findings;
	unsigned options;
	const struct check_whole_functions *whole;
	uint32_t *first_site;     /* by index of code: the number of its first op; the same for all threads */
	struct shadow global;
	struct epochs epochs;
	struct soft_notes notes[CHECK_NOTES];     /* of memory that was accessed lately */
	uint32_t next_notes;
	struct check_quiet quiets[CHECK_QUIETS];
	uint32_t quiet_count;
	/* Memory that kernels may not read, but in which reads have no other error: all of it was written, and nothing
	 * in the launch writes there. */
	struct range stills[CHECK_STILLS];
	uint32_t still_count;
	struct range recent_shared[CHECK_NOTES];  /* variables in shared memory, as offsets; may be empty */
	uint32_t next_shared;
	struct check_group *spare;        /* of a work-group that has ended, for the next one; NULL: none */
	uint64_t known[CHECK_KNOWN];      /* of those that have been seen, those asked for lately, each at a place that
					   * it decides; 0: none */
	uint64_t found;           /* number of all findings */
	bool out_of_memory;       /* the launch ends, and nothing is reported any more */
};

/* What is known about a byte of local or private memory. */
enum { BYTE_UNWRITTEN, BYTE_WRITTEN, BYTE_GAP };

/* A variable in private memory. */
struct check_variable {
	uint64_t start_B, size_B;
	const char *name;
	bool vector;
};

enum { CHECK_VARIABLES = 128 };

/* A value without written bytes that a lane has loaded, for the store that copies it: it may be the padding of a
 * structure, or an object without members. */
struct check_copied {
	const struct op *load, *store;
	uint64_t place;
	uint32_t size_B;
	bool structure;                   /* it may be padding, wherever it is stored */
};

/* A structure is loaded in many pieces before the first of them is stored. */
struct check_loaded {
	uint32_t count, capacity;
	struct check_copied *items;
};

/* For one warp: what is known about its private memory, and the latest variables there. */
struct check_local {
	struct check_loaded copied[LANES];
	uint32_t copied_count;            /* of all lanes */
	/* For each offset of a byte, a bit for each lane: whether its byte there was written; is in a gap. */
	uint32_t *written;                /* stride_B elements; `gap` is part of the same memory */
	uint32_t *gap;
	uint32_t stride_B;
	struct range used;        /* offsets outside of which nothing was noted; empty at first */
	struct check_variable variables[CHECK_VARIABLES];
	uint32_t variable_count, next_variable;
};

/* A copy by the work-group, as a work-item makes it. */
struct copy {
	uint64_t target, source, count, stride, event;
	uint32_t size_B, site, lane;
	bool waited;
};

struct lane_copies {
	struct copy what;         /* the one that it makes */
	uint32_t made;            /* number of copies that it has made */
	bool copying;             /* its present accesses are made for the whole group */
	uint64_t waits;           /* a sum of the events that it waits for at the next barrier */
};

struct check_copies {
	struct copy *copies;      /* by number, as the first work-item made them */
	uint32_t count, capacity;
	struct lane_copies *lanes;
	bool used;                /* lanes may have something else than zeros */
};

/* The memories that a barrier can order separately. */
enum check_memory { CHECK_LOCAL_MEMORY, CHECK_GLOBAL_MEMORY, CHECK_MEMORIES = SHADOW_MEMORIES };

/* CHECK_CHUNKS: so many chunks are looked at as a vector; a word for each lane of a warp is in as many. */
enum { CHECK_LATER_MAX = 8192, CHECK_CHUNK_B = 32, CHECK_CHUNKS = LANES * SHADOW_WORD_B / CHECK_CHUNK_B };

/* Atomics by lanes of a warp on words of shared memory. */
enum { CHECK_ATOMICS_MAX = 2048 };
struct check_atomic {
	uint32_t op, warp, lanes;         /* as of struct shared_access */
	uint16_t size_B;
	bool reads;               /* they only read */
	uint16_t word[LANES];     /* the offset of each of the lanes, in words; the last one's again for the others */
};

/* Reads, or writes, of different words of shared memory by lanes of a warp that are taken one by one. */
enum { CHECK_SCATTERS_MAX = 1024 };
struct check_scatter {
	uint32_t op, warp, lanes;         /* as of struct shared_access */
	uint32_t behind;          /* how many of the accesses that are put off were before it */
	uint32_t order;           /* as of struct check_repeat */
	uint16_t word[LANES];     /* as of struct check_atomic */
};

enum { CHECK_MIXED = INT32_MIN };

/* Accesses that are noted only if the same chunk of shared memory is accessed again before the next barrier, unless
 * both are reads, or each of its words that is written is accessed by one lane alone.  If it is not, none of them can
 * race: earlier accesses are ordered before them by the barrier before, and later ones by the next.
 *
 * Machine code itself adds reads to them, where nothing else need be looked at: see check_close. */
struct check_put_off {
	struct shared_access *accesses;   /* up to group.shared_next; room for CHECK_LATER_MAX and one more.  NULL if
					   * there is no shared memory */
	uint32_t marked;          /* the first ones, which `written`, `accessed` and `distance` have */
	uint64_t unmarked;        /* as granules: where the others may read; more than need be */
	uint32_t latest;          /* the latest epoch in which shared memory was written */
	uint32_t latest_direct, latest_direct_read;       /* the same of writes, and reads, that were not put off */
	uint32_t latest_plain;    /* the same of all but atomics that are put off */
	/* By chunk: the latest epochs in which a write of it was put off; in which any access was put off that is
	 * marked; in which it was written otherwise, as by lanes that write different words one by one, next to those
	 * of another warp; and in which it was read otherwise.  All are part of the same memory. */
	uint32_t *written, *accessed, *direct, *direct_read;
	/* By chunk: in the epoch of `accessed`, the distance from the number of each lane in its work-group to its
	 * word, or CHECK_MIXED if that is not the same for all lanes that have accessed it then.  If it is, each word
	 * was accessed by one lane alone.  Part of the same memory. */
	uint32_t *distance;
	/* By word: by which lane it has been accessed (check/whole_own.c), in the epoch owner_epoch, whose number there
	 * is owner_number.  owned: the first accesses, which it has. */
	uint32_t *owner;
	uint32_t owned, owner_epoch, owner_number;
	uint32_t owner_lost;      /* the latest epoch in which `owner` has not all that was put off */
	/* Atomics that are put off, in chunks that nothing else has accessed since the last barrier; room for
	 * CHECK_ATOMICS_MAX. */
	struct check_atomic *atomics;
	uint32_t atomic_count, atomic_marked;     /* atomic_marked: the first ones, which `atomic` has */
	uint32_t latest_atomic;   /* the latest epoch in which one was put off */
	uint32_t *atomic;         /* as `written`; part of the same memory */
	/* More accesses that are put off; room for CHECK_SCATTERS_MAX.  scatter_marked, scatter_owned: the first ones,
	 * which `accessed`, and `owner`, have. */
	struct check_scatter *scatters;
	uint32_t scatter_count, scatter_marked, scatter_owned;
};

/* Accesses of shared memory by many runs of lanes, which are put off, are often repeated, as in a loop.  Of a cell that
 * is only read, or that one lane alone accesses, just the first and the last access by each lane at each place of the
 * program matter (check/shadow.h): the first one is among the accesses that are put off, and this is the last one.
 * CHECK_REPEATS_FIRST: so many items are for the first place of an op, and the others for further ones. */
enum { CHECK_REPEATS_FIRST = 64, CHECK_REPEATS = 2 * CHECK_REPEATS_FIRST };
struct check_repeat {
	const struct op *op;
	uint32_t warp, mask, size_B;
	uint32_t generation;      /* of the accesses that are put off */
	uint32_t behind;          /* how many of those were before the last time */
	uint32_t order;           /* of the last times among each other and struct check_scatter; 0: not repeated */
	uint64_t first;           /* of the places */
	bool kept;                /* the places are known */
};
struct check_repeats {
	/* The present generation, from 1 on; how often one was repeated in it, or put off as a check_scatter. */
	uint32_t generation, order;
	struct check_repeat items[CHECK_REPEATS];
	uint64_t place[CHECK_REPEATS][LANES];     /* of each */
};

enum { CHECK_OPEN_MAX = 64, CHECK_OPEN_LAST = 4 };

/* A read around which nothing more is written, as of a part of a row: to open that does not help unless it repeats. */
struct check_close_by {
	uint64_t start;           /* the offset of the last one, and one more; 0: there is more around it */
	uint32_t others;          /* how often it was another place since then */
};

struct check_group {
	struct check_job *job;
	struct group *group;
	uint32_t number;          /* in the grid */
	uint32_t warp_count;
	bool begun;               /* it is whole, and has begun */
	uint64_t open;            /* the slots below CHECK_OPEN_MAX, as bits, whose reads machine code puts off */
	uint8_t open_last[CHECK_OPEN_LAST];       /* slots for which it was last found out what to open */
	uint32_t open_next;
	uint32_t asked_epoch;     /* when a read was looked at, and of which variable: as memory_slot.range.end */
	uint64_t asked;
	struct range opened;      /* as addresses: around all that is open, and perhaps more */
	uint64_t open_granules;   /* the same as granules */
	unsigned granule;         /* parts of shared memory of 1 << granule bytes are bits of such numbers */
	struct check_close_by close_by[CHECK_OPEN_MAX];   /* by slot */
	struct range grown;       /* of shared memory, what was found last to be written as a whole; as offsets */
	struct shadow shared;
	uint8_t *written;         /* a note for each byte of shared memory */
	struct check_put_off put_off;
	struct check_repeats repeats;
	struct check_local *locals;       /* by warp */
	const struct group *told; /* the one whose warps know that there are no notes (check_local_tell); or NULL */
	struct check_clocks clocks[CHECK_MEMORIES];
	uint8_t *orders;          /* by lane: the memories that its next barrier orders, by bit */
	struct check_copies copies;
};

enum { ORDERS_ALL = (1 << CHECK_MEMORIES) - 1 };

/* The most threads that run a checked launch: each has notes of its own about all memory that it accesses. */
enum { CHECK_THREADS = 16 };

/* The content of job.watched: what watches a launch. */
struct watched_job {
	struct check_job *check;          /* the launching thread's; NULL: nothing is checked */
	struct footprint *footprint;      /* NULL: none is wanted */
	struct check_findings findings;   /* there if anything is checked */
	/* Of the other threads, which may look for their own at any time; findings.lock is for whoever adds one. */
	struct check_job *others[CHECK_THREADS - 1];
	atomic_uint other_count;
	bool is_parted;           /* the launching thread acts as several (check_parts) */
};

static inline struct watched_job *watched_of(const struct job *job)
{
	return job->watched;
}

/* NULL: nothing is checked. */
static inline struct check_group *check_of(const struct group *group)
{
	return group->watched;
}

/* Has machine code tell of all reads of shared memory again: before its lanes know other things of each other than what
 * barriers of the whole group have ordered, and before bytes count as unwritten again. */
static inline void check_close(struct check_group *group)
{
	group->open_granules = 0;
	for (; group->open; group->open &= group->open - 1)
		group->group->slots[__builtin_ctzll(group->open)].size_B = 0;
}

/* The granules of a range of shared memory, as offsets. */
static inline uint64_t check_granules(const struct check_group *group, uint64_t start_B, uint64_t end_B)
{
	const uint64_t first = start_B >> group->granule, last = (end_B - 1) >> group->granule;
	return UINT64_MAX >> (63 - last) & UINT64_MAX << first;
}

/* The same of the chunks of [start_B, end_B) of shared memory, which are about to be written.  Of what is open, the
 * longer part before or behind them stays so, unless there is so much that this takes longer than to open it again. */
static inline void check_close_around(struct check_group *group, uint64_t start_B, uint64_t end_B)
{
	enum { FEW = 16 };
	unsigned count = 0;
	const uint64_t shared = (uint64_t)(uintptr_t)group->group->shared;
	const uint64_t start = shared + start_B / CHECK_CHUNK_B * CHECK_CHUNK_B;
	const uint64_t end = shared + (end_B + CHECK_CHUNK_B - 1) / CHECK_CHUNK_B * CHECK_CHUNK_B;
	struct range left = {UINT64_MAX, 0};
	uint64_t granules = 0;
	if (start >= group->opened.end || end <= group->opened.start)
		return;
	for (uint64_t rest = group->open; rest; rest &= rest - 1) {
		if (++count > FEW) {
			check_close(group);
			return;
		}
		struct memory_slot *slot = &group->group->slots[__builtin_ctzll(rest)];
		const uint64_t slot_end = slot->start + slot->size_B;
		const uint64_t before_B = start > slot->start ? start - slot->start : 0;
		const uint64_t behind_B = slot_end > end ? slot_end - end : 0;
		if (start < slot_end && end > slot->start) {
			if (behind_B > before_B)
				slot->start = end;
			slot->size_B = behind_B > before_B ? behind_B : before_B;
			group->open &= slot->size_B ? UINT64_MAX : ~(rest & -rest);
		}
		if (slot->size_B)
			granules |= check_granules(group, slot->start - shared, slot->start + slot->size_B - shared);
		left.start = slot->size_B && slot->start < left.start ? slot->start : left.start;
		left.end = slot->start + slot->size_B > left.end ? slot->start + slot->size_B : left.end;
	}
	group->opened = left;
	group->open_granules = granules;
}

/* Sets the epochs of the chunks of size_B bytes of shared memory.  offset_B: from its beginning. */
static inline void check_put_off_epochs(uint32_t *epochs, uint32_t now, uint64_t offset_B, uint64_t size_B)
{
	uint64_t c = offset_B / CHECK_CHUNK_B;
	const uint64_t last = (offset_B + size_B - 1) / CHECK_CHUNK_B;
	for (; c + CHECK_CHUNKS <= last + 1; c += CHECK_CHUNKS)
		for (unsigned k = 0; k < CHECK_CHUNKS; k++)
			epochs[c + k] = now;
	for (; c <= last; c++)
		epochs[c] = now;
}

/* Notes that [start_B, end_B) of shared memory is written in this epoch, and returns that. */
static inline uint32_t check_put_off_writes(struct check_group *group, uint64_t start_B, uint64_t end_B)
{
	check_close_around(group, start_B, end_B);
	return group->put_off.latest = group->clocks[CHECK_LOCAL_MEMORY].now;
}

/* Marks the chunks of shared memory that are accessed now by something that is not put off. */
static inline void check_put_off_mark(struct check_group *group, bool writes, uint64_t offset_B, uint64_t size_B)
{
	struct check_put_off *put_off = &group->put_off;
	put_off->latest_plain = group->clocks[CHECK_LOCAL_MEMORY].now;
	if (writes)
		put_off->latest_direct = check_put_off_writes(group, offset_B, offset_B + size_B);
	else
		put_off->latest_direct_read = put_off->latest_plain;
	check_put_off_epochs(writes ? put_off->direct : put_off->direct_read, put_off->latest_plain, offset_B, size_B);
}

/* The number of elements of put_off.owner: those behind the last word are never accessed, but looked at. */
static inline size_t check_put_off_words(const struct job *job)
{
	return job->shared_B / SHADOW_WORD_B + 1 + LANES;
}

/* Forgets the accesses that are put off. */
static inline void check_put_off_forget(struct check_group *group)
{
	group->group->shared_next = group->put_off.accesses;
	group->put_off.marked = group->put_off.owned = group->put_off.atomic_count = group->put_off.atomic_marked = 0;
	group->put_off.scatter_count = group->put_off.scatter_marked = group->put_off.scatter_owned = 0;
	group->put_off.unmarked = group->open_granules;
	group->repeats.generation++;
	group->repeats.order = 0;
}

static inline uint32_t check_put_off_count(const struct check_group *group)
{
	const struct check_put_off *put_off = &group->put_off;
	return put_off->accesses ? (uint32_t)(group->group->shared_next - put_off->accesses) : 0;
}

/* Whether anything but atomics is put off. */
static inline bool check_puts_off_plain(const struct check_group *group)
{
	return check_put_off_count(group) || group->put_off.scatter_count;
}

/* Has no accesses be put off any longer: before shared memory is accessed in another way, and before lanes know other
 * things of each other.  False: a fault was noted. */
static inline bool check_put_off_none(struct check_group *group)
{
	check_close(group);
	return (!check_puts_off_plain(group) && !group->put_off.atomic_count) || group->job->whole->note_put_off(group);
}

/* Sets what machine code need not tell of the shared and private memory of a work-group that begins. */
void check_quiet_group(struct group *group);

/* Whether an op was generated for a part of the present instruction, for which it stands. */
static inline bool check_is_part(const struct code *code, const struct op *op)
{
	return op < code->ops || op >= code->ops + code->op_count;
}

/* The number of an op in its program, and back. */
static inline uint32_t check_site(const struct check_job *check, const struct warp *warp, const struct op *op)
{
	const struct code *code = warp->frame->code;
	const uint32_t number = check_is_part(code, op) ? warp->pc : (uint32_t)(op - code->ops);
	return check->first_site[code - check->job->program->codes] + number;
}

const struct op *check_site_op(const struct check_job *check, uint32_t site,
			       const struct code **code_out);

/* A text that is a part of a report, for which there may have been no memory. */
static inline const char *check_text(const struct bytes *text)
{
	return bytes_failed(text) ? "... (no host memory to say more)" : bytes_string(text);
}

/* Reports an error of lane l. key distinguishes errors at one place; format continues after "softcuda: KIND: kernel
 * ..., work-item ...: ". */
void check_report(struct check_group *check, struct warp *warp, const struct op *op, unsigned l,
		  const char *kind, uint64_t key, const char *format, ...)
	__attribute__((format(printf, 7, 8)));
/* The same in two steps, where the text takes long to make: check_find counts the error, and says whether check_tell is
 * to report it, with the same kind. */
bool check_find(struct check_group *check, const struct warp *warp, const struct op *op, const char *kind,
		uint64_t key);
/* check_find of an op of code. */
bool check_find_in(struct check_job *check, const struct code *code, const struct op *op, const char *kind,
		   uint64_t key);
void check_tell(struct check_group *check, struct warp *warp, const struct op *op, unsigned l, const char *kind,
		const char *format, ...)
	__attribute__((format(printf, 6, 7)));
/* Whether such an error of an op is only counted. */
bool check_is_known(struct check_job *check, const struct op *op, const char *kind, uint64_t key);
/* The same of a race with an access in the same group or another one, at a site, which wrote or not; of an access that
 * the flags of a buffer forbid. */
bool check_race_is_known(struct check_job *check, const struct op *op, bool same_group, uint32_t site, bool wrote);
bool check_flag_is_known(struct check_job *check, const struct op *op, bool write);
/* Whether it is reported what the flags of buffers forbid. */
bool check_flags_count(const struct check_job *check);
/* Reports that the checker is out of memory, as a fault; always false. */
bool check_fail_memory(struct warp *warp, const struct op *op, uint32_t mask);

/* Makes room for notes about a warp's private memory, which may have grown. */
bool check_local_fits(struct warp *warp);
/* Tells machine code what it may know of a warp's private memory (warp.private_written). */
void check_local_tell(struct warp *warp);
/* What is known of lane l's byte at an offset; and sets that for size_B bytes. */
uint8_t check_local_note(const struct check_local *local, unsigned l, uint64_t offset_B);
void check_local_set(struct check_local *local, uint32_t lanes, uint64_t offset_B, uint64_t size_B, uint8_t note);
/* Whether bytes of private memory are in the gap behind a variable. */
bool check_in_gap(const struct warp *warp, unsigned l, uint64_t offset_B, uint32_t size_B);
/* The variable around an offset, or whose gap may be there; NULL: none. */
const struct check_variable *check_variable_at(const struct warp *warp, uint64_t offset_B);

/* The parts of check_access, for each lane. false: a fault was noted. */
bool check_bounds(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		  uint32_t size_B);
bool check_written(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		   uint32_t size_B);
/* For global memory: what OpenCL has noted about its buffer, and whether it was written. */
bool check_noted(struct warp *warp, const struct op *op, unsigned l, uint64_t place,
		 uint32_t size_B);
/* places: of all lanes in mask, of which those below l have been looked at. */
bool check_race(struct warp *warp, const struct op *op, uint32_t mask, unsigned l, const uint64_t *places,
		uint32_t size_B);
/* The same where it is known whether the access writes. */
bool check_race_as(struct warp *warp, const struct op *op, uint32_t mask, unsigned l, const uint64_t *places,
		   uint32_t size_B, bool writes);

void check_group_free(struct check_group *check);

/* What the calling thread knows of a launch that is checked; NULL when out of memory. */
struct check_job *check_job_here(struct job *job);
/* Who is told of what a work-group does, by its number in the grid: the calling thread, unless the option "parts:N" has
 * one thread act as N, which take the work-groups in turn. */
struct check_job *check_job_of(struct job *job, uint32_t number);
/* That N, and the N of the option "epochs:N"; 0, and EPOCHS_MAX: they are not given. */
unsigned check_parts(void);
uint32_t check_epoch_limit(void);
/* The number of threads that may run a launch: more than one if no work-group can order what it does before what
 * another one does, so that each thread can look for races among its own, and check_between for the others. */
unsigned check_threads(const struct check_job *check);
/* Finds races between work-groups that different threads have run, when all have ended.  The launch fails if there is
 * no memory for that. */
void check_between(struct job *job);
/* The same of a cell of two pages for the same address, which both have cells of words, or of bytes.  The number of the
 * next cell, up to end, that has been accessed in another way. */
size_t check_race_between(struct check_job *first, const struct page *first_page, struct check_job *second,
			  const struct page *second_page, uint64_t address, size_t i, size_t end);

void check_copies_finish(struct check_copies *copies);
/* A barrier is complete for members; op: where the first one waits, a lane of warp. */
void check_copies_barrier(struct check_group *group, const uint32_t *members, struct warp *warp,
			  const struct op *op);

static inline bool check_is_load(const struct op *op)
{
	return op->writes && !(op->reads & 2);
}

/* Atomics, and accesses that are volatile or have an order. */
static inline bool check_is_atomic(const struct op *op)
{
	return op->mode != ORDER_WEAK || (op->writes && op->reads & 2);
}

static inline bool check_is_store(const struct op *op)
{
	return !op->writes;
}

#endif
