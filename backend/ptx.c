#include "config.h"

#include "backend/codegen.h"
#include "backend/gpu_internal.h"
#include "backend/gpu_module.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INFO_B = 65536, ERROR_B = 65536, OPTIONS_MAX = 12 };

struct job {
	CUjit_option names[OPTIONS_MAX];
	void *values[OPTIONS_MAX];
	unsigned int count;
	char *info;                      /* owned, INFO_B */
	char *error;                     /* owned, ERROR_B */
};

static void job_set(struct job *job, CUjit_option name, void *value)
{
	job->names[job->count] = name;
	job->values[job->count++] = value;
}

static void job_set_number(struct job *job, CUjit_option name, uintptr_t number)
{
	job_set(job, name, (void *)number);
}

/* Memory for the driver's messages, an empty string at first.  It is not cleared, because it is large and mostly
 * unused. */
static char *text_make(size_t size_B)
{
	char *text = malloc(size_B);
	if (text)
		text[0] = text[size_B - 1] = '\0';
	return text;
}

static cl_int job_init(struct job *job, const struct be_codegen_options *options, bool is_debug)
{
	memset(job, 0, sizeof(*job));
	job->info = text_make(INFO_B);
	job->error = text_make(ERROR_B);
	if (!job->info || !job->error)
		return CL_OUT_OF_HOST_MEMORY;
	job_set(job, CU_JIT_INFO_LOG_BUFFER, job->info);
	job_set_number(job, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, INFO_B - 1);
	job_set(job, CU_JIT_ERROR_LOG_BUFFER, job->error);
	job_set_number(job, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, ERROR_B - 1);
	if (!options->choice.optimization)
		job_set_number(job, CU_JIT_OPTIMIZATION_LEVEL, 0);
	if (options->choice.max_registers)
		job_set_number(job, CU_JIT_MAX_REGISTERS, options->choice.max_registers);
	if (options->choice.line_info)
		job_set_number(job, is_debug ? CU_JIT_GENERATE_DEBUG_INFO : CU_JIT_GENERATE_LINE_INFO, 1);
	if (options->choice.verbose)
		job_set_number(job, CU_JIT_LOG_VERBOSE, 1);
	return CL_SUCCESS;
}

static void job_finish(struct job *job)
{
	free(job->info);
	free(job->error);
}

static void append_line(struct bytes *log, const char *text)
{
	if (!*text)
		return;
	bytes_append_string(log, text);
	if (text[strlen(text) - 1] != '\n')
		bytes_append_char(log, '\n');
}

/* The newest PTX version that a driver reads, as 10 * major + minor; 0: unknown. (PTX ISA, release notes: the table
 * of CUDA releases.) */
static int ptx_version_of_driver(int cuda_version)
{
	static const int of_cuda_12[] = {80, 81, 82, 83, 84, 85, 85, 86, 87, 88};
	int major = cuda_version / 1000, minor = cuda_version % 1000 / 10;
	if (major == 12 && minor < (int)(sizeof(of_cuda_12) / sizeof(of_cuda_12[0])))
		return of_cuda_12[minor];
	return major == 13 && minor < 10 ? 90 + minor : 0;
}

/* PTX of a libnvvm that is newer than the driver has a version that the driver rejects, even if it knows all
 * instructions in it.  Then text_out gets the text with the newest version that the driver knows, and true is
 * returned; instructions that the driver does not know are still rejected, with an error that names them. */
static bool fit_version(const struct bytes *ptx, int cuda_version, struct bytes *text_out)
{
	int major, minor, known = ptx_version_of_driver(cuda_version);
	const char *head = strstr(ptx->data, ".version ");
	if (!head || !known || sscanf(head, ".version %d.%d", &major, &minor) != 2 ||
	    major * 10 + minor <= known)
		return false;
	log_warn("libnvvm generates PTX %d.%d and the driver supports %d.%d: using the latter version number", major,
		 minor, known / 10, known % 10);
	bytes_append(text_out, ptx->data, (size_t)(head - ptx->data));
	bytes_printf(text_out, ".version %d.%d", known / 10, known % 10);
	bytes_append_string(text_out, head + strcspn(head, "\n"));
	return !bytes_failed(text_out);
}

/* An error in the text is a build failure; other errors are returned as they are. */
static cl_int narrow(cl_int error, CUresult cu_result)
{
	if (error == CL_INVALID_BINARY || error == CL_INVALID_KERNEL_NAME)
		return CL_BUILD_PROGRAM_FAILURE;
	if (cu_result == CUDA_ERROR_INVALID_VALUE || cu_result == CUDA_ERROR_UNKNOWN)
		return CL_BUILD_PROGRAM_FAILURE;
	return cu_result == CUDA_ERROR_OUT_OF_MEMORY ? CL_OUT_OF_HOST_MEMORY : error;
}

cl_int be_ptx_load(struct gpu_device *device, const struct bytes *ptx,
		   const struct be_codegen_options *options,
		   struct gpu_module **module_out, struct bytes *log)
{
	struct gpu_scope scope;
	struct job job;
	struct bytes fitted = BYTES_INIT;
	CUresult cu_result = CUDA_SUCCESS;
	if (!ptx->size_B)
		return CL_BUILD_PROGRAM_FAILURE;
	cl_int error = gpu_enter_new(device, &scope);
	if (error)
		return error;
	gpu_defer_reap(device);
	error = job_init(&job, options, be_ptx_is_debug(ptx));
	if (error)
		goto leave;
	const bool refit = fit_version(ptx, gpu_device_caps(device)->cuda_version, &fitted);
	error = gpu_module_open(device, refit ? fitted.data : ptx->data, job.count, job.names,
				job.values, &cu_result, module_out);
	error = narrow(error, cu_result);
	if (options->choice.verbose || options->choice.line_info || error)
		append_line(log, job.info);
	append_line(log, job.error);
	if (error && !*job.error)
		bytes_printf(log, "the driver's compiler failed: %s\n",
			     gpu_error_find(cu_result)->name);
leave:
	bytes_finish(&fitted);
	job_finish(&job);
	gpu_leave(&scope);
	return error;
}
