/* The machine code of kernels in the cache of built programs (cache/cache.h), where the next process finds it.
 *
 * An entry's key is the hash of everything on which the code depends: which compiler and which LLVM it is, the
 * processor (processors_describe), and the order (exec/compile_wire.h), which has the build of softcuda, the decoded
 * kernel and the shape of its blocks.  The value is the compiler's answer, from which no code is executed unless the
 * checksum of all of it is right.
 *
 * If several processes compile one kernel at a time, none of them waits for another; each stores its answer.  An error
 * of the disk is a miss.
 *
 * Thread-safe.  No lock may be held. */
#ifndef CULVERT_SOFTCUDA_EXEC_CODE_CACHE_H
#define CULVERT_SOFTCUDA_EXEC_CODE_CACHE_H

#include "base/bytes.h"

#include <stdbool.h>

/* The compiler's file. */
#define CODE_CACHE_COMPILER "culvert-softcuda-compile"

/* Whether there is a cache (CULVERT_CACHE). */
bool code_cache_is_on(void);

/* Makes builders, which is empty before, the build ids of the files of the compiler and of LLVM as they are now.  It
 * stays empty if they cannot be read: then nothing is found and nothing is stored. */
void code_cache_builders(struct bytes *builders);

/* Whether there is an answer for this order by these builders; answer_out, which is empty before, gets it. */
bool code_cache_get(const struct bytes *builders, const struct bytes *order, struct bytes *answer_out);
/* Stores an answer.  name: the kernel's, for people who look at the cache. */
void code_cache_put(const struct bytes *builders, const struct bytes *order, const char *name,
		    const struct bytes *answer);
/* Removes an answer that cannot be used. */
void code_cache_drop(const struct bytes *builders, const struct bytes *order);

#endif
