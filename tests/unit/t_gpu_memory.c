/* gpu.h: memory of devices and hosts, and every way to copy and fill it.  The
 * first test needs a process that has not started CUDA. */
#include "config.h"

#include "backend/gpu_internal.h"
#include "backend/gpu_transfer.h"
#include "base/clock.h"
#include "tests/unit/gpu_setup.h"

#include <dlfcn.h>
#include <pthread.h>

static void memory_comes_and_goes(void)
{
	struct gpu_event *event;
	gpu_address big = 0;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	for (int i = 0; i < 100; i++) {
		gpu_address address = memory_new((uint64_t)1 << (i % 22));
		gpu_memory_free(first(), address, NULL, 0);
	}
	/* Nearly all of it, used, freed behind its use, and all of it once more. */
	const uint64_t most_B = gpu_device_caps(first())->memory_B / 100 * 95;
	for (int i = 0; i < 3; i++) {
		REQUIRE(!gpu_memory_alloc(first(), most_B, &big));
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

static uint64_t free_memory_B(void)
{
	size_t free_B = 0, total_B = 0;
	struct gpu_scope scope;
	struct gpu_stream *stream = stream_new();
	stream_wait(stream);
	gpu_stream_release(stream);
	CHECK_EQ(gpu_enter(first(), &scope), CL_SUCCESS);
	CHECK_EQ(cuda.cuMemGetInfo_v2(&free_B, &total_B), CUDA_SUCCESS);
	gpu_leave(&scope);
	return free_B;
}

/* Other processes find room once a program has let go of much: not all of it stays
 * with the pool. */
static void freed_memory_leaves_the_process(void)
{
	enum { BLOCKS = 4 };
	gpu_address blocks[BLOCKS];
	if (none_here())
		SKIP("no CUDA driver");
	gpu_memory_free(first(), memory_new(1 << 23), NULL, 0);
	const uint64_t memory_B = gpu_device_caps(first())->memory_B;
	const uint64_t block_B = memory_B / 20, before_B = free_memory_B();
	for (int i = 0; i < BLOCKS; i++)
		REQUIRE(!gpu_memory_alloc(first(), block_B, &blocks[i]));
	CHECK(free_memory_B() <= before_B - BLOCKS * block_B + memory_B / 16);
	for (int i = 0; i < BLOCKS; i++)
		gpu_memory_give_back(first(), blocks[i], block_B, NULL, 0);
	CHECK(free_memory_B() >= before_B - memory_B / 16);
}

/* Calls of softcuda's that the pattern names; none where another driver is in use. */
static uint64_t soft_calls(const char *pattern)
{
	uint64_t (*calls)(const char *pattern);
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "culvert_soft_calls") : NULL;
	if (!symbol)
		return 0;
	memcpy(&calls, &symbol, sizeof(calls));
	return calls(pattern);
}

/* Who comes and goes with small buffers does not ask the driver with each of them what the pool
 * holds, however much it has freed in all. */
static void small_blocks_cost_no_question(void)
{
	enum { TIMES = 2000 };
	if (none_here() || !gpu_device_caps(first())->software)
		SKIP("not the software device");
	const uint64_t block_B = gpu_device_caps(first())->memory_B / 50;
	for (int i = 0; i < 8; i++)
		gpu_memory_give_back(first(), memory_new(block_B), block_B, NULL, 0);
	const uint64_t asked = soft_calls("cuMemPoolGetAttribute"), start_ns = host_now_ns();
	for (int i = 0; i < TIMES; i++) {
		const gpu_address block = memory_new(1 << 20);
		gpu_memory_give_back(first(), block, 1 << 20, NULL, 0);
	}
	/* Once a millisecond, two questions. */
	CHECK(soft_calls("cuMemPoolGetAttribute") - asked <=
	      2 * ((host_now_ns() - start_ns) / 1000000 + 2));
}

/* The same size again comes without the driver, large ones too, but all that is kept so is
 * bounded, and is there for other sizes when nothing else is. */
static void large_blocks_come_again(void)
{
	enum { SIZES = 6, TIMES = 100 };
	struct gpu_scope scope;
	gpu_address all = 0;
	if (none_here() || !gpu_device_caps(first())->software)
		SKIP("not the software device");
	const uint64_t memory_B = gpu_device_caps(first())->memory_B;
	REQUIRE(!gpu_enter(first(), &scope));
	gpu_memory_make_room(first());
	gpu_leave(&scope);
	gpu_memory_give_back(first(), memory_new(memory_B / 80), memory_B / 80, NULL, 0);
	const uint64_t made = soft_calls("cuMemAllocFromPoolAsync"),
		       freed = soft_calls("cuMemFreeAsync");
	for (int i = 0; i < TIMES; i++)
		gpu_memory_give_back(first(), memory_new(memory_B / 80), memory_B / 80, NULL, 0);
	CHECK_EQ(soft_calls("cuMemAllocFromPoolAsync") - made, 0);
	CHECK_EQ(soft_calls("cuMemFreeAsync") - freed, 0);
	/* Of sizes of a hundredth each one stays, and one that is larger than the bound does not. */
	for (uint64_t i = 0; i < SIZES; i++)
		gpu_memory_give_back(first(), memory_new(memory_B / 100 + i), memory_B / 100 + i,
				     NULL, 0);
	CHECK_EQ(soft_calls("cuMemFreeAsync") - freed, SIZES);
	gpu_memory_give_back(first(), memory_new(memory_B / 60), memory_B / 60, NULL, 0);
	CHECK_EQ(soft_calls("cuMemFreeAsync") - freed, SIZES + 1);
	REQUIRE(!gpu_memory_alloc(first(), memory_B / 200 * 199, &all));
	gpu_memory_free(first(), all, NULL, 0);
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
	gpu_host_free(first(), pinned, 1 << 16);
	gpu_host_free(first(), NULL, 0);
	gpu_memory_free(first(), memory, NULL, 0);
	gpu_stream_release(stream);
}

/* Pages are pinned where they were asked for, and nowhere else. */
static void windows_are_pinned_in_part(void)
{
	enum { PAGE_B = 65536, SIZE_B = 64 * PAGE_B };
	struct gpu_window *window;
	if (none_here())
		SKIP("no CUDA driver");
	struct gpu_stream *stream = stream_new();
	gpu_address memory = memory_new(SIZE_B);
	REQUIRE(!gpu_window_create(first(), SIZE_B, &window));
	unsigned char *at = gpu_window_memory(window);
	CHECK(!gpu_host_is_pinned(first(), at, 1));
	CHECK_EQ(gpu_window_pin(window, 8 * PAGE_B + 3, 9 * PAGE_B - 3), CL_SUCCESS);
	CHECK(gpu_host_is_pinned(first(), at + 8 * PAGE_B, PAGE_B));
	CHECK(!gpu_host_is_pinned(first(), at + 7 * PAGE_B, 2 * PAGE_B));
	CHECK(!gpu_host_is_pinned(first(), at + 8 * PAGE_B, 2 * PAGE_B));
	CHECK(!gpu_host_is_pinned(first(), at + 10 * PAGE_B, 1));
	CHECK_EQ(gpu_window_pin(window, 12 * PAGE_B, 13 * PAGE_B), CL_SUCCESS);
	/* Around and between the two. */
	CHECK_EQ(gpu_window_pin(window, 4 * PAGE_B, 16 * PAGE_B), CL_SUCCESS);
	CHECK_EQ(gpu_window_pin(window, 4 * PAGE_B, 16 * PAGE_B), CL_SUCCESS);
	uint64_t at_B = 4 * PAGE_B;
	unsigned runs = 0;
	for (; at_B < 16 * PAGE_B; runs++) {
		const uint64_t end_B = gpu_window_run(window, at_B, 16 * PAGE_B);
		REQUIRE(end_B > at_B && end_B <= 16 * PAGE_B);
		CHECK(gpu_host_is_pinned(first(), at + at_B, end_B - at_B));
		memset(at + at_B, (int)runs + 1, end_B - at_B);
		CHECK_EQ(gpu_copy_to_device(stream, memory + at_B, at + at_B, end_B - at_B),
			 CL_SUCCESS);
		at_B = end_B;
	}
	CHECK_EQ(runs, 5);
	stream_wait(stream);
	CHECK(!gpu_host_is_pinned(first(), at + 16 * PAGE_B, 1));
	gpu_window_destroy(window);
	gpu_window_destroy(NULL);
	gpu_memory_free(first(), memory, NULL, 0);
	gpu_stream_release(stream);
}

static CUresult (*host_alloc)(void **, size_t, unsigned);
static atomic_uint pinned_count;

/* As slow as that of a GPU's driver, so that threads meet there. */
static CUresult CUDAAPI slow_host_alloc(void **pointer_out, size_t size_B, unsigned flags)
{
	if (size_B == (size_t)GPU_SLOTS * GPU_SLOT_B)
		atomic_fetch_add(&pinned_count, 1);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	return host_alloc(pointer_out, size_B, flags);
}

/* The threads that share the first large copy of a process do not allocate pinned memory each. */
static void slots_are_pinned_once(void)
{
	enum { SIZE_B = 16 << 20 };
	unsigned char *bytes = calloc(1, SIZE_B);
	if (none_here())
		SKIP("no CUDA driver");
	REQUIRE(bytes);
	struct gpu_stream *stream = stream_new();
	gpu_address memory = memory_new(SIZE_B);
	host_alloc = cuda.cuMemHostAlloc;
	cuda.cuMemHostAlloc = slow_host_alloc;
	CHECK_EQ(gpu_transfer_to_device(stream, GPU_TRANSFER_SHARED, memory, bytes, SIZE_B), CL_SUCCESS);
	cuda.cuMemHostAlloc = host_alloc;
	CHECK_EQ(atomic_load(&pinned_count), 1);
	gpu_memory_free(first(), memory, NULL, 0);
	gpu_stream_release(stream);
	free(bytes);
}

/* The bytes are taken before the call returns; slots come back once they were read. */
static void staged_copies_are_exact(void)
{
	enum { SIZE_B = GPU_STAGED_MAX_B - 12345, ROUNDS = 10 };
	unsigned char *bytes = malloc(SIZE_B), *back = malloc(SIZE_B);
	struct gpu_slot *slots[GPU_SLOTS];
	if (none_here())
		SKIP("no CUDA driver");
	REQUIRE(bytes && back);
	struct gpu_stream *stream = stream_new();
	gpu_address memory = memory_new(SIZE_B);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memset(bytes, (int)round + 1, SIZE_B);
		CHECK_EQ(gpu_transfer_to_device(stream, GPU_TRANSFER_RELAYED, memory, bytes, SIZE_B), CL_SUCCESS);
		memset(bytes, 0xee, SIZE_B);
		CHECK_EQ(gpu_copy_to_host(stream, back, memory, SIZE_B), CL_SUCCESS);
		stream_wait(stream);
		CHECK(back[0] == round + 1 && back[SIZE_B - 1] == round + 1);
	}
	CHECK(gpu_transfer_has_room(first(), GPU_STAGED_MAX_B));
	CHECK(!gpu_transfer_has_room(first(), GPU_STAGED_MAX_B + 1));
	for (unsigned i = 0; i < GPU_SLOTS; i++) {
		slots[i] = gpu_slot_take(first());
		REQUIRE(slots[i]);
		CHECK(gpu_host_is_pinned(first(), gpu_slot_memory(slots[i]), GPU_SLOT_B));
	}
	CHECK(!gpu_slot_take(first()));
	CHECK(!gpu_transfer_has_room(first(), 1));
	/* Without slots it goes as it is. */
	memset(bytes, 77, SIZE_B);
	CHECK_EQ(gpu_transfer_to_device(stream, GPU_TRANSFER_RELAYED, memory, bytes, SIZE_B), CL_SUCCESS);
	CHECK_EQ(gpu_copy_to_host(stream, back, memory, SIZE_B), CL_SUCCESS);
	stream_wait(stream);
	CHECK(back[0] == 77 && back[SIZE_B - 1] == 77);
	for (unsigned i = 0; i < GPU_SLOTS; i++)
		gpu_slot_release(first(), slots[i], NULL);
	CHECK(gpu_transfer_has_room(first(), 1));
	gpu_memory_free(first(), memory, NULL, 0);
	gpu_stream_release(stream);
	free(bytes);
	free(back);
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
			err = gpu_sink_copy_rect(gpu_into(stream), b, &to, a, &from, region);
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

/* Memory of a pool that is open goes as the device's own, all other memory as CUDA's peers do. */
static void peer_is_copied_from(bool open)
{
	uint32_t value = 654321, got[2] = {0, 0};
	gpu_address there = 0;
	struct gpu_stream *stream = stream_new(), *over_there;
	const gpu_address here = memory_new(8);
	REQUIRE(!gpu_memory_alloc(devices[1], 4, &there));
	REQUIRE(!gpu_stream_acquire(devices[1], 0, &over_there));
	CHECK_EQ(gpu_copy_to_device(over_there, there, &value, 4), CL_SUCCESS);
	stream_wait(over_there);
	const uint64_t peers = soft_calls("cuMemcpyPeerAsync"),
		       own = soft_calls("cuMemcpyDtoDAsync_v2");
	CHECK_EQ(gpu_copy_from_peer(stream, here, there, devices[1], true, 4), CL_SUCCESS);
	if (gpu_device_caps(first())->software) {
		CHECK_EQ(soft_calls("cuMemcpyPeerAsync") - peers, !open);
		CHECK_EQ(soft_calls("cuMemcpyDtoDAsync_v2") - own, open);
	}
	CHECK_EQ(gpu_copy_from_peer(stream, here + 4, there, devices[1], false, 4), CL_SUCCESS);
	if (gpu_device_caps(first())->software)
		CHECK_EQ(soft_calls("cuMemcpyPeerAsync") - peers, !open + 1);
	CHECK_EQ(gpu_copy_to_host(stream, got, here, 8), CL_SUCCESS);
	stream_wait(stream);
	CHECK(got[0] == value && got[1] == value);
	gpu_memory_free(first(), here, NULL, 0);
	gpu_memory_free(devices[1], there, NULL, 0);
	gpu_stream_release(stream);
	gpu_stream_release(over_there);
}

/* Whether softcuda's devices reach each other is up to CULVERT_SOFT_SCHED and the machine: under WSL 2, they do not. */
static void peers_open(void)
{
	if (device_count < 2)
		SKIP("fewer than two devices");
	CHECK_EQ(gpu_device_use(devices[1]), CL_SUCCESS);
	const bool open = gpu_peer_open(first(), devices[1]);
	CHECK_EQ(gpu_peer_open(devices[1], first()), open);
	CHECK(!gpu_peer_open(first(), first()));
	const char *schedule = getenv("CULVERT_SOFT_SCHED"), *machine = getenv("CULVERT_SOFT_MACHINE");
	if (gpu_device_caps(first())->software)
		CHECK_EQ(open, (!schedule || !strstr(schedule, "peer:")) && (!machine || strcmp(machine, "wsl")));
	peers_copy();
	peer_is_copied_from(open);
}

/* Parts of large copies are whole pages, of each size that Linux has, and fit into a slot. */
static void parts_are_pages(void)
{
	static const uint64_t pages_B[] = {4096, 16384, 65536};
	for (size_t p = 0; p < sizeof(pages_B) / sizeof(pages_B[0]); p++)
		for (uint64_t size_B = 1 << 20; size_B < 64 << 20; size_B += size_B / 3 + 1) {
			const uint64_t part_B = gpu_pageable_part_B(size_B, pages_B[p]);
			CHECK(part_B && part_B % pages_B[p] == 0 && part_B <= GPU_SLOT_B);
			CHECK(part_B == GPU_SLOT_B || 8 * part_B >= size_B);
		}
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

static void memory_of_all_kinds(void)
{
	memory_comes_and_goes();
	host_memory_is_pinned();
	threads_work_at_once();
}

static CUresult refuse_record(CUevent cu_event, CUstream cu_stream)
{
	(void)cu_event, (void)cu_stream;
	return CUDA_ERROR_UNKNOWN;
}

static void nothing(void)
{
}

/* The words of grids' barriers: their fill is still to come when its witness fails. The stream
 * as a whole is waited for then. */
static void words_are_filled(void)
{
	CUresult (*record)(CUevent, CUstream) = cuda.cuEventRecord;
	cuda.cuEventRecord = refuse_record;
	CHECK_EQ(gpu_barriers_wait_ready(first()), CL_SUCCESS);
	cuda.cuEventRecord = record;
	CHECK_EQ(gpu_barriers_wait_ready(first()), CL_SUCCESS);
	CHECK_EQ(gpu_device_status(first()), CL_SUCCESS);
}

static void memory_that_is_written_is_not_freed(void)
{
	REQUIRE(!setenv("CULVERT_SOFT_SCHED", "hold:memset", 1));
	run_in_child(nothing, words_are_filled);
	unsetenv("CULVERT_SOFT_SCHED");
}

static void memory_without_pools(void)
{
	run_without_pools(memory_of_all_kinds);
}

static void the_current_context_stays(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	run_under_a_context(memory_of_all_kinds);
}

static void everything_ends(void)
{
	if (none_here())
		SKIP("no CUDA driver");
	gpu_module_unload(module, NULL, 0);
	bytes_finish(&binary);
}

static const struct test_case cases[] = {
	TEST(memory_that_is_written_is_not_freed),
	TEST(memory_without_pools),
	TEST(devices_are_found),
	TEST(slots_are_pinned_once),
	TEST(code_is_assembled_and_loaded),
	TEST(memory_comes_and_goes),
	TEST(freed_memory_leaves_the_process),
	TEST(small_blocks_cost_no_question),
	TEST(large_blocks_come_again),
	TEST(host_memory_is_pinned),
	TEST(windows_are_pinned_in_part),
	TEST(staged_copies_are_exact),
	TEST(copies_are_exact),
	TEST(boxes_are_exact),
	TEST(fills_are_exact),
	TEST(peers_copy),
	TEST(peers_open), TEST(parts_are_pages),
	TEST(threads_work_at_once),
	TEST(the_current_context_stays),
	TEST(everything_ends),
};

int main(void)
{
	/* Also where there are few cores. */
	setenv("CULVERT_COPY_THREADS", "4", 1);
	return run_gpu_tests(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
