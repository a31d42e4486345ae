/*
 * Copies by the whole work-group, and prefetch, OpenCL C 3.0, 6.15.11.
 *
 * Each work-item copies its share at once; waiting for the events is a barrier, which makes all
 * shares visible.  The event carries nothing, so it is handed back as it came; where the software
 * device checks, it is the number of a copy.
 */
#include "frontend/builtins/builtin.h"
#include "frontend/builtins/note.h"

PURE size_t get_local_linear_id(void);

HELPER size_t group_size(void)
{
	return (uint)(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
		      __nvvm_read_ptx_sreg_ntid_z());
}

#define COPY(T, to, from) \
	BUILTIN __attribute__((convergent)) event_t async_work_group_copy(to T *target, \
		const from T *source, size_t count, event_t event) \
	{ \
		size_t step = group_size(); \
		event = note_copy((ulong)target, (ulong)source, count, 1, sizeof(T), event); \
		for (size_t i = get_local_linear_id(); i < count; i += step) \
			target[i] = source[i]; \
		note_copied(); \
		return event; \
	}
/* The stride counts elements of the global side. */
#define STRIDED_COPIES(T) \
	BUILTIN __attribute__((convergent)) event_t async_work_group_strided_copy( \
		__local T *target, const __global T *source, size_t count, size_t stride, \
		event_t event) \
	{ \
		size_t step = group_size(); \
		event = note_copy((ulong)target, (ulong)source, count, stride, sizeof(T), event); \
		for (size_t i = get_local_linear_id(); i < count; i += step) \
			target[i] = source[i * stride]; \
		note_copied(); \
		return event; \
	} \
	BUILTIN __attribute__((convergent)) event_t async_work_group_strided_copy( \
		__global T *target, const __local T *source, size_t count, size_t stride, \
		event_t event) \
	{ \
		size_t step = group_size(); \
		event = note_copy((ulong)target, (ulong)source, count, stride, sizeof(T), event); \
		for (size_t i = get_local_linear_id(); i < count; i += step) \
			target[i * stride] = source[i]; \
		note_copied(); \
		return event; \
	}
/* A prefetch may do nothing; a load that waits in the memory pipe would cost what it saves. */
#define COPIES(T) \
	COPY(T, __local, __global) \
	COPY(T, __global, __local) \
	STRIDED_COPIES(T) \
	BUILTIN void prefetch(const __global T *p, size_t count) \
	{ \
		(void)p; \
		(void)count; \
	}
#define ALL(T) COPIES(T) COPIES(T##2) COPIES(T##3) COPIES(T##4) COPIES(T##8) COPIES(T##16)
ALL(char)
ALL(uchar)
ALL(short)
ALL(ushort)
ALL(int)
ALL(uint)
ALL(long)
ALL(ulong)
ALL(half)
ALL(float)
ALL(double)

BUILTIN __attribute__((convergent)) void wait_group_events(int count, __private event_t *events)
{
	note_wait(count, events);
	__nvvm_bar_sync(0);
}
