/* A set of pointers in the order they were added, so that a member's index is
 * also a small number for it.  For LLVM's objects, which carry no room of ours.
 *
 * Start from zeroed memory; fe_set_finish gives the memory back.  NULL is no
 * member.  Thread-safety: none. */
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

/* Adds the item unless it is there.  false: out of memory, nothing changed. */
bool fe_set_add(struct fe_set *set, const void *item);

void fe_set_finish(struct fe_set *set);

#endif
