#include "config.h"

#include "frontend/ptx_facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char fe_ptx_no_memory[] = "out of memory";

/* --- words ------------------------------------------------------------------------------- */

/* A word with its dots, a number, or one other character; empty at the end. */
struct word {
	const char *at;
	size_t size_B;
};

struct reader {
	const char *at, *end;
	struct word word;            /* the present word */
	const char *wrong;           /* the first error; NULL: none */
};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_$%.", c));
}

static bool at_text(const struct reader *reader, const char *text)
{
	size_t size_B = strlen(text);
	return (size_t)(reader->end - reader->at) >= size_B && !memcmp(reader->at, text, size_B);
}

static void skip_past(struct reader *reader, const char *text)
{
	while (reader->at < reader->end && !at_text(reader, text))
		reader->at++;
	for (; *text && reader->at < reader->end; text++)
		reader->at++;
}

static void skip_blank(struct reader *reader)
{
	for (;;) {
		if (reader->at < reader->end && isspace((unsigned char)*reader->at))
			reader->at++;
		else if (at_text(reader, "//"))
			skip_past(reader, "\n");
		else if (at_text(reader, "/*"))
			skip_past(reader, "*/");
		else
			return;
	}
}

static void next(struct reader *reader)
{
	skip_blank(reader);
	const char *from = reader->at;
	while (reader->at < reader->end && is_word_char(*reader->at))
		reader->at++;
	if (reader->at == from && reader->at < reader->end && *reader->at++ == '"')
		skip_past(reader, "\"");
	reader->word = (struct word){from, (size_t)(reader->at - from)};
}

static bool word_is(struct word word, const char *text)
{
	return word.size_B == strlen(text) && !memcmp(word.at, text, word.size_B);
}

static bool word_begins(struct word word, const char *text)
{
	return word.size_B >= strlen(text) && !memcmp(word.at, text, strlen(text));
}

static bool word_equal(struct word a, struct word b)
{
	return a.size_B == b.size_B && (!a.size_B || !memcmp(a.at, b.at, a.size_B));
}

static bool is_name(struct word word)
{
	return word.size_B && is_word_char(word.at[0]);
}

static bool ended(const struct reader *reader)
{
	return !reader->word.size_B || reader->wrong;
}

static bool take(struct reader *reader, const char *text)
{
	if (!word_is(reader->word, text))
		return false;
	next(reader);
	return true;
}

static uint32_t take_number(struct reader *reader)
{
	uint64_t value = 0;
	for (size_t i = 0; i < reader->word.size_B; i++) {
		const char c = reader->word.at[i];
		const bool digit = isdigit((unsigned char)c) && value < UINT32_MAX;
		value = digit ? 10 * value + (uint64_t)(c - '0') : UINT32_MAX;
	}
	if (!reader->word.size_B || value >= UINT32_MAX)
		reader->wrong = "a number is none";
	next(reader);
	return (uint32_t)value;
}

/* --- declarations ------------------------------------------------------------------------- */

/* The size of a type in bytes; 0: the word is no type. */
static uint32_t type_B(struct word word)
{
	static const struct {
		const char *name;
		uint32_t size_B;
	} types[] = {
		{".b8", 1}, {".u8", 1}, {".s8", 1}, {".b16", 2}, {".u16", 2}, {".s16", 2},
		{".f16", 2}, {".b32", 4}, {".u32", 4}, {".s32", 4}, {".f32", 4}, {".f16x2", 4},
		{".b64", 8}, {".u64", 8}, {".s64", 8}, {".f64", 8}, {".b128", 16},
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (word_is(word, types[i].name))
			return types[i].size_B;
	return 0;
}

enum { SPACE_NONE, SPACE_GENERIC, SPACE_GLOBAL, SPACE_OTHER };

struct declared {
	struct word name;
	uint64_t size_B;
	uint32_t element_B, align_B;
	int pointer;                 /* a SPACE_ */
	bool array;
};

/* Reads the words after ".ptr": the state space, and the alignment of the memory. */
static void read_pointer(struct reader *reader, struct declared *declared)
{
	declared->pointer = SPACE_GENERIC;
	if (take(reader, ".global"))
		declared->pointer = SPACE_GLOBAL;
	else if (take(reader, ".shared") || take(reader, ".const") || take(reader, ".local"))
		declared->pointer = SPACE_OTHER;
	if (take(reader, ".align"))
		(void)take_number(reader);
}

static void read_dimensions(struct reader *reader, struct declared *declared)
{
	while (take(reader, "[")) {
		declared->array = true;
		/* Without a number the size is that of the initializer, or unknown. */
		declared->size_B *= word_is(reader->word, "]") ? 0 : take_number(reader);
		if (declared->size_B > UINT32_MAX || !take(reader, "]"))
			reader->wrong = "an array's size cannot be read";
		if (reader->wrong)
			return;
	}
}

/* Reads the words after ".param" or ".global": attributes, a type, a name, dimensions. */
static struct declared read_declared(struct reader *reader)
{
	struct declared declared = {.pointer = SPACE_NONE};
	uint32_t lanes = 1;
	while (!ended(reader) && !declared.element_B) {
		declared.element_B = type_B(reader->word);
		if (take(reader, ".align"))
			declared.align_B = take_number(reader);
		else if (take(reader, ".v2"))
			lanes = 2;
		else if (take(reader, ".v4"))
			lanes = 4;
		else if (reader->word.at[0] != '.')
			reader->wrong = "a declaration has no type that is known";
		else
			next(reader);
	}
	declared.element_B *= lanes;
	declared.size_B = declared.element_B;
	if (take(reader, ".ptr"))
		read_pointer(reader, &declared);
	declared.name = reader->word;
	next(reader);
	read_dimensions(reader, &declared);
	if (!declared.align_B)
		declared.align_B = declared.element_B;
	return declared;
}

/* --- kernels ------------------------------------------------------------------------------- */

struct kernel {
	struct abi_kernel *abi;
	struct word *names;          /* of the parameters */
	struct word *registers;      /* into which the parameters were loaded */
};

static void argument_set(struct reader *reader, const struct declared *declared,
			 struct abi_argument *argument)
{
	*argument = (struct abi_argument){.kind = ABI_ARGUMENT_VALUE,
					  .size_B = (uint32_t)declared->size_B,
					  .align_B = declared->align_B};
	if (declared->pointer == SPACE_OTHER || (declared->pointer && declared->size_B != 8))
		reader->wrong = "a parameter points to memory that is not global";
	else if (!declared->size_B)
		reader->wrong = "a parameter has no size";
	else if (declared->pointer == SPACE_GLOBAL) {
		argument->kind = ABI_ARGUMENT_GLOBAL;
		argument->address = ABI_ADDRESS_GLOBAL;
		argument->may_read = argument->may_write = true;
	}
}

static bool grow(struct kernel *kernel)
{
	const uint32_t count = kernel->abi->argument_count + 1;
	struct abi_argument *arguments = realloc(kernel->abi->arguments,
						 count * sizeof(*arguments));
	if (arguments)
		kernel->abi->arguments = arguments;
	struct word *names = realloc(kernel->names, count * sizeof(*names));
	if (names)
		kernel->names = names;
	struct word *registers = realloc(kernel->registers, count * sizeof(*registers));
	if (registers)
		kernel->registers = registers;
	return arguments && names && registers;
}

static void read_parameters(struct reader *reader, struct kernel *kernel)
{
	while (!ended(reader) && !take(reader, ")")) {
		(void)take(reader, ",");
		if (!take(reader, ".param")) {
			reader->wrong = "a parameter list cannot be read";
			return;
		}
		const struct declared declared = read_declared(reader);
		if (!grow(kernel))
			reader->wrong = fe_ptx_no_memory;
		if (reader->wrong)
			return;
		const uint32_t i = kernel->abi->argument_count++;
		kernel->names[i] = declared.name;
		kernel->registers[i] = (struct word){0};
		argument_set(reader, &declared, &kernel->abi->arguments[i]);
	}
}

static void read_required(struct reader *reader, uint32_t required[3])
{
	required[0] = required[1] = required[2] = 1;
	required[0] = take_number(reader);
	for (unsigned i = 1; i < 3 && take(reader, ","); i++)
		required[i] = take_number(reader);
	if (!required[0] || !required[1] || !required[2])
		reader->wrong = "a required work-group has no work-items";
}

static bool is_global_access(struct word word)
{
	static const char *const words[] = {"cvta.to.global.", "ld.global.", "st.global.",
					    "atom.global.", "red.global.", "ld.volatile.global.",
					    "st.volatile.global.", "prefetch.global."};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (word_begins(word, words[i]))
			return true;
	return false;
}

/* Notes an access by the operand that is its address: the one in brackets, or the second one of a cvta. */
static void note_access(struct kernel *kernel, struct word address)
{
	for (uint32_t i = 0; i < kernel->abi->argument_count; i++) {
		struct abi_argument *argument = &kernel->abi->arguments[i];
		if (!kernel->registers[i].size_B || !word_equal(kernel->registers[i], address))
			continue;
		argument->kind = ABI_ARGUMENT_GLOBAL;
		argument->address = ABI_ADDRESS_GLOBAL;
		argument->may_read = argument->may_write = true;
	}
}

/* Notes an instruction such as "ld.param.u64 %rd1, [name];". */
static void note_load(struct kernel *kernel, struct word to, struct word name)
{
	for (uint32_t i = 0; i < kernel->abi->argument_count; i++) {
		const struct abi_argument *argument = &kernel->abi->arguments[i];
		/* A second load into a register replaces what the first has loaded. */
		if (word_equal(kernel->registers[i], to))
			kernel->registers[i] = (struct word){0};
		if (argument->size_B == 8 && argument->align_B == 8 &&
		    word_equal(kernel->names[i], name))
			kernel->registers[i] = to;
	}
}

/* Reads an instruction of the body, up to its semicolon. */
static void read_instruction(struct reader *reader, struct kernel *kernel)
{
	const struct word name = reader->word;
	struct word first = {0}, second = {0}, address = {0};
	next(reader);
	while (!ended(reader) && !word_is(reader->word, ";") && !word_is(reader->word, "}")) {
		const bool bracket = take(reader, "[");
		if (is_name(reader->word)) {
			if (bracket && !address.size_B)
				address = reader->word;
			else if (!first.size_B)
				first = reader->word;
			else if (!second.size_B)
				second = reader->word;
		}
		next(reader);
	}
	if (word_is(name, "ld.param.u64") || word_is(name, "ld.param.b64"))
		note_load(kernel, first, address);
	else if (is_global_access(name))
		note_access(kernel, word_begins(name, "cvta.") ? second : address);
}

static void read_body(struct reader *reader, struct kernel *kernel)
{
	unsigned depth = 0;
	while (!ended(reader)) {
		if (word_is(reader->word, "{")) {
			depth++;
			next(reader);
		} else if (word_is(reader->word, "}")) {
			next(reader);
			if (!--depth)
				return;
		} else if (is_name(reader->word)) {
			read_instruction(reader, kernel);
		} else {
			next(reader);
		}
	}
	reader->wrong = "a kernel has no end";
}

static char *copy(struct reader *reader, struct word word)
{
	char *string = malloc(word.size_B + 1);
	if (!string) {
		reader->wrong = fe_ptx_no_memory;
		return NULL;
	}
	memcpy(string, word.at, word.size_B);
	string[word.size_B] = '\0';
	return string;
}

/* Reads a kernel, after ".entry". */
static void read_kernel(struct reader *reader, struct abi_kernel *abi)
{
	struct kernel kernel = {.abi = abi};
	const struct word none = {"", 0};
	/* The kernel was compiled by another compiler for whole work-groups, and does not support an offset. */
	abi->uniform_groups = abi->sees_groups = abi->has_barrier = abi->no_offset = true;
	abi->name = copy(reader, reader->word);
	abi->entry = copy(reader, reader->word);
	abi->attributes = copy(reader, none);
	next(reader);
	if (!reader->wrong && take(reader, "("))
		read_parameters(reader, &kernel);
	while (!ended(reader) && !word_is(reader->word, "{") && !word_is(reader->word, ";"))
		if (take(reader, ".reqntid"))
			read_required(reader, abi->required_local);
		else
			next(reader);
	if (!ended(reader) && word_is(reader->word, "{"))
		read_body(reader, &kernel);
	else if (!reader->wrong)
		reader->wrong = "a kernel is only declared";
	free(kernel.names);
	free(kernel.registers);
}

/* --- programs ------------------------------------------------------------------------------ */

static struct abi_kernel *kernel_add(struct reader *reader, struct abi_program *program)
{
	struct abi_kernel *kernels = realloc(program->kernels,
					     (program->kernel_count + 1) * sizeof(*kernels));
	if (!kernels) {
		reader->wrong = fe_ptx_no_memory;
		return NULL;
	}
	program->kernels = kernels;
	struct abi_kernel *kernel = &kernels[program->kernel_count++];
	memset(kernel, 0, sizeof(*kernel));
	return kernel;
}

/* Reads a target such as "sm_90" or "sm_90a". */
static void read_target(struct reader *reader, struct fe_ptx *ptx)
{
	if (!word_begins(reader->word, "sm_"))
		return;
	for (size_t i = 3; i < reader->word.size_B && ptx->sm < 1000; i++)
		if (isdigit((unsigned char)reader->word.at[i]))
			ptx->sm = 10 * ptx->sm + (unsigned)(reader->word.at[i] - '0');
		else
			ptx->only_sm = true;
}

static void read_program(struct reader *reader, struct fe_ptx *ptx)
{
	unsigned depth = 0;
	while (!ended(reader)) {
		if (word_is(reader->word, "{") || word_is(reader->word, "("))
			depth++;
		else if (word_is(reader->word, "}") || word_is(reader->word, ")"))
			depth -= depth > 0;
		if (take(reader, ".target")) {
			read_target(reader, ptx);
		} else if (!depth && take(reader, ".entry")) {
			struct abi_kernel *kernel = kernel_add(reader, ptx->abi);
			if (kernel)
				read_kernel(reader, kernel);
		} else if (!depth && take(reader, ".global")) {
			ptx->abi->global_variables_B += read_declared(reader).size_B;
		} else {
			next(reader);
		}
	}
	if (!reader->wrong && !ptx->sm)
		reader->wrong = "there is no .target";
}

bool fe_is_ptx(const void *data, size_t size_B)
{
	struct reader reader = {.at = data, .end = (const char *)data + size_B};
	next(&reader);
	return word_is(reader.word, ".version");
}

const char *fe_ptx_facts(const char *text, size_t size_B, struct fe_ptx *ptx_out)
{
	struct reader reader = {.at = text, .end = text + size_B};
	struct fe_ptx ptx = {.abi = calloc(1, sizeof(*ptx.abi))};
	if (!ptx.abi)
		return fe_ptx_no_memory;
	next(&reader);
	read_program(&reader, &ptx);
	if (reader.wrong)
		abi_program_destroy(ptx.abi);
	else
		*ptx_out = ptx;
	return reader.wrong;
}
