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
 *     (IMAGE, SAMPLER   reserved)
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
	ABI_ARGUMENT_LOCAL
};

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
	bool may_write;               /* memory behind the pointer; false only when proven */
	bool may_read;
	char *name;                   /* owned; NULL when the program was built without argument info */
	char *type_name;
};

struct abi_kernel {
	char *name;                   /* owned; as in the source */
	char *entry;                  /* owned; in the PTX: name, unless PTX cannot write it */
	char *attributes;             /* as CL_KERNEL_ATTRIBUTES gives them; "" if none */
	struct abi_argument *arguments;
	uint32_t argument_count;
	enum abi_hidden hidden[ABI_HIDDEN_COUNT];
	uint32_t hidden_count;
	uint32_t required_local[3];   /* reqd_work_group_size; 0 where absent */
	uint32_t hint_local[3];       /* work_group_size_hint */
	uint32_t required_sub_group;  /* intel_reqd_sub_group_size; 0 where absent */
	uint32_t dynamic_local_B;     /* the kernel's own variables kept in dynamic local memory */
	bool has_barrier;
	bool uniform_groups;          /* the work-group size must divide the global size */
	bool sees_groups;             /* can tell how its work-items are grouped */
	bool no_offset;               /* its ids are the GPU's own: no global offset is in them */
};

/* What a call of printf hands over for an argument. */
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

/* A format that printf is called with, and with which arguments; or a literal that
 * is an argument.  Its index is what the kernel writes into the printf buffer. */
struct abi_format {
	char *text;                   /* owned, text_size_B bytes and a NUL */
	uint32_t text_size_B;
	struct abi_print_argument *arguments;   /* owned */
	uint32_t argument_count;
	uint32_t record_B;            /* a record's size without its TEXTs */
};

/* The printf buffer begins with these; records of whole ABI_PRINT_UNIT_Bs follow.  A
 * record begins with its format's index and its size. */
struct abi_print_header {
	uint64_t head_B;              /* what all records asked for, whether there was room */
	uint64_t capacity_B;          /* for records */
};
enum { ABI_PRINT_UNIT_B = 8 };

struct abi_program {
	struct abi_kernel *kernels;   /* in the order of the source */
	uint32_t kernel_count;
	struct abi_format *formats;
	uint32_t format_count;
	uint64_t global_variables_B;  /* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE */
};

/* Computes offset_B of the arguments and record_B: one after the other behind the
 * record's first eight bytes, each at the next multiple of 4, or of 8 when it is
 * larger than 4 bytes. */
void abi_format_arrange(struct abi_format *format);

/* Appends a self-describing form (magic, version, little-endian, fixed widths). */
void abi_program_write(const struct abi_program *program, struct bytes *bytes);

/* Reads what abi_program_write wrote: data from a file or an application, never
 * trusted.  NULL when it is not exactly that, or out of memory. */
struct abi_program *abi_program_read(const void *data, size_t size_B);

void abi_program_destroy(struct abi_program *program);

/* NULL when there is none of that name. */
const struct abi_kernel *abi_program_kernel(const struct abi_program *program, const char *name);

#endif
