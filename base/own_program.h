/* The program whose guest we are.  Thread-safe. */
#ifndef CULVERT_BASE_OWN_PROGRAM_H
#define CULVERT_BASE_OWN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* The whole path that this process's program was called by, where that leads to its file, else
 * the file's own.  The two differ where the first is a link: the Python of a virtual environment
 * is one, and the environment's packages lie beside the link.  In a set-uid program the file's,
 * for the other is its caller's word.  False where nobody knows. */
bool own_program(char path[PATH_MAX]);

/* The file itself, also where there is no /proc to ask: then the name that it was executed by.  False where
 * nobody knows, as in a set-uid program without /proc. */
bool own_program_file(char path[PATH_MAX]);

#endif
