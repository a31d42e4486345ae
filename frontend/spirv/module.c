#include "config.h"

#include "frontend/spirv/module.h"

#include <spirv/unified1/spirv.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The external definition of an inline function of the SPIR-V header. */
extern void SpvHasResultAndType(SpvOp op, bool *has_result, bool *has_type);

/* --- names of numbers ---------------------------------------------------------------------------------------- */

struct name {
	uint32_t kind, number;
	const char *text;
};

/* Sorted by kind and number.  local.mk makes the rows from SPIR-V's headers. */
static const struct name all_names[] = {
#define NAME(kind, number, text) {SPIRV_NAME_##kind, number, text},
#include "frontend/spirv/names.def"
#undef NAME
};

/* Numbers that the headers of some distributions lack, sorted in the same way. */
static const struct name newer_names[] = {
	{SPIRV_NAME_OPCODE, 4456, "TypeCooperativeMatrixKHR"},
	{SPIRV_NAME_OPCODE, 4457, "CooperativeMatrixLoadKHR"},
	{SPIRV_NAME_OPCODE, 4458, "CooperativeMatrixStoreKHR"},
	{SPIRV_NAME_OPCODE, 4459, "CooperativeMatrixMulAddKHR"},
	{SPIRV_NAME_OPCODE, 4460, "CooperativeMatrixLengthKHR"},
	{SPIRV_NAME_OPCODE, 6116, "ConvertFToBF16INTEL"},
	{SPIRV_NAME_OPCODE, 6117, "ConvertBF16ToFINTEL"},
	{SPIRV_NAME_CAPABILITY, 5116, "BFloat16TypeKHR"},
	{SPIRV_NAME_CAPABILITY, 5117, "BFloat16DotProductKHR"},
	{SPIRV_NAME_CAPABILITY, 5118, "BFloat16CooperativeMatrixKHR"},
	{SPIRV_NAME_CAPABILITY, 6022, "CooperativeMatrixKHR"},
	{SPIRV_NAME_CAPABILITY, 6115, "BFloat16ConversionINTEL"},
	{SPIRV_NAME_CAPABILITY, 6118, "JointMatrixINTEL"},
	{SPIRV_NAME_CAPABILITY, 6187, "GlobalVariableHostAccessINTEL"},
	{SPIRV_NAME_CAPABILITY, 6192, "CooperativeMatrixCheckedInstructionsINTEL"},
	{SPIRV_NAME_CAPABILITY, 6411, "CooperativeMatrixPrefetchINTEL"},
	{SPIRV_NAME_CAPABILITY, 6425, "TensorFloat32RoundingINTEL"},
	{SPIRV_NAME_CAPABILITY, 6434, "PackedCooperativeMatrixINTEL"},
	{SPIRV_NAME_CAPABILITY, 6435, "CooperativeMatrixInvocationInstructionsINTEL"},
	{SPIRV_NAME_CAPABILITY, 6436, "CooperativeMatrixTF32ComponentTypeINTEL"},
	{SPIRV_NAME_CAPABILITY, 6437, "CooperativeMatrixBFloat16ComponentTypeINTEL"},
	{SPIRV_NAME_CAPABILITY, 6441, "CacheControlsINTEL"},
	{SPIRV_NAME_DECORATION, 6188, "HostAccessINTEL"},
	{SPIRV_NAME_DECORATION, 6442, "CacheControlLoadINTEL"},
	{SPIRV_NAME_DECORATION, 6443, "CacheControlStoreINTEL"},
};

static int compare_names(const void *a_, const void *b_)
{
	const struct name *a = a_, *b = b_;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

const char *spirv_name(enum spirv_name_kind kind, uint32_t number)
{
	const struct name wanted = {kind, number, NULL};
	const struct name *found = bsearch(&wanted, all_names, sizeof(all_names) / sizeof(*all_names),
					   sizeof(*all_names), compare_names);
	if (!found)
		found = bsearch(&wanted, newer_names, sizeof(newer_names) / sizeof(*newer_names),
				sizeof(*newer_names), compare_names);
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

/* --- advice -------------------------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	uint32_t capabilities[12];  /* ends in 0, the number of Matrix, which is supported */
} advice[] = {
	{"this is a module for a graphics API; compile it for an OpenCL environment",
	 {SpvCapabilityShader, SpvCapabilityGeometry, SpvCapabilityTessellation,
	  SpvCapabilityVulkanMemoryModel, SpvCapabilityPhysicalStorageBufferAddresses,
	  SpvCapabilityVariablePointersStorageBuffer, SpvCapabilityVariablePointers}},
	{"the device has no device-side enqueue (CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES)",
	 {SpvCapabilityDeviceEnqueue}},
	{"pipes are arguments of kernels; a program cannot define any itself",
	 {SpvCapabilityPipeStorage}},
	{"denormal numbers are not flushed in any case; the build option -cl-denorms-are-zero allows it",
	 {SpvCapabilityDenormFlushToZero}},
	{"integers have 8, 16, 32 or 64 bits (SPV_INTEL_arbitrary_precision_integers)",
	 {SpvCapabilityArbitraryPrecisionIntegersINTEL}},
	{"inline assembly of Intel's GPUs cannot run here; build without SPV_INTEL_inline_assembly",
	 {SpvCapabilityAsmINTEL}},
	{"the host has no access to variables of the program; use a buffer",
	 {6187 /* GlobalVariableHostAccessINTEL */}},
	{"matrices are those of SPV_KHR_cooperative_matrix, which has loads, "
	 "stores and products without this capability",
	 {6118 /* JointMatrixINTEL */, 6192 /* CooperativeMatrixCheckedInstructionsINTEL */,
	  6411 /* CooperativeMatrixPrefetchINTEL */, 6434 /* PackedCooperativeMatrixINTEL */,
	  6435 /* CooperativeMatrixInvocationInstructionsINTEL */}},
	{"block reads and writes of images have one row for each component (SPV_INTEL_subgroups)",
	 {SpvCapabilitySubgroupImageMediaBlockIOINTEL}},
	{"this is an extension for FPGAs or for Intel's vector compute",
	 {SpvCapabilityVectorComputeINTEL, SpvCapabilityVectorAnyINTEL,
	  SpvCapabilityFPGAMemoryAttributesINTEL, SpvCapabilityFPGALoopControlsINTEL,
	  SpvCapabilityFPGAMemoryAccessesINTEL, SpvCapabilityFPGAClusterAttributesINTEL,
	  SpvCapabilityBlockingPipesINTEL, SpvCapabilityFPGARegINTEL}},
};

/* What can be done about a capability that is not supported; NULL: nothing is known. */
static const char *advice_for(uint32_t capability)
{
	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++)
		for (size_t k = 0; advice[i].capabilities[k]; k++)
			if (advice[i].capabilities[k] == capability)
				return advice[i].text;
	return NULL;
}

/* --- what is supported --------------------------------------------------------------------------------------- */

/* SPIR-V 1.6, 2.17: all consumers must support this bound of ids. */
enum { MOST_IDS = 4194303 };
/* The version of OpenCL C 2.0 in OpSource. */
enum { OPENCL_2 = 200000 };

/* SpvCapabilityLongConstantCompositeINTEL, which later headers call SpvCapabilityLongCompositesINTEL. */
enum { LONG_COMPOSITES = 6089 };

/* The capabilities that are supported: those of the OpenCL SPIR-V environment 3.0, 3.2 and 3.3, and those of the
 * extensions below. */
static const uint32_t capabilities[] = {
	SpvCapabilityAddresses, SpvCapabilityLinkage, SpvCapabilityKernel, SpvCapabilityVector16,
	SpvCapabilityFloat16Buffer, SpvCapabilityFloat16, SpvCapabilityFloat64,
	SpvCapabilityInt64, SpvCapabilityInt64Atomics, SpvCapabilityInt16, SpvCapabilityInt8,
	SpvCapabilityMatrix, SpvCapabilityGroups, SpvCapabilityGenericPointer,
	SpvCapabilityImageBasic, SpvCapabilityImageReadWrite, SpvCapabilityLiteralSampler,
	SpvCapabilityImage1D, SpvCapabilitySampled1D, SpvCapabilityImageBuffer,
	SpvCapabilitySampledBuffer, SpvCapabilityImageQuery, SpvCapabilityImageMipmap, SpvCapabilitySubgroupDispatch,
	SpvCapabilityNamedBarrier, SpvCapabilityPipes, SpvCapabilityGroupNonUniform,
	SpvCapabilityGroupNonUniformVote, SpvCapabilityGroupNonUniformArithmetic,
	SpvCapabilityGroupNonUniformBallot, SpvCapabilityGroupNonUniformShuffle,
	SpvCapabilityGroupNonUniformShuffleRelative, SpvCapabilityGroupNonUniformClustered,
	SpvCapabilitySubgroupBallotKHR, SpvCapabilitySubgroupVoteKHR,
	SpvCapabilityAtomicFloat16AddEXT, SpvCapabilityAtomicFloat32AddEXT,
	SpvCapabilityAtomicFloat64AddEXT, SpvCapabilityAtomicFloat16MinMaxEXT,
	SpvCapabilityAtomicFloat32MinMaxEXT, SpvCapabilityAtomicFloat64MinMaxEXT,
	SpvCapabilityExpectAssumeKHR, SpvCapabilityDotProductInputAll,
	SpvCapabilityDotProductInput4x8Bit, SpvCapabilityDotProductInput4x8BitPacked,
	SpvCapabilityDotProduct, SpvCapabilityBitInstructions,
	SpvCapabilityGroupNonUniformRotateKHR, SpvCapabilityGroupUniformArithmeticKHR,
	SpvCapabilityShaderClockKHR, SpvCapabilityUniformDecoration,
	/* Floating-point arithmetic always behaves like this, except that kernels may ask for RoundingModeRTZ.  The
	 * capability DenormFlushToZero (SPIR-V 1.6, 3.31) asks for something else. */
	SpvCapabilityDenormPreserve, SpvCapabilitySignedZeroInfNanPreserve,
	SpvCapabilityRoundingModeRTE, SpvCapabilityRoundingModeRTZ,
	/* Compilers for SYCL ask for these by default: hints, and shuffles in a sub-group. */
	SpvCapabilityOptNoneINTEL, SpvCapabilityUnstructuredLoopControlsINTEL,
	SpvCapabilityMemoryAccessAliasingINTEL, SpvCapabilityFPFastMathModeINTEL,
	SpvCapabilitySubgroupShuffleINTEL, SpvCapabilitySubgroupBufferBlockIOINTEL,
	SpvCapabilitySubgroupImageBlockIOINTEL, SpvCapabilitySplitBarrierINTEL, SpvCapabilityVariableLengthArrayINTEL,
	SPIRV_CAPABILITY_BFLOAT16_TYPE, SPIRV_CAPABILITY_BFLOAT16_DOT, SPIRV_CAPABILITY_BFLOAT16_CONVERSION,
	LONG_COMPOSITES, SpvCapabilityKernelAttributesINTEL,
	SPIRV_CAPABILITY_MATRIX, SPIRV_CAPABILITY_BFLOAT16_MATRIX, SPIRV_CAPABILITY_TF32_MATRIX,
	SPIRV_CAPABILITY_BFLOAT16_BITS_MATRIX,
};

/* The extensions of these capabilities.  OpExtension may name others, which has no effect unless the module uses their
 * instructions.  SPV_INTEL_long_composites is supported for constants, and SPV_INTEL_kernel_attributes except for
 * FPGAs' attributes. */
static const char *const extensions[] = {
	"SPV_EXT_optnone", "SPV_EXT_relaxed_printf_string_address_space",
	"SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_add",
	"SPV_EXT_shader_atomic_float_min_max", "SPV_INTEL_bfloat16_conversion",
	"SPV_INTEL_fp_fast_math_mode",
	"SPV_INTEL_kernel_attributes", "SPV_INTEL_long_composites", "SPV_INTEL_memory_access_aliasing",
	"SPV_INTEL_optnone", "SPV_INTEL_split_barrier", "SPV_INTEL_subgroups",
	"SPV_INTEL_unstructured_loop_controls", "SPV_INTEL_variable_length_array", "SPV_KHR_bfloat16",
	"SPV_KHR_bit_instructions", "SPV_KHR_cooperative_matrix", "SPV_KHR_expect_assume", "SPV_KHR_float_controls",
	"SPV_KHR_integer_dot_product", "SPV_KHR_linkonce_odr",
	"SPV_KHR_no_integer_wrap_decoration", "SPV_KHR_non_semantic_info", "SPV_KHR_shader_ballot",
	"SPV_KHR_shader_clock", "SPV_KHR_subgroup_rotate", "SPV_KHR_subgroup_vote",
	"SPV_KHR_uniform_group_instructions",
};

static const char *const instruction_sets[] = {"OpenCL.std"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const uint32_t *fe_spirv_capabilities(size_t *count_out)
{
	*count_out = COUNT(capabilities);
	return capabilities;
}

const char *const *fe_spirv_extensions(size_t *count_out)
{
	*count_out = COUNT(extensions);
	return extensions;
}

const char *const *fe_spirv_instruction_sets(size_t *count_out)
{
	*count_out = COUNT(instruction_sets);
	return instruction_sets;
}

static bool is_supported(uint32_t capability)
{
	for (size_t i = 0; i < COUNT(capabilities); i++)
		if (capabilities[i] == capability)
			return true;
	return false;
}

/* --- looking at a module ------------------------------------------------------------------------------------- */

struct spirv_instruction spirv_of(const struct spirv_module *module, uint32_t id)
{
	if (id >= module->bound || !module->ids[id].at)
		return (struct spirv_instruction){NULL, SpvOpNop, 0};
	return spirv_at(module, module->ids[id].at);
}

static const struct spirv_facts no_facts = {
	.builtin = SPIRV_NONE, .rounding = SPIRV_NONE, .fast_math = SPIRV_NONE, .spec_id = SPIRV_NONE,
};

const struct spirv_facts *spirv_facts(const struct spirv_module *module, uint32_t id)
{
	if (id >= module->bound || !module->ids[id].facts)
		return &no_facts;
	return &module->facts[module->ids[id].facts];
}

void spirv_has_result(unsigned op, bool *has_result, bool *has_type)
{
	switch (op) {
	case SPIRV_OP_F_TO_BFLOAT16: case SPIRV_OP_BFLOAT16_TO_F: case SPIRV_OP_MATRIX_LOAD:
	case SPIRV_OP_MATRIX_MULADD: case SPIRV_OP_MATRIX_LENGTH: *has_result = *has_type = true; break;
	case SPIRV_OP_TYPE_MATRIX:
		*has_result = true;
		*has_type = false;
		break;
	default: SpvHasResultAndType((SpvOp)op, has_result, has_type);
	}
}

const char *spirv_string(struct spirv_instruction instruction, unsigned from)
{
	const char *text = (const char *)(instruction.words + from);
	if (from >= instruction.count ||
	    !memchr(text, 0, (size_t)(instruction.count - from) * sizeof(*instruction.words)))
		return NULL;
	return text;
}

unsigned spirv_string_words(const char *text)
{
	return (unsigned)(strlen(text) / sizeof(uint32_t) + 1);
}

unsigned spirv_scalar_bits(const struct spirv_module *module, uint32_t type)
{
	const struct spirv_instruction made = spirv_of(module, type);
	const uint32_t bits = made.count > 2 ? made.words[2] : 0;
	const bool wide = bits == 16 || bits == 32 || bits == 64;
	switch (made.op) {
	case SpvOpTypeBool: return 8;
	case SpvOpTypeInt: return wide || bits == 8 ? bits : 0;
	/* An operand after the width is an encoding other than IEEE 754's. */
	case SpvOpTypeFloat:
		if (made.count > 3)
			return bits == 16 && made.words[3] == SPIRV_ENCODING_BFLOAT16 ? bits : 0;
		return wide ? bits : 0;
	default: return 0;
	}
}

bool spirv_constant_bits(const struct spirv_module *module, uint32_t id, uint64_t *bits_out)
{
	const struct spirv_instruction made = spirv_of(module, id);
	const unsigned bits = made.count > 1 ? spirv_scalar_bits(module, made.words[1]) : 0;
	if (!bits)
		return false;
	switch (made.op) {
	case SpvOpConstantTrue:
	case SpvOpSpecConstantTrue: *bits_out = 1; return true;
	case SpvOpConstantFalse:
	case SpvOpSpecConstantFalse:
	case SpvOpConstantNull: *bits_out = 0; return true;
	case SpvOpConstant:
	case SpvOpSpecConstant: break;
	default: return false;
	}
	if (made.count < (bits == 64 ? 5 : 4))
		return false;
	/* SPIR-V 1.6, 2.2.1: the low word comes first; a narrow integer is extended to a word. */
	*bits_out = made.words[3];
	if (bits == 64)
		*bits_out |= (uint64_t)made.words[4] << 32;
	else if (bits < 32)
		*bits_out &= (1u << bits) - 1;
	return true;
}

bool spirv_integer(const struct spirv_module *module, uint32_t id, uint64_t *value_out)
{
	const struct spirv_instruction made = spirv_of(module, id);
	return made.count > 1 && spirv_of(module, made.words[1]).op == SpvOpTypeInt &&
	       spirv_constant_bits(module, id, value_out);
}

/* --- the header ---------------------------------------------------------------------------------------------- */

static enum fe_status refuse(struct bytes *log, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum fe_status refuse(struct bytes *log, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	bytes_append_string(log, "SPIR-V: ");
	bytes_vprintf(log, format, arguments);
	bytes_append_string(log, "\n");
	va_end(arguments);
	return FE_COMPILE_FAILED;
}

/* Copies the words in the host's byte order.  False: they are not SPIR-V. */
static bool copy_words(const void *il, size_t size_B, uint32_t *words)
{
	memcpy(words, il, size_B);
	if (words[0] == SpvMagicNumber)
		return true;
	for (size_t i = 0; i < size_B / sizeof(*words); i++)
		words[i] = __builtin_bswap32(words[i]);
	return words[0] == SpvMagicNumber;
}

static enum fe_status read_header(const void *il, size_t size_B, struct spirv_module *module,
				  struct bytes *log)
{
	if (size_B % sizeof(uint32_t) || size_B < SPIRV_HEADER_WORDS * sizeof(uint32_t))
		return refuse(log, "%zu bytes are not a whole number of words, or too few", size_B);
	if (size_B / sizeof(uint32_t) > UINT32_MAX)
		return refuse(log, "%zu bytes are too many", size_B);
	module->word_count = size_B / sizeof(uint32_t);
	module->words = malloc(size_B);
	if (!module->words)
		return FE_NO_MEMORY;
	if (!copy_words(il, size_B, module->words))
		return refuse(log, "the first word is not 0x%08x", SpvMagicNumber);
	const unsigned major = module->words[1] >> 16 & 0xff, minor = module->words[1] >> 8 & 0xff;
	if (major != FE_SPIRV_MAJOR || minor > FE_SPIRV_MINOR)
		return refuse(log, "the version %u.%u is not supported; versions 1.0 to %d.%d are", major, minor,
			      FE_SPIRV_MAJOR, FE_SPIRV_MINOR);
	module->bound = module->words[3];
	if (module->bound > MOST_IDS)
		return refuse(log, "the bound of ids is %" PRIu32 "; at most %d is supported", module->bound,
			      MOST_IDS);
	module->ids = calloc((size_t)module->bound + 1, sizeof(*module->ids));
	return module->ids ? FE_OK : FE_NO_MEMORY;
}

/* --- names and decorations ----------------------------------------------------------------------------------- */

/* SPIR-V 1.6, 3.20, and extensions.  Decorations that are not in this table are refused. */
enum spirv_treatment spirv_decoration(uint32_t decoration)
{
	switch (decoration) {
	case SpvDecorationSpecId:
	case SpvDecorationBuiltIn:
	case SpvDecorationFPRoundingMode:
	case SpvDecorationFPFastMathMode:
	case SpvDecorationSaturatedConversion:
	case SpvDecorationVolatile:
	case SpvDecorationCPacked:
	case SpvDecorationRestrict:
	case SpvDecorationConstant:
	case SpvDecorationNonWritable:
	case SpvDecorationAlignment:
	case SpvDecorationAlignmentId:
	case SpvDecorationFuncParamAttr:
	case SpvDecorationLinkageAttributes:
	case SpvDecorationNoContraction:
	case SpvDecorationNoSignedWrap:
	case SpvDecorationNoUnsignedWrap: return SPIRV_USED;
	case SpvDecorationRelaxedPrecision:
	case SpvDecorationAliased:
	case SpvDecorationCoherent:
	case SpvDecorationNonReadable:
	case SpvDecorationUniform:
	case SpvDecorationUniformId:
	case SpvDecorationMaxByteOffset:
	case SpvDecorationMaxByteOffsetId:
	case SpvDecorationAliasScopeINTEL:
	case SpvDecorationNoAliasINTEL:
	case SpvDecorationUserSemantic:
	case SpvDecorationUserTypeGOOGLE: return SPIRV_HINT;
	default: return SPIRV_REFUSED;
	}
}

/* The name and decorations of an id, for writing; NULL: no memory. */
static struct spirv_facts *make_facts(struct spirv_module *module, uint32_t id)
{
	if (module->ids[id].facts)
		return &module->facts[module->ids[id].facts];
	if (module->fact_count + 1 >= module->fact_room) {
		const uint32_t room = module->fact_room ? 2 * module->fact_room : 64;
		struct spirv_facts *more = realloc(module->facts, room * sizeof(*more));
		if (!more)
			return NULL;
		module->facts = more;
		module->fact_room = room;
	}
	module->ids[id].facts = ++module->fact_count;
	module->facts[module->fact_count] = no_facts;
	return &module->facts[module->fact_count];
}

static void read_linkage(struct spirv_facts *facts, struct spirv_instruction i)
{
	const char *name = spirv_string(i, 3);
	const unsigned type = name ? 3 + spirv_string_words(name) : i.count;
	if (type >= i.count)
		return;
	facts->linkage_name = name;
	facts->linkage = i.words[type] == SpvLinkageTypeImport        ? SPIRV_IMPORT
			 : i.words[type] == SpvLinkageTypeLinkOnceODR ? SPIRV_ONCE
								       : SPIRV_EXPORT;
}

static void read_parameter_attribute(struct spirv_facts *facts, uint32_t attribute)
{
	facts->by_value |= attribute == SpvFunctionParameterAttributeByVal;
	facts->no_alias |= attribute == SpvFunctionParameterAttributeNoAlias;
	facts->no_write |= attribute == SpvFunctionParameterAttributeNoWrite;
}

static void decorate(struct spirv_facts *facts, struct spirv_instruction i)
{
	const uint32_t operand = i.count > 3 ? i.words[3] : SPIRV_NONE;
	switch (i.words[2]) {
	case SpvDecorationSpecId: facts->spec_id = operand; break;
	case SpvDecorationBuiltIn: facts->builtin = operand; break;
	case SpvDecorationFPRoundingMode: facts->rounding = operand; break;
	case SpvDecorationFPFastMathMode: facts->fast_math = operand; break;
	case SpvDecorationSaturatedConversion: facts->saturated = true; break;
	case SpvDecorationVolatile: facts->is_volatile = true; break;
	case SpvDecorationCPacked: facts->packed = true; break;
	case SpvDecorationRestrict: facts->no_alias = true; break;
	case SpvDecorationConstant: facts->no_write = true; break;
	case SpvDecorationNonWritable: facts->no_write = true; break;
	case SpvDecorationNoContraction: facts->no_contraction = true; break;
	case SpvDecorationNoSignedWrap: facts->no_signed_wrap = true; break;
	case SpvDecorationNoUnsignedWrap: facts->no_unsigned_wrap = true; break;
	/* An alignment that is no power of two is ignored. */
	case SpvDecorationAlignment: facts->alignment_B = operand & (operand - 1) ? 0 : operand; break;
	case SpvDecorationAlignmentId: facts->alignment_id = operand; break;
	case SpvDecorationFuncParamAttr: read_parameter_attribute(facts, operand); break;
	case SpvDecorationLinkageAttributes: read_linkage(facts, i); break;
	default: break;
	}
}

/* Adds the decorations of a group to a target (SPIR-V 1.6, 3.49.3).  Groups have neither names nor linkage. */
static void decorate_as(struct spirv_facts *facts, const struct spirv_facts *group)
{
	const uint32_t alignment_B = group->alignment_B, alignment_id = group->alignment_id;
	facts->spec_id = group->spec_id != SPIRV_NONE ? group->spec_id : facts->spec_id;
	facts->builtin = group->builtin != SPIRV_NONE ? group->builtin : facts->builtin;
	facts->rounding = group->rounding != SPIRV_NONE ? group->rounding : facts->rounding;
	facts->fast_math = group->fast_math != SPIRV_NONE ? group->fast_math : facts->fast_math;
	facts->alignment_B = alignment_B ? alignment_B : facts->alignment_B;
	facts->alignment_id = alignment_id ? alignment_id : facts->alignment_id;
	facts->saturated |= group->saturated;
	facts->is_volatile |= group->is_volatile;
	facts->packed |= group->packed;
	facts->by_value |= group->by_value;
	facts->no_alias |= group->no_alias;
	facts->no_write |= group->no_write;
	facts->no_contraction |= group->no_contraction;
	facts->no_signed_wrap |= group->no_signed_wrap;
	facts->no_unsigned_wrap |= group->no_unsigned_wrap;
}

static enum fe_status decorate_group(struct spirv_module *module, struct spirv_instruction i)
{
	for (unsigned k = 2; k < i.count; k++) {
		if (i.words[k] >= module->bound)
			continue;
		struct spirv_facts *facts = make_facts(module, i.words[k]);
		if (!facts)
			return FE_NO_MEMORY;
		decorate_as(facts, spirv_facts(module, i.words[1]));
	}
	return FE_OK;
}

/* Reads a name or a decoration.  A target that is not below the bound is ignored here; reader.c refuses it. */
static enum fe_status read_annotation(struct spirv_module *module, struct spirv_instruction i)
{
	const bool is_decoration = (i.op == SpvOpDecorate && i.count > 2) ||
				   (i.op == SpvOpDecorateId && i.count > 3);
	if (i.count < 3 || i.words[1] >= module->bound)
		return FE_OK;
	if (i.op == SpvOpGroupDecorate)
		return decorate_group(module, i);
	if (!is_decoration && i.op != SpvOpName)
		return FE_OK;
	struct spirv_facts *facts = make_facts(module, i.words[1]);
	if (!facts)
		return FE_NO_MEMORY;
	if (i.op == SpvOpName)
		facts->name = spirv_string(i, 2);
	else
		decorate(facts, i);
	return FE_OK;
}

/* --- instructions -------------------------------------------------------------------------------------------- */

static void read_import(struct spirv_module *module, struct spirv_instruction i)
{
	const char *name = spirv_string(i, 2);
	if (!name)
		return;
	if (!strcmp(name, instruction_sets[0]))
		module->openclstd = i.words[1];
	else if (!strcmp(name, "NonSemantic.Shader.DebugInfo.100"))
		module->shader_debug = i.words[1];
}

static enum fe_status refuse_capability(uint32_t capability, struct bytes *log)
{
	const char *name = spirv_name(SPIRV_NAME_CAPABILITY, capability);
	const char *advice = advice_for(capability);
	return refuse(log, "the capability %s (%" PRIu32 ") is not supported%s%s", name ? name : "",
		      capability, advice ? ": " : "", advice ? advice : "");
}

/* Reads an instruction that concerns the whole module; ignores all others. */
static enum fe_status read_global(struct spirv_module *module, struct spirv_instruction i,
				  struct bytes *log)
{
	switch (i.op) {
	case SpvOpCapability:
		if (i.count < 2)
			return refuse(log, "OpCapability has no operand");
		return is_supported(i.words[1]) ? FE_OK : refuse_capability(i.words[1], log);
	case SpvOpMemoryModel:
		if (i.count < 3 || i.words[1] != SpvAddressingModelPhysical64 ||
		    i.words[2] != SpvMemoryModelOpenCL)
			return refuse(log, "OpMemoryModel: only Physical64 and OpenCL are supported");
		module->is_physical_64 = true;
		return FE_OK;
	case SpvOpSource:
		module->is_opencl_1 = i.count > 2 && i.words[1] == SpvSourceLanguageOpenCL_C &&
				      i.words[2] < OPENCL_2;
		return FE_OK;
	case SpvOpExtInstImport: read_import(module, i); return FE_OK;
	case SpvOpName:
	case SpvOpDecorate:
	case SpvOpDecorateId:
	case SpvOpGroupDecorate: return read_annotation(module, i);
	default: return FE_OK;
	}
}

/* Notes where the result of the instruction at a word is defined. */
static enum fe_status note_result(struct spirv_module *module, size_t at, struct bytes *log)
{
	const struct spirv_instruction i = spirv_at(module, at);
	bool has_result = false, has_type = false;
	spirv_has_result(i.op, &has_result, &has_type);
	const unsigned word = has_type ? 2 : 1;
	if (!has_result)
		return FE_OK;
	if (i.count <= word || !i.words[word] || i.words[word] >= module->bound)
		return refuse(log, "the instruction at word %zu, %s, has no result id below the bound", at,
			      spirv_opcode_name(i.op).text);
	if (module->ids[i.words[word]].at)
		return refuse(log, "the id %" PRIu32 " is the result of two instructions", i.words[word]);
	module->ids[i.words[word]].at = (uint32_t)at;
	return FE_OK;
}

enum fe_status spirv_read(const void *il, size_t size_B, struct spirv_module *module,
			  struct bytes *log)
{
	*module = (struct spirv_module){.is_opencl_1 = true};
	enum fe_status status = read_header(il, size_B, module, log);
	for (size_t at = SPIRV_HEADER_WORDS; status == FE_OK && at < module->word_count;) {
		const unsigned count = module->words[at] >> SpvWordCountShift;
		if (!count || count > module->word_count - at)
			status = refuse(log, "the instruction at word %zu has %u words, and the module ends at "
					"word %zu", at, count, module->word_count);
		if (status == FE_OK)
			status = note_result(module, at, log);
		if (status == FE_OK)
			status = read_global(module, spirv_at(module, at), log);
		at += count;
	}
	if (status == FE_OK && !module->is_physical_64)
		status = refuse(log, "there is no OpMemoryModel");
	if (status != FE_OK)
		spirv_finish(module);
	return status;
}

void spirv_finish(struct spirv_module *module)
{
	free(module->words);
	free(module->ids);
	free(module->facts);
	*module = (struct spirv_module){0};
}

enum fe_status fe_spirv_check(const void *il, size_t size_B, struct bytes *log)
{
	struct spirv_module module;
	enum fe_status status = spirv_read(il, size_B, &module, log);
	if (status == FE_OK)
		spirv_finish(&module);
	return status;
}

/* --- specialization constants -------------------------------------------------------------------------------- */

static bool is_spec_constant(unsigned op)
{
	return op == SpvOpSpecConstant || op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse;
}

enum fe_status fe_spirv_constants(const void *il, size_t size_B, struct bytes *constants,
				  struct bytes *log)
{
	struct spirv_module module;
	enum fe_status status = spirv_read(il, size_B, &module, log);
	if (status != FE_OK)
		return status;
	for (uint32_t id = 0; id < module.bound; id++) {
		struct fe_spirv_constant constant = {.id = spirv_facts(&module, id)->spec_id};
		const struct spirv_instruction made = spirv_of(&module, id);
		/* A constant of another type fails the build later, with a message. */
		if (constant.id == SPIRV_NONE || !is_spec_constant(made.op) ||
		    !spirv_constant_bits(&module, id, &constant.value))
			continue;
		constant.size_B = spirv_scalar_bits(&module, made.words[1]) / 8;
		bytes_append(constants, &constant, sizeof(constant));
	}
	spirv_finish(&module);
	return bytes_failed(constants) ? FE_NO_MEMORY : FE_OK;
}

/* Gives a specialization constant another default. */
static void set_default(struct spirv_module *module, uint32_t id, uint64_t value)
{
	uint32_t *words = module->words + module->ids[id].at;
	const struct spirv_instruction made = spirv_of(module, id);
	uint64_t now;
	if (!is_spec_constant(made.op) || !spirv_constant_bits(module, id, &now))
		return;
	if (made.op != SpvOpSpecConstant) {
		words[0] = (words[0] & ~SpvOpCodeMask) |
			   (value ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
		return;
	}
	words[3] = (uint32_t)value;
	if (spirv_scalar_bits(module, made.words[1]) == 64)
		words[4] = (uint32_t)(value >> 32);
}

enum fe_status fe_spirv_specialize(const void *il, size_t size_B,
				   const struct fe_spirv_constant *constants, size_t count,
				   struct bytes *module_out, struct bytes *log)
{
	struct spirv_module module;
	enum fe_status status = spirv_read(il, size_B, &module, log);
	if (status != FE_OK)
		return status;
	for (uint32_t id = 0; count && id < module.bound; id++) {
		const uint32_t spec_id = spirv_facts(&module, id)->spec_id;
		for (size_t i = 0; spec_id != SPIRV_NONE && i < count; i++)
			if (constants[i].id == spec_id)
				set_default(&module, id, constants[i].value);
	}
	bytes_append(module_out, module.words, module.word_count * sizeof(*module.words));
	spirv_finish(&module);
	return bytes_failed(module_out) ? FE_NO_MEMORY : FE_OK;
}
