/*
 * C11 atomics, OpenCL C 3.0, 6.15.12.7: those that move values (init, load, store, exchange,
 * compare_exchange, flags).
 */
#include "frontend/builtins/atomic.h"

/* The primitives work on the unsigned type B of the value's size; c is its register class. */
#define PTX_LOAD(text, where, bits, c) \
	__asm__ __volatile__("ld." text where "." bits " %0, [%1];" \
			     : "=" c(value) \
			     : "l"(p) \
			     : "memory")
#define PTX_STORE(text, where, bits, c) \
	__asm__ __volatile__("st." text where "." bits " [%0], %1;" \
			     : \
			     : "l"(p), c(value) \
			     : "memory")
#define PTX_EXCHANGE(text, where, bits, c) \
	__asm__ __volatile__("atom." text where ".exch." bits " %0, [%1], %2;" \
			     : "=" c(old) \
			     : "l"(p), c(value) \
			     : "memory")
#define PTX_COMPARE(text, where, bits, c) \
	__asm__ __volatile__("atom." text where ".cas." bits " %0, [%1], %2, %3;" \
			     : "=" c(old) \
			     : "l"(p), c(expected), c(desired) \
			     : "memory")

#define PRIMITIVES(space, where, B, bits, c) \
	HELPER B load(volatile space B *p, memory_order order, memory_scope scope) \
	{ \
		B value; \
		order = ordered(order, scope, memory_order_acquire); \
		BY_SCOPE(READ_ORDERS, PTX_LOAD, where, bits, c) \
		return value; \
	} \
	HELPER void store(volatile space B *p, B value, memory_order order, memory_scope scope) \
	{ \
		order = ordered(order, scope, memory_order_relaxed); \
		BY_SCOPE(WRITE_ORDERS, PTX_STORE, where, bits, c) \
	} \
	HELPER B exchange(volatile space B *p, B value, memory_order order, memory_scope scope) \
	{ \
		B old; \
		order = ordered(order, scope, memory_order_acquire); \
		MODIFY_BY_SCOPE(space, PTX_EXCHANGE, where, bits, c) \
		return old; \
	} \
	HELPER B compare(volatile space B *p, B expected, B desired, memory_order order, \
			 memory_scope scope) \
	{ \
		B old; \
		order = ordered(order, scope, memory_order_acquire); \
		MODIFY_BY_SCOPE(space, PTX_COMPARE, where, bits, c) \
		return old; \
	}
FOR_SPACES(PRIMITIVES, uint, "b32", "r")
FOR_SPACES(PRIMITIVES, ulong, "b64", "l")

/* A, the atomic type of T. */
#define MOVES(space, where, A, T, B) \
	BUILTIN void atomic_init(volatile space A *p, T value) \
	{ \
		*(space T *)p = value; \
	} \
	BUILTIN T atomic_load_explicit(volatile space A *p, memory_order order, \
				       memory_scope scope) \
	{ \
		return as_type(T, load((volatile space B *)p, order, scope)); \
	} \
	DEFAULTS_0(T, atomic_load, volatile space A *) \
	BUILTIN void atomic_store_explicit(volatile space A *p, T value, memory_order order, \
					   memory_scope scope) \
	{ \
		store((volatile space B *)p, as_type(B, value), order, scope); \
	} \
	DEFAULTS_1(void, atomic_store, volatile space A *, T) \
	BUILTIN T atomic_exchange_explicit(volatile space A *p, T value, memory_order order, \
					   memory_scope scope) \
	{ \
		return as_type(T, exchange((volatile space B *)p, as_type(B, value), order, \
					   scope)); \
	} \
	DEFAULTS_1(T, atomic_exchange, volatile space A *, T)
FOR_SPACES(MOVES, atomic_int, int, uint)
FOR_SPACES(MOVES, atomic_uint, uint, uint)
FOR_SPACES(MOVES, atomic_float, float, uint)
FOR_SPACES(MOVES, atomic_long, long, ulong)
FOR_SPACES(MOVES, atomic_ulong, ulong, ulong)
FOR_SPACES(MOVES, atomic_double, double, ulong)

/* One PTX order serves success and failure: the least that is as strong as both. */
HELPER memory_order stronger(memory_order success, memory_order failure)
{
	if (failure == memory_order_seq_cst)
		return failure;
	if (failure == memory_order_acquire && success == memory_order_relaxed)
		return failure;
	if (failure == memory_order_acquire && success == memory_order_release)
		return memory_order_acq_rel;
	return success;
}

/* Bits are compared, not values; the weak form never fails without cause. */
#define COMPARES(name, space, A, T, B, other) \
	BUILTIN bool name##_explicit(volatile space A *p, other T *expected, T desired, \
				     memory_order success, memory_order failure, \
				     memory_scope scope) \
	{ \
		B wanted = as_type(B, *expected); \
		B old = compare((volatile space B *)p, wanted, as_type(B, desired), \
				stronger(success, failure), scope); \
		if (old == wanted) \
			return true; \
		*expected = as_type(T, old); \
		return false; \
	} \
	BUILTIN bool name##_explicit(volatile space A *p, other T *expected, T desired, \
				     memory_order success, memory_order failure) \
	{ \
		return name##_explicit(p, expected, desired, success, failure, \
				       memory_scope_device); \
	} \
	BUILTIN bool name(volatile space A *p, other T *expected, T desired) \
	{ \
		return name##_explicit(p, expected, desired, memory_order_seq_cst, \
				       memory_order_seq_cst, memory_scope_device); \
	}
#define COMPARES_ALL(space, where, A, T, B) \
	COMPARES(atomic_compare_exchange_strong, space, A, T, B, __global) \
	COMPARES(atomic_compare_exchange_strong, space, A, T, B, __local) \
	COMPARES(atomic_compare_exchange_strong, space, A, T, B, __private) \
	COMPARES(atomic_compare_exchange_weak, space, A, T, B, __global) \
	COMPARES(atomic_compare_exchange_weak, space, A, T, B, __local) \
	COMPARES(atomic_compare_exchange_weak, space, A, T, B, __private)
FOR_SPACES(COMPARES_ALL, atomic_int, int, uint)
FOR_SPACES(COMPARES_ALL, atomic_uint, uint, uint)
FOR_SPACES(COMPARES_ALL, atomic_float, float, uint)
FOR_SPACES(COMPARES_ALL, atomic_long, long, ulong)
FOR_SPACES(COMPARES_ALL, atomic_ulong, ulong, ulong)
FOR_SPACES(COMPARES_ALL, atomic_double, double, ulong)

#define FLAGS(space, where, A) \
	BUILTIN bool atomic_flag_test_and_set_explicit(volatile space A *p, memory_order order, \
						       memory_scope scope) \
	{ \
		return exchange((volatile space uint *)p, 1u, order, scope) != 0; \
	} \
	DEFAULTS_0(bool, atomic_flag_test_and_set, volatile space A *) \
	BUILTIN void atomic_flag_clear_explicit(volatile space A *p, memory_order order, \
						memory_scope scope) \
	{ \
		store((volatile space uint *)p, 0u, order, scope); \
	} \
	DEFAULTS_0(void, atomic_flag_clear, volatile space A *)
FOR_SPACES(FLAGS, atomic_flag)
