/* Pipes (SPIR-V 1.6, 3.49.17).  OpenCL C's functions want to know what a packet is, of which the module only says
 * the size: the functions that Clang calls for them are called (builtins/pipe.cl). */
#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <stdio.h>

/* What the operands of a call are, behind the pipe. */
enum operands {
	POINTER,                    /* of the packet */
	RESERVED,                   /* a reservation, an index, the packet's pointer */
	NUMBER,                     /* how many packets to reserve */
	RESERVATION,                /* that is committed */
	NOTHING                     /* a question about it */
};

static const struct call {
	unsigned op;
	const char *name;           /* behind "__" and the group's; of a question without its access */
	enum operands operands;
	bool has_result, of_group;
} calls[] = {
	{SpvOpReadPipe, "read_pipe_2", POINTER, true, false},
	{SpvOpWritePipe, "write_pipe_2", POINTER, true, false},
	{SpvOpReservedReadPipe, "read_pipe_4", RESERVED, true, false},
	{SpvOpReservedWritePipe, "write_pipe_4", RESERVED, true, false},
	{SpvOpReserveReadPipePackets, "reserve_read_pipe", NUMBER, true, false},
	{SpvOpReserveWritePipePackets, "reserve_write_pipe", NUMBER, true, false},
	{SpvOpCommitReadPipe, "commit_read_pipe", RESERVATION, false, false},
	{SpvOpCommitWritePipe, "commit_write_pipe", RESERVATION, false, false},
	{SpvOpGetNumPipePackets, "get_pipe_num_packets", NOTHING, true, false},
	{SpvOpGetMaxPipePackets, "get_pipe_max_packets", NOTHING, true, false},
	{SpvOpGroupReserveReadPipePackets, "reserve_read_pipe", NUMBER, true, true},
	{SpvOpGroupReserveWritePipePackets, "reserve_write_pipe", NUMBER, true, true},
	{SpvOpGroupCommitReadPipe, "commit_read_pipe", RESERVATION, false, true},
	{SpvOpGroupCommitWritePipe, "commit_write_pipe", RESERVATION, false, true},
};

static const unsigned lengths[] = {
	[POINTER] = 1, [RESERVED] = 3, [NUMBER] = 1, [RESERVATION] = 1, [NOTHING] = 0,
};

static const struct call *find_call(unsigned op)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].op == op)
			return &calls[i];
	return NULL;
}

static const char *group_of(const struct spirv_reader *reader, const struct call *call, uint32_t scope)
{
	if (!call->of_group)
		return "";
	return spirv_operand(reader, scope, SpvScopeWorkgroup) == SpvScopeSubgroup ? "sub_group_"
										   : "work_group_";
}

/* "__work_group_reserve_read_pipe", "__get_pipe_num_packets_ro" */
static void name_call(const struct spirv_reader *reader, const struct call *call, uint32_t scope,
		      const struct spirv_type *pipe, char *name, size_t size_B)
{
	const char *access = pipe->made.words[2] == SpvAccessQualifierWriteOnly ? "_wo" : "_ro";
	snprintf(name, size_B, "__%s%s%s", group_of(reader, call, scope), call->name,
		 call->operands == NOTHING ? access : "");
}

/* An operand of the type that its place has in the function; NULL with a message. */
static LLVMValueRef operand(struct spirv_reader *reader, const struct call *call, unsigned place, uint32_t id)
{
	LLVMTypeRef generic = spirv_ptr(reader, SPIRV_PRIVATE);
	const bool is_packet = (call->operands == POINTER && place == 0) ||
			       (call->operands == RESERVED && place == 2);
	const bool is_reservation = (call->operands == RESERVED || call->operands == RESERVATION) && place == 0;
	if (is_reservation)
		return spirv_value_of(reader, id, generic);
	if (!is_packet)
		return spirv_value_of(reader, id, spirv_int(reader, 32));
	LLVMValueRef pointer = spirv_pointer(reader, id);
	return pointer ? LLVMBuildPointerCast(reader->builder, pointer, generic, "") : NULL;
}

static bool build_call(struct spirv_reader *reader, const struct spirv_op *op)
{
	enum { MOST_ARGUMENTS = 6 };
	const struct call *call = find_call(op->op);
	const unsigned first = (call->has_result ? 3 : 1) + call->of_group;
	/* The packet's size and alignment come last. */
	const unsigned count = lengths[call->operands] + 2;
	LLVMValueRef arguments[MOST_ARGUMENTS];
	char name[48];
	if (op->count != first + 1 + count)
		return spirv_fail(reader, "not with this number of operands");
	const struct spirv_type *pipe = spirv_type_of(reader, op->words[first]);
	arguments[0] = pipe ? spirv_value(reader, op->words[first]) : NULL;
	if (!arguments[0])
		return false;
	if (pipe->class != SPIRV_PIPE)
		return spirv_fail(reader, "the operand %" PRIu32 " is no pipe", op->words[first]);
	for (unsigned i = 0; i < count; i++) {
		arguments[i + 1] = operand(reader, call, i, op->words[first + 1 + i]);
		if (!arguments[i + 1])
			return false;
	}
	LLVMTypeRef result = !call->has_result        ? LLVMVoidTypeInContext(reader->context)
			     : call->operands == NUMBER ? spirv_ptr(reader, SPIRV_PRIVATE)
							: spirv_int(reader, 32);
	name_call(reader, call, op->words[first - 1], pipe, name, sizeof(name));
	LLVMValueRef value = spirv_call_plain(reader, name, result, arguments, count + 1);
	return value && (!call->has_result || spirv_define(reader, op, value));
}

static bool build_is_valid(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMTypeRef word = spirv_int(reader, 64);
	LLVMValueRef value = spirv_value_of(reader, op->words[3], spirv_ptr(reader, SPIRV_PRIVATE));
	if (!value)
		return false;
	value = LLVMBuildPtrToInt(reader->builder, value, word, "");
	return spirv_define(reader, op, LLVMBuildICmp(reader->builder, LLVMIntNE, value,
						      LLVMConstAllOnes(word), ""));
}

const struct spirv_row spirv_pipe_rows[] = {
	{SpvOpReadPipe, 7, 7, 0, build_call},
	{SpvOpWritePipe, 7, 7, 0, build_call},
	{SpvOpReservedReadPipe, 9, 9, 0, build_call},
	{SpvOpReservedWritePipe, 9, 9, 0, build_call},
	{SpvOpReserveReadPipePackets, 7, 7, 0, build_call},
	{SpvOpReserveWritePipePackets, 7, 7, 0, build_call},
	{SpvOpCommitReadPipe, 5, 5, 0, build_call},
	{SpvOpCommitWritePipe, 5, 5, 0, build_call},
	{SpvOpIsValidReserveId, 4, 4, 0, build_is_valid},
	{SpvOpGetNumPipePackets, 6, 6, 0, build_call},
	{SpvOpGetMaxPipePackets, 6, 6, 0, build_call},
	{SpvOpGroupReserveReadPipePackets, 8, 8, 0, build_call},
	{SpvOpGroupReserveWritePipePackets, 8, 8, 0, build_call},
	{SpvOpGroupCommitReadPipe, 6, 6, 0, build_call},
	{SpvOpGroupCommitWritePipe, 6, 6, 0, build_call},
	{0, 0, 0, 0, NULL},
};
