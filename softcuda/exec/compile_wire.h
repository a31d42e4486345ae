/* The messages between softcuda and the program that compiles its kernels, culvert-softcuda-compile: an order in one
 * direction, the answer in the other (base/message.h).  Both sides are of one build: an order of another build is
 * answered with the reason alone, and only the names of the builds have a fixed format.
 *
 * An order contains what the compiler needs of a decoded kernel.  Handlers are sent by the names of their rows.
 * Neither message contains addresses, so that the answer to an order is of use to every process that sends the same
 * order.
 *
 * Thread-safe. */
#ifndef CULVERT_SOFTCUDA_EXEC_COMPILE_WIRE_H
#define CULVERT_SOFTCUDA_EXEC_COMPILE_WIRE_H

#include "softcuda/exec/compiled.h"

/* Further values of compile_order.rows: for blocks of one dimension, of any length or whole warps. */
enum { COMPILE_LINE = 0, COMPILE_WHOLE_LINE = 2 * LANES };

/* A kernel that is to be compiled for blocks whose first dimension is a multiple of rows, a power of two up to 32.  Of
 * code and program only these fields are set: name, ops, op_count, register_widths, register_B, parameter_size_B and
 * local_B; constants and constant_B. */
struct compile_order {
	uint32_t rows;
	uint32_t level;           /* of the processor (exec/level.h), and one; 0: all that the processor has */
	bool watched;             /* the code tells a watcher of accesses (exec/watch.h) */
	struct code code;
	struct soft_program program;
};

/* Appends the order for a kernel of a program. */
void compile_order_put(const struct soft_program *program, const struct code *code, uint32_t rows,
		       bool watched, struct bytes *message);
/* Reads an order, which refers to the message.  False, with the reason in why, if the message is none of this build, or
 * out of memory.  compile_order_finish frees what the order owns, in any case. */
bool compile_order_get(const struct bytes *message, struct compile_order *order, struct bytes *why);
void compile_order_finish(struct compile_order *order);

/* Appends the answer: a kernel that was compiled, where each entry's run is an offset in the image, and the image, its
 * machine code, which works at any address that is a multiple of 4096; or why it was not compiled. */
void compile_answer_put(const struct compiled *compiled, const struct bytes *image, struct bytes *message);
void compile_refusal_put(const char *why, struct bytes *message);
/* Reads an answer.  *image_out and *image_B_out are the place of the image in the message.  The caller frees the result
 * with compile_answer_free.  NULL, with the reason in why, if the kernel was not compiled, the message is not an answer
 * of this build, or there is no memory.  *sound_out: whether the message is an answer of this build. */
struct compiled *compile_answer_get(const struct bytes *message, const char **image_out, size_t *image_B_out,
				    bool *sound_out, struct bytes *why);
void compile_answer_free(struct compiled *compiled);

#endif
