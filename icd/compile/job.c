#include "config.h"

#include "icd/compile/job.h"

#include "base/log.h"
#include "base/stage.h"
#include "cache/cache.h"
#include "icd/compile/builders.h"
#include "icd/compile/compile.h"
#include "icd/compile/compile_process.h"
#include "icd/compile/job_cache.h"
#include "icd/compile/job_dump.h"
#include "icd/compile/job_key.h"

#include <inttypes.h>

static void log_counts(void)
{
	if (!log_enabled(LOG_LEVEL_INFO))
		return;
	struct cache_counts counts = cache_counts(cache_default());
	log_info("cache: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " damaged, %" PRIu64
		 " put, %" PRIu64 " evicted, %" PRIu64 " waits", counts.hits, counts.misses,
		 counts.heals, counts.stores, counts.evictions, counts.waits);
}

/* The outcome of an equal job: true with its code and a reference, or with its error. */
static bool recall(const struct ocl_job *job, struct ocl_job_key *key,
		   struct ocl_code **code_out, cl_int *error_out, struct bytes *log)
{
	struct ocl_code *code = ocl_job_recall(key, job->target.sm);
	*error_out = code ? CL_SUCCESS : ocl_job_recall_failure(key, log);
	if (code)
		bytes_append(log, code->log.data, code->log.size_B);
	*code_out = code;
	return code || *error_out;
}

/* Compiles in a compiler process, or in this one if no such process can be started. */
static void compile(const struct ocl_job *job, struct ocl_outcome *outcome)
{
	if (ocl_compile_process(job, outcome))
		return;
	ocl_builders_guard_exit();
	ocl_compile_deep(job, outcome);
}

/* Compiles the job and keeps the outcome under key; NULL: it is not kept.  The code has its own copy of the
 * messages. */
static cl_int make_and_remember(const struct ocl_job *job, struct ocl_job_key *key,
				struct ocl_code **code_out, struct bytes *log)
{
	struct ocl_outcome outcome = OCL_OUTCOME_INIT;
	compile(job, &outcome);
	cl_int error = outcome.error;
	bytes_append(log, outcome.log.data, outcome.log.size_B);
	ocl_job_dump(job, outcome.code, &outcome.log);
	if (!error) {
		bytes_move(&outcome.code->log, &outcome.log);
		if (key && ocl_job_key_holds(job, key))
			ocl_job_remember(key, &outcome.inputs, outcome.code);
		*code_out = ocl_code_ref(outcome.code);
	} else if (outcome.refused && key && !bytes_failed(log)) {
		ocl_job_remember_failure(key, &outcome.inputs, error, &outcome.log);
	}
	ocl_outcome_finish(&outcome);
	return error;
}

/* Several jobs with the same key at the same time: one is compiled, the others wait for its code. */
static cl_int make_in_turn(const struct ocl_job *job, struct ocl_job_key *key,
			   struct ocl_code **code_out, struct bytes *log)
{
	struct cache_flight *flight = cache_flight_begin(cache_default(), ocl_job_key_hash(key));
	cl_int error;
	if (!recall(job, key, code_out, &error, log))
		error = make_and_remember(job, key, code_out, log);
	if (error)
		cache_flight_fail(cache_default(), flight);
	else
		cache_flight_end(cache_default(), flight);
	return error;
}

static cl_int find_or_make(const struct ocl_job *job, struct ocl_code **code_out,
			   struct bytes *log)
{
	struct ocl_job_key key;
	cl_int error;
	struct stage_clock clock = stage_clock_start();
	const bool known = ocl_job_key_make(job, &key);
	stage_clock_lap(&clock, "key");
	if (!known)
		error = make_and_remember(job, NULL, code_out, log);
	else if (!recall(job, &key, code_out, &error, log))
		error = make_in_turn(job, &key, code_out, log);
	ocl_job_key_finish(&key);
	if (!known)
		return error;
	stage_clock_lap(&clock, "code, found or made");
	log_counts();
	return error;
}

/* Whether everything that the job is compiled from could be unpacked.  It stays unpacked, so that later steps need
 * not check again. */
static bool open_parts(const struct ocl_job *job)
{
	for (size_t i = 0; i < job->input_count; i++)
		if (!packed_bytes_open(&job->inputs[i]->object))
			return false;
	return !job->loaded || (packed_bytes_open(&job->loaded->object) &&
				packed_bytes_open(&job->loaded->ptx));
}

cl_int ocl_job_run(const struct ocl_job *job, struct ocl_code **code_out, struct bytes *log)
{
	return open_parts(job) ? find_or_make(job, code_out, log) : CL_OUT_OF_HOST_MEMORY;
}
