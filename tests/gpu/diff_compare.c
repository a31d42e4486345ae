#include "config.h"

#include "tests/gpu/diff_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each culprit's first words so many lanes are printed in full. */
enum { EXAMPLES = 2, CULPRITS = 1024 };

static struct culprit {
	char text[96];
	unsigned lanes, examples;
} culprits[CULPRITS];
static unsigned culprit_count;

/* The line that matters: the last of a value's, without the guard. */
static void name_of(const struct diff_program *program, unsigned value, char *name, size_t size)
{
	const struct diff_value *v = &program->values[value];
	const char *text = program->text.data + v->text_at, *end = text + v->text_size;
	const char *line = text;
	for (const char *at = text; at + 1 < end; at++)
		if (*at == '\n' && at[1] == '\t' && strncmp(at + 1, "\tbar", 4) != 0 &&
		    !strchr("{}", at[2]))
			line = at + 1;
	while (*line == '\t')
		line++;
	if (*line == '@')
		line += strcspn(line, " ") + 1;
	snprintf(name, size, "%.*s", (int)strcspn(line, " ;\n"), line);
}

static struct culprit *culprit_of(const char *name)
{
	for (unsigned i = 0; i < culprit_count; i++)
		if (!strcmp(culprits[i].text, name))
			return &culprits[i];
	if (culprit_count == CULPRITS)
		return &culprits[CULPRITS - 1];
	snprintf(culprits[culprit_count].text, sizeof(culprits[0].text), "%s", name);
	return &culprits[culprit_count++];
}

static uint64_t value_bits(const struct diff_program *program, uint64_t seed,
			   const uint64_t *slots, unsigned lane, unsigned value)
{
	if (value < DIFF_INPUTS)
		return diff_program_input(program, seed, lane, value);
	uint64_t bits = slots[(size_t)lane * (program->count - DIFF_INPUTS) + value - DIFF_INPUTS];
	char width = diff_flavour_width(program->values[value].flavour);
	return width == 'l' ? bits : width == 'h' ? (uint16_t)bits : (uint32_t)bits;
}

static void print_culprit(const struct diff_program *program, uint64_t seed, unsigned value,
			  unsigned lane, const uint64_t *a, const uint64_t *b)
{
	const struct diff_value *v = &program->values[value];
	printf("seed %" PRIu64 " program %u lane %u:\n%.*s", seed, program->index, lane,
	       (int)v->text_size, program->text.data + v->text_at);
	printf("    value %u: A %#" PRIx64 ", B %#" PRIx64 "; from", value,
	       value_bits(program, seed, a, lane, value),
	       value_bits(program, seed, b, lane, value));
	for (unsigned i = 0; i < v->source_count; i++)
		printf(" %%%c%u=%#" PRIx64,
		       diff_flavour_width(program->values[v->source[i]].flavour), v->source[i],
		       value_bits(program, seed, a, lane, v->source[i]));
	putchar('\n');
}

static void note(const struct diff_program *program, uint64_t seed, unsigned value, unsigned lane,
		 const uint64_t *a, const uint64_t *b, struct diff_counts *counts)
{
	char name[96];
	name_of(program, value, name, sizeof(name));
	struct culprit *culprit = culprit_of(name);
	counts->different++;
	culprit->lanes++;
	if (culprit->examples++ < EXAMPLES)
		print_culprit(program, seed, value, lane, a, b);
}

/* -- approximate results ------------------------------------------------------------- */

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
	double x = exponent == 31 ? (fraction ? NAN : INFINITY) :
		   exponent ? ldexp(fraction | 0x400, exponent - 25) : ldexp(fraction, -24);
	return bits >> 15 ? -x : x;
}

static double real(char flavour, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float single;
	double wide;
	if (flavour == 'h')
		return half_value((uint16_t)bits);
	if (flavour == 'd') {
		memcpy(&wide, &bits, sizeof(wide));
		return wide;
	}
	if (flavour == 'b')
		low <<= 16;
	memcpy(&single, &low, sizeof(single));
	return single;
}

static double flush(char flavour, double x)
{
	double least = flavour == 'd' ? 0x1p-1022 : flavour == 'h' ? 0x1p-14 : 0x1p-126;
	return fabs(x) < least ? copysign(0, x) : x;
}

static double ulp(char flavour, double exact)
{
	int digits = flavour == 'd' ? 53 : flavour == 'f' ? 24 : flavour == 'h' ? 11 : 8;
	int lowest = flavour == 'd' ? -1021 : flavour == 'h' ? -13 : -125, exponent;
	frexp(exact, &exponent);
	return ldexp(1, (exact == 0 || exponent < lowest ? lowest : exponent) - digits);
}

/* How far from exact a result may be; negative: anything goes. */
static double allowance(const struct diff_template *template, char flavour, double x, double y,
			double exact)
{
	double bound = template->bound, relative = bound * fabs(exact);
	switch (template->bound_kind) {
	case BOUND_ULP:
		return bound * ulp(flavour, exact);
	case BOUND_ANGLE:
		/* Beyond 100 pi nothing is promised, within 2 pi much. */
		return fabs(x) > 314.15 ? -1 : fabs(x) > 6.2831 ? 0x1p-14 : bound;
	case BOUND_LOGARITHM:
		return x > 0.5 && x < 2 ? bound : relative;
	case BOUND_QUOTIENT:
		/* Beyond, the quotient is 0, or NaN of an infinity. */
		return fabs(y) >= 0x1p126 || fabs(y) < 0x1p-126 ? -1 : bound * ulp(flavour, exact);
	case BOUND_ABSOLUTE:
		return bound;
	default:
		/* The rounding of a subnormal result comes on top. */
		return relative + ulp(flavour, 0) / 2;
	}
}

static bool within(const struct diff_template *template, const char *text, char flavour, double x,
		   double y, double got)
{
	bool ftz = strstr(text, ".ftz") != NULL;
	if (ftz) {
		x = flush(flavour, x);
		y = flush(flavour, y);
	}
	double exact = template->reference(x, y);
	double allowed = allowance(template, flavour, x, y, exact);
	if (allowed < 0)
		return true;
	double limit = flavour == 'd' ? 0x1.fffffffffffffp1023 : flavour == 'h' ? 65504 :
		       0x1.fffffep127;
	if (isnan(exact) || isnan(got))
		return isnan(exact) && isnan(got);
	if (fabs(exact) > limit || isinf(got))
		return (isinf(got) && fabs(exact) + allowed >= limit && got * exact > 0) ||
		       fabs(got) >= limit - allowed;
	if (ftz && got == 0 && fabs(exact) < (flavour == 'd' ? 0x1p-1022 : 0x1p-126) + allowed)
		return true;
	return fabs(got - exact) <= allowed;
}

static void compare_approximate(const struct diff_program *program, uint64_t seed, unsigned value,
				const uint64_t *a, const uint64_t *b, struct diff_counts *counts)
{
	const struct diff_value *v = &program->values[value];
	const uint64_t *sides[2] = {a, b};
	char text[64];
	name_of(program, value, text, sizeof(text));
	for (unsigned lane = 0; lane < DIFF_LANES; lane++) {
		double x = real(v->flavour, value_bits(program, seed, a, lane, v->source[0]));
		double y = v->source_count < 2 ? 0 :
			   real(v->flavour, value_bits(program, seed, a, lane, v->source[1]));
		for (unsigned side = 0; side < 2; side++) {
			double got = real(v->flavour,
					  value_bits(program, seed, sides[side], lane, value));
			if (within(v->template, text, v->flavour, x, y, got))
				continue;
			char name[96];
			snprintf(name, sizeof(name), "%s out of bounds on %c", text, "AB"[side]);
			struct culprit *culprit = culprit_of(name);
			counts->different++;
			culprit->lanes++;
			if (culprit->examples++ >= EXAMPLES)
				continue;
			printf("%c: %.*s    of %a and %a is %a, exact %a\n", "AB"[side],
			       (int)v->text_size, program->text.data + v->text_at, x, y, got,
			       v->template->reference(x, y));
		}
	}
}

/* -- all ----------------------------------------------------------------------------- */

void diff_compare(const struct diff_program *program, uint64_t seed, const uint64_t *a,
		  const uint64_t *b, struct diff_counts *counts)
{
	static bool wrong[DIFF_VALUES][DIFF_LANES], anywhere[DIFF_VALUES];
	uint64_t before = counts->different;
	memset(wrong, 0, sizeof(wrong));
	memset(anywhere, 0, sizeof(anywhere));
	counts->programs++;
	if (!a || !b) {
		counts->failed++;
		return;
	}
	for (unsigned value = DIFF_INPUTS; value < program->count; value++) {
		const struct diff_value *v = &program->values[value];
		counts->results += DIFF_LANES;
		if (v->template && v->template->bound_kind != BOUND_NONE) {
			compare_approximate(program, seed, value, a, b, counts);
			continue;
		}
		for (unsigned lane = 0; lane < DIFF_LANES; lane++) {
			bool tainted = false;
			for (unsigned s = 0; s < v->source_count; s++)
				tainted |= v->crosses ? anywhere[v->source[s]] :
					   wrong[v->source[s]][lane];
			wrong[value][lane] = tainted;
			if (value_bits(program, seed, a, lane, value) !=
			    value_bits(program, seed, b, lane, value)) {
				wrong[value][lane] = true;
				if (!tainted)
					note(program, seed, value, lane, a, b, counts);
			}
			anywhere[value] |= wrong[value][lane];
		}
	}
	counts->differing += counts->different != before;
}

static int by_lanes(const void *x, const void *y)
{
	const struct culprit *a = x, *b = y;
	return a->lanes < b->lanes ? 1 : a->lanes > b->lanes ? -1 : strcmp(a->text, b->text);
}

void diff_compare_summary(const struct diff_counts *counts)
{
	qsort(culprits, culprit_count, sizeof(culprits[0]), by_lanes);
	if (culprit_count)
		printf("culprits, in lanes:\n");
	for (unsigned i = 0; i < culprit_count; i++)
		printf("%8u %s\n", culprits[i].lanes, culprits[i].text);
	printf("%u programs, %u differ, %u failed; %" PRIu64 " results, %" PRIu64 " different\n",
	       counts->programs, counts->differing, counts->failed, counts->results,
	       counts->different);
}
