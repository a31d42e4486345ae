/* The state of a SPIR-V module's translation to LLVM IR, and the tables of instructions.
 *
 * The reader walks over a module once, in the module's order: types, constants and variables, then functions.  Each
 * opcode has a row in a table (struct spirv_row) with a function that checks the instruction's operands and builds
 * the IR that Clang would build for the same operation in OpenCL C.  All operands are checked before LLVM sees them:
 * each id has a definition that dominates the place where it is used, and has the type that LLVM's instruction needs.
 *
 * Thread-safety: none; a reader has one owner. */
#ifndef CULVERT_FRONTEND_SPIRV_READER_H
#define CULVERT_FRONTEND_SPIRV_READER_H

#include "frontend/options.h"
#include "frontend/spirv/module.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdbool.h>

enum { SPIRV_MOST_ALIGN_B = 4096, SPIRV_SHAPES = 256 };

struct spirv_reader;
struct spirv_type;
struct spirv_entry;
struct spirv_function;
struct spirv_input;
struct spirv_line_table;
struct spirv_indexed_row;

/* A place in the source program. */
struct spirv_line {
	uint32_t file;              /* id of an OpString */
	uint32_t line, column;      /* line 0: the place is not known */
};

/* The instruction that is being built. */
struct spirv_op {
	const uint32_t *words;      /* the first is the one with the opcode */
	unsigned op, count;         /* opcode, number of words */
	unsigned detail;            /* from its row */
	const struct spirv_type *type;     /* of its result; NULL: it has no result type */
	uint32_t result;            /* its result id; 0: none */
};

struct spirv_row {
	uint16_t op;
	uint8_t least, most;        /* number of words; most 0: there is no limit */
	uint16_t detail;            /* for build: tells instructions apart that are built by one function */
	bool (*build)(struct spirv_reader *reader, const struct spirv_op *op);
};

/* The function that is being built.  Its blocks are numbered from 1 on (flow.h). */
struct spirv_body {
	LLVMValueRef function;
	LLVMBasicBlockRef entry;    /* has the variables and what precedes the first block of the module */
	LLVMValueRef last_variable; /* the last alloca in entry, or NULL */
	uint32_t block;             /* number of the block that is being built */
	/* By block: when a walk over the tree of dominators enters and leaves the block. */
	const uint32_t *enter, *leave;
	struct spirv_input *inputs; /* built-in variables whose addresses are used (global.h) */
};

struct spirv_reader {
	struct spirv_module *module;
	struct bytes *log;
	LLVMContextRef context;
	LLVMModuleRef llvm;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	const struct codegen_choice *codegen;
	unsigned fast_math;         /* LLVMFastMathFlags that the build options allow for all instructions */
	bool contracts;             /* no entry point has the mode ContractionOff */
	unsigned toward_zero;       /* sum of the widths of floating-point numbers that RoundingModeRTZ names */

	/* By id: a struct spirv_type or an LLVMValueRef; NULL: not made yet, or not visible at this place. */
	void **made;
	/* By id: the number of the block that defines it, from 1 on in each function; 0: it is defined outside of
	 * functions.  Of a function: its number in functions, from 1 on. */
	uint32_t *homes;
	bool *written;              /* by id: variables that are written (global.c); NULL until it is needed */
	struct spirv_type *types;   /* list of all types */
	struct spirv_type *shapes[SPIRV_SHAPES];   /* structs, one for each layout, by a hash of it */
	struct spirv_indexed_row *rows;    /* by opcode */

	struct spirv_entry *entries;
	size_t entry_count;
	struct spirv_function *functions;
	size_t function_count;

	struct spirv_instruction now;      /* the instruction being built, for messages */
	/* builds any instruction (reader.c), for constants that are defined later and for blocks. */
	bool (*build)(struct spirv_reader *reader, struct spirv_instruction instruction);
	/* Whether an id may be an operand of the instruction that is being built; NULL: the module has no types of
	 * cooperative matrices, to which this applies (matrix.c).  False with a message. */
	bool (*may_stand)(struct spirv_reader *reader, uint32_t id);
	struct spirv_body *body;    /* the function that is being built; NULL: none */
	size_t globals_end;         /* index of the word where the first function begins */
	unsigned ahead;             /* depth of definitions that are built before their turn (value.c) */
	unsigned expression_depth;  /* depth of nested OpSpecConstantOp; 0: none is being built */
	uint32_t function;          /* id of the function that is being built */
	struct spirv_line line;     /* of the instruction being built */
	struct spirv_line_table *lines;    /* NULL: line tables are not wanted */
	bool no_memory;             /* an allocation failed: the build ends with FE_NO_MEMORY */
};

/* The instructions, by the files that build them.  Each table ends with a row without build. */
extern const struct spirv_row spirv_arithmetic_rows[], spirv_call_rows[], spirv_composite_rows[], spirv_global_rows[],
	spirv_group_rows[], spirv_matrix_rows[], spirv_matrix_memory_rows[], spirv_matrix_type_rows[],
	spirv_memory_rows[], spirv_object_rows[], spirv_opencl_std_rows[], spirv_type_rows[];

#endif
