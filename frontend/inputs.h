/* What a compile asked of the machine besides what its job holds: the files that it
 * read, by content, and the names that it found or did not find on the way to them.
 * Where all of that is as it was, the same job gives the same object.
 *
 * One owner at a time; fe_inputs_current is thread-safe. */
#ifndef CULVERT_FRONTEND_INPUTS_H
#define CULVERT_FRONTEND_INPUTS_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct fe_inputs {
	struct bytes rows;       /* empty: nothing was asked */
	bool changing;           /* it also asked for the time, so no two compiles are the same */
};

#define FE_INPUTS_INIT {BYTES_INIT, false}

void fe_inputs_finish(struct fe_inputs *inputs);

enum fe_input_kind {
	FE_INPUT_ABSENT,         /* no such name */
	FE_INPUT_FOLDER,
	FE_INPUT_FILE,           /* it is there; what is in it was not looked at */
	FE_INPUT_CONTENT
};

/* content: of FE_INPUT_CONTENT, else NULL.  Relative paths are relative to the folder
 * that the process is in, then as now. */
void fe_inputs_add(struct fe_inputs *inputs, enum fe_input_kind kind, const char *path,
		   const struct hash *content);

/* Whether every row of rows, as they were taken from an fe_inputs, still holds.  rows may
 * come from a file: what is no list of rows does not hold. */
bool fe_inputs_current(const void *rows, size_t size_B);

#ifdef __cplusplus
}
#endif

#endif
