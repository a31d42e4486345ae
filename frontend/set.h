/* A set of pointers in the order in which they were added, so that the index of a member is a small number for it.
 * It is used for LLVM's objects, which have no room for data of ours.
 *
 * Zeroed memory is an empty set; fe_set_finish frees its memory.  NULL cannot be a member.  Not thread-safe. */
#ifndef CULVERT_FRONTEND_SET_H
#define CULVERT_FRONTEND_SET_H

#include <stdbool.h>
#include <stdint.h>

struct fe_set {
	const void **items;
	uint32_t count;
	uint32_t item_capacity;
	uint32_t *slots;         /* index + 1 of the item that hashes here; 0: free */
	uint32_t slot_count;     /* a power of two, or 0 */
};

bool fe_set_find(const struct fe_set *set, const void *item, uint32_t *index_out);
bool fe_set_has(const struct fe_set *set, const void *item);

/* Adds the item if it is not a member. false: out of memory, and nothing has changed. */
bool fe_set_add(struct fe_set *set, const void *item);

void fe_set_finish(struct fe_set *set);

#endif
