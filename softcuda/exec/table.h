/* The handlers' tables, one per file of handlers, whose rows are found by name.  Immutable. */
#ifndef CULVERT_SOFTCUDA_EXEC_TABLE_H
#define CULVERT_SOFTCUDA_EXEC_TABLE_H

#include "softcuda/exec/op.h"

#include <stddef.h>

struct op_rows {
	const struct op_row *rows;
	size_t count;
};

/* At the end of a file that has an array named rows. */
#define EXEC_TABLE(name) const struct op_rows name = {rows, sizeof(rows) / sizeof(rows[0])};

/* The same for a hot file, which is compiled for several levels of the processor (exec/level.h): what it
 * exports has the level's suffix. */
#ifndef EXEC_LEVEL
#define EXEC_LEVEL
#endif
#define EXEC_LEVELED_(name, level) name##level
#define EXEC_LEVELED_BY(name, level) EXEC_LEVELED_(name, level)
#define EXEC_LEVELED(name) EXEC_LEVELED_BY(name, EXEC_LEVEL)
#define EXEC_TABLE_HOT(name)                                                  \
	extern const struct op_rows EXEC_LEVELED(name);                       \
	EXEC_TABLE(EXEC_LEVELED(name))

extern const struct op_rows exec_rows_control;
extern const struct op_rows exec_rows_rounded;
extern const struct op_rows exec_rows_half;
extern const struct op_rows exec_rows_copy;
extern const struct op_rows exec_rows_mbarrier;
extern const struct op_rows exec_rows_matrix;
extern const struct op_rows exec_rows_wgmma;
extern const struct op_rows exec_rows_narrow;
extern const struct op_rows exec_rows_video;
extern const struct op_rows exec_rows_note;
extern const struct op_rows exec_rows_object;
extern const struct op_rows exec_rows_texture;
extern const struct op_rows exec_rows_surface;
extern const struct op_rows exec_rows_quad;
extern const struct op_rows exec_rows_stack;
extern const struct op_rows exec_rows_atomic;

/* The row of a whole mnemonic, or of a special register's name; NULL: there is none. */
const struct op_row *exec_table_find(const char *name);
/* A row that has this handler; NULL: there is none.  Rows that share a handler mean the same. */
const struct op_row *exec_table_row(op_run *run);
/* Whether an op sees at once what another work-item does, so that a loop may wait for that: atomic and volatile
 * accesses, those with a memory order, and mbarriers. */
bool exec_table_waits(const struct op *op);
/* Whether an op can order what its work-group does with what others do: fences, accesses with a memory order, unless
 * their scope is the work-group, and mbarriers. */
bool exec_table_orders(const struct op *op);
/* Whether lanes or work-items meet at an op: barriers, shuffles, votes, matrix products and the like. */
bool exec_table_meets(const struct op *op);

#endif
