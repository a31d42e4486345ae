#include "config.h"

#include "frontend/kernel_abi.h"

#include <stdlib.h>
#include <string.h>

/* The stored form: everything is little-endian, counts and sizes of strings are u32 before their content.  A change
 * of the format changes the version; a reader accepts only its own version, because binaries can be rebuilt from
 * source. */
enum { ABI_VERSION = 9, MAX_COUNT = 1 << 20 };
static const char magic[8] = { 'C', 'U', 'L', 'V', 'A', 'B', 'I', '\n' };
static const uint32_t absent_string = UINT32_MAX;

_Static_assert(sizeof(struct abi_image) == 256, "kernels know the layout");
_Static_assert(sizeof(struct abi_pipe) == 384, "kernels know the layout");

unsigned abi_sampler_state(uint32_t bits)
{
	const uint32_t addressing = bits >> 1 & 7, filter = bits & 0x30;
	if ((bits & ~UINT32_C(0x3F)) || filter == 0x30 || addressing > 4)
		return ABI_SAMPLER_STATES;
	return addressing * 4 + (bits & ABI_SAMPLER_NORMALIZED) * 2 +
	       (filter == ABI_SAMPLER_LINEAR);
}

static void put_u32(struct bytes *bytes, uint32_t value)
{
	for (unsigned shift = 0; shift < 32; shift += 8)
		bytes_append_char(bytes, (char)(value >> shift & 0xFF));
}

static void put_u64(struct bytes *bytes, uint64_t value)
{
	put_u32(bytes, (uint32_t)value);
	put_u32(bytes, (uint32_t)(value >> 32));
}

static void put_string(struct bytes *bytes, const char *string)
{
	if (!string) {
		put_u32(bytes, absent_string);
		return;
	}
	size_t size_B = strlen(string);
	put_u32(bytes, (uint32_t)size_B);
	bytes_append(bytes, string, size_B);
}

static void put_argument(struct bytes *bytes, const struct abi_argument *argument)
{
	put_u32(bytes, (uint32_t)argument->kind);
	put_u32(bytes, (uint32_t)argument->address);
	put_u32(bytes, argument->type_qualifiers);
	put_u32(bytes, argument->size_B);
	put_u32(bytes, argument->align_B);
	put_u32(bytes, (uint32_t)argument->may_write | (uint32_t)argument->may_read << 1);
	put_u32(bytes, (uint32_t)argument->image_type);
	put_u32(bytes, (uint32_t)argument->access);
	put_string(bytes, argument->name);
	put_string(bytes, argument->type_name);
}

static void put_kernel(struct bytes *bytes, const struct abi_kernel *kernel)
{
	put_string(bytes, kernel->name);
	put_string(bytes, kernel->entry);
	put_string(bytes, kernel->attributes);
	put_u32(bytes, kernel->argument_count);
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		put_argument(bytes, &kernel->arguments[i]);
	put_u32(bytes, kernel->hidden_count);
	for (uint32_t i = 0; i < kernel->hidden_count; i++)
		put_u32(bytes, (uint32_t)kernel->hidden[i]);
	for (unsigned i = 0; i < 3; i++)
		put_u32(bytes, kernel->required_local[i]);
	for (unsigned i = 0; i < 3; i++)
		put_u32(bytes, kernel->hint_local[i]);
	put_u32(bytes, kernel->required_sub_group);
	put_u32(bytes, kernel->dynamic_local_B);
	put_u32(bytes, kernel->has_barrier);
	put_u32(bytes, kernel->uniform_groups);
	put_u32(bytes, kernel->sees_groups);
	put_u32(bytes, kernel->sampler_states);
	put_u32(bytes, kernel->no_offset);
}

static void put_format(struct bytes *bytes, const struct abi_format *format)
{
	put_u32(bytes, format->text_size_B);
	bytes_append(bytes, format->text, format->text_size_B);
	put_u32(bytes, format->argument_count);
	for (uint32_t i = 0; i < format->argument_count; i++) {
		put_u32(bytes, (uint32_t)format->arguments[i].kind);
		put_u32(bytes, format->arguments[i].element_B);
		put_u32(bytes, format->arguments[i].lanes);
	}
}

void abi_program_write(const struct abi_program *program, struct bytes *bytes)
{
	bytes_append(bytes, magic, sizeof(magic));
	put_u32(bytes, ABI_VERSION);
	put_u64(bytes, program->global_variables_B);
	put_u32(bytes, program->narrow_ids);
	put_u32(bytes, program->kernel_count);
	for (uint32_t i = 0; i < program->kernel_count; i++)
		put_kernel(bytes, &program->kernels[i]);
	put_u32(bytes, program->format_count);
	for (uint32_t i = 0; i < program->format_count; i++)
		put_format(bytes, &program->formats[i]);
}

/* The rest of the input.  Once something does not fit, bad stays set and all further reads return zero, so that
 * callers need to check only at the end of a group. */
struct reader {
	const unsigned char *at;
	size_t left_B;
	bool bad;
};

static uint32_t get_u32(struct reader *reader)
{
	if (reader->bad || reader->left_B < 4) {
		reader->bad = true;
		return 0;
	}
	const unsigned char *at = reader->at;
	reader->at += 4;
	reader->left_B -= 4;
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint64_t get_u64(struct reader *reader)
{
	uint64_t low = get_u32(reader);
	return low | (uint64_t)get_u32(reader) << 32;
}

static uint32_t get_limited(struct reader *reader, uint32_t limit)
{
	uint32_t value = get_u32(reader);
	if (value > limit)
		reader->bad = true;
	return reader->bad ? 0 : value;
}

static bool get_bool(struct reader *reader)
{
	return get_limited(reader, 1) != 0;
}

static char *get_text(struct reader *reader, uint32_t size_B)
{
	if (reader->bad || size_B > reader->left_B) {
		reader->bad = true;
		return NULL;
	}
	char *text = malloc((size_t)size_B + 1);
	if (!text) {
		reader->bad = true;
		return NULL;
	}
	memcpy(text, reader->at, size_B);
	text[size_B] = '\0';
	reader->at += size_B;
	reader->left_B -= size_B;
	return text;
}

/* A string that contains no NUL; may_be_absent: NULL is allowed. */
static char *get_string(struct reader *reader, bool may_be_absent)
{
	uint32_t size_B = get_u32(reader);
	if (size_B == absent_string && may_be_absent)
		return NULL;
	char *string = get_text(reader, size_B);
	if (string && strlen(string) != size_B)
		reader->bad = true;
	return string;
}

/* Allocates count zeroed items, each of which has at least item_B bytes in the stored form: so a wrong count cannot
 * cause an allocation that is much larger than the input. */
static void *get_array(struct reader *reader, uint32_t *count_out, size_t item_B, size_t struct_B)
{
	uint32_t count = get_limited(reader, MAX_COUNT);
	if (count > reader->left_B / item_B)
		reader->bad = true;
	if (reader->bad || !count)
		return NULL;
	void *items = calloc(count, struct_B);
	if (items)
		*count_out = count;
	else
		reader->bad = true;
	return items;
}

static void get_argument(struct reader *reader, struct abi_argument *argument)
{
	argument->kind = (enum abi_argument_kind)get_limited(reader, ABI_ARGUMENT_PIPE);
	argument->address = (enum abi_address)get_limited(reader, ABI_ADDRESS_LOCAL);
	argument->type_qualifiers = get_limited(reader, 15);
	argument->size_B = get_u32(reader);
	argument->align_B = get_u32(reader);
	uint32_t may = get_limited(reader, 3);
	argument->may_write = may & 1;
	argument->may_read = may >> 1;
	argument->image_type =
		(enum abi_image_type)get_limited(reader, ABI_IMAGE_2D_ARRAY_DEPTH);
	argument->access = (enum abi_access)get_limited(reader, ABI_ACCESS_READ_WRITE);
	/* An image argument needs an image type. */
	const bool image = argument->kind == ABI_ARGUMENT_IMAGE;
	const bool qualified = image || argument->kind == ABI_ARGUMENT_PIPE;
	if (image != (argument->image_type != ABI_IMAGE_NONE) ||
	    qualified != (argument->access != ABI_ACCESS_NONE))
		reader->bad = true;
	argument->name = get_string(reader, true);
	argument->type_name = get_string(reader, true);
	/* A launch writes a sampler's 32 bits without checking the size. */
	if (argument->kind == ABI_ARGUMENT_SAMPLER && argument->size_B != sizeof(uint32_t))
		reader->bad = true;
	/* Launches divide by the alignment and round up to it. */
	uint32_t align_B = argument->align_B;
	if (!align_B || (align_B & (align_B - 1)) || align_B > 4096)
		reader->bad = true;
}

/* All dimensions or none must be set, because launches divide by the required size. */
static void get_required(struct reader *reader, uint32_t required[3])
{
	for (unsigned i = 0; i < 3; i++)
		required[i] = get_u32(reader);
	for (unsigned i = 1; i < 3; i++)
		if (!required[i] != !required[0])
			reader->bad = true;
}

static void get_hidden(struct reader *reader, struct abi_kernel *kernel)
{
	kernel->hidden_count = get_limited(reader, ABI_HIDDEN_COUNT);
	for (uint32_t i = 0; i < kernel->hidden_count; i++) {
		kernel->hidden[i] = (enum abi_hidden)get_limited(reader, ABI_HIDDEN_COUNT - 1);
		if (i && kernel->hidden[i] <= kernel->hidden[i - 1])
			reader->bad = true;
	}
}

static void get_kernel(struct reader *reader, struct abi_kernel *kernel)
{
	enum { ARGUMENT_LEAST_B = 40 };
	kernel->name = get_string(reader, false);
	kernel->entry = get_string(reader, false);
	kernel->attributes = get_string(reader, false);
	kernel->arguments = get_array(reader, &kernel->argument_count, ARGUMENT_LEAST_B,
				      sizeof(*kernel->arguments));
	for (uint32_t i = 0; i < kernel->argument_count && !reader->bad; i++)
		get_argument(reader, &kernel->arguments[i]);
	get_hidden(reader, kernel);
	get_required(reader, kernel->required_local);
	for (unsigned i = 0; i < 3; i++)
		kernel->hint_local[i] = get_u32(reader);
	kernel->required_sub_group = get_u32(reader);
	kernel->dynamic_local_B = get_u32(reader);
	kernel->has_barrier = get_bool(reader);
	kernel->uniform_groups = get_bool(reader);
	kernel->sees_groups = get_bool(reader);
	kernel->sampler_states = get_limited(reader, (1u << ABI_SAMPLER_STATES) - 1);
	kernel->no_offset = get_bool(reader);
}

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

void abi_format_arrange(struct abi_format *format)
{
	uint32_t end_B = 8;
	for (uint32_t i = 0; i < format->argument_count; i++) {
		struct abi_print_argument *argument = &format->arguments[i];
		const uint32_t size_B = argument->element_B * argument->lanes;
		argument->offset_B = round_up(end_B, size_B > 4 ? 8 : 4);
		end_B = argument->offset_B + size_B;
	}
	format->record_B = round_up(end_B, ABI_PRINT_UNIT_B);
}

/* Checks what the reader of printf's records relies on. */
static bool print_argument_is_right(const struct abi_print_argument *argument)
{
	const uint32_t size_B = argument->element_B, lanes = argument->lanes;
	switch (argument->kind) {
	case ABI_PRINT_INTEGER:
	case ABI_PRINT_REAL:
		return (size_B == 2 || size_B == 4 || size_B == 8 ||
			(size_B == 1 && argument->kind == ABI_PRINT_INTEGER)) &&
		       (lanes == 3 || (lanes && lanes <= 16 && !(lanes & (lanes - 1))));
	case ABI_PRINT_POINTER:
		return size_B == 8 && lanes == 1;
	default:
		return size_B == 4 && lanes == 1;
	}
}

static void get_format(struct reader *reader, struct abi_format *format)
{
	enum { ARGUMENT_B = 12 };
	format->text_size_B = get_u32(reader);
	format->text = get_text(reader, format->text_size_B);
	format->arguments = get_array(reader, &format->argument_count, ARGUMENT_B,
				      sizeof(*format->arguments));
	for (uint32_t i = 0; i < format->argument_count && !reader->bad; i++) {
		struct abi_print_argument *argument = &format->arguments[i];
		argument->kind = (enum abi_print_kind)get_limited(reader, ABI_PRINT_TEXT);
		argument->element_B = get_u32(reader);
		argument->lanes = get_u32(reader);
		if (!print_argument_is_right(argument))
			reader->bad = true;
	}
	if (!reader->bad)
		abi_format_arrange(format);
}

static void get_formats(struct reader *reader, struct abi_program *program)
{
	enum { FORMAT_LEAST_B = 8 };
	program->formats = get_array(reader, &program->format_count, FORMAT_LEAST_B,
				     sizeof(*program->formats));
	for (uint32_t i = 0; i < program->format_count && !reader->bad; i++)
		get_format(reader, &program->formats[i]);
}

struct abi_program *abi_program_read(const void *data, size_t size_B)
{
	enum { KERNEL_LEAST_B = 68 };
	struct reader reader = { data, size_B, false };
	if (size_B < sizeof(magic) || memcmp(data, magic, sizeof(magic)))
		return NULL;
	reader.at += sizeof(magic);
	reader.left_B -= sizeof(magic);
	if (get_u32(&reader) != ABI_VERSION)
		return NULL;
	struct abi_program *program = calloc(1, sizeof(*program));
	if (!program)
		return NULL;
	program->global_variables_B = get_u64(&reader);
	program->narrow_ids = get_bool(&reader);
	program->kernels = get_array(&reader, &program->kernel_count, KERNEL_LEAST_B,
				     sizeof(*program->kernels));
	for (uint32_t i = 0; i < program->kernel_count && !reader.bad; i++)
		get_kernel(&reader, &program->kernels[i]);
	get_formats(&reader, program);
	if (reader.bad || reader.left_B) {
		abi_program_destroy(program);
		return NULL;
	}
	return program;
}

static void kernel_finish(struct abi_kernel *kernel)
{
	for (uint32_t i = 0; kernel->arguments && i < kernel->argument_count; i++) {
		free(kernel->arguments[i].name);
		free(kernel->arguments[i].type_name);
	}
	free(kernel->arguments);
	free(kernel->name);
	free(kernel->entry);
	free(kernel->attributes);
}

void abi_program_destroy(struct abi_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; program->kernels && i < program->kernel_count; i++)
		kernel_finish(&program->kernels[i]);
	for (uint32_t i = 0; program->formats && i < program->format_count; i++) {
		free(program->formats[i].text);
		free(program->formats[i].arguments);
	}
	free(program->kernels);
	free(program->formats);
	free(program);
}

const struct abi_kernel *abi_program_kernel(const struct abi_program *program, const char *name)
{
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		if (!strcmp(program->kernels[i].name, name))
			return &program->kernels[i];
	}
	return NULL;
}
