#include "config.h"

#include "backend/gpu_internal.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* How a thread waits between two queries of an event.
 *
 * Short waits are common, so it polls at first.  Then it sleeps for a small part of the time that it has waited so
 * far: that takes some percent of a core and delays the end of the wait little. (The driver's own sleep ends 30 to
 * 700 us after the event on virtual machines, on which most rented GPUs are, and makes each record 1 us slower.)
 *
 * Programs often wait for the same work repeatedly.  Therefore a stream remembers two different lengths of its last
 * waits: around each of these the thread polls, and before them it sleeps a little longer. */
struct manner {
	const char *name;                /* the value of CULVERT_WAIT */
	uint64_t spin_ns;                /* how long it polls without pauses */
	uint64_t part;                   /* a pause is the time waited so far, divided by this, */
	uint64_t least_ns, most_ns;      /* but within these limits */
	bool foresees;                   /* pauses end before the expected end of the wait (gpu_stream_foresee) */
	bool rests;                      /* the software driver ends a pause when the event has completed */
};

static const struct manner manners[] = {
	{"auto", 400000, 128, 5000, 150000, true, false},
	{"spin", UINT64_MAX, 1, 0, 0, false, false},
	{"block", 0, 16, 50000, 1000000, false, false},
};

/* The limits of pauses while the end of the wait is expected at a known time. */
enum { FORESEEN_PART = 32, FORESEEN_MOST_NS = 1000000 };
/* Shorter waits are polled without pauses and not remembered. */
enum { FORESEEN_LEAST_NS = 100000 };

/* Kernels of the software driver run on the processors on which a thread would poll.  The longest pause is how late a
 * device is noticed that was lost without the event. */
static const struct manner manner_of_software = {"auto", 10000, 16, 30000, 1000000, false, true};
enum { REST_MOST_NS = 100000000 };

static const struct manner *chosen = &manners[0];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void manner_choose(void)
{
	const char *name = option_string(OPTION_WAIT);
	for (size_t i = 0; i < sizeof(manners) / sizeof(manners[0]); i++) {
		if (!strcmp(manners[i].name, name)) {
			chosen = !i && cuda_is_software() ? &manner_of_software : &manners[i];
			return;
		}
	}
	log_warn("%s=%s: not one of auto, spin, block; using auto", option_name(OPTION_WAIT), name);
}

static const struct manner *manner_now(void)
{
	pthread_once(&once, manner_choose);
	return chosen;
}

void gpu_pauses_begin(struct gpu_pauses *pauses, struct gpu_stream *stream)
{
	pauses->manner = manner_now();
	pauses->start_ns = host_now_ns();
	pauses->stream = stream;
	pauses->slack = -1;
}

/* The largest difference between the lengths of two waits that count as equal. */
static uint64_t margin_of(uint64_t length_ns)
{
	return length_ns / 128 + 20000;
}

uint64_t gpu_stream_foresee(const struct gpu_stream *stream, uint64_t waited_ns)
{
	uint64_t next_ns = UINT64_MAX;
	if (!manner_now()->foresees)
		return next_ns;
	for (unsigned i = 0; i < GPU_WAITS_REMEMBERED; i++) {
		const uint64_t length_ns = atomic_load_explicit(&stream->waits_ns[i],
								memory_order_relaxed);
		const uint64_t margin_ns = margin_of(length_ns);
		if (!length_ns || waited_ns > length_ns + margin_ns)
			continue;
		if (waited_ns + margin_ns >= length_ns)
			return 0;
		if (length_ns - margin_ns - waited_ns < next_ns)
			next_ns = length_ns - margin_ns - waited_ns;
	}
	return next_ns;
}

/* Replaces the remembered length that is nearly equal, or else the oldest.  If several threads wait for one stream
 * they may overwrite each other's lengths; then the ends of these waits are not expected. */
void gpu_stream_remember(struct gpu_stream *stream, uint64_t length_ns)
{
	if (length_ns < FORESEEN_LEAST_NS)
		return;
	const unsigned last = atomic_load_explicit(&stream->waits_last, memory_order_relaxed);
	unsigned place = (last + 1) % GPU_WAITS_REMEMBERED;
	for (unsigned i = 0; i < GPU_WAITS_REMEMBERED; i++) {
		const uint64_t known_ns = atomic_load_explicit(&stream->waits_ns[i],
							       memory_order_relaxed);
		const uint64_t apart_ns = known_ns > length_ns ? known_ns - length_ns
							       : length_ns - known_ns;
		if (known_ns && apart_ns <= 2 * margin_of(length_ns))
			place = i;
	}
	atomic_store_explicit(&stream->waits_ns[place], length_ns, memory_order_relaxed);
	atomic_store_explicit(&stream->waits_last, place, memory_order_relaxed);
}

/* Linux may prolong a thread's sleeps by 50 us, its timer slack.  The thread is the application's, so its setting is
 * restored after the wait. */
static void slack_lower(struct gpu_pauses *pauses)
{
	if (pauses->slack >= 0)
		return;
	pauses->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (pauses->slack > 1)
		(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

static uint64_t between(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* How long to sleep before the next query; 0: not at all. */
static uint64_t pause_of(const struct gpu_pauses *pauses, uint64_t waited_ns)
{
	const struct manner *manner = pauses->manner;
	const uint64_t foreseen_ns = gpu_stream_foresee(pauses->stream, waited_ns);
	if (foreseen_ns == UINT64_MAX)
		return waited_ns < manner->spin_ns ? 0 : between(waited_ns / manner->part,
								 manner->least_ns, manner->most_ns);
	if (foreseen_ns < manner->least_ns || waited_ns < FORESEEN_LEAST_NS)
		return 0;
	const uint64_t pause_ns = between(waited_ns / FORESEEN_PART, manner->least_ns,
					  FORESEEN_MOST_NS);
	return pause_ns < foreseen_ns ? pause_ns : foreseen_ns;
}

void gpu_pause(struct gpu_pauses *pauses, CUevent cu_event)
{
	const uint64_t pause_ns = pause_of(pauses, host_now_ns() - pauses->start_ns);
	const struct timespec time = {0, (long)pause_ns};
	if (!pause_ns)
		return;
	const int before = cancel_hold();
	if (!pauses->manner->rests || !cuda_rest || !cuda_rest(cu_event, REST_MOST_NS)) {
		slack_lower(pauses);
		nanosleep(&time, NULL);
	}
	cancel_restore(before);
}

void gpu_pauses_end(const struct gpu_pauses *pauses)
{
	gpu_stream_remember(pauses->stream, host_now_ns() - pauses->start_ns);
	if (pauses->slack > 1)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)pauses->slack, 0, 0, 0);
}
