/* The GPU: devices, streams, events, memory, modules, launches.
 *
 * Only the files behind this header include <cuda.h>; its functions return OpenCL error codes.  cuda_error.def maps
 * each CUresult to such a code and to a fate: an error with the fate LOST marks the device as lost, and every later
 * call on it fails immediately with the same code.  Every function leaves the calling thread's current CUDA context
 * as it found it.
 *
 * Completion is counted: each operation that is put into a stream increases the stream's sequence by one.  A gpu_event
 * says when everything up to one sequence is complete.
 *
 * Operations of one stream run in the order of the calls.  A caller whose operations must follow each other without
 * others in between holds a lock of its own around the calls (in icd, the queue's).  Only functions with wait in
 * their names, and those whose comments say so, wait for the device.
 *
 * Thread-safe, unless a comment says otherwise. */
#ifndef CULVERT_BACKEND_GPU_H
#define CULVERT_BACKEND_GPU_H

#include "base/bytes.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_device;
struct gpu_stream;
struct gpu_event;
struct gpu_module;
struct gpu_function;
struct gpu_graph;

typedef uint64_t gpu_address;      /* an address in device memory; 0: none */

/* --- devices: found once, they live as long as the process -------------------- */

/* How many processes at a time may have a context on a device: any number, one or none.  The administrator chooses. */
enum gpu_compute_mode { GPU_COMPUTE_SHARED, GPU_COMPUTE_EXCLUSIVE, GPU_COMPUTE_PROHIBITED };

/* What a device can do.  Constant. */
struct gpu_caps {
	char name[256];
	char driver_version[64];       /* of NVIDIA's driver, such as "580.159.04", or of softcuda */
	int cuda_version;              /* cuDriverGetVersion, such as 13000 */
	bool software;                 /* the driver is softcuda */
	unsigned sm;                   /* the compute capability: 10 * major + minor */
	uint8_t uuid[16];
	uint32_t pci_domain, pci_bus, pci_device;
	uint64_t memory_B;             /* total */
	uint32_t multiprocessors;
	uint32_t clock_kHz, memory_clock_kHz, memory_bus_bits;
	uint32_t l2_B;
	uint32_t max_threads_per_block, max_block[3];
	uint64_t max_grid[3];
	uint32_t max_threads_per_multiprocessor, registers_per_block;
	uint32_t local_static_B;       /* local memory (CUDA: shared) of a work-group without opt-in */
	uint32_t local_optin_B;        /* local memory of a work-group with opt-in */
	uint32_t constant_B;
	uint32_t warp;
	uint32_t copy_engines;
	enum gpu_compute_mode compute_mode;
	bool ecc, integrated, kernel_timeout, concurrent_kernels, can_map_host;
	bool managed_memory, concurrent_managed, pageable_access, cooperative_launch, memory_pools;
	bool exports;                  /* gpu_external_create works */
	bool exports_dma_buf;          /* also for GPU_HANDLE_DMA_BUF */
	uint32_t parameter_B;          /* the largest size of kernel parameters */
	/* The largest images, in texels, that arrays, textures and surfaces all support. */
	uint32_t image2d[2], image3d[3], image_layers;
	uint32_t image_mipmapped[2];   /* as image2d, of images with several levels */
	uint32_t image_linear;         /* 1D images in linear memory, in texels */
	uint32_t image_pitch_max_B;    /* the largest row pitch of 2D images in linear memory */
	uint32_t texture_align_B, texture_pitch_B;  /* alignment of linear memory, and of its row pitch */
};

/* Finds the devices, at the first call.  Without a driver or a device the count is 0 and CL_SUCCESS is returned.  The
 * array is constant and lives as long as the process. */
cl_int gpu_devices(struct gpu_device *const **devices_out, uint32_t *count_out);
const struct gpu_caps *gpu_device_caps(const struct gpu_device *device);

/* The LUID, by which Windows identifies a device (cl_khr_device_uuid).  Drivers for Linux return an error for it, which
 * CUDA's debugging tools report; therefore the driver is asked only when the application asks. */
struct gpu_luid {
	bool valid;                    /* the driver returned one; otherwise the fields are 0 */
	uint8_t bytes[8];
	uint32_t node_mask;
};
struct gpu_luid gpu_device_luid(const struct gpu_device *device);
/* The CUDA driver library that is used, or why none is: one line for logs and for `culvert doctor`. */
const char *gpu_driver_note(void);
/* Whether a call has found that the CUDA driver has ended, which it does while the process ends. Thread-safe. */
bool gpu_driver_has_ended(void);

/* Creates the device's CUDA context, if it was not created yet. */
cl_int gpu_device_use(struct gpu_device *device);
/* Between gpu_enter and gpu_leave the device's context is current in this thread.  If gpu_enter fails, as on a lost
 * device, gpu_leave is not called.  All functions here enter by themselves; entering once around several calls saves
 * time.  No code of the application may run in between. */
struct gpu_scope {
	struct CUctx_st *cu_previous;
	bool changed;
	bool by_handle;                  /* gpu_enter_by_handle made no context current */
};
cl_int gpu_enter(struct gpu_device *device, struct gpu_scope *scope);
/* As gpu_enter, for calls that only use streams and events of device.  Drivers accept those without a current context,
 * so that mostly only the device's status is read. */
cl_int gpu_enter_by_handle(struct gpu_device *device, struct gpu_scope *scope);
void gpu_leave_changed(const struct gpu_scope *scope);
static inline void gpu_leave(const struct gpu_scope *scope)
{
	if (scope->changed)
		gpu_leave_changed(scope);
}
/* CL_SUCCESS, or the error by which the device was lost. */
cl_int gpu_device_status(const struct gpu_device *device);

/* --- shares of a device --------------------------------------------------------- */

/* Some of a device's multiprocessors: CUDA's green contexts.  Shares are kept as long as the process, as
 * streams are, one for each range of units. */
struct gpu_share;
/* The steps in which the driver splits the device: count units of size multiprocessors each; both 0: it cannot. */
struct gpu_units {
	uint32_t size, count;
};
struct gpu_units gpu_device_units(struct gpu_device *device);
/* The share of count units, the first-th being the first.  CL_INVALID_VALUE when there are no such;
 * CL_OUT_OF_HOST_MEMORY, or what the driver's error means. */
cl_int gpu_share_find(struct gpu_device *device, uint32_t first, uint32_t count,
		      struct gpu_share **share_out);

/* --- streams ------------------------------------------------------------------ */

/* Gives a stream from a pool, or a new one; streams are never destroyed.  Its kernels run on share; NULL: on all of the
 * device.  priority: 0 normal, -1 high, +1 low. */
cl_int gpu_stream_acquire_of(struct gpu_device *device, struct gpu_share *share, int priority,
			     struct gpu_stream **stream_out);
static inline cl_int gpu_stream_acquire(struct gpu_device *device, int priority,
					struct gpu_stream **stream_out)
{
	return gpu_stream_acquire_of(device, NULL, priority, stream_out);
}
/* Returns the stream to the pool; its unfinished work continues. */
void gpu_stream_release(struct gpu_stream *stream);
struct gpu_device *gpu_stream_device(const struct gpu_stream *stream);
uint32_t gpu_stream_id(const struct gpu_stream *stream);        /* never reused */
/* The sequence of the last operation that was put in; 0: none was. */
uint64_t gpu_stream_last(const struct gpu_stream *stream);
/* The number of operations that are not known to be complete. */
uint64_t gpu_stream_outstanding(const struct gpu_stream *stream);
/* Whether everything in the stream is known to be complete; the driver is not asked. */
bool gpu_stream_is_known_done(const struct gpu_stream *stream);
/* Whether everything up to sequence is known to be complete; the driver is not asked. */
bool gpu_stream_is_known_past(const struct gpu_stream *stream, uint64_t sequence);
/* Whether everything up to sequence is complete.  If that is not known it asks the driver whether all of the stream is
 * complete, so that true may come late (gpu_event_query is exact).  On a lost device: true. */
bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence);
/* The device's status.  CL_OUT_OF_RESOURCES also if the stream's last operation is known to have failed because another
 * device was lost. */
cl_int gpu_stream_status(struct gpu_stream *stream);
/* Waits until everything in the stream is complete; also when no event can be recorded.  After an error some of it may
 * still be running, so that the memory that it uses must not be freed. */
cl_int gpu_stream_drain(struct gpu_stream *stream);
/* Makes later operations of stream start after event.  It costs nothing when event is of the same stream, has happened,
 * or was waited for before. */
cl_int gpu_stream_wait_event(struct gpu_stream *stream, struct gpu_event *event);

/* --- events: refcounted, thread-safe ------------------------------------------- */

/* Records an event that happens when everything that is in stream now is complete.  timing: for gpu_event_time_ns. */
cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out);
/* As gpu_event_record, but uses the struct of *spare again if that is of the same device and kind, and sets *spare to
 * NULL then.  The caller has the only reference to *spare, which may be NULL. */
cl_int gpu_event_record_in(struct gpu_stream *stream, bool timing, struct gpu_event **spare,
			   struct gpu_event **event_out);
/* Whether the caller has the only reference. */
bool gpu_event_is_only(const struct gpu_event *event);
struct gpu_event *gpu_event_ref(struct gpu_event *event);
void gpu_event_unref(struct gpu_event *event);       /* NULL is fine */
struct gpu_stream *gpu_event_stream(const struct gpu_event *event);
uint64_t gpu_event_sequence(const struct gpu_event *event);
/* Whether the event is known to have happened; the driver is not asked. */
bool gpu_event_known_done(const struct gpu_event *event);
/* Whether nothing was put into stream after the event; false if that is not known. */
bool gpu_event_is_tail(const struct gpu_event *event, const struct gpu_stream *stream);
/* Sets *done_out and returns CL_SUCCESS; a negative code when the device was lost before the event happened, or another
 * device for whose work the stream has waited (*done_out is then true if nothing is left to wait for). */
cl_int gpu_event_query(struct gpu_event *event, bool *done_out);
/* Whether the event is known to come after an operation that failed because another device was lost. */
bool gpu_event_has_failed(const struct gpu_event *event);
/* Waits as CULVERT_WAIT says: by default it polls without pauses for a moment, then sleeps between polls.  No lock may
 * be held. */
cl_int gpu_event_wait(struct gpu_event *event);
/* Notes that event has happened, or failed, which the caller knows from a later event. */
void gpu_event_note_done(struct gpu_event *event);
/* For a caller that polls for stream and has done so for waited_ns: how long until the time is near that the last waits
 * for this stream took; 0: it is near; UINT64_MAX: nothing can be foreseen. */
uint64_t gpu_stream_foresee(const struct gpu_stream *stream, uint64_t waited_ns);
/* Notes how long the caller has waited for stream in the end. */
void gpu_stream_remember(struct gpu_stream *stream, uint64_t waited_ns);
/* When the event happened, in nanoseconds of CLOCK_MONOTONIC.  The event was recorded with timing and has happened. */
cl_int gpu_event_time_ns(struct gpu_event *event, uint64_t *time_ns_out);

/* --- memory -------------------------------------------------------------------- */

/* Allocates device memory; CL_MEM_OBJECT_ALLOCATION_FAILURE when there is none left.  On return every stream may use
 * the memory.  It does not wait for work that is in streams. */
cl_int gpu_memory_alloc(struct gpu_device *device, uint64_t size_B, gpu_address *address_out);
/* Tells softcuda, for its checks of kernels, that the memory has not been written yet (is_new), or that kernels may
 * only read it or only write it.  Does nothing with other drivers. */
void gpu_memory_note(gpu_address address, uint64_t size_B, bool is_new, bool read_only, bool write_only);
/* Frees the memory once every event in after has happened; it never waits for the device.  after: events of any device,
 * which stay the caller's.  (An allocation that finds no memory waits for such pending frees and tries once more; the
 * events happen without anything from the application.) */
void gpu_memory_free(struct gpu_device *device, gpu_address address,
		     struct gpu_event *const *after, uint32_t count);
/* Memory that is shared with other APIs or processes is passed as a handle: an opaque file descriptor, a handle of
 * CUDA's interprocess functions (64 bytes, for processes of one machine), or the file descriptor of a dma-buf, by which
 * other drivers of the Linux kernel access it; the last is for exports only. */
enum gpu_handle_type { GPU_HANDLE_FD, GPU_HANDLE_IPC, GPU_HANDLE_DMA_BUF };
enum { GPU_IPC_HANDLE_B = 64 };
struct gpu_handle {
	enum gpu_handle_type type;
	int fd;
	unsigned char ipc[GPU_IPC_HANDLE_B];
};
struct gpu_external;
/* Imports memory and maps it at address_out; a file descriptor stays the caller's.  CL_INVALID_PROPERTY: the handle is
 * not one of memory of at least size_B; CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int gpu_external_import(struct gpu_device *device, const struct gpu_handle *handle,
			   uint64_t size_B, struct gpu_external **external_out,
			   gpu_address *address_out);
/* Allocates memory that can be exported as a handle of that type; it shares no pages with other memory.
 * CL_INVALID_PROPERTY: the device does not support that; CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int gpu_external_create(struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
			   struct gpu_external **external_out, gpu_address *address_out);
/* Gives a handle of memory that gpu_external_create made; the caller closes a file descriptor.  CL_OUT_OF_RESOURCES. */
cl_int gpu_external_export(struct gpu_device *device, const struct gpu_external *external,
			   struct gpu_handle *handle_out);
/* Frees the memory once every event in after has happened, as gpu_memory_free does.  NULL is fine. */
void gpu_external_release(struct gpu_device *device, struct gpu_external *external,
			  struct gpu_event *const *after, uint32_t count);
/* As gpu_memory_free, for memory of a size that will probably be allocated again: it is kept for the next allocation of
 * size_B, until some others were given back. */
void gpu_memory_give_back(struct gpu_device *device, gpu_address address, uint64_t size_B,
			  struct gpu_event *const *after, uint32_t count);
/* Allocates pinned host memory, which all devices can use. */
cl_int gpu_host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out);
/* size_B: the size with which it was allocated.  NULL is fine. */
void gpu_host_free(struct gpu_device *device, void *pointer, uint64_t size_B);
/* Lets the device use the application's memory where it is; fails where it cannot, for example because a page of it is
 * registered already. */
cl_int gpu_host_register(struct gpu_device *device, void *pointer, uint64_t size_B, gpu_address *address_out);
/* Before the application frees it, when no command uses it any more; may wait for the device. */
void gpu_host_unregister(struct gpu_device *device, void *pointer);
/* Whether the whole range is pinned memory, by Culvert or the application, or managed memory: copies of it never
 * wait. */
bool gpu_host_is_pinned(struct gpu_device *device, const void *pointer, uint64_t size_B);

/* A window: host memory whose address range is reserved when it is created, and whose pages are pinned when they are
 * requested.  Thread-safe, but only one thread at a time may pin. */
struct gpu_window;
cl_int gpu_window_create(struct gpu_device *device, uint64_t size_B,
			 struct gpu_window **window_out);
void gpu_window_destroy(struct gpu_window *window);
void *gpu_window_memory(const struct gpu_window *window);
/* Pins the pages of the range that are not pinned yet. */
cl_int gpu_window_pin(struct gpu_window *window, uint64_t lo_B, uint64_t hi_B);
/* Where a single copy that starts at at_B, which is pinned, has to end; at most end_B. */
uint64_t gpu_window_run(struct gpu_window *window, uint64_t at_B, uint64_t end_B);

/* A slot: a piece of pinned memory of GPU_SLOT_B for bytes that are being copied between a device and pageable
 * memory.  A device has GPU_SLOTS.  gpu_slot_take returns NULL when all are in use. */
struct gpu_slot;
enum { GPU_SLOT_B = 1 << 20, GPU_SLOTS = 12, GPU_STAGED_MAX_B = 4 * GPU_SLOT_B };
struct gpu_slot *gpu_slot_take(struct gpu_device *device);
void *gpu_slot_memory(const struct gpu_slot *slot);
/* Releases a slot, which becomes free once after has happened; NULL: immediately. */
void gpu_slot_release(struct gpu_device *device, struct gpu_slot *slot, struct gpu_event *after);

/* Where an operation is put: into a stream, or as a node into a graph that is being made.  Exactly one of the two is
 * not NULL.  Operations that a graph can contain take a sink (gpu_sink_*); all others take a stream, so that they
 * cannot be called for a graph. */
struct gpu_sink {
	struct gpu_stream *stream;
	struct gpu_graph *graph;
};
static inline struct gpu_sink gpu_into(struct gpu_stream *stream)
{
	return (struct gpu_sink){stream, NULL};
}
static inline struct gpu_sink gpu_into_graph(struct gpu_graph *graph)
{
	return (struct gpu_sink){NULL, graph};
}
struct gpu_device *gpu_sink_device(struct gpu_sink sink);

/* A box of bytes; the pitches are those of OpenCL's rect commands. */
struct gpu_rect {
	uint64_t row_pitch_B, slice_pitch_B;
	uint64_t origin_B;             /* offset of the box's first byte */
};

/* Asynchronous copies by the driver.  Host memory may be pageable; the call may then wait until the bytes have been
 * read, or have arrived, and gpu_transfer.h has better ways. */
cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			  uint64_t size_B);
cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B);
cl_int gpu_copy_device(struct gpu_stream *stream, gpu_address to, gpu_address from,
		       uint64_t size_B);
cl_int gpu_sink_copy(struct gpu_sink sink, gpu_address to, gpu_address from, uint64_t size_B);
/* Enables direct copies between two devices that are in use, if the hardware supports them and a test copy was
 * correct; tried once for each pair.  Returns whether copies are direct.  It may wait for its test copies: no lock
 * may be held. */
bool gpu_peer_open(struct gpu_device *a, struct gpu_device *b);
/* Whether copies between the devices are direct; false if that was not tried yet. */
bool gpu_peer_is_open(const struct gpu_device *a, const struct gpu_device *b);
/* Copies between two devices; stream is of either. */
cl_int gpu_copy_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
		     gpu_address from, struct gpu_device *from_device, uint64_t size_B);
/* Copies to the stream's device; own: the memory on the other device is from gpu_memory_alloc. */
cl_int gpu_copy_from_peer(struct gpu_stream *stream, gpu_address to, gpu_address from,
			  struct gpu_device *from_device, bool own, uint64_t size_B);
/* Copies of boxes.  region_B: bytes in a row, rows, slices. */
cl_int gpu_copy_rect_to_device(struct gpu_stream *stream, gpu_address to,
			       const struct gpu_rect *to_rect, const void *from,
			       const struct gpu_rect *from_rect, const uint64_t region_B[3]);
cl_int gpu_copy_rect_to_host(struct gpu_stream *stream, void *to, const struct gpu_rect *to_rect,
			     gpu_address from, const struct gpu_rect *from_rect,
			     const uint64_t region_B[3]);
cl_int gpu_sink_copy_rect(struct gpu_sink sink, gpu_address to, const struct gpu_rect *to_rect,
			  gpu_address from, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3]);
/* Copies a box between two devices, which may be the same; stream is of either. */
cl_int gpu_copy_rect_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
			  const struct gpu_rect *to_rect, gpu_address from,
			  struct gpu_device *from_device, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3]);
/* Fills memory with a pattern, as one operation.  pattern_B: 1, 2, 4, 8, 16, 32, 64 or 128; size_B is a multiple of it,
 * and to is aligned to it.  The pattern is read before the call returns. */
cl_int gpu_sink_fill(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B);
static inline cl_int gpu_fill(struct gpu_stream *stream, gpu_address to, const void *pattern,
			      uint32_t pattern_B, uint64_t size_B)
{
	return gpu_sink_fill(gpu_into(stream), to, pattern, pattern_B, size_B);
}

/* --- semaphores of other APIs ------------------------------------------------------ */

/* Imports a binary semaphore that another API (Vulkan) exported as an opaque file descriptor, which the driver owns on
 * success.  CL_INVALID_PROPERTY: fd is not one; CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
struct gpu_semaphore;
cl_int gpu_semaphore_import(struct gpu_device *device, int fd,
			    struct gpu_semaphore **semaphore_out);
/* Frees the semaphore once every event in after has happened; all its uses come before those.  NULL is fine. */
void gpu_semaphore_release(struct gpu_device *device, struct gpu_semaphore *semaphore,
			   struct gpu_event *const *after, uint32_t count);
/* Operations in a stream of the semaphore's device.  Operations after a wait run once the other API has signaled; only
 * that ends the wait. */
cl_int gpu_semaphore_signal(struct gpu_stream *stream, struct gpu_semaphore *semaphore);
cl_int gpu_semaphore_wait(struct gpu_stream *stream, struct gpu_semaphore *semaphore);

/* --- modules and launches -------------------------------------------------------- */

/* Loads PTX or machine code.  CL_INVALID_BINARY, with the reason in log. */
cl_int gpu_module_load(struct gpu_device *device, const void *binary, size_t size_B,
		       struct bytes *log, struct gpu_module **module_out);
/* Unloads the module once every event in after has happened; does not wait for them. */
void gpu_module_unload(struct gpu_module *module, struct gpu_event *const *after, uint32_t count);

struct gpu_function_caps {
	uint32_t max_threads;          /* the largest work-group that the registers allow */
	uint32_t static_local_B;
	uint32_t private_B;            /* private memory of a work-item (CUDA: local) */
	uint32_t registers;            /* of a work-item */
};

/* The function lives as long as the module.  CL_INVALID_KERNEL_NAME when the module has none of that name. */
cl_int gpu_module_function(struct gpu_module *module, const char *name,
			   struct gpu_function **function_out);
const struct gpu_function_caps *gpu_function_caps(const struct gpu_function *function);
/* The work-group size, in work-items, with the best occupancy. */
cl_int gpu_function_suggest(struct gpu_function *function, uint32_t dynamic_local_B,
			    uint32_t *threads_out);
/* The number of work-groups of threads work-items that a multiprocessor runs concurrently; 0: the device does not
 * support cooperative launches, which need all work-groups to run concurrently. */
cl_int gpu_function_resident(struct gpu_function *function, uint32_t threads,
			     uint32_t dynamic_local_B, uint64_t *groups_out);

struct gpu_launch {
	struct gpu_function *function;
	uint32_t grid[3];              /* in work-groups */
	uint32_t block[3];             /* in work-items */
	uint32_t dynamic_local_B;      /* may be above the limit that needs opt-in, which is done here */
	bool cooperative;              /* all work-groups run concurrently */
	void **parameters;             /* the addresses of the parameters' values, in the entry's order */
};
cl_int gpu_launch(struct gpu_stream *stream, const struct gpu_launch *launch);
/* CL_INVALID_OPERATION for a cooperative launch that replaces a node (gpu_graph_revise). */
cl_int gpu_graph_add_launch(struct gpu_graph *graph, const struct gpu_launch *launch);
static inline cl_int gpu_sink_launch(struct gpu_sink sink, const struct gpu_launch *launch)
{
	return sink.graph ? gpu_graph_add_launch(sink.graph, launch) : gpu_launch(sink.stream, launch);
}

/* --- graphs: operations that are recorded once and launched often ------------------ */

/* Operations that are put into a graph (gpu_into_graph) become its nodes, numbered from 0: copies in the device's
 * memory and arrays, fills and launches.
 *
 * Not thread-safe, except gpu_graph_launch after gpu_graph_finish. */
/* share: where its kernels run, whatever stream it is launched in; NULL: on all of the device. */
cl_int gpu_graph_create(struct gpu_device *device, const struct gpu_share *share,
			struct gpu_graph **graph_out);
/* Launches of the graph that run continue; NULL is fine. */
void gpu_graph_destroy(struct gpu_graph *graph);
/* The next operation that is put in follows these nodes, each listed once; those after it follow the node before
 * them. */
cl_int gpu_graph_follow(struct gpu_graph *graph, const uint32_t *nodes, uint32_t count);
/* Adds a node without an operation, which others can follow. */
cl_int gpu_graph_add_nothing(struct gpu_graph *graph);
uint32_t gpu_graph_node_count(const struct gpu_graph *graph);
/* Makes the graph ready to be launched; nothing can be added after that. */
cl_int gpu_graph_finish(struct gpu_graph *graph);
/* Kernel launches that are put in from now on replace the nodes from first on, which launch the same functions, in
 * later launches of the graph.  No other thread may launch the graph meanwhile. */
void gpu_graph_revise(struct gpu_graph *graph, uint32_t first);
/* Launches the whole graph as one operation.  Launches of one graph run one after the other. */
cl_int gpu_graph_launch(struct gpu_graph *graph, struct gpu_stream *stream);

/* --- the application's own CUDA ------------------------------------------------------- */

/* The CUDA handles.  Once a stream's handle was given out, the driver is asked each time whether the stream is
 * complete, because operations that the application puts into it are not counted. */
cl_int gpu_device_cuda(struct gpu_device *device, void **cu_context_out, int *cu_device_out);
void *gpu_stream_cuda(struct gpu_stream *stream);
void *gpu_event_cuda(struct gpu_event *event);
void *gpu_module_cuda(struct gpu_module *module);
void *gpu_function_cuda(struct gpu_function *function);
/* Whether the whole range is in one allocation in the device's memory. */
bool gpu_memory_is_there(struct gpu_device *device, gpu_address address, uint64_t size_B);
/* The memory of the device that neither this process nor another one has allocated, in bytes; where it is the host's as
 * well, with what Linux keeps files in and would give up. */
cl_int gpu_memory_left(struct gpu_device *device, uint64_t *left_B_out);
/* Calls a function of the application with the device's context current; all that it puts into the stream is counted as
 * one operation.  No lock may be held. */
cl_int gpu_call(struct gpu_stream *stream, void (*function)(void *cu_stream, void *data),
		void *data);

/* Counters for culvert_grid_barrier: one for each stream, in which one launch at a time runs.  gpu_barriers_wait_ready
 * makes them, once; it may wait until they are filled with 0: no lock may be held. */
cl_int gpu_barriers_wait_ready(struct gpu_device *device);
/* The address of the stream's counter.  CL_OUT_OF_RESOURCES when the counters were not made, or there are more streams
 * than counters. */
cl_int gpu_stream_barrier(const struct gpu_stream *stream, gpu_address *address_out);

#endif
