/* Protects: transfers that still write the application's memory (icd/memory/host_writes.h): while one of them may
 * be to come nobody is told that there is none, and when all have happened everybody is.
 *
 * Seen to fail with each of these mistakes in host_writes.c: a later write of a stream does not replace its
 * earlier one; a write is dropped when the array grows, or when one before it has happened; none is ever
 * forgotten. */
#include "config.h"

#include "icd/memory/host_writes.h"

#include "tests/unit/fake_gpu.h"

enum { STREAMS = 20, STEPS = 300, SEEDS = 200 };

static void sequence(uint64_t seed)
{
	struct ocl_host_writes writes;
	struct gpu_stream *streams[STREAMS];
	uint64_t noted[STREAMS] = {0};
	fake_gpu_start(seed);
	REQUIRE(!ocl_host_writes_init(&writes));
	CHECK(!ocl_host_writes_are_pending(&writes));
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK_EQ(gpu_stream_acquire(&fake_gpu.devices[0], 0, &streams[i]), CL_SUCCESS);
	for (unsigned i = 0; i < STEPS; i++) {
		const struct fake_op nothing = {0};
		const unsigned at = (unsigned)fake_gpu_random(STREAMS);
		bool pending = false;
		fake_gpu_put(streams[at], &nothing);
		if (fake_gpu_random(2)) {
			ocl_host_writes_note(&writes, streams[at]);
			noted[at] = streams[at]->last;
		}
		for (uint64_t k = fake_gpu_random(4); k > 0; k--)
			(void)fake_gpu_step();
		fake_gpu_tell(streams[at]);
		for (unsigned k = 0; k < STREAMS; k++)
			pending = pending || streams[k]->done < noted[k];
		/* The driver answers for whole streams: it may be late. */
		CHECK(ocl_host_writes_are_pending(&writes) || !pending);
	}
	fake_gpu_finish();
	CHECK(!ocl_host_writes_are_pending(&writes));
	ocl_host_writes_finish(&writes);
}

static void random_sequences(void)
{
	for (uint64_t seed = 0; seed < SEEDS && !test_failures; seed++)
		sequence(seed);
}

TEST_MAIN(TEST(random_sequences))
