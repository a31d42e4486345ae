/* Twin kernels, their arguments, and the two sides that run them.
 *
 * A side copies what it is given; out holds every OUT buffer one after the other.
 * Both say on stderr what failed. */
#ifndef CULVERT_TESTS_CODEGEN_TWINS_H
#define CULVERT_TESTS_CODEGEN_TWINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TWIN_ARGUMENTS = 8 };

enum element { U8, F16, U32, F32, F64 };

enum argument_kind { ARGUMENT_END, ARGUMENT_IN, ARGUMENT_INDEX, ARGUMENT_STEPS, ARGUMENT_OUT,
		     ARGUMENT_INT, ARGUMENT_ULONG, ARGUMENT_FLOAT, ARGUMENT_DOUBLE };

struct argument {
	enum argument_kind kind;
	enum element element;
	double value;                  /* of a value; below, or step */
	size_t count;                  /* elements of a buffer */
	size_t size_B;                 /* filled in, as what follows: of the buffer or the value */
	void *data;                    /* a buffer's content at first; owned */
	union { int32_t i; uint64_t u; float f; double d; } bits;
};

struct twin {
	const char *name;
	size_t global[2], local[2];
	struct argument arguments[TWIN_ARGUMENTS + 1];
};

/* Work given to a side: the kernel with its buffers, ready to run. */
struct side {
	bool (*open)(void);
	bool (*prepare)(const struct twin *twin, const char *code_folder);
	/* Runs it count times, one after the other, and waits. */
	bool (*run)(unsigned count);
	/* Sets the OUT buffers to what they were at first. */
	bool (*reset)(const struct twin *twin);
	bool (*fetch)(const struct twin *twin, unsigned argument, void *to);
	void (*release)(void);
};
extern const struct side side_opencl, side_cuda;

static inline bool argument_is_buffer(const struct argument *argument)
{
	return argument->kind >= ARGUMENT_IN && argument->kind <= ARGUMENT_OUT;
}

/* The whole file with a NUL behind it; NULL, and a line on stderr. */
char *read_whole(const char *folder, const char *name, const char *ending, size_t *size_B_out);

#endif
