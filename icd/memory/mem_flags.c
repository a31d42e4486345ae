#include "config.h"

#include "icd/memory/mem_flags.h"

/* Whether at most one of the group's flags is set: the others exclude each other. */
static bool at_most_one(cl_mem_flags flags, cl_mem_flags group)
{
	flags &= group;
	return !(flags & (flags - 1));
}

static const cl_mem_flags host_access_flags =
	CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointer_flags =
	CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/* OpenCL 3.0 API, 5.2.1, table 12: the defined flags, and those that exclude each other. */
cl_int ocl_mem_flags_check(cl_mem_flags flags)
{
	if (flags & ~(OCL_MEM_ACCESS_FLAGS | host_access_flags | host_pointer_flags |
		      OCL_MEM_IMMUTABLE))
		return CL_INVALID_VALUE;
	if (!at_most_one(flags, OCL_MEM_ACCESS_FLAGS) || !at_most_one(flags, host_access_flags))
		return CL_INVALID_VALUE;
	if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	/* cl_ext_immutable_memory_objects: CL_INVALID_VALUE "if CL_MEM_IMMUTABLE_EXT is set in
	 * flags and CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or CL_MEM_HOST_WRITE_ONLY is set". */
	if (flags & OCL_MEM_IMMUTABLE &&
	    flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

/* cl_ext_immutable_memory_objects: CL_INVALID_VALUE "if CL_MEM_IMMUTABLE_EXT is set in flags and none of the
 * following conditions are met": CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR, another object from which an image is
 * made, an external handle. */
cl_int ocl_mem_flags_check_contents(cl_mem_flags flags, bool has_contents)
{
	const bool given = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
	return flags & OCL_MEM_IMMUTABLE && !given && !has_contents ? CL_INVALID_VALUE
								     : CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.2.1 (clCreateSubBuffer): flags may restrict the parent's access but not extend it; flags about
 * the host pointer are inherited. */
cl_int ocl_mem_flags_inherit(const struct _cl_mem *parent, cl_mem_flags *flags)
{
	const cl_mem_flags stated = *flags & (OCL_MEM_ACCESS_FLAGS | OCL_MEM_IMMUTABLE);
	if (*flags & ~(OCL_MEM_ACCESS_FLAGS | host_access_flags | OCL_MEM_IMMUTABLE))
		return CL_INVALID_VALUE;
	/* A part of an immutable object is immutable, too; cl_ext_immutable_memory_objects: CL_INVALID_VALUE also
	 * for flags that allow writes to it. */
	*flags |= parent->flags & OCL_MEM_IMMUTABLE;
	if (ocl_mem_flags_check(*flags))
		return CL_INVALID_VALUE;
	if (parent->flags & CL_MEM_WRITE_ONLY &&
	    *flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | OCL_MEM_IMMUTABLE))
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
	if (!stated)
		*flags |= parent->flags & OCL_MEM_ACCESS_FLAGS;
	if (!(*flags & host_access_flags))
		*flags |= parent->flags & host_access_flags;
	*flags |= parent->flags & host_pointer_flags;
	return CL_SUCCESS;
}
