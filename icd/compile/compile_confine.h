/* What a compiler has no need of is taken from its process (culvert-compile), so that a source which
 * takes a compiler over can do little with it: no file is opened for writing, made, removed, renamed or
 * given other rights, no socket is made, no program is started, no other process is looked into or
 * sent a signal.  Files can still be read: #include needs that.
 *
 * By a filter of system calls (seccomp), which any user may have, and a process cannot take off again. */
#ifndef CULVERT_ICD_COMPILE_CONFINE_H
#define CULVERT_ICD_COMPILE_CONFINE_H

#include <stdbool.h>

/* For the calling thread and those that it starts; once.  writes_files: files stay writable, as
 * CULVERT_DUMP needs them.  false: the kernel has no filters, or a sandbox around us forbids more of
 * them; nothing has changed. */
bool ocl_compile_confine(bool writes_files);

#endif
