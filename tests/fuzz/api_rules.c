/* What is undefined behaviour by OpenCL, and so is not tried:
 *
 * - Handles whose object is gone.  One that was released and that another object holds is tried.
 * - Handles that are none, but of devices and platforms, which are compared and not read.
 * - Memory of the host that is smaller than a call says, or that is freed before the command has
 *   ended.  Sizes that are too large for the object are tried: the call has to see that first.
 * - Lists with fewer entries than their count, or without their end; strings without theirs.
 * - Freeing SVM that a command may use, or pointers within it.
 * - Setting a kernel's arguments in two threads at once.
 * - Mutable commands whose command buffer is gone.
 * - Waiting for a semaphore that nobody signals: it waits for ever, as it should. */
#include "config.h"

#include "tests/fuzz/api.h"

#include "icd/include/khr_command_buffer.h"

#include <string.h>

/* The word of that parameter; spare where there is none. */
static uint64_t *word_of(const struct api_call *call, uint64_t words[API_PARAMETERS],
			 enum api_class is, unsigned which)
{
	static _Thread_local uint64_t spare[API_NUMBER + 1];
	const unsigned place = api_place(call, is, which);
	spare[is] = 0;
	return place < API_PARAMETERS ? &words[place] : &spare[is];
}

#define RULE(name)                                                                                \
	static void name(struct api_actor *actor, const struct api_call *call,                    \
			 uint64_t words[API_PARAMETERS])

/* --- commands ------------------------------------------------------------------------------ */

/* Few images have a third dimension, and few rectangles need pitches. */
RULE(region)
{
	for (unsigned i = 0; strstr(call->name, "Rect") && i < 4 && !api_chance(actor, 6); i++)
		*word_of(call, words, API_SIZE, i) = 0;
	for (unsigned n = 0; n < 3; n++) {
		size_t *list = (size_t *)(uintptr_t)*word_of(call, words, API_SIZES, n);
		if (list && !api_chance(actor, 4))
			list[2] = list[2] && (n == 2 || (n == 1 && !*word_of(call, words, API_SIZES, 2)));
	}
}

/* Kernels of any size end only in their time. */
RULE(launch)
{
	for (unsigned n = 0; n < 3; n++) {
		size_t *list = (size_t *)(uintptr_t)*word_of(call, words, API_SIZES, n);
		for (unsigned i = 0; list && i < 3; i++)
			if (list[i] > 16 && !(list[i] >> 50))
				list[i] = api_number(actor, 5);
	}
}

static bool beyond(const size_t *origin, const size_t *region, const uint64_t *pitches)
{
	const unsigned __int128 row = pitches[0] ? pitches[0] : region[0];
	const unsigned __int128 slice = pitches[1] ? pitches[1] : row * region[1];
	unsigned __int128 sum = origin[0];
	const size_t more[] = {region[0], region[1], region[2]};
	sum += more[0];
	const unsigned __int128 parts[][2] = {{row, origin[1]}, {row, region[1]}, {slice, origin[2]},
					      {slice, region[2]}};
	for (unsigned i = 0; i < 4; i++) {
		if ((parts[i][0] | parts[i][1]) >> 64)
			return true;
		sum += parts[i][0] * parts[i][1];
	}
	return sum > API_CHUNK_B;
}

/* The host's memory has no size that the call knows. */
RULE(rectangle)
{
	region(actor, call, words);
	size_t *origin = (size_t *)(uintptr_t)*word_of(call, words, API_SIZES, 1);
	const size_t *region = (size_t *)(uintptr_t)*word_of(call, words, API_SIZES, 2);
	uint64_t *pitches = word_of(call, words, API_SIZE, 2); /* of the host, and the next */
	if (!origin || !region || !beyond(origin, region, pitches))
		return;
	memset(origin, 0, 3 * sizeof(size_t));
	pitches[0] = pitches[1] = 0;
	if (beyond(origin, region, pitches))
		*word_of(call, words, API_MEMORY, 0) = 0;
}

static uint64_t row_pitch(struct api_actor *actor)
{
	static const uint64_t pitches[] = {0, 0, 0, 1, 256, 512};
	return pitches[api_number(actor, 6)];
}

static uint64_t slice_pitch(struct api_actor *actor)
{
	static const uint64_t pitches[] = {0, 0, 0, 1, 4096, 8192};
	return pitches[api_number(actor, 6)];
}

RULE(image_transfer)
{
	region(actor, call, words);
	*word_of(call, words, API_SIZE, 0) = row_pitch(actor);
	*word_of(call, words, API_SIZE, 1) = slice_pitch(actor);
}

/* Flags that go with memory of the host, and without. */
static void host_flags(struct api_actor *actor, const struct api_call *call,
		       uint64_t words[API_PARAMETERS])
{
	static const uint64_t flags[] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR,
					 CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
	uint64_t *word = word_of(call, words, API_NUMBER, 0);
	if (api_chance(actor, 8))
		return;
	*word &= ~(uint64_t)(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	if (api_chance(actor, 2))
		*word_of(call, words, API_MEMORY, 0) = 0;
	else if (*word_of(call, words, API_MEMORY, 0))
		*word |= flags[api_number(actor, 3)];
}

RULE(image_make)
{
	host_flags(actor, call, words);
	cl_image_desc *shape = (cl_image_desc *)(uintptr_t)*word_of(call, words, API_SHAPE, 0);
	if (!shape || !*word_of(call, words, API_MEMORY, 0))
		return;
	shape->image_row_pitch = row_pitch(actor);
	shape->image_slice_pitch = slice_pitch(actor);
}

/* clCreateImage2D, clCreateImage3D */
RULE(old_image_make)
{
	host_flags(actor, call, words);
	const bool flat = strstr(call->name, "2D");
	for (unsigned i = 0; i < (flat ? 2 : 3); i++) {
		uint64_t *edge = word_of(call, words, API_SIZE, i);
		if (*edge > 16)
			*edge |= 1ull << 40;
	}
	*word_of(call, words, API_SIZE, flat ? 2 : 3) = row_pitch(actor);
	if (!flat)
		*word_of(call, words, API_SIZE, 4) = slice_pitch(actor);
}

/* Small, or more than there is. */
RULE(small)
{
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	(void)actor;
	if (*size > API_SMALL_B)
		*size |= 1ull << 50;
}

RULE(buffer_make)
{
	host_flags(actor, call, words);
	small(actor, call, words);
}

/* Packets and their number: the product is memory. */
RULE(pipe)
{
	(void)actor;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t *number = word_of(call, words, API_COUNT, i);
		if (*number > 255)
			*number |= 1ull << 31;
	}
}

RULE(sub_buffer)
{
	cl_buffer_region *region = (cl_buffer_region *)(uintptr_t)*word_of(call, words, API_MEMORY, 0);
	region = api_chunk(actor);
	*region = (cl_buffer_region){api_chance(actor, 2) ? 0 : api_garbage(actor),
				     api_chance(actor, 2) ? 4 : api_garbage(actor)};
	*word_of(call, words, API_MEMORY, 0) = api_chance(actor, 12) ? 0 : (uintptr_t)region;
}

RULE(unmap)
{
	if (actor->map_count && !api_chance(actor, 8))
		*word_of(call, words, API_MEMORY, 0) =
			(uintptr_t)actor->maps[api_number(actor, actor->map_count)];
}

RULE(native)
{
	char *arguments = api_chunk(actor);
	void **places = api_chunk(actor);
	for (unsigned i = 0; i < API_LIST; i++)
		places[i] = arguments + i * sizeof(void *);
	*word_of(call, words, API_MEMORY, 0) = (uintptr_t)arguments;
	*word_of(call, words, API_MEMORY, 1) = (uintptr_t)arguments;
	*word_of(call, words, API_SIZE, 0) = api_chance(actor, 4) ? 0 : 256;
	if (*word_of(call, words, API_POINTERS, 0))
		*word_of(call, words, API_POINTERS, 0) = (uintptr_t)places;
	if (!*word_of(call, words, API_SIZE, 0))
		*word_of(call, words, API_COUNT, 0) = 0;
}

/* --- SVM, USM --------------------------------------------------------------------------------- */

RULE(svm)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t *pointer = word_of(call, words, API_MEMORY, i);
		uint64_t *size = word_of(call, words, API_SIZE, i);
		if (*pointer)
			*pointer = (uintptr_t)api_svm_pointer(actor);
		if (*size > API_SVM_B)
			*size = api_number(actor, API_SVM_B);
	}
}

/* The entries of a migration's list are ours alone. */
RULE(svm_argument)
{
	uint64_t *pointer = word_of(call, words, API_MEMORY, 0);
	if (*pointer)
		*pointer = (uintptr_t)api_svm_pointer(actor);
}

/* Where nothing is read: anything. */
RULE(svm_question)
{
	if (api_chance(actor, 2))
		*word_of(call, words, API_MEMORY, 0) = (uintptr_t)api_svm_pointer(actor);
	else
		*word_of(call, words, API_MEMORY, 0) = api_garbage(actor);
}

/* Memory belongs to a context, and is freed before it. */
RULE(of_world)
{
	uint64_t *context = word_of(call, words, API_HANDLE, 0);
	const struct api_pool *pool = &actor->pools[API_CONTEXT];
	for (unsigned i = pool->borrowed; i < pool->count; i++)
		if (*context == (uintptr_t)pool->handles[i])
			*context = (uintptr_t)actor->world->context;
	if (*context == (uintptr_t)actor->world->released[API_CONTEXT])
		*context = (uintptr_t)actor->world->context;
}

RULE(svm_make)
{
	of_world(actor, call, words);
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	if (*size && *size <= API_SMALL_B)
		*size = API_SMALL_B;
	small(actor, call, words);
}

/* Each kind has calls of its own that free it. */
static void *fresh_take(struct api_actor *actor, bool usm)
{
	if (!actor->fresh_count || actor->fresh[actor->fresh_count - 1].usm != usm)
		return NULL;
	actor->freed = actor->fresh[--actor->fresh_count];
	return actor->freed.pointer;
}

RULE(svm_free)
{
	of_world(actor, call, words);
	/* Memory that is no SVM is compared with that which is. */
	*word_of(call, words, API_MEMORY, 0) =
		(uintptr_t)(api_chance(actor, 4) ? api_data(actor)
					 : fresh_take(actor, !strstr(call->name, "SVM")));
}

RULE(svm_free_list)
{
	void **list = (void **)(uintptr_t)*word_of(call, words, API_POINTERS, 0);
	const uint64_t count = *word_of(call, words, API_COUNT, 0);
	if (!list)
		return;
	memset(list, 0, API_LIST * sizeof(*list));
	/* After an event that fails nothing would be freed; a callback would have to do it. */
	*word_of(call, words, API_COUNT, 1) = *word_of(call, words, API_HANDLES, 0) = 0;
	/* Of another context it is no SVM. */
	if (count && count <= API_LIST && !*word_of(call, words, API_CALLBACK, 0) &&
	    (words[0] == (uintptr_t)actor->world->queue ||
	     words[0] == (uintptr_t)actor->world->last_queue))
		list[api_number(actor, (uint32_t)count)] = fresh_take(actor, false);
}

RULE(cuda_pointer)
{
	const unsigned place = call->count - 2;
	words[place] = api_chance(actor, 3) ? (uintptr_t)api_svm_pointer(actor)
					    : api_number(actor, 2);
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	if (*size > API_SVM_B)
		*size = api_chance(actor, 2) ? API_SVM_B : *size | 1ull << 50;
}

/* --- programs and kernels ------------------------------------------------------------------- */

RULE(sources)
{
	const char *const *list = (const char *const *)(uintptr_t)*word_of(call, words, API_STRINGS, 0);
	size_t *lengths = (size_t *)(uintptr_t)*word_of(call, words, API_SIZES, 0);
	for (unsigned i = 0; lengths && i < API_LIST; i++)
		lengths[i] = list && list[i] && api_chance(actor, 4)
				     ? api_number(actor, (uint32_t)strlen(list[i]) + 1)
				     : 0;
}

RULE(binaries)
{
	const struct api_world *world = actor->world;
	const unsigned char **list = api_chunk(actor);
	size_t *sizes = api_chunk(actor);
	for (unsigned i = 0; i < API_LIST; i++) {
		list[i] = world->binary;
		sizes[i] = world->binary_B;
		if (api_chance(actor, 4))
			sizes[i] = api_number(actor, (uint32_t)world->binary_B);
		if (api_chance(actor, 24))
			list[i] = NULL;
	}
	*word_of(call, words, API_BYTES, 0) = api_chance(actor, 12) ? 0 : (uintptr_t)list;
	*word_of(call, words, API_SIZES, 0) = api_chance(actor, 12) ? 0 : (uintptr_t)sizes;
}

RULE(argument)
{
	uint64_t *word = word_of(call, words, API_SIZE, 0);
	uint64_t *memory = word_of(call, words, API_MEMORY, 0);
	if (!api_chance(actor, 4))
		*word = api_chance(actor, 2) ? sizeof(cl_mem) : sizeof(cl_uint);
	const uint64_t size = *word;
	if (!*memory || size > 4096)
		return;
	void *exact = api_exact(actor, size);
	memcpy(exact, (void *)(uintptr_t)*memory, size);
	*memory = (uintptr_t)exact;
	const uint64_t index = *word_of(call, words, API_COUNT, 0);
	if (index > 5 && index <= API_LIST)
		*word_of(call, words, API_COUNT, 0) = index % 4;
}

RULE(execution)
{
	void **list = api_chunk(actor);
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = api_svm_pointer(actor);
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	if (*size > API_LIST * sizeof(*list))
		*size = api_number(actor, API_LIST) * sizeof(*list);
	if (*word_of(call, words, API_MEMORY, 0))
		*word_of(call, words, API_MEMORY, 0) = (uintptr_t)list;
}

/* CL_PROGRAM_BINARIES is written to where pointers lead. */
RULE(program_info)
{
	(void)call;
	if (words[1] != CL_PROGRAM_BINARIES || !words[3])
		return;
	void **list = api_chunk(actor);
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = api_chance(actor, 4) ? NULL : api_chunk(actor);
	words[3] = (uintptr_t)list;
}

/* No callback has no data, and most builds are of all devices. */
static void build_arguments(struct api_actor *actor, const struct api_call *call,
			    uint64_t words[API_PARAMETERS])
{
	if (api_chance(actor, 4))
		return;
	if (!*word_of(call, words, API_CALLBACK, 0))
		*word_of(call, words, API_MEMORY, 0) = 0;
	*word_of(call, words, API_COUNT, 0) = *word_of(call, words, API_HANDLES, 0) = 0;
	if (!api_chance(actor, 3))
		*word_of(call, words, API_STRING, 0) = 0;
}

/* Programs that everybody has are not built anew: kernels of theirs are made all the time. */
RULE(build)
{
	build_arguments(actor, call, words);
	if (words[0] == (uintptr_t)actor->world->program && !api_chance(actor, 8))
		words[0] = 0;
}

RULE(compile)
{
	build(actor, call, words);
	if (!api_chance(actor, 3))
		*word_of(call, words, API_COUNT, 1) = *word_of(call, words, API_HANDLES, 1) =
			*word_of(call, words, API_STRINGS, 0) = 0;
}

RULE(link)
{
	const struct api_pool *pool = &actor->pools[API_PROGRAM];
	void **list = (void **)(uintptr_t)*word_of(call, words, API_HANDLES, 1);
	build_arguments(actor, call, words);
	if (!list || pool->count == pool->borrowed || api_chance(actor, 3))
		return;
	list[0] = pool->handles[pool->borrowed + api_number(actor, pool->count - pool->borrowed)];
	*word_of(call, words, API_COUNT, 1) = 1;
}

/* --- questions ---------------------------------------------------------------------------------- */

RULE(question)
{
	const unsigned place = api_place(call, API_MEMORY, strstr(call->name, "SubGroup") ? 1 : 0);
	if (place == API_PARAMETERS || !place || !words[place])
		return;
	if (call->parameters[place - 1].is == API_SIZE)
		words[place] = (uintptr_t)api_exact(actor, words[place - 1]);
}

RULE(sub_groups)
{
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	uint64_t *sizes = word_of(call, words, API_MEMORY, 0);
	if (!*sizes)
		return;
	*sizes = (uintptr_t)api_exact(actor, *size);
	question(actor, call, words);
}

RULE(mutable_question)
{
	(void)call;
	words[1] = 0x12A0 + api_number(actor, 14);
	question(actor, call, words);
}

/* --- semaphores, command buffers ------------------------------------------------------------------ */

static cl_int semaphore_signal(struct api_actor *actor, void *semaphore)
{
	const struct api_call *call = api_call_find("clEnqueueSignalSemaphoresKHR");
	const uint64_t words[API_PARAMETERS] = {(uintptr_t)actor->world->signals, 1,
						(uintptr_t)&semaphore};
	return (cl_int)api_call_make(call, words);
}

/* Of those that are shared between processes a second signal is lost: no waits for them. */
static bool exportable(void *semaphore)
{
	cl_ulong types[4];
	size_t size_B = 0;
	const struct api_call *call = api_call_find("clGetSemaphoreInfoKHR");
	const uint64_t words[API_PARAMETERS] = {(uintptr_t)semaphore, 0x203F, sizeof(types),
						(uintptr_t)types, (uintptr_t)&size_B};
	return api_call_make(call, words) || size_B;
}

static bool owned(const struct api_actor *actor, enum api_kind kind, const void *handle)
{
	for (unsigned i = 0; i < actor->pools[kind].count; i++)
		if (actor->pools[kind].handles[i] == handle)
			return true;
	return false;
}

/* Each is signalled before; what else waits for it meanwhile is no one's but ours. */
RULE(semaphore_wait)
{
	void **list = (void **)(uintptr_t)*word_of(call, words, API_HANDLES, 0);
	for (unsigned i = 0; list && i < API_LIST; i++) {
		bool again = false;
		for (unsigned before = 0; before < i; before++)
			again |= list[i] && list[before] == list[i];
		if (again || (owned(actor, API_SEMAPHORE, list[i]) &&
			      (exportable(list[i]) || semaphore_signal(actor, list[i]))))
			list[i] = NULL;
	}
}

static const size_t *launch_sizes(struct api_actor *actor)
{
	size_t *sizes = api_chunk(actor);
	for (unsigned i = 0; i < 3; i++)
		sizes[i] = api_number(actor, 6);
	return api_chance(actor, 2) ? NULL : sizes;
}

static void argument_make(struct api_actor *actor, struct ocl_mutable_argument *argument, bool svm)
{
	void **value = api_chunk(actor);
	*value = svm ? api_svm_pointer(actor) : api_good_handle(actor, API_MEM);
	argument->index = api_number(actor, 4);
	argument->size_B = api_chance(actor, 2) ? 4 : 8;
	argument->value = svm ? *value : api_chance(actor, 6) ? NULL : value;
}

RULE(update)
{
	const void **configs = api_chunk(actor);
	uint32_t *types = api_chunk(actor);
	struct ocl_mutable_argument *arguments = api_chunk(actor), *svm_arguments = api_chunk(actor);
	(void)call;
	argument_make(actor, arguments, false);
	argument_make(actor, svm_arguments, true);
	for (unsigned i = 0; i < API_LIST; i++) {
		struct ocl_mutable_config *config = (void *)actor->configs[i];
		_Static_assert(sizeof(*config) <= sizeof(actor->configs[i]), "a place for each");
		*config = (struct ocl_mutable_config){
			.command = api_good_handle(actor, API_MUTABLE),
			.argument_count = api_number(actor, 2), .svm_argument_count = api_chance(actor, 6),
			.work_dim = api_number(actor, 4),
		};
		config->arguments = config->argument_count || api_chance(actor, 12) ? arguments : NULL;
		config->svm_arguments = config->svm_argument_count ? svm_arguments : NULL;
		config->global_size = i ? NULL : launch_sizes(actor);
		config->local_size = i ? NULL : launch_sizes(actor);
		config->global_offset = i ? NULL : launch_sizes(actor);
		configs[i] = api_chance(actor, 24) ? NULL : config;
		types[i] = api_chance(actor, 48);
	}
	if (words[1] <= API_LIST && words[2])
		words[2] = (uintptr_t)types;
	if (words[1] <= API_LIST && words[3])
		words[3] = (uintptr_t)configs;
}

/* Handles of the pool are of launches whose buffers live; anything else was never a handle. */
RULE(remap)
{
	cl_mutable_command_khr *given = api_chunk(actor);
	(void)call;
	for (unsigned i = 0; i < API_LIST; i++)
		given[i] = api_good_handle(actor, API_MUTABLE);
	if (api_chance(actor, 2)) {
		words[1] = CL_FALSE;
		words[4] = words[5] = words[6] = 0;
	} else if (words[4] <= API_LIST && words[5]) {
		words[5] = (uintptr_t)given;
	}
}

/* --- releases ------------------------------------------------------------------------------------------ */

/* What a queue's commands use lives until they have ended. */
static void queue_mark(struct api_actor *actor, cl_command_queue queue)
{
	if (actor->end_count == API_POOL) {
		clWaitForEvents(actor->end_count, actor->ends);
		while (actor->end_count)
			clReleaseEvent(actor->ends[--actor->end_count]);
	}
	if (clEnqueueMarkerWithWaitList(queue, 0, NULL, &actor->ends[actor->end_count]))
		clFinish(queue);
	else
		actor->end_count++;
}

/* Only what is ours to give up. */
RULE(release)
{
	const enum api_kind kind = call->parameters[0].kind;
	const struct api_pool *pool = &actor->pools[kind];
	bool ours = false, borrowed = false;
	for (unsigned i = 0; i < pool->count; i++) {
		ours |= i >= pool->borrowed && words[0] == (uintptr_t)pool->handles[i];
		borrowed |= i < pool->borrowed && words[0] == (uintptr_t)pool->handles[i];
	}
	if (borrowed && !ours && kind > API_DEVICE)
		words[0] = 0;
	if (kind == API_QUEUE && ours)
		queue_mark(actor, (cl_command_queue)(uintptr_t)words[0]);
}

/* Recording: what most commands do without. */
static void recording(struct api_actor *actor, const struct api_call *call,
		      uint64_t words[API_PARAMETERS])
{
	const bool launches = strstr(call->name, "NDRange");
	if (strncmp(call->name, "clCommand", 9))
		return;
	if (!api_chance(actor, 8))
		words[1] = 0;
	if (!api_chance(actor, 8) && !launches)
		*word_of(call, words, API_PROPERTIES, 0) = 0;
	if (!api_chance(actor, 8) && !launches)
		*word_of(call, words, API_MADE, 0) = 0;
}

/* A pattern is read at once: no command may write to it. */
static void pattern(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS])
{
	for (unsigned i = 0; i < call->count && strstr(call->name, "Fill"); i++)
		if (call->parameters[i].is == API_MEMORY && words[i] &&
		    !strncmp(call->parameters[i].type, "const", 5))
			words[i] = (uintptr_t)api_chunk(actor);
}

/* Images are among what is ours, and what all have is a buffer. */
static void images(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS])
{
	const struct api_pool *pool = &actor->pools[API_MEM];
	for (unsigned i = 0; i < call->count && strstr(call->name, "Image"); i++)
		if (call->parameters[i].is == API_HANDLE && call->parameters[i].kind == API_MEM &&
		    pool->count > pool->borrowed && !api_chance(actor, 4))
			words[i] = (uintptr_t)pool->handles[pool->borrowed +
							    api_number(actor, pool->count - pool->borrowed)];
}

/* --- all of them ------------------------------------------------------------------------------------ */

/* The first row whose text is a part of the call's name. */
static const struct rule {
	const char *part;
	void (*apply)(struct api_actor *, const struct api_call *, uint64_t[API_PARAMETERS]);
} rules[] = {
	{"clRelease", release},
	{"NDRangeKernel", launch},
	{"SuggestedLocalWorkSize", launch},
	{"ReadBufferRect", rectangle},
	{"WriteBufferRect", rectangle},
	{"clEnqueueReadImage", image_transfer},
	{"clEnqueueWriteImage", image_transfer},
	{"Rect", region},
	{"clEnqueueCopyImage", region},
	{"clEnqueueCopyBufferToImage", region},
	{"clEnqueueFillImage", region},
	{"clEnqueueMapImage", region},
	{"clCommandCopyImage", region},
	{"clCommandCopyBufferToImage", region},
	{"clCommandFillImage", region},
	{"clCreateImage2D", old_image_make},
	{"clCreateImage3D", old_image_make},
	{"clCreateImage", image_make},
	{"clCreateBufferFromCudaPointer", cuda_pointer},
	{"clCreateBuffer", buffer_make},
	{"clCreateSubBuffer", sub_buffer},
	{"clCreatePipe", pipe},
	{"clEnqueueUnmapMemObject", unmap},
	{"clEnqueueNativeKernel", native},
	{"MemAllocINTEL", svm_make},
	{"clSVMAlloc", svm_make},
	{"clSVMFree", svm_free},
	{"clMemFreeINTEL", svm_free},
	{"clMemBlockingFreeINTEL", svm_free},
	{"clEnqueueSVMFree", svm_free_list},
	{"clGetMemAllocInfoINTEL", svm_question},
	{"SVMMem", svm},
	{"SVMMap", svm},
	{"SVMUnmap", svm},
	{"clEnqueueMem", svm},
	{"clEnqueueMigrateMemINTEL", svm},
	{"clSetKernelArgSVMPointer", svm_argument},
	{"clSetKernelArgMemPointerINTEL", svm_argument},
	{"clSetKernelArg", argument},
	{"clSetKernelExecInfo", execution},
	{"clSetProgramSpecializationConstant", argument},
	{"clCreateProgramWithSource", sources},
	{"clCreateProgramWithBinary", binaries},
	{"clBuildProgram", build},
	{"clCompileProgram", compile},
	{"clLinkProgram", link},
	{"clGetProgramInfo", program_info},
	{"clGetKernelSubGroupInfo", sub_groups},
	{"clGetMutableCommandInfo", mutable_question},
	{"clGetSemaphoreHandleForType", question},
	{"clCreateSemaphore", of_world},
	{"clEnqueueWaitSemaphores", semaphore_wait},
	{"clUpdateMutableCommands", update},
	{"clRemapCommandBuffer", remap},
	{"Info", question},
};

/* What is read before the call returns: no command may write to it. */
static void read_at_once(struct api_actor *actor, const struct api_call *call,
			 uint64_t words[API_PARAMETERS])
{
	/* OpCapability Addresses, Linkage, Kernel; OpMemoryModel Physical64 OpenCL; a constant of
	 * SpecId 1. */
	static const uint32_t module[] = {
		0x07230203, 0x10200, 0, 8, 0, 2 << 16 | 17, 4, 2 << 16 | 17, 5, 2 << 16 | 17, 6,
		3 << 16 | 14, 2, 2, 4 << 16 | 71, 1, 1, 1, 4 << 16 | 21, 2, 32, 0, 4 << 16 | 50, 2, 1, 7,
	};
	const uint64_t *flags = word_of(call, words, API_NUMBER, 0);
	uint64_t *size = word_of(call, words, API_SIZE, 0);
	uint64_t *memory = word_of(call, words, API_MEMORY, 0);
	if (!*memory || strncmp(call->name, "clCreate", 8))
		return;
	if (strstr(call->name, "WithIL")) {
		if (*size > API_CHUNK_B || !api_chance(actor, 4))
			*size = sizeof(module);
		void *exact = api_exact(actor, *size);
		memcpy(exact, module, *size < sizeof(module) ? *size : sizeof(module));
		*memory = (uintptr_t)exact;
	} else if (strcmp(call->name, "clCreateSubBuffer") && !(*flags & CL_MEM_USE_HOST_PTR)) {
		*memory = (uintptr_t)api_chunk(actor);
	}
}

void api_rules(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS])
{
	recording(actor, call, words);
	images(actor, call, words);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strstr(call->name, rules[i].part)) {
			rules[i].apply(actor, call, words);
			break;
		}
	pattern(actor, call, words);
	read_at_once(actor, call, words);
}
