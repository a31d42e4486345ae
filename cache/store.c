/* Gets and stores values: one file for each key. */
#include "config.h"

#include "base/log.h"
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TOUCH_AFTER_S = 600,     /* precision of an entry's last use */
	NAME_TRIES = 8
};

/* --- getting ------------------------------------------------------------------------ */

/* Reads size_B bytes from at_B on.  Returns 0 or an errno value; EPERM: the file is too short. */
static int read_at(int fd, size_t at_B, void *room, size_t size_B)
{
	char *to = room;
	while (size_B) {
		ssize_t got_B = pread(fd, to, size_B, (off_t)at_B);
		if (got_B < 0 && errno == EINTR)
			continue;
		if (got_B < 0)
			return errno;
		if (!got_B)
			return EPERM;
		to += got_B;
		at_B += (size_t)got_B;
		size_B -= (size_t)got_B;
	}
	return 0;
}

/* Reads the value of key's entry from fd, if it is complete and ours.  Returns an errno value; EPERM: not ours, not
 * a file, or not an entry of that key. */
static int read_value(int fd, const struct stat *status, const struct hash *key,
		      struct bytes *value_out)
{
	unsigned char header[CACHE_HEADER_B];
	if (!cache_file_ours(status) || status->st_size < CACHE_HEADER_B ||
	    status->st_size - CACHE_HEADER_B > CACHE_VALUE_MAX_B)
		return EPERM;
	const size_t size_B = (size_t)status->st_size - CACHE_HEADER_B;
	char *value = bytes_extend_unset(value_out, size_B);
	int error = value ? read_at(fd, 0, header, sizeof(header)) : ENOMEM;
	if (!error)
		error = read_at(fd, CACHE_HEADER_B, value, size_B);
	if (!error && !cache_header_holds(header, key, value, size_B))
		error = EPERM;
	if (error)
		bytes_finish(value_out);
	return error;
}

/* Marks an entry as used, so that it is kept.  Also corrects a time in the future, from before the clock was set
 * back. */
static void touch(int fd, const struct stat *status)
{
	time_t age_s = time(NULL) - status->st_mtime;
	if (age_s > TOUCH_AFTER_S || age_s < -TOUCH_AFTER_S)
		(void)futimens(fd, NULL);
}

enum found { FOUND, ABSENT, USELESS };

static enum found read_entry(struct cache *cache, int folder, const struct hash *key,
			     const char *name, struct bytes *value_out)
{
	struct stat status;
	/* O_NONBLOCK: the open of a FIFO must not block. */
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? USELESS : ABSENT;
	int error = fstat(fd, &status) ? errno : read_value(fd, &status, key, value_out);
	if (!error)
		touch(fd, &status);
	else if (error != EPERM && error != ENOMEM)
		cache_complain(cache, "cannot be read", error);
	close(fd);
	/* An error of the disk or of a server may be temporary; if it is not, a new entry replaces this one. */
	return !error ? FOUND : error == EPERM ? USELESS : ABSENT;
}

bool cache_get(struct cache *cache, const struct hash *key, struct bytes *value_out)
{
	char name[CACHE_NAME_B];
	cache_name(key, "", name);
	int folder = cache_folder_open(cache, false);
	enum found found = ABSENT;
	if (folder >= 0) {
		found = read_entry(cache, folder, key, name, value_out);
		/* If another process has stored a good entry meanwhile it is removed, too, which costs one more
		 * miss. */
		if (found == USELESS && !unlinkat(folder, name, 0)) {
			log_info("cache: removed the damaged entry %s", name);
			cache_count(&cache->heals);
		}
		close(folder);
	}
	cache_count(found == FOUND ? &cache->hits : &cache->misses);
	return found == FOUND;
}

enum cache_state cache_look_at(struct cache *cache, const struct hash *key, struct bytes *value_out)
{
	char name[CACHE_NAME_B];
	struct stat status;
	enum cache_state state = CACHE_ABSENT;
	cache_name(key, "", name);
	int folder = cache_folder_open(cache, false);
	if (folder < 0)
		return CACHE_ABSENT;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		state = CACHE_DAMAGED;
	if (fd >= 0 && !fstat(fd, &status) && !read_value(fd, &status, key, value_out))
		state = CACHE_WHOLE;
	if (fd >= 0)
		close(fd);
	close(folder);
	return state;
}

enum cache_state cache_verify(struct cache *cache, const struct hash *key)
{
	struct bytes value = BYTES_INIT;
	const enum cache_state state = cache_look_at(cache, key, &value);
	bytes_finish(&value);
	return state;
}

void cache_drop(struct cache *cache, const struct hash *key)
{
	char name[CACHE_NAME_B];
	cache_name(key, "", name);
	int folder = cache_folder_open(cache, false);
	if (folder < 0)
		return;
	if (!unlinkat(folder, name, 0))
		cache_count(&cache->heals);
	close(folder);
}

/* --- putting ------------------------------------------------------------------------ */

/* Creates a file with a unique name.  The number of the process would not be enough, because other machines may
 * share the folder. */
static int open_temporary(int folder, const struct hash *key, char name[CACHE_NAME_B])
{
	static atomic_uint serial;
	for (unsigned i = 0; i < NAME_TRIES; i++) {
		struct timespec now;
		char ending[CACHE_NAME_B - 2 * HASH_B];
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(ending, sizeof(ending), ".new-%lx-%x-%lx", (long)getpid(),
			 atomic_fetch_add(&serial, 1), now.tv_nsec);
		cache_name(key, ending, name);
		int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Without fsync: a file that is incomplete after a power failure is detected when it is read. */
static int publish(int folder, const struct hash *key, const struct bytes *value)
{
	unsigned char header[CACHE_HEADER_B];
	char temporary[CACHE_NAME_B], name[CACHE_NAME_B];
	int fd = open_temporary(folder, key, temporary);
	if (fd < 0)
		return errno;
	cache_header_write(key, value->data, value->size_B, header);
	int error = bytes_write_all(fd, header, sizeof(header));
	if (!error)
		error = bytes_write_all(fd, value->data, value->size_B);
	if (close(fd) && !error)
		error = errno;
	cache_name(key, "", name);
	if (!error && renameat(folder, temporary, folder, name))
		error = errno;
	if (error)
		(void)unlinkat(folder, temporary, 0);
	return error;
}

void cache_put(struct cache *cache, const struct hash *key, const struct bytes *value)
{
	const size_t entry_B = CACHE_HEADER_B + value->size_B;
	if (value->size_B > CACHE_VALUE_MAX_B || entry_B > cache->limit_B)
		return;
	int folder = cache_folder_open(cache, true);
	if (folder < 0)
		return;
	int error = publish(folder, key, value);
	if (error) {
		cache_complain(cache, "cannot be written to", error);
	} else {
		cache_count(&cache->stores);
		cache_evict(cache, folder, entry_B);
	}
	close(folder);
}
