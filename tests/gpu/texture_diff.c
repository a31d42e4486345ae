/* Textures and surfaces of two CUDA drivers, bit by bit.
 *
 *	texture-diff --driver libcuda.so.1 --save hard.bin [--no-traps | --trap N]
 *	texture-diff --driver ./libculvert-softcuda.so --save soft.bin
 *	texture-diff --print
 *	texture-diff --compare hard.bin soft.bin [--show NAME]
 *
 * The last cases end the context, which is then made anew; where that does not work,
 * --trap runs one of the 16 in a process of its own, and the files are joined by cat.
 * --print writes the kernels' PTX.  Each case that differs is a line: how many values,
 * by how many units of the last place at most if they are floats, and the first
 * difference, or the reason why it does not count.  --show prints all values of the
 * cases whose names begin with NAME.  A summary counts by the first words of the names.
 * Exit status: 0 nothing differs, 1 something does, 2 no result. */
#include "config.h"

#include "tests/gpu/texture_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 512, GROUP_WORDS = 3 };

struct group {
	char name[96];
	unsigned cases, different, values, wrong, worst;
};

static struct group groups[GROUPS];
static unsigned group_count, left_out;

static struct group *group_of(const char *name)
{
	char key[96];
	unsigned words = 0;
	size_t size = 0;
	for (; name[size]; size++)
		if (name[size] == ' ' && ++words == GROUP_WORDS)
			break;
	snprintf(key, sizeof(key), "%.*s", (int)size, name);
	for (unsigned i = 0; i < group_count; i++)
		if (!strcmp(groups[i].name, key))
			return &groups[i];
	if (group_count == GROUPS)
		return &groups[GROUPS - 1];
	memcpy(groups[group_count].name, key, sizeof(key));
	return &groups[group_count++];
}

/* One case as read from a file. */
struct outcome {
	struct record record;
	uint32_t (*coordinates)[4], (*values)[4];
};

static bool read_outcome(FILE *file, struct outcome *outcome)
{
	free(outcome->coordinates);
	free(outcome->values);
	outcome->coordinates = outcome->values = NULL;
	if (fread(&outcome->record, sizeof(outcome->record), 1, file) != 1)
		return false;
	uint32_t count = outcome->record.count;
	outcome->coordinates = calloc(count + 1u, 16);
	outcome->values = calloc(count + 1u, 16);
	outcome->record.name[sizeof(outcome->record.name) - 1] = '\0';
	return outcome->coordinates && outcome->values &&
	       fread(outcome->coordinates, 16, count, file) == count &&
	       fread(outcome->values, 16, count, file) == count;
}

/* Floats in the order of their values. */
static int64_t ordered(uint32_t bits)
{
	return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static float real(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void print_item(const struct outcome *a, const struct outcome *b, uint32_t i)
{
	const uint32_t *c = a->coordinates[i];
	printf("    at (%.9g %.9g %.9g %.9g | %d %d %d %d):", real(c[0]), real(c[1]), real(c[2]),
	       real(c[3]), (int)c[0], (int)c[1], (int)c[2], (int)c[3]);
	for (unsigned e = 0; e < 4; e++)
		printf(" %08x(%.9g)%s%08x(%.9g)", a->values[i][e], real(a->values[i][e]),
		       a->values[i][e] == b->values[i][e] ? "==" : "!=", b->values[i][e],
		       real(b->values[i][e]));
	putchar('\n');
}

static void compare_values(const struct outcome *a, const struct outcome *b, struct group *group)
{
	uint32_t first = 0;
	unsigned wrong = 0;
	int64_t worst = 0;
	for (uint32_t i = 0; i < a->record.count; i++)
		for (unsigned e = 0; e < 4; e++) {
			int64_t away = ordered(a->values[i][e]) - ordered(b->values[i][e]);
			away = away < 0 ? -away : away;
			if (a->values[i][e] == b->values[i][e])
				continue;
			first = wrong++ ? first : i;
			worst = away > worst ? away : worst;
		}
	group->values += 4 * a->record.count;
	group->wrong += wrong;
	if (worst > group->worst)
		group->worst = worst > UINT32_MAX ? UINT32_MAX : (unsigned)worst;
	if (!wrong)
		return;
	group->different++;
	printf("%s: %u of %u values, up to %lld units\n", a->record.name, wrong,
	       4 * a->record.count, (long long)worst);
	print_item(a, b, first);
}

/* --- what may differ ---------- */

/* The guide says that CU_TRSF_SRGB converts, not how exactly: a GPU's values have 7 or 8
 * bits of mantissa. */
static bool near_srgb(const struct outcome *a, const struct outcome *b)
{
	if (!strstr(a->record.name, " u8x4 ") || !strstr(a->record.name, " srgb") ||
	    strstr(a->record.name, " raw "))
		return false;
	for (uint32_t i = 0; i < a->record.count; i++)
		for (unsigned e = 0; e < 4; e++)
			if (!(fabsf(real(a->values[i][e]) - real(b->values[i][e])) <= 1 / 128.0f))
				return false;
	return true;
}

/* One side has 0, and nothing else is asked. */
static bool is_missing(const struct outcome *a, const struct outcome *b)
{
	return !strncmp(a->record.name, "attribute ", 10) && a->record.count == 1 &&
	       b->record.count == 1 && (!a->values[0][0] || !b->values[0][0]);
}

/* The reason, or NULL: the difference counts. */
static const char *excuse(const struct outcome *a, const struct outcome *b)
{
	if (a->record.status != b->record.status)
		return !strncmp(a->record.name, "query ", 6) && a->record.status &&
		       b->record.status ?
			"both refuse the query; which code it is refused with is not said" : NULL;
	if (a->record.count != b->record.count)
		return NULL;
	if (is_missing(a, b))
		return "a driver without cubemaps or mipmapped arrays says so";
	return near_srgb(a, b) ? "how exact the conversion of sRGB is, is not said" : NULL;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->record.status == b->record.status && a->record.count == b->record.count &&
	       !memcmp(a->values, b->values, 16 * (size_t)a->record.count);
}

static bool differs(const struct outcome *a, const struct outcome *b)
{
	struct group *group = group_of(a->record.name);
	unsigned before = group->different;
	const char *reason = same(a, b) ? NULL : excuse(a, b);
	group->cases++;
	if (reason) {
		printf("%s: left out: %s\n", a->record.name, reason);
		left_out++;
	} else if (a->record.status != b->record.status || a->record.count != b->record.count) {
		group->different++;
		printf("%s: status %u and %u, %u and %u items\n", a->record.name,
		       a->record.status, b->record.status, a->record.count, b->record.count);
	} else {
		compare_values(a, b, group);
	}
	return group->different != before;
}

static int compare(const char *path_a, const char *path_b, const char *show)
{
	FILE *file_a = fopen(path_a, "rb"), *file_b = fopen(path_b, "rb");
	struct outcome a = {.values = NULL}, b = {.values = NULL};
	unsigned cases = 0, different = 0;
	while (file_a && file_b && read_outcome(file_a, &a) && read_outcome(file_b, &b)) {
		if (strcmp(a.record.name, b.record.name)) {
			printf("'%s' against '%s': not the same corpus\n", a.record.name,
			       b.record.name);
			return 2;
		}
		cases++;
		different += differs(&a, &b);
		for (uint32_t i = 0; show && a.record.count == b.record.count &&
				     !strncmp(a.record.name, show, strlen(show)) &&
				     i < a.record.count; i++)
			print_item(&a, &b, i);
	}
	for (unsigned i = 0; i < group_count; i++)
		if (groups[i].different)
			printf("%-24s %5u of %5u cases, %7u of %8u values, up to %u units\n",
			       groups[i].name, groups[i].different, groups[i].cases,
			       groups[i].wrong, groups[i].values, groups[i].worst);
	printf("%u of %u cases differ, %u left out\n", different, cases, left_out);
	if (file_a)
		fclose(file_a);
	if (file_b)
		fclose(file_b);
	return !cases ? 2 : different != 0;
}

int main(int argc, char **argv)
{
	const char *driver = "libcuda.so.1", *save = NULL, *a = NULL, *b = NULL, *show = NULL;
	int trap = TRAPS_ALL;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--driver") && i + 1 < argc)
			driver = argv[++i];
		else if (!strcmp(argv[i], "--save") && i + 1 < argc)
			save = argv[++i];
		else if (!strcmp(argv[i], "--show") && i + 1 < argc)
			show = argv[++i];
		else if (!strcmp(argv[i], "--no-traps"))
			trap = TRAPS_NONE;
		else if (!strcmp(argv[i], "--trap") && i + 1 < argc)
			trap = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--print")) {
			texture_print();
			return 0;
		} else if (!strcmp(argv[i], "--help")) {
			puts("usage: texture-diff [--driver LIBRARY] --save FILE [--no-traps | --trap N]\n"
			     "       texture-diff --compare FILE FILE [--show NAME]\n"
			     "       texture-diff --print\n"
			     "Stores what a driver's textures and surfaces return, compares two such files, "
			     "or prints the PTX.");
			return 0;
		} else if (!strcmp(argv[i], "--compare") && i + 2 < argc) {
			a = argv[++i];
			b = argv[++i];
		} else {
			fprintf(stderr, "unknown argument '%s'\n", argv[i]);
			return 2;
		}
	}
	if (a)
		return compare(a, b, show);
	FILE *file = save ? fopen(save, "wb") : NULL;
	if (!file) {
		fprintf(stderr, "--save FILE or --compare FILE FILE\n");
		return 2;
	}
	bool done = texture_run(driver, file, trap);
	return fclose(file) || !done ? 2 : 0;
}
