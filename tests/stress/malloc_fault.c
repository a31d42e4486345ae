/* Preloaded, makes one allocation of libculvert.so fail.
 *
 *	FAULT_MALLOC=N               the N-th malloc, calloc, realloc or aligned_alloc returns NULL
 *	FAULT_MALLOC_COUNT=FILE      gets how many there were, at exit
 *
 * A program may choose by itself: culvert_fault_malloc(N) makes the N-th from then on fail that
 * the calling thread makes (0: none), culvert_fault_malloc_failed() says whether it has.
 *
 * Only calls that come from libculvert.so itself count: the compiler and the C
 * library have their own ideas of what to do without memory.  Where LLVM is
 * linked into libculvert.so (--enable-static-llvm), let it compile in a process
 * of its own. */
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

#pragma GCC visibility push(default)

/* The C library's own, by the names that it has for those who replace malloc. */
void *__libc_malloc(size_t size_B);
void *__libc_calloc(size_t count, size_t size_B);
void *__libc_realloc(void *pointer, size_t size_B);
void *__libc_memalign(size_t align_B, size_t size_B);

static _Atomic uintptr_t range_start, range_end;
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

static int note_range(struct dl_phdr_info *info, size_t size_B, void *data)
{
	static const char name[] = "/libculvert.so";
	const size_t length = strlen(info->dlpi_name);
	(void)size_B;
	(void)data;
	if (length < sizeof(name) ||
	    strcmp(info->dlpi_name + length - (sizeof(name) - 1), name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		range_end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
		range_start = info->dlpi_addr + part->p_vaddr;
	}
	return 1;
}

/* Whoever loads the library does it through here. */
void *dlopen(const char *path, int flags)
{
	void *(*real)(const char *, int);
	*(void **)&real = dlsym(RTLD_NEXT, "dlopen");
	void *handle = real(path, flags);
	if (handle && !range_start) {
		const char *text = getenv("FAULT_MALLOC");
		wanted = text ? strtoul(text, NULL, 10) : 0;
		dl_iterate_phdr(note_range, NULL);
	}
	return handle;
}

static bool fails(const void *caller)
{
	const uintptr_t address = (uintptr_t)caller;
	if (address < range_start || address >= range_end)
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
