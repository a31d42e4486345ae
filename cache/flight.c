/* Makes sure that the value of a key is made once: among the threads of a process by a list and a condition, among
 * processes by a lock on a file named after the key.
 *
 * It is a POSIX lock, because that is released when the process ends, is not inherited by children, and is supported
 * by network file systems.  It is also released when the process closes any descriptor of the file; here only the
 * thread that makes the value opens it.  Without support for locks, each process makes the value itself. */
#include "config.h"

#include "base/clock.h"
#include "base/log.h"
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define THREAD_WAIT_NS (600 * NS_PER_S)
#define PROCESS_WAIT_NS (60 * NS_PER_S)
#define POLL_FIRST_NS UINT64_C(500000)
#define POLL_LAST_NS UINT64_C(20000000)

struct cache_flight {
	struct list link;                /* cache.flights */
	struct hash key;
	pid_t process;                   /* the process that began it: a forked child has the list but not the
					  * threads */
	unsigned refs;                   /* the thread that makes the value, and those that wait; guarded by the lock */
	bool landed;                     /* it has ended */
	int file;                        /* descriptor of the locked file, or -1 */
};

/* --- processes ------------------------------------------------------------------------ */

enum attempt { LOCKED, BUSY, STALE, NO_LOCKS };

/* The content of the file if the value could not be made. */
static const char failure = 'F';

static bool has_failed(int fd)
{
	char c = 0;
	return pread(fd, &c, 1, 0) == 1 && c == failure;
}

/* STALE: another file has that name by now. */
static enum attempt try_lock(int folder, const char *name, int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat mine, there;
	/* fcntl(2): if another process has the lock, Linux always returns EAGAIN. */
	if (fcntl(fd, F_SETLK, &lock))
		return errno == EAGAIN ? BUSY : NO_LOCKS;
	if (fstat(fd, &mine))
		return NO_LOCKS;
	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? STALE : NO_LOCKS;
	return mine.st_ino == there.st_ino && mine.st_dev == there.st_dev ? LOCKED : STALE;
}

static int open_lock(int folder, const char *name)
{
	return cache_file_open(folder, name, O_RDWR);
}

/* Waits for the lock and returns its descriptor. -1: it cannot be had; its holder has taken too long; or the holder
 * could not make the value, in which case others would also fail, one after the other. */
static int take_file(struct cache *cache, int folder, const char *name)
{
	uint64_t until_ns = host_now_ns() + PROCESS_WAIT_NS, pause_ns = POLL_FIRST_NS;
	int fd = open_lock(folder, name);
	bool waited = false;
	while (fd >= 0) {
		enum attempt attempt = try_lock(folder, name, fd);
		if (attempt == LOCKED)
			return fd;
		const bool in_vain = attempt == STALE && has_failed(fd);
		if (attempt != BUSY)
			close(fd);
		if (attempt == STALE && !in_vain && host_now_ns() < until_ns) {
			fd = open_lock(folder, name);
			continue;
		}
		if (attempt != BUSY)
			return -1;
		if (host_now_ns() > until_ns) {
			close(fd);
			return -1;
		}
		if (!waited)
			cache_count(&cache->waits);
		waited = true;
		const struct timespec pause = {.tv_nsec = (long)pause_ns};
		nanosleep(&pause, NULL);
		pause_ns = pause_ns < POLL_LAST_NS / 2 ? 2 * pause_ns : POLL_LAST_NS;
	}
	return -1;
}

static int lock_among_processes(struct cache *cache, const struct hash *key)
{
	char name[CACHE_NAME_B];
	int folder = cache_folder_open(cache, true);
	if (folder < 0)
		return -1;
	cache_name(key, ".lock", name);
	int fd = take_file(cache, folder, name);
	close(folder);
	return fd;
}

/* The file is removed before it is unlocked: a process that waits for the lock then finds that the file is not the
 * right one any more. */
static void unlock_among_processes(struct cache *cache, const struct cache_flight *flight,
				   bool made)
{
	char name[CACHE_NAME_B];
	if (flight->file < 0)
		return;
	if (!made && pwrite(flight->file, &failure, 1, 0) != 1)
		log_info("cache: cannot notify waiting processes of a failed build: %s", strerror(errno));
	int folder = cache_folder_open(cache, false);
	if (folder >= 0) {
		cache_name(&flight->key, ".lock", name);
		(void)unlinkat(folder, name, 0);
		close(folder);
	}
	close(flight->file);
}

/* --- threads -------------------------------------------------------------------------- */

static struct cache_flight *find_locked(struct cache *cache, const struct hash *key)
{
	struct list *link, *next;
	list_for_each(link, next, &cache->flights) {
		struct cache_flight *flight = list_entry(link, struct cache_flight, link);
		if (hash_equal(&flight->key, key) && flight->process == getpid())
			return flight;
	}
	return NULL;
}

static void unref_locked(struct cache_flight *flight)
{
	if (!--flight->refs)
		free(flight);
}

static void wait_locked(struct cache *cache, struct cache_flight *flight)
{
	uint64_t until_ns = host_now_ns() + THREAD_WAIT_NS;
	flight->refs++;
	while (!flight->landed && host_now_ns() < until_ns)
		lock_condition_wait_for(&cache->landed, &cache->lock, until_ns - host_now_ns());
	unref_locked(flight);
}

struct cache_flight *cache_flight_begin(struct cache *cache, const struct hash *key)
{
	struct cache_flight *mine = calloc(1, sizeof(*mine));
	if (!mine)
		return NULL;
	*mine = (struct cache_flight){.key = *key, .process = getpid(), .refs = 1, .file = -1};
	lock_take(&cache->lock);
	struct cache_flight *other = find_locked(cache, key);
	if (other)
		wait_locked(cache, other);
	else
		list_append(&cache->flights, &mine->link);
	lock_drop(&cache->lock);
	if (other) {
		cache_count(&cache->waits);
		free(mine);
		return NULL;
	}
	mine->file = lock_among_processes(cache, key);
	return mine;
}

static void land(struct cache *cache, struct cache_flight *flight, bool made)
{
	if (!flight)
		return;
	unlock_among_processes(cache, flight, made);
	lock_take(&cache->lock);
	list_remove(&flight->link);
	flight->landed = true;
	lock_condition_signal_all(&cache->landed);
	unref_locked(flight);
	lock_drop(&cache->lock);
}

void cache_flight_end(struct cache *cache, struct cache_flight *flight)
{
	land(cache, flight, true);
}

void cache_flight_fail(struct cache *cache, struct cache_flight *flight)
{
	land(cache, flight, false);
}
