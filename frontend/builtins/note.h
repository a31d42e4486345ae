/*
 * What the software device's checker is told beside the code: instructions that only it has, which
 * it takes for what the source meant (softcuda/exec/note.c).  The question whether a program
 * is checked is answered before code is generated, so that other programs have nothing of this.
 */
#ifndef CULVERT_BUILTIN_NOTE_H
#define CULVERT_BUILTIN_NOTE_H

#include "frontend/builtins/builtin.h"

extern bool __culvert_hidden_checked(void);

/* The memory that the next barrier orders. */
__attribute__((unused)) HELPER void note_barrier(cl_mem_fence_flags flags)
{
	uint nothing;
	if (__culvert_hidden_checked())
		__asm__ __volatile__("culvert.barrier %0, %1;" : "=r"(nothing) : "r"(flags) : "memory");
}

/* A copy by the work-group begins: count elements of size_B bytes, stride elements apart, between
 * addresses that are only compared.  The result is the event that stands for it. */
__attribute__((unused)) HELPER event_t note_copy(ulong target, ulong source, ulong count, ulong stride, uint size_B,
			 event_t event)
{
	uint nothing;
	if (__culvert_hidden_checked()) {
		__private ulong *number = (__private ulong *)&event;
		__asm__ __volatile__("culvert.copy.what %0, %1, %2, %3;" : "=r"(nothing)
				     : "l"(target), "l"(source), "l"(count) : "memory");
		__asm__ __volatile__("culvert.copy %0, %1, %2, %3;" : "=l"(*number)
				     : "l"(stride), "r"(size_B), "l"(*number) : "memory");
	}
	return event;
}

__attribute__((unused)) HELPER void note_copied(void)
{
	uint nothing;
	if (__culvert_hidden_checked())
		__asm__ __volatile__("culvert.copied %0, 0;" : "=r"(nothing) : : "memory");
}

/* Events are waited for, by the barrier that follows. */
__attribute__((unused)) HELPER void note_wait(int count, __private event_t *events)
{
	uint nothing;
	if (__culvert_hidden_checked())
		for (int i = 0; i < count; i++)
			__asm__ __volatile__("culvert.wait %0, %1;" : "=r"(nothing)
					     : "l"(*(__private ulong *)&events[i]) : "memory");
}

#endif
