/* Protects: each extension that the device lists can be enabled by pragma in each OpenCL C, even
 * where warnings are errors, and has its macro where it works; a name that is not listed is warned
 * of. */
#include "config.h"

#include "tests/api/fixture.h"

enum { MOST_EXTENSIONS = 200, SOURCE_B = 1 << 16 };

static const struct standard {
	const char *option;
	unsigned version;
} standards[] = {
	{"", 120}, {"-cl-std=CL1.0", 100}, {"-cl-std=CL1.1", 110}, {"-cl-std=CL1.2", 120},
	{"-cl-std=CL2.0", 200}, {"-cl-std=CL3.0", 300}, {"-cl-std=CL3.1", 310},
	{"-cl-std=CLC++1.0", 200}, {"-cl-std=CLC++2021", 300},
};

/* Those that add to OpenCL C, and from which version on they do here.  Extensions 1.2: "Every
 * extension which affects the OpenCL language semantics, syntax or adds built-in functions to the
 * language must create a preprocessor #define that matches the extension name string". */
static const struct language_extension {
	const char *name;
	unsigned since;
} language_extensions[] = {
	{"cl_culvert_grid_barrier", 100}, {"cl_culvert_matrix", 100}, {"cl_ext_cxx_for_opencl", 100},
	{"cl_ext_float_atomics", 300}, {"cl_ext_image_raw10_raw12", 100}, {"cl_intel_bfloat16_conversions", 100},
	{"cl_intel_required_subgroup_size", 300}, {"cl_intel_split_work_group_barrier", 100},
	{"cl_khr_3d_image_writes", 100}, {"cl_khr_async_work_group_copy_fence", 100},
	{"cl_khr_byte_addressable_store", 100}, {"cl_khr_depth_images", 120},
	{"cl_khr_expect_assume", 100}, {"cl_khr_extended_async_copies", 100},
	{"cl_khr_extended_bit_ops", 100}, {"cl_khr_fp16", 100}, {"cl_khr_fp64", 100},
	{"cl_khr_global_int32_base_atomics", 100}, {"cl_khr_global_int32_extended_atomics", 100},
	{"cl_khr_image2d_from_buffer", 100}, {"cl_khr_int64_base_atomics", 100},
	{"cl_khr_int64_extended_atomics", 100}, {"cl_khr_integer_dot_product", 300},
	{"cl_khr_kernel_clock", 300}, {"cl_khr_local_int32_base_atomics", 100},
	{"cl_khr_local_int32_extended_atomics", 100}, {"cl_khr_subgroup_ballot", 100},
	{"cl_khr_subgroup_clustered_reduce", 100}, {"cl_khr_subgroup_extended_types", 100},
	{"cl_khr_subgroup_named_barrier", 100}, {"cl_khr_subgroup_non_uniform_arithmetic", 100},
	{"cl_khr_subgroup_non_uniform_vote", 100}, {"cl_khr_subgroup_rotate", 100},
	{"cl_khr_subgroup_shuffle", 100}, {"cl_khr_subgroup_shuffle_relative", 100},
	{"cl_khr_subgroups", 100}, {"cl_khr_work_group_uniform_arithmetic", 300},
	{"cl_nv_compiler_options", 100}, {"cl_nv_pragma_unroll", 100},
};

/* NULL: one of the API alone. */
static const struct language_extension *find_language_extension(const char *name)
{
	for (size_t i = 0; i < sizeof(language_extensions) / sizeof(*language_extensions); i++)
		if (!strcmp(language_extensions[i].name, name))
			return &language_extensions[i];
	return NULL;
}

static bool builds(const struct api_test *test, const char *source, const char *options)
{
	static char log[SOURCE_B];
	const cl_int code = build_code(test->context, test->device, source, options, log,
				       sizeof(log));
	if (code && strstr(source, "cl_khr_icd"))
		printf("%s: %s\n", options, log);
	return !code && (!strstr(options, "-Werror") || !strstr(log, "warning"));
}

static void check_standard(const struct api_test *test, const struct standard *standard,
			   char *const *names, size_t count)
{
	static char source[SOURCE_B];
	char options[64];
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const struct language_extension *known = find_language_extension(names[i]);
		if (known && known->since > standard->version)
			continue;
		at += (size_t)snprintf(source + at, sizeof(source) - at,
				       "#pragma OPENCL EXTENSION %s : enable\n", names[i]);
		if (known)
			at += (size_t)snprintf(source + at, sizeof(source) - at,
					       "#ifndef %s\n#error %s has no macro\n#endif\n",
					       names[i], names[i]);
	}
	snprintf(source + at, sizeof(source) - at, "kernel void k(global int *p) { *p = 1; }\n");
	snprintf(options, sizeof(options), "-Werror %s", standard->option);
	CHECK(builds(test, source, options));
}

static void check_unlisted(const struct api_test *test)
{
	static const char source[] = "#pragma OPENCL EXTENSION cl_khr_no_such_thing : enable\n"
				     "kernel void k(global int *p) { *p = 1; }\n";
	CHECK(builds(test, source, ""));
	CHECK(builds(test, source, "-w"));
	CHECK(!builds(test, source, "-Werror"));
}

int main(void)
{
	static char list[SOURCE_B];
	char *names[MOST_EXTENSIONS], *rest = list;
	struct api_test test;
	size_t count = 0;
	if (!api_test_start(&test, "extension_pragmas"))
		return API_TEST_SKIP;
	CHECK_OK(clGetDeviceInfo(test.device, CL_DEVICE_EXTENSIONS, sizeof(list), list, NULL));
	for (char *name; count < MOST_EXTENSIONS && (name = strtok_r(rest, " ", &rest));)
		names[count++] = name;
	CHECK(count > 40);
	for (size_t i = 0; i < sizeof(language_extensions) / sizeof(*language_extensions); i++) {
		bool listed = false;
		for (size_t k = 0; k < count; k++)
			listed = listed || !strcmp(names[k], language_extensions[i].name);
		CHECK(listed);
	}
	for (size_t i = 0; i < sizeof(standards) / sizeof(*standards); i++)
		check_standard(&test, &standards[i], names, count);
	check_unlisted(&test);
	return api_test_end(&test);
}
