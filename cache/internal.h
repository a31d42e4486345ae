/* What the files of cache/ share.
 *
 * Thread-safe. */
#ifndef CULVERT_CACHE_INTERNAL_H
#define CULVERT_CACHE_INTERNAL_H

#include "base/list.h"
#include "base/lock.h"
#include "cache/cache.h"

#include <stdatomic.h>
#include <sys/stat.h>

struct cache {
	char *folder;                    /* owned: its absolute path; NULL: none */
	uint64_t limit_B;                /* the size above which entries are evicted */
	atomic_bool complained;          /* an error of the disk was logged; only the first one is */
	atomic_uint_fast64_t hits, misses, heals, stores, evictions, waits;  /* struct cache_counts */
	struct lock lock;
	struct list flights;             /* cache_flight.link; guarded by lock */
	struct lock_condition landed;    /* one of the flights has ended */
};

static inline void cache_count(atomic_uint_fast64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Logs an error of the disk, the first time only.  what: what was done; error: errno. */
void cache_complain(struct cache *cache, const char *what, int error);

/* Opens the folder and checks that it belongs to this user alone.  Returns a descriptor, or -1, with the reason in
 * the log, when it cannot be used.  create: creates the folders of its path that are missing. */
int cache_folder_open(struct cache *cache, bool create);

/* Whether status is that of a regular file that only this user can access. */
bool cache_file_ours(const struct stat *status);

/* Opens a file of this user for writing, and creates it if it is missing; flags: further flags of open(2).  Anything
 * else of that name is deleted first.  Returns a descriptor, or -1. */
int cache_file_open(int folder, const char *name, int flags);

/* The longest name of a file in the folder, with its NUL. */
enum { CACHE_NAME_B = 96 };
void cache_name(const struct hash *key, const char *ending, char name[CACHE_NAME_B]);
enum cache_name_kind {
	CACHE_NAME_ENTRY,
	CACHE_NAME_LOCK,
	CACHE_NAME_TEMPORARY,
	CACHE_NAME_FOREIGN
};
enum cache_name_kind cache_name_kind(const char *name);
/* The key of an entry's name; false when name is not one of an entry. */
bool cache_name_key(const char *name, struct hash *key_out);

/* Temporary files and locks that are older than this belong to processes that have died. */
enum { CACHE_LEFT_OVER_S = 3600 };

/* Calls look for each file whose name is one of the cache's, until look returns false.  False when look did, or the
 * folder cannot be read. */
typedef bool cache_look(void *state, const char *name, const struct stat *status);
bool cache_look_at_all(int folder, cache_look *look, void *state);

/* Called after size_B bytes were put: evicts entries if the folder may have become larger than its limit. */
void cache_evict(struct cache *cache, int folder, uint64_t size_B);

/* entry.c: the format of a file, a header and the value. */
enum {
	CACHE_HEADER_B = 72,
	CACHE_VALUE_MAX_B = 1 << 28      /* larger values are not stored; no compiled program is that large */
};
void cache_header_write(const struct hash *key, const void *value, size_t size_B,
			unsigned char header[CACHE_HEADER_B]);
/* Whether the header was written for this key and this value.  Both may be damaged or hostile. */
bool cache_header_holds(const unsigned char header[CACHE_HEADER_B], const struct hash *key,
			const void *value, size_t size_B);

#endif
