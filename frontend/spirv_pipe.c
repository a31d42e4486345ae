#include "config.h"

#include "frontend/spirv_pipe.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>

/* --- types --- */

enum spirv_written spirv_pipe_type(struct spirv_writer *writer, const struct spirv_id *id,
				   uint32_t number)
{
	static const char *const groups[] = {"", "work_group_", "sub_group_"};
	if (id->count < 3 || id->words[2] > SpvAccessQualifierWriteOnly)
		return spirv_fail(writer, id->op, "neither read_only nor write_only");
	const bool writes = id->words[2] == SpvAccessQualifierWriteOnly;
	const char *verb = writes ? "write" : "read", *access = writes ? "wo" : "ro";
	spirv_put(writer, "typedef %s_only pipe uchar t%" PRIu32 ";\n", verb, number);
	spirv_put(writer, "int __%s_pipe_2(t%" PRIu32 ", void *, uint, uint);\n", verb, number);
	spirv_put(writer, "int __%s_pipe_4(t%" PRIu32 ", void *, uint, void *, uint, uint);\n", verb,
		  number);
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		spirv_put(writer,
			  "void *__%sreserve_%s_pipe(t%" PRIu32 ", uint, uint, uint);\n"
			  "void __%scommit_%s_pipe(t%" PRIu32 ", void *, uint, uint);\n",
			  groups[i], verb, number, groups[i], verb, number);
	spirv_put(writer,
		  "uint __get_pipe_num_packets_%s(t%" PRIu32 ", uint, uint);\n"
		  "uint __get_pipe_max_packets_%s(t%" PRIu32 ", uint, uint);\n",
		  access, number, access, number);
	return SPIRV_WRITTEN;
}

static bool writes(const struct spirv_writer *writer, uint32_t pipe)
{
	const struct spirv_id *type =
		spirv_id(writer->module, spirv_id(writer->module, pipe)->type);
	return type->words && type->op == SpvOpTypePipe && type->count > 2 &&
	       type->words[2] == SpvAccessQualifierWriteOnly;
}

/* --- instructions --- */

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

static const char *group_of(const struct spirv_writer *writer, const struct call *call,
			    uint32_t scope)
{
	if (!call->of_group)
		return "";
	return spirv_scope(writer, scope, SpvScopeWorkgroup) == SpvScopeSubgroup ? "sub_group_"
										   : "work_group_";
}

static enum spirv_written write_call(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count, const struct call *call)
{
	static const unsigned lengths[] = {
		[POINTER] = 1, [RESERVED] = 3, [NUMBER] = 1, [RESERVATION] = 1, [NOTHING] = 0,
	};
	const uint32_t *at = words + (call->has_result ? 3 : 1) + call->of_group;
	/* The pipe, the operands, the packet's size and alignment. */
	if (count < (size_t)(at - words) + 3 + lengths[call->operands])
		return spirv_fail(writer, call->op, "too few words");
	if (call->has_result)
		spirv_put_result(writer, words);
	spirv_put(writer, "__%s%s%s(v%" PRIu32, group_of(writer, call, at[-1]), call->name,
		  call->operands != NOTHING ? "" : writes(writer, at[0]) ? "_wo" : "_ro", at[0]);
	at++;
	if (call->operands == RESERVED)
		spirv_put(writer, ", v%" PRIu32 ", v%" PRIu32 ", (void *)v%" PRIu32, at[0], at[1],
			  at[2]);
	else if (call->operands == POINTER)
		spirv_put(writer, ", (void *)v%" PRIu32, at[0]);
	else if (call->operands != NOTHING)
		spirv_put(writer, ", v%" PRIu32, at[0]);
	at += lengths[call->operands];
	spirv_put(writer, ", v%" PRIu32 ", v%" PRIu32 ")%s;\n", at[0], at[1],
		  call->has_result ? ")" : "");
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_pipe(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].op == op)
			return write_call(writer, words, count, &calls[i]);
	if (op != SpvOpIsValidReserveId)
		return SPIRV_OTHER;
	if (count < 4)
		return spirv_fail(writer, op, "too few words");
	spirv_put_result(writer, words);
	spirv_put(writer, "(v%" PRIu32 ") != (void *)~0ul);\n", words[3]);
	return SPIRV_WRITTEN;
}
