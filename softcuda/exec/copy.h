/* The copies of cp.async whose data have not arrived yet, of one warp.  Owned by the thread that runs the warp. */
#ifndef CULVERT_SOFTCUDA_EXEC_COPY_H
#define CULVERT_SOFTCUDA_EXEC_COPY_H

#include "softcuda/exec/op.h"

struct code;

struct exec_copy {
	const struct op *op;              /* the instruction, */
	const struct code *code;          /* and where it stands */
	char *to;
	const char *from;
	uint32_t size_B, read_B;          /* bytes to write; bytes to read, the rest being zeros */
	uint32_t lane;
	uint32_t group;                   /* how many groups its lane had committed before */
};

struct exec_copies {
	struct exec_copy *items;
	uint32_t count, capacity;
	uint32_t groups[LANES];           /* that a lane has committed */
};

#endif
