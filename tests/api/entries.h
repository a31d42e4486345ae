/* Counts what a folder of /proc lists: a process' open files, or its threads. */
#ifndef CULVERT_TESTS_ENTRIES_H
#define CULVERT_TESTS_ENTRIES_H

#include <dirent.h>
#include <stddef.h>

/* The number of entries of the folder, with "." and ".."; 0 if it cannot be read. */
static inline unsigned entries_of(const char *path)
{
	unsigned count = 0;
	DIR *folder = opendir(path);
	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

#endif
