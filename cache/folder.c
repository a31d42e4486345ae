/* Finds the cache's folder, and checks whether it can be trusted. */
#include "config.h"

#include "base/log.h"
#include "base/options.h"
#include "cache/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_LIMIT_B (UINT64_C(1) << 30)

void cache_complain(struct cache *cache, const char *what, int error)
{
	if (!atomic_exchange(&cache->complained, true))
		log_warn("cache: %s: %s: %s", cache->folder ? cache->folder : "no folder", what,
			 strerror(error));
}

struct cache *cache_create(const char *folder, uint64_t limit_B)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	if (!cache)
		return NULL;
	cache->limit_B = limit_B;
	list_init(&cache->flights);
	if (lock_init(&cache->lock, LOCK_RANK_CACHE))
		goto free_cache;
	if (lock_condition_init(&cache->landed))
		goto finish_lock;
	cache->folder = folder ? strdup(folder) : NULL;
	if (!folder || cache->folder)
		return cache;
	lock_condition_finish(&cache->landed);
finish_lock:
	lock_finish(&cache->lock);
free_cache:
	free(cache);
	return NULL;
}

void cache_destroy(struct cache *cache)
{
	if (!cache)
		return;
	lock_condition_finish(&cache->landed);
	lock_finish(&cache->lock);
	free(cache->folder);
	free(cache);
}

const char *cache_folder(const struct cache *cache)
{
	return cache->folder;
}

uint64_t cache_limit_B(const struct cache *cache)
{
	return cache->limit_B;
}

struct cache_counts cache_counts(const struct cache *cache)
{
	return (struct cache_counts){
		.hits = atomic_load(&cache->hits),
		.misses = atomic_load(&cache->misses),
		.heals = atomic_load(&cache->heals),
		.stores = atomic_load(&cache->stores),
		.evictions = atomic_load(&cache->evictions),
		.waits = atomic_load(&cache->waits),
	};
}

/* --- the folder itself -------------------------------------------------------------- */

/* Creates the folder and missing folders above it, for this user only (XDG Base Directory Specification: "created
 * with permission 0700"). */
static int make_folders(const char *folder)
{
	char *path = strdup(folder);
	if (!path)
		return ENOMEM;
	int error = 0;
	for (char *at = path + 1; !error; at++) {
		if (*at && *at != '/')
			continue;
		char end = *at;
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			error = errno;
		*at = end;
		if (!end)
			break;
	}
	free(path);
	return error;
}

/* Code is loaded from this folder, so nobody else may be able to write to it. */
static int check_ours(int folder)
{
	struct stat status;
	if (fstat(folder, &status))
		return errno;
	bool ours = status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
	return ours ? 0 : EPERM;
}

/* The folder is opened each time.  A descriptor that stays open could be closed by an application that closes all
 * descriptors, and its number used for another file. */
int cache_folder_open(struct cache *cache, bool create)
{
	if (!cache->folder)
		return -1;
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int folder = open(cache->folder, flags);
	if (folder < 0 && errno == ENOENT) {
		if (!create)
			return -1;
		int error = make_folders(cache->folder);
		if (error) {
			cache_complain(cache, "cannot be made", error);
			return -1;
		}
		folder = open(cache->folder, flags);
	}
	if (folder < 0) {
		cache_complain(cache, "cannot be opened", errno);
		return -1;
	}
	int error = check_ours(folder);
	if (!error)
		return folder;
	cache_complain(cache, "belongs to others, or others may write to it", error);
	close(folder);
	return -1;
}

/* --- files in it ------------------------------------------------------------------------ */

bool cache_file_ours(const struct stat *status)
{
	return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Somebody who could write to the folder before may have put a hard link to another file of the user there, to which
 * we would then write.  A file without a link was removed meanwhile. */
static bool may_write(int fd)
{
	struct stat status;
	return !fstat(fd, &status) && cache_file_ours(&status) && status.st_nlink <= 1;
}

int cache_file_open(int folder, const char *name, int flags)
{
	enum { TRIES = 2 };
	/* O_NONBLOCK: the open of a FIFO must not block. */
	flags |= O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	for (unsigned i = 0; i < TRIES; i++) {
		int fd = openat(folder, name, flags, 0600);
		if (fd >= 0 && may_write(fd))
			return fd;
		/* The name is a link, a FIFO, a folder, or a file of another user. */
		const bool in_the_way = fd >= 0 || errno == ELOOP || errno == ENXIO ||
					errno == EISDIR || errno == EACCES;
		if (fd >= 0)
			close(fd);
		if (!in_the_way ||
		    (unlinkat(folder, name, 0) && unlinkat(folder, name, AT_REMOVEDIR)))
			return -1;
	}
	return -1;
}

/* --- by the options -------------------------------------------------------------------- */

/* CUDA programming guide: "CUDA_CACHE_DISABLE: 0 or 1". */
static bool switched_off(void)
{
	const char *disabled = secure_getenv("CUDA_CACHE_DISABLE");
	return !option_flag(OPTION_CACHE) || getauxval(AT_SECURE) ||
	       (disabled && *disabled && strcmp(disabled, "0"));
}

/* False when the variable is not an absolute path: a relative one would depend on the application's current folder. */
static bool path_from(struct bytes *path, const char *folder, const char *tail)
{
	if (!folder || *folder != '/')
		return false;
	bytes_printf(path, "%s%s", folder, tail);
	return true;
}

/* The user's home folder, if it exists.  It is not created, because its absence may be intended: that of a service
 * may be "/nonexistent". */
static const char *home(void)
{
	struct stat status;
	const char *named = secure_getenv("HOME");
	return named && !stat(named, &status) && S_ISDIR(status.st_mode) ? named : NULL;
}

static bool find_path(struct bytes *path)
{
	const char *named = option_string(OPTION_CACHE_DIR);
	if (*named)
		return path_from(path, named, "");
	return path_from(path, secure_getenv("CUDA_CACHE_PATH"), "/culvert") ||
	       path_from(path, secure_getenv("XDG_CACHE_HOME"), "/culvert") ||
	       path_from(path, home(), "/.cache/culvert");
}

static struct cache *process_cache;

static void make_process_cache(void)
{
	struct bytes path = BYTES_INIT;
	uint64_t limit_B;
	if (switched_off())
		return;
	if (!find_path(&path))
		log_warn("cache: no folder: CULVERT_CACHE_DIR, CUDA_CACHE_PATH and XDG_CACHE_HOME "
			 "are not set, and HOME is not an existing folder");
	if (!option_parse_size(option_string(OPTION_CACHE_SIZE), &limit_B)) {
		log_warn("CULVERT_CACHE_SIZE: '%s' is not a valid size; using 1G",
			 option_string(OPTION_CACHE_SIZE));
		limit_B = DEFAULT_LIMIT_B;
	}
	if (!bytes_failed(&path))
		process_cache = cache_create(path.data, limit_B);
	bytes_finish(&path);
}

struct cache *cache_default(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_process_cache);
	return process_cache;
}
