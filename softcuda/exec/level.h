/* The interpreter's hot files, compiled for what the processor has.
 *
 * A handler computes 32 lanes in a loop that the compiler turns into vector instructions, and the baseline
 * of x86-64 has vectors of four floats and no fused multiply-add.  So each hot file is compiled four times on
 * x86-64: for the baseline and for the levels v2, v3 and v4 of the psABI ("x86-64 psABI", 3.1.1,
 * "Micro-Architecture Levels"), with EXEC_LEVEL as the suffix of what it exports.  At run time the best level
 * that the processor has is used.  Elsewhere there is one level.
 *
 * All levels give the same bits: every operation is the one that IEEE 754 defines, and none is contracted
 * (-ffp-contract=off).
 *
 * A hot file exports one table of rows (EXEC_TABLE_HOT), or is exec/access.c or one of
 * check/cells.c, check/whole.c, check/whole_again.c, check/whole_atomic.c, check/whole_lanes.c, check/whole_later.c,
 * check/whole_ones.c and check/whole_race.c.
 * Thread-safety: immutable. */
#ifndef CULVERT_SOFTCUDA_EXEC_LEVEL_H
#define CULVERT_SOFTCUDA_EXEC_LEVEL_H

#include "softcuda/exec/table.h"
#include "softcuda/exec/warp.h"

/* The tables of the hot files. */
#define EXEC_HOT_TABLES(X, level)                                             \
	X(exec_rows_integer, level) X(exec_rows_wide, level) X(exec_rows_move, level) \
	X(exec_rows_float, level) X(exec_rows_compare, level) X(exec_rows_convert, level) \
	X(exec_rows_memory, level) X(exec_rows_special, level) X(exec_rows_together, level) \
	X(exec_rows_approx, level)

enum { EXEC_HOT_TABLE_COUNT = 10, EXEC_LEVELS_MAX = 4 };

struct exec_level {
	const char *name;                 /* "x86-64-v3" */
	const struct op_rows *tables[EXEC_HOT_TABLE_COUNT];
	exec_access_way *access_plain, *access_watched;
};

/* The level to use: the best one, unless CULVERT_SOFT_LEVEL or a test has chosen another. */
const struct exec_level *exec_level(void);
/* Its number: 0 is the baseline. */
unsigned exec_level_number(void);

/* How many levels this processor can run, the best one last. */
unsigned exec_level_count(void);
/* For tests, before anything is parsed: uses level number `index`, below that count. */
void exec_level_choose(unsigned index);

#endif
