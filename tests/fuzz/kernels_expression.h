/* Types, variables and expressions of random kernels (kernels_make.h). */
#ifndef CULVERT_TESTS_FUZZ_KERNELS_EXPRESSION_H
#define CULVERT_TESTS_FUZZ_KERNELS_EXPRESSION_H

#include "tests/fuzz/kernels_make.h"

enum element { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, ELEMENTS };

struct type {
	enum element element;
	unsigned width;                  /* 1: a scalar */
};

/* What has a type and can be assigned: before, for an array an index up to mask, after. */
struct variable {
	struct type type;
	char before[24], after[24];
	unsigned mask;                   /* 0: no index */
	bool reads_only;
};

enum { VARIABLES_MAX = 96, FUNCTIONS_MAX = 3, PARAMETERS_MAX = 4, FIELDS_MAX = 5 };

/* A function that an expression may call. */
struct function {
	struct type result, parameters[PARAMETERS_MAX];
	unsigned count;
};

struct maker {
	struct fuzz fuzz;
	struct kernels_source *source;
	struct bytes *text;              /* what is being written: a function, the kernel */
	struct variable variables[VARIABLES_MAX];
	unsigned count;                  /* of those in scope */
	unsigned names;                  /* given so far */
	struct function functions[FUNCTIONS_MAX];
	unsigned function_count;
	struct type fields[FIELDS_MAX];  /* of struct s */
	unsigned field_count;
	struct type many, last;          /* of struct t */
	struct type pointed;             /* what change_at points at */
	struct bytes helpers;            /* types and functions of statements, before the kernel */
	struct bytes locals;             /* declarations at the head of the kernel */
	unsigned locals_B;
	unsigned shared_B;               /* used of what all work-items share */
	unsigned depth;                  /* of statements in statements */
	unsigned rounds;                 /* product of the rounds of the loops around */
	unsigned loops;                  /* around, not uniform ones */
	bool uniform;                    /* all work-items of the group come here */
	bool in_kernel;
};

static inline unsigned pick(struct maker *maker, unsigned below)
{
	return fuzz_number(&maker->fuzz, below);
}

/* --- pieces: begin, write, end --- */
struct piece {
	unsigned number;
	size_t start_B;
};

struct piece piece_begin(struct maker *maker);
/* Whether it stays; if not, its text is gone. */
bool piece_end(struct maker *maker, struct piece piece);

/* --- types --- */
unsigned element_size_B(enum element element);
const char *element_name(enum element element);
/* "uint4"; valid until sixteen more were asked for. */
const char *type_name(struct type type);
unsigned type_size_B(struct type type);
bool element_is_real(enum element element);
struct type type_any(struct maker *maker);
struct type type_scalar(struct maker *maker);

/* Appends an expression of just this type. */
void expression(struct maker *maker, struct type type, unsigned depth);
/* Appends a variable's name, with an index if it is an array. */
void variable_write(struct maker *maker, const struct variable *variable, unsigned depth);
/* A variable in scope of this type; NULL: there is none. */
const struct variable *variable_of(struct maker *maker, struct type type, bool writable);
/* The one with the format's name comes into scope. */
struct variable *variable_add(struct maker *maker, struct type type, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
