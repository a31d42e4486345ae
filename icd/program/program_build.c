#include "config.h"

#include "base/options.h"
#include "icd/compile/build.h"
#include "icd/compile/builders.h"
#include "icd/compile/compile.h"
#include "icd/program/module.h"

#include <stdlib.h>
#include <string.h>

/* Of a program of intermediate language. */
struct translation {
	struct bytes constants;      /* the values when the call was made */
	struct bytes text;           /* the program as OpenCL C */
};

/* One call of clBuildProgram, clCompileProgram or clLinkProgram over its devices:
 * begin marks them as being built, run goes the road once for each kind of device
 * without a lock, end puts the results in.  With a callback all but begin is done by a
 * builder, so a session owns whatever it needs. */
struct session {
	cl_program program;          /* ref held */
	char *options;               /* owned: the application's */
	char *all_options;           /* owned: those and CULVERT_BUILD_OPTIONS */
	cl_uint count;
	cl_uint *indices;            /* owned: of the program's devices */
	struct result *results;      /* owned: parallel to indices, as are */
	struct ocl_build_job *jobs;  /* owned */
	struct fe_header *headers;   /* owned, as are their names; their texts are the */
	cl_program *header_programs; /* owned array; refs held */
	cl_uint header_count;
	struct translation *il;      /* owned; NULL unless the program is of IL */
	struct ocl_code **codes;     /* owned array of refs: the inputs of a link */
	size_t code_count;
	struct ocl_notify notify;
	struct ocl_builder_task task;
};

struct result {
	cl_int error;
	struct ocl_build *build;     /* owned until end */
	struct bytes log;
	char *options;               /* owned until end */
	struct session *session;
	struct ocl_code *code;       /* owned by what runs: of a kind's first device */
	struct ocl_module *module;   /* likewise */
	struct ocl_builder_task task;
};

static void session_destroy(struct session *session)
{
	for (cl_uint i = 0; session->results && i < session->count; i++) {
		struct result *result = &session->results[i];
		ocl_build_unref(result->build);
		bytes_finish(&result->log);
		free(result->options);
	}
	for (cl_uint i = 0; i < session->header_count; i++) {
		free((void *)session->headers[i].name);
		object_unref(session->header_programs[i]);
	}
	for (size_t i = 0; i < session->code_count; i++)
		ocl_code_unref(session->codes[i]);
	if (session->il) {
		bytes_finish(&session->il->constants);
		bytes_finish(&session->il->text);
		free(session->il);
	}
	free(session->codes);
	free(session->headers);
	free(session->header_programs);
	free(session->jobs);
	free(session->results);
	free(session->indices);
	free(session->options);
	free(session->all_options);
	object_unref(session->program);
	free(session);
}

static bool session_fill(struct session *session, cl_uint count, const cl_device_id *devices)
{
	session->indices = calloc(session->count, sizeof(*session->indices));
	session->results = calloc(session->count, sizeof(*session->results));
	session->jobs = calloc(session->count, sizeof(*session->jobs));
	if (!session->indices || !session->results || !session->jobs || !session->options ||
	    !session->all_options)
		return false;
	for (cl_uint i = 0; i < session->count; i++) {
		session->indices[i] = count ? (cl_uint)ocl_program_device_index(session->program,
										devices[i])
					    : i;
		session->results[i].session = session;
		session->results[i].options = strdup(session->options);
		if (!session->results[i].options)
			return false;
	}
	return true;
}

/* The user's own come last, so that they win.  NULL when out of memory. */
static char *options_with_users(const char *options)
{
	const char *more = option_string(OPTION_BUILD_OPTIONS);
	struct bytes all = BYTES_INIT;
	bytes_append_string(&all, options);
	if (*more)
		bytes_printf(&all, "%s%s", *options ? " " : "", more);
	char *copy = bytes_failed(&all) ? NULL : strdup(bytes_string(&all));
	bytes_finish(&all);
	return copy;
}

/* count 0: all of the program's devices.  NULL when out of memory. */
static struct session *session_create(cl_program program, cl_uint count,
				      const cl_device_id *devices, const char *options,
				      const struct ocl_notify *notify)
{
	struct session *session = calloc(1, sizeof(*session));
	if (!session)
		return NULL;
	object_ref(program);
	session->program = program;
	session->count = count ? count : program->device_count;
	session->options = strdup(options);
	session->all_options = options_with_users(options);
	session->notify = *notify;
	if (ocl_program_is_il(program))
		session->il = calloc(1, sizeof(*session->il));
	bool made = session->il || !ocl_program_is_il(program);
	if (made && session_fill(session, count, devices))
		return session;
	session_destroy(session);
	return NULL;
}

/* OpenCL 3.0 API, 5.8.6: the headers as programs, their names beside them.  The
 * application's names need not outlive the call. */
static cl_int session_headers(struct session *session, const struct ocl_headers *headers)
{
	if (!headers->count)
		return CL_SUCCESS;
	session->headers = calloc(headers->count, sizeof(*session->headers));
	session->header_programs = calloc(headers->count, sizeof(cl_program));
	if (!session->headers || !session->header_programs)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < headers->count; i++) {
		cl_program program = headers->programs[i];
		char *name = strdup(headers->names[i]);
		if (!name)
			return CL_OUT_OF_HOST_MEMORY;
		object_ref(program);
		session->header_programs[i] = program;
		session->headers[i] = (struct fe_header){name, program->source,
							 program->source_size_B};
		session->header_count++;
	}
	return CL_SUCCESS;
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
	if (!error && session->il)
		ocl_program_constants_locked(program, &session->il->constants);
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
		       struct ocl_code *code, struct ocl_module *module)
{
	result->error = error;
	if (error)
		return;
	result->build = ocl_build_create(device, code, module);
	if (result->build)
		return;
	ocl_module_unref(module);
	result->error = CL_OUT_OF_HOST_MEMORY;
}

/* The first device whose code is good for device i too; i itself if it is that. */
static cl_uint session_same_kind(const struct session *session, cl_uint i)
{
	const struct ocl_build_job *jobs = session->jobs;
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

static void (*kind_run(struct ocl_builder_task *task))(struct ocl_builder_task *)
{
	struct result *result = list_entry(task, struct result, task);
	const struct ocl_build_job *job =
		&result->session->jobs[result - result->session->results];
	result->error = ocl_build_run(job, &result->code, &result->module, &result->log);
	return NULL;
}

/* Every kind of device at once: all but the first by builders, where there are any. */
static void kinds_run(struct session *session)
{
	for (cl_uint i = session->count; i-- > 0;) {
		struct result *result = &session->results[i];
		session->jobs[i].device = session_device(session, i);
		session->jobs[i].target = ocl_target_of(session_device(session, i));
		if (session_same_kind(session, i) != i)
			continue;
		result->task = (struct ocl_builder_task){.run = kind_run, .joined = true};
		if (!i || !ocl_builders_begin(&result->task)) {
			(void)kind_run(&result->task);
			result->task.done = true;
		}
	}
	for (cl_uint i = 1; i < session->count; i++)
		if (session_same_kind(session, i) == i)
			ocl_builders_join(&session->results[i].task);
}

/* Intermediate language becomes the source of all jobs, or what is wrong with it the result. */
static bool session_translate(struct session *session)
{
	struct ocl_build_job *jobs = session->jobs;
	struct translation *il = session->il;
	struct bytes log = BYTES_INIT;
	if (!il)
		return true;
	enum fe_status status = fe_options_check(session->options, false, &log);
	if (!status)
		status = ocl_program_il_source(session->program, &il->constants, &il->text, &log);
	for (cl_uint i = 0; i < session->count; i++) {
		jobs[i].source = bytes_string(&il->text);
		jobs[i].source_size_B = il->text.size_B;
		if (!status)
			continue;
		session->results[i].error = ocl_compile_frontend_error(jobs[i].kind, status);
		bytes_append(&session->results[i].log, log.data, log.size_B);
	}
	bytes_finish(&log);
	return !status;
}

static void session_run(struct session *session)
{
	if (!session_translate(session))
		return;
	kinds_run(session);
	/* From behind: a kind's first device is before the others, which look at it. */
	for (cl_uint i = session->count; i-- > 0;) {
		struct result *result = &session->results[i];
		const struct result *first =
			&session->results[session_same_kind(session, i)];
		if (first != result)
			bytes_append(&result->log, first->log.data, first->log.size_B);
		result_set(result, session_device(session, i), first->error, first->code,
			   result->module);
	}
	for (cl_uint i = 0; i < session->count; i++)
		ocl_code_unref(session->results[i].code);
}

/* --- who does it ----------------------------------------------------------------------- */

static void builder_tell(struct ocl_builder_task *task)
{
	struct session *session = list_entry(task, struct session, task);
	session->notify.call(session->program, session->notify.user_data);
	session_destroy(session);
}

static void (*builder_run(struct ocl_builder_task *task))(struct ocl_builder_task *)
{
	struct session *session = list_entry(task, struct session, task);
	session_run(session);
	(void)session_end(session);
	return builder_tell;
}

/* Whether a build came so far that its callback is owed. */
static bool build_ran(cl_int error)
{
	return !error || error == CL_BUILD_PROGRAM_FAILURE ||
	       error == CL_COMPILE_PROGRAM_FAILURE || error == CL_LINK_PROGRAM_FAILURE;
}

/* OpenCL 3.0 API, 5.8.4: with a callback the call "can return immediately once the build
 * operation can begin", that is, when the options are valid too. */
static bool session_may_leave(const struct session *session, bool linking)
{
	struct bytes log = BYTES_INIT;
	bool may = session->notify.call && !fe_options_check(session->options, linking, &log);
	bytes_finish(&log);
	return may;
}

/* Runs and ends what was begun, here or later; the session is gone or the builders'. */
static cl_int session_go(struct session *session)
{
	bool linking = session->jobs[0].kind == OCL_BUILD_LINK;
	session->task = (struct ocl_builder_task){.run = builder_run};
	if (session_may_leave(session, linking) && ocl_builders_begin(&session->task))
		return CL_SUCCESS;
	session_run(session);
	cl_int error = session_end(session);
	if (session->notify.call && build_ran(error))
		session->notify.call(session->program, session->notify.user_data);
	session_destroy(session);
	return error;
}

/* Begins and goes; the jobs' common part is model. */
static cl_int session_build(struct session *session, const struct ocl_build_job *model)
{
	const bool compiling = model->kind == OCL_BUILD_SOURCE || model->kind == OCL_BUILD_COMPILE;
	for (cl_uint i = 0; i < session->count; i++) {
		session->jobs[i] = *model;
		session->jobs[i].options = compiling ? session->all_options : session->options;
		/* Fixed since the program's creation: no lock. */
		if (model->kind == OCL_BUILD_BINARY)
			session->jobs[i].loaded =
				session->program->per_device[session->indices[i]].loaded;
	}
	cl_int error = session_begin(session);
	if (!error)
		return session_go(session);
	session_destroy(session);
	return error;
}

/* OpenCL 3.0 API, 5.8.4: a program made from binaries needs an executable one for
 * every device; one made from neither source nor binaries cannot be built. */
static cl_int buildable_check(const struct session *session)
{
	const struct _cl_program *program = session->program;
	bool any_loaded = false;
	if (program->source || ocl_program_is_il(program))
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
			 const char *options, const struct ocl_notify *notify)
{
	const struct ocl_build_job model = {
		.kind = program->source || ocl_program_is_il(program) ? OCL_BUILD_SOURCE
								      : OCL_BUILD_BINARY,
		.source = program->source,
		.source_size_B = program->source_size_B,
		.from_il = ocl_program_is_il(program),
	};
	struct session *session = session_create(program, count, devices, options, notify);
	if (!session)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = buildable_check(session);
	if (!error)
		return session_build(session, &model);
	session_destroy(session);
	return error;
}

cl_int ocl_program_compile(cl_program program, cl_uint count, const cl_device_id *devices,
			   const char *options, const struct ocl_headers *headers,
			   const struct ocl_notify *notify)
{
	struct ocl_build_job model = {
		.kind = OCL_BUILD_COMPILE,
		.source = program->source,
		.source_size_B = program->source_size_B,
		.header_count = headers->count,
		.from_il = ocl_program_is_il(program),
	};
	/* OpenCL 3.0 API, 5.8.6: CL_INVALID_OPERATION if the program has no source or IL. */
	if (!program->source && !ocl_program_is_il(program))
		return CL_INVALID_OPERATION;
	struct session *session = session_create(program, count, devices, options, notify);
	if (!session)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = session_headers(session, headers);
	model.headers = session->headers;
	if (!error)
		return session_build(session, &model);
	session_destroy(session);
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

static bool inputs_equal(struct ocl_code *const *a, struct ocl_code *const *b, cl_uint count)
{
	return !memcmp(a, b, count * sizeof(*a));
}

/* What is linked is what the inputs are now, whenever that is done. */
static cl_int link_jobs(struct session *session, const cl_program *inputs, cl_uint input_count)
{
	struct ocl_build_job *jobs = session->jobs;
	session->code_count = (size_t)session->count * input_count;
	session->codes = calloc(session->code_count, sizeof(*session->codes));
	if (!session->codes) {
		session->code_count = 0;
		return CL_OUT_OF_HOST_MEMORY;
	}
	for (cl_uint i = 0; i < session->count; i++) {
		struct ocl_code **mine = session->codes + (size_t)i * input_count;
		cl_int error = inputs_find(inputs, input_count, session_device(session, i), mine);
		if (error)
			return error;
		jobs[i] = (struct ocl_build_job){
			.kind = OCL_BUILD_LINK,
			.options = session->options,
			.inputs = mine,
			.input_count = input_count,
		};
		/* The same objects in the same order: the same job. */
		for (cl_uint j = 0; j < i; j++)
			if (inputs_equal(jobs[j].inputs, mine, input_count))
				jobs[i].inputs = jobs[j].inputs;
	}
	return CL_SUCCESS;
}

cl_int ocl_program_link(cl_context context, const struct ocl_link *link,
			const struct ocl_notify *notify, cl_program *program_out)
{
	cl_program program;
	struct bytes log = BYTES_INIT;
	cl_uint count = link->device_count;
	enum fe_status options_status = fe_options_check(link->options, true, &log);
	bytes_finish(&log);
	if (options_status == FE_INVALID_OPTIONS)
		return CL_INVALID_LINKER_OPTIONS;
	cl_int error = ocl_program_create(context, count ? link->devices : context->devices,
					  count ? count : context->device_count, &program);
	if (error)
		return error;
	struct session *session = session_create(program, 0, NULL, link->options, notify);
	error = session ? link_jobs(session, link->inputs, link->input_count)
			: CL_OUT_OF_HOST_MEMORY;
	if (!error)
		error = session_begin(session);
	if (error) {
		if (session)
			session_destroy(session);
		object_unref(program);
		return error;
	}
	error = session_go(session);
	/* 5.8.7: a program where the linking could begin, else NULL.  Who is called back has it
	 * already. */
	if (!error || error == CL_LINK_PROGRAM_FAILURE || notify->call)
		*program_out = program;
	else
		object_unref(program);
	return error;
}
