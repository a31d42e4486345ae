/* gpu.h: devices, streams, events, modules, launches, and how they fail.  The
 * first test needs a process that has not started CUDA, and the last one kills a
 * device. */
#include "config.h"

#include "backend/gpu_internal.h"
#include "base/clock.h"
#include "tests/unit/gpu_setup.h"

/* --- devices --- */

static void devices_are_described(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	for (uint32_t i = 0; i < device_count; i++) {
		const struct gpu_caps *caps = gpu_device_caps(devices[i]);
		CHECK(*caps->name && *caps->driver_version);
		CHECK(caps->cuda_version >= 12000 && caps->sm >= 50 && caps->warp == 32);
		CHECK(caps->max_threads_per_block >= 1024 && caps->max_grid[0] >= 65535);
		CHECK(caps->local_static_B >= 16384 && caps->local_optin_B >= caps->local_static_B);
		CHECK_EQ(gpu_device_status(devices[i]), CL_SUCCESS);
		CHECK_EQ(gpu_device_use(devices[i]), CL_SUCCESS);
	}
}

static void bad_code_is_refused(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	struct gpu_module *bad = NULL;
	static const char garbage[64] = "no binary at all";
	if (none_here())
		SKIP("no CUDA driver");
	bytes_printf(&ptx, "%s.visible .entry bad()\n{\n frobnicate.s32 %%r1;\n}\n", kernels);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, &bad, &log), CL_BUILD_PROGRAM_FAILURE);
	CHECK(strstr(bytes_string(&log), "frobnicate"));
	CHECK(!bad);
	bytes_finish(&log);
	CHECK_EQ(gpu_module_load(first(), garbage, sizeof(garbage), &log, &bad), CL_INVALID_BINARY);
	CHECK(log.size_B > 0 && !bad);
	CHECK_EQ(gpu_module_load(first(), garbage, 0, &log, &bad), CL_INVALID_BINARY);
	bytes_finish(&ptx);
	bytes_finish(&log);
}

/* A libnvvm newer than the driver heads its text with a version that is refused. */
static void newer_ptx_is_fitted(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	struct gpu_module *fitted = NULL;
	if (none_here())
		SKIP("no CUDA driver");
	const char *body = strchr(strstr(kernels, ".version"), '\n');
	bytes_printf(&ptx, ".version 9.9%s", body);
	CHECK_EQ(be_ptx_load(first(), &ptx, &plain, &fitted, &log), CL_SUCCESS);
	gpu_module_unload(fitted, NULL, 0);
	bytes_finish(&ptx);
	bytes_finish(&log);
}

/* --- streams and events --- */

static void streams_are_pooled(void)
{
	struct gpu_stream *streams[4], *again;
	if (none_here())
		SKIP("no CUDA driver");
	for (int i = 0; i < 4; i++) {
		REQUIRE(!gpu_stream_acquire(first(), i % 3 - 1, &streams[i]));
		CHECK(gpu_stream_device(streams[i]) == first());
		for (int j = 0; j < i; j++)
			CHECK(gpu_stream_id(streams[j]) != gpu_stream_id(streams[i]));
	}
	uint32_t id = gpu_stream_id(streams[2]);
	for (int i = 0; i < 4; i++)
		gpu_stream_release(streams[i]);
	REQUIRE(!gpu_stream_acquire(first(), 1, &again));
	CHECK_EQ(gpu_stream_id(again), id);
	gpu_stream_release(again);
}

static void events_witness_numbers(void)
{
	struct gpu_event *event;
	bool done = false;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address out = memory_new(4);
	uint64_t before = gpu_stream_last(stream);
	CHECK_EQ(gpu_fill(stream, out, &(char){0}, 1, 4), CL_SUCCESS);
	CHECK_EQ(launch_spin(stream, out, 100000), CL_SUCCESS);
	CHECK_EQ(gpu_stream_last(stream), before + 2);
	REQUIRE(!gpu_event_record(stream, false, &event));
	CHECK_EQ(gpu_event_sequence(event), before + 2);
	CHECK(gpu_event_stream(event) == stream);
	REQUIRE(gpu_event_ref(event) == event);
	CHECK_EQ(gpu_event_query(event, &done), CL_SUCCESS);
	CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
	CHECK_EQ(gpu_event_query(event, &done), CL_SUCCESS);
	CHECK(done);
	CHECK(gpu_stream_reached(stream, before + 2));
	gpu_event_unref(event);
	/* Waits long enough to sleep. */
	CHECK_EQ(launch_spin(stream, out, 1000000), CL_SUCCESS);
	stream_wait(stream);
	gpu_event_unref(event);
	gpu_event_unref(NULL);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
}

static void waits_are_put_in_once(void)
{
	struct gpu_event *event, *later;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *a = stream_new(), *b = stream_new();
	gpu_address out = memory_new(4);
	uint32_t value = 0;
	CHECK_EQ(gpu_fill(a, out, &value, 4, 4), CL_SUCCESS);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(launch_spin(a, out, 3000000), CL_SUCCESS);
	REQUIRE(!gpu_event_record(a, false, &event));
	uint64_t before = gpu_stream_last(b);
	CHECK_EQ(gpu_stream_wait_event(b, event), CL_SUCCESS);
	uint64_t with_wait = gpu_stream_last(b);
	CHECK_EQ(gpu_stream_wait_event(b, event), CL_SUCCESS);
	CHECK_EQ(gpu_stream_last(b), with_wait);
	CHECK(with_wait <= before + 1);
	CHECK_EQ(gpu_stream_wait_event(a, event), CL_SUCCESS);
	CHECK_EQ(launch_spin(b, out, 1), CL_SUCCESS);
	REQUIRE(!gpu_event_record(b, false, &later));
	CHECK_EQ(gpu_event_wait(later), CL_SUCCESS);
	CHECK(gpu_stream_reached(a, gpu_event_sequence(event)));
	CHECK_EQ(gpu_copy_to_host(b, &value, out, 4), CL_SUCCESS);
	stream_wait(b);
	CHECK_EQ(value, 4);
	/* What is known to be done costs nothing. */
	before = gpu_stream_last(a);
	CHECK_EQ(gpu_stream_wait_event(a, later), CL_SUCCESS);
	CHECK_EQ(gpu_stream_last(a), before);
	gpu_event_unref(event);
	gpu_event_unref(later);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(a);
	gpu_stream_release(b);
}

static void times_are_in_order(void)
{
	struct gpu_event *start, *end, *plain_event;
	uint64_t start_ns = 0, end_ns = 0;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address out = memory_new(4);
	REQUIRE(!gpu_event_record(stream, true, &start));
	CHECK_EQ(gpu_event_wait(start), CL_SUCCESS);
	gpu_event_unref(start);
	uint64_t before_ns = host_now_ns();
	REQUIRE(!gpu_event_record(stream, true, &start));
	CHECK_EQ(launch_spin(stream, out, 200000), CL_SUCCESS);
	REQUIRE(!gpu_event_record(stream, true, &end));
	CHECK_EQ(gpu_event_wait(end), CL_SUCCESS);
	uint64_t after_ns = host_now_ns();
	CHECK_EQ(gpu_event_time_ns(start, &start_ns), CL_SUCCESS);
	CHECK_EQ(gpu_event_time_ns(end, &end_ns), CL_SUCCESS);
	CHECK(start_ns < end_ns);
	/* Half a bracket and the clock's grain. */
	CHECK(start_ns + 1000000 > before_ns && end_ns < after_ns + 1000000);
	REQUIRE(!gpu_event_record(stream, false, &plain_event));
	CHECK_EQ(gpu_event_time_ns(plain_event, &end_ns), CL_PROFILING_INFO_NOT_AVAILABLE);
	gpu_event_unref(plain_event);
	gpu_event_unref(start);
	gpu_event_unref(end);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
}

/* Who waits for a time waits for its record, also where all that was ahead is done: on a GPU that
 * processes share, the record may come much later than that is known. */
static void a_time_is_done_with_its_record(void)
{
	struct gpu_event *event;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	for (int i = 0; i < 3; i++) {
		REQUIRE(!gpu_event_record(stream, true, &event));
		CHECK(!gpu_event_known_done(event));
		/* As it comes out where another thread asks for the stream's state just before
		 * the driver gets the record. */
		gpu_stream_raise_done(stream, gpu_event_sequence(event));
		CHECK(!gpu_event_known_done(event));
		CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
		CHECK(gpu_event_known_done(event));
		gpu_event_unref(event);
	}
	gpu_stream_release(stream);
}

/* Across a renewal of the device's epoch time goes on without a step. */
static void time_runs_through_a_renewal(void)
{
	struct gpu_event *event;
	uint64_t last_ns = 0;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	for (int i = 0; i < 24; i++) {
		uint64_t now_ns = 0;
		uint64_t before_ns = host_now_ns();
		REQUIRE(!gpu_event_record(stream, true, &event));
		CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
		CHECK_EQ(gpu_event_time_ns(event, &now_ns), CL_SUCCESS);
		CHECK(now_ns > last_ns);
		CHECK(now_ns + 1000000 > before_ns && now_ns < host_now_ns() + 1000000);
		last_ns = now_ns;
		gpu_event_unref(event);
		usleep(100000);
	}
	gpu_stream_release(stream);
}

/* --- kernels --- */

static void kernels_run(void)
{
	enum { N = 10007 };
	static uint32_t a[N], b[N], c[N];
	struct gpu_function *add = NULL, *again = NULL, *none = NULL;
	uint32_t threads = 0, n = N;
	if (none_here())
		SKIP("no CUDA driver");
	REQUIRE(!gpu_module_function(module, "add", &add));
	CHECK_EQ(gpu_module_function(module, "add", &again), CL_SUCCESS);
	CHECK(add == again);
	CHECK_EQ(gpu_module_function(module, "absent", &none), CL_INVALID_KERNEL_NAME);
	CHECK(gpu_function_caps(add)->max_threads >= 256);
	CHECK_EQ(gpu_function_caps(add)->static_local_B, 0);
	CHECK_EQ(gpu_function_suggest(add, 0, &threads), CL_SUCCESS);
	CHECK(threads >= 32 && threads <= 1024);
	struct gpu_stream *stream = stream_new();
	gpu_address da = memory_new(sizeof(a)), db = memory_new(sizeof(b));
	gpu_address dc = memory_new(sizeof(c));
	for (uint32_t i = 0; i < N; i++) {
		a[i] = i * 3;
		b[i] = 1000000 - i;
	}
	void *parameters[] = {&dc, &da, &db, &n};
	struct gpu_launch launch = {add, {(N + threads - 1) / threads, 1, 1}, {threads, 1, 1}, 0,
				    false, parameters};
	CHECK_EQ(gpu_copy_to_device(stream, da, a, sizeof(a)), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_device(stream, db, b, sizeof(b)), CL_SUCCESS);
	CHECK_EQ(gpu_launch(stream, &launch), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_host(stream, c, dc, sizeof(c)), CL_SUCCESS);
	stream_wait(stream);
	int wrong = 0;
	for (uint32_t i = 0; i < N; i++)
		wrong += c[i] != a[i] + b[i];
	CHECK_EQ(wrong, 0);
	/* A work-group that cannot be: refused, and the device lives. */
	launch.block[0] = 4096;
	CHECK(gpu_launch(stream, &launch) != CL_SUCCESS);
	CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
	gpu_memory_free(first(), da, NULL, 0);
	gpu_memory_free(first(), db, NULL, 0);
	gpu_memory_free(first(), dc, NULL, 0);
	gpu_stream_release(stream);
}

static void dynamic_local_memory_is_opted_in(void)
{
	uint32_t threads = 0, again = 0, out_words[32] = {0};
	if (none_here())
		SKIP("no CUDA driver");
	const struct gpu_caps *caps = gpu_device_caps(first());
	struct gpu_function *function = function_named("last_word");
	struct gpu_stream *stream = stream_new();
	gpu_address out = memory_new(sizeof(out_words));
	const uint32_t sizes_B[] = {1024, caps->local_static_B, caps->local_optin_B};
	for (int i = 0; i < 3; i++) {
		uint32_t at = sizes_B[i] - 4;
		void *parameters[] = {&out, &at};
		struct gpu_launch launch = {function, {1, 1, 1}, {32, 1, 1}, sizes_B[i], false,
					    parameters};
		CHECK_EQ(gpu_function_suggest(function, sizes_B[i], &threads), CL_SUCCESS);
		/* The first answer for one size is not the answer for another. */
		CHECK_EQ(gpu_function_suggest(function, sizes_B[0], &again), CL_SUCCESS);
		CHECK_EQ(gpu_function_suggest(function, sizes_B[i], &again), CL_SUCCESS);
		CHECK_EQ(again, threads);
		CHECK_EQ(gpu_fill(stream, out, "\0", 1, sizeof(out_words)), CL_SUCCESS);
		CHECK_EQ(gpu_launch(stream, &launch), CL_SUCCESS);
		CHECK_EQ(gpu_copy_to_host(stream, out_words, out, sizeof(out_words)), CL_SUCCESS);
		stream_wait(stream);
		CHECK(out_words[0] == 777 && out_words[31] == 777);
		launch.dynamic_local_B = caps->local_optin_B + 4;
		CHECK_EQ(gpu_launch(stream, &launch), CL_OUT_OF_RESOURCES);
	}
	CHECK_EQ(gpu_function_suggest(function, caps->local_optin_B + 4, &threads),
		 CL_OUT_OF_RESOURCES);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
}

static void modules_end(void)
{
	uint32_t value = 0;
	struct gpu_module *second = NULL;
	struct gpu_event *event;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	/* Unloaded while it runs: it runs to its end. */
	gpu_address out = memory_new(4);
	CHECK_EQ(gpu_fill(stream, out, "\0", 1, 4), CL_SUCCESS);
	REQUIRE(!gpu_module_load(first(), binary.data, binary.size_B, NULL, &second));
	struct gpu_function *spin = NULL;
	REQUIRE(!gpu_module_function(second, "spin", &spin));
	uint32_t rounds = 2000000;
	void *parameters[] = {&out, &rounds};
	struct gpu_launch launch = {spin, {1, 1, 1}, {1, 1, 1}, 0, false, parameters};
	CHECK_EQ(gpu_launch(stream, &launch), CL_SUCCESS);
	REQUIRE(!gpu_event_record(stream, false, &event));
	gpu_module_unload(second, &event, 1);
	gpu_event_unref(event);
	CHECK_EQ(gpu_copy_to_host(stream, &value, out, 4), CL_SUCCESS);
	stream_wait(stream);
	CHECK_EQ(value, 1);
	REQUIRE(!gpu_module_load(first(), binary.data, binary.size_B, NULL, &second));
	gpu_module_unload(second, NULL, 0);
	gpu_module_unload(NULL, NULL, 0);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
}

/* --- guests --- */

static void kernels_and_modules(void)
{
	kernels_run();
	modules_end();
}

static void modules_without_pools(void)
{
	run_without_pools(kernels_and_modules);
}

/* A driver that takes a stream or an event only while a context is current. */
static struct cuda_symbols lenient;
static unsigned refused;

static bool is_refused(void)
{
	CUcontext cu_now = NULL;
	(void)lenient.cuCtxGetCurrent(&cu_now);
	refused += !cu_now;
	return !cu_now;
}

static CUresult strict_launch(CUfunction cu_function, unsigned gx, unsigned gy, unsigned gz,
			      unsigned bx, unsigned by, unsigned bz, unsigned dynamic_B,
			      CUstream cu_stream, void **parameters, void **extra)
{
	return is_refused() ? CUDA_ERROR_INVALID_CONTEXT :
	       lenient.cuLaunchKernel(cu_function, gx, gy, gz, bx, by, bz, dynamic_B, cu_stream,
				      parameters, extra);
}

static CUresult strict_record(CUevent cu_event, CUstream cu_stream)
{
	return is_refused() ? CUDA_ERROR_INVALID_CONTEXT
			    : lenient.cuEventRecord(cu_event, cu_stream);
}

static CUresult strict_wait(CUstream cu_stream, CUevent cu_event, unsigned flags)
{
	return is_refused() ? CUDA_ERROR_INVALID_CONTEXT
			    : lenient.cuStreamWaitEvent(cu_stream, cu_event, flags);
}

static CUresult strict_event_query(CUevent cu_event)
{
	return is_refused() ? CUDA_ERROR_INVALID_CONTEXT : lenient.cuEventQuery(cu_event);
}

static CUresult strict_stream_query(CUstream cu_stream)
{
	return is_refused() ? CUDA_ERROR_INVALID_CONTEXT : lenient.cuStreamQuery(cu_stream);
}

static void be_strict(void)
{
	lenient = cuda;
	cuda.cuLaunchKernel = strict_launch;
	cuda.cuEventRecord = strict_record;
	cuda.cuStreamWaitEvent = strict_wait;
	cuda.cuEventQuery = strict_event_query;
	cuda.cuStreamQuery = strict_stream_query;
}

static void all_on_streams(void)
{
	struct gpu_stream *stream = stream_new(), *other = stream_new();
	const gpu_address out = memory_new(4);
	struct gpu_event *event;
	CHECK_EQ(launch_spin(stream, out, 1), CL_SUCCESS);
	CHECK_EQ(gpu_event_record(stream, true, &event), CL_SUCCESS);
	CHECK_EQ(gpu_stream_wait_event(other, event), CL_SUCCESS);
	CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
	gpu_event_unref(event);
	CHECK_EQ(launch_spin(other, out, 1), CL_SUCCESS);
	while (!gpu_stream_reached(other, gpu_stream_last(other)))
		CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
	gpu_stream_release(other);
}

/* It is asked without a context once, and never again. */
static void streams_under_a_strict_driver(void)
{
	all_on_streams();
	CHECK_EQ(refused, 1);
}

static void a_strict_driver_gets_its_context(void)
{
	run_in_child(be_strict, streams_under_a_strict_driver);
}

static unsigned times_made_current;
static CUresult counted_set_current(CUcontext cu_context)
{
	times_made_current++;
	return lenient.cuCtxSetCurrent(cu_context);
}

/* Nothing is made current for launches, records, waits and questions. */
static void a_lenient_driver_is_not_asked(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new(), *other = stream_new();
	const gpu_address out = memory_new(4);
	struct gpu_event *event;
	/* So that there is an event. */
	stream_wait(stream);
	lenient = cuda;
	times_made_current = 0;
	cuda.cuCtxSetCurrent = counted_set_current;
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQ(launch_spin(stream, out, 1), CL_SUCCESS);
		CHECK_EQ(gpu_event_record(stream, false, &event), CL_SUCCESS);
		CHECK_EQ(gpu_stream_wait_event(other, event), CL_SUCCESS);
		gpu_event_unref(event);
		while (!gpu_stream_reached(stream, gpu_stream_last(stream)))
			CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
	}
	CHECK_EQ(times_made_current, 0);
	cuda.cuCtxSetCurrent = lenient.cuCtxSetCurrent;
	stream_wait(other);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(stream);
	gpu_stream_release(other);
}

static void the_current_context_stays(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	run_under_a_context(kernels_and_modules);
}

/* --- calls that fail --- */

static CUresult record_fails(CUevent cu_event, CUstream cu_stream)
{
	(void)cu_event;
	(void)cu_stream;
	return CUDA_ERROR_UNKNOWN;
}

static CUresult wait_fails(CUstream cu_stream, CUevent cu_event, unsigned int flags)
{
	(void)cu_stream;
	(void)cu_event;
	(void)flags;
	return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult stream_create_fails(CUstream *cu_stream, unsigned int flags, int priority)
{
	(void)cu_stream;
	(void)flags;
	(void)priority;
	return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult pool_alloc_fails(CUdeviceptr *cu_address, size_t size_B, CUmemoryPool cu_pool,
				 CUstream cu_stream)
{
	(void)cu_address;
	(void)size_B;
	(void)cu_pool;
	(void)cu_stream;
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* What failed leaves nothing behind: no number, no wait taken for granted. */
static void failures_are_unwound(void)
{
	struct gpu_event *event = NULL, *none = NULL;
	struct gpu_stream *streams[64];
	gpu_address address = 0;
	const struct cuda_symbols real = cuda;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *a = stream_new(), *b = stream_new();
	gpu_address out = memory_new(4);
	CHECK_EQ(launch_spin(a, out, 3000000), CL_SUCCESS);
	cuda.cuEventRecord = record_fails;
	CHECK_EQ(gpu_event_record(a, false, &none), CL_OUT_OF_RESOURCES);
	CHECK(!none);
	cuda = real;
	REQUIRE(!gpu_event_record(a, false, &event));
	uint64_t before = gpu_stream_last(b);
	cuda.cuStreamWaitEvent = wait_fails;
	cl_int err = gpu_stream_wait_event(b, event);
	cuda = real;
	if (err) {
		CHECK_EQ(gpu_stream_last(b), before);
		CHECK_EQ(gpu_stream_wait_event(b, event), CL_SUCCESS);
		CHECK_EQ(gpu_stream_last(b), before + 1);
	}
	CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
	gpu_event_unref(event);
	cuda.cuStreamCreateWithPriority = stream_create_fails;
	int count = 0;
	do
		err = gpu_stream_acquire(first(), 1, &streams[count]);
	while (!err && ++count < 64);
	cuda = real;
	CHECK_EQ(err, CL_OUT_OF_RESOURCES);
	while (count)
		gpu_stream_release(streams[--count]);
	if (gpu_device_caps(first())->memory_pools) {
		cuda.cuMemAllocFromPoolAsync = pool_alloc_fails;
		CHECK_EQ(gpu_memory_alloc(first(), 16, &address), CL_MEM_OBJECT_ALLOCATION_FAILURE);
		CHECK(!address);
		cuda = real;
	}
	CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
	gpu_memory_free(first(), out, NULL, 0);
	gpu_stream_release(a);
	gpu_stream_release(b);
}

static void a_forked_child_fails_cleanly(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		gpu_address address;
		struct gpu_stream *stream;
		_exit(gpu_memory_alloc(first(), 16, &address) == CL_OUT_OF_RESOURCES &&
		      gpu_stream_acquire(first(), 0, &stream) == CL_OUT_OF_RESOURCES ? 0 : 1);
	}
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A fault kills its device, and nothing else. */
static void a_fault_loses_the_device(void)
{
	struct gpu_event *event = NULL, *finished = NULL;
	gpu_address address = 0;
	bool done = false;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address out = memory_new(4);
	CHECK_EQ(launch_spin(stream, out, 1), CL_SUCCESS);
	REQUIRE(!gpu_event_record(stream, false, &finished));
	CHECK_EQ(gpu_event_wait(finished), CL_SUCCESS);
	struct gpu_launch launch = {function_named("fault"), {1, 1, 1}, {1, 1, 1}, 0, false, NULL};
	CHECK_EQ(gpu_launch(stream, &launch), CL_SUCCESS);
	cl_int err = gpu_event_record(stream, false, &event);
	if (!err)
		CHECK_EQ(gpu_event_wait(event), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_device_status(first()), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_memory_alloc(first(), 16, &address), CL_OUT_OF_RESOURCES);
	CHECK_EQ(launch_spin(stream, out, 1), CL_OUT_OF_RESOURCES);
	CHECK_EQ(gpu_event_query(finished, &done), CL_SUCCESS);
	CHECK(done);
	CHECK(gpu_stream_reached(stream, gpu_stream_last(stream)));
	gpu_memory_free(first(), out, NULL, 0);
	gpu_event_unref(event);
	gpu_event_unref(finished);
	gpu_stream_release(stream);
	gpu_module_unload(module, NULL, 0);
	bytes_finish(&binary);
	/* NVIDIA's driver may end all work of the process with it. */
	if (device_count < 2 || !gpu_device_caps(first())->software)
		return;
	CHECK_EQ(gpu_device_status(devices[1]), CL_SUCCESS);
	CHECK_EQ(gpu_memory_alloc(devices[1], 16, &address), CL_SUCCESS);
	gpu_memory_free(devices[1], address, NULL, 0);
}

static const struct test_case cases[] = {
	TEST(modules_without_pools),
	TEST(a_strict_driver_gets_its_context),
	TEST(devices_are_found),
	TEST(code_is_assembled_and_loaded),
	TEST(devices_are_described),
	TEST(bad_code_is_refused),
	TEST(newer_ptx_is_fitted),
	TEST(streams_are_pooled),
	TEST(events_witness_numbers),
	TEST(waits_are_put_in_once),
	TEST(times_are_in_order),
	TEST(a_time_is_done_with_its_record),
	TEST(time_runs_through_a_renewal),
	TEST(kernels_run),
	TEST(dynamic_local_memory_is_opted_in),
	TEST(modules_end),
	TEST(a_lenient_driver_is_not_asked),
	TEST(the_current_context_stays),
	TEST(failures_are_unwound),
	TEST(a_forked_child_fails_cleanly),
	TEST(a_fault_loses_the_device),
};

int main(void)
{
	return run_gpu_tests(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
