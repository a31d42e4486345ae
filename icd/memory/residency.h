/* Residency: a storage has the bytes of a buffer, or the texels of an image, on each device of its context and on the
 * host, and knows where the newest of them are.
 *
 * Its locations are the context's devices and, as the last one, the host shadow: host memory that is allocated at the
 * first map and pinned where it is mapped, or the application's own memory.  The range is divided into segments.  Each
 * segment knows at which locations it is valid, and which operations later ones have to wait for:
 *   fill     the copy of residency that made it valid at a location
 *   readers  the copies of residency that still read it there
 *   write    the last command that wrote it
 * A copy is put into the stream of the command that needs it, and the segment is changed at once; a command's own write
 * is noted only after its operation was put into the stream.  Only the copies made here are ordered: commands that the
 * application did not order stay unordered.
 *
 *	ocl_storage_acquire(storage, device, stream, lo, hi, mode, &at);
 *	... the operation, put into stream ...
 *	ocl_storage_commit(storage, &at, written, witness);
 *
 * While a context has one device and the storage has no shadow, nothing is tracked: both calls then are a few loads,
 * without a lock.
 *
 * An image's texels are in CUDA arrays.  These have no addresses and no shadow, and are one piece: every range that is
 * acquired is the whole array.
 *
 * Thread-safe.  With a pageable shadow a call may wait (ocl_storage_is_slow): then no lock may be held. */
#ifndef CULVERT_ICD_RESIDENCY_H
#define CULVERT_ICD_RESIDENCY_H

#include "backend/gpu_image.h"
#include "backend/gpu_managed.h"
#include "base/list.h"
#include "base/lock.h"
#include "icd/memory/context.h"
#include "icd/memory/stream_set.h"

#include <stdatomic.h>

/* The kind of memory of a storage.  Shared memory has one address on the host and all devices of the context, so that
 * it needs neither segments nor copies. */
enum ocl_place {
	OCL_PLACE_OWN = 0,              /* not shared: each location has memory of its own */
	OCL_PLACE_MANAGED = 1 << 0,     /* shared: managed memory, which moves to the side that accesses it */
	OCL_PLACE_PINNED = 1 << 1,      /* shared: pinned host memory */
	OCL_PLACE_DEVICE = 1 << 2,      /* shared by the devices: memory of one of them, which the host cannot access */
	OCL_PLACE_TAKEN = 1 << 3        /* shared: memory of the application, made by ocl_storage_take_host only */
};

enum ocl_access_mode {
	OCL_ACCESS_READ = 1,
	OCL_ACCESS_WRITE = 2,           /* overwrites the whole range */
	OCL_ACCESS_UPDATE = 3,          /* may read and write any part of it */
	OCL_ACCESS_AFAR = 4,            /* reads it at any location, by ocl_storage_copy_out */
	OCL_ACCESS_COUNTED = 8          /* of a range that was acquired: its write
					 * was counted (ocl_storage_count_write) */
};

struct ocl_location {
	struct gpu_device *gpu;         /* NULL: the host shadow */
	/* address and array are guarded by the lock until they are set; 0: not allocated yet. */
	gpu_address address;
	struct gpu_array *array;        /* of an image, instead of an address */
	/* Constant: the memory at the address is the application's, or was imported.  Of an imported array it is
	 * false: gpu_array_destroy gives back also what was imported with it, and it has no address. */
	bool adopted;
	struct gpu_external *external;  /* owned: imported memory; or NULL */
	/* Owned: managed memory, because the device's own was full.  Of OCL_PLACE_MANAGED: at the first location. */
	struct gpu_managed *managed;
	struct ocl_stream_set streams;   /* those that used the memory */
};

/* The format and size of an image's arrays. */
struct ocl_texels {
	struct gpu_texel texel;
	struct gpu_extent extent;
};

struct ocl_storage {
	struct lock lock;               /* guards all fields below, unless a comment says otherwise */
	struct lock_condition idle;     /* signalled when busy or pinning becomes false */
	bool busy;                      /* a copy of pageable memory runs, without the lock held */
	bool pinning;                   /* a thread pins a part of the window, without the lock held */
	bool pins_whole;                /* constant: the first map pins the whole shadow */
	bool read_only, write_only;     /* constant: what kernels may do, for softcuda's checks */
	struct ocl_texels texels;       /* constant: of arrays */
	struct gpu_window *window;      /* owned: the shadow, if it is pinned in parts; or NULL */
	unsigned char *shadow;          /* NULL: not allocated yet */
	uint32_t slack_B, before_B;     /* of shared memory: bytes allocated for the alignment; those before shadow */
	struct gpu_device *shadow_owner; /* the device with which it was pinned; NULL: the application's memory */
	struct list segments;           /* segment.link: in order, without gaps */
	uint32_t segment_count;
	struct list maps;               /* ocl_map.link, used by mem.c */
	uint64_t version;               /* increases with each write while the storage is tracked */
	atomic_bool shown;              /* the application knows its addresses; never becomes false again */
	/* The fields that each launch reads are together, with the first location, because with many buffers they
	 * are seldom in the processor's cache.  They are constant, except the atomic ones. */
	uint64_t size_B;
	enum ocl_place place;
	uint32_t device_count;
	bool arrays;                    /* the locations have arrays */
	bool moves;                     /* a part of it may be managed memory whose pages are at the host */
	bool moves_whole;               /* managed memory that only one side uses at a time */
	bool pageable;                  /* the shadow is pageable memory of the application */
	bool registered;                /* OCL_PLACE_TAKEN: the memory has to be unregistered */
	atomic_bool at_host;            /* managed memory: the host may have used it since it was last acquired */
	atomic_bool tracked;            /* the segments are used; never becomes false again */
	struct ocl_location locations[]; /* one for each device, then the host */
};

/* A range that a command has acquired on a device. */
struct ocl_acquired {
	uint64_t lo_B, hi_B;            /* byte offsets in the storage */
	gpu_address address;            /* of the byte at lo_B */
	struct gpu_array *array;        /* of an image; or NULL */
	struct gpu_stream *stream;      /* the command's */
	uint32_t device;                /* index in the context */
	enum ocl_access_mode mode;
	bool tracked;                   /* storage->tracked when it was acquired */
};

/* The alignment that all memory of CUDA has at least. */
enum { OCL_STORAGE_ALIGN_B = 128 };

/* Smaller storages are pinned as a whole at the first map. */
enum { OCL_STORAGE_WINDOW_B = 4 << 20 };
/* The initial bytes: undefined, a copy of the memory at from, or that memory itself, which becomes the shadow. */
enum ocl_content { OCL_CONTENT_UNDEFINED, OCL_CONTENT_COPY, OCL_CONTENT_SHARE };

/* Makes a storage.  pins_whole: the application will map much of it.  With one device its memory is allocated now, so
 * that a failure is reported here; with several devices, the memory of each at its first use.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES. */
cl_int ocl_storage_create(cl_context context, uint64_t size_B, enum ocl_content content,
			  void *from, bool pins_whole, struct ocl_storage **storage_out);

/* Says that kernels will only read, or only write the storage.  Called before another thread uses it. */
void ocl_storage_restrict(struct ocl_storage *storage, bool read_only, bool write_only);

/* Makes a storage whose bytes, on the device with index device, are at address.  That memory is the application's, or
 * it belongs to external, which the storage owns from then on. */
cl_int ocl_storage_adopt(cl_context context, uint64_t size_B, uint32_t device,
			 gpu_address address, struct gpu_external *external,
			 struct ocl_storage **storage_out);
/* Makes the storage of an image whose texels are in array, of the device with index device; the storage owns it from
 * then on. */
cl_int ocl_storage_adopt_array(cl_context context, const struct ocl_texels *texels, uint32_t device,
			       struct gpu_array *array, struct ocl_storage **storage_out);
/* Makes a storage of shared memory.  places: a set of enum ocl_place, of which the first that has room is used.
 * owner: index of the device with which it is allocated.  align_B: a power of two; 0 means OCL_STORAGE_ALIGN_B.
 * moves_whole: the host uses managed memory only between ocl_storage_host_acquire and the next ocl_storage_acquire.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES. */
cl_int ocl_storage_create_shared(cl_context context, uint64_t size_B, unsigned places,
				 uint32_t owner, uint32_t align_B, bool moves_whole,
				 struct ocl_storage **storage_out);

/* Makes a storage of the application's memory, which the context's only GPU uses in place.  Fails as
 * gpu_host_register does; then the memory has to be copied. */
cl_int ocl_storage_take_host(cl_context context, uint64_t size_B, void *pointer, struct ocl_storage **storage_out);
/* Unregisters such memory, before the application is told that it may free it.  No command may use it any more.  Does
 * nothing for other storages. */
void ocl_storage_let_go(struct ocl_storage *storage);

/* Makes the storage of an image.  from: the initial texels, in host memory; NULL: they are undefined.  Otherwise as
 * ocl_storage_create; with initial texels, memory of one device is allocated now. */
cl_int ocl_storage_create_array(cl_context context, const struct ocl_texels *texels,
				const struct gpu_image_side *from,
				struct ocl_storage **storage_out);

/* The index of a device that is not lost, if there is one; and that device, with which memory can be pinned for all
 * devices. */
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

/* Frees device memory once all streams that use it are done, without waiting for them.  The shadow must not be in use
 * any more: see ocl_storage_collect. */
void ocl_storage_destroy(struct ocl_storage *storage);

/* Adds to witnesses the events after all unfinished work that uses the storage. */
void ocl_storage_collect(struct ocl_storage *storage, struct ocl_witnesses *witnesses);

/* The address of the storage on a device, or its array, which is allocated if necessary and never changes.  array_out
 * may be NULL. */
cl_int ocl_storage_place(struct ocl_storage *storage, uint32_t device, gpu_address *address_out,
			 struct gpu_array **array_out);

static inline bool ocl_storage_is_slow(const struct ocl_storage *storage)
{
	return storage->pageable;
}
/* Whether ocl_storage_acquire would have nothing to copy now. */
bool ocl_storage_has(struct ocl_storage *storage, uint32_t device, uint64_t lo_B, uint64_t hi_B,
		     enum ocl_access_mode mode);

/* ocl_storage_acquire for a storage whose newest bytes may be elsewhere. */
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
	if (tracked || storage->moves) {
		error = ocl_storage_acquire_moving(storage, acquired_out);
		/* With OCL_ACCESS_AFAR the device may have no memory, and another thread may be allocating it. */
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
/* Whether ocl_storage_copy_out can copy the bytes without first copying them to the command's device: a command that
 * only copies them then acquires them as OCL_ACCESS_AFAR. */
bool ocl_storage_copies_out(const struct ocl_storage *storage);
/* Copies a range that was acquired as OCL_ACCESS_AFAR to other memory of the command's device: from another device if
 * that has the bytes and copies are direct, otherwise from the device itself. */
cl_int ocl_storage_copy_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
			    gpu_address to);
/* As ocl_storage_copy_out, for a box; its rects count from the range's first byte and from to. */
struct ocl_box_out {
	gpu_address to;
	const struct gpu_rect *to_rect, *from_rect;
	const uint64_t *region_B;        /* three: as in gpu_sink_copy_rect */
};
cl_int ocl_storage_copy_box_out(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				const struct ocl_box_out *box);
/* Called exactly once after each ocl_storage_acquire.  written: the operation, of OCL_ACCESS_WRITE or _UPDATE, is in
 * the stream; done: an event after it, or NULL if none was recorded. */
void ocl_storage_commit_tracked(struct ocl_storage *storage, const struct ocl_acquired *acquired,
				bool written, struct gpu_event *done);
static inline void ocl_storage_commit(struct ocl_storage *storage,
				      const struct ocl_acquired *acquired, bool written,
				      struct gpu_event *done)
{
	if (acquired->tracked && acquired->mode & OCL_ACCESS_WRITE)
		ocl_storage_commit_tracked(storage, acquired, written, done);
}

/* Makes the storage tracked from now on, so that its writes are counted. */
void ocl_storage_track(struct ocl_storage *storage);
/* A number that differs after each write of the storage, which is tracked; 0 if not every write is known. */
uint64_t ocl_storage_version(struct ocl_storage *storage);
/* Counts the write of an acquired range before it is committed, and returns the new version. */
uint64_t ocl_storage_count_write(struct ocl_storage *storage, struct ocl_acquired *acquired);

/* The host shadow, which is allocated if necessary, and pinned at least within the range.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE. */
cl_int ocl_storage_shadow(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B,
			  void **shadow_out);
/* Makes the shadow ready for the host, by operations in stream: OCL_ACCESS_READ copies the newest bytes there, through
 * device if necessary; OCL_ACCESS_WRITE only waits for copies to and from it. */
cl_int ocl_storage_host_acquire(struct ocl_storage *storage, uint32_t device,
				struct gpu_stream *stream, uint64_t lo_B, uint64_t hi_B,
				enum ocl_access_mode mode);
/* Used by the files of residency alone: allocate pinned memory for a shadow, with the device that pins it; allocate and
 * free shared memory; and ocl_storage_host_acquire for shared memory. */
cl_int ocl_storage_shadow_allocate(const struct ocl_storage *storage, struct gpu_device **gpu_out,
				   void **shadow_out);
cl_int ocl_storage_allocate_shared(struct ocl_storage *storage, unsigned places, uint32_t owner,
				   uint32_t align_B);
void ocl_storage_free_shared(struct ocl_storage *storage);
cl_int ocl_storage_host_acquire_shared(struct ocl_storage *storage, struct gpu_stream *stream,
				       uint64_t lo_B, uint64_t hi_B);
/* Likewise, with the lock held: allocate memory at a location; split segments at the ends of a range, and join others
 * if there are too many; choose the location to copy a segment from, another device rather than the host; copy a
 * segment to a device, unless its bytes are undefined; begin to track the storage. */
struct segment;
cl_int ocl_storage_allocate_locked(struct ocl_storage *storage, uint32_t place);
void ocl_storage_track_locked(struct ocl_storage *storage);
cl_int ocl_storage_prepare_locked(struct ocl_storage *storage, const struct ocl_acquired *range);
uint32_t ocl_storage_source(const struct ocl_storage *storage, const struct segment *segment);
cl_int ocl_storage_fetch_locked(struct ocl_storage *storage, struct segment *segment,
				uint32_t device, struct gpu_stream *stream);

/* Moves a range that is acquired on a device to the host or to the stream's device, if it is managed memory. */
cl_int ocl_storage_migrate(struct ocl_storage *storage, uint32_t device, struct gpu_stream *stream, uint64_t lo_B,
			   uint64_t hi_B, bool to_host);
/* Gives the driver advice about such a range. */
cl_int ocl_storage_advise(const struct ocl_storage *storage, uint32_t device, uint64_t lo_B, uint64_t hi_B,
			  enum gpu_advice advice);
/* Managed memory: brings what belongs on the device back there, if the host has used it.  The lock is held by the
 * caller if the storage is tracked. */
cl_int ocl_storage_bring(struct ocl_storage *storage, const struct ocl_acquired *acquired);
/* Managed memory of a location, for which its device has no room; CL_MEM_OBJECT_ALLOCATION_FAILURE where that is not
 * the reason that the allocation failed. */
cl_int ocl_storage_allocate_beyond(struct ocl_storage *storage, struct ocl_location *location);
/* Notes that the host has written the range in the shadow. */
cl_int ocl_storage_host_commit(struct ocl_storage *storage, uint64_t lo_B, uint64_t hi_B);

#endif
