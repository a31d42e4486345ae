/* The launch facts of PTX from another compiler, from the declarations of each .entry.
 *
 * A parameter is a value of its size, or an array of bytes; with `.ptr .global`, as OpenCL compilers write it, it is
 * a buffer.  A plain u64 is a buffer, too, if the kernel uses it unchanged as a global address (by cvta.to.global,
 * or by a load, store or atomic of global memory): that is what nvcc and Clang write for pointers.  Any other u64 is
 * a value.
 *
 * Thread-safe. */
#ifndef CULVERT_FRONTEND_PTX_FACTS_H
#define CULVERT_FRONTEND_PTX_FACTS_H

#include "frontend/kernel_abi.h"

struct fe_ptx {
	struct abi_program *abi;      /* owned by the caller */
	unsigned sm;                  /* of .target */
	bool only_sm;                 /* sm_90a and similar targets: not for newer devices */
};

/* Whether data is text that begins as PTX does. */
bool fe_is_ptx(const void *data, size_t size_B);
/* Returns NULL, or why there are no facts; fe_ptx_no_memory: out of memory. */
const char *fe_ptx_facts(const char *text, size_t size_B, struct fe_ptx *ptx_out);

extern const char fe_ptx_no_memory[];

#endif
