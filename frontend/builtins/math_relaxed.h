/*
 * Single precision as -cl-unsafe-math-optimizations allows it, by the hardware's approximations.
 *
 * OpenCL C 3.0, 7.4, has the bounds, or how a function may be derived from others; what is not here
 * has no form that is much quicker than the full one.  Errors are those that the PTX ISA and CUDA's
 * math API give, all within the bounds:
 *   sin.approx, cos.approx  2^-20.5 absolute within [-pi, pi]
 *   lg2.approx              2^-22 absolute within [0.5, 2], else 2 units in the last place; times
 *                           a constant 3 of them
 *   ex2.approx              2 units in the last place, and 1.2 |x| more where x is scaled first
 *   tanh.approx             2^-11 relative
 *   div.approx              2 units in the last place, for divisors of up to 2^126
 * The option includes -cl-denorms-are-zero, so that the flushing forms serve.
 */

/* Whether all of the program was built with that option; folded by the frontend (lower_device.c). */
extern bool __culvert_hidden_relaxed(void);

/* Whether the device has compute capability 7.5 or newer; folded likewise. */
extern bool __culvert_hidden_sm_75(void);
EXTERN_PURE float __nv_tanhf(float);

HELPER float relaxed_sin(float x)
{
	return __nvvm_sin_approx_ftz_f(x);
}
HELPER float relaxed_cos(float x)
{
	return __nvvm_cos_approx_ftz_f(x);
}
HELPER float relaxed_tan(float x)
{
	return __nvvm_div_approx_ftz_f(relaxed_sin(x), relaxed_cos(x));
}
HELPER float relaxed_sincos(float x, __private float *out)
{
	*out = relaxed_cos(x);
	return relaxed_sin(x);
}

/* x and this differ by an even number; the bound is for [-1, 1] alone, but it costs little. */
HELPER float near_zero(float x)
{
	return __builtin_fmaf(-2.0f, __builtin_rintf(x * 0.5f), x);
}
HELPER float relaxed_sinpi(float x)
{
	return relaxed_sin(near_zero(x) * 0x1.921fb6p+1f);
}
HELPER float relaxed_cospi(float x)
{
	return relaxed_cos(near_zero(x) * 0x1.921fb6p+1f);
}
HELPER float relaxed_tanpi(float x)
{
	return relaxed_tan(near_zero(x) * 0x1.921fb6p+1f);
}

/* The instruction came with compute capability 7.5. */
HELPER float relaxed_tanh(float x)
{
	float r;

	if (!__culvert_hidden_sm_75())
		return __nv_tanhf(x);
	__asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

HELPER float relaxed_exp2(float x)
{
	return __nvvm_ex2_approx_ftz_f(x);
}
HELPER float relaxed_exp(float x)
{
	return relaxed_exp2(x * 0x1.715476p+0f);
}
HELPER float relaxed_exp10(float x)
{
	return relaxed_exp2(x * 0x1.a934fp+1f);
}
HELPER float relaxed_log2(float x)
{
	return __nvvm_lg2_approx_ftz_f(x);
}
HELPER float relaxed_log10(float x)
{
	return relaxed_log2(x) * 0x1.344136p-2f;
}

/* Only defined where x is not negative. */
HELPER float relaxed_powr(float x, float y)
{
	return relaxed_exp2(y * relaxed_log2(x));
}
/* A negative x is only defined with an integer y of at most 2^24. */
HELPER float relaxed_pown(float x, int n)
{
	float power = relaxed_powr(__builtin_fabsf(x), (float)n);

	return x < 0 && n & 1 ? -power : power;
}
HELPER float relaxed_pow(float x, float y)
{
	float power = relaxed_powr(__builtin_fabsf(x), y);

	return x < 0 && (int)y & 1 ? -power : power;
}
HELPER float relaxed_rootn(float x, int n)
{
	float exponent = relaxed_log2(__builtin_fabsf(x)), root;

	root = relaxed_exp2(__nvvm_div_approx_ftz_f(exponent, (float)n));
	return x < 0 ? -root : root;
}

/* The first statement of a function that has a form here. */
#define IF_RELAXED(f, ...) \
	if (__culvert_hidden_relaxed()) \
		return relaxed_##f(__VA_ARGS__);
