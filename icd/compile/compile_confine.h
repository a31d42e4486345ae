/* Takes rights away from the process culvert-compile that a compiler does not need, so that a source which exploits a
 * bug of a compiler can do little: the process cannot write, create, delete or rename files or change their
 * permissions, create sockets, start programs, or access or signal other processes.  It can still read files, which
 * #include needs.
 *
 * It uses a filter of system calls (seccomp), which needs no privileges and cannot be removed. */
#ifndef CULVERT_ICD_COMPILE_CONFINE_H
#define CULVERT_ICD_COMPILE_CONFINE_H

#include <stdbool.h>

/* Confines the calling thread and the threads that it starts.  writes_files: files can still be written, which
 * CULVERT_DUMP needs.  False if the kernel has no such filters, or a sandbox forbids adding one; then nothing has
 * changed. */
bool ocl_compile_confine(bool writes_files);

#endif
