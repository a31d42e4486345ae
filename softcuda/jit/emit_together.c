/* Shuffles, votes and reductions of a warp, once the lanes have met that they name (emit_op.c): these are the lanes of
 * the node then, and a part is a warp. */
#include "config.h"

#include "softcuda/jit/emit.h"

#include "softcuda/exec/shuffle.h"

/* --- shuffles ---------- */

/* The lane that each lane reads from, and whether it is inside of the segment: vectors. */
struct source {
	value from, inside;
};

/* Both operands are known: the source's vectors are constants, and *indices the lanes. */
static bool find_known_source(const struct emitter *e, uint32_t op, struct source *source, value *indices)
{
	uint64_t by, segments;
	value inside[LANES];
	if (!plan_known(e->plan, op, 2, &by) || !plan_known(e->plan, op, 3, &segments))
		return false;
	for (uint32_t l = 0; l < LANES; l++) {
		bool is_inside;
		indices[l] = emit_i32(e, shuffle_source((enum shuffle)e->plan->verbs[op].part, l, (uint32_t)by,
							(uint32_t)segments, &is_inside));
		inside[l] = LLVMConstInt(e->i1, is_inside, 0);
	}
	*source = (struct source){LLVMConstVector(indices, LANES), LLVMConstVector(inside, LANES)};
	return true;
}

/* As shuffle_source, for vectors. */
static struct source find_source(struct emitter *e, uint32_t op)
{
	LLVMBuilderRef b = e->builder;
	const enum shuffle kind = (enum shuffle)e->plan->verbs[op].part;
	value by = emit_operand(e, op, 2, false), segments = emit_operand(e, op, 3, false);
	value low = emit_number(e, by, LANES - 1), lane = emit_row(e, emit_i32(e, 0), 1), from, inside;
	by = LLVMBuildAnd(b, by, low, "");
	value bound = LLVMBuildAnd(b, segments, low, "");
	value segment = LLVMBuildAnd(b, LLVMBuildLShr(b, segments, emit_number(e, segments, 8), ""), low, "");
	value other = LLVMBuildNot(b, segment, ""), bottom = LLVMBuildAnd(b, lane, segment, "");
	value top = LLVMBuildOr(b, bottom, LLVMBuildAnd(b, bound, other, ""), "");
	if (kind == SHUFFLE_UP)
		from = LLVMBuildSub(b, lane, by, "");
	else if (kind == SHUFFLE_IDX)
		from = LLVMBuildOr(b, bottom, LLVMBuildAnd(b, by, other, ""), "");
	else
		from = kind == SHUFFLE_DOWN ? LLVMBuildAdd(b, lane, by, "") : LLVMBuildXor(b, lane, by, "");
	inside = LLVMBuildICmp(b, kind == SHUFFLE_UP ? LLVMIntSGE : LLVMIntULE, from, top, "");
	from = LLVMBuildSelect(b, inside, LLVMBuildAnd(b, from, low, ""), lane, "");
	return (struct source){from, inside};
}

/* Half of the lanes of a vector. */
static value half_of(const struct emitter *e, value v, unsigned first)
{
	value index[LANES / 2];
	for (unsigned l = 0; l < LANES / 2; l++)
		index[l] = emit_i32(e, first + l);
	return LLVMBuildShuffleVector(e->builder, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, LANES / 2),
				      "");
}

/* AVX-512 has an instruction that takes any of 32 elements. */
static value permute(const struct emitter *e, value v, value from)
{
	value halves[2], index[LANES], low = half_of(e, v, 0), high = half_of(e, v, LANES / 2);
	for (unsigned h = 0; h < 2; h++)
		halves[h] = emit_intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0,
					   (value[]){low, half_of(e, from, h * LANES / 2), high}, 3);
	for (unsigned l = 0; l < LANES; l++)
		index[l] = emit_i32(e, l);
	return LLVMBuildShuffleVector(e->builder, halves[0], halves[1], LLVMConstVector(index, LANES), "");
}

/* The elements `from` of a vector, by way of memory. */
static value look_up(struct emitter *e, value v, value from)
{
	if (e->native >= EMIT_SCATTERS)
		return permute(e, v, from);
	if (!e->shuffled)
		e->shuffled = emit_slot(e, LLVMVectorType(e->i32, LANES), "shuffled");
	LLVMBuildStore(e->builder, v, e->shuffled);
	return emit_gather(e, LLVMBuildGEP2(e->builder, e->i32, e->shuffled, &from, 1, ""));
}

static void broadcast(struct emitter *e, uint32_t op)
{
	value by = emit_operand(e, op, 2, true), v = emit_operand(e, op, 1, emit_is_uniform(e, op, 1));
	by = LLVMBuildAnd(e->builder, by, emit_i32(e, LANES - 1), "");
	if (!emit_is_scalar(v))
		v = LLVMBuildExtractElement(e->builder, v, by, "");
	emit_result(e, op, 0, v);
	emit_result(e, op, 5, LLVMConstInt(e->i1, 1, 0));
}

static void shuffle(struct emitter *e, uint32_t op)
{
	struct source source;
	value indices[LANES], v = emit_operand(e, op, 1, emit_is_uniform(e, op, 1));
	if (plan_is_broadcast(e->plan, op)) {
		broadcast(e, op);
		return;
	}
	const bool known = find_known_source(e, op, &source, indices);
	if (!known)
		source = find_source(e, op);
	if (!emit_is_scalar(v))
		v = known ? LLVMBuildShuffleVector(e->builder, v, LLVMGetPoison(LLVMTypeOf(v)), source.from, "")
			  : look_up(e, v, source.from);
	emit_result(e, op, 0, v);
	emit_result(e, op, 5, source.inside);
}

/* --- votes and reductions ---------- */

static void vote(struct emitter *e, uint32_t op)
{
	LLVMBuilderRef b = e->builder;
	const enum vote kind = (enum vote)e->plan->verbs[op].part;
	value here = emit_lanes(e, e->now), none = emit_i32(e, 0), votes, all;
	if (kind == VOTE_ACTIVE) {
		emit_result(e, op, 0, here);
		return;
	}
	votes = emit_lanes(e, LLVMBuildAnd(b, emit_operand(e, op, 1, false), e->now, ""));
	all = LLVMBuildICmp(b, LLVMIntEQ, votes, here, "");
	if (kind == VOTE_BALLOT)
		emit_result(e, op, 0, votes);
	else if (kind == VOTE_ANY)
		emit_result(e, op, 0, LLVMBuildICmp(b, LLVMIntNE, votes, none, ""));
	else if (kind == VOTE_ALL)
		emit_result(e, op, 0, all);
	else
		emit_result(e, op, 0, LLVMBuildOr(b, all, LLVMBuildICmp(b, LLVMIntEQ, votes, none, ""), ""));
}

static void reduce(struct emitter *e, uint32_t op)
{
	static const struct { const char *name, *name_signed; uint32_t start, start_signed; } kinds[] = {
		[REDUX_ADD] = {"llvm.vector.reduce.add", "llvm.vector.reduce.add", 0, 0},
		[REDUX_AND] = {"llvm.vector.reduce.and", "llvm.vector.reduce.and", UINT32_MAX, UINT32_MAX},
		[REDUX_OR] = {"llvm.vector.reduce.or", "llvm.vector.reduce.or", 0, 0},
		[REDUX_XOR] = {"llvm.vector.reduce.xor", "llvm.vector.reduce.xor", 0, 0},
		[REDUX_MIN] = {"llvm.vector.reduce.umin", "llvm.vector.reduce.smin", UINT32_MAX, INT32_MAX},
		[REDUX_MAX] = {"llvm.vector.reduce.umax", "llvm.vector.reduce.smax", 0, (uint32_t)INT32_MIN}
	};
	const struct jit_verb *verb = &e->plan->verbs[op];
	const uint32_t start = verb->is_signed ? kinds[verb->part].start_signed : kinds[verb->part].start;
	value v = emit_operand(e, op, 1, false);
	v = LLVMBuildSelect(e->builder, e->now, v, emit_number(e, v, start), "");
	emit_result(e, op, 0, emit_unary(e, verb->is_signed ? kinds[verb->part].name_signed : kinds[verb->part].name,
					 v));
}

bool emit_together_op(struct emitter *e, uint32_t op)
{
	switch ((enum verb)e->plan->verbs[op].verb) {
	case VERB_SHUFFLE:
		shuffle(e, op);
		return true;
	case VERB_VOTE:
		vote(e, op);
		return true;
	case VERB_REDUX:
		reduce(e, op);
		return true;
	default:
		return false;
	}
}
