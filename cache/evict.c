/* Removes the entries that were not used for the longest time.
 *
 * To look at every file for each entry that is stored would take too long.  Therefore each store adds to a file, the
 * tally, one byte for each 4 KiB (appending needs no lock); a thread that finds it long enough removes old entries
 * and empties it.  If a tally is lost or truncated, entries are only removed later. */
#include "config.h"

#include "base/log.h"
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TALLY_UNIT_B = 4096,
	SWEEP_PART = 16,         /* entries are removed after that part of the limit was stored */
	KEEP_EIGHTHS = 7         /* how much of the limit is kept */
};

static const char tally_name[] = "tally";

struct candidate {
	char name[2 * HASH_B + 1];
	uint64_t size_B;
	time_t used;
};

struct sweep {
	struct cache *cache;
	int folder;
	time_t now;
	struct candidate *candidates;    /* owned */
	size_t count, capacity;
	uint64_t total_B;
};

/* A time in the future, from before the clock was set back, counts as old. */
static time_t used(const struct sweep *sweep, const struct stat *status)
{
	return status->st_mtime > sweep->now + CACHE_LEFT_OVER_S ? 0 : status->st_mtime;
}

static bool add_candidate(struct sweep *sweep, const char *name, const struct stat *status)
{
	if (sweep->count == sweep->capacity) {
		size_t capacity = sweep->capacity ? 2 * sweep->capacity : 256;
		struct candidate *more =
			realloc(sweep->candidates, capacity * sizeof(*more));
		if (!more)
			return false;
		sweep->candidates = more;
		sweep->capacity = capacity;
	}
	struct candidate *candidate = &sweep->candidates[sweep->count++];
	memcpy(candidate->name, name, sizeof(candidate->name));
	candidate->size_B = (uint64_t)status->st_size;
	candidate->used = used(sweep, status);
	sweep->total_B += candidate->size_B;
	return true;
}

/* False when out of memory. */
static bool look_at(void *state, const char *name, const struct stat *status)
{
	struct sweep *sweep = state;
	if (cache_name_kind(name) == CACHE_NAME_ENTRY)
		return add_candidate(sweep, name, status);
	if (sweep->now - used(sweep, status) > CACHE_LEFT_OVER_S)
		(void)unlinkat(sweep->folder, name, 0);
	return true;
}

static int by_use(const void *a_, const void *b_)
{
	const struct candidate *a = a_, *b = b_;
	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	return memcmp(a->name, b->name, sizeof(a->name));
}

static void sweep(struct cache *cache, int folder)
{
	struct sweep sweep = {.cache = cache, .folder = folder, .now = time(NULL)};
	uint64_t keep_B = cache->limit_B / 8 * KEEP_EIGHTHS;
	uint64_t evicted = 0;
	/* With an incomplete list the wrong entries would be removed; it is tried again later. */
	if (cache_look_at_all(folder, look_at, &sweep) && sweep.count) {
		qsort(sweep.candidates, sweep.count, sizeof(*sweep.candidates), by_use);
		for (size_t i = 0; i < sweep.count && sweep.total_B > keep_B; i++) {
			const struct candidate *candidate = &sweep.candidates[i];
			if (!unlinkat(folder, candidate->name, 0)) {
				cache_count(&cache->evictions);
				evicted++;
			}
			sweep.total_B -= candidate->size_B;
		}
	}
	if (evicted)
		log_info("cache: %llu of %zu entries evicted", (unsigned long long)evicted,
			 sweep.count);
	free(sweep.candidates);
}

/* Adds to the tally; true when entries should be removed. */
static bool tally(const struct cache *cache, int folder, uint64_t size_B)
{
	static const char units[256];
	struct stat status;
	int fd = cache_file_open(folder, tally_name, O_WRONLY | O_APPEND);
	if (fd < 0)
		return false;
	bool due = false;
	uint64_t count = size_B / TALLY_UNIT_B + 1;
	while (count) {
		size_t part = count < sizeof(units) ? (size_t)count : sizeof(units);
		if (bytes_write_all(fd, units, part))
			break;
		count -= part;
	}
	if (!fstat(fd, &status))
		due = (uint64_t)status.st_size * TALLY_UNIT_B >= cache->limit_B / SWEEP_PART;
	if (due && ftruncate(fd, 0))
		log_info("cache: cannot truncate the tally file: %s", strerror(errno));
	close(fd);
	return due;
}

void cache_evict(struct cache *cache, int folder, uint64_t size_B)
{
	if (tally(cache, folder, size_B))
		sweep(cache, folder);
}
