#include "config.h"

#include "frontend/spirv_bits.h"
#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <string.h>

/* Instructions of work-groups and sub-groups (SPIR-V 1.6, 3.49.21 and 3.49.24), as the functions of
 * OpenCL C 3.0, 6.15.16 and 6.15.19. */

/* Whose function it is. */
enum scope {
	NO_SCOPE,                   /* there is no such operand: the sub-group's */
	ANY_SCOPE,                  /* of either group, by name */
	SUB_GROUP                   /* of the sub-group alone */
};

/* A function by its name after "sub_group_", and how operands are passed, a letter each:
 *   v  as it is, a bool as a uchar      b  a bool as an int
 *   e  as v, and a vector's elements one by one */
struct call {
	uint16_t op;
	uint8_t scope;
	const char *name;
	const char *operands;
};

static const struct call calls[] = {
	{SpvOpGroupAll, ANY_SCOPE, "all", "b"},
	{SpvOpGroupAny, ANY_SCOPE, "any", "b"},
	{SpvOpGroupNonUniformElect, SUB_GROUP, "elect", ""},
	{SpvOpGroupNonUniformAll, SUB_GROUP, "non_uniform_all", "b"},
	{SpvOpGroupNonUniformAny, SUB_GROUP, "non_uniform_any", "b"},
	{SpvOpGroupNonUniformAllEqual, SUB_GROUP, "non_uniform_all_equal", "v"},
	{SpvOpGroupNonUniformBroadcast, SUB_GROUP, "non_uniform_broadcast", "vv"},
	{SpvOpGroupNonUniformBroadcastFirst, SUB_GROUP, "broadcast_first", "e"},
	{SpvOpGroupNonUniformBallot, SUB_GROUP, "ballot", "b"},
	{SpvOpGroupNonUniformInverseBallot, SUB_GROUP, "inverse_ballot", "v"},
	{SpvOpGroupNonUniformBallotBitExtract, SUB_GROUP, "ballot_bit_extract", "vv"},
	{SpvOpGroupNonUniformBallotFindLSB, SUB_GROUP, "ballot_find_lsb", "v"},
	{SpvOpGroupNonUniformBallotFindMSB, SUB_GROUP, "ballot_find_msb", "v"},
	{SpvOpGroupNonUniformShuffle, SUB_GROUP, "shuffle", "ev"},
	{SpvOpGroupNonUniformShuffleXor, SUB_GROUP, "shuffle_xor", "ev"},
	{SpvOpGroupNonUniformShuffleUp, SUB_GROUP, "shuffle_up", "ev"},
	{SpvOpGroupNonUniformShuffleDown, SUB_GROUP, "shuffle_down", "ev"},
	/* SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote. */
	{SpvOpSubgroupBallotKHR, NO_SCOPE, "ballot", "b"},
	{SpvOpSubgroupFirstInvocationKHR, NO_SCOPE, "broadcast_first", "e"},
	{SpvOpSubgroupReadInvocationKHR, NO_SCOPE, "non_uniform_broadcast", "vv"},
	{SpvOpSubgroupAllKHR, NO_SCOPE, "non_uniform_all", "b"},
	{SpvOpSubgroupAnyKHR, NO_SCOPE, "non_uniform_any", "b"},
	{SpvOpSubgroupAllEqualKHR, NO_SCOPE, "non_uniform_all_equal", "v"},
	/* SPV_INTEL_subgroups. */
	{SpvOpSubgroupShuffleINTEL, NO_SCOPE, "shuffle", "ev"},
	{SpvOpSubgroupShuffleXorINTEL, NO_SCOPE, "shuffle_xor", "ev"},
};

enum kind {
	GROUP,                      /* all of a group take part */
	UNIFORM,                    /* the same; what OpenCL C has for those who take part */
	NON_UNIFORM                 /* who is there takes part */
};

enum operand { PLAIN, SIGNED, LOGICAL };

/* Reductions and scans, by the end of the function's name. */
struct reduction {
	uint16_t op;
	uint8_t kind;
	uint8_t operand;
	const char *name;
};

static const struct reduction reductions[] = {
	{SpvOpGroupIAdd, GROUP, PLAIN, "add"},
	{SpvOpGroupFAdd, GROUP, PLAIN, "add"},
	{SpvOpGroupFMin, GROUP, PLAIN, "min"},
	{SpvOpGroupUMin, GROUP, PLAIN, "min"},
	{SpvOpGroupSMin, GROUP, SIGNED, "min"},
	{SpvOpGroupFMax, GROUP, PLAIN, "max"},
	{SpvOpGroupUMax, GROUP, PLAIN, "max"},
	{SpvOpGroupSMax, GROUP, SIGNED, "max"},
	{SpvOpGroupIMulKHR, UNIFORM, PLAIN, "mul"},
	{SpvOpGroupFMulKHR, UNIFORM, PLAIN, "mul"},
	{SpvOpGroupBitwiseAndKHR, UNIFORM, PLAIN, "and"},
	{SpvOpGroupBitwiseOrKHR, UNIFORM, PLAIN, "or"},
	{SpvOpGroupBitwiseXorKHR, UNIFORM, PLAIN, "xor"},
	{SpvOpGroupLogicalAndKHR, UNIFORM, LOGICAL, "logical_and"},
	{SpvOpGroupLogicalOrKHR, UNIFORM, LOGICAL, "logical_or"},
	{SpvOpGroupLogicalXorKHR, UNIFORM, LOGICAL, "logical_xor"},
	{SpvOpGroupNonUniformIAdd, NON_UNIFORM, PLAIN, "add"},
	{SpvOpGroupNonUniformFAdd, NON_UNIFORM, PLAIN, "add"},
	{SpvOpGroupNonUniformIMul, NON_UNIFORM, PLAIN, "mul"},
	{SpvOpGroupNonUniformFMul, NON_UNIFORM, PLAIN, "mul"},
	{SpvOpGroupNonUniformSMin, NON_UNIFORM, SIGNED, "min"},
	{SpvOpGroupNonUniformUMin, NON_UNIFORM, PLAIN, "min"},
	{SpvOpGroupNonUniformFMin, NON_UNIFORM, PLAIN, "min"},
	{SpvOpGroupNonUniformSMax, NON_UNIFORM, SIGNED, "max"},
	{SpvOpGroupNonUniformUMax, NON_UNIFORM, PLAIN, "max"},
	{SpvOpGroupNonUniformFMax, NON_UNIFORM, PLAIN, "max"},
	{SpvOpGroupNonUniformBitwiseAnd, NON_UNIFORM, PLAIN, "and"},
	{SpvOpGroupNonUniformBitwiseOr, NON_UNIFORM, PLAIN, "or"},
	{SpvOpGroupNonUniformBitwiseXor, NON_UNIFORM, PLAIN, "xor"},
	{SpvOpGroupNonUniformLogicalAnd, NON_UNIFORM, LOGICAL, "logical_and"},
	{SpvOpGroupNonUniformLogicalOr, NON_UNIFORM, LOGICAL, "logical_or"},
	{SpvOpGroupNonUniformLogicalXor, NON_UNIFORM, LOGICAL, "logical_xor"},
};

static enum spirv_written few_words(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, words[0] & SpvOpCodeMask, "too few words");
}

/* "work_group" or "sub_group"; NULL where the scope, which is words[3], is another one. */
static const char *group_of(const struct spirv_writer *writer, const uint32_t *words)
{
	switch (spirv_scope(writer, words[3], SpvScopeMax)) {
	case SpvScopeWorkgroup:
		return "work_group";
	case SpvScopeSubgroup:
		return "sub_group";
	default:
		return NULL;
	}
}

static bool is_sub_group(const char *group)
{
	return group && *group == 's';
}

static enum spirv_written other_scope(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, words[0] & SpvOpCodeMask,
			  "not of a group that OpenCL C has this for");
}

/* --- vectors --- */

/* What OpenCL C has for scalars is done to each element of a vector; broadcasts in a sub-group are
 * for vectors as well. */
enum { WHOLE = -1 };

/* False for a vector of bools, which is -1 where it is true. */
static bool has_elements(struct spirv_shape shape)
{
	return shape.lanes == 1 || shape.class == SPIRV_INT || shape.class == SPIRV_FLOAT;
}

static int first_element(struct spirv_shape shape)
{
	return shape.lanes > 1 ? 0 : WHOLE;
}

static bool next_element(struct spirv_shape shape, int *element)
{
	return *element != WHOLE && (unsigned)++*element < shape.lanes;
}

/* "v7", or "v7.s3". */
static void put_value(struct spirv_writer *writer, uint32_t value, int element)
{
	spirv_put(writer, "v%" PRIu32, value);
	if (element != WHOLE)
		spirv_put(writer, ".s%x", (unsigned)element);
}

/* Starts a statement as spirv_put_result() does. */
static void put_result(struct spirv_writer *writer, const uint32_t *words, int element)
{
	if (element == WHOLE) {
		spirv_put_result(writer, words);
		return;
	}
	put_value(writer, words[2], element);
	spirv_put(writer, " = (t%" PRIu32 ")(", spirv_id(writer->module, words[1])->words[2]);
}

/* --- votes, ballots and shuffles --- */

static void put_operand(struct spirv_writer *writer, char how, uint32_t value, int element)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, value);
	if (how == 'b')
		spirv_put(writer, "(int)");
	else if (shape.class == SPIRV_BOOL && shape.lanes == 1)
		spirv_put(writer, "(uchar)");
	put_value(writer, value, shape.lanes > 1 ? element : WHOLE);
}

static enum spirv_written write_call(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count, const struct call *call)
{
	unsigned first = call->scope == NO_SCOPE ? 3 : 4;
	size_t operands = strlen(call->operands);
	if (count < first + operands)
		return few_words(writer, words);
	const char *group = call->scope == NO_SCOPE ? "sub_group" : group_of(writer, words);
	if (!group || (call->scope == SUB_GROUP && !is_sub_group(group)))
		return other_scope(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	int element = *call->operands == 'e' ? first_element(shape) : WHOLE;
	if (element != WHOLE && !has_elements(shape))
		return other_scope(writer, words);
	do {
		put_result(writer, words, element);
		spirv_put(writer, "%s_%s(", group, call->name);
		for (size_t i = 0; i < operands; i++) {
			spirv_put(writer, i ? ", " : "");
			put_operand(writer, call->operands[i], words[first + i], element);
		}
		spirv_put(writer, "));\n");
	} while (next_element(shape, &element));
	return SPIRV_WRITTEN;
}

/* With a size of clusters or without. */
static enum spirv_written write_rotate(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count)
{
	if (count < 6)
		return few_words(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	if (!is_sub_group(group_of(writer, words)) || !has_elements(shape))
		return other_scope(writer, words);
	int element = first_element(shape);
	do {
		put_result(writer, words, element);
		spirv_put(writer, "sub_group_%srotate(", count > 6 ? "clustered_" : "");
		put_operand(writer, 'v', words[4], element);
		spirv_put(writer, ", (int)v%" PRIu32, words[5]);
		if (count > 6)
			spirv_put(writer, ", v%" PRIu32, words[6]);
		spirv_put(writer, "));\n");
	} while (next_element(shape, &element));
	return SPIRV_WRITTEN;
}

/* SPV_INTEL_subgroups: two values of the sub-group in a row, of which each work-item takes one that is some
 * way down or up from its own in the first (Down) or second (Up). */
static enum spirv_written write_shift(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count, bool down)
{
	if (count < 6)
		return few_words(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	if (!has_elements(shape))
		return other_scope(writer, words);
	const unsigned at = spirv_temporary(writer);
	const uint32_t here = words[down ? 3 : 4], beyond = words[down ? 4 : 3];
	int element = first_element(shape);
	spirv_put(writer, "{ uint x%u = get_sub_group_local_id() %c v%" PRIu32 ";\n", at,
		  down ? '+' : '-', words[5]);
	do {
		/* Both are moved by all: only who takes part can give. */
		spirv_put(writer, "{ __auto_type y = sub_group_shuffle(");
		put_operand(writer, 'v', here, element);
		spirv_put(writer, ", x%u & 31); __auto_type z = sub_group_shuffle(", at);
		put_operand(writer, 'v', beyond, element);
		spirv_put(writer, ", x%u & 31); ", at);
		put_result(writer, words, element);
		spirv_put(writer, "x%u < 32 ? y : z); }\n", at);
	} while (next_element(shape, &element));
	spirv_put(writer, "}\n");
	return SPIRV_WRITTEN;
}

/* Whether a work-group's functions lack the type: they have none of 8 and 16 bits. */
static bool is_narrow(struct spirv_shape shape)
{
	return shape.class == SPIRV_BOOL || (shape.class == SPIRV_INT && shape.bits < 32);
}

static void put_broadcast(struct spirv_writer *writer, const uint32_t *words, const char *group,
			  int element)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	struct spirv_shape id = spirv_value_shape(writer->module, words[5]);
	put_result(writer, words, element);
	spirv_put(writer, "%s_broadcast(", group);
	if (!is_sub_group(group) && is_narrow(shape))
		spirv_put(writer, "(uint)");
	put_operand(writer, 'v', words[4], element);
	if (id.lanes == 1)
		spirv_put(writer, ", v%" PRIu32, words[5]);
	else
		for (unsigned i = 0; i < id.lanes; i++)
			spirv_put(writer, ", v%" PRIu32 ".s%u", words[5], i);
	spirv_put(writer, "));\n");
}

/* The work-item is a number in a sub-group, and two or three in a work-group. */
static enum spirv_written write_broadcast(struct spirv_writer *writer, const uint32_t *words,
					  unsigned count)
{
	if (count < 6)
		return few_words(writer, words);
	const char *group = group_of(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	struct spirv_shape id = spirv_value_shape(writer->module, words[5]);
	if (!group || (is_sub_group(group) && id.lanes != 1) || id.lanes > 3 ||
	    (!is_sub_group(group) && !has_elements(shape)))
		return other_scope(writer, words);
	int element = is_sub_group(group) ? WHOLE : first_element(shape);
	do
		put_broadcast(writer, words, group, element);
	while (next_element(shape, &element));
	return SPIRV_WRITTEN;
}

static enum spirv_written write_bit_count(struct spirv_writer *writer, const uint32_t *words,
					  unsigned count)
{
	static const char *const names[] = {
		[SpvGroupOperationReduce] = "bit_count",
		[SpvGroupOperationInclusiveScan] = "inclusive_scan",
		[SpvGroupOperationExclusiveScan] = "exclusive_scan",
	};
	if (count < 6)
		return few_words(writer, words);
	if (!is_sub_group(group_of(writer, words)) || words[4] >= sizeof(names) / sizeof(*names))
		return other_scope(writer, words);
	spirv_put_result(writer, words);
	spirv_put(writer, "sub_group_ballot_%s(v%" PRIu32 "));\n", names[words[4]], words[5]);
	return SPIRV_WRITTEN;
}

/* --- reductions and scans --- */

static void put_reduced(struct spirv_writer *writer, const struct reduction *reduction,
			uint32_t value, bool widen, int element)
{
	if (reduction->operand == LOGICAL || (widen && reduction->operand == SIGNED))
		spirv_put(writer, "(int)");
	else if (widen)
		spirv_put(writer, "(uint)");
	if (reduction->operand != SIGNED) {
		put_value(writer, value, element);
	} else if (element == WHOLE) {
		spirv_put_signed(writer, value);
	} else {
		struct spirv_shape shape = spirv_value_shape(writer->module, value);
		shape.lanes = 1;
		spirv_put(writer, "(%s)", spirv_signed_name(shape).text);
		put_value(writer, value, element);
	}
}

/* By the work-group, of a type that its functions lack, in 32 bits: sums, products and bits are right
 * in their low bits; the least or greatest of none, 32 bits wide, is brought back to the narrow
 * type's. */
static void put_narrow(struct spirv_writer *writer, const uint32_t *words,
		       const struct reduction *reduction)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	shape.lanes = 1;
	struct spirv_text type = reduction->operand == SIGNED ? spirv_signed_name(shape)
							      : spirv_unsigned_name(shape);
	if (!strcmp(reduction->name, "min") || !strcmp(reduction->name, "max"))
		spirv_put(writer, "convert_%s_sat(", type.text);
	else
		spirv_put(writer, "(");
}

static void put_reduction(struct spirv_writer *writer, const uint32_t *words,
			  const struct reduction *reduction, const char *group, int element)
{
	static const char *const operations[] = {
		[SpvGroupOperationReduce] = "reduce",
		[SpvGroupOperationInclusiveScan] = "scan_inclusive",
		[SpvGroupOperationExclusiveScan] = "scan_exclusive",
		[SpvGroupOperationClusteredReduce] = "clustered_reduce",
	};
	bool widen = !is_sub_group(group) && is_narrow(spirv_shape(writer->module, words[1]));
	/* Of the sub-group some functions are there only for those who take part, whom all may be. */
	bool some = is_sub_group(group) && reduction->kind != GROUP &&
		    words[4] != SpvGroupOperationClusteredReduce;
	put_result(writer, words, element);
	if (widen)
		put_narrow(writer, words, reduction);
	spirv_put(writer, "%s_%s%s_%s(", group, some ? "non_uniform_" : "", operations[words[4]],
		  reduction->name);
	put_reduced(writer, reduction, words[5], widen, element);
	if (words[4] == SpvGroupOperationClusteredReduce)
		spirv_put(writer, ", v%" PRIu32, words[6]);
	spirv_put(writer, widen ? ")));\n" : "));\n");
}

static enum spirv_written write_reduction(struct spirv_writer *writer, const uint32_t *words,
					  unsigned count, const struct reduction *reduction)
{
	bool clustered = count > 4 && words[4] == SpvGroupOperationClusteredReduce;
	if (count < 6u + clustered)
		return few_words(writer, words);
	const char *group = group_of(writer, words);
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	if (!group || (reduction->kind == NON_UNIFORM && !is_sub_group(group)) ||
	    !has_elements(shape) || words[4] > SpvGroupOperationClusteredReduce ||
	    (clustered && reduction->kind != NON_UNIFORM))
		return other_scope(writer, words);
	int element = first_element(shape);
	do
		put_reduction(writer, words, reduction, group, element);
	while (next_element(shape, &element));
	return SPIRV_WRITTEN;
}

/* --- copies --- */

/* Of what a pointer points to; of an array, which LLVM's back end for SPIR-V leaves where an element is
 * meant, its elements. */
static struct spirv_shape element_shape(const struct spirv_module *module, uint32_t pointer)
{
	uint32_t type = spirv_pointee(module, spirv_id(module, pointer)->type);
	if (spirv_shape(module, type).class == SPIRV_ARRAY)
		type = spirv_id(module, type)->words[2];
	return spirv_shape(module, type);
}

/* SPIR-V 1.6, 3.49.21: pointers to elements, their count, the stride in global memory, and the
 * event that the new one is to join. */
static enum spirv_written write_copy(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	if (count < 9)
		return few_words(writer, words);
	const struct spirv_module *module = writer->module;
	struct spirv_shape shape = element_shape(module, words[4]);
	if (shape.class != SPIRV_INT && shape.class != SPIRV_FLOAT)
		return spirv_fail(writer, SpvOpGroupAsyncCopy, "not of numbers");
	struct spirv_text element = spirv_unsigned_name(shape);
	uint64_t stride;
	bool strided = !spirv_integer(writer, words[7], &stride) || stride != 1;
	spirv_put(writer, "v%" PRIu32 " = async_work_group_%scopy(", words[2],
		  strided ? "strided_" : "");
	bool good = spirv_put_pointer(writer, "", element.text, words[4]);
	spirv_put(writer, ", ");
	good &= spirv_put_pointer(writer, "const ", element.text, words[5]);
	if (!good)
		return spirv_fail(writer, SpvOpGroupAsyncCopy, "not between pointers");
	spirv_put(writer, ", v%" PRIu32, words[6]);
	if (strided)
		spirv_put(writer, ", v%" PRIu32, words[7]);
	spirv_put(writer, ", v%" PRIu32 ");\n", words[8]);
	return SPIRV_WRITTEN;
}

/* SPV_INTEL_subgroups: what consecutive work-items of the sub-group have lies one behind the other, and component
 * n of all of them n times the largest size of a sub-group further on. */
static void put_block_element(struct spirv_writer *writer, unsigned pointer, unsigned component)
{
	spirv_put(writer, "x%u[get_sub_group_local_id() + %u * get_max_sub_group_size()]", pointer, component);
}

static enum spirv_written write_block(struct spirv_writer *writer, const uint32_t *words, unsigned count,
				      bool reads)
{
	const unsigned pointer = spirv_temporary(writer), op = words[0] & SpvOpCodeMask;
	if (count < (reads ? 4 : 3))
		return few_words(writer, words);
	const uint32_t from = words[reads ? 3 : 1], value = words[2];
	const struct spirv_shape shape = spirv_value_shape(writer->module, value);
	struct spirv_shape element = shape;
	element.lanes = 1;
	if (shape.class != SPIRV_INT && shape.class != SPIRV_FLOAT)
		return spirv_fail(writer, op, "not of numbers");
	const struct spirv_text name = spirv_unsigned_name(element);
	const char *space = spirv_space(spirv_storage(writer->module, spirv_id(writer->module, from)->type));
	spirv_put(writer, "{ %s %s *x%u = ", space ? space : "", name.text, pointer);
	if (!spirv_put_pointer(writer, "", name.text, from))
		return spirv_fail(writer, op, "of no pointer");
	spirv_put(writer, "; ");
	for (unsigned i = 0; i < shape.lanes && !reads; i++) {
		put_block_element(writer, pointer, i);
		spirv_put(writer, shape.lanes > 1 ? " = v%" PRIu32 ".s%x; " : " = v%" PRIu32 "; ", value, i);
	}
	if (reads)
		spirv_put(writer, "v%" PRIu32 " = (%s)(", value, spirv_unsigned_name(shape).text);
	for (unsigned i = 0; i < shape.lanes && reads; i++) {
		put_block_element(writer, pointer, i);
		spirv_put(writer, i + 1 < shape.lanes ? ", " : "); ");
	}
	spirv_put(writer, "}\n");
	return SPIRV_WRITTEN;
}

static enum spirv_written write_wait(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	if (count < 4)
		return few_words(writer, words);
	spirv_put(writer, "wait_group_events((int)v%" PRIu32 ", (event_t *)v%" PRIu32 ");\n",
		  words[2], words[3]);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_group(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].op == op)
			return write_call(writer, words, count, &calls[i]);
	for (size_t i = 0; i < sizeof(reductions) / sizeof(*reductions); i++)
		if (reductions[i].op == op)
			return write_reduction(writer, words, count, &reductions[i]);
	switch (op) {
	case SpvOpGroupBroadcast:
		return write_broadcast(writer, words, count);
	case SpvOpGroupNonUniformRotateKHR:
		return write_rotate(writer, words, count);
	case SpvOpSubgroupShuffleDownINTEL:
	case SpvOpSubgroupShuffleUpINTEL:
		return write_shift(writer, words, count, op == SpvOpSubgroupShuffleDownINTEL);
	case SpvOpSubgroupBlockReadINTEL:
	case SpvOpSubgroupBlockWriteINTEL:
		return write_block(writer, words, count, op == SpvOpSubgroupBlockReadINTEL);
	case SpvOpGroupNonUniformBallotBitCount:
		return write_bit_count(writer, words, count);
	case SpvOpGroupAsyncCopy:
		return write_copy(writer, words, count);
	case SpvOpGroupWaitEvents:
		return write_wait(writer, words, count);
	default:
		return spirv_bits(writer, words, count);
	}
}
