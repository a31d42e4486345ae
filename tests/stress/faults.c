/* The workload of faults_work.c, several times in one process, and what came of it.
 * tests/stress/faults.sh runs it with calls that fail on purpose.
 *
 *	faults [once|twice|lost]
 *
 * Without an argument the workload runs three times, of which one at most may have
 * met errors; when that is the last, once more.  twice: the same with two times, for
 * faults that the first run meets.  once: a single run, without errors.
 * lost: a device may be dead afterwards, but not both, and all that was asked of it has
 * ended.
 * FAULTS_STAY=1 in the environment: all of its threads stay on the processor that it starts on.
 *
 * Exit status: 0 as it should be, 1 not, 3 no platform or no device, 77 no softcuda. */
#include "config.h"

#include "tests/stress/faults.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, FEW_ROUNDS = 2, MORE_ROUNDS = 4, CODES_MAX = 4, NO_PLATFORM = 3 };

static const struct {
	const char *call;
	cl_int codes[CODES_MAX];
} allowed[] = {
#define CODES(call, ...) {#call, {__VA_ARGS__}},
#include "tests/stress/codes.def"
#undef CODES
};

void faults_wrong(struct faults_run *run, const char *what, int line)
{
	run->wrong++;
	printf("WRONG: line %d: %s\n", line, what);
}

static bool allows(const char *call, cl_int code)
{
	const size_t size_B = strcspn(call, "(");
	if (code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY)
		return true;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		if (strlen(allowed[i].call) != size_B || strncmp(allowed[i].call, call, size_B))
			continue;
		for (int k = 0; k < CODES_MAX; k++)
			if (allowed[i].codes[k] == code)
				return true;
	}
	return false;
}

cl_int faults_note(struct faults_run *run, const char *call, cl_int code, int line)
{
	if (code == CL_SUCCESS)
		return code;
	run->errors++;
	printf("line %d: %.*s: %d\n", line, (int)strcspn(call, "("), call, code);
	if (!allows(call, code))
		faults_wrong(run, "the specification has no such code for this call", line);
	return code;
}

static int judge(const struct faults_run *runs, int count, bool lost)
{
	int good = 0;
	for (int i = 0; i < count; i++) {
		if (runs[i].wrong)
			return 1;
		good += !runs[i].errors;
	}
	if (lost) {
		const struct faults_run *last = &runs[count - 1];
		return last->served[0] || last->served[1] ? 0 : 1;
	}
	if (runs[count - 1].errors || good < count - 1) {
		printf("WRONG: errors in %d of %d runs\n", count - good, count);
		return 1;
	}
	return 0;
}

/* Nobody needs to wake another processor then, which takes much of the time. */
static void stay_here(void)
{
	const int processor = sched_getcpu();
	cpu_set_t set;
	if (processor < 0 || processor >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	static struct faults_run runs[MORE_ROUNDS];
	const bool once = argc > 1 && !strcmp(argv[1], "once");
	const bool lost = argc > 1 && !strcmp(argv[1], "lost");
	const bool twice = argc > 1 && !strcmp(argv[1], "twice");
	const int planned = once ? 1 : twice ? FEW_ROUNDS : ROUNDS;
	int rounds = planned;
	setvbuf(stdout, NULL, _IOLBF, 0);
	const char *stay = getenv("FAULTS_STAY");
	if (stay && *stay)
		stay_here();
	for (int i = 0; i < rounds; i++) {
		if (lost && i == rounds - 1)
			faults_serve(&runs[i]);
		else
			faults_work(&runs[i]);
		if (runs[i].no_platform)
			return NO_PLATFORM;
		printf("run %d: %u errors, %u wrong\n", i, runs[i].errors, runs[i].wrong);
		/* What polls calls more or less often: the fault may come late. */
		if (!once && !lost && i == planned - 1 && runs[i].errors)
			rounds = planned + 1;
	}
	/* The second time, a call that fails once has failed. */
	if (!once && !lost && !faults_exhaust() && !faults_exhaust())
		printf("the kept blocks could not be freed\n");
	return judge(runs, rounds, lost);
}
