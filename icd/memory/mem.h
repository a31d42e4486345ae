/* Memory objects (cl_mem): buffers, sub-buffers, pipes, and what images (image.h) have in common with them.
 *
 * The bytes are in a storage (residency.h), which is made with the root, that is, a memory object without a parent.
 * A sub-buffer is a view of its root's storage, with an offset, a size and flags; it holds a reference to its parent,
 * and so does an image that was made of another object.  All offsets that are passed to the storage count from the
 * root's start.
 *
 * A pipe is a buffer that the host cannot access; kernels use it as a struct abi_pipe (frontend/kernel_abi.h).
 *
 * A kernel holds no references to its arguments (OpenCL 3.0 API, 5.9.2: "implementations shall not allow cl_kernel
 * objects to hold reference counts to cl_kernel arguments").  It keeps a pointer and a name, by which a launch finds
 * out whether the object still exists.  The name is the struct's life, a number that changes when the struct is used
 * for another object.  A struct that was named is therefore not freed before its context, but used again.
 *
 * Thread-safe: all fields are constant, except the counts, and the lists of maps and destructors, which the storage's
 * lock guards. */
#ifndef CULVERT_ICD_MEM_H
#define CULVERT_ICD_MEM_H

#include "icd/memory/context.h"
#include "icd/memory/mem_properties.h"
#include "icd/memory/residency.h"

extern const struct object_type ocl_mem_type;

struct mem_destructor;
struct ocl_gl_object;
struct ocl_image;

/* cl_ext_immutable_memory_objects: CL_MEM_IMMUTABLE_EXT, which older headers do not know. */
#define OCL_MEM_IMMUTABLE ((cl_mem_flags)1 << 6)

struct _cl_mem {
	struct object base;
	/* The fields that each launch reads are together, as in struct ocl_storage. */
	_Atomic uint64_t life;           /* increases when the struct is used for another object; odd: it was named */
	cl_context context;              /* ref held */
	struct ocl_storage *storage;     /* owned by the root, or by svm */
	struct ocl_image *image;         /* owned; NULL: a buffer or a pipe */
	size_t size_B;
	size_t origin_B;                 /* offset in the root, of a sub-buffer or of an image made of one */
	cl_mem_flags flags;
	atomic_uint holders;             /* references to the struct (ocl_mem_hold); one is the object itself */
	struct _cl_mem *next_spare;      /* the next one in the context's spare_mems */
	atomic_uint recorded;            /* how many of base.refs recorded commands hold */
	cl_mem_object_type type;
	atomic_uint map_count;
	cl_uint packet_B, max_packets;   /* of a pipe */
	bool has_addresses;              /* the application may use its device addresses (address.h) */
	bool is_exportable;              /* it can be exported to other processes, as a handle of the type exported */
	unsigned char exported;          /* an enum gpu_handle_type, in one byte */
	void *host_pointer;              /* of CL_MEM_USE_HOST_PTR; otherwise NULL */
	cl_mem_properties *properties;   /* owned, with the final 0; NULL if none were given */
	size_t property_count;           /* with the final 0 */
	struct _cl_mem *parent;          /* ref held; NULL: a root */
	struct _cl_mem *svm;             /* ref held: the SVM allocation whose storage it uses (svm.h); NULL: none */
	cl_device_id external_device;    /* the device of memory that is shared with others; NULL: it is not shared */
	struct mem_destructor *destructors; /* owned: callbacks, the newest first */
	struct ocl_gl_object *gl;        /* owned: the object of OpenGL or EGL from which it was created; or NULL */
};

static inline bool ocl_mem_is_buffer(const struct _cl_mem *mem)
{
	return mem->type == CL_MEM_OBJECT_BUFFER;
}

/* CL_SUCCESS when handle is a buffer of context. */
cl_int ocl_mem_check(cl_mem mem, const struct _cl_context *context);

/* Makes the internal buffer of an SVM allocation, which owns storage from then on.  NULL: out of memory. */
cl_mem ocl_mem_create_svm(cl_context context, cl_mem_flags flags, struct ocl_storage *storage);

/* Whether commands must not change its contents (cl_ext_immutable_memory_objects). */
static inline bool ocl_mem_is_immutable(const struct _cl_mem *mem)
{
	return mem->flags & OCL_MEM_IMMUTABLE;
}

/* For clGetMemObjectInfo: the offset of a sub-buffer in its parent; whether the bytes are SVM. */
size_t ocl_mem_offset_B(const struct _cl_mem *mem);
bool ocl_mem_uses_svm(const struct _cl_mem *mem);

/* Keep the struct from being freed, but not what it owns; NULL is fine. */
void ocl_mem_hold(cl_mem mem);
void ocl_mem_drop(cl_mem mem);
/* The object's name: its life.  If mem->life is another number later, the object does not exist any more. */
static inline uint64_t ocl_mem_name(cl_mem mem)
{
	const uint64_t life = atomic_load_explicit(&mem->life, memory_order_relaxed);
	if (!(life & 1))
		atomic_store_explicit(&mem->life, life | 1, memory_order_relaxed);
	return life | 1;
}
/* Takes a struct that can be used again; NULL: there is none. */
cl_mem ocl_mem_spare_take(cl_context context);
/* Frees the context's structs that could be used again; called when the context is destroyed. */
void ocl_mems_free_spare(cl_context context);
/* Whether the application has references to it, and not only unfinished commands. */
static inline bool ocl_mem_is_alive(const struct _cl_mem *mem)
{
	return object_reference_count(mem) != 0;
}
/* Whether the application has references to the object with this name.  When the struct is used for another object,
 * life is changed before api_refs becomes 1; read in this order, that object is not mistaken for the first. */
static inline bool ocl_mem_is(const struct _cl_mem *mem, uint64_t life)
{
	return atomic_load_explicit(&mem->base.api_refs, memory_order_acquire) &&
	       atomic_load_explicit(&mem->life, memory_order_relaxed) == life;
}

/* Makes a buffer in pinned host memory, which devices access over the bus: kernels and a host that has mapped it see
 * each other's writes.  from: the initial contents, or NULL. CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
 * CL_OUT_OF_RESOURCES. */
cl_int ocl_mem_create_pinned(cl_context context, cl_mem_flags flags, size_t size_B,
			     const void *from, cl_mem *mem_out);

/* Makes a buffer; the caller has checked flags.  CL_INVALID_PROPERTY: an external handle is invalid.  A file descriptor
 * stays the caller's (ocl_mem_external_taken). */
cl_int ocl_mem_create(cl_context context, const struct ocl_mem_properties *properties,
		      cl_mem_flags flags, size_t size_B, void *host_pointer, cl_mem *mem_out);
/* ocl_mem_pipe_B: the size of a pipe in device memory; ocl_mem_create_pipe makes an empty one, with the errors of
 * ocl_storage_create. */
uint64_t ocl_mem_pipe_B(cl_uint packet_B, cl_uint max_packets);
cl_int ocl_mem_create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_B,
			   cl_uint max_packets, cl_mem *mem_out);
/* Makes a buffer whose bytes, on the device with index device, are at address, which is the application's. */
cl_int ocl_mem_create_at(cl_context context, cl_mem_flags flags, size_t size_B, uint32_t device,
			 gpu_address address, cl_mem *mem_out);
cl_int ocl_mem_create_sub(cl_mem parent, cl_mem_flags flags, const cl_buffer_region *region,
			  cl_mem *mem_out);
/* Makes a memory object that owns image and has no storage yet. */
cl_int ocl_mem_new_image(cl_context context, const cl_mem_properties *properties,
			 cl_mem_flags flags, struct ocl_image *image, cl_mem *mem_out);
/* Makes mem, which has no storage yet, share that of parent. */
void ocl_mem_share(cl_mem mem, cl_mem parent);
cl_int ocl_mem_add_destructor(cl_mem mem, void (CL_CALLBACK *notify)(cl_mem, void *), void *data);

/* A mapped region.  It exists from the enqueue of the map command until its unmap command has run.
 * Reference-counted: the storage's list, the map command and the unmap command may each hold a reference. */
struct ocl_map {
	struct list link;                /* storage->maps */
	atomic_uint refs;
	cl_mem mem;                      /* without a reference: the commands and the caller hold one */
	void *pointer;                   /* the host's address of the region */
	uint64_t lo_B, hi_B;             /* byte offsets in the root; of an image: all of it */
	/* Of an image: the box in it, and the pitches of the memory at pointer. */
	uint64_t origin[3], region[3];
	uint32_t level;
	uint64_t row_pitch_B, slice_pitch_B;
	cl_map_flags flags;
	atomic_bool ready;               /* the map command has run */
};

/* Makes a region that is not in the storage's list; the caller gets the only reference. */
cl_int ocl_map_create(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		      struct ocl_map **map_out);

#define OCL_MAP_WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

void ocl_map_ref(struct ocl_map *map);
void ocl_map_unref(struct ocl_map *map);

/* Makes a region and adds it to the storage's list; the caller gets a reference.  CL_INVALID_OPERATION when it is
 * mapped for writing and overlaps another region that is; CL_MAP_FAILURE, CL_MEM_OBJECT_ALLOCATION_FAILURE,
 * CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_mem_map(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
		   struct ocl_map **map_out);
/* The two steps of ocl_mem_map.  ocl_map_new makes a region that is not in the list, whose host memory is at shadow
 * plus its offset; NULL: out of memory.  ocl_map_add adds it to the list, or frees it when it overlaps. */
struct ocl_map *ocl_map_new(cl_mem mem, cl_map_flags flags, size_t offset_B, size_t size_B,
			    void *shadow);
cl_int ocl_map_add(struct ocl_map *map);
/* Removes the oldest region of mem with this pointer from the list, and gives the caller the list's reference.  NULL:
 * there is none. */
struct ocl_map *ocl_mem_unmap(cl_mem mem, const void *pointer);
/* Undoes ocl_mem_unmap: the list gets the reference back. */
void ocl_mem_unmap_undo(struct ocl_map *map);
/* Removes this region from the list, because its map command could not be enqueued; others may have the same pointer.
 * The caller keeps its own reference. */
void ocl_mem_map_undo(struct ocl_map *map);

#endif
