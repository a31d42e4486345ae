#include "config.h"

#include "frontend/spirv/flow.h"

#include "frontend/spirv/metadata.h"
#include "frontend/spirv/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In functions with more blocks the scope of values is not checked here but by LLVM's verifier: find_dominators takes a
 * time quadratic in the number of blocks in the worst case. */
enum { MOST_LOOKED_AT = 1 << 16 };

struct block {
	uint32_t label;             /* id */
	size_t at, end;             /* words: behind OpLabel, and the last instruction */
	uint32_t first_edge, edge_count;   /* its successors, in flow.edges */
	uint32_t first_from, from_count;   /* its predecessors, in flow.from */
	uint32_t order;             /* its place in the sequence, from 1 on; 0: it is not reachable */
	uint32_t dominator;         /* its immediate dominator; 0 for the first block */
	LLVMBasicBlockRef begin, last;     /* the first and the last LLVM block that were made of it */
};

/* An OpPhi, whose values are filled in when all blocks are built. */
struct phi {
	struct spirv_instruction made;
	uint32_t block;
	const struct spirv_type *type;
	LLVMValueRef value;         /* LLVM's phi; for an aggregate, memory that the predecessors fill */
};

/* The blocks of the function that is being built.  Blocks are numbered from 1 on. */
struct flow {
	struct spirv_reader *reader;
	const struct spirv_type *returned;
	struct block *blocks;       /* [0] is unused */
	uint32_t count;
	uint32_t *edges, edge_count;
	uint32_t *from;
	uint32_t *sequence, reached;       /* the reachable blocks, in the order in which they are built */
	uint32_t *enter, *leave;    /* by block: see struct spirv_body */
	uint32_t *marks;            /* by block: temporary numbers of single functions below */
	struct phi *phis;
	size_t phi_count, phi_room;
};

/* --- finding blocks ------------------------------------------------------------------------------------------ */

static bool ends_block(unsigned op)
{
	return (op >= SpvOpBranch && op <= SpvOpUnreachable && op != SpvOpKill);
}

/* Whether an instruction may stand outside of blocks and before OpPhi. */
static bool is_silent(const struct spirv_module *module, struct spirv_instruction i)
{
	switch (i.op) {
	case SpvOpNop:
	case SpvOpLine:
	case SpvOpNoLine:
	case SpvOpLoopMerge:
	case SpvOpSelectionMerge:
	case SpvOpLoopControlINTEL: return true;
	case SpvOpExtInst: return i.count > 3 && i.words[3] != module->openclstd;
	default: return false;
	}
}

/* Counts blocks and edges; false with a message where instructions stand outside of blocks. */
static bool count_blocks(struct flow *flow, size_t at, size_t end)
{
	const struct spirv_module *module = flow->reader->module;
	bool inside = false;
	for (; at < end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		flow->reader->now = i;
		if (i.op == SpvOpLabel) {
			if (inside)
				return spirv_fail(flow->reader, "the block before it does not end");
			inside = true;
			flow->count++;
		} else if (ends_block(i.op)) {
			if (!inside)
				return spirv_fail(flow->reader, "outside of all blocks");
			inside = false;
			flow->edge_count += i.count;
		} else if (!inside && !is_silent(module, i) && i.op != SpvOpFunction &&
			   i.op != SpvOpFunctionParameter && i.op != SpvOpFunctionEnd) {
			return spirv_fail(flow->reader, "outside of all blocks");
		}
	}
	return !inside || spirv_fail(flow->reader, "the last block does not end");
}

static bool make_room(struct flow *flow)
{
	const size_t count = (size_t)flow->count + 2, edges = (size_t)flow->edge_count + 1;
	flow->blocks = calloc(count, sizeof(*flow->blocks));
	flow->edges = calloc(edges, sizeof(*flow->edges));
	flow->from = calloc(edges, sizeof(*flow->from));
	flow->sequence = calloc(count, sizeof(*flow->sequence));
	flow->enter = calloc(count, sizeof(*flow->enter));
	flow->leave = calloc(count, sizeof(*flow->leave));
	flow->marks = calloc(count, sizeof(*flow->marks));
	return (flow->blocks && flow->edges && flow->from && flow->sequence && flow->enter && flow->leave &&
		flow->marks) || spirv_no_memory(flow->reader);
}

static void finish(struct flow *flow)
{
	free(flow->blocks);
	free(flow->edges);
	free(flow->from);
	free(flow->sequence);
	free(flow->enter);
	free(flow->leave);
	free(flow->marks);
	free(flow->phis);
}

static void list_blocks(struct flow *flow, size_t at, size_t end)
{
	const struct spirv_module *module = flow->reader->module;
	uint32_t number = 0;
	for (; at < end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		if (i.op == SpvOpLabel) {
			flow->blocks[++number] = (struct block){.label = i.words[1], .at = at + i.count};
			flow->reader->homes[i.words[1]] = number;
		} else if (ends_block(i.op)) {
			flow->blocks[number].end = at;
		}
	}
}

/* --- edges --------------------------------------------------------------------------------------------------- */

/* The number of the block with a label; 0, with a message, if the function has no such block. */
static uint32_t block_of(struct flow *flow, uint32_t label)
{
	struct spirv_reader *reader = flow->reader;
	const uint32_t number = spirv_of(reader->module, label).op == SpvOpLabel ? reader->homes[label] : 0;
	if (number && number <= flow->count && flow->blocks[number].label == label)
		return number;
	spirv_fail(reader, "the id %" PRIu32 " is no block of the function", label);
	return 0;
}

static bool add_edge(struct flow *flow, struct block *block, uint32_t label)
{
	const uint32_t to = block_of(flow, label);
	if (!to)
		return false;
	if (to == 1)
		return spirv_fail(flow->reader, "a branch to the first block");
	flow->edges[block->first_edge + block->edge_count++] = to;
	return true;
}

/* The number of words of a literal of OpSwitch; 0, with a message, if the selector is no integer. */
static unsigned literal_words(struct flow *flow, struct spirv_instruction i)
{
	const struct spirv_type *type = spirv_type_of(flow->reader, i.words[1]);
	if (type && type->class == SPIRV_INT && type->lanes == 1)
		return type->bits == 64 ? 2 : 1;
	if (type)
		spirv_fail(flow->reader, "the selector %" PRIu32 " is no integer", i.words[1]);
	return 0;
}

static bool add_switch(struct flow *flow, struct block *block, struct spirv_instruction i)
{
	const unsigned words = literal_words(flow, i);
	if (!words || !add_edge(flow, block, i.words[2]))
		return false;
	if ((i.count - 3) % (words + 1))
		return spirv_fail(flow->reader, "a literal without a block, or a block without a literal");
	for (unsigned k = 3; k < i.count; k += words + 1)
		if (!add_edge(flow, block, i.words[k + words]))
			return false;
	return true;
}

static bool add_edges(struct flow *flow, struct block *block)
{
	const struct spirv_instruction i = spirv_at(flow->reader->module, block->end);
	flow->reader->now = i;
	const unsigned least = i.op == SpvOpBranchConditional ? 4 : i.op == SpvOpSwitch ? 3
			       : i.op == SpvOpBranch || i.op == SpvOpReturnValue ? 2 : 1;
	if (i.count < least)
		return spirv_fail(flow->reader, "%u words are too few", i.count);
	switch (i.op) {
	case SpvOpBranch: return add_edge(flow, block, i.words[1]);
	case SpvOpBranchConditional:
		/* If both targets are equal, there is one edge. */
		return add_edge(flow, block, i.words[2]) &&
		       (i.words[2] == i.words[3] || add_edge(flow, block, i.words[3]));
	case SpvOpSwitch: return add_switch(flow, block, i);
	default: return true;
	}
}

static bool find_edges(struct flow *flow)
{
	uint32_t filled = 0;
	for (uint32_t b = 1; b <= flow->count; b++) {
		flow->blocks[b].first_edge = filled;
		if (!add_edges(flow, &flow->blocks[b]))
			return false;
		filled += flow->blocks[b].edge_count;
	}
	return true;
}

/* --- order and dominators ------------------------------------------------------------------------------------ */

/* Finds the order in which blocks are built, the reverse postorder of a depth-first walk: except for loops, each block
 * comes after all of its predecessors. */
static void find_order(struct flow *flow)
{
	uint32_t *stack = flow->leave, *next = flow->enter, depth = 0, place = flow->count;
	stack[depth++] = 1;
	flow->marks[1] = 1;
	while (depth) {
		const struct block *block = &flow->blocks[stack[depth - 1]];
		uint32_t *edge = &next[stack[depth - 1]];
		if (*edge == block->edge_count) {
			flow->sequence[--place] = stack[--depth];
			continue;
		}
		const uint32_t to = flow->edges[block->first_edge + (*edge)++];
		if (!flow->marks[to]) {
			flow->marks[to] = 1;
			stack[depth++] = to;
		}
	}
	flow->reached = flow->count - place;
	memmove(flow->sequence, flow->sequence + place, flow->reached * sizeof(*flow->sequence));
	for (uint32_t i = 0; i < flow->reached; i++)
		flow->blocks[flow->sequence[i]].order = i + 1;
	memset(flow->marks, 0, ((size_t)flow->count + 1) * sizeof(*flow->marks));
}

/* Lists the predecessors of each block that are reachable. */
static void find_sources(struct flow *flow)
{
	uint32_t place = 0;
	for (uint32_t i = 0; i < flow->reached; i++) {
		const struct block *block = &flow->blocks[flow->sequence[i]];
		for (uint32_t e = 0; e < block->edge_count; e++)
			flow->blocks[flow->edges[block->first_edge + e]].from_count++;
	}
	for (uint32_t b = 1; b <= flow->count; b++) {
		flow->blocks[b].first_from = place;
		place += flow->blocks[b].from_count;
		flow->blocks[b].from_count = 0;
	}
	for (uint32_t i = 0; i < flow->reached; i++) {
		const struct block *block = &flow->blocks[flow->sequence[i]];
		for (uint32_t e = 0; e < block->edge_count; e++) {
			struct block *to = &flow->blocks[flow->edges[block->first_edge + e]];
			flow->from[to->first_from + to->from_count++] = flow->sequence[i];
		}
	}
}

/* The nearest common dominator of two blocks. */
static uint32_t meet(const struct flow *flow, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (flow->blocks[a].order > flow->blocks[b].order)
			a = flow->blocks[a].dominator;
		else
			b = flow->blocks[b].dominator;
	}
	return a;
}

/* Finds the immediate dominators: K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm",
 * 2001. */
static void find_dominators(struct flow *flow)
{
	bool changed = true;
	flow->blocks[1].dominator = 1;
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < flow->reached; i++) {
			struct block *block = &flow->blocks[flow->sequence[i]];
			uint32_t found = 0;
			for (uint32_t k = 0; k < block->from_count; k++) {
				const uint32_t from = flow->from[block->first_from + k];
				if (flow->blocks[from].dominator)
					found = found ? meet(flow, from, found) : from;
			}
			changed = changed || block->dominator != found;
			block->dominator = found;
		}
	}
	flow->blocks[1].dominator = 0;
}

/* Numbers the blocks for a walk over the tree of dominators: a block dominates those that the walk enters and leaves
 * while it is in the block.  leave first counts the blocks below each block; then enter and leave are assigned from
 * that. */
static void number_tree(struct flow *flow)
{
	for (uint32_t b = 0; b <= flow->count; b++)
		flow->enter[b] = flow->leave[b] = 0;
	for (uint32_t i = flow->reached; i-- > 1;) {
		const uint32_t b = flow->sequence[i];
		flow->leave[flow->blocks[b].dominator] += flow->leave[b] + 1;
	}
	/* marks has the next number to assign below each block. */
	flow->enter[1] = 1;
	flow->marks[1] = 2;
	flow->leave[1] += 1;
	for (uint32_t i = 1; i < flow->reached; i++) {
		const uint32_t b = flow->sequence[i], above = flow->blocks[b].dominator;
		flow->enter[b] = flow->marks[above];
		flow->marks[b] = flow->enter[b] + 1;
		flow->marks[above] += flow->leave[b] + 1;
		flow->leave[b] += flow->enter[b];
	}
	memset(flow->marks, 0, ((size_t)flow->count + 1) * sizeof(*flow->marks));
}

static void find_tree(struct flow *flow)
{
	if (flow->reached <= MOST_LOOKED_AT) {
		find_dominators(flow);
		number_tree(flow);
		return;
	}
	/* Each value is visible in each block. */
	for (uint32_t b = 0; b <= flow->count; b++)
		flow->enter[b] = flow->leave[b] = 0;
}

/* --- OpPhi --------------------------------------------------------------------------------------------------- */

static bool add_phi(struct flow *flow, struct spirv_instruction i, uint32_t block)
{
	struct spirv_reader *reader = flow->reader;
	const struct spirv_type *type = spirv_type(reader, i.words[1]);
	if (!type)
		return false;
	if (i.count < 3 || i.count % 2 == 0 || !type->value || type->class == SPIRV_VOID)
		return spirv_fail(reader, "a value without a block, or of a type that has no values");
	if (flow->phi_count == flow->phi_room) {
		const size_t room = flow->phi_room ? 2 * flow->phi_room : 32;
		struct phi *more = realloc(flow->phis, room * sizeof(*more));
		if (!more)
			return spirv_no_memory(reader);
		flow->phis = more;
		flow->phi_room = room;
	}
	LLVMValueRef value = spirv_is_aggregate(type) ? spirv_alloca(reader, type->memory, type->align_B)
						       : LLVMBuildPhi(reader->builder, type->value, "");
	flow->phis[flow->phi_count++] = (struct phi){i, block, type, value};
	reader->made[i.words[2]] = value;
	reader->homes[i.words[2]] = block;
	return true;
}

/* Loads the values of aggregates, for the phis from a first one on, from the memory that the predecessors filled. */
static void take_aggregates(struct flow *flow, size_t first)
{
	struct spirv_reader *reader = flow->reader;
	for (size_t i = first; i < flow->phi_count; i++) {
		const struct phi *phi = &flow->phis[i];
		if (spirv_is_aggregate(phi->type))
			reader->made[phi->made.words[2]] =
				spirv_load(reader, phi->type, phi->value, 0, false);
	}
}

/* The value of a phi for a predecessor; NULL with a message. */
static LLVMValueRef value_by(struct flow *flow, const struct phi *phi, uint32_t from)
{
	struct spirv_reader *reader = flow->reader;
	const uint32_t pair = flow->marks[from];
	if (!pair) {
		spirv_fail(reader, "there is no value for the way from block %" PRIu32,
			   flow->blocks[from].label);
		return NULL;
	}
	reader->body->block = from;
	return spirv_value_as(reader, phi->made.words[pair], phi->type);
}

/* Notes in marks, by predecessor, the word of the phi that has the value; false with a message. */
static bool mark_pairs(struct flow *flow, const struct phi *phi)
{
	for (unsigned k = 3; k < phi->made.count; k += 2) {
		const uint32_t from = block_of(flow, phi->made.words[k + 1]);
		if (!from)
			return false;
		/* Translators may write a pair twice, once for each case of a switch. */
		if (flow->marks[from] && phi->made.words[flow->marks[from]] != phi->made.words[k])
			return spirv_fail(flow->reader, "two values for the way from block %" PRIu32,
					  phi->made.words[k + 1]);
		flow->marks[from] = k;
	}
	return true;
}

static void clear_pairs(struct flow *flow, const struct phi *phi)
{
	for (unsigned k = 3; k < phi->made.count; k += 2) {
		const uint32_t label = phi->made.words[k + 1];
		if (spirv_of(flow->reader->module, label).op == SpvOpLabel &&
		    flow->reader->homes[label] <= flow->count)
			flow->marks[flow->reader->homes[label]] = 0;
	}
}

/* Stores an aggregate, at the end of a predecessor, in the memory of the phi. */
static bool leave_aggregate(struct flow *flow, const struct phi *phi, uint32_t from)
{
	struct spirv_reader *reader = flow->reader;
	LLVMPositionBuilderBefore(reader->builder, LLVMGetBasicBlockTerminator(flow->blocks[from].last));
	LLVMValueRef value = value_by(flow, phi, from);
	return value && spirv_store(reader, phi->type, value, phi->value, 0, false);
}

static bool fill_phi(struct flow *flow, const struct phi *phi)
{
	const struct block *block = &flow->blocks[phi->block];
	const bool aggregate = spirv_is_aggregate(phi->type);
	flow->reader->now = phi->made;
	bool good = mark_pairs(flow, phi);
	for (uint32_t k = 0; k < block->from_count && good; k++) {
		const uint32_t from = flow->from[block->first_from + k];
		/* If there are several edges from one block, it stores the aggregate once. */
		if (aggregate && k && flow->from[block->first_from + k - 1] == from)
			continue;
		if (aggregate) {
			good = leave_aggregate(flow, phi, from);
			continue;
		}
		LLVMValueRef value = value_by(flow, phi, from);
		good = value != NULL;
		if (good)
			LLVMAddIncoming(phi->value, &value, &flow->blocks[from].last, 1);
	}
	clear_pairs(flow, phi);
	return good;
}

/* --- ends of blocks ------------------------------------------------------------------------------------------ */

static LLVMBasicBlockRef target(const struct flow *flow, uint32_t label)
{
	return flow->blocks[flow->reader->homes[label]].begin;
}

static int compare_values(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;
	return *a < *b ? -1 : *a > *b;
}

/* Checks that no two cases of a switch have the same value; sorts the values. */
static bool check_values(struct spirv_reader *reader, uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_values);
	for (size_t i = 1; i < count; i++)
		if (values[i - 1] == values[i])
			return spirv_fail(reader, "two cases are for the value %" PRIu64, values[i]);
	return true;
}

static uint64_t literal_of(struct spirv_instruction i, unsigned at, const struct spirv_type *type)
{
	if (type->bits == 64)
		return i.words[at] | (uint64_t)i.words[at + 1] << 32;
	return type->bits == 32 ? i.words[at] : i.words[at] & ((1u << type->bits) - 1);
}

static bool build_switch(struct flow *flow, struct spirv_instruction i)
{
	struct spirv_reader *reader = flow->reader;
	const struct spirv_type *type = spirv_type_of(reader, i.words[1]);
	LLVMValueRef selector = type ? spirv_value_of(reader, i.words[1], type->value) : NULL;
	if (!selector)
		return false;
	const unsigned step = type->bits == 64 ? 3 : 2, count = (i.count - 3) / step;
	uint64_t *values = calloc(count + 1u, sizeof(*values));
	if (!values)
		return spirv_no_memory(reader);
	LLVMValueRef choice = LLVMBuildSwitch(reader->builder, selector, target(flow, i.words[2]), count);
	for (unsigned k = 0; k < count; k++) {
		const unsigned at = 3 + k * step;
		values[k] = literal_of(i, at, type);
		LLVMAddCase(choice, LLVMConstInt(type->value, values[k], false),
			    target(flow, i.words[at + step - 1]));
	}
	const bool good = check_values(reader, values, count);
	free(values);
	return good;
}

static bool build_return(struct flow *flow, struct spirv_instruction i)
{
	struct spirv_reader *reader = flow->reader;
	const struct spirv_type *type = flow->returned;
	if (i.op == SpvOpReturn) {
		if (type->class != SPIRV_VOID)
			return spirv_fail(reader, "the function returns a value");
		LLVMBuildRetVoid(reader->builder);
		return true;
	}
	if (type->class == SPIRV_VOID)
		return spirv_fail(reader, "the function returns no value");
	LLVMValueRef value = spirv_value_as(reader, i.words[1], type);
	if (value && spirv_is_aggregate(type) && LLVMTypeOf(value) != type->memory) {
		value = LLVMBuildLoad2(reader->builder, type->memory, value, "");
		LLVMSetAlignment(value, type->align_B);
	}
	return value && LLVMBuildRet(reader->builder, value);
}

static bool build_end(struct flow *flow, struct spirv_instruction i)
{
	struct spirv_reader *reader = flow->reader;
	LLVMValueRef condition;
	switch (i.op) {
	case SpvOpBranch: LLVMBuildBr(reader->builder, target(flow, i.words[1])); return true;
	case SpvOpBranchConditional:
		condition = spirv_value_of(reader, i.words[1], spirv_int(reader, 1));
		if (condition && i.words[2] == i.words[3])
			LLVMBuildBr(reader->builder, target(flow, i.words[2]));
		else if (condition)
			LLVMBuildCondBr(reader->builder, condition, target(flow, i.words[2]),
					target(flow, i.words[3]));
		return condition != NULL;
	case SpvOpSwitch: return build_switch(flow, i);
	case SpvOpUnreachable: LLVMBuildUnreachable(reader->builder); return true;
	default: return build_return(flow, i);
	}
}

/* --- building ------------------------------------------------------------------------------------------------ */

static bool build_block(struct flow *flow, uint32_t number)
{
	struct spirv_reader *reader = flow->reader;
	const struct spirv_module *module = reader->module;
	struct block *block = &flow->blocks[number];
	const size_t first_phi = flow->phi_count;
	bool at_phis = true, good = true;
	reader->body->block = number;
	LLVMPositionBuilderAtEnd(reader->builder, block->begin);
	spirv_debug_block(reader);
	for (size_t at = block->at; good && at <= block->end; at += spirv_at(module, at).count) {
		const struct spirv_instruction i = spirv_at(module, at);
		reader->now = i;
		spirv_debug_line(reader, i);
		if (i.op == SpvOpPhi) {
			good = at_phis ? add_phi(flow, i, number)
				       : spirv_fail(reader, "not at the beginning of its block");
			continue;
		}
		if (at_phis && !is_silent(module, i)) {
			at_phis = false;
			take_aggregates(flow, first_phi);
		}
		good = at == block->end ? build_end(flow, i) : reader->build(reader, i);
	}
	block->last = LLVMGetInsertBlock(reader->builder);
	return good;
}

/* Makes the LLVM blocks in the module's order, whatever the order is in which they are built, for code that is not
 * optimized. */
static void make_blocks(struct flow *flow)
{
	struct spirv_reader *reader = flow->reader;
	for (uint32_t b = 1; b <= flow->count; b++)
		if (flow->blocks[b].order)
			flow->blocks[b].begin = LLVMAppendBasicBlockInContext(
				reader->context, reader->body->function, "");
}

static bool build_all(struct flow *flow)
{
	struct spirv_reader *reader = flow->reader;
	bool good = true;
	make_blocks(flow);
	reader->body->enter = flow->enter;
	reader->body->leave = flow->leave;
	for (uint32_t i = 0; good && i < flow->reached; i++)
		good = build_block(flow, flow->sequence[i]);
	for (size_t i = 0; good && i < flow->phi_count; i++)
		good = fill_phi(flow, &flow->phis[i]);
	if (good) {
		LLVMPositionBuilderAtEnd(reader->builder, reader->body->entry);
		LLVMBuildBr(reader->builder, flow->blocks[1].begin);
	}
	return good;
}

bool spirv_flow_build(struct spirv_reader *reader, size_t at, size_t end, const struct spirv_type *returned)
{
	struct flow flow = {.reader = reader, .returned = returned};
	bool good = count_blocks(&flow, at, end) && make_room(&flow);
	if (good) {
		list_blocks(&flow, at, end);
		good = find_edges(&flow);
	}
	if (good) {
		find_order(&flow);
		find_sources(&flow);
		find_tree(&flow);
		good = build_all(&flow);
	}
	finish(&flow);
	return good;
}
