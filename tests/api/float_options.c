/* What each option about floating point does, seen in the PTX that a program's binary holds: one
 * instruction that must be there or one that must not (OpenCL 3.0 API, 5.8.6.2 and 5.8.6.3). */
#include "config.h"

#include "tests/api/api_test.h"

#define KERNEL(body) "kernel void k(global float *x)\n{\n" body "}\n"

static const char contracted[] = KERNEL("	x[0] = x[1] * x[2] + x[3];\n");
static const char statements[] = KERNEL("	float p = x[1] * x[2];\n	x[0] = p + x[3];\n");
static const char forbidden[] =
	KERNEL("#pragma OPENCL FP_CONTRACT OFF\n	x[0] = x[1] * x[2] + x[3];\n");
static const char divided[] = KERNEL("	x[0] = x[1] / x[2];\n");
static const char halved[] = KERNEL("	x[0] = x[1] / 2.5f;\n");
static const char inverted[] = KERNEL("	x[0] = 1.0f / x[1];\n");
static const char inverse_root[] = KERNEL("	x[0] = 1.0f / sqrt(x[1]);\n");
static const char divided_vector[] = KERNEL("	vstore4(vload4(1, x) / vload4(2, x), 0, x);\n");
static const char sine[] = KERNEL("	x[0] = sin(x[1]);\n");
static const char sines[] = KERNEL("	vstore2(sin(vload2(1, x)), 0, x);\n");
static const char exponential[] = KERNEL("	x[0] = exp(x[1]);\n");
static const char logarithm[] = KERNEL("	x[0] = log10(x[1]);\n");
static const char power[] = KERNEL("	x[0] = powr(x[1], x[2]);\n");
static const char power_of_any[] = KERNEL("	x[0] = pow(x[1], x[2]);\n");
static const char hyperbolic[] = KERNEL("	x[0] = tanh(x[1]);\n");
static const char half_sine[] =
	KERNEL("	vstore_half(sin(vload_half(0, (global half *)x + 2)), 0, (global half *)x);\n");
static const char sine_of_half[] =
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	"kernel void k(global half *x)\n{\n	x[0] = sin(x[1]);\n}\n";
static const char sine_of_double[] =
	"kernel void k(global double *x)\n{\n	x[0] = sin(x[1]);\n}\n";
static const char rooted[] = KERNEL("	x[0] = sqrt(x[1]);\n");
static const char native_recip_of[] = KERNEL("	x[0] = native_recip(x[1]);\n");
static const char native_sqrt_of[] = KERNEL("	x[0] = native_sqrt(x[1]);\n");
static const char native_rsqrt_of[] = KERNEL("	x[0] = native_rsqrt(x[1]);\n");
static const char native_exp2_of[] = KERNEL("	x[0] = native_exp2(x[1]);\n");
static const char native_quotient[] = KERNEL("	x[0] = native_divide(x[1], x[2]);\n");
static const char half_quotient[] = KERNEL("	x[0] = half_divide(x[1], x[2]);\n");
static const char own_text[] =
	KERNEL("	float r;\n"
	       "	__asm__(\"rcp.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x[1]));\n"
	       "	x[0] = r;\n");
static const char added[] = KERNEL("	x[0] = x[1] + x[2];\n");
static const char plus_zero[] = KERNEL("	x[0] = x[1] + 0.0f;\n");
static const char compared[] = KERNEL("	x[0] = x[1] != x[1] ? 5.0f : 7.0f;\n");
static const char associated[] = KERNEL("	x[0] = (x[1] + 1.5f) - 1.5f;\n");
static const char widened[] = KERNEL("	x[0] = x[1] * 1.1;\n");
static const char defined[] = KERNEL(
	"#if defined(__FAST_RELAXED_MATH__)\n	x[0] = x[1] * 3.0f;\n#endif\n");
static const char finite[] = KERNEL(
	"#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__\n"
	"	x[0] = x[1] * 3.0f;\n"
	"#endif\n");

static const struct {
	const char *source, *options, *instruction;
	bool is_there;
} rows[] = {
	/* OpenCL C 3.0, 6.16: contraction is on, within an expression. */
	{contracted, "", "fma.rn", true},
	{statements, "", "fma.rn", false},
	{forbidden, "", "fma.rn", false},
	{statements, "-cl-mad-enable", "fma.rn", true},
	{statements, "-cl-unsafe-math-optimizations", "fma.rn", true},
	{statements, "-cl-fast-relaxed-math", "fma.rn", true},
	{statements, "-cl-finite-math-only", "fma.rn", false},
	/* 7.4: 2.5 and 3 units in the last place are enough, unless asked for none. */
	{divided, "", "div.full", true},
	{divided, "-cl-fp32-correctly-rounded-divide-sqrt", "div.rn", true},
	/* The relaxed table of 7.4. */
	{divided, "-cl-unsafe-math-optimizations", "div.approx.ftz", true},
	{divided, "-cl-fast-relaxed-math", "div.full", false},
	{divided, "-cl-fast-relaxed-math -cl-fp32-correctly-rounded-divide-sqrt", "div.rn", true},
	{divided_vector, "-cl-fast-relaxed-math", "div.approx.ftz", true},
	{divided_vector, "-cl-fast-relaxed-math", "div.full", false},
	{halved, "-cl-fast-relaxed-math", "div", false},
	{inverted, "-cl-fast-relaxed-math", "rcp.approx.ftz", true},
	{inverse_root, "-cl-fast-relaxed-math", "rsqrt.approx.ftz", true},
	{sine, "", "sin.approx", false},
	{sine, "-cl-finite-math-only", "sin.approx", false},
	{sine, "-cl-denorms-are-zero -cl-mad-enable", "sin.approx", false},
	{sine, "-cl-unsafe-math-optimizations", "sin.approx.ftz", true},
	{sine, "-cl-fast-relaxed-math", "sin.approx.ftz", true},
	{sine, "-cl-fast-relaxed-math", "bra", false},
	{sines, "-cl-fast-relaxed-math", "sin.approx.ftz", true},
	{exponential, "", "fma", true},
	{exponential, "-cl-fast-relaxed-math", "fma", false},
	{exponential, "-cl-fast-relaxed-math", "ex2.approx.ftz", true},
	{logarithm, "", "lg2.approx", false},
	{logarithm, "-cl-fast-relaxed-math", "lg2.approx.ftz", true},
	{power, "", "lg2.approx", false},
	{power, "-cl-fast-relaxed-math", "lg2.approx.ftz", true},
	{power, "-cl-fast-relaxed-math", "setp", false},
	{power_of_any, "-cl-fast-relaxed-math", "lg2.approx.ftz", true},
	{power_of_any, "-cl-fast-relaxed-math", "bra", false},
	{hyperbolic, "", "tanh.approx", false},
	{hyperbolic, "-cl-fast-relaxed-math", "tanh.approx", true},
	/* It is about single precision alone. */
	{half_sine, "-cl-fast-relaxed-math", "sin.approx.ftz", true},
	{sine_of_half, "-cl-fast-relaxed-math", "sin.approx", false},
	{sine_of_double, "-cl-fast-relaxed-math", "sin.approx", false},
	{rooted, "", "sqrt.approx", true},
	{rooted, "-cl-fp32-correctly-rounded-divide-sqrt", "sqrt.rn", true},
	/* The library's approximations flush where the program lets them. */
	{native_recip_of, "", "rcp.approx.f32", true},
	{native_recip_of, "-cl-denorms-are-zero", "rcp.approx.ftz.f32", true},
	{native_sqrt_of, "", "sqrt.approx.f32", true},
	{native_sqrt_of, "-cl-denorms-are-zero", "sqrt.approx.ftz.f32", true},
	{native_rsqrt_of, "", "rsqrt.approx.f32", true},
	{native_rsqrt_of, "-cl-unsafe-math-optimizations", "rsqrt.approx.ftz.f32", true},
	{native_exp2_of, "", "ex2.approx.f32", true},
	{native_exp2_of, "-cl-fast-relaxed-math", "ex2.approx.ftz.f32", true},
	{native_quotient, "", "div.approx.f32", true},
	{native_quotient, "-cl-denorms-are-zero", "div.approx.ftz.f32", true},
	{half_quotient, "", "div.full.f32", true},
	{half_quotient, "-cl-denorms-are-zero", "div.full.ftz.f32", true},
	{own_text, "-cl-denorms-are-zero", "rcp.approx.f32", true},
	{added, "", ".ftz", false},
	{added, "-cl-denorms-are-zero", ".ftz", true},
	{added, "-cl-mad-enable", ".ftz", false},
	{added, "-cl-unsafe-math-optimizations", ".ftz", true},
	{added, "-cl-fast-relaxed-math", ".ftz", true},
	{plus_zero, "", "add", true},
	{plus_zero, "-cl-finite-math-only", "add.rn.f32", true},
	{plus_zero, "-cl-no-signed-zeros", "add.rn.f32", false},
	{plus_zero, "-cl-unsafe-math-optimizations", "add", false},
	{compared, "", "setp", true},
	{compared, "-cl-no-signed-zeros", "setp", true},
	{compared, "-cl-finite-math-only", "setp", false},
	{compared, "-cl-fast-relaxed-math", "setp", false},
	{associated, "", "add.rn.f32", true},
	{associated, "-cl-finite-math-only -cl-no-signed-zeros", "add.rn.f32", true},
	{associated, "-cl-unsafe-math-optimizations -cl-finite-math-only", "add.ftz.f32", true},
	{associated, "-cl-fast-relaxed-math", "add", false},
	{associated, "-cl-unsafe-math-optimizations -cl-fast-relaxed-math", "add", false},
	{widened, "", "mul.rn.f64", true},
	{widened, "-cl-single-precision-constant", "f64", false},
	{defined, "", "mul", false},
	{defined, "-cl-fast-relaxed-math", "mul", true},
	{finite, "", "mul", false},
	{finite, "-cl-finite-math-only", "mul", true},
	{finite, "-cl-fast-relaxed-math", "mul", true},
};

/* The program's binary with a zero behind it; NULL after a failure. */
static char *binary_of(const struct api_test *test, const char *source, const char *options,
		       size_t *size_out)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(test->context, 1, &source, NULL, &code);
	char *binary = NULL;
	if (!CHECK_OK(code))
		return NULL;
	if (CHECK_OK(clBuildProgram(program, 1, &test->device, options, NULL, NULL)) &&
	    CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size_out), size_out,
				      NULL)) &&
	    CHECK((binary = calloc(1, *size_out + 1)) != NULL))
		CHECK_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary,
					  NULL));
	CHECK_OK(clReleaseProgram(program));
	return binary;
}

/* The kernel's body, which the binary holds as text; NULL: it does not. */
static char *body_in(char *binary, size_t size)
{
	static const char entry[] = ".visible .entry k(";
	for (size_t i = 0; i + sizeof(entry) <= size; i++)
		if (!memcmp(binary + i, entry, sizeof(entry) - 1))
			return binary + i;
	return NULL;
}

static void look(const struct api_test *test, size_t row)
{
	size_t size = 0;
	char *binary = binary_of(test, rows[row].source, rows[row].options, &size);
	char *body = binary ? body_in(binary, size) : NULL, *end = body ? strchr(body, '}') : NULL;
	if (CHECK(end != NULL)) {
		*end = '\0';
		if (!CHECK((strstr(body, rows[row].instruction) != NULL) == rows[row].is_there))
			printf("\"%s\" %s with \"%s\":\n%s\n", rows[row].instruction,
			       rows[row].is_there ? "is not there" : "is there", rows[row].options,
			       body);
	}
	free(binary);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "float_options"))
		return API_TEST_SKIP;
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
		look(&test, row);
	return api_test_end(&test);
}
