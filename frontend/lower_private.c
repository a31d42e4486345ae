#include "config.h"

#include "frontend/lower.h"

/* Private variables that are still memory when libnvvm gets them, and are accessed by more than
 * one type: it makes one integer of the variable's bytes and shifts it about, and where that has
 * more than 128 bits it crashes on some ways to use the parts.  So vectors go there and come
 * from there in parts of 16 bytes.  The GPU has no wider accesses of such memory anyway. */

enum { PART_B = 16, MOST_ELEMENTS = 64 };

struct accesses {
	LLVMTypeRef type;            /* the type of the first access */
	bool mixed;                  /* there are accesses of several types, or some that were not followed */
};

static void note_type(struct accesses *accesses, LLVMTypeRef type)
{
	accesses->mixed |= accesses->type && accesses->type != type;
	accesses->type = type;
}

/* memcpy and the like, which access bytes and no type. */
static bool is_intrinsic(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

static void note_uses(struct accesses *accesses, LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && !accesses->mixed;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsALoadInst(user))
			note_type(accesses, LLVMTypeOf(user));
		else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer)
			note_type(accesses, LLVMTypeOf(LLVMGetOperand(user, 0)));
		else if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user))
			note_uses(accesses, user);
		else
			accesses->mixed |= !LLVMIsACallInst(user) || !is_intrinsic(user);
	}
}

/* Whether pointer is into a variable that other types may be read from or written to. */
static bool is_mixed(LLVMValueRef pointer)
{
	struct accesses accesses = {NULL, false};
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	/* Of generic pointers libnvvm refuses some accesses in parts: "unsupported operation". */
	if (!LLVMIsAAllocaInst(pointer))
		return false;
	note_uses(&accesses, pointer);
	return accesses.mixed;
}

/* --- in parts --------------------------------------------------------------------------------- */

struct split {
	struct lowering *lowering;
	LLVMValueRef access;         /* the load or store of a vector */
	LLVMValueRef pointer;
	LLVMTypeRef element;
	unsigned count;              /* number of elements */
	unsigned at, part;           /* number of elements before the part, and in the part */
};

static LLVMValueRef number(const struct split *split, unsigned value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(split->lowering->context), value, 0);
}

/* Builds a vector whose element i is the element of number from[i] of a followed by b. */
static LLVMValueRef shuffle(const struct split *split, LLVMValueRef a, LLVMValueRef b,
			    const unsigned *from, unsigned count)
{
	LLVMValueRef mask[MOST_ELEMENTS];
	for (unsigned i = 0; i < count; i++)
		mask[i] = number(split, from[i]);
	return LLVMBuildShuffleVector(split->lowering->builder, a, b, LLVMConstVector(mask, count),
				      "");
}

static LLVMTypeRef part_type(const struct split *split)
{
	return split->part == 1 ? split->element : LLVMVectorType(split->element, split->part);
}

static LLVMValueRef part_pointer(const struct split *split)
{
	LLVMValueRef index = number(split, split->at);
	return split->at ? LLVMBuildInBoundsGEP2(split->lowering->builder, split->element,
						 split->pointer, &index, 1, "")
			 : split->pointer;
}

/* Gives the part the properties of the whole access that also hold for the part. */
static void describe(const struct split *split, LLVMValueRef access)
{
	static const char name[] = "tbaa";
	unsigned kind = LLVMGetMDKindIDInContext(split->lowering->context, name, sizeof(name) - 1);
	LLVMValueRef types = LLVMGetMetadata(split->access, kind);
	unsigned alignment_B = LLVMGetAlignment(split->access);
	LLVMSetAlignment(access, split->at && alignment_B > PART_B ? PART_B : alignment_B);
	if (types)
		LLVMSetMetadata(access, kind, types);
}

static void store_part(const struct split *split)
{
	LLVMBuilderRef builder = split->lowering->builder;
	LLVMValueRef whole = LLVMGetOperand(split->access, 0), part;
	unsigned from[MOST_ELEMENTS];
	for (unsigned i = 0; i < split->part; i++)
		from[i] = split->at + i;
	part = split->part == 1
		       ? LLVMBuildExtractElement(builder, whole, number(split, split->at), "")
		       : shuffle(split, whole, LLVMGetUndef(LLVMTypeOf(whole)), from, split->part);
	describe(split, LLVMBuildStore(builder, part, part_pointer(split)));
}

/* Returns the whole vector with this part put in. */
static LLVMValueRef load_part(const struct split *split, LLVMValueRef whole)
{
	LLVMBuilderRef builder = split->lowering->builder;
	LLVMValueRef part = LLVMBuildLoad2(builder, part_type(split), part_pointer(split), "");
	unsigned from[MOST_ELEMENTS];
	describe(split, part);
	if (split->part == 1)
		return LLVMBuildInsertElement(builder, whole, part, number(split, split->at), "");
	for (unsigned i = 0; i < split->count; i++)
		from[i] = i < split->part ? i : 0;
	part = shuffle(split, part, LLVMGetUndef(LLVMTypeOf(part)), from, split->count);
	for (unsigned i = 0; i < split->count; i++)
		from[i] = i < split->at ? i : split->count + (i - split->at) % split->count;
	return split->at ? shuffle(split, whole, part, from, split->count) : part;
}

static void split_access(struct split *split, unsigned element_B)
{
	LLVMValueRef access = split->access, whole = LLVMGetUndef(LLVMTypeOf(access));
	unsigned most = PART_B / element_B;
	LLVMPositionBuilderBefore(split->lowering->builder, access);
	for (split->at = 0; split->at < split->count; split->at += most) {
		unsigned left = split->count - split->at;
		split->part = left < most ? left : most;
		if (LLVMIsAStoreInst(access))
			store_part(split);
		else
			whole = load_part(split, whole);
	}
	if (LLVMIsALoadInst(access))
		LLVMReplaceAllUsesWith(access, whole);
	LLVMInstructionEraseFromParent(access);
}

static void lower_access(struct lowering *lowering, LLVMValueRef i)
{
	const bool stores = LLVMIsAStoreInst(i);
	if (!stores && !LLVMIsALoadInst(i))
		return;
	LLVMTypeRef type = LLVMTypeOf(stores ? LLVMGetOperand(i, 0) : i);
	LLVMValueRef pointer = LLVMGetOperand(i, stores);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVolatile(i) ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) != LOWER_SPACE_GENERIC)
		return;
	struct split split = {.lowering = lowering,
			      .access = i,
			      .pointer = pointer,
			      .element = LLVMGetElementType(type),
			      .count = LLVMGetVectorSize(type)};
	unsigned long long bits = LLVMSizeOfTypeInBits(lowering->layout, split.element);
	if (bits % 8 || bits > 64 || split.count > MOST_ELEMENTS ||
	    split.count * bits <= 8 * PART_B ||
	    LLVMGetTypeKind(split.element) == LLVMPointerTypeKind || !is_mixed(pointer))
		return;
	split_access(&split, (unsigned)bits / 8);
}

/* Atomic accesses are of scalars and stay as they are. */
enum fe_status fe_lower_private(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next;
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
				next = LLVMGetNextInstruction(i);
				lower_access(lowering, i);
			}
		}
	}
	return FE_OK;
}
