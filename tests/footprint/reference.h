/* An OpenCL platform for tests alone, "Reference": it runs kernels as the source says, one work-item
 * after the other, and writes which bytes each of them reads and writes.
 *
 * Clang (the program) compiles without optimisation, for another target than Culvert does, into
 * LLVM IR, PoCL's library of builtins is linked in, each access of the IR gets a call that notes it,
 * and LLVM makes code of it for the processor.  Nothing of Culvert's is in it.
 *
 * REFERENCE_FOOTPRINT names the file that the notes are appended to, in the form of softcuda's
 * (docs/softcuda.md), with two letters more: R and W are bytes that may be read or written and need
 * not be, for they are padding.  REFERENCE_LLVM is the folder of clang and llvm-link,
 * REFERENCE_LIBRARY PoCL's library as bitcode.
 *
 * Not thread-safe: for programs with one thread. */
#ifndef CULVERT_TESTS_FOOTPRINT_REFERENCE_H
#define CULVERT_TESTS_FOOTPRINT_REFERENCE_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_B = 128, VARIABLES_MAX = 1024, KERNELS_MAX = 64, ARGUMENTS_MAX = 64 };

/* A variable of the program: local memory, or global with the program's life. */
struct reference_variable {
	char name[NAME_MAX_B];
	size_t size_B;
	char *start;
	bool local;
};

enum reference_kind { REFERENCE_VALUE, REFERENCE_GLOBAL, REFERENCE_LOCAL };

struct reference_kernel {
	char name[NAME_MAX_B];
	unsigned argument_count;
	enum reference_kind kinds[ARGUMENTS_MAX];
	size_t aligns_B[ARGUMENTS_MAX];   /* of what local arguments point at */
	size_t required[3];               /* size of a work-group; 0: none */
	void (*run)(void *const *arguments); /* by pointers to their bytes */
};

struct reference_program {
	struct reference_variable variables[VARIABLES_MAX];
	unsigned variable_count;
	struct reference_kernel kernels[KERNELS_MAX];
	unsigned kernel_count;
	bool copies;                      /* it has async_work_group_copy: which work-item copies
					     what is open */
	struct bytes log;
	void *jit;
};

/* False, and says why in the log: it is not to be had here. */
bool reference_build(struct reference_program *program, const char *source, const char *options);
void reference_unload(struct reference_program *program);

/* A module in memory that is still to be linked: reference_names.c and reference_note.c. */
struct LLVMOpaqueModule;
/* Calls of builtins become those of the library's, or of functions below.  False: one is unknown. */
bool reference_name_builtins(struct LLVMOpaqueModule *module, struct LLVMOpaqueModule *library,
			     struct bytes *log);
/* Each access gets a call that notes it. */
void reference_note_accesses(struct LLVMOpaqueModule *module);

/* What noted code calls; by name in the module. */
void reference_note_access(const void *address, uint64_t size_B, uint32_t kind);
/* The other functions that work-items call, with what is theirs; ends with a NULL name. */
struct reference_symbol {
	const char *name;
	void *address;
};
extern const struct reference_symbol reference_symbols[];

struct reference_launch {
	const struct reference_program *program;
	const struct reference_kernel *kernel;
	unsigned dimensions;
	size_t global[3], local[3], offset[3];
	/* A buffer's start for what is global, NULL for none; a value's bytes; for what is local its
	 * size alone. */
	void *values[ARGUMENTS_MAX];
	size_t sizes_B[ARGUMENTS_MAX];
};

bool reference_run(const struct reference_launch *launch);

/* The kinds of notes, in the order of the letters "rwRW". */
enum { NOTE_READ, NOTE_WRITE, NOTE_MAY_READ, NOTE_MAY_WRITE };
void reference_marks_begin(const struct reference_launch *launch, char *local_arguments,
			   size_t local_B);
void reference_marks_end(void);
bool reference_is_local(const void *address);
/* Of a work-item of a group, by number. */
void reference_mark(uint64_t group, uint32_t item, const void *address, uint64_t size_B,
		    uint32_t kind);

#endif
