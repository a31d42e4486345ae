/* A kernel and its argument values.
 *
 * The values lie in one block that is immutable while shared: capturing them for
 * a command is one reference, and clSetKernelArg on a captured block makes a
 * copy first.  (clSetKernelArg itself is not thread-safe for one kernel, OpenCL
 * 3.0 API, 5.9.2; enqueues of one kernel from several threads are.) */
#ifndef CULVERT_ICD_KERNEL_H
#define CULVERT_ICD_KERNEL_H

#include "backend/gpu.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/mem.h"
#include "icd/program/program.h"

#include <stdatomic.h>

extern const struct object_type ocl_kernel_type;

struct ocl_argument {
	bool set;
	enum abi_argument_kind kind;  /* immutable, as are the next two */
	uint32_t offset_B;            /* VALUE, SAMPLER: where the bytes lie in the block's data */
	uint32_t value_B;             /* VALUE: how many */
	cl_mem mem;                   /* GLOBAL, CONSTANT: may be NULL; IMAGE; of the life: mem.h */
	uint64_t life;
	gpu_address pointer;          /* what the kernel gets if it is no buffer: SVM, or NULL */
	uint64_t local_B;             /* LOCAL */
};

struct ocl_arguments {
	atomic_uint refs;
	uint32_t count;
	uint32_t unset;               /* how many of them nobody has set yet */
	uint32_t data_B;
	unsigned char *data;          /* aligned to 16; inside the same allocation */
	void **parameters;            /* likewise: where each one's value lies, but buffers' */
	struct ocl_argument items[];
};

struct ocl_arguments *ocl_arguments_ref(struct ocl_arguments *arguments);
void ocl_arguments_unref(struct ocl_arguments *arguments);   /* NULL is fine */

struct ocl_memory_argument {
	uint32_t index;
	bool image;
	bool writes;                  /* whoever wants to write has to look at the buffer, too */
};

/* What a launch would look for among the arguments and the hidden parameters. */
struct ocl_kernel_traits {
	uint32_t memory_count;        /* arguments that are memory objects or pointers, */
	struct ocl_memory_argument *memory;  /* in their order: owned by the code */
	bool images, locals;          /* there are such arguments */
	bool prints, grid_barrier;
	bool starts;                  /* it is told where its grid starts */
	bool narrow_ids;              /* it takes ids for numbers of 32 bits */
};

/* One kernel on one device: resolved at clCreateKernel or first use, then fixed. */
struct ocl_kernel_code {
	atomic_bool resolved;         /* function and caps are there */
	struct ocl_code *program_code; /* ref held; NULL where the program was not built */
	struct ocl_module *module;    /* ref held; likewise */
	const struct abi_kernel *abi; /* in program_code */
	struct ocl_kernel_traits traits;
	struct gpu_function *function; /* for grids that start at 0 */
	struct gpu_function_caps caps;
	/* Of the other parts of the module; NULL: nobody has asked yet. */
	_Atomic(struct gpu_function *) others[OCL_MODULE_PARTS];
};

/* Memory that a kernel reaches by pointers in other memory (clSetKernelExecInfo). */
struct ocl_indirect {
	atomic_uint refs;
	uint32_t count;
	cl_mem mems[];                /* held, see mem.h */
};

struct _cl_kernel {
	struct object base;
	uint64_t id;                  /* no other kernel of the process has or had it */
	cl_program program;           /* ref held */
	char *name;
	const struct abi_kernel *abi; /* of one of code: what all devices agree on */
	atomic_bool attached;         /* counts in program->kernels_attached */
	struct ocl_arguments *arguments;
	struct ocl_indirect *indirect; /* a reference; NULL: none */
	struct ocl_indirect *addressed; /* the same, by addresses of devices */
	unsigned indirect_kinds;      /* of USM (bits by enum ocl_svm_kind), any of which it may use */
	struct lock lock;             /* guards the resolving of code */
	uint32_t code_count;          /* == program->device_count */
	struct ocl_kernel_code *code; /* parallel to program->devices */
};

/* CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION ... */
cl_int ocl_kernel_create(cl_program program, const char *name, cl_kernel *kernel_out);
/* The same code, and the same argument values. */
cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *kernel_out);
/* clReleaseKernel: with the application's last share the kernel no longer keeps the
 * program from being built again, though commands may still hold it. */
cl_int ocl_kernel_release(cl_kernel kernel);

/* clSetKernelArg. */
cl_int ocl_kernel_set_argument(cl_kernel kernel, cl_uint index, size_t size_B, const void *value);

/* clSetKernelArgSVMPointer; any: clSetKernelArgMemPointerINTEL, which takes all pointers. */
cl_int ocl_kernel_set_pointer(cl_kernel kernel, cl_uint index, const void *pointer, bool any);
/* CL_KERNEL_EXEC_INFO_SVM_PTRS, and with any _USM_PTRS_INTEL: the only ones from now on.
 * CL_INVALID_VALUE for a pointer to no allocation; CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_kernel_set_indirect(cl_kernel kernel, uint32_t count, void *const *pointers, bool any);

/* clSetKernelArgDevicePointerEXT. */
cl_int ocl_kernel_set_address(cl_kernel kernel, cl_uint index, uint64_t address);
/* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT; addresses of no buffer are passed over. */
cl_int ocl_kernel_set_addressed(cl_kernel kernel, uint32_t count, const uint64_t *addresses);

/* clSetKernelExecInfo: the values are checked here. */
cl_int ocl_kernel_set_exec_info(cl_kernel kernel, cl_kernel_exec_info name, size_t size_B,
				const void *value);

/* What all devices agree on: argument kinds, names, attributes. */
static inline const struct abi_kernel *ocl_kernel_abi(const struct _cl_kernel *kernel)
{
	return kernel->abi;
}

/* The code for device, loaded if it was not: CL_INVALID_PROGRAM_EXECUTABLE when
 * there is none. No lock may be held. */
cl_int ocl_kernel_code_find(struct _cl_kernel *kernel, const struct _cl_device_id *device,
			    const struct ocl_kernel_code **code_out);
static inline cl_int ocl_kernel_code_for(struct _cl_kernel *kernel,
					 const struct _cl_device_id *device,
					 const struct ocl_kernel_code **code_out)
{
	/* Most programs have one device, and most launches are not the first. */
	if (kernel->program->devices[0] != device ||
	    !atomic_load_explicit(&kernel->code[0].resolved, memory_order_acquire))
		return ocl_kernel_code_find(kernel, device, code_out);
	*code_out = &kernel->code[0];
	return CL_SUCCESS;
}

/* The function in a part of the module, found (and compiled) at the first call for it; mostly
 * code->function.  code is of this kernel.  No lock may be held. */
cl_int ocl_kernel_part(struct _cl_kernel *kernel, const struct ocl_kernel_code *code,
		       enum ocl_module_part part, struct gpu_function **function_out);

/* CL_INVALID_KERNEL_ARGS unless every argument is set and the application still has
 * its memory object.  code is of this kernel. */
static inline cl_int ocl_kernel_arguments_check(const struct _cl_kernel *kernel,
						const struct ocl_kernel_code *code)
{
	const struct ocl_arguments *arguments = kernel->arguments;
	if (arguments->unset)
		return CL_INVALID_KERNEL_ARGS;
	for (uint32_t i = 0; i < code->traits.memory_count; i++) {
		const struct ocl_argument *item = &arguments->items[code->traits.memory[i].index];
		if (item->mem && !ocl_mem_is(item->mem, item->life))
			return CL_INVALID_KERNEL_ARGS;
	}
	return CL_SUCCESS;
}

/* Whether arguments of the kind have bytes in the block's data. */
static inline bool ocl_argument_has_data(const struct abi_argument *argument)
{
	return argument->kind == ABI_ARGUMENT_VALUE || argument->kind == ABI_ARGUMENT_SAMPLER;
}

/* Dynamic local memory that a launch needs with these arguments, and each LOCAL
 * argument's offset in it (offsets_out[argument index]; may be NULL); in abi order. */
uint64_t ocl_kernel_dynamic_local_B(const struct abi_kernel *abi,
				    const struct ocl_arguments *arguments, uint32_t *offsets_out);

#endif
