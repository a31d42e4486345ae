/* C11 atomics, OpenCL C 3.0, 6.15.12.7.5: fetch and modify. */
#include "frontend/builtins/atomic.h"

/* op is the PTX operation with its type, c the register class. */
#define PTX_FETCH(text, where, op, c) \
	__asm__ __volatile__("atom." text where "." op " %0, [%1], %2;" \
			     : "=" c(old) \
			     : "l"(p), c(value) \
			     : "memory")
#define FETCH(name, space, where, A, T, op, c) \
	BUILTIN T name##_explicit(volatile space A *p, T value, memory_order order, \
				  memory_scope scope) \
	{ \
		T old; \
		order = ordered(order, scope, memory_order_acquire); \
		MODIFY_BY_SCOPE(space, PTX_FETCH, where, op, c) \
		return old; \
	} \
	DEFAULTS_1(T, name, volatile space A *, T)
#define FETCH_ALL(space, where, A, T, bits, kind, sum, c) \
	FETCH(atomic_fetch_add, space, where, A, T, "add." sum, c) \
	BUILTIN T atomic_fetch_sub_explicit(volatile space A *p, T value, memory_order order, \
					    memory_scope scope) \
	{ \
		return atomic_fetch_add_explicit(p, (T)-value, order, scope); \
	} \
	DEFAULTS_1(T, atomic_fetch_sub, volatile space A *, T) \
	FETCH(atomic_fetch_or, space, where, A, T, "or." bits, c) \
	FETCH(atomic_fetch_xor, space, where, A, T, "xor." bits, c) \
	FETCH(atomic_fetch_and, space, where, A, T, "and." bits, c) \
	FETCH(atomic_fetch_min, space, where, A, T, "min." kind, c) \
	FETCH(atomic_fetch_max, space, where, A, T, "max." kind, c)
FOR_SPACES(FETCH_ALL, atomic_int, int, "b32", "s32", "u32", "r")
FOR_SPACES(FETCH_ALL, atomic_uint, uint, "b32", "u32", "u32", "r")
FOR_SPACES(FETCH_ALL, atomic_long, long, "b64", "s64", "u64", "l")
FOR_SPACES(FETCH_ALL, atomic_ulong, ulong, "b64", "u64", "u64", "l")

/* uintptr_t is moved by ptrdiff_t. */
#define POINTER_STEPS(space, where, A) \
	BUILTIN ulong atomic_fetch_add_explicit(volatile space A *p, long value, \
						memory_order order, memory_scope scope) \
	{ \
		return atomic_fetch_add_explicit(p, (ulong)value, order, scope); \
	} \
	DEFAULTS_1(ulong, atomic_fetch_add, volatile space A *, long) \
	BUILTIN ulong atomic_fetch_sub_explicit(volatile space A *p, long value, \
						memory_order order, memory_scope scope) \
	{ \
		return atomic_fetch_sub_explicit(p, (ulong)value, order, scope); \
	} \
	DEFAULTS_1(ulong, atomic_fetch_sub, volatile space A *, long)
FOR_SPACES(POINTER_STEPS, atomic_ulong)
