#include "config.h"

#include "base/own_process.h"

#include "base/memory_limit.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

/* The process that started this one may have ignored or blocked some signals, which is inherited. */
static void signals_arrange(void)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	for (int number = 1; number < 32; number++)
		(void)sigaction(number, &action, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void own_process_arrange(void)
{
	const struct rlimit no_core = {0, 0};
	signals_arrange();
	(void)setrlimit(RLIMIT_CORE, &no_core);
	memory_limit_set();
	const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (file >= 0) {
		(void)!write(file, "1000", 4);
		(void)close(file);
	}
}
