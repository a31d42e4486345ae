#include "config.h"

#include "icd/program/kernel.h"

#include "frontend/ptx_start.h"
#include "icd/memory/image.h"
#include "icd/memory/sampler.h"
#include "icd/memory/svm.h"
#include "icd/program/complaint.h"
#include "icd/program/program_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { DATA_ALIGN_B = 16 };

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align ? (value + align - 1) / align * align : value;
}

/* --- argument values ---------------------------------------------------------------- */

/* Makes a block of count arguments that are not set, with data_B zero bytes for values. */
static struct ocl_arguments *arguments_alloc(uint32_t count, uint32_t data_B)
{
	const size_t items_B = sizeof(struct ocl_arguments) +
			       (size_t)count * sizeof(struct ocl_argument);
	size_t head_B = align_up(items_B + (size_t)count * sizeof(void *), DATA_ALIGN_B);
	size_t size_B = align_up(head_B + data_B, DATA_ALIGN_B);
	struct ocl_arguments *arguments = aligned_alloc(DATA_ALIGN_B, size_B);
	if (!arguments)
		return NULL;
	memset(arguments, 0, size_B);
	atomic_init(&arguments->refs, 1);
	arguments->count = arguments->unset = count;
	arguments->data_B = data_B;
	arguments->data = (unsigned char *)arguments + head_B;
	arguments->parameters = (void **)((unsigned char *)arguments + items_B);
	return arguments;
}

/* Sets the addresses of the arguments' values that are the same in every launch. */
static void parameters_place(struct ocl_arguments *arguments)
{
	for (uint32_t i = 0; i < arguments->count; i++) {
		struct ocl_argument *item = &arguments->items[i];
		const bool data = item->kind == ABI_ARGUMENT_VALUE ||
				  item->kind == ABI_ARGUMENT_SAMPLER;
		arguments->parameters[i] = data ? (void *)(arguments->data + item->offset_B)
						: (void *)&item->pointer;
	}
}

static struct ocl_arguments *arguments_create(const struct abi_kernel *abi)
{
	uint64_t data_B = 0;
	for (uint32_t i = 0; i < abi->argument_count; i++) {
		if (!ocl_argument_has_data(&abi->arguments[i]))
			continue;
		data_B = align_up(data_B, DATA_ALIGN_B) + abi->arguments[i].size_B;
	}
	if (data_B > UINT32_MAX)
		return NULL;
	struct ocl_arguments *arguments = arguments_alloc(abi->argument_count, (uint32_t)data_B);
	uint64_t offset_B = 0;
	for (uint32_t i = 0; arguments && i < abi->argument_count; i++) {
		struct ocl_argument *item = &arguments->items[i];
		item->kind = abi->arguments[i].kind;
		if (!ocl_argument_has_data(&abi->arguments[i]))
			continue;
		offset_B = align_up(offset_B, DATA_ALIGN_B);
		item->offset_B = (uint32_t)offset_B;
		item->value_B = abi->arguments[i].size_B;
		offset_B += item->value_B;
	}
	if (arguments)
		parameters_place(arguments);
	return arguments;
}

static struct ocl_arguments *arguments_copy(const struct ocl_arguments *from)
{
	struct ocl_arguments *to = arguments_alloc(from->count, from->data_B);
	if (!to)
		return NULL;
	to->unset = from->unset;
	memcpy(to->data, from->data, from->data_B);
	memcpy(to->items, from->items, from->count * sizeof(from->items[0]));
	parameters_place(to);
	return to;
}

struct ocl_arguments *ocl_arguments_ref(struct ocl_arguments *arguments)
{
	atomic_fetch_add_explicit(&arguments->refs, 1, memory_order_relaxed);
	return arguments;
}

void ocl_arguments_unref(struct ocl_arguments *arguments)
{
	if (!arguments ||
	    atomic_fetch_sub_explicit(&arguments->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(arguments);
}

static cl_int arguments_unshare(cl_kernel kernel)
{
	struct ocl_arguments *shared = kernel->arguments;
	struct ocl_arguments *own = arguments_copy(shared);
	if (!own)
		return CL_OUT_OF_HOST_MEMORY;
	kernel->arguments = own;
	ocl_arguments_unref(shared);
	return CL_SUCCESS;
}

/* Makes sure that the block of arguments belongs to this kernel alone, by a copy if a command shares it. */
static inline cl_int arguments_own(cl_kernel kernel)
{
	const bool own = atomic_load_explicit(&kernel->arguments->refs, memory_order_acquire) == 1;
	return own ? CL_SUCCESS : arguments_unshare(kernel);
}

/* The argument, marked as set.  The block is the kernel's own. */
static inline struct ocl_argument *item_to_set(cl_kernel kernel, cl_uint index)
{
	struct ocl_arguments *arguments = kernel->arguments;
	struct ocl_argument *item = &arguments->items[index];
	arguments->unset -= !item->set;
	item->set = true;
	return item;
}

/* Compares the image with the type in OpenCL C. */
static bool image_is_of_type(const struct ocl_image *image, enum abi_image_type type)
{
	const bool depth = image->format.image_channel_order == CL_DEPTH;
	switch (type) {
	case ABI_IMAGE_1D:
		return image->type == CL_MEM_OBJECT_IMAGE1D;
	case ABI_IMAGE_1D_ARRAY:
		return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	case ABI_IMAGE_1D_BUFFER:
		return image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	case ABI_IMAGE_2D:
		return image->type == CL_MEM_OBJECT_IMAGE2D && !depth;
	case ABI_IMAGE_2D_ARRAY:
		return image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY && !depth;
	case ABI_IMAGE_3D:
		return image->type == CL_MEM_OBJECT_IMAGE3D;
	case ABI_IMAGE_2D_DEPTH:
		return image->type == CL_MEM_OBJECT_IMAGE2D && depth;
	case ABI_IMAGE_2D_ARRAY_DEPTH:
		return image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY && depth;
	case ABI_IMAGE_NONE:
		break;
	}
	return false;
}

/* Reads the handle of an image or a pipe. 5.9.2: CL_INVALID_MEM_OBJECT for NULL, which is valid only for buffers,
 * for an invalid memory object, and for one that is "not valid for the kernel argument". */
static cl_int object_given(cl_kernel kernel, size_t size_B, const void *value, cl_mem *mem_out)
{
	if (size_B != sizeof(cl_mem))
		return CL_INVALID_ARG_SIZE;
	if (!value)
		return CL_INVALID_MEM_OBJECT;
	memcpy(mem_out, value, sizeof(*mem_out));
	cl_int error = object_check(*mem_out, &ocl_mem_type);
	if (!error && (*mem_out)->context != kernel->program->context)
		error = CL_INVALID_CONTEXT;
	return error;
}

static cl_int image_check(cl_kernel kernel, const struct abi_argument *argument, size_t size_B,
			  const void *value, cl_mem *mem_out)
{
	cl_mem mem;
	cl_int error = object_given(kernel, size_B, value, &mem);
	if (error)
		return error;
	if (!mem->image || !image_is_of_type(mem->image, argument->image_type))
		return CL_INVALID_MEM_OBJECT;
	/* "CL_INVALID_ARG_VALUE if the argument is an image declared with the read_only
	 * qualifier and arg_value refers to an image object created with CL_MEM_WRITE_ONLY,
	 * or the image argument is declared with the write_only qualifier and arg_value
	 * refers to an image object created with CL_MEM_READ_ONLY or CL_MEM_IMMUTABLE_EXT." */
	const bool reads = argument->access != ABI_ACCESS_WRITE_ONLY;
	const bool writes = argument->access != ABI_ACCESS_READ_ONLY;
	if ((reads && mem->flags & CL_MEM_WRITE_ONLY) ||
	    (writes && mem->flags & (CL_MEM_READ_ONLY | OCL_MEM_IMMUTABLE)))
		return CL_INVALID_ARG_VALUE;
	*mem_out = mem;
	return CL_SUCCESS;
}

static cl_int sampler_check(cl_kernel kernel, size_t size_B, const void *value)
{
	cl_sampler sampler;
	if (size_B != sizeof(cl_sampler))
		return CL_INVALID_ARG_SIZE;
	/* 5.9.2: CL_INVALID_SAMPLER when arg_value does not point to a sampler. */
	if (!value)
		return CL_INVALID_SAMPLER;
	memcpy(&sampler, value, sizeof(sampler));
	cl_int error = object_check(sampler, &ocl_sampler_type);
	if (!error && sampler->context != kernel->program->context)
		error = CL_INVALID_CONTEXT;
	return error;
}

/* cl_ext_immutable_memory_objects: CL_INVALID_ARG_VALUE when the kernel may write to the buffer.  It does not if the
 * argument is declared const, or if the compiler has found that it does not. */
static cl_int immutable_check(const struct abi_argument *argument)
{
	const bool writes = argument->kind == ABI_ARGUMENT_GLOBAL && argument->may_write &&
			    !(argument->type_qualifiers & ABI_TYPE_CONST);
	return writes ? CL_INVALID_ARG_VALUE : CL_SUCCESS;
}

static inline cl_int buffer_check(cl_kernel kernel, cl_uint index, size_t size_B,
				  const void *value, cl_mem *mem_out)
{
	if (size_B != sizeof(cl_mem))
		return CL_INVALID_ARG_SIZE;
	/* 5.9.2: for NULL, or a pointer to NULL, the kernel gets a NULL pointer. */
	if (value)
		memcpy(mem_out, value, sizeof(*mem_out));
	const struct _cl_mem *mem = *mem_out;
	cl_int error = mem ? object_check(mem, &ocl_mem_type) : CL_SUCCESS;
	if (error || !mem)
		return error;
	if (mem->context != kernel->program->context)
		return CL_INVALID_CONTEXT;
	if (!ocl_mem_is_buffer(mem))
		return CL_INVALID_MEM_OBJECT;
	return ocl_mem_is_immutable(mem) ? immutable_check(&kernel->abi->arguments[index])
					 : CL_SUCCESS;
}

/* A pipe may be passed to read_only and to write_only arguments. */
static cl_int pipe_check(cl_kernel kernel, size_t size_B, const void *value, cl_mem *mem_out)
{
	cl_int error = object_given(kernel, size_B, value, mem_out);
	if (!error && (*mem_out)->type != CL_MEM_OBJECT_PIPE)
		error = CL_INVALID_MEM_OBJECT;
	return error;
}

/* Most values have 4 or 8 bytes, whose copies are single instructions. */
static inline void value_copy(unsigned char *to, const void *value, size_t size_B)
{
	uint64_t eight;
	uint32_t four;
	if (size_B == sizeof(four)) {
		memcpy(&four, value, sizeof(four));
		memcpy(to, &four, sizeof(four));
	} else if (size_B == sizeof(eight)) {
		memcpy(&eight, value, sizeof(eight));
		memcpy(to, &eight, sizeof(eight));
	} else {
		memcpy(to, value, size_B);
	}
}

static inline cl_int value_set(cl_kernel kernel, cl_uint index, size_t size_B, const void *value)
{
	if (!value)
		return ocl_complain_argument(kernel, index, size_B, CL_INVALID_ARG_VALUE);
	if (size_B != kernel->arguments->items[index].value_B)
		return ocl_complain_argument(kernel, index, size_B, CL_INVALID_ARG_SIZE);
	cl_int error = arguments_own(kernel);
	if (error)
		return error;
	const struct ocl_argument *item = item_to_set(kernel, index);
	value_copy(kernel->arguments->data + item->offset_B, value, size_B);
	return CL_SUCCESS;
}

static cl_int local_set(cl_kernel kernel, cl_uint index, size_t size_B, const void *value)
{
	/* "arg_value entry must be NULL"; from OpenCL 3.1 on arg_size may be zero. */
	if (value)
		return ocl_complain_argument(kernel, index, size_B, CL_INVALID_ARG_VALUE);
	cl_int error = arguments_own(kernel);
	if (!error)
		item_to_set(kernel, index)->local_B = size_B;
	return error;
}

static cl_int sampler_set(cl_kernel kernel, cl_uint index, size_t size_B, const void *value)
{
	cl_sampler sampler;
	cl_int error = sampler_check(kernel, size_B, value);
	if (!error)
		error = arguments_own(kernel);
	if (error)
		return ocl_complain_argument(kernel, index, size_B, error);
	memcpy(&sampler, value, sizeof(sampler));
	const struct ocl_argument *item = item_to_set(kernel, index);
	memcpy(kernel->arguments->data + item->offset_B, &sampler->bits, sizeof(sampler->bits));
	return CL_SUCCESS;
}

static inline cl_int memory_set(cl_kernel kernel, cl_uint index, size_t size_B,
				const void *value, enum abi_argument_kind kind)
{
	cl_mem mem = NULL;
	cl_int error;
	if (kind == ABI_ARGUMENT_IMAGE)
		error = image_check(kernel, &kernel->abi->arguments[index], size_B, value, &mem);
	else if (kind == ABI_ARGUMENT_PIPE)
		error = pipe_check(kernel, size_B, value, &mem);
	else
		error = buffer_check(kernel, index, size_B, value, &mem);
	if (!error)
		error = arguments_own(kernel);
	if (error)
		return ocl_complain_argument(kernel, index, size_B, error);
	struct ocl_argument *item = item_to_set(kernel, index);
	item->pointer = 0;
	item->mem = mem;
	item->life = mem ? ocl_mem_name(mem) : 0;
	return CL_SUCCESS;
}

/* OpenCL 3.0 API, 5.9.2: checks value and size for each kind of argument; CL_INVALID_CONTEXT for an object of
 * another context than the kernel's. */
cl_int ocl_kernel_set_argument(cl_kernel kernel, cl_uint index, size_t size_B, const void *value)
{
	if (index >= kernel->arguments->count)
		return ocl_complain_argument(kernel, index, size_B, CL_INVALID_ARG_INDEX);
	const enum abi_argument_kind kind = kernel->arguments->items[index].kind;
	/* Most arguments are of these two kinds. */
	if (kind == ABI_ARGUMENT_VALUE)
		return value_set(kernel, index, size_B, value);
	if (kind == ABI_ARGUMENT_GLOBAL)
		return memory_set(kernel, index, size_B, value, ABI_ARGUMENT_GLOBAL);
	switch (kind) {
	case ABI_ARGUMENT_VALUE:
	case ABI_ARGUMENT_GLOBAL:
		break;
	case ABI_ARGUMENT_CONSTANT:
	case ABI_ARGUMENT_IMAGE:
	case ABI_ARGUMENT_PIPE:
		return memory_set(kernel, index, size_B, value, kind);
	case ABI_ARGUMENT_LOCAL:
		return local_set(kernel, index, size_B, value);
	case ABI_ARGUMENT_SAMPLER:
		return sampler_set(kernel, index, size_B, value);
	}
	return CL_INVALID_ARG_VALUE;
}

/* The allocation that a pointer is in, or at the end of, held; NULL: none.  Any pointer may be set (cl_khr_unified_svm,
 * 5.9.2): what a kernel does with it decides. */
static cl_mem pointer_hold(cl_context context, const void *pointer)
{
	size_t offset_B;
	if (!pointer)
		return NULL;
	cl_mem mem = ocl_svm_find(context, pointer, &offset_B);
	if (!mem)
		mem = ocl_svm_find(context, (const char *)pointer - 1, &offset_B);
	ocl_mem_hold(mem);
	object_unref(mem);
	return mem;
}

/* Sets the argument to pointer, in the allocation held, whose hold is dropped. */
static cl_int pointer_take(cl_kernel kernel, cl_uint index, uint64_t pointer, cl_mem held)
{
	cl_int error = arguments_own(kernel);
	if (!error) {
		struct ocl_argument *item = item_to_set(kernel, index);
		item->mem = held;
		item->life = held ? ocl_mem_name(held) : 0;
		item->pointer = pointer;
	}
	ocl_mem_drop(held);
	return error;
}

cl_int ocl_kernel_set_pointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
	const struct abi_kernel *abi = ocl_kernel_abi(kernel);
	if (index >= abi->argument_count)
		return CL_INVALID_ARG_INDEX;
	if (abi->arguments[index].kind != ABI_ARGUMENT_GLOBAL &&
	    abi->arguments[index].kind != ABI_ARGUMENT_CONSTANT)
		return CL_INVALID_ARG_VALUE;
	return pointer_take(kernel, index, (uintptr_t)pointer, pointer_hold(kernel->program->context, pointer));
}

/* cl_ext_buffer_device_address: CL_INVALID_ARG_INDEX also for an argument that is not a pointer to global memory;
 * any address may be set. */
cl_int ocl_kernel_set_address(cl_kernel kernel, cl_uint index, uint64_t address)
{
	const struct abi_kernel *abi = ocl_kernel_abi(kernel);
	if (index >= abi->argument_count || abi->arguments[index].kind != ABI_ARGUMENT_GLOBAL)
		return CL_INVALID_ARG_INDEX;
	return pointer_take(kernel, index, address,
			    ocl_address_find(kernel->program->context, address));
}

/* --- memory behind pointers ----------------------------------------------------------- */

static void indirect_unref(struct ocl_indirect *indirect)
{
	if (!indirect || atomic_fetch_sub_explicit(&indirect->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < indirect->count; i++)
		ocl_mem_drop(indirect->mems[i]);
	free(indirect);
}

/* cl_khr_unified_svm: a pointer that is in no allocation is ignored. */
static cl_int indirect_create(cl_context context, uint32_t count, void *const *pointers,
			      struct ocl_indirect **indirect_out)
{
	struct ocl_indirect *indirect = calloc(1, sizeof(*indirect) +
							  count * sizeof(indirect->mems[0]));
	if (!indirect)
		return CL_OUT_OF_HOST_MEMORY;
	atomic_init(&indirect->refs, 1);
	for (uint32_t i = 0; i < count; i++) {
		size_t offset_B;
		cl_mem mem = ocl_svm_find(context, pointers[i], &offset_B);
		if (!mem)
			continue;
		ocl_mem_hold(mem);
		object_unref(mem);
		indirect->mems[indirect->count++] = mem;
	}
	*indirect_out = indirect;
	return CL_SUCCESS;
}

cl_int ocl_kernel_set_indirect(cl_kernel kernel, uint32_t count, void *const *pointers)
{
	struct ocl_indirect *indirect = NULL;
	cl_int error = count ? indirect_create(kernel->program->context, count, pointers,
					       &indirect)
			     : CL_SUCCESS;
	if (error)
		return error;
	indirect_unref(kernel->indirect);
	kernel->indirect = indirect;
	return CL_SUCCESS;
}

cl_int ocl_kernel_set_addressed(cl_kernel kernel, uint32_t count, const uint64_t *addresses)
{
	struct ocl_indirect *addressed = NULL;
	if (count) {
		addressed = calloc(1, sizeof(*addressed) + count * sizeof(addressed->mems[0]));
		if (!addressed)
			return CL_OUT_OF_HOST_MEMORY;
		atomic_init(&addressed->refs, 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		cl_mem mem = ocl_address_find(kernel->program->context, addresses[i]);
		if (mem)
			addressed->mems[addressed->count++] = mem;
	}
	indirect_unref(kernel->addressed);
	kernel->addressed = addressed;
	return CL_SUCCESS;
}

static struct ocl_indirect *indirect_ref(struct ocl_indirect *indirect)
{
	if (indirect)
		atomic_fetch_add_explicit(&indirect->refs, 1, memory_order_relaxed);
	return indirect;
}

/* --- kernels -------------------------------------------------------------------------- */

static void detach(cl_kernel kernel)
{
	if (atomic_exchange(&kernel->attached, false))
		ocl_program_detach(kernel->program);
}

static void kernel_destroy(struct object *object)
{
	cl_kernel kernel = (cl_kernel)object;
	detach(kernel);
	for (uint32_t i = 0; kernel->code && i < kernel->code_count; i++) {
		ocl_module_unref(kernel->code[i].module);
		ocl_code_unref(kernel->code[i].program_code);
		free(kernel->code[i].traits.memory);
	}
	free(kernel->code);
	ocl_arguments_unref(kernel->arguments);
	indirect_unref(kernel->indirect);
	indirect_unref(kernel->addressed);
	free(kernel->name);
	lock_finish(&kernel->lock);
	object_unref(kernel->program);
	free(kernel);
}

const struct object_type ocl_kernel_type = {"kernel", CL_INVALID_KERNEL, kernel_destroy};

static _Atomic uint64_t last_id;

/* Makes a kernel without code and arguments. */
static cl_int kernel_alloc(cl_program program, const char *name, cl_kernel *kernel_out)
{
	cl_kernel kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return CL_OUT_OF_HOST_MEMORY;
	if (lock_init(&kernel->lock, LOCK_RANK_KERNEL)) {
		free(kernel);
		return CL_OUT_OF_HOST_MEMORY;
	}
	kernel->id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
	object_init(&kernel->base, &ocl_kernel_type);
	atomic_init(&kernel->attached, true);
	object_ref(program);
	ocl_program_attach(program);
	kernel->program = program;
	kernel->code_count = program->device_count;
	kernel->name = strdup(name);
	kernel->code = calloc(kernel->code_count, sizeof(*kernel->code));
	if (!kernel->name || !kernel->code) {
		object_unref(kernel);
		return CL_OUT_OF_HOST_MEMORY;
	}
	*kernel_out = kernel;
	return CL_SUCCESS;
}

/* Lists the arguments that are memory objects or pointers; false: out of memory. */
static bool memory_list(const struct abi_kernel *abi, struct ocl_kernel_traits *traits)
{
	uint32_t count = 0;
	traits->memory = malloc((traits->memory_count + 1) * sizeof(*traits->memory));
	for (uint32_t i = 0; traits->memory && i < abi->argument_count; i++) {
		const struct abi_argument *argument = &abi->arguments[i];
		const bool image = argument->kind == ABI_ARGUMENT_IMAGE;
		if (!abi_argument_is_memory(argument->kind))
			continue;
		traits->memory[count++] = (struct ocl_memory_argument){
			i, image,
			image ? argument->access != ABI_ACCESS_READ_ONLY : argument->may_write,
		};
	}
	return traits->memory;
}

/* *traits: all 0. */
static bool traits_find(const struct abi_program *program, const struct abi_kernel *abi,
			struct ocl_kernel_traits *traits)
{
	for (uint32_t i = 0; i < abi->argument_count; i++) {
		const enum abi_argument_kind kind = abi->arguments[i].kind;
		traits->memory_count += abi_argument_is_memory(kind);
		traits->images |= kind == ABI_ARGUMENT_IMAGE;
		traits->locals |= kind == ABI_ARGUMENT_LOCAL;
	}
	for (uint32_t i = 0; i < abi->hidden_count; i++) {
		traits->prints |= abi->hidden[i] == ABI_HIDDEN_PRINTF_BUFFER;
		traits->grid_barrier |= abi->hidden[i] == ABI_HIDDEN_GRID_BARRIER;
		traits->narrow_ids |= program->narrow_ids &&
				     abi->hidden[i] <= ABI_HIDDEN_ID_START_Z;
	}
	traits->starts = fe_ptx_takes_start(abi);
	return memory_list(abi, traits);
}

/* Takes the program's present executables. */
static cl_int code_take(cl_kernel kernel)
{
	const struct abi_kernel *first = NULL;
	bool any_executable = false;
	for (uint32_t i = 0; i < kernel->code_count; i++) {
		struct ocl_code *code;
		struct ocl_module *module;
		if (!ocl_program_executable(kernel->program, i, &code, &module))
			continue;
		any_executable = true;
		const struct abi_kernel *abi = abi_program_kernel(code->abi, kernel->name);
		if (!abi) {
			ocl_module_unref(module);
			ocl_code_unref(code);
			continue;
		}
		kernel->code[i].program_code = code;
		kernel->code[i].module = module;
		kernel->code[i].streams = ocl_module_streams(module);
		kernel->code[i].abi = abi;
		if (!traits_find(code->abi, abi, &kernel->code[i].traits))
			return CL_OUT_OF_HOST_MEMORY;
		if (first && !ocl_kernel_definitions_agree(first, abi))
			return CL_INVALID_KERNEL_DEFINITION;
		first = first ? first : abi;
	}
	kernel->abi = first;
	if (!any_executable)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	return first ? CL_SUCCESS : CL_INVALID_KERNEL_NAME;
}

cl_int ocl_kernel_create(cl_program program, const char *name, cl_kernel *kernel_out)
{
	cl_kernel kernel;
	const struct ocl_kernel_code *code;
	ocl_program_wait(program);
	cl_int error = kernel_alloc(program, name, &kernel);
	if (error)
		return error;
	error = code_take(kernel);
	if (!error) {
		kernel->arguments = arguments_create(ocl_kernel_abi(kernel));
		if (!kernel->arguments)
			error = CL_OUT_OF_HOST_MEMORY;
	}
	/* With one device the code is loaded now, because it will be needed; with several, on each device when the
	 * kernel is first used there. */
	if (!error && program->device_count == 1)
		error = ocl_kernel_code_for(kernel, program->devices[0], &code);
	if (error)
		object_unref(kernel);
	else
		*kernel_out = kernel;
	return error;
}

cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *kernel_out)
{
	cl_kernel kernel;
	cl_int error = kernel_alloc(source->program, source->name, &kernel);
	if (error)
		return error;
	for (uint32_t i = 0; i < kernel->code_count; i++) {
		const struct ocl_kernel_code *code = &source->code[i];
		if (!code->program_code)
			continue;
		kernel->code[i].program_code = ocl_code_ref(code->program_code);
		kernel->code[i].module = ocl_module_ref(code->module);
		kernel->code[i].streams = code->streams;
		kernel->code[i].abi = code->abi;
		if (!traits_find(code->program_code->abi, code->abi, &kernel->code[i].traits)) {
			object_unref(kernel);
			return CL_OUT_OF_HOST_MEMORY;
		}
	}
	kernel->abi = source->abi;
	kernel->arguments = ocl_arguments_ref(source->arguments);
	kernel->indirect = indirect_ref(source->indirect);
	kernel->addressed = indirect_ref(source->addressed);
	kernel->indirect_kinds = source->indirect_kinds;
	*kernel_out = kernel;
	return CL_SUCCESS;
}

cl_int ocl_kernel_release(cl_kernel kernel)
{
	cl_int error = object_check(kernel, &ocl_kernel_type);
	if (error)
		return error;
	object_ref(kernel);
	error = object_release(kernel, &ocl_kernel_type);
	if (!object_reference_count(kernel))
		detach(kernel);
	object_unref(kernel);
	return error;
}

static cl_int function_find(const struct ocl_kernel_code *code, enum ocl_module_part part,
			    struct gpu_function **function_out)
{
	struct gpu_module *module;
	cl_int error = ocl_module_open(code->module, part, &module);
	if (!error)
		error = gpu_module_function(module, code->abi->entry, function_out);
	return error == CL_INVALID_KERNEL_NAME || error == CL_INVALID_BINARY
		       ? CL_INVALID_PROGRAM_EXECUTABLE : error;
}

/* Finds the module's function, without the lock; the first thread to find it stores it. */
static cl_int code_resolve(struct _cl_kernel *kernel, struct ocl_kernel_code *code)
{
	struct gpu_function *function;
	cl_int error = function_find(code, OCL_MODULE_PLAIN, &function);
	if (error)
		return error;
	const struct gpu_function_caps caps = *gpu_function_caps(function);
	lock_take(&kernel->lock);
	if (!atomic_load_explicit(&code->resolved, memory_order_relaxed)) {
		code->function = function;
		code->caps = caps;
		atomic_store_explicit(&code->resolved, true, memory_order_release);
	}
	lock_drop(&kernel->lock);
	return CL_SUCCESS;
}

cl_int ocl_kernel_code_find(struct _cl_kernel *kernel, const struct _cl_device_id *device,
			    const struct ocl_kernel_code **code_out)
{
	int index = ocl_program_code_index(kernel->program, device);
	if (index < 0 || !kernel->code[index].program_code)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	struct ocl_kernel_code *code = &kernel->code[index];
	if (!atomic_load_explicit(&code->resolved, memory_order_acquire)) {
		cl_int error = code_resolve(kernel, code);
		if (error)
			return error;
	}
	*code_out = code;
	return CL_SUCCESS;
}

cl_int ocl_kernel_part(struct _cl_kernel *kernel, const struct ocl_kernel_code *code,
		       enum ocl_module_part part, struct gpu_function **function_out)
{
	_Atomic(struct gpu_function *) *own = &kernel->code[code - kernel->code].others[part];
	struct gpu_function *found = atomic_load_explicit(own, memory_order_acquire);
	cl_int error = found ? CL_SUCCESS : function_find(code, part, &found);
	if (error)
		return error;
	/* Other threads store the same value. */
	atomic_store_explicit(own, found, memory_order_release);
	*function_out = found;
	return CL_SUCCESS;
}

uint64_t ocl_kernel_dynamic_local_B(const struct abi_kernel *abi,
				    const struct ocl_arguments *arguments, uint32_t *offsets_out)
{
	uint64_t size_B = abi->dynamic_local_B;
	for (uint32_t i = 0; i < abi->argument_count; i++) {
		if (abi->arguments[i].kind != ABI_ARGUMENT_LOCAL)
			continue;
		size_B = align_up(size_B, abi->arguments[i].align_B);
		if (offsets_out)
			offsets_out[i] = (uint32_t)size_B;
		/* The application may pass any size; it is limited so that the sum does not overflow but is more
		 * than any device has. */
		const uint64_t local_B = arguments->items[i].local_B;
		size_B += local_B < UINT32_MAX ? local_B : UINT32_MAX;
	}
	return size_B;
}
