/* Bytes by key, in a folder that any number of threads and processes share.
 *
 * Calling sequence for what is dear to make:
 *
 *	if (cache_get(cache, &key, &value)) return;        found
 *	flight = cache_flight_begin(cache, &key);          may wait for another that makes it
 *	if (!cache_get(cache, &key, &value)) {             made by that other, or by
 *		... make it ...
 *		cache_put(cache, &key, value);
 *	}
 *	cache_flight_end(cache, flight);
 *
 * The folder belongs to one user alone.  An entry is one file, named by its key,
 * published by rename, checked from its first byte to its last when it is read: what
 * is torn, foreign or of another version is a miss, and is taken away.  No lock is
 * needed to read or to publish; the locks of cache_flight_begin only save work.
 * Whatever goes wrong on disk is a miss, and one line in the log.
 *
 * Thread-safe.  No lock may be held: all of it may touch the disk. */
#ifndef CULVERT_CACHE_CACHE_H
#define CULVERT_CACHE_CACHE_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>

struct cache;

/* The process's cache, by the options: made at the first call, never destroyed.  NULL
 * when it is switched off, and in set-uid programs.  Without a folder that can be
 * used it finds nothing and keeps nothing, but still lets one thread compile. */
struct cache *cache_default(void);

/* A cache in folder (absolute; made when something is first put), or without one when
 * it is NULL.  NULL when out of memory. */
struct cache *cache_create(const char *folder, uint64_t limit_B);
void cache_destroy(struct cache *cache);             /* NULL is fine */

/* value_out, empty before, gets the value. */
bool cache_get(struct cache *cache, const struct hash *key, struct bytes *value_out);
void cache_put(struct cache *cache, const struct hash *key, const struct bytes *value);
/* The bytes of this key turned out to be of no use to their reader. */
void cache_drop(struct cache *cache, const struct hash *key);

/* Waits while another thread or process makes the key's value.  A flight when it is
 * the caller's turn to make it, if it is still missing: others wait until
 * cache_flight_end.  NULL when another thread has just made it, or tried to: who does
 * not find it then helps himself.  A process that dies ends its flights; one that
 * lives on and does nothing is waited for a minute. */
struct cache_flight;
struct cache_flight *cache_flight_begin(struct cache *cache, const struct hash *key);
void cache_flight_end(struct cache *cache, struct cache_flight *flight);
/* Ends it without a value: processes that wait then try all at once, not in turn. */
void cache_flight_fail(struct cache *cache, struct cache_flight *flight);

/* Since the cache was made.  Misses: lookups that found nothing; of a value that is made
 * there are two, before its flight and in it. */
struct cache_counts {
	uint64_t hits, misses, heals, stores, evictions, waits;
};
struct cache_counts cache_counts(const struct cache *cache);
/* NULL when there is none that can be used. */
const char *cache_folder(const struct cache *cache);

/* --- for those who look after it ---------------------------------------------------- */

uint64_t cache_limit_B(const struct cache *cache);

struct cache_file {
	struct hash key;
	uint64_t size_B;                 /* on disk */
	int64_t used_s;                  /* when it was last put or taken, to ten minutes: Unix time */
};

/* Calls look for every entry there is, in no order; look may drop it.  False when there is
 * no folder that can be used; one that does not exist yet has no entries. */
bool cache_each(struct cache *cache, void (*look)(void *state, const struct cache_file *file),
		void *state);

enum cache_state { CACHE_ABSENT, CACHE_DAMAGED, CACHE_WHOLE };

/* Reads an entry from its first byte to its last, and leaves it as it is: neither taken away nor
 * counted as used.  Of a whole one value_out, empty before, gets the value. */
enum cache_state cache_look_at(struct cache *cache, const struct hash *key, struct bytes *value_out);
enum cache_state cache_verify(struct cache *cache, const struct hash *key);

/* Takes away every entry, and what dead processes left.  How many entries; those that
 * cannot be taken away are not counted. */
uint64_t cache_clear(struct cache *cache);

#endif
