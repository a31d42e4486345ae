/* culvert cache: the folder of built programs. */
#include "config.h"

#include "cache/cache.h"
#include "tools/cache_entry.h"
#include "tools/closest.h"
#include "tools/json.h"
#include "tools/quoted.h"
#include "tools/tool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct files {
	struct cache_file *rows;         /* owned; the last used first */
	size_t count, capacity;
	uint64_t total_B;
	bool failed;                     /* out of memory */
};

static void add(void *state, const struct cache_file *file)
{
	struct files *files = state;
	if (files->count == files->capacity) {
		size_t capacity = files->capacity ? 2 * files->capacity : 256;
		struct cache_file *more = realloc(files->rows, capacity * sizeof(*more));
		if (!more) {
			files->failed = true;
			return;
		}
		files->rows = more;
		files->capacity = capacity;
	}
	files->rows[files->count++] = *file;
	files->total_B += file->size_B;
}

static int by_use(const void *a_, const void *b_)
{
	const struct cache_file *a = a_, *b = b_;
	if (a->used_s != b->used_s)
		return a->used_s > b->used_s ? -1 : 1;
	return memcmp(a->key.bytes, b->key.bytes, HASH_B);
}

static const char *key_text(const struct hash *key)
{
	static char text[2 * HASH_B + 1];
	for (unsigned i = 0; i < HASH_B; i++)
		snprintf(text + 2 * i, 3, "%02x", key->bytes[i]);
	return text;
}

static const char *time_text(int64_t time_s)
{
	static char text[32];
	struct tm parts;
	time_t time = (time_t)time_s;
	if (!localtime_r(&time, &parts) || !strftime(text, sizeof(text), "%F %H:%M", &parts))
		strcpy(text, "-");
	return text;
}

/* --- the words ---------------------------------------------------------------------- */

struct job {
	struct cache *cache;
	struct files files;
	bool as_json;
};

static int run_stat(struct job *job)
{
	const struct files *files = &job->files;
	uint64_t limit_B = cache_limit_B(job->cache);
	if (job->as_json) {
		struct json json = JSON_INIT;
		json_open(&json, NULL, '{');
		json_string(&json, "folder", cache_folder(job->cache));
		json_natural(&json, "entries", files->count);
		json_natural(&json, "size_B", files->total_B);
		json_natural(&json, "limit_B", limit_B);
		json_close(&json, '}');
		return json_print(&json) ? TOOL_OK : TOOL_FAILED;
	}
	printf("folder   %s\n", cache_folder(job->cache));
	printf("entries  %zu\n", files->count);
	printf("size     %s of %s\n", tool_size(files->total_B), tool_size(limit_B));
	if (files->count)
		printf("used     most recently %s", time_text(files->rows[0].used_s));
	if (files->count)
		printf(", least recently %s\n", time_text(files->rows[files->count - 1].used_s));
	return TOOL_OK;
}

static const char *sm_text(unsigned sm)
{
	static char text[16];
	snprintf(text, sizeof(text), sm ? "sm_%u" : "-", sm);
	return text;
}

/* "add, scale and 4 more": as many names as a line has room for. */
static void print_kernels(const struct abi_program *abi)
{
	enum { ROOM = 60 };
	size_t used = 0;
	uint32_t i = 0;
	while (i < abi->kernel_count && (!i || used + strlen(abi->kernels[i].name) < ROOM)) {
		used += strlen(abi->kernels[i].name) + 2;
		printf("%s", i ? ", " : "");
		quoted_print(stdout, abi->kernels[i].name, 0);
		i++;
	}
	if (i < abi->kernel_count)
		printf(" and %u more", (unsigned)(abi->kernel_count - i));
	if (!abi->kernel_count)
		printf("no kernels");
	putchar('\n');
}

static void print_machine_code(const char *kernel)
{
	quoted_print(stdout, kernel, 0);
	printf(" (machine code of the software device)\n");
}

static void print_entry(const struct cache_file *file, const struct cache_entry *entry,
			bool damaged)
{
	printf("%.12s  %s  %10s  %-6s  ", key_text(&file->key), time_text(file->used_s),
	       tool_size(file->size_B), sm_text(entry->sm));
	if (damaged)
		printf("%sdamaged%s\n", tool_style(stdout, TOOL_BAD), tool_style(stdout, TOOL_PLAIN));
	else if (entry->abi)
		print_kernels(entry->abi);
	else if (entry->builds)
		printf("(index of %u build%s by included files)\n", (unsigned)entry->builds,
		       entry->builds == 1 ? "" : "s");
	else if (entry->kernel)
		print_machine_code(entry->kernel);
	else
		printf("(%s)\n", entry->kind);
}

static void write_entry(struct json *json, const struct cache_file *file,
			const struct cache_entry *entry, bool damaged)
{
	json_open(json, NULL, '{');
	json_string(json, "key", key_text(&file->key));
	json_string(json, "kind", damaged ? "damaged" : entry->kind);
	if (entry->sm)
		json_natural(json, "sm", entry->sm);
	json_open(json, "kernels", '[');
	for (uint32_t i = 0; entry->abi && i < entry->abi->kernel_count; i++)
		json_string(json, NULL, entry->abi->kernels[i].name);
	if (entry->kernel)
		json_string(json, NULL, entry->kernel);
	json_close(json, ']');
	json_natural(json, "size_B", file->size_B);
	json_integer(json, "used", file->used_s);
	json_close(json, '}');
}

static int run_list(struct job *job)
{
	const struct files *files = &job->files;
	struct json json = JSON_INIT;
	json_open(&json, NULL, '[');
	if (!job->as_json && files->count)
		printf("%s%-12s  %-16s  %10s  %-6s  %s%s\n", tool_style(stdout, TOOL_BOLD), "key",
		       "last used", "size", "for", "kernels", tool_style(stdout, TOOL_PLAIN));
	for (size_t i = 0; i < files->count; i++) {
		const struct cache_file *file = &files->rows[i];
		struct bytes value = BYTES_INIT;
		const enum cache_state state = cache_look_at(job->cache, &file->key, &value);
		struct cache_entry entry = cache_entry_of(&value);
		/* What was evicted meanwhile is not listed. */
		if (state != CACHE_ABSENT && job->as_json)
			write_entry(&json, file, &entry, state == CACHE_DAMAGED);
		else if (state != CACHE_ABSENT)
			print_entry(file, &entry, state == CACHE_DAMAGED);
		cache_entry_finish(&entry);
		bytes_finish(&value);
	}
	json_close(&json, ']');
	if (job->as_json)
		return json_print(&json) ? TOOL_OK : TOOL_FAILED;
	bytes_finish(&json.text);
	return TOOL_OK;
}

static int run_verify(struct job *job)
{
	const struct files *files = &job->files;
	struct json json = JSON_INIT;
	size_t damaged = 0;
	json_open(&json, NULL, '{');
	json_open(&json, "damaged", '[');
	for (size_t i = 0; i < files->count; i++) {
		tool_progress("verifying", i, files->count);
		/* What was evicted meanwhile is nobody's damage. */
		if (cache_verify(job->cache, &files->rows[i].key) != CACHE_DAMAGED)
			continue;
		damaged++;
		json_string(&json, NULL, key_text(&files->rows[i].key));
		if (!job->as_json)
			printf("%s  %sdamaged%s\n", key_text(&files->rows[i].key),
			       tool_style(stdout, TOOL_BAD), tool_style(stdout, TOOL_PLAIN));
	}
	tool_progress("verifying", files->count, files->count);
	json_close(&json, ']');
	json_natural(&json, "entries", files->count);
	json_close(&json, '}');
	bool printed = !job->as_json || json_print(&json);
	bytes_finish(&json.text);
	if (!job->as_json)
		printf("%zu entries, %zu damaged%s\n", files->count, damaged,
		       damaged ? "; damaged entries are removed when a program next reads them" : "");
	return damaged || !printed ? TOOL_FAILED : TOOL_OK;
}

static int run_clear(struct job *job)
{
	uint64_t count = cache_clear(job->cache);
	struct json json = JSON_INIT;
	json_open(&json, NULL, '{');
	json_natural(&json, "cleared", count);
	json_close(&json, '}');
	bool printed = !job->as_json || json_print(&json);
	bytes_finish(&json.text);
	/* What those are worth that could not be taken away is not known apart. */
	if (!job->as_json)
		printf("%" PRIu64 " entries cleared%s%s\n", count, count < job->files.count ? "" : ", ",
		       count < job->files.count ? "" : tool_size(job->files.total_B));
	if (count < job->files.count)
		tool_error("%" PRIu64 " entries could not be removed",
			   (uint64_t)job->files.count - count);
	return printed && count >= job->files.count ? TOOL_OK : TOOL_FAILED;
}

static const struct {
	const char *name;
	int (*run)(struct job *job);
} words[] = {{"stat", run_stat}, {"list", run_list}, {"verify", run_verify},
	     {"clear", run_clear}};

/* --- the command line --------------------------------------------------------------- */

static bool take(void *state, int letter, const char *value)
{
	(void)value;
	((struct job *)state)->as_json |= letter == 'j';
	return true;
}

static int open_and_run(struct job *job, int (*run)(struct job *job))
{
	job->cache = cache_default();
	if (!job->cache) {
		tool_error("the cache is disabled by CULVERT_CACHE or CUDA_CACHE_DISABLE");
		return TOOL_UNAVAILABLE;
	}
	if (!cache_folder(job->cache) || !cache_each(job->cache, add, &job->files)) {
		tool_error("%s cannot be used; run 'culvert doctor' to see why",
			   cache_folder(job->cache) ? cache_folder(job->cache) : "the cache folder");
		return TOOL_UNAVAILABLE;
	}
	if (job->files.failed) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	if (job->files.count)
		qsort(job->files.rows, job->files.count, sizeof(*job->files.rows), by_use);
	return run(job);
}

int tool_cache(int argc, char **argv)
{
	struct job job = {0};
	int at = tool_options(TOOL_cache, argc, argv, false, take, &job);
	if (at < 0)
		return -1 - at;
	if (at + 1 != argc)
		return tool_usage("expected one of stat, list, verify or clear");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(argv[at], words[i].name))
			continue;
		int code = open_and_run(&job, words[i].run);
		free(job.files.rows);
		return code;
	}
	struct closest closest = {.word = argv[at]};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		closest_offer(&closest, words[i].name);
	return tool_usage("unknown action '%s': expected stat, list, verify or clear%s", argv[at],
			  closest_hint(&closest, ""));
}
