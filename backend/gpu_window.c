#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"
#include "base/page.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Addresses are reserved for the whole size, which costs nothing; memory is allocated and pinned only where it was
 * requested.  A copy must be within one registration: gpu_window_run says where the next one begins. */

struct piece {
	uint64_t lo_B, hi_B;             /* byte offsets, multiples of the page size; pieces do not overlap */
};

struct gpu_window {
	struct gpu_device *device;       /* constant, like memory and size_B */
	unsigned char *memory;
	uint64_t size_B;                 /* a multiple of the page size */
	struct lock lock;                /* guards the fields below */
	struct piece *pieces;            /* owned array: the ranges that are pinned, in order */
	size_t count, capacity;
};

cl_int gpu_window_create(struct gpu_device *device, uint64_t size_B,
			 struct gpu_window **window_out)
{
	const uint64_t whole_B = host_pages_B(size_B);
	struct gpu_window *window = calloc(1, sizeof(*window));
	if (!window)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&window->lock, LOCK_RANK_GPU))
		goto fail_lock;
	window->memory = mmap(NULL, whole_B, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (window->memory == MAP_FAILED)
		goto fail_memory;
	window->device = device;
	window->size_B = whole_B;
	*window_out = window;
	return CL_SUCCESS;
fail_memory:
	lock_finish(&window->lock);
fail_lock:
	free(window);
	return CL_OUT_OF_HOST_MEMORY;
}

/* Whether all pages could be unregistered. */
static bool pieces_unregister(struct gpu_window *window)
{
	struct gpu_scope scope;
	bool good = true;
	if (gpu_enter(window->device, &scope))
		return false;
	for (size_t i = 0; i < window->count; i++)
		good &= !gpu_check(window->device, cuda.cuMemHostUnregister(
			window->memory + window->pieces[i].lo_B));
	gpu_leave(&scope);
	return good;
}

static void window_end(struct gpu_device *device, void *object)
{
	struct gpu_window *window = object;
	(void)device;
	/* If they could not, a copy of a lost device may still write to the memory, which therefore must not be used
	 * for anything else. */
	if (!window->count || pieces_unregister(window))
		(void)munmap(window->memory, window->size_B);
	else
		log_warn("%llu bytes of pinned memory are leaked",
			 (unsigned long long)window->size_B);
	free(window->pieces);
	lock_finish(&window->lock);
	free(window);
}

void gpu_window_destroy(struct gpu_window *window)
{
	uint64_t pinned_B = 0;
	if (!window)
		return;
	for (size_t i = 0; i < window->count; i++)
		pinned_B += window->pieces[i].hi_B - window->pieces[i].lo_B;
	gpu_defer_quiet(window->device, window_end, window, pinned_B, NULL, 0);
}

void *gpu_window_memory(const struct gpu_window *window)
{
	return window->memory;
}

/* Reduces *range to its first part that is in no piece, and makes room for another piece. *found_out: there is such
 * a part. */
static cl_int gap_find(struct gpu_window *window, struct piece *range, bool *found_out)
{
	cl_int error = CL_SUCCESS;
	lock_take(&window->lock);
	if (window->count == window->capacity) {
		const size_t capacity = window->capacity ? 2 * window->capacity : 4;
		struct piece *more = realloc(window->pieces, capacity * sizeof(*more));
		if (more) {
			window->pieces = more;
			window->capacity = capacity;
		} else {
			error = CL_OUT_OF_HOST_MEMORY;
		}
	}
	for (size_t i = 0; i < window->count && range->lo_B < range->hi_B; i++) {
		const struct piece *piece = &window->pieces[i];
		if (piece->hi_B <= range->lo_B)
			continue;
		if (piece->lo_B > range->lo_B) {
			if (piece->lo_B < range->hi_B)
				range->hi_B = piece->lo_B;
			break;
		}
		range->lo_B = piece->hi_B;
	}
	lock_drop(&window->lock);
	*found_out = range->lo_B < range->hi_B;
	return *found_out ? error : CL_SUCCESS;
}

static void piece_insert(struct gpu_window *window, const struct piece *piece)
{
	lock_take(&window->lock);
	size_t at = window->count++;
	for (; at && window->pieces[at - 1].lo_B > piece->lo_B; at--)
		window->pieces[at] = window->pieces[at - 1];
	window->pieces[at] = *piece;
	lock_drop(&window->lock);
}

static cl_int piece_register(struct gpu_window *window, const struct piece *piece)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter_new(window->device, &scope);
	if (error)
		return error;
	error = gpu_check(window->device, cuda.cuMemHostRegister_v2(
		window->memory + piece->lo_B, piece->hi_B - piece->lo_B,
		CU_MEMHOSTREGISTER_PORTABLE));
	gpu_leave(&scope);
	return error;
}

cl_int gpu_window_pin(struct gpu_window *window, uint64_t lo_B, uint64_t hi_B)
{
	const uint64_t first_B = lo_B / host_page_B() * host_page_B();
	const uint64_t last_B = host_pages_B(hi_B);
	bool found;
	for (;;) {
		struct piece gap = {first_B, last_B};
		cl_int error = gap_find(window, &gap, &found);
		if (!error && !found)
			return CL_SUCCESS;
		if (!error)
			error = piece_register(window, &gap);
		if (error)
			return error;
		piece_insert(window, &gap);
	}
}

uint64_t gpu_window_run(struct gpu_window *window, uint64_t at_B, uint64_t end_B)
{
	lock_take(&window->lock);
	for (size_t i = 0; i < window->count; i++) {
		const struct piece *piece = &window->pieces[i];
		if (piece->lo_B <= at_B && at_B < piece->hi_B && piece->hi_B < end_B)
			end_B = piece->hi_B;
	}
	lock_drop(&window->lock);
	return end_B;
}
