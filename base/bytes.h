/* A growable run of bytes: the only goods carried between rooms.
 *
 * Calling sequence: start from BYTES_INIT (or zeroed memory), append, check
 * bytes_failed() once at the end, bytes_finish().  An append that runs out of
 * memory leaves the content as it was and marks the buffer; later appends do
 * nothing, so that a writer checks once and not at every step.
 * The content is always followed by a NUL that size does not count.
 *
 * Thread-safety: none; one owner at a time. */
#ifndef CULVERT_BASE_BYTES_H
#define CULVERT_BASE_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bytes {
	char *data;       /* owned; NULL while empty */
	size_t size_B;
	size_t capacity_B;
	bool failed;      /* an append ran out of memory */
};

#define BYTES_INIT {0}

/* Room for size_B more, where the size is roughly known; nothing else changes. */
void bytes_reserve(struct bytes *bytes, size_t size_B);
void bytes_append(struct bytes *bytes, const void *data, size_t size_B);
void bytes_append_string(struct bytes *bytes, const char *string);
void bytes_append_char(struct bytes *bytes, char c);
/* Two digits for each byte, in lower case. */
void bytes_append_hex(struct bytes *bytes, const void *data, size_t size_B);
void bytes_printf(struct bytes *bytes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bytes_vprintf(struct bytes *bytes, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* Appends size_B zero bytes and returns where they start; NULL when out of
 * memory.  The pointer is valid until the next append. */
void *bytes_extend(struct bytes *bytes, size_t size_B);
/* The same, not set to anything: for who fills them all. */
void *bytes_extend_unset(struct bytes *bytes, size_t size_B);

/* Never NULL: "" while empty. */
const char *bytes_string(const struct bytes *bytes);

static inline bool bytes_failed(const struct bytes *bytes)
{
	return bytes->failed;
}

/* Moves the content from one buffer to another; to must be empty. */
void bytes_move(struct bytes *to, struct bytes *from);

/* Empties the buffer and gives its memory back; the buffer is usable again. */
void bytes_finish(struct bytes *bytes);

/* Reads a whole regular file.  Returns 0 or an errno value (ENOMEM, ENOENT,
 * EISDIR ...); on failure the buffer is as before. */
int bytes_read_file(struct bytes *bytes, const char *path);
/* What is larger is EFBIG: no source, header or library is, and it would fill the memory of our host. */
#define BYTES_FILE_MAX_B ((size_t)1 << 30)

/* Writes all to what is open as fd.  Beyond the process's limit on the size of files (setrlimit(2):
 * RLIMIT_FSIZE) that is EFBIG, and no signal.  Returns 0 or errno. */
int bytes_write_all(int fd, const void *data, size_t size_B);

/* Writes the content to a new file at path by way of a temporary name in the
 * same directory, so that readers see all or nothing.  Its rights are those that the
 * process gives new files (umask(2)).  What stands there and is no plain file (a device,
 * a pipe) is written to as it is.  Returns 0 or errno. */
int bytes_write_file(const void *data, size_t size_B, const char *path);

#ifdef __cplusplus
}
#endif

#endif
