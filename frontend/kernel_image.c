#include "config.h"

#include "frontend/kernel_facts.h"

#include <llvm-c/Core.h>

#include <string.h>

static const struct {
	const char *name;
	enum abi_image_type type;
} types[] = {
	{ "image1d_t", ABI_IMAGE_1D },
	{ "image1d_array_t", ABI_IMAGE_1D_ARRAY },
	{ "image1d_buffer_t", ABI_IMAGE_1D_BUFFER },
	{ "image2d_t", ABI_IMAGE_2D },
	{ "image2d_array_t", ABI_IMAGE_2D_ARRAY },
	{ "image3d_t", ABI_IMAGE_3D },
	{ "image2d_depth_t", ABI_IMAGE_2D_DEPTH },
	{ "image2d_array_depth_t", ABI_IMAGE_2D_ARRAY_DEPTH },
};

static const struct {
	const char *name;
	enum abi_access access;
} accesses[] = {
	{ "read_only", ABI_ACCESS_READ_ONLY },
	{ "write_only", ABI_ACCESS_WRITE_ONLY },
	{ "read_write", ABI_ACCESS_READ_WRITE },
};

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static bool is(const char *name, const char *text, size_t text_B)
{
	return strlen(name) == text_B && !memcmp(name, text, text_B);
}

static void sampler_argument(struct abi_argument *argument)
{
	argument->kind = ABI_ARGUMENT_SAMPLER;
	argument->address = ABI_ADDRESS_PRIVATE;
	argument->size_B = argument->align_B = sizeof(uint32_t);
}

/* OpenCL 3.0 API, 5.9.4: CL_KERNEL_ARG_ADDRESS_QUALIFIER of an image is global. */
static void image_argument(struct abi_argument *argument)
{
	argument->kind = ABI_ARGUMENT_IMAGE;
	argument->address = ABI_ADDRESS_GLOBAL;
	argument->size_B = argument->align_B = sizeof(uint64_t);
	argument->may_read = argument->access != ABI_ACCESS_WRITE_ONLY;
	argument->may_write = argument->access != ABI_ACCESS_READ_ONLY;
}

bool fe_image_argument(const char *type, size_t type_B, const char *access, size_t access_B,
		       struct abi_argument *argument_out)
{
	if (is("sampler_t", type, type_B)) {
		sampler_argument(argument_out);
		return true;
	}
	enum abi_image_type image_type = ABI_IMAGE_NONE;
	for (size_t i = 0; i < COUNT(types); i++) {
		if (is(types[i].name, type, type_B))
			image_type = types[i].type;
	}
	for (size_t i = 0; i < COUNT(accesses) && image_type; i++) {
		if (!is(accesses[i].name, access, access_B))
			continue;
		argument_out->image_type = image_type;
		argument_out->access = accesses[i].access;
		image_argument(argument_out);
		return true;
	}
	return false;
}

/* Adds the sampler state to the kernels that call, directly or not, one of the functions that make it. */
static bool note_state(LLVMModuleRef module, struct abi_program *abi, struct fe_set *makers,
		       unsigned state)
{
	if (!fe_add_callers(makers))
		return false;
	for (uint32_t k = 0; k < abi->kernel_count; k++) {
		LLVMValueRef kernel = fe_kernel_function(module, abi->kernels[k].name);
		if (fe_set_has(makers, kernel))
			abi->kernels[k].sampler_states |= UINT32_C(1) << state;
	}
	return true;
}

/* Sorts the functions that make samplers by the states of these.  For bits that are no valid sampler Clang gives at
 * most a warning. */
static enum fe_status find_makers(LLVMValueRef initializer, struct fe_set *makers,
				  struct bytes *log)
{
	for (LLVMUseRef use = LLVMGetFirstUse(initializer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = fe_use_call(use);
		LLVMValueRef bits = call && LLVMGetNumArgOperands(call) == 1
					    ? LLVMGetOperand(call, 0) : NULL;
		unsigned state = bits && LLVMIsAConstantInt(bits)
					 ? abi_sampler_state(
						(uint32_t)LLVMConstIntGetZExtValue(bits))
					 : ABI_SAMPLER_STATES;
		if (state == ABI_SAMPLER_STATES) {
			bytes_append_string(log, "error: the value of a sampler_t is not a "
					    "combination of addressing mode, filter mode and "
					    "normalized coordinates\n");
			return FE_COMPILE_FAILED;
		}
		if (!fe_set_add(&makers[state], fe_parent_function(call)))
			return FE_NO_MEMORY;
	}
	return FE_OK;
}

enum fe_status fe_sampler_facts(LLVMModuleRef module, struct abi_program *abi,
				struct bytes *log)
{
	struct fe_set makers[ABI_SAMPLER_STATES] = {{0}};
	LLVMValueRef initializer =
		LLVMGetNamedFunction(module, "__translate_sampler_initializer");
	enum fe_status status = initializer ? find_makers(initializer, makers, log) : FE_OK;
	for (unsigned state = 0; state < ABI_SAMPLER_STATES; state++) {
		if (!status && !note_state(module, abi, &makers[state], state))
			status = FE_NO_MEMORY;
		fe_set_finish(&makers[state]);
	}
	return status;
}
