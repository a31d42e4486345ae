/*
 * native_* and half_*: single precision, fast.
 *
 * native_* take the hardware's approximations as they are.  half_* must stay within 8192 units in
 * the last place (OpenCL C 3.0, 7.4), which sin.approx does not for large arguments nor lg2.approx
 * near 1: those call the full functions.
 */
#include "frontend/builtins/builtin.h"

EXTERN_PURE float __nv_fast_sinf(float);
EXTERN_PURE float __nv_fast_cosf(float);
EXTERN_PURE float __nv_fast_tanf(float);
EXTERN_PURE float __nv_fast_expf(float);
EXTERN_PURE float __nv_fast_exp10f(float);
EXTERN_PURE float __nv_fast_logf(float);
EXTERN_PURE float __nv_fast_log2f(float);
EXTERN_PURE float __nv_fast_log10f(float);
EXTERN_PURE float __nv_fast_powf(float, float);
EXTERN_PURE float __nv_sinf(float);
EXTERN_PURE float __nv_cosf(float);
EXTERN_PURE float __nv_tanf(float);
EXTERN_PURE float __nv_logf(float);
EXTERN_PURE float __nv_log2f(float);
EXTERN_PURE float __nv_log10f(float);
PURE float __culvert_full_powr(float, float);

HELPER float ptx_exp2(float x)
{
	return __nvvm_ex2_approx_f(x);
}
HELPER float ptx_recip(float x)
{
	float r;

	__asm__("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}
HELPER float ptx_sqrt(float x)
{
	return __nvvm_sqrt_approx_f(x);
}
HELPER float ptx_rsqrt(float x)
{
	return __nvvm_rsqrt_approx_f(x);
}
HELPER float ptx_divide(float x, float y)
{
	return __nvvm_div_approx_f(x, y);
}
/* Two units in the last place over the whole range. */
HELPER float ptx_divide_full(float x, float y)
{
	float r;

	__asm__("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
}

#define UNARY(name, f) \
	PURE float name(float x) \
	{ \
		return f(x); \
	} \
	VECTORS_1(float, name, float)
#define BINARY(name, f) \
	PURE float name(float x, float y) \
	{ \
		return f(x, y); \
	} \
	VECTORS_2(float, name, float, float)

UNARY(native_cos, __nv_fast_cosf)
UNARY(native_exp, __nv_fast_expf)
UNARY(native_exp2, ptx_exp2)
UNARY(native_exp10, __nv_fast_exp10f)
UNARY(native_log, __nv_fast_logf)
UNARY(native_log2, __nv_fast_log2f)
UNARY(native_log10, __nv_fast_log10f)
UNARY(native_recip, ptx_recip)
UNARY(native_rsqrt, ptx_rsqrt)
UNARY(native_sin, __nv_fast_sinf)
UNARY(native_sqrt, ptx_sqrt)
UNARY(native_tan, __nv_fast_tanf)
BINARY(native_divide, ptx_divide)
BINARY(native_powr, __nv_fast_powf)

UNARY(half_cos, __nv_cosf)
UNARY(half_exp, __nv_fast_expf)
UNARY(half_exp2, ptx_exp2)
UNARY(half_exp10, __nv_fast_exp10f)
UNARY(half_log, __nv_logf)
UNARY(half_log2, __nv_log2f)
UNARY(half_log10, __nv_log10f)
UNARY(half_recip, ptx_recip)
UNARY(half_rsqrt, ptx_rsqrt)
UNARY(half_sin, __nv_sinf)
UNARY(half_sqrt, ptx_sqrt)
UNARY(half_tan, __nv_tanf)
BINARY(half_divide, ptx_divide_full)
BINARY(half_powr, __culvert_full_powr)
