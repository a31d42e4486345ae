/* A growable buffer of bytes.
 *
 * Calling sequence: start from BYTES_INIT (or zeroed memory), append, check bytes_failed() once at the end,
 * bytes_finish().  An append that runs out of memory leaves the content as it was and marks the buffer as failed;
 * later appends do nothing, so that the caller has to check only once.
 * The content is always followed by a NUL, which size_B does not count.
 *
 * Not thread-safe: a buffer has one owner at a time. */
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

/* Allocates room for size_B more bytes, where the size is roughly known; the content stays. */
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
/* As bytes_extend, but the bytes are not initialised: the caller sets all of them. */
void *bytes_extend_unset(struct bytes *bytes, size_t size_B);

/* The content as a string; never NULL: "" while the buffer is empty. */
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
/* A larger file is EFBIG: no source, header or library is that large, and reading it would use up the memory of the
 * application's process. */
#define BYTES_FILE_MAX_B ((size_t)1 << 30)

/* Writes all bytes to the file descriptor fd.  Beyond the process's limit on the size of files (setrlimit(2):
 * RLIMIT_FSIZE) it returns EFBIG and raises no signal.  Returns 0 or errno. */
int bytes_write_all(int fd, const void *data, size_t size_B);

/* Writes the content to a new file at path, through a temporary file in the same directory that is renamed, so that
 * readers see the whole content or the old file.  The file gets the permissions that the process gives new files
 * (umask(2)).  If path names something that is not a regular file (a device, a pipe), that is opened and written to.
 * Returns 0 or errno. */
int bytes_write_file(const void *data, size_t size_B, const char *path);

#ifdef __cplusplus
}
#endif

#endif
