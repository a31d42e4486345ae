/* Preloaded, makes one allocation of libculvert.so or of its front end, libculvert-frontend.so, fail.
 *
 *	FAULT_MALLOC=N               the N-th malloc, calloc, realloc or aligned_alloc returns NULL
 *	FAULT_MALLOC_COUNT=FILE      gets how many there were, at exit
 *	FAULT_MALLOC_CODE='A B'      hexadecimal: in libculvert-frontend.so, only calls from between these addresses of
 *	                             the file count
 *	FAULT_MALLOC_PROGRAM=NAME    all allocations of the program of this name, whoever makes them, instead of
 *	                             those of the libraries
 *
 * A program may choose by itself: culvert_fault_malloc(N) makes the N-th from then on fail that
 * the calling thread makes (0: none), culvert_fault_malloc_failed() says whether it has.
 *
 * Only calls that come from these libraries themselves count: Clang and the C
 * library have their own ideas of what to do without memory.  Where LLVM is
 * linked into libculvert-frontend.so, FAULT_MALLOC_CODE says where our code is; where it is linked into libculvert.so
 * (--enable-static-llvm), let it compile in a process of its own. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)

/* The C library's own, by the names that it has for those who replace malloc. */
void *__libc_malloc(size_t size_B);
void *__libc_calloc(size_t count, size_t size_B);
void *__libc_realloc(void *pointer, size_t size_B);
void *__libc_memalign(size_t align_B, size_t size_B);

/* The code of each library, once it is loaded. */
static struct {
	const char *name;
	bool limited;                        /* by FAULT_MALLOC_CODE */
	_Atomic uintptr_t start, end;
} ranges[] = {{"/libculvert.so", false, 0, 0}, {"/libculvert-frontend.so", true, 0, 0}};

enum { RANGES = sizeof(ranges) / sizeof(*ranges) };

static atomic_ulong count;
static unsigned long wanted;
static _Thread_local unsigned long own;
static _Thread_local bool own_failed;

void culvert_fault_malloc(unsigned long number);
bool culvert_fault_malloc_failed(void);

void culvert_fault_malloc(unsigned long number)
{
	own = number;
	own_failed = false;
}

bool culvert_fault_malloc_failed(void)
{
	return own_failed;
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);
	return length >= end_length && !strcmp(text + length - end_length, end);
}

static void limit_range(int r, uintptr_t base)
{
	const char *text = getenv("FAULT_MALLOC_CODE");
	char *rest;
	if (!text || !*text)
		return;
	const uintptr_t start = (uintptr_t)strtoull(text, &rest, 16);
	ranges[r].end = base + (uintptr_t)strtoull(rest, NULL, 16);
	ranges[r].start = base + start;
}

static int note_ranges(struct dl_phdr_info *info, size_t size_B, void *data)
{
	(void)size_B;
	(void)data;
	for (int r = 0; r < RANGES; r++) {
		if (ranges[r].start || !ends_with(info->dlpi_name, ranges[r].name))
			continue;
		for (int i = 0; i < info->dlpi_phnum; i++) {
			const ElfW(Phdr) *part = &info->dlpi_phdr[i];
			if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
				continue;
			ranges[r].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
			ranges[r].start = info->dlpi_addr + part->p_vaddr;
			if (ranges[r].limited)
				limit_range(r, info->dlpi_addr);
		}
	}
	return 0;
}

static void read_number(void)
{
	const char *text = getenv("FAULT_MALLOC");
	wanted = text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("FAULT_MALLOC_PROGRAM");
	if (!name)
		return;
	if (!strcmp(name, program_invocation_short_name)) {
		read_number();
		ranges[0].end = UINTPTR_MAX;
		ranges[0].start = 1;
	}
	ranges[1].start = ranges[1].end = UINTPTR_MAX;
}

/* Whoever loads the libraries does it through here. */
void *dlopen(const char *path, int flags)
{
	void *(*real)(const char *, int);
	*(void **)&real = dlsym(RTLD_NEXT, "dlopen");
	void *handle = real(path, flags);
	if (handle && (!ranges[0].start || !ranges[1].start)) {
		read_number();
		dl_iterate_phdr(note_ranges, NULL);
	}
	return handle;
}

static bool is_ours(uintptr_t address)
{
	for (int r = 0; r < RANGES; r++)
		if (ranges[r].start && address >= ranges[r].start && address < ranges[r].end)
			return true;
	return false;
}

static bool fails(const void *caller)
{
	if (!is_ours((uintptr_t)caller))
		return false;
	const bool own_turn = own && !--own;
	own_failed |= own_turn;
	if (atomic_fetch_add(&count, 1) + 1 != wanted && !own_turn)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size_B)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size_B);
}

void *calloc(size_t number, size_t size_B)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(number, size_B);
}

void *realloc(void *pointer, size_t size_B)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(pointer, size_B);
}

void *aligned_alloc(size_t align_B, size_t size_B)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align_B, size_B);
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("FAULT_MALLOC_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (!file)
		return;
	fprintf(file, "%lu\n", count);
	fclose(file);
}

/* A program that ends so calls no destructors. */
void _exit(int status)
{
	if (getenv("FAULT_MALLOC_PROGRAM"))
		write_count();
	for (;;)
		(void)syscall(SYS_exit_group, status);
}
