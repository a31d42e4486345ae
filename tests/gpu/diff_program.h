/* Random PTX programs for the differential test, from seeds alone: the same seed
 * and sm give the same program and inputs on every machine.
 *
 * Every result of a program is a value; each lane stores each of its values in a
 * slot of its own, 8 bytes, so that the first that differs is the culprit.  Values
 * below INPUTS are loaded, the others computed.
 *
 * Thread-safety: none needed; a program belongs to its caller. */
#ifndef CULVERT_TESTS_GPU_DIFF_PROGRAM_H
#define CULVERT_TESTS_GPU_DIFF_PROGRAM_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	DIFF_LANES = 128,         /* of two groups */
	DIFF_GROUP = 64,
	DIFF_INPUTS = 30,
	DIFF_VALUES = 160,
	DIFF_SOURCES = 20,
	DIFF_SCRATCH_B = 64       /* of global memory, per lane */
};

enum diff_kind { DIFF_FLAT, DIFF_MIXED, DIFF_APPROXIMATE };

/* How far an approximate instruction may be off. */
enum diff_bound { BOUND_NONE, BOUND_ULP, BOUND_RELATIVE, BOUND_ABSOLUTE, BOUND_ANGLE,
		  BOUND_LOGARITHM, BOUND_QUOTIENT };

struct diff_template {
	const char *text, *operands;
	unsigned sm;
	bool alone;
	enum diff_bound bound_kind;
	double bound;
	double (*reference)(double x, double y);
};

struct diff_value {
	char flavour;             /* as diff_template.def's operands */
	bool crosses;             /* takes what other lanes had */
	uint8_t source_count;
	uint16_t source[DIFF_SOURCES];
	uint32_t text_at, text_size;              /* of its instructions in the program's */
	const struct diff_template *template;     /* NULL: of an item of its own */
};

struct diff_program {
	unsigned index;
	enum diff_kind kind;
	struct bytes text;        /* functions, then the .entry p<index> */
	struct diff_value values[DIFF_VALUES];
	unsigned count;
};

/* Makes program `index` of a seed; diff_program_finish gives its text back.
 * False when out of memory. */
bool diff_program_make(struct diff_program *program, uint64_t seed, unsigned index, unsigned sm);
void diff_program_finish(struct diff_program *program);

/* What the module starts with. */
void diff_program_header(struct bytes *text, unsigned sm);

/* The input of a lane, as 8 bytes with the value in the low ones. */
uint64_t diff_program_input(const struct diff_program *program, uint64_t seed, unsigned lane,
			    unsigned value);

/* How many ways the templates can be written for an sm. */
unsigned diff_template_count(unsigned sm, bool approximate);
/* The n-th: its text into text, and its template. */
const struct diff_template *diff_template_write(unsigned sm, bool approximate, unsigned n,
						char *text, unsigned size);

/* 'p' 'h' 'w' 'l': predicate, 16, 32, 64 bits. */
char diff_flavour_width(char flavour);

/* A generator: splitmix64. */
static inline uint64_t diff_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
