/* shuffle and shuffle2 with masks that are known only at run time (OpenCL C 3.0, 6.15.13). */
#include "config.h"

#include "tests/builtins/probe.h"

/* $x: the width of the source; the mask's bits above those that count are to be ignored. */
static const char shuffle_1[] =
	"	global const $T *p = (global const $T *)data + g;\n"
	"	$U$n mask = vload$n(g, (global const $U *)data + 3);\n"
	"	$T$n r = shuffle(vload$x(0, p), mask);\n"
	"	$[CHECK(same(r.s$h, p[mask.s$h & ($x - 1)]));\n$]"
	"	r = shuffle(vload$x(0, p), ($U$n)($[$,$e * 7 + 1$]));\n"
	"	$[CHECK(same(r.s$h, p[($e * 7 + 1) & ($x - 1)]));\n$]";
static const char shuffle_2[] =
	"	global const $T *p = (global const $T *)data + g;\n"
	"	$U$n mask = vload$n(g, (global const $U *)data + 3);\n"
	"	$T$n r = shuffle2(vload$x(0, p), vload$x(1, p), mask);\n"
	"	$[CHECK(same(r.s$h, p[mask.s$h & (2 * $x - 1)]));\n$]"
	"	r = shuffle2(vload$x(0, p), vload$x(1, p), ($U$n)($[$,$e * 5 + 2$]));\n"
	"	$[CHECK(same(r.s$h, p[($e * 5 + 2) & (2 * $x - 1)]));\n$]";

/* Functions of types other than unsigned integers are views of these.  Of float all are tried, and of each other type,
 * each width of the source and of the result. */
static bool is_quick(enum type type, int from, int to)
{
	return type == type_unsigned(type) || type == TYPE_FLOAT || (from + to) % 4 == 0;
}

void shuffle_family(struct device *device, const struct depth *depth)
{
	static const unsigned widths[] = {2, 4, 8, 16};
	static const char *const sources[] = {"2", "4", "8", "16"};
	struct probes probes;
	probes_init(&probes, device, false);
	for (int type = 0; type < SCALAR_TYPES; type++) {
		for (int from = 0; from < 4; from++) {
			for (int to = 0; to < 4; to++) {
				if (depth->quick && !is_quick((enum type)type, from, to))
					continue;
				struct template template = {(enum type)type, widths[to],
							    sources[from], ""};
				probes_add(&probes, &template, "shuffle of $T$x to $T$n",
					   shuffle_1);
				probes_add(&probes, &template, "shuffle2 of $T$x to $T$n",
					   shuffle_2);
			}
		}
	}
	probes_finish(&probes);
}
