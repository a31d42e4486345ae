/* Memory objects: buffers and sub-buffers, pipes, and what images (image.h) share with them.
 *
 * The bytes belong to a storage (residency.h), made with the root.  A sub-buffer is a
 * view of it: an origin, a size and flags of its own; it keeps its parent alive, and so
 * does an image that was made of another object.  All offsets that go to the storage
 * are the root's.
 *
 * A pipe is a buffer that the host does not get at; what is in it is the kernels' (struct abi_pipe of
 * frontend/kernel_abi.h).
 *
 * A kernel's argument is no owner (OpenCL 3.0 API, 5.9.2: "implementations shall
 * not allow cl_kernel objects to hold reference counts to cl_kernel arguments"):
 * it names the object, so that a launch can tell that it has gone.  A struct that has been
 * named stays memory of its context's and becomes another object, of another life: a name
 * costs no count.
 *
 * Thread-safe: everything is immutable but the counts, and the lists of maps
 * and destructors, which the storage's lock guards. */
#ifndef CULVERT_ICD_MEM_H
#define CULVERT_ICD_MEM_H

#include "icd/memory/context.h"
#include "icd/memory/mem_properties.h"
#include "icd/memory/residency.h"

extern const struct object_type ocl_mem_type;

struct mem_destructor;
struct ocl_image;

/* cl_ext_immutable_memory_objects: CL_MEM_IMMUTABLE_EXT, which older headers do not know. */
#define OCL_MEM_IMMUTABLE ((cl_mem_flags)1 << 6)

struct _cl_mem {
	struct object base;
	/* What each launch comes by lies together: see struct ocl_storage. */
	_Atomic uint64_t life;           /* of the struct, which it outlives; odd: it was named */
	cl_context context;              /* ref held */
	struct ocl_storage *storage;     /* the root owns it, or svm */
	struct ocl_image *image;         /* owned; NULL: a buffer or a pipe */
	size_t size_B;
	size_t origin_B;                 /* in its root: of a sub-buffer, or an image of one */
	cl_mem_flags flags;
	atomic_uint holders;             /* of the struct: the object itself, indirect lists */
	struct _cl_mem *next_spare;      /* in the context's spare_mems */
	atomic_uint recorded;            /* how many of base.refs are of recorded commands */
	cl_mem_object_type type;
	atomic_uint map_count;
	cl_uint packet_B, max_packets;   /* of a pipe */
	bool has_addresses;              /* the application may ask for them; see address.h */
	bool is_exportable;              /* to other processes, by handles of one type: */
	unsigned char exported;          /* an enum gpu_handle_type, in the padding of the struct */
	void *host_pointer;              /* CL_MEM_USE_HOST_PTR; NULL otherwise */
	cl_mem_properties *properties;   /* owned, with the final 0; NULL if none were given */
	size_t property_count;
	struct _cl_mem *parent;          /* ref held; NULL for a root */
	struct _cl_mem *svm;             /* ref held: whose storage it is, see svm.h; NULL: none */
	cl_device_id external_device;    /* of memory that others have, too; NULL: it is ours alone */
	struct mem_destructor *destructors; /* newest first */
};

static inline bool ocl_mem_is_buffer(const struct _cl_mem *mem)
{
	return mem->type == CL_MEM_OBJECT_BUFFER;
}

/* CL_SUCCESS when handle is a buffer of context. */
cl_int ocl_mem_check(cl_mem mem, const struct _cl_context *context);

/* The buffer that an SVM allocation is inside: no handle of the application's, and the
 * storage becomes its own.  NULL: out of memory. */
cl_mem ocl_mem_create_svm(cl_context context, cl_mem_flags flags, struct ocl_storage *storage);

/* Whether no command may change its contents. */
static inline bool ocl_mem_is_immutable(const struct _cl_mem *mem)
{
	return mem->flags & OCL_MEM_IMMUTABLE;
}

/* For clGetMemObjectInfo: of a sub-buffer in its parent; whether the bytes are SVM. */
size_t ocl_mem_offset_B(const struct _cl_mem *mem);
bool ocl_mem_uses_svm(const struct _cl_mem *mem);

/* Keeps the struct, and nothing that it owns; NULL is fine. */
void ocl_mem_hold(cl_mem mem);
void ocl_mem_drop(cl_mem mem);
/* A name that is kept beside mem: its life, which has ended when it is another one. */
static inline uint64_t ocl_mem_name(cl_mem mem)
{
	const uint64_t life = atomic_load_explicit(&mem->life, memory_order_relaxed);
	if (!(life & 1))
		atomic_store_explicit(&mem->life, life | 1, memory_order_relaxed);
	return life | 1;
}
/* A struct that was kept and is nobody's any more; NULL: there is none. */
cl_mem ocl_mem_spare_take(cl_context context);
/* Frees the structs that were named, with their context. */
void ocl_mems_free_spare(cl_context context);
/* Whether the application still has it, and not only unfinished commands. */
static inline bool ocl_mem_is_alive(const struct _cl_mem *mem)
{
	return object_reference_count(mem) != 0;
}
/* The same for the object that the name was of.  Another one in the struct has its life before it
 * has a share of the application's: in this order it is not taken for the first. */
static inline bool ocl_mem_is(const struct _cl_mem *mem, uint64_t life)
{
	return atomic_load_explicit(&mem->base.api_refs, memory_order_acquire) &&
	       atomic_load_explicit(&mem->life, memory_order_relaxed) == life;
}

/* A buffer whose bytes are pinned memory of the host, which devices reach over the bus: kernels
 * and a host that has it mapped see each other's writes.  from: what is in it first, or NULL.
 * CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES. */
cl_int ocl_mem_create_pinned(cl_context context, cl_mem_flags flags, size_t size_B,
			     const void *from, cl_mem *mem_out);

/* flags are checked by the door.  CL_INVALID_PROPERTY: an external handle is none.  It stays who
 * calls's (ocl_mem_external_taken). */
cl_int ocl_mem_create(cl_context context, const struct ocl_mem_properties *properties,
		      cl_mem_flags flags, size_t size_B, void *host_pointer, cl_mem *mem_out);
/* An empty pipe; the size of all of it is what a device can allocate.  Errors as ocl_storage_create's. */
uint64_t ocl_mem_pipe_B(cl_uint packet_B, cl_uint max_packets);
cl_int ocl_mem_create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_B,
			   cl_uint max_packets, cl_mem *mem_out);
/* On the device at position device its bytes are at address, the application's. */
cl_int ocl_mem_create_at(cl_context context, cl_mem_flags flags, size_t size_B, uint32_t device,
			 gpu_address address, cl_mem *mem_out);
cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region,
			  cl_mem *mem_out);
/* A memory object around image, which becomes its own, without a storage. */
cl_int ocl_mem_new_image(cl_context context, const cl_mem_properties *properties,
			 cl_mem_flags flags, struct ocl_image *image, cl_mem *mem_out);
/* mem, which has no storage yet, shares that of parent. */
void ocl_mem_share(cl_mem mem, cl_mem parent);
cl_int ocl_mem_add_destructor(cl_mem mem, void (CL_CALLBACK *notify)(cl_mem, void *), void *data);

/* A mapped region: from the enqueue of the map to the run of its unmap.
 * Counted: the list, the map command and the unmap command may each hold it. */
struct ocl_map {
	struct list link;                /* storage->maps */
	atomic_uint refs;
	cl_mem mem;                      /* not a ref: the commands and the caller hold it */
	void *pointer;
	uint64_t lo_B, hi_B;             /* in the root; of an image's all */
	/* An image's: the box in it, and the pitches of the memory at pointer. */
	uint64_t origin[3], region[3];
	uint64_t row_pitch_B, slice_pitch_B;
	cl_map_flags flags;
	atomic_bool ready;               /* the map command brought the bytes */
};

/* A region of mem that is in no list; the caller gets the only reference. */
cl_int ocl_map_create(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		      struct ocl_map **map_out);

#define OCL_MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

void ocl_map_ref(struct ocl_map *map);
void ocl_map_unref(struct ocl_map *map);

/* Adds a region of mem to those mapped; the caller gets a reference.
 * CL_INVALID_OPERATION when it overlaps a region mapped for writing and is so
 * itself; CL_MAP_FAILURE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_mem_map(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		   struct ocl_map **map_out);
/* The two parts of it: a region whose bytes the host has at shadow plus the region's offset, which is in no
 * list yet (NULL: out of memory), and its entry, which frees it when it overlaps. */
struct ocl_map *ocl_map_new(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
			    void *shadow);
cl_int ocl_map_add(struct ocl_map *map);
/* Takes the oldest map of mem that gave pointer from the list; the caller gets
 * its reference. NULL: there is none. */
struct ocl_map *ocl_mem_unmap(cl_mem mem, const void *pointer);
/* Undoes ocl_mem_unmap (its reference goes back). */
void ocl_mem_unmap_undo(struct ocl_map *map);
/* Takes this very map from the list, for its command could not be enqueued; others may have given
 * the same pointer.  The caller's reference stays his. */
void ocl_mem_map_undo(struct ocl_map *map);

#endif
