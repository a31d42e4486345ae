#include "config.h"

#include "tests/footprint/reference.h"

#include <ctype.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Builtins by name.  The library has them for each named address space; a generic pointer is as good
 * as any here, for all memory is the host's. */

/* What is the platform's own (reference_run.c). */
static const char *own_name(const char *name)
{
	static const char *const own[][2] = {
		{"_Z13get_global_idj", "reference_global_id"},
		{"_Z12get_local_idj", "reference_local_id"},
		{"_Z12get_group_idj", "reference_group_id"},
		{"_Z15get_global_sizej", "reference_global_size"},
		{"_Z14get_local_sizej", "reference_local_size"},
		{"_Z23get_enqueued_local_sizej", "reference_local_size"},
		{"_Z14get_num_groupsj", "reference_group_count"},
		{"_Z17get_global_offsetj", "reference_global_offset"},
		{"_Z20get_global_linear_idv", "reference_global_linear_id"},
		{"_Z19get_local_linear_idv", "reference_local_linear_id"},
		{"_Z12get_work_dimv", "reference_dimensions"},
		{"_Z7barrierj", "reference_barrier"},
		{"_Z18work_group_barrierj", "reference_barrier"},
		{"_Z18work_group_barrierj12memory_scope", "reference_barrier"},
		{"printf", "reference_print"},
		{"_Z9mem_fencej", "reference_fence"},
		{"_Z14read_mem_fencej", "reference_fence"},
		{"_Z15write_mem_fencej", "reference_fence"},
		{"_Z22atomic_work_item_fencej12memory_order12memory_scope", "reference_fence"},
		{"reference_copy", "reference_copy"},
	};
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(own[i][0], name))
			return own[i][1];
	return NULL;
}

/* A name as Clang's SPIR target mangles it -> as the library has it for the processor: its functions
 * are called _cl_*, and address spaces have words.  generic: what a generic pointer points into. */
static void to_library_name(const char *name, bool prefixed, const char *const generic[2], char *to,
			    size_t size_B)
{
	static const char *const spaces[][2] = {
		{"PU3AS1", "PU8CLglobal"}, {"PU3AS2", "PU10CLconstant"}, {"PU3AS3", "PU7CLlocal"}};
	unsigned length, seen = 0;
	int used = 0;
	size_t at = 0;
	if (sscanf(name, "_Z%u%n", &length, &used) != 1 || strlen(name) < (size_t)used + length)
		length = used = 0;
	at += (size_t)snprintf(to, size_B, "_Z%u%s%.*s", length + (prefixed ? 4 : 0),
			       prefixed ? "_cl_" : "", (int)length, name + used);
	name += used + (int)length;
	while (*name && at + 24 < size_B) {
		unsigned s = 0;
		while (s < 3 && strncmp(name, spaces[s][0], 6))
			s++;
		bool is_generic = !strncmp(name, "PU3AS4", 6);
		if (s < 3 || is_generic) {
			at += (size_t)sprintf(to + at, "%s",
					      is_generic ? generic[seen++ > 0] : spaces[s][1]);
			name += 6;
		} else if (*name == 'P') {
			at += (size_t)sprintf(to + at, "PU9CLprivate");
			name++;
		} else {
			to[at++] = *name++;
		}
	}
	to[at] = 0;
}

static LLVMValueRef find_in_library(LLVMModuleRef library, const char *name)
{
	static const char *const spaces[] = {"PU9CLprivate", "PU8CLglobal", "PU7CLlocal",
					     "PU9CLgeneric"};
	char other[512];
	LLVMValueRef found = NULL;
	for (unsigned way = 0; !found && way < 32; way++) {
		const char *const generic[2] = {spaces[way / 2 % 4], spaces[way / 8]};
		to_library_name(name, !(way & 1), generic, other, sizeof(other));
		found = LLVMGetNamedFunction(library, other);
	}
	return found;
}

/* --- calls as the processor's C has them -------------------------------------------------------- */

static LLVMValueRef with_lanes(LLVMBuilderRef builder, LLVMValueRef vector, unsigned lanes)
{
	LLVMTypeRef type = LLVMTypeOf(vector);
	LLVMTypeRef number = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	LLVMValueRef mask[16];
	unsigned has = LLVMGetVectorSize(type);
	if (has == lanes || lanes > 16)
		return vector;
	for (unsigned l = 0; l < lanes; l++)
		mask[l] = l < has ? LLVMConstInt(number, l, false) : LLVMGetUndef(number);
	return LLVMBuildShuffleVector(builder, vector, LLVMGetUndef(type),
				      LLVMConstVector(mask, lanes), "");
}

static bool is_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef four_of(LLVMTypeRef vector)
{
	return LLVMVectorType(LLVMGetElementType(vector), 4);
}

/* A value of one type as the other that stands for it: small vectors travel as numbers. */
static LLVMValueRef cast_to(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type)
{
	LLVMTypeRef from = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(from), wanted = LLVMGetTypeKind(type);
	if (from == type)
		return value;
	if (kind == LLVMPointerTypeKind && wanted == LLVMPointerTypeKind)
		return LLVMBuildAddrSpaceCast(builder, value, type, "");
	if (kind == LLVMIntegerTypeKind && wanted == LLVMIntegerTypeKind)
		return LLVMBuildIntCast2(builder, value, type, false, "");
	if (is_vector(from) && is_vector(type) &&
	    LLVMGetElementType(from) == LLVMGetElementType(type))
		return with_lanes(builder, value, LLVMGetVectorSize(type));
	if (is_vector(from) && LLVMGetVectorSize(from) == 3)
		return cast_to(builder, with_lanes(builder, value, 4), type);
	if (is_vector(type) && LLVMGetVectorSize(type) == 3)
		return cast_to(builder, cast_to(builder, value, four_of(type)), type);
	if (kind == LLVMPointerTypeKind || wanted == LLVMPointerTypeKind)
		return NULL;
	return LLVMBuildBitCast(builder, value, type, "");
}

static LLVMAttributeRef attribute_of(LLVMValueRef f, unsigned i, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(f, i,
					   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* Large vectors travel in memory. */
static LLVMValueRef pass(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef target,
			 unsigned i, LLVMTypeRef type)
{
	LLVMAttributeRef by_value = attribute_of(target, i + 1, "byval");
	if (!by_value)
		return cast_to(builder, value, type);
	LLVMTypeRef memory = LLVMGetTypeAttributeValue(by_value);
	value = cast_to(builder, value, memory);
	LLVMValueRef room = LLVMBuildAlloca(builder, memory, "");
	LLVMSetAlignment(room, 128);
	if (value)
		LLVMSetAlignment(LLVMBuildStore(builder, value, room), 128);
	return value ? room : NULL;
}

static void copy_attributes(LLVMValueRef call, LLVMValueRef target, unsigned count)
{
	static const char *const names[] = {"byval", "align", "signext", "zeroext"};
	for (unsigned i = 0; i <= count; i++)
		for (unsigned n = 0; n < 4; n++) {
			LLVMAttributeRef attribute = attribute_of(target, i, names[n]);
			if (attribute)
				LLVMAddCallSiteAttribute(call, i, attribute);
		}
}

static LLVMValueRef declare(LLVMModuleRef module, LLVMValueRef target)
{
	size_t length;
	const char *name = LLVMGetValueName2(target, &length);
	LLVMValueRef known = LLVMGetNamedFunction(module, name);
	if (known)
		return known;
	known = LLVMAddFunction(module, name, LLVMGlobalGetValueType(target));
	LLVMSetFunctionCallConv(known, LLVMGetFunctionCallConv(target));
	return known;
}

/* A body that calls the library's function.  False: that one is something else. */
static bool define_call(LLVMModuleRef module, LLVMValueRef f, LLVMValueRef target)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = LLVMGlobalGetValueType(target), wanted[16];
	LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
	unsigned count = LLVMCountParams(f);
	LLVMValueRef arguments[16];
	if (count != LLVMCountParamTypes(type) || count > 16)
		return false;
	LLVMGetParamTypes(type, wanted);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, ""));
	bool good = true;
	for (unsigned i = 0; i < count; i++) {
		arguments[i] = pass(builder, LLVMGetParam(f, i), target, i, wanted[i]);
		good = good && arguments[i];
	}
	if (good) {
		LLVMValueRef call = LLVMBuildCall2(builder, type, declare(module, target),
						   arguments, count, "");
		LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(target));
		copy_attributes(call, target, count);
		if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
			LLVMBuildRetVoid(builder);
		else if ((call = cast_to(builder, call, result)))
			LLVMBuildRet(builder, call);
		else
			good = false;
	}
	LLVMDisposeBuilder(builder);
	return good;
}

/* The same under a name that is not the library's own. */
static bool define_builtin(LLVMModuleRef module, LLVMModuleRef library, LLVMValueRef f)
{
	char name[512], hidden[600];
	size_t length;
	snprintf(name, sizeof(name), "%s", LLVMGetValueName2(f, &length));
	const char *own = own_name(name);
	if (own) {
		LLVMValueRef known = LLVMGetNamedFunction(module, own);
		if (known && known != f)
			LLVMReplaceAllUsesWith(f, known);
		else if (!known)
			LLVMSetValueName2(f, own, strlen(own));
		return true;
	}
	snprintf(hidden, sizeof(hidden), "reference.%s", name);
	LLVMValueRef target = find_in_library(library, name);
	if (!target)
		return false;
	LLVMSetValueName2(f, hidden, strlen(hidden));
	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMSetVisibility(f, LLVMDefaultVisibility);
	return define_call(module, f, target);
}

bool reference_name_builtins(LLVMModuleRef module, LLVMModuleRef library, struct bytes *log)
{
	LLVMValueRef last = LLVMGetLastFunction(module), f = LLVMGetFirstFunction(module);
	size_t length;
	for (bool more = f != NULL; more; f = LLVMGetNextFunction(f)) {
		more = f != last;
		const char *name = LLVMGetValueName2(f, &length);
		if (!LLVMIsDeclaration(f) || !strncmp(name, "llvm.", 5) || !LLVMGetFirstUse(f))
			continue;
		char was[512];
		snprintf(was, sizeof(was), "%s", name);
		if (!define_builtin(module, library, f)) {
			bytes_printf(log, "the library has no %s\n", was);
			return false;
		}
	}
	return true;
}
