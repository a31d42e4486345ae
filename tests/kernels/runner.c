/* Runs kernel files on any OpenCL platform.
 *
 *	runner [--platform NAME] [--device N] [--verbose] [--save DIR [--again DIR]] [--facts FILE]
 *	       [--binary] [--build] [--il COMMAND] [--programs FOLDER] FILE.clt...
 *
 * --save writes every buffer's bytes, as they are in the end, to DIR/FILE.BUFFER; --again does
 * so instead with those of a file that is named twice in a row, the second time;
 * --facts all that can be asked of the programs to FILE; --binary runs what
 * clCreateProgramWithBinary makes of each; --il what clCreateProgramWithIL makes of what COMMAND,
 * given the options as its argument and the source, writes; --build builds the programs, and runs nothing;
 * --programs turns on Culvert's cache, in FOLDER.
 *
 * A kernel file is OpenCL C whose lines that begin with "//!" say what to do:
 *
 *	//! protects TEXT                  what would be broken if this failed
 *	//! options TEXT                   for clBuildProgram
 *	//! requires NAME...               extensions or OpenCL C features; else skipped
 *	//! capability MAJOR.MINOR [only]  GPUs of this compute capability and newer ones; older ones are skipped;
 *	                                   with "only", newer ones, too
 *	//! buffer TYPE NAME[COUNT] = E    E: an expression, or {a, b, ...} (repeated)
 *	//! image SHAPE NAME ORDER CHANNEL SIZES [of BUFFER [pitch BYTES]] [= E]     image.h
 *	       E: its channels as they are in memory, one after the other; NAME is as a buffer's
 *	//! pipe NAME[PACKETS] of BYTES  empty; BYTES is a packet's size
 *	//! run KERNEL(ARG, ...) global X [Y [Z]] [local X [Y [Z]]] [offset X [Y [Z]]]
 *	       ARG: NAME of a buffer, image or pipe | TYPE E | TYPE{E, E, ...} | local BYTES | null
 *		    | sampler WORDS
 *	//! expect NAME = E [within N ulp | within R]      against what it holds now
 *	//! prints TEXT                    what the last run's printf wrote begins with TEXT,
 *	                                   behind what earlier lines took of it; \n \t \\ and
 *	                                   \s (a space) as in C.  No TEXT: nothing else
 *	//! prints-lines N TEXT            it is what TEXT is for i = 0 to N - 1, in any order
 *	                                   of its lines; {E} in TEXT is an expression's value
 *	//! build-fails TEXT               the build must fail with TEXT in its log
 *	//! enqueue-fails CODE...          the next run must fail with one of these codes
 *	//! release NAME                   the buffer
 *	//! check WORDS                    CULVERT_SOFT_CHECK for this file; elsewhere skipped
 *	//! report TEXT                    the checker must have reported TEXT by now
 *	//! silent                         the checker must not have reported anything
 *	//! wrong-on PLATFORM WHY          skipped on platforms of that name: they are wrong
 *
 * Exit status: 0 all passed, 1 a failure, 77 skipped, 2 the file is wrong. */
#include "config.h"

#include "tests/kernels/device.h"
#include "tests/kernels/facts.h"
#include "tests/kernels/launch.h"
#include "tests/kernels/memory.h"
#include "tests/kernels/prints.h"
#include "tests/kernels/report.h"
#include "tests/kernels/test.h"
#include "tests/kernels/words.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool verbose;
static bool by_binary;
static bool only_builds;
static const char *il_command;       /* NULL: sources are given */
static const char *save_folder;      /* NULL: nothing is saved */
static const char *again_folder;     /* for the second time; NULL: save_folder */

static void do_prints(struct test *test, const char *at, bool lines)
{
	char message[2048];
	if (test->verdict != PASS)
		return;
	const char *output = test->output.text + test->output_taken;
	if (lines ? !prints_lines(output, at, test->buffers, message, sizeof(message))
		  : !prints_next(output, at, &test->output_taken, message, sizeof(message)))
		complain(test, FAIL, "%s", message);
}

static void do_requires(struct test *test, const char *at)
{
	char name[128];
	for (;;) {
		take_until(&at, " \t", name, sizeof(name));
		if (!*name)
			return;
		if (!device_has(test->device, name))
			complain(test, SKIP, "skipped: the device has no %s", name);
	}
}

/* Platforms that do not know compute capabilities are not for NVIDIA's GPUs. */
static void do_capability(struct test *test, const char *at)
{
	cl_uint major = 0, minor = 0;
	char *rest;
	const cl_uint wanted = (cl_uint)(strtod(at, &rest) * 10 + 0.5);
	const char *words = rest;
	const bool only = take_word(&words, "only");
	clGetDeviceInfo(test->device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof(major), &major, NULL);
	clGetDeviceInfo(test->device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof(minor), &minor, NULL);
	const cl_uint has = major * 10 + minor;
	if (has < wanted || (only && has > wanted))
		complain(test, SKIP, "skipped: the device has compute capability %u.%u", major, minor);
}

/* Only the software driver of this platform has a checker. */
static void do_check(struct test *test)
{
	char name[256] = "";
	clGetDeviceInfo(test->device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	if (!strstr(name, "softcuda"))
		complain(test, SKIP, "skipped: the device has no checker");
}

static void do_report(struct test *test, const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	char *wrong = report_wrong(at);
	if (wrong)
		complain(test, FAIL, "%s", wrong);
	free(wrong);
}

/* PLATFORM is the beginning of the platform's name up to the first space. */
static void do_wrong_on(struct test *test, const char *at)
{
	char wanted[128], name[256] = "";
	cl_platform_id platform;
	take_until(&at, " \t", wanted, sizeof(wanted));
	if (!clGetDeviceInfo(test->device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL))
		clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, NULL);
	if (strstr(name, wanted) == name)
		complain(test, SKIP, "skipped:%s", at);
}

static bool is_of_build(const char *at)
{
	static const char *const words[] = {"options", "requires", "capability", "build-fails", "check", "wrong-on"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (take_word(&at, words[i]))
			return true;
	return false;
}

static void directive(struct test *test, const char *at)
{
	if (take_word(&at, "protects") || (only_builds && !is_of_build(at)))
		return;
	if (take_word(&at, "options")) {
		free(test->options);
		test->options = strdup(at);
	} else if (take_word(&at, "requires")) {
		do_requires(test, at);
	} else if (take_word(&at, "capability")) {
		do_capability(test, at);
	} else if (take_word(&at, "buffer")) {
		do_buffer(test, at);
	} else if (take_word(&at, "image")) {
		do_image(test, at);
	} else if (take_word(&at, "pipe")) {
		do_pipe(test, at);
	} else if (take_word(&at, "run")) {
		do_run(test, at);
	} else if (take_word(&at, "expect")) {
		do_expect(test, at);
	} else if (take_word(&at, "prints-lines")) {
		do_prints(test, at, true);
	} else if (take_word(&at, "prints")) {
		do_prints(test, at, false);
	} else if (take_word(&at, "build-fails")) {
		while (isspace((unsigned char)*at))
			at++;
		free(test->build_fails);
		test->build_fails = strdup(at);
		build(test);
	} else if (take_word(&at, "enqueue-fails")) {
		free(test->enqueue_fails);
		test->enqueue_fails = strdup(at);
	} else if (take_word(&at, "release")) {
		do_release(test, at);
	} else if (take_word(&at, "check")) {
		do_check(test);
	} else if (take_word(&at, "report")) {
		do_report(test, at);
	} else if (take_word(&at, "silent")) {
		do_report(test, "");
	} else if (take_word(&at, "wrong-on")) {
		do_wrong_on(test, at);
	} else {
		complain(test, WRONG_FILE, "no such directive: %s", at);
	}
}

static void run_directives(struct test *test)
{
	char line[4096];
	bool any = false;
	for (const char *at = test->text; *at && test->verdict != SKIP &&
	     test->verdict != WRONG_FILE;) {
		size_t length = strcspn(at, "\n");
		test->line++;
		if (!strncmp(at, "//!", 3) && length < sizeof(line)) {
			memcpy(line, at + 3, length - 3);
			line[length - 3] = '\0';
			any = true;
			directive(test, line);
		}
		at += length + (at[length] == '\n');
	}
	if (!any)
		complain(test, WRONG_FILE, "no directives");
	if (!test->built && test->verdict == PASS)
		build(test);
}

static void finish(struct test *test)
{
	free_buffers(test);
	if (test->program)
		clReleaseProgram(test->program);
	if (test->queue)
		clReleaseCommandQueue(test->queue);
	if (test->context)
		clReleaseContext(test->context);
	free(test->options);
	free(test->build_fails);
	free(test->enqueue_fails);
	capture_finish(&test->output);
	free(test->text);
}

static enum verdict run_file(const char *path, cl_device_id device, bool again)
{
	struct test test = {.path = path, .device = device, .verdict = PASS,
			    .output.text = "", .by_binary = by_binary, .il_command = il_command};
	cl_int error = CL_SUCCESS;
	test.text = text_read(path);
	if (!test.text) {
		complain(&test, WRONG_FILE, "cannot be read");
		return test.verdict;
	}
	test.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	if (!error)
		test.queue = clCreateCommandQueue(test.context, device, 0, &error);
	if (error)
		complain(&test, FAIL, "no context or queue: %d", error);
	else
		run_directives(&test);
	if (save_folder)
		save_buffers(&test, again && again_folder ? again_folder : save_folder);
	finish(&test);
	if (verbose || test.verdict)
		printf("%s: %s\n", path, test.verdict == PASS ? "pass"
		       : test.verdict == SKIP ? "skip" : "FAIL");
	return test.verdict;
}

static int usage(bool asked)
{
	fprintf(asked ? stdout : stderr,
		"usage: runner [--platform NAME] [--device N] [--verbose] [--save DIR [--again DIR]] [--facts FILE] "
		"[--binary] [--build] [--il COMMAND] [--programs FOLDER] FILE.clt...\n");
	return asked ? PASS : WRONG_FILE;
}

/* Before OpenCL is used, since the environment is read once. */
static void programs_at(const char *folder)
{
	setenv("CULVERT_CACHE", "on", 1);
	setenv("CULVERT_CACHE_DIR", folder, 1);
}

int main(int argc, char **argv)
{
	const char *platform = getenv("CLT_PLATFORM");
	unsigned index = 0;
	int first = 1;
	for (; first < argc && argv[first][0] == '-'; first++) {
		if (!strcmp(argv[first], "--platform") && first + 1 < argc)
			platform = argv[++first];
		else if (!strcmp(argv[first], "--device") && first + 1 < argc)
			index = (unsigned)strtoul(argv[++first], NULL, 0);
		else if (!strcmp(argv[first], "--verbose"))
			verbose = true;
		else if (!strcmp(argv[first], "--save") && first + 1 < argc)
			save_folder = argv[++first];
		else if (!strcmp(argv[first], "--again") && first + 1 < argc)
			again_folder = argv[++first];
		else if (!strcmp(argv[first], "--binary"))
			by_binary = true;
		else if (!strcmp(argv[first], "--build"))
			only_builds = true;
		else if (!strcmp(argv[first], "--il") && first + 1 < argc)
			il_command = argv[++first];
		else if (!strcmp(argv[first], "--programs") && first + 1 < argc)
			programs_at(argv[++first]);
		else if (!strcmp(argv[first], "--facts") && first + 1 < argc &&
			 facts_open(argv[first + 1]))
			first++;
		else
			return usage(!strcmp(argv[first], "--help"));
	}
	if (first + 1 == argc)
		report_prepare(argv[first]);
	cl_device_id device = device_find(platform, index);
	if (!device) {
		printf("no such OpenCL device\n");
		report_finish();
		return SKIP;
	}
	unsigned counts[3] = {0, 0, 0};
	enum verdict worst = PASS;
	for (int f = first; f < argc; f++) {
		enum verdict verdict = run_file(argv[f], device, f > first && !strcmp(argv[f], argv[f - 1]));
		counts[verdict == PASS ? 0 : verdict == SKIP ? 2 : 1]++;
		if (verdict != PASS && worst != FAIL)
			worst = verdict == SKIP && worst == PASS && argc - first == 1 ? SKIP
			      : verdict == SKIP ? worst : FAIL;
		fflush(stdout);
	}
	report_finish();
	if (facts_close())
		worst = FAIL;
	if (argc - first > 1)
		printf("%u passed, %u failed, %u skipped\n", counts[0], counts[1], counts[2]);
	return worst;
}
