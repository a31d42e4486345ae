#include "config.h"

#include "icd/compile/compile_wire.h"

#include "base/message.h"
#include "icd/compile/program_binary.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- fields ------------------------------------------------------------------------- */

static void put_number(struct bytes *bytes, uint64_t number)
{
	bytes_append(bytes, &number, sizeof(number));
}

static void put_signed(struct bytes *bytes, int64_t number)
{
	put_number(bytes, (uint64_t)number);
}

/* Appends bytes and a NUL, so that the receiver can use texts in place. */
static void put_run(struct bytes *bytes, const void *data, size_t size_B)
{
	put_number(bytes, size_B);
	bytes_append(bytes, data, size_B);
	bytes_append_char(bytes, '\0');
}

static void put_string(struct bytes *bytes, const char *string)
{
	put_run(bytes, string, strlen(string));
}

struct reader {
	const char *at, *end;
	bool failed;
};

static uint64_t get_number(struct reader *reader)
{
	uint64_t number = 0;
	if ((size_t)(reader->end - reader->at) < sizeof(number)) {
		reader->failed = true;
		return 0;
	}
	memcpy(&number, reader->at, sizeof(number));
	reader->at += sizeof(number);
	return number;
}

static const char *get_run(struct reader *reader, size_t *size_B_out)
{
	uint64_t size_B = get_number(reader);
	*size_B_out = 0;
	if (reader->failed || size_B >= (uint64_t)(reader->end - reader->at) ||
	    reader->at[size_B]) {
		reader->failed = true;
		return "";
	}
	const char *run = reader->at;
	reader->at += size_B + 1;
	*size_B_out = (size_t)size_B;
	return run;
}

static const char *get_string(struct reader *reader)
{
	size_t size_B;
	return get_run(reader, &size_B);
}

/* Reads the number of elements that follow, each of which has at least the size of a number. */
static size_t get_count(struct reader *reader)
{
	uint64_t count = get_number(reader);
	if (count > (uint64_t)(reader->end - reader->at) / sizeof(uint64_t))
		reader->failed = true;
	return reader->failed ? 0 : (size_t)count;
}

/* --- jobs ----------------------------------------------------------------------------- */

static void put_code(struct bytes *bytes, struct ocl_code *code)
{
	struct bytes whole = BYTES_INIT;
	if (code)
		ocl_code_write(code, OCL_CODE_GIVEN, &whole);
	put_run(bytes, whole.data, whole.size_B);
	bytes->failed |= bytes_failed(&whole);
	bytes_finish(&whole);
}

static void put_choice(struct bytes *bytes, const struct codegen_choice *choice)
{
	put_number(bytes, choice->flush_denormals);
	put_number(bytes, choice->precise_divide);
	put_number(bytes, choice->precise_sqrt);
	put_number(bytes, choice->fuse_multiply_add);
	put_number(bytes, choice->relaxed);
	put_number(bytes, choice->optimization);
	put_number(bytes, choice->max_registers);
	put_number(bytes, choice->uniform_groups);
	put_number(bytes, choice->warp_synchronous);
	put_number(bytes, choice->line_info);
	put_number(bytes, choice->verbose);
}

static struct codegen_choice get_choice(struct reader *reader)
{
	struct codegen_choice choice = {0};
	choice.flush_denormals = get_number(reader);
	choice.precise_divide = get_number(reader);
	choice.precise_sqrt = get_number(reader);
	choice.fuse_multiply_add = get_number(reader);
	choice.relaxed = get_number(reader);
	choice.optimization = (unsigned)get_number(reader);
	choice.max_registers = (unsigned)get_number(reader);
	choice.uniform_groups = get_number(reader);
	choice.warp_synchronous = get_number(reader);
	choice.line_info = get_number(reader);
	choice.verbose = get_number(reader);
	return choice;
}

/* Appends options, with those for Clang at the end; for NULL only a mark. */
static void put_options(struct bytes *bytes, const struct fe_options *options)
{
	put_number(bytes, options != NULL);
	if (!options)
		return;
	put_string(bytes, options->text);
	put_number(bytes, options->standard);
	put_number(bytes, options->cxx);
	put_choice(bytes, &options->codegen);
	put_number(bytes, options->create_library);
	put_number(bytes, options->enable_link_options);
	put_number(bytes, options->clang.count);
	for (size_t i = 0; i < options->clang.count; i++)
		put_string(bytes, options->clang.items[i]);
}

void ocl_wire_put_job(const struct ocl_job *job, const char *folder, struct bytes *bytes)
{
	put_number(bytes, job->kind);
	put_number(bytes, job->target.sm);
	put_number(bytes, job->target.max_local_B);
	put_string(bytes, job->target.cubin_build);
	put_number(bytes, job->wide_ids);
	put_number(bytes, job->unoptimized);
	put_number(bytes, job->from_il);
	put_string(bytes, folder);
	put_options(bytes, job->options);
	put_run(bytes, job->source, job->source ? job->source_size_B : 0);
	put_code(bytes, job->loaded);
	put_number(bytes, job->header_count);
	for (size_t i = 0; i < job->header_count; i++) {
		put_string(bytes, job->headers[i].name);
		put_run(bytes, job->headers[i].text, job->headers[i].size_B);
	}
	put_number(bytes, job->input_count);
	for (size_t i = 0; i < job->input_count; i++) {
		const struct bytes *object = packed_bytes_open(&job->inputs[i]->object);
		put_run(bytes, object->data, object->size_B);
	}
}

static void get_words(struct reader *reader, struct fe_words *words)
{
	const size_t count = get_count(reader);
	for (size_t i = 0; !reader->failed && i < count; i++) {
		const char *word = get_string(reader);
		reader->failed |= !reader->failed && !fe_words_add(words, word, strlen(word));
	}
}

static void get_options(struct reader *reader, struct ocl_wire_job *out)
{
	struct fe_options *options = &out->options;
	if (!get_number(reader))
		return;
	options->text = strdup(get_string(reader));
	options->standard = (unsigned)get_number(reader);
	options->cxx = get_number(reader);
	options->codegen = get_choice(reader);
	reader->failed |= !options->text;
	options->create_library = get_number(reader);
	options->enable_link_options = get_number(reader);
	get_words(reader, &options->clang);
	out->job.options = options;
}

static void get_headers(struct reader *reader, struct ocl_wire_job *out)
{
	size_t count = get_count(reader);
	out->headers = calloc(count ? count : 1, sizeof(*out->headers));
	reader->failed |= !out->headers;
	for (size_t i = 0; !reader->failed && i < count; i++) {
		out->headers[i].name = get_string(reader);
		out->headers[i].text = get_run(reader, &out->headers[i].size_B);
	}
	out->job.headers = out->headers;
	out->job.header_count = count;
}

static void get_inputs(struct reader *reader, struct ocl_wire_job *out)
{
	size_t count = get_count(reader);
	out->inputs = calloc(count ? count : 1, sizeof(struct ocl_code *));
	reader->failed |= !out->inputs;
	for (; !reader->failed && out->input_count < count; out->input_count++) {
		size_t size_B;
		const char *object = get_run(reader, &size_B);
		struct ocl_code *code = out->inputs[out->input_count] = ocl_code_create();
		reader->failed |= !code;
		if (!code)
			break;
		bytes_append(&code->object.bytes, object, size_B);
		reader->failed |= bytes_failed(&code->object.bytes);
	}
	out->job.inputs = out->inputs;
	out->job.input_count = out->input_count;
}

static void get_loaded(struct reader *reader, struct ocl_wire_job *out)
{
	size_t size_B;
	const char *whole = get_run(reader, &size_B);
	if (size_B && ocl_code_read(whole, size_B, OCL_CODE_GIVEN, 0, &out->job.loaded))
		reader->failed = true;
}

bool ocl_wire_get_job(const struct bytes *message, struct ocl_wire_job *job_out)
{
	struct reader reader = {message->data, message->data + message->size_B, false};
	*job_out = (struct ocl_wire_job){0};
	struct ocl_job *job = &job_out->job;
	const uint64_t kind = get_number(&reader);
	job->kind = (enum ocl_job_kind)kind;
	job->target.sm = (unsigned)get_number(&reader);
	job->target.max_local_B = get_number(&reader);
	job->target.cubin_build = get_string(&reader);
	job->wide_ids = get_number(&reader);
	job->unoptimized = get_number(&reader);
	job->from_il = get_number(&reader);
	job_out->folder = get_string(&reader);
	get_options(&reader, job_out);
	job->source = get_run(&reader, &job->source_size_B);
	get_loaded(&reader, job_out);
	get_headers(&reader, job_out);
	get_inputs(&reader, job_out);
	if (!reader.failed && kind <= OCL_JOB_LINK &&
	    (kind == OCL_JOB_BINARY ? job->loaded != NULL : job->options != NULL))
		return true;
	ocl_wire_job_finish(job_out);
	return false;
}

void ocl_wire_job_finish(struct ocl_wire_job *job)
{
	for (size_t i = 0; job->inputs && i < job->input_count; i++)
		ocl_code_unref(job->inputs[i]);
	free(job->inputs);
	free(job->headers);
	ocl_code_unref(job->job.loaded);
	fe_options_finish(&job->options);
	*job = (struct ocl_wire_job){0};
}

/* --- what was made ---------------------------------------------------------------------- */

void ocl_wire_put_outcome(const struct ocl_outcome *outcome, struct bytes *bytes)
{
	put_signed(bytes, outcome->error);
	put_number(bytes, outcome->refused);
	put_number(bytes, outcome->inputs.changing);
	put_run(bytes, outcome->inputs.rows.data, outcome->inputs.rows.size_B);
	put_run(bytes, outcome->log.data, outcome->log.size_B);
	put_code(bytes, outcome->code);
	bytes->failed |= bytes_failed(&outcome->inputs.rows) || bytes_failed(&outcome->log);
}

bool ocl_wire_get_outcome(const struct bytes *message, size_t offset_B, unsigned sm,
			   struct ocl_outcome *outcome)
{
	struct reader reader = {message->data + offset_B, message->data + message->size_B, false};
	size_t rows_B, log_B, code_B;
	outcome->error = (cl_int)(int64_t)get_number(&reader);
	outcome->refused = get_number(&reader);
	outcome->inputs.changing = get_number(&reader);
	const char *rows = get_run(&reader, &rows_B);
	const char *log = get_run(&reader, &log_B);
	const char *code = get_run(&reader, &code_B);
	bytes_append(&outcome->inputs.rows, rows, rows_B);
	bytes_append(&outcome->log, log, log_B);
	if (!reader.failed && code_B &&
	    ocl_code_read(code, code_B, OCL_CODE_GIVEN, sm, &outcome->code))
		reader.failed = true;
	return !reader.failed && (outcome->code != NULL) == !outcome->error &&
	       !bytes_failed(&outcome->inputs.rows) && !bytes_failed(&outcome->log);
}

/* --- the number of threads ------------------------------------------------------------- */

unsigned ocl_wire_ask_threads(int socket)
{
	struct bytes question = BYTES_INIT, answer = BYTES_INIT;
	uint64_t threads = 0;
	bytes_append_char(&question, OCL_WIRE_ASKS);
	if (!message_send(socket, 0, &question) && !message_receive(socket, 0, &answer)) {
		struct reader reader = {answer.data, answer.data + answer.size_B, false};
		threads = get_number(&reader);
	}
	bytes_finish(&question);
	bytes_finish(&answer);
	return threads && threads <= UINT_MAX ? (unsigned)threads : 1;
}

int ocl_wire_tell_threads(int socket, uint64_t deadline_ns, unsigned threads)
{
	struct bytes answer = BYTES_INIT;
	put_number(&answer, threads);
	const int error = message_send(socket, deadline_ns, &answer);
	bytes_finish(&answer);
	return error;
}
