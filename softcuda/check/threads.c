/* The threads that run a checked launch.  Each looks for errors in the work-groups that it runs, with notes of its own,
 * and the launching thread compares these at the end (check/between.c). */
#include "config.h"

#include "softcuda/check/job.h"

#include "base/log.h"
#include "softcuda/check/report_file.h"
#include "softcuda/exec/table.h"

#include <pthread.h>
#include <stdlib.h>

/* Whether the kernel, or a function that it may call, has an op by which it could order its work-groups. */
static bool orders_groups(const struct job *job)
{
	const struct soft_program *program = job->program;
	for (uint32_t c = 0; c < program->code_count; c++) {
		const struct code *code = &program->codes[c];
		for (uint32_t i = 0; (code == job->code || !code->entry) && i < code->op_count; i++)
			if (exec_table_orders(&code->ops[i]))
				return true;
	}
	return false;
}

unsigned check_threads(const struct check_job *check)
{
	const struct soft_launch *launch = check->job->launch;
	/* With `stop`, the first error ends the launch.  With `benign`, it matters what is written when. */
	if (check->options & (CHECK_STOP | CHECK_BENIGN) || launch->cooperative || launch->watch_data)
		return 1;
	if (check->options & CHECK_RACE && orders_groups(check->job))
		return 1;
	watched_of(check->job)->is_parted = check_parts() > 1;
	return check_parts() ? 1 : CHECK_THREADS;
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

bool check_job_create(struct job *job)
{
	if (!check_options())
		return true;
	struct check_job *check = calloc(1, sizeof(*check));
	struct watched_job *watched = watched_of(job);
	if (!check || lock_init(&watched->findings.lock, LOCK_RANK_CACHE)) {
		free(check);
		return false;
	}
	soft_report_begin();
	check->job = job;
	check->thread = pthread_self();
	check->findings = &watched->findings;
	check->options = check_options();
	check->whole = check_whole_functions();
	check->epochs.limit = check_epoch_limit();
	watched->check = check;
	return number_sites(check);
}

/* The same of another thread; NULL when out of memory. */
static struct check_job *join_locked(struct watched_job *watched)
{
	const struct check_job *first = watched->check;
	struct check_job *check = watched->other_count < CHECK_THREADS - 1 ? calloc(1, sizeof(*check)) : NULL;
	if (!check)
		return NULL;
	check->job = first->job;
	check->thread = pthread_self();
	check->findings = first->findings;
	check->options = first->options;
	check->whole = first->whole;
	check->first_site = first->first_site;
	check->epochs.limit = first->epochs.limit;
	watched->others[watched->other_count] = check;
	atomic_fetch_add(&watched->other_count, 1);
	return check;
}

struct check_job *check_job_here(struct job *job)
{
	struct watched_job *watched = watched_of(job);
	struct check_job *found = watched->check;
	if (pthread_equal(found->thread, pthread_self()))
		return found;
	const unsigned count = atomic_load(&watched->other_count);
	for (unsigned i = 0; i < count; i++)
		if (pthread_equal(watched->others[i]->thread, pthread_self()))
			return watched->others[i];
	lock_take(&watched->findings.lock);
	found = join_locked(watched);
	lock_drop(&watched->findings.lock);
	return found;
}

struct check_job *check_job_of(struct job *job, uint32_t number)
{
	struct watched_job *watched = watched_of(job);
	if (!watched->is_parted)
		return check_job_here(job);
	const unsigned part = number % check_parts();
	if (!part)
		return watched->check;
	lock_take(&watched->findings.lock);
	struct check_job *found = watched->check;
	while (found && watched->other_count < part)
		found = join_locked(watched);
	found = found ? watched->others[part - 1] : NULL;
	lock_drop(&watched->findings.lock);
	return found;
}

static void free_thread(struct check_job *check)
{
	shadow_finish(&check->global);
	epochs_finish(&check->epochs);
	free(check);
}

void check_job_destroy(struct job *job)
{
	struct watched_job *watched = watched_of(job);
	struct check_job *check = watched->check;
	if (!check)
		return;
	uint64_t found = check->found;
	bool exhausted = check->epochs.exhausted;
	for (unsigned i = 0; i < watched->other_count; i++) {
		found += watched->others[i]->found;
		exhausted |= watched->others[i]->epochs.exhausted;
	}
	if (found > check->findings->printed) {
		struct bytes text = BYTES_INIT;
		bytes_printf(&text, "softcuda: kernel '%s': %llu reports in total, %u printed\n",
			     check->job->code->name, (unsigned long long)found, check->findings->printed);
		check_write(&text);
		bytes_finish(&text);
	}
	if (exhausted)
		log_warn("softcuda: kernel '%s' synchronized %u times: races after that were not looked for",
			 check->job->code->name, check->epochs.limit);
	for (unsigned i = 0; i < watched->other_count; i++)
		free_thread(watched->others[i]);
	free(check->first_site);
	free_thread(check);
	lock_finish(&watched->findings.lock);
}
