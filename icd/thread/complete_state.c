#include "config.h"

#include "icd/thread/complete_state.h"

#include "base/log.h"
#include "base/thread.h"

struct ocl_complete_state ocl_complete = {.lock = LOCK_INIT(LOCK_RANK_EVENT)};

bool ocl_complete_thread(void *(*start)(void *))
{
	const int failed = thread_start_detached(start);
	if (failed)
		log_err("cannot start a thread for callbacks: error %d", failed);
	return !failed;
}

bool ocl_complete_is_stopping(void)
{
	lock_take(&ocl_complete.lock);
	const bool stopping = ocl_complete.stopping;
	lock_drop(&ocl_complete.lock);
	return stopping;
}
