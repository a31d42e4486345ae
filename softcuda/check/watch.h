/* What watches launches, as the options of the process and the oracle ask: the checker, footprints, and traces of
 * the memory that a launch accesses.  Thread-safe. */
#ifndef CULVERT_SOFTCUDA_CHECK_WATCH_H
#define CULVERT_SOFTCUDA_CHECK_WATCH_H

#include "softcuda/check/trace.h"
#include "softcuda/exec/watch.h"

/* For soft_launch.watch; NULL if nothing watches. trace, which may be NULL, goes into soft_launch.watch_data. */
const struct exec_watch *watch_for(const struct soft_trace *trace);

#endif
