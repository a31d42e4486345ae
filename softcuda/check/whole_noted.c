/* What OpenCL has noted of buffers: what of them has been written, and whether kernels may read and write them. */
#include "config.h"

#include "softcuda/check/whole.h"

#include "softcuda/check/notes.h"

#include <string.h>

/* What is noted of the memory that contains a range, if that was kept for it; or NULL. */
static const struct soft_notes *kept_notes(const struct check_job *check, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < CHECK_NOTES; i++)
		if (start >= check->notes[i].start && end <= check->notes[i].end)
			return &check->notes[i];
	return NULL;
}

/* Finds what is noted of the memory that contains all lanes' bytes, and keeps it for the next access.  NULL: nothing is
 * known of it. */
static const struct soft_notes *find_notes(const struct check_whole *whole)
{
	struct check_job *check = whole->group->job;
	const struct soft_notes *kept = kept_notes(check, whole->start, whole->end);
	if (kept)
		return kept;
	struct soft_notes *notes = &check->notes[check->next_notes++ % CHECK_NOTES];
	if (!check->job->launch->memory->notes(whole->start, notes))
		*notes = (struct soft_notes){0};
	return whole->start >= notes->start && whole->end <= notes->end ? notes : NULL;
}

/* As check_whole_noted, of lanes that are looked at in turn. */
static bool few_noted(const struct check_whole *whole, const struct soft_notes *notes, bool writes)
{
	for (uint32_t i = 0; i < whole->one_count; i++) {
		atomic_uchar *at = notes->written + (whole->one_place[i] - notes->start);
		if (writes)
			check_set_written(at, whole->size_B);
		else if (!check_all_written(at, whole->size_B))
			return false;
	}
	return true;
}

/* The same of lanes one by one. */
static bool ones_noted(const struct check_whole *whole, const struct soft_notes *notes, bool reads, bool writes)
{
	typedef uint32_t __attribute__((may_alias)) word_notes;
	const uint32_t written = (uint32_t)check_each_byte;
	const uint32_t words = whole->size_B / SHADOW_WORD_B;
	uint32_t all = written;
	if (((uintptr_t)notes->written - notes->start) % sizeof(word_notes))
		return false;
	for (uint32_t k = 0; reads && k < words; k++)
		for (uint32_t i = 0; i < whole->one_count; i++) {
			const atomic_uchar *at = notes->written + (whole->one_place[i] - notes->start);
			all &= __atomic_load_n((const word_notes *)(const void *)at + k, __ATOMIC_RELAXED);
		}
	/* What an atomic reads and writes has been written. */
	for (uint32_t k = 0; writes && !reads && k < words; k++)
		for (uint32_t i = 0; i < whole->one_count; i++) {
			atomic_uchar *at = notes->written + (whole->one_place[i] - notes->start);
			__atomic_store_n((word_notes *)(void *)at + k, written, __ATOMIC_RELAXED);
		}
	return all == written;
}

/* Whether a buffer's flags allow an access; of one that they forbid, whether it is only counted. */
static bool flags_allow(struct check_whole *whole, const struct soft_notes *notes, bool reads, bool writes)
{
	struct check_job *check = whole->group->job;
	const bool forbids_write = writes && !notes->writable;
	if ((!forbids_write && (!reads || notes->readable)) || !check_flags_count(check))
		return true;
	whole->is_flagged = check_flag_is_known(check, whole->op, forbids_write);
	return whole->is_flagged;
}

bool check_whole_noted(struct check_whole *whole)
{
	const bool reads = !check_is_store(whole->op), writes = !check_is_load(whole->op);
	const struct soft_notes *notes = find_notes(whole);
	if (!notes || !flags_allow(whole, notes, reads, writes))
		return false;
	if (notes->written && whole->is_few)
		return few_noted(whole, notes, writes);
	if (!notes->written ||
	    (check_is_dense(whole) &&
	     check_all_written(notes->written + (whole->start - notes->start), whole->end - whole->start)))
		return true;
	if (whole->one_count)
		return ones_noted(whole, notes, reads, writes);
	for (uint32_t i = 0; reads && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		if (!check_all_written(notes->written + (run->place - notes->start), check_run_B(whole, run)))
			return false;
	}
	for (uint32_t i = 0; writes && i < whole->run_count; i++) {
		const struct check_run *run = &whole->runs[i];
		check_set_written(notes->written + (run->place - notes->start), check_run_B(whole, run));
	}
	return true;
}

bool check_whole_noted_elements(const struct check_job *check, uint64_t start, uint64_t size_B, bool writes)
{
	const struct soft_notes *notes = kept_notes(check, start, start + size_B);
	if (!notes || notes->end == UINT64_MAX || !(writes ? notes->writable : notes->readable))
		return false;
	atomic_uchar *written = notes->written ? notes->written + (start - notes->start) : NULL;
	if (!written || check_all_written(written, size_B))
		return true;
	if (writes)
		check_set_written(written, size_B);
	return writes;
}

/* --- memory that kernels may not read ---------- */

/* The memory around a place in which reads have no error but that its flags forbid them; NULL: this is none. */
static const struct range *find_still(const struct check_job *check, uint64_t place)
{
	for (uint32_t i = 0; i < check->still_count; i++)
		if (place - check->stills[i].start < check->stills[i].end - check->stills[i].start)
			return &check->stills[i];
	return NULL;
}

/* Whether a read of such memory, of which only that is known, need only be counted: counts it then.  What a load had
 * read before is not on its way any more. */
static bool count_still(const struct warp *warp, const struct op *op, uint32_t mask)
{
	struct check_group *group = check_of(warp->group);
	if (!check_is_load(op) || check_is_atomic(op) || group->locals[warp->index].copied_count ||
	    !check_flag_is_known(group->job, op, false))
		return false;
	group->job->found += (uint32_t)__builtin_popcount(mask);
	return true;
}

bool check_whole_reads_still(const struct warp *warp, const struct op *op, uint32_t mask, uint32_t size_B,
			     const uint64_t *place)
{
	const struct range *still = find_still(check_of(warp->group)->job, place[exec_lowest(mask)]);
	check_eight outside = {0};
	if (!still || still->end - still->start < size_B)
		return false;
	const uint64_t start = still->start, last = still->end - start - size_B;
	for (uint32_t first = 0; first < LANES; first += CHECK_EIGHT) {
		check_eight here, bits;
		memcpy(&here, place + first, sizeof(here));
		for (uint32_t i = 0; i < CHECK_EIGHT; i++)
			bits[i] = UINT64_C(1) << (first + i);
		outside |= (check_eight)(here - start > last) & bits;
	}
	return !(check_any_of(&outside) & mask) && count_still(warp, op, mask);
}

bool check_whole_is_still(const struct check_whole *whole)
{
	const struct range *still = find_still(whole->group->job, whole->start);
	return still && whole->end <= still->end && count_still(whole->warp, whole->op, whole->mask);
}
