/*
 * shuffle and shuffle2, OpenCL C 3.0, 6.15.13.
 *
 * Only the element's size matters: the work is done on unsigned elements and the other types are
 * views of them.  With a literal mask libnvvm turns everything into moves.
 */
#include "frontend/builtins/builtin.h"

#define ONE_OF(x, i, n) (x)[(i) & (n - 1)]

/* Two results out of n elements are the base; wider results are made of halves. */
#define GATHER(U, n) \
	PURE U##2 shuffle(U##n x, U##2 mask) \
	{ \
		return (U##2)(ONE_OF(x, mask.x, n), ONE_OF(x, mask.y, n)); \
	} \
	WIDER(U, n, 4) WIDER(U, n, 8) WIDER(U, n, 16)
#define WIDER(U, n, m) \
	PURE U##m shuffle(U##n x, U##m mask) \
	{ \
		return (U##m)(shuffle(x, mask.lo), shuffle(x, mask.hi)); \
	}

/* The second vector's elements follow the first's. */
#define GATHER_2(U, n) \
	HELPER U one_of(U##n x, U##n y, U i) \
	{ \
		return i & n ? ONE_OF(y, i, n) : ONE_OF(x, i, n); \
	} \
	PURE U##2 shuffle2(U##n x, U##n y, U##2 mask) \
	{ \
		return (U##2)(one_of(x, y, mask.x), one_of(x, y, mask.y)); \
	} \
	WIDER_2(U, n, 4) WIDER_2(U, n, 8) WIDER_2(U, n, 16)
#define WIDER_2(U, n, m) \
	PURE U##m shuffle2(U##n x, U##n y, U##m mask) \
	{ \
		return (U##m)(shuffle2(x, y, mask.lo), shuffle2(x, y, mask.hi)); \
	}

#define FOR_SIZES(M, ...) \
	M(__VA_ARGS__, 2) M(__VA_ARGS__, 4) M(__VA_ARGS__, 8) M(__VA_ARGS__, 16)
FOR_SIZES(GATHER, uchar)
FOR_SIZES(GATHER, ushort)
FOR_SIZES(GATHER, uint)
FOR_SIZES(GATHER, ulong)
FOR_SIZES(GATHER_2, uchar)
FOR_SIZES(GATHER_2, ushort)
FOR_SIZES(GATHER_2, uint)
FOR_SIZES(GATHER_2, ulong)

#define VIEW(T, U, n, m) \
	PURE T##m shuffle(T##n x, U##m mask) \
	{ \
		return as_type(T##m, shuffle(as_type(U##n, x), mask)); \
	} \
	PURE T##m shuffle2(T##n x, T##n y, U##m mask) \
	{ \
		return as_type(T##m, shuffle2(as_type(U##n, x), as_type(U##n, y), mask)); \
	}
#define VIEWS(T, U) \
	VIEW(T, U, 2, 2) VIEW(T, U, 2, 4) VIEW(T, U, 2, 8) VIEW(T, U, 2, 16) \
	VIEW(T, U, 4, 2) VIEW(T, U, 4, 4) VIEW(T, U, 4, 8) VIEW(T, U, 4, 16) \
	VIEW(T, U, 8, 2) VIEW(T, U, 8, 4) VIEW(T, U, 8, 8) VIEW(T, U, 8, 16) \
	VIEW(T, U, 16, 2) VIEW(T, U, 16, 4) VIEW(T, U, 16, 8) VIEW(T, U, 16, 16)
VIEWS(char, uchar)
VIEWS(short, ushort)
VIEWS(half, ushort)
VIEWS(int, uint)
VIEWS(float, uint)
VIEWS(long, ulong)
VIEWS(double, ulong)
