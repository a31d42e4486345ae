#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* Copies between two devices go over NVLink or PCIe if their pools are accessible to each other; otherwise the
 * driver copies through the host, with a few GB/s.  On some boards direct copies change bytes without an error, so
 * each pair is tested first.
 *
 * Only pools are made accessible, because cuCtxEnablePeerAccess would change the application's contexts. */

enum { TEST_B = 1 << 20 };

/* current: the device whose context is current, to which an error of earlier work is attributed. */
static bool can_reach(struct gpu_device *current, const struct gpu_device *from,
		      const struct gpu_device *to)
{
	int can = 0;
	return !gpu_check(current, cuda.cuDeviceCanAccessPeer(&can, from->cu_device,
							      to->cu_device)) && can;
}

static cl_int pool_set_access(struct gpu_device *current, const struct gpu_device *owner,
			      const struct gpu_device *user, CUmemAccess_flags cu_flags)
{
	CUmemAccessDesc access;
	memset(&access, 0, sizeof(access));
	access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location.id = user->cu_device;
	access.flags = cu_flags;
	return gpu_check(current, cuda.cuMemPoolSetAccess(owner->cu_pool, &access, 1));
}

/* The context of a is current. */
static void pools_close(struct gpu_device *a, struct gpu_device *b)
{
	(void)pool_set_access(a, a, b, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	(void)pool_set_access(a, b, a, CU_MEM_ACCESS_FLAGS_PROT_NONE);
}

static cl_int pools_open(struct gpu_device *a, struct gpu_device *b)
{
	cl_int error = pool_set_access(a, a, b, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	if (!error)
		error = pool_set_access(a, b, a, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	return error;
}

/* --- the test --- */

/* One of the two devices of a test. */
struct end {
	struct gpu_device *device;
	struct gpu_stream *stream;
	gpu_address memory;
};

static void words_fill(uint32_t *words, uint32_t seed)
{
	for (uint32_t i = 0; i < TEST_B / 4; i++)
		words[i] = (i + seed) * 2654435761u;
}

static bool words_are(const uint32_t *words, uint32_t seed)
{
	for (uint32_t i = 0; i < TEST_B / 4; i++)
		if (words[i] != (i + seed) * 2654435761u)
			return false;
	return true;
}

static cl_int stream_end(struct gpu_stream *stream)
{
	struct gpu_event *done;
	cl_int error = gpu_event_record(stream, false, &done);
	if (error)
		return error;
	error = gpu_event_block(done);
	gpu_event_unref(done);
	return error;
}

/* Tests one direction.  Both directions in one round trip would not do, because two errors may cancel each other. */
static bool way_is_sound(const struct end *from, const struct end *to, uint32_t *words,
			 uint32_t seed)
{
	words_fill(words, seed);
	cl_int error = gpu_copy_to_device(from->stream, from->memory, words, TEST_B);
	if (!error)
		error = gpu_copy_peer(from->stream, to->memory, to->device, from->memory,
				      from->device, TEST_B);
	if (!error)
		error = stream_end(from->stream);
	if (!error)
		error = gpu_copy_to_host(to->stream, words, to->memory, TEST_B);
	if (!error)
		error = stream_end(to->stream);
	return !error && words_are(words, seed);
}

static cl_int end_begin(struct end *end, struct gpu_device *device)
{
	end->device = device;
	cl_int error = gpu_stream_acquire(device, 0, &end->stream);
	return error ? error : gpu_memory_alloc(device, TEST_B, &end->memory);
}

static void end_finish(struct end *end)
{
	if (!end->stream)
		return;
	gpu_memory_free(end->device, end->memory, NULL, 0);
	gpu_stream_release(end->stream);
}

static bool pair_is_sound(struct gpu_device *a, struct gpu_device *b)
{
	struct end ends[2] = {{.device = a}, {.device = b}};
	uint32_t *words = malloc(TEST_B);
	const bool good = words && !end_begin(&ends[0], a) && !end_begin(&ends[1], b) &&
			  way_is_sound(&ends[0], &ends[1], words, 1) &&
			  way_is_sound(&ends[1], &ends[0], words, 2);
	/* After an error a copy may still be running. */
	for (unsigned i = 0; i < 2 && !good; i++)
		if (ends[i].stream)
			(void)stream_end(ends[i].stream);
	end_finish(&ends[0]);
	end_finish(&ends[1]);
	free(words);
	return good;
}

/* --- pairs --- */

static bool pair_open(struct gpu_device *a, struct gpu_device *b)
{
	struct gpu_scope scope;
	bool open = false;
	if (!a->cu_pool || !b->cu_pool || !cuda.cuMemPoolSetAccess || gpu_enter_new(a, &scope))
		return false;
	if (can_reach(a, a, b) && can_reach(a, b, a)) {
		open = !pools_open(a, b) && pair_is_sound(a, b);
		if (!open) {
			log_warn("devices %u and %u: copies between them use host memory, "
				 "because a direct copy failed a test",
				 a->index, b->index);
			pools_close(a, b);
		}
	}
	gpu_leave(&scope);
	return open;
}

bool gpu_peer_open(struct gpu_device *a, struct gpu_device *b)
{
	/* Each pair is tried once, in whichever order its devices are given. */
	struct gpu_device *low = a->index < b->index ? a : b;
	struct gpu_device *high = a->index < b->index ? b : a;
	if (low == high || high->index >= GPU_PEERS_MAX || !atomic_load(&low->cu_context) ||
	    !atomic_load(&high->cu_context))
		return false;
	const uint64_t bit = UINT64_C(1) << high->index;
	if (atomic_fetch_or(&low->peers_tried, bit) & bit)
		return atomic_load(&low->peers_open) & bit;
	lock_assert_none();
	if (pair_open(low, high))
		atomic_fetch_or(&low->peers_open, bit);
	return atomic_load(&low->peers_open) & bit;
}
