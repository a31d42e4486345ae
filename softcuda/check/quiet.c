/* Accesses of machine code that the checker need not be told of.
 *
 * A read can have no error if it is inside of an allocation that kernels may read, of which all bytes were written
 * before, and that nothing in the launch writes.  What a kernel may write is found when it is compiled
 * (jit/written.c). */
#include "config.h"

#include "softcuda/check/job.h"

#include "softcuda/check/notes.h"
#include "softcuda/exec/compiled.h"
#include "softcuda/exec/watch.h"

enum {
	ACCESSES = CHECK_MEMORY | CHECK_UNINIT | CHECK_RACE,
	BOTH = SOFT_ACCESS_READ | SOFT_ACCESS_WRITE,
	LAST_B = 64,
	INDEX_MAX = 0xffff        /* a number up to this is no address: Linux maps nothing there by default */
};

static bool overlaps(const struct range *a, uint64_t start, uint64_t end)
{
	return a->start < end && start < a->end;
}

/* Whether an address that is computed from the value of a parameter may be in this memory.  The value may point to the
 * end of an object, which is also where another one may begin.  Of one that points to no memory, such as an address
 * before an object, it is not known where addresses computed from it are. */
static bool may_reach(const struct soft_launch *launch, uint64_t value, const struct range *range)
{
	bool known = false;
	if (value <= INDEX_MAX)
		return false;
	for (uint64_t address = value - 1; address <= value; address++) {
		struct range target;
		if (!launch->memory->find(launch, address, &target.start, &target.end))
			continue;
		if (overlaps(range, target.start, target.end))
			return true;
		known = true;
	}
	return !known;
}

/* Whether a kernel writes to this memory through a parameter or otherwise. */
static bool may_write(const struct soft_launch *launch, const struct compiled *compiled, const struct range *range)
{
	if (compiled->written & COMPILED_WRITES_ELSEWHERE)
		return true;
	for (uint64_t rest = compiled->written; rest; rest &= rest - 1) {
		const uint32_t offset_B = (uint32_t)__builtin_ctzll(rest) * 8;
		uint64_t value;
		if (offset_B + sizeof(value) > launch->function->parameter_size_B)
			return true;
		memcpy(&value, (const char *)launch->parameters + offset_B, sizeof(value));
		if (may_reach(launch, value, range))
			return true;
	}
	return false;
}

static bool has_constant(const struct job *job, const struct range *range)
{
	for (uint32_t i = 0; i < job->program->variable_count; i++) {
		const uint64_t start = job->launch->variable_addresses[i];
		if (job->program->variables[i].constant &&
		    overlaps(range, start, start + job->program->variables[i].size_B))
			return true;
	}
	return false;
}

static bool all_written(const struct soft_launch *launch, const struct soft_notes *notes)
{
	const uint64_t size_B = notes->end - notes->start;
	if (!notes->written)
		return true;
	/* Memory is mostly written from its beginning on. */
	const uint64_t last_B = size_B < LAST_B ? size_B : LAST_B;
	if (!check_all_written(notes->written + (size_B - last_B), last_B) ||
	    !check_all_written(notes->written, size_B))
		return false;
	/* So the next launch finds that sooner. */
	launch->memory->written(notes->start, size_B);
	return true;
}

/* is_still_out: whether check_job.stills may have the range. */
static unsigned find_quiet(struct job *job, const struct compiled *compiled, struct range *range, bool *is_still_out)
{
	const unsigned options = watched_of(job)->check->options;
	const struct soft_launch *launch = job->launch;
	struct soft_notes notes = {.readable = true, .writable = true};
	unsigned quiet = BOTH;
	if (options & CHECK_RACE)
		quiet = may_write(launch, compiled, range) ? 0 : SOFT_ACCESS_READ;
	/* What a store copies may not have been written. */
	if (options & CHECK_UNINIT)
		quiet &= ~(unsigned)SOFT_ACCESS_WRITE;
	if (!(options & CHECK_UNINIT) && (!quiet || !(options & CHECK_MEMORY)))
		return quiet;
	/* Of memory that is written as a whole, no access need look for what is. */
	if (!launch->memory->notes(range->start, &notes) || !all_written(launch, &notes) || !quiet)
		return 0;
	/* Without CHECK_MEMORY, a launch may access some bytes behind an allocation, of which nothing is noted. */
	range->end = range->end < notes.end ? range->end : notes.end;
	const bool may_read = notes.readable || !check_flags_count(watched_of(job)->check);
	*is_still_out = quiet & SOFT_ACCESS_READ && !may_read;
	return quiet & ((may_read ? SOFT_ACCESS_READ : 0u) |
			(notes.writable && !has_constant(job, range) ? SOFT_ACCESS_WRITE : 0u));
}

unsigned check_quiet(struct job *job, const struct compiled *compiled, struct range *range)
{
	struct check_job *check = watched_of(job)->check ? check_job_here(job) : NULL;
	if (!check)
		return 0;
	if (!(check->options & ACCESSES))
		return BOTH;
	uint32_t i;
	for (i = 0; i < check->quiet_count; i++)
		if (check->quiets[i].compiled == compiled && check->quiets[i].range.start == range->start &&
		    check->quiets[i].range.end == range->end)
			break;
	if (i < check->quiet_count) {
		range->end = check->quiets[i].quiet_end;
		return check->quiets[i].quiet;
	}
	const struct range whole = *range;
	bool is_still = false;
	const unsigned quiet = find_quiet(job, compiled, range, &is_still);
	if (check->quiet_count < CHECK_QUIETS) {
		check->quiets[check->quiet_count++] = (struct check_quiet){compiled, whole, range->end, quiet};
		if (is_still && check->still_count < CHECK_STILLS)
			check->stills[check->still_count++] = *range;
	}
	return quiet;
}

void check_quiet_group(struct group *group)
{
	const unsigned options = check_of(group)->job->options;
	group->quiet_shared = options & ACCESSES ? 0 : BOTH;
	group->quiet_private = options & (CHECK_MEMORY | CHECK_UNINIT) ? 0 : BOTH;
}
