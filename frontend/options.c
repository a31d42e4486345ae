#include "config.h"

#include "frontend/options.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

bool fe_words_add(struct fe_words *words, const char *text, size_t length)
{
	if (words->count == words->capacity) {
		size_t capacity = words->capacity ? 2 * words->capacity : 8;
		char **items = realloc(words->items, capacity * sizeof(*items));
		if (!items)
			return false;
		words->items = items;
		words->capacity = capacity;
	}
	char *copy = malloc(length + 1);
	if (!copy)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	words->items[words->count++] = copy;
	return true;
}

void fe_words_finish(struct fe_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct fe_words){0};
}

/* Blanks in the "C" locale, whatever the application's locale is. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* One character of a word, after quotes and backslashes; false at the word's end. */
static bool next_character(const char **cursor, char *quote, char *c_out)
{
	for (; **cursor; (*cursor)++) {
		char c = **cursor;
		if (*quote ? c == *quote : c == '"' || c == '\'') {
			*quote = *quote ? '\0' : c;
			continue;
		}
		if (!*quote && is_blank(c))
			return false;
		char after = (*cursor)[1];
		bool escapes = c == '\\' && *quote != '\'' && after &&
			       (!*quote || after == '"' || after == '\\');
		*cursor += escapes ? 2 : 1;
		*c_out = escapes ? after : c;
		return true;
	}
	return false;
}

static enum fe_status split_words(const char *text, struct fe_words *words, struct bytes *log)
{
	const char *cursor = text;
	for (;;) {
		while (is_blank(*cursor))
			cursor++;
		if (!*cursor)
			return FE_OK;
		struct bytes word = BYTES_INIT;
		char quote = '\0', c;
		while (next_character(&cursor, &quote, &c))
			bytes_append_char(&word, c);
		bool added = !bytes_failed(&word) &&
			     fe_words_add(words, bytes_string(&word), word.size_B);
		bytes_finish(&word);
		if (!added)
			return FE_NO_MEMORY;
		if (quote) {
			bytes_printf(log, "error: a quote (%c) in the options is never closed\n",
				     quote);
			return FE_INVALID_OPTIONS;
		}
	}
}

/* The options that are one word and carry no value. */
enum flag {
	FLAG_NOTHING,               /* accepted without effect */
	FLAG_OPT_DISABLE,
	FLAG_FUSE,
	FLAG_UNSAFE,
	FLAG_FLUSH_DENORMALS,
	FLAG_PRECISE,
	FLAG_UNIFORM,
	FLAG_NON_UNIFORM,
	FLAG_LINE_INFO,
	FLAG_VERBOSE,
	FLAG_WARP_SYNCHRONOUS,
	FLAG_CREATE_LIBRARY,
	FLAG_ENABLE_LINK_OPTIONS
};

enum stage { STAGE_COMPILE = 1, STAGE_LINK = 2, STAGE_BOTH = 3 };

struct flag_row {
	const char *word;
	enum stage stages;
	enum flag flag;
	bool clang;                 /* it is passed on to Clang */
};

static const struct flag_row flag_rows[] = {
	/* OpenCL 3.0 API, 5.8.6.2: math intrinsics */
	{"-cl-single-precision-constant", STAGE_COMPILE, FLAG_NOTHING, true},
	{"-cl-denorms-are-zero", STAGE_BOTH, FLAG_FLUSH_DENORMALS, false},
	{"-cl-fp32-correctly-rounded-divide-sqrt", STAGE_COMPILE, FLAG_PRECISE, true},
	/* 5.8.6.3: optimization */
	{"-cl-opt-disable", STAGE_COMPILE, FLAG_OPT_DISABLE, false},
	{"-cl-strict-aliasing", STAGE_COMPILE, FLAG_NOTHING, false},
	{"-cl-uniform-work-group-size", STAGE_COMPILE, FLAG_UNIFORM, false},
	{"-cl-no-subgroup-ifp", STAGE_BOTH, FLAG_NOTHING, false},
	{"-cl-mad-enable", STAGE_COMPILE, FLAG_FUSE, true},
	{"-cl-no-signed-zeros", STAGE_BOTH, FLAG_NOTHING, true},
	{"-cl-unsafe-math-optimizations", STAGE_BOTH, FLAG_UNSAFE, true},
	{"-cl-finite-math-only", STAGE_BOTH, FLAG_NOTHING, true},
	{"-cl-fast-relaxed-math", STAGE_BOTH, FLAG_UNSAFE, true},
	/* 5.8.6.4: warnings */
	{"-w", STAGE_COMPILE, FLAG_NOTHING, true},
	{"-Werror", STAGE_COMPILE, FLAG_NOTHING, true},
	/* 5.8.6.6 and 5.8.6.7: information.  Argument information is always kept. */
	{"-cl-kernel-arg-info", STAGE_COMPILE, FLAG_NOTHING, false},
	{"-g", STAGE_COMPILE, FLAG_LINE_INFO, false},
	/* 5.8.7.1: libraries */
	{"-create-library", STAGE_LINK, FLAG_CREATE_LIBRARY, false},
	{"-enable-link-options", STAGE_LINK, FLAG_ENABLE_LINK_OPTIONS, false},
	/* cl_arm_non_uniform_work_group_size */
	{"-cl-arm-non-uniform-work-group-size", STAGE_COMPILE, FLAG_NON_UNIFORM, false},
	/* What DPC++ keeps beside its SPIR-V for Intel's compiler, and oneMKL passes: buffers of more than 4 GB need
	 * nothing here, and how many registers a thread gets is not chosen by those sizes. */
	{"-cl-intel-greater-than-4GB-buffer-required", STAGE_BOTH, FLAG_NOTHING, false},
	{"-ze-intel-greater-than-4GB-buffer-required", STAGE_BOTH, FLAG_NOTHING, false},
	{"-ze-opt-greater-than-4GB-buffer-required", STAGE_BOTH, FLAG_NOTHING, false},
	{"-cl-intel-256-GRF-per-thread", STAGE_BOTH, FLAG_NOTHING, false},
	{"-ze-opt-large-register-file", STAGE_BOTH, FLAG_NOTHING, false},
	/* cl_nv_compiler_options, and what NVIDIA's OpenCL takes as well */
	{"-cl-nv-verbose", STAGE_BOTH, FLAG_VERBOSE, false},
	{"-nv-line-info", STAGE_COMPILE, FLAG_LINE_INFO, false},
	/* AMD's levels of optimization, which programs for several platforms pass. */
	{"-O0", STAGE_BOTH, FLAG_OPT_DISABLE, false},
	{"-O1", STAGE_BOTH, FLAG_NOTHING, false},
	{"-O2", STAGE_BOTH, FLAG_NOTHING, false},
	{"-O3", STAGE_BOTH, FLAG_NOTHING, false},
	/* Of this platform. */
	{"-cl-culvert-warp-synchronous", STAGE_BOTH, FLAG_WARP_SYNCHRONOUS, false},
};

static void set_flag(struct fe_options *options, enum flag flag)
{
	switch (flag) {
	case FLAG_NOTHING:
		break;
	case FLAG_OPT_DISABLE:
		options->codegen.optimization = 0;
		break;
	case FLAG_FUSE:
		options->codegen.fuse_multiply_add = true;
		break;
	case FLAG_UNSAFE:       /* "includes ... -cl-mad-enable, and -cl-denorms-are-zero" */
		options->codegen.fuse_multiply_add = true;
		options->codegen.flush_denormals = true;
		options->codegen.relaxed = true;
		break;
	case FLAG_FLUSH_DENORMALS:
		options->codegen.flush_denormals = true;
		break;
	case FLAG_PRECISE:
		options->codegen.precise_divide = true;
		options->codegen.precise_sqrt = true;
		break;
	case FLAG_UNIFORM:
		options->codegen.uniform_groups = true;
		break;
	case FLAG_NON_UNIFORM:
		options->non_uniform_groups = true;
		break;
	case FLAG_LINE_INFO:
		options->codegen.line_info = true;
		break;
	case FLAG_VERBOSE:
		options->codegen.verbose = true;
		break;
	case FLAG_WARP_SYNCHRONOUS:
		options->codegen.warp_synchronous = true;
		break;
	case FLAG_CREATE_LIBRARY:
		options->create_library = true;
		break;
	case FLAG_ENABLE_LINK_OPTIONS:
		options->enable_link_options = true;
		break;
	}
}

/* The state while words are parsed. */
struct parser {
	const struct fe_words *words;
	size_t next;
	bool linking;
	bool from_il;               /* the source is SPIR-V */
	struct fe_options *options;
	struct bytes *log;
};

static enum fe_status invalid(struct parser *parser, const char *word, const char *reason)
{
	bytes_printf(parser->log, "error: option '%s': %s\n", word, reason);
	return FE_INVALID_OPTIONS;
}

/* OpenCL 3.0 API, 5.8.6.1, 5.8.6.2 and 5.8.6.4: "ignored for programs created with IL"; so are the options of
 * 5.8.6.5. */
static bool is_of_source(const char *prefix)
{
	static const char *const words[] = {"-D", "-U", "-I", "-w", "-Werror",
					    "-cl-single-precision-constant"};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(prefix, words[i]))
			return true;
	return false;
}

static enum fe_status give_clang(struct parser *parser, const char *prefix, const char *value)
{
	if (parser->from_il && is_of_source(prefix))
		return FE_OK;
	struct bytes word = BYTES_INIT;
	bytes_append_string(&word, prefix);
	bytes_append_string(&word, value);
	bool added = !bytes_failed(&word) &&
		     fe_words_add(&parser->options->clang, bytes_string(&word), word.size_B);
	bytes_finish(&word);
	return added ? FE_OK : FE_NO_MEMORY;
}

/* Instead of -cl-unsafe-math-optimizations, Clang is given what that consists of, without permission to reassociate
 * sums and products: as with NVIDIA's OpenCL, only -cl-fast-relaxed-math gives that.  Together with
 * -cl-finite-math-only, reassociation makes NaN of long products whose parts overflow. */
static enum fe_status give_flag(struct parser *parser, const struct flag_row *row)
{
	static const char *const unsafe[] = {
		"-cl-mad-enable", "-cl-no-signed-zeros", "-freciprocal-math", "-fapprox-func"
	};
	enum fe_status status = FE_OK;
	if (strcmp(row->word, "-cl-unsafe-math-optimizations") != 0)
		return give_clang(parser, row->word, "");
	for (size_t i = 0; !status && i < sizeof(unsafe) / sizeof(*unsafe); i++)
		status = give_clang(parser, unsafe[i], "");
	return status;
}

/* The options with a value: "-DX=1" and "-D X=1", "-cl-std=CL1.2". */
typedef enum fe_status value_function(struct parser *parser, const char *word, const char *value);

static enum fe_status take_macro(struct parser *parser, const char *word, const char *value)
{
	unsigned char first = (unsigned char)*value;
	bool letter = (first | 32u) >= 'a' && (first | 32u) <= 'z';
	if (!letter && first != '_' && first < 0x80)
		return invalid(parser, word, "a macro's name must be a C identifier");
	return give_clang(parser, word[1] == 'U' ? "-U" : "-D", value);
}

static enum fe_status take_include(struct parser *parser, const char *word, const char *value)
{
	(void)word;
	return give_clang(parser, "-I", value);
}

static enum fe_status take_standard(struct parser *parser, const char *word, const char *value)
{
	static const struct {
		const char *name;
		unsigned standard;
		bool cxx;
	} rows[] = {
		{"CL1.0", 100, false}, {"CL1.1", 110, false}, {"CL1.2", 120, false},
		/* Not among CL_DEVICE_OPENCL_C_ALL_VERSIONS, because not all features of OpenCL C 2.0 are supported;
		 * a program that uses only supported features is built. */
		{"CL2.0", 200, false}, {"CL3.0", 300, false}, {"CL3.1", 310, false},
		/* C++ for OpenCL, 2: "version 1.0 that is backward compatible with OpenCL 2.0; and version 2021 that
		 * is backward compatible with OpenCL 3.0". cl_ext_cxx_for_opencl defines only CLC++, from the time
		 * when there was only 1.0. */
		{"CLC++", 200, true}, {"CLC++1.0", 200, true}, {"CLC++2021", 300, true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(value, rows[i].name)) {
			parser->options->standard = rows[i].standard;
			parser->options->cxx = rows[i].cxx;
			return FE_OK;
		}
	}
	return invalid(parser, word, "expected CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 or CL3.1, "
				     "or for C++ for OpenCL CLC++1.0 or CLC++2021");
}

static bool parse_number(const char *text, unsigned limit, unsigned *number_out)
{
	unsigned number = 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		number = 10 * number + (unsigned)(*text - '0');
		if (number > limit)
			return false;
	}
	*number_out = number;
	return true;
}

static enum fe_status take_registers(struct parser *parser, const char *word, const char *value)
{
	/* A thread has at most 255 registers. */
	if (!parse_number(value, 255, &parser->options->codegen.max_registers))
		return invalid(parser, word, "expected a number from 0 to 255");
	return FE_OK;
}

static enum fe_status take_level(struct parser *parser, const char *word, const char *value)
{
	unsigned level;
	if (!parse_number(value, 3, &level))
		return invalid(parser, word, "expected a level from 0 to 3");
	parser->options->codegen.optimization = level ? 3 : 0;
	return FE_OK;
}

/* A program is compiled for the device that it is built for. */
static enum fe_status take_architecture(struct parser *parser, const char *word, const char *value)
{
	if (strncmp(value, "sm_", 3) && strncmp(value, "compute_", 8))
		return invalid(parser, word, "expected an architecture, such as sm_90");
	return FE_OK;
}

static const struct value_row {
	const char *word;
	enum stage stages;
	bool joined;                /* the value may follow without a separator */
	bool assigned;              /* ... after '=' */
	bool separate;              /* ... as the next word */
	value_function *take;
} value_rows[] = {
	{"-D", STAGE_COMPILE, true, false, true, take_macro},
	{"-U", STAGE_COMPILE, true, false, true, take_macro}, /* not in the specification; NVIDIA's OpenCL has it */
	{"-I", STAGE_COMPILE, true, false, true, take_include},
	{"-cl-std", STAGE_COMPILE, false, true, false, take_standard},
	{"-cl-nv-maxrregcount", STAGE_BOTH, false, true, true, take_registers},
	{"-cl-nv-opt-level", STAGE_BOTH, false, true, true, take_level},
	/* Of older versions of cl_nv_compiler_options. */
	{"-cl-nv-arch", STAGE_BOTH, false, true, true, take_architecture},
	{"-cl-nv-cstd", STAGE_COMPILE, false, true, true, take_standard},
};

static enum fe_status unknown(struct parser *parser, const char *word, unsigned stages)
{
	if (!stages)
		return invalid(parser, word, "not an option of the OpenCL compiler");
	return invalid(parser, word, parser->linking ? "not for linking" : "only for linking");
}

/* Finds where the value begins in a word for this row; NULL: the word is another option. */
static const char *joined_value(const struct value_row *row, const char *word)
{
	size_t length = strlen(row->word);
	if (strncmp(word, row->word, length))
		return NULL;
	const char *rest = word + length;
	if (!*rest)
		return rest;
	if (row->assigned && *rest == '=')
		return rest + 1;
	return row->joined ? rest : NULL;
}

static enum fe_status take_value(struct parser *parser, const struct value_row *row,
				 const char *word, const char *value)
{
	/* "-cl-std=" already has a value, an empty one. */
	bool may_follow = row->separate && word[strlen(word) - 1] != '=';
	if (!*value && may_follow && parser->next < parser->words->count)
		value = parser->words->items[parser->next++];
	if (!*value)
		return invalid(parser, word, "needs a value");
	return row->take(parser, word, value);
}

static enum fe_status take_word(struct parser *parser)
{
	const char *word = parser->words->items[parser->next++];
	enum stage stage = parser->linking ? STAGE_LINK : STAGE_COMPILE;
	for (size_t i = 0; i < sizeof(flag_rows) / sizeof(*flag_rows); i++) {
		const struct flag_row *row = &flag_rows[i];
		if (strcmp(word, row->word))
			continue;
		if (!(row->stages & stage))
			return unknown(parser, word, row->stages);
		set_flag(parser->options, row->flag);
		return row->clang ? give_flag(parser, row) : FE_OK;
	}
	for (size_t i = 0; i < sizeof(value_rows) / sizeof(*value_rows); i++) {
		const struct value_row *row = &value_rows[i];
		const char *value = joined_value(row, word);
		if (!value)
			continue;
		if (!(row->stages & stage))
			return unknown(parser, word, row->stages);
		return take_value(parser, row, word, value);
	}
	return unknown(parser, word, 0);
}

/* The words for text that was generated here: Clang's warnings are disabled, and strict aliasing, which SPIR-V does
 * not have. */
static enum fe_status add_il_words(struct fe_words *words)
{
	static const char *const il_words[] = {"-w", "-relaxed-aliasing"};
	for (size_t i = 0; i < sizeof(il_words) / sizeof(*il_words); i++)
		if (!fe_words_add(words, il_words[i], strlen(il_words[i])))
			return FE_NO_MEMORY;
	return FE_OK;
}

bool fe_options_checked(void)
{
	const char *cuda = option_string(OPTION_CUDA);
	return *option_string(OPTION_SOFT_CHECK) &&
	       (!strcmp(cuda, "soft") || strstr(cuda, "libculvert-softcuda"));
}

/* The checker's reports contain source lines, and must not miss accesses that an optimizer would remove or join. */
static void prepare_check(struct codegen_choice *codegen)
{
	codegen->line_info = true;
	codegen->optimization = 0;
}

static enum fe_status parse(const char *text, bool linking, bool from_il,
			    struct fe_options *options_out, struct bytes *log)
{
	struct fe_words words = {0};
	/* OpenCL 3.0 API, 5.8.6.5: without -cl-std the newest version of OpenCL C 1.x is used. */
	struct fe_options options = {.standard = 120, .codegen.optimization = 3};
	struct parser parser = {
		.words = &words,
		.linking = linking,
		.from_il = from_il,
		.options = &options,
		.log = log,
	};
	enum fe_status status = split_words(text ? text : "", &words, log);
	options.text = status ? NULL : strdup(text ? text : "");
	if (!status && !options.text)
		status = FE_NO_MEMORY;
	while (!status && parser.next < words.count)
		status = take_word(&parser);
	if (!status && options.enable_link_options && !options.create_library)
		status = invalid(&parser, "-enable-link-options", "only with -create-library");
	if (from_il) {
		options.standard = 300;
		options.cxx = false;
		status = status ? status : add_il_words(&options.clang);
	}
	/* OpenCL 3.0 API, 5.8.6.3: before OpenCL C 2.0 work-groups are always uniform, except with
	 * cl_arm_non_uniform_work_group_size. */
	if (options.standard < 200 && !options.non_uniform_groups)
		options.codegen.uniform_groups = true;
	if (fe_options_checked())
		prepare_check(&options.codegen);
	fe_words_finish(&words);
	if (status) {
		fe_options_finish(&options);
		return status;
	}
	*options_out = options;
	return FE_OK;
}

enum fe_status fe_options_parse(const char *text, bool linking, struct fe_options *options_out,
				struct bytes *log)
{
	return parse(text, linking, false, options_out, log);
}

enum fe_status fe_options_parse_il(const char *text, struct fe_options *options_out,
				   struct bytes *log)
{
	return parse(text, false, true, options_out, log);
}

void fe_options_finish(struct fe_options *options)
{
	fe_words_finish(&options->clang);
	free(options->text);
	options->text = NULL;
}

void fe_options_canonical(const struct fe_options *options, struct bytes *text)
{
	const struct codegen_choice *codegen = &options->codegen;
	bytes_printf(text, "%u%s %d%d%d%d%d %u %u %d%d%d%d %d%d%d\n", options->standard,
		     options->cxx ? "++" : "", codegen->flush_denormals, codegen->precise_divide,
		     codegen->precise_sqrt, codegen->fuse_multiply_add, codegen->relaxed,
		     codegen->optimization, codegen->max_registers, codegen->uniform_groups,
		     codegen->line_info, codegen->verbose, codegen->warp_synchronous, options->create_library,
		     options->enable_link_options, fe_options_checked());
	for (size_t i = 0; i < options->clang.count; i++)
		bytes_append(text, options->clang.items[i], strlen(options->clang.items[i]) + 1);
}
