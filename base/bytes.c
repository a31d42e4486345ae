#include "config.h"

#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_TRIES = 8 };

/* Makes room for extra_B more bytes and the closing NUL. */
static bool reserve(struct bytes *bytes, size_t extra_B)
{
	if (bytes->failed)
		return false;
	if (extra_B > SIZE_MAX / 2 - bytes->size_B - 1) {
		bytes->failed = true;
		return false;
	}
	size_t need_B = bytes->size_B + extra_B + 1;
	if (need_B <= bytes->capacity_B)
		return true;
	size_t capacity_B = bytes->capacity_B ? bytes->capacity_B : 64;
	while (capacity_B < need_B)
		capacity_B *= 2;
	char *data = realloc(bytes->data, capacity_B);
	if (!data) {
		bytes->failed = true;
		return false;
	}
	bytes->data = data;
	bytes->capacity_B = capacity_B;
	return true;
}

void bytes_reserve(struct bytes *bytes, size_t size_B)
{
	(void)reserve(bytes, size_B);
}

void *bytes_extend(struct bytes *bytes, size_t size_B)
{
	void *start = bytes_extend_unset(bytes, size_B);
	if (start)
		memset(start, 0, size_B);
	return start;
}

void *bytes_extend_unset(struct bytes *bytes, size_t size_B)
{
	if (!reserve(bytes, size_B))
		return NULL;
	char *start = bytes->data + bytes->size_B;
	start[size_B] = '\0';
	bytes->size_B += size_B;
	return start;
}

void bytes_append(struct bytes *bytes, const void *data, size_t size_B)
{
	if (!size_B || !reserve(bytes, size_B))
		return;
	memcpy(bytes->data + bytes->size_B, data, size_B);
	bytes->size_B += size_B;
	bytes->data[bytes->size_B] = '\0';
}

void bytes_append_string(struct bytes *bytes, const char *string)
{
	bytes_append(bytes, string, strlen(string));
}

void bytes_append_char(struct bytes *bytes, char c)
{
	bytes_append(bytes, &c, 1);
}

void bytes_append_hex(struct bytes *bytes, const void *data, size_t size_B)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = data;
	char *to = size_B > SIZE_MAX / 2 ? NULL : bytes_extend_unset(bytes, 2 * size_B);
	for (size_t i = 0; to && i < size_B; i++) {
		to[2 * i] = digits[from[i] >> 4];
		to[2 * i + 1] = digits[from[i] & 15];
	}
}

void bytes_vprintf(struct bytes *bytes, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	char small[256];
	int length = vsnprintf(small, sizeof(small), format, arguments);
	if (length < 0) {
		bytes->failed = true;
	} else if ((size_t)length < sizeof(small)) {
		bytes_append(bytes, small, (size_t)length);
	} else if (reserve(bytes, (size_t)length)) {
		vsnprintf(bytes->data + bytes->size_B, (size_t)length + 1, format, again);
		bytes->size_B += (size_t)length;
	}
	va_end(again);
}

void bytes_printf(struct bytes *bytes, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(bytes, format, arguments);
	va_end(arguments);
}

const char *bytes_string(const struct bytes *bytes)
{
	return bytes->data ? bytes->data : "";
}

void bytes_move(struct bytes *to, struct bytes *from)
{
	*to = *from;
	*from = (struct bytes)BYTES_INIT;
}

void bytes_finish(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes)BYTES_INIT;
}

static void bytes_cut(struct bytes *bytes, size_t size_B)
{
	bytes->size_B = size_B;
	if (bytes->data)
		bytes->data[size_B] = '\0';
}

static int read_descriptor(struct bytes *bytes, int fd)
{
	struct stat status;
	if (fstat(fd, &status))
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	size_t start_B = bytes->size_B;
	for (;;) {
		/* Larger files are not read; a file may also grow while it is read. */
		if ((uint64_t)status.st_size > BYTES_FILE_MAX_B ||
		    bytes->size_B - start_B > BYTES_FILE_MAX_B) {
			bytes_cut(bytes, start_B);
			return EFBIG;
		}
		if (!reserve(bytes, 65536))
			return ENOMEM;
		ssize_t got = read(fd, bytes->data + bytes->size_B, 65536);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int error = errno;
			bytes_cut(bytes, start_B);
			return error;
		}
		bytes->size_B += (size_t)got;
		bytes->data[bytes->size_B] = '\0';
		if (!got)
			return 0;
	}
}

int bytes_read_file(struct bytes *bytes, const char *path)
{
	/* O_NONBLOCK: the open of a FIFO must not block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	int error = read_descriptor(bytes, fd);
	close(fd);
	return error;
}

static int write_pieces(int fd, const char *data, size_t size_B)
{
	while (size_B) {
		ssize_t put = write(fd, data, size_B);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno;
		data += put;
		size_B -= (size_t)put;
	}
	return 0;
}

/* At the limit of file sizes the kernel raises SIGXFSZ in the thread that writes, which would end the application.
 * It is blocked, and removed here if it is pending. */
int bytes_write_all(int fd, const void *data, size_t size_B)
{
	static const struct timespec no_wait = {0, 0};
	sigset_t limit, before, pending;
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	if (sigpending(&pending) || pthread_sigmask(SIG_BLOCK, &limit, &before))
		return write_pieces(fd, data, size_B);
	int error = write_pieces(fd, data, size_B);
	/* A signal that was pending before belongs to the application. */
	if (error == EFBIG && !sigismember(&pending, SIGXFSZ))
		while (sigtimedwait(&limit, NULL, &no_wait) < 0 && errno == EINTR)
			continue;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Devices and pipes are written to and not replaced: otherwise /dev/null would become a file. */
static bool is_special(const char *path)
{
	struct stat status;
	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int write_special(const void *data, size_t size_B, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int error = bytes_write_all(fd, data, size_B);
	if (close(fd) && !error)
		error = errno;
	return error;
}

/* Creates a file with a unique name and the permissions of umask(2); mkstemp() would allow access only to the owner.
 * Returns a file descriptor, or -1 with errno. */
static int open_temporary(const char *path, struct bytes *name)
{
	static atomic_uint serial;
	for (unsigned i = 0; i < NAME_TRIES; i++) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		name->size_B = 0;
		bytes_printf(name, "%s.new-%lx-%x-%lx", path, (long)getpid(),
			     atomic_fetch_add(&serial, 1), now.tv_nsec);
		if (bytes_failed(name)) {
			errno = ENOMEM;
			return -1;
		}
		int fd = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

int bytes_write_file(const void *data, size_t size_B, const char *path)
{
	if (is_special(path))
		return write_special(data, size_B, path);
	struct bytes temporary = BYTES_INIT;
	int fd = open_temporary(path, &temporary);
	int error = fd < 0 ? errno : 0;
	if (!error) {
		error = bytes_write_all(fd, data, size_B);
		if (close(fd) && !error)
			error = errno;
		if (!error && rename(temporary.data, path))
			error = errno;
		if (error)
			unlink(temporary.data);
	}
	bytes_finish(&temporary);
	return error;
}
