/* Instructions of work-groups and sub-groups (SPIR-V 1.6, 3.49.21 and 3.49.24), as the functions of OpenCL C 3.0,
 * 6.15.16 and 6.15.19. */
#include "config.h"

#include "frontend/spirv/opencl_std.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- scopes -------------------------------------------------------------------------------------------------- */

/* The scope operand of an instruction. */
enum scope {
	NO_SCOPE,                   /* there is none: the instruction is for sub-groups */
	ANY_SCOPE,                  /* a work-group or a sub-group */
	SUB_GROUP                   /* a sub-group only */
};

/* The beginning of a function's name by the scope, which is words[3]: "work_group" or "sub_group"; NULL, with a
 * message, for other scopes. */
static const char *group_of(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t scope = spirv_operand(reader, op->words[3], SpvScopeMax);
	if (scope == SpvScopeWorkgroup)
		return "work_group";
	if (scope == SpvScopeSubgroup)
		return "sub_group";
	spirv_fail(reader, "the scope is not that of a work-group or of a sub-group");
	return NULL;
}

static bool is_sub_group(const char *group)
{
	return *group == 's';
}

/* --- elements of vectors -------------------------------------------------------------------------------------
 *
 * OpenCL C's functions take scalars and are called for each element of a vector, except for broadcasts in a sub-group,
 * which take vectors. */

static const struct spirv_type *element_type(const struct spirv_type *type)
{
	return type->lanes > 1 ? type->element : type;
}

static LLVMValueRef element_of(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
			       unsigned lane)
{
	return type->lanes == 1 ? value : LLVMBuildExtractElement(reader->builder, value,
								 spirv_number(reader, 32, lane), "");
}

static LLVMValueRef put_element(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef whole,
				LLVMValueRef part, unsigned lane)
{
	if (!part || type->lanes == 1)
		return part;
	return LLVMBuildInsertElement(reader->builder, whole, part, spirv_number(reader, 32, lane), "");
}

/* Whether a type is one that the functions take, with bools passed as bytes; false with a message. */
static bool is_of_numbers(struct spirv_reader *reader, const struct spirv_type *type)
{
	return spirv_is_number(type) || (type->class == SPIRV_BOOL && type->lanes == 1) ||
	       spirv_fail(reader, "the operand is no number");
}

/* A value as an argument; a bool is passed as an uchar. */
static struct spirv_argument value_argument(struct spirv_reader *reader, const struct spirv_type *type,
					    LLVMValueRef value)
{
	if (type->class == SPIRV_BOOL)
		return (struct spirv_argument){.value = spirv_to_memory(reader, type, value), .base = 'h'};
	return spirv_by_value(type, value, false);
}

/* The LLVM type of value_argument's argument. */
static LLVMTypeRef argument_type(const struct spirv_type *type)
{
	return type->class == SPIRV_BOOL ? type->memory : type->value;
}

/* The result of a function as a value of a type: for a bool, whether an integer is not 0. */
static LLVMValueRef as_value(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value)
{
	if (!value || type->class != SPIRV_BOOL)
		return value;
	return LLVMBuildICmp(reader->builder, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* An integer operand, converted to a number of bits; NULL with a message. */
static LLVMValueRef integer(struct spirv_reader *reader, uint32_t id, unsigned bits)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (value && (type->class != SPIRV_INT || type->lanes != 1)) {
		spirv_fail(reader, "the operand %" PRIu32 " is no integer", id);
		return NULL;
	}
	return value ? LLVMBuildIntCast2(reader->builder, value, spirv_int(reader, bits), false, "") : NULL;
}

/* --- votes, ballots and shuffles ----------------------------------------------------------------------------- */

/* A function of OpenCL C, by its name after "sub_group_" or "work_group_".  operands has a letter for each operand:
 *	v  a value                  e  a value; the function is called for each element of a vector
 *	b  a bool, as an int        m  a ballot         u  a uint
 * result is the type of the result: v a value, i an int (for a bool), u a uint, m a ballot. */
struct call {
	const char *name;
	const char *operands;
	char result;
	uint8_t scope;
};

enum {
	ALL, ANY, ELECT, SOME_ALL, SOME_ANY, SOME_EQUAL, SOME_BROADCAST, FIRST, BALLOT, INVERSE, BIT, LSB, MSB,
	SHUFFLE, SHUFFLE_XOR, SHUFFLE_UP, SHUFFLE_DOWN, OWN_BALLOT, OWN_FIRST, OWN_READ, OWN_ALL, OWN_ANY,
	OWN_EQUAL, OWN_SHUFFLE, OWN_SHUFFLE_XOR
};

static const struct call calls[] = {
	[ALL] = {"all", "b", 'i', ANY_SCOPE},
	[ANY] = {"any", "b", 'i', ANY_SCOPE},
	[ELECT] = {"elect", "", 'i', SUB_GROUP},
	[SOME_ALL] = {"non_uniform_all", "b", 'i', SUB_GROUP},
	[SOME_ANY] = {"non_uniform_any", "b", 'i', SUB_GROUP},
	[SOME_EQUAL] = {"non_uniform_all_equal", "v", 'i', SUB_GROUP},
	[SOME_BROADCAST] = {"non_uniform_broadcast", "vu", 'v', SUB_GROUP},
	[FIRST] = {"broadcast_first", "e", 'v', SUB_GROUP},
	[BALLOT] = {"ballot", "b", 'm', SUB_GROUP},
	[INVERSE] = {"inverse_ballot", "m", 'i', SUB_GROUP},
	[BIT] = {"ballot_bit_extract", "mu", 'i', SUB_GROUP},
	[LSB] = {"ballot_find_lsb", "m", 'u', SUB_GROUP},
	[MSB] = {"ballot_find_msb", "m", 'u', SUB_GROUP},
	[SHUFFLE] = {"shuffle", "eu", 'v', SUB_GROUP},
	[SHUFFLE_XOR] = {"shuffle_xor", "eu", 'v', SUB_GROUP},
	[SHUFFLE_UP] = {"shuffle_up", "eu", 'v', SUB_GROUP},
	[SHUFFLE_DOWN] = {"shuffle_down", "eu", 'v', SUB_GROUP},
	/* SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote. */
	[OWN_BALLOT] = {"ballot", "b", 'm', NO_SCOPE},
	[OWN_FIRST] = {"broadcast_first", "e", 'v', NO_SCOPE},
	[OWN_READ] = {"non_uniform_broadcast", "vu", 'v', NO_SCOPE},
	[OWN_ALL] = {"non_uniform_all", "b", 'i', NO_SCOPE},
	[OWN_ANY] = {"non_uniform_any", "b", 'i', NO_SCOPE},
	[OWN_EQUAL] = {"non_uniform_all_equal", "v", 'i', NO_SCOPE},
	/* SPV_INTEL_subgroups. */
	[OWN_SHUFFLE] = {"shuffle", "eu", 'v', NO_SCOPE},
	[OWN_SHUFFLE_XOR] = {"shuffle_xor", "eu", 'v', NO_SCOPE},
};

/* Calls the group's function; NULL with a message. */
static LLVMValueRef call_group(struct spirv_reader *reader, const char *group, const char *name,
			       LLVMTypeRef result, const struct spirv_argument *arguments, unsigned count)
{
	char full[64];
	snprintf(full, sizeof(full), "%s_%s", group, name);
	return spirv_call(reader, full, result, arguments, count);
}

/* An operand as its letter says; false with a message.  lane is the element for the letter e. */
static bool operand(struct spirv_reader *reader, char how, uint32_t id, unsigned lane,
		    struct spirv_argument *argument)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	LLVMTypeRef word = spirv_int(reader, 32);
	if (!value)
		return false;
	*argument = (struct spirv_argument){.base = how == 'b' ? 'i' : 'j'};
	switch (how) {
	case 'b':
		if (type->class != SPIRV_BOOL || type->lanes != 1)
			return spirv_fail(reader, "the operand %" PRIu32 " is no bool", id);
		argument->value = LLVMBuildZExt(reader->builder, value, word, "");
		return true;
	case 'm':
		argument->value = value;
		argument->lanes = 4;
		return LLVMTypeOf(value) == LLVMVectorType(word, 4) ||
		       spirv_fail(reader, "the operand %" PRIu32 " is no ballot", id);
	case 'u':
		argument->value = integer(reader, id, 32);
		return argument->value != NULL;
	default:
		if (!is_of_numbers(reader, type))
			return false;
		if (how == 'e') {
			value = element_of(reader, type, value, lane);
			type = element_type(type);
		}
		*argument = value_argument(reader, type, value);
		return true;
	}
}

/* The LLVM type that the function returns; NULL, with a message, if the result type does not fit it. */
static LLVMTypeRef result_type(struct spirv_reader *reader, const struct spirv_op *op, const struct call *call,
			       uint32_t first)
{
	LLVMTypeRef word = spirv_int(reader, 32);
	const struct spirv_type *type = op->type, *operand_type;
	bool good;
	switch (call->result) {
	case 'i': good = type->class == SPIRV_BOOL && type->lanes == 1; break;
	case 'u': good = type->value == word; break;
	case 'm':
		word = LLVMVectorType(word, 4);
		good = type->value == word;
		break;
	default:
		operand_type = spirv_type_of(reader, first);
		if (!operand_type)
			return NULL;
		good = operand_type->value == type->value;
		word = argument_type(*call->operands == 'e' ? element_type(type) : type);
	}
	if (good)
		return word;
	spirv_fail(reader, "the result has another type than the operand");
	return NULL;
}

static bool build_call(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct call *call = &calls[op->detail];
	const unsigned first = call->scope == NO_SCOPE ? 3 : 4, count = (unsigned)strlen(call->operands);
	const char *group = call->scope == NO_SCOPE ? "sub_group" : group_of(reader, op);
	struct spirv_argument arguments[2];
	if (!group)
		return false;
	if (op->count != first + count || (call->scope == SUB_GROUP && !is_sub_group(group)))
		return spirv_fail(reader, "not with this number of operands, or of this scope");
	LLVMTypeRef result = result_type(reader, op, call, count ? op->words[first] : 0);
	if (!result)
		return false;
	const bool by_element = *call->operands == 'e';
	LLVMValueRef whole = LLVMGetUndef(op->type->value);
	for (unsigned lane = 0; lane < (by_element ? op->type->lanes : 1); lane++) {
		for (unsigned i = 0; i < count; i++)
			if (!operand(reader, call->operands[i], op->words[first + i], lane, &arguments[i]))
				return false;
		LLVMValueRef value = call_group(reader, group, call->name, result, arguments, count);
		value = as_value(reader, op->type, value);
		whole = by_element ? put_element(reader, op->type, whole, value, lane) : value;
		if (!whole)
			return false;
	}
	return spirv_define(reader, op, whole);
}

/* Builds OpGroupNonUniformRotateKHR, with or without a cluster size. */
static bool build_rotate(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type;
	const char *group = group_of(reader, op);
	LLVMValueRef value = group ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	LLVMValueRef delta = value ? integer(reader, op->words[5], 32) : NULL, size = NULL;
	LLVMValueRef whole = LLVMGetUndef(type->value);
	if (!delta || !is_of_numbers(reader, type) || (op->count > 6 && !(size = integer(reader, op->words[6], 32))))
		return false;
	if (!is_sub_group(group))
		return spirv_fail(reader, "not of a work-group");
	for (unsigned lane = 0; lane < type->lanes && whole; lane++) {
		const struct spirv_type *own = element_type(type);
		const struct spirv_argument arguments[] = {
			value_argument(reader, own, element_of(reader, type, value, lane)),
			{.value = delta, .base = 'i'}, {.value = size, .base = 'j'},
		};
		LLVMValueRef part = spirv_call(reader, size ? "sub_group_clustered_rotate" : "sub_group_rotate",
					       argument_type(own), arguments, size ? 3 : 2);
		whole = put_element(reader, type, whole, as_value(reader, own, part), lane);
	}
	return whole && spirv_define(reader, op, whole);
}

/* The value that another work-item has; NULL with a message. */
static LLVMValueRef shuffle(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
			    LLVMValueRef from)
{
	const struct spirv_argument arguments[] = {value_argument(reader, type, value),
						   {.value = from, .base = 'j'}};
	LLVMValueRef moved = spirv_call(reader, "sub_group_shuffle", argument_type(type), arguments, 2);
	return as_value(reader, type, moved);
}

/* Builds OpSubgroupShuffleDownINTEL and OpSubgroupShuffleUpINTEL (SPV_INTEL_subgroups).  The values of two operands,
 * each one for every work-item of the sub-group, are put in a row.  A work-item gets the value that is delta behind its
 * own in the first operand (Down), or delta before its own in the second (Up). */
static bool build_shift(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool down = op->op == SpvOpSubgroupShuffleDownINTEL;
	const struct spirv_type *type = op->type, *own = element_type(type);
	LLVMValueRef here = spirv_value_of(reader, op->words[down ? 3 : 4], type->value);
	LLVMValueRef beyond = here ? spirv_value_of(reader, op->words[down ? 4 : 3], type->value) : NULL;
	LLVMValueRef delta = beyond ? integer(reader, op->words[5], 32) : NULL;
	LLVMValueRef whole = LLVMGetUndef(type->value);
	LLVMBuilderRef builder = reader->builder;
	if (!delta || !is_of_numbers(reader, type))
		return false;
	LLVMValueRef lane_id = spirv_call(reader, "get_sub_group_local_id", spirv_int(reader, 32), NULL, 0);
	LLVMValueRef size = lane_id ? spirv_call(reader, "get_max_sub_group_size", spirv_int(reader, 32), NULL, 0)
				    : NULL;
	if (!size)
		return false;
	LLVMValueRef at = down ? LLVMBuildAdd(builder, lane_id, delta, "") : LLVMBuildSub(builder, lane_id, delta, "");
	LLVMValueRef last = LLVMBuildSub(builder, size, spirv_number(reader, 32, 1), "");
	LLVMValueRef from = LLVMBuildAnd(builder, at, last, "");
	LLVMValueRef is_here = LLVMBuildICmp(builder, LLVMIntULT, at, size, "");
	for (unsigned lane = 0; lane < type->lanes && whole; lane++) {
		/* All work-items shuffle both operands, because inactive ones would not provide their values. */
		LLVMValueRef a = shuffle(reader, own, element_of(reader, type, here, lane), from);
		LLVMValueRef b = a ? shuffle(reader, own, element_of(reader, type, beyond, lane), from) : NULL;
		LLVMValueRef part = b ? LLVMBuildSelect(builder, is_here, a, b, "") : NULL;
		whole = put_element(reader, type, whole, part, lane);
	}
	return whole && spirv_define(reader, op, whole);
}

/* --- broadcasts ---------------------------------------------------------------------------------------------- */

/* Whether the functions of a work-group lack a type: they have none for integers of 8 and 16 bits. */
static bool is_narrow(const struct spirv_type *type)
{
	return type->class == SPIRV_BOOL || (type->class == SPIRV_INT && type->bits < 32);
}

/* A value as an argument of a work-group's function; narrow ones are extended to 32 bits. */
static struct spirv_argument wide_argument(struct spirv_reader *reader, const struct spirv_type *type,
					   LLVMValueRef value, bool is_signed)
{
	if (!is_narrow(type))
		return spirv_by_value(type, value, is_signed);
	return (struct spirv_argument){
		.value = LLVMBuildIntCast2(reader->builder, value, spirv_int(reader, 32), is_signed, ""),
		.base = is_signed ? 'i' : 'j',
	};
}

static LLVMTypeRef wide_type(struct spirv_reader *reader, const struct spirv_type *type)
{
	return is_narrow(type) ? spirv_int(reader, 32) : type->value;
}

/* The result of a work-group's function as a value of a type. */
static LLVMValueRef as_narrow(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value)
{
	if (!value || !is_narrow(type) || type->class == SPIRV_BOOL)
		return as_value(reader, type, value);
	return LLVMBuildTrunc(reader->builder, value, type->value, "");
}

/* The id of the work-item whose value is broadcast, as one to three arguments.  Returns their number, or 0 with a
 * message. */
static unsigned place_arguments(struct spirv_reader *reader, uint32_t id, struct spirv_argument *arguments)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (!value)
		return 0;
	if (type->class != SPIRV_INT || type->lanes > 3) {
		spirv_fail(reader, "the operand %" PRIu32 " is no work-item's id", id);
		return 0;
	}
	for (unsigned i = 0; i < type->lanes; i++)
		arguments[i] = (struct spirv_argument){
			.value = LLVMBuildIntCast2(reader->builder, element_of(reader, type, value, i),
						   spirv_int(reader, 64), false, ""),
			.base = 'm',
		};
	return type->lanes;
}

/* Builds OpGroupBroadcast.  The work-item is a number in a sub-group, and one to three numbers in a work-group. */
static bool build_broadcast(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = op->type, *own = element_type(type);
	const char *group = group_of(reader, op);
	LLVMValueRef value = group ? spirv_value_of(reader, op->words[4], type->value) : NULL;
	LLVMValueRef whole = LLVMGetUndef(type->value);
	struct spirv_argument arguments[4];
	if (!value || !is_of_numbers(reader, type))
		return false;
	if (is_sub_group(group)) {
		LLVMValueRef from = integer(reader, op->words[5], 32);
		arguments[0] = value_argument(reader, type, value);
		arguments[1] = (struct spirv_argument){.value = from, .base = 'j'};
		value = from ? spirv_call(reader, "sub_group_broadcast", argument_type(type), arguments, 2) : NULL;
		return value && spirv_define(reader, op, as_value(reader, type, value));
	}
	const unsigned places = place_arguments(reader, op->words[5], arguments + 1);
	for (unsigned lane = 0; lane < type->lanes && whole && places; lane++) {
		arguments[0] = wide_argument(reader, own, element_of(reader, type, value, lane), false);
		LLVMValueRef part = spirv_call(reader, "work_group_broadcast", wide_type(reader, own), arguments,
					       places + 1);
		whole = put_element(reader, type, whole, as_narrow(reader, own, part), lane);
	}
	return places && whole && spirv_define(reader, op, whole);
}

static bool build_bit_count(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char *const names[] = {
		[SpvGroupOperationReduce] = "ballot_bit_count",
		[SpvGroupOperationInclusiveScan] = "ballot_inclusive_scan",
		[SpvGroupOperationExclusiveScan] = "ballot_exclusive_scan",
	};
	const char *group = group_of(reader, op);
	struct spirv_argument ballot;
	if (!group || !operand(reader, 'm', op->words[5], 0, &ballot))
		return false;
	if (!is_sub_group(group) || op->words[4] >= sizeof(names) / sizeof(*names))
		return spirv_fail(reader, "not of a work-group, or not in this way");
	return spirv_define(reader, op, call_group(reader, group, names[op->words[4]], spirv_int(reader, 32),
						   &ballot, 1));
}

/* --- reductions and scans ------------------------------------------------------------------------------------ */

/* Which work-items take part, and which functions of OpenCL C do it in a sub-group. */
enum kind {
	GROUP,                      /* all of the group; sub_group_reduce_* and the like */
	UNIFORM,                    /* all of the group; sub_group_non_uniform_*, as there is no other function */
	NON_UNIFORM                 /* those that are active; sub_group_non_uniform_* */
};

/* The type of the elements. */
enum reduced { PLAIN, WITH_SIGN, LOGICAL };

static const char *const reduction_names[] = {
	"add", "mul", "min", "max", "and", "or", "xor", "logical_and", "logical_or", "logical_xor",
};
enum { ADD, MUL, MIN, MAX, AND, OR, XOR, LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR };

#define REDUCTION(kind, reduced, name) ((kind) << 8 | (reduced) << 4 | (name))

/* The name of a function after the group: "reduce_add", "non_uniform_scan_inclusive_min".  False with a message. */
static bool name_reduction(struct spirv_reader *reader, const struct spirv_op *op, const char *group, char *name,
			   size_t size_B)
{
	static const char *const operations[] = {
		[SpvGroupOperationReduce] = "reduce",
		[SpvGroupOperationInclusiveScan] = "scan_inclusive",
		[SpvGroupOperationExclusiveScan] = "scan_exclusive",
		[SpvGroupOperationClusteredReduce] = "clustered_reduce",
	};
	const unsigned kind = op->detail >> 8;
	const uint32_t operation = op->words[4];
	const bool clustered = operation == SpvGroupOperationClusteredReduce;
	if (operation >= sizeof(operations) / sizeof(*operations) || (clustered && kind != NON_UNIFORM) ||
	    (kind == NON_UNIFORM && !is_sub_group(group)) || (op->count != (clustered ? 7u : 6u)))
		return spirv_fail(reader, "not of this scope, or not in this way");
	snprintf(name, size_B, "%s%s_%s", is_sub_group(group) && kind != GROUP && !clustered ? "non_uniform_" : "",
		 operations[operation], reduction_names[op->detail & 0xf]);
	return true;
}

/* The result of a work-group's function that was called with 32 bits for a narrow type.  Sums, products and bit
 * operations are right in their low bits.  The result of min or max may be the identity, which is outside of the narrow
 * type: it is converted with saturation. */
static LLVMValueRef reduced_as(struct spirv_reader *reader, const struct spirv_op *op,
			       const struct spirv_type *type, LLVMValueRef value, bool is_signed)
{
	const unsigned name = op->detail & 0xf;
	char function[24];
	if (!value || !is_narrow(type) || type->class == SPIRV_BOOL || (name != MIN && name != MAX))
		return as_narrow(reader, type, value);
	const struct spirv_argument argument = {.value = value, .base = is_signed ? 'i' : 'j'};
	snprintf(function, sizeof(function), "convert_%s%s_sat", is_signed ? "" : "u",
		 type->bits == 8 ? "char" : "short");
	return spirv_call(reader, function, type->value, &argument, 1);
}

/* The reduction or scan of one element; NULL with a message. */
static LLVMValueRef reduce(struct spirv_reader *reader, const struct spirv_op *op, const char *group,
			   const char *name, const struct spirv_type *type, LLVMValueRef value)
{
	const enum reduced reduced = (enum reduced)(op->detail >> 4 & 0xf);
	const bool is_signed = reduced == WITH_SIGN, clustered = op->count > 6;
	const bool widen = !is_sub_group(group);
	struct spirv_argument arguments[2];
	LLVMTypeRef result = widen ? wide_type(reader, type) : type->value;
	if (reduced == LOGICAL) {
		result = spirv_int(reader, 32);
		arguments[0] = (struct spirv_argument){
			.value = LLVMBuildZExt(reader->builder, value, result, ""), .base = 'i',
		};
	} else {
		arguments[0] = widen ? wide_argument(reader, type, value, is_signed)
				     : spirv_by_value(type, value, is_signed);
	}
	if (clustered) {
		arguments[1] = (struct spirv_argument){.value = integer(reader, op->words[6], 32), .base = 'j'};
		if (!arguments[1].value)
			return NULL;
	}
	value = call_group(reader, group, name, result, arguments, clustered ? 2 : 1);
	return widen ? reduced_as(reader, op, type, value, is_signed) : as_value(reader, type, value);
}

static bool build_reduction(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool is_logical = (op->detail >> 4 & 0xf) == LOGICAL;
	const struct spirv_type *type = op->type;
	const char *group = group_of(reader, op);
	LLVMValueRef value = group ? spirv_value_of(reader, op->words[5], type->value) : NULL;
	LLVMValueRef whole = LLVMGetUndef(type->value);
	char name[48];
	if (!value || !name_reduction(reader, op, group, name, sizeof(name)))
		return false;
	if (is_logical ? type->class != SPIRV_BOOL || type->lanes != 1 : !spirv_is_number(type))
		return spirv_fail(reader, "the operand is no number, or no bool where one is needed");
	for (unsigned lane = 0; lane < type->lanes && whole; lane++) {
		LLVMValueRef part = reduce(reader, op, group, name, element_type(type),
					   element_of(reader, type, value, lane));
		whole = put_element(reader, type, whole, part, lane);
	}
	return whole && spirv_define(reader, op, whole);
}

/* --- asynchronous copies ------------------------------------------------------------------------------------- */

/* The type of the elements to which a pointer points; NULL with a message.  LLVM's SPIR-V back end writes a pointer to
 * an array instead of one to its first element. */
static const struct spirv_type *copied_type(struct spirv_reader *reader, uint32_t pointer)
{
	const struct spirv_type *type = spirv_type_of(reader, pointer);
	type = type ? spirv_pointee(reader, type) : NULL;
	if (type && type->class == SPIRV_ARRAY)
		type = type->element;
	if (type && !spirv_is_number(type)) {
		spirv_fail(reader, "no numbers are copied");
		return NULL;
	}
	return type;
}

static bool copied_argument(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
			    unsigned qualifiers, struct spirv_argument *argument)
{
	*argument = (struct spirv_argument){
		.value = spirv_pointer(reader, id), .base = spirv_letter(type, false), .lanes = type->lanes,
		.is_pointer = true, .qualifiers = qualifiers,
	};
	return argument->value != NULL;
}

/* Builds OpGroupAsyncCopy (SPIR-V 1.6, 3.49.21).  Operands: two pointers, the number of elements, the stride in global
 * memory, and an event that the copy joins. */
static bool build_copy(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_type *type = copied_type(reader, op->words[4]);
	const bool strided = spirv_operand(reader, op->words[7], 0) != 1;
	struct spirv_argument arguments[5];
	unsigned count = 2;
	if (!type || !copied_argument(reader, op->words[4], type, 0, &arguments[0]) ||
	    !copied_argument(reader, op->words[5], type, SPIRV_CONST, &arguments[1]))
		return false;
	for (unsigned i = 6; i < (strided ? 8 : 7); i++) {
		LLVMValueRef number = integer(reader, op->words[i], 64);
		if (!number)
			return false;
		arguments[count++] = (struct spirv_argument){.value = number, .base = 'm'};
	}
	LLVMTypeRef event = spirv_ptr(reader, SPIRV_PRIVATE);
	LLVMValueRef before = spirv_value_of(reader, op->words[8], event);
	if (!before)
		return false;
	arguments[count++] = (struct spirv_argument){.value = before, .named = "9ocl_event"};
	return spirv_define(reader, op, spirv_call(reader, strided ? "async_work_group_strided_copy"
								   : "async_work_group_copy",
						   event, arguments, count));
}

static bool build_wait(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMValueRef count = integer(reader, op->words[2], 32);
	LLVMValueRef events = count ? spirv_pointer(reader, op->words[3]) : NULL;
	const struct spirv_argument arguments[] = {
		{.value = count, .base = 'i'}, {.value = events, .named = "9ocl_event", .is_pointer = true},
	};
	return events && spirv_call(reader, "wait_group_events", LLVMVoidTypeInContext(reader->context),
				    arguments, 2);
}

/* --- block reads and writes ---------------------------------------------------------------------------------- */

/* The place of a work-item's component in a block (SPV_INTEL_subgroups): the values of consecutive work-items are
 * adjacent, and component n of all of them begins n times the maximum sub-group size behind component 0.  NULL with a
 * message. */
static LLVMValueRef block_element(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef pointer,
				  unsigned component)
{
	LLVMTypeRef word = spirv_int(reader, 32);
	LLVMValueRef lane = spirv_call(reader, "get_sub_group_local_id", word, NULL, 0);
	LLVMValueRef size = lane ? spirv_call(reader, "get_max_sub_group_size", word, NULL, 0) : NULL;
	if (!size)
		return NULL;
	LLVMValueRef before = LLVMBuildMul(reader->builder, size, spirv_number(reader, 32, component), "");
	LLVMValueRef index = LLVMBuildZExt(reader->builder, LLVMBuildAdd(reader->builder, lane, before, ""),
					   spirv_int(reader, 64), "");
	return LLVMBuildInBoundsGEP2(reader->builder, element_type(type)->memory, pointer, &index, 1, "");
}

static bool build_block(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool reads = op->op == SpvOpSubgroupBlockReadINTEL;
	LLVMValueRef pointer = spirv_pointer(reader, op->words[reads ? 3 : 1]);
	const struct spirv_type *type = !pointer ? NULL : reads ? op->type : spirv_type_of(reader, op->words[2]);
	LLVMValueRef whole = !type ? NULL : reads ? LLVMGetUndef(type->value) : spirv_value(reader, op->words[2]);
	if (!whole)
		return false;
	if (!spirv_is_number(type))
		return spirv_fail(reader, "the operand is no number");
	for (unsigned lane = 0; lane < type->lanes && whole; lane++) {
		const struct spirv_type *own = element_type(type);
		LLVMValueRef place = block_element(reader, type, pointer, lane);
		if (!place)
			return false;
		if (reads)
			whole = put_element(reader, type, whole, spirv_load(reader, own, place, 0, false), lane);
		else if (!spirv_store(reader, own, element_of(reader, type, whole, lane), place, 0, false))
			return false;
	}
	return reads ? spirv_define(reader, op, whole) : true;
}

const struct spirv_row spirv_group_rows[] = {
	{SpvOpGroupAll, 5, 5, ALL, build_call},
	{SpvOpGroupAny, 5, 5, ANY, build_call},
	{SpvOpGroupNonUniformElect, 4, 4, ELECT, build_call},
	{SpvOpGroupNonUniformAll, 5, 5, SOME_ALL, build_call},
	{SpvOpGroupNonUniformAny, 5, 5, SOME_ANY, build_call},
	{SpvOpGroupNonUniformAllEqual, 5, 5, SOME_EQUAL, build_call},
	{SpvOpGroupNonUniformBroadcast, 6, 6, SOME_BROADCAST, build_call},
	{SpvOpGroupNonUniformBroadcastFirst, 5, 5, FIRST, build_call},
	{SpvOpGroupNonUniformBallot, 5, 5, BALLOT, build_call},
	{SpvOpGroupNonUniformInverseBallot, 5, 5, INVERSE, build_call},
	{SpvOpGroupNonUniformBallotBitExtract, 6, 6, BIT, build_call},
	{SpvOpGroupNonUniformBallotBitCount, 6, 6, 0, build_bit_count},
	{SpvOpGroupNonUniformBallotFindLSB, 5, 5, LSB, build_call},
	{SpvOpGroupNonUniformBallotFindMSB, 5, 5, MSB, build_call},
	{SpvOpGroupNonUniformShuffle, 6, 6, SHUFFLE, build_call},
	{SpvOpGroupNonUniformShuffleXor, 6, 6, SHUFFLE_XOR, build_call},
	{SpvOpGroupNonUniformShuffleUp, 6, 6, SHUFFLE_UP, build_call},
	{SpvOpGroupNonUniformShuffleDown, 6, 6, SHUFFLE_DOWN, build_call},
	{SpvOpGroupNonUniformRotateKHR, 6, 7, 0, build_rotate},
	{SpvOpSubgroupBallotKHR, 4, 4, OWN_BALLOT, build_call},
	{SpvOpSubgroupFirstInvocationKHR, 4, 4, OWN_FIRST, build_call},
	{SpvOpSubgroupReadInvocationKHR, 5, 5, OWN_READ, build_call},
	{SpvOpSubgroupAllKHR, 4, 4, OWN_ALL, build_call},
	{SpvOpSubgroupAnyKHR, 4, 4, OWN_ANY, build_call},
	{SpvOpSubgroupAllEqualKHR, 4, 4, OWN_EQUAL, build_call},
	{SpvOpSubgroupShuffleINTEL, 5, 5, OWN_SHUFFLE, build_call},
	{SpvOpSubgroupShuffleXorINTEL, 5, 5, OWN_SHUFFLE_XOR, build_call},
	{SpvOpSubgroupShuffleDownINTEL, 6, 6, 0, build_shift},
	{SpvOpSubgroupShuffleUpINTEL, 6, 6, 0, build_shift},
	{SpvOpSubgroupBlockReadINTEL, 4, 4, 0, build_block},
	{SpvOpSubgroupBlockWriteINTEL, 3, 3, 0, build_block},
	{SpvOpGroupBroadcast, 6, 6, 0, build_broadcast},
	{SpvOpGroupAsyncCopy, 9, 9, 0, build_copy},
	{SpvOpGroupWaitEvents, 4, 4, 0, build_wait},
	{SpvOpGroupIAdd, 6, 6, REDUCTION(GROUP, PLAIN, ADD), build_reduction},
	{SpvOpGroupFAdd, 6, 6, REDUCTION(GROUP, PLAIN, ADD), build_reduction},
	{SpvOpGroupFMin, 6, 6, REDUCTION(GROUP, PLAIN, MIN), build_reduction},
	{SpvOpGroupUMin, 6, 6, REDUCTION(GROUP, PLAIN, MIN), build_reduction},
	{SpvOpGroupSMin, 6, 6, REDUCTION(GROUP, WITH_SIGN, MIN), build_reduction},
	{SpvOpGroupFMax, 6, 6, REDUCTION(GROUP, PLAIN, MAX), build_reduction},
	{SpvOpGroupUMax, 6, 6, REDUCTION(GROUP, PLAIN, MAX), build_reduction},
	{SpvOpGroupSMax, 6, 6, REDUCTION(GROUP, WITH_SIGN, MAX), build_reduction},
	{SpvOpGroupIMulKHR, 6, 6, REDUCTION(UNIFORM, PLAIN, MUL), build_reduction},
	{SpvOpGroupFMulKHR, 6, 6, REDUCTION(UNIFORM, PLAIN, MUL), build_reduction},
	{SpvOpGroupBitwiseAndKHR, 6, 6, REDUCTION(UNIFORM, PLAIN, AND), build_reduction},
	{SpvOpGroupBitwiseOrKHR, 6, 6, REDUCTION(UNIFORM, PLAIN, OR), build_reduction},
	{SpvOpGroupBitwiseXorKHR, 6, 6, REDUCTION(UNIFORM, PLAIN, XOR), build_reduction},
	{SpvOpGroupLogicalAndKHR, 6, 6, REDUCTION(UNIFORM, LOGICAL, LOGICAL_AND), build_reduction},
	{SpvOpGroupLogicalOrKHR, 6, 6, REDUCTION(UNIFORM, LOGICAL, LOGICAL_OR), build_reduction},
	{SpvOpGroupLogicalXorKHR, 6, 6, REDUCTION(UNIFORM, LOGICAL, LOGICAL_XOR), build_reduction},
	{SpvOpGroupNonUniformIAdd, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, ADD), build_reduction},
	{SpvOpGroupNonUniformFAdd, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, ADD), build_reduction},
	{SpvOpGroupNonUniformIMul, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MUL), build_reduction},
	{SpvOpGroupNonUniformFMul, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MUL), build_reduction},
	{SpvOpGroupNonUniformSMin, 6, 7, REDUCTION(NON_UNIFORM, WITH_SIGN, MIN), build_reduction},
	{SpvOpGroupNonUniformUMin, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MIN), build_reduction},
	{SpvOpGroupNonUniformFMin, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MIN), build_reduction},
	{SpvOpGroupNonUniformSMax, 6, 7, REDUCTION(NON_UNIFORM, WITH_SIGN, MAX), build_reduction},
	{SpvOpGroupNonUniformUMax, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MAX), build_reduction},
	{SpvOpGroupNonUniformFMax, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, MAX), build_reduction},
	{SpvOpGroupNonUniformBitwiseAnd, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, AND), build_reduction},
	{SpvOpGroupNonUniformBitwiseOr, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, OR), build_reduction},
	{SpvOpGroupNonUniformBitwiseXor, 6, 7, REDUCTION(NON_UNIFORM, PLAIN, XOR), build_reduction},
	{SpvOpGroupNonUniformLogicalAnd, 6, 7, REDUCTION(NON_UNIFORM, LOGICAL, LOGICAL_AND), build_reduction},
	{SpvOpGroupNonUniformLogicalOr, 6, 7, REDUCTION(NON_UNIFORM, LOGICAL, LOGICAL_OR), build_reduction},
	{SpvOpGroupNonUniformLogicalXor, 6, 7, REDUCTION(NON_UNIFORM, LOGICAL, LOGICAL_XOR), build_reduction},
	{0, 0, 0, 0, NULL},
};
