/* Preloaded, makes one call of the C library to the system fail that libculvert.so makes: files, folders,
 * sockets, mappings, threads, limits.
 *
 *	FAULT_CALL=N                 the N-th of these calls fails
 *	FAULT_CALL_ERROR=NUMBER      with this error; 0: in part, where it reads or writes
 *	FAULT_CALL_COUNT=FILE        at exit: how many calls there were, and how many files are open
 *	FAULT_CALL_NAME=FILE         gets the name of the call that failed
 *
 * Calls of the C library itself, of the software driver and of compilers do not count. */
#include "config.h"

#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static _Atomic uintptr_t range_start, range_end;
static atomic_ulong count;
static unsigned long wanted;
static int error_number;

static int note_range(struct dl_phdr_info *info, size_t size_B, void *data)
{
	static const char name[] = "/libculvert.so";
	const size_t length = strlen(info->dlpi_name);
	(void)size_B;
	(void)data;
	if (length < sizeof(name) ||
	    strcmp(info->dlpi_name + length - (sizeof(name) - 1), name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		range_end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
		range_start = info->dlpi_addr + part->p_vaddr;
	}
	return 1;
}

/* POSIX lets a function's address travel in a void pointer. */
#define NEXT(function) ((__typeof__(&function))(void *)dlsym(RTLD_NEXT, #function))

/* Whoever loads the library does it through here. */
void *dlopen(const char *path, int flags)
{
	void *handle = NEXT(dlopen)(path, flags);
	if (handle && !range_start) {
		const char *number = getenv("FAULT_CALL"), *error = getenv("FAULT_CALL_ERROR");
		wanted = number ? strtoul(number, NULL, 10) : 0;
		error_number = error ? atoi(error) : EIO;
		dl_iterate_phdr(note_range, NULL);
	}
	return handle;
}

static void text_write(const char *variable, const char *text)
{
	const char *path = getenv(variable);
	const int fd = path ? NEXT(open)(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return;
	(void)!NEXT(write)(fd, text, strlen(text));
	(void)NEXT(close)(fd);
}

static bool fails_at(const char *call, const void *caller)
{
	const uintptr_t address = (uintptr_t)caller;
	if (address < range_start || address >= range_end ||
	    atomic_fetch_add(&count, 1) + 1 != wanted)
		return false;
	text_write("FAULT_CALL_NAME", call);
	if (error_number)
		errno = error_number;
	return true;
}

#define FAILS(call) fails_at(call, __builtin_return_address(0))
/* The call, or -1 in its place; what fails in part only does not fail. */
#define TRY(call, arguments) (FAILS(#call) && error_number ? -1 : NEXT(call) arguments)

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return TRY(open, (path, flags, mode));
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return TRY(openat, (folder, path, flags, mode));
}

static size_t part_of(size_t size_B)
{
	return size_B > 1 ? size_B / 2 : size_B;
}

/* Of what was to be transferred, half. */
#define TRANSFER(call, size_B, full, half)                                                        \
	do {                                                                                      \
		if (!FAILS(#call))                                                                \
			return NEXT(call) full;                                                   \
		return error_number ? -1 : NEXT(call) half;                                       \
	} while (0)

ssize_t read(int fd, void *data, size_t size_B)
{
	TRANSFER(read, size_B, (fd, data, size_B), (fd, data, part_of(size_B)));
}

ssize_t pread(int fd, void *data, size_t size_B, off_t at_B)
{
	TRANSFER(pread, size_B, (fd, data, size_B, at_B), (fd, data, part_of(size_B), at_B));
}

ssize_t write(int fd, const void *data, size_t size_B)
{
	TRANSFER(write, size_B, (fd, data, size_B), (fd, data, part_of(size_B)));
}

ssize_t pwrite(int fd, const void *data, size_t size_B, off_t at_B)
{
	TRANSFER(pwrite, size_B, (fd, data, size_B, at_B), (fd, data, part_of(size_B), at_B));
}

ssize_t send(int fd, const void *data, size_t size_B, int flags)
{
	TRANSFER(send, size_B, (fd, data, size_B, flags), (fd, data, part_of(size_B), flags));
}

ssize_t recv(int fd, void *data, size_t size_B, int flags)
{
	TRANSFER(recv, size_B, (fd, data, size_B, flags), (fd, data, part_of(size_B), flags));
}

/* close(2): the descriptor is gone whatever it says. */
int close(int fd)
{
	const bool fails = FAILS("close");
	const int result = NEXT(close)(fd);
	if (fails && error_number)
		errno = error_number;
	return fails && error_number ? -1 : result;
}

int fclose(FILE *file)
{
	const bool fails = FAILS("fclose");
	const int result = NEXT(fclose)(file);
	return fails ? EOF : result;
}

FILE *fopen(const char *path, const char *mode)
{
	return FAILS("fopen") ? NULL : NEXT(fopen)(path, mode);
}

char *fgets(char *line, int size, FILE *file)
{
	return FAILS("fgets") ? NULL : NEXT(fgets)(line, size, file);
}

int fstat(int fd, struct stat *status)
{
	return TRY(fstat, (fd, status));
}

int stat(const char *path, struct stat *status)
{
	return TRY(stat, (path, status));
}

int fstatat(int folder, const char *path, struct stat *status, int flags)
{
	return TRY(fstatat, (folder, path, status, flags));
}

int access(const char *path, int mode)
{
	return TRY(access, (path, mode));
}

int faccessat(int folder, const char *path, int mode, int flags)
{
	return TRY(faccessat, (folder, path, mode, flags));
}

ssize_t readlink(const char *path, char *target, size_t size_B)
{
	return TRY(readlink, (path, target, size_B));
}

char *realpath(const char *path, char *whole)
{
	return FAILS("realpath") ? NULL : NEXT(realpath)(path, whole);
}

char *__realpath_chk(const char *path, char *whole, size_t size_B);
char *__realpath_chk(const char *path, char *whole, size_t size_B)
{
	return FAILS("realpath") ? NULL : NEXT(__realpath_chk)(path, whole, size_B);
}

char *getcwd(char *path, size_t size_B)
{
	return FAILS("getcwd") ? NULL : NEXT(getcwd)(path, size_B);
}

int rename(const char *from, const char *to)
{
	return TRY(rename, (from, to));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	return TRY(renameat, (from_folder, from, to_folder, to));
}

int unlink(const char *path)
{
	return TRY(unlink, (path));
}

int unlinkat(int folder, const char *path, int flags)
{
	return TRY(unlinkat, (folder, path, flags));
}

int mkdir(const char *path, mode_t mode)
{
	return TRY(mkdir, (path, mode));
}

int ftruncate(int fd, off_t size_B)
{
	return TRY(ftruncate, (fd, size_B));
}

int futimens(int fd, const struct timespec times[2])
{
	return TRY(futimens, (fd, times));
}

int fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	return TRY(fcntl, (fd, command, argument));
}

DIR *fdopendir(int fd)
{
	return FAILS("fdopendir") ? NULL : NEXT(fdopendir)(fd);
}

struct dirent *readdir(DIR *folder)
{
	return FAILS("readdir") ? NULL : NEXT(readdir)(folder);
}

int poll(struct pollfd *files, nfds_t files_count, int timeout_ms)
{
	return TRY(poll, (files, files_count, timeout_ms));
}

int __poll_chk(struct pollfd *files, nfds_t files_count, int timeout_ms, size_t size_B);
int __poll_chk(struct pollfd *files, nfds_t files_count, int timeout_ms, size_t size_B)
{
	return TRY(__poll_chk, (files, files_count, timeout_ms, size_B));
}

int socketpair(int domain, int type, int protocol, int pair[2])
{
	return TRY(socketpair, (domain, type, protocol, pair));
}

int eventfd(unsigned start, int flags)
{
	return TRY(eventfd, (start, flags));
}

int shutdown(int fd, int how)
{
	return TRY(shutdown, (fd, how));
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return TRY(waitpid, (pid, status, options));
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
	return TRY(getrlimit, (which, limit));
}

void *mmap(void *at, size_t size_B, int protection, int flags, int fd, off_t offset_B)
{
	return FAILS("mmap") ? MAP_FAILED : NEXT(mmap)(at, size_B, protection, flags, fd, offset_B);
}

/* Error numbers of threads are returned. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
		   void *argument)
{
	return FAILS("pthread_create") ? EAGAIN
				       : NEXT(pthread_create)(thread, attributes, start, argument);
}

static unsigned files_open(void)
{
	unsigned open_count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (folder && NEXT(readdir)(folder))
		open_count++;
	if (folder)
		closedir(folder);
	return open_count;
}

__attribute__((destructor)) static void write_count(void)
{
	char text[64];
	snprintf(text, sizeof(text), "%lu %u\n", count, files_open());
	text_write("FAULT_CALL_COUNT", text);
}
