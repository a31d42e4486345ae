/* What the gpu_* files share; no other file includes it.
 *
 * Streams and events need no lock: an operation is first put into the stream and then counted, and an event's sequence
 * is read before the event is recorded.  So an event may come after more operations than its sequence says, but never
 * after fewer.  The caller determines the order of several operations in a stream (gpu.h).
 *
 * All locks have the rank GPU, so a thread holds one at a time; none is held during a call of the driver, except in
 * gpu_device_use and for graphs. */
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

/* How repeated launches are made (gpu_repeat.c); unknown: in the way that is measured to be faster. */
enum gpu_way { GPU_WAY_UNKNOWN, GPU_WAY_KERNEL, GPU_WAY_GRAPH };

/* A slot.  The thread that has taken it uses the other fields. */
struct gpu_slot {
	bool taken;                      /* guarded by the device's lock */
	unsigned char *memory;           /* a part of the device's slots_memory */
	struct gpu_event *after;         /* owned: the slot is free once it has happened; NULL: it is free */
};

/* The most objects, and the most bytes, whose destruction waits until the device is idle (gpu_defer_quiet).  Further
 * objects are destroyed at once, which waits for the device's kernels. */
enum { GPU_QUIET_MAX = 64, GPU_QUIET_MAX_B = 1 << 30 };

/* Device memory that was freed and is kept for another allocation of its size: at most so many blocks for each device,
 * and gpu_kept_max_B bytes. */
enum { GPU_KEPT_BLOCKS = 8 };
struct gpu_block {
	gpu_address address;             /* 0: the place is free */
	uint64_t size_B;
};

struct gpu_device {
	/* caps, index, cu_device, max_pitch_B and way are constant. */
	struct gpu_caps caps;
	uint32_t index;
	CUdevice cu_device;
	uint64_t max_pitch_B;            /* of 2D and 3D copies */
	enum gpu_way way;                /* set by CULVERT_LAUNCH */

	atomic_int lost;                 /* CL_SUCCESS, or the error by which the device was lost */
	atomic_bool wants_current;       /* the driver needs a current context also for calls on streams and events */

	/* gpu_device_use sets the fields down to memory_stream with birth_lock held.  They may be read without it once
	 * cu_context, which is stored last, is not NULL. */
	struct lock birth_lock;
	_Atomic(CUcontext) cu_context;
	int least_priority, greatest_priority;   /* of streams; the greatest is negative */
	CUmemoryPool cu_pool;            /* NULL: the device has no memory pools, and cuMemAlloc is used */
	struct gpu_stream *memory_stream; /* for allocations and frees that wait for nothing */
	_Atomic uint64_t freed_B;        /* bytes freed since the pool last gave memory back to the driver */
	_Atomic uint64_t untrimmed_ns;   /* when the pool last had nothing to give back */

	_Atomic(struct gpu_stream *) streams;      /* a list of all streams, by older; they are never destroyed */
	_Atomic(struct gpu_split *) split;         /* how the device is partitioned; made when needed */
	_Atomic(struct gpu_share *) shares;        /* a list by older; added to with the lock held */

	/* Streams for frees that wait for events; made when needed. */
	_Atomic(struct gpu_stream *) reclaim[GPU_RECLAIM_STREAMS];
	atomic_uint reclaim_turn;                  /* which of them is used next */

	/* Bit i is for the device with index i, if that is higher than this one's (gpu_peer_open). */
	_Atomic uint64_t peers_tried, peers_open;

	_Atomic(struct gpu_module *) fill_module, image_fill_module;  /* made when needed */
	atomic_int packs_texels;                   /* gpu_device_packs_texels: 0: not tried yet; 1: no; 2: yes */
	_Atomic(unsigned char *) slots_memory;     /* pinned memory of all slots; made when needed */
	_Atomic gpu_address barriers;              /* the counters of grid barriers; made when needed */

	/* Number of threads that launch.  It is not in a cache line with the fields that each launch reads. */
	atomic_uint launching;

	struct lock lock;                /* guards all fields below */
	struct list idle_streams[GPU_PRIORITIES];  /* gpu_stream.link, the oldest first */
	struct gpu_event *free_events[2];          /* lists by next; index: timing */
	struct list deferred;                      /* gpu_deferred.link */
	atomic_uint deferred_count;                /* length of deferred; changed with the lock held, read without */
	atomic_uint quiet_count;                   /* those of them that wait until the device is idle; likewise */
	_Atomic uint64_t quiet_B;                  /* the memory that those hold; likewise */
	_Atomic uint64_t epoch_due_ns;             /* when to renew the epoch; 0: there is none; likewise */
	struct list epochs;                        /* gpu_epoch.link, with a reference to each */
	unsigned epoch_count;
	struct gpu_epoch *free_epochs;             /* a list by next */
	struct gpu_stream *clock_stream;           /* for epochs; NULL: not made yet */
	struct gpu_slot slots[GPU_SLOTS];
	struct gpu_block kept[GPU_KEPT_BLOCKS];
	unsigned kept_turn;              /* index of the block that is replaced next */
	_Atomic uint64_t kept_B;         /* size of all kept blocks; changed with the lock held, read without */
};

struct gpu_share {
	struct gpu_share *older;
	struct gpu_device *device;       /* immutable, as are the next four */
	uint32_t first, count;           /* units */
	struct CUgreenCtx_st *cu_green;
	CUcontext cu_context;            /* the same, as nodes of graphs want it */
	struct list idle_streams[GPU_PRIORITIES];  /* as the device's; guarded by its lock */
};

struct gpu_stream {
	struct list link;                /* gpu_device.idle_streams, while it is released */
	struct gpu_stream *older;        /* the stream of the device that was made before it */
	struct gpu_device *device;
	struct gpu_share *share;         /* where it runs; NULL: on all of the device */
	CUstream cu_stream;
	uint32_t id;
	int priority;
	_Atomic uint64_t last;           /* number of operations put in */
	_Atomic uint64_t done;           /* number of operations that are known to be complete */
	atomic_bool foreign;             /* the application may put operations into it; never false again */
	atomic_bool timed;               /* a timing event was recorded in it since it was acquired */
	atomic_uint waits_last;          /* index of the length in waits_ns that was stored last */
	_Atomic uint64_t waits_ns[GPU_WAITS_REMEMBERED];  /* lengths of the last waits for it; 0: none */
	/* Bit i: an operation of this stream needs work or memory of the device with index i, modulo 64.
	 * others_last: the sequence of the last such operation. */
	_Atomic uint64_t others, others_last;
	/* The operations after failed_from and up to failed_last may have failed, because another device was lost. */
	_Atomic uint64_t failed_from, failed_last;
	/* seen[i]: this stream already waits for the operations of the stream with id i up to this sequence.  It is
	 * raised only after the wait was put in and counted.  Streams with larger ids are waited for each time. */
	_Atomic uint64_t seen[GPU_STREAMS_TRACKED];
};

struct gpu_event {
	atomic_uint refs;
	struct gpu_stream *stream;
	uint64_t sequence;               /* of the stream, when it was recorded */
	CUevent cu_event;                /* made once; it lives as long as the process */
	bool timing;
	atomic_bool done;                /* it is known to have happened */
	struct gpu_epoch *epoch;         /* ref held; NULL without timing */
	struct gpu_event *next;          /* in the device's free_events while it is not used */
};

/* Whether the operation with this sequence may have failed, because another device was lost. */
static inline bool gpu_stream_failed_at(const struct gpu_stream *stream, uint64_t sequence)
{
	return sequence <= atomic_load_explicit(&stream->failed_last, memory_order_acquire) &&
	       sequence > atomic_load_explicit(&stream->failed_from, memory_order_relaxed);
}

/* Whether the event is known to have happened, and nothing before it has failed.  The sequence alone does not tell it
 * of a timing event, whose timestamp the GPU writes: between the read of the count and the record, the stream may be
 * found complete. */
static inline bool gpu_event_is_done(const struct gpu_event *event)
{
	return atomic_load_explicit(&event->done, memory_order_acquire) ||
	       (!event->timing &&
		atomic_load_explicit(&event->stream->done, memory_order_acquire) >= event->sequence &&
		!gpu_stream_failed_at(event->stream, event->sequence));
}

/* --- gpu_device.c --- */

/* The most unused memory that a device keeps, in blocks and in its pool. */
static inline uint64_t gpu_unused_max_B(const struct gpu_device *device)
{
	return device->caps.memory_B / 32;
}

/* The part of it that blocks may have: each is for one size, while the pool serves all sizes. */
static inline uint64_t gpu_kept_max_B(const struct gpu_device *device)
{
	return gpu_unused_max_B(device) / 2;
}

/* gpu_enter for functions that create objects: it also fails in a child after fork, in which CUDA does not work. */
cl_int gpu_enter_new(struct gpu_device *device, struct gpu_scope *scope);
/* gpu_enter, with the green context of a share of the device current instead of the device's context. share: NULL for
 * the whole device. */
cl_int gpu_enter_share(struct gpu_device *device, const struct gpu_share *share, struct gpu_scope *scope);
/* gpu_enter_by_handle.  Making a context current, and the old one afterwards, takes 50 ns.  Streams and events have
 * their context, and the drivers that were tested (580; softcuda) need no current one.  If a driver does, its call
 * fails without effect; gpu_wants_current then makes the context current until gpu_leave, and the call is made
 * again.  From then on the context is always made current. */
static inline cl_int gpu_scope_by_handle(struct gpu_device *device, struct gpu_scope *scope)
{
	if (atomic_load_explicit(&device->wants_current, memory_order_relaxed))
		return gpu_enter(device, scope);
	scope->changed = false;
	scope->by_handle = true;
	return atomic_load_explicit(&device->lost, memory_order_acquire);
}
bool gpu_wants_current(struct gpu_device *device, CUresult cu_result, struct gpu_scope *scope);

/* The device's status, after a check whether the process is a child after fork. */
cl_int gpu_device_check_process(struct gpu_device *device);
void gpu_device_lose(struct gpu_device *device, cl_int code);
/* The device's status, after the driver was asked for errors of its work. */
cl_int gpu_device_ask(struct gpu_device *device);

/* --- gpu_stream.c --- */

/* Makes a stream, which is in no pool.  The device's context is current. */
cl_int gpu_stream_create(struct gpu_device *device, struct gpu_share *share, int priority,
			 struct gpu_stream **stream_out);
/* Counts the operation that was just put in. */
static inline void gpu_stream_count(struct gpu_stream *stream)
{
	atomic_fetch_add_explicit(&stream->last, 1, memory_order_release);
}
/* Whether everything in the device's streams is complete; the driver is asked if that is not known.  Streams that the
 * application made with CUDA are not included. */
bool gpu_device_is_idle(struct gpu_device *device);
/* Notes that all operations up to sequence are complete. */
void gpu_stream_raise_done(struct gpu_stream *stream, uint64_t sequence);

/* Notes that the operation that is counted next needs work or memory of another device. */
void gpu_stream_need(struct gpu_stream *stream, const struct gpu_device *device);
/* After the driver said that operations of stream are complete, and before done is raised: if another device was lost
 * whose work or memory they needed, which CUDA does not report, they have failed (gpu_stream_failed_at), and so has all
 * that is in the stream now. */
void gpu_stream_check_others(struct gpu_stream *stream);

/* --- gpu_event.c --- */

/* Whether something that waits for event has to go on waiting: false when the device is lost, true when the driver gave
 * no answer. */
bool gpu_event_pending(struct gpu_event *event);
/* Whether gpu_event_pending is true for any of the events. */
bool gpu_events_pending(struct gpu_event *const *events, uint32_t count);
/* As gpu_event_wait, for the few places that may wait although a lock may be held. */
cl_int gpu_event_block(struct gpu_event *event);

/* --- gpu_pause.c --- */

/* The pauses of a thread that polls an event of stream: gpu_pauses_begin, gpu_pause after each poll, gpu_pauses_end.
 * CULVERT_WAIT says how long they are. */
struct gpu_pauses {
	const struct manner *manner;
	uint64_t start_ns;
	struct gpu_stream *stream;
	int slack;                       /* the thread's timer slack before, in ns; -1: it was not changed */
};

void gpu_pauses_begin(struct gpu_pauses *pauses, struct gpu_stream *stream);
/* cu_event: the event that is polled. */
void gpu_pause(struct gpu_pauses *pauses, CUevent cu_event);
void gpu_pauses_end(const struct gpu_pauses *pauses);

/* --- gpu_mem.c --- */

/* As gpu_check_result, for allocations: CL_MEM_OBJECT_ALLOCATION_FAILURE without memory. */
cl_int gpu_memory_check(struct gpu_device *device, CUresult cu_result, const char *call);
/* Waits for pending frees, and gives unused memory of the pool back to the driver.  The device's context is current. */
void gpu_memory_make_room(struct gpu_device *device);

/* --- gpu_staging.c --- */

/* Allocates the slots' memory, if that has not been done, before several threads take slots at once: each of them would
 * allocate it otherwise, which takes half a millisecond for each MiB.  A failure shows when a slot is taken. */
void gpu_slots_prepare(struct gpu_device *device);
/* Takes count slots, or none and returns false. */
bool gpu_slots_take(struct gpu_device *device, struct gpu_slot **slots, unsigned count);
void gpu_slots_release(struct gpu_device *device, struct gpu_slot **slots, unsigned count,
		       struct gpu_event *after);

/* --- gpu_past_caches.c --- */

/* memcpy that bypasses the processor's caches, for bytes that only the GPU will read.  to is aligned to 64 bytes. */
void gpu_copy_past_caches(unsigned char *to, const unsigned char *from, uint64_t size_B);

/* --- gpu_relay.c: pageable bytes that all fit into slots at once --- */

/* Whether several threads copy this many bytes, which is faster than the driver's copy. */
bool gpu_relay_is_shared(uint64_t size_B);
/* Copies through slots if there are free ones, otherwise by the driver; several threads copy if gpu_relay_is_shared. */
cl_int gpu_relay_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			   uint64_t size_B);
/* Copies if gpu_relay_is_shared; everything in stream is complete.  The copy is complete on return.  false: nothing was
 * copied, because there were no free slots. */
bool gpu_relay_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B,
		       cl_int *error_out);

/* --- gpu_pageable.c: large copies of pageable memory, by several threads with streams of their own --- */

/* Whether copies of this size are made so. */
bool gpu_pageable_is_shared(uint64_t size_B);
/* The size of the parts that threads copy, whole pages, so that no two threads are the first to use a page of host
 * memory that begins with one. */
uint64_t gpu_pageable_part_B(uint64_t size_B, uint64_t page_B);
/* Copy; complete on return.  false: nothing was copied, because there were no free slots, streams or threads. */
bool gpu_pageable_to_device(struct gpu_device *device, gpu_address to, const void *from,
			    uint64_t size_B, cl_int *error_out);
bool gpu_pageable_to_host(struct gpu_device *device, void *to, gpu_address from, uint64_t size_B,
			  cl_int *error_out);

/* --- gpu_fill.c --- */

/* Fills with a pattern of 8 to 128 bytes. */
cl_int gpu_fill_long(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B);

/* --- gpu_graph.c --- */

/* Add nodes to a graph that is being made.  The device's context is current. */
cl_int gpu_graph_add_copy(struct gpu_graph *graph, const CUDA_MEMCPY3D *copy);
cl_int gpu_graph_add_copy_line(struct gpu_graph *graph, gpu_address to, gpu_address from,
			       uint64_t size_B);
/* value: its lowest element_B bytes are the pattern. */
cl_int gpu_graph_add_fill(struct gpu_graph *graph, gpu_address to, uint32_t value,
			  uint32_t element_B, uint64_t size_B);

/* --- gpu_clock.c --- */

/* Converts the device's time to the host's.  An epoch is a timing event whose time on the host is known; the time of
 * another event is computed from its distance to the nearest epoch.  CUDA returns distances as floats, so a new epoch
 * is made every two seconds, when a timing event is recorded, queried or waited for.  Converted times do not jump
 * when the epoch changes.
 *
 * gpu_epoch_get gives the current epoch with a reference; gpu_epoch_renew makes a new one if it is due. */
cl_int gpu_epoch_get(struct gpu_device *device, struct gpu_epoch **epoch_out);
cl_int gpu_epoch_renew(struct gpu_device *device);
void gpu_epoch_unref(struct gpu_device *device, struct gpu_epoch *epoch);
/* The time of cu_event, which has happened; own: the epoch that was current when it was recorded.  The device's context
 * is current. */
cl_int gpu_epoch_time_ns(struct gpu_device *device, const struct gpu_epoch *own,
			 CUevent cu_event, uint64_t *time_ns_out);

/* --- gpu_defer.c --- */

/* Calls act(device, object) once the events have happened: at once if they have, otherwise in some later call on the
 * device.  It needs no thread and does not wait; without memory to note it, the object is leaked, which is logged. */
void gpu_defer(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
	       void *object, struct gpu_event *const *after, uint32_t count);
/* As gpu_defer, for calls by which the driver waits until no kernel runs on the device: it also waits until the
 * device is idle, unless GPU_QUIET_MAX others do so already or they hold more than GPU_QUIET_MAX_B.  size_B: the
 * memory that the object holds; 0 if that is little. */
void gpu_defer_quiet(struct gpu_device *device, void (*act)(struct gpu_device *, void *object),
		     void *object, uint64_t size_B, struct gpu_event *const *after,
		     uint32_t count);
/* Calls what has become due. */
void gpu_defer_reap(struct gpu_device *device);
/* Waits until everything that is pending is due, and calls it: for an allocation that found no memory. */
void gpu_defer_wait(struct gpu_device *device);

#endif
