/*
 * The atomic functions of OpenCL 1.x (OpenCL C 3.0, 6.15.12.8) and of the cl_khr_int64 extensions:
 * relaxed, and atomic for the whole device.  They are PTX because libnvvm drops LLVM's orders and
 * scopes.  In global memory they are atomic for the host as well, as those of C11 (atomic.h).
 */
#include "frontend/builtins/builtin.h"

/* where: the scope and the PTX state space; op: the operation with its type; c: the register class. */
#define READ_MODIFY_WRITE(name, op, T, space, where, c) \
	BUILTIN T name(volatile space T *p, T value) \
	{ \
		T old; \
		__asm__ __volatile__("atom.relaxed." where "." op " %0, [%1], %2;" \
				     : "=" c(old) \
				     : "l"(p), c(value) \
				     : "memory"); \
		return old; \
	}
#define SUBTRACT(name, add, T, space) \
	BUILTIN T name(volatile space T *p, T value) \
	{ \
		return add(p, (T)-value); \
	}
#define STEP(name, add, T, space, step) \
	BUILTIN T name(volatile space T *p) \
	{ \
		return add(p, (T)step); \
	}
#define COMPARE(name, T, space, where, bits, c) \
	BUILTIN T name(volatile space T *p, T expected, T desired) \
	{ \
		T old; \
		__asm__ __volatile__("atom.relaxed." where ".cas." bits " %0, [%1], %2, %3;" \
				     : "=" c(old) \
				     : "l"(p), c(expected), c(desired) \
				     : "memory"); \
		return old; \
	}

/* bits: the untyped PTX type; kind: the typed one, for min and max; sum: the one for add. */
#define FAMILY(prefix, T, space, where, bits, kind, sum, c) \
	READ_MODIFY_WRITE(prefix##add, "add." sum, T, space, where, c) \
	SUBTRACT(prefix##sub, prefix##add, T, space) \
	STEP(prefix##inc, prefix##add, T, space, 1) \
	STEP(prefix##dec, prefix##add, T, space, -1) \
	READ_MODIFY_WRITE(prefix##xchg, "exch." bits, T, space, where, c) \
	COMPARE(prefix##cmpxchg, T, space, where, bits, c) \
	READ_MODIFY_WRITE(prefix##min, "min." kind, T, space, where, c) \
	READ_MODIFY_WRITE(prefix##max, "max." kind, T, space, where, c) \
	READ_MODIFY_WRITE(prefix##and, "and." bits, T, space, where, c) \
	READ_MODIFY_WRITE(prefix##or, "or." bits, T, space, where, c) \
	READ_MODIFY_WRITE(prefix##xor, "xor." bits, T, space, where, c)
#define BOTH_SPACES(prefix, T, bits, kind, sum, c) \
	FAMILY(prefix, T, __global, "sys.global", bits, kind, sum, c) \
	FAMILY(prefix, T, __local, "gpu.shared", bits, kind, sum, c)

BOTH_SPACES(atomic_, int, "b32", "s32", "u32", "r")
BOTH_SPACES(atomic_, uint, "b32", "u32", "u32", "r")
BOTH_SPACES(atomic_, long, "b64", "s64", "u64", "l")
BOTH_SPACES(atomic_, ulong, "b64", "u64", "u64", "l")
BOTH_SPACES(atom_, int, "b32", "s32", "u32", "r")
BOTH_SPACES(atom_, uint, "b32", "u32", "u32", "r")
BOTH_SPACES(atom_, long, "b64", "s64", "u64", "l")
BOTH_SPACES(atom_, ulong, "b64", "u64", "u64", "l")

READ_MODIFY_WRITE(atomic_xchg, "exch.b32", float, __global, "sys.global", "f")
READ_MODIFY_WRITE(atomic_xchg, "exch.b32", float, __local, "gpu.shared", "f")
