/* One way through lowering, printer and libnvvm: an architecture, with the optimiser or
 * without.  Thread-safety: none. */
#ifndef CULVERT_TESTS_PRINTER_TARGET_H
#define CULVERT_TESTS_PRINTER_TARGET_H

#include "tests/printer/coverage.h"
#include "tests/printer/rows.h"

struct target {
	unsigned sm, optimization;
	bool runs;              /* on the software device, too */
	unsigned lacks;         /* NVVM IR for a libnvvm that lacks this: NVVM_LACKS_... */
};

/* NVVM IR of one module with all the items, and its PTX.  coverage: gets what was seen; may be NULL.  False
 * with why in log. */
bool target_print(const struct target *target, const struct item *items, size_t count,
		  struct coverage *coverage, struct bytes *text_out, struct bytes *log);
bool target_translate(const struct target *target, const struct bytes *text, struct bytes *ptx_out,
		      struct bytes *log);

/* Whether there is an assembler, and whether it takes the PTX. */
bool target_can_assemble(void);
bool target_assemble(const struct target *target, const struct bytes *ptx, struct bytes *log);

/* coverage: may be NULL. */
bool target_refuses(const struct target *target, const struct refused_row *row,
		    struct coverage *coverage);

#endif
