/* How long programs take from source to kernels: cold and warm, by one thread and by many,
 * in this process and in new ones.
 *
 *	bench_build [--quick | --tiny] [--platform NAME] [--kernels FOLDER] [--stages]
 *	cuda_build  the same, by CUDA's run-time compiler
 *
 * FOLDER (TWIN_SOURCES by default) has files of kernels that are built one after the other,
 * as a program would that starts.  --stages instead tells what Culvert spends the time on, as it says itself.
 * Cold: a program that nobody has built before; warm: one that was built before. */
#include "config.h"

#include "tests/bench/bench.h"
#include "tests/bench/build/builder.h"
#include "tests/bench/build/children.h"
#include "tests/bench/build/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 31, THREADS = 16, SALT_B = 48, NAME_B = 96, STAGES = 32 };

static struct {
	bool stages;
	const char *kernels;
} settings;

static const struct text {
	const char *name;
	char *(*make)(const char *prologue, const char *salt);
} texts[] = {{"trivial", source_trivial}, {"500 lines", source_500_lines}};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

static unsigned pick(unsigned full, unsigned quick, unsigned tiny)
{
	return (unsigned)bench_pick(full, quick, tiny);
}

/* A program's name that was not there before, in this process or another. */
static const char *new_salt(char salt[SALT_B])
{
	static unsigned count;
	snprintf(salt, SALT_B, "%lx_%llx_%u", (long)getpid(),
		 (unsigned long long)(bench_us() * 1e3),
		 __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
	return salt;
}

static double build_text(const struct text *text, const char *salt)
{
	char *source = text->make(builder_facts.program, salt);
	const double took_ms = builder_ms(source, false);
	free(source);
	return took_ms;
}

static void row(const char *group, const char *name, double *samples, unsigned count)
{
	bool good = true;
	for (unsigned i = 0; i < count; i++)
		good = good && samples[i] >= 0;
	if (builder_missing())
		rows_skip(group, name, builder_missing());
	else if (good)
		rows_add(group, name, "ms", LOWER, samples, count);
	else
		rows_skip(group, name, "a build failed");
}

static bool skip_where_nothing_is_kept(const char *name)
{
	if (!builder_facts.keeps)
		rows_skip("build", name, "NVRTC has no cache");
	return !builder_facts.keeps;
}

/* --- one thread -------------------------------------------------------------------------- */

static void measure_cold(const struct text *text)
{
	double samples[SAMPLES];
	char salt[SALT_B], name[NAME_B];
	const unsigned count = text->make == source_trivial ? pick(25, 9, 2) : pick(7, 3, 1);
	build_text(text, new_salt(salt));
	for (unsigned i = 0; i < count; i++)
		samples[i] = build_text(text, new_salt(salt));
	snprintf(name, sizeof(name), "%s, cold", text->name);
	row("build", name, samples, count);
}

static void measure_again(const struct text *text)
{
	double samples[SAMPLES];
	char salt[SALT_B], name[NAME_B];
	const unsigned count = pick(25, 9, 2);
	snprintf(name, sizeof(name), "%s, again", text->name);
	if (skip_where_nothing_is_kept(name))
		return;
	build_text(text, new_salt(salt));
	for (unsigned i = 0; i < count; i++)
		samples[i] = build_text(text, salt);
	row("build", name, samples, count);
}

/* --- new processes ------------------------------------------------------------------------ */

static double child_build(const struct text *text, const char *salt)
{
	const char *const arguments[] = {bench.platform ? bench.platform : "", "text",
					 text->name, salt, NULL};
	return child_run(arguments, NULL);
}

static void measure_first(const struct text *text)
{
	double samples[SAMPLES];
	char salt[SALT_B], name[NAME_B];
	const unsigned count = pick(9, 3, 1);
	for (unsigned i = 0; i < count; i++)
		samples[i] = child_build(text, new_salt(salt));
	snprintf(name, sizeof(name), "%s, cold, the first of a process", text->name);
	row("build", name, samples, count);
}

static void measure_new_process(const struct text *text)
{
	double samples[SAMPLES];
	char salt[SALT_B], name[NAME_B];
	const unsigned count = pick(15, 5, 1);
	snprintf(name, sizeof(name), "%s, in a new process", text->name);
	if (skip_where_nothing_is_kept(name))
		return;
	child_build(text, new_salt(salt));
	for (unsigned i = 0; i < count; i++)
		samples[i] = child_build(text, salt);
	row("build", name, samples, count);
}

/* --- many threads ------------------------------------------------------------------------- */

struct crew {
	char *sources[THREADS];
	bool failed[THREADS];
};

static void crew_build(void *context, unsigned index)
{
	struct crew *crew = context;
	crew->failed[index] = builder_ms(crew->sources[index], false) < 0;
}

/* From the first one's start to the last one's end. */
static double threads_sample(const struct text *text, unsigned count, bool distinct)
{
	struct crew crew;
	char salt[SALT_B];
	new_salt(salt);
	for (unsigned i = 0; i < count; i++)
		crew.sources[i] = text->make(builder_facts.program,
					     distinct ? new_salt(salt) : salt);
	double took_ms = bench_threads_us(count, crew_build, &crew) / 1e3;
	for (unsigned i = 0; i < count; i++) {
		free(crew.sources[i]);
		if (crew.failed[i])
			took_ms = -1;
	}
	return took_ms;
}

static void measure_threads(const struct text *text, unsigned count, bool distinct)
{
	double samples[SAMPLES];
	char name[NAME_B];
	const unsigned rounds = pick(3, 1, 1);
	/* What is made once for each thread is made now. */
	threads_sample(&texts[0], count, true);
	for (unsigned i = 0; i < rounds; i++) {
		samples[i] = threads_sample(text, count, distinct);
		if (distinct)
			samples[i] /= count;
	}
	snprintf(name, sizeof(name), distinct ? "%s, %u threads, each of %u programs"
					      : "%s, %u threads, one program, all %u",
		 text->name, count, count);
	row("build", name, samples, rounds);
}

/* --- files -------------------------------------------------------------------------------- */

static double build_file(const char *text, const char *salt)
{
	char *source = source_salted(text, salt);
	const double took_ms = builder_ms(source, true);
	free(source);
	return took_ms;
}

static void measure_files(const struct source_files *files)
{
	double samples[SAMPLES];
	char salt[SALT_B];
	const unsigned count = pick(7, 3, 1);
	for (unsigned file = 0; file < files->count && file < pick(-1u, -1u, 2); file++) {
		for (unsigned i = 0; i < count; i++)
			samples[i] = build_file(files->texts[file], new_salt(salt));
		row("build kernels", files->names[file], samples, count);
	}
}

/* A program's start: a new process that builds all files, one after the other. */
static double child_files(const char *salt)
{
	const char *const arguments[] = {bench.platform ? bench.platform : "",
					 bench.tiny ? "two files" : "files", settings.kernels,
					 salt, NULL};
	return child_run(arguments, NULL);
}

static void measure_start(void)
{
	double cold[SAMPLES], warm[SAMPLES];
	char salt[SALT_B];
	const unsigned count = pick(5, 3, 1);
	for (unsigned i = 0; i < count; i++) {
		children_forget();
		cold[i] = child_files(new_salt(salt));
		if (builder_facts.keeps)
			warm[i] = child_files(salt);
	}
	row("build", "all kernels, cold start", cold, count);
	if (!skip_where_nothing_is_kept("all kernels, warm start"))
		row("build", "all kernels, warm start", warm, count);
}

/* --- CLBlast ------------------------------------------------------------------------------ */

static double child_clblast(void)
{
	const char *const arguments[] = {bench.platform ? bench.platform : "", "clblast", "", "",
					 NULL};
	return child_run(arguments, NULL);
}

/* Cold: in a new folder of what was built; warm: another process with that folder. */
static void measure_clblast(void)
{
	double cold[SAMPLES], warm[SAMPLES];
	const unsigned count = pick(5, 3, 1);
	bool good = builder_facts.clblast_ms != NULL;
	for (unsigned i = 0; good && i < count; i++) {
		children_forget();
		cold[i] = child_clblast();
		warm[i] = child_clblast();
		good = cold[i] >= 0 && warm[i] >= 0;
	}
	if (good) {
		row("build", "CLBlast, cold start", cold, count);
		row("build", "CLBlast, warm start", warm, count);
	} else {
		rows_skip("build", "CLBlast, cold start", "CLBlast was not installed");
		rows_skip("build", "CLBlast, warm start", "CLBlast was not installed");
	}
}

/* --- stages ------------------------------------------------------------------------------- */

struct stage {
	char name[NAME_B];
	double samples[SAMPLES];
	unsigned count;
};

struct stages {
	struct stage all[STAGES];
	unsigned count;
};

static void stage_note(void *state, const char *name, double us)
{
	struct stages *stages = state;
	unsigned i = 0;
	while (i < stages->count && strcmp(stages->all[i].name, name))
		i++;
	if (i == STAGES)
		return;
	struct stage *stage = &stages->all[i];
	if (i == stages->count) {
		stages->count++;
		snprintf(stage->name, sizeof(stage->name), "%s", name);
	}
	if (stage->count < SAMPLES)
		stage->samples[stage->count++] = us / 1e3;
}

static void measure_stages(const struct text *text)
{
	static struct stages stages;
	char salt[SALT_B], name[2 * NAME_B];
	const char *path = children_file("stages");
	const char *const arguments[] = {bench.platform ? bench.platform : "", "cold",
					 text->name, new_salt(salt), NULL};
	memset(&stages, 0, sizeof(stages));
	if (child_run(arguments, path) < 0 || !child_stages(path, stage_note, &stages))
		rows_skip("build stages", text->name, "a build failed");
	for (unsigned i = 0; i < stages.count; i++) {
		snprintf(name, sizeof(name), "%s: %s", text->name, stages.all[i].name);
		row("build stages", name, stages.all[i].samples, stages.all[i].count);
	}
}

/* --- children ------------------------------------------------------------------------------ */

static double child_work(const char *what, const char *operand, const char *salt)
{
	char own[SALT_B];
	double sum_ms = 0;
	if (!strcmp(what, "clblast"))
		return builder_facts.clblast_ms();
	for (unsigned i = 0; i < TEXTS; i++) {
		if (!strcmp(what, "text") && !strcmp(operand, texts[i].name))
			return build_text(&texts[i], salt);
		for (unsigned round = 0; !strcmp(what, "cold") && !strcmp(operand, texts[i].name) &&
					 round < 9; round++)
			sum_ms += build_text(&texts[i], new_salt(own));
	}
	const unsigned limit = !strcmp(what, "files") ? -1u : !strcmp(what, "two files") ? 2 : 0;
	if (limit) {
		struct source_files files = source_files_read(operand, builder_facts.ending);
		for (unsigned i = 0; i < files.count && i < limit && sum_ms >= 0; i++) {
			const double took_ms = build_file(files.texts[i], salt);
			sum_ms = took_ms < 0 ? -1 : sum_ms + took_ms;
		}
		source_files_finish(&files);
	}
	return sum_ms;
}

/* argv: PLATFORM ("text" NAME | "cold" NAME | "files" FOLDER | "two files" FOLDER | "clblast" "") SALT */
static int child_main(char **argv)
{
	if (!argv[0] || !argv[1] || !argv[2] || !argv[3])
		return 1;
	bench.platform = *argv[0] ? argv[0] : NULL;
	builder_open();
	if (builder_missing())
		return 1;
	const double took_ms = child_work(argv[1], argv[2], argv[3]);
	printf("%.6f\n", took_ms);
	builder_close();
	return took_ms < 0;
}

/* --- all ----------------------------------------------------------------------------------- */

/* Takes what is ours out of the words, and leaves the rest to bench_start. */
static void read_arguments(int argc, char **argv)
{
	int rest = 1;
	settings.kernels = getenv("TWIN_SOURCES");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--stages"))
			settings.stages = true;
		else if (!strcmp(argv[i], "--kernels") && i + 1 < argc)
			settings.kernels = argv[++i];
		else
			argv[rest++] = argv[i];
	}
	bench_start(rest, argv);
}

static void measure_text(const struct text *text)
{
	measure_first(text);
	measure_cold(text);
	measure_again(text);
	measure_new_process(text);
}

static void measure_all(void)
{
	const struct text *large = &texts[pick(1, 1, 0)];
	measure_text(&texts[0]);
	if (!bench.tiny)
		measure_text(large);
	if (!bench.quick)
		measure_threads(large, pick(8, 8, 2), true);
	measure_threads(large, pick(THREADS, THREADS, 4), true);
	measure_threads(large, pick(THREADS, THREADS, 4), false);
	measure_clblast();
	if (!settings.kernels)
		return;
	struct source_files files = source_files_read(settings.kernels, builder_facts.ending);
	measure_files(&files);
	source_files_finish(&files);
	measure_start();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--child"))
		return child_main(argv + 2);
	read_arguments(argc, argv);
	children_begin();
	builder_open();
	builder_rows_begin(settings.stages ? "build stages" : "build");
	for (unsigned i = 0; settings.stages && i < pick(TEXTS, TEXTS, 1); i++)
		measure_stages(&texts[i]);
	if (!settings.stages)
		measure_all();
	builder_close();
	children_end();
	return rows_end();
}
