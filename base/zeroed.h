/* A quicker calloc for small objects that are allocated and freed often: it is malloc and memset, because before
 * glibc 2.41 calloc does not use the thread's own list of memory that was freed last, and malloc does.
 *
 * NULL without memory; free releases it.  Thread-safe. */
#ifndef CULVERT_BASE_ZEROED_H
#define CULVERT_BASE_ZEROED_H

#include <stdlib.h>
#include <string.h>

static inline void *zeroed(size_t size_B)
{
	void *memory = malloc(size_B);
	/* Keeps compilers from replacing malloc and memset by calloc. */
	__asm__("" : "+r"(memory));
	return memory ? memset(memory, 0, size_B) : NULL;
}

#endif
