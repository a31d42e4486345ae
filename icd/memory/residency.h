/* Storage: the bytes of a buffer, or the texels of an image, on each device of its
 * context and on the host, and where the newest of them are.
 *
 * Locations are the context's devices and, last, the host shadow: memory made at
 * the first map and pinned where it is mapped, or the application's own pointer.  The range is cut
 * into segments; each knows at which locations it is valid, and *after* what:
 *   fill     the copy of ours that made it valid there
 *   readers  copies of ours that still read it there
 *   write    the last command that wrote it
 * Copies are put into the stream of the command that needs them and published at
 * once, a command's own write only after its operation was accepted.  Edges are
 * added only around our own copies: what the application left unordered stays
 * unordered.
 *
 *	ocl_storage_acquire(storage, device, stream, lo, hi, mode, &at);
 *	... the operation, put into stream ...
 *	ocl_storage_commit(storage, &at, written, witness);
 *
 * While a context has one device and the storage no shadow, nothing has to be
 * known: both are then a few loads, without a lock.
 *
 * An image's texels lie in arrays.  These have no addresses and no shadow, and are one
 * piece: every range that is acquired of them is the whole.
 *
 * Thread-safe.  A storage with a pageable shadow may make the caller wait
 * (ocl_storage_is_slow): then no lock may be held. */
#ifndef CULVERT_ICD_RESIDENCY_H
#define CULVERT_ICD_RESIDENCY_H

#include "backend/gpu_image.h"
#include "base/list.h"
#include "base/lock.h"
#include "icd/memory/context.h"
#include "icd/memory/stream_set.h"

#include <stdatomic.h>

/* Where the bytes are.  Shared memory is at one address for the host and all devices of
 * the context, so that nothing has to be known of it: neither segments nor copies. */
enum ocl_place {
	OCL_PLACE_OWN = 0,              /* each location has memory of its own */
	OCL_PLACE_MANAGED = 1 << 0,     /* shared: goes to who touches it */
	OCL_PLACE_PINNED = 1 << 1,      /* shared: the host's */
	OCL_PLACE_DEVICE = 1 << 2       /* one device's; not for the host */
};

enum ocl_access_mode {
	OCL_ACCESS_READ = 1,
	OCL_ACCESS_WRITE = 2,           /* overwrites the whole range */
	OCL_ACCESS_UPDATE = 3,          /* may read and write any part of it */
	OCL_ACCESS_AFAR = 4             /* reads it where it is, by ocl_storage_copy_out */
};

struct ocl_location {
	struct gpu_device *gpu;         /* NULL: the host shadow */
	/* Guarded by the lock until they are set; 0: none yet. */
	gpu_address address;
	struct gpu_array *array;        /* an image's, instead of an address */
	bool adopted;                   /* immutable: the memory is the application's */
	struct gpu_external *external;  /* owned: what adopted memory was imported as, or NULL */
	struct ocl_stream_set streams;   /* those that used the memory */
};

/* What an image's arrays are made as. */
struct ocl_texels {
	struct gpu_texel texel;
	struct gpu_extent extent;
};

struct ocl_storage {
	struct lock lock;               /* guards all that follows but what says otherwise */
	struct lock_condition idle;     /* busy or pinning became false */
	bool busy;                      /* a copy of pageable memory runs without the lock */
	bool pinning;                   /* a thread pins a part of the window, without the lock */
	bool pins_whole;                /* immutable: the first map pins all of the shadow */
	bool read_only, write_only;     /* immutable: what kernels may do, for devices that check it */
	struct ocl_texels texels;       /* immutable: of arrays */
	struct gpu_window *window;      /* owned: the shadow; NULL: it is one piece */
	unsigned char *shadow;          /* NULL: none yet */
	uint32_t slack_B, before_B;     /* shared: more bytes for the alignment, those before the shadow */
	struct gpu_device *shadow_owner; /* which pinned it for us; NULL: the application's */
	struct list segments;           /* in order, without holes */
	uint32_t segment_count;
	struct list maps;               /* mem.c's */
	/* What each launch comes by lies together, with the first location: of many buffers
	 * it is seldom in the processor's cache.  Immutable but for the atomics. */
	uint64_t size_B;
	enum ocl_place place;
	uint32_t device_count;
	bool arrays;                    /* the locations have arrays */
	bool moves_whole;               /* managed, and only one side uses it at a time */
	bool pageable;                  /* the shadow is the application's memory */
	atomic_bool at_host;            /* moves_whole: it may be there, and comes when acquired */
	atomic_bool tracked;            /* segments are in force; never becomes false again */
	struct ocl_location locations[]; /* device_count, then the host */
};

/* A range that a command has acquired on a device. */
struct ocl_acquired {
	uint64_t lo_B, hi_B;
	gpu_address address;            /* of lo_B */
	struct gpu_array *array;        /* an image's, or NULL */
	struct gpu_stream *stream;
	uint32_t device;                /* position in the context */
	enum ocl_access_mode mode;
	bool tracked;
};

/* The alignment that all memory of CUDA's has. */
enum { OCL_STORAGE_ALIGN_B = 128 };

/* What the bytes are at first: UNDEFINED, or a copy of from, or from itself. */
/* Smaller storages are pinned as a whole at the first map. */
enum { OCL_STORAGE_WINDOW_B = 4 << 20 };
enum ocl_content { OCL_CONTENT_UNDEFINED, OCL_CONTENT_COPY, OCL_CONTENT_SHARE };

/* pins_whole: the application will map much of it.
 * With one device its memory is taken now, so that a failure is reported here;
 * with several each takes it at its first use.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES. */
cl_int ocl_storage_create(cl_context context, uint64_t size_B, enum ocl_content content,
			  void *from, bool pins_whole, struct ocl_storage **storage_out);

/* Before any other thread has it: kernels will only read it, or only write to it. */
void ocl_storage_restrict(struct ocl_storage *storage, bool read_only, bool write_only);

/* One whose bytes on device (a position) are at address, which stays the application's, or
 * belongs to external, which becomes the storage's own. */
cl_int ocl_storage_adopt(cl_context context, uint64_t size_B, uint32_t device,
			 gpu_address address, struct gpu_external *external,
			 struct ocl_storage **storage_out);
/* Memory at one address, in the first of the places (a set of enum ocl_place) that has room.
 * owner: position of the device that it is asked from.  align_B: a power of two; 0 is the same as
 * OCL_STORAGE_ALIGN_B.  moves_whole: the host uses managed memory only between host_acquire and
 * the next acquire.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES. */
cl_int ocl_storage_create_shared(cl_context context, uint64_t size_B, unsigned places,
				 uint32_t owner, uint32_t align_B, bool moves_whole,
				 struct ocl_storage **storage_out);

/* Of an image.  from: the texels, in memory of the host with its pitches; NULL: undefined.
 * Otherwise as ocl_storage_create; texels that are given take a device's memory now. */
cl_int ocl_storage_create_array(cl_context context, const struct ocl_texels *texels,
				const struct gpu_image_side *from,
				struct ocl_storage **storage_out);

/* The place of a device that is not lost, if there is one; and that device, to pin memory with, which
 * is for all devices. */
static inline uint32_t ocl_storage_living_place(const struct ocl_storage *storage)
{
	uint32_t place = 0;
	while (place + 1 < storage->device_count &&
	       gpu_device_status(storage->locations[place].gpu))
		place++;
	return place;
}
static inline struct gpu_device *ocl_storage_living_device(const struct ocl_storage *storage)
{
	return storage->locations[ocl_storage_living_place(storage)].gpu;
}

/* Frees device memory as soon as its users are done, without waiting for them.
 * The shadow must be out of use: see ocl_storage_collect. */
void ocl_storage_destroy(struct ocl_storage *storage);

/* Adds the witnesses of all unfinished work on any location. */
void ocl_storage_collect(struct ocl_storage *storage, struct ocl_witnesses *witnesses);

/* Where it is on a device, made now if need be, the same for ever: its first byte, or an
 * image's array (array_out may be NULL). */
cl_int ocl_storage_place(struct ocl_storage *storage, uint32_t device, gpu_address *address_out,
			 struct gpu_array **array_out);

static inline bool ocl_storage_is_slow(const struct ocl_storage *storage)
{
	return storage->pageable;
}
/* Whether an acquire would have nothing to copy, as things are now. */
bool ocl_storage_has(struct ocl_storage *storage, uint32_t device, uint64_t lo_B, uint64_t hi_B,
		     enum ocl_access_mode mode);

/* Its part for bytes that may be elsewhere. */
cl_int ocl_storage_acquire_moving(struct ocl_storage *storage, struct ocl_acquired *acquired);
static inline cl_int ocl_storage_acquire(struct ocl_storage *storage, uint32_t device,
					 struct gpu_stream *stream, uint64_t lo_B, uint64_t hi_B,
					 enum ocl_access_mode mode,
					 struct ocl_acquired *acquired_out)
{
	struct ocl_location *location = &storage->locations[device];
	const bool tracked = atomic_load_explicit(&storage->tracked, memory_order_acquire);
	cl_int error = ocl_stream_set_add(&location->streams, stream);
	if (error)
		return error;
	acquired_out->lo_B = lo_B;
	acquired_out->hi_B = hi_B;
	acquired_out->stream = stream;
	acquired_out->device = device;
	acquired_out->mode = mode;
	acquired_out->tracked = tracked;
	if (tracked || storage->moves_whole) {
		error = ocl_storage_acquire_moving(storage, acquired_out);
		/* It has none, and another thread may just be making the device's. */
		if (error || mode == OCL_ACCESS_AFAR) {
			acquired_out->address = 0;
			acquired_out->array = NULL;
			return error;
		}
	}
	acquired_out->address = location->address + lo_B;
	acquired_out->array = location->array;
	return CL_SUCCESS;
}
/* Whether ocl_storage_copy_out can spare the device a copy of the bytes: then a command that
 * only copies them elsewhere acquires them as OCL_ACCESS_AFAR, in which case it has none. */
bool ocl_storage_copies_out(const struct ocl_storage *storage);
/* Copies a range that was acquired so to memory of its device's that is no part of it: from
 * another device where that has the bytes and goes directly, else from the device itself. */
cl_int ocl_storage_copy_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
			    gpu_address to);
/* The same of a box, whose rects count from the first byte of the range and from to. */
struct ocl_box_out {
	gpu_address to;
	const struct gpu_rect *to_rect, *from_rect;
	const uint64_t *region_B;        /* three */
};
cl_int ocl_storage_copy_box_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				const struct ocl_box_out *box);
/* Always once after an acquire.  written: the operation of a WRITE or UPDATE is
 * in the stream; done is its witness, or NULL if nobody made one. */
void ocl_storage_commit_tracked(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				bool written, struct gpu_event *done);
static inline void ocl_storage_commit(struct ocl_storage *storage,
				      const struct ocl_acquired *acquired, bool written,
				      struct gpu_event *done)
{
	if (acquired->tracked && acquired->mode & OCL_ACCESS_WRITE)
		ocl_storage_commit_tracked(storage, acquired, written, done);
}

/* The host shadow, made now if need be, and pinned within the range at least.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE. */
cl_int ocl_storage_shadow(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			  void **shadow_out);
/* Makes the shadow ready for the host once stream gets there: READ brings the
 * newest bytes, by way of device; WRITE only keeps our copies away from them. */
cl_int ocl_storage_host_acquire(struct ocl_storage *storage, uint32_t device,
				struct gpu_stream *stream, uint64_t lo_B, uint64_t hi_B,
				enum ocl_access_mode mode);
/* What the files of residency need of each other: pinned memory for a shadow, and whose; getting shared
 * memory and giving it back; and host_acquire where it is shared. */
cl_int ocl_storage_shadow_allocate(const struct ocl_storage *storage, struct gpu_device **gpu_out,
				   void **shadow_out);
cl_int ocl_storage_allocate_shared(struct ocl_storage *storage, unsigned places, uint32_t owner,
				   uint32_t align_B);
void ocl_storage_free_shared(struct ocl_storage *storage);
cl_int ocl_storage_host_acquire_shared(struct ocl_storage *storage, struct gpu_stream *stream,
				       uint64_t lo_B, uint64_t hi_B);
/* Where the lock is held: memory at a place; the range's ends as borders of segments, of which there
 * are not too many; where to take a segment from, another device before the host; a segment made valid
 * on a device, but for undefined bytes, which are left where they are. */
struct segment;
cl_int ocl_storage_allocate_locked(struct ocl_storage *storage, uint32_t place);
cl_int ocl_storage_prepare_locked(struct ocl_storage *storage, const struct ocl_acquired *range);
uint32_t ocl_storage_source(const struct ocl_storage *storage, const struct segment *segment);
cl_int ocl_storage_fetch_locked(struct ocl_storage *storage, struct segment *segment,
				uint32_t device, struct gpu_stream *stream);

/* Shared memory: brings the range to the host or the stream's device as far as that
 * helps. */
cl_int ocl_storage_migrate(struct ocl_storage *storage, struct gpu_stream *stream, uint64_t lo_B,
			   uint64_t hi_B, bool to_host);
/* The host wrote the range in the shadow. */
cl_int ocl_storage_host_commit(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B);

#endif
