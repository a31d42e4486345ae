#include "config.h"

#include "softcuda/exec/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK_B = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used_B, size_B;
	alignas(max_align_t) char data[];
};

struct arena {
	struct arena_block *blocks;
};

struct arena *arena_create(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_destroy(struct arena *arena)
{
	if (!arena)
		return;
	for (struct arena_block *block = arena->blocks, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

void *arena_take(struct arena *arena, size_t size_B)
{
	const size_t align_B = alignof(max_align_t);
	if (size_B > SIZE_MAX / 2)
		return NULL;
	size_B = (size_B + align_B - 1) & ~(align_B - 1);
	struct arena_block *block = arena->blocks;
	if (!block || block->size_B - block->used_B < size_B) {
		size_t capacity_B = size_B > ARENA_BLOCK_B ? size_B : ARENA_BLOCK_B;
		block = calloc(1, sizeof(*block) + capacity_B);
		if (!block)
			return NULL;
		block->size_B = capacity_B;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *result = block->data + block->used_B;
	block->used_B += size_B;
	return result;
}

char *arena_string(struct arena *arena, const char *text, size_t size_B)
{
	char *copy = arena_take(arena, size_B + 1);
	if (copy)
		memcpy(copy, text, size_B);
	return copy;
}
