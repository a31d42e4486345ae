/* For tests that make a folder, such as one for a cache of their own. */
#ifndef CULVERT_TESTS_API_REMOVE_FOLDER_H
#define CULVERT_TESTS_API_REMOVE_FOLDER_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_folder_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

/* With all that is in it. */
static inline void remove_folder(const char *path)
{
	(void)nftw(path, remove_folder_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
