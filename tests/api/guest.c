/* Protects: the process that we are a guest in: whatever a program did with OpenCL, its
 * signals, locale, rounding and all else that belongs to a process are as they were, nothing
 * was written, and faults that the host brings about in our threads reach its handlers. */
#include "config.h"

#include "tests/api/entries.h"
#include "tests/api/fixture.h"

#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1024, LARGE_B = 8 << 20, PAGE_B = 1 << 16, SIGNALS = 65, LIMITS = RLIM_NLIMITS };

static struct api_test test;
static cl_command_queue queue;

/* 0.1f rounded to nearest is 0x3dcccccd; upwards or downwards it is another number. */
static const char source[] =
	"kernel void tenths(global float *out) { out[get_global_id(0)] = 0.1f; }\n"
	"kernel void sums(global float *out) { out[get_global_id(0)] += 0x1p-29f; }\n";

/* --- what belongs to the process ----------------------------------------------------------- */

struct process {
	struct sigaction actions[SIGNALS];
	sigset_t mask;
	char locale[256], folder[4096], name[16];
	locale_t thread_locale;
	int rounding, dumpable, reaper;
	mode_t creation_mask;
	struct rlimit limits[LIMITS];
	struct itimerval timer;
	unsigned variables;
	char *environment[1024];
};

static mode_t creation_mask(void)
{
	const mode_t mask = umask(0);
	umask(mask);
	return mask;
}

static void process_look(struct process *process)
{
	extern char **environ;
	memset(process, 0, sizeof(*process));
	for (int i = 1; i < SIGNALS; i++)
		(void)sigaction(i, NULL, &process->actions[i]);
	pthread_sigmask(SIG_SETMASK, NULL, &process->mask);
	snprintf(process->locale, sizeof(process->locale), "%s", setlocale(LC_ALL, NULL));
	process->thread_locale = uselocale((locale_t)0);
	process->rounding = fegetround();
	CHECK(getcwd(process->folder, sizeof(process->folder)) != NULL);
	process->creation_mask = creation_mask();
	CHECK(!prctl(PR_GET_NAME, process->name));
	CHECK(!prctl(PR_GET_CHILD_SUBREAPER, &process->reaper));
	process->dumpable = prctl(PR_GET_DUMPABLE);
	for (int i = 0; i < LIMITS; i++)
		CHECK(!getrlimit((__rlimit_resource_t)i, &process->limits[i]));
	CHECK(!getitimer(ITIMER_REAL, &process->timer));
	while (environ[process->variables] && process->variables < 1024) {
		process->environment[process->variables] = environ[process->variables];
		process->variables++;
	}
}

static void check_signals(const struct process *before, const struct process *after)
{
	for (int i = 1; i < SIGNALS; i++) {
		const struct sigaction *was = &before->actions[i], *is = &after->actions[i];
		bool same = was->sa_handler == is->sa_handler && was->sa_flags == is->sa_flags;
		for (int k = 1; k < SIGNALS; k++)
			same = same && sigismember(&was->sa_mask, k) == sigismember(&is->sa_mask, k);
		if (!CHECK(same))
			printf("signal %d\n", i);
		CHECK(sigismember(&before->mask, i) == sigismember(&after->mask, i));
	}
}

static void check_process(const struct process *before)
{
	struct process after;
	process_look(&after);
	check_signals(before, &after);
	CHECK(!strcmp(before->locale, after.locale));
	CHECK(before->thread_locale == after.thread_locale);
	CHECK(before->rounding == after.rounding);
	CHECK(!strcmp(before->folder, after.folder));
	CHECK(!strcmp(before->name, after.name));
	CHECK(before->creation_mask == after.creation_mask);
	CHECK(before->reaper == after.reaper && before->dumpable == after.dumpable);
	CHECK(!memcmp(before->limits, after.limits, sizeof(after.limits)));
	CHECK(!memcmp(&before->timer, &after.timer, sizeof(after.timer)));
	CHECK(before->variables == after.variables);
	CHECK(!memcmp(before->environment, after.environment, sizeof(after.environment)));
	/* No process that the host could wait for. */
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* --- a program's life with OpenCL ------------------------------------------------------------ */

static void check_words(cl_mem mem, cl_uint expected)
{
	cl_uint words[WORDS] = {0};
	buffer_read(queue, mem, words, sizeof(words));
	unsigned wrong = 0;
	for (unsigned i = 0; i < WORDS; i++)
		wrong += words[i] != expected;
	CHECK(!wrong);
}

static void run(cl_program program, const char *name, cl_mem mem)
{
	const size_t size = WORDS;
	cl_kernel kernel = kernel_make(program, name);
	CHECK_OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
	launch_1d(queue, kernel, size);
	CHECK_OK(clReleaseKernel(kernel));
}

/* Under the host's rounding, which is not ours: OpenCL 3.0, Unified Specification, C
 * Programming Language, 7.3: round to nearest even is the only mode. */
static void kernels_run(const char *options)
{
	cl_program program = api_test_build(test.context, test.device, source, options);
	cl_mem mem = buffer_make(test.context, 0, WORDS * sizeof(cl_float), NULL);
	if (program) {
		run(program, "tenths", mem);
		check_words(mem, 0x3dcccccd);
		/* A quarter of a unit in the last place more is the same number. */
		run(program, "sums", mem);
		check_words(mem, 0x3dcccccd);
		CHECK_OK(clReleaseProgram(program));
	}
	CHECK_OK(clReleaseMemObject(mem));
}

static void mistakes_happen(void)
{
	const char *bad = "kernel void k(global int *p) { p[0] = ; }\n";
	cl_int code;
	cl_program program = api_test_program(test.context, bad);
	CHECK_CODE(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	CHECK_OK(clReleaseProgram(program));
	CHECK(clCreateBuffer(test.context, 0, 0, NULL, &code) == NULL);
	CHECK_CODE(code, CL_INVALID_BUFFER_SIZE);
}

static void life(void)
{
	queue = queue_make(test.context, test.device, 0);
	kernels_run("");
	kernels_run("-cl-opt-disable");
	mistakes_happen();
	CHECK_OK(clReleaseCommandQueue(queue));
}

/* --- nothing is said ------------------------------------------------------------------------- */

struct silence {
	int out, err, file;
};

static bool silence_begin(struct silence *silence)
{
	char path[] = "guest-silence-XXXXXX";
	fflush(stdout);
	fflush(stderr);
	silence->file = mkstemp(path);
	if (!CHECK(silence->file >= 0))
		return false;
	(void)unlink(path);
	silence->out = dup(STDOUT_FILENO);
	silence->err = dup(STDERR_FILENO);
	CHECK(dup2(silence->file, STDOUT_FILENO) >= 0);
	CHECK(dup2(silence->file, STDERR_FILENO) >= 0);
	return true;
}

static void silence_end(const struct silence *silence)
{
	char said[256] = "";
	fflush(stdout);
	fflush(stderr);
	(void)dup2(silence->out, STDOUT_FILENO);
	(void)dup2(silence->err, STDERR_FILENO);
	const ssize_t size_B = pread(silence->file, said, sizeof(said) - 1, 0);
	if (!CHECK(!size_B))
		printf("said: %s\n", said);
	close(silence->out);
	close(silence->err);
	close(silence->file);
}

static void test_process(void)
{
	struct silence silence;
	struct process before;
	if (!silence_begin(&silence))
		return;
	process_look(&before);
	life();
	check_process(&before);
	const unsigned files = entries_of("/proc/self/fd");
	life();
	check_process(&before);
	CHECK(entries_of("/proc/self/fd") == files);
	silence_end(&silence);
}

/* --- faults of the host's ---------------------------------------------------------------------- */

static unsigned char *guarded;           /* nobody may touch it before the handler was called */
static atomic_uint faults, calls;
static _Atomic bool blocked_right;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	const uintptr_t at = (uintptr_t)info->si_addr, first = (uintptr_t)guarded;
	if (at < first || at >= first + LARGE_B ||
	    mprotect((void *)(at - at % PAGE_B), PAGE_B, PROT_READ | PROT_WRITE))
		_exit(3);
	faults++;
}

/* The host's signals are for the host's threads, but what this thread brings upon itself. */
static void look_at_mask(void)
{
	static const int theirs[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD, SIGPIPE};
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
	sigset_t mask;
	bool right = !pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++)
		right = right && sigismember(&mask, theirs[i]) == 1;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		right = right && sigismember(&mask, own[i]) == 0;
	blocked_right = right;
}

static pthread_t main_thread;

static void callback_body(size_t at_B)
{
	if (!pthread_equal(pthread_self(), main_thread))
		look_at_mask();
	guarded[at_B] = 7;
	calls++;
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
	callback_body(0);
}

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program, (void)data;
	callback_body(PAGE_B);
}

static bool comes_to(unsigned wanted)
{
	for (unsigned tries = 0; calls < wanted && tries < 3000; tries++)
		usleep(10000);
	return calls >= wanted;
}

static void callbacks_fault(void)
{
	const char *text = source;
	cl_event event;
	CHECK_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
	blocked_right = false;
	CHECK_OK(clSetEventCallback(event, CL_COMPLETE, on_event, NULL));
	CHECK_OK(clFlush(queue));
	CHECK(comes_to(1));
	CHECK(blocked_right);
	CHECK(guarded[0] == 7 && faults == 1);
	CHECK_OK(clReleaseEvent(event));
	cl_program program = api_test_program(test.context, text);
	blocked_right = false;
	CHECK_OK(clBuildProgram(program, 0, NULL, "", on_built, NULL));
	CHECK(comes_to(2));
	CHECK(blocked_right);
	CHECK(guarded[PAGE_B] == 7 && faults == 2);
	CHECK_OK(clReleaseProgram(program));
}

/* Memory that comes to be when it is touched: by the threads that copy, too. */
static void copies_fault(void)
{
	cl_int code;
	cl_mem mem = clCreateBuffer(test.context, 0, LARGE_B, NULL, &code);
	const cl_uint nine = 9;
	CHECK_OK(code);
	CHECK_OK(clEnqueueFillBuffer(queue, mem, &nine, sizeof(nine), 0, LARGE_B, 0, NULL, NULL));
	CHECK_OK(clFinish(queue));
	CHECK(!mprotect(guarded, LARGE_B, PROT_NONE));
	faults = 0;
	buffer_read(queue, mem, guarded, LARGE_B);
	CHECK(faults >= 1);
	const cl_uint *words = (const cl_uint *)(const void *)guarded;
	unsigned wrong = 0;
	for (size_t i = 0; i < LARGE_B / sizeof(cl_uint); i++)
		wrong += words[i] != nine;
	CHECK(!wrong);
	CHECK_OK(clReleaseMemObject(mem));
}

static void test_faults(void)
{
	struct sigaction action, before;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO;
	main_thread = pthread_self();
	guarded = mmap(NULL, LARGE_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!CHECK(guarded != MAP_FAILED) || !CHECK(!sigaction(SIGSEGV, &action, &before)))
		return;
	queue = queue_make(test.context, test.device, 0);
	callbacks_fault();
	copies_fault();
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK(!sigaction(SIGSEGV, &before, NULL));
	munmap(guarded, LARGE_B);
}

int main(void)
{
	/* Also where there are few cores. */
	setenv("CULVERT_COPY_THREADS", "4", 1);
	/* What is not the default is what could be changed to it. */
	setlocale(LC_ALL, "C.UTF-8");
	umask(027);
	signal(SIGPIPE, SIG_IGN);
	CHECK(!fesetround(FE_UPWARD));
	if (!api_test_start(&test, "guest"))
		return API_TEST_SKIP;
	test_process();
	test_faults();
	return api_test_end(&test);
}
