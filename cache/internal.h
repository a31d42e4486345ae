/* Inside the cache: what its files share. */
#ifndef CULVERT_CACHE_INTERNAL_H
#define CULVERT_CACHE_INTERNAL_H

#include "base/list.h"
#include "base/lock.h"
#include "cache/cache.h"

#include <stdatomic.h>
#include <sys/stat.h>

struct cache {
	char *folder;                    /* owned; NULL: none */
	uint64_t limit_B;
	atomic_bool complained;          /* trouble with the disk is told once */
	atomic_uint_fast64_t hits, misses, heals, stores, evictions, waits;
	struct lock lock;
	struct list flights;             /* cache_flight.link; guarded by lock */
	struct lock_condition landed;    /* one of the flights has ended */
};

static inline void cache_count(atomic_uint_fast64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* A line in the log, the first time only. */
void cache_complain(struct cache *cache, const char *what, int error);

/* The folder, opened and found to be ours alone: a descriptor; -1, with the reason in
 * the log, when it cannot be used.  create: makes what is missing of it. */
int cache_folder_open(struct cache *cache, bool create);

/* Whether that is a plain file of this user's alone. */
bool cache_file_ours(const struct stat *status);

/* A file of ours to write to, made where it is missing; flags: those of open(2) that matter.  What else
 * is there of that name is taken away.  A descriptor, or -1. */
int cache_file_open(int folder, const char *name, int flags);

/* Of names in the folder: room for the longest, and its end. */
enum { CACHE_NAME_B = 96 };
void cache_name(const struct hash *key, const char *ending, char name[CACHE_NAME_B]);
enum cache_name_kind {
	CACHE_NAME_ENTRY,
	CACHE_NAME_LOCK,
	CACHE_NAME_TEMPORARY,
	CACHE_NAME_FOREIGN
};
enum cache_name_kind cache_name_kind(const char *name);
bool cache_name_key(const char *name, struct hash *key_out);     /* false: no entry's name */

enum { CACHE_LEFT_OVER_S = 3600 };   /* a temporary or a lock of that age has no owner any more */

/* Calls look for every file that has a name of ours.  False when look says so, which ends
 * it, or the folder cannot be read. */
typedef bool cache_look(void *state, const char *name, const struct stat *status);
bool cache_look_at_all(int folder, cache_look *look, void *state);

/* After size_B were put: looks whether it is time to make room, and makes it. */
void cache_evict(struct cache *cache, int folder, uint64_t size_B);

/* entry.c: the form of one file, a header and the value. */
enum {
	CACHE_HEADER_B = 72,
	CACHE_VALUE_MAX_B = 1 << 28      /* nothing that is compiled is larger */
};
void cache_header_write(const struct hash *key, const void *value, size_t size_B,
			unsigned char header[CACHE_HEADER_B]);
/* Whether that header was written for this key and this value.  Trusts nothing. */
bool cache_header_holds(const unsigned char header[CACHE_HEADER_B], const struct hash *key,
			const void *value, size_t size_B);

#endif
