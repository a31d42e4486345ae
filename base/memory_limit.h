/* The memory of the machine, and the limit on the memory of a compiler process: a source can make compilers use any
 * amount of it.
 *
 * It limits the private writable memory of the process, that is, its heap and variables.  Stacks, which are reserved
 * as a whole and hardly used, are added to the limit.
 * Thread-safe. */
#ifndef CULVERT_BASE_MEMORY_LIMIT_H
#define CULVERT_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* The limit in bytes that CULVERT_COMPILER_MEMORY sets; by default half of the memory of the machine or of the
 * process's control group, and at least 1 GiB.  0: there is no limit. */
uint64_t memory_limit_B(void);

/* The memory in bytes of the machine or, if that is less, the limit of the process's control group; UINT64_MAX: not
 * known. */
uint64_t memory_machine_B(void);
/* The same, or what this process may still map by its limits (getrlimit(2): RLIMIT_AS, which `ulimit -v` sets, and
 * RLIMIT_DATA), if that is less. */
uint64_t memory_process_B(void);
/* How many bytes of the machine's memory programs can still use (proc(5): MemAvailable); 0: not known. */
uint64_t memory_available_B(void);

/* Sets the limit for this process, for the rest of its life. */
void memory_limit_set(void);

/* How many bytes this process uses now, counted as the limit counts; 0 where that cannot be found out.
 * Async-signal-safe. */
uint64_t memory_used_B(void);

#endif
