#include "config.h"

#include "icd/mem_flags.h"

/* At most one of them: several bits of one group contradict each other. */
static bool at_most_one(cl_mem_flags flags, cl_mem_flags group)
{
	flags &= group;
	return !(flags & (flags - 1));
}

static const cl_mem_flags host_access_flags =
	CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointer_flags =
	CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/* OpenCL 3.0 API, 5.2.1, table 12: which flags there are and which exclude each other. */
cl_int ocl_mem_flags_check(cl_mem_flags flags)
{
	if (flags & ~(OCL_MEM_ACCESS_FLAGS | host_access_flags | host_pointer_flags))
		return CL_INVALID_VALUE;
	if (!at_most_one(flags, OCL_MEM_ACCESS_FLAGS) || !at_most_one(flags, host_access_flags))
		return CL_INVALID_VALUE;
	if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.2.1 (clCreateSubBuffer): flags may narrow the parent's access,
 * never widen it, and those about the host pointer are inherited. */
cl_int ocl_mem_flags_inherit(const struct _cl_mem *parent, cl_mem_flags *flags)
{
	if (*flags & ~(OCL_MEM_ACCESS_FLAGS | host_access_flags) || ocl_mem_flags_check(*flags))
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_WRITE_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_READ_ONLY && *flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_HOST_WRITE_ONLY && *flags & CL_MEM_HOST_READ_ONLY)
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_HOST_READ_ONLY && *flags & CL_MEM_HOST_WRITE_ONLY)
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_HOST_NO_ACCESS &&
	    *flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))
		return CL_INVALID_VALUE;
	if (!(*flags & OCL_MEM_ACCESS_FLAGS))
		*flags |= parent->flags & OCL_MEM_ACCESS_FLAGS;
	if (!(*flags & host_access_flags))
		*flags |= parent->flags & host_access_flags;
	*flags |= parent->flags & host_pointer_flags;
	return CL_SUCCESS;
}
