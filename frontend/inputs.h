/* What a compile read besides its job: the files that it read, by their content, and the names that it found
 * or did not find while it looked for them. If all of that is unchanged, the same job gives the same object.
 *
 * A struct fe_inputs has one owner at a time; fe_inputs_current is thread-safe. */
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
	struct bytes rows;       /* empty: the compile read no file */
	bool changing;           /* it also read the time, so that no two compiles are equal */
};

#define FE_INPUTS_INIT {BYTES_INIT, false}

void fe_inputs_finish(struct fe_inputs *inputs);

enum fe_input_kind {
	FE_INPUT_ABSENT,         /* no such name */
	FE_INPUT_FOLDER,
	FE_INPUT_FILE,           /* the file is there; its content was not read */
	FE_INPUT_CONTENT
};

/* content: for FE_INPUT_CONTENT, else NULL. A relative path is relative to the folder that the process is in,
 * at the compile and when it is compared. */
void fe_inputs_add(struct fe_inputs *inputs, enum fe_input_kind kind, const char *path,
		   const struct hash *content);

/* Whether every row still holds. rows are those of an fe_inputs and may come from a file; data that is no
 * list of rows does not hold. */
bool fe_inputs_current(const void *rows, size_t size_B);

#ifdef __cplusplus
}
#endif

#endif
