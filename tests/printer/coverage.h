/* Which constructs the rows brought to the printer, beside those that it knows.  Every
 * opcode of LLVM must have been printed or stand among the refused; every intrinsic in the
 * tables of the printer and of the lowering must have been met.
 * Thread-safety: none. */
#ifndef CULVERT_TESTS_PRINTER_COVERAGE_H
#define CULVERT_TESTS_PRINTER_COVERAGE_H

#include "frontend/module.h"

struct coverage;

struct coverage *coverage_make(void);         /* NULL: no memory */
void coverage_destroy(struct coverage *coverage);

/* Before the lowering and before the printer; coverage may be NULL. */
void coverage_note_source(struct coverage *coverage, const struct fe_module *module);
void coverage_note_printed(struct coverage *coverage, const struct fe_module *module);

/* Prints what has no row; how many. */
unsigned coverage_report(const struct coverage *coverage);

#endif
