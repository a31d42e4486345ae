/* What LLVM's own compiler for the host makes of the items' reference texts: another
 * implementation of the same IR, from which expected results come.
 * Thread-safety: none; one at a time. */
#ifndef CULVERT_TESTS_PRINTER_REFERENCE_H
#define CULVERT_TESTS_PRINTER_REFERENCE_H

#include "tests/printer/rows.h"

/* NULL, with a message printed: the texts are wrong, or LLVM cannot compile for the host. */
struct reference *reference_make(const struct items *items);
void reference_run(struct reference *reference, const struct item *item,
		   const unsigned char *input, unsigned char *output);
void reference_destroy(struct reference *reference);

#endif
