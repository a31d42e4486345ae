#include "config.h"

#include "base/opengl_fence.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Values of the registries, by their names without prefix. */
enum {
	SYNC_FLUSH_COMMANDS_BIT = 1, TIMEOUT_EXPIRED = 0x911B, WAIT_FAILED = 0x911D,
	EGL_SYNC_TYPE_KHR = 0x30F7, EGL_SYNC_FENCE_KHR = 0x30F9, EGL_TIMEOUT_EXPIRED_KHR = 0x30F5,
	EGL_CONDITION_SATISFIED_KHR = 0x30F6
};
static const uint64_t timeout_ignored = UINT64_MAX;

/* A thread polls without pauses for a moment, and then with these: some of Mesa's releases hold the display's lock
 * while eglClientWaitSync waits, and the application's own calls of EGL would wait for it. */
static const uint64_t spin_ns = 50000;
static const long pause_ns = 100000;
/* A thread that has to wait in OpenGL waits so long at a time. */
static const uint64_t slice_ns = 100000000;

struct opengl_fence {
	void *library;                   /* for dlclose */
	void *display, *context;         /* EGL's, in which it was made; context NULL:
					  * the sync object is the application's */
	void *sync;                      /* an EGL sync object, owned if there is a context */
	int (*client_wait)(void *display, void *sync, int flags, uint64_t timeout_ns);
	unsigned (*destroy)(void *display, void *sync);
};

/* A fence without a sync object.  EINVAL: EGL has none; ENOMEM. */
static int fence_new(void *display, struct opengl_fence **fence_out)
{
	struct opengl_fence *fence = calloc(1, sizeof(*fence));
	if (!fence)
		return ENOMEM;
	fence->display = display;
	fence->client_wait = (int (*)(void *, void *, int, uint64_t))opengl_egl_find("eglClientWaitSyncKHR");
	fence->destroy = (unsigned (*)(void *, void *))opengl_egl_find("eglDestroySyncKHR");
	if (!fence->client_wait || !fence->destroy) {
		free(fence);
		return EINVAL;
	}
	fence->library = opengl_egl_hold();
	*fence_out = fence;
	return 0;
}

/* Makes its sync object behind all commands of the current context, and flushes that; false: it has no such object. */
static bool fence_place(struct opengl_fence *fence, void *context)
{
	void *(*create)(void *, unsigned, const int *) =
		(void *(*)(void *, unsigned, const int *))opengl_egl_find("eglCreateSyncKHR");
	void (*flush)(void) = opengl_egl_find("glFlush");
	if (create && flush)
		fence->sync = create(fence->display, EGL_SYNC_FENCE_KHR, NULL);
	if (!fence->sync)
		return false;
	fence->context = context;
	flush();
	return true;
}

/* Waits in OpenGL. */
static int wait_here(const struct opengl *gl, void *sync)
{
	unsigned outcome;
	do
		outcome = gl->ClientWaitSync(sync, SYNC_FLUSH_COMMANDS_BIT, slice_ns);
	while (outcome == TIMEOUT_EXPIRED);
	return outcome == WAIT_FAILED ? EINVAL : 0;
}

int opengl_fence_create(const struct opengl *gl, void *sync, struct opengl_fence **fence_out)
{
	*fence_out = NULL;
	if (!gl->IsSync(sync))
		return EINVAL;
	/* This also flushes the context, in which the sync object may have been made just now. */
	const unsigned now = gl->ClientWaitSync(sync, SYNC_FLUSH_COMMANDS_BIT, 0);
	if (now == WAIT_FAILED)
		return EINVAL;
	if (now != TIMEOUT_EXPIRED)
		return 0;
	void *display, *context;
	struct opengl_fence *fence;
	if (!opengl_egl_current(&display, &context))
		return wait_here(gl, sync);
	const int failed = fence_new(display, &fence);
	if (failed)
		return failed == ENOMEM ? failed : wait_here(gl, sync);
	/* The object may be of another context. */
	gl->WaitSync(sync, 0, timeout_ignored);
	if (!fence_place(fence, context)) {
		opengl_fence_destroy(fence);
		return wait_here(gl, sync);
	}
	*fence_out = fence;
	return 0;
}

static bool is_egl_fence(void *display, void *sync)
{
	unsigned (*query)(void *, void *, int, int *) =
		(unsigned (*)(void *, void *, int, int *))opengl_egl_find("eglGetSyncAttribKHR");
	int type = 0;
	return query && query(display, sync, EGL_SYNC_TYPE_KHR, &type) && type == EGL_SYNC_FENCE_KHR;
}

/* Takes the place of the application's sync object, if a context of its display is current. */
static bool fence_follow(struct opengl_fence *fence, void *sync)
{
	unsigned (*wait)(void *, void *, int) = (unsigned (*)(void *, void *, int))opengl_egl_find("eglWaitSyncKHR");
	void *display, *context;
	return opengl_egl_current(&display, &context) && display == fence->display && wait &&
	       wait(display, sync, 0) && fence_place(fence, context);
}

int opengl_fence_link(void *display, void *egl_sync, struct opengl_fence **fence_out)
{
	struct opengl_fence *fence;
	*fence_out = NULL;
	if (!is_egl_fence(display, egl_sync))
		return EINVAL;
	const int failed = fence_new(display, &fence);
	if (failed)
		return failed;
	if (fence->client_wait(display, egl_sync, 0, 0) == EGL_CONDITION_SATISFIED_KHR) {
		opengl_fence_destroy(fence);
		return 0;
	}
	if (!fence_follow(fence, egl_sync))
		fence->sync = egl_sync;
	*fence_out = fence;
	return 0;
}

void opengl_fence_destroy(struct opengl_fence *fence)
{
	if (!fence)
		return;
	if (fence->context)
		(void)fence->destroy(fence->display, fence->sync);
	if (fence->library)
		dlclose(fence->library);
	free(fence);
}

enum opengl_fence_state opengl_fence_poll(const struct opengl_fence *fence)
{
	switch (fence->client_wait(fence->display, fence->sync, 0, 0)) {
	case EGL_TIMEOUT_EXPIRED_KHR:
		return OPENGL_FENCE_PENDING;
	case EGL_CONDITION_SATISFIED_KHR:
		return OPENGL_FENCE_PASSED;
	default:
		return OPENGL_FENCE_LOST;
	}
}

void opengl_fence_pause(void)
{
	const struct timespec pause = {.tv_nsec = pause_ns};
	nanosleep(&pause, NULL);
}

enum opengl_fence_state opengl_fence_wait(const struct opengl_fence *fence)
{
	const uint64_t start_ns = host_now_ns();
	enum opengl_fence_state state;
	while ((state = opengl_fence_poll(fence)) == OPENGL_FENCE_PENDING)
		if (host_now_ns() - start_ns > spin_ns)
			opengl_fence_pause();
	return state;
}

bool opengl_fence_is_ahead(const struct opengl_fence *fence)
{
	void *display, *context;
	return opengl_egl_current(&display, &context) && display == fence->display && context == fence->context;
}
