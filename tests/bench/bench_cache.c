/* How long a hit takes: reading, checking and unpacking an entry as large as a program
 * with 100 KiB of machine code, by one and by many threads and processes.
 *
 *	bench_cache [FOLDER]        the default is a folder below TMPDIR or /tmp */
#include "config.h"

#include "cache/cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 64, LOOKUPS = 1000, CUBIN_B = 100 << 10, TEXT_B = 200 << 10 };

static struct cache *cache;

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct hash key_of(unsigned number)
{
	return hash_of(&number, sizeof(number));
}

/* Half of it does not compress, as machine code nearly does not; the text does. */
static void fill(struct bytes *value)
{
	uint32_t state = 1;
	for (unsigned i = 0; i < CUBIN_B; i++) {
		state = state * 1664525u + 1013904223u;
		bytes_append_char(value, (char)(i & 1 ? state >> 24 : 0));
	}
	for (unsigned i = 0; value->size_B < CUBIN_B + TEXT_B; i++)
		bytes_printf(value, "\tfma.rn.f32 \t%%f%u, %%f%u, %%f%u, %%f%u;\n", i % 97, i % 89,
			     i % 13, i % 7);
}

static void *look_up(void *misses)
{
	for (unsigned i = 0; i < LOOKUPS; i++) {
		struct bytes value = BYTES_INIT;
		struct hash key = key_of(i % KEYS);
		if (!cache_get(cache, &key, &value))
			++*(unsigned *)misses;
		bytes_finish(&value);
	}
	return NULL;
}

static int run_threads(unsigned count)
{
	pthread_t threads[16];
	unsigned misses[16] = {0}, all = 0;
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, look_up, &misses[i]))
			return 1;
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		all += misses[i];
	}
	return all != 0;
}

static int run_processes(unsigned count)
{
	int bad = 0;
	for (unsigned i = 0; i < count; i++)
		if (!fork())
			_exit(run_threads(1));
	for (unsigned i = 0; i < count; i++) {
		int status = 1;
		wait(&status);
		bad |= status;
	}
	return bad;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* One after the other, each timed: a busy machine shows in the worst, not in the best. */
static int measure_each(void)
{
	static double took_us[LOOKUPS];
	for (unsigned i = 0; i < LOOKUPS; i++) {
		struct bytes value = BYTES_INIT;
		struct hash key = key_of(i % KEYS);
		double start_s = now_s();
		bool found = cache_get(cache, &key, &value);
		took_us[i] = (now_s() - start_s) * 1e6;
		bytes_finish(&value);
		if (!found)
			return 1;
	}
	qsort(took_us, LOOKUPS, sizeof(*took_us), by_number);
	printf("hit       %6.1f us at best, %.1f in the middle, %.1f for one in a hundred\n",
	       took_us[0], took_us[LOOKUPS / 2], took_us[LOOKUPS / 100 * 99]);
	return 0;
}

static int measure(const char *name, int (*run)(unsigned), unsigned count)
{
	double start_s = now_s();
	int bad = run(count);
	double took_s = now_s() - start_s;
	printf("%2u %-9s %8.0f lookups/s, %6.1f us each of one\n", count, name,
	       (double)LOOKUPS * count / took_s, took_s / LOOKUPS * 1e6);
	return bad;
}

int main(int argc, char **argv)
{
	static const unsigned counts[] = {1, 4, 16};
	char folder[4096];
	const char *above = getenv("TMPDIR");
	snprintf(folder, sizeof(folder), "%s/culvert-bench-XXXXXX", above ? above : "/tmp");
	if (argc > 1)
		snprintf(folder, sizeof(folder), "%s", argv[1]);
	else if (!mkdtemp(folder))
		return EXIT_FAILURE;
	struct bytes value = BYTES_INIT;
	cache = cache_create(folder, 1 << 30);
	fill(&value);
	double start_s = now_s();
	for (unsigned i = 0; cache && i < KEYS; i++) {
		struct hash key = key_of(i);
		cache_put(cache, &key, &value);
	}
	printf("put       %6.1f us each\n", (now_s() - start_s) / KEYS * 1e6);
	int bad = !cache || measure_each();
	for (unsigned i = 0; !bad && i < 3; i++)
		bad |= measure("threads", run_threads, counts[i]);
	for (unsigned i = 0; !bad && i < 3; i++)
		bad |= measure("processes", run_processes, counts[i]);
	for (unsigned i = 0; cache && i < KEYS; i++) {
		struct hash key = key_of(i);
		cache_drop(cache, &key);
	}
	cache_destroy(cache);
	bytes_finish(&value);
	if (argc < 2) {
		strcat(folder, "/tally");
		unlink(folder);
		*strrchr(folder, '/') = '\0';
		rmdir(folder);
	}
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
