#include "config.h"

#include "frontend/lower.h"


/* A function for an intrinsic, in float and in double.  Vectors are computed element by element, and halves in
 * float, which can represent all their results. */
struct math {
	const char *name;
	const char *float_name;
	const char *double_name;
};

static const struct math all_types[] = {
	{ "llvm.cos", "__nv_cosf", "__nv_cos" },
	{ "llvm.cosh", "__nv_coshf", "__nv_cosh" },
	{ "llvm.acos", "__nv_acosf", "__nv_acos" },
	{ "llvm.asin", "__nv_asinf", "__nv_asin" },
	{ "llvm.atan", "__nv_atanf", "__nv_atan" },
	{ "llvm.ceil", "llvm.nvvm.ceil.f", "llvm.nvvm.ceil.d" },
	{ "llvm.exp", "__nv_expf", "__nv_exp" },
	{ "llvm.exp10", "__nv_exp10f", "__nv_exp10" },
	{ "llvm.exp2", "__nv_exp2f", "__nv_exp2" },
	{ "llvm.fabs", "llvm.nvvm.fabs.f", "llvm.nvvm.fabs.d" },
	{ "llvm.floor", "llvm.nvvm.floor.f", "llvm.nvvm.floor.d" },
	{ "llvm.ldexp", "__nv_ldexpf", "__nv_ldexp" },
	{ "llvm.log", "__nv_logf", "__nv_log" },
	{ "llvm.log10", "__nv_log10f", "__nv_log10" },
	{ "llvm.log2", "__nv_log2f", "__nv_log2" },
	{ "llvm.nearbyint", "llvm.nvvm.round.f", "llvm.nvvm.round.d" },
	{ "llvm.pow", "__nv_powf", "__nv_pow" },
	{ "llvm.powi", "__nv_powif", "__nv_powi" },
	{ "llvm.rint", "llvm.nvvm.round.f", "llvm.nvvm.round.d" },
	{ "llvm.round", "__nv_roundf", "__nv_round" },
	{ "llvm.roundeven", "llvm.nvvm.round.f", "llvm.nvvm.round.d" },
	{ "llvm.sin", "__nv_sinf", "__nv_sin" },
	{ "llvm.sinh", "__nv_sinhf", "__nv_sinh" },
	{ "llvm.tan", "__nv_tanf", "__nv_tan" },
	{ "llvm.tanh", "__nv_tanhf", "__nv_tanh" },
	{ "llvm.trunc", "llvm.nvvm.trunc.f", "llvm.nvvm.trunc.d" },
};

/* libnvvm knows these for float and double; only half is computed in float. */
static const struct math only_half[] = {
	{ "llvm.copysign", "llvm.copysign.f32", NULL },
	{ "llvm.maxnum", "llvm.maxnum.f32", NULL },
	{ "llvm.minnum", "llvm.minnum.f32", NULL },
	{ "llvm.sqrt", "llvm.sqrt.f32", NULL },
};

enum { MOST_OPERANDS = 2 };

const char *fe_lower_math_name(size_t index)
{
	static const size_t count = sizeof(all_types) / sizeof(*all_types);
	static const size_t half_count = sizeof(only_half) / sizeof(*only_half);
	if (index < count)
		return all_types[index].name;
	return index - count < half_count ? only_half[index - count].name : NULL;
}

static const struct math *find(const struct math *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (fe_intrinsic_is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static LLVMValueRef call_named(struct lowering *lowering, const char *name, LLVMTypeRef result,
			       LLVMValueRef *operands, unsigned count)
{
	LLVMTypeRef types[MOST_OPERANDS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(operands[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
	if (!function)
		function = LLVMAddFunction(lowering->module, name, type);
	return LLVMBuildCall2(lowering->builder, type, function, operands, count, "");
}

/* One element: the function for float or double is called; a half is converted to float and back. */
static LLVMValueRef build_scalar(struct lowering *lowering, const struct math *math,
				 LLVMTypeRef type, LLVMValueRef *operands, unsigned count)
{
	LLVMTypeRef float_type = LLVMFloatTypeInContext(lowering->context);
	if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
		return call_named(lowering, math->double_name, type, operands, count);
	if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
		return call_named(lowering, math->float_name, type, operands, count);
	for (unsigned i = 0; i < count; i++) {
		if (LLVMTypeOf(operands[i]) == type)
			operands[i] = LLVMBuildFPExt(lowering->builder, operands[i], float_type, "");
	}
	LLVMValueRef result = call_named(lowering, math->float_name, float_type, operands, count);
	return LLVMBuildFPTrunc(lowering->builder, result, type, "");
}

static LLVMValueRef build_vector(struct lowering *lowering, const struct math *math,
				 LLVMTypeRef type, LLVMValueRef *operands, unsigned count)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef result = LLVMGetUndef(type);
	unsigned elements = LLVMGetVectorSize(type);
	for (unsigned e = 0; e < elements; e++) {
		LLVMValueRef index =
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), e, 0);
		LLVMValueRef parts[MOST_OPERANDS];
		for (unsigned i = 0; i < count; i++) {
			bool vector = LLVMGetTypeKind(LLVMTypeOf(operands[i])) ==
				      LLVMVectorTypeKind;
			parts[i] = vector ? LLVMBuildExtractElement(builder, operands[i], index, "")
					  : operands[i];
		}
		LLVMValueRef part =
			build_scalar(lowering, math, LLVMGetElementType(type), parts, count);
		result = LLVMBuildInsertElement(builder, result, part, index, "");
	}
	return result;
}

/* canonicalize: a multiplication by 1 makes a NaN quiet and flushes denormals if requested. */
static LLVMValueRef build_canonical(struct lowering *lowering, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMValueRef one = LLVMConstReal(scalar_of(type), 1.0);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return LLVMBuildFMul(lowering->builder, value, one, "");
	LLVMValueRef ones = LLVMGetUndef(type);
	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
		ones = LLVMBuildInsertElement(
			lowering->builder, ones, one,
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), i, 0), "");
	return LLVMBuildFMul(lowering->builder, value, ones, "");
}

static bool is_real(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind ||
	       kind == LLVMDoubleTypeKind;
}

LLVMValueRef fe_lower_math(struct lowering *lowering, LLVMValueRef call, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	unsigned count = LLVMGetNumArgOperands(call);
	LLVMValueRef operands[MOST_OPERANDS];
	if (!is_real(scalar_of(type)) || !count || count > MOST_OPERANDS)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		operands[i] = LLVMGetOperand(call, i);
	if (fe_intrinsic_is(name, "llvm.canonicalize"))
		return build_canonical(lowering, operands[0]);
	const struct math *math = find(all_types, sizeof(all_types) / sizeof(*all_types), name);
	if (!math && LLVMGetTypeKind(scalar_of(type)) == LLVMHalfTypeKind)
		math = find(only_half, sizeof(only_half) / sizeof(*only_half), name);
	if (!math)
		return NULL;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return build_vector(lowering, math, type, operands, count);
	return build_scalar(lowering, math, type, operands, count);
}

/* libnvvm computes a remainder by division and multiplication, which loses the sign of a zero and more. */
LLVMValueRef fe_lower_remainder(struct lowering *lowering, LLVMValueRef remainder)
{
	static const struct math fmod = { "frem", "__nv_fmodf", "__nv_fmod" };
	LLVMTypeRef type = LLVMTypeOf(remainder);
	LLVMValueRef operands[] = {LLVMGetOperand(remainder, 0), LLVMGetOperand(remainder, 1)};
	if (!is_real(scalar_of(type)))
		return remainder;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return build_vector(lowering, &fmod, type, operands, 2);
	return build_scalar(lowering, &fmod, type, operands, 2);
}
