/* A small module of SPIR-V: a specialization constant of 32 bits, SpecId 4, and no kernel. */
#ifndef CULVERT_TESTS_API_IL_MODULE_H
#define CULVERT_TESTS_API_IL_MODULE_H

#include <stdint.h>

static const uint32_t il_module[] = {
	0x07230203, 0x00010000, 0, 3, 0, /* version 1.0, ids 1 and 2 */
	0x00020011, 4,                   /* OpCapability Addresses */
	0x00020011, 5,                   /* OpCapability Linkage */
	0x00020011, 6,                   /* OpCapability Kernel */
	0x0003000e, 2, 2,                /* OpMemoryModel Physical64 OpenCL */
	0x00040047, 2, 1, 4,             /* OpDecorate 2 SpecId 4 */
	0x00040015, 1, 32, 0,            /* 1 = OpTypeInt 32 0 */
	0x00040032, 1, 2, 100,           /* 2 = OpSpecConstant 1 100 */
};

#endif
