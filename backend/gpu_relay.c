#include "config.h"

#include "backend/gpu_internal.h"

#include "backend/gpu_crew.h"
#include "base/cancel.h"

#include <string.h>
#include <time.h>

/* Copies of pageable memory through slots, for sizes that fit into the slots of a device.  The threads of a crew
 * copy pieces between the application's memory and the slots.  Only the caller's thread gives the driver its copies
 * between slots and device, in the given stream, because threads that do so concurrently wait for each other in the
 * driver. */

enum {
	PIECE_B = 1 << 16,
	PIECES_MAX = GPU_STAGED_MAX_B / PIECE_B,
	PIECES_PER_THREAD = 2
};

/* The size of a piece in copies to the host.  All threads begin when a copy of the driver has arrived, and should
 * end together: on an H200, 1 MiB took 66 us in pieces of 64 KiB, 57 us in pieces of 32 KiB, 49 us in pieces of 16
 * KiB. */
enum { FETCHED_B = 1 << 14 };

/* A leg is one copy of the driver, of many pieces.  Each further leg costs the GPU about 4 us; with too few, threads
 * or the GPU wait for each other.  On an H200, 1 MiB to the host took 40 us in two legs, 45 in one, 40 in four; to
 * the device 42 us in two legs, 45 with a leg for each piece. */
enum { LEG_MOST_B = GPU_SLOT_B / 2, LEGS_MAX = GPU_STAGED_MAX_B / LEG_MOST_B };

struct relay {
	struct gpu_crew_job job;
	struct gpu_stream *stream;
	struct gpu_slot *slots[GPU_SLOTS];
	unsigned char *host;             /* the application's memory; only read in a copy to the device */
	gpu_address address;
	uint64_t size_B, piece_B, leg_B;
	unsigned slot_count, piece_count;
	atomic_uint begun;               /* number of pieces that threads have begun */
	atomic_int error;                /* the first error of any thread */
	atomic_bool copied[PIECES_MAX];  /* in a copy to the device: the piece is in its slot */
	/* In a copy to the host: the events after the legs' copies into slots, the number of legs that were put into
	 * the stream, and of those that have arrived. */
	struct gpu_event *arrivals[LEGS_MAX];
	atomic_uint sent, arrived;
	atomic_flag watched;             /* a thread polls for the next leg */
};

static void fail(struct relay *relay, cl_int error)
{
	int none = CL_SUCCESS;
	atomic_compare_exchange_strong(&relay->error, &none, error);
}

static bool piece_take(struct relay *relay, unsigned *piece_out)
{
	if (atomic_load_explicit(&relay->error, memory_order_relaxed))
		return false;
	*piece_out = atomic_fetch_add_explicit(&relay->begun, 1, memory_order_relaxed);
	return *piece_out < relay->piece_count;
}

/* The number of bytes before a piece; for piece_count it is the whole size. */
static uint64_t piece_at_B(const struct relay *relay, unsigned piece)
{
	const uint64_t at_B = piece * relay->piece_B;
	return at_B < relay->size_B ? at_B : relay->size_B;
}

static unsigned char *slot_at(const struct relay *relay, uint64_t at_B)
{
	return relay->slots[at_B / GPU_SLOT_B]->memory + at_B % GPU_SLOT_B;
}

/* One step of polling.  What is polled for takes less time than the copy of a piece, unless the thread that makes
 * the copy has lost its core; then this thread sleeps. */
static void look_again(unsigned *looks)
{
	enum { AWAKE = 20000, PAUSE_NS = 20000 };
	const struct timespec time = {0, PAUSE_NS};
	if (++*looks > AWAKE) {
		const int before = cancel_hold();
		nanosleep(&time, NULL);
		cancel_restore(before);
	}
	else
		gpu_crew_let_others();
}

/* --- to the device --- */

static void piece_fill(struct relay *relay, unsigned piece)
{
	const uint64_t at_B = piece_at_B(relay, piece);
	gpu_copy_past_caches(slot_at(relay, at_B), relay->host + at_B,
			     piece_at_B(relay, piece + 1) - at_B);
	atomic_store_explicit(&relay->copied[piece], true, memory_order_release);
}

static void pieces_fill(struct gpu_crew_job *job)
{
	struct relay *relay = (struct relay *)job;
	unsigned piece;
	while (piece_take(relay, &piece))
		piece_fill(relay, piece);
}

static bool is_copied(const struct relay *relay, unsigned piece)
{
	return piece < relay->piece_count &&
	       atomic_load_explicit(&relay->copied[piece], memory_order_acquire);
}

/* Sends the pieces that are in their slots to the device, from first on: as many as are contiguous in one slot, but
 * not fewer than a leg.  Returns the first one that was not sent. */
static unsigned pieces_send(struct relay *relay, unsigned first)
{
	const unsigned per_slot = (unsigned)(GPU_SLOT_B / relay->piece_B);
	while (is_copied(relay, first) && !atomic_load(&relay->error)) {
		unsigned end = first + 1;
		while (end % per_slot && is_copied(relay, end))
			end++;
		const uint64_t at_B = piece_at_B(relay, first);
		const bool more = end % per_slot && end < relay->piece_count;
		if (more && piece_at_B(relay, end) - at_B < relay->leg_B)
			break;
		const cl_int error = gpu_copy_to_device(relay->stream, relay->address + at_B,
							slot_at(relay, at_B),
							piece_at_B(relay, end) - at_B);
		if (error)
			fail(relay, error);
		first = end;
	}
	return first;
}

static void to_device_lead(struct gpu_crew_job *job)
{
	struct relay *relay = (struct relay *)job;
	unsigned piece, sent = 0, looks = 0;
	while (piece_take(relay, &piece)) {
		piece_fill(relay, piece);
		sent = pieces_send(relay, sent);
	}
	while (sent < relay->piece_count && !atomic_load(&relay->error)) {
		look_again(&looks);
		sent = pieces_send(relay, sent);
	}
}

/* --- to the host --- */

/* Asks the driver whether the next leg has arrived; one of the waiting threads does so at a time. */
static void arrivals_watch(struct relay *relay)
{
	if (atomic_flag_test_and_set_explicit(&relay->watched, memory_order_acquire))
		return;
	const unsigned next = atomic_load_explicit(&relay->arrived, memory_order_relaxed);
	bool done = false;
	if (next < atomic_load_explicit(&relay->sent, memory_order_acquire)) {
		const cl_int error = gpu_event_query(relay->arrivals[next], &done);
		if (error)
			fail(relay, error);
		if (done)
			atomic_store_explicit(&relay->arrived, next + 1, memory_order_release);
	}
	atomic_flag_clear_explicit(&relay->watched, memory_order_release);
}

static bool leg_await(struct relay *relay, unsigned leg)
{
	unsigned looks = 0;
	while (atomic_load_explicit(&relay->arrived, memory_order_acquire) <= leg) {
		if (atomic_load(&relay->error))
			return false;
		arrivals_watch(relay);
		look_again(&looks);
	}
	return true;
}

static void pieces_fetch(struct gpu_crew_job *job)
{
	struct relay *relay = (struct relay *)job;
	unsigned piece;
	while (piece_take(relay, &piece)) {
		const uint64_t at_B = piece_at_B(relay, piece);
		if (!leg_await(relay, (unsigned)(at_B / relay->leg_B)))
			return;
		memcpy(relay->host + at_B, slot_at(relay, at_B),
		       piece_at_B(relay, piece + 1) - at_B);
	}
}

static void to_host_lead(struct gpu_crew_job *job)
{
	struct relay *relay = (struct relay *)job;
	cl_int error = CL_SUCCESS;
	for (unsigned i = 0; i * relay->leg_B < relay->size_B && !error; i++) {
		const uint64_t at_B = i * relay->leg_B, left_B = relay->size_B - at_B;
		error = gpu_copy_to_host(relay->stream, slot_at(relay, at_B), relay->address + at_B,
					 left_B < relay->leg_B ? left_B : relay->leg_B);
		if (!error)
			error = gpu_event_record(relay->stream, false, &relay->arrivals[i]);
		if (!error)
			atomic_store_explicit(&relay->sent, i + 1, memory_order_release);
	}
	if (error)
		fail(relay, error);
	pieces_fetch(job);
}

/* --- both --- */

static unsigned helpers_for(uint64_t size_B)
{
	const unsigned size = gpu_crew_size();
	const uint64_t useful = size_B / PIECE_B / PIECES_PER_THREAD;
	const unsigned threads = useful < size ? (unsigned)useful : size;
	return threads ? threads - 1 : 0;
}

bool gpu_relay_is_shared(uint64_t size_B)
{
	return size_B <= GPU_STAGED_MAX_B && helpers_for(size_B);
}

/* false: there are no free slots. */
static bool relay_begin(struct relay *relay)
{
	relay->slot_count = (unsigned)((relay->size_B + GPU_SLOT_B - 1) / GPU_SLOT_B);
	relay->piece_count = (unsigned)((relay->size_B + relay->piece_B - 1) / relay->piece_B);
	atomic_flag_clear(&relay->watched);
	return relay->size_B <= GPU_STAGED_MAX_B &&
	       gpu_slots_take(relay->stream->device, relay->slots, relay->slot_count);
}

/* Releases the slots, which are free once the copies in the stream have happened. */
static cl_int relay_end(struct relay *relay)
{
	struct gpu_event *tail = NULL;
	cl_int error = atomic_load(&relay->error);
	const cl_int unwitnessed = gpu_stream_is_known_done(relay->stream)
					   ? CL_SUCCESS
					   : gpu_event_record(relay->stream, false, &tail);
	/* If no event can be recorded the slots are not used again. */
	if (!unwitnessed)
		gpu_slots_release(relay->stream->device, relay->slots, relay->slot_count, tail);
	gpu_event_unref(tail);
	for (unsigned i = 0; i < LEGS_MAX; i++)
		gpu_event_unref(relay->arrivals[i]);
	return error ? error : unwitnessed;
}

/* The size of a leg: half of the copy, in whole pieces; if that needs several slots, half a slot, so that a leg is
 * within one slot. */
static uint64_t leg_for(uint64_t size_B)
{
	const uint64_t half_B = (size_B / 2 + PIECE_B - 1) / PIECE_B * PIECE_B;
	return half_B < LEG_MOST_B ? half_B : LEG_MOST_B;
}

cl_int gpu_relay_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			   uint64_t size_B)
{
	const unsigned helpers = helpers_for(size_B);
	struct relay relay = {.job = {.work = pieces_fill, .lead = to_device_lead, .brief = true},
			      .stream = stream, .host = (unsigned char *)(uintptr_t)from,
			      .address = to, .size_B = size_B,
			      .piece_B = helpers ? PIECE_B : GPU_SLOT_B,
			      .leg_B = leg_for(size_B)};
	if (!relay_begin(&relay))
		return gpu_copy_to_device(stream, to, from, size_B);
	gpu_crew_run(&relay.job, helpers);
	return relay_end(&relay);
}

bool gpu_relay_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B,
		       cl_int *error_out)
{
	const unsigned helpers = helpers_for(size_B);
	struct relay relay = {.job = {.work = pieces_fetch, .lead = to_host_lead, .brief = true},
			      .stream = stream, .host = to, .address = from,
			      .size_B = size_B, .piece_B = FETCHED_B,
			      .leg_B = leg_for(size_B)};
	if (!helpers || !relay_begin(&relay))
		return false;
	gpu_crew_run(&relay.job, helpers);
	*error_out = relay_end(&relay);
	return true;
}
