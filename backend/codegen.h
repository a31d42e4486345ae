/* NVVM IR -> PTX -> machine code -> a loaded module.
 *
 * libnvvm is found at run time (dlopen), in this order: CULVERT_LIBNVVM, a CUDA
 * toolkit (CUDA_HOME, CUDA_PATH, /usr/local/cuda, the linker's path), NVIDIA's
 * wheels beside the running Python, the driver's own libnvidia-nvvm.so.4.
 *
 * Thread-safe: any number of compiles at once.  Outputs are the caller's. */
#ifndef CULVERT_BACKEND_CODEGEN_H
#define CULVERT_BACKEND_CODEGEN_H

#include "base/bytes.h"
#include "base/codegen_choice.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_device;
struct gpu_module;

struct be_codegen_options {
	unsigned sm;                /* 10 * major + minor */
	struct codegen_choice choice;
	uint64_t unoptimized;       /* modules that are not optimised all the same: bits */
	unsigned threads;           /* that large programs may be shared out to */
};

/* Of text: below that, threads are not worth their making. */
enum { BE_CODEGEN_SHARED_B = 32 << 10 };

/* What libnvvm and the PTX compiler may need of a thread's stack. */
#define BE_CODEGEN_STACK_B ((size_t)64 << 20)

/* CL_SUCCESS, or CL_COMPILER_NOT_AVAILABLE with every place that was tried, and
 * why it failed there, in log. Tries again until it was found once. */
cl_int be_nvvm_load(struct bytes *log);

/* Wheels are looked for beside this program if it is a Python, not beside the one that
 * runs: for a process that compiles for another.  Before all else here; path: copied. */
void be_nvvm_beside(const char *program);

/* "libnvvm 2.0, IR 2.0, at <path>"; "" until loaded. */
const char *be_nvvm_id(void);

/* Appends which build of libnvvm is loaded, or would be: the same wherever the same file
 * is installed.  Loads it only where nothing else can tell.  False when there is none. */
bool be_nvvm_build(struct bytes *text);

/* Whether be_nvvm_build would find the same today: it looks for a file that is not loaded but once. */
bool be_nvvm_build_holds(void);

/* The newest sm that the loaded libnvvm compiles for and that is <= sm. */
cl_int be_nvvm_arch(unsigned sm, unsigned *arch_out);
/* Whether there are GPUs of this sm, as far as is known here. */
bool be_nvvm_arch_known(unsigned sm);
/* Appends "sm_75, sm_80, ...": what the libnvvm there is compiles for; without one, all that are known. */
void be_nvvm_arch_list(struct bytes *text);

/* nvvm_ir: the text of a module, or of several with a NUL between, none of which calls another's
 * functions or writes another's variables; a NUL is behind the last, too, which size_B does not
 * count.  Modules are shared out to options->threads.  libdevice: bitcode added when not NULL.
 * CL_SUCCESS, CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE (libnvvm's log appended),
 * CL_OUT_OF_HOST_MEMORY. */
cl_int be_nvvm_compile(const void *nvvm_ir, size_t size_B, const void *libdevice,
		       size_t libdevice_size_B, const struct be_codegen_options *options,
		       struct bytes *ptx_out, struct bytes *log);

/* The bit of options->unoptimized that stands for a module by its number from 0, the last one for all
 * that come behind. */
uint64_t be_nvvm_module_bit(size_t number);

/* The bit of the module that libnvvm is at on this thread; 0: it is at none.  May be called in a
 * signal's handler. */
uint64_t be_nvvm_module_now(void);

/* Whether PTX says that it is to be debugged, with variables and types: assemblers then have to be told
 * to keep them, and refuse to optimise. */
bool be_ptx_is_debug(const struct bytes *ptx);

/* Which build of NVIDIA's PTX compiler makes machine code for device: "" when none does,
 * as for the software device, an older driver, or where Culvert was built without. */
const char *be_cubin_build(const struct gpu_device *device);

/* PTX -> machine code for options->sm, without the driver.  Of the choice, optimization,
 * max_registers, line_info and verbose count.  log gets what the compiler says when there is a
 * cubin; register and spill figures when line_info or verbose is set.  False when it
 * cannot be made here, for whatever reason: be_ptx_load is the way then, and will tell
 * what is wrong with the PTX if that is the reason. */
bool be_cubin_compile(const struct bytes *ptx, const struct be_codegen_options *options,
		      struct bytes *cubin_out, struct bytes *log);

/* PTX -> a module loaded on this device, by the driver's own compiler.  In one step:
 * the way over the driver's linker compiles for linking, knows nothing of a work-group's
 * local memory and spends registers as if it had none (measured: 117 in place of 32, and
 * 1.55 times the time, for a tiled matrix product).  Of the choice, optimization,
 * max_registers, line_info and verbose count.  Register and spill figures go to log when
 * line_info or verbose is set.
 * CL_BUILD_PROGRAM_FAILURE with the driver's log; CL_OUT_OF_HOST_MEMORY. */
cl_int be_ptx_load(struct gpu_device *device, const struct bytes *ptx,
		   const struct be_codegen_options *options,
		   struct gpu_module **module_out, struct bytes *log);

#endif
