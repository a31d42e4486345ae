#include "config.h"

#include "frontend/spirv_module.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An inline function of the header, here for all files. */
extern void SpvHasResultAndType(SpvOp op, bool *has_result, bool *has_type);

/* SPIR-V 1.6, 2.17: the bound of ids that all consumers have to take. */
enum { MOST_IDS = 4194303, HEADER_WORDS = 5 };
/* OpSource's version of OpenCL C 2.0. */
enum { OPENCL_2 = 200000 };

/* SpvCapabilityLongConstantCompositeINTEL, which later headers call SpvCapabilityLongCompositesINTEL. */
enum { LONG_COMPOSITES = 6089 };

/* What OpCapability may ask for.  OpenCL SPIR-V environment 3.0, 3.2 and 3.3; what extensions add
 * is here where the extension is. */
static const uint32_t capabilities[] = {
	SpvCapabilityAddresses, SpvCapabilityLinkage, SpvCapabilityKernel, SpvCapabilityVector16,
	SpvCapabilityFloat16Buffer, SpvCapabilityFloat16, SpvCapabilityFloat64,
	SpvCapabilityInt64, SpvCapabilityInt64Atomics, SpvCapabilityInt16, SpvCapabilityInt8,
	SpvCapabilityMatrix, SpvCapabilityGroups, SpvCapabilityGenericPointer,
	SpvCapabilityImageBasic, SpvCapabilityImageReadWrite, SpvCapabilityLiteralSampler,
	SpvCapabilityImage1D, SpvCapabilitySampled1D, SpvCapabilityImageBuffer,
	SpvCapabilitySampledBuffer, SpvCapabilityImageQuery, SpvCapabilitySubgroupDispatch,
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
	/* What reals are here anyway: others of SPIR-V 1.6, 3.31 flush denormal numbers or round to
	 * zero. */
	SpvCapabilityDenormPreserve, SpvCapabilitySignedZeroInfNanPreserve,
	SpvCapabilityRoundingModeRTE,
	/* What compilers for SYCL ask for when nothing is said: wishes, and moves in the sub-group. */
	SpvCapabilityOptNoneINTEL, SpvCapabilityUnstructuredLoopControlsINTEL,
	SpvCapabilityMemoryAccessAliasingINTEL, SpvCapabilityFPFastMathModeINTEL,
	SpvCapabilitySubgroupShuffleINTEL, SpvCapabilitySubgroupBufferBlockIOINTEL,
	LONG_COMPOSITES, SpvCapabilityKernelAttributesINTEL,
};

/* What OpExtension may name for them.  A module may name others, which means nothing as long as it
 * has no instruction of theirs.  Of SPV_INTEL_subgroups there is all but images, of SPV_INTEL_long_composites
 * constants, of SPV_INTEL_kernel_attributes what is no FPGA's. */
static const char *const extensions[] = {
	"SPV_EXT_optnone", "SPV_EXT_relaxed_printf_string_address_space",
	"SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_add",
	"SPV_EXT_shader_atomic_float_min_max", "SPV_INTEL_fp_fast_math_mode",
	"SPV_INTEL_kernel_attributes", "SPV_INTEL_long_composites", "SPV_INTEL_memory_access_aliasing",
	"SPV_INTEL_optnone", "SPV_INTEL_subgroups", "SPV_INTEL_unstructured_loop_controls",
	"SPV_KHR_bit_instructions", "SPV_KHR_expect_assume", "SPV_KHR_float_controls",
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

static bool takes(uint32_t capability)
{
	for (size_t i = 0; i < COUNT(capabilities); i++)
		if (capabilities[i] == capability)
			return true;
	return false;
}

const struct spirv_id *spirv_id(const struct spirv_module *module, uint32_t id)
{
	static const struct spirv_id nothing = {
		.builtin = SPIRV_NONE, .rounding = SPIRV_NONE, .spec_id = SPIRV_NONE,
	};
	return id < module->bound ? &module->ids[id] : &nothing;
}

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

/* A literal string among an instruction's words; NULL where it does not end in them. */
static const char *literal(const uint32_t *words, unsigned from, unsigned count)
{
	const char *text = (const char *)(words + from);
	if (from >= count || !memchr(text, 0, (size_t)(count - from) * sizeof(*words)))
		return NULL;
	return text;
}

/* SPIR-V 1.6, 2.2.1: a string fills whole words, its NUL included. */
static unsigned literal_words(const char *text)
{
	return (unsigned)(strlen(text) / sizeof(uint32_t) + 1);
}

static enum fe_status read_header(const void *il, size_t size_B, struct spirv_module *module,
				  struct bytes *log)
{
	if (size_B % sizeof(uint32_t) || size_B < HEADER_WORDS * sizeof(uint32_t))
		return refuse(log, "%zu bytes are no whole words, or too few", size_B);
	module->word_count = size_B / sizeof(uint32_t);
	module->words = malloc(size_B);
	if (!module->words)
		return FE_NO_MEMORY;
	uint32_t *words = module->words;
	memcpy(words, il, size_B);
	if (words[0] != SpvMagicNumber) {
		for (size_t i = 0; i < module->word_count; i++)
			words[i] = words[i] << 24 | (words[i] & 0xff00) << 8 |
				   (words[i] >> 8 & 0xff00) | words[i] >> 24;
		if (words[0] != SpvMagicNumber)
			return refuse(log, "the first word is not 0x%08x", SpvMagicNumber);
	}
	unsigned major = words[1] >> 16 & 0xff, minor = words[1] >> 8 & 0xff;
	if (major != FE_SPIRV_MAJOR || minor > FE_SPIRV_MINOR)
		return refuse(log, "version %u.%u; up to %d.%d is taken", major, minor,
			      FE_SPIRV_MAJOR, FE_SPIRV_MINOR);
	module->bound = words[3];
	if (module->bound > MOST_IDS)
		return refuse(log, "%" PRIu32 " ids; %d are taken", module->bound, MOST_IDS);
	module->ids = calloc(module->bound + 1, sizeof(*module->ids));
	if (!module->ids)
		return FE_NO_MEMORY;
	for (uint32_t i = 0; i < module->bound; i++)
		module->ids[i].builtin = module->ids[i].rounding = module->ids[i].spec_id =
			SPIRV_NONE;
	return FE_OK;
}

static void decorate(struct spirv_id *id, const uint32_t *words, unsigned from, unsigned count)
{
	uint32_t operand = count > from + 1 ? words[from + 1] : SPIRV_NONE;
	switch (words[from]) {
	case SpvDecorationSpecId: id->spec_id = operand; break;
	case SpvDecorationBuiltIn: id->builtin = operand; break;
	case SpvDecorationFPRoundingMode: id->rounding = operand; break;
	case SpvDecorationSaturatedConversion: id->saturated = true; break;
	case SpvDecorationVolatile: id->is_volatile = true; break;
	case SpvDecorationCPacked: id->packed = true; break;
	case SpvDecorationRestrict: id->no_alias = true; break;
	case SpvDecorationConstant: id->no_write = true; break;
	case SpvDecorationNonWritable: id->no_write = true; break;
	case SpvDecorationAlignment: id->alignment_B = operand; break;
	case SpvDecorationFuncParamAttr:
		id->by_value |= operand == SpvFunctionParameterAttributeByVal;
		id->no_alias |= operand == SpvFunctionParameterAttributeNoAlias;
		id->no_write |= operand == SpvFunctionParameterAttributeNoWrite;
		break;
	case SpvDecorationLinkageAttributes: {
		const char *name = literal(words, from + 1, count);
		unsigned type = name ? from + 1 + literal_words(name) : count;
		if (type >= count)
			break;
		id->linkage_name = name;
		id->linkage = words[type] == SpvLinkageTypeImport ? SPIRV_IMPORT
			      : words[type] == SpvLinkageTypeLinkOnceODR ? SPIRV_ONCE
									 : SPIRV_EXPORT;
		break;
	}
	default:
		break;
	}
}

/* What a group of decorations says, for one of its targets (SPIR-V 1.6, 3.49.3). */
static void decorate_as(struct spirv_id *id, const struct spirv_id *group)
{
	if (group->spec_id != SPIRV_NONE)
		id->spec_id = group->spec_id;
	if (group->builtin != SPIRV_NONE)
		id->builtin = group->builtin;
	if (group->rounding != SPIRV_NONE)
		id->rounding = group->rounding;
	if (group->alignment_B)
		id->alignment_B = group->alignment_B;
	if (group->alignment_id)
		id->alignment_id = group->alignment_id;
	id->saturated |= group->saturated;
	id->is_volatile |= group->is_volatile;
	id->packed |= group->packed;
	id->by_value |= group->by_value;
	id->no_alias |= group->no_alias;
	id->no_write |= group->no_write;
}

static void read_decoration(struct spirv_module *module, unsigned op, const uint32_t *words,
			    unsigned count)
{
	if (count < 2 || words[1] >= module->bound)
		return;
	struct spirv_id *target = &module->ids[words[1]];
	if (op == SpvOpName)
		target->name = literal(words, 2, count);
	else if (op == SpvOpDecorate && count > 2)
		decorate(target, words, 2, count);
	else if (op == SpvOpDecorateId && count > 3 && words[2] == SpvDecorationAlignmentId)
		target->alignment_id = words[3];
	else if (op == SpvOpGroupDecorate)
		for (unsigned i = 2; i < count; i++)
			if (words[i] < module->bound)
				decorate_as(&module->ids[words[i]], target);
}

bool spirv_is_chain(unsigned op)
{
	return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain ||
	       op == SpvOpPtrAccessChain || op == SpvOpInBoundsPtrAccessChain;
}

/* SPIR-V of Clang's own spelling, `extern const size_t __spirv_BuiltIn...` in global memory, has built-in
 * variables elsewhere than in Input.  What points to them is a private pointer here, whatever its type
 * says.  Decorations stand before what they decorate (SPIR-V 1.6, 2.4). */
static bool is_input(const struct spirv_module *module, const struct spirv_id *id)
{
	if (id->op == SpvOpVariable)
		return id->builtin != SPIRV_NONE && id->count > 3 &&
		       id->words[3] != SpvStorageClassInput;
	/* DPC++ casts a vector's address to its first element's. */
	bool is_same = id->op == SpvOpBitcast || id->op == SpvOpCopyObject;
	return (spirv_is_chain(id->op) || is_same) && id->count > 3 && spirv_id(module, id->words[3])->is_input &&
	       spirv_id(module, id->type)->op == SpvOpTypePointer;
}

/* What of an instruction all of the module has to know.  */
static enum fe_status read_instruction(struct spirv_module *module, const uint32_t *words,
				       struct bytes *log)
{
	unsigned op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
	switch (op) {
	case SpvOpCapability:
		if (count < 2 || !takes(words[1]))
			return refuse(log, "capability %" PRIu32 " is not supported",
				      count < 2 ? 0 : words[1]);
		break;
	case SpvOpMemoryModel:
		if (count < 3 || words[1] != SpvAddressingModelPhysical64 ||
		    words[2] != SpvMemoryModelOpenCL)
			return refuse(log, "addresses have 64 bits and memory the model of OpenCL");
		module->pointer_bits = 64;
		break;
	case SpvOpSource:
		module->is_opencl_1 = count > 2 && words[1] == SpvSourceLanguageOpenCL_C &&
				      words[2] < OPENCL_2;
		break;
	case SpvOpExtInstImport:
		if (count > 2 && literal(words, 2, count) &&
		    !strcmp(literal(words, 2, count), instruction_sets[0]))
			module->openclstd = words[1];
		break;
	default:
		read_decoration(module, op, words, count);
	}
	bool has_result = false, has_type = false;
	SpvHasResultAndType((SpvOp)op, &has_result, &has_type);
	unsigned at = has_type ? 2 : 1;
	if (!has_result)
		return FE_OK;
	if (count <= at || !words[at] || words[at] >= module->bound)
		return refuse(log, "instruction %u has no proper result", op);
	struct spirv_id *id = &module->ids[words[at]];
	if (id->words)
		return refuse(log, "id %" PRIu32 " is made twice", words[at]);
	id->words = words;
	id->op = (uint16_t)op;
	id->count = (uint16_t)count;
	id->type = has_type ? words[1] : 0;
	id->is_input = is_input(module, id);
	return FE_OK;
}

enum fe_status spirv_read(const void *il, size_t size_B, struct spirv_module *module,
			  struct bytes *log)
{
	*module = (struct spirv_module){.is_opencl_1 = true};
	enum fe_status status = read_header(il, size_B, module, log);
	for (size_t at = HEADER_WORDS; status == FE_OK && at < module->word_count;) {
		unsigned count = module->words[at] >> SpvWordCountShift;
		if (!count || count > module->word_count - at)
			status = refuse(log, "the instruction at word %zu has %u words", at, count);
		else
			status = read_instruction(module, module->words + at, log);
		at += count;
	}
	if (status == FE_OK && !module->pointer_bits)
		status = refuse(log, "there is no memory model");
	if (status != FE_OK)
		spirv_finish(module);
	return status;
}

void spirv_finish(struct spirv_module *module)
{
	free(module->words);
	free(module->ids);
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
