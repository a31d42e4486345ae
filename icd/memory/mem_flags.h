/* The flags of memory objects (OpenCL 3.0 API, 5.2.1, table 12).
 *
 * Thread-safe: pure functions. */
#ifndef CULVERT_ICD_MEM_FLAGS_H
#define CULVERT_ICD_MEM_FLAGS_H

#include "icd/memory/mem.h"

#define OCL_MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)

/* CL_INVALID_VALUE for unknown flags and for those that exclude each other. */
cl_int ocl_mem_flags_check(cl_mem_flags flags);

/* CL_INVALID_VALUE for an immutable object without contents.  has_contents: they come from something other than host
 * memory, such as an imported handle. */
cl_int ocl_mem_flags_check_contents(cl_mem_flags flags, bool has_contents);

/* The flags with the default access, if they have none. */
static inline cl_mem_flags ocl_mem_flags_whole(cl_mem_flags flags)
{
	return flags & (OCL_MEM_ACCESS_FLAGS | OCL_MEM_IMMUTABLE) ? flags
								    : flags | CL_MEM_READ_WRITE;
}

/* For an object made of parent: checks that its flags do not allow more access than the parent's, and adds the parent's
 * flags for what they leave out and about host pointers.  CL_INVALID_VALUE. */
cl_int ocl_mem_flags_inherit(const struct _cl_mem *parent, cl_mem_flags *flags);

#endif
