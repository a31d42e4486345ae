/* Joins the PTX of several modules to that of one.
 *
 * libnvvm gives the internal functions and variables of a module names that another module may have, too.  Thread-safe:
 * a pure function. */
#ifndef CULVERT_BACKEND_PTX_JOIN_H
#define CULVERT_BACKEND_PTX_JOIN_H

#include "base/bytes.h"

#include <stddef.h>

/* Appends the first text, whose head is that of all, and what the others define.  A definition that two texts have in
 * the same words, such as a table of constants, is written once; if other functions or variables have the same name,
 * the later one is renamed.  Out of memory: bytes_failed. */
void be_ptx_join(const struct bytes *texts, size_t count, struct bytes *joined);

#endif
