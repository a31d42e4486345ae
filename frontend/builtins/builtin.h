/*
 * The types, attributes and macros that every file of the OpenCL C builtin library shares.
 *
 * The library is compiled once, at build time, without Clang's own OpenCL header, so the vector
 * types and enumerations are declared here.  A builtin is an ordinary overloadable function: Clang
 * gives it the same mangled name that a program's call refers to, and the frontend links by name.
 *
 * Rules for all files: no globals, no recursion, no libc, no architecture choice at build time (what
 * depends on the GPU is asked of `__culvert_hidden_*`, see lower_device.c), no intrinsic that
 * libnvvm does not know.  Names of helpers begin with `__culvert_` or are static.
 *
 * Address spaces: an unqualified pointer and a __private one have the same mangled name on this
 * target, so the __private overload also serves generic pointers.
 */
#ifndef CULVERT_BUILTIN_H
#define CULVERT_BUILTIN_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
/* What may be fused is written as fma; the rest must not depend on compiler flags. */
#pragma OPENCL FP_CONTRACT OFF

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

#define VECTOR_TYPES(T) \
	typedef T T##2 __attribute__((ext_vector_type(2))); \
	typedef T T##3 __attribute__((ext_vector_type(3))); \
	typedef T T##4 __attribute__((ext_vector_type(4))); \
	typedef T T##8 __attribute__((ext_vector_type(8))); \
	typedef T T##16 __attribute__((ext_vector_type(16)));
VECTOR_TYPES(char)
VECTOR_TYPES(uchar)
VECTOR_TYPES(short)
VECTOR_TYPES(ushort)
VECTOR_TYPES(int)
VECTOR_TYPES(uint)
VECTOR_TYPES(long)
VECTOR_TYPES(ulong)
VECTOR_TYPES(half)
VECTOR_TYPES(float)
VECTOR_TYPES(double)
#undef VECTOR_TYPES

typedef uint cl_mem_fence_flags;
#define CLK_LOCAL_MEM_FENCE 1u
#define CLK_GLOBAL_MEM_FENCE 2u
#define CLK_IMAGE_MEM_FENCE 4u

typedef enum memory_scope {
	memory_scope_work_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
	memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
	memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
	memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
	memory_scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP
} memory_scope;

typedef enum memory_order {
	memory_order_relaxed = __ATOMIC_RELAXED,
	memory_order_acquire = __ATOMIC_ACQUIRE,
	memory_order_release = __ATOMIC_RELEASE,
	memory_order_acq_rel = __ATOMIC_ACQ_REL,
	memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

/* A builtin; a builtin whose result depends on its arguments alone; a helper of this library. */
#define BUILTIN __attribute__((overloadable, always_inline))
#define PURE __attribute__((overloadable, always_inline, const))
#define HELPER static __attribute__((overloadable, always_inline))
/* A function of libdevice or an NVVM builtin that only computes. */
#define EXTERN_PURE extern __attribute__((const))

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define as_type(T, x) __builtin_astype(x, T)

/*
 * Vector forms out of the scalar form, by halves: each is a handful of instructions in the
 * library's bitcode whatever the width, and libnvvm flattens them.  R is the result's element type,
 * A, B, C those of the arguments.
 */
#define VECTORS_1(R, f, A) VECTORS_1_(R, f, A)
#define VECTORS_1_(R, f, A) \
	PURE R##2 f(A##2 x) { return (R##2)(f(x.x), f(x.y)); } \
	PURE R##3 f(A##3 x) { return (R##3)(f(x.x), f(x.y), f(x.z)); } \
	PURE R##4 f(A##4 x) { return (R##4)(f(x.lo), f(x.hi)); } \
	PURE R##8 f(A##8 x) { return (R##8)(f(x.lo), f(x.hi)); } \
	PURE R##16 f(A##16 x) { return (R##16)(f(x.lo), f(x.hi)); }

#define VECTORS_2(R, f, A, B) VECTORS_2_(R, f, A, B)
#define VECTORS_2_(R, f, A, B) \
	PURE R##2 f(A##2 x, B##2 y) { return (R##2)(f(x.x, y.x), f(x.y, y.y)); } \
	PURE R##3 f(A##3 x, B##3 y) { return (R##3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); } \
	PURE R##4 f(A##4 x, B##4 y) { return (R##4)(f(x.lo, y.lo), f(x.hi, y.hi)); } \
	PURE R##8 f(A##8 x, B##8 y) { return (R##8)(f(x.lo, y.lo), f(x.hi, y.hi)); } \
	PURE R##16 f(A##16 x, B##16 y) { return (R##16)(f(x.lo, y.lo), f(x.hi, y.hi)); }

#define VECTORS_3(R, f, A, B, C) VECTORS_3_(R, f, A, B, C)
#define VECTORS_3_(R, f, A, B, C) \
	PURE R##2 f(A##2 x, B##2 y, C##2 z) \
	{ \
		return (R##2)(f(x.x, y.x, z.x), f(x.y, y.y, z.y)); \
	} \
	PURE R##3 f(A##3 x, B##3 y, C##3 z) \
	{ \
		return (R##3)(f(x.x, y.x, z.x), f(x.y, y.y, z.y), f(x.z, y.z, z.z)); \
	} \
	PURE R##4 f(A##4 x, B##4 y, C##4 z) \
	{ \
		return (R##4)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); \
	} \
	PURE R##8 f(A##8 x, B##8 y, C##8 z) \
	{ \
		return (R##8)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); \
	} \
	PURE R##16 f(A##16 x, B##16 y, C##16 z) \
	{ \
		return (R##16)(f(x.lo, y.lo, z.lo), f(x.hi, y.hi, z.hi)); \
	}

/* M(width, ...) for each vector width. */
#define FOR_VECTORS(M, ...) \
	M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)

#endif
