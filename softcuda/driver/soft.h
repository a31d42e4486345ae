/* The insides of the software CUDA driver: state, handles, streams, memory.
 *
 * One lock guards everything here except the table of allocations, which has
 * its own reader-writer lock so that kernels can look addresses up while the
 * driver works.  Functions named _locked want the driver's lock held; it is
 * never held while an operation runs, while a caller's function is called, or
 * while the executor parses.
 *
 * Every door (an exported cu* function) is one SOFT_CALL: soft_enter checks
 * what all calls check, soft_leave lets go. That pair is also the one place
 * where calls are traced and counted, and where they fail on purpose (driver/fault.h).
 *
 * Work: a door makes an operation and submits it to a stream.  Streams are
 * FIFOs; an operation may start when it is the first of its stream and every
 * point (stream, sequence) that it waits for is reached.  Which of those that
 * may start does start is decided in one place, schedule_pick_locked. */
#ifndef CULVERT_SOFTCUDA_SOFT_H
#define CULVERT_SOFTCUDA_SOFT_H

#include "base/bytes.h"
#include "base/list.h"
#include "base/lock.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SOFT_DRIVER_VERSION = 13000,
	SOFT_DEVICES_MAX = 16,
	SOFT_SM = 90,                        /* what devices are by default */
	SOFT_SM_OLDEST = 50, SOFT_SM_NEWEST = 121,
	SOFT_MULTIPROCESSORS = 4,
	SOFT_WARP = 32,
	SOFT_THREADS_PER_BLOCK = 1024,
	SOFT_THREADS_PER_SM = 2048,
	SOFT_BLOCKS_PER_SM = 32,
	SOFT_REGISTERS = 65536,              /* per block and per multiprocessor */
	SOFT_SHARED_STATIC_B = 48 << 10,
	SOFT_PITCH_MAX_B = 2147483647,
	SOFT_SHARED_OPTIN_B = 227 << 10,
	SOFT_SHARED_RESERVED_B = 1 << 10,    /* per block */
	SOFT_SHARED_PER_SM_B = 228 << 10,
	SOFT_CANDIDATES_MAX = 256,           /* operations to choose from at a time */
	SOFT_LEAST_PRIORITY = 0,
	SOFT_GREATEST_PRIORITY = -5
};

/* --- devices ------------------------------------------------------------------- */

struct soft_pool;

/* Lives as long as the process. */
struct soft_device {
	unsigned index;
	unsigned sm;                         /* of its compute capability */
	uint64_t memory_B;
	uint64_t used_B;
	uint64_t idle_B;                     /* what pools reserve and nobody uses */
	struct soft_context *primary;        /* NULL while nobody retains it */
	unsigned primary_refs;
	unsigned primary_flags;
	struct soft_pool *default_pool;
	struct soft_pool *pool;              /* what cuMemAllocAsync uses */
};

/* CUDA_ERROR_INVALID_DEVICE where there is no such device. */
CUresult soft_device_find_locked(CUdevice cu_device, struct soft_device **device_out);
/* One number of the table that cuDeviceGetAttribute answers from. */
CUresult soft_device_attribute(const struct soft_device *device, CUdevice_attribute attribute,
			       int *value_out);

/* --- the driver ---------------------------------------------------------------- */

struct soft_driver {
	struct lock lock;
	struct lock_condition done;          /* some operation completed */
	struct lock_condition work;          /* some operation may start */
	bool initialised;
	atomic_bool forked;                  /* this is a child: nothing works, the lock neither */
	bool stopping;                       /* the process ends: start nothing */
	struct soft_device devices[SOFT_DEVICES_MAX];
	unsigned device_count;
	struct list contexts;                /* of soft_context.link */
	struct list active;                  /* of soft_stream.active */
	struct list kernels;                 /* of running launches, oldest first */
	struct list limbo;                   /* of freed allocations kernels may still touch */
	struct list waiters;                 /* host threads that wait for a point */
	uint64_t kernels_started;
	uint64_t next_id;                    /* contexts, streams, threads, buffers: never reused */
};

extern struct soft_driver soft_driver;

enum soft_need {
	SOFT_NEED_NOTHING,       /* works before cuInit */
	SOFT_NEED_INIT,
	SOFT_NEED_CONTEXT,       /* a current context without a fault */
	SOFT_NEED_FAULTY         /* a current context, with a fault or not */
};

/* CUDA_SUCCESS with the lock taken and the current context (NULL if there is
 * none and none is needed), or why the call cannot go on, lock not taken.
 * call: NULL for another part of a call that was entered before: not counted again.
 * SOFT_DROPPED: the call is to be answered with success and left undone. */
CUresult soft_enter(const char *call, enum soft_need need, struct soft_context **context_out);
/* The same for a call on a stream, which knows its context, whatever is current. */
CUresult soft_enter_stream(const char *call, CUstream cu_stream,
			   struct soft_context **context_out);
/* Drops the lock and hands the result through. */
CUresult soft_leave(const char *call, CUresult result);

/* What soft_enter says of a call that is to be forgotten (driver/fault.h). */
#define SOFT_DROPPED ((CUresult)-1)

/* What a door returns that soft_enter has turned back. */
static inline CUresult soft_turned_back(CUresult result)
{
	return result == SOFT_DROPPED ? CUDA_SUCCESS : result;
}

#define SOFT_CALL(need, expression)                                             \
	struct soft_context *context = NULL;                                    \
	CUresult call_result = soft_enter(__func__, (need), &context);          \
	return call_result != CUDA_SUCCESS ? soft_turned_back(call_result)      \
					   : soft_leave(__func__, (expression))

#define SOFT_STREAM_CALL(cu_stream, expression)                                 \
	struct soft_context *context = NULL;                                    \
	CUresult call_result = soft_enter_stream(__func__, (cu_stream), &context); \
	return call_result != CUDA_SUCCESS ? soft_turned_back(call_result)      \
					   : soft_leave(__func__, (expression))

/* How much of text to print in a log's line: all but the line ends behind it. */
static inline int soft_line_length(const struct bytes *text)
{
	size_t length_B = text->size_B;
	while (length_B && text->data[length_B - 1] == '\n')
		length_B--;
	return length_B < INT32_MAX ? (int)length_B : INT32_MAX;
}

/* The calling thread's number, for its own default streams. */
uint64_t soft_thread_id_locked(void);
/* Around a caller's function, which may not call the driver. */
void soft_thread_forbid(bool forbidden);
uint64_t soft_now_ns(void);

/* --- handles ------------------------------------------------------------------- */

enum soft_kind {
	SOFT_KIND_FREE,
	SOFT_KIND_CONTEXT,
	SOFT_KIND_STREAM,
	SOFT_KIND_EVENT,
	SOFT_KIND_MODULE,
	SOFT_KIND_FUNCTION,
	SOFT_KIND_LIBRARY,
	SOFT_KIND_KERNEL,
	SOFT_KIND_LINK,
	SOFT_KIND_POOL,
	SOFT_KIND_ARRAY,
	SOFT_KIND_GRAPH,
	SOFT_KIND_GRAPH_NODE,
	SOFT_KIND_GRAPH_EXEC,
	SOFT_KIND_PHYSICAL,
	SOFT_KIND_EXTERNAL,
	SOFT_KIND_SEMAPHORE,
	SOFT_KIND_COUNT
};

/* What a CU handle points to.  Slots are never unmapped, so any value can be
 * checked; a freed slot is the next one given out for its kind, as NVIDIA's
 * driver reuses values: who keeps a stale handle is found out. */
void *soft_handle_create_locked(enum soft_kind kind, void *object);
void soft_handle_destroy_locked(void *handle);
/* NULL when handle is no live handle of that kind. */
void *soft_handle_find_locked(enum soft_kind kind, const void *handle);
/* How many handles of that kind there are. */
size_t soft_handle_live_locked(enum soft_kind kind);

/* --- contexts ------------------------------------------------------------------ */

struct soft_context {
	struct list link;                    /* of soft_driver.contexts */
	CUcontext handle;
	uint64_t id;
	struct soft_device *device;
	bool primary;
	bool alive;                          /* false once destroyed */
	unsigned refs;                       /* stacks, waiters, the handle */
	unsigned flags;
	unsigned api_version;
	CUresult fault;                      /* sticky; CUDA_SUCCESS while well */
	struct bytes report;                 /* of the fault, for a person */
	struct list streams;                 /* of soft_stream.link */
	struct list events;                  /* of soft_event.link */
	struct list modules;                 /* of soft_module.link */
	struct list arrays;                  /* of soft_array.link */
	struct list objects;                 /* textures and surfaces */
	struct soft_stream *legacy;          /* the NULL stream */
	uint32_t peers;                      /* bit per device whose memory is enabled */
	CUfunc_cache cache_config;
	size_t limits[CU_LIMIT_MAX];
};

CUresult soft_context_find_locked(CUcontext cu_context, struct soft_context **context_out);
/* Frees what belongs to it; pending work is waited for. */
void soft_context_destroy_locked(struct soft_context *context);
void soft_context_unref_locked(struct soft_context *context);
/* Waits until all that was submitted before the call is done; its fault. */
CUresult soft_context_wait_locked(struct soft_context *context);
/* The context has the fault result from here on, unless it has one: what waits in
 * its streams ends.  report is for a person, and is taken. */
void soft_context_fault_locked(struct soft_context *context, CUresult result,
			       struct bytes *report);

/* --- streams, points, operations ------------------------------------------------ */

struct soft_stream {
	struct list link;                    /* of soft_context.streams */
	struct list active;                  /* of soft_driver.active */
	CUstream handle;                     /* NULL once destroyed, and for default streams */
	struct soft_context *context;        /* NULL once that is destroyed */
	uint64_t id;
	uint64_t thread;                     /* whose per-thread default stream; 0: nobody's */
	unsigned flags;
	int priority;
	unsigned refs;
	bool running;                        /* the first operation has been started */
	struct list operations;              /* of soft_operation.link, in order */
	uint64_t submitted, completed;       /* sequences; 0 before the first */
	uint64_t chance;                     /* of being chosen, for the schedule; 0: not set */
	struct oracle_stream *oracle;        /* what the oracle knows of it */
};

/* Reached when stream->completed >= sequence; holds a reference to stream. */
struct soft_point {
	struct soft_stream *stream;
	uint64_t sequence;
};

struct soft_operation;

struct soft_operation_type {
	const char *name;
	/* Does the work, without the lock.  NULL: there is nothing to do but to
	 * take effect in order.  An error is the context's fault from then on. */
	CUresult (*run)(struct soft_operation *operation, struct bytes *report);
	bool despite_fault;                  /* run even in a context with a fault */
	bool frees;                          /* takes memory away */
	bool calls_host;                     /* runs a function of the caller's */
	bool waits_for_host;                 /* may end only when somebody writes memory */
	/* Takes effect, with the lock; may be NULL. */
	void (*retire_locked)(struct soft_operation *operation);
	/* Gives back what it holds, with the lock, run or not; may be NULL. */
	void (*finish_locked)(struct soft_operation *operation);
};

/* The first member of each kind's own struct. */
struct soft_operation {
	struct list link;                    /* of soft_stream.operations */
	const struct soft_operation_type *type;
	struct soft_stream *stream;
	uint64_t sequence;
	uint64_t ticket;                     /* order of submission, of all streams */
	struct soft_point *points;           /* owned */
	uint32_t point_count;
	struct list kernel_link;             /* of soft_driver.kernels, a running launch's */
	uint64_t kernel_number;
	bool kernel;
	CUresult injected;                   /* what it ends with instead of running */
	bool was_held;                       /* the schedule leaves it to the last */
	const char *label;                   /* which of its type; NULL: there is one only */
	struct oracle_record *record;        /* what the oracle notes of it */
};

/* The stream of a handle, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD and NULL
 * included; CUDA_ERROR_INVALID_HANDLE, or the fault of the stream's context. */
CUresult soft_stream_find_locked(struct soft_context *context, CUstream cu_stream,
				 struct soft_stream **stream_out);
struct soft_stream *soft_stream_create_locked(struct soft_context *context, unsigned flags,
					      int priority);
void soft_stream_unref_locked(struct soft_stream *stream);
/* Detaches it from its handle and its context; pending work goes on. */
void soft_stream_retire_locked(struct soft_stream *stream);
/* The end of a thread: its per-thread default streams go. */
void soft_stream_retire_thread_locked(uint64_t thread);
bool soft_stream_idle(const struct soft_stream *stream);

/* size_B: of the whole struct; zeroed. NULL when out of memory. */
void *soft_operation_create(const struct soft_operation_type *type, size_t size_B);
void soft_operation_destroy_locked(struct soft_operation *operation);
CUresult soft_operation_wait_for_locked(struct soft_operation *operation,
					struct soft_stream *stream, uint64_t sequence);
/* Owns operation from here on, success or not. */
CUresult soft_operation_submit_locked(struct soft_operation *operation,
				      struct soft_stream *stream);
/* Waits until point is reached: the caller holds a reference to its stream.
 * CUDA_ERROR_LAUNCH_TIMEOUT when a lazy schedule finds that it never will be. */
CUresult soft_point_wait_locked(const struct soft_point *point);
/* A question about work was answered with "not yet": a lazy schedule may go on. */
void soft_schedule_nudge_locked(void);
/* What the schedule keeps may run. */
void soft_schedule_let_go_locked(void);
/* Lets all that is in streams end, and goes on with the schedule that items (sched.h)
 * describe. CUDA_ERROR_INVALID_VALUE, _LAUNCH_TIMEOUT, _OUT_OF_MEMORY. */
CUresult soft_schedule_restart_locked(const char *items);
/* Waits until nothing runs that touches memory, which lets the lock go.  What is in streams stays
 * there as long as the lock is held. */
void soft_schedule_quiet_locked(void);
/* Waits for what is in stream now; the fault of its context. */
CUresult soft_stream_wait_locked(struct soft_stream *stream);
/* Starts the first worker. */
CUresult soft_workers_start_locked(void);
/* The end of the process: no further operation starts; true when none runs. */
bool soft_workers_stop(void);

/* --- events -------------------------------------------------------------------- */

struct soft_event {
	struct list link;                    /* of soft_context.events */
	CUevent handle;                      /* NULL once destroyed */
	struct soft_context *context;        /* NULL once that is destroyed */
	unsigned flags;
	unsigned refs;
	struct soft_point point;             /* the latest record; stream NULL before the first */
	uint64_t time_ns;                    /* of the latest completed record */
};

CUresult soft_event_find_locked(CUevent cu_event, struct soft_event **event_out);
CUresult soft_event_record_locked(struct soft_event *event, struct soft_stream *stream);
CUresult soft_event_await_locked(struct soft_event *event, struct soft_stream *stream);
void soft_event_destroy_locked(struct soft_event *event);
bool soft_point_reached(const struct soft_point *point);

/* --- memory -------------------------------------------------------------------- */

enum soft_memory_kind {
	SOFT_MEMORY_DEVICE,
	SOFT_MEMORY_MANAGED,
	SOFT_MEMORY_HOST,                    /* pinned, ours */
	SOFT_MEMORY_REGISTERED,              /* pinned, the caller's own */
	SOFT_MEMORY_ARRAY                    /* of a CUDA array: pointers do not reach it */
};

struct soft_allocation {
	struct list link;                    /* of soft_driver.limbo once freed */
	uint64_t start;                      /* its address, on device and host alike */
	uint64_t size_B;
	uint64_t id;                         /* never reused */
	enum soft_memory_kind kind;
	unsigned flags;                      /* as given to the call that made it */
	struct soft_device *device;
	struct soft_context *context;        /* goes with it; NULL: with nobody */
	struct soft_pool *pool;              /* NULL: not from a pool */
	bool freed;                          /* no longer in the table */
	bool freeing;                        /* an operation that frees it is in a stream */
	bool sync_operations;                /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
	bool shared;                         /* the bytes are not the allocation's own */
	bool mapped;                         /* by cuMemMap or cuIpcOpenMemHandle: not cuMemFree's */
	bool ipc_exported;                   /* the bytes are those of ipc_fd (driver/ipc.c) */
	int ipc_fd;                          /* owned */
	uint64_t ipc_inode;                  /* of another process's file, while ipc_opens: */
	unsigned ipc_opens;                  /*   how often it was opened */
	unsigned pins;                       /* operations that will touch its bytes */
	uint64_t freed_at;                   /* soft_driver.kernels_started then */
	uint64_t oracle_writes;              /* operations that have written to it */
	unsigned noted;                      /* CULVERT_SOFT_READ_ONLY and _WRITE_ONLY */
	atomic_uchar *written;               /* owned: a byte for each of its bytes; NULL: all are */
	void *mapping;                       /* NULL: not ours to give back */
	size_t mapping_B;                    /* 0: from the heap */
};

struct soft_pool {
	CUmemoryPool handle;
	struct soft_device *device;
	bool destroyed;                      /* waits for its allocations to go */
	uint64_t used_B, reserved_B, used_high_B, reserved_high_B;
	uint64_t idle_B;                     /* its part of the device's */
	uint64_t release_threshold_B;
	uint64_t max_B;                      /* 0: what the device has */
	int reuse[3];                        /* the three reuse switches: kept, without effect */
	_Atomic uint32_t access;             /* bit per device that may use it */
	uint64_t allocations;
};

CUresult soft_memory_alloc_locked(struct soft_context *context, enum soft_memory_kind kind,
				  uint64_t size_B, struct soft_pool *pool,
				  struct soft_allocation **allocation_out);
/* Enters bytes at start, which others may have too, into the table as memory of device. */
CUresult soft_memory_share_locked(struct soft_context *context, struct soft_device *device,
				  uint64_t start, uint64_t size_B,
				  struct soft_allocation **allocation_out);
/* Whether CUDA IPC can share it: memory of cuMemAlloc can. */
bool soft_memory_is_ipc_capable(const struct soft_allocation *allocation);
/* What context has opened of another process's memory, by the inode; NULL: nothing. */
struct soft_allocation *soft_memory_opened_locked(const struct soft_context *context, uint64_t inode);
/* Out of the table at once; unmapped when nothing that runs can touch it. */
void soft_memory_free_locked(struct soft_allocation *allocation);
/* Frees it as cuMemFree does, after the context's work; its fault.  Where the wait
 * could not be, or the context has ended meanwhile, it is not freed here. */
CUresult soft_memory_end_locked(struct soft_context *context, struct soft_allocation *allocation,
				const char *call);
void soft_memory_pin_locked(struct soft_allocation *allocation);
void soft_memory_unpin_locked(struct soft_allocation *allocation);
/* Unmaps what no running launch can touch any more. */
void soft_memory_reap_locked(void);
/* Everything that belongs to context. */
void soft_memory_free_context_locked(struct soft_context *context);
/* The live allocation that holds address, or NULL. */
struct soft_allocation *soft_memory_lookup_locked(uint64_t address);
/* culvert_soft_note_memory.  Takes a lock of its own. */
void soft_memory_note(uint64_t address, uint64_t size_B, unsigned what);
/* What kernels reach (exec/exec.h), and what is noted of it.  Thread-safe; no lock held on return. */
bool soft_memory_find(const struct soft_launch *launch, uint64_t address, uint64_t *start_out,
		      uint64_t *end_out);
unsigned soft_memory_touch(uint64_t address, uint32_t size_B, bool reads, bool writes);
void soft_memory_written(uint64_t address, uint64_t size_B);
void soft_memory_describe(uint64_t address, struct bytes *text, uint64_t *start_out,
			  uint64_t *end_out);
/* CULVERT_SOFT_PAGEABLE: kernels may touch all writable memory of the host. */
bool soft_pageable(void);
/* The page of such memory that address is in; false also where the option is off. */
bool soft_pageable_find(uint64_t address, uint64_t *start_out, uint64_t *end_out);
/* How many live allocations there are: pinned on the host, or all others. */
size_t soft_memory_live_locked(bool host);
/* The same, or one that was freed and that a launch may still touch. */
struct soft_allocation *soft_memory_lookup_all_locked(uint64_t address);
/* Like lookup, and all of [address, address + size_B) lies inside. */
struct soft_allocation *soft_memory_range_locked(uint64_t address, uint64_t size_B);
/* Enters host memory that is the caller's own into the table. */
CUresult soft_memory_register_locked(struct soft_context *context, void *pointer, uint64_t size_B,
				     unsigned flags);
struct soft_pool *soft_pool_create_locked(struct soft_device *device, uint64_t max_B);
void soft_pool_release_locked(struct soft_pool *pool);
/* Reserves no more than keep_B any longer, or than what is in use. */
void soft_pool_trim_locked(struct soft_pool *pool, uint64_t keep_B);

/* --- arrays, textures, surfaces: driver/array.h ---------------------------------------- */

/* Everything that belongs to context; its memory goes by itself. */
void soft_array_retire_context_locked(struct soft_context *context);
void soft_object_retire_context_locked(struct soft_context *context);
/* The texture or surface object of a value, as kernels have it. */
enum soft_image_state soft_image_find(const struct soft_launch *launch, uint64_t value,
				      struct soft_image *image_out);
/* How many texture or surface objects there are. */
size_t soft_object_live_locked(bool surface);

/* --- modules ------------------------------------------------------------------- */

struct soft_module {
	struct list link;                    /* of soft_context.modules */
	CUmodule handle;                     /* NULL once unloaded */
	struct soft_context *context;
	struct soft_program *program;
	struct soft_entry *entries;          /* one per function, order of the source */
	uint32_t entry_count;
	struct soft_allocation **variables;  /* by index of soft_program_variables */
	uint64_t *variable_addresses;
	uint32_t variable_count;
	unsigned refs;                       /* the handle, launches in streams */
};

/* What a CUfunction stands for. */
struct soft_entry {
	struct soft_module *module;
	const struct soft_function *function;
	CUfunction handle;
	bool launched;
	uint32_t dynamic_shared_max_B;
	int carveout;
	CUfunc_cache cache_config;
};

/* Parses an image (PTX ending in NUL, or a container of the linker's) and puts
 * its variables into device memory.  Drops the lock while it parses. */
CUresult soft_module_create_locked(struct soft_context *context, const void *image,
				   struct bytes *log, struct soft_module **module_out);
void soft_module_destroy_locked(struct soft_module *module);
void soft_module_unref_locked(struct soft_module *module);
struct soft_entry *soft_module_entry(struct soft_module *module, const char *name);
CUresult soft_module_variable(struct soft_module *module, const char *name,
			      CUdeviceptr *address_out, size_t *size_B_out);
/* A CUfunction, or a CUkernel as loaded in context. */
CUresult soft_entry_find_locked(struct soft_context *context, CUfunction cu_function,
				struct soft_entry **entry_out);
uint32_t soft_entry_max_threads(const struct soft_entry *entry);
/* CU_FUNC_ATTRIBUTE_*. */
CUresult soft_entry_attribute(const struct soft_entry *entry, CUfunction_attribute attribute,
			      int *value_out);
CUresult soft_entry_set_attribute(struct soft_entry *entry, CUfunction_attribute attribute,
				  int value);
CUresult soft_entry_parameter(const struct soft_entry *entry, size_t index, size_t *offset_out,
			      size_t *size_B_out);
CUresult soft_kernel_resolve_locked(struct soft_context *context, void *kernel,
				    struct soft_entry **entry_out);
/* Work-groups of that shape that fit on a multiprocessor at once. */
uint32_t soft_entry_occupancy(const struct soft_entry *entry, uint32_t threads,
			      uint64_t dynamic_shared_B);

/* --- images and JIT options ------------------------------------------------------- */

/* Wraps PTX into what stands for a cubin here. */
void soft_image_wrap(struct bytes *image, const char *ptx, size_t size_B);
/* The PTX in an image. size_B 0: not known, trust the image.
 * CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU with a reason in log. */
CUresult soft_image_open(const void *image, size_t size_B, struct bytes *log,
			 const char **ptx_out, size_t *ptx_size_B_out);

/* ptx_parse, with the gaps that CULVERT_SOFT_CHECK asks for. */
CUresult soft_image_parse(const char *ptx, size_t size_B, struct bytes *log,
			  struct soft_program **program_out);

/* The CU_JIT_* options that have something to say to us. */
struct soft_jit {
	char *info_log, *error_log;          /* the caller's buffers */
	size_t info_size_B, error_size_B;
	void **info_size_out, **error_size_out, **wall_time_out;
	uint64_t start_ns;
	bool verbose;
};

/* CUDA_ERROR_INVALID_VALUE for an option that CUDA does not define. */
CUresult soft_jit_read(struct soft_jit *jit, unsigned count, const CUjit_option *options,
		       void **values);
/* Writes both logs and the times where the caller wants them. */
void soft_jit_report(struct soft_jit *jit, const char *info, const char *error);

#endif
