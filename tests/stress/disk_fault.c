/* Preloaded: calls that touch the folder FAULT_DISK_IN fail with the error number
 * FAULT_DISK_ERROR.  FAULT_DISK names the call: open, read, write, rename, unlink, lock,
 * stat, mkdir, or all of them; or access, which asks whether a file may be read or written. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static int chosen(const char *call)
{
	const char *wanted = getenv("FAULT_DISK");
	return wanted && (!strcmp(wanted, call) || !strcmp(wanted, "all"));
}

static int fails_at(const char *call, const char *path)
{
	const char *folder = getenv("FAULT_DISK_IN"), *number = getenv("FAULT_DISK_ERROR");
	if (!chosen(call) || !folder || !number || !path || strncmp(path, folder, strlen(folder)))
		return 0;
	errno = atoi(number);
	return 1;
}

static int fails_on(const char *call, int fd)
{
	char link[64], path[4096];
	if (!chosen(call))
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t size = readlink(link, path, sizeof(path) - 1);
	if (size < 0)
		return 0;
	path[size] = '\0';
	return fails_at(call, path);
}

/* POSIX lets a function's address travel in a void pointer. */
#define NEXT(function) ((__typeof__(&function))(void *)dlsym(RTLD_NEXT, #function))

SHOWN int openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
	va_end(arguments);
	return fails_on("open", folder) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

SHOWN ssize_t pread(int fd, void *data, size_t size, off_t at)
{
	return fails_on("read", fd) ? -1 : NEXT(pread)(fd, data, size, at);
}

SHOWN ssize_t write(int fd, const void *data, size_t size)
{
	return fails_on("write", fd) ? -1 : NEXT(write)(fd, data, size);
}

SHOWN int renameat(int old_folder, const char *old_path, int folder, const char *path)
{
	return fails_on("rename", folder) ? -1
					  : NEXT(renameat)(old_folder, old_path, folder, path);
}

SHOWN int unlinkat(int folder, const char *path, int flags)
{
	return fails_on("unlink", folder) ? -1 : NEXT(unlinkat)(folder, path, flags);
}

SHOWN int fstat(int fd, struct stat *status)
{
	return fails_on("stat", fd) ? -1 : NEXT(fstat)(fd, status);
}

SHOWN int mkdir(const char *path, mode_t mode)
{
	return fails_at("mkdir", path) ? -1 : NEXT(mkdir)(path, mode);
}

SHOWN int access(const char *path, int mode)
{
	const char *wanted = getenv("FAULT_DISK");
	return mode != F_OK && wanted && !strcmp(wanted, "access") && fails_at("access", path) ? -1
											  : NEXT(access)(path, mode);
}

SHOWN int fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	if (command == F_SETLK && fails_on("lock", fd))
		return -1;
	return NEXT(fcntl)(fd, command, argument);
}
