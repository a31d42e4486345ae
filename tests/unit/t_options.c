/* The options string: words, every option, what is refused and how it is named. */
#include "config.h"

#include "frontend/features.h"
#include "frontend/options.h"
#include "tests/unit/test.h"

#include <stdlib.h>

/* The words that Clang gets, joined by '|'; "!" and the log when refused. */
static char *clang_words(const char *text, bool linking)
{
	struct fe_options options;
	struct bytes log = BYTES_INIT, joined = BYTES_INIT;
	enum fe_status status = fe_options_parse(text, linking, &options, &log);
	if (status) {
		bytes_printf(&joined, "!%s", bytes_string(&log));
	} else {
		for (size_t i = 0; i < options.clang.count; i++)
			bytes_printf(&joined, "%s%s", i ? "|" : "", options.clang.items[i]);
		fe_options_finish(&options);
	}
	bytes_finish(&log);
	if (!joined.data)
		bytes_append_char(&joined, '\0');
	return joined.data;
}

static void expect_words(const char *text, const char *expected)
{
	char *words = clang_words(text, false);
	CHECK_STRING(words, expected);
	free(words);
}

static void test_words(void)
{
	expect_words(NULL, "");
	expect_words("", "");
	expect_words(" \t\n ", "");
	expect_words("-DX=1", "-DX=1");
	expect_words("-D X=1", "-DX=1");
	expect_words("-D\tX=1   -DY", "-DX=1|-DY");
	expect_words("-D 'X=a b'", "-DX=a b");
	expect_words("-DX=\"a b\"", "-DX=a b");
	expect_words("\"-DX=a b\"", "-DX=a b");
	expect_words("-DX=\\\"text\\\"", "-DX=\"text\"");
	expect_words("-DX=\"say \\\"a\\\" \\n\"", "-DX=say \"a\" \\n");
	expect_words("-DX='\\'", "-DX=\\");
	expect_words("-DX=a\\ b -DY", "-DX=a b|-DY");
	expect_words("-DX=\\", "-DX=\\");
	expect_words("-I dir -Iother -I \"with blank\"", "-Idir|-Iother|-Iwith blank");
	expect_words("-D 'F(x)=((x)*2)'", "-DF(x)=((x)*2)");
	expect_words("-w -Werror", "-w|-Werror");
}

static void expect_refused(const char *text, bool linking, const char *part)
{
	char *words = clang_words(text, linking);
	CHECK(words[0] == '!');
	if (!strstr(words, part)) {
		printf("'%s': the log \"%s\" does not have \"%s\"\n", text, words, part);
		test_failures++;
	}
	CHECK(words[strlen(words) - 1] == '\n');
	free(words);
}

static void test_refused(void)
{
	expect_refused("-cl-no-such-thing", false, "'-cl-no-such-thing': not an option of the OpenCL compiler");
	expect_refused("-w nonsense", false, "'nonsense'");
	expect_refused("-Wall", false, "'-Wall'");
	expect_refused("''", false, "''");
	expect_refused("-D", false, "'-D': needs a value");
	expect_refused("-I ''", false, "'-I': needs a value");
	expect_refused("-D 1x", false, "identifier");
	expect_refused("-DX='open", false, "never closed");
	expect_refused("-cl-std=CL9.9", false, "'-cl-std=CL9.9'");
	expect_refused("-cl-std=CLC++3", false, "'-cl-std=CLC++3'");
	expect_refused("-cl-std=", false, "'-cl-std='");
	expect_refused("-cl-std CL1.2", false, "'-cl-std'");
	expect_refused("-cl-nv-maxrregcount 1000", false, "255");
	expect_refused("-cl-nv-maxrregcount=", false, "needs a value");
	expect_refused("-cl-nv-maxrregcount=99999999999999999999", false, "255");
	expect_refused("-cl-nv-opt-level 4", false, "0 to 3");
	expect_refused("-cl-nv-arch fermi", false, "sm_90");
	expect_refused("-cl-nv-arch", true, "needs a value");
	expect_refused("-cl-nv-cstd=CL9.9", false, "'-cl-nv-cstd=CL9.9'");
	expect_refused("-U", false, "needs a value");
	expect_refused("-U 1x", false, "identifier");
	expect_refused("-cl-mad-enablex", false, "not an option of the OpenCL compiler");
	expect_refused("-create-library", false, "only for linking");
	expect_refused("-DX", true, "not for linking");
	expect_refused("-cl-mad-enable", true, "not for linking");
	expect_refused("-enable-link-options", true, "-create-library");
}

static struct fe_options parsed(const char *text, bool linking)
{
	struct fe_options options = {0};
	struct bytes log = BYTES_INIT;
	CHECK_EQ(fe_options_parse(text, linking, &options, &log), FE_OK);
	CHECK_EQ(log.size_B, 0);
	bytes_finish(&log);
	fe_options_finish(&options);
	return options;
}

static void test_effects(void)
{
	struct fe_options none = parsed("", false);
	CHECK_EQ(none.standard, 120);
	CHECK_EQ(none.codegen.optimization, 3);
	CHECK(!none.codegen.flush_denormals && !none.codegen.precise_divide);
	CHECK(!none.codegen.fuse_multiply_add && !none.codegen.line_info);
	CHECK_EQ(none.codegen.max_registers, 0);
	CHECK_EQ(parsed("-cl-std=CL1.0", false).standard, 100);
	CHECK_EQ(parsed("-cl-std=CL1.1", false).standard, 110);
	CHECK_EQ(parsed("-cl-std=CL2.0", false).standard, 200);
	CHECK_EQ(parsed("-cl-std=CL3.0", false).standard, 300);
	CHECK(!parsed("-cl-std=CL3.0", false).cxx);
	CHECK(parsed("-cl-std=CLC++", false).cxx);
	CHECK_EQ(parsed("-cl-std=CLC++", false).standard, 200);
	CHECK_EQ(parsed("-cl-std=CLC++1.0", false).standard, 200);
	CHECK_EQ(parsed("-cl-std=CLC++2021", false).standard, 300);
	CHECK(!parsed("-cl-std=CLC++ -cl-std=CL2.0", false).cxx);
	CHECK(parsed("", false).codegen.uniform_groups);
	CHECK(!parsed("-cl-std=CL3.0", false).codegen.uniform_groups);
	CHECK(parsed("-cl-uniform-work-group-size -cl-std=CL3.0", false).codegen.uniform_groups);
	/* cl_arm_non_uniform_work_group_size; what asks for uniform ones gets them. */
	CHECK(!parsed("-cl-arm-non-uniform-work-group-size", false).codegen.uniform_groups);
	CHECK(!parsed("-cl-std=CL1.2 -cl-arm-non-uniform-work-group-size", false).codegen.uniform_groups);
	CHECK(parsed("-cl-arm-non-uniform-work-group-size -cl-uniform-work-group-size", false).codegen.uniform_groups);
	/* What DPC++ and oneMKL pass for Intel's compiler changes nothing: the log is empty. */
	static const char *const intels[] = {
		"-cl-intel-greater-than-4GB-buffer-required",
		"-ze-intel-greater-than-4GB-buffer-required",
		"-ze-opt-greater-than-4GB-buffer-required",
		"-cl-intel-256-GRF-per-thread", "-ze-opt-large-register-file"};
	for (size_t i = 0; i < sizeof(intels) / sizeof(*intels); i++) {
		CHECK_EQ(parsed(intels[i], false).codegen.optimization, 3);
		CHECK_EQ(parsed(intels[i], true).codegen.max_registers, 0);
	}
	CHECK_EQ(parsed("-cl-opt-disable", false).codegen.optimization, 0);
	CHECK_EQ(parsed("-cl-nv-opt-level 0", false).codegen.optimization, 0);
	CHECK_EQ(parsed("-cl-nv-opt-level=2", false).codegen.optimization, 3);
	CHECK_EQ(parsed("-cl-nv-maxrregcount 64", false).codegen.max_registers, 64);
	CHECK_EQ(parsed("-cl-nv-maxrregcount=32", true).codegen.max_registers, 32);
	CHECK(parsed("-cl-nv-verbose", false).codegen.verbose);
	CHECK_EQ(parsed("-cl-nv-arch sm_75 -cl-nv-cstd=CL1.1", false).standard, 110);
	CHECK_EQ(parsed("-cl-nv-arch=compute_90", true).codegen.optimization, 3);
	CHECK(parsed("-nv-line-info", false).codegen.line_info);
	CHECK(parsed("-cl-culvert-warp-synchronous", true).codegen.warp_synchronous);
	CHECK(parsed("-cl-denorms-are-zero", false).codegen.flush_denormals);
	CHECK(parsed("-cl-denorms-are-zero", true).codegen.flush_denormals);
	struct fe_options precise = parsed("-cl-fp32-correctly-rounded-divide-sqrt", false);
	CHECK(precise.codegen.precise_divide && precise.codegen.precise_sqrt);
	CHECK(parsed("-cl-mad-enable", false).codegen.fuse_multiply_add);
	CHECK(parsed("-cl-unsafe-math-optimizations", false).codegen.fuse_multiply_add);
	CHECK(parsed("-cl-fast-relaxed-math", true).codegen.fuse_multiply_add);
	CHECK(parsed("-cl-unsafe-math-optimizations", false).codegen.flush_denormals);
	CHECK(parsed("-cl-fast-relaxed-math", true).codegen.flush_denormals);
	CHECK(!parsed("-cl-mad-enable", false).codegen.flush_denormals);
	CHECK(parsed("-cl-unsafe-math-optimizations", false).codegen.relaxed);
	CHECK(parsed("-cl-fast-relaxed-math", true).codegen.relaxed);
	CHECK(!parsed("-cl-finite-math-only -cl-mad-enable -cl-denorms-are-zero", false)
		       .codegen.relaxed);
	CHECK(!parsed("-cl-finite-math-only", false).codegen.fuse_multiply_add);
	CHECK(parsed("-g", false).codegen.line_info);
	CHECK_EQ(parsed("-O0", false).codegen.optimization, 0);
	CHECK_EQ(parsed("-O0", true).codegen.optimization, 0);
	CHECK_EQ(parsed("-O1 -O2 -O3", false).codegen.optimization, 3);
	expect_refused("-O4", false, "not an option");
	/* All that OpenCL names and that has no effect of its own here. */
	parsed("-cl-single-precision-constant -cl-strict-aliasing -cl-no-signed-zeros "
	       "-cl-uniform-work-group-size -cl-no-subgroup-ifp -cl-kernel-arg-info", false);
	CHECK(parsed("-create-library -enable-link-options", true).enable_link_options);
}

static void test_check_and_library(void)
{
	struct bytes log = BYTES_INIT;
	struct fe_options options;
	CHECK_EQ(fe_options_parse("-bad", false, &options, &log), FE_INVALID_OPTIONS);
	CHECK(strstr(bytes_string(&log), "-bad") != NULL);
	bytes_finish(&log);
	CHECK(parsed("-create-library", true).create_library);
	CHECK(parsed(" -cl-denorms-are-zero -create-library ", true).create_library);
	CHECK(!parsed(NULL, true).create_library);
	CHECK_EQ(fe_options_parse("-DX=-create-library", true, &options, &log), FE_INVALID_OPTIONS);
	CHECK_EQ(fe_options_parse("'-create-library", true, &options, &log), FE_INVALID_OPTIONS);
	bytes_finish(&log);
}

static char *canonical(const char *text)
{
	struct bytes form = BYTES_INIT, log = BYTES_INIT;
	struct fe_options options;
	CHECK_EQ(fe_options_parse(text, false, &options, &log), FE_OK);
	fe_options_canonical(&options, &form);
	fe_options_finish(&options);
	bytes_append_char(&form, '\0');
	bytes_finish(&log);
	/* The words are behind zeros. */
	for (size_t i = 0; i + 1 < form.size_B; i++)
		if (!form.data[i])
			form.data[i] = ' ';
	return form.data;
}

static void expect_canonical(const char *one, const char *other, bool same)
{
	char *a = canonical(one), *b = canonical(other);
	if (!strcmp(a, b) != same) {
		printf("'%s' and '%s': \"%s\" and \"%s\"\n", one, other, a, b);
		test_failures++;
	}
	free(a);
	free(b);
}

/* What the cache knows builds by: options that make other code make another form. */
static void test_canonical(void)
{
	static const char *const different[] = {
		"", "-cl-std=CL3.0", "-cl-std=CL2.0", "-cl-std=CLC++2021", "-cl-std=CLC++",
		"-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-arm-non-uniform-work-group-size", "-DX", "-I x",
		"-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt",
		"-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math",
		"-cl-finite-math-only", "-cl-no-signed-zeros", "-cl-opt-disable", "-g",
		"-cl-nv-verbose", "-cl-nv-maxrregcount=32", "-cl-culvert-warp-synchronous",
		"-cl-single-precision-constant"};
	enum { COUNT = sizeof(different) / sizeof(*different) };
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++)
			expect_canonical(different[i], different[j], i == j);
	expect_canonical("-D X -w", "  -DX   '-w'", true);
	expect_canonical("", "-cl-uniform-work-group-size", true);
	expect_canonical("-cl-std=CL1.2", "-cl-kernel-arg-info", true);
	expect_canonical("", "-ze-intel-greater-than-4GB-buffer-required", true);
}

/* OpenCL 3.0 API, 5.8.6: what is "ignored for programs created with IL" is read all the same. */
static void test_il(void)
{
	struct fe_options options;
	struct bytes log = BYTES_INIT;
	REQUIRE(!fe_options_parse_il("-cl-std=CL1.1 -DX -I /tmp -w -Werror "
				     "-cl-single-precision-constant -cl-mad-enable -g", &options, &log));
	CHECK_EQ(options.standard, 300);
	CHECK(!options.codegen.uniform_groups);
	CHECK(options.codegen.fuse_multiply_add && options.codegen.line_info);
	bool aliases = false;
	for (size_t i = 0; i < options.clang.count; i++) {
		const char *word = options.clang.items[i];
		CHECK(strncmp(word, "-D", 2) && strncmp(word, "-I", 2) && strcmp(word, "-Werror") &&
		      strcmp(word, "-cl-single-precision-constant"));
		aliases |= !strcmp(word, "-relaxed-aliasing");
	}
	CHECK(aliases);
	fe_options_finish(&options);
	REQUIRE(!fe_options_parse_il("-cl-uniform-work-group-size", &options, &log));
	CHECK(options.codegen.uniform_groups);
	fe_options_finish(&options);
	CHECK(!log.size_B);
	CHECK_EQ(fe_options_parse_il("-no-such-option", &options, &log), FE_INVALID_OPTIONS);
	CHECK(log.size_B != 0);
	bytes_finish(&log);
}

static void test_features(void)
{
	size_t count;
	const struct fe_feature *features = fe_features(&count);
	CHECK(count > 0);
	for (size_t i = 0; i < count; i++) {
		CHECK_EQ(features[i].is_extension, strncmp(features[i].name, "cl_", 3) == 0);
		CHECK(features[i].version >= 1u << 22);
	}
	struct fe_words words = {0};
	REQUIRE(fe_features_add_words(&words, 120, 90, 19));
	for (size_t i = 0; i < words.count; i++)
		CHECK(!strncmp(words.items[i], "-U", 2) ||
		      !strstr(words.items[i], "__opencl_c_"));
	fe_words_finish(&words);
}

static bool has_word(unsigned sm, const char *word)
{
	struct fe_words words = {0};
	bool found = false;
	CHECK(fe_features_add_words(&words, 300, sm, 19));
	for (size_t i = 0; i < words.count; i++)
		found |= !strcmp(words.items[i], word);
	fe_words_finish(&words);
	return found;
}

/* The instructions for matrices came with compute capability 7.5 (PTX ISA, mma). */
static void test_features_of_newer_devices(void)
{
	CHECK(!has_word(72, "-Dcl_culvert_matrix=1"));
	CHECK(has_word(75, "-Dcl_culvert_matrix=1"));
	CHECK(has_word(70, "-Dcl_khr_expect_assume=1"));
	CHECK(!fe_extension_works("cl_culvert_matrix", 300, 72));
	CHECK(fe_extension_works("cl_culvert_matrix", 300, 75));
	CHECK(fe_extension_works("cl_khr_fp16", 120, 70));
}

TEST_MAIN(TEST(test_words), TEST(test_refused), TEST(test_effects), TEST(test_check_and_library),
	  TEST(test_canonical), TEST(test_il), TEST(test_features),
	  TEST(test_features_of_newer_devices))
