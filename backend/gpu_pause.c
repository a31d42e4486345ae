#include "config.h"

#include "backend/gpu_internal.h"

#include "base/log.h"
#include "base/options.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* How a thread passes the time between two looks at an event.
 *
 * Short waits are common, so it spins at first.  Then it sleeps, a small part of the
 * time that it has waited so far: that takes some percent of a core and adds little
 * to the wait.  (The driver's own sleep wakes 500 us after the event on the virtual
 * machines that most GPUs are rented with, and makes each record 1 us dearer.) */
struct manner {
	const char *name;                /* the value of CULVERT_WAIT */
	uint64_t spin_ns;
	uint64_t part;                   /* of the time waited */
	uint64_t least_ns, most_ns;
};

static const struct manner manners[] = {
	{"auto", 100000, 64, 10000, 250000},
	{"spin", UINT64_MAX, 1, 0, 0},
	{"block", 0, 16, 50000, 1000000},
};

static const struct manner *manner = &manners[0];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void manner_choose(void)
{
	const char *name = option_string(OPTION_WAIT);
	for (size_t i = 0; i < sizeof(manners) / sizeof(manners[0]); i++) {
		if (!strcmp(manners[i].name, name)) {
			manner = &manners[i];
			return;
		}
	}
	log_warn("%s=%s: not one of auto, spin, block: auto", option_name(OPTION_WAIT), name);
}

void gpu_pauses_begin(struct gpu_pauses *pauses)
{
	pthread_once(&once, manner_choose);
	pauses->start_ns = gpu_host_now_ns();
	pauses->slack = -1;
}

/* Linux lets a thread sleep 50 us longer than it asked for, unless it is told not to;
 * the thread is the application's and gets its own setting back. */
static void slack_lower(struct gpu_pauses *pauses)
{
	if (pauses->slack >= 0)
		return;
	pauses->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (pauses->slack > 1)
		(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

void gpu_pause(struct gpu_pauses *pauses)
{
	const uint64_t waited_ns = gpu_host_now_ns() - pauses->start_ns;
	if (waited_ns < manner->spin_ns)
		return;
	uint64_t pause_ns = waited_ns / manner->part;
	if (pause_ns < manner->least_ns)
		pause_ns = manner->least_ns;
	if (pause_ns > manner->most_ns)
		pause_ns = manner->most_ns;
	slack_lower(pauses);
	const struct timespec time = {0, (long)pause_ns};
	nanosleep(&time, NULL);
}

void gpu_pauses_end(const struct gpu_pauses *pauses)
{
	if (pauses->slack > 1)
		(void)prctl(PR_SET_TIMERSLACK, (unsigned long)pauses->slack, 0, 0, 0);
}
