/* Code generation: NVVM IR to PTX, PTX to machine code, and loading it as a module.
 *
 * libnvvm is found at run time and loaded with dlopen, from the first of these that has it: CULVERT_LIBNVVM, a CUDA
 * toolkit (CUDA_HOME, CUDA_PATH, /usr/local/cuda, the linker's path), NVIDIA's wheels in the site-packages of the
 * Python that runs, the driver's libnvidia-nvvm.so.4.  Devices before compute capability 7.5 have the first of these
 * that compiles for BE_NVVM_SM_OLDEST, as CUDA 13's does not.
 *
 * Thread-safe: any number of compilations at once.  The caller owns outputs. */
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
	unsigned sm;                /* compute capability: 10 * major + minor */
	struct codegen_choice choice;
	uint64_t unoptimized;       /* be_nvvm_module_bit of modules that are not optimized, whatever choice says */
	unsigned threads;           /* the number of threads that may compile the modules of a large program */
};

/* The oldest compute capability that is supported, and the oldest one that every libnvvm compiles for. */
enum { BE_NVVM_SM_OLDEST = 70, BE_NVVM_SM_TURING = 75 };

/* Smaller programs (size of NVVM IR) are compiled by one thread: starting others would take longer. */
enum { BE_CODEGEN_SHARED_B = 32 << 10 };

/* The size of stack that libnvvm and the PTX compiler may need. */
#define BE_CODEGEN_STACK_B ((size_t)64 << 20)

/* Finds and loads libnvvm, unless it was found before.  CL_COMPILER_NOT_AVAILABLE, with each place that was tried and
 * the reason why it failed in log. */
cl_int be_nvvm_load(struct bytes *log);

/* Makes the search look for wheels beside this program, if it is a Python, and not beside the one that runs: for
 * culvert-compile.  Called before all other functions here; program is copied. */
void be_nvvm_beside(const char *program);

/* A description of the libnvvm for devices with this compute capability, such as "libnvvm 2.0, IR 2.0, at <path>"; ""
 * until it is loaded. */
const char *be_nvvm_id(unsigned sm);

/* Appends an identification of the libnvvm that is loaded, or would be, for devices with this compute capability: equal
 * files have equal ones on all machines.  It loads libnvvm only if that is necessary.  False if there is none. */
bool be_nvvm_build(unsigned sm, struct bytes *text);

/* Whether be_nvvm_build, which searches only once for a library that is not loaded, would find the same now. */
bool be_nvvm_build_holds(void);

/* The newest target up to sm for which the libnvvm for such devices compiles.  CL_COMPILER_NOT_AVAILABLE if there is
 * none. */
cl_int be_nvvm_arch(unsigned sm, unsigned *arch_out);
/* Appends why be_nvvm_arch finds no target for sm, and what helps. */
void be_nvvm_arch_explain(unsigned sm, struct bytes *text);
/* What the loaded libnvvm lacks for a target that be_nvvm_arch returned: NVVM_LACKS_... (base/codegen_choice.h). */
unsigned be_nvvm_lacks(unsigned arch);
/* Whether GPUs with this compute capability are known. */
bool be_nvvm_arch_known(unsigned sm);
/* Appends the targets of libnvvm, such as "sm_75, sm_80"; without libnvvm, all that are known. */
void be_nvvm_arch_list(struct bytes *text);

/* Compiles NVVM IR to PTX.  nvvm_ir: the text of a module, or of several, separated by NUL, none of which calls
 * functions or writes variables of another; the text ends with a NUL, which size_B does not count.  options->threads
 * threads compile the modules.  libdevice: bitcode that is added, or NULL. CL_SUCCESS, CL_COMPILER_NOT_AVAILABLE,
 * CL_BUILD_PROGRAM_FAILURE (libnvvm's log appended), CL_OUT_OF_HOST_MEMORY. */
cl_int be_nvvm_compile(const void *nvvm_ir, size_t size_B, const void *libdevice,
		       size_t libdevice_size_B, const struct be_codegen_options *options,
		       struct bytes *ptx_out, struct bytes *log);

/* Whether this process has compiled a module without optimization.  libnvvm 13.0 for compute_90 and before then
 * generates other code for every later module that it optimizes, and wrong code for some: they are compiled in another
 * process. */
bool be_nvvm_is_spoilt(void);

/* The bit of options->unoptimized for the module with this number, counted from 0; the last bit is for all later
 * modules, too. */
uint64_t be_nvvm_module_bit(size_t number);

/* The bit of the module that libnvvm is compiling on this thread; 0: none.  Async-signal-safe. */
uint64_t be_nvvm_module_now(void);

/* Whether the PTX contains debug information about variables and types: compilers then need an option that keeps it,
 * and cannot optimize. */
bool be_ptx_is_debug(const struct bytes *ptx);

/* Whether the PTX's target is sm_90a, which no newer device has. */
bool be_ptx_target_only(const struct bytes *ptx);

/* An identification of the PTX compiler library that makes machine code for device; "" if none does: for the software
 * device, with an older driver, or if Culvert was built without it. */
const char *be_cubin_build(const struct gpu_device *device);

/* Compiles PTX to machine code for options->sm with the PTX compiler library.  Of options->choice it uses optimization,
 * max_registers, line_info and verbose.  On success log gets the compiler's messages, with numbers of registers and
 * spills if line_info or verbose is set.  False if it fails for any reason; be_ptx_load then compiles the PTX, and
 * reports errors in it. */
bool be_cubin_compile(const struct bytes *ptx, const struct be_codegen_options *options,
		      struct bytes *cubin_out, struct bytes *log);

/* Compiles PTX with the driver's compiler and loads it on this device, in one step.  The driver's linker is not used:
 * it compiles for linking, does not take the local memory of a work-group into account, and uses too many registers
 * (measured for a tiled matrix product: 117 instead of 32, and 1.55 times the time).  Of options->choice it uses
 * optimization, max_registers, line_info and verbose.  log gets numbers of registers and spills if line_info or
 * verbose is set. CL_BUILD_PROGRAM_FAILURE with the driver's log; CL_OUT_OF_HOST_MEMORY. */
cl_int be_ptx_load(struct gpu_device *device, const struct bytes *ptx,
		   const struct be_codegen_options *options,
		   struct gpu_module **module_out, struct bytes *log);

#endif
