/* Protects: what is put comes back, whatever is wrong is a miss that heals, nobody
 * else's bytes are taken, the size stays bounded, one at a time makes a value. */
#include "config.h"

#include "base/checksum.h"
#include "base/options.h"
#include "cache/internal.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char root[] = "/tmp/culvert-cache-XXXXXX";
static char folder[64];

static void clear(void)
{
	char command[128];
	snprintf(command, sizeof(command), "chmod -R u+rwx %s/* 2>/dev/null; rm -rf %s/*", root,
		 root);
	CHECK_EQ(system(command), 0);
}

static struct cache *open_cache(uint64_t limit_B)
{
	snprintf(folder, sizeof(folder), "%s/a/b", root);
	return cache_create(folder, limit_B);
}

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

/* What does not compress: a different run for each number. */
static void fill(struct bytes *value, unsigned number, size_t size_B)
{
	uint32_t state = number * 2654435761u + 1;
	for (size_t i = 0; i < size_B; i++) {
		state = state * 1664525u + 1013904223u;
		bytes_append_char(value, (char)(state >> 24));
	}
}

static void put(struct cache *cache, unsigned number, size_t size_B)
{
	struct bytes value = BYTES_INIT;
	struct hash key = key_of(number);
	fill(&value, number, size_B);
	cache_put(cache, &key, &value);
	bytes_finish(&value);
}

/* Whether it is there; that it is right then is checked. */
static bool get(struct cache *cache, unsigned number, size_t size_B)
{
	struct bytes value = BYTES_INIT, expected = BYTES_INIT;
	struct hash key = key_of(number);
	bool found = cache_get(cache, &key, &value);
	fill(&expected, number, size_B);
	if (found) {
		CHECK_EQ(value.size_B, expected.size_B);
		CHECK(value.size_B == expected.size_B &&
		      !memcmp(bytes_string(&value), bytes_string(&expected), size_B));
	} else {
		CHECK(!value.data);
	}
	bytes_finish(&value);
	bytes_finish(&expected);
	return found;
}

static void what_is_put_comes_back(void)
{
	static const size_t sizes_B[] = {0, 1, 63, 4096, 100000, 5000000};
	struct cache *cache = open_cache(1 << 30);
	REQUIRE(cache);
	for (unsigned i = 0; i < 6; i++) {
		CHECK(!get(cache, i, sizes_B[i]));
		put(cache, i, sizes_B[i]);
		CHECK(get(cache, i, sizes_B[i]));
	}
	/* A second process sees the same. */
	struct cache *other = open_cache(1 << 30);
	for (unsigned i = 0; i < 6; i++)
		CHECK(get(other, i, sizes_B[i]));
	struct cache_counts counts = cache_counts(cache);
	CHECK_EQ(counts.hits, 6);
	CHECK_EQ(counts.misses, 6);
	CHECK_EQ(counts.stores, 6);
	CHECK_EQ(counts.heals, 0);
	cache_destroy(cache);
	cache_destroy(other);
	clear();
}

/* The bytes lie in the file as they are, for this user alone. */
static void the_file_is_a_header_and_the_value(void)
{
	struct cache *cache = open_cache(1 << 30);
	struct bytes value = BYTES_INIT, back = BYTES_INIT;
	struct hash key = key_of(1);
	struct stat status;
	char path[256];
	REQUIRE(bytes_extend(&value, 1000000));
	cache_put(cache, &key, &value);
	path_of(1, "", path);
	REQUIRE(!stat(path, &status));
	CHECK_EQ(status.st_size, CACHE_HEADER_B + 1000000);
	CHECK_EQ(status.st_mode & 0777, 0600);
	CHECK(cache_get(cache, &key, &back));
	CHECK_EQ(back.size_B, 1000000);
	CHECK(back.size_B == 1000000 && !memcmp(back.data, value.data, back.size_B));
	bytes_finish(&value);
	bytes_finish(&back);
	cache_destroy(cache);
	clear();
}

static bool holds(const struct hash *key, const char *entry, size_t size_B)
{
	return size_B >= CACHE_HEADER_B &&
	       cache_header_holds((const unsigned char *)entry, key, entry + CACHE_HEADER_B,
				  size_B - CACHE_HEADER_B);
}

/* Every byte and every length of an entry. */
static void damage_is_a_miss_that_heals(void)
{
	struct cache *cache = open_cache(1 << 30);
	struct bytes entry = BYTES_INIT;
	struct hash key = key_of(7);
	char path[256];
	put(cache, 7, 200);
	path_of(7, "", path);
	REQUIRE(!bytes_read_file(&entry, path));
	for (size_t i = 0; i < entry.size_B; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			entry.data[i] ^= (char)(1u << bit);
			CHECK(!holds(&key, entry.data, entry.size_B));
			entry.data[i] ^= (char)(1u << bit);
		}
		CHECK(!holds(&key, entry.data, i));
	}
	CHECK(holds(&key, entry.data, entry.size_B));
	for (size_t size_B = 0; size_B < entry.size_B; size_B += 50) {
		CHECK(!bytes_write_file(entry.data, size_B, path));
		CHECK(!get(cache, 7, 200));
		CHECK(access(path, F_OK));
		put(cache, 7, 200);
		CHECK(get(cache, 7, 200));
	}
	CHECK_EQ(cache_counts(cache).heals, (entry.size_B + 49) / 50);
	/* An entry under another's name. */
	char other[256];
	path_of(8, "", other);
	CHECK(!bytes_write_file(entry.data, entry.size_B, other));
	CHECK(!get(cache, 8, 200));
	CHECK(access(other, F_OK));
	bytes_finish(&entry);
	cache_destroy(cache);
	clear();
}

/* A right checksum, and a size that is not the value's, as someone who plants an entry would
 * write it; and a file that is longer than any value, which must not make us take memory. */
static void lies_about_sizes_are_refused(void)
{
	struct cache *cache = open_cache(1 << 30);
	struct hash key = key_of(1);
	const char value[57] = "a";
	char path[256];
	for (unsigned shift = 0; shift < 64; shift++) {
		unsigned char header[CACHE_HEADER_B], both[56 + CHECKSUM_B];
		const uint64_t claim = UINT64_C(1) << shift;
		cache_header_write(&key, value, sizeof(value), header);
		memcpy(header + 48, &claim, 8);
		struct checksum sum = checksum_of(value, sizeof(value));
		memcpy(both, header, 56);
		memcpy(both + 56, sum.bytes, CHECKSUM_B);
		sum = checksum_of(both, sizeof(both));
		memcpy(header + 56, sum.bytes, CHECKSUM_B);
		CHECK(!cache_header_holds(header, &key, value, sizeof(value)));
	}
	put(cache, 1, 100);
	path_of(1, "", path);
	REQUIRE(!truncate(path, INT64_C(1) << 40));
	CHECK(!get(cache, 1, 100));
	CHECK(access(path, F_OK));
	cache_destroy(cache);
	clear();
}

/* Gives a file to another user; false: only root can, and not in a namespace that has no other user. */
static bool is_given_away(const char *path)
{
	if (geteuid())
		return false;
	if (!chown(path, 12345, 12345))
		return true;
	CHECK_EQ(errno, EINVAL);
	return false;
}

static void what_is_not_ours_is_not_taken(void)
{
	struct cache *cache = open_cache(1 << 30);
	char path[256], elsewhere[256];
	put(cache, 1, 100);
	path_of(1, "", path);
	/* Writable by others: they may have written it. */
	CHECK(!chmod(path, 0666));
	CHECK(!get(cache, 1, 100));
	CHECK(access(path, F_OK));
	/* A link. */
	put(cache, 1, 100);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	CHECK(!rename(path, elsewhere));
	CHECK(!symlink(elsewhere, path));
	CHECK(!get(cache, 1, 100));
	CHECK(!access(elsewhere, F_OK));
	struct stat status;
	CHECK(lstat(path, &status));
	/* A folder, and a FIFO, which must not hang. */
	CHECK(!mkfifo(path, 0600));
	CHECK(!get(cache, 1, 100));
	CHECK(!mkdir(path, 0700));
	CHECK(!get(cache, 1, 100));
	put(cache, 1, 100);
	CHECK(!rmdir(path));
	put(cache, 1, 100);
	CHECK(get(cache, 1, 100));
	/* The folder writable by others; a link to a folder. */
	static const mode_t open_to_others[] = {01777, 0770, 0702, 03775, 0777};
	for (unsigned i = 0; i < 5; i++) {
		CHECK(!chmod(folder, open_to_others[i]));
		CHECK(!get(cache, 1, 100));
	}
	put(cache, 2, 100);
	path_of(2, "", path);
	CHECK(access(path, F_OK));
	CHECK(!chmod(folder, 0700));
	CHECK(get(cache, 1, 100));
	snprintf(elsewhere, sizeof(elsewhere), "%s/link", root);
	CHECK(!symlink(folder, elsewhere));
	struct cache *linked = cache_create(elsewhere, 1 << 30);
	CHECK(!get(linked, 1, 100));
	if (is_given_away(folder)) {
		CHECK(!get(cache, 1, 100));
		CHECK(!chown(folder, 0, 0));
		path_of(1, "", path);
		CHECK(is_given_away(path));
		CHECK(!get(cache, 1, 100));
	}
	cache_destroy(linked);
	cache_destroy(cache);
	clear();
}

static unsigned long long folder_B(void)
{
	char command[128];
	unsigned long long size_B = 0;
	snprintf(command, sizeof(command),
		 "find %s -type f -printf '%%s\\n' | awk '{s+=$1} END {print s+0}'", folder);
	FILE *pipe = popen(command, "r");
	if (pipe && fscanf(pipe, "%llu", &size_B) != 1)
		size_B = 0;
	if (pipe)
		pclose(pipe);
	return size_B;
}

static void precious_make(char path[256])
{
	snprintf(path, 256, "%s/precious", root);
	CHECK(!bytes_write_file("precious", 8, path));
}

static bool precious(const char *path)
{
	struct bytes bytes = BYTES_INIT;
	const bool whole = !bytes_read_file(&bytes, path) && bytes.size_B == 8 &&
			   !memcmp(bytes.data, "precious", 8);
	bytes_finish(&bytes);
	return whole;
}

/* Who could once write to the folder left links to files of the user's under names that the cache
 * writes to: hard ones, symbolic ones.  The files stay what they are, and the cache works. */
static void links_lead_to_no_other_file(void)
{
	char path[256], tally[256], lock[256];
	struct hash key = key_of(3);
	struct stat status;
	for (unsigned symbolic = 0; symbolic < 2; symbolic++) {
		int (*const join)(const char *, const char *) = symbolic ? symlink : link;
		struct cache *cache = open_cache(1000);
		put(cache, 1, 10);
		precious_make(path);
		snprintf(tally, sizeof(tally), "%s/tally", folder);
		(void)unlink(tally);
		CHECK(!join(path, tally));
		put(cache, 1, 10);
		CHECK(precious(path));
		CHECK(!lstat(tally, &status) && S_ISREG(status.st_mode) && status.st_nlink == 1);
		path_of(3, ".lock", lock);
		CHECK(!join(path, lock));
		struct cache_flight *flight = cache_flight_begin(cache, &key);
		CHECK(flight != NULL);
		CHECK(!lstat(lock, &status) && S_ISREG(status.st_mode) && status.st_nlink == 1);
		cache_flight_fail(cache, flight);
		CHECK(precious(path));
		/* An entry, and what an older version or a dead process left. */
		path_of(4, "", lock);
		CHECK(!join(path, lock));
		CHECK(!get(cache, 4, 10));
		put(cache, 4, 10);
		CHECK(get(cache, 4, 10));
		CHECK(precious(path));
		cache_destroy(cache);
		clear();
	}
}

/* A FIFO or another user's file in the way of the tally must not keep the cache from making room. */
static void room_is_made_whatever_is_in_the_way(void)
{
	enum { SIZE_B = 8000, LIMIT_B = 100000 };
	char tally[256];
	for (unsigned kind = 0; kind < 4; kind++) {
		struct cache *cache = open_cache(LIMIT_B);
		put(cache, 0, 10);
		snprintf(tally, sizeof(tally), "%s/tally", folder);
		(void)unlink(tally);
		if (kind == 0)
			CHECK(!mkfifo(tally, 0600));
		if (kind == 1)
			CHECK(!symlink("/dev/full", tally));
		if (kind == 2)
			CHECK(!mkdir(tally, 0700));
		if (kind == 3) {
			CHECK(!bytes_write_file("", 0, tally));
			(void)is_given_away(tally);
		}
		for (unsigned i = 1; i < 40; i++)
			put(cache, i, SIZE_B);
		CHECK(cache_counts(cache).evictions > 20);
		CHECK(folder_B() <= LIMIT_B);
		cache_destroy(cache);
		clear();
	}
}

static void no_folder_is_no_trouble(void)
{
	static const char *const folders[] = {NULL, "/proc/culvert/cache", "/dev/null",
					      "/dev/null/x"};
	for (unsigned i = 0; i < 4; i++) {
		struct cache *cache = cache_create(folders[i], 1 << 30);
		struct hash key = key_of(1);
		CHECK(!get(cache, 1, 10));
		put(cache, 1, 10);
		CHECK(!get(cache, 1, 10));
		struct cache_flight *flight = cache_flight_begin(cache, &key);
		CHECK(flight != NULL);
		cache_flight_end(cache, flight);
		cache_destroy(cache);
	}
}

/* --- room --- */

static void age(unsigned number, long seconds)
{
	char path[256];
	struct timespec times[2];
	path_of(number, "", path);
	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= seconds;
	times[1] = times[0];
	CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

/* In a child, for the limit is the process's; without a handler the signal ends it. */
static void child_puts_too_much(void)
{
	const struct rlimit limit = {1000, RLIM_INFINITY};
	sigset_t pending;
	struct cache *cache = open_cache(1 << 20);
	signal(SIGXFSZ, SIG_DFL);
	if (!cache || setrlimit(RLIMIT_FSIZE, &limit))
		_exit(1);
	put(cache, 1, 5000);
	put(cache, 2, 100);
	const bool right = !get(cache, 1, 5000) && get(cache, 2, 100);
	const bool quiet = !sigpending(&pending) && !sigismember(&pending, SIGXFSZ) &&
			   !pthread_sigmask(SIG_SETMASK, NULL, &pending) &&
			   !sigismember(&pending, SIGXFSZ);
	_exit(right && quiet ? 0 : 2);
}

/* setrlimit(2), RLIMIT_FSIZE: "Attempts to extend a file beyond this limit result in delivery of a
 * SIGXFSZ signal.  By default, this signal terminates a process". */
static void a_limit_on_files_is_no_trouble(void)
{
	int status = -1;
	fflush(stdout);
	const pid_t child = fork();
	if (!child)
		child_puts_too_much();
	REQUIRE(child > 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	clear();
}

static void the_oldest_make_room(void)
{
	enum { SIZE_B = 8000, LIMIT_B = 100000 };
	struct cache *cache = open_cache(LIMIT_B);
	for (unsigned i = 0; i < 10; i++) {
		put(cache, i, SIZE_B);
		age(i, 10000 - 100 * (long)i);
	}
	/* Used again: it stays.  From the future, after the clock was set back: old. */
	CHECK(get(cache, 0, SIZE_B));
	age(9, -100000);
	char stranger[256];
	snprintf(stranger, sizeof(stranger), "%s/not-ours", folder);
	CHECK(!bytes_write_file("x", 1, stranger));
	put(cache, 10, SIZE_B);
	CHECK(get(cache, 0, SIZE_B));
	CHECK(!get(cache, 9, SIZE_B));
	CHECK(get(cache, 10, SIZE_B));
	CHECK(get(cache, 8, SIZE_B));
	CHECK_EQ(cache_counts(cache).evictions, 1);
	/* The next to go is the oldest but for the one that was used. */
	put(cache, 11, SIZE_B);
	CHECK(get(cache, 0, SIZE_B));
	CHECK(!get(cache, 1, SIZE_B));
	for (unsigned i = 12; i < 100; i++) {
		put(cache, i, SIZE_B);
		CHECK(folder_B() <= LIMIT_B);
		/* Of those of one second the names decide. */
		age(i, 1000 - 10 * (long)i + 9000 * (i == 99));
	}
	CHECK(!access(stranger, F_OK));
	/* One that is larger than all the room is not kept, and costs nobody his place. */
	put(cache, 200, 2 * LIMIT_B);
	CHECK(!get(cache, 200, 2 * LIMIT_B));
	CHECK(get(cache, 99, SIZE_B));
	cache_destroy(cache);
	clear();
}

static void what_was_left_over_goes(void)
{
	struct cache *cache = open_cache(1000);
	char path[256], young[256], older[256];
	struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	put(cache, 1, 10);
	path_of(2, ".new-1-0-0", path);
	path_of(3, ".new-1-0-0", young);
	CHECK(!bytes_write_file("x", 1, path) && !bytes_write_file("x", 1, young));
	CHECK(!utimensat(AT_FDCWD, path, old, 0));
	/* An entry of an older version, whose keys were shorter. */
	snprintf(older, sizeof(older), "%s/0123456789abcdef0123456789abcdef", folder);
	CHECK(!bytes_write_file("x", 1, older) && !utimensat(AT_FDCWD, older, old, 0));
	put(cache, 2, 10);
	CHECK(access(path, F_OK));
	CHECK(access(older, F_OK));
	CHECK(!access(young, F_OK));
	cache_destroy(cache);
	clear();
}

static void sizes_are_read(void)
{
	static const struct {
		const char *text;
		uint64_t size_B;
	} good[] = {{"0", 0}, {"123", 123}, {"1K", 1024}, {"64m", 64 << 20}, {"1G", 1 << 30},
		    {"1073741824", 1 << 30}};
	static const char *const bad[] = {"", "G", "1T", "1GB", "-1", "1 G", "1 ",
					  "99999999999999999999", "99999999999999G"};
	uint64_t size_B;
	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK(option_parse_size(good[i].text, &size_B));
		CHECK_EQ(size_B, good[i].size_B);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!option_parse_size(bad[i], &size_B));
}

/* --- one at a time --- */

static void nap(long ms)
{
	const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	nanosleep(&pause, NULL);
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A compile: leaves a byte in a file, so that all processes' are counted. */
static void make(struct cache *cache, unsigned number, long ms)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/compiles", root);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	CHECK(write(fd, "x", 1) == 1);
	close(fd);
	nap(ms);
	if (number)
		put(cache, number, 3000);
}

static long compiles(void)
{
	struct stat status;
	char path[128];
	snprintf(path, sizeof(path), "%s/compiles", root);
	return stat(path, &status) ? 0 : (long)status.st_size;
}

struct worker {
	struct cache *cache;
	unsigned number;
	bool fail;
};

static void *work(void *argument)
{
	const struct worker *worker = argument;
	struct hash key = key_of(worker->number);
	if (get(worker->cache, worker->number, 3000))
		return NULL;
	struct cache_flight *flight = cache_flight_begin(worker->cache, &key);
	if (worker->fail)
		make(worker->cache, 0, 100);
	else if (!get(worker->cache, worker->number, 3000))
		make(worker->cache, worker->number, 200);
	cache_flight_end(worker->cache, flight);
	CHECK(worker->fail || get(worker->cache, worker->number, 3000));
	return NULL;
}

static void run_threads(unsigned count, unsigned number, bool fail)
{
	pthread_t threads[64];
	struct cache *cache = open_cache(1 << 30);
	struct worker worker = {cache, number, fail};
	for (unsigned i = 0; i < count; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, &worker));
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	CHECK(list_empty(&cache->flights));
	cache_destroy(cache);
}

static void one_compile_for_64_threads_of_16_processes(void)
{
	pid_t children[16];
	for (unsigned i = 0; i < 16; i++) {
		children[i] = fork();
		if (!children[i]) {
			test_failures = 0;
			run_threads(64, 1, false);
			_exit(test_failures != 0);
		}
	}
	for (unsigned i = 0; i < 16; i++) {
		int status = -1;
		CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
		CHECK_EQ(status, 0);
	}
	CHECK_EQ(compiles(), 1);
	/* The entry and the tally: no lock and no temporary is left. */
	char command[128];
	snprintf(command, sizeof(command), "test \"$(ls %s/a/b | wc -l)\" = 2", root);
	CHECK_EQ(system(command), 0);
	clear();
}

/* A compile that fails is everyone's own, and side by side. */
static void failures_do_not_queue_up(void)
{
	double start_s = now_s();
	run_threads(16, 1, true);
	CHECK_EQ(compiles(), 16);
	CHECK(now_s() - start_s < 1.0);
	clear();
}

/* Processes that wait for one that fails try then, and none waits for the next one: each has
 * begun before any ends. */
static void failures_do_not_queue_up_among_processes(void)
{
	enum { WAITERS = 4 };
	struct cache *cache = open_cache(1 << 30);
	struct hash key = key_of(1);
	pid_t children[WAITERS];
	int begun[2], may_end[2];
	char bytes[WAITERS];
	CHECK(!pipe(begun) && !pipe(may_end));
	struct cache_flight *flight = cache_flight_begin(cache, &key);
	for (unsigned i = 0; i < WAITERS; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		close(may_end[1]);
		struct cache *own = open_cache(1 << 30);
		struct cache_flight *mine = cache_flight_begin(own, &key);
		bool told = write(begun[1], "x", 1) == 1 && !read(may_end[0], bytes, 1);
		cache_flight_fail(own, mine);
		_exit(!told || !own->waits);
	}
	nap(300);
	cache_flight_fail(cache, flight);
	size_t count = 0;
	for (double start_s = now_s(); count < WAITERS && now_s() - start_s < 5; nap(1)) {
		int there = 0;
		if (!ioctl(begun[0], FIONREAD, &there) && there > 0)
			count += (size_t)read(begun[0], bytes, sizeof(bytes));
	}
	CHECK_EQ(count, WAITERS);
	close(may_end[1]);
	for (unsigned i = 0; i < WAITERS; i++) {
		int status = -1;
		CHECK_EQ(waitpid(children[i], &status, 0), children[i]);
		CHECK_EQ(status, 0);
	}
	close(begun[0]);
	close(begun[1]);
	close(may_end[0]);
	cache_destroy(cache);
	clear();
}

/* Killed while it compiles: one that waits takes over. */
static void the_dead_are_not_waited_for(void)
{
	struct cache *cache = open_cache(1 << 30);
	struct hash key = key_of(1);
	pid_t child = fork();
	if (!child) {
		cache_flight_begin(cache, &key);
		make(cache, 0, 100000);
		_exit(0);
	}
	while (!compiles())
		nap(1);
	pid_t waiter = fork();
	if (!waiter) {
		test_failures = 0;
		run_threads(4, 1, false);
		_exit(test_failures != 0);
	}
	nap(300);
	CHECK_EQ(compiles(), 1);
	double start_s = now_s();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	int status = -1;
	waitpid(waiter, &status, 0);
	CHECK_EQ(status, 0);
	/* 0.2 s of it are the compile. */
	CHECK(now_s() - start_s < 1.2);
	CHECK_EQ(compiles(), 2);
	cache_destroy(cache);
	clear();
}

/* A child of the host has its flights' list, and no thread that would end them. */
static void a_fork_does_not_wait_for_ever(void)
{
	struct cache *cache = open_cache(1 << 30);
	struct hash key = key_of(1), other = key_of(2);
	struct cache_flight *flight = cache_flight_begin(cache, &other);
	CHECK(flight != NULL);
	cache_flight_end(cache, flight);
	flight = cache_flight_begin(cache, &key);
	pid_t child = fork();
	if (!child) {
		struct cache_flight *mine = cache_flight_begin(cache, &other);
		cache_flight_end(cache, mine);
		/* For this one it waits as any other process does. */
		struct cache_flight *parents = cache_flight_begin(cache, &key);
		cache_flight_end(cache, parents);
		_exit(mine && parents ? 0 : 1);
	}
	nap(100);
	cache_flight_end(cache, flight);
	int status = -1;
	for (double start_s = now_s(); !waitpid(child, &status, WNOHANG); nap(1))
		if (now_s() - start_s > 20)
			kill(child, SIGKILL);
	CHECK_EQ(status, 0);
	cache_destroy(cache);
	clear();
}

/* Puts one after the other into too little room, until it is killed. */
static void put_for_ever(void)
{
	struct cache *cache = open_cache(40000);
	for (unsigned i = 0;; i++) {
		struct hash key = key_of(i % 50);
		struct cache_flight *flight = cache_flight_begin(cache, &key);
		put(cache, i % 50, 2000 + i % 50);
		cache_flight_end(cache, flight);
	}
}

/* Killed at any instant: what is there is whole, and nobody waits for the dead. */
static void kills_leave_it_valid(void)
{
	enum { KILLS = 1000 };
	unsigned found = 0;
	uint32_t random = 1;
	struct cache *cache = open_cache(40000);
	for (unsigned i = 0; i < KILLS; i++) {
		pid_t child = fork();
		if (!child)
			put_for_ever();
		random = random * 1664525u + 1013904223u;
		const struct timespec pause = {.tv_nsec = 300000 + (random >> 8) % 1500000};
		nanosleep(&pause, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		for (unsigned k = i % 10; k < 50; k += 10)
			found += get(cache, k, 2000 + k);
	}
	CHECK(found > KILLS / 10);
	CHECK_EQ(cache_counts(cache).heals, 0);
	/* What the dead left goes with time, and the size is right again. */
	put(cache, 1, 2001);
	char command[128];
	snprintf(command, sizeof(command), "touch -d 1990-01-01 %s/*", folder);
	CHECK_EQ(system(command), 0);
	put(cache, 2, 2002);
	snprintf(command, sizeof(command), "test \"$(ls %s | grep -c -e new -e lock)\" = 0",
		 folder);
	CHECK_EQ(system(command), 0);
	CHECK(folder_B() <= 40000);
	cache_destroy(cache);
	clear();
}

int main(void)
{
	static const struct test_case cases[] = {
		TEST(what_is_put_comes_back), TEST(the_file_is_a_header_and_the_value),
		TEST(damage_is_a_miss_that_heals), TEST(lies_about_sizes_are_refused),
		TEST(what_is_not_ours_is_not_taken), TEST(links_lead_to_no_other_file),
		TEST(room_is_made_whatever_is_in_the_way), TEST(no_folder_is_no_trouble),
		TEST(a_limit_on_files_is_no_trouble), TEST(the_oldest_make_room),
		TEST(what_was_left_over_goes), TEST(sizes_are_read),
		TEST(one_compile_for_64_threads_of_16_processes), TEST(failures_do_not_queue_up),
		TEST(failures_do_not_queue_up_among_processes),
		TEST(the_dead_are_not_waited_for), TEST(a_fork_does_not_wait_for_ever),
		TEST(kills_leave_it_valid),
	};
	if (!mkdtemp(root))
		return 1;
	int status = test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
	rmdir(root);
	return status;
}
