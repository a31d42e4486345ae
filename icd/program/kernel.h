/* A kernel (cl_kernel) and its argument values.
 *
 * The values are in one block that is constant while it is shared: a command that needs them takes a reference, and
 * clSetKernelArg copies a block that has other references before it changes it.
 *
 * Thread-safe, except that arguments of one kernel must not be set while another thread sets or enqueues it (OpenCL
 * 3.0 API, 5.9.2). */
#ifndef CULVERT_ICD_KERNEL_H
#define CULVERT_ICD_KERNEL_H

#include "backend/gpu.h"
#include "frontend/kernel_abi.h"
#include "icd/memory/mem.h"
#include "icd/program/program.h"

#include <stdatomic.h>

extern const struct object_type ocl_kernel_type;

struct ocl_argument {
	bool set;                     /* it has a value */
	enum abi_argument_kind kind;  /* constant, as are offset_B and value_B */
	uint32_t offset_B;            /* VALUE, SAMPLER: offset of the bytes in the block's data */
	uint32_t value_B;             /* VALUE: number of bytes */
	cl_mem mem;                   /* GLOBAL, CONSTANT, IMAGE: the memory object, without a reference; or NULL */
	uint64_t life;                /* its name, which mem.h explains */
	gpu_address pointer;          /* GLOBAL, CONSTANT with mem NULL: the value, an SVM pointer or 0 */
	uint64_t local_B;             /* LOCAL: size of the local memory */
};

struct ocl_arguments {
	atomic_uint refs;
	uint32_t count;               /* of items */
	uint32_t unset;               /* number of arguments without a value */
	uint32_t data_B;
	unsigned char *data;          /* aligned to 16 bytes; part of this allocation */
	void **parameters;            /* part of this allocation: addresses of the values, except those of buffers */
	struct ocl_argument items[];
};

struct ocl_arguments *ocl_arguments_ref(struct ocl_arguments *arguments);
void ocl_arguments_unref(struct ocl_arguments *arguments);   /* NULL is fine */

/* An argument that is a memory object or a pointer. */
struct ocl_memory_argument {
	uint32_t index;               /* among the kernel's arguments */
	bool image;
	bool writes;                  /* the kernel may write to it, if the memory object's flags allow that */
};

/* Facts about a kernel's arguments and hidden parameters that each launch needs. */
struct ocl_kernel_traits {
	uint32_t memory_count;
	struct ocl_memory_argument *memory;  /* owned by the code: in the order of the arguments */
	bool images, locals;          /* it has image arguments, and local memory arguments */
	bool prints, grid_barrier;    /* it calls printf, or uses a grid barrier */
	bool starts;                  /* it has a hidden parameter for the first work-group of its grid */
	bool narrow_ids;              /* it assumes that global ids fit 32 bits */
};

/* One kernel on one device.  function and caps are found by clCreateKernel or at the first use; from then on the struct
 * is constant, except for others. */
struct ocl_kernel_code {
	atomic_bool resolved;         /* function and caps are set */
	struct ocl_code *program_code; /* ref held; NULL if the program was not built for the device */
	struct ocl_module *module;    /* ref held; NULL likewise */
	struct ocl_stream_set *streams; /* of module: the streams that use it; NULL likewise */
	const struct abi_kernel *abi; /* part of program_code */
	struct ocl_kernel_traits traits;
	struct gpu_function *function; /* for grids that start at work-group 0 */
	struct gpu_function_caps caps;
	/* Functions in the other parts of the module; NULL: not needed yet. */
	_Atomic(struct gpu_function *) others[OCL_MODULE_PARTS];
};

/* The memory that a kernel accesses through pointers stored in other memory (clSetKernelExecInfo). */
struct ocl_indirect {
	atomic_uint refs;
	uint32_t count;
	cl_mem mems[];                /* held (ocl_mem_hold in mem.h) */
};

struct _cl_kernel {
	struct object base;
	uint64_t id;                  /* unique in the process, also among kernels that were freed */
	cl_program program;           /* ref held */
	char *name;                   /* owned */
	const struct abi_kernel *abi; /* of one of code: for what is the same on all devices */
	atomic_bool attached;         /* it is counted in program->kernels_attached */
	struct ocl_arguments *arguments;  /* ref held */
	struct ocl_indirect *indirect; /* ref held: allocations given by pointers; NULL: none */
	struct ocl_indirect *addressed; /* ref held: buffers given by device addresses; NULL: none */
	unsigned indirect_kinds;      /* bit 1 << enum ocl_svm_kind: it may use any memory of that kind */
	struct lock lock;             /* guards the resolving of code */
	uint32_t code_count;          /* the program's number of devices */
	struct ocl_kernel_code *code; /* owned array: for each of program->devices */
};

/* CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION ... */
cl_int ocl_kernel_create(cl_program program, const char *name, cl_kernel *kernel_out);
/* A kernel with the code and the argument values of source. */
cl_int ocl_kernel_clone(cl_kernel source, cl_kernel *kernel_out);
/* clReleaseKernel: after the application's last reference the program can be built again, although commands may still
 * hold the kernel. */
cl_int ocl_kernel_release(cl_kernel kernel);

/* clSetKernelArg. */
cl_int ocl_kernel_set_argument(cl_kernel kernel, cl_uint index, size_t size_B, const void *value);

/* clSetKernelArgSVMPointer and clSetKernelArgMemPointerINTEL. */
cl_int ocl_kernel_set_pointer(cl_kernel kernel, cl_uint index, const void *pointer);
/* CL_KERNEL_EXEC_INFO_SVM_PTRS and CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL; replaces the pointers set before.
 * CL_OUT_OF_HOST_MEMORY. */
cl_int ocl_kernel_set_indirect(cl_kernel kernel, uint32_t count, void *const *pointers);

/* clSetKernelArgDevicePointerEXT. */
cl_int ocl_kernel_set_address(cl_kernel kernel, cl_uint index, uint64_t address);
/* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT; addresses that are in no buffer are ignored. */
cl_int ocl_kernel_set_addressed(cl_kernel kernel, uint32_t count, const uint64_t *addresses);

/* clSetKernelExecInfo: the values are checked here. */
cl_int ocl_kernel_set_exec_info(cl_kernel kernel, cl_kernel_exec_info name, size_t size_B,
				const void *value);

/* What is the same on all devices: kinds of arguments, names, attributes. */
static inline const struct abi_kernel *ocl_kernel_abi(const struct _cl_kernel *kernel)
{
	return kernel->abi;
}

/* The code for device, which is loaded if necessary.  CL_INVALID_PROGRAM_EXECUTABLE when there is none.  No lock may be
 * held. */
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

/* The function in a part of the module, which the first call finds, and compiles if necessary; mostly it is
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

/* The size of the dynamic local memory that a launch with these arguments needs.  offsets_out[i], if it is not NULL, is
 * the offset of argument i in it, if that is a local memory argument; they are in the arguments' order. */
uint64_t ocl_kernel_dynamic_local_B(const struct abi_kernel *abi,
				    const struct ocl_arguments *arguments, uint32_t *offsets_out);

#endif
