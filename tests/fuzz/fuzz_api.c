/* The whole API: calls of several threads with values that are right, wrong and extreme (api_values.c), as far
 * as OpenCL says what they do (api_rules.c).  Protects: no call ends or hangs the host, each answers with a
 * code that it may have, an object that was given up is gone, and after all that a kernel still computes.
 *
 *	fuzz_api --seconds 600 --from 1000        under sanitizers, for long
 *	FUZZ_SHOW=1 fuzz_api --from N --runs 1    each call before it is made */
#include "config.h"

#include "tests/fuzz/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ACTORS = 3, CALLS_EACH = 300, PATIENCE_S = 300 };

static struct api_call *calls;
static unsigned call_count;
/* Lives as long as the process: a command that was forgotten may still write there. */
static char *data[ACTORS], *chunks[ACTORS];

/* They touch no memory, for what they are given may be too small for it. */
static const char source[] =
	"kernel void plain(global int *p, uint n, global int *q) {\n"
	"	if (n == 0x7654321) p[0] = q[0];\n"
	"}\n"
	"kernel void images(read_only image2d_t i, sampler_t s, write_only image2d_t o, uint n) {\n"
	"	if (n == 0x7654321) write_imagef(o, (int2)(0, 0), read_imagef(i, s, (float2)(0, 0)));\n"
	"}\n"
	"kernel void locals(local int *l, constant int *c, global int *p, uint n) {\n"
	"	if (n == 0x7654321) { l[0] = c[0]; p[0] = l[0]; }\n"
	"}\n"
	"kernel void values(float4 v, ulong u, char c) {}\n";

#ifdef __SANITIZE_THREAD__
/* Where the C library frees the variables of a thread that has ended, it knows that it has.  Commands
 * of several queues that are at work on the same bytes at once are the application's mistake: these are the
 * functions that copy and fill for them, on the host and on the software device (images by a kernel of ours). */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "race:dl_deallocate_tls\nrace:host_copy_run\nrace:host_fill_run\n"
	       "race:softcuda/calls/copy.c\nrace:softcuda/calls/fill.c\nrace:softcuda/exec/surface.c\n";
}
#endif

/* --- the world ------------------------------------------------------------------------------------ */

static void *make(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t words[API_PARAMETERS] = {a, b, c, d};
	return (void *)(uintptr_t)api_call_make(api_call_find(name), words);
}

/* Released, and held: a context by its queue, a queue by a command buffer, a buffer by a sub-buffer, a
 * program by its kernel. */
static void released_make(struct api_world *world)
{
	const cl_buffer_region region = {0, 64};
	cl_context context = clCreateContext(NULL, 1, &world->device, NULL, NULL, NULL);
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(world->context, world->device, NULL, NULL);
	cl_mem buffer = clCreateBuffer(world->context, 0, 4096, NULL, NULL);
	const char *text = source;
	cl_program program = clCreateProgramWithSource(world->context, 1, &text, NULL, NULL);
	clBuildProgram(program, 0, NULL, "", NULL, NULL);
	world->holders[API_CONTEXT] =
		clCreateCommandQueueWithProperties(context, world->device, NULL, NULL);
	world->holders[API_QUEUE] =
		make("clCreateCommandBufferKHR", 1, (uintptr_t)&queue, 0, 0);
	world->holders[API_MEM] =
		clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
	world->holders[API_PROGRAM] = clCreateKernel(program, "plain", NULL);
	world->released[API_CONTEXT] = context;
	world->released[API_QUEUE] = queue;
	world->released[API_MEM] = buffer;
	world->released[API_PROGRAM] = program;
	clReleaseContext(context);
	clReleaseCommandQueue(queue);
	clReleaseMemObject(buffer);
	clReleaseProgram(program);
}

static bool world_make(struct api_world *world)
{
	const char *text = source;
	memset(world, 0, sizeof(*world));
	pthread_mutex_init(&world->lock, NULL);
	for (unsigned i = 0; i < 32; i++)
		world->foreign[i] = (uintptr_t)world->foreign;
	cl_platform_id platforms[32];
	cl_uint count = 0;
	clGetPlatformIDs(32, platforms, &count);
	for (cl_uint i = 0; i < count && i < 32; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
		if (!strcmp(name, "Culvert"))
			world->platform = platforms[i];
	}
	if (!world->platform || clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 2, world->devices,
					       &world->device_count))
		return false;
	if (world->device_count > 2)
		world->device_count = 2;
	world->device = world->devices[0];
	calls = api_calls(world->platform, &call_count);
	world->context =
		clCreateContext(NULL, world->device_count, world->devices, NULL, NULL, NULL);
	world->last_queue = clCreateCommandQueueWithProperties(
		world->context, world->devices[world->device_count - 1], NULL, NULL);
	world->queue = clCreateCommandQueueWithProperties(world->context, world->device, NULL, NULL);
	world->signals = clCreateCommandQueueWithProperties(world->context, world->device, NULL, NULL);
	world->buffer = clCreateBuffer(world->context, 0, 4096, NULL, NULL);
	world->program = clCreateProgramWithSource(world->context, 1, &text, NULL, NULL);
	if (clBuildProgram(world->program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL))
		return false;
	size_t sizes_B[2] = {0};
	clGetProgramInfo(world->program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes_B), sizes_B, NULL);
	world->binary_B = sizes_B[0];
	world->binary = malloc(world->binary_B);
	unsigned char *binaries[2] = {world->binary, NULL};
	clGetProgramInfo(world->program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL);
	released_make(world);
	return world->binary && world->buffer;
}

/* After all that, the device computes. */
static bool world_computes(struct api_world *world)
{
	cl_int out[16] = {0}, code;
	const size_t items = 16;
	cl_mem buffer = clCreateBuffer(world->context, 0, sizeof(out), NULL, &code);
	const char *text = "kernel void count(global int *p) { p[get_global_id(0)] = get_global_id(0); }";
	cl_program program = clCreateProgramWithSource(world->context, 1, &text, NULL, NULL);
	clBuildProgram(program, 0, NULL, "", NULL, NULL);
	cl_kernel kernel = clCreateKernel(program, "count", &code);
	clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
	code = code ? code : clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
	if (!code)
		code = clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL,
					   NULL);
	for (cl_int i = 0; i < 16 && !code; i++)
		code = out[i] != i;
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseMemObject(buffer);
	if (code)
		printf("the device does not compute any more: %d\n", code);
	return !code;
}

static void world_end(struct api_world *world)
{
	clReleaseCommandQueue(world->holders[API_CONTEXT]);
	make("clReleaseCommandBufferKHR", (uintptr_t)world->holders[API_QUEUE], 0, 0, 0);
	clReleaseMemObject(world->holders[API_MEM]);
	clReleaseKernel(world->holders[API_PROGRAM]);
	clReleaseMemObject(world->buffer);
	clReleaseProgram(world->program);
	clReleaseCommandQueue(world->queue);
	clReleaseCommandQueue(world->last_queue);
	clReleaseCommandQueue(world->signals);
	clReleaseContext(world->context);
	free(world->binary);
	pthread_mutex_destroy(&world->lock);
}

/* --- threads ------------------------------------------------------------------------------------- */

/* Sets what user events were made, a moment later, most of them to success. */
static void *setter_run(void *argument)
{
	struct api_world *world = argument;
	for (bool over = false; !over;) {
		cl_event events[API_USER_EVENTS];
		const struct timespec moment = {0, 2000000};
		nanosleep(&moment, NULL);
		pthread_mutex_lock(&world->lock);
		over = world->over;
		const unsigned count = world->user_event_count;
		memcpy(events, world->user_events, count * sizeof(events[0]));
		world->user_event_count = 0;
		pthread_mutex_unlock(&world->lock);
		for (unsigned i = 0; i < count; i++) {
			clSetUserEventStatus(events[i], i % 8 == 7 ? -5 : CL_COMPLETE);
			clReleaseEvent(events[i]);
		}
	}
	return NULL;
}

static void show(const struct api_call *call, const uint64_t words[API_PARAMETERS])
{
	char line[512];
	int used = snprintf(line, sizeof(line), "%s", call->name);
	for (unsigned i = 0; i < call->count && used < (int)sizeof(line) - 24; i++)
		used += snprintf(line + used, sizeof(line) - (size_t)used, " %llx",
				 (unsigned long long)words[i]);
	fprintf(stderr, "%s\n", line);
}

static void *actor_run(void *argument)
{
	struct api_actor *actor = argument;
	const bool shown = getenv("FUZZ_SHOW");
	for (unsigned i = 0; i < CALLS_EACH; i++) {
		struct api_call *call = &calls[api_number(actor, call_count)];
		/* Things are made more often than given up. */
		if (strstr(call->name, "clRelease") && api_chance(actor, 2))
			continue;
		uint64_t words[API_PARAMETERS] = {0};
		api_values(actor, call, words);
		api_rules(actor, call, words);
		if (shown)
			show(call, words);
		atomic_store(&actor->now, call->name);
		const uint64_t result = api_call_make(call, words);
		atomic_fetch_add(&call->made, 1);
		if (strcmp(call->result, "cl_int") ? result : !result)
			atomic_fetch_add(&call->good, 1);
		api_results(actor, call, words, result);
		atomic_fetch_add(&actor->made, 1);
	}
	atomic_store(&actor->now, "the end");
	api_actor_end(actor);
	atomic_store(&actor->done, true);
	return NULL;
}

static void lend(struct api_actor *actor, enum api_kind kind, void *handle)
{
	struct api_pool *pool = &actor->pools[kind];
	pool->handles[pool->count++] = handle;
	pool->borrowed = pool->count;
}

static void kernels_make(struct api_actor *actor)
{
	const struct api_world *world = actor->world;
	const cl_uint number = 1;
	cl_kernel plain = clCreateKernel(world->program, "plain", NULL);
	cl_kernel locals = clCreateKernel(world->program, "locals", NULL);
	clSetKernelArg(plain, 0, sizeof(cl_mem), &world->buffer);
	clSetKernelArg(plain, 1, sizeof(number), &number);
	clSetKernelArg(plain, 2, sizeof(cl_mem), &world->buffer);
	clSetKernelArg(locals, 0, 64, NULL);
	clSetKernelArg(locals, 1, sizeof(cl_mem), &world->buffer);
	clSetKernelArg(locals, 2, sizeof(cl_mem), &world->buffer);
	clSetKernelArg(locals, 3, sizeof(number), &number);
	api_keep(actor, API_KERNEL, plain, NULL);
	api_keep(actor, API_KERNEL, locals, NULL);
}

/* One of each, or nearly all calls would have to fail at first. */
static void furnish(struct api_actor *actor)
{
	static const uint64_t of_buffer[] = {0x1293, 3, 0};
	static const cl_queue_properties of_queue[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	struct api_world *world = actor->world;
	const uint64_t device = (uintptr_t)world->device;
	const uint64_t of_semaphore[] = {0x203D, 1, 0x2053, device, 0, 0};
	const uint64_t of_shared[] = {0x203D, 1, 0x2053, device, 0, 0x203F, 0x2055, 0, 0};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8,
				     .image_height = 8};
	const char *text = "int helper(int x) { return x; }";
	cl_event event = NULL;
	kernels_make(actor);
	for (unsigned i = 0; i < 2; i++)
		api_keep(actor, API_MEM,
			 clCreateImage(world->context, 0, &format, &shape, NULL, NULL), NULL);
	api_keep(actor, API_SAMPLER, clCreateSamplerWithProperties(world->context, NULL, NULL), NULL);
	cl_program library = clCreateProgramWithSource(world->context, 1, &text, NULL, NULL);
	clCompileProgram(library, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
	api_keep(actor, API_PROGRAM, library, NULL);
	for (unsigned i = 0; i < 2; i++) {
		api_keep(actor, API_SEMAPHORE,
			 make("clCreateSemaphoreWithPropertiesKHR", (uintptr_t)world->context,
			      (uintptr_t)of_semaphore, 0, 0),
			 NULL);
		api_keep(actor, API_COMMAND_BUFFER,
			 make("clCreateCommandBufferKHR", 1, (uintptr_t)&world->queue,
			      (uintptr_t)of_buffer, 0),
			 NULL);
	}
	api_keep(actor, API_SEMAPHORE,
		 make("clCreateSemaphoreWithPropertiesKHR", (uintptr_t)world->context,
		      (uintptr_t)of_shared, 0, 0),
		 NULL);
	api_keep(actor, API_MEM, clCreatePipe(world->context, 0, 4, 8, NULL, NULL), NULL);
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(world->context, world->device, of_queue, NULL);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, &event);
	clFinish(queue);
	api_keep(actor, API_QUEUE, queue, NULL);
	api_keep(actor, API_EVENT, event, NULL);
}

static void actor_begin(struct api_actor *actor, struct api_world *world, unsigned which,
			const struct fuzz *fuzz)
{
	memset(actor, 0, sizeof(*actor));
	actor->fuzz = *fuzz;
	actor->fuzz.state += which * 0x9e3779b97f4a7c15u;
	actor->world = world;
	actor->data = data[which];
	actor->chunks = chunks[which];
	lend(actor, API_PLATFORM, world->platform);
	for (cl_uint i = 0; i < world->device_count; i++)
		lend(actor, API_DEVICE, world->devices[i]);
	lend(actor, API_CONTEXT, world->context);
	lend(actor, API_QUEUE, world->queue);
	lend(actor, API_QUEUE, world->last_queue);
	lend(actor, API_MEM, world->buffer);
	lend(actor, API_PROGRAM, world->program);
	furnish(actor);
}

/* Whoever does not get on is named, and the process ends: nothing can be taken from a call that hangs. */
static void watch(struct api_actor *actors)
{
	unsigned made[ACTORS] = {0}, still = 0;
	bool over = false;
	while (!over) {
		bool moved = false;
		const struct timespec moment = {0, 1000000};
		nanosleep(&moment, NULL);
		over = true;
		for (unsigned i = 0; i < ACTORS; i++) {
			const unsigned now = atomic_load(&actors[i].made);
			moved |= now != made[i];
			made[i] = now;
			over &= atomic_load(&actors[i].done);
		}
		still = moved ? 0 : still + 1;
		if (still < PATIENCE_S * 1000)
			continue;
		for (unsigned i = 0; i < ACTORS; i++)
			printf("thread %u hangs in %s\n", i,
			       atomic_load(&actors[i].done) ? "nothing" : atomic_load(&actors[i].now));
		fflush(stdout);
		abort();
	}
}

static bool run(struct fuzz *fuzz)
{
	static struct api_world world;
	static struct api_actor actors[ACTORS];
	pthread_t setter, threads[ACTORS];
	if (!world_make(&world)) {
		printf("the device is lost\n");
		exit(1);
	}
	for (unsigned i = 0; i < ACTORS; i++)
		actor_begin(&actors[i], &world, i, fuzz);
	if (pthread_create(&setter, NULL, setter_run, &world))
		return false;
	for (unsigned i = 0; i < ACTORS; i++)
		if (pthread_create(&threads[i], NULL, actor_run, &actors[i]))
			return false;
	watch(actors);
	bool good = true;
	for (unsigned i = 0; i < ACTORS; i++) {
		pthread_join(threads[i], NULL);
		good &= !actors[i].wrong;
	}
	pthread_mutex_lock(&world.lock);
	world.over = true;
	pthread_mutex_unlock(&world.lock);
	pthread_join(setter, NULL);
	good &= world_computes(&world);
	world_end(&world);
	/* What was forgotten is to be seen as a leak. */
	memset(actors, 0, sizeof(actors));
	memset(&world, 0, sizeof(world));
	return good;
}

/* FUZZ_COUNTS in the environment: how often each call was made, and how often it succeeded. */
static void counts_print(void)
{
	for (unsigned i = 0; i < call_count && getenv("FUZZ_COUNTS"); i++)
		printf("%s %u %u\n", calls[i].name, atomic_load(&calls[i].made),
		       atomic_load(&calls[i].good));
}

int main(int argc, char **argv)
{
	static struct api_world world;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned i = 0; i < ACTORS; i++) {
		data[i] = calloc(API_DATA, API_CHUNK_B);
		chunks[i] = calloc(API_CHUNKS, API_CHUNK_B);
		if (!data[i] || !chunks[i])
			return 99;
	}
	if (!world_make(&world))
		return 77;
	world_end(&world);
	const int status = fuzz_main(argc, argv, run);
	counts_print();
	return status;
}
