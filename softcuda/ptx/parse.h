/* The state of one parse, shared by the parser and the decoders.
 *
 * The parser reads declarations and statements and hands each instruction to
 * ptx_decode at once; there is no tree.  Registers are virtual numbers until
 * the end of a function, when ptx_registers_place gives them room in the frame.
 *
 * Errors: a function that fails has called ptx_fail, which notes the first
 * error with its line in the log, and returns false (or an operand/NULL as
 * said).  Not thread-safe: one parse, one thread. */
#ifndef CULVERT_SOFTCUDA_PTX_PARSE_H
#define CULVERT_SOFTCUDA_PTX_PARSE_H

#include "base/bytes.h"
#include "softcuda/exec/arena.h"
#include "softcuda/exec/program.h"
#include "softcuda/ptx/lex.h"
#include "softcuda/ptx/ptx.h"

enum ptx_symbol_kind {
	SYMBOL_REGISTER,
	SYMBOL_VECTOR,    /* .reg .v2, .v4: count registers from index on */
	SYMBOL_VARIABLE,  /* .global or .const: index in variables */
	SYMBOL_SHARED,    /* index in shared */
	SYMBOL_LOCAL,     /* offset in the frame's local memory; .func parameters too */
	SYMBOL_PARAM,     /* offset in the launch's parameters */
	SYMBOL_FUNCTION,  /* index in codes */
	SYMBOL_LABEL,     /* index: pc */
	SYMBOL_TABLE,     /* index in tables: .branchtargets */
	SYMBOL_PROTOTYPE  /* .callprototype, .calltargets: indirect calls check themselves */
};

struct ptx_symbol {
	enum ptx_symbol_kind kind;
	const char *name;
	uint32_t name_size;
	uint32_t depth;               /* of its scope; 0 = module */
	struct ptx_symbol *next;      /* in its bucket */
	struct ptx_symbol *older;     /* declared before it */
	uint32_t index;
	uint64_t offset_B;
	uint64_t size_B;
	uint32_t count;               /* %r<count>: the registers of a family; 0: one register */
	char width;                   /* of a register: p h w l q */
};

enum ptx_operand_kind {
	PTX_REGISTER, PTX_INTEGER, PTX_FLOAT, PTX_SYMBOL, PTX_SPECIAL, PTX_VECTOR, PTX_NAME,
	PTX_SINK
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool address;                 /* in [ ] */
	bool negated;                 /* !p */
	bool minus;                   /* -r: of vmad */
	const char *part;             /* r.b0, r.h10: "b0"; NULL without */
	char width;                   /* PTX_REGISTER */
	bool single;                  /* PTX_FLOAT: a float's bits, else a double's */
	uint32_t index;               /* PTX_REGISTER: virtual number */
	uint64_t value;               /* PTX_INTEGER, PTX_FLOAT */
	int64_t offset;               /* symbol + offset, [base + offset] */
	const struct ptx_symbol *symbol;
	const char *text;             /* PTX_SPECIAL, PTX_NAME: terminated */
	struct ptx_operand *elements; /* PTX_VECTOR */
	uint32_t count;
	struct ptx_operand *pair;     /* p|q: q; [object, coordinates]: these */
};

enum { PTX_OPERANDS = 8, PTX_POOL = 512, PTX_MNEMONIC = 96 };

struct ptx_instruction {
	char mnemonic[PTX_MNEMONIC];
	uint32_t line;
	uint32_t guard;               /* virtual register or OPERAND_NONE */
	bool guard_negated;
	struct ptx_operand operands[PTX_OPERANDS];
	uint32_t count;
	struct ptx_operand pool[PTX_POOL];  /* elements of vectors, arguments, pairs */
	uint32_t pool_count;
};

/* A parameter or result of the function in a register. */
struct ptx_formal {
	uint32_t index;               /* the register's */
	char width;
	bool result;
	uint64_t offset_B;            /* where it is in the frame's local memory */
};

struct ptx_fixup {
	const char *label;
	uint32_t label_size;
	uint32_t depth;
	uint32_t op;                  /* whose target it is, or OPERAND_NONE */
	uint32_t table, slot;
	uint32_t line;
};

enum { PTX_BUCKETS = 4096 };

struct ptx_parser {
	struct ptx_lexer lexer;
	struct arena *arena;
	struct soft_program *program;
	struct bytes *log;
	bool gaps;                    /* are left between variables, for a checker */
	enum ptx_flat flat;           /* which calls become part of kernels */
	unsigned newest_version, version; /* the newest PTX that is read, and the text's: 10 * major + minor */
	CUresult error;
	struct ptx_symbol *buckets[PTX_BUCKETS];
	struct ptx_symbol *newest;
	uint32_t depth;
	/* The module's lists, of the structs in exec/program.h. */
	struct bytes codes, variables, shared, relocations, launch_constants, constants, files;
	uint32_t *constant_hash;      /* slots: offset + 1; a power of two of them */
	uint32_t constant_slots, constant_count;
	uint32_t launch_constant_B;
	/* The function's. */
	uint32_t code;                /* index in codes */
	struct bytes ops;             /* struct op */
	struct bytes places;          /* struct source_place, one per op */
	struct bytes locals;          /* struct local_variable */
	struct source_place place;    /* of the latest .loc */
	struct bytes widths;          /* char per virtual register */
	struct bytes formals;         /* struct ptx_formal */
	struct bytes fixups, sites, tables, shared_used;
	uint64_t local_B;
	uint32_t local_gap_B;         /* of these: the checker's gaps */
	uint32_t local_align_B;
	struct bytes unneeded;        /* uint32_t: ops that load what a pragma says is not used */
	uint32_t used_bytes;          /* of the next load, by bit, as a pragma says; 0: all */
	const char *variable_name;    /* of the next note, as a pragma says */
	struct ptx_instruction instruction;
};

bool ptx_fail(struct ptx_parser *parser, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool ptx_fail_memory(struct ptx_parser *parser);

struct ptx_symbol *ptx_symbol_declare(struct ptx_parser *parser, enum ptx_symbol_kind kind,
				      const char *name, uint32_t name_size);
struct ptx_symbol *ptx_symbol_find(struct ptx_parser *parser, const char *name,
				   uint32_t name_size);
/* A register by its name, of a family too; false when there is none. */
bool ptx_symbol_register(struct ptx_parser *parser, const char *name, uint32_t name_size,
			 uint32_t *index_out, char *width_out);
void ptx_scope_open(struct ptx_parser *parser);
void ptx_scope_close(struct ptx_parser *parser);

static inline struct code *ptx_code(struct ptx_parser *parser, uint32_t index)
{
	return (struct code *)(void *)parser->codes.data + index;
}

static inline uint32_t ptx_op_count(const struct ptx_parser *parser)
{
	return (uint32_t)(parser->ops.size_B / sizeof(struct op));
}

/* A body { ... } of the function parser->code. */
bool ptx_body(struct ptx_parser *parser);
/* Declarations; the current token is the directive. */
bool ptx_variable(struct ptx_parser *parser, enum ptx_space space, bool external);
bool ptx_type_size(struct ptx_parser *parser, const char *type, uint32_t size,
		   uint32_t *size_B_out);
bool ptx_integer(struct ptx_parser *parser, int64_t *value_out);
bool ptx_expect(struct ptx_parser *parser, char punctuation);
/* The letter of a register's width, as in exec/op.h. */
char ptx_register_width(uint32_t size_B);
/* The rest of the line, whatever it holds. */
void ptx_skip_line(struct ptx_parser *parser);
/* .file and .loc, which end with their line. */
void ptx_file(struct ptx_parser *parser);
void ptx_place(struct ptx_parser *parser);
/* Room in the current function's local memory; the offset. */
bool ptx_local(struct ptx_parser *parser, uint64_t size_B, uint32_t align_B,
	       uint64_t *offset_out);
/* Who takes a parameter list. */
enum ptx_list { LIST_ENTRY, LIST_FUNCTION, LIST_RESULTS };
/* A parameter list in ( ), of the current function. */
bool ptx_parameters(struct ptx_parser *parser, enum ptx_list kind,
		    struct soft_parameter **list_out, uint32_t *count_out, uint32_t *size_B_out);

#endif
