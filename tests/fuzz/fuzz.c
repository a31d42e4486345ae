#include "config.h"

#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint32_t fuzz_number(struct fuzz *fuzz, uint32_t below)
{
	fuzz->state = fuzz->state * 6364136223846793005u + 1442695040888963407u;
	return below ? (uint32_t)(fuzz->state >> 33) % below : 0;
}

/* --- mutations ------------------------------------------------------------------------ */

struct span {
	size_t at_B, size_B;
};

static bool word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A word somewhere, or what lies between words. */
static struct span some_word(struct fuzz *fuzz, const struct bytes *text)
{
	size_t at = fuzz_number(fuzz, (uint32_t)text->size_B), end = at;
	bool word = word_byte(text->data[at]);
	while (at && word_byte(text->data[at - 1]) == word && end - at < 64)
		at--;
	while (end < text->size_B && word_byte(text->data[end]) == word && end - at < 64)
		end++;
	return (struct span){at, end - at};
}

static void replace(struct bytes *text, struct span span, const void *with, size_t with_B)
{
	struct bytes fresh = BYTES_INIT;
	bytes_append(&fresh, text->data, span.at_B);
	bytes_append(&fresh, with, with_B);
	bytes_append(&fresh, text->data + span.at_B + span.size_B,
		     text->size_B - span.at_B - span.size_B);
	bytes_finish(text);
	bytes_move(text, &fresh);
}

static void replace_by_own_word(struct fuzz *fuzz, struct bytes *text)
{
	char copy[128];
	struct span from = some_word(fuzz, text), to = some_word(fuzz, text);
	size_t size_B = from.size_B < sizeof(copy) ? from.size_B : sizeof(copy);
	memcpy(copy, text->data + from.at_B, size_B);
	replace(text, to, copy, size_B);
}

static void mutate_once(struct fuzz *fuzz, struct bytes *text)
{
	static const char *const edges[] = {
		"0", "-1", "4294967295", "9223372036854775807", "0x1p-149f", "((", "]", "/*", "\"",
		"local", "global", "constant", "generic", "double16", "half3", "int", "*", "&",
		"[1<<30]", "barrier(0)", "return", "goto x;", "while(1)", "#define k", "\\\n", "%",
	};
	enum { EDGES = sizeof(edges) / sizeof(edges[0]) };
	const char *edge = edges[fuzz_number(fuzz, EDGES)];
	size_t at = fuzz_number(fuzz, (uint32_t)text->size_B);
	switch (fuzz_number(fuzz, 6)) {
	case 0:
		text->data[at] = (char)fuzz_number(fuzz, 256);
		break;
	case 1:
		replace(text, some_word(fuzz, text), edge, strlen(edge));
		break;
	case 2:
		replace(text, some_word(fuzz, text), "", 0);
		break;
	case 3:
		replace(text, (struct span){at, 0}, edge, strlen(edge));
		break;
	default:
		replace_by_own_word(fuzz, text);
	}
}

void fuzz_mutate(struct fuzz *fuzz, const struct bytes *good, struct bytes *bad)
{
	bytes_append(bad, good->data, good->size_B);
	if (bad->size_B && !fuzz_number(fuzz, 16))
		replace(bad, (struct span){fuzz_number(fuzz, (uint32_t)bad->size_B), 0}, "", 0);
	for (uint32_t n = 1 + fuzz_number(fuzz, 4); n && bad->size_B; n--)
		mutate_once(fuzz, bad);
}

/* Kinds of words; each ends in NULL. */
static const char *const kinds[][10] = {
	{"float", "double", "int", "uint", "long", "short", "uchar", "half"},
	{"float4", "double4", "int4", "uint4", "long4", "char4", "half4"},
	{"float2", "double2", "int2", "ulong2", "short2", "half2"},
	{" + ", " - ", " * ", " / ", " % ", " & ", " << ", " >> "},
	{" < ", " > ", " <= ", " >= ", " == ", " != "},
	{"++", "--"},
	{"global", "local", "constant", "private", ""},
	{"get_global_id(0)", "get_local_id(0)", "get_group_id(0)", "get_global_size(1)"},
	{"sqrt", "fabs", "log", "exp", "floor", "native_sin", "rint", "-"},
	{"fma(", "mad(", "clamp(", "mix("},
	{"0", "1", "-1", "16", "255", "4294967295", "0.5f", "1e300"},
	{"restrict", "volatile", "const", ""},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), KIND_MAX = 10 };

static const char *word_of(struct fuzz *fuzz, const char *const *kind)
{
	uint32_t count = 0;
	while (count < KIND_MAX && kind[count])
		count++;
	return kind[fuzz_number(fuzz, count)];
}

static bool exchange_once(struct fuzz *fuzz, struct bytes *text)
{
	const char *const *kind = kinds[fuzz_number(fuzz, KINDS)];
	const char *word = word_of(fuzz, kind), *with = word_of(fuzz, kind);
	size_t start_B = fuzz_number(fuzz, (uint32_t)text->size_B);
	const char *found = *word ? strstr(bytes_string(text) + start_B, word) : NULL;
	if (!found)
		return false;
	replace(text, (struct span){(size_t)(found - text->data), strlen(word)}, with,
		strlen(with));
	return true;
}

void fuzz_exchange(struct fuzz *fuzz, const struct bytes *good, struct bytes *other)
{
	bytes_append(other, good->data, good->size_B);
	for (uint32_t n = 1 + fuzz_number(fuzz, 4), tries = 200; n && tries; tries--)
		n -= exchange_once(fuzz, other);
}

/* --- runs ------------------------------------------------------------------------------ */

enum { THREADS_MOST = 64 };

/* What the threads share. */
static struct {
	bool (*run)(struct fuzz *fuzz);
	char **files;
	int file_count;
	uint64_t from, runs;         /* runs 0: until end_s */
	time_t end_s;                /* 0: until all runs were made */
	int last;                    /* the file that FUZZ_LAST names; -1: none */
	atomic_uint_fast64_t begun, made, wrong;
} all;

/* The file is written in place: one that is truncated and closed waits for the disk on some file systems. */
static void note(uint64_t number)
{
	char line[32];
	const int length = snprintf(line, sizeof(line), "%-20llu\n", (unsigned long long)number);
	if (all.last >= 0 && pwrite(all.last, line, (size_t)length, 0) != length)
		printf("FUZZ_LAST: the number of the run cannot be written\n");
}

static void *runs_make(void *unused)
{
	(void)unused;
	while (!all.end_s || time(NULL) < all.end_s) {
		const uint64_t begun = atomic_fetch_add(&all.begun, 1);
		if (all.runs && begun >= all.runs)
			break;
		struct fuzz fuzz = {.number = all.from + begun, .files = all.files,
				    .file_count = all.file_count};
		fuzz.state = fuzz.number * 0x9e3779b97f4a7c15u;
		note(fuzz.number);
		if (!all.run(&fuzz)) {
			printf("wrong: --from %llu --runs 1\n", (unsigned long long)fuzz.number);
			atomic_fetch_add(&all.wrong, 1);
		}
		atomic_fetch_add(&all.made, 1);
	}
	return NULL;
}

static void threads_run(unsigned count)
{
	pthread_t threads[THREADS_MOST];
	unsigned started = 0;
	while (started + 1 < count && !pthread_create(&threads[started], NULL, runs_make, NULL))
		started++;
	runs_make(NULL);
	while (started)
		pthread_join(threads[--started], NULL);
}

int fuzz_main(int argc, char **argv, bool (*run)(struct fuzz *fuzz))
{
	uint64_t seconds = 0, threads = 1;
	const char *name = strrchr(argv[0], '/');
	name = name ? name + 1 : argv[0];
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: %s [--seconds N] [--runs N] [--from N] [--threads N] [ARGUMENT...]\n"
		       "Makes random runs and prints those that go wrong, by their numbers.  The comment at the "
		       "beginning of\n"
		       "tests/fuzz/%s.c describes the arguments.\n", name, name);
		return 0;
	}
	const char *last = getenv("FUZZ_LAST");
	all.last = last ? open(last, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	all.run = run;
	all.from = 1;
	for (; argc > 2 && !strncmp(argv[1], "--", 2); argv += 2, argc -= 2) {
		const uint64_t number = strtoull(argv[2], NULL, 10);
		if (!strcmp(argv[1], "--seconds"))
			seconds = number;
		else if (!strcmp(argv[1], "--runs"))
			all.runs = number;
		else if (!strcmp(argv[1], "--from"))
			all.from = number;
		else if (!strcmp(argv[1], "--threads"))
			threads = number;
	}
	all.files = argv + 1;
	all.file_count = argc - 1;
	if (!seconds && !all.runs)
		all.runs = 100;
	all.end_s = seconds ? time(NULL) + (time_t)seconds : 0;
	threads_run(threads < THREADS_MOST ? (unsigned)threads : THREADS_MOST);
	if (all.last >= 0)
		close(all.last);
	const uint64_t wrong = atomic_load(&all.wrong);
	printf("%s: %llu runs, %llu wrong\n", name, (unsigned long long)atomic_load(&all.made),
	       (unsigned long long)wrong);
	return wrong ? 1 : 0;
}
