/* The choices about code generation that the options of a build make.  The front end reads them from the options and
 * stores them in compiled objects; libnvvm, the PTX compiler and the driver get them as options of their own.
 *
 * Plain data. */
#ifndef CULVERT_BASE_CODEGEN_CHOICE_H
#define CULVERT_BASE_CODEGEN_CHOICE_H

#include <stdbool.h>

struct codegen_choice {
	bool flush_denormals;       /* -cl-denorms-are-zero */
	bool precise_divide;        /* -cl-fp32-correctly-rounded-divide-sqrt */
	bool precise_sqrt;          /* the same option, for sqrt */
	bool fuse_multiply_add;     /* -cl-mad-enable and the like: fuse where the source did not ask */
	bool relaxed;               /* -cl-unsafe-math-optimizations and -cl-fast-relaxed-math */
	unsigned optimization;      /* 0 (-cl-opt-disable) or 3 */
	unsigned max_registers;     /* -cl-nv-maxrregcount; 0: no limit */
	bool uniform_groups;        /* OpenCL C before 2.0, -cl-uniform-work-group-size */
	bool warp_synchronous;      /* -cl-culvert-warp-synchronous */
	bool line_info;             /* -g and the like */
	bool verbose;               /* -cl-nv-verbose: the assembler's statistics belong in the log */
};

/* What some versions of libnvvm lack, as bits: the front end then writes NVVM IR without it. */
enum {
	NVVM_LACKS_COPYSIGN = 1,       /* the intrinsic: CUDA 12.9, 12.4 and older */
	NVVM_LACKS_HALF = 2,           /* the type half: CUDA 12.4 and older, some of which lose stores, too */
	NVVM_LACKS_NARROW_LOCAL = 4,   /* a data layout in which local pointers have 32 bits: CUDA 12.0 */
	NVVM_LACKS_NEWER_DIALECT = 8,  /* what nvvm_reads_newer_dialect describes: the driver's library (driver 580) */
	NVVM_LACKS_TARGET = 16         /* the target of the device itself; its code is that of an older one */
};

/* From this compute capability on, the libraries of CUDA toolkits use a newer LLVM, which wants byval(T) and sret(T)
 * and has other faults than LLVM 7, by which everything else is compiled. */
enum { NVVM_SM_NEWER_DIALECT = 100 };

static inline bool nvvm_reads_newer_dialect(unsigned sm, unsigned lacks)
{
	return sm >= NVVM_SM_NEWER_DIALECT && !(lacks & NVVM_LACKS_NEWER_DIALECT);
}

#endif
