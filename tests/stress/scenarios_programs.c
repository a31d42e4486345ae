/* Ordering scenarios: programs that are used for the first time, programs from binaries,
 * devices that die, and what is the caller's own. */
#include "config.h"

#include "tests/stress/scenario.h"

#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 16, MANY_THREADS = 64 };

/* --- binaries -------------------------------------------------------------------------------- */

struct binaries {
	size_t sizes_B[SCENARIO_DEVICES];
	unsigned char *data[SCENARIO_DEVICES];
};

static bool binaries_get(cl_program program, cl_uint count, struct binaries *binaries)
{
	bool good = CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
					      count * sizeof(size_t), binaries->sizes_B, NULL));
	for (cl_uint i = 0; i < count; i++)
		binaries->data[i] = good ? malloc(binaries->sizes_B[i]) : NULL;
	return good && CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES,
						 count * sizeof(unsigned char *), binaries->data,
						 NULL));
}

static void binaries_free(cl_uint count, const struct binaries *binaries)
{
	for (cl_uint i = 0; i < count; i++)
		free(binaries->data[i]);
}

static cl_program program_from(cl_uint count, const cl_device_id *devices, const struct binaries *binaries)
{
	cl_int code;
	cl_program program = clCreateProgramWithBinary(scene.context, count, devices,
						       binaries->sizes_B,
						       (const unsigned char **)binaries->data,
						       NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	return program;
}

/* --- first launches from many threads -------------------------------------------------------- */

struct launcher {
	cl_program program;
	cl_uint device, value;
	bool build;                          /* its own program, */
	const struct binaries *binaries;     /* of these, or NULL: from source */
};

static void *launcher_run(void *data)
{
	const struct launcher *launcher = data;
	cl_program program = launcher->program;
	if (launcher->build)
		program = launcher->binaries
			? program_from(scene.devices, scene.test.devices, launcher->binaries)
			: api_test_build(scene.context, scene.test.device, scenario_source, "");
	if (!program)
		return NULL;
	cl_command_queue queue = queue_on(launcher->device);
	cl_mem mem = buffer_of(launcher->value);
	cl_kernel kernel = kernel_make(program, "add");
	const cl_uint seven = 7;
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(seven), &seven));
	enqueue(queue, kernel, WORDS, 0, NULL, NULL);
	CHECK_OK(clReleaseKernel(kernel));
	expect(queue, mem, launcher->value + 7, 0, NULL);
	end_queues(1, &queue);
	release_mems(1, &mem);
	if (launcher->build)
		CHECK_OK(clReleaseProgram(program));
	return NULL;
}

static void launch_from_threads(unsigned count, cl_program program, const struct binaries *binaries)
{
	struct launcher launchers[MANY_THREADS];
	pthread_t threads[MANY_THREADS];
	for (unsigned i = 0; i < count; i++) {
		launchers[i] = (struct launcher){program, i % 2, i, program == NULL, binaries};
		CHECK(!pthread_create(&threads[i], NULL, launcher_run, &launchers[i]));
	}
	for (unsigned i = 0; i < count; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

/* Not of the scenarios' own code, whose modules are there. */
static bool other_binaries_make(struct binaries *binaries)
{
	const char *sources[2] = {"kernel void other(global uint *out) { *out = 39; }\n",
				  scenario_source};
	cl_int code;
	cl_program program = clCreateProgramWithSource(scene.context, 2, sources, NULL, &code);
	CHECK_OK(code);
	CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	const bool got = binaries_get(program, scene.devices, binaries);
	CHECK_OK(clReleaseProgram(program));
	return got;
}

/* One module for each device, however many threads launch first.  The binaries are those of the first schedule. */
static void scenario_39_first_launches(void)
{
	static struct binaries binaries;
	static bool made;
	if (!made)
		made = other_binaries_make(&binaries);
	if (!made)
		return;
	cl_program program = program_from(scene.devices, scene.test.devices, &binaries);
	const uint64_t before = calls_of("cuModuleLoad*");
	launch_from_threads(THREADS, program, NULL);
	const uint64_t loads = calls_of("cuModuleLoad*") - before;
	/* Where there is a cache, modules of programs that have gone wait for equal ones. */
	const char *cache = getenv("CULVERT_CACHE");
	const bool none_wait = cache && !strcmp(cache, "off");
	CHECK(!scene.soft || (none_wait ? loads == 2 : loads <= 2));
	CHECK_OK(clReleaseProgram(program));
}

/* Numba's story: each thread compiles and launches for the first time, on two devices.  A schedule is about the
 * launches, and most of the time goes into the compiler: in three of four schedules, each thread's program is one of
 * binaries. */
static void story_many_compile(void)
{
	static struct binaries binaries;
	static bool made;
	const bool compiles = scene.seed % 4 == 1;
	if (!compiles && !made)
		made = other_binaries_make(&binaries);
	if (compiles || made)
		launch_from_threads(scenario_size(MANY_THREADS, 4), NULL, compiles ? NULL : &binaries);
}

/* --- a program binary in a fresh process ----------------------------------------------------- */

static const char facts_source[] =
"constant uint weights[4] = {1, 2, 3, 4};\n"
"kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
"void facts(global const uint *in, global uint *out, local uint *given, uint n)\n"
"{\n"
"	local uint own[64];\n"
"	size_t l = get_local_id(0), i = get_global_id(0);\n"
"	own[l] = in[i] * weights[i % 4];\n"
"	given[l] = n;\n"
"	barrier(CLK_LOCAL_MEM_FENCE);\n"
"	out[i] = own[63 - l] + given[63 - l] + (uint)get_global_offset(0);\n"
"}\n";

/* The same launch for both; false when a word is not what it has to be. */
static bool facts_launch(cl_program program)
{
	cl_int code;
	cl_uint out[WORDS];
	size_t required[3] = {0}, local = 64, global = WORDS;
	const cl_uint n = 1000;
	cl_ulong local_B = 0;
	cl_kernel kernel = clCreateKernel(program, "facts", &code);
	if (!CHECK_OK(code))
		return false;
	cl_command_queue queue = queue_on(0);
	cl_mem in = buffer_of(3), result = buffer_of(0);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(in), &in));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(result), &result));
	CHECK_OK(clSetKernelArg(kernel, 2, 64 * 4, NULL));
	CHECK_OK(clSetKernelArg(kernel, 3, sizeof(n), &n));
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, scene.test.device,
					  CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
					  required, NULL));
	CHECK(required[0] == 64 && required[1] == 1 && required[2] == 1);
	CHECK_OK(clGetKernelWorkGroupInfo(kernel, scene.test.device, CL_KERNEL_LOCAL_MEM_SIZE,
					  sizeof(local_B), &local_B, NULL));
	CHECK(local_B >= 2 * 64 * 4);
	CHECK_OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
	buffer_read(queue, result, out, SIZE_B);
	bool good = true;
	for (unsigned i = 0; i < WORDS; i++)
		good &= out[i] == 3 * (1 + (63 - i % 64) % 4) + n;
	CHECK(good);
	CHECK_OK(clReleaseKernel(kernel));
	end_queues(1, &queue);
	release_mems(2, (cl_mem[]){in, result});
	return good;
}

/* The first thing of a fresh process is a launch from a binary. */
static int binary_main(const char *path)
{
	static unsigned char data[1 << 20];
	FILE *file = fopen(path, "rb");
	struct binaries binaries = {{0}, {data}};
	cl_int code;
	binaries.sizes_B[0] = file ? fread(data, 1, sizeof(data), file) : 0;
	if (file)
		fclose(file);
	if (!api_test_start(&scene.test, "binary"))
		return 1;
	scene.context = scene.test.context;
	cl_program program = clCreateProgramWithBinary(scene.context, 1, &scene.test.device,
						       binaries.sizes_B,
						       (const unsigned char **)binaries.data, NULL,
						       &code);
	if (!CHECK_OK(code) || !CHECK_OK(clBuildProgram(program, 0, NULL, "", NULL, NULL)))
		return 1;
	facts_launch(program);
	CHECK_OK(clReleaseProgram(program));
	return api_test_end(&scene.test);
}

static void scenario_40_binary_first(void)
{
	static FILE *file;
	char path[32];
	int status = -1;
	if (!file) {
		cl_program program = api_test_build(scene.context, scene.test.device,
						    facts_source, "");
		struct binaries binaries;
		file = tmpfile();
		if (!CHECK(file) || !program || !CHECK(facts_launch(program)))
			return;
		if (binaries_get(program, 1, &binaries)) {
			CHECK(fwrite(binaries.data[0], 1, binaries.sizes_B[0], file) ==
			      binaries.sizes_B[0]);
			binaries_free(1, &binaries);
		}
		CHECK_OK(clReleaseProgram(program));
	}
	fflush(file);
	fflush(stdout);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	const pid_t child = fork();
	if (!child) {
		if (scene.soft)
			setenv("CULVERT_SOFT_SCHED", scene.items, 1);
		execl("/proc/self/exe", "scenarios_programs", "--binary", path, (char *)NULL);
		_exit(127);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status);
}

/* --- failures -------------------------------------------------------------------------------- */

/* A launch that the driver refuses leaves everything as it was. */
static void scenario_38_refused_launch(void)
{
	cl_command_queue near = queue_on(0), far = queue_on(1);
	cl_mem mem = buffer_of(1);
	cl_kernel kernel = kernel_named("add");
	const size_t words = WORDS;
	const cl_uint two = 2;
	cl_event first, none = NULL;
	change(near, "add", mem, 1, 0, NULL, &first);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	CHECK_OK(clSetKernelArg(kernel, 1, sizeof(two), &two));
	if (scene.soft) {
		CHECK(!scene.fault("cuLaunchKernel:1:LAUNCH_OUT_OF_RESOURCES"));
		CHECK_CODE(clEnqueueNDRangeKernel(far, kernel, 1, NULL, &words, NULL, 1, &first,
						  &none), CL_OUT_OF_RESOURCES);
		CHECK(!none);
	}
	CHECK_OK(clReleaseKernel(kernel));
	change(far, "mul", mem, 5, 1, &first, NULL);
	expect(far, mem, 10, 0, NULL);
	end_queues(2, (cl_command_queue[]){near, far});
	release_events(1, &first);
	release_mems(1, &mem);
}

/* The scenarios' program for two devices of the context: compiled the first time, and then made of its binaries. */
static cl_program program_for(const cl_device_id devices[2])
{
	static struct binaries binaries;
	static bool made;
	if (made)
		return program_from(2, devices, &binaries);
	cl_program program = api_test_build(scene.context, devices[0], scenario_source, "");
	made = program && binaries_get(program, 2, &binaries);
	return program;
}

/* A device dies in the middle of a graph.  What waits for its work fails, and may take along what comes after it in an
 * in-order queue; other queues go on. */
static void lose(cl_uint dying)
{
	cl_device_id devices[2] = {scene.test.devices[0], scene.test.devices[dying]};
	cl_context before = scene.context;
	cl_program program_before = scene.program;
	cl_int code;
	scene.context = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
	if (!CHECK_OK(code))
		return;
	scene.program = program_for(devices);
	cl_command_queue good = queue_on(0), other = queue_on(0), bad = queue_on(dying);
	cl_mem mem = buffer_of(1), own = buffer_of(4);
	cl_event user = user_event(), early, dead, behind, blocked, unharmed;
	change(good, "add", own, 1, 0, NULL, &early);
	CHECK_OK(clWaitForEvents(1, &early));
	CHECK(!scene.fault("cuLaunchKernel:1:ILLEGAL_ADDRESS:async"));
	change(bad, "add", mem, 1, 0, NULL, &dead);
	change(good, "add", mem, 1, 1, &dead, &behind);
	change(bad, "add", mem, 1, 1, &user, &blocked);
	change(other, "add", own, 1, 0, NULL, &unharmed);
	CHECK(clWaitForEvents(1, &dead) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(dead) < 0);
	CHECK_OK(clSetUserEventStatus(user, CL_COMPLETE));
	CHECK(clWaitForEvents(1, &blocked) != CL_SUCCESS);
	CHECK(status_of(blocked) < 0);
	CHECK(clFinish(bad) != CL_SUCCESS);
	CHECK(status_of(early) == CL_COMPLETE);
	CHECK_OK(clWaitForEvents(1, &unharmed));
	CHECK(clWaitForEvents(1, &behind) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK(status_of(behind) < 0);
	expect(good, own, 6, 0, NULL);
	CHECK_OK(clFinish(good));
	CHECK_OK(clFinish(other));
	CHECK_OK(clReleaseCommandQueue(bad));
	CHECK_OK(clReleaseCommandQueue(other));
	CHECK_OK(clReleaseCommandQueue(good));
	release_events(6, (cl_event[]){user, early, dead, behind, blocked, unharmed});
	release_mems(2, (cl_mem[]){mem, own});
	if (scene.program)
		CHECK_OK(clReleaseProgram(scene.program));
	CHECK_OK(clReleaseContext(scene.context));
	scene.context = before;
	scene.program = program_before;
}

/* One device each time: the dead do not come back. */
static void scenario_38_dead_device(void)
{
	if (!scene.soft)
		return;
	lose(SCENARIO_DEVICES + (scene.seed - 1) % (API_TEST_MOST_DEVICES - SCENARIO_DEVICES));
}

/* --- the caller's own ------------------------------------------------------------------------ */

typedef int (*cuda_context_get)(void **);
typedef int (*cuda_context_set)(void *);
typedef int (*cuda_context_retain)(void **, int);
typedef int (*cuda_context_release)(int);

/* A program that uses CUDA beside OpenCL finds its context current after every call. */
static void extra_current_context(void)
{
	void *library = dlopen(scene.soft ? "libculvert-softcuda.so" : "libcuda.so.1",
			       RTLD_NOW | RTLD_NOLOAD);
	void *symbols[] = {
		scenario_symbol(library, "cuCtxGetCurrent"),
		scenario_symbol(library, "cuCtxSetCurrent"),
		scenario_symbol(library, "cuDevicePrimaryCtxRetain"),
		scenario_symbol(library, "cuDevicePrimaryCtxRelease_v2"),
	};
	cuda_context_get get;
	cuda_context_set set;
	cuda_context_retain retain;
	cuda_context_release release;
	void *own = NULL, *now = NULL;
	if (!CHECK(symbols[0] && symbols[1] && symbols[2] && symbols[3]))
		return;
	memcpy(&get, &symbols[0], sizeof(void *));
	memcpy(&set, &symbols[1], sizeof(void *));
	memcpy(&retain, &symbols[2], sizeof(void *));
	memcpy(&release, &symbols[3], sizeof(void *));
	const int device = scene.test.device_count > 1;
	CHECK(!retain(&own, device));
	for (unsigned turn = 0; turn < 2; turn++) {
		/* With a context of another device where there is one, and with none. */
		void *mine = turn ? NULL : own;
		CHECK(!set(mine));
#define UNCHANGED() CHECK(!get(&now) && now == mine)
		cl_command_queue queue = queue_on(0);
		UNCHANGED();
		cl_mem mem = buffer_of(1), out = buffer_of(0);
		UNCHANGED();
		cl_event event;
		change(queue, "add", mem, 1, 0, NULL, &event);
		UNCHANGED();
		derive(queue, "copy", mem, NULL, out, 1, &event, NULL);
		UNCHANGED();
		(void)status_of(event);
		UNCHANGED();
		CHECK_OK(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
		CHECK_OK(clFlush(queue));
		UNCHANGED();
		expect(queue, out, 2, 0, NULL);
		UNCHANGED();
		release_mems(2, (cl_mem[]){mem, out});
		UNCHANGED();
		end_queues(1, &queue);
		release_events(1, &event);
		UNCHANGED();
#undef UNCHANGED
	}
	CHECK(!set(NULL));
	CHECK(!release(device));
}

static const struct scenario scenarios[] = {
	{38, "a refused launch changes nothing", scenario_38_refused_launch, NULL, 0, 2, false},
	{38, "a device that dies takes its own work with it", scenario_38_dead_device, NULL,
	 API_TEST_MOST_DEVICES - SCENARIO_DEVICES, 2,
	 false},
	{39, "one module a device, however many launch first", scenario_39_first_launches, NULL, 0,
	 2, false},
	{40, "a binary carries all that a launch needs", scenario_40_binary_first, NULL, 0, 0,
	 false},
	{42, "the caller's CUDA context stays current", extra_current_context, NULL, 0, 0, false},
	{45, "many threads compile and launch for the first time", story_many_compile, NULL, 0, 2,
	 false},
};

int main(int argc, char **argv)
{
	const char *binary = scenario_option("--binary", argc, argv);
	if (binary)
		return binary_main(binary);
	return scenario_main(argc, argv, "tests/stress/scenarios_programs", "16", scenarios,
			     sizeof(scenarios) / sizeof(scenarios[0]));
}
