#include "config.h"

#include "icd/program/program.h"

#include "icd/object/platform.h"
#include "base/log.h"
#include "icd/compile/program_binary.h"

#include <stdlib.h>
#include <string.h>

static void program_destroy(struct object *object)
{
	cl_program program = (cl_program)object;
	for (cl_uint i = 0; program->per_device && i < program->device_count; i++) {
		struct program_device *slot = &program->per_device[i];
		ocl_code_unref(slot->loaded);
		ocl_module_unref(slot->module);
		ocl_code_unref(slot->code);
		bytes_finish(&slot->log);
		free(slot->options);
	}
	free(program->per_device);
	free(program->devices);
	shared_text_unref(program->source);
	ocl_program_il_destroy(program->il);
	lock_condition_finish(&program->build_ended);
	lock_finish(&program->lock);
	object_unref(program->context);
	free(program);
}

const struct object_type ocl_program_type = {"program", CL_INVALID_PROGRAM, program_destroy};

cl_int ocl_program_create(cl_context context, const cl_device_id *devices, cl_uint count,
			  cl_program *program_out)
{
	cl_program program = calloc(1, sizeof(*program));
	if (!program)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&program->lock, LOCK_RANK_PROGRAM)) {
		free(program);
		return CL_OUT_OF_HOST_MEMORY;
	}
	if (lock_condition_init(&program->build_ended)) {
		lock_finish(&program->lock);
		free(program);
		return CL_OUT_OF_HOST_MEMORY;
	}
	object_init(&program->base, &ocl_program_type);
	object_ref(context);
	program->context = context;
	program->devices = calloc(count, sizeof(*program->devices));
	program->per_device = calloc(count, sizeof(*program->per_device));
	if (!program->devices || !program->per_device) {
		object_unref(program);
		return CL_OUT_OF_HOST_MEMORY;
	}
	program->device_count = count;
	for (cl_uint i = 0; i < count; i++) {
		program->devices[i] = devices[i];
		program->per_device[i].status = CL_BUILD_NONE;
	}
	*program_out = program;
	return CL_SUCCESS;
}

cl_int ocl_program_create_source(cl_context context, cl_uint count, const char *const *strings,
				 const size_t *lengths, cl_program *program_out)
{
	struct bytes text = BYTES_INIT;
	for (cl_uint i = 0; i < count; i++) {
		/* OpenCL 3.0 API, 5.8.1: without lengths, or with a length of 0, the string ends with NUL. */
		size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
		bytes_append(&text, strings[i], length);
	}
	struct shared_text *source = shared_text_take(&text);
	if (!source)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_program_create(context, context->devices, context->device_count,
					  program_out);
	if (error)
		shared_text_unref(source);
	else
		(*program_out)->source = source;
	return error;
}

cl_int ocl_program_create_il(cl_context context, const void *il, size_t size_B,
			     cl_program *program_out)
{
	struct ocl_program_il *own = NULL;
	cl_program program = NULL;
	cl_int error = ocl_program_il_create(il, size_B, &own);
	if (!error)
		error = ocl_program_create(context, context->devices, context->device_count,
					   &program);
	if (error) {
		ocl_program_il_destroy(own);
		return error;
	}
	program->il = own;
	*program_out = program;
	return CL_SUCCESS;
}

cl_int ocl_program_create_binary(cl_context context, cl_uint count, const cl_device_id *devices,
				 const size_t *lengths, const unsigned char *const *binaries,
				 cl_int *status_out, cl_program *program_out)
{
	cl_program program;
	cl_int result = ocl_program_create(context, devices, count, &program);
	if (result)
		return result;
	for (cl_uint i = 0; i < count; i++) {
		cl_int status = CL_INVALID_VALUE;
		if (lengths[i] && binaries[i])
			status = ocl_code_read(binaries[i], lengths[i], OCL_CODE_GIVEN,
					       devices[i]->caps->sm, &program->per_device[i].loaded);
		if (status_out)
			status_out[i] = status;
		/* CL_INVALID_VALUE, for an invalid list, has priority over CL_INVALID_BINARY. */
		if (status && (!result || status == CL_INVALID_VALUE))
			result = status;
	}
	if (result)
		object_unref(program);
	else
		*program_out = program;
	return result;
}

int ocl_program_device_index(const struct _cl_program *program,
			     const struct _cl_device_id *device)
{
	for (cl_uint i = 0; i < program->device_count; i++)
		if (program->devices[i] == device)
			return (int)i;
	return -1;
}

int ocl_program_code_index(const struct _cl_program *program, const struct _cl_device_id *device)
{
	int index = ocl_program_device_index(program, device);
	/* The handle's fields are read only if it is a valid device. */
	if (index >= 0 || ocl_device_check(device))
		return index;
	while (index < 0 && (device = device->parent))
		index = ocl_program_device_index(program, device);
	return index;
}

struct ocl_code *ocl_program_code(cl_program program, cl_uint index)
{
	struct ocl_code *code = NULL;
	lock_take(&program->lock);
	const struct program_device *slot = &program->per_device[index];
	if (slot->status == CL_BUILD_SUCCESS)
		code = ocl_code_ref(slot->code);
	else if (slot->status == CL_BUILD_NONE && slot->loaded)
		code = ocl_code_ref(slot->loaded);
	lock_drop(&program->lock);
	return code;
}

bool ocl_program_executable(cl_program program, cl_uint index, struct ocl_code **code_out,
			    struct ocl_module **module_out)
{
	lock_take(&program->lock);
	const struct program_device *slot = &program->per_device[index];
	const bool found = slot->status == CL_BUILD_SUCCESS && slot->module;
	if (found)
		*code_out = ocl_code_ref(slot->code);
	if (found && module_out)
		*module_out = ocl_module_ref(slot->module);
	lock_drop(&program->lock);
	return found;
}

static bool is_building_locked(const struct _cl_program *program)
{
	for (cl_uint i = 0; i < program->device_count; i++)
		if (program->per_device[i].status == CL_BUILD_IN_PROGRESS)
			return true;
	return false;
}

void ocl_program_wait(cl_program program)
{
	lock_assert_none();
	lock_take(&program->lock);
	while (is_building_locked(program))
		lock_condition_wait(&program->build_ended, &program->lock);
	lock_drop(&program->lock);
}

void ocl_program_attach(cl_program program)
{
	lock_take(&program->lock);
	program->kernels_attached++;
	lock_drop(&program->lock);
}

void ocl_program_detach(cl_program program)
{
	lock_take(&program->lock);
	program->kernels_attached--;
	lock_drop(&program->lock);
}
