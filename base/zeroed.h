/* calloc for small objects that come and go: the C library gives them what the thread has
 * freed last, which its calloc (before glibc 2.41) does not.
 *
 * NULL when there is no memory; free gives it back.  Thread-safe. */
#ifndef CULVERT_BASE_ZEROED_H
#define CULVERT_BASE_ZEROED_H

#include <stdlib.h>
#include <string.h>

static inline void *zeroed(size_t size_B)
{
	void *memory = malloc(size_B);
	/* Compilers that see the two together make a calloc of them. */
	__asm__("" : "+r"(memory));
	return memory ? memset(memory, 0, size_B) : NULL;
}

#endif
