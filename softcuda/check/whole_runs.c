/* Pages in which all accesses have been of rows of lanes, which are a list of runs (check/shadow.h): a run is found, or
 * added, in a few steps, wherever its words begin and end. */
#include "config.h"

#include "softcuda/check/whole_lanes.h"

/* The run of just these words; NULL: none. */
static inline struct page_run *find_run(struct page *page, uint32_t first, uint32_t end)
{
	for (uint32_t i = page->run_of[first / SHADOW_BLOCK]; i; i = page->runs[i - 1].next)
		if (page->runs[i - 1].first == first && page->runs[i - 1].end == end)
			return &page->runs[i - 1];
	return NULL;
}

/* Marks words [first, end) as those of a run.  False: some are, and nothing has changed. */
static inline bool take_words(struct page *page, uint32_t first, uint32_t end)
{
	enum { BITS = 64 };
	uint64_t bits[SHADOW_WORDS / BITS], taken = 0;
	const uint32_t from = first / BITS, last = (end - 1) / BITS;
	for (uint32_t i = from; i <= last; i++) {
		bits[i] = UINT64_MAX << (i == from ? first % BITS : 0);
		bits[i] &= UINT64_MAX >> (i == last ? BITS - 1 - (end - 1) % BITS : 0);
		taken |= page->in_run[i] & bits[i];
	}
	for (uint32_t i = from; i <= last && !taken; i++)
		page->in_run[i] |= bits[i];
	return !taken;
}

static bool add_run(struct page *page, struct page_run run, unsigned shift)
{
	uint8_t *of_block = &page->run_of[run.first / SHADOW_BLOCK];
	if (page->run_count == SHADOW_RUNS || !take_words(page, run.first, run.end))
		return false;
	run.next = *of_block;
	page->runs[page->run_count++] = run;
	page->run_shift = (uint8_t)shift;
	*of_block = page->run_count;
	return true;
}

bool check_lanes_touch_page_run(const struct lanes *lanes, struct page *page, uint32_t first, uint32_t end,
				uint64_t record, unsigned shift)
{
	struct page_run *run = find_run(page, first, end);
	if (page->run_count && shift != page->run_shift)
		return false;
	if (!run)
		return add_run(page, (struct page_run){
			lanes->writes ? record : 0, lanes->writes ? 0 : record, (uint16_t)first, (uint16_t)end, 0
		}, shift);
	if (!cells_ordered(run->write, record, &lanes->order) || !cells_ordered(run->read, record, &lanes->order))
		return false;
	run->write = lanes->writes ? record : run->write;
	run->read = lanes->writes ? 0 : record;
	return true;
}
