/* A format of the cache: the list of what the compiler asked of the machine in earlier runs of a job, such as included
 * files.  Each entry is a size (32 bits, little-endian) and the rows of an fe_inputs.
 *
 * Thread-safe. */
#ifndef CULVERT_ICD_ASKED_H
#define CULVERT_ICD_ASKED_H

#include "base/bytes.h"

/* One entry; next points to the following one. */
struct ocl_asked {
	const char *rows;
	size_t rows_B;
	const char *next;
};

/* Reads the entry at at.  The bytes may be damaged or hostile: false at the end, and if there is no whole entry. */
bool ocl_asked_read(const char *at, const char *end, struct ocl_asked *asked_out);

/* Appends an entry. */
void ocl_asked_append(struct bytes *list, const void *rows, size_t rows_B);

#endif
