/* The compiler from its doors: diagnostics, macros, headers, linking, threads, and
 * that nothing it meets ends or disturbs the process. */
#include "config.h"

#include "base/bytes.h"
#include "frontend/compiler_thread.h"
#include "frontend/frontend.h"
#include "frontend/options.h"
#include "tests/unit/test.h"

#include <llvm-c/Target.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static struct bytes last_log;

static const char *log_text(void)
{
	return bytes_string(&last_log);
}

/* Compiles job with options. */
static enum fe_status compile_with(const char *text, struct fe_compile_job *job,
				   struct bytes *object_out, struct bytes *log)
{
	struct fe_options options;
	enum fe_status status = fe_options_parse(text, false, &options, log);
	if (status)
		return status;
	job->options = &options;
	status = fe_compile(job, object_out, log);
	fe_options_finish(&options);
	return status;
}

static enum fe_status compile_job(struct fe_compile_job *job, const char *options,
				  struct bytes *object_out)
{
	struct bytes object = BYTES_INIT;
	bytes_finish(&last_log);
	enum fe_status status = compile_with(options, job, &object, &last_log);
	if (object_out && !status)
		bytes_move(object_out, &object);
	bytes_finish(&object);
	return status;
}

static struct fe_compile_job job_of(const char *source)
{
	return (struct fe_compile_job){
		.source = source,
		.source_size_B = strlen(source),
		.sm = 90,
		.max_local_B = 232448,
	};
}

static enum fe_status compile(const char *source, const char *options)
{
	struct fe_compile_job job = job_of(source);
	return compile_job(&job, options, NULL);
}

static enum fe_status build(const char *source, const char *options,
			    struct fe_program *program_out)
{
	struct fe_compile_job job = job_of(source);
	struct fe_program program = {0};
	struct fe_options read;
	bytes_finish(&last_log);
	enum fe_status status = fe_options_parse(options, false, &read, &last_log);
	if (status)
		return status;
	job.options = &read;
	status = fe_build(&job, &program, NULL, &last_log);
	fe_options_finish(&read);
	if (!status && program_out)
		*program_out = program;
	else
		fe_program_finish(&program);
	return status;
}

static void expect_log(const char *part)
{
	if (!strstr(log_text(), part)) {
		printf("the log does not have \"%s\":\n%s\n", part, log_text());
		test_failures++;
	}
}

static void expect_ok(enum fe_status status, const char *what)
{
	if (status) {
		printf("%s: status %d\n%s\n", what, status, log_text());
		test_failures++;
	}
}

/* Compiles only if the condition holds in the preprocessor. */
static void expect_macro(const char *options, const char *condition)
{
	struct bytes source = BYTES_INIT;
	bytes_printf(&source, "#if !(%s)\n#error no\n#endif\n", condition);
	if (compile(bytes_string(&source), options)) {
		printf("with '%s' this is false: %s\n%s\n", options, condition, log_text());
		test_failures++;
	}
	bytes_finish(&source);
}

static const char good_kernel[] =
	"__kernel void add(__global float *a, __global const float *b)\n"
	"{ size_t i = get_global_id(0); a[i] += b[i]; }\n";

static void test_diagnostics(void)
{
	expect_ok(compile(good_kernel, NULL), "a good kernel");
	CHECK_EQ(last_log.size_B, 0);

	CHECK_EQ(compile("__kernel void k(__global int *a)\n{\n\ta[0] = nothing;\n}\n", NULL),
		 FE_COMPILE_FAILED);
	expect_log("<kernel>:3:9: error: use of undeclared identifier 'nothing'");
	expect_log("^");
	CHECK(log_text()[last_log.size_B - 1] == '\n');

	static const char unused[] = "__kernel void k(__global int *a) { int x = 1.5; *a = x; }";
	expect_ok(compile(unused, NULL), "a warning");
	expect_log("<kernel>:1:44: warning:");
	CHECK(log_text()[last_log.size_B - 1] == '\n');
	expect_ok(compile(unused, "-w"), "-w");
	CHECK_EQ(last_log.size_B, 0);
	CHECK_EQ(compile(unused, "-Werror"), FE_COMPILE_FAILED);
	expect_ok(compile(unused, "-Werror -w"), "-Werror -w");

	static const char infinite[] = "__kernel void k(__global float *a) { *a = -INFINITY; }";
	expect_ok(compile(infinite, "-cl-fast-relaxed-math -Werror"), "an infinity");
	CHECK_EQ(last_log.size_B, 0);

	CHECK_EQ(compile("#include \"nowhere.h\"\n", NULL), FE_COMPILE_FAILED);
	expect_log("nowhere.h");
	CHECK_EQ(compile("#error stop here\n", NULL), FE_COMPILE_FAILED);
	expect_log("stop here");
	CHECK_EQ(compile(good_kernel, "-unheard-of"), FE_INVALID_OPTIONS);
	expect_log("-unheard-of");
	CHECK_EQ(compile("int f(int x) { return g(x); }", NULL), FE_COMPILE_FAILED);
}

static void test_strange_sources(void)
{
	expect_ok(compile("", NULL), "an empty source");
	expect_ok(compile("\n", NULL), "a blank source");
	struct fe_compile_job job = job_of(good_kernel);
	job.source_size_B = sizeof(good_kernel);
	expect_ok(compile_job(&job, NULL, NULL), "the closing NUL counted in");
	CHECK_EQ(last_log.size_B, 0);
	static const char inner[] = "__kernel void k(\0__global int *a) { *a = 1; }";
	job.source = inner;
	job.source_size_B = sizeof(inner) - 1;
	expect_ok(compile_job(&job, NULL, NULL), "a NUL inside");
	expect_log("null character ignored");
	expect_ok(compile("/* \xff\xfe\x80 */ __kernel void k(__global int *a) { *a = 1; }", NULL),
		  "bytes that are not UTF-8 in a comment");
	CHECK_EQ(compile("__kernel void k(__global int *a) { *a = \xff; }", NULL),
		 FE_COMPILE_FAILED);
	expect_ok(compile("\xef\xbb\xbf__kernel void k(__global int *a) { *a = 1; }", NULL),
		  "a byte order mark");
}

static void test_options(void)
{
	expect_macro("-D X=3 -DY", "X == 3 && Y == 1");
	expect_macro("-D 'TWICE(x)=(2 * (x))'", "TWICE(4) == 8");
	expect_macro("", "__OPENCL_VERSION__ == 310 && __OPENCL_C_VERSION__ == 120");
	expect_macro("-cl-std=CL1.0", "__OPENCL_C_VERSION__ == 100");
	expect_macro("-cl-std=CL1.1", "__OPENCL_C_VERSION__ == 110");
	expect_macro("-cl-std=CL2.0", "__OPENCL_C_VERSION__ >= 200");
	expect_macro("-cl-std=CL3.0", "__OPENCL_C_VERSION__ == 300");
	expect_macro("-cl-std=CL3.1", "__OPENCL_C_VERSION__ == 310 && __OPENCL_VERSION__ == 310");
	expect_macro("", "defined(__ENDIAN_LITTLE__) && !defined(__FAST_RELAXED_MATH__)");
	expect_macro("", "CL_VERSION_1_0 == 100 && CL_VERSION_1_2 == 120 && CL_VERSION_3_0 == 300");
	expect_macro("", "CL_VERSION_3_1 == 310");
	expect_macro("-cl-fast-relaxed-math", "defined(__FAST_RELAXED_MATH__)");
	expect_macro("", "defined(cl_khr_fp16)");
	expect_macro("-cl-opt-disable", "!defined(__OPTIMIZE__)");
	expect_ok(compile("__kernel void k(__global float *a) { *a = 0.1 * *a; }",
			  "-cl-single-precision-constant"), "-cl-single-precision-constant");
	expect_ok(compile(good_kernel,
			  "-cl-opt-disable -cl-strict-aliasing -cl-mad-enable -cl-no-signed-zeros "
			  "-cl-unsafe-math-optimizations -cl-finite-math-only -cl-denorms-are-zero "
			  "-cl-fp32-correctly-rounded-divide-sqrt -cl-kernel-arg-info -g -Werror "
			  "-cl-uniform-work-group-size -cl-no-subgroup-ifp "
			  "-cl-nv-maxrregcount=64 -cl-nv-verbose -cl-nv-opt-level=3"),
		  "all options together");
	CHECK_EQ(last_log.size_B, 0);
}

/* Extensions of OpenCL C 3.0: their functions do not exist in older ones. */
static bool extends_3(const char *name)
{
	static const char *const beginnings[] = {
		"cl_khr_integer_dot_product", "cl_khr_kernel_clock",
		"cl_ext_float_atomics", "cl_intel_required_subgroup_size",
		"cl_khr_work_group_uniform_arithmetic",
	};
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	}
	return false;
}

/* A program sees the macros of what is advertised and of nothing else. */
static void test_feature_macros(void)
{
	size_t count;
	const struct fe_feature *features = fe_features(&count);
	struct bytes condition = BYTES_INIT;
	for (size_t i = 0; i < count; i++)
		bytes_printf(&condition, "%sdefined(%s)", i ? " && " : "", features[i].name);
	expect_macro("-cl-std=CL3.0", bytes_string(&condition));
	bytes_finish(&condition);
	for (size_t i = 0; i < count; i++) {
		struct bytes one = BYTES_INIT;
		bool seen = features[i].is_extension && !extends_3(features[i].name);
		bytes_printf(&one, "%sdefined(%s)", seen ? "" : "!", features[i].name);
		expect_macro("-cl-std=CL1.2", bytes_string(&one));
		bytes_finish(&one);
	}
	static const char *const names[] = {
		"cl_khr_fp16", "cl_khr_3d_image_writes", "cl_khr_subgroups", "cl_intel_subgroups",
		"cl_khr_gl_sharing", "cl_khr_mipmap_image", "__opencl_c_images",
		"__opencl_c_pipes", "__opencl_c_subgroups", "__opencl_c_generic_address_space",
		"__opencl_c_program_scope_global_variables", "__opencl_c_device_enqueue",
		"__opencl_c_read_write_images", "__opencl_c_3d_image_writes",
		"__opencl_c_work_group_collective_functions",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		bool advertised = false;
		for (size_t j = 0; j < count; j++)
			advertised = advertised || !strcmp(names[i], features[j].name);
		struct bytes one = BYTES_INIT;
		bytes_printf(&one, "%sdefined(%s)", advertised ? "" : "!", names[i]);
		expect_macro("-cl-std=CL3.0", bytes_string(&one));
		/* OpenCL C 3.0, 6.12.10; in every version. */
		if (!strcmp(names[i], "__opencl_c_images"))
			expect_macro("-cl-std=CL1.2", advertised ? "__IMAGE_SUPPORT__ == 1"
						      : "!defined(__IMAGE_SUPPORT__)");
		bytes_finish(&one);
	}
}

static void test_embedded_headers(void)
{
	static const struct fe_header headers[] = {
		{"one.h", "#define ONE 1\n", 14},
		{"folder/two.h", "#include \"three.h\"\n#define TWO (THREE - 1)\n", 43},
		{"folder/three.h", "#define THREE 3\n", 16},
		{"one.h", "#error the second of a name\n", 28},
		{"bad.h", "int f(void) { return nothing; }\n", 32},
		{"/rooted/four.h", "#define FOUR 4\n", 15},
	};
	struct fe_compile_job job = job_of("#include \"one.h\"\n#include <folder/two.h>\n"
					   "#include \"/rooted/four.h\"\n"
					   "#if ONE + TWO + FOUR != 7\n"
					   "#error wrong\n#endif\n");
	job.headers = headers;
	job.header_count = sizeof(headers) / sizeof(*headers);
	expect_ok(compile_job(&job, NULL, NULL), "embedded headers");
	job.source = "#include \"bad.h\"\n";
	job.source_size_B = strlen(job.source);
	CHECK_EQ(compile_job(&job, NULL, NULL), FE_COMPILE_FAILED);
	expect_log("bad.h:1:22: error:");
	expect_log("<kernel>:1:");
}

static void write_file(const char *folder, const char *name, const char *text)
{
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%s", folder, name);
	CHECK_EQ(bytes_write_file(text, strlen(text), bytes_string(&path)), 0);
	bytes_finish(&path);
}

static void remove_file(const char *folder, const char *name)
{
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%s", folder, name);
	unlink(bytes_string(&path));
	bytes_finish(&path);
}

static void test_include_folders(void)
{
	char folder[] = "t_frontend includes XXXXXX";
	REQUIRE(mkdtemp(folder) != NULL);
	write_file(folder, "real.h", "#include \"beside.h\"\n");
	write_file(folder, "beside.h", "#define BESIDE 5\n");
	static const char source[] = "#include \"real.h\"\n#if BESIDE != 5\n#error no\n#endif\n";
	struct bytes options = BYTES_INIT;
	bytes_printf(&options, "-I \"%s\"", folder);
	expect_ok(compile(source, bytes_string(&options)), "-I folder");
	CHECK_EQ(compile(source, NULL), FE_COMPILE_FAILED);
	CHECK_EQ(compile(source, "-I /nonexistent"), FE_COMPILE_FAILED);
	/* What the application hands over counts before what lies in folders. */
	struct fe_header header = {"real.h", "#define BESIDE 5\n", 17};
	struct fe_compile_job job = job_of(source);
	job.headers = &header;
	job.header_count = 1;
	remove_file(folder, "beside.h");
	expect_ok(compile_job(&job, bytes_string(&options), NULL), "an embedded header before a folder's");
	remove_file(folder, "real.h");
	rmdir(folder);
	bytes_finish(&options);
}

static void test_language(void)
{
	static const struct {
		const char *what, *options, *source;
	} rows[] = {
		{"PTX assembly", "",
		 "__kernel void k(__global int *a, __global float *f, __global double *d,\n"
		 "                __global long *l, __global short *s) {\n"
		 "  int x; float y; double z; long w; short v;\n"
		 "  __asm__ volatile(\"add.s32 %0, %1, %2;\" : \"=r\"(x) : \"r\"(*a), \"n\"(3));\n"
		 "  __asm__(\"mov.f32 %0, %1;\" : \"=f\"(y) : \"f\"(*f));\n"
		 "  __asm__(\"mov.f64 %0, %1;\" : \"=d\"(z) : \"d\"(*d));\n"
		 "  __asm__(\"mov.b64 %0, %1;\" : \"=l\"(w) : \"l\"(*l));\n"
		 "  asm(\"mov.b16 %0, %1;\" : \"=h\"(v) : \"h\"(*s) : \"memory\");\n"
		 "  *a = x; *f = y; *d = z; *l = w; *s = v; }\n"},
		{"double in OpenCL C 1.2", "",
		 "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
		 "__kernel void k(__global double *a) { *a = sin(*a) + convert_double(1); }\n"},
		{"half in memory", "",
		 "__kernel void k(__global half *h, __global float *f)\n"
		 "{ f[0] = vload_half(0, h); vstore_half_rte(f[1], 1, h); }\n"},
		{"a plain inline function", "",
		 "inline int twice(int x) { return 2 * x; }\n"
		 "__kernel void k(__global int *a) { *a = twice(*a); }\n"},
		{"a plain inline function, not optimized", "-cl-opt-disable",
		 "inline int twice(int x) { return 2 * x; }\n"
		 "__kernel void k(__global int *a) { *a = twice(*a); }\n"},
		{"atomics of OpenCL C 3.0", "-cl-std=CL3.0",
		 "__kernel void k(__global atomic_int *a, __global int *b)\n"
		 "{ *b = atomic_fetch_add_explicit(a, 1, memory_order_relaxed,"
		 " memory_scope_device); }\n"},
		{"overloads of a program's own", "",
		 "float __attribute__((overloadable)) half_of(float x) { return x / 2; }\n"
		 "int __attribute__((overloadable)) half_of(int x) { return x / 2; }\n"
		 "__kernel void k(__global int *a) { *a = half_of(*a) + (int)half_of(2.0f); }\n"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		expect_ok(build(rows[i].source, rows[i].options, NULL), rows[i].what);
		CHECK_EQ(last_log.size_B, 0);
	}
}

static void test_missing_functions(void)
{
	CHECK_EQ(build("float4 __attribute__((overloadable)) elsewhere(float4 a, __global uint *p,"
		       " __local uchar16 *q);\n"
		       "void plain(int x);\n"
		       "static float4 user(__global uint *p, __local uchar16 *q)\n"
		       "{ return elsewhere((float4)(1), p, q); }\n"
		       "__kernel void k(__global float4 *a, __global uint *p, __local uchar16 *q)\n"
		       "{ *a = user(p, q); plain(3); }\n", NULL, NULL), FE_LINK_FAILED);
	expect_log("'elsewhere(float4, __global uint*, __local uchar16*)', used by 'user'");
	expect_log("'plain', used by 'k'");
	/* What no kernel reaches need not exist. */
	expect_ok(build("void plain(int x);\nvoid unused(void) { plain(1); }\n"
			"__kernel void k(__global int *a) { *a = 1; }\n", NULL, NULL),
		  "an unresolved call that no kernel reaches");
	expect_ok(build("extern __constant int nowhere[];\n"
			"__kernel void k(__global int *a) { *a = 1; }\n", NULL, NULL),
		  "a variable that no kernel reaches");
	CHECK_EQ(build("extern __constant int nowhere[];\n"
		       "__kernel void k(__global int *a) { *a = nowhere[1]; }\n", NULL, NULL),
		 FE_LINK_FAILED);
	expect_log("undefined variable 'nowhere'");
}

static void test_program(void)
{
	struct fe_program program;
	enum fe_status status = build("__kernel void k(__global float *a) { *a = sin(*a); }",
				      "-cl-nv-maxrregcount=40 -cl-denorms-are-zero", &program);
	expect_ok(status, "sin");
	if (status)
		return;
	CHECK(program.needs_libdevice);
	CHECK_EQ(program.codegen.max_registers, 40);
	CHECK(program.codegen.flush_denormals);
	CHECK_EQ(program.codegen.optimization, 3);
	CHECK(strstr(bytes_string(&program.nvvm_ir), "__nv_sinf") != NULL);
	REQUIRE(program.abi != NULL);
	CHECK_EQ(program.abi->kernel_count, 1);
	fe_program_finish(&program);
	status = build(good_kernel, NULL, &program);
	expect_ok(status, "add");
	if (status)
		return;
	CHECK(!program.needs_libdevice);
	fe_program_finish(&program);
}

static struct bytes object_of(const char *source, const char *options)
{
	struct bytes object = BYTES_INIT;
	struct fe_compile_job job = job_of(source);
	expect_ok(compile_job(&job, options, &object), "an object to link");
	return object;
}

static enum fe_status link_two(const struct bytes *objects, size_t count, const char *options,
			       struct fe_program *program_out)
{
	struct fe_options read;
	struct fe_link_job job = {.objects = objects, .object_count = count, .options = &read,
				  .sm = 90, .max_local_B = 232448};
	struct fe_program program = {0};
	bytes_finish(&last_log);
	enum fe_status status = fe_options_parse(options, true, &read, &last_log);
	if (status)
		return status;
	status = fe_link(&job, &program, &last_log);
	fe_options_finish(&read);
	if (!status && program_out)
		*program_out = program;
	else
		fe_program_finish(&program);
	return status;
}

static void finish_all(struct bytes *objects, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes_finish(&objects[i]);
}

static void test_link(void)
{
	static const char inlined[] = "inline int both(int x) { return x + 1; }\n";
	struct bytes source = BYTES_INIT;
	bytes_printf(&source, "%s%s", inlined,
		     "int twice(int x);\n"
		     "__kernel void k(__global int *a) { *a = both(twice(*a)); }\n");
	struct bytes other = BYTES_INIT;
	bytes_printf(&other, "%s%s", inlined, "int twice(int x) { return both(2 * x); }\n");
	struct bytes objects[] = {
		object_of(bytes_string(&source), "-cl-nv-maxrregcount=80"),
		object_of(bytes_string(&other), "-cl-fp32-correctly-rounded-divide-sqrt"),
	};
	struct fe_program program;
	enum fe_status status = link_two(objects, 2, "-cl-denorms-are-zero", &program);
	expect_ok(status, "two objects");
	if (!status) {
		CHECK(program.codegen.flush_denormals && program.codegen.precise_divide);
		CHECK_EQ(program.codegen.max_registers, 80);
		fe_program_finish(&program);
	}
	CHECK_EQ(link_two(objects, 1, NULL, NULL), FE_LINK_FAILED);
	expect_log("'twice', used by 'k'");
	CHECK_EQ(link_two(objects, 2, "-DX", NULL), FE_INVALID_OPTIONS);
	CHECK_EQ(link_two(objects, 0, NULL, NULL), FE_LINK_FAILED);

	/* A library, then a program from it. */
	struct fe_options library;
	REQUIRE(!fe_options_parse("-create-library", true, &library, &last_log));
	struct fe_link_job job = {.objects = &objects[1], .object_count = 1, .options = &library,
				  .sm = 90, .max_local_B = 232448};
	struct bytes with_library[2] = {objects[0], BYTES_INIT};
	expect_ok(fe_link_library(&job, &with_library[1], &last_log), "a library");
	expect_ok(link_two(with_library, 2, NULL, NULL), "with a library");
	fe_options_finish(&library);
	bytes_finish(&with_library[1]);
	finish_all(objects, 2);
	bytes_finish(&source);
	bytes_finish(&other);
}

/* Relaxed functions need all objects' leave, or the link's. */
static void test_link_relaxed(void)
{
	static const char relaxed[] = "-cl-unsafe-math-optimizations";
	static const struct {
		const char *one, *other, *link;
		bool relaxed;
	} rows[] = {
		{relaxed, relaxed, NULL, true}, {relaxed, NULL, NULL, false},
		{NULL, relaxed, NULL, false},   {NULL, NULL, relaxed, true},
		{NULL, NULL, NULL, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes objects[] = {
			object_of("float f(float x);\n"
				  "kernel void k(global float *a) { *a = f(cos(*a)); }\n",
				  rows[i].one),
			object_of("float f(float x) { return sin(x); }\n", rows[i].other),
		};
		struct fe_program program;
		enum fe_status status = link_two(objects, 2, rows[i].link, &program);
		expect_ok(status, "relaxed and full objects");
		if (!status) {
			/* What was not chosen is not there, and not linked for nothing. */
			const char *ir = bytes_string(&program.nvvm_ir);
			CHECK_EQ(strstr(ir, "sin.approx.ftz") != NULL, rows[i].relaxed);
			CHECK_EQ(strstr(ir, "cos.approx.ftz") != NULL, rows[i].relaxed);
			CHECK_EQ(program.needs_libdevice, !rows[i].relaxed);
			CHECK(!strstr(ir, "culvert_hidden"));
			fe_program_finish(&program);
		}
		finish_all(objects, 2);
	}
}

/* OpenCL 3.0 API, 5.8.6.2: denormals of half are not what -cl-denorms-are-zero is about. */
static void test_link_half(void)
{
	struct bytes object = object_of(
		"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
		"kernel void k(global half *a) { *a = *a + *a; }\n", NULL);
	struct fe_program program;
	enum fe_status status = link_two(&object, 1, "-cl-denorms-are-zero", &program);
	expect_ok(status, "an object that computes in half");
	if (!status) {
		CHECK(!program.codegen.flush_denormals);
		fe_program_finish(&program);
	}
	bytes_finish(&object);
}

/* Images and samplers pass from object to object, and the facts see samplers of both. */
static void test_link_images(void)
{
	struct bytes objects[] = {
		object_of("float at(read_only image2d_t i, sampler_t s);\n"
			  "float smooth(read_only image2d_t i);\n"
			  "constant sampler_t s = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
			  "kernel void k(read_only image2d_t i, global float *a)\n"
			  "{ *a = at(i, s) + smooth(i); }\n"
			  "kernel void j(read_only image2d_t i, global float *a)\n"
			  "{ *a = at(i, s); }\n"
			  "kernel void n(read_only image2d_t i, global float *a)\n"
			  "{ *a = read_imagef(i, (int2)(0, 0)).x; }\n", NULL),
		object_of("float at(read_only image2d_t i, sampler_t s)\n"
			  "{ return read_imagef(i, s, (float2)(1.0f, 2.0f)).x; }\n"
			  "float smooth(read_only image2d_t i) {\n"
			  "const sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
			  "return at(i, s); }\n", NULL),
	};
	struct fe_program program;
	enum fe_status status = link_two(objects, 2, NULL, &program);
	expect_ok(status, "images");
	if (!status) {
		/* addressing * 4 + normalized * 2 + linear */
		CHECK_EQ(abi_program_kernel(program.abi, "k")->sampler_states, 1u << 8 | 1u << 5);
		CHECK_EQ(abi_program_kernel(program.abi, "j")->sampler_states, 1u << 8);
		CHECK_EQ(abi_program_kernel(program.abi, "n")->sampler_states, 1u);
		fe_program_finish(&program);
	}
	finish_all(objects, 2);
}

/* Types and tables that the programs share through a header. */
static void test_link_shared_types(void)
{
	static const char header[] =
		"typedef struct { float4 position; int tag[3]; struct { char c; } in; } item;\n"
		"item make_item(float x, item like);\n"
		"extern constant int table[];\n";
	struct bytes user = BYTES_INIT, maker = BYTES_INIT;
	bytes_printf(&user, "%s%s", header,
		     "kernel void k(global item *a) { a[0] = make_item(2, a[1]);"
		     " a[0].tag[0] = table[2]; }\n");
	bytes_printf(&maker, "%s%s", header,
		     "constant int table[4] = {1, 2, 3, 4};\n"
		     "item make_item(float x, item like) { like.position *= x; return like; }\n");
	struct bytes objects[] = {
		object_of(bytes_string(&user), NULL),
		object_of(bytes_string(&maker), NULL),
	};
	expect_ok(link_two(objects, 2, NULL, NULL), "user first");
	struct bytes swapped[] = {objects[1], objects[0]};
	expect_ok(link_two(swapped, 2, NULL, NULL), "maker first");
	finish_all(objects, 2);
	bytes_finish(&user);
	bytes_finish(&maker);
}

static void test_link_clashes(void)
{
	struct bytes objects[] = {
		object_of("int twice(int x) { return x; }\nint thrice(int x) { return x; }\n",
			  NULL),
		object_of("int twice(int x) { return 2 * x; }\nint thrice(int x) { return x; }\n",
			  NULL),
		object_of("float twice(float4 x);\n"
			  "__kernel void k(__global float *a) { *a = twice((float4)(1)); }\n",
			  NULL),
	};
	CHECK_EQ(link_two(objects, 2, NULL, NULL), FE_LINK_FAILED);
	expect_log("'twice' is defined in more than one program");
	expect_log("'thrice' is defined in more than one program");
	CHECK_EQ(link_two(&objects[1], 2, NULL, NULL), FE_LINK_FAILED);
	expect_log("'twice' has a different type in another program");

	/* Damage and strangers are found before LLVM reads them. */
	struct bytes garbage = {.data = (char *)"BC\xc0\xde nonsense of some length", .size_B = 29};
	CHECK_EQ(link_two(&garbage, 1, NULL, NULL), FE_LINK_FAILED);
	struct bytes empty = BYTES_INIT;
	CHECK_EQ(link_two(&empty, 1, NULL, NULL), FE_LINK_FAILED);
	objects[0].data[objects[0].size_B / 2] ^= 4;
	CHECK_EQ(link_two(objects, 1, NULL, NULL), FE_LINK_FAILED);
	expect_log("not a program compiled by this compiler");
	objects[1].size_B -= 4;
	CHECK_EQ(link_two(&objects[1], 1, NULL, NULL), FE_LINK_FAILED);
	finish_all(objects, 3);
}

/* There when the leak sanitizer is: what LLVM held at a fatal error is lost by design. */
void __lsan_disable(void) __attribute__((weak));

static enum fe_status fatal_task(void *argument)
{
	if (__lsan_disable)
		__lsan_disable();
	/* A layout that cannot be read is one of LLVM's fatal errors. */
	LLVMDisposeTargetData(LLVMCreateTargetData(argument));
	return FE_OK;
}

static void test_fatal_error(void)
{
	char layout[] = "nonsense";
	for (int i = 0; i < 3; i++) {
		struct bytes log = BYTES_INIT;
		CHECK_EQ(fe_compiler_thread_run(fatal_task, layout, &log), FE_INTERNAL);
		CHECK(strstr(bytes_string(&log), "the compiler failed") != NULL);
		bytes_finish(&log);
		expect_ok(compile(good_kernel, NULL), "a compile after a fatal error");
	}
}

static enum fe_status mask_task(void *argument)
{
	sigset_t *mask = argument;
	return pthread_sigmask(SIG_SETMASK, NULL, mask) ? FE_INTERNAL : FE_OK;
}

/* What the process began with, before anything was compiled; a parent may have
 * left signals ignored. */
static const int watched_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTERM, SIGINT};
static struct sigaction
	first_actions[sizeof(watched_signals) / sizeof(watched_signals[0])];

static void remember_signals(void)
{
	for (size_t i = 0; i < sizeof(watched_signals) / sizeof(watched_signals[0]); i++)
		CHECK(!sigaction(watched_signals[i], NULL, &first_actions[i]));
}

static void test_signals(void)
{
	sigset_t before, inside, after;
	sigemptyset(&inside);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	CHECK_EQ(fe_compiler_thread_run(mask_task, &inside, &last_log), FE_OK);
	CHECK(sigismember(&inside, SIGALRM) && sigismember(&inside, SIGINT));
	CHECK(sigismember(&inside, SIGUSR1) && !sigismember(&inside, SIGSEGV));
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int signal = 1; signal < 32; signal++)
		CHECK_EQ(sigismember(&before, signal), sigismember(&after, signal));
	struct sigaction action;
	expect_ok(compile(good_kernel, NULL), "a compile");
	for (size_t i = 0; i < sizeof(watched_signals) / sizeof(watched_signals[0]); i++) {
		CHECK(!sigaction(watched_signals[i], NULL, &action));
		CHECK(action.sa_handler == first_actions[i].sa_handler);
	}
}

/* Compiles good and bad sources while standard output and error lead to a file. */
static void test_silence(void)
{
	char path[] = "t_frontend-silence-XXXXXX";
	int file = mkstemp(path);
	REQUIRE(file >= 0);
	fflush(stdout);
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
	dup2(file, STDOUT_FILENO);
	dup2(file, STDERR_FILENO);
	compile(good_kernel, NULL);
	compile("int x = ;", NULL);
	compile("__kernel void k(__global int *a) { int x = 1.5; *a = x; }", "-cl-std=CL3.0");
	build("void f(void);\n__kernel void k(void) { f(); }", NULL, NULL);
	fflush(stdout);
	off_t written = lseek(file, 0, SEEK_END);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	close(file);
	unlink(path);
	CHECK_EQ(written, 0);
}

/* Parsing and generating follow the nesting of the source. */
static void test_depth(void)
{
	struct bytes source = BYTES_INIT;
	bytes_append_string(&source, "__kernel void k(__global int *a) { *a = a[1]");
	for (int i = 0; i < 3000; i++)
		bytes_append_string(&source, " + a[2]");
	bytes_append_string(&source, "; }");
	expect_ok(compile(bytes_string(&source), NULL), "a long expression");
	bytes_finish(&source);
	bytes_append_string(&source, "__kernel void k(__global int *a) { *a = ");
	for (int i = 0; i < 100000; i++)
		bytes_append_char(&source, '(');
	CHECK_EQ(compile(bytes_string(&source), NULL), FE_COMPILE_FAILED);
	bytes_finish(&source);
}

enum { THREADS = 8, ROUNDS = 12 };

/* Each thread compiles sources that only it has, good and bad in turn. */
static void *compile_many(void *argument)
{
	int number = *(int *)argument;
	for (int round = 0; round < ROUNDS; round++) {
		bool good = round % 3;
		struct bytes source = BYTES_INIT, log = BYTES_INIT, object = BYTES_INIT;
		bytes_printf(&source,
			     "__kernel void k%d(__global float *a) { a[%d] = sin(a[0])%s }\n",
			     number, round, good ? ";" : " + missing;");
		struct fe_compile_job job = job_of(bytes_string(&source));
		enum fe_status status = compile_with("-cl-std=CL3.0", &job, &object, &log);
		if (status != (good ? FE_OK : FE_COMPILE_FAILED) ||
		    (!good && !strstr(bytes_string(&log), "missing")))
			*(int *)argument = -1;
		bytes_finish(&source);
		bytes_finish(&log);
		bytes_finish(&object);
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		REQUIRE(!pthread_create(&threads[i], NULL, compile_many, &numbers[i]));
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ(numbers[i], i);
	}
}

/* Some 200 instructions each. */
#define STEPS "#define FOUR(x) x x x x\n#define STEPS FOUR(FOUR(FOUR(x = x * 3 ^ x >> 1;)))\n"

static size_t count_modules(const char *source, const char *options)
{
	struct fe_program program = {0};
	size_t count = 1;
	expect_ok(build(source, options, &program), "large kernels");
	for (size_t i = 0; i < program.nvvm_ir.size_B; i++)
		count += !program.nvvm_ir.data[i];
	fe_program_finish(&program);
	return count;
}

/* Two kernels of some 600 instructions each, and what goes between and behind. */
static size_t count_modules_of_two(const char *between, const char *options)
{
	struct bytes source = BYTES_INIT;
	bytes_append_string(&source, "global int counted;\nconstant int steps[2] = {3, 5};\n" STEPS);
	bytes_printf(&source, "kernel void a(global int *p) { int x = p[0]; STEPS STEPS STEPS %s p[1] = x; }\n",
		     between);
	bytes_printf(&source, "kernel void b(global int *p) { int x = p[0]; STEPS STEPS STEPS %s p[2] = x; }\n",
		     between);
	const size_t count = count_modules(bytes_string(&source), options);
	bytes_finish(&source);
	return count;
}

static void test_parts(void)
{
	CHECK_EQ(count_modules_of_two("x += steps[x & 1];", "-cl-std=CL3.0"), 2);
	/* A variable that kernels write is one for both. */
	CHECK_EQ(count_modules_of_two("counted += x;", "-cl-std=CL3.0"), 1);
	CHECK_EQ(count_modules_of_two("", "-cl-std=CL3.0 -cl-opt-disable"), 1);
	CHECK_EQ(count_modules_of_two("", "-cl-std=CL3.0 -g"), 1);
}

/* What is most of several kernels and too large to become a part of each is compiled once. */
static void test_parts_in_common(void)
{
#define LARGE "int large(int x) { STEPS STEPS STEPS STEPS return x; }\n"
#define SMALL "int small(int x) { STEPS return x; }\n"
#define CALLS(name, callee) "kernel void " name "(global int *p) { p[0] = " callee "(" callee "(p[1])); }\n"
#define ALONE(name) "kernel void " name "(global int *p) { int x = p[0]; STEPS STEPS STEPS STEPS p[1] = x; }\n"
	CHECK_EQ(count_modules(STEPS LARGE CALLS("a", "large") CALLS("b", "large"), ""), 1);
	CHECK_EQ(count_modules(STEPS LARGE CALLS("a", "large") ALONE("b") CALLS("c", "large"), ""), 2);
	CHECK_EQ(count_modules(STEPS SMALL CALLS("a", "small") CALLS("b", "small") CALLS("c", "small")
			       CALLS("d", "small"), ""), 2);
}

static void test_identity(void)
{
	CHECK(strstr(fe_compiler_id(), "clang") != NULL);
	CHECK(strstr(fe_compiler_id(), "builtins ") != NULL);
	CHECK(fe_compiler_id() == fe_compiler_id());
	size_t size_B;
	const char *libdevice = fe_libdevice(&size_B);
	CHECK(size_B > 100000);
	CHECK(!memcmp(libdevice, "BC\xc0\xde", 4));
	bytes_finish(&last_log);
}

/* Up to sm_90, libnvvm may not end where generic addresses of global memory remain. */
static void test_generic_addresses(void)
{
	struct fe_program program;
	enum fe_status status = build("struct four { float f[4]; }; kernel void k(global float *a, int n) {\n"
				      "	struct four all = {{1, 2, 3, 4}}; all.f[n] = n;\n"
				      "	float *p = a; p[n] = p[n + 1];\n"
				      "	*(struct four *)(p + 4) = all; }\n", "-cl-std=CL3.0", &program);
	expect_ok(status, "generic addresses of global memory");
	if (status)
		return;
	const char *ir = bytes_string(&program.nvvm_ir);
	CHECK(strstr(ir, "store float") && !strstr(ir, "addrspacecast"));
	CHECK(strstr(ir, "call void @llvm.memcpy.p1i8.p0i8.i64(i8 addrspace(1)* align 4 ") != NULL);
	fe_program_finish(&program);
}

TEST_MAIN(TEST(remember_signals), TEST(test_diagnostics), TEST(test_strange_sources),
	  TEST(test_options),
	  TEST(test_feature_macros), TEST(test_embedded_headers), TEST(test_include_folders),
	  TEST(test_language), TEST(test_missing_functions), TEST(test_program),
	  TEST(test_link), TEST(test_link_relaxed), TEST(test_link_half), TEST(test_link_images),
	  TEST(test_link_shared_types), TEST(test_link_clashes), TEST(test_fatal_error), TEST(test_signals),
	  TEST(test_silence), TEST(test_depth), TEST(test_threads), TEST(test_parts),
	  TEST(test_parts_in_common), TEST(test_generic_addresses), TEST(test_identity))
