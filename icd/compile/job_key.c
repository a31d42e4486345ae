#include "config.h"

#include "icd/compile/job_key.h"

#include "backend/codegen.h"
#include "base/build_id.h"
#include "base/log.h"
#include "base/stage.h"
#include "cache/cache.h"
#include "icd/compile/program_binary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_USUAL_B = 700 };

/* Its address is inside the loaded file of Culvert's own code. */
static const char here;

/* The build IDs of Culvert and of LLVM; "" if they cannot be found out. */
static struct bytes builders;

/* Culvert's build ID is that of the loaded code; LLVM's is that of the files as they are now, from which the next
 * compiler process is started. */
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
		log_warn("cache: disabled: the build IDs of Culvert or LLVM cannot be read, because "
			 "the files were moved or replaced");
	bytes_finish(&text);
}

/* Whether the files still are those that find_builders read. */
static bool builders_hold(void)
{
	struct bytes now = BYTES_INIT;
	const bool same = append_builders(&now) &&
			  !strcmp(bytes_string(&now), bytes_string(&builders)) &&
			  be_nvvm_build_holds();
	bytes_finish(&now);
	return same;
}

/* --- what goes into a key -------------------------------------------------------------- */

static void add_number(struct ocl_job_key *key, uint64_t number)
{
	unsigned char bytes[8];
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	bytes_append(&key->facts, bytes, sizeof(bytes));
}

/* Adds data with its size, so that "ab", "c" and "a", "bc" differ. */
static void add(struct ocl_job_key *key, const void *data, size_t size_B)
{
	add_number(key, size_B);
	bytes_append(&key->facts, data, size_B);
}

static void add_string(struct ocl_job_key *key, const char *text)
{
	add(key, text, strlen(text));
}

/* Adds data that may be large: it becomes a part of its own and is not copied; the facts contain its size. */
static void add_large(struct ocl_job_key *key, const void *data, size_t size_B)
{
	add_number(key, size_B);
	key->parts[key->part_count++] = (struct hash_part){data, size_B};
}

static bool add_builders(struct ocl_job_key *key, unsigned sm)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct bytes nvvm = BYTES_INIT;
	pthread_once(&once, find_builders);
	bool known = builders.size_B && be_nvvm_build(sm, &nvvm);
	add_string(key, bytes_string(&builders));
	add_string(key, bytes_string(&nvvm));
	bytes_finish(&nvvm);
	return known;
}

/* Jobs of binaries have no options: those were used when the binary was compiled. */
static bool add_options(struct ocl_job_key *key, const struct ocl_job *job)
{
	struct bytes text = BYTES_INIT;
	if (job->options)
		fe_options_canonical(job->options, &text);
	const bool whole = !bytes_failed(&text);
	add(key, bytes_string(&text), text.size_B);
	bytes_finish(&text);
	return whole;
}

/* The object was unpacked before the job ran (icd/compile/job.c). */
static void add_object(struct ocl_job_key *key, struct packed_bytes *object)
{
	const struct bytes *bytes = packed_bytes_open(object);
	add_large(key, bytes->data, bytes->size_B);
}

static bool add_loaded(struct ocl_job_key *key, struct ocl_code *loaded)
{
	ocl_code_write(loaded, OCL_CODE_GIVEN, &key->loaded);
	add_large(key, key->loaded.data, key->loaded.size_B);
	return !bytes_failed(&key->loaded);
}

static bool add_job(struct ocl_job_key *key, const struct ocl_job *job)
{
	add_number(key, job->kind);
	add_number(key, job->target.sm);
	add_number(key, job->target.max_local_B);
	add_number(key, job->wide_ids);
	add_number(key, job->from_il);
	add_string(key, job->target.cubin_build);
	add_number(key, job->source != NULL);
	if (job->source) {
		key->source = job->shared_source;
		key->source_part = key->part_count;
		add_large(key, job->source, job->source_size_B);
	}
	add_number(key, job->header_count);
	for (size_t i = 0; i < job->header_count; i++) {
		add_string(key, job->headers[i].name);
		add_large(key, job->headers[i].text, job->headers[i].size_B);
	}
	add_number(key, job->input_count);
	for (size_t i = 0; i < job->input_count; i++)
		add_object(key, &job->inputs[i]->object);
	return add_options(key, job) && (!job->loaded || add_loaded(key, job->loaded));
}

/* --- a key -------------------------------------------------------------------------------- */

static size_t parts_most(const struct ocl_job *job)
{
	/* The facts, a source and a binary. */
	return 3 + job->header_count + job->input_count;
}

bool ocl_job_key_make(const struct ocl_job *job, struct ocl_job_key *key)
{
	*key = (struct ocl_job_key){.part_count = 1};
	if (!cache_default() || stage_watched())
		return false;
	/* The array in the key is enough for most jobs, which have only a source. */
	key->parts = key->few;
	if (parts_most(job) > OCL_JOB_KEY_FEW)
		key->parts = calloc(parts_most(job), sizeof(*key->parts));
	bytes_reserve(&key->facts, FACTS_USUAL_B);
	if (!key->parts || !add_builders(key, job->target.sm) || !add_job(key, job) || bytes_failed(&key->facts))
		return false;
	key->parts[0] = (struct hash_part){key->facts.data, key->facts.size_B};
	for (size_t i = 0; i < key->part_count; i++)
		key->size_B += key->parts[i].size_B;
	return true;
}

void ocl_job_key_finish(struct ocl_job_key *key)
{
	bytes_finish(&key->facts);
	bytes_finish(&key->loaded);
	if (key->parts != key->few)
		free(key->parts);
	key->parts = NULL;
}

const struct hash *ocl_job_key_hash(struct ocl_job_key *key)
{
	if (!key->hashed)
		key->hash = hash_of_parts(key->parts, key->part_count);
	key->hashed = true;
	return &key->hash;
}

static bool is_shared(const struct ocl_job_key *key, size_t part)
{
	return key->source && part == key->source_part;
}

void ocl_job_key_copy(const struct ocl_job_key *key, struct ocl_job_key_copy *copy_out)
{
	*copy_out = (struct ocl_job_key_copy){.source = shared_text_ref(key->source), .size_B = key->size_B};
	for (size_t i = 0; i < key->part_count; i++)
		if (!is_shared(key, i))
			bytes_append(&copy_out->rest, key->parts[i].data, key->parts[i].size_B);
}

void ocl_job_key_copy_finish(struct ocl_job_key_copy *copy)
{
	bytes_finish(&copy->rest);
	shared_text_unref(copy->source);
	copy->source = NULL;
}

static bool text_equal(const struct shared_text *a, const struct shared_text *b)
{
	return a == b || (a->size_B == b->size_B && !memcmp(a->data, b->data, a->size_B));
}

/* The facts are compared first; they contain the size of each other part. */
bool ocl_job_key_is(const struct ocl_job_key *key, const struct ocl_job_key_copy *copy)
{
	const char *at = copy->rest.data;
	if (copy->size_B != key->size_B || !copy->source != !key->source)
		return false;
	for (size_t i = 0; i < key->part_count; i++) {
		const struct hash_part *part = &key->parts[i];
		if (is_shared(key, i)) {
			if (!text_equal(key->source, copy->source))
				return false;
			continue;
		}
		if (part->size_B && memcmp(at, part->data, part->size_B))
			return false;
		at += part->size_B;
	}
	return true;
}

bool ocl_job_key_holds(const struct ocl_job *job, struct ocl_job_key *key)
{
	struct ocl_job_key now;
	const bool holds = ocl_job_key_make(job, &now) &&
			   hash_equal(ocl_job_key_hash(key), ocl_job_key_hash(&now)) &&
			   builders_hold();
	ocl_job_key_finish(&now);
	return holds;
}
