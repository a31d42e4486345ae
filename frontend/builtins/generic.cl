/*
 * Generic pointers: OpenCL C 3.0, 6.15.13.
 *
 * PTX has one generic address space with windows for local and private memory; everything else is
 * global.  Clang calls to_global and its kin by names of their own, whatever the pointee is.
 */
#include "frontend/builtins/builtin.h"

/* A generic pointer has __private's type and mangled name here. */
typedef const __private void *generic_pointer;

#define IS_IN(space) \
	HELPER bool is_in_##space(generic_pointer pointer) \
	{ \
		int inside; \
		__asm__("{\n\t" \
			".reg .pred inside;\n\t" \
			"isspacep." #space " inside, %1;\n\t" \
			"selp.b32 %0, 1, 0, inside;\n\t" \
			"}" \
			: "=r"(inside) \
			: "l"(pointer)); \
		return inside; \
	}
IS_IN(shared)
IS_IN(local)

#define CONVERTED(R, pointer) ((R)(ulong)(pointer))

__attribute__((always_inline)) __global void *__to_global(__private void *pointer)
{
	return !is_in_shared(pointer) && !is_in_local(pointer) ? CONVERTED(__global void *, pointer)
							       : (__global void *)0;
}

__attribute__((always_inline)) __local void *__to_local(__private void *pointer)
{
	ulong address;
	if (!is_in_shared(pointer))
		return (__local void *)0;
	__asm__("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(pointer));
	return (__local void *)address;
}

__attribute__((always_inline)) __private void *__to_private(__private void *pointer)
{
	return is_in_local(pointer) ? pointer : (__private void *)0;
}

/* Of private memory there is nothing to fence. */
#define GET_FENCE(T) \
	PURE cl_mem_fence_flags get_fence(T pointer) \
	{ \
		return is_in_shared(pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE; \
	}
GET_FENCE(const __private void *)
GET_FENCE(__private void *)
