/* A program while it is made: the pen that the items of diff_item.c write with.
 * Not thread-safe; lives as long as diff_program_make. */
#ifndef CULVERT_TESTS_GPU_DIFF_BUILD_H
#define CULVERT_TESTS_GPU_DIFF_BUILD_H

#include "tests/gpu/diff_program.h"

struct build {
	struct diff_program *program;
	struct bytes body, start, functions;
	uint64_t state;           /* of the random numbers */
	unsigned sm;
	unsigned depth;           /* of branches and loops: 0 where all lanes are */
	unsigned labels;          /* given so far */
	unsigned temporaries;     /* of all widths together */
	bool stores;              /* not in functions */
	uint16_t conditions[8];   /* the predicates that lead here */
	unsigned condition_count;
};

static inline unsigned build_below(struct build *build, unsigned bound)
{
	return (unsigned)(diff_random(&build->state) % bound);
}

/* A value of a flavour that is there already. */
unsigned build_pick(struct build *build, char flavour);
/* A new value: declared, and given a start where it may stay unset. */
unsigned build_value(struct build *build, char flavour);
void build_source(struct build *build, unsigned value, unsigned source);
/* After the text that sets it: notes the text since `from` and stores the value. */
void build_finish(struct build *build, unsigned value, size_t from);
bool build_full(const struct build *build, unsigned room);
/* "%w12" of a value; a few at a time may be alive. */
const char *build_name(const struct build *build, unsigned value);

/* An instruction of the templates; the n-th, or any. */
void build_instruction(struct build *build, bool approximate, unsigned n, bool guarded);
/* Something larger: a branch, a loop, a call, memory, a warp's common business. */
void build_item(struct build *build);

#endif
