/* Loads and stores.
 *
 * Each access has a fast path, for lanes whose bytes are in shared memory, in the lane's local memory, or in a
 * range of other memory that the group has looked up before (a slot).  The slow path calls the interpreter's
 * handler, which does all other accesses and reports faults.  If the lanes' addresses are consecutive, the fast
 * path accesses one vector in memory; if they are one address, a scalar; otherwise it gathers or scatters, which takes
 * many times as long.  So where addresses vary in a way that is not known, such as indices that are clamped, it tests
 * whether all lanes access consecutive addresses, and then accesses a vector. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/watch.h"

#include <llvm/Config/llvm-config.h>

enum shape {
	SHAPE_SAME,               /* all lanes have the same address */
	SHAPE_NEXT,               /* the lanes' addresses are consecutive */
	SHAPE_ANY                 /* the lanes' addresses vary */
};

/* A load or store that is being emitted. */
struct access {
	struct emitter *e;
	const struct op *op;
	const struct jit_verb *verb;
	uint32_t number;          /* index of the op */
	unsigned count, total_B;  /* elements of a lane, and the size of all of them */
	bool is_private;          /* in private memory, or probably: by a generic address */
	enum shape shape;
	bool may_be_next;         /* of SHAPE_ANY: they may be consecutive nonetheless, which a test finds out */
	uint32_t span_B;          /* bytes accessed from `address` on: of all lanes for SHAPE_NEXT, else of one */
	bool is_offset;           /* `address` counts from the parameter that it is computed from */
	value address;            /* scalar or vector, with op->imm: i32 for shared memory, otherwise i64 */
	value mask;               /* the lanes that access */
	struct emit_rows rows;    /* of places that may be in rows */
};

/* --- addresses ---------- */

static void find_shape(struct access *a)
{
	int64_t stride;
	const bool linear = emit_is_linear(a->e, a->number, MEMORY_ADDRESS, &stride);
	a->shape = linear && !stride ? SHAPE_SAME : linear && stride == (int64_t)a->total_B ? SHAPE_NEXT : SHAPE_ANY;
	/* Each lane has its own local memory, so equal or consecutive addresses are apart in the host's memory. */
	const uint32_t web = a->e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	a->is_private = a->op->space == SPACE_LOCAL ||
			(a->op->space == SPACE_GENERIC && web != PLAN_NONE && a->e->plan->webs[web].is_private);
	if (a->is_private)
		a->shape = SHAPE_ANY;
	a->may_be_next = !linear && !a->is_private;
	a->span_B = a->shape == SHAPE_NEXT ? a->total_B * a->e->plan->width : a->total_B;
}

/* Whether the memory is one that has a slot: not shared or private memory. */
static bool has_slot(const struct access *a)
{
	return a->op->space != SPACE_SHARED && !a->is_private;
}

static void find_address(struct access *a)
{
	struct emitter *e = a->e;
	const bool shared = a->op->space == SPACE_SHARED, scalar = a->shape != SHAPE_ANY;
	const uint32_t web = e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	a->is_offset = web != PLAN_NONE && e->plan->webs[web].is_offset && has_slot(a);
	value v = a->is_offset ? emit_offset(e, web, scalar) : emit_operand(e, a->number, MEMORY_ADDRESS, scalar);
	/* Shared memory has 32-bit addresses, which wrap around as they do in hardware. */
	if (shared && !a->op->address_32)
		v = emit_resize(e, v, 64, 32, false);
	v = LLVMBuildAdd(e->builder, v, emit_number(e, v, (uint64_t)a->op->imm), "");
	if (!shared && a->op->address_32)
		v = emit_resize(e, v, 32, 64, false);
	a->address = v;
}

/* --- whether the fast path is possible ---------- */

/* The number of offsets in memory of size_B bytes at which the access fits; 0 if it fits nowhere.  The computation is
 * hoisted out of the loop over parts, as size_B is. */
static value limit_of(const struct access *a, value size_B)
{
	struct emitter *e = a->e;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	value limit = emit_binary(e, "llvm.usub.sat", size_B, emit_number(e, size_B, a->span_B - 1));
	LLVMPositionBuilderAtEnd(e->builder, here);
	return limit;
}

/* How far a number of access->total_B bytes, a power of two, has to be shifted to be 1. */
static unsigned log2_of(const struct access *a)
{
	return (unsigned)__builtin_ctz(a->total_B);
}

/* As is_slow, for one offset.  Rotated to the right, an offset that is not aligned is a large number; so one comparison
 * finds both.  The limit for that is hoisted out of the loop over parts. */
static value is_slow_scalar(const struct access *a, value offset, value limit)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	LLVMTypeRef type = LLVMTypeOf(offset);
	if (a->total_B > 1) {
		LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
		LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(e->head));
		limit = LLVMBuildAdd(b, limit, emit_number(e, limit, a->total_B - 1), "");
		limit = LLVMBuildLShr(b, limit, emit_number(e, limit, log2_of(a)), "");
		LLVMPositionBuilderAtEnd(b, here);
		offset = emit_intrinsic(e, "llvm.fshr", &type, 1,
					(value[]){offset, offset, emit_number(e, offset, log2_of(a))}, 3);
	}
	return LLVMBuildICmp(b, LLVMIntUGE, offset, limit, "");
}

/* The condition of is_slow without anything hoisted: for a vector of offsets, or a scalar. */
static value is_any_slow(const struct access *a, value offset, value limit, bool aligned)
{
	LLVMBuilderRef b = a->e->builder;
	value most = emit_is_scalar(offset) ? limit : emit_splat(a->e, limit);
	value outside = LLVMBuildICmp(b, LLVMIntUGE, offset, most, "");
	if (a->total_B > 1 && !aligned) {
		value low = LLVMBuildAnd(b, offset, emit_number(a->e, offset, a->total_B - 1), "");
		value skewed = LLVMBuildICmp(b, LLVMIntNE, low, emit_number(a->e, low, 0), "");
		outside = LLVMBuildOr(b, outside, skewed, "");
	}
	return emit_is_scalar(outside) ? outside : emit_any(a->e, LLVMBuildAnd(b, outside, a->mask, ""));
}

/* The scalar condition for the slow path: an offset, which counts from an aligned address, is outside [0, limit) or not
 * aligned.  aligned: it is known to be aligned.  Of a vector only the lanes that access are considered. */
static value is_slow(const struct access *a, value offset, value limit, bool aligned)
{
	LLVMBuilderRef b = a->e->builder;
	if (emit_is_scalar(offset))
		return aligned ? LLVMBuildICmp(b, LLVMIntUGE, offset, limit, "") : is_slow_scalar(a, offset, limit);
	return is_any_slow(a, offset, limit, aligned);
}

/* A field of a slot. */
static value slot_field(struct emitter *e, uint32_t slot, size_t field_B)
{
	value slots = emit_field(e, e->pointer, e->group, offsetof(struct group, slots));
	return emit_field(e, e->i64, slots, slot * sizeof(struct memory_slot) + field_B);
}

/* Stores the first aligned address of a slot's memory, and the size of the memory from there on. */
static void load_slot(struct emitter *e, uint32_t slot, value *start_out, value *size_out)
{
	const uint64_t low = (1u << PLAN_ALIGNED) - 1;
	value start = slot_field(e, slot, offsetof(struct memory_slot, range.start));
	start = LLVMBuildAdd(e->builder, start, emit_i64(e, low), "");
	*start_out = LLVMBuildAnd(e->builder, start, emit_i64(e, ~low), "");
	value end = slot_field(e, slot, offsetof(struct memory_slot, range.end));
	*size_out = emit_binary(e, "llvm.usub.sat", end, *start_out);
}

/* Loads the range of memory of a slot, hoisted out of the loop over parts. */
static void read_slot(struct emitter *e, uint32_t slot)
{
	if (e->slot_start[slot])
		return;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	load_slot(e, slot, &e->slot_start[slot], &e->slot_size[slot]);
	LLVMPositionBuilderAtEnd(e->builder, here);
}

/* All accesses whose addresses are computed from the same kernel parameter share a slot.  Any other access has a
 * slot of its own. */
uint32_t emit_memory_slot(struct emitter *e, uint32_t op)
{
	const uint32_t web = e->plan->use[(size_t)op * PLAN_USES + MEMORY_ADDRESS];
	if (!e->slot_of[op])
		e->slot_of[op] = 1 + emit_parameter_slot(e->compiled, web == PLAN_NONE ? COMPILED_NO_PARAMETER
									     : e->plan->webs[web].parameter);
	return e->slot_of[op] - 1;
}

/* --- offsets from a parameter ---------- */

/* An address less a scalar. */
static value less(const struct access *a, value address, value scalar)
{
	return LLVMBuildSub(a->e->builder, address, emit_is_scalar(address) ? scalar : emit_splat(a->e, scalar), "");
}

/* The address of which a->address is the offset. */
static value whole_address(const struct access *a)
{
	struct emitter *e = a->e;
	const uint32_t web = e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	value parameter = emit_pointer_parameter(e, e->plan->webs[web].parameter);
	return LLVMBuildAdd(e->builder, a->address,
			    emit_is_scalar(a->address) ? parameter : emit_splat(e, parameter), "");
}

/* The limit of offsets from the parameter at which an access fits: 0 if the parameter is not in the slot's memory or
 * not aligned.  It is a product, as an index times the size of an element is, so that LLVM compares an index with a
 * number of elements. */
static value parameter_limit(const struct access *a, uint32_t slot)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
	value pointer = emit_pointer_parameter(e, e->compiled->slot_parameter[slot]);
	read_slot(e, slot);
	LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(e->head));
	value from = less(a, pointer, e->slot_start[slot]);
	value left = emit_binary(e, "llvm.usub.sat", e->slot_size[slot], from);
	left = emit_binary(e, "llvm.usub.sat", left, emit_i64(e, a->span_B - a->total_B));
	left = LLVMBuildLShr(b, left, emit_i64(e, log2_of(a)), "");
	/* The parameter's low bits, as the highest bits of a number: more than any memory has, if one is set. */
	value skewed = LLVMBuildAnd(b, pointer, emit_i64(e, a->total_B - 1), "");
	skewed = LLVMBuildShl(b, skewed, emit_i64(e, 64 - PLAN_ALIGNED), "");
	left = emit_binary(e, "llvm.usub.sat", left, skewed);
	left = LLVMBuildNUWMul(b, left, emit_i64(e, a->total_B), "");
	LLVMPositionBuilderAtEnd(b, here);
	return left;
}

/* Whether the alignment of an offset follows from that of the parameter. */
static bool is_aligned(const struct access *a)
{
	const uint32_t web = a->e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	return a->total_B <= 1u << a->e->plan->webs[web].zeros && !((uint64_t)a->op->imm & (a->total_B - 1));
}

/* As is_slow, for an offset from a parameter. */
static value is_outside(const struct access *a, uint32_t slot)
{
	return is_slow(a, a->address, parameter_limit(a, slot), is_aligned(a));
}

/* In a kernel of more instructions than this, second tests would be too much code. */
enum { SECOND_TEST_MAX = 400 };

/* Emits the test on the slow path of an access by an offset: other addresses in the slot's memory than those behind the
 * parameter take the quick path nevertheless. */
static void emit_second_test(const struct access *a, uint32_t slot, LLVMBasicBlockRef quick)
{
	struct emitter *e = a->e;
	value start, size;
	LLVMBasicBlockRef handler = emit_block(e, "handler");
	load_slot(e, slot, &start, &size);
	value limit = emit_binary(e, "llvm.usub.sat", size, emit_i64(e, a->span_B - 1));
	value from = LLVMBuildSub(e->builder, emit_pointer_parameter(e, e->compiled->slot_parameter[slot]), start, "");
	value offset = LLVMBuildAdd(e->builder, a->address,
				    emit_is_scalar(a->address) ? from : emit_splat(e, from), "");
	value outside = is_any_slow(a, offset, limit, false);
	LLVMBuildCondBr(e->builder, outside, handler, quick);
	LLVMPositionBuilderAtEnd(e->builder, handler);
}

/* The addresses in the host's memory, as an i64 or a vector of them.  *slow_out is the condition for the slow path.
 * *slot_out is the slot of the access; PLAN_NONE for shared and local memory, which have none. */
static value find_place(const struct access *a, value *slow_out, uint32_t *slot_out)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	*slot_out = PLAN_NONE;
	if (a->op->space == SPACE_SHARED) {
		*slow_out = is_slow(a, a->address, limit_of(a, e->shared_B), false);
		value offset = emit_resize(e, a->address, 32, 64, false);
		value base = LLVMBuildPtrToInt(b, e->shared, e->i64, "");
		return LLVMBuildAdd(b, emit_is_scalar(offset) ? base : emit_splat(e, base), offset, "");
	}
	if (a->is_private) {
		/* A generic address of other memory becomes an offset that is too large. */
		value offset = a->op->space == SPACE_LOCAL ? a->address :
			       LLVMBuildSub(b, a->address, emit_number(e, a->address, WINDOW_LOCAL), "");
		*slow_out = is_slow(a, offset, limit_of(a, emit_i64(e, e->plan->code->local_B)), false);
		value lane = LLVMBuildZExt(b, e->first_lane, e->i64, "");
		value lanes = LLVMBuildMul(b, emit_row(e, lane, 1), emit_splat(e, e->local_stride), "");
		lanes = LLVMBuildAdd(b, lanes, emit_splat(e, e->local), "");
		return LLVMBuildAdd(b, lanes, offset, "");
	}
	*slot_out = emit_memory_slot(e, a->number);
	if (a->is_offset) {
		*slow_out = is_outside(a, *slot_out);
		return NULL;
	}
	read_slot(e, *slot_out);
	value offset = less(a, a->address, e->slot_start[*slot_out]);
	*slow_out = is_slow(a, offset, limit_of(a, e->slot_size[*slot_out]), a->total_B == 1);
	return a->address;
}

/* --- the fast path ---------- */

static LLVMTypeRef memory_type(const struct access *a)
{
	return emit_integer(a->e, 8u * a->verb->size_B);
}

/* The pointer, or the vector of pointers, to what is offset_B bytes behind `place`. */
static value pointer_at(const struct access *a, value place, unsigned offset_B)
{
	struct emitter *e = a->e;
	place = LLVMBuildAdd(e->builder, place, emit_number(e, place, offset_B), "");
	return LLVMBuildIntToPtr(e->builder, place, emit_type(e, e->pointer, emit_is_scalar(place)), "");
}

/* Elements first, first + step, ... of a vector, one for each lane of the part. */
static value every(const struct emitter *e, value v, unsigned first, unsigned step)
{
	value index[LANES];
	for (unsigned l = 0; l < e->plan->width; l++)
		index[l] = emit_i32(e, first + l * step);
	return LLVMBuildShuffleVector(e->builder, v, LLVMGetPoison(LLVMTypeOf(v)),
				      LLVMConstVector(index, e->plan->width), "");
}

/* Calls a masked intrinsic whose operand number `pointer` is the pointer.  Before LLVM 22 the alignment is another
 * operand after the pointer; since then it is an attribute of the pointer. */
static value masked(const struct emitter *e, const char *name, LLVMTypeRef *overloads, const value *operands,
		    unsigned count, unsigned pointer, unsigned align_B)
{
	value all[5];
	unsigned n = 0;
	for (unsigned i = 0; i < count; i++) {
		all[n++] = operands[i];
#if LLVM_VERSION_MAJOR < 22
		if (i == pointer)
			all[n++] = emit_i32(e, align_B);
#endif
	}
	value call = emit_intrinsic(e, name, overloads, 2, all, n);
#if LLVM_VERSION_MAJOR >= 22
	const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAddCallSiteAttribute(call, pointer + 1, LLVMCreateEnumAttribute(e->context, kind, align_B));
#endif
	return call;
}

/* The integers of size_B bytes, 4 or 8, that the lanes have at offset_B from `place`. */
static value gather(const struct access *a, value place, unsigned offset_B, unsigned size_B)
{
	struct emitter *e = a->e;
	value pointers = pointer_at(a, place, offset_B);
	LLVMTypeRef types[2] = {emit_type(e, emit_integer(e, 8 * size_B), false), LLVMTypeOf(pointers)};
	const value operands[3] = {pointers, a->mask, LLVMConstNull(types[0])};
	return masked(e, "llvm.masked.gather", types, operands, 3, 0, size_B);
}

/* As gather, for 1 or 2 bytes, for which processors have no instruction: of the aligned 4 bytes around them, which are
 * in the same page. */
static value gather_small(const struct access *a, value place, unsigned size_B)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	value within = LLVMBuildAnd(b, place, emit_number(e, place, 3), "");
	value word = gather(a, LLVMBuildSub(b, place, within, ""), 0, 4);
	value bits = LLVMBuildShl(b, emit_resize(e, within, 64, 32, false), emit_number(e, word, 3), "");
	return emit_resize(e, LLVMBuildLShr(b, word, bits, ""), 32, 8 * size_B, false);
}

/* The size of the pieces of an access that one gather or scatter moves: all elements of a lane, if they are 8 bytes or
 * less. */
static unsigned piece_B(const struct access *a)
{
	return a->total_B < 8 ? a->total_B : 8;
}

static void load_apart(const struct access *a, value place, value *elements_out)
{
	struct emitter *e = a->e;
	const unsigned size_B = piece_B(a), each = size_B / a->verb->size_B;
	for (unsigned i = 0; i < a->count; i += each) {
		value piece = size_B < 4 ? gather_small(a, place, size_B)
					 : gather(a, place, i * a->verb->size_B, size_B);
		for (unsigned k = 0; k < each; k++) {
			value shift = emit_number(e, piece, 8u * k * a->verb->size_B);
			elements_out[i + k] = emit_resize(e, LLVMBuildLShr(e->builder, piece, shift, ""), 8 * size_B,
							  8u * a->verb->size_B, false);
		}
	}
}

/* A scalar condition: all lanes of the part access, and their addresses are consecutive. */
static value all_are_next(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value first = LLVMBuildExtractElement(e->builder, place, emit_i32(e, 0), "");
	value differ = LLVMBuildICmp(e->builder, LLVMIntNE, place, emit_row(e, first, a->total_B), "");
	differ = LLVMBuildOr(e->builder, differ, LLVMBuildNot(e->builder, a->mask, ""), "");
	return LLVMBuildNot(e->builder, emit_any(e, differ), "");
}

/* Loads all lanes' elements as one vector. */
static void load_next(const struct access *a, value pointer, value *elements_out)
{
	struct emitter *e = a->e;
	value all = LLVMBuildLoad2(e->builder, LLVMVectorType(memory_type(a), e->plan->width * a->count), pointer, "");
	LLVMSetAlignment(all, a->verb->size_B);
	for (unsigned i = 0; i < a->count; i++)
		elements_out[i] = a->count == 1 ? all : every(e, all, i, a->count);
}

static value first_pointer(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value first = LLVMBuildExtractElement(e->builder, place, emit_i32(e, 0), "");
	return LLVMBuildIntToPtr(e->builder, first, e->pointer, "");
}

/* Whether the addresses may be consecutive, or equal, in each row of the part. */
static bool may_be_in_rows(const struct access *a)
{
	const struct plan *plan = a->e->plan;
	return a->may_be_next && plan->row > 1 && plan->row < plan->width && plan->width / plan->row <= EMIT_ROWS;
}

/* As load_any, for places that may be in rows. */
static void load_rows(const struct access *a, value place, value *elements_out)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	enum { NEXT, SAME, APART, WAYS };
	static const char *const names[WAYS] = {"next", "same", "apart"};
	LLVMBasicBlockRef ways[WAYS], other = emit_block(e, "other"), on = emit_block(e, "loaded");
	value loaded[WAYS][4], elements[WAYS];
	for (unsigned i = 0; i < WAYS; i++)
		ways[i] = emit_block(e, names[i]);
	LLVMBuildCondBr(b, a->rows.next, ways[NEXT], other);
	LLVMPositionBuilderAtEnd(b, other);
	LLVMBuildCondBr(b, a->rows.same, ways[SAME], ways[APART]);
	LLVMPositionBuilderAtEnd(b, ways[NEXT]);
	emit_load_next_rows(e, &a->rows, memory_type(a), a->verb->size_B, a->count, loaded[NEXT]);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, ways[SAME]);
	emit_load_same_rows(e, &a->rows, memory_type(a), a->verb->size_B, a->count, loaded[SAME]);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, ways[APART]);
	load_apart(a, place, loaded[APART]);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, on);
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned w = 0; w < WAYS; w++)
			elements[w] = loaded[w][i];
		elements_out[i] = LLVMBuildPhi(b, LLVMTypeOf(elements[0]), "");
		LLVMAddIncoming(elements_out[i], elements, ways, WAYS);
	}
}

/* Loads the elements of each lane where addresses vary. */
static void load_any(const struct access *a, value place, value *elements_out)
{
	struct emitter *e = a->e;
	value one[4], other[4];
	if (!a->may_be_next) {
		load_apart(a, place, elements_out);
		return;
	}
	if (a->rows.count) {
		load_rows(a, place, elements_out);
		return;
	}
	LLVMBasicBlockRef next = emit_block(e, "consecutive"), apart = emit_block(e, "apart"),
			  on = emit_block(e, "loaded");
	LLVMBuildCondBr(e->builder, all_are_next(a, place), next, apart);
	LLVMPositionBuilderAtEnd(e->builder, next);
	load_next(a, first_pointer(a, place), one);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, apart);
	load_apart(a, place, other);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
	for (unsigned i = 0; i < a->count; i++) {
		elements_out[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(one[i]), "");
		LLVMAddIncoming(elements_out[i], (value[]){one[i], other[i]}, (LLVMBasicBlockRef[]){next, apart}, 2);
	}
}

/* Assigns a loaded element to its register, extended if it is a byte. */
static void put_loaded(const struct access *a, unsigned element, value v)
{
	const unsigned bits = 8u * a->verb->size_B;
	emit_result(a->e, a->number, element, emit_resize(a->e, v, bits, bits == 8 ? 16 : bits, a->verb->is_signed));
}

static void load(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value elements[4];
	if (a->shape == SHAPE_NEXT)
		load_next(a, pointer_at(a, place, 0), elements);
	else if (a->shape == SHAPE_ANY)
		load_any(a, place, elements);
	for (unsigned i = 0; i < a->count; i++) {
		if (a->shape == SHAPE_SAME) {
			elements[i] = LLVMBuildLoad2(e->builder, memory_type(a),
						     pointer_at(a, place, i * a->verb->size_B), "");
			LLVMSetAlignment(elements[i], a->verb->size_B);
		}
		put_loaded(a, i, elements[i]);
	}
}

/* The element that an op stores, in the width that it has in memory. */
static value stored(const struct access *a, unsigned element, bool scalar)
{
	const unsigned bits = 8u * a->verb->size_B;
	value v = emit_operand(a->e, a->number, element, scalar);
	return emit_resize(a->e, v, bits == 8 ? 16 : bits, bits, false);
}

/* The elements that all lanes store, in the order of their addresses, and the mask of those that are stored. */
static value interleaved(const struct access *a, value *mask_out)
{
	struct emitter *e = a->e;
	const unsigned width = e->plan->width;
	value index[4 * LANES], repeat[4 * LANES], all = stored(a, 0, false);
	*mask_out = a->mask;
	if (a->count == 1)
		return all;
	LLVMTypeRef type = LLVMVectorType(memory_type(a), width * a->count);
	all = LLVMGetPoison(type);
	for (unsigned i = 0; i < a->count; i++) {
		value part = stored(a, i, false);
		/* Element i of lane l goes to index l * count + i.  The first shuffle makes a vector as long as `all`,
		 * in which it is there; the second one takes it from there, and the rest from `all`. */
		for (unsigned p = 0; p < width * a->count; p++) {
			index[p] = emit_i32(e, p % a->count == i ? p / a->count : 0);
			repeat[p] = emit_i32(e, p % a->count == i ? width * a->count + p : p);
		}
		part = LLVMBuildShuffleVector(e->builder, part, LLVMGetPoison(LLVMTypeOf(part)),
					      LLVMConstVector(index, width * a->count), "");
		all = LLVMBuildShuffleVector(e->builder, all, part, LLVMConstVector(repeat, width * a->count), "");
	}
	for (unsigned p = 0; p < width * a->count; p++)
		repeat[p] = emit_i32(e, p / a->count);
	*mask_out = LLVMBuildShuffleVector(e->builder, a->mask, LLVMGetPoison(LLVMTypeOf(a->mask)),
					   LLVMConstVector(repeat, width * a->count), "");
	return all;
}

/* The element that is stored if all lanes store to one address: that of the highest lane in the mask. */
static value last_of(const struct access *a, unsigned element)
{
	struct emitter *e = a->e;
	if (emit_is_uniform(e, a->number, element))
		return stored(a, element, true);
	LLVMTypeRef type = LLVMIntTypeInContext(e->context, e->plan->width);
	value bits = LLVMBuildBitCast(e->builder, a->mask, type, "");
	value above = emit_intrinsic(e, "llvm.ctlz", &type, 1, (value[]){bits, LLVMConstInt(e->i1, 1, 0)}, 2);
	value lane = LLVMBuildSub(e->builder, LLVMConstInt(type, e->plan->width - 1, 0), above, "");
	return LLVMBuildExtractElement(e->builder, stored(a, element, false), lane, "");
}

/* Stores the elements of each lane: pieces of up to 8 bytes, which are put together from the elements. */
static void scatter(const struct access *a, value place)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	const unsigned size_B = piece_B(a), each = size_B / a->verb->size_B;
	for (unsigned i = 0; i < a->count; i += each) {
		value piece = NULL, pointers = pointer_at(a, place, i * a->verb->size_B);
		for (unsigned k = 0; k < each; k++) {
			value v = emit_resize(e, stored(a, i + k, false), 8u * a->verb->size_B, 8 * size_B, false);
			v = LLVMBuildShl(b, v, emit_number(e, v, 8u * k * a->verb->size_B), "");
			piece = piece ? LLVMBuildOr(b, piece, v, "") : v;
		}
		LLVMTypeRef types[2] = {LLVMTypeOf(piece), LLVMTypeOf(pointers)};
		masked(e, "llvm.masked.scatter", types, (value[]){piece, pointers, a->mask}, 3, 1, size_B);
	}
}

/* Stores the elements of each lane where addresses vary. */
static void store_any(const struct access *a, value place)
{
	struct emitter *e = a->e;
	if (!a->may_be_next) {
		scatter(a, place);
		return;
	}
	LLVMBasicBlockRef next = emit_block(e, "consecutive"), apart = emit_block(e, "apart"),
			  on = emit_block(e, "stored");
	value mask;
	LLVMBuildCondBr(e->builder, a->rows.count ? a->rows.next : all_are_next(a, place), next, apart);
	LLVMPositionBuilderAtEnd(e->builder, next);
	value all = interleaved(a, &mask);
	if (a->rows.count)
		emit_store_next_rows(e, &a->rows, all, a->verb->size_B);
	else
		LLVMSetAlignment(LLVMBuildStore(e->builder, all, first_pointer(a, place)), a->verb->size_B);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, apart);
	scatter(a, place);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}

static void store(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value mask;
	if (a->shape == SHAPE_NEXT) {
		value all = interleaved(a, &mask), pointer = pointer_at(a, place, 0);
		LLVMTypeRef types[2] = {LLVMTypeOf(all), e->pointer};
		masked(e, "llvm.masked.store", types, (value[]){all, pointer, mask}, 3, 1, a->verb->size_B);
		return;
	}
	if (a->shape == SHAPE_ANY) {
		store_any(a, place);
		return;
	}
	for (unsigned i = 0; i < a->count; i++) {
		value s = LLVMBuildStore(e->builder, last_of(a, i), pointer_at(a, place, i * a->verb->size_B));
		LLVMSetAlignment(s, a->verb->size_B);
	}
}

/* Branches to `told` if the watcher need not be told of the access. */
static void skip_quiet(const struct access *a, uint32_t slot, LLVMBasicBlockRef told)
{
	struct emitter *e = a->e;
	const uint64_t kind = a->verb->verb == VERB_LOAD ? SOFT_ACCESS_READ : SOFT_ACCESS_WRITE;
	LLVMBasicBlockRef tell = emit_block(e, "tell");
	const size_t of_group_B = a->is_private ? offsetof(struct group, quiet_private) :
						  offsetof(struct group, quiet_shared);
	value quiet = slot == PLAN_NONE ? emit_field(e, e->i64, e->group, of_group_B) :
					  slot_field(e, slot, offsetof(struct memory_slot, quiet));
	if (slot != PLAN_NONE && kind == SOFT_ACCESS_READ) {
		value loud = emit_field(e, e->i64, emit_warp(e), offsetof(struct warp, not_quiet));
		quiet = LLVMBuildAnd(e->builder, quiet, LLVMBuildNot(e->builder, loud, ""), "");
	}
	value is_quiet = LLVMBuildAnd(e->builder, quiet, emit_i64(e, kind), "");
	LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntNE, is_quiet, emit_i64(e, 0), ""), told, tell);
	LLVMPositionBuilderAtEnd(e->builder, tell);
}

/* Tells the watcher of an access that the fast path is possible for; the handler on the slow path tells it itself. */
static void look(const struct access *a, value place)
{
	struct emitter *e = a->e;
	int64_t stride;
	if (a->rows.count) {
		emit_look_rows(e, a->number, a->mask, place, a->total_B, &a->rows);
		return;
	}
	if (!a->is_private || !emit_is_linear(e, a->number, MEMORY_ADDRESS, &stride) || stride) {
		emit_look(e, a->number, a->mask, place, a->total_B, a->shape == SHAPE_NEXT ? a->total_B : 0);
		return;
	}
	const uint64_t window = a->op->space == SPACE_LOCAL ? 0 : WINDOW_LOCAL;
	value offset = emit_operand(e, a->number, MEMORY_ADDRESS, true);
	offset = LLVMBuildAdd(e->builder, offset, emit_i64(e, (uint64_t)a->op->imm - window), "");
	emit_look_private(e, a->number, a->mask, place, a->total_B, offset);
}

/* Emits the test, the slow path and the fast path of an access. */
static void emit_access(struct access *a)
{
	struct emitter *e = a->e;
	LLVMBasicBlockRef slow = emit_block(e, "slow"), quick = emit_block(e, "quick"), on = emit_block(e, "on");
	value is_slow_now;
	uint32_t slot;
	find_shape(a);
	find_address(a);
	value place = find_place(a, &is_slow_now, &slot);
	emit_unlikely(e, is_slow_now, slow, quick);
	LLVMPositionBuilderAtEnd(e->builder, slow);
	if (a->is_offset && e->plan->code->op_count <= SECOND_TEST_MAX)
		emit_second_test(a, slot, quick);
	emit_call(e, a->number, a->mask, slot);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, quick);
	/* Where this sum is part of the access's own address, it takes no instruction. */
	if (a->is_offset)
		place = whole_address(a);
	if (may_be_in_rows(a))
		emit_find_rows(e, place, a->mask, a->total_B, &a->rows);
	if (e->plan->watched) {
		LLVMBasicBlockRef told = emit_block(e, "told");
		skip_quiet(a, slot, told);
		look(a, place);
		LLVMBuildBr(e->builder, told);
		LLVMPositionBuilderAtEnd(e->builder, told);
	}
	if (a->verb->verb == VERB_LOAD)
		load(a, place);
	else
		store(a, place);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}

/* Loads kernel parameters at a constant offset, hoisted out of the loop over parts.  False if the offset is not
 * constant, not aligned, or outside the parameters. */
static bool load_parameter(struct emitter *e, uint32_t number)
{
	const struct op *op = &e->plan->code->ops[number];
	const struct jit_verb *verb = &e->plan->verbs[number];
	uint64_t offset_B;
	if (op->address_32 || !plan_constant(e->plan, op, MEMORY_ADDRESS, 64, &offset_B))
		return false;
	offset_B += (uint64_t)op->imm;
	const uint32_t total_B = verb->size_B * op->vector, size_B = e->plan->code->parameter_size_B;
	if (offset_B % total_B || offset_B > size_B || size_B - offset_B < total_B)
		return false;
	const unsigned bits = 8u * verb->size_B;
	for (unsigned i = 0; i < op->vector; i++) {
		LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
		LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
		value v = emit_field(e, emit_integer(e, bits), e->parameters, offset_B + (uint64_t)i * verb->size_B);
		LLVMSetAlignment(v, 1);
		LLVMPositionBuilderAtEnd(e->builder, here);
		emit_result(e, number, i, emit_resize(e, v, bits, bits == 8 ? 16 : bits, verb->is_signed));
	}
	return true;
}

bool emit_memory_op(struct emitter *e, uint32_t number)
{
	const struct op *op = &e->plan->code->ops[number];
	struct access a = {.e = e, .op = op, .verb = &e->plan->verbs[number], .number = number,
			   .count = op->vector, .total_B = op->vector * e->plan->verbs[number].size_B};
	if ((a.verb->verb != VERB_LOAD && a.verb->verb != VERB_STORE) || a.count > 4 || a.count == 3 ||
	    (op->space == SPACE_LOCAL && op->address_32))
		return false;
	if (op->space == SPACE_PARAM)
		return load_parameter(e, number);
	a.mask = emit_guarded(e, number);
	if (op->guard == OPERAND_NONE) {
		emit_access(&a);
		return true;
	}
	LLVMBasicBlockRef some = emit_block(e, "some"), none = emit_block(e, "none");
	LLVMBuildCondBr(e->builder, emit_any(e, a.mask), some, none);
	LLVMPositionBuilderAtEnd(e->builder, some);
	emit_access(&a);
	LLVMBuildBr(e->builder, none);
	LLVMPositionBuilderAtEnd(e->builder, none);
	return true;
}
