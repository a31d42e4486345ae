#include "config.h"

#include "icd/order/semaphore_shared.h"

#include "base/lock.h"
#include "base/log.h"
#include "icd/order/native.h"
#include "icd/order/queue.h"
#include "icd/thread/complete.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A wait whose signal has not come yet. */
struct pending {
	struct list link;
	cl_semaphore_khr semaphore;      /* ref held */
	cl_event gate;                   /* ref held */
	cl_int status;                   /* set when the wait has ended */
};

/* The most file descriptors that are polled together.  With more pending waits, all are tried at intervals. */
enum { POLLED = 64, INTERVAL_MS = 1 };

static struct {
	struct lock lock;                /* guards all fields below */
	bool running;
	int wake_fd;                     /* wakes the watcher thread; -1: not made yet */
	struct list pending;
} watcher = {
	.lock = LOCK_INIT(LOCK_RANK_EVENT),
	.wake_fd = -1,
	.pending = {&watcher.pending, &watcher.pending},
};

/* --- the counter ----------------------------------------------------------------------------- */

static void counter_add(int fd, uint64_t count)
{
	/* The counter of an eventfd is full after 2^64 - 2 signals for which nobody has waited. */
	if (write(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		log_warn("a shared semaphore cannot be signaled: its counter is full");
}

/* Reads the counter, which sets it to 0; false if it was 0. */
static bool counter_take(int fd, cl_int *status_out)
{
	uint64_t count;
	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return false;
	*status_out = count < SHARED_FAILED ? CL_COMPLETE
					    : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return true;
}

static bool counter_ready(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, 0) == 1 && (polled.revents & POLLIN);
}

/* Whether the application has closed the file descriptor. poll(2) then reports an error immediately. */
static bool counter_lost(int fd)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	return poll(&polled, 1, 0) == 1 && !(polled.revents & POLLIN);
}

static void counter_give_back(int fd, cl_int status)
{
	counter_add(fd, status == CL_COMPLETE ? 1 : SHARED_FAILED);
}

cl_int ocl_shared_create(int *fd_out)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		return CL_OUT_OF_RESOURCES;
	*fd_out = fd;
	return CL_SUCCESS;
}

cl_int ocl_shared_copy(int fd, int *fd_out)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return CL_OUT_OF_RESOURCES;
	*fd_out = copy;
	return CL_SUCCESS;
}

bool ocl_shared_is_counter(int fd)
{
	static const char own[] = "anon_inode:[eventfd]";
	char path[64], kind[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const ssize_t size_B = readlink(path, kind, sizeof(kind));
	if (size_B != (ssize_t)sizeof(own) - 1 || memcmp(kind, own, sizeof(own) - 1))
		return false;
	const int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* --- waits that are pending ------------------------------------------------------------------ */

static void pending_free(struct pending *wait)
{
	object_unref(wait->gate);
	object_unref(wait->semaphore);
	free(wait);
}

/* Fills polled with the thread's own descriptor and those of the first waits, and returns their number. *all_out:
 * all waits are in it. */
static nfds_t polled_list(struct pollfd polled[POLLED], bool *all_out)
{
	nfds_t count = 1;
	*all_out = true;
	lock_take(&watcher.lock);
	if (watcher.wake_fd < 0)
		watcher.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	polled[0] = (struct pollfd){.fd = watcher.wake_fd, .events = POLLIN};
	for (struct list *link = watcher.pending.next; link != &watcher.pending && *all_out;
	     link = link->next) {
		const struct pending *wait = list_entry(link, struct pending, link);
		*all_out = count < POLLED;
		if (*all_out)
			polled[count++] = (struct pollfd){.fd = wait->semaphore->fd,
							  .events = POLLIN};
	}
	lock_drop(&watcher.lock);
	return count;
}

/* Waits until a counter can be taken, or there is a new wait. */
static void watch(void)
{
	struct pollfd polled[POLLED];
	uint64_t woken;
	bool all;
	const nfds_t count = polled_list(polled, &all);
	const int wake_fd = polled[0].fd;
	(void)poll(polled, count, all && wake_fd >= 0 ? -1 : INTERVAL_MS);
	if (polled[0].revents & POLLNVAL) {
		/* The application has closed this descriptor, for example with all others; a new one is made. */
		lock_take(&watcher.lock);
		watcher.wake_fd = -1;
		lock_drop(&watcher.lock);
	} else if (polled[0].revents) {
		/* The read does not block; it only resets the counter. */
		(void)!read(wake_fd, &woken, sizeof(woken));
	}
}

/* The first wait before end whose counter can be taken. */
static struct pending *ready_before_locked(const struct list *end)
{
	for (struct list *link = watcher.pending.next; link != end; link = link->next) {
		struct pending *wait = list_entry(link, struct pending, link);
		if (counter_ready(wait->semaphore->fd))
			return wait;
	}
	return NULL;
}

static struct pending *lost_locked(void)
{
	for (struct list *link = watcher.pending.next; link != &watcher.pending;
	     link = link->next) {
		struct pending *wait = list_entry(link, struct pending, link);
		if (counter_lost(wait->semaphore->fd))
			return wait;
	}
	return NULL;
}

/* Removes and returns a wait that has ended.  If several wait for one semaphore, the first gets the signal: because
 * a signal may have come during the search, the waits before the one that was found are searched again. */
static struct pending *over_locked(void)
{
	struct pending *wait = ready_before_locked(&watcher.pending);
	for (struct pending *earlier = wait; earlier; earlier = ready_before_locked(&wait->link))
		wait = earlier;
	if (!wait) {
		wait = lost_locked();
		if (!wait)
			return NULL;
		wait->status = CL_INVALID_SEMAPHORE_KHR;
	} else if (!counter_take(wait->semaphore->fd, &wait->status)) {
		/* Another process has taken the counter. */
		return NULL;
	}
	list_remove(&wait->link);
	return wait;
}

static void *watcher_main(void *unused)
{
	(void)unused;
	for (;;) {
		watch();
		/* The process is ending: pending waits are not continued. */
		if (ocl_complete_is_stopping())
			return NULL;
		for (;;) {
			lock_take(&watcher.lock);
			struct pending *wait = over_locked();
			lock_drop(&watcher.lock);
			if (!wait)
				break;
			(void)ocl_user_event_set(wait->gate, wait->status);
			pending_free(wait);
		}
	}
}

/* If there is no descriptor the watcher wakes up by itself, at intervals. */
static void wake_locked(void)
{
	const uint64_t one = 1;
	if (watcher.wake_fd >= 0)
		(void)!write(watcher.wake_fd, &one, sizeof(one));
}

static bool watcher_start_locked(void)
{
	if (watcher.running)
		return true;
	if (watcher.wake_fd < 0)
		watcher.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	watcher.running = watcher.wake_fd >= 0 && ocl_complete_thread(watcher_main);
	return watcher.running;
}

/* --- use ------------------------------------------------------------------------------------- */

/* The shared semaphores that one command signals, with references until it has ended. */
struct signaled {
	atomic_bool written;
	cl_uint count;
	cl_semaphore_khr semaphores[];
};

static void CL_CALLBACK signal_run(void *data)
{
	struct signaled *signaled = *(struct signaled **)data;
	for (cl_uint i = 0; i < signaled->count; i++)
		counter_add(signaled->semaphores[i]->fd, 1);
	atomic_store(&signaled->written, true);
}

static void signaled_free(struct signaled *signaled)
{
	for (cl_uint i = 0; i < signaled->count; i++)
		object_unref(signaled->semaphores[i]);
	free(signaled);
}

/* Signals a failure if the command has not signaled because it failed. */
static void CL_CALLBACK signal_ended(cl_event event, cl_int status, void *data)
{
	struct signaled *signaled = data;
	(void)event, (void)status;
	for (cl_uint i = 0; i < signaled->count && !atomic_load(&signaled->written); i++)
		counter_add(signaled->semaphores[i]->fd, SHARED_FAILED);
	signaled_free(signaled);
}

static cl_int signaled_make(cl_uint count, const cl_semaphore_khr *semaphores,
			    struct signaled **signaled_out, struct ocl_native **native_out)
{
	struct signaled *signaled =
		calloc(1, sizeof(*signaled) + count * sizeof(signaled->semaphores[0]));
	if (!signaled)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		if (semaphores[i]->fd < 0)
			continue;
		object_ref(semaphores[i]);
		signaled->semaphores[signaled->count++] = semaphores[i];
	}
	cl_int error = ocl_native_create(signal_run, &signaled, sizeof(signaled), 0, NULL, NULL,
					 native_out);
	if (error)
		signaled_free(signaled);
	else
		*signaled_out = signaled;
	return error;
}

cl_int ocl_shared_signal(cl_command_queue queue, cl_uint count, const cl_semaphore_khr *semaphores,
			 cl_uint event_count, const cl_event *events, cl_event *event_out)
{
	struct ocl_command command;
	struct signaled *signaled;
	struct ocl_callback *ended;
	ocl_command_init(&command, &ocl_command_native, queue, CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
			 NULL);
	cl_int error = signaled_make(count, semaphores, &signaled, &command.u.native);
	if (error)
		return error;
	/* The callback is made first: once the signal is enqueued it must not fail, because only the callback
	 * reports a failed command. */
	error = ocl_callback_create(CL_COMPLETE, signal_ended, signaled, &ended);
	if (!error) {
		error = ocl_queue_enqueue(&command, false, event_count, events, event_out);
		if (error)
			ocl_callback_free(ended);
	}
	ocl_native_unref(command.u.native);
	if (error)
		signaled_free(signaled);
	else
		ocl_event_take_callback(*event_out, ended);
	return error;
}

/* Takes the counter, unless waits are pending: one of them may be for the same counter, and came first. */
static bool counter_take_first(int fd, cl_int *status_out)
{
	lock_take(&watcher.lock);
	const bool taken = list_empty(&watcher.pending) && counter_take(fd, status_out);
	lock_drop(&watcher.lock);
	return taken;
}

/* Adds a wait to the list, which holds references to both until the watcher has set the gate. */
static cl_int pending_add(cl_semaphore_khr semaphore, cl_event gate)
{
	struct pending *wait = malloc(sizeof(*wait));
	if (!wait)
		return CL_OUT_OF_HOST_MEMORY;
	object_ref(semaphore);
	object_ref(gate);
	wait->semaphore = semaphore;
	wait->gate = gate;
	lock_take(&watcher.lock);
	const bool watched = watcher_start_locked();
	if (watched) {
		list_append(&watcher.pending, &wait->link);
		wake_locked();
	}
	lock_drop(&watcher.lock);
	if (watched)
		return CL_SUCCESS;
	pending_free(wait);
	return CL_OUT_OF_RESOURCES;
}

cl_int ocl_shared_wait(cl_semaphore_khr semaphore, cl_event *event_out)
{
	cl_event gate;
	cl_int status;
	cl_int error = ocl_event_create_user(semaphore->context, &gate);
	if (error)
		return error;
	if (counter_take_first(semaphore->fd, &status))
		(void)ocl_user_event_set(gate, status);
	else
		error = pending_add(semaphore, gate);
	if (error)
		object_unref(gate);
	else
		*event_out = gate;
	return error;
}

void ocl_shared_wait_undo(cl_semaphore_khr semaphore, cl_event event)
{
	struct pending *found = NULL;
	lock_take(&watcher.lock);
	for (struct list *link = watcher.pending.next; link != &watcher.pending && !found;
	     link = link->next)
		if (list_entry(link, struct pending, link)->gate == event)
			found = list_entry(link, struct pending, link);
	if (found)
		list_remove(&found->link);
	lock_drop(&watcher.lock);
	/* If it is not in the list, the watcher has taken the counter and is about to set the gate. */
	if (found)
		pending_free(found);
	else
		counter_give_back(semaphore->fd, ocl_event_wait(event));
	object_unref(event);
}

cl_semaphore_payload_khr ocl_shared_payload(cl_semaphore_khr semaphore)
{
	return counter_ready(semaphore->fd);
}
