#include "config.h"

#include "softcuda/check/trace.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PAGE_B = 4096, WORD_B = 64, WORDS = PAGE_B / WORD_B, BUCKETS = 4096 };

struct page {
	struct page *next;                   /* in its bucket; never changes */
	uint64_t number;                     /* address / PAGE_B */
	_Atomic uint64_t marks[SOFT_ACCESS_KINDS][WORDS];
};

struct soft_trace {
	_Atomic(struct page *) buckets[BUCKETS];
	atomic_size_t page_count;
	atomic_bool lost;
};

struct soft_trace *soft_trace_create(void)
{
	return calloc(1, sizeof(struct soft_trace));
}

void soft_trace_destroy(struct soft_trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct page *page = atomic_load(&trace->buckets[i]);
		while (page) {
			struct page *next = page->next;
			free(page);
			page = next;
		}
	}
	free(trace);
}

static struct page *bucket_find(struct page *page, uint64_t number)
{
	while (page && page->number != number)
		page = page->next;
	return page;
}

/* Pages are put in front of their bucket and never leave it. */
static struct page *page_at(struct soft_trace *trace, uint64_t number)
{
	_Atomic(struct page *) *bucket = &trace->buckets[(number ^ number >> 12) % BUCKETS];
	struct page *first = atomic_load_explicit(bucket, memory_order_acquire);
	struct page *found = bucket_find(first, number);
	if (found)
		return found;
	struct page *page = calloc(1, sizeof(*page));
	if (!page) {
		atomic_store(&trace->lost, true);
		return NULL;
	}
	page->number = number;
	page->next = first;
	while (!atomic_compare_exchange_weak_explicit(bucket, &first, page, memory_order_acq_rel,
						      memory_order_acquire)) {
		found = bucket_find(first, number);
		if (found) {
			free(page);
			return found;
		}
		page->next = first;
	}
	atomic_fetch_add(&trace->page_count, 1);
	return page;
}

static void mark_word(struct page *page, unsigned kind, uint64_t word, uint64_t bits)
{
	for (unsigned k = 0; k < SOFT_ACCESS_KINDS; k++) {
		_Atomic uint64_t *marks = &page->marks[k][word];
		if (kind >> k & 1 && (atomic_load_explicit(marks, memory_order_relaxed) & bits) !=
					     bits)
			atomic_fetch_or_explicit(marks, bits, memory_order_relaxed);
	}
}

static void mark(struct soft_trace *trace, unsigned kind, uint64_t address, uint64_t size_B)
{
	struct page *page = NULL;
	for (uint64_t end = address + size_B; address < end;) {
		uint64_t bit = address % WORD_B;
		uint64_t count = WORD_B - bit < end - address ? WORD_B - bit : end - address;
		uint64_t bits = (count == WORD_B ? UINT64_MAX : ((uint64_t)1 << count) - 1) << bit;
		if (!page || page->number != address / PAGE_B)
			page = page_at(trace, address / PAGE_B);
		if (!page)
			return;
		mark_word(page, kind, address % PAGE_B / WORD_B, bits);
		address += count;
	}
}

/* Neighbouring lanes access one range, which is by far the most common case. */
void soft_trace_mark_lanes(struct soft_trace *trace, unsigned kind, uint32_t mask, uint32_t size_B,
			   const uint64_t *address)
{
	uint64_t start = 0, end = 0;
	for (unsigned l = 0; l < LANES; l++) {
		if (!(mask >> l & 1) || (address[l] >= start && address[l] + size_B <= end))
			continue;
		if (address[l] != end) {
			mark(trace, kind, start, end - start);
			start = address[l];
		}
		end = address[l] + size_B;
	}
	mark(trace, kind, start, end - start);
}

void soft_trace_mark_row(struct soft_trace *trace, unsigned kind, uint32_t mask, uint32_t size_B, uint64_t address,
			 uint32_t step_B)
{
	uint32_t first = 0;
	for (uint64_t rest = mask, count; rest && step_B; rest >>= count, first += (uint32_t)count) {
		const uint32_t gap = (uint32_t)__builtin_ctzll(rest);
		rest >>= gap;
		first += gap;
		count = (uint64_t)__builtin_ctzll(~rest);
		mark(trace, kind, address + (uint64_t)first * step_B, count * step_B);
	}
	if (mask && !step_B)
		mark(trace, kind, address, size_B);
}

/* --- reading ---------- */

struct list_of_intervals {
	struct soft_interval *data;
	size_t count, capacity;
};

static bool append(struct list_of_intervals *list, uint64_t start, uint64_t size_B, unsigned kinds)
{
	struct soft_interval *last = list->count ? &list->data[list->count - 1] : NULL;
	if (!kinds)
		return true;
	if (last && last->end == start && last->kinds == kinds) {
		last->end = start + size_B;
		return true;
	}
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 16;
		struct soft_interval *data = realloc(list->data, capacity * sizeof(*data));
		if (!data)
			return false;
		list->data = data;
		list->capacity = capacity;
	}
	list->data[list->count++] = (struct soft_interval){start, start + size_B, kinds};
	return true;
}

static bool append_word(struct list_of_intervals *list, const struct page *page, unsigned word)
{
	uint64_t address = page->number * PAGE_B + (uint64_t)word * WORD_B;
	uint64_t marks[SOFT_ACCESS_KINDS];
	unsigned whole = 0, mixed = 0;
	for (unsigned k = 0; k < SOFT_ACCESS_KINDS; k++) {
		marks[k] = atomic_load_explicit(&page->marks[k][word], memory_order_relaxed);
		whole |= (unsigned)(marks[k] == UINT64_MAX) << k;
		mixed |= (unsigned)(marks[k] && marks[k] != UINT64_MAX) << k;
	}
	if (!mixed)
		return append(list, address, WORD_B, whole);
	for (unsigned bit = 0; bit < WORD_B; bit++) {
		unsigned kinds = 0;
		for (unsigned k = 0; k < SOFT_ACCESS_KINDS; k++)
			kinds |= (unsigned)(marks[k] >> bit & 1) << k;
		if (!append(list, address + bit, 1, kinds))
			return false;
	}
	return true;
}

/* Most pages are accessed in the same way from end to end. */
static bool append_page(struct list_of_intervals *list, const struct page *page)
{
	unsigned whole = 0, mixed = 0;
	for (unsigned k = 0; k < SOFT_ACCESS_KINDS; k++) {
		uint64_t all = UINT64_MAX, any = 0;
		for (unsigned word = 0; word < WORDS; word++) {
			const uint64_t marks = atomic_load_explicit(&page->marks[k][word], memory_order_relaxed);
			all &= marks;
			any |= marks;
		}
		whole |= (unsigned)(all == UINT64_MAX) << k;
		mixed |= (unsigned)(any && all != UINT64_MAX) << k;
	}
	if (!mixed)
		return append(list, page->number * PAGE_B, PAGE_B, whole);
	for (unsigned word = 0; word < WORDS; word++)
		if (!append_word(list, page, word))
			return false;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = (*(struct page *const *)a)->number, y = (*(struct page *const *)b)->number;
	return (x > y) - (x < y);
}

bool soft_trace_intervals(const struct soft_trace *trace, struct soft_interval **intervals_out,
			  size_t *count_out)
{
	size_t page_count = atomic_load(&trace->page_count), found = 0;
	struct list_of_intervals list = {NULL, 0, 0};
	struct page **pages = malloc((page_count + 1) * sizeof(struct page *));
	bool complete = pages && !atomic_load(&trace->lost);
	for (size_t i = 0; complete && i < BUCKETS; i++)
		for (struct page *page = atomic_load(&trace->buckets[i]); page; page = page->next)
			pages[found++] = page;
	if (complete)
		qsort(pages, found, sizeof(struct page *), by_number);
	for (size_t i = 0; complete && i < found; i++)
		complete = append_page(&list, pages[i]);
	free(pages);
	if (!complete) {
		free(list.data);
		return false;
	}
	*intervals_out = list.data;
	*count_out = list.count;
	return true;
}
