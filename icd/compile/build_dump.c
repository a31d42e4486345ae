#include "config.h"

#include "icd/compile/build_dump.h"

#include "base/stage.h"

#include <string.h>

/* What a job compiles from is there before it runs. */
static uint64_t name_with(uint64_t hash, struct ocl_part *object)
{
	const struct bytes *bytes = ocl_part_bytes(object);
	return stage_name_more(hash, bytes->data, bytes->size_B);
}

/* The name that the frontend gives the files of this build: what it was given of
 * text and options, or of options and objects. */
static uint64_t name_of(const struct ocl_build_job *job)
{
	uint64_t hash = STAGE_NAME_INIT;
	switch (job->kind) {
	case OCL_BUILD_SOURCE:
	case OCL_BUILD_COMPILE:
		hash = stage_name_more(hash, job->source, job->source_size_B);
		return stage_name_more(hash, job->options, strlen(job->options));
	case OCL_BUILD_LINK:
		hash = stage_name_more(hash, job->options, strlen(job->options));
		for (size_t i = 0; i < job->input_count; i++)
			hash = name_with(hash, &job->inputs[i]->object);
		return hash;
	case OCL_BUILD_BINARY:
		break;
	}
	return name_with(hash, &job->loaded->object);
}

void ocl_build_override(const struct ocl_build_job *job, struct ocl_code *code)
{
	struct bytes ptx = BYTES_INIT;
	if (stage_watched() && stage_override(name_of(job), ".ptx", &ptx)) {
		bytes_finish(&code->ptx.bytes);
		bytes_move(&code->ptx.bytes, &ptx);
	}
	bytes_finish(&ptx);
}

/* Launches that start at 0 have their own: what the GPU runs mostly. */
static void dump_ptx(uint64_t hash, struct ocl_code *code)
{
	struct bytes made = BYTES_INIT;
	const struct bytes *plain = ocl_code_plain_ptx(code, &made);
	const struct bytes *whole = ocl_part_bytes(&code->ptx);
	if (whole)
		stage_dump(hash, ".ptx", whole->data, whole->size_B);
	if (plain && plain != whole)
		stage_dump(hash, ".plain.ptx", plain->data, plain->size_B);
	bytes_finish(&made);
}

void ocl_build_dump(const struct ocl_build_job *job, struct ocl_code *code,
		    const struct bytes *log)
{
	if (!stage_dumped())
		return;
	uint64_t hash = name_of(job);
	if (code && !ocl_part_empty(&code->ptx))
		dump_ptx(hash, code);
	if (code && code->cubin.size_B)
		stage_dump(hash, ".cubin", code->cubin.data, code->cubin.size_B);
	if (log->size_B)
		stage_dump(hash, ".log", log->data, log->size_B);
}
