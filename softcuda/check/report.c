/* Which checks are wanted, and how findings are reported. */
#include "config.h"

#include "softcuda/check/job.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/check/report_file.h"

#include <pthread.h>
#include <stdlib.h>

static unsigned options;
static uint64_t epoch_limit = EPOCHS_MAX, part_count;
static pthread_once_t options_once = PTHREAD_ONCE_INIT;

/* "NAME:N", of length bytes; false: it is another word. */
static bool read_number(const char *word, size_t length, const char *name, uint64_t *number_out)
{
	const size_t size = strlen(name);
	uint64_t number = 0;
	if (length <= size || length > size + 9 || strncmp(word, name, size))
		return false;
	for (size_t i = size; i < length; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(word[i] - '0');
	}
	*number_out = number;
	return true;
}

static void read_options(void)
{
	static const struct { const char *name; unsigned option; } words[] = {
		{"memory", CHECK_MEMORY}, {"race", CHECK_RACE}, {"uninit", CHECK_UNINIT},
		{"barrier", CHECK_BARRIER}, {"stop", CHECK_STOP}, {"benign", CHECK_BENIGN},
		{"all", CHECK_MEMORY | CHECK_RACE | CHECK_UNINIT | CHECK_BARRIER}
	};
	for (const char *at = option_string(OPTION_SOFT_CHECK); *at;) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < sizeof(words) / sizeof(words[0]) &&
		       (strlen(words[i].name) != length || memcmp(words[i].name, at, length)))
			i++;
		if (i < sizeof(words) / sizeof(words[0]))
			options |= words[i].option;
		else if (!read_number(at, length, "epochs:", &epoch_limit) &&
			 !read_number(at, length, "parts:", &part_count))
			log_err("softcuda: %s: unknown check '%.*s'", option_name(OPTION_SOFT_CHECK),
				(int)length, at);
		at += length + (at[length] == ',');
	}
	epoch_limit = epoch_limit && epoch_limit < EPOCHS_MAX ? epoch_limit : EPOCHS_MAX;
	part_count = part_count < CHECK_THREADS ? part_count : CHECK_THREADS;
}

unsigned check_options(void)
{
	pthread_once(&options_once, read_options);
	return options;
}

uint32_t check_epoch_limit(void)
{
	return (uint32_t)epoch_limit;
}

unsigned check_parts(void)
{
	return (unsigned)part_count;
}

void check_write(const struct bytes *text)
{
	soft_report("%s%s", bytes_string(text), bytes_failed(text) ? "... (no host memory to say more)\n" : "");
}

/* --- ops by number ---------- */

const struct op *check_site_op(const struct check_job *check, uint32_t site,
			       const struct code **code_out)
{
	const struct soft_program *program = check->job->program;
	uint32_t i = 0;
	while (i + 1 < program->code_count && check->first_site[i + 1] <= site)
		i++;
	*code_out = &program->codes[i];
	return &program->codes[i].ops[site - check->first_site[i]];
}

/* --- reports ---------- */

/* Their form is read by tools/check_fields.c, too, for `culvert check --json`. */

/* Whether two ops are at the same place of the source. */
static bool is_same_place(const struct code *code, const struct op *op, const struct op *other)
{
	return op->run == other->run &&
	       !memcmp(&code->places[op - code->ops], &code->places[other - code->ops], sizeof(*code->places));
}

/* Says which part of the source an op comes from, if the part is there several times, as the turns of a loop that was
 * unrolled. 0: it is there once. */
static uint64_t part_of(const struct soft_program *program, const struct code *code, const struct op *op)
{
	uint64_t before = 0;
	bool turns = false;
	for (uint32_t i = 0; i < program->file_count; i++)
		turns |= program->files[i].turn;
	if (!turns || op < code->ops || op >= code->ops + code->op_count)
		return 0;
	const struct source_place *place = &code->places[op - code->ops];
	const struct source_file *file = exec_source_file(program, place->file);
	for (const struct op *other = code->ops; other < op; other++)
		before += is_same_place(code, op, other);
	uint64_t part = (uint64_t)(uintptr_t)code ^ (uint64_t)(uintptr_t)op->run << 20;
	for (const char *at = file->name; at && *at; at++)
		part = (part ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	for (const char *at = file->function; at && *at; at++)
		part = (part ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return ((part ^ place->line) * UINT64_C(0x100000001b3) ^ place->column) * UINT64_C(0x100000001b3) ^ before;
}

static bool is_seen(const struct check_findings *findings, uint64_t key)
{
	const unsigned count = atomic_load_explicit(&findings->seen_count, memory_order_acquire);
	for (unsigned i = 0; i < count; i++)
		if (atomic_load_explicit(&findings->seen[i], memory_order_relaxed) == key)
			return true;
	return false;
}

static bool was_seen_locked(struct check_findings *findings, uint64_t key)
{
	const unsigned count = findings->seen_count;
	if (is_seen(findings, key))
		return true;
	if (count < SEEN_MAX) {
		atomic_store_explicit(&findings->seen[count], key, memory_order_relaxed);
		atomic_store_explicit(&findings->seen_count, count + 1, memory_order_release);
	}
	return false;
}

/* Whether this is the first finding of its kind at this place, which is then to be printed. */
static bool is_new(struct check_job *check, const struct code *code, const struct op *op, uint64_t key)
{
	struct check_findings *findings = check->findings;
	const uint64_t here = key ^ (uint64_t)(uintptr_t)op;
	if (is_seen(findings, here))
		return false;
	const uint64_t part = part_of(check->job->program, code, op);
	lock_take(&findings->lock);
	const bool found = !was_seen_locked(findings, here) && findings->printed < PRINTED_MAX &&
			   (!part || !was_seen_locked(findings, key ^ part));
	findings->printed += found;
	lock_drop(&findings->lock);
	return found;
}

static void stop(struct job *job, const struct bytes *text)
{
	lock_take(&job->lock);
	if (job->result == CUDA_SUCCESS) {
		job->result = CUDA_ERROR_LAUNCH_FAILED;
		if (job->report)
			bytes_append(job->report, text->data, text->size_B);
	}
	lock_drop(&job->lock);
	atomic_store(&job->stop, true);
}

/* Of a kind of error, with a key of its own, at any place. */
static uint64_t key_of(const char *kind, uint64_t key)
{
	return key * UINT64_C(0x100000001b3) ^ (uint64_t)(uintptr_t)kind << 32;
}

bool check_is_known(struct check_job *check, const struct op *op, const char *kind, uint64_t key)
{
	const uint64_t seen = key_of(kind, key) ^ (uint64_t)(uintptr_t)op;
	uint64_t *known = &check->known[(seen * UINT64_C(0x9e3779b97f4a7c15) >> 32) % CHECK_KNOWN];
	if (check->out_of_memory)
		return false;
	/* What is known stays so. */
	if (check->findings->printed == PRINTED_MAX || *known == seen)
		return true;
	if (!is_seen(check->findings, seen))
		return false;
	*known = seen;
	return true;
}

bool check_find_in(struct check_job *check, const struct code *code, const struct op *op, const char *kind,
		   uint64_t key)
{
	/* What was not noted would be taken for something that has not happened. */
	if (check->out_of_memory)
		return false;
	check->found++;
	return is_new(check, code, op, key_of(kind, key));
}

bool check_find(struct check_group *group, const struct warp *warp, const struct op *op, const char *kind,
		uint64_t key)
{
	const struct code *code = warp->frame ? warp->frame->code : warp->group->job->code;
	return check_find_in(group->job, code, op, kind, key);
}

static void tell(struct check_job *check, struct warp *warp, const struct op *op, unsigned l, const char *kind,
		 const char *format, va_list arguments)
{
	struct bytes text = BYTES_INIT;
	bytes_printf(&text, "softcuda: %s: ", kind);
	exec_describe_place(warp, op, l, &text);
	bytes_append_string(&text, ": ");
	bytes_vprintf(&text, format, arguments);
	bytes_append_char(&text, '\n');
	check_write(&text);
	if (check->options & CHECK_STOP)
		stop(check->job, &text);
	bytes_finish(&text);
}

void check_tell(struct check_group *group, struct warp *warp, const struct op *op, unsigned l, const char *kind,
		const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	tell(group->job, warp, op, l, kind, format, arguments);
	va_end(arguments);
}

void check_report(struct check_group *group, struct warp *warp, const struct op *op, unsigned l,
		  const char *kind, uint64_t key, const char *format, ...)
{
	va_list arguments;
	if (!check_find(group, warp, op, kind, key))
		return;
	va_start(arguments, format);
	tell(group->job, warp, op, l, kind, format, arguments);
	va_end(arguments);
}

void check_outside(struct warp *warp, const struct op *op, unsigned l, const char *text)
{
	struct check_group *group = check_of(warp->group);
	if (group->job->options & CHECK_MEMORY)
		check_report(group, warp, op, l, "memory", 0, "%s", text);
}

void check_note_index(struct warp *warp, const struct op *op, unsigned l, int64_t index,
		      uint64_t count)
{
	struct check_group *group = check_of(warp->group);
	if (group->job->options & CHECK_MEMORY)
		check_report(group, warp, op, l, "out-of-bounds index", 0,
			     "the index %lld of an array of %llu elements", (long long)index,
			     (unsigned long long)count);
}

bool check_fail_memory(struct warp *warp, const struct op *op, uint32_t mask)
{
	check_of(warp->group)->job->out_of_memory = true;
	exec_fault(warp, op, mask, CUDA_ERROR_OUT_OF_MEMORY, "no host memory for the checker");
	return false;
}
