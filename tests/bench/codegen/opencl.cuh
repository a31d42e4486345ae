/* The types and builtins of OpenCL C for a kernel that opencl_as_cuda.py made CUDA C of: what comes out of nvcc
 * then is what a CUDA programmer's own code would be.  Ids are computed in 32 bits, as CUDA programs do.
 *
 * A source's swizzles, as .xyz, are members of OPENCL_SWIZZLES_2, _3, _4, _8 and _16, which the translator
 * defines before. */
#pragma once
#include <cuda_fp16.h>
#include <float.h>
#include <math_constants.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define CL_FUNCTION static __device__ __forceinline__

typedef unsigned char uchar;
#define half __half
typedef void *event_t;

enum { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2, CLK_IMAGE_MEM_FENCE = 4 };
#define M_PI_F 3.14159274101257f
#define M_PI_2_F 1.57079637050629f
#define M_E_F 2.71828174591064f
#define M_SQRT2_F 1.41421353816986f

/* --- work-items ---------------------------------------------------------------------------------- */

extern __shared__ char opencl_dynamic[];

#define OPENCL_BY_DIMENSION(name, x, y, z)                                                               \
	CL_FUNCTION size_t name(unsigned dimension)                                                      \
	{                                                                                                \
		return dimension == 0 ? (x) : dimension == 1 ? (y) : (z);                                \
	}
OPENCL_BY_DIMENSION(get_local_id, threadIdx.x, threadIdx.y, threadIdx.z)
OPENCL_BY_DIMENSION(get_group_id, blockIdx.x, blockIdx.y, blockIdx.z)
OPENCL_BY_DIMENSION(get_local_size, blockDim.x, blockDim.y, blockDim.z)
OPENCL_BY_DIMENSION(get_num_groups, gridDim.x, gridDim.y, gridDim.z)
OPENCL_BY_DIMENSION(get_global_size, gridDim.x *blockDim.x, gridDim.y *blockDim.y, gridDim.z *blockDim.z)
OPENCL_BY_DIMENSION(get_global_id, blockIdx.x *blockDim.x + threadIdx.x, blockIdx.y *blockDim.y + threadIdx.y,
		    blockIdx.z *blockDim.z + threadIdx.z)
OPENCL_BY_DIMENSION(get_global_offset, 0u, 0u, 0u)
#define get_enqueued_local_size get_local_size

#define barrier(flags) __syncthreads()
#define work_group_barrier(...) __syncthreads()
#define mem_fence(flags) ((flags) & CLK_GLOBAL_MEM_FENCE ? __threadfence() : __threadfence_block())
#define read_mem_fence mem_fence
#define write_mem_fence mem_fence

/* --- vectors ------------------------------------------------------------------------------------- */

template <class T, int N> struct cl_vec;
template <class T> struct cl_element { typedef T type; };
template <class T, int N> struct cl_element<cl_vec<T, N>> { typedef T type; };

/* Components of a vector by name and number; it lies in a union with the vector. */
template <class T, int N, int... I> struct cl_swizzle {
	T all[N];
	__device__ __forceinline__ operator cl_vec<T, sizeof...(I)>() const { return cl_vec<T, sizeof...(I)>(all[I]...); }
	__device__ __forceinline__ cl_swizzle &operator=(const cl_vec<T, sizeof...(I)> &from)
	{
		int k = 0;
		((all[I] = from.s[k++]), ...);
		return *this;
	}
	__device__ __forceinline__ cl_swizzle &operator=(const cl_swizzle &from)
	{
		return *this = (cl_vec<T, sizeof...(I)>)from;
	}
#define OPENCL_ASSIGN(sign)                                                                              \
	template <class U> __device__ __forceinline__ cl_swizzle &operator sign##=(const U &by)          \
	{                                                                                                \
		return *this = (cl_vec<T, sizeof...(I)>)*this sign by;                                   \
	}
	OPENCL_ASSIGN(+) OPENCL_ASSIGN(-) OPENCL_ASSIGN(*) OPENCL_ASSIGN(/) OPENCL_ASSIGN(&) OPENCL_ASSIGN(|)
	OPENCL_ASSIGN(^) OPENCL_ASSIGN(<<) OPENCL_ASSIGN(>>)
#undef OPENCL_ASSIGN
};
#define SWIZZLE(name, ...) cl_swizzle<T, COUNT, __VA_ARGS__> name;
#ifndef OPENCL_SWIZZLES_2
#define OPENCL_SWIZZLES_2
#define OPENCL_SWIZZLES_3
#define OPENCL_SWIZZLES_4
#define OPENCL_SWIZZLES_8
#define OPENCL_SWIZZLES_16
#endif

/* A list of vectors and numbers, one behind the other: (float4)(a.xy, 0, 1). */
template <class T, class U> CL_FUNCTION void cl_put(T *s, int &at, const U &value) { s[at++] = (T)value; }
template <class T, class U, int M> CL_FUNCTION void cl_put(T *s, int &at, const cl_vec<U, M> &value)
{
	for (int k = 0; k < M; k++)
		s[at++] = (T)value.s[k];
}
template <class T, class U, int M, int... I> CL_FUNCTION void cl_put(T *s, int &at, const cl_swizzle<U, M, I...> &value)
{
	cl_put(s, at, (cl_vec<U, sizeof...(I)>)value);
}

#define OPENCL_VECTOR(count, room, names, numbers)                                                       \
	template <class T> struct alignas(sizeof(T) * room) cl_vec<T, count> {                           \
		static constexpr int COUNT = room;                                                                 \
		union {                                                                                  \
			T s[room];                                                                       \
			struct { T names; };                                                             \
			struct { T numbers; };                                                           \
			OPENCL_SWIZZLES_##count                                                          \
		};                                                                                       \
		cl_vec() = default;                                                                      \
		cl_vec(const cl_vec &) = default;                                                        \
		__device__ __forceinline__ cl_vec(T all)                                                 \
		{                                                                                        \
			for (int k = 0; k < count; k++)                                                  \
				s[k] = all;                                                              \
		}                                                                                        \
		template <class A, class B, class... C>                                                  \
		__device__ __forceinline__ cl_vec(const A &a, const B &b, const C &...c)                 \
		{                                                                                        \
			int at = 0;                                                                      \
			cl_put(s, at, a);                                                                \
			cl_put(s, at, b);                                                                \
			(cl_put(s, at, c), ...);                                                         \
		}                                                                                        \
		__device__ __forceinline__ cl_vec &operator=(const cl_vec &from)                         \
		{                                                                                        \
			for (int k = 0; k < count; k++)                                                  \
				s[k] = from.s[k];                                                        \
			return *this;                                                                    \
		}                                                                                        \
		__device__ __forceinline__ T &operator[](int k) { return s[k]; }                         \
		__device__ __forceinline__ T operator[](int k) const { return s[k]; }                    \
	};
#define OPENCL_LIST(...) __VA_ARGS__
OPENCL_VECTOR(2, 2, OPENCL_LIST(x, y), OPENCL_LIST(s0, s1))
OPENCL_VECTOR(3, 4, OPENCL_LIST(x, y, z), OPENCL_LIST(s0, s1, s2))
OPENCL_VECTOR(4, 4, OPENCL_LIST(x, y, z, w), OPENCL_LIST(s0, s1, s2, s3))
OPENCL_VECTOR(8, 8, OPENCL_LIST(x, y, z, w), OPENCL_LIST(s0, s1, s2, s3, s4, s5, s6, s7))
OPENCL_VECTOR(16, 16, OPENCL_LIST(x, y, z, w),
	      OPENCL_LIST(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf))

/* What an operand is: a vector is itself, components become one, numbers stay numbers. */
template <class T, int N> CL_FUNCTION const cl_vec<T, N> &cl_value(const cl_vec<T, N> &v) { return v; }
template <class T, int N, int... I> CL_FUNCTION cl_vec<T, sizeof...(I)> cl_value(const cl_swizzle<T, N, I...> &v)
{
	return v;
}
template <class T> struct cl_shape { static constexpr int count = 0; typedef T type; };
template <class T, int N> struct cl_shape<cl_vec<T, N>> { static constexpr int count = N; typedef T type; };
template <class T, int N, int... I> struct cl_shape<cl_swizzle<T, N, I...>> {
	static constexpr int count = sizeof...(I);
	typedef T type;
};
template <int B> struct cl_truth;
template <> struct cl_truth<1> { typedef signed char type; };
template <> struct cl_truth<2> { typedef short type; };
template <> struct cl_truth<4> { typedef int type; };
template <> struct cl_truth<8> { typedef long type; };
template <bool B> struct cl_if { typedef int type; };
template <> struct cl_if<false> { };
/* The vector that comes of two operands, at least one of which is a vector. */
template <class A, class B> struct cl_both {
	static constexpr int count = cl_shape<A>::count ? cl_shape<A>::count : cl_shape<B>::count;
	typedef typename cl_shape<A>::type first;
	typedef typename cl_shape<B>::type second;
	template <bool a, class X, class Y> struct choose { typedef X type; };
	template <class X, class Y> struct choose<false, X, Y> { typedef Y type; };
	typedef typename choose<(cl_shape<A>::count > 0), first, second>::type element;
	typedef cl_vec<element, count> type;
	typedef cl_vec<typename cl_truth<sizeof(element)>::type, count> truth;
};
#define OPENCL_IF_VECTORS class A, class B, class = typename cl_if<(cl_shape<A>::count + cl_shape<B>::count > 0)>::type

#define OPENCL_BINARY(sign)                                                                              \
	template <OPENCL_IF_VECTORS, class R = cl_both<A, B>>                                            \
	CL_FUNCTION typename R::type operator sign(const A &a, const B &b)                               \
	{                                                                                                \
		const typename R::type left = a, right = b;                                              \
		typename R::type out;                                                                    \
		for (int k = 0; k < R::count; k++)                                                       \
			out.s[k] = left.s[k] sign right.s[k];                                            \
		return out;                                                                              \
	}
OPENCL_BINARY(+) OPENCL_BINARY(-) OPENCL_BINARY(*) OPENCL_BINARY(/) OPENCL_BINARY(%)
OPENCL_BINARY(&) OPENCL_BINARY(|) OPENCL_BINARY(^) OPENCL_BINARY(<<) OPENCL_BINARY(>>)
#define OPENCL_COMPARE(sign)                                                                             \
	template <OPENCL_IF_VECTORS, class R = cl_both<A, B>>                                            \
	CL_FUNCTION typename R::truth operator sign(const A &a, const B &b)                              \
	{                                                                                                \
		const typename R::type left = a, right = b;                                              \
		typename R::truth out;                                                                   \
		for (int k = 0; k < R::count; k++)                                                       \
			out.s[k] = left.s[k] sign right.s[k] ? -1 : 0;                                   \
		return out;                                                                              \
	}
OPENCL_COMPARE(==) OPENCL_COMPARE(!=) OPENCL_COMPARE(<) OPENCL_COMPARE(<=) OPENCL_COMPARE(>) OPENCL_COMPARE(>=)
OPENCL_COMPARE(&&) OPENCL_COMPARE(||)
#define OPENCL_ASSIGN(sign)                                                                              \
	template <class T, int N, class B>                                                               \
	CL_FUNCTION cl_vec<T, N> &operator sign##=(cl_vec<T, N> &a, const B &b)                          \
	{                                                                                                \
		return a = a sign b;                                                                     \
	}
OPENCL_ASSIGN(+) OPENCL_ASSIGN(-) OPENCL_ASSIGN(*) OPENCL_ASSIGN(/) OPENCL_ASSIGN(%) OPENCL_ASSIGN(&)
OPENCL_ASSIGN(|) OPENCL_ASSIGN(^) OPENCL_ASSIGN(<<) OPENCL_ASSIGN(>>)
#undef OPENCL_ASSIGN
template <class T, int N> CL_FUNCTION cl_vec<T, N> operator-(const cl_vec<T, N> &a) { return cl_vec<T, N>(T(0)) - a; }
template <class T, int N> CL_FUNCTION cl_vec<T, N> operator~(const cl_vec<T, N> &a) { return a ^ T(-1); }

#define OPENCL_NAMES(cuda, cl)                                                                           \
	typedef cl_vec<cuda, 2> cl_##cl##2;                                                              \
	typedef cl_vec<cuda, 3> cl_##cl##3;                                                              \
	typedef cl_vec<cuda, 4> cl_##cl##4;                                                              \
	typedef cl_vec<cuda, 8> cl_##cl##8;                                                              \
	typedef cl_vec<cuda, 16> cl_##cl##16;
OPENCL_NAMES(signed char, char) OPENCL_NAMES(unsigned char, uchar) OPENCL_NAMES(short, short)
OPENCL_NAMES(unsigned short, ushort) OPENCL_NAMES(int, int) OPENCL_NAMES(unsigned, uint) OPENCL_NAMES(long, long)
OPENCL_NAMES(unsigned long, ulong) OPENCL_NAMES(float, float) OPENCL_NAMES(double, double)
/* The translator has names as float4 and convert_int4_sat mean these. */

/* --- functions ------------------------------------------------------------------------------------- */

/* Of a vector each element's. */
#define OPENCL_EACH_1(name)                                                                              \
	template <class T, int N> CL_FUNCTION cl_vec<T, N> name(const cl_vec<T, N> &a)                   \
	{                                                                                                \
		cl_vec<T, N> out;                                                                        \
		for (int k = 0; k < N; k++)                                                              \
			out.s[k] = name(a.s[k]);                                                         \
		return out;                                                                              \
	}
#define OPENCL_EACH_2(name)                                                                              \
	template <OPENCL_IF_VECTORS, class R = cl_both<A, B>>                                            \
	CL_FUNCTION typename R::type name(const A &a, const B &b)                                        \
	{                                                                                                \
		const typename R::type left = a, right = b;                                              \
		typename R::type out;                                                                    \
		for (int k = 0; k < R::count; k++)                                                       \
			out.s[k] = name(left.s[k], right.s[k]);                                          \
		return out;                                                                              \
	}
#define OPENCL_EACH_3(name)                                                                              \
	template <class T, int N, class B, class C>                                                      \
	CL_FUNCTION cl_vec<T, N> name(const cl_vec<T, N> &a, const B &b, const C &c)                     \
	{                                                                                                \
		const cl_vec<T, N> second = b, third = c;                                                \
		cl_vec<T, N> out;                                                                        \
		for (int k = 0; k < N; k++)                                                              \
			out.s[k] = name(a.s[k], second.s[k], third.s[k]);                                \
		return out;                                                                              \
	}
#define OPENCL_FLOAT_1(name, result) CL_FUNCTION float name(float a) { return result; } OPENCL_EACH_1(name)
#define OPENCL_FLOAT_2(name, result) CL_FUNCTION float name(float a, float b) { return result; } OPENCL_EACH_2(name)

CL_FUNCTION float cl_reciprocal(float a)
{
	float out;
	asm("rcp.approx.f32 %0, %1;" : "=f"(out) : "f"(a));
	return out;
}
OPENCL_FLOAT_1(native_sin, __sinf(a)) OPENCL_FLOAT_1(native_cos, __cosf(a)) OPENCL_FLOAT_1(native_tan, __tanf(a))
OPENCL_FLOAT_1(native_exp, __expf(a)) OPENCL_FLOAT_1(native_exp2, exp2f(a)) OPENCL_FLOAT_1(native_exp10, __exp10f(a))
OPENCL_FLOAT_1(native_log, __logf(a)) OPENCL_FLOAT_1(native_log2, __log2f(a)) OPENCL_FLOAT_1(native_log10, __log10f(a))
OPENCL_FLOAT_1(native_sqrt, sqrtf(a)) OPENCL_FLOAT_1(native_rsqrt, rsqrtf(a)) OPENCL_FLOAT_1(native_recip, cl_reciprocal(a))
OPENCL_FLOAT_2(native_divide, __fdividef(a, b)) OPENCL_FLOAT_2(native_powr, __powf(a, b))
OPENCL_FLOAT_1(half_sqrt, sqrtf(a)) OPENCL_FLOAT_1(half_rsqrt, rsqrtf(a)) OPENCL_FLOAT_2(half_divide, __fdividef(a, b))
OPENCL_EACH_1(sqrt) OPENCL_EACH_1(rsqrt) OPENCL_EACH_1(exp) OPENCL_EACH_1(exp2) OPENCL_EACH_1(log) OPENCL_EACH_1(log2)
OPENCL_EACH_1(sin) OPENCL_EACH_1(cos) OPENCL_EACH_1(tan) OPENCL_EACH_1(fabs) OPENCL_EACH_1(floor) OPENCL_EACH_1(ceil)
OPENCL_EACH_1(round) OPENCL_EACH_1(trunc) OPENCL_EACH_1(rint) OPENCL_EACH_1(abs)
OPENCL_EACH_2(fmin) OPENCL_EACH_2(fmax) OPENCL_EACH_2(min) OPENCL_EACH_2(max) OPENCL_EACH_2(pow) OPENCL_EACH_2(fmod)
OPENCL_EACH_2(atan2) OPENCL_EACH_2(hypot) OPENCL_EACH_3(fma)
/* OpenCL C makes reals of both operands; C++ has another function for a whole exponent. */
template <class A, class B> CL_FUNCTION A cl_pow(A a, B b) { return pow(a, (A)b); }
CL_FUNCTION double cl_pow(int a, double b) { return pow((double)a, b); }
#define pow cl_pow
#define powr cl_pow

template <class T> CL_FUNCTION T mad(T a, T b, T c) { return a * b + c; }
CL_FUNCTION float mad(float a, float b, float c) { return a * b + c; }
CL_FUNCTION double mad(double a, double b, double c) { return a * b + c; }
template <class T> CL_FUNCTION T clamp(T a, T low, T high) { return min(max(a, low), high); }
template <class T> CL_FUNCTION T mix(T a, T b, T by) { return a + (b - a) * by; }
CL_FUNCTION int mul24(int a, int b) { return __mul24(a, b); }
CL_FUNCTION unsigned mul24(unsigned a, unsigned b) { return __umul24(a, b); }
template <class T> CL_FUNCTION T mad24(T a, T b, T c) { return mul24(a, b) + c; }
CL_FUNCTION int mul_hi(int a, int b) { return __mulhi(a, b); }
CL_FUNCTION unsigned mul_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
CL_FUNCTION unsigned rotate(unsigned a, unsigned by) { return __funnelshift_l(a, a, by); }
CL_FUNCTION int popcount(unsigned a) { return __popc(a); }
CL_FUNCTION int clz(unsigned a) { return __clz((int)a); }
template <class T, class C> CL_FUNCTION T select(T a, T b, C c) { return c ? b : a; }
template <class T, int N, class C> CL_FUNCTION cl_vec<T, N> select(cl_vec<T, N> a, cl_vec<T, N> b, cl_vec<C, N> c)
{
	cl_vec<T, N> out;
	for (int k = 0; k < N; k++)
		out.s[k] = c.s[k] < 0 ? b.s[k] : a.s[k];
	return out;
}
template <class A, class B> CL_FUNCTION typename cl_both<A, B>::element dot(const A &a, const B &b)
{
	const typename cl_both<A, B>::type left = a, right = b;
	typename cl_both<A, B>::element sum = left.s[0] * right.s[0];
	for (int k = 1; k < cl_both<A, B>::count; k++)
		sum += left.s[k] * right.s[k];
	return sum;
}
template <class T, int N> CL_FUNCTION T length(const cl_vec<T, N> &a) { return sqrt(dot(a, a)); }
template <class T, int N> CL_FUNCTION cl_vec<T, N> normalize(const cl_vec<T, N> &a) { return a * rsqrt(dot(a, a)); }

template <class To, class From> CL_FUNCTION To cl_convert(const From &from) { return (To)from; }
template <class To, class T, int N> CL_FUNCTION To cl_convert(const cl_vec<T, N> &from)
{
	To to;
	for (int k = 0; k < N; k++)
		to.s[k] = (typename cl_element<To>::type)from.s[k];
	return to;
}
template <class To, class T, int N, int... I> CL_FUNCTION To cl_convert(const cl_swizzle<T, N, I...> &from)
{
	return cl_convert<To>((cl_vec<T, sizeof...(I)>)from);
}
template <class To, class From> CL_FUNCTION To cl_as(const From &from)
{
	static_assert(sizeof(To) == sizeof(From), "as_ keeps the size");
	To to;
	memcpy(&to, &from, sizeof(to));
	return to;
}
#define OPENCL_LOAD(n)                                                                                   \
	template <class T> CL_FUNCTION cl_vec<typename cl_plain<T>::type, n> vload##n(size_t at, T *from) \
	{                                                                                                \
		cl_vec<typename cl_plain<T>::type, n> out;                                               \
		for (int k = 0; k < n; k++)                                                              \
			out.s[k] = from[at * n + k];                                                     \
		return out;                                                                              \
	}                                                                                                \
	template <class T> CL_FUNCTION void vstore##n(const cl_vec<T, n> &value, size_t at, T *to)       \
	{                                                                                                \
		for (int k = 0; k < n; k++)                                                              \
			to[at * n + k] = value.s[k];                                                     \
	}
template <class T> struct cl_plain { typedef T type; };
template <class T> struct cl_plain<const T> { typedef T type; };
OPENCL_LOAD(2) OPENCL_LOAD(3) OPENCL_LOAD(4) OPENCL_LOAD(8) OPENCL_LOAD(16)

/* --- atomics --------------------------------------------------------------------------------------- */

#define OPENCL_ATOMIC(name, call)                                                                        \
	template <class T, class U> CL_FUNCTION T name(volatile T *p, U v) { return call((T *)p, (T)v); }
OPENCL_ATOMIC(atomic_add, atomicAdd) OPENCL_ATOMIC(atomic_sub, atomicSub) OPENCL_ATOMIC(atomic_min, atomicMin)
OPENCL_ATOMIC(atomic_max, atomicMax) OPENCL_ATOMIC(atomic_and, atomicAnd) OPENCL_ATOMIC(atomic_or, atomicOr)
OPENCL_ATOMIC(atomic_xor, atomicXor) OPENCL_ATOMIC(atomic_xchg, atomicExch)
template <class T> CL_FUNCTION T atomic_inc(volatile T *p) { return atomicAdd((T *)p, (T)1); }
template <class T> CL_FUNCTION T atomic_dec(volatile T *p) { return atomicSub((T *)p, (T)1); }
template <class T, class U, class V> CL_FUNCTION T atomic_cmpxchg(volatile T *p, U was, V v)
{
	return atomicCAS((T *)p, (T)was, (T)v);
}
#define atom_add atomic_add
#define atom_sub atomic_sub
#define atom_min atomic_min
#define atom_max atomic_max
#define atom_and atomic_and
#define atom_or atomic_or
#define atom_xor atomic_xor
#define atom_xchg atomic_xchg
#define atom_inc atomic_inc
#define atom_dec atomic_dec
#define atom_cmpxchg atomic_cmpxchg
