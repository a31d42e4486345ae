/* The asynchronous copies (cp.async) of a warp that are not complete yet.  A list belongs to the thread that runs the
 * warp. */
#ifndef CULVERT_SOFTCUDA_EXEC_COPY_H
#define CULVERT_SOFTCUDA_EXEC_COPY_H

#include "softcuda/exec/op.h"

struct code;

struct exec_copy {
	const struct op *op;              /* the cp.async instruction */
	const struct code *code;          /* the code that it is part of */
	char *to;
	const char *from;
	uint32_t size_B, read_B;          /* bytes to write; bytes to read, the rest is filled with zeros */
	uint32_t lane;
	uint32_t group;                   /* number of groups that its lane had committed before it */
};

struct exec_copies {
	struct exec_copy *items;
	uint32_t count, capacity;
	uint32_t groups[LANES];           /* by lane: number of groups that it has committed */
};

#endif
