/* Random kernels by value: what this platform computes, with and without optimisation, beside
 * another platform's results, or those that another one left in a file.
 *
 *	fuzz_kernels [--from N] [--runs N] [--seconds N] PRELUDE [OPTION WORD]...
 *
 * PRELUDE is kernels_prelude.cl; the options behind it are
 *	on NAME          the platform that is tried, Culvert
 *	against NAME     runs the same on another platform
 *	expected FILE    reads what another platform computed, a line for each number from 1
 *	write FILE       writes such lines
 *	show FILE        writes the source of each number, and runs nothing
 *	smaller FILE     writes a source that went wrong there, with all left out that can be */
#include "config.h"

#include "tests/fuzz/kernels_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"", "-cl-opt-disable"};
enum { VARIANTS = 2, EXPECTED_MAX = 4096 };

static struct {
	const char *on, *against, *expected, *write, *show, *smaller;
	struct bytes prelude;
	struct kernels_platform platform, other;
	uint64_t known[EXPECTED_MAX]; /* by number - 1 */
	unsigned known_count;
	unsigned run_count, left_out; /* left out: the other platform gave no results */
	bool opened;
	unsigned first; /* of the variants that are tried */
} it = {.on = "Culvert"};

static bool read_options(const struct fuzz *fuzz)
{
	static const struct {
		const char *name, **value;
	} options[] = {
		{"on", &it.on},	      {"against", &it.against}, {"expected", &it.expected},
		{"write", &it.write}, {"show", &it.show},	{"smaller", &it.smaller},
	};
	for (int a = 1; a + 1 < fuzz->file_count; a += 2)
		for (unsigned o = 0; o < sizeof(options) / sizeof(options[0]); o++)
			if (!strcmp(fuzz->files[a], options[o].name))
				*options[o].value = fuzz->files[a + 1];
	if (!fuzz->file_count || bytes_read_file(&it.prelude, fuzz->files[0])) {
		printf("PRELUDE cannot be read\n");
		return false;
	}
	FILE *file = it.expected ? fopen(it.expected, "r") : NULL;
	unsigned long long sum;
	while (file && it.known_count < EXPECTED_MAX && fscanf(file, "%llx", &sum) == 1)
		it.known[it.known_count++] = sum;
	if (file)
		fclose(file);
	if (!it.expected || it.known_count)
		return true;
	printf("%s has no numbers\n", it.expected);
	return false;
}

static bool open_all(void)
{
	if (it.show || (kernels_platform_open(&it.platform, it.on) &&
			(!it.against || kernels_platform_open(&it.other, it.against))))
		return true;
	printf("skipped: no such platform\n");
	return false;
}

static uint64_t digest(const struct kernels_result *result)
{
	const unsigned char *bytes = (const unsigned char *)result;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	for (size_t b = 0; b < sizeof(*result); b++)
		sum = (sum ^ bytes[b]) * UINT64_C(0x100000001b3);
	return sum;
}

static void tell(const struct kernels_source *source, const char *which,
		 const struct kernels_result *is, const struct kernels_result *right)
{
	printf("number %llu %s: sums", (unsigned long long)source->number, which);
	for (unsigned s = 0; s < KERNELS_SUMS; s++)
		for (unsigned i = 0; i < KERNELS_ITEMS; i++)
			if (is->sums[i][s] != right->sums[i][s]) {
				printf(" %u of item %u,", s, i);
				break;
			}
	for (unsigned i = 0; i < KERNELS_ITEMS * KERNELS_OWN; i++)
		if (is->own_half[i] != right->own_half[i]) {
			printf(" half %u of item %u is %x, not %x,", i % KERNELS_OWN,
			       i / KERNELS_OWN, is->own_half[i], right->own_half[i]);
			break;
		}
	for (unsigned b = 0; b < KERNELS_SHARED_B; b++)
		if (is->shared[b] != right->shared[b]) {
			printf(" shared byte %u is %x, not %x,", b, is->shared[b], right->shared[b]);
			break;
		}
	printf("%s%s%s\n",
	       memcmp(is->counters, right->counters, sizeof(is->counters)) ? " counters" : "",
	       memcmp(is->own, right->own, sizeof(is->own)) ? " own" : "",
	       memcmp(is->own_half, right->own_half, sizeof(is->own_half)) ? " halves" : "");
}

/* Whether all runs of a source agree. */
static bool agree(struct kernels_source *source, bool tells)
{
	static struct kernels_result right, is;
	bytes_finish(&source->text);
	kernels_make(source);
	bool known = it.against != NULL, good = true;
	it.run_count++;
	if (known && !kernels_run(&it.other, &it.prelude, source, "", &right)) {
		it.left_out++;
		return true;
	}
	for (unsigned v = it.first; v < VARIANTS; v++) {
		if (!kernels_run(&it.platform, &it.prelude, source, variants[v], &is))
			return false;
		if (known && memcmp(&is, &right, sizeof(is))) {
			if (tells)
				tell(source, variants[v], &is, &right);
			good = false;
		}
		if (!known)
			right = is;
		known = true;
	}
	uint64_t number = source->number, sum = digest(&right);
	if (!source->without && number - 1 < it.known_count && it.known[number - 1] != sum) {
		printf("number %llu gives %llx, not %llx\n", (unsigned long long)number,
		       (unsigned long long)sum, (unsigned long long)it.known[number - 1]);
		good = false;
	}
	FILE *file = it.write && !source->without ? fopen(it.write, "a") : NULL;
	if (file) {
		fprintf(file, "%016llx\n", (unsigned long long)sum);
		fclose(file);
	}
	return good;
}

static bool keep(const char *path, const struct kernels_source *source)
{
	struct bytes all = BYTES_INIT;
	bytes_printf(&all, "#define LOCAL %u\n%s%s", source->local, bytes_string(&it.prelude),
		     bytes_string(&source->text));
	bool good = !bytes_failed(&all) && !bytes_write_file(all.data, all.size_B, path);
	bytes_finish(&all);
	return good;
}

/* Leaves out ever smaller runs of pieces while it stays wrong. */
static void make_smaller(struct kernels_source *source)
{
	static bool without[KERNELS_PIECES];
	memset(without, 0, sizeof(without));
	/* Where the other platform says what is right, the quicker variant alone will do. */
	it.first = it.against ? VARIANTS - 1 : 0;
	if (agree(source, false))
		it.first = 0;
	unsigned pieces = source->pieces < KERNELS_PIECES ? source->pieces : KERNELS_PIECES;
	for (unsigned step = pieces / 2; step; step /= 2)
		for (unsigned from = 0; from < pieces; from += step) {
			bool before[KERNELS_PIECES], changed = false;
			memcpy(before, without, sizeof(before));
			for (unsigned p = from; p < from + step && p < pieces; p++) {
				changed = changed || !without[p];
				without[p] = true;
			}
			struct kernels_source less = {.number = source->number, .without = without};
			if (changed && agree(&less, false))
				memcpy(without, before, sizeof(before));
			bytes_finish(&less.text);
		}
	it.first = 0;
	struct kernels_source least = {.number = source->number, .without = without};
	agree(&least, true);
	keep(it.smaller, &least);
	bytes_finish(&least.text);
}

static bool run(struct fuzz *fuzz)
{
	if (!it.opened && !read_options(fuzz))
		exit(2);
	if (!it.opened && !open_all())
		exit(77);
	it.opened = true;
	struct kernels_source source = {.number = fuzz->number};
	bool good = true;
	if (it.show) {
		kernels_make(&source);
		good = keep(it.show, &source);
	} else {
		good = agree(&source, true);
		if (!good && it.smaller)
			make_smaller(&source);
	}
	bytes_finish(&source.text);
	return good;
}

int main(int argc, char **argv)
{
	/* What was found stays, whatever ends a compiler in this process. */
	(void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	int status = fuzz_main(argc, argv, run);
	if (it.left_out)
		printf("%u of %u not compared, because %s failed\n", it.left_out, it.run_count, it.against);
	if (!status && it.left_out == it.run_count && it.run_count)
		status = 1;
	kernels_platform_close(&it.platform);
	kernels_platform_close(&it.other);
	bytes_finish(&it.prelude);
	return status;
}
