/* How much memory a process that compiles may have: a source can make compilers want any amount of it.
 *
 * What counts is what a process can write to and has not from a file: its heap and variables.  For stacks,
 * which are reserved as a whole and hardly used, it gets room besides.
 * Thread-safe. */
#ifndef CULVERT_BASE_MEMORY_LIMIT_H
#define CULVERT_BASE_MEMORY_LIMIT_H

#include <stdint.h>

/* By CULVERT_COMPILER_MEMORY; of itself half of what the machine has, or the control group that we are in,
 * and 1 GiB at least.  0: as much as there is. */
uint64_t memory_limit_B(void);

/* Makes it this process' limit, for good. */
void memory_limit_set(void);

/* What this process has of it now; 0 where nobody knows.  Async-signal-safe. */
uint64_t memory_used_B(void);

#endif
