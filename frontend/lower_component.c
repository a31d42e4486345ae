#include "config.h"

#include "frontend/lower_component.h"

#include <string.h>

/* Components of vectors in memory.  For `p->y = v` Clang loads the whole vector, inserts the
 * component and stores the whole vector.  What another work-item stored to another component in
 * between would be lost, and bytes behind the end of a buffer would be read and written.  OpenCL C
 * 3.0, 6.3.1 (as C11, 3.14): each component is a memory location of its own, which may be updated
 * while others are.  So a store of components becomes a store of those alone, and a load of which
 * only some components are used a load of those.
 *
 * This pass sees the IR as Clang wrote it: the load, what inserts and the store stand one behind
 * the other, with one pointer.  A source that loads a vector into a variable, changes it, and
 * stores it as a whole has the variable in between, and is left as it is.  libnvvm joins loads
 * and stores of neighbours again where the source has them all. */

static unsigned lanes_of(LLVMTypeRef vector)
{
	return LLVMGetVectorSize(vector);
}

/* Whether each component of a vector of this type has an address of its own. */
bool fe_component_has_address(struct lowering *lowering, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || lanes_of(type) > COMPONENT_MOST_LANES)
		return false;
	LLVMTypeRef element = LLVMGetElementType(type);
	return LLVMSizeOfTypeInBits(lowering->layout, element) ==
	       8 * LLVMABISizeOfType(lowering->layout, element);
}

/* Whether the pointer is to a private variable, which no other work-item writes to and which may become a
 * value. Programs that are checked are an exception: the checker has to see which components are written, unless it
 * need not see the variable at all. */
bool fe_component_is_kept_whole(const struct lowering *lowering, LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAAllocaInst(pointer) && (!lowering->checked || fe_is_assigned(pointer));
}

static bool has_one_use(LLVMValueRef value)
{
	LLVMUseRef use = LLVMGetFirstUse(value);
	return use && !LLVMGetNextUse(use);
}

/* -- access to some lanes ----------------------------------------------------------------- */

/* Returns the largest power of two that divides both the alignment of the vector and the offset within it. */
static unsigned alignment_at(unsigned alignment, uint64_t offset_B)
{
	while (offset_B % alignment)
		alignment /= 2;
	return alignment;
}

uint64_t fe_component_size_B(struct lowering *lowering, LLVMTypeRef vector)
{
	return LLVMABISizeOfType(lowering->layout, LLVMGetElementType(vector));
}

static LLVMValueRef build_address(struct lowering *lowering, LLVMTypeRef vector,
				  LLVMValueRef pointer, LLVMValueRef lane)
{
	LLVMTypeRef element = LLVMGetElementType(vector);
	return LLVMBuildInBoundsGEP2(lowering->builder, element, pointer, &lane, 1, "");
}

LLVMValueRef fe_component_address(struct lowering *lowering, LLVMTypeRef vector,
				     LLVMValueRef pointer, unsigned lane)
{
	LLVMTypeRef number = LLVMInt64TypeInContext(lowering->context);
	return lane ? build_address(lowering, vector, pointer, LLVMConstInt(number, lane, false))
		    : pointer;
}

bool fe_component_is_vector_of(LLVMTypeRef type, unsigned bits)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return false;
	type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

bool fe_component_is_plain(LLVMValueRef access)
{
	return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

void fe_component_take_properties(LLVMValueRef to, LLVMValueRef from, unsigned alignment)
{
	LLVMSetVolatile(to, LLVMGetVolatile(from));
	LLVMSetAlignment(to, alignment);
}

unsigned fe_component_alignment(struct lowering *lowering, LLVMValueRef access, LLVMTypeRef vector,
			       unsigned lane)
{
	return alignment_at(LLVMGetAlignment(access), lane * fe_component_size_B(lowering, vector));
}

/* Like lane_alignment, for a lane that may be known at run time alone: then the alignment that every lane
 * has. */
static unsigned any_alignment(struct lowering *lowering, LLVMValueRef access, LLVMTypeRef vector,
			      LLVMValueRef lane)
{
	return fe_component_alignment(lowering, access, vector,
			      LLVMIsAConstantInt(lane) ? (unsigned)LLVMConstIntGetZExtValue(lane)
						       : 1);
}

/* Returns how many lanes, beginning with first and at most count, one access may take: 4, 2 or 1. An access
 * is never larger than its alignment. */
static unsigned run_of(struct lowering *lowering, LLVMValueRef access, LLVMTypeRef vector,
		       unsigned first, unsigned count)
{
	unsigned run = count >= 4 ? 4 : count >= 2 ? 2 : 1;
	while (run > 1 && fe_component_alignment(lowering, access, vector, first) <
				  run * fe_component_size_B(lowering, vector))
		run /= 2;
	return run;
}

/* -- stores -------------------------------------------------------------------------------- */

/* If the stored value is a loaded vector into which components were inserted, returns that load; else NULL. */
static LLVMValueRef loaded_base(LLVMValueRef value)
{
	if (!LLVMIsAInsertElementInst(value) && !LLVMIsAShuffleVectorInst(value))
		return NULL;
	LLVMValueRef base = LLVMGetOperand(value, 0);
	return LLVMIsALoadInst(base) && has_one_use(base) && has_one_use(value) ? base : NULL;
}

/* Whether the two instructions stand in one block and only instructions that move components stand between
 * them. */
static bool is_one_assignment(LLVMValueRef load, LLVMValueRef store)
{
	LLVMValueRef i = LLVMGetNextInstruction(load);
	while (i && i != store &&
	       (LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i) ||
		LLVMIsAExtractElementInst(i)))
		i = LLVMGetNextInstruction(i);
	return i == store;
}

/* Whether each lane of the shuffle is either the loaded lane of that number or a lane of the other operand;
 * changed tells which lanes come from the other operand. */
static bool find_changed(LLVMValueRef shuffle, bool changed[COMPONENT_MOST_LANES])
{
	unsigned lanes = lanes_of(LLVMTypeOf(shuffle));
	bool any = false;
	if (LLVMTypeOf(LLVMGetOperand(shuffle, 0)) != LLVMTypeOf(shuffle) ||
	    LLVMIsUndef(LLVMGetOperand(shuffle, 1)))
		return false;
	for (unsigned lane = 0; lane < lanes; lane++) {
		int from = LLVMGetMaskValue(shuffle, lane);
		changed[lane] = from >= (int)lanes;
		any = any || changed[lane];
		if (!changed[lane] && from >= 0 && from != (int)lane)
			return false;
	}
	return any;
}

static LLVMValueRef build_lanes(struct lowering *lowering, LLVMValueRef shuffle, unsigned first,
				unsigned count)
{
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef other = LLVMGetOperand(shuffle, 1), mask[COMPONENT_MOST_LANES];
	unsigned lanes = lanes_of(LLVMTypeOf(shuffle));
	for (unsigned i = 0; i < count; i++) {
		unsigned from = (unsigned)LLVMGetMaskValue(shuffle, first + i) - lanes;
		mask[i] = LLVMConstInt(number, from, false);
	}
	if (count == 1)
		return LLVMBuildExtractElement(lowering->builder, other, mask[0], "");
	return LLVMBuildShuffleVector(lowering->builder, other, LLVMGetUndef(LLVMTypeOf(other)),
				      LLVMConstVector(mask, count), "");
}

static void store_changed(struct lowering *lowering, LLVMValueRef store, LLVMValueRef shuffle,
			  const bool changed[COMPONENT_MOST_LANES])
{
	LLVMTypeRef vector = LLVMTypeOf(shuffle);
	LLVMValueRef pointer = LLVMGetOperand(store, 1);
	unsigned lanes = lanes_of(vector), run;
	for (unsigned lane = 0; lane < lanes; lane += run) {
		for (run = 0; lane + run < lanes && changed[lane + run]; run++)
			;
		if (!run) {
			run = 1;
			continue;
		}
		run = run_of(lowering, store, vector, lane, run);
		LLVMValueRef part = LLVMBuildStore(
			lowering->builder, build_lanes(lowering, shuffle, lane, run),
			fe_component_address(lowering, vector, pointer, lane));
		fe_component_take_properties(part, store, fe_component_alignment(lowering, store, vector, lane));
	}
}

void fe_component_store_inserted(struct lowering *lowering, LLVMValueRef store, LLVMValueRef insert)
{
	LLVMTypeRef vector = LLVMTypeOf(insert);
	LLVMValueRef part = LLVMBuildStore(lowering->builder, LLVMGetOperand(insert, 1),
					   build_address(lowering, vector,
							 LLVMGetOperand(store, 1),
							 LLVMGetOperand(insert, 2)));
	fe_component_take_properties(part, store, any_alignment(lowering, store, vector,
					     LLVMGetOperand(insert, 2)));
}

static bool is_of_one_place(LLVMValueRef load, LLVMValueRef store)
{
	return LLVMGetOperand(load, 0) == LLVMGetOperand(store, 1);
}

static void part_store(struct lowering *lowering, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), load = loaded_base(value);
	bool changed[COMPONENT_MOST_LANES];
	if (!load || !is_of_one_place(load, store) ||
	    !fe_component_has_address(lowering, LLVMTypeOf(value)) ||
	    fe_component_is_kept_whole(lowering, LLVMGetOperand(store, 1)) || !is_one_assignment(load, store))
		return;
	bool inserts = LLVMIsAInsertElementInst(value);
	if (!inserts && !find_changed(value, changed))
		return;
	LLVMPositionBuilderBefore(lowering->builder, store);
	if (inserts)
		fe_component_store_inserted(lowering, store, value);
	else
		store_changed(lowering, store, value, changed);
	LLVMInstructionEraseFromParent(store);
	LLVMInstructionEraseFromParent(value);
	LLVMInstructionEraseFromParent(load);
}

/* -- what may write ------------------------------------------------------------------------- */

static LLVMAttributeRef find_attribute(LLVMValueRef function, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Whether the call is arithmetic that accesses no memory, such as llvm.fmuladd or get_local_id. */
static bool is_arithmetic(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee))
		return false;
	/* Since LLVM 16 one attribute lists all that a function accesses; in older versions readnone stands
	 * for no access at all. */
	LLVMAttributeRef memory = find_attribute(callee, "memory");
	return memory ? !LLVMGetEnumAttributeValue(memory)
		      : find_attribute(callee, "readnone") != NULL;
}

static bool may_write(LLVMValueRef i)
{
	return LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && !is_arithmetic(i)) ||
	       LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
	       (LLVMIsALoadInst(i) && LLVMGetVolatile(i));
}

/* Returns the first instruction from i on that is user or that may write, or NULL if the block ends before
 * one. */
static LLVMValueRef find_write(LLVMValueRef i, LLVMValueRef user)
{
	while (i && i != user && !may_write(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

/* Whether control may go from block directly to next. In a program that is checked the number of a component
 * is checked in between. */
static bool leads_to(LLVMBasicBlockRef block, LLVMBasicBlockRef next)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
		if (LLVMGetSuccessor(end, i) == next)
			return true;
	return false;
}

/* Whether something between the load and the user may write. It is true if they stand in different blocks. */
bool fe_component_writes_between(const struct lowering *lowering, LLVMValueRef load, LLVMValueRef user)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(load), to = LLVMGetInstructionParent(user);
	LLVMValueRef found = find_write(LLVMGetNextInstruction(load), user);
	if (!found && lowering->checked && leads_to(from, to))
		found = find_write(LLVMGetFirstInstruction(to), user);
	return found != user;
}

/* -- loads --------------------------------------------------------------------------------- */

static void replace(LLVMValueRef old, LLVMValueRef value)
{
	LLVMReplaceAllUsesWith(old, value);
	LLVMInstructionEraseFromParent(old);
}

static LLVMValueRef build_load(struct lowering *lowering, LLVMValueRef load, LLVMTypeRef type,
			       LLVMValueRef address, unsigned alignment)
{
	LLVMValueRef part = LLVMBuildLoad2(lowering->builder, type, address, "");
	fe_component_take_properties(part, load, alignment);
	return part;
}

static void load_extracted(struct lowering *lowering, LLVMValueRef load, LLVMValueRef extract)
{
	LLVMTypeRef vector = LLVMTypeOf(load);
	LLVMPositionBuilderBefore(lowering->builder, load);
	LLVMValueRef lane = LLVMGetOperand(extract, 1);
	/* The number of the lane may be computed behind the load. */
	if (!LLVMIsAConstantInt(lane))
		LLVMPositionBuilderBefore(lowering->builder, extract);
	LLVMValueRef address = build_address(lowering, vector, LLVMGetOperand(load, 0), lane);
	replace(extract, build_load(lowering, load, LLVMGetElementType(vector), address,
				    any_alignment(lowering, load, vector, lane)));
}

/* Notes which lanes of its single vector operand the shuffle takes; false if it has two vector operands. */
static bool find_taken(LLVMValueRef shuffle, LLVMValueRef vector, bool taken[COMPONENT_MOST_LANES])
{
	unsigned lanes = lanes_of(LLVMTypeOf(vector)), count = LLVMGetNumMaskElements(shuffle);
	if (LLVMGetOperand(shuffle, 0) != vector || !LLVMIsUndef(LLVMGetOperand(shuffle, 1)))
		return false;
	for (unsigned i = 0; i < count; i++) {
		int from = LLVMGetMaskValue(shuffle, i);
		if (from >= (int)lanes)
			return false;
		if (from >= 0)
			taken[from] = true;
	}
	return true;
}

/* Loads the lanes that are taken and builds a vector of them; its other lanes are undefined. */
bool fe_component_find_lanes(LLVMValueRef user, LLVMValueRef vector, bool taken[COMPONENT_MOST_LANES])
{
	if (LLVMIsAShuffleVectorInst(user))
		return find_taken(user, vector, taken);
	LLVMValueRef lane = LLVMIsAExtractElementInst(user) ? LLVMGetOperand(user, 1) : NULL;
	if (!lane || LLVMGetOperand(user, 0) != vector || !LLVMIsAConstantInt(lane) ||
	    LLVMConstIntGetZExtValue(lane) >= lanes_of(LLVMTypeOf(vector)))
		return false;
	taken[LLVMConstIntGetZExtValue(lane)] = true;
	return true;
}

/* The vector with the lanes that are taken, and undefined ones. */
LLVMValueRef fe_component_load_lanes(struct lowering *lowering, LLVMValueRef load,
			       const bool taken[COMPONENT_MOST_LANES])
{
	LLVMTypeRef vector = LLVMTypeOf(load), number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef whole = LLVMGetUndef(vector);
	LLVMPositionBuilderBefore(lowering->builder, load);
	for (unsigned lane = 0; lane < lanes_of(vector); lane++) {
		if (!taken[lane])
			continue;
		LLVMValueRef part = build_load(
			lowering, load, LLVMGetElementType(vector),
			fe_component_address(lowering, vector, LLVMGetOperand(load, 0), lane),
			fe_component_alignment(lowering, load, vector, lane));
		whole = LLVMBuildInsertElement(lowering->builder, whole, part,
					       LLVMConstInt(number, lane, false), "");
	}
	return whole;
}

/* If only one instruction uses the load of a vector, and it uses some lanes that may be loaded alone, returns
 * that instruction; else NULL. */
static LLVMValueRef find_taker(struct lowering *lowering, LLVMValueRef load,
			       bool taken[COMPONENT_MOST_LANES])
{
	memset(taken, 0, COMPONENT_MOST_LANES * sizeof(*taken));
	if (!LLVMIsALoadInst(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
	    !has_one_use(load) || !fe_component_has_address(lowering, LLVMTypeOf(load)) ||
	    fe_component_is_kept_whole(lowering, LLVMGetOperand(load, 0)))
		return NULL;
	LLVMValueRef taker = LLVMGetUser(LLVMGetFirstUse(load));
	if (LLVMIsAExtractElementInst(taker) && LLVMGetOperand(taker, 0) == load &&
	    !LLVMIsAConstantInt(LLVMGetOperand(taker, 1)))
		return fe_component_writes_between(lowering, load, taker) ? NULL : taker;
	return fe_component_find_lanes(taker, load, taken) ? taker : NULL;
}

static void part_load(struct lowering *lowering, LLVMValueRef load, LLVMValueRef taker,
		      const bool taken[COMPONENT_MOST_LANES])
{
	if (LLVMIsAShuffleVectorInst(taker))
		LLVMReplaceAllUsesWith(load, fe_component_load_lanes(lowering, load, taken));
	else
		load_extracted(lowering, load, taker);
	LLVMInstructionEraseFromParent(load);
}

/* Returns the type of what a GEP points to, or NULL if the pointer is no GEP. */
static LLVMTypeRef pointed_type(LLVMValueRef pointer)
{
	if (!LLVMIsAGetElementPtrInst(pointer))
		return NULL;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
	for (int i = 2; type && i < LLVMGetNumOperands(pointer); i++) {
		LLVMValueRef index = LLVMGetOperand(pointer, (unsigned)i);
		LLVMTypeKind kind = LLVMGetTypeKind(type);
		if (kind == LLVMStructTypeKind && LLVMIsAConstantInt(index))
			type = LLVMStructGetTypeAtIndex(
				type, (unsigned)LLVMConstIntGetZExtValue(index));
		else
			type = kind == LLVMArrayTypeKind ? LLVMGetElementType(type) : NULL;
	}
	return type;
}

/* A vector of three is as large as one of four, and Clang loads it so.  It is told apart where the
 * pointer tells what it points at, and taken for one of three elsewhere. */
static bool may_be_of_three(LLVMValueRef load)
{
	return lanes_of(LLVMTypeOf(load)) == 4 &&
	       pointed_type(LLVMGetOperand(load, 0)) != LLVMTypeOf(load);
}

/* Whether the lanes that are taken are all that the vector has. */
bool fe_component_takes_most(const bool taken[COMPONENT_MOST_LANES], LLVMValueRef load)
{
	unsigned count = 0, lanes = lanes_of(LLVMTypeOf(load));
	for (unsigned lane = 0; lane < lanes; lane++)
		count += taken[lane];
	return count == lanes || (count == 3 && !taken[3] && may_be_of_three(load));
}

/* -- loads that belong together ------------------------------------------------------------
 *
 * `p[i].x * p[i].y + p[i].z * p[i].w` loads the vector four times, which libnvvm makes one
 * load.  Of its elements it makes one as well, but not of half, nor where a part is a vector
 * itself.  So loads of one vector, with nothing in between that may write, are looked at
 * together: where they take all of it, they stay. */

enum { MOST_TOGETHER = 64, DEEPEST_ADDRESS = 6 };

struct group {
	LLVMValueRef loads[MOST_TOGETHER];
	LLVMValueRef takers[MOST_TOGETHER];
	bool taken[MOST_TOGETHER][COMPONENT_MOST_LANES];
	unsigned count;
};

static bool is_computed_alike(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) || LLVMIsACastInst(value) ||
	       LLVMIsABinaryOperator(value);
}

/* Whether value is loaded from a private variable. Nothing writes to the variable between loads that are
 * looked at together. */
static bool is_variable_load(LLVMValueRef value)
{
	return LLVMIsALoadInst(value) && !LLVMGetVolatile(value) &&
	       LLVMIsAAllocaInst(LLVMGetOperand(value, 0));
}

/* Whether two values are certainly equal: they are one value, or the same computation of equal values. */
static bool is_same(LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
	if (a == b)
		return true;
	if (is_variable_load(a) && is_variable_load(b))
		return LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
	if (depth == DEEPEST_ADDRESS || !is_computed_alike(a) || !is_computed_alike(b) ||
	    LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
	    LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
	    (LLVMIsAGetElementPtrInst(a) &&
	     LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(a); i++)
		if (!is_same(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i),
			     depth + 1))
			return false;
	return true;
}

static bool is_one_vector(LLVMValueRef a, LLVMValueRef b)
{
	return LLVMTypeOf(a) == LLVMTypeOf(b) &&
	       is_same(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), 0);
}

static bool takes_most_together(const struct group *group, unsigned which)
{
	bool all[COMPONENT_MOST_LANES] = {false};
	for (unsigned i = 0; i < group->count; i++)
		for (unsigned lane = 0; lane < COMPONENT_MOST_LANES; lane++)
			all[lane] = all[lane] || (group->taken[i][lane] &&
						  is_one_vector(group->loads[i], group->loads[which]));
	return fe_component_takes_most(all, group->loads[which]);
}

/* Ends a group: each of its loads either becomes loads of parts or stays as it is. */
static void part_group(struct lowering *lowering, struct group *group)
{
	bool parts[MOST_TOGETHER];
	for (unsigned i = 0; i < group->count; i++)
		parts[i] = !takes_most_together(group, i);
	for (unsigned i = 0; i < group->count; i++)
		if (parts[i])
			part_load(lowering, group->loads[i], group->takers[i], group->taken[i]);
	group->count = 0;
}

/* -- the passes ------------------------------------------------------------------------------ */

bool fe_component_is_of_il(LLVMBasicBlockRef block)
{
	static const char name[] = FE_ATTRIBUTE_IL;
	return LLVMGetStringAttributeAtIndex(LLVMGetBasicBlockParent(block),
					     (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
					     sizeof(name) - 1) != NULL;
}

static bool is_of_halves(LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

static void part_loads_together(struct lowering *lowering, LLVMBasicBlockRef block, bool halves)
{
	struct group group = {.count = 0};
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (may_write(i) || group.count == MOST_TOGETHER)
			part_group(lowering, &group);
		if (!LLVMIsALoadInst(i) || LLVMGetVolatile(i) || is_of_halves(i) != halves)
			continue;
		LLVMValueRef taker = find_taker(lowering, i, group.taken[group.count]);
		if (!taker)
			continue;
		group.loads[group.count] = i;
		group.takers[group.count++] = taker;
	}
	part_group(lowering, &group);
}

static void part_load_alone(struct lowering *lowering, LLVMValueRef load)
{
	bool taken[COMPONENT_MOST_LANES];
	LLVMValueRef taker = find_taker(lowering, load, taken);
	if (taker && !fe_component_takes_most(taken, load))
		part_load(lowering, load, taker, taken);
}

/* Volatile loads, and all loads of programs that are not optimised, are looked at one by one, because libnvvm
 * does not join them. Loads of halves are looked at here because they become other loads before variables
 * become values. */
static void part_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next, i = LLVMGetFirstInstruction(block);
	/* Stores come first, because the loads that belong to them are none of the source's. All that is
	 * erased with a store stands before it. */
	for (; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAStoreInst(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
			part_store(lowering, i);
	}
	/* What is erased with a load stands behind it and may be the next instruction, so this goes
	 * backwards. */
	for (i = LLVMGetLastInstruction(block); i; i = next) {
		next = LLVMGetPreviousInstruction(i);
		if (!LLVMIsALoadInst(i))
			continue;
		/* Clang loads what a store of all components overwrites. */
		if (!LLVMGetFirstUse(i) && !LLVMGetVolatile(i) &&
		    LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
			LLVMInstructionEraseFromParent(i);
		else if (lowering->unoptimized || LLVMGetVolatile(i))
			part_load_alone(lowering, i);
	}
	part_loads_together(lowering, block, true);
}

static void part_numbers_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	if (!lowering->unoptimized || fe_component_is_of_il(block))
		part_loads_together(lowering, block, false);
}

void fe_component_for_blocks(struct lowering *lowering,
			     void (*look)(struct lowering *lowering, LLVMBasicBlockRef block))
{
	LLVMValueRef f = LLVMGetFirstFunction(lowering->module);
	for (; f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
		for (; block; block = LLVMGetNextBasicBlock(block))
			look(lowering, block);
	}
}

enum fe_status fe_lower_components(struct lowering *lowering)
{
	fe_component_for_blocks(lowering, part_in_block);
	return FE_OK;
}

enum fe_status fe_lower_component_loads(struct lowering *lowering)
{
	fe_component_for_blocks(lowering, part_numbers_in_block);
	return FE_OK;
}
