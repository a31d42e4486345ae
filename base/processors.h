/* The processors: how many this process may use, by which threads and compilers are counted, and of which kind they
 * are.  Thread-safe. */
#ifndef CULVERT_BASE_PROCESSORS_H
#define CULVERT_BASE_PROCESSORS_H

#include "base/bytes.h"

/* Those that the calling thread may run on (sched_setaffinity), but no more than its control group has time for
 * (base/control_group.h).  1 at least. */
unsigned processors_usable(void);

/* Appends bytes that differ between processors for which a compiler may make different machine code: their model, and
 * the extensions of the instruction set that the processor, its hypervisor and the system's kernel let programs use. */
void processors_describe(struct bytes *text);

#endif
