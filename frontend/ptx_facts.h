/* Launch facts of PTX that somebody else made: what its text says of each .entry.
 *
 * Parameters by their declarations: a value of its size, or an array of bytes; `.ptr .global`,
 * as OpenCL's compilers write it, is a buffer.  A plain u64 is one too if the kernel makes a
 * global address of it (cvta.to.global, or a load, store or atomic of global memory at it) just
 * as it was loaded: what nvcc and Clang write for pointers.  Any other u64 is a value.
 *
 * Thread-safe. */
#ifndef CULVERT_FRONTEND_PTX_FACTS_H
#define CULVERT_FRONTEND_PTX_FACTS_H

#include "frontend/kernel_abi.h"

struct fe_ptx {
	struct abi_program *abi;      /* owned by the caller */
	unsigned sm;                  /* of .target */
	bool only_sm;                 /* sm_90a and the like: for no newer device */
};

/* Whether data is text that begins as PTX does. */
bool fe_is_ptx(const void *data, size_t size_B);
/* NULL, or why there are no facts, fe_ptx_no_memory for that. */
const char *fe_ptx_facts(const char *text, size_t size_B, struct fe_ptx *ptx_out);

extern const char fe_ptx_no_memory[];

#endif
