#include "config.h"

#include "softcuda/driver/thread.h"

#include "softcuda/driver/context.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <pthread.h>

enum { STACK_MAX = 64 };

struct thread {
	bool known;                          /* the destructor of the thread-specific key will be called */
	bool forbidden;                      /* the thread is inside a function of the caller */
	uint64_t id;                         /* 0: not asked for yet */
	unsigned depth;
	struct soft_context *stack[STACK_MAX];
	CUcontext handles[STACK_MAX];        /* what was pushed, for pop and get */
};

static _Thread_local struct thread self;
static pthread_key_t key;
static void (*ended_locked)(uint64_t thread);

static void thread_ended(void *value)
{
	struct thread *thread = value;
	if (atomic_load(&soft_driver.forked))
		return;
	lock_take(&soft_driver.lock);
	while (thread->depth)
		soft_context_unref_locked(thread->stack[--thread->depth]);
	if (thread->id)
		ended_locked(thread->id);
	lock_drop(&soft_driver.lock);
}

int soft_thread_start(void (*ended)(uint64_t thread))
{
	ended_locked = ended;
	return pthread_key_create(&key, thread_ended);
}

static bool know_self(void)
{
	if (!self.known)
		self.known = !pthread_setspecific(key, &self);
	return self.known;
}

uint64_t soft_thread_id_locked(void)
{
	if (!self.id && know_self())
		self.id = ++soft_driver.next_id;
	return self.id;
}

struct soft_context *soft_thread_context_locked(void)
{
	return self.depth ? self.stack[self.depth - 1] : NULL;
}

CUcontext soft_thread_handle_locked(void)
{
	return self.depth ? self.handles[self.depth - 1] : NULL;
}

bool soft_thread_pop_context_locked(CUcontext *cu_context_out)
{
	if (!self.depth)
		return false;
	self.depth--;
	*cu_context_out = self.handles[self.depth];
	soft_context_unref_locked(self.stack[self.depth]);
	return true;
}

CUresult soft_thread_push_context_locked(struct soft_context *context, CUcontext handle)
{
	if (!know_self() || self.depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	context->refs++;
	self.stack[self.depth] = context;
	self.handles[self.depth++] = handle;
	return CUDA_SUCCESS;
}

CUresult soft_thread_set_context_locked(struct soft_context *context, CUcontext handle)
{
	CUcontext before;
	if (!know_self())
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (context && self.depth && self.stack[self.depth - 1] == context &&
	    self.handles[self.depth - 1] == handle)
		return CUDA_SUCCESS;
	soft_thread_pop_context_locked(&before);
	return context ? soft_thread_push_context_locked(context, handle) : CUDA_SUCCESS;
}

void soft_thread_forbid(bool forbidden)
{
	self.forbidden = forbidden;
}

bool soft_thread_forbidden(void)
{
	return self.forbidden;
}
