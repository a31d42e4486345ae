/* Goes through all files of the folder. */
#include "config.h"

#include "cache/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

bool cache_look_at_all(int folder, cache_look *look, void *state)
{
	/* fdopendir takes its descriptor over, so it gets another one. */
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = again < 0 ? NULL : fdopendir(again);
	if (!stream) {
		if (again >= 0)
			close(again);
		return false;
	}
	bool whole = true;
	for (const struct dirent *file; whole && (file = readdir(stream));) {
		struct stat status;
		if (cache_name_kind(file->d_name) != CACHE_NAME_FOREIGN &&
		    !fstatat(folder, file->d_name, &status, AT_SYMLINK_NOFOLLOW))
			whole = look(state, file->d_name, &status);
	}
	closedir(stream);
	return whole;
}

/* Whether there is a folder, or one will be made when something is stored. */
static int open_folder(struct cache *cache, bool *usable_out)
{
	int folder = cache_folder_open(cache, false);
	*usable_out = folder >= 0 || (cache->folder && access(cache->folder, F_OK) &&
				      errno == ENOENT);
	return folder;
}

struct each {
	void (*look)(void *state, const struct cache_file *file);
	void *state;
};

static bool each_file(void *state, const char *name, const struct stat *status)
{
	const struct each *each = state;
	struct cache_file file = {.size_B = (uint64_t)status->st_size,
				  .used_s = (int64_t)status->st_mtime};
	if (cache_name_key(name, &file.key))
		each->look(each->state, &file);
	return true;
}

bool cache_each(struct cache *cache, void (*look)(void *state, const struct cache_file *file),
		void *state)
{
	struct each each = {look, state};
	bool usable;
	int folder = open_folder(cache, &usable);
	if (folder < 0)
		return usable;
	usable = cache_look_at_all(folder, each_file, &each);
	close(folder);
	return usable;
}

struct clear {
	int folder;
	uint64_t count;
	time_t now;
};

/* A lock file or a temporary file that is not old may be in use. */
static bool clear_file(void *state, const char *name, const struct stat *status)
{
	struct clear *clear = state;
	bool entry = cache_name_kind(name) == CACHE_NAME_ENTRY;
	bool old = clear->now - status->st_mtime > CACHE_LEFT_OVER_S;
	if ((entry || old) && !unlinkat(clear->folder, name, 0))
		clear->count += entry;
	return true;
}

uint64_t cache_clear(struct cache *cache)
{
	struct clear clear = {.folder = cache_folder_open(cache, false), .now = time(NULL)};
	if (clear.folder < 0)
		return 0;
	(void)cache_look_at_all(clear.folder, clear_file, &clear);
	close(clear.folder);
	return clear.count;
}
