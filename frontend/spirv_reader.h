/* Inside the SPIR-V reader: a module under way to LLVM IR.
 *
 * The reader walks over a module once, in its order: types, constants and variables, then functions.  Each
 * instruction is a row of a table (struct spirv_row) with a function that checks its operands and builds the
 * IR that Clang would write for the same thing in OpenCL C.  Operands are checked before LLVM sees them,
 * whatever the module says: every id that an instruction names has been made, its type is what LLVM's
 * instruction needs, and its definition dominates the place where it is used.
 *
 * How values look in LLVM IR:
 *	integers, reals, vectors     as they are; integers have no sign
 *	bool                         i1; in memory i8, of vectors too
 *	struct, array                a constant, or a pointer to private memory that holds the value
 *	pointer                      of the storage class' address space (Clang's for the target nvptx64)
 *	image, pipe                  ptr addrspace(1);  sampler: ptr addrspace(4);  event, reservation: ptr
 *	named barrier                <2 x i32>: its number, and how many lanes meet there
 *
 * Files: spirv_value.c (ids, errors, memory of aggregates), spirv_type.c, spirv_constant.c (constants and
 * variables of the module), spirv_call.c (the builtin library's functions), the instructions by their kind
 * (spirv_arithmetic.c ...), spirv_flow.c (blocks of a function), spirv_function.c, spirv_kernel.c,
 * spirv_debug.c (source lines), spirv.c (a module from its first word to its last).
 *
 * Thread-safety: none; one owner. */
#ifndef CULVERT_FRONTEND_SPIRV_READER_H
#define CULVERT_FRONTEND_SPIRV_READER_H

#include "frontend/options.h"
#include "frontend/spirv_module.h"
#include "frontend/spirv_names.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdbool.h>

enum { SPIRV_MOST_ALIGN_B = 4096, SPIRV_SHAPES = 256 };
/* Address spaces of the target. */
enum { SPIRV_PRIVATE = 0, SPIRV_GLOBAL = 1, SPIRV_LOCAL = 3, SPIRV_CONSTANT = 4 };

/* --- types ------------------------------------------------------------------------------------- */

enum spirv_class {
	SPIRV_VOID, SPIRV_BOOL, SPIRV_INT, SPIRV_FLOAT, SPIRV_POINTER, SPIRV_STRUCT, SPIRV_ARRAY,
	SPIRV_IMAGE, SPIRV_SAMPLER, SPIRV_SAMPLED_IMAGE, SPIRV_PIPE, SPIRV_EVENT, SPIRV_RESERVATION,
	SPIRV_BARRIER,
	SPIRV_OPAQUE,               /* a struct of which nothing is known: only pointed to */
	SPIRV_FUNCTION
};

struct spirv_type {
	struct spirv_type *next;    /* in the reader's list */
	uint32_t id;
	enum spirv_class class;     /* of a vector its elements' */
	unsigned bits;              /* of an integer or real, of a bool 8; of a vector its elements' */
	unsigned lanes;             /* 1: no vector */
	unsigned depth;             /* of types within types */
	LLVMTypeRef value;          /* of values; NULL of SPIRV_SAMPLED_IMAGE and SPIRV_OPAQUE */
	LLVMTypeRef memory;         /* as it lies in memory; NULL where it cannot */
	LLVMTypeRef shape;          /* of a struct: the same for all that lie in memory alike */
	struct spirv_type *next_shape;
	uint64_t size_B;            /* of memory, as sizeof has it */
	unsigned align_B;
	const struct spirv_type *element;          /* of a vector, an array */
	uint64_t length;                           /* of an array */
	const struct spirv_type **parts;           /* owned; a struct's members, a function's parameters */
	unsigned part_count;
	const struct spirv_type *returned;         /* of a function */
	uint32_t storage, pointee;                 /* of a pointer: storage class, id of a type */
	struct spirv_instruction made;             /* the instruction itself: an image's kind */
};

/* --- the reader ---------------------------------------------------------------------------------- */

struct spirv_reader;
struct spirv_input;
struct spirv_line_table;
struct spirv_function;
struct spirv_indexed_row;

/* A place in the source; line 0: not known. */
struct spirv_line {
	uint32_t file;              /* id of an OpString */
	uint32_t line, column;
};

/* An instruction under way. */
struct spirv_op {
	const uint32_t *words;      /* count of them, the opcode's first */
	unsigned op, count;
	unsigned detail;            /* of its row */
	const struct spirv_type *type;     /* of its result; NULL: it has none */
	uint32_t result;            /* id; 0: none */
};

struct spirv_row {
	uint16_t op;
	uint8_t least, most;        /* words; most 0: any number */
	uint16_t detail;            /* what build makes of it */
	bool (*build)(struct spirv_reader *reader, const struct spirv_op *op);
};

/* Sizes of a work-group: numbers, or ids of constants. */
struct spirv_size {
	uint32_t size[3];
	bool is_given, by_id;
};

/* A kernel, and what OpExecutionMode asks for. */
struct spirv_entry {
	uint32_t function;          /* id */
	const char *name;           /* among the module's words */
	struct spirv_size local_size, local_size_hint;
	uint32_t sub_group_size;    /* 0: any */
	uint32_t vector_hint;       /* VecTypeHint's operand */
	bool has_vector_hint;
};

/* A function's blocks under way, numbered from 1 on (spirv_flow.c). */
struct spirv_body {
	LLVMValueRef function;
	LLVMBasicBlockRef entry;    /* variables, and what else comes first; leads to the first block */
	LLVMValueRef last_variable; /* the last alloca in entry, or NULL */
	uint32_t block;             /* that is built */
	/* By block: when a walk over the tree of dominators enters and leaves it. */
	const uint32_t *enter, *leave;
	struct spirv_input *inputs; /* built-in variables with an address (spirv_input.c) */
};

struct spirv_reader {
	struct spirv_module *module;
	struct bytes *log;
	LLVMContextRef context;
	LLVMModuleRef llvm;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	const struct codegen_choice *codegen;
	unsigned fast_math;         /* LLVMFastMathFlags that the options allow every instruction */
	bool contracts;             /* no entry point has ContractionOff */

	/* By id: a struct spirv_type or an LLVMValueRef; NULL: not made yet, or not to be seen now. */
	void **made;
	/* By id: the number of the block that makes it, from 1 on in each function; 0: the module. */
	uint32_t *homes;
	bool *written;              /* by id; NULL until it is asked for (spirv_constant.c) */
	struct spirv_type *types;   /* all of them */
	struct spirv_type *shapes[SPIRV_SHAPES];   /* structs, one of each shape, by a hash of it */
	struct spirv_indexed_row *rows;    /* by opcode */

	struct spirv_entry *entries;
	size_t entry_count;
	struct spirv_function *functions;
	size_t function_count;

	struct spirv_instruction now;      /* under way, for messages */
	/* spirv_build, for OpSpecConstantOp, which holds an instruction. */
	bool (*build)(struct spirv_reader *reader, struct spirv_instruction instruction);
	struct spirv_body *body;    /* the function that is built; NULL: none */
	size_t globals_end;         /* the first function's place among the words */
	unsigned ahead;             /* definitions under way before their turn (spirv_value.c) */
	unsigned expression_depth;  /* of constants (OpSpecConstantOp); 0: none is built */
	uint32_t function;          /* its id */
	struct spirv_line line;     /* of the instruction under way */
	struct spirv_line_table *lines;    /* NULL: none are wanted */
	bool no_memory;
};

/* --- errors, ids and values (spirv_value.c) -------------------------------------------------------- */

/* Says what is wrong with the instruction under way, and with which function; always false. */
bool spirv_fail(struct spirv_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool spirv_no_memory(struct spirv_reader *reader);

/* A type by its id; NULL, with a message, where the id is none. */
const struct spirv_type *spirv_type(struct spirv_reader *reader, uint32_t id);
/* Of a pointer type what it points to; NULL with a message. */
const struct spirv_type *spirv_pointee(struct spirv_reader *reader, const struct spirv_type *pointer);

/* A value that may be used where the builder stands; NULL with a message. */
LLVMValueRef spirv_value(struct spirv_reader *reader, uint32_t id);
/* The type that a value's instruction gives it; NULL with a message. */
const struct spirv_type *spirv_type_of(struct spirv_reader *reader, uint32_t id);
/* A value of a certain LLVM type; NULL with a message. */
LLVMValueRef spirv_value_of(struct spirv_reader *reader, uint32_t id, LLVMTypeRef type);
/* A value of a type as the module has it, aggregates too; NULL with a message. */
LLVMValueRef spirv_value_as(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type);
/* A pointer of any address space; NULL with a message. */
LLVMValueRef spirv_pointer(struct spirv_reader *reader, uint32_t id);

/* The result of the instruction under way.  False, with a message, where its type is another one. */
bool spirv_define(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef value);

/* The alignment of an id's variable or parameter: its decoration, and natural_B at least. */
bool spirv_alignment(struct spirv_reader *reader, uint32_t id, unsigned natural_B, unsigned *align_B_out);

/* What a constant operand says, or other where only the kernel knows. */
uint32_t spirv_operand(const struct spirv_reader *reader, uint32_t id, uint32_t other);

bool spirv_is_number(const struct spirv_type *type);
bool spirv_is_aggregate(const struct spirv_type *type);
LLVMTypeRef spirv_int(const struct spirv_reader *reader, unsigned bits);
LLVMTypeRef spirv_ptr(const struct spirv_reader *reader, unsigned space);
LLVMTypeRef spirv_vector(LLVMTypeRef element, unsigned lanes);
LLVMValueRef spirv_number(const struct spirv_reader *reader, unsigned bits, uint64_t value);
/* A constant with one value in all lanes of an integer type. */
LLVMValueRef spirv_splat(LLVMTypeRef type, uint64_t value);

/* Fast-math flags for an instruction on reals: what the options allow, and the decorations of id. */
LLVMValueRef spirv_fast(struct spirv_reader *reader, uint32_t id, LLVMValueRef value);

/* A new block behind the one where the builder stands. */
LLVMBasicBlockRef spirv_block_behind(struct spirv_reader *reader);
/* Private memory of the function that is built. */
LLVMValueRef spirv_alloca(struct spirv_reader *reader, LLVMTypeRef type, unsigned align_B);
/* The builder at the end of what a function does first, for values that all of it sees; and back. */
LLVMBasicBlockRef spirv_at_entry(struct spirv_reader *reader);
void spirv_back(struct spirv_reader *reader, LLVMBasicBlockRef block);

/* A value of a type from memory, and to memory: bools change, aggregates are copied.  align_B 0: the type's
 * own. */
LLVMValueRef spirv_load(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef pointer,
			unsigned align_B, bool is_volatile);
bool spirv_store(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
		 LLVMValueRef pointer, unsigned align_B, bool is_volatile);
/* Copies bytes; size: i64. */
void spirv_copy(struct spirv_reader *reader, LLVMValueRef to, unsigned to_align_B, LLVMValueRef from,
		unsigned from_align_B, LLVMValueRef size, bool is_volatile);
/* Where an aggregate's value lies. */
LLVMValueRef spirv_memory_of(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value);
/* The same in private memory, also of a constant. */
LLVMValueRef spirv_private(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value);
/* A bool or vector of them as it lies in memory, and back; of other types the value itself. */
LLVMValueRef spirv_to_memory(struct spirv_reader *reader, const struct spirv_type *type,
			     LLVMValueRef value);
LLVMValueRef spirv_from_memory(struct spirv_reader *reader, const struct spirv_type *type,
			       LLVMValueRef value);

/* --- names (spirv_symbol.c) ---------------------------------------------------------------------------- */

/* Gives a function or variable of the module the symbol by which other programs know it (symbol.h), or, where
 * it is not linked, its own name if that is free.  False: no memory. */
bool spirv_name_value(struct spirv_reader *reader, LLVMValueRef value, uint32_t id);

/* --- types (spirv_type.c) ---------------------------------------------------------------------------- */

extern const struct spirv_row spirv_type_rows[];
/* The address space of a storage class; false: kernels have none such. */
bool spirv_space(uint32_t storage, unsigned *space_out);
/* Makes a pointer's type ahead of its turn: structs may name it before (OpTypeForwardPointer). */
const struct spirv_type *spirv_make_pointer(struct spirv_reader *reader, uint32_t id);
void spirv_types_finish(struct spirv_reader *reader);

/* --- instructions by their kind: tables that end in a row without build (spirv_instruction.c) ---------------------------- */

extern const struct spirv_row spirv_arithmetic_rows[], spirv_atomic_rows[], spirv_bit_rows[],
	spirv_composite_rows[], spirv_constant_rows[], spirv_conversion_rows[], spirv_extended_rows[],
	spirv_group_rows[], spirv_image_rows[], spirv_memory_rows[],
	spirv_pipe_rows[];

/* Finds the instruction's row, checks its length and its result's type, and builds it. */
bool spirv_build(struct spirv_reader *reader, struct spirv_instruction instruction);

/* Builds the instruction that an OpSpecConstantOp of 5 words or more holds (spirv_value.c). */
bool spirv_operation_build(struct spirv_reader *reader, struct spirv_instruction operation);
/* The index of all rows, before anything is built and after. */
bool spirv_rows_make(struct spirv_reader *reader);
void spirv_rows_finish(struct spirv_reader *reader);

#endif
