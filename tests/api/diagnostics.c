/* Protects: what the build log says of frequent mistakes.  Each row is a mistake, what the log must
 * have for its reader to find it and mend it, and what would lead him astray. */
#include "config.h"

#include "tests/api/fixture.h"

#define PLACE(line, column) "<kernel>:" #line ":" #column ": error:"

struct mistake {
	const char *name, *options, *source;
	const char *says[4];                 /* "!TEXT": does not say TEXT */
};

static const struct mistake mistakes[] = {
	{"no semicolon", "", "kernel void k(global int *q)\n{\n\tint x = q[0]\n\tq[1] = x;\n}\n",
	 {PLACE(3, 14), "expected ';'", "int x = q[0]", "^"}},
	{"a name of C", "", "kernel void k(global float *q) { q[0] = sqrtf(q[0]); }",
	 {PLACE(1, 41), "'sqrtf'", "one name for all types: 'sqrt'"}},
	{"C's library", "", "kernel void k(global int *q) { int *p = malloc(4); q[0] = *p; }",
	 {"'malloc'", "OpenCL C has no C library"}},
	{"a header", "", "#include \"missing.h\"\nkernel void k(void) {}",
	 {"<kernel>:1:10: fatal error:", "'missing.h' file not found"}},
	{"a function of a newer standard", "-cl-std=CL1.2",
	 "kernel void k(global int *q) { q[0] = work_group_reduce_add(q[0]); }",
	 {PLACE(1, 39), "'work_group_reduce_add'", "-cl-std=CL3.0"}},
	{"a type of a newer standard", "", "kernel void k(global atomic_int *q) { q[0] = 0; }",
	 {"'atomic_int'", "-cl-std=CL3.0"}},
	{"a misspelt function", "-cl-std=CL1.2", "kernel void k(global int *q) { atomic_ad(q, 1); }",
	 {PLACE(1, 32), "'atomic_ad'", "!-cl-std"}},
	{"another function of a builtin's name", "-cl-std=CL1.2",
	 "long __attribute__((overloadable)) dot(uchar4 a, uchar4 b);\n"
	 "kernel void k(global long *q, uchar4 a, uchar4 b) { q[0] += dot(a, b); }",
	 {"a call of _Z3dotDv4_hS_ with other types than it has", "!NVVM_ERROR"}},
	{"half without its extension", "-cl-std=CL3.0",
	 "kernel void k(global half *q) { half h = q[0]; q[1] = h; }",
	 {PLACE(1, 38), "'__private half'", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"}},
	{"arguments of several types", "", "kernel void k(global float *q) { q[0] = max(0, q[0]); }",
	 {PLACE(1, 41), "call to 'max' is ambiguous", "cast the arguments", "!different types"}},
	{"an integer for a function of reals", "", "kernel void k(global float *q) { q[0] = sqrt(2); }",
	 {PLACE(1, 41), "call to 'sqrt' is ambiguous", "no version of 'sqrt' takes exactly these types",
	  "!different types"}},
	{"too few arguments", "", "kernel void k(global float *q) { q[0] = fma(q[0], q[1]); }",
	 {PLACE(1, 41), "no matching function for call to 'fma'"}},
	{"a function that is nowhere", "",
	 "float helper(float x);\nkernel void k(global float *q) { q[0] = helper(q[0]); }",
	 {"undefined function 'helper'", "used by 'k'"}},
	{"another address space", "-cl-std=CL1.2",
	 "void set(int *p) { *p = 1; }\nkernel void k(global int *q) { set(q); }",
	 {PLACE(2, 36), "'__global int *", "'__private int *'", "address space"}},
	{"a pointer to nowhere", "", "kernel void k(int *q) { q[0] = 1; }",
	 {PLACE(1, 20), "must reside in '__global', '__constant' or '__local' address space"}},
	{"an argument whose size is not known", "",
	 "kernel void k(global int *q, size_t n) { q[n] = 1; }",
	 {PLACE(1, 37), "size_t", "cannot be used as the type of a kernel parameter"}},
	{"a kernel that returns", "", "kernel int k(global int *q) { return q[0]; }",
	 /* Column 12, or 8 by Clang 22. */
	 {"<kernel>:1:", "error: kernel ", "must have void return type"}},
	{"an image read as floats without a sampler", "-cl-std=CL1.2",
	 "kernel void k(read_only image2d_t i, global float4 *q)\n"
	 "{ q[0] = read_imagef(i, (float2)(0.5f)); }",
	 {PLACE(2, 10), "no matching function for call to 'read_imagef'",
	  "from 'float2'", "for 2nd argument"}},
	{"an image that is only read", "",
	 "kernel void k(read_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(1)); }",
	 {PLACE(1, 40), "'write_imagef'", "__read_only image2d_t' to '__write_only image2d_t'"}},
	{"local memory in a function", "",
	 "int f(int x) { local int t[4]; t[x] = x; return t[0]; }\n"
	 "kernel void k(global int *q) { q[0] = f(q[1]); }",
	 {PLACE(1, 26), "non-kernel function variable cannot be declared in local address space"}},
	{"local memory in an inner scope", "",
	 "kernel void k(global int *q) { if (q[0]) { local int t[4]; t[0] = 1; q[1] = t[0]; } }",
	 {PLACE(1, 54), "can only be declared in the outermost scope of a kernel function"}},
	{"more local memory than there is", "",
	 "kernel void k(global int *q) { local int t[1000000]; t[q[0]] = 1; q[1] = t[q[2]]; }",
	 {"kernel k", "its local variables take 4000000 bytes", "the device has "}},
	{"local memory beyond all numbers", "",
	 "#define A(n) local char a##n[1UL << 60]; a##n[q[0]] = 1; q[n] = a##n[q[1]];\n"
	 "kernel void k(global int *q) { A(0) A(1) A(2) A(3) A(4) A(5) A(6) A(7)\n"
	 "A(8) A(9) A(10) A(11) A(12) A(13) A(14) A(15) }",
	 {"kernel k", "its local variables take", "the device has "}},
	{"a format that is not known", "",
	 "kernel void k(constant char *f) { printf(f, 1); }",
	 {"printf in function 'k'", "the format is not a string literal"}},
	{"an array whose size is not known", "",
	 "kernel void k(global int *q, int n) { int a[n]; a[0] = 1; q[0] = a[n - 1]; }",
	 {PLACE(1, 45), "variable length array"}},
	{"a vector as in C++", "", "kernel void k(global float4 *q) { q[0] = float4(1, 2, 3, 4); }",
	 {PLACE(1, 42), "'float4'"}},
	{"vectors of two sizes", "",
	 "kernel void k(global float4 *q, float2 v) { q[0] = q[1] + v; }",
	 {PLACE(1, 57), "'float4' (vector of 4 'float' values)", "'float2'", "not permitted"}},
	{"an element that there is not", "", "kernel void k(global float *q, float2 v) { q[0] = v.z; }",
	 {PLACE(1, 52), "vector component access exceeds type", "float2"}},
	{"a pointer to a function", "",
	 "int f(int x) { return x; }\nkernel void k(global int *q) { int (*p)(int) = f; q[0] = p(1); }",
	 {PLACE(2, 37), "pointers to functions are not allowed"}},
	{"what must not be written", "", "kernel void k(global const int *q) { q[0] = 1; }",
	 {PLACE(1, 43), "read-only variable is not assignable"}},
	{"device-side enqueue", "-cl-std=CL3.0",
	 "kernel void k(global int *q) { queue_t d = get_default_queue(); q[0] = 1; }",
	 {PLACE(1, 32), "'queue_t'", "this device has no device-side enqueue"}},
	{"device-side enqueue of OpenCL C 2.0", "-cl-std=CL2.0",
	 "kernel void k(global int *q) { queue_t d = get_default_queue(); q[0] = 1; }",
	 /* An undefined function, or an undeclared identifier by Clang 22. */
	 {"'get_default_queue", "error: "}},
	{"a work-group of no work-items", "",
	 "kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k(void) {}",
	 {PLACE(1, 23), "'reqd_work_group_size' attribute must be greater than 0"}},
	{"a table that points to itself", "",
	 "struct node { constant struct node *next; int value; };\n"
	 "constant struct node nodes[2] = {{&nodes[1], 3}, {&nodes[0], 4}};\n"
	 "kernel void k(global int *q) { q[0] = nodes[q[1]].next->value; }",
	 {"Circular dependency found in global variable set"}},
	{"an option that there is not", "-cl-no-such-option", "kernel void k(void) {}",
	 {"-cl-no-such-option"}},
};

/* What can be built, and is hardly meant. */
static const struct mistake doubts[] = {
	{"a work-group that is too large", "",
	 "kernel __attribute__((reqd_work_group_size(64, 32, 1))) void k(global int *q) { q[0] = 1; }",
	 {"warning: kernel k", "reqd_work_group_size(64, 32, 1)", "cannot be launched"}},
	{"commas without a type", "", "kernel void k(global float4 *q) { q[0] = (1, 2, 3, 4); }",
	 {"<kernel>:1:43: warning:", "comma operator"}},
};

static void check(struct api_test *test, const struct mistake *mistake, bool built)
{
	char log[16384];
	cl_int code = build_code(test->context, test->device, mistake->source, mistake->options,
				 log, sizeof(log));
	bool good = CHECK((code == CL_SUCCESS) == built);
	for (int i = 0; i < 4 && mistake->says[i]; i++) {
		const char *text = mistake->says[i];
		const bool wanted = *text != '!';
		if (!CHECK((strstr(log, text + !wanted) != NULL) == wanted)) {
			printf("\"%s\" is %s the log\n", text + !wanted, wanted ? "not in" : "in");
			good = false;
		}
	}
	if (!good)
		printf("of %s (code %d):\n%s\n", mistake->name, code, log);
}

int main(void)
{
	struct api_test test;
	if (!api_test_start(&test, "diagnostics"))
		return API_TEST_SKIP;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		check(&test, &mistakes[i], false);
	for (size_t i = 0; i < sizeof(doubts) / sizeof(*doubts); i++)
		check(&test, &doubts[i], true);
	return api_test_end(&test);
}
