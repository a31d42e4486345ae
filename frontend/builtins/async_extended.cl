/*
 * Copies of rectangles and boxes by the whole work-group, and the fence between copies
 * (cl_khr_extended_async_copies, cl_khr_async_work_group_copy_fence; OpenCL C 3.0, 6.15.11).
 */
#include "frontend/builtins/async.h"
#include "frontend/builtins/note.h"

PURE size_t get_local_linear_id(void);
PURE size_t get_local_size(uint dimension);

/*
 * Each work-item waits for its share, so that copies before the fence are complete, and seen
 * by all, once all have come here.
 */
BUILTIN __attribute__((convergent)) void async_work_group_copy_fence(cl_mem_fence_flags flags)
{
	note_barrier(flags);
	wait_for_copies();
	__nvvm_bar_sync(0);
}

/* Lengths in bytes, of one line of the copy and from line to line and plane to plane. */
struct box {
	size_t line, lines, planes;
	size_t to_line, to_plane, from_line, from_plane;
};

/* One unit of a copy: asynchronously where the GPU can. */
#define MOVE(T, to, from) \
	HELPER void move(to T *target, const from T *source) { *target = *source; }
#define MOVE_ASYNC(T, bytes) \
	HELPER void move(__local T *target, const __global T *source) \
	{ \
		if (__culvert_hidden_copies_async()) \
			start_copy_##bytes((uint)(ulong)target, (ulong)source); \
		else \
			*target = *source; \
	}
MOVE(uchar, __local, __global)
MOVE(ushort, __local, __global)
MOVE_ASYNC(uint, 4)
MOVE_ASYNC(ulong, 8)
MOVE_ASYNC(uint4, 16)
MOVE(uchar, __global, __local)
MOVE(ushort, __global, __local)
MOVE(uint, __global, __local)
MOVE(ulong, __global, __local)
MOVE(uint4, __global, __local)

/* In units as wide as addresses and distances allow.  Local memory has less than 4 GiB, and so has the copy. */
#define COPY_UNITS(T, to, from) \
	HELPER void copy_##T(to uchar *target, const from uchar *source, const struct box *box) \
	{ \
		uint step = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)); \
		uint units = (uint)(box->line / sizeof(T)), lines = (uint)box->lines; \
		uint count = units * lines * (uint)box->planes; \
		for (uint i = (uint)get_local_linear_id(); i < count; i += step) { \
			size_t at = i % units * sizeof(T), line = i / units % lines; \
			size_t plane = i / units / lines; \
			move((to T *)(target + at + line * box->to_line + plane * box->to_plane), \
			     (const from T *)(source + at + line * box->from_line + \
					      plane * box->from_plane)); \
		} \
	}
#define COPY_BOX(to, from) \
	COPY_UNITS(uchar, to, from) \
	COPY_UNITS(ushort, to, from) \
	COPY_UNITS(uint, to, from) \
	COPY_UNITS(ulong, to, from) \
	COPY_UNITS(uint4, to, from) \
	HELPER void copy(to uchar *target, const from uchar *source, const struct box *box) \
	{ \
		size_t odd = (size_t)target | (size_t)source | box->line | box->to_line | \
			     box->to_plane | box->from_line | box->from_plane; \
		if (!(odd & 15)) \
			copy_uint4(target, source, box); \
		else if (!(odd & 7)) \
			copy_ulong(target, source, box); \
		else if (!(odd & 3)) \
			copy_uint(target, source, box); \
		else if (!(odd & 1)) \
			copy_ushort(target, source, box); \
		else \
			copy_uchar(target, source, box); \
	}
COPY_BOX(__local, __global)
COPY_BOX(__global, __local)

#define COPIES(to, from) \
	BUILTIN __attribute__((convergent)) event_t async_work_group_copy_2D2D( \
		to void *target, size_t target_offset, const from void *source, \
		size_t source_offset, size_t element, size_t elements, size_t lines, \
		size_t source_line, size_t target_line, event_t event) \
	{ \
		const struct box box = {elements * element, lines, 1, target_line * element, 0, \
					source_line * element, 0}; \
		event = note_copy((ulong)target + target_offset * element, \
				  (ulong)source + source_offset * element, \
				  elements * lines, target_line, (uint)element, event); \
		copy((to uchar *)target + target_offset * element, \
		     (const from uchar *)source + source_offset * element, &box); \
		note_copied(); \
		return event; \
	} \
	BUILTIN __attribute__((convergent)) event_t async_work_group_copy_3D3D( \
		to void *target, size_t target_offset, const from void *source, \
		size_t source_offset, size_t element, size_t elements, size_t lines, \
		size_t planes, size_t source_line, size_t source_plane, size_t target_line, \
		size_t target_plane, event_t event) \
	{ \
		const struct box box = {elements * element, lines, planes, \
					target_line * element, target_plane * element, \
					source_line * element, source_plane * element}; \
		event = note_copy((ulong)target + target_offset * element, \
				  (ulong)source + source_offset * element, \
				  elements * lines * planes, target_line, (uint)element, event); \
		copy((to uchar *)target + target_offset * element, \
		     (const from uchar *)source + source_offset * element, &box); \
		note_copied(); \
		return event; \
	}
COPIES(__local, __global)
COPIES(__global, __local)
