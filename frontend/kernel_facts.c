#include "config.h"

#include "frontend/kernel_facts.h"
#include "frontend/llvm_compat.h"
#include "frontend/module.h"
#include "frontend/symbol.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

/* Address spaces of the NVPTX target. */
enum { SPACE_GLOBAL = 1, SPACE_LOCAL = 3, SPACE_CONSTANT = 4 };
/* The alignment of a local pointer to void, which suffices for every OpenCL type. */
enum { LARGEST_ALIGN_B = 128 };

struct facts {
	const struct fe_module *module;
	LLVMTargetDataRef layout;
	struct bytes *log;
	enum fe_status status;
	bool uniform_groups;
	struct fe_set barriers;      /* functions with a work-group barrier */
	struct fe_set group_readers;
};

/* Ends a message, after the name of a kernel, which may be any text. */
static void end_line(struct bytes *log, size_t start)
{
	if (log->data)
		fe_symbol_clean(log->data + start, log->size_B - start);
	bytes_append_char(log, '\n');
}

static void refuse(struct facts *facts, enum fe_status status, const char *kernel,
		   const char *what, const char *name)
{
	const size_t start = facts->log->size_B;
	bytes_printf(facts->log, "error: kernel %s: %s%s", fe_symbol_shown(kernel), what, name);
	end_line(facts->log, start);
	facts->status = status;
}

static void *out_of_memory(struct facts *facts)
{
	facts->status = FE_NO_MEMORY;
	return NULL;
}

static char *copy_string(struct facts *facts, const char *string, size_t size_B)
{
	char *copy = malloc(size_B + 1);
	if (!copy)
		return out_of_memory(facts);
	memcpy(copy, string, size_B);
	copy[size_B] = '\0';
	return copy;
}

/* The operands of a function's metadata node of this kind; NULL: there is none. */
static LLVMValueRef *node_operands(struct facts *facts, LLVMValueRef function, const char *kind,
				   unsigned *count_out)
{
	LLVMContextRef context = facts->module->context;
	unsigned wanted = LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));
	size_t entry_count;
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &entry_count);
	LLVMValueRef *operands = NULL;
	for (unsigned i = 0; i < entry_count; i++) {
		if (LLVMValueMetadataEntriesGetKind(entries, i) != wanted)
			continue;
		LLVMValueRef node = LLVMMetadataAsValue(
			context, LLVMValueMetadataEntriesGetMetadata(entries, i));
		unsigned count = LLVMGetMDNodeNumOperands(node);
		operands = calloc(count + 1, sizeof(*operands));
		if (operands) {
			LLVMGetMDNodeOperands(node, operands);
			*count_out = count;
		} else {
			out_of_memory(facts);
		}
		break;
	}
	LLVMDisposeValueMetadataEntries(entries);
	return operands;
}

/* Strings for each argument, as Clang writes them; NULL where one is missing. */
struct argument_strings {
	LLVMValueRef *operands;
	unsigned count;
};

static struct argument_strings strings_of(struct facts *facts, LLVMValueRef function,
					  const char *kind)
{
	struct argument_strings strings = {0};
	strings.operands = node_operands(facts, function, kind, &strings.count);
	return strings;
}

static const char *string_at(const struct argument_strings *strings, unsigned index,
			     unsigned *size_B_out)
{
	*size_B_out = 0;
	if (index >= strings->count || !strings->operands[index] ||
	    !LLVMIsAMDString(strings->operands[index]))
		return NULL;
	return LLVMGetMDString(strings->operands[index], size_B_out);
}

static bool string_is_one_of(const struct argument_strings *strings, unsigned index,
			     const char *const *choices)
{
	unsigned size_B;
	const char *string = string_at(strings, index, &size_B);
	for (; string && *choices; choices++) {
		if (strlen(*choices) == size_B && !memcmp(string, *choices, size_B))
			return true;
	}
	return false;
}

struct kernel_strings {
	struct argument_strings names, types, base_types, qualifiers, access;
};

static uint32_t type_qualifiers(const struct kernel_strings *strings, unsigned index)
{
	static const struct {
		const char *word;
		enum abi_type_qualifier bit;
	} words[] = {
		{ "const", ABI_TYPE_CONST },
		{ "restrict", ABI_TYPE_RESTRICT },
		{ "volatile", ABI_TYPE_VOLATILE },
		{ "pipe", ABI_TYPE_PIPE },
	};
	uint32_t qualifiers = 0;
	unsigned size_B;
	const char *at = string_at(&strings->qualifiers, index, &size_B);
	const char *end = at ? at + size_B : NULL;
	while (at < end) {
		const char *space = memchr(at, ' ', (size_t)(end - at));
		size_t word_B = (size_t)((space ? space : end) - at);
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (strlen(words[i].word) == word_B && !memcmp(at, words[i].word, word_B))
				qualifiers |= (uint32_t)words[i].bit;
		}
		at += word_B + 1;
	}
	return qualifiers;
}

static unsigned attribute_align(LLVMValueRef function, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef align = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
	return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 0;
}

static LLVMTypeRef byval_type(LLVMValueRef function, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
	return byval ? LLVMGetTypeAttributeValue(byval) : NULL;
}

static void value_facts(struct facts *facts, LLVMTypeRef type, unsigned align_B,
			struct abi_argument *argument)
{
	argument->kind = ABI_ARGUMENT_VALUE;
	argument->address = ABI_ADDRESS_PRIVATE;
	argument->size_B = (uint32_t)LLVMABISizeOfType(facts->layout, type);
	argument->align_B = align_B ? align_B
				    : LLVMABIAlignmentOfType(facts->layout, type);
}

static void pointer_facts(struct facts *facts, LLVMValueRef parameter, unsigned align_B,
			  struct abi_argument *argument)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(parameter));
	struct fe_access access;
	argument->size_B = space == SPACE_LOCAL ? sizeof(uint32_t) : sizeof(uint64_t);
	argument->align_B = argument->size_B;
	if (space == SPACE_LOCAL) {
		argument->kind = ABI_ARGUMENT_LOCAL;
		argument->address = ABI_ADDRESS_LOCAL;
		argument->align_B = align_B ? align_B : LARGEST_ALIGN_B;
	} else if (space == SPACE_CONSTANT) {
		argument->kind = ABI_ARGUMENT_CONSTANT;
		argument->address = ABI_ADDRESS_CONSTANT;
	} else {
		argument->kind = ABI_ARGUMENT_GLOBAL;
		argument->address = ABI_ADDRESS_GLOBAL;
	}
	if (!fe_parameter_access(parameter, &access)) {
		out_of_memory(facts);
		return;
	}
	argument->may_read = access.may_read;
	argument->may_write = access.may_write;
}

/* Events, queues and unknown kinds of images are pointers in LLVM's IR, but a buffer cannot be passed for them. */
static bool is_opaque_object(const struct kernel_strings *strings, unsigned index)
{
	static const char *const accesses[] = { "read_only", "write_only", "read_write", NULL };
	static const char *const types[] = {
		"event_t", "queue_t", "clk_event_t", "reserve_id_t", NULL,
	};
	return string_is_one_of(&strings->access, index, accesses) ||
	       string_is_one_of(&strings->base_types, index, types);
}

/* Images and samplers, which Clang names by their types without typedefs. false: it is neither. */
static bool image_facts(const struct kernel_strings *strings, unsigned index,
			struct abi_argument *argument)
{
	unsigned type_B, access_B;
	const char *type = string_at(&strings->base_types, index, &type_B);
	const char *access = string_at(&strings->access, index, &access_B);
	return type && access && fe_image_argument(type, type_B, access, access_B, argument);
}

/* Both counters are in the pipe, so a kernel that reads it also writes to it. */
static bool pipe_facts(LLVMTypeRef type, const struct kernel_strings *strings, unsigned index,
		       struct abi_argument *argument)
{
	static const char *const writes[] = { "write_only", NULL };
	/* In a SPIR-V module the string may be anything. */
	if (!(argument->type_qualifiers & ABI_TYPE_PIPE) ||
	    LLVMGetTypeKind(type) != LLVMPointerTypeKind ||
	    LLVMGetPointerAddressSpace(type) != SPACE_GLOBAL)
		return false;
	argument->kind = ABI_ARGUMENT_PIPE;
	argument->address = ABI_ADDRESS_GLOBAL;
	argument->access = string_is_one_of(&strings->access, index, writes)
				   ? ABI_ACCESS_WRITE_ONLY : ABI_ACCESS_READ_ONLY;
	argument->size_B = argument->align_B = sizeof(uint64_t);
	argument->may_read = argument->may_write = true;
	return true;
}

static void argument_facts(struct facts *facts, LLVMValueRef function, unsigned index,
			   const struct kernel_strings *strings, struct abi_argument *argument)
{
	LLVMValueRef parameter = LLVMGetParam(function, index);
	LLVMTypeRef type = LLVMTypeOf(parameter);
	LLVMTypeRef carried = byval_type(function, index);
	unsigned align_B = attribute_align(function, index);
	unsigned size_B;
	const char *name = string_at(&strings->names, index, &size_B);
	if (name)
		argument->name = copy_string(facts, name, size_B);
	const char *type_name = string_at(&strings->types, index, &size_B);
	if (type_name)
		argument->type_name = copy_string(facts, type_name, size_B);
	argument->type_qualifiers = type_qualifiers(strings, index);

	if (pipe_facts(type, strings, index, argument) ||
	    image_facts(strings, index, argument)) {
		return;
	} else if (is_opaque_object(strings, index)) {
		size_t name_B;
		refuse(facts, FE_COMPILE_FAILED, LLVMGetValueName2(function, &name_B),
		       "arguments of this type are not supported: ",
		       argument->type_name ? argument->type_name : "used");
	} else if (carried) {
		value_facts(facts, carried, align_B, argument);
	} else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
		pointer_facts(facts, parameter, align_B, argument);
	} else {
		value_facts(facts, type, 0, argument);
	}
}

static void sizes_fact(struct facts *facts, LLVMValueRef function, const char *kind,
		       uint32_t sizes[3])
{
	unsigned count = 0;
	LLVMValueRef *operands = node_operands(facts, function, kind, &count);
	for (unsigned i = 0; i < 3 && i < count; i++)
		sizes[i] = (uint32_t)LLVMConstIntGetZExtValue(operands[i]);
	free(operands);
}

/* The name of a scalar type in OpenCL C; LLVM's integer types have no sign. */
static const char *scalar_name(LLVMTypeRef type, bool is_signed)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
		return "half";
	case LLVMFloatTypeKind:
		return "float";
	case LLVMDoubleTypeKind:
		return "double";
	case LLVMIntegerTypeKind:
		switch (LLVMGetIntTypeWidth(type)) {
		case 8:
			return is_signed ? "char" : "uchar";
		case 16:
			return is_signed ? "short" : "ushort";
		case 32:
			return is_signed ? "int" : "uint";
		default:
			return is_signed ? "long" : "ulong";
		}
	default:
		return "void";
	}
}

static void vector_hint(struct facts *facts, LLVMValueRef function, struct bytes *text)
{
	unsigned count = 0;
	LLVMValueRef *operands = node_operands(facts, function, "vec_type_hint", &count);
	if (count == 2) {
		LLVMTypeRef type = LLVMTypeOf(operands[0]);
		bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
		bool is_signed = LLVMConstIntGetZExtValue(operands[1]) != 0;
		LLVMTypeRef scalar = is_vector ? LLVMGetElementType(type) : type;
		bytes_printf(text, "%svec_type_hint(%s", text->size_B ? " " : "",
			     scalar_name(scalar, is_signed));
		if (is_vector)
			bytes_printf(text, "%u", LLVMGetVectorSize(type));
		bytes_append_char(text, ')');
	}
	free(operands);
}

/* OpenCL 3.0 API, 5.9.4 (CL_KERNEL_ATTRIBUTES): the attributes as in the kernel's declaration, separated by one
 * space. */
static char *attributes_string(struct facts *facts, LLVMValueRef function,
			       const struct abi_kernel *kernel)
{
	struct bytes text = BYTES_INIT;
	const uint32_t *required = kernel->required_local;
	const uint32_t *hint = kernel->hint_local;
	if (required[0])
		bytes_printf(&text, "reqd_work_group_size(%u,%u,%u)", required[0], required[1],
			     required[2]);
	if (hint[0])
		bytes_printf(&text, "%swork_group_size_hint(%u,%u,%u)", text.size_B ? " " : "",
			     hint[0], hint[1], hint[2]);
	if (kernel->required_sub_group)
		bytes_printf(&text, "%sintel_reqd_sub_group_size(%u)", text.size_B ? " " : "",
			     kernel->required_sub_group);
	vector_hint(facts, function, &text);
	char *string = bytes_failed(&text) ? out_of_memory(facts)
					   : copy_string(facts, bytes_string(&text), text.size_B);
	bytes_finish(&text);
	return string;
}

static void arguments_facts(struct facts *facts, LLVMValueRef function, struct abi_kernel *kernel)
{
	struct kernel_strings strings = {
		.names = strings_of(facts, function, "kernel_arg_name"),
		.types = strings_of(facts, function, "kernel_arg_type"),
		.base_types = strings_of(facts, function, "kernel_arg_base_type"),
		.qualifiers = strings_of(facts, function, "kernel_arg_type_qual"),
		.access = strings_of(facts, function, "kernel_arg_access_qual"),
	};
	unsigned count = LLVMCountParams(function);
	kernel->arguments = calloc(count + 1, sizeof(*kernel->arguments));
	if (kernel->arguments) {
		kernel->argument_count = count;
		for (unsigned i = 0; i < count; i++)
			argument_facts(facts, function, i, &strings, &kernel->arguments[i]);
	} else {
		out_of_memory(facts);
	}
	free(strings.names.operands);
	free(strings.types.operands);
	free(strings.base_types.operands);
	free(strings.qualifiers.operands);
	free(strings.access.operands);
}

/* A kernel's name may be one that PTX does not allow: a single underscore, letters beyond ASCII, in SPIR-V anything. */
static char *entry_name(struct facts *facts, const char *name, size_t size_B)
{
	struct bytes entry = BYTES_INIT;
	fe_symbol_entry(&entry, name, size_B);
	char *made = bytes_failed(&entry) ? out_of_memory(facts)
					  : copy_string(facts, bytes_string(&entry), entry.size_B);
	bytes_finish(&entry);
	return made;
}

/* cl_intel_required_subgroup_size: "the kernel must be compiled and executed with the specified sub-group size", which
 * is one of CL_DEVICE_SUB_GROUP_SIZES_INTEL. */
static void sub_group_fact(struct facts *facts, LLVMValueRef function, const char *name,
			   struct abi_kernel *kernel)
{
	uint32_t size[3] = {0, 0, 0};
	sizes_fact(facts, function, "intel_reqd_sub_group_size", size);
	if (size[0] && size[0] != 8 && size[0] != 16 && size[0] != 32)
		refuse(facts, FE_COMPILE_FAILED, name,
		       "intel_reqd_sub_group_size: the sizes of sub-groups are 8, 16 and 32", "");
	kernel->required_sub_group = size[0];
}

/* The kernel can be built and queried, but every launch of it will fail. */
static void warn_if_too_large(struct facts *facts, const struct abi_kernel *kernel)
{
	enum { MOST_WORK_ITEMS = 1024, MOST_Z = 64 };
	const uint32_t *required = kernel->required_local;
	uint64_t most = UINT64_C(1) << 20, count = 1;
	for (int d = 0; d < 3 && count < most; d++)
		count *= required[d] < most ? required[d] : most;
	const size_t start = facts->log->size_B;
	if (kernel->name && (count > MOST_WORK_ITEMS || required[2] > MOST_Z))
		bytes_printf(facts->log, "warning: kernel %s: reqd_work_group_size(%u, %u, %u) is "
			     "larger than the maximum, 1024 work-items and 64 in the third dimension: "
			     "it cannot be launched", kernel->name, required[0],
			     required[1], required[2]);
	if (facts->log->size_B > start)
		end_line(facts->log, start);
}

static void kernel_facts(struct facts *facts, LLVMValueRef function, struct abi_kernel *kernel)
{
	size_t size_B;
	const char *symbol = LLVMGetValueName2(function, &size_B), *name = fe_symbol_shown(symbol);
	size_B -= (size_t)(name - symbol);
	kernel->name = copy_string(facts, name, size_B);
	kernel->entry = entry_name(facts, name, size_B);
	/* Two kernels have this name; one is from SPIR-V and has another name in LLVM's IR. */
	if (name == symbol && fe_kernel_function(facts->module->module, name) != function) {
		const size_t start = facts->log->size_B;
		bytes_printf(facts->log, "error: '%s' is defined in more than one program", name);
		end_line(facts->log, start);
		facts->status = FE_LINK_FAILED;
	}
	sizes_fact(facts, function, "reqd_work_group_size", kernel->required_local);
	warn_if_too_large(facts, kernel);
	sizes_fact(facts, function, "work_group_size_hint", kernel->hint_local);
	sub_group_fact(facts, function, name, kernel);
	kernel->attributes = attributes_string(facts, function, kernel);
	kernel->has_barrier = fe_set_has(&facts->barriers, function);
	kernel->uniform_groups = facts->uniform_groups;
	kernel->sees_groups = fe_set_has(&facts->group_readers, function);
	arguments_facts(facts, function, kernel);
}

/* A barrier is an intrinsic, or inline PTX of the program that contains one. */
static bool is_barrier(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size_B;
	if (LLVMIsAFunction(callee)) {
		const char *name = LLVMGetValueName2(callee, &size_B);
		return !strncmp(name, "llvm.nvvm.bar", 13) && strncmp(name, "llvm.nvvm.bar.warp", 18);
	}
	if (!LLVMIsAInlineAsm(callee))
		return false;
	const char *text = LLVMGetInlineAsmAsmString(callee, &size_B);
	static const char *const words[] = { "bar.sync", "bar.red", "barrier." };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t word_B = strlen(words[i]);
		for (size_t at = 0; at + word_B <= size_B; at++) {
			if (!memcmp(text + at, words[i], word_B))
				return true;
		}
	}
	return false;
}

static bool contains_barrier(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef i = LLVMGetFirstInstruction(block);
		for (; i; i = LLVMGetNextInstruction(i)) {
			if (LLVMIsACallInst(i) && is_barrier(i))
				return true;
		}
	}
	return false;
}

static uint32_t find_barriers(struct facts *facts)
{
	struct fe_set *barriers = &facts->barriers;
	uint32_t kernel_count = 0;
	LLVMValueRef function = LLVMGetFirstFunction(facts->module->module);
	for (; function; function = LLVMGetNextFunction(function)) {
		kernel_count += fe_is_kernel(function);
		if (contains_barrier(function) && !fe_set_add(barriers, function))
			out_of_memory(facts);
	}
	if (!fe_add_callers(barriers))
		out_of_memory(facts);
	return kernel_count;
}

static uint64_t global_variables_size(struct facts *facts)
{
	uint64_t total_B = 0;
	LLVMValueRef variable = LLVMGetFirstGlobal(facts->module->module);
	for (; variable; variable = LLVMGetNextGlobal(variable)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == SPACE_GLOBAL &&
		    LLVMGetInitializer(variable) && !LLVMIsGlobalConstant(variable))
			total_B += LLVMABISizeOfType(facts->layout,
						     LLVMGlobalGetValueType(variable));
	}
	return total_B;
}

static struct abi_program *program_facts(struct facts *facts)
{
	struct abi_program *program = calloc(1, sizeof(*program));
	uint32_t kernel_count = find_barriers(facts);
	if (!fe_add_group_readers(&facts->group_readers, facts->module->module))
		out_of_memory(facts);
	if (program)
		program->kernels = calloc(kernel_count + 1, sizeof(*program->kernels));
	if (!program || !program->kernels) {
		out_of_memory(facts);
	} else {
		program->global_variables_B = global_variables_size(facts);
		LLVMValueRef function = LLVMGetFirstFunction(facts->module->module);
		for (; function; function = LLVMGetNextFunction(function)) {
			if (fe_is_kernel(function))
				kernel_facts(facts, function,
					     &program->kernels[program->kernel_count++]);
		}
		if (facts->status == FE_OK)
			facts->status = fe_sampler_facts(facts->module->module, program,
							 facts->log);
	}
	fe_set_finish(&facts->barriers);
	fe_set_finish(&facts->group_readers);
	return program;
}

enum fe_status fe_module_facts(const struct fe_module *module, const struct codegen_choice *codegen,
			       struct abi_program **abi_out, struct bytes *log)
{
	struct facts facts = {
		.module = module,
		.layout = LLVMGetModuleDataLayout(module->module),
		.log = log,
		.status = FE_OK,
		.uniform_groups = codegen->uniform_groups,
	};
	struct abi_program *program = program_facts(&facts);
	if (facts.status == FE_OK)
		*abi_out = program;
	else
		abi_program_destroy(program);
	return facts.status;
}
