/* What a process of Culvert's own does before anything else: a compiler, which the application's process starts
 * (base/spawn.h) and whose signals, limits and files it inherits. */
#ifndef CULVERT_BASE_OWN_PROCESS_H
#define CULVERT_BASE_OWN_PROCESS_H

/* Sets all signals to their defaults and blocks none; sets the limit on memory (base/memory_limit.h); has no core files
 * written into the application's folder; and has the system end this process before the application if memory runs
 * out.  For the main thread, before others are started. */
void own_process_arrange(void);

#endif
