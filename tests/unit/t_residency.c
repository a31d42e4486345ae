/* Protects: the protocol at the head of icd/memory/residency.h: whatever commands of several devices and of
 * the host do with the ranges of a storage, each finds the newest bytes, if the application has ordered
 * those that touch the same bytes.  Random programs on the fake GPU, whose operations run in any order that
 * the module's edges allow, beside one array that the program's order changes.
 *
 * Seen to fail with each of these mistakes in residency.c, residency_afar.c and residency_shadow.c: a copy does
 * not wait for the copy that filled its source, for its source's writer, or for those that still read its
 * target; a copy is not noted as the fill, or goes on unknown where no event could be recorded behind it; a
 * command that updates bytes does not have them fetched; a write is published although it was not put into
 * the stream, or its bytes not fetched, or is not published; a copy of ours undoes a command that overwrites
 * all beside it; joined segments are valid where they are not, are joined before all users are done, or under
 * a command that is not committed; a commit keeps its hold; the shadow is not filled before the host reads, is
 * not behind the copies of it, or is not the newest when the host has written; what one device wrote before
 * the first map is forgotten; memory is freed before its users are done, those that copy out of it among
 * them; a copy out reads from where the bytes are not, or a box from one place where it lies in two. */
#include "config.h"

#include "icd/memory/residency.h"

#include "tests/unit/fake_gpu_memory.h"

enum {
	CELLS = 24,
	STREAMS = 3,
	COMMANDS = 160,
	SEEDS = 60,
	PIECES_MAX = 64,			   /* more are joined */
	LARGE_B = OCL_STORAGE_WINDOW_B + (1 << 20) /* whose shadow is a window */
};

/* One of the storages that a program is run on. */
struct kind {
	uint32_t devices;
	bool large, image;
	enum ocl_content content;
	bool pinned; /* the application's memory, if it is shared */
};

/* A command that has been given to a stream: what comes after it waits for done. */
struct known {
	struct gpu_event *done;
	uint32_t lo, hi;
	bool writes;
	unsigned group; /* commands of one group touch different cells; 0: none */
};

static struct {
	const struct kind *kind;
	struct ocl_storage *storage;
	struct _cl_context context;
	struct gpu_device *gpus[FAKE_DEVICES];
	struct gpu_stream *streams[FAKE_DEVICES][STREAMS];
	uint64_t size_B, stride_B;
	uint32_t newest[CELLS]; /* 0: undefined */
	uint32_t values;
	unsigned groups;
	bool may_fail, maps; /* maps: the host takes part */
	struct known known[8 * COMMANDS];
	unsigned count;
	void *given;	    /* the application's memory */
	bool given_is_ours; /* to be freed here */
} program;

/* --- commands as operations -------------------------------------------------------------------- */

/* What an operation does with cells of memory whose first byte is that of cell lo. */
struct work {
	unsigned char *bytes;
	uint32_t lo, hi;
	bool reads, writes;
	bool touched[CELLS];
	uint32_t expected[CELLS], fresh[CELLS];
};

static void cells_check(const struct work *work)
{
	for (uint32_t i = work->lo; i < work->hi; i++) {
		uint32_t value;
		memcpy(&value, work->bytes + (i - work->lo) * program.stride_B, sizeof(value));
		if (work->touched[i] && work->expected[i])
			CHECK_EQ(value, work->expected[i]);
	}
}

static void cells_write(const struct work *work)
{
	for (uint32_t i = work->lo; i < work->hi; i++)
		if (work->touched[i])
			memcpy(work->bytes + (i - work->lo) * program.stride_B, &work->fresh[i],
			       sizeof(work->fresh[i]));
}

static void work_run(const struct fake_op *op)
{
	struct work *work = op->data;
	CHECK(fake_gpu_may_touch(work->bytes, (work->hi - work->lo - 1) * program.stride_B + 4));
	if (work->reads)
		cells_check(work);
	if (work->writes)
		cells_write(work);
	free(work);
}

static struct work *work_make(uint32_t lo, uint32_t hi, enum ocl_access_mode mode,
			      const bool *touched)
{
	struct work *work = calloc(1, sizeof(*work));
	if (!work)
		abort();
	work->lo = lo;
	work->hi = hi;
	work->reads = mode & OCL_ACCESS_READ;
	work->writes = mode & OCL_ACCESS_WRITE;
	for (uint32_t i = lo; i < hi; i++) {
		work->touched[i] = touched ? touched[i]
					   : mode != OCL_ACCESS_UPDATE || fake_gpu_random(2);
		work->expected[i] = program.newest[i];
	}
	return work;
}

/* The operation is in its stream: it happens. */
static void work_happens(struct work *work)
{
	for (uint32_t i = work->lo; work->writes && i < work->hi; i++)
		if (work->touched[i])
			program.newest[i] = work->fresh[i] = ++program.values;
}

/* --- what the application orders ------------------------------------------------------------------ */

static bool conflict(const struct known *known, uint32_t lo, uint32_t hi, bool writes,
		     unsigned group)
{
	return known->lo < hi && lo < known->hi && (known->writes || writes) &&
	       !(group && known->group == group);
}

static void order_behind(struct gpu_stream *stream, uint32_t lo, uint32_t hi, bool writes,
			 unsigned group)
{
	for (unsigned i = 0; i < program.count; i++)
		if (conflict(&program.known[i], lo, hi, writes, group))
			CHECK_EQ(gpu_stream_wait_event(stream, program.known[i].done), CL_SUCCESS);
}

static void remember(struct gpu_stream *stream, uint32_t lo, uint32_t hi, bool writes,
		     unsigned group)
{
	struct known *known = &program.known[program.count++];
	*known = (struct known){NULL, lo, hi, writes, group};
	CHECK_EQ(gpu_event_record(stream, false, &known->done), CL_SUCCESS);
}

/* --- commands ----------------------------------------------------------------------------------------- */

static uint64_t offset_B(uint32_t cell)
{
	return cell == CELLS ? program.size_B : cell * program.stride_B;
}

static void range_choose(uint32_t *lo, uint32_t *hi)
{
	*lo = (uint32_t)fake_gpu_random(CELLS);
	*hi = *lo + 1 + (uint32_t)fake_gpu_random(CELLS - *lo);
	if (program.kind->image || !fake_gpu_random(8))
		*lo = 0, *hi = CELLS;
}

static const enum ocl_access_mode modes[] = {OCL_ACCESS_READ, OCL_ACCESS_WRITE, OCL_ACCESS_UPDATE};

/* Of the next calls of the driver one fails, sometimes. */
static void fail_sometimes(void)
{
	fake_gpu.fail_in = fake_gpu_random(12) ? 0 : 1 + (unsigned)fake_gpu_random(8);
	program.may_fail = fake_gpu.fail_in;
}

static void check_failure(cl_int error)
{
	CHECK(!error || (program.may_fail && !fake_gpu.fail_in));
	fake_gpu.fail_in = 0;
}

/* A command between its acquire and its commit. */
struct begun {
	struct ocl_acquired at;
	struct gpu_stream *stream;
	struct work *work; /* NULL: the acquire failed, and it is over */
	unsigned group;
};

/* touched: which cells of the range it touches; NULL: all, of an update any. */
static struct begun command_begin(uint32_t device, uint32_t lo, uint32_t hi,
				  enum ocl_access_mode mode, unsigned group, const bool *touched)
{
	struct begun begun = {.group = group};
	begun.stream = program.streams[device][fake_gpu_random(STREAMS)];
	order_behind(begun.stream, lo, hi, mode & OCL_ACCESS_WRITE, group);
	fail_sometimes();
	const cl_int error = ocl_storage_acquire(program.storage, device, begun.stream,
						 offset_B(lo), offset_B(hi), mode, &begun.at);
	check_failure(error);
	if (error)
		return begun;
	begun.work = work_make(lo, hi, mode, touched);
	begun.work->bytes = begun.at.array ? begun.at.array->block->bytes
					   : fake_bytes(begun.at.address);
	return begun;
}

/* Its operation is put into the stream, or is not: the driver refused it. */
static void command_end(struct begun *begun)
{
	struct work *work = begun->work;
	struct gpu_event *done = NULL;
	if (!work)
		return;
	const bool put = fake_gpu_random(10);
	if (put) {
		const struct fake_op op = {.run = work_run, .data = work};
		const uint32_t lo = work->lo, hi = work->hi;
		work_happens(work);
		fake_gpu_put(begun->stream, &op);
		remember(begun->stream, lo, hi, begun->at.mode & OCL_ACCESS_WRITE, begun->group);
		done = fake_gpu_random(2) ? program.known[program.count - 1].done : NULL;
	} else {
		free(work);
	}
	ocl_storage_commit(program.storage, &begun->at, put, done);
}

static uint32_t any_device(void)
{
	return (uint32_t)fake_gpu_random(program.kind->devices);
}

static void command(uint32_t lo, uint32_t hi, enum ocl_access_mode mode)
{
	struct begun begun = command_begin(any_device(), lo, hi, mode, 0, NULL);
	command_end(&begun);
}

static void command_any(void)
{
	uint32_t lo, hi;
	range_choose(&lo, &hi);
	command(lo, hi, modes[fake_gpu_random(3)]);
}

/* Two commands of one group in their threads: either may be the first to end. */
static void both_end(struct begun *a, struct begun *b)
{
	const bool swapped = fake_gpu_random(2);
	command_end(swapped ? b : a);
	command_end(swapped ? a : b);
}

/* Two kernels that nothing orders may touch the same range and touch different cells of it: of two that
 * write, on one device. */
static void command_pair(void)
{
	const enum ocl_access_mode second_mode = fake_gpu_random(2) ? OCL_ACCESS_UPDATE
								    : OCL_ACCESS_READ;
	const uint32_t device = any_device();
	const unsigned group = ++program.groups;
	bool even[CELLS], odd[CELLS];
	uint32_t lo, hi;
	range_choose(&lo, &hi);
	for (uint32_t i = 0; i < CELLS; i++)
		odd[i] = !(even[i] = i % 2 == 0);
	struct begun first = command_begin(device, lo, hi, OCL_ACCESS_UPDATE, group, even);
	if (fake_gpu_random(2)) {
		command_end(&first);
		first.work = NULL;
	}
	const uint32_t second_device = second_mode == OCL_ACCESS_READ ? any_device() : device;
	struct begun second = command_begin(second_device, lo, hi, second_mode, group, odd);
	both_end(&first, &second);
}

/* One that overwrites a range, and beside it one on the same device that may touch more, and touches none
 * of it. */
static void command_crossed(void)
{
	const uint32_t device = any_device();
	const unsigned group = ++program.groups;
	const enum ocl_access_mode mode = fake_gpu_random(2) ? OCL_ACCESS_UPDATE : OCL_ACCESS_READ;
	bool others[CELLS];
	uint32_t lo, hi;
	range_choose(&lo, &hi);
	for (uint32_t i = 0; i < CELLS; i++)
		others[i] = i < lo || i >= hi;
	struct begun first = command_begin(device, lo, hi, OCL_ACCESS_WRITE, group, NULL);
	const uint32_t more_lo = (uint32_t)fake_gpu_random(lo + 1);
	const uint32_t more_hi = hi + (uint32_t)fake_gpu_random(CELLS - hi + 1);
	struct begun second = command_begin(device, more_lo, more_hi, mode, group, others);
	both_end(&first, &second);
}

/* A copy to other memory of the device, from where the bytes are. */
static void copy_out(void)
{
	const uint32_t device = any_device();
	struct gpu_stream *stream = program.streams[device][fake_gpu_random(STREAMS)];
	struct ocl_acquired at;
	uint32_t lo, hi;
	if (!ocl_storage_copies_out(program.storage))
		return;
	range_choose(&lo, &hi);
	order_behind(stream, lo, hi, false, 0);
	struct fake_block *target = fake_block_take(offset_B(hi) - offset_B(lo));
	REQUIRE(target != NULL);
	REQUIRE(!ocl_storage_acquire(program.storage, device, stream, offset_B(lo), offset_B(hi),
				     OCL_ACCESS_AFAR, &at));
	fail_sometimes();
	cl_int error;
	if (fake_gpu_random(2)) {
		error = ocl_storage_copy_out(program.storage, &at,
					     (gpu_address)(uintptr_t)target->bytes);
	} else {
		const struct gpu_rect rect = {program.stride_B, 0, 0};
		const uint64_t region_B[3] = {sizeof(uint32_t), hi - lo, 1};
		const struct ocl_box_out box = {(gpu_address)(uintptr_t)target->bytes, &rect, &rect,
						region_B};
		error = ocl_storage_copy_box_out(program.storage, &at, &box);
	}
	check_failure(error);
	if (!error) {
		struct work *work = work_make(lo, hi, OCL_ACCESS_READ, NULL);
		work->bytes = target->bytes;
		const struct fake_op op = {.run = work_run, .data = work};
		fake_gpu_put(stream, &op);
		remember(stream, lo, hi, false, 0);
	}
	ocl_storage_commit(program.storage, &at, !error, NULL);
}

/* A map, what the host does, and the unmap; other commands' operations go on meanwhile. */
static void host_access(void)
{
	const enum ocl_access_mode mode = modes[fake_gpu_random(3)];
	const uint32_t device = any_device();
	struct gpu_stream *stream = program.streams[device][fake_gpu_random(STREAMS)];
	void *shadow = NULL;
	uint32_t lo, hi;
	if (program.kind->image || !program.maps)
		return;
	range_choose(&lo, &hi);
	order_behind(stream, lo, hi, mode & OCL_ACCESS_WRITE, 0);
	fail_sometimes();
	cl_int error = ocl_storage_shadow(program.storage, offset_B(lo), offset_B(hi), &shadow);
	if (!error)
		error = ocl_storage_host_acquire(program.storage, device, stream, offset_B(lo),
						 offset_B(hi), mode);
	check_failure(error);
	if (error)
		return;
	fake_gpu_reach(stream, stream->last);
	struct work *work = work_make(lo, hi, mode, NULL);
	work->bytes = (unsigned char *)shadow + offset_B(lo);
	work_happens(work);
	if (work->reads)
		cells_check(work);
	if (work->writes)
		cells_write(work);
	if (work->writes)
		CHECK_EQ(ocl_storage_host_commit(program.storage, offset_B(lo), offset_B(hi)),
			 CL_SUCCESS);
	free(work);
}

/* --- programs -------------------------------------------------------------------------------------------- */

static void content_make(void)
{
	const bool shared = program.kind->content == OCL_CONTENT_SHARE;
	program.given_is_ours = !(shared && program.kind->pinned);
	if (program.given_is_ours)
		program.given = malloc(program.size_B);
	else
		CHECK_EQ(gpu_host_alloc(&fake_gpu.devices[0], program.size_B, &program.given),
			 CL_SUCCESS);
	if (!program.given)
		abort();
	memset(program.given, 0, program.size_B);
	for (uint32_t i = 0; program.kind->content != OCL_CONTENT_UNDEFINED && i < CELLS; i++) {
		program.newest[i] = ++program.values;
		memcpy((unsigned char *)program.given + offset_B(i), &program.newest[i], 4);
	}
}

static cl_int storage_create(void)
{
	const struct ocl_texels texels = {
		.texel = {.channel = GPU_CHANNEL_UNSIGNED, .channel_B = 4, .channels = 1},
		.extent = {.width = CELLS},
	};
	const struct gpu_image_side from = {.host = program.given};
	if (program.kind->image)
		return ocl_storage_create_array(&program.context, &texels,
						program.kind->content ? &from : NULL,
						&program.storage);
	return ocl_storage_create(&program.context, program.size_B, program.kind->content,
				  program.given, false, &program.storage);
}

static void program_start(const struct kind *kind, uint64_t seed)
{
	memset(&program, 0, sizeof(program));
	fake_gpu_start(seed);
	program.kind = kind;
	program.maps = seed % 2;
	program.stride_B = kind->large ? LARGE_B / CELLS / 4 * 4 : kind->image ? 4 : 16;
	program.size_B = program.stride_B * CELLS;
	program.context.gpu_count = kind->devices;
	program.context.gpus = program.gpus;
	for (uint32_t i = 0; i < kind->devices; i++) {
		program.gpus[i] = &fake_gpu.devices[i];
		for (unsigned k = 0; k < STREAMS; k++)
			CHECK_EQ(
				gpu_stream_acquire(&fake_gpu.devices[i], 0, &program.streams[i][k]),
				CL_SUCCESS);
	}
	content_make();
}

/* The destroyer waits for what uses the shadow (mem.c); of device memory nobody has to. */
static void storage_end(void)
{
	if (program.storage->shadow) {
		struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
		ocl_storage_collect(program.storage, &witnesses);
		for (uint32_t i = 0; i < witnesses.count; i++)
			CHECK_EQ(gpu_event_wait(witnesses.events[i]), CL_SUCCESS);
		ocl_witnesses_finish(&witnesses);
	}
	ocl_storage_destroy(program.storage);
	fake_gpu_finish();
	for (unsigned i = 0; i < program.count; i++)
		gpu_event_unref(program.known[i].done);
	if (program.given_is_ours)
		free(program.given);
	CHECK_EQ(fake_gpu.events_live, 0);
	for (uint32_t i = 0; i < fake_gpu.block_count; i++)
		if (fake_gpu.blocks[i].freed)
			CHECK(fake_gpu.blocks[i].gone);
}

static void program_run(const struct kind *kind, uint64_t seed)
{
	static void (*const steps[])(void) = {command_any,  command_any,     command_any,
					      command_pair, command_crossed, copy_out,
					      host_access};
	program_start(kind, seed);
	REQUIRE(!storage_create());
	for (unsigned i = 0; i < COMMANDS && !test_failures; i++) {
		steps[fake_gpu_random(sizeof(steps) / sizeof(steps[0]))]();
		for (uint64_t k = fake_gpu_random(6); k > 0; k--)
			(void)fake_gpu_step();
		fake_gpu_tell(program.streams[fake_gpu_random(kind->devices)][0]);
	}
	storage_end();
}

static void programs_run(const struct kind *kind, unsigned seeds)
{
	for (uint64_t seed = 0; seed < seeds && !test_failures; seed++) {
		program_run(kind, seed);
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

static void undefined_at_first(void)
{
	programs_run(&(const struct kind){.devices = 3}, SEEDS);
}

static void copy_of_the_host(void)
{
	programs_run(&(const struct kind){.devices = 2, .content = OCL_CONTENT_COPY}, SEEDS);
}

static void one_device(void)
{
	programs_run(&(const struct kind){.devices = 1}, SEEDS / 2);
	programs_run(&(const struct kind){.devices = 1, .content = OCL_CONTENT_COPY}, SEEDS / 2);
}

static void pageable_of_the_host(void)
{
	programs_run(&(const struct kind){.devices = 2, .content = OCL_CONTENT_SHARE}, SEEDS);
}

static void pinned_of_the_host(void)
{
	programs_run(
		&(const struct kind){.devices = 2, .content = OCL_CONTENT_SHARE, .pinned = true},
		SEEDS);
}

static void image(void)
{
	programs_run(&(const struct kind){.devices = 3, .image = true, .content = OCL_CONTENT_COPY},
		     SEEDS);
}

static void window(void)
{
	programs_run(&(const struct kind){.devices = 2, .large = true}, 3);
}

/* More pieces than are kept: they are joined, and the newest bytes are where they were. */
static void many_pieces(void)
{
	static const struct kind kind = {.devices = 2};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		program_start(&kind, seed);
		/* A cell is too few for so many pieces: single bytes between them. */
		REQUIRE(!storage_create());
		for (unsigned i = 0; i < 4 * CELLS && !test_failures; i++) {
			const uint32_t cell = (uint32_t)fake_gpu_random(CELLS),
				       device = any_device();
			struct gpu_stream *stream =
				program.streams[device][fake_gpu_random(STREAMS)];
			struct ocl_acquired at;
			command(cell, cell + 1, OCL_ACCESS_WRITE);
			/* Bytes of no cell. */
			const uint64_t lo_B = offset_B(cell) + 5 + fake_gpu_random(3);
			order_behind(stream, cell, cell + 1, true, 0);
			REQUIRE(!ocl_storage_acquire(program.storage, device, stream, lo_B,
						     lo_B + 1, OCL_ACCESS_WRITE, &at));
			remember(stream, cell, cell + 1, true, 0);
			ocl_storage_commit(program.storage, &at, true, NULL);
			if (!fake_gpu_random(6))
				command_any();
			if (!fake_gpu_random(3))
				command_pair();
			if (!fake_gpu_random(6))
				command_crossed();
			(void)fake_gpu_step();
		}
		storage_end();
		if (test_failures)
			printf("  seed %llu\n", (unsigned long long)seed);
	}
}

/* A byte of its own, beyond the cell's value, written on a device by nobody in particular. */
static void piece_make(uint32_t device, uint32_t cell, uint32_t byte)
{
	struct gpu_stream *stream = program.streams[device][0];
	const uint64_t lo_B = offset_B(cell) + 4 + byte;
	struct ocl_acquired at;
	order_behind(stream, cell, cell + 1, true, 0);
	REQUIRE(!ocl_storage_acquire(program.storage, device, stream, lo_B, lo_B + 1,
				     OCL_ACCESS_WRITE, &at));
	remember(stream, cell, cell + 1, true, 0);
	ocl_storage_commit(program.storage, &at, true, NULL);
}

/* As many pieces as make the next command join them all: neighbours are on different devices. */
static void pieces_make(void)
{
	for (uint32_t cell = 2; cell < CELLS; cell++)
		for (uint32_t byte = 0; byte < 4 && program.storage->segment_count <= PIECES_MAX;
		     byte++)
			piece_make(byte % 2, cell, 2 * byte);
	CHECK(program.storage->segment_count > PIECES_MAX);
}

/* Two unordered kernels write on one device, and the next command, which has nothing to do with them, joins
 * the pieces on the other: what both wrote gets there. */
static void joined_behind_all(void)
{
	static const struct kind kind = {.devices = 2};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		const bool even[CELLS] = {true}, odd[CELLS] = {false, true};
		program_start(&kind, seed);
		REQUIRE(!storage_create());
		struct begun first = command_begin(0, 0, 2, OCL_ACCESS_UPDATE, 1, even);
		struct begun second = command_begin(0, 0, 2, OCL_ACCESS_UPDATE, 1, odd);
		both_end(&first, &second);
		pieces_make();
		piece_make(1, CELLS - 1, 3);
		CHECK(program.storage->segment_count < 8);
		struct begun reader = command_begin(1, 0, 2, OCL_ACCESS_READ, 0, NULL);
		command_end(&reader);
		storage_end();
	}
}

/* Nothing is joined under a command that has not been committed. */
static void not_joined_while_held(void)
{
	static const struct kind kind = {.devices = 2};
	program_start(&kind, 1);
	REQUIRE(!storage_create());
	struct begun held = command_begin(0, 0, 1, OCL_ACCESS_WRITE, 0, NULL);
	pieces_make();
	piece_make(1, CELLS - 1, 3);
	CHECK(program.storage->segment_count > PIECES_MAX);
	command_end(&held);
	piece_make(1, CELLS - 1, 3);
	CHECK(program.storage->segment_count < 8);
	struct begun reader = command_begin(1, 0, 1, OCL_ACCESS_READ, 0, NULL);
	command_end(&reader);
	storage_end();
}

/* Memory stays until a copy out of it is over, which another device's stream makes. */
static void freed_behind_copies(void)
{
	static const struct kind kind = {.devices = 2};
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++) {
		program_start(&kind, seed);
		REQUIRE(!storage_create());
		struct begun writer = command_begin(0, 0, CELLS, OCL_ACCESS_WRITE, 0, NULL);
		command_end(&writer);
		copy_out();
		storage_end();
	}
}

/* A device that is lost takes the bytes along that only it had, and nothing else. */
static void lost_device(void)
{
	static const struct kind kind = {.devices = 2, .content = OCL_CONTENT_COPY};
	struct ocl_acquired at;
	program_start(&kind, 1);
	REQUIRE(!storage_create());
	REQUIRE(!ocl_storage_acquire(program.storage, 0, program.streams[0][0], 0, offset_B(1),
				     OCL_ACCESS_WRITE, &at));
	ocl_storage_commit(program.storage, &at, true, NULL);
	fake_gpu_finish();
	fake_gpu.devices[0].status = CL_OUT_OF_RESOURCES;
	CHECK_EQ(ocl_storage_acquire(program.storage, 1, program.streams[1][0], 0, offset_B(1),
				     OCL_ACCESS_READ, &at),
		 CL_OUT_OF_RESOURCES);
	for (unsigned i = 0; i < program.count; i++)
		gpu_event_unref(program.known[i].done);
	program.count = 0;
	struct begun begun = command_begin(1, 1, CELLS, OCL_ACCESS_READ, 0, NULL);
	command_end(&begun);
	fake_gpu_finish();
	fake_gpu.devices[0].status = CL_SUCCESS;
	storage_end();
}

TEST_MAIN(TEST(undefined_at_first), TEST(copy_of_the_host), TEST(one_device),
	  TEST(pageable_of_the_host), TEST(pinned_of_the_host), TEST(image), TEST(window),
	  TEST(many_pieces), TEST(joined_behind_all), TEST(not_joined_while_held),
	  TEST(freed_behind_copies), TEST(lost_device))
