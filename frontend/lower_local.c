#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* Local memory of a kernel is of two kinds: variables with a fixed address, of
 * which a kernel may have 48 KiB, and one dynamic block whose size the launch
 * gives.  Local arguments live in the block, as offsets.  The variables of a
 * kernel that has more than fits are moved to the start of its block.
 *
 * The first byte of a work-group's local memory has the address 0, which is NULL.  In a
 * program that looks for NULL all variables live in the block, behind a few unused bytes
 * (OpenCL C 3.0, 6.5.5, with C99, 6.3.2.3: NULL is no object's address). */
enum {
	STATIC_LIMIT_B = 48 * 1024,
	BLOCK_LEAST_ALIGN_B = 16,
	NULL_ROOM_B = 16
};
static const char block_name[] = "__culvert_dynamic_local";

struct variable {
	LLVMValueRef value;
	uint64_t size_B;
	uint64_t align_B;
	struct fe_set users;         /* functions that use the variable, and all that call them */
	bool moves;
	bool placed;
	uint64_t offset_B;
};

struct local {
	struct lowering *lowering;
	struct variable *variables;
	uint32_t count;
	uint64_t null_room_B;        /* unused bytes at the block's start; 0 if NULL is not looked for */
	LLVMValueRef block;
	uint64_t block_align_B;
};

static uint64_t round_up(uint64_t value, uint64_t align)
{
	return (value + align - 1) / align * align;
}

static bool is_variable(LLVMValueRef global)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == LOWER_SPACE_LOCAL &&
	       LLVMGetInitializer(global);
}

static bool add_variable(struct local *local, LLVMValueRef global)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	struct variable *variable = &local->variables[local->count++];
	variable->value = global;
	variable->size_B = LLVMABISizeOfType(local->lowering->layout, type);
	variable->align_B = LLVMGetAlignment(global);
	if (!variable->align_B)
		variable->align_B = LLVMABIAlignmentOfType(local->lowering->layout, type);
	/* A large variable is aligned for the widest access, so that neighbouring elements can be accessed together:
	 * for example the rows of a tile with sixteen bytes at a time. */
	if (variable->size_B >= LOWER_WIDEST_ACCESS_B && variable->align_B < LOWER_WIDEST_ACCESS_B) {
		variable->align_B = LOWER_WIDEST_ACCESS_B;
		LLVMSetAlignment(global, LOWER_WIDEST_ACCESS_B);
	}
	return fe_add_users(&variable->users, global) && fe_add_callers(&variable->users);
}

static bool find_variables(struct local *local)
{
	uint32_t count = 0;
	LLVMValueRef global = LLVMGetFirstGlobal(local->lowering->module);
	for (; global; global = LLVMGetNextGlobal(global))
		count += is_variable(global);
	local->variables = calloc(count + 1, sizeof(*local->variables));
	if (!local->variables)
		return false;
	global = LLVMGetFirstGlobal(local->lowering->module);
	for (; global; global = LLVMGetNextGlobal(global)) {
		if (is_variable(global) && !add_variable(local, global))
			return false;
	}
	return true;
}

static LLVMValueRef kernel_function(const struct local *local, uint32_t kernel)
{
	return fe_kernel_function(local->lowering->module, local->lowering->abi->kernels[kernel].name);
}

/* Returns an upper bound of the bytes that the variables of a kernel take, in any order. */
static uint64_t total_of(const struct local *local, LLVMValueRef kernel)
{
	uint64_t total_B = local->null_room_B;
	for (uint32_t i = 0; i < local->count; i++) {
		const struct variable *variable = &local->variables[i];
		if (!fe_set_has(&variable->users, kernel))
			continue;
		/* The sum must not overflow, for example for sixteen arrays of 2^60 bytes. */
		const uint64_t more_B = round_up(variable->size_B, variable->align_B);
		total_B = more_B < UINT64_MAX - total_B ? total_B + more_B : UINT64_MAX;
	}
	return total_B;
}

static enum fe_status choose_moving(struct local *local)
{
	struct lowering *lowering = local->lowering;
	enum fe_status status = FE_OK;
	for (uint32_t k = 0; k < lowering->abi->kernel_count; k++) {
		LLVMValueRef kernel = kernel_function(local, k);
		uint64_t total_B = total_of(local, kernel);
		if (total_B > lowering->max_local_B) {
			bytes_printf(lowering->log,
				     "error: kernel %s: its local variables take %llu bytes, "
				     "and the device has %llu for a work-group\n",
				     lowering->abi->kernels[k].name, (unsigned long long)total_B,
				     (unsigned long long)lowering->max_local_B);
			status = FE_LINK_FAILED;
		}
		bool moving = total_B > STATIC_LIMIT_B || local->null_room_B;
		for (uint32_t i = 0; i < local->count && moving; i++) {
			if (fe_set_has(&local->variables[i].users, kernel))
				local->variables[i].moves = true;
		}
	}
	return status;
}

/* Two variables that some kernel both uses must not overlap; others may. */
static bool meet(const struct local *local, const struct variable *a, const struct variable *b)
{
	for (uint32_t k = 0; k < local->lowering->abi->kernel_count; k++) {
		LLVMValueRef kernel = kernel_function(local, k);
		if (fe_set_has(&a->users, kernel) && fe_set_has(&b->users, kernel))
			return true;
	}
	return false;
}

/* Returns the lowest offset at which the variable overlaps none of the placed variables that it must not
 * overlap. */
static void place(struct local *local, struct variable *variable)
{
	uint64_t offset_B = round_up(local->null_room_B, variable->align_B);
	for (uint32_t i = 0; i < local->count; i++) {
		const struct variable *other = &local->variables[i];
		bool clear = offset_B + variable->size_B <= other->offset_B ||
			     other->offset_B + other->size_B <= offset_B;
		if (!other->placed || clear || !meet(local, variable, other))
			continue;
		offset_B = round_up(other->offset_B + other->size_B, variable->align_B);
		i = UINT32_MAX;         /* begin again: at its new offset it may overlap another one */
	}
	variable->offset_B = offset_B;
	variable->placed = true;
}

static void note_sizes(struct local *local)
{
	struct abi_program *abi = local->lowering->abi;
	for (uint32_t k = 0; k < abi->kernel_count; k++) {
		LLVMValueRef kernel = kernel_function(local, k);
		uint64_t end_B = local->null_room_B;
		for (uint32_t i = 0; i < local->count; i++) {
			const struct variable *variable = &local->variables[i];
			uint64_t last_B = variable->offset_B + variable->size_B;
			if (variable->moves && fe_set_has(&variable->users, kernel) &&
			    last_B > end_B)
				end_B = last_B;
		}
		abi->kernels[k].dynamic_local_B = (uint32_t)end_B;
	}
}

static void need_alignment(struct local *local, uint64_t align_B)
{
	if (align_B > local->block_align_B)
		local->block_align_B = align_B;
}

/* Returns the block, which is made when it is first needed. */
static LLVMValueRef block_of(struct local *local)
{
	if (local->block)
		return local->block;
	LLVMTypeRef byte = LLVMInt8TypeInContext(local->lowering->context);
	local->block = LLVMAddGlobalInAddressSpace(local->lowering->module,
						   LLVMArrayType(byte, 0), block_name,
						   LOWER_SPACE_LOCAL);
	LLVMSetLinkage(local->block, LLVMExternalLinkage);
	return local->block;
}

static void move_variable(struct local *local, struct variable *variable)
{
	LLVMContextRef context = local->lowering->context;
	LLVMValueRef offset = LLVMConstInt(LLVMInt32TypeInContext(context), variable->offset_B, 0);
	LLVMValueRef address =
		LLVMConstGEP2(LLVMInt8TypeInContext(context), block_of(local), &offset, 1);
	need_alignment(local, variable->align_B);
	LLVMReplaceAllUsesWith(variable->value, address);
	LLVMDeleteGlobal(variable->value);
}

static enum fe_status move_variables(struct local *local)
{
	enum fe_status status = choose_moving(local);
	if (status)
		return status;
	for (uint32_t i = 0; i < local->count; i++) {
		if (local->variables[i].moves)
			place(local, &local->variables[i]);
	}
	note_sizes(local);
	for (uint32_t i = 0; i < local->count; i++) {
		if (local->variables[i].moves)
			move_variable(local, &local->variables[i]);
	}
	return FE_OK;
}

static bool is_local_pointer(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == LOWER_SPACE_LOCAL;
}

/* Returns the type of the entry with u32 offsets for local pointers; the same type if it has none. */
static LLVMTypeRef entry_type(struct local *local, LLVMTypeRef type)
{
	LLVMTypeRef offset = LLVMInt32TypeInContext(local->lowering->context);
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *parameters = calloc(count + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < count; i++) {
		if (is_local_pointer(parameters[i]))
			parameters[i] = offset;
	}
	LLVMTypeRef changed = LLVMFunctionType(LLVMGetReturnType(type), parameters, count, false);
	free(parameters);
	return changed;
}

static bool lower_arguments(struct local *local, LLVMValueRef kernel,
			    const struct abi_kernel *facts)
{
	struct lowering *lowering = local->lowering;
	LLVMTypeRef type = entry_type(local, LLVMGlobalGetValueType(kernel));
	if (!type)
		return false;
	if (type == LLVMGlobalGetValueType(kernel))
		return true;
	LLVMValueRef entry = fe_function_take_over(lowering, kernel, type);
	if (!entry)
		return false;
	fe_builder_at_entry(lowering, entry);
	for (uint32_t i = 0; i < facts->argument_count; i++) {
		LLVMValueRef before = LLVMGetParam(kernel, i);
		if (!is_local_pointer(LLVMTypeOf(before)))
			continue;
		need_alignment(local, facts->arguments[i].align_B);
		LLVMValueRef offset = LLVMGetParam(entry, i);
		LLVMTypeRef byte = LLVMInt8TypeInContext(lowering->context);
		LLVMReplaceAllUsesWith(before, LLVMBuildGEP2(lowering->builder, byte,
							     block_of(local), &offset, 1, ""));
	}
	LLVMDeleteFunction(kernel);
	return true;
}

/* Clang writes a local NULL as a cast of the generic NULL. */
static bool is_null(LLVMValueRef constant)
{
	if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMAddrSpaceCast)
		constant = LLVMGetOperand(constant, 0);
	return LLVMIsAConstantPointerNull(constant);
}

static bool mentions_null(LLVMValueRef instruction)
{
	unsigned count = (unsigned)LLVMGetNumOperands(instruction);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef operand = LLVMGetOperand(instruction, i);
		if (is_local_pointer(LLVMTypeOf(operand)) && is_null(operand))
			return true;
	}
	return false;
}

static bool looks_for_null(LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block);
			for (; i; i = LLVMGetNextInstruction(i)) {
				if (mentions_null(i))
					return true;
			}
		}
	}
	return false;
}

/* A generic pointer made of a local one; the hardware would make NULL a pointer to the
 * first byte.  OpenCL C 3.0, 6.7.9, with C99, 6.3.2.3: NULL converts to NULL. */
static void convert_null(struct lowering *lowering, LLVMValueRef cast)
{
	LLVMValueRef local = LLVMGetOperand(cast, 0);
	LLVMBuilderRef builder = lowering->builder;
	if (LLVMIsAGlobalVariable(local) || LLVMIsAConstantExpr(local))
		return;
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(cast));
	LLVMValueRef null = LLVMConstNull(LLVMTypeOf(local));
	LLVMValueRef is_null = LLVMBuildICmp(builder, LLVMIntEQ, local, null, "");
	LLVMValueRef chosen = LLVMBuildSelect(builder, is_null,
					      LLVMConstNull(LLVMTypeOf(cast)), cast, "");
	LLVMReplaceAllUsesWith(cast, chosen);
	LLVMSetOperand(chosen, 2, cast);
}

static void convert_nulls(struct lowering *lowering)
{
	LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef i = LLVMGetFirstInstruction(block), next;
			for (; i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMIsAAddrSpaceCastInst(i) &&
				    is_local_pointer(LLVMTypeOf(LLVMGetOperand(i, 0))))
					convert_null(lowering, i);
			}
		}
	}
}

static enum fe_status lower_local(struct local *local)
{
	struct abi_program *abi = local->lowering->abi;
	if (looks_for_null(local->lowering->module)) {
		local->null_room_B = NULL_ROOM_B;
		convert_nulls(local->lowering);
	}
	if (!find_variables(local))
		return FE_NO_MEMORY;
	enum fe_status status = move_variables(local);
	if (status)
		return status;
	for (uint32_t k = 0; k < abi->kernel_count; k++) {
		if (!lower_arguments(local, kernel_function(local, k), &abi->kernels[k]))
			return FE_NO_MEMORY;
	}
	if (local->block)
		LLVMSetAlignment(local->block, (unsigned)local->block_align_B);
	return FE_OK;
}

enum fe_status fe_lower_local(struct lowering *lowering)
{
	struct local local = { .lowering = lowering, .block_align_B = BLOCK_LEAST_ALIGN_B };
	enum fe_status status = lower_local(&local);
	for (uint32_t i = 0; local.variables && i < local.count; i++)
		fe_set_finish(&local.variables[i].users);
	free(local.variables);
	return status;
}
