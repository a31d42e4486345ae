/* The fast paths of loads and stores, whose bytes are known to be there.
 *
 * A gather or a scatter takes many times as long as an access of a vector.  So where addresses vary in a way that is
 * not known, such as indices that are clamped, the code tests whether all lanes access consecutive addresses, and
 * then accesses a vector. */
#include "config.h"

#include "softcuda/jit/emit_access.h"

#include <llvm/Config/llvm-config.h>

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

value emit_gather(const struct emitter *e, value pointers)
{
	LLVMTypeRef types[2] = {emit_type(e, e->i32, false), LLVMTypeOf(pointers)};
	const value operands[3] = {pointers, emit_all_lanes(e), LLVMConstNull(types[0])};
	return masked(e, "llvm.masked.gather", types, operands, 3, 0, sizeof(uint32_t));
}

/* A pointer to 8 bytes of the function's own. */
static value nowhere(struct emitter *e)
{
	if (e->nowhere)
		return e->nowhere;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
	e->nowhere = emit_slot(e, e->i64, "nowhere");
	LLVMPositionBuilderBefore(e->builder, LLVMGetBasicBlockTerminator(e->head));
	LLVMBuildStore(e->builder, emit_i64(e, 0), e->nowhere);
	LLVMPositionBuilderAtEnd(e->builder, here);
	return e->nowhere;
}

/* The mask and the pointers of a gather or scatter.  Without instructions for these, LLVM makes a branch for each lane,
 * whose outcome the processor would often guess wrong.  So all lanes access then: those that are not in the mask,
 * memory that nobody uses. */
static value find_lanes(const struct access *a, value *pointers)
{
	struct emitter *e = a->e;
	if (e->native >= EMIT_SCATTERS)
		return a->mask;
	*pointers = LLVMBuildSelect(e->builder, a->mask, *pointers, emit_splat(e, nowhere(e)), "");
	return emit_all_lanes(e);
}

/* The integers of size_B bytes, 4 or 8, that the lanes have at offset_B from `place`. */
static value gather(const struct access *a, value place, unsigned offset_B, unsigned size_B)
{
	struct emitter *e = a->e;
	value pointers = pointer_at(a, place, offset_B), lanes = find_lanes(a, &pointers);
	LLVMTypeRef types[2] = {emit_type(e, emit_integer(e, 8 * size_B), false), LLVMTypeOf(pointers)};
	const value operands[3] = {pointers, lanes, LLVMConstNull(types[0])};
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

/* The lanes whose addresses are not consecutive to that of the first one. */
static value are_not_next(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value first = LLVMBuildExtractElement(e->builder, place, emit_i32(e, 0), "");
	return LLVMBuildICmp(e->builder, LLVMIntNE, place, emit_row(e, first, a->total_B), "");
}

/* A scalar condition: all lanes of the part access, and their addresses are consecutive. */
static value all_are_next(const struct access *a, value place)
{
	struct emitter *e = a->e;
	value differ = LLVMBuildOr(e->builder, are_not_next(a, place), LLVMBuildNot(e->builder, a->mask, ""), "");
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

bool access_may_be_in_rows(const struct access *a)
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

void access_load(const struct access *a, value place)
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

void access_load_rows(const struct access *a)
{
	value elements[4];
	if (LLVMConstIntGetZExtValue(a->rows.next))
		emit_load_next_rows(a->e, &a->rows, memory_type(a), a->verb->size_B, a->count, elements);
	else
		emit_load_same_rows(a->e, &a->rows, memory_type(a), a->verb->size_B, a->count, elements);
	for (unsigned i = 0; i < a->count; i++)
		put_loaded(a, i, elements[i]);
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

/* The executor stores 1 or 2 bytes of as many lanes as this, or more: no processor has an instruction for it, and LLVM
 * makes a test, a branch and a store for each lane. */
enum { EMIT_STORES_SMALL = 16 };

static void scatter_small(const struct access *a, value place, value piece, unsigned size_B)
{
	struct emitter *e = a->e;
	/* A mask's first bit is the part's first lane here. */
	LLVMTypeRef bits = LLVMIntTypeInContext(e->context, e->plan->width);
	value lanes = LLVMBuildBitCast(e->builder, a->mask, bits, "");
	lanes = emit_resize(e, lanes, e->plan->width, 32, false);
	if (!e->stored_at) {
		e->stored_at = emit_slot(e, LLVMVectorType(e->i64, e->plan->width), "stored_at");
		e->stored = emit_slot(e, LLVMVectorType(e->i16, e->plan->width), "stored");
	}
	LLVMBuildStore(e->builder, place, e->stored_at);
	LLVMBuildStore(e->builder, emit_resize(e, piece, 8 * size_B, 16, false), e->stored);
	emit_help(e, LLVMVoidTypeInContext(e->context), EMIT_EXECUTOR(store),
		  (value[]){e->stored_at, e->stored, lanes, emit_i32(e, size_B)}, 4);
}

/* Stores the elements of each lane: pieces of up to 8 bytes, which are put together from the elements. */
static void scatter(const struct access *a, value place)
{
	struct emitter *e = a->e;
	LLVMBuilderRef b = e->builder;
	const unsigned size_B = piece_B(a), each = size_B / a->verb->size_B;
	for (unsigned i = 0; i < a->count; i += each) {
		value piece = NULL;
		for (unsigned k = 0; k < each; k++) {
			value v = emit_resize(e, stored(a, i + k, false), 8u * a->verb->size_B, 8 * size_B, false);
			v = LLVMBuildShl(b, v, emit_number(e, v, 8u * k * a->verb->size_B), "");
			piece = piece ? LLVMBuildOr(b, piece, v, "") : v;
		}
		if (size_B < 4 && e->plan->width >= EMIT_STORES_SMALL) {
			scatter_small(a, place, piece, size_B);
			return;
		}
		value pointers = pointer_at(a, place, i * a->verb->size_B);
		LLVMTypeRef types[2] = {LLVMTypeOf(piece), LLVMTypeOf(pointers)};
		value lanes = find_lanes(a, &pointers);
		masked(e, "llvm.masked.scatter", types, (value[]){piece, pointers, lanes}, 3, 1, size_B);
	}
}

/* Stores the elements of the lanes in the mask, whose addresses are consecutive if all of them are. */
static void store_some(const struct access *a, value pointer)
{
	struct emitter *e = a->e;
	value mask, all = interleaved(a, &mask);
	LLVMTypeRef types[2] = {LLVMTypeOf(all), e->pointer};
	masked(e, "llvm.masked.store", types, (value[]){all, pointer, mask}, 3, 1, a->verb->size_B);
}

/* Stores the elements of each lane where not all lanes access, or not at consecutive addresses.  If only the former is
 * so, one instruction can do it. */
static void store_apart(const struct access *a, value place, LLVMBasicBlockRef on)
{
	struct emitter *e = a->e;
	if (e->native >= EMIT_MOVES_SOME && a->verb->size_B >= 4 && !a->rows.count) {
		LLVMBasicBlockRef some = emit_block(e, "some"), apart = emit_block(e, "scatter");
		LLVMBuildCondBr(e->builder, emit_any(e, LLVMBuildAnd(e->builder, are_not_next(a, place), a->mask, "")),
				apart, some);
		LLVMPositionBuilderAtEnd(e->builder, some);
		store_some(a, first_pointer(a, place));
		LLVMBuildBr(e->builder, on);
		LLVMPositionBuilderAtEnd(e->builder, apart);
	}
	scatter(a, place);
	LLVMBuildBr(e->builder, on);
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
	store_apart(a, place, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}

void access_store(const struct access *a, value place)
{
	struct emitter *e = a->e;
	if (a->shape == SHAPE_NEXT) {
		store_some(a, pointer_at(a, place, 0));
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

void access_store_rows(const struct access *a)
{
	struct emitter *e = a->e;
	LLVMBasicBlockRef whole = emit_block(e, "whole"), some = emit_block(e, "some"), on = emit_block(e, "stored");
	value mask, all = interleaved(a, &mask);
	const unsigned each = e->plan->row * a->count;
	LLVMBuildCondBr(e->builder, a->rows.all, whole, some);
	LLVMPositionBuilderAtEnd(e->builder, whole);
	emit_store_next_rows(e, &a->rows, all, a->verb->size_B);
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, some);
	for (unsigned r = 0; r < a->rows.count; r++) {
		value part = emit_elements(e, all, r * each, each), lanes = emit_elements(e, mask, r * each, each);
		value pointer = LLVMBuildIntToPtr(e->builder, a->rows.first[r], e->pointer, "");
		LLVMTypeRef types[2] = {LLVMTypeOf(part), e->pointer};
		masked(e, "llvm.masked.store", types, (value[]){part, pointer, lanes}, 3, 1, a->verb->size_B);
	}
	LLVMBuildBr(e->builder, on);
	LLVMPositionBuilderAtEnd(e->builder, on);
}
