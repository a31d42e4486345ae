/* Profiling stamps over hours of uptime: in order, and below 1 us of error (the ordering
 * design's extra (a)).  cuEventElapsedTime gives floats of milliseconds: 9 s away they are
 * 1 us apart, an hour away 250 us.
 *
 * The software device's clock is virtual here, and this program's clock_gettime follows it:
 * an hour passes at once, an operation takes what the schedule says, and what a stamp ought
 * to be is known to the nanosecond. */
#include "config.h"

#include "tests/api/fixture.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	KERNEL_NS = 102000,                  /* clock:100us, and 1 us, and 1 for the record */
	LONG_KERNEL_NS = 30002000,           /* clock:30ms */
	MOST_ERROR_NS = 1000,
	RECORD_NS = 1000,                    /* what a record takes of the device's time */
	OWN_RECORDS = 4,                     /* the driver's, when it looks at the clocks */
	ROUNDS = 2000, BACKLOG = 3000
};

static const uint64_t ms = 1000000, hour_ns = 3600000000000u;

static struct {
	int (*schedule)(const char *items);
	void (*let_go)(void);
	uint64_t (*clock)(uint64_t pass_ns);
	uint64_t (*calls)(const char *pattern);
} soft;

/* --- the host's clock ------------------------------------------------------------------------ */

static struct {
	atomic_bool follows;                 /* the device's clock */
	uint64_t host_ns, device_ns;         /* what they showed when it began to */
	double rate;                         /* host ns per device ns from there on */
} host;

static uint64_t real_now_ns(clockid_t id, struct timespec *now_out)
{
	if (syscall(SYS_clock_gettime, id, now_out))
		return 0;
	return (uint64_t)now_out->tv_sec * 1000000000u + (uint64_t)now_out->tv_nsec;
}

static uint64_t host_now_ns(void)
{
	return host.host_ns + (uint64_t)((double)(soft.clock(0) - host.device_ns) * host.rate);
}

/* In the place of the C library's, for the driver as well. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now_out)
{
	if (id != CLOCK_MONOTONIC || !atomic_load(&host.follows))
		return (int)syscall(SYS_clock_gettime, id, now_out);
	const uint64_t now_ns = host_now_ns();
	now_out->tv_sec = (time_t)(now_ns / 1000000000u);
	now_out->tv_nsec = (long)(now_ns % 1000000000u);
	return 0;
}

/* From now on; never back. */
static void host_follow(double rate)
{
	struct timespec now;
	host.host_ns = atomic_load(&host.follows) ? host_now_ns() :
		       real_now_ns(CLOCK_MONOTONIC, &now);
	host.device_ns = soft.clock(0);
	host.rate = rate;
	atomic_store(&host.follows, true);
}

/* --- what is looked at ----------------------------------------------------------------------- */

struct work {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;              /* with profiling */
	cl_kernel kernel;
};

struct stamps {
	cl_ulong queued, submit, start, end;
};

static bool near(uint64_t is, uint64_t wanted, uint64_t most)
{
	const uint64_t apart = is > wanted ? is - wanted : wanted - is;
	if (apart <= most)
		return true;
	printf("%llu ns: %llu off\n", (unsigned long long)is, (unsigned long long)apart);
	return false;
}

static void stamps_read(cl_event event, struct stamps *stamps)
{
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED, sizeof(cl_ulong),
					 &stamps->queued, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_SUBMIT, sizeof(cl_ulong),
					 &stamps->submit, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(cl_ulong),
					 &stamps->start, NULL));
	CHECK_OK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(cl_ulong),
					 &stamps->end, NULL));
	CHECK(stamps->queued <= stamps->submit && stamps->submit <= stamps->start &&
	      stamps->start <= stamps->end);
}

static cl_event launch_work(const struct work *work)
{
	const size_t one = 1;
	cl_event event = NULL;
	launch_1d_after(work->queue, work->kernel, one, 0, NULL, &event);
	return event;
}

/* A kernel now and then: with pauses of up to 4 s, and longer ones, more than an hour in all.
 * The clock stands still when its end is recorded.  until_settled rounds may be off by what
 * the two clocks have not agreed upon yet. */
static void now_and_then(const struct work *work, unsigned until_settled)
{
	static const uint64_t long_pauses_s[] = {11, 60, 600, 3600};
	const uint64_t begin_ns = soft.clock(0);
	uint64_t before_ns = 0;
	for (unsigned i = 0; i < ROUNDS && !api_test_failures; i++) {
		struct stamps stamps;
		cl_event event = launch_work(work);
		CHECK_OK(clWaitForEvents(1, &event));
		const uint64_t now_ns = host_now_ns();
		stamps_read(event, &stamps);
		if (i >= until_settled) {
			CHECK(near(stamps.end - stamps.start, KERNEL_NS, MOST_ERROR_NS));
			CHECK(near(stamps.end, now_ns, MOST_ERROR_NS));
		}
		CHECK(stamps.start >= before_ns);
		before_ns = stamps.end;
		CHECK_OK(clReleaseEvent(event));
		(void)soft.clock((i * 7919 % 4000) * ms);
		if (i % 400 == 399)
			(void)soft.clock(long_pauses_s[i / 400 % 4] * 1000 * ms);
	}
	CHECK(soft.clock(0) - begin_ns > hour_ns);
}

/* Many kernels at once, that take a minute and a half; nobody waits but at the end, or only
 * asks.  From the end of one to the end of the next a kernel passes, and records: of both its
 * ends, and of the driver's own.  All but the first few share one with the kernel before. */
static void backlog(const struct work *work, bool ask)
{
	static cl_event events[BACKLOG];
	const uint64_t own_ns = OWN_RECORDS * RECORD_NS / 2;
	struct stamps stamps = {0, 0, 0, 0}, before = stamps;
	const uint64_t records = soft.calls("cuEventRecord");
	for (unsigned i = 0; i < BACKLOG; i++)
		events[i] = launch_work(work);
	CHECK(soft.calls("cuEventRecord") - records < BACKLOG + BACKLOG / 10);
	soft.let_go();
	cl_int status = CL_QUEUED;
	while (ask && status > CL_COMPLETE &&
	       CHECK_OK(clGetEventInfo(events[BACKLOG - 1], CL_EVENT_COMMAND_EXECUTION_STATUS,
				       sizeof(status), &status, NULL)))
		;
	CHECK_OK(clFinish(work->queue));
	const uint64_t now_ns = host_now_ns();
	for (unsigned i = 0; i < BACKLOG; i++) {
		const unsigned failures = api_test_failures;
		stamps_read(events[i], &stamps);
		CHECK(near(stamps.end - stamps.start, LONG_KERNEL_NS + own_ns, MOST_ERROR_NS + own_ns));
		CHECK(!i || stamps.start >= before.end);
		CHECK(!i || near(stamps.start, before.end, MOST_ERROR_NS + RECORD_NS + own_ns));
		CHECK(!i || near(stamps.end - before.end, LONG_KERNEL_NS + RECORD_NS / 2 + own_ns,
				 MOST_ERROR_NS + RECORD_NS / 2 + own_ns));
		before = stamps;
		CHECK_OK(clReleaseEvent(events[i]));
		if (api_test_failures != failures) {
			printf("kernel %u of a backlog\n", i);
			return;
		}
	}
	CHECK(near(stamps.end, now_ns, 3 * MOST_ERROR_NS));
}

/* A kernel that stands behind others of its queue, and waits for one of another queue: what it
 * waits is no part of it. */
static void waits_for_another(const struct work *work)
{
	enum { AHEAD = 8 };
	struct work other = *work;
	struct stamps stamps, waited_for;
	cl_event ahead[AHEAD], far[AHEAD], last = NULL;
	const size_t one = 1;
	other.queue = queue_make(work->context, work->device, CL_QUEUE_PROFILING_ENABLE);
	for (unsigned i = 0; i < AHEAD; i++)
		ahead[i] = launch_work(work);
	for (unsigned i = 0; i < AHEAD; i++)
		far[i] = launch_work(&other);
	launch_1d_after(work->queue, work->kernel, one, 1, &far[AHEAD - 1], &last);
	soft.let_go();
	CHECK_OK(clWaitForEvents(1, &last));
	stamps_read(last, &stamps);
	stamps_read(far[AHEAD - 1], &waited_for);
	CHECK(stamps.start >= waited_for.end);
	CHECK(near(stamps.end - stamps.start, LONG_KERNEL_NS, MOST_ERROR_NS + OWN_RECORDS * RECORD_NS));
	for (unsigned i = 0; i < AHEAD; i++) {
		CHECK_OK(clReleaseEvent(ahead[i]));
		CHECK_OK(clReleaseEvent(far[i]));
	}
	CHECK_OK(clReleaseEvent(last));
	CHECK_OK(clReleaseCommandQueue(other.queue));
}

static bool soft_find(void)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbols[4] = {NULL, NULL, NULL, NULL};
	if (library) {
		symbols[0] = dlsym(library, "culvert_soft_schedule");
		symbols[1] = dlsym(library, "culvert_soft_let_go");
		symbols[2] = dlsym(library, "culvert_soft_clock");
		symbols[3] = dlsym(library, "culvert_soft_calls");
	}
	memcpy(&soft.schedule, &symbols[0], sizeof(void *));
	memcpy(&soft.let_go, &symbols[1], sizeof(void *));
	memcpy(&soft.clock, &symbols[2], sizeof(void *));
	memcpy(&soft.calls, &symbols[3], sizeof(void *));
	return symbols[0] && symbols[1] && symbols[2] && symbols[3];
}

static void stamps_all(const struct work *work)
{
	CHECK(!soft.schedule("clock:100us"));
	host_follow(1);
	now_and_then(work, 0);
	CHECK(!soft.schedule("clock:30ms,keep:held"));
	backlog(work, false);
	CHECK(!soft.schedule("clock:30ms,keep:held"));
	backlog(work, true);
	CHECK(!soft.schedule("clock:30ms,keep:held"));
	waits_for_another(work);
	/* Crystals differ: the host's is fast by 40 ppm now. */
	CHECK(!soft.schedule("clock:100us"));
	host_follow(1.00004);
	now_and_then(work, ROUNDS / 8);
}

int main(void)
{
	struct api_test test;
	struct work work;
	cl_int code;
	if (!api_test_start(&test, "tests/stress/hours"))
		return API_TEST_SKIP;
	if (!soft_find()) {
		printf("SKIP: not the software device, whose clock can be moved\n");
		return API_TEST_SKIP;
	}
	cl_program program = api_test_build(test.context, test.device, "kernel void held() {}", "");
	if (!program)
		return api_test_end(&test);
	work.context = test.context;
	work.device = test.device;
	work.kernel = kernel_make(program, "held");
	work.queue = clCreateCommandQueue(test.context, test.device, CL_QUEUE_PROFILING_ENABLE,
					  &code);
	if (CHECK_OK(code))
		stamps_all(&work);
	CHECK_OK(clReleaseCommandQueue(work.queue));
	CHECK_OK(clReleaseKernel(work.kernel));
	CHECK_OK(clReleaseProgram(program));
	return api_test_end(&test);
}
