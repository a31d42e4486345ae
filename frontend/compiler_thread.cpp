#include "config.h"

#include "frontend/compiler_thread.h"

#include "base/thread.h"

#include <csetjmp>
#include <cstdio>
#include <exception>
#include <new>

#include <pthread.h>
#include <unistd.h>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/ErrorHandling.h>

namespace {

/* Clang is recursive; a source that is nested too deeply would overflow the stack and end the process. */
constexpr size_t stack_B = size_t(1) << 30;

struct task_run {
	enum fe_status (*task)(void *argument);
	void *argument;
	struct bytes *log;
	enum fe_status status;
	std::jmp_buf escape;
};

/* The task that this thread runs; nullptr on other threads. */
thread_local task_run *current_run;

[[noreturn]] void leave(task_run *run, enum fe_status status)
{
	run->status = status;
	std::longjmp(run->escape, 1);
}

void on_fatal_error(void *, const char *reason, bool)
{
	task_run *run = current_run;
	if (run) {
		bytes_printf(run->log, "error: the compiler failed: %s\n", reason);
		leave(run, FE_INTERNAL);
	}
	/* LLVM ends the process when this returns; the reason is written as LLVM would. */
	char line[1024];
	int length = std::snprintf(line, sizeof(line), "LLVM ERROR: %s\n", reason);
	if (length > 0) {
		size_t size_B = size_t(length) < sizeof(line) ? size_t(length) : sizeof(line) - 1;
		ssize_t written = write(STDERR_FILENO, line, size_B);
		static_cast<void>(written);
	}
}

void on_bad_alloc(void *, const char *reason, bool)
{
	if (current_run)
		leave(current_run, FE_NO_MEMORY);
	on_fatal_error(nullptr, reason, false);
}

void install_handlers()
{
	llvm::install_fatal_error_handler(on_fatal_error);
	llvm::install_bad_alloc_error_handler(on_bad_alloc);
}

/* The only function that catches exceptions (local.mk says why others must not).  It is separate from the function
 * that calls setjmp, because exceptions and longjmp must not be mixed in one frame. */
void run_task(task_run *run)
{
	try {
		run->status = run->task(run->argument);
	} catch (const std::bad_alloc &) {
		run->status = FE_NO_MEMORY;
	} catch (const std::exception &exception) {
		bytes_printf(run->log, "error: the compiler failed: %s\n", exception.what());
		run->status = FE_INTERNAL;
	}
}

void *thread_main(void *argument)
{
	task_run *run = static_cast<task_run *>(argument);
	current_run = run;
	if (!setjmp(run->escape))
		run_task(run);
	current_run = nullptr;
	return nullptr;
}

} // namespace

enum fe_status fe_compiler_thread_run(enum fe_status (*task)(void *argument), void *argument,
				      struct bytes *log)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, install_handlers);
	task_run run = {};
	run.task = task;
	run.argument = argument;
	run.log = log;
	run.status = FE_INTERNAL;
	if (thread_run_deep(stack_B, thread_main, &run)) {
		bytes_append_string(log, "error: cannot start a thread for the compiler\n");
		return FE_NO_MEMORY;
	}
	return run.status;
}
