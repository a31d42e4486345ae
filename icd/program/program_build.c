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

/* The devices of a build that one job's code is good for. */
struct kind {
	struct ocl_job job;
	cl_device_id device;         /* the first of them: an executable is loaded there */
	cl_int error;                /* this and what follows: of the job, once it was run */
	struct ocl_code *code;       /* reference; NULL where there is an error */
	struct ocl_module *module;   /* of code on device, a reference; NULL: not loaded */
	struct bytes log;
	struct ocl_builder_task task;
};

/* One device of a build. */
struct target {
	cl_uint index;               /* in the program's devices */
	struct kind *kind;           /* one of the build's */
	cl_int error;
	struct program_device made;  /* what the program gets at the end; then what it had before */
};

/* begin marks the devices as being built, run does the jobs without a lock, end puts into the program what
 * was made.  With a callback all but begin is done by a builder, so a build owns whatever it needs. */
struct build {
	cl_program program;          /* ref held */
	enum ocl_job_kind job_kind;
	cl_uint count;
	struct target *targets;      /* owned: count */
	struct kind *kinds;          /* owned: room for count */
	cl_uint kind_count;
	bool options_read;
	struct fe_options options;   /* once they were read */
	cl_int refusal;              /* of the options; CL_SUCCESS where they were read */
	struct bytes refusal_log;
	struct fe_header *headers;   /* owned, as are the names; the texts are the header programs' */
	cl_program *header_programs; /* owned array; refs held */
	cl_uint header_count;
	struct bytes constants;      /* of a program of IL: the values when the call was made, */
	struct bytes translation;    /* and the program as OpenCL C */
	struct ocl_code **inputs;    /* owned array of refs: of a link, input_count for each device */
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

/* OpenCL 3.0 API, 5.8.6: "a program binary built for a parent device can be used by all its sub-devices.  If a
 * program binary has not been built for a sub-device, the program binary associated with the parent device will
 * be used": those that have none of their own are built for, too. */
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

/* What a source is compiled with: the application's options and, so that they win, the user's behind
 * them.  NULL when out of memory. */
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

/* The one time that the options of a build are read. */
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

/* count 0: all of the program's devices.  NULL when out of memory; what is wrong with the options is the
 * build's to tell. */
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
	/* Fixed since the program's creation: no lock. */
	if (job.kind == OCL_JOB_BINARY)
		job.loaded = program->per_device[target->index].loaded;
	if (job.kind == OCL_JOB_LINK)
		job.inputs = build->inputs + at * build->input_count;
	return job;
}

/* Of one build: whether the code of the one is that of the other. */
static bool jobs_are_equal(const struct ocl_job *a, const struct ocl_job *b)
{
	return a->target.sm == b->target.sm && a->target.max_local_B == b->target.max_local_B &&
	       a->loaded == b->loaded &&
	       (!a->inputs ||
		!memcmp(a->inputs, b->inputs, a->input_count * sizeof(struct ocl_code *)));
}

/* Each device gets its kind.  There are as few kinds as there are kinds of GPU. */
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

/* What the program had for the device goes into the target, to be freed without the lock.  loaded is read without
 * it, and is never written to. */
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

/* The first error there was. */
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
	lock_drop(&program->lock);
	return error;
}

/* --- run, without a lock ---------------------------------------------------------------------- */

/* The driver has the last word on an executable: it is loaded. */
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
		/* Nothing has to be compiled; but text of an application's is, and its mistakes told. */
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

/* Every kind of device at once: all but the first by builders, where there are any. */
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

/* What the kind's job gave, for one of its devices. */
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

/* Intermediate language becomes the source of all jobs, or what is wrong with it the build's end. */
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

/* Whether a build came so far that its callback is owed. */
static bool build_ran(cl_int error)
{
	return !error || error == CL_BUILD_PROGRAM_FAILURE ||
	       error == CL_COMPILE_PROGRAM_FAILURE || error == CL_LINK_PROGRAM_FAILURE;
}

/* Runs and ends what was begun, here or later; the build is gone or the builders'. */
static cl_int build_go(struct build *build)
{
	build->task = (struct ocl_builder_task){.run = builder_run};
	/* OpenCL 3.0 API, 5.8.4: with a callback the call "can return immediately once the build
	 * operation can begin", that is, when the options are valid too. */
	if (build->notify.call && !build->refusal && ocl_builders_begin(&build->task))
		return CL_SUCCESS;
	build_run(build);
	cl_int error = build_end(build);
	if (build->notify.call && build_ran(error))
		build->notify.call(build->program, build->notify.user_data);
	build_destroy(build);
	return error;
}

/* error: what was found wrong before; the build is gone in any case, or the builders'. */
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

/* OpenCL 3.0 API, 5.8.4: a program made from binaries needs an executable one for
 * every device; one made from neither source nor binaries cannot be built. */
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

/* OpenCL 3.0 API, 5.8.6: the headers as programs, their names beside them.  The
 * application's names need not outlive the call. */
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

/* The inputs' objects for one device: references. */
static cl_int inputs_find(const cl_program *inputs, size_t count, cl_device_id device,
			  struct ocl_code **codes)
{
	for (size_t i = 0; i < count; i++) {
		int index = ocl_program_code_index(inputs[i], device);
		codes[i] = index < 0 ? NULL : ocl_program_code(inputs[i], (cl_uint)index);
		/* OpenCL 3.0 API, 5.8.7: every program must have a compiled binary or
		 * library for the device; an executable is neither. */
		if (!codes[i] || codes[i]->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_OPERATION;
	}
	return CL_SUCCESS;
}

/* What is linked is what the inputs are now, whenever that is done. */
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
	/* 5.8.7: a program where the linking could begin, else NULL.  Who is called back has it
	 * already. */
	if (!error || error == CL_LINK_PROGRAM_FAILURE || notify->call)
		*program_out = program;
	else
		object_unref(program);
	return error;
}
