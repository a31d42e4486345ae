/* The format of a row: u8 kind, u32 size of the path (little-endian), the path; for a file that was read also the
 * hash of its content. */
#include "config.h"

#include "frontend/inputs.h"

#include "base/lock.h"

#include <limits.h>
#include <stdlib.h>
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

/* --- contents that were seen lately ------------------------------------------------------ */

enum { SEEN_SLOTS = 64, SEEN_ALL_B = 8 << 20 };

/* The contents of files that programs have included.  They are checked in each build and are mostly unchanged; to
 * compare the contents takes much less time than to compute their hash. */
static struct {
	struct lock lock;                /* guards the fields below */
	struct {
		struct hash hash;
		struct bytes content;    /* empty: not used */
	} slots[SEEN_SLOTS];             /* index: the first byte of the hash */
	size_t size_B;                   /* size of all contents */
	unsigned oldest;                 /* index of the slot that is emptied next */
} seen = {.lock = LOCK_INIT(LOCK_RANK_CACHE)};

/* Whether content has that hash; false also if the content with that hash is not kept. */
static bool seen_is(const struct hash *hash, const struct bytes *content)
{
	const unsigned slot = hash->bytes[0] % SEEN_SLOTS;
	lock_take(&seen.lock);
	const struct bytes *known = &seen.slots[slot].content;
	const bool same = known->size_B && known->size_B == content->size_B &&
			  hash_equal(&seen.slots[slot].hash, hash) &&
			  !memcmp(known->data, content->data, known->size_B);
	lock_drop(&seen.lock);
	return same;
}

static void slot_empty_locked(unsigned slot)
{
	seen.size_B -= seen.slots[slot].content.size_B;
	bytes_finish(&seen.slots[slot].content);
}

/* Keeps the content, unless it is too large. */
static void seen_enter(const struct hash *hash, struct bytes *content)
{
	const unsigned slot = hash->bytes[0] % SEEN_SLOTS;
	if (content->size_B > SEEN_ALL_B / 4)
		return;
	lock_take(&seen.lock);
	slot_empty_locked(slot);
	while (seen.size_B + content->size_B > SEEN_ALL_B)
		slot_empty_locked(seen.oldest++ % SEEN_SLOTS);
	seen.size_B += content->size_B;
	bytes_move(&seen.slots[slot].content, content);
	seen.slots[slot].hash = *hash;
	lock_drop(&seen.lock);
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool content_is(const char *path, const unsigned char *expected)
{
	struct bytes content = BYTES_INIT;
	struct hash hash;
	bool same = !bytes_read_file(&content, path);
	memcpy(hash.bytes, expected, HASH_B);
	if (same && !seen_is(&hash, &content)) {
		const struct hash now = hash_of(bytes_string(&content), content.size_B);
		same = hash_equal(&now, &hash);
		if (same)
			seen_enter(&hash, &content);
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

/* Whether the row is still true of the file, or of its absence. content: the hash of a file that was read. */
static bool path_holds(unsigned kind, const char *path, const unsigned char *content)
{
	return kind == FE_INPUT_CONTENT ? content_is(path, content) : kind_now(path) == kind;
}

/* The size of the row if it is still true; otherwise, or without memory, 0. */
static size_t row_holds(const unsigned char *row, size_t size_B)
{
	size_t length = 0;
	if (size_B < 5)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		length |= (size_t)row[1 + i] << (8 * i);
	size_t row_B = 5 + length + (row[0] == FE_INPUT_CONTENT ? HASH_B : 0);
	if (length >= PATH_MAX || row_B > size_B)
		return 0;
	/* The path is not on the stack, which may be small in a thread of the application. */
	char *path = strndup((const char *)row + 5, length);
	const bool holds = path && path_holds(row[0], path, row + 5 + length);
	free(path);
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
