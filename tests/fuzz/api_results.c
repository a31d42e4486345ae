#include "config.h"

#include "tests/fuzz/api.h"

#include "icd/include/khr_command_buffer.h"
#include "icd/include/khr_external_memory.h"
#include "icd/include/khr_semaphore.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <CL/cl_icd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const releases[API_KINDS] = {
	[API_CONTEXT] = "clReleaseContext", [API_QUEUE] = "clReleaseCommandQueue",
	[API_MEM] = "clReleaseMemObject", [API_PROGRAM] = "clReleaseProgram",
	[API_KERNEL] = "clReleaseKernel", [API_EVENT] = "clReleaseEvent",
	[API_SAMPLER] = "clReleaseSampler", [API_SEMAPHORE] = "clReleaseSemaphoreKHR",
	[API_COMMAND_BUFFER] = "clReleaseCommandBufferKHR",
};

/* --- what a call may answer ------------------------------------------------------------------- */

static const struct {
	const char *call;
	cl_int code;
} documented[] = {
#define ERROR(function, code, condition) {#function, code},
#include "tests/api/errors.def"
#undef ERROR
	/* The list has another code where OpenCL 1.2's pages have this one, which everybody answers. */
	{"clCreateImage", CL_INVALID_IMAGE_DESCRIPTOR},
	{"clCreateImageWithProperties", CL_INVALID_IMAGE_DESCRIPTOR},
	/* OpenCL 1.0's page has it; 3.0 does not repeat it. */
	{"clEnqueueWaitForEvents", CL_INVALID_EVENT},
	/* In cl_mutable_dispatch_config_khr's description. */
	{"clUpdateMutableCommandsKHR", OCL_INVALID_MUTABLE_COMMAND},
};

/* By the specification's list, where it has one for the call. */
static bool may_answer(const char *name, cl_int code)
{
	/* It does several calls' work, with their codes. */
	if (!strcmp(name, "clUpdateMutableCommandsKHR") &&
	    (may_answer("clSetKernelArg", code) || may_answer("clEnqueueNDRangeKernel", code)))
		return true;
	/* Properties of other extensions, such as cl_khr_external_memory's, keep the codes that those define for
	 * clCreateBufferWithProperties; only an invalid property has another code. */
	if (!strcmp(name, "clCreateBufferWithPropertiesINTEL") && code != CL_INVALID_PROPERTY &&
	    may_answer("clCreateBufferWithProperties", code))
		return true;
	bool listed = false;
	if (code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY)
		return true;
	/* Most commands' lists have it, for events of another context, and some forgot. */
	if (code == CL_INVALID_CONTEXT && strstr(name, "clEnqueue"))
		return true;
	for (size_t i = 0; i < sizeof(documented) / sizeof(documented[0]); i++) {
		if (strcmp(documented[i].call, name))
			continue;
		if (documented[i].code == code)
			return true;
		listed = true;
	}
	return !listed && code < 0;
}

static void wrong(struct api_actor *actor, const struct api_call *call, const char *what, cl_int code)
{
	printf("%s: %s (%d)\n", call->name, what, code);
	actor->wrong = true;
}

/* The place of the error of a call that makes something, or NULL. */
static const cl_int *error_of(const struct api_call *call, const uint64_t words[API_PARAMETERS])
{
	const unsigned last = call->count - 1;
	if (!call->count || call->parameters[last].is != API_OUT ||
	    strcmp(call->parameters[last].type, "cl_int"))
		return NULL;
	return (const cl_int *)(uintptr_t)words[last];
}

static void answer_check(struct api_actor *actor, const struct api_call *call,
			 const uint64_t words[API_PARAMETERS], uint64_t result)
{
	const bool makes = strcmp(call->result, "cl_int");
	const cl_int *error = makes ? error_of(call, words) : NULL;
	const cl_int code = makes ? error ? *error : 0 : (cl_int)result;
	/* The program of a link that failed has the log.  Of no bytes there is no memory (cl_khr_unified_svm). */
	const bool empty = !result && !strcmp(call->name, "clSVMAllocWithPropertiesKHR") && !words[3];
	if (makes && error && !result == !code && !empty &&
	    (code != CL_LINK_PROGRAM_FAILURE || strcmp(call->name, "clLinkProgram")))
		wrong(actor, call, "an object and an error, or neither", code);
	if (code && !may_answer(call->name, code))
		wrong(actor, call, "a code that the specification does not have for it", code);
}

/* --- handles ---------------------------------------------------------------------------------- */

static void mutables_drop(struct api_actor *actor, const void *owner)
{
	struct api_pool *pool = &actor->pools[API_MUTABLE];
	for (unsigned i = 0; i < pool->count;) {
		if (pool->owners[i] != owner) {
			i++;
			continue;
		}
		pool->count--;
		pool->handles[i] = pool->handles[pool->count];
		pool->owners[i] = pool->owners[pool->count];
	}
}

static bool kept(const struct api_pool *pool, const void *handle)
{
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->handles[i] == handle)
			return true;
	return false;
}

static void reference_drop(struct api_actor *actor, enum api_kind kind, unsigned place)
{
	struct api_pool *pool = &actor->pools[kind];
	void *handle = pool->handles[place];
	pool->handles[place] = pool->handles[--pool->count];
	if (kind == API_COMMAND_BUFFER && !kept(pool, handle))
		mutables_drop(actor, handle);
}

static void release(struct api_actor *actor, enum api_kind kind, unsigned place)
{
	if (releases[kind]) {
		const struct api_call *call = api_call_find(releases[kind]);
		uint64_t words[API_PARAMETERS] = {(uintptr_t)actor->pools[kind].handles[place]};
		api_rules(actor, call, words);
		const cl_int code = (cl_int)api_call_make(call, words);
		/* What others hold may have been released by another thread too. */
		if (code && actor->world->released[kind] != actor->pools[kind].handles[place])
			wrong(actor, call, "our own reference is none", code);
	}
	reference_drop(actor, kind, place);
}

void api_keep(struct api_actor *actor, enum api_kind kind, void *handle, void *owner)
{
	struct api_pool *pool = &actor->pools[kind];
	if (kind <= API_DEVICE || kind == API_KINDS || !handle)
		return;
	if (pool->count == API_POOL)
		release(actor, kind,
			pool->borrowed + api_number(actor, API_POOL - pool->borrowed));
	pool->owners[pool->count] = owner;
	pool->handles[pool->count++] = handle;
}

static void made_keep(struct api_actor *actor, const struct api_call *call,
		      const uint64_t words[API_PARAMETERS])
{
	for (unsigned i = 0; i < call->count; i++) {
		void *const *made = (void *const *)(uintptr_t)words[i];
		if (call->parameters[i].is != API_MADE || !made)
			continue;
		for (unsigned n = 0; n < API_LIST && made[n]; n++)
			api_keep(actor, call->parameters[i].kind, made[n], (void *)(uintptr_t)words[0]);
	}
}

/* Whoever waits for it waits for a moment. */
static void user_event_keep(struct api_actor *actor, cl_event event)
{
	struct api_world *world = actor->world;
	clRetainEvent(event);
	pthread_mutex_lock(&world->lock);
	const bool room = world->user_event_count < API_USER_EVENTS;
	if (room)
		world->user_events[world->user_event_count++] = event;
	pthread_mutex_unlock(&world->lock);
	if (room)
		return;
	clSetUserEventStatus(event, CL_COMPLETE);
	clReleaseEvent(event);
}

static void released(struct api_actor *actor, enum api_kind kind, const void *handle)
{
	struct api_pool *pool = &actor->pools[kind];
	for (unsigned i = pool->borrowed; i < pool->count; i++)
		if (pool->handles[i] == handle) {
			reference_drop(actor, kind, i);
			return;
		}
}

/* --- SVM ---------------------------------------------------------------------------------------- */

static void svm_free(struct api_actor *actor, struct api_svm svm)
{
	const struct api_call *call = api_call_find(svm.usm ? "clMemFreeINTEL" : "clSVMFree");
	const uint64_t words[API_PARAMETERS] = {(uintptr_t)actor->world->context,
						(uintptr_t)svm.pointer};
	const uint64_t result = api_call_make(call, words);
	if (svm.usm && result)
		wrong(actor, call, "our own memory is none", (cl_int)result);
}

static void svm_results(struct api_actor *actor, const struct api_call *call,
			const uint64_t words[API_PARAMETERS], uint64_t result)
{
	const struct api_svm made = {(void *)(uintptr_t)result, !strstr(call->name, "SVM")};
	const bool freed = strcmp(call->result, "void")
				   ? !result
				   : words[0] == (uintptr_t)actor->world->context;
	if (strstr(call->name, "clSVMAlloc") || strstr(call->name, "MemAllocINTEL")) {
		if (result && actor->fresh_count == API_POOL)
			svm_free(actor, made);
		else if (result)
			actor->fresh[actor->fresh_count++] = made;
	}
	if (actor->freed.pointer && !freed)
		actor->fresh[actor->fresh_count++] = actor->freed;
	actor->freed = (struct api_svm){0};
}

/* --- all of them -------------------------------------------------------------------------------- */

/* A descriptor that is ours now. */
static void descriptor_close(const struct api_call *call, const uint64_t words[API_PARAMETERS],
			     uint64_t result)
{
	int fd;
	if ((strcmp(call->name, "clGetSemaphoreHandleForTypeKHR") &&
	     strcmp(call->name, "clGetMemObjectHandleForTypeCULVERT")) ||
	    result || !words[4] || words[2] == 0x43550011)
		return;
	memcpy(&fd, (const void *)(uintptr_t)words[4], sizeof(fd));
	close(fd);
}

void api_results(struct api_actor *actor, const struct api_call *call,
		 const uint64_t words[API_PARAMETERS], uint64_t result)
{
	const enum api_kind kind = api_kind_of(call->result);
	void *handle = (void *)(uintptr_t)words[0];
	if (strcmp(call->result, "void"))
		answer_check(actor, call, words, result);
	descriptor_close(call, words, result);
	svm_results(actor, call, words, result);
	if (kind != API_KINDS && result)
		api_keep(actor, kind, (void *)(uintptr_t)result, NULL);
	if (!strcmp(call->name, "clCreateUserEvent") && result)
		user_event_keep(actor, (cl_event)(uintptr_t)result);
	if (strstr(call->name, "clEnqueueMap") && result)
		actor->maps[actor->map_count++ % API_POOL] = (void *)(uintptr_t)result;
	if (actor->map_count > API_POOL)
		actor->map_count = API_POOL;
	/* clEnqueueMap* return a pointer where the others return 0. */
	if (strstr(call->result, "*") ? result != 0 : !result)
		made_keep(actor, call, words);
	if (strstr(call->name, "clRetain") && !result)
		api_keep(actor, call->parameters[0].kind, handle, NULL);
	if (strstr(call->name, "clRelease") && !result)
		released(actor, call->parameters[0].kind, handle);
	while (actor->exact_count)
		free(actor->exact[--actor->exact_count]);
}

static void commands_end(struct api_actor *actor)
{
	const struct api_pool *queues = &actor->pools[API_QUEUE];
	for (unsigned i = 0; i < queues->count; i++)
		clFinish(queues->handles[i]);
	if (actor->end_count)
		clWaitForEvents(actor->end_count, actor->ends);
	while (actor->end_count)
		clReleaseEvent(actor->ends[--actor->end_count]);
}

void api_actor_end(struct api_actor *actor)
{
	commands_end(actor);
	for (unsigned kind = 0; kind < API_KINDS; kind++)
		while (actor->pools[kind].count > actor->pools[kind].borrowed)
			release(actor, (enum api_kind)kind, actor->pools[kind].borrowed);
	commands_end(actor);
	while (actor->fresh_count)
		svm_free(actor, actor->fresh[--actor->fresh_count]);
	while (actor->svm_count)
		svm_free(actor, actor->svm[--actor->svm_count]);
}
