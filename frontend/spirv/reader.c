/* A SPIR-V module from its first word to its last, and the table of all instructions. */
#include "config.h"

#include "frontend/spirv/reader.h"

#include "frontend/llvm_compat.h"
#include "frontend/module.h"
#include "frontend/spirv/function.h"
#include "frontend/spirv/matrix.h"
#include "frontend/spirv/metadata.h"
#include "frontend/spirv/value.h"
#include "frontend/symbol.h"

#include <llvm-c/Analysis.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the table of instructions ------------------------------------------------------------------------------- */

/* A number above all known opcodes. */
enum { OPCODES = 8192 };

static bool build_nothing(struct spirv_reader *reader, const struct spirv_op *op)
{
	(void)reader;
	(void)op;
	return true;
}

/* Instructions that are read elsewhere, or that have no effect. */
static const struct spirv_row silent_rows[] = {
	{SpvOpNop, 1, 1, 0, build_nothing},
	{SpvOpSourceContinued, 2, 0, 0, build_nothing},
	{SpvOpSource, 3, 0, 0, build_nothing},
	{SpvOpSourceExtension, 2, 0, 0, build_nothing},
	{SpvOpName, 3, 0, 0, build_nothing},
	{SpvOpMemberName, 4, 0, 0, build_nothing},
	{SpvOpString, 3, 0, 0, build_nothing},
	{SpvOpLine, 4, 4, 0, build_nothing},
	{SpvOpNoLine, 1, 1, 0, build_nothing},
	{SpvOpExtension, 2, 0, 0, build_nothing},
	{SpvOpExtInstImport, 3, 0, 0, build_nothing},
	{SpvOpMemoryModel, 3, 3, 0, build_nothing},
	{SpvOpEntryPoint, 4, 0, 0, build_nothing},
	{SpvOpExecutionMode, 3, 0, 0, build_nothing},
	{SpvOpExecutionModeId, 3, 0, 0, build_nothing},
	{SpvOpCapability, 2, 2, 0, build_nothing},
	{SpvOpDecorate, 3, 0, 0, build_nothing},
	{SpvOpDecorateId, 3, 0, 0, build_nothing},
	{SpvOpDecorateString, 4, 0, 0, build_nothing},
	{SpvOpMemberDecorate, 4, 0, 0, build_nothing},
	{SpvOpMemberDecorateString, 5, 0, 0, build_nothing},
	{SpvOpDecorationGroup, 2, 2, 0, build_nothing},
	{SpvOpGroupDecorate, 2, 0, 0, build_nothing},
	{SpvOpGroupMemberDecorate, 2, 0, 0, build_nothing},
	{SpvOpModuleProcessed, 2, 0, 0, build_nothing},
	{SpvOpLoopMerge, 4, 0, 0, build_nothing},
	{SpvOpSelectionMerge, 3, 3, 0, build_nothing},
	{SpvOpLoopControlINTEL, 1, 0, 0, build_nothing},
	{SpvOpLifetimeStart, 3, 3, 0, build_nothing},
	{SpvOpLifetimeStop, 3, 3, 0, build_nothing},
	{SpvOpAliasDomainDeclINTEL, 2, 3, 0, build_nothing},
	{SpvOpAliasScopeDeclINTEL, 3, 4, 0, build_nothing},
	{SpvOpAliasScopeListDeclINTEL, 2, 0, 0, build_nothing},
	{0, 0, 0, 0, NULL},
};

/* Where instructions may stand. */
enum { OUTSIDE = 1, INSIDE = 2 };

static const struct table {
	const struct spirv_row *rows;
	unsigned places;
} tables[] = {
	{silent_rows, OUTSIDE | INSIDE},
	{spirv_type_rows, OUTSIDE},
	{spirv_matrix_type_rows, OUTSIDE},
	{spirv_global_rows, OUTSIDE | INSIDE},
	{spirv_opencl_std_rows, OUTSIDE | INSIDE},
	{spirv_arithmetic_rows, INSIDE},
	{spirv_call_rows, INSIDE},
	{spirv_composite_rows, INSIDE},
	{spirv_group_rows, INSIDE},
	{spirv_matrix_rows, INSIDE},
	{spirv_matrix_memory_rows, INSIDE},
	{spirv_object_rows, INSIDE},
	{spirv_memory_rows, INSIDE},
};

/* The row of an opcode, and where the instructions of its table may stand. */
struct spirv_indexed_row {
	const struct spirv_row *row;
	unsigned places;
};

/* Makes the index of all rows by opcode. */
static bool make_rows(struct spirv_reader *reader)
{
	reader->rows = calloc(OPCODES, sizeof(*reader->rows));
	if (!reader->rows)
		return spirv_no_memory(reader);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct spirv_row *row = tables[i].rows; row->build; row++)
			reader->rows[row->op] = (struct spirv_indexed_row){row, tables[i].places};
	return true;
}

static void finish_rows(struct spirv_reader *reader)
{
	free(reader->rows);
	reader->rows = NULL;
}

/* Finds the instruction's row, checks the number of its words and its result type, and builds it. */
static bool build_instruction(struct spirv_reader *reader, struct spirv_instruction i)
{
	const struct spirv_row *row = i.op < OPCODES ? reader->rows[i.op].row : NULL;
	/* OpSpecConstantOp stands outside of functions, but holds an instruction that belongs inside. */
	const unsigned place = reader->body || reader->expression_depth ? INSIDE : OUTSIDE;
	struct spirv_op op = {.words = i.words, .op = i.op, .count = i.count};
	bool has_result = false, has_type = false;
	reader->now = i;
	if (!row)
		return spirv_fail(reader, "the instruction is not supported");
	if (!(reader->rows[i.op].places & place))
		return spirv_fail(reader, "the instruction cannot stand %s", reader->body ? "in a function"
				  : "outside of functions");
	if (i.count < row->least || (row->most && i.count > row->most))
		return spirv_fail(reader, "%u words are too %s", i.count, i.count < row->least ? "few" : "many");
	spirv_has_result(i.op, &has_result, &has_type);
	if (has_type) {
		op.type = spirv_type(reader, i.words[1]);
		if (!op.type || (reader->may_stand && !spirv_matrix_may_result(reader, i.op, op.type)))
			return false;
	}
	op.detail = row->detail;
	op.result = has_result ? i.words[has_type ? 2 : 1] : 0;
	return row->build(reader, &op);
}

/* --- build options ------------------------------------------------------------------------------------------- */

/* The options of OpenCL 3.0 API, 5.8.6.3, as the fast-math flags that Clang sets for them. */
static unsigned flags_of(const struct fe_options *options)
{
	static const unsigned unsafe = LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros |
				       LLVMFastMathAllowReciprocal | LLVMFastMathAllowContract |
				       LLVMFastMathApproxFunc;
	static const struct {
		const char *word;
		unsigned flags;
	} rows[] = {
		{"-cl-no-signed-zeros", LLVMFastMathNoSignedZeros},
		{"-cl-finite-math-only", LLVMFastMathNoNaNs | LLVMFastMathNoInfs},
		{"-cl-unsafe-math-optimizations", unsafe},
		{"-cl-fast-relaxed-math", LLVMFastMathAll},
	};
	unsigned flags = 0;
	for (size_t i = 0; i < options->clang.count; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
			if (!strcmp(options->clang.items[i], rows[k].word))
				flags |= rows[k].flags;
	return flags;
}

/* --- decorations --------------------------------------------------------------------------------------------- */

static bool fail_decoration(struct spirv_reader *reader, uint32_t decoration, const char *what)
{
	const char *name = spirv_name(SPIRV_NAME_DECORATION, decoration);
	return spirv_fail(reader, "the decoration %s (%" PRIu32 ") is not supported%s", name ? name : "",
			  decoration, what);
}

/* Conversions support all rounding modes; other instructions always round to the nearest number. */
static bool check_rounding(struct spirv_reader *reader, struct spirv_instruction i)
{
	const struct spirv_instruction target = spirv_of(reader->module, i.words[1]);
	const uint32_t mode = i.count > 3 ? i.words[3] : SPIRV_NONE;
	const bool is_conversion = (target.op >= SpvOpConvertFToU && target.op <= SpvOpFConvert) ||
				   target.op == SpvOpDecorationGroup;
	if (mode > SpvFPRoundingModeRTN)
		return spirv_fail(reader, "the rounding mode %" PRIu32 " is not known", mode);
	return is_conversion || mode == SpvFPRoundingModeRTE ||
	       fail_decoration(reader, i.words[2], " but for conversions");
}

static bool check_decoration(struct spirv_reader *reader, struct spirv_instruction i)
{
	const uint32_t decoration = i.words[2];
	if (i.words[1] >= reader->module->bound)
		return spirv_fail(reader, "the id %" PRIu32 " is not below the bound", i.words[1]);
	if (spirv_decoration(decoration) == SPIRV_REFUSED)
		return fail_decoration(reader, decoration, "");
	return decoration != SpvDecorationFPRoundingMode || check_rounding(reader, i);
}

/* An Offset decoration must give the offset that the member has in OpenCL C. */
static bool check_offset(struct spirv_reader *reader, struct spirv_instruction i)
{
	const struct spirv_type *type = spirv_type(reader, i.words[1]);
	if (!type)
		return false;
	if (type->class != SPIRV_STRUCT || i.words[2] >= type->part_count || i.count < 5)
		return spirv_fail(reader, "the struct has no such member");
	const uint64_t own = LLVMOffsetOfElement(reader->layout, type->memory, i.words[2]);
	return own == i.words[4] || spirv_fail(reader, "the member is at the offset %" PRIu64 " in OpenCL C, and "
					       "not at %" PRIu32, own, i.words[4]);
}

static bool check_member(struct spirv_reader *reader, struct spirv_instruction i)
{
	switch (i.words[3]) {
	case SpvDecorationOffset: return check_offset(reader, i);
	case SpvDecorationRelaxedPrecision:
	case SpvDecorationRestrict:
	case SpvDecorationAliased:
	case SpvDecorationVolatile:
	case SpvDecorationConstant:
	case SpvDecorationCoherent:
	case SpvDecorationNonWritable:
	case SpvDecorationNonReadable:
	case SpvDecorationAlignment:
	case SpvDecorationUserSemantic:
	case SpvDecorationUserTypeGOOGLE: return true;
	default: return fail_decoration(reader, i.words[3], " of members");
	}
}

/* Refuses decorations that are not supported. */
static bool check_decorations(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	bool good = true;
	for (size_t at = SPIRV_HEADER_WORDS; good && at < module->word_count; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		reader->now = i;
		switch (i.op) {
		case SpvOpDecorate:
		case SpvOpDecorateId:
		case SpvOpDecorateString: good = check_decoration(reader, i); break;
		case SpvOpMemberDecorate:
		case SpvOpMemberDecorateString: good = check_member(reader, i); break;
		default: break;
		}
		if (i.op == SpvOpFunction)
			break;
	}
	return good;
}

/* --- the module ---------------------------------------------------------------------------------------------- */

/* The index of the word where the first function begins. */
static size_t end_of_globals(const struct spirv_module *module)
{
	size_t at = SPIRV_HEADER_WORDS;
	while (at < module->word_count && spirv_at(module, at).op != SpvOpFunction)
		at += spirv_at(module, at).count;
	return at;
}

/* Whether the result of an instruction has been built already, because another one needed it. */
static bool is_made(const struct spirv_reader *reader, struct spirv_instruction i)
{
	bool has_result = false, has_type = false;
	spirv_has_result(i.op, &has_result, &has_type);
	const unsigned result = has_type ? 2 : 1;
	return has_result && i.count > result && reader->made[i.words[result]];
}

/* Builds all instructions before the first function.  The instructions in OpSpecConstantOp are built in a temporary
 * function: LLVM folds them to constants, so that nothing remains in it. */
static bool build_globals(struct spirv_reader *reader)
{
	const struct spirv_module *module = reader->module;
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(reader->context), NULL, 0, false);
	LLVMValueRef scratch = LLVMAddFunction(reader->llvm, "culvert.constants", type);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(reader->context, scratch, "");
	bool good = true;
	LLVMPositionBuilderAtEnd(reader->builder, block);
	reader->globals_end = end_of_globals(module);
	for (size_t at = SPIRV_HEADER_WORDS; good && at < reader->globals_end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		good = is_made(reader, i) || build_instruction(reader, i);
	}
	LLVMClearInsertionPosition(reader->builder);
	LLVMDeleteFunction(scratch);
	return good;
}

static bool build_module(struct spirv_reader *reader)
{
	return make_rows(reader) && spirv_functions_find(reader) && build_globals(reader) &&
	       check_decorations(reader) && spirv_debug_begin(reader) && spirv_functions_build(reader);
}

/* Lets LLVM verify the module, in case that an error of the module was not found. */
static enum fe_status verify(struct spirv_reader *reader)
{
	char *message = NULL;
	const bool broken = LLVMVerifyModule(reader->llvm, LLVMReturnStatusAction, &message);
	if (broken)
		bytes_printf(reader->log, "SPIR-V: the module became invalid LLVM IR: %s\n",
			     message ? message : "");
	LLVMDisposeMessage(message);
	return broken ? FE_COMPILE_FAILED : FE_OK;
}

static enum fe_status read(struct spirv_reader *reader)
{
	const size_t ids = (size_t)reader->module->bound + 1;
	reader->made = calloc(ids, sizeof(*reader->made));
	reader->homes = calloc(ids, sizeof(*reader->homes));
	reader->builder = LLVMCreateBuilderInContext(reader->context);
	const bool good = reader->made && reader->homes && build_module(reader);
	const bool no_memory = reader->no_memory || !reader->made || !reader->homes;
	spirv_debug_end(reader);
	LLVMDisposeBuilder(reader->builder);
	spirv_functions_finish(reader);
	spirv_types_finish(reader);
	finish_rows(reader);
	free(reader->made);
	free(reader->homes);
	free(reader->written);
	if (no_memory)
		return FE_NO_MEMORY;
	return good ? verify(reader) : FE_COMPILE_FAILED;
}

enum fe_status fe_spirv_compile(const struct fe_compile_job *job, const struct fe_options *options,
				struct fe_module *module_out, struct bytes *log)
{
	struct spirv_module module;
	enum fe_status status = spirv_read(job->source, job->source_size_B, &module, log);
	if (status)
		return status;
	struct fe_module made = {.context = fe_context_create(log)};
	made.module = LLVMModuleCreateWithNameInContext("program", made.context);
	fe_module_set_target(&made);
	struct spirv_reader reader = {
		.module = &module,
		.log = log,
		.context = made.context,
		.llvm = made.module,
		.layout = LLVMGetModuleDataLayout(made.module),
		.codegen = &options->codegen,
		.fast_math = flags_of(options),
		.contracts = true,
		.build = build_instruction,
	};
	status = read(&reader);
	spirv_finish(&module);
	if (status)
		fe_module_finish(&made);
	else
		*module_out = made;
	return status;
}
