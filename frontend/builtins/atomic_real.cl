/*
 * Atomics of floating-point numbers, cl_ext_float_atomics: add and sub, min and max, and what moves
 * an atomic_half.
 */
#include "frontend/builtins/atomic.h"
#include "frontend/builtins/sub_group.h"

/* -- add and sub: instructions ----------------------------------------------------------------- */

#define PTX_ADD(text, where, op, c, from) \
	__asm__ __volatile__("atom." text where "." op " %0, [%1], %2;" \
			     : "=" c(old) \
			     : "l"(p), c(from) \
			     : "memory")
#define ADD_AND_SUB(space, where, A, T, B, op, c) \
	BUILTIN T atomic_fetch_add_explicit(volatile space A *p, T value, memory_order order, \
					    memory_scope scope) \
	{ \
		B old, bits = as_type(B, value); \
		order = ordered(order, scope, memory_order_acquire); \
		MODIFY_BY_SCOPE(space, PTX_ADD, where, op, c, bits) \
		return as_type(T, old); \
	} \
	SUB(space, A, T)
#define SUB(space, A, T) \
	DEFAULTS_1(T, atomic_fetch_add, volatile space A *, T) \
	BUILTIN T atomic_fetch_sub_explicit(volatile space A *p, T value, memory_order order, \
					    memory_scope scope) \
	{ \
		return atomic_fetch_add_explicit(p, -value, order, scope); \
	} \
	DEFAULTS_1(T, atomic_fetch_sub, volatile space A *, T)
ADD_AND_SUB(__local, ".shared", atomic_float, float, float, "add.f32", "f")
FOR_SPACES(ADD_AND_SUB, atomic_double, double, double, "add.f64", "d")
FOR_SPACES(ADD_AND_SUB, atomic_half, half, ushort, "add.noftz.f16", "h")

/* -- what is made of compare and exchange ------------------------------------------------------ */

#define PTX_COMPARE(text, where, bits, c) \
	__asm__ __volatile__("atom." text where ".cas." bits " %0, [%1], %2, %3;" \
			     : "=" c(seen) \
			     : "l"(p), c(expected), c(desired) \
			     : "memory")
/* B: unsigned, of the number's size; the widest scope is right for a first guess at the value. */
#define PRIMITIVES(space, where, B, bits, c) \
	HELPER B guess(volatile space B *p) \
	{ \
		B value; \
		__asm__ __volatile__("ld.relaxed.sys" where "." bits " %0, [%1];" \
				     : "=" c(value) \
				     : "l"(p) \
				     : "memory"); \
		return value; \
	} \
	HELPER B compare(volatile space B *p, B expected, B desired, memory_order order, \
			 memory_scope scope) \
	{ \
		B seen; \
		MODIFY_BY_SCOPE(space, PTX_COMPARE, where, bits, c) \
		return seen; \
	}
FOR_SPACES(PRIMITIVES, ushort, "b16", "h")
FOR_SPACES(PRIMITIVES, uint, "b32", "r")
FOR_SPACES(PRIMITIVES, ulong, "b64", "l")

/* Of a number and a NaN the number, as the extension wants it. */
HELPER float least(float x, float y)
{
	return __nvvm_fmin_f(x, y);
}

HELPER float greatest(float x, float y)
{
	return __nvvm_fmax_f(x, y);
}

HELPER double least(double x, double y)
{
	return __nvvm_fmin_d(x, y);
}

HELPER double greatest(double x, double y)
{
	return __nvvm_fmax_d(x, y);
}

HELPER half least(half x, half y)
{
	return (half)__nvvm_fmin_f((float)x, (float)y);
}

HELPER half greatest(half x, half y)
{
	return (half)__nvvm_fmax_f((float)x, (float)y);
}

/* The object becomes choice(old value, value). */
#define REPLACE(name, space, A, T, B, choice) \
	REPLACE_AS(BUILTIN, name##_explicit, space, A, T, B, choice) \
	DEFAULTS_1(T, name, volatile space A *, T)
#define REPLACE_AS(kind, name, space, A, T, B, choice) \
	kind T name(volatile space A *p, T value, memory_order order, memory_scope scope) \
	{ \
		volatile space B *object = (volatile space B *)p; \
		B old = guess(object), seen; \
		order = ordered(order, scope, memory_order_acquire); \
		for (;;) { \
			T wanted = choice(as_type(T, old), value); \
			seen = compare(object, old, as_type(B, wanted), order, scope); \
			if (seen == old) \
				return as_type(T, old); \
			old = seen; \
		} \
	}
/*
 * In global memory the instruction takes subnormal floats for zero.  That makes no difference where
 * the operand's magnitude is 2^-100 or more: a subnormal number is less than half its last place,
 * and a difference that is not zero is normal.  The rest, zeros too, goes the longer way.
 */
HELPER float sum(float x, float y)
{
	return x + y;
}

#define ADD_FLOAT(space, where) \
	BUILTIN float atomic_fetch_add_explicit(volatile space atomic_float *p, float value, \
						memory_order order, memory_scope scope) \
	{ \
		float old; \
		if (as_type(uint, value) << 1 < as_type(uint, 0x1p-100f) << 1) \
			return add_small(p, value, order, scope); \
		order = ordered(order, scope, memory_order_acquire); \
		MODIFY_BY_SCOPE(space, PTX_ADD, where, "add.f32", "f", value) \
		return old; \
	} \
	SUB(space, atomic_float, float)
REPLACE_AS(HELPER, add_small, __global, atomic_float, float, uint, sum)
REPLACE_AS(HELPER, add_small, __private, atomic_float, float, uint, sum)
ADD_FLOAT(__global, ".global")
ADD_FLOAT(__private, "")

#define MIN_AND_MAX(space, where, A, T, B) \
	REPLACE(atomic_fetch_min, space, A, T, B, least) \
	REPLACE(atomic_fetch_max, space, A, T, B, greatest)
FOR_SPACES(MIN_AND_MAX, atomic_half, half, ushort)
FOR_SPACES(MIN_AND_MAX, atomic_float, float, uint)
FOR_SPACES(MIN_AND_MAX, atomic_double, double, ulong)

/* -- moving an atomic_half --------------------------------------------------------------------- */

/* An object, with how it is wanted in the bits that no address has. */
HELPER ulong wish(ulong address, memory_order order, memory_scope scope)
{
	return address ^ (ulong)((uint)order << 3 | (uint)scope) << 58;
}

/* The lanes here that gave the same value. */
TOGETHER uint lanes_with(ulong value)
{
	uint lanes;
	__asm__ __volatile__("match.any.sync.b64 %0, %1, %2;"
			     : "=r"(lanes)
			     : "l"(value), "r"(active_lanes()));
	return lanes;
}

/* Orders what these lanes did before with what they do after. */
TOGETHER void meet(uint lanes)
{
	__asm__ __volatile__("bar.warp.sync %0;" : : "r"(lanes) : "memory");
}

/*
 * No instruction exchanges 16 bits, and of all that compare and exchange at one address one wins at
 * a time.  So the lanes of a warp that want the same object take their turns among themselves: each
 * gets what the one before it stores, the first what was in memory, where the last one's value
 * goes.  Meeting before and after makes one lane's order every lane's; so lanes that name another
 * order or scope, which need not be constants, are by themselves.
 */
#define EXCHANGE(space, A, T) \
	HELPER ushort exchange(volatile space ushort *p, ushort value, memory_order order, \
			       memory_scope scope) \
	{ \
		ushort old = guess(p), seen; \
		while ((seen = compare(p, old, value, order, scope)) != old) \
			old = seen; \
		return old; \
	} \
	BUILTIN __attribute__((convergent)) T atomic_exchange_explicit( \
		volatile space A *p, T number, memory_order order, memory_scope scope) \
	{ \
		ushort value = as_type(ushort, number), old, stored; \
		uint lanes, below; \
		order = ordered(order, scope, memory_order_acquire); \
		lanes = lanes_with(wish((ulong)p, order, scope)); \
		below = lanes & lanes_below(); \
		old = move_idx(value, below ? last_lane(below) : lane(), lanes); \
		stored = move_idx(value, last_lane(lanes), lanes); \
		meet(lanes); \
		if (!below) \
			old = exchange((volatile space ushort *)p, stored, order, scope); \
		meet(lanes); \
		return as_type(T, old); \
	} \
	DEFAULTS_1(T, atomic_exchange, volatile space A *, T)

#define PTX_LOAD(text, where) \
	__asm__ __volatile__("ld." text where ".b16 %0, [%1];" : "=h"(value) : "l"(p) : "memory")
#define PTX_STORE(text, where) \
	__asm__ __volatile__("st." text where ".b16 [%0], %1;" : : "l"(p), "h"(value) : "memory")
#define HALF_MOVES(space, where, A, T) \
	EXCHANGE(space, A, T) \
	BUILTIN T atomic_load_explicit(volatile space A *p, memory_order order, \
				       memory_scope scope) \
	{ \
		ushort value; \
		order = ordered(order, scope, memory_order_acquire); \
		BY_SCOPE(READ_ORDERS, PTX_LOAD, where) \
		return as_type(T, value); \
	} \
	DEFAULTS_0(T, atomic_load, volatile space A *) \
	BUILTIN void atomic_store_explicit(volatile space A *p, T number, memory_order order, \
					   memory_scope scope) \
	{ \
		ushort value = as_type(ushort, number); \
		order = ordered(order, scope, memory_order_relaxed); \
		BY_SCOPE(WRITE_ORDERS, PTX_STORE, where) \
	} \
	DEFAULTS_1(void, atomic_store, volatile space A *, T)
FOR_SPACES(HALF_MOVES, atomic_half, half)

/* Clang's own table, up to 19 at least, declares the value that is stored as atomic_half: the same
 * functions by the names that this gives them. */
#define STORE_NAMES(space, pointer) \
	__attribute__((overloadable)) void store_half(volatile space atomic_half *p, half x, \
						      memory_order order, memory_scope scope) \
		__asm__("_Z21atomic_store_explicit" pointer "S_12memory_order12memory_scope"); \
	BUILTIN void store_half(volatile space atomic_half *p, half x, memory_order order, \
				memory_scope scope) \
	{ \
		atomic_store_explicit(p, x, order, scope); \
	} \
	__attribute__((overloadable)) void store_half(volatile space atomic_half *p, half x, \
						      memory_order order) \
		__asm__("_Z21atomic_store_explicit" pointer "S_12memory_order"); \
	BUILTIN void store_half(volatile space atomic_half *p, half x, memory_order order) \
	{ \
		atomic_store_explicit(p, x, order); \
	} \
	__attribute__((overloadable)) void store_half(volatile space atomic_half *p, half x) \
		__asm__("_Z12atomic_store" pointer "S_"); \
	BUILTIN void store_half(volatile space atomic_half *p, half x) \
	{ \
		atomic_store(p, x); \
	}
STORE_NAMES(__global, "PU3AS1VU7_AtomicDh")
STORE_NAMES(__local, "PU3AS3VU7_AtomicDh")
STORE_NAMES(__private, "PVU7_AtomicDh")
