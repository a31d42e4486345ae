/* Probes: little kernels that check themselves, written as templates.
 *
 * A probe's body runs in one work-group of 64 work-items as
 *	kernel void probe(global const uchar *data, global uchar *out, global uint *bad,
 *			  constant uchar *table)
 * with g, the work-item, and CHECK(condition).  data and table hold the same 32 KiB of random
 * bytes; out has 64 KiB.  A template's text holds
 *	$T $U $S   the type, and the integer type of its size without and with sign
 *	$n $N      the width (nothing for 1); twice the width
 *	$x $y      what the caller gave
 *	$[ ... $]  repeated for each element, in which $e is its number and $h its hexadecimal digit
 *	$,         within those, a comma before each element but the first
 * Thread-safety: none. */
#ifndef CULVERT_TESTS_BUILTINS_PROBE_H
#define CULVERT_TESTS_BUILTINS_PROBE_H

#include "tests/builtins/family.h"
#include "tests/builtins/number.h"

#include "base/bytes.h"

enum { PROBES_MAX = 48 };

struct template {
	enum type type;
	unsigned width;
	const char *x, *y;
};

struct probes {
	struct device *device;
	bool c11;                  /* OpenCL C 3.0 */
	struct bytes text;
	struct bytes names[PROBES_MAX];
	size_t count;
};

void probes_init(struct probes *probes, struct device *device, bool c11);
/* Adds a probe, unless the device lacks its type; the ones before are run when the program has grown enough. */
void probes_add(struct probes *probes, const struct template *template, const char *name,
		const char *body);
/* Runs what is left. */
void probes_finish(struct probes *probes);

#endif
