/* Types of a SPIR-V module as LLVM's types.
 *
 * Values of a type look like this in LLVM IR:
 *	integers, floats, vectors    as in SPIR-V; integers have no sign
 *	bfloat16                     i16, its bits
 *	bool                         i1; in memory i8, also in vectors
 *	struct, array                a constant, or a pointer to private memory that holds the value
 *	pointer                      a pointer of the storage class' address space (Clang's for the target nvptx64)
 *	image, pipe                  ptr addrspace(1);  sampler: ptr addrspace(4);  event, reservation: ptr
 *	cooperative matrix           a vector of the elements that a work-item has (matrix.h)
 *	named barrier                <2 x i32>: its number, and the number of work-items that wait there
 *
 * Source: SPIR-V 1.6, 3.49.6.  Thread-safety: as the reader. */
#ifndef CULVERT_FRONTEND_SPIRV_TYPE_H
#define CULVERT_FRONTEND_SPIRV_TYPE_H

#include "frontend/spirv/reader.h"

/* Address spaces of the target. */
enum { SPIRV_PRIVATE = 0, SPIRV_GLOBAL = 1, SPIRV_LOCAL = 3, SPIRV_CONSTANT = 4 };

enum spirv_class {
	SPIRV_VOID, SPIRV_BOOL, SPIRV_INT, SPIRV_FLOAT,
	SPIRV_BFLOAT,               /* bfloat16 (SPV_KHR_bfloat16): moved and converted, but not computed with */
	SPIRV_POINTER, SPIRV_STRUCT, SPIRV_ARRAY,
	SPIRV_IMAGE, SPIRV_SAMPLER, SPIRV_SAMPLED_IMAGE, SPIRV_PIPE, SPIRV_EVENT, SPIRV_RESERVATION,
	SPIRV_BARRIER,
	SPIRV_OPAQUE,               /* a struct without known members, to which there are only pointers */
	SPIRV_FUNCTION
};

struct spirv_type {
	struct spirv_type *next;    /* in the reader's list of all types */
	uint32_t id;
	enum spirv_class class;     /* of a vector: the class of its elements */
	unsigned bits;              /* width of a number, 8 for a bool; of a vector: the width of its elements */
	unsigned lanes;             /* number of elements of a vector or matrix; 1: the type is neither */
	unsigned depth;             /* of types nested in each other, this one included */
	LLVMTypeRef value;          /* of values; NULL for SPIRV_SAMPLED_IMAGE and SPIRV_OPAQUE */
	LLVMTypeRef memory;         /* of values in memory; NULL if they cannot be in memory */
	LLVMTypeRef shape;          /* of a struct: equal for all structs with the same layout */
	struct spirv_type *next_shape;
	uint64_t size_B;            /* in memory, as sizeof gives it */
	unsigned align_B;
	const struct spirv_type *element;          /* of a vector or an array */
	uint64_t length;                           /* of an array */
	const struct spirv_type **parts;           /* owned; a struct's members or a function's parameters */
	unsigned part_count;
	const struct spirv_type *returned;         /* of a function */
	uint32_t rows, columns, use;               /* of a cooperative matrix; rows 0: the type is none */
	bool holds_matrix;                         /* it is a matrix, or has one as a part */
	uint32_t storage, pointee;                 /* of a pointer: its storage class, the id of a type */
	struct spirv_instruction made;             /* the instruction, which has the kind of an image or pipe */
};

/* Whether two types are matrices of the same use and dimensions, or are no matrices. */
static inline bool spirv_matrix_is_alike(const struct spirv_type *a, const struct spirv_type *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->use == b->use;
}

/* The address space of a storage class; false if kernels have no such storage class. */
bool spirv_space(uint32_t storage, unsigned *space_out);
/* Makes a pointer type that a struct names before its definition (OpTypeForwardPointer).  NULL with a message. */
const struct spirv_type *spirv_make_pointer(struct spirv_reader *reader, uint32_t id);
/* Makes the record of a type, which is the value of its id.  NULL: no memory. */
struct spirv_type *spirv_type_new(struct spirv_reader *reader, uint32_t id, enum spirv_class class);
/* Sets the LLVM types of a type, and its size and alignment in memory.  memory: NULL if values cannot be in memory.
 * Always returns true. */
bool spirv_type_set_layout(struct spirv_reader *reader, struct spirv_type *type, LLVMTypeRef value,
			   LLVMTypeRef memory);
/* Frees all types of a reader. */
void spirv_types_finish(struct spirv_reader *reader);

#endif
