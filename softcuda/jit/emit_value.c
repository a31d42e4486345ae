/* Types, constants, masks, operands and results, and how values are saved in the frame. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/real.h"

/* --- types and constants ---------- */

LLVMTypeRef emit_integer(const struct emitter *e, unsigned bits)
{
	return bits == 1 ? e->i1 : bits == 8 ? e->i8 : bits == 16 ? e->i16 : bits == 32 ? e->i32 : e->i64;
}

LLVMTypeRef emit_type(const struct emitter *e, LLVMTypeRef element, bool scalar)
{
	return scalar ? element : LLVMVectorType(element, e->plan->width);
}

bool emit_is_scalar(value v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind;
}

static LLVMTypeRef element_of(value v)
{
	return emit_is_scalar(v) ? LLVMTypeOf(v) : LLVMGetElementType(LLVMTypeOf(v));
}

/* A constant as a scalar or a vector with as many elements as `like` has. */
static value spread_constant(value like, value constant)
{
	if (emit_is_scalar(like))
		return constant;
	value elements[4 * LANES];
	const unsigned count = LLVMGetVectorSize(LLVMTypeOf(like));
	for (unsigned l = 0; l < count; l++)
		elements[l] = constant;
	return LLVMConstVector(elements, count);
}

value emit_number(const struct emitter *e, value like, uint64_t number)
{
	(void)e;
	return spread_constant(like, LLVMConstInt(element_of(like), number, 0));
}

value emit_real(value like, double number)
{
	return spread_constant(like, LLVMConstReal(element_of(like), number));
}

value emit_i32(const struct emitter *e, uint32_t number)
{
	return LLVMConstInt(e->i32, number, 0);
}

value emit_i64(const struct emitter *e, uint64_t number)
{
	return LLVMConstInt(e->i64, number, 0);
}

value emit_splat(const struct emitter *e, value scalar)
{
	const unsigned width = e->plan->width;
	LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), width);
	if (LLVMIsConstant(scalar)) {
		value elements[LANES];
		for (unsigned l = 0; l < width; l++)
			elements[l] = scalar;
		return LLVMConstVector(elements, width);
	}
	value first = LLVMBuildInsertElement(e->builder, LLVMGetPoison(type), scalar, emit_i32(e, 0), "");
	return LLVMBuildShuffleVector(e->builder, first, LLVMGetPoison(type),
				      LLVMConstNull(LLVMVectorType(e->i32, width)), "");
}

value emit_row(const struct emitter *e, value base, int64_t stride)
{
	value elements[LANES];
	if (!stride)
		return emit_splat(e, base);
	for (unsigned l = 0; l < e->plan->width; l++)
		elements[l] = LLVMConstInt(LLVMTypeOf(base), (uint64_t)stride * l, 0);
	return LLVMBuildAdd(e->builder, emit_splat(e, base), LLVMConstVector(elements, e->plan->width), "");
}

value emit_intrinsic(const struct emitter *e, const char *name, LLVMTypeRef *overloads, unsigned overload_count,
		     value *operands, unsigned count)
{
	const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	value function = LLVMGetIntrinsicDeclaration(e->module, id, overloads, overload_count);
	return LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, operands, count, "");
}

value emit_unary(const struct emitter *e, const char *name, value a)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	return emit_intrinsic(e, name, &type, 1, &a, 1);
}

value emit_binary(const struct emitter *e, const char *name, value a, value b)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	return emit_intrinsic(e, name, &type, 1, (value[]){a, b}, 2);
}

value emit_at(const struct emitter *e, value pointer, value offset_B)
{
	return LLVMBuildGEP2(e->builder, e->i8, pointer, &offset_B, 1, "");
}

value emit_field(const struct emitter *e, LLVMTypeRef type, value pointer, size_t offset_B)
{
	return LLVMBuildLoad2(e->builder, type, emit_at(e, pointer, emit_i64(e, offset_B)), "");
}

/* All stack slots are allocated in the function's entry block, where LLVM's passes look for allocas to promote. */
value emit_slot(const struct emitter *e, LLVMTypeRef type, const char *name)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder), first = LLVMGetEntryBasicBlock(e->function);
	value before = LLVMGetFirstInstruction(first);
	if (before)
		LLVMPositionBuilderBefore(e->builder, before);
	else
		LLVMPositionBuilderAtEnd(e->builder, first);
	value slot = LLVMBuildAlloca(e->builder, type, name);
	LLVMPositionBuilderAtEnd(e->builder, here);
	return slot;
}

value emit_help(const struct emitter *e, LLVMTypeRef result, const char *name, value *operands, unsigned count)
{
	LLVMTypeRef types[EMIT_HELP_OPERANDS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(operands[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
	value function = LLVMGetNamedFunction(e->module, name);
	if (!function)
		function = LLVMAddFunction(e->module, name, type);
	return LLVMBuildCall2(e->builder, type, function, operands, count, "");
}

value emit_resize(const struct emitter *e, value v, unsigned from, unsigned bits, bool is_signed)
{
	LLVMTypeRef type = emit_type(e, emit_integer(e, bits), emit_is_scalar(v));
	if (bits < from)
		return LLVMBuildTrunc(e->builder, v, type, "");
	if (bits == from)
		return v;
	return is_signed ? LLVMBuildSExt(e->builder, v, type, "") : LLVMBuildZExt(e->builder, v, type, "");
}

/* --- blocks ---------- */

LLVMBasicBlockRef emit_block(const struct emitter *e, const char *name)
{
	return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

void emit_unlikely(const struct emitter *e, value condition, LLVMBasicBlockRef seldom, LLVMBasicBlockRef usual)
{
	static const char weights[] = "branch_weights";
	value branch = LLVMBuildCondBr(e->builder, condition, seldom, usual);
	LLVMMetadataRef parts[3] = {
		LLVMMDStringInContext2(e->context, weights, sizeof(weights) - 1),
		LLVMValueAsMetadata(emit_i32(e, 1)), LLVMValueAsMetadata(emit_i32(e, 4000))
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, parts, 3);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "prof", 4),
			LLVMMetadataAsValue(e->context, node));
}

void emit_fault(struct emitter *e)
{
	LLVMBuildRet(e->builder, emit_i32(e, COMPILED_FAULT));
}

/* --- masks ---------- */

static value mask_bits(const struct emitter *e, value mask)
{
	return LLVMBuildBitCast(e->builder, mask, LLVMIntTypeInContext(e->context, e->plan->width), "");
}

value emit_any(const struct emitter *e, value mask)
{
	value bits = mask_bits(e, mask);
	return LLVMBuildICmp(e->builder, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

value emit_lanes(const struct emitter *e, value mask)
{
	value bits = mask_bits(e, mask);
	if (e->plan->width == LANES)
		return bits;
	bits = LLVMBuildZExt(e->builder, bits, e->i32, "");
	return LLVMBuildShl(e->builder, bits, e->first_lane, "");
}

/* Each lane tests its own bit.  A bitcast of the integer to a vector of i1 would be shorter, but where such masks
 * are combined with integers, LLVM 19's code generator for AVX-512 may never end: it converts the one form to the
 * other and back. */
value emit_mask(const struct emitter *e, value bits)
{
	value each[LANES];
	for (unsigned l = 0; l < e->plan->width; l++)
		each[l] = emit_i32(e, 1u << l);
	value own = LLVMBuildAnd(e->builder, emit_splat(e, bits), LLVMConstVector(each, e->plan->width), "");
	return LLVMBuildICmp(e->builder, LLVMIntNE, own, LLVMConstNull(LLVMTypeOf(own)), "");
}

value emit_all_lanes(const struct emitter *e)
{
	return LLVMConstAllOnes(LLVMVectorType(e->i1, e->plan->width));
}

value emit_no_lanes(const struct emitter *e)
{
	return LLVMConstNull(LLVMVectorType(e->i1, e->plan->width));
}

/* --- the warp, and memory that parameters point to ---------- */

/* The number of the warp that the current part is in. */
static value warp_number(const struct emitter *e)
{
	return LLVMBuildUDiv(e->builder, e->part, emit_i32(e, LANES / e->plan->width), "");
}

value emit_warp(struct emitter *e)
{
	LLVMBuilderRef b = e->builder;
	if (e->warp_block == LLVMGetInsertBlock(b))
		return e->warp;
	value number = LLVMBuildZExt(b, warp_number(e), e->i64, "");
	e->warp_block = LLVMGetInsertBlock(b);
	e->warp = emit_at(e, e->warps, LLVMBuildMul(b, number, emit_i64(e, sizeof(struct warp)), ""));
	return e->warp;
}

/* The registers of the warp's frame. */
static value registers(struct emitter *e)
{
	if (e->registers_block == LLVMGetInsertBlock(e->builder))
		return e->registers;
	e->registers = emit_field(e, e->pointer, emit_warp(e),
				  offsetof(struct warp, banks) + BANK_REGISTER * sizeof(char *));
	e->registers_block = LLVMGetInsertBlock(e->builder);
	return e->registers;
}

uint32_t emit_parameter_slot(struct compiled *compiled, uint32_t parameter)
{
	const bool is_new = parameter == COMPILED_NO_PARAMETER || parameter == COMPILED_SHARED;
	uint32_t slot = is_new ? compiled->slot_count : 0;
	while (slot < compiled->slot_count && compiled->slot_parameter[slot] != parameter)
		slot++;
	if (slot == compiled->slot_count)
		compiled->slot_parameter[compiled->slot_count++] = parameter;
	return slot;
}

value emit_pointer_parameter(struct emitter *e, uint32_t offset_B)
{
	const uint32_t slot = emit_parameter_slot(e->compiled, offset_B);
	if (e->pointers[slot])
		return e->pointers[slot];
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	e->pointers[slot] = emit_field(e, e->i64, e->parameters, offset_B);
	LLVMSetAlignment(e->pointers[slot], 1);
	LLVMPositionBuilderAtEnd(e->builder, here);
	return e->pointers[slot];
}

/* --- webs ---------- */

/* The width of a web's value: 1 for a predicate. */
static unsigned web_bits(const struct web *web)
{
	return web->width == 'p' ? 1 : web->width == 'h' ? 16 : web->width == 'w' ? 32 : 64;
}

/* The type of a web's stack slot.  A web of floats (any_nan) is a float there, so that a float that loops carry stays
 * in the registers for floats. */
static LLVMTypeRef slot_type(const struct emitter *e, const struct web *w)
{
	return emit_type(e, w->any_nan ? e->f32 : emit_integer(e, web_bits(w)), w->kind == WEB_LINEAR);
}

/* The stack slot of a web, allocated when it is first used. */
static value web_slot(struct emitter *e, uint32_t web)
{
	if (!e->webs[web])
		e->webs[web] = emit_slot(e, slot_type(e, &e->plan->webs[web]), "");
	return e->webs[web];
}

value emit_stored(struct emitter *e, uint32_t web)
{
	const struct web *w = &e->plan->webs[web];
	value v = LLVMBuildLoad2(e->builder, slot_type(e, w), web_slot(e, web), "");
	return w->any_nan ? LLVMBuildBitCast(e->builder, v, emit_type(e, e->i32, emit_is_scalar(v)), "") : v;
}

void emit_store(struct emitter *e, uint32_t web, value v)
{
	const struct web *w = &e->plan->webs[web];
	if (w->kind != WEB_LINEAR && emit_is_scalar(v))
		v = emit_splat(e, v);
	if (w->any_nan)
		v = LLVMBuildBitCast(e->builder, v, slot_type(e, w), "");
	LLVMBuildStore(e->builder, v, web_slot(e, web));
}

/* The parameter that an offset counts from, as a scalar or a vector as `like` is. */
static value origin(struct emitter *e, uint32_t web, value like)
{
	value parameter = emit_pointer_parameter(e, e->plan->webs[web].parameter);
	return emit_is_scalar(like) ? parameter : emit_splat(e, parameter);
}

/* Converts a value to what is stored for a web. */
static value to_stored(struct emitter *e, uint32_t web, value v)
{
	return e->plan->webs[web].is_offset ? LLVMBuildSub(e->builder, v, origin(e, web, v), "") : v;
}

value emit_web(struct emitter *e, uint32_t web, bool scalar)
{
	const struct web *w = &e->plan->webs[web];
	value v = emit_stored(e, web);
	if (w->is_offset)
		v = LLVMBuildAdd(e->builder, v, origin(e, web, v), "");
	return emit_is_scalar(v) == scalar ? v : emit_row(e, v, w->stride);
}

value emit_offset(struct emitter *e, uint32_t web, bool scalar)
{
	value v = emit_stored(e, web);
	return emit_is_scalar(v) == scalar ? v : emit_row(e, v, e->plan->webs[web].stride);
}

void emit_web_set(struct emitter *e, uint32_t web, value v)
{
	emit_store(e, web, to_stored(e, web, v));
}

void emit_web_clear(struct emitter *e, uint32_t web)
{
	emit_web_set(e, web, LLVMConstNull(emit_integer(e, web_bits(&e->plan->webs[web]))));
}

/* --- operands ---------- */

static uint32_t use_of(const struct emitter *e, uint32_t op, unsigned k)
{
	return e->plan->use[(size_t)op * PLAN_USES + k];
}

bool emit_is_linear(const struct emitter *e, uint32_t op, unsigned k, int64_t *stride_out)
{
	const uint32_t web = use_of(e, op, k);
	*stride_out = web == PLAN_NONE ? 0 : e->plan->webs[web].stride;
	return web == PLAN_NONE || e->plan->webs[web].kind == WEB_LINEAR;
}

bool emit_is_uniform(const struct emitter *e, uint32_t op, unsigned k)
{
	int64_t stride;
	return emit_is_linear(e, op, k, &stride) && !stride;
}

bool emit_once(const struct emitter *e, uint32_t op)
{
	const struct op *o = &e->plan->code->ops[op];
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	if (web != PLAN_NONE && e->plan->webs[web].kind == WEB_LINEAR)
		return true;
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (o->reads >> k & 1 && !emit_is_uniform(e, op, k))
			return false;
	return true;
}

/* The width of operand k of op: that of its web, or of a constant, which the shape of the op's row gives by a
 * letter. */
static unsigned operand_bits(const struct emitter *e, uint32_t op, unsigned k)
{
	const uint32_t web = use_of(e, op, k);
	if (web != PLAN_NONE)
		return web_bits(&e->plan->webs[web]);
	const struct op *o = &e->plan->code->ops[op];
	const struct op_row *row = e->plan->rows[op];
	if (k < strlen(row->shape))
		return row->shape[k] == 'p' ? 1 : row->shape[k] == 'h' ? 16 : row->shape[k] == 'l' ? 64 : 32;
	if (k == MEMORY_ADDRESS)
		return o->address_32 ? 32 : 64;
	return e->plan->verbs[op].bits;
}

/* Operand k of op, which is not a register.  One in the program's constants becomes a constant of LLVM's; any other is
 * loaded from the launch's constants. */
static value constant_operand(struct emitter *e, uint32_t op, unsigned k)
{
	const struct op *o = &e->plan->code->ops[op];
	const unsigned bits = operand_bits(e, op, k);
	const uint32_t offset_B = o->x[k] & OPERAND_OFFSET_MASK;
	uint64_t number = 0;
	if (o->x[k] >> OPERAND_BANK_SHIFT == BANK_CONSTANT) {
		memcpy(&number, e->plan->program->constants + offset_B, bits == 1 ? 1 : bits / 8);
		return LLVMConstInt(emit_integer(e, bits), number, 0);
	}
	return emit_field(e, emit_integer(e, bits), e->constants, offset_B);
}

/* Whether operand k may be an f32 NaN with any bits (web.any_nan). */
static bool operand_any_nan(const struct emitter *e, uint32_t op, unsigned k)
{
	const uint32_t web = use_of(e, op, k);
	return web != PLAN_NONE && e->plan->webs[web].any_nan;
}

/* Operand k as an integer, without a replacement of NaNs. */
static value raw_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar)
{
	const uint32_t web = use_of(e, op, k);
	if (web != PLAN_NONE)
		return emit_web(e, web, scalar);
	value v = constant_operand(e, op, k);
	return scalar ? v : emit_splat(e, v);
}

value emit_one_nan(const struct emitter *e, value bits, LLVMTypeRef type)
{
	value f = LLVMBuildBitCast(e->builder, bits, emit_type(e, type, emit_is_scalar(bits)), "");
	value is_nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, f, f, "");
	return LLVMBuildSelect(e->builder, is_nan, emit_number(e, bits, NAN_32), bits, "");
}

/* Whether op only copies operand k to a web that may have NaNs with any bits, too.  NaNs need not be replaced
 * then. */
static bool hands_on(const struct emitter *e, uint32_t op, unsigned k)
{
	const uint8_t verb = e->plan->verbs[op].verb;
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	return (verb == VERB_EXTEND || verb == VERB_SELECT || (verb == VERB_SHUFFLE && k == 1)) && web != PLAN_NONE &&
	       e->plan->webs[web].any_nan;
}

value emit_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar)
{
	value v = raw_operand(e, op, k, scalar);
	return operand_any_nan(e, op, k) && !hands_on(e, op, k) ? emit_one_nan(e, v, e->f32) : v;
}

value emit_float_operand(struct emitter *e, uint32_t op, unsigned k, bool scalar, LLVMTypeRef type)
{
	value v = raw_operand(e, op, k, scalar);
	return LLVMBuildBitCast(e->builder, v, emit_type(e, type, emit_is_scalar(v)), "");
}

/* --- results ---------- */

/* The guard of op as a mask: the lanes for which it holds. */
static value guard_mask(struct emitter *e, uint32_t op)
{
	const bool negated = e->plan->code->ops[op].guard_negated;
	value guard = emit_web(e, use_of(e, op, PLAN_GUARD), false);
	return negated ? LLVMBuildNot(e->builder, guard, "") : guard;
}

value emit_guarded(struct emitter *e, uint32_t op)
{
	if (e->plan->code->ops[op].guard == OPERAND_NONE)
		return e->now;
	return LLVMBuildAnd(e->builder, e->now, guard_mask(e, op), "");
}

/* The guard of op, which is uniform, as a scalar. */
static value scalar_guard(struct emitter *e, uint32_t op)
{
	const bool negated = e->plan->code->ops[op].guard_negated;
	value guard = emit_web(e, use_of(e, op, PLAN_GUARD), true);
	return negated ? LLVMBuildNot(e->builder, guard, "") : guard;
}

/* Assigns what is stored for a web to it, in the lanes that op assigns it. */
static void assign(struct emitter *e, uint32_t op, uint32_t web, value v)
{
	const bool guarded = e->plan->code->ops[op].guard != OPERAND_NONE;
	const bool kept = plan_has(e->region->nodes[e->node].kept, web);
	if (e->plan->webs[web].kind == WEB_LINEAR) {
		if (guarded)
			v = LLVMBuildSelect(e->builder, scalar_guard(e, op), v, emit_stored(e, web), "");
		emit_store(e, web, v);
		return;
	}
	if (emit_is_scalar(v))
		v = emit_splat(e, v);
	if (guarded || kept) {
		value mask = kept ? emit_guarded(e, op) : guard_mask(e, op);
		v = LLVMBuildSelect(e->builder, mask, v, emit_stored(e, web), "");
	}
	emit_store(e, web, v);
}

void emit_result(struct emitter *e, uint32_t op, unsigned k, value v)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS + k];
	if (web != PLAN_NONE)
		assign(e, op, web, to_stored(e, web, v));
}

/* The number of the operand that the result of op, an offset, is computed from by additions; 0 if there is none. */
static unsigned carrier_of(const struct emitter *e, uint32_t op)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	if (web == PLAN_NONE || !e->plan->webs[web].is_offset)
		return 0;
	for (unsigned k = 1; k < OP_OPERANDS; k++) {
		const uint32_t from = use_of(e, op, k);
		if (from != PLAN_NONE && e->plan->webs[from].parameter == e->plan->webs[web].parameter)
			return k;
	}
	return 0;
}

bool emit_offset_sum(struct emitter *e, uint32_t op, unsigned k, bool subtract, value other)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	if (carrier_of(e, op) != k)
		return false;
	const uint32_t from = use_of(e, op, k);
	const bool scalar = emit_once(e, op);
	value v = e->plan->webs[from].is_offset ? emit_offset(e, from, scalar)
						: to_stored(e, web, emit_operand(e, op, k, scalar));
	if (other)
		v = subtract ? LLVMBuildSub(e->builder, v, other, "") : LLVMBuildAdd(e->builder, v, other, "");
	assign(e, op, web, v);
	return true;
}

void emit_float_result(struct emitter *e, uint32_t op, value v)
{
	const uint32_t web = e->plan->def[(size_t)op * OP_OPERANDS];
	const bool wide = element_of(v) == e->f64;
	value bits = LLVMBuildBitCast(e->builder, v, emit_type(e, wide ? e->i64 : e->i32, emit_is_scalar(v)), "");
	if (!wide && web != PLAN_NONE && !e->plan->webs[web].any_nan)
		bits = emit_one_nan(e, bits, e->f32);
	emit_result(e, op, 0, bits);
}

/* --- the frame ---------- */

/* The address in the frame of the register of a web, for the part's first lane.  A predicate is 32 bits there, one
 * for each lane of the warp.  The frame's address is loaded where it is needed, which most often is on slow paths. */
static value saved_at(struct emitter *e, const struct web *web)
{
	const unsigned size_B = web_bits(web) / 8;
	value at = emit_at(e, registers(e), emit_i64(e, web->slot));
	if (web->width == 'p')
		return at;
	value lane_B = LLVMBuildMul(e->builder, e->first_lane, emit_i32(e, size_B), "");
	return emit_at(e, at, LLVMBuildZExt(e->builder, lane_B, e->i64, ""));
}

/* Replaces the bits of the lanes of mask in a predicate in the frame. */
static void save_predicate(struct emitter *e, const struct web *web, value predicate, value mask)
{
	value at = saved_at(e, web), own = emit_lanes(e, mask);
	value old = LLVMBuildLoad2(e->builder, e->i32, at, "");
	value lanes = LLVMBuildAnd(e->builder, emit_lanes(e, predicate), own, "");
	old = LLVMBuildAnd(e->builder, old, LLVMBuildNot(e->builder, own, ""), "");
	LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, old, lanes, ""), at);
}

void emit_save(struct emitter *e, uint32_t web, bool for_interpreter)
{
	const struct web *w = &e->plan->webs[web];
	const bool scalar = w->kind == WEB_LINEAR && !for_interpreter && w->width != 'p';
	value v = emit_web(e, web, scalar);
	if (w->any_nan)
		v = emit_one_nan(e, v, e->f32);
	if (w->width == 'p') {
		save_predicate(e, w, v, emit_all_lanes(e));
		return;
	}
	LLVMSetAlignment(LLVMBuildStore(e->builder, v, saved_at(e, w)), web_bits(w) / 8);
}

void emit_save_lanes(struct emitter *e, uint32_t web, value mask)
{
	const struct web *w = &e->plan->webs[web];
	value v = emit_web(e, web, false), at = saved_at(e, w);
	if (w->any_nan)
		v = emit_one_nan(e, v, e->f32);
	if (w->width == 'p') {
		save_predicate(e, w, v, mask);
		return;
	}
	value old = LLVMBuildLoad2(e->builder, LLVMTypeOf(v), at, "");
	LLVMSetAlignment(old, web_bits(w) / 8);
	value s = LLVMBuildStore(e->builder, LLVMBuildSelect(e->builder, mask, v, old, ""), at);
	LLVMSetAlignment(s, web_bits(w) / 8);
}

static value load_predicate(struct emitter *e, const struct web *web)
{
	value lanes = LLVMBuildLoad2(e->builder, e->i32, saved_at(e, web), "");
	if (e->plan->width < LANES)
		lanes = LLVMBuildLShr(e->builder, lanes, e->first_lane, "");
	return emit_mask(e, lanes);
}

value emit_load_saved(struct emitter *e, uint32_t web, bool scalar)
{
	const struct web *w = &e->plan->webs[web];
	if (w->width == 'p') {
		value mask = load_predicate(e, w);
		return scalar ? LLVMBuildExtractElement(e->builder, mask, emit_i32(e, 0), "") : mask;
	}
	value v = LLVMBuildLoad2(e->builder, emit_type(e, emit_integer(e, web_bits(w)), scalar), saved_at(e, w), "");
	LLVMSetAlignment(v, web_bits(w) / 8);
	return v;
}
