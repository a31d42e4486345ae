#include "config.h"

#include "backend/codegen.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char header[] =
	"target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-"
	"i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
	"target triple = \"nvptx64-nvidia-cuda\"\n";
static const char footer[] =
	"!nvvm.annotations = !{!1}\n"
	"!1 = !{void (float addrspace(1)*, float)* @k, !\"kernel\", i32 1}\n"
	"!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0, i32 3, i32 1}\n";
static const char multiply_add[] =
	"define void @k(float addrspace(1)* %p, float %a) {\nentry:\n"
	"  %x = load float, float addrspace(1)* %p, align 4\n"
	"  %m = fmul float %x, %a\n  %s = fadd float %m, %x\n  %d = fdiv float %s, %a\n"
	"  store float %d, float addrspace(1)* %p, align 4\n  ret void\n}\n";
static const char calls_libdevice[] =
	"declare float @__nv_sinf(float)\n"
	"define void @k(float addrspace(1)* %p, float %a) {\nentry:\n"
	"  %s = call float @__nv_sinf(float %a)\n"
	"  store float %s, float addrspace(1)* %p, align 4\n  ret void\n}\n";

static const struct be_codegen_options plain = {
	.sm = 75, .choice = {.precise_divide = true, .precise_sqrt = true, .optimization = 3}};

static bool library_missing(void)
{
	struct bytes log = BYTES_INIT;
	bool missing = be_nvvm_load(&log) != CL_SUCCESS;
	bytes_finish(&log);
	return missing;
}

static cl_int compile(const char *body, const struct be_codegen_options *options,
		      const struct bytes *libdevice, struct bytes *ptx, struct bytes *log)
{
	struct be_codegen_options known = *options;
	struct bytes ir = BYTES_INIT;
	bytes_printf(&ir, "%s%s%s", header, body, footer);
	cl_int err = be_nvvm_arch(options->sm, &known.sm);
	if (!err)
		err = be_nvvm_compile(ir.data, ir.size_B, libdevice ? libdevice->data : NULL,
				      libdevice ? libdevice->size_B : 0, &known, ptx, log);
	bytes_finish(&ir);
	return err;
}

/* In a process of its own: the environment is read once. */
static void a_missing_library_is_told(void)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		struct bytes log = BYTES_INIT;
		unsigned arch;
		bool right = !setenv("CULVERT_LIBNVVM", "/nonexistent/libnvvm.so", 1) &&
			     be_nvvm_load(&log) == CL_COMPILER_NOT_AVAILABLE &&
			     strstr(bytes_string(&log), "/nonexistent/libnvvm.so: no such file") &&
			     be_nvvm_arch(90, &arch) == CL_COMPILER_NOT_AVAILABLE &&
			     !*be_nvvm_id(75);
		bytes_finish(&log);
		_exit(right ? 0 : 1);
	}
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void no_library_lists_every_place(void)
{
	struct bytes log = BYTES_INIT;
	if (be_nvvm_load(&log)) {
		CHECK(strstr(bytes_string(&log), "libnvvm.so.4"));
		CHECK(strstr(bytes_string(&log), "libnvidia-nvvm.so.4"));
	} else {
		CHECK_EQ(log.size_B, 0);
		CHECK(!strncmp(be_nvvm_id(75), "libnvvm ", 8));
	}
	bytes_finish(&log);
}

static void arch_is_the_newest_below(void)
{
	unsigned arch = 0;
	if (library_missing())
		SKIP("no libnvvm");
	CHECK_EQ(be_nvvm_arch(90, &arch), CL_SUCCESS);
	CHECK_EQ(arch, 90);
	CHECK_EQ(be_nvvm_arch(91, &arch), CL_SUCCESS);
	CHECK_EQ(arch, 90);
	CHECK_EQ(be_nvvm_arch(999, &arch), CL_SUCCESS);
	CHECK(arch >= 90);
	arch = 7;
	CHECK_EQ(be_nvvm_arch(10, &arch), CL_COMPILER_NOT_AVAILABLE);
	CHECK_EQ(arch, 7);
}

static bool ptx_has(const struct be_codegen_options *options, const char *text)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	cl_int err = compile(multiply_add, options, NULL, &ptx, &log);
	bool has = !err && strstr(bytes_string(&ptx), text);
	CHECK_EQ(err, CL_SUCCESS);
	CHECK_STRING(bytes_string(&log), "");
	bytes_finish(&ptx);
	bytes_finish(&log);
	return has;
}

static void options_reach_the_code(void)
{
	struct be_codegen_options options = plain;
	if (library_missing())
		SKIP("no libnvvm");
	CHECK(ptx_has(&options, ".entry k("));
	CHECK(ptx_has(&options, "mul.rn.f32"));
	CHECK(ptx_has(&options, "div.rn.f32"));
	CHECK(!ptx_has(&options, "fma.rn"));
	options.choice.fuse_multiply_add = true;
	CHECK(ptx_has(&options, "fma.rn.f32"));
	options.choice.flush_denormals = true;
	CHECK(ptx_has(&options, "fma.rn.ftz.f32"));
	options.choice.precise_divide = false;
	CHECK(ptx_has(&options, "div.full.ftz.f32"));
	options.choice.line_info = true;
	options.choice.optimization = 0;
	CHECK(ptx_has(&options, ".entry k("));
	options.sm = 120;
	CHECK(ptx_has(&options, ".entry k("));
}

static void bad_text_fails_with_a_log(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
	if (library_missing())
		SKIP("no libnvvm");
	CHECK_EQ(compile("define void @k( nonsense\n", &plain, NULL, &ptx, &log),
		 CL_BUILD_PROGRAM_FAILURE);
	CHECK_EQ(ptx.size_B, 0);
	CHECK(log.size_B > 0);
	bytes_finish(&log);
	struct be_codegen_options odd = plain;
	odd.sm = 76;
	CHECK_EQ(be_nvvm_compile(header, strlen(header), NULL, 0, &odd, &ptx, &log),
		 CL_BUILD_PROGRAM_FAILURE);
	CHECK(log.size_B > 0);
	bytes_finish(&log);
}

static void libdevice_is_added(void)
{
	struct bytes ptx = BYTES_INIT, log = BYTES_INIT, libdevice = BYTES_INIT;
	if (library_missing() || bytes_read_file(&libdevice, LIBDEVICE))
		SKIP("no libnvvm or no libdevice");
	CHECK_EQ(compile(calls_libdevice, &plain, &libdevice, &ptx, &log), CL_SUCCESS);
	CHECK_STRING(bytes_string(&log), "");
	CHECK(!strstr(bytes_string(&ptx), ".extern .func"));
	bytes_finish(&ptx);
	bytes_finish(&log);
	bytes_finish(&libdevice);
}

static void *compile_often(void *argument)
{
	int *wrong = argument;
	for (int i = 0; i < 20; i++) {
		struct bytes ptx = BYTES_INIT, log = BYTES_INIT;
		if (compile(multiply_add, &plain, NULL, &ptx, &log) ||
		    !strstr(bytes_string(&ptx), ".entry k("))
			(*wrong)++;
		bytes_finish(&ptx);
		bytes_finish(&log);
	}
	return NULL;
}

static void threads_compile_at_once(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	int wrong[THREADS] = {0};
	if (library_missing())
		SKIP("no libnvvm");
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, compile_often, &wrong[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ(wrong[i], 0);
	}
}

/* The module with one kernel, @k, whose name becomes a letter of its own. */
static void append_module(struct bytes *ir, const char *body, char name)
{
	const size_t begin_B = ir->size_B;
	bytes_printf(ir, "%s%s%s", header, body, footer);
	REQUIRE(!bytes_failed(ir));
	for (char *at = ir->data + begin_B; (at = strstr(at, "@k")) != NULL;)
		at[1] = name;
}

/* last: the third module's body. */
static cl_int compile_three(const char *last, unsigned threads, struct bytes *ptx)
{
	struct be_codegen_options options = plain;
	struct bytes ir = BYTES_INIT, log = BYTES_INIT;
	options.threads = threads;
	append_module(&ir, multiply_add, 'a');
	bytes_append_char(&ir, '\0');
	append_module(&ir, multiply_add, 'b');
	bytes_append_char(&ir, '\0');
	append_module(&ir, last, 'c');
	cl_int err = be_nvvm_arch(options.sm, &options.sm);
	if (!err)
		err = be_nvvm_compile(ir.data, ir.size_B, NULL, 0, &options, ptx, &log);
	CHECK(!err || log.size_B);
	bytes_finish(&ir);
	bytes_finish(&log);
	return err;
}

static void several_modules_are_one_text(void)
{
	struct bytes one = BYTES_INIT, many = BYTES_INIT;
	if (library_missing())
		SKIP("no libnvvm");
	CHECK_EQ(compile_three(multiply_add, 1, &one), CL_SUCCESS);
	CHECK_EQ(compile_three(multiply_add, 64, &many), CL_SUCCESS);
	CHECK(strstr(bytes_string(&one), ".entry a(") && strstr(bytes_string(&one), ".entry b(") &&
	      strstr(bytes_string(&one), ".entry c("));
	CHECK(!strcmp(bytes_string(&one), bytes_string(&many)));
	bytes_finish(&many);
	CHECK_EQ(compile_three("nonsense\n", 2, &many), CL_BUILD_PROGRAM_FAILURE);
	CHECK_EQ(many.size_B, 0);
	bytes_finish(&one);
	bytes_finish(&many);
}

TEST_MAIN(TEST(a_missing_library_is_told), TEST(no_library_lists_every_place),
	  TEST(arch_is_the_newest_below), TEST(options_reach_the_code),
	  TEST(bad_text_fails_with_a_log), TEST(libdevice_is_added),
	  TEST(threads_compile_at_once), TEST(several_modules_are_one_text))
