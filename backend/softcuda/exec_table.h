/* The handlers' tables: one per file of handlers, found by name through
 * exec_table_find (ptx_decode.h).  Immutable. */
#ifndef CULVERT_BACKEND_SOFTCUDA_EXEC_TABLE_H
#define CULVERT_BACKEND_SOFTCUDA_EXEC_TABLE_H

#include "backend/softcuda/exec_op.h"

#include <stddef.h>

struct op_rows {
	const struct op_row *rows;
	size_t count;
};

/* At the end of a file that has an array named rows. */
#define EXEC_TABLE(name) const struct op_rows name = {rows, sizeof(rows) / sizeof(rows[0])};

extern const struct op_rows exec_rows_control;
extern const struct op_rows exec_rows_integer;
extern const struct op_rows exec_rows_wide;
extern const struct op_rows exec_rows_move;
extern const struct op_rows exec_rows_float;
extern const struct op_rows exec_rows_rounded;
extern const struct op_rows exec_rows_half;
extern const struct op_rows exec_rows_approx;
extern const struct op_rows exec_rows_compare;
extern const struct op_rows exec_rows_convert;
extern const struct op_rows exec_rows_copy;
extern const struct op_rows exec_rows_mbarrier;
extern const struct op_rows exec_rows_narrow;
extern const struct op_rows exec_rows_video;
extern const struct op_rows exec_rows_memory;
extern const struct op_rows exec_rows_note;
extern const struct op_rows exec_rows_object;
extern const struct op_rows exec_rows_texture;
extern const struct op_rows exec_rows_surface;
extern const struct op_rows exec_rows_quad;
extern const struct op_rows exec_rows_stack;
extern const struct op_rows exec_rows_atomic;
extern const struct op_rows exec_rows_special;
extern const struct op_rows exec_rows_together;

#endif
