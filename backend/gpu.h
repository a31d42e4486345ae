/* The GPU side: devices, streams, events, memory, modules, launches.
 *
 * The only users of <cuda.h> are behind this header; everything here speaks
 * cl_int.  A CUresult is mapped once, by cuda_error.def, to a cl_int and a fate:
 * a LOST fate marks the device lost, and every later call on it fails at once
 * with the same code.  Every function leaves the calling thread's current CUDA
 * context as it found it.
 *
 * Completion is a number: each operation that is put into a stream makes the
 * stream's sequence one higher.  A gpu_event is a witness of one number.
 *
 * Ordering within one stream is the order of the calls; a caller that needs
 * several operations to follow each other unbroken holds its own lock around
 * them (icd: the queue's).  Nothing here waits for the device except functions
 * whose name says wait. */
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

typedef uint64_t gpu_address;      /* in device memory; 0 is none */

/* --- devices: found once, live as long as the process ------------------------ */

struct gpu_caps {
	char name[256];
	char driver_version[64];       /* NVIDIA's ("580.159.04"); softcuda says its own */
	int cuda_version;              /* cuDriverGetVersion, e.g. 13000 */
	bool software;                 /* softcuda */
	unsigned sm;                   /* 10 * major + minor */
	uint8_t uuid[16];
	uint32_t pci_domain, pci_bus, pci_device;
	uint64_t memory_B;             /* total */
	uint32_t multiprocessors;
	uint32_t clock_kHz, memory_clock_kHz, memory_bus_bits;
	uint32_t l2_B;
	uint32_t max_threads_per_block, max_block[3];
	uint64_t max_grid[3];
	uint32_t max_threads_per_multiprocessor, registers_per_block;
	uint32_t local_static_B;       /* shared memory per block without opt-in */
	uint32_t local_optin_B;        /* and with */
	uint32_t constant_B;
	uint32_t warp;
	uint32_t copy_engines;
	bool ecc, integrated, kernel_timeout, concurrent_kernels, can_map_host;
	bool managed_memory, concurrent_managed, pageable_access, cooperative_launch, memory_pools;
	bool exports;                  /* gpu_external_create works */
	uint32_t parameter_B;          /* most bytes of kernel parameters */
	/* Of images, in texels: what arrays of every kind, textures and surfaces take. */
	uint32_t image2d[2], image3d[3], image_layers;
	uint32_t image_linear;         /* 1D in linear memory */
	uint32_t image_pitch_max_B;    /* of 2D in linear memory: the largest row pitch */
	uint32_t texture_align_B, texture_pitch_B;  /* of linear memory: address, row pitch */
};

/* CL_SUCCESS and the devices (possibly none: no driver, no device; that is
 * silent and not an error).  The array and the devices are the room's own. */
cl_int gpu_devices(struct gpu_device *const **devices_out, uint32_t *count_out);
const struct gpu_caps *gpu_device_caps(const struct gpu_device *device);

/* What Windows calls the device by (cl_khr_device_uuid).  Drivers for Linux have no such name and
 * return an error, which CUDA's debugging tools report; so the driver is asked when a program asks. */
struct gpu_luid {
	bool valid;                    /* the driver has one; zeros otherwise */
	uint8_t bytes[8];
	uint32_t node_mask;
};
struct gpu_luid gpu_device_luid(const struct gpu_device *device);
/* Which driver library serves, or why none does: one line for logs and doctors. */
const char *gpu_driver_note(void);

/* Makes the device's context now, if it was not made yet. */
cl_int gpu_device_use(struct gpu_device *device);
/* Between the two, the device's context is current in this thread.  Fails on a lost device,
 * with nothing to leave.  All functions here do so by themselves; who calls several of them
 * one after the other saves most of it by doing it around them all.  What is foreign, as a
 * callback, does not run in between. */
struct gpu_scope {
	struct CUctx_st *cu_previous;
	bool changed;
	bool by_handle;                  /* nothing was made current */
};
cl_int gpu_enter(struct gpu_device *device, struct gpu_scope *scope);
/* The same for calls on streams and events of device alone, where the driver takes those
 * without a context: mostly nothing but a look at the device's status. */
cl_int gpu_enter_by_handle(struct gpu_device *device, struct gpu_scope *scope);
void gpu_leave_changed(const struct gpu_scope *scope);
static inline void gpu_leave(const struct gpu_scope *scope)
{
	if (scope->changed)
		gpu_leave_changed(scope);
}
/* CL_SUCCESS, or the code of the error that killed the device. */
cl_int gpu_device_status(const struct gpu_device *device);

/* --- streams ------------------------------------------------------------------ */

/* priority: 0 normal, -1 high, +1 low. Streams are pooled, never destroyed. */
cl_int gpu_stream_acquire(struct gpu_device *device, int priority, struct gpu_stream **stream_out);
/* Gives it back to the pool; its unfinished work goes on. */
void gpu_stream_release(struct gpu_stream *stream);
struct gpu_device *gpu_stream_device(const struct gpu_stream *stream);
uint32_t gpu_stream_id(const struct gpu_stream *stream);        /* never reused */
/* The sequence of the last operation put in; 0 before the first. */
uint64_t gpu_stream_last(const struct gpu_stream *stream);
/* Operations that are not known to be done. */
uint64_t gpu_stream_outstanding(const struct gpu_stream *stream);
/* Whether all of it is known to be done, without asking the driver. */
bool gpu_stream_is_known_done(const struct gpu_stream *stream);
/* The same of everything up to sequence. */
bool gpu_stream_is_known_past(const struct gpu_stream *stream, uint64_t sequence);
/* Whether everything up to sequence is known to be done; asks the driver when
 * it is not known yet: the answer then is that of all the stream has been given,
 * so it may come late (gpu_event_query is exact).  On a lost device: true. */
bool gpu_stream_reached(struct gpu_stream *stream, uint64_t sequence);
/* Waits for all that the stream was given; also where no event can say so.  After an error
 * some of it may still be to come: what it touches must stay. */
cl_int gpu_stream_drain(struct gpu_stream *stream);
/* Later operations of stream start after event; costs nothing when event is of
 * the same stream, done, or already waited for. */
cl_int gpu_stream_wait_event(struct gpu_stream *stream, struct gpu_event *event);

/* --- events: refcounted, thread-safe ------------------------------------------- */

/* Witness of all that is in stream now. timing: usable with gpu_event_time_ns. */
cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out);
/* The same, in the place of *spare if that is of the same device and kind: an event whose
 * only reference is the caller's.  It is taken out then; *spare may be NULL. */
cl_int gpu_event_record_in(struct gpu_stream *stream, bool timing, struct gpu_event **spare,
			   struct gpu_event **event_out);
/* Whether the caller's is the only reference. */
bool gpu_event_is_only(const struct gpu_event *event);
struct gpu_event *gpu_event_ref(struct gpu_event *event);
void gpu_event_unref(struct gpu_event *event);       /* NULL is fine */
struct gpu_stream *gpu_event_stream(const struct gpu_event *event);
uint64_t gpu_event_sequence(const struct gpu_event *event);
/* Known to be done without asking the driver. */
bool gpu_event_known_done(const struct gpu_event *event);
/* Whether it is the end of all that is in stream; false where that is not known. */
bool gpu_event_is_tail(const struct gpu_event *event, const struct gpu_stream *stream);
/* CL_SUCCESS with done_out; a negative code when the device was lost before it. */
cl_int gpu_event_query(struct gpu_event *event, bool *done_out);
/* Waits as CULVERT_WAIT says: by default spins for a moment, then sleeps between
 * looks. No lock may be held. */
cl_int gpu_event_wait(struct gpu_event *event);
/* The caller knows that event has happened, by another that comes after it. */
void gpu_event_note_done(struct gpu_event *event);
/* For who waits for stream by himself and has for waited_ns: how long until it comes near
 * what the last waits took; 0: it is near; UINT64_MAX: nothing is foreseen. */
uint64_t gpu_stream_foresee(const struct gpu_stream *stream, uint64_t waited_ns);
/* And what it took in the end. */
void gpu_stream_remember(struct gpu_stream *stream, uint64_t waited_ns);
/* When it happened, ns on the CLOCK_MONOTONIC scale; only for a done timing event. */
cl_int gpu_event_time_ns(struct gpu_event *event, uint64_t *time_ns_out);

/* --- memory -------------------------------------------------------------------- */

/* Device memory; CL_MEM_OBJECT_ALLOCATION_FAILURE when there is none left.
 * The memory may be used by any stream at once (the allocation is complete on
 * return without having waited for unrelated work). */
cl_int gpu_memory_alloc(struct gpu_device *device, uint64_t size_B, gpu_address *address_out);
/* Tells a software device that checks kernels what OpenCL knows of such memory: nobody has written to it
 * yet, kernels may only read it, or only write to it.  Nothing on others. */
void gpu_memory_note(gpu_address address, uint64_t size_B, bool is_new, bool read_only, bool write_only);
/* Frees once every event in after[] has happened; never waits for the device.
 * after[] may hold events of any device; they are not consumed.
 * (An allocation that finds no memory waits for such pending frees, and then
 * tries once more: no event of the application is needed for them to happen.) */
void gpu_memory_free(struct gpu_device *device, gpu_address address,
		     struct gpu_event *const *after, uint32_t count);
/* Memory that other APIs or processes have, too, named by a handle: an opaque file descriptor, or
 * what CUDA's own interprocess calls take (64 bytes, of processes of one machine). */
enum gpu_handle_type { GPU_HANDLE_FD, GPU_HANDLE_IPC };
enum { GPU_IPC_HANDLE_B = 64 };
struct gpu_handle {
	enum gpu_handle_type type;
	int fd;
	unsigned char ipc[GPU_IPC_HANDLE_B];
};
struct gpu_external;
/* At address_out from now on; a descriptor stays the caller's.  CL_INVALID_PROPERTY: the handle names
 * no memory of at least size_B; CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int gpu_external_import(struct gpu_device *device, const struct gpu_handle *handle,
			   uint64_t size_B, struct gpu_external **external_out,
			   gpu_address *address_out);
/* New memory that may be exported as a handle of that type; nothing else is in its pieces.
 * CL_INVALID_PROPERTY: the device cannot do that; CL_MEM_OBJECT_ALLOCATION_FAILURE,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int gpu_external_create(struct gpu_device *device, enum gpu_handle_type type, uint64_t size_B,
			   struct gpu_external **external_out, gpu_address *address_out);
/* A handle of what was created; a descriptor is the caller's to close.  CL_OUT_OF_RESOURCES. */
cl_int gpu_external_export(struct gpu_device *device, const struct gpu_external *external,
			   struct gpu_handle *handle_out);
/* Once every event in after[] has happened; see gpu_memory_free.  NULL is fine. */
void gpu_external_release(struct gpu_device *device, struct gpu_external *external,
			  struct gpu_event *const *after, uint32_t count);
/* The same for what other allocations will likely have the size of: as long as it is one of
 * the last few such, the next allocation of size_B gets it. */
void gpu_memory_give_back(struct gpu_device *device, gpu_address address, uint64_t size_B,
			  struct gpu_event *const *after, uint32_t count);
/* Pinned host memory, usable by all devices (portable). */
cl_int gpu_host_alloc(struct gpu_device *device, uint64_t size_B, void **pointer_out);
/* size_B: as it was allocated.  NULL is fine. */
void gpu_host_free(struct gpu_device *device, void *pointer, uint64_t size_B);
/* Managed memory: at pointer for the host and all devices.  CL_MEM_OBJECT_ALLOCATION_FAILURE
 * where one of devices cannot share it with a host that goes on, or has not as much free as
 * all managed memory of the process. */
cl_int gpu_managed_alloc(struct gpu_device *const *devices, uint32_t count, uint64_t size_B,
			 void **pointer_out);
/* device and size_B: as it was allocated, with the first of the devices. */
void gpu_managed_free(struct gpu_device *device, void *pointer, uint64_t size_B);
/* Brings the pages to the host or to the stream's device, as far as there is room. */
cl_int gpu_managed_prefetch(struct gpu_stream *stream, const void *pointer, uint64_t size_B,
			    bool to_host);
/* Whether all of the range is pinned, by us or the application, or managed: then
 * copies of it never wait. */
bool gpu_host_is_pinned(struct gpu_device *device, const void *pointer, uint64_t size_B);

/* Host memory whose addresses are there at once and whose pages are pinned as they
 * are asked for.  Thread-safe, but only one thread may pin at a time. */
struct gpu_window;
cl_int gpu_window_create(struct gpu_device *device, uint64_t size_B,
			 struct gpu_window **window_out);
void gpu_window_destroy(struct gpu_window *window);
void *gpu_window_memory(const struct gpu_window *window);
/* Pins what of the range is not yet. */
cl_int gpu_window_pin(struct gpu_window *window, uint64_t lo_B, uint64_t hi_B);
/* How far one copy from at_B, which is pinned, may go: end_B at the most. */
uint64_t gpu_window_run(struct gpu_window *window, uint64_t at_B, uint64_t end_B);

/* A piece of pinned memory for bytes on their way, GPU_SLOT_B large; there are only
 * a few.  NULL: all are in use. */
struct gpu_slot;
enum { GPU_SLOT_B = 1 << 20, GPU_SLOTS = 12, GPU_STAGED_MAX_B = 4 * GPU_SLOT_B };
struct gpu_slot *gpu_slot_take(struct gpu_device *device);
void *gpu_slot_memory(const struct gpu_slot *slot);
/* In use until after has happened; NULL: not any more. */
void gpu_slot_release(struct gpu_device *device, struct gpu_slot *slot, struct gpu_event *after);

/* Where an operation goes: into a stream, or as a node into a graph that is being made.  Exactly one of the
 * two is there.  Operations that a graph can hold are called with a sink (gpu_sink_*); all others with a
 * stream, so that they cannot be called for a graph. */
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

/* A box of bytes: pitches as OpenCL's rect commands mean them. */
struct gpu_rect {
	uint64_t row_pitch_B, slice_pitch_B;
	uint64_t origin_B;             /* offset of the first byte from the base */
};

/* Asynchronous copies on stream by the driver.  Pageable host memory is allowed; the call may
 * then block until the bytes have been read (to device) or arrive (to host): gpu_transfer.h has better
 * ways for it. */
cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from,
			  uint64_t size_B);
cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B);
cl_int gpu_copy_device(struct gpu_stream *stream, gpu_address to, gpu_address from,
		       uint64_t size_B);
cl_int gpu_sink_copy(struct gpu_sink sink, gpu_address to, gpu_address from, uint64_t size_B);
/* Makes copies between two devices that are in use go directly, where that is
 * possible and was seen to keep all bytes; tried once for each pair.  Whether they
 * do.  May wait for copies of its own: no lock may be held. */
bool gpu_peer_open(struct gpu_device *a, struct gpu_device *b);
/* Whether they do, as far as that was tried. */
bool gpu_peer_is_open(const struct gpu_device *a, const struct gpu_device *b);
/* Between two devices; stream belongs to either. */
cl_int gpu_copy_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
		     gpu_address from, struct gpu_device *from_device, uint64_t size_B);
/* To the stream's device; own: gpu_memory_alloc gave the memory on the other. */
cl_int gpu_copy_from_peer(struct gpu_stream *stream, gpu_address to, gpu_address from,
			  struct gpu_device *from_device, bool own, uint64_t size_B);
/* region_B = {bytes per row, rows, slices}.  host pointers for the host sides. */
cl_int gpu_copy_rect_to_device(struct gpu_stream *stream, gpu_address to,
			       const struct gpu_rect *to_rect, const void *from,
			       const struct gpu_rect *from_rect, const uint64_t region_B[3]);
cl_int gpu_copy_rect_to_host(struct gpu_stream *stream, void *to, const struct gpu_rect *to_rect,
			     gpu_address from, const struct gpu_rect *from_rect,
			     const uint64_t region_B[3]);
cl_int gpu_sink_copy_rect(struct gpu_sink sink, gpu_address to, const struct gpu_rect *to_rect,
			  gpu_address from, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3]);
/* Between two devices, which may be the same; stream belongs to either. */
cl_int gpu_copy_rect_peer(struct gpu_stream *stream, gpu_address to, struct gpu_device *to_device,
			  const struct gpu_rect *to_rect, gpu_address from,
			  struct gpu_device *from_device, const struct gpu_rect *from_rect,
			  const uint64_t region_B[3]);
/* pattern of 1, 2, 4, 8, 16, 32, 64 or 128 bytes; size_B a multiple of it, to
 * aligned to it. One operation; the pattern is read before the call returns. */
cl_int gpu_sink_fill(struct gpu_sink sink, gpu_address to, const void *pattern, uint32_t pattern_B,
		     uint64_t size_B);
static inline cl_int gpu_fill(struct gpu_stream *stream, gpu_address to, const void *pattern,
			      uint32_t pattern_B, uint64_t size_B)
{
	return gpu_sink_fill(gpu_into(stream), to, pattern, pattern_B, size_B);
}

/* --- semaphores of other APIs ------------------------------------------------------ */

/* A binary semaphore that another API (Vulkan) gave as an opaque file descriptor, which is
 * the driver's on success.  CL_INVALID_PROPERTY: it is none; CL_OUT_OF_RESOURCES,
 * CL_OUT_OF_HOST_MEMORY. */
struct gpu_semaphore;
cl_int gpu_semaphore_import(struct gpu_device *device, int fd,
			    struct gpu_semaphore **semaphore_out);
/* Once every event in after[] has happened, which come after all its uses; see
 * gpu_memory_free.  NULL is fine. */
void gpu_semaphore_release(struct gpu_device *device, struct gpu_semaphore *semaphore,
			   struct gpu_event *const *after, uint32_t count);
/* Operations in stream, of the semaphore's device.  What is behind a wait runs once the other
 * API's signal has: nothing can end such a wait but that. */
cl_int gpu_semaphore_signal(struct gpu_stream *stream, struct gpu_semaphore *semaphore);
cl_int gpu_semaphore_wait(struct gpu_stream *stream, struct gpu_semaphore *semaphore);

/* --- modules and launches -------------------------------------------------------- */

/* binary: PTX or a binary of the driver's. CL_INVALID_BINARY with a reason in log. */
cl_int gpu_module_load(struct gpu_device *device, const void *binary, size_t size_B,
		       struct bytes *log, struct gpu_module **module_out);
/* after[]: unloads once these have happened, without waiting. */
void gpu_module_unload(struct gpu_module *module, struct gpu_event *const *after, uint32_t count);

struct gpu_function_caps {
	uint32_t max_threads;          /* largest work-group, by registers */
	uint32_t static_local_B;
	uint32_t private_B;            /* local memory in CUDA's words, per work-item */
	uint32_t registers;
};

/* Lives as long as the module. CL_INVALID_KERNEL_NAME when not there. */
cl_int gpu_module_function(struct gpu_module *module, const char *name,
			   struct gpu_function **function_out);
const struct gpu_function_caps *gpu_function_caps(const struct gpu_function *function);
/* Work-group size (in work-items) with the best occupancy. */
cl_int gpu_function_suggest(struct gpu_function *function, uint32_t dynamic_local_B,
			    uint32_t *threads_out);
/* Work-groups of threads work-items that the device runs at once: the largest cooperative
 * launch; 0: it cannot make such. */
cl_int gpu_function_resident(struct gpu_function *function, uint32_t threads,
			     uint32_t dynamic_local_B, uint64_t *groups_out);

struct gpu_launch {
	struct gpu_function *function;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t dynamic_local_B;      /* opt-in above the static limit is taken care of */
	bool cooperative;
	void **parameters;             /* a pointer to each parameter's value, entry order */
};
cl_int gpu_launch(struct gpu_stream *stream, const struct gpu_launch *launch);
/* Not cooperative: CL_INVALID_OPERATION. */
cl_int gpu_graph_add_launch(struct gpu_graph *graph, const struct gpu_launch *launch);
static inline cl_int gpu_sink_launch(struct gpu_sink sink, const struct gpu_launch *launch)
{
	return sink.graph ? gpu_graph_add_launch(sink.graph, launch) : gpu_launch(sink.stream, launch);
}

/* --- graphs: operations that are recorded once and launched often ------------------ */

/* What is put into a graph (gpu_into_graph) becomes nodes of it, numbered from 0: copies in the device's
 * memory and arrays, fills and launches.
 *
 * Not thread-safe until gpu_graph_finish; then gpu_graph_launch is. */
cl_int gpu_graph_create(struct gpu_device *device, struct gpu_graph **graph_out);
/* Launches that are under way go on; NULL is fine. */
void gpu_graph_destroy(struct gpu_graph *graph);
/* What is recorded next follows these nodes, without duplicates; what comes then
 * follows the node before. */
cl_int gpu_graph_follow(struct gpu_graph *graph, const uint32_t *nodes, uint32_t count);
/* A node that does nothing, for its place. */
cl_int gpu_graph_add_nothing(struct gpu_graph *graph);
uint32_t gpu_graph_node_count(const struct gpu_graph *graph);
/* Ready to be launched; nothing can be added any more. */
cl_int gpu_graph_finish(struct gpu_graph *graph);
/* Launches put into it from now on take the place of the nodes from first on, which
 * were launches of the same functions: for later launches of the graph.
 * No other thread may launch it meanwhile. */
void gpu_graph_revise(struct gpu_graph *graph, uint32_t first);
/* All of it, as one operation.  Launches of one graph follow each other. */
cl_int gpu_graph_launch(struct gpu_graph *graph, struct gpu_stream *stream);

/* --- the application's own CUDA ------------------------------------------------------- */

/* CUDA's handles as they are.  A stream whose handle was asked for is asked anew each
 * time whether it is done: what others put into it has no number. */
cl_int gpu_device_cuda(struct gpu_device *device, void **cu_context_out, int *cu_device_out);
void *gpu_stream_cuda(struct gpu_stream *stream);
void *gpu_event_cuda(struct gpu_event *event);
void *gpu_module_cuda(struct gpu_module *module);
void *gpu_function_cuda(struct gpu_function *function);
/* Whether all of the range is one allocation in the device's memory. */
bool gpu_memory_is_there(struct gpu_device *device, gpu_address address, uint64_t size_B);
/* Calls function with the device's context current; what it puts into the stream counts
 * as one operation.  It is foreign: no lock may be held. */
cl_int gpu_call(struct gpu_stream *stream, void (*function)(void *cu_stream, void *data),
		void *data);

/* What barriers of a whole grid count in, culvert_grid_barrier: a word for each stream,
 * in which one launch runs at a time.  gpu_barriers_wait_ready makes them, once; it may
 * wait for a fill of its own: no lock may be held. */
cl_int gpu_barriers_wait_ready(struct gpu_device *device);
/* CL_OUT_OF_RESOURCES when they are not there, or the stream is one too many. */
cl_int gpu_stream_barrier(const struct gpu_stream *stream, gpu_address *address_out);

#endif
