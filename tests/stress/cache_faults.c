/* Protects: a call that touches the disk fails once, whichever it is, in whatever way: the cache gives no
 * wrong byte, loses nothing that it had, keeps no descriptor, makes nobody wait, and works again at once.
 * So it does when the clock jumps.
 *
 * Calls of the C library are this program's own, and count: one of them fails.  FAULTS_ALL=1 in the
 * environment: in twice as many ways. */
#include "config.h"

#include "cache/internal.h"
#include "tests/api/entries.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- calls that fail ---------------------------------------------------------------------- */

enum { HALF = -1 };              /* no error: half of the bytes are read or written */

static unsigned calls, fails_at; /* fails_at 0: none */
static int fails_with;
static const char *failed_call;
static time_t clock_shift_s;

/* POSIX lets a function's address travel in a void pointer. */
#define NEXT(function) ((__typeof__(&function))(void *)dlsym(RTLD_NEXT, #function))

static int fails(const char *call)
{
	if (++calls != fails_at)
		return 0;
	failed_call = call;
	if (fails_with != HALF)
		errno = fails_with;
	return 1;
}

static int opening_mode(int flags, va_list arguments)
{
	return flags & O_CREAT ? va_arg(arguments, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const int mode = opening_mode(flags, arguments);
	va_end(arguments);
	return fails("open") && fails_with != HALF ? -1 : NEXT(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const int mode = opening_mode(flags, arguments);
	va_end(arguments);
	return fails("openat") && fails_with != HALF ? -1
						      : NEXT(openat)(folder, path, flags, mode);
}

ssize_t pread(int fd, void *data, size_t size_B, off_t at_B)
{
	if (fails("pread"))
		return fails_with != HALF ? -1 : NEXT(pread)(fd, data, size_B / 2 + 1, at_B);
	return NEXT(pread)(fd, data, size_B, at_B);
}

ssize_t write(int fd, const void *data, size_t size_B)
{
	if (fails("write"))
		return fails_with != HALF ? -1 : NEXT(write)(fd, data, size_B / 2 + 1);
	return NEXT(write)(fd, data, size_B);
}

ssize_t pwrite(int fd, const void *data, size_t size_B, off_t at_B)
{
	return fails("pwrite") && fails_with != HALF ? -1 : NEXT(pwrite)(fd, data, size_B, at_B);
}

/* close(2): the descriptor is gone whatever it says. */
int close(int fd)
{
	const int result = NEXT(close)(fd);
	return fails("close") && fails_with != HALF ? -1 : result;
}

int renameat(int old_folder, const char *old_path, int folder, const char *path)
{
	return fails("renameat") && fails_with != HALF
		       ? -1
		       : NEXT(renameat)(old_folder, old_path, folder, path);
}

int unlinkat(int folder, const char *path, int flags)
{
	return fails("unlinkat") && fails_with != HALF ? -1 : NEXT(unlinkat)(folder, path, flags);
}

int fstat(int fd, struct stat *status)
{
	return fails("fstat") && fails_with != HALF ? -1 : NEXT(fstat)(fd, status);
}

int fstatat(int folder, const char *path, struct stat *status, int flags)
{
	return fails("fstatat") && fails_with != HALF ? -1
						       : NEXT(fstatat)(folder, path, status, flags);
}

int ftruncate(int fd, off_t size_B)
{
	return fails("ftruncate") && fails_with != HALF ? -1 : NEXT(ftruncate)(fd, size_B);
}

int futimens(int fd, const struct timespec times[2])
{
	return fails("futimens") && fails_with != HALF ? -1 : NEXT(futimens)(fd, times);
}

int mkdir(const char *path, mode_t mode)
{
	return fails("mkdir") && fails_with != HALF ? -1 : NEXT(mkdir)(path, mode);
}

int fcntl(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	return command == F_SETLK && fails("fcntl") && fails_with != HALF
		       ? -1
		       : NEXT(fcntl)(fd, command, argument);
}

DIR *fdopendir(int fd)
{
	return fails("fdopendir") && fails_with != HALF ? NULL : NEXT(fdopendir)(fd);
}

struct dirent *readdir(DIR *stream)
{
	return fails("readdir") && fails_with != HALF ? NULL : NEXT(readdir)(stream);
}

time_t time(time_t *out)
{
	const time_t now = NEXT(time)(NULL) + clock_shift_s;
	if (out)
		*out = now;
	return now;
}

/* --- a life ------------------------------------------------------------------------------- */

enum { VALUE_B = 3000, LIMIT_B = 200000, KEPT = 100, DAMAGED = 101, LAST = 8 };

static char root[64];
static char folder[80];

static struct hash key_of(unsigned number)
{
	return hash_of(&number, sizeof(number));
}

static void path_of(unsigned number, const char *ending, char path[256])
{
	char name[CACHE_NAME_B];
	struct hash key = key_of(number);
	cache_name(&key, ending, name);
	snprintf(path, 256, "%s/%s", folder, name);
}

static void fill(struct bytes *value, unsigned number)
{
	uint32_t state = number * 2654435761u + 1;
	for (size_t i = 0; i < VALUE_B; i++) {
		state = state * 1664525u + 1013904223u;
		bytes_append_char(value, (char)(state >> 24));
	}
}

static void put(struct cache *cache, unsigned number)
{
	struct bytes value = BYTES_INIT;
	struct hash key = key_of(number);
	fill(&value, number);
	cache_put(cache, &key, &value);
	bytes_finish(&value);
}

/* Whether it is there; that it is right then is checked. */
static bool get(struct cache *cache, unsigned number)
{
	struct bytes value = BYTES_INIT, expected = BYTES_INIT;
	struct hash key = key_of(number);
	const bool found = cache_get(cache, &key, &value);
	fill(&expected, number);
	CHECK(found ? value.size_B == VALUE_B && !memcmp(value.data, expected.data, VALUE_B)
		    : !value.data);
	bytes_finish(&value);
	bytes_finish(&expected);
	return found;
}

static void look(void *state, const struct cache_file *file)
{
	(void)file;
	++*(unsigned *)state;
}

/* What a process does: finds, misses, makes, fails, makes room, is looked after. */
static void live(struct cache *cache)
{
	unsigned count = 0;
	struct hash key;
	(void)get(cache, KEPT);
	(void)get(cache, DAMAGED);
	for (unsigned i = 1; i <= LAST; i++) {
		key = key_of(i);
		struct cache_flight *flight = cache_flight_begin(cache, &key);
		if (!get(cache, i))
			put(cache, i);
		cache_flight_end(cache, flight);
	}
	key = key_of(50);
	cache_flight_fail(cache, cache_flight_begin(cache, &key));
	(void)get(cache, 1);
	(void)cache_each(cache, look, &count);
	key = key_of(1);
	(void)cache_verify(cache, &key);
	key = key_of(60);
	cache_drop(cache, &key);
}

/* The folders go too: that they are made is a part of a life. */
static void files_drop(void)
{
	char above[80];
	DIR *stream = opendir(folder);
	const struct dirent *file;
	while (stream && (file = readdir(stream)))
		if (strcmp(file->d_name, ".") && strcmp(file->d_name, ".."))
			CHECK(!unlinkat(dirfd(stream), file->d_name, 0));
	if (stream)
		closedir(stream);
	snprintf(above, sizeof(above), "%s/a", root);
	CHECK(!stream || (!rmdir(folder) && !rmdir(above)));
}

static void world_make(void)
{
	char path[256];
	struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	files_drop();
	struct cache *cache = cache_create(folder, LIMIT_B);
	put(cache, KEPT);
	put(cache, DAMAGED);
	path_of(KEPT, "", path);
	CHECK(!utimensat(AT_FDCWD, path, old, 0));
	path_of(DAMAGED, "", path);
	CHECK(!bytes_write_file("x", 1, path));
	path_of(102, ".new-1-0-0", path);
	CHECK(!bytes_write_file("x", 1, path) && !utimensat(AT_FDCWD, path, old, 0));
	cache_destroy(cache);
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* After the fault: what was there is, and all that is new can be. */
static void look_after(void)
{
	struct cache *cache = cache_create(folder, LIMIT_B);
	CHECK(get(cache, KEPT));
	live(cache);
	for (unsigned i = 1; i <= LAST; i++)
		CHECK(get(cache, i));
	CHECK(!get(cache, DAMAGED));
	cache_destroy(cache);
}

/* Whether there was such a call. */
static bool one_fails(unsigned at, int with)
{
	const int before = test_failures;
	world_make();
	const unsigned open_before = entries_of("/proc/self/fd");
	const double start_s = now_s();
	struct cache *cache = cache_create(folder, LIMIT_B);
	calls = 0;
	failed_call = NULL;
	fails_with = with;
	fails_at = at;
	live(cache);
	fails_at = 0;
	CHECK(list_empty(&cache->flights));
	cache_destroy(cache);
	look_after();
	CHECK_EQ(entries_of("/proc/self/fd"), open_before);
	CHECK(now_s() - start_s < 10);
	if (test_failures != before)
		printf("call %u, %s, with %d\n", at, failed_call ? failed_call : "none", with);
	return failed_call != NULL;
}

static void each_call_fails_once(void)
{
	static const int errors[] = {HALF, EIO, ENOSPC, EMFILE, ENOENT, EACCES, EINTR, ESTALE, EEXIST,
				     EDQUOT, EROFS, ENOMEM};
	const size_t ways = getenv("FAULTS_ALL") ? sizeof(errors) / sizeof(errors[0]) : 6;
	unsigned most = 0;
	for (size_t i = 0; i < ways; i++) {
		unsigned at = 1;
		while (one_fails(at, errors[i]))
			at++;
		most = at > most ? at : most;
	}
	/* All of them were seen, or nothing was shown. */
	printf("%u calls, each in %zu ways\n", most - 1, ways);
	CHECK(most > 100);
}

/* --- clocks ------------------------------------------------------------------------------- */

static void clocks_jump(void)
{
	static const time_t year_s = 31557600;
	const time_t shifts_s[] = {0, -60 * year_s, 100 * year_s, -3 * 3600, 3 * 3600, -200 * year_s,
				   1000 * year_s, 0};
	world_make();
	struct cache *cache = cache_create(folder, LIMIT_B);
	for (unsigned i = 0; i < sizeof(shifts_s) / sizeof(shifts_s[0]); i++) {
		const double start_s = now_s();
		clock_shift_s = shifts_s[i];
		live(cache);
		put(cache, 20 + i);
		CHECK(get(cache, KEPT));
		for (unsigned k = 1; k <= LAST; k++)
			CHECK(get(cache, k));
		for (unsigned k = 20; k <= 20 + i; k++)
			CHECK(get(cache, k));
		CHECK(now_s() - start_s < 5);
	}
	CHECK_EQ(cache_counts(cache).evictions, 0);
	/* And room is made still. */
	for (unsigned i = 0; i < 400; i++) {
		clock_shift_s = shifts_s[i % (sizeof(shifts_s) / sizeof(shifts_s[0]))];
		put(cache, 1000 + i);
	}
	CHECK(cache_counts(cache).evictions > 300);
	clock_shift_s = 0;
	cache_destroy(cache);
}

/* --- disks ---------------------------------------------------------------------------------- */

/* Again and again there is no room for a moment. */
static void a_full_disk_loses_nothing(void)
{
	world_make();
	struct cache *cache = cache_create(folder, LIMIT_B);
	for (unsigned at = 1; at < 200; at += 7) {
		calls = 0;
		fails_with = ENOSPC;
		fails_at = at;
		for (unsigned i = 0; i < 3; i++) {
			live(cache);
			/* The next call of the next life. */
			fails_at = calls + at;
		}
		fails_at = 0;
		CHECK(get(cache, KEPT));
	}
	live(cache);
	for (unsigned i = 1; i <= LAST; i++)
		CHECK(get(cache, i));
	cache_destroy(cache);
}

int main(void)
{
	static const struct test_case cases[] = {
		TEST(each_call_fails_once),
		TEST(clocks_jump),
		TEST(a_full_disk_loses_nothing),
	};
	/* Thousands of folders: in memory where that is to be had. */
	snprintf(root, sizeof(root), "%s/culvert-faults-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(root))
		return 1;
	snprintf(folder, sizeof(folder), "%s/a/b", root);
	const int status = test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
	files_drop();
	CHECK(!rmdir(root));
	return status || test_failures;
}
