/* culvert-compile: compiles for libculvert.so (icd/compile/compile_process.h), which starts it with a socket as file
 * descriptor 3. It serves one job after the other.  It ends when the other end of the socket is closed, even during
 * a job, or when it was idle for a while.  It is not meant to be started by hand.
 *
 * culvert-compile PROGRAM: PROGRAM is the executable of the application, in whose folder libnvvm is also looked for. */
#include "config.h"

#include "backend/codegen.h"
#include "base/memory_limit.h"
#include "base/message.h"
#include "base/own_process.h"
#include "base/stage.h"
#include "base/thread.h"
#include "build_name.h"
#include "icd/compile/compile.h"
#include "icd/compile/compile_confine.h"
#include "icd/compile/compile_wire.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKET = 3, IDLE_MS = 15000 };

/* --- when it crashes ------------------------------------------------------------------- */

static void on_crash(int number)
{
	const char *stage = ocl_compile_stage();
	struct {
		uint64_t size_B;
		struct ocl_wire_crash crash;
	} message = {.crash = {.first = OCL_WIRE_CRASHED, .signal = (unsigned char)number}};
	const uint64_t module = be_nvvm_module_now(), used_B = memory_used_B();
	message.size_B = sizeof(message.crash);
	memcpy(message.crash.module, &module, sizeof(module));
	memcpy(message.crash.used_B, &used_B, sizeof(used_B));
	for (size_t i = 0; stage[i] && i + 1 < sizeof(message.crash.stage); i++)
		message.crash.stage[i] = stage[i];
	(void)!send(SOCKET, &message, sizeof(message), MSG_NOSIGNAL);
	_exit(1);
}

static void crashes_arrange(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
	const struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		(void)sigaction(crashes[i], &action, NULL);
}

/* --- a job -------------------------------------------------------------------------------- */

struct work {
	struct ocl_wire_job wire;
	int done;                    /* file descriptor of a pipe, which gets a byte when the job is done */
};

static unsigned threads_now(void)
{
	return ocl_wire_ask_threads(SOCKET);
}

static void *work_main(void *argument)
{
	struct work *work = argument;
	struct ocl_outcome outcome = OCL_OUTCOME_INIT;
	struct bytes message = BYTES_INIT;
	work->wire.job.threads = threads_now;
	/* Relative paths refer to the application's folder. */
	if (chdir(work->wire.folder)) {
		bytes_printf(&outcome.log, "error: the folder %s cannot be entered\n",
			     work->wire.folder);
		outcome.error = ocl_job_frontend_error(work->wire.job.kind, FE_INTERNAL);
	} else {
		ocl_compile(&work->wire.job, &outcome);
	}
	bytes_append_char(&message, be_nvvm_is_spoilt() ? OCL_WIRE_SPOILT : OCL_WIRE_MADE);
	ocl_wire_put_outcome(&outcome, &message);
	ocl_outcome_finish(&outcome);
	if (message_send(SOCKET, 0, &message))
		_exit(1);
	bytes_finish(&message);
	(void)!write(work->done, "", 1);
	return NULL;
}

/* Returns when the job is done; ends the process if the other end of the socket is closed before. */
static void watch(int done)
{
	struct pollfd polls[2] = {{.fd = SOCKET, .events = POLLRDHUP},
				  {.fd = done, .events = POLLIN}};
	while (!polls[1].revents) {
		(void)poll(polls, 2, -1);
		if (polls[0].revents)
			_exit(0);
	}
}

/* Runs the job of a message.  False when there is not enough memory to begin it. */
static bool serve(const struct bytes *message)
{
	struct work work;
	struct bytes begun = BYTES_INIT;
	pthread_t thread;
	int done[2];
	char byte;
	if (!ocl_wire_get_job(message, &work.wire) || pipe2(done, O_CLOEXEC))
		return false;
	work.done = done[1];
	bytes_append_char(&begun, OCL_WIRE_BEGUN);
	/* The thread's stack size is set explicitly, because the application's limits are inherited. */
	bool good = !message_send(SOCKET, 0, &begun) &&
		    !thread_start_deep(&thread, BE_CODEGEN_STACK_B, work_main, &work);
	bytes_finish(&begun);
	if (good) {
		watch(done[0]);
		(void)!read(done[0], &byte, 1);
		(void)pthread_join(thread, NULL);
	}
	(void)close(done[0]);
	(void)close(done[1]);
	ocl_wire_job_finish(&work.wire);
	return good;
}

static bool serve_next(void)
{
	struct pollfd poll_socket = {.fd = SOCKET, .events = POLLIN};
	struct bytes message = BYTES_INIT;
	if (poll(&poll_socket, 1, IDLE_MS) <= 0)
		return false;
	bool good = !message_receive(SOCKET, 0, &message) && serve(&message);
	bytes_finish(&message);
	return good;
}

int main(int argc, char **argv)
{
	int type = 0;
	socklen_t type_B = sizeof(type);
	struct bytes hello = BYTES_INIT;
	if (getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &type_B)) {
		fprintf(stderr, "culvert-compile is started by libculvert.so, not by hand\n");
		return 2;
	}
	own_process_arrange();
	crashes_arrange();
	(void)ocl_compile_confine(stage_dumped());
	if (argc > 1 && *argv[1])
		be_nvvm_beside(argv[1]);
	bytes_append_string(&hello, OCL_WIRE_HELLO);
	bool good = !message_send(SOCKET, 0, &hello);
	bytes_finish(&hello);
	while (good)
		good = serve_next();
	/* _exit does not call the compilers' destructors, which are not needed. */
	_exit(0);
}
