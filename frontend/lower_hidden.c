#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"

#include <stdlib.h>

/* Values that only the launch knows.  The builtin library reads one by calling
 * a function that nobody defines; here it becomes a parameter of every function
 * on the way from the kernels that need it, and of no other. */
static const struct {
	enum abi_hidden hidden;
	unsigned bits;
	const char *function;
} sources[] = {
#define BY_DIMENSION(value, bits, name) \
	{ ABI_HIDDEN_##value##_X, bits, "__culvert_hidden_" name "_x" }, \
	{ ABI_HIDDEN_##value##_Y, bits, "__culvert_hidden_" name "_y" }, \
	{ ABI_HIDDEN_##value##_Z, bits, "__culvert_hidden_" name "_z" }
	BY_DIMENSION(ID_START, 64, "id_start"),
	BY_DIMENSION(GLOBAL_OFFSET, 64, "global_offset"),
	BY_DIMENSION(GLOBAL_SIZE, 64, "global_size"),
	BY_DIMENSION(GROUP_START, 32, "group_start"),
	BY_DIMENSION(GROUP_COUNT, 32, "group_count"),
	BY_DIMENSION(ENQUEUED_LOCAL, 32, "enqueued_local"),
#undef BY_DIMENSION
	{ ABI_HIDDEN_WORK_DIM, 32, "__culvert_hidden_work_dim" },
	{ ABI_HIDDEN_PRINTF_BUFFER, 64, "__culvert_hidden_printf_buffer" },
	{ ABI_HIDDEN_GRID_BARRIER, 64, "__culvert_hidden_grid_barrier" },
};
_Static_assert(sizeof(sources) / sizeof(*sources) == ABI_HIDDEN_COUNT, "one source each");

LLVMValueRef fe_hidden_source(struct lowering *lowering, enum abi_hidden hidden)
{
	unsigned row = 0;
	while (sources[row].hidden != hidden)
		row++;
	LLVMValueRef source = LLVMGetNamedFunction(lowering->module, sources[row].function);
	LLVMTypeRef type = LLVMFunctionType(
		LLVMIntTypeInContext(lowering->context, sources[row].bits), NULL, 0, false);
	return source ? source : LLVMAddFunction(lowering->module, sources[row].function, type);
}

struct hidden {
	struct lowering *lowering;
	struct fe_set readers[ABI_HIDDEN_COUNT];   /* functions that need the value */
	struct fe_set all;                         /* the functions of that set, in any order */
	struct fe_set changed;                     /* those that replaced them, with new parameters, in that order */
};

static LLVMValueRef function_at(const struct fe_set *functions, uint32_t index)
{
	return (LLVMValueRef)(uintptr_t)functions->items[index];
}

static LLVMValueRef source_of(const struct hidden *state, unsigned row)
{
	LLVMValueRef source =
		LLVMGetNamedFunction(state->lowering->module, sources[row].function);
	return source && LLVMIsDeclaration(source) ? source : NULL;
}

/* A program may declare a function of this name itself, but only with this type. */
static bool check_source(const struct hidden *state, LLVMValueRef source, unsigned row)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(source);
	LLVMTypeRef result = LLVMIntTypeInContext(state->lowering->context, sources[row].bits);
	bool fits = LLVMGetReturnType(type) == result && !LLVMCountParamTypes(type);
	for (LLVMUseRef use = LLVMGetFirstUse(source); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = fe_use_call(use);
		fits = fits && call && LLVMGetCalledFunctionType(call) == type;
	}
	if (!fits)
		bytes_printf(state->lowering->log, "error: the name %s is reserved\n",
			     sources[row].function);
	return fits;
}

static enum fe_status check_sources(const struct hidden *state)
{
	enum fe_status status = FE_OK;
	for (unsigned row = 0; row < ABI_HIDDEN_COUNT; row++) {
		LLVMValueRef source = source_of(state, row);
		if (source && !check_source(state, source, row))
			status = FE_LINK_FAILED;
	}
	return status;
}

static bool find_readers(struct hidden *state)
{
	for (unsigned row = 0; row < ABI_HIDDEN_COUNT; row++) {
		LLVMValueRef source = source_of(state, row);
		struct fe_set *readers = &state->readers[row];
		if (!source)
			continue;
		if (!fe_add_users(readers, source) || !fe_add_callers(readers))
			return false;
		for (uint32_t i = 0; i < readers->count; i++) {
			if (!fe_set_add(&state->all, readers->items[i]))
				return false;
		}
	}
	return true;
}

/* The hidden values that a function needs, in the order of their parameters. */
static unsigned list_needs(const struct hidden *state, LLVMValueRef function,
			   unsigned rows[ABI_HIDDEN_COUNT])
{
	unsigned count = 0;
	for (unsigned row = 0; row < ABI_HIDDEN_COUNT; row++) {
		if (fe_set_has(&state->readers[row], function))
			rows[count++] = row;
	}
	return count;
}

static LLVMTypeRef extended_type(const struct hidden *state, LLVMValueRef function)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	unsigned rows[ABI_HIDDEN_COUNT];
	unsigned more = list_needs(state, function, rows);
	unsigned count = LLVMCountParamTypes(type);
	LLVMTypeRef *parameters = calloc(count + more + 1, sizeof(*parameters));
	if (!parameters)
		return NULL;
	LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < more; i++) {
		LLVMValueRef source = source_of(state, rows[i]);
		parameters[count + i] = LLVMGetReturnType(LLVMGlobalGetValueType(source));
	}
	LLVMTypeRef extended =
		LLVMFunctionType(LLVMGetReturnType(type), parameters, count + more, false);
	free(parameters);
	return extended;
}

static void note_in_abi(const struct hidden *state, LLVMValueRef function)
{
	struct abi_kernel *kernel = fe_lower_kernel(state->lowering, function);
	unsigned rows[ABI_HIDDEN_COUNT];
	if (!kernel)
		return;
	kernel->hidden_count = list_needs(state, function, rows);
	for (unsigned i = 0; i < kernel->hidden_count; i++)
		kernel->hidden[i] = sources[rows[i]].hidden;
}

static bool change_functions(struct hidden *state)
{
	for (uint32_t i = 0; i < state->all.count; i++) {
		LLVMValueRef old = function_at(&state->all, i);
		LLVMTypeRef type = extended_type(state, old);
		if (!type)
			return false;
		note_in_abi(state, old);
		LLVMValueRef changed = fe_function_take_over(state->lowering, old, type);
		if (!changed || !fe_set_add(&state->changed, changed))
			return false;
	}
	return true;
}

/* The parameter of a changed function that carries a hidden value. */
static LLVMValueRef hidden_parameter(const struct hidden *state, LLVMValueRef function,
				     unsigned row)
{
	uint32_t index = 0;
	unsigned rows[ABI_HIDDEN_COUNT], n = 0;
	(void)fe_set_find(&state->changed, function, &index);
	LLVMValueRef old = function_at(&state->all, index);
	list_needs(state, old, rows);
	while (rows[n] != row)
		n++;
	return LLVMGetParam(function, LLVMCountParams(old) + n);
}

static void read_parameters(struct hidden *state, unsigned row)
{
	LLVMValueRef source = source_of(state, row);
	LLVMUseRef use;
	while (source && (use = LLVMGetFirstUse(source)) != NULL) {
		LLVMValueRef call = LLVMGetUser(use);
		LLVMReplaceAllUsesWith(call, hidden_parameter(state, fe_parent_function(call), row));
		LLVMInstructionEraseFromParent(call);
	}
	if (source)
		LLVMDeleteFunction(source);
}

static bool extend_calls(struct hidden *state, uint32_t index)
{
	LLVMValueRef old = function_at(&state->all, index);
	unsigned rows[ABI_HIDDEN_COUNT];
	unsigned count = list_needs(state, old, rows);
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMValueRef call = fe_use_call(use);
		LLVMValueRef values[ABI_HIDDEN_COUNT];
		if (!call)
			continue;
		for (unsigned i = 0; i < count; i++)
			values[i] = hidden_parameter(state, fe_parent_function(call), rows[i]);
		if (!fe_call_replace(state->lowering, call, function_at(&state->changed, index),
				     values, count))
			return false;
	}
	return true;
}

/* Deletes the old functions; nothing refers to them any more. */
static enum fe_status delete_old(struct hidden *state)
{
	enum fe_status status = FE_OK;
	for (uint32_t i = 0; i < state->all.count; i++) {
		LLVMValueRef old = function_at(&state->all, i);
		if (!LLVMGetFirstUse(old)) {
			LLVMDeleteFunction(old);
			continue;
		}
		bytes_printf(state->lowering->log, "error: the address of function %s is taken\n",
			     fe_function_name(function_at(&state->changed, i)));
		status = FE_COMPILE_FAILED;
	}
	return status;
}

static enum fe_status lower_hidden(struct hidden *state)
{
	enum fe_status status = check_sources(state);
	if (status)
		return status;
	if (!find_readers(state) || !change_functions(state))
		return FE_NO_MEMORY;
	for (unsigned row = 0; row < ABI_HIDDEN_COUNT; row++)
		read_parameters(state, row);
	for (uint32_t i = 0; i < state->all.count; i++) {
		if (!extend_calls(state, i))
			return FE_NO_MEMORY;
	}
	return delete_old(state);
}

enum fe_status fe_lower_hidden(struct lowering *lowering)
{
	struct hidden state = { .lowering = lowering };
	enum fe_status status = lower_hidden(&state);
	for (unsigned row = 0; row < ABI_HIDDEN_COUNT; row++)
		fe_set_finish(&state.readers[row]);
	fe_set_finish(&state.all);
	fe_set_finish(&state.changed);
	return status;
}
