/* Fences of OpenGL and EGL that any thread can ask about, also one without an OpenGL context (cl_khr_gl_event,
 * cl_khr_egl_event).
 *
 * glClientWaitSync needs a current context that shares the sync object, and OpenGL counts no references to it.  With
 * EGL, a fence is therefore an EGL sync object behind the application's: eglClientWaitSync needs no context
 * (EGL_KHR_fence_sync).  GLX has nothing like it.
 *
 * Thread-safe, except for the end of a fence.  No lock may be held: the functions call OpenGL and EGL. */
#ifndef CULVERT_BASE_OPENGL_FENCE_H
#define CULVERT_BASE_OPENGL_FENCE_H

#include "base/opengl.h"

struct opengl_fence;

enum opengl_fence_state {
	OPENGL_FENCE_PENDING,
	OPENGL_FENCE_PASSED,
	/* It can never pass: the application has terminated the display, or destroyed its EGL sync object. */
	OPENGL_FENCE_LOST
};

/* Makes a fence of the sync object, in the thread in which gl is current.  The application may delete the object
 * afterwards.  *fence_out is NULL if it has passed already; without EGL's sync objects the call waits until it has.
 * Otherwise later commands of the context wait for it, too, and are flushed.
 * Returns 0; EINVAL: there is no such sync object; ENOMEM. */
int opengl_fence_create(const struct opengl *gl, void *sync, struct opengl_fence **fence_out);
/* As opengl_fence_create, for an EGL sync object of the type EGL_SYNC_FENCE_KHR, in any thread.  If a context of the
 * display is current there, the application may destroy the object afterwards; else it has to keep it. */
int opengl_fence_link(void *display, void *egl_sync, struct opengl_fence **fence_out);
/* Frees it; NULL is fine. */
void opengl_fence_destroy(struct opengl_fence *fence);

enum opengl_fence_state opengl_fence_poll(const struct opengl_fence *fence);
/* Polls until it has passed or is lost; after a moment, the thread sleeps between two polls. */
enum opengl_fence_state opengl_fence_wait(const struct opengl_fence *fence);
/* Sleeps as opengl_fence_wait does between two polls. */
void opengl_fence_pause(void);
/* Whether the fence was made in the OpenGL context that is current in the calling thread: its commands run in order. */
bool opengl_fence_is_ahead(const struct opengl_fence *fence);

#endif
