/* What an entry of the cache is, from its bytes: docs/binary-format.md has their form. */
#ifndef CULVERT_TOOLS_CACHE_ENTRY_H
#define CULVERT_TOOLS_CACHE_ENTRY_H

#include "frontend/kernel_abi.h"

struct cache_entry {
	const char *kind;        /* "program", "object", "library", "index", "machine code" (of a kernel, for softcuda),
				  * "unknown": static */
	unsigned sm;             /* of a program, object or library */
	uint32_t builds;         /* of an index: how many builds it leads to, by what they included */
	const char *kernel;      /* of machine code: the kernel's name, in the value */
	struct abi_program *abi; /* owned; the kernels of a program, else NULL */
};

/* value: of any origin; what it is not is "unknown". */
struct cache_entry cache_entry_of(const struct bytes *value);
void cache_entry_finish(struct cache_entry *entry);

#endif
