#include "config.h"

#include "icd/compile/compile_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Sanitizers need another process to examine their own, and write reports to files. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ARCHITECTURE
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef ARCHITECTURE
#endif
#endif

#ifdef ARCHITECTURE

/* System calls that the headers of supported systems may lack; their numbers are the same on all architectures. */
enum {
	CALL_PIDFD_SEND_SIGNAL = 424, CALL_IO_URING_SETUP = 425, CALL_OPEN_TREE = 428,
	CALL_MOVE_MOUNT = 429, CALL_FSOPEN = 430, CALL_FSMOUNT = 432, CALL_FSPICK = 433,
	CALL_PIDFD_OPEN = 434, CALL_OPENAT2 = 437, CALL_PIDFD_GETFD = 438, CALL_PROCESS_MADVISE = 440,
	CALL_MOUNT_SETATTR = 442, CALL_QUOTACTL_FD = 443, CALL_FCHMODAT2 = 452, CALL_SETXATTRAT = 463,
	CALL_REMOVEXATTRAT = 466, CALL_OPEN_TREE_ATTR = 467, CALL_FILE_SETATTR = 469
};

/* Calls that are always forbidden: those that concern other processes, the network and the system. */
static const int always[] = {
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
	SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, CALL_PIDFD_SEND_SIGNAL,
	CALL_PIDFD_OPEN, CALL_PIDFD_GETFD, CALL_PROCESS_MADVISE, SYS_migrate_pages, SYS_move_pages,
	SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
	SYS_setpriority, SYS_ioprio_set,
	SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open, SYS_mq_unlink,
	SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	CALL_IO_URING_SETUP, SYS_open_by_handle_at, SYS_personality, SYS_acct, SYS_quotactl,
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_swapon,
	SYS_swapoff, SYS_reboot, SYS_init_module, SYS_finit_module, SYS_delete_module,
	SYS_kexec_load, SYS_kexec_file_load, SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, CALL_OPEN_TREE, CALL_OPEN_TREE_ATTR,
	CALL_MOVE_MOUNT, CALL_FSOPEN, CALL_FSMOUNT, CALL_FSPICK, CALL_MOUNT_SETATTR, CALL_QUOTACTL_FD,
	SYS_fanotify_init, SYS_vhangup, SYS_syslog,
};

/* Calls that write files, except those that need a look at their flags. */
static const int for_files[] = {
	CALL_OPENAT2, SYS_truncate, SYS_mkdirat, SYS_mknodat, SYS_unlinkat, SYS_renameat2,
	SYS_linkat, SYS_symlinkat, SYS_fchmod, SYS_fchmodat, CALL_FCHMODAT2, SYS_fchown, SYS_fchownat,
	SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr, CALL_SETXATTRAT, CALL_REMOVEXATTRAT,
	CALL_FILE_SETATTR,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_creat
	SYS_creat, SYS_mkdir, SYS_rmdir, SYS_mknod, SYS_unlink, SYS_rename, SYS_link, SYS_symlink, SYS_chmod,
	SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

enum { ROWS_MOST = 512, RETURN_ERROR = SECCOMP_RET_ERRNO | EPERM };

struct filter {
	struct sock_filter rows[ROWS_MOST];
	unsigned short count;
};

static void add(struct filter *filter, struct sock_filter row)
{
	filter->rows[filter->count++] = row;
}

static void add_jump(struct filter *filter, unsigned kind, uint32_t value, unsigned char yes,
		     unsigned char no)
{
	add(filter, (struct sock_filter){(unsigned short)(BPF_JMP | BPF_K | kind), yes, no, value});
}

static void add_load(struct filter *filter, size_t offset_B)
{
	add(filter, (struct sock_filter){BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset_B});
}

static void add_return(struct filter *filter, uint32_t action)
{
	add(filter, (struct sock_filter){BPF_RET | BPF_K, 0, 0, action});
}

/* Forbids a system call.  The number of the call is loaded before these instructions, and still is behind them. */
static void forbid(struct filter *filter, int call)
{
	add_jump(filter, BPF_JEQ, (uint32_t)call, 0, 1);
	add_return(filter, RETURN_ERROR);
}

/* Forbids a system call except with certain arguments. kind BPF_JEQ: the argument has to be value; BPF_JSET: the
 * argument must not have any of these bits. */
static void forbid_unless(struct filter *filter, int call, unsigned argument, unsigned kind,
			  uint32_t value)
{
	add_jump(filter, BPF_JEQ, (uint32_t)call, 0, 4);
	/* The lower half of the argument; both architectures are little-endian. */
	add_load(filter, offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t));
	add_jump(filter, kind, value, kind == BPF_JEQ, kind != BPF_JEQ);
	add_return(filter, RETURN_ERROR);
	add_return(filter, SECCOMP_RET_ALLOW);
}

static void forbid_writing(struct filter *filter)
{
	const uint32_t writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	for (size_t i = 0; i < sizeof(for_files) / sizeof(for_files[0]); i++)
		forbid(filter, for_files[i]);
	forbid_unless(filter, SYS_openat, 2, BPF_JSET, writes);
#ifdef SYS_open
	forbid_unless(filter, SYS_open, 1, BPF_JSET, writes);
#endif
}

static void make(struct filter *filter, bool writes_files)
{
	add_load(filter, offsetof(struct seccomp_data, arch));
	add_jump(filter, BPF_JEQ, ARCHITECTURE, 1, 0);
	add_return(filter, RETURN_ERROR);
	add_load(filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	/* System calls of the x32 ABI. */
	add_jump(filter, BPF_JGE, 0x40000000, 0, 1);
	add_return(filter, RETURN_ERROR);
#endif
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		forbid(filter, always[i]);
	/* abort() sends a signal to its own process with tgkill, and a process may change its own limits. */
	forbid_unless(filter, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid());
	forbid_unless(filter, SYS_prlimit64, 0, BPF_JEQ, 0);
	/* Only what isatty() uses is allowed: other ioctl calls can type into a terminal, or change files that are
	 * open for reading. */
	forbid_unless(filter, SYS_ioctl, 1, BPF_JEQ, TCGETS);
	if (!writes_files)
		forbid_writing(filter);
	add_return(filter, SECCOMP_RET_ALLOW);
}

bool ocl_compile_confine(bool writes_files)
{
	struct filter filter = {.count = 0};
	make(&filter, writes_files);
	const struct sock_fprog program = {.len = filter.count, .filter = filter.rows};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	/* Without this flag kernels before 5.16 disable a part of the processor's speculation. */
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program))
		return true;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

bool ocl_compile_confine(bool writes_files)
{
	(void)writes_files;
	return false;
}

#endif
