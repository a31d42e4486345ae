/* What a job's entry in the cache holds where its source asked for files: lists of what was asked,
 * one behind the other, each a u32 size (little-endian) and the rows of an fe_inputs.
 * Thread-safe. */
#ifndef CULVERT_ICD_CHOICES_H
#define CULVERT_ICD_CHOICES_H

#include "base/bytes.h"

/* One of them, and where the next one begins. */
struct ocl_choice {
	const char *asked;
	size_t asked_B;
	const char *next;
};

/* Trusts nothing: false at the end, and where from at to end there is none. */
bool ocl_choice_read(const char *at, const char *end, struct ocl_choice *choice_out);

void ocl_choice_append(struct bytes *list, const void *asked, size_t asked_B);

#endif
