/* mbarrier.*, and cp.async.mbarrier.arrive. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/ptx/decode.h"

#include <stdio.h>
#include <string.h>

struct mbarrier {
	const char *verb;
	enum ptx_space space;
	enum access_order order;
	bool wide;                /* of .cluster scope */
	bool parity, expect_tx;
};

/* verb{.modifiers}{.sem}{.scope}{.space}.b64 */
static bool parse(struct ptx_parser *parser, const struct ptx_parts *parts,
		  struct mbarrier *barrier)
{
	if (parts->count < 3 || strcmp(parts->part[parts->count - 1], "b64") != 0)
		return ptx_unknown(parser);
	const char *verb = barrier->verb = parts->part[1];
	bool waits = !strcmp(verb, "test_wait") || !strcmp(verb, "try_wait");
	bool arrives = !strcmp(verb, "arrive") || !strcmp(verb, "arrive_drop");
	barrier->order = waits ? ORDER_ACQUIRE : arrives ? ORDER_RELEASE : ORDER_WEAK;
	for (unsigned i = 2; i + 1 < parts->count; i++) {
		const char *part = parts->part[i];
		if (!strcmp(part, "shared") || !strcmp(part, "shared::cta"))
			barrier->space = SPACE_SHARED;
		else if (!strcmp(part, "relaxed"))
			barrier->order = ORDER_RELAXED;
		else if (!strcmp(part, "cluster"))
			barrier->wide = true;
		else if (!strcmp(part, "expect_tx") && arrives)
			barrier->expect_tx = true;
		else if (!strcmp(part, "parity") && waits)
			barrier->parity = true;
		else if (strcmp(part, "cta") != 0 &&
			 !(!strcmp(part, "noComplete") && arrives) &&
			 strcmp(part, waits ? "acquire" : arrives ? "release" : "") != 0)
			return ptx_unknown(parser);
	}
	return true;
}

/* An op of a row at an address; its operands are the caller's. */
static struct op *emit(struct ptx_parser *parser, const struct mbarrier *barrier,
		       const char *row, const struct ptx_operand *operand)
{
	struct ptx_address address;
	if (!ptx_address_operand(parser, operand, barrier->space, &address))
		return NULL;
	struct op *op = ptx_emit(parser, exec_table_find(row)->run);
	if (!op)
		return NULL;
	op->x[MEMORY_ADDRESS] = address.x;
	op->imm = address.offset;
	op->address_32 = address.address_32;
	op->space = address.space;
	op->mode = (uint8_t)barrier->order;
	op->narrow = !barrier->wide;
	op->reads = 1u << MEMORY_ADDRESS;
	return op;
}

static bool emit_arrival(struct ptx_parser *parser, const struct mbarrier *barrier,
			 const struct ptx_operand *address, const uint32_t x[4])
{
	for (unsigned i = 0; i < 4; i++)
		if (x[i] == OPERAND_NONE)
			return false;
	struct op *op = emit(parser, barrier, "_mbarrier.arrive", address);
	if (!op)
		return false;
	memcpy(op->x, x, 4 * sizeof(*x));
	op->writes = 1;
	op->reads |= 1u << 1 | 1u << 2 | 1u << 3;
	return true;
}

/* state, [address] {, count or bytes} */
static bool decode_arrive(struct ptx_parser *parser, const struct mbarrier *barrier)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint32_t count = parser->instruction.count;
	if (count != 3 && (count != 2 || barrier->expect_tx))
		return ptx_unknown(parser);
	uint32_t one = ptx_constant(parser, 'w', 1), zero = ptx_constant(parser, 'w', 0);
	uint32_t given = count == 3 ? ptx_source(parser, &operands[2], 'w') : one;
	uint32_t arrivals = barrier->expect_tx ? one : given;
	const uint32_t x[4] = {ptx_destination(parser, &operands[0], 'l'), arrivals,
			       barrier->expect_tx ? given : zero,
			       !strcmp(barrier->verb, "arrive_drop") ? arrivals : zero};
	return emit_arrival(parser, barrier, &operands[1], x);
}

/* Bytes are announced, or have come: nobody arrives. */
static bool emit_tx(struct ptx_parser *parser, const struct mbarrier *barrier, const struct ptx_operand *object,
		    const struct ptx_operand *size_B, bool come)
{
	uint32_t zero = ptx_constant(parser, 'w', 0), tx = ptx_source(parser, size_B, 'w');
	if (come) {
		uint32_t minus[3] = {ptx_temporary(parser, 'w'), zero, tx};
		if (tx == OPERAND_NONE || !ptx_emit_row(parser, "sub.s32", minus, 3))
			return false;
		tx = minus[0];
	}
	const uint32_t x[4] = {ptx_temporary(parser, 'l'), zero, tx, zero};
	return emit_arrival(parser, barrier, object, x);
}

/* [address], bytes */
static bool decode_tx(struct ptx_parser *parser, struct mbarrier *barrier)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	barrier->order = ORDER_RELAXED;
	return ptx_operand_count(parser, 2) &&
	       emit_tx(parser, barrier, &operands[0], &operands[1], !strcmp(barrier->verb, "complete_tx"));
}

/* "mbarrier::complete_tx::bytes" has release semantics: who waits for the phase sees the copy. */
bool ptx_decode_bulk_arrive(struct ptx_parser *parser, const struct ptx_operand *object,
			    const struct ptx_operand *size_B)
{
	const struct mbarrier barrier = {.space = SPACE_SHARED, .order = ORDER_RELEASE, .wide = true};
	return emit_tx(parser, &barrier, object, size_B, true);
}

/* done, [address], state or parity {, how long it may take}: try_wait never blocks, as
 * it need not. */
static bool decode_wait(struct ptx_parser *parser, const struct mbarrier *barrier)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	uint32_t count = parser->instruction.count;
	if (count != 3 && (count != 4 || !strcmp(barrier->verb, "test_wait")))
		return ptx_unknown(parser);
	uint32_t done = ptx_destination(parser, &operands[0], 'p');
	uint32_t which = ptx_source(parser, &operands[2], barrier->parity ? 'w' : 'l');
	if (done == OPERAND_NONE || which == OPERAND_NONE ||
	    (count == 4 && ptx_source(parser, &operands[3], 'w') == OPERAND_NONE))
		return false;
	struct op *op = emit(parser, barrier, barrier->parity ? "_mbarrier.wait.parity" :
			     "_mbarrier.wait", &operands[1]);
	if (!op)
		return false;
	op->x[0] = done;
	op->x[2] = which;
	op->writes = 1;
	op->reads |= 1u << 2;
	return true;
}

static bool decode_init(struct ptx_parser *parser, const struct mbarrier *barrier)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	if (!ptx_operand_count(parser, 2))
		return false;
	uint32_t count = ptx_source(parser, &operands[1], 'w');
	struct op *op = count == OPERAND_NONE ? NULL :
			emit(parser, barrier, "_mbarrier.init", &operands[0]);
	if (!op)
		return false;
	op->x[0] = count;
	op->reads |= 1u << 0;
	return true;
}

bool ptx_decode_mbarrier(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	const struct ptx_operand *operands = parser->instruction.operands;
	struct mbarrier barrier = {.space = SPACE_GENERIC};
	if (!parse(parser, parts, &barrier))
		return false;
	const char *verb = barrier.verb;
	if (!strcmp(verb, "init"))
		return decode_init(parser, &barrier);
	if (!strcmp(verb, "inval"))
		return ptx_operand_count(parser, 1) &&
		       emit(parser, &barrier, "_mbarrier.inval", &operands[0]);
	if (!strcmp(verb, "arrive") || !strcmp(verb, "arrive_drop"))
		return decode_arrive(parser, &barrier);
	if (!strcmp(verb, "expect_tx") || !strcmp(verb, "complete_tx"))
		return decode_tx(parser, &barrier);
	if (!strcmp(verb, "test_wait") || !strcmp(verb, "try_wait"))
		return decode_wait(parser, &barrier);
	if (strcmp(verb, "pending_count") != 0 || !ptx_operand_count(parser, 2))
		return ptx_unknown(parser);
	uint32_t x[2] = {ptx_destination(parser, &operands[0], 'w'),
			 ptx_source(parser, &operands[1], 'l')};
	return ptx_emit_row(parser, "_mbarrier.pending_count", x, 2);
}

/* cp.async.mbarrier.arrive{.noinc}{.space}.b64 [address]: the copies are done, so it
 * is an arrival now.  Without .noinc one more is expected first: nothing changes. */
bool ptx_decode_copy_arrive(struct ptx_parser *parser, const struct ptx_parts *parts)
{
	struct mbarrier barrier = {.space = SPACE_GENERIC, .order = ORDER_RELEASE};
	unsigned at = 4;
	bool noinc = parts->count > at && !strcmp(parts->part[at], "noinc");
	at += noinc;
	if (parts->count < 5 || strcmp(parts->part[3], "arrive") != 0 ||
	    !ptx_operand_count(parser, 1))
		return ptx_unknown(parser);
	if (at + 1 < parts->count && (!strcmp(parts->part[at], "shared") ||
				      !strcmp(parts->part[at], "shared::cta"))) {
		barrier.space = SPACE_SHARED;
		at++;
	}
	if (at + 1 != parts->count || strcmp(parts->part[at], "b64") != 0)
		return ptx_unknown(parser);
	uint32_t zero = ptx_constant(parser, 'w', 0);
	const uint32_t x[4] = {ptx_temporary(parser, 'l'), ptx_constant(parser, 'w', noinc), zero,
			       zero};
	return emit_arrival(parser, &barrier, parser->instruction.operands, x);
}
