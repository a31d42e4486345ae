/* What the cache keeps of a job whose source asked for files: lists of what was asked, one behind the
 * other, each a u32 size (little-endian) and the rows of an fe_inputs.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_ASKED_H
#define CULVERT_ICD_ASKED_H

#include "base/bytes.h"

/* One of them, and where the next one begins. */
struct ocl_asked {
	const char *rows;
	size_t rows_B;
	const char *next;
};

/* Trusts nothing: false at the end, and where from at to end there is none. */
bool ocl_asked_read(const char *at, const char *end, struct ocl_asked *asked_out);

void ocl_asked_append(struct bytes *list, const void *rows, size_t rows_B);

#endif
