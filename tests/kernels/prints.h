/* What a run printed against what a kernel file says; see runner.c for the words.
 * Both return false with a message. */
#ifndef CULVERT_TESTS_KERNELS_PRINTS_H
#define CULVERT_TESTS_KERNELS_PRINTS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* at: TEXT.  taken: grows by what of the output TEXT accounts for. */
bool prints_next(const char *output, const char *at, size_t *taken, char *message, size_t size);

/* at: N TEXT.  buffers: for the expressions in TEXT. */
bool prints_lines(const char *output, const char *at, const struct buffer *buffers, char *message,
		  size_t size);

#endif
