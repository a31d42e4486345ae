/* clBuildProgram, clCompileProgram and clLinkProgram: a build is one such call, over its devices. */
#include "config.h"

#include "base/options.h"
#include "base/stage.h"
#include "icd/compile/builders.h"
#include "icd/compile/job.h"
#include "icd/program/module_load.h"
#include "icd/program/program.h"

#include <stdlib.h>
#include <string.h>

/* The devices of a build that use the code of one job. */
struct kind {
	struct ocl_job job;
	cl_device_id device;         /* the first of these devices: an executable is loaded there */
	cl_int error;                /* this and the next three fields: the job's outcome */
	struct ocl_code *code;       /* with a reference; NULL if there is an error */
	struct ocl_module *module;   /* of code on device, with a reference; NULL: not loaded */
	struct bytes log;
	struct ocl_builder_task task;
};

/* One device of a build. */
struct target {
	cl_uint index;               /* in the program's devices */
	struct kind *kind;           /* one of the build's kinds */
	cl_int error;
	struct program_device made;  /* the new state of the program's device; after build_end the old one, to be
				      * freed */
};

/* A call's build, in three steps: build_begin marks the devices as being built, build_run runs the jobs without a
 * lock, build_end stores the outcomes in the program.  With a callback the last two run on a builder thread, so a
 * build owns everything that it needs. */
struct build {
	cl_program program;          /* ref held */
	enum ocl_job_kind job_kind;
	cl_uint count;
	struct target *targets;      /* owned array of count elements */
	struct kind *kinds;          /* owned array with room for count elements */
	cl_uint kind_count;
	bool options_read;
	struct fe_options options;   /* valid if options_read is set */
	cl_int refusal;              /* the error of the options; CL_SUCCESS if they are valid */
	struct bytes refusal_log;
	struct fe_header *headers;   /* owned, with their names; the texts belong to the header programs */
	cl_program *header_programs; /* owned array, with references */
	cl_uint header_count;
	struct bytes constants;      /* of an IL program: the specialization constants at the time of the call */
	struct bytes translation;    /* of an IL program: the module with those constants */
	struct ocl_code **inputs;    /* of a link: owned array, with references; input_count for each device */
	size_t input_count;
	struct ocl_notify notify;
	struct ocl_builder_task task;
};

/* --- making one -------------------------------------------------------------------------- */

static void inputs_free(struct build *build)
{
	for (size_t i = 0; build->inputs && i < build->count * build->input_count; i++)
		ocl_code_unref(build->inputs[i]);
	free(build->inputs);
}

static void build_destroy(struct build *build)
{
	for (cl_uint i = 0; build->targets && i < build->count; i++) {
		struct program_device *made = &build->targets[i].made;
		ocl_module_unref(made->module);
		ocl_code_unref(made->code);
		bytes_finish(&made->log);
		free(made->options);
	}
	for (cl_uint i = 0; i < build->kind_count; i++) {
		ocl_module_unref(build->kinds[i].module);
		ocl_code_unref(build->kinds[i].code);
		bytes_finish(&build->kinds[i].log);
	}
	for (cl_uint i = 0; i < build->header_count; i++) {
		free((void *)build->headers[i].name);
		object_unref(build->header_programs[i]);
	}
	inputs_free(build);
	if (build->options_read)
		fe_options_finish(&build->options);
	bytes_finish(&build->refusal_log);
	bytes_finish(&build->constants);
	bytes_finish(&build->translation);
	free(build->headers);
	free(build->header_programs);
	free(build->kinds);
	free(build->targets);
	object_unref(build->program);
	free(build);
}

static bool is_listed(const struct _cl_device_id *device, const cl_device_id *devices, cl_uint count)
{
	for (cl_uint i = 0; i < count; i++)
		if (devices[i] == device)
			return true;
	return false;
}

/* Adds the sub-devices that have no binary of their own to the devices that are built for.  OpenCL 3.0 API, 5.8.6:
 * "a program binary built for a parent device can be used by all its sub-devices.  If a program binary has not been
 * built for a sub-device, the program binary associated with the parent device will be used". */
static void heirs_add(struct build *build, const cl_device_id *devices, cl_uint count)
{
	struct _cl_program *program = build->program;
	lock_take(&program->lock);
	for (cl_uint i = 0; i < program->device_count; i++) {
		const struct program_device *slot = &program->per_device[i];
		const struct _cl_device_id *above = program->devices[i]->parent;
		if (is_listed(program->devices[i], devices, count) ||
		    (slot->status != CL_BUILD_NONE && !slot->inherited))
			continue;
		while (above && !is_listed(above, devices, count))
			above = above->parent;
		if (above)
			build->targets[build->count++] =
				(struct target){.index = i, .made = {.inherited = true}};
	}
	lock_drop(&program->lock);
}

static bool targets_fill(struct build *build, const cl_device_id *devices, const char *options)
{
	const cl_uint listed = build->count, most = listed + build->program->device_count;
	build->targets = calloc(most, sizeof(*build->targets));
	build->kinds = calloc(most, sizeof(*build->kinds));
	if (!build->targets || !build->kinds)
		return false;
	for (cl_uint i = 0; i < listed; i++)
		build->targets[i].index =
			devices ? (cl_uint)ocl_program_device_index(build->program, devices[i]) : i;
	if (devices)
		heirs_add(build, devices, listed);
	for (cl_uint i = 0; i < build->count; i++) {
		struct target *target = &build->targets[i];
		target->made.options = strdup(options);
		if (!target->made.options)
			return false;
	}
	return true;
}

/* The options for a source: the application's, then those of CULVERT_BUILD_OPTIONS, which therefore have priority.
 * NULL: out of memory. */
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

/* Parses the options, once for the whole build. */
static enum fe_status options_read(struct build *build, const char *text)
{
	if (build->job_kind == OCL_JOB_LINK || build->job_kind == OCL_JOB_BINARY)
		return fe_options_parse(text, build->job_kind == OCL_JOB_LINK, &build->options,
					&build->refusal_log);
	char *all = options_with_users(text);
	if (!all)
		return FE_NO_MEMORY;
	enum fe_status status =
		ocl_program_is_il(build->program)
			? fe_options_parse_il(all, &build->options, &build->refusal_log)
			: fe_options_parse(all, false, &build->options, &build->refusal_log);
	free(all);
	return status;
}

/* count 0: for all of the program's devices.  NULL: out of memory.  Errors in the options are stored in the build
 * and reported by it. */
static struct build *build_create(enum ocl_job_kind job_kind, cl_program program, cl_uint count,
				  const cl_device_id *devices, const char *options,
				  const struct ocl_notify *notify)
{
	struct build *build = calloc(1, sizeof(*build));
	if (!build)
		return NULL;
	object_ref(program);
	build->program = program;
	build->job_kind = job_kind;
	build->count = count ? count : program->device_count;
	build->notify = *notify;
	if (!targets_fill(build, count ? devices : NULL, options)) {
		build_destroy(build);
		return NULL;
	}
	const enum fe_status status = options_read(build, options);
	build->options_read = !status;
	build->refusal = ocl_job_frontend_error(job_kind, status);
	return build;
}

static cl_device_id target_device(const struct build *build, const struct target *target)
{
	return build->program->devices[target->index];
}

/* The job for one of the devices. */
static struct ocl_job job_for(const struct build *build, cl_uint at)
{
	const struct _cl_program *program = build->program;
	const struct target *target = &build->targets[at];
	struct ocl_job job = {
		.kind = build->job_kind,
		.target = ocl_target_of(target_device(build, target)),
		.options = build->options_read ? &build->options : NULL,
		.source = program->source ? program->source->data : NULL,
		.source_size_B = program->source ? program->source->size_B : 0,
		.shared_source = program->source,
		.from_il = ocl_program_is_il(program),
		.headers = build->headers,
		.header_count = build->header_count,
		.input_count = build->input_count,
	};
	/* loaded does not change after the program's creation, so no lock is needed. */
	if (job.kind == OCL_JOB_BINARY)
		job.loaded = program->per_device[target->index].loaded;
	if (job.kind == OCL_JOB_LINK)
		job.inputs = build->inputs + at * build->input_count;
	return job;
}

/* Whether two jobs of one build compile to the same code. */
static bool jobs_are_equal(const struct ocl_job *a, const struct ocl_job *b)
{
	return a->target.sm == b->target.sm && a->target.max_local_B == b->target.max_local_B &&
	       a->loaded == b->loaded &&
	       (!a->inputs ||
		!memcmp(a->inputs, b->inputs, a->input_count * sizeof(struct ocl_code *)));
}

/* Finds the kind of each device.  There are as many kinds as there are different GPUs. */
static void kinds_find(struct build *build)
{
	for (cl_uint i = 0; i < build->count; i++) {
		const struct ocl_job job = job_for(build, i);
		struct kind *kind = build->kinds, *end = kind + build->kind_count;
		while (kind < end && !jobs_are_equal(&kind->job, &job))
			kind++;
		if (kind == end) {
			kind->job = job;
			kind->device = target_device(build, &build->targets[i]);
			build->kind_count++;
		}
		build->targets[i].kind = kind;
	}
}

/* --- begin and end, with the program's lock ------------------------------------------------ */

/* OpenCL 3.0 API, 5.8.4 and 5.8.6: CL_INVALID_OPERATION while kernels are attached
 * or an earlier build for one of the devices has not ended. */
static cl_int build_begin(struct build *build)
{
	cl_program program = build->program;
	cl_int error = CL_SUCCESS;
	lock_take(&program->lock);
	if (program->kernels_attached)
		error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < build->count; i++)
		if (program->per_device[build->targets[i].index].status == CL_BUILD_IN_PROGRESS)
			error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; !error && i < build->count; i++)
		program->per_device[build->targets[i].index].status = CL_BUILD_IN_PROGRESS;
	if (!error && ocl_program_is_il(program))
		ocl_program_constants_locked(program, &build->constants);
	lock_drop(&program->lock);
	return error;
}

/* Exchanges the program's state for the device with that of the target, so that the old one can be freed without the
 * lock. loaded, which is read without the lock, is not changed. */
static void made_swap_locked(struct program_device *slot, struct target *target)
{
	const struct program_device before = *slot;
	slot->status = target->error ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	slot->code = target->made.code;
	slot->module = target->made.module;
	slot->log = target->made.log;
	slot->options = target->made.options;
	slot->inherited = target->made.inherited;
	target->made = before;
}

/* Stores the outcomes in the program; returns the first error. */
static cl_int build_end(struct build *build)
{
	cl_program program = build->program;
	cl_int error = CL_SUCCESS;
	lock_take(&program->lock);
	for (cl_uint i = 0; i < build->count; i++) {
		struct target *target = &build->targets[i];
		if (!error)
			error = target->error;
		made_swap_locked(&program->per_device[target->index], target);
	}
	lock_condition_signal_all(&program->build_ended);
	lock_drop(&program->lock);
	return error;
}

/* --- run, without a lock ---------------------------------------------------------------------- */

/* Loads an executable: the driver may reject it, which is an error of the build. */
static cl_int kind_load(struct kind *kind)
{
	struct gpu_module *loaded;
	struct stage_clock clock = stage_clock_start();
	kind->module = ocl_module_get(kind->device, kind->code);
	if (!kind->module)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_module_load(kind->module, OCL_MODULE_PLAIN, &kind->log, &loaded);
	stage_clock_lap(&clock, "loading");
	return ocl_job_backend_error(kind->job.kind, error);
}

static cl_int kind_make(struct kind *kind)
{
	const struct ocl_job *job = &kind->job;
	cl_int error = CL_SUCCESS;
	if (job->kind == OCL_JOB_BINARY && ocl_code_fits(job->loaded, job->target.sm)) {
		kind->code = ocl_code_ref(job->loaded);
		/* Nothing has to be compiled, except PTX as text from the application, whose errors are reported
		 * now. */
		if (kind->code->cubin.size_B || !packed_bytes_empty(&kind->code->object))
			return CL_SUCCESS;
	} else {
		error = ocl_job_run(job, &kind->code, &kind->log);
	}
	if (!error && kind->code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		error = kind_load(kind);
	return error;
}

static void (*kind_run(struct ocl_builder_task *task))(struct ocl_builder_task *)
{
	struct kind *kind = list_entry(task, struct kind, task);
	kind->error = kind_make(kind);
	return NULL;
}

/* Runs the jobs of all kinds concurrently: the first on this thread, the others on builder threads if there are any. */
static void kinds_run(struct build *build)
{
	for (cl_uint i = build->kind_count; i-- > 0;) {
		struct kind *kind = &build->kinds[i];
		kind->task = (struct ocl_builder_task){.run = kind_run, .joined = true};
		if (!i || !ocl_builders_begin(&kind->task)) {
			(void)kind_run(&kind->task);
			kind->task.done = true;
		}
	}
	for (cl_uint i = 1; i < build->kind_count; i++)
		ocl_builders_join(&build->kinds[i].task);
}

/* Takes the outcome of the kind's job for one of its devices. */
static cl_int target_take(const struct build *build, struct target *target)
{
	const struct kind *kind = target->kind;
	struct program_device *made = &target->made;
	cl_device_id device = target_device(build, target);
	bytes_append(&made->log, kind->log.data, kind->log.size_B);
	if (kind->error)
		return kind->error;
	made->code = ocl_code_ref(kind->code);
	if (kind->code->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		return CL_SUCCESS;
	made->module = device->gpu == kind->device->gpu && kind->module ? ocl_module_ref(kind->module)
							      : ocl_module_get(device, made->code);
	if (made->module)
		return CL_SUCCESS;
	ocl_code_unref(made->code);
	made->code = NULL;
	return CL_OUT_OF_HOST_MEMORY;
}

static void build_fail(struct build *build, cl_int error, const struct bytes *log)
{
	for (cl_uint i = 0; i < build->count; i++) {
		build->targets[i].error = error;
		bytes_append(&build->targets[i].made.log, log->data, log->size_B);
	}
}

/* Makes the source of all jobs from the IL program; false: it is invalid, and the build fails. */
static bool il_translate(struct build *build)
{
	struct bytes log = BYTES_INIT;
	const enum fe_status status = ocl_program_il_source(build->program, &build->constants,
							    &build->translation, &log);
	if (status)
		build_fail(build, ocl_job_frontend_error(build->job_kind, status), &log);
	bytes_finish(&log);
	for (cl_uint i = 0; i < build->kind_count; i++) {
		build->kinds[i].job.source = bytes_string(&build->translation);
		build->kinds[i].job.source_size_B = build->translation.size_B;
	}
	return !status;
}

static void build_run(struct build *build)
{
	if (build->refusal) {
		build_fail(build, build->refusal, &build->refusal_log);
		return;
	}
	kinds_find(build);
	if (ocl_program_is_il(build->program) && !il_translate(build))
		return;
	kinds_run(build);
	for (cl_uint i = 0; i < build->count; i++)
		build->targets[i].error = target_take(build, &build->targets[i]);
}

/* --- who does it ----------------------------------------------------------------------- */

static void builder_tell(struct ocl_builder_task *task)
{
	struct build *build = list_entry(task, struct build, task);
	build->notify.call(build->program, build->notify.user_data);
	build_destroy(build);
}

static void (*builder_run(struct ocl_builder_task *task))(struct ocl_builder_task *)
{
	struct build *build = list_entry(task, struct build, task);
	build_run(build);
	(void)build_end(build);
	return builder_tell;
}

/* Whether the build began, so that its callback has to be called. */
static bool build_ran(cl_int error)
{
	return !error || error == CL_BUILD_PROGRAM_FAILURE ||
	       error == CL_COMPILE_PROGRAM_FAILURE || error == CL_LINK_PROGRAM_FAILURE;
}

/* Runs and ends a build that has begun, on this thread or a builder thread.  The caller must not use build
 * afterwards. */
static cl_int build_go(struct build *build)
{
	build->task = (struct ocl_builder_task){.run = builder_run};
	/* OpenCL 3.0 API, 5.8.4: with a callback the call "can return immediately once the build operation can
	 * begin"; that is when the options are known to be valid. */
	if (build->notify.call && !build->refusal && ocl_builders_begin(&build->task))
		return CL_SUCCESS;
	build_run(build);
	cl_int error = build_end(build);
	if (build->notify.call && build_ran(error))
		build->notify.call(build->program, build->notify.user_data);
	build_destroy(build);
	return error;
}

/* error: what was found before; then the build does not begin.  The caller must not use build afterwards. */
static cl_int begin_and_go(struct build *build, cl_int error)
{
	if (!error)
		error = build_begin(build);
	if (!error)
		return build_go(build);
	build_destroy(build);
	return error;
}

/* --- the calls -------------------------------------------------------------------------------- */

/* OpenCL 3.0 API, 5.8.4: a program created with binaries needs an executable for every device; a program with
 * neither source nor binaries cannot be built. */
static cl_int buildable_check(const struct build *build)
{
	const struct _cl_program *program = build->program;
	bool any_loaded = false;
	if (program->source || ocl_program_is_il(program))
		return CL_SUCCESS;
	for (cl_uint i = 0; i < program->device_count; i++)
		any_loaded |= program->per_device[i].loaded != NULL;
	if (!any_loaded)
		return CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < build->count; i++) {
		const struct ocl_code *code = program->per_device[build->targets[i].index].loaded;
		if (!code || code->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_BINARY;
	}
	return CL_SUCCESS;
}

cl_int ocl_program_build(cl_program program, cl_uint count, const cl_device_id *devices,
			 const char *options, const struct ocl_notify *notify)
{
	const bool has_source = program->source || ocl_program_is_il(program);
	struct build *build = build_create(has_source ? OCL_JOB_SOURCE : OCL_JOB_BINARY, program,
					   count, devices, options, notify);
	return build ? begin_and_go(build, buildable_check(build)) : CL_OUT_OF_HOST_MEMORY;
}

/* OpenCL 3.0 API, 5.8.6: takes the header programs, and copies of their names, which the application may free after
 * the call. */
static cl_int headers_take(struct build *build, const struct ocl_headers *headers)
{
	if (!headers->count)
		return CL_SUCCESS;
	build->headers = calloc(headers->count, sizeof(*build->headers));
	build->header_programs = calloc(headers->count, sizeof(cl_program));
	if (!build->headers || !build->header_programs)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < headers->count; i++) {
		cl_program program = headers->programs[i];
		char *name = strdup(headers->names[i]);
		if (!name)
			return CL_OUT_OF_HOST_MEMORY;
		object_ref(program);
		build->header_programs[i] = program;
		build->headers[i] = (struct fe_header){name, program->source->data,
						       program->source->size_B};
		build->header_count++;
	}
	return CL_SUCCESS;
}

cl_int ocl_program_compile(cl_program program, cl_uint count, const cl_device_id *devices,
			   const char *options, const struct ocl_headers *headers,
			   const struct ocl_notify *notify)
{
	/* OpenCL 3.0 API, 5.8.6: CL_INVALID_OPERATION if the program has no source or IL. */
	if (!program->source && !ocl_program_is_il(program))
		return CL_INVALID_OPERATION;
	struct build *build =
		build_create(OCL_JOB_COMPILE, program, count, devices, options, notify);
	return build ? begin_and_go(build, headers_take(build, headers)) : CL_OUT_OF_HOST_MEMORY;
}

/* Finds the objects of all inputs for one device, with references. */
static cl_int inputs_find(const cl_program *inputs, size_t count, cl_device_id device,
			  struct ocl_code **codes)
{
	for (size_t i = 0; i < count; i++) {
		int index = ocl_program_code_index(inputs[i], device);
		codes[i] = index < 0 ? NULL : ocl_program_code(inputs[i], (cl_uint)index);
		/* OpenCL 3.0 API, 5.8.7: every program must have a compiled binary or a library for the device, not
		 * an executable. */
		if (!codes[i] || codes[i]->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_OPERATION;
	}
	return CL_SUCCESS;
}

/* Takes the inputs' objects as they are now, because the link may run later. */
static cl_int inputs_take(struct build *build, const cl_program *inputs, cl_uint input_count)
{
	build->input_count = input_count;
	build->inputs = calloc((size_t)build->count * input_count, sizeof(struct ocl_code *));
	cl_int error = build->inputs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < build->count && !error; i++)
		error = inputs_find(inputs, input_count, target_device(build, &build->targets[i]),
				    build->inputs + (size_t)i * input_count);
	return error;
}

cl_int ocl_program_link(cl_context context, const struct ocl_link *link,
			const struct ocl_notify *notify, cl_program *program_out)
{
	cl_program program;
	cl_uint count = link->device_count;
	cl_int error = ocl_program_create(context, count ? link->devices : context->devices,
					  count ? count : context->device_count, &program);
	if (error)
		return error;
	struct build *build =
		build_create(OCL_JOB_LINK, program, 0, NULL, link->options, notify);
	error = build ? inputs_take(build, link->inputs, link->input_count) : CL_OUT_OF_HOST_MEMORY;
	if (build && build->refusal == CL_INVALID_LINKER_OPTIONS)
		error = build->refusal;
	if (!error)
		error = build_begin(build);
	if (error) {
		if (build)
			build_destroy(build);
		object_unref(program);
		return error;
	}
	error = build_go(build);
	/* 5.8.7: a program is returned if the linking could begin, otherwise NULL.  A callback has already got the
	 * program. */
	if (!error || error == CL_LINK_PROGRAM_FAILURE || notify->call)
		*program_out = program;
	else
		object_unref(program);
	return error;
}
