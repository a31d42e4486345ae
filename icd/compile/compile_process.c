#include "config.h"

#include "icd/compile/compile_process.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/memory_limit.h"
#include "base/message.h"
#include "base/options.h"
#include "base/own_library.h"
#include "base/own_program.h"
#include "base/processors.h"
#include "base/spawn.h"
#include "base/stage.h"
#include "build_name.h"
#include "icd/compile/compile.h"
#include "icd/compile/compile_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_name[] = "culvert-compile";
/* How long a process may take before a compiler is needed: to send its first message, and to receive a job. */
static const uint64_t answer_ns = 20000000000u;
/* How long a process that has run a job before may take to receive the next one.  Every look_ns it is checked
 * whether the process was stopped (SIGSTOP); only two such findings in a row count, because it may be continued at
 * once. */
static const uint64_t turn_ns = 1000000000u, look_ns = 50000000u;

enum { HELPERS_MIN = 4, HELPERS_MAX = 16, SHARE_MAX = 16, STOPS_MOST = 3 };

/* The application's view of files and its rights when a compiler process was started; a process that was started
 * with others is not used. */
struct circumstances {
	dev_t root_device;
	ino_t root;
	pid_t pid;
	uid_t user;
	gid_t group;
};

struct helper {
	struct list link;                /* in helpers.idle; guarded by its lock */
	int socket;                      /* owned */
	pid_t pid;
	bool served;                     /* it has run a job before */
	bool spoilt;                     /* it cannot run jobs that optimize (be_nvvm_is_spoilt) */
	struct circumstances started_in;
};

static struct {
	struct lock lock;                /* guards all fields below */
	bool ready;
	struct list idle;
	unsigned busy;
	struct lock_condition freed;
} helpers = {.lock = LOCK_INIT(LOCK_RANK_EVENT)};

static struct circumstances circumstances_now(void)
{
	struct circumstances now;
	struct stat root;
	memset(&now, 0, sizeof(now));
	if (!stat("/", &root)) {
		now.root_device = root.st_dev;
		now.root = root.st_ino;
	}
	now.pid = getpid();
	now.user = geteuid();
	now.group = getegid();
	return now;
}

/* --- starting one ------------------------------------------------------------------------ */

static int spawn(const char *path, int socket, pid_t *pid_out)
{
	struct bytes texts = BYTES_INIT, pointers = BYTES_INIT;
	/* libnvvm may be found beside the Python interpreter that runs the application. */
	char *program = own_program();
	/* The process finds libraries beside its own file; without /proc it only knows the path with which it was
	 * executed.  That has to be absolute, because the process changes its working directory for each job. */
	char *whole = realpath(path, NULL);
	if (whole)
		path = whole;
	char *arguments[] = {(char *)path, program ? program : (char *)"", NULL};
	int error = ENOMEM;
	if (spawn_environment(&texts, &pointers)) {
		struct spawn order = {
			.path = path,
			.arguments = arguments,
			.environment = (char *const *)(void *)pointers.data,
			.socket = socket,
			.keep_stderr = log_enabled(LOG_LEVEL_ERR),
		};
		error = spawn_run(&order);
		*pid_out = order.pid;
	}
	bytes_finish(&texts);
	bytes_finish(&pointers);
	free(whole);
	free(program);
	return error;
}

static void helper_destroy(struct helper *helper)
{
	(void)shutdown(helper->socket, SHUT_RDWR);
	(void)close(helper->socket);
	/* After fork, a process that the parent started is not a child of this one. */
	if (helper->started_in.pid == getpid())
		spawn_reap(helper->pid);
	free(helper);
}

static bool greets(const char *path, int socket)
{
	struct bytes hello = BYTES_INIT;
	const bool heard = !message_receive(socket, host_now_ns() + answer_ns, &hello);
	const bool good = heard && !strcmp(bytes_string(&hello), OCL_WIRE_HELLO);
	if (!good)
		log_warn("%s %s", path, heard ? "is not from the same build as this library, " CULVERT_BUILD
					      : "does not respond");
	bytes_finish(&hello);
	return good;
}

static struct helper *helper_start(const char *path)
{
	int sockets[2];
	struct helper *helper = calloc(1, sizeof(*helper));
	if (!helper)
		return NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		free(helper);
		return NULL;
	}
	list_init(&helper->link);
	helper->socket = sockets[0];
	helper->started_in = circumstances_now();
	int error = spawn(path, sockets[1], &helper->pid);
	(void)close(sockets[1]);
	if (error) {
		log_info("%s cannot be started: %s", path, strerror(error));
		(void)close(helper->socket);
		free(helper);
		return NULL;
	}
	if (greets(path, helper->socket))
		return helper;
	helper_destroy(helper);
	return NULL;
}

/* --- having one --------------------------------------------------------------------------- */

/* The most compiler processes at a time.  There are more than cores: otherwise, of 16 equal builds on 13 cores,
 * three would begin when all others end. */
static unsigned helpers_max(void)
{
	unsigned most = 2 * processors_usable();
	return most < HELPERS_MIN ? HELPERS_MIN : most > HELPERS_MAX ? HELPERS_MAX : most;
}

/* The number of threads that a job may use: the cores are shared equally by the jobs that are running. */
static unsigned share_now(void)
{
	lock_take(&helpers.lock);
	const unsigned busy = helpers.busy;
	lock_drop(&helpers.lock);
	const unsigned share = processors_usable() / busy;
	return share < 1 ? 1 : share > SHARE_MAX ? SHARE_MAX : share;
}

static bool ready_locked(void)
{
	if (helpers.ready)
		return true;
	if (lock_condition_init(&helpers.freed))
		return false;
	list_init(&helpers.idle);
	helpers.ready = true;
	return true;
}

/* An idle process that was started in these circumstances and can run the job, or NULL; processes of other
 * circumstances are moved into stale.  A job that does not optimize is given to a spoilt process if there is one:
 * otherwise builds with and without optimization in turn would spoil one process after the other, and all of them
 * would stay idle. */
static struct helper *idle_find_locked(const struct circumstances *now, bool optimizes,
				       struct list *stale)
{
	struct helper *found = NULL;
	struct list *link, *next;
	list_for_each(link, next, &helpers.idle) {
		struct helper *helper = list_entry(link, struct helper, link);
		if (memcmp(&helper->started_in, now, sizeof(*now))) {
			list_remove(link);
			list_append(stale, link);
		} else if (helper->spoilt ? !optimizes && !(found && found->spoilt) : !found) {
			found = helper;
		}
	}
	if (found)
		list_remove(&found->link);
	return found;
}

static void helper_release(void)
{
	lock_take(&helpers.lock);
	helpers.busy--;
	lock_condition_signal_all(&helpers.freed);
	lock_drop(&helpers.lock);
}

/* Takes an idle process or, if fresh is set or none is idle, starts one.  NULL: none can be started. */
static struct helper *helper_take(bool fresh, bool optimizes, const char *path)
{
	struct list stale, *link, *next;
	const struct circumstances now = circumstances_now();
	struct helper *helper = NULL;
	list_init(&stale);
	lock_take(&helpers.lock);
	if (!ready_locked()) {
		lock_drop(&helpers.lock);
		return NULL;
	}
	while (helpers.busy >= helpers_max())
		lock_condition_wait(&helpers.freed, &helpers.lock);
	helpers.busy++;
	if (!fresh)
		helper = idle_find_locked(&now, optimizes, &stale);
	lock_drop(&helpers.lock);
	list_for_each(link, next, &stale)
		helper_destroy(list_entry(link, struct helper, link));
	if (!helper) {
		struct stage_clock clock = stage_clock_start();
		helper = helper_start(path);
		stage_clock_lap(&clock, "start of a compiler's process");
	}
	if (!helper)
		helper_release();
	return helper;
}

static void helper_give_back(struct helper *helper)
{
	helper->served = true;
	lock_take(&helpers.lock);
	list_prepend(&helpers.idle, &helper->link);
	lock_drop(&helpers.lock);
	helper_release();
}

static void helper_discard(struct helper *helper)
{
	helper_destroy(helper);
	helper_release();
}

/* --- giving it a job ------------------------------------------------------------------------ */

enum outcome { MADE, NOT_BEGUN, STOPPED, DIED, DIED_IN_LIBNVVM, TOOK_TOO_LONG, NO_MEMORY };

/* Why there is no outcome. */
struct failure {
	struct bytes reason;             /* the beginning of a sentence */
	uint64_t module;                 /* for DIED_IN_LIBNVVM: the bit of the NVVM IR module; 0: not known */
};

static void failure_finish(struct failure *failure)
{
	bytes_finish(&failure->reason);
	failure->module = 0;
}

static const char *signal_name(int number)
{
	switch (number) {
	case SIGSEGV:
		return "a segmentation fault";
	case SIGBUS:
		return "a bus error";
	case SIGFPE:
		return "an arithmetic exception";
	case SIGILL:
	case SIGTRAP:
		return "an illegal instruction";
	case SIGABRT:
		return "an assertion of its own";
	default:
		return "a signal";
	}
}

/* Adds the memory use to the reason if it was high: a compiler whose allocation fails may crash in any way. */
static void tell_memory(uint64_t used_B, struct bytes *reason)
{
	const uint64_t limit_B = memory_limit_B();
	if (limit_B && used_B >= limit_B / 4)
		bytes_printf(reason, ", with %llu of the %llu MiB of memory that it may have "
			     "(CULVERT_COMPILER_MEMORY)", (unsigned long long)used_B >> 20,
			     (unsigned long long)limit_B >> 20);
}

static void tell_full(struct ocl_outcome *result)
{
	const uint64_t limit_B = memory_limit_B();
	bytes_append_string(&result->log, "error: the compiler ran out of memory");
	if (limit_B)
		bytes_printf(&result->log, ", its limit is %llu MiB "
			     "(CULVERT_COMPILER_MEMORY)", (unsigned long long)limit_B >> 20);
	bytes_append_string(&result->log, "\n");
}

static enum outcome outcome_of(struct helper *helper, const struct bytes *message,
			       const struct ocl_job *job, struct ocl_outcome *result,
			       struct failure *failure)
{
	struct ocl_wire_crash crash;
	helper->spoilt = message->size_B && message->data[0] == OCL_WIRE_SPOILT;
	if (message->size_B && (helper->spoilt || message->data[0] == OCL_WIRE_MADE) &&
	    ocl_wire_get_outcome(message, 1, job->target.sm, result))
		return MADE;
	if (message->size_B != sizeof(crash) || message->data[0] != OCL_WIRE_CRASHED) {
		bytes_append_string(&failure->reason,
				    "the compiler process sent an invalid message");
		return DIED;
	}
	memcpy(&crash, message->data, sizeof(crash));
	crash.stage[sizeof(crash.stage) - 1] = '\0';
	memcpy(&failure->module, crash.module, sizeof(crash.module));
	bytes_printf(&failure->reason, "the compiler crashed in %s with %s", crash.stage,
		     signal_name(crash.signal));
	uint64_t used_B;
	memcpy(&used_B, crash.used_B, sizeof(used_B));
	tell_memory(used_B, &failure->reason);
	return strcmp(crash.stage, OCL_STAGE_LIBNVVM) ? DIED : DIED_IN_LIBNVVM;
}

/* Receives the next message, with the errors of message_receive; ECANCELED: the process was stopped. */
static int helper_receive(const struct helper *helper, uint64_t deadline_ns, struct bytes *message)
{
	for (unsigned stopped = 0; stopped < 2;) {
		const uint64_t now_ns = host_now_ns(), next_ns = now_ns + look_ns;
		const bool last = deadline_ns && deadline_ns <= next_ns;
		if (!message_wait(helper->socket, last ? deadline_ns : next_ns))
			return message_receive(helper->socket, deadline_ns, message);
		if (last)
			return ETIMEDOUT;
		stopped = spawn_stopped(helper->pid) ? stopped + 1 : 0;
	}
	return ECANCELED;
}

/* Receives the last message of a job, and before that answers messages that ask how many threads the job may use. */
static int outcome_receive(const struct helper *helper, uint64_t deadline_ns,
			   struct bytes *message)
{
	for (;;) {
		const int error = helper_receive(helper, deadline_ns, message);
		if (error || !message->size_B || message->data[0] != OCL_WIRE_ASKS)
			return error;
		bytes_finish(message);
		const int send_error = ocl_wire_tell_threads(helper->socket, deadline_ns, share_now());
		if (send_error)
			return send_error;
	}
}

/* CULVERT_COMPILER_TIMEOUT in seconds; 0: no limit. */
static uint64_t limit_s(void)
{
	static const uint64_t longest_s = 1000000000u;
	const uint64_t wanted_s = option_number(OPTION_COMPILER_TIMEOUT);
	return wanted_s < longest_s ? wanted_s : longest_s;
}

/* Sends the job, and returns whether the process has received it.  The wait is shorter than that for a compilation:
 * if the process was stopped or gets no processor time, another one is given the job. */
static bool taken(const struct helper *helper, const struct bytes *order)
{
	const uint64_t most_ns = limit_s() * 1000000000u;
	const uint64_t usual_ns = helper->served ? turn_ns : answer_ns;
	const uint64_t deadline_ns =
		host_now_ns() + (most_ns && most_ns < usual_ns ? most_ns : usual_ns);
	struct bytes begun = BYTES_INIT;
	const bool good = !message_send(helper->socket, deadline_ns, order) &&
			  !helper_receive(helper, deadline_ns, &begun) &&
			  begun.size_B && begun.data[0] == OCL_WIRE_BEGUN;
	bytes_finish(&begun);
	return good;
}

static enum outcome hand_over(struct helper *helper, const struct bytes *order,
			      const struct ocl_job *job, struct ocl_outcome *result,
			      struct failure *failure)
{
	if (!taken(helper, order))
		return NOT_BEGUN;
	const uint64_t most_s = limit_s();
	const uint64_t deadline_ns = most_s ? host_now_ns() + most_s * 1000000000u : 0;
	struct bytes message = BYTES_INIT;
	enum outcome outcome;
	switch (outcome_receive(helper, deadline_ns, &message)) {
	case 0:
		outcome = outcome_of(helper, &message, job, result, failure);
		break;
	case ETIMEDOUT:
		bytes_printf(&failure->reason,
			     "the compiler was stopped after %u seconds "
			     "(CULVERT_COMPILER_TIMEOUT)", (unsigned)most_s);
		outcome = TOOK_TOO_LONG;
		break;
	case ENOMEM:
		outcome = NO_MEMORY;
		break;
	case ECANCELED:
		bytes_append_string(&failure->reason, "the compiler process was stopped by a signal");
		outcome = STOPPED;
		break;
	default:
		bytes_append_string(&failure->reason, "the compiler process ended without a "
				    "message, for example for lack of stack or memory");
		outcome = DIED;
	}
	bytes_finish(&message);
	return outcome;
}

static void report(const struct ocl_job *job, const struct bytes *reason,
		   struct ocl_outcome *result)
{
	log_err("%s while compiling for sm_%u", bytes_string(reason), job->target.sm);
	bytes_printf(&result->log,
		     "error: %s while compiling for sm_%u.\n"
		     "The compiler runs in a separate process, so this program continues. Simpler code at "
		     "that place or\nthe option -cl-opt-disable may avoid the failure; CULVERT_DUMP=FOLDER "
		     "stores the compiler's input.\n",
		     bytes_string(reason), job->target.sm);
	result->error = ocl_job_frontend_error(job->kind, FE_INTERNAL);
}

/* folder: the folder to which relative paths refer. */
static bool order_make(const struct ocl_job *job, const char *folder, struct bytes *order)
{
	ocl_wire_put_job(job, folder, order);
	return !bytes_failed(order);
}

/* Whether the job needs a process that can optimize.  A loaded program, which has no options, may need one. */
static bool optimizes(const struct ocl_job *job)
{
	return !job->options || job->options->codegen.optimization;
}

/* Runs the job in a process.  A process that has run other jobs before may have been damaged by them, or may have
 * ended meanwhile; if it fails, a new process tries the job.  If no other process can be started the failure stands:
 * a job that crashed a compiler process is not run in the application's process. */
static enum outcome try_there(const char *path, const char *folder, const struct ocl_job *job,
			      struct ocl_outcome *result, struct failure *failure)
{
	enum outcome outcome = NOT_BEGUN;
	unsigned stops = 0;
	for (bool fresh = false, again = true; again; fresh = true) {
		struct bytes order = BYTES_INIT;
		struct helper *helper = helper_take(fresh, optimizes(job), path);
		if (!helper)
			return outcome;
		failure_finish(failure);
		again = helper->served;
		outcome = NO_MEMORY;
		if (order_make(job, folder, &order))
			outcome = hand_over(helper, &order, job, result, failure);
		bytes_finish(&order);
		/* A process whose job ran out of memory still holds what was allocated, so it is not used again. */
		const bool full = outcome == MADE && result->error == CL_OUT_OF_HOST_MEMORY;
		if (outcome == MADE && !(full && again)) {
			if (full)
				tell_full(result);
			full ? helper_discard(helper) : helper_give_back(helper);
			return MADE;
		}
		helper_discard(helper);
		ocl_outcome_finish(result);
		again = again && (full || outcome == NOT_BEGUN || outcome == DIED ||
				  outcome == DIED_IN_LIBNVVM);
		again = again || (outcome == STOPPED && stops++ < STOPS_MOST);
	}
	return outcome;
}

/* Without optimization libnvvm sometimes rejects NVVM IR that was generated to be optimized ("unsupported
 * operation"); it accepts what the front end generates for -cl-opt-disable. */
static enum outcome try_unoptimized(const char *path, const char *folder,
				    const struct ocl_job *job, struct ocl_outcome *result,
				    struct failure *failure)
{
	struct fe_options options = *job->options;
	struct ocl_job plain = *job;
	options.codegen.optimization = 0;
	plain.options = &options;
	return try_there(path, folder, &plain, result, failure);
}

/* Compiles a job on which libnvvm crashed again without optimization, which avoids nearly all of its crashes.  At
 * first only the module on which it crashed is not optimized; each attempt compiles everything. */
static bool compile_cautiously(const char *path, const char *folder,
			       const struct ocl_job *job, const struct failure *first,
			       struct ocl_outcome *result)
{
	enum { PARTLY = 3 };
	struct ocl_job cautious = *job;
	struct failure failure = {.module = first->module};
	enum outcome outcome = DIED_IN_LIBNVVM;
	for (int i = 0; outcome == DIED_IN_LIBNVVM; i++) {
		const uint64_t before = cautious.unoptimized;
		cautious.unoptimized =
			failure.module && i < PARTLY ? before | failure.module : UINT64_MAX;
		if (cautious.unoptimized == before)
			break;
		outcome = try_there(path, folder, &cautious, result, &failure);
	}
	if (outcome == MADE && result->error && job->kind == OCL_JOB_SOURCE) {
		ocl_outcome_finish(result);
		outcome = try_unoptimized(path, folder, job, result, &failure);
	}
	failure_finish(&failure);
	if (outcome != MADE)
		return false;
	log_warn("%s while compiling for sm_%u; compiled without optimization instead",
		 bytes_string(&first->reason), job->target.sm);
	bytes_printf(&result->log,
		     "warning: %s while compiling for sm_%u; compiled without optimization instead: these "
		     "kernels may be slow.\n",
		     bytes_string(&first->reason), job->target.sm);
	return true;
}

/* False: no process has begun the job. */
static bool compile_there(const char *path, const char *folder, const struct ocl_job *job,
			  struct ocl_outcome *result)
{
	struct failure failure = {.reason = BYTES_INIT};
	enum outcome outcome = try_there(path, folder, job, result, &failure);
	if (outcome == DIED_IN_LIBNVVM &&
	    compile_cautiously(path, folder, job, &failure, result))
		outcome = MADE;
	if (outcome == NO_MEMORY)
		result->error = CL_OUT_OF_HOST_MEMORY;
	else if (outcome != MADE && outcome != NOT_BEGUN)
		report(job, &failure.reason, result);
	failure_finish(&failure);
	return outcome != NOT_BEGUN;
}

/* Whether jobs are compiled in separate processes: if CULVERT_COMPILER allows it and the application is not a
 * set-user-ID program. */
static bool process_wanted(void)
{
	/* The rights and the environment of a set-user-ID program must not be passed on. */
	return strcmp(option_string(OPTION_COMPILER), "inside") && !getauxval(AT_SECURE);
}

/* The folder in which relative paths start, to be freed.  NULL if a separate process could not go there by this name,
 * for example because the host has given up rights since it was started. */
static char *own_folder(void)
{
	char *folder = getcwd(NULL, 0);
	if (folder && !faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS))
		return folder;
	free(folder);
	return NULL;
}

bool ocl_compile_process(const struct ocl_job *job, struct ocl_outcome *result)
{
	struct bytes path = BYTES_INIT;
	bool done = false;
	lock_assert_none();
	if (!process_wanted())
		return false;
	char *folder = own_folder();
	if (folder && own_library_find(file_name, &path))
		done = compile_there(bytes_string(&path), folder, job, result);
	bytes_finish(&path);
	free(folder);
	if (!done && !strcmp(option_string(OPTION_COMPILER), "process")) {
		bytes_printf(&result->log, "error: cannot start a compiler process "
			     "(%s), which CULVERT_COMPILER=process requires\n", file_name);
		result->error = ocl_job_backend_error(job->kind, CL_COMPILER_NOT_AVAILABLE);
		done = true;
	}
	return done;
}
