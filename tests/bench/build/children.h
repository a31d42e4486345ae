/* Builds in processes of their own: this program, started anew with --child. */
#ifndef CULVERT_TESTS_BENCH_BUILD_CHILDREN_H
#define CULVERT_TESTS_BENCH_BUILD_CHILDREN_H

#include <stdbool.h>

/* Takes a folder for everything that a platform keeps on disk, for this process and its
 * children; ends the process where there is none.  The second one takes it away. */
void children_begin(void);
void children_end(void);

/* From now on nothing that was kept on disk before is found. */
void children_forget(void);

enum { CHILD_ARGUMENTS = 8 };

/* Runs it with these arguments, NULL-terminated, behind --child: the number that it prints;
 * negative when it failed.  stderr_path: where its stderr goes, or NULL. */
double child_run(const char *const *arguments, const char *stderr_path);

/* Reads lines "... stage: NAME NUMBER us" from a file: calls for each. */
bool child_stages(const char *path, void (*stage)(void *state, const char *name, double us),
		  void *state);
/* A file in the folder. */
const char *children_file(const char *name);

#endif
