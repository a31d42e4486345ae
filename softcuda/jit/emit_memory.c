/* Loads and stores.
 *
 * Each access has a fast path, for lanes whose bytes are in shared memory, in the lane's local memory, or in a
 * range of other memory that the group has looked up before (a slot).  The slow path calls the interpreter's
 * handler, which does all other accesses and reports faults.  If the lanes' addresses are consecutive, the fast
 * path accesses one vector in memory; if they are one address, a scalar; otherwise it gathers or scatters
 * (emit_access.c). */
#include "config.h"

#include "softcuda/jit/emit_access.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/watch.h"

static struct access access_of(struct emitter *e, uint32_t number)
{
	const struct op *op = &e->plan->code->ops[number];
	const struct jit_verb *verb = &e->plan->verbs[number];
	return (struct access){.e = e, .op = op, .verb = verb, .number = number, .count = op->vector,
			       .total_B = op->vector * verb->size_B};
}

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
	_Static_assert(SLOT_ALIGNED_B == 1 << PLAN_ALIGNED, "what counts as aligned");
	*start_out = slot_field(e, slot, offsetof(struct memory_slot, start));
	*size_out = slot_field(e, slot, offsetof(struct memory_slot, size_B));
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

/* The number of elements of total_B bytes behind the parameter: the limit of their indices at which an access fits.
 * 0 if the parameter is not in the slot's memory or not aligned. */
static value index_limit(const struct access *a, uint32_t slot)
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
	LLVMPositionBuilderAtEnd(b, here);
	return left;
}

/* The limit of offsets from the parameter at which an access fits.  It is a product, as an index times the size of an
 * element is, so that LLVM compares an index with a number of elements. */
static value parameter_limit(const struct access *a, uint32_t slot)
{
	struct emitter *e = a->e;
	value left = index_limit(a, slot);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	left = LLVMBuildNUWMul(e->builder, left, emit_i64(e, a->total_B), "");
	LLVMPositionBuilderAtEnd(e->builder, here);
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

/* Branches to `told` if the watcher need not be told of the access. */
static void skip_quiet(const struct access *a, uint32_t slot, LLVMBasicBlockRef told)
{
	struct emitter *e = a->e;
	const bool reads = a->verb->verb != VERB_STORE;
	const uint64_t kinds = (reads ? SOFT_ACCESS_READ : 0u) |
			       (a->verb->verb != VERB_LOAD ? SOFT_ACCESS_WRITE : 0u);
	LLVMBasicBlockRef tell = emit_block(e, "tell");
	const size_t of_group_B = a->is_private ? offsetof(struct group, quiet_private) :
						  offsetof(struct group, quiet_shared);
	value quiet = slot == PLAN_NONE ? emit_field(e, e->i64, e->group, of_group_B) :
					  slot_field(e, slot, offsetof(struct memory_slot, quiet));
	if (slot != PLAN_NONE && reads) {
		value loud = emit_field(e, e->i64, emit_warp(e), offsetof(struct warp, not_quiet));
		quiet = LLVMBuildAnd(e->builder, quiet, LLVMBuildNot(e->builder, loud, ""), "");
	}
	value all = emit_i64(e, kinds), is_quiet = LLVMBuildAnd(e->builder, quiet, all, "");
	LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, is_quiet, all, ""), told, tell);
	LLVMPositionBuilderAtEnd(e->builder, tell);
}

/* The slot of a read of shared memory. */
static uint32_t shared_slot(const struct access *a)
{
	struct emitter *e = a->e;
	if (!e->slot_of[a->number])
		e->slot_of[a->number] = 1 + emit_parameter_slot(e->compiled, COMPILED_SHARED);
	return e->slot_of[a->number] - 1;
}

/* A vector of the lanes' places. */
static value all_places(const struct access *a, value place)
{
	return emit_is_scalar(place) ? emit_row(a->e, place, a->shape == SHAPE_NEXT ? a->total_B : 0) : place;
}

/* Tells the watcher of an access that the fast path is possible for; the handler on the slow path tells it itself. */
static void look(const struct access *a, value place)
{
	struct emitter *e = a->e;
	int64_t stride;
	if ((a->verb->verb == VERB_ATOMIC || a->op->mode != ORDER_WEAK) && !a->is_private) {
		emit_look_all(e, a->number, a->mask, all_places(a, place), a->total_B);
		return;
	}
	if (a->op->space == SPACE_SHARED && (a->rows.count || a->may_be_next || a->shape != SHAPE_ANY)) {
		const bool keeps = a->verb->verb == VERB_LOAD && a->op->mode == ORDER_WEAK;
		emit_look_shared(e, a->number, a->mask, place, a->total_B, a->shape == SHAPE_NEXT ? a->total_B : 0,
				 a->rows.count ? &a->rows : NULL, keeps ? shared_slot(a) : PLAN_NONE);
		return;
	}
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

/* --- accesses with one test for several ---------- */

/* The limit of an access's index, less `more`: of the 32 bits to which `more` is added. */
static value limit_before(struct emitter *e, uint32_t number, const struct emit_index *index)
{
	struct access a = access_of(e, number);
	find_shape(&a);
	value limit = index_limit(&a, emit_memory_slot(e, number));
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	/* No sum of 32 bits that is less than this has wrapped around. */
	limit = emit_binary(e, "llvm.umin", limit, emit_i64(e, UINT64_C(1) << (index->is_signed ? 31 : 32)));
	limit = emit_binary(e, "llvm.usub.sat", limit, emit_i64(e, index->more));
	LLVMPositionBuilderAtEnd(e->builder, here);
	return limit;
}

/* The least limit for an access's index and those of accesses behind it that have the same one. */
static value least_limit(const struct access *a, const struct emit_index *index)
{
	struct emitter *e = a->e;
	value limit = limit_before(e, a->number, index);
	for (uint32_t op = a->number + 1; op < e->again_end; op++) {
		struct emit_index other;
		if (e->tested[op] || !emit_find_index(e, op, &other) || !emit_same_index(index, &other))
			continue;
		value less = limit_before(e, op, &other);
		LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
		LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
		limit = emit_binary(e, "llvm.umin", limit, less);
		LLVMPositionBuilderAtEnd(e->builder, here);
		e->tested[op] = true;
	}
	return limit;
}

/* Emits the test of an access with an index, and of those behind it with the same one, unless another access has done
 * so for it.  Its place. */
static value find_indexed_place(const struct access *a, const struct emit_index *index)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	const uint32_t web = e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	value first = emit_resize(e, emit_web(e, index->web, true), 32, 64, index->is_signed);
	first = emit_if_counts(e, first);
	if (!e->tested[a->number]) {
		LLVMBasicBlockRef quick = emit_block(e, "quick");
		value limit = least_limit(a, index);
		emit_unlikely(e, LLVMBuildICmp(b, LLVMIntUGE, first, limit, ""), e->again, quick);
		LLVMPositionBuilderAtEnd(b, quick);
	}
	value offset = LLVMBuildMul(b, first, emit_i64(e, a->total_B), "");
	value place = LLVMBuildAdd(b, emit_pointer_parameter(e, e->plan->webs[web].parameter), offset, "");
	return LLVMBuildAdd(b, place, emit_i64(e, (uint64_t)index->more * a->total_B), "");
}

/* Emits the test and the fast path of an access; if the test fails, the second code begins. */
static void emit_quick_access(struct access *a)
{
	struct emitter *e = a->e;
	struct emit_index index;
	value place;
	find_shape(a);
	if (emit_find_index(e, a->number, &index)) {
		place = find_indexed_place(a, &index);
	} else {
		LLVMBasicBlockRef quick = emit_block(e, "quick");
		value is_slow_now;
		uint32_t slot;
		find_address(a);
		a->address = emit_if_counts(e, a->address);
		place = find_place(a, &is_slow_now, &slot);
		emit_unlikely(e, is_slow_now, e->again, quick);
		LLVMPositionBuilderAtEnd(e->builder, quick);
		if (a->is_offset)
			place = whole_address(a);
	}
	if (a->verb->verb == VERB_LOAD)
		access_load(a, place);
	else
		access_store(a, place);
}

/* --- accesses in known rows ---------- */

/* Whether the lanes of each row, if they access, have consecutive addresses, or, of a load, equal ones: apart from
 * where a value of 32 bits, as which the addresses have begun, wraps around. */
static bool is_in_rows(const struct access *a)
{
	const struct plan *plan = a->e->plan;
	const uint32_t web = plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS];
	const bool loads = a->verb->verb == VERB_LOAD, shared = a->op->space == SPACE_SHARED;
	if (!access_may_be_in_rows(a) || (!loads && a->verb->verb != VERB_STORE) || a->op->mode != ORDER_WEAK ||
	    (!shared && (a->op->space != SPACE_GLOBAL || a->op->address_32)) || plan->code->op_count > SECOND_TEST_MAX)
		return false;
	const struct web *w = &plan->webs[web];
	return w->row_kind == WEB_LINEAR && (w->row_stride == (int64_t)a->total_B || (loads && !w->row_stride));
}

/* The address of lane l, a scalar. */
static value address_of(const struct access *a, unsigned l)
{
	return LLVMBuildExtractElement(a->e->builder, a->address, emit_i32(a->e, l), "");
}

/* The place of a row, a scalar, whose first lane has this address, of which *slow_out is whether the slow path is
 * needed.  row: the access, with the row's span_B. */
static value find_row_place(const struct access *row, value *slow_out)
{
	struct access first = *row;
	uint32_t slot;
	value place = find_place(&first, slow_out, &slot);
	return first.is_offset ? whole_address(&first) : place;
}

/* Sets access->rows, and returns a scalar i1: whether the fast path cannot be taken. */
static value find_known_rows(struct access *a)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	const struct web *web = &e->plan->webs[e->plan->use[(size_t)a->number * PLAN_USES + MEMORY_ADDRESS]];
	const unsigned step_B = (unsigned)web->row_stride, width = e->plan->width, row = e->plan->row;
	value bits = LLVMBuildBitCast(b, a->mask, LLVMIntTypeInContext(e->context, width), ""), has[EMIT_ROWS];
	value none = LLVMConstNull(LLVMTypeOf(bits)), all = LLVMConstAllOnes(LLVMTypeOf(bits));
	struct emit_rows *rows = &a->rows;
	*rows = (struct emit_rows){.row = row, .count = width / row, .known = true};
	rows->next = LLVMConstInt(e->i1, step_B != 0, 0);
	rows->same = LLVMConstInt(e->i1, step_B == 0, 0);
	rows->all = LLVMBuildICmp(b, LLVMIntEQ, bits, all, "");
	value bad = step_B ? LLVMBuildICmp(b, LLVMIntEQ, bits, none, "") : LLVMBuildNot(b, rows->all, "");
	for (unsigned r = 0; r < rows->count; r++) {
		struct access one = *a;
		value slow, of_row = LLVMConstInt(LLVMTypeOf(bits), (UINT64_MAX >> (64 - row)) << r * row, 0);
		has[r] = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, bits, of_row, ""), none, "");
		one.address = address_of(a, r * row);
		one.span_B = (row - 1) * step_B + a->total_B;
		rows->first[r] = find_row_place(&one, &slow);
		if (web->row_wraps && a->op->space != SPACE_SHARED) {
			value behind = LLVMBuildSub(b, address_of(a, (r + 1) * row - 1), one.address, "");
			value right = emit_i64(e, (uint64_t)(row - 1) * step_B);
			slow = LLVMBuildOr(b, slow, LLVMBuildICmp(b, LLVMIntNE, behind, right, ""), "");
		}
		bad = LLVMBuildOr(b, bad, LLVMBuildAnd(b, has[r], slow, ""), "");
	}
	/* A row without lanes has the place of another one. */
	value other = rows->first[0];
	for (unsigned r = 1; r < rows->count; r++)
		other = LLVMBuildSelect(b, has[r], rows->first[r], other, "");
	for (unsigned r = 0; r < rows->count; r++)
		rows->first[r] = LLVMBuildSelect(b, has[r], rows->first[r], other, "");
	return bad;
}

/* Emits the fast path of an access in known rows, and goes on where it cannot be taken. */
static void emit_known_rows(struct access a, LLVMBasicBlockRef on)
{
	struct emitter *e = a.e;
	LLVMBuilderRef b = e->builder;
	value bad = find_known_rows(&a);
	LLVMBasicBlockRef rows = emit_block(e, "in_rows"), any = emit_block(e, "any");
	LLVMBuildCondBr(b, bad, any, rows);
	LLVMPositionBuilderAtEnd(b, rows);
	if (e->plan->watched) {
		LLVMBasicBlockRef told = emit_block(e, "told");
		skip_quiet(&a, has_slot(&a) ? emit_memory_slot(e, a.number) : PLAN_NONE, told);
		look(&a, NULL);
		LLVMBuildBr(b, told);
		LLVMPositionBuilderAtEnd(b, told);
	}
	if (a.verb->verb == VERB_LOAD)
		access_load_rows(&a);
	else
		access_store_rows(&a);
	LLVMBuildBr(b, on);
	LLVMPositionBuilderAtEnd(b, any);
}

/* Emits the test, the slow path and the fast path of an access. */
static void emit_access(struct access *a)
{
	struct emitter *e = a->e;
	if (e->again) {
		emit_quick_access(a);
		return;
	}
	LLVMBasicBlockRef slow = emit_block(e, "slow"), quick = emit_block(e, "quick"), on = emit_block(e, "on");
	value is_slow_now;
	uint32_t slot;
	find_shape(a);
	find_address(a);
	if (is_in_rows(a))
		emit_known_rows(*a, on);
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
	if (a->verb->verb != VERB_ATOMIC && access_may_be_in_rows(a))
		emit_find_rows(e, place, a->mask, a->total_B, &a->rows);
	if (e->plan->watched) {
		LLVMBasicBlockRef told = emit_block(e, "told");
		const bool compares = a->verb->verb == VERB_ATOMIC && a->verb->part == ATOMIC_CAS;
		skip_quiet(a, slot, told);
		/* A watcher wants to know which lanes have written. */
		if (compares)
			emit_compare(e, a->number, a->mask, all_places(a, place), a->total_B);
		else
			look(a, place);
		LLVMBuildBr(e->builder, compares ? on : told);
		LLVMPositionBuilderAtEnd(e->builder, told);
	}
	if (a->verb->verb == VERB_LOAD)
		access_load(a, place);
	else if (a->verb->verb == VERB_STORE)
		access_store(a, place);
	else
		access_atomic(a, place);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}

/* The same.  LLVM does not move other accesses across one that is volatile, nor leaves one out. */
static void emit_ordered(struct access *a)
{
	const bool ordered = a->op->mode != ORDER_WEAK && a->verb->verb != VERB_ATOMIC;
	if (ordered)
		LLVMBuildFence(a->e->builder, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
	emit_access(a);
	if (ordered)
		LLVMBuildFence(a->e->builder, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
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
	struct access a = access_of(e, number);
	const bool atomic = a.verb->verb == VERB_ATOMIC;
	if ((a.verb->verb != VERB_LOAD && a.verb->verb != VERB_STORE && !atomic) || a.count > 4 || a.count == 3 ||
	    (op->space == SPACE_LOCAL && op->address_32))
		return false;
	find_shape(&a);
	if (atomic && (a.is_private || a.count > 1))
		return false;
	if (op->space == SPACE_PARAM)
		return load_parameter(e, number);
	a.mask = emit_guarded(e, number);
	if (op->guard == OPERAND_NONE) {
		emit_ordered(&a);
		return true;
	}
	LLVMBasicBlockRef some = emit_block(e, "some"), none = emit_block(e, "none");
	LLVMBuildCondBr(e->builder, emit_any(e, a.mask), some, none);
	LLVMPositionBuilderAtEnd(e->builder, some);
	emit_ordered(&a);
	LLVMBuildBr(e->builder, none);
	LLVMPositionBuilderAtEnd(e->builder, none);
	return true;
}
