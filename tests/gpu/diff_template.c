/* The templates, and the values that programs start from. */
#include "config.h"

#include "tests/gpu/diff_program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT(sm, text, operands)
#define ALONE(sm, text, operands)
#define APPROX(sm, text, operands, expression, kind, bound)                   \
	static double UNIQUE(reference_)(double x, double y)                  \
	{                                                                     \
		(void)y;                                                      \
		return expression;                                            \
	}
#define UNIQUE(name) JOIN(name, __LINE__)
#define JOIN(a, b) JOINED(a, b)
#define JOINED(a, b) a##b
#include "tests/gpu/diff_template.def"
#undef EXACT
#undef ALONE
#undef APPROX

static const struct diff_template templates[] = {
#define EXACT(sm, text, operands) {text, operands, sm, false, BOUND_NONE, 0, NULL},
#define ALONE(sm, text, operands) {text, operands, sm, true, BOUND_NONE, 0, NULL},
#define APPROX(sm, text, operands, expression, kind, bound) \
	{text, operands, sm, true, BOUND_##kind, bound, UNIQUE(reference_)},
#include "tests/gpu/diff_template.def"
};
enum { TEMPLATES = sizeof(templates) / sizeof(templates[0]) };

static unsigned choices(const char *brace)
{
	unsigned count = 1;
	for (; *brace && *brace != '}'; brace++)
		count += *brace == ',';
	return count;
}

static unsigned ways(const struct diff_template *template)
{
	unsigned count = 1;
	for (const char *at = template->text; (at = strchr(at, '{')); at++)
		count *= choices(at);
	return count;
}

static bool fits(const struct diff_template *template, unsigned sm, bool approximate)
{
	return template->sm <= sm && (template->bound_kind != BOUND_NONE) == approximate;
}

unsigned diff_template_count(unsigned sm, bool approximate)
{
	unsigned count = 0;
	for (unsigned t = 0; t < TEMPLATES; t++)
		count += fits(&templates[t], sm, approximate) ? ways(&templates[t]) : 0;
	return count;
}

/* The way-th way to write a template. */
static void expand(const char *from, unsigned way, char *text, unsigned size)
{
	unsigned length = 0;
	while (*from && length + 1 < size) {
		if (*from != '{') {
			text[length++] = *from++;
			continue;
		}
		unsigned count = choices(from), chosen = way % count;
		way /= count;
		for (from++; chosen; from++)
			chosen -= *from == ',';
		while (*from != ',' && *from != '}' && length + 1 < size)
			text[length++] = *from++;
		from = strchr(from, '}') + 1;
	}
	text[length] = '\0';
}

const struct diff_template *diff_template_write(unsigned sm, bool approximate, unsigned n,
						char *text, unsigned size)
{
	for (unsigned t = 0; t < TEMPLATES; t++) {
		unsigned count = fits(&templates[t], sm, approximate) ? ways(&templates[t]) : 0;
		if (n < count) {
			expand(templates[t].text, n, text, size);
			return &templates[t];
		}
		n -= count;
	}
	return NULL;
}

char diff_flavour_width(char flavour)
{
	switch (flavour) {
	case 'p':
		return 'p';
	case 's': case 'h': case 'b':
		return 'h';
	case 'I': case 'd':
		return 'l';
	default:
		return 'w';
	}
}

static const uint64_t integers[] = {
	0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000,
	0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000,
	0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
	0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xaaaaaaaaaaaaaaaa,
	0x0123456789abcdef, 0xffffffff00000000
};
static const uint32_t floats[] = {
	0, 1, 0x7fffff, 0x800000, 0x800001, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x3fc00000, 0x40200000, 0x40490fdb, 0x437f0000, 0x437f8000, 0x46fffe00, 0x47000000,
	0x477fe000, 0x477fefff, 0x477ff000, 0x38800000, 0x387fffff, 0x33000000, 0x33000001,
	0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000,
	0x5f7fffff, 0x5f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fc12345,
	0x7fffffff, 0x7e800000, 0x00400000
};
static const uint64_t doubles[] = {
	0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3fe0000000000000, 0x3fefffffffffffff,
	0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x4004000000000000,
	0x406fe00000000000, 0x40dfffe000000000, 0x40effc0000000000, 0x40effe0000000000,
	0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000,
	0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff, 0x43f0000000000000,
	0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x3810000000000000,
	0x380fffffc0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
	0x3ff0000010000000, 0x3ff0000030000000, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff8000000000000, 0x7ff8000012345678, 0x7fffffffffffffff
};
static const uint16_t halves[] = {
	0, 1, 0x3ff, 0x400, 0x401, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x5bf8, 0x6400,
	0x77ff, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7e12, 0x7fff
};
static const uint16_t bfloats[] = {
	0, 1, 0x7f, 0x80, 0x81, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x4020, 0x437f, 0x4700,
	0x4eff, 0x4f00, 0x5f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fc5, 0x7fff
};

#define ONE_OF(list, r) ((list)[(r) % (sizeof(list) / sizeof((list)[0]))])

/* A number of a float format: its sign, an exponent near one's, any digits. */
static uint64_t moderate(uint64_t r, unsigned digits, unsigned exponents)
{
	uint64_t bias = (UINT64_C(1) << (exponents - 1)) - 1;
	uint64_t exponent = bias + (r >> 1) % 24 - 12;
	uint64_t fraction = (r >> 8) & ((UINT64_C(1) << digits) - 1);
	return (r & 1) << (digits + exponents) | exponent << digits | fraction;
}

static uint16_t half_value(uint64_t *state, bool bfloat)
{
	uint64_t how = diff_random(state) % 10, r = diff_random(state);
	uint16_t sign = (uint16_t)(r >> 63 << 15);
	if (how < 4)
		return (uint16_t)(sign | (bfloat ? ONE_OF(bfloats, r) : ONE_OF(halves, r)));
	if (how < 6)
		return (uint16_t)r;
	return (uint16_t)(bfloat ? moderate(r, 7, 8) : moderate(r, 10, 5));
}

static uint64_t interesting(char flavour, uint64_t *state)
{
	uint64_t how = diff_random(state) % 10, r = diff_random(state);
	uint64_t sign = r >> 63;
	switch (flavour) {
	case 'f':
		return how < 4 ? ONE_OF(floats, r) | sign << 31 : how < 6 ? (uint32_t)r :
		       moderate(r, 23, 8);
	case 'd':
		return how < 4 ? ONE_OF(doubles, r) | sign << 63 : how < 6 ? r :
		       moderate(r, 52, 11);
	case 'h': case 'b':
		return half_value(state, flavour == 'b');
	case 'H': case 'B':
		return half_value(state, flavour == 'B') |
		       (uint64_t)half_value(state, flavour == 'B') << 16;
	case 'n':
		return how < 9 ? r % 72 : (uint32_t)r;
	case 'p':
		return r & 1;
	default:
		return how < 4 ? ONE_OF(integers, r) : how < 7 ? r : r >> (r % 64);
	}
}

uint64_t diff_program_input(const struct diff_program *program, uint64_t seed, unsigned lane,
			    unsigned value)
{
	uint64_t state = seed * 1000003 + program->index;
	state = diff_random(&state) + ((uint64_t)lane << 32 | value);
	char flavour = program->values[value].flavour;
	uint64_t bits = interesting(flavour, &state);
	switch (diff_flavour_width(flavour)) {
	case 'h':
		return (uint16_t)bits;
	case 'l':
		return bits;
	default:
		return (uint32_t)bits;
	}
}
