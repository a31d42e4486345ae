#include "config.h"

#include "icd/build_cache.h"

#include "backend/codegen.h"
#include "base/build_id.h"
#include "base/log.h"
#include "base/stage.h"
#include "icd/program_binary.h"

#include <pthread.h>
#include <string.h>

/* Its address tells where our own code lies. */
static const char here;

/* Which builds of ours and of LLVM make the code; "" when that cannot be found out. */
static struct bytes builders;

/* Our own code is what is loaded; the compiler is a process' that comes, from the files there are then. */
static bool append_builders(struct bytes *text)
{
	const bool found = build_id_append_at(text, &here);
	bytes_append_char(text, ' ');
	return found && fe_compiler_build(text) && !bytes_failed(text);
}

static void find_builders(void)
{
	struct bytes text = BYTES_INIT;
	if (append_builders(&text))
		bytes_move(&builders, &text);
	else
		log_warn("cache: nothing is kept, for the builds of Culvert or LLVM cannot be told "
			 "apart: the files are not where they were");
	bytes_finish(&text);
}

/* Whether the files are those that find_builders saw. */
static bool builders_hold(void)
{
	struct bytes now = BYTES_INIT;
	const bool same = append_builders(&now) &&
			  !strcmp(bytes_string(&now), bytes_string(&builders)) &&
			  be_nvvm_build_holds();
	bytes_finish(&now);
	return same;
}

static bool add_builders(struct hash_builder *key)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct bytes nvvm = BYTES_INIT;
	pthread_once(&once, find_builders);
	bool known = builders.size_B && be_nvvm_build(&nvvm);
	hash_add_string(key, bytes_string(&builders));
	hash_add_string(key, bytes_string(&nvvm));
	bytes_finish(&nvvm);
	return known;
}

static bool add_options(struct hash_builder *key, const struct ocl_build_job *job)
{
	struct bytes text = BYTES_INIT, log = BYTES_INIT;
	enum fe_status status = fe_options_canonical(job->options, job->kind == OCL_BUILD_LINK,
						     &text, &log);
	hash_add(key, bytes_string(&text), text.size_B);
	bytes_finish(&text);
	bytes_finish(&log);
	return status == FE_OK;
}

/* What a job compiles from is there before it runs. */
static void add_object(struct hash_builder *key, struct ocl_part *object)
{
	const struct bytes *bytes = ocl_part_bytes(object);
	hash_add(key, bytes->data, bytes->size_B);
}

static bool add_loaded(struct hash_builder *key, struct ocl_code *loaded)
{
	struct bytes whole = BYTES_INIT;
	ocl_code_write(loaded, OCL_CODE_GIVEN, &whole);
	bool added = !bytes_failed(&whole);
	hash_add(key, bytes_string(&whole), whole.size_B);
	bytes_finish(&whole);
	return added;
}

static bool add_job(struct hash_builder *key, const struct ocl_build_job *job)
{
	hash_add_number(key, job->kind);
	hash_add_number(key, job->target.sm);
	hash_add_number(key, job->target.max_local_B);
	hash_add_number(key, job->wide_ids);
	hash_add_number(key, job->from_il);
	hash_add_string(key, be_cubin_build(job->device->gpu));
	if (job->source)
		hash_add(key, job->source, job->source_size_B);
	hash_add_number(key, job->header_count);
	for (size_t i = 0; i < job->header_count; i++) {
		hash_add_string(key, job->headers[i].name);
		hash_add(key, job->headers[i].text, job->headers[i].size_B);
	}
	hash_add_number(key, job->input_count);
	for (size_t i = 0; i < job->input_count; i++)
		add_object(key, &job->inputs[i]->object);
	return add_options(key, job) && (!job->loaded || add_loaded(key, job->loaded));
}

bool ocl_build_key(const struct ocl_build_job *job, struct hash *key_out)
{
	if (!cache_default() || stage_watched())
		return false;
	struct hash_builder *builder = hash_begin();
	if (!builder)
		return false;
	bool whole = add_builders(builder) && add_job(builder, job);
	*key_out = hash_end(builder);
	return whole;
}

bool ocl_build_key_holds(const struct ocl_build_job *job, const struct hash *key)
{
	struct hash now;
	return ocl_build_key(job, &now) && hash_equal(key, &now) && builders_hold();
}
