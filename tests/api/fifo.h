/* What softcuda takes for a semaphore of another API: a FIFO without a name, open for both
 * directions, the caller's to close; -1: there is none. */
#ifndef CULVERT_TESTS_API_FIFO_H
#define CULVERT_TESTS_API_FIFO_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int fifo_open(void)
{
	char folder[] = "/tmp/culvert-fifo-XXXXXX", path[64];
	int fd = -1;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/fifo", folder);
	if (!mkfifo(path, 0600))
		fd = open(path, O_RDWR | O_CLOEXEC);
	unlink(path);
	rmdir(folder);
	return fd;
}

#endif
