/* Protects: what is read from files and applications is never trusted.  Damaged and made-up
 * entries of the cache, lists of what a compile asked for, launch facts, program binaries, and
 * what goes to and comes from the process that compiles; with right checksums, or nothing would
 * get past them.
 *
 *	FUZZ_COUNT=10000000 FUZZ_SEED=7 t_fuzz_stored       more, and others */
#include "config.h"

#include "base/checksum.h"
#include "cache/internal.h"
#include "frontend/inputs.h"
#include "frontend/kernel_abi.h"
#include "icd/compile/asked.h"
#include "icd/compile/compile_wire.h"
#include "icd/compile/program_binary.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static uint64_t state;

static uint32_t random_number(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static unsigned long count(void)
{
	const char *number = getenv("FUZZ_COUNT"), *seed = getenv("FUZZ_SEED");
	state = seed ? strtoull(seed, NULL, 10) : 1;
	return number ? strtoul(number, NULL, 10) : 250000;
}

/* A copy that ends where its memory does, so that a sanitizer sees a byte too far. */
static unsigned char *mutate(const struct bytes *good, size_t *size_B_out)
{
	size_t size_B = good->size_B;
	if (random_number() % 4 == 0)
		size_B = random_number() % (size_B + 1);
	unsigned char *copy = malloc(size_B ? size_B : 1);
	if (!copy)
		abort();
	memcpy(copy, bytes_string(good), size_B);
	for (unsigned n = random_number() % 6; n && size_B; n--) {
		static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff};
		size_t at = random_number() % size_B;
		copy[at] = random_number() % 2 ? (unsigned char)random_number()
					       : edges[random_number() % sizeof(edges)];
	}
	*size_B_out = size_B;
	return copy;
}

/* Makes the checksum at at_B right: that of what is before it and of what follows. */
static void seal(unsigned char *data, size_t size_B, size_t at_B)
{
	unsigned char both[128];
	if (size_B < at_B + CHECKSUM_B)
		return;
	struct checksum sum = checksum_of(data + at_B + CHECKSUM_B, size_B - at_B - CHECKSUM_B);
	memcpy(both, data, at_B);
	memcpy(both + at_B, sum.bytes, CHECKSUM_B);
	sum = checksum_of(both, at_B + CHECKSUM_B);
	memcpy(data + at_B, sum.bytes, CHECKSUM_B);
}

static void append_entry(const struct hash *key, const void *value, size_t size_B,
			 struct bytes *entry)
{
	unsigned char header[CACHE_HEADER_B];
	cache_header_write(key, value, size_B, header);
	bytes_append(entry, header, sizeof(header));
	bytes_append(entry, value, size_B);
}

static void entries(void)
{
	struct hash key = hash_of("key", 3);
	struct bytes good[2] = {BYTES_INIT, BYTES_INIT};
	const char zeros[200] = {0};
	unsigned long found = 0, refused = 0;
	append_entry(&key, zeros, sizeof(zeros), &good[0]);
	append_entry(&key, &key, sizeof(key), &good[1]);
	for (unsigned long i = count(); i; i--) {
		size_t size_B;
		unsigned char *entry = mutate(&good[i & 1], &size_B);
		seal(entry, size_B, 56);
		/* A value may be any, and of another size; the rest is as it was written. */
		if (size_B >= CACHE_HEADER_B &&
		    cache_header_holds(entry, &key, entry + CACHE_HEADER_B, size_B - CACHE_HEADER_B)) {
			found++;
			CHECK(!memcmp(entry, good[i & 1].data, 48));
			CHECK_EQ(entry[48] | entry[49] << 8, size_B - CACHE_HEADER_B);
		} else {
			refused++;
		}
		free(entry);
	}
	CHECK(found && refused);
	bytes_finish(&good[0]);
	bytes_finish(&good[1]);
}

/* Whatever a list says, what is taken from it lies in it. */
static void asked_lists(void)
{
	struct bytes good = BYTES_INIT;
	unsigned long whole = 0, cut = 0;
	ocl_asked_append(&good, "first", 5);
	ocl_asked_append(&good, NULL, 0);
	ocl_asked_append(&good, "the third and last", 18);
	for (unsigned long i = count(); i; i--) {
		size_t size_B;
		struct ocl_asked asked;
		unsigned char *list = mutate(&good, &size_B);
		const char *at = (const char *)list, *end = at + size_B;
		while (ocl_asked_read(at, end, &asked)) {
			CHECK(asked.rows > at && asked.next <= end);
			CHECK_EQ(asked.next - asked.rows, asked.rows_B);
			at = asked.next;
		}
		whole += at == end;
		cut += at != end;
		free(list);
	}
	CHECK(whole && cut);
	bytes_finish(&good);
}

static void lists_of_inputs(void)
{
	struct fe_inputs inputs = FE_INPUTS_INIT;
	struct hash content = hash_of("", 0);
	unsigned long held = 0;
	fe_inputs_add(&inputs, FE_INPUT_ABSENT, "/nonexistent/header.h", NULL);
	fe_inputs_add(&inputs, FE_INPUT_FOLDER, "/", NULL);
	fe_inputs_add(&inputs, FE_INPUT_CONTENT, "/dev/null", &content);
	fe_inputs_add(&inputs, FE_INPUT_FILE, "/dev/null", NULL);
	/* A device is no file to be read: its content is never the same. */
	CHECK(!fe_inputs_current(inputs.rows.data, inputs.rows.size_B));
	fe_inputs_finish(&inputs);
	fe_inputs_add(&inputs, FE_INPUT_ABSENT, "/nonexistent/header.h", NULL);
	fe_inputs_add(&inputs, FE_INPUT_FOLDER, "/", NULL);
	fe_inputs_add(&inputs, FE_INPUT_FILE, "/dev/null", NULL);
	CHECK(fe_inputs_current(inputs.rows.data, inputs.rows.size_B));
	for (unsigned long i = count(); i; i--) {
		size_t size_B;
		unsigned char *rows = mutate(&inputs.rows, &size_B);
		held += fe_inputs_current(rows, size_B);
		free(rows);
	}
	CHECK(held);
	fe_inputs_finish(&inputs);
}

/* A program with something of everything; the strings are literals and never freed. */
static void program_facts(struct bytes *facts)
{
	char name[] = "k", none[] = "", type[] = "int*", text[] = "%d %s\n";
	struct abi_argument argument = {.kind = ABI_ARGUMENT_GLOBAL, .size_B = 8, .align_B = 8,
					.name = name, .type_name = type};
	struct abi_kernel kernel = {.name = name, .entry = name, .attributes = none,
				    .arguments = &argument, .argument_count = 1,
				    .hidden = {ABI_HIDDEN_ID_START_X, ABI_HIDDEN_GRID_BARRIER},
				    .hidden_count = 2};
	struct abi_print_argument printed = {.kind = ABI_PRINT_INTEGER, .element_B = 4, .lanes = 1};
	struct abi_format format = {.text = text, .text_size_B = sizeof(text) - 1,
				    .arguments = &printed, .argument_count = 1};
	struct abi_program program = {.kernels = &kernel, .kernel_count = 1,
				      .formats = &format, .format_count = 1};
	abi_program_write(&program, facts);
}

static void launch_facts(void)
{
	struct bytes good = BYTES_INIT;
	unsigned long read = 0;
	program_facts(&good);
	for (unsigned long i = count(); i; i--) {
		size_t size_B;
		unsigned char *facts = mutate(&good, &size_B);
		struct abi_program *back = abi_program_read(facts, size_B);
		read += back != NULL;
		abi_program_destroy(back);
		free(facts);
	}
	CHECK(read);
	bytes_finish(&good);
}

/* Of an executable and of an object, for an old and a new device; in the cache's form, too. */
static void program_binaries(enum ocl_code_form form)
{
	struct bytes good[2] = {BYTES_INIT, BYTES_INIT}, facts = BYTES_INIT;
	unsigned long read = 0, opened = 0;
	program_facts(&facts);
	for (unsigned i = 0; i < 2; i++) {
		struct ocl_code *code = ocl_code_create();
		REQUIRE(code);
		code->type = i ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
			       : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
		code->sm = code->ptx_sm = 90;
		code->abi = i ? NULL : abi_program_read(facts.data, facts.size_B);
		bytes_append_string(&code->object.bytes, "BC and so on");
		bytes_append_string(&code->ptx.bytes, i ? "" : ".version 8.0\n");
		bytes_append_string(&code->log, "said");
		bytes_append_string(&code->cubin, i ? "" : "ELF");
		ocl_code_write(code, form, &good[i]);
		REQUIRE(!bytes_failed(&good[i]));
		ocl_code_unref(code);
	}
	for (unsigned long i = count(); i; i--) {
		size_t size_B;
		struct ocl_code *code = NULL;
		unsigned char *binary = mutate(&good[i & 1], &size_B);
		if (form == OCL_CODE_GIVEN)
			seal(binary, size_B, 16);
		const cl_int error = ocl_code_read(binary, size_B, form, i & 2 ? 75 : 90, &code);
		CHECK(error == CL_SUCCESS || error == CL_INVALID_BINARY);
		CHECK(!error == (code != NULL));
		read += code != NULL;
		opened += code && packed_bytes_open(&code->object) && packed_bytes_open(&code->ptx);
		ocl_code_unref(code);
		free(binary);
	}
	/* Damaged parts that were packed are not there; others always are. */
	CHECK(opened && (opened < read) == (form == OCL_CODE_KEPT));
	bytes_finish(&good[0]);
	bytes_finish(&good[1]);
	bytes_finish(&facts);
}

static void binaries_of_applications(void)
{
	program_binaries(OCL_CODE_GIVEN);
}

static void binaries_in_the_cache(void)
{
	program_binaries(OCL_CODE_KEPT);
}

static struct ocl_code *some_object(void)
{
	struct ocl_code *code = ocl_code_create();
	if (!code)
		abort();
	code->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	code->sm = code->ptx_sm = 90;
	bytes_append_string(&code->object.bytes, "BC and so on");
	return code;
}

/* Whether all that the job has lies in the message, with an end where it is a text. */
static bool job_lies_in(const struct ocl_wire_job *wire, const struct bytes *message)
{
	const struct ocl_job *job = &wire->job;
	const char *end = message->data + message->size_B;
	bool in = strlen(wire->folder) < message->size_B &&
		  strlen(job->target.cubin_build) < message->size_B &&
		  job->source + job->source_size_B < end && !job->source[job->source_size_B];
	for (size_t i = 0; i < job->header_count; i++)
		in &= strlen(job->headers[i].name) < message->size_B &&
		      job->headers[i].text + job->headers[i].size_B < end;
	for (size_t i = 0; i < job->input_count; i++)
		in &= packed_bytes_open(&job->inputs[i]->object)->size_B < message->size_B;
	return in && job->kind <= OCL_JOB_LINK && (job->kind != OCL_JOB_BINARY || job->loaded);
}

static void jobs_for_the_compiler(void)
{
	struct ocl_code *object = some_object();
	struct fe_options options;
	struct bytes log = BYTES_INIT;
	REQUIRE(!fe_options_parse("-DX=1 -cl-std=CL3.0", false, &options, &log));
	struct ocl_code *const inputs[] = {object, object};
	const struct fe_header headers[] = {{"a.h", "int a;", 6}, {"b.h", "", 0}};
	const struct ocl_job job = {
		.kind = OCL_JOB_BINARY,
		.target = {.sm = 90, .max_local_B = 49152, .cubin_build = "13.0"},
		.options = &options, .source = "kernel void k() {}", .source_size_B = 18,
		.headers = headers, .header_count = 2, .loaded = object, .inputs = inputs,
		.input_count = 2};
	struct bytes good = BYTES_INIT;
	unsigned long read = 0, refused = 0;
	ocl_wire_put_job(&job, "/", &good);
	for (unsigned long i = count(); i; i--) {
		struct ocl_wire_job back;
		struct bytes message = BYTES_INIT;
		message.data = (char *)mutate(&good, &message.size_B);
		if (ocl_wire_get_job(&message, &back)) {
			read++;
			CHECK(job_lies_in(&back, &message));
			ocl_wire_job_finish(&back);
		} else {
			refused++;
		}
		free(message.data);
	}
	CHECK(read && refused);
	ocl_code_unref(object);
	fe_options_finish(&options);
	bytes_finish(&log);
	bytes_finish(&good);
}

static void answers_of_the_compiler(void)
{
	struct ocl_outcome made[2] = {OCL_OUTCOME_INIT, OCL_OUTCOME_INIT};
	struct bytes good[2] = {BYTES_INIT, BYTES_INIT};
	unsigned long read = 0, refused = 0;
	made[0].code = some_object();
	made[1].error = CL_BUILD_PROGRAM_FAILURE;
	for (unsigned i = 0; i < 2; i++) {
		fe_inputs_add(&made[i].inputs, FE_INPUT_FILE, "/dev/null", NULL);
		bytes_append_string(&made[i].log, "said");
		/* The byte that tells an answer from the others is before it. */
		bytes_append_char(&good[i], OCL_WIRE_MADE);
		ocl_wire_put_outcome(&made[i], &good[i]);
	}
	for (unsigned long i = count(); i; i--) {
		struct ocl_outcome back = OCL_OUTCOME_INIT;
		struct bytes message = BYTES_INIT;
		message.data = (char *)mutate(&good[i & 1], &message.size_B);
		if (message.size_B && ocl_wire_get_outcome(&message, 1, 90, &back)) {
			read++;
			CHECK(!back.error == (back.code != NULL));
		} else {
			refused++;
		}
		ocl_code_unref(back.code);
		fe_inputs_finish(&back.inputs);
		bytes_finish(&back.log);
		free(message.data);
	}
	CHECK(read && refused);
	for (unsigned i = 0; i < 2; i++) {
		ocl_code_unref(made[i].code);
		fe_inputs_finish(&made[i].inputs);
		bytes_finish(&made[i].log);
		bytes_finish(&good[i]);
	}
}

/* PTX that somebody else wrote: pieces left out, doubled, and damaged. */
static void ptx(void)
{
	static const char text[] =
		".version 7.0 // x\n.target sm_75\n.address_size 64\n"
		".global .align 8 .v2 .f32 v[3][2];\n"
		".func (.param .b32 r) f(.param .u64 .ptr .global .align 4 p) { ret; }\n"
		"/* y */ .visible .entry k(.param .u64 .ptr .global .align 4 a, .param .u64 b,\n"
		" .param .align 8 .b8 s[16]) .maxntid 32, 1, 1 .reqntid 8, 2\n{ .reg .b64 %rd<9>;\n"
		"ld.param.u64 %rd1, [b]; { cvta.to.global.u64 %rd2, %rd1; }\n"
		"@%p1 st.global.v2.u32 [%rd1+4], {%r1, %r2}; ret; }\n.file 1 \"a b\"\n";
	struct bytes good = BYTES_INIT;
	unsigned long read = 0;
	for (unsigned long i = count(); i; i--) {
		size_t size_B, from = random_number() % sizeof(text);
		size_t to = random_number() % sizeof(text);
		struct ocl_code *code = NULL;
		bytes_finish(&good);
		bytes_append(&good, text, i & 1 ? from : sizeof(text) - 1);
		if (i & 1)
			bytes_append(&good, text + to, sizeof(text) - 1 - to);
		unsigned char *ptx = mutate(&good, &size_B);
		const cl_int error = ocl_code_read(ptx, size_B, OCL_CODE_GIVEN, 90, &code);
		CHECK(error == CL_SUCCESS || error == CL_INVALID_BINARY);
		CHECK(!error == (code != NULL));
		read += code != NULL;
		ocl_code_unref(code);
		free(ptx);
	}
	CHECK(read);
	bytes_finish(&good);
}

TEST_MAIN(TEST(entries), TEST(asked_lists), TEST(lists_of_inputs), TEST(launch_facts),
	  TEST(binaries_of_applications), TEST(binaries_in_the_cache),
	  TEST(jobs_for_the_compiler), TEST(answers_of_the_compiler), TEST(ptx))
