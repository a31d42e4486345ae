/* async_work_group_copy, async_work_group_strided_copy, wait_group_events and prefetch (OpenCL C
 * 3.0, 6.15.11). */
#include "config.h"

#include "tests/builtins/probe.h"

#define COPIES(element) \
	"	local $T$n l[40];\n" \
	"	global const $T$n *from = (global const $T$n *)data;\n" \
	"	global $T$n *to = (global $T$n *)out;\n" \
	"	for (size_t i = g; i < 128; i += 64) to[i] = ($T$n)0;\n" \
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n" \
	"	prefetch(from, 37);\n" \
	"	event_t e = async_work_group_copy(l, from, 37, 0);\n" \
	"	wait_group_events(1, &e);\n" \
	"	size_t i = 36 - g % 37;\n" \
	"	$[CHECK(same(l[i]" element ", from[i]" element "));\n$]" \
	"	e = async_work_group_copy(to + 1, l, 37, 0);\n" \
	"	wait_group_events(1, &e);\n" \
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n" \
	"	$[CHECK(same(to[i + 1]" element ", from[i]" element "));\n" \
	"	CHECK(to[0]" element " == 0 && to[38]" element " == 0);\n$]" \
	"	barrier(CLK_LOCAL_MEM_FENCE);\n" \
	"	e = async_work_group_strided_copy(l, from, 12, 3, 0);\n" \
	"	e = async_work_group_copy(l + 12, from, 20, e);\n" \
	"	wait_group_events(1, &e);\n" \
	"	i %= 12;\n" \
	"	$[CHECK(same(l[i]" element ", from[i * 3]" element "));\n" \
	"	CHECK(same(l[i + 12]" element ", from[i]" element "));\n$]" \
	"	e = async_work_group_strided_copy(to + 50, l, 12, 4, 0);\n" \
	"	wait_group_events(1, &e);\n" \
	"	barrier(CLK_GLOBAL_MEM_FENCE);\n" \
	"	$[CHECK(same(to[50 + i * 4]" element ", from[i * 3]" element "));\n" \
	"	CHECK(to[51 + i * 4]" element " == 0 && to[49 + i * 4]" element " == 0);\n$]"

static const char of_scalars[] = COPIES("");
static const char of_vectors[] = COPIES(".s$h");

void async_family(struct device *device, const struct depth *depth)
{
	static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
	struct probes probes;
	(void)depth;
	probes_init(&probes, device, false);
	for (int type = 0; type < SCALAR_TYPES; type++) {
		for (unsigned w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			struct template template = {(enum type)type, widths[w], "", ""};
			probes_add(&probes, &template, "copies of $T$n",
				   widths[w] == 1 ? of_scalars : of_vectors);
		}
	}
	probes_finish(&probes);
}
