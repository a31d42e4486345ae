#include "config.h"

#include "icd/build.h"
#include "icd/module.h"

#include <stdlib.h>
#include <string.h>

/* One call of clBuildProgram, clCompileProgram or clLinkProgram over its devices:
 * begin marks them as being built, run goes the road once for each kind of device
 * without a lock, end puts the results in. */
struct session {
	cl_program program;
	cl_uint *indices;            /* owned: of the program's devices */
	cl_uint count;
	struct result *results;      /* owned: parallel to indices */
};

struct result {
	cl_int error;
	struct ocl_build *build;     /* owned until end */
	struct bytes log;
	char *options;               /* owned until end */
};

static void session_finish(struct session *session)
{
	for (cl_uint i = 0; session->results && i < session->count; i++) {
		struct result *result = &session->results[i];
		ocl_build_unref(result->build);
		bytes_finish(&result->log);
		free(result->options);
	}
	free(session->results);
	free(session->indices);
}

/* count 0: all of the program's devices. */
static cl_int session_init(struct session *session, cl_program program, cl_uint count,
			   const cl_device_id *devices, const char *options)
{
	*session = (struct session){.program = program};
	session->count = count ? count : program->device_count;
	session->indices = calloc(session->count, sizeof(*session->indices));
	session->results = calloc(session->count, sizeof(*session->results));
	if (!session->indices || !session->results)
		goto fail;
	for (cl_uint i = 0; i < session->count; i++) {
		session->indices[i] =
			count ? (cl_uint)ocl_program_device_index(program, devices[i]) : i;
		session->results[i].options = strdup(options);
		if (!session->results[i].options)
			goto fail;
	}
	return CL_SUCCESS;
fail:
	session_finish(session);
	return CL_OUT_OF_HOST_MEMORY;
}

static void swap_bytes(struct bytes *a, struct bytes *b)
{
	struct bytes middle = *a;
	*a = *b;
	*b = middle;
}

/* What the slot had goes into the result, to be freed without the lock. */
static void slot_swap_locked(struct program_device *slot, struct result *result)
{
	struct ocl_build *build = slot->build;
	char *options = slot->options;
	slot->build = result->build;
	slot->options = result->options;
	result->build = build;
	result->options = options;
	swap_bytes(&slot->log, &result->log);
}

/* OpenCL 3.0 API, 5.8.4 and 5.8.6: CL_INVALID_OPERATION while kernels are attached
 * or an earlier build for one of the devices has not ended. */
static cl_int session_begin(struct session *session)
{
	cl_program program = session->program;
	cl_int error = CL_SUCCESS;
	lock_take(&program->lock);
	if (program->kernels_attached)
		error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < session->count; i++)
		if (program->per_device[session->indices[i]].status == CL_BUILD_IN_PROGRESS)
			error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; !error && i < session->count; i++)
		program->per_device[session->indices[i]].status = CL_BUILD_IN_PROGRESS;
	lock_drop(&program->lock);
	return error;
}

/* The first error there was. */
static cl_int session_end(struct session *session)
{
	cl_program program = session->program;
	cl_int error = CL_SUCCESS;
	lock_take(&program->lock);
	for (cl_uint i = 0; i < session->count; i++) {
		struct result *result = &session->results[i];
		struct program_device *slot = &program->per_device[session->indices[i]];
		slot->status = result->error ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
		if (!error)
			error = result->error;
		slot_swap_locked(slot, result);
	}
	lock_drop(&program->lock);
	return error;
}

static cl_device_id session_device(const struct session *session, cl_uint i)
{
	return session->program->devices[session->indices[i]];
}

/* A job's outcome for one device. */
static void result_set(struct result *result, cl_device_id device, cl_int error,
		       struct ocl_code *code, struct ocl_module *module,
		       const struct bytes *log)
{
	result->error = error;
	bytes_append(&result->log, log->data, log->size_B);
	if (error)
		return;
	result->build = ocl_build_create(device, code, module);
	if (result->build)
		return;
	ocl_module_unref(module);
	result->error = CL_OUT_OF_HOST_MEMORY;
}

/* An earlier device whose code is good for device i too, or i itself. */
static cl_uint session_same_kind(const struct session *session, const struct ocl_build_job *jobs,
				 cl_uint i)
{
	cl_device_id device = session_device(session, i);
	for (cl_uint j = 0; j < i; j++) {
		cl_device_id other = session_device(session, j);
		if (other->caps->sm == device->caps->sm &&
		    ocl_device_local_B(other) == ocl_device_local_B(device) &&
		    jobs[j].loaded == jobs[i].loaded && jobs[j].inputs == jobs[i].inputs)
			return j;
	}
	return i;
}

/* jobs: one for each device, all but the device filled in. */
static void session_run(struct session *session, struct ocl_build_job *jobs)
{
	for (cl_uint i = 0; i < session->count; i++) {
		struct result *result = &session->results[i];
		cl_device_id device = session_device(session, i);
		cl_uint same = session_same_kind(session, jobs, i);
		if (same != i) {
			const struct result *first = &session->results[same];
			result_set(result, device, first->error,
				   first->build ? first->build->code : NULL, NULL,
				   &first->log);
			continue;
		}
		struct ocl_code *code = NULL;
		struct ocl_module *module = NULL;
		struct bytes log = BYTES_INIT;
		jobs[i].device = device;
		cl_int error = ocl_build_run(&jobs[i], &code, &module, &log);
		result_set(result, device, error, code, module, &log);
		ocl_code_unref(code);
		bytes_finish(&log);
	}
}

/* Begins, runs and ends; the jobs' common part is model. */
static cl_int session_build(struct session *session, const struct ocl_build_job *model)
{
	struct ocl_build_job *jobs = calloc(session->count, sizeof(*jobs));
	if (!jobs)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = session_begin(session);
	if (!error) {
		for (cl_uint i = 0; i < session->count; i++) {
			jobs[i] = *model;
			/* Fixed since the program's creation: no lock. */
			if (model->kind == OCL_BUILD_BINARY)
				jobs[i].loaded =
					session->program->per_device[session->indices[i]].loaded;
		}
		session_run(session, jobs);
		error = session_end(session);
	}
	free(jobs);
	return error;
}

/* OpenCL 3.0 API, 5.8.4: a program made from binaries needs an executable one for
 * every device; one made from neither source nor binaries cannot be built. */
static cl_int buildable_check(const struct session *session)
{
	const struct _cl_program *program = session->program;
	bool any_loaded = false;
	if (program->source)
		return CL_SUCCESS;
	for (cl_uint i = 0; i < program->device_count; i++)
		any_loaded |= program->per_device[i].loaded != NULL;
	if (!any_loaded)
		return CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < session->count; i++) {
		const struct ocl_code *code = program->per_device[session->indices[i]].loaded;
		if (!code || code->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_BINARY;
	}
	return CL_SUCCESS;
}

cl_int ocl_program_build(cl_program program, cl_uint count, const cl_device_id *devices,
			 const char *options)
{
	struct session session;
	const struct ocl_build_job model = {
		.kind = program->source ? OCL_BUILD_SOURCE : OCL_BUILD_BINARY,
		.options = options,
		.source = program->source,
		.source_size_B = program->source_size_B,
	};
	cl_int error = session_init(&session, program, count, devices, options);
	if (error)
		return error;
	error = buildable_check(&session);
	if (!error)
		error = session_build(&session, &model);
	session_finish(&session);
	return error;
}

cl_int ocl_program_compile(cl_program program, cl_uint count, const cl_device_id *devices,
			   const char *options, const struct fe_header *headers,
			   cl_uint header_count)
{
	struct session session;
	const struct ocl_build_job model = {
		.kind = OCL_BUILD_COMPILE,
		.options = options,
		.source = program->source,
		.source_size_B = program->source_size_B,
		.headers = headers,
		.header_count = header_count,
	};
	/* OpenCL 3.0 API, 5.8.6: CL_INVALID_OPERATION if the program has no source. */
	if (!program->source)
		return CL_INVALID_OPERATION;
	cl_int error = session_init(&session, program, count, devices, options);
	if (error)
		return error;
	error = session_build(&session, &model);
	session_finish(&session);
	return error;
}

/* --- linking -------------------------------------------------------------------- */

/* The inputs' objects for one device: references. */
static cl_int inputs_find(const cl_program *inputs, cl_uint count, cl_device_id device,
			  struct ocl_code **codes)
{
	for (cl_uint i = 0; i < count; i++) {
		int index = ocl_program_device_index(inputs[i], device);
		codes[i] = index < 0 ? NULL : ocl_program_code(inputs[i], (cl_uint)index);
		/* OpenCL 3.0 API, 5.8.7: every program must have a compiled binary or
		 * library for the device; an executable is neither. */
		if (!codes[i] || codes[i]->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_OPERATION;
	}
	return CL_SUCCESS;
}

static void inputs_release(struct ocl_code **codes, size_t count)
{
	for (size_t i = 0; codes && i < count; i++)
		ocl_code_unref(codes[i]);
	free(codes);
}

static bool inputs_equal(struct ocl_code *const *a, struct ocl_code *const *b, cl_uint count)
{
	return !memcmp(a, b, count * sizeof(*a));
}

static cl_int link_run(struct session *session, const char *options, const cl_program *inputs,
		       cl_uint input_count)
{
	size_t code_count = (size_t)session->count * input_count;
	struct ocl_code **codes = calloc(code_count, sizeof(*codes));
	struct ocl_build_job *jobs = calloc(session->count, sizeof(*jobs));
	cl_int error = codes && jobs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; !error && i < session->count; i++) {
		struct ocl_code **mine = codes + (size_t)i * input_count;
		error = inputs_find(inputs, input_count, session_device(session, i), mine);
		jobs[i] = (struct ocl_build_job){
			.kind = OCL_BUILD_LINK,
			.options = options,
			.inputs = mine,
			.input_count = input_count,
		};
		/* The same objects in the same order: the same job. */
		for (cl_uint j = 0; !error && j < i; j++)
			if (inputs_equal(jobs[j].inputs, mine, input_count))
				jobs[i].inputs = jobs[j].inputs;
	}
	if (!error)
		error = session_begin(session);
	if (!error)
		session_run(session, jobs);
	inputs_release(codes, code_count);
	free(jobs);
	return error;
}

cl_int ocl_program_link(cl_context context, cl_uint count, const cl_device_id *devices,
			const char *options, cl_uint input_count, const cl_program *inputs,
			cl_program *program_out)
{
	cl_program program;
	struct session session;
	struct bytes log = BYTES_INIT;
	enum fe_status options_status = fe_options_check(options, true, &log);
	bytes_finish(&log);
	if (options_status == FE_INVALID_OPTIONS)
		return CL_INVALID_LINKER_OPTIONS;
	cl_int error = ocl_program_create(context, count ? devices : context->devices,
					  count ? count : context->device_count, &program);
	if (error)
		return error;
	error = session_init(&session, program, 0, NULL, options);
	if (error) {
		object_unref(program);
		return error;
	}
	error = link_run(&session, options, inputs, input_count);
	if (error) {
		object_unref(program);
	} else {
		error = session_end(&session);
		*program_out = program;
	}
	session_finish(&session);
	return error;
}
