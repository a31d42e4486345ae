/* Protects: the ordering oracle and the schedules of softcuda.  A test of tests:
 * each program here exists twice, right and with one thing left out; on every
 * schedule the first gives no report, the second the expected one.
 *
 * Options are read once per process, so each program is a process of its own:
 * this file started again with the program's name. */
#include "config.h"

#include "softcuda/control.h"
#include "tests/unit/soft_setup.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 256, SIZE_B = COUNT * 4 };

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	/* data[from + i] = value, for i < 64 */
	".visible .entry put(.param .u64 data, .param .u32 from, .param .u32 value) {\n"
	".reg .b32 %r<6>; .reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [data]; ld.param.u32 %r1, [from]; ld.param.u32 %r2, [value];\n"
	"mov.u32 %r3, %tid.x; add.u32 %r3, %r3, %r1; mul.wide.u32 %d2, %r3, 4;\n"
	"add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r2; ret;\n}\n"
	/* data[0] += 1, by all, atomically */
	".visible .entry count(.param .u64 data, .param .u32 from, .param .u32 value) {\n"
	".reg .b32 %r<3>; .reg .b64 %d<2>;\n"
	"ld.param.u64 %d1, [data]; atom.global.add.u32 %r1, [%d1], 1; ret;\n}\n"
	/* the same, not atomically */
	".visible .entry add(.param .u64 data, .param .u32 from, .param .u32 value) {\n"
	".reg .b32 %r<3>; .reg .b64 %d<2>;\n"
	"ld.param.u64 %d1, [data]; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;\n"
	"st.global.u32 [%d1], %r1; ret;\n}\n";

static CUstream first, second;
static CUmodule module;
static CUdeviceptr data;

#define OK(call) CHECK_EQ(call, CUDA_SUCCESS)

static void launch(const char *name, CUstream stream, CUdeviceptr to, unsigned from, unsigned value)
{
	CUfunction function;
	void *arguments[] = {&to, &from, &value};
	OK(cuModuleGetFunction(&function, module, name));
	OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
}

static void prepare(void)
{
	CHECK(set_up());
	OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc(&data, SIZE_B));
	OK(cuMemsetD8(data, 0, SIZE_B));
	OK(cuCtxSynchronize());
}

/* --- the programs ------------------------------------------------------------------ */

static void one_wait(bool broken)
{
	CUevent event;
	unsigned out[64];
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	launch("put", first, data, 0, 5);
	OK(cuEventRecord(event, first));
	if (!broken)
		OK(cuStreamWaitEvent(second, event, 0));
	OK(cuMemcpyDtoHAsync(out, data, sizeof(out), second));
	OK(cuStreamSynchronize(second));
	if (!broken)
		CHECK_EQ(out[63], 5);
	OK(cuStreamSynchronize(first));
}

static void one_record(bool broken)
{
	CUevent event;
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuMemsetD32Async(data, 1, COUNT, first));
	if (!broken)
		OK(cuEventRecord(event, first));
	OK(cuStreamWaitEvent(second, event, 0));
	launch("put", second, data, 0, 5);
	OK(cuCtxSynchronize());
}

/* A wait that stands for an older record than was meant. */
static void record_again(bool broken)
{
	CUevent event;
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuEventRecord(event, first));
	launch("put", first, data, 0, 5);
	if (!broken)
		OK(cuEventRecord(event, first));
	OK(cuStreamWaitEvent(second, event, 0));
	launch("put", second, data, 0, 6);
	OK(cuCtxSynchronize());
}

/* Ordered through a third stream. */
static void two_steps(bool broken)
{
	CUstream third;
	CUevent event, other;
	OK(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&event, 0));
	OK(cuEventCreate(&other, 0));
	launch("put", first, data, 0, 1);
	OK(cuEventRecord(event, first));
	if (!broken)
		OK(cuStreamWaitEvent(third, event, 0));
	OK(cuEventRecord(other, third));
	OK(cuStreamWaitEvent(second, other, 0));
	launch("put", second, data, 0, 2);
	OK(cuCtxSynchronize());
	OK(cuStreamDestroy(third));
}

static void host_wait(bool broken)
{
	launch("put", first, data, 0, 1);
	if (!broken)
		OK(cuStreamSynchronize(first));
	launch("put", second, data, 0, 2);
	OK(cuCtxSynchronize());
}

static void host_question(bool broken)
{
	launch("put", first, data, 0, 1);
	while (cuStreamQuery(broken ? second : first) == CUDA_ERROR_NOT_READY)
		continue;
	launch("put", second, data, 0, 2);
	OK(cuCtxSynchronize());
}

static void staging(bool broken)
{
	char *stage;
	OK(cuMemAllocHost((void **)&stage, SIZE_B));
	memset(stage, 1, SIZE_B);
	OK(cuMemcpyHtoDAsync(data, stage, SIZE_B, first));
	if (!broken)
		OK(cuStreamSynchronize(first));
	memset(stage, 2, SIZE_B);
	OK(cuMemcpyHtoDAsync(data, stage, SIZE_B, first));
	OK(cuStreamSynchronize(first));
	OK(cuMemFreeHost(stage));
}

static void free_pinned(bool broken)
{
	void *stage;
	OK(cuMemAllocHost(&stage, SIZE_B));
	OK(cuMemcpyHtoDAsync(data, stage, SIZE_B, first));
	if (!broken)
		OK(cuStreamSynchronize(first));
	OK(cuMemFreeHost(stage));
	cuCtxSynchronize();
}

static void free_device(bool broken)
{
	CUdeviceptr other;
	OK(cuMemAlloc(&other, SIZE_B));
	OK(cuMemsetD8Async(other, 1, SIZE_B, first));
	if (!broken)
		OK(cuStreamSynchronize(first));
	OK(cuMemFree(other));
	cuCtxSynchronize();
}

/* Returns before the bytes are there, says CUDA, and a stream does not know. */
static void late_copy(bool broken)
{
	char bytes[SIZE_B];
	memset(bytes, 3, sizeof(bytes));
	OK(cuMemcpyHtoD(data, bytes, sizeof(bytes)));
	if (!broken)
		OK(cuStreamSynchronize(NULL));
	launch("put", first, data, 0, 2);
	OK(cuCtxSynchronize());
}

static void pool_alloc(bool broken)
{
	CUdeviceptr other;
	CUevent event;
	OK(cuEventCreate(&event, 0));
	launch("put", first, data, 0, 1);
	OK(cuMemAllocAsync(&other, SIZE_B, first));
	OK(cuEventRecord(event, first));
	if (!broken)
		OK(cuStreamWaitEvent(second, event, 0));
	OK(cuMemsetD8Async(other, 1, SIZE_B, second));
	OK(cuCtxSynchronize());
	OK(cuMemFreeAsync(other, second));
	OK(cuCtxSynchronize());
}

static void pool_free(bool broken)
{
	CUdeviceptr other;
	CUevent event;
	OK(cuEventCreate(&event, 0));
	OK(cuMemAllocAsync(&other, SIZE_B, first));
	OK(cuStreamSynchronize(first));
	launch("put", first, other, 0, 1);
	OK(cuEventRecord(event, first));
	if (!broken)
		OK(cuStreamWaitEvent(second, event, 0));
	OK(cuMemFreeAsync(other, second));
	cuCtxSynchronize();
}

/* Precise to the byte: neighbours are no conflict. */
static void halves(bool broken)
{
	launch("put", first, data, 0, 1);
	launch("put", second, data, broken ? 63 : 64, 2);
	OK(cuCtxSynchronize());
}

static void rectangles(bool broken)
{
	char out[2][SIZE_B];
	CUDA_MEMCPY2D copy = {
		.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = data, .srcPitch = 128,
		.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstPitch = 32, .WidthInBytes = 32,
		.Height = 8,
	};
	OK(cuMemAlloc(&copy.dstDevice, SIZE_B));
	OK(cuMemcpy2DAsync(&copy, first));
	OK(cuMemsetD2D8Async(data + (broken ? 31 : 32), 128, 7, 96, 7, second));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(out, data, SIZE_B));
}

static void atomics(bool broken)
{
	unsigned sum;
	launch(broken ? "add" : "count", first, data, 0, 0);
	launch("count", second, data, 0, 0);
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&sum, data, 4));
	if (!broken)
		CHECK_EQ(sum, 128);
}

/* The NULL stream and those that wait for it, or do not. */
static void null_stream(bool broken)
{
	CUstream stream;
	OK(cuStreamCreate(&stream, broken ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
	launch("put", stream, data, 0, 1);
	launch("put", NULL, data, 0, 2);
	launch("put", stream, data, 0, 3);
	OK(cuCtxSynchronize());
}

static void never_written(bool broken)
{
	uint32_t *flag;
	OK(cuMemAllocHost((void **)&flag, 4));
	*flag = 0;
	OK(cuStreamWaitValue32(first, (CUdeviceptr)(uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuMemsetD8Async(data, 1, SIZE_B, first));
	if (!broken)
		OK(cuStreamWriteValue32(second, (CUdeviceptr)(uintptr_t)flag, 1, 0));
	CHECK_EQ(cuStreamSynchronize(first), broken ? CUDA_ERROR_LAUNCH_TIMEOUT : CUDA_SUCCESS);
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
	OK(cuCtxSynchronize());
}

static const struct program {
	const char *name;
	void (*run)(bool broken);
	const char *expected;                /* in the report of the broken one */
	const char *also;                    /* items of the schedule it needs */
} programs[] = {
	{"one_wait", one_wait, "kernel put", ""},
	{"one_record", one_record, "never recorded", ""},
	{"one_record", one_record, "memset", ""},
	{"record_again", record_again, "kernel put", ""},
	{"two_steps", two_steps, "kernel put", ""},
	{"host_wait", host_wait, "kernel put", ""},
	{"host_question", host_question, "kernel put", "hold:put"},
	{"staging", staging, "wrote to the source of an asynchronous copy", "hold:HtoD"},
	{"free_pinned", free_pinned, "cuMemFreeHost frees memory", "sync:none"},
	{"free_device", free_device, "cuMemFree frees memory", "sync:none"},
	{"late_copy", late_copy, "copy HtoD", "late"},
	{"pool_alloc", pool_alloc, "cuMemAllocAsync", ""},
	{"pool_free", pool_free, "cuMemFreeAsync", ""},
	{"halves", halves, "bytes 252 to 255 of", ""},
	{"rectangles", rectangles, "bytes 31 to 31 of", ""},
	{"atomics", atomics, "bytes 0 to 3 of", ""},
	{"null_stream", null_stream, "kernel put", ""},
	{"never_written", never_written, "nothing makes progress", "stuck:300"},
};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* --- running them ------------------------------------------------------------------ */

struct outcome {
	int status;
	char report[65536], output[4096], log[65536];
};

static void read_file(const char *path, char *text, size_t capacity_B)
{
	FILE *file = fopen(path, "r");
	size_t size_B = file ? fread(text, 1, capacity_B - 1, file) : 0;
	text[size_B] = 0;
	if (file)
		fclose(file);
}

static void run(const char *program, const char *variant, const char *schedule,
		struct outcome *outcome)
{
	char report[] = "/tmp/t_soft_order-XXXXXX", output[] = "/tmp/t_soft_order-XXXXXX";
	char log[] = "/tmp/t_soft_order-XXXXXX";
	int report_fd = mkstemp(report), output_fd = mkstemp(output), log_fd = mkstemp(log);
	pid_t child = fork();
	if (!child) {
		setenv("CULVERT_SOFT_ORACLE", "1", 1);
		setenv("CULVERT_SOFT_SCHED", schedule, 1);
		setenv("CULVERT_SOFT_REPORT", report, 1);
		/* Their mistakes are races, of which softcuda alone is to tell. */
		if (!strcmp(variant, "broken"))
			setenv("TSAN_OPTIONS", "report_bugs=0", 1);
		dup2(output_fd, STDOUT_FILENO);
		if (getenv("CULVERT_DEBUG"))
			dup2(log_fd, STDERR_FILENO);
		execl("/proc/self/exe", "t_soft_order", program, variant, (char *)NULL);
		_exit(127);
	}
	outcome->status = -1;
	CHECK(child > 0 && waitpid(child, &outcome->status, 0) == child);
	read_file(report, outcome->report, sizeof(outcome->report));
	read_file(output, outcome->output, sizeof(outcome->output));
	read_file(log, outcome->log, sizeof(outcome->log));
	close(report_fd);
	close(output_fd);
	close(log_fd);
	unlink(report);
	unlink(output);
	unlink(log);
}

static const char *const schedules[] = {"", "seed:1", "seed:2", "seed:3", "pct:4:3"};

enum { SCHEDULES = sizeof(schedules) / sizeof(schedules[0]) };

static void check_program(const struct program *program, const char *schedule)
{
	static struct outcome right, broken;
	char items[128];
	snprintf(items, sizeof(items), "%s%s%s", schedule,
		 *schedule && *program->also ? "," : "", program->also);
	run(program->name, "right", items, &right);
	run(program->name, "broken", items, &broken);
	if (right.status || *right.report) {
		printf("%s on '%s': status %d\n%s%s", program->name, items, right.status,
		       right.output, right.report);
		test_failures++;
	}
	if (broken.status || !strstr(broken.report, program->expected)) {
		printf("%s, broken, on '%s': status %d, no report of '%s'\n%s%s", program->name,
		       items, broken.status, program->expected, broken.output, broken.report);
		test_failures++;
	}
}

static void each_found_on_each_schedule(void)
{
	for (int p = 0; p < PROGRAMS; p++)
		for (int s = 0; s < SCHEDULES; s++) {
			/* Nothing is stuck where nothing is put off. */
			if (!*schedules[s] && strstr(programs[p].also, "stuck"))
				continue;
			check_program(&programs[p], schedules[s]);
		}
}

/* Addresses differ from run to run. */
static void drop_addresses(char *text)
{
	char *to = text;
	for (const char *from = text; *from; *to++ = *from++)
		if (!strncmp(from, "0x", 2))
			from += 2 + strspn(from + 2, "0123456789abcdef");
	*to = 0;
}

/* Kernels as machine code give the same reports as interpreted ones.  A seed determines the order of operations for a
 * sequence of calls as long as none of them run because the thread is slow to make the next call (idle). */
static void same_from_machine_code(void)
{
	static struct outcome interpreted, compiled;
	const char *usual = getenv("CULVERT_SOFT_JIT");
	char items[128];
	int with_kernels = 0;
	for (int p = 0; p < PROGRAMS; p++) {
		const char *also = programs[p].also;
		snprintf(items, sizeof(items), "seed:1,idle:60000%s%s", *also ? "," : "", also);
		setenv("CULVERT_SOFT_JIT", "off", 1);
		run(programs[p].name, "broken", items, &interpreted);
		setenv("CULVERT_SOFT_JIT", "always", 1);
		setenv("CULVERT_DEBUG", "info", 1);
		run(programs[p].name, "broken", items, &compiled);
		unsetenv("CULVERT_DEBUG");
		with_kernels += strstr(compiled.log, "is compiled: ") || strstr(compiled.log, "is in the cache: ");
		drop_addresses(interpreted.report);
		drop_addresses(compiled.report);
		CHECK_EQ(compiled.status, interpreted.status);
		CHECK_STRING(compiled.report, interpreted.report);
	}
	CHECK(with_kernels > PROGRAMS / 2);
	if (usual)
		setenv("CULVERT_SOFT_JIT", usual, 1);
	else
		unsetenv("CULVERT_SOFT_JIT");
}

/* --- schedules --------------------------------------------------------------------- */

/* Six streams write to one byte each time; who was last is printed. */
static void order(bool broken)
{
	CUstream streams[6];
	unsigned char last;
	(void)broken;
	for (int i = 0; i < 6; i++)
		OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	for (int round = 0; round < 16; round++) {
		for (int i = 0; i < 6; i++)
			OK(cuMemsetD8Async(data, (unsigned char)i, 1, streams[i]));
		OK(cuCtxSynchronize());
		OK(cuMemcpyDtoH(&last, data, 1));
		printf("%d", last);
	}
}

/* The held one is the last, though it was submitted first. */
static void hold(bool broken)
{
	unsigned value;
	(void)broken;
	launch("put", first, data, 0, 5);
	OK(cuMemsetD32Async(data, 7, 1, second));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, data, 4));
	printf("%u", value);
}

/* The kept one does not run, whatever is asked, until it is let go. */
static void keep(bool broken)
{
	(void)broken;
	CHECK_EQ(culvert_soft_schedule("keep:put,idle:1"), 0);
	launch("put", first, data, 0, 5);
	OK(cuMemsetD32Async(data + 1024 / 2, 7, 1, second));
	CUevent event;
	OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
	OK(cuEventRecord(event, first));
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
		usleep(2000);
	}
	OK(cuStreamSynchronize(second));
	CHECK_EQ(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
	/* Nothing can run. */
	CHECK_EQ(culvert_soft_rest(event, 1000000000), 0);
	culvert_soft_let_go();
	OK(cuStreamSynchronize(first));
	OK(cuEventDestroy(event));
}

/* A thread that polls does not rest while its queries let operations run; resting itself lets none run. */
static void poll_without_rest(bool broken)
{
	CUevent event;
	(void)broken;
	CHECK_EQ(culvert_soft_schedule("seed:1,idle:3600000"), 0);
	OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
	for (int i = 0; i < 8; i++)
		launch("put", first, data, 0, 5);
	OK(cuEventRecord(event, first));
	for (int i = 0; i < 20; i++)
		CHECK_EQ(culvert_soft_rest(event, UINT64_C(3600000000000)), 1);
	while (cuEventQuery(event) == CUDA_ERROR_NOT_READY)
		CHECK_EQ(culvert_soft_rest(event, 1000000000), 1);
	CHECK_EQ(culvert_soft_rest(event, 1000000000), 0);
	OK(cuEventDestroy(event));
}

/* Six streams write to one byte; who was last, 16 times, as digits. */
static void last_ones(const char *schedule, char digits[17])
{
	CUstream streams[6];
	unsigned char last;
	CHECK_EQ(culvert_soft_schedule(schedule), 0);
	for (int i = 0; i < 6; i++)
		OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	for (int round = 0; round < 16; round++) {
		for (int i = 0; i < 6; i++)
			OK(cuMemsetD8Async(data, (unsigned char)i, 1, streams[i]));
		OK(cuCtxSynchronize());
		OK(cuMemcpyDtoH(&last, data, 1));
		digits[round] = (char)('0' + last);
	}
	digits[16] = 0;
}

/* Another schedule in the same process starts as it would in its own. */
static void other_schedule(bool broken)
{
	char once[17], again[17], other[17];
	(void)broken;
	last_ones("seed:3,idle:9000", once);
	CHECK(culvert_soft_reports() > 0);
	last_ones("seed:4,idle:9000", other);
	last_ones("seed:3,idle:9000", again);
	CHECK_STRING(once, again);
	CHECK(strcmp(once, other));
	CHECK_EQ(culvert_soft_schedule("seed:x"), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(culvert_soft_schedule(""), 0);
	CHECK_EQ(culvert_soft_reports(), 0);
}

/* A wait that is answered with success and not made; calls are counted. */
static void dropped(bool broken)
{
	CUevent event;
	(void)broken;
	const uint64_t waits = culvert_soft_calls("cuStreamWait*");
	CHECK_EQ(culvert_soft_fault("cuStreamWaitEvent:2:DROP"), 0);
	CHECK_EQ(culvert_soft_fault("cuStreamWaitEvent:2"), CUDA_ERROR_INVALID_VALUE);
	CHECK_EQ(culvert_soft_fault("cuStreamWaitEvent:2:DROP"), 0);
	for (unsigned turn = 0; turn < 3; turn++) {
		CHECK_EQ(culvert_soft_schedule("seed:1"), 0);
		OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
		launch("put", first, data, 0, 5);
		OK(cuEventRecord(event, first));
		OK(cuStreamWaitEvent(second, event, 0));
		launch("put", second, data, 0, 6);
		OK(cuCtxSynchronize());
		CHECK_EQ(culvert_soft_reports() > 0, turn == 1);
		CHECK_EQ(culvert_soft_faults(), turn > 0);
	}
	CHECK_EQ(culvert_soft_calls("cuStreamWait*"), waits + 3);
}

static void peers(bool broken)
{
	CUstream stream;
	CUfunction function;
	unsigned from = 0, value = 3;
	void *arguments[] = {&data, &from, &value};
	OK(cuCtxSetCurrent(contexts[1]));
	if (!broken)
		OK(cuCtxEnablePeerAccess(contexts[0], 0));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&function, module, "put"));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
	CHECK_EQ(cuStreamSynchronize(stream),
		 broken ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS);
}

static void peer_off(bool broken)
{
	int can = 1;
	(void)broken;
	OK(cuDeviceCanAccessPeer(&can, 0, 1));
	CHECK_EQ(can, 0);
	CHECK_EQ(cuCtxEnablePeerAccess(contexts[1], 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

/* Spoilt with peer access only. */
static void peer_corrupt(bool broken)
{
	CUdeviceptr other;
	unsigned value = 0;
	OK(cuCtxSetCurrent(contexts[1]));
	OK(cuMemAlloc(&other, 4));
	OK(cuCtxSetCurrent(contexts[0]));
	if (broken)
		OK(cuCtxEnablePeerAccess(contexts[1], 0));
	OK(cuMemsetD32(data, 8, 1));
	OK(cuMemcpyPeerAsync(other, contexts[1], data, contexts[0], 4, NULL));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, other, 4));
	CHECK_EQ(value, broken ? 9 : 8);
}

static void virtual_clock(bool broken)
{
	CUevent start, end;
	float ms = 0;
	(void)broken;
	OK(cuEventCreate(&start, 0));
	OK(cuEventCreate(&end, 0));
	OK(cuEventRecord(start, first));
	launch("put", first, data, 0, 1);
	OK(cuEventRecord(end, first));
	OK(cuCtxSynchronize());
	OK(cuEventElapsedTime(&ms, start, end));
	/* A kernel of 100 s, and 1 us for it and the record. */
	CHECK_EQ(ms > 99999.98 && ms < 100000.02, 1);
}

static void sync_all(bool broken)
{
	CUdeviceptr other;
	volatile char *bytes;
	void *pinned;
	(void)broken;
	OK(cuMemAllocHost(&pinned, 2));
	bytes = pinned;
	OK(cuMemsetD8Async((CUdeviceptr)(uintptr_t)pinned, 1, 1, first));
	OK(cuMemAlloc(&other, SIZE_B));
	CHECK_EQ(bytes[0], 1);
	OK(cuMemsetD8Async((CUdeviceptr)(uintptr_t)pinned + 1, 1, 1, first));
	launch("put", second, other, 0, 1);
	CHECK_EQ(bytes[1], 1);
	OK(cuCtxSynchronize());
}

static const struct program helpers[] = {
	{"order", order, "", ""}, {"hold", hold, "", ""}, {"peers", peers, "", ""},
	{"peer_off", peer_off, "", ""}, {"peer_corrupt", peer_corrupt, "", ""},
	{"keep", keep, "", ""}, {"poll_without_rest", poll_without_rest, "", ""},
	{"other_schedule", other_schedule, "", ""},
	{"dropped", dropped, "", ""}, {"virtual_clock", virtual_clock, "", ""},
	{"sync_all", sync_all, "", ""},
};

enum { HELPERS = sizeof(helpers) / sizeof(helpers[0]) };

static void one_seed_one_run(void)
{
	static struct outcome once, again, other;
	char schedule[32];
	int different = 0;
	for (int seed = 1; seed <= 4; seed++) {
		snprintf(schedule, sizeof(schedule), seed < 3 ? "seed:%d,idle:9000" : "pct:%d:3,idle:9000",
			 seed);
		run("order", "right", schedule, &once);
		run("order", "right", schedule, &again);
		CHECK_EQ(once.status, 0);
		CHECK_STRING(once.output, again.output);
		snprintf(schedule, sizeof(schedule), "seed:%d,idle:9000", seed + 10);
		run("order", "right", schedule, &other);
		different += strcmp(once.output, other.output) != 0;
	}
	CHECK(different >= 3);
}

static void held_back(void)
{
	static struct outcome outcome;
	run("hold", "right", "hold:put,idle:9000", &outcome);
	CHECK_STRING(outcome.output, "5");
	run("hold", "right", "hold:memset,idle:9000", &outcome);
	CHECK_STRING(outcome.output, "7");
	run("hold", "right", "hold:memset:0,idle:9000", &outcome);
	CHECK_STRING(outcome.output, "7");
	run("hold", "right", "seed:1,hold:put,idle:9000", &outcome);
	CHECK_STRING(outcome.output, "5");
}

static void switches(void)
{
	static struct outcome outcome;
	static const struct {
		const char *program, *variant, *schedule;
	} runs[] = {
		{"peers", "right", ""}, {"peers", "broken", ""}, {"peer_off", "right", "peer:off"},
		{"peer_corrupt", "right", "peer:corrupt"},
		{"peer_corrupt", "broken", "peer:corrupt"},
		{"virtual_clock", "right", "clock:100"},
		{"keep", "right", ""}, {"poll_without_rest", "right", ""},
		{"other_schedule", "right", ""}, {"dropped", "right", ""},
		{"sync_all", "right", "hold:memset,sync:all"},
	};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		run(runs[i].program, runs[i].variant, runs[i].schedule, &outcome);
		if (outcome.status) {
			printf("%s (%s): %s\n", runs[i].program, runs[i].variant, outcome.output);
			test_failures++;
		}
	}
}

static void not_understood(void)
{
	static struct outcome outcome;
	static const char *const wrong[] = {"seed", "seed:", "seed:x", "pct:1", "pct:1:0", "hold:",
					    "sync:some", "peer:", "clock:x", "clock:5ns", "keep:", "idle:", "idle:x",
					    "early"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		run("order", "refused", wrong[i], &outcome);
		CHECK_EQ(outcome.status, 0);
		CHECK(strstr(outcome.report, "cannot be understood"));
	}
}

static int run_program(const char *name, bool broken)
{
	const struct program *found = NULL;
	for (int i = 0; i < PROGRAMS; i++)
		found = strcmp(programs[i].name, name) ? found : &programs[i];
	for (int i = 0; i < HELPERS; i++)
		found = strcmp(helpers[i].name, name) ? found : &helpers[i];
	if (!found)
		return 1;
	prepare();
	found->run(broken);
	return test_failures != 0;
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		TEST(each_found_on_each_schedule), TEST(same_from_machine_code), TEST(one_seed_one_run),
		TEST(held_back), TEST(switches), TEST(not_understood),
	};
	if (argc == 3 && !strcmp(argv[2], "refused"))
		return cuInit(0) != CUDA_ERROR_INVALID_VALUE;
	if (argc == 3)
		return run_program(argv[1], !strcmp(argv[2], "broken"));
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
