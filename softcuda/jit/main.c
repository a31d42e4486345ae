/* culvert-softcuda-compile: compiles kernels for libculvert-softcuda.so (softcuda/exec/compiler.h), which starts it
 * with a socket as file descriptor 3.  It compiles one kernel after the other.  It ends when the other end of the
 * socket is closed, also while it compiles, when it was idle for a while, and when a kernel takes too long.  It is not
 * meant to be started by hand; --build prints its build, for culvert doctor. */
#include "config.h"

#include "base/clock.h"
#include "base/message.h"
#include "base/own_process.h"
#include "base/thread.h"
#include "build_name.h"
#include "softcuda/jit/compile.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* LLVM's recursion needs more stack than the usual size. */
enum { SOCKET = 3, IDLE_MS = 15000, LONGEST_MS = 60000, STACK_B = 64 << 20 };

struct work {
	struct bytes message;
	int done;                        /* file descriptor of a pipe, which gets a byte at the end */
};

static void *work_main(void *data)
{
	struct work *work = data;
	struct compile_order order;
	struct bytes answer = BYTES_INIT, why = BYTES_INIT;
	if (compile_order_get(&work->message, &order, &why))
		jit_compile(&order, &answer);
	else
		compile_refusal_put(bytes_string(&why), &answer);
	compile_order_finish(&order);
	/* Without memory for the answer, or a reader of it, the process is of no use. */
	if (message_send(SOCKET, 0, &answer))
		_exit(1);
	bytes_finish(&answer);
	bytes_finish(&why);
	(void)!write(work->done, "", 1);
	return NULL;
}

/* Returns when the work is done.  Ends the process if it takes too long, which nothing else can stop, or if the other
 * end of the socket is closed before. */
static void watch(int done)
{
	struct pollfd polls[2] = {{.fd = SOCKET, .events = POLLRDHUP}, {.fd = done, .events = POLLIN}};
	struct bytes answer = BYTES_INIT;
	const uint64_t end_ns = host_now_ns() + LONGEST_MS * UINT64_C(1000000);
	while (!polls[1].revents) {
		const int ready = poll(polls, 2, LONGEST_MS);
		if (polls[0].revents)
			_exit(0);
		if (!ready || host_now_ns() > end_ns) {
			compile_refusal_put("LLVM has not compiled it in 60 seconds", &answer);
			(void)message_send(SOCKET, 0, &answer);
			_exit(1);
		}
	}
}

/* Compiles the next kernel.  False: the process is to end. */
static bool serve(void)
{
	struct pollfd poll_socket = {.fd = SOCKET, .events = POLLIN};
	struct work work = {.message = BYTES_INIT};
	pthread_t thread;
	int done[2];
	char byte;
	if (poll(&poll_socket, 1, IDLE_MS) <= 0 || message_receive(SOCKET, 0, &work.message) || pipe2(done, O_CLOEXEC))
		return false;
	work.done = done[1];
	if (thread_start_deep(&thread, STACK_B, work_main, &work))
		return false;
	watch(done[0]);
	(void)!read(done[0], &byte, 1);
	(void)pthread_join(thread, NULL);
	(void)close(done[0]);
	(void)close(done[1]);
	bytes_finish(&work.message);
	return true;
}

int main(int argc, char **argv)
{
	int type = 0;
	socklen_t type_B = sizeof(type);
	if (argc == 2 && !strcmp(argv[1], "--build"))
		return puts(CULVERT_BUILD) < 0;
	if (getsockopt(SOCKET, SOL_SOCKET, SO_TYPE, &type, &type_B)) {
		fprintf(stderr, "culvert-softcuda-compile is started by libculvert-softcuda.so, not by hand\n");
		return 2;
	}
	own_process_arrange();
	/* The application's folder is not kept in use. */
	(void)!chdir("/");
	while (serve()) {
	}
	/* LLVM's destructors are not needed. */
	_exit(0);
}
