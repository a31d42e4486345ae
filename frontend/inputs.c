/* A row: u8 kind, u32 size of the path (little-endian), the path; of a content its
 * hash. */
#include "config.h"

#include "frontend/inputs.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

void fe_inputs_finish(struct fe_inputs *inputs)
{
	bytes_finish(&inputs->rows);
	inputs->changing = false;
}

void fe_inputs_add(struct fe_inputs *inputs, enum fe_input_kind kind, const char *path,
		   const struct hash *content)
{
	size_t length = strlen(path);
	bytes_append_char(&inputs->rows, (char)kind);
	for (unsigned i = 0; i < 4; i++)
		bytes_append_char(&inputs->rows, (char)(length >> (8 * i)));
	bytes_append(&inputs->rows, path, length);
	if (content)
		bytes_append(&inputs->rows, content->bytes, HASH_B);
}

static bool content_is(const char *path, const unsigned char *expected)
{
	struct bytes content = BYTES_INIT;
	bool same = !bytes_read_file(&content, path);
	if (same) {
		struct hash hash = hash_of(bytes_string(&content), content.size_B);
		same = !memcmp(hash.bytes, expected, HASH_B);
	}
	bytes_finish(&content);
	return same;
}

static enum fe_input_kind kind_now(const char *path)
{
	struct stat status;
	if (stat(path, &status))
		return FE_INPUT_ABSENT;
	return S_ISDIR(status.st_mode) ? FE_INPUT_FOLDER : FE_INPUT_FILE;
}

/* The size of the row when it holds, else 0. */
static size_t row_holds(const unsigned char *row, size_t size_B)
{
	char path[PATH_MAX];
	size_t length = 0;
	if (size_B < 5)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		length |= (size_t)row[1 + i] << (8 * i);
	size_t row_B = 5 + length + (row[0] == FE_INPUT_CONTENT ? HASH_B : 0);
	if (length >= sizeof(path) || row_B > size_B)
		return 0;
	memcpy(path, row + 5, length);
	path[length] = '\0';
	bool holds = row[0] == FE_INPUT_CONTENT ? content_is(path, row + 5 + length)
						: kind_now(path) == row[0];
	return holds ? row_B : 0;
}

bool fe_inputs_current(const void *rows, size_t size_B)
{
	const unsigned char *row = rows;
	while (size_B) {
		size_t row_B = row_holds(row, size_B);
		if (!row_B)
			return false;
		row += row_B;
		size_B -= row_B;
	}
	return true;
}
