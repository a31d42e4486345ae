/* Times twin kernels: OpenCL C as we compile it against CUDA C as nvcc does.
 *
 *	twins [--small] [--build] [--rounds N] [--code FOLDER] [NAME...]
 *
 * FOLDER has NAME.cubin (or PTX of that name) from tests/bench/codegen/compare.  Each
 * round runs either side in turn; JSON goes to stdout: the median time of a launch of
 * each side in us, and theirs by ours.  --build only builds the OpenCL side; --small
 * takes problems that a software device can do. */
#include "config.h"

#include "tests/bench/codegen/twins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TWIN(name, gx, gy, lx, ly, ...) {#name, {gx, gy}, {lx, ly}, {__VA_ARGS__}},
#define IN(type, count_of) {.kind = ARGUMENT_IN, .element = type, .count = (count_of)}
#define OUT(type, count_of) {.kind = ARGUMENT_OUT, .element = type, .count = (count_of)}
#define INDEX(count_of, below) \
	{.kind = ARGUMENT_INDEX, .element = U32, .count = (count_of), .value = (double)(below)}
#define STEPS(count_of, step) \
	{.kind = ARGUMENT_STEPS, .element = U32, .count = (count_of), .value = (double)(step)}
#define INT(v) {.kind = ARGUMENT_INT, .value = (double)(v)}
#define ULONG(v) {.kind = ARGUMENT_ULONG, .value = (double)(v)}
#define FLOAT(v) {.kind = ARGUMENT_FLOAT, .value = (v)}
#define DOUBLE(v) {.kind = ARGUMENT_DOUBLE, .value = (v)}

enum { TWIN_LIMIT = 64, ROUND_LIMIT = 99 };

struct settings {
	bool small, build_only;
	unsigned rounds;
	const char *code_folder;
	char *const *names;
	int name_count;
};

static unsigned list_twins(struct twin twins_out[TWIN_LIMIT], bool small)
{
	const size_t n = small ? 1 << 12 : 1 << 24, m = small ? 256 : 4096;
	const struct twin twins[] = {
#include "tests/bench/codegen/twins.def"
	};
	_Static_assert(sizeof(twins) / sizeof(*twins) <= TWIN_LIMIT, "they fit");
	memcpy(twins_out, twins, sizeof(twins));
	return sizeof(twins) / sizeof(*twins);
}

char *read_whole(const char *folder, const char *name, const char *ending, size_t *size_B_out)
{
	char path[1024], *data = NULL;
	snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END)) {
		perror(path);
		if (file)
			fclose(file);
		return NULL;
	}
	long size_B = ftell(file);
	rewind(file);
	if (size_B > 0)
		data = calloc(1, (size_t)size_B + 1);
	if (data && fread(data, 1, (size_t)size_B, file) != (size_t)size_B) {
		perror(path);
		free(data);
		data = NULL;
	}
	fclose(file);
	*size_B_out = data ? (size_t)size_B : 0;
	return data;
}

/* --- what the buffers hold at first ------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t random_word(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 32);
}

static void fill_element(const struct argument *argument, size_t i)
{
	uint32_t word = random_word();
	if (argument->kind == ARGUMENT_INDEX)
		word %= (uint32_t)argument->value;
	else if (argument->kind == ARGUMENT_STEPS)
		word = (uint32_t)(i * (size_t)argument->value);
	if (argument->element == U8)
		((uint8_t *)argument->data)[i] = (uint8_t)word;
	else if (argument->element == F16) /* 0.125 to 0.25 */
		((uint16_t *)argument->data)[i] = (uint16_t)(0x3000 | word >> 22);
	else if (argument->element == U32)
		((uint32_t *)argument->data)[i] = word;
	else if (argument->element == F32)
		((float *)argument->data)[i] = (float)(word >> 8) * 0x1p-24f;
	else
		((double *)argument->data)[i] = word * 0x1p-32;
}

static bool fill_buffer(struct argument *argument)
{
	static const size_t sizes_B[] = { [U8] = 1, [F16] = 2, [U32] = 4, [F32] = 4, [F64] = 8 };
	argument->size_B = argument->count * sizes_B[argument->element];
	argument->data = calloc(1, argument->size_B);
	for (size_t i = 0; argument->data && argument->kind != ARGUMENT_OUT &&
			   i < argument->count; i++)
		fill_element(argument, i);
	return argument->data != NULL;
}

static void fill_value(struct argument *argument)
{
	argument->size_B = 4;
	if (argument->kind == ARGUMENT_INT) {
		argument->bits.i = (int32_t)argument->value;
	} else if (argument->kind == ARGUMENT_FLOAT) {
		argument->bits.f = (float)argument->value;
	} else {
		argument->size_B = 8;
		if (argument->kind == ARGUMENT_ULONG)
			argument->bits.u = (uint64_t)argument->value;
		else
			argument->bits.d = argument->value;
	}
}

static bool fill(struct twin *twin)
{
	for (struct argument *argument = twin->arguments; argument->kind; argument++) {
		if (!argument_is_buffer(argument))
			fill_value(argument);
		else if (!fill_buffer(argument))
			return false;
	}
	return true;
}

static void empty(struct twin *twin)
{
	for (struct argument *argument = twin->arguments; argument->kind; argument++)
		free(argument->data);
}

/* --- results -------------------------------------------------------------------------- */

/* The largest difference by the value's size (by 1 below 1); integers: 0 or 1, and so halves,
 * whose twins round alike. */
static double difference(const struct argument *argument, const void *a, const void *b)
{
	double most = 0;
	if (argument->element < F32)
		return memcmp(a, b, argument->size_B) != 0;
	for (size_t i = 0; i < argument->count; i++) {
		bool wide = argument->element == F64;
		double x = wide ? ((const double *)a)[i] : ((const float *)a)[i];
		double y = wide ? ((const double *)b)[i] : ((const float *)b)[i];
		double error = x == y ? 0 : fabs(x - y) / fmax(1, fabs(x));
		most = error <= most ? most : isnan(error) ? INFINITY : error;
	}
	return most;
}

static bool same_results(const struct twin *twin, double *most_out)
{
	bool same = true;
	*most_out = 0;
	for (unsigned i = 0; twin->arguments[i].kind && same; i++) {
		const struct argument *argument = &twin->arguments[i];
		if (argument->kind != ARGUMENT_OUT)
			continue;
		void *ours = malloc(argument->size_B), *theirs = malloc(argument->size_B);
		same = ours && theirs && side_opencl.fetch(twin, i, ours) &&
		       side_cuda.fetch(twin, i, theirs);
		if (same)
			*most_out = fmax(*most_out, difference(argument, ours, theirs));
		free(ours);
		free(theirs);
	}
	/* Sums of a few thousand floats whose products are fused in different places. */
	return same && *most_out < 1e-4;
}

/* --- time ------------------------------------------------------------------------------ */

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static bool timed_run(const struct side *side, unsigned count, double *us_out)
{
	double start = now_us();
	bool ran = side->run(count);
	*us_out = (now_us() - start) / count;
	return ran;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct times {
	double ours_us, theirs_us, ratio;
};

static bool measure(unsigned rounds, struct times *times_out)
{
	double ours[ROUND_LIMIT], theirs[ROUND_LIMIT], ratios[ROUND_LIMIT], once;
	if (!timed_run(&side_opencl, 3, &once) || !timed_run(&side_cuda, 3, &once))
		return false;
	/* Some 10 ms at a time: launches and the last wait then hardly count. */
	unsigned count = once > 10000 ? 1 : once < 10 ? 1000 : (unsigned)(10000 / once);
	for (unsigned i = 0; i < rounds; i++) {
		if (!timed_run(&side_opencl, count, &ours[i]) ||
		    !timed_run(&side_cuda, count, &theirs[i]))
			return false;
		ratios[i] = ours[i] / theirs[i];
	}
	qsort(ours, rounds, sizeof(*ours), compare_times);
	qsort(theirs, rounds, sizeof(*theirs), compare_times);
	qsort(ratios, rounds, sizeof(*ratios), compare_times);
	*times_out = (struct times){ours[rounds / 2], theirs[rounds / 2], ratios[rounds / 2]};
	return true;
}

/* --- the program ------------------------------------------------------------------------ */

static bool run_prepared(const struct twin *twin, const struct settings *settings, double *log_sum)
{
	struct times times;
	double most;
	if (!side_opencl.run(1) || !side_cuda.run(1))
		return false;
	if (!same_results(twin, &most)) {
		fprintf(stderr, "%s: the results differ by %g\n", twin->name, most);
		return false;
	}
	if (!measure(settings->rounds, &times))
		return false;
	printf("%s\n  {\"name\": \"%s\", \"ours_us\": %.2f, \"nvcc_us\": %.2f, \"ratio\": %.4f, "
	       "\"difference\": %.3g}", *log_sum == 0 ? "" : ",", twin->name, times.ours_us,
	       times.theirs_us, times.ratio, most);
	fflush(stdout);
	*log_sum += log(times.ratio);
	return true;
}

static bool run_twin(struct twin *twin, const struct settings *settings, double *log_sum)
{
	bool done = fill(twin) && side_opencl.prepare(twin, settings->code_folder);
	if (done && !settings->build_only)
		done = side_cuda.prepare(twin, settings->code_folder) &&
		       run_prepared(twin, settings, log_sum);
	side_opencl.release();
	if (!settings->build_only)
		side_cuda.release();
	empty(twin);
	return done;
}

static bool is_wanted(const struct twin *twin, const struct settings *settings)
{
	for (int i = 0; i < settings->name_count; i++) {
		if (!strcmp(twin->name, settings->names[i]))
			return true;
	}
	return !settings->name_count;
}

static int run(const struct settings *settings)
{
	struct twin twins[TWIN_LIMIT];
	unsigned count = list_twins(twins, settings->small || settings->build_only);
	unsigned done = 0, failed = 0;
	double log_sum = 0;
	if (!side_opencl.open() || (!settings->build_only && !side_cuda.open()))
		return 1;
	if (!settings->build_only)
		printf("{\"twins\": [");
	for (unsigned i = 0; i < count; i++) {
		if (!is_wanted(&twins[i], settings))
			continue;
		if (run_twin(&twins[i], settings, &log_sum))
			done++;
		else
			failed++;
	}
	if (!settings->build_only)
		printf("\n], \"count\": %u, \"failed\": %u, \"geometric_mean\": %.4f}\n", done,
		       failed, done ? exp(log_sum / done) : 0);
	return failed || !done;
}

int main(int argc, char **argv)
{
	struct settings settings = {.rounds = 9, .code_folder = "twins"};
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--small"))
			settings.small = true;
		else if (!strcmp(argv[i], "--build"))
			settings.build_only = true;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			settings.rounds = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--code") && i + 1 < argc)
			settings.code_folder = argv[++i];
		else
			settings.rounds = 0;
	}
	if (settings.rounds < 1 || settings.rounds > ROUND_LIMIT) {
		fprintf(stderr, "usage: %s [--small] [--build] [--rounds 1..%d] [--code FOLDER] "
			"[NAME...]\n", argv[0], ROUND_LIMIT);
		return 2;
	}
	settings.names = argv + i;
	settings.name_count = argc - i;
	return run(&settings);
}
