/* What the gpu_* files share; nobody else includes it.
 *
 * Streams and events take no lock: an operation goes into the stream first and
 * is counted then, and a record reads the count before it is made, so a witness
 * may promise less than it has seen but never more.  The order of several
 * operations of one stream is their caller's business (gpu.h).
 *
 * Locks: each is of rank GPU, so no two are held at once, and none is held
 * across a call of the driver, gpu_device_use's and a graph's excepted. */
#ifndef CULVERT_BACKEND_GPU_INTERNAL_H
#define CULVERT_BACKEND_GPU_INTERNAL_H

#include "backend/cuda_error.h"
#include "backend/cuda_symbols.h"
#include "backend/gpu.h"
#include "base/list.h"
#include "base/lock.h"

#include <cuda.h>
#include <stdatomic.h>

enum {
	GPU_PRIORITIES = 3,              /* high, normal, low: index is priority + 1 */
	GPU_RECLAIM_STREAMS = 4,
	GPU_STREAMS_TRACKED = 256,
	GPU_WAITS_REMEMBERED = 2,
	GPU_PEERS_MAX = 64
};

struct gpu_epoch;

/* How launches that come again are made (gpu_repeat.c); unknown: as they prove quicker. */
enum gpu_way { GPU_WAY_UNKNOWN, GPU_WAY_KERNEL, GPU_WAY_GRAPH };

/* Who has taken it owns the rest. */
struct gpu_slot {
	bool taken;                      /* guarded by the device's lock */
	unsigned char *memory;           /* in the device's slots_memory */
	struct gpu_event *after;         /* owned: free once it has happened; NULL: it is */
};

/* So many ends of objects await a device that is idle, or so many bytes and one object more; what
 * comes then waits for its kernels. */
enum { GPU_QUIET_MAX = 64, GPU_QUIET_MAX_B = 1 << 30 };

/* Device memory that was freed and is kept outside the pool: so many blocks of a device, and no
 * more bytes than gpu_kept_max_B. */
enum { GPU_KEPT_BLOCKS = 8 };
struct gpu_block {
	gpu_address address;             /* 0: none */
	uint64_t size_B;
};

struct gpu_device {
	struct gpu_caps caps;            /* immutable, as are the next four */
	uint32_t index;
	CUdevice cu_device;
	uint64_t max_pitch_B;            /* of 2D and 3D copies */
	enum gpu_way way;                /* as CULVERT_LAUNCH has it */

	atomic_int lost;                 /* CL_SUCCESS, or why nothing works any more */
	atomic_bool wants_current;       /* the driver did not take a stream for its context */

	/* Set by gpu_device_use under birth_lock; read freely once cu_context is
	 * there, which is stored last. */
	struct lock birth_lock;
	_Atomic(CUcontext) cu_context;
	int least_priority, greatest_priority;   /* of streams; the greatest is negative */
	CUmemoryPool cu_pool;            /* NULL: no pools, cuMemAlloc instead */
	struct gpu_stream *memory_stream; /* allocations and frees that wait for nothing */
	_Atomic uint64_t freed_B;        /* since the pool gave something back */
	_Atomic uint64_t untrimmed_ns;   /* when it had nothing to give back last */

	_Atomic(struct gpu_stream *) streams;      /* all that were made, by older; they stay */

	/* Frees that wait for events; made when needed. */
	_Atomic(struct gpu_stream *) reclaim[GPU_RECLAIM_STREAMS];
	atomic_uint reclaim_turn;

	/* Bits by the index of devices with a higher one. */
	_Atomic uint64_t peers_tried, peers_open;

	_Atomic(struct gpu_module *) fill_module, image_fill_module;  /* made when needed */
	atomic_int packs_texels;                   /* 0: not tried yet; 1: no; 2: yes */
	_Atomic(unsigned char *) slots_memory;     /* pinned; made when needed */
	_Atomic gpu_address barriers;              /* of grids; made when needed */

	atomic_uint launching;           /* threads; far from what each launch reads */

	struct lock lock;                /* guards the rest */
	struct list idle_streams[GPU_PRIORITIES];  /* gpu_stream.link, oldest first */
	struct gpu_event *free_events[2];          /* by timing; chained by next */
	struct list deferred;                      /* gpu_deferred.link */
	atomic_uint deferred_count;                /* changed under lock, read without */
	atomic_uint quiet_count;                   /* those that await an idle device, */
	_Atomic uint64_t quiet_B;                  /* and what they hold */
	_Atomic uint64_t epoch_due_ns;             /* when to renew; 0: there is none; as well */
	struct list epochs;                        /* gpu_epoch.link, a reference each */
	unsigned epoch_count;
	struct gpu_epoch *free_epochs;             /* chained by next */
	struct gpu_stream *clock_stream;           /* once there, it stays */
	struct gpu_slot slots[GPU_SLOTS];
	struct gpu_block kept[GPU_KEPT_BLOCKS];
	unsigned kept_turn;              /* whose place is taken next */
	_Atomic uint64_t kept_B;         /* of all of them; written under the lock */
};

struct gpu_stream {
	struct list link;                /* in the device's idle_streams while released */
	struct gpu_stream *older;        /* the one made before it on the device */
	struct gpu_device *device;
	CUstream cu_stream;
	uint32_t id;
	int priority;
	_Atomic uint64_t last;           /* operations put in */
	_Atomic uint64_t done;           /* operations known to be complete */
	atomic_bool foreign;             /* others may put work into it; never false again */
	atomic_bool timed;               /* its operations are, since it was acquired */
	atomic_uint waits_last;          /* which was remembered last */
	_Atomic uint64_t waits_ns[GPU_WAITS_REMEMBERED];  /* lengths of waits; 0: none */
	/* seen[i]: this stream already waits for all operations of stream i up to
	 * there.  Raised only after the wait was put in and counted.  Streams with
	 * an id beyond the table are waited for each time. */
	_Atomic uint64_t seen[GPU_STREAMS_TRACKED];
};

struct gpu_event {
	atomic_uint refs;
	struct gpu_stream *stream;
	uint64_t sequence;
	CUevent cu_event;                /* made once, lives as long as the process */
	bool timing;
	atomic_bool done;
	struct gpu_epoch *epoch;         /* timing only; a reference */
	struct gpu_event *next;          /* in the device's free_events while unused */
};

/* A timing event is done when its stamp is there, which the number does not tell: whoever asks for
 * the stream's state between the count and the record is told that all of it is done. */
static inline bool gpu_event_is_done(const struct gpu_event *event)
{
	return atomic_load_explicit(&event->done, memory_order_acquire) ||
	       (!event->timing &&
		atomic_load_explicit(&event->stream->done, memory_order_acquire) >=
			event->sequence);
}

/* --- gpu_device.c --- */

/* What a device keeps of memory that nobody uses, in blocks and in its pool. */
static inline uint64_t gpu_unused_max_B(const struct gpu_device *device)
{
	return device->caps.memory_B / 32;
}

/* The blocks' part of it: they serve one size each, the pool any. */
static inline uint64_t gpu_kept_max_B(const struct gpu_device *device)
{
	return gpu_unused_max_B(device) / 2;
}

/* gpu_enter for what creates objects: notices also that the process is a fork's
 * child, in which CUDA does not work. */
cl_int gpu_enter_new(struct gpu_device *device, struct gpu_scope *scope);
/* gpu_enter_by_handle.  To make a context current and the old one again takes 50 ns; streams and
 * events know theirs, and no driver that was seen asks for another (580; softcuda).  One that
 * does says so, and gpu_wants_current then makes the context current, until gpu_leave, for the
 * call to be made once more: nothing has come of it.  From then on it is made current at once. */
static inline cl_int gpu_scope_by_handle(struct gpu_device *device, struct gpu_scope *scope)
{
	if (atomic_load_explicit(&device->wants_current, memory_order_relaxed))
		return gpu_enter(device, scope);
	scope->changed = false;
	scope->by_handle = true;
	return atomic_load_explicit(&device->lost, memory_order_acquire);
}
bool gpu_wants_current(struct gpu_device *device, CUresult cu_result, struct gpu_scope *scope);

/* The device's status, with a look at whether the process is a fork's child. */
cl_int gpu_device_check_process(struct gpu_device *device);
void gpu_device_lose(struct gpu_device *device, cl_int code);

/* --- gpu_stream.c --- */

/* The device's context is current; the stream is in no pool. */
cl_int gpu_stream_create(struct gpu_device *device, int priority, struct gpu_stream **stream_out);
/* Counts the operation that was just put in. */
static inline void gpu_stream_count(struct gpu_stream *stream)
{
	atomic_fetch_add_explicit(&stream->last, 1, memory_order_release);
}
/* Whether all that was given to the device's streams is complete, asking the driver where that
 * is not known.  What others put into streams of their own is not seen. */
bool gpu_device_is_idle(struct gpu_device *device);
/* All operations up to sequence are known to be complete. */
void gpu_stream_raise_done(struct gpu_stream *stream, uint64_t sequence);

/* --- gpu_event.c --- */

/* Whether what waits for event has to wait longer: not when the device is lost, but
 * when the driver gave no answer. */
bool gpu_event_pending(struct gpu_event *event);
/* Whether gpu_event_pending of any of them. */
bool gpu_events_pending(struct gpu_event *const *events, uint32_t count);
/* gpu_event_wait, for the few places that may wait whatever the caller holds. */
cl_int gpu_event_block(struct gpu_event *event);

/* --- gpu_pause.c --- */

/* A thread that waits for an event of stream: begin, a pause after each look, end.
 * CULVERT_WAIT says how. */
struct gpu_pauses {
	const struct manner *manner;
	uint64_t start_ns;
	struct gpu_stream *stream;
	int slack;                       /* of the thread's timers, in ns; -1: not changed */
};

void gpu_pauses_begin(struct gpu_pauses *pauses, struct gpu_stream *stream);
void gpu_pause(struct gpu_pauses *pauses);
void gpu_pauses_end(const struct gpu_pauses *pauses);

/* --- gpu_mem.c --- */

/* For allocations: a lack of memory is one of memory for memory objects. */
cl_int gpu_memory_check(struct gpu_device *device, CUresult cu_result, const char *call);
/* Lets the pending frees happen and gives what the pool keeps back; waits. The device's
 * context is current. */
void gpu_memory_make_room(struct gpu_device *device);

/* --- gpu_staging.c --- */

/* All of them, or none: false. */
bool gpu_slots_take(struct gpu_device *device, struct gpu_slot **slots, unsigned count);
void gpu_slots_release(struct gpu_device *device, struct gpu_slot **slots, unsigned count,
		       struct gpu_event *after);

/* --- gpu_past_caches.c --- */

/* memcpy for bytes that only the GPU will look for.  to is aligned to 64. */
void gpu_copy_past_caches(unsigned char *to, const unsigned char *from, uint64_t size_B);

/* --- gpu_relay.c: pageable bytes that all fit into slots at once --- */

/* Whether several threads would copy so many bytes: that is faster than the driver's copy. */
bool gpu_relay_is_shared(uint64_t size_B);
/* By way of slots if there are any, else by the driver; several threads copy where it is shared. */
cl_int gpu_relay_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			   uint64_t size_B);
/* Where it is shared and nothing that is ahead in stream matters; done on return.  false: nothing was
 * copied, for there were no slots. */
bool gpu_relay_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B,
		       cl_int *err_out);

/* --- gpu_pageable.c: large copies of pageable memory, by several threads with streams of their own --- */

bool gpu_pageable_is_shared(uint64_t size_B);
/* Done on return.  false: nothing was copied, for want of slots, streams or threads. */
bool gpu_pageable_to_device(struct gpu_device *device, gpu_address to, const void *from,
			    uint64_t size_B, cl_int *err_out);
bool gpu_pageable_to_host(struct gpu_device *device, void *to, gpu_address from, uint64_t size_B,
			  cl_int *err_out);

/* --- gpu_fill.c --- */

/* Fills with a pattern of 8 to 128 bytes. */
cl_int gpu_fill_long(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B);

/* --- gpu_graph.c --- */

/* Nodes of a graph that is being made.  The device's context is current. */
cl_int gpu_graph_add_copy(struct gpu_graph *graph, const CUDA_MEMCPY3D *copy);
cl_int gpu_graph_add_copy_line(struct gpu_graph *graph, gpu_address to, gpu_address from,
			       uint64_t size_B);
/* value: element_B bytes of it count. */
cl_int gpu_graph_add_fill(struct gpu_graph *graph, gpu_address to, uint32_t value,
			  uint32_t element_B, uint64_t size_B);

/* --- gpu_clock.c --- */

/* The device's clock, told in host time: an epoch is a timing event whose host
 * time is known, and an event's time is its distance from the nearest one.  Distances
 * are floats, so epochs are renewed every two seconds: when a timing event is recorded,
 * asked for or waited for.  Time runs on through a renewal without a step.
 *
 * gpu_epoch_get gives the current epoch with a reference, gpu_epoch_renew sees to it
 * that there is a new one when it is due. */
cl_int gpu_epoch_get(struct gpu_device *device, struct gpu_epoch **epoch_out);
cl_int gpu_epoch_renew(struct gpu_device *device);
void gpu_epoch_unref(struct gpu_device *device, struct gpu_epoch *epoch);
/* When cu_event was, which is done; own: the epoch that was current when it was recorded.
 * The device's context is current. */
cl_int gpu_epoch_time_ns(struct gpu_device *device, const struct gpu_epoch *own,
			 CUevent cu_event, uint64_t *time_ns_out);

/* --- gpu_defer.c --- */

/* Runs act(device, object) once the events have happened: at once when they
 * have, else in some later call on the device.  No thread, no waiting; when
 * there is no memory to remember it, the object is leaked and that is logged. */
void gpu_defer(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
	       void *object, struct gpu_event *const *after, uint32_t count);
/* The same for what makes the driver wait until no kernel runs on the device: besides its events
 * it awaits a moment in which the device is idle, unless GPU_QUIET_MAX others do already or more
 * than GPU_QUIET_MAX_B.  size_B: what it holds, 0 where that is little. */
void gpu_defer_quiet(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
		     void *object, uint64_t size_B, struct gpu_event *const *after,
		     uint32_t count);
/* Runs what has become due. */
void gpu_defer_reap(struct gpu_device *device);
/* Waits for everything that is pending, and runs it: for an allocation that
 * found no memory. */
void gpu_defer_wait(struct gpu_device *device);

#endif
