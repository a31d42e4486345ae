/* Functions: their heads, variables and blocks. */
#include "config.h"

#include "frontend/spirv_argument.h"
#include "frontend/spirv_function.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- what of a module a function uses without being given it --- */

static bool holds(const struct spirv_function *function, uint32_t id)
{
	for (size_t i = 0; i < function->local_count; i++)
		if (function->locals[i] == id)
			return true;
	return false;
}

static bool add_local(struct spirv_function *function, uint32_t id)
{
	if (holds(function, id))
		return true;
	uint32_t *more = realloc(function->locals, (function->local_count + 1) * sizeof(*more));
	if (!more)
		return false;
	function->locals = more;
	function->locals[function->local_count++] = id;
	return true;
}

/* Whether a word of an instruction, from the first operand on, is no id but a number: SPIR-V 1.6, 3.49. */
static bool is_literal(const uint32_t *words, unsigned i)
{
	const unsigned op = words[0] & SpvOpCodeMask;
	switch (op) {
	case SpvOpSwitch:
	case SpvOpLoopMerge:
	case SpvOpSelectionMerge: return i >= 2;
	case SpvOpStore:
	case SpvOpCopyMemory: return i >= 3;
	case SpvOpLoad:
	case SpvOpCopyMemorySized:
	case SpvOpCompositeExtract:
	case SpvOpBranchConditional: return i >= 4;
	case SpvOpCompositeInsert:
	case SpvOpVectorShuffle:
	case SpvOpSDot:
	case SpvOpUDot:
	case SpvOpSUDot: return i >= 5;
	case SpvOpSDotAccSat:
	case SpvOpUDotAccSat:
	case SpvOpSUDotAccSat: return i >= 6;
	case SpvOpLifetimeStart:
	case SpvOpLifetimeStop: return i == 2;
	case SpvOpFunction:
	case SpvOpVariable: return i == 3;
	case SpvOpExtInst:
	case SpvOpGenericCastToPtrExplicit:
	case SpvOpImageWrite:
	case SpvOpGroupNonUniformBallotBitCount: return i == 4;
	case SpvOpImageSampleImplicitLod:
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageFetch:
	case SpvOpImageRead: return i == 5;
	case SpvOpLine:
	case SpvOpLoopControlINTEL:
	case SpvOpConstant:
	case SpvOpSpecConstant: return true;
	default: break;
	}
	/* How the values of a group are brought together. */
	const bool reduces = (op >= SpvOpGroupIAdd && op <= SpvOpGroupSMax) ||
			     (op >= SpvOpGroupNonUniformIAdd && op <= SpvOpGroupNonUniformLogicalXor) ||
			     (op >= SpvOpGroupIMulKHR && op <= SpvOpGroupLogicalXorKHR);
	return reduces && i == 4;
}

/* Notes the variables behind an operand: of the work-group, and of the device's inputs. */
static bool note_operand(struct spirv_writer *writer, struct spirv_function *function, uint32_t id,
			 unsigned deep)
{
	enum { MOST_DEEP = 32 };
	const struct spirv_id *known = spirv_id(writer->module, id);
	if (!known->words || deep > MOST_DEEP)
		return true;
	if (known->op == SpvOpVariable && known->count > 3 &&
	    (known->words[3] == SpvStorageClassWorkgroup ||
	     known->words[3] == SpvStorageClassInput || known->is_input))
		return add_local(function, id);
	if (known->op != SpvOpSpecConstantOp && known->op != SpvOpConstantComposite &&
	    known->op != SpvOpSpecConstantComposite)
		return true;
	for (unsigned i = known->op == SpvOpSpecConstantOp ? 4 : 3; i < known->count; i++)
		if (!note_operand(writer, function, known->words[i], deep + 1))
			return false;
	return true;
}

bool spirv_function_scan(struct spirv_writer *writer, struct spirv_function *function)
{
	const uint32_t *all = writer->module->words;
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift) {
		const unsigned count = all[at] >> SpvWordCountShift;
		for (unsigned i = 1; i < count; i++)
			if (!is_literal(all + at, i) && !note_operand(writer, function, all[at + i], 0))
				return false;
	}
	return true;
}

static bool is_workgroup(const struct spirv_writer *writer, uint32_t id)
{
	const struct spirv_id *variable = spirv_id(writer->module, id);
	return variable->words[3] == SpvStorageClassWorkgroup && !variable->is_input;
}

/* What the functions that it calls use of the work-group, it has to hand on. */
bool spirv_function_inherit(struct spirv_writer *writer, struct spirv_function *functions,
			    size_t count, struct spirv_function *function, bool *changed)
{
	const uint32_t *all = writer->module->words;
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift) {
		if ((all[at] & SpvOpCodeMask) != SpvOpFunctionCall ||
		    all[at] >> SpvWordCountShift < 4)
			continue;
		const struct spirv_function *called = spirv_function_find(functions, count,
									  all[at + 3]);
		for (size_t i = 0; called && i < called->local_count; i++) {
			if (!is_workgroup(writer, called->locals[i]) ||
			    holds(function, called->locals[i]))
				continue;
			if (!add_local(function, called->locals[i]))
				return false;
			*changed = true;
		}
	}
	return true;
}

struct spirv_function *spirv_function_find(struct spirv_function *functions, size_t count,
					   uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (functions[i].id == id)
			return &functions[i];
	return NULL;
}

/* --- heads --- */

/* A constant may be an expression of specialization constants: Clang knows its value. */
static void put_sizes(struct spirv_writer *writer, const char *name, const struct spirv_sizes *sizes)
{
	const uint32_t *size = sizes->size;
	const char *v = sizes->by_id ? "v" : "";
	if (size[0])
		spirv_put(writer, "__attribute__((%s(%s%" PRIu32 ", %s%" PRIu32 ", %s%" PRIu32 "))) ",
			  name, v, size[0], v, size[1], v, size[2]);
}

static void put_attributes(struct spirv_writer *writer, const struct spirv_function *function)
{
	put_sizes(writer, "reqd_work_group_size", &function->local_size);
	put_sizes(writer, "work_group_size_hint", &function->local_size_hint);
	if (function->sub_group_size)
		spirv_put(writer, "__attribute__((intel_reqd_sub_group_size(%" PRIu32 "))) ",
			  function->sub_group_size);
}

/* A kernel's local argument lies as its Alignment says: LLVM's back end for SPIR-V writes pointers to bytes
 * where it does not know to what. */
static bool is_aligned_local(const struct spirv_writer *writer, uint32_t number)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	uint32_t type = spirv_pointee(writer->module, id->type);
	enum spirv_class class = spirv_shape(writer->module, type).class;
	return id->alignment_B && !(id->alignment_B & (id->alignment_B - 1)) &&
	       spirv_storage(writer->module, id->type) == SpvStorageClassWorkgroup &&
	       class != SPIRV_VOID && class != SPIRV_UNKNOWN;
}

/* A kernel's argument by value lies as its Alignment says, too: LLVM packs structs that it lays out itself, and
 * loads of their members say how aligned they are. */
static bool is_aligned_value(const struct spirv_writer *writer, uint32_t number)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	enum spirv_class class = spirv_shape(writer->module, spirv_pointee(writer->module, id->type)).class;
	return id->by_value && id->alignment_B && !(id->alignment_B & (id->alignment_B - 1)) &&
	       (class == SPIRV_STRUCT || class == SPIRV_ARRAY);
}

/* A kernel's argument may point to generic pointers here, and not in OpenCL C (3.0, 6.11). */
static bool is_table(const struct spirv_writer *writer, uint32_t number)
{
	const struct spirv_module *module = writer->module;
	uint32_t pointee = spirv_pointee(module, spirv_id(module, number)->type);
	return spirv_shape(module, pointee).class == SPIRV_POINTER &&
	       spirv_storage(module, pointee) == SpvStorageClassGeneric;
}

static void put_aligned_type(struct spirv_writer *writer, uint32_t number)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	uint32_t type = spirv_pointee(writer->module, id->type), alignment_B = id->alignment_B;
	spirv_put(writer, "struct l%" PRIu32 " { t%" PRIu32 " e; } __attribute__((aligned(", number, type);
	/* Clang makes a type as large as a multiple of that, and clSetKernelArg is asked for a value's size. */
	if (id->by_value)
		spirv_put(writer, "sizeof(t%" PRIu32 ") %% %" PRIu32 " ? 1 : ", type, alignment_B);
	spirv_put(writer, "%" PRIu32 ")));\n", alignment_B);
}

/* What such arguments are or point to, once for a function that is several kernels. */
static void put_aligned_types(struct spirv_writer *writer, const struct spirv_function *function,
			      const struct spirv_entry *entry)
{
	const uint32_t *all = writer->module->words;
	for (const struct spirv_entry *other = writer->entries; other < entry; other++)
		if (other->function == entry->function)
			return;
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift)
		if ((all[at] & SpvOpCodeMask) == SpvOpFunctionParameter &&
		    (is_aligned_local(writer, all[at + 2]) || is_aligned_value(writer, all[at + 2])))
			put_aligned_type(writer, all[at + 2]);
}

static void put_parameters(struct spirv_writer *writer, const struct spirv_function *function,
			   bool is_kernel)
{
	const uint32_t *all = writer->module->words;
	const char *comma = "";
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift) {
		if ((all[at] & SpvOpCodeMask) != SpvOpFunctionParameter)
			continue;
		const struct spirv_id *id = spirv_id(writer->module, all[at + 2]);
		if (is_kernel && is_aligned_value(writer, all[at + 2]))
			spirv_put(writer, "%sstruct l%" PRIu32 " a%" PRIu32, comma, all[at + 2],
				  all[at + 2]);
		else if (id->by_value)
			spirv_put(writer, "%st%" PRIu32 " a%" PRIu32, comma,
				  is_kernel ? spirv_pointee(writer->module, id->type) : id->type,
				  all[at + 2]);
		else if (is_kernel && is_aligned_local(writer, all[at + 2]))
			spirv_put(writer, "%slocal struct l%" PRIu32 " *%sa%" PRIu32, comma, all[at + 2],
				  id->no_alias ? "restrict " : "", all[at + 2]);
		else if (is_kernel && is_table(writer, all[at + 2]))
			spirv_put(writer, "%s%s ulong *%sa%" PRIu32, comma,
				  spirv_space(spirv_storage(writer->module, id->type)),
				  id->no_alias ? "restrict " : "", all[at + 2]);
		else
			spirv_put(writer, "%st%" PRIu32 " %sv%" PRIu32, comma, id->type,
				  id->no_alias && id->type && spirv_pointee(writer->module, id->type)
					  ? "restrict " : "",
				  all[at + 2]);
		comma = ", ";
	}
	for (size_t i = 0; i < function->local_count && !is_kernel; i++) {
		if (!is_workgroup(writer, function->locals[i]))
			continue;
		spirv_put(writer, "%st%" PRIu32 " v%" PRIu32, comma,
			  spirv_id(writer->module, function->locals[i])->type, function->locals[i]);
		comma = ", ";
	}
	if (!*comma)
		spirv_put(writer, "void");
}

/* entry: NULL for a function that kernels call. */
static void put_head(struct spirv_writer *writer, const struct spirv_function *function,
		     const struct spirv_entry *entry)
{
	if (entry) {
		spirv_put(writer, "kernel ");
		put_attributes(writer, function);
		spirv_put(writer, "void " SPIRV_KERNEL "%zu(", (size_t)(entry - writer->entries));
	} else {
		const uint32_t *words = spirv_id(writer->module, function->id)->words;
		spirv_put(writer, "%s%st%" PRIu32 " f%" PRIu32 "(",
			  spirv_linkage_words(writer, function->id),
			  words[3] & SpvFunctionControlDontInlineMask ? "__attribute__((noinline)) " : "",
			  words[1], function->id);
	}
	put_parameters(writer, function, entry != NULL);
	spirv_put(writer, ")");
}

enum spirv_written spirv_function_declare(struct spirv_writer *writer,
					  const struct spirv_function *function)
{
	const struct spirv_id *id = spirv_id(writer->module, function->id);
	if (!id->words || id->count < 5)
		return spirv_fail(writer, SpvOpFunction, "%u words", id->count);
	put_head(writer, function, NULL);
	spirv_label(writer, function->id);
	spirv_put(writer, ";\n");
	return SPIRV_WRITTEN;
}

/* --- variables --- */

/* What of the function that is written is stored by way of a pointer; 0 unless it is one value. */
static uint32_t only_store(const struct spirv_writer *writer, const struct spirv_function *function,
			   uint32_t pointer)
{
	const uint32_t *all = writer->module->words;
	uint32_t value = 0, stores = 0;
	for (size_t at = function->at; at < function->end; at += all[at] >> SpvWordCountShift)
		if ((all[at] & SpvOpCodeMask) == SpvOpStore && all[at] >> SpvWordCountShift > 2 &&
		    all[at + 1] == pointer) {
			value = all[at + 2];
			stores++;
		}
	return stores == 1 ? value : 0;
}

/* No variable of OpenCL C has an image or a sampler: one that is set once, as unoptimised code
 * does with parameters, is what it is set to. */
static enum spirv_written put_opaque(struct spirv_writer *writer,
				     const struct spirv_function *function, uint32_t number)
{
	uint32_t value = only_store(writer, function, number);
	if (!value || value == number)
		return spirv_fail(writer, SpvOpVariable, "of a type that variables do not have");
	spirv_put(writer, "#define v%" PRIu32 " v%" PRIu32 "\n", number, value);
	return SPIRV_WRITTEN;
}

static enum spirv_written put_variable(struct spirv_writer *writer,
				       const struct spirv_function *function, uint32_t number)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	uint32_t pointee = spirv_pointee(writer->module, id->type);
	enum spirv_class class = spirv_shape(writer->module, pointee).class;
	if (class == SPIRV_OPAQUE)
		return put_opaque(writer, function, number);
	if (class == SPIRV_UNKNOWN || class == SPIRV_VOID)
		return spirv_fail(writer, SpvOpVariable, "of a type that variables do not have");
	spirv_alignment(writer, id);
	spirv_put(writer, "t%" PRIu32 " m%" PRIu32, pointee, number);
	if (id->count > 4)
		spirv_put(writer, " = i%" PRIu32, id->words[4]);
	spirv_put(writer, "; t%" PRIu32 " v%" PRIu32 " = &m%" PRIu32 ";\n", id->type, number, number);
	return SPIRV_WRITTEN;
}

/* A variable of the module that is one of each function's or kernel's. */
static enum spirv_written put_local(struct spirv_writer *writer, uint32_t number, bool is_kernel)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	uint32_t pointee = spirv_pointee(writer->module, id->type);
	struct spirv_shape shape = spirv_shape(writer->module, pointee);
	if (is_workgroup(writer, number)) {
		if (!is_kernel)
			return SPIRV_WRITTEN;
		spirv_alignment(writer, id);
		spirv_put(writer, "local t%" PRIu32 " m%" PRIu32 "; t%" PRIu32 " v%" PRIu32 " = &m%" PRIu32
				  ";\n", pointee, number, id->type, number, number);
		return SPIRV_WRITTEN;
	}
	const char *value = spirv_builtin_value(id->builtin);
	if (!value || shape.class != SPIRV_INT)
		return spirv_fail(writer, SpvOpVariable, "built-in %" PRIu32 " is not known",
				  id->builtin);
	spirv_put(writer, "t%" PRIu32 " m%" PRIu32 " = convert_%s(%s); private t%" PRIu32 " *v%" PRIu32
			  " = &m%" PRIu32 ";\n",
		  pointee, number, spirv_unsigned_name(shape).text, value, pointee, number, number);
	return SPIRV_WRITTEN;
}

/* What is passed by value is pointed to in SPIR-V: in a kernel its parameter, and in a function a copy,
 * for what it stores there its caller does not see (SPIR-V 1.6, 3.19: ByVal). */
static void put_by_value(struct spirv_writer *writer, uint32_t number, bool is_kernel)
{
	const struct spirv_id *id = spirv_id(writer->module, number);
	if (!id->by_value)
		return;
	if (!is_kernel) {
		spirv_alignment(writer, id);
		spirv_put(writer, "t%" PRIu32 " m%" PRIu32 " = *a%" PRIu32 "; ",
			  spirv_pointee(writer->module, id->type), number, number);
	}
	spirv_put(writer, "t%" PRIu32 " v%" PRIu32 " = &%c%" PRIu32 "%s;\n", id->type, number,
		  is_kernel ? 'a' : 'm', number,
		  is_kernel && is_aligned_value(writer, number) ? ".e" : "");
}

static enum spirv_written put_declaration(struct spirv_writer *writer,
					  const struct spirv_function *function,
					  const uint32_t *words, bool is_kernel)
{
	bool has_result = false, has_type = false;
	unsigned op = words[0] & SpvOpCodeMask;
	SpvHasResultAndType((SpvOp)op, &has_result, &has_type);
	if (!has_result || !has_type || op == SpvOpFunction)
		return SPIRV_WRITTEN;
	if (op == SpvOpVariable)
		return put_variable(writer, function, words[2]);
	if (op == SpvOpFunctionParameter) {
		put_by_value(writer, words[2], is_kernel);
		if (is_kernel && (is_aligned_local(writer, words[2]) || is_table(writer, words[2])))
			spirv_put(writer, "t%" PRIu32 " v%" PRIu32 " = (t%" PRIu32 ")a%" PRIu32 ";\n",
				  words[1], words[2], words[1], words[2]);
		return SPIRV_WRITTEN;
	}
	enum spirv_class class = spirv_shape(writer->module, words[1]).class;
	if (class == SPIRV_VOID || class == SPIRV_OPAQUE)
		return SPIRV_WRITTEN;
	if (class == SPIRV_POINTER &&
	    spirv_shape(writer->module, spirv_pointee(writer->module, words[1])).class == SPIRV_OPAQUE)
		return SPIRV_WRITTEN;
	if (spirv_id(writer->module, words[2])->is_input)
		spirv_put(writer, "private t%" PRIu32 " *v%" PRIu32,
			  spirv_pointee(writer->module, words[1]), words[2]);
	else
		spirv_put(writer, "t%" PRIu32 " v%" PRIu32, words[1], words[2]);
	if (op == SpvOpPhi)
		spirv_put(writer, ", p%" PRIu32, words[2]);
	spirv_put(writer, ";\n");
	return SPIRV_WRITTEN;
}

/* --- blocks --- */

/* Instructions that say nothing to OpenCL C. */
static bool is_silent(unsigned op)
{
	switch (op) {
	case SpvOpNop:
	case SpvOpLine:
	case SpvOpNoLine:
	case SpvOpFunction:
	case SpvOpFunctionParameter:
	case SpvOpFunctionEnd:
	case SpvOpVariable:
	case SpvOpLoopMerge:
	case SpvOpSelectionMerge:
	case SpvOpLoopControlINTEL:
	case SpvOpLifetimeStart:
	case SpvOpLifetimeStop: return true;
	default: return false;
	}
}

/* What may stand before a block's phis, or between them: the LLVM/SPIR-V translator writes OpLoopMerge there
 * (SPIR-V 1.6, 2.4, has it at the end), and information for debuggers. */
static bool is_before_phis(const struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	return op == SpvOpPhi || is_silent(op) || spirv_is_comment(writer, words, count);
}

/* Takes the way from one block to another: what its phis will be, and a goto. */
static void put_edge(struct spirv_writer *writer, uint32_t from, uint32_t to)
{
	const struct spirv_module *module = writer->module;
	const struct spirv_id *label = spirv_id(module, to);
	if (label->words && label->op == SpvOpLabel) {
		size_t at = (size_t)(label->words - module->words) + label->count;
		for (; at < module->word_count; at += module->words[at] >> SpvWordCountShift) {
			const uint32_t *words = module->words + at;
			unsigned op = words[0] & SpvOpCodeMask;
			unsigned count = words[0] >> SpvWordCountShift;
			if (!is_before_phis(writer, words, count))
				break;
			for (unsigned i = 3; op == SpvOpPhi && i + 1 < count; i += 2)
				if (words[i + 1] == from) {
					spirv_put(writer, "p%" PRIu32 " = v%" PRIu32 "; ", words[2],
						  words[i]);
					break;
				}
		}
	}
	spirv_put(writer, "goto L%" PRIu32 ";", to);
}

static enum spirv_written put_switch(struct spirv_writer *writer, uint32_t block,
				     const uint32_t *words, unsigned count)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, words[1]);
	unsigned literal = shape.bits == 64 ? 2 : 1;
	if (shape.class != SPIRV_INT || shape.lanes != 1)
		return spirv_fail(writer, SpvOpSwitch, "of no integer");
	spirv_put(writer, "switch (v%" PRIu32 ") {\n", words[1]);
	for (unsigned i = 3; i + literal < count; i += literal + 1) {
		uint64_t value = words[i];
		if (literal == 2)
			value |= (uint64_t)words[i + 1] << 32;
		else if (shape.bits < 32)
			value &= (1u << shape.bits) - 1;
		spirv_put(writer, "case 0x%" PRIx64 "u%s: { ", value, literal == 2 ? "l" : "");
		put_edge(writer, block, words[i + literal]);
		spirv_put(writer, " }\n");
	}
	spirv_put(writer, "default: { ");
	put_edge(writer, block, words[2]);
	spirv_put(writer, " } }\n");
	return SPIRV_WRITTEN;
}

static enum spirv_written put_call(struct spirv_writer *writer, const struct spirv_function *called,
				   const uint32_t *words, unsigned count)
{
	const char *comma = "";
	if (!called)
		return spirv_fail(writer, SpvOpFunctionCall, "id %" PRIu32 " is no function", words[3]);
	if (spirv_shape(writer->module, words[1]).class != SPIRV_VOID)
		spirv_put(writer, "v%" PRIu32 " = ", words[2]);
	spirv_put(writer, "f%" PRIu32 "(", called->id);
	for (unsigned i = 4; i < count; i++, comma = ", ")
		spirv_put(writer, "%sv%" PRIu32, comma, words[i]);
	for (size_t i = 0; i < called->local_count; i++)
		if (is_workgroup(writer, called->locals[i])) {
			spirv_put(writer, "%sv%" PRIu32, comma, called->locals[i]);
			comma = ", ";
		}
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}

/* The end of a block; SPIRV_OTHER when it is none. */
static enum spirv_written put_branch(struct spirv_writer *writer, uint32_t block,
				     const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	unsigned least = op == SpvOpBranchConditional ? 4 : op == SpvOpSwitch ? 3
			 : op == SpvOpBranch || op == SpvOpReturnValue ? 2 : 1;
	if (count < least)
		return spirv_fail(writer, op, "%u words", count);
	switch (op) {
	case SpvOpBranch:
		put_edge(writer, block, words[1]);
		spirv_put(writer, "\n");
		return SPIRV_WRITTEN;
	case SpvOpBranchConditional:
		spirv_put(writer, "if (v%" PRIu32 ") { ", words[1]);
		put_edge(writer, block, words[2]);
		spirv_put(writer, " } else { ");
		put_edge(writer, block, words[3]);
		spirv_put(writer, " }\n");
		return SPIRV_WRITTEN;
	case SpvOpSwitch: return put_switch(writer, block, words, count);
	case SpvOpReturn: spirv_put(writer, "return;\n"); return SPIRV_WRITTEN;
	case SpvOpReturnValue:
		spirv_put(writer, "return v%" PRIu32 ";\n", words[1]);
		return SPIRV_WRITTEN;
	case SpvOpUnreachable: spirv_put(writer, "__builtin_unreachable();\n"); return SPIRV_WRITTEN;
	default: return SPIRV_OTHER;
	}
}

/* A pointer to a built-in variable of another storage class than Input is a private one, which only
 * loads, access chains and casts know. */
static bool misuses_input(const struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	if (op == SpvOpLoad || spirv_is_chain(op) || op == SpvOpBitcast || op == SpvOpCopyObject ||
	    op == SpvOpPtrCastToGeneric)
		return false;
	for (unsigned i = 1; i < count; i++)
		if (!is_literal(words, i) && spirv_id(writer->module, words[i])->is_input)
			return true;
	return false;
}

static enum spirv_written put_body(struct spirv_writer *writer, struct spirv_function *functions,
				   size_t function_count, const struct spirv_function *function)
{
	const uint32_t *all = writer->module->words;
	uint32_t block = 0;
	bool at_phis = false;
	enum spirv_written written = SPIRV_WRITTEN;
	for (size_t at = function->at; at < function->end && written == SPIRV_WRITTEN;
	     at += all[at] >> SpvWordCountShift) {
		const uint32_t *words = all + at;
		unsigned op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
		/* The edges to the block look no further (put_edge). */
		if (op == SpvOpPhi && !at_phis)
			return spirv_fail(writer, op, "not at the beginning of its block");
		at_phis = op == SpvOpLabel || (at_phis && is_before_phis(writer, words, count));
		if (is_silent(op))
			continue;
		if (misuses_input(writer, words, count))
			return spirv_fail(writer, op, "a built-in variable that is not in Input is loaded "
						      "and nothing else");
		if (op == SpvOpLabel) {
			block = words[1];
			spirv_put(writer, "L%" PRIu32 ": ;\n", block);
			continue;
		}
		if (op == SpvOpPhi) {
			spirv_put(writer, "v%" PRIu32 " = p%" PRIu32 ";\n", words[2], words[2]);
			continue;
		}
		if (op == SpvOpFunctionCall) {
			written = count < 4 ? spirv_fail(writer, op, "%u words", count)
					    : put_call(writer, spirv_function_find(functions, function_count,
										   words[3]),
						       words, count);
			continue;
		}
		written = put_branch(writer, block, words, count);
		if (written == SPIRV_OTHER)
			written = spirv_instruction(writer, words, count);
	}
	return written;
}

enum spirv_written spirv_function_define(struct spirv_writer *writer,
					 struct spirv_function *functions, size_t function_count,
					 const struct spirv_function *function,
					 const struct spirv_entry *entry)
{
	const uint32_t *all = writer->module->words;
	enum spirv_written written = SPIRV_WRITTEN;
	writer->function = function->id;
	if (entry)
		put_aligned_types(writer, function, entry);
	put_head(writer, function, entry);
	spirv_put(writer, "\n{\n");
	for (size_t i = 0; i < function->local_count && written == SPIRV_WRITTEN; i++)
		written = put_local(writer, function->locals[i], entry != NULL);
	for (size_t at = function->at; at < function->end && written == SPIRV_WRITTEN;
	     at += all[at] >> SpvWordCountShift)
		written = put_declaration(writer, function, all + at, entry != NULL);
	if (written == SPIRV_WRITTEN)
		written = put_body(writer, functions, function_count, function);
	spirv_put(writer, "}\n");
	return written;
}
