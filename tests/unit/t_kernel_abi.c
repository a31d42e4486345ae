#include "config.h"

#include "frontend/kernel_abi.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *string)
{
	char *made = malloc(strlen(string) + 1);
	if (made)
		strcpy(made, string);
	return made;
}

static struct abi_program *make_program(void)
{
	struct abi_program *program = calloc(1, sizeof(*program));
	program->global_variables_B = UINT64_C(0x123456789A);
	program->narrow_ids = true;
	program->kernel_count = 2;
	program->kernels = calloc(2, sizeof(*program->kernels));
	struct abi_kernel *kernel = &program->kernels[0];
	kernel->name = copy("first");
	kernel->entry = copy("culvert_kernel__");
	kernel->attributes = copy("reqd_work_group_size(8,4,1)");
	kernel->argument_count = 5;
	kernel->arguments = calloc(5, sizeof(*kernel->arguments));
	kernel->arguments[0] = (struct abi_argument){
		.kind = ABI_ARGUMENT_GLOBAL, .address = ABI_ADDRESS_GLOBAL, .size_B = 8,
		.type_qualifiers = ABI_TYPE_CONST | ABI_TYPE_RESTRICT, .align_B = 8,
		.may_read = true, .name = copy("in"), .type_name = copy("float4*"),
	};
	kernel->arguments[1] = (struct abi_argument){
		.kind = ABI_ARGUMENT_LOCAL, .address = ABI_ADDRESS_LOCAL, .size_B = 4,
		.align_B = 128, .may_read = true, .may_write = true,
	};
	kernel->arguments[2] = (struct abi_argument){
		.kind = ABI_ARGUMENT_IMAGE, .address = ABI_ADDRESS_GLOBAL, .size_B = 8,
		.align_B = 8, .may_write = true, .image_type = ABI_IMAGE_2D_ARRAY,
		.access = ABI_ACCESS_WRITE_ONLY, .type_name = copy("image2d_array_t"),
	};
	kernel->arguments[3] = (struct abi_argument){
		.kind = ABI_ARGUMENT_SAMPLER, .address = ABI_ADDRESS_PRIVATE, .size_B = 4,
		.align_B = 4, .type_name = copy("sampler_t"),
	};
	kernel->arguments[4] = (struct abi_argument){
		.kind = ABI_ARGUMENT_PIPE, .address = ABI_ADDRESS_GLOBAL, .size_B = 8,
		.type_qualifiers = ABI_TYPE_PIPE, .align_B = 8, .may_read = true,
		.may_write = true, .access = ABI_ACCESS_READ_ONLY, .type_name = copy("int4"),
	};
	kernel->sampler_states = 1u << 19 | 1;
	kernel->hidden_count = 2;
	kernel->hidden[0] = ABI_HIDDEN_GLOBAL_OFFSET_X;
	kernel->hidden[1] = ABI_HIDDEN_PRINTF_BUFFER;
	kernel->required_local[0] = 8;
	kernel->required_local[1] = 4;
	kernel->required_local[2] = 1;
	kernel->required_sub_group = 32;
	kernel->dynamic_local_B = 60000;
	kernel->has_barrier = true;
	kernel->sees_groups = true;
	kernel->no_offset = true;
	program->kernels[1].name = copy("second");
	program->kernels[1].entry = copy("second");
	program->kernels[1].attributes = copy("");
	program->format_count = 1;
	program->formats = calloc(1, sizeof(*program->formats));
	program->formats[0].text = copy("i=%d\n");
	program->formats[0].text_size_B = 5;
	program->formats[0].argument_count = 3;
	program->formats[0].arguments = calloc(3, sizeof(*program->formats[0].arguments));
	program->formats[0].arguments[0] =
		(struct abi_print_argument){ ABI_PRINT_INTEGER, 1, 3, 0 };
	program->formats[0].arguments[1] =
		(struct abi_print_argument){ ABI_PRINT_TEXT, 4, 1, 0 };
	program->formats[0].arguments[2] =
		(struct abi_print_argument){ ABI_PRINT_REAL, 8, 16, 0 };
	return program;
}

static void test_round_trip(void)
{
	struct abi_program *made = make_program();
	struct bytes bytes = BYTES_INIT, again = BYTES_INIT;
	abi_program_write(made, &bytes);
	struct abi_program *read = abi_program_read(bytes.data, bytes.size_B);
	REQUIRE(read);
	abi_program_write(read, &again);
	CHECK_EQ(again.size_B, bytes.size_B);
	CHECK(!memcmp(again.data, bytes.data, bytes.size_B));

	CHECK_EQ(read->global_variables_B, 0x123456789A);
	CHECK(read->narrow_ids);
	const struct abi_kernel *kernel = abi_program_kernel(read, "first");
	REQUIRE(kernel);
	CHECK_STRING(kernel->entry, "culvert_kernel__");
	CHECK_STRING(kernel->attributes, "reqd_work_group_size(8,4,1)");
	CHECK_EQ(kernel->argument_count, 5);
	CHECK_EQ(kernel->arguments[0].image_type, ABI_IMAGE_NONE);
	CHECK_EQ(kernel->arguments[2].image_type, ABI_IMAGE_2D_ARRAY);
	CHECK_EQ(kernel->arguments[2].access, ABI_ACCESS_WRITE_ONLY);
	CHECK_EQ(kernel->arguments[3].kind, ABI_ARGUMENT_SAMPLER);
	CHECK_EQ(kernel->arguments[4].kind, ABI_ARGUMENT_PIPE);
	CHECK_EQ(kernel->arguments[4].access, ABI_ACCESS_READ_ONLY);
	CHECK_EQ(kernel->sampler_states, 0x80001);
	CHECK_STRING(kernel->arguments[0].name, "in");
	CHECK_STRING(kernel->arguments[0].type_name, "float4*");
	CHECK(!kernel->arguments[0].may_write && kernel->arguments[0].may_read);
	CHECK(!kernel->arguments[1].name);
	CHECK_EQ(kernel->arguments[1].kind, ABI_ARGUMENT_LOCAL);
	CHECK_EQ(kernel->arguments[1].align_B, 128);
	CHECK_EQ(kernel->hidden_count, 2);
	CHECK_EQ(kernel->hidden[1], ABI_HIDDEN_PRINTF_BUFFER);
	CHECK_EQ(kernel->required_local[1], 4);
	CHECK_EQ(kernel->required_sub_group, 32);
	CHECK_EQ(kernel->dynamic_local_B, 60000);
	CHECK(kernel->has_barrier);
	CHECK(!kernel->uniform_groups && kernel->sees_groups && kernel->no_offset);
	CHECK_STRING(read->formats[0].text, "i=%d\n");
	CHECK_EQ(read->formats[0].argument_count, 3);
	CHECK_EQ(read->formats[0].arguments[0].offset_B, 8);
	CHECK_EQ(read->formats[0].arguments[1].offset_B, 12);
	CHECK_EQ(read->formats[0].arguments[2].offset_B, 16);
	CHECK_EQ(read->formats[0].arguments[2].lanes, 16);
	CHECK_EQ(read->formats[0].record_B, 144);
	CHECK(abi_program_kernel(read, "second"));
	CHECK(!abi_program_kernel(read, "third"));
	abi_program_destroy(read);
	abi_program_destroy(made);
	bytes_finish(&bytes);
	bytes_finish(&again);
}

static void test_every_truncation_is_refused(void)
{
	struct abi_program *made = make_program();
	struct bytes bytes = BYTES_INIT;
	abi_program_write(made, &bytes);
	for (size_t size_B = 0; size_B < bytes.size_B; size_B++)
		CHECK(!abi_program_read(bytes.data, size_B));
	bytes_append_char(&bytes, 0);
	CHECK(!abi_program_read(bytes.data, bytes.size_B));
	bytes_finish(&bytes);
	abi_program_destroy(made);
}

/* Whatever a byte is changed to, reading gives a program or nothing, and what it
 * gives can be used and written. */
static void test_changed_bytes_do_no_harm(void)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF };
	struct abi_program *made = make_program();
	struct bytes bytes = BYTES_INIT;
	abi_program_write(made, &bytes);
	for (size_t at = 0; at < bytes.size_B; at++) {
		char kept = bytes.data[at];
		for (size_t v = 0; v < sizeof(values); v++) {
			bytes.data[at] = (char)values[v];
			struct abi_program *read = abi_program_read(bytes.data, bytes.size_B);
			struct bytes again = BYTES_INIT;
			if (read) {
				abi_program_write(read, &again);
				CHECK_EQ(again.size_B, bytes.size_B);
				CHECK(!abi_program_kernel(read, "third"));
			}
			bytes_finish(&again);
			abi_program_destroy(read);
		}
		bytes.data[at] = kept;
	}
	bytes_finish(&bytes);
	abi_program_destroy(made);
}

static bool is_read(const struct abi_program *made)
{
	struct bytes bytes = BYTES_INIT;
	abi_program_write(made, &bytes);
	struct abi_program *read = abi_program_read(bytes.data, bytes.size_B);
	bytes_finish(&bytes);
	abi_program_destroy(read);
	return read;
}

/* Facts that do not go together, as somebody may write them: a launch would divide by 0, or write
 * behind an argument's bytes. */
static void test_facts_that_contradict_are_refused(void)
{
	struct abi_program *made = make_program();
	struct abi_kernel *kernel = &made->kernels[0];
	CHECK(is_read(made));
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t required = kernel->required_local[i];
		kernel->required_local[i] = 0;
		CHECK(!is_read(made));
		kernel->required_local[i] = required;
	}
	for (uint32_t size_B = 0; size_B < 9; size_B++) {
		kernel->arguments[3].size_B = size_B;
		CHECK_EQ(is_read(made), size_B == 4);
	}
	abi_program_destroy(made);
}

static void test_empty_program(void)
{
	struct abi_program empty = {0};
	struct bytes bytes = BYTES_INIT;
	abi_program_write(&empty, &bytes);
	struct abi_program *read = abi_program_read(bytes.data, bytes.size_B);
	REQUIRE(read);
	CHECK_EQ(read->kernel_count, 0);
	CHECK_EQ(read->format_count, 0);
	abi_program_destroy(read);
	abi_program_destroy(NULL);
	bytes_finish(&bytes);
}

/* docs/kernel-abi.md: addressing * 4 + normalized * 2 + linear. */
static void test_sampler_states(void)
{
	CHECK_EQ(abi_sampler_state(0), 0);
	CHECK_EQ(abi_sampler_state(ABI_SAMPLER_NEAREST), 0);
	CHECK_EQ(abi_sampler_state(ABI_SAMPLER_CLAMP_TO_EDGE | ABI_SAMPLER_LINEAR), 5);
	CHECK_EQ(abi_sampler_state(ABI_SAMPLER_CLAMP | ABI_SAMPLER_NEAREST), 8);
	CHECK_EQ(abi_sampler_state(ABI_SAMPLER_REPEAT | ABI_SAMPLER_NORMALIZED), 14);
	CHECK_EQ(abi_sampler_state(ABI_SAMPLER_MIRRORED_REPEAT | ABI_SAMPLER_NORMALIZED |
				   ABI_SAMPLER_LINEAR), 19);
	CHECK_EQ(abi_sampler_state(0x0A), ABI_SAMPLER_STATES);
	CHECK_EQ(abi_sampler_state(0x30), ABI_SAMPLER_STATES);
	CHECK_EQ(abi_sampler_state(0x40), ABI_SAMPLER_STATES);
}

TEST_MAIN(TEST(test_sampler_states), TEST(test_round_trip), TEST(test_every_truncation_is_refused),
	  TEST(test_changed_bytes_do_no_harm), TEST(test_facts_that_contradict_are_refused),
	  TEST(test_empty_program))
