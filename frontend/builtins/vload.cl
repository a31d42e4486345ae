/* vload and vstore, OpenCL C 3.0, 6.15.7: vectors in memory that is aligned to the element only. */
#include "frontend/builtins/builtin.h"

/* Vectors without more alignment than their element's. */
#define LOOSE_TYPES(T) \
	typedef T loose_##T##2 __attribute__((ext_vector_type(2), aligned(sizeof(T)))); \
	typedef T loose_##T##4 __attribute__((ext_vector_type(4), aligned(sizeof(T)))); \
	typedef T loose_##T##8 __attribute__((ext_vector_type(8), aligned(sizeof(T)))); \
	typedef T loose_##T##16 __attribute__((ext_vector_type(16), aligned(sizeof(T))));

#define LOAD(n, T, space) \
	PURE_LOAD T##n vload##n(size_t offset, const space T *p) \
	{ \
		return *(const space loose_##T##n *)(p + offset * n); \
	}
#define STORE(n, T, space) \
	BUILTIN void vstore##n(T##n data, size_t offset, space T *p) \
	{ \
		*(space loose_##T##n *)(p + offset * n) = data; \
	}
#define PURE_LOAD __attribute__((overloadable, always_inline, pure))

/* A three-element vector type is as large as one of four: each element goes alone. */
#define LOADS(T, space) \
	LOAD(2, T, space) \
	LOAD(4, T, space) \
	LOAD(8, T, space) \
	LOAD(16, T, space) \
	PURE_LOAD T##3 vload3(size_t offset, const space T *p) \
	{ \
		p += offset * 3; \
		return (T##3)(p[0], p[1], p[2]); \
	}
#define STORES(T, space) \
	STORE(2, T, space) \
	STORE(4, T, space) \
	STORE(8, T, space) \
	STORE(16, T, space) \
	BUILTIN void vstore3(T##3 data, size_t offset, space T *p) \
	{ \
		p += offset * 3; \
		p[0] = data.x; \
		p[1] = data.y; \
		p[2] = data.z; \
	}
#define ALL(T) \
	LOOSE_TYPES(T) \
	LOADS(T, __private) \
	LOADS(T, __global) \
	LOADS(T, __local) \
	LOADS(T, __constant) \
	STORES(T, __private) \
	STORES(T, __global) \
	STORES(T, __local)
ALL(char)
ALL(uchar)
ALL(short)
ALL(ushort)
ALL(int)
ALL(uint)
ALL(long)
ALL(ulong)
ALL(half)
ALL(float)
ALL(double)
