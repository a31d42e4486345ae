/* vloadn and vstoren of every type, width and address space (OpenCL C 3.0, 6.15.7). */
#include "config.h"

#include "tests/builtins/probe.h"

static const char load_from_buffer[] =
	"	$x const $T *p = ($x const $T *)$y + g % 7;\n"
	"	$T$n v = vload$n(g / 2, p);\n"
	"	$[CHECK(same(v.s$h, p[g / 2 * $n + $e]));\n$]";
static const char load_from_local[] =
	"	local $T l[64 * $n + 8];\n"
	"	for (size_t i = g; i < 64 * $n + 8; i += 64) l[i] = ((global const $T *)data)[i];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	$T$n v = vload$n(g, (local const $T *)l + 3);\n"
	"	$[CHECK(same(v.s$h, l[3 + g * $n + $e]));\n$]";
static const char load_from_private[] =
	"	$T a[40];\n"
	"	for (int i = 0; i < 40; i++) a[i] = ((global const $T *)data)[i + g];\n"
	"	$T$n v = vload$n(g & 1, (const $T *)a + 3);\n"
	"	$[CHECK(same(v.s$h, a[3 + (g & 1) * $n + $e]));\n$]";
static const char store_to_global[] =
	"	global $T *q = (global $T *)out + 5;\n"
	"	$T$n v = vload$n(g, (global const $T *)data);\n"
	"	vstore$n(v, g, q);\n"
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"	size_t o = 63 - g;\n"
	"	$[CHECK(same(q[o * $n + $e], ((global const $T *)data)[o * $n + $e]));\n$]";
static const char store_to_local[] =
	"	local $T l[64 * $n + 8];\n"
	"	vstore$n(vload$n(g, (global const $T *)data), g, l + 3);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	size_t o = 63 - g;\n"
	"	$[CHECK(same(l[3 + o * $n + $e], ((global const $T *)data)[o * $n + $e]));\n$]";
static const char store_to_private[] =
	"	$T a[40];\n"
	"	for (int i = 0; i < 40; i++) a[i] = 0;\n"
	"	vstore$n(vload$n(g, (global const $T *)data), g & 1, a + 3);\n"
	"	global const $T *d = (global const $T *)data + g * $n;\n"
	"	$[CHECK(same(a[3 + (g & 1) * $n + $e], d[$e]));\n$]"
	"	CHECK(a[2] == 0 && a[3 + (1 - (g & 1)) * $n] == 0 && a[3 + 2 * $n] == 0);\n";

static void add_forms(struct probes *probes, enum type type, unsigned width)
{
	struct template global = {type, width, "global", "data"};
	struct template constant = {type, width, "constant", "table"};
	probes_add(probes, &global, "vload$n from global $T", load_from_buffer);
	probes_add(probes, &constant, "vload$n from constant $T", load_from_buffer);
	probes_add(probes, &global, "vload$n from local $T", load_from_local);
	probes_add(probes, &global, "vload$n from private $T", load_from_private);
	probes_add(probes, &global, "vstore$n to global $T", store_to_global);
	probes_add(probes, &global, "vstore$n to local $T", store_to_local);
	probes_add(probes, &global, "vstore$n to private $T", store_to_private);
}

void memory_family(struct device *device, const struct depth *depth)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	struct probes probes;
	(void)depth;
	probes_init(&probes, device, false);
	for (int type = 0; type < SCALAR_TYPES; type++)
		for (unsigned w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
			add_forms(&probes, (enum type)type, widths[w]);
	probes_finish(&probes);
}
