/* Which groups are checked, and how findings are reported. */
#include "config.h"

#include "softcuda/check/job.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/check/report_file.h"

#include <pthread.h>
#include <stdlib.h>

static unsigned options;
static uint32_t epoch_limit = EPOCHS_MAX;
static pthread_once_t options_once = PTHREAD_ONCE_INIT;

/* "epochs:N", of length bytes; false: it is another word. */
static bool read_limit(const char *word, size_t length)
{
	static const char name[] = "epochs:";
	const size_t size = sizeof(name) - 1;
	uint64_t number = 0;
	if (length <= size || length > size + 9 || strncmp(word, name, size))
		return false;
	for (size_t i = size; i < length; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(word[i] - '0');
	}
	epoch_limit = number && number < EPOCHS_MAX ? (uint32_t)number : EPOCHS_MAX;
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
		else if (!read_limit(at, length))
			log_err("softcuda: %s: unknown check '%.*s'", option_name(OPTION_SOFT_CHECK),
				(int)length, at);
		at += length + (at[length] == ',');
	}
}

unsigned check_options(void)
{
	pthread_once(&options_once, read_options);
	return options;
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

static bool number_sites(struct check_job *check)
{
	const struct soft_program *program = check->job->program;
	uint32_t next = 0;
	check->first_site = calloc(program->code_count, sizeof(*check->first_site));
	for (uint32_t i = 0; check->first_site && i < program->code_count; i++) {
		check->first_site[i] = next;
		next += program->codes[i].op_count;
	}
	/* Such a program would need gigabytes of memory for its instructions. */
	if (check->options & CHECK_RACE && next > RECORD_SITES) {
		log_warn("softcuda: a program of %u instructions: races are not looked for", next);
		check->options &= ~CHECK_RACE;
	}
	return check->first_site != NULL;
}

/* --- a launch ---------- */

bool check_job_create(struct job *job)
{
	if (!check_options())
		return true;
	struct check_job *check = calloc(1, sizeof(*check));
	if (!check)
		return false;
	soft_report_begin();
	check->job = job;
	check->options = check_options();
	check->epochs.limit = epoch_limit;
	watched_of(job)->check = check;
	return number_sites(check);
}

void check_job_destroy(struct check_job *check)
{
	if (!check)
		return;
	if (check->found > check->printed) {
		struct bytes text = BYTES_INIT;
		bytes_printf(&text, "softcuda: kernel '%s': %llu reports in total, %u printed\n",
			     check->job->code->name, (unsigned long long)check->found,
			     check->printed);
		check_write(&text);
		bytes_finish(&text);
	}
	if (check->epochs.exhausted)
		log_warn("softcuda: kernel '%s' synchronized %u times: races after that were not looked for",
			 check->job->code->name, check->epochs.limit);
	shadow_finish(&check->global);
	epochs_finish(&check->epochs);
	free(check->first_site);
	free(check);
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
static uint64_t part_of(const struct warp *warp, const struct op *op)
{
	const struct code *code = warp->frame ? warp->frame->code : warp->group->job->code;
	const struct soft_program *program = warp->group->job->program;
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

static bool is_seen(const struct check_job *check, uint64_t key)
{
	for (uint32_t i = 0; i < check->seen_count; i++)
		if (check->seen[i] == key)
			return true;
	return false;
}

static bool was_seen(struct check_job *check, uint64_t key)
{
	if (is_seen(check, key))
		return true;
	if (check->seen_count < SEEN_MAX)
		check->seen[check->seen_count++] = key;
	return false;
}

/* Whether this is the first finding of its kind at this place. */
static bool is_new(struct check_job *check, const struct warp *warp, const struct op *op, uint64_t key)
{
	if (was_seen(check, key ^ (uint64_t)(uintptr_t)op) || check->printed == PRINTED_MAX)
		return false;
	const uint64_t part = part_of(warp, op);
	return !part || !was_seen(check, key ^ part);
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
	if (check->printed == PRINTED_MAX || *known == seen)
		return true;
	if (!is_seen(check, seen))
		return false;
	*known = seen;
	return true;
}

bool check_find(struct check_group *group, const struct warp *warp, const struct op *op, const char *kind,
		uint64_t key)
{
	struct check_job *check = group->job;
	/* What was not noted would be taken for something that has not happened. */
	if (check->out_of_memory)
		return false;
	check->found++;
	if (!is_new(check, warp, op, key_of(kind, key)))
		return false;
	check->printed++;
	return true;
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
