#include "config.h"

#include "frontend/spirv_names.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>

struct name {
	uint32_t kind, number;
	const char *text;
};

/* Sorted by kind and number; made from SPIR-V's headers (local.mk). */
static const struct name names[] = {
#define NAME(kind, number, text) {SPIRV_NAME_##kind, number, text},
#include "frontend/spirv_names.def"
#undef NAME
};

/* Numbers that headers of some distributions lack. */
static const struct name newer_names[] = {
	{SPIRV_NAME_CAPABILITY, 5116, "BFloat16TypeKHR"},
	{SPIRV_NAME_CAPABILITY, 5117, "BFloat16DotProductKHR"},
	{SPIRV_NAME_CAPABILITY, 5118, "BFloat16CooperativeMatrixKHR"},
	{SPIRV_NAME_CAPABILITY, 6022, "CooperativeMatrixKHR"},
	{SPIRV_NAME_CAPABILITY, 6115, "BFloat16ConversionINTEL"},
	{SPIRV_NAME_CAPABILITY, 6118, "JointMatrixINTEL"},
	{SPIRV_NAME_CAPABILITY, 6187, "GlobalVariableHostAccessINTEL"},
	{SPIRV_NAME_CAPABILITY, 6425, "TensorFloat32RoundingINTEL"},
	{SPIRV_NAME_CAPABILITY, 6441, "CacheControlsINTEL"},
	{SPIRV_NAME_DECORATION, 6188, "HostAccessINTEL"},
	{SPIRV_NAME_DECORATION, 6442, "CacheControlLoadINTEL"},
	{SPIRV_NAME_DECORATION, 6443, "CacheControlStoreINTEL"},
};

static int compare(const void *a_, const void *b_)
{
	const struct name *a = a_, *b = b_;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

const char *spirv_name(enum spirv_name_kind kind, uint32_t number)
{
	const struct name wanted = {kind, number, NULL};
	const struct name *found = bsearch(&wanted, names, sizeof(names) / sizeof(*names), sizeof(*names),
					   compare);
	if (!found)
		found = bsearch(&wanted, newer_names, sizeof(newer_names) / sizeof(*newer_names),
				sizeof(*newer_names), compare);
	return found ? found->text : NULL;
}

struct spirv_opcode_name spirv_opcode_name(unsigned op)
{
	struct spirv_opcode_name name;
	const char *known = spirv_name(SPIRV_NAME_OPCODE, op);
	if (known)
		snprintf(name.text, sizeof(name.text), "Op%s", known);
	else
		snprintf(name.text, sizeof(name.text), "opcode %u", op);
	return name;
}

/* --- advice ------------------------------------------------------------------------------------ */

static const struct {
	const char *text;
	uint32_t capabilities[12];  /* 0 behind the last: Matrix, which is 0, is supported */
} advice[] = {
	{"this is a module for a graphics API; compile it for an OpenCL environment",
	 {SpvCapabilityShader, SpvCapabilityGeometry, SpvCapabilityTessellation,
	  SpvCapabilityVulkanMemoryModel, SpvCapabilityPhysicalStorageBufferAddresses,
	  SpvCapabilityVariablePointersStorageBuffer, SpvCapabilityVariablePointers}},
	{"the device has no device-side enqueue (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)",
	 {SpvCapabilityDeviceEnqueue}},
	{"pipes are arguments of kernels; a program cannot define any itself",
	 {SpvCapabilityPipeStorage}},
	{"floating-point numbers are not flushed or rounded like that; the build option "
	 "-cl-denorms-are-zero allows flushing",
	 {SpvCapabilityDenormFlushToZero, SpvCapabilityRoundingModeRTZ}},
	{"images have one level here", {SpvCapabilityImageMipmap}},
	{"integers have 8, 16, 32 or 64 bits (SPV_INTEL_arbitrary_precision_integers)",
	 {SpvCapabilityArbitraryPrecisionIntegersINTEL}},
	{"inline assembly of Intel's GPUs cannot run here; build without SPV_INTEL_inline_assembly",
	 {SpvCapabilityAsmINTEL}},
	{"the host has no access to variables of the program; use a buffer",
	 {6187 /* GlobalVariableHostAccessINTEL */}},
	{"matrix instructions are not supported; programs ask the device before they use them",
	 {6022 /* CooperativeMatrixKHR */, 6118 /* JointMatrixINTEL */,
	  5118 /* BFloat16CooperativeMatrixKHR */}},
	{"of SPV_INTEL_subgroups block reads and writes of images are not supported",
	 {SpvCapabilitySubgroupImageBlockIOINTEL, SpvCapabilitySubgroupImageMediaBlockIOINTEL}},
	{"this is an extension for FPGAs or for Intel's vector compute",
	 {SpvCapabilityVectorComputeINTEL, SpvCapabilityVectorAnyINTEL,
	  SpvCapabilityFPGAMemoryAttributesINTEL, SpvCapabilityFPGALoopControlsINTEL,
	  SpvCapabilityFPGAMemoryAccessesINTEL, SpvCapabilityFPGAClusterAttributesINTEL,
	  SpvCapabilityBlockingPipesINTEL, SpvCapabilityFPGARegINTEL}},
};

const char *spirv_advice(uint32_t capability)
{
	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++)
		for (size_t k = 0; advice[i].capabilities[k]; k++)
			if (advice[i].capabilities[k] == capability)
				return advice[i].text;
	return NULL;
}
