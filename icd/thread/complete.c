/* Starts the threads, and stops them when the process ends. */
#include "config.h"

#include "icd/thread/complete.h"

#include "base/clock.h"
#include "icd/thread/complete_state.h"

#include <stdlib.h>
#include <unistd.h>

static bool ready;                       /* the conditions and lists are initialized; guarded by ocl_complete.lock */
static pid_t process;                    /* the process that started the threads; constant once ready is set */

/* Called before the CUDA driver's own exit handler, which was registered earlier: from then on no thread of
 * ours may call the driver.  A poll is short, and a copy is given time to end; a callback of the application
 * that still runs cannot be waited for. */
static void stop_at_exit(void)
{
	static const uint64_t patience_ns = 100000000;
	/* A forked child has its parent's locks as they were, perhaps taken, and none of its threads. */
	if (getpid() != process)
		return;
	lock_take(&ocl_complete.lock);
	ocl_complete.stopping = true;
	ocl_complete_watches_park_locked();
	const uint64_t start_ns = host_now_ns();
	while ((!ocl_complete_watches_are_parked_locked() || ocl_complete_workers_busy_locked()) &&
	       host_now_ns() - start_ns < patience_ns)
		(void)lock_condition_wait_for(&ocl_complete.stopped, &ocl_complete.lock, patience_ns);
	lock_drop(&ocl_complete.lock);
}

static cl_int make_ready_locked(void)
{
	if (ready)
		return CL_SUCCESS;
	if (lock_condition_init(&ocl_complete.stopped))
		return CL_OUT_OF_RESOURCES;
	if (ocl_complete_watches_init_locked())
		goto fail_watches;
	if (ocl_complete_callbacks_init_locked())
		goto fail_callbacks;
	if (ocl_complete_workers_init_locked())
		goto fail_workers;
	if (atexit(stop_at_exit))
		goto fail_exit;
	process = getpid();
	ready = true;
	return CL_SUCCESS;
fail_exit:
	ocl_complete_workers_finish_locked();
fail_workers:
	ocl_complete_callbacks_finish_locked();
fail_callbacks:
	ocl_complete_watches_finish_locked();
fail_watches:
	lock_condition_finish(&ocl_complete.stopped);
	return CL_OUT_OF_RESOURCES;
}

cl_int ocl_complete_start(void)
{
	lock_take(&ocl_complete.lock);
	cl_int error = make_ready_locked();
	if (!error &&
	    (!ocl_complete_callbacks_start_locked() || !ocl_complete_watches_start_locked()))
		error = CL_OUT_OF_RESOURCES;
	lock_drop(&ocl_complete.lock);
	return error;
}
