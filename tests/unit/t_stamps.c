/* icd/order/stamps.h: a command starts when the one before it ends only as long as the GPU has
 * had enough to do.  On the software device, whose fills are kept from running. */
#include "config.h"

#include "base/clock.h"
#include "icd/order/stamps.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	struct gpu_device *device;           /* NULL: not the software device */
	struct gpu_stream *stream;
	gpu_address memory;
	int (*schedule)(const char *items);
	void (*let_go)(void);
	uint64_t (*calls)(const char *pattern);
	int (*synchronize)(void);
} soft;

static void soft_is_found(void)
{
	struct gpu_device *const *devices;
	uint32_t count;
	REQUIRE(!gpu_devices(&devices, &count));
	if (!count || !gpu_device_caps(devices[0])->software)
		SKIP("not the software device");
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	REQUIRE(library);
	void *symbols[] = {
		dlsym(library, "culvert_soft_schedule"), dlsym(library, "culvert_soft_let_go"),
		dlsym(library, "culvert_soft_calls"), dlsym(library, "cuCtxSynchronize"),
	};
	memcpy(&soft.schedule, &symbols[0], sizeof(void *));
	memcpy(&soft.let_go, &symbols[1], sizeof(void *));
	memcpy(&soft.calls, &symbols[2], sizeof(void *));
	memcpy(&soft.synchronize, &symbols[3], sizeof(void *));
	REQUIRE(soft.schedule && soft.let_go && soft.calls && soft.synchronize);
	REQUIRE(!gpu_stream_acquire(devices[0], 0, &soft.stream));
	REQUIRE(!gpu_memory_alloc(devices[0], 256, &soft.memory));
	soft.device = devices[0];
}

static void fill(void)
{
	const uint32_t zero = 0;
	CHECK_EQ(gpu_fill(soft.stream, soft.memory, &zero, sizeof(zero), 256), CL_SUCCESS);
}

static void command(struct ocl_stamps *stamps)
{
	struct gpu_event *end = NULL;
	fill();
	REQUIRE(!gpu_event_record(soft.stream, true, &end));
	ocl_stamps_add(stamps, end);
	gpu_event_unref(end);
}

static struct gpu_event *newest(const struct ocl_stamps *stamps)
{
	return stamps->ends[(stamps->next + OCL_STAMPS_KEPT - 1) % OCL_STAMPS_KEPT];
}

static void is_given(struct ocl_stamps *stamps, bool wanted)
{
	struct gpu_event *start = ocl_stamps_start(stamps, soft.stream);
	CHECK(start == (wanted ? newest(stamps) : NULL));
	gpu_event_unref(start);
}

static void sleep_ns(long ns)
{
	const struct timespec time = {0, ns};
	nanosleep(&time, NULL);
}

/* All is done, behind the platform's back: nobody has asked for events. */
static void finish_unseen(void)
{
	struct gpu_scope scope;
	REQUIRE(!gpu_enter(soft.device, &scope));
	CHECK_EQ(soft.synchronize(), 0);
	gpu_leave(&scope);
}

static void the_end_before_counts_where_the_gpu_is_busy(void)
{
	struct ocl_stamps stamps = {0};
	if (!soft.device)
		SKIP("not the software device");
	REQUIRE(!soft.schedule("keep:memset"));
	is_given(&stamps, false);
	for (unsigned i = 1; i <= OCL_STAMPS_KEPT; i++) {
		command(&stamps);
		is_given(&stamps, i == OCL_STAMPS_KEPT);
	}
	/* What stands between has a length of its own. */
	fill();
	is_given(&stamps, false);
	command(&stamps);
	is_given(&stamps, true);
	/* As has what others may have put there. */
	(void)gpu_stream_cuda(soft.stream);
	is_given(&stamps, false);
	soft.let_go();
	CHECK_EQ(gpu_stream_drain(soft.stream), CL_SUCCESS);
	ocl_stamps_finish(&stamps);
	gpu_stream_release(soft.stream);
	REQUIRE(!gpu_stream_acquire(soft.device, -1, &soft.stream));
}

static void the_gpu_is_not_asked_without_end(void)
{
	struct ocl_stamps stamps = {0};
	if (!soft.device)
		SKIP("not the software device");
	REQUIRE(!soft.schedule(""));
	for (unsigned i = 0; i < OCL_STAMPS_KEPT; i++)
		command(&stamps);
	finish_unseen();
	const uint64_t asked = soft.calls("cuEventQuery");
	is_given(&stamps, false);
	CHECK_EQ(soft.calls("cuEventQuery"), asked + 1);
	const unsigned unasked = stamps.unasked;
	CHECK(unasked >= OCL_STAMPS_KEPT && unasked <= 64);
	for (unsigned i = 0; i < unasked; i++)
		is_given(&stamps, false);
	CHECK_EQ(soft.calls("cuEventQuery"), asked + 1);
	REQUIRE(!soft.schedule("keep:memset"));
	for (unsigned i = 0; i < OCL_STAMPS_KEPT; i++)
		command(&stamps);
	is_given(&stamps, true);
	soft.let_go();
	CHECK_EQ(gpu_stream_drain(soft.stream), CL_SUCCESS);
	ocl_stamps_finish(&stamps);
}

static void who_was_slow_asks_again(void)
{
	struct ocl_stamps stamps = {0};
	if (!soft.device)
		SKIP("not the software device");
	REQUIRE(!soft.schedule("keep:memset"));
	for (unsigned i = 0; i < OCL_STAMPS_KEPT; i++)
		command(&stamps);
	struct gpu_event *start = ocl_stamps_start(&stamps, soft.stream);
	REQUIRE(start);
	fill();
	/* Slow, and the end before has not come: that is when it starts. */
	sleep_ns(1000000);
	CHECK_EQ(ocl_stamps_arrived_ns(&stamps, start), 0);
	/* It has come: when, seen from here, cannot be told. */
	soft.let_go();
	CHECK_EQ(gpu_stream_drain(soft.stream), CL_SUCCESS);
	const uint64_t before_ns = host_now_ns();
	const uint64_t arrived_ns = ocl_stamps_arrived_ns(&stamps, start);
	CHECK(arrived_ns >= before_ns && arrived_ns <= host_now_ns());
	gpu_event_unref(start);
	ocl_stamps_finish(&stamps);
	gpu_memory_free(soft.device, soft.memory, NULL, 0);
	gpu_stream_release(soft.stream);
}

static const struct test_case cases[] = {
	TEST(soft_is_found),
	TEST(the_end_before_counts_where_the_gpu_is_busy),
	TEST(the_gpu_is_not_asked_without_end),
	TEST(who_was_slow_asks_again),
};

int main(void)
{
	/* This program lies elsewhere than the libraries of the build. */
	static const char built[] = "./libculvert-softcuda.so";
	if (!access(built, R_OK))
		setenv("CULVERT_CUDA", built, 1);
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
