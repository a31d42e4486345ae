/* Every function of gpu.h, on the software driver or, with CULVERT_CUDA=driver,
 * on a GPU.  The first test needs a process that has not started CUDA, and the
 * last one kills a device. */
#include "config.h"

#include "backend/codegen.h"
#include "backend/cuda_symbols.h"
#include "backend/gpu.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kernels[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 41;\n"
	".extern .shared .align 16 .b8 dynamic[];\n"
	/* c[i] = a[i] + b[i] */
	".visible .entry add(.param .u64 c, .param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<8>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [c];\n ld.param.u64 %d2, [a];\n ld.param.u64 %d3, [b];\n"
	" ld.param.u32 %r1, [n];\n"
	" mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
	" mad.lo.s32 %r5, %r2, %r3, %r4;\n setp.ge.u32 %p1, %r5, %r1;\n @%p1 bra end;\n"
	" mul.wide.u32 %d4, %r5, 4;\n add.s64 %d1, %d1, %d4;\n add.s64 %d2, %d2, %d4;\n"
	" add.s64 %d3, %d3, %d4;\n ld.global.u32 %r6, [%d2];\n ld.global.u32 %r7, [%d3];\n"
	" add.s32 %r6, %r6, %r7;\n st.global.u32 [%d1], %r6;\nend:\n ret;\n}\n"
	/* out[i] = last word of the dynamic local memory, written by work-item 0 */
	".visible .entry last_word(.param .u64 out, .param .u32 at)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<8>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [out];\n ld.param.u32 %r1, [at];\n mov.u32 %r2, %tid.x;\n"
	" mov.u32 %r3, dynamic;\n add.s32 %r3, %r3, %r1;\n setp.ne.u32 %p1, %r2, 0;\n"
	" @%p1 bra wait;\n mov.u32 %r4, 777;\n st.shared.u32 [%r3], %r4;\nwait:\n bar.sync 0;\n"
	" ld.shared.u32 %r5, [%r3];\n mul.wide.u32 %d2, %r2, 4;\n add.s64 %d1, %d1, %d2;\n"
	" st.global.u32 [%d1], %r5;\n ret;\n}\n"
	/* spins rounds times, then out[0] += 1 */
	".visible .entry spin(.param .u64 out, .param .u32 rounds)\n{\n"
	" .reg .b32 %r<8>;\n .reg .b64 %d<4>;\n .reg .pred %p<2>;\n"
	" ld.param.u64 %d1, [out];\n ld.param.u32 %r1, [rounds];\n mov.u32 %r2, 0;\n"
	" mov.u32 %r3, 1;\nagain:\n setp.ge.u32 %p1, %r2, %r1;\n @%p1 bra end;\n"
	" mul.lo.u32 %r3, %r3, 1664525;\n add.u32 %r3, %r3, %r2;\n add.u32 %r2, %r2, 1;\n"
	" bra again;\nend:\n and.b32 %r3, %r3, 0;\n ld.global.u32 %r4, [%d1];\n"
	" add.u32 %r4, %r4, %r3;\n add.u32 %r4, %r4, 1;\n st.global.u32 [%d1], %r4;\n ret;\n}\n"
	/* writes where nothing is */
	".visible .entry fault()\n{\n .reg .b32 %r<2>;\n .reg .b64 %d<2>;\n"
	" mov.u64 %d1, 64;\n mov.u32 %r1, 1;\n st.global.u32 [%d1], %r1;\n ret;\n}\n";

static struct gpu_device *const *devices;
static uint32_t device_count;
static struct bytes binary;
static struct gpu_module *module;

static const struct be_codegen_options plain = {
	.sm = 75, .precise_divide = true, .precise_sqrt = true, .optimization = 3};

static struct gpu_device *first(void)
{
	return devices[0];
}

static bool none_here(void)
{
	return !device_count;
}

static struct gpu_stream *stream_new(void)
{
	struct gpu_stream *stream = NULL;
	CHECK_EQ(gpu_stream_acquire(first(), 0, &stream), CL_SUCCESS);
	return stream;
}

static void stream_wait(struct gpu_stream *stream)
{
	struct gpu_event *event = NULL;
	CHECK_EQ(gpu_event_record(stream, false, &event), CL_SUCCESS);
	CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
	gpu_event_unref(event);
}

static gpu_address memory_new(uint64_t size_B)
{
	gpu_address address = 0;
	CHECK_EQ(gpu_memory_alloc(first(), size_B, &address), CL_SUCCESS);
	CHECK(address && address % 256 == 0);
	return address;
}

static struct gpu_function *function_named(const char *name)
{
	struct gpu_function *function = NULL;
	CHECK_EQ(gpu_module_function(module, name, &function), CL_SUCCESS);
	return function;
}

static cl_int launch_spin(struct gpu_stream *stream, gpu_address out, uint32_t rounds)
{
	void *parameters[] = {&out, &rounds};
	struct gpu_launch launch = {function_named("spin"), {1, 1, 1}, {1, 1, 1}, 0, false,
				    parameters};
	return gpu_launch(stream, &launch);
}

/* --- devices --- */

static void devices_are_described(void)
{
	CHECK_EQ(gpu_devices(&devices, &device_count), CL_SUCCESS);
	CHECK(*gpu_driver_note());
	printf("%s\n", gpu_driver_note());
	if (none_here())
		SKIP("no CUDA driver");
	for (uint32_t i = 0; i < device_count; i++) {
		const struct gpu_caps *caps = gpu_device_caps(devices[i]);
		uint64_t free_B = 0;
		CHECK_EQ(gpu_device_index(devices[i]), i);
		CHECK(*caps->name && *caps->driver_version);
		CHECK(caps->cuda_version >= 12000 && caps->sm >= 50 && caps->warp == 32);
		CHECK(caps->max_threads_per_block >= 1024 && caps->max_grid[0] >= 65535);
		CHECK(caps->local_static_B >= 16384 && caps->local_optin_B >= caps->local_static_B);
		CHECK_EQ(gpu_device_status(devices[i]), CL_SUCCESS);
		CHECK_EQ(gpu_device_use(devices[i]), CL_SUCCESS);
		CHECK_EQ(gpu_device_free_memory(devices[i], &free_B), CL_SUCCESS);
		CHECK(free_B > 0 && free_B <= caps->memory_B);
		CHECK_EQ(gpu_device_wait(devices[i]), CL_SUCCESS);
	}
}

static void code_is_assembled_and_loaded(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	if (none_here())
		SKIP("no CUDA driver");
	bytes_append_string(&ptx, kernels);
	CHECK_EQ(be_ptx_assemble(first(), &ptx, &plain, false, &binary, &log), CL_SUCCESS);
	if (log.size_B)
		printf("%s\n", bytes_string(&log));
	REQUIRE(binary.size_B > 0);
	CHECK_EQ(gpu_module_load(first(), binary.data, binary.size_B, &log, &module), CL_SUCCESS);
	bytes_finish(&ptx);
	bytes_finish(&log);
}

static void bad_code_is_refused(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT, none = BYTES_INIT;
	struct gpu_module *bad = NULL;
	static const char garbage[64] = "no binary at all";
	if (none_here())
		SKIP("no CUDA driver");
	bytes_printf(&ptx, "%s.visible .entry bad()\n{\n frobnicate.s32 %%r1;\n}\n", kernels);
	CHECK_EQ(be_ptx_assemble(first(), &ptx, &plain, true, &none, &log),
		 CL_BUILD_PROGRAM_FAILURE);
	CHECK(strstr(bytes_string(&log), "frobnicate"));
	CHECK_EQ(none.size_B, 0);
	bytes_finish(&log);
	CHECK_EQ(gpu_module_load(first(), garbage, sizeof(garbage), &log, &bad), CL_INVALID_BINARY);
	CHECK(log.size_B > 0 && !bad);
	CHECK_EQ(gpu_module_load(first(), garbage, 0, &log, &bad), CL_INVALID_BINARY);
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
	uint64_t start_ns = 0, end_ns = 0, elapsed_ns = 0;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address out = memory_new(4);
	REQUIRE(!gpu_event_record(stream, true, &start));
	CHECK_EQ(gpu_event_wait(start), CL_SUCCESS);
	gpu_event_unref(start);
	uint64_t before_ns = gpu_host_now_ns();
	REQUIRE(!gpu_event_record(stream, true, &start));
	CHECK_EQ(launch_spin(stream, out, 200000), CL_SUCCESS);
	REQUIRE(!gpu_event_record(stream, true, &end));
	CHECK_EQ(gpu_event_wait(end), CL_SUCCESS);
	uint64_t after_ns = gpu_host_now_ns();
	CHECK_EQ(gpu_event_time_ns(start, &start_ns), CL_SUCCESS);
	CHECK_EQ(gpu_event_time_ns(end, &end_ns), CL_SUCCESS);
	CHECK_EQ(gpu_event_elapsed_ns(start, end, &elapsed_ns), CL_SUCCESS);
	CHECK(start_ns < end_ns);
	/* Half a bracket and the clock's grain. */
	CHECK(start_ns + 1000000 > before_ns && end_ns < after_ns + 1000000);
	CHECK(end_ns - start_ns < elapsed_ns + 3000 && elapsed_ns < end_ns - start_ns + 3000);
	REQUIRE(!gpu_event_record(stream, false, &plain_event));
	CHECK_EQ(gpu_event_time_ns(plain_event, &end_ns), CL_PROFILING_INFO_NOT_AVAILABLE);
	gpu_event_unref(plain_event);
	gpu_event_unref(start);
	gpu_event_unref(end);
	gpu_memory_free(first(), out, NULL, 0);
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
		uint64_t before_ns = gpu_host_now_ns();
		REQUIRE(!gpu_event_record(stream, true, &event));
		CHECK_EQ(gpu_event_wait(event), CL_SUCCESS);
		CHECK_EQ(gpu_event_time_ns(event, &now_ns), CL_SUCCESS);
		CHECK(now_ns > last_ns);
		CHECK(now_ns + 1000000 > before_ns && now_ns < gpu_host_now_ns() + 1000000);
		last_ns = now_ns;
		gpu_event_unref(event);
		usleep(100000);
	}
	gpu_stream_release(stream);
}

/* --- memory --- */

static void memory_comes_and_goes(void)
{
	struct gpu_event *event;
	uint64_t free_B = 0;
	gpu_address big = 0;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	for (int i = 0; i < 100; i++) {
		gpu_address address = memory_new((uint64_t)1 << (i % 22));
		gpu_memory_free(first(), address, NULL, 0);
	}
	/* Nearly all of it, used, freed behind its use, and all of it once more. */
	CHECK_EQ(gpu_device_free_memory(first(), &free_B), CL_SUCCESS);
	for (int i = 0; i < 3; i++) {
		REQUIRE(!gpu_memory_alloc(first(), free_B / 100 * 95, &big));
		CHECK_EQ(launch_spin(stream, big, 300000), CL_SUCCESS);
		REQUIRE(!gpu_event_record(stream, false, &event));
		gpu_memory_free(first(), big, &event, 1);
		gpu_event_unref(event);
	}
	big = 5;
	CHECK_EQ(gpu_memory_alloc(first(), UINT64_C(1) << 50, &big),
		 CL_MEM_OBJECT_ALLOCATION_FAILURE);
	CHECK_EQ(big, 5);
	CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
	gpu_memory_free(first(), 0, NULL, 0);
	gpu_stream_release(stream);
}

static void host_memory_is_pinned(void)
{
	char *pinned = NULL;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address memory = memory_new(1 << 16);
	REQUIRE(!gpu_host_alloc(first(), 1 << 16, (void **)&pinned));
	memset(pinned, 3, 1 << 16);
	CHECK_EQ(gpu_copy_to_device(stream, memory, pinned, 1 << 16), CL_SUCCESS);
	CHECK_EQ(gpu_fill(stream, memory + 5, "A", 1, 7), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_host(stream, pinned, memory, 1 << 16), CL_SUCCESS);
	stream_wait(stream);
	CHECK(pinned[4] == 3 && pinned[5] == 'A' && pinned[11] == 'A' && pinned[12] == 3);
	gpu_host_free(first(), pinned);
	gpu_host_free(first(), NULL);
	gpu_memory_free(first(), memory, NULL, 0);
	gpu_stream_release(stream);
}

static void copies_are_exact(void)
{
	enum { SIZE_B = 100003 };
	static unsigned char in[SIZE_B], out[SIZE_B];
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address a = memory_new(SIZE_B), b = memory_new(SIZE_B);
	for (int i = 0; i < SIZE_B; i++)
		in[i] = (unsigned char)(i * 7 + i / 256);
	uint64_t before = gpu_stream_last(stream);
	CHECK_EQ(gpu_copy_to_device(stream, a, in, SIZE_B), CL_SUCCESS);
	CHECK_EQ(gpu_copy_device(stream, b + 1, a, SIZE_B - 1), CL_SUCCESS);
	CHECK_EQ(gpu_copy_device(stream, b, a + SIZE_B - 1, 1), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_host(stream, out, b, SIZE_B), CL_SUCCESS);
	CHECK_EQ(gpu_stream_last(stream), before + 4);
	CHECK_EQ(gpu_copy_to_host(stream, out, b, 0), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_device(stream, b, in, 0), CL_SUCCESS);
	CHECK_EQ(gpu_copy_device(stream, b, a, 0), CL_SUCCESS);
	CHECK_EQ(gpu_fill(stream, b, in, 4, 0), CL_SUCCESS);
	CHECK_EQ(gpu_stream_last(stream), before + 4);
	stream_wait(stream);
	CHECK_EQ(out[0], in[SIZE_B - 1]);
	CHECK(!memcmp(out + 1, in, SIZE_B - 1));
	gpu_memory_free(first(), a, NULL, 0);
	gpu_memory_free(first(), b, NULL, 0);
	gpu_stream_release(stream);
}

enum { BOX_B = 1 << 14 };

static uint32_t random_below(uint32_t limit)
{
	static uint32_t state = 12345;
	state = state * 1664525 + 1013904223;
	return (state >> 8) % limit;
}

static struct gpu_rect random_rect(const uint64_t region[3])
{
	/* Pitches that are tight, padded, and no multiples of each other. */
	struct gpu_rect rect;
	rect.row_pitch_B = region[0] + random_below(3) * random_below(9);
	rect.slice_pitch_B = region[1] * rect.row_pitch_B;
	switch (random_below(3)) {
	case 0:
		rect.slice_pitch_B += random_below(3) * rect.row_pitch_B;
		break;
	case 1:
		rect.slice_pitch_B += random_below(40);
		break;
	default:
		break;
	}
	if (rect.slice_pitch_B == region[1] * region[0] && random_below(2)) {
		rect.row_pitch_B = 0;
		rect.slice_pitch_B = 0;
	}
	rect.origin_B = random_below(100);
	return rect;
}

static void copy_box_on_host(unsigned char *to, const struct gpu_rect *to_rect,
			     const unsigned char *from, const struct gpu_rect *from_rect,
			     const uint64_t region[3])
{
	uint64_t to_row = to_rect->row_pitch_B ? to_rect->row_pitch_B : region[0];
	uint64_t from_row = from_rect->row_pitch_B ? from_rect->row_pitch_B : region[0];
	uint64_t to_slice = to_rect->slice_pitch_B ? to_rect->slice_pitch_B : region[1] * to_row;
	uint64_t from_slice =
		from_rect->slice_pitch_B ? from_rect->slice_pitch_B : region[1] * from_row;
	for (uint64_t z = 0; z < region[2]; z++)
		for (uint64_t y = 0; y < region[1]; y++)
			memcpy(to + to_rect->origin_B + z * to_slice + y * to_row,
			       from + from_rect->origin_B + z * from_slice + y * from_row,
			       region[0]);
}

static void boxes_are_exact(void)
{
	static unsigned char source[BOX_B], expected[BOX_B], got[BOX_B];
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address a = memory_new(BOX_B), b = memory_new(BOX_B);
	for (int i = 0; i < BOX_B; i++)
		source[i] = (unsigned char)(i * 13 + i / 251 + 1);
	CHECK_EQ(gpu_copy_to_device(stream, a, source, BOX_B), CL_SUCCESS);
	for (int round = 0; round < 300; round++) {
		uint64_t region[3] = {1 + random_below(30), 1 + random_below(9),
				      1 + random_below(7)};
		struct gpu_rect to = random_rect(region), from = random_rect(region);
		cl_int err;
		memset(expected, 0, BOX_B);
		memset(got, 0, BOX_B);
		copy_box_on_host(expected, &to, source, &from, region);
		CHECK_EQ(gpu_fill(stream, b, got, 1, BOX_B), CL_SUCCESS);
		if (round % 3 == 0)
			err = gpu_copy_rect_to_host(stream, got, &to, a, &from, region);
		else if (round % 3 == 1)
			err = gpu_copy_rect_to_device(stream, b, &to, source, &from, region);
		else
			err = gpu_copy_rect_device(stream, b, &to, a, &from, region);
		CHECK_EQ(err, CL_SUCCESS);
		if (round % 3)
			CHECK_EQ(gpu_copy_to_host(stream, got, b, BOX_B), CL_SUCCESS);
		stream_wait(stream);
		CHECK(!memcmp(got, expected, BOX_B));
	}
	gpu_memory_free(first(), a, NULL, 0);
	gpu_memory_free(first(), b, NULL, 0);
	gpu_stream_release(stream);
}

static void fills_are_exact(void)
{
	enum { SIZE_B = 128 * 50, EDGE_B = 256 };
	static unsigned char got[SIZE_B + 2 * EDGE_B];
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address memory = memory_new(sizeof(got));
	for (uint32_t pattern_B = 1; pattern_B <= 128; pattern_B *= 2) {
		for (uint32_t period = 1; period <= pattern_B; period *= 2) {
			unsigned char pattern[128];
			for (uint32_t i = 0; i < pattern_B; i++)
				pattern[i] = (unsigned char)(i % period * 31 + 7 + period);
			CHECK_EQ(gpu_fill(stream, memory, "\0", 1, sizeof(got)), CL_SUCCESS);
			CHECK_EQ(gpu_fill(stream, memory + EDGE_B, pattern, pattern_B, SIZE_B),
				 CL_SUCCESS);
			CHECK_EQ(gpu_copy_to_host(stream, got, memory, sizeof(got)), CL_SUCCESS);
			stream_wait(stream);
			int wrong = 0;
			for (uint32_t i = 0; i < sizeof(got); i++) {
				bool inside = i >= EDGE_B && i < EDGE_B + SIZE_B;
				wrong += got[i] != (inside ? pattern[(i - EDGE_B) % pattern_B] : 0);
			}
			CHECK_EQ(wrong, 0);
		}
	}
	gpu_memory_free(first(), memory, NULL, 0);
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
	uint32_t threads = 0, out_words[32] = {0};
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

static void modules_have_variables_and_end(void)
{
	gpu_address address = 0;
	uint64_t size_B = 0;
	uint32_t value = 0;
	struct gpu_module *second = NULL;
	struct gpu_event *event;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	CHECK_EQ(gpu_module_variable(module, "counter", &address, &size_B), CL_SUCCESS);
	CHECK_EQ(size_B, 4);
	CHECK_EQ(gpu_copy_to_host(stream, &value, address, 4), CL_SUCCESS);
	stream_wait(stream);
	CHECK_EQ(value, 41);
	CHECK_EQ(gpu_module_variable(module, "absent", &address, &size_B), CL_INVALID_KERNEL_NAME);
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

static void peers_copy(void)
{
	uint32_t value = 123456, got = 0;
	gpu_address there = 0;
	if (device_count < 2)
		SKIP("fewer than two devices");
	struct gpu_stream *stream = stream_new();
	gpu_address here = memory_new(4);
	REQUIRE(!gpu_memory_alloc(devices[1], 4, &there));
	CHECK_EQ(gpu_copy_to_device(stream, here, &value, 4), CL_SUCCESS);
	CHECK_EQ(gpu_copy_peer(stream, there, devices[1], here, first(), 4), CL_SUCCESS);
	CHECK_EQ(gpu_fill(stream, here, "\0", 1, 4), CL_SUCCESS);
	CHECK_EQ(gpu_copy_peer(stream, here, first(), there, devices[1], 4), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_host(stream, &got, here, 4), CL_SUCCESS);
	stream_wait(stream);
	CHECK_EQ(got, value);
	gpu_memory_free(first(), here, NULL, 0);
	gpu_memory_free(devices[1], there, NULL, 0);
	gpu_stream_release(stream);
}

/* --- guests --- */

static void the_current_context_stays(void)
{
	CUcontext cu_mine = NULL, cu_now = NULL;
	if (none_here())
		SKIP("no CUDA driver");
	/* Everything up to here ran in this thread, which never had one. */
	CHECK_EQ(cuda.cuCtxGetCurrent(&cu_now), CUDA_SUCCESS);
	CHECK(!cu_now);
	uint32_t other = device_count - 1;
	REQUIRE(!cuda.cuDevicePrimaryCtxRetain(&cu_mine, (CUdevice)other));
	REQUIRE(!cuda.cuCtxSetCurrent(cu_mine));
	kernels_run();
	memory_comes_and_goes();
	CHECK_EQ(cuda.cuCtxGetCurrent(&cu_now), CUDA_SUCCESS);
	CHECK(cu_now == cu_mine);
	REQUIRE(!cuda.cuCtxSetCurrent(NULL));
	CHECK_EQ(cuda.cuDevicePrimaryCtxRelease_v2((CUdevice)other), CUDA_SUCCESS);
}

static void *work_in_thread(void *argument)
{
	int *wrong = argument;
	struct gpu_stream *stream;
	if (gpu_stream_acquire(first(), 0, &stream)) {
		(*wrong)++;
		return NULL;
	}
	for (int i = 0; i < 100; i++) {
		struct gpu_event *event = NULL;
		gpu_address memory = 0;
		uint32_t value = 0;
		*wrong += gpu_memory_alloc(first(), 4096, &memory) != CL_SUCCESS;
		*wrong += gpu_fill(stream, memory, &i, 4, 4096) != CL_SUCCESS;
		*wrong += launch_spin(stream, memory, 10) != CL_SUCCESS;
		*wrong += gpu_copy_to_host(stream, &value, memory, 4) != CL_SUCCESS;
		*wrong += gpu_event_record(stream, i % 2, &event) != CL_SUCCESS;
		gpu_memory_free(first(), memory, &event, 1);
		*wrong += gpu_event_wait(event) != CL_SUCCESS;
		*wrong += value != (uint32_t)i + 1;
		gpu_event_unref(event);
	}
	gpu_stream_release(stream);
	return NULL;
}

static void threads_work_at_once(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	int wrong[THREADS] = {0};
	if (none_here())
		SKIP("no CUDA driver");
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, work_in_thread, &wrong[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ(wrong[i], 0);
	}
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
	CHECK_EQ(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
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

/* In a process of its own, before this one starts the driver. */
static void memory_without_pools(void)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		gpu_devices(&devices, &device_count);
		cuda.cuMemPoolCreate = NULL;
		if (device_count) {
			code_is_assembled_and_loaded();
			memory_comes_and_goes();
			host_memory_is_pinned();
			modules_have_variables_and_end();
			threads_work_at_once();
		}
		fflush(stdout);
		_exit(test_failures ? 1 : 0);
	}
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
		_exit(gpu_memory_alloc(first(), 16, &address) == CL_DEVICE_NOT_AVAILABLE &&
		      gpu_stream_acquire(first(), 0, &stream) == CL_DEVICE_NOT_AVAILABLE ? 0 : 1);
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
	CHECK_EQ(gpu_device_wait(first()), CL_OUT_OF_RESOURCES);
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
	TEST(memory_without_pools),
	TEST(devices_are_described),
	TEST(code_is_assembled_and_loaded),
	TEST(bad_code_is_refused),
	TEST(streams_are_pooled),
	TEST(events_witness_numbers),
	TEST(waits_are_put_in_once),
	TEST(times_are_in_order),
	TEST(time_runs_through_a_renewal),
	TEST(memory_comes_and_goes),
	TEST(host_memory_is_pinned),
	TEST(copies_are_exact),
	TEST(boxes_are_exact),
	TEST(fills_are_exact),
	TEST(kernels_run),
	TEST(dynamic_local_memory_is_opted_in),
	TEST(modules_have_variables_and_end),
	TEST(peers_copy),
	TEST(the_current_context_stays),
	TEST(threads_work_at_once),
	TEST(failures_are_unwound),
	TEST(a_forked_child_fails_cleanly),
	TEST(a_fault_loses_the_device),
};

int main(void)
{
	/* This program lies elsewhere than the libraries of the build. */
	static const char built[] = "./libculvert-softcuda.so";
	const char *choice = getenv("CULVERT_CUDA");
	if (choice && !strcmp(choice, "soft") && !access(built, R_OK))
		setenv("CULVERT_CUDA", built, 1);
	setenv("CULVERT_SOFT_DEVICES", "2", 0);
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
