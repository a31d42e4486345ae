/*
 * Who initialises a static object of a function, in C++ for OpenCL: the first work-item of the device
 * that comes by, while the others wait (Itanium C++ ABI, 3.3.3; the guard is ours alone).
 */
#include "frontend/builtins/builtin.h"

enum { UNTOUCHED, MADE, IN_WORK };

static uint look(uint *guard)
{
	uint now;
	__asm__ __volatile__("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(guard) : "memory");
	return now;
}

static uint try(uint *guard)
{
	uint old;
	__asm__ __volatile__("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;"
			     : "=r"(old)
			     : "l"(guard), "r"(UNTOUCHED), "r"(IN_WORK)
			     : "memory");
	return old;
}

/* 1: the caller initialises.  Nobody waits in here: frontend/static_objects.cpp makes the loop. */
int __cxa_guard_acquire(ulong *guard)
{
	return look((uint *)guard) == UNTOUCHED && try((uint *)guard) == UNTOUCHED;
}

int __culvert_guard_made(ulong *guard)
{
	return look((uint *)guard) == MADE;
}

void __cxa_guard_release(ulong *guard)
{
	__asm__ __volatile__("st.release.gpu.u32 [%0], %1;" : : "l"(guard), "r"(MADE) : "memory");
}
