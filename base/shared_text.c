#include "config.h"

#include "base/shared_text.h"

#include <stdlib.h>

struct shared_text *shared_text_take(struct bytes *text)
{
	struct shared_text *shared = malloc(sizeof(*shared));
	const size_t size_B = text->size_B;
	/* An empty text has no memory yet, so one byte is appended. */
	bytes_append(text, "", 1);
	if (!shared || bytes_failed(text)) {
		free(shared);
		bytes_finish(text);
		return NULL;
	}
	/* Gives back the memory that was allocated in advance. */
	char *fitted = realloc(text->data, size_B + 1);
	atomic_init(&shared->refs, 1);
	shared->data = fitted ? fitted : text->data;
	shared->size_B = size_B;
	*text = (struct bytes)BYTES_INIT;
	return shared;
}

struct shared_text *shared_text_ref(struct shared_text *text)
{
	if (text)
		atomic_fetch_add_explicit(&text->refs, 1, memory_order_relaxed);
	return text;
}

void shared_text_unref(struct shared_text *text)
{
	if (!text || atomic_fetch_sub_explicit(&text->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(text->data);
	free(text);
}
