/* Room for virtual registers: those that are never alive together share a slot,
 * for what compilers write has thousands and a cache has not.
 *
 * Each register gets one span of the code, from its first to its last point of
 * life in the order of the text, and slots are handed out along the text.  That
 * holds for each lane by itself, and so for diverged lanes: a lane's flow is one
 * path through the same graph, and no lane writes another's column. */
#include "config.h"

#include "softcuda/exec/table.h"
#include "softcuda/ptx/blocks.h"
#include "softcuda/ptx/decode.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0x7fffffff };
/* Sets of live registers beyond this are not worth their time: no sharing. */
static const uint64_t sets_max_B = 64 << 20;

struct placer {
	struct op *ops;
	uint32_t op_count, register_count, wide_count, words;
	const char *widths;
	struct ptx_blocks graph;
	uint32_t *wide;           /* register -> its bit in the sets, or NONE */
	uint32_t *of_bit;         /* bit in the sets -> register */
	uint32_t *first, *last;   /* register -> span */
	uint64_t *in, *defined;   /* block_count sets of words */
	uint8_t *alive;           /* register -> alive where find_peak is */
	uint8_t *source;          /* register -> enum source */
	uint32_t alive_words, alive_predicates, peak; /* in 32-bit registers per lane */
	uint32_t *starts, *ends, *next_start, *next_end, *place;
};

static uint32_t width_bytes(char width)
{
	return width == 'p' ? 4 : width == 'h' ? 2 * LANES : width == 'w' ? 4 * LANES :
	       width == 'l' ? 8 * LANES : 16 * LANES;
}

static bool is_register(const struct op *op, unsigned k)
{
	return (op->reads | op->writes) >> k & 1 &&
	       op->x[k] >> OPERAND_BANK_SHIFT == BANK_REGISTER;
}

/* What an op reads: operands, its guard, and under a guard what it writes, as
 * the other lanes keep their values. */
static unsigned op_uses(const struct op *op, uint32_t *uses)
{
	unsigned count = 0;
	uint8_t mask = (uint8_t)(op->reads | (op->guard != OPERAND_NONE ? op->writes : 0));
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (mask >> k & 1 && is_register(op, k))
			uses[count++] = op->x[k];
	if (op->guard != OPERAND_NONE)
		uses[count++] = op->guard;
	return count;
}

static unsigned op_definitions(const struct op *op, uint32_t *definitions)
{
	unsigned count = 0;
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (op->writes >> k & 1 && is_register(op, k))
			definitions[count++] = op->x[k];
	return count;
}

/* Registers that some block reads before it writes them: only they can be alive
 * between blocks.  seen[r] is the last block that wrote r, plus one. */
static void find_wide(struct placer *p, uint32_t *seen)
{
	uint32_t list[OP_OPERANDS + 1];
	for (uint32_t i = 0; i < p->op_count; i++) {
		unsigned count = op_uses(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			if (seen[list[k]] != p->graph.of[i] + 1 && p->wide[list[k]] == NONE) {
				p->of_bit[p->wide_count] = list[k];
				p->wide[list[k]] = p->wide_count++;
			}
		count = op_definitions(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			seen[list[k]] = p->graph.of[i] + 1;
	}
	p->words = (p->wide_count + 63) / 64;
}

static void set_bit(uint64_t *set, uint32_t bit)
{
	set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

/* The register of a set's next bit, from *bit on, which becomes that bit's number plus one; NONE: there is none. */
static uint32_t next_of(const struct placer *p, const uint64_t *set, uint32_t *bit)
{
	for (uint32_t w = *bit / 64; w < p->words; w++) {
		const uint64_t left = w == *bit / 64 ? set[w] >> *bit % 64 << *bit % 64 : set[w];
		if (!left)
			continue;
		const uint32_t found = 64 * w + (uint32_t)__builtin_ctzll(left);
		*bit = found + 1;
		return p->of_bit[found];
	}
	return NONE;
}

/* What a block reads first (into in) and what it writes. */
static void find_local(struct placer *p)
{
	uint32_t list[OP_OPERANDS + 1];
	for (uint32_t i = 0; i < p->op_count; i++) {
		uint64_t *in = p->in + (size_t)p->graph.of[i] * p->words;
		uint64_t *defined = p->defined + (size_t)p->graph.of[i] * p->words;
		unsigned count = op_uses(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			if (p->wide[list[k]] != NONE && !has_bit(defined, p->wide[list[k]]))
				set_bit(in, p->wide[list[k]]);
		count = op_definitions(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			if (p->wide[list[k]] != NONE)
				set_bit(defined, p->wide[list[k]]);
	}
}

/* in |= (successor's in) - defined; true when something was new. */
static bool flow(void *context, uint32_t block, uint32_t successor)
{
	struct placer *p = context;
	uint64_t *in = p->in + (size_t)block * p->words;
	const uint64_t *defined = p->defined + (size_t)block * p->words;
	const uint64_t *next = p->in + (size_t)successor * p->words;
	uint64_t changed = 0;
	for (uint32_t w = 0; w < p->words; w++) {
		uint64_t more = next[w] & ~defined[w] & ~in[w];
		in[w] |= more;
		changed |= more;
	}
	return changed;
}

static void widen(struct placer *p, uint32_t r, uint32_t op)
{
	p->first[r] = op < p->first[r] ? op : p->first[r];
	p->last[r] = p->last[r] == NONE || op > p->last[r] ? op : p->last[r];
}

/* Alive into the successor is alive at the end of the block too. */
static bool widen_out(void *context, uint32_t block, uint32_t successor)
{
	struct placer *p = context;
	const uint64_t *in = p->in + (size_t)successor * p->words;
	for (uint32_t r, bit = 0; (r = next_of(p, in, &bit)) != NONE;) {
		widen(p, r, p->graph.blocks[block].end - 1);
		widen(p, r, p->graph.blocks[successor].first);
	}
	return false;
}

static void find_spans(struct placer *p)
{
	uint32_t list[OP_OPERANDS + 1];
	for (uint32_t i = 0; i < p->op_count; i++) {
		unsigned count = op_uses(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			widen(p, list[k], i);
		count = op_definitions(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			widen(p, list[k], i);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = p->graph.count; b-- > 0;)
			changed |= ptx_blocks_successors(&p->graph, b, flow, p);
	}
	for (uint32_t b = 0; b < p->graph.count; b++)
		ptx_blocks_successors(&p->graph, b, widen_out, p);
	/* Read before any write: alive from the start. */
	for (uint32_t r, bit = 0; (r = next_of(p, p->in, &bit)) != NONE;)
		widen(p, r, 0);
}

/* --- how many a GPU might use ---------- */

enum source { SOURCE_NONE, SOURCE_PARAMETER, SOURCE_OTHER };

/* What is nothing but a parameter of the kernel needs no register: a GPU's instructions take it from where
 * the launch has put it. */
static void find_parameters(struct placer *p)
{
	uint32_t list[OP_OPERANDS + 1];
	for (uint32_t i = 0; i < p->op_count; i++) {
		unsigned count = op_definitions(&p->ops[i], list);
		for (unsigned k = 0; k < count; k++)
			p->source[list[k]] = p->source[list[k]] == SOURCE_NONE && p->ops[i].space == SPACE_PARAM ?
					     SOURCE_PARAMETER : SOURCE_OTHER;
	}
}

/* Registers of 32 bits, and seven predicates; what more there are go into registers, too. */
static void set_alive(struct placer *p, uint32_t r, bool alive)
{
	enum { PREDICATES = 7 };
	if (p->alive[r] == alive || p->source[r] == SOURCE_PARAMETER)
		return;
	p->alive[r] = alive;
	char width = p->widths[r];
	uint32_t *count = width == 'p' ? &p->alive_predicates : &p->alive_words;
	uint32_t words = width == 'l' ? 2 : width == 'q' ? 4 : 1;
	*count = alive ? *count + words : *count - words;
	uint32_t all = p->alive_words + (p->alive_predicates > PREDICATES ?
					 p->alive_predicates - PREDICATES : 0);
	p->peak = all > p->peak ? all : p->peak;
}

static bool alive_out(void *context, uint32_t block, uint32_t successor)
{
	struct placer *p = context;
	(void)block;
	const uint64_t *in = p->in + (size_t)successor * p->words;
	for (uint32_t r, bit = 0; (r = next_of(p, in, &bit)) != NONE;)
		set_alive(p, r, true);
	return false;
}

/* The most that is alive at one time.  The spans would tell more: they have no holes, and what
 * compilers write goes back and forth in the text.  Up each block, from what lives behind it. */
static void find_peak(struct placer *p)
{
	uint32_t list[OP_OPERANDS + 1];
	for (uint32_t b = 0; b < p->graph.count; b++) {
		memset(p->alive, 0, p->register_count);
		p->alive_words = p->alive_predicates = 0;
		ptx_blocks_successors(&p->graph, b, alive_out, p);
		for (uint32_t i = p->graph.blocks[b].end; i-- > p->graph.blocks[b].first;) {
			/* What nobody reads takes its place for a moment, too. */
			unsigned count = op_definitions(&p->ops[i], list);
			for (unsigned k = 0; k < count; k++)
				set_alive(p, list[k], true);
			for (unsigned k = 0; k < count; k++)
				set_alive(p, list[k], false);
			count = op_uses(&p->ops[i], list);
			for (unsigned k = 0; k < count; k++)
				set_alive(p, list[k], true);
		}
	}
}

/* --- places ---------- */

static void no_sharing(struct placer *p)
{
	p->peak = UINT32_MAX;
	for (uint32_t r = 0; r < p->register_count; r++) {
		p->first[r] = 0;
		p->last[r] = p->op_count - 1;
	}
}

/* Along the text: spans that start take a slot, spans that end give it back
 * afterwards, so that no result shares with its own op's operands. */
static uint32_t hand_out(struct placer *p)
{
	uint32_t free_slot[5] = {NONE, NONE, NONE, NONE, NONE}, size_B = 0;
	static const char widths[] = "qlwhp";
	for (uint32_t r = p->register_count; r-- > 0;) {
		if (p->last[r] == NONE)
			continue;
		p->next_start[r] = p->starts[p->first[r]];
		p->starts[p->first[r]] = r;
		p->next_end[r] = p->ends[p->last[r]];
		p->ends[p->last[r]] = r;
	}
	for (uint32_t i = 0; i < p->op_count; i++) {
		for (uint32_t r = p->starts[i]; r != NONE; r = p->next_start[r]) {
			uint32_t *free_list = &free_slot[strchr(widths, p->widths[r]) - widths];
			if (*free_list != NONE) {
				p->place[r] = p->place[*free_list];
				*free_list = p->next_start[*free_list];
				continue;
			}
			uint32_t bytes = width_bytes(p->widths[r]);
			/* Predicates are small; keep what follows them aligned. */
			uint32_t align = bytes < 64 ? bytes : 64;
			size_B = (size_B + align - 1) & ~(align - 1);
			p->place[r] = size_B;
			size_B += bytes;
		}
		/* A register that has ended is never looked at again, so its link in
		 * the list of starts serves for the list of free slots. */
		for (uint32_t r = p->ends[i]; r != NONE; r = p->next_end[r]) {
			uint32_t *free_list = &free_slot[strchr(widths, p->widths[r]) - widths];
			p->next_start[r] = *free_list;
			*free_list = r;
		}
	}
	return size_B;
}

static void rewrite(struct placer *p)
{
	for (uint32_t i = 0; i < p->op_count; i++) {
		struct op *op = &p->ops[i];
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (is_register(op, k))
				op->x[k] = p->place[op->x[k]];
		if (op->guard != OPERAND_NONE)
			op->guard = p->place[op->guard];
	}
}

static void *fill_none(uint32_t *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		list[i] = NONE;
	return list;
}

static bool place(struct placer *p, const struct branch_table *tables)
{
	size_t registers = p->register_count + 1u, ops = p->op_count + 1u;
	uint32_t *seen = calloc(registers, sizeof(*seen));
	p->wide = fill_none(malloc(registers * sizeof(uint32_t)), registers);
	p->of_bit = malloc(registers * sizeof(uint32_t));
	p->first = fill_none(malloc(registers * sizeof(uint32_t)), registers);
	p->last = fill_none(malloc(registers * sizeof(uint32_t)), registers);
	p->next_start = fill_none(malloc(registers * sizeof(uint32_t)), registers);
	p->next_end = fill_none(malloc(registers * sizeof(uint32_t)), registers);
	p->place = calloc(registers, sizeof(*p->place));
	p->alive = calloc(registers, sizeof(*p->alive));
	p->source = calloc(registers, sizeof(*p->source));
	p->starts = fill_none(malloc(ops * sizeof(uint32_t)), ops);
	p->ends = fill_none(malloc(ops * sizeof(uint32_t)), ops);
	bool right = ptx_blocks_find(&p->graph, p->ops, p->op_count, tables) && seen && p->wide && p->of_bit &&
		     p->first && p->last && p->next_start && p->next_end && p->place && p->alive &&
		     p->source && p->starts && p->ends;
	if (right) {
		find_wide(p, seen);
		size_t set_count = (size_t)p->graph.count * p->words + 1;
		if (set_count * sizeof(uint64_t) > sets_max_B) {
			no_sharing(p);
		} else {
			p->in = calloc(set_count, sizeof(uint64_t));
			p->defined = calloc(set_count, sizeof(uint64_t));
			right = p->in && p->defined;
			if (right) {
				find_local(p);
				find_spans(p);
				find_parameters(p);
				find_peak(p);
			}
		}
	}
	free(seen);
	return right;
}

bool ptx_registers_drop_unneeded(struct ptx_parser *parser, struct op *ops, uint32_t op_count)
{
	const uint32_t *unneeded = (const void *)parser->unneeded.data;
	const size_t count = parser->unneeded.size_B / sizeof(*unneeded);
	bool *is_read = count ? calloc(parser->widths.size_B + 1, sizeof(*is_read)) : NULL;
	if (!count || !is_read)
		return !count || ptx_fail_memory(parser);
	for (uint32_t i = 0; i < op_count; i++)
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if (ops[i].reads >> k & 1 && is_register(&ops[i], k))
				is_read[ops[i].x[k]] = true;
	for (size_t i = 0; i < count; i++) {
		struct op *op = &ops[unneeded[i]];
		if (is_read[op->x[0]])
			continue;
		op->run = exec_table_find("_nop")->run;
		op->reads = op->writes = 0;
	}
	free(is_read);
	parser->unneeded.size_B = 0;
	return true;
}

static void note_widths(const struct placer *p, char *widths)
{
	for (uint32_t r = 0; r < p->register_count; r++)
		if (p->last[r] != NONE)
			widths[p->place[r] / 4] = p->widths[r];
}

/* Whether a way from the start leads to a read of what no op has written on it. */
static bool reads_unset(const struct placer *p)
{
	bool any = !p->in;
	for (uint32_t w = 0; p->in && w < p->words; w++)
		any |= p->in[w] != 0;
	return any;
}

bool ptx_registers_place(struct ptx_parser *parser, struct code *code)
{
	struct placer p = {
		.ops = code->ops, .op_count = code->op_count,
		.register_count = (uint32_t)parser->widths.size_B, .widths = parser->widths.data
	};
	bool right = place(&p, code->tables);
	if (right) {
		code->register_B = hand_out(&p);
		code->register_peak = p.peak;
		code->reads_unset = reads_unset(&p);
		code->register_widths = arena_take(parser->arena, code->register_B / 4 + 1u);
		right = code->register_widths != NULL;
	}
	if (right) {
		note_widths(&p, code->register_widths);
		rewrite(&p);
	}
	uint32_t *lists[] = {p.wide, p.of_bit, p.first, p.last, p.next_start, p.next_end,
			     p.place, p.starts, p.ends};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]);
	ptx_blocks_finish(&p.graph);
	free(p.alive);
	free(p.source);
	free(p.in);
	free(p.defined);
	return right ? true : ptx_fail_memory(parser);
}
