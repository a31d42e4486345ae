/*
 * vload_half, vstore_half and their aligned kin, OpenCL C 3.0, 6.15.7: half in memory, float or
 * double in registers.
 */
#include "frontend/builtins/builtin.h"

#define PURE_LOAD __attribute__((overloadable, always_inline, pure))

typedef half loose_half2 __attribute__((ext_vector_type(2), aligned(2)));
typedef half loose_half4 __attribute__((ext_vector_type(4), aligned(2)));
typedef half loose_half8 __attribute__((ext_vector_type(8), aligned(2)));
typedef half loose_half16 __attribute__((ext_vector_type(16), aligned(2)));

/* Rounding to half: the default is to nearest even. */
#define TO_HALF(mode, T, letters, constraint) \
	HELPER half to_half_##mode(T x) \
	{ \
		ushort bits; \
		__asm__("cvt." #mode ".f16." letters " %0, %1;" : "=h"(bits) : constraint(x)); \
		return as_type(half, bits); \
	}
#define TO_HALF_VECTORS(f, T) \
	HELPER half2 f(T##2 x) { return (half2)(f(x.x), f(x.y)); } \
	HELPER half4 f(T##4 x) { return (half4)(f(x.lo), f(x.hi)); } \
	HELPER half8 f(T##8 x) { return (half8)(f(x.lo), f(x.hi)); } \
	HELPER half16 f(T##16 x) { return (half16)(f(x.lo), f(x.hi)); }
#define ROUNDINGS(T, letters, constraint) \
	TO_HALF(rn, T, letters, constraint) \
	TO_HALF(rz, T, letters, constraint) \
	TO_HALF(rp, T, letters, constraint) \
	TO_HALF(rm, T, letters, constraint) \
	TO_HALF_VECTORS(to_half_rn, T) \
	TO_HALF_VECTORS(to_half_rz, T) \
	TO_HALF_VECTORS(to_half_rp, T) \
	TO_HALF_VECTORS(to_half_rm, T)
ROUNDINGS(float, "f32", "f")
ROUNDINGS(double, "f64", "d")

#define LOAD(n, space) \
	PURE_LOAD float##n vload_half##n(size_t offset, const space half *p) \
	{ \
		return __builtin_convertvector(*(const space loose_half##n *)(p + offset * n), \
					       float##n); \
	}
#define LOAD_ALIGNED(n, space) \
	PURE_LOAD float##n vloada_half##n(size_t offset, const space half *p) \
	{ \
		return __builtin_convertvector(*(const space half##n *)(p + offset * n), \
					       float##n); \
	}
/* The aligned form of three elements steps by four. */
#define LOADS(space) \
	PURE_LOAD float vload_half(size_t offset, const space half *p) \
	{ \
		return p[offset]; \
	} \
	LOAD(2, space) LOAD(4, space) LOAD(8, space) LOAD(16, space) \
	PURE_LOAD float3 vload_half3(size_t offset, const space half *p) \
	{ \
		p += offset * 3; \
		return (float3)(p[0], p[1], p[2]); \
	} \
	PURE_LOAD float vloada_half(size_t offset, const space half *p) \
	{ \
		return p[offset]; \
	} \
	LOAD_ALIGNED(2, space) LOAD_ALIGNED(4, space) LOAD_ALIGNED(8, space) \
	/* In halves: for sm_100 and later libnvvm makes of 16 a load that ptxas crashes on. */ \
	PURE_LOAD float16 vloada_half16(size_t offset, const space half *p) \
	{ \
		return (float16)(vloada_half8(offset * 2, p), vloada_half8(offset * 2 + 1, p)); \
	} \
	PURE_LOAD float3 vloada_half3(size_t offset, const space half *p) \
	{ \
		p += offset * 4; \
		return (float3)(p[0], p[1], p[2]); \
	}
LOADS(__private)
LOADS(__global)
LOADS(__local)
LOADS(__constant)

#define STORE(n, T, space, suffix, mode) \
	BUILTIN void vstore_half##n##suffix(T##n data, size_t offset, space half *p) \
	{ \
		*(space loose_half##n *)(p + offset * n) = to_half_##mode(data); \
	}
#define STORE_ALIGNED(n, T, space, suffix, mode) \
	BUILTIN void vstorea_half##n##suffix(T##n data, size_t offset, space half *p) \
	{ \
		*(space half##n *)(p + offset * n) = to_half_##mode(data); \
	}
#define STORES(T, space, suffix, mode) \
	BUILTIN void vstore_half##suffix(T data, size_t offset, space half *p) \
	{ \
		p[offset] = to_half_##mode(data); \
	} \
	STORE(2, T, space, suffix, mode) \
	STORE(4, T, space, suffix, mode) \
	STORE(8, T, space, suffix, mode) \
	STORE(16, T, space, suffix, mode) \
	BUILTIN void vstore_half3##suffix(T##3 data, size_t offset, space half *p) \
	{ \
		p += offset * 3; \
		p[0] = to_half_##mode(data.x); \
		p[1] = to_half_##mode(data.y); \
		p[2] = to_half_##mode(data.z); \
	} \
	BUILTIN void vstorea_half##suffix(T data, size_t offset, space half *p) \
	{ \
		p[offset] = to_half_##mode(data); \
	} \
	STORE_ALIGNED(2, T, space, suffix, mode) \
	STORE_ALIGNED(4, T, space, suffix, mode) \
	STORE_ALIGNED(8, T, space, suffix, mode) \
	STORE_ALIGNED(16, T, space, suffix, mode) \
	BUILTIN void vstorea_half3##suffix(T##3 data, size_t offset, space half *p) \
	{ \
		p += offset * 4; \
		p[0] = to_half_##mode(data.x); \
		p[1] = to_half_##mode(data.y); \
		p[2] = to_half_##mode(data.z); \
	}
#define ALL_ROUNDINGS(T, space) \
	STORES(T, space, , rn) \
	STORES(T, space, _rte, rn) \
	STORES(T, space, _rtz, rz) \
	STORES(T, space, _rtp, rp) \
	STORES(T, space, _rtn, rm)
#define ALL(T) \
	ALL_ROUNDINGS(T, __private) \
	ALL_ROUNDINGS(T, __global) \
	ALL_ROUNDINGS(T, __local)
ALL(float)
ALL(double)
