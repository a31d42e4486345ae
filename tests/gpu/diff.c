/* The differential test: random PTX programs on two CUDA drivers, bit for bit.
 *
 *	diff --driver PATH --save FILE [--seed S] [--count N] [--first I] [--sm SM]
 *		runs programs I .. I+N-1 of seed S on the driver at PATH
 *	diff --compare A B
 *		compares two such files; exit status 1 when they differ
 *	diff --print I [--seed S] [--sm SM]
 *		prints program I as a module
 *
 * S is 1, N 600, I 0 and SM 90 unless given.  One program of one seed is the same
 * everywhere.  The values that differ though all that they come from is equal are
 * printed with their instruction, operands and bits (A's and B's), and counted by
 * instruction; --first I --count 1 repeats one.  tests/gpu/softcuda-diff does it all. */
#include "config.h"

#include "tests/gpu/diff_compare.h"
#include "tests/gpu/diff_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
	uint64_t seed;
	uint32_t first, count, sm, unused;
};

static int save(const char *driver, const char *path, const struct head *head)
{
	struct bytes results = BYTES_INIT;
	bytes_append(&results, head, sizeof(*head));
	if (!diff_run(driver, head->seed, head->first, head->count, head->sm, &results))
		return 2;
	int error = bytes_write_file(results.data, results.size_B, path);
	if (error)
		fprintf(stderr, "%s: %s\n", path, strerror(error));
	bytes_finish(&results);
	return error ? 2 : 0;
}

/* A file of results, read program by program. */
struct reader {
	struct bytes data;
	size_t at;
	bool cut;
};

/* The slots of the next program, NULL when it failed there. */
static uint64_t *next(struct reader *reader, const struct diff_program *program)
{
	uint32_t status;
	size_t size_B = (size_t)8 * DIFF_LANES * (program->count - DIFF_INPUTS);
	reader->cut |= reader->at + sizeof(status) > reader->data.size_B;
	if (reader->cut)
		return NULL;
	memcpy(&status, reader->data.data + reader->at, sizeof(status));
	reader->at += sizeof(status);
	if (status)
		return NULL;
	reader->cut |= reader->at + size_B > reader->data.size_B;
	uint64_t *slots = reader->cut ? NULL : malloc(size_B);
	if (slots)
		memcpy(slots, reader->data.data + reader->at, size_B);
	reader->at += size_B;
	return slots;
}

static int compare(const char *path_a, const char *path_b)
{
	struct reader a = {0}, b = {0};
	struct head head, other;
	if (bytes_read_file(&a.data, path_a) || bytes_read_file(&b.data, path_b) ||
	    a.data.size_B < sizeof(head) || b.data.size_B < sizeof(head)) {
		fprintf(stderr, "%s or %s cannot be read\n", path_a, path_b);
		return 2;
	}
	memcpy(&head, a.data.data, sizeof(head));
	memcpy(&other, b.data.data, sizeof(other));
	a.at = b.at = sizeof(head);
	if (memcmp(&head, &other, sizeof(head)) != 0) {
		fprintf(stderr, "%s and %s are of different programs\n", path_a, path_b);
		return 2;
	}
	struct diff_counts counts = {0};
	static struct diff_program program;
	for (unsigned i = 0; i < head.count; i++) {
		if (!diff_program_make(&program, head.seed, head.first + i, head.sm))
			return 2;
		uint64_t *slots_a = next(&a, &program), *slots_b = next(&b, &program);
		diff_compare(&program, head.seed, slots_a, slots_b, &counts);
		free(slots_a);
		free(slots_b);
		diff_program_finish(&program);
	}
	diff_compare_summary(&counts);
	bytes_finish(&a.data);
	bytes_finish(&b.data);
	return counts.different || counts.failed;
}

static int print(unsigned index, const struct head *head)
{
	static struct diff_program program;
	struct bytes text = BYTES_INIT;
	if (!diff_program_make(&program, head->seed, index, head->sm))
		return 2;
	diff_program_header(&text, head->sm);
	bytes_append(&text, bytes_string(&program.text), program.text.size_B);
	fputs(bytes_string(&text), stdout);
	bytes_finish(&text);
	diff_program_finish(&program);
	return 0;
}

int main(int argc, char **argv)
{
	struct head head = {.seed = 1, .count = 600, .sm = 90};
	const char *driver = NULL, *path = NULL, *printed = NULL;
	for (int i = 1; i + 1 < argc; i += 2) {
		const char *value = argv[i + 1];
		if (!strcmp(argv[i], "--compare") && i + 2 < argc)
			return compare(value, argv[i + 2]);
		if (!strcmp(argv[i], "--driver"))
			driver = value;
		else if (!strcmp(argv[i], "--save"))
			path = value;
		else if (!strcmp(argv[i], "--print"))
			printed = value;
		else if (!strcmp(argv[i], "--seed"))
			head.seed = strtoull(value, NULL, 0);
		else if (!strcmp(argv[i], "--count"))
			head.count = (uint32_t)strtoul(value, NULL, 0);
		else if (!strcmp(argv[i], "--first"))
			head.first = (uint32_t)strtoul(value, NULL, 0);
		else if (!strcmp(argv[i], "--sm"))
			head.sm = (uint32_t)strtoul(value, NULL, 0);
		else
			break;
	}
	if (printed)
		return print((unsigned)strtoul(printed, NULL, 0), &head);
	if (driver && path)
		return save(driver, path, &head);
	fprintf(stderr, "usage: diff --driver PATH --save FILE | --compare A B | --print I\n"
			"       [--seed S] [--count N] [--first I] [--sm SM]\n");
	return 2;
}
