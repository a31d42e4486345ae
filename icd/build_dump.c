#include "config.h"

#include "icd/build_dump.h"

#include "base/log.h"
#include "base/options.h"

#include <string.h>

static uint64_t name_more(uint64_t hash, const void *data, size_t size_B)
{
	const unsigned char *cursor = data;
	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ cursor[i]) * 0x100000001b3u;
	return hash;
}

/* The name that the frontend gives the files of this build: what it was given of
 * text and options, or of options and objects. */
static uint64_t name_of(const struct ocl_build_job *job)
{
	uint64_t hash = 0xcbf29ce484222325u;
	switch (job->kind) {
	case OCL_BUILD_SOURCE:
	case OCL_BUILD_COMPILE:
		hash = name_more(hash, job->source, job->source_size_B);
		return name_more(hash, job->options, strlen(job->options));
	case OCL_BUILD_LINK:
		hash = name_more(hash, job->options, strlen(job->options));
		for (size_t i = 0; i < job->input_count; i++)
			hash = name_more(hash, job->inputs[i]->object.data,
					 job->inputs[i]->object.size_B);
		return hash;
	case OCL_BUILD_BINARY:
		break;
	}
	return name_more(hash, job->loaded->object.data, job->loaded->object.size_B);
}

static void dump(uint64_t hash, const char *ending, const struct bytes *content)
{
	if (!content->size_B)
		return;
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/%016llx%s", option_string(OPTION_DUMP), (unsigned long long)hash,
		     ending);
	if (!bytes_failed(&path)) {
		int error = bytes_write_file(content->data, content->size_B, bytes_string(&path));
		if (error)
			log_warn("cannot write %s: %s", bytes_string(&path), strerror(error));
	}
	bytes_finish(&path);
}

void ocl_build_dump(const struct ocl_build_job *job, const struct ocl_code *code,
		    const struct bytes *log)
{
	if (!*option_string(OPTION_DUMP))
		return;
	uint64_t hash = name_of(job);
	if (code)
		dump(hash, ".ptx", &code->ptx);
	dump(hash, ".log", log);
}
