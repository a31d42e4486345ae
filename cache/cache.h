/* A cache of values, which are bytes, by key, in a folder that any number of threads and processes share.
 *
 * Calling sequence for a value that is expensive to make:
 *
 *	if (cache_get(cache, &key, &value)) return;        found
 *	flight = cache_flight_begin(cache, &key);          may wait for a thread or process that makes it
 *	if (!cache_get(cache, &key, &value)) {             still missing
 *		... make it ...
 *		cache_put(cache, &key, value);
 *	}
 *	cache_flight_end(cache, flight);
 *
 * The folder belongs to one user alone.  An entry is one file, named by its key, which is written under another name
 * and renamed, and is checked from its first byte to its last when it is read: a file that is incomplete, damaged or
 * of another version counts as a miss, and is deleted.  Reading and writing entries need no lock; the locks of
 * cache_flight_begin only avoid that several make the same value.  An error of the disk is a miss, and one line in
 * the log.
 *
 * Thread-safe.  No lock may be held: all functions may access the disk. */
#ifndef CULVERT_CACHE_CACHE_H
#define CULVERT_CACHE_CACHE_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

struct cache;

/* The process's cache, as the options say (CULVERT_CACHE and others): made at the first call, never destroyed.  NULL
 * when it is switched off, and in set-uid programs.  If its folder cannot be used it finds and stores nothing, but
 * cache_flight_begin still works between threads. */
struct cache *cache_default(void);

/* A cache in folder, an absolute path, which is created when a value is first put; NULL: a cache without a folder.
 * limit_B: the size above which the least recently used entries are evicted.  NULL when out of memory. */
struct cache *cache_create(const char *folder, uint64_t limit_B);
void cache_destroy(struct cache *cache);             /* NULL is fine */

/* Whether the key's value was found; value_out, which is empty before, gets it. */
bool cache_get(struct cache *cache, const struct hash *key, struct bytes *value_out);
void cache_put(struct cache *cache, const struct hash *key, const struct bytes *value);
/* Deletes the entry: its reader found that it cannot use the value. */
void cache_drop(struct cache *cache, const struct hash *key);

/* Waits while another thread or process makes the key's value.  Returns a flight when it is the caller's turn to make
 * it, if it is still missing: others wait until cache_flight_end.  Returns NULL when another thread has just made it,
 * or tried to; a caller that does not find it then makes it without a flight.  The flights of a process that dies
 * end; a process that lives on without ending its flight is waited for one minute. */
struct cache_flight;
struct cache_flight *cache_flight_begin(struct cache *cache, const struct hash *key);
void cache_flight_end(struct cache *cache, struct cache_flight *flight);
/* Ends a flight without a value: processes that wait for it then all make the value at once, not in turn. */
void cache_flight_fail(struct cache *cache, struct cache_flight *flight);

/* What happened since the cache was made.  misses: lookups that found nothing, of which a value that is made has two,
 * before its flight and in it; heals: damaged entries that were deleted; waits: flights that were waited for. */
struct cache_counts {
	uint64_t hits, misses, heals, stores, evictions, waits;
};
struct cache_counts cache_counts(const struct cache *cache);
/* NULL when the cache has no folder that can be used. */
const char *cache_folder(const struct cache *cache);

/* --- for `culvert cache` ------------------------------------------------------------- */

uint64_t cache_limit_B(const struct cache *cache);

struct cache_file {
	struct hash key;
	uint64_t size_B;                 /* on disk */
	int64_t used_s;                  /* Unix time at which it was last put or found, exact to ten minutes */
};

/* Calls look for each entry, in no particular order; look may drop the entry.  False when the folder cannot be used; a
 * folder that does not exist yet has no entries. */
bool cache_each(struct cache *cache, void (*look)(void *state, const struct cache_file *file),
		void *state);

enum cache_state { CACHE_ABSENT, CACHE_DAMAGED, CACHE_WHOLE };

/* Reads an entry from its first byte to its last without changing it: a damaged one is not deleted, and the time of
 * use stays.  If it is CACHE_WHOLE, value_out, which is empty before, gets the value. */
enum cache_state cache_look_at(struct cache *cache, const struct hash *key, struct bytes *value_out);
enum cache_state cache_verify(struct cache *cache, const struct hash *key);

/* Deletes all entries, and files that dead processes left.  Returns the number of entries that were deleted. */
uint64_t cache_clear(struct cache *cache);

#endif
