/* sandboxes CALL ERROR PROGRAM...: the program, under a filter of system calls (seccomp) that lets CALL fail with that
 * number of errno.  sandboxes without arguments prints the calls that it knows. */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What filters of containers, browsers and services leave out, or older kernels lack, and a driver or its compilers
 * might use. */
static const struct call {
	const char *name;
	uint32_t number;
} calls[] = {
	{"clone3", 435}, {"close_range", 436}, {"fallocate", SYS_fallocate}, {"flock", SYS_flock},
	{"get_mempolicy", SYS_get_mempolicy}, {"getrandom", SYS_getrandom}, {"io_uring_setup", 425},
	{"kcmp", SYS_kcmp}, {"madvise", SYS_madvise}, {"mbind", SYS_mbind}, {"membarrier", SYS_membarrier},
	{"memfd_create", SYS_memfd_create}, {"mlock", SYS_mlock}, {"mremap", SYS_mremap},
	{"perf_event_open", SYS_perf_event_open}, {"pidfd_open", 434}, {"prctl", SYS_prctl},
	{"prlimit64", SYS_prlimit64}, {"process_vm_readv", SYS_process_vm_readv}, {"ptrace", SYS_ptrace},
	{"renameat2", SYS_renameat2}, {"rseq", 334}, {"sched_getaffinity", SYS_sched_getaffinity},
	{"sched_setaffinity", SYS_sched_setaffinity}, {"setpriority", SYS_setpriority},
	{"socket", SYS_socket}, {"statx", SYS_statx}, {"sysinfo", SYS_sysinfo},
	{"timer_create", SYS_timer_create}, {"uname", SYS_uname}, {"userfaultfd", SYS_userfaultfd},
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static bool filter(uint32_t number, uint32_t error)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(steps) / sizeof(steps[0]), steps};
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc < 4 && i < CALLS; i++)
		puts(calls[i].name);
	for (size_t i = 0; argc >= 4 && i < CALLS; i++) {
		if (strcmp(calls[i].name, argv[1]))
			continue;
		if (!filter(calls[i].number, (uint32_t)atoi(argv[2]))) {
			printf("skipped: no filter of system calls: %s\n", strerror(errno));
			return 77;
		}
		execv(argv[3], argv + 3);
		perror(argv[3]);
		return 99;
	}
	return argc < 4 ? 0 : 99;
}
