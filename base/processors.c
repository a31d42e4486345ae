#include "config.h"

#include "base/processors.h"

#include "base/control_group.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* What all files assume (docs/portability.md). */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files and GPUs' memory are little-endian");
_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8, "GPUs have addresses of 64 bits");

/* Written once. */
static unsigned group_has;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_group(void)
{
	group_has = control_group_processors("");
}

unsigned processors_usable(void)
{
	cpu_set_t allowed;
	/* sched_getaffinity fails if the system has more processors than cpu_set_t can hold. */
	const long count = sched_getaffinity(0, sizeof(allowed), &allowed) ? sysconf(_SC_NPROCESSORS_ONLN)
									  : CPU_COUNT(&allowed);
	const unsigned cores = count < 1 ? 1 : (unsigned)count;
	pthread_once(&once, read_group);
	return group_has && group_has < cores ? group_has : cores;
}

/* --- the kind of processor ---------- */

#if defined(__x86_64__)
enum { EAX = 1, EBX = 2, ECX = 4, EDX = 8 };

/* The leaves of the instruction CPUID that describe the model and its extensions (Intel's Software Developer's Manual,
 * volume 2, and AMD's Architecture Programmer's Manual, volume 3), with the registers that do not differ from core to
 * core. */
static const struct {
	unsigned leaf, part, registers;
} leaves[] = {
	{0, 0, EBX | ECX | EDX}, {1, 0, EAX | ECX | EDX}, {7, 0, EBX | ECX | EDX}, {7, 1, EAX | EBX | ECX | EDX},
	{0xd, 1, EAX}, {0x14, 0, EBX}, {0x19, 0, EBX}, {0x1e, 1, EAX}, {0x24, 0, EBX}, {0x80000001, 0, ECX | EDX},
	{0x80000008, 0, EBX}
};

void processors_describe(struct bytes *text)
{
	unsigned values[4];
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
		if (!__get_cpuid_count(leaves[i].leaf, leaves[i].part, &values[0], &values[1], &values[2], &values[3]))
			memset(values, 0, sizeof(values));
		for (unsigned r = 0; r < 4; r++)
			bytes_append(text, &(unsigned){leaves[i].registers >> r & 1 ? values[r] : 0},
				     sizeof(values[r]));
	}
	/* XGETBV: which registers the system's kernel saves, and thereby which vectors programs may use.  OSXSAVE says
	 * whether the instruction may be used. */
	unsigned low = 0, high = 0;
	if (__get_cpuid(1, &values[0], &values[1], &values[2], &values[3]) && values[2] & bit_OSXSAVE)
		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	bytes_append(text, &low, sizeof(low));
}
#else
/* The kernel's bits for extensions (AT_HWCAP), and of /proc/cpuinfo the different lines that name models. */
void processors_describe(struct bytes *text)
{
	const uint64_t extensions[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
	char line[200];
	FILE *file = fopen("/proc/cpuinfo", "re");
	while (file && fgets(line, sizeof(line), file))
		if ((!strncmp(line, "CPU implementer", 15) || !strncmp(line, "CPU part", 8)) &&
		    !strstr(bytes_string(text), line))
			bytes_append_string(text, line);
	if (file)
		fclose(file);
	bytes_append(text, extensions, sizeof(extensions));
}
#endif
