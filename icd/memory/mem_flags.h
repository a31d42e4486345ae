/* The flags of memory objects (OpenCL 3.0 API, 5.2.1, table 12).
 *
 * Thread-safe: they only read. */
#ifndef CULVERT_ICD_MEM_FLAGS_H
#define CULVERT_ICD_MEM_FLAGS_H

#include "icd/memory/mem.h"

#define OCL_MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)

/* CL_INVALID_VALUE for unknown flags and for those that exclude each other. */
cl_int ocl_mem_flags_check(cl_mem_flags flags);

/* CL_INVALID_VALUE for an immutable object whose contents come from nowhere: not from memory of
 * the host's, and has_contents tells that neither from another place. */
cl_int ocl_mem_flags_check_contents(cl_mem_flags flags, bool has_contents);

/* What flags without an access are taken for. */
static inline cl_mem_flags ocl_mem_flags_whole(cl_mem_flags flags)
{
	return flags & (OCL_MEM_ACCESS_FLAGS | OCL_MEM_IMMUTABLE) ? flags
								    : flags | CL_MEM_READ_WRITE;
}

/* For an object made of parent: its flags may narrow the parent's access, never widen
 * it; what they leave out, and all about the host pointer, is the parent's.
 * CL_INVALID_VALUE. */
cl_int ocl_mem_flags_inherit(const struct _cl_mem *parent, cl_mem_flags *flags);

#endif
