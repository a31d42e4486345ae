/* What a launch must know of a compiled kernel.
 *
 * The facts travel inside every program binary, so that a program loaded from
 * the cache or from clCreateProgramWithBinary behaves exactly as one built from
 * source.  docs/kernel-abi.md describes how the entry's parameters follow:
 *
 *   user arguments in order, each as one parameter:
 *     VALUE             by value (a struct as an aligned byte array)
 *     GLOBAL, CONSTANT  u64 device address (0 for a NULL buffer)
 *     LOCAL             u32 byte offset into the dynamic local memory of the work-group
 *     IMAGE             u64 device address of the image's struct abi_image
 *     SAMPLER           u32 bits of enum abi_sampler
 *     PIPE              u64 device address of the pipe's struct abi_pipe
 *   then the hidden parameters that the kernel needs, in the order of
 *   abi_kernel.hidden.
 *
 * Dynamic local memory of a work-group: first dynamic_local_B bytes of the
 * kernel's own variables (only where they exceed what static allocation can
 * hold), then the LOCAL arguments, each aligned to its align_B.
 *
 * Plain data, immutable once made; any thread may read. */
#ifndef CULVERT_FRONTEND_KERNEL_ABI_H
#define CULVERT_FRONTEND_KERNEL_ABI_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum abi_argument_kind {
	ABI_ARGUMENT_VALUE,
	ABI_ARGUMENT_GLOBAL,
	ABI_ARGUMENT_CONSTANT,
	ABI_ARGUMENT_LOCAL,
	ABI_ARGUMENT_IMAGE,
	ABI_ARGUMENT_SAMPLER,
	ABI_ARGUMENT_PIPE
};

/* Whether the application sets such an argument to a memory object (or a pointer). */
static inline bool abi_argument_is_memory(enum abi_argument_kind kind)
{
	return kind == ABI_ARGUMENT_GLOBAL || kind == ABI_ARGUMENT_CONSTANT ||
	       kind == ABI_ARGUMENT_IMAGE || kind == ABI_ARGUMENT_PIPE;
}

/* What an image argument is declared as; a depth image has one channel. */
enum abi_image_type {
	ABI_IMAGE_NONE,               /* the argument is no image */
	ABI_IMAGE_1D,
	ABI_IMAGE_1D_ARRAY,
	ABI_IMAGE_1D_BUFFER,
	ABI_IMAGE_2D,
	ABI_IMAGE_2D_ARRAY,
	ABI_IMAGE_3D,
	ABI_IMAGE_2D_DEPTH,
	ABI_IMAGE_2D_ARRAY_DEPTH
};

/* As OpenCL names them, for clGetKernelArgInfo; only images and pipes have one. */
enum abi_access { ABI_ACCESS_NONE, ABI_ACCESS_READ_ONLY, ABI_ACCESS_WRITE_ONLY,
		  ABI_ACCESS_READ_WRITE };

/* A sampler's value: the bits of OpenCL C's sampler_t.  The addressing modes exclude each other. */
enum abi_sampler {
	ABI_SAMPLER_NORMALIZED = 0x01,
	ABI_SAMPLER_NONE = 0x00,
	ABI_SAMPLER_CLAMP_TO_EDGE = 0x02,
	ABI_SAMPLER_CLAMP = 0x04,
	ABI_SAMPLER_REPEAT = 0x06,
	ABI_SAMPLER_MIRRORED_REPEAT = 0x08,
	ABI_SAMPLER_NEAREST = 0x10,
	ABI_SAMPLER_LINEAR = 0x20,
	ABI_SAMPLER_STATE_BITS = 0x3F,
	/* Only arguments have these, which are for mipmapped images: the filter between levels, the lowest level of
	 * detail, and by how much the greatest is less than the limit; in 1/256, and of 12 bits. */
	ABI_SAMPLER_MIP_LINEAR = 0x40,
	ABI_SAMPLER_LOD_MIN_SHIFT = 8,
	ABI_SAMPLER_LOD_MAX_SHIFT = 20,
	ABI_SAMPLER_LOD_ONE = 256,
	ABI_SAMPLER_LOD_LIMIT = 0xFFF
};

/* Sampler states: addressing * 4 + normalized * 2 + linear, with the addressing modes counted from
 * 0 in the order above.  State 0 also stands for reads without a sampler. */
enum { ABI_SAMPLER_STATES = 20, ABI_STATE_PLAIN = 0 };

/* The state that sampler bits stand for; ABI_SAMPLER_STATES when they are none of a sampler's. */
unsigned abi_sampler_state(uint32_t bits);

/* An image as kernels see it: in device memory, little-endian, aligned to ABI_IMAGE_ALIGN_B. */
struct abi_image {
	uint64_t texture[ABI_SAMPLER_STATES];   /* CUtexObject for each state, 0 where not made */
	uint64_t surface;             /* CUsurfObject; 0: the image has none */
	uint64_t data;                /* device address of the first element in linear memory, or 0 */
	uint32_t width, height, depth, array_size;      /* in elements; 0 beyond its dimensions */
	uint32_t row_pitch_B, slice_pitch_B;            /* of linear memory */
	uint32_t channel_type;        /* CL_SNORM_INT8 ... */
	uint32_t channel_order;       /* CL_R ... */
	uint32_t element_B;           /* 1, 2, 4, 8 or 16 */
	uint32_t element_type;        /* how elements are encoded: channel_type, or ABI_ELEMENT_SRGB */
	uint32_t num_mip_levels;      /* at least 1; with more, a struct abi_mipmaps follows */
	uint32_t num_samples;         /* 0 */
	uint32_t texture_first;       /* of a 1D image buffer: where its first element is in its textures */
	uint32_t unused;              /* 0 */
	uint64_t reserved[3];         /* 0 */
};
enum { ABI_IMAGE_ALIGN_B = 256, ABI_IMAGE_LEVELS = 16 };

/* What follows the descriptor of an image with several levels: the textures of all levels, first those that take the
 * nearest level; and the surface of each level. */
struct abi_mipmaps {
	uint64_t texture[2][ABI_SAMPLER_STATES];
	uint64_t surface[ABI_IMAGE_LEVELS];
};
/* CL_UNORM_INT8 on the sRGB curve, the last channel of four linear. */
enum { ABI_ELEMENT_SRGB = 0x10FF };

/* One end of a pipe: the number of packets that were ever reserved there, and of those that the other end may use.
 * Each is in a cache line of its own. */
struct abi_pipe_end {
	uint64_t reserved;
	uint64_t unused[7];
	uint64_t committed;
	uint64_t unused_too[7];
};

/* A pipe as kernels see it, aligned to ABI_PIPE_ALIGN_B.  It is followed by max_packets words for the end that is
 * written and as many for the end that is read, all 0 at first, and by the packets. */
struct abi_pipe {
	uint32_t packet_B, max_packets;
	uint64_t packets_at_B;        /* offset in the pipe, aligned to ABI_PIPE_ALIGN_B */
	uint64_t unused[14];
	struct abi_pipe_end writing, reading;
};
enum { ABI_PIPE_ALIGN_B = 128 };

/* As OpenCL names them, for clGetKernelArgInfo. */
enum abi_address { ABI_ADDRESS_PRIVATE, ABI_ADDRESS_GLOBAL, ABI_ADDRESS_CONSTANT, ABI_ADDRESS_LOCAL };

enum abi_type_qualifier {
	ABI_TYPE_CONST = 1,
	ABI_TYPE_RESTRICT = 2,
	ABI_TYPE_VOLATILE = 4,
	ABI_TYPE_PIPE = 8
};

enum abi_hidden {
	ABI_HIDDEN_ID_START_X,        /* u64: the global id of the grid's first work-item */
	ABI_HIDDEN_ID_START_Y,
	ABI_HIDDEN_ID_START_Z,
	ABI_HIDDEN_GLOBAL_OFFSET_X,   /* u64 */
	ABI_HIDDEN_GLOBAL_OFFSET_Y,
	ABI_HIDDEN_GLOBAL_OFFSET_Z,
	ABI_HIDDEN_GLOBAL_SIZE_X,     /* u64 */
	ABI_HIDDEN_GLOBAL_SIZE_Y,
	ABI_HIDDEN_GLOBAL_SIZE_Z,
	ABI_HIDDEN_GROUP_START_X,     /* u32: the id of the grid's first work-group */
	ABI_HIDDEN_GROUP_START_Y,
	ABI_HIDDEN_GROUP_START_Z,
	ABI_HIDDEN_GROUP_COUNT_X,     /* u32: work-groups of all grids */
	ABI_HIDDEN_GROUP_COUNT_Y,
	ABI_HIDDEN_GROUP_COUNT_Z,
	ABI_HIDDEN_ENQUEUED_LOCAL_X,  /* u32 */
	ABI_HIDDEN_ENQUEUED_LOCAL_Y,
	ABI_HIDDEN_ENQUEUED_LOCAL_Z,
	ABI_HIDDEN_WORK_DIM,          /* u32 */
	ABI_HIDDEN_PRINTF_BUFFER,     /* u64 device address */
	ABI_HIDDEN_GRID_BARRIER,      /* u64 device address; the launch must be cooperative */
	ABI_HIDDEN_COUNT
};

struct abi_argument {
	enum abi_argument_kind kind;
	enum abi_address address;
	uint32_t type_qualifiers;     /* enum abi_type_qualifier bits */
	uint32_t size_B;              /* of the parameter; for VALUE what clSetKernelArg must be given */
	uint32_t align_B;             /* VALUE: of the parameter; LOCAL: of the pointee */
	bool may_write;               /* whether the kernel may write the memory behind the pointer; false only if
				       * that is proven */
	bool may_read;
	enum abi_image_type image_type;
	enum abi_access access;
	char *name;                   /* owned; NULL when the program was built without argument info */
	char *type_name;
};

struct abi_kernel {
	char *name;                   /* owned; as in the source */
	char *entry;                  /* owned; the name in the PTX: the kernel's, unless PTX does not allow it */
	char *attributes;             /* as CL_KERNEL_ATTRIBUTES gives them; "" if none */
	struct abi_argument *arguments;
	uint32_t argument_count;
	enum abi_hidden hidden[ABI_HIDDEN_COUNT];
	uint32_t hidden_count;
	uint32_t required_local[3];   /* reqd_work_group_size; 0 where absent */
	uint32_t hint_local[3];       /* work_group_size_hint */
	uint32_t required_sub_group;  /* intel_reqd_sub_group_size: 8, 16 or 32; 0 where absent */
	uint32_t dynamic_local_B;     /* the kernel's own variables kept in dynamic local memory */
	bool has_barrier;
	bool uniform_groups;          /* the work-group size must divide the global size */
	bool sees_groups;             /* the kernel can find out how its work-items are grouped */
	uint32_t sampler_states;      /* bit per state: what the kernel itself may read images with,
				       * beside its SAMPLER arguments */
	bool no_offset;               /* the kernel does not support a global offset: its ids are the GPU's own */
};

/* The kinds of values that a call of printf passes. */
enum abi_print_kind {
	ABI_PRINT_INTEGER,
	ABI_PRINT_REAL,
	ABI_PRINT_POINTER,            /* u64 */
	ABI_PRINT_STRING,             /* u32: a literal's index in the formats; ABI_PRINT_NULL */
	ABI_PRINT_TEXT                /* u32: the size of its bytes, which end the record */
};
#define ABI_PRINT_NULL UINT32_MAX

struct abi_print_argument {
	enum abi_print_kind kind;
	uint32_t element_B;           /* 1, 2, 4 or 8 */
	uint32_t lanes;               /* 1, or of a vector: 2, 3, 4, 8, 16 */
	uint32_t offset_B;            /* in the record; not written, abi_format_arrange */
};

/* A format of printf with the kinds of its arguments, or a string literal that is an argument.  The kernel writes
 * its index into the printf buffer. */
struct abi_format {
	char *text;                   /* owned, text_size_B bytes and a NUL */
	uint32_t text_size_B;
	struct abi_print_argument *arguments;   /* owned */
	uint32_t argument_count;
	uint32_t record_B;            /* size of a record without its TEXTs */
};

/* The head of the printf buffer, which is followed by records of multiples of ABI_PRINT_UNIT_B.  A record begins
 * with its format's index and its size. */
struct abi_print_header {
	uint64_t head_B;              /* size of all records, also of those for which there was no room */
	uint64_t capacity_B;          /* room for records */
};
enum { ABI_PRINT_UNIT_B = 8 };

struct abi_program {
	struct abi_kernel *kernels;   /* in the order of the source */
	uint32_t kernel_count;
	struct abi_format *formats;
	uint32_t format_count;
	uint64_t global_variables_B;  /* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE */
	bool narrow_ids;              /* only for launches whose global ids fit 32 bits */
};

/* Computes record_B, and offset_B of the arguments: they follow the first eight bytes of the record, each at the
 * next multiple of 4, or of 8 if it is larger than 4 bytes. */
void abi_format_arrange(struct abi_format *format);

/* Appends a self-describing form (magic, version, little-endian, fixed widths). */
void abi_program_write(const struct abi_program *program, struct bytes *bytes);

/* Reads what abi_program_write wrote; the data come from a file or an application and may be damaged or hostile.
 * NULL: it is not exactly such data, or out of memory. */
struct abi_program *abi_program_read(const void *data, size_t size_B);

void abi_program_destroy(struct abi_program *program);

/* NULL when there is none of that name. */
const struct abi_kernel *abi_program_kernel(const struct abi_program *program, const char *name);

#endif
