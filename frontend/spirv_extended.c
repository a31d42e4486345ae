/* OpExtInst of OpenCL.std (OpenCL extended instruction set 1.0): calls of OpenCL C's functions, whose names are
 * nearly the same. */
#include "config.h"

#include "frontend/spirv_call.h"
#include "frontend/spirv_printf.h"

#include <inttypes.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <string.h>

/* Words before an extended instruction's own operands. */
enum { FIRST = 5, MOST_OPERANDS = 4 };

/* How operands are passed, a letter each:
 *	v  as it is, integers without a sign     s  integers with a sign
 *	p  a pointer to the result's type        e  one to integers of 32 bits, as many as the result has
 * What the result is:
 *	=  of the type of the operand with the most elements
 *	i  an integer of 32 bits for each element of the first operand
 *	s  one element of the first operand
 *	n  a real as wide as the operand, an integer
 *	u  an integer twice as wide as the operands
 *	m  as many elements of the first operand as the last one has */
struct function {
	const char *name;
	const char *operands;
	char result;
};

static const struct function functions[] = {
	/* 2.1 */
	[OpenCLstd_Acos] = {"acos", "v", '='},
	[OpenCLstd_Acosh] = {"acosh", "v", '='},
	[OpenCLstd_Acospi] = {"acospi", "v", '='},
	[OpenCLstd_Asin] = {"asin", "v", '='},
	[OpenCLstd_Asinh] = {"asinh", "v", '='},
	[OpenCLstd_Asinpi] = {"asinpi", "v", '='},
	[OpenCLstd_Atan] = {"atan", "v", '='},
	[OpenCLstd_Atan2] = {"atan2", "vv", '='},
	[OpenCLstd_Atanh] = {"atanh", "v", '='},
	[OpenCLstd_Atanpi] = {"atanpi", "v", '='},
	[OpenCLstd_Atan2pi] = {"atan2pi", "vv", '='},
	[OpenCLstd_Cbrt] = {"cbrt", "v", '='},
	[OpenCLstd_Ceil] = {"ceil", "v", '='},
	[OpenCLstd_Copysign] = {"copysign", "vv", '='},
	[OpenCLstd_Cos] = {"cos", "v", '='},
	[OpenCLstd_Cosh] = {"cosh", "v", '='},
	[OpenCLstd_Cospi] = {"cospi", "v", '='},
	[OpenCLstd_Erfc] = {"erfc", "v", '='},
	[OpenCLstd_Erf] = {"erf", "v", '='},
	[OpenCLstd_Exp] = {"exp", "v", '='},
	[OpenCLstd_Exp2] = {"exp2", "v", '='},
	[OpenCLstd_Exp10] = {"exp10", "v", '='},
	[OpenCLstd_Expm1] = {"expm1", "v", '='},
	[OpenCLstd_Fabs] = {"fabs", "v", '='},
	[OpenCLstd_Fdim] = {"fdim", "vv", '='},
	[OpenCLstd_Floor] = {"floor", "v", '='},
	[OpenCLstd_Fma] = {"fma", "vvv", '='},
	[OpenCLstd_Fmax] = {"fmax", "vv", '='},
	[OpenCLstd_Fmin] = {"fmin", "vv", '='},
	[OpenCLstd_Fmod] = {"fmod", "vv", '='},
	[OpenCLstd_Fract] = {"fract", "vp", '='},
	[OpenCLstd_Frexp] = {"frexp", "ve", '='},
	[OpenCLstd_Hypot] = {"hypot", "vv", '='},
	[OpenCLstd_Ilogb] = {"ilogb", "v", 'i'},
	[OpenCLstd_Ldexp] = {"ldexp", "vs", '='},
	[OpenCLstd_Lgamma] = {"lgamma", "v", '='},
	[OpenCLstd_Lgamma_r] = {"lgamma_r", "ve", '='},
	[OpenCLstd_Log] = {"log", "v", '='},
	[OpenCLstd_Log2] = {"log2", "v", '='},
	[OpenCLstd_Log10] = {"log10", "v", '='},
	[OpenCLstd_Log1p] = {"log1p", "v", '='},
	[OpenCLstd_Logb] = {"logb", "v", '='},
	[OpenCLstd_Mad] = {"mad", "vvv", '='},
	[OpenCLstd_Maxmag] = {"maxmag", "vv", '='},
	[OpenCLstd_Minmag] = {"minmag", "vv", '='},
	[OpenCLstd_Modf] = {"modf", "vp", '='},
	[OpenCLstd_Nan] = {"nan", "v", 'n'},
	[OpenCLstd_Nextafter] = {"nextafter", "vv", '='},
	[OpenCLstd_Pow] = {"pow", "vv", '='},
	[OpenCLstd_Pown] = {"pown", "vs", '='},
	[OpenCLstd_Powr] = {"powr", "vv", '='},
	[OpenCLstd_Remainder] = {"remainder", "vv", '='},
	[OpenCLstd_Remquo] = {"remquo", "vve", '='},
	[OpenCLstd_Rint] = {"rint", "v", '='},
	[OpenCLstd_Rootn] = {"rootn", "vs", '='},
	[OpenCLstd_Round] = {"round", "v", '='},
	[OpenCLstd_Rsqrt] = {"rsqrt", "v", '='},
	[OpenCLstd_Sin] = {"sin", "v", '='},
	[OpenCLstd_Sincos] = {"sincos", "vp", '='},
	[OpenCLstd_Sinh] = {"sinh", "v", '='},
	[OpenCLstd_Sinpi] = {"sinpi", "v", '='},
	[OpenCLstd_Sqrt] = {"sqrt", "v", '='},
	[OpenCLstd_Tan] = {"tan", "v", '='},
	[OpenCLstd_Tanh] = {"tanh", "v", '='},
	[OpenCLstd_Tanpi] = {"tanpi", "v", '='},
	[OpenCLstd_Tgamma] = {"tgamma", "v", '='},
	[OpenCLstd_Trunc] = {"trunc", "v", '='},
	[OpenCLstd_Half_cos] = {"half_cos", "v", '='},
	[OpenCLstd_Half_divide] = {"half_divide", "vv", '='},
	[OpenCLstd_Half_exp] = {"half_exp", "v", '='},
	[OpenCLstd_Half_exp2] = {"half_exp2", "v", '='},
	[OpenCLstd_Half_exp10] = {"half_exp10", "v", '='},
	[OpenCLstd_Half_log] = {"half_log", "v", '='},
	[OpenCLstd_Half_log2] = {"half_log2", "v", '='},
	[OpenCLstd_Half_log10] = {"half_log10", "v", '='},
	[OpenCLstd_Half_powr] = {"half_powr", "vv", '='},
	[OpenCLstd_Half_recip] = {"half_recip", "v", '='},
	[OpenCLstd_Half_rsqrt] = {"half_rsqrt", "v", '='},
	[OpenCLstd_Half_sin] = {"half_sin", "v", '='},
	[OpenCLstd_Half_sqrt] = {"half_sqrt", "v", '='},
	[OpenCLstd_Half_tan] = {"half_tan", "v", '='},
	[OpenCLstd_Native_cos] = {"native_cos", "v", '='},
	[OpenCLstd_Native_divide] = {"native_divide", "vv", '='},
	[OpenCLstd_Native_exp] = {"native_exp", "v", '='},
	[OpenCLstd_Native_exp2] = {"native_exp2", "v", '='},
	[OpenCLstd_Native_exp10] = {"native_exp10", "v", '='},
	[OpenCLstd_Native_log] = {"native_log", "v", '='},
	[OpenCLstd_Native_log2] = {"native_log2", "v", '='},
	[OpenCLstd_Native_log10] = {"native_log10", "v", '='},
	[OpenCLstd_Native_powr] = {"native_powr", "vv", '='},
	[OpenCLstd_Native_recip] = {"native_recip", "v", '='},
	[OpenCLstd_Native_rsqrt] = {"native_rsqrt", "v", '='},
	[OpenCLstd_Native_sin] = {"native_sin", "v", '='},
	[OpenCLstd_Native_sqrt] = {"native_sqrt", "v", '='},
	[OpenCLstd_Native_tan] = {"native_tan", "v", '='},
	/* 2.2 */
	[OpenCLstd_SAbs] = {"abs", "s", '='},
	[OpenCLstd_SAbs_diff] = {"abs_diff", "ss", '='},
	[OpenCLstd_SAdd_sat] = {"add_sat", "ss", '='},
	[OpenCLstd_UAdd_sat] = {"add_sat", "vv", '='},
	[OpenCLstd_SHadd] = {"hadd", "ss", '='},
	[OpenCLstd_UHadd] = {"hadd", "vv", '='},
	[OpenCLstd_SRhadd] = {"rhadd", "ss", '='},
	[OpenCLstd_URhadd] = {"rhadd", "vv", '='},
	[OpenCLstd_SClamp] = {"clamp", "sss", '='},
	[OpenCLstd_UClamp] = {"clamp", "vvv", '='},
	[OpenCLstd_Clz] = {"clz", "v", '='},
	[OpenCLstd_Ctz] = {"ctz", "v", '='},
	[OpenCLstd_SMad_hi] = {"mad_hi", "sss", '='},
	[OpenCLstd_UMad_sat] = {"mad_sat", "vvv", '='},
	[OpenCLstd_SMad_sat] = {"mad_sat", "sss", '='},
	[OpenCLstd_SMax] = {"max", "ss", '='},
	[OpenCLstd_UMax] = {"max", "vv", '='},
	[OpenCLstd_SMin] = {"min", "ss", '='},
	[OpenCLstd_UMin] = {"min", "vv", '='},
	[OpenCLstd_SMul_hi] = {"mul_hi", "ss", '='},
	[OpenCLstd_Rotate] = {"rotate", "vv", '='},
	[OpenCLstd_SSub_sat] = {"sub_sat", "ss", '='},
	[OpenCLstd_USub_sat] = {"sub_sat", "vv", '='},
	[OpenCLstd_U_Upsample] = {"upsample", "vv", 'u'},
	[OpenCLstd_S_Upsample] = {"upsample", "sv", 'u'},
	[OpenCLstd_Popcount] = {"popcount", "v", '='},
	[OpenCLstd_SMad24] = {"mad24", "sss", '='},
	[OpenCLstd_UMad24] = {"mad24", "vvv", '='},
	[OpenCLstd_SMul24] = {"mul24", "ss", '='},
	[OpenCLstd_UMul24] = {"mul24", "vv", '='},
	[OpenCLstd_UAbs] = {"abs", "v", '='},
	[OpenCLstd_UAbs_diff] = {"abs_diff", "vv", '='},
	[OpenCLstd_UMul_hi] = {"mul_hi", "vv", '='},
	[OpenCLstd_UMad_hi] = {"mad_hi", "vvv", '='},
	/* 2.3 */
	[OpenCLstd_FClamp] = {"clamp", "vvv", '='},
	[OpenCLstd_Degrees] = {"degrees", "v", '='},
	[OpenCLstd_FMax_common] = {"max", "vv", '='},
	[OpenCLstd_FMin_common] = {"min", "vv", '='},
	[OpenCLstd_Mix] = {"mix", "vvv", '='},
	[OpenCLstd_Radians] = {"radians", "v", '='},
	[OpenCLstd_Step] = {"step", "vv", '='},
	[OpenCLstd_Smoothstep] = {"smoothstep", "vvv", '='},
	[OpenCLstd_Sign] = {"sign", "v", '='},
	/* 2.4 */
	[OpenCLstd_Cross] = {"cross", "vv", '='},
	[OpenCLstd_Distance] = {"distance", "vv", 's'},
	[OpenCLstd_Length] = {"length", "v", 's'},
	[OpenCLstd_Normalize] = {"normalize", "v", '='},
	[OpenCLstd_Fast_distance] = {"fast_distance", "vv", 's'},
	[OpenCLstd_Fast_length] = {"fast_length", "v", 's'},
	[OpenCLstd_Fast_normalize] = {"fast_normalize", "v", '='},
	/* 2.5 */
	[OpenCLstd_Bitselect] = {"bitselect", "vvv", '='},
	[OpenCLstd_Select] = {"select", "vvv", '='},
	/* 2.7 */
	[OpenCLstd_Shuffle] = {"shuffle", "vv", 'm'},
	[OpenCLstd_Shuffle2] = {"shuffle2", "vvv", 'm'},
};

static bool fail_operands(struct spirv_reader *reader, const struct spirv_op *op)
{
	const char *name = spirv_name(SPIRV_NAME_EXTENDED, op->words[4]);
	return spirv_fail(reader, "the operands are not those of %s", name ? name : "the instruction");
}

/* --- functions ------------------------------------------------------------------------------------------------- */

/* A pointer to numbers of a kind as an argument; false with a message. */
static bool pointer_argument(struct spirv_reader *reader, uint32_t id, char base, unsigned lanes,
			     struct spirv_argument *argument)
{
	LLVMValueRef pointer = spirv_pointer(reader, id);
	*argument = (struct spirv_argument){.value = pointer, .base = base, .lanes = lanes,
					    .is_pointer = true};
	return pointer != NULL;
}

static bool operand(struct spirv_reader *reader, const struct spirv_op *op, char how, uint32_t id,
		    struct spirv_argument *argument, const struct spirv_type **type_out)
{
	if (how == 'p')
		return pointer_argument(reader, id, spirv_letter(op->type, false), op->type->lanes, argument);
	if (how == 'e')
		return pointer_argument(reader, id, 'i', op->type->lanes, argument);
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value_as(reader, id, type) : NULL;
	if (!value)
		return false;
	if (!spirv_is_number(type))
		return fail_operands(reader, op);
	*argument = spirv_by_value(type, value, how == 's');
	*type_out = type;
	return true;
}

/* Whether the result has the type that the function gives for operands of these types. */
static bool is_result(const struct spirv_op *op, char how, const struct spirv_type *const *types, unsigned count)
{
	const struct spirv_type *first = types[0], *widest = first, *result = op->type;
	for (unsigned i = 1; i < count; i++)
		if (types[i] && types[i]->lanes > widest->lanes)
			widest = types[i];
	switch (how) {
	case '=': return result->value == widest->value;
	case 'i': return result->class == SPIRV_INT && result->bits == 32 && result->lanes == first->lanes;
	case 's': return result->value == (first->lanes > 1 ? first->element->value : first->value);
	case 'n':
		return first->class == SPIRV_INT && result->class == SPIRV_FLOAT &&
		       result->bits == first->bits && result->lanes == first->lanes;
	case 'u':
		return result->class == SPIRV_INT && first->class == SPIRV_INT &&
		       result->bits == 2 * first->bits && result->lanes == first->lanes;
	default:
		return result->lanes > 1 && first->lanes > 1 && types[count - 1] &&
		       result->element->value == first->element->value &&
		       result->lanes == types[count - 1]->lanes;
	}
}

static bool build_function(struct spirv_reader *reader, const struct spirv_op *op,
			   const struct function *function)
{
	const unsigned count = (unsigned)strlen(function->operands);
	struct spirv_argument arguments[MOST_OPERANDS];
	const struct spirv_type *types[MOST_OPERANDS] = {NULL};
	if (op->count != FIRST + count)
		return fail_operands(reader, op);
	for (unsigned i = 0; i < count; i++)
		if (!operand(reader, op, function->operands[i], op->words[FIRST + i], &arguments[i],
			     &types[i]))
			return false;
	if (!is_result(op, function->result, types, count))
		return fail_operands(reader, op);
	LLVMValueRef value = spirv_call(reader, function->name, op->type->value, arguments, count);
	return value && spirv_define(reader, op, spirv_fast(reader, op->result, value));
}

/* --- loads and stores ------------------------------------------------------------------------------------------ */

/* 2.6, where a name may end in the number of elements and in a rounding mode. */
struct access {
	uint32_t instruction;
	const char *name;
	bool of_halfs;              /* in memory; else of what the value has */
	bool has_mode, has_count;
};

static const struct access loads[] = {
	{OpenCLstd_Vloadn, "vload", false, false, true},
	{OpenCLstd_Vload_half, "vload_half", true, false, false},
	{OpenCLstd_Vload_halfn, "vload_half", true, false, true},
	{OpenCLstd_Vloada_halfn, "vloada_half", true, false, true},
};

static const struct access stores[] = {
	{OpenCLstd_Vstoren, "vstore", false, false, false},
	{OpenCLstd_Vstore_half, "vstore_half", true, false, false},
	{OpenCLstd_Vstore_half_r, "vstore_half", true, true, false},
	{OpenCLstd_Vstore_halfn, "vstore_half", true, false, false},
	{OpenCLstd_Vstore_halfn_r, "vstore_half", true, true, false},
	{OpenCLstd_Vstorea_halfn, "vstorea_half", true, false, false},
	{OpenCLstd_Vstorea_halfn_r, "vstorea_half", true, true, false},
};

static const struct access *find(const struct access *rows, size_t count, uint32_t instruction)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].instruction == instruction)
			return &rows[i];
	return NULL;
}

/* "vload_half4", "vstore_half4_rte" */
static void name_access(char *name, size_t size_B, const struct access *access, unsigned lanes,
			const char *mode)
{
	if (lanes > 1)
		snprintf(name, size_B, "%s%u%s", access->name, lanes, mode);
	else
		snprintf(name, size_B, "%s%s", access->name, mode);
}

/* The elements in memory, of a value of a type, and the offset in front of their address; false with a
 * message. */
static bool place_arguments(struct spirv_reader *reader, const struct spirv_op *op, const struct access *access,
			    const struct spirv_type *type, unsigned at, struct spirv_argument *arguments)
{
	const struct spirv_type *number = spirv_type_of(reader, op->words[at]);
	LLVMValueRef offset = number ? spirv_value(reader, op->words[at]) : NULL;
	if (!offset)
		return false;
	if (number->class != SPIRV_INT || number->lanes != 1 || !spirv_is_number(type) ||
	    (access->of_halfs && type->class != SPIRV_FLOAT))
		return fail_operands(reader, op);
	arguments[0] = (struct spirv_argument){
		.value = LLVMBuildIntCast2(reader->builder, offset, spirv_int(reader, 64), false, ""),
		.base = 'm',
	};
	return pointer_argument(reader, op->words[at + 1], access->of_halfs ? 'D' : spirv_letter(type, false), 1,
				&arguments[1]);
}

/* Offset, pointer, and for most how many. */
static bool build_load(struct spirv_reader *reader, const struct spirv_op *op, const struct access *load)
{
	struct spirv_argument arguments[2];
	char name[32];
	if (op->count != FIRST + 2u + load->has_count)
		return fail_operands(reader, op);
	if (!place_arguments(reader, op, load, op->type, FIRST, arguments))
		return false;
	if ((load->has_count && op->words[FIRST + 2] != op->type->lanes) ||
	    (load->of_halfs && op->type->bits != 32) || (!load->has_count && op->type->lanes != 1))
		return fail_operands(reader, op);
	arguments[1].qualifiers = SPIRV_CONST;
	name_access(name, sizeof(name), load, op->type->lanes, "");
	return spirv_define(reader, op, spirv_call(reader, name, op->type->value, arguments, 2));
}

/* Data, offset, pointer, and the rounding mode as a literal. */
static bool build_store(struct spirv_reader *reader, const struct spirv_op *op, const struct access *store)
{
	static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	struct spirv_argument arguments[3];
	const char *mode = "";
	char name[32];
	if (op->count != FIRST + 3u + store->has_mode)
		return fail_operands(reader, op);
	if (store->has_mode && op->words[FIRST + 3] >= sizeof(modes) / sizeof(*modes))
		return spirv_fail(reader, "the rounding mode %" PRIu32 " is not known", op->words[FIRST + 3]);
	if (store->has_mode)
		mode = modes[op->words[FIRST + 3]];
	const struct spirv_type *type = spirv_type_of(reader, op->words[FIRST]);
	LLVMValueRef value = type ? spirv_value(reader, op->words[FIRST]) : NULL;
	if (!value || !place_arguments(reader, op, store, type, FIRST + 1, arguments + 1))
		return false;
	arguments[0] = spirv_by_value(type, value, false);
	name_access(name, sizeof(name), store, type->lanes, mode);
	return spirv_call(reader, name, LLVMVoidTypeInContext(reader->context), arguments, 3) != NULL;
}

/* A hint: of what OpenCL C's prefetch does not take nothing comes. */
static bool build_prefetch(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char name[] = "prefetch";
	if (op->count != FIRST + 2)
		return fail_operands(reader, op);
	LLVMValueRef pointer = spirv_pointer(reader, op->words[FIRST]);
	LLVMValueRef count = pointer ? spirv_value_of(reader, op->words[FIRST + 1], spirv_int(reader, 64)) : NULL;
	const struct spirv_type *type = count ? spirv_type_of(reader, op->words[FIRST]) : NULL;
	type = type ? spirv_pointee(reader, type) : NULL;
	if (!type)
		return false;
	if (!spirv_is_number(type))
		return true;
	const struct spirv_argument arguments[] = {
		{.value = pointer, .base = spirv_letter(type, false), .lanes = type->lanes,
		 .is_pointer = true, .qualifiers = SPIRV_CONST},
		{.value = count, .base = 'm'},
	};
	return !spirv_can_call(reader, name, arguments, 2) ||
	       spirv_call(reader, name, LLVMVoidTypeInContext(reader->context), arguments, 2);
}

/* --- sets of instructions ----------------------------------------------------------------------------------------- */

static bool build_opencl(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t instruction = op->words[4];
	if (instruction < sizeof(functions) / sizeof(*functions) && functions[instruction].name)
		return build_function(reader, op, &functions[instruction]);
	const struct access *load = find(loads, sizeof(loads) / sizeof(*loads), instruction);
	if (load)
		return build_load(reader, op, load);
	const struct access *store = find(stores, sizeof(stores) / sizeof(*stores), instruction);
	if (store)
		return build_store(reader, op, store);
	if (instruction == OpenCLstd_Prefetch)
		return build_prefetch(reader, op);
	if (instruction == OpenCLstd_Printf)
		return spirv_build_printf(reader, op);
	return spirv_fail(reader, "the instruction %" PRIu32 " of OpenCL.std is not known", instruction);
}

/* Sets that tell debuggers and tools something, and the program nothing. */
static bool says_nothing(const char *set)
{
	return !strncmp(set, "NonSemantic.", 12) || !strcmp(set, "OpenCL.DebugInfo.100") ||
	       !strcmp(set, "DebugInfo") || !strncmp(set, "SPIRV.debug", 11);
}

static bool build_extended(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_instruction import = spirv_of(reader->module, op->words[3]);
	const char *set = import.op == SpvOpExtInstImport ? spirv_string(import, 2) : NULL;
	if (!set)
		return spirv_fail(reader, "the id %" PRIu32 " is no set of instructions", op->words[3]);
	if (says_nothing(set))
		return true;
	if (op->words[3] != reader->module->openclstd || !reader->body)
		return spirv_fail(reader, "the instructions of %.100s are not supported here", set);
	return build_opencl(reader, op);
}

const struct spirv_row spirv_extended_rows[] = {
	{SpvOpExtInst, 5, 0, 0, build_extended},
	{0, 0, 0, 0, NULL},
};
