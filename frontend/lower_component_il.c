/* Accesses to components of vectors in memory, in modules made from SPIR-V (lower_component.c does those of OpenCL C).
 *
 * Compilers write such an access as OpLoad, one or more instructions that insert components, and OpStore, with other
 * computations in between.  spirv/memory.c loads and stores vectors of three as such; this file widens them to four
 * after it has replaced the accesses to their components. */
#include "config.h"

#include "frontend/lower_component.h"

enum { DEEPEST = 64 };

static unsigned lanes_of(LLVMTypeRef vector)
{
	return LLVMGetVectorSize(vector);
}

/* -- stores ---------------------------------------------------------------------------------------- */

/* The load whose value all insertions change; NULL: they change another value. */
static LLVMValueRef inserted_base(LLVMValueRef value)
{
	for (unsigned i = 0; i < COMPONENT_MOST_LANES && LLVMIsAInsertElementInst(value); i++)
		value = LLVMGetOperand(value, 0);
	return LLVMIsALoadInst(value) ? value : NULL;
}

/* Stores the inserted components in the order of their insertion, since a later one may be for the same lane. */
static void store_insertions(struct lowering *lowering, LLVMValueRef store, LLVMValueRef value)
{
	if (!LLVMIsAInsertElementInst(value))
		return;
	store_insertions(lowering, store, LLVMGetOperand(value, 0));
	fe_component_store_inserted(lowering, store, value);
}

/* The operand from which a lane of value comes: a vector, with its lane in *lane, or a scalar, with *lane -1.  NULL:
 * value is not made from other values. */
static LLVMValueRef lane_source(LLVMValueRef value, int *lane)
{
	if (LLVMIsAInsertElementInst(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 2))) {
		if ((uint64_t)*lane != LLVMConstIntGetZExtValue(LLVMGetOperand(value, 2)))
			return LLVMGetOperand(value, 0);
		*lane = -1;
		return LLVMGetOperand(value, 1);
	}
	if (!LLVMIsAShuffleVectorInst(value) || LLVMGetMaskValue(value, (unsigned)*lane) < 0)
		return NULL;
	const int own = (int)lanes_of(LLVMTypeOf(LLVMGetOperand(value, 0)));
	*lane = LLVMGetMaskValue(value, (unsigned)*lane);
	if (*lane < own)
		return LLVMGetOperand(value, 0);
	*lane -= own;
	return LLVMGetOperand(value, 1);
}

/* Follows lane_source to the first value that is not made from others, or to a scalar. */
static LLVMValueRef lane_origin(LLVMValueRef value, int *lane)
{
	for (unsigned i = 0; i < DEEPEST && *lane >= 0; i++) {
		LLVMValueRef source = lane_source(value, lane);
		if (!source)
			break;
		value = source;
	}
	return value;
}

/* Whether a load reads what is still in memory when the store is executed. */
static bool is_read_for(const struct lowering *lowering, LLVMValueRef load, LLVMValueRef store)
{
	return LLVMIsALoadInst(load) && LLVMGetOperand(load, 0) == LLVMGetOperand(store, 1) &&
	       LLVMGetVolatile(load) == LLVMGetVolatile(store) &&
	       LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic &&
	       !fe_component_writes_between(lowering, load, store);
}

/* The load of which a store writes lanes back unchanged; changed says which lanes differ.  NULL: all lanes differ. */
static LLVMValueRef find_kept(struct lowering *lowering, LLVMValueRef store, bool changed[COMPONENT_MOST_LANES])
{
	LLVMValueRef value = LLVMGetOperand(store, 0), load = NULL;
	for (unsigned i = 0; i < lanes_of(LLVMTypeOf(value)); i++) {
		int lane = (int)i;
		LLVMValueRef origin = lane_origin(value, &lane);
		changed[i] = true;
		if (lane != (int)i || LLVMTypeOf(origin) != LLVMTypeOf(value) || (load && load != origin) ||
		    (!load && (origin == value || !is_read_for(lowering, origin, store))))
			continue;
		changed[i] = false;
		load = origin;
	}
	return load;
}

static void store_lane(struct lowering *lowering, LLVMValueRef store, unsigned which)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
	LLVMTypeRef vector = LLVMTypeOf(value), number = LLVMInt32TypeInContext(lowering->context);
	int lane = (int)which;
	LLVMValueRef origin = lane_origin(value, &lane);
	if (lane >= 0)
		origin = LLVMBuildExtractElement(lowering->builder, origin,
						 LLVMConstInt(number, (unsigned)lane, false), "");
	LLVMValueRef part = LLVMBuildStore(lowering->builder, origin,
					   fe_component_address(lowering, vector, pointer, which));
	fe_component_take_properties(part, store, fe_component_alignment(lowering, store, vector, which));
}

/* Erases the unused instructions from value back to the load: an unused volatile load would not be removed later. */
static void erase_way(LLVMValueRef value, LLVMValueRef load, int lane)
{
	for (LLVMValueRef next; value && !LLVMGetFirstUse(value); value = next) {
		next = NULL;
		if (value != load)
			next = LLVMIsAInsertElementInst(value) ? LLVMGetOperand(value, 0)
							       : lane_source(value, &lane);
		LLVMInstructionEraseFromParent(value);
	}
}

static void part_store(struct lowering *lowering, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);
	bool changed[COMPONENT_MOST_LANES];
	if (!fe_component_has_address(lowering, LLVMTypeOf(value)) ||
	    fe_component_is_kept_whole(lowering, LLVMGetOperand(store, 1)))
		return;
	LLVMValueRef load = find_kept(lowering, store, changed);
	int kept = 0;
	LLVMPositionBuilderBefore(lowering->builder, store);
	for (unsigned lane = 0; load && lane < lanes_of(LLVMTypeOf(value)); lane++) {
		if (changed[lane])
			store_lane(lowering, store, lane);
		else
			kept = (int)lane;
	}
	/* The index of a component may be a variable. */
	if (!load) {
		load = inserted_base(value);
		if (!load || load == value || !is_read_for(lowering, load, store))
			return;
		store_insertions(lowering, store, value);
	}
	LLVMInstructionEraseFromParent(store);
	erase_way(value, load, kept);
}

static void part_stores(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAStoreInst(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
			part_store(lowering, i);
	}
}

/* -- loads ----------------------------------------------------------------------------------------- */

/* Splits a load whose users together use some of its lanes, but not all. */
static void part_shared_load(struct lowering *lowering, LLVMValueRef load)
{
	bool taken[COMPONENT_MOST_LANES] = {false};
	if (!LLVMIsALoadInst(load) || LLVMGetVolatile(load) || !LLVMGetFirstUse(load) ||
	    LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
	    !fe_component_has_address(lowering, LLVMTypeOf(load)) ||
	    fe_component_is_kept_whole(lowering, LLVMGetOperand(load, 0)))
		return;
	for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use))
		if (!fe_component_find_lanes(LLVMGetUser(use), load, taken))
			return;
	if (fe_component_takes_most(taken, load))
		return;
	LLVMReplaceAllUsesWith(load, fe_component_load_lanes(lowering, load, taken));
	LLVMInstructionEraseFromParent(load);
}

static void part_shared_loads(struct lowering *lowering, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		part_shared_load(lowering, i);
	}
}

/* -- vectors of three -------------------------------------------------------------------------------- */

/* The first lanes of a vector; lanes that it has not are undefined. */
static LLVMValueRef resize(struct lowering *lowering, LLVMValueRef value, unsigned lanes)
{
	LLVMTypeRef number = LLVMInt32TypeInContext(lowering->context);
	LLVMValueRef mask[4];
	const unsigned own = lanes_of(LLVMTypeOf(value));
	for (unsigned i = 0; i < lanes; i++)
		mask[i] = i < own ? LLVMConstInt(number, i, false) : LLVMGetUndef(number);
	return LLVMBuildShuffleVector(lowering->builder, value, LLVMGetUndef(LLVMTypeOf(value)),
				      LLVMConstVector(mask, lanes), "");
}

static void take_metadata(LLVMValueRef to, LLVMValueRef from)
{
	size_t count;
	LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(
		LLVMGetBasicBlockParent(LLVMGetInstructionParent(from))));
	for (unsigned i = 0; i < count; i++)
		LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
				LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
	LLVMDisposeValueMetadataEntries(entries);
}

/* A vector of three that is loaded or stored as a whole.  It lies in memory as one of four (OpenCL C 3.0, 6.2.5),
 * and is accessed as such where that is one instruction: what Clang writes of a source. */
static void widen_access(struct lowering *lowering, LLVMValueRef access)
{
	const bool is_load = LLVMIsALoadInst(access) != NULL;
	LLVMTypeRef type = is_load ? LLVMTypeOf(access) : LLVMTypeOf(LLVMGetOperand(access, 0));
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || lanes_of(type) != 3 ||
	    LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic ||
	    LLVMGetAlignment(access) < 4 * fe_component_size_B(lowering, type))
		return;
	LLVMPositionBuilderBefore(lowering->builder, access);
	LLVMTypeRef four = LLVMVectorType(LLVMGetElementType(type), 4);
	LLVMValueRef wide = is_load ? LLVMBuildLoad2(lowering->builder, four, LLVMGetOperand(access, 0), "")
				    : LLVMBuildStore(lowering->builder,
						     resize(lowering, LLVMGetOperand(access, 0), 4),
						     LLVMGetOperand(access, 1));
	fe_component_take_properties(wide, access, LLVMGetAlignment(access));
	take_metadata(wide, access);
	if (is_load)
		LLVMReplaceAllUsesWith(access, resize(lowering, wide, 3));
	LLVMInstructionEraseFromParent(access);
}

static bool is_of_halves(LLVMValueRef access)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(access) ? access : LLVMGetOperand(access, 0));
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMHalfTypeKind;
}

static void widen_accesses(struct lowering *lowering, LLVMBasicBlockRef block, bool halves)
{
	LLVMValueRef next;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && is_of_halves(i) == halves)
			widen_access(lowering, i);
	}
}

/* -- the passes ------------------------------------------------------------------------------------ */

static void part_in_block(struct lowering *lowering, LLVMBasicBlockRef block)
{
	if (!fe_component_is_of_il(block))
		return;
	part_stores(lowering, block);
	part_shared_loads(lowering, block);
}

static void widen_halves(struct lowering *lowering, LLVMBasicBlockRef block)
{
	if (fe_component_is_of_il(block))
		widen_accesses(lowering, block, true);
}

static void widen_others(struct lowering *lowering, LLVMBasicBlockRef block)
{
	if (fe_component_is_of_il(block))
		widen_accesses(lowering, block, false);
}

enum fe_status fe_lower_il_components(struct lowering *lowering)
{
	fe_component_for_blocks(lowering, part_in_block);
	return FE_OK;
}

/* Halves become others before the variables are values. */
enum fe_status fe_lower_il_halves(struct lowering *lowering)
{
	fe_component_for_blocks(lowering, widen_halves);
	return FE_OK;
}

enum fe_status fe_lower_il_vectors(struct lowering *lowering)
{
	fe_component_for_blocks(lowering, widen_others);
	return FE_OK;
}
