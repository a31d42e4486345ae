#include "config.h"

#include "frontend/spirv_call.h"
#include "frontend/spirv_printf.h"

#include <inttypes.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <string.h>

/* OpExtInst of OpenCL.std (OpenCL extended instruction set 1.0): calls of OpenCL C's functions,
 * whose names are nearly the same. */

/* Words before an extended instruction's own operands. */
enum { FIRST = 5 };

/* How operands are passed, a letter each:
 *   v  as it is, its integers unsigned      s  its integers signed
 *   p  a pointer to the result's type       e  one to signed integers, as many as the result has */
struct function {
	const char *name;
	const char *operands;
};

static const struct function functions[] = {
	/* 2.1 */
	[OpenCLstd_Acos] = {"acos", "v"},
	[OpenCLstd_Acosh] = {"acosh", "v"},
	[OpenCLstd_Acospi] = {"acospi", "v"},
	[OpenCLstd_Asin] = {"asin", "v"},
	[OpenCLstd_Asinh] = {"asinh", "v"},
	[OpenCLstd_Asinpi] = {"asinpi", "v"},
	[OpenCLstd_Atan] = {"atan", "v"},
	[OpenCLstd_Atan2] = {"atan2", "vv"},
	[OpenCLstd_Atanh] = {"atanh", "v"},
	[OpenCLstd_Atanpi] = {"atanpi", "v"},
	[OpenCLstd_Atan2pi] = {"atan2pi", "vv"},
	[OpenCLstd_Cbrt] = {"cbrt", "v"},
	[OpenCLstd_Ceil] = {"ceil", "v"},
	[OpenCLstd_Copysign] = {"copysign", "vv"},
	[OpenCLstd_Cos] = {"cos", "v"},
	[OpenCLstd_Cosh] = {"cosh", "v"},
	[OpenCLstd_Cospi] = {"cospi", "v"},
	[OpenCLstd_Erfc] = {"erfc", "v"},
	[OpenCLstd_Erf] = {"erf", "v"},
	[OpenCLstd_Exp] = {"exp", "v"},
	[OpenCLstd_Exp2] = {"exp2", "v"},
	[OpenCLstd_Exp10] = {"exp10", "v"},
	[OpenCLstd_Expm1] = {"expm1", "v"},
	[OpenCLstd_Fabs] = {"fabs", "v"},
	[OpenCLstd_Fdim] = {"fdim", "vv"},
	[OpenCLstd_Floor] = {"floor", "v"},
	[OpenCLstd_Fma] = {"fma", "vvv"},
	[OpenCLstd_Fmax] = {"fmax", "vv"},
	[OpenCLstd_Fmin] = {"fmin", "vv"},
	[OpenCLstd_Fmod] = {"fmod", "vv"},
	[OpenCLstd_Fract] = {"fract", "vp"},
	[OpenCLstd_Frexp] = {"frexp", "ve"},
	[OpenCLstd_Hypot] = {"hypot", "vv"},
	[OpenCLstd_Ilogb] = {"ilogb", "v"},
	[OpenCLstd_Ldexp] = {"ldexp", "vs"},
	[OpenCLstd_Lgamma] = {"lgamma", "v"},
	[OpenCLstd_Lgamma_r] = {"lgamma_r", "ve"},
	[OpenCLstd_Log] = {"log", "v"},
	[OpenCLstd_Log2] = {"log2", "v"},
	[OpenCLstd_Log10] = {"log10", "v"},
	[OpenCLstd_Log1p] = {"log1p", "v"},
	[OpenCLstd_Logb] = {"logb", "v"},
	[OpenCLstd_Mad] = {"mad", "vvv"},
	[OpenCLstd_Maxmag] = {"maxmag", "vv"},
	[OpenCLstd_Minmag] = {"minmag", "vv"},
	[OpenCLstd_Modf] = {"modf", "vp"},
	[OpenCLstd_Nan] = {"nan", "v"},
	[OpenCLstd_Nextafter] = {"nextafter", "vv"},
	[OpenCLstd_Pow] = {"pow", "vv"},
	[OpenCLstd_Pown] = {"pown", "vs"},
	[OpenCLstd_Powr] = {"powr", "vv"},
	[OpenCLstd_Remainder] = {"remainder", "vv"},
	[OpenCLstd_Remquo] = {"remquo", "vve"},
	[OpenCLstd_Rint] = {"rint", "v"},
	[OpenCLstd_Rootn] = {"rootn", "vs"},
	[OpenCLstd_Round] = {"round", "v"},
	[OpenCLstd_Rsqrt] = {"rsqrt", "v"},
	[OpenCLstd_Sin] = {"sin", "v"},
	[OpenCLstd_Sincos] = {"sincos", "vp"},
	[OpenCLstd_Sinh] = {"sinh", "v"},
	[OpenCLstd_Sinpi] = {"sinpi", "v"},
	[OpenCLstd_Sqrt] = {"sqrt", "v"},
	[OpenCLstd_Tan] = {"tan", "v"},
	[OpenCLstd_Tanh] = {"tanh", "v"},
	[OpenCLstd_Tanpi] = {"tanpi", "v"},
	[OpenCLstd_Tgamma] = {"tgamma", "v"},
	[OpenCLstd_Trunc] = {"trunc", "v"},
	[OpenCLstd_Half_cos] = {"half_cos", "v"},
	[OpenCLstd_Half_divide] = {"half_divide", "vv"},
	[OpenCLstd_Half_exp] = {"half_exp", "v"},
	[OpenCLstd_Half_exp2] = {"half_exp2", "v"},
	[OpenCLstd_Half_exp10] = {"half_exp10", "v"},
	[OpenCLstd_Half_log] = {"half_log", "v"},
	[OpenCLstd_Half_log2] = {"half_log2", "v"},
	[OpenCLstd_Half_log10] = {"half_log10", "v"},
	[OpenCLstd_Half_powr] = {"half_powr", "vv"},
	[OpenCLstd_Half_recip] = {"half_recip", "v"},
	[OpenCLstd_Half_rsqrt] = {"half_rsqrt", "v"},
	[OpenCLstd_Half_sin] = {"half_sin", "v"},
	[OpenCLstd_Half_sqrt] = {"half_sqrt", "v"},
	[OpenCLstd_Half_tan] = {"half_tan", "v"},
	[OpenCLstd_Native_cos] = {"native_cos", "v"},
	[OpenCLstd_Native_divide] = {"native_divide", "vv"},
	[OpenCLstd_Native_exp] = {"native_exp", "v"},
	[OpenCLstd_Native_exp2] = {"native_exp2", "v"},
	[OpenCLstd_Native_exp10] = {"native_exp10", "v"},
	[OpenCLstd_Native_log] = {"native_log", "v"},
	[OpenCLstd_Native_log2] = {"native_log2", "v"},
	[OpenCLstd_Native_log10] = {"native_log10", "v"},
	[OpenCLstd_Native_powr] = {"native_powr", "vv"},
	[OpenCLstd_Native_recip] = {"native_recip", "v"},
	[OpenCLstd_Native_rsqrt] = {"native_rsqrt", "v"},
	[OpenCLstd_Native_sin] = {"native_sin", "v"},
	[OpenCLstd_Native_sqrt] = {"native_sqrt", "v"},
	[OpenCLstd_Native_tan] = {"native_tan", "v"},
	/* 2.2 */
	[OpenCLstd_SAbs] = {"abs", "s"},
	[OpenCLstd_SAbs_diff] = {"abs_diff", "ss"},
	[OpenCLstd_SAdd_sat] = {"add_sat", "ss"},
	[OpenCLstd_UAdd_sat] = {"add_sat", "vv"},
	[OpenCLstd_SHadd] = {"hadd", "ss"},
	[OpenCLstd_UHadd] = {"hadd", "vv"},
	[OpenCLstd_SRhadd] = {"rhadd", "ss"},
	[OpenCLstd_URhadd] = {"rhadd", "vv"},
	[OpenCLstd_SClamp] = {"clamp", "sss"},
	[OpenCLstd_UClamp] = {"clamp", "vvv"},
	[OpenCLstd_Clz] = {"clz", "v"},
	[OpenCLstd_Ctz] = {"ctz", "v"},
	[OpenCLstd_SMad_hi] = {"mad_hi", "sss"},
	[OpenCLstd_UMad_sat] = {"mad_sat", "vvv"},
	[OpenCLstd_SMad_sat] = {"mad_sat", "sss"},
	[OpenCLstd_SMax] = {"max", "ss"},
	[OpenCLstd_UMax] = {"max", "vv"},
	[OpenCLstd_SMin] = {"min", "ss"},
	[OpenCLstd_UMin] = {"min", "vv"},
	[OpenCLstd_SMul_hi] = {"mul_hi", "ss"},
	[OpenCLstd_Rotate] = {"rotate", "vv"},
	[OpenCLstd_SSub_sat] = {"sub_sat", "ss"},
	[OpenCLstd_USub_sat] = {"sub_sat", "vv"},
	[OpenCLstd_U_Upsample] = {"upsample", "vv"},
	[OpenCLstd_S_Upsample] = {"upsample", "sv"},
	[OpenCLstd_Popcount] = {"popcount", "v"},
	[OpenCLstd_SMad24] = {"mad24", "sss"},
	[OpenCLstd_UMad24] = {"mad24", "vvv"},
	[OpenCLstd_SMul24] = {"mul24", "ss"},
	[OpenCLstd_UMul24] = {"mul24", "vv"},
	[OpenCLstd_UAbs] = {"abs", "v"},
	[OpenCLstd_UAbs_diff] = {"abs_diff", "vv"},
	[OpenCLstd_UMul_hi] = {"mul_hi", "vv"},
	[OpenCLstd_UMad_hi] = {"mad_hi", "vvv"},
	/* 2.3 */
	[OpenCLstd_FClamp] = {"clamp", "vvv"},
	[OpenCLstd_Degrees] = {"degrees", "v"},
	[OpenCLstd_FMax_common] = {"max", "vv"},
	[OpenCLstd_FMin_common] = {"min", "vv"},
	[OpenCLstd_Mix] = {"mix", "vvv"},
	[OpenCLstd_Radians] = {"radians", "v"},
	[OpenCLstd_Step] = {"step", "vv"},
	[OpenCLstd_Smoothstep] = {"smoothstep", "vvv"},
	[OpenCLstd_Sign] = {"sign", "v"},
	/* 2.4 */
	[OpenCLstd_Cross] = {"cross", "vv"},
	[OpenCLstd_Distance] = {"distance", "vv"},
	[OpenCLstd_Length] = {"length", "v"},
	[OpenCLstd_Normalize] = {"normalize", "v"},
	[OpenCLstd_Fast_distance] = {"fast_distance", "vv"},
	[OpenCLstd_Fast_length] = {"fast_length", "v"},
	[OpenCLstd_Fast_normalize] = {"fast_normalize", "v"},
	/* 2.5 */
	[OpenCLstd_Bitselect] = {"bitselect", "vvv"},
	[OpenCLstd_Select] = {"select", "vvv"},
	/* 2.7 */
	[OpenCLstd_Shuffle] = {"shuffle", "vv"},
	[OpenCLstd_Shuffle2] = {"shuffle2", "vvv"},
};

/* 2.6, where a name may end in the number of elements and in a rounding mode. */
struct access {
	uint32_t instruction;
	const char *name;
	bool of_halfs;              /* in memory; else of what the value has */
	bool has_mode;
};

static const struct access loads[] = {
	{OpenCLstd_Vloadn, "vload", false, false},
	{OpenCLstd_Vload_half, "vload_half", true, false},
	{OpenCLstd_Vload_halfn, "vload_half", true, false},
	{OpenCLstd_Vloada_halfn, "vloada_half", true, false},
};

static const struct access stores[] = {
	{OpenCLstd_Vstoren, "vstore", false, false},
	{OpenCLstd_Vstore_half, "vstore_half", true, false},
	{OpenCLstd_Vstore_half_r, "vstore_half", true, true},
	{OpenCLstd_Vstore_halfn, "vstore_half", true, false},
	{OpenCLstd_Vstore_halfn_r, "vstore_half", true, true},
	{OpenCLstd_Vstorea_halfn, "vstorea_half", true, false},
	{OpenCLstd_Vstorea_halfn_r, "vstorea_half", true, true},
};

static enum spirv_written few_operands(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, SpvOpExtInst, "too few operands for instruction %" PRIu32
			  " of OpenCL.std", words[4]);
}

static enum spirv_written no_pointer(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, SpvOpExtInst, "no pointer where instruction %" PRIu32
			  " of OpenCL.std takes one", words[4]);
}

static bool put_operand(struct spirv_writer *writer, char how, uint32_t value,
			struct spirv_shape result)
{
	switch (how) {
	case 's':
		spirv_put_signed(writer, value);
		return true;
	case 'e':
		result.class = SPIRV_INT;
		result.bits = 32;
		return spirv_put_pointer(writer, "", spirv_signed_name(result).text, value);
	case 'p':
		return spirv_put_pointer(writer, "", spirv_unsigned_name(result).text, value);
	default:
		spirv_put(writer, "v%" PRIu32, value);
		return true;
	}
}

static enum spirv_written write_function(struct spirv_writer *writer, const uint32_t *words,
					 unsigned count, const struct function *function)
{
	size_t operands = strlen(function->operands);
	if (count < FIRST + operands)
		return few_operands(writer, words);
	struct spirv_shape result = spirv_shape(writer->module, words[1]);
	spirv_put_result(writer, words);
	spirv_put(writer, "%s(", function->name);
	for (size_t i = 0; i < operands; i++) {
		spirv_put(writer, i ? ", " : "");
		if (!put_operand(writer, function->operands[i], words[FIRST + i], result))
			return no_pointer(writer, words);
	}
	spirv_put(writer, "));\n");
	return SPIRV_WRITTEN;
}

/* The name's end: how many elements; one is none. */
static void put_lanes(struct spirv_writer *writer, unsigned lanes)
{
	if (lanes > 1)
		spirv_put(writer, "%u", lanes);
}

/* "(const global half *)v7))": the elements in memory, of a value of this shape. */
static bool put_elements(struct spirv_writer *writer, const char *qualifier,
			 const struct access *access, struct spirv_shape shape, uint32_t pointer)
{
	shape.lanes = 1;
	return spirv_put_pointer(writer, qualifier,
				 access->of_halfs ? "half" : spirv_unsigned_name(shape).text,
				 pointer);
}

/* Offset, pointer, and for most how many: the result says it, too. */
static enum spirv_written write_load(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count, const struct access *load)
{
	if (count < FIRST + 2)
		return few_operands(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	spirv_put(writer, "v%" PRIu32 " = %s", words[2], load->name);
	put_lanes(writer, shape.lanes);
	spirv_put(writer, "(v%" PRIu32 ", ", words[FIRST]);
	if (!put_elements(writer, "const ", load, shape, words[FIRST + 1]))
		return no_pointer(writer, words);
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}

/* Data, offset, pointer, and the rounding mode as a literal. */
static enum spirv_written write_store(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count, const struct access *store)
{
	static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	if (count < FIRST + 3u + store->has_mode)
		return few_operands(writer, words);
	const char *mode = "";
	if (store->has_mode) {
		if (words[FIRST + 3] >= sizeof(modes) / sizeof(*modes))
			return spirv_fail(writer, SpvOpExtInst, "rounding mode %" PRIu32,
					  words[FIRST + 3]);
		mode = modes[words[FIRST + 3]];
	}
	struct spirv_shape shape = spirv_value_shape(writer->module, words[FIRST]);
	spirv_put(writer, "%s", store->name);
	put_lanes(writer, shape.lanes);
	spirv_put(writer, "%s(v%" PRIu32 ", v%" PRIu32 ", ", mode, words[FIRST], words[FIRST + 1]);
	if (!put_elements(writer, "", store, shape, words[FIRST + 2]))
		return no_pointer(writer, words);
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}

/* A hint: of what OpenCL C's prefetch does not take nothing comes. */
static enum spirv_written write_prefetch(struct spirv_writer *writer, const uint32_t *words,
					 unsigned count)
{
	if (count < FIRST + 2)
		return few_operands(writer, words);
	uint32_t type = spirv_id(writer->module, words[FIRST])->type;
	struct spirv_shape shape = spirv_shape(writer->module, spirv_pointee(writer->module, type));
	if (spirv_storage(writer->module, type) != SpvStorageClassCrossWorkgroup ||
	    (shape.class != SPIRV_INT && shape.class != SPIRV_FLOAT))
		return SPIRV_WRITTEN;
	spirv_put(writer, "prefetch((const global %s *)v%" PRIu32 ", v%" PRIu32 ");\n",
		  spirv_unsigned_name(shape).text, words[FIRST], words[FIRST + 1]);
	return SPIRV_WRITTEN;
}

static const struct access *find(const struct access *rows, size_t count, uint32_t instruction)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].instruction == instruction)
			return &rows[i];
	return NULL;
}

enum spirv_written spirv_extended(struct spirv_writer *writer, const uint32_t *words,
				  unsigned count)
{
	if ((words[0] & SpvOpCodeMask) != SpvOpExtInst)
		return SPIRV_OTHER;
	if (count < FIRST)
		return spirv_fail(writer, SpvOpExtInst, "too few words");
	if (!writer->module->openclstd || words[3] != writer->module->openclstd)
		return SPIRV_OTHER;
	uint32_t instruction = words[4];
	if (instruction < sizeof(functions) / sizeof(*functions) && functions[instruction].name)
		return write_function(writer, words, count, &functions[instruction]);
	const struct access *access = find(loads, sizeof(loads) / sizeof(*loads), instruction);
	if (access)
		return write_load(writer, words, count, access);
	access = find(stores, sizeof(stores) / sizeof(*stores), instruction);
	if (access)
		return write_store(writer, words, count, access);
	if (instruction == OpenCLstd_Prefetch)
		return write_prefetch(writer, words, count);
	if (instruction == OpenCLstd_Printf)
		return spirv_printf(writer, words, count);
	return spirv_fail(writer, SpvOpExtInst,
			  "instruction %" PRIu32 " of OpenCL.std is not known", instruction);
}
