/* Calls of functions become part of the kernel that makes them, so that it can become machine code, for which a kernel
 * must not have calls (softcuda/jit).  Functions that libnvvm does not inline are common: it calls its reduction of
 * large angles for each sin and cos of doubles, and others for pow.
 *
 * A function's registers and its local memory lie behind those of the kernel.  Its parameters and results are the
 * memory that the call passes, so nothing is copied; this needs functions that only load parameters and only store
 * results or load them back, which those of compilers do.  All calls of a kernel become part of it, or none: some are
 * left as they are if one cannot.  These cannot:
 *
 * - calls through a pointer, recursion, and what becomes very long
 * - functions with instructions at which lanes meet: lanes from two calls would be at two instructions
 * - functions that take the address of a parameter, change their stack, have a table of branches, or may read a
 *   register before they write it, which is 0 then
 *
 * In a program that is checked, these are only functions that libnvvm adds: what the checker finds in other ones
 * depends on where they are called and when their variables begin. */
#include "config.h"

#include "softcuda/exec/memory.h"
#include "softcuda/exec/table.h"
#include "softcuda/ptx/decode.h"
#include "softcuda/ptx/program.h"

#include <stdlib.h>
#include <string.h>

/* OPS_MAX: in a kernel or function.  MADE_MAX: in all those of a module that had calls, or are called. */
enum { OPS_MAX = 6000, MADE_MAX = 200000, LOCAL_FLAT_MAX_B = 1 << 16, DEPTH_MAX = 50, ALIGN_B = 64 };

enum flat_state { FLAT_UNKNOWN, FLAT_BUSY, FLAT_WHOLE, FLAT_REFUSED };

/* A function, or kernel, without calls. */
struct flat {
	enum flat_state state;
	struct op *ops;
	struct source_place *places;
	char *widths;             /* as code.register_widths */
	uint32_t op_count, register_B, local_B, local_align_B, local_gap_B, local_count;
	struct local_variable *locals;
	uint32_t *access_B;       /* the largest access to each parameter, then to each result */
};

/* Where the callee of some of a code's calls has its registers and its local memory. */
struct guest {
	uint32_t callee, register_B, local_B;
};

struct flattener {
	struct ptx_parser *parser;
	struct flat *flats;       /* by index of code */
	op_run *call, *ret, *bra, *local_64, *local_32;
	uint32_t depth, made;
	bool failed;              /* out of memory */
};

/* What a code becomes while it is copied. */
struct copy {
	const struct flattener *flattener;
	const struct code *code;
	struct flat *flat;
	struct guest *guests;
	uint32_t guest_count;
	uint32_t *at;             /* by op of code: where it is in flat */
};

static const struct code *code_at(const struct flattener *f, uint32_t index)
{
	return &f->parser->program->codes[index];
}

static bool is_local_address(const struct flattener *f, const struct op *op)
{
	return op->run == f->local_64 || op->run == f->local_32;
}

/* --- which functions are possible ---------- */

/* Whether libnvvm has added a function.  Those of the source have lines in a program that is built to be checked. */
static bool is_internal(const struct code *code)
{
	static const char prefix[] = "__internal_";
	for (uint32_t i = 0; i < code->op_count; i++)
		if (code->places[i].line)
			return false;
	return !strncmp(code->name, prefix, sizeof(prefix) - 1);
}

static bool is_possible(const struct flattener *f, const struct code *code)
{
	if (!code->defined || !code->op_count || code->table_count || code->calls_indirectly || code->moves_stack)
		return false;
	if (code->entry)
		return true;
	if (f->parser->flat == PTX_FLAT_INTERNAL && !is_internal(code))
		return false;
	for (uint32_t i = 0; i < code->op_count; i++)
		if (exec_table_meets(&code->ops[i]))
			return false;
	return !code->reads_unset && f->depth < DEPTH_MAX;
}

/* The size of an access to local memory; 0: op is none. */
static uint32_t access_size(const struct op *op, bool *load_out)
{
	const struct op_row *row = exec_table_row(op->run);
	*load_out = row && !strncmp(row->name, "_ld.", 4);
	if (!row || op->space != SPACE_LOCAL || (!*load_out && strncmp(row->name, "_st.", 4)))
		return 0;
	return op->vector * (uint32_t)strtoul(row->name + 4, NULL, 10);
}

/* The access whose address op `at` computes, which it does for that alone: the decoder puts the two next to each other,
 * with no more than conversions of data between them.  NULL: it is used otherwise. */
static const struct op *access_of(const struct flat *flat, uint32_t at)
{
	enum { NEAR = 8 };
	const uint32_t address = flat->ops[at].x[0];
	for (uint32_t i = at + 1; i < flat->op_count && i <= at + NEAR; i++) {
		const struct op *op = &flat->ops[i];
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if ((op->reads >> k & 1) && op->x[k] == address)
				return k == MEMORY_ADDRESS ? op : NULL;
		for (unsigned k = 0; k < OP_OPERANDS; k++)
			if ((op->writes >> k & 1) && op->x[k] == address)
				return NULL;
	}
	return NULL;
}

/* The parameter, or parameter_count plus the result, in which an offset of a function's local memory is;
 * OPERAND_NONE: it is in none. */
static uint32_t formal_at(const struct code *code, uint64_t offset_B)
{
	for (uint32_t i = 0; i < code->parameter_count + code->result_count; i++) {
		const struct soft_parameter *formal = i < code->parameter_count ? &code->parameters[i] :
						      &code->results[i - code->parameter_count];
		if (offset_B - formal->offset_B < formal->size_B)
			return i;
	}
	return OPERAND_NONE;
}

static const struct soft_parameter *formal_of(const struct code *code, uint32_t i)
{
	return i < code->parameter_count ? &code->parameters[i] : &code->results[i - code->parameter_count];
}

/* Whether a function only loads its parameters, and only loads and stores its results, each inside of it.  Fills
 * flat->access_B. */
static bool uses_formals_directly(struct flattener *f, const struct code *code, struct flat *flat)
{
	flat->access_B = calloc(code->parameter_count + code->result_count + 1u, sizeof(*flat->access_B));
	if (!flat->access_B) {
		f->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < flat->op_count; i++) {
		const uint64_t offset_B = (uint64_t)flat->ops[i].imm;
		const uint32_t n = is_local_address(f, &flat->ops[i]) ? formal_at(code, offset_B) : OPERAND_NONE;
		if (n == OPERAND_NONE)
			continue;
		bool load = false;
		const struct op *access = access_of(flat, i);
		const uint32_t size_B = access ? access_size(access, &load) : 0;
		const struct soft_parameter *formal = formal_of(code, n);
		if (!size_B || (n < code->parameter_count && !load) || access->imm < 0 ||
		    offset_B - formal->offset_B + (uint64_t)access->imm + size_B > formal->size_B)
			return false;
		flat->access_B[n] = size_B > flat->access_B[n] ? size_B : flat->access_B[n];
	}
	return true;
}

/* Where a call has its parameter or result n, in the caller's local memory. */
static uint32_t passed_at(const struct code *callee, const struct call_site *site, uint32_t n)
{
	return n < callee->parameter_count ? site->arguments[n].from_B :
					     site->results[n - callee->parameter_count].to_B;
}

static bool overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Whether the memory that a call passes can be the callee's parameters and results: it is no smaller, is aligned as
 * these are used, and no result is where something else is. */
static bool fits_site(const struct flattener *f, const struct call_site *site)
{
	const struct code *callee = code_at(f, site->callee);
	const uint32_t *access_B = f->flats[site->callee].access_B;
	const uint32_t count = callee->parameter_count + callee->result_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct soft_parameter *formal = formal_of(callee, i);
		const uint32_t at_B = passed_at(callee, site, i);
		const uint32_t size_B = i < callee->parameter_count ? site->arguments[i].size_B :
				       site->results[i - callee->parameter_count].size_B;
		if (size_B < formal->size_B ||
		    (access_B[i] && (at_B - (uint32_t)formal->offset_B) % access_B[i]))
			return false;
		for (uint32_t k = callee->parameter_count; k < count; k++)
			if (k != i && overlap(at_B, (uint32_t)formal->size_B, passed_at(callee, site, k),
					      (uint32_t)formal_of(callee, k)->size_B))
				return false;
	}
	return true;
}

/* --- copying ---------- */

static const struct guest *guest_of(const struct copy *c, uint32_t callee)
{
	for (uint32_t i = 0; i < c->guest_count; i++)
		if (c->guests[i].callee == callee)
			return &c->guests[i];
	return NULL;
}

static const struct call_site *site_of(const struct copy *c, const struct op *op)
{
	return op->run == c->flattener->call ? &c->code->sites[op->target] : NULL;
}

static uint32_t align_up(uint32_t value, uint32_t align)
{
	return (value + align - 1) / align * align;
}

/* Gives a callee room behind what the code has.  A callee is never active twice, so all calls of it share that. */
static void add_guest(struct copy *c, uint32_t callee)
{
	struct flat *flat = c->flat;
	const struct flat *guest = &c->flattener->flats[callee];
	flat->register_B = align_up(flat->register_B, ALIGN_B);
	flat->local_B = align_up(flat->local_B, guest->local_align_B > ALIGN_B ? guest->local_align_B : ALIGN_B);
	c->guests[c->guest_count++] = (struct guest){callee, flat->register_B, flat->local_B};
	flat->register_B += guest->register_B;
	flat->local_B += guest->local_B;
	flat->local_gap_B += guest->local_gap_B;
	flat->local_count += guest->local_count;
	flat->local_align_B = guest->local_align_B > flat->local_align_B ? guest->local_align_B : flat->local_align_B;
}

/* Finds room for all, and where each op will be.  False: it becomes too large. */
static bool lay_out(struct copy *c)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < c->code->op_count; i++) {
		const struct op *op = &c->code->ops[i];
		const struct call_site *site = site_of(c, op);
		c->at[i] = count;
		count += !site ? 1 : c->flattener->flats[site->callee].op_count + (op->guard != OPERAND_NONE);
		if (count > OPS_MAX)
			return false;
		if (site && !guest_of(c, site->callee))
			add_guest(c, site->callee);
	}
	c->at[c->code->op_count] = c->flat->op_count = count;
	return c->flat->local_B <= LOCAL_FLAT_MAX_B;
}

static void move_registers(struct op *op, uint32_t by_B)
{
	for (unsigned k = 0; k < OP_OPERANDS; k++)
		if (((op->reads | op->writes) >> k & 1) && op->x[k] >> OPERAND_BANK_SHIFT == BANK_REGISTER)
			op->x[k] += by_B;
	if (op->guard != OPERAND_NONE)
		op->guard += by_B;
}

/* Puts the callee of a call where the call is, from flat's op `to` on. */
static void copy_callee(struct copy *c, const struct call_site *site, uint32_t to)
{
	const struct flattener *f = c->flattener;
	const struct code *callee = code_at(f, site->callee);
	const struct flat *from = &f->flats[site->callee];
	const struct guest *guest = guest_of(c, site->callee);
	for (uint32_t i = 0; i < from->op_count; i++) {
		struct op *op = &c->flat->ops[to + i];
		*op = from->ops[i];
		c->flat->places[to + i] = from->places[i];
		move_registers(op, guest->register_B);
		if (op->run == f->bra) {
			op->target += to;
		} else if (op->run == f->ret) {
			op->run = f->bra;
			op->target = to + from->op_count;
		} else if (is_local_address(f, op)) {
			const uint32_t n = formal_at(callee, (uint64_t)op->imm);
			op->imm += n == OPERAND_NONE ? (int64_t)guest->local_B :
				   (int64_t)passed_at(callee, site, n) - (int64_t)formal_of(callee, n)->offset_B;
		}
	}
}

static void copy_ops(struct copy *c)
{
	struct flat *flat = c->flat;
	for (uint32_t i = 0; i < c->code->op_count; i++) {
		const struct op *from = &c->code->ops[i];
		const struct call_site *site = site_of(c, from);
		struct op *op = &flat->ops[c->at[i]];
		if (!site || from->guard != OPERAND_NONE) {
			*op = *from;
			flat->places[c->at[i]] = c->code->places[i];
		}
		if (site) {
			copy_callee(c, site, c->at[i] + (from->guard != OPERAND_NONE));
			if (from->guard == OPERAND_NONE)
				continue;
			/* A branch around it. */
			op->run = c->flattener->bra;
			op->guard_negated = !op->guard_negated;
			op->target = c->at[i + 1];
		} else if (op->run == c->flattener->bra) {
			op->target = c->at[op->target];
		}
	}
}

static void copy_widths(struct copy *c)
{
	memcpy(c->flat->widths, c->code->register_widths, c->code->register_B / 4);
	for (uint32_t i = 0; i < c->guest_count; i++) {
		const struct flat *guest = &c->flattener->flats[c->guests[i].callee];
		memcpy(c->flat->widths + c->guests[i].register_B / 4, guest->widths, guest->register_B / 4);
	}
}

static void copy_locals(struct copy *c)
{
	uint32_t count = c->code->local_count;
	memcpy(c->flat->locals, c->code->locals, count * sizeof(*c->flat->locals));
	for (uint32_t i = 0; i < c->guest_count; i++) {
		const struct flat *guest = &c->flattener->flats[c->guests[i].callee];
		for (uint32_t k = 0; k < guest->local_count; k++) {
			c->flat->locals[count] = guest->locals[k];
			c->flat->locals[count++].offset_B += c->guests[i].local_B;
		}
	}
}

/* False: it is not possible, or f->failed. */
static bool build(struct flattener *f, const struct code *code, struct flat *flat)
{
	struct copy c = {.flattener = f, .code = code, .flat = flat};
	c.guests = malloc((code->site_count + 1u) * sizeof(*c.guests));
	c.at = malloc((code->op_count + 1u) * sizeof(*c.at));
	flat->register_B = code->register_B;
	flat->local_B = code->local_B;
	flat->local_align_B = code->local_align_B;
	flat->local_gap_B = code->local_gap_B;
	flat->local_count = code->local_count;
	f->failed |= !c.guests || !c.at;
	bool right = !f->failed && lay_out(&c) && f->made + flat->op_count <= MADE_MAX;
	if (right) {
		f->made += flat->op_count;
		flat->ops = malloc((flat->op_count + 1u) * sizeof(*flat->ops));
		flat->places = malloc((flat->op_count + 1u) * sizeof(*flat->places));
		flat->widths = calloc(flat->register_B / 4 + 1u, 1);
		flat->locals = malloc((flat->local_count + 1u) * sizeof(*flat->locals));
		f->failed |= !flat->ops || !flat->places || !flat->widths || !flat->locals;
		right = !f->failed;
	}
	if (right) {
		copy_ops(&c);
		copy_widths(&c);
		copy_locals(&c);
	}
	free(c.guests);
	free(c.at);
	return right;
}

static bool flatten(struct flattener *f, uint32_t index);

static bool flatten_callees(struct flattener *f, const struct code *code)
{
	for (uint32_t i = 0; i < code->site_count; i++) {
		const struct call_site *site = &code->sites[i];
		if (site->callee == OPERAND_NONE || !flatten(f, site->callee) || !fits_site(f, site))
			return false;
	}
	return true;
}

/* Makes flats[index].  False: it is not possible, or f->failed. */
static bool flatten(struct flattener *f, uint32_t index)
{
	const struct code *code = code_at(f, index);
	struct flat *flat = &f->flats[index];
	/* FLAT_BUSY: the function calls itself. */
	if (flat->state != FLAT_UNKNOWN)
		return flat->state == FLAT_WHOLE;
	flat->state = FLAT_BUSY;
	f->depth++;
	const bool whole = is_possible(f, code) && flatten_callees(f, code) && build(f, code, flat) &&
			   (code->entry || uses_formals_directly(f, code, flat));
	f->depth--;
	flat->state = whole ? FLAT_WHOLE : FLAT_REFUSED;
	return whole;
}

static void *keep(struct flattener *f, const void *from, size_t size_B)
{
	void *copy = arena_take(f->parser->arena, size_B ? size_B : 1);
	if (copy)
		memcpy(copy, from, size_B);
	f->failed |= !copy;
	return copy;
}

static void replace(struct flattener *f, struct code *code, const struct flat *flat)
{
	struct op *ops = keep(f, flat->ops, flat->op_count * sizeof(*ops));
	struct source_place *places = keep(f, flat->places, flat->op_count * sizeof(*places));
	char *widths = keep(f, flat->widths, flat->register_B / 4 + 1u);
	struct local_variable *locals = keep(f, flat->locals, flat->local_count * sizeof(*locals));
	if (f->failed)
		return;
	code->ops = ops;
	code->places = places;
	code->op_count = flat->op_count;
	code->register_widths = widths;
	code->register_B = flat->register_B;
	code->local_B = flat->local_B;
	code->local_align_B = flat->local_align_B;
	code->local_gap_B = flat->local_gap_B;
	code->locals = locals;
	code->local_count = flat->local_count;
}

bool ptx_flatten(struct ptx_parser *parser)
{
	struct soft_program *program = parser->program;
	struct flattener f = {
		.parser = parser, .flats = calloc(program->code_count + 1u, sizeof(*f.flats)),
		.call = exec_table_find("_call")->run, .ret = exec_table_find("_ret")->run,
		.bra = exec_table_find("_bra")->run, .local_64 = exec_table_find("_local.64")->run,
		.local_32 = exec_table_find("_local.32")->run
	};
	f.failed = !f.flats;
	for (uint32_t i = 0; i < program->code_count && !f.failed; i++) {
		struct code *code = &program->codes[i];
		if (code->entry && code->site_count && flatten(&f, i))
			replace(&f, code, &f.flats[i]);
	}
	for (uint32_t i = 0; f.flats && i < program->code_count; i++) {
		free(f.flats[i].ops);
		free(f.flats[i].places);
		free(f.flats[i].widths);
		free(f.flats[i].locals);
		free(f.flats[i].access_B);
	}
	free(f.flats);
	return f.failed ? ptx_fail_memory(parser) : true;
}
