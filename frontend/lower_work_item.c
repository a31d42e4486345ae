#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/lower.h"
#include "frontend/module.h"

#include <string.h>

/* Calls of get_global_id(0) and its kin become the reads of registers and parameters that
 * they are.  The builtin library could be left to it, but OpenCL's size_t would cost:
 * where a program keeps an id as an int, libnvvm sees a 64-bit call and widens the arithmetic
 * around it before it sees what is called.  An id that is only wanted in 32 bits is
 * computed in 32 bits here; modulo 2^32 that is the same.
 *
 * An id that is wanted in 64 bits is computed in 32, too, and extended, which libnvvm sees
 * through: an address is one multiplication and addition then, and a division one of 32 bits.
 * That is right for launches whose ids fit; abi_program.narrow_ids says that the others need
 * the program made anew, with wide_ids. */

enum item { GLOBAL_ID, GLOBAL_SIZE, GLOBAL_OFFSET, LOCAL_ID, LOCAL_SIZE, ENQUEUED_LOCAL_SIZE,
	    GROUP_ID, GROUP_COUNT };

static const struct {
	const char *function;
	enum item item;
	unsigned outside;       /* OpenCL C 3.0, 6.15.1: for a dimension that there is not */
} rows[] = {
	{ "_Z13get_global_idj", GLOBAL_ID, 0 },
	{ "_Z15get_global_sizej", GLOBAL_SIZE, 1 },
	{ "_Z17get_global_offsetj", GLOBAL_OFFSET, 0 },
	{ "_Z12get_local_idj", LOCAL_ID, 0 },
	{ "_Z14get_local_sizej", LOCAL_SIZE, 1 },
	{ "_Z23get_enqueued_local_sizej", ENQUEUED_LOCAL_SIZE, 1 },
	{ "_Z12get_group_idj", GROUP_ID, 0 },
	{ "_Z14get_num_groupsj", GROUP_COUNT, 1 },
};

/* The call that is being replaced. */
struct site {
	struct lowering *lowering;
	const struct abi_kernel *kernel;   /* the kernel whose entry contains the call;
					    * NULL if it is in another function */
	unsigned dimension;
	bool uniform;
	bool narrow;                       /* global ids fit 32 bits */
};

static LLVMTypeRef integer(const struct site *site, bool wide)
{
	return LLVMIntTypeInContext(site->lowering->context, wide ? 64 : 32);
}

static LLVMValueRef number(const struct site *site, uint64_t value, bool wide)
{
	return LLVMConstInt(integer(site, wide), value, false);
}

static LLVMValueRef sized(const struct site *site, LLVMValueRef value, bool wide)
{
	LLVMTypeRef type = integer(site, wide);
	if (LLVMTypeOf(value) == type)
		return value;
	return wide ? LLVMBuildZExt(site->lowering->builder, value, type, "")
		    : LLVMBuildTrunc(site->lowering->builder, value, type, "");
}

static LLVMValueRef call(const struct site *site, LLVMValueRef function)
{
	return LLVMBuildCall2(site->lowering->builder, LLVMGlobalGetValueType(function), function,
			      NULL, 0, "");
}

/* x is the value's place for the dimension x; y and z follow. */
static LLVMValueRef hidden(const struct site *site, enum abi_hidden x, bool wide)
{
	enum abi_hidden hidden = (enum abi_hidden)(x + site->dimension);
	return sized(site, call(site, fe_hidden_source(site->lowering, hidden)), wide);
}

static LLVMValueRef special_register(const struct site *site, const char *name, bool wide)
{
	char full[64] = "llvm.nvvm.read.ptx.sreg.";
	size_t length = strlen(full), name_length = strlen(name);
	memcpy(full + length, name, name_length);
	length += name_length;
	full[length++] = '.';
	full[length++] = "xyz"[site->dimension];
	unsigned id = LLVMLookupIntrinsicID(full, length);
	LLVMValueRef read = LLVMGetIntrinsicDeclaration(site->lowering->module, id, NULL, 0);
	return sized(site, call(site, read), wide);
}

/* Returns the size that reqd_work_group_size asks for, or 0 if it says nothing. */
static uint32_t required_size(const struct site *site)
{
	return site->kernel ? site->kernel->required_local[site->dimension] : 0;
}

static LLVMValueRef local_size(const struct site *site, bool wide)
{
	/* At the edges of a launch that is not uniform groups are smaller. */
	if (site->uniform && required_size(site))
		return number(site, required_size(site), wide);
	return special_register(site, "ntid", wide);
}

static LLVMValueRef local_id(const struct site *site, bool wide)
{
	if (required_size(site) == 1)
		return number(site, 0, wide);
	return special_register(site, "tid", wide);
}

static LLVMValueRef global_id(const struct site *site, bool wide)
{
	LLVMBuilderRef builder = site->lowering->builder;
	LLVMValueRef group = special_register(site, "ctaid", wide);
	LLVMValueRef start = LLVMBuildMul(builder, group, local_size(site, wide), "");
	LLVMValueRef id = LLVMBuildAdd(builder, start, local_id(site, wide), "");
	return LLVMBuildAdd(builder, id, hidden(site, ABI_HIDDEN_ID_START_X, wide), "");
}

/* A launch has less than 2^32 work-groups in each dimension.  An id that is wanted in 64 bits is computed in 32, so
 * that libnvvm knows its upper half. */
static LLVMValueRef group_id(const struct site *site, bool wide)
{
	LLVMValueRef group = special_register(site, "ctaid", false);
	LLVMValueRef start = hidden(site, ABI_HIDDEN_GROUP_START_X, false);
	return sized(site, LLVMBuildAdd(site->lowering->builder, group, start, ""), wide);
}

static LLVMValueRef enqueued_size(const struct site *site, bool wide)
{
	if (required_size(site))
		return number(site, required_size(site), wide);
	return site->uniform ? special_register(site, "ntid", wide)
			     : hidden(site, ABI_HIDDEN_ENQUEUED_LOCAL_X, wide);
}

static LLVMValueRef group_count(const struct site *site, bool wide)
{
	/* %nctaid is that of one grid, and a launch may be several. */
	return hidden(site, ABI_HIDDEN_GROUP_COUNT_X, wide);
}

static LLVMValueRef build_in(const struct site *site, enum item item, bool wide)
{
	switch (item) {
	case GLOBAL_ID:
		return global_id(site, wide);
	case GLOBAL_SIZE:
		return hidden(site, ABI_HIDDEN_GLOBAL_SIZE_X, wide);
	case GLOBAL_OFFSET:
		return hidden(site, ABI_HIDDEN_GLOBAL_OFFSET_X, wide);
	case LOCAL_ID:
		return local_id(site, wide);
	case LOCAL_SIZE:
		return local_size(site, wide);
	case ENQUEUED_LOCAL_SIZE:
		return enqueued_size(site, wide);
	case GROUP_ID:
		return group_id(site, wide);
	default:
		return group_count(site, wide);
	}
}

static LLVMValueRef build(const struct site *site, enum item item)
{
	/* Sizes and offsets are parameters of 64 bits in any case. */
	if (!site->narrow || item != GLOBAL_ID)
		return build_in(site, item, true);
	site->lowering->abi->narrow_ids = true;
	return sized(site, build_in(site, item, false), true);
}

/* Users that truncate the value to 32 bits get a 32-bit value, which is made for the first of them. */
static void replace_narrow(const struct site *site, enum item item, LLVMValueRef old)
{
	LLVMTypeRef narrow = integer(site, false);
	LLVMValueRef value = NULL;
	LLVMUseRef next;
	for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsATruncInst(user) || LLVMTypeOf(user) != narrow)
			continue;
		if (!value)
			value = build_in(site, item, false);
		LLVMReplaceAllUsesWith(user, value);
		LLVMInstructionEraseFromParent(user);
	}
}

static void replace_call(struct site *site, unsigned row, LLVMValueRef old)
{
	uint64_t dimension = LLVMConstIntGetZExtValue(LLVMGetOperand(old, 0));
	LLVMPositionBuilderBefore(site->lowering->builder, old);
	site->dimension = (unsigned)dimension;
	site->kernel = fe_lower_kernel(site->lowering, fe_parent_function(old));
	if (dimension > 2) {
		LLVMReplaceAllUsesWith(old, number(site, rows[row].outside, true));
	} else {
		replace_narrow(site, rows[row].item, old);
		if (LLVMGetFirstUse(old))
			LLVMReplaceAllUsesWith(old, build(site, rows[row].item));
	}
	LLVMInstructionEraseFromParent(old);
}

static void replace_calls(struct site *site, unsigned row)
{
	LLVMValueRef function =
		LLVMGetNamedFunction(site->lowering->module, rows[row].function);
	LLVMUseRef next = function ? LLVMGetFirstUse(function) : NULL;
	for (LLVMUseRef use = next; use; use = next) {
		LLVMValueRef old = fe_use_call(use);
		next = LLVMGetNextUse(use);
		if (old && LLVMIsAConstantInt(LLVMGetOperand(old, 0)) &&
		    LLVMTypeOf(old) == integer(site, true))
			replace_call(site, row, old);
	}
	/* If the call stayed, the kernel would still get hidden parameters for it. */
	if (function && !LLVMGetFirstUse(function))
		LLVMDeleteFunction(function);
}

/* --- sizes of work-groups in functions that kernels call --- */

/* How many functions are looked at before the size counts as not known. */
enum { CALLERS_MOST = 1000 };

/* Whether all kernels that call the function, directly or not, require one size in the dimension: *size, if that is not
 * 0 yet.  A function whose address is taken may be called by any kernel. */
static bool callers_agree(const struct site *site, LLVMValueRef function, unsigned *budget, uint32_t *size)
{
	const struct abi_kernel *kernel = fe_lower_kernel(site->lowering, function);
	if (kernel) {
		const uint32_t required = kernel->required_local[site->dimension];
		*size = *size ? *size : required;
		return required && required == *size;
	}
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef caller = fe_use_call(use);
		if (!caller || !*budget)
			return false;
		--*budget;
		if (!callers_agree(site, fe_parent_function(caller), budget, size))
			return false;
	}
	return true;
}

/* Reads of the registers with the size and the id in the dimension, as functions of the builtin library have them:
 * where the size is known, libnvvm unrolls their loops over the work-group.  The id is known if the size is 1. */
static void replace_reads(const struct site *site, const char *name, bool is_id)
{
	LLVMValueRef read = LLVMGetNamedFunction(site->lowering->module, name);
	LLVMUseRef next = read ? LLVMGetFirstUse(read) : NULL;
	for (LLVMUseRef use = next; use; use = next) {
		LLVMValueRef old = fe_use_call(use);
		unsigned budget = CALLERS_MOST;
		uint32_t size = 0;
		next = LLVMGetNextUse(use);
		if (!old || !callers_agree(site, fe_parent_function(old), &budget, &size) || !size ||
		    (is_id && size != 1))
			continue;
		LLVMReplaceAllUsesWith(old, number(site, is_id ? 0 : size, false));
		LLVMInstructionEraseFromParent(old);
	}
}

static bool is_known(struct site *site, LLVMValueRef function)
{
	bool known = site->uniform;
	for (site->dimension = 0; known && site->dimension < 3; site->dimension++) {
		unsigned budget = CALLERS_MOST;
		uint32_t size = 0;
		known = callers_agree(site, function, &budget, &size) && size;
	}
	return known;
}

static const char *const sizes[] = {"llvm.nvvm.read.ptx.sreg.ntid.x", "llvm.nvvm.read.ptx.sreg.ntid.y",
				    "llvm.nvvm.read.ptx.sreg.ntid.z"};
static const char *const ids[] = {"llvm.nvvm.read.ptx.sreg.tid.x", "llvm.nvvm.read.ptx.sreg.tid.y",
				  "llvm.nvvm.read.ptx.sreg.tid.z"};

/* Functions that kernels of several sizes share know none.  In kernels that require one, those that ask for it are
 * inlined, and then all that read it. */
static void separate_kernels(const struct site *site, LLVMValueRef question)
{
	const struct abi_program *abi = site->lowering->abi;
	LLVMModuleRef module = site->lowering->module;
	for (uint32_t i = 0; i < abi->kernel_count; i++) {
		LLVMValueRef entry = LLVMGetNamedFunction(module, abi->kernels[i].entry);
		if (!entry || LLVMIsDeclaration(entry) || !abi->kernels[i].required_local[0] ||
		    !fe_inline_callers(entry, question))
			continue;
		for (unsigned d = 0; d < 3; d++) {
			LLVMValueRef read = LLVMGetNamedFunction(module, sizes[d]);
			if (read)
				(void)fe_inline_callers(entry, read);
		}
	}
}

/* Answers the builtin library's question whether the size of the work-group is a constant. */
static void answer_known(struct site *site)
{
	LLVMValueRef question = LLVMGetNamedFunction(site->lowering->module, "__culvert_hidden_size_is_known");
	if (question && site->uniform && !site->lowering->unoptimized)
		separate_kernels(site, question);
	LLVMUseRef next = question ? LLVMGetFirstUse(question) : NULL;
	for (LLVMUseRef use = next; use; use = next) {
		LLVMValueRef old = fe_use_call(use);
		next = LLVMGetNextUse(use);
		if (!old)
			continue;
		LLVMReplaceAllUsesWith(old,
				       LLVMConstInt(LLVMTypeOf(old), is_known(site, fe_parent_function(old)), false));
		LLVMInstructionEraseFromParent(old);
	}
	if (question && !LLVMGetFirstUse(question))
		LLVMDeleteFunction(question);
}

enum fe_status fe_lower_work_items(struct lowering *lowering)
{
	const struct abi_program *abi = lowering->abi;
	struct site site = {
		.lowering = lowering,
		.uniform = abi->kernel_count && abi->kernels[0].uniform_groups,
		/* If there were two programs, each would have its own copy of the variables. */
		.narrow = !lowering->wide_ids && !lowering->unoptimized &&
			  !abi->global_variables_B,
	};
	for (unsigned row = 0; row < sizeof(rows) / sizeof(*rows); row++)
		replace_calls(&site, row);
	answer_known(&site);
	/* At the edges of a launch that is not uniform groups are smaller. */
	for (site.dimension = 0; site.uniform && site.dimension < 3; site.dimension++) {
		replace_reads(&site, sizes[site.dimension], false);
		replace_reads(&site, ids[site.dimension], true);
	}
	return FE_OK;
}
