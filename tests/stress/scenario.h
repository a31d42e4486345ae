/* What the ordering scenarios share: each is a small OpenCL program that is run on many
 * schedules of the software driver with its ordering oracle on, or a few times on a GPU.
 *
 *	scenarios_GROUP [--schedules N] [--schedule ITEMS] [--fault RULE] [NUMBER...]
 *
 * --from N begins with the N-th schedule, --row N runs the N-th scenario of the group.
 *
 * A scenario fails when one of its checks does or when the oracle has something to say;
 * then the command that repeats it is printed.  SCENARIOS_LONG=1: 1000 schedules and not
 * 200.  What would take long in each is as large as it should be in the first of them, and
 * smaller in the others.
 *
 * With --fault a call of the driver goes wrong in each schedule (docs/softcuda.md), for
 * the test of these tests (planted.sh).
 *
 * A scenario makes its queues, buffers and events anew each time and gives them back;
 * context and program are the process's. */
#ifndef CULVERT_TESTS_STRESS_SCENARIO_H
#define CULVERT_TESTS_STRESS_SCENARIO_H

#include "tests/api/fixture.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	WORDS = 128,                         /* a buffer as large as sub-buffers are aligned */
	SIZE_B = WORDS * 4,
	SCENARIO_DEVICES = 4,                /* of the context with several */
	SCENARIO_PATIENCE = 50000,           /* times 100 us */
	SCENARIO_LIMIT_S = 300,              /* for one of them: then it hangs */
	ON_A_GPU = 10                        /* times each, there */
};

struct scenario {
	unsigned number;                     /* in the ordering design; above 40: its extras */
	const char *protects;
	void (*run)(void);
	const char *also;                    /* items of the schedule, from a comma on */
	unsigned lasts;                      /* schedules until a process is worn out; 0: all */
	cl_uint devices;                     /* that its context needs; 0: one */
	bool out_of_order;                   /* needs such queues */
};

static struct {
	struct api_test test;
	cl_context contexts[2];              /* of one device, of several */
	cl_program programs[2];              /* made when needed */
	cl_context context;                  /* the running scenario's */
	cl_program program;
	cl_uint devices;                     /* in it */
	bool soft;                           /* what the schedule keeps is kept */
	bool out_of_order;
	bool reports_expected;               /* by a scenario that is wrong on purpose */
	uint32_t seed;                       /* of the schedule, which is items */
	const char *items;
	int (*schedule)(const char *items);
	void (*let_go)(void);
	unsigned (*reports)(void);
	int (*fault)(const char *rules);
	uint64_t (*faults)(void);
	uint64_t (*calls)(const char *pattern);
	const char *fault_rules;             /* of the command line; "": none */
	unsigned faults_injected;
	unsigned scenarios_done, schedules_done;
	char report_path[64];
} scene;

/* held is add, held_copy copy: for a schedule that holds them up. */
static const char scenario_source[] =
"typedef struct { uint n[32]; } large;\n"
"kernel void add(global uint *c, uint n) { c[get_global_id(0)] += n; }\n"
"kernel void held(global uint *c, uint n) { c[get_global_id(0)] += n; }\n"
"kernel void mul(global uint *c, uint n) { c[get_global_id(0)] *= n; }\n"
"kernel void copy(global const uint *a, global uint *b)\n"
"{ b[get_global_id(0)] = a[get_global_id(0)]; }\n"
"kernel void held_copy(global const uint *a, global uint *b)\n"
"{ b[get_global_id(0)] = a[get_global_id(0)]; }\n"
"kernel void sum(global const uint *a, global const uint *b, global uint *c)\n"
"{ c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)]; }\n"
"kernel void five(global const uint *a, global const uint *b, global const uint *c,\n"
"		 global const uint *d, global const uint *e, global uint *out)\n"
"{ size_t i = get_global_id(0); out[i] = a[i] + b[i] + c[i] + d[i] + e[i]; }\n"
"kernel void held_table(constant uint *t, large v, local uint *l, global uint *out)\n"
"{ size_t i = get_global_id(0); l[get_local_id(0)] = t[i % 4];\n"
"  out[i] = l[get_local_id(0)] + v.n[i % 32]; }\n";

/* --- the pieces that scenarios are made of ------------------------------------------------- */

static inline cl_command_queue queue_with(cl_uint device, cl_command_queue_properties properties)
{
	return queue_make(scene.context, scene.test.devices[device], properties);
}

static inline cl_command_queue queue_on(cl_uint device)
{
	return queue_with(device, 0);
}

static inline cl_command_queue queue_out_of_order(void)
{
	return queue_with(0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* All words of it are value. */
static inline cl_mem buffer_of(cl_uint value)
{
	cl_uint words[WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = value;
	return buffer_make(scene.context, CL_MEM_COPY_HOST_PTR, SIZE_B, words);
}

static inline cl_mem view_of(cl_mem mem, size_t origin_B, size_t size_B)
{
	const cl_buffer_region region = {origin_B, size_B};
	return sub_buffer_make(mem, 0, &region);
}

static inline cl_kernel kernel_named(const char *name)
{
	return kernel_make(scene.program, name);
}

static inline cl_event user_event(void)
{
	return user_event_make(scene.context);
}

static inline void enqueue(cl_command_queue queue, cl_kernel kernel, size_t words, cl_uint count,
			   const cl_event *after, cl_event *event_out)
{
	if (event_out)
		*event_out = NULL;
	launch_1d_after(queue, kernel, words, count, count ? after : NULL, event_out);
}

/* add, held or mul on the first words of mem. */
static inline void change_words(cl_command_queue queue, const char *name, cl_mem mem, cl_uint n,
				size_t words, cl_uint count, const cl_event *after,
				cl_event *event_out)
{
	cl_kernel kernel = kernel_named(name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(n), &n));
	enqueue(queue, kernel, words, count, after, event_out);
	CHECK_OK(clReleaseKernel(kernel));
}

static inline void change(cl_command_queue queue, const char *name, cl_mem mem, cl_uint n,
			  cl_uint count, const cl_event *after, cl_event *event_out)
{
	change_words(queue, name, mem, n, WORDS, count, after, event_out);
}

/* copy, held_copy: b is NULL; or sum. */
static inline void derive(cl_command_queue queue, const char *name, cl_mem a, cl_mem b, cl_mem out,
			  cl_uint count, const cl_event *after, cl_event *event_out)
{
	cl_kernel kernel = kernel_named(name);
	cl_uint at = 0;
	CHECK_OK(clSetKernelArg(kernel, at++, sizeof(a), &a));
	if (b)
		CHECK_OK(clSetKernelArg(kernel, at++, sizeof(b), &b));
	CHECK_OK(clSetKernelArg(kernel, at, sizeof(out), &out));
	enqueue(queue, kernel, WORDS, count, after, event_out);
	CHECK_OK(clReleaseKernel(kernel));
}

static inline bool words_are(const cl_uint *words, size_t count, cl_uint value)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] != value) {
			printf("word %zu is %u, not %u\n", i, words[i], value);
			return false;
		}
	return true;
}

/* Reads the words of mem from first on, after events. */
static inline void expect_words(cl_command_queue queue, cl_mem mem, size_t first, size_t words,
				cl_uint value, cl_uint count, const cl_event *after)
{
	cl_uint got[WORDS] = {0};
	CHECK_OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, first * 4, words * 4, got, count,
				     count ? after : NULL, NULL));
	CHECK(words_are(got, words, value));
}

static inline void expect(cl_command_queue queue, cl_mem mem, cl_uint value, cl_uint count,
			  const cl_event *after)
{
	expect_words(queue, mem, 0, WORDS, value, count, after);
}

static inline cl_int status_of(cl_event event)
{
	cl_int status = 12345;
	CHECK_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				NULL));
	return status;
}

/* By asking alone. */
static inline bool polled_complete(cl_event event)
{
	for (unsigned i = 0; i < SCENARIO_PATIENCE && status_of(event) > CL_COMPLETE; i++)
		usleep(100);
	return status_of(event) == CL_COMPLETE;
}

static inline bool soon(atomic_int *value, int wanted)
{
	for (unsigned i = 0; i < SCENARIO_PATIENCE && atomic_load(value) != wanted; i++)
		usleep(100);
	return atomic_load(value) == wanted;
}

static inline void release_mems(unsigned count, const cl_mem *mems)
{
	for (unsigned i = 0; i < count; i++)
		CHECK_OK(clReleaseMemObject(mems[i]));
}

static inline void release_events(unsigned count, const cl_event *events)
{
	for (unsigned i = 0; i < count; i++)
		CHECK_OK(clReleaseEvent(events[i]));
}

/* Their work is over afterwards. */
static inline void end_queues(unsigned count, const cl_command_queue *queues)
{
	for (unsigned i = 0; i < count; i++) {
		CHECK_OK(clFinish(queues[i]));
		CHECK_OK(clReleaseCommandQueue(queues[i]));
	}
}

/* What the schedule keeps may run now. */
static inline void let_go(void)
{
	if (scene.let_go)
		scene.let_go();
}

/* CUDA calls of that name since then; 0 on a GPU, where nobody counts. */
static inline uint64_t calls_of(const char *pattern)
{
	return scene.calls ? scene.calls(pattern) : 0;
}

/* How many of what takes long: all of it in the first schedule. */
static inline unsigned scenario_size(unsigned full, unsigned small)
{
	return scene.seed == 1 ? full : small;
}

/* Another program object with the code of one, for one device. */
static inline cl_program program_twin(cl_program program)
{
	size_t sizes_B[API_TEST_MOST_DEVICES] = {0};
	unsigned char *binaries[API_TEST_MOST_DEVICES] = {NULL};
	cl_int code;
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(sizes_B), sizes_B,
				  NULL));
	binaries[0] = malloc(sizes_B[0] ? sizes_B[0] : 1);
	CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binaries), binaries, NULL));
	cl_program twin = clCreateProgramWithBinary(scene.context, 1, scene.test.devices, sizes_B,
						    (const unsigned char **)binaries, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(twin, 0, NULL, "", NULL, NULL));
	free(binaries[0]);
	return twin;
}

/* --- running them --------------------------------------------------------------------------- */

static inline void *scenario_symbol(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

/* The software driver, if that is what the platform has loaded. */
static inline void scenario_find_soft(void)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *symbols[] = {
		scenario_symbol(library, "culvert_soft_schedule"),
		scenario_symbol(library, "culvert_soft_reports"),
		scenario_symbol(library, "culvert_soft_fault"),
		scenario_symbol(library, "culvert_soft_calls"),
		scenario_symbol(library, "culvert_soft_let_go"),
		scenario_symbol(library, "culvert_soft_faults"),
	};
	scene.soft = symbols[0] && symbols[1] && symbols[2] && symbols[3] &&
		     symbols[4] && symbols[5];
	if (!scene.soft)
		return;
	memcpy(&scene.schedule, &symbols[0], sizeof(void *));
	memcpy(&scene.reports, &symbols[1], sizeof(void *));
	memcpy(&scene.fault, &symbols[2], sizeof(void *));
	memcpy(&scene.calls, &symbols[3], sizeof(void *));
	memcpy(&scene.let_go, &symbols[4], sizeof(void *));
	memcpy(&scene.faults, &symbols[5], sizeof(void *));
}

static inline const char *scenario_lacks(const struct scenario *scenario)
{
	if (scenario->devices > scene.test.device_count)
		return "needs more devices";
	if (scenario->out_of_order && !scene.out_of_order)
		return "the device has no out-of-order queues";
	return NULL;
}

static inline bool scenario_prepare(const struct scenario *scenario)
{
	const bool several = scenario->devices > 1;
	cl_int code = CL_SUCCESS;
	scene.devices = 1;
	if (several)
		scene.devices = scene.test.device_count < SCENARIO_DEVICES ? scene.test.device_count
									  : SCENARIO_DEVICES;
	if (!scene.contexts[several]) {
		scene.contexts[several] = clCreateContext(NULL, scene.devices, scene.test.devices,
							  NULL, NULL, &code);
		if (!CHECK_OK(code))
			return false;
		scene.programs[several] = api_test_build(scene.contexts[several], scene.test.device,
							 scenario_source, "");
	}
	scene.context = scene.contexts[several];
	scene.program = scene.programs[several];
	return scene.program != NULL;
}

static inline void scenario_print_report(void)
{
	char text[4096];
	FILE *file = fopen(scene.report_path, "r");
	const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
	if (file)
		fclose(file);
	fwrite(text, 1, size, stdout);
}

/* One schedule; whether all was well. */
static inline bool scenario_once(const struct scenario *scenario, const char *items)
{
	const unsigned failures = api_test_failures;
	scene.reports_expected = false;
	if (scene.soft) {
		if (truncate(scene.report_path, 0) || !CHECK(!scene.schedule(items)))
			return false;
		CHECK(!scene.fault(scene.fault_rules));
		scenario->run();
		scene.faults_injected += (unsigned)scene.faults();
		CHECK(!scene.fault(""));
		const unsigned reports = scene.reports();
		CHECK((reports > 0) == scene.reports_expected);
	} else {
		scenario->run();
	}
	return api_test_failures == failures;
}

/* The number in "seed:N" or "pct:N:D"; 1 without. */
static inline uint32_t scenario_seed(const char *items)
{
	unsigned seed;
	const bool found = sscanf(items, "seed:%u", &seed) == 1 ||
			   sscanf(items, "pct:%u", &seed) == 1;
	return found ? seed : 1;
}

/* The schedules from first to last, in a process of their own. */
static inline void scenario_apart(unsigned row, unsigned first, unsigned last)
{
	char numbers[3][16];
	int status = -1;
	snprintf(numbers[0], sizeof(numbers[0]), "%u", row);
	snprintf(numbers[1], sizeof(numbers[1]), "%u", first);
	snprintf(numbers[2], sizeof(numbers[2]), "%u", last);
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		execl("/proc/self/exe", scene.test.name, "--row", numbers[0], "--from",
		      numbers[1], "--schedules", numbers[2], (char *)NULL);
		_exit(127);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
}

struct scenario_range {
	unsigned row;                        /* in the group */
	unsigned first, last;                /* schedules */
	const char *wanted;                  /* the one schedule; NULL: all */
	bool apart;                          /* this is the process of its own */
};

static inline void scenario_run(const struct scenario *scenario, struct scenario_range range)
{
	char items[160] = "";
	const char *lacks = scenario_lacks(scenario);
	if (lacks) {
		printf("scenario %02u: skipped: %s\n", scenario->number, lacks);
		return;
	}
	alarm(SCENARIO_LIMIT_S);
	if (!scene.soft)
		range.last = ON_A_GPU;
	else if (range.wanted)
		range.last = range.first;
	const bool apart = scenario->lasts && scene.soft && !range.wanted && !range.apart;
	for (unsigned i = range.first; apart && i <= range.last; i += scenario->lasts)
		scenario_apart(range.row, i, i + scenario->lasts <= range.last ?
			       i + scenario->lasts - 1 : range.last);
	if (!apart && !scenario_prepare(scenario))
		return;
	for (unsigned i = range.first; !apart && i <= range.last; i++) {
		if (range.wanted)
			snprintf(items, sizeof(items), "%s", range.wanted);
		else
			snprintf(items, sizeof(items), i % 2 ? "seed:%u,idle:5000%s"
							     : "pct:%u:3,idle:5000%s",
				 i, scenario->also ? scenario->also : "");
		scene.seed = scenario_seed(items);
		scene.items = items;
		if (scenario_once(scenario, items))
			continue;
		printf("scenario %02u FAILS; again: CULVERT_CUDA=soft %s --schedule '%s' %u\n",
		       scenario->number, scene.test.name, items, scenario->number);
		if (scene.soft)
			scenario_print_report();
		return;
	}
	alarm(0);
	if (range.apart)
		return;
	printf("scenario %02u: %u schedules: %s\n", scenario->number, range.last - range.first + 1,
	       scenario->protects);
	scene.scenarios_done++;
	scene.schedules_done += range.last - range.first + 1;
}

static inline bool scenario_wanted(const struct scenario *scenario, int argc, char **argv)
{
	bool any = false;
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--", 2)) {
			i++;
			continue;
		}
		any = true;
		if (strtoul(argv[i], NULL, 10) == scenario->number)
			return true;
	}
	return !any;
}

static inline const char *scenario_option(const char *name, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], name))
			return argv[i + 1];
	return NULL;
}

static inline void scenario_end(void)
{
	for (unsigned i = 0; i < 2; i++) {
		if (scene.programs[i])
			CHECK_OK(clReleaseProgram(scene.programs[i]));
		if (scene.contexts[i])
			CHECK_OK(clReleaseContext(scene.contexts[i]));
	}
	unlink(scene.report_path);
}

/* main of a group. devices: how many the software driver is to show. */
static inline int scenario_main(int argc, char **argv, const char *name, const char *devices,
				const struct scenario *scenarios, size_t count)
{
	const char *last = scenario_option("--schedules", argc, argv);
	const char *first = scenario_option("--from", argc, argv);
	const char *row = scenario_option("--row", argc, argv);
	struct scenario_range range = {
		.first = first ? (unsigned)strtoul(first, NULL, 10) : 1,
		.last = last ? (unsigned)strtoul(last, NULL, 10) :
			getenv("SCENARIOS_LONG") ? 1000 : 200,
		.wanted = scenario_option("--schedule", argc, argv), .apart = row
	};
	snprintf(scene.report_path, sizeof(scene.report_path), "/tmp/scenarios-XXXXXX");
	const int report = mkstemp(scene.report_path);
	if (report < 0)
		return 99;
	close(report);
	/* Read when the platform is first asked for. */
	setenv("CULVERT_SOFT_DEVICES", devices, 1);
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
	setenv("CULVERT_SOFT_REPORT", scene.report_path, 1);
	if (!api_test_start(&scene.test, name)) {
		unlink(scene.report_path);
		return API_TEST_SKIP;
	}
	scenario_find_soft();
	scene.fault_rules = scenario_option("--fault", argc, argv);
	if (!scene.fault_rules)
		scene.fault_rules = "";
	cl_command_queue_properties has = 0;
	CHECK_OK(clGetDeviceInfo(scene.test.device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
				 sizeof(has), &has, NULL));
	scene.out_of_order = has & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	for (size_t i = 0; i < count; i++) {
		range.row = (unsigned)i;
		if (row ? strtoul(row, NULL, 10) == i : scenario_wanted(&scenarios[i], argc, argv))
			scenario_run(&scenarios[i], range);
	}
	if (*scene.fault_rules)
		printf("faults: %u\n", scene.faults_injected);
	if (!row)
		printf("%u scenarios, %u schedules in all\n", scene.scenarios_done,
		       scene.schedules_done);
	scenario_end();
	return api_test_end(&scene.test);
}

#define SCENARIO_MAIN(name, devices)                                                              \
	int main(int argc, char **argv)                                                           \
	{                                                                                         \
		return scenario_main(argc, argv, "tests/stress/" name, devices, scenarios,        \
				     sizeof(scenarios) / sizeof(scenarios[0]));                   \
	}

#endif
