#include "config.h"

#include "icd/compile/job_dump.h"

#include "base/stage.h"

#include <string.h>

/* The object was unpacked before the job ran (icd/compile/job.c). */
static struct hash name_with(const struct hash *name, struct packed_bytes *object)
{
	const struct bytes *bytes = packed_bytes_open(object);
	return stage_name_more(name, bytes->data, bytes->size_B);
}

/* The name that the front end gives the files of this build: a hash of the source and the options, or of the options
 * and the objects. */
static struct hash name_of(const struct ocl_job *job)
{
	struct hash name = STAGE_NAME_INIT;
	switch (job->kind) {
	case OCL_JOB_SOURCE:
	case OCL_JOB_COMPILE:
		name = stage_name_more(&name, job->source, job->source_size_B);
		return stage_name_more(&name, job->options->text, strlen(job->options->text));
	case OCL_JOB_LINK:
		name = stage_name_more(&name, job->options->text, strlen(job->options->text));
		for (size_t i = 0; i < job->input_count; i++)
			name = name_with(&name, &job->inputs[i]->object);
		return name;
	case OCL_JOB_BINARY:
		break;
	}
	return name_with(&name, &job->loaded->object);
}

void ocl_job_override(const struct ocl_job *job, struct ocl_code *code)
{
	struct bytes ptx = BYTES_INIT;
	if (!stage_watched())
		return;
	const struct hash name = name_of(job);
	if (stage_override(&name, ".ptx", &ptx)) {
		bytes_finish(&code->ptx.bytes);
		bytes_move(&code->ptx.bytes, &ptx);
	}
	bytes_finish(&ptx);
}

/* Stores the PTX for launches that start at work-group 0, which the GPU runs mostly, besides the other PTX. */
static void dump_ptx(const struct hash *name, struct ocl_code *code)
{
	struct bytes made = BYTES_INIT;
	const struct bytes *plain = ocl_code_plain_ptx(code, &made);
	const struct bytes *whole = packed_bytes_open(&code->ptx);
	if (whole)
		stage_dump(name, ".ptx", whole->data, whole->size_B);
	if (plain && plain != whole)
		stage_dump(name, ".plain.ptx", plain->data, plain->size_B);
	bytes_finish(&made);
}

void ocl_job_dump(const struct ocl_job *job, struct ocl_code *code,
		    const struct bytes *log)
{
	if (!stage_dumped())
		return;
	const struct hash name = name_of(job);
	if (code && !packed_bytes_empty(&code->ptx))
		dump_ptx(&name, code);
	if (code && code->cubin.size_B)
		stage_dump(&name, ".cubin", code->cubin.data, code->cubin.size_B);
	if (log->size_B)
		stage_dump(&name, ".log", log->data, log->size_B);
}
