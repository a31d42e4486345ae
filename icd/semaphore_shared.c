#include "config.h"

#include "icd/semaphore_shared.h"

#include "base/lock.h"
#include "base/log.h"
#include "icd/complete.h"
#include "icd/queue.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A wait that came before its signal. */
struct pending {
	struct list link;
	cl_semaphore_khr semaphore;      /* ref held */
	cl_event gate;                   /* ref held */
	cl_int status;                   /* once it is over */
};

/* As many descriptors are polled at once; with more, all are tried at intervals. */
enum { POLLED = 64, INTERVAL_MS = 1 };

static struct {
	struct lock lock;                /* guards all below */
	bool running;
	int wake_fd;                     /* of the thread, once it runs */
	struct list pending;
} watcher = {
	.lock = LOCK_INIT(LOCK_RANK_EVENT),
	.wake_fd = -1,
	.pending = {&watcher.pending, &watcher.pending},
};

/* --- the counter -------------------------------------------------------------------------------- */

static void counter_add(int fd, uint64_t count)
{
	/* A counter that is full has been signaled more often than anyone can wait for. */
	if (write(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		log_warn("a semaphore's counter takes no signal");
}

/* Takes all of it. */
static bool counter_take(int fd, cl_int *status_out)
{
	uint64_t count;
	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return false;
	*status_out = count < SHARED_FAILED ? CL_COMPLETE
					    : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return true;
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

cl_int ocl_shared_check(int fd)
{
	static const char own[] = "anon_inode:[eventfd]";
	char path[64], kind[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const ssize_t size_B = readlink(path, kind, sizeof(kind));
	if (size_B != (ssize_t)sizeof(own) - 1 || memcmp(kind, own, sizeof(own) - 1)) {
		log_info("file descriptor %d is no semaphore of OpenCL's", fd);
		return CL_INVALID_PROPERTY;
	}
	const int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return CL_INVALID_PROPERTY;
	return CL_SUCCESS;
}

/* --- waits that are pending ------------------------------------------------------------------ */

static void pending_free(struct pending *wait)
{
	object_unref(wait->gate);
	object_unref(wait->semaphore);
	free(wait);
}

/* Sleeps until a counter may be taken, or there is a new wait. */
static void watch(void)
{
	struct pollfd polled[POLLED] = {{.fd = watcher.wake_fd, .events = POLLIN}};
	nfds_t count = 1;
	bool all = true;
	uint64_t woken;
	lock_take(&watcher.lock);
	for (struct list *link = watcher.pending.next; link != &watcher.pending;
	     link = link->next) {
		if (count == POLLED) {
			all = false;
			break;
		}
		const struct pending *wait = list_entry(link, struct pending, link);
		polled[count++] = (struct pollfd){.fd = wait->semaphore->fd, .events = POLLIN};
	}
	lock_drop(&watcher.lock);
	(void)poll(polled, count, all ? -1 : INTERVAL_MS);
	/* It does not block, and what it says is that we are awake. */
	(void)!read(watcher.wake_fd, &woken, sizeof(woken));
}

static void *watcher_main(void *unused)
{
	(void)unused;
	for (;;) {
		struct list over;
		list_init(&over);
		watch();
		/* What still waits now waits forever. */
		if (ocl_complete_is_stopping())
			return NULL;
		lock_take(&watcher.lock);
		for (struct list *link = watcher.pending.next, *next; link != &watcher.pending;
		     link = next) {
			struct pending *wait = list_entry(link, struct pending, link);
			next = link->next;
			if (counter_take(wait->semaphore->fd, &wait->status)) {
				list_remove(link);
				list_append(&over, link);
			}
		}
		lock_drop(&watcher.lock);
		while (!list_empty(&over)) {
			struct pending *wait = list_entry(over.next, struct pending, link);
			list_remove(&wait->link);
			(void)ocl_user_event_set(wait->gate, wait->status);
			pending_free(wait);
		}
	}
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

/* --- use ------------------------------------------------------------------------------------------ */

static void CL_CALLBACK signal_fire(cl_event event, cl_int status, void *semaphore)
{
	(void)event;
	counter_give_back(((cl_semaphore_khr)semaphore)->fd, status);
	object_unref(semaphore);
}

cl_int ocl_shared_signal(cl_semaphore_khr semaphore, cl_event event)
{
	object_ref(semaphore);
	cl_int error = ocl_event_add_callback(event, CL_COMPLETE, signal_fire, semaphore);
	if (error)
		object_unref(semaphore);
	return error;
}

/* The gate that event_out got has a reference for the caller, and one for the list. */
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
	if (watched)
		list_append(&watcher.pending, &wait->link);
	lock_drop(&watcher.lock);
	if (!watched) {
		pending_free(wait);
		return CL_OUT_OF_RESOURCES;
	}
	counter_add(watcher.wake_fd, 1);
	return CL_SUCCESS;
}

cl_int ocl_shared_wait(cl_semaphore_khr semaphore, cl_event *event_out)
{
	cl_event gate;
	cl_int status;
	cl_int error = ocl_event_create_user(semaphore->context, &gate);
	if (error)
		return error;
	if (counter_take(semaphore->fd, &status))
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
	if (found)
		pending_free(found);
	else
		counter_give_back(semaphore->fd, ocl_event_status(event));
	object_unref(event);
}

cl_semaphore_payload_khr ocl_shared_payload(cl_semaphore_khr semaphore)
{
	struct pollfd polled = {.fd = semaphore->fd, .events = POLLIN};
	return poll(&polled, 1, 0) == 1 && (polled.revents & POLLIN);
}
