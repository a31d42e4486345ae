#include "config.h"

#include "icd/program/module_load.h"

#include "backend/codegen.h"
#include "base/log.h"
#include "frontend/ptx_start.h"

#include <stdlib.h>
#include <string.h>

struct ocl_target ocl_target_of(cl_device_id device)
{
	return (struct ocl_target){
		.sm = device->caps->sm,
		.max_local_B = ocl_device_local_B(device),
		.cubin_build = be_cubin_build(device->gpu),
	};
}

static cl_int ptx_load(const struct ocl_code *code, cl_device_id device, const struct bytes *ptx,
		       struct gpu_module **module_out, struct bytes *log)
{
	const struct be_codegen_options options = {.sm = code->ptx_sm, .choice = code->choice};
	return be_ptx_load(device->gpu, ptx, &options, module_out, log);
}

static cl_int load_plain(struct ocl_code *code, cl_device_id device,
			 struct gpu_module **module_out, struct bytes *log)
{
	if (code->cubin.size_B && code->sm == device->caps->sm) {
		struct bytes reason = BYTES_INIT;
		cl_int error = gpu_module_load(device->gpu, code->cubin.data, code->cubin.size_B,
					       &reason, module_out);
		/* The driver may be older than the compiler of the machine code; then the PTX is used. */
		if (error == CL_INVALID_BINARY)
			log_info("the driver refused the machine code; using PTX: %s", bytes_string(&reason));
		bytes_finish(&reason);
		if (error != CL_INVALID_BINARY)
			return error;
	}
	struct bytes made = BYTES_INIT;
	const struct bytes *ptx = ocl_code_plain_ptx(code, &made);
	cl_int error = ptx ? ptx_load(code, device, ptx, module_out, log)
			   : CL_OUT_OF_HOST_MEMORY;
	bytes_finish(&made);
	return error;
}

static cl_int ptx_load_silently(const struct ocl_code *code, cl_device_id device,
				const struct bytes *ptx, struct gpu_module **module_out,
				struct bytes *log)
{
	struct be_codegen_options options = {.sm = code->ptx_sm, .choice = code->choice};
	options.choice.verbose = false;
	return be_ptx_load(device->gpu, ptx, &options, module_out, log);
}

static cl_int registers_find(const struct abi_program *abi, struct gpu_module *plain,
			     uint32_t *registers_out)
{
	cl_int error = CL_SUCCESS;
	for (uint32_t i = 0; i < abi->kernel_count && !error; i++) {
		struct gpu_function *function;
		error = gpu_module_function(plain, abi->kernels[i].entry, &function);
		if (!error)
			registers_out[i] = gpu_function_caps(function)->registers;
	}
	return error;
}

/* Loads another part than the plain one. code: that of the plain part, or the code compiled for wide ids. */
static cl_int load_beside(struct ocl_code *code, cl_device_id device, struct gpu_module *plain,
			  struct gpu_module **module_out, struct bytes *log)
{
	struct bytes ptx = BYTES_INIT;
	const struct bytes *whole = packed_bytes_open(&code->ptx);
	uint32_t *registers = calloc(code->abi->kernel_count, sizeof(*registers));
	cl_int error = whole && registers ? registers_find(code->abi, plain, registers)
					  : CL_OUT_OF_HOST_MEMORY;
	if (!error) {
		fe_ptx_limit_registers(code->abi, whole, registers, &ptx);
		/* -cl-nv-verbose asks for statistics of the plain part only. */
		error = bytes_failed(&ptx) ? CL_OUT_OF_HOST_MEMORY
					   : ptx_load_silently(code, device, &ptx, module_out, log);
	}
	bytes_finish(&ptx);
	free(registers);
	return error;
}

/* Whether launches pass the same parameters to both. */
static bool facts_equal(const struct abi_program *narrow, const struct abi_program *wide)
{
	struct bytes narrow_facts = BYTES_INIT, wide_facts = BYTES_INIT;
	struct abi_program same = *wide;
	same.narrow_ids = narrow->narrow_ids;
	abi_program_write(narrow, &narrow_facts);
	abi_program_write(&same, &wide_facts);
	bool equal = !bytes_failed(&narrow_facts) && !bytes_failed(&wide_facts) &&
		     narrow_facts.size_B == wide_facts.size_B &&
		     !memcmp(narrow_facts.data, wide_facts.data, wide_facts.size_B);
	bytes_finish(&narrow_facts);
	bytes_finish(&wide_facts);
	return equal;
}

static cl_int load_wide(struct ocl_code *code, cl_device_id device, struct gpu_module *plain,
			struct gpu_module **module_out, struct bytes *log)
{
	struct ocl_job job = {
		.kind = OCL_JOB_BINARY,
		.target = ocl_target_of(device),
		.loaded = code,
		.wide_ids = true,
	};
	struct ocl_code *wide = NULL;
	/* The driver's compiler makes the machine code, because it is told for each kernel to use no more registers
	 * than in the plain part. */
	job.target.cubin_build = "";
	cl_int error = ocl_job_run(&job, &wide, log);
	if (!error && (wide->abi->narrow_ids || !facts_equal(code->abi, wide->abi))) {
		bytes_append_string(log,
				    "this launch needs IDs above 32 bits, and the program binary does not contain what "
				    "their code is compiled from\n");
		error = CL_OUT_OF_RESOURCES;
	}
	if (!error)
		error = load_beside(wide, device, plain, module_out, log);
	ocl_code_unref(wide);
	/* This is not a build, so errors of a build are not returned. */
	return !error || error == CL_OUT_OF_HOST_MEMORY ? error : CL_OUT_OF_RESOURCES;
}

static cl_int load_part(struct ocl_code *code, cl_device_id device, enum ocl_module_part part, struct gpu_module *plain,
			struct gpu_module **module_out, struct bytes *log)
{
	switch (part) {
	case OCL_MODULE_STARTS:
		return load_beside(code, device, plain, module_out, log);
	case OCL_MODULE_WIDE:
		return load_wide(code, device, plain, module_out, log);
	default:
		return load_plain(code, device, module_out, log);
	}
}

cl_int ocl_module_load_part(struct ocl_code *code, cl_device_id device, enum ocl_module_part part,
			    struct gpu_module *plain, struct gpu_module **module_out,
			    struct bytes *log)
{
	cl_int error = load_part(code, device, part, plain, module_out, log);
	/* The driver refuses whatever follows a kernel that has failed, and names that kernel's error. */
	if (error && gpu_device_status(device->gpu))
		bytes_printf(log, "%s is lost: an earlier command of this process failed, or the GPU itself\n",
			     device->caps->name);
	return error;
}
