/* Protects: the flags of memory objects against OpenCL 3.0 API, 5.2.1, table 12, and cl_ext_immutable_memory_objects:
 * all sets of flags, and all parents of all sub-buffers, by the pairs that exclude each other.
 *
 * Seen to fail with each of these mistakes in mem_flags.c: a pair is left out or added; a sub-buffer may widen its
 * parent's access, or states what is about the host's pointer; what it leaves out is not the parent's. */
#include "config.h"

#include "icd/memory/mem_flags.h"

#include "tests/unit/test.h"

static const cl_mem_flags all[] = {
	CL_MEM_READ_WRITE,     CL_MEM_WRITE_ONLY,    CL_MEM_READ_ONLY,	     CL_MEM_USE_HOST_PTR,
	CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY,
	CL_MEM_HOST_NO_ACCESS, OCL_MEM_IMMUTABLE,
};
enum { FLAGS = sizeof(all) / sizeof(all[0]), SETS = 1 << FLAGS };

struct pair {
	cl_mem_flags a, b;
};

/* "CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY are mutually exclusive" and so on. */
static const struct pair exclusive[] = {
	{CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY},
	{CL_MEM_READ_WRITE, CL_MEM_READ_ONLY},
	{CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
	{CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR},
	{CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR},
	{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
	{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS},
	{CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS},
	{OCL_MEM_IMMUTABLE, CL_MEM_READ_WRITE},
	{OCL_MEM_IMMUTABLE, CL_MEM_WRITE_ONLY},
	{OCL_MEM_IMMUTABLE, CL_MEM_HOST_WRITE_ONLY},
};

/* Of a parent and a part of it: clCreateSubBuffer's CL_INVALID_VALUE. */
static const struct pair widening[] = {
	{CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
	{CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
	{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
	{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
	{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
	{CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
	{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
	{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
	/* An immutable object is read. */
	{CL_MEM_WRITE_ONLY, OCL_MEM_IMMUTABLE},
	/* Its parts are immutable. */
	{OCL_MEM_IMMUTABLE, CL_MEM_READ_WRITE},
	{OCL_MEM_IMMUTABLE, CL_MEM_WRITE_ONLY},
	{OCL_MEM_IMMUTABLE, CL_MEM_HOST_WRITE_ONLY},
};
static const cl_mem_flags of_access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags of_pointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
				       CL_MEM_COPY_HOST_PTR;
static const cl_mem_flags of_host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
				    CL_MEM_HOST_NO_ACCESS;

static cl_mem_flags set_of(unsigned bits)
{
	cl_mem_flags flags = 0;
	for (unsigned i = 0; i < FLAGS; i++)
		if (bits >> i & 1)
			flags |= all[i];
	return flags;
}

static bool has_pair(const struct pair *pairs, size_t count, cl_mem_flags first,
		     cl_mem_flags second)
{
	for (size_t i = 0; i < count; i++)
		if (first & pairs[i].a && second & pairs[i].b)
			return true;
	return false;
}
#define HAS_PAIR(pairs, first, second)                                                             \
	has_pair(pairs, sizeof(pairs) / sizeof(pairs[0]), first, second)

static void every_set(void)
{
	for (unsigned bits = 0; bits < SETS; bits++) {
		const cl_mem_flags flags = set_of(bits);
		const bool good = !HAS_PAIR(exclusive, flags, flags);
		CHECK_EQ(ocl_mem_flags_check(flags), good ? CL_SUCCESS : CL_INVALID_VALUE);
		CHECK_EQ(ocl_mem_flags_check(flags | (cl_mem_flags)1 << 40), CL_INVALID_VALUE);
		/* "none of the following": a pointer of the host's, or another source. */
		const bool lacks = flags & OCL_MEM_IMMUTABLE &&
				   !(flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR));
		CHECK_EQ(ocl_mem_flags_check_contents(flags, false),
			 lacks ? CL_INVALID_VALUE : CL_SUCCESS);
		CHECK_EQ(ocl_mem_flags_check_contents(flags, true), CL_SUCCESS);
	}
}

/* What a part's flags are in the end: what it says, and the parent's where it says nothing of a kind. */
static cl_mem_flags inherited(cl_mem_flags parent, cl_mem_flags part)
{
	cl_mem_flags whole = part | (parent & OCL_MEM_IMMUTABLE) | (parent & of_pointer);
	if (!(part & (of_access | OCL_MEM_IMMUTABLE)))
		whole |= parent & of_access;
	if (!(part & of_host))
		whole |= parent & of_host;
	return whole;
}

static void every_part(void)
{
	for (unsigned parent_bits = 0; parent_bits < SETS; parent_bits++) {
		struct _cl_mem parent = {.flags = set_of(parent_bits)};
		if (HAS_PAIR(exclusive, parent.flags, parent.flags))
			continue;
		for (unsigned bits = 0; bits < SETS; bits++) {
			cl_mem_flags flags = set_of(bits);
			const cl_mem_flags stated = flags;
			const bool good = !(stated & of_pointer) &&
					  !HAS_PAIR(exclusive, stated, stated) &&
					  !HAS_PAIR(widening, parent.flags, stated);
			CHECK_EQ(ocl_mem_flags_inherit(&parent, &flags),
				 good ? CL_SUCCESS : CL_INVALID_VALUE);
			if (good)
				CHECK_EQ(flags, inherited(parent.flags, stated));
		}
	}
}

TEST_MAIN(TEST(every_set), TEST(every_part))
