#include "config.h"

#include "frontend/lower.h"

#include <stdio.h>
#include <string.h>

/* Intrinsics that libnvvm does not know, by instructions and intrinsics that it does know.  The function of a row
 * gets a call and returns the value that replaces it; the builder is positioned before the call.  An intrinsic
 * without a row stays: the printer accepts those that libnvvm knows and reports the others. */
struct row {
	const char *name;
	LLVMValueRef (*build)(struct lowering *lowering, LLVMValueRef call, const struct row *row);
	unsigned detail;
};

bool fe_intrinsic_is(const char *name, const char *base)
{
	size_t size_B = strlen(base);
	return !strncmp(name, base, size_B) && (!name[size_B] || name[size_B] == '.');
}

static LLVMValueRef zero_of(LLVMValueRef value)
{
	return LLVMConstNull(LLVMTypeOf(value));
}

/* A hint for the optimizer that NVVM IR does not have. */
static LLVMValueRef build_nothing(struct lowering *lowering, LLVMValueRef call,
				  const struct row *row)
{
	(void)lowering;
	(void)row;
	LLVMTypeRef type = LLVMTypeOf(call);
	return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : LLVMGetUndef(type);
}

static LLVMValueRef build_operand(struct lowering *lowering, LLVMValueRef call,
				  const struct row *row)
{
	(void)lowering;
	return LLVMGetOperand(call, row->detail);
}

/* A query to which only libnvvm knows the answer is answered with false. */
static LLVMValueRef build_false(struct lowering *lowering, LLVMValueRef call,
				const struct row *row)
{
	(void)lowering;
	(void)row;
	return LLVMConstNull(LLVMTypeOf(call));
}

static LLVMValueRef build_object_size(struct lowering *lowering, LLVMValueRef call,
				      const struct row *row)
{
	(void)lowering;
	(void)row;
	bool wants_least = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) != 0;
	LLVMTypeRef type = LLVMTypeOf(call);
	return wants_least ? LLVMConstNull(type) : LLVMConstAllOnes(type);
}

static LLVMValueRef choose(struct lowering *lowering, LLVMIntPredicate predicate, LLVMValueRef a,
			   LLVMValueRef b)
{
	LLVMValueRef first = LLVMBuildICmp(lowering->builder, predicate, a, b, "");
	return LLVMBuildSelect(lowering->builder, first, a, b, "");
}

static LLVMValueRef build_choice(struct lowering *lowering, LLVMValueRef call,
				 const struct row *row)
{
	return choose(lowering, (LLVMIntPredicate)row->detail, LLVMGetOperand(call, 0),
		      LLVMGetOperand(call, 1));
}

static LLVMValueRef build_abs(struct lowering *lowering, LLVMValueRef call, const struct row *row)
{
	(void)row;
	LLVMValueRef value = LLVMGetOperand(call, 0);
	LLVMValueRef negative =
		LLVMBuildICmp(lowering->builder, LLVMIntSLT, value, zero_of(value), "");
	LLVMValueRef negated = LLVMBuildSub(lowering->builder, zero_of(value), value, "");
	return LLVMBuildSelect(lowering->builder, negative, negated, value, "");
}

static LLVMValueRef build_uadd_sat(struct lowering *lowering, LLVMValueRef call,
				   const struct row *row)
{
	(void)row;
	LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
	LLVMValueRef sum = LLVMBuildAdd(lowering->builder, a, b, "");
	LLVMValueRef wrapped = LLVMBuildICmp(lowering->builder, LLVMIntULT, sum, a, "");
	return LLVMBuildSelect(lowering->builder, wrapped, LLVMConstAllOnes(LLVMTypeOf(a)), sum,
			       "");
}

static LLVMValueRef build_usub_sat(struct lowering *lowering, LLVMValueRef call,
				   const struct row *row)
{
	(void)row;
	LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
	LLVMValueRef difference = LLVMBuildSub(lowering->builder, a, b, "");
	LLVMValueRef fits = LLVMBuildICmp(lowering->builder, LLVMIntUGT, a, b, "");
	return LLVMBuildSelect(lowering->builder, fits, difference, zero_of(a), "");
}

static LLVMTypeRef scalar_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* Returns a constant of the type with this integer in every element. */
static LLVMValueRef splat(LLVMTypeRef type, uint64_t value)
{
	enum { WIDEST_VECTOR = 64 };
	LLVMValueRef scalar = LLVMConstInt(scalar_of(type), value, 0);
	LLVMValueRef elements[WIDEST_VECTOR];
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return scalar;
	unsigned count = LLVMGetVectorSize(type);
	if (count > WIDEST_VECTOR)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		elements[i] = scalar;
	return LLVMConstVector(elements, count);
}

/* Signed saturation: the operation overflows if the signs of both operands and of the result are of a certain
 * pattern; the limit has the sign of the first operand. */
static LLVMValueRef build_signed_sat(struct lowering *lowering, LLVMValueRef call,
				     const struct row *row)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
	LLVMTypeRef type = LLVMTypeOf(a);
	unsigned width = LLVMGetIntTypeWidth(scalar_of(type));
	LLVMValueRef shift = width <= 64 ? splat(type, width - 1) : NULL;
	LLVMValueRef least = width <= 64 ? splat(type, UINT64_C(1) << (width - 1)) : NULL;
	if (!shift || !least)
		return call;
	bool adds = row->detail == LLVMAdd;
	LLVMValueRef result = adds ? LLVMBuildAdd(builder, a, b, "")
				   : LLVMBuildSub(builder, a, b, "");
	LLVMValueRef changed = LLVMBuildXor(builder, a, result, "");
	LLVMValueRef other = LLVMBuildXor(builder, adds ? b : a, adds ? result : b, "");
	LLVMValueRef both = LLVMBuildAnd(builder, changed, other, "");
	LLVMValueRef overflow = LLVMBuildICmp(builder, LLVMIntSLT, both, zero_of(a), "");
	LLVMValueRef sign = LLVMBuildAShr(builder, a, shift, "");
	LLVMValueRef limit = LLVMBuildXor(builder, sign, LLVMBuildNot(builder, least, ""), "");
	return LLVMBuildSelect(builder, overflow, limit, result, "");
}

static LLVMValueRef element(struct lowering *lowering, LLVMValueRef vector, unsigned index)
{
	LLVMTypeRef type = LLVMInt32TypeInContext(lowering->context);
	return LLVMBuildExtractElement(lowering->builder, vector, LLVMConstInt(type, index, 0), "");
}

/* Combines the elements of a vector one after the other. */
static LLVMValueRef build_reduction(struct lowering *lowering, LLVMValueRef call,
				    const struct row *row)
{
	LLVMValueRef vector = LLVMGetOperand(call, 0);
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
	LLVMValueRef result = element(lowering, vector, 0);
	for (unsigned i = 1; i < count; i++)
		result = LLVMBuildBinOp(lowering->builder, (LLVMOpcode)row->detail, result,
					element(lowering, vector, i), "");
	return result;
}

static LLVMValueRef build_reduced_choice(struct lowering *lowering, LLVMValueRef call,
					 const struct row *row)
{
	LLVMValueRef vector = LLVMGetOperand(call, 0);
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
	LLVMValueRef result = element(lowering, vector, 0);
	for (unsigned i = 1; i < count; i++)
		result = choose(lowering, (LLVMIntPredicate)row->detail, result,
				element(lowering, vector, i));
	return result;
}

/* Functions that count or move bits: libnvvm crashes for some vectors (cttz of <3 x i8>) and rejects others, so
 * vectors are processed element by element. */
static LLVMValueRef build_elementwise(struct lowering *lowering, LLVMValueRef call,
				      const struct row *row)
{
	enum { MOST_OPERANDS = 3 };
	LLVMTypeRef type = LLVMTypeOf(call);
	unsigned count = LLVMGetNumArgOperands(call);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || count > MOST_OPERANDS)
		return call;
	LLVMTypeRef scalar = LLVMGetElementType(type);
	unsigned id = LLVMLookupIntrinsicID(row->name, strlen(row->name));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(lowering->module, id, &scalar, 1);
	LLVMValueRef result = LLVMGetUndef(type);
	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
		LLVMValueRef operands[MOST_OPERANDS];
		for (unsigned o = 0; o < count; o++) {
			operands[o] = LLVMGetOperand(call, o);
			if (LLVMTypeOf(operands[o]) == type)
				operands[o] = element(lowering, operands[o], i);
		}
		LLVMValueRef part = LLVMBuildCall2(lowering->builder,
						   LLVMGlobalGetValueType(function), function,
						   operands, count, "");
		LLVMValueRef index =
			LLVMConstInt(LLVMInt32TypeInContext(lowering->context), i, 0);
		result = LLVMBuildInsertElement(lowering->builder, result, part, index, "");
	}
	return result;
}

/* libnvvm has these from 16 bits on; the sum or product of two bytes fits into 16 bits, and overflows if it is not a
 * byte. */
static LLVMValueRef build_overflow(struct lowering *lowering, LLVMValueRef call,
				   const struct row *row)
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
	LLVMTypeRef type = LLVMTypeOf(a), wide = LLVMInt16TypeInContext(lowering->context);
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 8)
		return call;
	LLVMOpcode widen = row->name[5] == 's' ? LLVMSExt : LLVMZExt;
	LLVMValueRef full = LLVMBuildBinOp(builder, (LLVMOpcode)row->detail,
					   LLVMBuildCast(builder, widen, a, wide, ""),
					   LLVMBuildCast(builder, widen, b, wide, ""), "");
	LLVMValueRef kept = LLVMBuildTrunc(builder, full, type, "");
	LLVMValueRef again = LLVMBuildCast(builder, widen, kept, wide, "");
	LLVMValueRef overflow = LLVMBuildICmp(builder, LLVMIntNE, full, again, "");
	LLVMValueRef result = LLVMGetUndef(LLVMTypeOf(call));
	result = LLVMBuildInsertValue(builder, result, kept, 0, "");
	return LLVMBuildInsertValue(builder, result, overflow, 1, "");
}

static LLVMValueRef build_trap(struct lowering *lowering, LLVMValueRef call, const struct row *row)
{
	(void)row;
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(lowering->context), NULL, 0, 0);
	LLVMValueRef trap = LLVMGetNamedFunction(lowering->module, "llvm.trap");
	if (!trap)
		trap = LLVMAddFunction(lowering->module, "llvm.trap", type);
	(void)call;
	LLVMBuildCall2(lowering->builder, type, trap, NULL, 0, "");
	return NULL;
}

/* Returns the declaration of an intrinsic that libnvvm knows and that LLVM may not know, or know under
 * another name. */
static LLVMValueRef call_of_old(struct lowering *lowering, const char *name, LLVMTypeRef type,
				LLVMValueRef argument)
{
	LLVMTypeRef parameter = LLVMTypeOf(argument);
	LLVMTypeRef function_type = LLVMFunctionType(type, &parameter, 1, 0);
	LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
	if (!function)
		function = LLVMAddFunction(lowering->module, name, function_type);
	return LLVMBuildCall2(lowering->builder, function_type, function, &argument, 1, "");
}

/* Barriers by their names from LLVM 21 on. */
static LLVMValueRef build_barrier(struct lowering *lowering, LLVMValueRef call,
				  const struct row *row)
{
	(void)row;
	call_of_old(lowering, "llvm.nvvm.bar.sync", LLVMVoidTypeInContext(lowering->context),
		    LLVMGetOperand(call, 0));
	return NULL;
}

/* These barriers take and return an i1; those of libnvvm use integers, and only barrier 0. */
static LLVMValueRef build_voting_barrier(struct lowering *lowering, LLVMValueRef call,
					 const struct row *row)
{
	LLVMValueRef barrier = LLVMGetOperand(call, 0);
	if (!LLVMIsAConstantInt(barrier) || LLVMConstIntGetZExtValue(barrier))
		return call;
	LLVMTypeRef word = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef truth = LLVMBuildZExt(lowering->builder, LLVMGetOperand(call, 1), word, "");
	LLVMValueRef result = call_of_old(lowering,
					  row->detail == LLVMAnd ? "llvm.nvvm.barrier0.and"
								 : "llvm.nvvm.barrier0.or",
					  word, truth);
	return LLVMBuildICmp(lowering->builder, LLVMIntNE, result, zero_of(result), "");
}

/* LLVM 22's name ends with the type, f32; libnvvm's with f. */
static LLVMValueRef build_of_float(struct lowering *lowering, LLVMValueRef call,
				   const struct row *row)
{
	char name[48];
	int size_B = (int)strlen(row->name) - 2;
	snprintf(name, sizeof(name), "%.*s", size_B, row->name);
	return call_of_old(lowering, name, LLVMTypeOf(call), LLVMGetOperand(call, 0));
}

/* A memcpy without an alignment is for any address.  Without optimization libnvvm 13.0 copies whole words, so that
 * the GPU reports a misaligned address. */
static LLVMValueRef build_aligned_copy(struct lowering *lowering, LLVMValueRef call,
				       const struct row *row)
{
	static const char name[] = "align";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof(name) - 1);
	for (unsigned pointer = 1; pointer <= row->detail; pointer++) {
		if (!LLVMGetCallSiteEnumAttribute(call, pointer, kind))
			LLVMAddCallSiteAttribute(call, pointer,
						 LLVMCreateEnumAttribute(lowering->context, kind,
									 1));
	}
	return call;
}

/* A load through the read-only path: like one from constant memory. */
static LLVMValueRef build_read_only_load(struct lowering *lowering, LLVMValueRef call,
					 const struct row *row)
{
	(void)row;
	LLVMTypeRef constant = LLVMPointerTypeInContext(lowering->context, LOWER_SPACE_CONSTANT);
	LLVMValueRef pointer = LLVMBuildAddrSpaceCast(lowering->builder, LLVMGetOperand(call, 0), constant, "");
	LLVMValueRef load = LLVMBuildLoad2(lowering->builder, LLVMTypeOf(call), pointer, "");
	LLVMSetAlignment(load,
			 (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)));
	return load;
}

static LLVMTypeRef integer_like(struct lowering *lowering, LLVMTypeRef type, unsigned width)
{
	LLVMTypeRef scalar = LLVMIntTypeInContext(lowering->context, width);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return scalar;
	return LLVMVectorType(scalar, LLVMGetVectorSize(type));
}

static unsigned width_of(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(scalar_of(type));
	return kind == LLVMHalfTypeKind ? 16 : kind == LLVMFloatTypeKind ? 32 : 64;
}

/* By the bits where libnvvm does not know copysign. */
static LLVMValueRef build_copysign(struct lowering *lowering, LLVMValueRef call,
				   const struct row *row)
{
	if (!(lowering->nvvm_lacks & NVVM_LACKS_COPYSIGN)) {
		LLVMValueRef value = fe_lower_math(lowering, call, row->name);
		return value ? value : call;
	}
	LLVMBuilderRef builder = lowering->builder;
	unsigned width = width_of(LLVMTypeOf(call));
	LLVMTypeRef type = integer_like(lowering, LLVMTypeOf(call), width);
	LLVMValueRef sign = splat(type, UINT64_C(1) << (width - 1));
	LLVMValueRef magnitude = splat(type, (UINT64_C(1) << (width - 1)) - 1);
	if (!sign)
		return call;
	LLVMValueRef x = LLVMBuildBitCast(builder, LLVMGetOperand(call, 0), type, "");
	LLVMValueRef y = LLVMBuildBitCast(builder, LLVMGetOperand(call, 1), type, "");
	LLVMValueRef bits = LLVMBuildOr(builder, LLVMBuildAnd(builder, x, magnitude, ""),
					LLVMBuildAnd(builder, y, sign, ""), "");
	return LLVMBuildBitCast(builder, bits, LLVMTypeOf(call), "");
}

/* is.fpclass: a test of the bits for each class that the mask names. */
struct classes {
	LLVMBuilderRef builder;
	LLVMValueRef bits, magnitude;        /* the value, and the value without its sign */
	LLVMValueRef infinity, quiet, least_normal, sign;
	LLVMValueRef negative;
};

static LLVMValueRef both(struct classes *c, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildAnd(c->builder, a, b, "");
}

static LLVMValueRef compare(struct classes *c, LLVMIntPredicate predicate, LLVMValueRef a,
			    LLVMValueRef b)
{
	return LLVMBuildICmp(c->builder, predicate, a, b, "");
}

/* Classes by bit, without regard to sign: infinite, normal, subnormal, zero. */
static LLVMValueRef magnitude_class(struct classes *c, unsigned which)
{
	LLVMValueRef zero = zero_of(c->magnitude);
	switch (which) {
	case 0:
		return compare(c, LLVMIntEQ, c->magnitude, c->infinity);
	case 1:
		return both(c, compare(c, LLVMIntUGE, c->magnitude, c->least_normal),
			    compare(c, LLVMIntULT, c->magnitude, c->infinity));
	case 2:
		return both(c, compare(c, LLVMIntNE, c->magnitude, zero),
			    compare(c, LLVMIntULT, c->magnitude, c->least_normal));
	default:
		return compare(c, LLVMIntEQ, c->magnitude, zero);
	}
}

/* The classes in LLVM's order: signalling and quiet NaN; negative infinite, normal, subnormal and zero; positive
 * zero, subnormal, normal and infinite. */
static LLVMValueRef one_class(struct classes *c, unsigned bit)
{
	if (bit == 0)
		return both(c, compare(c, LLVMIntUGT, c->magnitude, c->infinity),
			    compare(c, LLVMIntULT, c->magnitude, c->quiet));
	if (bit == 1)
		return compare(c, LLVMIntUGE, c->magnitude, c->quiet);
	if (bit < 6)
		return both(c, c->negative, magnitude_class(c, bit - 2));
	return both(c, LLVMBuildNot(c->builder, c->negative, ""), magnitude_class(c, 9 - bit));
}

static LLVMValueRef build_class_test(struct lowering *lowering, LLVMValueRef call,
				     const struct row *row)
{
	(void)row;
	LLVMValueRef value = LLVMGetOperand(call, 0), mask = LLVMGetOperand(call, 1);
	unsigned width = width_of(LLVMTypeOf(value));
	unsigned fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
	LLVMTypeRef type = integer_like(lowering, LLVMTypeOf(value), width);
	uint64_t sign = UINT64_C(1) << (width - 1);
	uint64_t infinity = (sign - 1) >> fraction << fraction;
	struct classes c = {
		.builder = lowering->builder,
		.bits = LLVMBuildBitCast(lowering->builder, value, type, ""),
		.infinity = splat(type, infinity),
		.quiet = splat(type, infinity | UINT64_C(1) << (fraction - 1)),
		.least_normal = splat(type, UINT64_C(1) << fraction),
		.sign = splat(type, sign - 1),
	};
	if (!c.infinity)
		return call;
	c.magnitude = both(&c, c.bits, c.sign);
	c.negative = compare(&c, LLVMIntSLT, c.bits, zero_of(c.bits));
	LLVMValueRef result = LLVMConstNull(LLVMTypeOf(call));
	for (unsigned bit = 0; bit < 10; bit++) {
		if (LLVMConstIntGetZExtValue(mask) >> bit & 1)
			result = LLVMBuildOr(c.builder, result, one_class(&c, bit), "");
	}
	return result;
}

static const struct row rows[] = {
	{ "llvm.assume", build_nothing, 0 },
	{ "llvm.dbg.assign", build_nothing, 0 },
	{ "llvm.dbg.declare", build_nothing, 0 },
	{ "llvm.dbg.label", build_nothing, 0 },
	{ "llvm.dbg.value", build_nothing, 0 },
	{ "llvm.donothing", build_nothing, 0 },
	{ "llvm.experimental.noalias.scope.decl", build_nothing, 0 },
	{ "llvm.prefetch", build_nothing, 0 },
	{ "llvm.pseudoprobe", build_nothing, 0 },
	{ "llvm.sideeffect", build_nothing, 0 },
	{ "llvm.var.annotation", build_nothing, 0 },
	{ "llvm.annotation", build_operand, 0 },
	{ "llvm.arithmetic.fence", build_operand, 0 },
	{ "llvm.expect", build_operand, 0 },
	{ "llvm.launder.invariant.group", build_operand, 0 },
	{ "llvm.ptr.annotation", build_operand, 0 },
	{ "llvm.ssa.copy", build_operand, 0 },
	{ "llvm.strip.invariant.group", build_operand, 0 },
	{ "llvm.is.constant", build_false, 0 },
	{ "llvm.objectsize", build_object_size, 0 },
	{ "llvm.umin", build_choice, LLVMIntULT },
	{ "llvm.umax", build_choice, LLVMIntUGT },
	{ "llvm.smin", build_choice, LLVMIntSLT },
	{ "llvm.smax", build_choice, LLVMIntSGT },
	{ "llvm.abs", build_abs, 0 },
	{ "llvm.uadd.sat", build_uadd_sat, 0 },
	{ "llvm.usub.sat", build_usub_sat, 0 },
	{ "llvm.sadd.sat", build_signed_sat, LLVMAdd },
	{ "llvm.ssub.sat", build_signed_sat, LLVMSub },
	{ "llvm.bitreverse", build_elementwise, 0 },
	{ "llvm.bswap", build_elementwise, 0 },
	{ "llvm.ctlz", build_elementwise, 0 },
	{ "llvm.ctpop", build_elementwise, 0 },
	{ "llvm.cttz", build_elementwise, 0 },
	{ "llvm.fshl", build_elementwise, 0 },
	{ "llvm.fshr", build_elementwise, 0 },
	{ "llvm.sadd.with.overflow", build_overflow, LLVMAdd },
	{ "llvm.smul.with.overflow", build_overflow, LLVMMul },
	{ "llvm.ssub.with.overflow", build_overflow, LLVMSub },
	{ "llvm.uadd.with.overflow", build_overflow, LLVMAdd },
	{ "llvm.umul.with.overflow", build_overflow, LLVMMul },
	{ "llvm.usub.with.overflow", build_overflow, LLVMSub },
	{ "llvm.vector.reduce.add", build_reduction, LLVMAdd },
	{ "llvm.vector.reduce.mul", build_reduction, LLVMMul },
	{ "llvm.vector.reduce.and", build_reduction, LLVMAnd },
	{ "llvm.vector.reduce.or", build_reduction, LLVMOr },
	{ "llvm.vector.reduce.xor", build_reduction, LLVMXor },
	{ "llvm.vector.reduce.umin", build_reduced_choice, LLVMIntULT },
	{ "llvm.vector.reduce.umax", build_reduced_choice, LLVMIntUGT },
	{ "llvm.vector.reduce.smin", build_reduced_choice, LLVMIntSLT },
	{ "llvm.vector.reduce.smax", build_reduced_choice, LLVMIntSGT },
	{ "llvm.copysign", build_copysign, 0 },
	{ "llvm.debugtrap", build_trap, 0 },
	{ "llvm.ubsantrap", build_trap, 0 },
	{ "llvm.is.fpclass", build_class_test, 0 },
	{ "llvm.memcpy", build_aligned_copy, 2 },
	{ "llvm.memmove", build_aligned_copy, 2 },
	{ "llvm.memset", build_aligned_copy, 1 },
	{ "llvm.nvvm.barrier.cta.sync.aligned.all", build_barrier, 0 },
	{ "llvm.nvvm.barrier.cta.red.and.aligned.all", build_voting_barrier, LLVMAnd },
	{ "llvm.nvvm.barrier.cta.red.or.aligned.all", build_voting_barrier, LLVMOr },
	{ "llvm.nvvm.ex2.approx.f32", build_of_float, 0 },
	{ "llvm.nvvm.ex2.approx.ftz.f32", build_of_float, 0 },
	{ "llvm.nvvm.ldg.global.f", build_read_only_load, 0 },
	{ "llvm.nvvm.ldg.global.i", build_read_only_load, 0 },
	{ "llvm.nvvm.ldg.global.p", build_read_only_load, 0 },
};

const char *fe_lower_intrinsic_name(size_t index)
{
	return index < sizeof(rows) / sizeof(*rows) ? rows[index].name : NULL;
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (fe_intrinsic_is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

/* Returns the value that replaces the call, or the call itself if it stays. */
static LLVMValueRef lower_call(struct lowering *lowering, LLVMValueRef call, const char *name,
			       const struct row *row)
{
	LLVMPositionBuilderBefore(lowering->builder, call);
	if (row)
		return row->build(lowering, call, row);
	LLVMValueRef value = fe_lower_math(lowering, call, name);
	return value ? value : call;
}

static void lower_uses(struct lowering *lowering, LLVMValueRef intrinsic, const char *name)
{
	const struct row *row = find_row(name);
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(intrinsic); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call))
			continue;
		LLVMValueRef value = lower_call(lowering, call, name, row);
		if (value == call)
			continue;
		if (value)
			LLVMReplaceAllUsesWith(call, value);
		LLVMInstructionEraseFromParent(call);
	}
}

enum fe_status fe_lower_intrinsics(struct lowering *lowering)
{
	LLVMValueRef next;
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = next) {
		next = LLVMGetNextFunction(function);
		size_t size_B;
		const char *name = LLVMGetValueName2(function, &size_B);
		if (strncmp(name, "llvm.", 5))
			continue;
		lower_uses(lowering, function, name);
		if (!LLVMGetFirstUse(function))
			LLVMDeleteFunction(function);
	}
	return FE_OK;
}
