/* Inside the road from SPIR-V to OpenCL C (spirv.h): a module that was read, and how it is
 * written.
 *
 * Names in the text: t7 is the type with id 7 (a typedef), v7 the value with id 7 (a variable of
 * the function, a parameter, or a macro for a constant), i7 a constant as an initialiser, g7 a
 * variable of the program, f7 a function, k7 the kernel that it is, m7 what a function's OpVariable 7
 * points to, p7 what a phi 7 will be, a7 a parameter 7 as the kernel has it, l7 what that points to,
 * L7 a label; n7 says of kernel k7's arguments how they were
 * declared.  So most of an instruction can be printed by its ids alone.
 * Vectors of bool are vectors of char, -1 for true.  An array is a struct with an array e.
 *
 * Thread-safety: none; one owner. */
#ifndef CULVERT_FRONTEND_SPIRV_MODULE_H
#define CULVERT_FRONTEND_SPIRV_MODULE_H

#include "base/bytes.h"
#include "frontend/spirv.h"

/* Numbers of the specification. */
#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>

enum { SPIRV_NONE = UINT32_MAX };

/* SPIRV_ONCE: LinkOnceODR, several modules may have it and it is the same in all. */
enum spirv_linkage { SPIRV_INTERNAL, SPIRV_EXPORT, SPIRV_IMPORT, SPIRV_ONCE };

/* What is known of an id. */
struct spirv_id {
	const uint32_t *words;      /* the instruction that makes it; NULL: none does */
	uint16_t op;
	uint16_t count;             /* words of it, the first included */
	uint32_t type;              /* id of its type; 0: it has none */
	const char *name;           /* OpName, or NULL; may hold anything */
	const char *linkage_name;   /* NULL: none */
	enum spirv_linkage linkage;
	uint32_t builtin;           /* SpvBuiltIn, or SPIRV_NONE */
	uint32_t rounding;          /* FPRoundingMode: 0 rte, 1 rtz, 2 rtp, 3 rtn, or SPIRV_NONE */
	uint32_t alignment_B;       /* 0: not said */
	uint32_t alignment_id;      /* of a constant that says it; 0: none */
	uint32_t spec_id;           /* or SPIRV_NONE */
	bool saturated;             /* SaturatedConversion */
	bool is_volatile;
	bool packed;                /* CPacked */
	bool by_value;              /* FuncParamAttr ByVal: a parameter that is pointed to */
	bool no_write;              /* FuncParamAttr NoWrite, NonWritable, Constant */
	bool no_alias;              /* FuncParamAttr NoAlias, Restrict */
	bool is_input;              /* a built-in variable that is not in Input, or a pointer into one */
	bool forward_written;       /* a pointer type whose typedef stands already */
};

struct spirv_module {
	uint32_t *words;            /* owned; in the host's byte order */
	size_t word_count;
	uint32_t bound;             /* ids are below it */
	struct spirv_id *ids;       /* owned; bound of them */
	uint32_t openclstd;         /* id of OpExtInstImport "OpenCL.std"; 0: none */
	unsigned pointer_bits;      /* 32 or 64 */
	bool is_opencl_1;           /* made of OpenCL C before 2.0, or of what is not said */
};

/* How far an instruction got. */
enum spirv_written {
	SPIRV_WRITTEN,
	SPIRV_OTHER,                /* not one of this file's: ask the next */
	SPIRV_FAILED                /* the log says why */
};

/* A kernel. */
struct spirv_entry {
	uint32_t function;          /* id */
	const char *name;           /* among the module's words */
};

struct spirv_writer {
	struct spirv_module *module;
	const struct spirv_entry *entries;
	size_t entry_count;
	struct bytes *out;          /* statements of the function that is written */
	struct bytes *log;
	const struct fe_spirv_constant *constants;
	size_t constant_count;
	uint32_t function;          /* id of the function that is written */
	unsigned temporaries;       /* made so far: their numbers are unique */
	bool in_constant;           /* an expression of OpSpecConstantOp: no function may be called */
};

/* A name of OpenCL C: "uint4", "half". */
struct spirv_text {
	char text[24];
};

/* --- a module (spirv_module.c) --- */
enum fe_status spirv_read(const void *il, size_t size_B, struct spirv_module *module,
			  struct bytes *log);
void spirv_finish(struct spirv_module *module);

/* Whether an instruction makes a pointer to a part: OpAccessChain and its like. */
bool spirv_is_chain(unsigned op);

/* What is known of an id; never NULL: of one out of bounds nothing is. */
const struct spirv_id *spirv_id(const struct spirv_module *module, uint32_t id);

/* The value of an OpConstant of an integer type (also OpConstantNull), or false. */
bool spirv_integer(const struct spirv_writer *writer, uint32_t id, uint64_t *value_out);

/* --- types (spirv_type.c) --- */
enum spirv_class {
	SPIRV_VOID, SPIRV_BOOL, SPIRV_INT, SPIRV_FLOAT, SPIRV_POINTER, SPIRV_STRUCT, SPIRV_ARRAY,
	SPIRV_EVENT,                /* event_t, a named barrier, a reservation: a variable may have it */
	SPIRV_OPAQUE,               /* an image, a sampler, a pipe: no variable may have it */
	SPIRV_UNKNOWN
};

/* A type, of a vector its elements'. */
struct spirv_shape {
	enum spirv_class class;
	unsigned bits;              /* of an integer or real; of a bool 8 */
	unsigned lanes;             /* 1: no vector */
};

struct spirv_shape spirv_shape(const struct spirv_module *module, uint32_t type);
/* Of the type of a value. */
struct spirv_shape spirv_value_shape(const struct spirv_module *module, uint32_t id);
/* Whether it is a bool, an integer or a real that OpenCL C has, or a vector of such. */
bool spirv_is_scalar(struct spirv_shape shape);
/* Of a pointer type: what it points to, and its storage class; 0 when it is none. */
uint32_t spirv_pointee(const struct spirv_module *module, uint32_t type);
uint32_t spirv_storage(const struct spirv_module *module, uint32_t type);

/* "global"; NULL for a storage class that kernels do not have. */
const char *spirv_space(uint32_t storage);

/* "uint4" for {SPIRV_INT, 32, 4}; "bool" for one bool, "char4" for four; "float", "half8". */
struct spirv_text spirv_unsigned_name(struct spirv_shape shape);
/* The same with signed integers: "int4". */
struct spirv_text spirv_signed_name(struct spirv_shape shape);
/* Integers of a shape's width, as vectors' comparisons give them: "int4" for floats too. */
struct spirv_text spirv_mask_name(struct spirv_shape shape);

/* "read_only image2d_t"; false for what OpenCL C has no image for (spirv_image.c). */
bool spirv_image_name(const struct spirv_module *module, uint32_t type, char *name, size_t size_B);

/* Typedefs of all types, in the module's order. */
enum spirv_written spirv_types(struct spirv_writer *writer);

/* --- instructions: each file writes those it knows; words[0] is checked against the module's
 * end, and of count nothing else is: a handler checks how many operands it reads. --- */
enum spirv_written spirv_arithmetic(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count);
enum spirv_written spirv_conversion(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count);
enum spirv_written spirv_memory(struct spirv_writer *writer, const uint32_t *words, unsigned count);
enum spirv_written spirv_composite(struct spirv_writer *writer, const uint32_t *words,
				   unsigned count);
enum spirv_written spirv_atomic(struct spirv_writer *writer, const uint32_t *words, unsigned count);
enum spirv_written spirv_group(struct spirv_writer *writer, const uint32_t *words, unsigned count);
enum spirv_written spirv_image(struct spirv_writer *writer, const uint32_t *words, unsigned count);
enum spirv_written spirv_extended(struct spirv_writer *writer, const uint32_t *words,
				  unsigned count);

/* A constant or variable of the module. */
enum spirv_written spirv_constant(struct spirv_writer *writer, const uint32_t *words,
				  unsigned count);
/* What a variable's declaration says of its alignment; nothing where the module does not. */
void spirv_alignment(struct spirv_writer *writer, const struct spirv_id *id);
/* An instruction of a function that is none of control flow: asks the files above. */
enum spirv_written spirv_instruction(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count);

/* Sets of extended instructions that tell debuggers and tools something, and us nothing. */
bool spirv_is_comment(const struct spirv_writer *writer, const uint32_t *words, unsigned count);

/* What a declaration begins with, "static " where no other module may know the function or variable by
 * its name (LinkageAttributes); and that name as a label behind its declarator, so that it may be a word
 * of OpenCL C too. */
const char *spirv_linkage_words(const struct spirv_writer *writer, uint32_t id);
void spirv_label(struct spirv_writer *writer, uint32_t id);

/* Expression of a SpvBuiltIn as its variable's value: "(ulong3)(get_global_id(0), ...)".
 * NULL when it is not known. */
const char *spirv_builtin_value(uint32_t builtin);

/* --- writing --- */
/* Appends to the statements. */
void spirv_put(struct spirv_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Says what is wrong, naming the instruction; always SPIRV_FAILED. */
enum spirv_written spirv_fail(struct spirv_writer *writer, unsigned op, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A new number for variables that a statement needs besides: x1, x2 ... */
unsigned spirv_temporary(struct spirv_writer *writer);

#endif
