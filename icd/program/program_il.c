/* Programs of intermediate language: the module given to clCreateProgramWithIL, and its specialization constants. */
#include "config.h"

#include "icd/program/program.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "frontend/spirv.h"

#include <stdlib.h>
#include <string.h>

/* The error for a module that is not SPIR-V or not supported; OpenCL 3.0 API, 5.8.1: "does not contain well-formed
 * intermediate language input that can be consumed by the OpenCL runtime". */
static cl_int il_error(enum fe_status status, const struct bytes *log)
{
	if (!status)
		return CL_SUCCESS;
	if (status == FE_NO_MEMORY)
		return CL_OUT_OF_HOST_MEMORY;
	log_info("clCreateProgramWithIL: %s", bytes_string(log));
	return CL_INVALID_VALUE;
}

static cl_int il_read(const void *il, size_t size_B, struct bytes *constants)
{
	struct bytes log = BYTES_INIT;
	enum fe_status status = fe_spirv_check(il, size_B, &log);
	if (!status)
		status = fe_spirv_constants(il, size_B, constants, &log);
	cl_int error = il_error(status, &log);
	bytes_finish(&log);
	return !error && bytes_failed(constants) ? CL_OUT_OF_HOST_MEMORY : error;
}

void ocl_program_il_destroy(struct ocl_program_il *il)
{
	if (!il)
		return;
	bytes_finish(&il->module);
	bytes_finish(&il->constants);
	bytes_finish(&il->values);
	free(il);
}

cl_int ocl_program_il_create(const void *module, size_t size_B, struct ocl_program_il **il_out)
{
	struct ocl_program_il *il = calloc(1, sizeof(*il));
	if (!il)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = il_read(module, size_B, &il->constants);
	if (!error)
		bytes_append(&il->module, module, size_B);
	if (!error && bytes_failed(&il->module))
		error = CL_OUT_OF_HOST_MEMORY;
	if (error)
		ocl_program_il_destroy(il);
	else
		*il_out = il;
	return error;
}

/* Returns NULL if there is none with that id. */
static struct fe_spirv_constant *constant_find(const struct bytes *list, uint32_t id)
{
	struct fe_spirv_constant *constants = (struct fe_spirv_constant *)(void *)list->data;
	for (size_t i = 0; i < list->size_B / sizeof(*constants); i++)
		if (constants[i].id == id)
			return &constants[i];
	return NULL;
}

static cl_int constant_set_locked(struct bytes *values, const struct fe_spirv_constant *constant)
{
	struct fe_spirv_constant *there = constant_find(values, constant->id);
	if (there)
		*there = *constant;
	else
		bytes_append(values, constant, sizeof(*constant));
	bool failed = bytes_failed(values);
	/* The values that were set before stay valid. */
	values->failed = false;
	return failed ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.8.3: CL_COMPILER_NOT_AVAILABLE without a compiler.  A program that is in the cache needs none, so
 * libnvvm is loaded only if its file does not identify it. */
static cl_int compiler_check(void)
{
	struct bytes build = BYTES_INIT;
	const bool available = be_nvvm_build(BE_NVVM_SM_TURING, &build) || *be_nvvm_id(BE_NVVM_SM_TURING);
	const bool failed = bytes_failed(&build);
	bytes_finish(&build);
	if (failed)
		return CL_OUT_OF_HOST_MEMORY;
	return available ? CL_SUCCESS : CL_COMPILER_NOT_AVAILABLE;
}

cl_int ocl_program_set_constant(cl_program program, cl_uint id, size_t size_B, const void *value)
{
	/* OpenCL 3.0 API, 5.8.3: CL_INVALID_PROGRAM if the program was not created from an intermediate language. */
	if (!ocl_program_is_il(program))
		return CL_INVALID_PROGRAM;
	cl_int error = compiler_check();
	if (error)
		return error;
	const struct fe_spirv_constant *known = constant_find(&program->il->constants, id);
	if (!known)
		return CL_INVALID_SPEC_ID;
	/* 5.8.3: CL_INVALID_VALUE for a size other than the constant's, or for NULL. */
	struct fe_spirv_constant constant = {.id = id, .size_B = known->size_B};
	if (!value || size_B != known->size_B || size_B > sizeof(constant.value))
		return CL_INVALID_VALUE;
	memcpy(&constant.value, value, size_B); /* little-endian, as devices are */
	lock_take(&program->lock);
	error = constant_set_locked(&program->il->values, &constant);
	lock_drop(&program->lock);
	return error;
}

void ocl_program_constants_locked(const struct _cl_program *program, struct bytes *values)
{
	bytes_append(values, program->il->values.data, program->il->values.size_B);
}

enum fe_status ocl_program_il_source(const struct _cl_program *program, const struct bytes *values,
				     struct bytes *source, struct bytes *log)
{
	const struct fe_spirv_constant *constants =
		(const struct fe_spirv_constant *)(const void *)values->data;
	if (bytes_failed(values))
		return FE_NO_MEMORY;
	return fe_spirv_specialize(program->il->module.data, program->il->module.size_B, constants,
				   values->size_B / sizeof(*constants), source, log);
}
