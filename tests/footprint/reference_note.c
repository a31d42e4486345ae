#include "config.h"

#include "tests/footprint/reference.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Which bytes an access of unoptimised LLVM IR reads or writes.
 *
 * For p->y = v Clang writes a load of the vector, an insertion and a store of the vector.  The
 * source means one component, so what a store puts back where it was loaded from is not written,
 * and of a loaded vector only components that are used are read.  A component without a value
 * (the fourth one of a vector of three) may be written. */

struct noting {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef note_type;
	LLVMValueRef note;
};

enum { LANES_MAX = 64, DEPTH_MAX = 32 };

static LLVMValueRef number(struct noting *noting, uint64_t value)
{
	return LLVMConstInt(LLVMInt64TypeInContext(noting->context), value, false);
}

static LLVMValueRef base_of(LLVMValueRef pointer)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		if (!LLVMIsAGetElementPtrInst(pointer) && !LLVMIsAAddrSpaceCastInst(pointer))
			break;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

/* Before the builder's place.  Variables of the work-item are left out. */
static void note(struct noting *noting, LLVMValueRef pointer, LLVMValueRef offset_B,
		 LLVMValueRef size_B, unsigned kind)
{
	if (LLVMIsAAllocaInst(base_of(pointer)))
		return;
	LLVMTypeRef byte = LLVMInt8TypeInContext(noting->context);
	LLVMTypeRef plain = LLVMPointerTypeInContext(noting->context, 0);
	LLVMValueRef address = pointer;
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)))
		address = LLVMBuildAddrSpaceCast(noting->builder, pointer, plain, "");
	if (offset_B)
		address = LLVMBuildGEP2(noting->builder, byte, address, &offset_B, 1, "");
	LLVMValueRef arguments[] = {
		address, LLVMBuildZExt(noting->builder, size_B,
				       LLVMInt64TypeInContext(noting->context), ""),
		LLVMConstInt(LLVMInt32TypeInContext(noting->context), kind, false)};
	LLVMBuildCall2(noting->builder, noting->note_type, noting->note, arguments, 3, "");
}

static void note_bytes(struct noting *noting, LLVMValueRef pointer, uint64_t offset_B,
		       uint64_t size_B, unsigned kind)
{
	note(noting, pointer, offset_B ? number(noting, offset_B) : NULL, number(noting, size_B),
	     kind);
}

static bool is_laned(struct noting *noting, LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) <= LANES_MAX &&
	       LLVMSizeOfTypeInBits(noting->layout, LLVMGetElementType(type)) % 8 == 0;
}

static uint64_t lane_size_B(struct noting *noting, LLVMTypeRef vector)
{
	return LLVMStoreSizeOfType(noting->layout, LLVMGetElementType(vector));
}

static void note_lanes(struct noting *noting, LLVMValueRef pointer, LLVMTypeRef type,
		       const bool lanes[LANES_MAX], unsigned kind)
{
	uint64_t size_B = lane_size_B(noting, type);
	for (unsigned l = 0; l < LLVMGetVectorSize(type); l++)
		if (lanes[l])
			note_bytes(noting, pointer, l * size_B, size_B, kind);
}

/* --- what a store writes ---------------------------------------------------------------------- */

enum origin { ORIGIN_VALUE, ORIGIN_SAME_PLACE, ORIGIN_NONE };

/* Where lane l of a value that is stored to pointer comes from. */
static enum origin origin_of(LLVMValueRef value, unsigned l, LLVMValueRef pointer,
			     LLVMBasicBlockRef block, unsigned depth)
{
	if (LLVMIsUndef(value) || LLVMIsPoison(value))
		return ORIGIN_NONE;
	if (depth == DEPTH_MAX)
		return ORIGIN_VALUE;
	if (LLVMIsALoadInst(value))
		return LLVMGetOperand(value, 0) == pointer &&
				       LLVMGetInstructionParent(value) == block
			       ? ORIGIN_SAME_PLACE
			       : ORIGIN_VALUE;
	if (LLVMIsAInsertElementInst(value)) {
		LLVMValueRef at = LLVMGetOperand(value, 2);
		if (!LLVMIsAConstantInt(at) || LLVMConstIntGetZExtValue(at) == l)
			return LLVMIsAConstantInt(at) ||
					       origin_of(LLVMGetOperand(value, 0), l, pointer, block,
							 depth + 1) != ORIGIN_SAME_PLACE
				       ? ORIGIN_VALUE
				       : ORIGIN_SAME_PLACE;
		return origin_of(LLVMGetOperand(value, 0), l, pointer, block, depth + 1);
	}
	if (!LLVMIsAShuffleVectorInst(value))
		return ORIGIN_VALUE;
	int from = LLVMGetMaskValue(value, l);
	if (from < 0)
		return ORIGIN_NONE;
	unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(value, 0)));
	bool second = (unsigned)from >= lanes;
	LLVMValueRef source = LLVMGetOperand(value, second);
	enum origin origin =
		origin_of(source, (unsigned)from - (second ? lanes : 0), pointer, block, depth + 1);
	/* One that moved is a value, wherever it was loaded. */
	return origin == ORIGIN_SAME_PLACE && (unsigned)from - (second ? lanes : 0) != l
		       ? ORIGIN_VALUE
		       : origin;
}

/* v[i] = x: one lane whose number is known at run time. */
static void note_indexed(struct noting *noting, LLVMValueRef pointer, LLVMTypeRef vector,
			 LLVMValueRef lane, unsigned kind)
{
	LLVMValueRef wide = LLVMBuildZExtOrBitCast(noting->builder, lane,
						   LLVMInt64TypeInContext(noting->context), "");
	uint64_t size_B = lane_size_B(noting, vector);
	note(noting, pointer, LLVMBuildMul(noting->builder, wide, number(noting, size_B), ""),
	     number(noting, size_B), kind);
}

static void note_store(struct noting *noting, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
	LLVMTypeRef type = LLVMTypeOf(value);
	bool written[LANES_MAX] = {false}, open[LANES_MAX] = {false};
	if (!is_laned(noting, type)) {
		note_bytes(noting, pointer, 0, LLVMStoreSizeOfType(noting->layout, type),
			   NOTE_WRITE);
		return;
	}
	for (unsigned l = 0; l < LLVMGetVectorSize(type); l++) {
		enum origin origin =
			origin_of(value, l, pointer, LLVMGetInstructionParent(store), 0);
		written[l] = origin == ORIGIN_VALUE;
		open[l] = origin == ORIGIN_NONE;
	}
	note_lanes(noting, pointer, type, written, NOTE_WRITE);
	note_lanes(noting, pointer, type, open, NOTE_MAY_WRITE);
	if (LLVMIsAInsertElementInst(value) && !LLVMIsAConstantInt(LLVMGetOperand(value, 2)))
		note_indexed(noting, pointer, type, LLVMGetOperand(value, 2), NOTE_WRITE);
}

/* --- what a load reads ------------------------------------------------------------------------ */

static bool is_used(LLVMValueRef value, unsigned l, LLVMValueRef load, unsigned depth);

static bool user_uses(LLVMValueRef user, LLVMValueRef value, unsigned l, LLVMValueRef load,
		      unsigned depth)
{
	if (LLVMIsAExtractElementInst(user)) {
		LLVMValueRef at = LLVMGetOperand(user, 1);
		/* Where the lane is known at run time, it is noted there. */
		return LLVMIsAConstantInt(at) ? LLVMConstIntGetZExtValue(at) == l : value != load;
	}
	if (LLVMIsAInsertElementInst(user)) {
		LLVMValueRef at = LLVMGetOperand(user, 2);
		return !(LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == l) &&
		       is_used(user, l, load, depth + 1);
	}
	if (LLVMIsAStoreInst(user))
		return origin_of(value, l, LLVMGetOperand(user, 1), LLVMGetInstructionParent(user),
				 0) != ORIGIN_SAME_PLACE;
	if (!LLVMIsAShuffleVectorInst(user))
		return true;
	unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(user, 0)));
	for (unsigned to = 0; to < LLVMGetNumMaskElements(user); to++) {
		int from = LLVMGetMaskValue(user, to);
		bool here = (LLVMGetOperand(user, 0) == value && from == (int)l) ||
			    (LLVMGetOperand(user, 1) == value && from == (int)(l + lanes));
		if (here && is_used(user, to, load, depth + 1))
			return true;
	}
	return false;
}

static bool is_used(LLVMValueRef value, unsigned l, LLVMValueRef load, unsigned depth)
{
	if (depth == DEPTH_MAX)
		return true;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
		if (user_uses(LLVMGetUser(use), value, l, load, depth))
			return true;
	return false;
}

/* A vector of three, which Clang loads as one of four where all of it is meant: the fourth one is its
 * padding. */
static bool is_of_three(LLVMValueRef load)
{
	LLVMUseRef use = LLVMGetFirstUse(load);
	LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
	if (!user || LLVMGetNextUse(use) || LLVMGetVectorSize(LLVMTypeOf(load)) != 4 ||
	    !LLVMIsAShuffleVectorInst(user) || LLVMGetNumMaskElements(user) != 3)
		return false;
	for (unsigned l = 0; l < 3; l++)
		if (LLVMGetMaskValue(user, l) != (int)l)
			return false;
	return true;
}

static void note_load(struct noting *noting, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	bool read[LANES_MAX] = {false}, open[LANES_MAX] = {false};
	if (!is_laned(noting, type)) {
		note_bytes(noting, pointer, 0, LLVMStoreSizeOfType(noting->layout, type), NOTE_READ);
		return;
	}
	for (unsigned l = 0; l < LLVMGetVectorSize(type); l++)
		read[l] = is_used(load, l, load, 0);
	open[3] = is_of_three(load);
	note_lanes(noting, pointer, type, read, NOTE_READ);
	uint64_t size_B = lane_size_B(noting, type);
	if (LLVMGetVectorSize(type) == 3)
		note_bytes(noting, pointer, 3 * size_B, size_B, NOTE_MAY_READ);
	note_lanes(noting, pointer, type, open, NOTE_MAY_READ);
}

/* --- the others ------------------------------------------------------------------------------- */

static void note_call(struct noting *noting, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;
	const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
	bool sets = !strncmp(name, "llvm.memset", 11);
	if (!sets && strncmp(name, "llvm.memcpy", 11) && strncmp(name, "llvm.memmove", 12))
		return;
	LLVMValueRef size_B = LLVMGetOperand(call, 2);
	note(noting, LLVMGetOperand(call, 0), NULL, size_B, NOTE_WRITE);
	if (!sets)
		note(noting, LLVMGetOperand(call, 1), NULL, size_B, NOTE_READ);
}

static void note_atomic(struct noting *noting, LLVMValueRef atomic)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(atomic, 1));
	uint64_t size_B = LLVMStoreSizeOfType(noting->layout, type);
	note_bytes(noting, LLVMGetOperand(atomic, 0), 0, size_B, NOTE_READ);
	/* One that fails writes nothing; which do may depend on the order of work-items. */
	note_bytes(noting, LLVMGetOperand(atomic, 0), 0, size_B, NOTE_WRITE);
}

static void note_instruction(struct noting *noting, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(noting->builder, i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		note_load(noting, i);
		break;
	case LLVMStore:
		note_store(noting, i);
		break;
	case LLVMExtractElement:
		if (LLVMIsALoadInst(LLVMGetOperand(i, 0)) &&
		    !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
			note_indexed(noting, LLVMGetOperand(LLVMGetOperand(i, 0), 0),
				     LLVMTypeOf(LLVMGetOperand(i, 0)), LLVMGetOperand(i, 1),
				     NOTE_READ);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		note_atomic(noting, i);
		break;
	case LLVMCall:
		note_call(noting, i);
		break;
	default:
		break;
	}
}

void reference_note_accesses(LLVMModuleRef module)
{
	struct noting noting = {.module = module, .context = LLVMGetModuleContext(module)};
	LLVMTypeRef types[] = {LLVMPointerTypeInContext(noting.context, 0),
			       LLVMInt64TypeInContext(noting.context),
			       LLVMInt32TypeInContext(noting.context)};
	noting.builder = LLVMCreateBuilderInContext(noting.context);
	noting.layout = LLVMGetModuleDataLayout(module);
	noting.note_type =
		LLVMFunctionType(LLVMVoidTypeInContext(noting.context), types, 3, false);
	noting.note = LLVMAddFunction(module, "reference_note_access", noting.note_type);
	LLVMValueRef f = LLVMGetFirstFunction(module), next;
	for (; f; f = LLVMGetNextFunction(f)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
		for (; block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				note_instruction(&noting, i);
			}
	}
	LLVMDisposeBuilder(noting.builder);
}
