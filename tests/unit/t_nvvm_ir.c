/* Facts, lowering and printing on small modules in LLVM's own text.  Where a
 * libnvvm is found, each text is also compiled, in both dialects. */
#include "config.h"

#include "tests/unit/lowered.h"

#include <llvm/Config/llvm-config.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* libnvvm, by its public interface. */
struct nvvm {
	int (*create)(void **program);
	int (*destroy)(void **program);
	int (*add)(void *program, const char *text, size_t size_B, const char *name);
	int (*compile)(void *program, int count, const char **options);
	int (*log_size)(void *program, size_t *size_B);
	int (*log)(void *program, char *log);
};

static bool load_nvvm(struct nvvm *nvvm)
{
	const char *places[] = {
		getenv("CULVERT_LIBNVVM"), "libnvvm.so.4", "libnvvm.so",
		"/usr/local/cuda/nvvm/lib64/libnvvm.so", "/usr/local/cuda/lib/libnvvm.so",
		"/usr/local/cuda/lib64/libnvvm.so", "libnvidia-nvvm.so.4",
	};
	void *library = NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !library; i++) {
		if (places[i] && *places[i])
			library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
	}
	if (!library)
		return false;
	*(void **)&nvvm->create = dlsym(library, "nvvmCreateProgram");
	*(void **)&nvvm->destroy = dlsym(library, "nvvmDestroyProgram");
	*(void **)&nvvm->add = dlsym(library, "nvvmAddModuleToProgram");
	*(void **)&nvvm->compile = dlsym(library, "nvvmCompileProgram");
	*(void **)&nvvm->log_size = dlsym(library, "nvvmGetProgramLogSize");
	*(void **)&nvvm->log = dlsym(library, "nvvmGetProgramLog");
	return nvvm->create && nvvm->destroy && nvvm->add && nvvm->compile && nvvm->log_size &&
	       nvvm->log;
}

static bool compiles(const struct nvvm *nvvm, const struct bytes *text, const char *option)
{
	void *program = NULL;
	size_t size_B = 0;
	if (nvvm->create(&program))
		return false;
	bool done = !nvvm->add(program, bytes_string(text), text->size_B, "test") &&
		    !nvvm->compile(program, 1, &option);
	if (!done && !nvvm->log_size(program, &size_B) && size_B > 1) {
		char *log = calloc(1, size_B + 1);
		if (log && !nvvm->log(program, log))
			printf("%s\n", log);
		free(log);
	}
	nvvm->destroy(&program);
	return done;
}

/* Everything in one module that the tests below look at one by one. */
static const char kernels_ir[] =
	"%S = type { i32, [2 x float] }\n"
	"@table.x = internal addrspace(4) constant [2 x ptr addrspace(4)] "
	"[ptr addrspace(4) @one, ptr addrspace(4) @one]\n"
	"@one = internal addrspace(4) constant half 0xH3C00, align 2\n"
	"@count = internal addrspace(1) global i32 5, align 4\n"
	"@k.tile = internal addrspace(3) global [16 x float] undef, align 4\n"
	"declare i64 @__culvert_hidden_global_offset_x()\n"
	"declare i64 @__culvert_hidden_global_offset_z()\n"
	"declare i32 @__culvert_hidden_work_dim()\n"
	"declare i32 @llvm.umax.i32(i32, i32)\n"
	"declare float @llvm.rint.f32(float)\n"
	"declare void @llvm.nvvm.barrier0()\n"
	"define internal i64 @id() {\n"
	"  %o = call i64 @__culvert_hidden_global_offset_x()\n  ret i64 %o\n}\n"
	"define spir_kernel void @add(ptr addrspace(1) align 4 %out, ptr addrspace(4) align 4 %c,"
	" ptr byval(%S) align 4 %s, <3 x float> %v)"
	" !kernel_arg_type !0 !kernel_arg_name !1 !kernel_arg_type_qual !2"
	" !reqd_work_group_size !3 !vec_type_hint !4 {\n"
	"  %slot = alloca ptr addrspace(1), align 8\n"
	"  store ptr addrspace(1) %out, ptr %slot\n"
	"  %a = load i32, ptr addrspace(4) %c, align 4\n"
	"  %f = getelementptr inbounds %S, ptr %s, i32 0, i32 1, i32 1\n"
	"  %b = load float, ptr %f, align 4\n"
	"  %r = call float @llvm.rint.f32(float %b)\n"
	"  %n = fneg float %r\n"
	"  %i = fptosi float %n to i32\n"
	"  %fr = freeze i32 %i\n"
	"  %m = call i32 @llvm.umax.i32(i32 %a, i32 %fr)\n"
	"  %id = call i64 @id()\n"
	"  %p = load ptr addrspace(1), ptr %slot\n"
	"  %q = getelementptr i32, ptr addrspace(1) %p, i64 %id\n"
	"  store i32 %m, ptr addrspace(1) %q, align 4\n"
	"  %t = load ptr addrspace(4), ptr addrspace(4) @table.x\n"
	"  %h = load half, ptr addrspace(4) %t\n"
	"  %hf = fpext half %h to float\n"
	"  store float %hf, ptr addrspace(1) %q, align 4\n"
	"  ret void\n}\n"
	"define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(3) align 16 %l) {\n"
	"  %w = call i32 @__culvert_hidden_work_dim()\n"
	"  %z = call i64 @__culvert_hidden_global_offset_z()\n"
	"  %i = call i64 @id()\n"
	"  %v = load i32, ptr addrspace(1) %in\n"
	"  store i32 %v, ptr addrspace(3) %l\n"
	"  store i32 %w, ptr addrspace(3) @k.tile\n"
	"  call void @llvm.nvvm.barrier0()\n"
	"  ret void\n}\n"
	"define spir_kernel void @outer(ptr addrspace(1) %in, ptr addrspace(3) align 16 %l) {\n"
	"  call spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(3) %l)\n"
	"  ret void\n}\n"
	"!0 = !{!\"int*\", !\"int*\", !\"struct S\", !\"float3\"}\n"
	"!1 = !{!\"out\", !\"c\", !\"s\", !\"v\"}\n"
	"!2 = !{!\"restrict volatile\", !\"const\", !\"\", !\"\"}\n"
	"!3 = !{i32 8, i32 4, i32 1}\n"
	"!4 = !{<4 x float> undef, i32 0}\n";

static void test_facts(void)
{
	struct outcome o = lower(kernels_ir, 75, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	CHECK_EQ(o.abi->kernel_count, 3);
	CHECK_STRING(o.abi->kernels[0].name, "add");
	CHECK_STRING(o.abi->kernels[0].attributes,
		     "reqd_work_group_size(8,4,1) vec_type_hint(float4)");
	const struct abi_argument *a = o.abi->kernels[0].arguments;
	CHECK_EQ(a[0].kind, ABI_ARGUMENT_GLOBAL);
	CHECK(a[0].may_write && !a[0].may_read);
	CHECK_EQ(a[0].type_qualifiers, ABI_TYPE_RESTRICT | ABI_TYPE_VOLATILE);
	CHECK_EQ(a[1].kind, ABI_ARGUMENT_CONSTANT);
	CHECK(!a[1].may_write && a[1].may_read);
	CHECK_EQ(a[2].kind, ABI_ARGUMENT_VALUE);
	CHECK_EQ(a[2].size_B, 12);
	CHECK_EQ(a[2].align_B, 4);
	CHECK_EQ(a[3].size_B, 16);
	CHECK_EQ(a[3].align_B, 16);
	CHECK_STRING(a[3].type_name, "float3");
	CHECK(!o.abi->kernels[0].has_barrier);
	CHECK(o.abi->kernels[1].has_barrier && o.abi->kernels[2].has_barrier);
	CHECK_EQ(o.abi->kernels[2].arguments[1].kind, ABI_ARGUMENT_LOCAL);
	CHECK_EQ(o.abi->kernels[2].arguments[1].align_B, 16);
	CHECK(!o.abi->kernels[2].arguments[0].may_write);
	CHECK_EQ(o.abi->global_variables_B, 4);
	outcome_finish(&o);
}

/* As Clang writes kernels of images, with the library's part of reading one. */
static const char images_ir[] =
	"declare ptr addrspace(4) @__translate_sampler_initializer(i32)\n"
	"declare ptr addrspace(1) @__culvert_image(ptr addrspace(1))\n"
	"declare i32 @__culvert_sampler(ptr addrspace(4))\n"
	"define internal i32 @read(ptr addrspace(1) %image, ptr addrspace(4) %s) {\n"
	"  %d = call ptr addrspace(1) @__culvert_image(ptr addrspace(1) %image)\n"
	"  %width = load i32, ptr addrspace(1) %d\n"
	"  %bits = call i32 @__culvert_sampler(ptr addrspace(4) %s)\n"
	"  %sum = add i32 %width, %bits\n"
	"  ret i32 %sum\n}\n"
	"define internal i32 @repeated(ptr addrspace(1) %image) {\n"
	"  %s = call ptr addrspace(4) @__translate_sampler_initializer(i32 39)\n"
	"  %r = call i32 @read(ptr addrspace(1) %image, ptr addrspace(4) %s)\n"
	"  ret i32 %r\n}\n"
	"define spir_kernel void @sampled(ptr addrspace(1) %a, ptr addrspace(1) %b,\n"
	"                                 ptr addrspace(1) %c, ptr addrspace(4) %s)\n"
	"    !kernel_arg_addr_space !1 !kernel_arg_access_qual !2 !kernel_arg_type !3\n"
	"    !kernel_arg_base_type !4 {\n"
	"  %clamped = call ptr addrspace(4) @__translate_sampler_initializer(i32 20)\n"
	"  %x = call i32 @read(ptr addrspace(1) %a, ptr addrspace(4) %clamped)\n"
	"  %y = call i32 @repeated(ptr addrspace(1) %a)\n"
	"  %z = call i32 @read(ptr addrspace(1) %a, ptr addrspace(4) %s)\n"
	"  ret void\n}\n"
	"define spir_kernel void @plain(ptr addrspace(1) %a)\n"
	"    !kernel_arg_addr_space !5 !kernel_arg_access_qual !6 !kernel_arg_type !7\n"
	"    !kernel_arg_base_type !7 {\n"
	"  ret void\n}\n"
	"!1 = !{i32 1, i32 1, i32 1, i32 0}\n"
	"!2 = !{!\"read_only\", !\"write_only\", !\"read_write\", !\"none\"}\n"
	"!3 = !{!\"picture\", !\"image2d_array_depth_t\", !\"image1d_buffer_t\", !\"sampler_t\"}\n"
	"!4 = !{!\"image2d_t\", !\"image2d_array_depth_t\", !\"image1d_buffer_t\", !\"sampler_t\"}\n"
	"!5 = !{i32 1}\n"
	"!6 = !{!\"read_only\"}\n"
	"!7 = !{!\"image3d_t\"}\n";

static void test_image_facts(void)
{
	struct outcome o = lower(images_ir, 75, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	const struct abi_argument *a = o.abi->kernels[0].arguments;
	CHECK_EQ(a[0].kind, ABI_ARGUMENT_IMAGE);
	CHECK_EQ(a[0].image_type, ABI_IMAGE_2D);
	CHECK_EQ(a[0].access, ABI_ACCESS_READ_ONLY);
	CHECK_EQ(a[0].address, ABI_ADDRESS_GLOBAL);
	CHECK_STRING(a[0].type_name, "picture");
	CHECK(a[0].may_read && !a[0].may_write);
	CHECK_EQ(a[1].image_type, ABI_IMAGE_2D_ARRAY_DEPTH);
	CHECK(!a[1].may_read && a[1].may_write);
	CHECK_EQ(a[2].image_type, ABI_IMAGE_1D_BUFFER);
	CHECK_EQ(a[2].access, ABI_ACCESS_READ_WRITE);
	CHECK(a[2].may_read && a[2].may_write);
	CHECK_EQ(a[3].kind, ABI_ARGUMENT_SAMPLER);
	CHECK_EQ(a[3].size_B, 4);
	/* 20: clamp, nearest; 39: repeat, normalized, linear. */
	CHECK_EQ(o.abi->kernels[0].sampler_states, 1u << 8 | 1u << 15);
	CHECK_EQ(o.abi->kernels[1].arguments[0].image_type, ABI_IMAGE_3D);
	CHECK_EQ(o.abi->kernels[1].sampler_states, 0);
	outcome_finish(&o);
}

static void test_images_become_addresses_and_bits(void)
{
	struct outcome o = lower(images_ir, 75, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	CHECK(has(&o.text, "!{void (i8 addrspace(1)*, i8 addrspace(1)*, i8 addrspace(1)*, i32)* "
			   "@sampled, !\"kernel\""));
	CHECK(!has(&o.text, "__culvert") && !has(&o.text, "__translate"));
	outcome_finish(&o);
}

static void test_no_sampler(void)
{
	struct outcome o = lower(
		"declare ptr addrspace(4) @__translate_sampler_initializer(i32)\n"
		"define spir_kernel void @k() !kernel_arg_addr_space !0 {\n"
		"  %s = call ptr addrspace(4) @__translate_sampler_initializer(i32 58)\n"
		"  ret void\n}\n"
		"!0 = !{}\n", 75, 48 * 1024);
	CHECK_EQ(o.status, FE_COMPILE_FAILED);
	CHECK(has(&o.log, "sampler_t"));
	outcome_finish(&o);
}

static void test_hidden_parameters(void)
{
	struct outcome o = lower(kernels_ir, 75, 48 * 1024);
	REQUIRE(o.status == FE_OK);
	CHECK_EQ(o.abi->kernels[0].hidden_count, 1);
	CHECK_EQ(o.abi->kernels[0].hidden[0], ABI_HIDDEN_GLOBAL_OFFSET_X);
	CHECK_EQ(o.abi->kernels[2].hidden_count, 3);
	CHECK_EQ(o.abi->kernels[2].hidden[1], ABI_HIDDEN_GLOBAL_OFFSET_Z);
	CHECK_EQ(o.abi->kernels[2].hidden[2], ABI_HIDDEN_WORK_DIM);
	CHECK(has(&o.text, "@outer(i8 addrspace(1)* %v"));
	CHECK(has(&o.text, "!{void (i8 addrspace(1)*, i32, i64, i64, i32)* @outer, !\"kernel\""));
	CHECK(!has(&o.text, "__culvert_hidden"));
	outcome_finish(&o);
}

static void test_dialect(void)
{
	struct outcome o = lower(kernels_ir, 90, 48 * 1024);
	struct outcome n = lower(kernels_ir, 100, 48 * 1024);
	static const char *const refused[] = {
		" ptr ", "(ptr ", "fneg", "freeze", "poison", "llvm.umax", "llvm.rint", "addrspace(4)",
		"spir_kernel", "noundef",
	};
	REQUIRE(o.status == FE_OK && n.status == FE_OK);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		CHECK(!has(&o.text, refused[i]));
	CHECK(has(&o.text, "%T0* byval align 4 %a2"));
	CHECK(has(&n.text, "%T0* byval(%T0) align 4 %a2"));
	CHECK(has(&o.text, "\"reqntidx\", i32 8, !\"reqntidy\", i32 4, !\"reqntidz\", i32 1"));
	/* Debug information of version 3.1 is the newest that libnvvm of CUDA 12.1 to 12.4 takes (nvvmIRVersion). */
	CHECK(has(&o.text, "!nvvmir.version"));
	CHECK(has(&o.text, " = !{i32 2, i32 0, i32 3, i32 1}"));
	CHECK(has(&o.text, "@table_x$$"));
	CHECK(has(&o.text, "@one = internal addrspace(1) constant [1 x half] [half 0xH3C00]"));
	outcome_finish(&o);
	outcome_finish(&n);
}

static const char older_ir[] =
	"declare float @llvm.copysign.f32(float, float)\n"
	"declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)\n"
	"@few = internal addrspace(4) constant [2 x half] [half 0xH3C00, half 0xHC000]\n"
	"define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, half %h, i64 %n) {\n"
	"  %a = load <2 x half>, ptr addrspace(1) %p\n"
	"  %b = fadd <2 x half> %a, %a\n"
	"  %c = call <2 x half> @llvm.fma.v2f16(<2 x half> %b, <2 x half> %a, <2 x half> <half 0xH3C00, "
	"half 0xH4000>)\n"
	"  %d = extractelement <2 x half> %c, i32 1\n"
	"  %q = getelementptr half, ptr addrspace(4) @few, i64 %n\n"
	"  %e = load half, ptr addrspace(4) %q\n"
	"  %f = fneg half %e\n"
	"  %m = fcmp olt half %d, %f\n"
	"  %s = select i1 %m, half %h, half %d\n"
	"  %i = uitofp i64 %n to half\n"
	"  %t = fmul half %s, %i\n"
	"  %w = fpext half %t to float\n"
	"  %x = load float, ptr addrspace(3) %l\n"
	"  %y = call float @llvm.copysign.f32(float %x, float %w)\n"
	"  %z = fptrunc float %y to half\n"
	"  store half %z, ptr addrspace(1) %p\n"
	"  store float %y, ptr addrspace(3) %l\n  ret void\n}\n";

/* What older versions of libnvvm lack is not in the text for them. */
static void test_older_libraries(void)
{
	static const struct {
		unsigned lacks;
		const char *name;
	} parts[] = {{NVVM_LACKS_COPYSIGN, "llvm.copysign"}, {NVVM_LACKS_HALF, "half"},
		     {NVVM_LACKS_HALF, "llvm.fma"}, {NVVM_LACKS_NARROW_LOCAL, "p3:32:32:32"}};
	for (unsigned lacks = 0; lacks < 8; lacks++) {
		/* From compute_100 on, halves and narrow local pointers go together. */
		struct fe_compile_job target = { .sm = 100, .max_local_B = 48 * 1024,
						 .nvvm_lacks = lacks };
		struct outcome o = lower_job(older_ir, target, true);
		REQUIRE(o.status == FE_OK);
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			CHECK_EQ(has(&o.text, parts[i].name), !(lacks & parts[i].lacks));
		if (lacks & NVVM_LACKS_HALF) {
			CHECK(has(&o.text, "constant [2 x i16] [i16 15360, i16 -16384]"));
			CHECK(has(&o.text, "asm \"add.rn.f16 $0, $1, $2;\", \"=h,h,h\""));
			CHECK(has(&o.text, "asm \"fma.rn.f16 $0, $1, $2, $3;\", \"=h,h,h,h\""));
			CHECK(has(&o.text, "asm \"cvt.rn.f16.u64 $0, $1;\", \"=h,l\""));
		}
		outcome_finish(&o);
	}
}

static const char question_ir[] =
	"declare zeroext i1 @__culvert_hidden_sm_90a()\n"
	"define spir_kernel void @k(ptr addrspace(1) %p) {\n"
	"  %c = call zeroext i1 @__culvert_hidden_sm_90a()\n  br i1 %c, label %a, label %b\n"
	"a:\n  store i32 1234567, ptr addrspace(1) %p\n  ret void\n"
	"b:\n  store i32 7654321, ptr addrspace(1) %p\n  ret void\n}\n";

/* What only sm_90a has is not in code for other devices, also where those get code of sm_90. */
static void test_own_target(void)
{
	static const struct {
		unsigned sm, lacks;
		bool yes;
	} cases[] = {{90, 0, true}, {90, NVVM_LACKS_TARGET, false}, {89, 0, false}, {100, 0, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct fe_compile_job target = { .sm = cases[i].sm, .max_local_B = 48 * 1024,
						       .nvvm_lacks = cases[i].lacks };
		struct outcome o = lower_job(question_ir, target, true);
		REQUIRE(o.status == FE_OK);
		CHECK_EQ(has(&o.text, "1234567"), cases[i].yes);
		CHECK_EQ(has(&o.text, "7654321"), !cases[i].yes);
		outcome_finish(&o);
	}
}

static const char items_ir[] =
	"declare i64 @_Z13get_global_idj(i32)\n"
	"declare i64 @_Z14get_local_sizej(i32)\n"
	"declare i64 @_Z12get_group_idj(i32)\n"
	"define spir_kernel void @narrow(ptr addrspace(1) %out) {\n"
	"  %i = call i64 @_Z13get_global_idj(i32 0)\n"
	"  %n = trunc i64 %i to i32\n"
	"  store i32 %n, ptr addrspace(1) %out\n  ret void\n}\n"
	"define spir_kernel void @sizes(ptr addrspace(1) %out) !reqd_work_group_size !0 {\n"
	"  %s = call i64 @_Z14get_local_sizej(i32 1)\n"
	"  %g = call i64 @_Z12get_group_idj(i32 2)\n"
	"  %o = call i64 @_Z12get_group_idj(i32 7)\n"
	"  %sum = add i64 %s, %g\n"
	"  %all = add i64 %sum, %o\n"
	"  store i64 %all, ptr addrspace(1) %out\n  ret void\n}\n"
	"!0 = !{i32 8, i32 4, i32 1}\n";

/* Ids in the width that they are wanted in, required sizes as numbers, and in any case a parameter for the work-groups
 * of the grids before. */
static void test_work_items(void)
{
	struct outcome u = lower_for(items_ir, 90, 48 * 1024, true);
	struct outcome n = lower_for(items_ir, 90, 48 * 1024, false);
	REQUIRE(u.status == FE_OK && n.status == FE_OK);
	CHECK(has(&u.text, "mul i32") && !has(&u.text, "mul i64"));
	CHECK(!has(&u.text, "get_global_id") && !has(&u.text, "ntid.y"));
	CHECK(has(&u.text, "add i64 4, "));
	/* The id of a work-group is a sum of 32 bits, which is extended. */
	const char *extended = strstr(bytes_string(&u.text), "zext");
	CHECK(extended && !strstr(extended + 1, "zext"));
	CHECK(has(&n.text, "ntid.y") && has(&n.text, "\"maxntidx\", i32 8"));
	CHECK_EQ(u.abi->kernels[0].hidden_count, 1);
	CHECK_EQ(u.abi->kernels[0].hidden[0], ABI_HIDDEN_ID_START_X);
	CHECK_EQ(u.abi->kernels[1].hidden_count, 1);
	CHECK_EQ(u.abi->kernels[1].hidden[0], ABI_HIDDEN_GROUP_START_Z);
	CHECK_EQ(n.abi->kernels[1].hidden_count, 1);
	CHECK_EQ(n.abi->kernels[1].hidden[0], ABI_HIDDEN_GROUP_START_Z);
	outcome_finish(&u);
	outcome_finish(&n);
}

static const char local_ir[] =
	"@big.a = internal addrspace(3) global [40000 x i8] undef, align 4\n"
	"@big.b = internal addrspace(3) global [20000 x i8] undef, align 16\n"
	"@small.c = internal addrspace(3) global [100 x i8] undef, align 4\n"
	"define spir_kernel void @big(ptr addrspace(1) %o) {\n"
	"  store i32 1, ptr addrspace(3) @big.a\n"
	"  %v = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @big.b, i64 8)\n"
	"  store i32 %v, ptr addrspace(1) %o\n  ret void\n}\n"
	"define spir_kernel void @small(ptr addrspace(1) %o) {\n"
	"  store i32 1, ptr addrspace(3) @small.c\n  ret void\n}\n";

static void test_large_local(void)
{
	struct outcome o = lower(local_ir, 90, 64 * 1024);
	REQUIRE(o.status == FE_OK);
	CHECK_EQ(o.abi->kernels[0].dynamic_local_B, 60000);
	CHECK_EQ(o.abi->kernels[1].dynamic_local_B, 0);
	CHECK(!has(&o.text, "@big_a") && has(&o.text, "@small_c"));
	CHECK(has(&o.text, "external addrspace(3) global [0 x i8], align 16"));
	outcome_finish(&o);
	o = lower(local_ir, 75, 48 * 1024);
	CHECK_EQ(o.status, FE_LINK_FAILED);
	CHECK(has(&o.log, "kernel big") && has(&o.log, "60000") && has(&o.log, "49152"));
	outcome_finish(&o);
}

/* All that cannot be written is named, not only the first. */
static void test_refused(void)
{
	struct outcome o = lower("declare float @llvm.minimum.f32(float, float)\n"
				 "declare void @many(...)\n"
				 "define void @f(ptr %p, float %x) {\n"
				 "  %a = call float @llvm.minimum.f32(float %x, float %x)\n"
				 "  call void (...) @many(i32 1)\n"
				 "  call void %p()\n"
				 "  %b = fpext float %x to fp128\n"
				 "  ret void\n}\n", 75, 0);
	CHECK_EQ(o.status, FE_INTERNAL);
	CHECK(has(&o.log, "llvm.minimum.f32") && has(&o.log, "many") && has(&o.log, "fp128"));
	CHECK(has(&o.log, "through a pointer") && has(&o.log, "in function f"));
	CHECK_EQ(o.text.size_B, 0);
	outcome_finish(&o);
}

static void test_reserved_name(void)
{
	struct outcome o = lower("declare float @__culvert_hidden_work_dim(i32)\n"
				 "define float @f() {\n"
				 "  %a = call float @__culvert_hidden_work_dim(i32 1)\n"
				 "  ret float %a\n}\n", 75, 0);
	CHECK_EQ(o.status, FE_LINK_FAILED);
	CHECK(has(&o.log, "__culvert_hidden_work_dim"));
	outcome_finish(&o);
}

/* What the library asks of the device: answered before libnvvm, with the branch. */
static void test_device_answers(void)
{
	static const char ir[] =
		"declare i1 @__culvert_hidden_sm_80()\n"
		"declare ptr addrspace(3) @__culvert_hidden_scratch()\n"
		"define i32 @f(i32 %x) {\n"
		"  %a = call zeroext i1 @__culvert_hidden_sm_80()\n"
		"  br i1 %a, label %new, label %old\n"
		"new:\n  ret i32 80\n"
		"old:\n"
		"  %s = call ptr addrspace(3) @__culvert_hidden_scratch()\n"
		"  store i32 %x, ptr addrspace(3) %s, align 4\n"
		"  ret i32 75\n}\n";
	for (unsigned sm = 75; sm <= 80; sm += 5) {
		struct outcome o = lower(ir, sm, 1024);
		CHECK_EQ(o.status, FE_OK);
		CHECK(!has(&o.text, "__culvert_hidden") && !has(&o.text, "br i1"));
		/* What the other branch needs is not there either. */
		CHECK_EQ(has(&o.text, "ret i32 80"), sm == 80);
		CHECK_EQ(has(&o.text, "ret i32 75"), sm == 75);
		CHECK_EQ(has(&o.text, "addrspace(3) global [32 x i64] undef"), sm == 75);
		outcome_finish(&o);
	}
	struct outcome o = lower("declare i32 @__culvert_hidden_sm_80(i32)\n"
				 "define i32 @f() {\n"
				 "  %a = call i32 @__culvert_hidden_sm_80(i32 1)\n"
				 "  ret i32 %a\n}\n", 75, 0);
	CHECK_EQ(o.status, FE_LINK_FAILED);
	CHECK(has(&o.log, "__culvert_hidden_sm_80"));
	outcome_finish(&o);
}

static const char loops_ir[] =
	"define spir_kernel void @loop(ptr addrspace(1) %p, i32 %n) !dbg !5 {\n"
	"entry:\n  br label %body, !dbg !6\n"
	"body:\n  %i = phi i32 [ 0, %entry ], [ %j, %body ]\n"
	"  %j = add nuw nsw i32 %i, 1, !dbg !6\n"
	"  %old = atomicrmw add ptr addrspace(1) %p, i32 %i seq_cst, align 4\n"
	"  fence release\n"
	"  %c = icmp slt i32 %j, %n\n"
	"  br i1 %c, label %body, label %end, !llvm.loop !7\n"
	"end:\n  ret void\n}\n"
	"!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!0}\n"
	"!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
	"!1 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !2, "
	"emissionKind: LineTablesOnly)\n"
	"!2 = !DIFile(filename: \"a.cl\", directory: \"\")\n"
	"!3 = !DISubroutineType(types: !4)\n!4 = !{null}\n"
	"!5 = distinct !DISubprogram(name: \"loop\", file: !2, line: 3, type: !3, "
	"spFlags: DISPFlagDefinition, unit: !1)\n"
	"!6 = !DILocation(line: 4, column: 2, scope: !5)\n"
	"!7 = distinct !{!7, !8}\n!8 = !{!\"llvm.loop.unroll.count\", i32 4}\n";

/* Elements by number, which libnvvm for compute_100 crashes on. */
static const char elements_ir[] =
	"define spir_kernel void @elements(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {\n"
	"  %a = load <4 x i32>, ptr addrspace(1) %p, align 16\n"
	"  %b = extractelement <4 x i32> %a, i32 %n\n"
	"  store i32 %b, ptr addrspace(1) %q, align 4\n"
	"  %c = load <3 x half>, ptr addrspace(1) %p, align 8\n"
	"  %d = extractelement <3 x half> %c, i32 %n\n"
	"  store half %d, ptr addrspace(1) %q, align 2\n"
	"  ret void\n}\n";

/* OpenCL C allows names that PTX does not. */
static void test_entry_names(void)
{
	struct outcome o = lower("define spir_kernel void @_() {\n  ret void\n}\n"
				 "define spir_kernel void @ret() {\n  call spir_kernel void @_()\n"
				 "  ret void\n}\n", 75, 0);
	REQUIRE(o.status == FE_OK);
	CHECK_STRING(o.abi->kernels[0].name, "_");
	CHECK_STRING(o.abi->kernels[0].entry, "culvert_kernel__");
	CHECK_STRING(o.abi->kernels[1].entry, "ret");
	CHECK(has(&o.text, "!{void ()* @culvert_kernel__, !\"kernel\", i32 1}"));
	CHECK(has(&o.text, "define void @culvert_kernel__()"));
	outcome_finish(&o);
}

static void test_lines_loops_atomics(void)
{
	struct outcome o = lower(loops_ir, 75, 0);
	REQUIRE(o.status == FE_OK);
	CHECK(has(&o.text, "!\"llvm.loop.unroll.count\", i32 4"));
	CHECK(has(&o.text, ", !llvm.loop !"));
	CHECK(has(&o.text, "!DILocation(line: 4, column: 2"));
	CHECK(has(&o.text, "!DIFile(filename: \"a.cl\""));
	CHECK(has(&o.text, "atom.acq_rel.gpu.global.add.u32"));
	CHECK(has(&o.text, "fence.sc.gpu") && has(&o.text, "fence.acq_rel.gpu"));
	outcome_finish(&o);
}

/* nvvm_ir_layout.c: which local pointers libnvvm may take for 32 bits. */
static void test_local_pointers_narrow(void)
{
#define KERNEL(type, body) "define spir_kernel void @k(ptr addrspace(3) %l, ptr addrspace(1) %g) {\n" \
		     "  %v = load " type ", ptr addrspace(3) %l, align 2\n" body "  ret void\n}\n"
	static const struct {
		const char *ir;
		unsigned sm;
		bool narrow;
	} cases[] = {
		{ KERNEL("i32", ""), 75, true },
		{ KERNEL("i32", ""), 120, true },
		{ KERNEL("i32", "store ptr addrspace(3) %l, ptr addrspace(1) %g\n"), 120, false },
		{ KERNEL("i32", "%p = load ptr addrspace(3), ptr addrspace(1) %g\n"
				"store i32 %v, ptr addrspace(3) %p\n"), 75, false },
		{ KERNEL("i32", "%p = getelementptr {i32, ptr addrspace(3)}, ptr addrspace(1) %g, "
				"i32 0, i32 0\n"), 120, false },
		{ KERNEL("i32", "%p = insertvalue {i32, ptr addrspace(3)} poison, ptr addrspace(3) %l, "
				"1\n"), 120, false },
		{ "define ptr addrspace(3) @f(ptr addrspace(3) %p) noinline {\n  ret ptr addrspace(3) %p\n}\n"
		  KERNEL("i32", "%p = call ptr addrspace(3) @f(ptr addrspace(3) %l)\n"), 120, true },
		{ KERNEL("half", "store half %v, ptr addrspace(1) %g\n"), 90, false },
		{ KERNEL("half", "store half %v, ptr addrspace(1) %g\n"), 100, true },
		{ KERNEL("<2 x half>", "store <2 x half> %v, ptr addrspace(1) %g\n"), 75, false },
	};
#undef KERNEL
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct outcome o = lower(cases[i].ir, cases[i].sm, 0);
		CHECK_EQ(o.status, FE_OK);
		CHECK_EQ(has(&o.text, "-p3:32:32:32-"), cases[i].narrow);
		outcome_finish(&o);
	}
}

/* Inline PTX has registers of 64 bits for addresses. */
static void test_narrow_in_inline_ptx(void)
{
	struct outcome o = lower("define spir_kernel void @k(ptr addrspace(3) %l) {\n"
				 "  call void asm sideeffect \"st.shared.u32 [$0], 1;\", \"l\"(ptr addrspace(3) %l)\n"
				 "  ret void\n}\n", 75, 0);
	REQUIRE(o.status == FE_OK);
	CHECK(has(&o.text, "-p3:32:32:32-"));
	CHECK(has(&o.text, " = ptrtoint i8 addrspace(3)* "));
	CHECK(has(&o.text, "\"l\"(i64 %"));
	outcome_finish(&o);
}

static void test_compiles(void)
{
	static const char *const sources[] = { kernels_ir, local_ir, loops_ir, images_ir,
					     elements_ir };
	static const struct {
		unsigned sm;
		const char *option;
	} targets[] = { { 75, "-arch=compute_75" }, { 100, "-arch=compute_100" } };
	struct nvvm nvvm;
	if (!load_nvvm(&nvvm))
		SKIP("no libnvvm found");
	for (size_t s = 0; s < sizeof(sources) / sizeof(*sources); s++) {
		for (size_t t = 0; t < sizeof(targets) / sizeof(*targets); t++) {
			struct outcome o = lower(sources[s], targets[t].sm, 64 * 1024);
			CHECK_EQ(o.status, FE_OK);
			CHECK(compiles(&nvvm, &o.text, targets[t].option));
			outcome_finish(&o);
		}
	}
}

#define ADDRESS "i64 ptrtoint (ptr addrspace(3) @a to i64)"
#define PAIR "<2 x i32> bitcast (" ADDRESS " to <2 x i32>)"
#define EQUAL "icmp eq (ptr addrspace(3) @a, ptr addrspace(3) null)"

enum { ANY_LLVM = 99 };

/* Constant expressions, the newest LLVM that reads them, and the instruction that they must become; NULL: they may
 * remain constant. */
static const struct {
	int newest;
	const char *opcode, *type, *value;
} expressions[] = {
	{ ANY_LLVM, NULL, "i64", "add (" ADDRESS ", i64 5)" },
	{ ANY_LLVM, NULL, "i64", "sub (i64 5, " ADDRESS ")" },
	{ ANY_LLVM, NULL, "i16", "trunc (i64 xor (" ADDRESS ", i64 5) to i16)" },
	{ ANY_LLVM, NULL, "<2 x i32>", "shufflevector (" PAIR ", " PAIR ", <2 x i32> <i32 1, i32 0>)" },
	{ ANY_LLVM, NULL, "<2 x i32>", "insertelement (" PAIR ", i32 3, i32 0)" },
	{ 19, "mul", "i64", "mul (" ADDRESS ", i64 5)" },
	{ 18, "shl", "i64", "xor (i64 shl (" ADDRESS ", i64 5), i64 1)" },
	{ 18, "icmp", "i1", EQUAL },
	{ 18, "insertvalue", "{ i32, i1 }", "{ i32 1, i1 " EQUAL " }" },
	{ 18, "insertelement", "<2 x i1>", "<i1 true, i1 " EQUAL ">" },
	{ 18, "fcmp", "i1", "fcmp oeq (double bitcast (" ADDRESS " to double), double 1.0)" },
	{ 17, "and", "i64", "and (" ADDRESS ", i64 5)" },
	{ 17, "lshr", "i64", "lshr (" ADDRESS ", i64 5)" },
	{ 17, "zext", "i32", "zext (i1 " EQUAL " to i32)" },
	{ 17, "uitofp", "double", "uitofp (" ADDRESS " to double)" },
	{ 17, "fptrunc", "float", "fptrunc (double bitcast (" ADDRESS " to double) to float)" },
	{ 16, "select", "i64", "select (i1 " EQUAL ", i64 2, " ADDRESS ")" },
};

/* A store and a phi that has the value twice from one block. */
static void write_expression(struct bytes *ir, const char *type, const char *value)
{
	bytes_printf(ir, "@a = internal addrspace(3) global i32 undef, align 4\n"
		     "define spir_kernel void @k(ptr addrspace(1) %%p, i32 %%n) {\nentry:\n"
		     "  store %s %s, ptr addrspace(1) %%p\n"
		     "  switch i32 %%n, label %%other [ i32 1, label %%end i32 2, label %%end ]\n"
		     "other:\n  br label %%end\nend:\n"
		     "  %%v = phi %s [ %s, %%entry ], [ %s, %%entry ], [ zeroinitializer, %%other ]\n"
		     "  store volatile %s %%v, ptr addrspace(1) %%p\n"
		     "  ret void\n}\n", type, value, type, value, value, type);
}

/* libnvvm for compute_100 and newer does not read most of the constant expressions of LLVM 18 and older, for example
 * those of comparisons. */
static void test_constant_expressions(void)
{
	struct nvvm nvvm;
	bool compiled = load_nvvm(&nvvm);
	for (size_t e = 0; e < sizeof(expressions) / sizeof(*expressions); e++) {
		struct bytes ir = BYTES_INIT;
		if (expressions[e].newest < LLVM_VERSION_MAJOR)
			continue;
		write_expression(&ir, expressions[e].type, expressions[e].value);
		struct outcome o = lower(bytes_string(&ir), 100, 48 * 1024);
		struct bytes opcode = BYTES_INIT;
		if (expressions[e].opcode)
			bytes_printf(&opcode, " = %s ", expressions[e].opcode);
		CHECK_EQ(o.status, FE_OK);
		CHECK(has(&o.text, bytes_string(&opcode)));
		CHECK(!compiled || compiles(&nvvm, &o.text, "-arch=compute_100"));
		bytes_finish(&opcode);
		outcome_finish(&o);
		bytes_finish(&ir);
	}
}

TEST_MAIN(TEST(test_facts), TEST(test_image_facts),
	  TEST(test_images_become_addresses_and_bits), TEST(test_no_sampler),
	  TEST(test_hidden_parameters), TEST(test_dialect), TEST(test_older_libraries), TEST(test_own_target),
	  TEST(test_work_items), TEST(test_large_local),
	  TEST(test_refused), TEST(test_reserved_name), TEST(test_device_answers),
	  TEST(test_entry_names), TEST(test_lines_loops_atomics),
	  TEST(test_local_pointers_narrow), TEST(test_narrow_in_inline_ptx), TEST(test_compiles),
	  TEST(test_constant_expressions))
