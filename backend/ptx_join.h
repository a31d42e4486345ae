/* The PTX of several modules as that of one.
 *
 * For what libnvvm writes: it gives what a module keeps for itself plain names, which another may
 * have, too.  Thread-safe: a plain function of its arguments. */
#ifndef CULVERT_BACKEND_PTX_JOIN_H
#define CULVERT_BACKEND_PTX_JOIN_H

#include "base/bytes.h"

#include <stddef.h>

/* Appends the first text (its head is everybody's) and what the others define.  What two define
 * in the same words, as tables of constants, is there once; of other functions and variables of one
 * name the later gets a name of its own.  Out of memory: bytes_failed. */
void be_ptx_join(const struct bytes *texts, size_t count, struct bytes *joined);

#endif
