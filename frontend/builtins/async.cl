/*
 * Copies by the whole work-group, and prefetch, OpenCL C 3.0, 6.15.11.
 *
 * Each work-item copies its share: from global to local memory asynchronously where the GPU can (async.h), otherwise at
 * once.  Waiting for the events is a wait for the work-item's own copies and a barrier, which makes all
 * shares visible.  The event carries nothing, so it is handed back as it came; where the software
 * device checks, it is the number of a copy.
 */
#include "frontend/builtins/async.h"
#include "frontend/builtins/note.h"

PURE size_t get_local_linear_id(void);

HELPER size_t group_size(void)
{
	return (uint)(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
		      __nvvm_read_ptx_sreg_ntid_z());
}

/* Whether the work-group's size is a constant here.  It is answered before code is generated (lower_work_item.c). */
extern bool __culvert_hidden_size_is_known(void);

/* The share of a work-item in pieces of some bytes.  Local memory has less than 4 GiB. */
#define START_ALL(name, bytes) \
	HELPER void name##_##bytes(uint target, ulong source, uint size_B) \
	{ \
		uint step = (uint)group_size() * bytes; \
		for (uint at = (uint)get_local_linear_id() * bytes; at < size_B; at += step) \
			start_copy_##bytes(target + at, source + at); \
	}
START_ALL(start_all, 4)
START_ALL(start_all, 8)
START_ALL(start_loop, 16)

/* With a constant size of the work-group, the number of rounds is made the same for all work-items, so that it is a constant
 * as well, and the loop is unrolled; it is also known then whether there is a rest. */
HELPER void start_all_16(uint target, ulong source, uint size_B)
{
	if (__culvert_hidden_size_is_known()) {
		uint step = (uint)group_size() * 16, at = (uint)get_local_linear_id() * 16, end_B = step;
		for (; end_B <= size_B; end_B += step, at += step)
			start_copy_16(target + at, source + at);
		if (end_B - size_B < step && at < size_B)
			start_copy_16(target + at, source + at);
	} else {
		start_loop_16(target, source, size_B);
	}
}

/* Elements of element_B bytes, a constant; false: they are not aligned for asynchronous copies. */
HELPER bool start_copy(uint target, ulong source, uint size_B, uint element_B)
{
	uint odd = target | (uint)source | size_B;
	if (element_B >= 16 || !(odd & 15))
		start_all_16(target, source, size_B);
	else if (element_B == 8)
		start_all_8(target, source, size_B);
	else if (element_B == 4 || !(odd & 3))
		start_all_4(target, source, size_B);
	else
		return false;
	return true;
}

/* Elements of 4 bytes and more, some elements of global memory apart. */
HELPER void start_strided_copy(uint target, ulong source, uint count, ulong stride, uint element_B)
{
	uint piece_B = element_B < 16 ? element_B : 16, pieces = element_B / piece_B;
	uint step = (uint)group_size();
	for (uint i = (uint)get_local_linear_id(); i < count * pieces; i += step) {
		uint to = target + i * piece_B;
		ulong from = source + i / pieces * stride * element_B + i % pieces * piece_B;
		if (piece_B == 16)
			start_copy_16(to, from);
		else if (piece_B == 8)
			start_copy_8(to, from);
		else
			start_copy_4(to, from);
	}
}

#define COPY(T, to, from) \
	HELPER void copy_at_once(to T *target, const from T *source, size_t count, size_t to_step, size_t from_step) \
	{ \
		uint step = (uint)group_size(); \
		for (uint i = (uint)get_local_linear_id(); i < (uint)count; i += step) \
			target[i * to_step] = source[i * from_step]; \
	}
/* The stride counts elements of the global side. */
#define COPIES_TO_LOCAL(T) \
	BUILTIN __attribute__((convergent)) event_t async_work_group_copy(__local T *target, \
		const __global T *source, size_t count, event_t event) \
	{ \
		event = note_copy((ulong)target, (ulong)source, count, 1, sizeof(T), event); \
		if (__culvert_hidden_copies_async()) { \
			if (start_copy((uint)(ulong)target, (ulong)source, (uint)count * sizeof(T), sizeof(T))) \
				return event; \
		} \
		copy_at_once(target, source, count, 1, 1); \
		note_copied(); \
		return event; \
	} \
	BUILTIN __attribute__((convergent)) event_t async_work_group_strided_copy( \
		__local T *target, const __global T *source, size_t count, size_t stride, \
		event_t event) \
	{ \
		event = note_copy((ulong)target, (ulong)source, count, stride, sizeof(T), event); \
		if (sizeof(T) >= 4) { \
			if (__culvert_hidden_copies_async()) { \
				start_strided_copy((uint)(ulong)target, (ulong)source, (uint)count, stride, \
						   sizeof(T)); \
				return event; \
			} \
		} \
		copy_at_once(target, source, count, 1, stride); \
		note_copied(); \
		return event; \
	}
#define COPIES_TO_GLOBAL(T) \
	BUILTIN __attribute__((convergent)) event_t async_work_group_copy(__global T *target, \
		const __local T *source, size_t count, event_t event) \
	{ \
		event = note_copy((ulong)target, (ulong)source, count, 1, sizeof(T), event); \
		copy_at_once(target, source, count, 1, 1); \
		note_copied(); \
		return event; \
	} \
	BUILTIN __attribute__((convergent)) event_t async_work_group_strided_copy( \
		__global T *target, const __local T *source, size_t count, size_t stride, \
		event_t event) \
	{ \
		event = note_copy((ulong)target, (ulong)source, count, stride, sizeof(T), event); \
		copy_at_once(target, source, count, stride, 1); \
		note_copied(); \
		return event; \
	}
/* A prefetch may do nothing; a load that waits in the memory pipe would cost what it saves. */
#define COPIES(T) \
	COPY(T, __local, __global) \
	COPY(T, __global, __local) \
	COPIES_TO_LOCAL(T) \
	COPIES_TO_GLOBAL(T) \
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
	wait_for_copies();
	__nvvm_bar_sync(0);
}

/* Copies in stages, docs/cl_culvert_matrix.md. */
BUILTIN void culvert_copy_async(__local uint4 *target, const __global uint4 *source)
{
	if (__culvert_hidden_copies_async())
		start_copy_16((uint)(ulong)target, (ulong)source);
	else
		*target = *source;
}

BUILTIN __attribute__((convergent)) void culvert_commit_group_copies(void)
{
	end_stage();
}

BUILTIN __attribute__((convergent)) void culvert_wait_group_events(int count, __private event_t *events, uint stages)
{
	note_wait(count, events);
	wait_for_older_stages(stages);
	__nvvm_bar_sync(0);
}
