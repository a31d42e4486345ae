/* A family: functions of one section of the specification, tested and counted together.
 *
 * Thread-safety: none; one family runs at a time. */
#ifndef CULVERT_TESTS_BUILTINS_FAMILY_H
#define CULVERT_TESTS_BUILTINS_FAMILY_H

#include "tests/builtins/device.h"

#include <stdbool.h>
#include <stddef.h>

/* How much is done: quick leaves out widths whose code is halves of others. */
struct depth {
	bool quick;
};

typedef void family_run(struct device *device, const struct depth *depth);

family_run math_family, math_double_family, math_half_family, native_family, common_family, integer_family;
family_run relational_family, geometric_family, convert_family, memory_family, half_family;
family_run shuffle_family, async_family, atomic_family, atomic_c11_family, workitem_family;
family_run sub_group_family, work_group_family, extended_family;

/* Counts n functions (or forms of them) and m comparisons as done. */
void family_count(size_t functions, size_t comparisons);
/* Counts a failure and prints it as one line. */
void family_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
