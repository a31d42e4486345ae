/* gpu_repeat.h: launches that come again, as graphs. */
#include "config.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_transfer.h"
#include "tests/unit/gpu_setup.h"

#include <pthread.h>
#include <stdatomic.h>

enum { COUNT = 256, BUFFER_B = COUNT * sizeof(uint32_t), ENOUGH = 40, MORE_STREAMS = 20 };

/* Calls of the driver, which go on to it unless told otherwise. */
static atomic_uint made, launched, destroyed;
static atomic_bool refusing;
/* How long the host takes for a kernel and for a graph besides. */
static atomic_uint kernel_us, graph_us;
static CUresult (*driver_instantiate)(CUgraphExec *, CUgraph, unsigned long long);
static CUresult (*driver_launch)(CUgraphExec, CUstream);
static CUresult (*driver_destroy)(CUgraphExec);

static CUresult (*driver_launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
					unsigned, unsigned, CUstream, void **, void **);

static CUresult launch_kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			      unsigned by, unsigned bz, unsigned local_B, CUstream stream,
			      void **parameters, void **extra)
{
	if (atomic_load(&kernel_us))
		usleep(atomic_load(&kernel_us));
	return driver_launch_kernel(function, gx, gy, gz, bx, by, bz, local_B, stream, parameters,
				    extra);
}

static CUresult instantiate(CUgraphExec *exec_out, CUgraph graph, unsigned long long flags)
{
	atomic_fetch_add(&made, 1);
	return driver_instantiate(exec_out, graph, flags);
}

static CUresult launch(CUgraphExec exec, CUstream stream)
{
	if (atomic_load(&refusing))
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (atomic_load(&graph_us))
		usleep(atomic_load(&graph_us));
	atomic_fetch_add(&launched, 1);
	return driver_launch(exec, stream);
}

static CUresult destroy(CUgraphExec exec)
{
	atomic_fetch_add(&destroyed, 1);
	return driver_destroy(exec);
}

static gpu_address sums, ones;
static uint32_t result[COUNT];

static void setup(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	driver_instantiate = cuda.cuGraphInstantiateWithFlags;
	driver_launch = cuda.cuGraphLaunch;
	driver_destroy = cuda.cuGraphExecDestroy;
	cuda.cuGraphInstantiateWithFlags = instantiate;
	driver_launch_kernel = cuda.cuLaunchKernel;
	cuda.cuLaunchKernel = launch_kernel;
	cuda.cuGraphLaunch = launch;
	cuda.cuGraphExecDestroy = destroy;
	sums = memory_new(BUFFER_B);
	ones = memory_new(BUFFER_B);
}

static void fill(struct gpu_stream *stream, gpu_address at, uint32_t value)
{
	CHECK_EQ(gpu_fill(stream, at, &value, sizeof(value), BUFFER_B), CL_SUCCESS);
}

/* sums[i] += ones[i] of the first so many. */
static void add(struct gpu_stream *stream, uint32_t first_ones)
{
	void *parameters[] = {&sums, &sums, &ones, &first_ones};
	struct gpu_launch one = {function_named("add"), {(first_ones + 63) / 64, 1, 1}, {64, 1, 1},
				 0, false, parameters};
	CHECK_EQ(gpu_launch(stream, &one), CL_SUCCESS);
}

static void fetch(struct gpu_stream *stream)
{
	CHECK_EQ(gpu_transfer_to_host(stream, GPU_TRANSFER_DRIVER, result, sums, sizeof(result)), CL_SUCCESS);
}

static void each_has_its_own_values(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	uint32_t want[COUNT] = {0};
	fill(stream, sums, 0);
	fill(stream, ones, 1);
	for (uint32_t i = 0; i < 10 * ENOUGH; i++) {
		const uint32_t first_ones = 1 + i * 37 % COUNT;
		add(stream, first_ones);
		for (uint32_t x = 0; x < first_ones; x++)
			want[x]++;
		if (i < ENOUGH)
			stream_wait(stream);
	}
	stream_wait(stream);
	fetch(stream);
	CHECK(!memcmp(result, want, sizeof(want)));
	CHECK_EQ(atomic_load(&made), 1);
	CHECK(atomic_load(&launched) >= 9 * ENOUGH);
	gpu_stream_release(stream);
}

/* More of them than a function has graphs for, in turn and at once. */
static void many_streams(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *streams[MORE_STREAMS];
	const unsigned before = atomic_load(&launched);
	for (unsigned i = 0; i < MORE_STREAMS; i++)
		streams[i] = stream_new();
	fill(streams[0], sums, 0);
	stream_wait(streams[0]);
	for (unsigned k = 0; k < 3 * ENOUGH; k++) {
		for (unsigned i = 0; i < MORE_STREAMS; i++) {
			/* One behind the other: they add to the same memory. */
			add(streams[i], COUNT);
			stream_wait(streams[i]);
		}
	}
	fetch(streams[0]);
	CHECK_EQ(result[0], 3 * ENOUGH * MORE_STREAMS);
	CHECK_EQ(result[COUNT - 1], result[0]);
	CHECK(atomic_load(&launched) > before + ENOUGH * MORE_STREAMS);
	for (unsigned i = 0; i < MORE_STREAMS; i++)
		gpu_stream_release(streams[i]);
}

static void local_memory_of_each(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	const uint32_t most_B = gpu_device_caps(first())->local_optin_B;
	const uint32_t sizes_B[] = {256, most_B, 48 << 10, 4096};
	for (unsigned i = 0; i < 2 * ENOUGH; i++) {
		const uint32_t size_B = sizes_B[i % 4];
		uint32_t at = size_B - 4;
		void *parameters[] = {&sums, &at};
		struct gpu_launch one = {function_named("last_word"), {1, 1, 1}, {COUNT, 1, 1},
					 size_B, false, parameters};
		fill(stream, sums, 0);
		CHECK_EQ(gpu_launch(stream, &one), CL_SUCCESS);
		stream_wait(stream);
		fetch(stream);
		CHECK(result[0] == 777 && result[COUNT - 1] == 777);
	}
	gpu_stream_release(stream);
}

/* To make one could wait for it. */
static void none_is_made_beside_a_kernel(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new(), *busy = stream_new();
	const unsigned before = atomic_load(&made);
	struct gpu_event *end = NULL;
	fill(stream, sums, 0);
	stream_wait(stream);
	CHECK_EQ(launch_spin(busy, ones, gpu_device_caps(first())->software ? 3000000 : 300000000),
		 CL_SUCCESS);
	REQUIRE(!gpu_event_record(busy, false, &end));
	unsigned count = 0;
	for (; count < ENOUGH && gpu_event_pending(end); count++) {
		CHECK_EQ(launch_spin(stream, sums, 1), CL_SUCCESS);
		stream_wait(stream);
	}
	CHECK(!gpu_event_pending(end) || atomic_load(&made) == before);
	CHECK_EQ(gpu_event_wait(end), CL_SUCCESS);
	gpu_event_unref(end);
	for (unsigned i = 0; i < ENOUGH; i++) {
		CHECK_EQ(launch_spin(stream, sums, 1), CL_SUCCESS);
		stream_wait(stream);
	}
	CHECK_EQ(atomic_load(&made), before + 1);
	fetch(stream);
	CHECK_EQ(result[0], count + ENOUGH);
	gpu_stream_release(stream);
	gpu_stream_release(busy);
}

/* Launches on a stream that no other test has had, until it has a place and was measured. */
static unsigned graphs_of_last(unsigned count)
{
	enum { UNTIL_KNOWN = 200 };
	struct gpu_stream *stream = NULL;
	CHECK_EQ(gpu_stream_acquire(first(), -1, &stream), CL_SUCCESS);
	if (!stream)
		return UINT32_MAX;
	for (unsigned i = 0; i < UNTIL_KNOWN; i++) {
		add(stream, COUNT);
		stream_wait(stream);
	}
	const unsigned before = atomic_load(&launched);
	for (unsigned i = 0; i < count; i++)
		add(stream, COUNT);
	stream_wait(stream);
	return atomic_load(&launched) - before;
}

static void the_quicker_way_is_taken(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	const enum gpu_way asked = first()->way;
	first()->way = GPU_WAY_UNKNOWN;
	atomic_store(&kernel_us, 300);
	CHECK_EQ(graphs_of_last(ENOUGH), ENOUGH);
	atomic_store(&kernel_us, 0);
	atomic_store(&graph_us, 300);
	CHECK_EQ(graphs_of_last(ENOUGH), 0);
	atomic_store(&graph_us, 0);
	first()->way = asked;
}

/* Two flags: the first one's kernel may have to be ended for what waits behind it. */
static atomic_uint *flags;
static atomic_bool over;

static void *loses_patience(void *unused)
{
	enum { PATIENCE_MS = 8000 };
	(void)unused;
	for (int i = 0; i < PATIENCE_MS && !atomic_load(&over); i++)
		usleep(1000);
	atomic_store(&flags[0], 1);
	return NULL;
}

static void launch_until(struct gpu_module *of, struct gpu_stream *stream, atomic_uint *flag)
{
	struct gpu_function *function = NULL;
	void *parameters[] = {&flag};
	CHECK_EQ(gpu_module_function(of, "until", &function), CL_SUCCESS);
	struct gpu_launch one = {function, {1, 1, 1}, {1, 1, 1}, 0, false, parameters};
	CHECK_EQ(gpu_launch(stream, &one), CL_SUCCESS);
}

/* Launches of one graph follow each other.  A stream's kernel may wait for what another stream has yet
 * to do, and that must not stand behind it in the graph that both would have. */
static void no_stream_stands_behind_another(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	enum { PLACES = 16, OFTEN = 200 };
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	struct gpu_module *of = NULL;
	struct gpu_stream *waiting = stream_new(), *others[PLACES];
	struct gpu_event *end = NULL;
	pthread_t watch;
	bytes_append_string(&ptx, until);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, &of, &log), CL_SUCCESS);
	REQUIRE(of && !gpu_host_alloc(first(), 2 * sizeof(*flags), (void **)&flags));
	atomic_store(&flags[0], 1);
	atomic_store(&flags[1], 1);
	for (unsigned i = 0; i < ENOUGH; i++) {
		launch_until(of, waiting, &flags[0]);
		stream_wait(waiting);
	}
	atomic_store(&flags[0], 0);
	launch_until(of, waiting, &flags[0]);
	REQUIRE(!gpu_event_record(waiting, false, &end));
	REQUIRE(!pthread_create(&watch, NULL, loses_patience, NULL));
	/* Of so many one has the same place. */
	for (unsigned k = 0; k < PLACES; k++)
		CHECK_EQ(gpu_stream_acquire(first(), 1, &others[k]), CL_SUCCESS);
	for (unsigned i = 0; i < OFTEN * PLACES; i++) {
		launch_until(of, others[i % PLACES], &flags[1]);
		stream_wait(others[i % PLACES]);
	}
	CHECK(!atomic_load(&flags[0]));
	CHECK(gpu_event_pending(end));
	atomic_store(&over, true);
	REQUIRE(!pthread_join(watch, NULL));
	CHECK_EQ(gpu_event_wait(end), CL_SUCCESS);
	gpu_event_unref(end);
	for (unsigned k = 0; k < PLACES; k++)
		gpu_stream_release(others[k]);
	gpu_stream_release(waiting);
	gpu_module_unload(of, NULL, 0);
	gpu_defer_wait(first());
	gpu_host_free(first(), flags, 2 * sizeof(*flags));
	bytes_finish(&ptx);
	bytes_finish(&log);
}

/* Queues that wait after every ten launches: the device is idle at the first of ten alone, which no
 * 64th launch of a queue is. */
static void a_place_that_is_given_up_is_found(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	enum { PLACES = 16, TEN = 10, ROUNDS = 2 * 64 / TEN + 4 };
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	struct gpu_module *of = NULL;
	struct gpu_stream *streams[PLACES + 1] = {NULL};
	bytes_append_string(&ptx, until);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, &of, &log), CL_SUCCESS);
	REQUIRE(of && !gpu_host_alloc(first(), sizeof(*flags), (void **)&flags));
	for (unsigned k = 0; k <= PLACES; k++) { /* one more than there are places */
		struct gpu_stream *stream = NULL;
		REQUIRE(!gpu_stream_acquire(first(), 1, &stream));
		const unsigned before = atomic_load(&launched);
		for (unsigned round = 0; round < ROUNDS; round++) {
			atomic_store(&flags[0], 0);
			for (unsigned i = 0; i < TEN; i++)
				launch_until(of, stream, &flags[0]);
			atomic_store(&flags[0], 1);
			stream_wait(stream);
		}
		CHECK(atomic_load(&launched) - before > TEN);
		streams[k] = stream;
	}
	for (unsigned k = 0; k <= PLACES; k++)
		gpu_stream_release(streams[k]);
	gpu_module_unload(of, NULL, 0);
	gpu_defer_wait(first());
	gpu_host_free(first(), flags, sizeof(*flags));
	bytes_finish(&ptx);
	bytes_finish(&log);
}

static void a_refused_one_is_launched_otherwise(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	fill(stream, sums, 0);
	fill(stream, ones, 1);
	for (unsigned i = 0; i < 4 * ENOUGH; i++) {
		add(stream, COUNT);
		if (i < ENOUGH)
			stream_wait(stream);
		atomic_store(&refusing, i == 2 * ENOUGH);
	}
	fetch(stream);
	CHECK_EQ(result[0], 4 * ENOUGH);
	gpu_stream_release(stream);
}

static void they_go_with_their_module(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	gpu_memory_free(first(), sums, NULL, 0);
	gpu_memory_free(first(), ones, NULL, 0);
	gpu_module_unload(module, NULL, 0);
	gpu_defer_wait(first());
	CHECK(atomic_load(&made) > 1);
	CHECK_EQ(atomic_load(&destroyed), atomic_load(&made));
	bytes_finish(&binary);
}

static const struct test_case cases[] = {
	TEST(devices_are_found),
	TEST(code_is_assembled_and_loaded),
	TEST(setup),
	TEST(each_has_its_own_values),
	TEST(many_streams),
	TEST(local_memory_of_each),
	TEST(none_is_made_beside_a_kernel),
	TEST(the_quicker_way_is_taken),
	TEST(no_stream_stands_behind_another),
	TEST(a_place_that_is_given_up_is_found),
	TEST(a_refused_one_is_launched_otherwise),
	TEST(they_go_with_their_module),
};

int main(void)
{
	setenv("CULVERT_LAUNCH", "graph", 1);
	return run_gpu_tests(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
