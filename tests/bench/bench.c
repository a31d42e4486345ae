#include "config.h"

#include "tests/bench/bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 31, THREADS = 64 };

struct bench bench;

void bench_fail(const char *file, int line, const char *what, int code)
{
	fflush(stdout);
	fprintf(stderr, "%s:%d: %s: %d\n", file, line, what, code);
	exit(1);
}

void bench_start(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			bench.quick = true;
		else if (!strcmp(argv[i], "--tiny"))
			bench.tiny = true;
		else if (!strcmp(argv[i], "--platform") && i + 1 < argc)
			bench.platform = argv[++i];
		else if (!strcmp(argv[i], "--code") && i + 1 < argc)
			bench.code = argv[++i];
		else if (!strcmp(argv[i], "--only") && i + 1 < argc)
			bench.only = argv[++i];
		else {
			fprintf(stderr, "usage: %s [--quick | --tiny] [--platform NAME] "
				"[--code FOLDER] [--only TEXT]\n", argv[0]);
			exit(2);
		}
	}
}

size_t bench_pick(size_t full, size_t quick, size_t tiny)
{
	return bench.tiny ? tiny : bench.quick ? quick : full;
}

static double clock_us(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

double bench_us(void)
{
	return clock_us(CLOCK_MONOTONIC);
}

double bench_core_us(void)
{
	return clock_us(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_row(const char *group, const char *name, const char *unit, enum better better,
	       bench_sample *sample, void *context)
{
	const double limit_us = (double)bench_pick(250000, 80000, 0);
	const unsigned least = (unsigned)bench_pick(4, 3, 1);
	double samples[SAMPLES];
	unsigned count = 0;
	bool measured = sample(context) >= 0;
	const double start_us = bench_us();
	while (measured && count < SAMPLES &&
	       (count < least || bench_us() - start_us < limit_us)) {
		samples[count] = sample(context);
		measured = samples[count++] >= 0;
	}
	if (measured)
		rows_add(group, name, unit, better, samples, count);
	else
		rows_skip(group, name, "not measured");
}

const char *bench_size(size_t size_B)
{
	static char texts[4][32];
	static unsigned next;
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	unsigned unit = 0;
	char *text = texts[next++ % 4];
	for (; size_B >= 1024 && size_B % 1024 == 0 && unit < 3; unit++)
		size_B /= 1024;
	snprintf(text, sizeof(texts[0]), "%zu %s", size_B, units[unit]);
	return text;
}

/* --- threads ------------------------------------------------------------------------- */

struct crew {
	void (*run)(void *context, unsigned index);
	void *context;
	pthread_barrier_t ready;
};

struct member {
	struct crew *crew;
	unsigned index;
	double start_us, end_us;
};

static void *member_main(void *data)
{
	struct member *member = data;
	pthread_barrier_wait(&member->crew->ready);
	member->start_us = bench_us();
	member->crew->run(member->crew->context, member->index);
	member->end_us = bench_us();
	return NULL;
}

double bench_threads_us(unsigned count, void (*run)(void *context, unsigned index), void *context)
{
	struct crew crew = {.run = run, .context = context};
	struct member members[THREADS];
	pthread_t threads[THREADS];
	if (!count || count > THREADS || pthread_barrier_init(&crew.ready, NULL, count))
		bench_fail(__FILE__, __LINE__, "threads", (int)count);
	for (unsigned i = 0; i < count; i++) {
		members[i] = (struct member){.crew = &crew, .index = i};
		const int code = pthread_create(&threads[i], NULL, member_main, &members[i]);
		if (code)
			bench_fail(__FILE__, __LINE__, "pthread_create", code);
	}
	double start_us = 0, end_us = 0;
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		start_us = !i || members[i].start_us < start_us ? members[i].start_us : start_us;
		end_us = !i || members[i].end_us > end_us ? members[i].end_us : end_us;
	}
	pthread_barrier_destroy(&crew.ready);
	return end_us - start_us;
}
