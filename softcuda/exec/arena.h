/* Memory that is allocated in pieces and freed as a whole, for a program.  Not thread-safe: one owner. */
#ifndef CULVERT_SOFTCUDA_EXEC_ARENA_H
#define CULVERT_SOFTCUDA_EXEC_ARENA_H

#include <stddef.h>

struct arena;

/* NULL when out of memory. */
struct arena *arena_create(void);
void arena_destroy(struct arena *arena);
/* Zeroed, aligned for anything; NULL when out of memory. */
void *arena_take(struct arena *arena, size_t size_B);
char *arena_string(struct arena *arena, const char *text, size_t size_B);

#endif
