/* The program that this code runs in.
 *
 * Both functions return a path that the caller frees, or NULL if it is not known or there is no memory.
 * Thread-safe. */
#ifndef CULVERT_BASE_OWN_PROGRAM_H
#define CULVERT_BASE_OWN_PROGRAM_H

/* The whole path that the program was called by if it leads to the program's file, else the path of the file itself.
 * They differ if the first is a link: the Python of a virtual environment is one, and the environment's packages are
 * beside the link.  In a set-uid program it is always the file's, since the other is chosen by the caller. */
char *own_program(void);

/* The path of the file.  Without /proc, the name by which it was executed; NULL in a set-uid program without /proc. */
char *own_program_file(void);

#endif
